"""A row's support is one proof's input: enough to derive the row again, and visible in its windows."""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.formulas import Not
from lars.language.program import atoms as atoms_of
from lars.language.stream import cut, stream_of
from lars.language.windows import Interval
from lars.text.notation import read
from solver.columns import TermCodes, TraceColumns, trace_columns
from solver.facts import Fact, Situation, atom_of, matcher
from solver.job import Question
from solver.relational import encode, situation_of
from solver.relational.supports import supports
from tests.solver.in_process import evaluate
from tests.solver.pointwise.test_definition import programs_of
from tests.solver.strategies import part_of
from tests.translate.strategies import OWN, S1, S2, drawn, mostly, patterns, queries


def rows(program, given_to_it, t, output):
    """Return the rows of the output at t."""
    found = evaluate((Question(program, output, (t,)),), given_to_it, Interval(t, t))
    return sorted({answer.row for answer in found}, key=str)


def shown_by_some_window(program, given_to_it, t, leaf):
    """Whether a positive literal of the program has the leaf as an instance that its window shows."""
    stream = stream_of(given_to_it.timeline, ((fact.t, atom_of(fact)) for fact in given_to_it.facts))

    def is_shown(leaf, window):
        return atom_of(leaf) in cut(stream, window, t).input.get(leaf.t, ())

    literals = [part for rule in program.rules for part in rule.body if not isinstance(part, Not)]
    inside = [(atom, shown) for part in literals for atom, _, shown in atoms_of(part)]
    return any(
        matcher(atom)(leaf) and (is_shown(leaf, shown[0]) if shown else leaf.t == t) for atom, shown in inside
    )


def is_monotone(program):
    """Whether more input never takes a row away; tuple windows forget the older ones."""
    return not any(isinstance(part, Not) for rule in program.rules for part in rule.body)


def check(case, data):
    """Check the support of every answer of one of the case's programs, at each time."""
    program, output = programs_of(case, data), ("ans1", len(case.query.result))
    for t in case.timeline:
        answers = rows(program, case.situation, t, output)
        found = supports(program, encode(case.situation), output, answers, [t] * len(answers))
        for row, leaves in zip(answers, found, strict=True):
            event("leaves" if leaves else "no leaves")
            assert list(leaves) == sorted(set(leaves))
            assert all(shown_by_some_window(program, case.situation, t, leaf) for leaf in leaves)
            if is_monotone(program):
                assert row in rows(program, replace(case.situation, facts=leaves), t, output)


fed = patterns(depth=1, monotone=True, named=False, properties=(*OWN[S1], *OWN[S2]))


@part_of(0.5)
@given(drawn(queries(mostly(fed, patterns(monotone=True), 2))), st.data())
def test_an_answer_of_a_monotone_query_follows_from_its_support_and_static_data(case, data):
    check(case, data)


@part_of(0.5)
@given(st.one_of(drawn(), drawn(exclusive=False)), st.data())
def test_the_support_of_any_answer_is_visible(case, data):
    check(case, data)


def support(text, facts, t, *row):
    """Return the times of the leaves of a row of q."""
    given_to_it = Situation(Interval(0, 9), [Fact(u, name, tuple(args)) for u, name, *args in facts], {})
    return [leaf.t for leaf in supports(read(text), encode(given_to_it), ("q", len(row)), [row], [t])[0]]


PATHS = "step(X, Y) ← ⊞^9 ◇ f(X, Y). q(X, Y) ← step(X, Y). q(X, Z) ← q(X, Y), step(Y, Z)."


@part_of(0.25)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_what_supports_a_path_is_a_way_from_its_one_end_to_the_other(steps):
    facts = [(t % 8, "f", str(a), str(b)) for t, (a, b) in enumerate(steps)]
    given_to_it = Situation(Interval(0, 9), [Fact(t, name, tuple(args)) for t, name, *args in facts], {})
    answers = rows(read(PATHS), given_to_it, 8, ("q", 2))
    found = supports(read(PATHS), encode(given_to_it), ("q", 2), answers, [8] * len(answers))
    for row, leaves in zip(answers, found, strict=True):
        only = replace(given_to_it, facts=leaves)
        assert row in rows(read(PATHS), only, 8, ("q", 2))
        assert len({leaf.arguments for leaf in leaves}) == len(leaves)


def test_a_long_path_is_supported_by_all_its_steps():
    facts = [(i % 8, "f", f"n{i}", f"n{i + 1}") for i in range(100)]
    assert len(support(PATHS, facts, 8, "n0", "n100")) == 100


def test_each_of_two_atoms_that_need_each_other_has_a_proof_that_begins_with_input():
    text = "p ← q. q ← p. p ← ⊞^9 ◇ e. q ← ⊞^9 ◇ f(X)."
    assert support(text, [(2, "e")], 6) == [2]
    assert support(text, [(2, "e"), (4, "f", "a")], 6) in ([2], [4])


def test_an_aggregate_is_supported_by_its_group_and_the_first_of_an_order_by_themselves():
    facts = [(1, "f", "a", "b"), (3, "f", "b", "b"), (5, "f", "a", "a")]
    text = "p(?x, ?y) ← ⊞^9 ◇ f(?x, ?y). q(?x) ← ?n := COUNT(*) of p(?x, ?y) by ?x, [?n > 0]."
    assert support(text, facts, 6, "a") == [1, 5]
    first = "p(?x, ?y) ← ⊞^9 ◇ f(?x, ?y). q(?x) ← p(?x, ?y) among 3..3."
    assert support(first, facts, 6, "b") == [3]
    grouped = "p(?x, ?y) ← ⊞^9 ◇ f(?x, ?y). q(?y) ← p(?x, ?y) among 2..2 per ?x."
    assert support(grouped, facts, 6, "b") == [1]


def test_newer_input_is_preferred():
    facts = [(1, "f", "a"), (3, "f", "b"), (5, "f", "a"), (5, "e")]
    assert support("q(X) ← ⊞^9 ◇ f(X).", facts, 6, "a") == [5]
    assert support("q(X) ← ⊞^9 ◇ f(X).", facts, 6, "b") == [3]
    assert support("q(X) ← ⊞^9 ◇ f(X), not ⊞^2 ◇ f(X).", facts, 6, "b") == [3]


@pytest.mark.parametrize(
    "text",
    [
        "p(X, Y) ← ⊞^9 ◇ f(X, Y). q(X) ← p(X, Y), p(X, Z), p(X, V), Y != Z, Z != V.",
        "q(X) ← p(X, Y). p(X, Y) ← ⊞^9 ◇ f(X, Y). p(X, Y) ← p(X, Z), ⊞^9 ◇ f(Z, Y).",
        # A body of so many literals is proved literal by literal, and few of the many values suffice.
        f"q(X) ← {', '.join(f'⊞^9 ◇ f(X, {name})' for name in 'YZVW')}, Y != Z, Z != V, V != W.",
    ],
)
def test_the_choice_among_proofs_does_not_depend_on_the_codes_of_terms(text):
    """Spark reads a trace in parts, in which terms get other codes."""
    names, found = "abcdefg", set()
    facts = [Fact(t % 3, "f", (one, other)) for t, (one, other) in enumerate(permutations(names, 2))]
    for order in (names, names[::-1], "cebgdfa"):
        terms = TermCodes()
        terms.codes(order)
        columns = trace_columns(facts)
        atoms = {
            name: replace(some, columns=tuple(terms.codes(columns.terms.atom_texts(c)) for c in some.columns))
            for name, some in columns.atoms.items()
        }
        here = situation_of(TraceColumns(terms, atoms, 9), Interval(0, 9), {})
        found.add(tuple(supports(read(text), here, ("q", 1), [(name,) for name in names], [6] * len(names))))
    assert len(found) == 1


def test_without_one_of_its_leaves_a_row_may_still_have_another_proof():
    text, facts = "q ← ⊞^9 ◇ f(X), ⊞^1 ◇ e.", [(1, "f", "a"), (3, "f", "b"), (5, "e")]
    assert support(text, facts, 6) == [3, 5]
    assert support(text, facts[:1] + facts[2:], 6) == [1, 5]


def test_a_row_of_static_data_or_of_a_negation_has_no_leaves():
    assert support("k(a). q(X) ← k(X).", [(1, "e")], 3, "a") == []
    assert support("k(a). q(X) ← k(X), not ⊞^1 ◇ e.", [(1, "e")], 3, "a") == []
    assert support("k(a). k(X) ← ⊞^9 ◇ f(X). q(X) ← k(X), ⊞^9 ◇ e.", [(1, "e"), (2, "f", "a")], 3, "a") == [1]
