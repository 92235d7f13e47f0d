"""Grounding as its definition says: every rule with all constants and time points for its variables."""

from itertools import product

from lars.language.formulas import Not
from lars.language.program import head_atom, is_fact, put, variables
from lars.language.terms import Number
from lars.semantics import all_background
from lars.semantics.grounding import GroundRule, value
from tests.lars.strategies import A, candidates


def naive_rules(case):
    """Ground every rule over all constants and time points: the definition, without any joins."""
    known = all_background(case.program, case.background)
    atoms = known.union(*case.stream.input.values(), (atom for _, atom in candidates(case)))
    atoms |= {head_atom(rule) for rule in case.program.rules if rule.head is not None}
    constants = {term for atom in atoms for term in atom.arguments} | set(map(Number, case.stream.timeline))
    constants |= {A, *map(Number, range(9))}  # what the random comparisons mention
    constants = {c for c in constants if not variables(c)}
    for rule in case.program.rules:
        names = sorted(frozenset().union(*map(variables, rule.body)))
        universe = sorted(constants | computed(rule, constants), key=str)
        for values in product(universe, repeat=0 if is_fact(rule) else len(names)):
            if not is_fact(rule):
                yield from naive_instance(rule, dict(zip(names, values, strict=True)))


def computed(rule, constants):
    """Return what the operations of a rule give for the numbers: = can bind a variable to that."""
    found = set()
    for literal in rule.body:
        if type(literal).__name__ == "Comparison" and literal.relation == "=":
            names = sorted(variables(literal))
            numbers = [c for c in constants if isinstance(c, Number)]
            for values in product(numbers, repeat=len(names)):
                binding = dict(zip(names, values, strict=True))
                found |= {value(side, binding) for side in (literal.left, literal.right)}
    return {one for one in found if isinstance(one, Number)}


def naive_instance(rule, binding):
    body = []
    for literal in rule.body:
        if type(literal).__name__ != "Comparison":
            body.append(put(literal, binding))
        elif not naively_true(literal, binding):
            return
    head = rule.head and put(rule.head, binding)
    yield GroundRule(None if isinstance(head, Not) else head, tuple(body), rule)


def naively_true(comparison, binding):
    left, right = value(comparison.left, binding), value(comparison.right, binding)
    if left is None or right is None:
        return False
    if comparison.relation in "!=":
        return (left == right) is (comparison.relation == "=")
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return False
    order = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return order[comparison.relation]
