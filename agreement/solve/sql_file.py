"""What `lars translate --format sql` prints: a program as a script, with static data and trace if given."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agreement.solve.asp_file import single_program
from agreement.solve.solving import given_to, trace_of
from agreement.solve.translating import TranslatingTask, placed_refusal
from agreement.traces import background
from lars.program import Program, atoms
from lars.terms import Signature, signature
from solver.facts import Background, Chosen, read_static
from solver.job import ask
from solver.settings import Runner, TraceInput, Warn
from solver.sql import Given, InexpressibleInSqlError, script
from translate.query import Dataset, EngineQuery
from translate.tau import answered

_STATIC: Final = frozenset((("triple", 4), ("named", 1)))
"""What static data is held as."""


def sql_lines(wanted: TranslatingTask, trace: TraceInput | None, at: int | None, warn: Warn) -> Iterator[str]:
    """Yield the lines of the script; raises LarsError with the place of what SQL cannot say exactly."""
    program, query = single_program(wanted, warn)
    given = _given(program, query, wanted, warn) if trace is None else _read(program, query, trace, at, warn)
    output = None if query is None else answered(query, wanted.setting)
    question = ask(program, ("", 0) if output is None else output.predicate)
    gate = question.gate if at is None else Chosen((at,))
    columns = () if output is None else output.variables
    predicate = None if output is None else output.predicate
    try:
        yield from script(question.program, gate, predicate, columns, given)
    except InexpressibleInSqlError as error:
        raise placed_refusal(error, question.program, wanted.path) from None


def _given(program: Program, query: EngineQuery | None, wanted: TranslatingTask, warn: Warn) -> Given:
    """Return what is known without a trace: the static data, which is a program's if it uses it."""
    dataset = Dataset() if query is None else query.dataset
    static: Background = background(read_static(wanted.static), dataset, warn) if wanted.static else {}
    known = _STATIC & _used(program)
    return Given(known, frozenset() if query is not None else known, background=static)


def _read(
    program: Program, query: EngineQuery | None, given: TraceInput, at: int | None, warn: Warn
) -> Given:
    trace = trace_of(replace(given, runner=Runner(in_process=True)), at, query, warn)
    if query is None:
        given_to(program, trace)
    facts, known = trace.facts(trace.timeline), _STATIC & _used(program)
    streamed = frozenset((fact.predicate, len(fact.arguments)) for fact in facts)
    return Given(known, known & streamed, facts, trace.timeline, trace.background)


def _used(program: Program) -> frozenset[Signature]:
    return frozenset(
        signature(atom) for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)
    )
