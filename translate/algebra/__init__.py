"""SPARQL's syntax tree becomes the algebra of graph patterns (SPARQL 1.1, Section 18.2)."""

from translate.algebra.expression_reader import TIMESTAMP, SyntaxLeaves
from translate.algebra.groups import Groups, join
from translate.algebra.levels import has_aggregate, read_subquery
from translate.algebra.queries import translate
from translate.algebra.triples import Scope, TriplesRun
