"""The four languages: their streaming clauses are read, and the rest is SPARQL."""

from translate.dialects.query_reader import (
    TITLES,
    first_of,
    from_clauses,
    lift,
    operator_after,
    read_blocks,
    read_query,
    token_at,
)
