"""What `lars explain` finds: a program with what it meets, its answer streams, and why they hold an atom."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

from agreement.answering.explain.asking import ShortNames, read_question
from agreement.answering.solve.solving import SolvingTask, given_to, moded, trace_of
from agreement.comparing.agree import AgreementTask, comparison_trace
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.requests import PROGRAM_SUFFIX, Period, check_evaluated, load_program, load_query
from agreement.documents.traces import Trace, point_on, with_dates
from lars import explain
from lars.analysis import intensional, nearby, on_own_absence
from lars.errors import LarsError, about
from lars.explain import provers, restored, sight, violations, without_constraints
from lars.language.formulas import At, Expression
from lars.language.program import Program
from lars.language.stream import Moment, Stream, moment_order, stream_of, write_moment
from lars.language.terms import Atom, Constant, Number, Signature, signature
from lars.semantics import all_background
from solver.facts import Situation, atom_of, atoms_of
from solver.pointwise import models
from solver.rdf import evaluate
from solver.settings import Time, TraceOptions, Warn
from translate.model.query import EngineQuery, Language
from translate.tau import TRIGGER, columns

_TRIPLE: Final = ("triple", 4)
"""The predicate of a query's static data."""
_MOST: Final = 1000
"""So many answer streams at one time are looked at."""


@dataclass(frozen=True, slots=True)
class ProgramSituation:
    """A program with its input and background, as the definitions and as the solver take them.

    A query's `program` has the trigger of its mode. `stream` is the input alone, `background` the
    static data without the program's own facts; `situation` says the same in the solver's form.
    `dates` are what its times are called; `at` is asked about.
    """

    program: Program
    stream: Stream
    background: frozenset[Atom]
    situation: Situation
    query: EngineQuery | None
    dates: Dates = NO_DATES
    at: int = 0


def situation_of(wanted: SolvingTask, warn: Warn) -> ProgramSituation:
    """Return the query or program that is wanted, with its trace and static data read.

    Raises LarsError for what cannot be read, with its place, and for input that the program derives.
    """
    if wanted.path.suffix == PROGRAM_SUFFIX:
        program = load_program(wanted.path)
        trace = trace_of(wanted.trace, wanted.span[1], None, warn)
        given_to(program, trace)
        return meeting(program, None, trace, wanted.span[1], wanted.trace.options)
    query = load_query(wanted.path, wanted.setting.unit, wanted.evaluation.engine)
    check_evaluated(query, wanted.evaluation, wanted.trigger)
    trace = trace_of(wanted.trace, wanted.span[1], query, warn)
    wanted = replace(wanted, setting=with_dates(wanted.setting, trace))
    return meeting(moded(query, wanted), query, trace, wanted.span[1], wanted.trace.options)


def meeting(
    program: Program, query: EngineQuery | None, trace: Trace, at: Time | None, options: TraceOptions
) -> ProgramSituation:
    """Return the program with the whole input of a trace that was read so, and the time asked about."""
    facts = trace.facts(trace.timeline)
    return ProgramSituation(
        program,
        stream_of(trace.timeline, ((fact.t, atom_of(fact)) for fact in facts)),
        frozenset(atoms_of(trace.background)),
        Situation(trace.timeline, facts, trace.background),
        query,
        Dates(trace.origin, options.unit),
        0 if at is None else point_on(trace, at, options),
    )


@dataclass(frozen=True, slots=True)
class AnswerStreams:
    """Derived atoms with their times, in the order in which `lars solve` shows them.

    With `more` there are others, which are not looked at.
    """

    streams: tuple[frozenset[Moment], ...]
    more: bool


def answer_streams(here: ProgramSituation, program: Program, t: int, path: Path) -> AnswerStreams:
    """Return the answer streams at t of a program that looks no further than that of `here`.

    Raises LarsError for what the solver refuses; of a program it names the path.
    """
    _, shown = nearby(here.program, here.stream, t)
    facts = [fact for fact in here.situation.facts if fact.t in shown]
    situation = Situation(here.situation.timeline, facts, here.situation.background)
    try:
        found = list(islice(models(program, situation, t), _MOST + 1))
    except LarsError as error:
        raise (error if here.query is not None else about(path, error)) from None
    # In the order in which `lars solve` prints them, so that their numbers are its own.
    ordered = sorted(found[:_MOST], key=lambda stream: _as_solved(stream, t))
    return AnswerStreams(tuple(ordered), len(found) > _MOST)


def prover_of(here: ProgramSituation, program: Program, t: int, derived: frozenset[Moment]) -> explain.Prover:
    """Return the proofs of an answer stream, with a choice of ties that it is for."""
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    found = next(provers(program, here.stream, derived, t, here.background, value), None)
    assert found is not None, "an answer stream has a choice of ties that it is for"
    return found


def _as_solved(stream: Iterable[Moment], t: int) -> tuple[str, ...]:
    return tuple(write_moment(one, t) for one in sorted(stream, key=lambda one: moment_order(one, t)))


@dataclass(frozen=True, slots=True)
class NoAnswerStream:
    """There is no answer stream at t: `relaxed` are those of the rules without what rules streams out.

    That are constraints, and heads outside the timeline. The first of these streams is `world`, with
    the program's own rules; it has `violations`. Without any, `circular` says what prevents them.
    """

    program: Program
    t: int
    moment: Moment
    relaxed: AnswerStreams
    world: explain.IndexedPoint | None
    violations: tuple[explain.Violation, ...]
    circular: Mapping[Signature, tuple[int, ...]]


def unanswered(here: ProgramSituation, t: int, moment: Moment, found: AnswerStreams) -> NoAnswerStream:
    """Return why there is no answer stream at t, by those of the relaxed program."""
    if not found.streams:
        circular = on_own_absence(here.program)
        return NoAnswerStream(here.program, t, moment, found, None, (), circular)
    first = prover_of(here, without_constraints(here.program, here.stream.timeline), t, found.streams[0])
    world = restored(first.world, here.program)
    return NoAnswerStream(here.program, t, moment, found, world, tuple(violations(world)), {})


@dataclass(frozen=True, slots=True)
class Sought:
    """An atom that no rule derives: input, with the nearest times at which it came, or else background."""

    input: explain.Sight | None


@dataclass(frozen=True, slots=True)
class AtomExplanation:
    """Why an atom holds (`proof`) or not (`shortfalls`, its own first) in answer stream `number` of `count`.

    With `more` there are more answer streams, which were not looked at. `sought` is for what no rule
    derives. `silent` says why a query is not evaluated at the time, if it is not.
    """

    world: explain.IndexedPoint
    moment: Moment
    number: int
    count: int
    more: bool
    proof: explain.Proof | None
    shortfalls: Mapping[explain.Goal, explain.Shortfall]
    sought: Sought | None
    silent: str | None


def query_of_comparison(asked: AgreementTask, wanted: SolvingTask, warn: Warn) -> ProgramSituation:
    """Return one query of a comparison with its trace: that of the engine, else the CQELS query."""
    query = _query_of(wanted.path, asked, wanted.evaluation.engine)
    check_evaluated(query, wanted.evaluation, wanted.trigger)
    period = Period(asked.periods[0]) if len(asked.periods) == 1 else None
    evaluation = replace(wanted.evaluation, period=period)
    trace = comparison_trace(asked, [query], warn)
    setting = with_dates(asked.setting, trace)
    moded_by = replace(wanted, evaluation=evaluation, setting=setting, trigger=asked.trigger)
    return meeting(moded(query, moded_by), query, trace, wanted.span[1], asked.trace.options)


def _query_of(path: Path, asked: AgreementTask, engine: Language | None) -> EngineQuery:
    queries = (asked.cqels, asked.csparql)
    found = next((query for query in queries if query and engine in {None, query.language}), None)
    if found is None:
        raise LarsError(f"{path}: the experiment has no query of this engine; accepted: the other --engine")
    return found


def explain_atom(
    here: ProgramSituation, t: int, text: str, model: int | None, path: Path
) -> AtomExplanation | NoAnswerStream:
    """Return why the atom that the text names holds or not in an answer stream at t.

    That is answer stream number `model`, or else the first that holds the atom; without any, why
    there is none. Raises LarsError for a time outside the timeline and an atom that cannot be told.
    """
    asked = read_question(text)
    timeline = here.stream.timeline
    for time in (t, t if asked.t is None else asked.t):
        if time not in timeline:
            raise LarsError(f"the time point {time} lies outside the timeline {timeline}")
    found = answer_streams(here, here.program, t, path)
    without = without_constraints(here.program, timeline)
    instead = None if found.streams else answer_streams(here, without, t, path)
    _check_model(model, found, t)
    streams = (instead or found).streams
    known = all_background(here.program, here.background)
    moment_time = t if asked.t is None else asked.t
    names = ShortNames(
        here.program, _given(here, streams), None if here.query is None else len(columns(here.query))
    )
    atom = names.resolve(asked, (*known, *(a for stream in streams for u, a in stream if u == moment_time)))
    if instead is not None:
        return unanswered(here, t, (moment_time, atom), instead)
    return _explained(here, t, (moment_time, atom), found, model)


def _given(here: ProgramSituation, streams: Sequence[frozenset[Moment]]) -> list[Atom]:
    derived = (atom for stream in streams for _, atom in stream)
    return list(dict.fromkeys((*chain.from_iterable(here.stream.input.values()), *here.background, *derived)))


def _check_model(model: int | None, found: AnswerStreams, t: int) -> None:
    count = len(found.streams)
    if model is not None and count and model > count:
        only = f"; of more than {count} only the first {count} are looked at" if found.more else ""
        raise LarsError(f"--model {model}: accepted: 1..{count}, the answer streams at {t}{only}")


def _explained(
    here: ProgramSituation, t: int, moment: Moment, found: AnswerStreams, model: int | None
) -> AtomExplanation:
    holding = (number for number, stream in enumerate(found.streams, 1) if moment in stream)
    number = next(holding, 1) if model is None else model
    prover = prover_of(here, here.program, t, found.streams[number - 1])
    proof = prover.proof(moment)
    missed = {} if proof is not None else explain.Searcher(prover.world).shortfalls(moment)
    sought = None if proof is not None else _sought(here, prover.world, moment)
    silent = _silent(here, prover.world)
    count = len(found.streams)
    return AtomExplanation(
        world=prover.world,
        moment=moment,
        number=number,
        count=count,
        more=found.more,
        proof=proof,
        shortfalls=missed,
        sought=sought,
        silent=silent,
    )


def _sought(here: ProgramSituation, world: explain.IndexedPoint, moment: Moment) -> Sought | None:
    """Return where an atom that no rule derives could come from."""
    name = signature(moment[1])
    if name in intensional(here.program):
        return None
    always = {*map(signature, world.judge.background), *here.situation.background}
    always |= {_TRIPLE} if here.query is not None else set()
    if name in always and name not in {signature(atom) for atom in world.view.input_times}:
        return Sought(None)
    return Sought(sight(world, At(Number(moment[0]), moment[1])))


def _silent(here: ProgramSituation, world: explain.IndexedPoint) -> str | None:
    if here.query is None or world.holds((world.t, TRIGGER)):
        return None
    rules = [str(rule) for rule in here.program.rules if rule.head == TRIGGER]
    pulled = any(" mod " in rule for rule in rules)
    why = "it is no multiple of the period" if pulled else "no input that triggers it arrives"
    return f"the query is not evaluated at {here.dates.option(world.t)}: {why}"
