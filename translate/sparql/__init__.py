"""SPARQL, on which the dialects are based: tokens, names, the syntax tree, and the algebra of patterns."""

from translate.sparql.expressions import Scope
from translate.sparql.queries import TriplesRun, has_aggregate, join, read_expression, read_group
from translate.sparql.syntax_tree import Phrase, deep_recursion, query_of, read_tree
from translate.sparql.tokens import (
    Document,
    Prefixes,
    Token,
    TokenKind,
    has_relative_iri,
    is_name,
    number,
    read_declarations,
    resolve,
    tokenize,
)
