"""What a random case holds, by the names of the language's constructs."""

from lars.analysis import intensional, positive_loops, strata, windows
from lars.language.formulas import At, Box, Comparison, Diamond, In, Not, Operation, Truth
from lars.language.program import atoms, is_fact
from lars.language.stream import tie_choices
from lars.language.terms import signature
from lars.language.windows import TimeWindow, TupleWindow


def constructs(case):
    """Yield the name of each construct that the case's program and stream hold."""
    program, derived = case.program, intensional(case.program)
    for rule in program.rules:
        yield from ("fact",) if is_fact(rule) else ("constraint",) if rule.head is None else ()
        yield from ("head @_T a",) if isinstance(rule.head, At) else ()
        for literal in rule.body:
            yield from of_literal(literal, derived)
    for window in windows(program):
        yield from of_window(window)
        if isinstance(window, TupleWindow) and window.ties == "choose":
            tied = len(list(tie_choices(case.stream, window, case.t))) > 1
            yield from ("a real choice of ties",) * tied
    yield "stratified" if strata(program) else "not stratified"
    yield from ("positive recursion",) * bool(positive_loops(program))
    yield from ("Tmin > 0",) * bool(case.stream.timeline.first)


def of_literal(literal, derived, depth=0):
    """Yield the constructs of a body literal."""
    match literal:
        case Comparison(left, _, right):
            yield "arithmetic" if any(isinstance(side, Operation) for side in (left, right)) else "comparison"
        case Not(inner):
            yield "¬" if depth == 0 else "nested ¬"
            yield from of_literal(inner, derived, depth + 1)
        case Diamond(inner) | Box(inner) | At(_, inner):
            yield {Diamond: "◇", Box: "□", At: "@"}[type(literal)]
            yield from of_literal(inner, derived, depth + 1)
        case In(_, inner):
            seen = [atom for atom, _, _ in atoms(inner)]
            yield from ("window over derived atoms",) * any(signature(atom) in derived for atom in seen)
            yield from of_literal(inner, derived, depth + 1)
        case Truth():
            yield "true"
        case _:
            yield from ("plain atom",) * (depth == 0)


def of_window(window):
    """Yield the constructs of a window."""
    match window:
        case TimeWindow(past, future, step, ends):
            yield "⊞ over time"
            yield from ("⊞^∞",) * (past is None) + ("NOW",) * (past == 0 and not future and step == 1)
            yield from ("future u > 0",) * bool(future) + ("pivot d > 1",) * (step > 1)
            yield from (ends,) * (ends != "closed" and bool(past))
        case TupleWindow(_, source, ties, by):
            yield f"⊞^#n, ties {ties}"
            yield from ("⊞^idx,n",) * (by is not None) + ("⊞^#n of a stream",) * (source is not None)
