"""What `lars decide` is given: an experiment, or one or two queries; what it is then asked."""

from dataclasses import dataclass

from agreement.comparing.agree import AgreementTask
from agreement.proving.decide.places import Places
from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decide.trial import stock_of
from agreement.proving.traceless import TracelessTask
from lars.errors import LarsError
from solver.settings import Warn
from translate.analysis import NO_MODEL, check_comparable, differences


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """What is decided for which periods: each pair of queries, the first of which is the brave one."""

    questions: tuple[AgreementQuestion, ...]
    periods: tuple[int, ...]


def decision_task(found: TracelessTask, places: Places, warn: Warn) -> DecisionTask:
    """Return what is decided of a pair of push and pull; LarsError for two queries of a kind."""
    task = found.task
    if not found.is_pair:
        problem = "a second query of its kind; accepted: C-SPARQL and CQELS, or --contained, --equivalent"
        raise LarsError(f"{found.inputs[1]}: {problem}")
    _check_one_model(task)
    known = found.static(warn)
    stock = None if known is None else stock_of(known)
    read = task.setting, task.trigger, stock, places
    return DecisionTask(tuple(AgreementQuestion(one, *read) for one in found.pairs(warn)), found.periods)


def _check_one_model(task: AgreementTask) -> None:
    """Raise LarsError for two queries that do not stem from one (V, P, D, S); only their STEP may differ."""
    if task.csparql is None or task.cqels is None:
        return
    check_comparable(task.csparql, task.cqels)
    found = differences(task.csparql, task.cqels, task.setting.unit)
    apart = next((said for said in found if said.startswith(NO_MODEL)), None)
    if apart is not None:
        others = "lars agree compares others on a trace; --equivalent, in one mode"
        raise LarsError(f"{apart}\naccepted: one query, or two that do ({others})")
