"""The moments of a trace at which something can be evaluated: those of the clock, and of arrivals.

A moment is a time point and how many arrivals have been seen. The clock has one at each time point:
after its arrivals, or, with `high-open` [o, c), before them, since such a window closes before the
instant c. Arrivals have one after each tick; the last one of an instant is also the clock's, unless
that comes before them. Source: SECRET (2010). Times are time points.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tests.sparql.syntax import Triple


class Arrival(NamedTuple):
    """A triple of a stream; `number` is its place among the pushes, `graph` what it was pushed with."""

    t: int
    stream: str
    triple: Triple
    number: int
    graph: int | None = None


class Policy(NamedTuple):
    """What is left open by a query: the values are those of a specification file."""

    bounds: str = "low-open"
    tick: str = "triple"
    combination: str = "any"
    period: int = 1
    operator: str = "RSTREAM"
    empty: str = "reported"
    rows: str = "bag"


class Moment(NamedTuple):
    """After `seen` arrivals, the last tick of which began after `before`; equal ones: no tick ends."""

    t: int
    seen: int
    before: int
    clock: bool


def together(one: Arrival, other: Arrival, tick: str) -> bool:
    """Return whether two arrivals, one right after the other, belong to one tick."""
    if tick == "instant":
        return one.t == other.t
    same = (one.t, one.stream, one.graph) == (other.t, other.stream, other.graph)
    return tick == "graph" and same and one.graph is not None


def moments(arrivals: Sequence[Arrival], policy: Policy, until: int) -> Sequence[Moment]:
    """Return all moments of the clock and of arrivals, each once, in their order."""
    return _moments(tuple(arrivals), policy.tick, until, early=policy.bounds == "high-open")


@lru_cache(maxsize=16)
def _moments(arrivals: Sequence[Arrival], tick: str, until: int, *, early: bool) -> Sequence[Moment]:
    """Return all moments; if `early`, a moment of the clock is before the arrivals of its instant.

    Nothing else of a policy matters, so policies that differ otherwise share them.
    """
    found: dict[tuple[int, int], Moment] = {}
    before = 0
    for seen, one in enumerate(arrivals, 1):
        if seen == len(arrivals) or not together(one, arrivals[seen], tick):
            found[one.t, seen] = Moment(one.t, seen, before, clock=False)
            before = seen
    for t in range(until + 1):
        seen = sum(one.t < t or (one.t == t and not early) for one in arrivals)
        found[t, seen] = found.get((t, seen), Moment(t, seen, seen, clock=True))._replace(clock=True)
    return tuple(one for _, one in sorted(found.items()) if one.t <= until)
