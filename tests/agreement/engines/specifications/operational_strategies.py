"""Random runs in a form that both evaluations understand: the machine's run, and the program's task.

The same random numbers give the same case.
"""

from dataclasses import dataclass
from functools import cached_property
from random import Random

from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications import EngineRun, OpenChoice, Specification, Task, Version
from agreement.engines.specifications.elements import PushedTriple
from lars.durations import Duration, read_duration
from solver.facts import Static
from tests.agreement.engines.specifications import operational
from tests.agreement.engines.specifications.operational import Run, Window
from tests.agreement.engines.specifications.operational_moments import Arrival, Policy
from tests.agreement.engines.specifications.operational_queries import (
    GRAPH,
    STREAMS,
    Asked,
    Pool,
    meant,
    pool,
    query,
)
from tests.agreement.engines.specifications.operational_writing import written
from tests.sparql.engine import text_of
from tests.sparql.syntax import Dataset, E
from translate.dialects import read_query
from translate.model.windows import Now, Range, Rows

UNITS = ("1s", "1s", "500ms", "2s")
OPERATORS = ("RSTREAM", "ISTREAM", "DSTREAM")
USUAL = (("window-close",), ("window-close", "non-empty"), ("content-change",))
UNUSUAL = (
    ("non-empty",),
    ("periodic",),
    ("periodic", "non-empty"),
    ("content-change", "non-empty"),
    ("window-close", "content-change"),
    ("periodic", "content-change"),
    ("window-close", "periodic"),
    ("window-close", "periodic", "non-empty"),
    ("window-close", "content-change", "periodic", "non-empty"),
)


@dataclass(frozen=True)
class Case:
    """A run, its query as written, and what its text and specification say beside the run."""

    asked: Asked
    run: Run
    unit: str
    stated: str | None
    operator: str | None
    ignored: bool

    @cached_property
    def text(self) -> str:
        return written(self.asked, self.unit, self.stated)

    def __str__(self) -> str:
        run = self.run
        lines = [self.text, *map(str, run.windows), f"{run.policy} until {run.until}, unit {self.unit}"]
        lines += [f"{one.t} {one.stream} {' '.join(texts(one.triple))} {one.graph}" for one in run.arrivals]
        lines += [f"static {' '.join(texts(one))}" for one in run.static.default]
        lines += [f"{name} {list(map(texts, triples))}" for name, triples in run.static.named.items()]
        return "\n".join((*lines, *(f"static {list(map(texts, one[0]))} {one[1:]}" for one in run.versions)))

    def task(self) -> Task:
        """Return the run as the program's task."""
        elements = tuple(
            PushedTriple(one.t, f"<{one.stream}>", texts(one.triple), one.number, one.graph)
            for one in self.run.arrivals
        )
        versions = tuple(
            Version(frozenset(map(texts, one[0])), one.first, one.last, one.graph and text_of(one.graph))
            for one in self.run.versions
        )
        static = self.run.static
        named = {text_of(name): frozenset(map(texts, triples)) for name, triples in static.named.items()}
        unit = read_duration(self.unit)
        known = Static(frozenset(map(texts, static.default)), named)
        return Task(
            EngineRun(read_query(self.text, "query"), known, (), unit), elements, self.run.until, versions
        )

    def specification(self, places: list[int]) -> Specification:
        """Return the specification; `places` are the numbers of the windows in the program's order."""
        policy = self.run.policy
        period = f"{policy.period * read_duration(self.unit).nanoseconds // 10**6}ms"
        listed = [sorted(window.strategies) for window in self.run.windows]
        streams = [window.stream for window in self.run.windows]
        if len(set(streams)) == len(streams) and len(streams) > 1 and policy.period % 2:
            single = dict(zip(streams, listed, strict=True))
        else:
            single = {str(place + 1): listed[window] for place, window in enumerate(places) if window}
        return Specification(
            name="random", report=listed[0], windows=single, combination=policy.combination, period=period,
            tick=policy.tick, bounds=policy.bounds, slide="ignored" if self.ignored else "query",
            empty=policy.empty, rows=policy.rows, **({"stream": self.operator} if self.operator else {}),
        )  # fmt: skip

    def places(self, task: Task) -> list[int]:
        """Return which of the run's windows each of the program's is, in the program's order."""
        length = task.unit
        known = {(one.stream, one.kind, one.width, one.slide): n for n, one in enumerate(self.asked.windows)}
        return [known[described(one, length)] for one in sources(task.query)]

    def choice(self, places: list[int]) -> OpenChoice:
        starts = tuple(self.run.windows[place].start for place in places)
        return OpenChoice(starts, self.run.policy.bounds)


def described(source: WindowSource, unit: Duration) -> tuple[str, str, int, int]:
    """Return stream, kind, width and slide of a window that the program has read; no slide is 0."""
    match source.window:
        case Range(length, slide):
            return (
                source.stream.value,
                "time",
                length.points(unit),
                0 if slide is None else slide.points(unit),
            )
        case Rows(count):
            return source.stream.value, "rows", count, 1
        case Now():
            return source.stream.value, "now", 0, 1
        case _:
            return source.stream.value, "all", 0, 1


def texts(one):
    return tuple(map(text_of, one))


def case(rng: Random) -> Case:
    """Return a random case."""
    known = pool(rng)
    asked = query(rng, known)
    stated = rng.choice((None, *OPERATORS)) if asked.language in ("rspql", "sparqlstream") else None
    operator = rng.choice((None, None, *OPERATORS))
    ignored = rng.random() < 0.15
    windows = tuple(configured(rng, window, ignored=ignored) for window in asked.windows)
    if not any(window.strategies for window in windows):
        windows = (windows[0]._replace(strategies=frozenset(rng.choice(USUAL))), *windows[1:])
    policy = Policy(
        bounds=rng.choice(("low-open", "high-open", "closed")),
        tick=rng.choice(("triple", "instant", "graph")),
        combination=rng.choice(("any", "any", "any", "all")),
        period=rng.randint(1, 5),
        operator=stated or operator or "RSTREAM",
        empty=rng.choice(("reported", "silent")),
        rows="set" if rng.random() < 0.1 else "bag",
    )
    arrivals = trace(rng, known, [window.stream for window in windows])
    last = max((one.t for one in arrivals), default=0)
    until = rng.randint(last, last + 9) if rng.random() < 0.93 else rng.randint(0, last)
    static = {
        name: frozenset(rng.choice(known.static) for _ in range(rng.choice((0, 2, 4))))
        for name in (None, GRAPH)
    }
    graphs = Dataset(static[None], {GRAPH: static[GRAPH]})
    run = Run(meant(asked), windows, arrivals, policy, until, graphs, versions(rng, known))
    return Case(asked, run, rng.choice(UNITS), stated, operator, ignored)


def configured(rng: Random, window: Window, *, ignored: bool) -> Window:
    """Return a window with its t0 and strategies, some with none; its slide as it then is."""
    start = 0 if rng.random() < 0.4 else rng.randint(0, rng.choice((3, 3, 9)))
    listed = rng.choice(USUAL) if rng.random() < 0.6 else rng.choice((*UNUSUAL, ()))
    slide = 1 if ignored else window.slide or 1
    return window._replace(start=start, slide=slide, strategies=frozenset(listed))


def trace(rng: Random, known: Pool, read: list[str]) -> tuple[Arrival, ...]:
    """Return arrivals in bursts and with gaps, in the order of time; some are equal, some are graphs."""
    found: list[Arrival] = []
    t = rng.randint(0, 3)
    for graph in range(rng.choice((0, 3, 4, 5, 6, 7, 8, 9))):
        stream = rng.choice((*read, *read, *read, *STREAMS, E + "unread"))
        inside = graph if rng.random() < 0.5 else None
        for _ in range(rng.choice((1, 2, 3))):
            found.append(Arrival(t, stream, rng.choice(known.streamed), len(found), inside))
        t += rng.choice((0, 0, 0, 1, 1, 2, 3, 5))
    return tuple(found)


def versions(rng: Random, known: Pool) -> tuple[operational.Version, ...]:
    """Return static triples that come and go."""
    found = []
    for _ in range(rng.choice((0, 0, 1, 2))):
        first = rng.choice((None, rng.randint(0, 8)))
        last = rng.choice((None, (first or 0) + rng.randint(0, 6)))
        triples = frozenset(rng.choice(known.static) for _ in range(2))
        found.append(operational.Version(triples, first, last, rng.choice((None, None, None, GRAPH))))
    return tuple(found)
