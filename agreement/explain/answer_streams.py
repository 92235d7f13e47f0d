"""A program or query with what it meets, and its answer streams at one time, or why it has none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from agreement.inputs import PROGRAM_SUFFIX, Trace, load_program, load_query
from agreement.solve import SolvingTask, given_to, moded, trace_of
from lars.analysis import nearby, on_own_absence
from lars.errors import LarsError
from lars.explain import Prover, Violation, World, provers, relaxed, restored, violations
from lars.formulas import Expression
from lars.program import Program
from lars.stream import Moment, Stream, moment_order, stream_of, write_moment
from lars.terms import Atom, Constant, Signature
from solver.facts import Situation, atom_of, atoms_of
from solver.pointwise import models
from solver.rdf import evaluate
from translate.query import EngineQuery

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Situated:
    """A program with its input and background, as the definitions and as the solver take them.

    A query's `program` has the trigger of its mode. `stream` is the input alone, `background` the
    static data without the program's own facts; `situation` says the same in the solver's form.
    """

    program: Program
    stream: Stream
    background: frozenset[Atom]
    situation: Situation
    query: EngineQuery | None


def situated(wanted: SolvingTask, warn: Warn) -> Situated:
    """Return the query or program that is wanted, with its trace and static data read.

    Raises LarsError for what cannot be read, with its place, and for input that the program derives.
    """
    if wanted.path.suffix == PROGRAM_SUFFIX:
        program = load_program(wanted.path)
        trace = trace_of(wanted.trace, wanted.span[1], None, warn)
        given_to(program, trace)
        return meeting(program, None, trace)
    query = load_query(wanted.path, wanted.setting.unit, wanted.evaluation.engine)
    return meeting(moded(query, wanted), query, trace_of(wanted.trace, wanted.span[1], query, warn))


def meeting(program: Program, query: EngineQuery | None, trace: Trace) -> Situated:
    """Return the program with the whole input of a trace."""
    facts = trace.facts(trace.timeline)
    return Situated(
        program,
        stream_of(trace.timeline, ((fact.t, atom_of(fact)) for fact in facts)),
        frozenset(atoms_of(trace.background)),
        Situation(trace.timeline, facts, trace.background),
        query,
    )


MOST: Final = 1000
"""So many answer streams at one time are looked at."""


@dataclass(frozen=True, slots=True)
class AnswerStreams:
    """Derived atoms with their times, in the order in which `lars solve` shows them.

    With `more` there are others, which are not looked at.
    """

    streams: tuple[frozenset[Moment], ...]
    more: bool


def answer_streams(here: Situated, program: Program, t: int, path: Path) -> AnswerStreams:
    """Return the answer streams at t of a program that looks no further than that of `here`.

    Raises LarsError for what the solver refuses; of a program it names the path.
    """
    _, shown = nearby(here.program, here.stream, t)
    facts = [fact for fact in here.situation.facts if fact.t in shown]
    situation = Situation(here.situation.timeline, facts, here.situation.background)
    try:
        found = list(islice(models(program, situation, t), MOST + 1))
    except LarsError as error:
        raise (error if here.query is not None else LarsError(f"{path}: {error}")) from None
    ordered = sorted(found[:MOST], key=lambda stream: _as_solved(stream, t))
    return AnswerStreams(tuple(ordered), len(found) > MOST)


def prover_of(here: Situated, program: Program, t: int, derived: frozenset[Moment]) -> Prover:
    """Return the proofs of an answer stream, with a choice of ties that it is for."""
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    found = next(provers(program, here.stream, derived, t, here.background, value), None)
    assert found is not None, "an answer stream has a choice of ties that it is for"
    return found


def _as_solved(stream: Iterable[Moment], t: int) -> tuple[str, ...]:
    # In the order in which `lars solve` prints them, so that their numbers are its own.
    return tuple(write_moment(one, t) for one in sorted(stream, key=lambda one: moment_order(one, t)))


@dataclass(frozen=True, slots=True)
class Unanswered:
    """There is no answer stream at t: `relaxed` are those of the rules without what rules streams out.

    That are constraints, and heads outside the timeline. The first of these streams is `world`, with
    the program's own rules; it has `violations`. Without any, `circular` says what prevents them.
    """

    program: Program
    t: int
    moment: Moment
    relaxed: AnswerStreams
    world: World | None
    violations: tuple[Violation, ...]
    circular: Mapping[Signature, tuple[int, ...]]


def without_what_excludes(here: Situated, t: int, path: Path) -> AnswerStreams:
    """Return the answer streams of the rules without constraints and heads outside the timeline."""
    return answer_streams(here, relaxed(here.program, here.stream.timeline), t, path)


def unanswered(here: Situated, t: int, moment: Moment, found: AnswerStreams) -> Unanswered:
    """Return why there is no answer stream at t, by those of `without_what_excludes`."""
    if not found.streams:
        circular = on_own_absence(here.program)
        return Unanswered(here.program, t, moment, found, None, (), circular)
    first = prover_of(here, relaxed(here.program, here.stream.timeline), t, found.streams[0])
    world = restored(first.world, here.program)
    return Unanswered(here.program, t, moment, found, world, tuple(violations(world)), {})
