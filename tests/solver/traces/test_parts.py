"""Files in parts are read as whole: however they are cut, each line and row is in one part."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import FailedRunError, PlacedError
from solver.spark.reading import _check, _Parts
from solver.traces import PartReading, file_parts, prepare, trace
from solver.traces.formats import lines as readers
from solver.traces.formats.lines import line_blocks
from solver.traces.formats.tables import table_batches
from tests.solver.traces.both_readings import by_columns, by_rows
from tests.solver.traces.writing import PROV, SECONDS, written

TEXTS = ["", "a", "\r", "ä€", "a\rb", "long" * 9, '<urn:s> <urn:p> "ü" "1" .']
lines = st.lists(st.sampled_from(TEXTS), max_size=9)


def parts_of(source, borders):
    """Return parts of a file between these borders."""
    return [replace(source, begin=begin, end=end) for begin, end in pairwise([0, *sorted(borders), None])]


@given(lines, st.booleans(), st.sets(st.integers(1, 90), max_size=6), st.integers(1, 40))
def test_each_line_is_in_the_part_in_which_it_begins(texts, ended, borders, block):
    data = ("\n".join(texts) + "\n" * ended).encode()
    with TemporaryDirectory() as name, patch.object(readers, "_BLOCK", block):
        Path(name, "a.nq").write_bytes(b'<urn:s> <urn:p> <urn:o> "1" .\n')
        (source,) = prepare([Path(name, "a.nq")], SECONDS)
        Path(name, "a.nq").write_bytes(data)
        within = {border for border in borders if border < len(data)}
        found = [b"".join(line_blocks(part)) for part in parts_of(source, within)]
    assert b"".join(found) == data
    begins = [0, *(place + 1 for place, byte in enumerate(data[:-1]) if byte == 10)] if data else []
    ends = [0, *sorted(within), len(data) + 1]
    lines_of = [text.replace(b"\r", b".").splitlines() for text in found]
    assert list(map(len, lines_of)) == [sum(a <= place < b for place in begins) for a, b in pairwise(ends)]


@given(st.integers(1, 30), st.integers(1, 12), st.sets(st.integers(1, 29), max_size=5), st.integers(1, 9))
def test_each_row_is_in_one_part(rows, group, borders, batch):
    table = pa.table({"t": range(rows)} | {name: [f"urn:{name}{i}" for i in range(rows)] for name in "spo"})
    with TemporaryDirectory() as name:
        path = Path(name, "a.parquet")
        pq.write_table(table, path, row_group_size=group)
        (source,) = prepare([path], SECONDS)
        parts = parts_of(source, {border for border in borders if border < rows})
        found = [[t for one in table_batches(part, batch) for t in one["t"].to_pylist()] for part in parts]
    ends = [rows if part.end is None else part.end for part in parts]
    assert found == [list(range(part.begin, end)) for part, end in zip(parts, ends, strict=True)]


@pytest.mark.parametrize(
    ("encoding", "sizes"),
    [("PLAIN", [12]), ("DELTA_LENGTH_BYTE_ARRAY", [5, 5, 2]), ("DELTA_BYTE_ARRAY", [5, 5, 2])],
)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_encodings_of_texts_that_have_no_dictionary_are_read_in_small_batches(
    tmp_path, monkeypatch, encoding, sizes, kind
):
    """A file that stores the common beginning of texts once can be small, and its texts large."""
    monkeypatch.setattr("solver.traces.formats.tables.parquet._BATCH", 5)
    texts = {name: pa.array([f"urn:{name}{i}" for i in range(12)]).cast(kind) for name in "spo"}
    path = tmp_path / "a.parquet"
    given = dict.fromkeys("spo", encoding)
    pq.write_table(
        pa.table({"t": range(12)} | texts),
        path,
        use_dictionary=False,
        column_encoding=given,
        row_group_size=12,
    )
    (source,) = prepare([path], SECONDS)
    assert [batch.num_rows for batch in table_batches(source)] == sizes
    found = by_columns([source], SECONDS)
    assert found == by_rows([source], SECONDS)
    assert found.rows[3] == (3, "striple", ("<urn:s3>", "<urn:p3>", "<urn:o3>", "null"))


@pytest.mark.parametrize("atoms", [1, 7, 10**6])
def test_parts_are_of_about_equal_size_and_graphs_are_whole(tmp_path, monkeypatch, atoms):
    monkeypatch.setattr(trace, "_LEAST", atoms)
    line = '<urn:s> <urn:p> <urn:o> "1" .\n'
    graph = f"{PROV} :g {{ :s :p 1 }} :g prov:generatedAtTime 1 ."
    paths = written(tmp_path, {"a.nt": line * 100, "b.trig": graph})
    tasks = file_parts(prepare(paths, SECONDS), 8)
    parts = [part for task in tasks for part in task]
    of_lines, of_graphs = ([part for part in parts if part.index == i] for i in range(2))
    assert [(part.begin, part.end) for part in of_graphs] == [(0, None)]
    assert len(tasks) == {1: 10, 7: 3, 10**6: 1}[atoms]
    assert len(of_lines) == {1: 10, 7: 2, 10**6: 1}[atoms]
    reading = PartReading(SECONDS)
    for part in of_lines:
        reading.add(part)
    assert reading.lines == 100
    assert len(reading.atoms()["striple", 4].t) == 100


def test_a_line_that_never_ends_is_refused_in_a_part(tmp_path):
    (path,) = written(tmp_path, {"a.nt": "x" * 50 + "\n" + "y" * 5000})
    with patch.object(readers, "MOST_BYTES", 1000):
        (source,) = prepare([path], SECONDS)
        with pytest.raises(FailedRunError, match=r"a\.nt: a line after byte 20 is longer than 1000 bytes$"):
            list(line_blocks(replace(source, begin=20, end=100)))


BAD = [str(number) if number != 8 else "bad" for number in range(1, 11)]
TABLES = {
    "own.csv": "t,id\n" + "".join(f"{t},a\n" for t in BAD),
    "trace.csv": "t,s,p,o\n" + "".join(f"{t},urn:s,urn:p,1\n" for t in BAD),
    "rows.jsonl": "\n".join(f'{{"t": "{t}", "s": "urn:s", "p": "urn:p", "o": 1}}\n' for t in BAD),
    "lines.nq": "".join(f'<urn:s> <urn:p> "1" "{t}" .\n' for t in BAD),
}


@pytest.mark.parametrize("name", TABLES)
def test_an_error_has_its_place_in_the_file_whatever_the_part(tmp_path, name):
    (path,) = written(tmp_path, {name: TABLES[name]})
    own = (("t", "{t}"), ("s", "<urn:{id}>"), ("<urn:v>", "{id}"), ("<urn:w>", "{id}"))
    options = replace(SECONDS, column=dict(own) if name == "own.csv" else None)
    (source,) = prepare([path], options)
    with pytest.raises(PlacedError) as whole:
        PartReading(options).add(source)
    length = path.stat().st_size if source.format.of_lines else source.size
    cut, results = parts_of(source, [length // 3, length // 2]), []
    for part in cut:
        reading = PartReading(options)
        try:
            reading.add(part)
            results.append(_Parts([reading.lines]))
        except PlacedError as error:
            results.append(_Parts([], (error.place, error.problem)))
    with pytest.raises(PlacedError) as found:
        _check([[part] for part in cut], results)
    assert str(found.value) == str(whole.value)
