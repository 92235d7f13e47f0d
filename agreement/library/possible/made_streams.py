"""Streams by which `lars decide` refutes, for `lars witness`: neither knows less than the other."""

from collections.abc import Iterator

from agreement.containment import Counterexample, OneQuery, decided
from agreement.decide import AgreementQuestion, Decider, Places, stock_of
from agreement.disjuncts import Stock
from agreement.witness import WitnessTask
from agreement.witness.witness_task import Made
from lars.errors import LarsError
from lars.terms import Atom
from solver.search import ChosenStream


def made_streams(task: WitnessTask) -> Made:
    """Return what makes streams from the queries' disjuncts, for push and pull or for two queries."""
    wishes, static = task.wishes, task.static
    if wishes.sides is not None or wishes.same_input:
        return lambda _: None
    if task.pair is None:
        return lambda _: next(_of_queries(task), None)
    stock = None if static is None else stock_of(static)
    asked = AgreementQuestion(task.pair, task.setting, task.trigger, stock, Places("", ""))
    decider = Decider(asked)

    def made(period: int) -> ChosenStream | None:
        try:
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


def _of_queries(task: WitnessTask) -> Iterator[ChosenStream]:
    both = tuple(OneQuery(query, task.setting) for query in task.queries)
    for one, other in (both,) if task.wishes.contained else (both, both[::-1]):
        try:
            against = decided(one, other).against
        except LarsError:
            return
        if against is not None and (task.static is None or not against.static):
            yield _at(against)


def _at(one: Counterexample) -> ChosenStream:
    static = _atoms(one.static)
    facts = tuple(fact for fact in one.facts if fact.t <= one.t)
    return ChosenStream(facts, static, one.t - 1, one.t, (len(facts), len(static), one.t, 0))


def _atoms(static: Stock) -> tuple[Atom, ...]:
    return tuple(Atom("triple", one) for one in static)
