"""Checks of JSON-LD documents: remote contexts and relative IRIs are rejected."""

import json
import re
from bisect import bisect_left
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Final

import pyoxigraph

from lars.language.terms import XSD
from solver.rdf import NotATerm, short

NOWHERE: Final = "x-lars-relative:///x/"
"""A base IRI that makes relative IRIs of JSON-LD recognizable; without a base, the parser drops them."""

_HALF: Final = re.compile(
    r"(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}"
)

_DEEPEST: Final = 500
JSON_TEXT: Final = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"')
_IDENTIFIES: Final = re.compile(r'"@(?:id|type)"\s*:\s*\Z')
_MOST_DIGITS: Final = 20
"""The number of digits up to which the parser of JSON-LD reads an integer as an xsd:integer."""
_TOKEN: Final = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|-?[0-9][0-9.eE+-]*')


def read_document(text: str) -> object:
    """Return the content of a JSON-LD document, in which numbers are strings with all their digits.

    Raises:
        JSONDecodeError: The text is not JSON, or has an integer that becomes another number; the error
            contains the place.
        ValueError: Brackets are nested too deeply.
    """
    changed = list[str]()

    def integer(number: str) -> str:
        if len(number.lstrip("-")) > _MOST_DIGITS and Decimal(number) != Decimal(float(number)):
            changed.append(number)
        return number

    try:
        document: object = json.loads(text, parse_int=integer, parse_float=str)
        check_depth(document, _DEEPEST)
    except RecursionError:
        raise ValueError(f"brackets inside brackets, more than {_DEEPEST} deep") from None
    if changed:
        place = next(match.start() for match in _TOKEN.finditer(text) if match[0] == changed[0])
        # As JSON-LD 1.1 (2020, API, Section 8.6) demands from 10^21 on.
        raise json.JSONDecodeError(
            f"JSON-LD reads the integer {short(changed[0])} as a double, which has other digits; use "
            f'{{"@value": "{short(changed[0])[1:-1]}", "@type": "{XSD}integer"}}',
            text,
            place,
        )
    # Only an escape can write half a character, which no parser of RDF takes, nor names.
    if half := _HALF.search(text.replace(r"\\", "  ")):
        raise json.JSONDecodeError(f"{half[0]} is not a valid character", text, half.start())
    return document


def offset_of_iri(text: str, problem: str) -> int | None:
    """Return the offset, in a JSON document, of the IRI with which a problem begins.

    An IRI is in the document as a string. If the string occurs several times, the offset is the offset of its
    first use as @id or @type.

    Returns:
        None if the document does not contain the IRI, for example because the IRI has a prefix.
    """
    places = [
        match.start()
        for match in JSON_TEXT.finditer(text)
        if problem.startswith(short(f"<{json.loads(match[0], strict=False)}>"))
    ]
    sure = (place for place in places if _IDENTIFIES.search(text, max(0, place - 20), place))
    return next(sure, next(iter(places), None))


def check_depth(document: object, most: int) -> None:
    """Raise RecursionError for a document that is nested more than `most` levels deep.

    Other parsers would crash the process.
    """
    level = [document]
    for _ in range(most):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
        ]
        if not level:
            return
    raise RecursionError


def remote_context(document: object) -> str | None:
    """Return the address of a JSON-LD context outside of the document; None if no such context is used.

    >>> remote_context([{"@context": ["https://schema.org/", {}]}])
    'https://schema.org/'
    """
    waiting = [document]
    while waiting:
        match waiting.pop():
            case dict() as node:
                named = node.get("@context")
                contexts = named if isinstance(named, list) else [named]
                imported = [] if node.get("@import") is None else [str(node["@import"])]
                if remote := [*(one for one in contexts if isinstance(one, str)), *imported]:
                    return remote[0]
                waiting += node.values()
            case list() as nodes:
                waiting += nodes
            case _:
                pass
    return None


_ODD: Final = re.compile(r"""[\x00-\x20<>"{}|^`\\]""")
_PLAIN: Final = rb"""[^\x00-\x20<>"{}|^`\\]*+"""
# Atomic: what is between texts, such as an array of numbers, is read once.
_PERHAPS_ODD: Final = re.compile(rb'[^"]*+(?>(?:"' + _PLAIN + rb'"[^"]*+)*)"' + _PLAIN + rb'[^"]')


def check_whole(data: bytes, statements: int) -> None:
    """Raise NotATerm if a JSON-LD document has a malformed IRI, since the parser drops triples with it.

    `statements` is the number of statements that the parser returned.
    """
    if not _PERHAPS_ODD.match(data):
        return
    document, odd = read_document(data.decode()), list[str]()
    if _count(_mended(document, odd, None)) == statements:
        return
    # The first texts of which so many have to be mended until a statement more is there.
    texts = [*dict.fromkeys(odd)]
    first = bisect_left(
        range(len(texts)), True, key=lambda n: _count(_mended(document, [], {*texts[: n + 1]})) > statements
    )
    text = texts[min(first, len(texts) - 1)]
    raise NotATerm.of(f"<{text}>", "it has a character that no IRI has")


def _count(document: object) -> int:
    data = json.dumps(document).encode()
    return sum(1 for _ in pyoxigraph.parse(data, format=pyoxigraph.RdfFormat.JSON_LD, base_iri=NOWHERE))


def _mended(value: object, odd: list[str], only: AbstractSet[str] | None) -> object:
    """Return a JSON value with `_` in place of each character that is not allowed in IRIs.

    Texts with such characters are added to `odd`. If `only` is given, only texts in `only` are changed.
    """
    match value:
        case str():
            if not _ODD.search(value):
                return value
            odd.append(value)
            return _ODD.sub("_", value) if only is None or value in only else value
        case dict():
            return {
                _mended(key, odd, only): 1.1 if key == "@version" else _mended(each, odd, only)
                for key, each in value.items()
            }
        case list():
            return [_mended(each, odd, only) for each in value]
        case _:
            return value


def check_absolute(texts: tuple[str | None, ...]) -> None:
    """Raise NotATerm if a term of a statement is a relative IRI, or has a relative IRI as datatype."""
    for text in texts:
        # Of a literal what is behind its last quote: its datatype.
        iri = (text or "")[(text or "").rfind('"') + 1 :].removeprefix("^^")
        if found := _RELATIVE.match(iri):
            raise NotATerm.of(f"<{iri[found.end() :]}", "a relative IRI has no meaning here")


_RELATIVE: Final = re.compile(r"<x-lars-relative:(?:///x/|//(?=/))?")
"""A pattern of the beginning of an IRI that was relative.

The IRI was relative to the document, to its root, or to its scheme (such as //e/x).
"""
