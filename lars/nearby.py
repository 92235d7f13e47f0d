"""What a program can see of the input at one reference time, so that the rest can be left out."""

from dataclasses import replace
from math import comb, prod

from lars.formulas import In, Not
from lars.program import Program
from lars.reach import reach, windows, windows_of
from lars.stream import Stream, tie_choices
from lars.windows import Interval, Ties, TupleWindow


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
    shown = Interval(first, last).meet(timeline)
    return replace(data, input={u: atoms for u, atoms in data.input.items() if u in shown}), shown


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
    (kept,) = tie_choices(data, replace(window, ties=Ties.ALL), t)
    return min(kept, default=t)


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
    found: dict[object, tuple[int, int]] = {}
    for u, atoms in sorted(kept.items()):
        for atom in atoms:
            oldest, size = found.get(window.index(atom), (u, 0))
            found[window.index(atom)] = oldest, size + (u == oldest)
    return {index: size for index, (_, size) in found.items()}
