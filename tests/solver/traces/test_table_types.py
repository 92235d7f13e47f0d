"""Tables as polars, pandas and Arrow have them: types of columns, typed literals, spellings of times."""

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import XSD, Literal
from rdflib.util import from_n3

from lars.errors import LarsError
from solver.traces import prepare, read_columns
from solver.traces.formats.tables import write_table
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, message, options, written

pytestmark = pytest.mark.filterwarnings("ignore::solver.settings.TraceWarning")
ENDS = options(ends=True)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
PLAIN = {"t": [3, 5], "s": ["urn:a", "urn:b"], "p": ["urn:p"] * 2, "o": ["urn:o"] * 2}


def rows(folder, **changes):
    pq.write_table(pa.table(PLAIN | changes), folder / "t.parquet")
    return read_trace_in_process([folder / "t.parquet"], SECONDS)


def dictionary(kind):
    return pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.uint32()), pa.array(PLAIN["s"]).cast(kind))


TEXTS = {
    **{
        str(kind): pa.array(PLAIN["s"]).cast(kind)
        for kind in (pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())
    },
    "of strings": dictionary(pa.string()),
    "of large strings": dictionary(pa.large_string()),
    "of binaries": dictionary(pa.binary()),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_mean_the_same_in_each_type(tmp_path, kind):
    assert rows(tmp_path, s=TEXTS[kind]) == rows(tmp_path)


def times(folder, values, kind):
    return [row[0] for row in rows(folder, t=pa.array(values, kind))]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Vienna"])
def test_timestamps_count_in_each_unit_and_zone(tmp_path, unit, zone):
    values = [NOON + timedelta(seconds=seconds) for seconds in (0, 7)]
    values = values if zone else [value.replace(tzinfo=None) for value in values]
    assert times(tmp_path, values, pa.timestamp(unit, zone)) == [1, 8]


def test_dates_as_times_are_their_midnights(tmp_path):
    assert times(tmp_path, [date(2026, 5, 4), date(2026, 5, 5)], pa.date32()) == [1, 86401]


def test_nanoseconds_that_are_no_whole_unit_are_named(tmp_path):
    said = message(lambda: times(tmp_path, [10**9, 2 * 10**9 + 1], pa.timestamp("ns", "UTC")))
    assert "the time 1970-01-01T00:00:02.000000001Z, counted from" in said


VALUES = [
    ([5, -7], pa.int8()),
    ([5, 2**64 - 1], pa.uint64()),
    ([20.5, -1e-300], pa.float64()),
    ([1e16, float("inf")], pa.float64()),
    ([float("nan"), float("-inf")], pa.float64()),
    ([True, False], pa.bool_()),
    ([Decimal("20.50"), Decimal("-0.01")], pa.decimal128(9, 2)),
    ([Decimal("0.0000000001"), Decimal(1)], pa.decimal256(50, 10)),
    ([date(2026, 5, 4), date(1, 1, 1)], pa.date32()),
    ([date(2026, 5, 4), date(1969, 12, 31)], pa.date64()),
    ([NOON, NOON + timedelta(microseconds=1)], pa.timestamp("us", "UTC")),
    ([NOON.replace(tzinfo=None), datetime(1900, 1, 1)], pa.timestamp("ns")),  # noqa: DTZ001
    ([NOON, datetime(999, 1, 1, tzinfo=UTC)], pa.timestamp("ms", "UTC")),
]


@pytest.mark.parametrize(("values", "kind"), VALUES, ids=[f"{kind} {values[0]}" for values, kind in VALUES])
def test_typed_columns_are_the_literals_that_rdflib_makes_of_the_values(tmp_path, values, kind):
    found = [from_n3(row[4][2]) for row in rows(tmp_path, o=pa.array(values, kind))]
    for literal, value in zip(found, values, strict=True):
        expected = Literal(value)
        assert literal.datatype == expected.datatype
        assert not literal.ill_typed
        assert literal.toPython() == value or math.isnan(value)


@pytest.mark.parametrize("name", ["s", "p", "o", "stream", "t"])
def test_a_column_of_nulls_is_one_without_texts(tmp_path, name):
    empty = pa.table({key: pa.array([], pa.null()) for key in (*PLAIN, "stream")})
    pq.write_table(empty, tmp_path / "e.parquet")
    assert read_columns(prepare([tmp_path / "e.parquet"], ENDS), ENDS).atoms == {}
    nulls = pa.nulls(2)
    if name == "stream":
        assert rows(tmp_path, stream=nulls) == rows(tmp_path)
    else:
        assert "t.parquet:1:" in message(lambda: rows(tmp_path, **{name: nulls}))


@pytest.mark.parametrize("year", [10_000, 292_277, -1234, 0])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_years_of_any_length_are_those_of_numpy(tmp_path, year, zone):
    moment = np.datetime64(f"{year:04}", "s")
    found = rows(tmp_path, o=pa.array([moment, moment]).cast(pa.timestamp("s", zone)))[0][4][2]
    expected = f"{str(moment).lstrip('+')}{'Z' if zone else ''}"
    assert found.split('"')[1] == expected
    days = pa.array([moment.astype("datetime64[D]").astype(int)] * 2, pa.int32()).cast(pa.date32())
    assert rows(tmp_path, o=days)[0][4][2].split('"')[1] == expected.partition("T")[0]


def test_categories_that_are_numbers_are_numbers(tmp_path):
    write_table(pa.table(PLAIN | {"o": pa.array([5, 5]).dictionary_encode()}), tmp_path / "a.parquet")
    assert read_trace_in_process([tmp_path / "a.parquet"], SECONDS)[0][4][2] == f'"5"^^<{XSD.integer}>'


def test_what_is_no_number_is_written_as_xsd_has_it(tmp_path):
    found = rows(tmp_path, o=pa.array([float("nan"), float("-inf")]))
    assert [row[4][2].split("^^")[0] for row in found] == ['"NaN"', '"-INF"']


def test_moments_of_a_zone_are_written_in_utc(tmp_path):
    vienna = NOON.astimezone(timezone(timedelta(hours=2)))
    found = rows(tmp_path, o=pa.array([vienna, vienna], pa.timestamp("us", "Europe/Vienna")))
    assert found[0][4][2] == '"2026-05-04T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def test_a_number_of_half_the_length_is_a_float(tmp_path):
    found = rows(tmp_path, o=pa.array(np.array([0.5, 2], np.float16)))
    assert found[0][4][2] == '"0.5"^^<http://www.w3.org/2001/XMLSchema#float>'


def test_a_value_that_is_missing_is_named(tmp_path):
    said = message(lambda: rows(tmp_path, o=pa.array([1, None], pa.int64())))
    assert "t.parquet:2:38: the column o has no value; expected a term in each row" in said


SPELLED = {
    "pandas": ["2026-05-04 08:00:17+00:00", "2026-05-04 08:00:19+00:00"],
    "pandas, a fraction": ["2026-05-04 08:00:17.500000+00:00", "2026-05-04 08:00:19.500000+00:00"],
    "pandas, local": ["2026-05-04 08:00:17", "2026-05-04 08:00:19"],
    "polars": ["2026-05-04T08:00:17.000000+0000", "2026-05-04T08:00:19.000000+0000"],
    "another zone": ["2026-05-04 10:00:17+0200", "2026-05-04 09:00:19+01"],
    "DuckDB": ["2026-05-04 08:00:17+00", "2026-05-04 08:00:19+00"],
    "in words": ["2026-05-04 08:00:17 UTC", "2026-05-04 08:00:19 UTC"],
}


@pytest.mark.parametrize("tool", SPELLED)
def test_times_are_read_as_tools_write_them(tmp_path, tool):
    one, other = SPELLED[tool]
    lines = f",t,s,p,o\n0,{one},urn:a,urn:p,urn:o\n1,{other},urn:b,urn:p,urn:o\n"
    found = read_trace_in_process(written(tmp_path, {"t.csv": lines}), SECONDS)
    assert [row[0] for row in found] == [1, 3]
    in_table = rows(tmp_path, t=SPELLED[tool])
    assert [(row[0], row[4]) for row in in_table] == [(row[0], row[4]) for row in found]


def test_a_day_without_a_time_is_its_midnight(tmp_path):
    lines = "t,s,p,o\n2026-05-04,urn:a,urn:p,urn:o\n2026-05-05,urn:a,urn:p,urn:o\n"
    found = read_trace_in_process(written(tmp_path, {"t.csv": lines}), SECONDS)
    assert [row[0] for row in found] == [1, 86401]


@pytest.mark.parametrize(
    "time", ["2026-05-04 8:00", "2026-13-04 08:00:00", "2026-05-04 08:00:17 CET", "May 4"]
)
def test_what_is_no_time_keeps_its_place(tmp_path, time):
    lines = f"s,p,o,t\nurn:a,urn:p,urn:o,{time}\n"
    said = message(lambda: read_trace_in_process(written(tmp_path, {"t.csv": lines}), SECONDS))
    assert said.startswith(f"{tmp_path}/t.csv:2:19: ")
    assert "expected an integer of at least 0 or an xsd:dateTime" in said


PREFIXES = options(prefixes=(("ex", "http://e/"), ("", "urn:x#"), ("urn", "http://u/")))
SHORT = {"ex:a": "<http://e/a>", ":b": "<urn:x#b>", "urn:c": "<http://u/c>", "<urn:c>": "<urn:c>"}
SHORT |= {"ex://a": "<ex://a>", "y:d": "<y:d>", "ex:": "<http://e/>", "ex:a:b": "<http://e/a:b>"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_cells_shorten_iris_by_prefixes(tmp_path, form):
    path = tmp_path / f"t.{form}"
    if form == "csv":
        path.write_text("t,stream,s,p,o\n" + "".join(f"1,ex:S,{text},ex:p,ex:o\n" for text in SHORT))
    else:
        columns = {"t": [1], "stream": ["ex:S"], "p": ["ex:p"], "o": ["ex:o"]}
        pq.write_table(
            pa.table({name: one * len(SHORT) for name, one in columns.items()} | {"s": [*SHORT]}), path
        )
    found = read_trace_in_process([path], PREFIXES)
    assert [row[4] for row in found] == [
        (whole, "<http://e/p>", "<http://e/o>", "<http://e/S>") for whole in SHORT.values()
    ]


def test_atoms_in_cells_have_the_prefixes_too(tmp_path):
    paths = written(tmp_path, {"t.csv": "t,atom\n1,p(ex:a)\n"})
    assert read_trace_in_process(paths, PREFIXES)[0][4] == ("<http://e/a>",)
    assert "the prefix ex: is not declared" in message(lambda: read_trace_in_process(paths, SECONDS))


def test_other_formats_have_prefixes_of_their_own(tmp_path):
    paths = written(tmp_path, {"t.nq": '<urn:a> <urn:p> <urn:o> "1" .\n'})
    assert read_trace_in_process(paths, PREFIXES)[0][4][0] == "<urn:a>"


def test_numbers_of_csv_are_written_as_in_turtle(tmp_path):
    lines = [f"{t},urn:a,urn:p,{o}" for t, o in enumerate(("1", "2.50", "1e3", "true"), 1)]
    (path,) = written(tmp_path, {"t.csv": "\n".join(["t,s,p,o", *lines])})
    found = [from_n3(row[-1][2]) for row in read_trace_in_process([path], SECONDS)]
    assert found == [Literal(one, datatype=XSD[kind]) for one, kind in NUMBERS]
    (path,) = written(tmp_path, {"t.csv": "t,s,p,o,stream\n1,urn:a,urn:p,urn:o,5"})
    assert "found no IRI as stream" in message(lambda: read_trace_in_process([path], SECONDS))
    (path,) = written(tmp_path, {"t.csv": "t,s,p,o\n1,5,urn:p,urn:o"})
    assert "found a literal as subject" in message(lambda: read_trace_in_process([path], SECONDS))


NUMBERS = (("1", "integer"), ("2.50", "decimal"), ("1e3", "double"), ("true", "boolean"))


@pytest.mark.parametrize("number", ["1.5", "1.0", "10"])
@pytest.mark.parametrize("nested", ['{"a": 1}', "[1, 2]"])
def test_a_nested_column_beside_those_of_a_trace_is_left_out_whatever_the_numbers(tmp_path, nested, number):
    line = '{{"t": 3, "s": "urn:a", "p": "urn:p", "o": {}, "more": {}}}\n'
    (tmp_path / "t.jsonl").write_text(line.format(number, nested) + line.format("2.5", "null"))
    assert len(read_trace_in_process([tmp_path / "t.jsonl"], SECONDS)) == 2
    (tmp_path / "t.jsonl").write_text(line.format(nested, "1") + line.format("1", "1.0"))
    with pytest.raises(LarsError):
        read_trace_in_process([tmp_path / "t.jsonl"], SECONDS)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()])
def test_a_null_among_the_categories_of_a_column_is_no_text(tmp_path, kind):
    """Arrow allows it; Parquet, to which tables are converted, does not."""
    streams = pa.array([None, "urn:s"]).cast(kind)
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), streams)
    path = write_table(pa.table(PLAIN | {"stream": column}), tmp_path / "t.parquet")
    found = read_trace_in_process([path], SECONDS)
    assert [row[-1][-1] for row in found] == ["null", "<urn:s>"]
