"""Templates of terms: as Turtle writes them, with {column} for what a cell of a table holds.

In an IRI what no IRI can hold is escaped, but for <{column}>, which is all of one (as in R2RML, 2012,
Section 7.3). {column} alone is a literal of its own type.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lars.errors import LarsError
from lars.language.terms import XSD, Literal
from solver.rdf import NotATerm, canonical, short

CELL: Final = re.compile(r"\{([^{}]+)\}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9\-._~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd]")
_RDF_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LITERAL: Final = re.compile(r'"(?P<text>.*)"(?:\^\^(?P<type>\S+)|@(?P<tag>[A-Za-z0-9\-]+))?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Template:
    """A template: the texts between its cells, their columns, and how what a cell holds is written.

    `texts` is one longer than `columns`. Without `writer` the one cell is a literal of its own type.
    """

    texts: tuple[str, ...]
    columns: tuple[str, ...]
    writer: Callable[[str], str] | None


def read_template(text: str, prefixes: Mapping[str, str]) -> Template:
    """Return a template; raises LarsError for what is no term.

    >>> read_template("ex:place/{place}", {"ex": "http://e/"}).texts
    ('<http://e/place/', '>')
    """
    if alone := CELL.fullmatch(text):
        return Template(("", ""), (alone[1],), None)
    if literal := _LITERAL.fullmatch(text):
        behind = f"^^{_iri(literal['type'], prefixes)}" if literal["type"] else ""
        behind = behind or (f"@{literal['tag']}" if literal["tag"] else "")
        opened, *between = CELL.split(literal["text"])[::2]
        texts = [f'"{_escaped(opened)}', *map(_escaped, between)]
        texts[-1] += f'"{behind}'
        _check(text, texts)
        return Template(tuple(texts), tuple(CELL.findall(text)), _escaped)
    whole = text[1:-1] if re.fullmatch(r"<\{[^{}]+\}>", text) else None
    iri = f"<{whole}>" if whole else _iri(text, prefixes)
    texts = CELL.split(iri)[::2]
    if not whole:
        _check(text, texts)
    return Template(tuple(texts), tuple(CELL.findall(iri)), str if whole else _safe)


def _check(template: str, texts: Sequence[str]) -> None:
    """Raise LarsError for a template that is no term once cells are filled in."""
    try:
        canonical("0".join(texts))
    except NotATerm as error:
        raise LarsError(f"the template {short(template)} is no term: {error}") from None


def _iri(text: str, prefixes: Mapping[str, str]) -> str:
    """Return an IRI in < >, which may hold cells; raises LarsError where it is none."""
    if text.startswith("<") and text.endswith(">"):
        return text
    if text == "a":
        return f"<{_RDF_TYPE}>"
    prefix, colon, local = text.partition(":")
    known = {"xsd": XSD, **prefixes}
    if colon and prefix in known and not local.startswith("//"):
        return f"<{known[prefix]}{local}>"
    if colon and local.startswith("//"):
        return f"<{text}>"
    listed = ", ".join(f"{one}:" for one in known)
    if colon and re.fullmatch(r"[\w.-]*", prefix):
        accepted = f"--prefix {prefix}=IRI, in experiments a line of [prefixes] (known: {listed})"
        raise LarsError(f"found the template {short(text)}, and no prefix {prefix}:; accepted: {accepted}")
    accepted = f'an IRI, bare, in < > or by a prefix ({listed}), a "literal", or {{column}}'
    raise LarsError(f"found the template {short(text)}; accepted: {accepted}")


def _safe(value: str) -> str:
    """Return what a cell holds as a part of an IRI (R2RML's IRI-safe version)."""
    return _UNSAFE.sub(lambda one: "".join(f"%{byte:02X}" for byte in one[0].encode()), value)


def _escaped(value: str) -> str:
    """Return a text as it stands between the quotes of a literal."""
    return str(Literal(value))[1:-1]


def read_predicate(text: str, prefixes: Mapping[str, str]) -> str:
    """Return the text of a predicate; raises LarsError for what is no IRI."""
    iri = _iri(text, prefixes)
    _check(text, [iri])
    return iri
