"""Answers in JSON as programs write them: an array or lines, rows alone or in a list, plain values."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.terms import XSD, Literal
from solver.rdf import read_term
from tests.agreement.documents.recordings.samples import read

VALUES = {
    "whole": st.integers(-(2**70), 2**70),
    "texts": st.sampled_from(["", "hall", "http://e/a", "5", "1.50", "_:b", 'say "a"', "<x", "é"]),
    "terms": st.sampled_from(["<http://e/a>", '"a"', '"a"@en', "_:b0", f'"3"^^<{XSD}byte>']),
    "truth": st.booleans(),
    "fractions": st.floats(-1e9, 1e9),
}
COLUMNS = st.lists(st.sampled_from([*VALUES]), min_size=1, max_size=3, unique=True)


@st.composite
def answers(draw):
    """Return reports in order: a time, and at least one row, with columns of one kind."""
    columns = draw(COLUMNS)
    rows = st.fixed_dictionaries({name: st.none() | VALUES[name] for name in columns})
    times = sorted(draw(st.sets(st.integers(0, 2**40), min_size=1, max_size=5)))
    return [(t, draw(st.lists(rows, min_size=1, max_size=3))) for t in times]


def forms(reports):
    """Return the answers in each form that is not read as a table."""
    nested = [{"time": t, "rows": rows} for t, rows in reports]
    flat = [{"timestamp": t, **row} for t, rows in reports for row in rows]
    yield "an array of rows", json.dumps(flat, indent=1)
    yield "an array in one line", json.dumps(flat)
    yield "an array of reports", json.dumps(nested)
    yield "lines of reports", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in nested)
    yield "an object around the array", json.dumps({"engine": "x", "answers": nested}, indent=2)
    bindings = [{"t": t, "results": {"bindings": rows}} for t, rows in reports]
    yield "bindings", json.dumps(bindings)


FLAT = "an array of rows", "an array in one line"


def plain(recording):
    """Return the reports; Arrow and Python write one number in different digits."""
    return recording.variables, [
        (one.t, [tuple(map(value, row)) for row in one.rows]) for one in recording.reports
    ]


def value(term):
    literal = None if term is None else read_term(term)
    number = isinstance(literal, Literal) and literal.datatype in (
        XSD + "double",
        XSD + "decimal",
        XSD + "integer",
    )
    return float(literal.lexical) if number else term


@given(answers())
def test_each_form_of_the_answers_is_read_like_a_table_of_the_rows(tmp_path_factory, reports):
    folder = tmp_path_factory.mktemp("answers")
    lines = [json.dumps({"t": t, **row}) for t, rows in reports for row in rows]
    table = read(folder, "\n".join(lines) + "\n", name="table.jsonl")
    for form, text in forms(reports):
        found = read(folder, text, name="answers.json")
        assert (plain(found), found.lexical) == (plain(table), table.lexical), form
        assert found.rows_only == (form in FLAT), form


@pytest.mark.parametrize("text", ["http://e/a", "<http://e/a>", "_:b", '"a"@en', "", "5"])
@pytest.mark.parametrize("other", [5, True, 2.5])
def test_a_text_beside_other_values_is_read_in_lines_as_in_an_array(tmp_path, text, other):
    rows = [{"time": 1, "x": text}, {"time": 2, "x": other}]
    table = read(tmp_path, "\n".join(map(json.dumps, rows)) + "\n", name="table.jsonl")
    found = read(tmp_path, json.dumps(rows))
    assert (plain(table), table.lexical) == (plain(found), found.lexical)


def test_a_report_without_rows_is_a_report(tmp_path):
    found = read(
        tmp_path, '[{"time": 1, "rows": []}, {"time": 2, "engine": "x", "rows": [{"a": true, "b": null}]}]'
    )
    assert [(one.t, len(one.rows)) for one in found.reports] == [(1000, 0), (2000, 1)]
    assert (found.variables, found.rows_only, read(tmp_path, "[]").reports) == (("a", "b"), False, ())


@pytest.mark.parametrize("text", ["3", '"a"', "null", '{"x": 1}'])
def test_a_value_that_is_no_list_of_answers_is_named(tmp_path, text):
    with pytest.raises(LarsError, match=r"expected an array or lines of objects"):
        read(tmp_path, text, "json")


def test_rows_of_one_time_beside_reports_are_one_report(tmp_path):
    found = read(
        tmp_path, '[{"t": 1, "rows": []}, {"t": 2, "x": 1}, {"t": 2, "x": 2}, {"t": 2, "rows": [{"x": 3}]}]'
    )
    assert [(one.t, len(one.rows)) for one in found.reports] == [(1000, 0), (2000, 2), (2000, 1)]
    assert read(tmp_path, '{"answers": []}').reports == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"x": 1}]', "1:2: [0]: no column with a time among x; expected --time-variable NAME"),
        ('[{"t": true, "x": 1}]', "1:8: [0].t: found true; expected a time"),
        ('[{"t": 1, "rows": [3]}]', "1:20: [0].rows[0]: found 3; expected an array or lines"),
        (
            '[{"t": 1, "a": [], "b": []}]',
            "1:2: [0]: found several arrays, such as a and b; expected an array",
        ),
        ('[{"t": 2, "x": 1},\n {"t": 1, "x": 1}]', "2:8: [1].t: found 1000 ms, which is before"),
        ('[{"t": 1, "x": {"value": "a"}}]', "1:16: [0].x: the key type is missing"),
        ('[{"t": 1, "x": {"type": "uri", "value": "a b"}}]', "1:16: [0].x: "),
        (
            '[{"t": 1, "x": {"type": "uri", "value": "e:a"}}, 7]',
            "1:50: [1]: found 7; expected an array or lines",
        ),
        ('[{"t": 1, "x": 1}', "not valid JSON"),
        ('{"alerts": []}', "1:12: alerts: found an empty array; expected an array or lines of objects"),
        ('[{"t": 1, "x": 1, "tags": []}]', "1:27: [0].tags: found an empty array; expected an array or"),
        ("[1]", "1:2: [0]: found 1; expected an array or lines of objects"),
        ('[{"t": "5 May", "x": 1}]', "1:8: [0].t: found '5 May'; expected a time from 0 that counts 1s"),
    ],
)
def test_a_wrong_answer_has_its_place(tmp_path, text, said):
    with pytest.raises(LarsError, match=re.escape(said)):
        read(tmp_path, text)


def test_a_number_that_no_double_can_store_is_refused(tmp_path):
    with pytest.raises(LarsError, match=re.escape("[0].x: found a number that is too large for a double")):
        read(tmp_path, '[{"time": 1, "x": -1e400}]', name="answers.json")


@pytest.mark.parametrize(
    ("number", "term"),
    [
        ("0.1234567890123456789012345", f'"0.1234567890123456789012345"^^<{XSD}decimal>'),
        ("1" * 400 + ".5", f'"{"1" * 400}.5"^^<{XSD}decimal>'),
        ("21.50", f'"21.5"^^<{XSD}double>'),
        ("1.2345678901234567890e5", f'"123456.78901234567"^^<{XSD}double>'),
        ("9" * 30, f'"{"9" * 30}"^^<{XSD}integer>'),
    ],
)
def test_a_number_keeps_digits_that_no_double_has(tmp_path, number, term):
    text = f'[{{"time": 1.00000000000000000001, "x": {number}}}]'
    (report,) = read(tmp_path, text, name="answers.json").reports
    assert report.rows == ((term,),)
    with pytest.raises(LarsError, match=re.escape("found 1.0")):
        read(tmp_path, '[{"time": 1, "rows": [1.00000000000000000001]}]', name="answers.json")


@pytest.mark.parametrize(
    ("time", "reason"),
    [
        ("2026-05-04T08:00:02.0000000001Z", "is finer than a nanosecond"),
        ("9999-05-04T08:00:02Z", "is out of range; expected dateTimes from 1678 to 2261"),
        ("2026-02-30T08:00:02Z", "is not a dateTime: day"),  # the rest is of Python, and not of each version
    ],
)
def test_a_datetime_that_cannot_be_read_has_its_reason(tmp_path, time, reason):
    """The message asked for a dateTime, which it is."""
    with pytest.raises(LarsError, match=re.escape(reason)):
        read(tmp_path, f'[{{"time": "{time}", "x": 1}}]', name="answers.json")
