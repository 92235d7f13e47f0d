"""What `lars explain` finds: why an atom is in an answer stream, or what it lacks to be there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from agreement.agree import agreeing
from agreement.explain.answer_streams import (
    AnswerStreams,
    Situated,
    Unanswered,
    answer_streams,
    meeting,
    prover_of,
    unanswered,
    without_what_excludes,
)
from agreement.explain.asking import ShortNames, read_question
from agreement.solve import SolvingTask, moded
from lars.analysis import intensional
from lars.errors import LarsError
from lars.explain import Goal, Proof, Searcher, Shortfall, Sight, World, sight
from lars.formulas import At
from lars.semantics import all_background
from lars.stream import Moment
from lars.terms import Atom, Number, signature
from translate.query import EngineQuery, Language
from translate.tau import TRIGGER

Warn = Callable[[str], None]
_TRIPLE: Final = ("triple", 4)
"""The predicate of a query's static data."""


@dataclass(frozen=True, slots=True)
class Sought:
    """An atom that no rule derives: input, with the nearest times at which it came, or else background."""

    input: Sight | None


@dataclass(frozen=True, slots=True)
class AtomExplanation:
    """Why an atom holds (`proof`) or not (`shortfalls`, its own first) in answer stream `number` of `count`.

    With `more` there are more answer streams, which were not looked at. `sought` is for what no rule
    derives. `silent` says why a query is not evaluated at the time, if it is not.
    """

    world: World
    moment: Moment
    number: int
    count: int
    more: bool
    proof: Proof | None
    shortfalls: Mapping[Goal, Shortfall]
    sought: Sought | None
    silent: str | None


def experiment_of(path: Path) -> Path | None:
    """Return the path when it is one of an experiment: a folder, or a TOML file."""
    return path if path.is_dir() or path.suffix == agreeing.TOML_SUFFIX else None


def from_experiment(path: Path, wanted: SolvingTask, overrides: agreeing.Overrides, warn: Warn) -> Situated:
    """Return one query of an experiment with its trace: that of the engine, else the CQELS query."""
    asked = agreeing.experiment((path,), wanted.trace, overrides)
    query = _query_of(path, asked, wanted.evaluation.engine)
    period = asked.periods[0] if len(asked.periods) == 1 else None
    evaluation = replace(wanted.evaluation, period=period)
    moded_by = replace(wanted, evaluation=evaluation, setting=asked.setting, trigger=asked.trigger)
    return meeting(moded(query, moded_by), query, agreeing.loaded(asked, [query], warn))


def _query_of(path: Path, asked: agreeing.AgreementTask, engine: Language | None) -> EngineQuery:
    queries = (asked.cqels, asked.csparql)
    found = next((query for query in queries if query and engine in {None, query.language}), None)
    if found is None:
        raise LarsError(f"{path}: the experiment has no query of this engine; accepted: the other --engine")
    return found


def explained(
    here: Situated, t: int, text: str, model: int | None, path: Path
) -> AtomExplanation | Unanswered:
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
    relaxed = None if found.streams else without_what_excludes(here, t, path)
    _check_model(model, found, t)
    streams = (relaxed or found).streams
    known = all_background(here.program, here.background)
    moment_time = t if asked.t is None else asked.t
    names = ShortNames(here.program, _given(here, streams), query=here.query is not None)
    atom = names.resolve(asked, (*known, *(a for stream in streams for u, a in stream if u == moment_time)))
    if relaxed is not None:
        return unanswered(here, t, (moment_time, atom), relaxed)
    return _explained(here, t, (moment_time, atom), found, model)


def _given(here: Situated, streams: Sequence[frozenset[Moment]]) -> list[Atom]:
    derived = (atom for stream in streams for _, atom in stream)
    return list(dict.fromkeys((*chain.from_iterable(here.stream.input.values()), *here.background, *derived)))


def _check_model(model: int | None, found: AnswerStreams, t: int) -> None:
    count = len(found.streams)
    if model is not None and count and model > count:
        only = f"; of more than {count} only the first {count} are looked at" if found.more else ""
        raise LarsError(f"--model {model}: accepted: 1..{count}, the answer streams at {t}{only}")


def _explained(
    here: Situated, t: int, moment: Moment, found: AnswerStreams, model: int | None
) -> AtomExplanation:
    holding = (number for number, stream in enumerate(found.streams, 1) if moment in stream)
    number = next(holding, 1) if model is None else model
    prover = prover_of(here, here.program, t, found.streams[number - 1])
    proof = prover.proof(moment)
    missed = {} if proof is not None else Searcher(prover.world).shortfalls(moment)
    sought = None if proof is not None else _sought(here, prover.world, moment)
    silent = _silent(here, prover.world)
    count = len(found.streams)
    return AtomExplanation(prover.world, moment, number, count, found.more, proof, missed, sought, silent)


def _sought(here: Situated, world: World, moment: Moment) -> Sought | None:
    """Return where an atom that no rule derives could come from."""
    name = signature(moment[1])
    if name in intensional(here.program):
        return None
    always = {*map(signature, world.judge.background), *here.situation.background}
    always |= {_TRIPLE} if here.query is not None else set()
    if name in always and name not in {signature(atom) for atom in world.view.input_times}:
        return Sought(None)
    return Sought(sight(world, At(Number(moment[0]), moment[1])))


def _silent(here: Situated, world: World) -> str | None:
    if here.query is None or world.holds((world.t, TRIGGER)):
        return None
    rules = [str(rule) for rule in here.program.rules if rule.head == TRIGGER]
    pulled = any(" mod " in rule for rule in rules)
    why = "it is no multiple of the period" if pulled else "no input that triggers it arrives"
    return f"the query is not evaluated at {world.t}: {why}"
