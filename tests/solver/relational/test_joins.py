"""Joins of many patterns: their rows are those of trying every binding, and they stay small on the way."""

import tracemalloc
from itertools import product
from random import Random

import pytest

from lars.errors import OutOfMemoryError
from lars.language.windows import Interval
from lars.text.notation import read
from solver import memory
from solver.facts import Fact, Situation
from solver.relational import encode, evaluation, run_tables
from solver.relational.evaluation import RuleBody
from solver.relational.supports import supports
from tests.benchmarks.join_memory import SHAPES
from tests.solver.in_process import runs

TIMES = range(4)


def situation(rng, count, nodes):
    rows = sorted((rng.choice(TIMES), rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count))
    return Situation(Interval(0, TIMES[-1]), [Fact(t, "e", (f"n{s}", f"n{o}")) for t, s, o in rows], {})


def program(body, head):
    joined = ", ".join(f"p({a}, {b})" for a, b in body)
    return read(f"p(X, Y) ← ⊞^1 ◇ e(X, Y). q({', '.join(head)}) ← {joined}.")


def tried(body, head, edges):
    """Return the rows of all bindings of the variables."""
    names = sorted({*sum(body, ())})
    nodes = sorted({*sum(edges, ())})
    for values in product(nodes, repeat=len(names)):
        binding = dict(zip(names, values, strict=True))
        if all((binding[a], binding[b]) in edges for a, b in body):
            yield tuple(binding[name] for name in head)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_dropped_on_the_way_changes_no_row(name, seed):
    body, head = SHAPES[name]
    given = situation(Random(seed), 12, 3)
    found = {
        (row, t)
        for row, a, b in runs(program(body, head), given, TIMES, ("q", len(head)))
        for t in range(a, b + 1)
    }
    shown = {t: {f.arguments for f in given.facts if t - 1 <= f.t <= t} for t in TIMES}
    assert found == {(row, t) for t in TIMES for row in tried(body, head, shown[t])}


def hub(rng, count):
    """Return edges to a hub, from the hub, and elsewhere."""
    drawn = [[rng.randrange(count // 4), rng.randrange(count // 4)] for _ in range(count)]
    ends = [(rng.choice((0, one)), rng.choice((0, other))) for one, other in drawn]
    facts = sorted((rng.choice(TIMES), f"n{one}", f"n{other}") for one, other in ends)
    return Situation(Interval(0, TIMES[-1]), [Fact(t, "e", nodes) for t, *nodes in facts], {})


@pytest.mark.parametrize("name", ["triangle", "triangle, one of it", "4-clique", "5-clique"])
@pytest.mark.parametrize("seed", range(3))
def test_a_join_that_begins_with_the_table_of_fewer_matches_has_the_same_rows(name, seed, monkeypatch):
    body, head = SHAPES[name]
    given, splits = hub(Random(seed), 120), []

    def closed(self, bindings, pair, needed, own=RuleBody._closed):
        splits.append(pair)
        return own(self, bindings, pair, needed)

    monkeypatch.setattr(evaluation, "_MUCH", 0)
    monkeypatch.setattr(RuleBody, "_closed", closed)
    rows = set(runs(program(body, head), given, TIMES, ("q", len(head))))
    assert splits or name != "triangle"
    monkeypatch.setattr(RuleBody, "_rival", lambda *_: None)
    assert rows == set(runs(program(body, head), given, TIMES, ("q", len(head)))) != set()


def test_a_triangle_with_a_hub_visits_few_rows(monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    body, head = SHAPES["triangle"]
    assert list(runs(program(body, head), hub(Random(1), 3000), TIMES, ("q", 3)))
    assert max(pairs) < 3 * 3000


@pytest.mark.parametrize("portion", [1, 7])
def test_a_join_in_portions_has_the_same_rows(portion, monkeypatch):
    body, head = SHAPES["6-cycle, two of it"]
    given = situation(Random(1), 30, 5)
    whole = set(runs(program(body, head), given, TIMES, ("q", 2)))
    monkeypatch.setattr("solver.relational.run_tables.PAIRS_AT_ONCE", portion)
    assert set(runs(program(body, head), given, TIMES, ("q", 2))) == whole


@pytest.mark.parametrize("name", ["6-cycle", "8-cycle", "8-chain", "5-clique"])
def test_a_cycle_over_four_hundred_triples_takes_little_memory(name):
    body, head = SHAPES[name]
    given = situation(Random(1), 400, 20)
    tracemalloc.start()
    assert list(runs(program(body, head), given, [3], ("q", len(head))))
    assert tracemalloc.get_traced_memory()[1] < 200 * 2**20
    tracemalloc.stop()


def test_what_a_row_of_a_cycle_rests_on_is_a_cycle():
    body, head = SHAPES["6-cycle"]
    given = situation(Random(1), 400, 20)
    rows = [row for row, _, _ in runs(program(body, head), given, [3], ("q", 1))]
    for row, leaves in zip(
        rows, supports(program(body, head), encode(given), ("q", 1), rows, [3] * len(rows)), strict=True
    ):
        edges = {leaf.arguments for leaf in leaves}
        assert len(edges) <= len(body)
        assert row in tried(body, head, edges)


def test_a_join_for_which_memory_has_no_room_says_so_before_it_takes_it(monkeypatch):
    body, _ = SHAPES["6-cycle"]
    monkeypatch.setattr(memory, "_most", [memory.memory_used() + 2**24])
    with pytest.raises(OutOfMemoryError, match=r"needs more memory than .*, most of all for the rule .*\n"):
        list(runs(program(body, "ABCDEF"), situation(Random(1), 400, 20), [3], ("q", 6)))
