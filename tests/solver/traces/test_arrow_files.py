"""Files of Arrow, Feather and JSON lines: the rows of the same table in Parquet, faults at their rows."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from lars.language.terms import XSD
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, message, options, written

pytestmark = pytest.mark.filterwarnings("ignore::solver.settings.TraceWarning")
ROWS = {"t": [3, 5], "s": ["urn:a", "urn:b"], "p": ["urn:p"] * 2, "o": [7, 8]}
LINES = '{"t": 3, "s": "urn:a", "p": "urn:p", "o": 7}\n\n{"t": 5, "s": "urn:b", "p": "urn:p", "o": 8}\n'


def as_file(path, table):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def as_stream(path, table):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def as_lines(path, table):
    assert table.num_rows == 2
    path.write_text(LINES)


WRITERS = {
    "a.arrow": as_file,
    "stream.arrow": as_stream,
    "a.feather": lambda path, table: feather.write_feather(table, path),
    "lz4.feather": lambda path, table: feather.write_feather(table, path, compression="lz4"),
    "a.ndjson": as_lines,
    "a.jsonl": as_lines,
    "file-without-a-suffix": as_file,
    "stream-without-a-suffix": as_stream,
    "lines-without-a-suffix": as_lines,
}


@pytest.mark.parametrize("name", WRITERS)
def test_each_has_the_rows_of_the_same_table_in_parquet(name, tmp_path):
    table = pa.table(ROWS)
    pq.write_table(table, tmp_path / "t.parquet")
    WRITERS[name](tmp_path / name, table)
    wanted = read_trace_in_process([tmp_path / "t.parquet"], SECONDS)
    assert read_trace_in_process([tmp_path / name], SECONDS) == wanted
    assert len(wanted) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINES.replace("urn:b", "no iri"), "a.ndjson:3:1: 'no iri' is not an RDF term"),
        (LINES.replace("8", '"eight"'), "a.ndjson:3:1: 'eight' is not an RDF term"),
        (LINES.replace("8", '"urn:e", "o": 1'), "a.ndjson:3:1: found the column 'o' twice; expected in"),
        (
            LINES.replace("7", '"urn:e"').replace("8", "[8]"),
            "a.ndjson:3:1: found a list as o; expected in each line",
        ),
        (
            LINES.replace("7", "true") + '{"t": 5, "o": 1e400}',
            "a.ndjson:4:1: the number '1e400' is too large for a double",
        ),
        (LINES.replace('"t": 5', '"t": "5.5"'), "a.ndjson:3:1: '5.5' is not a time: found a fraction"),
        (LINES.replace('"s": "urn:b", ', ""), "a.ndjson:3:1: the column s has no value"),
        (LINES + "{", "a.ndjson:4:2: no JSON: Expecting property name"),
        (LINES.replace("}", ",}"), "a.ndjson:1:4"),
        (f"[{LINES}]", "a.ndjson: cannot read an array of JSON; use JSON lines"),
        ('"t": 3\n', "a.ndjson:1:4: no JSON: Extra data; expected in each line a JSON object"),
        (LINES + "}\n", "a.ndjson:4:1: no JSON: "),
        (LINES + "[]\n", "a.ndjson:4:1: found '[]'; expected in each line a JSON object"),
        (LINES.replace('"s"', '"subject"'), "a.ndjson: no column s among 't, subject, p, o"),
    ],
)
def test_faults_of_json_lines_are_at_their_lines(text, said, tmp_path):
    (tmp_path / "a.ndjson").write_text(text)
    assert said in message(lambda: read_trace_in_process([tmp_path / "a.ndjson"], SECONDS))


MIXED = (
    (1, 7, f'"7"^^<{XSD}integer>'),
    ("2", '"http://e/x"', "<http://e/x>"),
    (3, "true", f'"true"^^<{XSD}boolean>'),
    (4, 1.5, f'"1.5"^^<{XSD}double>'),
    ('"5"', 2**60 + 1, f'"{2**60 + 1}"^^<{XSD}integer>'),
)


def test_values_of_several_types_in_a_column_of_json_keep_their_types(tmp_path):
    rows = (f'{{"t": {t}, "s": "urn:a", "p": "urn:p", "o": {cell}}}' for t, cell, _ in MIXED)
    (tmp_path / "a.ndjson").write_text("\r".join(rows))
    found = read_trace_in_process([tmp_path / "a.ndjson"], SECONDS)
    assert [(row[0], row[-1][2]) for row in found] == [(n, text) for n, (_, _, text) in enumerate(MIXED, 1)]


@pytest.mark.parametrize("write", [as_file, as_stream])
def test_a_table_of_arrow_whose_texts_reach_beyond_it_is_refused(write, tmp_path):
    buffer = io.BytesIO()
    write(buffer, pa.table(ROWS))
    ends = np.array([0, 5, 10], np.int32).tobytes()
    (tmp_path / "a.arrow").write_bytes(
        buffer.getvalue().replace(ends, ends[:4] + b"\x00\x00\x00\x40" + ends[8:])
    )
    said = message(lambda: read_trace_in_process([tmp_path / "a.arrow"], SECONDS))
    assert said.startswith(f"{tmp_path}/a.arrow: cannot be read: ")


def test_json_lines_may_begin_with_a_byte_order_mark_and_be_compressed(tmp_path):
    (tmp_path / "a.ndjson").write_text(LINES, encoding="utf-8-sig")
    assert len(read_trace_in_process([tmp_path / "a.ndjson"], SECONDS)) == 2
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(LINES.replace("urn:b", "no iri").encode()))
    said = message(lambda: read_trace_in_process([tmp_path / "b.ndjson.gz"], SECONDS))
    assert "b.ndjson.gz:3:1: 'no iri' is not an RDF term" in said
    assert LINES.split("\n")[2].replace("urn:b", "no iri") in said


def test_what_is_named_as_arrow_and_is_none_is_said_to_be_none(tmp_path):
    (tmp_path / "a.arrow").write_text("t,s,p,o\n")
    said = message(lambda: read_trace_in_process([tmp_path / "a.arrow"], SECONDS))
    assert said == f"{tmp_path}/a.arrow: not a readable Arrow table; use an Arrow file"


def test_a_fault_of_a_table_of_arrow_is_at_its_row_and_names_the_file(tmp_path):
    as_file(tmp_path / "a.arrow", pa.table(ROWS | {"s": ["urn:a", "no iri"]}))
    said = message(lambda: read_trace_in_process([tmp_path / "a.arrow"], SECONDS))
    assert "a.arrow:2:10: 'no iri' is not an RDF term" in said
    buffer = io.BytesIO()
    as_file(buffer, pa.table(ROWS))
    (tmp_path / "cut.arrow").write_bytes(buffer.getvalue()[:-9])
    said = message(lambda: read_trace_in_process([tmp_path / "cut.arrow"], SECONDS))
    assert said.startswith(f"{tmp_path / 'cut.arrow'}: cannot be read: ")


def test_texts_of_json_that_look_like_times_are_texts_but_as_times(tmp_path):
    line = '{"t": "2026-05-04 08:00:0%d+00:00", "s": "urn:a", "p": "urn:p", "o": "\\"2026-05-04\\""}\n'
    (tmp_path / "a.ndjson").write_text(line % 1 + line % 4)
    rows = read_trace_in_process([tmp_path / "a.ndjson"], SECONDS)
    assert [row[0] for row in rows] == [1, 4]
    assert {row[-1][2] for row in rows} == {'"2026-05-04"'}


def test_columns_of_ones_own_are_mapped(tmp_path):
    line = '{"time": "2026-05-04 08:00:0%d+00:00", "bike": "b%d", "load": 7}\n'
    (tmp_path / "a.ndjson").write_text(line % (1, 1) + line % (4, 2))
    own = (("t", "{time}"), ("s", "<urn:{bike}>"), ("<urn:load>", "{load}"))
    rows = read_trace_in_process([tmp_path / "a.ndjson"], options(column=dict(own)))
    assert [(row[0], row[-1][0]) for row in rows] == [(1, "<urn:b1>"), (4, "<urn:b2>")]


@pytest.mark.parametrize("depth", [40, 5_000, 100_000])
@pytest.mark.parametrize("first", ["", '{"t": 1, "a": "x"}\n'])
def test_values_that_are_nested_too_deeply_are_refused_at_their_line(tmp_path, first, depth):
    text = f'{first}{{"t": "2", "a": {"[" * depth}{"]" * depth}}}\n'
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.jsonl": text}), SECONDS))
    line = 2 if first else 1
    assert found.startswith(
        f"{tmp_path}/a.jsonl:{line}: cannot be read: brackets inside brackets, more than 30"
    )
