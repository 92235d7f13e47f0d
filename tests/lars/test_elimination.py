"""Rules with fewer variables derive the same: random programs, by the definition of their joins."""

from random import Random

import pytest

from lars.analysis import check_safety
from lars.elimination import with_fewer_variables
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from tests.sizes import few
from tests.solver.in_process import runs

_NAMES = "XYZVW"


def _random_program(random: Random) -> str:
    def body(names: str, sources: list[str]) -> str:
        parts = [
            f"{random.choice(sources)}({random.choice(names)}, {random.choice(names)})"
            for _ in range(random.randint(2, 4))
        ]
        bound = sorted({name for part in parts for name in part[part.index("(") :] if name in _NAMES})
        parts += [
            f"{random.choice(bound)} != {random.choice([*bound, 'a'])}" for _ in range(random.randint(0, 2))
        ]
        parts += [
            f"not {random.choice(sources)}({random.choice(bound)}, {random.choice(bound)})"
        ] * random.randint(0, 1)
        return ", ".join(parts), bound

    shown = ["⊞^2 ◇ e", "⊞^5 ◇ f"]
    rules = []
    inner, bound = body(_NAMES, shown)
    first, second = (random.choice(bound) for _ in range(2))
    rules.append(f"mid({', '.join(dict.fromkeys((first, second, bound[-1])))}) ← {inner}.")
    width = len(dict.fromkeys((first, second, bound[-1])))
    for _ in range(random.randint(1, 3)):
        use = f"mid({', '.join(random.choice(_NAMES) for _ in range(width))})"
        more, found = body(_NAMES, shown)
        rules.append(f"p({random.choice(found)}) ← {use}, {more}.")
    return " ".join(rules)


@pytest.mark.parametrize("seed", few(range(40), 14))
def test_rules_with_fewer_variables_derive_the_same(seed):
    random = Random(seed)
    program = read(_random_program(random))
    narrow = with_fewer_variables(program, ("p", 1))
    check_safety(narrow)
    facts = sorted(
        {
            Fact(random.randint(0, 9), random.choice("ef"), (random.choice("abc"), random.choice("abc")))
            for _ in range(9)
        },
        key=lambda fact: fact.t,
    )
    here = Situation(Interval(0, 9), facts, {})
    one, other = (set(runs(each, here, range(10), ("p", 1))) for each in (program, narrow))
    assert one == other


def test_most_random_programs_have_rules_with_fewer_variables():
    programs = [read(_random_program(Random(seed))) for seed in range(40)]
    assert sum(with_fewer_variables(one, ("p", 1)) is not one for one in programs) > 20


def test_independent_variables_come_apart_and_what_is_alike_is_derived_once():
    names = [f"Y{n}" for n in range(8)]
    star, head = ", ".join(f"q(X, {name}), [?{name} > 1]" for name in names), ", ".join(names)
    found = with_fewer_variables(read(f"all(X, {head}) ← {star}. p(X) ← all(X, {head})."), ("p", 1))
    assert str(found) == "some1(X0) ← q(X0, X1), [?X1 > 1].\np(X) ← q(X, Y7), [?Y7 > 1], some1(X)."


@pytest.mark.parametrize(
    "text",
    [
        "p(X, Y) ← q(X, Y), r(Y, X).",
        "p(X) ← q(X, Y), q(Y, Z), q(Z, X).",
        "mid(X, Y) ← q(X, Y), r(Y, X). p(X) ← mid(X, Y), not mid(Y, X).",
        "@_T p(X) ← q(X), r(T).",
        "mid(X, Y, Z) ← q(X, Y), r(Y, Z). p(X) ← N := COUNT(*) of mid(X, Y, Z) by X.",
    ],
)
def test_what_cannot_come_apart_stays(text):
    program = read(text)
    assert with_fewer_variables(program, ("p", 2 if text.startswith("p(X, Y)") else 1)) is program


def test_atoms_that_hold_without_a_rule_are_kept():
    program = read("mid(X, Y, Z) ← q(X, Y), r(X, Z). p(X) ← mid(X, Y, Z).")
    assert with_fewer_variables(program, ("p", 1)) is not program
    assert with_fewer_variables(program, ("p", 1), frozenset({("mid", 3)})) is program
