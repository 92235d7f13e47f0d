"""Provide streams for `lars witness` that proofs and refutations of `lars decide` give without a search."""

from typing import TYPE_CHECKING, Final

from agreement.proving.decide import AgreementQuestion, Decider, Places, agreement_theorem, in_finer_units
from agreement.proving.decisions import Decision, Witness, all_hold
from agreement.proving.disjuncts import stock_of
from agreement.proving.witness import WitnessTask
from agreement.proving.witness.witness_task import StreamMaker
from lars.durations import Duration
from lars.errors import LarsError
from solver.deadlines import Deadline
from solver.facts import Background

if TYPE_CHECKING:
    from agreement.proving.containment import PairQuery

_FINER: Final = 5.0
"""The number of seconds for finer units, after the search has shown that no stream exists."""


def made_streams(task: WitnessTask) -> StreamMaker:
    """Return a function that makes a stream on which both sides of a task differ, without a search.

    The returned function makes the stream from a match of a query. The returned function returns a decision
    with the stream, a decision that no stream exists, or None if it cannot decide.
    """
    wishes = task.criteria
    if wishes.sides is not None or wishes.same_input:
        return lambda *_: None
    if task.pair is None:
        return lambda _, deadline: _of_queries(task, deadline)
    question = _question(task)
    decider = Decider(question)

    def made(period: int, deadline: Deadline) -> Decision | None:
        decider.seconds = deadline.left
        try:
            theorem = agreement_theorem(question, period, any_source=task.any_source)
            if theorem is not None:
                return Decision("always", theorem.value, triples=0)
            found = None if question.volatile else decider.witness(period)
        except LarsError:  # too many disjuncts, or windows that reach too far
            return None
        return None if found is None else Decision("not always", witnesses=(found,))

    return made


def finer_unit(task: WitnessTask) -> Duration | None:
    """Return a shorter unit of time with which both sides differ on some stream; None if no unit is found.

    If the task requires a cause of the difference, the result is None, because the difference with the
    shorter unit can have another cause.
    """
    wishes = task.criteria
    if wishes.sides is not None or wishes.same_input or wishes.cause is not None:
        return None
    try:
        if task.pair is None:
            from agreement.proving.containment import contained_in_units

            deadline = Deadline.after(_FINER)
            units = [contained_in_units(*both).finer for both in _directions(task, deadline)]
            return next((unit for unit, _ in filter(None, units)), None)
        decider = Decider(_question(task), seconds=0, any_source=task.any_source)
        decisions = (in_finer_units(decider, decider.decide(period)) for period in task.periods)
        finer = (decision.finer for decision in decisions if decision.finer is not None)
        return next((unit for unit, again in finer if again.witness is not None), None)
    except LarsError:  # too many disjuncts, or windows that reach too far
        return None


def _question(task: WitnessTask) -> AgreementQuestion:
    assert task.pair is not None
    stock = None if task.static is None else stock_of(task.static)
    return AgreementQuestion(task.pair, task.setting, stock, Places("", ""))


def _directions(task: WitnessTask, deadline: Deadline) -> "tuple[tuple[PairQuery, PairQuery], ...]":
    from agreement.proving.containment import PairQuery

    one, other = (PairQuery(query, task.setting, deadline) for query in task.queries)
    return ((one, other),) if task.criteria.contained else ((one, other), (other, one))


def _of_queries(task: WitnessTask, deadline: Deadline) -> Decision | None:
    """Return a decision with a stream on which one query reports a row that the other query does not report.

    If all containments that the task requires are proved, the verdict is `always`. If neither a stream nor a
    proof is found, the result is None.
    """
    from agreement.proving.containment import decide_containment

    answers: list[Decision] = []
    for query, other in _directions(task, deadline):
        try:
            answer = decide_containment(query, other)
            if answer.witness is not None and _is_refuted(query, other, answer.witness, task.static):
                return answer
        except LarsError:
            return None
        answers.append(answer)
    reasons = dict.fromkeys(answer.why for answer in answers)
    return Decision("always", "; ".join(reasons), triples=0) if all_hold(answers) else None


def _is_refuted(query: "PairQuery", other: "PairQuery", witness: Witness, static: Background | None) -> bool:
    """Return whether, on a witness's stream and the given static data, only the first query has some row.

    Without static data, the function returns True, because the witness was found for any static data.
    """
    if static is None:
        return True
    from agreement.proving.containment.canonical import difference_at

    end = witness.end
    return not witness.triples and difference_at(query, other, witness.facts, static, end) is not None
