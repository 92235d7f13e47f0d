"""What every command of `lars` shares: the app, printing, warnings, progress, how a run ends.

Results go to standard output, everything else to standard error. Exit codes: 0, 1 for a verdict alone
(`DISAGREE`), 2 for unusable input, 3 for a run that failed, 128 + n for signal n.
"""

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from io import TextIOWrapper
from itertools import chain
from os import environ
from pathlib import Path
from platform import python_version
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, ClassVar, Final, cast

import typer
from rich.console import Console, RenderableType
from typer.main import get_command

from agreement.cli import ending
from agreement.cli.commands import COMMANDS, Command
from agreement.cli.help_pages import LarsCommand, LarsGroup, NamedCommands, parameter
from agreement.cli.outputs import (
    OUTPUT,
    FullOutput,
    InsteadOutput,
    JsonOutput,
    PageOutput,
    TableOutput,
    typed_command,
)
from agreement.documents.options import build, declared, in_shell, option
from agreement.documents.outputs import WIDEST, table_text
from agreement.documents.table_files import OutOptions
from agreement.results.base.boundary import DEEPEST, Listeners, expected_errors
from agreement.results.base.findings import Result
from lars.errors import DisputedAnswerError, FailedRunError, LarsError, printable
from solver.memory import FAILED, bound_of_a_run, read_size, set_bound
from solver.settings import Progress, no_progress

_USUAL: Final[dict[str, Any]] = {
    "pretty_exceptions_enable": False,
    # Help texts have brackets, which are no markup.
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}


class _Lars(LarsGroup):
    """The command `lars` with all others below it; the file of one is loaded once it is asked for."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.commands = cast("Any", NamedCommands(_load))


app = typer.Typer(cls=_Lars, **_USUAL)
DISAGREE: Final = 1
"""The exit code of a verdict, and of nothing else: they disagree, an answer is wrong, a file not laid out."""
UNUSABLE: Final = 2
"""The exit code where a command could not do its work: what it was given is wrong."""
NOT_PRINTED: Final = "standard output: cannot be written: {}"
_IN_MEMORY: Final = 2**24
_AT_ONCE: Final = 2**20
"""So many characters wait in memory before they are printed, more on disk; so many are printed at once."""
_LONGEST: Final = 300
_quiet: Final = ContextVar("quiet", default=False)
_verbose: Final = ContextVar("verbose", default=False)


class Colors(StrEnum):
    """Whether what is printed has colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


_color: Final = ContextVar("color", default=Colors.AUTO)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        # Loads what reads e-mail.
        from importlib.metadata import version

        from lars.version import program_version

        below = (f"{name} {version(name)}" for name in ("clingo", "pyspark"))
        print_lines([f"lars {program_version()} ({', '.join((f'Python {python_version()}', *below))})"])
        raise typer.Exit


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
    color = _color.get()
    colored = there.is_terminal if color is Colors.AUTO else color is Colors.ALWAYS
    return table_text(
        part, width=width, terminal=colored, plain_text=color is Colors.AUTO and "NO_COLOR" in environ
    )


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal how far a long job is; elsewhere show nothing."""
    console = Console(stderr=True)
    if _quiet.get() or not console.is_terminal:
        yield no_progress
        return
    from rich.progress import Progress as ProgressBar

    with ProgressBar(*ProgressBar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def refuse(sentence: str) -> int:
    """Say what is wrong with the input, and return the exit code for that."""
    _say(f"lars: {sentence}")
    return UNUSABLE


def fail(sentence: str) -> int:
    """Say why the run failed, and return the exit code for that."""
    _say(f"lars: {sentence}")
    return FAILED


@dataclass(frozen=True, slots=True)
class EveryOption:
    """What every command has."""

    HEADING: ClassVar[str] = OUTPUT

    quiet: bool = option(False, "No warnings, notes and progress, errors alone.", short="-q")
    memory: str | None = option(
        None, "The most memory of a process, as 4G. [default: half of the machine's]", metavar="SIZE"
    )
    verbose: bool = option(False, "Show the trace of a run that failed.")
    color: Colors = option(
        Colors.AUTO, "Verdicts in colour: on a terminal, unless NO_COLOR is set; always; never."
    )


def _load(name: str) -> Any:
    """Return the command of that name as Typer's, its options those that its request declares."""
    about = COMMANDS[name]
    request = about.answering.request

    def called(context: typer.Context, **values: Any) -> None:
        del context
        every = build(EveryOption, values, in_shell)
        _quiet.set(every.quiet)
        _verbose.set(every.verbose)
        _color.set(every.color)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
        if every.memory is not None:
            set_bound(read_size(every.memory))
        outputs = [build(output, values, in_shell) for output in about.outputs]
        try:
            _run(about, lambda: build(request, values, in_shell), outputs)
        except DisputedAnswerError as error:
            tables = next(
                (output.tables for output in outputs if isinstance(output, TableOutput)), OutOptions()
            )
            raise tables.write_case(error) from None

    called.__name__, called.__doc__ = name, request.__doc__
    kinds = (request, *about.outputs, EveryOption)
    every = [
        declared_option
        for kind in kinds
        for declared_option in declared(kind)
        if declared_option.option.in_shell
    ]
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    vars(called)["__signature__"] = inspect.Signature([context, *map(parameter, every)])
    alone = typer.Typer(add_completion=False, **_USUAL)
    alone.command(cls=LarsCommand)(called)
    return get_command(alone)


# Any: results and outputs of all commands; which go together the table of commands says.
def _run(about: Command, request: Callable[[], Any], outputs: Sequence[Any]) -> None:
    """Answer a request, write and print the result, and end as it says."""
    for output in outputs:
        if isinstance(output, InsteadOutput) and output.has_target:
            print_lines([output.text()])
            return
    writers = [one for one in outputs if hasattr(one, "write")]
    for output in writers:
        output.check()
    result_request = request()
    listeners = Listeners(warn, note, command=typed_command())
    if about.doing is None:
        result = about.answering.answer(result_request, listeners)
    else:
        with working(about.doing) as progress:
            result = about.answering.answer(result_request, replace(listeners, progress=progress))
    if not any(isinstance(one, JsonOutput) and one.as_json for one in outputs):
        for remark in result.remarks:
            note(remark)
    targets = [writer for writer in writers if writer.has_target]
    late = [page_output for page_output in targets if isinstance(page_output, PageOutput)]
    result = result.evaluate() if targets else result
    written = [line for item in targets if item not in late and (line := item.write(result))]
    _print(result, outputs, written)
    if late:
        # The verdict need not wait for what only shows it.
        print_text("", at_once=True)
        with working("writing the page"):
            for output in late:
                output.write_from(result, result_request)
    _end(result)


def _print(result: Any, outputs: Sequence[Any], written: Sequence[str]) -> None:
    """Print a result: whole, line by line where it is made while somebody reads, or where its rows are."""
    full = {"full": True} if any(isinstance(output, FullOutput) and output.full for output in outputs) else {}
    put = stream_lines if result.streamed else print_lines
    if any(isinstance(output, JsonOutput) and output.as_json for output in outputs):
        put(result.json_lines(**full))
    elif written and not full:
        print_parts(chain(result.summary(), written))
    elif result.streamed:
        put(result.parts())
    else:
        print_parts(result.parts(**full))


def _end(result: Result) -> None:
    """End with the exit code that the result says, and why, where that is no verdict."""
    code, why = result.ending
    if why is not None:
        _say(f"lars: {why}")
    if code:
        raise typer.Exit(code)


@contextmanager
def failing() -> Iterator[None]:
    """Raise a LarsError for whatever the block raises, and nothing for a reader who has gone."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except BrokenPipeError as error:
        silence_stdout(error)
    except Exception as error:  # noqa: BLE001 - no run ends with a trace
        problem = expected_errors(error) or _as_said(error)
        if _verbose.get() and isinstance(problem, FailedRunError) and not ending.is_ending():
            _say(traceback.format_exc().rstrip("\n"))
        raise problem from None


def _as_said(error: Exception) -> LarsError:
    """Return what is said of an error that nobody foresaw, in one line."""
    sentence = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    last = traceback.extract_tb(error.__traceback__)[-1]
    return FailedRunError(
        f"the run failed: {type(error).__name__}: {sentence[:_LONGEST]} "
        f"({Path(last.filename).name}:{last.lineno}); --verbose shows the trace"
    )


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
    numbered = iter(lines)
    for first in numbered:
        with ending.streaming():
            try:
                for line in chain((first,), numbered):
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
        if not silence_stdout(error):
            raise FailedRunError(NOT_PRINTED.format(error.strerror)) from None
        return False
    return True


def silence_stdout(error: OSError) -> bool:
    """Drop what cannot be printed; return whether that is because the reader has gone, which is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return isinstance(error, BrokenPipeError)


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
    with bound_of_a_run():
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
