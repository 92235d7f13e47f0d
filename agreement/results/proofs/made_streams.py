"""What `lars decide` proves or refutes by streams, for `lars witness`: neither knows less than the other."""

from typing import Final

from agreement.proving.containment import (
    Counterexample,
    Holds,
    OneQuery,
    contained_in_units,
    decide_containment,
)
from agreement.proving.decide import (
    AgreementQuestion,
    Decider,
    Places,
    agreement_theorem,
    in_finer_units,
    stock_of,
)
from agreement.proving.disjuncts import Stock
from agreement.proving.witness import NoWitness, WitnessTask
from agreement.proving.witness.witness_task import StreamMaker
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Atom
from solver.deadlines import Deadline
from solver.search import ChosenStream

_FINER: Final = 5.0
"""Seconds for what finer units change, once it is known that there is no stream."""


def made_streams(task: WitnessTask) -> StreamMaker:
    """Return what makes streams from the queries' disjuncts, for push and pull or for two queries."""
    wishes, static = task.criteria, task.static
    if wishes.sides is not None or wishes.same_input:
        return lambda *_: None
    if task.pair is None:
        return lambda _, deadline: _of_queries(task, deadline)
    asked = _asked(task)
    decider = Decider(asked)

    def made(period: int, deadline: Deadline) -> ChosenStream | NoWitness | None:
        decider.seconds = deadline.left
        try:
            if (theorem := agreement_theorem(asked, period)) is not None:
                return NoWitness(0, theorem.value)
            found = None if asked.volatile else decider.witness(period)
        except LarsError:  # too many disjuncts, or windows that reach too far
            return None
        if found is None:
            return None
        free = () if static is not None else _atoms(found.static)
        return ChosenStream(
            found.facts, free, *found.period, (len(found.facts), len(free), found.period[1], 0)
        )

    return made


def finer_unit(task: WitnessTask) -> Duration | None:
    """Return a finer unit with which the sides differ on a stream, None where `decide` knows of none."""
    if task.criteria.sides is not None or task.criteria.same_input:
        return None
    try:
        if task.pair is None:
            deadline = Deadline.after(_FINER)
            found = [contained_in_units(*both).finer for both in _directions(task, deadline)]
            return next((finer.unit for finer in found if finer is not None), None)
        decider = Decider(_asked(task), seconds=0)
        decisions = (in_finer_units(decider, decider.decide(period)) for period in task.periods)
        return next((one.finer[0] for one in decisions if one.finer is not None), None)
    except LarsError:  # too many disjuncts, or windows that reach too far
        return None


def _asked(task: WitnessTask) -> AgreementQuestion:
    assert task.pair is not None
    stock = None if task.static is None else stock_of(task.static)
    return AgreementQuestion(task.pair, task.setting, task.trigger, stock, Places("", ""))


def _directions(task: WitnessTask, deadline: Deadline) -> tuple[tuple[OneQuery, OneQuery], ...]:
    one, other = (OneQuery(query, task.setting, deadline) for query in task.queries)
    return ((one, other),) if task.criteria.contained else ((one, other), (other, one))


def _of_queries(task: WitnessTask, deadline: Deadline) -> ChosenStream | NoWitness | None:
    """Return a stream that refutes one of the directions, or that all are proved."""
    reasons: list[str] = []
    for one, other in _directions(task, deadline):
        try:
            found = decide_containment(one, other)
        except LarsError:
            return None
        against = found.against
        if against is not None and (task.static is None or not against.static):
            return _at(against)
        if found.holds is Holds.YES:
            reasons.append(found.why)
    proved = len(reasons) == len(_directions(task, deadline))
    return NoWitness(0, "; ".join(dict.fromkeys(reasons))) if proved else None


def _at(one: Counterexample) -> ChosenStream:
    static = _atoms(one.static)
    facts = tuple(fact for fact in one.facts if fact.t <= one.t)
    return ChosenStream(facts, static, one.t - 1, one.t, (len(facts), len(static), one.t, 0))


def _atoms(static: Stock) -> tuple[Atom, ...]:
    return tuple(Atom("triple", one) for one in static)
