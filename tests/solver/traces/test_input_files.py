"""Traces and static data from standard input, pipes and compressed files are what they are in a file."""

import errno
import gzip
import io
import os
import shutil
import sys
from pathlib import Path
from threading import Thread

import pytest

from lars.durations import Duration
from lars.errors import FailedRunError, LarsError
from lars.files import read_file
from solver.settings import StaticFile, TraceOptions
from solver.traces import input_files, read_static
from solver.traces.input_files import STANDARD_INPUT
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import read_on_spark

SECONDS = TraceOptions(unit=Duration(10**9))
LINES = "".join(f'<x:a{t}> <x:p> "{t}" <x:s> "{t}" .\n' for t in range(1, 30)).encode()
TRIG = b"""PREFIX prov: <http://www.w3.org/ns/prov#>
<x:e> prov:generatedAtTime 3 . <x:e> { <x:a> <x:p> <x:b> }
"""
FORMATS = {
    "lines.nq": LINES,
    "atoms.atoms": b"1: near(a) far(b).\n2: near(c).\n",
    "table.csv": b"t,s,p,o\n1,x:a,x:p,x:b\n",
    "graphs.trig": TRIG,
}


@pytest.fixture
def piped(monkeypatch):
    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


def rows(paths, options=SECONDS):
    return [
        (t, predicate, arguments) for t, _, _, predicate, arguments in read_trace_in_process(paths, options)
    ]


def written(folder: Path, name: str, data: bytes) -> Path:
    file = folder / name
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("name", FORMATS)
def test_a_compressed_file_is_read_as_the_plain_one(tmp_path, name):
    plain = written(tmp_path, name, FORMATS[name])
    packed = written(tmp_path, f"{name}.gz", gzip.compress(FORMATS[name]))
    unnamed = written(tmp_path, f"packed-{name}", gzip.compress(FORMATS[name]))
    assert rows([plain]) == rows([packed]) == rows([unnamed])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_read_as_a_file(tmp_path, piped, name, pack):
    piped(pack(FORMATS[name]))
    assert rows([STANDARD_INPUT]) == rows([written(tmp_path, name, FORMATS[name])])


def test_standard_input_can_be_read_again(piped):
    piped(LINES)
    assert rows([STANDARD_INPUT]) == rows([STANDARD_INPUT])


def test_a_named_pipe_is_read_as_a_file(tmp_path):
    pipe = tmp_path / "pipe.nq"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(LINES,), daemon=True)
    writer.start()
    assert rows([pipe]) == rows([written(tmp_path, "plain.nq", LINES)])
    writer.join()


def test_a_folder_of_compressed_turtle_is_read_in_the_order_of_its_numbers(tmp_path):
    for number in (2, 10):
        written(tmp_path, f"data_{number}.ttl.gz", gzip.compress(b"<x:a> <x:p> <x:b> ."))
    assert [row[0] for row in rows([tmp_path])] == [2, 10]


def test_a_stream_can_be_named_for_standard_input(piped):
    piped(b'<x:a> <x:p> <x:b> "1" .\n')
    options = TraceOptions(unit=Duration(10**9), stream={STANDARD_INPUT: "x:s"})
    assert rows([STANDARD_INPUT], options)[0][2][3] == "<x:s>"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_error_names_what_was_given(tmp_path, piped, pack):
    bad = LINES + b"no line\n"
    piped(pack(bad))
    with pytest.raises(LarsError, match=r"^-:30:4: "):
        rows([STANDARD_INPUT])
    file = written(tmp_path, "bad.nq.gz", gzip.compress(bad))
    with pytest.raises(LarsError, match=rf"^{file}:30:4: "):
        rows([file])


PACKED = gzip.compress(LINES, mtime=0)


@pytest.mark.parametrize("data", [PACKED[:-20], PACKED[:20] + b"no gzip"], ids=["cut off", "damaged"])
def test_broken_compression_is_told(tmp_path, data):
    file = written(tmp_path, "broken.nq.gz", data)
    with pytest.raises(LarsError, match=rf"^{file}: cannot be unpacked: .*; use a complete copy of the file"):
        rows([file])


def test_a_device_that_does_not_end_is_no_trace():
    with pytest.raises(
        FailedRunError, match=r"^/dev/zero: is longer than \d+ bytes, .*; expected a regular file"
    ):
        rows([Path("/dev/zero")])


def test_static_data_come_from_standard_input_and_compressed_files(tmp_path, piped):
    turtle = b"<x:a> <x:p> 01 ."
    piped(turtle)
    plain = read_static([StaticFile(written(tmp_path, "a.ttl", turtle))])
    assert plain == read_static([StaticFile(written(tmp_path, "a.ttl.gz", gzip.compress(turtle)))])
    assert plain == read_static([StaticFile(STANDARD_INPUT)])


def test_spark_reads_pipes_and_compressed_files_too(spark, tmp_path, piped):
    piped(LINES)
    expected = rows([written(tmp_path, "plain.nq", LINES)])
    packed = written(tmp_path, "packed.nq.gz", gzip.compress(LINES))
    for path in (STANDARD_INPUT, packed):
        assert read_on_spark(spark, [path], SECONDS)[0] == expected


def test_a_file_that_unpacks_without_bound_is_a_failed_run(tmp_path, monkeypatch):
    monkeypatch.setattr(input_files, "_LEAST_BOUND", 2**20)
    packed = written(tmp_path, "t.nq.gz", gzip.compress(LINES * 10_000))
    with pytest.raises(FailedRunError, match="unpacks to more than 100 times its size"):
        rows([packed])


def test_a_small_memory_limit_bounds_what_a_small_file_unpacks_to(tmp_path, monkeypatch):
    # Not set_bound: a process of tests that an earlier test told to watch its memory would end itself.
    monkeypatch.setattr(input_files, "limit", lambda: 2**20)
    packed = written(tmp_path, "t.nq.gz", gzip.compress(LINES * 200_000))
    with pytest.raises(FailedRunError, match=r"unpacks to more than 100 times its size, and more than 1M"):
        rows([packed])


@pytest.mark.parametrize("kind", ["compressed", "pipe"])
def test_copies_leave_a_part_of_the_disk_free(tmp_path, monkeypatch, piped, kind):
    """A twentieth of the disk stays free, here 100 MB; each part that is written takes 1 MB."""
    real = shutil.disk_usage("/")
    free = iter(range(101, 0, -1))
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: real._replace(total=2000 * 2**20, free=next(free) * 2**20)
    )
    content = b"".join(b'<x:a%d> <x:p> <x:b> <x:S> "1" .\n' % n for n in range(120_000))
    piped(content)
    path = STANDARD_INPUT if kind == "pipe" else written(tmp_path, "t.nq.gz", gzip.compress(content))
    with pytest.raises(FailedRunError, match=r"the disk has only 100M of free space; set TMPDIR to"):
        rows([path])


def test_a_full_disk_of_temporary_files_is_a_failed_run(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(input_files, "_copy", full)
    with pytest.raises(FailedRunError, match=r"No space left on device, for temporary files in .*TMPDIR"):
        rows([written(tmp_path, "t.nq.gz", gzip.compress(LINES))])


@pytest.mark.parametrize("name", ["more.nq", "data_03.trig", "day/data_03.ttl", "t.csv.gz", "a/b/t.parquet"])
def test_a_folder_with_other_traces_is_refused(tmp_path, name):
    written(tmp_path, "data_01.ttl", b"<x:a> <x:p> 1 .")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    written(tmp_path, name, b"")
    with pytest.raises(LarsError, match=f"found {name.split('/')[0]} next to data_NN.ttl"):
        rows([tmp_path])


def test_other_files_of_a_folder_are_no_traces(tmp_path):
    for name in ("README.md", "_SUCCESS", ".data_01.ttl.crc", "q.rq"):
        written(tmp_path, name, b"")
    written(tmp_path, "data_01.ttl", b"<x:a> <x:p> 1 .")
    written(tmp_path, "data_02.ttl", b"")
    assert [t for t, *_ in rows([tmp_path])] == [1, 2], "nothing came in the second 2"


def test_links_that_lead_back_are_not_followed(tmp_path):
    written(tmp_path, "data_01.ttl", b"<x:a> <x:p> 1 .")
    (tmp_path / "notes").mkdir()
    for name in "abc":
        (tmp_path / "notes" / name).symlink_to(".")
    assert len(rows([tmp_path])) == 1


def test_a_trace_in_utf_16_is_called_so(tmp_path):
    with pytest.raises(LarsError, match="found text in UTF-16; use UTF-8"):
        rows([written(tmp_path, "a.csv", "t,s,p,o\n1,urn:s,urn:p,5\n".encode("utf-16"))])


@pytest.mark.parametrize("name", ["a.csv", "a.nq", "a.atoms", "a.ndjsonld", "a"])
def test_lines_that_end_with_cr_alone_are_called_so(tmp_path, name):
    line = {
        "a.csv": "t,s,p,o\r1,urn:s,urn:p,5\r",
        "a.nq": "<u:s> <u:p> 5 <u:S> .\r" * 2,
        "a.atoms": "1: p(a).\r" * 2,
        "a.ndjsonld": '{"@id": "urn:s"}\r' * 2,
        "a": '{"@id": "urn:s"}\r' * 2,
    }
    with pytest.raises(
        LarsError,
        match=f"{name}: cannot read the lines of the file: each line ends with CR, without LF; use LF",
    ):
        rows([written(tmp_path, name, line[name].encode())])


PREFIXED = "@prefix : <urn:> .\n@prefix prov: <http://www.w3.org/ns/prov#> .\n"
JSON_ROW = '{"t": "1", "s": "u:s", "p": "u:p", "o": "<u:o>"}'
OF_CR = {
    "syntax.trig": (f"{PREFIXED}:e prov:generatedAtTime 1 .\n:e {{ :s :p 1 }}\n:e {{ :s :p x }}\n", 5),
    "time.trig": (
        f"{PREFIXED}:e prov:generatedAtTime 1 .\n:f prov:generatedAtTime 'x' .\n:f {{ :s :p 1 }}\n",
        4,
    ),
    "value.ndjson": (
        '{"t": 1, "s": "u:s", "p": "u:p", "o": 1}\n{"t": "x", "s": "u:s", "p": "u:p", "o": 1}\n',
        2,
    ),
    "syntax.ndjson": (
        '{"t": 1, "s": "u:s", "p": "u:p", "o": 1}\n{"t": 1, "s: "u:s", "p": "u:p", "o": 1}\n',
        2,
    ),
    "log.ttl": (f'VERSION "1.2-messages"\n{PREFIXED}:s :p 1 .\nMESSAGE\n:s :p x .\n', 6),
}


@pytest.mark.parametrize("name", OF_CR)
def test_errors_in_files_of_cr_alone_quote_the_line_of_the_file(tmp_path, name):
    text, line = OF_CR[name]
    with pytest.raises(LarsError) as caught:
        rows([written(tmp_path, name, text.replace("\n", "\r").encode())])
    assert f"{name}:{line}:" in str(caught.value)
    assert text.splitlines()[line - 1] in str(caught.value)


@pytest.mark.parametrize("start", ["null", "\ufeff\n null", 'null{"t": 1}'])
def test_lines_of_json_that_begin_with_null_are_refused(tmp_path, start):
    row = '\n{"t": 1, "s": "e:s", "p": "e:p", "o": 5}\n'
    with pytest.raises(LarsError, match="null"):
        rows([written(tmp_path, "a.jsonl", (start + row).encode())])


PACKED = {
    "zstd": b"\x28\xb5\x2f\xfd",
    "bzip2": b"BZh91AY",
    "xz": b"\xfd7zXZ\x00",
    "ZIP": b"PK\x03\x04",
    "gzip, twice": gzip.compress(gzip.compress(LINES)),
}


@pytest.mark.parametrize("kind", PACKED)
def test_a_file_of_another_compression_is_refused_with_what_to_do(tmp_path, kind):
    file = written(tmp_path, "a.nq", PACKED[kind])
    said = f"^{file}: found a file compressed by {kind}; use gzip, or unpack the file$"
    with pytest.raises(LarsError, match=said):
        rows([file])
    with pytest.raises(LarsError, match=said):
        read_static([StaticFile(file)])


@pytest.mark.parametrize("kind", sorted({*PACKED} - {"gzip, twice"}))
def test_a_compressed_text_is_called_so(tmp_path, kind):
    data = PACKED[kind].ljust(20, b"\x80")
    with pytest.raises(LarsError, match=f"q.rq: found a file compressed by {kind}; expected a query; unpack"):
        read_file(written(tmp_path, "q.rq", data), "a query")
