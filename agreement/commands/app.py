"""What every command of `lars` shares: the app, printing, warnings, progress, refusing bad input."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress as ProgressBar

from lars.errors import LarsError
from lars.files import read_input, read_text
from solver.settings import Progress, unwatched

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Help texts have brackets, which are no markup.
    rich_markup_mode=None,
    help="Continuous RDF queries as LARS programs: what they mean, what they answer, do engines agree.",
)
STANDARD_INPUT: Final = Path("-")
DISAGREE = 1
UNUSABLE = 2
_DEEPEST: Final = 6000
"""How deep a query may nest: patterns are walked recursively, in a few frames a level."""
_WIDTH = 120


def warn(message: str) -> None:
    """Print a warning on standard error."""
    print(f"warning: {message}", file=sys.stderr)  # noqa: T201


def note(message: str) -> None:
    """Say on standard error what was decided where nobody said it."""
    print(f"note: {message}", file=sys.stderr)  # noqa: T201


def _console() -> Console:
    """Return the console of standard output; a file or pipe gets lines wide enough for tables."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal how far a long job is; elsewhere show nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield unwatched
        return
    with ProgressBar(*ProgressBar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def refuse(problem: str) -> int:
    """Say what is wrong with the input, and return the exit code for that."""
    print(f"lars: {problem}", file=sys.stderr)  # noqa: T201
    return UNUSABLE


def command(run: Callable[..., None]) -> Callable[..., None]:
    """Make a function a command of `lars`; what is wrong with its input is one message and exit code 2.

    A parameter whose type is a dataclass stands for a group of options, one for each field; the
    function gets the dataclass, Typer sees the options by `__signature__` (PEP 362).
    """
    parameters = inspect.signature(run).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in parameters if is_dataclass(one.annotation)}

    @wraps(run)
    def called(**options: Any) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
        grouped = {
            name: group(**{one.name: options.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        try:
            run(**options, **grouped)
        except LarsError as error:
            raise typer.Exit(refuse(str(error))) from None
        except RecursionError:
            raise typer.Exit(refuse("the query or program is too long or nested too deeply")) from None

    flat = [option for one in parameters for option in _options(one)]
    vars(called)["__signature__"] = inspect.Signature(flat)
    return app.command()(called)


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    kind = inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(parameter.annotation):
        return [parameter.replace(kind=kind)]
    return [
        inspect.Parameter(one.name, kind, default=one.default, annotation=one.type)
        for one in fields(parameter.annotation)
    ]


def text_in(path: Path, accepted: str) -> str:
    """Return the text of a file, or of standard input for -."""
    return read_input(accepted) if path == STANDARD_INPUT else read_text(path, accepted)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output, however long they are."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print lines as they are, tables fitted to the width of the console."""
    console = _console()
    for part in parts:
        # A rule is one line, however long: only tables are fitted to the width.
        if isinstance(part, str):
            print_lines([part])
        else:
            console.print(part, markup=False)
            console.file.flush()
