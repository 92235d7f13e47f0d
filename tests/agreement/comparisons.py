"""Small comparisons: written ones, and random ones in a form that both implementations understand."""

from dataclasses import replace
from typing import NamedTuple, get_args

from hypothesis import strategies as some
from rdflib import Graph, URIRef

from agreement.comparing.agree.agreeing import Pair, compare_pairs
from agreement.documents.traces import LocalTrace, background
from lars.language.windows import Bounds, Interval
from solver.columns import trace_columns
from solver.facts import Fact, Static
from tests.agreement import reference
from translate.dialects import read_query
from translate.model.query import Dataset, Setting

E = "http://example.org/"


def names(text):
    return tuple(f"<{E}{name}>" for name in text.split())


def expand(text):
    return f"PREFIX : <{E}> {text}"


class Found(NamedTuple):
    """A difference in short: the period's end, the side, the row's terms, the cause, the support."""

    end: int
    side: str
    row: tuple
    cause: str
    support: tuple


def report(  # noqa: PLR0913
    queries, facts, *, period, last, static, bounds="closed", trigger="any", graphs=()
):
    """Return the report of a C-SPARQL and a CQELS text on stream facts, static triples and named graphs."""
    csparql, cqels = (read_query(expand(text), "q.rq") for text in queries)
    named = {names(graph)[0]: frozenset(map(names, triples)) for graph, triples in graphs}
    known = background(Static(frozenset(map(names, static)), named), Dataset(), lambda _: None)
    trace = LocalTrace(trace_columns(list(facts)), Interval(0, last), known)
    setting = replace(Setting(), bounds=bounds, trigger=trigger)
    return compare_pairs([Pair(csparql, cqels)], [period], trace, setting).first


def explained(variant):
    return [
        Found(interval.end, one.side, one.row, one.cause, *variant.supports([one]))
        for verdict in variant.verdicts
        for interval in verdict.intervals
        for one in variant.differences(interval)
    ]


def facts_of(lines, stream_of):
    return [Fact(int(t), "striple", (*names(f"{s} {p} {o}"), *names(stream_of(p)))) for t, s, p, o in lines]


class Spec(NamedTuple):
    """A random comparison: ?x :p ?y from r, an operator, ?x :q ?z from r, c or the static data."""

    operator: str
    second: str
    cautious: bool
    windows: tuple
    bounds: Bounds
    static: frozenset
    arrivals: tuple
    period: int


NODES = some.sampled_from("ab")
WINDOWS = some.one_of(
    some.builds(
        lambda n, d: (f"RANGE {n}s SLIDE {d}s", n, d, None), some.integers(1, 4), some.integers(1, 3)
    ),
    some.integers(1, 2).map(lambda n: (f"ROWS {n}", None, 1, n)),
    some.just(("NOW", 0, 1, None)),
)
TRIPLES = some.tuples(NODES, some.sampled_from("pqz"), NODES)
SPECS = some.builds(
    Spec,
    some.sampled_from(["none", ".", "OPTIONAL", "MINUS"]),
    some.sampled_from(["r", "c", "static"]),
    some.booleans(),
    some.tuples(WINDOWS, WINDOWS),
    some.sampled_from(get_args(Bounds)),
    some.frozensets(TRIPLES.map(" ".join), max_size=2),
    some.lists(some.tuples(some.integers(0, 9), TRIPLES), min_size=1, max_size=6).map(
        lambda found: tuple(sorted(found, key=lambda each: each[0]))
    ),
    some.integers(1, 4),
)
LAST = 10


def parts(spec, name_of):
    """Return the pattern, each part written by `name_of(stream, g)`."""
    first = name_of("r", "?x :p ?y")
    if spec.operator == "none":
        return first
    second = "?x :q ?z" if spec.second == "static" else name_of(spec.second, "?x :q ?z")
    return f"{first} . {second}" if spec.operator == "." else f"{first} {spec.operator} {{ {second} }}"


def joined(pattern):
    return pattern.replace("} . ", "} ")


def both_texts(spec):
    windows = {stream: window[0] for stream, window in zip("rc", spec.windows, strict=True)}
    froms = " ".join(f"FROM STREAM :{s} [{w.replace('SLIDE', 'STEP')}]" for s, w in windows.items())

    def block(stream, pattern):
        inside = f"{{ STREAM :{stream} [{windows[stream]}] {{ {pattern} }} }}"
        return f"{{ {inside} UNION {{ {pattern} }} }}" if spec.cautious else inside

    merged = parts(spec, lambda _, pattern: pattern)
    return (
        f"SELECT ?x ?y {froms} WHERE {{ {merged} }}",
        f"SELECT ?x ?y WHERE {{ {joined(parts(spec, block))} }}",
    )


def scenarios(spec, arrivals=None):
    """Return the same comparison for the second implementation: push and pull."""

    def block(stream, pattern):
        inside = f"{{ GRAPH <urn:w:{stream}> {{ {pattern} }} }}"
        return f"{{ {inside} UNION {{ {pattern} }} }}" if spec.cautious else inside

    windows = {
        f"urn:w:{stream}": reference.Window(f"{E}{stream}", past, step, spec.bounds, rows)
        for stream, (_, past, step, rows) in zip("rc", spec.windows, strict=True)
    }
    static = Graph()
    for triple in spec.static:
        static.add(tuple(URIRef(E + name) for name in triple.split()))
    given = arrivals_of(spec) if arrivals is None else arrivals
    shared = {
        "windows": windows,
        "arrivals": given,
        "timeline": reference.Timeline(0, LAST),
        "static": static,
    }
    pushed = expand(f"SELECT ?x ?y WHERE {{ {joined(parts(spec, block))} }}")
    pulled = expand(f"SELECT ?x ?y WHERE {{ {parts(spec, lambda _, pattern: pattern)} }}")
    return (
        reference.Scenario(pushed, merged=False, **shared),
        reference.Scenario(pulled, merged=True, **shared),
    )


def stream_of(spec, predicate):
    return "c" if predicate == "q" and spec.second == "c" else "r"


def arrivals_of(spec):
    return [
        reference.Arrival(t, E + stream_of(spec, p), *(URIRef(E + name) for name in (s, p, o)))
        for t, (s, p, o) in spec.arrivals
    ]


def variant_of(spec):
    facts = facts_of(((t, *triple) for t, triple in spec.arrivals), lambda p: stream_of(spec, p))
    return report(
        both_texts(spec), facts, period=spec.period, last=LAST, static=spec.static, bounds=spec.bounds
    )


def text_rows(rows):
    return frozenset(tuple(None if term is None else f"<{term}>" for term in row) for row in rows)


def where_from(found, spec, variant):
    """Return the time at which the side that has the row was asked for its support."""
    if found.side == "pull":
        return found.end
    pushed = variant.answers.push.by_time()
    return max(
        t for t, rows in pushed.items() if found.end - spec.period < t <= found.end and found.row in rows
    )
