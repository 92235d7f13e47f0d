"""The best of many streams: fewest static atoms, then the shortest horizon, then the earliest arrivals.

Each is a row of decisions, is there a stream with less?, and not one optimisation: a sum of times is hard
for a solver, while what is forbidden in a decision makes the next one easier.
"""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic

import clingo

from solver.search.frames import PeriodFrame

Atoms = Sequence[clingo.Symbol]
"""What was chosen: arrives(I,T), candidate I at T, and given(J), static candidate J."""
Assumptions = list[tuple[clingo.Symbol, bool]]


class BestSoFarError(Exception):
    """The time is up; `best` is the best choice so far."""

    def __init__(self, best: Atoms | None) -> None:
        super().__init__()
        self.best = best


class Improver:
    """Finds the best choice of a ground program; `candidates` is how many can arrive in a frame."""

    def __init__(
        self, control: clingo.Control, frame: PeriodFrame, candidates: int, until: float | None
    ) -> None:
        self._control, self._frame, self._until = control, frame, until
        self._every = range(candidates)
        self._fixed: Assumptions = []

    def best(self) -> Atoms | None:
        """Return the best choice, None when there is none; raises ClockStoppedError."""
        self._fixed = []
        best = self._solved([], None)
        if best is None:
            return None
        best = self._least(best, _given, lambda value: [(_more(value), False)])
        best = self._least(best, self._moves, self._later)
        best = self._earlier(best, self._every)
        # What arrives is settled now, the last of it as early as can be: so let each in turn be.
        settled = sorted({number for number, _ in arrivals(best)})
        self._fixed += self._absent((one for one in self._every if one not in settled), self._frame.times)
        for number in settled:
            best = self._earlier(best, [number])
        return best

    def _earlier(self, best: Atoms, numbers: Sequence[int]) -> Atoms:
        end = self._frame.end

        def last(atoms: Atoms) -> int:
            return max((t for number, t in arrivals(atoms) if number in numbers), default=0)

        return self._least(best, last, lambda value: self._absent(numbers, range(value + 1, end + 1)))

    def _moves(self, atoms: Atoms) -> int:
        """Return by how many moves the period is later than it could be, were nothing in the way."""
        frame = self._frame
        earliest = min((t for _, t in arrivals(atoms)), default=frame.end)
        return frame.moves(frame.end) - frame.moves(earliest)

    def _later(self, value: int) -> Assumptions:
        frame = self._frame
        return self._absent(self._every, range(1, (frame.moves(frame.end) - value) * frame.step))

    def _least(
        self, best: Atoms, value_of: Callable[[Atoms], int], limited: Callable[[int], Assumptions]
    ) -> Atoms:
        """Return a choice with the least value, which is then fixed."""
        low, high = 0, value_of(best)
        while low < high:
            middle = (low + high) // 2
            found = self._solved(limited(middle), best)
            if found is None:
                low = middle + 1
            else:
                best, high = found, value_of(found)
        self._fixed += limited(high)
        return best

    def _absent(self, numbers: Iterable[int], times: Iterable[int]) -> Assumptions:
        listed = list(times)
        return [(_arrives(number, t), False) for number in numbers for t in listed]

    def _solved(self, assumed: Assumptions, best: Atoms | None) -> Atoms | None:
        found: list[Atoms] = []

        def keep(model: clingo.Model) -> None:
            found.append([one for one in model.symbols(atoms=True) if one.name in ("arrives", "given")])

        with self._control.solve(assumptions=[*self._fixed, *assumed], on_model=keep, async_=True) as handle:
            left = None if self._until is None else max(0.0, self._until - monotonic())
            if not handle.wait(left):
                handle.cancel()
                raise BestSoFarError(best)
            handle.get()
        return found[-1] if found else None


def arrivals(atoms: Atoms) -> list[tuple[int, int]]:
    """Return what arrives, by its number, and when."""
    return [(one.arguments[0].number, one.arguments[1].number) for one in atoms if one.match("arrives", 2)]


def static_numbers(atoms: Atoms) -> list[int]:
    """Return the static candidates that are chosen, by their numbers."""
    return sorted(one.arguments[0].number for one in atoms if one.match("given", 1))


def _given(atoms: Atoms) -> int:
    return len(static_numbers(atoms))


def _more(value: int) -> clingo.Symbol:
    return clingo.Function("more", [clingo.Number(value)])


def _arrives(number: int, t: int) -> clingo.Symbol:
    return clingo.Function("arrives", [clingo.Number(number), clingo.Number(t)])
