"""A malformed recording gets one message: file, place, what was found, what is accepted."""

import json

import pytest

from agreement.documents.recordings import read_case
from agreement.documents.recordings.answer_times import time_of_number
from agreement.documents.recordings.reading import ACCEPTED
from agreement.documents.requests import AnswersOptions
from lars.errors import LarsError
from tests.agreement.documents.recordings.malformed import CASES, ENDINGS
from tests.agreement.documents.recordings.samples import CASE, KINDS, TEXTS, read


def message(folder, text, kind=None, **options):
    with pytest.raises(LarsError) as caught:
        read(folder, text, kind, **options)
    return str(caught.value)


def said(text, folder, place):
    """Return what a message says after the file and the place; both must be there."""
    before = f"{folder / 'answers'}:{place}: "
    assert text.startswith(before)
    problem, *_ = text.removeprefix(before).splitlines()
    return problem


@pytest.mark.parametrize(("fault", "says"), [(case[:3], case[3:]) for case in CASES])
def test_a_fault_is_named_with_its_place(fault, says, tmp_path):
    (name, old, new), (place, found, accepted) = fault, says
    assert old in TEXTS[name]
    text = message(tmp_path, TEXTS[name].replace(old, new, 1), KINDS[name])
    before, mark, after = said(text, tmp_path, place).rpartition("expected ")
    assert mark
    assert found in before
    assert accepted in after


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("when s\n1 a\n", "neither the name of the file nor its first line determines the format"),
        ("<xml/>", "neither the name of the file nor its first line determines the format"),
        ('{"relations": [', "not valid JSON: found the end of the text, which is cut off"),
    ],
)
def test_an_unknown_format_is_told_all_formats(text, found, tmp_path):
    said_of_it = message(tmp_path, text)
    assert found in said_of_it
    assert "expected recorded answers in one of the formats case, csrbench, yabench," in said_of_it


@pytest.mark.parametrize(("name", "last", "place", "found"), ENDINGS)
def test_a_cut_text_is_named_with_its_end(name, last, place, found, tmp_path):
    text = TEXTS[name]
    assert last in text
    cut = text[: text.index(last) + len(last)]
    problem = said(message(tmp_path, cut, KINDS[name]), tmp_path, place)
    assert found in problem
    assert "expected " in problem


BETWEEN = [
    ('{"t": 1, "x": 1}\n{"t": 2, "x": 2\n{"t": 3, "x": 3}\n', "2:16", "the end of the line: expecting ','"),
    ('{"t": 1, "x": 1}\n{"t": 2, "x": "b}\n{"t": 3, "x": 3}\n', "2:15", "'\"b}': unterminated string"),
    ('t,x\n1,"a\n2,b\n', "2:3", "a quoted field does not end; expected"),
]


@pytest.mark.parametrize(("text", "place", "found"), BETWEEN)
def test_a_fault_before_other_lines_is_no_cut(text, place, found, tmp_path):
    problem = said(message(tmp_path, text, "csv" if text.startswith("t,") else "json"), tmp_path, place)
    assert found in problem
    assert "cut off" not in problem


def test_there_are_enough_faults_of_each_format():
    assert len(CASES) + len(ENDINGS) >= 100
    assert {name for name, *_ in CASES} == {name for name, *_ in ENDINGS} == set(TEXTS)


@pytest.mark.parametrize("text", ["", " \n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("kind", [None, *dict.fromkeys(KINDS.values())])
def test_an_empty_file_is_none(kind, text, tmp_path):
    problem = said(message(tmp_path, text, kind), tmp_path, "1:1")
    assert "the file is empty" in problem or "found nothing" in problem
    assert (ACCEPTED[kind] if kind else "one of the formats") in problem


@pytest.mark.parametrize("kind", [None, *dict.fromkeys(KINDS.values())])
def test_a_byte_that_is_no_text_has_a_place(kind, tmp_path):
    problem = said(message(tmp_path, b'{"t": 1,\n "\xff": 2}', kind), tmp_path, "2:3")
    assert "the byte 0xff, which is not text; expected " in problem


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(LarsError, match=r"^.*: found a folder; expected a case"):
        read_case(tmp_path)
    with pytest.raises(LarsError, match=r"^.*/none.json: no such file; expected a case"):
        read_case(tmp_path / "none.json")
    with pytest.raises(LarsError, match=r"cannot be read: .*; expected a case"):
        read_case(tmp_path / "\0")


def referring(folder, lines, **burst):
    (folder / "s.tsv").write_text(lines)
    entry = {"second": 0, "t": 0, "t_last": 0, "first_index": 0, "last_index": 1} | burst
    reference = {"file": "s.tsv", "stream": "http://e/S", "bursts": [entry]}
    content = {key: value for key, value in json.loads(CASE).items() if key != "stream"}
    (folder / "engine").mkdir()
    path = folder / "engine" / "1.json"
    path.write_text(json.dumps(content | {"stream_ref": reference}))
    with pytest.raises(LarsError) as caught:
        read_case(path)
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("lines", "place", "problem"),
    [
        ("0\t<e:a> <e:p> <e:o> .\n0 <e:a>\n", "2:1", "found '0 <e:a>'; expected lines with a second, a tab"),
        ("0\t<e:a> <e:p> <e:o> .\nx\t<e:a> <e:p> <e:o> .", "2:1", "expected lines with a second, a tab"),
        ("0\t<e:a> <e:p> <e:o> .\n10\t<e:a> <e:p> .", "2:4", "expected a triple as in N-Triples"),
        ("0\t<e:a> <e:p> <o> .\n", "1:3", "'<o>' is not an RDF term"),
    ],
)
def test_a_faulty_stream_file_has_its_own_places(lines, place, problem, tmp_path):
    text = referring(tmp_path, lines)
    assert text.startswith(f"{tmp_path / 's.tsv'}:{place}: ")
    assert problem in text


@pytest.mark.parametrize(
    ("burst", "problem"),
    [
        (
            {"last_index": 2},
            "bursts[0].last_index: found 2; expected a line from 0 to 1, the last line of the file",
        ),
        (
            {"first_index": 1},
            "bursts[0].first_index: found 1 as the first line of a burst; expected 0, the number of",
        ),
        (
            {"t": 5},
            "bursts[0].t_last: found 0 as the last time of a burst; expected a time that is not before",
        ),
        (
            {"second": 3},
            "bursts[0].second: found 3 as the second of a burst; expected 0, the second in all lines",
        ),
    ],
)
def test_a_burst_must_fit_its_file(burst, problem, tmp_path):
    text = referring(tmp_path, "0\t<e:a> <e:p> <e:o> .\n" * 2, **burst)
    assert text.startswith(f"{tmp_path / 'engine' / '1.json'}:1:")
    assert f": stream_ref.{problem}" in text


def test_a_stream_must_be_there_once(tmp_path):
    content = json.loads(CASE)
    reference = {"file": "none.tsv", "stream": "http://e/S", "bursts": []}
    both = message(tmp_path, json.dumps(content | {"stream_ref": reference}))
    assert "found both stream and stream_ref; expected either" in both
    del content["stream"]
    assert "found no stream; expected either" in message(tmp_path, json.dumps(content))
    absent = message(tmp_path, json.dumps(content | {"stream_ref": reference}))
    assert "stream_ref.file: cannot find the file " in absent
    assert "none.tsv; expected lines with a second" in absent


def test_the_named_column_must_be_there(tmp_path):
    text = message(tmp_path, TEXTS["csv"], KINDS["csv"], time_variable=("when",))
    assert "1:1: no column with a time among t, s, n; expected --time-variable NAME, or a column when" in text


@pytest.mark.parametrize("number", [-(10**400), 10**400, -1, float("nan")])
def test_a_number_that_is_no_time_is_refused(number):
    with pytest.raises(LarsError):
        time_of_number(number, AnswersOptions())
