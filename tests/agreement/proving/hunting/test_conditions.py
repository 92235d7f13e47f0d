"""Where an engine is wrong: what is learned of reports and rows, and holds of all that were judged."""

from dataclasses import replace
from functools import cache

import pytest

from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.recordings import Push
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import open_message
from agreement.engines.specifications import builtin
from agreement.proving.hunting import HuntedRun, answer_switches, made_queries
from agreement.proving.hunting.alphabets import alphabet
from agreement.proving.hunting.conditions import (
    ComparedRun,
    _of_windows,
    _shown,
    condition,
    missing_rows,
    where_wrong,
)
from agreement.proving.hunting.hunted_queries import hunted_query
from lars.language.terms import XSD
from solver.facts import Static
from tests.agreement.proving.hunting.told import placed
from translate.dialects import read_query
from translate.model.query import Language

A, B = ("<http://e/a>", "<http://e/s>"), ('"x"@en', "<http://e/s>")


def learned(wrong, right):
    found = condition(wrong, right)
    return None if found is None else found.text("reports")


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ([{"F": 1}] * 4, [{"F": 0}] * 9, "F (4 of 4 such reports)"),
        ([{"F": 1}] * 4, [{"F": 0}] * 8 + [{"F": 1}], "F (4 of 5 such reports)"),
        ([{"F": 1, "G": 1}] * 4, [{"F": 1}, {"G": 1}, {}], "F and G (4 of 4 such reports)"),
        (
            [{"{} rows": 3}, *[{"{} rows": 5}] * 3],
            [{"{} rows": 2}] * 3,
            "3 or more rows (4 of 4 such reports)",
        ),
        ([{"{} rows": 0}] * 4, [{"{} rows": 2}] * 3, "no rows (4 of 4 such reports)"),
        ([{"F": 1}] * 19 + [{}], [{}] * 9, "F (19 of 19 such reports; wrong without these traits: 1)"),
        ([{"F": 1}] * 8 + [{}] * 2, [{}] * 9, None),
        ([{"F": 1}] * 4, [{"F": 1}] * 9, None),
        ([{"F": 1}] * 2, [{}] * 9, None),
    ],
)
def test_a_condition_is_of_nearly_all_wrong_items_and_of_few_right_ones(wrong, right, words):
    assert learned(wrong, right) == words


@cache
def query():
    queries = made_queries(BuiltInEngine(builtin("rspql"))).queries
    return next(one for one in queries if one.name == "sliding")


def test_a_triple_in_two_windows_is_one_triple():
    queries = made_queries(BuiltInEngine(builtin("rspql"))).queries
    two = next(one for one in queries if one.name == "two-windows")
    run = HuntedRun(two, (Push(3.0, *two.letters[0]),), None)
    found = dict(_of_windows(run, 4.0))
    assert [bool(_shown(run, number, 4.0)) for number in (0, 1)] == [True, True]
    assert found["{} triples are in the window"] == 1
    assert found["a triple comes twice in the window"] == 0
    assert found["several triples in the window have one time"] == 0


def test_triples_of_two_windows_at_one_time_are_not_several_triples_of_one_window():
    queries = made_queries(BuiltInEngine(builtin("rspql"))).queries
    two = next(one for one in queries if one.name == "two-streams")
    (first, own), (second, other) = two.letters[:2]
    assert first != second
    run = HuntedRun(two, (Push(5.0, first, own), Push(5.0, second, other)), None)
    assert dict(_of_windows(run, 6.0))["several triples in the window have one time"] == 0
    again = HuntedRun(two, (Push(5.0, first, own), Push(5.0, first, other), Push(6.0, first, own)), None)
    found = dict(_of_windows(again, 6.0))
    assert found["several triples in the window have one time"] == 1
    assert found["a triple comes twice in the window"] == 1


def test_the_content_of_a_window_is_of_its_own_stream_if_a_window_of_triples_comes_first():
    text = (
        "SELECT ?s ?o FROM STREAM <http://e/T> [RANGE TRIPLES 2] FROM STREAM <http://e/S> [RANGE 4s STEP 4s] "
        "WHERE { ?s <http://e/p> ?o }"
    )
    hunted = hunted_query("q", open_message(f"REGISTER QUERY q AS {text}"), Language.CSPARQL)
    triple = hunted.letters[0][1]
    pushes = tuple(Push(1000.0, f"<http://e/{name}>", triple) for name in "TS")
    assert _shown(HuntedRun(hunted, pushes, None), 0, 4000.0) == [pushes[1]]


def compared(times, *places):
    """Return a run of a letter at some times, with its places: a close, right rows, those that came."""
    pushes = tuple(Push(t, *query().letters[0]) for t in times)
    told = (placed(t, right, came) for t, right, came in places)
    return ComparedRun(HuntedRun(query(), pushes, None), tuple(told))


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        (((3, 11), (4.0, (A,), ())), ((3, 5), (4.0, (A,), (A,))), "nothing comes for 8 or more ms"),
        (((2, 4, 5), (4.0, (A,), ())), ((2, 3, 5), (4.0, (A,), (A,))), "exactly when the window closes"),
        (
            ((1, 1, 5), (4.0, (A,), ())),
            ((1, 2, 5), (4.0, (A,), (A,))),
            "several triples in the window have one time",
        ),
        (((1, 5), (4.0, (A, B), (A,))), ((1, 5), (4.0, (A,), (A,))), "2 or more rows are right"),
    ],
)
def test_where_reports_are_wrong_is_said(wrong, right, words):
    said = where_wrong([compared(*wrong)] * 3, [compared(*right)] * 9)
    assert said.startswith("wrong only where ")
    assert words in said


@pytest.mark.parametrize(("extra", "said"), [(1, "wrong without these traits: 1"), (5, "")])
def test_what_is_true_only_of_closes_is_not_said_of_wrong_reports_where_no_window_closes(extra, said):
    late, early = compared((3, 11), (4.0, (A,), ())), compared((3, 5), (4.0, (A,), (A,)))
    places = [ReportMatch(5.0, None, (), RowMatch(extra=(A,)), "no close")] * extra
    unclosed = replace(late, places=(*late.places, *places))
    found = where_wrong([unclosed, *[late] * 10], [early] * 30)
    assert said in found
    assert ("only" in found, bool(found)) == (False, bool(said))


def test_reports_that_are_wrong_everywhere_have_nothing_in_common():
    both = compared((1, 5), (4.0, (A,), ())), compared((1, 5), (4.0, (A,), (A,)))
    assert where_wrong([both[0]] * 3, [both[1]] * 9) == ""


def test_which_rows_are_missing_is_said_if_hardly_any_other_row_is_like_them():
    lost = compared((1, 5), (4.0, (A, B), (A,)))
    assert "have a text with a language" in missing_rows([lost] * 3, [])
    kept = compared((1, 5), (4.0, (A, B), (A, B)))
    assert missing_rows([lost] * 3, [kept] * 9) == ""


def test_the_numbers_of_streams_are_around_those_of_conditions_however_long():
    query = "SELECT ?x { STREAM <e:s> [RANGE 2s] { ?x <e:p> ?y } FILTER(?y > %s) }"
    few, many = (
        {triple[2] for _, triple in alphabet(read_query(query % text, "q.rq"), Static(frozenset(), {}))}
        for text in ("-7", "9" * 5000)
    )
    assert {f'"{n}"^^<{XSD}integer>' for n in (-8, -7, -6)} <= few
    assert {f'"{"9" * 4999}{n}"^^<{XSD}integer>' for n in (8, 9)} <= many


@pytest.mark.parametrize("many", [5, 300])
def test_answers_of_hundreds_of_rows_are_not_cut_in_every_way(many):
    rows = [(f'"{n}"',) for n in range(many)]
    told = [placed(0, rows, ()), placed(1, rows, ()), placed(2, (), rows[:3])]
    windows = [replace(window, triples=1) for window in told]
    assert answer_switches._cut(3, "DSTREAM", windows) is (many == 5)
    whole = [replace(placed(0, rows, rows[:3]), triples=1), replace(placed(1, rows, ()), triples=1)]
    assert answer_switches._cut(3, "ISTREAM", whole)
