"""A query's text as tokens, names and a syntax tree, by two libraries on layouts of its tokens."""

from translate.sparql.streaming_clauses import AnyWindow, StreamClause, StreamingClauses
from translate.sparql.syntax_tree import COVERED, TERM, deep_recursion, read_tree
from translate.sparql.tokens import (
    Document,
    Names,
    Token,
    TokenKind,
    check_absolute,
    is_name,
    number,
    read_declarations,
    read_prologue,
    resolve,
    tokenize,
)
