"""Rules with fewer variables derive the same: random programs, by the definition of their joins."""

from random import Random

import pytest

from lars.analysis import check_safety
from lars.elimination import with_fewer_instances, with_fewer_variables
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import run_tables
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


_COUNTS = ("COUNT(X)", "COUNT(*)", "COUNT(DISTINCT Y)", "COUNT(X, Y)", "MAX(Y)", "MIN(X)", "SAMPLE(Y)")
_JOINED = (
    "⊞^2 ◇ e(K, X), ⊞^5 ◇ f(K, Y)",
    "⊞^2 ◇ e(K, X), ⊞^5 ◇ f(K, Y), ⊞^1 ◇ e(Y, Z), Z != a",
    "⊞^2 ◇ e(K, X), ⊞^5 ◇ f(K, Y), X != Y",
    "⊞^2 ◇ e(K, Z), ⊞^2 ◇ e(Z, X), not g(K), ⊞^5 ◇ f(K, Y)",
    "⊞^2 ◇ e(K, X), g(K), ⊞^5 ◇ f(K, Y), not h(K, Y)",
    "⊞^2 ◇ e(K, X), ⊞^5 ◇ f(L, Y)",
    "nothing(K, X), ⊞^5 ◇ f(K, Y)",
)


def _random_counts(random: Random) -> str:
    by, head = random.choice([(" by K", "K, "), (" by K", "K, "), ("", "")])
    counts = ", ".join(f"{name} := {random.choice(_COUNTS)} of m(K, X, Y){by}" for name in "NM")
    below = "g(X) ← ⊞^1 ◇ e(X, X). h(X, Y) ← ⊞^1 ◇ f(Y, X). nothing(K, null) ← ⊞^2 ◇ e(K, X). "
    return f"{below}m(K, X, Y) ← {random.choice(_JOINED)}. p({head}N, M) ← {counts}."


@pytest.mark.parametrize("seed", few(range(60), 25))
def test_aggregates_of_fewer_instances_have_the_same_values(seed):
    random = Random(seed)
    program = read(_random_counts(random))
    output = ("p", 3 if " by K" in str(program) else 2)
    narrow = with_fewer_instances(program, output)
    check_safety(narrow)
    facts = sorted(
        (
            Fact(random.randint(0, 9), random.choice("ef"), tuple(random.choices("abc", k=2)))
            for _ in range(14)
        ),
        key=lambda fact: fact.t,
    )
    here = Situation(Interval(0, 9), facts, {})
    one, other = (set(runs(each, here, range(10), output)) for each in (program, narrow))
    assert one == other


def test_most_random_aggregates_have_fewer_instances():
    programs = [read(_random_counts(Random(seed))) for seed in range(60)]
    smaller = [with_fewer_instances(one, ("p", 3 if " by K" in str(one) else 2)) for one in programs]
    assert sum(one is not other for one, other in zip(programs, smaller, strict=True)) > 30
    assert sum("_0 * ?" in str(one) for one in smaller) > 8


def test_counts_that_are_multiplied_have_names_apart_from_all_variables():
    text = "p(K, N, M) ← N := COUNT(*) of m(K, N_0, N_1) by K, M := MAX(M_0) of m(K, M_0, N_1_) by K."
    narrow = with_fewer_instances(read(f"{text} m(K, X, Y) ← q(K, X), r(K, Y)."), ("p", 3))
    check_safety(narrow)
    assert "_0_ * ?" in str(narrow)


@pytest.mark.parametrize(
    "text",
    [
        "p(K, N) ← N := COUNT(X) of m(K, X, Y) by K. m(K, X, Y) ← q(K, X), q(X, Y).",
        "p(K, N) ← N := COUNT(X) of m(K, X, Y) by K. m(K, X, Y) ← q(K, X), r(Y).",
        "p(K, N) ← N := SUM(X) of m(K, X, Y) by K. m(K, X, Y) ← q(K, X), q(K, Y).",
        "p(K, N) ← N := COUNT(X) of m(K, X, Y) by K. m(K, X, Y) ← q(K, X), q(K, Y). m(K, X, X) ← q(K, X).",
        "p(K, N) ← N := COUNT(X) of m(K, X, a) by K. m(K, X, Y) ← q(K, X), q(K, Y).",
        "p(K, N) ← N := MAX(X) of m(K, X) by K. m(K, X) ← q(K, X), q(K, Y).",
        "p(K, N) ← N := COUNT(X) of m(K, L, X, Y) by K, L. m(K, L, X, Y) ← q(K, X), q(L, Y), Y != K.",
    ],
)
def test_aggregates_that_need_all_instances_stay(text):
    program = read(text)
    assert with_fewer_instances(program, ("p", 2)) is program


def test_counts_over_joins_visit_as_many_rows_as_the_input(monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    monkeypatch.setattr(run_tables, "CROWDED", 2**12)
    text = "m(K, X, Y) ← ⊞^9 ◇ e(K, X), ⊞^9 ◇ e(K, Y). p(K, N) ← N := COUNT(X) of m(K, X, Y) by K."
    facts = [Fact(number // 100, "e", ("k", f"n{number}")) for number in range(1000)]
    rows = list(runs(read(text), Situation(Interval(0, 9), facts, {}), range(9, 10), ("p", 2)))
    assert [row[1] for row, *_ in rows] == [f'"{1000**2}"^^<http://www.w3.org/2001/XMLSchema#integer>']
    assert max(pairs, default=0) <= 1000


def test_instances_are_those_of_rules_below_each_other_also_if_another_rule_uses_them():
    text = (
        "some ← d(X, V, W). p(N) ← N := COUNT(DISTINCT X) of d(X, V, W), some. "
        "c(X, V, W) ← ⊞^9 ◇ e(X, V), ⊞^9 ◇ f(Z, W). d(X, V, W) ← c(X, V, W), V < W."
    )
    narrow = with_fewer_variables(with_fewer_instances(read(text), ("p", 1)), ("p", 1))
    assert not any("some1(" in str(rule.head) and " c(" in str(rule) for rule in narrow.rules)
    facts = [Fact(t, name, (f"n{t}", str(t % 4))) for t in range(9) for name in "ef"]
    here = Situation(Interval(0, 9), facts, {})
    one, other = (set(runs(each, here, range(10), ("p", 1))) for each in (read(text), narrow))
    assert one == other != set()


def test_instances_with_other_sources_than_their_rule_stay():
    """Atoms of m can come from input, too; and the output needs all its rows."""
    text = "p(K, N) ← N := COUNT(X) of m(K, X, Y) by K. m(K, X, Y) ← q(K, X), r(K, Y)."
    program = read(text)
    assert with_fewer_instances(program, ("p", 2)) is not program
    assert with_fewer_instances(program, ("p", 2), frozenset({("m", 3)})) is program
    output = read(text.replace("p(", "o("))
    assert with_fewer_instances(output, ("m", 3)) is output
