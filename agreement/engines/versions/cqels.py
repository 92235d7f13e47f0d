"""A simulation of CQELS: version 1.x with the rules Q1 to Q6, and the recordings of 2011 to 2013.

CqelsMachine implements Q1 to Q4 with the buffers and joins of `cqels_joins.py`: a pushed triple enters the
buffer of each matching pattern, and is joined from each buffer. Q5 and Q6 (`cqels_reports.py`) determine the
rows that are reported after a triple has been joined. In the specification, the whole query is evaluated at
each arriving triple over the windows [now - L, now], without SLIDE. The rows that are new since the previous
arrival are reported (ISTREAM).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final, Literal, assert_never

from agreement.documents.recordings import Push, Recording
from agreement.engines.engine import Engine, EngineRule, Off, columns
from agreement.engines.versions import cqels_text
from agreement.engines.versions.cqels_joins import (
    BufferedTriple,
    CqelsBuffer,
    JoinedMapping,
    JoinPlan,
    StaticData,
    TextSolution,
    follow,
    join_steps,
    match_triple,
)
from agreement.engines.versions.cqels_reports import CqelsReports, head_of
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Variable
from solver.facts import Static, Triple
from translate.model.query import EngineQuery
from translate.tau import unbind

Expiry = Literal["own", "last", "all"]
"""The patterns from whose buffers old triples are removed when a triple arrives.

`own`: the matching pattern (Q1). `last`: the last matching pattern of each block (2011a). `all`: all
patterns, so that at each time each window has the content of the specification, with each triple once.
"""


@dataclass(slots=True)
class LiveJoins:
    """The joined mappings whose triples are all in the buffers, in order of creation.

    `changed` and `removed` contain the changes since the last call of `settle`.
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
        """Remove the mappings that contain one of these entries."""
        for entry in entries:
            for mapping in self._by_entry.pop(entry, ()):
                if mapping in self.now:
                    del self.now[mapping]
                    self.changed = True
                    self.removed.append(mapping)

    def settle(self) -> None:
        """Clear the lists of changed and removed mappings."""
        self.changed = False
        self.removed.clear()


@dataclass(slots=True)
class CqelsMachine:
    """The state of a query in CQELS; `live` contains the current joined mappings, if they are required.

    Deviations of the engine, unless they are `off`: FILTERs in STREAM are ignored, static elements have no
    duplicates (Q1); matching patterns are processed one after the other in the order of the engine (Q2);
    expiry follows SLIDE (Q3); joins use only shared variables (Q4). Each joined mapping gives a row
    immediately, without DISTINCT, ORDER BY, LIMIT and ISTREAM on the whole answer (Q5). Aggregates are
    computed from the groups that plan 1 finds for a joined mapping, and not from all mappings (Q6).
    """

    body: cqels_text.CqelsBody
    keeping: Expiry
    off: Off
    data: StaticData
    elsewhere: frozenset[Variable]
    live: LiveJoins | None = None
    buffers: list[CqelsBuffer] = field(init=False)
    plans: list[JoinPlan] = field(init=False)
    _order: list[cqels_text.StreamTriple] = field(init=False)
    _counts: Counter[str] = field(default_factory=Counter)
    _now: float = 0.0
    _positions: dict[tuple[str, Triple], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        triples = self.body.triples
        filters = _filters(self.body, self.off)
        matched = (triple.variables for triple in triples)
        tested = (cqels_filter.variables for cqels_filter in filters)
        variables = self.elsewhere.union(*matched, *tested)
        kept = variables if "Q1" not in self.off else None
        statics = [self.data.element(pattern, kept) for pattern in self.body.statics]
        self.buffers = [CqelsBuffer(triple) for triple in triples]
        everything = "Q4" in self.off
        self.plans = [
            tuple(join_steps(triple, statics, self.buffers, filters, everything=everything))
            for triple in triples
        ]
        eager = "Q2" not in self.off
        self._order = sorted(triples, key=lambda triple: -len(triple.constants) if eager else triple.number)

    def batches(self, push: Push) -> Iterator[list[JoinedMapping]]:
        """Yield the joined mappings of a pushed triple, in one batch per pattern or in one batch in all."""
        self._count(push)
        both = ((triple, match_triple(triple, push)) for triple in self._order)
        matches = [(triple, binds) for triple, binds in both if binds is not None]
        self._expire(push, [triple for triple, _ in matches])
        if "Q2" not in self.off:
            for triple, binds in matches:
                self._make_room(triple, push)
                yield self._joined(triple, binds, push)
            return
        for triple, _ in matches:
            self._make_room(triple, push)
        yield [joined for triple, binds in matches for joined in self._joined(triple, binds, push)]

    def whole(self, number: int) -> list[JoinedMapping]:
        """Return the joined mappings of a pattern's plan for all triples in its buffer."""
        held = self.buffers[number].index.items
        return [mapping for entry in held for mapping in follow(self.plans[number], entry, self.data)]

    def _joined(
        self, triple: cqels_text.StreamTriple, binds: TextSolution, push: Push
    ) -> list[JoinedMapping]:
        position = self._positions[push.stream, push.triple]
        entry = BufferedTriple(push.t, push.stream, push.triple, position, binds)
        self.buffers[triple.number].put(entry)
        mappings = follow(self.plans[triple.number], entry, self.data)
        if self.live is not None:
            self.live.add(mappings)
        return mappings

    def _expire(self, push: Push, triples: list[cqels_text.StreamTriple]) -> None:
        """Drop triples that leave the buffers because of time, also if no pattern matches the push."""
        match self.keeping:
            case "own":
                pass
            case "last":
                for block in dict.fromkeys(triple.block for triple in triples):
                    last = max(triple.number for triple in self.body.triples if triple.block == block)
                    self._drop_leaving(self.buffers[last], push.t)
            case "all":
                for buffer in self.buffers:
                    self._drop_leaving(buffer, push.t)
            case _:
                assert_never(self.keeping)

    def _make_room(self, triple: cqels_text.StreamTriple, push: Push) -> None:
        """Drop triples that leave the buffer of a pattern because the pattern matches the push."""
        buffer = self.buffers[triple.number]
        if self.keeping == "all":
            self._drop(buffer, buffer.equal(push))
        elif self.keeping == "own":
            self._drop_leaving(buffer, push.t)

    def _drop_leaving(self, buffer: CqelsBuffer, now: float) -> None:
        own = self.keeping == "own"
        self._drop(buffer, buffer.leaving(now, self._counts, own=own, slides="Q3" not in self.off))

    def _drop(self, buffer: CqelsBuffer, entries: list[BufferedTriple]) -> None:
        buffer.take(entries)
        if self.live is not None:
            self.live.drop(entries)

    def _count(self, push: Push) -> None:
        """Count the triple in its stream; equal triples at one time are counted once."""
        if self._now != push.t:
            self._now = push.t
            self._positions.clear()
        if (push.stream, push.triple) not in self._positions:
            self._counts[push.stream] += 1
            self._positions[push.stream, push.triple] = self._counts[push.stream]


def _filters(body: cqels_text.CqelsBody, off: Off) -> list[cqels_text.CqelsFilter]:
    """Return the FILTERs that are applied.

    In a FILTER inside STREAM, variables of other elements are unbound.
    """
    if "Q1" not in off:
        return [cqels_filter for cqels_filter in body.filters if cqels_filter.block is None]
    return [part if part.block is None else _inside(part, body) for part in body.filters]


def _inside(condition: cqels_text.CqelsFilter, body: cqels_text.CqelsBody) -> cqels_text.CqelsFilter:
    own = (triple.variables for triple in body.triples if triple.block == condition.block)
    tests = (test.variable for test in condition.exists)
    known = frozenset[Variable]().union(*own).union(tests)
    return replace(condition, expression=unbind(condition.expression, known))


_RULES_1X: Final = (
    EngineRule(
        "Q1",
        "each triple pattern in STREAM has a buffer of its own, which only its own matches purge: what has "
        "expired still joins; FILTER in STREAM is ignored; static elements are evaluated once, DISTINCT",
    ),
    EngineRule(
        "Q2",
        "the patterns that a triple matches are gone through one after the other, more constants first",
    ),
    EngineRule(
        "Q3",
        "with SLIDE or TUMBLING a buffer is purged only once per slide; NOW keeps the last match; "
        "durations in h and d lose their last digit",
    ),
    EngineRule(
        "Q4",
        "what shares no variable is not joined: a cross product gives partial rows; a FILTER whose "
        "variables are never all bound is not applied",
    ),
    EngineRule("Q5", "one row for each joined mapping, at once; DISTINCT, ORDER BY and LIMIT are ignored"),
    EngineRule(
        "Q6",
        "aggregates are looked up for each joined mapping in the plan of the first stream pattern; "
        "of nothing they give one row",
    ),
)
_RULES_2011: Final = (
    EngineRule(
        "2011a",
        "the patterns of a STREAM block share one window, which purges the last pattern's buffer only: "
        "the others still see older triples",
    ),
    EngineRule(
        "2011b",
        "patterns that share no variable are never joined, and a FILTER spanning them is dropped",
    ),
    EngineRule(
        "2011c",
        "one evaluation per triple: a row for each mapping that it completes, and none when triples expire",
    ),
)


def _selecting(query: cqels_text.WrittenQuery, engine: str) -> cqels_text.WrittenQuery:
    if query.form != "SELECT":
        raise LarsError(
            f"{query.source}: cannot run {query.form}: the rules of {engine} are known only for "
            "SELECT; use SELECT"
        )
    return query


def _recorded_1x(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS 1.x, one report for each row.

    If the text of the query is available, FILTERs inside STREAM and durations are read like in the engine.
    Raises LarsError for a query that the engine cannot parse or register.
    """
    read = cqels_text.query_with_text(query) if "Q3" in off else cqels_text.as_parsed(query)
    keeping: Expiry = "all" if "Q1" in off else "own"
    return _recorded(keeping, off, _selecting(read, CQELS_1X.name), static, pushes)


CQELS_1X: Final = Engine("cqels-1.x", "cqels", _RULES_1X, _recorded_1x, timed=False)


def _recorded_2011(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS of 2011; raises LarsError unless SELECT has a triple pattern in STREAM."""
    keeping: Expiry = "all" if "2011a" in off else "last"
    like_1x = {"2011b": "Q4", "2011c": "Q5"}
    others = frozenset(("Q1", "Q2", "Q3", "Q6", *(like_1x[name] for name in off if name in like_1x)))
    read = _selecting(cqels_text.query_with_text(query), CQELS_2011.name)
    return _recorded(keeping, others, read, static, pushes)


CQELS_2011: Final = Engine("cqels-2011", "cqels", _RULES_2011, _recorded_2011, timed=False)
"""The engine of the recordings functional-testing-2013 and csrbench-2013."""


def _recorded(
    keeping: Expiry, off: Off, query: cqels_text.WrittenQuery, static: Static, pushes: Sequence[Push]
) -> Recording:
    """Return the reports of a query that is read like by the engine's parser, with the rules in `off` off.

    Raises LarsError unless the query is a SELECT query with a triple pattern in STREAM. Elements of STREAM
    that the engine neither evaluates nor ignores are also errors.
    """
    body = cqels_text.read_body(query.text, query.source, query.base)
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; expected at least one triple pattern"
        raise LarsError(f"{query.source}: {problem}")
    if body.errors and "Q1" in off:
        raise body.errors[0]
    head = head_of(query)
    data = StaticData(static, query.dataset)
    live = LiveJoins() if ("Q5" if head.group is None else "Q6") in off else None
    machine = CqelsMachine(body, keeping, off, data, head.variables, live)
    return Recording(columns(query), tuple(CqelsReports(machine, head).of(pushes)))
