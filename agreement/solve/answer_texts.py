"""What `lars solve` prints of its answers, line by line as they are evaluated: JSON, or text for a reader."""

from collections.abc import Iterator
from itertools import islice

from agreement.outputs import Json, binding, header, json_text, short_row
from agreement.solve.solving import AnswerRows, Streams
from solver.job import Whole


def json_lines(found: AnswerRows | Streams) -> Iterator[str]:
    """Yield one JSON object a line for each time point."""
    match found:
        case AnswerRows(variables, at):
            for t, rows in at:
                yield json_text({"t": t, "rows": [binding(variables, row) for row in rows]})
        case Streams(at, whole):
            for t, streams in at:
                yield json_text({"t": t} | _json_of(streams, whole))


def text_lines(found: AnswerRows | Streams) -> Iterator[str]:
    """Yield the answers for a reader."""
    match found:
        case AnswerRows(variables, at):
            lines = (f"{t}: {' '.join(map(short_row, rows)) or '-'}" for t, rows in at)
            # Evaluated before the header is printed: what cannot be evaluated prints nothing.
            first = list(islice(lines, 1))
            yield from (f"t: {header(variables)}", *first)
            yield from lines
        case Streams(at, whole):
            for t, streams in at:
                shown = ["{" + ", ".join(stream) + "}" for stream in streams[: whole.most]]
                more = ["…"] * (len(streams) > len(shown))
                yield f"{t}: {' | '.join((*shown, *more)) or 'no answer stream'}"


def _json_of(streams: tuple[tuple[str, ...], ...], whole: Whole) -> Json:
    if whole.consequences is not None:
        return {whole.consequences.value: streams[0] if streams else None}
    shown = streams[: whole.most]
    return {"answer_streams": shown} | ({"more": True} if len(streams) > len(shown) else {})
