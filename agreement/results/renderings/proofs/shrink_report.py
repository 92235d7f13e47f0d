"""What is left of a disagreement, as text and as JSON, with both sizes."""

from collections.abc import Iterator
from dataclasses import fields

from rich.console import RenderableType

from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, bindings, encode, json_triple, record, short, table
from agreement.proving.shrinking import MinimalDisagreement, Sizes, TrialEvaluation
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
    sizes = table(None, "", "before", "after", right=("before", "after"))
    ends = Dates(trials.origin, trials.setting.unit).within(Interval(0, disagreement.before.end))
    for field in fields(Sizes):
        values = (getattr(one, field.name) for one in (disagreement.before, disagreement.after))
        before, after = map(ends.text if field.name == "end" else str, values)
        sizes.add_row(_NAMES[field.name] + (ends.caption if field.name == "end" else ""), before, after)
    yield sizes
    dates = dates_of(disagreement, trials)
    left = table(dates.caption.strip() or None, "t", "stream", "triple", right=("t",))
    for fact in disagreement.left.facts:
        *triple, stream = fact.arguments
        left.add_row(dates.text(fact.t), short(stream), " ".join(map(short, triple)))
    for row in disagreement.left.static.get(("triple", 4), ()):
        left.add_row("", "static", " ".join(map(short, row[:3])))
    yield left
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
