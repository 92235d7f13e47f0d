"""A program or query together with what it meets, read once: for commands that look inside."""

from collections.abc import Callable
from dataclasses import dataclass

from agreement.files import PROGRAM_SUFFIX, load_program, load_query
from agreement.solving import Wanted, given_to, moded, trace_of
from agreement.traces import Trace
from lars.program import Program
from lars.stream import Stream, stream_of
from lars.terms import Atom
from solver.facts import atom_of, atoms_of
from solver.situation import Situation
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


def situated(wanted: Wanted, warn: Warn) -> Situated:
    """Return the query or program that is wanted, with its trace and static data read.

    Raises LarsError for what cannot be read, with its place, and for input that the program derives.
    """
    if wanted.path.suffix == PROGRAM_SUFFIX:
        program = load_program(wanted.path)
        trace = trace_of(wanted, None, warn)
        given_to(program, trace)
        return meeting(program, None, trace)
    query = load_query(wanted.path, wanted.setting.unit, wanted.engine)
    return meeting(moded(query, wanted), query, trace_of(wanted, query, warn))


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
