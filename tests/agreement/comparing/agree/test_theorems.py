"""Agreement of push and pull: what holds of all queries and streams, and where it stops holding.

Three independent evaluations are compared as well: rules through clingo, SPARQL's algebra bottom-up
(`algebra`), and plain SPARQL over copied graphs (`reference`, on rdflib). rdflib passes bindings
into the right sides of joins and OPTIONAL, so a FILTER, BIND, MINUS or OPTIONAL nested there sees
variables that are out of its scope: patterns for it have basic graph patterns (or STREAM blocks
and their UNION) on the right, and no GRAPH, as windows are graphs there. `algebra` has no limits.
"""

from functools import cache
from typing import get_args

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.util import from_n3

from lars.durations import Duration
from lars.language.stream import cut, stream_of
from lars.language.terms import Atom, Iri, Variable
from lars.language.windows import NOW, UNBOUNDED, Interval, TimeWindow, TupleWindow
from solver.facts import Fact
from solver.job import Question, ask
from solver.job.slices import Job
from solver.rdf import text_of_rdflib
from tests.agreement import algebra, reference
from tests.agreement.written_answers import verdict
from tests.lars.strategies import streams
from tests.solver.in_process import in_process
from tests.solver.strategies import part_of
from tests.translate.strategies import (
    OWN,
    S1,
    S2,
    STREAMS,
    Drawn,
    drawn,
    is_null_free,
    mostly,
    null_patterns,
    parts,
    patterns,
    queries,
    window_expressions,
)
from translate.analysis import cq, cs
from translate.model.patterns import Bgp, Minus, StreamBlock, TriplePattern, variables
from translate.model.query import Dataset, Query, Setting, Trigger
from translate.model.windows import Range
from translate.tau import TRIGGER, lars_program, pull, push

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib.*")

CLOSING = ("closed", "low-open")
periods = st.integers(1, 6)
triggers = st.sampled_from(get_args(Trigger))


def outputs(case, *questions):
    """Return the rows of each question by time."""
    found = [{} for _ in questions]
    for number, t, row in in_process(Job(questions, case.timeline, case.background), case.facts):
        found[number].setdefault(t, set()).add(row)
    return found


def asked(case, program):
    """Return the question for ans1, with the program's own trigger or at every time."""
    return ask(program, ("ans1", len(case.query.result)))


def programs(case):
    """Return τ1(cs(Q)) and τ2 of each of cq(Q)."""
    variants = (lars_program(variant.query, case.setting) for variant in cq(case.query))
    return [lars_program(cs(case.query), case.setting), *variants]


def at_each(case, program):
    """Return the rows at every time point, those without rows included."""
    (found,) = outputs(case, asked(case, program))
    return {t: found.get(t, set()) for t in case.timeline}


# One translation, three evaluations


@given(drawn(queries(mostly(patterns(), null_patterns(), 1)), exclusive=False), st.data())
def test_the_translation_has_the_solutions_of_the_algebra_in_both_profiles(case, data):
    engine = data.draw(st.sampled_from([cs(case.query), *(v.query for v in cq(case.query))]))
    merged = bool(engine.merged) or not case.query.streams
    program = lars_program(engine, case.setting)
    expected = {t: algebra.rows(engine, algebra.data_at(case, merged, t)) for t in case.timeline}
    event("rows" if any(expected.values()) else "no rows")
    assert at_each(case, program) == expected


flat = patterns(nested=False, named=False)


@cache
def node(text):
    return from_n3(text)


def scenario(case, engine):
    """Return what the second implementation evaluates for an engine's query."""
    names = {(p.stream, p.window): f"urn:w{i}" for i, p in enumerate(case.query.streams)}
    windows = {names[p.stream, p.window]: algebra.window_of(p, case.setting) for p in case.query.streams}
    arrivals = [
        reference.Arrival(one.t, one.stream, *map(node, one[2:])) for one in algebra.arrivals_of(case)
    ]
    static = Graph()
    for *triple, graph in case.background["triple", 4]:
        if graph == "default":
            static.add(tuple(map(node, triple)))
    timeline, merged = reference.Timeline(case.timeline.first, case.timeline.last), bool(engine.merged)
    text = algebra.text_of(engine, names)
    return reference.Scenario(text, windows, arrivals, timeline, merged=merged, static=static)


def texts(by_time):
    """Return rdflib's rows as texts, without the times that have none."""
    found = {
        t: {tuple(None if term is None else text_of_rdflib(term) for term in row) for row in rows}
        for t, rows in by_time.items()
    }
    return {t: rows for t, rows in found.items() if rows}


@part_of(0.5)
@given(drawn(queries(flat), profile="sparql11", exclusive=False), periods, st.data())
def test_push_and_pull_through_clingo_are_those_of_the_second_implementation(case, period, data):
    derived, brave = cs(case.query), data.draw(st.sampled_from(cq(case.query))).query
    questions = (
        asked(case, pull(lars_program(derived, case.setting), period)),
        asked(case, push(lars_program(brave, case.setting))),
    )
    pulled, pushed = outputs(case, *questions)
    event("rows" if pulled or pushed else "no rows")
    assert pulled == texts(reference.pull(scenario(case, derived), period))
    assert pushed == texts(reference.push(scenario(case, brave)))


@part_of(0.25)
@given(drawn(profile="sparql11", exclusive=False))
def test_the_profiles_coincide_on_null_free_queries_whose_minus_shares_a_variable(case):
    every = list(parts(case.query.pattern))
    assume(is_null_free(case.query.pattern) and not any(map(is_unbinding, every)))
    minuses = (part for part in every if isinstance(part, Minus))
    assume(all(variables(part.left) & variables(part.right) for part in minuses))
    paper = Setting("paper2015", case.setting.unit, case.setting.bounds)
    for ours, theirs in zip(programs(case), programs_with(case, paper), strict=True):
        assert at_each(case, ours) == at_each(case, theirs)


def is_unbinding(part):
    return type(part).__name__ == "Extend"


def programs_with(case, setting):
    return programs(Drawn(case.query, setting, case.timeline, case.facts, case.background))


# A6


@given(drawn())
def test_a6_exclusive_sources_give_cs_and_all_of_cq_the_same_answers(case):
    first, *others = (at_each(case, program) for program in programs(case))
    event(f"{len(others)} variants")
    event("rows" if any(first.values()) else "no rows")
    assert [other for other in others if other != first] == []


def triple(text):
    """Return the triple pattern of a text such as `?x p b`."""
    terms = (Variable(t[1:]) if t[0] == "?" else Iri(f"urn:{t}") for t in text.split())
    return TriplePattern(*terms)


def bgp(*triples):
    return Bgp(tuple(map(triple, triples)))


def fact(t, text, stream=S1):
    return Fact(t, "striple", (*(f"<urn:{name}>" for name in text.split()), str(stream)))


def case_of(pattern, streams_, facts, *, bounds="closed", static=()):
    """Return a case written by hand; its V are the pattern's variables."""
    query = Query("SELECT", tuple(sorted(variables(pattern))), pattern, Dataset(), streams_)
    known = {("triple", 4): [(*fact(0, text).arguments[:3], "default") for text in static], ("named", 1): []}
    setting = Setting("paper2015", Duration(10**9), bounds)
    return Drawn(query, setting, Interval(0, 9), tuple(facts), known)


def window(length, slide=None):
    return Range(Duration(length * 10**9), None if slide is None else Duration(slide * 10**9))


def test_a6_without_exclusive_sources_cs_and_cq_differ():
    pattern = bgp("?s offers ?c", "?c on ?p")
    streams_ = (StreamBlock(S1, window(5), pattern),)
    case = case_of(pattern, streams_, [fact(1, "a offers c1")], static=["c1 on m"])
    merged, brave, cautious = (at_each(case, program)[1] for program in programs(case))
    assert merged == {("<urn:c1>", "<urn:m>", "<urn:a>")}
    assert (brave, cautious) == (set(), set())


def test_a6_a_cautious_query_reads_static_data_and_a_brave_one_does_not():
    pattern = bgp("?s offers ?c", "?c on ?p")
    streams_ = (StreamBlock(S1, window(5), pattern),)
    case = case_of(pattern, streams_, [fact(1, "b on c")], static=["a offers c1", "c1 on m"])
    merged, brave, cautious = (at_each(case, program)[1] for program in programs(case))
    assert merged == cautious == {("<urn:c1>", "<urn:m>", "<urn:a>")}
    assert brave == set()


def test_a6_a_stream_read_through_two_windows_is_no_exclusive_source():
    one, other = bgp("?x p ?y"), bgp("?y q ?z")
    streams_ = (StreamBlock(S1, window(0), one), StreamBlock(S1, window(5), other))
    case = case_of(Bgp(one.triples + other.triples), streams_, [fact(1, "a p b"), fact(2, "b q c")])
    merged, *variants = (at_each(case, program)[2] for program in programs(case))
    assert (len(merged), variants) == (1, [set()] * 4)


# A1

atoms = st.sampled_from(
    [Atom("striple", (Iri("a"), Iri(p), Iri("b"), stream)) for p in "pq" for stream in STREAMS]
)
plain_windows = st.one_of(
    st.builds(TimeWindow, st.integers(0, 5), st.just(0), st.just(1), st.sampled_from(CLOSING)),
    st.builds(TupleWindow, st.integers(1, 4), st.just(S1)),
    st.sampled_from((NOW, UNBOUNDED)),
)


def shown(stream, window, t, matching):
    """Return W(t): the (time, triple) pairs of s1 in the window, of `matching` properties."""
    return {
        (u, atom)
        for u, inside in cut(stream, window, t).input.items()
        for atom in inside
        if atom.arguments[3] == S1 and atom.arguments[1] in matching
    }


def arrival_times(stream, trigger, matching):
    """Return E, push's evaluation times."""
    fires = {
        "any": lambda _: True,
        "query-streams": lambda atom: atom.arguments[3] == S1,
        "matching": lambda atom: atom.arguments[3] == S1 and atom.arguments[1] in matching,
    }[trigger]
    return [t for t, inside in stream.input.items() if any(map(fires, inside))]


@given(streams(atoms, fewest=2, most=9), plain_windows, triggers, st.data())
def test_a1_nothing_enters_a_window_after_the_last_evaluation(stream, window, trigger, data):
    matching = {Iri("p")} if trigger == "matching" else {Iri("p"), Iri("q")}
    t1, t2 = sorted(data.draw(st.lists(st.sampled_from(list(stream.timeline)), min_size=2, max_size=2)))
    inside = [t for t in arrival_times(stream, trigger, matching) if t1 < t <= t2]
    assume(inside)
    assert shown(stream, window, t2, matching) <= shown(stream, window, max(inside), matching)


@pytest.mark.parametrize(
    "window", [TimeWindow(3, 0, 3), TimeWindow(3, 0, 1, "high-open")], ids=["slide", "high-open"]
)
def test_a1_is_false_with_a_slide_and_for_high_open_bounds(window):
    stream = stream_of(Interval(0, 9), [(1, Atom("striple", (Iri("a"), Iri("p"), Iri("b"), S1)))])
    late, at_the_arrival = (shown(stream, window, t, {Iri("p")}) for t in (3, 1))
    assert (len(late), at_the_arrival) == (1, set())


# A2 and A3

monotone = patterns(monotone=True)
without_slides = window_expressions().filter(lambda w: not isinstance(w, Range) or w.slide is None)


def both_sides(case, program, period, trigger):
    """Return the verdict of one program pushed and pulled, its rows at each time, and E."""
    questions = (
        asked(case, push(program, trigger)),
        asked(case, pull(program, period)),
        Question(program, ("ans1", len(case.query.result)), None),
        Question(push(program, trigger), (TRIGGER.predicate, 0), None),
    )
    pushed, pulled, every, fired = outputs(case, *questions)
    sides = ({t: frozenset(rows) for t, rows in side.items()} for side in (pushed, pulled))
    rows = {t: every.get(t, set()) for t in case.timeline}
    return verdict(period, case.timeline, *sides), rows, sorted(fired)


def inside(times, compared):
    return [t for t in times if compared.start < t <= compared.end]


def a2(rows, times, compared):
    """Return what A2 says of a period from the answers Q(W(t)) alone."""
    evaluated, at_the_end = inside(times, compared), rows[compared.end]
    if not evaluated:
        return not at_the_end
    return all(rows[t] <= at_the_end for t in evaluated)


@given(
    drawn(queries(monotone, without_slides), bounds=st.sampled_from(CLOSING), exclusive=False),
    periods, triggers, st.data(),
)  # fmt: skip
def test_a2_decides_agreement_of_a_monotone_query_on_every_period(case, period, trigger, data):
    program = data.draw(st.sampled_from(programs(case)))
    found, rows, times = both_sides(case, program, period, trigger)
    for compared in found.intervals:
        event(f"agree {compared.agree}, evaluated {bool(inside(times, compared))}")
        assert compared.agree == a2(rows, times, compared)


ONE, TWO = bgp("?x p ?y"), bgp("?x q ?z")
A2_FAILS = {
    "with a slide": (ONE, window(3, 3), "closed", [fact(1, "a p b")], 3),
    "for high-open bounds": (ONE, window(3), "high-open", [fact(1, "a p b")], 3),
}


def written_case(pattern, expression, bounds, facts):
    return case_of(pattern, tuple(StreamBlock(S1, expression, part) for part in (ONE, TWO)
                                  if part in tuple(parts(pattern))), facts, bounds=bounds)  # fmt: skip


@pytest.mark.parametrize("name", A2_FAILS)
def test_a2_is_false(name):
    *described, period = A2_FAILS[name]
    case = written_case(*described)
    found, rows, times = both_sides(case, programs(case)[0], period, "any")
    assert (found.intervals[0].agree, a2(rows, times, found.intervals[0])) == (False, True)


def test_a2_is_false_for_minus_since_answers_appear_when_triples_expire():
    facts = [fact(1, "a q b"), fact(2, "a p b")]
    case = written_case(Minus(ONE, TWO), window(1), "closed", facts)
    found, rows, times = both_sides(case, programs(case)[0], 3, "any")
    assert (found.intervals[0].agree, a2(rows, times, found.intervals[0])) == (False, True)


def contents(case, t):
    """Return W(t) of all windows, each triple with its time."""
    timeline = reference.Timeline(case.timeline.first, case.timeline.last)
    return frozenset(
        (part.stream, part.window, *timed)
        for part in case.query.streams
        for timed in timed_contents(algebra.window_of(part, case.setting), case, t, timeline)
    )


def timed_contents(window, case, t, timeline):
    # Each arrival bears its time as a fourth component of its object.
    timed = [one._replace(o=(one.o, one.t)) for one in algebra.arrivals_of(case)]
    return reference.contents(window, timed, t, timeline)


def is_guarded(case, program):
    """Whether the program has no answer from static data alone."""
    alone = Drawn(case.query, case.setting, case.timeline, (), case.background)
    return not any(at_each(alone, program).values())


fed = patterns(depth=1, monotone=True, named=False, properties=(*OWN[S1], *OWN[S2]))


@given(drawn(queries(mostly(fed, monotone, 2))), st.data())
def test_a3_what_push_saw_in_total_is_what_pull_sees(case, data):
    program = data.draw(st.sampled_from(programs(case)))
    assume(is_guarded(case, program))
    # The period ends with an arrival, if that is not at 0: else what push saw has often expired.
    period = data.draw(st.sampled_from(sorted({one.t for one in case.facts} - {0}) or [1]))
    trigger = data.draw(st.sampled_from(("any", "query-streams")))
    found, _, times = both_sides(case, program, period, trigger)
    for compared in found.intervals:
        seen = frozenset().union(*(contents(case, t) for t in inside(times, compared)))
        if seen == contents(case, compared.end):
            event(f"same input, rows: {bool(compared.pull)}")
            assert compared.agree


def test_a3_needs_the_times_of_what_is_seen_under_high_open_bounds():
    pattern = bgp("a p b", "b p ?y")
    facts = [fact(1, "a p b"), fact(3, "b p c"), fact(5, "a p b")]
    case = case_of(pattern, (StreamBlock(S1, window(3), pattern),), facts, bounds="high-open")
    found, _, times = both_sides(case, programs(case)[0], 6, "any")
    seen = frozenset().union(*(contents(case, t) for t in times))
    untimed = {o[0] for *_, o in seen}, {o[0] for *_, o in contents(case, 6)}
    assert (untimed[0] == untimed[1], found.agree) == (True, False)


def test_a3_is_false_for_minus_though_total_input_equals_the_snapshot():
    case = written_case(Minus(ONE, TWO), window(5), "closed", [fact(1, "a p b"), fact(2, "a q c")])
    found, _, times = both_sides(case, programs(case)[0], 2, "any")
    seen = frozenset().union(*(contents(case, t) for t in times))
    assert (seen == contents(case, 2), found.intervals[0].agree) == (True, False)
