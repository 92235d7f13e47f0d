"""What `lars translate --format sql` prints: a program as a script, with static data and trace if given."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agreement.answering.solve.asp_file import single_program
from agreement.answering.solve.solving import given_to, trace_of
from agreement.answering.solve.translating import TranslatingTask, placed_refusal
from agreement.documents.traces import background, point_on
from lars.language.program import Program, atoms
from lars.language.terms import Signature, signature
from solver.facts import Background, ChosenTimes
from solver.job import ask
from solver.settings import Runner, Time, TraceInput, Warn
from solver.sql import InexpressibleInSqlError, ProgramInput, script
from solver.traces import point_of, read_static
from translate.model.query import Dataset, EngineQuery
from translate.tau import output_of

_STATIC: Final = frozenset((("triple", 4), ("named", 1)))
"""What static data is held as."""


def sql_lines(task: TranslatingTask, trace: TraceInput | None, at: Time | None, warn: Warn) -> Iterator[str]:
    """Yield the lines of the script; raises LarsError with the place of what SQL cannot say exactly."""
    program, query = single_program(task, warn)
    if trace is None:
        program_input = _traceless_input(program, query, task, warn)
        point = None if at is None else point_of(at, None, task.setting.unit)
    else:
        program_input, point = _read(program, query, trace, at, warn)
    output = None if query is None else output_of(query, task.setting)
    question = ask(program, ("", 0) if output is None else output.predicate)
    gate = question.gate if point is None else ChosenTimes((point,))
    columns = () if output is None else output.variables
    predicate = None if output is None else output.predicate
    try:
        yield from script(question.program, gate, predicate, columns, program_input)
    except InexpressibleInSqlError as error:
        raise placed_refusal(error, question.program, task.path) from None


def _traceless_input(
    program: Program, query: EngineQuery | None, task: TranslatingTask, warn: Warn
) -> ProgramInput:
    """Return what is known without a trace: the static data, which is a program's if it uses it."""
    dataset = Dataset() if query is None else query.dataset
    static: Background = background(read_static(task.static), dataset, warn) if task.static else {}
    known = _STATIC & _used(program)
    return ProgramInput(known, frozenset() if query is not None else known, background=static)


def _read(
    program: Program, query: EngineQuery | None, trace_input: TraceInput, at: Time | None, warn: Warn
) -> tuple[ProgramInput, int | None]:
    """Return what the trace gives, and the time point that is asked about."""
    trace = trace_of(replace(trace_input, runner=Runner(in_process=True)), at, query, warn)
    if query is None:
        given_to(program, trace)
    facts, known = trace.facts(trace.timeline), _STATIC & _used(program)
    streamed = frozenset((fact.predicate, len(fact.arguments)) for fact in facts)
    met = ProgramInput(known, known & streamed, facts, trace.timeline, trace.background)
    return met, None if at is None else point_on(trace, at, trace_input.options)


def _used(program: Program) -> frozenset[Signature]:
    return frozenset(
        signature(atom) for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)
    )
