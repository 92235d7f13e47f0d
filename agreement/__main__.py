"""The command `lars`: results on standard output, everything else on standard error.

`python -m agreement` and spark-submit run it too.
"""

import os
import sys
from io import TextIOWrapper

import typer

from agreement.commands.app import UNUSABLE, app, refuse
from lars.errors import LarsError

_DEEPEST = 20_000
"""Calls inside each other: the longest queries that are read have patterns 256 deep, each a few calls."""
_UNREAD = 1
_STOPPED = 130


def main() -> None:
    """Run the command; an unusable input or option is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.setrecursionlimit(max(_DEEPEST, sys.getrecursionlimit()))
    try:
        code = app(standalone_mode=False, prog_name="lars")
        sys.stdout.flush()
    except LarsError as error:
        code = refuse(str(error))
    except typer.TyperException as error:
        # Without a command there is no message: the help has been printed instead.
        problem = _usage_problem(error.format_message())
        code = refuse(problem) if problem else UNUSABLE
    except BrokenPipeError:
        # Who reads the output has gone, as `head` does: nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _UNREAD
    except typer.Abort:
        code = _STOPPED
    sys.exit(code)


def _usage_problem(message: str) -> str:
    """Return what is wrong with a command line, in the words of this program."""
    plain = message.replace("Value error, ", "").strip().rstrip(".")
    return f"{plain[:1].lower()}{plain[1:]}; --help lists what is accepted" if plain else ""


if __name__ == "__main__":
    main()
