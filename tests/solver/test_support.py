"""A row's support is one proof's input: enough to derive the row again, and visible in its windows."""

from dataclasses import replace

from hypothesis import event, given
from hypothesis import strategies as st

from lars.formulas import Not
from lars.notation import read
from lars.program import atoms as atoms_of
from lars.windows import Interval
from solver.evaluate import Question, evaluate
from solver.facts import Fact
from solver.gate import Chosen, matcher
from solver.situation import Situation
from solver.support import Proofs
from solver.visible import Visible
from tests.solver.strategies import interval_programs, situation
from tests.solver.test_definition import backgrounds, inputs, programs_of
from tests.translate.strategies import drawn, patterns, queries


def rows(program, given_to_it, t, output):
    """Return the rows of the output at t."""
    found = evaluate((Question(program, output, Chosen((t,))),), given_to_it, Interval(t, t))
    return sorted({answer.row for answer in found}, key=str)


def shown_by_some_window(program, given_to_it, t, leaf):
    """Whether a positive literal of the program has the leaf as an instance that its window shows."""
    visible = Visible(given_to_it, (t,))
    literals = [part for rule in program.rules for part in rule.body if not isinstance(part, Not)]
    inside = [(atom, shown) for part in literals for atom, _, shown in atoms_of(part)]
    return any(
        matcher(atom)(leaf) and (leaf in visible.atoms(shown[0], atom) if shown else leaf.t == t)
        for atom, shown in inside
    )


def is_monotone(program):
    """Whether more input never takes a row away; tuple windows forget the older ones."""
    return not any(isinstance(part, Not) for rule in program.rules for part in rule.body)


def check(program, given_to_it, t, output):
    """Check the support of each row at t."""
    proofs = Proofs(program, given_to_it, t)
    for row in rows(program, given_to_it, t, output):
        leaves = proofs.support(output[0], row)
        event("leaves" if leaves else "no leaves")
        assert list(leaves) == sorted(set(leaves))
        assert all(shown_by_some_window(program, given_to_it, t, leaf) for leaf in leaves)
        if is_monotone(program):
            assert row in rows(program, replace(given_to_it, facts=leaves), t, output)


@given(interval_programs(), inputs, backgrounds, st.data())
def test_a_row_follows_from_its_support_and_the_background(program, stream, known, data):
    t = data.draw(st.sampled_from(list(stream.timeline)))
    check(program, situation(stream, known), t, ("ans", 2))


@given(drawn(queries(patterns(monotone=True)), exclusive=False), st.data())
def test_an_answer_of_a_monotone_query_follows_from_its_support(case, data):
    program, t = programs_of(case, data), data.draw(st.sampled_from(list(case.timeline)))
    check(program, case.situation, t, ("ans1", len(case.query.result)))


@given(drawn(exclusive=False), st.data())
def test_the_support_of_any_answer_is_visible(case, data):
    program, t = programs_of(case, data), data.draw(st.sampled_from(list(case.timeline)))
    check(program, case.situation, t, ("ans1", len(case.query.result)))


def support(text, facts, t, *row):
    """Return the times of the leaves of a row of q."""
    given_to_it = Situation(Interval(0, 9), [Fact(u, name, tuple(args)) for u, name, *args in facts], {})
    return [leaf.t for leaf in Proofs(read(text), given_to_it, t).support("q", row)]


def test_newer_input_is_preferred():
    facts = [(1, "f", "a"), (3, "f", "b"), (5, "f", "a"), (5, "e")]
    assert support("q(X) ← ⊞^9 ◇ f(X).", facts, 6, "a") == [5]
    assert support("q(X) ← ⊞^9 ◇ f(X).", facts, 6, "b") == [3]
    assert support("q(X) ← ⊞^9 ◇ f(X), not ⊞^2 ◇ f(X).", facts, 6, "b") == [3]


def test_without_one_of_its_leaves_a_row_may_still_have_another_proof():
    text, facts = "q ← ⊞^9 ◇ f(X), ⊞^1 ◇ e.", [(1, "f", "a"), (3, "f", "b"), (5, "e")]
    assert support(text, facts, 6) == [3, 5]
    assert support(text, facts[:1] + facts[2:], 6) == [1, 5]


def test_a_row_of_static_data_or_of_a_negation_has_no_leaves():
    assert support("k(a). q(X) ← k(X).", [(1, "e")], 3, "a") == []
    assert support("k(a). q(X) ← k(X), not ⊞^1 ◇ e.", [(1, "e")], 3, "a") == []


def test_recursive_rules_are_proved_in_finitely_many_steps():
    text = "m(X,Y) ← ⊞^9 ◇ g(X,Y). m(X,Z) ← m(X,Y), m(Y,Z). q(X,Y) ← m(X,Y)."
    facts = [(1, "g", "a", "b"), (2, "g", "b", "a"), (4, "g", "b", "c")]
    assert support(text, facts, 5, "a", "c") == [1, 4]
