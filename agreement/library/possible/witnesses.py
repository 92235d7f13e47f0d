"""`witness`: the smallest stream on which two sides differ."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from rich.console import RenderableType

from agreement.agree import Overrides, cause_of
from agreement.inputs import InterpretationOptions, arguments
from agreement.inputs.question_options import QuestionOptions
from agreement.library.basis.agree_request import title_of
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    ReadingKeywords,
    StaticKeywords,
    assign_texts,
    interpretation,
    question_options,
)
from agreement.library.basis.sources import Desk, TextSource
from agreement.library.possible.made_streams import made_streams
from agreement.table_files import Column, OutTable
from agreement.witness import (
    NoWitness,
    Witness,
    WitnessTask,
    WitnessWishes,
    read_sides,
    witness_task,
    witnesses,
    write_experiments,
)
from agreement.witness.witness_report import as_json, as_text
from agreement.witness.witness_task import PeriodWitnesses
from lars.errors import LarsError

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class WitnessRequest:
    """Which queries are asked about, how they are read, and which witnesses are wanted."""

    inputs: tuple[Path, ...]
    given: QuestionOptions
    reading: InterpretationOptions
    assign: Sequence[str]
    wishes: WitnessWishes

    def task(self, told: Told) -> WitnessTask:
        """Return what is searched; raises LarsError for what cannot be."""
        assigned = arguments.assignments(self.assign)
        asked = Overrides(self.given.period, self.given.unit, self.reading, assigned)
        return witness_task(self.inputs, self.given.trace(), asked, self.wishes, told.warn)


def witnesses_found(request: WitnessRequest, task: WitnessTask, told: Told) -> "Witnessed":
    """Return the witnesses of each period."""
    found = tuple(witnesses(task, one, told.progress, made_streams(task)) for one in task.periods)
    return Witnessed((), (), found, task, title_of(request.inputs))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Witnessed(Findings):
    """What `witness` returns: for each period the smallest streams, and why there are no more.

    `differ` is None where none was found, and no theorem says that there is none.
    """

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    periods: tuple[PeriodWitnesses, ...]
    _task: WitnessTask = field()
    _title: str = field()
    _main: ClassVar[str] = "witnesses"

    @property
    def differ(self) -> bool | None:
        """Whether there is a stream on which the two sides differ."""
        if self.witnesses:
            return True
        return False if all(isinstance(one.ended, NoWitness) for one in self.periods) else None

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The streams, by period, the smallest first."""
        return tuple(found for one in self.periods for found in one.found)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return as_json(self._task, self.periods)

    def to_json(self) -> JsonObject:
        """Return the document that `lars witness --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield each period's witnesses, and why there are no more."""
        return as_text(self._task, self.periods)

    def page(self) -> "Page":
        """Return what the page says: what was searched, and the first stream as `agree` sees it."""
        # Loads what only pages need.
        from agreement.report import witness_page

        return witness_page(self._title, self._task, self.periods, self.document(), self.warnings)

    def write_experiment(self, folder: str | Path) -> None:
        """Write the first period's witnesses as experiments for `agree`; one as the folder itself."""
        if len(self.periods) > 1:
            raise LarsError(f"--out {folder}: accepted with one period")
        if self.periods[0].found:
            write_experiments(Path(folder), self._task, self.periods[0])

    def tables(self) -> Sequence[OutTable]:
        """Return the table `witnesses`: the triples of each."""
        return (OutTable("witnesses", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[int, int, int | None, str, str, str, str]]:
        for one in self.periods:
            for number, found in enumerate(one.found, start=1):
                for fact in found.facts:
                    subject, predicate, object_, stream = fact.arguments
                    yield one.period, number, fact.t, stream, subject, predicate, object_
                for row in found.static.get(("triple", 4), ()) if self._task.static is None else ():
                    subject, predicate, object_, graph = map(str, row)
                    yield one.period, number, None, graph, subject, predicate, object_


_COLUMNS = (
    Column("period", int, "the pulling period, in time points"),
    Column("number", int, "which of the period's witnesses, from 1"),
    Column("t", int, "when the triple arrives; none: it is static"),
    Column("source", str, "the stream, or the graph of static data"),
    Column("s", str, "its subject"),
    Column("p", str, "its predicate"),
    Column("o", str, "its object"),
)


class WitnessKeywords(StaticKeywords, ReadingKeywords):
    """The keywords of `witness` that other functions have too."""


@offered
def witness(
    *inputs: TextSource,
    period: int | str | Sequence[int] | None = None,
    assign: Mapping[str, Sequence[str]] | None = None,
    enumerate_: int = 1,
    cause: str | None = None,
    triples: int | None = None,
    any_source: bool = False,
    same_input: bool = False,
    sides: str | None = None,
    time_limit: float | None = None,
    contained: bool = False,
    **options: Unpack[WitnessKeywords],
) -> Witnessed:
    """Return the smallest stream on which push and pull differ: of an experiment, or of one or two queries.

    >>> found = witness("samples/minus")
    >>> found.differ, [fact.t for fact in found.witnesses[0].facts]
    (True, [1])
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        wishes = WitnessWishes(
            enumerate_,
            None if cause is None else cause_of(cause),
            triples,
            time_limit,
            any_source,
            contained,
            same_input,
            None if sides is None else read_sides(sides),
        )
        request = WitnessRequest(
            tuple(map(desk.given, inputs)),
            question_options(desk, period, options),
            interpretation(options),
            assign_texts(assign),
            wishes,
        )
        told = heard.told(options.get("progress"))
        found = witnesses_found(request, request.task(told), told)
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))
