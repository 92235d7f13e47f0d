"""What a page is told of windows: runs of intervals, which say at each time what the definition says."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from agreement.results.renderings.pages.timeline import runs_of
from lars.language.windows import Interval, SlidingWindow, TimeWindow

TIMES = st.integers(0, 12)
WINDOWS = st.one_of(
    st.builds(TimeWindow, TIMES, st.integers(0, 3), st.integers(1, 5)),
    st.builds(SlidingWindow, st.integers(1, 9), st.integers(1, 5), TIMES),
)


@dataclass
class Reader:
    """Reads runs as the page's script does."""

    runs: list

    def at(self, t):
        start, first, *others = next(run for run in reversed(self.runs) if run[0] <= t)
        if first is None:
            return None
        last, by, moved = others
        return first + (t - start) * by, last + (t - start) * moved


@given(WINDOWS, TIMES, st.integers(0, 40))
def test_runs_say_what_the_window_shows_at_each_time(window, first, more):
    timeline = Interval(first, first + more)
    reader = Reader(runs_of(lambda t: window.bounds(t, timeline), timeline))
    for t in timeline:
        shown = window.bounds(t, timeline)
        assert reader.at(t) == ((shown.first, shown.last) if shown else None)


def test_a_window_that_moves_is_two_runs_however_long_the_timeline():
    timeline = Interval(0, 10_000)
    assert len(runs_of(lambda t: TimeWindow(20).bounds(t, timeline), timeline)) == 2
