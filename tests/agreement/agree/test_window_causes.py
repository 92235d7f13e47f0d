"""The cause of a difference between queries whose windows differ."""

import pytest

from agreement.agree.causes import RowCause
from tests.agreement.comparisons import explained, facts_of, report
from translate.query import Setting

PLAIN = (
    "SELECT ?x FROM STREAM :r [{}] WHERE {{ ?x :p ?y }}",
    "SELECT ?x WHERE {{ STREAM :r [{}] {{ ?x :p ?y }} }}",
)


@pytest.mark.parametrize(
    ("csparql", "cqels", "period", "last", "cause"),
    [
        ("RANGE 3s STEP 5s", "RANGE 3s", 5, 10, RowCause.EXPIRED_BEFORE_THE_PULL),
        ("RANGE 3s", "RANGE 3s SLIDE 5s", 7, 7, RowCause.HIDDEN_BY_THE_PIVOT),
        ("RANGE 1s", "RANGE 9s", 9, 9, RowCause.DIFFERENT_WINDOWS),
    ],
)
def test_windows_that_differ_are_no_difference_of_sources(csparql, cqels, period, last, cause):
    queries = PLAIN[0].format(csparql), PLAIN[1].format(cqels)
    shared = {"period": period, "last": last, "static": (), "bounds": Setting().bounds}
    found = explained(report(queries, facts_of([("6", *"apb")], lambda _: "r"), **shared))
    assert {one.cause for one in found} == {cause.value}


def test_each_window_is_hidden_by_its_own_pivot():
    windows = {"s1": "RANGE 1s SLIDE 4s", "s2": "RANGE 3s SLIDE 3s"}
    froms = " ".join(f"FROM STREAM :{name} [{window}]" for name, window in windows.items())
    parts = " ".join(f"STREAM :{n} [{w}] {{ ?{n} :{n} ?y{n} }}" for n, w in windows.items())
    queries = f"SELECT ?s1 {froms} WHERE {{ ?s1 :s1 ?ys1 . ?s2 :s2 ?ys2 }}", f"SELECT ?s1 WHERE {{ {parts} }}"
    facts = facts_of([("3", "a", "s1", "v"), ("5", "b", "s2", "v")], lambda predicate: predicate)
    found = explained(report(queries, facts, period=6, last=6, static=(), bounds=Setting().bounds))
    assert [(one.side, one.cause) for one in found] == [("pull", "hidden by the pivot")]
