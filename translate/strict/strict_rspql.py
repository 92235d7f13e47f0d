"""Two kinds of RSP-QL parsers: the grammar of RSP4J and YASPER, and the regular expressions of RSP-JS."""

import re
from functools import partial
from typing import Final

from lars.errors import place_at
from translate.dialects.by_lines import LineWindow, TextPart, as_graphs, read_lines
from translate.errors import QueryError
from translate.model.manner import SIZE
from translate.sparql import tokenize
from translate.sparql.syntax_tree import SPARQL, Grammar
from translate.strict.engine_parsers import check_prefixes, parsed, reject_operators

_GRAMMAR: Final = Grammar(
    "translate.strict",
    "rsp4j",
    {
        "length": (
            re.compile(
                r"-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
                r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?(?!\w)",
                re.ASCII | re.IGNORECASE,
            ),
            "a duration as in PT10S",
        ),
        "size": SIZE,
    },
    partial(reject_operators, "RSP4J"),
)


def check_rsp4j(text: str, source: str) -> None:
    """Raise QueryError if the grammar of RSP4J rejects the query.

    The check does not resolve names: neither prefixes nor window names need a declaration.
    """
    parsed(tokenize(text, source, rdf12=False), _GRAMMAR)


_SHAPE: Final = "FROM NAMED WINDOW :name ON STREAM :stream [RANGE integer STEP integer] in a line of its own"
_BLOCK: Final = "WINDOW in capitals at the start of a line"
_FROM_ONE_ON: Final = re.compile("0*[1-9][0-9]*", re.ASCII)
_RS_NAME: Final = re.compile("<[^<>]*>|[^<:]*:[^:]*")
_SIGNED: Final = re.compile("[+]?0*[1-9][0-9]{0,18}", re.ASCII)
_LARGEST: Final = 2**63 - 1


def check_rsp_js(text: str, source: str) -> None:
    """Raise QueryError if RSP-JS would ignore a window or a WINDOW block of the query, or finds no window."""
    for window in _line_windows(text, source, "RSP-JS", each_word=False):
        _check_names(window, text, source)
        for length in (window.width, window.step):
            if not _FROM_ONE_ON.fullmatch(length[0]):
                raise _error(text, source, length, f"found {length[0]}; expected an integer from 1 on")


def check_rsp_rs(text: str, source: str) -> None:
    """Raise QueryError if rsp-rs would ignore a window or a WINDOW block, or rejects the query.

    rsp-rs reads an invalid length as 0, so each length must be an integer from 1 to 2^63 - 1.
    """
    for window in _line_windows(text, source, "rsp-rs", each_word=True):
        _check_names(window, text, source)
        for name in (window.name, window.stream):
            if not _RS_NAME.fullmatch(name[0]):
                problem = f"found {name[0]}; expected an IRI in < and >, or a name with one colon"
                raise _error(text, source, name, problem)
        for length in (window.width, window.step):
            if not _SIGNED.fullmatch(length[0]) or int(length[0]) > _LARGEST:
                accepted = f"an integer from 1 to {_LARGEST}"
                raise _error(text, source, length, f"found {length[0]}; expected {accepted}")
    _check_sparql(text, source)


def _line_windows(text: str, source: str, engine: str, *, each_word: bool) -> tuple[LineWindow, ...]:
    """Return the windows that a line-based parser finds; raise QueryError at a clause that it ignores."""
    windows: list[LineWindow] = []
    for found in read_lines(text, each_word=each_word):
        if isinstance(found, LineWindow):
            windows.append(found)
            continue
        clause, taken_out = found
        problem = f"found {clause[0]}; {engine} reads {_BLOCK}, or {_SHAPE}"
        if taken_out:
            what = "a window" if clause[0].startswith("FROM") else "text behind REGISTER"
            problem = f"found {what} that {engine} does not see; expected {_SHAPE}"
        raise _error(text, source, clause, problem)
    if not windows:
        raise QueryError(place_at(source, text, 0), f"found no window that {engine} reads; expected {_SHAPE}")
    return tuple(windows)


def _check_names(window: LineWindow, text: str, source: str) -> None:
    for name, iri in zip((window.name, window.stream), window.names, strict=True):
        if not iri:
            accepted = "an IRI, or a prefix that a line PREFIX name: <iri> above declares"
            raise _error(text, source, name, f"found {name[0]}; expected {accepted}")


def _error(text: str, source: str, part: TextPart, problem: str) -> QueryError:
    return QueryError(place_at(source, text, part[1]), problem)


def _without_windows(text: str) -> str:
    """Return the SPARQL text that rsp-rs passes to Oxigraph; each WINDOW block becomes a GRAPH block.

    Spaces replace the window clauses, so all other characters keep their places.
    """
    lines = list[str]()
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        before, words = line[: len(line) - len(line.lstrip())], line.lstrip()
        if words.startswith(("REGISTER", "FROM NAMED WINDOW")):
            words = re.sub(r"[^\n]", " ", words)
        else:
            words = as_graphs(words, each_word=True)
        lines.append(before + words)
    return "".join(lines)


def _check_sparql(text: str, source: str) -> None:
    """Raise QueryError if the query without its window clauses is not valid SPARQL."""
    document = tokenize(_without_windows(text), source, rdf12=False)
    check_prefixes(document)
    parsed(document, SPARQL)
