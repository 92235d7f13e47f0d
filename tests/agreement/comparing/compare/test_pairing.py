"""Which reports at one push stand against each other, and what is left over."""

import pytest

from agreement.comparing.compare import Pairing, Reporter, pair_reports
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun, builtin
from lars.durations import read_duration

TRIPLE = ("<x:a>", "<x:p>", "<x:o>")
PUSHES = tuple(Push(t, "<x:s>", TRIPLE) for t in (10, 30, 20, 40))
RUN = EngineRun(None, None, PUSHES, read_duration("10ms"))
ENGINE, SPECIFIED = Reporter("one", ENGINES["csparql-0.9.7"]), Reporter("other", builtin("csparql"))
BY_PUSH = Pairing((ENGINE, SPECIFIED), (RUN, RUN), Likeness())
PAIRS = {
    "3 4 5 | 4.1 5.1": [(3, None), (4, 4.1), (5, 5.1)],
    "4.1 5.1 | 3 4 5": [(4.1, 4), (5.1, 5), (None, 3)],
    "3 4 5 | 9": [(3, None), (4, None), (5, 9)],
    "1 | 1": [(1, 1)],
    "| 1 2": [(None, 1), (None, 2)],
    "2 | 1 3": [(2, 1), (None, 3)],
}


def reports(text):
    return [Report(float(t), ()) for t in text.split()]


@pytest.mark.parametrize("text", PAIRS)
def test_reports_that_are_nearest_to_each_other_are_pairs(text):
    found = pair_reports(*map(reports, text.split("|")))
    assert [(a and a.t, b and b.t) for a, b in found] == PAIRS[text]


def test_a_clock_is_moved_by_the_first_push_that_is_later():
    told = [Report(5, ()), Report(10, ()), Report(25, ()), Report(30, ()), Report(40, ())]
    places, after = BY_PUSH.grouped(Recording((), tuple(told)))
    # Push 2 is back at 20, so what is due at 30 waits for the push at 40, and 40 for none.
    assert {place: [one.t for one in own] for place, own in places.items()} == {0: [5], 1: [10, 25], 3: [30]}
    assert [one.t for one in after] == [40]


def test_the_push_of_a_report_is_where_it_belongs():
    places, _ = BY_PUSH.grouped(Recording((), (Report(30, (), trigger=2), Report(30, (), trigger=2))))
    assert {place: len(own) for place, own in places.items()} == {2: 1}


def test_without_pushes_a_report_belongs_to_its_time_unit():
    by_time = Pairing((SPECIFIED, SPECIFIED), (RUN, RUN), Likeness())
    places, _ = by_time.grouped(Recording((), (Report(9.9, ()), Report(10, ()), Report(70.7, ()))))
    assert list(places) == [0, 1, 7]


def test_rows_times_and_empty_reports_are_each_a_difference():
    one = (Report(10, (("<x:a>",), ("<x:b>",))), Report(20, ()))
    other = (Report(11, (("<x:b>",), ("<x:c>",))),)
    found = BY_PUSH.matched(3, one, other)
    assert (found.rows.missing, found.rows.extra) == ((("<x:a>",),), (("<x:c>",),))
    assert (found.apart, found.size) == (((10, 11), (20, None)), 4)


def test_equal_reports_are_no_difference():
    one = (Report(10, (("<x:a>",),)),)
    assert BY_PUSH.matched(3, one, one).size == 0
