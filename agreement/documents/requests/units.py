"""How long one time point is where nobody says: the longest of which every duration is a multiple."""

from collections.abc import Iterable, Iterator
from functools import reduce
from math import gcd
from pathlib import Path
from typing import Final

from agreement.documents.requests.numbers import Period
from agreement.documents.requests.query_files import PROGRAM_SUFFIX, query_text, read_once, sources
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from translate.model.query import EngineQuery
from translate.model.windows import Range


def fitting_unit(durations: Iterable[Duration]) -> Duration:
    """Return the longest unit of which all durations are multiples, at most a second.

    >>> print(fitting_unit([Duration(3 * 10**9), Duration(200 * 10**6)]), fitting_unit([]))
    200ms 1s
    """
    return Duration(reduce(gcd, (one.nanoseconds for one in durations), SECOND.nanoseconds))


def durations_of(query: EngineQuery) -> Iterator[Duration]:
    """Yield the lengths and slides of a query's windows, and how often it is computed."""
    for one in sources(query):
        if isinstance(one.window, Range):
            yield from (part for part in (one.window.length, one.window.slide, one.window.until) if part)
    if query.every is not None:
        yield query.every


def durations_in(queries: Iterable[Path]) -> Iterator[Duration]:
    """Yield the durations of the queries in files; what cannot be read is said where it is wanted."""
    for path in queries:
        try:
            if path.suffix != PROGRAM_SUFFIX:
                yield from durations_of(read_once(query_text(path), str(path)))
        except LarsError:
            continue


def durations_among(periods: Iterable[Period]) -> Iterator[Duration]:
    """Yield the periods that are written as durations."""
    return (one.source for one in periods if isinstance(one.source, Duration))


def finer_units(unit: Duration, durations: Iterable[Duration]) -> Iterator[Duration]:
    """Yield the units finer than one that divides all durations, with which windows can show other times.

    A quarter of what divides all durations is fine enough: then each gap between ends of windows has a time.

    >>> [str(unit) for unit in finer_units(Duration(10**9), [Duration(5 * 10**9), Duration(9 * 10**9)])]
    ['500ms', '250ms']
    """
    common = reduce(gcd, (one.nanoseconds for one in durations), 0)
    for many in _FINER.get(common // unit.nanoseconds, ()):
        if common % many == 0:
            yield Duration(common // many)


_FINER: Final = {1: (2, 3, 4), 2: (4,), 3: (6,)}
"""Into how many parts what divides all durations is cut further, by how many units it has."""
