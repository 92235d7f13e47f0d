"""The four languages: their streaming clauses are read, and the rest is SPARQL."""

from translate.dialects.clauses import TITLES, first_of, from_clauses, operator_after, read_blocks, token_at
from translate.dialects.query_reader import lift_cqels, read_query
