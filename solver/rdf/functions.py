r"""Functions on terms: REGEX, strings, dates and hashes by pyoxigraph, casts, distances, and other functions.

The functions are those of SPARQL 1.1, Sections 17.4 and 17.5, and geof:distance in metres between points in
WKT (GeoSPARQL 1.0, 8.7.3). None is an error.

XPath's regular expressions are rewritten for pyoxigraph (`xpath_patterns`), and also `$12`, `\$` and `\` in a
replacement. Python's `re` computes back-references, which pyoxigraph lacks.
"""

import math
import re
import sys
import uuid
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Final, TypeGuard
from warnings import catch_warnings

import pyoxigraph as ox

from lars.language.terms import NULL, XSD, Blank, Constant, Iri, Literal, Number, tagged
from solver.rdf.terms import SURROGATES, tag_of
from solver.rdf.values import (
    FALSE,
    INTEGERS,
    CalendarTime,
    Single,
    check_length,
    convert,
    later,
    literal,
    numeric,
    scientific,
    value,
)

if TYPE_CHECKING:
    from solver.rdf.back_references import BackReferences, Spans

_EXPRESSIONS_HELD: Final = 1024
_BACKWARDS = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]")
_MANY = re.compile(r"\{[0-9,]*[0-9]{2}\}")
_MOST_NESTED: Final = 50
"""The maximum depth of groups in a pattern with back-references; a guess that Python's limit allows."""
_REPLACEMENT = re.compile(r"(?s)(?:[^\\$]|\\[\\$]|\$[0-9])*")
_PART = re.compile(r"\\[\\$]|\$[0-9]+")
_OPENINGS = re.compile(r"(?s)\\.|[\[\]]|\((?!\?)")
_CLASS_PIECES = re.compile(r"(?s)\\[pP]\{[^{}]*\}|\\.|.")
_UNKNOWN_TO_PYTHON = re.compile(r"(?s)\A\\[pP]|\A\[(?:\\[^pPx]|[^\\\[])*(?:\\[pPx]|\[)")
"""A class, or an escape outside classes, with a category or a block of characters, or with a class in it."""
_REFERENCES = re.compile(rf"(\\[1-9][0-9]+)|{_OPENINGS.pattern.removeprefix('(?s)')}", re.DOTALL)


def matches(text: Constant, *terms: Constant) -> Constant | None:
    """Return the result of REGEX: whether a pattern, the first of `terms`, matches a part of the text."""
    prepared = _prepared(*terms)
    if prepared is None:
        return None
    if isinstance(prepared, tuple):
        return native("REGEX", text, *prepared)
    return literal(bool(prepared.matches(text.lexical, 1))) if is_text(text) else None


def replace_matches(text: Constant, pattern: Constant, by: Constant, *flags: Constant) -> Constant | None:
    """Return the result of REPLACE; None for an error, such as a pattern that matches the empty text."""
    if not _is_plain(by) or matches(Literal(""), pattern, *flags) != FALSE:
        return None
    prepared = _prepared(pattern, *flags)
    if prepared is None:
        return None
    if not isinstance(prepared, tuple):
        return _replaced_by_python(text, prepared, by.lexical)
    written, *kept = prepared
    if any("q" in flag.lexical for flag in kept):
        return native("REPLACE", text, written, Literal(by.lexical.replace("$", "$$")), *kept)
    if not _REPLACEMENT.fullmatch(by.lexical):
        return None
    groups = _groups(written.lexical)
    return native("REPLACE", text, written, Literal(_PART.sub(partial(_part, groups), by.lexical)), *kept)


@lru_cache(maxsize=_EXPRESSIONS_HELD)
def _prepared(
    pattern: Constant, flags: Constant | None = None
) -> "tuple[Literal, ...] | BackReferences | None":
    """Return a pattern and flags for pyoxigraph, or a pattern for Python's `re`, or None for an error."""
    if not _is_plain(pattern) or not (flags is None or _is_plain(flags)):
        return None
    # Loads what only regular expressions need.
    from solver.rdf.xpath_patterns import oxigraph_pattern

    spelled = oxigraph_pattern(pattern.lexical, "" if flags is None else flags.lexical)
    if spelled is None:
        return None
    written, kept = spelled
    if "q" not in kept and (_BACKWARDS.search(written) or _is_too_large(written)):
        return _python(written, kept, pattern.lexical)
    return (Literal(written), Literal(kept)) if kept else (Literal(written),)


def _is_too_large(pattern: str) -> bool:
    """Return whether pyoxigraph rejects the pattern only because of its size."""
    return bool(_MANY.search(pattern)) and native("REGEX", Literal(""), Literal(pattern)) is None


def _is_plain(term: Constant) -> TypeGuard[Literal]:
    return isinstance(value(term), str)


def _groups(pattern: str) -> int:
    """Return the number of groups in a pattern; parentheses inside a character class form no group."""
    depth = groups = 0
    for piece in _OPENINGS.findall(pattern):
        groups += piece == "(" and not depth
        depth += (piece == "[") - (piece == "]" and depth > 0)
    return groups


def _part(groups: int, match: re.Match[str]) -> str:
    """Return a matched part of REPLACE's replacement text in the notation of pyoxigraph."""
    text = match.group()
    if text[0] == "\\":
        return "$$" if text[1] == "$" else "\\"
    digits = _digits(groups, text)
    return f"${{{text[1:digits]}}}{text[digits:]}"


def _digits(groups: int, text: str) -> int:
    """Return the index at which the group number, at most `groups`, in a text such as `$123` ends."""
    numbers = accumulate(map(int, text[1:]), lambda number, digit: 10 * number + digit)
    return 1 + max(1, sum(1 for _ in takewhile(lambda number: number <= groups, numbers)))


def _python(pattern: str, flags: str, text: str) -> "BackReferences | None":
    """Return a pattern with back-references for Python's `re`, or None if `re` cannot express it."""
    if set(flags) - set("smi"):
        return None
    pattern = _with_references(_with_listed_classes(pattern, "i" if "i" in flags else ""))
    bare = re.sub(r"\\.", "a", pattern)  # without escapes: a bracket of a class is none of a text
    # Python compiles groups inside groups by recursion, whose limit is another one in each process.
    depths = accumulate((piece == "(") - (piece == ")") for piece in bare if piece in "()")
    if max(depths, default=0) > _MOST_NESTED:
        return None
    if "m" not in flags:  # there $ is before a last line break too
        pattern = re.sub(r"(\\.|\[[^\]]*\])|\$", lambda match: match[1] or r"\Z", pattern)
    try:
        # Python warns of what other versions of it may read otherwise.
        with catch_warnings(action="ignore"):
            compiled = re.compile(
                pattern, sum((re.RegexFlag[flag.upper()] for flag in set(flags)), re.NOFLAG)
            )
    except (re.error, OverflowError, RecursionError):  # a count or a depth beyond Python's limits
        return None
    # Loads what only such patterns need.
    from solver.rdf.back_references import BackReferences

    return BackReferences(pattern, compiled.flags, compiled.groups, text)


def _with_listed_classes(pattern: str, flags: str) -> str:
    """Return a pattern in which ranges of characters replace the classes that Python's `re` cannot express.

    Such a class contains a category or a block of characters, or another class.
    """
    parts, depth, start = list[str](), 0, 0
    for piece in _CLASS_PIECES.finditer(pattern):
        text = piece.group()
        depth += (text == "[") - (text == "]" and depth > 0)
        if depth == 0:
            whole = pattern[start : piece.end()]
            # Before such a group, the class already contains the variants of its letters.
            own = "" if pattern.endswith("(?-i:", 0, start) else flags
            parts.append(_ranges(whole, own) if _UNKNOWN_TO_PYTHON.search(whole) else whole)
            start = piece.end()
    return "".join((*parts, pattern[start:]))


@lru_cache(maxsize=_EXPRESSIONS_HELD)
def _ranges(characters: str, flags: str) -> str:
    """Return a class of pyoxigraph as a class of Python's `re` that consists of ranges of characters."""
    options = (Literal(flags),) if flags else ()
    others = Literal(f"[^{characters}]")
    # Not from the cache, where each of the long texts would stay.
    chosen = native.__wrapped__("REPLACE", Literal(_every_character()), others, Literal(""), *options)
    if not isinstance(chosen, Literal):
        return characters  # it is wrong in both notations
    codes = list(map(ord, chosen.lexical))
    begins = [code for before, code in zip([-2, *codes], codes, strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], -2], strict=False) if after != code + 1]
    ranges = "".join(f"\\U{begin:08x}-\\U{end:08x}" for begin, end in zip(begins, ends, strict=True))
    return f"(?-i:[{ranges}])" if ranges else "(?!)"


@cache
def _every_character() -> str:
    return "".join(chr(code) for code in range(sys.maxunicode + 1) if code not in SURROGATES)


def _with_references(pattern: str) -> str:
    r"""Return a pattern in which `\10` means group 1 and then 0, unless ten groups begin before it.

    Python reads all digits as one number (F&O 3.1, 5.6.1: only as many digits as there are such groups).
    """
    groups = depth = 0

    def separated(match: re.Match[str]) -> str:
        nonlocal groups, depth
        piece = match.group()
        groups += piece == "(" and not depth
        depth += (piece == "[") - (piece == "]" and depth > 0)
        digits = len(piece) if match[1] is None else _digits(groups, piece)
        return f"{piece[:digits]}(?:){piece[digits:]}" if piece[digits:] else piece

    return _REFERENCES.sub(separated, pattern)


def _replaced_by_python(text: Constant, expression: "BackReferences", by: str) -> Constant | None:
    if not is_text(text) or not _REPLACEMENT.fullmatch(by):
        return None

    given = text.lexical

    def part(spans: "Spans", digits_match: re.Match[str]) -> str:
        inside = digits_match.group()
        if inside[0] == "\\":
            return inside[1]
        digits = _digits(expression.groups, inside)
        number = int(inside[1:digits].lstrip("0") or "0")
        group = given[slice(*spans[number])] if number <= expression.groups and spans[number][0] >= 0 else ""
        return group + inside[digits:]

    check_length(len(given) * len(by))
    pieces, end = list[str](), 0
    for spans in expression.matches(given):
        pieces += [given[end : spans[0][0]], _PART.sub(partial(part, spans), by)]
        end = spans[0][1]
    return replace(text, lexical="".join((*pieces, given[end:])))


_CACHED: Final = 2**16
_SELDOM: Final = 16
_UNARY: Final = (
    *("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI"),
    *("MD5", "SHA1", "SHA256", "SHA384", "SHA512"),
    *("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ"),
)
_OF_DATES: Final = frozenset((*_UNARY[-8:], *map(f"<{XSD}{{}}>".format, ("dateTime", "date", "time"))))
_LONG_DATE: Final = re.compile(
    r"(-?[0-9]+(?=-[0-9]{2}-))?([-T:0-9]*?[0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_BINARY: Final = ("STRLANG", "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES")

NATIVE: Final[dict[str, tuple[int, int | None]]] = {
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_BINARY, (2, 2)),
    "CONCAT": (0, None),
}
"""The functions that pyoxigraph computes, with the minimum and the maximum number of arguments."""


_STORE = ox.Store()
_Handed = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


@lru_cache(maxsize=_CACHED)
def native(function: str, *arguments: Constant, base: str | None = None) -> Constant | None:
    """Return the result that pyoxigraph computes for a function, or None for an error.

    `function` is a name of SPARQL, or the IRI of a cast in angle brackets.
    """
    lengths = [len(term.lexical) if isinstance(term, Literal) else 0 for term in arguments]
    # All that is replaced is seldom all there is.
    check_length(lengths[0] * lengths[2] // _SELDOM if function == "REPLACE" else sum(lengths))
    names, query = _question(function, len(arguments))
    try:
        bound: dict[ox.Variable, _Handed] = dict(zip(names, map(_handed_over, arguments), strict=True))
    except ValueError:
        return None
    solutions = _STORE.query(query, substitutions=bound, base_iri=base)
    assert isinstance(solutions, ox.QuerySolutions)
    (solution,) = solutions
    result = _taken_back(solution["result"])
    return _of_long_date(function, *arguments) if result is None and function in _OF_DATES else result


def _of_long_date(function: str, term: Constant) -> Constant | None:
    """Return the result of a function on a date whose year or fraction has too many digits for pyoxigraph."""
    if not isinstance(term, Literal) or not isinstance(value(term), CalendarTime):
        return None
    parts = _LONG_DATE.fullmatch(term.lexical)
    assert parts is not None
    year, between, fraction, zone = parts.groups("")
    # The calendar repeats after 400 years.
    cycles, near = divmod(int(year), 400) if year else (0, 0)
    shorter = f"{2000 + near}" if year else ""
    if (year, fraction) == (shorter, ""):
        return None
    part = native(function, replace(term, lexical=f"{shorter}{between}{zone}"))
    if not isinstance(part, Literal):
        return None
    match function:
        case "YEAR":
            return literal(int(part.lexical) + 400 * cycles - 2000)
        case "SECONDS":
            return literal(Decimal(part.lexical) + Decimal(f"0{fraction}"))
    if function in _UNARY or (written := _LONG_DATE.fullmatch(part.lexical)) is None:
        return part
    year, between, _, zone = written.groups("")
    number = int(year) + 400 * cycles - 2000 if year else 0
    begin = f"{'-' * (number < 0)}{abs(number):04}" if year else ""
    return replace(part, lexical=f"{begin}{between}{fraction if ':' in between else ''}{zone}")


@cache
def _question(function: str, count: int) -> tuple[list[ox.Variable], str]:
    """Return variables for a function's arguments, and a SPARQL query that computes the function."""
    names = [ox.Variable(f"a{position}") for position in range(count)]
    texts = [f"?{name.value}" for name in names]
    return names, f"SELECT {' '.join(texts)} ({function}({', '.join(texts)}) AS ?result) {{}}"


def _handed_over(term: Constant) -> ox.NamedNode | ox.Literal:
    match term:
        case Iri(text):
            return ox.NamedNode(text)
        case Literal(lexical, _, str(tag)):
            language, _, direction = tag.partition("--")
            way = ox.BaseDirection(direction) if direction else None
            return ox.Literal(lexical, language=language, direction=way)
        case Literal(lexical, datatype):
            return ox.Literal(lexical, datatype=ox.NamedNode(datatype))
        case _:
            raise ValueError(term)  # no function on strings or dates has a value on it


def _taken_back(term: _Handed | None) -> Constant | None:
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    return Literal(term.value, term.datatype.value, tag_of(term)) if isinstance(term, ox.Literal) else None


def directed(text: Constant, language: Constant, direction: Constant) -> Constant | None:
    """Return the result of STRLANGDIR (SPARQL 1.2): a text with a language tag and a base direction."""
    known = native("STRLANG", text, language)
    if not isinstance(known, Literal) or known.language is None or direction not in _DIRECTIONS:
        return None
    return tagged(known.lexical, f"{known.language}--{direction.lexical}")


_DIRECTIONS: Final = (Literal("ltr"), Literal("rtl"))


def resolve(text: Constant, base: Constant | None = None) -> Constant | None:
    """Return the result of IRI (17.4.2.8), which resolves the text of a relative IRI against `base`."""
    if isinstance(text, Iri):
        return text
    if not isinstance(value(text), str):
        return None
    try:
        return native("IRI", text, base=base.lexical if isinstance(base, Literal) else None)
    except ValueError:  # a base that is not an IRI
        return None


def is_text(term: Constant) -> TypeGuard[Literal]:
    """Return whether a term is a plain or language-tagged string, which string functions require."""
    return isinstance(term, Literal) and native("STRLEN", term) is not None


def substring(text: Constant, start: Constant, length: Constant | None = None) -> Constant | None:
    """Return the result of SUBSTR: `length` characters of a text from position `start` (from 1) on.

    As in XPath's fn:substring, start and length are rounded and may be outside the text. NaN selects no
    characters.
    """
    first, count = _position(start), None if length is None else _position(length)
    if first is None or (count is None) != (length is None) or not is_text(text):
        return None
    unbounded = [number for number in (first, count) if isinstance(number, float)]
    # NaN from -INF + INF too; without a length, only the start counts.
    end = math.inf if count is None else sum(unbounded) if unbounded else first + count
    chosen = "".join(name for place, name in enumerate(text.lexical, 1) if first <= place < end)
    return replace(text, lexical=chosen)


def _position(term: Constant) -> float | None:
    """Return the number of a term, rounded to an integer; halves are rounded upwards."""
    number = numeric(term)
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return number if number is None else float(number)
    return math.floor(Fraction(number) + Fraction(1, 2))


_PLAIN: Final = (1e-6, 1e6)  # between them XPath writes a double without an exponent
_MOMENTS: Final = ("dateTime", "date", "time")
_DURATIONS: Final = ("duration", "dayTimeDuration", "yearMonthDuration")
_PARTS_OF_DATES: Final = ("gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")
_TEXTUAL: Final = frozenset(map(f"<{XSD}{{}}>".format, (*_DURATIONS, *_PARTS_OF_DATES)))
"""The types, as names of casts, that have no value here, and whose literals a cast turns into strings."""
_TEXTS: Final = {
    XSD + "anyURI": re.compile(r"(?s).*"),
    XSD + "normalizedString": re.compile(r"[^\t\n\r]*"),
    XSD + "token": re.compile(r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?"),
    XSD + "language": re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*"),
}
"""Other types without a value here whose literals a cast turns into strings, with their lexical forms."""
CASTS: Final = ("string", "boolean", *INTEGERS, "decimal", "float", "double", *_MOMENTS)
"""The XSD types that `cast` supports; SPARQL 1.1, 17.5 names seven of them, XPath defines the other casts."""


def cast(kind: str, term: Constant) -> Constant | None:
    """Return the term cast to an XSD type (17.5); a text may have blanks around its lexical form."""
    given = value(term)
    if isinstance(term, Iri) and kind == "string":
        return Literal(term.value)
    if isinstance(given, CalendarTime):
        return native(f"<{XSD}{kind}>", term) if kind in ("string", *_MOMENTS) else None
    if isinstance(given, str) and kind != "string" and isinstance(term, Literal):
        read = Literal(given.strip(" \t\r\n"), XSD + kind)
        number = value(read)
        return (
            None if number is None else read if isinstance(number, CalendarTime) else _as_kind(kind, number)
        )
    if given is None and kind == "string" and isinstance(term, Literal):
        if (shape := _TEXTS.get(term.datatype)) is not None:
            return Literal(term.lexical) if shape.fullmatch(term.lexical) else None
        # The result of TIMEZONE is one; an invalid lexical form has no cast to its own type.
        own = f"<{term.datatype}>"
        return native("STR", known) if own in _TEXTUAL and (known := native(own, term)) else None
    return None if given is None or kind in _MOMENTS else _as_kind(kind, given)


def _integer(kind: str, number: int) -> Literal | None:
    """Return the literal of a number with an integer type; None if the number is outside its range."""
    written = literal(number)
    integer = None if written is None else Literal(written.lexical, XSD + kind)
    return None if value(integer) is None else integer


def _as_kind(kind: str, number: Decimal | float | bool | str) -> Literal | None:
    match kind:
        case "string" if isinstance(number, float) and (not number or _PLAIN[0] <= abs(number) < _PLAIN[1]):
            return Literal(f"{Decimal(scientific(number)).normalize():f}")
        case "string":
            written = literal(number)
            return None if written is None else Literal(written.lexical)
        case "boolean":
            return literal(bool(number) and number == number)  # noqa: PLR0124 - NaN is false
        case "float" | "double":
            return literal(convert(Single if kind == "float" else float, number))
    if isinstance(number, float) and not math.isfinite(number):
        return None
    # Of a double all digits of its value (XPath Functions 3.1, 19.1.2.3): 0.1 is a little more than 0.1.
    exact = Decimal(number)
    return literal(exact) if kind == "decimal" else _integer(kind, int(exact))


_NANOSECONDS: Final = 10**9
_MANTISSA: Final = 53  # bits of a double


def now(time: Constant | None, origin: Constant | None, unit: Constant | None) -> Literal | None:
    """Return the dateTime `time` units after the dateTime `origin`, in the same zone; a unit is in ns.

    >>> from lars.language.terms import XSD
    >>> origin = Literal("2020-01-01T00:00:00+01:00", XSD + "dateTime")
    >>> now(Number(3), origin, literal(500_000_000)).lexical
    '2020-01-01T00:00:01.5+01:00'
    """
    seconds = _seconds(time, unit)
    return later(origin, seconds) if isinstance(origin, Literal) and seconds is not None else None


def milliseconds(time: Constant | None, unit: Constant | None) -> Literal | None:
    """Return `time` units in milliseconds, as an integer if possible, otherwise as a decimal."""
    seconds = _seconds(time, unit)
    if seconds is None:
        return None
    fraction = seconds * 1000
    return literal(
        fraction.numerator
        if fraction.denominator == 1
        else Decimal(fraction.numerator) / fraction.denominator
    )


def _seconds(time: Constant | None, unit: Constant | None) -> Fraction | None:
    nanoseconds = value(unit)
    if not isinstance(time, Number) or type(nanoseconds) is not int:
        return None
    return Fraction(time.value * nanoseconds, _NANOSECONDS)


def _hashed(function: str, *arguments: Constant | None) -> bytes:
    """Return a hash of a function name and its arguments.

    Different functions or arguments give different hashes.
    """
    from hashlib import sha256  # loads a library of OpenSSL

    texts = [str(NULL if argument is None else argument) for argument in arguments]
    return sha256("\n".join((function, *texts)).encode(errors="surrogatepass")).digest()


def rand(*arguments: Constant | None) -> Literal | None:
    """Return the result of RAND: an xsd:double from 0 to below 1, which depends only on the arguments."""
    bits = int.from_bytes(_hashed("RAND", *arguments)) >> (256 - _MANTISSA)
    return literal(bits / 2**_MANTISSA)


def _uuid(function: str, *arguments: Constant | None) -> str:
    return str(uuid.UUID(bytes=_hashed(function, *arguments)[:16], version=5))


def uuid_iri(*arguments: Constant | None) -> Iri:
    """Return the result of UUID: an IRI urn:uuid: (version 5), which depends only on the arguments."""
    return Iri(f"urn:uuid:{_uuid('UUID', *arguments)}")


def uuid_text(*arguments: Constant | None) -> Literal:
    """Return the result of STRUUID: the text of a UUID, which depends only on the arguments."""
    return Literal(_uuid("STRUUID", *arguments))


def blank_node(label: Constant | None, site: Constant | None, *row: Constant | None) -> Blank | None:
    """Return the result of BNODE: one blank node per row and label, or without a label, per row and call."""
    if label is None:
        return Blank(f"bnode{_hashed('BNODE', NULL, site, *row).hex()[:32]}")
    if not isinstance(value(label), str):
        return None
    return Blank(f"bnode{_hashed('BNODE', label, *row).hex()[:32]}")


DISTANCES: Final = (
    "<http://www.opengis.net/def/function/geosparql/distance>",
    "<http://www.opengis.net/def/geosparql/function/distance>",
)
"""The distance function under its name in GeoSPARQL and under its name in queries for streams."""
_METRE: Final = Iri("http://www.opengis.net/def/uom/OGC/1.0/metre")
_WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_CRS84: Final = re.escape("<http://www.opengis.net/def/crs/OGC/1.3/CRS84>")
_NUMBER: Final = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_POINT: Final = re.compile(
    rf"\s*(?:{_CRS84}\s+)?POINT\s*\(\s*({_NUMBER})\s+({_NUMBER})\s*\)\s*", re.IGNORECASE | re.ASCII
)
_RADIUS: Final = 6_371_008.7714
"""The mean radius of the earth in meters (IUGG, GRS 80)."""
_EAST, _NORTH = 180, 90


def distance(term: Constant, other: Constant, unit: Constant) -> Literal | None:
    """Return the great-circle distance in meters between two WKT points (longitude before latitude).

    The result is None for other geometries than points, other reference systems than CRS84, and other units
    than meters.

    >>> graz = Literal("POINT(15.44 47.07)", _WKT)
    >>> vienna = Literal("POINT(16.37 48.21)", _WKT)
    >>> round(float(distance(graz, vienna, _METRE).lexical) / 1000)
    145
    """
    ends = _point(term), _point(other)
    if unit != _METRE or ends[0] is None or ends[1] is None:
        return None
    (east, north), (other_east, other_north) = ends[0], ends[1]
    chord = _half(other_north - north) + math.cos(north) * math.cos(other_north) * _half(other_east - east)
    return literal(2 * _RADIUS * math.asin(math.sqrt(min(1.0, chord))))


def _point(term: Constant) -> tuple[float, float] | None:
    """Return the longitude and the latitude of a point in radians, or None for another term."""
    if not isinstance(term, Literal) or term.datatype != _WKT:
        return None
    match = _POINT.fullmatch(term.lexical)
    if match is None or abs(float(match[1])) > _EAST or abs(float(match[2])) > _NORTH:
        return None
    return math.radians(float(match[1])), math.radians(float(match[2]))


def _half(angle: float) -> float:
    return math.sin(angle / 2) ** 2
