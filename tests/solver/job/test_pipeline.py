"""In this process = on Spark, however the timeline is cut and the rows are ordered.

Spark jobs are slow to start, so one job gets many random queries over one random stream.
"""

from collections.abc import Iterator
from random import Random
from typing import get_args

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.stream import cut
from lars.language.terms import Atom
from lars.language.windows import Interval
from lars.text.notation import read
from solver.columns import trace_columns
from solver.facts import Multiples, Situation
from solver.job import Question, ask
from solver.job.evaluation import answers_in
from solver.job.slices import Job, situations
from tests.lars.strategies import X, streams, windows
from tests.solver.in_process import evaluate, in_process
from tests.solver.pointwise.test_definition import backgrounds, inputs, stream_atoms
from tests.solver.spark.on_spark import on_spark
from tests.solver.strategies import interval_programs, part_of, situation
from tests.solver.traces.both_readings import fact_of_row
from tests.translate.strategies import drawn
from translate.analysis import cq, cs
from translate.model.query import Trigger
from translate.tau import lars_program, pull, push

PACKED = 50
"""Questions of one Spark job."""


def rows_of(facts):
    """Return facts as a trace's rows (t, position, seq, predicate, arguments); seq is the arrival order."""
    return [(f.t, 0, i, f.predicate, f.arguments) for i, f in enumerate(facts)]


def row(t, position, seq, *arguments):
    """Return a triple of a stream as a trace's row."""
    return (t, position, seq, "striple", arguments)


def answers(found: Iterator):
    """Return the answers as a set; each comes once."""
    listed = list(found)
    assert len(listed) == len(set(listed))
    return set(listed)


def gated(program, period):
    """Return the program with a trigger: push of each kind, pull, or none."""
    gates = (
        lambda: program,
        *(lambda trigger=trigger: push(program, trigger) for trigger in get_args(Trigger)),
        lambda: pull(program, period),
    )
    return gates[period % len(gates)]()


def question_of(case, number):
    """Return the question of a random query: τ1, or τ2 of a variant, with a trigger by its number."""
    variants = cq(case.query)
    query = cs(case.query) if number % 2 else variants[number // 2 % len(variants)].query
    return ask(gated(lars_program(query, case.setting), 1 + number % 7), ("ans1", len(case.query.result)))


def packed_jobs():
    """Return jobs of many questions each, with the facts that they are asked of."""
    cases = []

    @settings(max_examples=max(PACKED, settings().max_examples // 2))
    @given(drawn(exclusive=False))
    def collect(case):
        cases.append(case)

    collect()
    for start in range(0, len(cases), PACKED):
        chunk = cases[start : start + PACKED]
        asked = tuple(question_of(case, start + i) for i, case in enumerate(chunk))
        yield (
            Job(asked, chunk[-1].timeline, chunk[-1].background),
            [f for case in chunk[-3:] for f in case.facts],
        )


def test_spark_gives_the_answers_of_this_process(spark):
    jobs = list(packed_jobs())
    for number, (job, facts) in enumerate(jobs):
        ordered = sorted(facts, key=lambda fact: fact.t)
        expected = answers(in_process(job, ordered))
        rows = Random(number).sample(rows_of(ordered), len(ordered))
        cut = Job(job.questions, job.timeline, job.background, (3, 5, None, 1, 7)[number % 5])
        assert answers(on_spark(cut, spark, rows)) == expected
        assert len({answer.question for answer in expected}) > PACKED // 10


def test_on_spark_equal_rows_at_one_time_count_once_at_the_first_arrival(spark):
    job = Job((newest("⊞^{#2 <s>}", "<a>"),), Interval(0, 6), {}, 3)
    rows = [row(1, 0, i, s, "<p>", "<o>", "<s>") for i, s in enumerate(("<a>", "<b>", "<a>"))]
    assert times(on_spark(job, spark, rows[::-1])) == [*range(1, 7)]
    later = [*rows, row(2, 1, 0, "<b>", "<p>", "<o>", "<s>")]
    assert times(on_spark(job, spark, later)) == [1]


def test_a_job_without_rows_is_evaluated_at_every_time(spark):
    job = Job((Question(read("q ← not ⊞^2 ◇ e."), ("q", 0), None),), Interval(2, 6), {}, 3)
    assert times(on_spark(job, spark, [])) == times(in_process(job, [])) == [*range(2, 7)]


@pytest.mark.parametrize("slices", [None, 1, 2, 5, 9])
def test_tuple_windows_carry_what_slices_long_ago_brought(spark, slices):
    job = Job((newest("⊞^{#2 <s>}", "<a>"),), Interval(0, 8), {}, slices)
    rows = [row(0, 0, 0, "<a>", "<p>", "<o>", "<s>"), row(7, 0, 1, "<b>", "<p>", "<o>", "<other>")]
    rows += [row(8, 0, 2, "<b>", "<p>", "<o>", "<s>"), row(8, 0, 3, "<c>", "<p>", "<o>", "<s>")]
    facts = [fact_of_row(one) for one in rows]
    assert times(on_spark(job, spark, rows)) == [*range(8)]
    assert times(in_process(job, facts)) == [*range(8)]


def newest(window, subject):
    """Return the question whether the window shows a triple of the subject, at every time."""
    return Question(read(f"q ← {window} ◇ striple({subject}, <p>, <o>, <s>)."), ("q", 0), None)


def times(found):
    return sorted(answer.t for answer in found)


@st.composite
def jobs(draw):
    """A random stratified program with a gate, over a random stream and background, and the facts."""
    given_to_it = situation(draw(inputs), draw(backgrounds))
    gate = draw(st.sampled_from((None, Multiples((2, 3)))))
    asked = Question(draw(interval_programs()), ("ans", 2), gate)
    return Job((asked,), given_to_it.timeline, given_to_it.background), given_to_it.facts


@given(jobs(), st.integers(1, 7))
def test_the_number_of_slices_changes_nothing(drawn_job, slices):
    job, facts = drawn_job
    cut = Job(job.questions, job.timeline, job.background, slices)
    expected = answers(evaluate(job.questions, Situation(job.timeline, facts, job.background), job.timeline))
    event("answers" if expected else "no answers")
    assert answers(in_process(cut, facts)) == expected


@given(inputs, windows())
def test_a_slice_of_one_time_point_has_all_that_its_window_shows(stream, window):
    rule = Rule(Atom("q", (X,)), (In(window, Diamond(Atom("f", (X,)))),))
    asked = (Question(Program((rule,)), ("q", 1), None),)
    slices = [Interval(t, t) for t in stream.timeline]
    parts = situations(Job(asked, stream.timeline, {}), trace_columns(situation(stream, ()).facts), slices)
    for within, part in zip(slices, parts, strict=True):
        found = answers_in(asked, part, within)
        shown = cut(stream, window, within.first).input.values()
        expected = {(str(a.arguments[0]),) for inside in shown for a in inside if a.predicate == "f"}
        assert {answer.row for answer in found} == expected


@part_of(0.5)
@given(drawn(exclusive=False), st.integers(2, 7), st.integers(0, 41))
def test_the_number_of_slices_changes_nothing_for_a_query(case, slices, number):
    job = Job((question_of(case, number),), case.timeline, case.background, slices)
    whole = Job(job.questions, job.timeline, job.background, 1)
    assert answers(in_process(job, case.facts)) == answers(in_process(whole, case.facts))


@given(jobs(), st.integers(1, 7), st.data())
def test_the_order_of_times_and_repeated_rows_change_nothing(drawn_job, slices, data):
    job, facts = drawn_job
    again = data.draw(st.lists(st.sampled_from(facts), max_size=4))
    by_time = {t: [f for f in facts if f.t == t] + [f for f in again if f.t == t] for t in job.timeline}
    order = data.draw(st.permutations(list(job.timeline)))
    mixed = [fact for t in order for fact in by_time[t]]
    cut = Job(job.questions, job.timeline, job.background, slices)
    assert answers(in_process(cut, mixed)) == answers(in_process(job, facts))


@part_of(0.5)
@given(streams(stream_atoms), interval_programs(), st.integers(1, 3))
def test_rows_outside_the_timeline_are_not_seen(stream, program, cut):
    facts = situation(stream, ()).facts
    inner = Interval(stream.timeline.first + cut, stream.timeline.last - cut)
    job = Job((Question(program, ("ans", 2), None),), inner, {}, 2)
    inside = [fact for fact in facts if fact.t in inner]
    assert answers(in_process(job, facts)) == answers(in_process(job, inside))
