"""Unusable calls of `lars judge`: one message that says what is accepted, exit code 2, no traceback."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agreement.command import lars
from tests.agreement.comparing.judge.recorded import QUERIES, own, pushed
from tests.agreement.documents.recordings.samples import CASE

ALL = "query.rq trace.nq --answers answers"
FILES = {
    "case.json": CASE,
    "plain.rq": "SELECT ?s WHERE { ?s ?p ?o }",
    "past.rq": "SELECT RSTREAM ?s FROM NAMED STREAM <http://e/S> [NOW - 9 S TO NOW - 4 S SLIDE 1 S] "
    "WHERE { ?s <http://e/p> ?o }",
    "bad.rq": "SELECT ?s FROM STREAM",
    "prog.lars": "a(?X) <- [5] <> striple(?X, ?P, ?O, ?S).",
    "atoms.csv": "t,atom\n1,a(b)\n",
    "other.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/R> "1" .\n',
    "half.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1500" .\n',
    "late.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1700000000" .\n',
    "never.nq": f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{2**53}" .\n',
    "empty": "",
    "solved.ndjson": '{"t": 5, "rows": []}\n',
    "cut.json": '{"relations": [',
    "list.json": "[3]",
    "wrong.toml": "report = 3\n",
    "periodic.toml": 'name = "p"\nreport = ["periodic"]\n',
}
CALLS = {
    "nothing at all": ("", "--answers"),
    "a query and a trace without answers": ("query.rq trace.nq", "query.rq", "--answers FILE"),
    "answers without query": ("--answers answers", "query"),
    "a query without trace": ("query.rq --answers answers", "missing a trace"),
    "a query that is missing": ("none.rq trace.nq --answers answers", "none.rq"),
    "a trace that is missing": ("query.rq none.nq --answers answers", "none.nq"),
    "answers that are missing": ("query.rq trace.nq --answers none", "none"),
    "a case that is missing": ("none.json", "none.json"),
    "a query without answers": ("query.rq", "missing --answers FILE"),
    "a case by another name": ("trace.nq", "*.json"),
    "a case as query": ("case.json trace.nq --answers answers", "case.json"),
    "a query that is none": ("bad.rq trace.nq --answers answers", "bad.rq:1:"),
    "a query without windows": ("plain.rq trace.nq --answers answers", "plain.rq"),
    "a program": ("prog.lars trace.nq --answers answers", "prog.lars", "a query"),
    "atoms as trace": ("query.rq atoms.csv --answers answers", "RDF streams"),
    "a push between two time points": ("query.rq half.nq --trace-unit 1ms --unit 1s --answers answers", "1s"),
    "times that milliseconds do not tell apart": (
        "query.rq never.nq --answers answers --origin 1970-01-01T00:00:00Z",
        "an element comes at 9007199254740992; expected times below 9007199254740992 ms",
    ),
    "windows from the epoch on": ("query.rq late.nq --answers answers", "1000000", "--registered"),
    "the column of times of answers without columns": (
        "query.rq trace.nq --answers solved.ndjson --time-variable when",
        "solved.ndjson",
        "--time-variable when",
        "format solve",
    ),
    "an unknown engine": (f"{ALL} --engine frob", "--engine frob", "cqels-2011", "sparqlstream"),
    "an unknown engine for cases": ("case.json --engine frob", "--engine frob"),
    "the specification of no case": (f"{ALL} --engine specification", "--engine specification"),
    "a specification file that is missing": (f"{ALL} --engine none.toml", "none.toml"),
    "a specification file that is wrong": (f"{ALL} --engine wrong.toml", "wrong.toml:1:"),
    "periodic without a period": (f"{ALL} --engine periodic.toml", "periodic.toml:2:", "period"),
    "start times in words": (f"{ALL} --t0 soon", "--t0 soon", "0..9"),
    "start times that run back": (f"{ALL} --t0 9..1", "--t0 9..1"),
    "start times below zero": (f"{ALL} --t0 -1", "--t0 -1"),
    "more start times than anyone tries": (f"{ALL} --t0 0..99999999", "--t0"),
    "no start time": (f"{ALL} --t0=", "--t0"),
    "a wrong --empty": (f"{ALL} --empty maybe", "--empty'", "'compared', 'ignored'"),
    "a negative tolerance": (f"{ALL} --tolerance -1", "--tolerance", "0"),
    "a tolerance that is not a number": (f"{ALL} --tolerance nan", "--tolerance"),
    "a tolerance above one": (f"{ALL} --tolerance 2", "--tolerance", "1"),
    "an endless --early": (f"{ALL} --early inf", "--early inf"),
    "a negative --early": (f"{ALL} --early -5", "--early", "0"),
    "a negative registration": (f"{ALL} --registered -1", "--registered", "0"),
    "a registration beyond 64 bits": (f"{ALL} --registered 99999999999999999999", "--registered"),
    "--until in words": (f"{ALL} --until noon", "--until noon"),
    "--until beyond what anyone waits for": (f"{ALL} --until 4000000000000000000", "1000000"),
    "a unit that divides no window": (f"{ALL} --unit 3s", "3s", "4s"),
    "a unit that is none": (f"{ALL} --unit soon", "soon"),
    "a unit of the answers that is none": (f"{ALL} --answers-unit 0s", "0s"),
    "an unknown format of answers": (f"{ALL} --answers-format xml", "--answers-format'", "csrbench"),
    "answers in another format": (f"{ALL} --answers-format csrbench", "answers"),
    "answers that are empty": ("query.rq trace.nq --answers empty", "empty"),
    "answers that are cut off": ("query.rq trace.nq --answers cut.json", "cut.json:1:"),
    "answers that are a list": ("query.rq trace.nq --answers list.json", "list.json"),
    "answers that are the trace": ("query.rq trace.nq --answers trace.nq", "trace.nq"),
    "answers of a case with another trace": ("query.rq other.nq --answers case.json", "only 1 push;"),
    "a folder without cases": ("folder", "folder", "*.json"),
    "options of answers for a case": (
        "case.json --trace-unit 1s --gracious",
        "--gracious",
        "--trace-unit",
        "a recorded case",
    ),
    "options of windows for an engine version": (f"{ALL} --engine cqels-1.x --t0 0", "--t0"),
    "an origin that is none": (f"{ALL} --origin noon", "noon"),
    "an unknown --on-error": (f"{ALL} --on-error ignore", "stop"),
    "a query that the engine version cannot run": (f"{ALL} --engine rsp-js-1.3.5", "rspql"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    own("csparql").judged(tmp_path, "solve", "--no-diagnosis")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CALLS)
def test_an_unusable_call_is_one_message(name, folder):
    command, *says = CALLS[name]
    code, out, err = lars("judge", *command.split())
    assert (code, out) == (2, ""), (out, err)
    assert re.findall("(?m)^lars: |^warning: |Traceback|Warning:|Usage:", err) == ["lars: "], err
    assert [text for text in says if text not in err] == [], err


def test_a_trace_without_the_stream_of_the_query_is_warned_of(folder):
    ran = lars("judge", "query.rq", "other.nq", "--answers", "answers", "--json", "--no-diagnosis")
    assert (ran.code, ran.out) == (2, "")
    assert "warning: the trace has no element of the stream <http://e/S> that the query reads" in ran.err
    assert "lars: nothing to compare: the first window of csparql can open as late as 3" in ran.err


@pytest.mark.parametrize("engine", ["csparql", "csparql-0.9.7"])
def test_incorrect_answers_are_one_document(folder, engine):
    ran = replace(own("csparql").without(2), engine=engine).judged(folder, "solve")
    assert (ran.code, ran.json["correct"], ran.err, ran.out.count("\n")) == (1, False, "", 1)


@pytest.mark.parametrize("command", ["case.json", "case.json --engine specification"])
def test_cases_are_one_document(folder, command):
    ran = lars("judge", *command.split(), "--json")
    assert (ran.code, ran.json["correct"], ran.err, len(ran.json["cases"])) == (1, False, "", 1)


def test_nothing_to_compare_is_an_unusable_input(folder):
    one = own("csparql").judged(folder, "solve", "--until", "3")
    assert (one.code, one.out) == (2, "")
    said = (
        "lars: nothing to compare: the first window of csparql can open as late as 3, and 3 is the last time"
    )
    assert one.err.startswith(said)


@pytest.mark.parametrize(("options", "interval"), [((), "(0, 8)"), (("--until", "7"), "(0, 7]")])
def test_a_window_that_closes_at_the_end_of_the_trace_is_not_denied(tmp_path, options, interval):
    """The window (4, 8] contains a triple, but is not compared without a report."""
    made = replace(own("csparql", pushes=pushed("5 a p 1", "8 a r 1")), reports=((0.0, ()),))
    ran = made.judged(tmp_path, "solve", "--t0", "0", *options)
    said = f"csparql has no report to compare in {interval}, and neither have the answers"
    assert (ran.code, said in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(("unit", "says"), [("1s", "28000"), ("1000ns", "0.028")])
def test_answers_in_another_unit_than_the_trace_are_warned_of(folder, unit, says):
    ran = lars("judge", *ALL.split(), "--answers-unit", unit, "--no-diagnosis", "--t0", "0")
    assert f"warning: the last answer is at {says} (in units of 1s), but the trace " in ran.err
    assert "Check the units of times: --answers-unit for the answers" in ran.err


def test_answers_without_a_column_of_the_query_are_no_answers(folder):
    """They were wrong in each window, as if the engine was."""
    (folder / "answers").write_text("t,subject,object\n" + "".join(f"{t},a,{t}\n" for t in range(4, 29, 4)))
    ran = lars("judge", *ALL.split(), "--answers-format", "csv", "--no-diagnosis")
    problem = (
        "no column has the name of a variable of the query; found object, subject; use o, s as the names"
    )
    assert (ran.code, ran.err) == (2, f"lars: answers: {problem} of columns, or --rename object=o\n")
    renamed = ("--rename", "object=o", "--rename", "subject=?s")
    assert lars("judge", *ALL.split(), "--answers-format", "csv", "--no-diagnosis", *renamed).code != 2
    twice = lars("judge", *ALL.split(), "--answers-format", "csv", "--rename", "object=subject")
    assert "--rename gives two columns the name subject; found object, subject" in twice.err
    unknown = lars("judge", *ALL.split(), "--answers-format", "csv", *renamed, "--rename", "room=r")
    problem = "--rename room=r: answers has no column room; found o, s"
    assert (unknown.code, unknown.err) == (2, f"lars: {problem}\n")
    for wrong in ("object", "object=", "=o"):
        assert "expected COLUMN=VARIABLE" in lars("judge", *ALL.split(), "--rename", wrong).err


def test_start_times_of_several_bounds_and_what_was_tried_are_named_once(tmp_path):
    """The start times of each bounds were listed, and without a search, no known fault explained answers."""
    met = Path("samples/judged/met").absolute()
    asked = ("judge", met / "query.csparql.rq", met / "doors.nq", "--answers-unit", "1ms", "--no-diagnosis")
    late = lars(*asked, "--answers", met / "answers.csparql.ndjson", "--registered", "30")
    assert (late.code, "nothing to compare for t0 = 31..39: with" in late.err) == (2, True)
    (tmp_path / "a.csv").write_text("time,one,other,room\n13000,http://e/x,http://e/y,http://e/z\n")
    wrong = lars(*asked, "--answers", tmp_path / "a.csv", "--t0", "0", "--gracious")
    assert "no other borders of windows explain the answers better than the specification" in wrong.out


def test_a_column_that_is_missing_is_warned_of(folder):
    (folder / "answers").write_text("t,o\n" + "".join(f"{t},{t}\n" for t in range(4, 29, 4)))
    ran = lars("judge", *ALL.split(), "--answers-format", "csv", "--no-diagnosis")
    assert ran.err == "warning: the answers contain no column s, but the query returns this variable\n"


def test_terms_that_differ_in_their_kind_alone_show_it(folder):
    one = own("csparql")
    _, ((number, _), *others) = one.at(1)
    one.with_report(1, (number, '"s2"'), *others).judged(folder, "solve")
    out = lars("judge", *ALL.split(), "--answers-unit", "1ms", "--t0", "0", "--no-diagnosis").out
    assert "missing (5, <http://e/s2>)" in " ".join(out.replace("│", " ").split())
    assert 'extra (5, "s2")' in " ".join(out.replace("│", " ").split())


def test_correct_answers_are_one_document_for_every_kind_of_judge(folder):
    for engine, kind in (("csparql", "solve"), ("csparql", "yabench")):
        ran = own("csparql").judged(folder, kind, "--engine", engine)
        assert json.loads(ran.out)["correct"] is True
        assert (ran.code, ran.err, ran.out.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("language", QUERIES)
def test_without_an_engine_the_specification_of_the_language_judges(folder, language):
    own(language).judged(folder, "solve", "--no-diagnosis")
    ran = lars("judge", *ALL.split(), "--answers-unit", "1ms", "--json")
    assert (ran.code, ran.json["engine"], ran.json["correct"]) == (0, language, True)


def test_a_trace_that_begins_at_time_0_is_not_remarked_upon(folder):
    first = '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "0" .\n'
    (folder / "trace.nq").write_text(first + (folder / "trace.nq").read_text())
    assert lars("judge", *ALL.split(), "--answers-unit", "1ms", "--no-diagnosis", "--json").err == ""


def test_lines_that_are_skipped_are_told(folder):
    with (folder / "trace.nq").open("a") as trace:
        trace.write("nonsense\n")
    skipping = ("--on-error", "skip", "--rejected", "rejected.txt", "--answers-unit", "1ms", "--json")
    ran = lars("judge", *ALL.split(), *skipping)
    assert (ran.code, ran.json["correct"]) == (0, True)
    assert ran.err == "warning: skipped 1 invalid line or element and wrote it to rejected.txt\n"


def test_numbers_since_1970_beside_dated_data_are_warned_of(tmp_path, monkeypatch):
    """The unit of the answers was called the cause, and is none."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"2026-05-04T08:00:0{n}Z,http://e/a,http://e/p,{n}\n" for n in (1, 3, 5))
    (tmp_path / "t.csv").write_text(f"t,s,p,o\n{rows}")
    (tmp_path / "q.rq").write_text(
        "REGISTER QUERY q AS SELECT ?o FROM STREAM <http://e/S> [RANGE 2s STEP 2s] { ?s <http://e/p> ?o }"
    )
    call = "judge q.rq --stream http://e/S=t.csv --engine csparql --no-diagnosis --answers a.csv"
    for text, unit in (("1777881602,1\n", "1s"), ("1777881602000,1\n", "1ms")):
        (tmp_path / "a.csv").write_text(f"time,o\n{text}")
        ran = lars(*call.split(), "--answers-unit", unit)
        assert (
            "The numbers seem to count from 1970, but time 0 is 2026-05-04T08:00:00Z; use dateTimes"
            in ran.err
        )
        assert "Check the units of times" not in ran.err
    (tmp_path / "a.csv").write_text("time,o\n777881602,1\n")
    assert "Check the units of times" in lars(*call.split()).err
