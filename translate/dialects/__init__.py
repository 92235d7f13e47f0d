"""The query languages: each has a grammar and streaming clauses on top of SPARQL."""

from translate.dialects.grammars import GRAMMARS, SIZE, TITLES
from translate.dialects.query_reader import lift, read_query, tokens_of
from translate.dialects.readings import READINGS, UNVERSIONED, Readings, check_reading, concerns_queries
