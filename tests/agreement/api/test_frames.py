"""Tables as data frames: types of columns, dateTimes, short terms; what is printed of a result."""

import sys
from datetime import date, timedelta
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdflib import Literal as RdfLiteral
from rdflib import URIRef

from agreement import api
from lars.errors import LarsError
from tests.packs import SAMPLES

QUERY = "SELECT ?s ?v WHERE { STREAM <http://e/S> [RANGE 3s] { ?s <http://e/v> ?v } }"
ZERO = pd.Timestamp("2026-05-04T08:00:00Z")


def solved(values, **more):
    times = [ZERO + pd.Timedelta(seconds=t) for t in range(1, len(values) + 1)]
    frame = pd.DataFrame({"t": times, "s": "http://e/a#b", "p": "http://e/v", "o": values})
    return api.solve(QUERY.replace("RANGE 3s", "NOW"), frame, **more)


VALUES = {
    "Int64": [5, 7],
    "Float64": [0.5, 7.25],
    "boolean": [True, False],
    "datetime64[ns, UTC]": [ZERO, ZERO + pd.Timedelta(days=1)],
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_went_in_come_out(kind):
    found = solved(VALUES[kind]).to_pandas(terms="values")
    assert found["?v"].tolist() == VALUES[kind]
    assert str(found["?v"].dtype) == kind
    assert found["?s"].tolist() == ["http://e/a#b"] * 2


def test_days_that_went_in_come_out():
    days = [date(2026, 5, 4), date(2026, 5, 5)]
    found = solved(days)
    assert found.to_pandas(terms="values")["?v"].tolist() == days
    assert str(found.to_arrow(terms="values").schema.field("?v").type) == "date32[day]"


def test_a_lazy_frame_is_collected():
    class LazyFrame:
        def collect_schema(self):
            return {}

        def collect(self):
            frame = pd.DataFrame({"t": [ZERO], "s": "http://e/a", "p": "http://e/v", "o": [1]})
            return pa.Table.from_pandas(frame)

    assert [one.t for one in api.solve(QUERY, LazyFrame()).answers] == [1]


def test_what_is_no_value_of_its_type_or_of_several_types_is_text():
    found = solved(['"a"', '"x"^^<http://www.w3.org/2001/XMLSchema#integer>']).to_pandas(terms="values")
    assert found["?v"].tolist() == ["a", "x"]
    short = solved([5, 7]).to_pandas(terms="short")
    assert (short["?s"].tolist(), short["?v"].tolist()) == (["b", "b"], ["5", "7"])


def test_times_are_moments_where_the_trace_had_them():
    found = solved([5, 7])
    assert found.to_pandas()["t"].tolist() == [ZERO + pd.Timedelta(seconds=t) for t in (1, 2)]
    assert found.to_pandas(times="points")["t"].tolist() == [1, 2]
    assert [one.t for one in found.answers] == [1, 2]
    assert api.agree(SAMPLES / "slide").dates.zero is None
    assert found.dates.zero is not None
    minutes = api.solve(
        QUERY,
        pd.DataFrame({"t": [ZERO], "s": "http://e/a", "p": "http://e/v", "o": [1]}),
        unit="1s",
        origin="2026-05-04T07:59:00Z",
    )
    assert minutes.to_pandas()["t"].tolist() == [ZERO]


def test_a_judge_takes_what_was_solved_with_moments():
    times = [ZERO + pd.Timedelta(seconds=t) for t in (1, 5)]
    frame = pd.DataFrame({"t": times, "s": "http://e/a", "p": "http://e/v", "o": [1, 2]})
    query = "SELECT ?s FROM STREAM <http://e/S> [RANGE 3s STEP 3s] WHERE { ?s <http://e/v> ?v }"
    reported = api.solve(query, frame, as_="csparql").to_pandas()
    assert str(reported["t"].dtype).startswith("datetime64")
    assert api.judge(query, frame, answers=reported, engine="csparql").correct is True


@pytest.mark.parametrize("how", [{"terms": "foo"}, {"times": "Points"}, {"terms": []}])
def test_a_form_that_is_none_is_refused(how):
    (name,) = how
    with pytest.raises(LarsError, match=f"^{name}=.*: expected "):
        api.agree(SAMPLES / "coupons", period=8).to_arrow(**how)


def test_polars_is_handed_the_table_of_arrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(from_arrow=lambda table: ("polars", table)))
    found = solved([5, 7])
    name, table = found.to_polars(terms="values")
    assert (name, table.column("?v").to_pylist()) == ("polars", [5, 7])
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(api.LarsError, match="to_polars requires polars; use"):
        found.to_polars()


def test_a_result_is_one_line_with_the_verdict_and_neither_true_nor_false():
    found = api.agree(SAMPLES / "coupons", period=8)
    assert repr(found) == (
        "<AgreeResult: U = 8, (16, 24]: only push reports (25, rayban, b); cause: expired before the pull>"
    )
    with pytest.raises(TypeError, match=r"AgreeResult cannot be used as a boolean; use \.agree"):
        bool(found)
    assert repr(api.solve(SAMPLES / "coupons", to=20)).startswith("<SolveResult: ")
    decided = api.decide(SAMPLES / "minus", period=1)
    said = "for all static data, push and pull differ on some stream"
    assert repr(decided) == f"<DecideResult: U = 1: {said}>"
    with pytest.raises(TypeError, match=r"use \.holds"):
        assert decided
    assert "\n" not in repr(api.explain(SAMPLES / "coupons", atom="ans(25,rayban,b)", at=18))
    assert api.solve(SAMPLES / "coupons", to=1)


def test_a_notebook_shows_rows_as_a_table_and_how_many_are_left():
    found = solved([*range(50)])
    html = found._repr_html_()
    assert "time 0 is" not in html
    assert any(note.startswith("time 0 is ") for note in found.notes)
    assert "<p>50 rows at 50 times</p>" in html
    assert "on 2026-05-04 (UTC)" in html
    assert html.count("<tr>") == 41
    assert "<p>… 10 more</p>" in html
    assert found.to_markdown().splitlines()[4:7] == [
        "| t | ?s | ?v |",
        "| ---: | --- | --- |",
        "| 08:00:01 | b | 0 |",
    ]
    assert api.solve(QUERY, '<e:a> <e:b> <e:c> <http://e/S> "1" .\n').to_markdown().count("0 rows at ")


def test_markdown_says_what_the_command_prints():
    found = api.agree(SAMPLES / "coupons", period=8)
    said = found.to_markdown()
    assert "U = 8, (16, 24\\]: only push reports (25, rayban, b); cause: expired before the pull" in said
    assert "| 8 | DISAGREE | 6 | (16, 24\\] | (48, 50\\] |" in said
    why = api.explain(SAMPLES / "coupons", atom="ans(25,rayban,b)", at=18).to_markdown()
    assert "```" in why


MET = "SELECT ?one WHERE { STREAM <e:doors> [RANGE 1s] { ?one <e:in> <e:hall> } }"


@pytest.mark.parametrize("zero", [ZERO, None])
def test_results_have_dates_beside_time_points_where_the_trace_has(zero):
    times = [t if zero is None else zero + timedelta(seconds=t) for t in (1, 4)]
    trace = pd.DataFrame({"t": times, "s": ["e:ann", "e:bob"], "p": "e:in", "o": "e:hall"})
    found = api.agree(MET, trace, period=3, to=9)
    first = found.differences[0]
    points = first.start, first.end, first.pushed, first.at
    wanted = [zero and zero + timedelta(seconds=t) for t in points]
    assert [first.start_date, first.end_date, first.pushed_date, first.at_date] == wanted
    assert found.dates.moment(found.verdicts[0].intervals[0].end) == wanted[1]
    answers = api.solve(MET, trace).answers
    assert [one.t_date for one in answers] == [zero and zero + timedelta(seconds=one.t) for one in answers]


def mixed(values, **columns):
    frame = {"t": range(1, len(values) + 1), "s": "http://e/a", "p": "http://e/v", "o": values}
    return pd.DataFrame(frame | columns)


def test_objects_of_several_types_are_terms_and_literals():
    values = ["<http://e/b>", 12, 0.5, True, date(2026, 5, 4), '"a"', np.int64(7)]
    query = QUERY.replace("RANGE 3s", "NOW")
    rows = [(t, ("http://e/a", "http://e/v", value)) for t, value in enumerate(values, 1) if t != 5]
    found = [one.rows for one in api.solve(query, mixed(values)).answers if one.rows]
    assert found[:4] + found[5:] == [one.rows for one in api.solve(query, rows).answers if one.rows]
    assert "XMLSchema#date>" in str(found[4])


def test_a_column_of_several_types_is_named():
    with pytest.raises(LarsError, match=r"cannot be read: .*column s .*'int' object; expected t as integer"):
        api.solve(QUERY, mixed(["<http://e/b>", 1], s=["http://e/a", 5]))
    with pytest.raises(LarsError, match=r"cannot be read: column o has the value \['x'\]; expected t as"):
        api.solve(QUERY, mixed(["<http://e/b>", ["x"]]))


def test_a_word_among_the_numbers_of_a_mapped_column_is_named():
    frame = pd.DataFrame({"time": [1, 2, 3], "v": [None, 0.5, "n/a"]})
    columns = {"t": "{time}", "s": "<http://e/a>", "http://e/v": "{v}"}
    with pytest.raises(LarsError, match=r"the column v contains texts such as 'n/a' and values of other"):
        api.solve(QUERY, frame, column=columns)
    assert api.solve(QUERY, frame.replace("n/a", None), column=columns).answers


ROWS = [{"time": 1, "room": "hall", "temp": 20.5}, {"time": 4, "room": "attic", "temp": 22.5}]
PLACES = {"t": "{time}", "s": "_:{row}", "http://e/room": "{room}", "http://e/temp": "{temp}"}
PATTERN = "?r <http://e/room> ?room ; <http://e/temp> ?temp"
WARM = f"SELECT ?room ?temp {{ STREAM <http://e/S> [RANGE 9s] {{ {PATTERN} }} }}"


def test_dicts_are_rows_of_a_table():
    frame = pd.DataFrame(ROWS)
    assert api.solve(WARM, ROWS, column=PLACES).answers == api.solve(WARM, frame, column=PLACES).answers != []
    dated = [{**row, "time": ZERO + timedelta(seconds=row["time"]), "temp": np.float64(1)} for row in ROWS]
    nothing = {"time": pd.Timestamp(dated[1]["time"]), "temp": float("nan")}
    found = api.solve(WARM, [*dated, nothing], column=PLACES)
    assert [len(one.rows) for one in found.answers] == [1, 2]
    quads = [{"t": 1, "s": URIRef("http://e/r"), "p": URIRef("http://e/room"), "o": RdfLiteral("hall")}]
    assert api.solve("SELECT ?o { STREAM <http://e/S> [NOW] { ?s ?p ?o } }", quads).answers[0].rows


def test_answers_are_dicts_with_or_without_a_list_of_rows():
    nested = [{"time": row["time"], "rows": [{key: row[key] for key in ("room", "temp")}]} for row in ROWS]
    for answers in (ROWS, nested):
        judged = api.judge(WARM, ROWS, answers=answers, engine="cqels", column=PLACES)
        assert judged.correct is True
        wrong = api.judge(WARM, ROWS, answers=answers[:1], engine="cqels", column=PLACES)
        assert wrong.correct is False


@pytest.mark.parametrize("value", [{1, 2}, float("inf"), 1j])
def test_a_value_that_json_does_not_have_is_named(value):
    with pytest.raises(
        LarsError, match=r"element 2: found .*; expected a number, a text, a date, a boolean or"
    ):
        api.solve(WARM, [*ROWS[:1], {"time": 4, "room": "attic", "temp": value}], column=PLACES)
    with pytest.raises(LarsError, match=r"element 2: found .*, a dict, but element 1 is a triple"):
        api.solve(WARM, [(1, ("http://e/r", "http://e/room", 4)), ROWS[1]])
