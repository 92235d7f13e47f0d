"""Grounding, and what is said of a program whose grounding needs too much memory or computes too much."""

from collections.abc import Iterator
from math import prod

import clingo

from lars.errors import FailedRunError, under_way
from lars.language.formulas import SetLiteral
from lars.language.program import Program, Rule, atoms, head_atom, variables
from lars.language.terms import Signature, Variable, signature
from solver.facts import Situation, with_facts
from solver.pointwise.callbacks import Host

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
        joined = [one for one in groups if one[0] & names]
        groups = [one for one in groups if not one[0] & names]
        groups.append((names.union(*(one[0] for one in joined)), max(size, *(one[1] for one in joined), 0)))
    return min(_MOST, prod(max(1, size) for _, size in groups))


def _sizes(rule: Rule, sizes: dict[Signature, int]) -> Iterator[tuple[frozenset[Variable], int]]:
    for literal in rule.body:
        if not isinstance(literal, SetLiteral):
            for atom, positive, _ in atoms(literal):
                if positive:
                    yield variables(atom), sizes.get(signature(atom), 0)
