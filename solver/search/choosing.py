"""The search: clingo chooses which candidates arrive when, so that two programs differ in one period.

The numbers of arrivals 0, 1, 2 .. are tried one after the other; with n of them time is scaled for n.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from operator import attrgetter
from time import monotonic
from typing import Final, assert_never

import clingo

from lars.program import Program
from lars.terms import Atom, Signature, signature
from solver.facts import Always, Arrivals, Background, Chosen, Fact, Multiples, symbol_of, with_facts
from solver.job import Question
from solver.pointwise import Host, RuleNames, call, predicate_name
from solver.search.contests import Candidates, ChosenStream, Contest, OutOfTimeError, SearchLimits
from solver.search.frames import PeriodFrame, Scale, UncoveredError, frames, scale_of, scaled
from solver.search.timed_encoding import Tables, TimedEncoding, always
from solver.settings import Progress, unwatched

_LEFT: Final = "l'"
_RIGHT: Final = "r'"


def chosen_streams(
    contest: Contest, candidates: Candidates, limits: SearchLimits, progress: Progress = unwatched
) -> Iterator[ChosenStream]:
    """Yield streams on which the sides differ, the smallest first; none is left out up to the limits.

    Raises OutOfTimeError, and UncoveredError for what the encoding does not cover.
    """
    for arrivals in range(limits.arrivals + 1):
        progress(arrivals, limits.arrivals + 1)
        scale = scale_of(contest.programs, contest.period, arrivals) if limits.scaling else Scale(1, 1)
        programs = [scaled(program, scale) for program in contest.programs]
        searches = (
            _Search(contest, candidates, frame, replace(limits, arrivals=arrivals)).streams()
            for frame in frames(programs, contest.period, arrivals, scale)
        )
        yield from merge(*searches, key=attrgetter("cost"))


class _Search:
    """The streams of a number of arrivals in one frame."""

    def __init__(
        self,
        contest: Contest,
        candidates: Candidates,
        frame: PeriodFrame,
        limits: SearchLimits,
    ) -> None:
        self._frame, self._arrivals, self._until = frame, limits.arrivals, limits.until
        self._candidates = candidates
        programs = [scaled(program, frame.scale) for program in contest.programs]
        given = {name: rows for name, rows in candidates.background.items() if rows}
        background = frozenset((*given, *map(signature, candidates.static)))
        tables: Tables = {}
        sides = [
            _Side(TimedEncoding(mark, program, background, tables), question)
            for mark, program, question in zip(
                (_LEFT, _RIGHT), programs, (contest.left, contest.right), strict=True
            )
        ]
        self._text = "\n".join(self._lines(sides, contest))
        self._facts = [
            (predicate, row)
            for program in programs
            for predicate, row in _given(program, candidates.background)
        ]
        conditions = {number: condition for (_, (condition, _)), number in tables.items()}
        self._host = Host(conditions, {}, {})

    def _lines(self, sides: Sequence["_Side"], contest: Contest) -> Iterator[str]:
        frame = self._frame
        yield f"time({frame.times.first}..{frame.times.last})."
        names = RuleNames()
        for number, atom in enumerate(self._candidates.arriving):
            yield f"{{arrives({number},T) : time(T)}}."
            yield f"{call(predicate_name(atom.predicate), [*names.terms(atom), 'T'])} :- arrives({number},T)."
        for number, atom in enumerate(self._candidates.static):
            yield f"{{given({number})}}."
            yield f"{call(always(signature(atom)), names.terms(atom))} :- given({number})."
        yield f":- not {self._arrivals} = #count{{I,T : arrives(I,T)}}."
        for side in sides:
            yield from side.lines(frame)
        yield from _difference(sides, contained=contest.contained)
        yield from self._measures()

    def _measures(self) -> Iterator[str]:
        """Yield what is made small: whether static atoms are more than n, the move that is needed .."""
        frame = self._frame
        for number in range(len(self._candidates.static)):
            yield f"over(static,{number}) :- {number + 1} <= #count{{J : given(J)}}."
        moves = frame.start // frame.step
        for kept in range(moves):
            yield f"over(move,{kept}) :- arrives(_,T); T <= {(moves - kept) * frame.step}."
        for count in range(self._arrivals):
            # All but so many have arrived by then.
            for t in frame.times:
                yield f"over(arrival({count}),{t}) :- {count + 1} <= #count{{I,T : arrives(I,T), T > {t}}}."
        yield "#defined over/2. #defined given/1. #defined arrives/2."

    def streams(self) -> Iterator[ChosenStream]:
        """Yield the streams, the smallest first."""
        control = clingo.Control(["--warn=none"])
        control.add("base", [], self._text)
        with control.backend() as backend:
            for predicate, row in self._facts:
                atom = backend.add_atom(clingo.Function(always(predicate), list(map(symbol_of, row))))
                backend.add_rule([atom])
        control.ground([("base", [])], context=self._host)
        for number in range(10**9):
            found = self._best(control)
            if found is None:
                return
            yield self._stream(found)
            chosen = [atom for atom in found if atom.name != "over"]
            name = f"known{number}"
            control.add(
                name, [], f":- {'; '.join(map(str, chosen)) or '#true'}; {self._nothing_else(chosen)}."
            )
            control.ground([(name, [])])

    def _nothing_else(self, found: Sequence[clingo.Symbol]) -> str:
        static = sum(atom.name == "given" for atom in found)
        return f"{static} = #count{{J : given(J)}}"

    def _best(self, control: clingo.Control) -> list[clingo.Symbol] | None:
        """Return the atoms of the best stream that is not known; raises OutOfTimeError."""
        fixed: list[tuple[clingo.Symbol, bool]] = []
        best = self._solved(control, fixed, None)
        if best is None:
            return None
        for measure in self._named():
            low, high = 0, _value(best, measure)
            while low < high:
                middle = (low + high) // 2
                found = self._solved(control, [*fixed, (_over(measure, middle), False)], best)
                if found is None:
                    low = middle + 1
                else:
                    best, high = found, _value(found, measure)
            fixed.append((_over(measure, high), False))
        return best

    def _named(self) -> Iterator[clingo.Symbol]:
        yield clingo.Function("static")
        yield clingo.Function("move")
        for number in range(self._arrivals):
            yield clingo.Function("arrival", [clingo.Number(number)])

    def _solved(
        self,
        control: clingo.Control,
        assumed: list[tuple[clingo.Symbol, bool]],
        best: list[clingo.Symbol] | None,
    ) -> list[clingo.Symbol] | None:
        found: list[clingo.Symbol] | None = None

        def keep(model: clingo.Model) -> None:
            nonlocal found
            found = [atom for atom in model.symbols(atoms=True) if atom.name in ("arrives", "given", "over")]

        with control.solve(assumptions=assumed, on_model=keep, async_=True) as handle:
            left = None if self._until is None else max(0.0, self._until - monotonic())
            if not handle.wait(left):
                handle.cancel()
                raise OutOfTimeError(self._arrivals, None if best is None else self._stream(best))
            handle.get()
        return found

    def _stream(self, atoms: Sequence[clingo.Symbol]) -> ChosenStream:
        frame, candidates = self._frame, self._candidates
        arrived = sorted(
            (atom.arguments[1].number, atom.arguments[0].number) for atom in atoms if atom.name == "arrives"
        )
        static = sorted(atom.arguments[0].number for atom in atoms if atom.name == "given")
        earliest = min((t for t, _ in arrived), default=frame.start + 1)
        moved = min((earliest - 1) // frame.step, frame.start // frame.step) * frame.step
        back = frame.scale.back
        facts = tuple(_fact(back(t - moved), candidates.arriving[number]) for t, number in arrived)
        start, end = back(frame.start - moved), back(frame.end - moved)
        cost = len(facts), len(static), end, *(fact.t for fact in reversed(facts))
        return ChosenStream(facts, tuple(candidates.static[number] for number in static), start, end, cost)


def _over(measure: clingo.Symbol, value: int) -> clingo.Symbol:
    return clingo.Function("over", [measure, clingo.Number(value)])


def _value(atoms: Sequence[clingo.Symbol], measure: clingo.Symbol) -> int:
    """Return the least value that a measure is not over."""
    over = [
        atom.arguments[1].number for atom in atoms if atom.name == "over" and atom.arguments[0] == measure
    ]
    return max(over, default=-1) + 1


def _fact(t: int, atom: Atom) -> Fact:
    return Fact(t, atom.predicate, tuple(map(str, atom.arguments)))


def _given(program: Program, background: Background) -> Iterator[tuple[Signature, tuple[str, ...]]]:
    for predicate, rows in with_facts(program, background).items():
        yield from ((predicate, row) for row in rows)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side's encoding, and the question that says when it evaluates."""

    encoding: TimedEncoding
    question: Question

    def lines(self, frame: PeriodFrame) -> Iterator[str]:
        """Yield the rules, and which rows the side reports in the period."""
        mark, output = self.encoding.mark, self.question.predicate
        assert output is not None, "answer streams are not compared"
        yield from self.encoding.lines(frame, self._points(frame))
        yield from self._gate()
        row = [f"X{i}" for i in range(output[1])]
        answer = call(self.encoding.name(output), [*row, "T"])
        yield f"{call(f'{mark}reports', row)} :- {answer}; {mark}evaluated(T)."

    def _points(self, frame: PeriodFrame) -> range:
        at_end = isinstance(self.question.gate, Multiples)
        return range(frame.end if at_end else frame.period.first, frame.end + 1)

    def _gate(self) -> Iterator[str]:
        mark, gate = self.encoding.mark, self.question.gate
        match gate:
            case Arrivals(patterns):
                for pattern in patterns:
                    arrived = [*RuleNames().terms(pattern), "T"]
                    body = f"{call(predicate_name(pattern.predicate), arrived)}; {mark}point(T)"
                    yield f"{mark}evaluated(T) :- {body}."
            case Multiples() | Always():
                yield f"{mark}evaluated(T) :- {mark}point(T)."
            case Chosen():
                raise UncoveredError("evaluation at chosen times")
            case _:
                assert_never(gate)


def _difference(sides: Sequence[_Side], *, contained: bool) -> Iterator[str]:
    left = sides[0]
    assert left.question.predicate is not None
    row = [f"X{i}" for i in range(left.question.predicate[1])]
    one, other = (call(f"{side.encoding.mark}reports", row) for side in sides)
    yield f"differs :- {one}; not {other}."
    if not contained:
        yield f"differs :- {other}; not {one}."
    yield ":- not differs."
