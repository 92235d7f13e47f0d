"""`explain`: why an atom is in an answer, or what it lacks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from rich.console import RenderableType

from agreement.agree import Overrides
from agreement.experiments.overridden import on_experiment
from agreement.explain import explaining, explanation_json, explanation_text
from agreement.explain.explaining import AtomExplanation, Unanswered
from agreement.inputs import (
    EXPERIMENT_FILE,
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
    arguments,
    is_experiment,
    options,
)
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
from agreement.solve import solving
from agreement.table_files import Column, OutTable
from lars.errors import LarsError
from lars.files import exists
from solver.settings import Runner
from translate.query import Semantics
from translate.tau import Trigger

ACCEPTED = (
    "accepted: lars explain QUERY|PROGRAM.lars TRACE.. --at TIME 'ans(25,rayban,b)', "
    "or the folder of an experiment in place of QUERY and TRACE"
)

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What is asked, its input, the atom, and the time of the answer stream."""

    paths: tuple[Path, ...]
    atom: str
    at: int
    given: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None
    model: int | None

    def check(self) -> None:
        """Raise LarsError for options that say nothing here, and for a folder of something else."""
        named = options.given(self.evaluation, self.reading, semantics=self.semantics)
        arguments.check_for_queries(self.paths[0], named)
        arguments.check_for_programs(self.paths[0], options.given(model=self.model))
        if exists(self.paths[0], folder=True) and not exists(self.paths[0] / EXPERIMENT_FILE):
            raise LarsError(f"{self.paths[0]}: a folder without {EXPERIMENT_FILE}; {ACCEPTED}")


def situated(request: ExplainRequest, told: Told) -> explaining.Situated:
    """Return the program that is asked about, with its input."""
    request.check()
    path, reading, given = request.paths[0], request.reading, request.given
    if not is_experiment(path):
        given = given.fitted([path], told.note, request.evaluation.period)
    wanted = solving.SolvingTask(
        path=path,
        trace=given.trace(request.paths[1:], request.bad_lines, Runner(in_process=True)),
        evaluation=request.evaluation,
        setting=reading.setting(given.time_point, request.semantics, given.origin),
        trigger=reading.trigger or Trigger.ANY,
        span=(None, request.at),
    )
    if not is_experiment(path):
        return explaining.situated(wanted, told.warn)
    period = None if request.evaluation.period is None else str(request.evaluation.period)
    asked = on_experiment(path, wanted.trace, Overrides(period, given.unit, reading, {}), told.warn)
    if request.semantics is not None:
        asked = replace(asked, setting=replace(asked.setting, semantics=request.semantics))
    return explaining.compared(asked, wanted, told.warn)


def explanation(request: ExplainRequest, told: Told) -> "Explained":
    """Return why the atom holds, or what it lacks."""
    here = situated(request, told)
    found = explaining.explained(here, request.at, request.atom, request.model, request.paths[0])
    return Explained((), (), found)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explained(Findings):
    """What `explain` returns: the proof of an atom down to the input, or what it lacks, as a tree."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _found: AtomExplanation | Unanswered = field()
    _main: ClassVar[str] = "lines"

    @property
    def holds(self) -> bool:
        """Whether the atom is in the answer."""
        return isinstance(self._found, AtomExplanation) and self._found.proof is not None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return explanation_json.as_json(self._found)

    def to_json(self) -> JsonObject:
        """Return the document that `lars explain --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield the tree for a reader."""
        return explanation_text.text_lines(self._found)

    def page(self) -> "Page":
        """Return what the page of the explanation says."""
        # Loads what only pages need.
        from agreement.report import PageHead, text_page

        found = self.document()
        answer = f"{found['atom']} {'holds' if self.holds else 'does not hold'} at {found['t']}"
        asked = f"Why is this so in the answer at {found['at']}?"
        head = PageHead("An atom, explained", asked, None, answer, self.warnings, "The proof")
        return text_page(head, found, self.parts(), proof=self.holds)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `lines`: those of the tree."""
        column = Column("line", str, "a line of the tree")
        return (OutTable("lines", (column,), ((str(line),) for line in self.parts())),)


@offered
def explain(
    program: TextSource,
    *trace: TraceSource,
    atom: str,
    at: int,
    model: int | None = None,
    **options: Unpack[QueryKeywords],
) -> Explained:
    """Return why an atom is in the answer at a time, or what it lacks; of an experiment, query or program.

    >>> found = explain("samples/coupons", atom="ans(25,rayban,b)", at=18)
    >>> found.holds, found.text.split(" ")[0]
    (True, 'ans1(25,')
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = ExplainRequest(
            tuple(map(desk.given, (program, *trace))),
            atom,
            at,
            input_options(desk, options),
            bad_lines(options),
            evaluation(options),
            interpretation(options),
            semantics(options),
            model,
        )
        found = explanation(request, heard.told())
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))
