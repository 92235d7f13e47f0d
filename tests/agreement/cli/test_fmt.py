"""`lars fmt` as a user runs it: printing, rewriting, checking, and what it refuses."""

import io
import os
import sys

import pytest

from tests.agreement.command import lars

UGLY, PRETTY = "p:-[+]^5<>q. % why\n", "p ← ⊞^5 ◇ q. % why\n"


@pytest.fixture
def ugly(tmp_path):
    path = tmp_path / "ugly.lars"
    path.write_text(UGLY, encoding="utf-8")
    return path


@pytest.fixture
def pretty(tmp_path):
    path = tmp_path / "pretty.lars"
    path.write_text(PRETTY, encoding="utf-8")
    return path


def test_a_file_is_printed_formatted_and_stays_as_it_is(ugly):
    assert lars("fmt", ugly) == (0, PRETTY, "")
    assert ugly.read_text(encoding="utf-8") == UGLY


def test_ascii_notation_is_printed_when_asked_for(pretty):
    assert lars("fmt", "--ascii", pretty).out == "p :- [+]^5 <> q. % why\n"


def test_several_files_are_printed_one_after_the_other(ugly, pretty):
    assert lars("fmt", ugly, pretty).out == PRETTY * 2


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    assert lars("fmt", "-") == (0, PRETTY, "")


def test_write_rewrites_what_changes_and_leaves_the_rest_untouched(ugly, pretty):
    os.utime(pretty, (1, 1))
    ugly.chmod(0o640)
    assert lars("fmt", "--write", ugly, pretty) == (0, "", "")
    assert ugly.read_text(encoding="utf-8") == PRETTY
    assert ugly.stat().st_mode & 0o777 == 0o640
    assert pretty.stat().st_mtime == 1
    assert sorted(ugly.parent.iterdir()) == [pretty, ugly]


def test_write_follows_a_link(ugly, tmp_path):
    link = tmp_path / "link.lars"
    link.symlink_to(ugly)
    assert lars("fmt", "--write", link).code == 0
    assert link.is_symlink()
    assert ugly.read_text(encoding="utf-8") == PRETTY


def test_check_names_the_files_that_would_change_and_exits_1(ugly, pretty):
    assert lars("fmt", "--check", ugly, pretty) == (1, f"{ugly}\n", "")
    assert lars("fmt", "--check", pretty) == (0, "", "")
    assert ugly.read_text(encoding="utf-8") == UGLY


def test_one_file_that_is_no_program_leaves_the_others_as_they_are(ugly, tmp_path):
    bad = tmp_path / "bad.lars"
    bad.write_text("p :- q", encoding="utf-8")
    code, out, err = lars("fmt", "--write", ugly, bad)
    assert (code, out) == (2, "")
    assert f"{bad}:1:7: found the end of the text" in err
    assert ugly.read_text(encoding="utf-8") == UGLY


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--write", "--check", "a.lars"), "use one of them"),
        (("--write", "-"), "cannot rewrite standard input"),
        (("no-such.lars",), "no such file; expected a LARS program"),
        ((), "FILE"),
    ],
)
def test_what_cannot_be_done_is_one_message(arguments, words):
    code, out, err = lars("fmt", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_bytes_that_are_no_text_are_refused(ugly, monkeypatch):
    ugly.write_bytes(b"p. \xff")
    assert (
        f"{ugly}:1:4: found the byte 0xff, which is not text; expected a LARS program"
        in lars("fmt", ugly).err
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"p. \xff")))
    assert "-:1:4: found the byte 0xff, which is not text" in lars("fmt", "-").err


def test_a_file_that_cannot_be_written_is_named(ugly, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    code, _, err = lars("fmt", "--write", ugly)
    assert (code, err) == (3, f"lars: {ugly}: cannot be written: No space left on device\n")
    assert list(ugly.parent.iterdir()) == [ugly]
