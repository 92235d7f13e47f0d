"""What clingo asks its host while it grounds a program, and what the host answers.

Tables of SPARQL conditions, facts many at once, and all instances of an atom: `encoding` asks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

import clingo

from lars.errors import FailedRunError, under_way
from lars.language.formulas import Among, Gather, SetLiteral, Test
from lars.language.program import Program, Rule, atoms, head_atom, variables
from lars.language.terms import NULL, Constant, Signature, Variable, signature
from solver.facts import Situation, variables_in_order, with_facts
from solver.pointwise.asp_terms import constant, symbol
from solver.pointwise.encoding import HostedCondition, Instances, Symbols, condition_arguments, input_rule
from solver.rdf import aggregate, compile_condition, evaluate, sorted_rows, test

Element = tuple[Constant | None, ...]


class Collection:
    """The instances of one literal's atom, each the terms of its variables, and the literal's answers."""

    def __init__(self, literal: SetLiteral) -> None:
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
            term = aggregate(gather.aggregation, elements)
            yield (*group, symbol(NULL if term is None else term))

    def _places(self, among: Among) -> Iterator[Symbols]:
        names = variables_in_order(among.atom)
        order = [(names.index(order.variable), order.descending) for order in among.order]
        rows: dict[Element, Symbols] = {
            tuple(map(_value, instance)): instance for instance in self._instances
        }
        ranked = [rows[tuple(row)] for row in sorted_rows(rows, order)]
        for members in _grouped(ranked, [names.index(key) for key in among.keys]).values():
            yield from members[among.offset : None if among.limit is None else among.offset + among.limit]


def _grouped(instances: Iterable[Symbols], keys: Sequence[int]) -> dict[Symbols, list[Symbols]]:
    groups: dict[Symbols, list[Symbols]] = {}
    for instance in instances:
        groups.setdefault(tuple(instance[place] for place in keys), []).append(instance)
    return groups


def _value(term: clingo.Symbol) -> Constant | None:
    constant_value = constant(term)
    return None if constant_value == NULL else constant_value


class InputFact(NamedTuple):
    """A fact by its name and arity in ASP, its terms as a tuple, and a time that is its last argument."""

    signature: Signature
    terms: clingo.Symbol
    time: int | None = None

    def atom(self) -> clingo.Symbol:
        """Return the fact as an atom."""
        time = () if self.time is None else (clingo.Number(self.time),)
        return clingo.Function(self.signature[0], [*self.terms.arguments, *time])


class Host:
    """What a program calls while it is grounded.

    `@times` and `@rows` of its facts, `@test` and `@value` of its numbered conditions, `@collect` and
    `@gathered` of its numbered literals over all instances, and `@within`. `known` are instances that stand
    for those collected. `endless` are rules whose computed values were cut off, `asked` is what was asked
    for last.
    LarsError: a condition calls a function that does not exist, or with a wrong number of arguments.
    """

    def __init__(
        self,
        conditions: Mapping[int, HostedCondition],
        gathered: Mapping[SetLiteral, int],
        known: Instances,
        facts: Iterable[InputFact] = (),
    ) -> None:
        for condition in conditions.values():
            compile_condition(condition.expression)
        self._conditions = {
            number: (condition, condition_arguments(condition)) for number, condition in conditions.items()
        }
        self._collections = {number: Collection(literal) for literal, number in gathered.items()}
        self._known = {gathered[literal] for literal in gathered if literal in known}
        for literal, number in gathered.items():
            for instance in known.get(literal, ()):
                self._collections[number].add(instance)
        self._computed: dict[int, set[tuple[clingo.Symbol, ...]]] = {}
        self._rows: dict[Signature, dict[int | None, list[clingo.Symbol]]] = {}
        for name, terms, time in facts:
            self._rows.setdefault(name, {}).setdefault(time, []).append(terms)
        self._numbered = list(self._rows.values())
        self.endless: set[int] = set()
        self.asked: HostedCondition | SetLiteral | None = None

    def input_rules(self) -> str:
        """Return the rules by which a program asks for its facts: many at once cost less than each alone."""
        return "".join(
            input_rule(number, *name, timed=None not in rows)
            for number, (name, rows) in enumerate(self._rows.items())
        )

    def times(self, number: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the times at which a predicate of the input has rows."""
        return [clingo.Number(time) for time in self._numbered[number.number] if time is not None]

    def rows(self, number: clingo.Symbol, *time: clingo.Symbol) -> list[clingo.Symbol]:
        """Return a predicate's rows as tuples: those of a time, or those that have none."""
        return self._numbered[number.number][time[0].number if time else None]

    def within(self, rule: clingo.Symbol, most: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return 1, until a recursive rule has computed so many values that it may never end."""
        symbols = self._computed.setdefault(rule.number, set())
        symbols.add(terms)
        if len(symbols) <= most.number:
            return clingo.Number(1)
        self.endless.add(rule.number)
        return clingo.Number(0)

    def test(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return 1 when the test holds of the terms, else 0."""
        condition, names = self._conditions[number.number]
        self.asked = condition
        binding = dict(zip(names, map(constant, terms), strict=True))
        holds = isinstance(condition, Test) and test(condition.expression, condition.value, binding)
        return clingo.Number(int(holds))

    def value(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return the value of the expression on the terms, null when it is an error."""
        condition, names = self._conditions[number.number]
        self.asked = condition
        term = evaluate(condition.expression, dict(zip(names, map(constant, terms), strict=True)))
        return symbol(NULL if term is None else term)

    def collect(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Note an instance by its terms; return 1."""
        if number.number not in self._known:
            self._collections[number.number].add(terms)
        return clingo.Number(1)

    def gathered(self, number: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the answers over all that was collected, as tuples of their terms and the number."""
        self.asked = self._collections[number.number].literal
        symbols = self._collections[number.number].answers()
        return [clingo.Function("", [*row, number]) for row in symbols]


_ROUNDS = 3
_MOST = 10**18
"""Beyond it estimates are all alike."""


def ground(control: clingo.Control, host: Host, program: Program, situation: Situation) -> None:
    """Ground a program; raises FailedRunError that names the rule with what the host refuses to compute."""
    with under_way(lambda: f"most of all for {_largest(program, situation).quotation}"):
        try:
            control.ground([("base", [])], context=host)
        except FailedRunError as error:
            raise FailedRunError(f"{error}, in {_asking(program, host).quotation}") from None


def _asking(program: Program, host: Host) -> Rule:
    return next(rule for rule in program.rules if host.asked in rule.body)


def _largest(program: Program, situation: Situation) -> Rule:
    """Return the rule with the most instances, as far as the numbers of atoms tell."""
    sizes: dict[Signature, int] = {}
    for fact in situation.facts:
        predicate = fact.predicate, len(fact.arguments)
        sizes[predicate] = sizes.get(predicate, 0) + 1
    for predicate, rows in with_facts(program, situation.background).items():
        sizes[predicate] = sizes.get(predicate, 0) + sum(1 for _ in rows)
    for _ in range(_ROUNDS):  # so that what is derived is counted too
        derived: dict[Signature, int] = {}
        for rule in program.rules:
            if (head := head_atom(rule)) is not None:
                derived[signature(head)] = max(_instances(rule, sizes), derived.get(signature(head), 0))
        sizes |= derived
    return max(program.rules, key=lambda rule: _instances(rule, sizes))


def _instances(rule: Rule, sizes: dict[Signature, int]) -> int:
    """Return about how many instances a rule has: what shares no variable is combined freely."""
    groups: list[tuple[frozenset[Variable], int]] = []
    for names, size in _sizes(rule, sizes):
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        groups.append(
            (names.union(*(pair[0] for pair in joined)), max(size, *(pair[1] for pair in joined), 0))
        )
    return min(_MOST, prod(max(1, size) for _, size in groups))


def _sizes(rule: Rule, sizes: dict[Signature, int]) -> Iterator[tuple[frozenset[Variable], int]]:
    for literal in rule.body:
        if not isinstance(literal, SetLiteral):
            for atom, positive, _ in atoms(literal):
                if positive:
                    yield variables(atom), sizes.get(signature(atom), 0)
