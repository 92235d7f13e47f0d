"""What a grounder would list is counted before it does: never less than clingo lists, and not much beyond."""

from dataclasses import replace
from random import Random

import clingo
import pytest

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import encode, ground_instances, most_instances
from tests.benchmarks.join_memory import SHAPES

WINDOW = "⊞^9 ◇ "


def met(edges, times=(1,)):
    facts = [Fact(t, "e", edge) for t in times for edge in edges]
    return encode(Situation(Interval(0, 9), facts, {}))


def edges(seed, count, nodes):
    rng = Random(seed)
    return sorted({(f"n{rng.randrange(nodes)}", f"n{rng.randrange(nodes)}") for _ in range(count)})


def rule(body, head, arrow="←", before=WINDOW):
    return f"q({', '.join(head)}) {arrow} {', '.join(f'{before}e({a}, {b})' for a, b in body)}."


class Listed(clingo.Observer):
    """Counts the ground rules that clingo lists; the input is chosen, so that it simplifies none away."""

    def __init__(self):
        self.count = 0

    def rule(self, choice, head, body):  # noqa: ARG002
        self.count += bool(body)


def listed(text, edges):
    """Return how many instances clingo makes of a rule."""
    control, heard = clingo.Control(["--warn=none"]), Listed()
    control.register_observer(heard)
    control.add("base", [], text + "".join(f"{{e({a},{b})}}." for a, b in edges))
    control.ground([("base", [])])
    return heard.count


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_as_many_instances_as_clingo_lists_are_counted(name, seed):
    body, head = SHAPES[name]
    given = edges(seed, 14, 5)
    lists = listed(rule(body, head, ":-", ""), given)
    program, here = read(rule(body, head)), met(given)
    assert 0 < lists <= ground_instances(program, here, [1], 10**9)
    assert lists <= most_instances(program, here)


def test_nothing_larger_is_made_than_is_asked_for():
    program = read(rule(*SHAPES["6-cycle"]))
    crowded = met([(f"n{a}", f"n{b}") for a in range(60) for b in range(60)])
    assert 10_000 < ground_instances(program, crowded, [1], 10_000) < 10_000_000
    assert most_instances(program, crowded) == 3600**6


def test_an_atom_that_comes_several_times_is_joined_as_often():
    program, here = read("q(X) ← ⊞^9 ◇ e(X, Y), ⊞^9 ◇ e(Y, X)."), met([("a", "a")], times=(1, 2, 3))
    # These three alone, and each with each.
    assert ground_instances(program, here, [3], 100) == 3 + 9


def test_atoms_of_the_background_and_of_facts_are_counted_as_those_of_the_input():
    """They counted as none: a join of static data was certified, whatever time and memory clingo took."""
    program = read("q(X) ← f(X, Y), f(Y, Z). p(X) ← f(X, Y), ⊞^9 ◇ e(Y).")
    pairs = [(a, b) for a in "abc" for b in "abc"]
    here = encode(
        Situation(Interval(0, 9), [Fact(1, "e", ("a",)), Fact(1, "f", ("a", "d"))], {("f", 2): pairs})
    )
    # 10 pairs; each of the 9 goes on with 3, or with 4 at `a`. Then 10 pairs again, of which 3 meet e(a).
    assert ground_instances(program, here, [1], 100) == 10 + (3 * 3 + 3 * 3 + 3 * 4) + 10 + 3
    known = read(f"{program}\n" + " ".join(f"f({a}, {b})." for a, b in pairs))
    assert ground_instances(known, replace(here, background={}), [1], 100) == 53


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_the_instances_of_several_times_are_counted_together(name, seed):
    body, head = SHAPES[name]
    rng = Random(seed)
    facts = [Fact(rng.randrange(30), "e", edge) for edge in edges(seed, 40, 6)]
    here, program = encode(Situation(Interval(0, 40), facts, {})), read(rule(body, head))
    times = sorted(rng.sample(range(40), 8))
    each = [ground_instances(program, here, [t], 10**9) for t in times]
    together = ground_instances(program, here, times, 10**9)
    assert 0 < max(each) < sum(each) == together
    assert ground_instances(program, here, times, together - 1) > together - 1


def test_recursive_rules_are_counted_over_all_that_they_derive():
    chain = met([(f"n{a}", f"n{a + 1}") for a in range(10)])
    program = read("p(X, Y) ← ⊞^9 ◇ e(X, Y). p(X, Z) ← p(X, Y), ⊞^9 ◇ e(Y, Z).")
    # 10 atoms of input, again as the shorter part of the recursive body, which has 45 instances.
    assert ground_instances(program, chain, [1], 1000) >= 10 + 45
    assert most_instances(program, chain) is None


def test_a_set_of_no_atom_is_one_set_too():
    program = read("q(?n) ← ?n := COUNT(*) of p(?s). r ← q(?n), ⊞^9 ◇ e(X, Y).")
    here = met([("a", "b"), ("b", "c")])
    assert most_instances(program, here) >= 1 + 2


def test_an_instance_whose_condition_clingo_asks_python_for_counts_as_several():
    pairs = met([(f"n{a}", f"n{b}") for a in range(3) for b in range(3)])
    joined = "q(X, V) ← ⊞^9 ◇ e(X, Y), ⊞^9 ◇ e(V, W)"
    plain, asked = read(f"{joined}, Y < W."), read(f"{joined}, [?Y < ?W].")
    assert ground_instances(plain, pairs, [1], 10**6) == 9 + 81
    assert ground_instances(asked, pairs, [1], 10**6) == 11 * (9 + 81)
    assert most_instances(asked, pairs) == 11 * most_instances(plain, pairs)
