"""The output of `lars solve`: answers as lines of JSON or text, reports of an engine, and tables.

Each line is printed when its answer is evaluated. The tables of --out contain the answers with their times,
and all evaluation times.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from math import floor
from typing import Final, TypeVar, assert_never

import numpy as np

from agreement.answering.solve.solving import Answered, AnswerRows, EngineReports, Streams
from agreement.documents import outputs
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from solver.facts import Row
from solver.job import StreamRuns, Whole

_DIGITS: Final = 9


def json_lines(answers: Answered, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield one line with a JSON object for each time point, or for each report."""
    return map(outputs.json_text, json_objects(answers, dates))


def json_objects(answers: Answered, dates: Dates = NO_DATES) -> Iterator[outputs.Json]:
    """Yield a JSON object for each time point, or for each report of an engine.

    If times are dateTimes, each object contains `origin`. The key `t` is a time point. For a report between
    two time points, `t` is the earlier time point, and `ms` is the time in milliseconds.
    """
    since: outputs.Json = {} if answers.origin is None else {"origin": answers.origin}
    match answers:
        case AnswerRows(variables, at, _):
            for t, rows in at:
                yield (
                    dates.with_dates({"t": t})
                    | {"rows": [outputs.binding(variables, row) for row in rows]}
                    | since
                )
        case Streams(whole=whole):
            for t, streams in answers.at:
                yield dates.with_dates({"t": t}) | _json_of(streams, whole) | since
        case EngineReports(variables, reports, milliseconds):
            for report in reports:
                line: outputs.Json = {"rows": [outputs.binding(variables, row) for row in report.rows]}
                yield _time(report.t, milliseconds, dates) | line | since
        case _:
            assert_never(answers)


def text_lines(answers: Answered, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield a line for each answer (`-` if it is empty), or an engine's reports as lines of a trace."""
    match answers:
        case AnswerRows(variables, at, _):
            lines = (f"{dates.text(t)}: {' '.join(outputs.short_rows(rows)) or '-'}" for t, rows in at)
            # Evaluated before the header is printed: what cannot be evaluated prints nothing.
            first = list(islice(lines, 1))
            yield from (f"t: {outputs.header(variables)}", *first)
            yield from lines
        case Streams(whole=whole):
            for t, streams in answers.at:
                texts = ["{" + ", ".join(stream) + "}" for stream in streams[: whole.most]]
                more = ["…"] * (len(streams) > len(texts))
                yield f"{dates.text(t)}: {' | '.join((*texts, *more)) or 'no answer stream'}"
        case EngineReports(stream=Iri() as stream):
            yield from _stream_lines(answers, stream, dates)
        case EngineReports():
            yield from _report_lines(answers, dates)
        case _:
            assert_never(answers)


def _report_lines(reports: EngineReports, dates: Dates) -> Iterator[str]:
    # Times are time points and their fractions.
    yield f"t: {outputs.header(reports.variables)}"
    for report in reports.reports:
        rows = " ".join(outputs.short_rows(report.rows)) or "-"
        t = report.t / reports.milliseconds
        yield f"{dates.date(t) or outputs.plain(t, _DIGITS)}: {rows}"


def _stream_lines(reports: EngineReports, stream: Iri, dates: Dates) -> Iterator[str]:
    # Timed N-Quads, with dateTimes, or integers that count time points.
    for report in reports.reports:
        t = dates.option(round(report.t / reports.milliseconds))
        for row in report.rows:
            yield f'{" ".join(text or "" for text in row)} {stream} "{t}" .'


def _json_of(streams: tuple[tuple[str, ...], ...], whole: Whole) -> outputs.Json:
    if whole.consequences is not None:
        return {whole.consequences: streams[0] if streams else None}
    stream = streams[: whole.most]
    return {"answer_streams": stream} | ({"more": True} if len(streams) > len(stream) else {})


def _time(t: float, milliseconds: float, dates: Dates) -> outputs.Json:
    nearest = round(t / milliseconds)
    if nearest * milliseconds == t:
        return dates.with_dates({"t": nearest})
    return dates.with_dates({"t": floor(t / milliseconds)}) | {"ms": int(t) if t == int(t) else t}


_TIME: Final = Column("t", int, "the time point", is_time=True)
_ROWS: Final = Column("rows", int, "number of rows of the answer")
_PLACE: Final = Column("place", int, "position of the row in the answer, from 1")
_STREAM: Final = Column(
    "stream", int, "number of the answer stream, from 1; none: with --brave or --cautious"
)
_ATOM: Final = Column(
    "atom", str, "an atom of the answer stream; @_u before the atom: the atom holds at time u"
)
_STREAMS: Final = Column("streams", int, "number of answer streams; with --models, fewer can be shown")
_MILLISECONDS: Final = Column("ms", float, "the time of the report in milliseconds")


_FIRST: Final = Column(
    "first", int, "first time point of an interval in which the row or atom is an answer", is_time=True
)
_LAST: Final = Column(
    "last",
    int,
    "last time point of the interval; the row or atom is an answer at each evaluation in the interval",
    is_time=True,
)


def tables(answers: Answered, sizes: list[tuple[int, int]], *, runs: bool) -> tuple[OutTable, ...]:
    """Return the table of answers, and the table of evaluation times with the sizes of answers.

    If `runs` is true, a row of the first table covers all consecutive evaluations with the same answer row.
    If answers can be read only once, the rows of the first table are read once, and before the rows of the
    second table; `sizes` then receives each time with its number of rows.

    Raises:
        LarsError: `runs` is combined with the reports of an engine.
    """
    match answers:
        case EngineReports() if runs:
            raise LarsError("cannot combine runs with --as NAME, whose reports are events")
        case AnswerRows(variables, at, _) if runs:
            kept = list(at)
            joined = _joined((t, t, (list(rows), _copies(rows)), *_always(t, rows)) for t, rows in kept)
            of_rows = ((first, last, *row) for first, last, row, _ in joined)
            counts = ((t, len(rows)) for t, rows in kept)
            return (
                OutTable("runs", (_FIRST, _LAST, *term_columns(variables)), of_rows),
                OutTable("evaluations", (_TIME, _ROWS), counts),
            )
        case Streams() if runs:
            return (
                OutTable("runs", (_FIRST, _LAST, _STREAM, _ATOM), _joined(_stream_parts(answers))),
                OutTable("evaluations", (_TIME, _STREAMS), answers.counts),
            )
        case AnswerRows(variables, Iterator() as at, _):
            return (
                OutTable("answers", (_TIME, _PLACE, *term_columns(variables)), _read_once(at, sizes)),
                OutTable("evaluations", (_TIME, _ROWS), (size for size in sizes)),
            )
        case AnswerRows(variables, at, _):
            return _of_rows(variables, (_TIME,), [((t,), rows) for t, rows in at])
        case EngineReports(variables, reports, milliseconds):
            by_time = [((floor(report.t / milliseconds), float(report.t)), report.rows) for report in reports]
            return _of_rows(variables, (_TIME, _MILLISECONDS), by_time)
        case Streams():
            return (
                OutTable("answers", (_TIME, _STREAM, _ATOM), _atoms(answers)),
                OutTable("evaluations", (_TIME, _STREAMS), answers.counts),
            )
        case _:
            assert_never(answers)


def _of_rows(
    variables: Sequence[Variable],
    when: tuple[Column, ...],
    answers: Sequence[tuple[Sequence[TableValue], Sequence[Iterable[str | None]]]],
) -> tuple[OutTable, ...]:
    rows = ((*t, place, *row) for t, rows_here in answers for place, row in enumerate(rows_here, 1))
    counts = ((*t, len(rows_here)) for t, rows_here in answers)
    return OutTable("answers", (*when, _PLACE, *term_columns(variables)), rows), OutTable(
        "evaluations", (*when, _ROWS), counts
    )


def _read_once(
    at: Iterator[tuple[int, Sequence[Row]]], sizes: list[tuple[int, int]]
) -> Iterator[Sequence[TableValue]]:
    for t, rows in at:
        sizes.append((t, len(rows)))
        yield from ((t, place, *row) for place, row in enumerate(rows, 1))


def _atoms(answered: Streams) -> Iterator[Sequence[TableValue]]:
    together = answered.whole.consequences is not None
    # Chained, because a generator of millions of rows would cost more than their files.
    return chain.from_iterable(
        zip(repeat(t), repeat(None if together else number), stream, strict=False)
        for t, streams in answered.at
        for number, stream in enumerate(streams[: answered.whole.most], 1)
    )


_Left = TypeVar("_Left")
_Right = TypeVar("_Right")
_Part = tuple[int, int, tuple[list[_Left], list[_Right]], Sequence[int], Sequence[int]]
"""The first and last of consecutive evaluations, the answers, and the first and last time of each answer.

The answers are two columns. An answer is the pair of the values with the same index.
"""


def _always(t: int, rows: Sequence[Row]) -> tuple[Sequence[int], Sequence[int]]:
    times = [t] * len(rows)
    return times, times


def _copies(rows: Iterable[Row]) -> list[int]:
    """Return, for each row of an answer, the number of equal rows before it."""
    met: Counter[Row] = Counter()
    copies = []
    for row in rows:
        copies.append(met[row])
        met[row] += 1
    return copies


def _joined(parts: Iterable[_Part[_Left, _Right]]) -> Iterator[tuple[int, int, _Left, _Right]]:
    """Yield each answer with each longest sequence of consecutive evaluations that have the answer.

    Each result contains the first time and the last time of the sequence, and the answer.
    """
    # In columns: a tuple of each answer would take as long as the evaluation.
    answers: tuple[list[_Left], list[_Right]] = [], []
    firsts: list[int] = []
    lasts: list[int] = []
    going: dict[tuple[_Left, _Right], int] = {}
    continued: set[int] = set()
    for begin, end, columns, starts, ends in parts:
        offset, earlier = len(firsts), dict[int, int]()
        answers[0].extend(columns[0])
        answers[1].extend(columns[1])
        firsts += starts
        lasts += ends
        if going:
            begun = [place for place in range(offset, len(firsts)) if firsts[place] == begin]
            keys = {place: (answers[0][place], answers[1][place]) for place in begun}
            earlier = {place: going[key] for place, key in keys.items() if key in going}
            continued |= earlier.keys()
            for place, before in earlier.items():
                lasts[before] = lasts[place]
        still = [place for place in range(offset, len(firsts)) if lasts[place] == end]
        going = {(answers[0][place], answers[1][place]): earlier.get(place, place) for place in still}
    order = np.lexsort((lasts, firsts)).tolist() if firsts else []
    if continued:
        order = [place for place in order if place not in continued]
    first, second = answers
    return zip(*(map(column.__getitem__, order) for column in (firsts, lasts, first, second)), strict=True)


def _stream_parts(answered: Streams) -> Iterator[_Part[int | None, str]]:
    together = answered.whole.consequences is not None
    for part in answered.parts:
        if isinstance(part, StreamRuns):
            times, numbers = part.times, [None if together else 1] * len(part.atoms)
            ends = times[part.first].tolist(), times[part.last].tolist()
            yield int(times[0]), int(times[-1]), (numbers, [*part.atoms]), *ends
        else:
            t, streams = part
            numbered = [*enumerate(streams[: answered.whole.most], 1)]
            numbers = [None if together else number for number, stream in numbered for _ in stream]
            always = [t] * len(numbers)
            yield t, t, (numbers, [*chain.from_iterable(streams[: answered.whole.most])]), always, always
