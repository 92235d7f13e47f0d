"""Files that a command reads as text."""

from collections.abc import Iterator
from pathlib import Path

from lars.durations import Duration
from lars.errors import LarsError
from lars.terms import Iri
from lars.windows import Bounds
from translate.dialects import read_query
from translate.query import EngineQuery, Language
from translate.strategies import stream_blocks
from translate.windows import WindowExpression, window_operator

QUERY_SUFFIXES = (".rq", ".sparql", ".csparql", ".cqels")
PROGRAM_SUFFIX = ".lars"


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


def load_query(path: Path, unit: Duration, engine: Language | None = None) -> EngineQuery:
    """Return the query of a file, in C-SPARQL or CQELS.

    Its windows are checked to be whole numbers of the unit, while the file is known.
    """
    query = read_query(read_text(path, "a file with a C-SPARQL or CQELS query"), str(path), engine)
    for stream, window in windows_of(query):
        try:
            window_operator(window, stream, unit, Bounds.CLOSED)
        except LarsError as error:
            raise LarsError(f"{path}: the window {window} of {stream}: {error}") from None
    return query


def windows_of(query: EngineQuery) -> Iterator[tuple[Iri, WindowExpression]]:
    """Yield each stream that a query reads, with its window, in the order of the text."""
    yield from ((part.stream, part.window) for part in query.merged)
    yield from ((block.stream, block.window) for block in stream_blocks(query.pattern))
