"""Which input a program can use: constants are handed on from the rules that read to those that derive."""

from dataclasses import replace

import pytest
from hypothesis import given

from lars.text.notation import read
from solver.facts import Fact, needed_atoms
from solver.job import Question
from tests.lars.strategies import cases
from tests.solver.in_process import evaluate
from tests.solver.strategies import interval_programs, part_of, situation_of

GRAPH = "g(S, P, O) ← s(S, P, O). s(S, P, O) ← ⊞^5 ◇ e(S, P, O)."


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (f"ans(X) ← g(X, p, Y). {GRAPH}", {"e(X0, p, X1)"}),
        (f"ans(X) ← g(X, p, Y), not gone(X). gone(X) ← g(X, q, a). {GRAPH}", {"e(X0, p, X1)", "e(X0, q, a)"}),
        (f"ans(X) ← g(X, p, Y). other(X) ← g(X, q, Y). {GRAPH}", {"e(X0, p, X1)"}),
        (f"ans(X) ← g(X, p, Y). ← g(X, q, Y). {GRAPH}", {"e(X0, p, X1)", "e(X0, q, X1)"}),
        (f"ans(X) ← g(X, p, X), g(X, Y, b). {GRAPH}", {"e(X0, p, X1)", "e(X0, X1, b)"}),
        (f"ans(N) ← N := COUNT(X) of g(X, p, b). {GRAPH}", {"e(X0, p, b)"}),
        ("ans(X) ← t(a, X). t(X, Y) ← e(X, Y). t(X, Z) ← t(X, Y), e(Y, Z).", {"e(a, X0)", "e(X0, X1)"}),
    ],
)
def test_a_constant_is_handed_on_through_any_number_of_rules(program, expected):
    found = needed_atoms(read(program), ("ans", 1))
    assert {str(atom) for atom in found if atom.predicate == "e"} == expected


@part_of(0.5)
@given(cases(interval_programs()))
def test_other_input_changes_no_answer(case):
    """Evaluated by clingo, which is given the input as it is."""
    asked, whole = Question(case.program, ("ans", 2), None), situation_of(case)
    needed = needed_atoms(case.program, ("ans", 2))
    some = [fact for fact in whole.facts if any(matches(pattern, fact) for pattern in needed)]
    timeline = case.stream.timeline
    rows = [list(evaluate([asked], at, timeline, "clingo")) for at in (whole, replace(whole, facts=some))]
    assert rows[0] == rows[1]


def matches(pattern, fact: Fact):
    """Whether a fact has the constants of a pattern."""
    pairs = [*zip(map(str, pattern.arguments), fact.arguments, strict=False)]
    sized = (fact.predicate, len(fact.arguments)) == (pattern.predicate, len(pattern.arguments))
    return sized and all(term == own for term, own in pairs if not term.startswith("X"))
