"""What mypy and editors see of `agreement.api`: a stub, written from what requests declare.

`python -m tests.agreement.api.stub` writes it.
"""

import inspect
import subprocess
import sys
from typing import get_args

from agreement import api
from tests.packs import ROOT

PATH = ROOT / "agreement" / "api.pyi"
HEAD = '''"""The library, as types: written from the declarations of requests."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

'''


PROGRESS = "from solver.settings import Progress\n"


def source():
    """Return the text of the stub."""
    functions = {name: one for name in api.__all__ if inspect.isfunction(one := getattr(api, name))}
    types = {
        module: [name for name in names if name not in functions] for module, names in api._OFFERED.items()
    }
    imports = "".join(
        f"from {module} import {', '.join(names)}\n" for module, names in types.items() if names
    )
    every = "".join(f'    "{name}",\n' for name in api.__all__)
    defined = "\n".join(signature(name, one) for name, one in functions.items())
    return laid_out(f"{HEAD}{imports}{PROGRESS}\n__all__ = [\n{every}]\n\n{defined}")


def laid_out(text):
    """Return the text as the project's formatter lays it out."""
    for command in (("check", "--fix", "--select", "I001"), ("format",)):
        ruff = [sys.executable, "-m", "ruff", *command, "-q", "--stdin-filename", PATH, "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def signature(name, function):
    """Return the declaration of a function."""
    lines, starred = [], False
    for one in inspect.signature(function).parameters.values():
        default = "" if one.default is one.empty else " = ..."
        if one.kind is one.VAR_POSITIONAL:
            lines.append(f"*{one.name}: {one.annotation}")
            starred = True
        elif one.kind is one.KEYWORD_ONLY:
            lines += [] if starred else ["*"]
            starred = True
            lines.append(f"{one.name}: {one.annotation}{default}")
        else:
            lines += [f"{one.name}: {one.annotation}{default}", "/"]
    lines = [line for place, line in enumerate(lines) if line != "/" or "/" not in lines[place + 1 :]]
    inside = "".join(f"    {line},\n" for line in lines)
    answer = inspect.get_annotations(vars(function)["answering"].answer)["return"]
    answers = " | ".join(one.__name__ for one in get_args(answer) or (answer,))
    return f"def {name}(\n{inside}) -> {answers}: ...\n"


if __name__ == "__main__":
    PATH.write_text(source())
