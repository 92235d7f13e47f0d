"""What is said of wrong runs that nothing explains: each description of one run, and not of another."""

from types import SimpleNamespace

import pytest

from agreement.proving.hunting.conditions import ComparedRun
from agreement.proving.hunting.descriptions import _rows
from agreement.proving.hunting.portraits import _KINDS, _other_terms
from tests.agreement.proving.hunting.told import placed

A, B, C = ("<a>", '"1"'), ("<b>", '"2"'), ("<c>", '"3"@en')


@pytest.fixture(autouse=True)
def named_columns(monkeypatch):
    monkeypatch.setattr("agreement.proving.hunting.descriptions.columns", lambda _: ("s", "a"))


def compared(*places):
    """Return a run of which each place has the right rows and those that came."""
    query = SimpleNamespace(read=None, name="made")
    told = (placed(0, right, came) for right, came in places)
    return ComparedRun(SimpleNamespace(query=query), tuple(told))


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([((A,), ()), ((B,), (B,))], "whole reports are missing"),
        ([((A, B), (A,))], "rows are missing, and no row is extra"),
        ([((A,), (A, B))], "rows are extra, and no row is missing, and extra rows are right at no time"),
        (
            [((A,), (A,)), ((B,), (A, B))],
            "rows are extra, and no row is missing, and extra rows are from the preceding report",
        ),
        (
            [((A,), (A,)), ((), (A,))],
            "reports come although no report is due, and extra rows are from the preceding report",
        ),
        (
            [((("_:b1", '"1"'),),) * 2, ((), (("_:b7", '"1"'),))],
            "reports come although no report is due, and extra rows are from the preceding report",
        ),
        ([((A,), ()), ((), (A,)), ((B,), ()), ((), (B,))], "right, but reports come at other times"),
        ([((A, A), (A,))], "right are reported less often"),
        ([((A,), (A, A))], "right are reported more often"),
        ([((A, A), (A,)), ((B,), (B, B))], "more often or less often"),
        ([((A,), (("<a>", None),))], "some columns have no value, and all other columns are right: ?a"),
        ([((A,), (("<a>", '"7"'),))], "one column has other values"),
        ([((A,), (C,))], "rows have other values, but their number is right"),
        ([((A, B), (C,))], "each wrong report has too few rows"),
        ([((A,), (B, C))], "each wrong report has too many rows"),
        ([((A, B), (C,)), ((A,), (B, C))], "some rows are missing, and some rows are extra"),
    ],
)
def test_what_came_is_said_to_be_what_it_is_to_what_is_right(places, words):
    assert words in _rows([compared(*places)])


def test_no_relation_is_said_that_one_run_does_not_have():
    assert _rows([compared(((A,), ())), compared(((A, B), (A,)))]) == "rows are missing, and no row is extra"


OF = "^^<http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("right", "came", "kinds"),
    [
        (f'"1"{OF}integer>', f'"1"{OF}decimal>', {"numbers"}),
        (f'"1"{OF}integer>', f'"1e5"{OF}double>', {"numbers"}),
        (f'"2026-11-27"{OF}date>', f'"2026-11-28"{OF}date>', set()),
        ('"1"', '"a ^ b"', {"texts"}),
        ('"a"@en', '"a"@de', {"texts"}),
        ('"a"@en', "<a:b>", set()),
        ("<a:b>", "<a:c>", {"IRIs"}),
        ("<<( <a:b> <a:p> <a:c> )>>", "<<( <a:b> <a:p> <a:d> )>>", set()),
    ],
)
def test_terms_of_one_kind_have_other_values_only_if_they_are_of_this_kind(right, came, kinds):
    assert {kind for kind in _KINDS if _other_terms(kind, [("<s:s>", right)], [("<s:s>", came)])} == kinds
