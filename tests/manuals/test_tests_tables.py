"""What the contributing page says of the tests is there."""

import importlib.util
import re
import shlex

import pytest

from tests.manuals.pages import BLOCKS, ROOT, rows, snippets
from tests.manuals.running import lines, run

CASES = rows("tests/README.md", "| command | compares |")
MEASURES = rows("tests/README.md", "| command | measures |")
KINDS = rows("tests/README.md", "| kind | where | says |")
SECOND = rows("tests/README.md", "| what is checked | by what |")
MARKS = rows("tests/README.md", "| block | is |")


@pytest.mark.parametrize("row", CASES, ids=lambda row: row[0])
def test_each_comparison_runs_on_a_few_cases(row, tmp_path):
    (command,) = snippets(row[0])
    code, out = run(re.sub(r"\d+$", "3", command), tmp_path)
    assert code == 0, out


def test_each_benchmark_is_there():
    modules = [snippets(row[0])[0].removeprefix("python -m ") for row in MEASURES]
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []


def test_the_commands_of_the_suite_name_what_is_there(pytestconfig):
    for line in (line for b in BLOCKS["tests/README.md"] if b.note == "suite" for line in lines(b)):
        words = shlex.split(line)
        assert words[words.index("python") :][:3] == ["python", "-m", "pytest"]
        assert [word for word in words if word.startswith("tests") and not (ROOT / word).exists()] == []
        assert {word for word in words if word.startswith("--")} <= {"--update-golden"}
    assert pytestconfig.getoption("update_golden") in (True, False)


def test_the_folders_of_the_kinds_are_there():
    named = [name for row in KINDS for name in snippets(row[1]) if name.startswith("tests")]
    assert [name for name in named if not list(ROOT.glob(name))] == []


def test_each_second_evaluation_is_named_once():
    assert len({row[0] for row in SECOND}) == len(SECOND) == 8


def test_the_marks_are_those_of_the_blocks():
    notes = {b.note for found in BLOCKS.values() for b in found if b.kind == "sh"} - {""}
    told = {
        text.removeprefix("sh ") for row in MARKS for cell in row for text in snippets(cell) if text != "sh"
    }
    assert notes <= told
