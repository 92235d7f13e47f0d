"""Search with clingo for triples and arrival times for which two programs differ in one period.

The search tries the numbers of arrivals 0, 1, 2 and so on. For each number, it scales time, so that long
windows have few time points. The number of rule instances is computed before grounding, because clingo cannot
be stopped during grounding.

The best stream has the fewest static atoms, then the earliest end of the period, then the earliest arrivals.
A series of decision problems finds the best stream, not a single optimization. A sum of times is hard for a
solver, and clauses learned in one decision help the next decision.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import merge
from itertools import chain, count, pairwise
from operator import attrgetter
from typing import Final

import clingo

from lars.analysis import windows, with_windows
from lars.elimination import with_fewer_variables
from lars.errors import TimeLimitError
from lars.language.terms import Variable, signature
from lars.language.windows import NOW, Interval, TupleWindow
from solver.deadlines import NEVER, Deadline
from solver.facts import Multiples, Situation, with_facts
from solver.job import Question
from solver.pointwise import Host, RuleNames, call, predicate_name
from solver.pointwise.asp_terms import symbol_of
from solver.relational import encode, ground_instances, obstacle
from solver.search import contests
from solver.search.frames import PeriodFrame, frames, scale_of, scale_program
from solver.search.timed_encoding import TimedEncoding, background_name, candidate
from solver.search.trying import fact_of, moved_back, with_atoms
from solver.settings import Progress, no_progress

Atoms = Sequence[clingo.Symbol]
"""The chosen atoms: arrives(I,T) if triple I arrives at T, and given(J) if static triple J is chosen."""
Assumptions = list[tuple[clingo.Symbol, bool]]


def arrivals(atoms: Atoms) -> list[tuple[int, int]]:
    """Return the arrivals in the atoms that clingo chose, as pairs (number of a triple, arrival time)."""
    return [
        (symbol.arguments[0].number, symbol.arguments[1].number)
        for symbol in atoms
        if symbol.match("arrives", 2)
    ]


def static_numbers(atoms: Atoms) -> list[int]:
    """Return the numbers of the static triples among the atoms that clingo chose."""
    return sorted(symbol.arguments[0].number for symbol in atoms if symbol.match("given", 1))


def _more(value: int) -> clingo.Symbol:
    return clingo.Function("more", [clingo.Number(value)])


def _arrives(number: int, t: int) -> clingo.Symbol:
    return clingo.Function("arrives", [clingo.Number(number), clingo.Number(t)])


_FEW_INSTANCES: Final = 200_000
"""The maximum number of rule instances with which the programs are grounded unchanged."""
_MOST_INSTANCES: Final = 10_000_000
_INSTANCES_A_SECOND: Final = 500_000
"""The minimum number of rule instances that clingo lists per second."""


def grounded_in_time(
    contest: contests.Contest, candidates: contests.Candidates, points: int, arrivals: int, deadline: Deadline
) -> contests.Contest:
    """Return a contest whose programs have few enough rule instances at `points` evaluation times.

    The result has the programs of the given contest, or equivalent programs with fewer variables.

    Raises:
        StoppedSearchError: The given and the equivalent programs have too many rule instances.
    """
    most = int(min(_MOST_INSTANCES, deadline.left * _INSTANCES_A_SECOND)) // max(points, 1)
    few = min(most, _FEW_INSTANCES // max(points, 1))
    if _instances(contest, candidates, few) <= few:
        return contest
    left, right = (_narrowed(side, candidates) for side in (contest.left, contest.right))
    narrowed = replace(contest, left=left, right=right)
    if _instances(narrowed, candidates, most) > most:
        raise contests.StoppedSearchError(arrivals, contests.TOO_LARGE)
    return narrowed


def _check_tuple_windows(
    contest: contests.Contest,
    candidates: contests.Candidates,
    every: Iterable[PeriodFrame],
    arrivals: int,
    deadline: Deadline,
) -> None:
    """Raise StoppedSearchError if tuple windows must compare too many pairs of arrivals before the deadline.

    At each evaluation, a tuple window compares each possible arrival with all newer arrivals.
    """
    shown = [
        (sum(map(window.counts, candidates.arrivals)), isinstance(side.gate, Multiples))
        for side in (contest.left, contest.right)
        for window in set(windows(side.program))
        if isinstance(window, TupleWindow)
    ]
    pairs = sum(
        (number * frame.end) ** 2 // 2 * (1 if at_end else frame.end - frame.start)
        for number, at_end in shown
        for frame in every
    )
    if pairs > max(_FEW_INSTANCES, deadline.left * _INSTANCES_A_SECOND):
        raise contests.StoppedSearchError(arrivals, contests.TOO_LARGE)


def _narrowed(side: Question, candidates: contests.Candidates) -> Question:
    assert side.predicate is not None, "answer streams are not compared"
    atoms = frozenset(with_atoms(candidates.background, candidates.static))
    return replace(side, program=with_fewer_variables(side.program, side.predicate, atoms))


def _instances(contest: contests.Contest, candidates: contests.Candidates, most: int) -> int:
    """Return the number of rule instances at a time point at which all triples are present."""
    facts = [fact_of(0, atom) for atom in candidates.arrivals]
    background = with_atoms(candidates.background, candidates.static)
    here = encode(Situation(Interval(0, 0), facts, background))
    number = 0
    for program in (with_windows(program, lambda _: NOW) for program in contest.programs):
        if number <= most and obstacle(program, background) is None:
            number += ground_instances(program, here, [0], most - number)
    return number


_LEFT: Final = "l'"
_RIGHT: Final = "r'"


def chosen_streams(
    contest: contests.Contest,
    candidates: contests.Candidates,
    sizes: range,
    deadline: Deadline = NEVER,
    progress: Progress = no_progress,
) -> Iterator[contests.ChosenStream]:
    """Yield all streams with the given numbers of arrivals on which the two sides differ, smallest first.

    Raises:
        StoppedSearchError: The search stops before it has tried all streams with these numbers of arrivals.
        UncoveredError: The programs contain a construct that the ASP encoding does not support.
    """
    for size in sizes:
        progress(size, sizes.stop)
        scale = scale_of(contest.programs, contest.period, size)
        programs = [scale_program(program, scale) for program in contest.programs]
        every = tuple(frames(programs, contest.compared_period, size, scale, again=contest.looks_back))
        points = sum(frame.end for frame in every)
        if deadline.is_over:
            raise contests.StoppedSearchError(size, contests.TIME_IS_UP)
        _check_tuple_windows(contest, candidates, every, size, deadline)
        narrowed = grounded_in_time(contest, candidates, points, size, deadline)
        searches = (FrameSearch(narrowed, candidates, frame, size, deadline).streams() for frame in every)
        # Each frame yields its own streams by rising cost; the smallest of all may be in any frame.
        yield from merge(*searches, key=attrgetter("cost"))


class FrameSearch:
    """The search for streams with a given number of arrivals in one frame, with one ground program.

    A frame is a period together with the range of its windows. The field `choices` contains the choices of
    arrivals and static triples found so far; the last one is the best.
    """

    def __init__(
        self,
        contest: contests.Contest,
        candidates: contests.Candidates,
        frame: PeriodFrame,
        arrivals: int,
        deadline: Deadline,
    ) -> None:
        self._frame, self._arrivals, self._deadline = frame, arrivals, deadline
        self._candidates, self._every = candidates, range(len(candidates.arrivals))
        # As rules, the count of arrivals makes hundreds of times fewer conflicts.
        self._control = clingo.Control(["--warn=none", "--trans-ext=card"])
        self._fixed: Assumptions = []
        self._limits: set[int] = set()
        self.choices: list[Atoms] = []
        programs = [scale_program(program, frame.scale) for program in contest.programs]
        values = {name: rows for name, rows in candidates.background.items() if rows}
        background = frozenset((*values, *map(signature, candidates.static)))
        sides: list[TimedEncoding] = []
        for number, question in enumerate((contest.left, contest.right)):
            encoding = TimedEncoding(
                programs[number],
                background,
                question=question,
                kind=contest.kinds[number],
                back=contest.looks_back,
                mark=(_LEFT, _RIGHT)[number],
                numbered=sum(len(side.conditions) for side in sides),
            )
            sides.append(encoding)
        self._times = list(self._representative(sides))
        self._text = "\n".join(self._lines(sides, contest))
        self._facts = [
            (predicate, row)
            for program in programs
            for predicate, rows in with_facts(program, candidates.background).items()
            for row in rows
        ]
        self._host = Host(sides[0].hosted | sides[1].hosted, {}, {})

    def _representative(self, sides: Sequence[TimedEncoding]) -> Iterator[int]:
        """Yield enough times for arrivals: in each part of the frame, one time for each arrival.

        A part begins at an evaluation, at the border of a window, or at a time from which the frame can be
        moved once more. Within a part, only the order of the arrivals matters.
        """
        times, step = self._frame.times, self._frame.step
        borders = chain(range(0, times.last + 1, step), *(side.borders(self._frame) for side in sides))
        inside = {border for border in borders if border in times}
        for first, end in pairwise(sorted({*inside, times.first, times.last + 1})):
            yield from range(first, min(end, first + self._arrivals))

    def _lines(self, sides: Sequence[TimedEncoding], contest: contests.Contest) -> Iterator[str]:
        frame = self._frame
        yield f"time({';'.join(map(str, self._times))})."
        names = RuleNames()
        for number, atom in enumerate(self._candidates.arrivals):
            yield f"{{arrives({number},T) : time(T)}}."
            yield f"{call(predicate_name(atom.predicate), [*names.terms(atom), 'T'])} :- arrives({number},T)."
            yield f"{candidate(str(number), names.terms(atom))}."
        for number, atom in enumerate(self._candidates.static):
            yield f"{{given({number})}}."
            yield f"{call(background_name(signature(atom)), names.terms(atom))} :- given({number})."
        yield f":- not {self._arrivals} = #count{{I,T : arrives(I,T)}}."
        for side in sides:
            yield from side.lines(frame)
        yield from _difference(sides, contained=contest.contained)
        if contest.same_input:
            yield from self._same_input(sides)
        yield "#defined given/1. #defined arrives/2."

    def _same_input(self, sides: Sequence[TimedEncoding]) -> Iterator[str]:
        """Yield ASP rules which require that the windows of both sides contain the same triples."""
        for one, other in ((_LEFT, _RIGHT), (_RIGHT, _LEFT)):
            yield f":- {one}saw(I); not {other}saw(I)."
        for side in sides:
            yield from side.plain_windows(self._frame)
            for window, atom in side.windowed_atoms:
                place, stream = side.windows[window], atom.arguments[-1]
                for number, arriving in enumerate(self._candidates.arrivals):
                    if isinstance(stream, Variable) or stream == arriving.arguments[-1]:
                        seen = f"arrives({number},U); {side.mark}plain({place},T,A,B); A <= U; U <= B"
                        if isinstance(window, TupleWindow):
                            # Its content has no ends in time: it is what the evaluation itself keeps.
                            seen = f"{side.mark}kept({place},{number},T)"
                        yield f"{side.mark}saw({number}) :- {seen}; {side.mark}evaluated(T)."
        yield f"#defined {_LEFT}saw/1. #defined {_RIGHT}saw/1."

    def streams(self) -> Iterator[contests.ChosenStream]:
        """Yield the streams in the frame on which the sides differ, smallest first."""
        control = self._control
        control.add("base", [], self._text)
        with control.backend() as backend:
            for predicate, row in self._facts:
                atom = backend.add_atom(
                    clingo.Function(background_name(predicate), list(map(symbol_of, row)))
                )
                backend.add_rule([atom])
        control.ground([("base", [])], context=self._host)
        for number in count():
            try:
                symbols = self.best()
            except TimeLimitError:
                best = self._stream(self.choices[-1]) if self.choices else None
                raise contests.StoppedSearchError(self._arrivals, contests.TIME_IS_UP, best) from None
            if symbols is None:
                return
            yield self._stream(symbols)
            # Another one: not these arrivals with these static atoms and no other ones.
            known = "; ".join(
                (*map(str, symbols), f"{len(static_numbers(symbols))} = #count{{J : given(J)}}")
            )
            control.add(f"known{number}", [], f":- {known}.")
            control.ground([(f"known{number}", [])])

    def best(self) -> Atoms | None:
        """Return the best choice of arrivals and static triples, as atoms; None if no choice exists.

        Raises:
            TimeLimitError: The deadline has passed.
        """
        self._fixed, self.choices = [], []
        if not self._is_solved([]):
            return None
        given = range(len(self._candidates.static) + 1)
        self._improve(given, lambda atoms: len(static_numbers(atoms)), self._few)
        moves = range(self._frame.moves(self._frame.end) + 1)
        self._improve(moves, self._moves, self._later)
        self._improve_last(self._every)
        # What arrives is settled now, the last of it as early as can be: so let each in turn be.
        settled = sorted({number for number, _ in arrivals(self.choices[-1])})
        self._fixed += self._absent((place for place in self._every if place not in settled), self._times)
        for number in settled:
            self._improve_last([number])
        return self.choices[-1]

    def _few(self, value: int) -> Assumptions:
        """Return the assumption that the choice has at most `value` static triples."""
        # Each limit is a rule whose size, times the limit, clingo needs: of a thousand triples not all fit.
        if value not in self._limits:
            self._limits.add(value)
            name = f"more{value}"
            self._control.add(name, [], f"more({value}) :- {value + 1} <= #count{{J : given(J)}}.")
            self._control.ground([(name, [])])
        return [(_more(value), False)]

    def _improve_last(self, numbers: Sequence[int]) -> None:
        """Make the last arrival of the chosen triples as early as possible."""

        def last(atoms: Atoms) -> int:
            return max((t for number, t in arrivals(atoms) if number in numbers), default=0)

        def earlier(value: int) -> Assumptions:
            return self._absent(numbers, (t for t in self._times if t > value))

        self._improve([0, *(t for t in self._times if t)], last, earlier)

    def _moves(self, atoms: Atoms) -> int:
        """Return the number of steps by which the chosen stream could be moved to an earlier period."""
        frame = self._frame
        earliest = min((t for _, t in arrivals(atoms)), default=frame.end)
        return frame.moves(frame.end) - frame.moves(earliest)

    def _later(self, value: int) -> Assumptions:
        frame = self._frame
        first = (frame.moves(frame.end) - value) * frame.step
        return self._absent(self._every, (t for t in self._times if 1 <= t < first))

    def _improve(
        self, values: Sequence[int], value_of: Callable[[Atoms], int], limited: Callable[[int], Assumptions]
    ) -> None:
        """Search for a choice with the least value, and require this value in later searches.

        The argument `values` contains the possible values, ascending. The function `limited` returns clingo
        assumptions that bound the value from above.
        """
        low, high = 0, bisect_left(values, value_of(self.choices[-1]))
        while low < high:
            middle = (low + high) // 2
            if self._is_solved(limited(values[middle])):
                high = bisect_left(values, value_of(self.choices[-1]))
            else:
                low = middle + 1
        self._fixed += limited(values[high])

    def _absent(self, numbers: Iterable[int], times: Iterable[int]) -> Assumptions:
        listed = list(times)
        return [(_arrives(number, t), False) for number in numbers for t in listed]

    def _is_solved(self, assumed: Assumptions) -> bool:
        """Return whether a choice exists under the assumptions; if so, append the choice to `choices`."""

        def keep(model: clingo.Model) -> None:
            symbols = model.symbols(atoms=True)
            self.choices.append([symbol for symbol in symbols if symbol.name in ("arrives", "given")])

        with self._control.solve(assumptions=[*self._fixed, *assumed], on_model=keep, async_=True) as handle:
            # A signal is heard only between two waits.
            while not handle.wait(min(self._deadline.left, _WAIT)):
                if self._deadline.is_over:
                    handle.cancel()
                    raise TimeLimitError("the time is up")
            return bool(handle.get().satisfiable)

    def _stream(self, atoms: Atoms) -> contests.ChosenStream:
        arrived = tuple(sorted((t, number) for number, t in arrivals(atoms)))
        static = tuple(self._candidates.static[number] for number in static_numbers(atoms))
        return moved_back(self._frame, arrived, self._candidates, static)


_WAIT: Final = 0.2
"""The number of seconds of a search between two checks of signals and of the deadline."""


def _difference(sides: Sequence[TimedEncoding], *, contained: bool) -> Iterator[str]:
    left = sides[0]
    assert left.question.predicate is not None
    row = [f"X{i}" for i in range(left.question.predicate[1])]
    one, other = (call(f"{side.mark}reports", row) for side in sides)
    yield f"differs :- {one}; not {other}."
    if not contained:
        yield f"differs :- {other}; not {one}."
    yield ":- not differs."
