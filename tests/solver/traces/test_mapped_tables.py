"""Tables with columns of their own, against a reading cell by cell; places and words of what is wrong."""

import csv
import gzip
import warnings
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, Literal

from lars.errors import LarsError, PlacedError
from solver.settings import TraceWarning
from solver.traces import as_they_came, prepare
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import in_order, options

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
BIKES = (("t", "{time}"), ("s", "ex:bike/{bike}"), ("ex:at", "<http://e/s/{station}>"), ("ex:load", "{load}"))
pytestmark = pytest.mark.filterwarnings("ignore::solver.settings.TraceWarning")
PREFIXES = (("ex", "http://e/"),)


def mapped(path, mapping=BIKES, stream=None, **more):
    return in_order(
        read_trace_in_process(
            [path],
            options(
                column=dict(mapping) if stream is None else {stream: dict(mapping)}, prefixes=PREFIXES, **more
            ),
        )
    )


def by_cells(rows):
    """Read the rows cell by cell: escaped by another library, literals by another library."""
    for time, bike, station, load in rows:
        subject = f"<http://e/bike/{quote(bike, safe='')}>"
        if bike and station:
            yield (time, None, subject, "<http://e/at>", f"<http://e/s/{quote(station, safe='')}>")
        if bike and load is not None:
            yield (time, None, subject, "<http://e/load>", Literal(load).n3())


cells = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5).map(str.strip)
tables = st.lists(st.tuples(st.integers(0, 9), cells, cells, st.none() | st.integers(-9, 9)), min_size=1)


@given(tables)
def test_a_table_is_what_its_cells_say_one_by_one(tmp_path_factory, rows):
    rows = sorted(rows, key=lambda row: row[0])
    expected = list(by_cells(rows))
    path = tmp_path_factory.mktemp("mapped") / "bikes.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("time", "bike", "station", "load", "unused"))
        lines.writerows((*row, "x") for row in rows)
    if expected:
        assert mapped(path) == expected
    frame = pd.DataFrame(rows, columns=["time", "bike", "station", "load"]).replace("", None)
    frame["load"] = frame["load"].astype("Int64")
    frame.astype({"bike": "string", "station": "string"}).to_parquet(path.with_suffix(".parquet"))
    if expected:
        assert mapped(path.with_suffix(".parquet")) == expected


TYPES = {
    ("1", "-20"): ('"1"^^<{}integer>', '"-20"^^<{}integer>'),
    ("1", "2.50"): ('"1"^^<{}decimal>', '"2.50"^^<{}decimal>'),
    ("1.5", "2e3"): ('"1.5"^^<{}double>', '"2e3"^^<{}double>'),
    ("007", "12"): ('"007"^^<{}integer>', '"12"^^<{}integer>'),
    ("True", "false"): ('"true"^^<{}boolean>', '"false"^^<{}boolean>'),
    ("2026-05-04", "2026-05-05"): ('"2026-05-04"^^<{}date>', '"2026-05-05"^^<{}date>'),
    ("2026-05-04 08:00:00+02", "2026-05-04T08:00:00"): (
        '"2026-05-04T08:00:00+02:00"^^<{}dateTime>',
        '"2026-05-04T08:00:00"^^<{}dateTime>',
    ),
    ("1500-01-01 00:00:00Z", "2400-01-01T24:00:00Z"): (
        '"1500-01-01T00:00:00Z"^^<{}dateTime>',
        '"2400-01-01T24:00:00Z"^^<{}dateTime>',
    ),
    ("2020-01-01", "2020-01-01T10:00:00Z"): ('"2020-01-01"', '"2020-01-01T10:00:00Z"'),
    ("2020-02-29", "2020-02-30"): ('"2020-02-29"', '"2020-02-30"'),
    ("2020-02-28T25:00:00",) * 2: ('"2020-02-28T25:00:00"',) * 2,
    ("1", "a b"): ('"1"', '"a b"'),
    ("+", "."): ('"+"', '"."'),
}


@pytest.mark.parametrize("texts", TYPES)
def test_a_column_of_csv_has_the_type_that_all_its_cells_have(tmp_path, texts):
    path = tmp_path / "t.csv"
    path.write_text("time,a,v\n" + "".join(f"{t},x,{text}\n" for t, text in enumerate(texts)))
    found = mapped(path, (("t", "{time}"), ("s", "ex:{a}"), ("ex:v", "{v}")))
    assert tuple(row[-1] for row in found) == tuple(one.format(XSD) for one in TYPES[texts])


TEMPLATES = {
    "<{v}>": "<http://x/y z>".replace(" ", ""),
    "ex:{v}/{a}": "<http://e/http%3A%2F%2Fx%2Fyz/1>",
    '"{a} at {v}"@en': '"1 at http://x/yz"@en',
    '"{a}"^^xsd:decimal': f'"1"^^<{XSD.decimal}>',
    "http://e/fixed": "<http://e/fixed>",
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_a_term(tmp_path, template):
    (tmp_path / "t.csv").write_text("time,a,v\n3,1,http://x/yz\n")
    found = mapped(tmp_path / "t.csv", (("t", "{time}"), ("s", "ex:s"), ("a", template)))
    assert found == [(3, None, "<http://e/s>", f"<{RDF_TYPE}>", TEMPLATES[template])]


RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def test_times_of_frames_are_times(tmp_path):
    frame = pd.DataFrame({"when": [NOON, NOON + timedelta(seconds=7)], "who": ["a", "b"], "x": [1.5, 2.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    found = mapped(tmp_path / "t.parquet", (("t", "{when}"), ("s", "ex:{who}"), ("ex:x", "{x}")))
    assert [(row[0], row[-1]) for row in found] == [
        (1, f'"1.5"^^<{XSD.double}>'),
        (8, f'"2"^^<{XSD.double}>'),
    ]


WRONG = {
    (("t", "{time}"), ("s", "ex:{a}")): "expected columns with t = {column}, s and at least one predicate",
    (("t", "time"), ("s", "ex:{a}"), ("a", "ex:b")): "found t = 'time'; expected {column}, the column",
    (("t", "{when}"), ("s", "ex:{a}"), ("a", "ex:b")): "t.csv has no column when; its columns are time, a",
    (("t", "{time}"), ("s", "no:{a}"), ("a", "ex:b")): "uses the undeclared prefix no:; use --prefix no=IRI",
    (("t", "{time}"), ("s", "ex:{a}"), ("p", "ex:b")): "found the template 'p'; expected an IRI",
    (("t", "{time}"), ("s", "ex:{a}"), ("ex:p q", "ex:b")): "is not an RDF term",
}


@pytest.mark.parametrize("mapping", WRONG)
def test_a_mapping_that_is_none_is_refused(tmp_path, mapping):
    (tmp_path / "t.csv").write_text("time,a\n3,1\n")
    with pytest.raises(LarsError) as error:
        mapped(tmp_path / "t.csv", mapping)
    assert WRONG[mapping] in str(error.value)


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        ("sep=;", "remove this line"),
        ("# of May", "remove this line"),
        ("time|bike", "use commas"),
        ("1.5", "names"),
    ],
)
def test_a_first_line_without_the_names_of_columns_is_called_so(tmp_path, first, problem):
    (tmp_path / "t.csv").write_text(f"{first}\ntime,bike,station,load\n2,b1,s1,1\n")
    with pytest.raises(PlacedError) as error:
        mapped(tmp_path / "t.csv")
    assert str(error.value).startswith(f"{tmp_path}/t.csv:1:1: found ")
    assert problem in error.value.problem


def test_what_is_wrong_in_a_row_has_the_row_of_the_users_table(tmp_path):
    lines = ["time,bike,station,load", "2,b1,s1,1", "4,b1,s1,", "x,b2,s1,2"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(PlacedError) as error:
        mapped(tmp_path / "t.csv")
    assert str(error.value).startswith(f"{tmp_path}/t.csv:4:1: 'x' is not a time")
    assert "x,b2,s1,2" in str(error.value)
    (tmp_path / "t.csv").write_text("\n".join([*lines[:3], "3,b2,s1,2"]))
    with pytest.raises(PlacedError) as error:
        mapped(tmp_path / "t.csv")
    assert f"{tmp_path}/t.csv:4:1: " in str(error.value)


HEADER = "time,bike,station,load\n"
BROKEN = {
    HEADER + "2,b,s,1\n\n3,b,s\n": "4:1: found 3 fields; expected 4, as in the header\n  3,b,s",
    HEADER + '2,b,s,1\n\n3,b,s,"x\n4,b,s,1\n': "4:1: found an opening quote without a closing quote",
    HEADER + "2,b,s,\xff\n": "2:7: found the byte 0xff, which is not text; expected CSV, in UTF-8",
    HEADER + '2,b,"s\nt",1\nx,b,s,1\n': "4:1: 'x' is not a time",
    HEADER + "\n2,b,s,1\nx,b,s,1\n": "4:1: 'x' is not a time",
    # Without LF, each CR ends a line.
    HEADER.replace("\n", "\r") + '2,b,"s\rt",1\rx,b,s,1\r': "4:1: 'x' is not a time",
    HEADER.replace("\n", "\r") + "2,b,s,1\r\r3,b,s\r": "4:1: found 3 fields; expected 4, as in the header",
    HEADER.replace("\n", "\r") + '2,b,s,"x\r4,b,s,1\r': "2:1: found an opening quote",
    HEADER.replace("\n", "\r") + "2,b,s,\xff\r": "2:7: found the byte 0xff",
}


@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
@pytest.mark.parametrize("text", BROKEN)
def test_a_row_of_csv_that_is_none_has_its_line(tmp_path, text, suffix):
    data = text.encode("latin-1")
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    with pytest.raises(PlacedError) as error:
        mapped(path)
    assert str(error.value).startswith(f"{path}:{BROKEN[text]}")


@pytest.mark.parametrize("text", ["\n", "\n\n"])
def test_a_table_without_a_header_is_called_so(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(LarsError, match="it has no header; use a first line with the names of the columns"):
        mapped(tmp_path / "t.csv")


def test_a_column_that_is_there_twice_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("time,bike,station,load,load\n2,b,s,1,2\n")
    with pytest.raises(
        LarsError, match="two columns have the name load; use a different name for each column"
    ):
        mapped(tmp_path / "t.csv")


def test_cells_with_line_breaks_are_read_in_long_tables_too(tmp_path):
    rows = (f'{t},b{t},"{"x" * 40}\n{"y" * 40}",1\n' for t in range(20_000))
    (tmp_path / "t.csv").write_text(HEADER + "".join(rows))
    assert len(mapped(tmp_path / "t.csv")) == 40_000


@pytest.mark.parametrize(
    ("cells", "odd"),
    [("1,2.5,n/a", "'n/a'"), ("1,-2e3,,", None), ("1,a,b", None), ("a,b", None), (" 1,2,3", None)],
)
def test_a_text_among_numbers_is_warned_of(tmp_path, cells, odd):
    (tmp_path / "t.csv").write_text(HEADER + "".join(f"2,b,s,{one}\n" for one in cells.split(",")))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mapped(tmp_path / "t.csv")
    said = [str(one.message) for one in caught if "holds texts" in str(one.message)]
    assert [f"the column load holds texts: {odd} is not a number" in one for one in said] == [True] * (
        odd is not None
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            "2026-02-27,2026-02-30,2026-03-01",
            "3: the column load holds texts: '2026-02-30' is not a date, but",
        ),
        ("2026-02-27,,soon,2026-03-01", "4: the column load holds texts: 'soon' is not a date, but"),
        (
            "2026-02-27T10:00:00,2026-03-01 24:01:00,2026-03-02 10:00:00",
            "3: .* '2026-03-01 24:01:00' is not a dateTime",
        ),
        ("true,FALSE,maybe", "4: the column load holds texts: 'maybe' is not a boolean, but most cells"),
        ("1,2,x", "4: the column load holds texts: 'x' is not a number, but most cells"),
    ],
)
def test_one_cell_of_another_kind_is_named_with_its_line(tmp_path, cells, said):
    (tmp_path / "t.csv").write_text(HEADER + "".join(f"2,b,s,{one}\n" for one in cells.split(",")))
    with pytest.warns(TraceWarning, match=f"^{tmp_path}/t.csv:{said}"):
        mapped(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "cells", ["a b,c d,e f", "2026-02-27,2026-02-28", "2026-02-30,2026-02-30,2026-03-01"]
)
def test_columns_of_texts_and_of_one_kind_have_no_warning(tmp_path, cells):
    (tmp_path / "t.csv").write_text(HEADER + "".join(f"2,b,s,{one}\n" for one in cells.split(",")))
    with warnings.catch_warnings():
        warnings.simplefilter("error", TraceWarning)
        mapped(tmp_path / "t.csv")


@pytest.mark.parametrize("cell", ["b", '"b, c"'])
def test_a_day_that_is_none_in_a_column_of_times_has_its_place(tmp_path, cell):
    text = f"station,time\n{cell},2026-02-27T10:00:00Z\n{cell},2026-02-30T10:00:00Z\n"
    (tmp_path / "t.csv").write_text(text)
    columns = (("t", "{time}"), ("s", "_:{station}"), ("ex:at", "{station}"))
    with pytest.raises(PlacedError) as found:
        mapped(tmp_path / "t.csv", columns)
    assert (found.value.place.line, found.value.place.column) == (3, 3 if cell == "b" else 1)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_semicolons_and_tabs_part_cells_too(tmp_path, delimiter):
    text = HEADER + '2,"b1","s, 1",1\n3,"b""2","",7\n'
    (tmp_path / "comma.csv").write_text(text)
    rows = csv.reader(text.splitlines())
    with (tmp_path / "other.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    assert mapped(tmp_path / "comma.csv") == mapped(tmp_path / "other.csv") != []


@pytest.mark.filterwarnings("error::solver.settings.TraceWarning")
def test_a_quoted_cell_without_a_text_is_empty(tmp_path):
    """Some programs quote every cell: an empty one among numbers must not make texts of them."""
    (tmp_path / "t.csv").write_text('"time","bike","station","load"\n"2","b","s","1.5"\n"3","b","s",""\n')
    loads = [atom[-1] for atom in mapped(tmp_path / "t.csv", origin=NOON) if "load" in atom[-2]]
    assert loads == ['"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>']


def test_decimals_with_a_comma_are_warned_of(tmp_path):
    (tmp_path / "t.csv").write_text(HEADER.replace(",", ";") + "2;b;s;1,5\n")
    with pytest.warns(
        TraceWarning, match="load holds texts: '1,5' is not a number; write decimals with a po"
    ):
        assert mapped(tmp_path / "t.csv")[1][-1] == '"1,5"'


@pytest.mark.parametrize("cells", [("1", "0.5", "-3"), (str(2**64 + 1), str(-(2**70) - 3))])
def test_whole_numbers_of_json_keep_their_digits(tmp_path, cells):
    lines = (f'{{"time": 2, "id": {cell}, "v": null}}\n\n' for cell in cells)
    (tmp_path / "t.ndjson").write_text("\ufeff" + "".join(lines))
    found = mapped(tmp_path / "t.ndjson", (("t", "{time}"), ("s", "ex:{id}"), ("ex:v", "{id}")))
    kinds = ("double" if "." in cell else "integer" for cell in cells)
    texts = zip(cells, kinds, strict=True)
    assert found == [
        (2, None, f"<http://e/{x}>", "<http://e/v>", f'"{x}"^^<{XSD}{kind}>') for x, kind in texts
    ]


def test_values_of_several_types_in_a_mapped_column_of_json_keep_their_types(tmp_path):
    rows = (f'{{"time": {n}, "v": {cell}}}\n' for n, cell in enumerate(("5", '"a b\\n"', "true", "null")))
    (tmp_path / "t.ndjson").write_text("".join(rows))
    found = mapped(tmp_path / "t.ndjson", (("t", "{time}"), ("s", "ex:{v}"), ("ex:v", "{v}")))
    texts = (("5", f'"5"^^<{XSD}integer>'), ("a%20b%0A", '"a b\\n"'), ("true", f'"true"^^<{XSD}boolean>'))
    assert found == [(n, None, f"<http://e/{s}>", "<http://e/v>", o) for n, (s, o) in enumerate(texts)]


def test_times_with_fractions_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "t.ndjson").write_text('{"time": 1.5, "id": 1}')
    with pytest.raises(LarsError, match="has times with fractions; expected whole numbers"):
        mapped(tmp_path / "t.ndjson", (("t", "{time}"), ("s", "ex:{id}"), ("ex:v", "{id}")))


ODD_COLUMNS = {
    "v has the type duration": pa.array([1], pa.duration("s")),
    "v has the type list": pa.array([[1]]),
}


@pytest.mark.parametrize("template", ["{v}", '"{v}"'])
@pytest.mark.parametrize("said", ODD_COLUMNS)
def test_a_column_that_holds_no_literals_is_named(tmp_path, said, template):
    pq.write_table(pa.table({"t": [1], "v": ODD_COLUMNS[said]}), tmp_path / "t.parquet")
    with pytest.raises(LarsError, match=f"t.parquet: the column {said}"):
        mapped(tmp_path / "t.parquet", (("t", "{t}"), ("s", "ex:{t}"), ("ex:v", template)))


def test_a_quote_inside_a_cell_is_a_character(tmp_path):
    (tmp_path / "t.csv").write_text(HEADER + '2,b,5" pipe,1\n')
    assert "<http://e/s/5%22%20pipe>" in {row[-1] for row in mapped(tmp_path / "t.csv")}


ROWS = "own.csv", "t,s,p,o\n1,http://e/x,http://e/y,http://e/z\n"
OWN = "t,s,p,o\n1,ann,in,hall\n3,ann,in,den\n", ("t", "s", "o")
MORE = '{"t": 1, "s": "ann", "p": 2, "o": "hall"}\n{"t": 3, "s": "ann", "p": 2, "o": "den"}\n', OWN[1]
LOG = "".join(
    f'{{"@timestamp": {t}, "@version": "1", "@type": "{o}"}}\n' for t, o in ((1, "hall"), (3, "den"))
)
KEYWORD = '{"@type": "hall", "who": "ann", "t": 1}\n{"@type": "den", "who": "ann", "t": 3}\n'
TAKEN = {
    "columns called as those of a trace": ("own.csv", *OWN),
    "columns of a trace among others": ("own.jsonl", *MORE),
    "names as in JSON-LD": ("log.jsonl", LOG, ("@timestamp", "@version", "@type")),
    "no name that says what it is": ("log", LOG, ("@timestamp", "@version", "@type")),
    "a keyword of JSON-LD first": ("log.ndjson", KEYWORD, ("t", "who", "@type")),
}


@pytest.mark.parametrize(("name", "text", "columns"), TAKEN.values(), ids=TAKEN)
def test_a_mapping_counts_whatever_columns_are_called(tmp_path, name, text, columns):
    (tmp_path / name).write_text(text)
    time, subject, place = (f"{{{column}}}" for column in columns)
    found = mapped(tmp_path / name, (("t", time), ("s", f"ex:{subject}"), ("ex:in", f"ex:{place}")))
    assert [(row[0], row[4]) for row in found] == [(1, "<http://e/hall>"), (3, "<http://e/den>")]
    assert {row[2] for row in found} in ({"<http://e/ann>"}, {"<http://e/1>"})


@pytest.mark.parametrize(("name", "text"), [ROWS, ("a.nq", '<urn:s> <urn:p> <urn:o> "1" .\n')])
def test_a_mapping_that_no_table_has_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(LarsError, match=rf"{name}: no table has all columns that --column maps"):
        mapped(tmp_path / name)


def test_a_trace_beside_a_mapped_table_is_read_as_it_is(tmp_path):
    (tmp_path / "own.csv").write_text(ROWS[1])
    (tmp_path / "bikes.csv").write_text("time,bike,station,load\n1,b,s,5\n")
    paths = [tmp_path / "own.csv", tmp_path / "bikes.csv"]
    found = read_trace_in_process(paths, options(column=dict(BIKES), prefixes=PREFIXES))
    assert {row[2] for row in in_order(found)} == {"<http://e/x>", "<http://e/bike/b>"}


@pytest.mark.parametrize(
    ("template", "term"),
    [(r'"a\"\u0062{v}"', r'"a\"b1"'), (r'"\n{v}"@de', r'"\n1"@de'), ('"a "b" {v}"', r'"a \"b\" 1"')],
)
def test_an_escape_in_a_template_is_a_character(tmp_path, template, term):
    (tmp_path / "t.csv").write_text("time,v\n3,1\n")
    (row,) = mapped(tmp_path / "t.csv", (("t", "{time}"), ("s", "ex:s"), ("a", template)))
    assert row[-1] == term


@pytest.mark.parametrize("text", ["time;a\r1;x,,,\r2;y,,,\r", '\n"a\n,b";time;a\n,;1;x\n'])
def test_only_the_header_shows_what_separates_cells(tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text.encode())
    found = mapped(tmp_path / "t.csv", (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{a}")))
    assert [row[-1] for row in found] in (['"x,,,"', '"y,,,"'], ['"x"'])


def test_blank_lines_before_the_header_hide_no_semicolons(tmp_path):
    (tmp_path / "t.csv").write_text("\n\ntime;v\n3;a,b\n")
    (row,) = mapped(tmp_path / "t.csv", (("t", "{time}"), ("s", "ex:s"), ("a", "{v}")))
    assert row[-1] == '"a,b"'


SKIPPED = {
    "a.csv": (
        b"time,room,n\n1,r1,1\n2,r2\n\n3,r3,3,3\n4,r\xfc,4\nno,r5,5\n6,r6,6\n",
        ["3:1: found 2 fields", "5:1: found 4 fields", "6:1: found bytes that", "7:1: 'no' is not"],
        ["2,r2", "3,r3,3,3", "4,r\\xfc,4", "no,r5,5"],
    ),
    "a.ndjson": (
        b"\n".join(
            (
                b'{"time":"1","room":"r1"}',
                b'{"time":"2",',
                b"",
                b'{"time":"3","room":"\xfc"}',
                b"7",
                b'{"time":"no","room":"r5"}',
                b'{"time":"6","room":"r6"}',
            )
        ),
        [
            "2:13: no JSON",
            "4:21: found bytes that are not valid UTF-8; expected",
            "5:1: found '7'",
            "6:1: 'no' is not",
        ],
        ['{"time":"2",', '{"time":"3","room":"\\xfc"}', "7", '{"time":"no","room":"r5"}'],
    ),
}


@pytest.mark.parametrize("name", SKIPPED)
@pytest.mark.parametrize("arrival", [None, "time"])
def test_lines_that_prevent_a_mapping_are_skipped_one_by_one(tmp_path, name, arrival):
    data, problems, texts = SKIPPED[name]
    path, side = tmp_path / name, tmp_path / "side"
    path.write_bytes(data)
    how = options(
        column={"t": "{time}", "s": "<urn:{row}>", "<urn:at>": "{room}"},
        on_error="skip",
        rejected=side,
        arrival=arrival,
    )
    with pytest.warns(TraceWarning, match="skipped 4 invalid lines"):
        found = as_they_came(prepare([path], how), how)
    [atoms] = found.atoms.values()
    subjects = found.terms.arrow(atoms.columns[0]).to_pylist()
    # The skipped rows count in the numbers of rows.
    assert (atoms.t.tolist(), subjects) == ([1, 6], ["<urn:1>", "<urn:6>"])
    comments = side.read_text().splitlines()[1::2]
    for comment, problem in zip(comments, problems, strict=True):
        assert comment.startswith(f"# {path}:{problem}")
    assert side.read_text().splitlines()[2::2] == texts
    with pytest.raises(PlacedError):
        prepare([path], replace(how, on_error="stop", rejected=None))


def test_a_row_with_several_faults_is_skipped_once_also_with_times_of_arrival(tmp_path):
    path, side = tmp_path / "a.csv", tmp_path / "side"
    path.write_text("time,link,came\n1,urn:a,2\n2,no iri,no\nno,no iri,4\nno,urn:d,no\n5,urn:e,6\n")
    column = {"t": "{time}", "s": "<urn:s>", "<urn:n>": "{came}", "<urn:link>": "<{link}>"}
    how = options(column=column, on_error="skip", rejected=side, arrival="came")
    with pytest.warns(TraceWarning, match="skipped 3 invalid lines"):
        [atoms] = as_they_came(prepare([path], how), how).atoms.values()
    assert (atoms.t.tolist(), atoms.since.tolist()) == ([1, 1, 5, 5], [2, 2, 6, 6])
    assert side.read_text().splitlines()[2::2] == ["2,no iri,no", "no,no iri,4", "no,urn:d,no"]


def test_skipped_lines_of_json_with_the_columns_of_a_trace_have_their_places(tmp_path):
    rows = (
        '{"t":1,"s":"urn:a","p":"urn:p","o":"urn:o"}',
        "{",
        '{"t":-1,"s":"urn:a","p":"urn:p","o":"urn:o"}',
    )
    (tmp_path / "a.ndjson").write_text("\n".join((*rows, rows[0])))
    how = options(on_error="skip", rejected=tmp_path / "side")
    assert len(read_trace_in_process([tmp_path / "a.ndjson"], how)) == 2
    kept = (tmp_path / "side").read_text().splitlines()
    assert [line.split(":")[1] for line in kept[1::2]] == ["2", "3"]
    assert kept[2::2] == [*rows[1:]]


REJECTED = {
    "an object that is no IRI": ("a,1,urn:x\nb,2,no iri\nc,3,urn:z\n", ["3:b,2,no iri"]),
    "a row of several lines": ('a,1,urn:x\n"b\nc",no,urn:y\nc,3,urn:z\n', ['3:"b\nc",no,urn:y']),
    "text behind a quote": ('"a"x,1,urn:x\n\nb,no,urn:y\nc,3,urn:z\n', ["4:b,no,urn:y"]),
    "CR without LF": ("a,1,urn:x\rb,2,urn:y\nc,no,urn:y\n", ["3:c,no,urn:y"]),
    "CR and a missing cell": ("a,1,urn:x\rb,2,urn:y\nc,3\n", ["3:c,3"]),
    "invalid bytes": ("a,1,urn:x\n\udcff,2,urn:y\nc,3,urn:z\n", ["3:\\xff,2,urn:y"]),
}


@pytest.mark.parametrize("case", REJECTED)
def test_the_rejected_row_is_the_whole_row_of_the_fault(tmp_path, case):
    rows, wanted = REJECTED[case]
    path, side = tmp_path / "a.csv", tmp_path / "side"
    # The first column has a byte order mark.
    path.write_bytes(f"\ufeffroom,time,link\n{rows}".encode("utf-8", "surrogateescape"))
    mapping = (("t", "{time}"), ("s", "<urn:s>"), ("<urn:at>", "{room}"), ("<urn:link>", "<{link}>"))
    assert len(mapped(path, mapping, on_error="skip", rejected=side)) == 4
    kept = [one.rstrip("\n").partition("\n") for one in side.read_text().split("\n# ")[1:]]
    assert [f"{comment.split(':')[1]}:{text}" for comment, _, text in kept] == wanted


@pytest.mark.parametrize("cell", ['"x"y', '5" pipe', '5"', 'a"b"c', '"x, ""y"""'])
@pytest.mark.parametrize("end", ["4,z\n", "4,z", "", '4,z"\n5,"z\n'])
def test_an_open_quote_is_found_whatever_other_quotes_a_table_has(tmp_path, cell, end):
    (tmp_path / "a.csv").write_text(f'time,a\n1,{cell}\n2,z\n3,"open\n{end}')
    line = 6 if end.count('"') else 4
    with pytest.raises(PlacedError, match=rf"a\.csv:{line}:1: found an opening quote"):
        mapped(tmp_path / "a.csv", (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{a}")))


def test_the_number_of_a_row_is_an_integer(tmp_path):
    (tmp_path / "a.csv").write_text("time,a\n1,x\n2,y\n")
    found = mapped(tmp_path / "a.csv", (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{row}")))
    assert [row[-1] for row in found] == [f'"{n}"^^<{XSD.integer}>' for n in (1, 2)]


SPREAD = {
    "two objects on a line": '{"time":1,"a":"x"} {"time":2,"a":"y"}\n{"time":"no","a":"z"}\n',
    "an object of two lines": '{"time":1,\n"a":"x"}\n{"time":"no","a":"z"}\n',
}


@pytest.mark.parametrize("case", SPREAD)
def test_the_rejected_row_of_json_is_the_row_of_the_fault(tmp_path, case):
    path, side = tmp_path / "a.ndjson", tmp_path / "side"
    path.write_text(SPREAD[case])
    mapped(path, (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{a}")), on_error="skip", rejected=side)
    assert side.read_text().splitlines()[2:] == ['{"time":"no","a":"z"}']


ODD = {
    "a column twice": '{"time":2,"a":"y","a":"z"}',
    "a large number": '{"time":2,"a":"y","b":1e999}',
    "half a pair": '{"time":2,"a":"\\ud800"}',
}


@pytest.mark.parametrize("case", ODD)
def test_a_line_of_json_that_no_table_can_contain_is_skipped(tmp_path, case):
    path, side = tmp_path / "a.ndjson", tmp_path / "side"
    path.write_text(f'{{"time":1,"a":"x"}}\n{ODD[case]}\n{{"time":3,"a":"z"}}\n')
    mapping = (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{a}"))
    found = mapped(path, mapping, on_error="skip", rejected=side)
    assert [row[-1] for row in found] == ['"x"', '"z"']
    assert side.read_text().splitlines()[2:] == [ODD[case]]


@pytest.mark.parametrize("broken", ['2,"r2,2\n3,r3,3\n', '2,"r2,2\n3,r3",3,3\n'])
def test_a_row_that_may_contain_other_lines_is_not_skipped(tmp_path, broken):
    path = tmp_path / "a.csv"
    path.write_text(f"time,room,n\n1,r1,1\n{broken}4,r4,4\n")
    column = {"t": "{time}", "s": "<urn:{row}>", "<urn:at>": "{room}"}
    with pytest.raises(
        PlacedError, match=r"a\.csv:3:1: .* skip does not skip a row with a quote over several"
    ):
        prepare([path], options(column=column, on_error="skip", rejected=tmp_path / "side"))


BYTES = pa.StringArray.from_buffers(3, *pa.array([b"x", b"\xff", b"z"]).buffers()[1:])
CATEGORIES = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), BYTES.cast(pa.binary()))
JSON = '{{"t":1,"a":"x"}}\n{{"t":2,"a":{}}}\n{{"t":3,"a":"z"}}\n'
NO_CELLS = {
    "bytes": ("a.parquet", BYTES, "2:10: the column a has bytes that are not valid UTF-8"),
    "bytes of categories": ("a.parquet", CATEGORIES, "2:10: the column a has bytes that are not"),
    "bytes of Arrow": ("a.arrow", BYTES, "2:10: the column a has bytes that are not valid UTF-8"),
    "list": ("a.ndjson", '["y"]', "2:1: the column a has a list or an object; expected a text, a number"),
    "object": ("a.ndjson", '{"b": 1}', "2:1: the column a has a list or an object; expected a text"),
}


@pytest.mark.parametrize("case", NO_CELLS)
def test_a_cell_that_no_term_can_contain_is_named_with_its_row_or_skipped(tmp_path, case):
    name, cell, said = NO_CELLS[case]
    path, side = tmp_path / name, tmp_path / "side"
    if isinstance(cell, str):
        path.write_text(JSON.format(cell))
    elif name == "a.arrow":
        table = pa.table({"t": [1, 2, 3], "a": cell})
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        pq.write_table(pa.table({"t": [1, 2, 3], "a": cell}), path)
    mapping = (("t", "{t}"), ("s", "<urn:{row}>"), ("<urn:p>", "{a}"))
    with pytest.raises(PlacedError) as error:
        mapped(path, mapping)
    assert str(error.value).startswith(f"{path}:{said}")
    found = mapped(path, mapping, on_error="skip", rejected=side)
    assert [row[2] for row in found] == ["<urn:1>", "<urn:3>"]
    assert side.read_text().splitlines()[1].startswith(f"# {path}:{said}")


def test_lists_of_a_column_of_json_without_other_values_are_skipped_beside_other_faults(tmp_path):
    path, side = tmp_path / "a.ndjson", tmp_path / "side"
    lines = ['{"t":1,"a":"x"}', "{", '{"t":3,"a":"x","b":[1]}', '{"t":4,"a":[2],"b":[1]}', '{"t":5,"a":"z"}']
    path.write_text("\n".join(lines))
    mapping = (("t", "{t}"), ("s", "<urn:{row}>"), ("<urn:p>", "{a}"), ("<urn:q>", "{b}"))
    found = mapped(path, mapping, on_error="skip", rejected=side)
    assert [row[2] for row in found] == ["<urn:1>", "<urn:5>"]
    assert side.read_text().splitlines()[2::2] == lines[1:4]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_the_rejected_row_of_typed_values_is_the_whole_row(tmp_path, suffix):
    path, side = tmp_path / f"a.{suffix}", tmp_path / "side"
    table = pa.table({"a": ["x", "é"], "time": ["1", "no"], "n": [1.5, None], "all": [[NOON], []]})
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    mapped(path, (("t", "{time}"), ("s", "<urn:s>"), ("<urn:p>", "{a}")), on_error="skip", rejected=side)
    kept = side.read_text().splitlines()
    assert kept[1].startswith(f"# {path}:2:12: 'no' is not a time")
    assert kept[2:] == ['{"a": "é", "time": "no", "n": null, "all": []}']


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.ndjson", '{"t":1,"a":-9}\n{"t":2,"a":"NA"}\n{"t":3,"a":5}\n'), ("a.csv", "t,a\n1,-9\n2,NA\n3,5\n")],
)
def test_a_word_for_a_missing_value_is_no_value_also_between_numbers(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    mapping = (("t", "{t}"), ("s", "<urn:s>"), ("<urn:p>", "{a}"))
    assert [row[0] for row in mapped(tmp_path / name, mapping, null=("NA", "-9"))] == [3]


def test_a_number_for_a_missing_value_is_no_value_in_a_column_of_numbers(tmp_path):
    pq.write_table(pa.table({"t": [1, 2], "a": [-9, 5]}), tmp_path / "a.parquet")
    found = mapped(tmp_path / "a.parquet", (("t", "{t}"), ("s", "<urn:s>"), ("<urn:p>", "{a}")), null=("-9",))
    assert [row[0] for row in found] == [2]


@pytest.mark.parametrize("name", ["a.csv", "a.ndjson"])
def test_a_table_without_a_byte_has_no_rows_if_the_trace_has_an_end(tmp_path, name):
    (tmp_path / name).write_text("")
    (tmp_path / "b.csv").write_text("t,a\n1,x\n")
    column = {"t": "{t}", "s": "<urn:s>", "<urn:p>": "{a}"}
    how = options(column=column, null=("-",), ends=True)
    assert as_they_came(prepare([tmp_path / name], how), how).atoms == {}
    assert len(read_trace_in_process([tmp_path / name, tmp_path / "b.csv"], how)) == 1
