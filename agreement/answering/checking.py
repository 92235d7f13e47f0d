"""What `lars check` is given and finds: whether a stream is an answer stream, and which rule or atom says no.

Streams are given as text, atom streams, or as what `lars solve --json` prints.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, TypedDict, TypeGuard

from agreement.answering.explaining import ProgramSituation
from agreement.documents.dates import Dates
from lars import semantics
from lars.analysis import intensional
from lars.errors import LarsError, PlacedError
from lars.language.formulas import Expression
from lars.language.program import Program
from lars.language.stream import Moment, Stream
from lars.language.terms import Atom, Constant, signature
from lars.semantics import Background, all_background, check_candidate
from lars.text import Scanner, read_ground_atom, read_stream
from solver.rdf import evaluate
from solver.traces import point_of

ACCEPTED: Final = (
    "a stream as text, one time point a line, as 18: ans(a) p. or what `lars solve` prints, "
    'as 18: {ans(a), @_17 p} or {"t": 18, "answer_streams": [["ans(a)", "@_17 p"]]}'
)
_AT: Final = re.compile(r"@_([0-9]{1,19})(?=\s)")
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}Z?"
_TIME: Final = re.compile(rf"([0-9]{{1,19}}|{_DATE}):")
_SOLVED: Final = re.compile(rf"\s*(?:[0-9]{{1,19}}|{_DATE}):\s*(?:\{{|no answer stream)")
_ROWS: Final = re.compile(r"""\s*(?:t: \(|\{"t": [0-9]+, "rows")""")
_OPEN, _CLOSE, _COMMA = re.compile(r"\{"), re.compile(r"\}"), re.compile(",")
_OR, _NONE = re.compile(r"\|"), re.compile("no answer stream|…")
_WIDEST: Final = 60

Moments = tuple[Moment, ...]


class _Line(TypedDict):
    """What `lars solve` prints of a time for machines."""

    t: int
    answer_streams: list[list[str]]


def read_candidates(text: str, source: str, t: int, dates: Dates) -> list[Moments]:
    """Return each stream that the text holds for the time t; times in it can be dateTimes.

    Raises LarsError, with file and line, for a text of neither form, or without a stream for t.
    """
    plain = text.removeprefix("\ufeff")
    if _ROWS.match(plain):
        problem = "found the rows of a query, which `lars translate QUERY --mode push` makes a program"
        raise LarsError(f"{source}:1:1: {problem}; accepted: {ACCEPTED}")
    if _SOLVED.match(plain):
        return _of_time(list(_solved(plain, source, dates)), source, t, dates)
    if not plain.lstrip().startswith(("{", "[")):
        return [tuple(read_stream(text, source))]
    return _of_time(
        [
            (line_object["t"], list(_moments(line_object, line, source)))
            for line, line_object in _objects(plain, source)
        ],
        source,
        t,
        dates,
    )


def _of_time(
    situations: Sequence[tuple[int, list[Moments]]], source: str, t: int, dates: Dates
) -> list[Moments]:
    chosen = [streams for u, streams in situations if u == t]
    if not chosen:
        times = ", ".join(dates.option(u) for u, _ in situations)
        text = times if len(times) <= _WIDEST else f"{times[:_WIDEST]}…"
        raise LarsError(
            f"{source}: has no answer streams for the time {dates.option(t)}; it has those for {text}"
        )
    if not any(chosen):
        raise LarsError(
            f"{source}: says that there is no answer stream at {dates.option(t)}, so there is none to check"
        )
    return [stream for streams in chosen for stream in streams]


def _moments(line_object: _Line, line: int, source: str) -> Iterator[Moments]:
    for stream in line_object["answer_streams"]:
        yield tuple(_moment(atom, f"{source}:{line}", line_object["t"]) for atom in stream)


def _solved(text: str, source: str, dates: Dates) -> Iterator[tuple[int, list[Moments]]]:
    """Yield what each line that `lars solve` printed says: its time and its answer streams."""
    scanner = Scanner(text, source)
    while scanner.skip() < len(text):
        written = scanner.expect(_TIME, "a time and what holds, as 18: {ans(a), @_17 p}").group(1)
        t = int(written) if written.isdecimal() else _dated(written, source, dates)
        streams: list[Moments] = []
        while not scanner.accept(_NONE) and scanner.accept(_OPEN):
            streams.append(tuple(_held(scanner, t)))
            scanner.accept(_OR)
        yield t, streams


def _dated(written: str, source: str, dates: Dates) -> int:
    try:
        return point_of(datetime.fromisoformat(written), dates.zero, dates.unit)
    except (ValueError, LarsError) as error:
        raise LarsError(f"{source}: {written}: {error}") from None


def _held(scanner: Scanner, t: int) -> Iterator[Moment]:
    while not scanner.accept(_CLOSE):
        timed = scanner.accept(_AT)
        yield (int(timed.group(1)) if timed else t), read_ground_atom(scanner)
        if not scanner.peek(_CLOSE):
            scanner.expect(_COMMA, "a comma or }")


def _objects(text: str, source: str) -> Iterator[tuple[int, _Line]]:
    try:
        pieces = [(1, json.loads(text))]
    except (ValueError, RecursionError):
        pieces = [
            (number, _parsed(line, source, number))
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
    for number, piece in pieces:
        if not _is_line(piece):
            raise LarsError(f"{source}:{number}: no object with t and answer_streams; accepted: {ACCEPTED}")
        yield number, piece


def _parsed(line: str, source: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LarsError(f"{source}:{number}: no JSON: {error}; accepted: {ACCEPTED}") from None


def _is_line(piece: object) -> TypeGuard[_Line]:
    if not isinstance(piece, dict) or type(piece.get("t")) is not int:
        return False
    streams = piece.get("answer_streams")
    return isinstance(streams, list) and all(
        isinstance(stream, list) and all(isinstance(atom, str) for atom in stream) for stream in streams
    )


def _moment(text: str, source: str, t: int) -> Moment:
    scanner = Scanner(text, source)
    try:
        timed = scanner.accept(_AT)
        atom = read_ground_atom(scanner)
        if scanner.skip() < len(text):
            scanner.fail("the end of the atom")
    except PlacedError as error:
        raise LarsError(f"{source}: no atom: {error.problem}\n{error.place.excerpt()}") from None
    return (int(timed.group(1)) if timed else t), atom


def candidate(moments: Moments, program: Program, data: Stream, background: Background) -> Stream:
    """Return the interpretation stream that the atoms are meant to be.

    Without an atom of a predicate that the input has, they are the derived atoms alone, and the
    input is added. Atoms of B are redundant: they count neither as there nor as missing.
    """
    own = intensional(program)
    arrived = [(u, atom) for u, atoms in data.input.items() for atom in atoms]
    names = {signature(atom) for _, atom in arrived} - own
    whole = [(u, atom) for u, atom in moments if atom not in background]
    full = any(signature(atom) in names for _, atom in whole)
    given = [(u, atom) for u, atom in arrived if not full or atom in background or signature(atom) in own]
    by_time: dict[int, dict[Atom, None]] = {}
    for u, atom in (*given, *whole):
        by_time.setdefault(u, {})[atom] = None
    return Stream(data.timeline, {u: tuple(atoms) for u, atoms in sorted(by_time.items())})


@dataclass(frozen=True, slots=True)
class CheckReadings:
    """What the two readings say of one stream; LARS itself is `flp`."""

    flp: semantics.Verdict
    founded: semantics.Verdict

    @property
    def correct(self) -> bool:
        """Whether the stream is an answer stream."""
        return isinstance(self.flp, semantics.IsAnswerStream)

    @property
    def differs(self) -> bool:
        """Whether the readings say different things: only the founded one can then say yes."""
        return isinstance(self.founded, semantics.IsAnswerStream) != self.correct


def check(situation: ProgramSituation, moments: Moments, t: int) -> CheckReadings:
    """Return what both readings say of the atoms as a stream of the program at t."""
    background = all_background(situation.program, situation.background)
    stream = candidate(moments, situation.program, situation.stream, background)
    flp = semantics.ReferencePoint(t, background)
    verdict = _judged(situation, stream, flp)
    if isinstance(verdict, semantics.IsAnswerStream | semantics.NotAnInterpretation):
        return CheckReadings(verdict, verdict)
    return CheckReadings(
        verdict, _judged(situation, stream, replace(flp, reading=semantics.NegationReading.FOUNDED))
    )


def _judged(
    situation: ProgramSituation, stream: Stream, point: semantics.ReferencePoint
) -> semantics.Verdict:
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    return check_candidate(situation.program, situation.stream, stream, point, value)
