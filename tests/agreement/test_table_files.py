"""`--out`: what is written, in each format, and what is left alone."""

import csv
import json
import resource

import pyarrow.parquet as pq
import pytest

from agreement.answering.solve.solving import AnswerRows
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.table_files import (
    DESCRIPTION,
    Column,
    OutTable,
    as_frame,
    check_folder,
    write_tables,
)
from agreement.documents.text_tables import in_markdown, latex_lines
from lars.durations import SECOND
from lars.errors import FailedRunError, LarsError
from lars.language.terms import Literal
from tests.agreement.command import lars

COLUMNS = (
    Column("t", int, "when"),
    Column("?x", str, "what", is_term=True),
    Column("ms", float, "f"),
    Column("ok", bool, "b"),
)
ROWS = [(1, '"a, \n"', 0.5, True), (2, None, None, None), (None, "ü", 1.0, False)]


def write(folder, kind, rows=ROWS):
    write_tables(folder, [OutTable("rows", COLUMNS, iter(rows))], kind=kind)
    return folder / f"rows.{kind}"


@pytest.mark.parametrize("rows", [ROWS, []])
def test_parquet_keeps_kinds_and_what_is_missing(tmp_path, rows):
    table = pq.read_table(write(tmp_path / "o", "parquet", rows))
    assert [str(field.type) for field in table.schema] == ["int64", "string", "double", "bool"]
    assert list(zip(*table.to_pydict().values(), strict=True)) == rows


def test_csv_and_json_lines_hold_the_same(tmp_path):
    expected = ("t,?x,ms,ok", '1,"""a, \n""",0.5,True', "2,,,", ",ü,1.0,False")
    assert write(tmp_path / "c", "csv").read_text(encoding="utf-8") == "\n".join((*expected, ""))
    lines = write(tmp_path / "j", "jsonl").read_text(encoding="utf-8").splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == ROWS


TERMS = [("<http://e/a#b>", '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'), (None, None)]
FORMS = {
    "n-triples": [*TERMS],
    "values": [("http://e/a#b", 7), (None, None)],
    "short": [("b", "7"), (None, None)],
}


@pytest.mark.parametrize("form", FORMS)
def test_terms_stand_in_the_form_that_is_asked_for(form, tmp_path):
    columns = tuple(Column(name, str, "a term", is_term=True) for name in ("?s", "?o"))
    for kind in ("jsonl", "csv", "parquet"):
        write_tables(tmp_path / kind, [OutTable("rows", columns, iter(TERMS))], NO_DATES, kind, form)
    lines = (tmp_path / "jsonl/rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == FORMS[form]
    table = pq.read_table(tmp_path / "parquet/rows.parquet")
    assert list(zip(*table.to_pydict().values(), strict=True)) == FORMS[form]
    with (tmp_path / "csv/rows.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert rows == [["" if one is None else str(one) for one in row] for row in FORMS[form]]


@pytest.mark.parametrize("form", ["values", "short"])
def test_no_cell_of_csv_is_a_formula_for_a_spreadsheet(form, tmp_path):
    texts = ['=HYPERLINK("http://e/")', "@x", "+a", "-1+2", "=1", "-5", "+1.5e3", "a=b"]
    terms = [(str(Literal(text)),) for text in texts]
    write_tables(
        tmp_path / "o", [OutTable("r", (Column("?o", str, "", is_term=True),), terms)], NO_DATES, "csv", form
    )
    with (tmp_path / "o/r.csv").open(encoding="utf-8", newline="") as file:
        _, *cells = csv.reader(file)
    assert [cell for (cell,) in cells][5:] == texts[5:]
    assert all(cell.startswith("'") for (cell,) in cells[:5])


def test_a_folder_of_an_earlier_run_is_replaced_as_a_whole(tmp_path):
    write(tmp_path / "o", "csv")
    write(tmp_path / "o", "parquet")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        ".set-of-tables.sha256",
        "columns.json",
        "rows.parquet",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


@pytest.mark.parametrize("foreign", ["rows.csv", "columns.json", "other/x"])
def test_files_of_others_are_left_alone(tmp_path, foreign):
    (tmp_path / "o" / foreign).parent.mkdir(parents=True)
    (tmp_path / "o" / foreign).write_text("mine")
    with pytest.raises(LarsError, match=rf"--out .*: cannot be replaced: {foreign} in it was not written by"):
        check_folder(tmp_path / "o")
    assert (tmp_path / "o" / foreign).read_text() == "mine"


def test_a_description_of_somebodys_own_data_gives_them_to_nobody(tmp_path):
    (tmp_path / "rows.csv").write_text("x\n1\n")
    (tmp_path / DESCRIPTION).write_text('{"rows.csv": {"x": "int: my column"}}')
    with pytest.raises(LarsError, match="in it was not written by lars"):
        write(tmp_path, "csv")
    assert (tmp_path / "rows.csv").read_text() == "x\n1\n"


@pytest.mark.parametrize("place", ["file", "none/o"])
def test_what_is_no_place_for_a_folder_is_refused(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(LarsError, match=r"--out .*; use an? "):
        check_folder(tmp_path / place)


def test_nothing_is_left_of_a_table_that_could_not_be_made(tmp_path):
    def rows():
        yield (1, "", 0.0, True)
        raise LarsError("no more")

    with pytest.raises(LarsError, match="no more"):
        write(tmp_path / "o", "csv", rows())
    assert list(tmp_path.iterdir()) == []


def test_tables_for_papers_are_for_readers(tmp_path):
    rows = [(8, "<http://e/x_1>", 0.5, True), (9, '"a|b & c"', None, None)]
    write_tables(tmp_path / "m", [OutTable("rows", COLUMNS, iter(rows))], kind="markdown")
    assert (tmp_path / "m" / "rows.md").read_text(encoding="utf-8") == (
        "| t | ?x | ms | ok |\n| ---: | --- | ---: | --- |\n"
        "| 8 | x\\_1 | 0.5 | yes |\n| 9 | a\\|b & c |  |  |\n"
    )
    write_tables(tmp_path / "l", [OutTable("rows", COLUMNS, iter(rows))], kind="latex")
    assert (tmp_path / "l" / "rows.tex").read_text(encoding="utf-8").splitlines()[2:6] == [
        r"t & ?x & ms & ok \\",
        r"\midrule",
        r"8 & x\_1 & 0.5 & yes \\",
        r"9 & a\textbar{}b \& c &  &  \\",
    ]


def test_a_time_between_two_time_points_is_a_date():
    columns = (Column("from", float, "when", is_time=True),)
    table = OutTable("rows", columns, [(0.5,), (None,), (3,)])
    frame = as_frame(table, dated=Dates("2026-05-04T08:00:00Z", SECOND))
    assert [str(each) for each in frame["from"]] == [
        "2026-05-04 08:00:00.500000+00:00",
        "NaT",
        "2026-05-04 08:00:03+00:00",
    ]


@pytest.mark.parametrize(("cell", "expected"), [("[0, 5]", "{}[0, 5]"), ("*", "{}*"), ("a", "a"), ("", "")])
def test_no_row_in_latex_is_read_as_the_argument_of_the_line_break_before_it(cell, expected):
    rows = [line for line in latex_lines([cell, "b"], [False] * 2, [[cell, "x"]]) if "&" in line]
    assert rows == [rf"{expected} & b \\", rf"{expected} & x \\"]


def test_markdown_shows_references_and_lines_through_a_text_as_they_are():
    assert in_markdown("a &lt; b ~~x~~") == r"a \&lt; b \~\~x\~\~"


@pytest.mark.parametrize(("kind", "file"), [("latex", "t.tex"), ("markdown", "t.md"), ("csv", "t.csv")])
def test_a_table_for_a_paper_has_names_in_words_and_no_variant_that_all_rows_share(tmp_path, kind, file):
    columns = (
        Column("variant", str, "v"),
        Column("push_only", int, "n"),
        Column("?a_b", str, "x", is_term=True),
    )
    for name, variants in (("one", ("given", "given")), ("two", ("brave", "cautious"))):
        rows = [(variant, 1, None) for variant in variants]
        write_tables(tmp_path / name, [OutTable("t", columns, rows)], kind=kind)
        text = (tmp_path / name / file).read_text()
        assert ("push only" in text, "variant" in text) == (kind != "csv", kind == "csv" or name == "two")
        assert "a_b" in text.replace("\\", "")
        described = json.loads((tmp_path / name / DESCRIPTION).read_text())[file]
        assert ("push only" in described) == (kind != "csv")


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_is_one_message_and_leaves_the_folder_as_it_was(tmp_path, kind, is_there):
    """Arrow tells its own story before that of the system."""
    if is_there:
        write(tmp_path / "o", kind)
    before = {
        path.relative_to(tmp_path): path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")
    }
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(FailedRunError) as raised:
            write(tmp_path / "o", kind, ((t, f'"{t * t}"', t / 7, True) for t in range(20_000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(raised.value) == f"{tmp_path / 'o'}: cannot be written: File too large"
    after = {path.relative_to(tmp_path): path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    assert after == before


@pytest.mark.parametrize("kind", ["parquet", "csv", "markdown"])
def test_answers_for_tables_alone_are_written_as_they_come(tmp_path, monkeypatch, kind):
    """Held in memory, the answers of a long trace would need more memory than their evaluation."""
    (tmp_path / "q.rq").write_text("SELECT ?s ?o { STREAM <urn:r> [RANGE 3s] { ?s <urn:p> ?o } }")
    lines = (f'<urn:s{t % 5}> <urn:p> "{t}" <urn:r> "{t}" .\n' for t in range(40))
    (tmp_path / "t.nq").write_text("".join(lines))
    command = "solve", tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--out-format", kind, "--out"
    held = lars(*command, tmp_path / "held", "--json")
    monkeypatch.setattr(AnswerRows, "evaluate", None)
    once = lars(*command, tmp_path / "once")
    assert (once.code, once.out.splitlines()[0]) == (
        0,
        f"{sum(len(one['rows']) for one in held.lines)} rows at 40 times",
    )
    files = [sorted((tmp_path / name).iterdir()) for name in ("held", "once")]
    assert [path.name for path in files[0]] == [path.name for path in files[1]]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_a_query_without_rows_has_tables_that_are_read_once(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <urn:r> [RANGE 3s] { ?s <urn:none> ?o } }")
    (tmp_path / "t.nq").write_text('<urn:s> <urn:p> "1" <urn:r> "0" .\n')
    ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--out", tmp_path / "o")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "0 rows at 1 time")
    assert pq.read_table(tmp_path / "o" / "evaluations.parquet").to_pylist() == [{"t": 0, "rows": 0}]
