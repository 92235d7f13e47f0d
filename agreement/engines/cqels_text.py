"""A query of CQELS with its text: the engine looks at what the algebra of SPARQL has no trace of."""

import re
from dataclasses import dataclass, field, fields, replace
from typing import Final

from translate.dialects import read_query
from translate.dialects.strict import StrictEngine, check_strict
from translate.query import EngineQuery, Language
from translate.writing import write_query

_WINDOW: Final = re.compile(r"\[\s*RANGE\s[^\]]*\]", re.IGNORECASE)
_LAST_DIGIT: Final = re.compile(r"([0-9]+)[0-9](?=[hd])")


@dataclass(frozen=True, slots=True)
class WrittenQuery(EngineQuery):
    """A query with the text it was read from, and the name of the text in messages.

    The algebra does not say whether a FILTER stands inside of STREAM or behind it, nor which
    triples stand in one run: the engine treats these differently.
    """

    text: str = field(default="", compare=False)
    source: str = field(default="query", compare=False)
    base: str = field(default="", compare=False)


def read_written(text: str, source: str, base: str = "") -> WrittenQuery:
    """Return the query of CQELS that a text, with the text; takes and raises what `read_query` does."""
    query = read_query(text, source, Language.CQELS, base)
    known = {one.name: getattr(query, one.name) for one in fields(EngineQuery)}
    return WrittenQuery(**known, text=text, source=source, base=base)


def written(query: EngineQuery) -> WrittenQuery:
    """Return a query with its text; one without is written anew, with each FILTER outside of STREAM."""
    if isinstance(query, WrittenQuery):
        return query
    return read_written(write_query(query, Language.CQELS), "the query as written for CQELS")


def as_parsed(query: EngineQuery) -> WrittenQuery:
    """Return a query as CQELS 1.x reads its text, if it has one: durations in h and d are shortened.

    Raises QueryError where the engine fails to parse or to register the text.
    """
    if not isinstance(query, WrittenQuery):
        return written(query)
    check_strict(query.text, query.source, StrictEngine.CQELS)
    return replace(query, text=shortened(query.text))


def shortened(text: str) -> str:
    """Return the text as the engine's parser reads durations: those in h and d lose their last digit.

    The length of the text stays, so that places do.

    >>> shortened("STREAM <s> [RANGE 24h SLIDE 100d30m] {}")
    'STREAM <s> [RANGE  2h SLIDE  10d30m] {}'
    """
    return _WINDOW.sub(lambda window: _LAST_DIGIT.sub(r" \1", window.group()), text)
