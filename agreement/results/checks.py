"""`check`: whether a given stream is an answer stream of a program, and if not, why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from rich.console import RenderableType

from agreement.answering import checking, explaining
from agreement.answering.checking import CheckReadings
from agreement.answering.solve.solving import solving_task
from agreement.documents.dates import Dates
from agreement.documents.options import needed, option
from agreement.documents.requests import (
    ProgramOptions,
    program_argument,
    reference_time_option,
    trace_argument,
)
from agreement.documents.table_files import OutTable
from agreement.results.base.boundary import Listeners, offered_functions
from agreement.results.base.findings import Findings, lines_table
from agreement.results.renderings import check_report
from lars.files import text_in
from solver.settings import Time


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """Tell whether a stream is an answer stream at a time, and if not, which rule or atom says no.

    Example, of an answer that was printed before:
    lars solve samples/door/door.lars samples/door/door.atoms --to 3 > answers.txt
    lars check samples/door/door.lars samples/door/door.atoms --at 3 --answer answers.txt
    """

    program: Path = program_argument()
    answer: Path = option(needed, "The stream; - is standard input.", metavar="FILE", source="trace")
    at: Time = reference_time_option(needed)
    trace: tuple[Path, ...] = trace_argument()
    how: ProgramOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckResult(Findings):
    """What `check` returns: of each stream whether it is an answer stream, and which rule or atom says no."""

    verdict: ClassVar[str | None] = "correct"

    _readings: tuple[CheckReadings, ...]
    _at: int
    dates: Dates = field()  # not the property of the base

    @property
    def correct(self) -> bool:
        """Whether each of the streams is an answer stream."""
        return all(readings.correct for readings in self._readings)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return check_report.json_document(self._readings, self._at, self.dates)

    def parts(self) -> Iterable[RenderableType]:
        """Yield what is said of each stream."""
        return check_report.text_lines(self._readings, self._at, self.dates)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `lines`: those of the text."""
        return lines_table(self.parts(), "a line of the text")


@offered_functions(CheckRequest)
def check(request: CheckRequest, listeners: Listeners) -> CheckResult:
    """Return whether a stream, in a file or as text, is an answer stream of a program or query at a time.

    >>> from agreement.api import solve
    >>> door = "samples/door/door.lars", "samples/door/door.atoms"
    >>> answer = solve(*door, to=3).text + chr(10)
    >>> check(*door, answer=answer, at=3).correct
    True
    """
    path, how, span = request.program, request.how, (None, request.at)
    how.check(path)
    task = solving_task(path, request.trace, how, span, listeners.note).in_process()
    text = text_in(request.answer, checking.ACCEPTED)
    met = explaining.situation_of(task, listeners.warn)
    streams = checking.read_candidates(text, str(request.answer), met.at, met.dates)
    readings = tuple(checking.check(met, stream, met.at) for stream in streams)
    return CheckResult(readings, met.at, met.dates)
