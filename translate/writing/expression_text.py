"""The text of terms, windows, paths, expressions and aggregates in a query language.

Prefixes of namespaces are chosen first. A construct that the language lacks raises CannotSayError. The
characters of a term are escaped, so that data never become syntax. Expressions have minimal brackets.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from itertools import chain
from typing import Final, assert_never

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language import terms
from lars.language.formulas import Aggregation, Call, Expression
from translate.dialects import TITLES
from translate.dialects.query_reader import plain
from translate.errors import QueryError
from translate.model import patterns as algebra
from translate.model.manner import can_say, fill, with_options
from translate.model.patterns import Path, StreamBlock
from translate.model.query import STEPPED, TIMESTAMP, Language
from translate.model.windows import Now, Range, Rows, Span, Unbounded, WindowExpression
from translate.sparql import TokenKind, resolve, tokenize


class CannotSayError(LarsError):
    """The error that a query language cannot express a construct, with the supported alternative."""

    def __init__(self, construct: str, language: Language, accepted: str) -> None:
        super().__init__(f"{TITLES[language]} cannot express {construct}: {accepted}")
        self.construct = construct
        self.language = language


_KNOWN: Final = {
    terms.RDF: "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/2002/07/owl#": "owl",
    terms.XSD: "xsd",
}
_SPLIT: Final = re.compile(r"([^<>\"{}|^`\\\x00-\x20]*[/#])([A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)")
_WORD: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*")
_VAGUE: Final = frozenset(
    ("http", "https", "www", "com", "org", "net", "ns", "rdf", "owl", "ttl", "resource")
)


def split(iri: str) -> tuple[str, str]:
    """Return the namespace and the local name of an IRI.

    The local name is "" if the IRI cannot have a prefix.

    >>> split("http://e.org/a#b-1"), split("urn:a")
    (('http://e.org/a#', 'b-1'), ('urn:a', ''))
    """
    match = _SPLIT.fullmatch(iri)
    return (iri, "") if match is None else (match[1], match[2])


def choose_prefixes(used: Counter[str]) -> Mapping[str, str]:
    """Return a prefix, without its colon, for each namespace that occurs at least twice.

    The namespaces of rdf, rdfs, xsd and owl also get a prefix if they occur once.

    >>> dict(choose_prefixes(Counter({"http://www.w3.org/ns/sosa/": 2, terms.XSD: 1, "http://e.org/": 1})))
    {'http://www.w3.org/2001/XMLSchema#': 'xsd', 'http://www.w3.org/ns/sosa/': 'sosa'}
    """
    chosen = {namespace: name for namespace, name in _KNOWN.items() if used[namespace]}
    for namespace, times in used.items():
        if times > 1 and namespace not in chosen:
            chosen[namespace] = _unused(_guessed(namespace), frozenset(chosen.values()))
    return chosen


def _guessed(namespace: str) -> str:
    """Return a prefix for a namespace: the last word of its IRI that is not a general word such as "ns"."""
    words = [word.lower() for word in _WORD.findall(namespace)]
    telling = [word for word in words if word not in _VAGUE and word not in _KNOWN.values()]
    return telling[-1] if telling else "p"


def _unused(name: str, taken: frozenset[str]) -> str:
    number, unused = 2, name
    while unused in taken:
        unused, number = f"{name}{number}", number + 1
    return unused


_BARE: Final = {
    terms.XSD + "integer": re.compile(r"[0-9]+"),
    terms.XSD + "decimal": re.compile(r"[0-9]*\.[0-9]+"),
    terms.XSD + "double": re.compile(r"(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+"),
    terms.XSD + "boolean": re.compile("true|false"),
}


WORD: Final = re.compile("[A-Za-z_][A-Za-z0-9_-]*")


_LONGEST: Final = 10**18


def write_duration(duration: Duration, language: Language) -> str:
    """Return a duration in the longest unit of the language that divides the duration.

    >>> write_duration(Duration(90 * 10**9), Language.SPARQLSTREAM)
    '90 S'
    """
    words = language.manner.units
    for unit, word in words.items():
        count, rest = divmod(duration.nanoseconds, (language.manner.lengths.get(unit) or NANOSECONDS[unit]))
        # No language reads a number of more digits.
        if (count or not word) and 0 <= count < _LONGEST and not rest:
            return word.format(count) if "{}" in word else f"{count}{word}"
    if language is Language.RSPQL and duration.nanoseconds:
        seconds, rest = divmod(duration.nanoseconds, NANOSECONDS["s"])
        if seconds < _LONGEST:
            return f"PT{seconds}.{rest:09}".rstrip("0") + "S"
    *units, last = words
    whole = " or ".join(filter(None, (", ".join(units), last)))
    accepted = f"a duration is longer than zero, a whole number of {whole}, in 18 digits"
    raise CannotSayError(f"the duration {duration}", language, accepted)


def write_window(window: WindowExpression, language: Language, every: Duration | None = None) -> str:
    """Return a window in brackets; raise CannotSayError for a window that the language lacks.

    The argument `every` is the period of the query, which some windows contain.

    >>> write_window(Range(Duration(10**10), Duration(10**9)), Language.CSPARQL)
    '[RANGE 10s STEP 1s]'
    """
    templates, (kinds, parts) = language.manner.templates, _parts_of(window, language)
    for template in chain.from_iterable(templates.get(kind, ()) for kind in kinds):
        if can_say(template, parts.keys()):
            return _filled(template, {**parts, "every": every or _SHORTEST}, language)
    accepted = f"its windows are {language.manner.windows}"
    if kinds[-1] == "range" and parts.keys() == {"length"} and language in STEPPED:
        accepted = f"{accepted}; to add a STEP, use lars translate --step 1s"
    if isinstance(window, Range) and window.opens is None and "origin" in parts:
        accepted = (
            "its windows open at multiples of the STEP, and this window closes at multiples of the STEP"
        )
    raise CannotSayError(f"the window {window}", language, accepted)


_SHORTEST: Final = Duration(NANOSECONDS["ms"])
_Parts = Mapping[str, Duration | int]


def _parts_of(window: WindowExpression, language: Language) -> tuple[tuple[str, ...], _Parts]:
    """Return the kinds of text templates for a window, best first, and the values that the text needs."""
    match window:
        case Range():
            optional = {
                "slide": window.slide,
                "until": window.until,
                "ahead": window.ahead,
                "origin": _origin(window, language),
            }
            parts = {name: part for name, part in optional.items() if part is not None}
            return (*filter(None, (window.ends,)), "range"), {"length": window.length, **parts}
        case Rows(count, elements=False):
            return ("rows",), {"count": count}
        case Now(grain="time-point"):
            return ("now",), {}
        case Unbounded():
            return ("unbounded",), {}
        case Span(start, end, causal=False):
            return ("span",), {"start": start, "end": end}
        case _:
            return ("",), {}


def _origin(window: Range, language: Language) -> Duration | None:
    """Return the time at which the text lets the first window open; None if the text need not name the time.

    If windows open at multiples of the slide and the slide divides the width, they also close at multiples of
    the slide.
    """
    manner, slide = language.manner, window.slide
    if slide is None or window.ahead is not None:
        return window.opens
    rest = window.length.nanoseconds % slide.nanoseconds
    if window.opens is None:  # The window closes at multiples of its slide, as in LARS (2015).
        opening = rest and (manner.grid or manner.opens is not None)
        return Duration(slide.nanoseconds - rest) if opening else None
    known = manner.grid or manner.opens == window.opens or not rest
    return None if known and not window.opens.nanoseconds else window.opens


def _filled(template: str, parts: _Parts, language: Language) -> str:
    """Return the text of a window, by putting its values in a template.

    The name `rest` in a template means the time between the two ends of the window.
    """
    length, until = parts.get("length"), parts.get("until", Duration(0))
    if isinstance(length, Duration) and isinstance(until, Duration):
        parts = {**parts, "rest": Duration(length.nanoseconds - until.nanoseconds)}

    def text(name: str) -> str:
        part = parts[name]
        return str(part) if isinstance(part, int) else write_duration(part, language)

    return fill(with_options(template, parts.keys()), text)


Windows = tuple[tuple[StreamBlock, str], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The writer of the terms, windows and blocks of one query text in a given language.

    The field `prefixes` maps namespaces to prefixes, and `used` counts the IRIs of each namespace. Variables
    in `blanks` are written as blank nodes. The field `bases` collects the base IRIs with which the query
    calls IRI(..); "" means no base. The field `base` is the BASE of the text to write. The field `windows`
    contains the declared windows of RSP-QL with their names; if `unread` is true, no pattern reads one of
    them. The field `every` is the period of the query, or None. If `read_here` is true, the text may contain
    VALUES and windows that only `lars` reads in this language, and not its engine.
    """

    language: Language
    prefixes: Mapping[str, str] = field(default_factory=dict)
    blanks: frozenset[terms.Variable] = frozenset()
    used: Counter[str] = field(default_factory=Counter)
    bases: set[str] = field(default_factory=set)
    base: str = ""
    windows: Windows = ()
    unread: bool = False
    every: Duration | None = None
    read_here: bool = False

    def cannot(self, construct: str, accepted: str) -> CannotSayError:
        """Return the error for a construct that the language cannot express."""
        return CannotSayError(construct, self.language, accepted)

    def variable(self, variable: terms.Variable) -> str:
        """Return ?name; raise CannotSayError if the name is invalid in SPARQL, or must be a blank node."""
        if variable in self.blanks:
            accepted = "a query without result variables uses its other variables in triple patterns only"
            raise self.cannot(f"the variable {variable} of no result", accepted)
        return self._checked(f"?{variable.name}", "a variable")

    def iri(self, iri: terms.Iri) -> str:
        """Return a prefixed name if a prefix for the namespace is known, otherwise the full IRI."""
        namespace, local = split(iri.value)
        if local:
            self.used[namespace] += 1
            # In a name with a prefix, -- would begin a comment.
            if namespace in self.prefixes and plain(local, self.language) == local:
                return f"{self.prefixes[namespace]}:{local}"
        return self.full(iri)

    def full(self, iri: terms.Iri) -> str:
        """Return <iri>; raise CannotSayError at an invalid character, or if BASE would change the IRI."""
        if resolve(self.base, iri.value) != iri.value:
            accepted = f"BASE <{self.base}>, against which IRI(..) resolves, resolves it too"
            raise self.cannot(f"the relative IRI {iri}", accepted)
        return self._checked(f"<{iri.value}>", "an IRI")

    def name(self, name: terms.Iri | terms.Variable) -> str:
        """Return the name of a graph, service or stream."""
        return self.iri(name) if isinstance(name, terms.Iri) else self.variable(name)

    def literal(self, literal: terms.Literal) -> str:
        """Return the text of a literal; numbers without a sign and booleans have no quotes."""
        bare = _BARE.get(literal.datatype)
        if literal.language is None and bare is not None and bare.fullmatch(literal.lexical):
            return literal.lexical
        quoted = str(terms.Literal(literal.lexical))
        if not _is_text(quoted):
            raise self.cannot(f"the literal {quoted!r}", "a literal has no lone surrogates")
        if literal.language is not None:
            return quoted + self._checked(f"@{literal.language}", "a language tag")
        return (
            quoted
            if literal.datatype == terms.XSD + "string"
            else f"{quoted}^^{self.iri(terms.Iri(literal.datatype))}"
        )

    def term(self, term: terms.Term) -> str:
        """Return the text of a term in a triple pattern, table or expression."""
        match term:
            case terms.Variable() if term in self.blanks:
                # A label that begins like the variable would keep the reader from inventing it.
                return self._checked(f"_:{term.name.lstrip('_')}", "a blank node")
            case terms.Variable():
                return self.variable(term)
            case terms.Iri():
                return self.iri(term)
            case terms.Literal():
                return self.literal(term)
            case terms.Blank(label):
                return self._checked(f"_:{label}", "a blank node")
            case terms.TripleTerm():
                return f"<<( {' '.join(map(self.term, term.terms))} )>>"
            case terms.Symbol() | terms.Number():
                accepted = "a query has variables, IRIs, literals and, in a template, blank nodes"
                raise self.cannot(f"the constant {term} of the logic", accepted)
            case _:
                assert_never(term)

    def predicate(self, term: terms.Term) -> str:
        """Return the text of a term as predicate; rdf:type is `a`."""
        return "a" if term == terms.RDF_TYPE else self.term(term)

    def _checked(self, text: str, kind: TokenKind) -> str:
        """Return the text if it is a single token of the kind; raise CannotSayError for any other text."""
        try:
            (token, *_) = tokenize(text, "", rdf12=True).tokens
        except QueryError:
            token = None
        if token is None or (token.kind, token.text) != (kind, text) or "\\" in text or not _is_text(text):
            raise self.cannot(ascii(text), f"it is not {kind}")
        if plain(text, self.language) != text:
            raise self.cannot(text, "-- begins a comment")
        return text

    def block(self, block: StreamBlock) -> str:
        """Return the text of a STREAM or WINDOW block before its {, such as STREAM <s> [RANGE 5s]."""
        if not self.language.manner.block:
            accepted = "its windows are written in FROM STREAM <s> and merge into the default graph"
            raise self.cannot(f"that {block.stream} is read by one pattern alone", accepted)

        def text(name: str) -> str:
            match name:
                case "label":
                    return self.label(self._window(block))
                case "window":
                    return self.window(block.window)
                case "stream":
                    return self.name(block.stream)
                case _ if isinstance(block.stream, terms.Variable):
                    accepted = f"a stream's name is {'a word' if name == 'word' else 'an IRI'}"
                    raise self.cannot(f"the variable stream name {block.stream}", accepted)
                case "word":
                    return self.stream(block)
                case _:
                    return self.iri(block.stream)

        return fill(self._texts()[1], text)

    def _texts(self) -> tuple[str, str]:
        """Return the text that declares a window, and the text before the { of a block that reads it."""
        manner, windows = self.language.manner, tuple(read for read, _ in self.windows)
        is_needed = len({read.stream for read in windows}) < len(windows) or (
            self.unread and len(windows) == 1
        )
        return manner.named if manner.named and is_needed else (manner.declares, manner.block)

    def source(self, window: WindowExpression) -> str:
        """Return Janus's keyword before a stream name: STREAM for a window with a slide, otherwise LOG."""
        if self.language is not Language.JANUS:
            return ""
        is_live = isinstance(window, Range) and window.slide is not None
        return "STREAM " if is_live else "LOG "

    def stream(self, read: StreamBlock) -> str:
        """Return the name of a stream in a language whose streams have words as names.

        Raises CannotSayError if the name is not a word.
        """
        name = read.iri.value
        if WORD.fullmatch(name) is None or plain(name, self.language) != name:
            raise self.cannot(f"the stream {read.stream}", "the name of a stream is a word without --")
        return name

    def label(self, name: str) -> str:
        """Return the name of a window as the language writes it."""
        return self.language.manner.label.format(name)

    def window(self, window: WindowExpression, every: Duration | None = None) -> str:
        """Return a window in brackets; raise CannotSayError for a window that the language lacks.

        The argument `every` is the period of the query, which some windows contain.
        """
        is_other = self.language is not Language.CSPARQL or isinstance(window, Rows)
        slides = isinstance(window, Range) and window.slide is not None
        # In C-SPARQL queries, lars also reads the windows of CQELS, which are then written as in CQELS.
        as_cqels = self.read_here and not is_other and not slides
        return write_window(window, Language.CQELS if as_cqels else self.language, every)

    def _window(self, block: StreamBlock) -> str:
        if isinstance(block.stream, terms.Variable):
            raise self.cannot(f"the variable stream name {block.stream}", "a window is declared ON an IRI")
        read = StreamBlock(block.stream, block.window)
        return next(name for window, name in self.windows if window == read)

    def _period(self, name: str) -> Duration | None:
        """Return the duration after STEP in the window with a name, if it is a window of Janus with OFFSET.

        If the query has a period, STEP is the period. If the query has none, each window with OFFSET gets a
        different STEP, because a common STEP would define a period.
        """
        written = [(name, one.window) for one, name in self.windows if isinstance(one.window, Range)]
        past = [name for name, window in written if window.ends == "closed" and window.slide is None]
        if self.every is not None or name not in past or len(past) < len(written):
            return self.every
        if len(past) == 1 and self.language is Language.JANUS:
            accepted = "the STEP of its only window with OFFSET is the period"
            raise self.cannot("a query without a period", accepted)
        return Duration(_SHORTEST.nanoseconds * (1 + past.index(name)))

    def declaration(self, read: StreamBlock, name: str) -> str:
        """Return the clause that declares a window with a name."""
        texts = {
            "label": lambda: self.label(name),
            "source": lambda: self.source(read.window),
            "stream": lambda: self.full(read.iri),
            "window": lambda: self.window(read.window, self._period(name)),
            "word": lambda: self.stream(read),
        }
        return fill(self._texts()[0], lambda part: texts[part]())

    def values_inside(self) -> None:
        """Raise CannotSayError if the language has no VALUES among the patterns."""
        if self.language is Language.CQELS and not self.read_here:
            raise self.cannot("VALUES inside a pattern", "it has BINDINGS at the end of the query")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


_ALTERNATIVE: Final = 1
_SEQUENCE: Final = 2
_INVERSE: Final = 3
_REPEATED: Final = 4
_STEP: Final = 5


def write_path(path: Path, dialect: Dialect, around: int = 0) -> str:
    """Return the text of a path, in brackets if the operator around the path has a higher precedence.

    A repetition inside a repetition is written in brackets, since `*` must follow a step. `^` precedes the
    step and its repetition.
    """
    binding, text = _written(path, dialect)
    return f"({text})" if binding < around else text


def _written(path: Path, dialect: Dialect) -> tuple[int, str]:
    match path:
        case terms.Iri():
            return _STEP, dialect.iri(path)
        case algebra.Alternative(left, right):
            # The reader makes (a|b)|c of a|b|c, so only an alternative on the right needs brackets.
            before = write_path(left, dialect, _ALTERNATIVE)
            return _ALTERNATIVE, f"{before}|{write_path(right, dialect, _SEQUENCE)}"
        case algebra.PathSequence(left, right):
            before = write_path(left, dialect, _SEQUENCE)
            return _SEQUENCE, f"{before}/{write_path(right, dialect, _INVERSE)}"
        case algebra.Inverse(inner):
            return _INVERSE, f"^{write_path(inner, dialect, _REPEATED)}"
        case algebra.RepeatedPath(inner, often):
            return _REPEATED, f"{write_path(inner, dialect, _STEP)}{often}"
        case algebra.NegatedSet(forward, backward):
            names = (*map(dialect.iri, forward), *(f"^{dialect.iri(iri)}" for iri in backward))
            return _STEP, f"!({'|'.join(names)})"
        case _:
            assert_never(path)


Inline = Mapping[terms.Variable, str]
"""Maps variables that stand for an EXISTS or an aggregate to the text of the EXISTS or the aggregate."""

EXISTS: Final = "EXISTS "
_BINDING: Final = {
    "||": 1, "&&": 2,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "IN"), 3),
    "+": 4, "-": 4, "*": 5, "/": 5, "!": 6, "NEG": 6,
}  # fmt: skip
_FRESH: Final = re.compile(r"_+[ae][0-9]+")
_SAMPLE: Final = re.compile(r"SAMPLE\((\?\w+)\)")
_COMPARED: Final = 3
_OPERAND: Final = 7


def write_expression(expression: Expression, dialect: Dialect, inline: Inline) -> str:
    """Return the SPARQL text of an expression; chains of operators associate to the left.

    >>> one, x = terms.Literal("1", "http://www.w3.org/2001/XMLSchema#integer"), terms.Variable("x")
    >>> write_expression(Call("-", (x, Call("+", (Call("*", (x, x)), one)))), Dialect(Language.CQELS), {})
    '?x - (?x * ?x + 1)'
    """
    return _write(expression, dialect, inline, 0)


def write_operand(expression: Expression, dialect: Dialect, inline: Inline) -> str:
    """Return the text of an expression in brackets or as a function call, as FILTER and HAVING require."""
    match expression:
        case Call("EBV", (inner,)):
            return write_operand(inner, dialect, inline)
        case Call(function, _) if function not in _BINDING:
            return write_expression(expression, dialect, inline)
        case Call("!", (terms.Variable() as test,)) if _is_test(test, inline):
            return write_expression(expression, dialect, inline)
        case terms.Variable() if _is_test(expression, inline):
            return inline[expression]
        case _:
            return f"({write_expression(expression, dialect, inline)})"


def _is_test(variable: terms.Variable, inline: Inline) -> bool:
    return inline.get(variable, "").startswith(EXISTS)


def _write(expression: Expression, dialect: Dialect, inline: Inline, around: int) -> str:
    """Return the text of an expression, in brackets if the operator around it has a higher precedence."""
    if not isinstance(expression, Call):
        if isinstance(expression, terms.Variable) and expression in inline:
            return inline[expression]
        return dialect.term(expression)
    binding = _binding(expression)
    text = _call(expression, dialect, inline, binding)
    return f"({text})" if binding < around else text


def _binding(call: Call) -> int:
    match call:
        # NOT IN is a comparison, and binds less than the operator !.
        case Call("!", (Call("IN"),)):
            return _COMPARED
        case _:
            return _BINDING.get(call.function, _OPERAND)


def _call(call: Call, dialect: Dialect, inline: Inline, binding: int) -> str:
    match call:
        case Call("!", (terms.Variable() as test,)) if _is_test(test, inline):
            return f"NOT {inline[test]}"
        case Call("!", (Call("IN", arguments),)):
            return _among(arguments, "NOT IN", dialect, inline)
        case Call("!" | "NEG" as sign, (inner,)):
            return f"{'!' if sign == '!' else '-'}{_bracketed(inner, dialect, inline)}"
        case Call("IN", arguments):
            return _among(arguments, "IN", dialect, inline)
        case Call("EBV", (inner,)):
            return _write(inner, dialect, inline, binding)
        case Call(operator, (left, right)) if operator in _BINDING:
            # Comparisons form no chains: a comparison in a comparison always has brackets.
            before = _write(left, dialect, inline, binding + (binding == _COMPARED))
            return f"{before} {operator} {_write(right, dialect, inline, binding + 1)}"
        case Call("IRI", (inner, *based)):
            # A relative IRI is resolved against BASE, so the text must declare the same BASE, or none.
            dialect.bases.update([base.lexical for base in based if isinstance(base, terms.Literal)] or [""])
            return f"IRI({_write(inner, dialect, inline, 0)})"
        case Call("BOUND", arguments):
            return f"BOUND({_tested(arguments, dialect, inline)})"
        case Call(function) if function == TIMESTAMP and dialect.language is not Language.CSPARQL:
            raise dialect.cannot(f"the function {function}", "only C-SPARQL has it")
        case Call(function, arguments):
            name = dialect.iri(terms.Iri(function[1:-1])) if function.startswith("<") else function
            return f"{name}({_expressions_text(arguments, dialect, inline)})"


def _tested(arguments: tuple[Expression, ...], dialect: Dialect, inline: Inline) -> str:
    """Return the text of the variable in BOUND(..); for SAMPLE(?x), the text is ?x."""
    match arguments:
        case (terms.Variable() as name,) if name not in inline or not _FRESH.fullmatch(name.name):
            return dialect.variable(name)
        case (terms.Variable() as name,) if sampled := _SAMPLE.fullmatch(inline[name]):
            return sampled[1]
        case _:
            text = ", ".join(map(str, arguments))
            raise dialect.cannot(f"BOUND({text})", "BOUND has a variable of the pattern")


def _bracketed(inner: Expression, dialect: Dialect, inline: Inline) -> str:
    """Return the text of the operand of the unary operators ! and -.

    A number is written in brackets, because the sign would otherwise become part of the number.
    """
    text = _write(inner, dialect, inline, _OPERAND)
    return f"({text})" if isinstance(inner, terms.Literal) else text


def _among(arguments: tuple[Expression, ...], word: str, dialect: Dialect, inline: Inline) -> str:
    needle = _write(arguments[0], dialect, inline, _COMPARED + 1)
    return f"{needle} {word} ({_expressions_text(arguments[1:], dialect, inline)})"


def _expressions_text(expressions: tuple[Expression, ...], dialect: Dialect, inline: Inline) -> str:
    return ", ".join(_write(expression, dialect, inline, 0) for expression in expressions)


def write_aggregation(aggregation: Aggregation, dialect: Dialect, texts: Inline) -> str:
    """Return the call of an aggregate; `texts` contains the arguments that are expressions.

    An aggregate with several arguments is written COUNT(DISTINCT *).
    """
    inside = "*"
    if len(aggregation.arguments) == 1:
        (argument,) = aggregation.arguments
        inside = texts[argument] if argument in texts else dialect.variable(argument)
    distinct = "DISTINCT " if aggregation.distinct else ""
    separator = ""
    if aggregation.function == "GROUP_CONCAT" and aggregation.separator != " ":
        separator = f"; SEPARATOR = {dialect.literal(terms.Literal(aggregation.separator))}"
    return f"{aggregation.function}({distinct}{inside}{separator})"
