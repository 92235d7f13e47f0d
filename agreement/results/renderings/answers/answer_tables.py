"""The tables of `lars solve --out`: what is answered at which time, and when nothing is."""

from collections.abc import Iterable, Iterator, Sequence
from math import floor
from typing import Final, assert_never

from agreement.answering.solve.engine_reports import EngineReports
from agreement.answering.solve.solving import AnswerRows, Streams
from agreement.documents.table_files import Column, OutTable, Value
from agreement.results.renderings.answers.answer_lines import Answered
from lars.language.terms import Variable

_TIME: Final = Column("t", int, "the time point", is_time=True)
_ROWS: Final = Column("rows", int, "how many rows are the answer")
_PLACE: Final = Column("place", int, "the row's place in the answer, from 1")
_STREAM: Final = Column("stream", int, "the number of the answer stream, from 1; none: --brave or --cautious")
_ATOM: Final = Column("atom", str, "an atom of it; @_u before it: at time u")
_STREAMS: Final = Column("streams", int, "how many answer streams there are; --models can show fewer")
_MILLISECONDS: Final = Column("ms", float, "the time of the report in milliseconds")


def tables(found: Answered) -> tuple[OutTable, ...]:
    """Return the table of what is answered, and that of the times at which there is an answer."""
    match found:
        case AnswerRows(variables, at, _):
            return _of_rows(variables, (_TIME,), [((t,), rows) for t, rows in at])
        case EngineReports(variables, reports, milliseconds):
            told = [((floor(one.t / milliseconds), float(one.t)), one.rows) for one in reports]
            return _of_rows(variables, (_TIME, _MILLISECONDS), told)
        case Streams(at, _, _):
            counts = ((t, len(streams)) for t, streams in at)
            return (
                OutTable("answers", (_TIME, _STREAM, _ATOM), _atoms(found)),
                OutTable("evaluations", (_TIME, _STREAMS), counts),
            )
        case _:
            assert_never(found)


def _of_rows(
    variables: Sequence[Variable],
    when: tuple[Column, ...],
    answers: Sequence[tuple[Sequence[Value], Sequence[Iterable[str | None]]]],
) -> tuple[OutTable, ...]:
    terms = (Column(f"?{one.name}", str, "the term, as in N-Triples; none: unbound") for one in variables)
    rows = ((*t, place, *row) for t, found in answers for place, row in enumerate(found, 1))
    counts = ((*t, len(found)) for t, found in answers)
    return OutTable("answers", (*when, _PLACE, *terms), rows), OutTable("evaluations", (*when, _ROWS), counts)


def _atoms(found: Streams) -> Iterator[Sequence[Value]]:
    together = found.whole.consequences is not None
    for t, streams in found.at:
        for number, stream in enumerate(streams[: found.whole.most], 1):
            for atom in stream:
                yield t, None if together else number, atom
