"""What answers can be: numbers, blank nodes, booleans, triples, nothing; and how they are written."""

import re
import shlex
from dataclasses import replace

import pytest

from lars.language.terms import XSD
from tests.agreement.command import lars
from tests.agreement.comparing.judge.recorded import (
    PATTERN,
    QUERIES,
    STREAM,
    WRITERS,
    integer,
    own,
    pushed,
)
from tests.agreement.comparing.judge.test_perturbed import correct, only, wrong

FROM = f"FROM STREAM <{STREAM}> [RANGE 4s STEP 4s] WHERE"
AVERAGE = f"REGISTER QUERY q AS SELECT (AVG(?o) AS ?a) {FROM} {PATTERN}"
THIRDS = ("1 a p 1", "2 b p 1", "3 a p 2", "5 a p 4", "9 a p 4")
ASK = f"REGISTER QUERY q AS ASK {FROM} {{ <http://e/a> <http://e/p> ?o }}"
CONSTRUCT = f"REGISTER QUERY q AS CONSTRUCT {{ ?s <http://e/q> ?o }} {FROM} {PATTERN}"
NODES = f"REGISTER QUERY q AS CONSTRUCT {{ _:n <http://e/q> ?o . _:n <http://e/r> ?s }} {FROM} {PATTERN}"
GAP = ("1 a p 1", "9 a p 2", "10 a r 2", "13 a r 2", "14 a r 2", "17 a p 3")
TEXTS = ("solve", "sparql-json")


def first(one, *rows):
    return one.with_report(0, *rows)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("written", ["1.0", "1e0", "01", "+1", "1.00", "10e-1"])
def test_a_number_is_the_same_however_it_is_written(tmp_path, kind, written):
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    name = "double" if "e" in written else "decimal" if "." in written else "integer"
    correct(first(one, (integer(written, name), "<http://e/a>")).judged(tmp_path, kind), 0)


@pytest.mark.parametrize("options", [(), ("--late", "500"), ("--match", "sequence")])
def test_an_ignored_report_before_the_rows_of_its_window_changes_nothing(tmp_path, options):
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    end, rows = one.reports[0]
    early = replace(one, reports=((end, ()), (end + 200, rows), *one.reports[1:]))
    correct(early.judged(tmp_path, "solve", "--t0", "0", "--empty", "ignored", *options), 0)
    assert early.judged(tmp_path, "solve", "--t0", "0", "--no-diagnosis", *options).code == 1


@pytest.mark.parametrize("kind", WRITERS)
def test_another_number_is_another_row(tmp_path, kind):
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    changed = first(one, (integer("1.01", "decimal"), "<http://e/a>"))
    assert only(changed.judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))["to"] == 4


def test_a_report_that_no_window_has_is_no_window(tmp_path):
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    stray = replace(one, reports=(*one.reports[:1], (6000.0, one.reports[0][1]), *one.reports[1:]))
    stray.judged(tmp_path, "csv")
    files = (tmp_path / "query.rq", tmp_path / "trace.nq", "--answers", tmp_path / "answers", "--t0", "0")
    how = ("--answers-format", "csv", "--answers-unit", "1ms", "--engine", "csparql", "--no-diagnosis")
    told = lars("judge", *files, *how, "--report", tmp_path / "page.html").out
    assert ": 0 of 2 windows are wrong, and 1 report is not expected, score" in told
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Incorrect: 2 of 2 windows are correct; 1 report is not expected." in page


def test_the_page_and_the_test_cases_have_the_windows_of_the_text(tmp_path):
    """Several t0 fit, each with its own windows; the text and the page show the windows of the best t0."""
    one = own("csparql", pushes=pushed("3 a p 1", "7 a p 4", "11 a p 4")).late(1000)
    one.judged(tmp_path, "csv")
    files = (tmp_path / "query.rq", tmp_path / "trace.nq", "--answers", tmp_path / "answers")
    how = ("--answers-format", "csv", "--answers-unit", "1ms", "--engine", "csparql", "--bounds", "low-open")
    written = ("--report", tmp_path / "page.html", "--junit", tmp_path / "junit.xml")
    ran = lars("judge", *files, *how, *written)
    found = lars("judge", *files, *how, "--json").json
    windows = [window for window in found["windows"] if window["t0"] == [1]]
    assert len(found["windows"]) > len(windows) > 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (
        f"Correct: {len(windows)} of {len(windows)} windows are correct. The start times t0 that fit: 0, 1."
        in page
    )
    assert "Window by window for t0 = 1" in page
    assert f'tests="{len(windows)}"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert "windows, t0 = 1" in ran.out


def test_a_page_names_no_start_time_that_fits_where_none_does(tmp_path):
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    changed = first(one, (integer("7", "integer"), "<http://e/a>"))
    changed.judged(tmp_path, "csv")
    files = (tmp_path / "query.rq", tmp_path / "trace.nq", "--answers", tmp_path / "answers")
    for engine in ("csparql", "csparql-0.9.7", "solve"):
        how = ("--answers-format", "csv", "--answers-unit", "1ms", "--engine", engine)
        ran = lars("judge", *files, *how, "--report", tmp_path / "page.html")
        assert ran.code == 1, ran.err
        assert "start times t0 that fit:" not in (tmp_path / "page.html").read_text(encoding="utf-8")


WIDE = QUERIES["csparql"].replace("RANGE 4s", "RANGE 8s")


def explanations(ran):
    return [each["says"] for each in ran.json["explanations"] if each["complete"]]


def test_windows_that_are_evaluated_before_they_are_full_are_an_explanation(tmp_path):
    """A system of one's own, from its start on, evaluates over what has come."""
    one = own("csparql", query=WIDE)
    early = tuple((integer(t), f"<http://e/s{t % 3}>") for t in range(1, 5))
    at, rows = one.at(0)
    assert (at, {*early} < {*rows}) == (8000.0, True)
    told = replace(one, reports=((4000.0, early), *one.reports)).judged(tmp_path, "csv")
    assert told.code == 1
    assert explanations(told)[0] == "csparql with windows evaluated before they are full"


def test_windows_of_another_length_are_an_explanation(tmp_path):
    mine = replace(own("csparql", query=WIDE), query=WIDE.replace("RANGE 8s", "RANGE 12s"))
    assert explanations(mine.judged(tmp_path, "csv"))[0] == "csparql with windows of 8s in place of 12s"


@pytest.mark.parametrize(("last", "leads"), [(60, True), (12, False)])
def test_many_answers_without_a_complete_explanation_lead_to_compare(tmp_path, last, leads):
    """A few reports are no log of alerts."""
    one = own("csparql", pushes=pushed(*(f"{t} s{t % 3} p {t % 7}" for t in range(1, last))))
    changed = first(one, (integer(1000), "<http://e/a>"))
    assert explanations(changed.judged(tmp_path, "csv")) == []
    files = (tmp_path / "query.rq", tmp_path / "trace.nq", "--answers", tmp_path / "answers")
    how = ("--answers-format", "csv", "--answers-unit", "1ms", "--engine", "csparql")
    said = "of the rule: lars compare ALERTS ALERTS --events FILE --query QUERY"
    assert (said in lars("judge", *files, *how).out) is leads


def test_the_command_that_tries_more_explanations_has_the_mapping_of_the_experiment(tmp_path):
    events = "".join(f"{t},s{t % 3},{t % 7}\n" for t in range(1, 60))
    (tmp_path / "events.csv").write_text(f"when,who,val\n{events}")
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://e/>\n"
        "SELECT ?s ?v FROM STREAM <http://e/st> [RANGE 4s STEP 4s] WHERE { ?s ex:v ?v }"
    )
    # Each report lacks another row, or has one that is wrong.
    rows = ((t, end) for end in range(4, 60, 4) for t in range(end - 3, end + 1) if t % 5)
    alerts = "".join(f"{end},http://e/s{t % 3},{t % 7 if t % 8 else 77}\n" for t, end in rows)
    (tmp_path / "my alerts.csv").write_text(f"t,s,v\n{alerts}")
    (tmp_path / "experiment.toml").write_text(
        'csparql = "q.rq"\nfiles = "events.csv"\n[prefixes]\nex = "http://e/"\n'
        '[columns]\nt = "{when}"\ns = "ex:{who}"\n"ex:v" = "{val}"\n'
    )
    told = lars("judge", tmp_path, "--answers", tmp_path / "my alerts.csv").out
    [command] = re.findall(r"of the rule: lars (compare .*)", told)
    ran = lars(*shlex.split(command))
    assert "[columns] is guessed" not in ran.err
    assert (ran.code, "the nearest rule, pull every 4s" in ran.out) == (0, True)


def test_of_answers_without_a_row_nothing_is_predicted(tmp_path):
    """All of zero rows are predicted by anything, which is no praise of a specification or an engine."""
    one = own("csparql", pushes=pushed("1 a p 1", "5 a p 4", "9 a p 4"))
    mute = replace(one, reports=())
    ran = mute.judged(tmp_path, "csv", "--t0", "0")
    assert (ran.code, ran.json["correct"]) == (1, False)
    assert {each["predicted"] for each in ran.json["explanations"]} == {None}
    given = ("query.rq", "trace.nq", "--answers", "answers", "--answers-format", "csv", "--engine", "csparql")
    told = lars("judge", *(tmp_path / one if "." in one or one == "answers" else one for one in given)).out
    assert re.search(
        r"the compared times contain no recorded row, but the specification csparql predicts \d+ rows?",
        told,
    )
    assert "all of the recorded rows" not in told
    assert "predicts exactly" not in told
    assert " 1.000 " not in told


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(("digits", "tolerance", "right"), [("1.333", "1e-3", 1), ("1.333", "1e-5", 0)])
def test_digits_may_lack_within_the_tolerance(tmp_path, kind, digits, tolerance, right):
    one = own("csparql", query=AVERAGE, pushes=pushed(*THIRDS))
    changed = first(one, (integer(digits, "decimal"),))
    ran = changed.judged(tmp_path, kind, "--t0", "0", "--tolerance", tolerance, "--no-diagnosis")
    assert (ran.code, ran.json["correct"]) == (1 - right, bool(right)), ran.out


@pytest.mark.parametrize("kind", [*TEXTS, "csrbench", "tsv", "yabench", "csv"])
def test_blank_nodes_have_whatever_names(tmp_path, kind):
    one = own("csparql", query=NODES)
    assert len({row[0] for row in one.at(0)[1]}) == 4
    correct(with_names(one).judged(tmp_path, kind), 0)


def with_names(one):
    """Return the recording with other names for its blank nodes, in another order in each report."""
    reports = tuple((t, tuple(map(_renamed, rows))) for t, rows in one.reports)
    return replace(one, reports=reports)


def _renamed(row):
    label = "".join(str(9 - int(letter)) for letter in row[0] if letter.isdigit())
    return (f"_:x{label}", *row[1:])


@pytest.mark.parametrize("kind", TEXTS)
def test_two_blank_nodes_are_not_one(tmp_path, kind):
    one = with_names(own("csparql", query=NODES))
    first, second, *_ = dict.fromkeys(row[0] for row in one.at(1)[1])
    merged = [(first if row[0] == second else row[0], *row[1:]) for row in one.at(1)[1]]
    window = only(one.with_report(1, *merged).judged(tmp_path, kind, "--no-diagnosis"))
    assert (window["to"], window["problem"]) == (8, "2 missing, 2 extra")


@pytest.mark.parametrize("kind", TEXTS)
def test_a_row_that_lacks_is_one_row_though_blank_nodes_are_renamed(tmp_path, kind):
    one = with_names(own("csparql", query=NODES))
    fewer = one.with_report(1, *one.at(1)[1][1:])
    assert only(fewer.judged(tmp_path, kind, "--no-diagnosis"))["problem"] == "1 missing"


@pytest.mark.parametrize("kind", ["solve", "csrbench", "sparql-json"])
def test_an_ask_is_true_where_it_has_a_row(tmp_path, kind):
    one = own("csparql", query=ASK, pushes=pushed(*GAP))
    assert [len(rows) for _, rows in one.reports] == [1, 1, 0]
    correct(one.judged(tmp_path, kind, "--t0", "0"), 0)
    assert only(one.with_report(2, ()).judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))["to"] == 16


@pytest.mark.parametrize("kind", WRITERS)
def test_an_ask_may_answer_in_a_column(tmp_path, kind):
    one = own("csparql", query=ASK, pushes=pushed(*GAP))
    said = [(t, ((f'"{str(bool(rows)).lower()}"^^<{XSD}boolean>',),)) for t, rows in one.reports]
    answers = replace(one, names=("Answer",), reports=tuple(said))
    correct(answers.judged(tmp_path, kind, "--t0", "0"), 0)
    turned = answers.with_report(1, (f'"false"^^<{XSD}boolean>',))
    assert only(turned.judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))["to"] == 12


@pytest.mark.parametrize("kind", WRITERS)
def test_constructed_triples_are_rows(tmp_path, kind):
    one = own("csparql", query=CONSTRUCT)
    assert one.names == ("subject", "predicate", "object")
    correct(one.judged(tmp_path, kind), 0)
    dropped = one.with_report(2, *one.at(2)[1][1:]).judged(tmp_path, kind, "--no-diagnosis")
    assert only(dropped)["problem"] == "1 missing"


@pytest.mark.parametrize("kind", [*TEXTS, "csrbench", "yabench"])
def test_an_empty_report_that_is_left_out_counts_unless_ignored(tmp_path, kind):
    one = own("csparql", pushes=pushed(*GAP))
    assert one.at(2) == (16000, ())
    fewer = one.without(2)
    window = only(fewer.judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))
    assert (window["to"], window["problem"]) == (16, "no report of the empty answer")
    correct(fewer.judged(tmp_path, kind, "--t0", "0", "--empty", "ignored"), 0)


@pytest.mark.parametrize("kind", [*TEXTS, "csrbench", "yabench"])
def test_an_empty_report_that_is_added_counts_unless_ignored(tmp_path, kind):
    one = own("csparql", pushes=pushed(*GAP))
    more = replace(one, reports=(one.at(0), (8000.0, ()), *one.reports[1:]))
    window = only(more.judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))
    assert (window["to"], window["problem"]) == (8, "a report of a window without a triple")
    correct(more.judged(tmp_path, kind, "--t0", "0", "--empty", "ignored"), 0)


@pytest.mark.parametrize("kind", [*TEXTS, "csrbench", "yabench"])
def test_an_empty_report_of_a_silent_specification_counts_unless_ignored(tmp_path, kind):
    one = own("sparqlstream", pushes=pushed(*GAP))
    more = replace(one, reports=(one.at(0), (8000.0, ()), *one.reports[1:]))
    window = only(more.judged(tmp_path, kind, "--t0", "0", "--no-diagnosis"))
    assert (window["to"], window["problem"]) == (8, "a report of an empty answer")
    correct(more.judged(tmp_path, kind, "--t0", "0", "--empty", "ignored"), 0)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_report_with_rows_where_nothing_is_evaluated_always_counts(tmp_path, kind):
    one = own("csparql", pushes=pushed(*GAP))
    rows = one.at(0)[1]
    more = replace(one, reports=(one.at(0), (8000.0, rows), *one.reports[1:]))
    found = wrong(more.judged(tmp_path, kind, "--t0", "0", "--empty", "ignored", "--no-diagnosis"))
    assert [(one["to"], one["problem"]) for one in found] == [(8, "a report of a window without a triple")]


@pytest.mark.parametrize("kind", TEXTS)
def test_a_report_before_the_first_close_is_named_so_and_explained(tmp_path, kind):
    one = own("csparql")
    early = replace(one, reports=((2000.0, one.at(0)[1][:0]), *one.reports))
    found = early.judged(tmp_path, kind, "--t0", "0", "--gracious", "--no-diagnosis")
    assert only(found)["problem"] == "a report before the first window closes"
    assert [one["complete"] for one in found.json["explanations"]] == [False, False]
    rows = tuple(row for row in one.at(0)[1] if int(row[0].split('"')[1]) <= 2)
    early = replace(one, reports=((2000.0, rows), *one.reports))
    own_score, borders = early.judged(tmp_path, kind, "--t0", "0").json["explanations"][:2]
    assert borders["says"] == "reporting 1 time before the first window closes"
    assert (own_score["complete"], borders["complete"]) == (False, True)


@pytest.mark.parametrize("kind", TEXTS)
def test_reports_of_one_time_before_the_first_close_are_looked_at_together(tmp_path, kind):
    one = own("csparql")
    rows = tuple(row for row in one.at(0)[1] if int(row[0].split('"')[1]) <= 2)
    assert len(rows) > 1
    early = replace(one, reports=((2000.0, rows[:1]), (2000.0, rows[1:]), *one.reports))
    _, borders = early.judged(tmp_path, kind, "--t0", "0").json["explanations"][:2]
    assert borders["says"] == "reporting 1 time before the first window closes"
    assert borders["complete"]


@pytest.mark.parametrize("kind", ["solve", "csv"])
def test_a_column_of_another_name_is_warned_of(tmp_path, kind):
    one = own("csparql")
    ran = replace(one, names=("o", "subject")).judged(tmp_path, kind, "--no-diagnosis")
    assert ran.err == (
        "warning: the answers contain no column s, but the query returns this variable\n"
        "warning: the answers contain the column subject, but the query does not return this variable\n"
    )
    assert {"subject" in row for window in wrong(ran) for row in window["extra"]} == {True}
