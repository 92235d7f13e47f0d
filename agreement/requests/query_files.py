"""Files of queries and programs, as commands read them, and the windows that a query reads."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from lars.analysis import literal_form
from lars.durations import Duration
from lars.errors import LarsError, PlacedError
from lars.files import exists, read_text
from lars.formulas import Among, Assign, Comparison, Gather, Test
from lars.program import Program
from lars.terms import Iri, Number, Variable
from lars.text import notation
from lars.windows import Bounds
from translate.analysis import rebuilt, stream_blocks
from translate.dialects import read_query
from translate.patterns import Pattern, StreamBlock
from translate.query import EngineQuery, Language, MergedStream
from translate.sparql import check_absolute, tokenize
from translate.windows import WindowExpression, window_operator

QUERY_SUFFIXES = (".rq", ".sparql", ".csparql", ".cqels")
PROGRAM_SUFFIX = ".lars"
EXPERIMENT_FILE: Final = "experiment.toml"
_RULE: Final = re.compile(r"←|:-\s")


def is_experiment(path: Path) -> bool:
    """Return whether a path names an experiment: a folder, or a TOML file."""
    return path.suffix == Path(EXPERIMENT_FILE).suffix or exists(path, folder=True)


def load_query(
    path: Path, unit: Duration, engine: Language | None = None, *, opaque: bool = False
) -> EngineQuery:
    """Return the query of a file, in C-SPARQL or CQELS; raises as query_in does."""
    return query_in(query_text(path), str(path), unit, engine, opaque=opaque)


def query_text(path: Path) -> str:
    """Return the text of a query's file."""
    return read_text(path, "a file with a C-SPARQL or CQELS query")


def read_once(text: str, source: str, engine: Language | None = None, *, opaque: bool = False) -> EngineQuery:
    """Return the query of a text as read_query does, or raise, without reading it anew for each user."""
    found = _read(text, source, engine, opaque)
    if isinstance(found, LarsError):
        raise found
    return found


@lru_cache
def _read(text: str, source: str, engine: Language | None, opaque: bool) -> EngineQuery | LarsError:
    try:
        return read_query(text, source, engine, opaque=opaque)
    except LarsError as error:
        return error


def query_in(
    text: str, source: str, unit: Duration, engine: Language | None = None, *, opaque: bool = False
) -> EngineQuery:
    """Return the query of a text, which messages call `source`.

    Its windows are checked to be whole numbers of the unit, while the source is known.
    """
    try:
        if not opaque:  # what is translated alone meets no data
            check_absolute(tokenize(text, source))
        query = read_once(text, source, engine, opaque=opaque)
    except LarsError as error:
        if not _RULE.search(text):
            raise
        raise LarsError(
            f"{error}\nIs it no query? a LARS program's file is named *{PROGRAM_SUFFIX}"
        ) from None
    for one in sources(query):
        try:
            window_operator(one.window, one.stream, unit, Bounds.CLOSED)
        except LarsError as error:
            raise LarsError(f"{source}: the window {one.window} of {one.stream}: {error}") from None
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
    # Loads rdflib and clingo, which no query needs.
    from solver.rdf.calls import checked

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
                    literal_form(literal)
        except LarsError as error:
            raise PlacedError(placed.literals[number], str(error)) from None


def _check_numbers(part: object) -> None:
    """Raise for a number that the solver can't hold, wherever it stands in a head or literal."""
    match part:
        case Number():
            from solver.facts import symbol

            symbol(part)
        case tuple():
            for one in part:
                _check_numbers(one)
        case _ if is_dataclass(part):
            for one in fields(part):
                _check_numbers(getattr(part, one.name))


@dataclass(frozen=True, slots=True)
class WindowSource:
    """A window of a query on a stream, with its name in RSP-QL; blocks that read the same share it."""

    stream: Iri | Variable
    window: WindowExpression
    name: Iri | None = None

    def __str__(self) -> str:
        return f"{self.window} on {self.stream}"


def sources(query: EngineQuery) -> tuple[WindowSource, ...]:
    """Return the windows of a query in the order of its text, each once."""
    merged = (WindowSource(part.stream, part.window) for part in (*query.merged, *query.declared))
    blocks = (WindowSource(block.stream, block.window, block.name) for block in stream_blocks(query.pattern))
    return tuple(dict.fromkeys((*merged, *blocks)))


def with_sources(query: EngineQuery, change: Callable[[WindowSource], WindowSource]) -> EngineQuery:
    """Return the query with each source replaced by what `change` gives for it."""

    def block(part: Pattern) -> Pattern | None:
        if not isinstance(part, StreamBlock):
            return None
        source = change(WindowSource(part.stream, part.window, part.name))
        return replace(part, stream=source.stream, window=source.window)

    def merged(part: MergedStream) -> MergedStream:
        source = change(WindowSource(part.stream, part.window))
        assert isinstance(source.stream, Iri)
        return MergedStream(source.stream, source.window)

    return replace(
        query,
        merged=tuple(map(merged, query.merged)),
        declared=tuple(map(merged, query.declared)),
        pattern=rebuilt(query.pattern, block),
    )
