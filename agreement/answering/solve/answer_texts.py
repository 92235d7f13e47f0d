"""What `lars solve` prints of its answers, line by line as they are evaluated: JSON, or text for a reader."""

from collections.abc import Iterator
from itertools import islice

from agreement.answering.solve.solving import AnswerRows, Streams
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import Json, binding, header, json_text, short_row
from solver.job import Whole


def json_lines(found: AnswerRows | Streams, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield one JSON object a line for each time point; `origin`, where times have one, is in each."""
    since = json_since(found.origin)
    match found:
        case AnswerRows(variables, at, _):
            for t, rows in at:
                yield json_text(
                    dates.beside({"t": t}) | {"rows": [binding(variables, row) for row in rows]} | since
                )
        case Streams(whole=whole):
            for t, streams in found.at:
                yield json_text(dates.beside({"t": t}) | _json_of(streams, whole) | since)


def text_lines(found: AnswerRows | Streams, dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield the answers for a reader."""
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


def _json_of(streams: tuple[tuple[str, ...], ...], whole: Whole) -> Json:
    if whole.consequences is not None:
        return {whole.consequences.value: streams[0] if streams else None}
    shown = streams[: whole.most]
    return {"answer_streams": shown} | ({"more": True} if len(streams) > len(shown) else {})


def json_since(origin: str | None) -> Json:
    """Return what a line says of time 0: its dateTime as `origin`, nothing where times are numbers alone."""
    return {} if origin is None else {"origin": origin}
