"""The base of the functions of `agreement.api`: a function answers a request with a result.

A result contains the output of the command as text, JSON, tables and HTML. Listeners are functions that
receive the warnings and the progress of the command.
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from difflib import get_close_matches
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, Signature, cleandoc
from itertools import chain
from pathlib import Path
from textwrap import fill
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, Self, TypeVar, get_args

from rich.console import RenderableType

from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.options import (
    IdleOptions,
    build,
    check_idle,
    declared,
    groups_of,
    idle_options,
    naming,
    options_of,
)
from agreement.documents.outputs import json_text, table_text
from agreement.documents.table_files import Column, OutTable, TableValue, as_frame
from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError, pip_install, printable, system_error
from lars.options import Option, needed
from solver.memory import is_short, problem
from solver.settings import Progress, Warn, no_progress, noting, unsaid, whole

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl  # type: ignore[import-not-found]
    import pyarrow as pa

    from agreement.comparing.agree import AgreementTask
    from agreement.documents.requests import ComparisonOptions
    from agreement.experiments.junit import VerdictCase
    from agreement.results.base.sources import SourceFiles
    from agreement.results.renderings.pages.page import InlinePage, Page

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]
TermsAs = Literal["n-triples", "values", "short"]
TimesAs = Literal["given", "points"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Result(ABC):
    """The result of a command: its text output, exit code, warnings and notes."""

    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    streamed: ClassVar[bool] = False
    """Whether the output is computed while it is printed."""
    keywords_of: tuple[Option, ...] = ()
    """The options that the texts of the result name as keywords; empty on the command line."""

    @abstractmethod
    def parts(self) -> Iterable[RenderableType]:
        """Yield the parts of the command's text output: texts and tables."""

    @property
    def remarks(self) -> Iterable[str]:
        """Yield notes that are printed only with the text output, not with the JSON document."""
        return ()

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code, and an error message if the exit code does not represent a verdict."""
        return 0, None

    def evaluate(self, *, read_once: bool = False) -> Self:  # noqa: ARG002 - most results are computed
        """Compute all parts of the result that are not computed yet, and return the result.

        If `read_once` is true, only tables will be read, and only once, so that rows need not be in memory.
        """
        return self


@dataclass(frozen=True, slots=True)
class PrintedTexts(Result):
    """The texts that a command prints, and its exit code."""

    texts: tuple[str, ...]
    code: int = 0

    def parts(self) -> tuple[str, ...]:
        """Return the texts."""
        return self.texts

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code."""
        return self.code, None


@dataclass(frozen=True, slots=True)
class StreamedTexts(Result):
    """The texts that a command prints while it runs; the command runs while the caller reads the texts."""

    streamed: ClassVar[bool] = True
    texts: Iterable[str]

    def parts(self) -> Iterable[str]:
        """Return the texts."""
        return self.texts


@dataclass(frozen=True, slots=True)
class WrittenFiles(Result):
    """The result of a command that writes files.

    - `path` is the written file or folder.
    - `text` is the output of the command.
    - `files` are the names of the files in a folder or archive.
    """

    path: Path
    text: str
    files: tuple[str, ...] = ()

    def parts(self) -> tuple[str]:
        """Return the text that the command prints."""
        return (self.text,)


class Findings(Result):
    """An immutable result of a command, which can be converted to JSON, tables, text and HTML."""

    __slots__ = ()
    _main: ClassVar[str] = ""
    """The name of the main table, which functions use if no table is named."""
    verdict: ClassVar[str | None] = None
    """The name of the attribute with the verdict; None for a result without a verdict."""

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 0 if the verdict is true, 1 if the verdict is false, 3 if the verdict is open."""
        verdict = True if self.verdict is None else getattr(self, self.verdict)
        return {True: 0, False: 1, None: 3}[verdict], None

    @abstractmethod
    def document(self) -> Mapping[str, object]:
        """Return the JSON document; long lists are generated while the document is written."""

    def to_json(self) -> JsonObject:
        """Return the document that the command prints with --json."""
        document: JsonObject = {key: json_value(value) for key, value in self.document().items()}
        return document

    def json_lines(self) -> Iterable[str]:
        """Yield the lines of the JSON document that the command prints."""
        yield json_text(self.document())

    @abstractmethod
    def tables(self) -> Sequence[OutTable]:
        """Return the tables that the command writes with --out."""

    def cases(self) -> "Iterable[VerdictCase]":
        """Return the verdicts as test cases for JUnit; a test case fails if its verdict is false.

        Raises:
            LarsError: The result has no verdicts.
        """
        raise LarsError(f"cannot write test cases, because {type(self).__name__} has no verdicts")

    @property
    def dates(self) -> Dates:
        """The mapping of time points to dateTimes, if the trace has dateTimes."""
        return NO_DATES

    @property
    def origin(self) -> str | None:
        """The dateTime of time 0; None if times are integers."""
        return self.dates.zero

    def to_pandas(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pd.DataFrame":
        """Return a table of the result, by default the main table, as a data frame of pandas.

        By default, RDF terms are texts in N-Triples syntax. With terms="values", a column whose terms have
        the same datatype contains numbers, booleans or dateTimes, and any other column contains lexical forms
        and IRIs. With terms="short", terms are shortened names. By default, times are dateTimes if the trace
        has dateTimes. With times="points", times are always time points.
        """
        for name, value, accepted in (
            ("terms", terms, get_args(TermsAs)),
            ("times", times, get_args(TimesAs)),
        ):
            if value not in accepted:
                raise LarsError(f"{name}={value!r}: expected {', '.join(accepted)}")
        dated = NO_DATES if times == "points" else self.dates
        return as_frame(self._table(table), terms, dated)

    def to_arrow(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pa.Table":
        """Return a table of the result, by default the main table, in Arrow's format.

        The arguments have the same meaning as for `to_pandas`.
        """
        # Loads pyarrow, which no query needs.
        from solver.traces.formats.tables import arrow_table

        return arrow_table(self.to_pandas(table, terms=terms, times=times))

    def to_polars(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pl.DataFrame":
        """Return a table of the result, by default the main table, as a data frame of polars.

        The arguments have the same meaning as for `to_pandas`.

        Raises:
            LarsError: The package polars is not installed.
        """
        try:
            polars = import_module("polars")
        except ImportError:
            problem = f"to_polars requires polars; use {pip_install('polars')}, or to_arrow()"
            raise LarsError(problem) from None
        return polars.from_arrow(self.to_arrow(table, terms=terms, times=times))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the main table through Arrow's interface, for example for `polars.DataFrame(result)`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _table(self, name: str | None) -> OutTable:
        tables = {table.name: table for table in self.tables()}
        text = name or (self._main if self._main in tables else next(iter(tables)))
        if text not in tables:
            raise LarsError(f"table={text!r}: expected {', '.join(tables)}")
        return tables[text]

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what evaluates, which no translation needs.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import Page

        head = Page("Result", "", None, self.text.partition("\n")[0], self.warnings)
        return text_page(head, self.to_json(), self.parts())

    def write_report(self, path: str | Path, *, title: str | None = None) -> None:
        """Write the HTML report of the result, like the option --report; `title` replaces its title."""
        from agreement.results.renderings.pages.page import provenance, write_page

        page = self.page()
        write_page(Path(path), replace(page, title=title or page.title, provenance=provenance((), ())))

    def inline_report(self, height: int = 800) -> "InlinePage":
        """Return the HTML report for a notebook, in a frame of `height` pixels."""
        from agreement.results.renderings.pages.page import InlinePage, html

        return InlinePage(html(self.page()), height)

    @property
    def text(self) -> str:
        """The text output of the command."""
        return "\n".join(
            printable(part) if isinstance(part, str) else table_text(part).rstrip("\n")
            for part in self._in_keywords(self.parts())
        )

    def summary(self) -> Iterable[RenderableType]:
        """Yield the text output of the command, without the rows that tables contain."""
        return self.parts()

    @property
    def headline(self) -> str:
        """One line that summarizes the result."""
        first = next(iter(self._in_keywords(self.parts())), "")
        text = printable(first) if isinstance(first, str) else table_text(first)
        return text.strip().partition("\n")[0].rstrip()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def __bool__(self) -> bool:
        if self.verdict is None:
            return True
        # That there is a result says nothing of what it is.
        raise TypeError(f"{type(self).__name__} cannot be used as a boolean; use .{self.verdict}")

    def __str__(self) -> str:
        return "\n".join((*self._warned(), self.text))

    def _repr_html_(self) -> str:
        """Return the HTML for a notebook: the warnings, and below them the result."""
        # Loads what evaluates, which no translation needs.
        from agreement.results.renderings.pages.blocks import notebook_html

        return f"{notebook_html(self._warned())}{self.notebook_html()}"

    def notebook_html(self) -> str:
        """Return the HTML of the result for a notebook: sentences, and tables with their first rows."""
        from agreement.results.renderings.pages.blocks import notebook_html

        return notebook_html(self._in_keywords(self.for_notebooks()))

    def _warned(self) -> Sequence[str]:
        return [f"warning: {warning}" for warning in self.warnings]

    def to_markdown(self) -> str:
        """Return the result as Markdown, for example for the summary of a CI job."""
        from agreement.results.renderings.pages.blocks import markdown

        return markdown(chain(self._warned(), self._in_keywords(self.for_notebooks())))

    def _in_keywords(self, parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
        """Yield the parts of an output; in Python, sentences name keywords in place of flags."""
        from agreement.results.base.sources import in_keywords

        for part in parts:
            named = isinstance(part, str) and "--" in part and self.keywords_of
            yield in_keywords(str(part), self.keywords_of) if named else part

    def for_notebooks(self) -> Iterable[RenderableType]:
        """Yield the texts and tables that a notebook shows for the result."""
        return self.parts()


def text_table(name: str, keys: Sequence[str], rows: Iterable[Sequence[TableValue]]) -> Sequence[OutTable]:
    """Return a table of texts with the given name; the columns have the names `keys`."""
    return (OutTable(name, tuple(Column(key, str, key) for key in keys), rows),)


def lines_table(parts: Iterable[RenderableType], description: str) -> Sequence[OutTable]:
    """Return the table `lines`, which contains one row for each line that the command prints."""
    column = Column("line", str, description)
    return (OutTable("lines", (column,), ((str(line),) for line in parts)),)


def json_value(value: Any) -> JsonValue:
    """Return the value that results if JSON text of the value is parsed; an iterator results in a list."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): json_value(part) for key, part in value.items()}
        case _:
            return list(map(json_value, value))


_Request = TypeVar("_Request")
_Result = TypeVar("_Result", bound=Result)
DEEPEST: Final = 20_000
"""The limit of nested Python calls, which suffices for queries with 256 nested patterns."""


def _unstopped() -> AbstractContextManager[Event]:
    return nullcontext(Event())


@dataclass(frozen=True, slots=True)
class Listeners:
    """The functions that receive warnings, notes about chosen defaults, and progress.

    - `source_files` writes data that a Python program gives as values to temporary files.
    - `command` is the words of the command line; empty if a Python program calls the function.
    - `keeping` returns a context manager that yields an event. A signal, such as Ctrl-C, sets the event to
      end the run.
    """

    warn: Warn = unsaid
    note: Warn = unsaid
    progress: Progress = no_progress
    source_files: "SourceFiles | None" = None
    command: tuple[str, ...] = ()
    keeping: Callable[[], AbstractContextManager[Event]] = _unstopped


@dataclass(frozen=True, slots=True)
class Answering(Generic[_Result]):
    """The request type, the options and the answering function of a function of `agreement.api`."""

    request: type[Any]
    options: tuple[Option, ...]
    answer: Callable[[Any, Listeners], _Result]


def offered_functions(
    request: type[_Request], *, without: Iterable[str] = (), needs: Iterable[str] = ()
) -> Callable[[Callable[[_Request, Listeners], _Result]], Callable[..., _Result]]:
    """Return a decorator that makes a function of `agreement.api` from a function that answers requests.

    Inputs become positional arguments, and options become keywords. The keyword `progress` is a function that
    receives the progress. Invalid input raises LarsError. The attribute `__signature__` (PEP 362) contains
    the keywords for programs that inspect the function. The file `agreement/api.pyi` contains the keywords
    for mypy.

    Args:
        request: The type of the requests.
        without: The options of the request that the function does not have.
        needs: The options that the function requires.
    """
    left_out, wanted = frozenset(without), frozenset(needs)
    options = tuple(
        replace(option, default=needed, optional=False) if option.name in wanted else option
        for option in declared(request)
        if option.name not in left_out
    )
    # Which question is asked is settled: what the request says of them together is not.
    settled = () if options == declared(request) else vars(request).get("IDLE", ())
    rules = tuple(rule for rule in idle_options(request) if rule not in settled)

    def made(answer: Callable[[_Request, Listeners], _Result]) -> Callable[..., _Result]:
        @wraps(answer)
        def based(one_request: _Request, listeners: Listeners) -> _Result:
            # Loads what reads queries, which no help needs.
            from agreement.documents.requests import Around, reading_as

            around = next(groups_of(one_request, Around), Around())
            with reading_as(around), noting(listeners.note):
                return answer(one_request, listeners)

        @wraps(answer)
        def called(*inputs: Any, progress: Progress | None = None, **keywords: Any) -> _Result:
            # Loads what reads graphs and values of Python, which no command needs.
            from agreement.results.base.python_values import in_python
            from agreement.results.base.sources import SourceFiles

            if progress is not None and not callable(progress):
                problem = f"progress={progress!r} ({type(progress).__name__})"
                raise LarsError(f"{problem}; expected a function with two parameters, done and total")
            files, warnings, notes = SourceFiles(), list[str](), list[str]()
            with _deep(), _errors_in_words(), files.naming(options), whole(progress or no_progress) as done:
                listeners = Listeners(warnings.append, notes.append, done, files)
                values = _values_of(
                    answer.__name__, answer.__annotations__["return"], options, inputs, keywords
                )
                result_request = build(
                    request, values, lambda one, value: in_python(one, _as_files(one, value, files))
                )
                _check_rules(rules, result_request, values)
                result = based(result_request, listeners).evaluate()
            said = {"warnings": warnings, "notes": notes}
            return replace(
                result,
                keywords_of=options,
                **{
                    name: tuple(files.in_python(text, options) for text in texts)
                    for name, texts in said.items()
                },
            )

        vars(called)["__signature__"] = _signature(options)
        called.__doc__ = f"{cleandoc(answer.__doc__ or '')}\n\n{_described(options)}"
        vars(called)["answering"] = Answering(request, options, based)
        return called

    return made


def answering(function: Callable[..., _Result]) -> Answering[_Result]:
    """Return, for a function of `agreement.api`, its request type, options and answering function."""
    how: Answering[_Result] = vars(function)["answering"]
    return how


_METHODS: Final[Mapping[str, str]] = {
    "report": "write_report(FILE)",
    "figure": "write_figure(FILE)",
    "json": "to_json()",
    "markdown": "to_markdown()",
    "out": "to_pandas()",
}
"""For each option that only the command line has, the method of a result that does the same in Python."""


def _values_of(
    name: str, result: type, options: Sequence[Option], inputs: Sequence[Any], keywords: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the values that a call of a function gives to options, by the names of the options.

    The function returns values of the type `result`.

    Raises:
        TypeError: A keyword is unknown, a keyword is given for a positional argument, or a value is missing.
    """
    known = [option.name for option in options if not option.argument]
    for keyword in keywords:
        if any(option.argument and option.name == keyword for option in options):
            raise TypeError(f"{name}() takes {keyword!r} only by position")
        if keyword not in known:
            close = get_close_matches(keyword, known, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            method = _METHODS.get(keyword, "")
            if hasattr(result, method.partition("(")[0]):
                meant = f"; use the method {method} of the result"
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}{meant}")
    values, left = dict(keywords), list(inputs)
    for option in options:
        # A text, not a path or a trace: its // and line breaks stay.
        if option.last_input and values.get(option.name) is None and left and isinstance(left[-1], str):
            values[option.name] = left.pop()
    positional = [option for option in options if option.argument]
    for option in positional:
        if option.several:
            values[option.name] = tuple(left)
            left.clear()
        elif not left and option.needed:
            raise TypeError(f"{name}() requires the argument {option.name}")
        elif left and left[0] is None and option.needed:
            raise LarsError(f"{option.name}: found null (NoneType); expected a path or a text")
        else:
            values[option.name] = left.pop(0) if left else None
    if left:
        several = "s" * (len(positional) > 1)
        raise TypeError(f"{name}() takes {len(positional)} input{several}, {len(inputs)} given")
    for option in options:
        if option.needed and values.get(option.name) is None:
            raise TypeError(f"{name}() requires the argument {option.name!r}")
    return values


def _check_rules(rules: Iterable[IdleOptions], request: Any, values: Mapping[str, Any]) -> None:
    """Raise LarsError if the user gives an option that has no effect."""
    entries = {
        option.name if option.argument else option.flag: value
        for option, value in options_of(request)
        if _is_given(values.get(option.name))
    }
    check_idle(rules, entries)


def _is_given(value: object) -> bool:
    # A data frame cannot be asked whether it is equal to something.
    return not (value is None or value is False or (isinstance(value, tuple) and not value))


def _as_files(option: Option, values: Any, files: "SourceFiles") -> Any:
    """Return the values of an option; values that are data, such as tables, are replaced by written files."""
    if values is None or option.source is None:
        return values
    # Loads what reads values of Python, which no command needs.
    from agreement.results.base.python_values import item_name, naming_keyword

    if option.argument and option.several:
        paths: list[Path] = []
        for place, each in enumerate(values):
            with naming(partial(item_name, option, place)):
                paths.append(files.path_of(each))
        return tuple(paths)
    if option.argument:
        with naming(lambda: option.name):
            return files.path_of(values)
    with naming_keyword(option, values):
        return _files_of(option, values, files)


def _files_of(option: Option, values: Any, files: "SourceFiles") -> Any:
    match option.source:
        case "trace" if option.several:
            return tuple(map(files.path_of, values if isinstance(values, list | tuple) else (values,)))
        case "trace":
            return files.path_of(values)
        case "static" if isinstance(values, Mapping):
            return tuple(replace(files.static(source), graph=iri) for iri, source in values.items())
        case "static":
            several = (
                values if isinstance(values, Sequence) and not isinstance(values, str | bytes) else (values,)
            )
            return tuple(map(files.static, several))
        case "streams":
            return {iri: files.path_of(source) for iri, source in values.items()}
        case _:
            return values


def _described(options: Sequence[Option]) -> str:
    """Return the `Args:` section of a docstring, with the help texts of inputs and options."""
    inputs = [option for option in options if option.argument]
    keywords = [option for option in options if not option.argument]
    entries = [*((f"{'*' if each.several else ''}{each.name}", each.help) for each in inputs)]
    entries += [(each.name, _of_python(each)) for each in keywords]
    entries.append(("progress", "Called with the finished and the total number of steps."))
    wrapped = partial(fill, width=100, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return "\n".join(("Args:", *(wrapped(f"{name}: {text}") for name, text in entries)))


def _of_python(option: Option) -> str:
    """Return the help text of an option, with keywords (such as `to`) in place of flags (`--to`)."""
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda flag: flag[1].replace("-", "_"), option.help)
    return text.replace(" Repeatable.", "")


def _signature(options: Sequence[Option]) -> Signature:
    """Return the signature of a function of `agreement.api`: inputs, required keywords, other keywords."""
    parameters = sorted(
        map(_parameter, options),
        key=lambda parameter: (parameter.kind, parameter.default is not Parameter.empty),
    )
    progress = Parameter("progress", Parameter.KEYWORD_ONLY, default=None, annotation="Progress | None")
    return Signature([*parameters, progress])


def _parameter(option: Option) -> Parameter:
    if option.argument and option.several:
        return Parameter(option.name, Parameter.VAR_POSITIONAL, annotation=option.python_type)
    kind = Parameter.POSITIONAL_ONLY if option.argument else Parameter.KEYWORD_ONLY
    default = Parameter.empty if option.needed else option.plain_default
    return Parameter(option.name, kind, default=default, annotation=option.python_type)


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def _errors_in_words() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said = expected_errors(error)
        if said is None or said is error:
            raise
        raise said from error


def expected_errors(error: Exception) -> LarsError | None:
    """Return an expected error as a LarsError with one message; None for an unexpected error."""
    match error:
        case LarsError():
            return error
        case RecursionError():
            return LarsError("the query or program is too long or nested too deeply")
        case MemoryError():
            return FailedRunError(problem())
        case ImportError() | RuntimeError() | OSError() if is_short(error):
            return FailedRunError(problem())
        case OSError() if error.filename is not None:
            return system_error(error.filename, error)
    if type(error).__module__.partition(".")[0] in ("py4j", "pyspark"):
        # Loaded already, since it has raised.
        from solver.spark.session import failure

        return failure(error)
    return None


def comparison_on(inputs: tuple[Path, ...], options: "ComparisonOptions", warn: Warn) -> "AgreementTask":
    """Return the comparison of push and pull that an experiment describes, or of given queries on traces."""
    from agreement.comparing.agree import tasks
    from agreement.documents.requests import experiment_in

    if (path := experiment_in(inputs)) is None:
        return tasks.on_files(inputs, options)
    # The schema of experiments takes as long to load as a short command. Only an experiment loads it.
    from agreement.experiments.as_input import on_read
    from agreement.experiments.experiment import read_experiment

    return on_read(read_experiment(path), options, warn)


def name_of(path: Path) -> str:
    """Return the name of an input for a title; a text that a Python program gives has no file extension."""
    from agreement.documents.values import shown_path

    return path.stem if shown_path(path) != path and path.suffix in (".rq", ".lars") else path.name


def title_of(inputs: Sequence[Path]) -> str:
    """Return a title for a report: the title of the experiment, or the names of the input files."""
    from agreement.documents.requests import experiment_in

    if (path := experiment_in(inputs)) is None:
        return ", ".join(map(name_of, inputs))
    from agreement.experiments.experiment import read_experiment

    return read_experiment(path).file.title or path.resolve().name
