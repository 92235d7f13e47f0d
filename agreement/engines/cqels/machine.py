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

    def add(self, mappings: Iterable[JoinedMapping]) -> None:
        """Add mappings."""
        for mapping in mappings:
            self.now[mapping] = None
            self.changed = True
            for entry in set(mapping.entries):
                self._by_entry.setdefault(entry, []).append(mapping)

    def drop(self, entries: Iterable[BufferedTriple]) -> None:
        """Remove the mappings that are made of an entry."""
        for entry in entries:
            for mapping in self._by_entry.pop(entry, ()):
                if mapping in self.now:
                    del self.now[mapping]
                    self.changed = True
                    self.removed.append(mapping)

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
        matched_in = (triple.variables for triple in triples)
        variables = self.elsewhere.union(*matched_in).union(
            *(cqels_filter.variables for cqels_filter in filters)
        )
        kept = variables if self.stages.registered else None
        statics = [self.data.element(pattern, kept) for pattern in self.body.statics]
        self.buffers = [CqelsBuffer(triple) for triple in triples]
        elements = JoinElements(statics, self.buffers, filters, everything=not self.stages.planned)
        self.plans = [elements.plan(triple) for triple in triples]
        eager = self.stages.one_by_one
        self._order = sorted(triples, key=lambda triple: -len(triple.constants) if eager else triple.number)

    def batches(self, push: Push) -> Iterator[list[JoinedMapping]]:
        """Yield the joined mappings of a pushed triple, of each pattern or (not one by one) of all."""
        self._count(push)
        matches = [
            (stream_triple, binds)
            for stream_triple in self._order
            if (binds := match_triple(stream_triple, push)) is not None
        ]
        self._expire(push, [stream_triple for stream_triple, _ in matches])
        if self.stages.one_by_one:
            for triple, binds in matches:
                self._make_room(triple, push)
                yield self._joined(triple, binds, push)
            return
        for triple, _ in matches:
            self._make_room(triple, push)
        yield [
            joined for stream_triple, binds in matches for joined in self._joined(stream_triple, binds, push)
        ]

    def whole(self, number: int) -> list[JoinedMapping]:
        """Return what the plan of a pattern joins to everything that is in its buffer."""
        held = self.buffers[number].index.items
        return [mapping for entry in held for mapping in follow(self.plans[number], entry, self.data)]

    def _joined(self, triple: StreamTriple, binds: TextSolution, push: Push) -> list[JoinedMapping]:
        position = self._positions[push.stream, push.triple]
        entry = BufferedTriple(push.t, push.stream, push.triple, position, binds)
        self.buffers[triple.number].put(entry)
        mappings = follow(self.plans[triple.number], entry, self.data)
        if self.live is not None:
            self.live.add(mappings)
        return mappings

    def _expire(self, push: Push, triples: list[StreamTriple]) -> None:
        """Drop what leaves the buffers because time goes on, whatever the patterns matched."""
        match self.stages.keeping:
            case Expiry.OWN:
                pass
            case Expiry.LAST:
                for block in dict.fromkeys(triple.block for triple in triples):
                    last = max(triple.number for triple in self.body.triples if triple.block == block)
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
        return [cqels_filter for cqels_filter in body.filters if cqels_filter.block is None]
    return [
        cqels_filter if cqels_filter.block is None else _inside(cqels_filter, body)
        for cqels_filter in body.filters
    ]


def _inside(condition: CqelsFilter, body: CqelsBody) -> CqelsFilter:
    own = (triple.variables for triple in body.triples if triple.block == condition.block)
    tests = (test.variable for test in condition.exists)
    known = frozenset[Variable]().union(*own).union(tests)
    return replace(condition, expression=unbind(condition.expression, known))
