"""Q1 to Q4 as a machine: a pushed triple enters the buffers of its patterns, and is joined from each."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import assert_never

from agreement.engines.cqels_body import Body, Condition, StreamTriple
from agreement.engines.cqels_buffers import Buffer, Entry, matched
from agreement.engines.cqels_index import Solution
from agreement.engines.cqels_live import Live
from agreement.engines.cqels_plan import Elements, Joined, Plan, follow
from agreement.engines.cqels_static import StaticData, StaticElement
from agreement.recordings.recording import Push, Triple
from lars.terms import Variable
from translate.conditions import unbind
from translate.windows import Rows


class Keeping(Enum):
    """Whose triples leave the buffers when one arrives.

    OWN: those of the pattern that it matches (Q1); LAST: those of the last pattern of each block
    that it matches (2011a); ALL: each window shows at any time what is specified, each triple once.
    """

    OWN = "own"
    LAST = "last"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Stages:
    """How the machine goes: what the engine does itself, or else what the specification says.

    `registered`: FILTERs in STREAM are left out, static elements have no duplicates (Q1).
    `one_by_one`: the matching patterns in the engine's order, each completely (Q2). `slides`: what
    is dropped follows SLIDE (Q3). `planned`: joins along shared variables only (Q4).
    """

    keeping: Keeping
    registered: bool
    one_by_one: bool
    slides: bool
    planned: bool


@dataclass(slots=True)
class Machine:
    """The state of a query. `live` follows the joined mappings that are still there, if it is wanted."""

    body: Body
    stages: Stages
    data: StaticData
    elsewhere: frozenset[Variable]
    live: Live | None = None
    buffers: list[Buffer] = field(init=False)
    statics: list[StaticElement] = field(init=False)
    plans: list[Plan] = field(init=False)
    _order: list[StreamTriple] = field(init=False)
    _counts: Counter[str] = field(default_factory=Counter)
    _now: float = 0.0
    _positions: dict[tuple[str, Triple], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        triples = self.body.triples
        filters = _filters(self.body, self.stages)
        matched_in = (one.variables for one in triples)
        wanted = self.elsewhere.union(*matched_in).union(*(one.variables for one in filters))
        kept = wanted if self.stages.registered else None
        self.statics = [self.data.element(pattern, kept) for pattern in self.body.statics]
        elements = Elements(self.statics, triples, filters, everything=not self.stages.planned)
        self.plans = [elements.plan(triple) for triple in triples]
        self.buffers = [Buffer(triple) for triple in triples]
        eager = self.stages.one_by_one
        self._order = sorted(triples, key=lambda one: -one.constants if eager else one.number)

    def batches(self, push: Push) -> Iterator[list[Joined]]:
        """Yield the joined mappings of a pushed triple, of each pattern or (not one by one) of all."""
        self._count(push)
        found = [(one, binds) for one in self._order if (binds := matched(one, push)) is not None]
        self._expire(push, [one for one, _ in found])
        if self.stages.one_by_one:
            for one, binds in found:
                self._make_room(one, push)
                yield self._joined(one, binds, push)
            return
        for one, _ in found:
            self._make_room(one, push)
        yield [joined for one, binds in found for joined in self._joined(one, binds, push)]

    def whole(self, number: int) -> list[Joined]:
        """Return what the plan of a pattern joins to everything that is in its buffer."""
        held = self.buffers[number].held.items
        return [one for entry in held for one in self._follow(number, entry)]

    def _joined(self, triple: StreamTriple, binds: Solution, push: Push) -> list[Joined]:
        position = self._positions[push.stream, push.triple]
        entry = Entry(push.t, push.stream, push.triple, position, binds)
        self.buffers[triple.number].put(entry)
        found = self._follow(triple.number, entry)
        if self.live is not None:
            self.live.add(found)
        return found

    def _follow(self, number: int, entry: Entry) -> list[Joined]:
        start = Joined(entry.binds, (entry,))
        return follow(self.plans[number], start, self.statics, self.buffers, self.data)

    def _expire(self, push: Push, found: list[StreamTriple]) -> None:
        """Drop what leaves the buffers because time goes on, whatever the patterns matched."""
        match self.stages.keeping:
            case Keeping.OWN:
                pass
            case Keeping.LAST:
                for block in dict.fromkeys(one.block for one in found):
                    last = max(one.number for one in self.body.triples if one.block == block)
                    self._drop(self.buffers[last], self.buffers[last].invisible(push.t, self._counts))
            case Keeping.ALL:
                for buffer in self.buffers:
                    self._drop(buffer, self._left(buffer, push.t))
            case _:
                assert_never(self.stages.keeping)

    def _make_room(self, triple: StreamTriple, push: Push) -> None:
        """Drop what a pattern's buffer loses because the pattern matched."""
        buffer = self.buffers[triple.number]
        if self.stages.keeping is Keeping.ALL:
            self._drop(buffer, buffer.equal(push))
        elif self.stages.keeping is Keeping.OWN:
            self._drop(buffer, self._left(buffer, push.t))

    def _left(self, buffer: Buffer, now: float) -> list[Entry]:
        counted = isinstance(buffer.triple.window, Rows)
        if counted and self.stages.keeping is Keeping.OWN:
            return buffer.beyond()
        if counted or not self.stages.slides:
            return buffer.invisible(now, self._counts)
        return buffer.purged(now)

    def _drop(self, buffer: Buffer, entries: list[Entry]) -> None:
        buffer.take(entries)
        if self.live is not None:
            self.live.drop(entries)

    def _count(self, push: Push) -> None:
        """Count the triple among those of its stream; one that is there at this very time is the same."""
        if self._now != push.t:
            self._now = push.t
            self._positions.clear()
        if (push.stream, push.triple) not in self._positions:
            self._counts[push.stream] += 1
            self._positions[push.stream, push.triple] = self._counts[push.stream]


def _filters(body: Body, stages: Stages) -> list[Condition]:
    """Return the FILTERs that are applied; to one inside STREAM other variables are unbound."""
    if stages.registered:
        return [one for one in body.filters if one.block is None]
    return [one if one.block is None else _inside(one, body) for one in body.filters]


def _inside(condition: Condition, body: Body) -> Condition:
    own = (one.variables for one in body.triples if one.block == condition.block)
    tests = (test.variable for test in condition.exists)
    known = frozenset[Variable]().union(*own).union(tests)
    return replace(condition, expression=unbind(condition.expression, known))
