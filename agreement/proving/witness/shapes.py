"""Which witnesses count as one: those that differ in names that no query has, and in how long they wait."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby, permutations, product

from agreement.proving.witness.searching import Witness
from lars.language.program import Program
from lars.language.terms import Blank, Iri, Literal, Number, Symbol
from solver.facts import Fact

WitnessShape = tuple[object, ...]


def named_terms(programs: Iterable[Program]) -> frozenset[str]:
    """Return the texts of the constants that programs name, in conditions and heads too."""
    return frozenset(
        text for one in programs for rule in one.rules for text in _constants((rule.head, rule.body))
    )


def _constants(part: object) -> Iterator[str]:
    match part:
        case Iri() | Literal() | Blank() | Symbol() | Number():
            yield str(part)
        case tuple():
            yield from (text for each in part for text in _constants(each))
        case _ if is_dataclass(part):
            yield from (text for one in fields(part) for text in _constants(getattr(part, one.name)))


def shape_of(witness: Witness, named: frozenset[str]) -> WitnessShape:
    """Return what equals for witnesses alike: what arrives in which order, names in the order of their use.

    Who has the row counts too.
    """
    static = sorted(row for rows in witness.static.values() for row in rows)
    sides = bool(witness.left_only), bool(witness.right_only)
    return (*sides, min(_renamed(order, static, named) for order in _orders(witness.facts)))


def _orders(facts: Sequence[Fact]) -> Iterator[list[list[Fact]]]:
    instants = [list(some) for _, some in groupby(facts, lambda fact: fact.t)]
    for chosen in product(*(permutations(some) for some in instants)):
        yield [list(some) for some in chosen]


def _renamed(
    order: list[list[Fact]], static: Sequence[tuple[str, ...]], named: frozenset[str]
) -> tuple[object, ...]:
    names: dict[str, str] = {}

    def name(text: str) -> str:
        return text if text in named else names.setdefault(text, f"?{len(names)}")

    arriving = tuple(tuple(tuple(map(name, fact.arguments)) for fact in some) for some in order)
    return arriving, tuple(sorted(tuple(map(name, row)) for row in static))
