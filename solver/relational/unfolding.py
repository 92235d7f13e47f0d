"""Plans with fewer steps: a rule takes the place of the atom that it alone derives, where that is used once.

So conditions meet what they are about before it is joined with the rest.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from lars.language.program import Program, variables
from lars.language.terms import Signature, Variable
from solver.relational.plans import (
    DerivedAtoms,
    GatheredScan,
    Layer,
    RelationalPlan,
    RulePlan,
    Scan,
    plan,
)


@lru_cache(maxsize=64)
def unfolded_plan(program: Program, output: Signature, given: frozenset[Signature]) -> RelationalPlan:
    """Return how the output's atoms are evaluated; of `given` predicates atoms hold without a rule."""
    whole = plan(program, output)
    rules = [*chain.from_iterable(layer.rules for layer in whole.layers), *whole.constraints]
    uses = Counter(chain.from_iterable(map(_uses, rules)))
    bodies: dict[Signature, RulePlan] = {}
    layers: list[Layer] = []
    for layer in whole.layers:
        own = tuple(_unfolded(rule, bodies) for rule in layer.rules)
        (*_, predicate) = layer.predicates
        if predicate not in {output, *given} and uses[predicate] == 1 and _is_plain(layer, own):
            bodies[predicate] = own[0]
        layers.append(replace(layer, rules=own))
    constraints = tuple(_unfolded(rule, bodies) for rule in whole.constraints)
    used = set(chain.from_iterable(_uses(rule) for layer in layers for rule in layer.rules))
    used.update(chain.from_iterable(map(_uses, constraints)), (output,))
    return RelationalPlan(tuple(layer for layer in layers if layer.predicates & used), constraints)


def _uses(rule: RulePlan) -> Iterator[Signature]:
    for part in (*rule.joined, *rule.subtracted):
        source = part.source if isinstance(part, Scan) else part.scan.source
        if isinstance(source, DerivedAtoms):
            yield source.predicate


def _is_plain(layer: Layer, rules: tuple[RulePlan, ...]) -> bool:
    """Whether the layer is one rule, of single atoms, with different variables in its head."""
    if layer.recursive or len(rules) != 1:
        return False
    arguments = rules[0].arguments
    is_general = len(set(arguments)) == len(arguments) and all(isinstance(one, Variable) for one in arguments)
    return is_general and not any(isinstance(part, GatheredScan) for part in rules[0].joined)


def _unfolded(rule: RulePlan, bodies: dict[Signature, RulePlan]) -> RulePlan:
    """Return the rule with bodies in place of the atoms that they derive, where variables allow it."""
    for place, part in enumerate(rule.joined):
        if isinstance(part, Scan) and isinstance(part.source, DerivedAtoms):
            body = bodies.get(part.source.predicate)
            if body is not None and body.arguments == part.terms and not _clash(rule, body):
                joined = (*rule.joined[:place], *body.joined, *rule.joined[place + 1 :])
                subtracted, conditions = rule.subtracted + body.subtracted, rule.conditions + body.conditions
                inner = RulePlan(rule.rule, joined, subtracted, conditions)
                return _unfolded(inner, bodies)
    return rule


def _clash(rule: RulePlan, body: RulePlan) -> bool:
    """Whether a variable that the body has for itself is one of the rule's."""
    return not _all_variables(rule).isdisjoint(_all_variables(body) - {*body.arguments})


def _all_variables(rule: RulePlan) -> frozenset[Variable]:
    inner = (part.scan.variables for part in rule.joined if isinstance(part, GatheredScan))
    parts = (part.variables for part in (*rule.joined, *rule.subtracted))
    conditions = map(variables, rule.conditions)
    return variables(rule.rule.head).union(*parts, *inner, *conditions)
