"""How rows are cut into slices, what tuple windows carry there, what a task does with too little memory."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.text.notation import read
from lars.windows import Interval, TupleWindow
from solver import memory
from solver.columns import TermCodes, table_columns
from solver.facts import Always
from solver.facts.rows import COLUMNS, batch_of, fact_of_row, rows_of
from solver.job import Question
from solver.job.pipeline import Job
from solver.job.slices import tail
from solver.spark import slice_tasks
from solver.spark.carried_columns import columns_as_bytes, columns_of
from solver.spark.carried_rows import carried, kept, tails_of
from solver.spark.slice_answers import PartKind, parts_of, united
from solver.spark.slice_tasks import SliceTask
from solver.spark.slices import cut_by_rows, slice_of

SLICED = f"slice int, {COLUMNS}"


def table(rows, columns=COLUMNS):
    return pa.Table.from_batches([batch_of(rows, columns)])


def made(times, letters):
    """Return rows in arrival order: some equal, of two predicates and two sources."""
    return [
        (t, 0, i, "pq"[letter % 2], (f"a{letter % 3}", f"<s{letter % 2}>"))
        for i, (t, letter) in enumerate(zip(sorted(times), letters, strict=False))
    ]


some_rows = st.builds(
    made, st.lists(st.integers(0, 6), max_size=14), st.lists(st.integers(0, 5), min_size=14)
)
windows = st.sampled_from(
    [TupleWindow(0), TupleWindow(1), TupleWindow(3), TupleWindow(2, by=(1,)), TupleWindow(1, by=(2, 1))]
)


@given(some_rows, st.sets(windows, min_size=1, max_size=2), st.integers(1, 5), st.integers(1, 5))
def test_tuple_windows_carry_what_the_definition_keeps(rows, chosen, length, size):
    """However the trace is cut into slices, and the slices into batches."""
    starts = [1, *range(1 + length, 7, length)]
    numbered = [(sum(start <= row[0] for start in starts) - 1, *row) for row in rows]
    batches = [batch_of(numbered[i : i + size], SLICED) for i in range(0, len(numbered), size)]
    tails = pa.Table.from_batches(tails_of(tuple(chosen), iter(batches)), batch_of([], SLICED).schema)
    parts = [tails.filter(pa.compute.equal(tails["slice"], n)) for n in range(-1, len(starts))]
    for start, found in zip(starts, carried(tuple(chosen), parts), strict=True):
        before = dict.fromkeys(fact_of_row(row) for row in rows if row[0] < start)
        assert [fact_of_row(row) for row in rows_of(found)] == tail(chosen, list(before))


@given(some_rows, st.randoms(use_true_random=False), st.integers(1, 5))
def test_columns_that_come_as_bytes_are_those_of_the_rows(rows, random, size):
    """However the rows are shuffled and parted: in the order of time, then of arrival."""
    shuffled = random.sample(rows, len(rows))
    batches = [batch_of(shuffled[i : i + size], COLUMNS) for i in range(0, len(rows), size)]
    contents = [row["content"] for batch in columns_as_bytes(batches) for row in batch.to_pylist()]
    found, expected = columns_of(contents, TermCodes()), table_columns(table(rows))
    everything = Interval(0, 9)
    assert (found.facts(everything), found.last) == (expected.facts(everything), expected.last)


def test_rows_come_in_any_order_and_ties_stay():
    rows = made([1, 2, 2, 3], [0, 1, 2, 3])
    assert kept([TupleWindow(2)], table(rows[::-1])).equals(table(rows[1:]))


@given(st.lists(st.integers(0, 40), unique=True), st.integers(0, 41))
def test_a_slice_is_found_by_comparisons(starts, t):
    text = slice_of("t", sorted(starts)).replace("L", "")
    for name, value in (("if", "choose"), ("t <", f"{t} <")):
        text = text.replace(name, value)
    found = eval(text, {"choose": lambda test, yes, no: yes if test else no})
    assert found == sum(start <= t for start in starts)


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
        Question(read(text), (name, width), Always())
        for text, name, width in zip(texts, ("many", "one"), (5, 1), strict=True)
    )
    rows = [(0, t, 0, i, "p", (f"a{i}",)) for t in range(32) for i in range(60 if t == 5 else 1)]
    job = Job(asked, Interval(0, 31), {})
    task = SliceTask(job, (job.span,), {}, memory.bound(), None)
    parts = [*parts_of(pa.Table.from_batches(task(iter([batch_of(rows, SLICED)]))))]
    lost = [part for part in parts if part.kind is PartKind.EXHAUSTED]
    assert [(part.question, part.first, part.last) for part in lost] == [(0, 4, 7)]
    assert "the run needs more memory than" in lost[0].content.decode()
    many = united((part.content for part in parts if (part.question, part.kind) == (0, 0)), 5, TermCodes())
    one = united((part.content for part in parts if (part.question, part.kind) == (1, 0)), 1, TermCodes())
    assert [*many.by_time()] == [t for t in range(32) if not 4 <= t <= 7]
    assert [*one.by_time()] == [*range(32)]
