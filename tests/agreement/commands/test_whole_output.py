"""What fails after others were printed: no document that looks whole, no half of one without a word."""

import json

import pytest

from agreement.agree import verdicts
from agreement.commands.app import print_lines, print_parts, stream_lines
from agreement.ending import UNFINISHED
from tests.agreement.command import lars

AGREE = ("samples/crowd", "--in-process")
PROGRAM = "p(X) ← ⊞^1 ◇ q(X). ← ⊞^0 ◇ r."


def failing_at(count):
    """Yield lines, then fail as nobody foresaw."""
    yield from map(str, range(count))
    raise ValueError("in the middle")


@pytest.mark.parametrize("printing", [print_lines, print_parts])
def test_what_is_made_whole_prints_nothing_if_a_part_of_it_fails(printing, capsys):
    with pytest.raises(ValueError, match="middle"):
        printing(failing_at(3))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("option", [(), ("--json",), ("--full",)])
def test_a_proof_that_fails_leaves_no_half_of_a_report(option, monkeypatch):
    monkeypatch.setattr(verdicts.VariantReport, "supports", lambda *_: 1 / 0)
    ran = lars("agree", *AGREE, *option)
    assert (ran.code, ran.out) == (3, "")
    assert "ZeroDivisionError" in ran.err


@pytest.mark.parametrize(("count", "left"), [(0, []), (2, ["0", "1", UNFINISHED])])
def test_what_is_printed_as_it_is_made_ends_in_a_line_that_says_it_is_not_all(count, left, capsys):
    with pytest.raises(ValueError, match="middle"):
        stream_lines(failing_at(count))
    assert capsys.readouterr().out.splitlines() == left


def test_the_line_that_says_it_is_not_all_is_no_json():
    with pytest.raises(json.JSONDecodeError):
        json.loads(UNFINISHED)


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_answers_before_a_time_without_answer_stream_are_not_taken_for_all(option, tmp_path):
    (tmp_path / "p.lars").write_text(PROGRAM)
    (tmp_path / "t.atoms").write_text("1 q(a).\n3000 r.\n")
    ran = lars("solve", tmp_path / "p.lars", tmp_path / "t.atoms", "--in-process", *option)
    assert ran.code != 0
    assert ran.out == "" or ran.out.splitlines()[-1] == UNFINISHED
