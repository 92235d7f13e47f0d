"""RDF terms in the notation of pyoxigraph, rdflib and canonical N-Triples, and the values of literals.

The canonical text of a term is the `str` of the term in `lars.language.terms`. Equal terms therefore have
equal texts. Lexical forms are never changed. Language tags are in lower case.

Values have the operators of SPARQL: relations, arithmetic, rounding, STR and STRDT (XSD 1.1; SPARQL 1.1,
Section 17.3). None is the error of SPARQL, or an unbound variable, since operators treat both in the same
way. Each value has a canonical literal.
"""

import math
import operator
import re
import struct
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Self

import pyoxigraph

from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError
from lars.language.terms import TAGGED, XSD, Blank, Constant, Iri, Literal, TripleTerm, tagged

RdfTerm = Iri | Literal | Blank | TripleTerm
ACCEPTED: Final = (
    'an absolute <iri>, a "literal" with ^^<datatype> or @language, a _:blank node, or <<( a triple )>>'
)

_IRI = r'<([^\x00-\x20<>"{}|^`\\]*(?:\\[uU][^\x00-\x20<>"{}|^`\\]*)*)>'
_TERM = re.compile(
    rf"(?P<iri>{_IRI})"
    r'|"(?P<lexical>[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*)"'
    rf"(?:\^\^(?P<datatype>{_IRI})|@(?P<language>[A-Za-z]{{1,8}}(?:-[A-Za-z0-9]{{1,8}})*(?:--(?:ltr|rtl))?))?"
    r"|_:(?P<label>[\w:](?:[\w:.\-·]*[\w:\-·])?)"
)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NOT_IN_IRIS: Final = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_UNQUOTED: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
    (re.compile(r"true|false"), "boolean"),
)
_PLACED = re.compile(r"Parser error at line \d+ (?:between columns \d+ and \d+|column \d+): ")
_OPEN, _CLOSE = "<<(", ")>>"
_DEEPEST: Final = 128
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_SHOWN: Final = 60
_LAST_CHARACTER: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_KEPT: Final = 1024
"""The greatest length of a text in the cache."""


def short(text: str) -> str:
    """Return a text in quotes for a message, shortened if the text is long."""
    return repr(text) if len(text) <= _SHOWN else repr(text[: _SHOWN - 3] + "...")


class NotATerm(LarsError):  # noqa: N818  (an error by its base, named by what it says)
    """The error for a text, or a term of an RDF library, that is not an RDF term."""

    @classmethod
    def of(cls, text: str, problem: str) -> Self:
        """Return the error for a text.

        The error has only a message, so clingo and Spark tasks can pass it on.
        """
        return cls(f"{short(text)} is not an RDF term: {problem}; expected {ACCEPTED}")


def _character(match: re.Match[str]) -> str:
    short, code = match[3], match[1] or match[2]
    if code is None:
        if short not in _SHORT:
            raise NotATerm.of(match.string, f"unknown escape {match[0]!r}")
        return _SHORT[short]
    if (number := int(code, 16)) > _LAST_CHARACTER or number in _SURROGATES:
        raise NotATerm.of(match.string, f"{match[0]} is not a valid character")
    return chr(number)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _absolute(value: str) -> str:
    if not _ABSOLUTE.match(value):
        raise NotATerm.of(f"<{value}>", "the IRI has no scheme")
    return value


def stream_constant(name: str) -> str:
    """Return the constant of a stream in atoms: the stream's IRI, or a relative name in angle brackets."""
    return canonical(f"<{name}>") if _ABSOLUTE.match(name) else f"<{name}>"


def is_name_of_stream(text: str) -> bool:
    """Return whether a constant is the name of a stream that `stream_constant` made, and not an IRI."""
    return text[:1] == "<" and not _ABSOLUTE.match(text[1:-1]) and not text.startswith(_OPEN)


def read_term(text: str) -> RdfTerm:
    r"""Return the term of a text in strict N-Triples, without white space around the term.

    >>> print(read_term('"caf\\u00e9"@FR'), read_term('"01"^^<http://www.w3.org/2001/XMLSchema#byte>'))
    "café"@fr "01"^^<http://www.w3.org/2001/XMLSchema#byte>
    """
    if text.startswith(_OPEN):
        triple, end = _triple_at(text, 0)
        if end == len(text):
            return triple
    match = _TERM.fullmatch(text)
    if match is None:
        kind = next((name for shape, name in _UNQUOTED if shape.fullmatch(text)), None)
        instead = "" if kind is None else f', which is "{text}"^^<{XSD}{kind}>'
        raise NotATerm.of(text, f"it is not written as in N-Triples{instead}")
    return _matched(text, match)


def _matched(text: str, match: re.Match[str]) -> RdfTerm:
    if match["iri"]:
        return Iri(_absolute(_unescape(match["iri"][1:-1])))
    if match["label"]:
        return Blank(match["label"])
    lexical = _unescape(match["lexical"])
    if match["language"]:
        return tagged(lexical, match["language"])
    if match["datatype"]:
        datatype = _absolute(_unescape(match["datatype"][1:-1]))
        if datatype in TAGGED:
            raise NotATerm.of(text, "a literal of type rdf:langString needs a language")
        return Literal(lexical, datatype)
    return Literal(lexical)


def is_triple_term(text: str) -> bool:
    """Return whether a text is a triple term."""
    return text.startswith(_OPEN)


def triple_term_end(text: str, start: int) -> int:
    """Return the end of the triple term that begins at a character; raise NotATerm if none begins there."""
    return _triple_at(text, start)[1]


def _triple_at(text: str, start: int, depth: int = 0) -> tuple[TripleTerm, int]:
    """Return the triple term that begins at a character, and the end of the triple term."""
    terms: list[RdfTerm] = []
    _check_nesting(text, depth)
    at = _behind_blanks(text, start + len(_OPEN))
    while len(terms) < _PARTS:
        term: RdfTerm
        if text.startswith(_OPEN, at):
            term, end = _triple_at(text, at, depth + 1)
        elif (match := _TERM.match(text, at)) is not None:
            term, end = _matched(text, match), match.end()
        else:
            break
        terms.append(term)
        at = _behind_blanks(text, end)
    match terms:
        case [Iri() | Blank(), Iri(), _] if text.startswith(_CLOSE, at):
            return TripleTerm(*terms), at + len(_CLOSE)
    raise NotATerm.of(text, "it is not a triple in <<( )>>")


def _check_nesting(text: str, depth: int) -> None:
    if depth >= _DEEPEST:
        raise NotATerm.of(text, f"its triple terms are nested more than {_DEEPEST} deep")


_PARTS: Final = 3


def _behind_blanks(text: str, start: int) -> int:
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    return start


def triple_term(subject: Constant, predicate: Constant, object_: Constant) -> TripleTerm | None:
    """Return the triple term of three terms (TRIPLE), or None if the terms cannot form a triple term."""
    match subject, predicate, object_:
        case Iri() | Blank(), Iri(), Iri() | Blank() | Literal() | TripleTerm():
            return TripleTerm(subject, predicate, object_)
    return None


@lru_cache(maxsize=65536)
def _canonical_short(text: str) -> str:
    return str(read_term(text))


def unquote(text: str) -> str | None:
    """Return the canonical text of an unquoted number or boolean of Turtle, or None for other texts.

    >>> unquote("01"), unquote("one")
    ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', None)
    """
    texts = (name for pattern, name in _UNQUOTED if pattern.fullmatch(text))
    return next((f'"{text}"^^<{XSD}{name}>' for name in texts), None)


def canonical(text: str) -> str:
    """Return the canonical text of a term that is written in strict N-Triples.

    >>> canonical('"a"^^<http://www.w3.org/2001/XMLSchema#string>')
    '"a"'
    """
    return _canonical_short(text) if len(text) < _KEPT else str(read_term(text))


def data_text(text: str) -> str:
    """Return the canonical text of a term in data; raise NotATerm for an invalid IRI.

    Programs may contain invalid IRIs, for example as names of relations, but data cannot.
    """
    if "\\" in text:
        term = read_term(text)
        iri = "".join(
            one.value if isinstance(one, Iri) else one.datatype if isinstance(one, Literal) else ""
            for one in (term.leaves() if isinstance(term, TripleTerm) else (term,))
        )
        if odd := _NOT_IN_IRIS.search(iri):
            raise NotATerm.of(text, f"no IRI has the character {odd[0]!r}")
    return canonical(text)


@lru_cache(maxsize=65536)
def _iri_text(value: str) -> str:
    return str(Iri(_absolute(value)))


def _literal_text(lexical: str, datatype: str | None, language: str | None) -> str:
    try:
        lexical.encode()
    except UnicodeEncodeError:
        raise NotATerm.of(
            ascii(lexical), "it contains an unpaired surrogate, which is not valid Unicode"
        ) from None
    if language is not None:
        return str(tagged(lexical, language))
    return str(Literal(lexical, datatype or XSD + "string"))


def text_of_oxigraph(term: object, depth: int = 0) -> str:
    """Return the canonical text of a term of pyoxigraph."""
    match term:
        case pyoxigraph.NamedNode():
            return _iri_text(term.value)
        case pyoxigraph.BlankNode():
            return f"_:{term.value}"
        case pyoxigraph.Literal():
            return _literal_text(term.value, term.datatype.value, tag_of(term))
        case pyoxigraph.Triple():
            _check_nesting("<<( ..", depth)
            parts = (
                text_of_oxigraph(part, depth + 1) for part in (term.subject, term.predicate, term.object)
            )
            return f"{_OPEN} {' '.join(parts)} {_CLOSE}"
        case _:
            raise NotATerm.of(str(term), "it is not an RDF term")


def tag_of(literal: pyoxigraph.Literal) -> str | None:
    """Return the language tag of a literal of pyoxigraph, followed by its base direction, if any."""
    direction = getattr(literal, "direction", None)
    return literal.language if direction is None else f"{literal.language}--{direction}"


def quad_texts(quad: pyoxigraph.Quad) -> tuple[str, str, str, str | None]:
    """Return the canonical texts of subject, predicate, object and graph name; the default graph is None."""
    s, p, o = (text_of_oxigraph(term) for term in (quad.subject, quad.predicate, quad.object))
    outside = isinstance(quad.graph_name, pyoxigraph.DefaultGraph)
    return s, p, o, None if outside else text_of_oxigraph(quad.graph_name)


def syntax_problem(error: SyntaxError) -> str:
    """Return the message of a syntax error of pyoxigraph, without the position in the text."""
    return _PLACED.sub("", error.msg)


SHARED_BLANK: Final = "_:lars-value."
"""The beginning of blank node labels that the values of one call may share; all readers keep such labels."""


def is_of_file(text: str) -> bool:
    """Return whether a term is a blank node whose scope is one file."""
    return text.startswith("_:") and not text.startswith(SHARED_BLANK)


def blanks_in(text: str) -> list[str]:
    """Return the blank nodes of a term, including those in a triple term.

    >>> blanks_in('<<( _:a <x:p> "_:b" )>>')
    ['_:a']
    """
    if not text.startswith(_OPEN):
        return [text] if text.startswith("_:") else []
    return [match.group() for match in _TERM.finditer(text) if match["label"]]


def with_blanks(text: str, rename: Callable[[str], str]) -> str:
    """Return a term after renaming its blank nodes, including those in a triple term."""
    if not text.startswith(_OPEN):
        return rename(text) if text.startswith("_:") else text
    return _TERM.sub(lambda match: rename(match.group()) if match["label"] else match.group(), text)


def blanks_numbered(prefix: str = "") -> Callable[[str], str]:
    """Return a function that numbers blank nodes by first appearance and leaves other terms unchanged."""
    labels: dict[str, str] = {}

    def name(text: str) -> str:
        return labels.setdefault(text, f"_:{prefix}{len(labels)}") if is_of_file(text) else text

    return lambda text: with_blanks(text, name)


def text_of_rdflib(term: object) -> str:
    """Return the canonical text of a term of rdflib; raise NotATerm for variables and formulas."""
    # Loading rdflib takes a tenth of a short run, and only TriX and graphs of Python need it.
    import rdflib

    match term:
        case rdflib.URIRef():
            return _iri_text(str(term))
        case rdflib.BNode():
            return f"_:{term}"
        case rdflib.Literal():
            datatype = None if term.datatype is None else str(term.datatype)
            return _literal_text(str(term), datatype, term.language)
        case _:
            raise NotATerm.of(str(term), "only RDF 1.1 terms are covered")


_CACHED: Final = 2**16
MOST_CHARACTERS: Final = 2**24


def _odd_double(number: float | Decimal | Fraction) -> float:
    """Return a number as a double that a second rounding to a float rounds to the nearest float.

    If rounded to the nearest double, a number near the middle of two floats could become the middle, and then
    the wrong float. Each number is between two neighboring doubles. The neighbor with an odd last bit is
    never the middle of two floats (Boldo and Melquiond: *When double rounding is odd*, 2005).
    """
    double = float(number)
    if double == number or not math.isfinite(double) or struct.unpack("<q", struct.pack("<d", double))[0] & 1:
        return double
    return math.nextafter(double, math.inf if number > double else -math.inf)


class Single(float):
    """An xsd:float: a float that is rounded to 32 bits."""

    __slots__ = ()

    def __new__(cls, number: float | Decimal | Fraction) -> Self:
        """Return the nearest 32-bit float, or an infinity if the number is out of range."""
        try:
            # Of an integer beyond all doubles struct says another thing than that it overflows.
            return super().__new__(cls, struct.unpack("f", struct.pack("f", _odd_double(number)))[0])
        except OverflowError:
            return super().__new__(cls, math.inf if number > 0 else -math.inf)


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """An xsd:dateTime, xsd:date (its first second) or xsd:time; in UTC if `zoned`, otherwise local."""

    kind: str
    seconds: Fraction
    zoned: bool

    def minus(self, other: "CalendarTime") -> Fraction | None:
        """Return the difference in seconds; None if an unknown time zone (up to 14 h) decides the sign."""
        gap = self.seconds - other.seconds
        return gap if self.zoned == other.zoned or abs(gap) > 14 * 3600 else None


Value = int | Decimal | float | bool | str | CalendarTime
"""The value of a literal; int, Decimal, Single and float are the four numeric types."""

_DATE: Final = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-([0-9]{2})-([0-9]{2})"
_CLOCK: Final = r"([0-9]{2}):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)"
ZONE: Final = r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_TIMES: Final = {
    "dateTime": re.compile(f"{_DATE}T{_CLOCK}{ZONE}"),
    "date": re.compile(f"{_DATE}()()(){ZONE}"),
    "time": re.compile(f"()()(){_CLOCK}{ZONE}"),
}
_DAY: Final = 86400  # seconds
_CYCLE: Final = 146_097  # days, after which the calendar repeats: 400 years; Python's years end at 9999
_FIRST: Final = date(2000, 1, 1).toordinal()
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(rf"{_DECIMAL.pattern}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN")
BOOLEAN_VALUES: Final = {"true": True, "1": True, "false": False, "0": False}
"""The value of each lexical form of xsd:boolean."""
_BITS: Final = {"Byte": 8, "Short": 16, "Int": 32, "Long": 64}
_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "integer": (-math.inf, math.inf),
    "nonNegativeInteger": (0, math.inf),
    "positiveInteger": (1, math.inf),
    "nonPositiveInteger": (-math.inf, 0),
    "negativeInteger": (-math.inf, -1),
    **{name.lower(): (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _BITS.items()},
    **{f"unsigned{name}": (0, 2**bits - 1) for name, bits in _BITS.items()},
}
INTEGERS: Final = tuple(_BOUNDS)
"""xsd:integer and the types derived from it."""
TRUE, FALSE = Literal("true", XSD + "boolean"), Literal("false", XSD + "boolean")
VALUED: Final = frozenset(XSD + kind for kind in (*_BOUNDS, "decimal", "float", "double", "boolean"))
"""The numeric types and boolean; in a condition, an ill-typed literal of such a type is false."""


@lru_cache(maxsize=_CACHED)
def value(term: Constant | None) -> Value | None:
    """Return the value of a literal. Return None for other terms and for literals without a known value.

    Literals without a known value have a language tag, an unknown datatype, or an invalid lexical form.

    >>> value(Literal("01", XSD + "integer")), value(Literal("200", XSD + "byte"))
    (1, None)
    """
    if not isinstance(term, Literal) or term.language is not None or not term.datatype.startswith(XSD):
        return None
    try:
        return parse(term.lexical, term.datatype[len(XSD) :])
    except ValueError:  # Python's limits: a month 13
        return None


def parse(text: str, kind: str) -> Value | None:
    """Return the value of a lexical form of the XSD type `kind`; raise ValueError for an invalid date."""
    if kind == "string":
        return text
    if kind in _BOUNDS and _INTEGER.fullmatch(text):
        least, greatest = _BOUNDS[kind]
        # By way of a decimal, since Python reads and writes no integer of more than 4300 digits.
        number = int(Decimal(text)) if len(text) < EXACT.prec else None
        return number if number is not None and least <= number <= greatest else None
    if kind == "decimal" and _DECIMAL.fullmatch(text):
        return Decimal(text)
    if kind in ("float", "double") and _DOUBLE.fullmatch(text):
        double = float(text)
        if kind == "double":
            return double
        # An exponent that a decimal cannot have is one of a number that is 0 or infinite as a double too.
        return Single(Decimal(text) if double and math.isfinite(double) else double)
    if kind == "boolean":
        return BOOLEAN_VALUES.get(text)
    if kind in _TIMES and (match := _TIMES[kind].fullmatch(text)):
        return _moment(kind, match)
    return None


def _moment(kind: str, match: re.Match[str]) -> CalendarTime | None:
    year, month, day, hour, minute, second, zone = match.groups()
    clock, days = Fraction(0), 0
    if hour:
        clock = int(hour) * 3600 + int(minute) * 60 + Fraction(second)
        if int(hour) > 23 and clock != _DAY:  # noqa: PLR2004
            return None
    if year:
        cycles, rest = divmod(int(year), 400)
        days = cycles * _CYCLE + date(2000 + rest, int(month), int(day)).toordinal()
    else:
        clock %= _DAY
    return CalendarTime(kind, days * _DAY + clock - _offset(zone), zone is not None)


def later(origin: Literal, seconds: Fraction) -> Literal | None:
    """Return the dateTime `seconds` after `origin`, in the same zone, or None if `origin` is not a dateTime.

    >>> later(Literal("1999-12-31T23:59:59Z", XSD + "dateTime"), Fraction(5, 4)).lexical
    '2000-01-01T00:00:00.25Z'
    """
    match = _TIMES["dateTime"].fullmatch(origin.lexical)
    start = value(origin)
    if match is None or not isinstance(start, CalendarTime):
        return None
    day, clock = divmod(start.seconds + _offset(match[7]) + seconds, _DAY)
    cycles, rest = divmod(day - _FIRST, _CYCLE)
    calendar = date.fromordinal(_FIRST + rest)
    year = calendar.year - 2000 + 400 * cycles
    minutes, second = divmod(clock, 60)
    fraction = f"{Decimal((second % 1).numerator) / (second % 1).denominator:f}"[1:]
    text = f"{'-' * (year < 0)}{abs(year):04}-{calendar.month:02}-{calendar.day:02}T"
    text += f"{minutes // 60:02}:{minutes % 60:02}:{int(second):02}{fraction}{match[7] or ''}"
    return Literal(text, origin.datatype)


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
    return -seconds if zone[0] == "-" else seconds


def literal(value: float | Decimal | str) -> Literal | None:
    """Return the canonical literal of a value (XSD 1.1), or None if the literal would be too long.

    >>> [literal(number).lexical for number in (7, Decimal("2.50"), 1e9, True)]
    ['7', '2.5', '1.0E9', 'true']
    """
    match value:
        case bool():
            return Literal("true" if value else "false", XSD + "boolean")
        case str():
            return Literal(value)
        case int():
            exact = Decimal(value)
            return Literal(f"{exact:f}", XSD + "integer") if exact.adjusted() < EXACT.prec else None
        case Decimal():
            text = f"{value:f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return Literal("0" if text in ("-0", "") else text, XSD + "decimal")
        case _:
            return Literal(scientific(value), XSD + ("float" if isinstance(value, Single) else "double"))


def check_length(characters: int) -> None:
    """Raise LarsError if a computed text is too long, since texts can double their length in each step."""
    if characters > MOST_CHARACTERS:
        raise FailedRunError(
            f"a text of {characters} characters is computed; expected at most {MOST_CHARACTERS}"
        )


def scientific(number: float) -> str:
    """Return the canonical text of an xsd:double, or of a Single as xsd:float, such as `1.0E9` or `INF`."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "INF" if number > 0 else "-INF"
    digits = next(text for n in range(17) if (type(number))(float(text := f"{number:.{n}E}")) == number)
    mantissa, exponent = digits.split("E")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent)}"


_Numeric = int | Decimal | float

EXACT, _DIVISION = Context(prec=20_000), Context(prec=28)
_RANKS: Final[tuple[type[_Numeric], ...]] = (int, Decimal, Single, float)


def promote(left: Value | None, right: Value | None) -> tuple[_Numeric, _Numeric] | None:
    """Return two numbers promoted to one type (17.3, numeric type promotion), or None for other values."""
    if type(left) not in _RANKS or type(right) not in _RANKS:
        return None
    kind = _RANKS[max(_RANKS.index(type(left)), _RANKS.index(type(right)))]
    return convert(kind, left), convert(kind, right)


def common_type(numbers: Iterable[_Numeric]) -> type[_Numeric]:
    """Return the type to which all the numbers can be promoted: int, Decimal, Single or float."""
    kind: type[_Numeric] = _RANKS[max((_RANKS.index(type(number)) for number in numbers), default=0)]
    return kind


def convert(kind: type[_Numeric], number: Any) -> Any:
    """Return the nearest number of another type, or an infinity if the number is out of range."""
    # Any: that two promoted numbers have one type is known where they are promoted, and to no type.
    try:
        return number if type(number) is kind else kind(number)
    except OverflowError:
        return kind(math.inf if number > 0 else -math.inf)


def equal(left: Constant, right: Constant) -> bool | None:
    """Return whether two terms are equal by `=`; None is an error.

    Terms are equal by value if both values are known, otherwise by RDFterm-equal. Two literals of known types
    without a common value differ. A language-tagged literal differs from every other term (W3C test suite,
    open-eq-08 and date-2). All other comparisons of two literals are errors if a literal is ill-typed or has
    an unknown type.
    """
    one, two = value(left), value(right)
    if numbers := promote(one, two):
        return numbers[0] == numbers[1]
    if left == right:
        return True
    if isinstance(left, TripleTerm) and isinstance(right, TripleTerm):
        parts = [equal(*pair) for pair in _part_pairs(left, right)]
        return False if False in parts else None if None in parts else True
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return False
    if left.language is not None or right.language is not None:
        return False
    if one is None or two is None:
        return None
    if isinstance(one, CalendarTime) and isinstance(two, CalendarTime) and one.kind == two.kind:
        gap = one.minus(two)
        return None if gap is None else gap == 0
    return type(one) is type(two) and one == two


def _part_pairs(left: TripleTerm, right: TripleTerm) -> list[tuple[Any, Any]]:
    # Any: there is no variable in it, where it is compared.
    return list(zip(left.terms, right.terms, strict=True))


def compare(relation: Callable[[Any, Any], bool], left: Constant, right: Constant) -> bool | None:
    """Return `left relation right` for ordered literals (numbers, strings, times), and None for other terms.

    Two triple terms are compared by the first parts in which they differ.
    """
    if isinstance(left, TripleTerm) and isinstance(right, TripleTerm):
        differing = (pair for pair in _part_pairs(left, right) if equal(*pair) is not True)
        pair = next(differing, None)
        return relation(0, 0) if pair is None else compare(relation, *pair)
    one, two = value(left), value(right)
    if numbers := promote(one, two):
        return relation(*numbers)
    if one is None or type(one) is not type(two):
        return None
    if isinstance(one, CalendarTime) and isinstance(two, CalendarTime):
        gap = one.minus(two) if one.kind == two.kind else None
        return None if gap is None else relation(gap, 0)
    return relation(one, two)


def effective_boolean(term: Constant | None) -> bool | None:
    """Return the effective boolean value (17.2.2), which is false for an ill-typed number or boolean."""
    if not isinstance(term, Literal):
        return None
    if term.language is not None:
        return term.lexical != ""
    number = value(term)
    if number is None:
        return False if term.datatype in VALUED else None
    if isinstance(number, CalendarTime):
        return None
    return bool(number) and number == number  # noqa: PLR0124 - NaN is false


def strict_boolean(term: Constant) -> Literal | None:
    """Return the effective boolean value of SPARQL 1.2; None (an error) for ill-typed and tagged literals."""
    known = isinstance(term, Literal) and term.language is None and value(term) is not None
    truth = effective_boolean(term) if known else None
    return None if truth is None else TRUE if truth else FALSE


def arithmetic(function: str, left: Constant, right: Constant) -> Literal | None:
    """Return `left function right` for `+`, `-`, `*` or `/`; two integers are divided as decimals."""
    numbers = promote(value(left), value(right))
    if numbers is None:
        return None
    one, two = numbers
    if function == "/" and isinstance(one, int):
        one, two = Decimal(one), Decimal(two)
    plain, exact = OPERATIONS[function]
    try:
        return literal(convert(type(one), (exact if isinstance(one, Decimal) else plain)(one, two)))
    except DecimalException:
        return None


def _divided(one: float, two: float) -> float:
    if two:
        return one / two
    return math.copysign(math.inf, one) * math.copysign(1, two) if one and not math.isnan(one) else math.nan


OPERATIONS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Decimal]]]] = {
    "+": (operator.add, EXACT.add),
    "-": (operator.sub, EXACT.subtract),
    "*": (operator.mul, EXACT.multiply),
    "/": (_divided, _DIVISION.divide),
}
"""Maps the operators of `arithmetic` to functions on integers and doubles and to functions on decimals."""


def numeric(term: Constant) -> _Numeric | None:
    """Return the number that a term denotes, or None for other terms."""
    number = value(term)
    return number if isinstance(number, int | Decimal | float) and not isinstance(number, bool) else None


def absolute_or_negated(function: str, term: Constant) -> Literal | None:
    """Return the absolute value (ABS) or the negated value (NEG) of a number."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, Decimal):  # abs and - would round it
        return literal(number.copy_abs() if function == "ABS" else number.copy_negate())
    return literal(convert(type(number), abs(number) if function == "ABS" else -number))


def round_number(function: Callable[[Fraction], int], term: Constant) -> Literal | None:
    """Return a number rounded by `function`; the result has the type of the number."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, float) and not math.isfinite(number):
        return literal(number)
    rounded = convert(type(number), function(Fraction(number)))
    return literal(type(number)(math.copysign(rounded, number)) if isinstance(number, float) else rounded)


def as_text(term: Constant) -> Literal | None:
    """Return STR (17.4.2.5) of a term: the text of an IRI, or the unchanged lexical form of a literal."""
    if isinstance(term, Iri):
        return Literal(term.value)
    return Literal(term.lexical) if isinstance(term, Literal) else None


def typed_literal(text: Constant, kind: Constant) -> Constant | None:
    """Return STRDT (17.4.2.9) of a plain text and a datatype; None if the datatype requires a tag."""
    if isinstance(kind, Iri) and kind.value in TAGGED:
        return None
    if isinstance(text, Literal) and isinstance(value(text), str) and isinstance(kind, Iri):
        return Literal(text.lexical, kind.value)
    return None
