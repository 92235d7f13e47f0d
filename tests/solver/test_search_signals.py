"""A search without a time limit ends at a signal."""

import signal
from types import SimpleNamespace

import clingo
import pytest

from solver.deadlines import NEVER
from solver.search.choosing import FrameSearch

HARD = "{at(1..12, 1..11)}. :- I = 1..12, not 1 {at(I, _)} 1. :- at(I, H), at(J, H), I < J."


def test_a_search_is_left_at_a_signal():
    control = clingo.Control(["--warn=none"])
    control.add("base", [], HARD)
    control.ground([("base", [])])
    search = SimpleNamespace(_control=control, _fixed=[], _deadline=NEVER, choices=[])
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            FrameSearch._is_solved(search, [])
    finally:
        signal.signal(signal.SIGALRM, before)
