"""Where the library begins: what all that it offers shares, and who is told what on the way."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from agreement.documents.options import (
    DeclaredOption,
    build,
    check_idle,
    check_names,
    declared,
    in_python,
    options_of,
)
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
class Answering:
    """How a function of the library answers: the request that it declares, and what answers one."""

    request: type[Any]
    answer: Callable[[Any, Listeners], Any]


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

            source_files, warnings, notes = SourceFiles(), list[str](), list[str]()
            listeners = Listeners(warnings.append, notes.append, progress or no_progress, source_files)
            with _deep(), _errors_in_words(), source_files.naming():
                result = answer(
                    _request_of(answer.__name__, request, inputs, keywords, source_files), listeners
                ).evaluate()
            values = {
                "warnings": tuple(map(source_files.plain, warnings)),
                "notes": tuple(map(source_files.plain, notes)),
            }
            return replace(result, **values)

        vars(called)["__signature__"] = _signature(request)
        vars(called)["answering"] = Answering(request, answer)
        return called

    return made


def answering(function: Callable[..., _Result]) -> Callable[[Any, Listeners], _Result]:
    """Return what answers a request of a function of the library."""
    command: Answering = vars(function)["answering"]
    return command.answer


def _request_of(
    name: str,
    request: type[_Request],
    inputs: Sequence[Any],
    keywords: Mapping[str, Any],
    source_files: "SourceFiles",
) -> _Request:
    """Return the request of a call; raises TypeError for what no function would take."""
    check_names(name, request, keywords)
    positional = [declared_option for declared_option in declared(request) if declared_option.option.argument]
    values = dict(keywords)
    for number, option in enumerate(positional):
        values[option.name] = inputs[number:] if option.several else inputs[number : number + 1]
        if not option.several:
            if not values[option.name] and option.needed:
                raise TypeError(f"{name}() misses {option.name}")
            values[option.name] = values[option.name][0] if values[option.name] else None
    if len(inputs) > len(positional) and not any(declared_option.several for declared_option in positional):
        raise TypeError(f"{name}() takes {len(positional)} inputs, {len(inputs)} were given")
    missing = [
        declared_option.name
        for declared_option in declared(request)
        if declared_option.needed and values.get(declared_option.name) is None
    ]
    if missing:
        raise TypeError(f"{name}() misses {missing[0]!r}")
    request_of_kind = build(
        request,
        values,
        lambda declared_option, value: in_python(
            declared_option, _as_files(declared_option, value, source_files)
        ),
    )
    entries = {
        declared_option.name if declared_option.option.argument else declared_option.flag: value
        for declared_option, value in options_of(request_of_kind)
        if _is_given(values.get(declared_option.name))
    }
    check_idle((request,), entries)
    return request_of_kind


def _is_given(value: object) -> bool:
    # A data frame cannot be asked whether it is equal to something.
    return not (value is None or value is False or (isinstance(value, tuple) and not value))


def _as_files(option: DeclaredOption, values: Any, source_files: "SourceFiles") -> Any:
    """Return what is given with files in the place of data."""
    if values is None:
        return None
    match option.option.source:
        case "trace" if option.several:
            return tuple(map(source_files.path_of, values))
        case "trace":
            return source_files.path_of(values)
        case "static" if isinstance(values, Mapping):
            return tuple(replace(source_files.static(source), graph=iri) for iri, source in values.items())
        case "static":
            several = values if isinstance(values, Sequence) and not isinstance(values, str) else (values,)
            return tuple(map(source_files.static, several))
        case "streams":
            return {iri: source_files.path_of(source) for iri, source in values.items()}
        case _:
            return values


def _signature(request: type[Any]) -> inspect.Signature:
    """Return the signature of a function of the library."""
    every = declared(request)
    kinds = inspect.Parameter
    inputs = [
        kinds(
            option.name,
            kinds.VAR_POSITIONAL if option.several else kinds.POSITIONAL_ONLY,
            default=kinds.empty if option.needed or option.several else None,
            annotation=option.keyword,
        )
        for option in every
        if option.option.argument
    ]
    keywords = [
        kinds(
            option.name,
            kinds.KEYWORD_ONLY,
            default=kinds.empty if option.needed else option.plain_default,
            annotation=option.keyword,
        )
        for option in every
        if not option.option.argument
    ]
    progress = kinds("progress", kinds.KEYWORD_ONLY, default=None, annotation="Progress | None")
    return inspect.Signature(
        [*inputs, *sorted(keywords, key=lambda parameter: parameter.default is not kinds.empty), progress]
    )


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
