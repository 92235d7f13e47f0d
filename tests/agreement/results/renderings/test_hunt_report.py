"""What a hunt's report says of a fault: its name, and terms that readers can tell apart."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from agreement.comparing.judge.verdicts import NO_EMPTY_ANSWER
from agreement.documents.recordings import Push, Report
from agreement.proving.hunting import Fault, RunVerdict, Switch
from agreement.results.renderings.hunt_report import (
    _size_text,
    _summary,
    again_text,
    case_name,
    choice_text,
    consequence_text,
    error_text,
    places_table,
    rule_text,
    smaller_text,
    stream_table,
    title,
)
from tests.agreement.proving.hunting.told import placed

A, TEXT, TAGGED = "<http://e/a>", '"a"', '"a"@en'


@pytest.fixture(autouse=True)
def columns_of_the_made_query(monkeypatch):
    monkeypatch.setattr("agreement.results.renderings.hunt_report.columns", lambda _: ("a",))


def fault(right, came, *triples, errors=(), **more):
    """Return a fault without a rule, shown by a stream of objects and one report at 4."""
    pushes = [Push(t, "<http://e/S>", ("<http://e/s>", "<http://e/p>", term)) for t, term in triples]
    query = SimpleNamespace(name="tumbling", read=None)
    typed, answers = SimpleNamespace(lexical=False), SimpleNamespace(errors=errors)
    run = SimpleNamespace(query=query, pushes=pushes, typed_answers=typed, answers=answers)
    rows = ([(term,) for term in terms] for terms in (right, came))
    return Fault(run, RunVerdict(False, (placed(4, *rows),)), 1.0, **more)


def cells(table):
    return [list(column.cells) for column in table.columns]


def test_terms_that_look_equal_are_shown_with_their_kinds():
    shown = fault([TEXT, A], [TAGGED], (1, A), (2, TEXT))
    assert cells(stream_table(shown))[2] == ["s p <http://e/a>", 's p "a"']
    assert cells(places_table(shown))[1:3] == [['("a"), (<http://e/a>)'], ['("a"@en)']]
    assert cells(stream_table(fault([A], [], (1, A))))[2] == ["s p a"]


def test_a_report_without_rows_is_not_shown_as_no_report():
    place = replace(placed(4, [], []), right=None, came=(Report(4.0, ()),))
    shown = replace(fault([], [], (1, A)), verdict=RunVerdict(False, (place,)))
    assert [cell for (cell,) in cells(places_table(shown))[1:3]] == ["no row", "a report without rows"]


@pytest.mark.parametrize(
    ("problem", "words"), [(None, "no row"), (NO_EMPTY_ANSWER, "a report without rows"), ("wrong", "no row")]
)
def test_a_report_without_rows_is_shown_as_expected_only_if_it_is_due(problem, words):
    place = replace(placed(4, [], []), right=(Report(4.0, ()),), problem=problem)
    shown = replace(fault([], [], (1, A)), verdict=RunVerdict(False, (place,)))
    assert [cell for (cell,) in cells(places_table(shown))[1:3]] == [words, "no row"]


def test_an_answer_of_ask_is_shown_as_true(monkeypatch):
    monkeypatch.setattr("agreement.results.renderings.hunt_report.columns", lambda _: ())
    shown = fault([], [], (1, A))
    asked = replace(shown, verdict=RunVerdict(False, (placed(4, [()], []),)))
    table = places_table(asked)
    assert [column.header for column in table.columns] == ["where", "expected", "reported", "verdict"]
    assert [cell for (cell,) in cells(table)[1:3]] == ["true", "no row"]


@pytest.mark.parametrize("alike", [None, "rows are missing, and no row is extra"])
@pytest.mark.parametrize("untried", [True, False])
def test_an_unexplained_fault_is_named_by_its_smallest_case(alike, untried):
    """The name does not depend on the time that a hunt had, so that a list of known names keeps it."""
    shown = fault([A], [], (1, A), (5, A), alike=alike, untried=untried)
    assert title(shown) == "wrong answers to tumbling, at 4 ms: no row instead of (a)"
    assert case_name(shown) == f"{title(shown)}, for the stream s p a at 1, s p a at 5"


def test_that_no_rule_explains_a_fault_is_said_only_if_all_were_tried():
    assert rule_text(fault([A], [], untried=False)) == "No known rule explains the answers."
    assert rule_text(fault([A], [], untried=True)).startswith(
        "Time was up before all known rules were tried."
    )


def test_the_first_error_that_the_engine_sent_is_a_part_of_the_reason():
    """RSP-JS sends this error for ASK: *accepts the query ask, but reports no row for it* was all."""
    text = "Query result type 'bindings' was expected, while 'boolean' was found."
    shown = fault([A], [], (1, A), (5, A), (6, A), errors=((1, f"{text}\n"), (2, "other")), untried=False)
    sent = f"The engine sends an error after the triple of 5 ms: {text}\\n"
    assert error_text(shown) == sent
    assert rule_text(shown) == f"No known rule explains the answers. {sent}"
    assert error_text(fault([A], [], (1, A))) is None


@pytest.mark.parametrize(
    ("untried", "said"),
    [
        (True, "time was up before all known rules were tried."),
        (False, "it does not explain all wrong runs."),
    ],
)
def test_a_parameter_that_explains_only_the_smallest_stream_is_said(untried, said):
    shown = fault([A], [], likely="bounds = closed", untried=untried)
    assert rule_text(shown) == f"bounds = closed explains the answers to this stream, but {said}"


def test_faults_of_different_streams_or_rows_have_different_names():
    several = [
        fault([A], [], (1, A), (5, A)),
        fault([A], [], (1, A), (6, A)),
        fault([A], [TEXT], (1, A), (5, A)),
        fault([A], [TAGGED], (1, A), (5, A)),
        fault([A], [A, A], (1, A), (5, A)),
    ]
    assert len({case_name(one) for one in several}) == len(several)


def test_labels_of_blank_nodes_are_no_part_of_a_name():
    one, other = (fault([A], [label], (1, label)) for label in ("_:b1", "_:e7-2"))
    assert case_name(one) == case_name(other)


def test_the_name_of_a_rule_is_not_cut():
    first = fault([A], [], (1, A), rule=Switch("windows begin at another t0: 1", "t0 = 0"))
    other = replace(first, rule=Switch("windows begin at another t0: 3", "t0 = 0"))
    assert title(first) == title(other) == "windows begin at another t0"
    assert case_name(first) != case_name(other)


def test_a_fault_without_a_rule_may_follow_from_a_named_one():
    named, other = fault([A], [], (1, A), rule=Switch("bounds = closed", "low-open")), fault([A], [], (1, A))
    advice = "may be a consequence of fault 1: repair fault 1 first, then hunt again"
    assert consequence_text(SimpleNamespace(faults=[named, other]), other) == advice
    assert consequence_text(SimpleNamespace(faults=[named, other]), named) is None
    assert consequence_text(SimpleNamespace(faults=[other]), other) is None


@pytest.mark.parametrize("given", [["--time-limit", "9"], ["--time-limit=9", "--faults", "7"], []])
def test_where_time_was_up_the_next_command_hunts_for_one_fault_with_more_time(given):
    hunt = SimpleNamespace(untried=True, limits=SimpleNamespace(time_limit=60.0))
    command = ["lars", "hunt", "--adapter", "python3 a.py", *given, "--seed", "1"]
    again = "lars hunt --adapter 'python3 a.py' --seed 1 --faults 1 --time-limit 240s"
    assert again_text(hunt, command).splitlines()[1] == f"  {again}"
    hunt.untried = False
    assert again_text(hunt, command) is None


def test_a_stream_is_the_smallest_only_if_the_search_for_a_smaller_one_ended():
    shown = fault([A], [], (1, A), (5, A))
    assert _size_text(shown) == "smallest stream: 2 triples"
    cut_off = "smallest stream found: 2 triples; the time limit cut off the search for a smaller stream"
    assert _size_text(replace(shown, smallest=False)) == cut_off


def test_no_stream_is_the_smallest_of_a_fault_that_does_not_repeat():
    """A stream with fewer triples may have been right by chance."""
    shown = fault([A], [], (1, A), (5, A), repeated=False, smallest=False)
    assert _size_text(shown) == "stream of 2 triples"
    assert smaller_text(shown) == "the engine is not deterministic"


def test_reports_that_are_not_judged_are_shown_but_are_no_problem_of_a_fault():
    unjudged = replace(placed(8, [], [(A,)]), problem="not judged")
    shown = fault([A], [], (1, A))
    shown.verdict = replace(shown.verdict, unjudged=(unjudged,))
    assert cells(places_table(shown))[3] == ["wrong", "not judged"]
    shown.verdict = replace(shown.verdict, places=())
    assert title(shown) == "wrong answers to tumbling"


@pytest.mark.parametrize(("confirmed", "said"), [(True, ", also in a new process."), (False, " triple.")])
def test_a_new_process_is_said_to_answer_the_same_only_if_it_was_asked(confirmed, said):
    hunt = SimpleNamespace(name="mine", reference=SimpleNamespace(name="rspql"), judged_runs=9)
    assert _summary(hunt, fault([A], [], (1, A), confirmed=confirmed)).partition(" The")[0].endswith(said)


def test_a_parameter_that_explains_a_part_may_be_a_choice_of_the_engine():
    part = fault([A], [], (1, A), likely="bounds = closed", of=9, left=2)
    assert "set bounds in a specification" in choice_text(part)
    assert choice_text(replace(part, of=0)) is None
