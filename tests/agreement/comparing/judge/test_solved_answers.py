"""Judge answers by the answers of `lars solve`: a warning names this if they are nearer to them."""

import json

import pandas as pd
import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import ROOT

MET = "samples/judged/met/"
DOORS = MET + "doors.nq"
STEP = """REGISTER QUERY q AS PREFIX : <http://example.org/>
SELECT ?who ?room FROM STREAM <http://example.org/doors> [RANGE 10s STEP 5s] WHERE { ?who :enters ?room }
"""
PUSHED = """PREFIX : <http://example.org/>
SELECT ?who ?room { STREAM :doors [RANGE 10s] { ?who :enters ?room } }
"""
SOLVED = "the answers are exactly the answers of `api.solve` by {}. "


def frame(query, trace=DOORS):
    return api.solve(query, trace).to_pandas()


@pytest.mark.parametrize(("query", "mode"), [(STEP, "pull"), (PUSHED, "push")])
def test_answers_of_solve_are_correct_with_the_named_keyword(query, mode):
    answers = frame(query)
    judged = api.judge(query, DOORS, answers=answers, diagnosis=False)
    (warning,) = judged.warnings
    assert judged.correct is False
    assert warning.startswith(SOLVED.format(mode))
    assert warning.endswith('use engine="solve"')
    again = api.judge(query, DOORS, answers=answers, engine="solve")
    assert (again.correct, again.warnings) == (True, ())


@pytest.mark.parametrize("form", ["csv", "csv --out-terms values", "jsonl", "parquet"])
def test_each_table_of_solve_is_read_with_the_same_verdict(form, tmp_path):
    """Variables may have the names of the columns t and place; the column place is no variable."""
    query = tmp_path / "q.rq"
    query.write_text(PUSHED.replace("?who", "?t").replace("?room", "?place"))
    kind, *terms = form.split()
    trace = ROOT / DOORS
    lars("solve", query, trace, "--out", tmp_path / "out", "--out-format", kind, *terms)
    ran = lars("judge", query, trace, "--answers", tmp_path / f"out/answers.{kind}", "--engine", "solve")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("correct by solve")


@pytest.mark.parametrize("changed", ["missing", "extra", "moved"])
def test_one_wrong_row_is_the_only_wrong_row_by_solve(changed):
    answers = frame(PUSHED)
    late = answers.iloc[-1:].assign(t=answers["t"].iloc[-1] + 30)
    rows = {"missing": answers.iloc[1:], "extra": pd.concat([answers, late]), "moved": answers.iloc[:-1]}
    rows["moved"] = pd.concat([rows["moved"], late])
    judged = api.judge(PUSHED, DOORS, answers=rows[changed])
    wrong = {"moved": "2 wrong rows"}.get(changed, "1 wrong row")
    assert any(f"nearer to the answers of `api.solve` by push: {wrong}, " in text for text in judged.warnings)
    graded = api.judge(PUSHED, DOORS, answers=rows[changed], engine="solve")
    kinds = ("missing", "extra")
    counts = [sum(len(getattr(window, kind)) for window in graded.differences) for kind in kinds]
    expected = {"missing": [1, 0], "extra": [0, 1], "moved": [1, 1]}
    assert (graded.correct, counts) == (False, expected[changed])


def test_answers_of_the_other_mode_need_the_mode():
    answers = api.solve(STEP, DOORS, mode="push").to_pandas()
    (warning,) = api.judge(STEP, DOORS, answers=answers).warnings
    assert warning.endswith('use mode="push" and engine="solve"')
    assert api.judge(STEP, DOORS, answers=answers, engine="solve", mode="push").correct


@pytest.mark.parametrize("period", [2, 5])
def test_pull_without_step_needs_a_period(period):
    answers = api.solve(PUSHED, DOORS, mode="pull", period=period).to_pandas()
    how = {"engine": "solve", "mode": "pull"}
    assert api.judge(PUSHED, DOORS, answers=answers, period=period, **how).correct
    assert not api.judge(PUSHED, DOORS, answers=answers, period=3, **how).correct


def test_a_late_answer_is_wrong_unless_late_allows_it():
    answers = frame(PUSHED).assign(t=lambda table: table["t"] + 0.2)
    assert api.judge(PUSHED, DOORS, answers=answers, engine="solve").correct is False
    assert api.judge(PUSHED, DOORS, answers=answers, engine="solve", late=200).correct
    assert api.judge(PUSHED, DOORS, answers=answers, engine="solve", late=199).correct is False


def test_times_from_1970_count_as_in_the_trace():
    begin = 1767225600
    trace = [(begin + t, ("e:ann", "http://example.org/enters", "e:hall")) for t in (2, 7)]
    answers = [{"time": begin + t, "rows": [{"who": "e:ann", "room": "e:hall"}]} for t in (2, 7)]
    query = PUSHED.replace("10s", "3s")
    assert api.judge(query, trace, answers=answers, trace_unit="1s", unit="1s", engine="solve").correct


STEPS = """PREFIX : <http://e/>
REGISTER QUERY q AS SELECT ?s FROM STREAM :S [RANGE 5s STEP 5s] WHERE { ?s :p ?o }
"""
SINCE_1970 = "".join(f'<http://e/a> <http://e/p> "1" <http://e/S> "{1700000000 + t}" .\n' for t in (2, 7, 14))


@pytest.mark.parametrize("form", ["integers", "dateTimes", "solve"])
@pytest.mark.parametrize("origin", [None, "2023-11-14T22:13:00Z"])
def test_answers_in_any_form_fit_a_trace_whose_integers_count_from_1970(tmp_path, capfd, form, origin):
    """The reports are at 22:13:25 and 22:13:30, which are 1,700,000,005 and 1,700,000,010 s after 1970."""
    (tmp_path / "q.rq").write_text(STEPS)
    (tmp_path / "s.nq").write_text(SINCE_1970)
    moments = [f"2023-11-14T22:13:{second}Z" for second in (25, 30)]
    solved = {"t": 5, "origin": "2023-11-14T22:13:20Z"}, {"t": 30, "origin": "2023-11-14T22:13:00Z"}
    times = {"integers": ({"t": 1700000005}, {"t": 1700000010}), "solve": solved}
    keys = times.get(form, [{"t": moment} for moment in moments])
    rows = [{"s": {"type": "uri", "value": "http://e/a"}}]
    lines = (json.dumps({**key, "rows": rows}) + "\n" for key in keys)
    (tmp_path / "a.ndjson").write_text("".join(lines))
    files = tmp_path / "q.rq", tmp_path / "s.nq"
    how = {"unit": "1s", "bounds": "low-open", "t0": "1700000000", "origin": origin}
    judged = api.judge(*files, answers=tmp_path / "a.ndjson", **how)
    assert judged.correct, judged.text
    assert ["does not change the times" in text for text in judged.warnings] == [True] * (origin is not None)
    other = api.judge(*files, answers=tmp_path / "a.ndjson", **{**how, "t0": "1700000001"})
    assert other.correct is False
    assert "time 0 is" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "option", [{"t0": 0}, {"bounds": "closed"}, {"match": "sequence"}, {"empty": "ignored"}]
)
def test_options_of_specifications_are_rejected(option):
    with pytest.raises(api.LarsError, match="cannot combine"):
        api.judge(PUSHED, DOORS, answers=frame(PUSHED), engine="solve", **option)


def test_mode_requires_solve_and_solve_requires_answers():
    with pytest.raises(api.LarsError, match="requires engine="):
        api.judge(PUSHED, DOORS, answers=frame(PUSHED), mode="push")
    with pytest.raises(api.LarsError, match="requires answers="):
        api.judge("samples/judged/met/case.json", engine="solve")


def test_a_mute_engine_has_not_the_answers_of_a_query_without_rows():
    query = STEP.replace(":enters", ":leaves")
    answers = [{"time": 5, "rows": []}, {"time": 6, "rows": []}]
    judged = api.judge(query, DOORS, answers=answers)
    assert not any("exactly the answers" in warning for warning in judged.warnings)


def test_answers_with_a_known_prefix_lead_to_full_iris():
    answers = '{"t": 5, "rows": [{"one": "ex:ann", "other": "ex:bob", "room": "ex:hall"}]}\n'
    query = MET + "query.cqels.rq"
    assert api.judge(query, DOORS, answers=answers, until=5).warnings == ()
    known = api.judge(query, DOORS, answers=answers, until=5, prefix={"ex": "http://example.org/"})
    (warning,) = known.warnings
    assert warning.endswith("write http://example.org/ann in place of ex:ann in the answers")
    full = answers.replace("ex:", "http://example.org/")
    assert api.judge(query, DOORS, answers=full, until=5).correct


def test_a_short_name_leads_to_the_full_iri():
    answers = '{"t": 5, "rows": [{"one": "ann", "other": "bob", "room": "hall"}]}\n'
    judged = api.judge(MET + "query.cqels.rq", DOORS, answers=answers, until=5)
    assert "write http://example.org/ann in the answers, or map the column to a text" in judged.text


def test_missing_and_extra_rows_are_shown_in_one_form():
    row = {
        name: f"http://example.org/{word}" for name, word in zip(("who", "room"), ("ann", "lab"), strict=True)
    }
    text = api.judge(PUSHED, DOORS, answers=json.dumps({"t": 5, "rows": [row]}) + "\n", until=5).text
    assert "extra (lab, ann)" in text
    assert "missing (hall, bob)" in text


HALL = ("http://example.org/ann", "http://example.org/enters", "http://example.org/hall")
DOOR = {"stream": {"http://example.org/doors": [(1, HALL), (9, ("e:a", "e:b", "e:c"))]}}
SHORT = PUSHED.replace("10s", "2s")


def reports(*times):
    return "".join(f"{t},http://example.org/ann,http://example.org/hall\n" for t in times)


def judged_at(folder, *times, **options):
    (folder / "answers.csv").write_text("time,who,room\n" + reports(*times))
    return api.judge(SHORT, answers=str(folder / "answers.csv"), diagnosis=False, **DOOR, **options)


def test_late_limits_the_delays_of_pushed_answers(tmp_path):
    judged = [judged_at(tmp_path, 5, late=late).correct for late in (None, 3999, 4000)]
    assert judged == [True, False, True]


def test_a_row_that_comes_again_is_mentioned_even_if_sets_ignore_it(tmp_path):
    twice = judged_at(tmp_path, 1, 5, semantics="set")
    (warning,) = twice.warnings
    assert twice.correct
    assert warning.startswith("1 row came again later, at 5, for the evaluation at 1")
    assert judged_at(tmp_path, 1, 5, semantics="set", late=0).correct is False
    assert judged_at(tmp_path, 1, semantics="set").warnings == ()


def test_wrong_rows_of_answers_without_kinds_have_the_form_of_expected_rows(tmp_path):
    (tmp_path / "answers.csv").write_text("time,who,room\n1,http://example.org/bob,lab\n")
    judged = api.judge(SHORT, answers=str(tmp_path / "answers.csv"), diagnosis=False, **DOOR)
    (window,) = judged.differences
    assert {*window.extra[0]} == {"<http://example.org/bob>", '"lab"'}
    assert {*window.missing[0]} == {"<http://example.org/ann>", "<http://example.org/hall>"}
    (written,) = judged.document()["windows"]
    assert [row["who"]["type"] for kind in ("extra", "missing") for row in written[kind]] == ["uri", "uri"]


def test_a_program_is_pointed_to_check():
    with pytest.raises(api.LarsError, match=r"use a query, or `api\.check` with an answer"):
        api.judge("p ← q.", [(1, "q")], answers="t,x\n1,a\n")


@pytest.mark.parametrize("changed", ["missing", "extra"])
def test_one_wrong_row_of_many_is_not_a_share_of_one(changed, tmp_path):
    trace = "".join(f'<e:p{n}> <http://example.org/enters> <e:r> <e:s> "1" .\n' for n in range(3000))
    trace += '<e:p0> <http://example.org/leaves> <e:r> <e:s> "6" .\n'
    files = {"q.rq": STEP.replace("http://example.org/doors", "e:s"), "t.nq": trace}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    query, doors = (str(tmp_path / name) for name in files)
    answers = api.solve(query, doors, period=5).to_pandas()
    one = answers.iloc[:1].assign(**{"?who": "<e:nobody>"})
    answers = answers.iloc[1:] if changed == "missing" else pd.concat([answers, one])
    judged = api.judge(query, doors, answers=answers, engine="solve", period=5)
    judged.write_report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    measure = {"missing": "recall", "extra": "precision"}[changed]
    assert judged.correct is False
    assert "score 0.999" in str(judged)
    assert "0.999" in [cell for line in str(judged).splitlines() for cell in line.replace("│", " ").split()]
    assert f'"{measure}": "0.999"' in page.replace('":"', '": "')
