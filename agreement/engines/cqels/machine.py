"""Q1 to Q4 as a machine: a pushed triple enters the buffers of its patterns, and is joined from each."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import assert_never

from agreement.documents.recordings import Push
from agreement.engines.cqels.join_plan import (
    BufferedTriple,
    CqelsBuffer,
    JoinedMapping,
    JoinElements,
    JoinPlan,
    StaticData,
    TextSolution,
    follow,
    match_triple,
)
from agreement.engines.cqels.query_text import CqelsBody, CqelsFilter, StreamTriple
from lars.language.terms import Variable
from solver.facts import Triple
from translate.tau import unbind


class Expiry(Enum):
    """Whose triples leave the buffers when one arrives.

    OWN: those of the pattern that it matches (Q1); LAST: those of the last pattern of each block
    that it matches (2011a); ALL: each window shows at any time what is specified, each triple once.
    """

    OWN = "own"
    LAST = "last"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class CqelsStages:
    """How the machine goes: what the engine does itself, or else what the specification says.

    `registered`: FILTERs in STREAM are left out, static elements have no duplicates (Q1).
    `one_by_one`: the matching patterns in the engine's order, each completely (Q2). `slides`: what
    is dropped follows SLIDE (Q3). `planned`: joins along shared variables only (Q4). `each`: a row
    for each joined mapping, at once, whatever DISTINCT, ORDER BY and LIMIT say (Q5); else what is new
    in the whole answer since the arrival before (ISTREAM). `looked_up`: aggregates are those that
    plan 1 finds for a joined mapping (Q6), else those of all mappings that are there.
    """

    keeping: Expiry
    registered: bool
    one_by_one: bool
    slides: bool
    planned: bool
    each: bool
    looked_up: bool


@dataclass(slots=True)
class LiveJoins:
    """The joined mappings whose triples are all still in the buffers, in the order in which they came.

    Whether any have `changed`, and which were `removed`, is since the last `settle`.
    """

    now: dict[JoinedMapping, None] = field(default_factory=dict)
    changed: bool = False
    removed: list[JoinedMapping] = field(default_factory=list)
    _by_entry: dict[BufferedTriple, list[JoinedMapping]] = field(default_factory=dict)

    def add(self, found: Iterable[JoinedMapping]) -> None:
        """Add mappings."""
        for one in found:
            self.now[one] = None
            self.changed = True
            for entry in set(one.entries):
                self._by_entry.setdefault(entry, []).append(one)

    def drop(self, entries: Iterable[BufferedTriple]) -> None:
        """Remove the mappings that are made of an entry."""
        for entry in entries:
            for one in self._by_entry.pop(entry, ()):
                if one in self.now:
                    del self.now[one]
                    self.changed = True
                    self.removed.append(one)

    def settle(self) -> None:
        """Forget what was added and removed."""
        self.changed = False
        self.removed.clear()


@dataclass(slots=True)
class CqelsMachine:
    """The state of a query. `live` follows the joined mappings that are still there, if it is wanted."""

    body: CqelsBody
    stages: CqelsStages
    data: StaticData
    elsewhere: frozenset[Variable]
    live: LiveJoins | None = None
    buffers: list[CqelsBuffer] = field(init=False)
    plans: list[JoinPlan] = field(init=False)
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
        statics = [self.data.element(pattern, kept) for pattern in self.body.statics]
        self.buffers = [CqelsBuffer(triple) for triple in triples]
        elements = JoinElements(statics, self.buffers, filters, everything=not self.stages.planned)
        self.plans = [elements.plan(triple) for triple in triples]
        eager = self.stages.one_by_one
        self._order = sorted(triples, key=lambda one: -len(one.constants) if eager else one.number)

    def batches(self, push: Push) -> Iterator[list[JoinedMapping]]:
        """Yield the joined mappings of a pushed triple, of each pattern or (not one by one) of all."""
        self._count(push)
        found = [(one, binds) for one in self._order if (binds := match_triple(one, push)) is not None]
        self._expire(push, [one for one, _ in found])
        if self.stages.one_by_one:
            for one, binds in found:
                self._make_room(one, push)
                yield self._joined(one, binds, push)
            return
        for one, _ in found:
            self._make_room(one, push)
        yield [joined for one, binds in found for joined in self._joined(one, binds, push)]

    def whole(self, number: int) -> list[JoinedMapping]:
        """Return what the plan of a pattern joins to everything that is in its buffer."""
        held = self.buffers[number].index.items
        return [one for entry in held for one in follow(self.plans[number], entry, self.data)]

    def _joined(self, triple: StreamTriple, binds: TextSolution, push: Push) -> list[JoinedMapping]:
        position = self._positions[push.stream, push.triple]
        entry = BufferedTriple(push.t, push.stream, push.triple, position, binds)
        self.buffers[triple.number].put(entry)
        found = follow(self.plans[triple.number], entry, self.data)
        if self.live is not None:
            self.live.add(found)
        return found

    def _expire(self, push: Push, found: list[StreamTriple]) -> None:
        """Drop what leaves the buffers because time goes on, whatever the patterns matched."""
        match self.stages.keeping:
            case Expiry.OWN:
                pass
            case Expiry.LAST:
                for block in dict.fromkeys(one.block for one in found):
                    last = max(one.number for one in self.body.triples if one.block == block)
                    self._drop_leaving(self.buffers[last], push.t)
            case Expiry.ALL:
                for buffer in self.buffers:
                    self._drop_leaving(buffer, push.t)
            case _:
                assert_never(self.stages.keeping)

    def _make_room(self, triple: StreamTriple, push: Push) -> None:
        """Drop what a pattern's buffer loses because the pattern matched."""
        buffer = self.buffers[triple.number]
        if self.stages.keeping is Expiry.ALL:
            self._drop(buffer, buffer.equal(push))
        elif self.stages.keeping is Expiry.OWN:
            self._drop_leaving(buffer, push.t)

    def _drop_leaving(self, buffer: CqelsBuffer, now: float) -> None:
        own = self.stages.keeping is Expiry.OWN
        self._drop(buffer, buffer.leaving(now, self._counts, own=own, slides=self.stages.slides))

    def _drop(self, buffer: CqelsBuffer, entries: list[BufferedTriple]) -> None:
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


def _filters(body: CqelsBody, stages: CqelsStages) -> list[CqelsFilter]:
    """Return the FILTERs that are applied; to one inside STREAM other variables are unbound."""
    if stages.registered:
        return [one for one in body.filters if one.block is None]
    return [one if one.block is None else _inside(one, body) for one in body.filters]


def _inside(condition: CqelsFilter, body: CqelsBody) -> CqelsFilter:
    own = (one.variables for one in body.triples if one.block == condition.block)
    tests = (test.variable for test in condition.exists)
    known = frozenset[Variable]().union(*own).union(tests)
    return replace(condition, expression=unbind(condition.expression, known))
