"""Files that a command reads as text."""

from pathlib import Path

from lars.errors import LarsError
from translate.dialects import read_query
from translate.query import EngineQuery, Language

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


def load_query(path: Path, engine: Language | None = None) -> EngineQuery:
    """Return the query of a file, in C-SPARQL or CQELS."""
    return read_query(read_text(path, "a file with a C-SPARQL or CQELS query"), str(path), engine)
