"""Windows of unlimited past in slices: each slice has the first occurrences of earlier atoms, no others."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.windows import Interval
from lars.text.notation import read
from solver.columns import TermCodes, TraceColumns, in_time_order
from solver.facts import Fact
from solver.job import Question, answer_runs, needs_of
from solver.job.slices import Job, needs_with_firsts
from solver.relational import situation_of
from solver.spark import pipeline
from solver.spark.reading import carried_by_block, spread_atoms
from solver.spark.task_bytes import unpack_atoms
from tests.solver.in_process import in_process
from tests.solver.spark.on_spark import block, on_spark
from tests.solver.spark.test_slices import made

SLICED = (
    "ans(X, Y) ← ⊞^∞ ◇ p(X, Y).",
    "ans(X, Y) ← ⊞^1 ◇ p(X, Y), ⊞^∞ ◇ q(X, Z).",
    "ans(X, Y) ← ⊞^2 ◇ p(X, Y), ⊞^∞ ◇ q(V, W), not ⊞^∞ ◇ q(X, W).",
    "ans(X, X) ← ⊞^∞ ◇ p(X, Y), ⊞^∞ ◇ q(X, Z), ⊞^0 ◇ p(V, W).",
    "ans(X, Y) ← ⊞^{∞,0,3} ◇ p(X, Y).",
    "ans(X, Y) ← ⊞^{∞,1,2} ◇ p(X, Y), not ⊞^3 □ p(X, Y).",
    "ans(X, Y) ← seen(X, Y), ⊞^∞ ◇ q(X, Z). seen(X, Y) ← ⊞^∞ ◇ p(X, Y), not ⊞^4 ◇ p(X, Y).",
)
WHOLE = (
    "ans(X, Y) ← ⊞^∞ □ p(X, Y).",
    "ans(X, T) ← ⊞^∞ @_T p(X, Y).",
    "ans(X, Y) ← ◇ p(X, Y).",
    "ans(X, Y) ← ⊞^∞ ◇ p(X, Y), ⊞^{#2} ◇ p(X, Z).",
    "ans(X, Y) ← ⊞^∞ p(X, Y).",
)


def question(text):
    return Question(read(text), ("ans", 2), None)


rows = st.builds(made, st.lists(st.integers(0, 12), max_size=20), st.lists(st.integers(0, 5), min_size=20))


@given(
    st.sampled_from(SLICED),
    rows,
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from((0, 2**31, 2**62 - 20)),
)
def test_slices_with_first_occurrences_have_the_answers_of_the_whole(text, given_rows, length, size, by):
    asked = question(text)
    # What clingo is given are IRIs.
    moved = [(row[0] + by, *row[1:4], (row[4][0], row[4][1].replace("<", "<urn:"))) for row in given_rows]
    blocks = [block(moved[i : i + size]) for i in range(0, len(moved), size)]
    timeline = Interval(by, by + 12)
    slices = [Interval(t, min(t + length - 1, by + 12)) for t in range(by, by + 13, length)]
    needs = needs_with_firsts([asked])
    assert needs.halo is not None
    carried = [pair for one in blocks for pair in carried_by_block((), timeline, slices, one, needs.firsts)]
    parts = [*pipeline._carried((), carried, len(slices), needs.firsts)]
    parts += [
        pair for one in blocks for pair in spread_atoms(needs, timeline, slices, range(len(slices)), one)
    ]
    found = {}
    for number, within in enumerate(slices):
        contents = [content for own, content in parts if own == number]
        found |= answers(asked, contents, timeline, within)
    whole = [
        content
        for one in blocks
        for _, content in spread_atoms(needs_of([asked]), timeline, [timeline], [0], one)
    ]
    expected = answers(asked, whole, timeline, timeline)
    event("rows" if any(expected.values()) else "no row")
    assert found == expected


def answers(asked, contents, timeline, within):
    terms = TermCodes()
    columns = TraceColumns(terms, in_time_order(unpack_atoms(contents, terms)), timeline.last)
    (runs,) = answer_runs([asked], situation_of(columns, timeline, {}), within)
    return runs.by_time()


@pytest.mark.parametrize("text", WHOLE)
def test_other_windows_of_unlimited_past_see_all_input(text):
    assert (needs_with_firsts([question(text)]).halo, needs_with_firsts([question(text)]).firsts) == (
        None,
        frozenset(),
    )


def test_a_bounded_program_needs_no_first_occurrences():
    asked = [question("ans(X, Y) ← ⊞^3 ◇ p(X, Y).")]
    assert needs_with_firsts(asked) == needs_of(asked)


@pytest.mark.parametrize(("names", "expected"), [(5, 6), (10_000, 1)])
def test_a_window_of_unlimited_past_is_evaluated_in_slices_if_atoms_recur(
    spark, monkeypatch, names, expected
):
    """Otherwise a slice would have as many atoms as all before it."""
    monkeypatch.setattr(pipeline, "SMALL", 60)
    facts = [Fact(t, "p", (f"a{(7 * t + i) % names}", f"b{i}")) for t in range(100) for i in range(3)]
    job = Job(
        (Question(read("ans(X, Y) ← ⊞^∞ ◇ p(X, Y), ⊞^1 ◇ p(X, Z)."), ("ans", 2), None),), Interval(0, 99), {}
    )
    cut, own = [], pipeline.slices_on_spark
    monkeypatch.setattr(pipeline, "slices_on_spark", lambda *parts: cut.append(own(*parts)) or cut[-1])
    found = on_spark(job, spark, [(fact.t, 0, i, *fact[1:]) for i, fact in enumerate(facts)])
    assert len(cut[0]) == expected
    assert sorted(found) == sorted(in_process(job, facts))
    assert found
