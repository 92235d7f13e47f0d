"""A second implementation of push, pull and agreement, which shares no code with the program.

It is operational where the program is logical: at each time point it copies what the windows show
into RDF graphs and lets rdflib evaluate plain SPARQL over them. The steps, each usable alone:

- `contents(window, arrivals, at, timeline)`: the triples that a window shows at a time point;
- `Scenario`: arrivals, windows, static graph, SPARQL text, and how the graphs are put together;
- `answers(scenario, at)`: the rows at one time point;
- `push_times`, `pull_times`: when each side evaluates;
- `compare(pushed, pulled, period)`: what both report, per whole period inside the timeline.

C-SPARQL: `merged=True`, and the text matches everything in the default graph. CQELS: `merged=False`,
and `STREAM s [..] {g}` is written `GRAPH <name> {g}` with the window's name in `windows`.

What rdflib does is not touched: literals with a known datatype get their canonical text, and
SELECT * also names the variables that occur inside MINUS alone, so name the variables.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from rdflib import Dataset, Graph, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Node

Triple = tuple[Node, Node, Node]
Row = tuple[Node | None, ...]
Rows = frozenset[Row]


class Arrival(NamedTuple):
    """A triple of a stream at a time point; a list of them is in the order of arrival."""

    t: int
    stream: str
    s: Node
    p: Node
    o: Node


class Timeline(NamedTuple):
    """The time points from `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True)
class Window:
    """A window of one stream: by time, or the newest `rows` triples when `rows` is given.

    `past` None reaches back to the first time point, 0 is NOW. `bounds` is `closed` [p-l, p],
    `low-open` (p-l, p] or `high-open` [p-l, p) around the pivot p, the last multiple of `step`.
    With `ahead` (FUTURE), the upper end is that many time points later.
    """

    stream: str
    past: int | None = None
    step: int = 1
    bounds: str = "closed"
    rows: int | None = None
    ahead: int = 0

    def shows(self, t: int, at: int) -> bool:
        """Return whether an arrival at t lies in the time window evaluated at `at`."""
        pivot = at // self.step * self.step
        if self.past is None:
            return t <= pivot
        age = pivot - t
        if self.past == 0 or self.bounds == "closed":
            return -self.ahead <= age <= self.past
        if self.bounds == "low-open":
            return -self.ahead <= age < self.past
        if self.bounds == "open":
            return -self.ahead < age < self.past
        assert self.bounds == "high-open", self.bounds
        return -self.ahead < age <= self.past


@dataclass(frozen=True)
class Scenario:
    """What one engine evaluates. A window's name is the IRI by which the text's GRAPH refers to it.

    Without `merged` the windows are named graphs, so GRAPH with a variable would see them as well.
    """

    query: str
    windows: Mapping[str, Window]
    arrivals: Sequence[Arrival]
    timeline: Timeline
    merged: bool
    static: Graph = field(default_factory=Graph)
    named: Mapping[str, Graph] = field(default_factory=dict)


class Period(NamedTuple):
    """What both sides report on (after, until]: all that push reports, and the pull at `until`."""

    after: int
    until: int
    push: Rows
    pull: Rows

    @property
    def agree(self) -> bool:
        """Return whether the two sets of rows are equal."""
        return self.push == self.pull


def contents(window: Window, arrivals: Sequence[Arrival], at: int, timeline: Timeline) -> list[Triple]:
    """Return the triples that the window shows, oldest first; equal ones at one time count once."""
    first, last = timeline
    own = [one for one in arrivals if one.stream == window.stream and first <= one.t <= last]
    own = sorted(dict.fromkeys(own), key=lambda one: one.t)
    if window.rows is None:
        shown = [one for one in own if window.shows(one.t, at)]
    else:
        past = [one for one in own if one.t <= at]
        shown = past[max(0, len(past) - window.rows) :]
    return [(one.s, one.p, one.o) for one in shown]


@lru_cache(maxsize=64)
def _parsed(query: str) -> Query:
    return prepareQuery(query)


def evaluate(query: str, default: Graph, named: Mapping[str, Graph] | None = None) -> Rows:
    """Return the rows of a SELECT, its variables in lexicographic order, or {()} for a true ASK."""
    dataset = Dataset(default_union=False)
    for triple in default:
        dataset.add(triple)
    for name, graph in (named or {}).items():
        target = dataset.graph(URIRef(name))
        for triple in graph:
            target.add(triple)
    result = dataset.query(_parsed(query))
    if result.type == "ASK":
        return frozenset([()] if result.askAnswer else [])
    names = sorted(result.vars, key=str)
    return frozenset(tuple(row.get(name) for name in names) for row in result.bindings)


def answers(scenario: Scenario, at: int) -> Rows:
    """Return the rows at one time point, whether or not an engine evaluates there."""
    default, named = Graph(), dict(scenario.named)
    default += scenario.static
    for name, window in scenario.windows.items():
        shown = default if scenario.merged else named.setdefault(name, Graph())
        for triple in contents(window, scenario.arrivals, at, scenario.timeline):
            shown.add(triple)
    return evaluate(scenario.query, default, named)


def push_times(
    arrivals: Sequence[Arrival], timeline: Timeline, streams: Collection[str] | None = None
) -> list[int]:
    """Return the time points with input, of any stream or of the given ones only."""
    seen = {one.t for one in arrivals if streams is None or one.stream in streams}
    return [t for t in range(timeline.first, timeline.last + 1) if t in seen]


def pull_times(period: int, timeline: Timeline) -> list[int]:
    """Return the multiples of the period in the timeline, 0 among them."""
    return [t for t in range(timeline.first, timeline.last + 1) if t % period == 0]


def push(scenario: Scenario) -> dict[int, Rows]:
    """Return the rows at each time point with input; times without rows are kept."""
    return {t: answers(scenario, t) for t in push_times(scenario.arrivals, scenario.timeline)}


def pull(scenario: Scenario, period: int) -> dict[int, Rows]:
    """Return the rows at each multiple of the period; times without rows are kept."""
    return {t: answers(scenario, t) for t in pull_times(period, scenario.timeline)}


def compare(pushed: Scenario, pulled: Scenario, period: int) -> list[Period]:
    """Return every whole period inside the timeline; an empty list means that there is no verdict.

    The period (iU, (i+1)U] lies inside when its first time point iU + 1 and its last one do.
    """
    first, last = pulled.timeline
    outputs = push(pushed)
    found = []
    for until in pull_times(period, pulled.timeline):
        after = until - period
        if after >= 0 and first <= after + 1 and until <= last:
            reported = [rows for t, rows in outputs.items() if after < t <= until]
            found.append(Period(after, until, frozenset().union(*reported), answers(pulled, until)))
    return found


def agree(periods: Sequence[Period]) -> bool | None:
    """Return whether all periods agree; None when there is not a valid period to compare."""
    return all(one.agree for one in periods) if periods else None


def short(rows: Rows) -> set[tuple[str | None, ...]]:
    """Return the rows for reading: IRIs by their last part, literals by their text."""
    return {tuple(None if term is None else str(term).rsplit("/", 1)[-1] for term in row) for row in rows}
