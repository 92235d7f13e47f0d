"""Compute the answers of `lars solve` at each time point, and the reports of `lars solve --as`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache, partial
from itertools import takewhile
from math import inf
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, ClassVar, Final

from agreement.answering.solve.translating import period_of, pulled
from agreement.comparing.matching.silence import rows_on, silence
from agreement.documents import requests
from agreement.documents.dates import Dates
from agreement.documents.outputs import in_order, quantity
from agreement.documents.traces import (
    Trace,
    absent_graphs,
    check_reached,
    check_timeline,
    check_within_reach,
    clock_of,
    empty_trace,
    load_trace,
    mismatches,
    origin_in,
    point_in,
    point_on,
    streams_of,
    with_dates,
)
from agreement.documents.values import points_of
from agreement.engines.r2s import reported_rows
from lars.analysis import bare_windows, failing_comparisons, intensional, reach, windows_of
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, PlacedError, about, cut
from lars.language import terms
from lars.language.formulas import RELATIONS, Box, Comparison, Diamond, Expression, Test
from lars.language.program import Program, atoms, head_atom
from lars.language.stream import ToStream
from lars.language.terms import (
    ABSOLUTE_IRI,
    Iri,
    Signature,
    Variable,
    signature,
    without_brackets,
    write_name,
)
from lars.language.windows import LARGEST_TIME, FixedWindow, Interval, TimeWindow, TupleWindow
from lars.options import option
from lars.semantics import circular_through_negation
from lars.text import Scanner, read_ground_atom
from solver.facts import Gate, Multiples, Row, atom_of
from solver.job import Question, StreamRuns, Whole, ask
from solver.settings import Runner, Span, Time, TraceInput, TraceOptions, Warn
from translate.analysis import closes, is_historical, remarks, remarks_on_sums
from translate.dialects import TITLES
from translate.model.query import EngineQuery, Setting
from translate.model.windows import Range
from translate.tau import lars_program, output_of, push

if TYPE_CHECKING:
    from agreement.documents.recordings import Recording, Report
    from agreement.engines.specifications import EngineRun, OpenChoice, Specification

MOST_STREAMS: Final = 1000
"""The default maximum number of answer streams that are shown at one time point."""


@dataclass(frozen=True, slots=True)
class AnswerStreamOptions:
    """The options that select the answer streams of a program to print."""

    HEADING: ClassVar = "Answer streams of a program"

    models: int | None = option(
        None,
        f"Number of answer streams of a program to print at each time. [default: {MOST_STREAMS}]",
        requests.readers.models,
    )
    brave: bool = option(
        False, "Print the brave consequences: atoms that at least one answer stream contains."
    )
    cautious: bool = option(
        False, "Print the cautious consequences: atoms that every answer stream contains."
    )
    show: str | None = option(
        None, "Print only the given predicates of a program, such as alarm/1,other/2.", metavar="NAME/N"
    )

    @property
    def whole(self) -> Whole:
        """Return the kind of output to compute: answer streams, or their brave or cautious consequences.

        Raises:
            LarsError: More than one of --models, --brave and --cautious is given.
        """
        if self.brave + self.cautious + (self.models is not None) > 1:
            raise LarsError("cannot combine --models, --brave and --cautious; use one of them")
        if self.brave or self.cautious:
            return Whole(None, "brave" if self.brave else "cautious")
        return Whole(MOST_STREAMS if self.models is None else self.models or None)

    @property
    def predicates(self) -> frozenset[Signature] | None:
        """The predicates in the option --show; None if the option is not given, so that all are shown."""
        return None if self.show is None else read_shown(self.show)


Unanswered = Callable[[Program, Trace, int], str]
"""A function that returns the reason why a program has no answer stream on a trace at a time."""


@dataclass(frozen=True, slots=True)
class SolvingTask:
    """A query or program to solve, with its trace and settings.

    The field `span` contains the first and last time to answer. The field `predicates` contains the
    predicates to show of a program; None means all derived predicates.
    """

    path: Path
    trace: TraceInput
    evaluation: requests.EvaluationOptions
    setting: Setting
    span: Span
    whole: Whole = field(default_factory=Whole)
    predicates: frozenset[Signature] | None = None
    unanswered: Unanswered | None = None

    def in_process(self) -> "SolvingTask":
        """Return the same task, but the trace is read in this process, without Spark."""
        return replace(self, trace=replace(self.trace, runner=Runner(in_process=True)))


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The answers of a query at each evaluation time, in order of time.

    The field `variables` contains the columns of the rows, and `at` each time with its rows. `at` may be an
    iterator that evaluates the query on demand and can be read only once. The method `evaluate` returns
    answers that can be read several times. The field `origin` is the dateTime of time 0; None if times are
    integers.
    """

    variables: tuple[Variable, ...]
    at: Iterable[tuple[int, Sequence[Row]]]
    origin: str | None

    def evaluate(self) -> "AnswerRows":
        """Evaluate the query at all times, and return answers that can be read several times."""
        return replace(self, at=tuple(self.at))


def solving_task(
    path: Path, traces: Sequence[Path], how: requests.ProgramOptions, span: Span, note: Warn
) -> SolvingTask:
    """Return the task that the options of `lars solve` describe, for a query or program and its trace.

    If the input is an experiment, the experiment contains the other values of the task. By default, a time
    point has the longest unit that fits the query and the trace, and `note` receives a message with this
    unit.
    """
    if not requests.is_experiment(path):
        how = how.fitted(path, note)
    return SolvingTask(path, how.input_options.trace_input(traces), how.evaluation, how.setting, span)


StreamsAt = tuple[int, tuple[tuple[str, ...], ...]]
"""A time point with the answer streams at this time."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The answer streams of a program at each time point, as texts of derived atoms with their times.

    If brave or cautious consequences are requested, one list of atoms replaces the answer streams of a time
    point. If each time point has exactly one answer stream, `parts` contains atoms with the intervals of time
    in which they hold. `parts` may be an iterator that evaluates the program on demand and can be read only
    once. The field `origin` is the dateTime of time 0; None if times are integers.
    """

    parts: Iterable[StreamRuns | StreamsAt]
    whole: Whole
    origin: str | None

    @property
    def at(self) -> Iterator[StreamsAt]:
        """Each time point with the answer streams of the program at this time."""
        for part in self.parts:
            if isinstance(part, StreamRuns):
                yield from ((t, (atoms,)) for t, atoms in part.streams())
            else:
                yield part

    @property
    def counts(self) -> Iterator[tuple[int, int]]:
        """Each time point with the number of answer streams of the program at this time."""
        for part in self.parts:
            if isinstance(part, StreamRuns):
                yield from ((t, 1) for t in part)
            else:
                yield part[0], len(part[1])

    def evaluate(self) -> "Streams":
        """Evaluate the program at all times, and return answer streams that can be read several times."""
        return replace(self, parts=tuple(self.parts))


def answers(task: SolvingTask, warn: Warn) -> AnswerRows | Streams:
    """Return the rows that answer a query, or the answer streams of a program."""
    if task.path.suffix in requests.PROGRAM_SUFFIXES:
        return _streams(task, warn)
    query, trace, task = query_on_trace(task, warn)
    output = output_of(query, task.setting)
    question = ask(in_mode(query, task), output.predicate)
    every = min(question.gate.periods) if isinstance(question.gate, Multiples) else None
    span = asked_span(task, trace, every)
    if (*task.span, task.evaluation.period) == (None, None, None) and is_historical(query):
        span = Interval(span.last, span.last)  # it is the same at all times
    # Of numbers, who asks for early ones may want what static data alone give.
    if task.span[1] is not None and trace.origin is not None:
        check_reached(trace, span, trace.timeline.last, task.trace.options.time_point)
    if (first := _first_incomplete(query, task.setting.unit, trace, span, every)) is not None:
        begin, end = map(
            Dates(trace.origin, task.trace.options.time_point).text, (first, trace.timeline.last)
        )
        warn(
            f"rows from {begin} on are incomplete, because their windows end after the trace, which ends at "
            f"{end}; {TITLES[query.language]} does not report such windows"
        )
    pushed = not isinstance(question.gate, Multiples)
    for remark in remarks(query, task.setting, pushed=pushed, rows=True):
        warn(remark)
    if all(isinstance(source.stream, Iri) for source in requests.sources(query)):
        read = (stream.value for stream in streams_of(query))
        trigger = task.setting.trigger if pushed else None
        for message in mismatches(read, {stream for stream, _ in trace.predicates()}, trigger):
            warn(message)
    kind = query.operator
    interval = span if kind == "RSTREAM" else _with_previous(question.gate, trace, span)
    portions = trace.portions([question, clock_of(question)], interval)
    each = ((t, in_order(output, rows.get(t, ()))) for rows, clock in portions for t in sorted(clock))
    for message in absent_graphs(query, trace.background):
        warn(message)
    has_rows = rows_on(trace, partial(_part_asked, whole=query, task=task), interval)
    when = _when(task, trace, span)

    def say(last: int | None) -> None:
        begin, dates = trace.begin, Dates(trace.origin, task.trace.options.time_point)
        if last is None:
            why = "no triple arrives at these times" if pushed else "no time is a multiple of the pull period"
            if isinstance(question.gate, Multiples) and question.gate.offsets:
                why = "no window closes at these times"
            warn(f"the query is never evaluated{when}: {why}")
        elif begin is not None and last < begin:
            times = f"at {dates.text(last)}, is before the first element, at {dates.text(begin)}"
            warn(f"the query never returns a row: the last evaluation, {times}; use a later --to")
        elif kind != "RSTREAM" and has_rows(query):
            kept = "new" if kind == "ISTREAM" else "lost"
            warn(
                f"the query reports no row{when}, because {kind} reports only {kept} answers, and no answer "
                f"is {kept} at these times"
            )
        elif _is_gap(question.program, trace, span):
            warn(f"the query returns no row{when}: {_GAP}")
        else:
            warn(silence("the query", query, has_rows, when, trace))

    sums = {output.variables.index(name): remark for name, remark in remarks_on_sums(query).items()}
    changes = (change for change in _changes(kind, _told(each, sums, warn)) if change[0] in span)
    return AnswerRows(output.variables, _spoken(changes, say), trace.origin)


def _with_previous(gate: Gate, trace: Trace, span: Interval) -> Interval:
    """Return `span` with the evaluation before it: rows are new or gone (ISTREAM, DSTREAM) relative to it."""
    first = trace.timeline.first  # push evaluates where input arrives, so earlier times cost little
    if isinstance(gate, Multiples):
        previous = gate.last_before(span.first)
        first = span.first if previous is None else max(previous, first)
    return Interval(min(first, span.first), span.last)


_GAP: Final = "no window at these times contains an element; use other times (--from, --to)"


def _when(task: SolvingTask, trace: Trace, span: Interval) -> str:
    """Return the requested times as text for messages, such as " from 3 to 9"; "" if all are requested."""
    first, last = map(Dates(trace.origin, task.trace.options.time_point).text, (span.first, span.last))
    return "" if task.span == (None, None) else f" from {first} to {last}"


def _first_incomplete(
    query: EngineQuery, unit: Duration, trace: Trace, span: Interval, every: int | None
) -> int | None:
    """Return the first evaluation time at which a window contains times after the end of the trace.

    If no window contains times after the end of the trace, the function returns None.
    """
    begins: list[int] = []
    for window in (source.window for source in requests.sources(query)):
        if isinstance(window, Range) and window.ahead:
            # A window ends so long after its pivot, the last multiple of its slide.
            slide = 1 if window.slide is None else window.slide.points(unit)
            begins.append(-(-(trace.timeline.last - window.ahead.points(unit) + 1) // slide) * slide)
    if not begins:
        return None
    step = every or 1
    first = -(-max(span.first, min(begins)) // step) * step
    return first if first <= span.last else None


def _is_gap(program: Program, trace: Trace, span: Interval) -> bool:
    """Return whether all windows are empty at all times in `span`, although the trace has elements."""
    seen = reach(program)
    if trace.begin is None or seen.past is None or seen.future is None or seen.tuples:
        return False
    return not trace.facts(Interval(max(0, span.first - seen.past), span.last + seen.future))


def query_on_trace(task: SolvingTask, warn: Warn) -> tuple[EngineQuery, Trace, SolvingTask]:
    """Return the query and the trace of a task, and the task with the dateTime of the trace's time 0."""
    query = _query_of(task)
    requests.check_evaluated(query, task.evaluation, task.setting.trigger)
    if not requests.is_pushed(query, task.evaluation) and not closes(query, task.setting.unit):
        # Before the trace is read.
        period_of(query, task.evaluation.period, task.setting)
    trace = trace_of(task.trace, task.span, query, warn)
    return query, trace, replace(task, setting=with_dates(task.setting, trace))


def _query_of(task: SolvingTask) -> EngineQuery:
    """Return the query of a task, in the language of --engine; raises LarsError for another language."""
    read = partial(requests.load_query, task.path, task.setting.unit, graphs=True)
    engine = task.evaluation.engine
    try:
        return read(engine)
    except LarsError as error:
        language = engine
        with suppress(LarsError):
            language = read().language
        if engine is language or engine is None or not isinstance(error, PlacedError):
            raise
        remedy = f"to derive a query, use lars translate {quote(str(task.path))} --to {engine.value}"
        raise PlacedError(error.place, f"{error.problem}; {remedy}") from None


def program_on_trace(task: SolvingTask, warn: Warn) -> tuple[Program, Trace, frozenset[Signature]]:
    """Return the program and the trace of a task, and the predicates of the trace and the static data.

    Raises:
        LarsError: The program does not derive a predicate to show, or derives a predicate of the input.
    """
    program = requests.load_program(task.path)
    for note in program.notes:
        warn(note)
    check_shown(task.predicates, program)
    trace = trace_of(task.trace, task.span, None, warn)
    predicates = given_to(program, trace)
    _warn_of_numbers(program, trace, warn)
    _warn_of_windows(program, warn)
    return program, trace, predicates


def _warn_of_windows(program: Program, warn: Warn) -> None:
    """Warn of windows that are empty on every trace, and of windows before an atom without ◇, □ or @."""
    for rule in program.rules:
        for number, literal in enumerate(rule.body):
            where = "" if rule.origin is None else f"{rule.origin.place(number)}: "
            for window in windows_of(literal):
                match window:
                    case FixedWindow(first, last) if first > last:
                        warn(f"{where}the window {window} shows nothing, because {first} is after {last}")
                    case TupleWindow(size=0):
                        warn(f"{where}the window {window} shows nothing, because it has 0 tuples")
                    case TimeWindow(past=past, future=future) if window.ends != window.open:
                        if past is None or future > 0:
                            warn(
                                f"{where}the word {window.ends} in {window} has no effect: only windows of a "
                                "limited length that end at or before their pivot can be open"
                            )
                    case _:
                        pass
            for part in bare_windows(literal):
                somewhere, always = (replace(part, inner=above(part.inner)) for above in (Diamond, Box))
                warn(
                    f"{where}{part} holds only if {part.inner} holds at the evaluation time itself, because "
                    f"no ◇, □ or @ follows the window; for some time of the window, use {somewhere} "
                    f"(in ASCII: <>); for every time, use {always} (in ASCII: [])"
                )


def _warn_of_numbers(program: Program, trace: Trace, warn: Warn) -> None:
    """Warn of conditions in square brackets, such as `[T > 30]`, if T is a number of LARS.

    Square brackets compare RDF literals, so a condition on numbers of LARS is never true.
    """
    first = trace.begin or 0
    # Only programs that compare in brackets read input for it; the first times show what the terms are.
    compares = any(isinstance(literal, Test) for rule in program.rules for literal in rule.body)
    facts = trace.facts(Interval(first, first + _LOOKED_AT)) if compares else ()
    for rule, number, call in failing_comparisons(program, map(atom_of, facts)):
        where = "" if rule.origin is None else f"{rule.origin.place(number)}: "
        left, right = map(_of_logic, call.arguments)
        plain = None if left is None or right is None else Comparison(left, RELATIONS[call.function], right)
        remedy = "RDF literals in the input" if plain is None else f"{plain} without brackets"
        warn(
            f"{where}the condition [{call}] is never true, because square brackets compare RDF "
            f"literals, and the values of the variable are integers of LARS; use {remedy}"
        )


_MOST_DIGITS: Final = 1000
"""The maximum number of digits of an integer in the text of a LARS program."""


def _of_logic(part: Expression) -> terms.Term | None:
    """Return one side of a comparison as a term of LARS; None if LARS cannot express the term."""
    if isinstance(part, terms.Literal) and part.datatype == f"{terms.XSD}integer":
        return terms.Number(int(part.lexical)) if len(part.lexical) <= _MOST_DIGITS else None
    return part if isinstance(part, Variable | terms.Number) else None


def _part_asked(query: EngineQuery, whole: EngineQuery, task: SolvingTask) -> Question:
    """Return the question to the solver for a part of a query, at the evaluation times of the whole query."""
    return ask(_timed(query, whole, task), output_of(query, task.setting).predicate)


def _spoken(
    each: Iterable[tuple[int, Sequence[Row]]], say: Callable[[int | None], None]
) -> Iterator[tuple[int, Sequence[Row]]]:
    """Yield the given answers unchanged; if no answer has a row, call `say` after the last answer.

    The argument of `say` is the time of the last answer; None if there are no answers.
    """
    silent, last = True, None
    for last, rows in each:
        silent = silent and not rows
        yield last, rows
    if silent:
        say(last)


def _told(
    each: Iterable[tuple[int, Sequence[Row]]], remarks_on: Mapping[int, str], warn: Warn
) -> Iterator[tuple[int, Sequence[Row]]]:
    """Yield the rows by time; then print the remark on each column without a value in some row."""
    missing: set[int] = set()
    for t, rows in each:
        missing.update(place for place in remarks_on if any(row[place] is None for row in rows))
        yield t, rows
    for place in sorted(missing):
        warn(remarks_on[place])


def _changes(
    kind: ToStream, each: Iterable[tuple[int, Sequence[Row]]]
) -> Iterator[tuple[int, Sequence[Row]]]:
    before: Sequence[Row] = ()
    for t, now in each:
        yield t, reported_rows(kind, before, now)
        before = now


def in_mode(query: EngineQuery, task: SolvingTask) -> Program:
    """Return the LARS program of a query, with the trigger of the evaluation mode (push or pull).

    If the user requests no mode, the query's engine determines the mode.
    """
    return _timed(query, query, task)


def _timed(query: EngineQuery, whole: EngineQuery, task: SolvingTask) -> Program:
    program = lars_program(query, task.setting)
    if requests.is_pushed(whole, task.evaluation):
        return push(program, task.setting.trigger)
    return pulled(program, whole, task.evaluation.period, task.setting)


def trace_of(trace_input: TraceInput, span: Span, query: EngineQuery | None, warn: Warn) -> Trace:
    """Return the trace for a query or program; the timeline includes the last requested time.

    Raises:
        LarsError: At the first requested time, all windows of the query are already empty and remain empty.
    """
    first, last = span
    if query is None and not trace_input.paths:
        trace = empty_trace(trace_input, warn)
        trace.timeline = Interval(0, 0 if last is None else point_on(trace, last, trace_input.options))
        return trace
    options = replace(trace_input.options, ends=last is not None)
    queries = () if query is None else (query,)
    trace = load_trace(replace(trace_input, options=options), queries, warn, has_periods=False)
    # Who asks for times after the last element wants to see the windows run empty.
    number = 0 if last is None else point_on(trace, last, trace_input.options)
    if query is not None and first is not None:
        check_within_reach(query, trace, first, last, trace_input.options)
    trace.timeline = Interval(0, max(trace.timeline.last, number))
    return trace


def asked_span(task: SolvingTask, trace: Trace, every: int | None) -> Interval:
    """Return the interval of times for which `lars solve` shows answers.

    The argument `every` is the number of time points between two evaluations. The function checks that the
    interval does not contain too many evaluations.
    """
    options, (first, last) = task.trace.options, task.span
    span = Interval(
        trace.timeline.first if first is None else point_on(trace, first, options),
        trace.timeline.last if last is None else point_on(trace, last, options),
    )
    check_timeline(span, every, Dates(trace.origin, options.time_point))
    return span


def _streams(task: SolvingTask, warn: Warn) -> Streams:
    program, trace, predicates = program_on_trace(task, warn)
    if not program.rules:
        warn(f"{task.path}: the program has no rule, so no answer stream contains an atom")
    for name, arity in sorted(_unknown(program, predicates)):
        warn(
            f"{name}/{arity} is neither derived by a rule nor contained in the input. The input "
            f"contains {_names_of(predicates)}"
        )
    if ("striple", 4) in predicates and any(stream == "null" for stream, _ in trace.predicates()):
        warn(
            "triples without a stream have the stream null; use --stream IRI=FILE to name the "
            "stream of a file"
        )
    for rule in circular_through_negation(program):
        warn(
            f"an atom can support itself under two negations: {rule} The answers follow the FLP reduct, and "
            "omit streams that only the founded reading of not not (as in clingo) allows; lars check "
            "tests a stream by both"
        )
    span = asked_span(task, trace, 1)
    return Streams(_each(task, program, trace, span, warn), task.whole, trace.origin)


def _each(
    task: SolvingTask, program: Program, trace: Trace, span: Interval, warn: Warn
) -> Iterator[StreamRuns | StreamsAt]:
    """Yield the answer streams of a program at each time point, with only the predicates to show."""
    shown = program.answers if task.predicates is None else task.predicates
    times: Iterator[int] = iter(span.meet(trace.timeline))
    silent, count, unanswered = True, 0, span.first
    warned = task.whole.most != MOST_STREAMS

    def without(some: Iterable[int]) -> Iterator[StreamsAt]:
        nonlocal count, unanswered
        for t in some:
            unanswered, count = (unanswered if count else t), count + 1
            yield t, ()

    try:
        for (rows,) in trace.portions([Question(program, _whole_of(task.whole), None)], span):
            if isinstance(rows, StreamRuns):
                begin, end = int(rows.times[0]), int(rows.times[-1])
                silent = silent and not rows.atoms
                yield from without(takewhile(begin.__ne__, times))
                yield rows if shown is None else rows.only(partial(_is_shown, shown))
                times = iter(range(end + 1, span.meet(trace.timeline).last + 1))
                continue
            for t in sorted(rows):
                yield from without(takewhile(t.__ne__, times))
                if not warned and len(rows[t]) > MOST_STREAMS:
                    warned = True
                    warn(f"more than {MOST_STREAMS} answer streams at {t}; --models all shows all of them")
                silent = silent and not any(rows[t])
                yield from (
                    [(t, tuple(sorted(_atoms(row, shown) for row in rows[t])))] if rows[t] else without([t])
                )
    except LarsError as error:
        raise about(task.path, error) from None
    yield from without(times)
    if silent and program.rules:
        gone = (count, unanswered) if count else None
        warn(_why_silent(task, program, trace, span, gone))


def _why_silent(
    task: SolvingTask, program: Program, trace: Trace, span: Interval, gone: tuple[int, int] | None
) -> str:
    """Return why no time has an atom to show.

    The argument `gone` is the number of times without an answer stream, and the first of these times.
    """
    when, is_shared = _when(task, trace, span), task.whole.consequences == "cautious"
    unshared = f"no atom is in every answer stream{when}"
    if gone is None:
        gap = _GAP if _is_gap(program, trace, span) else "no body is true"
        return unshared if is_shared else f"no rule derives an atom{when}: {gap}"
    count, unanswered = gone
    reason = (
        f"no answer stream exists at {Dates(trace.origin, task.trace.options.time_point).text(unanswered)}"
    )
    if task.unanswered is not None:
        reason = task.unanswered(program, trace, unanswered)
    more = f"; {quantity(count - 1, 'more time point')} without an answer stream" if count > 1 else ""
    return f"{unshared if is_shared else f'no atom is derived{when}'}: {reason}{more}"


def _whole_of(whole: Whole) -> Whole:
    # One more than shown, to know whether there are more.
    return whole if whole.most is None else replace(whole, most=whole.most + 1)


def given_to(program: Program, trace: Trace) -> frozenset[Signature]:
    """Return the predicates of the atoms in a trace and its static data.

    Raises:
        LarsError: The program derives a predicate of the input.
    """
    held = trace.signatures()
    if both := intensional(program) & held:
        verb = "is" if len(both) == 1 else "are"
        raise LarsError(
            f"the input contains atoms of {_names_of(both)}, which {verb} also derived by rules; "
            "use other predicates for the input"
        )
    return held | {predicate for predicate, rows in trace.background.items() if rows}


def used_predicates(program: Program) -> frozenset[Signature]:
    """Return the predicates of the atoms in the bodies of a program's rules."""
    parts = (part for rule in program.rules for part in rule.body)
    return frozenset(signature(atom) for part in parts for atom, _, _ in atoms(part))


def _names_of(predicates: Iterable[Signature]) -> str:
    return ", ".join(f"{write_name(name)}/{arity}" for name, arity in sorted(predicates)) or "none"


def _unknown(program: Program, predicates: frozenset[Signature]) -> frozenset[Signature]:
    facts = {signature(atom) for rule in program.rules if (atom := head_atom(rule)) is not None}
    return frozenset(used_predicates(program) - facts - predicates)


def _atoms(row: Row, predicates: frozenset[Signature] | None) -> tuple[str, ...]:
    return tuple(text or "" for text in row if predicates is None or _is_shown(predicates, text or ""))


def _is_shown(predicates: frozenset[Signature], atom: str) -> bool:
    return _signature(atom) in predicates


@lru_cache(maxsize=2**16)
def _signature(text: str) -> Signature:
    scanner = Scanner(text, "atom")
    scanner.accept(_TIMED)
    return signature(read_ground_atom(scanner))


_LOOKED_AT: Final = 1000
"""The number of time points whose atoms show whether a predicate has integers."""
_TIMED: Final = re.compile("@_[0-9]+")
_PREDICATE: Final = re.compile(r"/\s*([0-9]{1,9})\s*(,|$)")


def read_shown(text: str) -> frozenset[Signature]:
    """Return the predicates in the value of the option --show, such as `alarm/1`.

    >>> sorted(read_shown("alarm/1, 'New York'/2"))
    [('New York', 2), ('alarm', 1)]
    """
    predicates, scanner = set(), Scanner(text, "--show")
    while True:
        name = scanner.name()
        arity = None if name is None else scanner.accept(_PREDICATE)
        if name is None or arity is None:
            accepted = "predicates with the number of their arguments, such as alarm/1 or alarm/1,other/2"
            raise LarsError(f"--show {cut(text)}: expected {accepted}")
        predicates.add((name, int(arity.group(1))))
        if not arity.group(2):
            return frozenset(predicates)


def check_shown(predicates: frozenset[Signature] | None, program: Program) -> None:
    """Raise LarsError if the program does not derive a predicate to show."""
    derived = intensional(program)
    if predicates is not None and (unknown := predicates - derived):
        raise LarsError(
            f"--show {_names_of(unknown)}: expected predicates that the program derives: {_names_of(derived)}"
        )


_TRIPLES: Final = ("CONSTRUCT", "DESCRIBE")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The options of `lars solve --as`, which computes reports of a specification or an engine version."""

    HEADING: ClassVar = "Reports (with --as)"

    t0: Time | None = requests.time_option("With --as: time at which the first window opens. [default: 0]")
    until: Time | None = requests.time_option(
        "With --as: time of the last report to print. [default: the last element of the trace]"
    )
    as_stream: str | None = option(
        None, "Print the triples of CONSTRUCT as a trace of the stream IRI, in timed N-Quads.", metavar="IRI"
    )


@dataclass(frozen=True, slots=True)
class EngineReports:
    """The reports of a specification or engine version in order of time.

    The field `origin` is the dateTime of time 0; None if times are integers.
    """

    variables: tuple[Variable, ...]
    reports: "tuple[Report, ...]"
    milliseconds: float
    stream: Iri | None
    origin: str | None


Answered = AnswerRows | Streams | EngineReports
"""The answers of a query or a program, or the reports of an engine."""


def _times(
    task: SolvingTask, reports: ReportOptions, options: TraceOptions, zero: str | None, last: int
) -> list[int | None]:
    """Return the options --t0, --until, --from and --to as time points; None for an option without a value.

    The trace ends at time `last`, and was read with `options`. The argument `zero` is the dateTime of time 0.
    """
    times = reports.t0, reports.until, *task.span
    return [None if time is None else point_in(zero, time, options, last) for time in times]


def check_only_as(name: str | None, names: Sequence[str], without: Sequence[str]) -> None:
    """Raise LarsError for options that are not valid without --as, or not valid together with --as.

    `names` are the given options that require --as. `without` are the given options that are not valid
    together with --as.
    """
    if name is None and names:
        raise LarsError(f"{' and '.join(names)} {'requires' if len(names) == 1 else 'require'} --as NAME")
    if name is not None and without:
        problem = "the engine itself determines the language of the query and the evaluation times"
        raise LarsError(f"cannot combine {' and '.join(without)} with --as {cut(name)}: {problem}")


def reports_as(
    name: str, task: SolvingTask, reports: ReportOptions, how: requests.ProgramOptions, warn: Warn
) -> EngineReports:
    """Return the reports of a query by the specification or engine version `name`, the value of --as.

    Raises:
        LarsError: The engine version cannot run the query, or an option is not applicable.
    """
    # Loads engines, which no other question needs.
    from agreement.comparing.compare import profile
    from agreement.comparing.judge import (
        check_order,
        read_judged_query,
        read_pushes,
        static_of_run,
        why_silent,
    )
    from agreement.engines.specifications import (
        EngineRun,
        OpenChoice,
        Specification,
        query_starts,
        with_query_bounds,
    )
    from agreement.engines.specifications.reporting import CLOCKED

    path, trace, unit = task.path, task.trace, task.setting.unit
    bounds, rows = how.reading.bounds, how.semantics
    who = profile(name)
    stream = None if reports.as_stream is None else stream_iri(reports.as_stream)
    query = read_judged_query(path, unit, who)
    if (period := task.evaluation.period) is not None:
        # The period of an experiment replaces the STEP of a query.
        query = replace(query, every=Duration(points_of(period, unit) * unit.nanoseconds))
    if stream is not None and query.form not in _TRIPLES:
        raise LarsError(
            f"cannot combine --as-stream with {query.form}; use a CONSTRUCT query, whose results are triples"
        )
    # Clocked reports start at time 0; other reports keep their recorded times.
    by_clock = isinstance(who, Specification) and not who.report.isdisjoint(CLOCKED)
    options = replace(trace.options, absolute=not by_clock)
    pushes, zero = read_pushes(replace(trace, options=options), query, unit, warn)
    static = static_of_run(trace.static, query, warn)
    engine_run = EngineRun(query, static, pushes, unit, origin_in(zero, options))
    start, until, first, end = _times(task, reports, options, zero, engine_run.last)
    choices = []
    if isinstance(who, Specification):
        read = requests.sources(engine_run.query)
        said = query_starts(read, unit) if start is None else None
        starts = said or tuple(start or 0 for _ in read)
        choices = [OpenChoice(starts, bounds or with_query_bounds(who, engine_run.query).bounds[0])]
        changed = who if rows is None else who.model_copy(update={"rows": rows})
        recording = _specified(engine_run, changed, choices[0], max(engine_run.last, until or 0, end or 0))
    else:
        for flag, value in (("--t0", reports.t0), ("--bounds", bounds), ("--semantics", rows)):
            if value is not None:
                problem = "only a specification has this parameter, and an engine version determines it"
                raise LarsError(f"{flag} with --as {name}: {problem}")
        check_order(pushes, warn)
        recording = who.run(engine_run.query, engine_run.static, engine_run.pushes)
    shown = tuple(_reports_in_span(recording, engine_run, first, [t for t in (end, until) if t is not None]))
    times = sorted(report.t for report in recording.reports if report.rows)
    if not times:
        for message in why_silent(who, engine_run, choices):
            warn(message)
    elif not any(report.rows for report in shown):
        dates = Dates(zero, unit)
        one, other = (dates.text(int(times[at] // unit.milliseconds)) for at in (0, -1))
        warn(
            f"{name} reports no row at the requested times: its first report with a row is at {one}, "
            f"the last at {other}"
        )
    names = tuple(map(Variable, recording.variables))
    return EngineReports(names, shown, engine_run.unit.milliseconds, stream, zero)


def stream_iri(text: str) -> Iri:
    """Return the IRI that the option --as-stream contains."""
    bare = without_brackets(text)
    if not ABSOLUTE_IRI.fullmatch(bare):
        raise LarsError(f"--as-stream {cut(text)}: expected an absolute IRI, such as http://example.org/s")
    return Iri(bare)


def _specified(
    engine_run: "EngineRun", who: "Specification", choice: "OpenChoice", until: int
) -> "Recording":
    from agreement.engines.specifications import specified_answers

    check_timeline(Interval(engine_run.last, until), _every(engine_run))
    return specified_answers(engine_run, who, choice, until)


def _every(engine_run: "EngineRun") -> int:
    windows = [source.window for source in requests.sources(engine_run.query)]
    slides = (
        window.slide.points(engine_run.unit) if isinstance(window, Range) and window.slide else 1
        for window in windows
    )
    return min(slides, default=1)


def _reports_in_span(
    recording: "Recording", engine_run: "EngineRun", first: int | None, ends: Sequence[int]
) -> "Iterator[Report]":
    check_timeline(Interval(first or 0, min(ends, default=LARGEST_TIME)), None)
    least = (first or 0) * engine_run.unit.milliseconds
    # A report 1 ms after a time point still belongs to that time point.
    end = min(((time + 1) * engine_run.unit.milliseconds for time in ends), default=inf)
    yield from (
        report for report in sorted(recording.reports, key=lambda report: report.t) if least <= report.t < end
    )
