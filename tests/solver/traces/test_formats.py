"""Traces: every format, both ways of reading."""

import csv
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars.durations import read_duration
from lars.language.terms import XSD, Literal
from solver.settings import TraceWarning
from solver.traces import MalformedPart, prepare, read_time, show, trace
from tests.benches import GREENHOUSE
from tests.solver.traces.both_readings import fact_of_row, read_trace_in_process
from tests.solver.traces.writing import (
    PROV,
    SECONDS,
    both,
    in_order,
    message,
    options,
    read_on_spark,
    table,
    written,
)

HOSTILE = [
    'say "hi"',
    "back\\slash \\n \\u0041",
    "two\nlines\r\n and\ttab",
    "#script (python)\nimport os #end.",
    "@f()",
    "\x00\x01\x7f",
    "😀 e\u0301 \u2028 \ufeff",
    "a,b;c'd",
    ". # <urn:x>",
    "x" * 2**20,
]
ROWS = [
    (1, "<urn:st>", "<urn:s>", "<urn:p>", '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    (1, "<urn:st>", "<urn:s>", "<urn:p>", '"a"@en'),
    (3, "<urn:st>", "<urn:s>", "<urn:q>", "<urn:o>"),
]
TRIG = (
    PROV
    + ":g2 prov:generatedAtTime 3 . :g1 { :s :p 01, 'a'@EN } :g2 { :s :q :o } :g1 prov:generatedAtTime '1' ."
)
LINES = (
    '# a comment\n\n<urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:st> "1" .\r\n'
    '<urn:s><urn:p> "a"@EN <urn:st> "1"^^<http://www.w3.org/2001/XMLSchema#long> . # so\n'
    "<urn:s> <urn:p> <urn:o> <urn:st> '3'\n".replace("'", '"').replace("<urn:p> <urn:o>", "<urn:q> <urn:o>")
)
CSV = (
    "o,t,stream,p,s\n"
    '"""01""^^<http://www.w3.org/2001/XMLSchema#integer>",1,urn:st,<urn:p>,urn:s\r\n'
    '"""a""@EN",1,<urn:st>,urn:p,urn:s\nurn:o,3,urn:st,urn:q,urn:s\n'
)


@pytest.mark.parametrize(
    "files",
    [
        {"a.trig": TRIG},
        {"a.nq": LINES},
        {"a.csv": CSV},
        {"a": TRIG},
        {"b": LINES},
        {"c": CSV},
        {"a b%20[1]{2}#?ü,=.nq": LINES},
        {"a.nq": "\ufeff" + LINES},
        {
            "d/data_01.ttl": "PREFIX : <urn:> :s :p 01, 'a'@EN .",
            "d/data_3.ttl": "PREFIX : <urn:> :s :q :o .",
        },
    ],
    ids=lambda files: next(iter(files)),
)
def test_every_format_gives_the_same_rows_in_both_ways(spark, tmp_path, files):
    assert both(spark, written(tmp_path, files), options(query_streams=("urn:st",))) == ROWS


@pytest.mark.parametrize("times", [pa.int64(), pa.int16(), pa.string()])
def test_parquet_gives_the_same_rows_in_both_ways(spark, tmp_path, times):
    text = times == pa.string()
    rows = [((str(row[0]) if text else row[0]), *row[1:]) for row in ROWS]
    assert both(spark, [table(tmp_path / "a.parquet", rows, times)]) == ROWS


@pytest.mark.parametrize("zone", [None, "UTC", "Mars/Olympus"])
def test_parquet_timestamps_count_from_the_origin(spark, tmp_path, zone):
    rows = [(row[0] * 10**6, *row[1:]) for row in ROWS]
    path = table(tmp_path / "a.parquet", rows, pa.timestamp("us", zone))
    origin = datetime(1970, 1, 1, tzinfo=UTC if zone else None)
    assert both(spark, [path], options(origin=origin)) == ROWS
    assert [row[0] for row in both(spark, [path])] == [1, 1, 3]


def test_a_folder_of_parquet_files_is_read_in_the_order_of_names(spark, tmp_path):
    table(tmp_path / "part-1.parquet", ROWS[2:])
    table(tmp_path / "part-0.parquet", ROWS[:2])
    assert both(spark, [tmp_path]) == ROWS


def test_numbers_in_the_names_of_parquet_files_are_in_the_order_of_numbers(tmp_path):
    names = ("part.2.parquet", "part.10.parquet", "part.10-b2.parquet", "part.10-b10.parquet")
    for number, name in enumerate(names):
        table(tmp_path / name, [(1, None, "<urn:s>", "<urn:p>", f"<urn:o{number}>")])
    rows = in_order(read_trace_in_process([tmp_path], SECONDS))
    assert [row[4] for row in rows] == ["<urn:o0>", "<urn:o1>", "<urn:o2>", "<urn:o3>"]


MANY = "".join(f'<urn:s{i}> <urn:p> _:b <urn:st> "{i // 7}" .\n' for i in range(7, 406))


@pytest.fixture
def small_parts(spark, monkeypatch):
    """Spark, cutting files every few lines or rows."""
    for name in ("_LEAST", "_MOST"):
        monkeypatch.setattr(trace, name, 25)
    return spark


def test_a_line_file_in_many_parts_keeps_its_order(small_parts, tmp_path):
    paths = written(tmp_path, {"a.nq": MANY, "b.nq": MANY.replace("urn:st", "urn:t")})
    assert len(trace.file_parts(prepare(paths, SECONDS), 4)) > 7
    assert [row[2] for row in both(small_parts, paths)] == [f"<urn:s{i}>" for i in range(7, 406)] * 2


def test_a_table_in_parts_that_cut_its_row_groups_keeps_its_order(small_parts, tmp_path):
    rows = [(i // 7, "<urn:st>", f"<urn:s{i}>", "<urn:p>", '"a"') for i in range(400)]
    path = table(tmp_path / "a.parquet", rows)
    pq.write_table(pq.read_table(path), path, row_group_size=130)
    assert len(trace.file_parts(prepare([path], SECONDS), 4)) == 12
    assert both(small_parts, [path]) == rows


def _kept(context) -> set[int]:
    # By number: those that other tests have forgotten may go at any time, when Java collects its garbage.
    return set(context._jsc.getPersistentRDDs())


def test_a_fault_in_the_second_of_two_files_is_placed_and_nothing_is_kept(small_parts, tmp_path):
    """Files share a task or have several; what was read of a trace that is refused is forgotten."""
    kept = _kept(small_parts)
    for lines in (3, 400):
        good = "".join(f'<urn:s{i}> <urn:p> _:b <urn:st> "{i}" .\n' for i in range(lines))
        paths = written(tmp_path, {"a.nq": good, "b.nq": good.replace("urn:st", "urn:t") + "oops\n"})
        found = message(lambda paths=paths: read_on_spark(small_parts, paths))
        assert f"b.nq:{lines + 1}:1: " in found
        assert found == message(lambda paths=paths: read_trace_in_process(paths, SECONDS))
    assert _kept(small_parts) <= kept


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("<urn:s> <urn:p> oops", "a.nq:400:17: "),
        ('<urn:s> <urn:p> <urn:o> <urn:st> "2" .', "a.nq:400:1: the time 2 comes after the later time 57"),
    ],
)
def test_a_fault_in_the_last_part_is_placed(small_parts, tmp_path, end, expected):
    paths = written(tmp_path, {"a.nq": MANY + end})
    found = message(lambda: read_on_spark(small_parts, paths, SECONDS))
    assert found.startswith(f"{tmp_path}/{expected}")
    assert found == message(lambda: read_trace_in_process(paths, SECONDS))


@pytest.mark.parametrize("form", ["lines", "csv", "parquet", "trig", "turtle"])
def test_hostile_texts_pass_unharmed(spark, tmp_path, form):
    texts = [str(Literal(text)) for text in HOSTILE] + [str(Literal(HOSTILE[3], XSD + "date"))]
    rows = [(5, "<urn:st>", "<urn:s>", "<urn:p>", text) for text in texts]
    if form == "parquet":
        paths = [table(tmp_path / "a.parquet", rows)]
    else:
        paths = written(tmp_path, hostile_file(form, texts))
    assert both(spark, paths, options(query_streams=("urn:st",))) == rows


def hostile_file(form, texts):
    match form:
        case "lines":
            return {"a.nt": "".join(f'<urn:s> <urn:p> {text} "5" .\n' for text in texts)}
        case "csv":
            fields = (text.replace('"', '""') for text in texts)
            return {"a.csv": "t,s,p,o\n" + "".join(f'5,urn:s,urn:p,"{field}"\n' for field in fields)}
        case "turtle":
            return {"d/data_05.ttl": f"<urn:s> <urn:p> {','.join(texts)} ."}
        case _:
            return {"a.trig": f"{PROV} :g {{ :s :p {','.join(texts)} }} :g prov:generatedAtTime 5 ."}


def test_a_file_for_each_second_is_read_the_same_in_both_ways(spark):
    with pytest.warns(TraceWarning):
        rows = both(spark, [GREENHOUSE.stream])
    assert {row[0] for row in rows} == set(range(GREENHOUSE.last + 1))
    values = {row[4] for row in rows if row[3].endswith("value>")}
    assert values
    assert all(value.endswith("XMLSchema#double>") for value in values)


@pytest.mark.parametrize(
    "line",
    [
        '<urn:s> <urn:p> 54^^<http://www.w3.org/2001/XMLSchema#double> "2000" .',
        "<urn:s> <urn:p> 54^^http://www.w3.org/2001/XMLSchema#double <2000> .",
        '<urn:s> <urn:p> "54"^^<http://www.w3.org/2001/XMLSchema#double> 2000 .',
        '<urn:s> <urn:p> "54"^^<http://www.w3.org/2001/XMLSchema#double> <2000>',
    ],
)
def test_the_spelling_of_yabench_counts_milliseconds(spark, tmp_path, line):
    paths = written(tmp_path, {"a.nt": f'<urn:s> <urn:p> <urn:o> "1000" .\n{line}\n'})
    double = '"54"^^<http://www.w3.org/2001/XMLSchema#double>'
    assert both(spark, paths)[1] == (2, None, "<urn:s>", "<urn:p>", double)
    assert both(spark, paths, options(trace_unit=read_duration("1s")))[1][0] == 2000


@pytest.mark.parametrize(
    ("bare", "expected"),
    [("5", "integer"), ("-5.0", "decimal"), ("5e1", "double"), ("true", "boolean"), ("hot", None)],
)
def test_literals_without_quotes_are_read_as_in_turtle(tmp_path, bare, expected):
    paths = written(tmp_path, {"a.nt": f'<urn:s> <urn:p> {bare} "1" .'})
    found = read_trace_in_process(paths, options(trace_unit=read_duration("1s")))[0][4][2]
    assert found == str(Literal(bare, XSD + (expected or "string")))


@pytest.mark.parametrize("line", ['<urn:s> <urn:p> 54 "2000" .', '<urn:s> <urn:p> -5.5e1 "2000" .'])
def test_numbers_without_quotes_beside_quoted_times_are_no_spelling_of_yabench(spark, tmp_path, line):
    paths = written(tmp_path, {"a.nt": f'<urn:s> <urn:p> <urn:o> "1000" .\n{line}\n'})
    assert [row[0] for row in both(spark, paths)] == [1000, 2000]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [(None, [1, 2, 3]), (datetime(2024, 5, 1, 11, 59, 50, tzinfo=UTC), [10, 11, 12])],
)
def test_date_times_count_from_the_origin(spark, tmp_path, origin, expected):
    times = ["12:00:00Z", "14:00:01+02:00", "12:00:02.000Z"]
    text = "".join(f'<urn:s> <urn:p> <urn:o> "2024-05-01T{time}"^^<{XSD}dateTime> .\n' for time in times)
    paths = written(tmp_path, {"a.nt": text})
    assert [row[0] for row in both(spark, paths, options(origin=origin))] == expected


def test_a_label_is_one_blank_node_in_a_file_and_another_in_the_next(spark, tmp_path):
    graphs = ":g1 { _:a :p _:b } :g2 { _:a :p [] } :g1 prov:generatedAtTime 1 . :g2 prov:generatedAtTime 2 ."
    lines = '_:a <urn:p> "1" "1" .\n_:a <urn:p> "2" "1" .\n_:a <urn:p> <urn:o> <urn:t> "3" .\n'
    table = "t,s,p,o\n1,_:a,urn:p,_:b\n2,_:b,urn:p,_:a\n"
    rows = both(
        spark, written(tmp_path, {"a.trig": PROV + graphs, "b.nq": lines, "c.csv": table, "d.nq": lines})
    )
    subjects = sorted(row[2] for row in rows)
    assert sorted(map(subjects.count, set(subjects))) == [1, 1, 2, 3, 3]
    assert len({term for row in rows for term in (row[2], row[4]) if term.startswith("_:")}) == 7


def test_elements_have_blank_nodes_of_their_own(spark, tmp_path):
    text = PROV + ":g1 { _:a :p _:b . _:b :p _:a } :g2 { _:a :p [] } :g1 prov:generatedAtTime 1 ."
    paths = written(tmp_path, {"a.trig": text + ":g2 prov:generatedAtTime 1 ."})
    rows = both(spark, paths, options(blank_nodes="element"))
    assert rows[0][2] == rows[1][4] != rows[0][4] == rows[1][2]
    assert rows[2][2] not in (rows[0][2], rows[1][2])
    assert len({term for row in rows for term in (row[2], row[4])}) == 4


def test_equal_elements_share_their_blank_nodes_and_others_do_not(spark, tmp_path):
    lines = [
        '_:a <urn:p> _:b "1" .',
        '_:a <urn:p> _:c "1" .',
        '_:a <urn:p> _:b "1" .',
        '_:a <urn:p> _:b "2" .',
    ]
    paths = written(tmp_path, {"a.nt": "\n".join(lines), "b.nt": lines[3]})
    rows = both(spark, paths, options(blank_nodes="element"))
    assert rows[0] == rows[2]
    assert len(set(rows)) == 4


def test_sorting_is_stable_and_gives_a_new_arrival_order(spark, tmp_path):
    text = "".join(f'<urn:s> <urn:p> "{i}" "{t}" .\n' for i, t in enumerate([3, 1, 3, 1, 2]))
    given = options(sort=True)
    paths = written(tmp_path, {"a.nt": text})
    ours = [(row[0], row[4][2]) for row in read_trace_in_process(paths, given)]
    assert ours == [(1, '"1"'), (1, '"3"'), (2, '"4"'), (3, '"0"'), (3, '"2"')]
    assert [(fact.t, fact.arguments[2]) for fact in read_on_spark(spark, paths, given)[0]] == ours


def test_streams_may_each_have_their_own_time(spark, tmp_path):
    text = '<urn:s> <urn:p> <urn:o> <urn:a> "5" .\n<urn:s> <urn:p> <urn:o> <urn:b> "2" .\n'
    assert [row[0] for row in both(spark, written(tmp_path, {"a.nq": text}))] == [5, 2]


def test_skipped_lines_are_counted_and_kept(spark, tmp_path):
    paths = written(tmp_path, {"a.nt": b'<urn:s> <urn:p> <urn:o> "1" .\noops\n\xff <a>\n<urn:s> "5" .\n'})
    side = tmp_path / "bad.txt"
    given = options(on_error="skip", rejected=side)
    with pytest.warns(TraceWarning, match=f"skipped 3 invalid lines or elements and wrote them to {side}"):
        assert len(read_trace_in_process(paths, given)) == 1
    kept = side.read_text()
    assert kept.splitlines()[2::2] == ["oops", "\\xff <a>", '<urn:s> "5" .']
    with pytest.warns(TraceWarning, match="skipped 3 invalid lines"):
        assert len(read_on_spark(spark, paths, given)[0]) == 1
    assert side.read_text() == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nt", "bad.txt"]


def test_the_places_of_skipped_lines_count_from_the_beginning_of_their_file(small_parts, tmp_path):
    lines = MANY.splitlines()
    for number in (100, 300):
        lines[number] = f"bad {number}"
    # Rows without a cell are skipped before the table is converted.
    # A part of the table would begin at the second triple of row 66, which would count twice.
    rows = [f"{'no' if t in (40, 66, 120) else t},r{t},urn:{t}\n" for t in range(1, 131)]
    rows[19] = "20,r20\n"
    # The other triple of this row is skipped with it.
    rows[89] = "90,r90,no iri\n"
    paths = written(tmp_path, {"a.nq": "\n".join(lines), "b.csv": f"time,room,n\n{''.join(rows)}"})
    own = {"t": "{time}", "s": "<urn:row{row}>", "<urn:at>": "{room}", "<urn:n>": "<{n}>"}
    side = tmp_path / "side"
    given = options(on_error="skip", rejected=side, column=own)
    assert len(trace.file_parts(prepare(paths, given), 4)) > 7
    warned = pytest.warns(TraceWarning, match="skipped 7 invalid lines or elements and wrote them")
    with warned:
        read = read_trace_in_process(paths, given)
    kept = side.read_text()
    with warned:
        facts, _ = read_on_spark(small_parts, paths, given)
    assert side.read_text() == kept
    assert facts == [fact_of_row(row) for row in read]
    assert not any("<urn:row90>" in row[4] for row in read)
    comments = [comment.removeprefix(f"# {tmp_path}/")[:8] for comment in kept.splitlines()[1::2]]
    assert comments == [
        "b.csv:21",
        "a.nq:101",
        "a.nq:301",
        *(f"b.csv:{t + 1}"[:8] for t in (40, 66, 90, 120)),
    ]
    broken = [rows[t - 1].rstrip("\n") for t in (40, 66, 90, 120)]
    texts = ["20,r20", "bad 100", "bad 300", *broken]
    assert kept.splitlines()[2::2] == texts


@pytest.mark.parametrize("obj", ['"a"', '"01"^^<urn:d>', "<urn:o>", f'"a"^^<{XSD}string>'])
@pytest.mark.parametrize("stream", ["", "<urn:st> "])
def test_the_usual_line_is_read_as_any_other(tmp_path, obj, stream):
    usual = f'<urn:s> <urn:p> {obj} {stream}"7" .'
    [path] = written(tmp_path, {"a.nt": f"{usual}\n {usual}"})
    rows = read_trace_in_process([path], SECONDS)
    assert rows[0][3:] == rows[1][3:]
    assert rows[0][0] == rows[1][0] == 7


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("quoted", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("index", [[], [""]])
def test_csv_in_each_dialect_is_the_same(tmp_path, delimiter, quoted, index):
    path = tmp_path / "a.csv"
    cells = [1, "", "urn:a", "urn:p", '"x;y,z\tw"'], [2, "urn:s", "urn:b", "urn:p", 5]
    with path.open("w", newline="") as file:
        rows = (index + row for row in (["t", "stream", "s", "p", "o"], *cells))
        csv.writer(file, delimiter=delimiter, quoting=quoted).writerows(rows)
    found = [(row[0], row[4][3], row[4][2]) for row in read_trace_in_process([path], SECONDS)]
    assert found == [(1, "null", '"x;y,z\\tw"'), (2, "<urn:s>", f'"5"^^<{XSD}integer>')]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1999-12-31T24:00:00Z", "2000-01-01T00:00:00Z"),
        ("2000-02-28T24:00:00.000-14:00", "2000-02-29T00:00:00-14:00"),
        ("2000-01-01T00:00:00+14:00", "2000-01-01T00:00:00+14:00"),
    ],
)
def test_hour_24_and_the_last_zones_are_dates(text, expected):
    assert show(read_time(text)) == expected


@pytest.mark.parametrize("text", ["2000-01-01T24:00:01Z", "2000-01-01T24:00:00.5Z", "2000-01-01T25:00:00Z"])
def test_no_other_hour_24_is_a_date(text):
    # Of hour 24, the reason is not Python's: Python 3.14 accepts it.
    reason = r"0\.\.23, or the time 24:00:00;" if "T24" in text else "0..23"
    with pytest.raises(MalformedPart, match=f"is not a dateTime: hour must be in {reason}"):
        read_time(text)


EMPTY = {
    "numbered": {
        "d/data_01.ttl": "<urn:s> <urn:p> 1 .",
        "d/data_02.ttl": "",
        "d/data_04.ttl": " # nothing\n",
    },
    "graphs": {
        "a.trig": PROV + ":a prov:generatedAtTime 1 . :b prov:generatedAtTime 2 . :c prov:generatedAtTime 4 ."
        ":a { :s :p 1 } :b { } :c { }"
    },
    "graphs before graphs": {
        "a.trig": PROV + ":b prov:generatedAtTime 2 . :b {} :c prov:generatedAtTime 4 . :c { :s :p 1 }"
    },
    "JSON-LD": {
        "a.jsonld": '{"@context": {"t": "http://www.w3.org/ns/prov#generatedAtTime"}, "@graph": ['
        '{"@id": "urn:a", "t": 2, "@graph": []}, '
        '{"@id": "urn:b", "t": 4, "@graph": [{"@id": "x:a", "x:b": 1}]}]}'
    },
}


@pytest.mark.parametrize("files", EMPTY.values(), ids=EMPTY)
def test_an_element_without_a_triple_is_a_time(tmp_path, files):
    rows = read_trace_in_process(written(tmp_path, files), SECONDS)
    assert [row[0] for row in rows] in ([1, 2, 4], [2, 4])
    assert [row[0] for row in rows if row[3] is not None] in ([1], [4])
