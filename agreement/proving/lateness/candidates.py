"""Make streams of late data that may change answers: a match of the query whose triples arrive late.

The first streams have one match of the query. Later streams have more triples: another match, triples that
match other patterns of the query (such as those of NOT EXISTS), and a triple that no pattern matches.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Final

from agreement.documents.requests import Side, element_requirement
from agreement.proving.disjuncts import Edge, Quad, Reading, Stock, few_and_many, is_rdf
from agreement.proving.disjuncts.candidates import ELSEWHERE
from agreement.proving.lateness.replay import LateArrival, LateStream, Replay
from agreement.proving.lateness.theorems import LatenessQuestion
from lars.language.terms import Constant, Iri, Variable
from lars.language.windows import Interval, IntervalWindow, Window

Quads = tuple[Quad, ...]
_MOST_DISJUNCTS: Final = 6
_MOST_MORE: Final = 6
"""The maximum number of further triples that are tried in addition to a match of the query."""
_MOST_PULLS: Final = 4
"""The maximum number of pulls around which triples are placed.

The distances of these pulls to the last multiple of a window's slide differ.
"""
_MOST_PRODUCT: Final = 1_500
"""The maximum number of streams with the same triples around one pull."""
_ORIGIN: Final = 2**40
"""The distance of the timeline's ends from time 0, so large that no window is cut."""


def scenes(question: LatenessQuestion) -> Iterator[tuple[Stock, Quads, Quads]]:
    """Yield the triples from which streams with late data are made, for each alternative of the query.

    Yields:
        The static triples, the stream triples of one match of the query, and further stream triples to add.
    """
    agreement = question.agreement
    ways = [way for way in agreement.ways if way.holds]
    for way in sorted(ways, key=lambda way: len(way.disjunct.stored))[:_MOST_DISJUNCTS]:
        for model in few_and_many(way.disjunct, way.model):
            own = tuple(dict.fromkeys(edge.ground(model) for edge in way.disjunct.readings))
            free = [] if agreement.stock is not None else [edge.ground(model) for edge in way.disjunct.stored]
            static = tuple(dict.fromkeys((*(agreement.stock or ()), *free)))
            more = dict.fromkeys((*_others(agreement.edges, model), _noise()))
            yield static, own, tuple(quad for quad in more if quad not in own)[:_MOST_MORE]


def _others(edges: Sequence[Edge], model: Mapping[Variable, Constant]) -> Iterator[Quad]:
    """Yield triples that match the stream patterns, with terms of a given match and with other terms."""
    names = {name for edge in edges for name in edge.terms if isinstance(name, Variable)}
    fresh: dict[Variable, Constant] = {name: Iri(f"http://example.org/{name.name}") for name in names}
    again = {name: Iri(f"{term.value}2") if isinstance(term, Iri) else term for name, term in model.items()}
    streamed = [edge for edge in edges if isinstance(edge.where, Reading)]
    for values in ({**fresh, **model}, {**fresh, **again}):
        for edge in streamed:
            quad = edge.ground(values)
            if is_rdf(quad):
                yield quad
    # Another triple with one term in common, such as a second value of one subject.
    for name in sorted(names & again.keys()):
        for edge in streamed:
            quad = edge.ground({**fresh, **model, name: again[name]})
            if name in edge.terms and is_rdf(quad):
                yield quad


def _noise() -> Quad:
    subject, predicate, object_ = (Iri(f"http://example.org/n{number}") for number in (1, 2, 3))
    return subject, predicate, object_, ELSEWHERE


def late_streams(replay: Replay, match: Quads, further: Quads, side: Side) -> Iterator[LateStream]:
    """Yield streams with late data that consist of one match of the query and up to two further triples.

    Streams with few triples come first, and streams with the extreme times and delays come before other
    streams.
    """
    question = replay.question
    pulls = range(replay.lead, replay.lead + replay.step, question.period)[:_MOST_PULLS]
    own_windows = question.windows(side)
    for extra in range(3):
        for more in combinations(further, extra):
            for wide in (False, True):
                for r in pulls:
                    yield from _placed(
                        question, match, more, _times(own_windows, r, question, wide=wide), wide=wide
                    )


def _times(own_windows: Sequence[Window], r: int, question: LatenessQuestion, *, wide: bool) -> list[int]:
    """Return event times (time points) to try around the pull at time `r`, such as the ends of its windows.

    If `wide` is true, the result also includes the times before and after the ends of windows, and times
    around the previous pull.
    """
    timeline = Interval(-_ORIGIN, _ORIGIN)
    ends = [window.bounds(r, timeline) for window in own_windows if isinstance(window, IntervalWindow)]
    times = [r, *(t for each in ends for t in (each.last, each.first) if abs(t) < _ORIGIN)]
    if wide:
        times += [near for t in times for near in (t - 1, t + 1)]
        times += [r + 1, r - question.period, r - question.period + 1, r - question.delay, r + question.delay]
    return [t for t in dict.fromkeys(times) if t > 0]


def _placed(
    question: LatenessQuestion, own: Sequence[Quad], more: Sequence[Quad], times: Sequence[int], *, wide: bool
) -> Iterator[LateStream]:
    quads, delay, wait = (*own, *more), question.delay, question.wait
    short = sorted({d for d in (1, wait, wait + 1, delay - 1) if 0 < d < delay}) if wide else []
    delays = dict.fromkeys((delay, 0, *short))
    options = list(product(times, delays))
    pair = question.agreement.pair
    whole = element_requirement((pair.csparql, pair.cqels)) is not None
    for chosen in _choices(options, len(quads)):
        if whole and not _are_whole(chosen, quads):
            continue
        if any(late for _, late in chosen) or question.looks_ahead:
            stream = [_late(t, late, quad) for (t, late), quad in zip(chosen, quads, strict=True)]
            # Elements of one time are in the order of their arrival.
            yield tuple(sorted(stream, key=lambda each: each[:2]))


def _are_whole(chosen: Sequence[tuple[int, int]], quads: Sequence[Quad]) -> bool:
    """Return whether all triples with the same event time and the same stream arrive at the same time."""
    delays: dict[tuple[int, Constant], int] = {}
    return all(
        delays.setdefault((t, quad[3]), late) == late for (t, late), quad in zip(chosen, quads, strict=True)
    )


def _choices(options: Sequence[tuple[int, int]], count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all sequences of `count` options; if they are too many, yield a random sample."""
    if len(options) ** count <= _MOST_PRODUCT:
        yield from product(options, repeat=count)
        return
    random = Random(count)  # noqa: S311
    for _ in range(_MOST_PRODUCT):
        yield tuple(random.choices(options, k=count))


def _late(t: int, delay: int, quad: Quad) -> LateArrival:
    return t, t + delay, quad
