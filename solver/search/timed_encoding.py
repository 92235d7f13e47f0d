"""A program as ASP at all time points of a frame together, with the time as last argument.

  a ← b, not c            a(.., T) :- b(.., T); not c(.., T); point(T).
  a ← ⊞^w ◇ s(x, y)       a(.., T) :- shown(X, Y, T); point(T).
                          shown(X, Y, T) :- sees(w, T, A, B); s(X, Y, U); A <= U; U <= B.
The ends of windows are facts, so the rules need no arithmetic. `shown` drops the arrival time of an atom. The
number of rule instances therefore depends on the number of times, not on the combinations of arrivals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, replace
from functools import cached_property
from typing import Final, assert_never

from lars.analysis import LiteralForm
from lars.dataclass import dataclass
from lars.language import windows
from lars.language.formulas import SetLiteral
from lars.language.program import Rule, is_fact
from lars.language.stream import ToStream
from lars.language.terms import Atom, Signature
from solver.facts import Arrivals, Multiples, canonical_atom, variables_in_order
from solver.job import Question
from solver.pointwise import AspNames, RuleNames, RuleWriter, call, predicate_name
from solver.search.frames import PeriodFrame, UncoveredError

_GREATEST_NUMBER: Final = 2**31 - 1
"""The largest integer of clingo; no search has more atoms, so a larger window has the same content."""


@dataclass(frozen=True)
class TimedEncoding(AspNames):
    """The translation of one program (side) and of its reports to ASP, for all time points of a frame.

    - `mark` is the beginning of all names of predicates in the rules.
    - `background` contains the predicates of the static data, and of static atoms that the search chooses.
    - `question` contains the program and its evaluation times.
    - `kind` is the relation-to-stream operator.
    - If `back` is true, reports depend on the previous evaluation.
    """

    _: KW_ONLY
    question: Question
    kind: ToStream
    back: bool
    mark: str

    def lines(self, frame: PeriodFrame) -> Iterator[str]:
        """Yield the ASP rules of the program, and ASP rules for the rows that it reports in the period."""
        mark, output = self.mark, self.question.predicate
        assert output is not None, "answer streams are not compared"
        yield from self._rules(frame)
        yield from self._gate()
        row = [f"X{i}" for i in range(output[1])]
        answer = f"{call(self.name(output), [*row, 'T'])}; {mark}evaluated(T)"
        reports, old = call(f"{mark}reports", row), call(f"{mark}old", row)
        if self.back:
            between = f"not {mark}evaluated(V) : {mark}point(V), T < V, V < {frame.end}"
            yield f"{mark}last(T) :- {mark}evaluated(T); T < {frame.end}; {between}."
            yield f"{old} :- {answer}; {mark}last(T)."
            yield f"{call(f'{mark}now', row)} :- {answer}; T = {frame.end}."
        match self.kind:
            case "RSTREAM":
                yield f"{reports} :- {answer}; {frame.start} < T."
            case "ISTREAM":
                yield f"{reports} :- {call(f'{mark}now', row)}; not {old}."
            case "DSTREAM":
                yield f"{reports} :- {old}; {mark}evaluated({frame.end}); not {call(f'{mark}now', row)}."
            case _:
                assert_never(self.kind)

    def points(self, frame: PeriodFrame) -> range:
        """Return the times in the frame at which the program can evaluate."""
        at_end = isinstance(self.question.gate, Multiples)
        # Pull evaluates once in the frame, since a frame has one period, and pull evaluates at its end.
        first = 1 if self.back else frame.period.first
        return range(frame.end if at_end else first, frame.end + 1)

    def borders(self, frame: PeriodFrame) -> Iterator[int]:
        """Yield the times that divide the frame into parts, at each of which a new part begins.

        Within a part, the program distinguishes arrivals only by their order.
        """
        shown = [window for window in self.windows if not isinstance(window, windows.TupleWindow)]
        plain = [_plain(window) for window in shown if isinstance(window, windows.TimeWindow)]
        for t in self.points(frame):
            yield from (t, t + 1)
            for window in (*shown, *plain):
                ends = window.bounds(t, frame.times)
                yield from (ends.first, ends.last + 1)

    def _gate(self) -> Iterator[str]:
        mark, gate = self.mark, self.question.gate
        match gate:
            case Arrivals(patterns):
                for pattern in patterns:
                    arrived = [*RuleNames().terms(pattern), "T"]
                    body = f"{call(predicate_name(pattern.predicate), arrived)}; {mark}point(T)"
                    yield f"{mark}evaluated(T) :- {body}."
            case Multiples() | None:
                yield f"{mark}evaluated(T) :- {mark}point(T)."
            case tuple():
                raise UncoveredError("a program that is evaluated only at listed times")
            case _:
                assert_never(gate)

    def _rules(self, frame: PeriodFrame) -> Iterator[str]:
        """Yield the ASP rules for the evaluation of the program at the times of the frame."""
        points = self.points(frame)
        yield from (f"{self.now(str(t))}." for t in points)
        for rule in self.program.rules:
            if not is_fact(rule):
                if not isinstance(rule.head, Atom):
                    raise UncoveredError(f"the rule {rule}")
                writer = _TimedRule(self, rule)
                yield from (f"% {rule}", *writer.lines(), *writer.tables())
        for predicate in sorted(self.derived & self.background_predicates):
            names = [f"X{i}" for i in range(predicate[1])]
            background_call = call(background_name(predicate), names)
            yield f"{self.at_now(predicate, names)} :- {background_call}; {self.now('T')}."
        for window, number in self.windows.items():
            yield from self._window(window, number, frame, points)
        for window, atom in self.windowed_atoms:
            yield self._window_call(window, atom)

    @property
    def timed(self) -> frozenset[Signature]:
        """The derived predicates; the time is the last argument of each of them."""
        return self.derived

    @cached_property
    def windowed_atoms(self) -> dict[tuple[windows.Window, Atom], int]:
        """The window and the atom of each window literal, numbered in program order."""
        looked_at = (
            (form.window, canonical_atom(form.atom))
            for form in self.literals
            if form.window is not None and isinstance(form.atom, Atom)
        )
        return {pair: i for i, pair in enumerate(dict.fromkeys(looked_at))}

    def name(self, predicate: Signature, *, timed: bool = True) -> str:
        """Return the ASP name of a derived predicate."""
        assert timed
        return f"{self.mark}{predicate_name(predicate[0])}"

    def now(self, time: str) -> str:
        """Return the ASP atom that is true if the program can evaluate at the time."""
        return f"{self.mark}point({time})"

    def at_now(self, predicate: Signature, arguments: list[str]) -> str:
        """Return the ASP atom of a derived predicate at the time T, or of a background predicate."""
        if predicate in self.derived:
            return call(self.name(predicate), [*arguments, "T"])
        return call(background_name(predicate), arguments)

    def window_atom(self, window: windows.Window, atom: Atom, names: RuleNames) -> str:
        """Return the ASP atom that is true if the window contains the atom at T."""
        number = self.windowed_atoms[window, canonical_atom(atom)]
        return call(f"{self.mark}shown{number}", [*map(names.term, variables_in_order(atom)), "T"])

    def _window_call(self, window: windows.Window, atom: Atom) -> str:
        names, w = RuleNames(), self.windows[window]
        window_atom = self.window_atom(window, atom, names)
        if isinstance(window, windows.TupleWindow):
            return f"{window_atom} :- {candidate('I', names.terms(atom))}; {self.mark}kept({w},I,T)."
        arrived = call(predicate_name(atom.predicate), [*names.terms(atom), "U"])
        return f"{window_atom} :- {self.mark}sees({w},T,A,B); {arrived}; A <= U; U <= B."

    def _window(
        self, window: windows.Window, number: int, frame: PeriodFrame, points: range
    ) -> Iterator[str]:
        yield f"% {window}"
        if isinstance(window, windows.TupleWindow):
            yield self._newest(window, number)
            return
        for t in points:
            ends = window.bounds(t, frame.times)
            if ends:
                yield f"{self.mark}sees({number},{t},{ends.first},{ends.last})."

    def _newest(self, window: windows.TupleWindow, number: int) -> str:
        """Return the ASP rule for the triples in a tuple window; at one time, they arrive by number."""
        source = "_" if window.source is None else RuleNames().term(window.source)
        one, other = (candidate(i, ["_", "_", "_", source]) for i in "IJ")
        newer = f"#count{{J,V : {other}, arrives(J,V), V <= T, (V,J) > (U,I)}}"
        if window.ties == "elements":
            newer = f"#count{{V : {other}, arrives(J,V), V <= T, V > U}}"
        seen = f"{one}; arrives(I,U); {self.now('T')}; U <= T"
        return f"{self.mark}kept({number},I,T) :- {seen}; {newer} < {min(window.size, _GREATEST_NUMBER)}."

    def plain_windows(self, frame: PeriodFrame) -> Iterator[str]:
        """Yield ASP facts for the ends of time windows, as if they had both ends and did not slide."""
        for window, number in self.windows.items():
            if isinstance(window, windows.LastWindow | windows.FixedWindow):
                raise UncoveredError(f"--same-input together with the window {window}")
            if isinstance(window, windows.TimeWindow):
                for t in self.points(frame):
                    ends = _plain(window).bounds(t, frame.times)
                    yield f"{self.mark}plain({number},{t},{ends.first},{ends.last})."


def _plain(window: windows.TimeWindow) -> windows.TimeWindow:
    """Return the window with both ends included and without a slide."""
    return replace(window, step=1, ends="closed")


class _TimedRule(RuleWriter):
    """A writer of one LARS rule as ASP rules with the time T.

    Raises:
        UncoveredError: The rule contains an unsupported construct.
    """

    def __init__(self, encoding: TimedEncoding, rule: Rule) -> None:
        super().__init__(encoding, rule)
        self._encoding = encoding

    def through_window(self, form: LiteralForm) -> list[str]:
        """Return the ASP literal, in a list, for a formula with a window."""
        if form.window is None or form.mode != "◇" or not isinstance(form.atom, Atom):
            where = "over all times" if form.window is None else f"in the window {form.window}"
            raise UncoveredError(f"{form.mode} {where}")
        negation = "" if form.positive else "not "
        return [f"{negation}{self._encoding.window_atom(form.window, form.atom, self.names)}"]

    def set_atom(self, literal: SetLiteral) -> str:
        """Raise UncoveredError, since the search does not support aggregates and orders."""
        raise UncoveredError(f"an aggregate or order: {literal}")


def candidate(number: str, terms: Sequence[str]) -> str:
    """Return the ASP atom with the components and the stream of a numbered triple."""
    return call("candidate", [number, *terms])


def background_name(predicate: Signature) -> str:
    """Return the ASP name of the predicate for background atoms."""
    return f"always'{predicate_name(predicate[0])}"
