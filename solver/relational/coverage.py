"""Which programs are evaluated here, and what keeps the others from it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lars.analysis import (
    LiteralForm,
    Mode,
    UnsupportedFormulaError,
    check_safety,
    intensional,
    literal_form,
    positive_loops,
    strata,
)
from lars.errors import LarsError
from lars.language.formulas import (
    Assign,
    Comparison,
    Condition,
    Formula,
    Operation,
    Relation,
    SetLiteral,
    Truth,
)
from lars.language.program import Program, Rule, atoms, head_atom, is_fact, write_literal
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import NOW, Ties, TupleWindow


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps a program from this evaluation: a rule, a literal of it, or the whole (both None)."""

    problem: str
    rule: Rule | None = None
    literal: Formula | None = None

    def __str__(self) -> str:
        where = "" if self.literal is None else f"{write_literal(self.literal)}: "
        return f"{where}{self.problem}" + ("" if self.rule is None else f", in the rule {self.rule}")


def obstacle(program: Program, background: Iterable[Signature] = ()) -> Obstacle | None:
    """Return the first thing that keeps the program from this evaluation, None when it is covered.

    `background` are the predicates that B holds beside the program's facts.
    """
    return next(_obstacles(program, background), None)


def _obstacles(program: Program, background: Iterable[Signature]) -> Iterator[Obstacle]:
    try:
        check_safety(program)
    except LarsError as error:
        yield Obstacle(str(error))
    if strata(program) is None:
        yield Obstacle("a predicate depends on its own absence, so the answer streams are to be searched for")
    facts = (head_atom(rule) for rule in program.rules if is_fact(rule))
    elsewhere = {*intensional(program), *background, *(signature(atom) for atom in facts if atom)}
    loops = positive_loops(program)
    for rule in program.rules:
        if rule.head is not None and not isinstance(rule.head, Atom):
            yield Obstacle("its head holds at a time of its own", rule)
        elif any(map(_computes, rule.body)) and _is_recursive(rule, loops):
            yield Obstacle("a recursive rule that computes values may never end", rule)
        for literal in rule.body:
            if not isinstance(literal, Condition | SetLiteral):
                problem = _problem(literal, elsewhere)
                if problem is not None:
                    yield Obstacle(problem, rule, literal)


def _computes(literal: object) -> bool:
    """Whether the literal can bind a variable to a term that is nowhere yet."""
    if isinstance(literal, Comparison) and literal.relation is Relation.EQUAL:
        return isinstance(literal.left, Operation) or isinstance(literal.right, Operation)
    return isinstance(literal, Assign)


def _is_recursive(rule: Rule, loops: dict[Signature, frozenset[Signature]]) -> bool:
    # Nothing depends on a constraint.
    loop = loops.get(signature(rule.head), frozenset()) if isinstance(rule.head, Atom) else frozenset()
    return any(signature(atom) in loop for literal in rule.body for atom, _, _ in atoms(literal))


def _problem(literal: Formula, elsewhere: set[Signature]) -> str | None:
    try:
        form = literal_form(literal)
    except UnsupportedFormulaError as error:
        return f"{error.construct} is not covered"
    return _uncovered_form(form) or _uncovered_window(form, elsewhere)


def _uncovered_form(form: LiteralForm) -> str | None:
    if form.mode is Mode.NOW and form.window is None:
        return None
    if form.window is None:
        return f"{form.mode.value} looks at the whole timeline; covered are windows"
    if isinstance(form.atom, Truth):
        covered = form.mode is Mode.AT and form.positive and form.window == NOW
        return None if covered else "of true in windows ⊞^0 @_T true alone is covered"
    if form.mode is Mode.SOME or (form.mode is Mode.AT and form.positive):
        return None
    return "of formulas in windows ◇, not ◇ and @_T are covered"


def _uncovered_window(form: LiteralForm, elsewhere: set[Signature]) -> str | None:
    if form.window is None or isinstance(form.atom, Truth):
        return None
    if isinstance(form.window, TupleWindow) and form.window.ties is Ties.CHOOSE:
        return "its ties are chosen, so there can be several answer streams"
    if signature(form.atom) in elsewhere:
        return "its atom is derived or of the background; covered are windows over input"
    return None
