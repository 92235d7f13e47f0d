"""Many cases at once: what cannot be judged is said, and the others are judged; engines of any name."""

import json

import pytest

from agreement import api
from tests.agreement.command import lars

QUERY = (
    "PREFIX : <http://e/> REGISTER RSTREAM <http://e/out> AS SELECT ?s "
    "FROM NAMED WINDOW :w ON :S [RANGE PT2S STEP PT7S] WHERE { WINDOW :w { ?s :p ?o } }"
)
ROW = {"s": "<http://e/a>"}
CQELS = "PREFIX : <http://e/> SELECT ?s WHERE { STREAM :S [RANGE 2s] { ?s :p ?o } }"


def case(folder, name, times=(25000, 27000), **changed):
    """Write a case: a :p :b at these times; `changed` are its keys; without a report, unless given."""
    triple = "<http://e/a> <http://e/p> <http://e/b> ."
    usual = {"id": name, "engine": "yasper-csparql", "mode": "m", "family": "f", "query": QUERY, "output": []}
    pushed = [{"t": t, "stream": "http://e/S", "triple": triple} for t in times]
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(usual | {"stream": pushed} | changed))
    return path


def met(folder, name, engine="cqels-1.x"):
    """Write a case that is as cqels-1.x predicts."""
    return case(
        folder, name, (25000,), query=CQELS, engine=engine, output=[{"t": 25000, "trigger": 0, "rows": [ROW]}]
    )


def test_correct_cases_are_said_with_the_t0_for_which_they_fit(tmp_path):
    output = [{"t": 9000, "trigger": 1, "rows": [ROW]}]
    for name in "ab":
        case(tmp_path, name, (8000, 30000), output=output)
    said = [lars("judge", path, "--engine", "rspql").out for path in (tmp_path / "a.json", tmp_path)]
    assert [text.splitlines()[-1] for text in said] == [
        "1 of 1 cases are as predicted, for t0 = 0, 6, bounds low-open",
        "2 of 2 cases are as predicted, each for t0 = 0, bounds low-open",
    ]


def test_where_the_best_start_time_leaves_nothing_to_compare_there_is_no_verdict(tmp_path):
    found = lars("judge", case(tmp_path, "c"), "--engine", "rspql", "--json")
    assert (found.code, found.json["correct"], found.json["cases"][0]["problem"]) == (
        2,
        None,
        "nothing to compare",
    )
    assert "nothing to compare in 1 of 1 case: c" in found.err


def test_start_times_that_leave_nothing_to_compare_are_named(tmp_path):
    (tmp_path / "q.rq").write_text(
        QUERY.partition("AS ")[0].partition("REGISTER")[0] + QUERY.partition("AS ")[2]
    )
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in (25, 27))
    (tmp_path / "t.nq").write_text("".join(lines))
    (tmp_path / "a.ndjson").write_text('{"t": 90, "rows": []}\n')
    asked = (
        "judge",
        tmp_path / "q.rq",
        tmp_path / "t.nq",
        "--engine",
        "rspql",
        "--answers",
        tmp_path / "a.ndjson",
    )
    found = lars(*asked)
    assert (found.code, "nothing to compare for t0 = 0, 1, 4..6: " in found.err) == (2, True)
    # (3, 5] + 7k holds 25: an engine that opens its windows there had to report.
    assert lars(*asked, "--t0", "2").code == 1


def refusals(folder):
    """Write cases of which the first and the last can be judged by cqels-1.x."""
    met(folder, "a")
    case(folder, "b", query="SELECT ?s WHERE")
    (folder / "c.json").write_text("{")
    case(folder, "d", query=CQELS)
    return folder


def test_what_cannot_be_judged_does_not_keep_the_others_from_it(tmp_path):
    found = lars("judge", refusals(tmp_path / "x"), "--engine", "cqels-1.x", "--json")
    assert (found.code, [(one["id"], one["correct"]) for one in found.json["cases"]]) == (
        2,
        [("a", True), ("d", False)],
    )
    assert [one["id"] for one in found.json["refused"]] == ["b", "c"]
    assert found.json["correct"] is False
    assert found.err.startswith("lars: 2 of 4 cases cannot be run. The first reason: ")
    assert "b.json: query:1:" in found.err


def test_the_description_of_a_hunt_is_no_case(tmp_path):
    met(tmp_path / "fault", "case")
    (tmp_path / "hunt.json").write_text("{}")
    found = lars("judge", tmp_path, "--engine", "cqels-1.x", "--json")
    assert (found.code, [one["id"] for one in found.json["cases"]]) == (0, ["case"])
    assert found.json["refused"] == []


def test_readers_are_told_which_cases_cannot_be_judged(tmp_path):
    found = lars("judge", refusals(tmp_path / "x"), "--engine", "cqels-1.x")
    assert "cases that cannot be judged" in found.out
    assert found.out.splitlines()[-1] == "1 of 2 cases are as predicted; 2 more cases cannot be judged"
    table = api.judge(tmp_path / "x", engine="cqels-1.x").to_pandas("cases")
    assert table["id"].tolist() == ["a", "d", "b", "c"]
    assert table["correct"].isna().tolist() == [False, False, True, True]
    assert "b.json: query:1:" in table["problem"][2]


def test_a_page_of_one_comparison_names_the_cases_that_cannot_be_compared(tmp_path):
    met(tmp_path, "a")
    case(tmp_path, "b", query="SELECT ?s WHERE")
    result = api.compare("cqels", "cqels", tmp_path)
    sentence = "cqels (1) and cqels (2) have the same reports at 1 time unit with a report"
    assert result.headline == f"{sentence}; 1 more case cannot be compared"
    page = result.page()
    assert (page.verdict, page.answer) == (None, result.headline)
    assert any("not compared: " in str(block) for block in page.page["blocks"])


def test_the_headline_of_cases_has_their_numbers(tmp_path):
    result = api.judge(refusals(tmp_path / "x"), engine="cqels-1.x")
    assert result.headline == "1 of 2 cases are as predicted; 2 more cases cannot be judged"
    assert "1 of 2 cases" in repr(result)


def test_without_a_wrong_case_refused_ones_leave_it_open(tmp_path):
    met(tmp_path, "a")
    case(tmp_path, "b", query="SELECT ?s WHERE")
    found = api.judge(tmp_path, engine="cqels-1.x")
    assert (found.correct, list(found.refused), found.to_json()["correct"]) == (None, ["b"], None)


def test_times_that_count_since_1970_are_said_of_the_one_case_that_has_them(tmp_path):
    case(tmp_path, "a")
    case(
        tmp_path,
        "b",
        times=(1_700_000_000_000, 1_700_000_001_000),
        query=QUERY.replace("STEP PT7S", "STEP PT0.001S"),
    )
    found = lars("judge", tmp_path, "--engine", "rspql", "--json")
    assert (found.code, [one["id"] for one in found.json["refused"]]) == (2, ["b"])
    assert "b.json: windows close" in found.err


@pytest.mark.parametrize("engine", ["rsp-rs-0.3.5", "my engine", "\u001b[31m", "CQELS-1.x"])
def test_an_engine_of_any_name_is_judged_by_the_one_that_is_named(tmp_path, engine):
    path = met(tmp_path, "a", engine)
    found = lars("judge", path, "--engine", "cqels-1.x", "--json")
    assert (found.code, found.json["cases"][0]["engine"]) == (0, engine)
    assert lars("judge", path, "--engine", "cqels", "--json").code == 0


@pytest.mark.parametrize("judge", [(), ("--engine", "specification")])
def test_an_engine_that_nobody_knows_cannot_judge_itself(tmp_path, judge):
    met(tmp_path, "a", "mine")
    met(tmp_path, "b", "mine")
    found = lars("judge", tmp_path, *judge)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "a.json: unknown engine 'mine'; use --engine with a spec" in found.err


def test_a_case_in_a_language_without_a_specification_names_the_language_and_the_option_helps(tmp_path):
    path = met(tmp_path, "a", "mine")
    path.write_text(json.dumps({**json.loads(path.read_text()), "dialect": "janus"}))
    says = "unknown engine 'mine', and its language janus has no specification; use --engine with a spec"
    assert says in lars("judge", path).err
    assert lars("judge", path, "--engine", "cqels-1.x").code == 0


def test_cases_that_cannot_be_compared_do_not_keep_the_others_from_it(tmp_path):
    found = lars("compare", "cqels", "cqels-1.x", refusals(tmp_path / "x"), "--json")
    assert (found.code, [one["id"] for one in found.json["cases"]]) == (2, ["a", "d"])
    assert [one["id"] for one in found.json["refused"]] == ["b", "c"]
    assert lars("compare", "cqels", "cqels-1.x", tmp_path / "x" / "b.json").err.startswith(
        "lars: " + str(tmp_path)
    )
