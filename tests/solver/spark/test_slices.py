"""How rows are cut into slices, what tuple windows carry there, what a task does with too little memory."""

import os
from signal import SIGKILL
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.analysis import Reach
from lars.language.terms import Atom, Iri, Variable
from lars.language.windows import Interval, TupleWindow
from lars.text.notation import read
from solver import memory
from solver.columns import TermCodes, TraceColumns, in_time_order
from solver.facts import Newest
from solver.job import Question
from solver.job import slices as slices_module
from solver.job.slices import Job, Needs, all_counts, counted, cut_by_rows
from solver.spark import slice_tasks
from solver.spark.pipeline import _carried
from solver.spark.reading import carried_by_block, spread_atoms
from solver.spark.slice_tasks import SliceTask
from solver.spark.task_bytes import Part, PartKind, pack_atoms, unpack_answers, unpack_atoms
from tests.solver.spark.on_spark import block
from tests.solver.traces.both_readings import fact_of_row


def made(times, letters):
    """Return rows in the order of time and arrival, which is none of time: some equal, of two sources."""
    rows = [
        (t, 0, 7919 * i % 10007, "pq"[letter % 2], (f"a{letter % 3}", f"<s{letter % 2}>"))
        for i, (t, letter) in enumerate(zip(times, letters, strict=False))
    ]
    return sorted(rows, key=lambda row: row[:3])


some_rows = st.builds(
    made, st.lists(st.integers(0, 6), max_size=14), st.lists(st.integers(0, 5), min_size=14)
)
late = st.sampled_from((0, 2**31, 2**62 - 7))
windows = st.sampled_from(
    [TupleWindow(0), TupleWindow(1), TupleWindow(3), TupleWindow(2, by=(1,)), TupleWindow(1, by=(2, 1))]
)


@given(some_rows, st.sets(windows, min_size=1, max_size=2), st.integers(1, 5), st.integers(1, 5))
def test_tuple_windows_carry_what_the_definition_keeps(rows, chosen, length, size):
    """However the trace is cut into slices, and the trace into blocks."""
    starts = [1, *range(1 + length, 7, length)]
    slices = tuple(Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], 7], strict=True))
    blocks = [block(rows[i : i + size]) for i in range(0, len(rows), size)]
    found = [part for one in blocks for part in carried_by_block(chosen, Interval(0, 6), slices, one)]
    assert [*ends(chosen, found, len(slices))] == [
        tail(chosen, list(dict.fromkeys(fact_of_row(row) for row in rows if row[0] < start)))
        for start in starts
    ]


def tail(windows, facts):
    """Return the facts, ascending in time, that some of the windows keeps at their end."""
    kept = {index for window in windows for index in Newest(window, facts).up_to(len(facts))}
    return [facts[index] for index in sorted(kept)]


def ends(windows, found, slices):
    """Yield what windows keep from before each slice."""
    terms = TermCodes()
    for _, content in _carried(tuple(windows), found, slices):
        atoms = in_time_order(unpack_atoms([content], terms))
        yield TraceColumns(terms, atoms, 6).facts(Interval(0, 6))


@given(
    some_rows, st.randoms(use_true_random=False), st.integers(1, 5), st.sampled_from((0, 2**31, 2**62 - 7))
)
def test_atoms_that_come_as_bytes_are_those_of_the_trace(rows, random, size, by):
    """However the rows are shuffled and parted: in the order of time, then of arrival."""
    rows = [(row[0] + by, *row[1:]) for row in rows]
    shuffled = random.sample(rows, len(rows))
    blocks = [block(shuffled[i : i + size]) for i in range(0, len(rows), size)]
    contents = [pack_atoms(one.atoms, one.terms) for one in blocks]
    found = TraceColumns(terms := TermCodes(), in_time_order(unpack_atoms(contents, terms)), 6 + by)
    assert found.facts(Interval(by, 6 + by)) == [fact_of_row(row) for row in rows]


WAITED = {
    Atom("q", (Variable("X"), Variable("Y"))): lambda row: row[3] == "q",
    Atom("q", (Variable("X"), Iri("s1"))): lambda row: (row[3], row[4][1]) == ("q", "<s1>"),
}


@given(
    some_rows,
    st.lists(st.integers(1, 6), unique=True),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sets(st.sampled_from([*WAITED])),
)
def test_a_slice_is_given_what_its_windows_reach_and_one_atom_for_each_trigger_and_time(
    rows, borders, past, future, waited
):
    """p of the first source is shown, q only waited for; a part of the timeline alone is seen."""
    starts = [0, *sorted(borders)]
    slices = tuple(Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], 7], strict=True))
    shown = Atom("p", (Variable("X"), Iri("s0")))
    wanted = Needs(frozenset({shown}), frozenset(waited), Reach(past, future, frozenset()))
    fitting = [{row[0]: row for row in filter(WAITED[one], reversed(rows))} for one in waited]
    firsts = [row for by_time in fitting for row in by_time.values()]
    timeline, numbers = Interval(1, 6), frozenset(range(len(slices))[::2])
    expected = {
        (number, *fact_of_row(row))
        for row in rows
        for number in numbers
        if row[0] in timeline
        and (
            (row in firsts and row[0] in slices[number])
            or (
                row[3:] == ("p", (row[4][0], "<s0>"))
                and slices[number].first - past <= row[0] <= slices[number].last + future
            )
        )
    }
    found = {
        (number, *fact)
        for number, content in spread_atoms(wanted, timeline, slices, numbers, block(rows))
        for fact in facts_of(content)
    }
    assert found == expected


def facts_of(content):
    terms = TermCodes()
    return TraceColumns(terms, in_time_order(unpack_atoms([content], terms)), 6).facts(Interval(0, 6))


@given(some_rows, st.integers(1, 4))
def test_atoms_are_counted_in_not_too_many_parts_of_the_timeline(rows, parts):
    """No part holds two times and more than its share, and none is counted twice."""
    with patch.object(slices_module, "_PARTS", parts):
        found = [counted([some.t for some in block(own).atoms.values()]) for own in (rows[::2], rows[1::2])]
    assert all(len(begins) <= parts for begins, _ in found)
    begins, numbers = all_counts(found)
    assert sorted(set(begins.tolist())) == begins.tolist()
    assert int(numbers.sum()) == len(rows)
    if parts == 4:
        assert {*begins.tolist()} <= {row[0] for row in rows}


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30), st.integers(1, 40), st.integers(0, 5))
def test_slices_are_the_span_and_hold_no_more_of_others_than_of_their_own(numbers, rows, halo):
    begins = np.flatnonzero(numbers)
    counts = begins, np.array(numbers)[begins]
    span = Interval(0, len(numbers) - 1)
    slices = cut_by_rows(counts, span, rows, halo)
    assert [t for one in slices for t in one] == list(span)
    for one in slices[:-1]:
        own = sum(numbers[one.first : one.last + 1])
        assert own >= rows
        assert own >= sum(numbers[max(0, one.first - halo) : one.first])


def test_a_burst_is_cut_like_an_even_trace():
    """Nine of ten rows in a hundredth of the time."""
    begins = np.arange(10_000)
    numbers = np.where(begins // 100 == 50, 9000, 10)
    slices = cut_by_rows((begins, numbers), Interval(0, 9999), 100_000, 2)
    own = [int(numbers[one.first : one.last + 1].sum()) for one in slices]
    assert (len(own), max(own) < 160_000) == (9, True)


@pytest.fixture
def little_memory(monkeypatch):
    """200 MB more than the process has already, for the processes of slices alone."""
    monkeypatch.setattr(memory, "_most", [memory.memory_used() + 2 * 10**8])
    monkeypatch.setattr(slice_tasks.memory, "watch_task", lambda _: None)


def test_what_needs_too_much_memory_is_halved_and_the_rest_is_kept(little_memory):
    """At time 5 a cross product of five, at all others one row; the other question is answered everywhere."""
    five = ", ".join(f"⊞^0 ◇ p({name})" for name in "ABCDE")
    texts = f"many(A, B, C, D, E) ← {five}.", "one(A) ← ⊞^0 ◇ p(A)."
    asked = tuple(
        Question(read(text), (name, width), None)
        for text, name, width in zip(texts, ("many", "one"), (5, 1), strict=True)
    )
    rows = [(t, 0, i, "p", (f"a{i}",)) for t in range(32) for i in range(60 if t == 5 else 1)]
    job = Job(asked, Interval(0, 31), {})
    task = SliceTask(job, (job.span,), (0,), SimpleNamespace(value={}), memory.limit(), None)
    one = block(rows)
    parts = [*task(0, [(0, pack_atoms(one.atoms, one.terms))])]
    lost = [part for part in parts if part.kind is PartKind.EXHAUSTED]
    assert [(part.question, part.first, part.last) for part in lost] == [(0, 4, 7)]
    assert "the run needs more memory than" in lost[0].content.decode()
    many = unpack_answers(
        (part.content for part in parts if (part.question, part.kind) == (0, 0)), 5, TermCodes()
    )
    one = unpack_answers(
        (part.content for part in parts if (part.question, part.kind) == (1, 0)), 1, TermCodes()
    )
    assert [*many.by_time()] == [t for t in range(32) if not 4 <= t <= 7]
    assert [*one.by_time()] == [*range(32)]


def task_of(monkeypatch, gate, *told):
    """Return what a task says of two questions, if this is what its processes tell, one after the other."""
    question = Question(read("q(X) ← p(X)."), ("q", 1), gate)
    job = Job([question] * 2, Interval(0, 31), {})
    task = SliceTask(job, (job.span,), (0,), SimpleNamespace(value={}), memory.limit(), None)
    listened = iter(told)
    monkeypatch.setattr(slice_tasks, "_in_child", lambda _: iter(next(listened, ())))
    empty = block([])
    return [*task(0, [(0, pack_atoms(empty.atoms, empty.terms))])]


EXHAUSTED = Part(0, PartKind.EXHAUSTED, 0, 0, b"too much")
ANSWERED = [Part(number, PartKind.ANSWERS, 0, 31, b"") for number in (0, 1)]


def test_memory_that_is_used_up_when_all_was_told_loses_nothing(monkeypatch):
    assert task_of(monkeypatch, None, [*ANSWERED, EXHAUSTED]) == ANSWERED


def test_a_question_without_a_time_in_the_slice_needs_no_second_try(monkeypatch):
    assert task_of(monkeypatch, (), [EXHAUSTED], ANSWERED[1:]) == ANSWERED[1:]


def test_a_process_that_the_system_kills_keeps_what_it_told():
    def work(tell):
        tell(ANSWERED[0])
        os.kill(os.getpid(), SIGKILL)

    told, lost = slice_tasks._in_child(work)
    assert (told, lost.kind) == (ANSWERED[0], PartKind.EXHAUSTED)
