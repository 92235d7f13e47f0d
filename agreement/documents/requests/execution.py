"""When a query is evaluated: as it is asked to be, else as engines of its language do."""

from agreement.documents.requests.groups import EvaluationOptions, ExecutionMode
from lars.errors import LarsError
from translate.dialects import TITLES
from translate.model.query import EngineQuery, Language
from translate.tau import Trigger


def is_pushed(query: EngineQuery, evaluation: EvaluationOptions) -> bool:
    """Return whether a query is evaluated when input arrives: as is wanted, else as its engine does."""
    natural = ExecutionMode.PUSH if query.language is Language.CQELS else ExecutionMode.PULL
    return (evaluation.mode or natural) == ExecutionMode.PUSH


def check_evaluated(query: EngineQuery, evaluation: EvaluationOptions, trigger: Trigger) -> None:
    """Raise LarsError for a period where input makes the query evaluate, for a trigger where time does."""
    title, pushed = TITLES[query.language], is_pushed(query, evaluation)
    if pushed and evaluation.period is not None:
        raise LarsError(f"--period: accepted with --mode pull; by default a query in {title} is pushed")
    if not pushed and trigger is not Trigger.ANY:
        raise LarsError(f"--trigger: accepted with --mode push; by default a query in {title} is pulled")
