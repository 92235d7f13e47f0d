"""What Ticker knows of a body literal: ⊞^n ★ a at one atom, or a refusal by name."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, count
from typing import Final

from lars.analysis import LiteralForm, Mode, UnsupportedFormulaError, literal_form
from lars.errors import LarsError
from lars.language.formulas import Assign, Comparison, Formula, SetLiteral, Test
from lars.language.program import Rule, variables
from lars.language.terms import Atom, Signature, Variable, signature
from lars.language.windows import Bounds, Ties, TimeWindow, TupleWindow, Window


class Reasoner(StrEnum):
    """The two reasoners that Ticker has; each has faults of its own."""

    CLINGO = "clingo"
    INCREMENTAL = "incremental"


@dataclass(frozen=True, slots=True)
class TickerInput:
    """The input at each time point from 0 to the last, in arrival order; `last` is None where none is known.

    `single`: at each of these times the program without its constraints has one answer stream. Of
    several Ticker shows one, of none nothing.
    """

    atoms: Mapping[int, tuple[Atom, ...]]
    last: int | None
    single: bool = False

    @property
    def size(self) -> int | None:
        """How many atoms there are, each at its time; None where none is known."""
        return None if self.last is None else sum(map(len, self.atoms.values()))

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input."""
        return frozenset(map(signature, chain.from_iterable(self.atoms.values())))


UNKNOWN: Final = TickerInput({}, None)
"""What is exported without its input."""
_LONGEST: Final = 2**31 - 1
"""So many time points Ticker's windows can have: beyond, it counts from below zero."""


class InexpressibleError(LarsError):
    """A construct that Ticker's language does not have; `exporting` says where it stands."""


class ExportError(LarsError):
    """A construct that Ticker cannot express, with its rule and the number of its body literal."""

    def __init__(self, construct: str, rule: Rule, part: int | None = None) -> None:
        super().__init__(f"Ticker cannot express {construct}\n  in the rule {rule}")
        self.rule = rule
        self.part = part


@contextmanager
def exporting(rule: Rule, part: int | None = None) -> Iterator[None]:
    """Say of what is refused inside in which rule and body literal it stands."""
    try:
        yield
    except InexpressibleError as refused:
        raise ExportError(str(refused), rule, part) from None


def fresh_name(name: str, taken: frozenset[str]) -> str:
    """Return the name, with a number where it is taken."""
    return next(new for n in count(1) if (new := name if n == 1 else f"{name}{n}") not in taken)


def hidden_names(taken: frozenset[str]) -> Iterator[str]:
    """Return names of auxiliary predicates, none of which is taken."""
    return (name for n in count(1) if (name := f"aux{n}") not in taken)


def variables_of(part: LiteralForm | Comparison) -> frozenset[Variable]:
    """Return the variables of a literal's atom and time, or of a comparison."""
    return variables(part.atom) | variables(part.time) if isinstance(part, LiteralForm) else variables(part)


def ticker_literal(
    literal: Formula | Test | Assign | SetLiteral, reasoner: Reasoner, met: TickerInput
) -> LiteralForm | None:
    """Return a body's formula at one atom, with a window of Ticker; None when it always holds.

    A window of time is closed, with d = 1 and u = 0, and of length 0 under @ alone; no window is
    longer than the input that is known. Raises InexpressibleError.
    """
    if isinstance(literal, SetLiteral):
        raise InexpressibleError(f"{literal}: no literal there is about all instances of an atom")
    if isinstance(literal, Test | Assign):
        raise InexpressibleError(
            f"the SPARQL condition {literal}: it looks at values, terms are numbers; "
            "`lars export` decides it for the terms of a trace"
        )
    form = _form(literal)
    if form.mode is Mode.AT and not isinstance(form.atom, Atom):
        raise InexpressibleError(f"the constant true here: {literal}")
    window = None if form.window is None else _size(form.window, form.mode, reasoner, met)
    if form.window is None and form.mode is not Mode.NOW:
        raise InexpressibleError(f"{form.mode.value} without a window: {literal}")
    if form.mode is Mode.UNLESS:
        raise InexpressibleError(f"¬ between @ and its atom: {literal}")
    if isinstance(form.atom, Atom):
        return replace(form, window=window, mode=Mode.NOW if window is None else form.mode)
    if form.positive and not isinstance(window, TupleWindow):
        return None
    raise InexpressibleError(f"the constant true here: {literal}")


def _form(formula: Formula) -> LiteralForm:
    try:
        return literal_form(formula)
    except UnsupportedFormulaError as nested:
        raise InexpressibleError(f"{nested.construct}: {nested.formula}") from None


def _size(
    window: Window, mode: Mode, reasoner: Reasoner, met: TickerInput
) -> TimeWindow | TupleWindow | None:
    match window:
        case TimeWindow():
            return _time_window(window, mode, met)
        case TupleWindow(size, source, ties, by):
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
            # The reasoner clingo shows one tuple more than the window says.
            most = None if met.size is None else met.size + 2
            number = _bounded(window, size, most) - (reasoner is Reasoner.CLINGO)
            if number < 1:
                raise InexpressibleError(
                    f"the window {window}: the least that it shows there is {size - number + 1}"
                )
            return TupleWindow(number)
        case _:
            raise InexpressibleError(f"the window {window}: there a window has one length at all times")


def _bounded(window: Window, length: int, most: int | None) -> int:
    """Return the length, no more than `most`: Ticker makes a rule for each place in a window."""
    if most is None and length > _LONGEST:
        raise InexpressibleError(f"the window {window}: there a window has at most {_LONGEST}")
    return length if most is None else min(length, most)


def _time_window(window: TimeWindow, mode: Mode, met: TickerInput) -> TimeWindow | None:
    if window.past is None:
        raise InexpressibleError(f"the window {window}, which has no length")
    if window.future or window.step > 1:
        raise InexpressibleError(f"the window {window}: there a window ends at the time itself")
    if window.past and window.ends is Bounds.HIGH_OPEN:
        raise InexpressibleError(f"the window {window}: there a window contains the time itself")
    length = _bounded(window, -(window.offsets[0] or 0), met.last)
    # The window contains the time itself, so that a ⊞ without ◇, □ or @ says nothing.
    if mode is Mode.NOW or (length == 0 and mode in {Mode.SOME, Mode.EVERY}):
        return None
    return TimeWindow(length)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a program's atoms come from: what rules derive, what facts give; all else is input.

    `known_input` is the input that is known, `names` those of all their predicates.
    """

    derived: frozenset[Signature]
    facts: frozenset[Signature]
    known_input: TickerInput
    names: frozenset[str]

    @property
    def input(self) -> frozenset[Signature]:
        """The predicates of the input that is known."""
        return self.known_input.signatures()

    @property
    def mixed(self) -> frozenset[Signature]:
        """What facts give, and rules or the input too."""
        return self.facts & (self.derived | self.input)

    def without_needless_window(self, form: LiteralForm) -> LiteralForm:
        """Return the literal, where facts alone give its atom without its window.

        Raises InexpressibleError where Ticker's windows see such an atom otherwise than LARS.
        """
        assert isinstance(form.atom, Atom)
        predicate = signature(form.atom)
        name = f"{Atom(predicate[0])}/{predicate[1]}"
        if isinstance(form.window, TupleWindow) and self.facts & self.input:
            raise InexpressibleError("a tuple window: input that facts give too counts there, and not here")
        if form.window is None or predicate not in self.derived | self.facts:
            return form
        if isinstance(form.window, TupleWindow):
            raise InexpressibleError(f"a tuple window over {name}: what is derived or given is no tuple")
        if predicate in self.facts and form.mode is not Mode.SOME:
            raise InexpressibleError(
                f"{form.mode.value} over {name}: its facts hold at every time here, at no other there"
            )
        if predicate in self.facts - self.mixed:
            return replace(form, window=None, mode=Mode.NOW)
        return form
