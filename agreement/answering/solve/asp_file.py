"""What `lars translate --format asp` prints with a trace: both as one file that plain clingo runs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agreement.answering.solve.solving import given_to, trace_of
from agreement.answering.solve.translating import TranslatingTask, program_of, seen_in_asp, variants
from agreement.documents.requests import PROGRAM_SUFFIX, load_program
from agreement.documents.traces import check_timeline, point_on, with_dates
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.windows import Interval
from solver.facts import Situation
from solver.pointwise.standalone_files import standalone
from solver.settings import Runner, Time, TraceInput, Warn, unsaid
from translate.model.query import EngineQuery
from translate.tau import output_of

_MOST: Final = 10_000
"""For so many time points the file can be."""


def standing_alone_lines(
    task: TranslatingTask, trace_input: TraceInput, at: Time | None, warn: Warn
) -> Iterator[str]:
    """Yield the lines of the file: for each time of the timeline, or for `at` alone.

    Raises LarsError when the query stands for several of the other engine.
    """
    program, query = single_program(task, warn)
    trace = trace_of(replace(trace_input, runner=Runner(in_process=True)), at, query, warn)
    if query is None:
        given_to(program, trace)
    else:
        program, _ = single_program(replace(task, setting=with_dates(task.setting, trace)), unsaid)
    times = trace.timeline
    if at is not None:
        point = point_on(trace, at, trace_input.options)
        times = Interval(point, point)
    check_timeline(times, None)
    if times.last - times.first >= _MOST:
        raise LarsError(
            f"the timeline {times} is longer than {_MOST} time points; accepted: one of them, by --at"
        )
    output = None if query is None else output_of(query, task.setting).predicate
    situation = Situation(trace.timeline, trace.facts(trace.timeline), trace.background)
    if trace.origin is not None:
        yield f"% Time 0 is {trace.origin}, a time point {trace_input.options.unit}."
    yield from map(seen_in_asp, standalone(program, situation, list(times), output).lines())


def single_program(task: TranslatingTask, warn: Warn) -> tuple[Program, EngineQuery | None]:
    """Return the program, and the query that it stems from; raises LarsError where there are several."""
    if task.path.suffix == PROGRAM_SUFFIX:
        return load_program(task.path), None
    queries = variants(task, warn)
    if len(queries) > 1:
        names = ", ".join(name for name, _ in queries)
        raise LarsError(f"{task.path}: it stands for {len(queries)} queries ({names}); accepted here: one")
    (_, query) = queries[0]
    return program_of(query, task), query
