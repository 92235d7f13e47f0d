"""What a specification reports of all that an engine was given, as a recording of it."""

from dataclasses import dataclass

from agreement.documents.recordings import Push, Recording, Report
from agreement.documents.requests import sources
from agreement.engines.engine import columns
from agreement.engines.specifications.contents import Task
from agreement.engines.specifications.elements import Frame, TickClock, elements_of, shape
from agreement.engines.specifications.evaluation import (
    EvaluationReport,
    OpenChoice,
    evaluated_windows,
    evaluations,
)
from agreement.engines.specifications.parameters import Specification
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.windows import Bounds
from solver.facts import Static
from translate.model.query import EPOCH, EngineQuery


@dataclass(frozen=True, slots=True)
class EngineRun:
    """A query as registered, and all that was given to the engine; time points are `unit`s from `origin`.

    `zero` is the dateTime of time 0, if the trace's times have one.
    """

    query: EngineQuery
    static: Static
    pushes: tuple[Push, ...]
    unit: Duration = SECOND
    origin: str = EPOCH
    zero: str | None = None

    @property
    def last(self) -> int:
        """The time point of the last push, 0 without any."""
        return max((element.t for element in elements_of(self.pushes, self.unit)), default=0)


def specified_answers(given: EngineRun, wanted: Specification, choice: OpenChoice, until: int) -> Recording:
    """Return what a specification reports up to the time point `until`, included.

    A report that a push caused has the number and the time of the push, others have no trigger.
    Raises LarsError for a query that reads no stream, as it is never evaluated.
    """
    if not sources(given.query):
        raise LarsError("the query reads no stream, so it is never evaluated; accepted: one with a window")
    elements = elements_of(given.pushes, given.unit)
    task = Task(given.query, elements, given.static, given.unit, until, origin=given.origin)
    profile = evaluated_windows(task, wanted, choice)
    reports = (_report(one, given) for one in evaluations(profile) if one.reported)
    return Recording(columns(given.query), tuple(reports))


def _report(one: EvaluationReport, given: EngineRun) -> Report:
    t = one.time * given.unit.milliseconds if one.trigger is None else given.pushes[one.trigger].t
    return Report(t, one.rows, one.trigger)


def choice_at(
    given: EngineRun, wanted: Specification, start: int | None = None, bounds: Bounds | None = None
) -> OpenChoice:
    """Return what a specification leaves open as it is wished: the ends of windows, and where they begin.

    Without `start` windows close at the multiples of their slides, as those of engine versions do.
    """
    chosen = bounds or wanted.bounds[0]
    frame = Frame(wanted, given.unit, chosen, TickClock(1, (), ()), 0)
    shapes = (shape(source, frame) for source in sources(given.query))
    aligned = (0 if found is None else -found.width for found in shapes)
    return OpenChoice(tuple(one if start is None else start for one in aligned), chosen)
