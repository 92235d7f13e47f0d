"""The share of agreeing periods against its definition: λ(r, t), period by period and row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.comparing.agree.periods import whole_periods
from agreement.proving.phase.diagram import PhaseDiagram, PhaseRow, phase_row
from agreement.proving.phase.matches import FOREVER, TimedMatch
from agreement.results.renderings.phase_report import summary
from lars.durations import SECOND
from lars.language.terms import Iri
from lars.language.windows import Interval

LAST = 14


def needed(found, row, t):
    """Return λ(r, t) for the matches of a row, FOREVER where no length is enough."""
    own = [one for one in found if one.row == row and one.start <= t <= one.end]
    ages = (0 if one.oldest is None else t - one.oldest for one in own)
    return min(ages, default=FOREVER)


def agreeing(seen, period, age, timeline):
    """Return in how many periods both sides have the same rows, if the window shows what is so old."""
    (push, pull, push_times), count = seen, 0
    for begin, end in whole_periods(period, timeline):
        times = [t for t in push_times if begin < t <= end]
        count += all(
            any(needed(push, row, t) <= age for t in times) == (needed(pull, row, end) <= age)
            for row in {one.row for one in (*push, *pull)}
        )
    return count


@st.composite
def matches(draw):
    """Draw some matches of few rows: a triple is no younger than the match, windows show it from then on."""
    start = draw(st.integers(0, LAST))
    end = draw(st.integers(start, LAST + 3) | st.just(FOREVER))
    return TimedMatch((draw(st.sampled_from("ab")),), start, end, draw(st.none() | st.integers(0, start)))


SIDES = st.lists(matches(), max_size=5)


@given(
    st.tuples(SIDES, SIDES, st.lists(st.integers(0, LAST), unique=True).map(sorted)),
    st.integers(1, 6),
    st.lists(st.integers(0, 9), min_size=1, unique=True).map(sorted),
    st.builds(Interval, st.integers(0, 3), st.just(LAST)),
)
def test_the_periods_that_agree_are_those_in_which_every_row_is_a_row_of_both(seen, period, ages, timeline):
    push, pull, push_times = seen

    def is_empty(begin, end, age):
        shown = [*((pull, end),), *((push, t) for t in push_times if begin < t <= end)]
        return not any(needed(own, one.row, t) <= age for own, t in shown for one in own)

    found = phase_row(seen, period, ages, timeline)
    assert found.whole == len(list(whole_periods(period, timeline)))
    assert found.agreeing == tuple(agreeing(seen, period, age, timeline) for age in ages)
    spans = list(whole_periods(period, timeline))
    assert found.empty == tuple(sum(is_empty(*span, age) for span in spans) for age in ages)


STEPS = "From one L to the next L, the number of agreeing periods changes"


@pytest.mark.parametrize(
    ("agreeing", "whole", "empty", "said"),
    [
        ((0,), 0, (0,), "Nothing is compared: the timeline contains no whole period."),
        ((2,), 2, (2,), "1 of 1 pair of U and L (for this pair, neither side reports a row)."),
        ((1,), 2, (0,), "0 of 1 pair of U and L."),
        ((2, 2), 2, (2, 2), "2 of 2 pairs of U and L (for all of these, neither side reports a row)."),
        ((2, 1, 2), 2, (2, 0, 0), "2 of 3 pairs of U and L (for 1 of these 2, neither side reports a row)."),
    ],
)
def test_the_summary_is_true_of_none_one_and_several_pairs(agreeing, whole, empty, said):
    row = PhaseRow(3, whole, agreeing, empty)
    diagram = PhaseDiagram(1, tuple(range(1, len(agreeing) + 1)), (row,), SECOND, Iri("e:s"), 1)
    found = summary([diagram]).removeprefix("Push and pull agree on all periods for ")
    steps = {2: f" {STEPS} 0 times in total.", 3: f" {STEPS} 2 times in total."}
    assert found == said + steps.get(len(agreeing), "")
