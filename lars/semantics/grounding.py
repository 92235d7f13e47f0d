"""Grounding: the instances of a rule, with constants for its variables, whose bodies can be true.

The values of arithmetic expressions are computed at the same time as the instances. An undefined value
satisfies no relation. An atom of a fresh predicate replaces each aggregate and order. Lower layers of the
program determine the instances of this fresh predicate.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cmp_to_key
from itertools import count
from typing import Final, assert_never

from lars.analysis import binders
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import formulas as logic
from lars.language.program import (
    Head,
    Program,
    Rule,
    assignment,
    formulas,
    nested,
    put,
    put_terms,
    ready,
    set_literals,
    variables,
)
from lars.language.stream import Stream
from lars.language.terms import (
    NULL,
    XSD,
    Atom,
    Binding,
    Constant,
    Literal,
    Number,
    Signature,
    Variable,
    constants,
    signature,
    substitute,
    unify,
)
from lars.language.windows import Interval


def value(side: logic.Arithmetic, binding: Binding) -> Constant | None:
    """Return the value of one side of a comparison, or None if its arithmetic is undefined."""
    match side:
        case logic.Operation(how, left, right):
            return _computed(how, value(left, binding), value(right, binding))
        case Variable():
            term = binding[side]
            return None if isinstance(term, Variable) else term
        case _:
            return side


def _computed(how: logic.ArithmeticOperator, left: Constant | None, right: Constant | None) -> Number | None:
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    result = logic.compute(how, left.value, right.value)
    return None if result is None else Number(result)


Evaluate = Callable[[logic.Expression], Constant | None]
"""A function that returns the value of a ground SPARQL expression.

The result None means an error. The result null means that the value is unbound.
"""


@dataclass(frozen=True, slots=True)
class GroundRule:
    """A ground instance of a rule, whose conditions are true; an instance without a head is a constraint.

    The body omits the aggregates and orders of the rule, because they are known to hold. The field `bindings`
    contains the variables that these aggregates and orders bind.
    """

    head: Atom | logic.At | None
    body: tuple[logic.Formula, ...]
    rule: Rule
    bindings: tuple[tuple[Variable, Constant], ...] = ()

    @property
    def values(self) -> Mapping[Variable, Constant]:
        """The constants for the variables in the head and in the formulas of the body."""
        pairs = [*zip(formulas(self.rule.body), self.body, strict=True)]
        if self.rule.head is not None and self.head is not None:
            pairs.append((self.rule.head, self.head))
        terms = (pair for pattern, put in pairs for pair in values_in(pattern, put))
        return dict(sorted({*self.bindings, *terms}))

    def __str__(self) -> str:
        body = (*self.body, *set_literals(self.rule.body))
        return str(Rule(self.head, body or (logic.Truth(),)))


def values_in(pattern: logic.Formula, put: logic.Formula) -> Iterator[tuple[Variable, Constant]]:
    """Yield each variable of the formula `pattern` with its value in the ground instance `put`."""
    for part, ground in zip(nested(pattern), nested(put), strict=False):
        match part, ground:
            case logic.At(Variable() as time), logic.At(Number() as moment):
                yield time, moment
            case Atom(_, arguments), Atom(_, constants):
                for term, constant in zip(arguments, constants, strict=True):
                    if isinstance(term, Variable) and not isinstance(constant, Variable):
                        yield term, constant
            case _:
                pass


def refuse(expression: logic.Expression) -> Constant | None:
    """Raise LarsError: the caller gave no function that evaluates the program's SPARQL conditions."""
    raise LarsError(f"the definition of LARS gives no value to the SPARQL condition [{expression}]")


def instances(
    rule: Rule, atoms: Collection[Atom], timeline: Interval, evaluate: Evaluate = refuse
) -> Iterator[GroundRule]:
    """Yield the instances of a safe rule whose body can be true if only the given atoms can be true.

    Every other instance has a false body: a binding atom is never true, a time is outside the timeline, or a
    condition is false. The rule must not have aggregates or orders; `with_stand_ins` replaces them by atoms.

    >>> p, q = Atom("p", (Variable("X"),)), Atom("q", (Variable("X"),))
    >>> [str(r.head) for r in instances(Rule(q, (p,)), [Atom("p", (Number(1),))], Interval(0, 9))]
    ['q(1)']
    """
    for literal in set_literals(rule.body):
        raise LarsError(f"{literal} has no instances by itself")
    body = tuple(formulas(rule.body))
    conditions = [part for part in rule.body if isinstance(part, logic.Condition)]
    binders_of_body = [binder for formula in body for binder in binders(formula)]
    by_signature: dict[Signature, list[Atom]] = {}
    for atom in atoms:
        by_signature.setdefault(signature(atom), []).append(atom)
    times_last = sorted(binders_of_body, key=lambda binder: isinstance(binder, Variable))
    for binding in _matches(times_last, by_signature, timeline, {}):
        full = _completed(conditions, binding, evaluate)
        if full is not None:
            yield GroundRule(_head(rule.head, full), tuple(put(formula, full) for formula in body), rule)


def _matches(
    binders_left: list[Atom | Variable],
    atoms: Mapping[Signature, Iterable[Atom]],
    timeline: Interval,
    binding: Binding,
) -> Iterator[Binding]:
    if not binders_left:
        yield binding
        return
    match binders_left[0]:
        case Variable() as time:
            steps = [binding] if time in binding else [binding | {time: Number(u)} for u in timeline]
        case Atom() as pattern:
            grown = (unify(pattern, atom, binding) for atom in atoms.get(signature(pattern), ()))
            steps = [step for step in grown if step is not None]
    for step in steps:
        yield from _matches(binders_left[1:], atoms, timeline, step)


def _head(head: Head | None, binding: Binding) -> Atom | logic.At | None:
    if head is None:
        return None
    ground = put(head, binding)
    return ground if isinstance(ground, Atom | logic.At) else None


def _completed(conditions: list[logic.Condition], binding: Binding, evaluate: Evaluate) -> Binding | None:
    pending, whole = list(conditions), binding
    while pending:
        first = next(condition for condition in pending if ready(condition, whole.keys()))
        pending.remove(first)
        step = decide_condition(first, whole, evaluate)
        if step is None:
            return None
        whole = step
    return whole


def decide_condition(condition: logic.Condition, binding: Binding, evaluate: Evaluate) -> Binding | None:
    """Return the binding, extended by := or = of the condition; None if the condition is not true."""
    match condition:
        case logic.Comparison() if (equality := assignment(condition, binding.keys())) is not None:
            return _with(binding, equality[0], value(equality[1], binding))
        case logic.Comparison():
            return binding if decide(condition, binding) else None
        case logic.Assign(variable, expression):
            return _with(binding, variable, evaluate(with_values(expression, binding)) or NULL)
        case logic.Test(expression, expected):
            # Two negations of SPARQL give the effective boolean value, or its error.
            truth = evaluate(logic.Call("!", (logic.Call("!", (with_values(expression, binding),)),)))
            return binding if truth == Literal(str(expected).lower(), XSD + "boolean") else None
        case _:
            assert_never(condition)


def decide(comparison: logic.Comparison, binding: Binding) -> bool:
    """Return whether a comparison holds, after all its variables are bound.

    A comparison is false if one of its sides is undefined. The comparisons <, >, ≤ and ≥ are false unless
    both sides are numbers.
    """
    left, right = value(comparison.left, binding), value(comparison.right, binding)
    relation = comparison.relation
    if left is None or right is None:
        return False
    if relation in ("=", "!="):
        return (left == right) is (relation == "=")
    return (
        isinstance(left, Number)
        and isinstance(right, Number)
        and logic.holds(relation, left.value, right.value)
    )


def _with(binding: Binding, variable: Variable, term: Constant | None) -> Binding | None:
    if term is None or binding.get(variable, term) != term:
        return None
    return binding | {variable: term}


def with_values(expression: logic.Expression, binding: Binding) -> logic.Expression:
    """Return a SPARQL expression with the values of its variables; null replaces unbound variables."""
    unbound: Binding = dict.fromkeys(variables(expression), NULL)
    return put_terms(expression, unbound | binding)


TRUE: Final = Literal("true", XSD + "boolean")
Values = Mapping[Variable, Constant]


@dataclass(frozen=True, slots=True)
class InstanceGroup:
    """The instances of an atom for which an aggregate or order literal is true under a binding.

    For an aggregate, `instances` are the instances of the group. For an order, `instances` is one ranked
    instance. The field `count` is the number of instances in the group.
    """

    binding: Values
    instances: tuple[Atom, ...]
    count: int


def groups(
    literal: logic.SetLiteral, matching: Iterable[Atom], evaluate: Evaluate = refuse
) -> Iterator[InstanceGroup]:
    """Yield the bindings and instances for which the literal is true if exactly the given atoms hold now.

    >>> p, x = Atom("p", (Variable("x"),)), Variable("n")
    >>> literal = logic.Gather(x, logic.Aggregation("COUNT"), p)
    >>> [str(group.binding[x]) for group in groups(literal, ())]
    ['"0"^^<http://www.w3.org/2001/XMLSchema#integer>']
    """
    matched = sorted({atom for atom in matching if unify(literal.atom, atom, {}) is not None}, key=_texts)
    match literal:
        case logic.Gather(variable, aggregation, _, keys):
            for key, members in _grouped(literal, matched).items():
                rows = [_row(literal.atom, atom, aggregation.arguments) for atom in members]
                value = aggregate(aggregation, rows, evaluate)
                binding = dict(zip(keys, key, strict=True)) | {variable: NULL if value is None else value}
                yield InstanceGroup(binding, tuple(members), len(members))
        case logic.Among(pattern, _, offset, limit):
            end = None if limit is None else offset + limit
            for members in _grouped(literal, matched).values():
                for atom in _ordered(literal, members, evaluate)[offset:end]:
                    yield InstanceGroup(_values(pattern, atom), (atom,), len(members))
        case _:
            assert_never(literal)


def aggregate(
    aggregation: logic.Aggregation, rows: Sequence[tuple[Constant, ...]], evaluate: Evaluate
) -> Constant | None:
    """Return the value of an aggregate over the given rows of arguments; None for an error.

    The function itself computes COUNT. COUNT of a single argument ignores unbound values. COUNT DISTINCT
    without arguments counts all elements as one. `evaluate` computes all other aggregates, which have one
    argument, from a call of `AGGREGATE …`. The arguments of the call are the separator and the values, in the
    order of their texts. Source: SPARQL 1.1, 18.5.1.
    """
    single = len(aggregation.arguments) == 1
    if aggregation.function == "COUNT":
        counted = [row for row in rows if not (single and row == (NULL,))]
        return Literal(str(len(set(counted) if aggregation.distinct else counted)), XSD + "integer")
    values = [value for (value,) in rows]
    values = sorted(set(values) if aggregation.distinct else values, key=str)
    return evaluate(
        logic.Call(f"AGGREGATE {aggregation.function}", (Literal(aggregation.separator), *values))
    )


def _grouped(literal: logic.SetLiteral, matched: Iterable[Atom]) -> Mapping[tuple[Constant, ...], list[Atom]]:
    atoms_by_key: dict[tuple[Constant, ...], list[Atom]] = {} if literal.keys else {(): []}
    for atom in matched:
        atoms_by_key.setdefault(_row(literal.atom, atom, literal.keys), []).append(atom)
    return atoms_by_key


def _values(pattern: Atom, atom: Atom) -> Values:
    return constants(unify(pattern, atom, {}) or {})


def _row(pattern: Atom, atom: Atom, names: Iterable[Variable]) -> tuple[Constant, ...]:
    values = _values(pattern, atom)
    return tuple(values[name] for name in names)


def _texts(atom: Atom) -> tuple[str, ...]:
    return tuple("" if term == NULL else str(term) for term in atom.arguments)


def _ordered(literal: logic.Among, matched: Sequence[Atom], evaluate: Evaluate) -> Sequence[Atom]:
    """Return the given instances (in textual order), sorted by the keys of an order literal."""

    @cache
    def before(term: Constant, other: Constant) -> bool:
        if NULL in {term, other}:
            return term == NULL != other
        return term != other and evaluate(logic.Call("PRECEDES", (term, other))) == TRUE

    def compared(terms: Values, other: Values) -> int:
        for order in literal.order:
            low, high = terms[order.variable], other[order.variable]
            sign = -1 if order.descending else 1
            if before(low, high):
                return -sign
            if before(high, low):
                return sign
        return 0

    by_values = cmp_to_key(compared)
    return sorted(matched, key=lambda atom: by_values(_values(literal.atom, atom)))


def stand_ins(program: Program) -> Mapping[logic.SetLiteral, Atom]:
    """Map each aggregate and order of a program to an atom with a fresh predicate and the same variables."""
    used = {name for name, _ in program.predicates}
    names = (name for n in count(1) if (name := f"gathered {n}") not in used)
    every = dict.fromkeys(literal for rule in program.rules for literal in set_literals(rule.body))
    return {literal: Atom(next(names), tuple(sorted(variables(literal)))) for literal in every}


def with_stand_ins(rule: Rule, put: Mapping[logic.SetLiteral, Atom]) -> Rule:
    """Return the rule after replacing its aggregates and orders by the atoms in `put`."""
    body = tuple(put[part] if isinstance(part, logic.SetLiteral) else part for part in rule.body)
    return replace(rule, body=body)


def extension(
    put: Mapping[logic.SetLiteral, Atom], held: frozenset[Atom], evaluate: Evaluate
) -> frozenset[Atom]:
    """Return the instances of the stand-in atoms for aggregates and orders, if the atoms `held` hold now."""
    return frozenset(
        substitute(atom, dict(group.binding))
        for literal, atom in put.items()
        for group in groups(literal, held, evaluate)
    )


def atoms_at(stream: Stream, t: int, background: frozenset[Atom]) -> frozenset[Atom]:
    """Return the atoms that hold at t: the stream's atoms and the background."""
    return background.union(stream.input.get(t, ()), stream.derived.get(t, ()))
