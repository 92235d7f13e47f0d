"""What a reasoner printed, read back: the same lines as those of `lars solve --json`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

from agreement.export.legend import Legend, read_legend
from agreement.outputs import in_order
from agreement.r2s import streamed
from agreement.solve.answer_texts import json_lines
from agreement.solve.solving import AnswerRows, Streams
from lars.errors import LarsError
from lars.files import TextFile, TextLine, read_file
from lars.stream import Moment, moment_order, write_moment
from lars.terms import NULL, Atom, Constant, Number
from solver.facts import constant_of
from solver.job import Whole
from solver.pointwise import shown_atoms
from solver.settings import Warn
from translate.query import ToStream

_ACCEPTED: Final = "what run.sh of an export printed"
_MODEL: Final = re.compile(r"(?:.*\(t=|(?:No m|M)odel at T )(\d+)\)?(?::\s*(.*))?")
_SET: Final = re.compile(r"[A-Za-z]*Set\d?\((.*)\)|-?")
_ATOM: Final = re.compile(r"\s*([a-z]\w*)(?:\(\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\))?\s*(?:,|$)")
_TIME: Final = re.compile(r"t=(\d+):")
_DONE: Final = ("SATISFIABLE", "OPTIMUM FOUND")
_NONE: Final = "UNSATISFIABLE"

_Shown = tuple[int | None, Atom]
"""An atom of Ticker's output, with its time, or at the time that the output is about."""

AnswerSets = Mapping[int, tuple[frozenset[Moment], ...]]
"""The answer sets at each time point, as derived atoms with their times."""


def answer_lines(output: Path, legend: Path, warn: Warn) -> Iterator[str]:
    """Yield what `lars solve --json` prints, of what a reasoner printed; raises LarsError with places."""
    known, file = read_legend(legend), read_file(output, _ACCEPTED)
    match known.to:
        case "ticker":
            found = _TickerAnswers(known, file).answers(warn)
        case "asp":
            found = dict(_asp_answers(known, file))
            if missing := [t for t in known.times if t not in found]:
                raise LarsError(f"{output}: nothing is said of the time {missing[0]}; accepted: {_ACCEPTED}")
        case _:
            assert_never(known.to)
    yield from json_lines(_rows(known, found) if known.columns is not None else _streams(known, found))


def _rows(legend: Legend, found: AnswerSets) -> AnswerRows:
    assert legend.columns is not None
    output = legend.columns.output
    shown = {}
    for t, answers in found.items():
        if len(answers) != 1:
            raise LarsError(f"{len(answers)} answer sets at {t}; accepted: one, which a query has")
        atoms = [atom for u, atom in answers[0] if u == t and len(atom.arguments) == output.width]
        rows = [tuple(None if term == NULL else str(term) for term in atom.arguments) for atom in atoms]
        shown[t] = in_order(output, rows)
    reported = streamed(ToStream(legend.columns.report), legend.times, shown)
    return AnswerRows(output.variables, [(t, reported[t]) for t in legend.times if t >= legend.first])


def _streams(legend: Legend, found: AnswerSets) -> Streams:
    always = frozenset(legend.always)
    at = []
    for t in legend.times:
        answers = {
            tuple(
                write_moment(moment, t)
                for moment in sorted(answer, key=lambda one: moment_order(one, t))
                if str(moment[1]) not in always
            )
            for answer in found.get(t, ())
        }
        at.append((t, tuple(sorted(answers))))
    return Streams(tuple(at), Whole())


@dataclass(frozen=True, slots=True)
class _TickerAnswers:
    """Reads lines `18s (t=18): Set(p(1), p_at(1,17))`, printed when the answer changes; the last counts."""

    legend: Legend
    file: TextFile

    def answers(self, warn: Warn) -> AnswerSets:
        printed: dict[int, frozenset[_Shown] | None] = {}
        for line in self.file.lines():
            if (model := _MODEL.fullmatch(line.text.strip())) is not None:
                printed[int(model[1])] = self._answer(line, model[2] or "-")
        if not printed:
            raise LarsError(
                f"{self.file.name}: found no answer; accepted: {_ACCEPTED}, lines as 3s (t=3): Set(p)"
            )
        before = [t for t in self.legend.times if t < min(printed)]
        if before:
            warn(
                f"{self.file.name}: nothing is said of the times up to {before[-1]}, shown as without answers"
            )
        return {t: self._at(printed, t) for t in self.legend.times}

    def _at(self, printed: Mapping[int, frozenset[_Shown] | None], t: int) -> tuple[frozenset[Moment], ...]:
        # What has not changed since is printed no more.
        known = max((u for u in printed if u <= t), default=None)
        answer = frozenset[_Shown]() if known is None else printed[known]
        return () if answer is None else (frozenset((t if u is None else u, atom) for u, atom in answer),)

    def _answer(self, line: TextLine, text: str) -> frozenset[_Shown] | None:
        shown = _SET.fullmatch(text.strip())
        if shown is None:
            raise line.error("found no set of atoms; accepted: Set(p(1), q), or - for none")
        rest, end, names, answer = (shown[1] or "").strip(), 0, set[str](), set[_Shown]()
        while end < len(rest):
            if (atom := _ATOM.match(rest, end)) is None:
                raise line.error(f"found {rest[end:][:80]!r}; accepted: atoms as p(1,2), q")
            end = atom.end()
            names.add(atom[1])
            answer |= self._atom(
                line, atom[1], [int(number) for number in (atom[2] or "").split(",") if number]
            )
        held = shown[1] is not None and (self.legend.marker is None or self.legend.marker in names)
        return frozenset(answer) if held else None

    def _atom(self, line: TextLine, name: str, numbers: list[int]) -> set[_Shown]:
        known = self.legend.names.get(name.removesuffix("_at"))
        if known is None:
            return set()
        u = numbers.pop() if name.endswith("_at") and numbers else None
        # A predicate without arguments can have one there.
        row = tuple(self._term(line, number) for number in numbers[: known.arity])
        return {(u, Atom(known.predicate, row))}

    def _term(self, line: TextLine, number: int) -> Constant:
        if (text := self.legend.terms.get(str(number))) is not None:
            return constant_of(text)
        if abs(number) >= 10**9:
            raise line.error(f"found the number {number}, which stands for no term of the legend")
        return Number(number)


def _asp_answers(legend: Legend, file: TextFile) -> Iterator[tuple[int, tuple[frozenset[Moment], ...]]]:
    """Yield what follows each line t=18: up to SATISFIABLE or UNSATISFIABLE, an answer set a line."""
    t, answers = None, list[frozenset[Moment]]()
    # Lines that are blank count: they are answer sets without atoms.
    for number, text in enumerate(file.text.split("\n"), 1):
        line = TextLine(file, number, 0, text.removesuffix("\r"))
        if (begun := _TIME.fullmatch(line.text)) is not None:
            t, answers = int(begun[1]), []
        elif t is None and line.text.strip():
            raise line.error("found no time; accepted: t=18: before the answer sets of a time point")
        elif t is not None and line.text in {*_DONE, _NONE}:
            yield t, tuple(answers)
            t = None
        elif t is not None:
            answers.append(frozenset(_asp_moments(legend, line, t)))
    if t is not None:
        raise LarsError(f"{file.name}: what is printed of {t} is not complete; accepted: {_ACCEPTED}")


def _asp_moments(legend: Legend, line: TextLine, t: int) -> Iterator[Moment]:
    try:
        atoms = list(shown_atoms(line.text))
    except LarsError as error:
        raise line.error(f"{error}; accepted: atoms as p(1) q, one answer set a line") from None
    for name, arguments in atoms:
        if name in legend.overflows:
            raise line.error(f"arithmetic left 32 bit at {t}; accepted: smaller numbers")
        if (known := legend.names.get(name)) is not None:
            terms = tuple(map(constant_of, arguments))
            time = terms[-1] if known.timed else Number(t)
            assert isinstance(time, Number)
            yield time.value, Atom(known.predicate, terms[: known.arity])
