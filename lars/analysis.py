"""Static analysis of a program: forms of literals, windows, safety, and dependencies.

A literal has the form ⊞^w ★ a, in which ★ is ◇, □ or @. Each literal is rewritten so that ¬ is only outside
★.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from math import comb, prod
from typing import Final, Literal, TypeVar, assert_never

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import formulas as logic
from lars.language import terms
from lars.language.program import (
    Program,
    Rule,
    atoms,
    head_atom,
    nested,
    rebuild,
    set_literals,
    variables,
    write_literal,
)
from lars.language.stream import Stream, tie_choices
from lars.language.windows import NOW, FixedWindow, Interval, IntervalWindow, TimeWindow, TupleWindow, Window

Mode = Literal["", "◇", "□", "@", "¬@¬"]
"""The operator ★ in a literal ⊞^w ★ a, which relates the time of the atom a to the window's interval T'.

The mode "" means that the atom holds at the reference time. The mode `¬@¬` is ¬@_t¬, which is true if t is
outside T' or the atom holds at t.
"""


_DUAL: Final[Mapping[Mode, Mode]] = {"": "", "◇": "□", "□": "◇", "@": "¬@¬", "¬@¬": "@"}


@dataclass(frozen=True, slots=True)
class LiteralForm:
    """A literal ⊞^w ★ a, with ◇, □ or @ as ★, or the negation of such a literal.

    Without a window, ★ ranges over the whole timeline. If `positive` is true, additional instances of the
    atom a can only make the literal true. If `positive` is false, additional instances can only make it
    false.
    """

    atom: terms.Atom | logic.Truth
    mode: Mode = ""
    time: terms.Variable | terms.Number | None = None
    window: Window | None = None
    positive: bool = True


class UnsupportedFormulaError(LarsError):
    """The error for a formula that is nested deeper than ⊞^w ★ a; `construct` describes the nesting."""

    def __init__(self, formula: logic.Formula, construct: str) -> None:
        super().__init__(
            f"cannot evaluate {formula}: found {construct}; use at most one window, then at most one of "
            "◇, □ and @, then an atom, with ¬ anywhere"
        )
        self.formula = formula
        self.construct = construct


class InexpressibleError(LarsError):
    """The error for a LARS construct that the target language of an export, such as Ticker, cannot express.

    The writer that exports a rule catches this error, and raises an ExportError that contains the rule.
    """


class ExportError(LarsError):
    """The error for a LARS rule that the target language of an export, such as Ticker, cannot express.

    The field `part` is the number of the body literal that cannot be expressed, or None if the number is
    unknown.
    """

    def __init__(self, sentence: str, rule: Rule | None, part: int | None = None) -> None:
        super().__init__(sentence if rule is None else f"{sentence}\n  in the rule {rule}")
        self.rule = rule
        self.part = part


def literal_form(formula: logic.Formula) -> LiteralForm:
    """Return the form of a literal; raise UnsupportedFormulaError for nested windows or modes.

    >>> form = literal_form(logic.Not(logic.Diamond(logic.Not(terms.Atom("p")))))
    >>> form.mode, form.positive
    ('□', True)
    """
    match formula:
        case terms.Atom() | logic.Truth():
            return LiteralForm(formula)
        case logic.Not(inner):
            below = literal_form(inner)
            return replace(below, positive=not below.positive)
        case logic.Diamond(inner):
            return _under("◇", None, inner, formula)
        case logic.Box(inner):
            return _under("□", None, inner, formula)
        case logic.At(time, inner):
            return _under("@", time, inner, formula)
        case logic.In(window, inner):
            below = literal_form(inner)
            if below.window is not None:
                raise UnsupportedFormulaError(formula, "a window inside a window")
            return replace(below, window=window)


def _under(
    mode: Mode, time: terms.Variable | terms.Number | None, inner: logic.Formula, whole: logic.Formula
) -> LiteralForm:
    below = literal_form(inner)
    if below.window is not None:
        raise UnsupportedFormulaError(whole, f"the operator {mode} around a window")
    if below.mode != "":
        raise UnsupportedFormulaError(whole, f"the operator {mode} around the operator {below.mode}")
    return replace(below, mode=mode if below.positive else _DUAL[mode], time=time)


@dataclass(frozen=True, slots=True)
class Reach:
    """The range around an evaluation time that the windows of a program can read, in time points.

    `past` and `future` are distances of at least 0 from the evaluation time. The range includes the time
    points at both distances. If `past` is None, the range begins at the start of the timeline; if `future` is
    None, the range ends at the end of the timeline. The field `tuples` contains the program's tuple windows,
    because their range depends on the stream.
    """

    past: int | None
    future: int | None
    tuples: frozenset[TupleWindow]


def windows(program: Program) -> frozenset[Window]:
    """Return every window of the program."""
    return frozenset(
        window for rule in program.rules for literal in rule.body for window in windows_of(literal)
    )


def choosing_windows(program: Program) -> list[TupleWindow]:
    """Return the tuple windows that choose among atoms of equal time (ties `choose`), sorted by their text.

    Different choices of a tuple window with ties `choose` can lead to different answer streams.
    """
    tuples = (window for window in sorted(windows(program), key=str) if isinstance(window, TupleWindow))
    return [window for window in tuples if window.ties == "choose"]


def windows_of(literal: logic.BodyLiteral) -> Iterator[Window]:
    """Yield the windows of a literal; an outer window comes before the windows inside it."""
    return (part.window for part in nested(literal) if isinstance(part, logic.In))


def bare_windows(literal: logic.BodyLiteral) -> Iterator[logic.In]:
    """Yield the windows of a literal that are directly before an atom, as in ⊞^3 p, without ◇, □ or @.

    Such an atom must hold at the evaluation time, so the other time points of the window have no effect. The
    windows ⊞^0 and ⊞^{from 5 to 9} are not included: the first has no other time point, and the second
    restricts the evaluation time.
    """
    for part in nested(literal):
        if isinstance(part, logic.In) and part.window != NOW and not isinstance(part.window, FixedWindow):
            form = literal_form(part)
            if form.mode == "" and isinstance(form.atom, terms.Atom):
                yield part


def inner_windows(literal: logic.BodyLiteral) -> Iterator[TupleWindow]:
    """Yield the tuple windows of a literal that are inside ◇, □, @ or another window.

    A window inside ◇, □, @ or another window can be evaluated at other times than the reference time.
    """
    operators = [part for part in nested(literal) if not isinstance(part, logic.Not)]
    return (
        part.window
        for part in operators[1:]
        if isinstance(part, logic.In) and isinstance(part.window, TupleWindow)
    )


def with_windows(program: Program, change: Callable[[Window], Window]) -> Program:
    """Return the program with each window replaced by the result of `change`."""

    def shown(part: logic.Formula) -> logic.Formula:
        return logic.In(change(part.window), part.inner) if isinstance(part, logic.In) else part

    def changed(literal: logic.BodyLiteral) -> logic.BodyLiteral:
        return literal if isinstance(literal, logic.Condition | logic.SetLiteral) else rebuild(literal, shown)

    return Program(tuple(Rule(rule.head, tuple(map(changed, rule.body))) for rule in program.rules))


def reach(program: Program) -> Reach:
    """Return the range around an evaluation time that the program can read.

    The lengths of nested windows are added. If ◇, □ or @ is outside every window, its formula reads the whole
    timeline, so `past` and `future` are None.
    """
    extents = [_extent(literal, inside=False) for rule in program.rules for literal in rule.body]
    pasts, futures = [past for past, _ in extents], [future for _, future in extents]
    return Reach(
        None if None in pasts else max((past for past in pasts if past is not None), default=0),
        None if None in futures else max((0, *(ahead for ahead in futures if ahead is not None))),
        frozenset(window for window in windows(program) if isinstance(window, TupleWindow)),
    )


def _extent(literal: logic.BodyLiteral, *, inside: bool) -> tuple[int | None, int | None]:
    match literal:
        case logic.Diamond(inner) | logic.Box(inner) | logic.At(_, inner):
            return _extent(inner, inside=True) if inside else (None, None)
        case logic.Not(inner):
            return _extent(inner, inside=inside)
        case logic.In(window, inner):
            past, future = _extent(inner, inside=True)
            back, ahead = window.reach if isinstance(window, IntervalWindow) else (0, 0)
            far = None if past is None or back is None else past + back
            return far, None if future is None else future + ahead
        case _:
            return 0, 0


def nearby(program: Program, data: Stream, t: int) -> tuple[Stream, Interval]:
    """Return the input that the windows of a program can contain at t, and the interval of this input.

    The returned stream keeps the timeline and the derived atoms of `data`. A formula @_u a in a rule body is
    false for each time u outside the returned interval.
    """
    seen = reach(program)
    timeline = data.timeline
    inner = any(True for rule in program.rules for literal in rule.body for _ in inner_windows(literal))
    first = timeline.first if seen.past is None or inner else t - seen.past
    last = timeline.last if seen.future is None else t + seen.future
    first = min([first, *(_oldest(data, window, t) for window in seen.tuples)])
    interval = Interval(first, last).meet(timeline)
    return replace(data, input={u: atoms for u, atoms in data.input.items() if u in interval}), interval


def _oldest(data: Stream, window: TupleWindow, t: int) -> int:
    """Return the time of the oldest atom that a tuple window keeps at t.

    If the window has ties `choose`, the time of the oldest kept atom is the same for each choice.
    """
    (atoms,) = tie_choices(data, window.with_ties, t)
    return min(atoms, default=t)


def count_choices(program: Program, data: Stream, t: int) -> int:
    """Return the number of ways in which all tuple windows with ties `choose` can choose their atoms at t."""
    return prod(_count(data, window, t) for window in choosing_windows(program))


def _count(data: Stream, window: TupleWindow, t: int) -> int:
    tied, fitting = (_oldest_sizes(data, replace(window, ties=ties), t) for ties in ("all", "arrival"))
    return prod(comb(size, fitting[index]) for index, size in tied.items())


def _oldest_sizes(data: Stream, window: TupleWindow, t: int) -> dict[object, int]:
    """Return, for each partition of a window, the number of atoms at the oldest time in the window."""
    (kept,) = tie_choices(data, window, t)
    sizes: dict[object, tuple[int, int]] = {}
    for u, kept_atoms in sorted(kept.items()):
        for atom in kept_atoms:
            oldest, size = sizes.get(window.index(atom), (u, 0))
            sizes[window.index(atom)] = oldest, size + (u == oldest)
    return {index: size for index, (_, size) in sizes.items()}


def binders(formula: logic.Formula, *, empty_possible: bool = False) -> Iterator[terms.Atom | terms.Variable]:
    """Yield the atoms and time variables of a formula that give its variables finitely many possible values.

    If the formula is true, the stream or the background contains each yielded atom. The timeline then
    contains the value of each yielded time variable of @.
    """
    match formula:
        case terms.Atom():
            yield formula
        case logic.Diamond(inner):
            yield from binders(inner)
        case logic.Box(inner):
            if not empty_possible:
                yield from binders(inner)
        case logic.At(time, inner):
            if isinstance(time, terms.Variable):
                yield time
            yield from binders(inner)
        case logic.In(window, inner):
            yield from binders(inner, empty_possible=empty_possible or not window.never_empty)
        case logic.Not() | logic.Truth():
            return
        case _:
            assert_never(formula)


def bound(body: tuple[logic.BodyLiteral, ...]) -> frozenset[terms.Variable]:
    """Return the variables that the positive literals of a body bind, including bindings by = and :=."""
    names: frozenset[terms.Variable] = frozenset()
    assignments: list[tuple[terms.Variable, frozenset[terms.Variable]]] = []
    for literal in body:
        match literal:
            case logic.Comparison(left, "=", right):
                assignments += [(side, variables(other)) for side, other in ((left, right), (right, left))
                                if isinstance(side, terms.Variable)]  # fmt: skip
            case logic.Comparison() | logic.Test():
                pass
            case logic.Assign(variable, expression):
                assignments.append((variable, variables(expression)))
            case logic.Gather() | logic.Among():
                names |= variables(literal)
            case _:
                names = names.union(*map(variables, binders(literal)))
    for _ in assignments:
        names |= {variable for variable, needed in assignments if needed <= names}
    return names


def check_choices(rule: Rule) -> None:
    """Raise LarsError for a window with ties `choose` inside another operator.

    Which atoms a window with ties `choose` keeps is defined only at the evaluation time, and not at other
    times.
    """
    for literal in rule.body:
        for window in inner_windows(literal):
            if window.ties == "choose":
                raise LarsError(
                    f"{window} is inside another operator; for inner windows no choice of ties is defined"
                )


def useless_set_literals(rule: Rule) -> Iterator[tuple[int, str]]:
    """Yield the index of each invalid aggregate or order in the body, with the reason."""
    for place, literal in enumerate(rule.body):
        match literal:
            case logic.Gather():
                others = [rule.head, *rule.body[:place], *rule.body[place + 1 :]]
                outside = frozenset().union(*map(variables, others))
                problem = _misgathered(literal, outside)
            case logic.Among(atom, order, offset, limit, keys):
                problem = _foreign("orders by", {key.variable for key in order}, atom)
                problem = problem or _foreign("counts per", frozenset(keys), atom)
                if offset < 0 or (limit is not None and limit < 0):
                    problem = (
                        'the range of ranks after the keyword "among" is invalid; expected a first rank '
                        "of at least 1"
                    )
            case _:
                problem = None
        if problem is not None:
            yield place, problem


def _misgathered(literal: logic.Gather, outside: frozenset[terms.Variable]) -> str | None:
    own, keys = variables(literal.atom), frozenset(literal.keys)
    if literal.variable in own:
        return (
            f"{literal.variable} is already a variable of {literal.atom}; use another variable for the value"
        )
    if clash := sorted(map(str, (own - keys) & outside)):
        names = ", ".join(clash)
        return f"{names} also occurs outside of the aggregate; add `by {names}`, or rename {names} inside"
    problem = _foreign("groups by", keys, literal.atom) or _unaggregated(literal.aggregation)
    return problem or _foreign("aggregates", frozenset(literal.aggregation.arguments), literal.atom)


def _unaggregated(aggregation: logic.Aggregation) -> str | None:
    function, single = aggregation.function, len(aggregation.arguments) == 1
    if function not in logic.AGGREGATES:
        return f"{function} is not an aggregate; expected {', '.join(logic.AGGREGATES)}"
    if function != "COUNT" and not single:
        return f"{function} requires exactly one variable; only COUNT allows * and several variables"
    if function != "GROUP_CONCAT" and aggregation.separator != " ":
        return f"{function} has no separator; only GROUP_CONCAT has one"
    return None


def _foreign(what: str, names: AbstractSet[terms.Variable], atom: terms.Atom) -> str | None:
    missing = ", ".join(sorted(map(str, names - variables(atom))))
    return f"the literal {what} {missing}, but {atom} does not have this variable" if missing else None


def check_safety(program: Program) -> None:
    """Raise LarsError for the first rule with a variable that no positive literal, = or := of its body binds.

    The function also raises LarsError for a fact `@_t a`, because no literal restricts the time t to the
    timeline. The function also raises LarsError for an aggregate or order literal with a variable that its
    atom or its rule does not allow.
    """
    for rule in program.rules:
        for place, problem in useless_set_literals(rule):
            raise LarsError(f"{rule.body[place]}: {problem}\n  in the rule {rule}")
        head = frozenset() if rule.head is None else variables(rule.head)
        unbound = head.union(*map(variables, rule.body)) - bound(rule.body)
        if unbound:
            unbound = _causes(rule, unbound)
            names = ", ".join(sorted(map(str, unbound)))
            raise LarsError(
                f"unsafe rule: no positive body literal binds {names}\n  {rule}\n"
                + "\n".join(_safety_remedy(rule, unbound))
            )
        if isinstance(rule.head, logic.At) and not rule.body:
            raise LarsError(f"cannot use @ in a fact, because a fact holds at every time point: {rule}")
        check_choices(rule)


def _causes(rule: Rule, unbound: frozenset[terms.Variable]) -> frozenset[terms.Variable]:
    """Return unbound variables of a rule without the variables that the rule computes from other ones."""
    for variable in sorted(unbound, key=str):
        others = unbound - {variable}
        if others and variable in bound((*rule.body, terms.Atom("bound", tuple(sorted(others, key=str))))):
            unbound = others
    return unbound


def _safety_remedy(rule: Rule, unbound: AbstractSet[terms.Variable]) -> Iterator[str]:
    """Yield lines about changes of an unsafe rule that bind its variables, each with the changed rule."""
    names = ", ".join(sorted(map(str, unbound)))
    for place, literal in enumerate(rule.body):
        match literal:
            case logic.In(window, logic.Box(inner)) if unbound & variables(inner) and not window.never_empty:
                some = logic.In(window, logic.Diamond(inner))
                yield (
                    f"{window} □ binds no variable, because {_why_empty(window)}, and □ is true in an empty "
                    "window. Add the literal with ◇ in place of □:"
                )
                yield f"  {replace(rule, body=(*rule.body[:place], some, *rule.body[place:]))}"
                return
    yield (
        f"Add a literal that binds {names}: an atom, ◇ or @, := or = of bound terms, or □ in a window that "
        "is never empty."
    )
    for place, literal in enumerate(rule.body):
        match literal:
            case logic.Not(inner) if (own := variables(inner) & unbound) and own <= bound((inner,)):
                name = next(
                    (atom.predicate for atom, *_ in atoms(inner) if atom.predicate.isidentifier()), "atom"
                )
                shared = tuple(sorted(variables(inner) - unbound, key=str))
                helper = terms.Atom(f"some_{name}", shared)
                body = (*rule.body[:place], logic.Not(helper), *rule.body[place + 1 :])
                if any(own & variables(part) for part in (rule.head, *body) if part is not None):
                    continue
                every = ", ".join(sorted(map(str, own)))
                yield f"If {write_literal(literal)} must hold for all {every}, use a helper rule:"
                yield f"  {Rule(helper, (inner,))}"
                yield f"  {replace(rule, body=body)}"
                return


def _why_empty(window: Window) -> str:
    """Return a text with the reason why a window can be empty at a time of the timeline."""
    match window:
        case TimeWindow(step=step) if step > 1:
            return f"this window can be empty: it ends at a multiple of {step}, perhaps before the timeline"
        case TimeWindow(future=future) if future < 0:
            return "this window can be empty: it ends before the evaluation time"
        case TupleWindow():
            return "this window is empty before any input"
        case _:
            return "this window can be empty"


Node = TypeVar("Node", bound=Hashable)
Edge = tuple[terms.Signature, terms.Signature, bool]
"""A dependency of a derived predicate on a predicate that its rules use.

An edge consists of the derived predicate, the used predicate, and a boolean. The boolean is true if the used
predicate must be in a lower layer.
"""


def intensional(program: Program) -> frozenset[terms.Signature]:
    """Return the predicates that rules with a body derive; all other predicates are input or background."""
    heads = (rule.predicate for rule in program.rules if rule.body)
    return frozenset(head for head in heads if head is not None)


def failing_comparisons(
    program: Program, inputs: Iterable[terms.Atom]
) -> Iterator[tuple[Rule, int, logic.Call]]:
    """Yield the SPARQL comparisons, such as [?n < 5], whose variable has only numbers of LARS as values.

    SPARQL defines `<` for RDF literals, so `<` on a number of LARS is an error. Numbers of LARS come from the
    atoms `inputs`, from facts, from arithmetic and from times. The function yields each comparison with its
    rule and the index of its body literal.
    """
    places = _numeric_places(program, inputs)
    for rule in program.rules:
        numeric = _numeric(rule, places)
        for number, literal in enumerate(rule.body):
            if not isinstance(literal, logic.Test):
                continue
            for call in _ordering(literal.expression):
                if numeric.intersection(call.arguments):
                    yield rule, number, call


def _ordering(expression: logic.Expression) -> Iterator[logic.Call]:
    """Yield the calls of `<`, `<=`, `>` and `>=` in an expression."""
    if isinstance(expression, logic.Call):
        if expression.function in {"<", "<=", ">", ">="}:
            yield expression
        for argument in expression.arguments:
            yield from _ordering(argument)


def _numeric_places(program: Program, inputs: Iterable[terms.Atom]) -> set[tuple[terms.Signature, int]]:
    """Return the argument positions at which atoms have numbers of LARS, as pairs (predicate, index)."""
    places: set[tuple[terms.Signature, int]] = set()
    for atom in inputs:
        places |= _places(atom, frozenset())
    grown = True
    while grown:
        before = len(places)
        for rule in program.rules:
            if (head := head_atom(rule)) is not None:
                places |= _places(head, _numeric(rule, places))
        grown = len(places) > before
    return places


def _places(atom: terms.Atom, numeric: AbstractSet[object]) -> set[tuple[terms.Signature, int]]:
    name = terms.signature(atom)
    return {
        (name, index)
        for index, term in enumerate(atom.arguments)
        if isinstance(term, terms.Number) or term in numeric
    }


def _numeric(rule: Rule, places: AbstractSet[tuple[terms.Signature, int]]) -> frozenset[object]:
    """Return the variables of a rule to which the binding literals give only numbers of LARS as values."""
    numeric: set[object] = set()
    other: set[object] = set()
    for literal in rule.body:
        match literal:
            case logic.Comparison(terms.Variable() as left, "=", logic.Operation()):
                numeric.add(left)
            case logic.Comparison(logic.Operation(), "=", terms.Variable() as right):
                numeric.add(right)
            case logic.Comparison() | logic.Test():
                pass
            case logic.Gather(variable, aggregation, atom, keys):
                own = _at_places(atom, places)
                chosen = aggregation.function in _CHOOSING and own.issuperset(aggregation.arguments)
                (numeric if chosen else other).add(variable)
                numeric |= own.intersection(keys)
                other |= frozenset(keys) - own
            case logic.Assign(variable):
                other.add(variable)
            case _:
                for binder in (literal.atom,) if isinstance(literal, logic.Among) else binders(literal):
                    if isinstance(binder, terms.Variable):
                        numeric.add(binder)
                        continue
                    own = _at_places(binder, places)
                    numeric |= own
                    other |= frozenset(binder.arguments) - own
    return frozenset(numeric - other)


_CHOOSING: Final = frozenset(("MIN", "MAX", "SAMPLE"))
"""The aggregates whose value is one of the aggregated terms, and not a new RDF literal."""


def _at_places(atom: terms.Atom, places: AbstractSet[tuple[terms.Signature, int]]) -> frozenset[object]:
    """Return the arguments of an atom that are only at positions with numbers of LARS."""
    name, arguments = terms.signature(atom), atom.arguments
    return frozenset(arguments) - {
        term for index, term in enumerate(arguments) if (name, index) not in places
    }


def positive_loops(program: Program) -> dict[terms.Signature, frozenset[terms.Signature]]:
    """Map each predicate that depends on itself without ¬ to all predicates of its cycle of dependencies."""
    below = successors((edge.head, edge.used) for edge in dependencies(program) if edge.positive)
    above = {name: reachable(name, below) for name in below}
    return {
        name: frozenset(other for other in above[name] if name in above.get(other, ()))
        for name in below
        if name in above[name]
    }


def computes_in_loop(rule: Rule, loops: Mapping[terms.Signature, frozenset[terms.Signature]]) -> bool:
    """Return whether a recursive rule computes new values from atoms that depend on the rule itself.

    If a recursive rule computes new values, its evaluation may never end.
    """
    loop = frozenset[terms.Signature]() if rule.predicate is None else loops.get(rule.predicate, frozenset())
    used = (terms.signature(atom) for literal in rule.body for atom, _, _ in atoms(literal))
    return any(map(_computes, rule.body)) and not loop.isdisjoint(used)


def _computes(literal: logic.BodyLiteral) -> bool:
    """Return whether the literal can bind a variable to a term that no atom contains yet."""
    if isinstance(literal, logic.Comparison) and literal.relation == "=":
        return isinstance(literal.left, logic.Operation) or isinstance(literal.right, logic.Operation)
    return isinstance(literal, logic.Assign)


def reachable(name: Node, below: Mapping[Node, set[Node]]) -> frozenset[Node]:
    """Return the nodes of a graph that can be reached from `name` in one or more steps.

    The argument `below` maps nodes to successors.
    """
    nodes: set[Node] = set()
    left = [name]
    while left:
        new = below.get(left.pop(), set()) - nodes
        nodes |= new
        left.extend(new)
    return frozenset(nodes)


def successors(pairs: Iterable[tuple[Node, Node]]) -> dict[Node, set[Node]]:
    """Return the successors of each node, from pairs (node, successor)."""
    below: dict[Node, set[Node]] = {}
    for above, lower in pairs:
        below.setdefault(above, set()).add(lower)
    return below


def on_own_absence(program: Program) -> dict[terms.Signature, tuple[int, ...]]:
    """Return the predicates that depend on themselves through an odd number of ¬, such as p in `p ← not p`.

    Each predicate is mapped to the numbers (counted from 1) of the rules through which the predicate depends
    on itself. If a program has no cycle through an odd number of ¬, the program has an answer stream. The
    exception is a program in which an aggregate or order depends on the head of its own rule.
    """
    edges = list(dependencies(program))
    below = successors(
        ((edge.head, even), (edge.used, even is edge.positive)) for edge in edges for even in (True, False)
    )
    odd = {name for name in intensional(program) if (name, False) in reachable((name, True), below)}
    cycles: dict[terms.Signature, tuple[int, ...]] = {}
    for edge in edges:
        head, rules = edge.head, cycles.get(edge.head, ())
        circular = not reachable((edge.used, True), below).isdisjoint(((head, True), (head, False)))
        if head in odd and circular and edge.number not in rules:
            cycles[head] = (*rules, edge.number)
    return cycles


def unstratified_rules(program: Program) -> tuple[int, ...]:
    """Return the numbers (counted from 1) of the rules that prevent strata, such as rule 1 of `p ← not p`.

    The head of such a rule depends on itself through ¬, □, an aggregate or an order of the rule.
    """
    edges = list(dependencies(program))
    below = successors((edge.head, edge.used) for edge in edges)
    strict = (edge for edge in edges if not edge.positive or through_box(edge.literal) or edge.gathers)
    circular = (edge for edge in strict if edge.head in {edge.used} | reachable(edge.used, below))
    return tuple(dict.fromkeys(edge.number for edge in circular))


def strata(program: Program) -> tuple[frozenset[terms.Signature], ...] | None:
    """Return the intensional predicates in layers, or None if the program is not stratified.

    A rule may use predicates under ¬, through □, in aggregates and in orders only from lower layers. Such
    literals can become false if atoms are added to the stream.
    """
    return _layers(
        program,
        [
            (edge.head, edge.used, not edge.positive or through_box(edge.literal) or edge.gathers)
            for edge in dependencies(program)
        ],
    )


def gathered_strata(program: Program) -> tuple[frozenset[terms.Signature], ...]:
    """Return the intensional predicates in layers in which aggregates and orders read only lower layers.

    Raises LarsError if an aggregate or order depends on the head of its own rule, because its value is
    undefined.
    """
    edges = list(dependencies(program))
    below = successors((edge.head, edge.used) for edge in edges)
    for edge in edges:
        if isinstance(edge.literal, logic.SetLiteral) and edge.head in {
            edge.used,
            *reachable(edge.used, below),
        }:
            name, arity = terms.signature(edge.literal.atom)
            raise LarsError(
                f"{terms.write_name(name)}/{arity} in {edge.literal} depends on the head of its own "
                f"rule, in {program.rules[edge.number - 1].quotation}\n"
                "Aggregates and orders need an atom that does not depend on the head of their rule."
            )
    layers = _layers(program, [(edge.head, edge.used, edge.gathers) for edge in edges])
    assert layers is not None
    return layers


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency of a rule's head on a derived predicate in the rule's body.

    The field `number` is the number of the rule, counted from 1. The field `positive` is true if the
    predicate occurs under an even number of ¬.
    """

    number: int
    head: terms.Signature
    used: terms.Signature
    positive: bool
    literal: logic.BodyLiteral

    @property
    def gathers(self) -> bool:
        """Whether the body literal of this dependency is an aggregate or an order."""
        return isinstance(self.literal, logic.SetLiteral)


def dependencies(program: Program) -> Iterator[Dependency]:
    """Yield a Dependency for each occurrence of a derived predicate in the body of a rule with a head."""
    derived = intensional(program)
    for number, rule in enumerate(program.rules, 1):
        if (head := rule.predicate) is not None:
            for literal in rule.body:
                for atom, positive, _ in atoms(literal):
                    if terms.signature(atom) in derived:
                        yield Dependency(number, head, terms.signature(atom), positive, literal)


def _layers(program: Program, edges: Sequence[Edge]) -> tuple[frozenset[terms.Signature], ...] | None:
    derived = intensional(program)
    level = dict.fromkeys(derived, 0)
    for _ in range(len(derived) + 1):
        raised = {head: level[below] + strict for head, below, strict in edges
                  if level[head] < level[below] + strict}  # fmt: skip
        if not raised:
            depth = max(level.values(), default=-1) + 1
            return tuple(frozenset(p for p in derived if level[p] == i) for i in range(depth))
        level |= {head: max(level[head], new) for head, new in raised.items()}
    return None


def through_box(literal: logic.BodyLiteral) -> bool:
    """Return whether the literal reads its atom through □."""
    return any(isinstance(part, logic.Box) for part in nested(literal))


def gathering_parts(program: Program) -> tuple[Program, ...]:
    """Return the program in parts; aggregates and orders in a part range only over atoms of earlier parts.

    The last part contains the constraints. Raises LarsError if an aggregate or order depends on the head of
    its own rule.
    """
    if not any(True for rule in program.rules for _ in set_literals(rule.body)):
        return (program,)
    rules: dict[int, list[Rule]] = defaultdict(list)
    layers = gathered_strata(program)
    for rule in program.rules:
        derived = (number for number, layer in enumerate(layers) if rule.predicate in layer)
        rules[next(derived, len(layers))].append(rule)
    return tuple(Program(tuple(rules[number])) for number in sorted(rules))
