"""The exact evaluation of a program at one reference time with clingo.

This evaluation certifies relational answers. While clingo grounds a program, clingo calls Python functions
(the host). The host returns tables of SPARQL conditions, many facts at once, and results over all instances
of an atom. `encoding` writes the calls, and this module contains the functions.
"""

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from math import prod
from typing import Final, Literal

import clingo

from lars.analysis import gathering_parts, intensional
from lars.errors import FailedRunError, LarsError, PlacedError, under_way
from lars.language.formulas import Among, Gather, SetLiteral, Test
from lars.language.program import Program, Rule, atoms, is_fact, set_literals, variables
from lars.language.stream import Moment
from lars.language.terms import NULL, Atom, Constant, Signature, Variable, constants, signature, unify
from lars.language.windows import TupleWindow
from solver.facts import Arguments, Fact, Row, Situation, atoms_of, counts, variables_in_order, with_facts
from solver.pointwise.asp_terms import GREATEST, constant, predicate_name, symbol, symbol_of, tuples_of
from solver.pointwise.encoding import (
    MOST_NUMBERS,
    MOST_TEXTS,
    Encoding,
    HostedCondition,
    Instances,
    Symbols,
    collected_signature,
    condition_arguments,
    input_rule,
    rank_program,
)
from solver.rdf import Condition, aggregate, compile_condition, sorted_rows

Element = tuple[Constant | None, ...]


class Collection:
    """The instances that clingo has found for an aggregate or order literal, and the literal's answers.

    An instance is a tuple with one term for each variable of the literal's atom.
    """

    def __init__(self, literal: SetLiteral) -> None:
        self.literal = literal
        self._instances: dict[Symbols, None] = {}

    def add(self, instance: Symbols) -> None:
        """Add an instance of the atom to the collection."""
        self._instances[instance] = None

    def answers(self) -> Iterator[Symbols]:
        """Yield each tuple of terms for which the aggregate or order literal is true."""
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
            # Without keys, the only group exists even if it has no instance.
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


_TRUE, _FALSE = clingo.Number(1), clingo.Number(0)


InputRows = Mapping[Signature, Sequence[clingo.Symbol]]
"""The facts for clingo: the rows of each ASP predicate, as tuples. A time is the last term of its row."""


class Host:
    """The functions that clingo calls while it grounds a program.

    - `@rows` returns the facts of the program.
    - `@test` and `@value` evaluate the numbered conditions of the program.
    - `@collect` and `@gathered` evaluate the numbered aggregates and orders.
    - `@within` limits recursive rules.
    - `known` contains the instances of some aggregates and orders, which are not collected again.
    - `endless` are the rules that computed so many values that the computation was stopped.
    - `asked` is the condition that was evaluated last.

    Raises:
        LarsError: A condition calls an unknown function, or a function with a wrong number of arguments.
    """

    def __init__(
        self,
        conditions: Mapping[int, HostedCondition],
        gathered: Mapping[SetLiteral, int],
        known: Instances,
        facts: InputRows = {},  # noqa: B006 - it is only read
    ) -> None:
        self._conditions = {
            number: (condition, *_compiled(condition)) for number, condition in conditions.items()
        }
        self._collections = {number: Collection(literal) for literal, number in gathered.items()}
        self._known = {gathered[literal] for literal in gathered if literal in known}
        for literal, number in gathered.items():
            for instance in known.get(literal, ()):
                self._collections[number].add(instance)
        self._computed: dict[int, set[tuple[clingo.Symbol, ...]]] = {}
        self._facts = facts
        self._numbered = list(facts.values())
        self.endless: set[int] = set()
        self.asked: HostedCondition | SetLiteral | None = None

    def input_rules(self) -> str:
        """Return the ASP rules by which clingo requests the facts of the program from Python."""
        return "".join(input_rule(number, *name) for number, name in enumerate(self._facts))

    def rows(self, number: clingo.Symbol) -> Sequence[clingo.Symbol]:
        """Return the rows of an input predicate, given by its number, as tuples."""
        return self._numbered[number.number]

    def within(self, rule: clingo.Symbol, most: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return 1; return 0 if a recursive rule has computed more than `most` values."""
        symbols = self._computed.setdefault(rule.number, set())
        symbols.add(terms)
        if len(symbols) <= most.number:
            return clingo.Number(1)
        self.endless.add(rule.number)
        return clingo.Number(0)

    def test(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return 1 if the SPARQL test with the number `number` holds for the terms, otherwise 0."""
        condition, compiled, places = self._conditions[number.number]
        self.asked = condition
        row = tuple([constant(terms[place]) for place in places])
        holds = isinstance(condition, Test) and compiled.truth(row) is condition.value
        return _TRUE if holds else _FALSE

    def value(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Return the value of the numbered SPARQL expression for the terms; null for an error."""
        condition, compiled, places = self._conditions[number.number]
        self.asked = condition
        term = compiled.result(tuple([constant(terms[place]) for place in places]))
        return symbol(NULL if term is None else term)

    def collect(self, number: clingo.Symbol, *terms: clingo.Symbol) -> clingo.Symbol:
        """Add an instance, given by its terms, to the numbered aggregate or order; return 1."""
        if number.number not in self._known:
            self._collections[number.number].add(terms)
        return clingo.Number(1)

    def gathered(self, number: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the answers of an aggregate or order over all collected instances, as tuples of terms."""
        self.asked = self._collections[number.number].literal
        symbols = self._collections[number.number].answers()
        return [clingo.Function("", [*row, number]) for row in symbols]


def _compiled(hosted: HostedCondition) -> tuple[Condition, list[int]]:
    """Return a compiled condition, and the place of each of its variables among the arguments of its call."""
    names, compiled = condition_arguments(hosted), compile_condition(hosted.expression)
    return compiled, [names.index(name) for name in compiled.variables]


_ROUNDS = 3
"""The number of rounds in which the estimated sizes of derived predicates grow from those of the input."""
_LARGEST_ESTIMATE = 10**18
"""The maximum estimate of a number of instances; all larger estimates count as equal."""


def ground(control: clingo.Control, host: Host, program: Program, situation: Situation) -> None:
    """Let clingo ground a program, with Python functions for conditions, aggregates and orders.

    Raises:
        FailedRunError: Python cannot compute a condition; the message quotes its rule.
    """
    with under_way(lambda: f"most of all for {_largest(program, situation).quotation}"):
        try:
            control.ground([("base", [])], context=host)
        except FailedRunError as error:
            # A condition of a rule that the encoding rewrote is in no rule of the text.
            asking = next((rule for rule in program.rules if host.asked in rule.body), None)
            where = "" if asking is None else f", in {asking.quotation}"
            raise FailedRunError(f"{error}{where}") from None


def _largest(program: Program, situation: Situation) -> Rule:
    """Return the rule with the greatest estimated number of instances."""
    sizes: dict[Signature, int] = {}
    for fact in situation.facts:
        predicate = fact.predicate, len(fact.arguments)
        sizes[predicate] = sizes.get(predicate, 0) + 1
    for predicate, rows in with_facts(program, situation.background).items():
        sizes[predicate] = sizes.get(predicate, 0) + sum(1 for _ in rows)
    for _ in range(_ROUNDS):
        derived: dict[Signature, int] = {}
        for rule in program.rules:
            if (head := rule.predicate) is not None:
                derived[head] = max(_instances(rule, sizes), derived.get(head, 0))
        sizes |= derived
    return max(program.rules, key=lambda rule: _instances(rule, sizes))


def _instances(rule: Rule, sizes: dict[Signature, int]) -> int:
    """Return the estimated number of instances of a rule, from the numbers of atoms in `sizes`."""
    groups: list[tuple[frozenset[Variable], int]] = []
    for names, size in _sizes(rule, sizes):
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        groups.append(
            (names.union(*(pair[0] for pair in joined)), max(size, *(pair[1] for pair in joined), 0))
        )
    return min(_LARGEST_ESTIMATE, prod(max(1, size) for _, size in groups))


def _sizes(rule: Rule, sizes: dict[Signature, int]) -> Iterator[tuple[frozenset[Variable], int]]:
    for literal in rule.body:
        if not isinstance(literal, SetLiteral):
            for atom, positive, _ in atoms(literal):
                if positive:
                    yield variables(atom), sizes.get(signature(atom), 0)


_EACH_ONCE: Final = "--project=project"
"""The option by which models that differ only in auxiliary predicates of the encoding count once."""
_encoding = lru_cache(maxsize=64)(Encoding)
"""A cache of encodings: each program is encoded once for all evaluation times."""
_number = lru_cache(maxsize=2**16)(clingo.Number)


def facts_at(encoding: Encoding, situation: Situation, t: int) -> InputRows:
    """Return the facts of the ASP program at t: the time, the timeline, the input and the background.

    Raises:
        LarsError: The timeline ends after the greatest number of ASP.
    """
    timeline = situation.timeline
    if timeline.last > GREATEST:
        raise LarsError(
            f"the timeline {timeline} ends after {GREATEST}, the greatest number of clingo; "
            "expected an earlier end, a coarser unit, or an origin nearer to the trace"
        )
    rows: dict[Signature, list[tuple[str | int, ...]]] = {}
    first, last = timeline.first, timeline.last
    facts = [fact for fact in dict.fromkeys(situation.facts) if first <= fact.t <= last]
    for u, predicate, arguments in filter(situation.sees, facts):
        rows.setdefault((predicate, len(arguments)), []).append((*arguments, u))
    held = with_facts(encoding.program, situation.background)
    named = chain(
        ((encoding.input_signature(predicate), some) for predicate, some in rows.items()),
        ((encoding.background_signature(predicate), some) for predicate, some in held.items()),
    )
    symbols: dict[Signature, list[clingo.Symbol]] = {
        ("now", 1): list(tuples_of([(t,)])),
        ("timeline", 2): list(tuples_of([(first, last)])),
        ("arrival", 5): list(_arrivals(facts, encoding, situation)),
    }
    for name, some in named:
        if name is not None:
            symbols.setdefault(name, []).extend(tuples_of(some))
    return {name: some for name, some in symbols.items() if some}


def _arrivals(facts: Sequence[Fact], encoding: Encoding, situation: Situation) -> Iterator[clingo.Symbol]:
    """Yield, for each tuple window, the number of each arrival that the window counts."""
    ordered = sorted(facts, key=lambda fact: fact.t)
    for window, number in encoding.windows.items():
        if isinstance(window, TupleWindow):
            yield from _counted(window, number, ordered, encoding, situation)


def _counted(
    window: TupleWindow, number: int, facts: Sequence[Fact], encoding: Encoding, situation: Situation
) -> Iterator[clingo.Symbol]:
    order: dict[clingo.Symbol, int] = {}
    latest: dict[clingo.Symbol, int] = {}
    for fact in facts:
        t, predicate, arguments = fact
        if (predicate, len(arguments)) in encoding.derived or not counts(window, arguments):
            continue
        part = _partition(window, predicate, arguments)
        if window.ties != "elements" or latest.get(part) != t:
            order[part] = order.get(part, 0) + 1
        latest[part] = t
        # An arrival after `newest` is invisible, but it still displaces older tuples (see `Situation.sees`).
        atom = _atom(predicate, arguments) if situation.sees(fact) else _number(0)
        yield clingo.Tuple_([_number(number), part, atom, _number(t), _number(order[part])])


@lru_cache(maxsize=2**16)
def _atom(predicate: str, arguments: Arguments) -> clingo.Symbol:
    return clingo.Function(predicate_name(predicate), list(map(symbol_of, arguments)))


def _partition(window: TupleWindow, predicate: str, arguments: Arguments) -> clingo.Symbol:
    if window.by is None:
        return _number(0)
    places = (place for place in window.by if place <= len(arguments))
    index = [clingo.String(predicate), clingo.Number(len(arguments))]
    return clingo.Tuple_([*index, *(symbol_of(arguments[place - 1]) for place in places)])


class UndecidedError(LarsError):
    """The error that an aggregate or order needs instances that differ between answer streams."""

    def __init__(self, literal: SetLiteral) -> None:
        super().__init__(
            f"{literal} has several values, because {literal.atom} differs between answer streams; "
            "expected an atom that does not depend on a circle through `not` or on a choice of ties"
        )


Consequences = Literal["brave", "cautious"]
"""Whether atoms of some answer stream (brave) or of every answer stream (cautious) are computed."""


def models(program: Program, situation: Situation, t: int) -> Iterator[frozenset[Moment]]:
    """Yield each answer stream at t once: its derived atoms with their times, without background atoms.

    Raises:
        LarsError: Arithmetic could exceed 32 bits, or a rule computes with times on a timeline beyond
            32 bits.
    """
    moments: set[frozenset[Moment]] = set()
    for model in chain.from_iterable(_solved(program, situation, t, _EACH_ONCE)):
        # Models are equal without the background if two choices of ties differ only in background atoms.
        if model not in moments:
            moments.add(model)
            yield model


def rows(program: Program, situation: Situation, t: int, output: Signature) -> list[Row]:
    """Return the rows of a derived predicate in the only answer stream at t, with its background rows.

    Raises:
        LarsError: No answer stream exists, or several exist; or an error of `models` occurs.
    """
    moments = list(islice(chain.from_iterable(_solved(program, situation, t, _EACH_ONCE, output)), 2))
    # Two models can be one answer stream (see `models`), and the message needs the number of all streams.
    if len(moments) != 1:
        moments = list(models(program, situation, t))
    if len(moments) != 1:
        raise LarsError(f"the program has {len(moments)} answer streams at {t}; expected exactly one")
    derived = (atom for u, atom in moments[0] if u == t and signature(atom) == output)
    own = intensional(program) & {output}
    texts = (map(str, atom.arguments) for atom in chain(derived, _background(program, situation, own)))
    return [tuple(None if text == "null" else text for text in row) for row in texts]


def consequences(
    program: Program, situation: Situation, t: int, kind: Consequences
) -> frozenset[Moment] | None:
    """Return the brave or cautious consequences at t, or None if no answer stream exists.

    Raises:
        LarsError: An error of `models` occurs.
    """
    # Clingo yields better and better approximations of the consequences; the last one is exact.
    last = [deque(part, 1) for part in _solved(program, situation, t, f"--enum-mode={kind}")]
    moments = [model for part in last for model in part]
    combine = frozenset[Moment].union if kind == "brave" else frozenset[Moment].intersection
    return combine(*moments) if moments else None


def _solved(
    program: Program, situation: Situation, t: int, option: str, output: Signature | None = None
) -> Iterator[Iterator[frozenset[Moment]]]:
    """Yield groups of answer streams, one group for each set of instances that aggregates can have.

    If `output` is given, only the atoms of this predicate are read from a model.
    """
    ranked, situation, t, points = rank_program(program, situation, t)
    options = ["--models=0", option]
    encoding = _encoding(ranked, frozenset(situation.background), program, output)
    try:
        controls = iter([ground_at(encoding, situation, t, options)])
    # Grounding computes aggregates only over atoms that are certain; otherwise, each case is solved apart.
    except UndecidedError:
        states = _states(ranked, situation, t)
        controls = (ground_at(encoding, situation, t, options, known) for known in states)
    for control in controls:
        models = _read_models(encoding, control, situation, t)
        yield (
            model if points is None else frozenset((points[rank], atom) for rank, atom in model)
            for model in models
        )


def _states(program: Program, situation: Situation, t: int) -> list[Instances]:
    """Return the instances for aggregates and orders, for each answer stream of the lower layers.

    To compute an aggregate or an order literal, all instances of its atom must be known. The answers of the
    lower parts of the program determine the instances, so each part is solved on these answers (splitting;
    Lifschitz, Turner 1994).
    """
    states: list[Instances] = [{}]
    below = tuple(rule for rule in program.rules if is_fact(rule))
    for part in gathering_parts(program):
        whole = {literal for rule in part.rules for literal in set_literals(rule.body)}
        if whole:
            encoding = Encoding(Program(below), frozenset(situation.background))
            symbols = (
                {**known, **more}
                for known in states
                for more in _gathered(encoding, whole, known, situation, t)
            )
            # Many answer streams of the lower part can have the same instances.
            states = list({frozenset(known.items()): known for known in symbols}.values())
        below += part.proper_rules
    return states


def _gathered(
    encoding: Encoding, literals: Iterable[SetLiteral], known: Instances, situation: Situation, t: int
) -> Iterator[Instances]:
    """Yield, for each answer stream, the instances of the atoms in the given aggregates and orders."""
    derived = [literal for literal in literals if signature(literal.atom) in encoding.derived]
    names = {signature(literal.atom) for literal in literals}
    background = frozenset(_background(encoding.program, situation, names))
    control = ground_at(encoding, situation, t, ["--models=0", _EACH_ONCE], known)
    for model in _read_models(encoding, control, situation, t):
        atoms = background.union(atom for u, atom in model if u == t)
        yield {literal: _terms(literal.atom, atoms) for literal in derived}


def _terms(pattern: Atom, atoms: Iterable[Atom]) -> frozenset[Symbols]:
    found = (unify(pattern, atom, {}) for atom in atoms)
    bindings = (constants(binding) for binding in found if binding is not None)
    names = variables_in_order(pattern)
    return frozenset(tuple(symbol(binding[name]) for name in names) for binding in bindings)


def _read_models(
    encoding: Encoding, control: clingo.Control, situation: Situation, t: int
) -> Iterator[frozenset[Moment]]:
    _check_numbers(control, encoding)
    read = {(name, arity - timed) for (_, arity), (name, timed) in encoding.signatures.items()}
    background = frozenset(_background(encoding.program, situation, read))
    with control.solve(yield_=True) as answer_sets:
        for model in answer_sets:
            moments = _moments(model.symbols(shown=True), encoding.signatures, t)
            yield frozenset(moment for moment in moments if moment[1] not in background)


def ground_at(
    encoding: Encoding,
    situation: Situation,
    t: int,
    options: Sequence[str] = (),
    known: Instances | None = None,
) -> clingo.Control:
    """Return clingo with the program grounded at t; Python computes SPARQL conditions.

    The argument `known` contains instances of aggregates and orders that were computed before.

    Raises:
        UndecidedError: An aggregate or order outside `known` needs instances that differ between answer
            streams.
        LarsError: A recursive rule computes too many values, and perhaps never ends.
    """
    known = {} if known is None else known
    control = clingo.Control(["--warn=none", *options])
    host = Host(encoding.hosted, encoding.set_literals, known, facts_at(encoding, situation, t))
    control.add("base", [], encoding.hosted_text + encoding.states(known) + host.input_rules())
    ground(control, host, encoding.source or encoding.program, situation)
    _check_decided(control, encoding, known)
    for number in sorted(host.endless):
        raise _rule_error(
            encoding.said_rules[number],
            "this rule computes new values from its own values, apparently without end: "
            f"the limit is {MOST_NUMBERS} values, or {MOST_TEXTS} values in a rule with :=",
            "use a comparison that bounds them, such as X < 1000",
        )
    return control


def _rule_error(rule: Rule, problem: str, remedy: str) -> LarsError:
    """Return the error about a rule at its place; a rule without a place is quoted."""
    if rule.origin is None:
        return LarsError(f"{problem}\n  {rule}\n{remedy}")
    return PlacedError(rule.origin.place(), f"{problem}; {remedy}")


def _check_decided(control: clingo.Control, encoding: Encoding, known: Instances) -> None:
    for literal, number in encoding.set_literals.items():
        name, arity = collected_signature(literal, number)
        held = control.symbolic_atoms.by_signature(name, arity)
        if literal not in known and not all(atom.is_fact for atom in held):
            raise UndecidedError(literal)


def _check_numbers(control: clingo.Control, encoding: Encoding) -> None:
    for number, rule in enumerate(encoding.said_rules):
        if any(True for _ in control.symbolic_atoms.by_signature(f"wrapped'{number}", 0)):
            raise _rule_error(
                rule,
                "arithmetic of this rule leaves the numbers of ASP, whose size is 32 bit",
                f"expected operands and products from {-GREATEST} to {GREATEST}",
            )


def _background(program: Program, situation: Situation, predicates: Container[Signature]) -> Iterator[Atom]:
    """Yield the background atoms whose predicate is one of the given predicates."""
    held = with_facts(program, situation.background)
    yield from atoms_of({name: rows for name, rows in held.items() if name in predicates})


def _moments(
    symbols: Iterable[clingo.Symbol], names: Mapping[Signature, tuple[str, bool]], t: int
) -> Iterator[Moment]:
    for term in symbols:
        arguments = term.arguments
        if (texts := names.get((term.name, len(arguments)))) is not None:
            name, timed = texts
            terms = arguments[:-1] if timed else arguments
            yield arguments[-1].number if timed else t, Atom(name, tuple(map(constant, terms)))
