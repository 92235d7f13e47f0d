"""Files that a command reads or rewrites as text."""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Final

from lars import notation
from lars.durations import Duration
from lars.errors import LarsError, PlacedError
from lars.formulas import Among, Assign, Comparison, Gather, Test
from lars.program import Program
from lars.seen import seen
from lars.terms import Iri, Number, Variable
from lars.windows import Bounds
from solver.calls import checked
from solver.terms import symbol
from translate.dialects import read_query
from translate.query import EngineQuery, Language
from translate.strategies import stream_blocks
from translate.windows import WindowExpression, window_operator

QUERY_SUFFIXES = (".rq", ".sparql", ".csparql", ".cqels")
PROGRAM_SUFFIX = ".lars"


_RULE: Final = re.compile(r"←|:-\s")


def read_text(path: Path, accepted: str) -> str:
    """Return a file's text; one message names a file that is missing or no text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LarsError(f"{path}: byte {error.start} is no UTF-8; accepted: {accepted}") from None
    except IsADirectoryError:
        raise LarsError(f"{path}: a folder; accepted: {accepted}") from None
    except FileNotFoundError:
        raise LarsError(f"{path}: no such file; accepted: {accepted}") from None
    except (OSError, ValueError) as error:
        raise LarsError(f"{path}: cannot be read: {error}; accepted: {accepted}") from None


def read_input(accepted: str) -> str:
    """Return the text of standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise LarsError(f"-: byte {error.start} is no UTF-8; accepted: {accepted}") from None


def rewrite(path: Path, text: str) -> None:
    """Put a text in a file's place at once: whoever reads it meanwhile sees the old or the new one."""
    target = path.resolve()
    try:
        # In the same folder, since a rename works inside one file system only.
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            new = Path(folder) / target.name
            new.write_text(text, encoding="utf-8")
            shutil.copymode(target, new)
            new.replace(target)
    except OSError as error:
        raise LarsError(f"{path}: cannot be written: {error}") from None


def load_query(path: Path, unit: Duration, engine: Language | None = None) -> EngineQuery:
    """Return the query of a file, in C-SPARQL or CQELS; raises as query_in does."""
    return query_in(read_text(path, "a file with a C-SPARQL or CQELS query"), str(path), unit, engine)


def query_in(text: str, source: str, unit: Duration, engine: Language | None = None) -> EngineQuery:
    """Return the query of a text, which messages call `source`.

    Its windows are checked to be whole numbers of the unit, while the source is known.
    """
    try:
        query = read_query(text, source, engine)
    except LarsError as error:
        if not _RULE.search(text):
            raise
        raise LarsError(
            f"{error}\nIs it no query? a LARS program's file is named *{PROGRAM_SUFFIX}"
        ) from None
    for stream, window in windows_of(query):
        try:
            window_operator(window, stream, unit, Bounds.CLOSED)
        except LarsError as error:
            raise LarsError(f"{source}: the window {window} of {stream}: {error}") from None
    return query


def load_program(path: Path, *, covered: bool = True) -> Program:
    """Return the LARS program of a file.

    Raises LarsError with place and caret where it is no program or not safe, and when `covered`
    for a formula or condition that the encoding, by which programs are solved, does not know.
    """
    placed = notation.read_placed(read_text(path, "a LARS program"), str(path))
    if covered:
        for rule in placed:
            _check_covered(rule)
    return Program(tuple(rule.rule for rule in placed))


def _check_covered(placed: notation.Placed) -> None:
    try:
        _check_numbers(placed.rule.head)
    except LarsError as error:
        raise PlacedError(placed.place, str(error)) from None
    for number, literal in enumerate(placed.rule.body):
        try:
            _check_numbers(literal)
            match literal:
                case Comparison() | Gather() | Among():
                    continue
                case Test(expression) | Assign(_, expression):
                    tuple(checked(expression))
                case _:
                    seen(literal)
        except LarsError as error:
            raise PlacedError(placed.literals[number], str(error)) from None


def _check_numbers(part: object) -> None:
    """Raise for a number that the solver can't hold, wherever it stands in a head or literal."""
    match part:
        case Number():
            symbol(part)
        case tuple():
            for one in part:
                _check_numbers(one)
        case _ if is_dataclass(part):
            for one in fields(part):
                _check_numbers(getattr(part, one.name))


def windows_of(query: EngineQuery) -> Iterator[tuple[Iri | Variable, WindowExpression]]:
    """Yield each stream that a query reads, with its window, in the order of the text."""
    yield from ((part.stream, part.window) for part in (*query.merged, *query.declared))
    yield from ((block.stream, block.window) for block in stream_blocks(query.pattern))
