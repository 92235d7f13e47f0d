"""Programs for stream reasoners: rules as all their languages know them, or a refusal by name.

A body becomes looks ⊞^n ★ a at atoms, one operation or relation at a time, and nothing else; an
engine's module (`ticker`, `laser`) then writes that down in its syntax.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from lars.errors import LarsError
from lars.formulas import Assign, Formula, Gathered, Operator, Relation, Test, Truth
from lars.program import Rule, variables
from lars.seen import Mode, Seen, UnsupportedFormulaError, seen
from lars.terms import Atom, Number, Signature, Term, Variable, signature
from lars.windows import Bounds, SlidingWindow, Ties, TimeWindow, TupleWindow, Window

FIRST_TERM: Final = 10**9
"""The number of the first term: numbers of the logic, which stay themselves, lie below it."""


class InexpressibleError(LarsError):
    """A construct that no engine's language has; `exporting` says where it stands."""


class ExportError(LarsError):
    """A construct that an engine cannot express, with its rule and the number of its body literal."""

    def __init__(self, engine: str, construct: str, rule: Rule, part: int | None = None) -> None:
        super().__init__(f"{engine} cannot express {construct}\n  in the rule {rule}")
        self.rule = rule
        self.part = part


@contextmanager
def exporting(engine: str, rule: Rule, part: int | None = None) -> Iterator[None]:
    """Say of what is refused inside in which rule and body literal it stands."""
    try:
        yield
    except InexpressibleError as refused:
        raise ExportError(engine, str(refused), rule, part) from None


@dataclass(frozen=True, slots=True)
class Reasoner:
    """What tells engines apart.

    Body atoms can hold `constants`, and a variable twice; it `divides` integers, rounding down;
    `unstratified` programs have answers; a window sees `derived` atoms as LARS says: those of this
    evaluation only.
    """

    name: str
    constants: bool
    divides: bool
    unstratified: bool
    derived: bool


@dataclass(frozen=True, slots=True)
class Look:
    """The literal ⊞^w ★ a, or its negation; a window of time is closed, with d = 1 and u = 0."""

    atom: Atom
    mode: Mode = Mode.NOW
    time: Variable | Number | None = None
    window: TimeWindow | TupleWindow | None = None
    positive: bool = True

    def variables(self) -> frozenset[Variable]:
        """Return the variables of the atom and its time."""
        return variables(self.atom) | variables(self.time)


@dataclass(frozen=True, slots=True)
class Computed:
    """result = left operator right, on numbers; both sides have a value before the result has."""

    result: Variable
    operator: Operator
    left: Variable | Number
    right: Variable | Number


@dataclass(frozen=True, slots=True)
class Compared:
    """A relation between two terms; <, ≤, >, ≥ between two numbers."""

    left: Term
    relation: Relation
    right: Term


Part = Look | Computed | Compared


@dataclass(frozen=True, slots=True)
class PlainRule:
    """A rule as the engines know it; `source` is the one it says, `time` that of @ in its head.

    A `hidden` one defines an auxiliary predicate that the program does not have.
    """

    source: Rule
    head: Atom | None
    time: Variable | None
    body: tuple[Part, ...]
    hidden: bool = False


def look(literal: Formula | Test | Assign | Gathered) -> Look | None:
    """Return a body's formula as a look; None when it always holds. Raises InexpressibleError."""
    if isinstance(literal, Gathered):
        raise InexpressibleError(f"{literal}: no literal there is about all instances of an atom")
    if isinstance(literal, Test | Assign):
        raise InexpressibleError(f"the SPARQL condition {literal}: it looks at values, terms are numbers")
    form = _form(literal)
    window = None if form.window is None else _shown(form.window, form.mode)
    if form.window is None and form.mode is not Mode.NOW:
        raise InexpressibleError(f"{form.mode.value} without a window: {literal}")
    if form.mode is Mode.UNLESS:
        raise InexpressibleError(f"¬ between @ and its atom: {literal}")
    if not isinstance(form.atom, Truth):
        return Look(form.atom, form.mode, form.time, window, form.positive)
    if form.positive and form.mode is not Mode.AT and not isinstance(window, TupleWindow):
        return None
    raise InexpressibleError(f"the constant true here: {literal}")


def _form(formula: Formula) -> Seen:
    try:
        return seen(formula)
    except UnsupportedFormulaError as nested:
        raise InexpressibleError(f"{nested.construct}: {nested.formula}") from None


def _shown(window: Window, mode: Mode) -> TimeWindow | TupleWindow | None:
    match window:
        case TimeWindow(past, future, step, ends):
            if past is None:
                raise InexpressibleError(f"the window {window}, which has no length")
            if future or step > 1:
                raise InexpressibleError(f"the window {window}: there a window ends at the time itself")
            if past and ends is Bounds.HIGH_OPEN:
                raise InexpressibleError(f"the window {window}: there a window contains the time itself")
            # The window contains the time itself, so that a ⊞ without ◇, □ or @ says nothing.
            return None if mode is Mode.NOW else TimeWindow(past - bool(past and ends is Bounds.LOW_OPEN))
        case SlidingWindow():
            raise InexpressibleError(f"the window {window}: there a window has one length at all times")
        case TupleWindow(_, source, ties, by):
            if source is not None:
                raise InexpressibleError(f"the window {window}: there tuples of all streams count")
            if ties is not Ties.ARRIVAL or by is not None:
                raise InexpressibleError(
                    f"the window {window}: accepted is ⊞^#n, whose ties the last to arrive win"
                )
            if mode is Mode.EVERY:
                raise InexpressibleError(f"□ in {window}: it is true of an empty window here, false there")
            if mode is Mode.NOW:
                raise InexpressibleError(f"{window} without ◇ or @")
            return window


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a program's atoms come from: what rules derive, what facts give; all else is input."""

    derived: frozenset[Signature]
    given: frozenset[Signature]
    stratified: bool

    def check(self, found: Look, engine: Reasoner) -> None:
        """Raise InexpressibleError where the engine's windows see such an atom otherwise than LARS."""
        predicate = signature(found.atom)
        name = f"{Atom(predicate[0])}/{predicate[1]}"
        if found.window is None or predicate not in self.derived | self.given:
            return
        if isinstance(found.window, TupleWindow):
            raise InexpressibleError(f"{found.window} over {name}: what is derived or given is no tuple")
        if predicate in self.given and found.mode is not Mode.SOME:
            raise InexpressibleError(
                f"{found.mode.value} over {name}: its facts hold at every time here, at the last one there"
            )
        if not engine.derived:
            raise InexpressibleError(
                f"{found.window} over {name}, which is derived or given: there windows keep what was derived "
                "earlier, here each time point derives anew"
            )
        if found.mode is Mode.EVERY and not self.stratified:
            raise InexpressibleError(f"□ over the derived {name} in a program that is not stratified")
