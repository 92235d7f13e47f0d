"""What the host knows of the instances that clingo collected, and what it answers: see `callbacks`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import clingo

from lars.language.formulas import Among, Gather, Gathered
from lars.language.terms import NULL, Constant
from solver.facts import variables_in_order
from solver.pointwise.symbols import constant, symbol
from solver.rdf import aggregate, sorted_rows

Symbols = tuple[clingo.Symbol, ...]
Instances = Mapping[Gathered, frozenset[Symbols]]
"""Which instances of their atoms literals shall find at one reference time."""
Element = tuple[Constant | None, ...]


class Collection:
    """The instances of one literal's atom, each the terms of its variables, and the literal's answers."""

    def __init__(self, literal: Gathered) -> None:
        self.literal = literal
        self._instances: dict[Symbols, None] = {}

    def add(self, instance: Symbols) -> None:
        """Note an instance."""
        self._instances[instance] = None

    def answers(self) -> Iterator[Symbols]:
        """Yield each answer of the literal."""
        match self.literal:
            case Gather() as gather:
                return self._values(gather)
            case Among() as among:
                return self._places(among)

    def _values(self, gather: Gather) -> Iterator[Symbols]:
        names = variables_in_order(gather.atom)
        arguments = [names.index(argument) for argument in gather.aggregation.arguments]
        groups = _grouped(self._instances, [names.index(key) for key in gather.keys])
        if not gather.keys:
            # The only group is there without an instance.
            groups.setdefault((), [])
        for group, members in groups.items():
            elements = (tuple(_value(member[i]) for i in arguments) for member in members)
            found = aggregate(gather.aggregation, elements)
            yield (*group, symbol(NULL if found is None else found))

    def _places(self, among: Among) -> Iterator[Symbols]:
        names = variables_in_order(among.atom)
        order = [(names.index(order.variable), order.descending) for order in among.order]
        rows: dict[Element, Symbols] = {
            tuple(map(_value, instance)): instance for instance in self._instances
        }
        ranked = [rows[tuple(row)] for row in sorted_rows(rows, order)]
        for members in _grouped(ranked, [names.index(key) for key in among.keys]).values():
            yield from members[_slice(among)]


def _slice(among: Among) -> slice:
    return slice(among.offset, None if among.limit is None else among.offset + among.limit)


def _grouped(instances: Iterable[Symbols], keys: Sequence[int]) -> dict[Symbols, list[Symbols]]:
    groups: dict[Symbols, list[Symbols]] = {}
    for instance in instances:
        groups.setdefault(tuple(instance[place] for place in keys), []).append(instance)
    return groups


def _value(term: clingo.Symbol) -> Constant | None:
    found = constant(term)
    return None if found == NULL else found
