"""A query's text as tokens, names and a syntax tree, by two libraries on layouts of its tokens."""

from translate.sparql.layouts import TERM
from translate.sparql.names import (
    Names,
    check_absolute,
    is_name,
    number,
    read_prologue,
    resolve,
)
from translate.sparql.streaming_clauses import AnyWindow, StreamClause, StreamingClauses
from translate.sparql.syntax_tree import COVERED, TYPE, deep_recursion, read_tree
from translate.sparql.tokens import Document, Token, TokenKind, tokenize
