"""Streams made smaller, step by step, while what is kept of them stays."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.streams import Stream

_Size = tuple[int, int, float, int]


def shrunk(query: HuntedQuery, stream: Stream, keeps: Callable[[Stream], bool]) -> Stream:
    """Return a stream of which no smaller neighbour is kept: fewer triples, fewer times, earlier, plainer.

    `keeps` may raise or become False for all once no time is left.
    """
    tried = set[Stream]()

    def smaller(now: Stream) -> Stream | None:
        size = _size(query, now)
        for other in _neighbours(query, now):
            if other and other not in tried and _size(query, other) < size:
                tried.add(other)
                if keeps(other):
                    return other
        return None

    while (found := smaller(stream)) is not None:
        stream = found
    return stream


def _size(query: HuntedQuery, stream: Stream) -> _Size:
    places = {letter: n for n, letter in enumerate(query.letters)}
    letters = sum(places.get((one.stream, one.triple), len(places)) for one in stream)
    return len(stream), len({one.t for one in stream}), sum(one.t for one in stream), letters


def _neighbours(query: HuntedQuery, stream: Stream) -> Iterator[Stream]:
    """Yield streams with triples left out, many at first; with times moved; with other letters."""
    length = len(stream)
    part = length // 2
    while part:
        yield from (stream[:n] + stream[n + part :] for n in range(0, length, part))
        part //= 2
    times = sorted({one.t for one in stream})
    for before, t in zip([0.0, *times], times, strict=False):
        half = (t - before) // 2 // query.tick * query.tick
        for less in dict.fromkeys((t - before, half, query.tick)):
            if 0 < less <= t:
                yield tuple(replace(one, t=one.t - less) if one.t >= t else one for one in stream)
                yield tuple(replace(one, t=one.t - less) if one.t == t else one for one in stream)
    for n, push in enumerate(stream):
        for other in query.letters:
            if other[0] == push.stream and other[1] != push.triple:
                yield (*stream[:n], replace(push, triple=other[1]), *stream[n + 1 :])
