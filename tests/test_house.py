"""The house: few doors, imports that go down, one name for one thing."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter

import grimp
import pytest

from tests.packs import ROOT

PACKAGES = ("lars", "translate", "solver", "agreement")
FILES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES
}
DOORS = [path for path in FILES if path.name == "__init__.py"]
FOLDERS = {
    ".".join(path.parent.relative_to(ROOT).parts): path.parent for path in DOORS if path.parent.parent != ROOT
}


@cache
def tree_of(name):
    """Return the syntax tree of a module; not where this file is only collected."""
    return ast.parse(MODULES[name].read_text())


def trees():
    return map(tree_of, MODULES)


@cache
def graph():
    """Return which modules import which."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def names_from(name):
    """Return what a module imports by name: the module it is in, and the name."""
    found = (node for node in ast.walk(tree_of(name)) if isinstance(node, ast.ImportFrom))
    return {(node.module, alias.name) for node in found for alias in node.names}


def things(folder):
    """Return the files and folders that lie in a folder, each by its name, without faces.

    A grammar and its tables are one thing.
    """
    found = (path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    return sorted(path for path in found if path.suffix != ".json" or not path.with_suffix(".lark").exists())


def rooms_below(package):
    """Return which rooms of a package each of its rooms imports: its files and folders, by name."""
    below = {path.stem: set() for path in things(ROOT / package.replace(".", "/")) if holds_code(path)}
    depth = package.count(".") + 1
    for name, imported in below.items():
        inside = f"{package}.{name}"
        for module in (module for module in MODULES if f"{module}.".startswith(f"{inside}.")):
            for target in graph().find_modules_directly_imported_by(module):
                parts = target.split(".")
                if target.startswith(f"{package}.") and parts[depth] != name:
                    imported.add(parts[depth])
    return below


def holds_code(path):
    return path.suffix == ".py" or path in FOLDERS.values()


def floors(below):
    """Return on which floor each room stands: above all that it imports; raise CycleError at a circle."""
    found = {}
    for name in TopologicalSorter(below).static_order():
        found[name] = 1 + max((found[other] for other in below[name]), default=0)
    return found


@pytest.mark.parametrize("name", PACKAGES)
def test_the_top_of_a_package_is_a_few_files_and_folders_and_a_manual(name):
    held = things(ROOT / name)
    assert len([path for path in held if path.suffix == ".py"]) <= 8
    assert len([path for path in held if path.is_dir()]) <= (9 if name == "agreement" else 11)
    assert (ROOT / name / "README.md").exists()


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_a_few_floors(name):
    # Below all of lars is the decorator of its classes.
    assert max(floors(rooms_below(name)).values()) <= (7 if name == "lars" else 6)


@pytest.mark.parametrize("folder", FOLDERS)
def test_nested_rooms_import_each_other_in_no_circle(folder):
    assert floors(rooms_below(folder))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_holds_three_to_fourteen_things(folder):
    assert 3 <= len(things(FOLDERS[folder])) <= 14


def test_no_file_and_folder_share_a_name():
    assert [path for path in FILES if path.with_suffix("").is_dir()] == []


def test_imports_run_in_no_circle():
    edges = {name: graph().find_modules_directly_imported_by(name) for name in graph().modules}
    assert len([*TopologicalSorter(edges).static_order()]) == len(graph().modules)  # raises at a circle


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_the_imports_of_a_module_are_one_block():
    """With one of those for types alone behind it; a renaming import stands on a line of its own."""
    assert [module for module in MODULES if not has_one_block_of_imports(tree_of(module).body)] == []


def has_one_block_of_imports(body):
    plain = [node for node in body if isinstance(node, ast.ImportFrom) if not node.names[0].asname]
    kinds = [is_for_types(node) for node in body if isinstance(node, ast.ImportFrom) or is_for_types(node)]
    each_once = max(Counter(node.module for node in plain).values(), default=0) <= 1
    return each_once and kinds == sorted(kinds) and sum(kinds) <= 1


def test_a_class_name_means_one_class():
    classes = (node for tree in trees() for node in tree.body if isinstance(node, ast.ClassDef))
    names = Counter(node.name for node in classes)
    assert [name for name, times in names.items() if times > 1 and not name.startswith("_")] == []


def test_proofs_take_few_types():
    """What is decided, searched and reduced: a new class stands for another, or is of late data (8)."""
    others = ("agreement.proving.hunting", "agreement.proving.suite")
    rooms = ("agreement.proving.", "agreement.results.proofs.", "solver.search.")
    own = [name for name in MODULES if name.startswith(rooms) and not name.startswith(others)]
    classes = (node for name in own for node in ast.walk(tree_of(name)) if isinstance(node, ast.ClassDef))
    assert len(list(classes)) <= 75


def types_in(tree):
    """Yield the public types of a module: classes, and aliases, which are written as names are."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Subscript() | ast.BinOp() | ast.Name()) if (
                not name.isupper()
            ):
                yield name
            case ast.ClassDef(name):
                yield name


def test_a_type_of_engines_documents_and_results_has_a_name_of_its_own():
    """Cells and elements are also what modules of the logic call them."""
    rooms = tuple(f"agreement.{name}." for name in ("documents", "engines", "experiments", "results"))
    every = {module: list(types_in(tree_of(module))) for module in MODULES}
    names = Counter(name for found in every.values() for name in found if not name.startswith("_"))
    own = {name for module, found in every.items() if module.startswith(rooms) for name in found}
    assert {name for name in own if names[name] > 1} == {"Cell", "Element"}


@pytest.mark.parametrize("door", DOORS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_door_says_what_is_behind_it_and_holds_nothing_else(door):
    said, *rest = ast.parse(door.read_text()).body
    assert len(said.value.value.splitlines()) <= 4  # three of text, and the quotes after them
    assert all(isinstance(node, ast.ImportFrom) for node in rest)


def test_what_a_folder_offers_is_imported_from_the_folder():
    offered = {folder: {name for _, name in names_from(folder)} for folder in FOLDERS}
    around = [
        f"{name} imports {what} from {module}"
        for name in MODULES
        for module, what in names_from(name)
        if (folder := module.rpartition(".")[0]) in FOLDERS and module not in FOLDERS
        if what in offered[folder] and not f"{name}.".startswith(f"{folder}.")
    ]
    assert around == []


def test_an_option_is_declared_once():
    """Two declarations with one name and one help are one: groups and functions are there to share them."""
    declared = Counter(
        (target.target.id, argument.value)
        for tree in trees()
        for target in ast.walk(tree)
        if isinstance(target, ast.AnnAssign) and isinstance(target.value, ast.Call)
        if getattr(target.value.func, "id", "") in ("option", "argument", "time_option")
        for argument in target.value.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )
    assert len(declared) > 100
    assert [pair for pair, times in declared.items() if times > 1] == []


def test_what_is_installed_has_every_file_that_the_code_reads():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    packages = (ROOT / "agreement", ROOT / "translate")
    every = {path for one in packages for path in one.rglob("*") if path.is_file() and path.suffix != ".py"}
    notes = (".md", ".lark")
    read = {path for path in every if "__pycache__" not in path.parts and path.suffix not in notes}
    installed = {
        path
        for name, patterns in told.items()
        for folder in ([ROOT / name.replace(".", "/")] if name != "*" else [path.parent for path in DOORS])
        for pattern in patterns
        for path in folder.glob(pattern)
    }
    assert read <= installed


NO_NAMES = set(
    """asked found gathered given heard here known made met one others own
    said says seen shown taken told tried wanted wishes written""".split()  # noqa: SIM905  (words, not a table)
)


def public_names(tree):
    """Yield the classes, functions, methods and fields that other rooms may use."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name, body=body) if not name.startswith("_"):
                yield name
                for part in body:
                    match part:
                        case ast.FunctionDef(name) | ast.AnnAssign(ast.Name(name)):
                            yield name
            case ast.FunctionDef(name):
                yield name


def test_a_public_name_is_no_participle_or_pronoun_that_could_mean_anything():
    found = [(module, name) for module in MODULES for name in public_names(tree_of(module))]
    # clingo calls `@gathered` by its name.
    assert {pair for pair in found if pair[1] in NO_NAMES} == {
        ("solver.pointwise.point_evaluation", "gathered")
    }


def test_a_parameter_says_what_it_holds():
    no_names = {"asked", "found", "given", "heard", "said", "shown", "told"}
    nodes = ((module, node) for module in MODULES for node in ast.walk(tree_of(module)))
    assert [
        (module, node.arg)
        for module, node in nodes
        if getattr(node, "arg", "") in no_names and isinstance(node, ast.arg)
    ] == []


def test_what_the_architecture_names_exists():
    text = (ROOT / "tests" / "ARCHITECTURE.md").read_text()
    named = re.findall(r"`((?:lars|translate|solver|agreement)/[\w/]+\.py)(?::(\w+))?`", text)
    assert len(named) >= 15
    for path, function in named:
        assert re.search(rf"^(?:def|class) {function}\b", (ROOT / path).read_text(), re.MULTILINE), (
            path,
            function,
        )
    assert len(text.splitlines()) <= 150


COUNTING = """
import ast, dataclasses, os, sys
from pathlib import Path
root, entered, made = os.getcwd() + os.sep, set(), set()
ours = [root + name + os.sep for name in ("lars", "translate", "solver", "agreement")]

def profile(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_name != "<module>" and code.co_flags & 2:  # no body of a class
        entered.add(code.co_filename)
        if code.co_name == "__init__":
            made.add(type(frame.f_locals.get("self")))

sys.argv = ["lars", "agree", "samples/coupons"]
sys.setprofile(profile)
from agreement.cli.__main__ import main
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
files = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
own = {file for file in files if any(map(file.startswith, ours))}
own = {file for file in own if "/model/languages/" not in file}  # each language has a file
with_code = {file for file in own if len(ast.parse(Path(file).read_text()).body) > 1}
types = {kind for kind in made if dataclasses.is_dataclass(kind)}
types = {kind for kind in types if sys.modules[kind.__module__].__file__ in own}
from agreement.cli.commands import COMMANDS
from agreement.documents.options import declared
options = {option.name for option in declared(COMMANDS["agree"].answering.request)}
tables = "agreement.experiments.schema"  # their keys that are options are declared by the options
others = {kind for kind in types if kind.__module__ != tables}
carriers = [kind for kind in others if len(options & {field.name for field in dataclasses.fields(kind)}) > 1]
print(len(with_code), len(entered & with_code), len(types), len(carriers))
"""


def test_the_first_command_of_the_readme_loads_and_enters_few_files():
    run = subprocess.run(
        (sys.executable, "-c", COUNTING), cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded, entered, types, carriers = map(int, run.stdout.split()[-4:])
    # Without the files of languages, with a file each for open meanings and the questions of agree. Files of
    # two subjects were split: the rules of τ and their expressions, cells of an experiment and their use,
    # facts and static data, RDF terms and their values.
    # Options of a run are declared where they are used, so their declaration lies below (lars/options.py).
    assert loaded <= 114
    # Words, pushes and open meanings are asked of the query's language; keys are read as options are.
    assert entered <= 86
    assert types <= 113
    assert carriers <= 8  # of two options of the command or more, or of fields with the same names


def test_the_house_takes_no_more_classes_than_before():
    """A new one is a notion of the glossary: playground 5, pack and cases 9, late data 10, watch 5."""
    classes = [node for tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert len(classes) <= 720


def test_the_library_loads_few_files():
    count = (
        "import sys; from agreement import api; print(sum(n.split('.')[0] in sys.argv for n in sys.modules))"
    )
    run = subprocess.run((sys.executable, "-c", count, *PACKAGES), cwd=ROOT, capture_output=True, check=True)
    assert int(run.stdout) <= 2


def test_the_top_of_the_project_has_what_its_owner_named_and_nothing_that_a_command_left():
    run = subprocess.run(("git", "ls-files"), cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode or not run.stdout:
        pytest.skip("no checkout of git: what belongs to the project is not known")
    top = {line.partition("/")[0] for line in run.stdout.splitlines()}
    named = {*PACKAGES, "samples", "tests", "pyproject.toml", "README.md", "constraints.txt"}
    assert {name for name in top if not name.startswith(".")} == named
