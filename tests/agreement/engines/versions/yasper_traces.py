"""Small RSP-QL queries and traces in short, and the specifications computed from them with rdflib."""

import math
from collections import Counter
from dataclasses import dataclass

from rdflib import Dataset, Graph, URIRef

from agreement.documents.recordings import Push, Report
from solver.facts import Static
from solver.rdf import text_of_rdflib

NOTHING = Static(frozenset(), {})
OBJECT = "<http://e/o>"


def node(name):
    return f"<http://e/{name}>"


def pushes(text):
    """Read `500 a, 600 b T`: time, subject, and the stream where it is not S, which has p; T has q."""
    found = []
    for part in text.split(","):
        t, subject, stream = [*part.split(), "S"][:3]
        predicate = {"S": "p", "T": "q"}[stream]
        found.append(Push(int(t), node(stream), (node(subject), node(predicate), OBJECT)))
    return found


def shown(recording):
    """Return time, trigger and rows of each report, each row as the names of its subjects."""
    return [
        (report.t, report.trigger, sorted("".join(name[10:-1] for name in row) for row in report.rows))
        for report in recording.reports
    ]


@dataclass(frozen=True)
class Window:
    """A window of the computation: S or T, its length and step."""

    stream: str
    width: int
    step: int

    def closes_at(self, c):
        return c % self.step == 0

    def active(self, elements, c):
        """Return (o, c] of the window that closes first at or after c."""
        opening = math.ceil(c / self.step) * self.step - self.width
        return [push for push in elements if push.stream == node(self.stream) and opening < push.t <= c]

    def closed(self, elements, t):
        """Return [t - width, t]."""
        return [one for one in elements if one.stream == node(self.stream) and t - self.width <= one.t <= t]


def computed(windows, contents, select, static=()):
    """Return the rows of a SPARQL query with a graph :w0, :w1, .. for each window's content."""
    dataset = Dataset()
    graph = dataset.default_graph
    graph.parse(data="\n".join(f"{' '.join(triple)} ." for triple in static), format="nt")
    for number, content in enumerate(contents):
        named = dataset.graph(URIRef(f"http://e/w{number}"))
        lines = Graph().parse(data="\n".join(f"{' '.join(one.triple)} ." for one in content), format="nt")
        for triple in lines:
            named.add(triple)
    return Counter(tuple(map(text_of_rdflib, row)) for row in dataset.query(select))


def at_closes(windows, elements, select):
    """Yield close, trigger and answer of each close at which a window shows something."""
    last = elements[-1].t
    for c in range(last):
        closing = [window for window in windows if window.closes_at(c)]
        if any(window.active(elements, c) for window in closing):
            trigger = next(n for n, push in enumerate(elements) if push.t > c)
            contents = [window.active(elements, c) for window in windows]
            yield c, trigger, computed(windows, contents, select)


def at_arrivals(windows, elements, select):
    """Yield time, number and answer of each arrival."""
    for n, push in enumerate(elements):
        contents = [window.closed(elements[: n + 1], push.t) for window in windows]
        yield push.t, n, computed(windows, contents, select)


def streamed(evaluations, operator, *, silent):
    """Return the reports of evaluations as time, trigger and bag."""
    before, found = Counter(), []
    for t, trigger, answer in evaluations:
        new = {"RSTREAM": answer, "ISTREAM": answer - before, "DSTREAM": before - answer}[operator]
        before = answer
        if new or not silent:
            found.append((t, trigger, new))
    return found


def as_bags(reports):
    """Return reports as time, trigger and bag."""
    assert all(isinstance(report, Report) for report in reports)
    return [(report.t, report.trigger, Counter(report.rows)) for report in reports]


def random_trace(random, *, step, last):
    """Return a random trace of two streams in order, with equal instants and gaps."""
    t, parts = random.randrange(3) * step, []
    while t <= last:
        parts.append(f"{t} {random.choice('abc')} {random.choice('ST')}")
        t += random.choice((0, 1, 1, 2, 2, 3, 9)) * step
    return pushes(", ".join(parts))
