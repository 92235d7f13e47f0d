"""Engines that share no code with lars, with one fault each: one entry, with its name."""

from dataclasses import replace
from functools import partial
from time import sleep
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from agreement.comparing.arena import Lead
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.messages import FailedEngineError, TimeIsUpError, answers_of
from agreement.engines.specifications import builtin
from agreement.proving.hunting import (
    Fault,
    Hunt,
    HuntLimits,
    RunVerdict,
    Switch,
    answer_switches,
    made_queries,
    query_switches,
    reference,
    references,
    streams,
)
from agreement.proving.hunting.explanation import Cause, Explanation, run_hunt
from agreement.proving.hunting.query_switches import _lengthened
from agreement.proving.hunting.showing import Isolation
from agreement.proving.hunting.switches import faults_of_recording
from agreement.results.renderings.hunt_report import as_text
from lars.durations import MILLISECOND
from solver.deadlines import check_time
from tests.agreement.proving.hunting.toy_faults import NAMES
from tests.agreement.proving.hunting.toy_process import Toy
from tests.benchmarks.hunted_toys import hunted
from tests.sizes import few, size

# Each name has a test of one run in `test_names`; `python -m tests.benchmarks.hunted_toys` hunts all of them.
SEVERAL = ("mute", "optional-as-join", "row-short", "random", "ask-as-1")


@pytest.mark.parametrize("fault", ["right", "no-flush", "next-push", "labels-kept"])
def test_a_right_engine_has_no_fault_however_late_in_the_run_it_tells(fault):
    hunt = hunted(fault, size(100, 200))
    assert [one.sentence for one in hunt.faults] == []
    late = [part for part in as_text(hunt, ()) if str(part).startswith("late replies, which are no fault: ")]
    assert len(late) == (fault == "next-push")


@pytest.mark.parametrize("fault", few(SEVERAL, 2))
def test_one_fault_is_one_entry_with_its_name(fault):
    (found,) = hunted(fault, size(80, 150)).faults
    assert NAMES[fault] in found.sentence


def test_two_faults_are_two_entries_each_with_its_name():
    queries = ("tumbling", "projection", "istream", "dstream")
    found = hunted("closed-and-rstream", size(60, 120), queries).faults
    assert {one.sentence for one in found} == {
        "bounds = closed",
        "reported as RSTREAM, regardless of the query",
    }
    assert len(found) == 2


def test_an_engine_that_evaluates_the_newest_close_alone_is_explained_in_all_runs_of_dstream_and_two_slides():
    """Windows without a triple close too, and DSTREAM compares nodes that only their labels tell apart."""
    hunt = hunted("latest-close", size(80, 120), ("dstream", "two-slides"))
    (found,) = hunt.faults
    assert (found.sentence, hunt.left) == (NAMES["latest-close"], 0)


def test_windows_of_different_slides_can_each_keep_their_triples_one_slide_too_long():
    """No start time moves windows that are longer by 4 and by 2 time points to where they close."""
    (found,) = hunted("step-too-long", 40, ("two-windows", "either-window")).faults
    assert found.sentence == "a triple stays in the windows one STEP too long"


@pytest.mark.parametrize("fault", ["range-two-longer", "late-restamped"])
def test_a_rule_that_is_found_from_the_wrong_runs_predicts_its_smallest_stream(fault):
    hunt = hunted(fault, size(80, 120), ("tumbling", "sliding"))
    (found,) = hunt.faults
    assert NAMES[fault] in found.sentence
    assert hunt.reference.predicts(found.run, (found.rule,))
    recorded = hunt.reference.at_zero_subjects([found.run])[0].recorded
    said = [one.sentence for one in faults_of_recording(recorded, builtin("rspql"))]
    assert f'rspql with the fault "{found.sentence}"' in said


def hunt_of(fault, runs, *names):
    """Return a hunt of a toy engine with queries of some names, before its first run."""
    engine = Toy(fault)
    queries = [one for one in made_queries(engine).queries if one.name in names]
    return Hunt(engine, queries, reference("rspql", builtin("rspql"), JudgeOptions()), HuntLimits(600, runs))


def explanation_with(*sentences, hunt=None):
    """Return the explanation of a hunt on windows that are 2 time points longer, with causes by names.

    Without a hunt, the runs are those of a hunt that has not yet searched for causes.
    """
    if hunt is None:
        hunt = hunt_of("range-two-longer", size(80, 120), "tumbling", "sliding")
        hunt.explore()
    explanation = Explanation(hunt, hunt.wrong, hunt.right)
    change = query_switches._of_sources("one longer", "right", partial(_lengthened, MILLISECOND)).change
    longer = Switch("one longer", "right", partial(query_switches._begun_earlier, change, lambda _: 1))
    switches = {one.sentence: one for one in (*explanation._possible_switches(), longer)}
    for sentence in sentences:
        shown = [run for run in hunt.wrong if hunt.reference.predicts(run, (switches[sentence],))]
        explanation.causes.append(Cause(switches[sentence], shown, shown))
    return explanation


def test_two_changes_that_differ_only_together_are_one_cause():
    """A window with both ends contains the times of one that is longer by 1: no run shows one of them."""
    hunt = hunted("range-two-longer", size(80, 120), ("tumbling", "sliding"))
    explanation = explanation_with("bounds = closed", "one longer", hunt=hunt)
    explanation._join_causes()
    (cause,) = explanation.causes
    assert cause.switch.sentence == "bounds = closed; and one longer"
    assert len(cause.explained) == len(explanation.wrong)


@pytest.mark.parametrize(
    ("other", "number"), [("reported as RSTREAM, regardless of the query", 2), ("FILTER is ignored", 1)]
)
def test_a_pair_of_faults_that_runs_show_one_by_one_is_two_causes(other, number):
    hunt = hunt_of("closed-and-rstream", 24, "tumbling", "istream")
    hunt.explore()
    explanation = Explanation(hunt, hunt.wrong, hunt.right)
    switches = {one.sentence: one for one in explanation._possible_switches()}
    pair = references.both(switches["bounds = closed"], switches[other])
    every = frozenset(range(len(hunt.wrong)))
    explanation._add_cause(Lead(pair, every, every, 0))
    assert len(explanation.causes) == number
    assert "; and ".join(one.switch.sentence for one in explanation.causes) == pair.sentence


def test_a_cause_that_explains_no_run_beside_another_is_no_fault():
    explanation = explanation_with("bounds = closed", "windows are 2 time points longer")
    explanation._join_causes()
    (cause,) = explanation.causes
    assert cause.switch.sentence == "windows are 2 time points longer"


def test_a_cause_keeps_the_runs_that_only_it_and_another_cause_predict_as_evidence():
    explanation = explanation_with("bounds = closed", "one longer")
    longer = explanation.causes[1]
    predicts = explanation.judge.predicts
    alone = [run for run in explanation.wrong if predicts(run, (longer.switch,))]
    together = next(run for run in explanation.wrong if all(run is not one for one in alone))
    explanation.causes[1] = replace(longer, evidence=[together])
    explanation._settle_equal_causes()
    assert explanation.causes[1].evidence == [together]


def test_of_several_causes_that_runs_contradict_only_the_one_that_explains_most_runs_is_left():
    explanation = explanation_with("windows are 2 time points longer", "bounds = closed")
    wider, closed = explanation.causes
    explanation._remove_contradicted()
    assert explanation.causes == [wider, closed]
    explanation.right.append(replace(closed.evidence[0], answers=right_answers(closed.evidence[0])))
    explanation._remove_contradicted()
    assert explanation.causes == [wider]
    explanation._remove_contradicted()
    assert explanation.causes == [wider]


def test_a_fault_that_needs_another_cause_names_it():
    explanation = explanation_with("bounds = closed", "one longer")
    closed, longer = explanation.causes
    predicts = explanation.judge.predicts
    run = next(run for run in explanation.wrong if not predicts(run, (longer.switch,)))
    assert explanation._needed(run, longer) == (closed.switch,)
    assert explanation._needed(longer.evidence[0], longer) == ()


def test_a_name_that_other_runs_refute_is_said_of_these_runs_only():
    explanation = explanation_with("bounds = closed")
    explanation.hunt.faults.clear()
    (cause,) = explanation.causes
    shown = cause.evidence[0]
    explanation._add_fault(Isolation(explanation.judge, None, (), ()), cause, shown, 1)
    (fault,) = explanation.hunt.faults
    assert fault.alike is None  # A further fault may be the reason: the runs are closer to this one.
    explanation.right += explanation.wrong[:1]
    explanation.right[-1] = replace(cause.evidence[0], answers=right_answers(cause.evidence[0]))
    assert explanation._contradicting(cause) == 1


def right_answers(run):
    return answers_of(Toy("right"), run.query.registration, run.pushes)


def test_a_rule_that_predicts_the_answers_is_said_without_one_that_permits_several():
    (found,) = hunted("order-as-text", size(60, 120), ("limit", "limit-descending", "tumbling")).faults
    assert found.rule.sentence.startswith("ORDER BY compares texts")
    assert not any("LIMIT" in one.sentence for one in found.equal_rules)


def test_what_no_name_fits_is_described_by_one_entry():
    """Each of few runs is predicted by a name that other runs refute, which are drawn for that."""
    (found,) = hunted("filter-error-aborts", 40, ("filter", "tumbling")).faults
    assert (found.rule, found.sentence.partition(": ")[0]) == (None, "unexplained")
    assert "2 or more kinds of objects" in found.sentence


@pytest.mark.parametrize(
    ("held", "left", "doubtful"),
    [
        (None, ["b", "b"], False),
        (None, ["a"], False),
        (None, ["a", "a"], True),
        (None, ["b"] * 5, True),
        (bool, ["b"], True),
    ],
)
def test_a_cause_is_taken_back_that_leaves_much_of_the_same_queries(held, left, doubtful):
    """That a query has no row, `held`, is no cause beside what else is left."""
    runs = {name: SimpleNamespace(query=SimpleNamespace(name=name)) for name in "ab"}
    cause = Cause(Switch("said", "right", held=held), [runs["a"]] * 4, [runs["a"]])
    explanation = SimpleNamespace(_unexplained=lambda: [runs[name] for name in left])
    assert Explanation._is_doubtful(explanation, cause) is doubtful


@pytest.mark.parametrize(
    ("fault", "queries"),
    [
        ("no-zero-count", ("total", "tumbling")),
        ("static-ignored", ("static", "static-optional")),
    ],
)
def test_a_name_is_said_where_runs_that_are_drawn_for_it_confirm_it(fault, queries):
    (found,) = hunted(fault, 60, queries).faults
    assert NAMES[fault] in found.sentence
    assert any(report.rows for _, report in found.run.answers.reports)


def test_a_shown_stream_tells_the_rule_from_its_absence_and_needs_no_time_0():
    hunt = hunted("filter-ignored", size(80, 200))
    (fault,) = hunt.faults
    assert fault.verdict.correct is False
    assert all(push.t for push in fault.run.pushes)


def test_a_fault_that_has_a_name_is_not_unexplained_where_time_is_up_before_all_rules_are_tried():
    queries = [one for one in made_queries(Toy("right")).queries if one.name in ("tumbling", "sliding")]
    judge = reference("rspql", builtin("rspql"), JudgeOptions())
    hunt = Hunt(Toy("closed-and-rstream"), queries, judge, HuntLimits(600, runs=40))
    hunt.explore()
    hunt.start -= 600 * 0.85  # as on a machine that has no time for it
    run_hunt(hunt)
    (fault,) = hunt.faults
    assert fault.untried
    assert fault.sentence.startswith("time was up before all rules were tried: ")
    # The smallest stream has one fault of the two, and a parameter that explains it is named.
    assert fault.likely == "bounds = closed"
    told = f"tried: bounds = closed explains the smallest stream, and {fault.likely_runs} of the wrong runs; "
    assert told in fault.sentence
    assert 0 < fault.likely_runs <= fault.times
    assert "unexplained" not in "".join(map(str, as_text(hunt, ())))
    fault.untried = False
    assert fault.sentence.startswith(
        "no fault explains all wrong runs: bounds = closed explains the smallest stream, and "
    )


@pytest.mark.parametrize("fault", ["closed", "count-plus-one"])
def test_a_hunt_keeps_its_time_limit_if_each_judgement_is_slow(fault, monkeypatch):
    """The search for causes, the search for a smaller stream and the description each judge many runs."""
    judged = references.judge.judge_recording

    def slowly(*of):
        sleep(0.04)
        check_time()
        return judged(*of)

    monkeypatch.setattr(references.judge, "judge_recording", slowly)
    queries = [one for one in made_queries(Toy(fault)).queries if one.name in ("tumbling", "total")]
    judge = reference("rspql", builtin("rspql"), JudgeOptions())
    hunt = Hunt(Toy(fault), queries, judge, HuntLimits(3))
    run_hunt(hunt)
    assert hunt.seconds < 3.3
    (found,) = hunt.faults
    assert found.untried
    assert found.sentence.startswith("time was up before all rules were tried: ")


def test_a_slow_engine_is_given_short_streams_and_a_late_reply_is_no_fault():
    hunt = Hunt(Toy("row-short"), made_queries(Toy("right")).queries, None, HuntLimits(60))
    hunt.pace = 2.0
    query = hunt.queries[0]
    hunt._step(query, next(streams(query, 0)))
    hunt.fail(query, (), TimeIsUpError("late"))
    hunt.add_failure()
    assert (hunt.runs, hunt.failures, hunt.faults) == (0, [], [])
    hunt.fail(query, (), FailedEngineError("broken"))
    hunt.add_failure()
    assert [problem for _, problem in hunt.failures] == ["broken"]
    assert [fault.sentence for fault in hunt.faults] == ["the engine fails: broken"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_stream_is_the_smallest_only_if_time_was_left_for_a_smaller_one(fails, monkeypatch):
    query = made_queries(Toy("right")).queries[0]
    hunt = Hunt(
        Toy("row-short"), [query], reference("rspql", builtin("rspql"), JudgeOptions()), HuntLimits(600)
    )
    stream = next(stream for stream in streams(query, 0) if len(stream) > 3)
    run = hunt.run(query, stream)

    def minimized():
        if not fails:
            return hunt.small(run, lambda _: True)
        fault = Fault(run, RunVerdict(False), 1.0, failure="broken")
        hunt._minimize_failure(fault, 0.9)
        return fault.run, fault.smallest

    if fails:
        monkeypatch.setattr(hunt.engine, "open", Mock(side_effect=FailedEngineError("broken")))
    small, ended = minimized()
    assert (len(small.pushes) < len(stream), ended) == (True, True)
    hunt.start -= 600
    assert minimized() == (run, False)


def test_a_fault_that_a_new_process_does_not_repeat_has_no_smallest_stream():
    query = made_queries(Toy("right")).queries[0]
    judge = reference("rspql", builtin("rspql"), JudgeOptions())
    hunt = Hunt(Toy("row-short"), [query], judge, HuntLimits(600))
    run = hunt.run(query, next(streams(query, 0)))
    steady, changed = Fault(run, RunVerdict(False), 1.0), Fault(run, RunVerdict(False), 1.0)
    hunt.confirm(steady)
    hunt.engine.fault = "rows-twice"
    hunt.confirm(changed)
    assert [(one.repeated, one.smallest) for one in (steady, changed)] == [(True, True), (False, False)]
    assert [one.confirmed for one in (steady, changed)] == [True, True]
    hunt.start -= 600
    late = Fault(run, RunVerdict(False), 1.0)
    hunt.confirm(late)
    assert (late.repeated, late.confirmed) == (True, False)


def test_that_an_engine_is_not_deterministic_is_one_fault():
    def fault(**more):
        return Fault(None, RunVerdict(False), 1.0, **more)

    hunt = Hunt(Toy("random"), [], None, HuntLimits(600))
    unsteady, other = fault(repeated=False), fault(repeated=False, times=7)
    named, failing = fault(repeated=False, rule=Switch("x", "y")), fault(repeated=False, failure="broken")
    hunt.faults = [failing, unsteady, named, other, fault()]
    hunt.join_unsteady()
    assert [one is other for one in hunt.faults] == [False] * 4
    assert hunt.left == 7


def test_runs_that_a_new_process_answers_otherwise_stay_unexplained():
    hunt = hunted("random", 40, ("tumbling", "sliding"))
    (found,) = hunt.faults
    assert (found.repeated, found.smallest) == (False, False)
    assert hunt.left == len(hunt.wrong) - 1 > 0


def test_rows_lose_the_kinds_of_terms_only_if_no_term_has_a_language_that_it_should_lack():
    """With lost language tags, rows that are reported once for each text would show lost kinds."""
    plain, tagged = [('"a"', "<e:s>")], [('"a"@en', "<e:s>")]
    assert answer_switches._of_other_kinds(tagged, plain)
    assert answer_switches._of_other_kinds(tagged, tagged)
    assert not answer_switches._of_other_kinds(plain, tagged)


@pytest.mark.parametrize("change", [answer_switches._at_arrival, answer_switches._at_one_time])
def test_a_change_of_the_times_says_nothing_of_a_run_without_reports(change):
    recorded = SimpleNamespace(run=SimpleNamespace(pushes=()), recording=SimpleNamespace(reports=()))
    subject = SimpleNamespace(recorded=recorded)
    assert list(change(subject)) == [subject]
