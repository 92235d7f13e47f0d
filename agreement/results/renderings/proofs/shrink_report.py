"""What is left of a disagreement, as text and as JSON, with both sizes."""

from collections.abc import Iterator
from itertools import chain

from rich.console import RenderableType

from agreement.documents.dates import Dates
from agreement.documents.outputs import (
    Json,
    bindings,
    encode,
    json_triple,
    record,
    short,
    table,
    triples_table,
)
from agreement.proving.shrinking import MinimalDisagreement, TrialEvaluation
from lars.language.windows import Interval

_NAMES = {
    "triples": "triples that arrive",
    "static": "static triples",
    "end": "last time point",
    "terms": "different terms",
    "parts": "parts of the queries",
}


def as_text(disagreement: MinimalDisagreement, trials: TrialEvaluation) -> Iterator[RenderableType]:
    """Yield the sizes before and after, and what is left."""
    yield f"U = {trials.period}, {disagreement.cause.value}: {disagreement.evaluations} evaluations"
    ends = Dates(trials.origin, trials.setting.unit).within(Interval(0, disagreement.before.end))
    sizes = [
        (
            f"{words}{ends.caption if name == 'end' else ''}",
            *(
                (ends.text if name == "end" else str)(getattr(size, name))
                for size in (disagreement.before, disagreement.after)
            ),
        )
        for name, words in _NAMES.items()
    ]
    yield table(None, ("", "before", "after"), sizes, right=("before", "after"))
    dates, left = dates_of(disagreement, trials), disagreement.left
    arriving = ((dates.text(fact.t), short(fact.arguments[-1]), fact.arguments[:-1]) for fact in left.facts)
    static = (("", "static", row[:3]) for row in left.static.get(("triple", 4), ()))
    yield triples_table(chain(arriving, static), dates.caption.strip() or None)
    yield f"CQELS    {disagreement.left.pair.cqels.pattern}"


def dates_of(disagreement: MinimalDisagreement, trials: TrialEvaluation) -> Dates:
    """Return what the times of what is left are called."""
    timeline = Interval(0, max((fact.t for fact in disagreement.left.facts), default=0))
    return Dates(trials.origin, trials.setting.unit).within(timeline)


def as_json(disagreement: MinimalDisagreement, trials: TrialEvaluation) -> Json:
    """Return sizes, what is left, and how many evaluations it took."""
    return {
        "unit": encode(trials.setting.unit),
        "origin": trials.origin,
        "period": trials.period,
        "cause": disagreement.cause.value,
        "before": record(disagreement.before),
        "after": record(disagreement.after),
        "evaluations": disagreement.evaluations,
        "trace": [json_triple(fact, dates_of(disagreement, trials)) for fact in disagreement.left.facts],
        "static": bindings("spo", (row[:3] for row in disagreement.left.static.get(("triple", 4), ()))),
    }
