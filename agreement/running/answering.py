"""A cell's input and what an engine answers on it."""

from collections.abc import Sequence
from typing import assert_never

from agreement.engines.contents import columns
from agreement.engines.registry import engine
from agreement.generating import Plan, generated
from agreement.recordings.answers import Answers
from agreement.recordings.reading import read_recording
from agreement.recordings.recording import Push, Recording, Report, pushes_of
from agreement.running.cells import Answered, Files, Input, Judging, Version
from agreement.sources import sources
from agreement.specifications.evaluation import Choice, Task, evaluations, profiled
from agreement.specifications.specification import Specification
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from solver.rows import fact_of_row
from solver.trace import read_trace_in_process


def milliseconds(unit: Duration) -> float:
    """Return the length of a time point in ms."""
    return unit.nanoseconds / NANOSECONDS["ms"]


def pushes_in(given: Input) -> list[Push]:
    """Return the triples of a trace in arrival order; raises LarsError when there is none."""
    match given.trace:
        case Plan():
            found = list(generated(given.trace))
        case Files(paths, options):
            rows = read_trace_in_process(paths, options)
            facts = [fact_of_row(row) for row in rows if row[3] is not None]
            found = pushes_of(facts, milliseconds(given.unit))
        case _:
            assert_never(given.trace)
    if not found:
        raise LarsError("the trace has no element; accepted: one at least")
    return found


def answered(work: Judging, task: Task, pushes: Sequence[Push]) -> Answers:
    """Return what is judged: what an engine version or a specification answers, or recorded answers."""
    match work.judged:
        case Version(name, off):
            return Answers(engine(name).run(task.query, task.static, pushes, off))
        case Specification():
            return Answers(_specified(task, work.judged, work))
        case Answered(path, options):
            return read_recording(path, options)
        case _:
            assert_never(work.judged)


def _specified(task: Task, specification: Specification, work: Judging) -> Recording:
    """Return what a specification reports with the first t0 and the first of its bounds."""
    first = (work.options.starts or (work.options.registered,))[0]
    bounds = (work.options.bounds or specification.bounds)[0]
    choice = Choice(tuple(first for _ in sources(task.query)), bounds)
    length = milliseconds(task.unit)
    reports = (
        Report(one.time * length, one.rows, one.trigger)
        for one in evaluations(profiled(task, specification, choice))
        if one.reported
    )
    return Recording(columns(task.query), tuple(reports))
