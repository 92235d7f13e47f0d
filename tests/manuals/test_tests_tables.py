"""What the contributing page says of the tests is there."""

import ast
import importlib.util
import re
import shlex

import pytest

from tests.manuals.pages import BLOCKS, ROOT, rows, snippets
from tests.manuals.running import lines, run
from tests.sizes import WHOLE, few

PACKAGES = ("lars", "translate", "solver", "agreement")
CASES = rows("tests/README.md", "| command | checks | against |")
MEASURES = rows("tests/README.md", "| command | measures |")
KINDS = rows("tests/README.md", "| kind | place | purpose |")
SECOND = rows("tests/README.md", "| subject | second evaluation | place |")
FOLDERS = rows("tests/README.md", "| folder | contents |")
WAY = rows("tests/README.md", "| stage | folder | result |")
CHANGES = rows("tests/README.md", "| change | places, in this order |")
WORDS = rows("tests/README.md", "| word | meaning | code |")
MARKS = rows("tests/README.md", "| block | contents |")


# The faults of Spark take as long as all others together; test_cut_off.py has one of them.
SHORT = [row for row in CASES if WHOLE or "spark_faults" not in row[0]]


@pytest.mark.parametrize("row", few(SHORT, 8), ids=lambda row: row[0])
def test_each_comparison_runs_on_a_few_cases(row, tmp_path):
    (command,) = snippets(row[0])
    code, out = run(re.sub(r"\d+$", "2", command), tmp_path)
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


def test_each_folder_has_its_row():
    doors = (path.parent for name in PACKAGES for path in (ROOT / name).rglob("__init__.py"))
    assert sorted(snippets(row[0])[0] for row in FOLDERS) == sorted(str(p.relative_to(ROOT)) for p in doors)


@pytest.mark.parametrize("row", WAY, ids=lambda row: row[0])
def test_a_stage_gives_what_functions_of_its_folder_return(row):
    (folder,) = snippets(row[1])
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / folder).glob("*.py"))
    functions = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    returned = " ".join(ast.unparse(node.returns) for node in functions if node.returns)
    assert [name for name in snippets(row[2]) if not re.search(rf"\b{name}\b", returned)] == []


def test_each_word_has_one_meaning_and_is_in_the_code():
    words = [row[0] for row in WORDS]
    assert len(set(words)) == len(words) <= 61
    texts = (path.read_text(encoding="utf-8") for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
    defined = set(re.findall(r"^(?:class |def )?(\w+)(?=[(:]| = )", "\n".join(texts), re.MULTILINE))
    assert [name for row in WORDS for name in snippets(row[2]) if name not in defined] == []


def test_whatever_is_named_is_there():
    named = [name for row in (*SECOND, *KINDS, *CHANGES) for cell in row[1:] for name in snippets(cell)]
    places = [name for name in named if "/" in name or name.endswith(".md")]
    assert [name for name in places if not list(ROOT.glob(name))] == []
    assert all(snippets(row[2]) for row in SECOND)


def test_each_second_evaluation_is_named_once():
    assert len({row[0] for row in SECOND}) == len(SECOND) >= 8


def test_the_marks_are_those_of_the_blocks():
    notes = {b.note for found in BLOCKS.values() for b in found if b.kind == "sh"} - {""}
    told = {
        text.removeprefix("sh ") for row in MARKS for cell in row for text in snippets(cell) if text != "sh"
    }
    assert notes <= told


def test_the_rules_of_grammars_are_rules_and_the_reader_knows_them():
    names = [row[0].strip("`") for row in rows("tests/README.md", "| rule of a grammar | meaning |")]
    folder = ROOT / "translate" / "dialects"
    grammars = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.lark"))
    reader = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert len(names) >= 10
    assert [name for name in names if not re.search(rf"^(%\w+ )?!?_?{name}:", grammars, re.MULTILINE)] == []
    assert [name for name in names if f'"{name}"' not in reader] == []
