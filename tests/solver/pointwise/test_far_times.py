"""Times and windows beyond 2^30, 2^31, 2^53: clingo and columns say what the definition says, or refuse."""

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.stream import stream_of
from lars.language.windows import LARGEST_TIME, Interval, SlidingWindow
from lars.text.notation import read
from solver.pointwise import encoding, models
from solver.pointwise.encoding import window_rules
from tests.lars.strategies import GREAT, cases
from tests.solver.far_cases import far_cases, far_time_windows, problem, spread, spread_problem
from tests.solver.pointwise.test_definition import (
    backgrounds,
    by_clingo,
    by_definition,
    clingo_rows,
    inputs,
    some,
)
from tests.solver.strategies import covered_programs, interval_programs, is_encoded, situation

encoded_cases = cases(covered_programs().filter(is_encoded))


@given(far_cases(encoded_cases))
def test_far_from_0_and_in_long_windows_answers_are_those_of_the_definition(case):
    assert problem(case) is None


@given(interval_programs(), inputs, backgrounds, st.data())
def test_far_apart_answers_are_those_near_by(program, stream, known, data):
    times, output = some(list(stream.timeline), data), ("ans", 2)
    near = clingo_rows(program, situation(stream, known), times, output)
    assert spread_problem(data.draw(spread(program, stream)), near, times, known, output) is None


@given(encoded_cases)
def test_ranks_of_times_have_the_answer_streams_of_the_times(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "LONG", -1)
        assert by_clingo(case) == by_definition(case)


near_the_end = st.integers(2**30 - 5, 2**30)
beyond = st.one_of(st.sampled_from(GREAT), st.sampled_from((2**63, 10**30)))
far_windows = st.one_of(
    far_time_windows(),
    st.builds(
        SlidingWindow,
        st.one_of(st.integers(1, 9), near_the_end, beyond),
        st.one_of(st.integers(1, 9), near_the_end, beyond),
        st.one_of(st.integers(-9, 9), near_the_end, beyond, beyond.map(int.__neg__)),
    ),
)


@given(far_windows, st.one_of(st.integers(0, 20), near_the_end), st.integers(0, 9))
def test_the_rules_of_a_window_say_its_bounds_up_to_the_last_time_of_asp(window, t, before):
    timeline = Interval(max(0, t - before), min(t + 3, 2**30))
    control = clingo.Control(["--warn=none"])
    rules = "".join(window_rules(window, 1))
    control.add("base", [], f"now({t}). timeline({timeline.first},{timeline.last}). {rules}")
    control.ground([("base", [])])
    (found,) = control.symbolic_atoms.by_signature("window", 3)
    ends = Interval(*(argument.number for argument in found.symbol.arguments[1:]))
    expected = window.bounds(t, timeline)
    assert ends == expected if expected else not ends


def answers(text, last, *arrivals):
    """Return what the rules derive at the last time, by clingo."""
    stream = stream_of(Interval(0, last), [(t, read(f"{atom}.").rules[0].head) for t, atom in arrivals])
    (found,) = models(read(text), situation(stream, ()), last)
    return {str(atom) for u, atom in found if u == last}


def test_a_window_longer_than_a_thousand_million_reaches_as_far_as_it_says():
    given = 1070000000, (20000000, "q(a)"), (1070000000, "r")
    assert answers("p(X) ← ⊞^1060000000 ◇ q(X), r.", *given) == {"p(a)"}
    assert answers("p(X) ← ⊞^1050000000 ◇ q(X), r.", *given) == {"p(a)"}
    assert answers("p(X) ← ⊞^1049999999 ◇ q(X), r.", *given) == set()


@pytest.mark.parametrize("last", [2**30, 2**31, 2**53, LARGEST_TIME])
def test_times_that_are_only_compared_may_be_as_late_as_can_be(last):
    text = "p ← ⊞^9 @_T q(a), ⊞^∞ @_U q(b), U < T, not ⊞^9 □ r. s ← ⊞^∞ @_T q(b), @_T u, T != T."
    assert answers(text, last, (5, "q(b)"), (last - 9, "q(a)"), (5, "u")) == {"p"}
    assert answers(text, last, (5, "q(b)"), (last - 10, "q(a)")) == set()


def test_a_window_may_open_at_the_last_time_of_asp_where_times_are_computed_with():
    # (2^30 - 1, 2^30 + 2] and (2^30, 2^30 + 3] close after the last time; the first shows that one.
    text = "p(S) ← ⊞^{{sliding 3,2,{}}} @_T q, S = T - 1."
    for start, found in ((2**30 - 1, {f"p({2**30 - 1})"}), (2**30, set()), (10**30, set())):
        assert answers(text.format(start), 2**30, (2**30 - 1, "q"), (2**30, "q")) == found


SUM = "p(S) ← ⊞^∞ @_T q, S = T - 5."


def test_times_that_are_computed_with_are_right_up_to_32_bit_and_refused_beyond():
    assert answers(SUM, 2**30, (2**30, "q")) == {f"p({2**30 - 5})"}
    with pytest.raises(LarsError, match=r"(?s)the greatest number of clingo.*S = T - 5.*use a coarser"):
        answers(SUM, 2**30 + 1, (2**30 + 1, "q"))


TELLING = [
    "@_T p ← @_T ¬q.",
    "p(T) ← @_T q.",
    "p ← @_T q, T > 5.",
    "p ← @_T q, r(T).",
    "p ← @_5 q, @_T q, T < 5.",
]


@pytest.mark.parametrize("text", TELLING)
def test_a_rule_that_tells_a_time_apart_is_refused_where_times_are_ranks(text):
    with pytest.raises(LarsError, match="uses times as numbers: the rule at program:1:1"):
        answers(text, 2**31, (2**31, "q"))


def test_a_message_shows_the_rule_as_it_is_written_where_times_are_ranks():
    text = "p(X) ← ⊞^77 ◇ q(X). p(Y) ← p(X), Y = X * X, ⊞^77 ◇ q(5)."
    with pytest.raises(LarsError, match=r"⊞\^77 ◇ q\(5\)"):
        answers(text, 2**31, (2**31, "q(5)"))


HUGE = {
    **{f"⊞^{size} ◇ q": {"p"} for size in (10**20, f"{{{10**20},0,1}}", f"{{9,{10**20},1}}")},
    **{f"⊞^{size} ◇ q": set() for size in (f"{{0,{10**20},1}}", f"{{9,0,{10**20}}}")},
    **{f"⊞^{{#{10**20}{more}}} ◇ q": {"p"} for more in ("", " all", " by 1", " choose")},
    f"⊞^{{sliding {10**20},5,0}} ◇ q": {"p"},
    f"⊞^{{sliding 5,{10**20},0}} ◇ q": {"p"},
    f"⊞^{{sliding 5,5,-{10**20}}} ◇ q": {"p"},
    f"⊞^{{sliding 5,5,{10**20}}} ◇ q": set(),
    f"⊞^{{{10**21},-{10**20},1}} ◇ q": set(),
}


@pytest.mark.parametrize("body", HUGE)
def test_a_window_may_be_longer_than_any_time(body):
    assert answers(f"p ← {body}.", 5, (4, "q")) == HUGE[body]


def test_what_holds_at_one_late_time_does_not_hold_until_the_next_one():
    pivot = 7 * 2**40
    body = "⊞^∞ ◇ r, ⊞^{3,0,7} □ q"
    assert answers(f"p ← {body}.", pivot + 5, (pivot - 3, "q"), (pivot + 5, "r")) == set()
    every = [(t, "q") for t in range(pivot - 3, pivot + 1)]
    assert answers(f"p ← {body}.", pivot + 5, *every, (pivot + 5, "r")) == {"p"}
