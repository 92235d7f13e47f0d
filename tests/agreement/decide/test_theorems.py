"""The theorems of `lars decide` where random queries seldom meet them, with neighbours that they exclude."""

import pytest

from agreement.decide import Decided, Decider
from tests.agreement.decide import naive
from tests.agreement.decide.checking import question, searched, witnessed
from translate.tau import Trigger

ANY = ("s", "?x", naive.iri("p"), "?y")


def small(*conditions, length, period, parts=(ANY,), result=(), bounds="closed"):
    branch = naive.Branch(parts, conditions)
    return naive.Small((branch,), result, {"s": length, "c": 0}, bounds, period)


def decided(one, trigger):
    return Decider(question(one, (), trigger)).decide(one.period)


@pytest.mark.parametrize("period", [1, 2, 3, 4])
def test_t4_ask_agrees_where_matches_alone_fire_and_the_window_is_the_period(period):
    one = small(length=period - 1, period=period)
    assert decided(one, Trigger.MATCHING).verdict is Decided.ALWAYS
    assert searched(one, (), 400, period, "matching") is None


@pytest.mark.parametrize(
    "one",
    [
        small(length=2, period=2),
        small(length=1, period=3),
        small(length=2, period=3, result=("?x",)),
        small((">", "?y", naive.number(2)), length=2, period=3),
        small(length=2, period=3, parts=(ANY, ("s", "?z", naive.iri("q"), "?w"))),
    ],
    ids=["window too long", "too short", "a result variable", "a condition", "two patterns"],
)
def test_t4_needs_each_of_its_premises(one):
    found = decided(one, Trigger.MATCHING)
    assert found.verdict in (Decided.NEVER, Decided.OPEN)
    assert searched(one, (), 3000, 1, "matching") is not None
    assert found.witness is None or witnessed(one, found.witness, "matching")


@pytest.mark.parametrize("trigger", list(Trigger))
def test_t1_holds_for_every_trigger_and_optional(trigger):
    beside = ("OPTIONAL", (("s", "?x", naive.iri("q"), "?z"),))
    one = naive.Small((naive.Branch((ANY,), (), beside),), ("?x", "?z"), {"s": 0, "c": 0}, "closed", 1)
    assert decided(one, trigger).verdict is Decided.ALWAYS
    assert searched(one, (), 400, 1, trigger.value) is None


def test_t3_covers_tuple_and_unbounded_windows():
    for length in ("#1", "#2", None):
        one = small(length=length, period=3, result=("?x",))
        found = decided(one, Trigger.ANY)
        assert (found.verdict, found.theorem.name) == (Decided.NEVER, "NEVER")
        assert witnessed(one, found.witness)
