"""Functions on strings, dates and hashes, computed by pyoxigraph (SPARQL 1.1, Section 17.4).

It receives terms as values, never as query text. What it gets wrong is computed in `operators`, or
spelled for it as `replaced` does. None is an error.
"""

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final

import pyoxigraph as ox

from lars.terms import Constant, Iri, Literal
from solver.values import FALSE

_CACHED: Final = 2**16
_UNARY: Final = (
    *("IRI", "URI", "STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI"),
    *("MD5", "SHA1", "SHA256", "SHA384", "SHA512"),
    *("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ"),
)
_BINARY: Final = ("STRLANG", "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES")

NATIVE: Final[dict[str, tuple[int, int | None]]] = {
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_BINARY, (2, 2)),
    **dict.fromkeys(("SUBSTR", "REGEX"), (2, 3)),
    "CONCAT": (0, None),
}
"""The functions that pyoxigraph computes, with the least and the greatest number of arguments."""


def replaced(text: Constant, pattern: Constant, by: Constant, *flags: Constant) -> Constant | None:
    """Return REPLACE (17.4.3.15); a pattern that matches the empty text is an error (FORX0003)."""
    if not isinstance(pattern, Literal) or not isinstance(by, Literal):
        return None
    if native("REGEX", Literal(""), pattern, *flags) != FALSE:
        return None
    if any(isinstance(flag, Literal) and "q" in flag.lexical for flag in flags):
        return native("REPLACE", text, pattern, replace(by, lexical=by.lexical.replace("$", "$$")), *flags)
    if not _REPLACEMENT.fullmatch(by.lexical):
        return None
    groups = len(_GROUP.findall(pattern.lexical))
    return native(
        "REPLACE", text, pattern, replace(by, lexical=_PART.sub(partial(_part, groups), by.lexical)), *flags
    )


def _part(groups: int, found: re.Match[str]) -> str:
    r"""Return XPath's `$12`, `\$` and `\\` in the spelling of pyoxigraph's regular expressions."""
    text = found.group()
    if text[0] == "\\":
        return text.replace("\\$", "$$").replace("\\\\", "\\")
    digits = 1 + max((n for n in range(1, len(text)) if int(text[1 : n + 1]) <= groups), default=1)
    return f"${{{text[1:digits]}}}{text[digits:]}"


_REPLACEMENT = re.compile(r"(?s)(?:[^\\$]|\\[\\$]|\$[0-9])*")
_PART = re.compile(r"\\[\\$]|\$[0-9]+")
_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\((?!\?)")

_STORE = ox.Store()


@lru_cache(maxsize=_CACHED)
def native(function: str, *arguments: Constant) -> Constant | None:
    """Return what pyoxigraph computes; `function` is one of NATIVE, REPLACE or a cast's IRI in brackets."""
    names = [ox.Variable(f"a{position}") for position in range(len(arguments))]
    listed = [f"?{name.value}" for name in names]
    query = f"SELECT {' '.join(listed)} ({function}({', '.join(listed)}) AS ?result) {{}}"
    try:
        bound: dict[ox.Variable, Any] = dict(zip(names, map(_handed_over, arguments), strict=True))
    except ValueError:
        return None
    solutions: Any = _STORE.query(query, substitutions=bound)
    (solution,) = solutions
    return _taken_back(solution["result"])


def _handed_over(term: Constant) -> ox.NamedNode | ox.Literal:
    match term:
        case Iri(text):
            return ox.NamedNode(text)
        case Literal(lexical, _, str(language)):
            return ox.Literal(lexical, language=language)
        case Literal(lexical, datatype):
            return ox.Literal(lexical, datatype=ox.NamedNode(datatype))
        case _:
            raise ValueError(term)  # no function on strings or dates has a value on it


def _taken_back(term: Any) -> Constant | None:
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    return None if term is None else Literal(term.value, term.datatype.value, term.language)
