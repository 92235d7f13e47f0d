"""Answers in tables: data frames and Parquet, against the same answers as SPARQL TSV and CSV."""

import csv
import json

import pandas as pd
import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

FOLDER = SAMPLES / "coupons"


def judged(answers, **more):
    return api.judge(FOLDER, answers=answers, engine="csparql", **more)


@pytest.fixture(scope="module")
def solved():
    return api.solve(FOLDER, as_="csparql")


def test_what_was_solved_is_correct_as_a_data_frame(solved, tmp_path):
    frame = solved.to_pandas()
    found = judged(frame)
    assert found.correct is True
    assert sum(one.actual for one in found.verdicts) == len(frame)
    frame.to_parquet(tmp_path / "a.parquet")
    assert judged(tmp_path / "a.parquet").to_json() == found.to_json()
    frame.to_json(tmp_path / "a.ndjson", orient="records", lines=True)
    frame.to_feather(tmp_path / "a.feather")
    for name in ("a.ndjson", "a.feather"):
        assert judged(tmp_path / name).to_json() == found.to_json()
    wrong = frame.copy()
    wrong.loc[0, "?percent"] = '"26"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert judged(wrong).correct is False


def test_typed_columns_and_texts_are_compared_as_sparql_csv_is(solved, tmp_path):
    exact = solved.to_pandas()
    frame = pd.DataFrame(
        {
            "time": exact["t"],
            "percent": exact["?percent"].str.extract('"([0-9]+)"')[0].astype(int),
            "product": exact["?product"].str.strip("<>"),
            "shop": exact["?shop"].str.strip("<>"),
        }
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    found, by_text = judged(frame), judged(tmp_path / "a.csv")
    assert found.correct is True
    assert found.to_json() == by_text.to_json()
    frame.loc[0, "shop"] = "http://example.org/other"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert judged(frame).to_json() == judged(tmp_path / "a.csv").to_json()
    assert judged(frame).correct is False


def test_times_of_frames_may_be_moments(solved):
    frame = solved.to_pandas()
    origin = pd.Timestamp("2026-05-04T08:00:00Z")
    dated = frame.assign(t=origin + pd.to_timedelta(frame["t"].astype(int), unit="min"))
    assert judged(dated, origin="2026-05-04T08:00:00Z").correct is True


WRONG = {
    "no time": (
        {"came": [1], "?percent": ["<e:a>"]},
        "no column with a time among came, ?percent; expected time_variable=NAME",
    ),
    "back": (
        {"t": [5, 3], "?percent": ["<e:a>"] * 2},
        "pandas.DataFrame: row 2: found 180000 ms, which is before the preceding time 300000",
    ),
    "null": ({"t": pd.array([None], "Int64"), "?percent": ["<e:a>"]}, "row 1: found ''; expected a time"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_table_of_answers_has_its_row(case):
    columns, said = WRONG[case]
    with pytest.raises(api.LarsError) as error:
        judged(pd.DataFrame(columns))
    assert said in str(error.value)
    assert "lars-given" not in str(error.value)


def test_a_column_that_is_called_as_times_are_is_the_time(tmp_path):
    from_shell = [tmp_path / name for name in ("q.rq", "s.nq", "a.csv")]
    from_shell[0].write_text("SELECT ?o { STREAM <http://e/S> [RANGE 3s] { ?s <http://e/p> ?o } }")
    from_shell[1].write_text('<http://e/a> <http://e/p> "x" <http://e/S> "1" .\n')
    from_shell[2].write_text("TS;o\n1;x\n")
    assert lars("judge", *from_shell[:2], "--answers", from_shell[2]).code == 0
    from_shell[2].write_text("moment,o\n1,x\n")
    assert "expected --time-variable NAME" in lars("judge", *from_shell[:2], "--answers", from_shell[2]).err


@pytest.mark.parametrize("name", ["t", "?t"])
def test_the_time_may_be_a_variable_with_its_question_mark(solved, tmp_path, name):
    frame = solved.to_pandas()
    found = judged(frame)
    marked = frame.drop(columns=["ms", "place"]).rename(columns={"t": "?t"})
    assert judged(marked, time_variable=name).to_json() == found.to_json()
    assert judged(marked).to_json() == found.to_json()
    marked.to_csv(tmp_path / "a.tsv", sep="\t", index=False, quoting=csv.QUOTE_NONE, quotechar="\0")
    assert judged(tmp_path / "a.tsv", time_variable=name).to_json() == found.to_json()
    columns = {"head": {"vars": ["t"]}, "results": {"bindings": [{"t": {"type": "literal", "value": "5"}}]}}
    (tmp_path / "a.srj").write_text(json.dumps(columns))
    assert judged(tmp_path / "a.srj", time_variable=name).correct is False
