"""A trace in columns holds what it holds row by row: the same atoms, messages, warnings and kept lines."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lars.durations import Duration, read_duration
from lars.language.terms import XSD
from solver.traces import prepare, read_columns
from solver.traces.formats import cell_columns, lines
from solver.traces.formats.cell_columns import counted_times, dated_times
from solver.traces.formats.tables import parquet
from solver.traces.input_files import ExactRow
from solver.traces.trace_times import Clock, Instant, MalformedPart, TimeKind
from tests.packs import DATA, ROOT
from tests.solver.strategies import part_of
from tests.solver.traces.both_readings import compared, read_trace_in_process, rows_of_columns
from tests.solver.traces.random_traces import drawn_trace
from tests.solver.traces.writing import GOOD, SECONDS, message, options, table, written

SIZES = [{"head": 80}, {"block": 1, "batch": 1}, {"block": 50, "batch": 3}]
"""A block may be shorter than a line."""


def drawn_and_compared(seed):
    """Return what both ways give of a random trace, in blocks of some size."""
    with TemporaryDirectory() as folder:
        return compared(*drawn_trace(seed, Path(folder)), **Random(seed).choice(SIZES))


@part_of(0.8)
@given(st.integers(0, 2**40))
def test_a_random_trace_is_the_same_both_ways(seed):
    by_rows, by_columns = drawn_and_compared(seed)
    assert by_columns == by_rows


FORMATS = (".nq", ".nt", ".trig", ".atoms", ".csv")
FILES = [
    *sorted(path for path in (ROOT / "samples").rglob("*") if path.suffix in FORMATS),
    DATA / "greenhouse",
]


@pytest.mark.filterwarnings("ignore::solver.settings.TraceWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_samples_are_the_same_both_ways(path):
    assert read_trace_in_process([path], options(unit=read_duration("1ms")))


USUAL = {
    "a.nq": '<urn:s> <urn:p> "a . <b> c"@en <urn:st> "1" .\r\n<urn:s> <urn:p> <urn:o> <urn:st> "2" .\n',
    "b.nt": f'<urn:s> <urn:p> "caf\u00e9"^^<urn:d> "1" .\n<urn:s> <urn:p> "" "2"^^<{XSD}int> .',
    "c.nt": "<urn:s> <urn:p> 54^^<urn:d> <1000> .\n<urn:s> <urn:p> true <2000> .\n",
    "d.csv": 't,s,p,o\n"1",urn:s,<urn:p>,"""a, b"""\n2,urn:s,urn:p,urn:o\r\n',
    "e.nq": '<urn:s> <urn:p> <urn:\u00e9> <urn:st> "2024-05-01T12:00:00Z" .\n',
}


@pytest.mark.parametrize("name", USUAL)
def test_a_usual_line_is_not_read_by_itself(tmp_path, name):
    paths = written(tmp_path, {name: USUAL[name]})
    rows = read_trace_in_process(paths, SECONDS)
    with patch.object(lines.LineFormat, "exact", return_value=ExactRow(0, (), "")) as alone:
        found = rows_of_columns(read_columns(prepare(paths, SECONDS), SECONDS))
    assert found == [(row[0], *row[3:]) for row in rows]
    assert alone.call_count == (1 if name == "d.csv" else 0)  # the header


_scheme = st.sampled_from(
    ["<http:", "http:", "<https:", "https:", "<http", "http", "<https", "ht", "<a:", "http+x:"]
)
_inside = st.lists(
    st.sampled_from(["//e.org", "/b", "#string", "<", ">", " ", "\u00e9", '"', ":"]), max_size=3
)
_some_texts = st.lists(st.builds(lambda *parts: "".join([parts[0], *parts[1], parts[2]]), _scheme, _inside,
                                 st.sampled_from(["", ">"])), max_size=5)  # fmt: skip


@example(["http//e.org/", "<http//e.org/>", "ht"])
@given(_some_texts)
def test_an_iri_is_recognized_by_its_bytes_as_by_its_pattern(texts):
    column = pa.array([text.encode() for text in texts], pa.binary())
    for around, pattern in enumerate((f"^{cell_columns._BARE}$", f"^<{cell_columns._BARE}>$")):
        expected = pc.match_substring_regex(column, pattern).to_pylist()
        for begin in range(len(column) + 1):
            assert cell_columns._iris(column[begin:], pattern, around).tolist() == expected[begin:]


ROWS = [(1, "<urn:st>", "urn:s", "<urn:p>", '"a"'), (2, None, "<urn:s>", "urn:p", "urn:o")]


@pytest.mark.parametrize("times", [pa.int64(), pa.uint8(), pa.timestamp("us", "UTC")])
def test_a_usual_row_of_a_table_is_not_read_by_itself(tmp_path, times):
    path = table(tmp_path / "a.parquet", [(6 * row[0], *row[1:]) for row in ROWS], times)
    given_to_it = options(unit=read_duration("1000ns")) if pa.types.is_timestamp(times) else SECONDS
    with patch.object(parquet, "read_row", side_effect=AssertionError):
        found = read_columns(prepare([path], given_to_it), given_to_it)
    assert [row[2] for row in rows_of_columns(found)] == [
        ("<urn:s>", "<urn:p>", '"a"', "<urn:st>"),
        ("<urn:s>", "<urn:p>", "<urn:o>", "null"),
    ]
    assert found.last == 6 * 2 if times != pa.timestamp("us", "UTC") else 7


def test_a_line_that_never_ends_is_refused(tmp_path):
    paths = written(tmp_path, {"a.nt": GOOD * 3 + GOOD.strip() * 40})
    with patch.object(lines, "MOST_BYTES", 1000):
        found = message(lambda: read_trace_in_process(paths, SECONDS))
    assert found == f"{tmp_path}/a.nt: line 4 is longer than 1000 bytes"


@pytest.mark.parametrize("damage", [(4, 30), (-200, -100), (-30, -10)])
def test_a_damaged_table_says_so(tmp_path, damage):
    path = table(tmp_path / "a.parquet", ROWS * 50)
    data = bytearray(path.read_bytes())
    data[slice(*damage)] = bytes(255 - byte for byte in data[slice(*damage)])
    path.write_bytes(data)
    assert message(lambda: read_trace_in_process([path], SECONDS)).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["a.parquet", "a.csv"])
def test_a_table_without_rows_holds_no_elements(tmp_path, name):
    path = tmp_path / name
    if name == "a.csv":
        path.write_text("t,s,p,o\n")
    else:
        pq.write_table(
            pa.table({"t": pa.array([], pa.int64())} | dict.fromkeys("spo", pa.array([], "string"))), path
        )
    said = f"{path}: found no elements in the trace; use"
    assert message(lambda: read_trace_in_process([path], SECONDS)).startswith(said)


def test_times_that_no_number_of_time_points_reaches_are_refused(tmp_path):
    lines = (f'<urn:s> <urn:p> <urn:o> "{year}-01-01T00:00:00Z" .\n' for year in (1700, 2200))
    paths = written(tmp_path, {"a.nt": "".join(lines)})
    found = message(lambda: read_trace_in_process(paths, options(unit=read_duration("1ns"))))
    assert found.startswith("from 1700-01-01T00:00:00Z to 2200-01-01T00:00:00Z there are more than")
    assert len(read_trace_in_process(paths, options())) == 2


def test_many_files_are_one_trace(tmp_path):
    lines = {number: f'<urn:s{number}> <urn:p> _:b <urn:st> "{9 - number}" .\n' for number in range(9)}
    files = {f"{number}.nq": line for number, line in lines.items()}
    rows = read_trace_in_process(written(tmp_path, files), options(sort=True))
    assert [row[4][0] for row in rows] == [f"<urn:s{number}>" for number in reversed(range(9))]


@given(
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.sampled_from((1, 7, 10**6, 10**9, 10**18, 2**62)),
    st.lists(st.one_of(st.integers(-(2**63) + 1, 2**63 - 1), st.integers(-9, 9)), min_size=1, max_size=9),
)
def test_date_times_at_once_are_as_each_alone_and_none_of_the_usual_ones_is_left(origin, unit, written):
    clock = Clock(Duration(unit), Duration(10**9), Instant(TimeKind.ZONED, origin))
    known = np.ones(len(written), np.bool_)
    times = np.array(written, np.int64)
    found = dated_times(clock, TimeKind.ZONED, times, known, np.zeros_like(times))
    for value, points, is_known in zip(written, found.values.tolist(), found.readable.tolist(), strict=True):
        expected = _stamped(clock, Instant(TimeKind.ZONED, value))
        usual = max(abs(origin), abs(value), unit) < 2**62
        assert is_known == (usual and expected is not None)
        assert not is_known or points == expected


@given(
    st.sampled_from((1, 7, 10**6, 10**9, 2**40)),
    st.sampled_from((1, 7, 10**6, 10**9, 10**18, 2**62)),
    st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-9, 9)), min_size=1, max_size=9),
)
def test_integers_at_once_are_as_each_alone(unit, trace_unit, written):
    clock = Clock(Duration(unit), Duration(trace_unit))
    found = counted_times(clock, np.array(written, np.int64))
    expected = [_stamped(clock, Instant(TimeKind.INTEGER, value)) for value in written]
    points = zip(found.values.tolist(), found.readable.tolist(), strict=True)
    assert [value if is_known else None for value, is_known in points] == expected


def _stamped(clock, instant):
    try:
        return clock.stamp(instant).value
    except MalformedPart:
        return None
