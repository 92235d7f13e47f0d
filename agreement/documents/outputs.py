"""Output of answers and results: JSON for `--json`, and short terms and tables for readers."""

import json
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from io import StringIO
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.text_tables import FoldingTable
from lars.durations import TimedPoints, in_one_unit
from lars.errors import on_one_line, printable
from lars.language.formulas import Not
from lars.language.program import write_literal
from lars.language.terms import (
    XSD,
    Blank,
    Constant,
    Iri,
    Literal,
    Number,
    Symbol,
    TripleTerm,
    Variable,
    write_name,
)
from lars.language.windows import Interval

# The help needs only texts and tables: readers of terms are loaded on demand.
if TYPE_CHECKING:
    from solver.facts import Fact, Row
    from translate.tau import Output

Json = dict[str, Any]
_NO_NAMES: Final[Mapping[str, str]] = {}


def _constant(text: str) -> Constant:
    from solver.facts import constant_of

    return constant_of(text)


def encode(value: object) -> Any:
    """Return a value as JSON: an RDF term as in SPARQL 1.1 JSON, an interval with the keys `from` and `to`.

    Atoms, rules, windows and other values with a text syntax become texts. Other dataclasses become objects.

    >>> encode((Interval(3, 5), Iri("http://e/a"), Not(Interval(1, 2)), None))
    [{'from': 3, 'to': 5}, {'type': 'uri', 'value': 'http://e/a'}, 'not [1, 2]', None]
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Enum():
            return value.value
        case Iri() | Blank() | Literal() | TripleTerm() | Symbol() | Number():
            return json_term(value)
        case Interval(first, last):
            return {"from": first, "to": last} if value else {"from": None, "to": None}
        case list() | tuple():
            return [encode(part) for part in value]
        case Not():
            return write_literal(value)
        case _:
            has_text = "__str__" in vars(type(value))
            return str(value) if has_text else record(value)


def record(value: Any, names: Mapping[str, str] = _NO_NAMES, **values: object) -> Json:
    """Return a dataclass as a JSON object of its fields; `names` maps field names to different keys.

    An entry of `values` replaces the field with its name, or is added after all fields.

    >>> record(Interval(3, 5), {"last": "end"}, first=[], size=2)
    {'first': [], 'end': 5, 'size': 2}
    """
    keys = {field.name: names.get(field.name, field.name) for field in fields(value)}
    own = {key: values[key] if key in values else encode(getattr(value, name)) for name, key in keys.items()}
    return own | values


def pick(value: object, *names: str) -> Json:
    """Return the attributes with the given names of a value, as a JSON object."""
    return {name: encode(getattr(value, name)) for name in names}


def json_term(term: Constant) -> Json:
    """Return a term as SPARQL 1.2 JSON; a constant that is not an RDF term becomes a plain literal."""
    match term:
        case Iri(value):
            return {"type": "uri", "value": value}
        case Blank(label):
            return {"type": "bnode", "value": label}
        case Literal(lexical, _, str() as tag):
            directed = {"its:dir": term.direction} if term.direction else {}
            return {"type": "literal", "value": lexical, "xml:lang": tag.partition("--")[0]} | directed
        case TripleTerm():
            parts = ("subject", "predicate", "object")
            return {"type": "triple", "value": pick(term, *parts)}
        case Literal(lexical, datatype) if datatype != XSD + "string":
            return {"type": "literal", "value": lexical, "datatype": datatype}
        case Literal(lexical):
            return {"type": "literal", "value": lexical}
        case _:
            return {"type": "literal", "value": str(term)}


def binding(columns: Sequence[Variable | str], row: Sequence[str | None]) -> Json:
    """Return a row as SPARQL 1.1 JSON: a term for each bound column, without unbound columns.

    If the row has more values than columns, the function drops these values.
    """
    return {
        str(getattr(column, "name", column)): _json_text(text)
        for column, text in zip(columns, row, strict=False)
        if text is not None
    }


@lru_cache(maxsize=2**16)
def _json_text(text: str) -> Json:
    return json_term(_constant(text))


def bindings(columns: Sequence[Variable | str], rows: Iterable["Row"]) -> list[Json]:
    """Return rows as JSON, in the order of their texts."""
    return [binding(columns, row) for row in sorted(rows, key=row_order)]


def document_lines(value: object) -> Iterator[str]:
    r"""Yield the lines of a JSON document; an iterator becomes an array with one line for each item.

    >>> print(*document_lines({"a": 1, "b": ({"c": [n]} for n in (1, 2))}), sep="\n")
    {
    "a": 1,
    "b": [
    {"c": [1]},
    {"c": [2]}
    ]
    }
    """
    match value:
        case Iterator():
            yield "["
            yield from _with_commas(document_lines(part) for part in value)
            yield "]"
        case dict() if any(isinstance(part, Iterator) for part in value.values()):
            yield "{"
            yield from _with_commas(_keyed(key, document_lines(part)) for key, part in value.items())
            yield "}"
        case _:
            yield json_text(value)


def json_text(value: object) -> str:
    r"""Return a value as JSON on one line, with invisible characters escaped.

    >>> print(json_text({"é": "\u202e"}))
    {"é": "\u202e"}
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(map(_in_json, text))


def _in_json(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)[1:-1] if text > "\x7f" else f"\\u{ord(text):04x}"


def _keyed(key: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"{json_text(key)}: {next(lines)}"
    yield from lines


def _with_commas(parts: Iterable[Iterator[str]]) -> Iterator[str]:
    held = ""
    for number, part in enumerate(parts):
        if number:
            yield f"{held},"
        held = next(part)
        for line in part:
            yield held
            held = line
    if held:
        yield held


def json_triple(fact: "Fact", dates: Dates = NO_DATES) -> Json:
    """Return a stream triple as JSON, with its time, and with its graph if the graph is known."""
    *triple, stream = fact.arguments
    return {
        **dates.with_dates({"t": fact.t}),
        "stream": encode(_constant(stream))["value"],
        **binding("spog", triple),
    }


_WIDTH: Final = 40
_LONGEST_TERM: Final = 200
"""The greatest length of a term that is shown in full; a longer term is cut, and its length is shown."""


def in_order(output: "Output", answer_rows: Iterable["Row"]) -> list["Row"]:
    """Return the rows of a query's answer, sorted by ORDER BY, or by their texts."""
    rows = sorted(answer_rows, key=row_order)
    if output.order:
        from solver.rdf import sorted_rows

        terms = [tuple(None if text is None else _constant(text) for text in row) for row in rows]
        places = dict(zip(terms, rows, strict=True))
        rows = [places[row] for row in sorted_rows(terms, output.order)]
    return output.answers(rows)


def row_order(row: "Row") -> tuple[tuple[bool, str], ...]:
    """Return the sort key of a row; unbound columns precede terms, and terms are sorted by their texts."""
    return tuple((text is not None, text or "") for text in row)


def short(text: str | None) -> str:
    """Return the short text of a term: the last part of an IRI, or the lexical form of a literal.

    >>> short('"25"^^<http://www.w3.org/2001/XMLSchema#integer>'), short("<http://e/shops#b>"), short(None)
    ('25', 'b', '-')
    >>> short('"-"'), short('""')
    ('"-"', '""')
    """
    if text is None:
        return "-"
    match _constant(text):
        case TripleTerm() as triple:
            words = f"<<( {' '.join(short(str(term)) for term in triple.terms)} )>>"
        case Iri(value):
            words = value.rstrip("/#").replace("#", "/").rpartition("/")[2] or value
        case Literal(lexical):
            words = lexical
        case other:
            words = str(other)
    # Unbound is written as - in a row, and as nothing in a table.
    return on_one_line(clip_text(words)) if words not in ("-", "") else with_kind(text)


_TERM: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|<[^<>"{}|^`\s]+>')


def shorten(text: str) -> str:
    """Return the text of a formula, atom or rule with shortened IRIs and literals.

    >>> shorten('p(<http://e/b>, "25"^^<http://www.w3.org/2001/XMLSchema#integer>)')
    'p(b, 25)'
    """
    return _TERM.sub(lambda match: short(match.group()), text)


_ARGUMENT: Final = re.compile(r"[(,=] ?([\w.+-]+)(?=[,)]|$)")


def shorten_lines(lines: Sequence[str], names: Iterable[str] = ()) -> list[str]:
    """Return lines of text with shortened IRIs and literals; terms that would look alike show their kinds.

    An IRI or a literal must also not look like one of `names`, which are names and numbers of LARS.

    >>> shorten_lines(['p("2"^^<http://www.w3.org/2001/XMLSchema#integer>, <http://e/a>)', "q(2)"])
    ['p("2"^^xsd:integer, a)', 'q(2)']
    """
    terms_by_name: dict[str, set[str]] = {}
    for term in dict.fromkeys(term for line in lines for term in _TERM.findall(line)):
        terms_by_name.setdefault(short(term), set()).add(term)
    plain = {name for line in lines for name in _ARGUMENT.findall(_TERM.sub("", line))}
    plain.update(name for name in names if name in terms_by_name)
    alike = {
        term for name, terms in terms_by_name.items() for term in terms if len(terms) > 1 or name in plain
    }

    def name_of(match: re.Match[str]) -> str:
        return (with_kind if match.group() in alike else short)(match.group())

    return [_TERM.sub(name_of, line) for line in lines]


def clip_text(text: str, most: int = _LONGEST_TERM) -> str:
    """Return a text for a reader; a text of more than `most` characters is cut, and its length is added.

    >>> clip_text("a" * 50, 100) == "a" * 50, clip_text("a" * 5000, 100)
    (True, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… (5000 characters)')
    """
    return text if len(text) <= most else f"{text[: _WIDTH - 1]}… ({len(text)} characters)"


def atom_text(predicate: str, row: "Row") -> str:
    r"""Return a row as an atom on one line, in the syntax that commands read.

    >>> print(atom_text("ans1", ('"a\u202e"@en', "<http://e/a>", None)))
    ans1("a\u202E"@en, <http://e/a>, null)
    """
    words = ", ".join("null" if text is None else text for text in row)
    return on_one_line(f"{write_name(predicate)}({words})" if row else write_name(predicate))


_DOUBLE: Final = 15


def plain(number: float, fraction: int = 3) -> str:
    """Return a number as text: all digits before the point, and up to `fraction` digits after the point.

    >>> plain(1577836805001.0), plain(0.5), plain(1700000004.001, 9)
    ('1577836805001', '0.5', '1700000004.001')
    """
    # A double has fifteen digits: further printed digits would be noise.
    kept = min(fraction, max(_DOUBLE - len(f"{abs(number):.0f}"), 0))
    text = f"{number:.{kept}f}".rstrip("0").rstrip(".") if kept else f"{number:.0f}"
    return "0" if text == "-0" else text


def share_text(share: float, decimals: int = 3) -> str:
    """Return a share from 0 to 1 as text; no other share is written as 0 or 1.

    >>> share_text(1), share_text(5849 / 5850), share_text(0.5, 1), share_text(1 / 5850), share_text(0)
    ('1.000', '0.999', '0.5', '0.001', '0.000')
    """
    least = 10.0**-decimals
    inside = share if share in (0, 1) else min(max(share, least), 1 - least)
    return f"{inside:.{decimals}f}"


def percent_text(share: float) -> str:
    """Return a share from 0 to 1 in percent; no other share is written as 0% or 100%.

    >>> percent_text(1), percent_text(5849 / 5850), percent_text(0.456), percent_text(1 / 5850)
    ('100%', '99%', '46%', '1%')
    """
    return f"{float(share_text(share, 2)):.0%}"


def retypable(text: str | None) -> str:
    """Return a term with a short IRI; a literal that is not a plain number has quotes and its datatype.

    >>> [retypable(f'"{text}"^^<{XSD}integer>') for text in ("25", "none")], retypable("<http://e/shops#b>")
    (['25', '"none"^^xsd:integer'], 'b')
    >>> retypable('"25"'), retypable('"a"@en')
    ('"25"', '"a"@en')
    """
    if text is None or not isinstance(term := _constant(text), Literal):
        return short(text)
    from solver.rdf import value

    is_number = isinstance(value(term), int | float | Decimal)
    return short(text) if is_number and term.language is None else with_kind(text)


def short_row(row: "Row") -> str:
    """Return a row as the text of a table cell, with short terms."""
    return f"({', '.join(map(short, row))})"


def names_apart(terms: Iterable[str | None]) -> dict[str | None, str]:
    """Return a short text for each term; if different terms look equal, their texts show their kinds.

    >>> names_apart(('"a"', "<http://e/a>", "<http://e/b>", None))
    {'"a"': '"a"', '<http://e/a>': '<http://e/a>', '<http://e/b>': 'b', None: '-'}
    """
    alike: dict[str, dict[str | None, None]] = {}
    for term in terms:
        alike.setdefault(short(term), {})[term] = None
    return {term: text for group in alike.values() for term, text in _apart(group).items()}


def short_rows(rows: Sequence["Row"]) -> list[str]:
    """Return rows as short texts; if different rows look equal, their terms show their kinds.

    >>> short_rows([('"a"',), ('"a"@en',), ('"b"',)])
    ['("a")', '("a"@en)', '(b)']
    """
    return told_apart(rows, ())[0]


def told_apart(rows: Sequence["Row"], others: Sequence["Row"]) -> tuple[list[str], list[str]]:
    """Return two lists of rows as short texts; if different rows look equal, terms show their kinds.

    If long terms still look equal, the texts show the parts that differ.

    >>> told_apart([('"a"', "<http://e/b>")], [("<http://e/a>", "<http://e/b>"), ("<http://e/c>", None)])
    (['("a", b)'], ['(<http://e/a>, b)', '(c, -)'])
    >>> told_apart([('"a, b"', '"c"')], [('"a"', '"b, c"')])
    (['("a, b", "c")'], ['("a", "b, c")'])
    """
    texts = {row: short_row(row) for row in chain(rows, others)}
    if len(set(texts.values())) < len(texts):
        for group in _alike(texts):
            names = [names_apart(terms) for terms in zip(*group, strict=True)]
            texts |= {row: f"({', '.join(map(dict.__getitem__, names, row))})" for row in group}
        # A comma or a quotation mark of a literal can still make two rows look equal.
        for group in _alike(texts):
            texts |= {row: f"({', '.join(map(with_kind, row))})" for row in group}
    return [texts[row] for row in rows], [texts[row] for row in others]


def _alike(texts: Mapping["Row", str]) -> list[list["Row"]]:
    """Return the groups of rows that have the same text."""
    groups: dict[str, list[Row]] = {}
    for row, text in texts.items():
        groups.setdefault(text, []).append(row)
    return [group for group in groups.values() if len(group) > 1]


def _apart(alike: Collection[str | None]) -> dict[str | None, str]:
    """Return a text for each of some terms with the same short text; the texts differ."""
    if len(alike) == 1:
        return {term: short(term) for term in alike}
    texts = {term: with_kind(term) for term in alike}
    if len(set(texts.values())) == len(texts):
        return texts
    named = [term for term in alike if term is not None]
    same = sum(1 for _ in takewhile(lambda letter: len(set(letter)) == 1, zip(*named, strict=False)))
    begin = max(same - _BEFORE, 0)
    parts: dict[str, list[str | None]] = {}
    for term in named:
        parts.setdefault(f"…{on_one_line(clip_text(term[begin:]))}", []).append(term)
    for text, still in parts.items():
        # These differ from the others here, and from each other only later.
        is_open = 1 < len(still) < len(named)
        texts |= _apart(still) if is_open else dict.fromkeys(still, text)
    return texts


_BEFORE: Final = 10
"""The number of characters that are shown before the first difference of two terms."""


def with_kind(text: str | None) -> str:
    """Return a term in Turtle syntax; `-` for an unbound variable."""
    return (
        "-"
        if text is None
        else re.sub(rf"<{XSD}(\w+)>$", r"xsd:\1", on_one_line(clip_text(text, _LONGEST_TEXT)))
    )


_LONGEST_TEXT: Final = 1_000


_SAFE: Final = re.compile(r"\w[\w.:\-]*")


def short_atom(row: "Row") -> str | None:
    """Return a row as an atom with short terms for `lars explain`; None if a term has no exact short form.

    >>> short_atom(("<http://e/shops#b>", None)), short_atom(('"a, b"',)), short_atom(('"0"',))
    ('ans(b,null)', None, None)
    """
    terms = ["null" if text is None else short(text) for text in row]
    exact = all(map(_is_exact, row, terms))
    return f"ans({','.join(terms)})" if terms and exact and all(map(_SAFE.fullmatch, terms)) else None


def _is_exact(text: str | None, term: str) -> bool:
    """Return whether a short term can be read back: digits are the number that they mean in Turtle."""
    if text is None or term == "null":
        return text is None
    kind = next((kind for kind, pattern in _NUMBERS.items() if pattern.fullmatch(term)), None)
    return kind is None or text == str(Literal(term, XSD + kind))


_NUMBERS: Final = {
    "integer": re.compile(r"[+-]?[0-9]+"),
    "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    "double": re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"),
}


def asked_atom(predicate: str, row: "Row") -> str:
    """Return a row as an atom for `lars explain`, with long terms shortened."""
    text = atom_text(predicate, row)
    if len(text) <= _LONGEST_TEXT:
        return text
    terms = (term if term is None or len(term) <= _LONGEST_TERM else short(term) for term in row)
    return atom_text(predicate, tuple(terms))


def header(variables: Iterable[Variable]) -> str:
    """Return the names of the columns of a row as one text, such as (?a, ?b)."""
    return f"({', '.join(f'?{variable.name}' for variable in variables)})"


_VOWELS: Final = "aeiou"


NO_ROWS: Final = ": neither side reports a row"
"""The text after the verdict *agree* if no side has a row."""


def quantity(count: int, noun: str) -> str:
    """Return a number with a noun in singular or plural.

    >>> quantity(1, "row"), quantity(2, "row"), quantity(0, "push"), quantity(3, "query"), quantity(4, "day")
    ('1 row', '2 rows', '0 pushes', '3 queries', '4 days')
    """
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if noun.endswith('sh') else 's'}"


def range_text(first: int, last: int) -> str:
    """Return the numbers from `first` to `last` as a range; if both are equal, return a single number.

    Durations of a range are printed in one unit.
    """
    if first == last:
        return str(first)
    if isinstance(first, TimedPoints) and isinstance(last, TimedPoints):
        return "..".join(in_one_unit(first.duration, last.duration))
    return f"{first}..{last}"


def number_ranges(numbers: Sequence[int], most: int | None = None) -> str:
    """Return ascending numbers as ranges; "…" replaces all ranges after the first `most` ranges.

    >>> number_ranges([1, 2, 3, 8]), number_ranges([1, 3, 5], 2)
    ('1..3, 8', '1, 3, …')
    """
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    more = ["…"] * (most is not None and len(runs) > most)
    return ", ".join((*(range_text(run[0], run[-1]) for run in runs[:most]), *more))


def first_few(texts: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first `most` texts, joined by `joint`, and the number of the other texts.

    >>> first_few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return joint.join(texts[:most]) + more


def table(
    title: str | None,
    columns: Iterable[str],
    rows: Iterable[Iterable[str | Text]],
    *,
    right: Container[str] = (),
    whole: Container[str] = (),
) -> Table:
    """Return a table for a terminal; columns in `right` are right-aligned, and long values are wrapped.

    Columns in `whole` have their full width; the other columns share the remaining width.
    """
    folding_table = FoldingTable(title=title)
    for name in columns:
        justify: JustifyMethod = "right" if name in right else "left"
        folding_table.add_column(name, justify=justify, overflow="fold", no_wrap=name in whole)
    for row in rows:
        folding_table.add_row(*row)
    return folding_table


def triples_table(
    arrivals: Iterable[tuple[str, str, Iterable[str | None]]], title: str | None = None
) -> Table:
    """Return a table of triples, each with its time and its stream."""
    triples = [(t, stream, tuple(triple)) for t, stream, triple in arrivals]
    iris = {term for *_, triple in triples for term in triple if term is not None and term[0] == "<"}
    names = names_apart(iris)
    rows = (
        (t, stream, " ".join(names[term] if term in names else retypable(term) for term in triple))
        for t, stream, triple in triples
    )
    return table(title, ("t", "stream", "triple"), rows, right=("t",))


WIDEST: Final = 100_000
"""A width of tables at which each row fits on one line."""


_INTERVAL: Final = re.compile(r"(?<=[\dZ],) (?=\d[\d:.TZ+-]*[\])])")
_KEPT: Final = "\ue000"
"""The character that replaces a space at which no line may end; in output, this character is escaped."""


class _Page(Console):
    """A console that prints cells unchanged, without Rich's markup, emoji codes, and control characters.

    The console never breaks a line inside an interval.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(_INTERVAL.sub(_KEPT, printable(text)), **options)


def table_text(
    part: RenderableType, *, width: int = WIDEST, terminal: bool = False, plain_text: bool = False
) -> str:
    r"""Return a table as text; in a notebook, Rich must not display the table.

    >>> print(*table_text(table(None, ["t"], [["[b]:cat:\x1b"]])).split()[-3:-1])
    [b]:cat:\u001B │
    """
    text = StringIO()
    page = _Page(
        file=text,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=terminal and not plain_text,
        no_color=plain_text or not terminal,
        force_jupyter=False,
    )
    # A sentence is one line, however long, as texts are.
    page.print(part, soft_wrap=isinstance(part, Text))
    return text.getvalue().replace(_KEPT, " ")
