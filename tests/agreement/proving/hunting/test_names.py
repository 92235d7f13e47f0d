"""Each name that a hunt can give a fault: said of a run of an engine with it, not of a right one."""

from dataclasses import replace
from functools import cache
from itertools import chain, islice

import pytest

from agreement.documents.recordings import Push
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.messages import answers_of
from agreement.engines.specifications import builtin
from agreement.proving.hunting import HuntedRun, made_queries, reference, references
from agreement.proving.hunting.input_switches import pauses
from agreement.proving.hunting.portraits import delays, mute_queries, portraits, rests, silent
from agreement.proving.hunting.query_switches import _alike, _all_as, other_lengths
from agreement.proving.hunting.showing import neighbours
from agreement.proving.hunting.streams import streams
from agreement.proving.hunting.switches import other_switches, parameters_of
from tests.agreement.proving.hunting.toy_faults import NAMES, SHOWN
from tests.agreement.proving.hunting.toy_process import Toy
from translate.analysis import parts
from translate.dialects import read_query
from translate.model.patterns import Group

RSPQL = builtin("rspql")
JUDGE = reference("rspql", RSPQL, JudgeOptions(t0=(0,)))


@cache
def queries():
    return {one.name: one for one in made_queries(Toy("right")).queries}


def run_of(fault, name, number):
    """Return the run of an engine with a fault on a stream of a query, by its number."""
    query = queries()[name]
    pushes = next(islice(streams(query, 0), number, None))
    return HuntedRun(query, pushes, answers_of(Toy(fault), query.registration, pushes))


def said(fault, run):
    """Return whether what names a fault is an explanation of a run, and whether it could be refuted by it."""
    every = [run] * 3
    told = (
        (*parameters_of(RSPQL, JudgeOptions()), *other_switches()),
        silent(every),
        mute_queries(every, every),
        portraits(every, every),
    )
    subjects = JUDGE.at_zero_subjects([run])
    learned = (*delays(JUDGE, [run]), *pauses([run]), *other_lengths(subjects), *rests(subjects))
    named = (one for one in (*chain(*told), *learned) if NAMES[fault] in one.sentence)
    return any(JUDGE.misses(run, (one,)) == 0 and JUDGE.can_refute(run, (one,)) for one in named)


@pytest.mark.parametrize("fault", SHOWN)
def test_a_name_is_said_of_its_fault_and_not_of_what_is_right(fault):
    wrong, right = (run_of(engine, *SHOWN[fault]) for engine in (fault, "right"))
    assert (JUDGE.verdict(wrong).correct, JUDGE.verdict(right).correct) == (False, True)
    assert said(fault, wrong)
    assert not said(fault, right)


def test_a_constant_answer_is_also_one_of_a_query_that_only_tests_a_cause():
    run = run_of("constant", *SHOWN["constant"])
    (constant,) = (one for one in portraits([run] * 3, [run] * 3) if "constant" in one.sentence)
    assert constant.held(run)
    assert constant.held(replace(run, query=replace(run.query, name="later")))


def named(sentence):
    return next(one for one in other_switches() if one.sentence.startswith(sentence))


def test_an_engine_that_reports_only_once_does_not_give_all_reports_the_same_time():
    run = run_of("only-first-report", *SHOWN["only-first-report"])
    assert JUDGE.predicts(run, (named("only the first report comes"),))
    assert not JUDGE.predicts(run, (named("all reports have the same time"),))


def test_a_smaller_stream_can_have_a_time_that_is_earlier_by_a_slide():
    """A fault that depends on the close of a window can be visible at 10 and at 8, but not at 9."""
    query = queries()["sliding"]
    stream = tuple(Push(t, *query.letters[0]) for t in (3.0, 10.0))
    near = [tuple(one.t for one in other) for other in neighbours(query, stream)]
    assert {(3.0, t) for t in (3.0, 7.0, 8.0, 9.0)} <= set(near)
    assert all(list(times) == sorted(times) for times in near)


@pytest.mark.parametrize("sentence", ["when one window closes", "an open window contains"])
def test_a_change_of_contents_can_be_tried_with_a_change_of_streams(sentence):
    run = run_of("closes-only", *SHOWN["closes-only"])
    own = named(sentence)
    for other in map(named, ("the first of several windows has its content of one slide earlier", sentence)):
        for pair in ((own, other), (other, own)):
            subjects = references._switched(JUDGE.at_zero_subjects([run])[0], pair)
            assert references._fewest(subjects) is not None


def test_an_engine_that_reports_only_once_does_not_rest():
    once, again = (run_of(fault, *SHOWN["rests"]) for fault in ("only-first-report", "rests"))
    said = [[one.sentence for one in rests(JUDGE.at_zero_subjects([run]))] for run in (once, again)]
    assert ["after a report" in " ".join(one) for one in said] == [False, True]


@pytest.mark.parametrize("told", [True, False])
def test_rows_are_shown_for_the_start_time_0_if_the_fault_predicts_them(told):
    """For t0 = 1, the report at 6 would be a late report of the window from 1 to 5."""
    query = queries()["sliding"]
    pushes = tuple(Push(t, *query.letters[0]) for t in (3.0, 10.0))
    run = HuntedRun(query, pushes, answers_of(Toy("last-of-several"), query.registration, pushes))
    fault = named("only the last of the windows that close between")
    found = reference("rspql", RSPQL, JudgeOptions()).verdict(run, (fault,) if told else ())
    assert "shown is t0 = 0" in found.choice
    assert [(one.at, one.problem) for one in found.places] == [(4, "1 missing"), (6, None)]


def test_each_fault_that_has_a_name_is_shown():
    named = {fault for fault, name in NAMES.items() if name and not name.startswith("unexplained")}
    assert named - set(SHOWN) == {"random", "empty-window"}


@pytest.mark.parametrize("dialect", ["rspql", "csparql", "cqels", "sparqlstream"])
def test_queries_are_made_only_if_a_language_can_express_them(dialect):
    found = made_queries(built_in(dialect), dialect=dialect)
    assert [why for _, why in found.refusals if "expected" in why] == []
    windowed = {"either-stream", "either-window", "optional-window"}
    assert windowed & {query.name for query in found.queries} == (windowed if dialect == "rspql" else set())


class WholeSeconds(Toy):
    """An engine that rounds the times of triples to seconds."""

    def push(self, pushes):
        return super().push([replace(one, t=one.t // 1000 * 1000) for one in pushes])


def test_notations_that_an_engine_accepts_without_a_row_are_named():
    found = made_queries(WholeSeconds("right"))
    assert "[RANGE PT4S STEP PT4S]" in found.queries[0].registration.query
    names = [name for name, why in found.refusals if "accepts them, but reports no row" in why]
    assert names[0] == "queries with FROM NAMED WINDOW :w1 ON STREAM :S [RANGE 4 STEP 4]"
    assert made_queries(Toy("right")).refusals == ()


STREAM = "FROM STREAM <e:s> [{}] WHERE {{ ?x <e:p> ?y }}"


def test_a_count_of_rows_has_no_other_function():
    query = read_query(
        f"SELECT (COUNT(*) AS ?n) (COUNT(?y) AS ?m) {STREAM.format('RANGE 3s STEP 3s')}", "q.rq"
    )
    (group,) = (part for part in parts(query.pattern) if isinstance(part, Group))
    found = _all_as("SUM", ("COUNT",), group)
    assert [one.function for _, one in found.aggregates] == ["COUNT", "SUM"]


def test_a_window_of_triples_alone_has_no_length_of_another_window():
    query = read_query(f"SELECT ?x {STREAM.format('TRIPLES 3')}", "q.rq")
    assert [_alike("length", place, query) for place in (0, -1)] == [query, query]
