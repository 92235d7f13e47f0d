"""What is exported: a program and its input, the times that count, and how its answers are read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from agreement.answering.export.answers import LegendColumns, columns_of
from agreement.answering.solve.solving import (
    SolvingTask,
    asked_span,
    in_mode,
    program_on_trace,
    query_on_trace,
)
from agreement.documents.requests import PROGRAM_SUFFIX
from lars.analysis import windows, with_windows
from lars.errors import LarsError
from lars.language.formulas import Assign, BodyLiteral, Test
from lars.language.program import Program, Rule, atoms, set_literals
from lars.language.terms import Atom, Signature, Variable, signature
from lars.language.windows import Interval, TimeWindow, TupleWindow, Window
from solver.facts import EveryTime, Fact, Gate, Multiples, Situation, atom_of, atoms_of, counts, times_of
from solver.job import Question, Whole, ask
from solver.pointwise import HostedCondition, condition_arguments
from solver.pointwise.standalone_files import decided_conditions
from solver.settings import Runner, Warn
from translate.model.query import ToStream
from translate.tau import output_of

MOST: Final = 10_000
"""So many evaluation times an export can have, and time points where a clock ticks at each."""


@dataclass(frozen=True, slots=True)
class ExportedProgram:
    """A program with what it meets; `times` are its evaluation times, those in `span` are shown.

    `program` is evaluated at these times whatever triggers it, `triggered` has its trigger of push.
    `origin` is the dateTime of time 0, None where times are numbers alone.
    """

    program: Program
    triggered: Program
    situation: Situation
    times: tuple[int, ...]
    span: Interval
    columns: LegendColumns | None
    origin: str | None

    @property
    def answer(self) -> Signature | None:
        """The predicate of a query's answers."""
        return None if self.columns is None else self.columns.output.predicate


def export_program(task: SolvingTask, warn: Warn) -> ExportedProgram:
    """Return what is exported of a query or program with its trace."""
    task = replace(task, trace=replace(task.trace, runner=Runner(in_process=True)))
    if task.path.suffix == PROGRAM_SUFFIX:
        columns, (program, trace, _) = None, program_on_trace(task, warn)
        question, report = Question(program, Whole(), EveryTime()), ToStream.RSTREAM
    else:
        query, trace, task = query_on_trace(task, warn)
        output, report = output_of(query, task.setting), query.to_stream or ToStream.RSTREAM
        columns, program = columns_of(output, report), in_mode(query, task)
        question = ask(program, output.predicate)
    span = asked_span(task, trace, 1)
    facts = trace.facts(trace.timeline)
    # What is new or gone is so since the evaluation before, also before the first time that is shown.
    within = Interval(span.first if report is ToStream.RSTREAM else 0, span.last)
    return ExportedProgram(
        question.program,
        question.program if isinstance(question.gate, Multiples) else program,
        Situation(trace.timeline, facts, trace.background),
        _times(question.gate, facts, within),
        span,
        columns,
        trace.origin,
    )


def _times(gate: Gate, facts: Iterable[Fact], within: Interval) -> tuple[int, ...]:
    match gate:
        case EveryTime():
            fewest = within.last - within.first + 1
        case Multiples(periods):
            fewest = (within.last - within.first) // min(periods)
        case _:
            fewest = 0
    times = tuple(times_of(gate, facts, within)) if fewest <= MOST else ()
    if max(fewest, len(times)) > MOST:
        raise LarsError(
            f"there are more than {MOST} evaluation times from {within.first} to {within.last}; "
            "accepted: fewer, by --from, --until or --period"
        )
    return times


def plainer(exported_program: ExportedProgram) -> tuple[Program, tuple[Atom, ...]]:
    """Return the triggered program in fewer words, which say the same at its times, and facts for it.

    A slide is left out where all evaluations are at its multiples, the stream of a window where all
    input is of it; SPARQL conditions become atoms, and facts for the terms of which they hold.
    """
    if any(True for rule in exported_program.triggered.rules for _ in set_literals(rule.body)):
        return exported_program.triggered, ()

    def shown(window: Window) -> Window:
        match window:
            case TimeWindow(_, 0, step) if step > 1 and not any(t % step for t in exported_program.times):
                return replace(window, step=1)
            case TupleWindow() if all(
                counts(window, fact.arguments) for fact in exported_program.situation.facts
            ):
                return replace(window, source=None)
            case _:
                return window

    decided = decided_conditions(exported_program.program, exported_program.situation, exported_program.times)
    used = {
        atom.predicate
        for rule in exported_program.triggered.rules
        for part in rule.body
        for atom, _, _ in atoms(part)
    }
    used |= {
        name
        for name, _ in (
            *exported_program.situation.background,
            *map(signature, map(atom_of, exported_program.situation.facts)),
        )
    }
    fresh = (name for n in range(1, 10**9) if (name := f"condition{n}") not in used)
    names: dict[HostedCondition, str] = {condition: next(fresh) for condition in decided}

    def atomic(literal: BodyLiteral) -> BodyLiteral:
        if not isinstance(literal, Test | Assign):
            return literal
        return Atom(names[literal], _columns(literal))

    program = with_windows(exported_program.triggered, shown)
    rules = (Rule(rule.head, tuple(map(atomic, rule.body))) for rule in program.rules)
    facts = (
        Atom(names[condition], row) for condition, rows in decided.items() for row in sorted(rows, key=str)
    )
    return Program(tuple(rules)), tuple(facts)


def _columns(condition: Test | Assign) -> tuple[Variable, ...]:
    arguments = condition_arguments(condition)
    return (*arguments, condition.variable) if isinstance(condition, Assign) else arguments


def input_of(exported_program: ExportedProgram, program: Program) -> Iterator[tuple[int, Atom]]:
    """Yield the input that a program can see, up to the last time, in arrival order with its times."""
    used = _used(program)
    tuples = any(isinstance(window, TupleWindow) for window in windows(program))
    for fact in dict.fromkeys(exported_program.situation.facts):
        if fact.t <= exported_program.span.last and (tuples or (fact.predicate, len(fact.arguments)) in used):
            yield fact.t, atom_of(fact)


def background_of(exported_program: ExportedProgram, program: Program) -> tuple[Atom, ...]:
    """Return the static data that a program looks at."""
    used = _used(program)
    return tuple(atom for atom in atoms_of(exported_program.situation.background) if signature(atom) in used)


def _used(program: Program) -> frozenset[Signature]:
    parts = (part for rule in program.rules for part in rule.body)
    return frozenset(signature(atom) for part in parts for atom, _, _ in atoms(part))
