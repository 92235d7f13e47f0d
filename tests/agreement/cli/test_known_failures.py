"""--junit and --known: verdicts as test cases, and failures that are expected."""

import sys
import xml.etree.ElementTree as ET

import pytest

from agreement import api
from agreement.experiments.junit import VerdictCase, junit_text, read_known, without_known
from lars.errors import on_one_line
from tests.agreement.command import lars
from tests.packs import SAMPLES

AGREE = ("agree", SAMPLES / "coupons", "--period", "4..8", "--in-process")
MET = SAMPLES / "judged/met"


def failures(path):
    return [case.get("name") for case in ET.parse(path).iter("testcase") if case.find("failure") is not None]


def test_each_row_of_one_side_is_a_failed_case(tmp_path):
    ran = lars(*AGREE, "--junit", tmp_path / "j.xml")
    assert ran.code == 1
    root = ET.parse(tmp_path / "j.xml").getroot()
    rows = api.agree(SAMPLES / "coupons", period="4..8").differences
    (row,) = rows
    assert failures(tmp_path / "j.xml") == [f"U = 8, (16, 24], only push: {row.atom}"]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("5", "1", "0")
    assert next(root.iter("failure")).get("message") == row.cause


def test_many_rows_are_as_many_cases_as_the_library_has_differences(tmp_path):
    lars("agree", SAMPLES / "slide", "--period", "1..9", "--in-process", "--junit", tmp_path / "j.xml")
    rows = api.agree(SAMPLES / "slide", period="1..9").differences
    assert len(failures(tmp_path / "j.xml")) == len(rows) > 1


def test_known_failures_do_not_fail_and_are_skipped(tmp_path):
    lars(*AGREE, "--junit", tmp_path / "j.xml")
    known = tmp_path / "known.txt"
    known.write_text("# accepted\n\n" + "\n".join(failures(tmp_path / "j.xml")) + "\n")
    ran = lars(*AGREE, "--junit", tmp_path / "k.xml", "--known", known)
    assert (ran.code, "no longer occurs" in ran.err, failures(tmp_path / "k.xml")) == (0, False, [])
    assert ET.parse(tmp_path / "k.xml").getroot().get("skipped") == "1"


def test_failures_that_are_all_known_are_counted_and_gone_ones_are_one_line(tmp_path):
    lars(*AGREE, "--junit", tmp_path / "j.xml")
    known = tmp_path / "known.txt"
    gone = "\n".join(f"gone {number}" for number in range(7))
    known.write_text("\n".join(failures(tmp_path / "j.xml")) + f"\n{gone}\n")
    ran = lars(*AGREE, "--known", known)
    assert ran.code == 0
    assert f"note: 1 failed, all of them known: {known} lists each failure" in ran.err
    listed = "gone 0, gone 1, gone 2, gone 3, gone 4 and 2 more"
    assert f"note: 7 known failures no longer occur: {listed}. Remove their lines from {known}" in ran.err
    assert ran.err.count("no longer occur") == 1


REFUSER = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"error": "no"}), flush=True)
"""
HANGING = """
import json, sys, time
for line in sys.stdin:
    if json.loads(line)["op"] != "open":
        time.sleep(100)
    print(json.dumps({"ok": True, "engine": "hanging-1"}), flush=True)
"""


@pytest.mark.parametrize(("program", "code"), [(REFUSER, 2), (HANGING, 3)])
def test_a_run_without_a_result_writes_its_error_as_a_test_case(program, code, tmp_path):
    adapter, file = tmp_path / "adapter.py", tmp_path / "j.xml"
    adapter.write_text(program)
    command = f"{sys.executable} {adapter}"
    ran = lars("hunt", "--adapter", command, "--silence", "0.2", "--time-limit", "3", "--junit", file)
    root = ET.parse(file).getroot()
    assert (ran.code, root.get("tests"), root.get("errors")) == (code, "1", "1")
    assert next(root.iter("error")).get("message") in ran.err


def test_a_file_that_is_an_input_too_is_not_overwritten_by_an_error(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text("SELECT")
    assert lars("hunt", query, "--adapter", "true", "--junit", query).code == 2
    assert query.read_text() == "SELECT"


def test_a_new_failure_fails_and_is_named_and_a_gone_one_is_said(tmp_path):
    known = tmp_path / "known.txt"
    known.write_text("U = 7, something\n")
    ran = lars(*AGREE, "--known", known)
    assert ran.code == 1
    assert (
        f"note: this known failure no longer occurs: U = 7, something. Remove its line from {known}"
        in ran.err
    )
    assert f"lars: {known}: does not list 1 failure:\n  U = 8, (16, 24], only push: " in ran.err


def test_filters_of_the_report_hide_no_failure(tmp_path):
    known = tmp_path / "known.txt"
    known.write_text("U = 7, something\n")
    assert lars(*AGREE, "--known", known, "--side", "pull").code == 1


def test_agreement_without_a_row_is_skipped(tmp_path):
    first = tmp_path / "e"
    first.mkdir()
    text = (SAMPLES / "coupons/experiment.toml").read_text()
    for name in ("query.csparql.rq", "query.cqels.rq", "locations.trig", "coupons.trig", "products.ttl"):
        (first / name).write_text((SAMPLES / "coupons" / name).read_text())
    (first / "experiment.toml").write_text(text.replace("timeline = [0, 50]", "timeline = [0, 10]"))
    ran = lars("agree", first, "--in-process", "--junit", tmp_path / "j.xml")
    assert ran.code == 0
    assert "neither side reports a row" in next(ET.parse(tmp_path / "j.xml").iter("skipped")).get("message")


@pytest.mark.parametrize("lines", ["", "window 3\n"])
def test_a_judged_window_is_a_case(lines, tmp_path):
    answers = (MET / "answers.csparql.ndjson").read_text().replace("hall", "roof").replace("lab", "roof")
    (tmp_path / "a.ndjson").write_text(answers)
    (tmp_path / "known").write_text(lines)
    judged = ("judge", MET / "query.csparql.rq", MET / "doors.nq", "--answers", tmp_path / "a.ndjson")
    ran = lars(*judged, "--answers-unit", "1ms", "--junit", tmp_path / "j.xml")
    assert ran.code == 1
    wrong = failures(tmp_path / "j.xml")
    assert wrong
    (tmp_path / "known").write_text(lines + "\n".join(wrong))
    ran = lars(*judged, "--answers-unit", "1ms", "--known", tmp_path / "known")
    assert (ran.code, "no longer" in ran.err) == (0, bool(lines))


@pytest.mark.usefixtures("warm_engines")
def test_a_fault_is_a_case_by_its_title(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(
        "PREFIX : <http://e/>\nREGISTER RStream <out> AS SELECT ?x FROM NAMED WINDOW :w ON STREAM :S "
        "[RANGE 6 STEP 3] WHERE { WINDOW :w { ?x :in :room } }"
    )
    adapter = ("--adapter", "lars serve-engine rsp-js-1.3.5", "--engine", "rspql")
    hunted = ("hunt", query, *adapter, "--faults", "1", "--runs", "15")
    ran = lars(*hunted, "--junit", tmp_path / "j.xml")
    assert ran.code == 1
    (tmp_path / "known").write_text("\n".join(failures(tmp_path / "j.xml")))
    assert lars(*hunted, "--known", tmp_path / "known").code == 0


@pytest.mark.parametrize("option", ["--junit", "--known"])
def test_files_that_cannot_be_used_are_said_first(option, tmp_path):
    ran = lars(*AGREE, option, tmp_path / "none/file")
    assert (ran.code, ran.out) == (2, "")
    assert "none" in ran.err


def test_the_text_is_well_formed_whatever_it_holds():
    text = "".join(map(chr, range(0x300))) + "\ud800]]>"
    root = ET.fromstring(junit_text(text, [VerdictCase(text, text, failure=text, text=text)]))
    assert (root.get("failures"), len(root[0])) == ("1", 1)


def test_a_failure_whose_name_has_a_line_break_is_known_by_its_line_in_the_list():
    cases, line = [VerdictCase("g", "a\nb", "why")], on_one_line("a\nb")
    assert without_known(cases, [line]) == ((), ())
    assert 'failures="0" errors="0" skipped="1"' in junit_text("s", cases, [line])


def test_one_line_covers_the_failures_of_one_fault_and_is_said_to_be_gone_only_with_the_last():
    tests = [VerdictCase("operator", f"istream-{n:02}", "why" if n > 1 else None) for n in range(1, 4)]
    other = VerdictCase("core", "join-01", "why")
    assert without_known([*tests, other], ["istream-*"]) == (("join-01",), ())
    assert 'failures="1" errors="0" skipped="2"' in junit_text("s", [*tests, other], ["istream-*"])
    assert without_known([other], ["istream-*", "*-01"]) == ((), ("istream-*",))


def test_brackets_in_a_line_of_the_list_stand_for_themselves():
    name = "U = 8, (16, 24], only push: ans(a)"
    assert without_known([VerdictCase("g", name, "why")], ["U = *, (16, 24], only push: *"]) == ((), ())
    assert without_known([VerdictCase("g", name, "why")], ["U = [0-9]*"]) == ((name,), ("U = [0-9]*",))


def test_a_failure_whose_name_ends_with_a_space_is_known_by_its_line_in_the_list(tmp_path):
    cases, file = [VerdictCase("g", " c ", "why")], tmp_path / "known"
    file.write_text(f"{on_one_line(' c ')}\n")
    known = read_known(file)
    assert without_known(cases, known) == ((), ())
    assert 'failures="0" errors="0" skipped="1"' in junit_text("s", cases, known)


def test_a_refused_query_is_a_failure_if_a_list_of_known_failures_does_not_name_it():
    cases = [VerdictCase("core", f"optional-{n:02}", refused="no OPTIONAL") for n in (1, 2)]
    assert without_known(cases, []) == (("refused: optional-01", "refused: optional-02"), ())
    # A failure that is known is no refusal that is known.
    assert without_known(cases[:1], ["optional-01"]) == (("refused: optional-01",), ("optional-01",))
    assert without_known(cases, ["refused: optional-*", "refused: bind-*"]) == ((), ("refused: bind-*",))


@pytest.mark.parametrize(
    ("known", "counts", "message"),
    [
        (None, ("0", "2"), "refused: no OPTIONAL"),
        ([], ("2", "0"), "new refusal: no OPTIONAL"),
        (["refused: optional-*"], ("0", "2"), "known refusal: no OPTIONAL"),
    ],
)
def test_a_refusal_reads_otherwise_than_a_failure(known, counts, message):
    cases = [VerdictCase("core", f"optional-{n:02}", refused="no OPTIONAL") for n in (1, 2)]
    root = ET.fromstring(junit_text("s", cases, known))
    assert (root.get("failures"), root.get("skipped")) == counts
    assert {part.get("message") for case in root for part in case} == {message}
