"""The share of agreeing periods against its definition: λ(r, t), period by period and row by row."""

from hypothesis import given
from hypothesis import strategies as st

from agreement.comparing.agree.periods import whole_periods
from agreement.proving.phase.diagram import phase_row
from agreement.proving.phase.matches import FOREVER, TimedMatch
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
