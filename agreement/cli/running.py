"""A run of `lars`: results on standard output, everything else on standard error.

Exit codes: 0, 1 for a verdict alone (`DISAGREE`), 2 for unusable input, 3 for a run that failed,
128 + n for signal n.
"""

import os
import sys
from io import TextIOWrapper
from pathlib import Path

import typer

from agreement.cli import ending
from agreement.cli.app import NOT_PRINTED, UNUSABLE, app, fail, failing, refuse, silence_stdout
from lars.errors import FailedRunError, LarsError


def main() -> None:
    """Run the command as a process of its own, which a signal or the bound on memory ends cleanly."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole run
    if sys.stdout is None:
        sys.exit(fail("standard output is closed; accepted: a file or pipe, as > /dev/null"))
    ending.watch()
    sys.exit(run())


def run() -> int:
    """Run the command of `sys.argv`, and return its exit code; what is wrong is one message."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    code = _code()
    try:
        sys.stdout.flush()
    except OSError as error:
        # After a reader who has gone, as `head` does, what was found still counts.
        code = code if silence_stdout(error) else fail(NOT_PRINTED.format(error.strerror))
    return code


def _code() -> int:
    try:
        with failing():
            return app(standalone_mode=False, prog_name="lars") or 0
    except LarsError as error:
        return fail(str(error)) if isinstance(error, FailedRunError) else refuse(str(error))
    except typer.TyperException as error:
        # Without a command there is no message: the help has been printed instead.
        problem = _usage_problem(error.format_message())
        return refuse(problem) if problem else UNUSABLE
    except SystemExit:
        return 0  # how Typer ends when who reads the help has gone


def _usage_problem(message: str) -> str:
    """Return what is wrong with a command line, in the words of this program."""
    plain = message.replace("Value error, ", "").strip().rstrip(".")
    return f"{plain[:1].lower()}{plain[1:]}; --help lists what is accepted" if plain else ""
