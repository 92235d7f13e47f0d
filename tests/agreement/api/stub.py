"""What mypy and editors see of `agreement.api`: a stub, written from what requests declare.

`python -m tests.agreement.api.stub` writes it.
"""

import inspect
import subprocess
import sys
from collections import Counter
from typing import get_args

from agreement import api
from agreement.documents.options import Option, declared, members
from tests.packs import ROOT

PATH = ROOT / "agreement" / "api.pyi"
HEAD = '''"""The library, as types: written from what requests declare, keywords by their groups."""

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
    requests = [vars(one)["answering"].request for one in functions.values()]
    used = Counter(group for request in requests for group in groups_below(request))
    shared = {group for group, times in used.items() if times > 1}
    classes = [
        keywords(group, shared, group in requests)
        for group in dict.fromkeys((*used, *requests))
        if group in shared or (group in requests and has_keywords(group))
    ]
    defined = (signature(name, one) for name, one in functions.items())
    return laid_out("".join([HEAD, *imports, "\n", EVERYWHERE, *classes, *defined]))


def groups_below(kind):
    """Yield the groups of options in a request or group, and those in them first."""
    for group in (part for part in members(kind).values() if not isinstance(part, Option)):
        yield from groups_below(group)
        yield group


def topmost(kind, shared):
    """Yield the shared groups in a request or group that are in no other one."""
    for group in (part for part in members(kind).values() if not isinstance(part, Option)):
        yield from [group] if group in shared else topmost(group, shared)


def keywords(kind, shared, is_request):
    """Return the type of the keywords of a request, or of a group that several have."""
    bases = [group.__name__ for group in topmost(kind, shared)]
    inherited = {one.name for group in groups_below(kind) if group in shared for one in declared(group)}
    own = [one for one in declared(kind) if one.name not in inherited and not one.argument]
    lines = [
        f"{one.name}: {f'Required[{one.python_type}]' if one.needed else one.python_type}" for one in own
    ]
    if is_request:
        bases.append("ProgressKeyword")
    inside = "".join(f"    {line}\n" for line in lines)
    return f"class {kind.__name__}({', '.join(bases or ['TypedDict'])}, total=False):\n{inside}\n"


def has_keywords(kind):
    return any(not one.argument for one in declared(kind))


def laid_out(text):
    """Return the text as the project's formatter lays it out."""
    for command in (("check", "--fix", "--select", "I001"), ("format",)):
        ruff = [sys.executable, "-m", "ruff", *command, "-q", "--stdin-filename", PATH, "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def signature(name, function):
    """Return the declaration of a function."""
    inputs = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_POSITIONAL:
            inputs.append(f"*{one.name}: {one.annotation}")
        elif one.kind is one.POSITIONAL_ONLY:
            default = "" if one.default is one.empty else " = ..."
            inputs = [*(one for one in inputs if one != "/"), f"{one.name}: {one.annotation}{default}", "/"]
    answering = vars(function)["answering"]
    request = answering.request
    kind = request.__name__ if has_keywords(request) else "ProgressKeyword"
    options = f"**options: Unpack[{kind}]"
    answer = inspect.get_annotations(answering.answer)["return"]
    answers = " | ".join(one.__name__ for one in get_args(answer) or (answer,))
    return f"def {name}({', '.join((*inputs, options))}) -> {answers}: ...\n"


if __name__ == "__main__":
    PATH.write_text(source())
