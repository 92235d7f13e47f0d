"""How many notions the house takes: `python -m tests.benchmarks.notions` prints each count.

It also prints which types declare options of `lars agree` and `lars judge`, and which other types have
fields with the names of options. A notion is a class, or a type of dataclass that a command makes. Lines are
those of the four packages; a line of code is not blank, and no part of a comment, a docstring or an import.
"""

import ast
import dataclasses
import io
import pkgutil
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

from lars.options import KEY
from tests.packs import ROOT

PACKAGES = ("lars", "translate", "solver", "agreement")
AGREE = ("agree", "samples/coupons", "--period", "4..8")
MET = "samples/judged/met"
JUDGE = (
    *("judge", f"{MET}/query.cqels.rq", f"{MET}/doors.nq"),
    *("--answers", f"{MET}/answers.cqels.ndjson", "--answers-unit", "1ms"),
)
TRACED = """
import dataclasses, sys
made = set()

def profile(frame, event, _):
    if event == "call" and frame.f_code.co_name == "__init__":
        made.add(type(frame.f_locals.get("self")))

sys.argv = ["lars", *sys.argv[1:]]
sys.setprofile(profile)
from agreement.cli.__main__ import main
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
own = {kind for kind in made if dataclasses.is_dataclass(kind)}
own = {kind for kind in own if kind.__module__.split(".")[0] in ("lars", "translate", "solver", "agreement")}
for kind in sorted(own, key=lambda kind: (kind.__module__, kind.__qualname__)):
    print("made", kind.__module__, kind.__qualname__, *[field.name for field in dataclasses.fields(kind)])
"""


def files() -> list[Path]:
    """Return the modules of the four packages."""
    return sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


def types_made(*command: str) -> dict[str, set[str]]:
    """Return the fields of each type of dataclass that a command makes, by the type's name."""
    run = subprocess.run(
        (sys.executable, "-c", TRACED, *command), cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = (line.split() for line in run.stdout.splitlines() if line.startswith("made "))
    return {f"{module}.{name}": set(fields) for _, module, name, *fields in told}


def options_of(command: str) -> set[str]:
    """Return the names that the options of a command have as fields."""
    from agreement.cli.commands import COMMANDS as ALL
    from agreement.documents.options import declared

    return {option.name for option in declared(ALL[command].answering.request)}


def carriers(made: dict[str, set[str]], command: str) -> dict[str, set[str]]:
    """Return the types that have at least two of the options of a command as fields, with these options."""
    own = options_of(command)
    return {kind: own & fields for kind, fields in made.items() if len(own & fields) > 1}


def declares(kind: str) -> bool:
    """Return whether a field of a type is the declaration of an option."""
    return any(KEY in field.metadata for field in dataclasses.fields(pkgutil.resolve_name(kind)))


def lines_of_code(path: Path) -> int:
    """Return how many lines of a module are code."""
    text = path.read_text(encoding="utf-8")
    held = set[int]()
    tree = ast.parse(text)
    left_out = _docstring_lines(tree) | _import_lines(tree)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - left_out)


_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_NO_CODE |= {tokenize.ENDMARKER, tokenize.ENCODING}


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of texts that are statements: docstrings, of values too."""
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    return {line for text in texts for line in _lines_of(text)}


def _import_lines(tree: ast.Module) -> set[int]:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {line for node in imports for line in _lines_of(node)}


def _lines_of(node: ast.expr | ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def counts(made: dict[str, set[str]], judging: dict[str, set[str]]) -> dict[str, int]:
    """Return each count by what is counted, with those of the types that `agree` and `judge` make."""
    texts = {path: path.read_text(encoding="utf-8") for path in files()}
    trees = [ast.parse(text) for text in texts.values()]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    words = Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    private = [node.name for node in functions if re.match(r"_[a-z]", node.name)]
    code, comments = (
        sum(map(lines_of_code, texts)),
        sum(
            line.lstrip().startswith("#") or " # " in line
            for text in texts.values()
            for line in text.splitlines()
        ),
    )
    return {
        "files": len(texts),
        "lines": sum(text.count("\n") for text in texts.values()),
        "lines of code": code,
        "lines with a comment": comments,
        "classes": sum(isinstance(node, ast.ClassDef) for node in nodes),
        "functions": len(functions),
        "private functions": len(private),
        "private functions mentioned once": sum(words[name] == 2 for name in private),
        "imports that name more than five things of one module": sum(
            isinstance(node, ast.ImportFrom)
            and (node.module or "").split(".")[0] in PACKAGES
            and len(node.names) > 5
            for node in nodes
        ),
        "types of dataclasses that `lars agree` makes": len(made),
        "of them with two of its options or more": len(carriers(made, "agree")),
        "types of dataclasses that `lars judge` makes": len(judging),
        "of them with two of its options or more, of judge": len(carriers(judging, "judge")),
    }


def main() -> None:
    """Print each count, and which types carry which options."""
    made, judging = types_made(*AGREE), types_made(*JUDGE)
    for what, number in counts(made, judging).items():
        print(f"{number:8,}  {what}")
    for command, types in (("agree", made), ("judge", judging)):
        for kind, options in carriers(types, command).items():
            has = "declares" if declares(kind) else "has fields named"
            print(f"  {command}: {kind} {has} {', '.join(sorted(options))}")


if __name__ == "__main__":
    main()
