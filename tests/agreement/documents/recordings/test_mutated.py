"""Recordings cut off or changed at random places: read, or refused with the file's name."""

import random
from itertools import product

import pytest

from agreement.documents.recordings.reading import ACCEPTED
from lars.errors import LarsError
from tests.agreement.documents.recordings.samples import KINDS, TEXTS, read
from tests.benches import BOTH, ENGINES, QUERIES

PIECES = (
    *(
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\t",
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b" ",
    ),
    *(
        b"-",
        b"1e999",
        b"NaN",
        b"null",
        b"true",
        b"9" * 30,
        b"\\ud800",
        b"\\u0000",
        b"<",
        b">",
        b"^^",
        b"@",
        b"_:",
    ),
)


def mutated(data, draw):
    """Return bytes that were cut, and to which, from which or in which something was changed."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(changed) + 1)
        match draw.randrange(5):
            case 0:
                del changed[at:]
            case 1:
                del changed[at : at + draw.randint(1, 9)]
            case 2:
                changed[at:at] = draw.choice(PIECES)
            case 3:
                changed[at : at + 1] = draw.choice(PIECES)
            case _:
                other = draw.randrange(len(changed) + 1)
                changed[at:at] = changed[other : other + draw.randint(1, 40)]
    return bytes(changed)


def read_or_message(folder, data, kind):
    try:
        return read(folder, data, kind)
    except LarsError as error:
        return str(error)


def outcome(folder, data, kind):
    found = read_or_message(folder, data, kind)
    if isinstance(found, str):
        assert found.startswith(str(folder / "answers"))
        assert "expected " in found or "each line ends with CR" in found
        assert found.encode()
        return "refused"
    for report in found.reports:
        assert report.t >= 0 or kind in (None, "case")
        assert all(len(row) == len(found.variables) for row in report.rows)
    return "read"


@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_recording_is_read_or_refused(name, tmp_path):
    draw = random.Random(name)
    data = TEXTS[name].encode()
    found = [
        outcome(tmp_path, mutated(data, draw), KINDS[name] if number % 2 else None) for number in range(600)
    ]
    assert 50 < found.count("refused") < 600


@pytest.mark.parametrize("name", TEXTS)
def test_a_recording_cut_anywhere_is_read_or_refused(name, tmp_path):
    data = TEXTS[name].encode()
    found = [outcome(tmp_path, data[:end], KINDS[name]) for end in range(len(data))]
    assert found[0] == "refused"
    if name in ("case", "csrbench", "sparql-json"):  # one value: only the final line end can be missing
        assert set(found[:-1]) == {"refused"}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_each_format_read_as_another_is_read_or_refused(kind, tmp_path):
    found = [outcome(tmp_path, text.encode(), kind) for text in TEXTS.values()]
    assert "refused" in found
    assert "read" in found


@pytest.mark.parametrize("bench", BOTH)
def test_changed_answers_of_a_benchmark_are_read_or_refused(bench, tmp_path):
    draw = random.Random(0)
    texts = [bench.answers(*key).encode() for key in product(ENGINES, QUERIES)]
    found = [outcome(tmp_path, mutated(draw.choice(texts), draw), None) for _ in range(200)]
    assert found.count("refused") > 100
