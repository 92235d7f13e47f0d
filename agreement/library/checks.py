"""`check`: whether a given stream is an answer stream of a program, and if not, why."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Unpack

from rich.console import RenderableType

from agreement.explain import candidates, checking, explaining
from agreement.explain.checking import Checked
from agreement.inputs import EvaluationOptions, InputOptions, InterpretationOptions, arguments, options
from agreement.inputs.options import BadLineOptions
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    QueryKeywords,
    bad_lines,
    evaluation,
    input_options,
    interpretation,
    semantics,
)
from agreement.library.basis.sources import Desk, TextSource, TraceSource
from agreement.solve.solving import SolvingTask
from agreement.table_files import Column, OutTable
from lars.files import read_text
from solver.settings import Runner
from translate.query import Semantics
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A program or query with its input, the text of the answer with what it is called, and its time."""

    program: Path
    trace: tuple[Path, ...]
    answer: str
    source: str
    at: int
    given: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None


def answer_checked(request: CheckRequest, told: Told) -> "AnswerChecked":
    """Return what is to be said of each stream of the answer."""
    reading, path = request.reading, request.program
    named = options.given(request.evaluation, reading, semantics=request.semantics)
    arguments.check_for_queries(path, named)
    given = request.given.fitted([path], told.note, request.evaluation.period)
    wanted = SolvingTask(
        path=path,
        trace=given.trace(request.trace, request.bad_lines, Runner(in_process=True)),
        evaluation=request.evaluation,
        setting=reading.setting(given.time_point, request.semantics, given.origin),
        trigger=reading.trigger or Trigger.ANY,
        span=(None, request.at),
    )
    streams = candidates.read_candidates(request.answer, request.source, request.at)
    met = explaining.situated(wanted, told.warn)
    return AnswerChecked((), (), tuple(checking.check(met, one, request.at) for one in streams), request.at)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnswerChecked(Findings):
    """What `check` returns: of each stream whether it is an answer stream, and which rule or atom says no."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _found: tuple[Checked, ...] = field()
    _at: int = field()
    _main: ClassVar[str] = "lines"

    @property
    def correct(self) -> bool:
        """Whether each of the streams is an answer stream."""
        return all(one.correct for one in self._found)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return checking.json_document(self._found, self._at)

    def to_json(self) -> JsonObject:
        """Return the document that `lars check --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield what is said of each stream."""
        return checking.text_lines(self._found, self._at)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `lines`: those of the text."""
        column = Column("line", str, "a line of the text")
        return (OutTable("lines", (column,), ((str(line),) for line in self.parts())),)


@offered
def check(
    program: TextSource,
    *trace: TraceSource,
    answer: TextSource,
    at: int,
    **options: Unpack[QueryKeywords],
) -> AnswerChecked:
    """Return whether a stream, in a file or as text, is an answer stream of a program or query at a time.

    >>> from agreement.api import solve
    >>> door = "samples/door/door.lars", "samples/door/door.atoms"
    >>> answer = solve(*door, to=3).text + chr(10)
    >>> check(*door, answer=answer, at=3).correct
    True
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        path = desk.given(answer)
        request = CheckRequest(
            desk.given(program),
            tuple(map(desk.given, trace)),
            read_text(path, candidates.ACCEPTED),
            str(path),
            at,
            input_options(desk, options),
            bad_lines(options),
            evaluation(options),
            interpretation(options),
            semantics(options),
        )
        found = answer_checked(request, heard.told())
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))
