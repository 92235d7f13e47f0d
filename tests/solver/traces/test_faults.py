"""What is wrong with a trace, said once, with its place, the same in both ways of reading."""

import math
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars.durations import SECOND
from lars.errors import PlacedError
from lars.language.terms import XSD
from solver.traces.trace_times import date_of, read_time
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import GOOD, PROV, SECONDS, both, message, options, read_on_spark, written

G = PROV + ":g { :s :p :o }\n"
DAY = f"^^<{XSD}dateTime> .\n"
MALFORMED = {
    "no term": ({"a.nt": GOOD + "oops, no\n"}, "a.nt:2:7: found no final dot"),
    "open quote": ({"a.nt": GOOD + '<urn:s> <urn:p> "o "1" .\n'}, "a.nt:2:"),
    "relative iri": ({"a.nt": '<s> <urn:p> <urn:o> "1" .'}, "a.nt:1:1: '<s>' is not an RDF term"),
    "an escaped blank": (
        {"a.nt": '<urn:s> <urn:p> <urn:o\\u0020> "1" .'},
        "a.nt:1:17: '<urn:o\\\\u0020>' is not an RDF term: no IRI has the character ' '",
    ),
    "an escaped bracket in a table": (
        {"a.csv": 't,s,p,o\n1,urn:s,urn:p,"""x""^^<urn:d\\u003E>"\n'},
        "a.csv:2:15: ",
    ),
    "a zone beyond 14:00": (
        {"a.nt": '<urn:s> <urn:p> <urn:o> "2020-01-01T00:00:00-14:01" .'},
        "a.nt:1:25: '2020-01-01T00:00:00-14:01' is not a dateTime: its time zone is more than 14:00 from UTC",
    ),
    "a fraction as time": (
        {"a.csv": "t,s,p,o\n1700000000.5,urn:s,urn:p,urn:o\n"},
        "a.csv:2:1: '1700000000.5' is not a time: found a fraction; expected whole numbers, such as",
    ),
    "a fraction as time, known by content": (
        {"a.x": '<urn:s> <urn:p> <urn:o> <urn:st> "1.5" .\n'},
        "a.x:1:34: '1.5' is not a time: found a fraction; expected whole numbers",
    ),
    "no time, known by content": ({"a.x": "_:s <urn:p> <urn:o> .\n"}, "a.x:1:13: found 3 terms"),
    "a fraction as time of atoms": ({"a.x": "1.5: in(ann).\n"}, "a.x:1:2: found “.”, expected the : after"),
    "a date as time of atoms": ({"a.x": "2020-01-01T00:00:00Z: in\n"}, "a.x:1:5: found “-”, expected the :"),
    "a negative time of atoms": ({"a.x": "-1: in(ann)\n"}, "a.x:1:1: found “-”, expected a time"),
    "no triple": ({"a.x": "urn:s urn:p urn:o .\n"}, "a.x: neither the name nor the content"),
    "JSON-LD": (
        {"a.jsonld": '{"@id": "urn:s"}'},
        "a.jsonld: JSON-LD contains no times; use the file with --static",
    ),
    "JSON-LD by content": ({"a.x": '{"@id": "urn:s", "urn:p": 1}'}, "a.x: JSON-LD contains no times"),
    "bad escape": ({"a.nt": '<urn:s> <urn:p> "\\x" "1" .'}, "a.nt:1:17: "),
    "no time": (
        {
            "a.nt": "<urn:s> <urn:p> <urn:o> .",
        },
        "a.nt:1:17: found 3 terms",
    ),
    "a stream as time": ({"a.nt": "<urn:s> <urn:p> <urn:o> <urn:st> ."}, "a.nt:1:25: 'urn:st' is not a time"),
    "a bare word among quotes": (
        {"a.nq": '<urn:s> <urn:p> "5" <urn:st> "1" .\n<urn:s> <urn:p> <urn:o> st "2" .\n'},
        "a.nq:2:25: found a literal or time without quotes",
    ),
    "half a datatype": ({"a.nt": '<urn:s> <urn:p> 54^^ "1" .'}, "a.nt:1:17: found '54^^'"),
    "six terms": ({"a.nt": '<urn:s> <urn:p> <urn:o> <urn:a> <urn:b> "1" .'}, "a.nt:1:41: found 6 terms"),
    "only a dot": ({"a.nt": GOOD + ".\n"}, "a.nt:2:1: found 0 terms"),
    "after the dot": ({"a.nt": GOOD.replace("\n", " <urn:x>\n")}, "a.nt:1:31: found '<urn:x>'"),
    "a cut line": ({"a.nt": "<urn:s> <urn:p> <urn:o> 10"}, "a.nt:1:25: found no final dot"),
    "literal subject": ({"a.nt": '"s" <urn:p> <urn:o> "1" .'}, "a.nt:1:1: found a literal as subject"),
    "blank predicate": ({"a.nt": '<urn:s> _:p <urn:o> "1" .'}, "a.nt:1:9: found no IRI as predicate"),
    "literal stream": ({"a.nt": '<urn:s> <urn:p> <urn:o> "st" "1" .'}, "a.nt:1:25: found no IRI as stream"),
    "negative": (
        {"a.nt": '<urn:s> <urn:p> <urn:o> "-1" .'},
        "a.nt:1:25: the time -1 (of 1s each) is negative",
    ),
    "half a unit": (
        {"a.nt": "<urn:s> <urn:p> <urn:o> <1500> ."},
        "a.nt:1:25: the time 1500 (of 1ms each) is not a multiple of the unit 1s",
    ),
    "too large": (
        {"a.nt": f'<urn:s> <urn:p> <urn:o> "{2**63}" .'},
        "a.nt:1:25: the time 9223372036854775808",
    ),
    "a double": ({"a.nt": f'<urn:s> <urn:p> <urn:o> "1.0"^^<{XSD}double> .'}, "a.nt:1:25: '1.0' of type"),
    "no day": ({"a.nt": '<urn:s> <urn:p> <urn:o> "2024-02-30T00:00:00"' + DAY}, "a.nt:1:25: '2024-02-30T"),
    "no zone": (
        {"a.nt": f'<urn:s> <urn:p> <urn:o> "2024-02-03T00:00:00"^^<{XSD}dateTimeStamp> .'},
        "a.nt:1:25: '2024-02-03T00:00:00' is not an xsd:dateTimeStamp",
    ),
    "year 1000": ({"a.nt": '<urn:s> <urn:p> <urn:o> "1000-01-01T00:00:00"' + DAY}, "a.nt:1:25: "),
    "mixed zones": (
        {"a.nt": "".join(f'<urn:s> <urn:p> <urn:o> "2024-02-03T00:00:00{z}"' + DAY for z in ("", "Z"))},
        "a.nt:2:1: found a dateTime with time zone after a dateTime without time zone",
    ),
    "mixed kinds": (
        {"a.nt": GOOD, "b.nt": '<urn:s> <urn:p> <urn:o> "2024-02-03T00:00:00"' + DAY},
        "b.nt:1:1: found a dateTime without time zone after an integer",
    ),
    "half a second": (
        {"a.nt": "".join(f'<urn:s> <urn:p> <urn:o> "2024-02-03T00:00:0{s}"' + DAY for s in ("0", "1.5"))},
        "a.nt:2:1: the time 2024-02-03T00:00:01.5, counted from 2024-02-03T00:00:00, is not a multiple",
    ),
    "out of order": (
        {"a.nt": GOOD.replace("1", "3") + GOOD},
        "a.nt:2:1: the time 1 comes after the later time 3; expected times that do not decrease, or --sort",
    ),
    "out of order in the next file": (
        {"a.nt": GOOD.replace("1", "3"), "b.nt": GOOD.replace("1", "4") + GOOD, "c.nt": GOOD},
        "b.nt:2:1: the time 1 comes after the later time 4",
    ),
    "two spellings": (
        {"a.nt": GOOD * 3000 + "<urn:s> <urn:p> 5 <1000> .\n"},
        "a.nt:3001:17: found a literal or time without quotes",
    ),
    "no utf-8": (
        {"a.nt": b'<urn:s> <urn:p> "a\xff" "1" .'},
        "a.nt:1:19: found bytes that are not valid UTF-8",
    ),
    "csv header": ({"a.csv": "noon,s,p,o\n"}, "a.csv:1:1: found 'noon,s,p,o' as header"),
    "csv time column": (
        {"a.csv": "time,s,p,o\n"},
        "a.csv:1:1: found no column t as header; use t as the name of the column time",
    ),
    "csv fields": ({"a.csv": "t,s,p,o\n1,urn:s,urn:p\n"}, "a.csv:2:9: found 3 fields"),
    "csv quotes": ({"a.csv": 't,s,p,o\n1,urn:s,urn:p,"a"b\n'}, "a.csv:2:15: found '\"a\"b'"),
    "csv literal": ({"a.csv": 't,s,p,o\n1,urn:s,urn:p,"a"\n'}, "a.csv:2:15: 'a' is not an RDF term"),
    "csv two lines": ({"a.csv": 't,s,p,o\n1,urn:s,urn:p,"""a\n"""\n'}, "a.csv:2:15: found"),
    "csv time": ({"a.csv": "s,t,p,o\nurn:s,x,urn:p,urn:o\n"}, "a.csv:2:7: 'x' is not a time"),
    "trig syntax": ({"a.trig": PROV + ":g { :s :p }\n"}, "a.trig:2:12: "),
    "trig no time": ({"a.trig": G}, "a.trig:2:1: the graph <urn:g> has no time"),
    "trig two times": (
        {"a.trig": G + ":g prov:generatedAtTime 1,\n 2 ."},
        "a.trig:4:1: the graph <urn:g> has",
    ),
    "trig bad time": ({"a.trig": G + ":g prov:generatedAtTime :x ."}, "a.trig:3:1: <urn:x> is not a time"),
    "trig wrong type": ({"a.trig": G + ":g prov:generatedAtTime 1.5 ."}, "a.trig:3:1: '1.5' of type"),
    "trig negative": ({"a.trig": G + ":g prov:generatedAtTime -1 ."}, "a.trig:3:1: the time -1"),
    "trig outside": (
        {"a.trig": G + ":g prov:generatedAtTime 1 .\n:s :p :o ."},
        "a.trig:4:1: found a triple about",
    ),
    "trig triple term": ({"a.trig": PROV + ":g {\n :s :p <<( :a :b :c )>> }"}, "a.trig:3:1: "),
    "trig order": (
        {
            "a.trig": PROV
            + ":g { :s :p :o }\n\n:h { :s\n:p :q }\n:g prov:generatedAtTime 2 . :h prov:generatedAtTime 1 ."
        },
        "a.trig:5:1: the time 1 comes after the later time 2",
    ),
    "turtle syntax": ({"d/data_00.ttl": "<urn:s> <urn:p> 1 .\n<urn:s> ;"}, "d/data_00.ttl:2:9: "),
    "turtle name": (
        {"d/first.ttl": "<urn:s> <urn:p> 1 ."},
        "d/first.ttl: the name of the file contains no time",
    ),
    "turtle alone": ({"a.ttl": "<urn:s> <urn:p> 1 ."}, "a.ttl: a Turtle file contains no times"),
    "an array of JSON": (
        {"a.json": '[\n {"t": 1, "s": "<http://e/a>"}\n]\n'},
        "a.json: cannot read an array of JSON; use JSON lines",
    ),
    "an empty array of JSON": ({"a.jsonl": "[]"}, "a.jsonl: cannot read an array of JSON; use JSON lines"),
    "a spreadsheet": ({"a.xlsx": "PK"}, "a.xlsx: cannot read a spreadsheet; save its sheet as CSV in UTF-8"),
    "no format": ({"a.txt": "once upon a time\n"}, "a.txt: neither the name nor the content"),
    "empty": ({"a.nt": ""}, "a.nt: the trace is empty"),
    "comments only": ({"a.nt": "# nothing\n"}, "a.nt: found no elements in the trace"),
    "empty folder": ({"d/README": "nothing"}, "d: the folder contains no trace"),
    "no parquet": ({"a.parquet": "nothing"}, "a.parquet: not a Parquet file"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_trace_gives_one_message_with_its_place(spark, tmp_path, case):
    files, expected = MALFORMED[case]
    paths = written(tmp_path, files)
    found = message(lambda: read_trace_in_process(paths, SECONDS))
    assert found.startswith(f"{tmp_path}/{expected}")
    assert found == message(lambda: read_on_spark(spark, paths, SECONDS))


@pytest.mark.parametrize(
    ("columns", "times", "expected"),
    [
        ({"o": ["o"]}, pa.int64(), "a.parquet:1:38: 'o' is not an RDF term"),
        ({"p": [None]}, pa.int64(), "a.parquet:1:24: the column p has no value"),
        ({"t": [None]}, pa.int64(), "a.parquet:1:2: found no time; expected a time in each row"),
        ({"t": [1.0]}, pa.float64(), "a.parquet: the column t is double"),
        ({"t": [1]}, pa.time64("ns"), "a.parquet: the column t is time64[ns]"),
        ({"s": [1]}, pa.int64(), "a.parquet: the column s is int64"),
        (
            {"t": [10**13]},
            pa.timestamp("ms"),
            "a.parquet:1:2: '2286-11-20T17:46:40' is out of range",
        ),
        (
            {"t": [10**18]},
            pa.timestamp("us"),
            "a.parquet:1:2: '33658-09-27T01:46:40' is not a time",
        ),
    ],
)
def test_a_malformed_table_gives_one_message_with_its_place(spark, tmp_path, columns, times, expected):
    values = {"t": [1], "s": ["urn:s"], "p": ["urn:p"], "o": ["urn:o"]} | columns
    kinds = {"p": pa.string()}
    arrays = {
        name: pa.array(value, times if name == "t" else kinds.get(name)) for name, value in values.items()
    }
    pq.write_table(pa.table(arrays), tmp_path / "a.parquet")
    found = message(lambda: read_trace_in_process([tmp_path / "a.parquet"], SECONDS))
    assert found.startswith(f"{tmp_path}/{expected}")
    assert found == message(lambda: read_on_spark(spark, [tmp_path / "a.parquet"], SECONDS))


def test_what_a_trace_lacks_is_said_before_reading(tmp_path):
    [path] = written(tmp_path, {"a.nt": GOOD})
    read = read_trace_in_process
    assert message(lambda: read([], SECONDS)).startswith("no trace given; expected TriG")
    assert message(lambda: read([tmp_path / "b.nt"], SECONDS)) == f"{tmp_path}/b.nt: no such file or folder"
    assert (
        message(lambda: read([path, path], SECONDS))
        == f"{path}: the trace contains this file twice; use each file once"
    )
    assert "--on-error skip requires --rejected FILE" in message(
        lambda: read([path], options(on_error="skip"))
    )
    assert "does not have: b.nt" in message(lambda: read([path], options(stream={Path("b.nt"): "urn:a"})))


def test_a_stream_comes_from_the_file_or_the_only_one_of_the_query(spark, tmp_path):
    paths = written(tmp_path, {"a.nt": GOOD, "b.nq": GOOD.replace('"1"', '<urn:b> "1"')})
    named = options(stream={paths[0]: "urn:a"}, query_streams=("urn:x", "urn:y"))
    assert [row[1] for row in both(spark, paths, named)] == ["<urn:a>", "<urn:b>"]
    only = options(query_streams=("urn:x",))
    assert [row[1] for row in both(spark, paths, only)] == ["<urn:x>", "<urn:b>"]
    assert [row[1] for row in both(spark, paths)] == [None, "<urn:b>"]


def test_several_possible_streams_are_an_error_that_lists_them(spark, tmp_path):
    paths = written(tmp_path, {"a.nt": GOOD})
    given = options(query_streams=("urn:x", "urn:y"), on_error="skip", rejected=tmp_path / "side")
    found = message(lambda: read_on_spark(spark, paths, given))
    assert (
        "a.nt:1:1: the stream of the file is unknown; use --stream IRI=FILE with one of "
        "the streams urn:x, urn:y" in found
    )
    assert found == message(lambda: read_trace_in_process(paths, given))


def test_a_stream_on_a_line_must_be_the_one_of_its_file(tmp_path):
    [path] = written(tmp_path, {"a.nq": GOOD.replace('"1"', '<urn:b> "1"')})
    found = message(lambda: read_trace_in_process([path], options(stream={path: "urn:a"})))
    assert "the element belongs to <urn:b>, but --stream assigns the file to <urn:a>" in found


def test_an_origin_and_the_times_agree_on_time_zones(spark, tmp_path):
    [path] = written(tmp_path, {"a.nt": '<urn:s> <urn:p> <urn:o> "2024-05-01T00:00:00"' + DAY})
    given = options(origin=datetime(2024, 1, 1, tzinfo=UTC))
    found = message(lambda: read_on_spark(spark, [path], given))
    assert "only one of the two dateTimes has a time zone" in found
    late = options(origin=datetime(2025, 1, 1))  # noqa: DTZ001
    found = message(lambda: read_on_spark(spark, [path], late))
    remedy = "use an --origin (or the key origin of experiment.toml) up to 2024-05-01T00:00:00"
    assert f"counted from 2025-01-01T00:00:00, is negative; {remedy}" in found


ONE_KIND = {
    "a.nq": ('<urn:s> <urn:p> "1" "{}" .', "{}"),
    "a.csv": ("{},urn:s,urn:p,1", "t,s,p,o\n{}"),
    "a.ndjson": ('{{"t":"{}","s":"urn:s","p":"urn:p","o":"1"}}', "{}"),
}


@pytest.mark.parametrize("name", ONE_KIND)
@pytest.mark.parametrize("origin", [None, datetime(2026, 1, 1, tzinfo=UTC)])
def test_times_of_another_kind_than_the_first_are_skipped(spark, tmp_path, name, origin):
    row, whole = ONE_KIND[name]
    times = [f"2026-01-01T00:00:0{n}{zone}" for n, zone in ((1, "Z"), (2, ""), (3, "Z"), (4, "+00:00"))]
    every = times if origin else [*times, "5"]
    paths = written(tmp_path, {name: whole.format("\n".join(map(row.format, every))) + "\n"})
    how = options(on_error="skip", rejected=tmp_path / "side", origin=origin)
    assert len(both(spark, paths, how)) == 3
    kept = (tmp_path / "side").read_text().splitlines()[2::2]
    assert kept == [row.format(time) for time in every if time in ("2026-01-01T00:00:02", "5")]


def test_a_file_whose_times_are_all_of_another_kind_is_not_skipped(tmp_path):
    row = ONE_KIND["a.nq"][0]
    paths = written(tmp_path, {f"{n}.nq": row.format(f"2026-01-01T00:00:01{n}") for n in ("Z", "")})
    how = options(on_error="skip", rejected=tmp_path / "side")
    assert "found a dateTime with time zone after a" in message(lambda: read_trace_in_process(paths, how))


@pytest.mark.parametrize("name", ["_a.nt", ".a.nt", "a:b.nt", "a*[1] {b}.nt"])
def test_every_name_is_a_name_on_spark_too(spark, tmp_path, name):
    assert len(both(spark, written(tmp_path, {name: GOOD}))) == 1


@pytest.mark.parametrize("digits", [30, 31, 5_000])
def test_an_integer_of_any_length_is_a_time_that_is_too_late(tmp_path, digits):
    paths = written(tmp_path, {"a.csv": f"t,s,p,o\n{'9' * digits},urn:s,urn:p,urn:o\n"})
    said = message(lambda: read_trace_in_process(paths, SECONDS))
    assert " is too late; expected up to " in said
    assert len(said.splitlines()[0]) < 300


@pytest.mark.parametrize("digits", [30, 31, 32])
def test_an_integer_is_read_with_all_its_digits(digits):
    assert read_time("36" + "0" * (digits - 2)).value == 36 * 10 ** (digits - 2)


def test_zeros_before_a_time_do_not_change_it():
    assert read_time("-" + "0" * 40 + "5").value == -5
    assert read_time("+" + "0" * 5_000).value == 0


@pytest.mark.parametrize("point", [math.inf, -math.inf, math.nan])
def test_no_date_is_infinitely_late(point):
    assert date_of(point, "2026-05-04T08:00:00Z", SECOND) is None


@pytest.mark.parametrize(
    ("name", "line", "column"),
    [
        ("a.nq", b'<urn:s> <urn:p> "1" "x" .', 21),
        ("a.nq", b'<urn:s> <urn:p> "\xff" "1" .', 18),
        ("a.trig", b"<urn:g> { <urn:s> <urn:p> , }", 27),
        ("a.atoms", b"1: a b(", 8),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_is_no_column_of_the_first_line(tmp_path, mark, name, line, column):
    (tmp_path / name).write_bytes(mark + line)
    with pytest.raises(PlacedError) as error:
        read_trace_in_process([tmp_path / name], SECONDS)
    place = error.value.place
    assert (place.line, place.column, place.line_text) == (
        1,
        column,
        line.decode("utf-8", "backslashreplace"),
    )
