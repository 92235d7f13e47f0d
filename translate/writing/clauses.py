"""REGISTER and FROM: the clauses of a query that say its name, its dataset and its streams."""

import re
from typing import Final

from lars.terms import Iri
from translate.query import EngineQuery, Form, Language, ToStream
from translate.writing.dialect import Dialect
from translate.writing.patterns import Lines
from translate.writing.windows import write_duration, write_window

_MERGING: Final = {
    Language.CSPARQL: "FROM STREAM",
    Language.SPARQLSTREAM: "FROM NAMED STREAM",
    Language.RSPQL: "FROM WINDOW ON",  # of the drafts: RSP4J has no window in the default graph
}
_PLAIN_NAME: Final = re.compile(r"[\w.:/-]+")
_BRACKETED_NAME: Final = re.compile(r"[^<>\s]+")
_WORDS: Final = frozenset(("AS", "COMPUTED", "EVERY"))
_UNNAMED: Final = "answers"
"""The name of a query from another language where REGISTER is needed, which has a name."""


def write_registration(query: EngineQuery, dialect: Dialect) -> Lines:
    """Return the line of REGISTER, or none; raise where an operator on streams has no words."""
    match dialect.language:
        case Language.CSPARQL:
            _check_operator(query, dialect, "it reports all answers")
            return _csparql(query, dialect)
        case Language.CQELS:
            _check_operator(query, dialect, "its text has no such operator")
            return []
        case Language.SPARQLSTREAM:
            if query.form is not Form.SELECT:
                _check_operator(query, dialect, "it has the operator behind SELECT only")
            return []
        case Language.RSPQL:
            return _rspql(query, dialect)


def _check_operator(query: EngineQuery, dialect: Dialect, accepted: str) -> None:
    if query.to_stream not in (None, ToStream.RSTREAM):
        construct = f"{query.to_stream.value} of {query.form.value}"
        raise dialect.cannot(construct, accepted)


def _csparql(query: EngineQuery, dialect: Dialect) -> Lines:
    name = query.name
    if query.language is not Language.CSPARQL:
        # Of a name both parsers of the engine accept letters and digits only.
        name = re.sub("[^A-Za-z0-9]", "", (name or "").rstrip("/").rpartition("/")[2]) or _UNNAMED
    if name is None:
        return []
    return [f"REGISTER {_kind(query)} {_name(name, dialect)}{_every(query, dialect)} AS"]


def _kind(query: EngineQuery) -> str:
    return "STREAM" if query.registers_stream else "QUERY"


def _every(query: EngineQuery, dialect: Dialect) -> str:
    return "" if query.every is None else f" COMPUTED EVERY {write_duration(query.every, dialect.language)}"


def _name(name: str, dialect: Dialect) -> str:
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _WORDS:
        return name
    if _BRACKETED_NAME.fullmatch(name):
        return f"<{name}>"
    raise dialect.cannot(f"the query name {name!r}", "a name is a word or an IRI")


def _rspql(query: EngineQuery, dialect: Dialect) -> Lines:
    """Return REGISTER RSTREAM <name> AS of RSP4J; only what the drafts alone have is written as there."""
    if query.name is None and (query.to_stream is None or query.language is Language.RSPQL):
        return []
    name = dialect.terms.full(Iri(query.name or _UNNAMED))
    if _is_draft(query):
        return [f"REGISTER {_kind(query)} {name}{_every(query, dialect)} AS"]
    return [f"REGISTER {(query.to_stream or ToStream.RSTREAM).value} {name} AS"]


def _is_draft(query: EngineQuery) -> bool:
    """Whether REGISTER has words for the name alone: the operator stands behind SELECT."""
    whole = query.to_stream is not None and query.registers_stream and query.every is None
    return query.language is Language.RSPQL and not (query.name is not None and whole)


def operator_of(query: EngineQuery, dialect: Dialect) -> str:
    """Return the operator that stands behind SELECT or CONSTRUCT, or nothing."""
    behind = dialect.language is Language.SPARQLSTREAM and query.form is Form.SELECT
    behind = behind or (dialect.language is Language.RSPQL and _is_draft(query))
    return query.to_stream.value if behind and query.to_stream is not None else ""


def write_dataset(query: EngineQuery, dialect: Dialect) -> Lines:
    """Return the FROM clauses, the streams last; raise where the language merges none."""
    full, language = dialect.terms.full, dialect.language
    _check_streams(query, dialect)
    words = _MERGING.get(language, "")
    return [
        *(f"FROM {full(graph)}" for graph in query.dataset.default),
        *(f"FROM NAMED {full(graph)}" for graph in query.dataset.named),
        *(f"{words} {full(part.stream)} {write_window(part.window, language)}" for part in query.merged),
        *(_declarations(dialect) if language is Language.RSPQL else ()),
    ]


def _declarations(dialect: Dialect) -> Lines:
    full = dialect.terms.full
    return [
        f"FROM NAMED WINDOW <{name}> ON {full(part.stream)} {write_window(part.window, dialect.language)}"
        for part, name in dialect.windows
    ]


def _check_streams(query: EngineQuery, dialect: Dialect) -> None:
    """Raise at streams that are merged into the default graph, or read by no pattern, where none can be."""
    if query.merged and dialect.language not in _MERGING:
        construct = f"that {query.merged[0].stream} is merged into the default graph"
        accepted = "its STREAM blocks say which patterns are read from a stream (--assign can)"
        raise dialect.cannot(construct, accepted)
    if query.declared and dialect.language is not Language.RSPQL:
        construct = f"the window on {query.declared[0].stream}, which no pattern reads"
        raise dialect.cannot(construct, "it has a window only where its triples are read")
