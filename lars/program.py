"""Rules and programs: what is safe, what is stratified, how far back the windows reach."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from lars.errors import LarsError
from lars.formulas import (
    Arithmetic,
    Assign,
    At,
    BodyLiteral,
    Box,
    Call,
    Comparison,
    Diamond,
    Expression,
    Formula,
    In,
    Not,
    Operation,
    Relation,
    Test,
    Truth,
)
from lars.terms import Atom, Signature, Variable, signature
from lars.windows import TimeWindow, TupleWindow, Window

Head = Atom | At


@dataclass(frozen=True, slots=True)
class Rule:
    """α ← β1, …, βn. The head is an atom, @_T atom, or None for a constraint.

    A rule without a body and without variables is a fact: it belongs to the background B.
    """

    head: Head | None
    body: tuple[BodyLiteral, ...] = ()

    def __str__(self) -> str:
        head = "" if self.head is None else str(self.head)
        if self.head is not None and not self.body:
            return f"{head}."
        return f"{head} ← {', '.join(map(write_literal, self.body))}.".lstrip()


@dataclass(frozen=True, slots=True)
class Program:
    """A LARS program: its rules in a fixed order, which carries no meaning."""

    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))


@dataclass(frozen=True, slots=True)
class Reach:
    """What a program's windows can need around an evaluation time, in time points.

    `past` and `future` count from the evaluation time, both ends included; None means to the end
    of the timeline. `tuples` are the tuple windows, whose reach depends on the stream.
    """

    past: int | None
    future: int | None
    tuples: frozenset[TupleWindow]


class UnsafeRuleError(LarsError):
    """A variable of a rule that no positive body literal binds."""

    def __init__(self, rule: Rule, unbound: frozenset[Variable]) -> None:
        names = ", ".join(sorted(map(str, unbound)))
        super().__init__(
            f"unsafe rule: {names} is bound by no positive body literal\n  {rule}\n"
            "A variable is bound by an atom, ◇ or @ in the body, by := or = of bound terms, "
            "and by □ in a window that is never empty."
        )


def write_literal(literal: BodyLiteral) -> str:
    """Return the literal as it stands in a rule's body, where ¬ is written `not`."""
    return f"not {write_literal(literal.inner)}" if isinstance(literal, Not) else str(literal)


def head_atom(rule: Rule) -> Atom | None:
    """Return the atom that the rule derives, whether at the reference time or at another."""
    match rule.head:
        case At(_, Atom() as atom):
            return atom
        case Atom() as atom:
            return atom
        case None:
            return None
        case _:
            message = f"a head is an atom or @_T atom, not {rule.head}"
            raise LarsError(message)


def is_fact(rule: Rule) -> bool:
    """Whether the rule holds at every time point by itself: a ground atom without a body."""
    return not rule.body and isinstance(rule.head, Atom) and not variables(rule.head)


def atoms(literal: BodyLiteral) -> Iterator[tuple[Atom, bool, tuple[Window, ...]]]:
    """Yield each atom of the literal, whether it stands under an even number of ¬, its windows."""
    yield from _atoms(literal, positive=True, windows=())


def _atoms(
    literal: BodyLiteral, *, positive: bool, windows: tuple[Window, ...]
) -> Iterator[tuple[Atom, bool, tuple[Window, ...]]]:
    match literal:
        case Atom():
            yield literal, positive, windows
        case Not(inner):
            yield from _atoms(inner, positive=not positive, windows=windows)
        case Diamond(inner) | Box(inner) | At(_, inner):
            yield from _atoms(inner, positive=positive, windows=windows)
        case In(window, inner):
            yield from _atoms(inner, positive=positive, windows=(*windows, window))
        case Truth() | Comparison() | Test() | Assign():
            return
        case _:
            assert_never(literal)


def variables(part: BodyLiteral | Expression | Arithmetic | None) -> frozenset[Variable]:
    """Return every variable that occurs in a formula, condition, expression or term."""
    match part:
        case Variable():
            return frozenset((part,))
        case Atom(_, arguments) | Call(_, arguments):
            return frozenset().union(*map(variables, arguments))
        case Not(inner) | Diamond(inner) | Box(inner) | In(_, inner):
            return variables(inner)
        case At(time, inner):
            return variables(time) | variables(inner)
        case Comparison(left, _, right) | Operation(_, left, right):
            return variables(left) | variables(right)
        case Test(expression, _):
            return variables(expression)
        case Assign(variable, expression):
            return variables(variable) | variables(expression)
        case _:
            return frozenset()


def binders(formula: Formula, *, empty_possible: bool = False) -> Iterator[Atom | Variable]:
    """Yield what leaves variables with finitely many values when the formula is true.

    An atom must then be in the stream or the background, a variable time of @ in the timeline.
    """
    match formula:
        case Atom():
            yield formula
        case Diamond(inner):
            yield from binders(inner)
        case Box(inner):
            if not empty_possible:
                yield from binders(inner)
        case At(time, inner):
            if isinstance(time, Variable):
                yield time
            yield from binders(inner)
        case In(window, inner):
            yield from binders(inner, empty_possible=empty_possible or not window.never_empty)
        case Not() | Truth():
            return
        case _:
            assert_never(formula)


def bound(body: tuple[BodyLiteral, ...]) -> frozenset[Variable]:
    """Return the variables that the positive part of a body binds, through = and := as well."""
    found: frozenset[Variable] = frozenset()
    assignments: list[tuple[Variable, frozenset[Variable]]] = []
    for literal in body:
        match literal:
            case Comparison(left, Relation.EQUAL, right):
                assignments += [(side, variables(other)) for side, other in ((left, right), (right, left))
                                if isinstance(side, Variable)]  # fmt: skip
            case Comparison() | Test():
                pass
            case Assign(variable, expression):
                assignments.append((variable, variables(expression)))
            case _:
                found = found.union(*map(variables, binders(literal)))
    for _ in assignments:
        found |= {variable for variable, needed in assignments if needed <= found}
    return found


def check_safety(program: Program) -> None:
    """Raise UnsafeRuleError for the first rule that has a variable its body does not bind.

    `@_t a` as a fact is refused too: nothing binds its time to the timeline (LARS, rules).
    """
    for rule in program.rules:
        head = frozenset() if rule.head is None else variables(rule.head)
        unbound = head.union(*map(variables, rule.body)) - bound(rule.body)
        if unbound:
            raise UnsafeRuleError(rule, unbound)
        if isinstance(rule.head, At) and not rule.body:
            message = f"a fact holds at every time point, so it has no @: {rule}"
            raise LarsError(message)


def intensional(program: Program) -> frozenset[Signature]:
    """Return the predicates that rules with a body derive; all others are input or background."""
    heads = (head_atom(rule) for rule in program.rules if rule.body)
    return frozenset(signature(atom) for atom in heads if atom is not None)


def strata(program: Program) -> tuple[frozenset[Signature], ...] | None:
    """Return the intensional predicates in layers, or None when the program is not stratified.

    A dependency is strict under ¬ and through □ (which a growing stream can make false).
    """
    derived = intensional(program)
    level = dict.fromkeys(derived, 0)
    edges = [
        (signature(head), signature(atom), not positive or _through_box(literal))
        for rule in program.rules
        if (head := head_atom(rule)) is not None
        for literal in rule.body
        for atom, positive, _ in atoms(literal)
        if signature(atom) in derived
    ]
    for _ in range(len(derived) + 1):
        raised = {head: level[below] + strict for head, below, strict in edges
                  if level[head] < level[below] + strict}  # fmt: skip
        if not raised:
            depth = max(level.values(), default=-1) + 1
            return tuple(frozenset(p for p in derived if level[p] == i) for i in range(depth))
        level |= {head: max(level[head], new) for head, new in raised.items()}
    return None


def _through_box(literal: BodyLiteral) -> bool:
    match literal:
        case Box():
            return True
        case Not(inner) | Diamond(inner) | At(_, inner) | In(_, inner):
            return _through_box(inner)
        case _:
            return False


def windows(program: Program) -> frozenset[Window]:
    """Return every window of the program."""
    return frozenset(
        window for rule in program.rules for literal in rule.body for window in _windows(literal)
    )


def _windows(literal: BodyLiteral) -> Iterator[Window]:
    match literal:
        case In(window, inner):
            yield window
            yield from _windows(inner)
        case Not(inner) | Diamond(inner) | Box(inner) | At(_, inner):
            yield from _windows(inner)
        case _:
            return


def with_windows(program: Program, change: Callable[[Window], Window]) -> Program:
    """Return the program with each window replaced by what `change` gives for it."""
    return Program(
        tuple(
            Rule(rule.head, tuple(_with_windows(literal, change) for literal in rule.body))
            for rule in program.rules
        )
    )


def _with_windows(literal: BodyLiteral, change: Callable[[Window], Window]) -> BodyLiteral:
    match literal:
        case In(window, inner):
            return In(change(window), _formula(_with_windows(inner, change)))
        case Not(inner) | Diamond(inner) | Box(inner) | At(_, inner):
            return replace(literal, inner=_formula(_with_windows(inner, change)))
        case _:
            return literal


def _formula(literal: BodyLiteral) -> Formula:
    assert not isinstance(literal, Comparison | Test | Assign)
    return literal


def reach(program: Program) -> Reach:
    """Return how far around an evaluation time the program can look; nested windows add up.

    A formula ◇ □ @ outside every window looks at the whole timeline: both ends None.
    """
    extents = [_extent(literal, inside=False) for rule in program.rules for literal in rule.body]
    pasts, futures = [past for past, _ in extents], [future for _, future in extents]
    return Reach(
        None if None in pasts else max((past for past in pasts if past is not None), default=0),
        None if None in futures else max((ahead for ahead in futures if ahead is not None), default=0),
        frozenset(window for window in windows(program) if isinstance(window, TupleWindow)),
    )


def _extent(literal: BodyLiteral, *, inside: bool) -> tuple[int | None, int | None]:
    match literal:
        case Diamond(inner) | Box(inner) | At(_, inner):
            return _extent(inner, inside=True) if inside else (None, None)
        case Not(inner):
            return _extent(inner, inside=inside)
        case In(window, inner):
            past, future = _extent(inner, inside=True)
            match window:
                case TimeWindow(None, ahead):
                    return None, None if future is None else future + ahead
                case TimeWindow(back, ahead, step) if back is not None:
                    return (
                        None if past is None else past + back + step - 1,
                        None if future is None else future + ahead,
                    )
                case _:
                    return past, future
        case _:
            return 0, 0
