"""clingo certifies what columns answer, at times that are drawn: all while that is cheap, else some."""

import json
from collections import deque
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given

from agreement.documents.traces import LocalTrace
from lars.errors import DisputedAnswerError
from lars.language.windows import NOW, Interval
from lars.text.notation import read
from solver.columns import trace_columns
from solver.facts import Fact
from solver.job import Question, certified_part, certified_runs, certifying, evaluation
from solver.relational import encode, plans, situation_of
from solver.relational.plans import unfolded_plan
from solver.relational.shown_input import ShownInput
from solver.settings import Runner
from solver.spark import SparkTrace
from solver.spark.reading import ReadTrace
from tests.agreement.command import lars
from tests.packs import SAMPLES
from tests.solver.pointwise.test_definition import backgrounds, inputs
from tests.solver.relational.relational_cases import OUTPUTS
from tests.solver.relational.test_seeded_faults import FAULTS, shorter, with_window
from tests.solver.spark.on_spark import block, counts_of
from tests.solver.strategies import interval_programs, part_of, situation

JOIN = "q(X) ← ⊞^3 ◇ e(X), not ⊞^1 ◇ g(X)."
WINDOWS = ("⊞^3 ◇ e(X)", "⊞^{#2} ◇ e(X)", "⊞^∞ ◇ e(X)", "⊞^{3,0,2} ◇ e(X)")


def met(points, each):
    """Return a situation with so many atoms of two predicates at each of the times."""
    names = [("e", "g")[number % 2] for number in range(each)]
    facts = [Fact(t, name, (f"c{n}",)) for t in range(points) for n, name in enumerate(names)]
    return situation_of(trace_columns(facts), Interval(0, points - 1), {})


GONE = situation_of(trace_columns([Fact(1, "e", ("a",))]), Interval(0, 9), {})
"""One atom, which leaves a window after some time."""


def certified(here, how, text=JOIN, evaluator="auto"):
    """Return at how many times the one answer of a program is certified."""
    found = certified_runs(Question(read(text), ("q", 1), None), here, here.timeline, evaluator, how)
    return found.certified


def test_how_many_times_are_certified():
    small, large = met(20, 2), met(200, 200)
    assert [certified(small, how) for how in ("none", 3, "some", "all", 99)] == [
        0,
        3,
        20,
        20,
        20,
    ]
    assert 1 <= certified(large, "some") < 20
    assert certified(small, "none", evaluator="clingo") == 20


@pytest.mark.parametrize("window", WINDOWS)
def test_times_of_all_windows_are_certified(window):
    assert certified(met(12, 3), "all", f"q(X) ← {window}.") == 12


@part_of(0.1)
@given(interval_programs(), inputs, backgrounds)
def test_right_answers_are_certified(program, stream, known):
    here = encode(situation(stream, known))
    questions = [Question(program, output, None) for output in OUTPUTS]
    first, last = here.timeline.first, here.timeline.last
    halves = Interval(first, (first + last) // 2), Interval((first + last) // 2 + 1, last)
    # A part of the times needs also the input of windows before it, and after it.
    for question, within in product(questions, (here.timeline, *filter(None, halves))):
        found = certified_runs(question, here, within, "auto", "all")
        assert found.certified == len(found.times)


@pytest.mark.parametrize("window", WINDOWS[::3])
def test_a_fault_in_columns_ends_the_run(monkeypatch, window):
    monkeypatch.setattr(ShownInput, "_runs", with_window(shorter))
    with pytest.raises(DisputedAnswerError, match="the relational evaluator and clingo differ at"):
        certified(GONE, "all", f"q(X) ← {window}.")


PAIRS = read(
    "in(X, Y) ← ⊞^{4,0,3} ◇ f(X, Y). late(X) ← ⊞^2 ◇ f(X, Y). "
    "h(X, Y) ← ⊞^3 ◇ f(X, Y). h(X, Y) ← ⊞^1 ◇ g(X, Y). "
    "ans(X, Z) ← in(X, Y), h(Y, Z). ans(X, Y) ← in(X, Y), not late(Y)."
)


def without_last_rule(*asked):
    """Lose a rule of each predicate, as an error in a plan could."""
    layers = unfolded_plan(*asked)
    return tuple(replace(layer, rules=layer.rules[: max(1, len(layer.rules) - 1)]) for layer in layers)


LOST = {"a rule is lost": [(plans, "unfolded_plan", without_last_rule)]}


@pytest.mark.parametrize("fault", [*LOST, *(name for name in FAULTS if "tuple" not in name)])
def test_a_fault_is_found_as_often_without_the_atoms_that_rules_cannot_use(fault, monkeypatch):
    draw = Random(fault)
    arrivals = [(t, draw.choice("fg"), draw.sample("abcdef", 2)) for t in range(40) for _ in range(3)]
    facts = [Fact(t, name, tuple(pair)) for t, name, pair in arrivals]
    here = situation_of(trace_columns(facts), Interval(0, 39), {})
    for where in (FAULTS | LOST)[fault]:
        monkeypatch.setattr(*where)
    monkeypatch.setattr(evaluation, "check_alike_at", disputed)
    found = {}
    for large in (0, 10**6):
        monkeypatch.setattr(certifying, "_LARGE", large)
        found[large] = {t for t in range(40) if is_disputed(here, t, here.timeline)}
    alone = {t for t in range(40) if is_disputed(here, t, Interval(t, t))}
    assert alone == found[0] == found[10**6] != set()


def disputed(*_):
    """Say that columns and clingo differ, without a search for the smallest case."""
    raise DisputedAnswerError("differ", {}, "")


def is_disputed(here, t, within):
    """Return whether clingo has other rows at a time than columns have for all times together."""
    question = Question(PAIRS, ("ans", 2), None)
    (runs,) = evaluation.answer_runs([question], here, here.timeline)
    try:
        certifying._Claim(question, runs, certifying._used(question, here, within)).certified([t], here)
    except DisputedAnswerError:
        return True
    return False


def test_the_times_are_spread_and_the_same_in_every_run(monkeypatch):
    drawn = []
    monkeypatch.setattr(evaluation, "rows_at", lambda _, __, t: drawn.append(t) or ())
    here = situation_of(trace_columns([]), Interval(0, 99), {})
    for _ in range(2):
        certified(here, 10)
    assert drawn[:10] == drawn[10:]
    assert np.array_equal(np.array(drawn[:10]) // 10, np.arange(10))


def test_one_time_is_certified_where_clingo_is_slow_and_it_is_a_cheap_one(monkeypatch):
    drawn = []
    monkeypatch.setattr(evaluation, "rows_at", lambda _, __, t: drawn.append(t) or ())
    monkeypatch.setattr(certifying, "_CHEAP", 0)
    monkeypatch.setattr(evaluation.AnswerRuns, "at", lambda _, __: frozenset())
    facts = [Fact(t, name, (f"c{n}",)) for t in range(40) for name in "eg" for n in range(50)]
    grown = situation_of(trace_columns(facts), Interval(0, 39), {})
    for evaluations in range(1, 4):
        assert certified(grown, "some", "q(X) ← ⊞^∞ ◇ e(X), ⊞^∞ ◇ g(X).") == 1
        # What a window without an end shows grows: a twenty-fifth part of the input has come at once.
        assert len(drawn) == evaluations
        assert max(drawn) < 4


def test_agree_says_at_how_many_times():
    ran = lars("agree", SAMPLES / "coupons", "--in-process", "--certify", "5", "--json")
    assert json.loads(ran.out)["certified"] == {"times": 8, "of": 14}
    assert (
        "--certify sometimes: expected all, none"
        in lars("agree", SAMPLES / "coupons", "--certify", "sometimes").err
    )


def test_a_fault_ends_agree_with_the_smallest_case(monkeypatch, tmp_path):
    monkeypatch.setattr(ShownInput, "_runs", with_window(lambda _: NOW))
    monkeypatch.chdir(tmp_path)
    ran = lars("agree", SAMPLES / "coupons", "--in-process")
    assert ran.code == 3
    assert "the relational evaluator and clingo differ at" in ran.err
    assert {path.name for path in tmp_path.iterdir()} == {"difference.lars", "difference.atoms"}


@pytest.mark.parametrize(("certify", "expected"), [("some", 1), ("none", 0), (1, 4)])
def test_on_spark_one_time_is_certified_though_no_slice_affords_any(spark, certify, expected):
    """The first one, whose windows show least; a number is that of each slice that has times."""
    rows = [(t, 0, t, "e", (f"c{n}",)) for t in range(100) for n in range(100)]
    blocks = spark.parallelize([block(rows)], 1)
    span = Interval(0, 99)
    read_there = ReadTrace(blocks, [span], counts_of(rows), 0, 99, frozenset(), frozenset(), blocks)
    runner = Runner("local[2]", slices=5, certify=certify)
    here = SparkTrace(read_there, span, {}, runner)
    asked = Question(read("q(X) ← ⊞^40 ◇ e(X)."), ("q", 1), tuple(range(80)))
    (found,) = here.answers([asked])
    assert (found.evaluations, found.certified) == (80, expected)


def test_parts_of_a_job_check_together_as_many_times_as_the_whole_job():
    """Else a trace of many slices, in each of which clingo checks what is cheap there, costs much more."""
    facts = [Fact(t, "e", ("c",)) for t in range(1000)]
    here = situation_of(trace_columns(facts), Interval(0, 999), {})
    asked = Question(read("q(X) ← ⊞^3 ◇ e(X)."), ("q", 1), None)
    slices = [Interval(t, t + 99) for t in range(0, 1000, 100)]
    own = [certified_part(asked, here, within, "auto", "some", 10).certified for within in slices]
    whole = certified_part(asked, here, here.timeline, "auto", "some").certified
    assert (sum(own) <= whole + 3, max(own) <= 1) == (True, True)
    assert certified_part(asked, here, slices[0], "auto", "some").certified == 100


@pytest.mark.parametrize(("certify", "expected"), [("some", (1, 13)), (7, (7, 7)), (23, (23, 23))])
def test_the_slices_of_a_process_check_together_as_many_times_as_one_job(monkeypatch, certify, expected):
    """Else `lars solve`, which answers in slices, would check many times as much as `lars agree`."""
    drawn = []
    monkeypatch.setattr(evaluation, "rows_at", lambda _, __, t: drawn.append(t) or ())
    monkeypatch.setattr(evaluation.AnswerRuns, "at", lambda _, __: frozenset())
    facts = [Fact(t, "e", (f"c{n}",)) for t in range(1000) for n in range(3)]
    runner = Runner("in process", slices=20, certify=certify)
    trace = LocalTrace(trace_columns(facts), Interval(0, 999), {}, runner)
    question = Question(read("q(X) ← ⊞^3 ◇ e(X)."), ("q", 1), None)
    assert sum(len(times) for (times,) in trace.portions([question], Interval(0, 999))) == 1000
    least, most = expected
    assert least <= len(drawn) == len(set(drawn)) <= most
    if certify != "some":
        assert max(drawn) > 900
        assert min(drawn) < 150


def test_a_job_of_many_slices_checks_one_time_though_no_slice_affords_any(monkeypatch):
    drawn = []
    monkeypatch.setattr(certifying, "_CHEAP", 0)
    monkeypatch.setattr(certifying, "_SHARE", 0.0)
    monkeypatch.setattr(evaluation, "rows_at", lambda _, __, t: drawn.append(t) or ())
    monkeypatch.setattr(evaluation.AnswerRuns, "at", lambda _, __: frozenset())
    facts = [Fact(t, "e", (f"c{n}",)) for t in range(1000) for n in range(3)]
    # The first slices have no evaluation time, so the one check falls to a later slice.
    question = Question(read("q(X) ← ⊞^3 ◇ e(X)."), ("q", 1), tuple(range(400, 1000)))
    monkeypatch.setattr(Random, "random", lambda _: 0.0)
    for slices in (1, 20):
        drawn.clear()
        trace = LocalTrace(trace_columns(facts), Interval(0, 999), {}, Runner("in process", slices=slices))
        deque(trace.portions([question], Interval(0, 999)), 0)
        assert len(drawn) == 1
