"""What one body literal looks at: ⊞^w ★ a, brought into a form in which ¬ stands outside ★."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from lars.errors import LarsError
from lars.language.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.language.terms import Atom, Number, Variable
from lars.language.windows import Window


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
