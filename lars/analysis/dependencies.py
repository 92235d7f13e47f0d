"""What a program derives, and in which layers: stratification."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from lars.errors import LarsError
from lars.language.formulas import (
    Assign,
    At,
    BodyLiteral,
    Box,
    Comparison,
    Diamond,
    In,
    Not,
    Operation,
    Relation,
    SetLiteral,
)
from lars.language.program import Program, Rule, atoms, head_atom, set_literals
from lars.language.terms import Signature, signature, write_name

Node = TypeVar("Node", bound=Hashable)
Edge = tuple[Signature, Signature, bool]
"""A derived predicate, one that a rule for it uses, and whether that has to be in a lower layer."""


class GatheredLoopError(LarsError):
    """A gathered literal over an atom that depends on the head of its rule."""

    def __init__(self, rule: Rule, literal: SetLiteral) -> None:
        name, arity = signature(literal.atom)
        super().__init__(
            f"{write_name(name)}/{arity} depends on the head of the rule that gathers it in {literal}\n"
            f"  in the rule {rule}\nAccepted are aggregates and orders of what needs no head of their rule."
        )


def intensional(program: Program) -> frozenset[Signature]:
    """Return the predicates that rules with a body derive; all others are input or background."""
    heads = (head_atom(rule) for rule in program.rules if rule.body)
    return frozenset(signature(atom) for atom in heads if atom is not None)


def positive_loops(program: Program) -> dict[Signature, frozenset[Signature]]:
    """Return the predicates that depend on themselves positively, each with those it shares a loop with."""
    below: dict[Signature, set[Signature]] = {name: set() for name in intensional(program)}
    for rule in program.rules:
        if (head := head_atom(rule)) is not None:
            used = (signature(atom) for part in rule.body for atom, positive, _ in atoms(part) if positive)
            below.get(signature(head), set()).update(name for name in used if name in below)
    above = {name: reachable(name, below) for name in below}
    return {
        name: frozenset(other for other in above[name] if name in above[other])
        for name in below
        if name in above[name]
    }


def computes_in_loop(rule: Rule, loops: Mapping[Signature, frozenset[Signature]]) -> bool:
    """Whether a rule can make ever new values from its own, given what shares a positive loop with what."""
    head = head_atom(rule)
    loop = frozenset[Signature]() if head is None else loops.get(signature(head), frozenset())
    used = (signature(atom) for literal in rule.body for atom, _, _ in atoms(literal))
    return any(map(_computes, rule.body)) and not loop.isdisjoint(used)


def _computes(literal: BodyLiteral) -> bool:
    """Whether the literal can bind a variable to a term that is in no atom yet."""
    if isinstance(literal, Comparison) and literal.relation is Relation.EQUAL:
        return isinstance(literal.left, Operation) or isinstance(literal.right, Operation)
    return isinstance(literal, Assign)


def reachable(name: Node, below: Mapping[Node, set[Node]]) -> frozenset[Node]:
    """Return the predicates that one depends on in one step or more, by what is below each."""
    nodes: set[Node] = set()
    left = [name]
    while left:
        new = below.get(left.pop(), set()) - nodes
        nodes |= new
        left.extend(new)
    return frozenset(nodes)


def on_own_absence(program: Program) -> dict[Signature, tuple[int, ...]]:
    """Return the predicates that depend on themselves through an odd number of ¬, as p in `p ← not p`.

    Each has the rules, counted from 1, by which it does. A program without any has an answer stream,
    if it has no gathered literals over what depends on their rules' heads.
    """
    derived = intensional(program)
    edges = [
        (number, signature(head), signature(atom), positive)
        for number, rule in enumerate(program.rules, 1)
        if (head := head_atom(rule)) is not None
        for literal in rule.body
        for atom, positive, _ in atoms(literal)
        if signature(atom) in derived
    ]
    below: dict[tuple[Signature, bool], set[tuple[Signature, bool]]] = {}
    for _, above, used, positive in edges:
        for even in (True, False):
            below.setdefault((above, even), set()).add((used, even is positive))
    odd = {name for name in derived if (name, False) in reachable((name, True), below)}
    cycles: dict[Signature, tuple[int, ...]] = {}
    for number, above, used, _ in edges:
        circular = not reachable((used, True), below).isdisjoint(((above, True), (above, False)))
        if above in odd and circular and number not in cycles.get(above, ()):
            cycles[above] = (*cycles.get(above, ()), number)
    return cycles


def strata(program: Program) -> tuple[frozenset[Signature], ...] | None:
    """Return the intensional predicates in layers, or None when the program is not stratified.

    A dependency is strict under ¬, through □ and through a gathered literal: a growing stream can
    make them false.
    """
    derived = intensional(program)
    return _layers(
        derived,
        [
            (head, used, not positive or through_box(literal) or isinstance(literal, SetLiteral))
            for head, used, positive, literal in _uses(program, derived)
        ],
    )


def gathered_strata(program: Program) -> tuple[frozenset[Signature], ...]:
    """Return the intensional predicates in layers, where gathered literals alone look at lower ones.

    Raises GatheredLoopError when there are none: then the literals have no defined meaning.
    """
    derived = intensional(program)
    uses = tuple(_uses(program, derived))
    below: dict[Signature, set[Signature]] = {}
    for head, used, _, _ in uses:
        below.setdefault(head, set()).add(used)
    for rule in program.rules:
        above = head_atom(rule)
        for literal in set_literals(rule.body):
            used = signature(literal.atom)
            if above is not None and signature(above) in {used, *reachable(used, below)}:
                raise GatheredLoopError(rule, literal)
    layers = _layers(derived, [(head, used, isinstance(part, SetLiteral)) for head, used, _, part in uses])
    assert layers is not None
    return layers


def _uses(
    program: Program, derived: frozenset[Signature]
) -> Iterator[tuple[Signature, Signature, bool, BodyLiteral]]:
    """Yield a rule's head, a derived predicate of its body, whether that is positive, and its literal."""
    for rule in program.rules:
        if (head := head_atom(rule)) is not None:
            for literal in rule.body:
                for atom, positive, _ in atoms(literal):
                    if signature(atom) in derived:
                        yield signature(head), signature(atom), positive, literal


def _layers(derived: frozenset[Signature], edges: Sequence[Edge]) -> tuple[frozenset[Signature], ...] | None:
    level = dict.fromkeys(derived, 0)
    for _ in range(len(derived) + 1):
        raised = {head: level[below] + strict for head, below, strict in edges
                  if level[head] < level[below] + strict}  # fmt: skip
        if not raised:
            depth = max(level.values(), default=-1) + 1
            return tuple(frozenset(p for p in derived if level[p] == i) for i in range(depth))
        level |= {head: max(level[head], new) for head, new in raised.items()}
    return None


def through_box(literal: BodyLiteral) -> bool:
    """Whether the literal looks at its atom through □."""
    match literal:
        case Box():
            return True
        case Not(inner) | Diamond(inner) | At(_, inner) | In(_, inner):
            return through_box(inner)
        case _:
            return False


def parts(program: Program) -> tuple[Program, ...]:
    """Return the rules in parts: what a part gathers is derived in those before it. Constraints come last.

    Raises GatheredLoopError when there are no such parts.
    """
    if not any(True for rule in program.rules for _ in set_literals(rule.body)):
        return (program,)
    rules: dict[int, list[Rule]] = defaultdict(list)
    layers = gathered_strata(program)
    for rule in program.rules:
        head = head_atom(rule)
        derived = (n for n, layer in enumerate(layers) if head is not None and signature(head) in layer)
        rules[next(derived, len(layers))].append(rule)
    return tuple(Program(tuple(rules[number])) for number in sorted(rules))
