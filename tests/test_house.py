"""The house: few doors, imports that go down, one name for one thing."""

import ast
from collections import Counter
from graphlib import TopologicalSorter

import grimp
import pytest

from tests.packs import ROOT

PACKAGES = ("lars", "translate", "solver", "agreement")
FILES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
TREES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
        path.read_text()
    )
    for path in FILES
}
DOORS = [path for path in FILES if path.name == "__init__.py"]
FOLDERS = {
    ".".join(path.parent.relative_to(ROOT).parts): path.parent for path in DOORS if path.parent.parent != ROOT
}


def names_from(name):
    """Return what a module imports by name: the module it is in, and the name."""
    found = (node for node in ast.walk(TREES[name]) if isinstance(node, ast.ImportFrom))
    return {(node.module, alias.name) for node in found for alias in node.names}


@pytest.mark.parametrize("name", PACKAGES)
def test_the_top_of_a_package_is_a_few_files_and_a_manual(name):
    assert len([path for path in (ROOT / name).glob("*.py") if path.name != "__init__.py"]) <= 8
    assert (ROOT / name / "README.md").exists()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_holds_three_to_fourteen_things(folder):
    held = [path for path in FOLDERS[folder].iterdir() if not path.name.startswith("__")]
    # There is a file for each command, and where to put one needs no looking.
    assert 3 <= len(held) <= 14 or folder == "agreement.commands"


def test_no_file_and_folder_share_a_name():
    assert [path for path in FILES if path.with_suffix("").is_dir()] == []


def test_imports_run_in_no_circle():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    edges = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert len([*TopologicalSorter(edges).static_order()]) == len(graph.modules)  # raises at a circle


def test_a_class_name_means_one_class():
    classes = (node for tree in TREES.values() for node in tree.body if isinstance(node, ast.ClassDef))
    names = Counter(node.name for node in classes)
    assert [name for name, times in names.items() if times > 1 and not name.startswith("_")] == []


@pytest.mark.parametrize("door", DOORS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_door_says_what_is_behind_it_and_holds_nothing_else(door):
    said, *rest = ast.parse(door.read_text()).body
    assert len(said.value.value.splitlines()) <= 4  # three of text, and the quotes after them
    assert all(isinstance(node, ast.ImportFrom) for node in rest)


def test_what_a_folder_offers_is_imported_from_the_folder():
    offered = {folder: {name for _, name in names_from(folder)} for folder in FOLDERS}
    around = [
        f"{name} imports {what} from {module}"
        for name in TREES
        for module, what in names_from(name)
        if (folder := module.rpartition(".")[0]) in FOLDERS and module not in FOLDERS
        if what in offered[folder] and not f"{name}.".startswith(f"{folder}.")
    ]
    assert around == []
