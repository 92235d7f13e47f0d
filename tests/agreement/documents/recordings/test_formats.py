"""Each format of recorded answers is recognised, and says what its records mean."""

import gzip
import os
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from agreement.answering.solve.solving import AnswerRows
from agreement.documents.recordings import Report, as_lexical, read_recording
from agreement.documents.recordings.answer_times import time_of_text
from agreement.documents.requests import AnswersOptions, is_query
from agreement.results.renderings.answer_lines import json_lines
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import XSD, Variable
from solver.traces import instant_of
from tests.agreement.documents.recordings.samples import (
    CSV,
    KINDS,
    SOLVED,
    SPARQL_JSON,
    TEXTS,
    TSV,
    YABENCH,
    read,
)
from tests.benches import BOTH, ENGINES, QUERIES

FOUR = f'"4"^^<{XSD}integer>'


@pytest.mark.parametrize("name", TEXTS)
def test_a_format_is_recognised_by_its_content(name, tmp_path):
    assert read(tmp_path, TEXTS[name]) == read(tmp_path, TEXTS[name], KINDS[name])


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_a_table_is_recognised_by_its_suffix(name, tmp_path):
    text = TEXTS[name].replace("t", "when", 1)
    found = read(tmp_path, text, name=f"a.{name}", time_variable=("when",))
    assert found == read(tmp_path, TEXTS[name])


@pytest.mark.parametrize("time", ["t", "when"])
@pytest.mark.parametrize(
    ("value", "kind"), [("kitchen", "csv"), ('"4.5"^^<http://e/d>', "tsv"), ("4", "tsv")]
)
def test_tabs_separate_terms_of_sparql_or_plain_texts_in_a_file_without_a_suffix(time, value, kind, tmp_path):
    text = f"{time}\troom\n1\t{value}\n"
    found = read(tmp_path, text, time_variable=(time,))
    assert found == read(tmp_path, text, kind, time_variable=(time,))
    assert found.reports


def test_csrbench_counts_milliseconds(tmp_path):
    found = read(tmp_path, TEXTS["csrbench"])
    assert found.variables == ("n", "s")
    assert found.reports == (Report(1000, ()), Report(2000, ((FOUR, "<http://e/a>"),)))


def test_yabench_counts_from_its_start(tmp_path):
    found = read(tmp_path, YABENCH)
    rows = ((FOUR, "<http://e/a>"), (None, "<http://e/b>"))
    assert found.reports == (Report(500, rows), Report(1500, ()))
    assert not found.lexical


def test_yabench_times_before_the_start_already_count_from_it(tmp_path):
    text = YABENCH.replace("1500", "500").replace("2500", "900")
    assert [report.t for report in read(tmp_path, text).reports] == [500, 900]


def test_yabench_reads_terms_as_engines_print_them(tmp_path):
    text = f'1000\ns,n\n1500\nhttp://e/a,4^^{XSD}integer\n<http://e/a,b>,"8,3"^^{XSD}string\n'
    found = read(tmp_path, text)
    assert found.lexical
    assert found.reports[0].rows == ((FOUR, '"http://e/a"'), ('"8,3"', '"http://e/a,b"'))


def test_digits_alone_are_a_value_when_they_go_back(tmp_path):
    (report,) = read(tmp_path, "1000\navg\n1500\n83\n90.5\n").reports
    assert report == Report(500, ((f'"83"^^<{XSD}integer>',), (f'"90.5"^^<{XSD}decimal>',)))


def test_csv_leaves_the_kinds_of_terms_out(tmp_path):
    found = read(tmp_path, CSV)
    assert found.lexical
    first, second = found.reports
    assert first == Report(1000, (('"say \\"hi\\", b"', '"http://e/a"'), (None, '"http://e/b"')))
    assert second == Report(2000, ((f'"30"^^<{XSD}integer>', "_:b"),))


def test_tsv_keeps_the_kinds_of_terms(tmp_path):
    found = read(tmp_path, TSV)
    assert not found.lexical
    first, second = found.reports
    assert first.rows == ((f'"01"^^<{XSD}integer>', "<http://e/a>"), (None, "<http://e/b>"))
    assert second.rows == ((f'"true"^^<{XSD}boolean>', "_:b"),)


def test_what_is_compared_with_lexical_answers_loses_its_kinds_too():
    terms = ['"30"', f'"30"^^<{XSD}integer>', "<http://e/a>", "_:b", '""', '"a"@en', None]
    thirty = f'"30"^^<{XSD}integer>'
    assert list(map(as_lexical, terms)) == [thirty, thirty, '"http://e/a"', "_:b", None, '"a"', None]


def test_json_rows_of_one_time_are_a_report(tmp_path):
    text = SPARQL_JSON.replace("2.5", "1.0")
    (report,) = read(tmp_path, text).reports
    assert report == Report(1000, (("_:b0",), ('"x"@en',)))


def test_a_document_for_each_time_can_be_empty_or_a_boolean(tmp_path):
    text = '{"t": 1, "head": {}, "boolean": true}\n{"t": 2, "head": {}, "boolean": false}\n'
    found = read(tmp_path, text)
    assert found.reports == (Report(1000, ((),)), Report(2000, ()))
    empty, _ = read(tmp_path, TEXTS["sparql-lines"]).reports
    assert empty == Report(1000, ())


@pytest.mark.parametrize(
    "text",
    [
        '{"t": 1, "kind": "boolean"}\n{"t": 2, "kind": "x"}\n',
        '\ufeff{"t": 1, "kind": "boolean"}\n{"t": 2, "kind": "x"}\n',
        '\n{"t": 1, "kind": "boolean"}\n{"t": 2, "kind": "x"}\n',
    ],
)
def test_lines_of_json_are_a_table_whatever_their_texts_and_their_beginning(tmp_path, text):
    found = read(tmp_path, text)
    assert found.reports == (Report(1000, (('"boolean"',),)), Report(2000, (('"x"',),)))


def test_a_column_of_lines_of_json_may_be_called_boolean(tmp_path):
    (report,) = read(tmp_path, '{"t": 1, "boolean": true}\n').reports
    assert report == Report(1000, ((f'"true"^^<{XSD}boolean>',),))


@pytest.mark.parametrize("text", [CSV, SPARQL_JSON, '{"t": 1, "kind": "x"}\n'])
def test_answers_come_from_a_pipe_or_a_compressed_file(tmp_path, text):
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    expected = read(tmp_path, text)
    options = AnswersOptions()
    assert read_recording(Path(f"/dev/fd/{reading}"), options) == expected
    assert read_recording(tmp_path / "a.csv.gz", options) == expected
    os.close(reading)


def test_the_times_of_a_finer_unit_are_those_of_the_trace(tmp_path):
    seconds = AnswersOptions()
    assert [time_of_text(f"{t / 1000:.3f}", seconds) for t in range(100_000)] == list(range(100_000))


def test_a_number_counts_the_unit_that_is_given(tmp_path):
    minutes = Duration(60 * 10**9)
    assert read(tmp_path, SOLVED, unit=minutes).reports[0].t == 60_000
    assert read(tmp_path, SOLVED, unit=minutes, answers_unit=Duration(10**6)).reports[0].t == 1
    assert read(tmp_path, YABENCH, unit=minutes).reports[0].t == 500


def test_datetimes_count_from_the_origin(tmp_path):
    text = CSV.replace("\n1,", "\n2024-05-01T12:00:01Z,").replace("\n2,", "\n2024-05-01T12:00:02.5Z,")
    origin = instant_of(datetime(2024, 5, 1, 12, tzinfo=UTC))
    found = read(tmp_path, text, origin=origin)
    assert [report.t for report in found.reports] == [1000, 2500]
    with pytest.raises(LarsError, match=r":2:1: found the dateTime .* is unknown; use .*--origin"):
        read(tmp_path, text)


def test_what_solve_prints_is_read_back(tmp_path):
    terms = ("<http://e/a>", '"x\\n"@en', FOUR, "_:b", '"plain"', None)
    names = tuple(Variable(name) for name in "abcdef")
    printed = "\n".join(json_lines(AnswerRows(names, [(3, []), (5, [terms])], None)))
    found = read(tmp_path, printed + "\n")
    assert found.variables == ("a", "b", "c", "d", "e")
    assert found.reports == (Report(3000, ()), Report(5000, (terms[:5],)))


def test_blank_labels_that_n_triples_does_not_allow_stay_apart(tmp_path):
    text = (
        '{"t": 1, "rows": [{"a": {"type": "bnode", "value": "-1:x"}, "b": {"type": "bnode", "value": "-2"}}]}'
    )
    ((row,),) = (report.rows for report in read(tmp_path, text).reports)
    assert len(set(row)) == 2
    assert all(label.startswith("_:") for label in row)


@pytest.mark.parametrize("bench", BOTH)
def test_all_answers_of_a_benchmark_are_read(bench, tmp_path):
    for engine, number in product(ENGINES, QUERIES):
        text = bench.answers(engine, number)
        found = read(tmp_path, text)
        assert found == read(tmp_path, text, "csrbench")
        assert found.reports


def test_a_table_whose_first_column_is_called_ask_is_no_query(tmp_path):
    for name, is_one in (("quotes.tsv", False), ("quotes", True)):
        (tmp_path / name).write_text("ask\tbid\tt\n1\t2\t3\n")
        assert is_query(tmp_path / name) is is_one


def test_a_query_may_begin_with_the_operator_of_its_language(tmp_path):
    text = "PREFIX e: <e:> RSTREAM SELECT ?a FROM STREAM s [RANGE 10s] WHERE { STREAM s { ?a e:p ?b } }"
    (tmp_path / "q.txt").write_text(text)
    assert is_query(tmp_path / "q.txt")
