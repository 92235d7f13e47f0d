"""Where the library begins: what all that it offers shares, and who is told what on the way."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from agreement.documents.options import Option, build, check_idle, declared, in_python, options_of
from agreement.results.base.findings import Result
from lars.errors import FailedRunError, LarsError, system_error
from lars.files import exists
from solver.memory import problem
from solver.settings import Progress, Warn, no_progress, unsaid

if TYPE_CHECKING:
    from agreement.results.base.sources import SourceFiles

_Request = TypeVar("_Request")
_Result = TypeVar("_Result", bound=Result)
DEEPEST: Final = 20_000
"""Calls inside each other: the longest queries that are read have patterns 256 deep, each a few calls."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told of surprises, of what was decided where nobody said it, and how far the work is.

    `source_files` holds the files that stand for data that were given by value, if any were; `command` is
    what was typed, where a command asks.
    """

    warn: Warn = unsaid
    note: Warn = unsaid
    progress: Progress = no_progress
    source_files: "SourceFiles | None" = None
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answering(Generic[_Result]):
    """How a function of the library answers: the request that it declares, and what answers one."""

    request: type[Any]
    answer: Callable[[Any, Listeners], _Result]


def offered_functions(
    request: type[_Request],
) -> Callable[[Callable[[_Request, Listeners], _Result]], Callable[..., _Result]]:
    """Make what answers a request a function of the library, whose keywords are the request's options.

    Inputs stand first, then keywords alone; `progress` is told how far the work is. What input causes
    is a LarsError. The rest of the program finds the keywords by `__signature__` (PEP 362), mypy in
    the stub of `agreement.api`.
    """

    def made(answer: Callable[[_Request, Listeners], _Result]) -> Callable[..., _Result]:
        @wraps(answer)
        def called(*inputs: Any, progress: Progress | None = None, **keywords: Any) -> _Result:
            # Loads what reads graphs, which no command needs.
            from agreement.results.base.sources import SourceFiles

            files, warnings, notes = SourceFiles(), list[str](), list[str]()
            listeners = Listeners(warnings.append, notes.append, progress or no_progress, files)
            with _deep(), _errors_in_words(), files.naming():
                result_request = _request_of(answer.__name__, request, inputs, keywords, files)
                result = answer(result_request, listeners).evaluate()
            said = {"warnings": tuple(map(files.plain, warnings)), "notes": tuple(map(files.plain, notes))}
            return replace(result, **said)

        vars(called)["__signature__"] = _signature(request)
        vars(called)["answering"] = Answering(request, answer)
        return called

    return made


def answering(function: Callable[..., _Result]) -> Answering[_Result]:
    """Return how a function of the library answers."""
    how: Answering[_Result] = vars(function)["answering"]
    return how


def _request_of(
    name: str,
    request: type[_Request],
    inputs: Sequence[Any],
    keywords: Mapping[str, Any],
    files: "SourceFiles",
) -> _Request:
    """Return the request of a call; raises TypeError for what no function would take."""
    options = declared(request)
    known = [option.name for option in options]
    for keyword in keywords:
        if keyword not in known:
            close = get_close_matches(keyword, known, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}{meant}")
    values, left = dict(keywords), list(inputs)
    positional = [option for option in options if option.argument]
    for option in positional:
        if option.several:
            values[option.name] = tuple(left)
            left.clear()
        elif not left and option.needed:
            raise TypeError(f"{name}() misses {option.name}")
        else:
            values[option.name] = left.pop(0) if left else None
    if left:
        raise TypeError(f"{name}() takes {len(positional)} inputs, {len(inputs)} were given")
    for option in options:
        if option.needed and values.get(option.name) is None:
            raise TypeError(f"{name}() misses {option.name!r}")
    result_request = build(
        request, values, lambda option, value: in_python(option, _as_files(option, value, files))
    )
    entries = {
        option.name if option.argument else option.flag: value
        for option, value in options_of(result_request)
        if _is_given(values.get(option.name))
    }
    check_idle((request,), entries)
    return result_request


def _is_given(value: object) -> bool:
    # A data frame cannot be asked whether it is equal to something.
    return not (value is None or value is False or (isinstance(value, tuple) and not value))


def _as_files(option: Option, values: Any, files: "SourceFiles") -> Any:
    """Return what is given with files in the place of data."""
    if values is None:
        return None
    match option.source:
        case "trace":
            return tuple(map(files.path_of, values)) if option.several else files.path_of(values)
        case "static" if isinstance(values, Mapping):
            return tuple(replace(files.static(source), graph=iri) for iri, source in values.items())
        case "static":
            several = values if isinstance(values, Sequence) and not isinstance(values, str) else (values,)
            return tuple(map(files.static, several))
        case "streams":
            return {iri: files.path_of(source) for iri, source in values.items()}
        case _:
            return values


def _signature(request: type[Any]) -> Signature:
    """Return the signature of a function of the library: inputs, keywords that are needed, others."""
    parameters = sorted(
        map(_parameter, declared(request)),
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


def check_replaceable(path: Path | None, mark: str, written: str, option: str = "--out ") -> None:
    """Raise LarsError where a folder holds anything but what was `written` before, with a file `mark`."""
    if path is None or not exists(path):
        return
    if not exists(path, folder=True) or (any(path.iterdir()) and not exists(path / mark)):
        raise LarsError(f"{option}{path}: it is there; accepted: a new folder, or one that {written}")


def expected_errors(error: Exception) -> LarsError | None:
    """Return what is said of an error in one message; None for one that nobody foresaw."""
    match error:
        case LarsError():
            return error
        case RecursionError():
            return LarsError("the query or program is too long or nested too deeply")
        case MemoryError():
            return FailedRunError(problem())
        case OSError() if error.filename is not None:
            return system_error(error.filename, error)
    if type(error).__module__.partition(".")[0] in ("py4j", "pyspark"):
        # Loaded already, since it has raised.
        from solver.spark.session import failure

        return failure(error)
    return None
