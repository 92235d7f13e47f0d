"""The query languages: each language has a grammar and adds streaming clauses to SPARQL."""

from translate.dialects.grammars import GRAMMARS, TITLES
from translate.dialects.query_reader import lift, read_query, tokens_of
from translate.dialects.readings import (
    DERIVED,
    READINGS,
    UNVERSIONED,
    Readings,
    check_reading,
    concerns_queries,
)
