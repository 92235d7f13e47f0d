"""`export`: files for another reasoner, and what it answered."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Unpack

from agreement.export import ExportTask, answer_lines, export_to
from agreement.inputs import (
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
    arguments,
    options,
    unit_of,
)
from agreement.inputs.options import BadLineOptions
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import JsonObject
from agreement.library.basis.keywords import (
    QueryKeywords,
    bad_lines,
    chosen,
    evaluation,
    input_options,
    interpretation,
    semantics,
)
from agreement.library.basis.sources import Desk, TextSource, TraceSource
from agreement.solve.solving import SolvingTask
from lars.errors import LarsError
from lars.ticker import Reasoner
from translate.query import Semantics
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is exported, for Ticker or for plain clingo, and when."""

    program: Path
    trace: tuple[Path, ...]
    for_ticker: bool
    reasoner: Reasoner | None
    clock: str | None
    given: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None
    span: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class ExportedFolder:
    """What `export` returns: the folder, and how its files are run."""

    folder: Path
    text: str
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def export_made(request: ExportRequest, out: Path, told: Told, *, overwrite: bool) -> ExportedFolder:
    """Write the folder."""
    reading, path = request.reading, request.program
    named = options.given(request.evaluation, reading, semantics=request.semantics)
    arguments.check_for_queries(path, named)
    given = request.given.fitted([path], told.note, request.evaluation.period)
    of_ticker = options.given(reasoner=request.reasoner, clock=request.clock)
    if not request.for_ticker and of_ticker:
        raise LarsError(f"{of_ticker[0]}: accepted with --to ticker")
    solving = SolvingTask(
        path=path,
        trace=given.trace(request.trace, request.bad_lines),
        evaluation=request.evaluation,
        setting=replace(reading.setting(given.time_point, request.semantics, given.origin), ordered=True),
        trigger=reading.trigger or Trigger.ANY,
        span=request.span,
    )
    reasoner = request.reasoner or Reasoner.CLINGO if request.for_ticker else None
    clock = given.time_point if request.clock is None else unit_of(request.clock, "--clock")
    return ExportedFolder(
        out, export_to(out, ExportTask(solving, reasoner, clock), told.warn, overwrite=overwrite)
    )


@offered
def export(
    program: TextSource,
    *trace: TraceSource,
    to: Literal["ticker", "asp"],
    out: str | Path,
    overwrite: bool = False,
    reasoner: Literal["clingo", "incremental"] | None = None,
    clock: str | None = None,
    from_: int | None = None,
    until: int | None = None,
    **options: Unpack[QueryKeywords],
) -> ExportedFolder:
    """Write a program and its trace as files that Ticker or clingo runs.

    >>> from tempfile import TemporaryDirectory
    >>> door = "samples/door/door.lars", "samples/door/door.atoms"
    >>> with TemporaryDirectory() as folder:
    ...     found = export(*door, to="asp", out=f"{folder}/door", until=4)
    ...     sorted(path.name for path in found.folder.iterdir())
    ['legend.json', 'program.lp', 'run.sh', 'stream.lp']
    """
    if to not in ("ticker", "asp"):
        raise LarsError(f"to={to!r}: accepted: ticker, asp")
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = ExportRequest(
            desk.given(program),
            tuple(map(desk.given, trace)),
            to == "ticker",
            chosen("reasoner", Reasoner, reasoner),
            clock,
            input_options(desk, options),
            bad_lines(options),
            evaluation(options),
            interpretation(options),
            semantics(options),
            (from_, until),
        )
        found = export_made(request, Path(out), heard.told(), overwrite=overwrite)
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))


@dataclass(frozen=True, slots=True)
class ExportAnswers:
    """What `read_export` returns: the answers, as `lars solve --json` prints them, by time."""

    answers: tuple[JsonObject, ...]


@offered
def read_export(output: TextSource, legend: str | Path) -> ExportAnswers:
    """Return what a reasoner printed that ran an export, in a file or as text, with the export's legend.json.

    >>> read_export("nowhere", "legend.json")
    Traceback (most recent call last):
    lars.errors.LarsError: legend.json: no such file; accepted: the file legend.json that `lars export` wrote
    """
    desk = Desk()
    with desk.naming():
        lines: Sequence[str] = list(answer_lines(desk.given(output), Path(legend)))
    return ExportAnswers(tuple(map(json.loads, lines)))
