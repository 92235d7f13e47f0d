"""SPARQL's syntax tree becomes the algebra of graph patterns (SPARQL 1.1, Section 18.2)."""

from translate.algebra.expression_reader import TIMESTAMP, SyntaxLeaves
from translate.algebra.groups import Groups, Scope, TriplesRun, join
from translate.algebra.queries import has_aggregate, read_subquery, translate
