"""What mypy and editors see of `agreement.api`: a stub, written from what requests declare.

`python -m tests.agreement.api.stub` writes it.
"""

import inspect
import subprocess
import sys
from collections import Counter
from typing import get_args

from agreement import api
from agreement.documents.options import declared, members
from lars.options import Option
from tests.packs import ROOT

PATH = ROOT / "agreement" / "api.pyi"
HEAD = '''"""The types of `agreement.api` for mypy: one keyword for each option of a command."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Required, TypedDict, Unpack

from solver.settings import Progress
'''
EVERYWHERE = "class ProgressKeyword(TypedDict, total=False):\n    progress: Progress | None\n\n"


def source():
    """Return the text of the stub."""
    functions = {name: one for name in api.__all__ if inspect.isfunction(one := getattr(api, name))}
    imports = (
        f"from {module} import {name} as {name}\n"
        for module, names in api._OFFERED.items()
        for name in names
        if name not in functions
    )
    answers = {name: vars(one)["answering"] for name, one in functions.items()}
    used = Counter(group for one in answers.values() for group in whole_groups(one.request, one.options))
    shared = {group for group, times in used.items() if times > 1}
    groups = [keywords(group.__name__, group, declared(group), shared) for group in used if group in shared]
    own = {
        name: keywords(keywords_of(name), one.request, one.options, shared, ["ProgressKeyword"])
        for name, one in answers.items()
        if has_keywords(one.options)
    }
    defined = (signature(name, one, name in own) for name, one in functions.items())
    return laid_out("".join([HEAD, *imports, "\n", EVERYWHERE, *groups, *own.values(), *defined]))


def groups_of(kind):
    """Yield the groups of options that are parts of a request or group."""
    return (part for part in members(kind).values() if not isinstance(part, Option))


def whole_groups(kind, options):
    """Yield the groups in a request all of whose options a function takes, those in them first."""
    for group in groups_of(kind):
        yield from whole_groups(group, options)
        if names(declared(group)) <= names(options):
            yield group


def names(options):
    return {one.name for one in options}


def topmost(kind, groups):
    """Yield those of the groups in a request or group that are in no other one of them."""
    for group in groups_of(kind):
        yield from [group] if group in groups else topmost(group, groups)


def keywords(name, kind, options, shared, more=()):
    """Return the type of the keywords of a function, or of a group that several have."""
    bases = [*topmost(kind, shared.intersection(whole_groups(kind, options)))]
    inherited = {one for group in bases for one in names(declared(group))}
    own = [one for one in options if one.name not in inherited and not one.argument]
    lines = [
        f"{one.name}: {f'Required[{one.python_type}]' if one.needed else one.python_type}" for one in own
    ]
    inside = "".join(f"    {line}\n" for line in lines)
    written = [*(group.__name__ for group in bases), *more] or ["TypedDict"]
    return f"class {name}({', '.join(written)}, total=False):\n{inside}\n"


def keywords_of(name):
    """Return what the type of a function's keywords is called."""
    return f"{name.title().replace('_', '')}Keywords"


def has_keywords(options):
    return any(not one.argument for one in options)


def laid_out(text):
    """Return the text as the project's formatter lays it out."""
    for command in (("check", "--fix", "--select", "I001"), ("format",)):
        ruff = [sys.executable, "-m", "ruff", *command, "-q", "--stdin-filename", PATH, "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def signature(name, function, has_own):
    """Return the declaration of a function."""
    inputs = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_POSITIONAL:
            inputs.append(f"*{one.name}: {one.annotation}")
        elif one.kind is one.POSITIONAL_ONLY:
            default = "" if one.default is one.empty else " = ..."
            inputs = [*(one for one in inputs if one != "/"), f"{one.name}: {one.annotation}{default}", "/"]
    options = f"**options: Unpack[{keywords_of(name) if has_own else 'ProgressKeyword'}]"
    answer = inspect.get_annotations(vars(function)["answering"].answer)["return"]
    answers = " | ".join(one.__name__ for one in get_args(answer) or (answer,))
    return f"def {name}({', '.join((*inputs, options))}) -> {answers}: ...\n"


if __name__ == "__main__":
    PATH.write_text(source())
