"""clingo certifies only times at which it has not too much to list, unless it is told how many times."""

import json
import re
from itertools import product

import pytest

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.job import Question, certified_first, certified_runs, certifying
from solver.relational import encode
from tests.agreement.command import lars

CYCLE = "?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?e . ?e :p ?f . ?f :p ?a"
CROWDED = 4
"""The time at which 400 triples come between 20 nodes; before it comes a triple at a time."""


@pytest.fixture
def query(tmp_path):
    path = tmp_path / "cycle.rq"
    path.write_text(f"PREFIX : <http://e/> SELECT ?a {{ STREAM :S [RANGE 1s] {{ {CYCLE} }} }}")
    return path


@pytest.fixture
def trace(tmp_path):
    def line(s, o, t):
        return f'<http://e/n{s}> <http://e/p> <http://e/n{o}> <http://e/S> "{t}" .\n'

    path = tmp_path / "trace.nq"
    few = [line(1, 1, t) for t in range(1, CROWDED)]
    path.write_text("".join(few + [line(s, o, CROWDED) for s, o in product(range(20), repeat=2)]))
    return path


def test_a_cycle_over_many_triples_is_certified_where_few_are_seen(query, trace):
    """Of 400 triples 20^6 instances of the cycle are 64 million: clingo would take minutes and gigabytes."""
    ran = lars("agree", query, trace, "--period", 3, "--to", 6, "--in-process", "--json")
    found = json.loads(ran.out)["certified"]
    assert 0 < found["times"] < found["of"]


def test_a_cycle_over_few_triples_is_certified_at_all_times(query, trace):
    ran = lars("agree", query, trace, "--period", 1, "--to", CROWDED - 1, "--in-process")
    said = re.search(r"clingo verified (\d+) of (\d+) time points: same answers", ran.err)
    assert said[1] == said[2] != "0"


FACTS = [Fact(t, "e", (f"c{n}",)) for t, count in ((1, 2), (3, 9)) for n in range(count)]
HERE = encode(Situation(Interval(0, 3), FACTS, {}))
CROSS = Question(read("q(X) ← ⊞^0 ◇ e(X), ⊞^0 ◇ e(Y), ⊞^0 ◇ e(Z)."), ("q", 1), None)


@pytest.mark.parametrize(("most", "expected"), [(10**6, 4), (700, 3), (10, 2)])
def test_the_cheapest_times_are_certified_while_their_instances_are_few(most, expected, monkeypatch):
    """At 0 and 2 there is nothing, at 1 are 2 + 2^2 + 2^3 instances, at 3 are 9 + 9^2 + 9^3."""
    monkeypatch.setattr(certifying, "_INSTANCES", most)
    monkeypatch.setattr(certifying, "_INSTANCES_EACH", 0)
    assert certified_runs(CROSS, HERE, HERE.timeline).certified == expected
    for asked, times in (("all", 4), (3, 3)):
        assert certified_runs(CROSS, HERE, HERE.timeline, "auto", asked).certified == times


@pytest.mark.parametrize("certify", [certified_runs, certified_first])
def test_where_all_times_are_crowded_none_is_certified(certify, monkeypatch):
    monkeypatch.setattr(certifying, "_INSTANCES", 700)
    monkeypatch.setattr(certifying, "_INSTANCES_EACH", 0)
    crowded = Interval(3, 3)
    found = certified_runs(CROSS, HERE, crowded)
    if certify is certified_first:
        found = certified_first(CROSS, found, HERE)
    assert (len(found.times), len(found.at(3)), found.certified) == (1, 9, 0)
