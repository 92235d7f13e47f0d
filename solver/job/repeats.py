"""Time points at which a program without @ must answer alike: each distinct situation is evaluated once."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import lcm
from typing import Final

from lars.analysis import reach, windows
from lars.language.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.language.program import Program, formulas
from lars.language.terms import Atom
from lars.language.windows import TimeWindow, TupleWindow
from solver.facts import Row, Situation

_KEPT: Final = 256
"""So many situations are remembered."""


class RepeatedSituations:
    """The rows of situations that were met before, for programs whose answers do not hang on the time.

    Without @ only windows know the time. Where each of them holds ◇ of atoms, or atoms, it matters
    which atoms lie in it, which come now, and in what order; else how far away they are, where the
    timeline ends and where the pivots lie.
    """

    def __init__(self, program: Program) -> None:
        self._kept: dict[Hashable, list[Row]] = {}
        self._windows = sorted(windows(program), key=str)
        self._reach = reach(program)
        bodies = [part for rule in program.rules for part in formulas(rule.body)]
        self._tells_time = any(isinstance(rule.head, At) for rule in program.rules) or any(map(_asks, bodies))
        self._flat = all(map(_is_flat, bodies))
        steps = (one.step for one in self._windows if isinstance(one, TimeWindow))
        self._step = lcm(*steps)
        self._fixed = any(not isinstance(one, TimeWindow) for one in self._windows)

    def rows(self, seen: Situation, t: int, evaluate: Callable[[], Iterable[Row]]) -> Sequence[Row]:
        """Return what `evaluate` finds in a situation at t, found before or now."""
        if self._tells_time or (self._fixed and not self._flat):
            return list(evaluate())
        key = self._flat_key(seen, t) if self._flat else self._key(seen, t)
        if key not in self._kept:
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = list(evaluate())
        return self._kept[key]

    def _flat_key(self, seen: Situation, t: int) -> Hashable:
        shown = [one.bounds(t, seen.timeline) for one in self._windows if not isinstance(one, TupleWindow)]
        ranks = {u: rank for rank, u in enumerate(sorted({fact.t for fact in seen.facts}))}
        facts = tuple(
            (f.predicate, f.arguments, ranks[f.t], (f.t > t) - (f.t < t), *(f.t in one for one in shown))
            for f in seen.facts
        )
        return facts, *((t in one, bool(one)) for one in shown)

    def _key(self, seen: Situation, t: int) -> Hashable:
        past, future = t - seen.timeline.first, seen.timeline.last - t
        ends = (
            past if self._reach.past is None else min(past, self._reach.past),
            future if self._reach.future is None else min(future, self._reach.future),
        )
        facts = tuple((f.t - t, f.predicate, f.arguments) for f in seen.facts)
        return facts, ends, t % self._step


def _asks(part: Formula) -> bool:
    """Whether a formula asks for the time itself."""
    match part:
        case At():
            return True
        case Not(inner) | Diamond(inner) | Box(inner) | In(_, inner):
            return _asks(inner)
        case _:
            return False


def _is_flat(part: Formula) -> bool:
    """Whether a formula is an atom, or ◇ of one, perhaps in a window and under ¬ that stands outside."""
    match part:
        case Not(inner):
            return _is_flat(inner)
        case In(_, inner) | inner:
            return isinstance(inner.inner if isinstance(inner, Diamond) else inner, Atom | Truth)
