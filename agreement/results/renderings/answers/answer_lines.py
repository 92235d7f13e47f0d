"""What `lars solve` prints, line by line as it is evaluated: JSON, text for a reader, a trace of reports."""

from collections.abc import Iterator
from itertools import islice
from math import floor
from typing import Final, assert_never

from agreement.answering.solve.engine_reports import EngineReports
from agreement.answering.solve.solving import AnswerRows, Streams
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import Json, binding, header, json_text, plain, short_row
from lars.language.terms import Iri
from solver.job import Whole

Answered = AnswerRows | Streams | EngineReports
_DIGITS: Final = 9


def json_lines(found: Answered, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield one JSON object a line for each time point, or report."""
    return map(json_text, json_objects(found, dates))


def json_objects(found: Answered, dates: Dates = NO_DATES) -> Iterator[Json]:
    """Yield an object for each time point; `origin`, where times have one, is in each.

    Of a report `t` is its time point; where it comes between two of them, `t` is the one before, and
    `ms` its time in milliseconds.
    """
    since: Json = {} if found.origin is None else {"origin": found.origin}
    match found:
        case AnswerRows(variables, at, _):
            for t, rows in at:
                yield dates.with_dates({"t": t}) | {"rows": [binding(variables, row) for row in rows]} | since
        case Streams(whole=whole):
            for t, streams in found.at:
                yield dates.with_dates({"t": t}) | _json_of(streams, whole) | since
        case EngineReports(variables, reports, milliseconds):
            for report in reports:
                told: Json = {"rows": [binding(variables, row) for row in report.rows]}
                yield _time(report.t, milliseconds, dates) | told | since
        case _:
            assert_never(found)


def text_lines(found: Answered, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield the answers for a reader, `-` for an empty one; reports as a trace if they are to be a stream."""
    match found:
        case AnswerRows(variables, at, _):
            lines = (f"{dates.text(t)}: {' '.join(map(short_row, rows)) or '-'}" for t, rows in at)
            # Evaluated before the header is printed: what cannot be evaluated prints nothing.
            first = list(islice(lines, 1))
            yield from (f"t: {header(variables)}", *first)
            yield from lines
        case Streams(whole=whole):
            for t, streams in found.at:
                shown = ["{" + ", ".join(stream) + "}" for stream in streams[: whole.most]]
                more = ["…"] * (len(streams) > len(shown))
                yield f"{dates.text(t)}: {' | '.join((*shown, *more)) or 'no answer stream'}"
        case EngineReports(stream=Iri() as stream):
            yield from _stream_lines(found, stream, dates)
        case EngineReports():
            yield from _report_lines(found, dates)
        case _:
            assert_never(found)


def _report_lines(found: EngineReports, dates: Dates) -> Iterator[str]:
    # Times are time points and their fractions.
    yield f"t: {header(found.variables)}"
    for report in found.reports:
        rows = " ".join(map(short_row, report.rows)) or "-"
        t = report.t / found.milliseconds
        yield f"{dates.date(t) or plain(t, _DIGITS)}: {rows}"


def _stream_lines(found: EngineReports, stream: Iri, dates: Dates) -> Iterator[str]:
    # Timed N-Quads, with dateTimes, or integers that count time points.
    for report in found.reports:
        t = dates.option(round(report.t / found.milliseconds))
        for row in report.rows:
            yield f'{" ".join(text or "" for text in row)} {stream} "{t}" .'


def _json_of(streams: tuple[tuple[str, ...], ...], whole: Whole) -> Json:
    if whole.consequences is not None:
        return {whole.consequences.value: streams[0] if streams else None}
    shown = streams[: whole.most]
    return {"answer_streams": shown} | ({"more": True} if len(streams) > len(shown) else {})


def _time(t: float, milliseconds: float, dates: Dates) -> Json:
    nearest = round(t / milliseconds)
    if nearest * milliseconds == t:
        return dates.with_dates({"t": nearest})
    return dates.with_dates({"t": floor(t / milliseconds)}) | {"ms": int(t) if t == int(t) else t}
