"""What a program asks its host while clingo grounds, as ASP text, and what the host answers.

Tables of SPARQL conditions, facts many at once, and all instances of an atom.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import clingo

from lars.language.formulas import Among, Assign, Gather, SetLiteral, Test
from lars.language.program import Rule, head_atom, variables
from lars.language.terms import NULL, Constant, Signature, Variable, signature
from solver.facts import variables_in_order
from solver.pointwise.asp_terms import call, constant, symbol
from solver.rdf import aggregate, compile_condition, evaluate, sorted_rows, test

Symbols = tuple[clingo.Symbol, ...]
Instances = Mapping[SetLiteral, frozenset[Symbols]]
"""Which instances of their atoms literals shall find at one reference time."""
Element = tuple[Constant | None, ...]
HostedCondition = Test | Assign


Place = tuple[HostedCondition, Signature | None]
"""A condition in the rules of one predicate: one table for two would tie their layers together."""


def place(condition: HostedCondition, rule: Rule) -> Place:
    """Return where a condition of a rule stands."""
    head = head_atom(rule)
    return condition, None if head is None else signature(head)


def condition_arguments(condition: HostedCondition) -> tuple[Variable, ...]:
    """Return the variables that a condition's value depends on, in lexicographic order."""
    return tuple(sorted(variables(condition.expression)))


def condition_atom(condition: HostedCondition, number: int, arguments: Sequence[str], value: str) -> str:
    """Return the atom that stands for a condition in a rule; `value` is the variable BIND sets."""
    name, _ = table_signature(condition, number)
    return call(name, [*arguments, value] if isinstance(condition, Assign) else arguments)


def table_signature(condition: HostedCondition, number: int) -> tuple[str, int]:
    """Return name and arity of the predicate that holds a condition's table."""
    arity = len(condition_arguments(condition))
    return (f"test'{number}", arity) if isinstance(condition, Test) else (f"value'{number}", arity + 1)


def table(condition: HostedCondition, number: int, arguments: Sequence[str], domain: str) -> Iterator[str]:
    """Yield the rules that fill a condition's table for the arguments that `domain` yields."""
    question = call(f"ask'{number}", arguments)
    yield f"{question} :- {domain}." if domain else f"{question}."
    terms = ",".join((str(number), *arguments))
    answer = f"@test({terms}) = 1" if isinstance(condition, Test) else f"Y = @value({terms})"
    yield f"{condition_atom(condition, number, arguments, 'Y')} :- {question}; {answer}."


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
            yield from members[_slice(among)]


def _slice(among: Among) -> slice:
    return slice(among.offset, None if among.limit is None else among.offset + among.limit)


def _grouped(instances: Iterable[Symbols], keys: Sequence[int]) -> dict[Symbols, list[Symbols]]:
    groups: dict[Symbols, list[Symbols]] = {}
    for instance in instances:
        groups.setdefault(tuple(instance[place] for place in keys), []).append(instance)
    return groups


def _value(term: clingo.Symbol) -> Constant | None:
    constant_value = constant(term)
    return None if constant_value == NULL else constant_value


def _input_rule(number: int, name: str, arity: int, *, timed: bool) -> str:
    names = [f"X{i}" for i in range(arity - timed)]
    row = f"({','.join(names)}{',' * (len(names) == 1)})"
    if timed:
        return f"{call(name, [*names, 'T'])} :- T = @times({number}); {row} = @rows({number},T).\n"
    return f"{call(name, names)} :- {row} = @rows({number}).\n"


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
            _input_rule(number, *name, timed=None not in rows)
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


def columns(literal: SetLiteral) -> tuple[Variable, ...]:
    """Return the variables that the literal binds, in the order of its ASP predicate's arguments."""
    match literal:
        case Gather(variable, _, _, keys):
            return (*keys, variable)
        case Among(atom):
            return variables_in_order(atom)


def gathered_signature(literal: SetLiteral, number: int) -> tuple[str, int]:
    """Return name and arity of the ASP predicate that stands for the literal at one reference time."""
    return f"gathered'{number}", len(columns(literal))


def collected_signature(literal: SetLiteral, number: int) -> tuple[str, int]:
    """Return name and arity of the ASP predicate of the literal's number and the atom's instances."""
    return f"collected'{number}", len(variables_in_order(literal.atom)) + 1


def gathering(literal: SetLiteral, number: int, instance: str, terms: Sequence[str]) -> Iterator[str]:
    """Yield the rules by which the host answers the literal.

    `instance` is the body that binds `terms`, the texts of the atom's variables.
    """
    collected, noted = f"collected'{number}", f"noted'{number}"
    yield f"{call(collected, [str(number), *terms])} :- {instance}."
    # The number is a variable now, so that gringo can't ask before the atom is there.
    names = ["N", *(f"X{i}" for i in range(len(terms)))]
    yield f"{call(noted, names)} :- {call(collected, names)}; {call('@collect', names)} = 1."
    yield f"some'{number} :- {call(noted, names)}."
    # There is something to say about no instance too.
    yield f"finished'{number}({number}) :- some'{number}."
    yield f"finished'{number}({number}) :- not some'{number}."
    names = [f"X{i}" for i in range(len(columns(literal)))]
    # The number after them, since (X,) is a tuple, (X) is X.
    text = f"({','.join((*names, 'N'))}{'' if names else ','}) = @gathered(N)"
    head = call(f"gathered'{number}", names)
    yield f"{head} :- finished'{number}(N); {text}."


def required_rules(literal: SetLiteral, number: int, instances: Iterable[Symbols]) -> Iterator[str]:
    """Yield rules without which the atom could have other instances than these."""
    name, arity = collected_signature(literal, number)
    text, names = f"required'{number}", ["N", *(f"X{i}" for i in range(arity - 1))]
    for instance in instances:
        yield f"{call(text, [str(number), *map(str, instance)])}."
    yield f":- {call(text, names)}; not {call(name, names)}."
    yield f":- {call(name, names)}; not {call(text, names)}."
