"""Random queries (V, P, D, S), static data and streams over a small vocabulary.

Streams s1 and s2 carry the properties p1, q1 and p2, q2; static data has p0, q0 and n. Constants
are shared, so joins succeed. `Drawn` is a query with what to ask it of.
"""

from dataclasses import dataclass, field
from typing import get_args

from hypothesis import assume
from hypothesis import strategies as st

from lars.durations import Duration
from lars.language.formulas import Call
from lars.language.terms import DEFAULT, XSD, Iri, Literal, Variable
from lars.language.windows import Bounds, Interval
from solver.facts import Fact, Situation
from translate.analysis import cq, nullable
from translate.analysis.model_queries import basic_patterns
from translate.errors import ModelError
from translate.model.patterns import (
    EMPTY,
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    StreamBlock,
    TriplePattern,
    Union,
    variables,
)
from translate.model.query import Dataset, Profile, Query, Setting
from translate.model.windows import Now, Range, Rows, Unbounded

SECOND = Duration(10**9)
NAMES = tuple(map(Variable, ("x", "y", "z", "n")))
TERMS = tuple(Iri(f"urn:{name}") for name in "ab")
NUMBERS = tuple(Literal(text, XSD + "integer") for text in ("1", "2"))
S1, S2 = STREAMS = Iri("urn:s1"), Iri("urn:s2")
GRAPHS = (Iri("urn:g1"), Iri("urn:g2"))
OWN = {
    DEFAULT: (Iri("urn:p0"), Iri("urn:q0")),
    S1: (Iri("urn:p1"), Iri("urn:q1")),
    S2: (Iri("urn:p2"), Iri("urn:q2")),
}
PROPERTIES = tuple(p for own in OWN.values() for p in own)


@dataclass(frozen=True)
class Drawn:
    """A query and the data of one evaluation; the windows of a stream are the same everywhere."""

    query: Query
    setting: Setting
    timeline: Interval
    facts: tuple[Fact, ...]
    background: dict = field(hash=False)

    @property
    def situation(self):
        return Situation(self.timeline, self.facts, self.background)

    def __str__(self):
        arrivals = "\n".join(f"  {f.t}: {' '.join(f.arguments)}" for f in self.facts)
        parts = "\n".join(map(str, self.query.streams))
        return (
            f"{self.query.pattern}\nV = {self.query.result}\n{parts}\n{self.setting}\n{self.timeline}\n"
            f"{arrivals}\nB = {self.background}"
        )


def owner(triple):
    """Return the stream whose property the triple pattern has, or the default graph."""
    return next((source for source, own in OWN.items() if triple.predicate in own), DEFAULT)


def mostly(usual, other, share=3):
    """Return `usual` share times as often as `other`; one_of would drop what it is given twice."""
    flags = st.sampled_from((True,) * share + (False,))
    return flags.flatmap(lambda flag: usual if flag else other)


def window_expressions(most=5):
    """Window expressions of the query languages, in seconds; [RANGE L] is the most frequent."""
    length = st.integers(0, most).map(lambda n: Duration(n * 10**9))
    slide = st.integers(1, 3).map(lambda n: Duration(n * 10**9))
    plain = st.builds(Range, length)
    others = (st.builds(Range, length, slide), st.builds(Rows, st.integers(1, 3)), st.just(Now()))
    return mostly(plain, st.one_of(*others, st.just(Unbounded())), 1)


def triple_patterns(properties):
    node = mostly(st.sampled_from(NAMES), st.sampled_from(TERMS), 7)
    end = mostly(node, st.sampled_from(NUMBERS), 9)
    return st.builds(TriplePattern, node, st.sampled_from(properties), end)


def bgps(properties=PROPERTIES):
    triples = triple_patterns(properties)
    one, several = st.lists(triples, min_size=1, max_size=1), st.lists(triples, max_size=3, unique=True)
    found = mostly(one, several, 1)
    return mostly(found.map(lambda triples: Bgp(tuple(triples))), st.just(EMPTY), 19)


def conditions():
    """Conditions that hold, fail and err, on bound and unbound variables."""
    name = st.sampled_from(NAMES)
    term = st.one_of(name, name, st.sampled_from((*TERMS, *NUMBERS)))
    relation = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
    atomic = st.one_of(
        st.builds(lambda r, one, other: Call(r, (one, other)), relation, name, term),
        st.builds(lambda v: Call("BOUND", (v,)), name),
    )
    return st.one_of(
        atomic,
        atomic.map(lambda inner: Call("!", (inner,))),
        st.builds(lambda how, a, b: Call(how, (a, b)), st.sampled_from(("&&", "||")), atomic, atomic),
    )


@st.composite
def patterns(draw, *, depth=2, nested=True, monotone=False, named=True, properties=PROPERTIES):  # noqa: PLR0913
    """Graph patterns; without `nested` the right sides are flat, without `named` there is no GRAPH."""
    same = {"monotone": monotone, "properties": properties}
    kinds = ["join", "union", "filter", "bind"] + ([] if monotone else ["optional", "optional", "minus"])
    kind = draw(st.sampled_from(["basic", *kinds, *(["graph"] if named else [])])) if depth else "basic"
    if kind == "basic":
        return draw(bgps(properties))
    left = draw(patterns(depth=depth - 1, nested=nested, named=named and kind != "graph", **same))
    match kind:
        case "filter":
            return Filter(left, draw(conditions()))
        case "bind":
            new = [name for name in NAMES if name not in variables(left)]
            value = Call("COALESCE", (draw(st.sampled_from(NAMES)), draw(st.sampled_from(NUMBERS))))
            return Extend(left, new[0], value) if new else left
        case "graph":
            inside = draw(patterns(depth=depth - 1, nested=nested, named=False, monotone=monotone,
                                   properties=OWN[DEFAULT]))  # fmt: skip
            return Graph(draw(st.sampled_from((*GRAPHS, Variable("g"), NAMES[0]))), inside)
    below = depth - 1 if nested else 0
    right = draw(patterns(depth=below, nested=nested, named=named and nested, **same))
    match kind:
        case "join":
            return Join(left, right)
        case "union":
            return Union(left, right)
        case "minus":
            return Minus(left, right)
        case _:
            return LeftJoin(left, right, draw(st.none() | conditions()))


@st.composite
def null_patterns(draw, properties=PROPERTIES):
    """Joins, OPTIONAL and MINUS over a variable that one side or both leave unbound at times."""
    one, other, third = (draw(bgps(properties)) for _ in range(3))
    nulls = draw(st.sampled_from((Union, LeftJoin)))(one, other)
    right = draw(st.sampled_from((third, Union(third, one), LeftJoin(third, other))))
    return draw(st.sampled_from((Join, LeftJoin, Minus)))(*draw(st.permutations((nulls, right))))


def streams_of(pattern, windows, *, single):
    """Return S: what has a stream's properties, by basic graph pattern or each triple pattern alone."""
    found = {}
    for bgp in basic_patterns(pattern):
        for stream in STREAMS:
            own = tuple(triple for triple in bgp.triples if owner(triple) == stream)
            for part in [(triple,) for triple in own] if single else [own] if own else []:
                found[StreamBlock(stream, windows[stream], Bgp(part))] = None
    return tuple(found)


def is_split(query):
    """Whether cq(Q) is defined."""
    try:
        return bool(cq(query))
    except ModelError:
        return False


@st.composite
def queries(draw, pattern=None, window=None, most_streams=4):
    """Queries Q = (V, P, D, S) for which cq(Q) is defined; each stream is read through one window."""
    found = draw(patterns() if pattern is None else pattern)
    windows = {stream: draw(window_expressions() if window is None else window) for stream in STREAMS}
    names = tuple(sorted(variables(found)))
    keep = draw(mostly(st.just(names), st.lists(st.sampled_from(NAMES), unique=True)))
    read = [streams_of(found, windows, single=single) for single in (False, True)]
    possible = [Query("SELECT", tuple(keep), found, Dataset(), parts) for parts in read]
    query = next(filter(is_split, possible))
    assume(len(query.streams) <= most_streams)
    return query


def rows(properties):
    end = st.sampled_from((*TERMS, *TERMS, *NUMBERS))
    return st.tuples(st.sampled_from(TERMS), st.sampled_from(properties), end).map(
        lambda row: tuple(map(str, row))
    )


@st.composite
def arrivals(draw, timeline, *, exclusive=True, most=14, last=None):
    """Facts in arrival order: ascending in time; with `exclusive` each stream has its own properties."""
    found = []
    times = st.integers(timeline.first, timeline.last if last is None else last)
    for t in sorted(draw(st.lists(times, min_size=min(6, most), max_size=most))):
        stream = draw(st.sampled_from(STREAMS))
        row = draw(rows(OWN[stream] if exclusive else PROPERTIES))
        found.append(Fact(t, "striple", (*row, str(stream))))
    return tuple(found)


@st.composite
def backgrounds(draw, *, exclusive=True):
    """Static triples of the default graph and of g1, g2."""
    properties = OWN[DEFAULT] if exclusive else PROPERTIES
    default = draw(st.lists(rows(properties), max_size=8, unique=True))
    named = draw(st.lists(st.tuples(rows(OWN[DEFAULT]), st.sampled_from(GRAPHS)), max_size=3, unique=True))
    triples = [(*row, str(DEFAULT)) for row in default] + [(*row, str(graph)) for row, graph in named]
    return {("triple", 4): triples, ("named", 1): [(str(graph),) for graph in GRAPHS]}


timelines = st.builds(
    lambda first, length: Interval(first, first + length - 1),
    st.one_of(st.just(0), st.integers(1, 5)),
    st.integers(6, 12),
)


@st.composite
def drawn(draw, query=None, *, profile=None, bounds=None, exclusive=True):
    """A query with a setting, a timeline, a stream and static data."""
    timeline = draw(timelines)
    setting = Setting(
        draw(st.sampled_from(get_args(Profile))) if profile is None else profile,
        SECOND,
        draw(st.sampled_from(get_args(Bounds)) if bounds is None else bounds),
    )
    return Drawn(
        draw(queries() if query is None else query),
        setting,
        timeline,
        draw(arrivals(timeline, exclusive=exclusive)),
        draw(backgrounds(exclusive=exclusive)),
    )


def is_null_free(pattern):
    """Whether no solution of any part of the pattern leaves a variable unbound."""
    return all(not nullable(part) for part in parts(pattern))


def parts(pattern):
    """Yield the pattern and every pattern in it."""
    yield pattern
    match pattern:
        case Join(left, right) | Union(left, right) | Minus(left, right) | LeftJoin(left, right, _):
            yield from parts(left)
            yield from parts(right)
        case Filter(inner, _) | Graph(_, inner) | Extend(inner, _, _):
            yield from parts(inner)
