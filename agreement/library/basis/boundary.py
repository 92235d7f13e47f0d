"""Where the library begins: what all that it offers shares, and who is told what on the way."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Final, ParamSpec, TypeVar, get_args, get_type_hints

from lars.errors import FailedRunError, LarsError, refused
from solver.memory import problem
from solver.settings import Progress, Warn, unsaid, unwatched

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
DEEPEST: Final = 20_000
"""Calls inside each other: the longest queries that are read have patterns 256 deep, each a few calls."""


@dataclass(frozen=True, slots=True)
class Told:
    """Who is told of surprises, of what was decided where nobody said it, and how far the work is."""

    warn: Warn = unsaid
    note: Warn = unsaid
    progress: Progress = unwatched


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said on the way, kept for the result."""

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def told(self, progress: Progress | None = None) -> Told:
        """Return who hears it."""
        return Told(self.warnings.append, self.notes.append, progress or unwatched)


def offered(run: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Make a function one of the library: what input causes is a LarsError, and help lists each keyword.

    A parameter **options whose type is a TypedDict stands for its keys; the rest of the program finds
    them by `__signature__` (PEP 362), mypy by the type (PEP 692).
    """
    signature = _flat(inspect.signature(run))

    @wraps(run)
    def called(*args: _Given.args, **options: _Given.kwargs) -> _Found:
        signature.bind(*args, **options)  # a keyword that is not there is a TypeError, as of any function
        with _deep(), _said():
            return run(*args, **options)

    vars(called)["__signature__"] = signature
    return called


def _flat(signature: inspect.Signature) -> inspect.Signature:
    found: list[inspect.Parameter] = []
    kind = inspect.Parameter.KEYWORD_ONLY
    for one in signature.parameters.values():
        if one.kind is not inspect.Parameter.VAR_KEYWORD:
            found.append(one)
            continue
        (keywords,) = get_args(one.annotation)
        found += (
            inspect.Parameter(name, kind, default=None, annotation=annotation)
            for name, annotation in get_type_hints(keywords).items()
        )
    return signature.replace(parameters=found)


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def _said() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said = foreseen(error)
        if said is None or said is error:
            raise
        raise said from error


def foreseen(error: Exception) -> LarsError | None:
    """Return what is said of an error in one message; None for one that nobody foresaw."""
    match error:
        case LarsError():
            return error
        case RecursionError():
            return LarsError("the query or program is too long or nested too deeply")
        case MemoryError():
            return FailedRunError(problem())
        case OSError() if error.filename is not None:
            return refused(error.filename, error)
    if type(error).__module__.partition(".")[0] in ("py4j", "pyspark"):
        # Loaded already, since it has raised.
        from solver.spark.session import failure

        return failure(error)
    return None
