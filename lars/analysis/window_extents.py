"""What the literals of a program look at: their forms, windows, and how far these reach around a time.

A literal ⊞^w ★ a is brought into a form in which ¬ stands outside ★.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import comb, prod
from typing import Final, assert_never

from lars.errors import LarsError
from lars.language.formulas import (
    At,
    BodyLiteral,
    Box,
    Condition,
    Diamond,
    Formula,
    In,
    Not,
    SetLiteral,
    Truth,
)
from lars.language.program import Program, Rule
from lars.language.stream import Stream, tie_choices
from lars.language.terms import Atom, Number, Variable
from lars.language.windows import Interval, IntervalWindow, Ties, TupleWindow, Window


class Mode(Enum):
    """How the atom's time point relates to the window's interval T'.

    NOW: at the reference time; SOME: ◇; EVERY: □; AT: @_t; UNLESS: t lies outside T', or at t
    (what ¬@_t¬ says).
    """

    NOW = ""
    SOME = "◇"
    EVERY = "□"
    AT = "@"
    UNLESS = "¬@¬"


_DUAL: Final = {
    Mode.NOW: Mode.NOW,
    Mode.SOME: Mode.EVERY,
    Mode.EVERY: Mode.SOME,
    Mode.AT: Mode.UNLESS,
    Mode.UNLESS: Mode.AT,
}


@dataclass(frozen=True, slots=True)
class LiteralForm:
    """A literal ⊞^w ★ a or its negation; without a window ★ ranges over the whole timeline.

    As a formula holds one atom, it is monotone in it, or antimonotone when not `positive`.
    """

    atom: Atom | Truth
    mode: Mode = Mode.NOW
    time: Variable | Number | None = None
    window: Window | None = None
    positive: bool = True


class UnsupportedFormulaError(LarsError):
    """A formula nested deeper than ⊞^w ★ a; `construct` says what stands in what."""

    def __init__(self, formula: Formula, construct: str) -> None:
        super().__init__(
            f"no encoding for the formula {formula}; covered: at most one window, "
            "then at most one of ◇ □ @, then an atom, with ¬ anywhere"
        )
        self.formula = formula
        self.construct = construct


def literal_form(formula: Formula) -> LiteralForm:
    """Return the literal's form. Raises UnsupportedFormulaError for nested windows or modes.

    >>> form = literal_form(Not(Diamond(Not(Atom("p")))))
    >>> form.mode.value, form.positive
    ('□', True)
    """
    match formula:
        case Atom() | Truth():
            return LiteralForm(formula)
        case Not(inner):
            below = literal_form(inner)
            return replace(below, positive=not below.positive)
        case Diamond(inner):
            return _under(Mode.SOME, None, inner, formula)
        case Box(inner):
            return _under(Mode.EVERY, None, inner, formula)
        case At(time, inner):
            return _under(Mode.AT, time, inner, formula)
        case In(window, inner):
            below = literal_form(inner)
            if below.window is not None:
                raise UnsupportedFormulaError(formula, "a window inside a window")
            return replace(below, window=window)


def _under(mode: Mode, time: Variable | Number | None, inner: Formula, whole: Formula) -> LiteralForm:
    below = literal_form(inner)
    if below.window is not None:
        raise UnsupportedFormulaError(whole, f"{mode.value} around a window")
    if below.mode is not Mode.NOW:
        raise UnsupportedFormulaError(whole, f"{mode.value} around {below.mode.value}")
    return replace(below, mode=mode if below.positive else _DUAL[mode], time=time)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a program's windows can need around an evaluation time, in time points.

    `past` and `future`, at least 0, count from the evaluation time, both ends included; None means
    to the end of the timeline. `tuples` are the tuple windows, whose reach depends on the stream.
    """

    past: int | None
    future: int | None
    tuples: frozenset[TupleWindow]


def windows(program: Program) -> frozenset[Window]:
    """Return every window of the program."""
    return frozenset(
        window for rule in program.rules for literal in rule.body for window in windows_of(literal)
    )


def windows_of(literal: BodyLiteral) -> Iterator[Window]:
    """Yield the windows of a literal, outer ones first."""
    match literal:
        case In(window, inner):
            yield window
            yield from windows_of(inner)
        case Not(inner) | Diamond(inner) | Box(inner) | At(_, inner):
            yield from windows_of(inner)
        case _:
            return


def with_windows(program: Program, change: Callable[[Window], Window]) -> Program:
    """Return the program with each window replaced by what `change` gives for it."""

    def changed(literal: BodyLiteral) -> BodyLiteral:
        return literal if isinstance(literal, Condition | SetLiteral) else _with_windows(literal, change)

    return Program(tuple(Rule(rule.head, tuple(map(changed, rule.body))) for rule in program.rules))


def _with_windows(formula: Formula, change: Callable[[Window], Window]) -> Formula:
    match formula:
        case In(window, inner):
            return In(change(window), _with_windows(inner, change))
        case Not(inner) | Diamond(inner) | Box(inner) | At(_, inner):
            return replace(formula, inner=_with_windows(inner, change))
        case Atom() | Truth():
            return formula
        case _:
            assert_never(formula)


def reach(program: Program) -> Reach:
    """Return how far around an evaluation time the program can look; nested windows add up.

    A formula ◇ □ @ outside every window looks at the whole timeline: both ends None.
    """
    extents = [_extent(literal, inside=False) for rule in program.rules for literal in rule.body]
    pasts, futures = [past for past, _ in extents], [future for _, future in extents]
    return Reach(
        None if None in pasts else max((past for past in pasts if past is not None), default=0),
        None if None in futures else max((0, *(ahead for ahead in futures if ahead is not None))),
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
            back, ahead = window.reach if isinstance(window, IntervalWindow) else (0, 0)
            far = None if past is None or back is None else past + back
            return far, None if future is None else future + ahead
        case _:
            return 0, 0


def nearby(program: Program, data: Stream, t: int) -> tuple[Stream, Interval]:
    """Return the data without the input that no window shows at t, and the interval that they can show.

    The timeline is kept, and so are derived atoms: only what is read shrinks. Outside the interval
    no time of @ in a body makes it true, so times need not be tried there.
    """
    seen = reach(program)
    timeline = data.timeline
    first = timeline.first if seen.past is None or _inner_tuples(program) else t - seen.past
    last = timeline.last if seen.future is None else t + seen.future
    first = min([first, *(_oldest(data, window, t) for window in seen.tuples)])
    interval = Interval(first, last).meet(timeline)
    return replace(data, input={u: atoms for u, atoms in data.input.items() if u in interval}), interval


def _inner_tuples(program: Program) -> bool:
    """Whether a tuple window stands inside another operator, and so is asked at other times than t."""
    for rule in program.rules:
        for literal in rule.body:
            outer = literal
            while isinstance(outer, Not):
                outer = outer.inner
            direct = isinstance(outer, In) and isinstance(outer.window, TupleWindow)
            if sum(isinstance(window, TupleWindow) for window in windows_of(literal)) > direct:
                return True
    return False


def _oldest(data: Stream, window: TupleWindow, t: int) -> int:
    """Return the time of the oldest atom that the window keeps at t; each choice of ties has the same."""
    (atoms,) = tie_choices(data, replace(window, ties=Ties.ALL), t)
    return min(atoms, default=t)


def count_choices(program: Program, data: Stream, t: int) -> int:
    """Return how many choices of ties the program's windows have at t, without making them."""
    return prod(
        _count(data, window, t)
        for window in windows(program)
        if isinstance(window, TupleWindow) and window.ties is Ties.CHOOSE
    )


def _count(data: Stream, window: TupleWindow, t: int) -> int:
    tied, fitting = (_oldest_sizes(data, replace(window, ties=ties), t) for ties in (Ties.ALL, Ties.ARRIVAL))
    return prod(comb(size, fitting[index]) for index, size in tied.items())


def _oldest_sizes(data: Stream, window: TupleWindow, t: int) -> dict[object, int]:
    """Return for each partition how many atoms the window keeps at its oldest instant."""
    (kept,) = tie_choices(data, window, t)
    sizes: dict[object, tuple[int, int]] = {}
    for u, atoms in sorted(kept.items()):
        for atom in atoms:
            oldest, size = sizes.get(window.index(atom), (u, 0))
            sizes[window.index(atom)] = oldest, size + (u == oldest)
    return {index: size for index, (_, size) in sizes.items()}
