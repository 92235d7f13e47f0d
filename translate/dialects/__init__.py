"""The four languages: their streaming clauses are read, and the rest is SPARQL."""

from translate.dialects.query_reader import TITLES, lift, read_query
