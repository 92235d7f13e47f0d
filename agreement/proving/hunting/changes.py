"""Single changes of what a query says and of what has arrived: what an engine may answer instead."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from agreement.documents.requests import WindowSource, sources, with_sources
from agreement.engines.engine import RspqlDefinition
from agreement.engines.specifications import Task
from agreement.engines.specifications.reporting import PushedTriple
from lars.durations import NANOSECONDS, Duration
from lars.language.terms import Iri, Variable
from solver.facts import Triple
from translate.analysis import rebuild
from translate.model.patterns import Filter, Pattern
from translate.model.query import EngineQuery, ToStream
from translate.model.windows import Range

Loss = Callable[[Task], Iterator[frozenset[int]]]
"""Which triples an engine may lose, by their numbers: alternatives."""
_STARTS: Final = 10


def _first(task: Task) -> Iterator[frozenset[int]]:
    yield frozenset([min((triple.number for triple in task.elements), default=0)])


def _same_instant(task: Task) -> Iterator[frozenset[int]]:
    """Yield all triples of an instant but the first."""
    times: dict[int, int] = {}
    for triple in task.elements:
        times[triple.t] = min(triple.number, times.get(triple.t, triple.number))
    yield frozenset(pushed_triple.number for pushed_triple in task.elements) - frozenset(times.values())


def _at_zero(task: Task) -> Iterator[frozenset[int]]:
    yield frozenset(triple.number for triple in task.elements if not triple.t)


def _again(task: Task) -> Iterator[frozenset[int]]:
    """Yield the triples that arrive again while an engine keeps them, for each way to keep them.

    It may keep them as long as a window that can still report shows them, whatever t0, or for some time.
    """
    windows = [source.window for source in sources(task.query) if isinstance(source.window, Range)]
    width = max((window.length.points(task.unit) for window in windows), default=0)
    slide = max(1, min((window.slide.points(task.unit) for window in windows if window.slide), default=1))
    for first in range(width - 1, width + min(slide, _STARTS)):
        yield _repeated(task.elements, partial(_opening, first, slide, width))
    times: dict[tuple[str, Triple], list[int]] = {}
    for triple in task.elements:
        times.setdefault((triple.stream, triple.triple), []).append(triple.t)
    for gap in sorted({u - t for same in times.values() for t, u in combinations(same, 2) if u > t}):
        yield _repeated(task.elements, partial(_earlier, gap + 1))


def _opening(first: int, slide: int, width: int, t: int) -> int:
    """Return when the window opened that closes next from t on; windows close at `first` + k `slide`."""
    return first - (first - t) // slide * slide - width


def _earlier(by: int, t: int) -> int:
    return t - by


def _repeated(elements: Iterable[PushedTriple], kept: Callable[[int], int]) -> frozenset[int]:
    """Return what arrives again after it has counted, if it did so later than `kept` says of the time."""
    counted: dict[tuple[str, Triple], int] = {}
    lost = set[int]()
    for triple in elements:
        before = counted.get((triple.stream, triple.triple))
        if before is not None and before > kept(triple.t):
            lost.add(triple.number)
        else:
            counted[triple.stream, triple.triple] = triple.t
    return frozenset(lost)


LOSSES: Final[tuple[tuple[str, Loss], ...]] = (
    ("of the triples of one instant only the first counts", _same_instant),
    ("triples of time 0 are lost", _at_zero),
    ("the first triple is lost", _first),
    ("a triple that arrives again while it is kept counts at its first time alone", _again),
)


def other_queries(query: EngineQuery) -> Iterator[tuple[str, str, EngineQuery]]:
    """Yield queries that an engine may answer instead, and what of the query it leaves out of account."""
    if query.to_stream is not None:
        for operator in ToStream:
            if operator is not query.to_stream:
                right = f"{RspqlDefinition.OPERATORS}: {query.to_stream.value}"
                yield f"reported as {operator.value}", right, replace(query, to_stream=operator)
    unfiltered = replace(query, pattern=rebuild(query.pattern, _unfiltered))
    if unfiltered.pattern != query.pattern:
        yield (
            "FILTER is ignored",
            "SPARQL 1.1, 18.5, Filter: a solution for which the condition is not true is none",
            unfiltered,
        )
    read = sources(query)
    if len(read) > 1:
        yield from _other_streams(query, read)
    unit = NANOSECONDS["s"] if all(map(_in_seconds, read)) else NANOSECONDS["ms"]
    for says, more in (("longer", unit), ("shorter", -unit)):
        other = with_sources(query, partial(_resized, more))
        yield (
            f"windows are one time point {says}",
            "Definitions 11 and 13: the RANGE that the query says",
            other,
        )


def _in_seconds(source: WindowSource) -> bool:
    window = source.window
    return isinstance(window, Range) and not window.length.nanoseconds % NANOSECONDS["s"]


def _resized(more: int, source: WindowSource) -> WindowSource:
    window = source.window
    if not isinstance(window, Range) or window.length.nanoseconds + more <= 0:
        return source
    return replace(source, window=replace(window, length=Duration(window.length.nanoseconds + more)))


def _unfiltered(part: Pattern) -> Pattern | None:
    return rebuild(part.pattern, _unfiltered) if isinstance(part, Filter) else None


def _other_streams(
    query: EngineQuery, read: tuple[WindowSource, ...]
) -> Iterator[tuple[str, str, EngineQuery]]:
    right = RspqlDefinition.OWN_STREAM
    names = [source.stream for source in read]
    for n, stream in enumerate(dict.fromkeys(names)):
        if any(name != stream for name in names):

            def fed(source: WindowSource, stream: Iri | Variable = stream) -> WindowSource:
                return replace(source, stream=stream)

            yield f"all windows show stream {n + 1}", right, with_sources(query, fed)
    last = {source.stream: source for source in read}
    if len(last) < len(read):

        def alone(source: WindowSource) -> WindowSource:
            same = last[source.stream] == source
            return source if same else replace(source, stream=Iri("http://e/no-stream"))

        yield "of the windows on one stream only the last is fed", right, with_sources(query, alone)
