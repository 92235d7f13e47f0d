"""Rows of triple patterns, and their joins: terms as texts, a row as what its variables are bound to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lars.language.terms import Iri, Literal, Variable
from solver.facts import Triple, constant_of
from translate.model.patterns import TriplePattern

TextBinding = Mapping[str, str]
"""What the variables of a row are bound to, by their names."""
NO_VARIABLES: Final[TextBinding] = {}


def plain_text(text: str) -> str:
    """Return a term of N-Triples as Kolibrie keeps it: without its kind.

    >>> plain_text('"1"^^<http://www.w3.org/2001/XMLSchema#integer>'), plain_text("<http://e/o>")
    ('1', 'http://e/o')
    """
    match constant_of(text):
        case Iri(value):
            return value
        case Literal(lexical, _, language):
            return f"{lexical}@{language}" if language else lexical
        case _:
            return text


@dataclass(frozen=True, slots=True)
class TextPattern:
    """A triple pattern: the names of its variables by place, None where a text stands."""

    names: tuple[str | None, ...]
    texts: tuple[str, ...]

    def row(self, triple: Triple) -> TextBinding | None:
        """Return what a triple binds, None where it does not match."""
        row: dict[str, str] = {}
        for term, name, text in zip(triple, self.names, self.texts, strict=True):
            if term != (text if name is None else row.setdefault(name, term)):
                return None
        return row


def text_pattern(pattern: TriplePattern, text_of: Callable[[str], str]) -> TextPattern:
    """Return a triple pattern whose constants are written as `text_of` writes terms."""
    names = tuple(term.name if isinstance(term, Variable) else None for term in pattern.terms)
    return TextPattern(names, tuple(text_of(str(term)) for term in pattern.terms))


def matches(patterns: Sequence[TextPattern], triples: Iterable[Triple]) -> list[TextBinding]:
    """Return the rows of a basic graph pattern over a set of triples."""
    rows: list[TextBinding] = [NO_VARIABLES]
    known = tuple(dict.fromkeys(triples))
    for pattern in patterns:
        rows = join_bindings(rows, [row for triple in known if (row := pattern.row(triple)) is not None])
    return rows


def join_bindings(left: Sequence[TextBinding], right: Sequence[TextBinding]) -> list[TextBinding]:
    """Return the natural join of two bags of rows, each side bound alike; it can be a cross product."""
    if not left or not right:
        return []
    shared = sorted(left[0].keys() & right[0].keys())
    by_key: dict[tuple[str, ...], list[TextBinding]] = {}
    for row in right:
        by_key.setdefault(tuple(row[name] for name in shared), []).append(row)
    return [{**row, **other} for row in left for other in by_key.get(tuple(row[name] for name in shared), ())]
