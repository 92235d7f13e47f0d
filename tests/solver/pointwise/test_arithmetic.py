"""Arithmetic: refused without end or beyond 32 bit; remainders of floor division; what long windows cost."""

import pytest

from lars.errors import LarsError
from lars.language.stream import stream_of
from lars.language.terms import Atom, Number, write_name
from lars.language.windows import Interval
from lars.text.notation import read
from solver.pointwise import models
from solver.pointwise.asp_terms import symbol_of, text_of
from tests.solver.strategies import situation


def at(t, arrivals=()):
    return situation(stream_of(Interval(0, 9), arrivals), ())


@pytest.mark.parametrize(
    "rules",
    ["n(X) ← f(X). n(Y) ← n(X), Y = X + 1.", 'n(?y) ← n(?x), ?y := [CONCAT(?x, "a")]. n("b") ← e.'],
)
def test_arithmetic_without_end_is_refused(rules, monkeypatch):
    monkeypatch.setattr("solver.pointwise.encoding.MOST_NUMBERS", 5000)
    arrivals = [(1, Atom("e")), (1, Atom("f", (read("n(5).").rules[0].head.arguments[0],)))]
    with pytest.raises(LarsError, match="apparently without end"):
        list(models(read(rules), at(1, arrivals), 1))


@pytest.mark.parametrize(
    ("sum", "wraps"),
    [("X * X", True), ("X + 1", False), ("X - 2000000000", True), ("X mod 7", False), ("X / 3 * 9999", True)],
)
def test_arithmetic_beyond_32_bit_is_refused(sum, wraps):  # noqa: A002
    program = read(f"big(1000000). p(Y) ← big(X), Y = {sum}.")
    if not wraps:
        assert len(list(models(program, at(0), 1))) == 1
        return
    with pytest.raises(LarsError, match="32 bit"):
        list(models(program, at(0), 1))


def test_counting_within_bounds_is_no_endless_arithmetic():
    program = read("n(0) ← e. n(Y) ← n(X), Y = X + 1, Y <= 400.")
    assert len(next(models(program, at(1, [(1, Atom("e"))]), 1))) == 401


def test_texts_that_come_to_an_end_are_no_endless_ones():
    program = read('n("") ← e. n(?y) ← n(?x), ?y := [CONCAT(?x, "a")], [STRLEN(?x) < 150].')
    assert len(next(models(program, at(1, [(1, Atom("e"))]), 1))) == 151


def derived(text, arrivals, t, last=9):
    given_to_it = situation(stream_of(Interval(0, last), arrivals), ())
    (found,) = models(read(text), given_to_it, t)
    return {str(atom) for _, atom in found}


def q(*values):
    return [(1, Atom("q", (Number(value),))) for value in values]


def test_a_variable_that_is_no_time_though_it_stands_at_one_has_the_remainder_of_floor_division():
    assert derived("ans(T) ← q(T), not @_T p, T mod 5 = 3.", q(-2, 3), 1) == {"ans(-2)", "ans(3)"}
    text = "p(X, Y) ← ⊞^5 ◇ q(X), not ⊞^5 @_X e, Y = X mod 4."
    assert derived(text, q(-3, 7), 1) == {"p(-3, 1)", "p(7, 3)"}


def test_such_a_variable_is_watched_for_32_bit_too():
    with pytest.raises(Exception, match="32 bit"):
        derived("p ← q(T), not @_T e, T + 1 > 0.", q(2**31 - 1), 1)


@pytest.mark.parametrize(
    "body", ["⊞^100000000 ◇ smoke", "⊞^100000000 @_T smoke", "⊞^100000000 ◇ true", "⊞^100000000 ◇ k(a)"]
)
def test_a_long_window_costs_what_it_holds_not_its_length(body):
    found = derived(f"p ← {body}. r ← k(a). @_T o ← @_T smoke.", [(5, Atom("b"))], 200_000_000, 200_000_000)
    assert found == ({"p"} if "true" in body else set())


@pytest.mark.parametrize(("side", "value"), [("2 * (T mod 5)", 6), ("8 / (T mod 5)", 2), ("9 - T mod 2", 8)])
def test_a_remainder_of_a_time_is_one_number_in_what_stands_around_it(side, value):
    assert derived(f"p(Y) ← ⊞^5 @_T q, Y = {side}.", [(3, Atom("q"))], 3) == {f"p({value})"}


@pytest.mark.parametrize("name", ["mod", "true", "false", "Wet", "wet"])
def test_a_name_that_means_something_else_in_rules_is_read_back_as_it_was(name):
    assert text_of(symbol_of(write_name(name))) == write_name(name)
