"""Tables with terms as values of their types: each value is its term's, no other and not none."""

import json
import math
from datetime import date, datetime

import pyarrow.parquet as pq
import pytest

from agreement.documents.dates import NO_DATES
from agreement.documents.table_files import (
    DESCRIPTION,
    OutTable,
    term_columns,
    write_tables,
)
from lars.language.terms import XSD, Variable

ZONED, LOCAL = "2026-05-04T08:00:00Z", "2026-05-04T08:00:00"


def literals(kind, *texts):
    return [text and f'"{text}"^^<{XSD}{kind}>' for text in texts]


def written(folder, terms, kind="parquet", form="values"):
    table = OutTable("answers", term_columns([Variable("x")]), [(one,) for one in terms])
    (path,) = write_tables(folder / "out", [table], NO_DATES, kind, form)
    return path


def values(folder, terms):
    return pq.read_table(written(folder, terms)).column(0).to_pylist()


def test_a_number_that_is_none_is_not_unbound(tmp_path):
    first, second, third = values(tmp_path, [*literals("double", "NaN", "-INF"), None])
    assert (math.isnan(first), second, third) == (True, -math.inf, None)


def test_json_lines_have_no_numbers_that_json_lacks(tmp_path):
    path = written(tmp_path, literals("double", "NaN", "-INF", "INF", "1"), "jsonl")
    assert [json.loads(line, parse_constant=pytest.fail)["?x"] for line in path.open()] == [
        "NaN",
        "-INF",
        "INF",
        1,
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("integer", "1_0"),
        ("integer", "١"),
        ("byte", "200"),
        ("double", "infinity"),
        ("double", "nan"),
        ("date", "20260504"),
        ("dateTime", "2026-05"),
        ("dateTime", "2026-05-04T08:00:00.1234567891Z"),
    ],
)
def test_what_is_no_value_of_its_type_stays_a_text(tmp_path, kind, text):
    assert values(tmp_path, literals(kind, text)) == [text]


def test_a_date_time_without_zone_gets_none(tmp_path):
    assert values(tmp_path, literals("dateTime", LOCAL)) == [datetime.fromisoformat(LOCAL)]
    assert values(tmp_path, literals("dateTime", ZONED)) == [datetime.fromisoformat(ZONED)]
    assert values(tmp_path, literals("dateTime", ZONED, LOCAL)) == [ZONED, LOCAL]


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("integer", ["01", None, "-7"], [1, None, -7]),
        ("integer", [str(2**63)], [str(2**63)]),
        ("decimal", ["1.50", "2"], [1.5, 2.0]),
        ("float", ["0.1"], [0.1]),
        ("boolean", ["1", "false", None], [True, False, None]),
        ("date", ["2026-05-04"], [date(2026, 5, 4)]),
        ("date", ["2026-05-04Z"], ["2026-05-04Z"]),
    ],
)
def test_terms_of_one_type_are_its_values(tmp_path, kind, texts, expected):
    assert values(tmp_path, literals(kind, *texts)) == expected


@pytest.mark.parametrize(
    ("form", "said"),
    [("n-triples", "as in N-Triples"), ("values", "a text"), ("short", "for readers")],
)
def test_the_legend_says_in_which_form_terms_are(tmp_path, form, said):
    path = written(tmp_path, ["<http://e/a>"], form=form)
    legend = json.loads((path.parent / DESCRIPTION).read_text())[path.name]["?x"]
    assert said in legend
    assert legend.count("N-Triples") == (form == "n-triples")


def test_the_legend_of_tables_for_papers_says_that_terms_are_short(tmp_path):
    path = written(tmp_path, ["<http://e/a>"], "latex", "n-triples")
    assert "for readers" in (path.parent / DESCRIPTION).read_text()


@pytest.mark.parametrize("exact", [("integer", str(2**53 + 1)), ("decimal", "0.1234567890123456789")])
def test_numbers_that_a_column_would_round_stay_texts(tmp_path, exact):
    kind, text = exact
    assert values(tmp_path, [*literals(kind, text), *literals("double", "0.5")]) == [text, "0.5"]
    assert values(tmp_path, [*literals("decimal", "0.1"), *literals("double", "0.5")]) == [0.1, 0.5]
