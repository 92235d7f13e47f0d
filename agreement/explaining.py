"""What `lars explain` finds: why an atom is in an answer stream, or what it lacks to be there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

from agreement import agreeing
from agreement.asking import Names, read_question
from agreement.experiment import FILE_NAME
from agreement.inputs import dataset_of, load_trace, streams_of
from agreement.situations import Situated, meeting
from agreement.solving import Wanted, moded
from lars.errors import LarsError
from lars.formulas import Expression
from lars.joining import World
from lars.nearby import nearby
from lars.proofs import Proof
from lars.proving import Prover, provers
from lars.semantics import all_background
from lars.shortfall import Goal, Searcher, Shortfall
from lars.stream import Moment, write_moment
from lars.terms import Atom, Constant
from solver.conditions import evaluate
from solver.plain import models
from solver.situation import Situation
from translate.query import EngineQuery, Language
from translate.triggers import TRIGGER

Warn = Callable[[str], None]
MOST: Final = 1000
"""So many answer streams at one time are looked at."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an atom holds (`proof`) or not (`shortfalls`, its own first) in answer stream `number` of `count`.

    `silent` says why a query is not evaluated at the time, if it is not.
    """

    world: World
    moment: Moment
    number: int
    count: int
    proof: Proof | None
    shortfalls: Mapping[Goal, Shortfall]
    silent: str | None


def folder_of(path: Path) -> Path | None:
    """Return the folder of the experiment that a path names, if it does."""
    folder = path.parent if path.name == FILE_NAME else path
    return folder if path.is_dir() or path.name == FILE_NAME else None


def from_experiment(folder: Path, wanted: Wanted, overrides: agreeing.Overrides, warn: Warn) -> Situated:
    """Return one query of an experiment with its trace: that of the engine, else the CQELS query."""
    asked = agreeing.experiment((folder,), wanted.trace, overrides)
    query = _query_of(folder, asked, wanted.engine)
    streams = tuple(stream.value for stream in streams_of(query))
    options = replace(asked.trace.options, query_streams=streams)
    given = replace(asked.trace, options=options, runner=wanted.trace.runner)
    period = asked.periods[0] if len(asked.periods) == 1 else None
    moded_by = replace(wanted, period=period, setting=asked.setting, trigger=asked.trigger)
    return meeting(moded(query, moded_by), query, load_trace(given, dataset_of([query]), warn))


def _query_of(folder: Path, asked: agreeing.Comparison, engine: Language | None) -> EngineQuery:
    queries = {Language.CQELS: asked.cqels, Language.CSPARQL: asked.csparql}
    found = next((query for query in queries.values() if query is not None), None)
    if engine is not None:
        found = queries[engine]
    if found is None:
        raise LarsError(f"{folder}: the experiment has no query of this engine; accepted: the other --engine")
    return found


def explained(here: Situated, t: int, text: str, model: int | None) -> Explanation:
    """Return why the atom that the text names holds or not in an answer stream at t.

    That is answer stream number `model`, or else the first that holds the atom. Raises LarsError for
    a time outside the timeline, an atom that cannot be told, and when there is no answer stream.
    """
    asked = read_question(text)
    timeline = here.stream.timeline
    for time in (t, t if asked.t is None else asked.t):
        if time not in timeline:
            raise LarsError(f"the time point {time} lies outside the timeline {timeline}")
    streams = _answer_streams(here, t, model)
    known = all_background(here.program, here.background)
    moment_time = t if asked.t is None else asked.t
    names = Names(here.program, _given(here, streams), query=here.query is not None)
    atom = names.resolve(asked, (*known, *(a for stream in streams for u, a in stream if u == moment_time)))
    return _explained(here, t, (moment_time, atom), streams, model)


def _given(here: Situated, streams: Sequence[frozenset[Moment]]) -> list[Atom]:
    derived = (atom for stream in streams for _, atom in stream)
    return list(dict.fromkeys((*chain.from_iterable(here.stream.input.values()), *here.background, *derived)))


def _answer_streams(here: Situated, t: int, model: int | None) -> list[frozenset[Moment]]:
    _, shown = nearby(here.program, here.stream, t)
    facts = [fact for fact in here.situation.facts if fact.t in shown]
    situation = Situation(here.situation.timeline, facts, here.situation.background)
    found = list(islice(models(here.program, situation, t), MOST))
    if not found:
        raise LarsError(f"there is no answer stream at {t}: no atom holds and none can be explained")
    if model is not None and model > len(found):
        raise LarsError(f"--model {model}: accepted: 1..{len(found)}, the answer streams at {t}")
    # In the order in which `lars solve` shows them.
    return sorted(found, key=lambda stream: sorted(write_moment(moment, t) for moment in stream))


def _explained(
    here: Situated, t: int, moment: Moment, streams: Sequence[frozenset[Moment]], model: int | None
) -> Explanation:
    holding = (number for number, stream in enumerate(streams, 1) if moment in stream)
    number = next(holding, 1) if model is None else model
    prover = _prover(here, t, streams[number - 1])
    proof = prover.proof(moment)
    missed = {} if proof is not None else Searcher(prover.world).shortfalls(moment)
    silent = _silent(here, prover.world)
    return Explanation(prover.world, moment, number, len(streams), proof, missed, silent)


def _prover(here: Situated, t: int, derived: frozenset[Moment]) -> Prover:
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    found = next(provers(here.program, here.stream, derived, t, here.background, value), None)
    assert found is not None, "an answer stream has a choice of ties that it is for"
    return found


def _silent(here: Situated, world: World) -> str | None:
    if here.query is None or world.holds((world.t, TRIGGER)):
        return None
    rules = [str(rule) for rule in here.program.rules if rule.head == TRIGGER]
    pulled = any(" mod " in rule for rule in rules)
    why = "it is no multiple of the period" if pulled else "no input that triggers it arrives"
    return f"the query is not evaluated at {world.t}: {why}"
