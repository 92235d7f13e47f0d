"""Values as JSON: the one way in which `--json` writes terms, rows, triples and findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, Final

from agreement.outputs import row_order
from lars.formulas import Not
from lars.program import write_literal
from lars.terms import XSD, Blank, Constant, Iri, Literal, Number, Symbol, Variable
from lars.windows import Interval
from solver.facts import Fact, constant_of
from solver.runs import Row

Json = dict[str, Any]
_NO_NAMES: Final[Mapping[str, str]] = {}


def encoded(value: Any) -> Any:
    """Return a value as JSON: a term as in SPARQL 1.1 JSON, an interval by `from` and `to`.

    Atoms, rules, windows and whatever else has a text is this text; of other dataclasses it is the record.

    >>> encoded((Interval(3, 5), Iri("http://e/a"), Not(Interval(1, 2)), None))
    [{'from': 3, 'to': 5}, {'type': 'uri', 'value': 'http://e/a'}, 'not [1, 2]', None]
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Enum():
            return value.value
        case Iri() | Blank() | Literal() | Symbol() | Number():
            return json_term(value)
        case Interval(first, last):
            return {"from": first, "to": last} if value else {"from": None, "to": None}
        case list() | tuple():
            return [encoded(one) for one in value]
        case Not():
            return write_literal(value)
        case _:
            has_text = "__str__" in vars(type(value))
            return str(value) if has_text else record(value)


def record(value: Any, names: Mapping[str, str] = _NO_NAMES, **given: Any) -> Json:
    """Return a dataclass as an object of its fields; `names` are the keys that differ from their names.

    What is `given` for a key stands in place of the field's own value, or behind all fields.

    >>> record(Interval(3, 5), {"last": "end"}, first=[], size=2)
    {'first': [], 'end': 5, 'size': 2}
    """
    keys = {field.name: names.get(field.name, field.name) for field in fields(value)}
    own = {key: given[key] if key in given else encoded(getattr(value, name)) for name, key in keys.items()}
    return own | given


def picked(value: Any, *names: str) -> Json:
    """Return some attributes of a value by their names."""
    return {name: encoded(getattr(value, name)) for name in names}


def json_term(term: Constant) -> dict[str, str]:
    """Return a term as SPARQL 1.1 JSON; a constant of a hand-written program is a plain literal."""
    match term:
        case Iri(value):
            return {"type": "uri", "value": value}
        case Blank(label):
            return {"type": "bnode", "value": label}
        case Literal(lexical, _, str() as language):
            return {"type": "literal", "value": lexical, "xml:lang": language}
        case Literal(lexical, datatype) if datatype != XSD + "string":
            return {"type": "literal", "value": lexical, "datatype": datatype}
        case Literal(lexical):
            return {"type": "literal", "value": lexical}
        case _:
            return {"type": "literal", "value": str(term)}


def binding(columns: Sequence[Variable | str], row: Sequence[str | None]) -> Json:
    """Return a row as SPARQL 1.1 JSON: a term per column, unbound ones are absent.

    A row that is longer than its columns has no values there.
    """
    return {
        str(getattr(column, "name", column)): json_term(constant_of(text))
        for column, text in zip(columns, row, strict=False)
        if text is not None
    }


def bindings(columns: Sequence[Variable | str], rows: Iterable[Row]) -> list[Json]:
    """Return rows as JSON, in the order of their texts."""
    return [binding(columns, row) for row in sorted(rows, key=row_order)]


def json_triple(fact: Fact) -> Json:
    """Return a stream triple with its time, as a support is reported."""
    *triple, stream = fact.arguments
    return {"t": fact.t, "stream": encoded(constant_of(stream))["value"], **binding("spo", triple)}
