"""Create the output of `lars translate` with a trace: a file with program and trace, for clingo or SQL.

A SQL script does not need the trace, because users can load the input later.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agreement.answering.solve.solving import given_to, trace_of, used_predicates
from agreement.answering.solve.translating import (
    TranslatingTask,
    placed_refusal,
    program_of,
    seen_in_asp,
    variants,
)
from agreement.documents.requests import PROGRAM_SUFFIXES, load_program
from agreement.documents.traces import Trace, background, check_timeline, point_on, with_dates
from lars.analysis import ExportError
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.windows import Interval
from solver.facts import Background, Situation
from solver.job import ask
from solver.pointwise.standalone_files import standalone
from solver.settings import Runner, Time, TraceInput, Warn, unsaid
from solver.sql import ProgramInput, script
from solver.traces import point_of, read_static
from translate.model.query import Dataset, EngineQuery
from translate.tau import output_of

_MOST_POINTS: Final = 10_000
"""The maximum number of time points in the file."""


def asp_lines(task: TranslatingTask, trace_input: TraceInput, at: Time | None, warn: Warn) -> Iterator[str]:
    """Yield the lines of a file with which clingo evaluates a program on its trace.

    The file evaluates each time of the timeline, or only the time `at`.

    Raises:
        LarsError: Several CQELS queries can be derived from the query.
    """
    program, query, trace = _on_trace(task, trace_input, at, warn)
    times = trace.timeline
    if at is not None:
        point = point_on(trace, at, trace_input.options)
        times = Interval(point, point)
    check_timeline(times, None)
    if times.last - times.first >= _MOST_POINTS:
        raise LarsError(
            f"the timeline {times} is longer than {_MOST_POINTS} time points; use --at to choose one of "
            "these time points"
        )
    output = None if query is None else output_of(query, task.setting).predicate
    situation = Situation(trace.timeline, trace.facts(trace.timeline), trace.background)
    if trace.origin is not None:
        yield f"% Time 0 is {trace.origin}, a time point {trace_input.options.time_point}."
    yield from map(seen_in_asp, standalone(program, situation, list(times), output).lines())


def _on_trace(
    task: TranslatingTask, trace_input: TraceInput, at: Time | None, warn: Warn
) -> tuple[Program, EngineQuery | None, Trace]:
    """Return the program of a task, its query (None for a program), and the trace.

    In the program, the value of NOW() is computed from the dateTime of time 0 of the trace.
    """
    program, query = single_program(task, warn)
    trace = trace_of(replace(trace_input, runner=Runner(in_process=True)), (None, at), query, warn)
    if query is None:
        given_to(program, trace)
    else:
        program, _ = single_program(replace(task, setting=with_dates(task.setting, trace)), unsaid)
    return program, query, trace


def single_program(task: TranslatingTask, warn: Warn) -> tuple[Program, EngineQuery | None]:
    """Return the only program of a task, and its query (None if the task is a program).

    Raises:
        LarsError: Several queries can be derived from the query.
    """
    if task.path.suffix in PROGRAM_SUFFIXES:
        return load_program(task.path), None
    queries = variants(task, warn)
    if len(queries) > 1:
        names = ", ".join(name for name, _ in queries)
        raise LarsError(
            f"{task.path}: the input contains {len(queries)} queries ({names}); use an input with one query"
        )
    (_, query) = queries[0]
    return program_of(query, task), query


_STATIC: Final = frozenset((("triple", 4), ("named", 1)))
"""The predicates of the atoms that represent static data."""


def sql_lines(task: TranslatingTask, trace: TraceInput | None, at: Time | None, warn: Warn) -> Iterator[str]:
    """Yield the lines of the SQL script of a program or query.

    Raises:
        LarsError: SQL cannot express a construct of the program. The error contains the place of the
        construct.
    """
    if trace is None:
        program, query = single_program(task, warn)
        program_input = _traceless_input(program, query, task, warn)
        point = None if at is None else point_of(at, None, task.setting.unit)
    else:
        program, query, read = _on_trace(task, trace, at, warn)
        program_input = _input_in(program, read)
        point = None if at is None else point_on(read, at, trace.options)
    output = None if query is None else output_of(query, task.setting)
    # At the time asked about the program has its trigger, which may not let it be evaluated then.
    gate = None if point is None else (point,)
    question = ask(program, ("", 0) if output is None else output.predicate, gate)
    columns = () if output is None else output.variables
    predicate = None if output is None else output.predicate
    try:
        yield from script(question.program, question.gate, predicate, columns, program_input)
    except ExportError as error:
        raise placed_refusal(error, question.program, task.path) from None


def _traceless_input(
    program: Program, query: EngineQuery | None, task: TranslatingTask, warn: Warn
) -> ProgramInput:
    """Return the input of a program for which no trace is given: only static data."""
    dataset = Dataset() if query is None else query.dataset
    static: Background = background(read_static(task.static), dataset, warn) if task.static else {}
    known = _STATIC & used_predicates(program)
    return ProgramInput(known, frozenset() if query is not None else known, background=static)


def _input_in(program: Program, trace: Trace) -> ProgramInput:
    """Return the input atoms of a trace that the program reads."""
    facts, known = trace.facts(trace.timeline), _STATIC & used_predicates(program)
    streamed = frozenset((fact.predicate, len(fact.arguments)) for fact in facts)
    return ProgramInput(known, known & streamed, facts, trace.timeline, trace.background)
