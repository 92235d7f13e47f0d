"""What `lars solve` prints: the answers of a query or a program, time point by time point."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agreement.files import PROGRAM_SUFFIX, load_query, read_text
from agreement.inputs import TraceInput, check_timeline, dataset_of, load_trace, streams_of
from agreement.outputs import bindings, row_order, short_row
from agreement.pushpull import Outputs
from agreement.traces import Trace
from agreement.translating import period_of, translated
from lars import notation
from lars.errors import LarsError
from lars.formulas import Truth
from lars.program import Program, Rule, atoms, head_atom
from lars.safety import check_safety
from lars.terms import Atom, Signature, Variable, signature
from lars.windows import Interval
from solver.evaluate import Question, ask
from solver.gate import Always, Multiples
from solver.intervals import Row
from translate.profiles import Setting
from translate.query import Dataset, EngineQuery, Language
from translate.remarks import remarks
from translate.tau import ordered
from translate.triggers import Trigger, pull, push

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query or program, the trace it meets, and how; `span` are the first and last time wanted."""

    path: Path
    trace: TraceInput
    engine: Language | None
    mode: str | None
    period: int | None
    setting: Setting
    trigger: Trigger
    span: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Rows:
    """A query's answers at each evaluation time; `variables` is V̄."""

    variables: tuple[Variable, ...]
    times: tuple[int, ...]
    outputs: Outputs


@dataclass(frozen=True, slots=True)
class Streams:
    """A program's answer streams at each time point: derived atoms with their times, as texts."""

    at: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...]


def answers(wanted: Wanted, warn: Warn) -> Rows | Streams:
    """Return the answers; a program's are all its answer streams, a query's the rows of V̄."""
    if wanted.path.suffix == PROGRAM_SUFFIX:
        return _streams(wanted, warn)
    query = load_query(wanted.path, wanted.setting.unit, wanted.engine)
    trace = _trace(wanted, query, warn)
    for remark in remarks(query, wanted.setting):
        warn(remark)
    output = ("ans1", len(query.result))
    question = ask(_moded(query, wanted), output)
    clock = Question(Program((Rule(Atom("evaluated"), (Truth(),)),)), ("evaluated", 0), question.gate)
    every = min(question.gate.periods) if isinstance(question.gate, Multiples) else None
    rows, evaluated = trace.answers([question, clock], _span(wanted, trace, every))
    return Rows(ordered(query.result), tuple(sorted(evaluated)), rows)


def _moded(query: EngineQuery, wanted: Wanted) -> Program:
    program = translated(query, wanted.setting)
    natural = "pull" if query.language is Language.CSPARQL else "push"
    if (wanted.mode or natural) == "push":
        return push(program, wanted.trigger)
    return pull(program, period_of(query, wanted.period, wanted.setting))


def _trace(wanted: Wanted, query: EngineQuery | None, warn: Warn) -> Trace:
    streams = () if query is None else tuple(stream.value for stream in streams_of(query))
    options = replace(wanted.trace.options, query_streams=streams)
    dataset = Dataset() if query is None else dataset_of([query])
    trace = load_trace(replace(wanted.trace, options=options), dataset, warn)
    # Who asks for times after the last element wants to see the windows run empty.
    trace.timeline = Interval(0, max(trace.timeline.last, wanted.span[1] or 0))
    return trace


def _span(wanted: Wanted, trace: Trace, every: int | None) -> Interval:
    first, last = wanted.span
    span = Interval(
        trace.timeline.first if first is None else first, trace.timeline.last if last is None else last
    )
    check_timeline(span, every)
    return span


def _streams(wanted: Wanted, warn: Warn) -> Streams:
    program = notation.read(read_text(wanted.path, "a LARS program"), str(wanted.path))
    check_safety(program)
    trace = _trace(wanted, None, warn)
    for name, arity in sorted(_unknown(program)):
        warn(f"{name}/{arity} is neither derived nor given; given are striple/4, triple/4 and named/1")
    span = _span(wanted, trace, 1)
    try:
        (found,) = trace.answers([Question(program, None, Always())], span)
    except LarsError as error:
        raise LarsError(f"{wanted.path}: {error}") from None
    times = span.meet(trace.timeline)
    return Streams(tuple((t, tuple(sorted(map(_atoms, found.get(t, ()))))) for t in times))


def _unknown(program: Program) -> frozenset[Signature]:
    used = {signature(atom) for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)}
    facts = {signature(atom) for rule in program.rules if (atom := head_atom(rule)) is not None}
    return frozenset(used - facts - {("striple", 4), ("triple", 4), ("named", 1)})


def _atoms(row: Row) -> tuple[str, ...]:
    return tuple(text or "" for text in row)


def json_lines(found: Rows | Streams) -> Iterator[str]:
    """Yield one JSON object a line for each time point."""
    match found:
        case Rows(variables, times, outputs):
            for t in times:
                rows = bindings(variables, outputs.get(t, ()))
                yield json.dumps({"t": t, "rows": rows})
        case Streams(at):
            for t, streams in at:
                yield json.dumps({"t": t, "answer_streams": streams})


def text_lines(found: Rows | Streams) -> Iterator[str]:
    """Yield the answers for a reader."""
    match found:
        case Rows(variables, times, outputs):
            yield f"t: ({', '.join(f'?{variable.name}' for variable in variables)})"
            for t in times:
                rows = sorted(outputs.get(t, ()), key=row_order)
                yield f"{t}: {' '.join(map(short_row, rows)) or '-'}"
        case Streams(at):
            for t, streams in at:
                shown = " | ".join("{" + ", ".join(stream) + "}" for stream in streams)
                yield f"{t}: {shown or 'no answer stream'}"
