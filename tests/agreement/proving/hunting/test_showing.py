"""The stream that a fault shows: right without its cause; and which causes come first."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from agreement.documents.recordings import Push
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import EngineAnswers
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import builtin
from agreement.proving.hunting import (
    Hunt,
    HuntedRun,
    HuntLimits,
    Switch,
    made_queries,
    reference,
    showing,
)
from agreement.proving.hunting.explanation import Explanation, run_hunt
from agreement.proving.hunting.showing import Cause, Isolation, RuleCause, without
from agreement.proving.hunting.streams import closing_streams
from agreement.proving.hunting.switches import parameters_of
from lars.errors import TimeLimitError
from solver.deadlines import Deadline, until
from tests.sizes import size

JUDGE = reference("rspql", builtin("rspql"), JudgeOptions())
VERSION = ENGINES["rsp-rs-0.3.5"]
RULES = {rule.name: rule for rule in VERSION.rules}
QUERIES = {one.name: one for one in made_queries(BuiltInEngine(VERSION)).queries}
ISOLATION = Isolation(JUDGE, VERSION, (), tuple(QUERIES.values()))
SILENT = Switch("it never reports", "right", held=lambda run: not run.has_rows)


def run_of(query, *times):
    """Return the run of the version on the first letter of a query at some times."""
    pushes = tuple(Push(t, *QUERIES[query].letters[0]) for t in times)
    return without(VERSION, HuntedRun(QUERIES[query], pushes, None), ())


def cause_of(name):
    return RuleCause(VERSION, RULES[name], VERSION.rules, ())


@pytest.mark.parametrize(
    ("times", "rule", "others"),
    [((2, 4), "A3", []), ((2, 4), "D1", ["A3"]), ((1, 2, 4), "D1", []), ((1, 2, 4), "D4", ["D1"])],
)
def test_a_stream_shows_a_rule_alone_if_it_is_right_without_it(times, rule, others):
    run, cause = run_of("total", *times), cause_of(rule)
    assert JUDGE.verdict(run).correct is False
    assert (ISOLATION.right_without(run, cause) is not None) == (not others)
    assert [one.name for one in ISOLATION.other_causes(run, cause)] == others


@pytest.mark.parametrize(("times", "rule", "others"), [((2, 4), "A3", []), ((3, 5), "D1", ["A3"])])
def test_a_rule_that_is_wrong_only_with_another_one_is_not_alone(times, rule, others):
    run, cause = run_of("total", *times), cause_of(rule)
    assert ISOLATION.right_without(run, cause) is not None
    assert [one.name for one in ISOLATION.beside(run, cause)] == others


def test_other_rules_are_named_only_if_the_stream_is_right_without_them():
    assert ISOLATION.other_causes(run_of("sliding", 1, 3, 9), cause_of("D4")) == ()


def test_another_query_over_the_same_windows_tells_of_a_stream_if_the_version_refuses_one():
    query = QUERIES["sliding"]
    refused = replace(
        query, name="refused", registration=query.registration.model_copy(update={"query": "ASK"})
    )
    run = HuntedRun(refused, (Push(2, *query.letters[0]), Push(5, *query.letters[0])), None)
    assert without(VERSION, run, ()) is None
    assert ISOLATION.right_without(run, Cause(SILENT, (), ())).query is query


def test_a_stream_on_which_another_switch_matters_shows_no_cause_alone():
    run, others = run_of("sliding", 2, 5), replace(ISOLATION, switches=(SILENT,))
    assert others.right_without(run, cause_of("D7")) is None
    assert others.right_without(run, Cause(SILENT, (), ())) is not None


def test_the_shown_streams_of_a_hunt_are_right_without_their_rules():
    found = Hunt(BuiltInEngine(VERSION), [QUERIES["total"]], JUDGE, HuntLimits(600, size(12, 24)))
    run_hunt(found)
    shown = {one.rule.sentence.rpartition("(")[2].split()[0]: one for one in found.faults}
    # With one window the rule about its own t0 is right alone: RSP-QL leaves t0 open.
    assert (shown["A3"].isolated, shown["D1"].isolated) == (True, False)
    assert shown["D1"].other_rules
    for name, fault in ((name, one) for name, one in shown.items() if one.isolated):
        assert JUDGE.verdict(fault.run).correct is False
        rights = [
            one
            for one in RULES
            if JUDGE.verdict(without(VERSION, fault.run, (RULES[one],))).correct is not False
        ]
        assert rights == [name]
        others = [rule for rule in VERSION.rules if rule.name != name]
        assert JUDGE.verdict(without(VERSION, fault.run, others)).correct is False


@pytest.mark.parametrize(("engine", "first"), [("stranger", "switch"), (VERSION.name, "rule")])
def test_a_change_of_the_specification_is_shown_before_the_rules_of_another_engine(engine, first):
    causes, order = {"switch": Cause(SILENT, (), ()), "rule": cause_of("D1")}, []
    hunt = SimpleNamespace(name=engine, reference=JUDGE, queries=(), seconds=1, faults=[])
    hunt.limits, hunt.is_past, hunt.in_time = HuntLimits(600), lambda _: False, nullcontext
    explanation = SimpleNamespace(hunt=hunt, followed=VERSION, cause_switches=(), _unexplained=list)
    explanation.causes, explanation.rules = [causes["switch"]], [causes["rule"]]
    explanation._find_causes = lambda: None
    explanation._isolating_runs = lambda *_: [None, None]
    explanation._add_fault = lambda _, cause, *__: order.append(cause)
    explanation._add_unexplained = explanation._settle_equal_causes = lambda: None
    explanation._remove_contradicted = lambda: None
    Explanation.add_faults(explanation)
    assert order[0] is causes[first]


def test_changes_of_the_specification_are_tried_before_the_rules_of_other_engines():
    tried = []
    hunt = SimpleNamespace(name="stranger", reference=JUDGE, wrong=[], right=[], limits=HuntLimits(600))
    explanation = SimpleNamespace(
        hunt=hunt,
        wrong=[],
        right=[],
        cause_switches=(),
        parameters=(),
        causes=[],
        _unexplained=list,
        **dict.fromkeys(("_join_causes", "_remove_doubtful", "_remove_unshown"), list),
    )
    explanation._possible_switches = lambda: ("a change",)
    explanation._paired_switches = lambda _: ()
    explanation._single_parameter = lambda *_: ()
    explanation._confirmed_lead = lambda _: None
    explanation.arena = SimpleNamespace(single_cause=list, next_cause=lambda *_: None)
    explanation._add_version_rules = explanation._add_next = tried.extend
    Explanation._find_causes(explanation)
    assert tried[0] == "a change"
    assert VERSION in tried[1:]


def test_nothing_is_said_of_a_run_once_the_time_is_over():
    hunt = SimpleNamespace(is_past=lambda _: True)
    run = run_of("total", 2, 4)
    assert JUDGE.misses(run, ()) > 0
    with pytest.raises(TimeLimitError), until(Deadline(60, 0)):
        Explanation._misses(SimpleNamespace(judge=JUDGE, hunt=hunt), run, ())


def test_that_the_time_is_over_is_no_answer_of_a_run():
    """A run that is not judged in time would count as one that refutes a fault, or as no evidence of it."""
    (closed,) = (one for one in parameters_of(builtin("rspql"), JUDGE.options) if "= closed" in one.sentence)
    for told in (JUDGE.misses, JUDGE.can_refute, lambda run, on: JUDGE.expects(run, *on)):
        with pytest.raises(TimeLimitError), until(Deadline(1, 0)):
            told(run_of("total", 2, 4), (closed,))


@pytest.mark.parametrize(
    ("engine", "rule", "query", "times"),
    [
        ("rsp-rs-0.3.5", "D4", "two-streams", (2, 2, 6)),
        ("rsp-js-1.3.5", "R4", "two-streams", (2, 2, 6)),
        ("rsp-js-1.3.5", "R8", "total", (1, 3, 7, 8)),
    ],
)
def test_streams_whose_windows_have_just_closed_show_rules_that_others_hide(engine, rule, query, times):
    version, hunted = ENGINES[engine], QUERIES[query]
    isolation = Isolation(JUDGE, version, (), ())
    (off,) = (one for one in version.rules if one.name == rule)
    drawn = [stream for stream in closing_streams(hunted) if tuple(push.t for push in stream) == times]
    unanswered = [HuntedRun(hunted, stream, None) for stream in drawn]
    cause = RuleCause(version, off, version.rules, ())
    assert any(list(isolation.promised(run, [cause])) for run in unanswered)


@pytest.mark.parametrize(
    ("pushed", "kinds", "undefined"),
    [
        ([(1, "_:b"), (2, "_:b")], True, False),
        ([(1, "_:b"), (1, "_:c")], True, False),
        ([(1, "_:b"), (1, "_:b")], True, True),
        ([(1, "_:b")], False, True),
        ([(1, "<http://e/a>"), (1, "<http://e/a>")], False, False),
    ],
)
def test_runs_with_blank_nodes_are_judged_if_they_are_defined(pushed, kinds, undefined):
    query = QUERIES["tumbling"]
    letter = query.letters[0]
    pushes = tuple(Push(t, letter[0], (subject, *letter[1][1:])) for t, subject in pushed)
    answers = EngineAnswers(SimpleNamespace(kinds=kinds))
    run = HuntedRun(query, pushes, answers)
    assert run.is_undefined is undefined
    assert not undefined or JUDGE.verdict(run).correct is None


def test_a_stream_is_simulated_once_for_each_query_and_each_set_of_rules(monkeypatch):
    simulated, every = [], replace(ISOLATION)
    monkeypatch.setattr(showing, "without", lambda *of: simulated.append(of))
    for _ in range(2):
        for query in ("total", "sliding"):
            for times in ((2, 4), (1, 2, 4)):
                pushes = tuple(Push(t, *QUERIES["total"].letters[0]) for t in times)
                for off in ((), (RULES["A3"],), (RULES["D1"],)):
                    every._without(VERSION, HuntedRun(QUERIES[query], pushes, None), off)
    assert len(simulated) == 12
    monkeypatch.setattr(showing, "_KEPT", 1)
    every._without(VERSION, HuntedRun(QUERIES["total"], (), None), ())
    assert (len(simulated), len(every._simulated)) == (13, 1)
