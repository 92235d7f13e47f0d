"""Gathered literals: what aggregates and orders say of the instances of an atom that hold now.

In a layer of the program they are atoms of fresh predicates, whose instances the layers below give.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cmp_to_key
from itertools import count
from typing import Final, assert_never

from lars.language.formulas import Aggregation, Among, Call, Gather, SetLiteral
from lars.language.program import Program, Rule, atoms, head_atom, set_literals, variables
from lars.language.stream import Stream
from lars.language.terms import (
    NULL,
    XSD,
    Atom,
    Constant,
    Literal,
    Variable,
    constants,
    substitute,
    unify,
)
from lars.semantics.grounding import Evaluate, refuse

TRUE: Final = Literal("true", XSD + "boolean")
Values = Mapping[Variable, Constant]


@dataclass(frozen=True, slots=True)
class InstanceGroup:
    """What makes a gathered literal true under a binding.

    `instances` are those of a group, or the one that stands among the first of its `count`.
    """

    binding: Values
    instances: tuple[Atom, ...]
    count: int


def groups(
    literal: SetLiteral, matching: Iterable[Atom], evaluate: Evaluate = refuse
) -> Iterator[InstanceGroup]:
    """Yield what makes the literal true when these atoms hold now, each binding once.

    >>> p, x = Atom("p", (Variable("x"),)), Variable("n")
    >>> literal = Gather(x, Aggregation("COUNT"), p)
    >>> [str(group.binding[x]) for group in groups(literal, ())]
    ['"0"^^<http://www.w3.org/2001/XMLSchema#integer>']
    """
    matched = sorted({atom for atom in matching if unify(literal.atom, atom, {}) is not None}, key=_texts)
    match literal:
        case Gather(variable, aggregation, _, keys):
            for key, members in _grouped(literal, matched).items():
                rows = [_row(literal.atom, atom, aggregation.arguments) for atom in members]
                value = aggregate(aggregation, rows, evaluate)
                binding = dict(zip(keys, key, strict=True)) | {variable: NULL if value is None else value}
                yield InstanceGroup(binding, tuple(members), len(members))
        case Among(pattern, _, offset, limit):
            end = None if limit is None else offset + limit
            for members in _grouped(literal, matched).values():
                for atom in _ordered(literal, members, evaluate)[offset:end]:
                    yield InstanceGroup(_values(pattern, atom), (atom,), len(members))
        case _:
            assert_never(literal)


def aggregate(
    aggregation: Aggregation, rows: Sequence[tuple[Constant, ...]], evaluate: Evaluate
) -> Constant | None:
    """Return the aggregate of the rows of its arguments, None for an error (SPARQL 1.1, 18.5.1).

    COUNT leaves out unbound values of a single argument; distinct tuples of no argument are one. All
    other aggregates are asked for: as a call of `AGGREGATE …` with the separator and the values, in
    the order of their texts.
    """
    single = len(aggregation.arguments) == 1
    if aggregation.function == "COUNT":
        counted = [row for row in rows if not (single and row == (NULL,))]
        return Literal(str(len(set(counted) if aggregation.distinct else counted)), XSD + "integer")
    values = [value for (value,) in rows]
    values = sorted(set(values) if aggregation.distinct else values, key=str)
    return evaluate(Call(f"AGGREGATE {aggregation.function}", (Literal(aggregation.separator), *values)))


def _grouped(literal: SetLiteral, matched: Iterable[Atom]) -> Mapping[tuple[Constant, ...], list[Atom]]:
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


def _ordered(literal: Among, matched: Sequence[Atom], evaluate: Evaluate) -> Sequence[Atom]:
    """Return the instances, which come in the order of their texts, by the keys of the order."""

    @cache
    def before(term: Constant, other: Constant) -> bool:
        if NULL in {term, other}:
            return term == NULL != other
        return term != other and evaluate(Call("PRECEDES", (term, other))) == TRUE

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


def stand_ins(program: Program) -> Mapping[SetLiteral, Atom]:
    """Return for each gathered literal an atom of its variables, of a predicate that nothing else has."""
    used = {atom.predicate for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)}
    used |= {atom.predicate for rule in program.rules if (atom := head_atom(rule)) is not None}
    names = (name for n in count(1) if (name := f"gathered {n}") not in used)
    every = dict.fromkeys(literal for rule in program.rules for literal in set_literals(rule.body))
    return {literal: Atom(next(names), tuple(sorted(variables(literal)))) for literal in every}


def with_stand_ins(rule: Rule, put: Mapping[SetLiteral, Atom]) -> Rule:
    """Return the rule with the atoms for its gathered literals."""
    body = tuple(put[part] if isinstance(part, SetLiteral) else part for part in rule.body)
    return replace(rule, body=body)


def extension(put: Mapping[SetLiteral, Atom], held: frozenset[Atom], evaluate: Evaluate) -> frozenset[Atom]:
    """Return the instances of the atoms for gathered literals when these atoms hold now."""
    return frozenset(
        substitute(atom, dict(group.binding))
        for literal, atom in put.items()
        for group in groups(literal, held, evaluate)
    )


def atoms_at(stream: Stream, t: int, background: frozenset[Atom]) -> frozenset[Atom]:
    """Return what holds at t: the atoms of the stream and the background."""
    return background.union(stream.input.get(t, ()), stream.derived.get(t, ()))
