"""Arithmetic without end or beyond 32 bit is refused."""

import pytest

from lars.errors import LarsError
from lars.stream import stream_of
from lars.terms import Atom
from lars.text.notation import read
from lars.windows import Interval
from solver.pointwise import models
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
    with pytest.raises(LarsError, match="it seems endless"):
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
