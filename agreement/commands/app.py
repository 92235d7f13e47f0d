"""What every command of `lars` shares: the app, printing, warnings, progress, how a run ends."""

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from importlib import import_module
from itertools import chain
from os import environ
from pathlib import Path
from platform import python_version
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, Final, cast

import typer
from rich.console import Console, RenderableType
from typer.main import get_command

from agreement import ending
from agreement.inputs.help_pages import LarsCommand, LarsGroup, NamedCommands, under
from agreement.library.basis.boundary import DEEPEST, foreseen
from agreement.outputs import WIDEST, drawn
from agreement.table_files import OutOptions
from lars.errors import DisputedAnswerError, FailedRunError, LarsError, printable
from lars.files import read_input, read_text
from solver.memory import FAILED, read_size, set_bound
from solver.settings import Progress, unwatched

_USUAL: Final[dict[str, Any]] = {
    "pretty_exceptions_enable": False,
    # Help texts have brackets, which are no markup.
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}
_loaded: Final[dict[str, Any]] = {}


class _Lars(LarsGroup):
    """The command `lars` with all others below it; the file of one is loaded once it is asked for."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = cast("Any", NamedCommands(_load))


def _load(name: str) -> Any:
    import_module(f"agreement.commands.{name}")
    return _loaded[name]


app = typer.Typer(cls=_Lars, **_USUAL)
STANDARD_INPUT: Final = Path("-")
DISAGREE, UNUSABLE = 1, 2
"""A verdict, and nothing else: they disagree, it is incorrect, it is no answer stream, not laid out."""
NOT_PRINTED: Final = "standard output: cannot be written: {}"
_IN_MEMORY: Final = 2**24
_AT_ONCE: Final = 2**20
"""So many characters wait in memory before they are printed, more on disk; so many are printed at once."""
_LONGEST: Final = 300
_quiet: Final = ContextVar("quiet", default=False)
_verbose: Final = ContextVar("verbose", default=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        # Loads what reads e-mail.
        from importlib.metadata import version

        below = (f"{name} {version(name)}" for name in ("clingo", "pyspark"))
        print_lines([f"lars {_own_version()} ({', '.join((f'Python {python_version()}', *below))})"])
        raise typer.Exit


def _own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lars-rsp")
    except PackageNotFoundError:
        return "not installed"


@app.callback()
def lars(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version, and what it runs on.",
        ),
    ] = False,
) -> None:
    """Continuous RDF queries as LARS programs: what they mean, what they answer, do engines agree.

    `lars COMMAND --help` explains a command, with an example. Exit codes: 0 done, they agree, it is
    correct; 1 they disagree, it is incorrect; 2 an input is unusable; 3 the run failed.
    """


def warn(message: str) -> None:
    """Print a warning on standard error, unless --quiet."""
    if not _quiet.get():
        _say(f"warning: {message}")


def note(message: str) -> None:
    """Say on standard error what was decided where nobody said it, unless --quiet."""
    if not _quiet.get():
        _say(f"note: {message}")


def _say(text: str) -> None:
    """Print on standard error; where that is impossible nothing can be said."""
    if ending.is_ending():
        ending.wait_for_end()
    with suppress(OSError):
        print(printable(text), file=sys.stderr)  # noqa: T201


def _drawn(part: RenderableType) -> str:
    """Return a table as on standard output; in files a row is a line, unless COLUMNS is set."""
    there = Console(force_jupyter=False)
    width = there.width if there.is_terminal or "COLUMNS" in environ else WIDEST
    return drawn(part, width=width, terminal=there.is_terminal)


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal how far a long job is; elsewhere show nothing."""
    console = Console(stderr=True)
    if _quiet.get() or not console.is_terminal:
        yield unwatched
        return
    from rich.progress import Progress as ProgressBar

    with ProgressBar(*ProgressBar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def refuse(said: str) -> int:
    """Say what is wrong with the input, and return the exit code for that."""
    _say(f"lars: {said}")
    return UNUSABLE


def fail(said: str) -> int:
    """Say why the run failed, and return the exit code for that."""
    _say(f"lars: {said}")
    return FAILED


@dataclass(frozen=True, slots=True)
class EveryOption:
    """Output. What every command has."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No warnings, notes and progress, errors alone.")
    ] = False
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="The most memory of a process, as 4G. [default: half of the machine's]"
        ),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", help="Show the trace of a run that failed.")] = False


def command(run: Callable[..., None]) -> Callable[..., None]:
    """Make a function a command of `lars`; whatever it raises becomes a LarsError.

    A parameter whose type is a dataclass stands for a group of options, one for each field; the
    function gets the dataclass, Typer sees the options by `__signature__` (PEP 362).
    """
    parameters = inspect.signature(run).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in parameters if is_dataclass(one.annotation)}

    @wraps(run)
    def called(*, memory: str | None, verbose: bool, quiet: bool, **options: Any) -> None:
        _quiet.set(quiet)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
        grouped = {
            name: group(**{one.name: options.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        _verbose.set(verbose)
        if memory is not None:
            set_bound(read_size(memory))
        try:
            run(**options, **grouped)
        except DisputedAnswerError as error:
            tables = next((one for one in grouped.values() if isinstance(one, OutOptions)), OutOptions())
            raise tables.kept(error) from None

    every = inspect.Parameter("every", inspect.Parameter.KEYWORD_ONLY, annotation=EveryOption)
    flat = [option for one in (*parameters, every) for option in _options(one)]
    vars(called)["__signature__"] = inspect.Signature(flat)
    alone = typer.Typer(add_completion=False, **_USUAL)
    alone.command(cls=LarsCommand)(called)
    _loaded[run.__name__] = get_command(alone)
    return called


@contextmanager
def failing() -> Iterator[None]:
    """Raise a LarsError for whatever the block raises, and nothing for a reader who has gone."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except BrokenPipeError as error:
        unprinted(error)
    except Exception as error:  # noqa: BLE001 - no run ends with a trace
        said = foreseen(error) or _as_said(error)
        if _verbose.get() and isinstance(said, FailedRunError) and not ending.is_ending():
            _say(traceback.format_exc().rstrip("\n"))
        raise said from None


def _as_said(error: Exception) -> LarsError:
    """Return what is said of an error that nobody foresaw, in one line."""
    said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    last = traceback.extract_tb(error.__traceback__)[-1]
    return FailedRunError(
        f"the run failed: {type(error).__name__}: {said[:_LONGEST]} "
        f"({Path(last.filename).name}:{last.lineno}); --verbose shows the trace"
    )


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    kind = inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(parameter.annotation):
        return [parameter.replace(kind=kind)]
    heading = str(parameter.annotation.__doc__).partition(".")[0]
    return [
        inspect.Parameter(one.name, kind, default=one.default, annotation=under(heading, one.type))
        for one in fields(parameter.annotation)
    ]


def check_report(path: Path | None) -> None:
    """Raise LarsError now for a page that could not be written at the end."""
    if path is not None:
        from agreement.report import check_page

        check_page(path)


def write_report(path: Path | None, found: Any) -> None:
    """Write the page of what was found, if it is wanted."""
    if path is not None:
        found.write_report(path)


def text_in(path: Path, accepted: str) -> str:
    """Return the text of a file, or of standard input for -."""
    return read_input(accepted) if path == STANDARD_INPUT else read_text(path, accepted)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output once all are there: if one of them fails, nothing is printed."""
    _print_whole(f"{printable(line)}\n" for line in lines)


def _print_whole(texts: Iterable[str]) -> None:
    with SpooledTemporaryFile(
        _IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass", newline=""
    ) as whole:
        whole.writelines(texts)
        whole.seek(0)
        while text := whole.read(_AT_ONCE):
            if not _put(text):
                return


def stream_lines(lines: Iterable[str]) -> None:
    """Print each line as soon as it is there; where one fails after others, the last line says so."""
    found = iter(lines)
    for first in found:
        with ending.streaming():
            try:
                for line in chain((first,), found):
                    if not print_text(f"{line}\n", at_once=True):
                        return
            except Exception:
                print_text(f"{ending.UNFINISHED}\n")
                raise


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print lines as they are, tables fitted to the width of the console."""
    # A rule is one line, however long: only tables are fitted to the width. Rich itself would end the
    # program when nobody reads.
    _print_whole(f"{printable(part)}\n" if isinstance(part, str) else _drawn(part) for part in parts)


def print_text(text: str, *, at_once: bool = False) -> bool:
    """Print a text on standard output; return whether somebody still reads it."""
    return _put(printable(text), at_once=at_once)


def _put(text: str, *, at_once: bool = False) -> bool:
    try:
        sys.stdout.write(text)
        if at_once:
            sys.stdout.flush()
    except OSError as error:
        if not unprinted(error):
            raise FailedRunError(NOT_PRINTED.format(error.strerror)) from None
        return False
    return True


def unprinted(error: OSError) -> bool:
    """Drop what cannot be printed; return whether that is because the reader has gone, which is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return isinstance(error, BrokenPipeError)
