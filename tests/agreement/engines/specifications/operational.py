"""RSP-QL's reference semantics a second time: a machine that lives through a trace moment by moment.

It shares no code with the program: windows are lists of arrivals, and the query is a syntax tree that
`tests.sparql.reference` evaluates over what they show. `operational_moments` says when.

Source: RSP-QL (2014), Definitions 12 to 24, the active window being the earliest opened one that is
still open; SECRET (2010) for ticks and report strategies. Times are time points.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.agreement.engines.specifications.operational_moments import Arrival, Moment, Policy, moments
from tests.sparql.reference import answer
from tests.sparql.syntax import Dataset, Iri, Query, Triple

Row = Any
"""A solution as a frozenset of (name, term), a triple of CONSTRUCT, or () for a true ASK."""


class Window(NamedTuple):
    """(α, β, t0) on a stream, or of another kind: `now`, `all`, or the newest `width` as `rows`.

    What it shows is the graph `name`, or part of the default graph when it has none.
    """

    stream: str
    kind: str
    width: int = 0
    slide: int = 1
    start: int = 0
    strategies: frozenset[str] = frozenset()
    name: Iri | None = None


class Version(NamedTuple):
    """Static triples at the time points from `first` to `last`, both included; None: no such end.

    They are part of the default graph, or of a named one.
    """

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: Iri | None = None

    def holds(self, t: int) -> bool:
        """Return whether the triples are there at a time point."""
        return (self.first is None or self.first <= t) and (self.last is None or t <= self.last)


@dataclass(frozen=True, slots=True)
class Run:
    """A query over windows of a trace, its static data, and the last time point evaluated at."""

    query: Query
    windows: tuple[Window, ...]
    arrivals: tuple[Arrival, ...]
    policy: Policy
    until: int
    static: Dataset = Dataset(frozenset())
    versions: tuple[Version, ...] = ()


class Answer(NamedTuple):
    """What one evaluation gives: `trigger` is the number of the last arrival of the tick that caused it.

    `sizes` are how many elements each window shows.
    """

    t: int
    rows: Counter[Row]
    reported: bool
    trigger: int | None
    sizes: tuple[int, ...]


class Machine:
    """The windows of a run at its moments."""

    def __init__(self, run: Run) -> None:
        """Keep what arrives in a stream of the query, and of equal elements at one time the first."""
        self.run, self.policy = run, run.policy
        heard = {window.stream for window in run.windows}
        self.arrivals = list(
            {
                (one.t, one.stream, one.triple): one for one in reversed(run.arrivals) if one.stream in heard
            }.values()
        )
        self.arrivals.sort(key=lambda one: (one.t, one.number))
        self._own: dict[tuple[str, int], list[Arrival]] = {}

    def early(self, moment: Moment) -> bool:
        """Return whether a moment is one before the arrivals of its instant."""
        return moment.clock and self.policy.bounds == "high-open"

    def opened(self, window: Window, moment: Moment) -> int:
        """Return when the active window opened: the earliest one that is still open."""
        still = moment.t if self.policy.bounds != "high-open" or moment.clock else moment.t + 1
        late = max(0, still - window.width - window.start)
        return window.start + -(-late // window.slide) * window.slide

    def shown(self, window: Window, moment: Moment) -> list[Arrival]:
        """Return what a window shows of the arrivals that have been seen."""
        key = window.stream, moment.seen
        if key not in self._own:
            self._own[key] = [one for one in self.arrivals[: moment.seen] if one.stream == window.stream]
        own = self._own[key]
        match window.kind:
            case "rows":
                return own[-window.width :]
            case "now":
                instant = moment.t - self.early(moment)
                return [one for one in own if one.t == instant >= window.start]
        opened = window.start if window.kind == "all" else self.opened(window, moment)
        opened += self.policy.bounds == "low-open"
        return [one for one in own if one.t >= opened]

    def closes(self, window: Window, moment: Moment) -> bool:
        """Return whether a window closes: with its last instant, with each arrival, or never."""
        match window.kind:
            case "rows":
                tick = self.arrivals[moment.before : moment.seen]
                return any(one.stream == window.stream for one in tick)
            case "all":
                return False
            case "now":
                return moment.clock and moment.t >= window.start
        since = moment.t - window.width - window.start
        return moment.clock and since >= 0 and since % window.slide == 0

    def changed(self, window: Window, moment: Moment, *, clock: bool) -> bool:
        """Return whether something arrived that the window shows: in this tick, or the last instant."""
        last = moment.t - self.early(moment)
        tick = self.arrivals[moment.before : moment.seen]
        return any(one.t == last if clock else one in tick for one in self.shown(window, moment))

    def reports(self, window: Window, moment: Moment) -> bool:
        """Return whether all strategies of a window are satisfied."""
        closing, periodic = "window-close" in window.strategies, "periodic" in window.strategies
        if periodic and moment.t % self.policy.period != 0:
            return False
        if periodic and not closing and not (moment.clock and moment.t > window.start):
            return False
        if closing and not self.closes(window, moment):
            return False
        clock = not self.driven(window)
        if not clock and moment.before == moment.seen:
            return False
        if "content-change" in window.strategies and not self.changed(window, moment, clock=clock):
            return False
        return "non-empty" not in window.strategies or bool(self.shown(window, moment))

    def dataset(self, moment: Moment) -> Dataset:
        """Return the static data of a moment with what the windows show."""
        default, named = set(self.run.static.default), dict(self.run.static.named)
        for one in self.run.versions:
            if one.holds(moment.t) and one.graph is None:
                default |= one.triples
            elif one.holds(moment.t):
                named[one.graph] = named.get(one.graph, frozenset()) | one.triples
        for window in self.run.windows:
            triples = {one.triple for one in self.shown(window, moment)}
            if window.name is None:
                default |= triples
            else:
                named[window.name] = frozenset(triples)
        return Dataset(frozenset(default), named)

    def evaluated(self) -> Iterator[tuple[Moment, bool]]:
        """Yield the moments of evaluation, and whether an arrival causes it."""
        asked = [window for window in self.run.windows if window.strategies]
        combined = any if self.policy.combination == "any" else all
        for moment in moments(self.arrivals, self.policy, self.run.until):
            reporting = [window for window in asked if self.reports(window, moment)]
            if asked and combined(window in reporting for window in asked):
                yield moment, any(self.driven(window) for window in reporting)

    def driven(self, window: Window) -> bool:
        """Return whether it is arrivals that make a window report, not the clock."""
        closing = "window-close" in window.strategies
        return window.kind == "rows" if closing else "periodic" not in window.strategies


def rows(query: Query, dataset: Dataset) -> Counter[Row]:
    """Return the answer as a bag; that of a CONSTRUCT is the triples of its graph."""
    found = answer(query, dataset)
    match query.form:
        case "ASK":
            return Counter([()] if found else [])
        case "CONSTRUCT":
            return Counter(found)
        case _:
            return Counter(frozenset(row.items()) for row in found.rows)


def streamed(operator: str, new: Counter[Row], old: Counter[Row]) -> Counter[Row]:
    """Return what RSTREAM, ISTREAM or DSTREAM says of an answer and the one before it."""
    if operator == "RSTREAM":
        return new
    return {"ISTREAM": new - old, "DSTREAM": old - new}[operator]


def run(case: Run, kind: type[Machine] = Machine) -> list[Answer]:
    """Return the evaluations of a run in their order, silent ones too."""
    machine, policy = kind(case), case.policy
    old: Counter[Row] = Counter()
    found = []
    for moment, arriving in machine.evaluated():
        new = rows(case.query, machine.dataset(moment))
        if policy.rows == "set":
            new = Counter(new.keys())
        said = streamed(policy.operator, new, old)
        trigger = machine.arrivals[moment.seen - 1].number if arriving else None
        sizes = tuple(len(machine.shown(window, moment)) for window in case.windows)
        found.append(Answer(moment.t, said, bool(said) or policy.empty == "reported", trigger, sizes))
        old = new
    return found
