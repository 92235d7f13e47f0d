"""The part of `lars` that all commands share: the app, its help, output, warnings, progress, and exit codes.

The help groups commands by purpose and options by subject, and shows examples as a user types them. Results
are printed on standard output, and all other messages on standard error.

Exit codes: 0 for success. 1 for a negative verdict, for example a wrong answer. 2 for unusable input. 3 for a
failed run or an undecided verdict. 128 + n if signal n ends the process.
"""

import inspect
import os
import re
import shlex
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from io import TextIOWrapper
from itertools import chain, count
from os import environ
from pathlib import Path
from platform import python_version
from tempfile import SpooledTemporaryFile
from threading import Event, Thread
from typing import Annotated, Any, Final, get_args

import typer
from rich.console import Console, RenderableType
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from agreement.cli import commands, ending
from agreement.documents import options
from agreement.documents.outputs import WIDEST, table_text
from agreement.documents.table_files import write_case
from agreement.results.base.library import DEEPEST, Listeners, expected_errors
from lars.errors import DisputedAnswerError, FailedRunError, LarsError, printable
from lars.options import Option
from solver.memory import FAILED, bound_of_a_run, read_size, set_bound
from solver.settings import Progress, no_progress, whole

_USUAL: Final[dict[str, Any]] = {
    "pretty_exceptions_enable": False,
    # Help texts have brackets, which are no markup.
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}


_Click = Any
"""The type of click's contexts, commands and formatters, whose classes Typer does not export."""
_INPUTS: Final = "Arguments"
_FIRST: Final = "Options"
_KINDS: Final = {
    "list[Path]": "FILE",
    "path": "FILE",
    "str": "TEXT",
    "int": "N",
    "int range": "N",
    "float range": "X",
}


_NO_SHELL: Final = "completion can be installed only from bash, zsh, fish or powershell"


class LarsCommand(TyperCommand):
    """A command whose help lists its options under headings and shows its examples as a user types them."""

    def get_params(self, ctx: _Click) -> list[_Click]:
        """Return the parameters of a command: its options, its inputs and --help."""
        return _read_plainly(super().get_params(ctx))

    def parse_args(self, ctx: _Click, args: list[str]) -> list[str]:
        """Read the arguments; raise LarsError if an option that is not repeatable has two values."""
        if not ctx.resilient_parsing:
            _check_once(self, ctx, args)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: _Click) -> list[str]:  # noqa: ARG002
        """Return the command's inputs for the usage line, in the form of the manuals."""
        inputs = (param.metavar for param in self.params if param.param_type_name == "argument")
        return [*map(str, inputs), "[OPTIONS]"]

    def format_usage(self, ctx: _Click, formatter: _Click) -> None:
        """Write one usage line for each way to give the inputs."""
        *inputs, options = self.collect_usage_pieces(ctx)
        *first, last = inputs or [""]
        for number, way in enumerate(last.split(" | ")):
            prefix = "Usage: " if number == 0 else "       "
            formatter.write_usage(ctx.command_path, " ".join((*first, way, options)).strip(), prefix=prefix)

    def format_help_text(self, ctx: _Click, formatter: _Click) -> None:  # noqa: ARG002
        """Write the description with wrapped lines, and the examples with unwrapped lines for copying."""
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                if paragraph.startswith("Example"):
                    formatter.write("".join(f"  {line}\n" for line in paragraph.splitlines()))
                else:
                    for line in paragraph.splitlines():
                        formatter.write_text(line)

    def format_options(self, ctx: _Click, formatter: _Click) -> None:
        """Write the options under the headings of their subjects; the options for output come last."""
        sections: dict[str, list[tuple[str, str]]] = {_INPUTS: [], _FIRST: []}
        for param in self.get_params(ctx):
            name, text = param.get_help_record(ctx) or ("", "")
            if param.param_type_name == "argument":
                sections[_INPUTS].append((str(param.metavar), text))
            else:
                last = commands.OUTPUT if param.name == "help" else _FIRST
                heading = getattr(param, "rich_help_panel", None) or last
                sections.setdefault(heading, []).append((_plain(name), text))
        sections[commands.OUTPUT] = sections.pop(commands.OUTPUT)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=26)


def _check_once(command: LarsCommand, context: _Click, words: Sequence[str]) -> None:
    """Raise LarsError if an option that is not repeatable has two values, of which one would be ignored."""
    *_, order = command.make_parser(context).parse_args(list(words))
    times = Counter(param for param in order if param.param_type_name == "option" and not param.multiple)
    for param in (param for param, number in times.items() if number > 1):
        values = list[str | bool]()
        for end in range(1, len(words) + 1):
            # A part of the words can end before the value of an option.
            with suppress(TyperException):
                options, *_ = command.make_parser(context).parse_args(list(words[:end]))
                values += [options[param.name]] if param.name in options else []
        first, *others = dict.fromkeys(_written(param, value) for value in values)
        if others:
            raise LarsError(f"cannot combine {first} and {others[0]}; use one of them")


def _written(param: _Click, value: str | bool) -> str:
    """Return an option with its value as a user writes them."""
    name: str = max(param.opts, key=len)
    if isinstance(value, str):
        return shlex.join((name, value))
    return name if value else str(max(param.secondary_opts, key=len))


def _read_plainly(params: list[_Click]) -> list[_Click]:
    """Return the parameters of a command, changed so that Typer checks a value only if it needs a check.

    For each parameter that it checks, Typer creates a validator of pydantic, which takes a quarter of the
    time of a short command.
    """
    for param in params:
        if "process_value" not in vars(param):
            param.process_value = partial(_read_value, param, param.process_value)
    return params


def _read_value(param: _Click, by_typer: Callable[[_Click, Any], Any], context: _Click, value: Any) -> Any:
    kind, several = param.type_descriptor.annotation, param.multiple or param.nargs == -1
    source = context.get_parameter_source(param.name)
    if value is None and not param.required:
        read: Any = () if several else None
    elif value is not None and source is not None and source.name == "DEFAULT":
        read = float(value) if kind is float else value
    elif not several and kind in (str, Path) and isinstance(value, str) and value.isascii():
        read = kind(value)
    elif several and kind in (list[str], list[Path]) and value and all(map(str.isascii, value)):
        read = list(map(get_args(kind)[0], value))
    else:
        return by_typer(context, value)
    return read if param.callback is None else param.callback(context, param, read)


def _plain(name: str) -> str:
    """Return the text of an option in which a readable placeholder replaces the name of a Python type."""
    return re.sub(r"<(.*)>", lambda kind: _KINDS.get(kind[1], kind[1]), name)


class NamedCommands(Mapping[str, _Click]):
    """A mapping from names to commands; it loads the module of a command when the command is looked up."""

    def __getitem__(self, name: str) -> _Click:
        return _load(name, commands.COMMANDS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(commands.COMMANDS))

    def __len__(self) -> int:
        return len(commands.COMMANDS)


class LarsGroup(TyperGroup):
    """The command `lars` without a subcommand; its help lists the commands by purpose."""

    def __init__(self, **values: _Click) -> None:
        super().__init__(**values)
        self.commands: _Click = NamedCommands()

    def get_params(self, ctx: _Click) -> list[_Click]:
        """Return the options that are valid before the name of the command."""
        return _read_plainly(super().get_params(ctx))

    def parse_args(self, ctx: _Click, args: list[str]) -> list[str]:
        """Read the options before the name of the command; without any argument, print the help."""
        installs = "--install-completion" in args
        try:
            return super().parse_args(ctx, args or ["--help"])
        except typer.Exit as ended:
            # Typer's own words for that go to standard output.
            if ended.exit_code:
                raise LarsError(_NO_SHELL) from None
            raise
        except (OSError, RuntimeError) as error:
            if not installs:
                raise  # the help cannot be printed
            raise LarsError(f"completion cannot be installed: {error}; --show-completion prints it") from None

    def format_commands(self, ctx: _Click, formatter: _Click) -> None:  # noqa: ARG002
        """Write each command with the first sentence of its help, under the heading of its purpose."""
        for purpose in dict.fromkeys(about.purpose for about in commands.COMMANDS.values()):
            known = {name: about for name, about in commands.COMMANDS.items() if about.purpose == purpose}
            with formatter.section(purpose):
                formatter.write_dl([(f"{name:9}", about.summary) for name, about in known.items()])


app = typer.Typer(cls=LarsGroup, **_USUAL)
UNUSABLE: Final = 2
"""The exit code if a command cannot use an input."""
_PAUSE: Final = 10
"""The number of seconds between two lines of progress, if the output is not a terminal."""
NOT_PRINTED: Final = "standard output: cannot be written: {}"
_IN_MEMORY: Final = 2**24
_LETTERS_AT_ONCE: Final = 2**20
"""The number of characters that are printed at once."""
_LONGEST_SENTENCE: Final = 300

_outputs: Final = ContextVar("outputs", default=commands.Outputs())  # noqa: B039 - it is frozen
"""The output options of the running command."""


def _print_version(is_requested: bool) -> None:
    if is_requested:
        # Loads what reads e-mail.
        from importlib.metadata import version

        from lars.version import program_version

        below = (f"{name} {version(name)}" for name in ("clingo", "pyspark"))
        print_parts([f"lars {program_version()} ({', '.join((f'Python {python_version()}', *below))})"])
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
            help="Print the versions of lars, Python, clingo and Spark.",
        ),
    ] = False,
) -> None:
    """Find out whether two RDF stream processing engines give the same answers to a query, and if not, why.

    `lars COMMAND --help` describes a command and shows examples. Exit codes: 0 done, or the verdict is yes;
    1 the verdict is no; 2 an input cannot be used; 3 the verdict is open or undecided, or the run failed.
    """


def warn(message: str) -> None:
    """Print a warning on standard error, unless --quiet is set."""
    if not _outputs.get().quiet:
        _say(f"warning: {message}")


def note(message: str) -> None:
    """Print a note about a choice of `lars` on standard error, unless --quiet is set."""
    if not _outputs.get().quiet:
        _say(f"note: {message}")


def _say(text: str) -> None:
    """Print a text on standard error; if printing fails, continue without an error."""
    if ending.is_ending():
        ending.wait_for_end()
    with suppress(OSError):
        print(printable(text), file=sys.stderr)  # noqa: T201


def _drawn(part: RenderableType) -> str:
    """Return a table as text for the terminal.

    Outside a terminal, each row is one line unless COLUMNS is set.
    """
    there = Console(force_jupyter=False)
    width = there.width if there.is_terminal or "COLUMNS" in environ else WIDEST
    color = _outputs.get().color
    colored = there.is_terminal if color == "auto" else color == "always"
    return table_text(
        part, width=width, terminal=colored, plain_text=color == "auto" and "NO_COLOR" in environ
    )


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Yield a function that shows the progress of a long job on standard error.

    A terminal shows a progress bar; otherwise, a line is printed every 10 s.
    """
    console = Console(stderr=True)
    if _outputs.get().quiet:
        yield no_progress
        return
    with _bar(console, what) if console.is_terminal else _lines(what) as shown, whole(shown) as progress:
        yield progress


@contextmanager
def _bar(console: Console, what: str) -> Iterator[Progress]:
    from rich.progress import Progress as ProgressBar

    with ProgressBar(*ProgressBar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _lines(what: str) -> Iterator[Progress]:
    finished, share = Event(), " for"

    def told(done: int, total: int) -> None:
        nonlocal share
        share = f": {100 * done // total} % after"

    def say() -> None:
        for seconds in count(_PAUSE, _PAUSE):
            if finished.wait(_PAUSE):
                return
            _say(f"note: {what}{share} {seconds} s")

    # A step that takes long tells nothing meanwhile, so a thread prints.
    teller = Thread(target=say, daemon=True)
    teller.start()
    try:
        yield told
    finally:
        finished.set()
        teller.join()


def _end(code: int, sentence: str) -> int:
    """Print an error message on standard error, and return the exit code."""
    _say(f"lars: {sentence}")
    return code


@cache
def _load(name: str, about: commands.Command) -> Any:
    """Return the command with this name for Typer, with the options that its request class declares.

    The function caches the result, because a process can run the same command many times.
    """
    request = about.answering.request
    every = options.declared(commands.Outputs)
    shown = [member for member in every if member.name in (*about.outputs, *commands.ALWAYS)]

    def called(context: typer.Context, **values: Any) -> None:
        options.check_idle(about.idle, _of_command_line(context))
        # An option of the same name may be the request's.
        own = {member.name: values[member.name] for member in shown}
        outputs = options.build(commands.Outputs, own, options.in_shell)
        _outputs.set(outputs)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
        if outputs.memory is not None:
            set_bound(read_size(outputs.memory))
        try:
            _run(about, lambda: options.build(request, values, options.in_shell), outputs)
        except DisputedAnswerError as error:
            raise write_case(outputs.out, error) from None

    called.__name__ = name
    more, example = _paragraphs(request)
    called.__doc__ = "\n\n".join((about.summary, *more, about.exit_codes, example))
    declared = (member for member in (*options.declared(request), *shown) if not member.last_input)
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    vars(called)["__signature__"] = inspect.Signature([context, *map(_parameter, declared)])
    alone = typer.Typer(add_completion=False, **_USUAL)
    alone.command(cls=LarsCommand)(called)
    return get_command(alone)


def _paragraphs(request: type[object]) -> tuple[list[str], str]:
    """Return all middle paragraphs of a request's docstring, and its last paragraph.

    The last paragraph of the docstring contains the examples of the help.
    """
    _, *more, example = inspect.cleandoc(request.__doc__ or "").split("\n\n")
    return more, example


def _of_command_line(context: _Click) -> dict[str, Any]:
    """Return the values of the options and inputs on the command line, by the long names of the options."""
    sources = ((param, context.get_parameter_source(param.name)) for param in context.command.params)
    params = [param for param, source in sources if source is not None and source.name == "COMMANDLINE"]
    return {param.opts[0]: context.params[param.name] for param in params}


def _parameter(option: Option) -> inspect.Parameter:
    """Return the Python parameter of an option or input, with the annotation that Typer reads."""
    kind: Any = option.kind if option.read is None else str
    if option.several_in_shell:
        kind = list[kind]
    default = None if option.read is not None or option.several else option.default
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.needed else default,
        annotation=Annotated[kind if option.needed else kind | None, _info(option)],
    )


def _info(option: Option) -> object:
    if option.argument:
        return typer.Argument(metavar=option.metavar, help=option.help, show_default=False)
    explained = option.help
    if option.read is not None and "[default" not in explained and option.plain_default is not None:
        explained = f"{explained}  [default: {option.plain_default}]"
    flags = [option.flag, *([option.short] if option.short else [])]
    if option.kind is bool and option.default:
        flags = [f"{option.flag}/--no-{option.flag[2:]}"]
    return typer.Option(
        *flags,
        metavar=option.metavar,
        help=explained,
        show_default=option.read is None and not option.needed,
        rich_help_panel=option.heading,
        min=option.least,
        max=option.most,
    )


# Any: results of all commands; which of the outputs they have the table of commands says.
def _run(about: commands.Command, request: Callable[[], Any], outputs: commands.Outputs) -> None:
    """Call the function of a command, write and print its result, and exit with the result's exit code."""
    if (instead := outputs.instead) is not None:
        print_parts([instead])
        return
    writes = outputs.check()
    result_request = request()
    outputs.check_apart(result_request)
    warnings: list[str] = []

    def warned(text: str) -> None:
        warnings.append(text)
        warn(text)

    listeners = Listeners(warned, note, command=commands.typed_command(), keeping=ending.keeping)
    try:
        if about.doing is None:
            result = about.answering.answer(result_request, listeners)
        else:
            with working(about.doing) as progress:
                result = about.answering.answer(result_request, replace(listeners, progress=progress))
    except Exception as error:
        # A CI system reads the file of the run before, or no file, if this run writes none.
        outputs.write_failure(str(expected_errors(error) or _as_said(error)))
        raise
    for remark in () if outputs.as_json else result.remarks:
        note(remark)
    result = result.evaluate(read_once=outputs.are_read_once) if writes else result
    written = outputs.write(result)
    _print(result, {"full": True} if outputs.full else {}, written, as_json=outputs.as_json)
    if outputs.report is not None:
        # The verdict need not wait for what only shows it.
        print_text("", at_once=True)
        with working("writing the page"):
            outputs.write_page(replace(result, warnings=tuple(warnings)), outputs.report, result_request)
    code, why = outputs.ending(result, note)
    if why is not None:
        _say(f"lars: {why}")
    if code:
        raise typer.Exit(code)


def _print(result: Any, full: Mapping[str, bool], written: Sequence[str], *, as_json: bool) -> None:
    """Print a result: as JSON, in full, line by line, or as a summary with the paths of written tables."""
    if as_json:
        (stream_lines if result.streamed else print_parts)(result.json_lines(**full))
    elif written and not full:
        print_parts(chain(result.summary(), written))
    elif result.streamed:
        stream_lines(result.parts())
    else:
        print_parts(result.parts(**full))


def _as_said(error: Exception) -> LarsError:
    """Return an unexpected error as a LarsError with a message of one line."""
    sentence = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    last = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, OSError) and last.name == "echo":  # Typer prints help itself
        silence_stdout(error)
        return FailedRunError(NOT_PRINTED.format(error.strerror))
    return FailedRunError(
        f"the run failed: {type(error).__name__}: {sentence[:_LONGEST_SENTENCE]} "
        f"({Path(last.filename).name}:{last.lineno}); --verbose prints the traceback"
    )


def _print_whole(texts: Iterable[str]) -> None:
    with SpooledTemporaryFile(
        _IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass", newline=""
    ) as whole:
        # Parts of a result are computed here, such as the causes of rows.
        with nullcontext() if _outputs.get().quiet else _lines("explaining and writing the result"):
            whole.writelines(texts)
        whole.seek(0)
        while text := whole.read(_LETTERS_AT_ONCE):
            if not _put(text):
                return


def stream_lines(lines: Iterable[str]) -> None:
    """Print each line when it is computed; if a later line fails, the last line reports the failure."""
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
    """Print texts unchanged, and tables fitted to the width of the console."""
    # A rule is one line, however long: only tables are fitted to the width. Rich itself would end the
    # program when nobody reads.
    _print_whole(f"{printable(part)}\n" if isinstance(part, str) else _drawn(part) for part in parts)


def print_text(text: str, *, at_once: bool = False) -> bool:
    """Print a text on standard output; return false if the reader of standard output has closed it."""
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
    """Drop all further output; return whether the reader closed standard output (which is not an error)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return isinstance(error, BrokenPipeError)


def main() -> None:
    """Run the command as a separate process; a signal or the memory limit ends the process cleanly."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole run
    if sys.stdout is None:
        sys.exit(_end(FAILED, "standard output is closed; use a file or pipe, such as > /dev/null"))
    ending.watch()
    sys.exit(run())


def run() -> int:
    """Run the command in `sys.argv`, and return its exit code; each error is printed as one message."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    with bound_of_a_run():
        code = _code()
    try:
        sys.stdout.flush()
    except OSError as error:
        # After a reader who has gone, as `head` does, what was found still counts.
        code = code if silence_stdout(error) else _end(FAILED, NOT_PRINTED.format(error.strerror))
    return code


@cache
def _program() -> Any:
    """Return the command `lars` for Typer. A process can run this command many times."""
    return get_command(app)


def _code() -> int:
    try:
        return _program()(standalone_mode=False, prog_name="lars") or 0
    except typer.TyperException as error:
        # Without a command there is no message: the help has been printed instead.
        sentence = _usage_problem(error.format_message())
        return _end(UNUSABLE, sentence) if sentence else UNUSABLE
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError as error:
        silence_stdout(error)
        return 0
    except SystemExit:
        return 0  # how Typer ends when who reads the help has gone
    except Exception as error:  # noqa: BLE001 - no run ends with a trace
        problem = expected_errors(error) or _as_said(error)
        if not isinstance(problem, FailedRunError):
            return _end(UNUSABLE, str(problem))
        if _outputs.get().verbose and not ending.is_ending():
            _say(traceback.format_exc().rstrip("\n"))
        return _end(FAILED, str(problem))


def _usage_problem(message: str) -> str:
    """Return the error message for a wrong command line, in the style of the other messages of `lars`."""
    # Of a choice that there is not Typer says what kind of error pydantic would call it.
    plain = message.replace("Value error, ", "").strip().rstrip(".")
    kind = next((word for word in ("option", "command") if plain.lower().startswith(f"no such {word}")), "")
    plain = re.sub(
        r"Input should be greater than or equal to (\S+)", r"expected a number of at least \1", plain
    )
    plain = re.sub(r"Input should be less than or equal to (\S+)", r"expected a number of at most \1", plain)
    missing = plain.lower().startswith("missing")
    listed = f"{kind}s" if kind else "accepted arguments and options" if missing else "accepted values"
    return f"{plain[:1].lower()}{plain[1:]}; --help lists the {listed}" if plain else ""
