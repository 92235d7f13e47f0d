"""A cell's input and what an engine answers on it."""

from typing import assert_never

from agreement.engines.registry import engine
from agreement.generate import Plan, generated
from agreement.judging.inputs import pushes_at
from agreement.judging.versions import Run
from agreement.recordings.answers import Answers
from agreement.recordings.reading import read_recording
from agreement.recordings.recording import Push, Recording
from agreement.reporting_as import specified
from agreement.running.cells import CellInput, EngineVersion, JudgingWork, RecordedAnswers, TraceFiles
from agreement.sources import sources
from agreement.specifications.evaluation import Choice
from agreement.specifications.specification import Specification
from lars.errors import LarsError


def pushes_in(given: CellInput) -> tuple[Push, ...]:
    """Return the triples of a trace in arrival order; raises LarsError when there is none."""
    match given.trace:
        case Plan():
            found = tuple(generated(given.trace))
        case TraceFiles(paths, options):
            found = pushes_at(paths, options, given.unit)
        case _:
            assert_never(given.trace)
    if not found:
        raise LarsError("the trace has no element; accepted: one at least")
    return found


def answered(work: JudgingWork, run: Run) -> Answers:
    """Return what is judged: what an engine version or a specification answers, or recorded answers."""
    match work.judged:
        case EngineVersion(name, off):
            return Answers(engine(name).run(run.query, run.static, run.pushes, off))
        case Specification():
            return Answers(_specified(work.judged, run, work))
        case RecordedAnswers(path, options):
            return read_recording(path, options)
        case _:
            assert_never(work.judged)


def _specified(wanted: Specification, run: Run, work: JudgingWork) -> Recording:
    """Return what a specification reports with the first t0 and the first of its bounds."""
    first = (work.options.starts or (work.options.registered,))[0]
    bounds = (work.options.bounds or wanted.bounds)[0]
    choice = Choice(tuple(first for _ in sources(run.query)), bounds)
    # A window that is open at its upper end closes after the last element.
    return specified(run, wanted, choice, max(run.last + 1, work.options.until or 0))
