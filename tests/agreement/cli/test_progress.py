"""How far a long run is: a bar on a terminal, elsewhere lines on standard error."""

import re
from time import sleep

import pytest

from agreement.cli import app, commands


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(app, "_PAUSE", 0.1)


def test_without_a_terminal_lines_say_how_far_a_long_run_is(quick, capsys):
    with app.working("hunting") as progress:
        progress(2, 5)
        sleep(0.35)
    lines = capsys.readouterr().err.splitlines()
    # On a busy machine a line comes late.
    assert lines
    assert all(re.fullmatch(r"note: hunting: 40 % after [0-9.]+ s", line) for line in lines)
    sleep(0.2)
    assert not capsys.readouterr().err


def test_a_part_of_a_result_that_takes_long_says_so(quick, capsys):
    def parts():
        sleep(0.35)
        yield "agree"

    app.print_parts(parts())
    shown = capsys.readouterr()
    assert shown.out == "agree\n"
    lines = shown.err.splitlines()
    assert lines
    assert all(re.fullmatch(r"note: explaining and writing the result for [0-9.]+ s", one) for one in lines)


def test_a_quiet_run_says_nothing_of_how_far_it_is(quick, capsys, monkeypatch):
    monkeypatch.setattr(commands.Outputs, "quiet", True)
    with app.working("hunting"):
        sleep(0.2)
    assert not capsys.readouterr().err


def test_a_bar_ends_at_its_total(monkeypatch):
    told = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda _, __, **how: told.append(how))
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    with app.working("hunting") as progress:
        progress(2, 5)
    assert told == [{"completed": 2, "total": 5}, {"completed": 5, "total": 5}]
