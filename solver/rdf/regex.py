r"""REGEX and REPLACE (SPARQL 1.1, 17.4.3.14 and 15): XPath's regular expressions in those of pyoxigraph.

Spelled anew are subtraction in a class (`[a-z-[aeiou]]`), \i and \c (what XML names begin with and
consist of), the flag x, which leaves classes and # alone, and in a replacement `$12`, `\$` and `\\`.
Back-references, which pyoxigraph does not have, are computed by Python's `re`. None is an error.
"""

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, TypeGuard

from lars.language.terms import Constant, Literal
from solver.rdf.functions import is_text, native
from solver.rdf.values import FALSE, check_length, literal, value

_CACHED: Final = 1024
_START: Final = (
    r":A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_CLASSES: Final = {"i": _START, "c": _START + r"\-.0-9\xB7\u0300-\u036F\u203F-\u2040"}
_PIECE = re.compile(r"\\.|.", re.DOTALL)
_BLANK: Final = " \t\r\n"
_BACKWARDS = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]")
_REPLACEMENT = re.compile(r"(?s)(?:[^\\$]|\\[\\$]|\$[0-9])*")
_PART = re.compile(r"\\[\\$]|\$[0-9]+")
_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\((?!\?)")


def matches(text: Constant, *asked: Constant) -> Constant | None:
    """Return REGEX of a text, a pattern and perhaps flags: whether it matches some part of the text."""
    match _prepared(*asked):
        case None:
            return None
        case re.Pattern() as expression:
            return literal(expression.search(text.lexical) is not None) if is_text(text) else None
        case prepared:
            return native("REGEX", text, *prepared)


def replace_matches(text: Constant, pattern: Constant, by: Constant, *flags: Constant) -> Constant | None:
    """Return REPLACE; a pattern that matches the empty text is an error (FORX0003)."""
    if not _is_plain(by) or matches(Literal(""), pattern, *flags) != FALSE:
        return None
    prepared = _prepared(pattern, *flags)
    if prepared is None:
        return None
    if isinstance(prepared, re.Pattern):
        return _replaced_by_python(text, prepared, by.lexical)
    written, *kept = prepared
    if any("q" in flag.lexical for flag in kept):
        return native("REPLACE", text, written, Literal(by.lexical.replace("$", "$$")), *kept)
    if not _REPLACEMENT.fullmatch(by.lexical):
        return None
    groups = len(_GROUP.findall(written.lexical))
    return native("REPLACE", text, written, Literal(_PART.sub(partial(_part, groups), by.lexical)), *kept)


@lru_cache(maxsize=_CACHED)
def _prepared(
    pattern: Constant, flags: Constant | None = None
) -> tuple[Literal, ...] | re.Pattern[str] | None:
    """Return pattern and flags for pyoxigraph, or what Python's `re` makes of them, or None: an error."""
    if not _is_plain(pattern) or not (flags is None or _is_plain(flags)):
        return None
    written, kept = python_pattern(pattern.lexical, "" if flags is None else flags.lexical)
    if _BACKWARDS.search(written) and "q" not in kept:
        return _python(written, kept)
    return (Literal(written), Literal(kept)) if kept else (Literal(written),)


def _is_plain(term: Constant) -> TypeGuard[Literal]:
    return isinstance(value(term), str)


def python_pattern(pattern: str, flags: str) -> tuple[str, str]:
    r"""Return pattern and flags as pyoxigraph understands them.

    >>> python_pattern(r"[a-z-[aeiou]] # \#", "ix")
    ('[a-z--[aeiou]]#\\#', 'i')
    """
    if "q" in flags:
        return pattern, flags.replace("x", "")
    depth, parts = 0, []
    pieces = _PIECE.findall(pattern)
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece in _BLANK and "x" in flags and not depth:
            continue
        depth += (piece == "[") - (piece == "]" and depth > 0)
        parts.append(_spelled(piece, following) if depth or piece[0] == "\\" else piece)
    return "".join(parts), flags.replace("x", "")


def _spelled(piece: str, following: str) -> str:
    """Return a piece inside a class, or an escape."""
    if piece == "-" and following == "[":
        return "--"
    if piece in ("&", "~"):  # twice they are operators on classes there
        return f"\\{piece}"
    if len(piece) == 2 and piece[1].lower() in _CLASSES:  # noqa: PLR2004 - an escape
        characters = _CLASSES[piece[1].lower()]
        return f"[{'^' * piece[1].isupper()}{characters}]"
    return piece


def _part(groups: int, found: re.Match[str]) -> str:
    """Return a part of a replacement in the spelling of pyoxigraph."""
    text = found.group()
    if text[0] == "\\":
        return "$$" if text[1] == "$" else "\\"
    digits = _digits(groups, text)
    return f"${{{text[1:digits]}}}{text[digits:]}"


def _digits(groups: int, text: str) -> int:
    """Return where the number of a group ends in `$123`: it takes as many digits as there are groups."""
    return 1 + max((n for n in range(1, len(text)) if int(text[1 : n + 1]) <= groups), default=1)


def _python(pattern: str, flags: str) -> re.Pattern[str] | None:
    """Return a pattern with back-references for Python; None where Python's syntax has no word for it."""
    if set(flags) - set("smi") or re.search(r"\[[^\]]*\[|\\[pP]", pattern):
        return None
    if "m" not in flags:  # there $ is before a last line break too
        pattern = re.sub(r"(\\.|\[[^\]]*\])|\$", lambda found: found[1] or r"\Z", pattern)
    try:
        return re.compile(pattern, sum((re.RegexFlag[flag.upper()] for flag in set(flags)), re.NOFLAG))
    except re.error:
        return None


def _replaced_by_python(text: Constant, expression: re.Pattern[str], by: str) -> Constant | None:
    if not is_text(text) or not _REPLACEMENT.fullmatch(by):
        return None

    def part(match: re.Match[str], found: re.Match[str]) -> str:
        inside = found.group()
        if inside[0] == "\\":
            return inside[1]
        digits = _digits(expression.groups, inside)
        number = int(inside[1:digits])
        return ((match.group(number) or "") if number <= expression.groups else "") + inside[digits:]

    check_length(len(text.lexical) * len(by))
    new = expression.sub(lambda match: _PART.sub(partial(part, match), by), text.lexical)
    return replace(text, lexical=new)
