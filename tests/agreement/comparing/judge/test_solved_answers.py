"""Judge answers of `lars solve`: a warning names the settings with which they are correct."""

import json

import pytest

from agreement import api

MET = "samples/judged/met/"
DOORS = MET + "doors.nq"
STEP = """REGISTER QUERY q AS PREFIX : <http://example.org/>
SELECT ?who ?room FROM STREAM <http://example.org/doors> [RANGE 10s STEP 5s] WHERE { ?who :enters ?room }
"""
PUSHED = """PREFIX : <http://example.org/>
SELECT ?who ?room { STREAM :doors [RANGE 10s] { ?who :enters ?room } }
"""
SOLVED = "the answers are exactly the answers of `lars solve` by {}: all rows at each evaluation"


def frame(query, trace=DOORS):
    return api.solve(query, trace).to_pandas()


def test_answers_of_pull_are_correct_with_the_named_keywords():
    answers = frame(STEP)
    judged = api.judge(STEP, DOORS, answers=answers)
    (warning,) = judged.warnings
    assert judged.correct is False
    assert warning.startswith(SOLVED.format("pull"))
    assert warning.endswith('use bounds="closed" and t0="aligned"')
    assert api.judge(STEP, DOORS, answers=answers, bounds="closed", t0="aligned").correct


def test_a_mute_engine_has_not_the_answers_of_a_query_without_rows():
    query = STEP.replace(":enters", ":leaves")
    answers = [{"time": 5, "rows": []}, {"time": 6, "rows": []}]
    judged = api.judge(query, DOORS, answers=answers)
    assert not any("exactly the answers" in warning for warning in judged.warnings)


def test_answers_of_push_are_correct_with_the_named_specification(tmp_path):
    answers = frame(PUSHED)
    judged = api.judge(PUSHED, DOORS, answers=answers)
    (warning,) = judged.warnings
    assert judged.correct is False
    assert warning.startswith(SOLVED.format("push"))
    assert 'use engine="solved.toml"' in warning
    assert 'stream = "RSTREAM"' in warning
    file = tmp_path / "solved.toml"
    file.write_text(warning.partition("solved.toml:\n")[2])
    assert api.judge(PUSHED, DOORS, answers=answers, engine=str(file)).correct


@pytest.mark.parametrize("query", [STEP, PUSHED])
def test_other_wrong_answers_are_not_called_answers_of_solve(query):
    judged = api.judge(query, DOORS, answers=frame(query).iloc[1:])
    assert (judged.correct, judged.warnings) == (False, ())


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
