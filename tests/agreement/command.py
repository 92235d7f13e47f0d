"""The command as a user runs it, inside the test's process: exit code and both outputs."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple
from unittest.mock import patch

from agreement.cli import app

app._PAUSE = 3600  # on a slow machine no line says how far a run is


class Ran(NamedTuple):
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON documents on standard output, one a line."""
        return [json.loads(line) for line in self.out.split("\n") if line]


def lars(*arguments: object) -> Ran:
    """Run `lars` with these arguments; the process's own exit and signals are left out."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["lars", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = app.run()
    return Ran(code, out.getvalue(), err.getvalue())


def agree(*arguments: object) -> Ran:
    """Run `lars agree --in-process --json`."""
    return lars("agree", *arguments, "--in-process", "--json")


def solve(*arguments: object) -> Ran:
    """Run `lars solve --in-process --json`."""
    return lars("solve", *arguments, "--in-process", "--json")
