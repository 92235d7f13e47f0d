"""Remainders of floor division at variables that are no times, and what long windows cost."""

import pytest

from lars.stream import stream_of
from lars.terms import Atom, Number
from lars.text.notation import read
from lars.windows import Interval
from solver.pointwise import models
from tests.solver.strategies import situation


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
