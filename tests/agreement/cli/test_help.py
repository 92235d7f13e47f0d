"""The help: every command and option is explained, every example in it runs."""

import re
import shlex
from importlib.metadata import version

import pytest
import shellingham
from typer.main import get_command

from agreement.cli.app import app
from agreement.cli.commands import COMMANDS as DECLARED
from tests.agreement.command import lars
from tests.manuals.pages import BLOCKS
from tests.manuals.running import copied, lines, run

pytestmark = pytest.mark.usefixtures("warm_engines")
COMMANDS = sorted(get_command(app).commands)
IN_MANUALS = [
    lines(part) for page in BLOCKS.values() for part in page if (part.kind, part.note) == ("sh", "")
]
"""Commands that a manual shows just so: its own test runs them, in this order, and they must end with 0."""
SERVING = ("play", "watch")
"""Commands that run until somebody ends them: their own tests run the examples."""
EXAMPLE = re.compile(r"^  (Examples?.*):\n((?:  lars .*\n)+)", re.MULTILINE)


def test_each_command_stands_once_under_what_it_is_for():
    listed = [*DECLARED]
    shown = re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", lars("--help").out, re.MULTILINE)
    assert (sorted(listed), shown) == (COMMANDS, listed)


@pytest.mark.parametrize("words", [(), ("-h",), *((name, "-h") for name in COMMANDS)], ids=" ".join)
def test_h_is_short_for_help_and_so_is_nothing_at_all(words):
    assert lars(*words) == lars(*words[:-1], "--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_input_and_option_has_a_help_and_none_an_internal_name(name):
    parameters = get_command(app).commands[name].params
    assert [one.name for one in parameters if not one.help] == []
    shown = lars(name, "--help").out
    assert re.findall(r"Path|\bpath\b|\bstr\b|int range|\bTEXT\b|\.\.\.|<[a-z]\w*\.", shown) == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SERVING])
def test_the_examples_of_a_command_run(name, tmp_path):
    copied(tmp_path)
    ((heading, shown),) = EXAMPLE.findall(lars(name, "--help").out)
    assert {shlex.split(line)[1] for line in shown.splitlines()} >= {name}
    commands = shown.strip().split("\n  ")
    if commands in IN_MANUALS:
        return
    named = re.search(r"in (samples\S*)", heading)
    last = [run(line, tmp_path / (named[1] if named else "")) for line in commands]
    assert [code for code, _ in last if code not in (0, 1)] == [], last


def test_the_version_is_that_of_the_distribution():
    shown = lars("--version")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"lars {version('lars-rsp')} (Python 3.")


# completion


def test_completion_is_installed_for_the_shell_that_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(shellingham, "detect_shell", lambda: ("bash", "/bin/bash"))
    assert lars("--install-completion").code == 0
    assert "complete_bash" in (tmp_path / ".bash_completions/lars.sh").read_text()


def test_without_a_shell_there_is_one_message(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    def none():
        raise shellingham.ShellDetectionFailure

    monkeypatch.setattr(shellingham, "detect_shell", none)
    for option in ("--install-completion", "--show-completion"):
        ran = lars(option)
        assert (ran.code, len(ran.err.splitlines()[-1:]), list(tmp_path.iterdir())) == (2, 1, [])
        assert "bash, zsh, fish" in ran.err


def test_a_home_that_cannot_be_written_is_one_message(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(shellingham, "detect_shell", lambda: ("bash", "/bin/bash"))
    ran = lars("--install-completion")
    assert (ran.code, ran.out) == (2, "")
    assert "--show-completion" in ran.err


def test_commands_are_completed(monkeypatch):
    monkeypatch.setenv("_LARS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "lars ex")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert "explain" in lars().out.split()


@pytest.mark.parametrize(
    ("command", "ways"),
    [
        ("translate", ["QUERY|PROGRAM.lars|EXPERIMENT_DIR TRACE.."]),
        ("solve", ["QUERY|PROGRAM.lars|EXPERIMENT_DIR TRACE.."]),
        ("judge", ["CASE.json..", "EXPERIMENT_DIR", "QUERY TRACE.."]),
        (
            "compare",
            [
                f"ENGINE ENGINE {inputs}"
                for inputs in ("CASE.json..", "EXPERIMENT_DIR", "QUERY [QUERY] TRACE..")
            ],
        ),
    ],
)
def test_usage_lines_name_all_inputs_and_a_folder_if_the_command_reads_it(command, ways):
    text = lars(command, "--help").out.partition("\n\n")[0]
    assert [line.split(f"lars {command} ")[1] for line in text.strip().splitlines()] == [
        f"{way} [OPTIONS]" for way in ways
    ]
