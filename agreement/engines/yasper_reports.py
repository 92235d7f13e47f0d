"""From the contents that are evaluated to what is reported: answers, R2S operator, silence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.contents import Source, answers, columns
from agreement.recordings.recording import Recording, Report, Row, Triple
from agreement.streamed import streamed
from solver.static import Static
from translate.query import EngineQuery, ToStream

Shown = Mapping[Source, Sequence[Triple]]
"""What each window shows."""
_AT_ONCE: Final = 100_000
"""How many triples are evaluated together, counted in each content."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The query over a content during a push: `t` is the time its report is stamped with."""

    t: float
    trigger: int
    content: Shown


@dataclass(frozen=True, slots=True)
class Reporting:
    """How answers become reports: as sets, by which operator, and whether an empty one is silent."""

    operator: ToStream
    distinct: bool
    silent: bool


def recorded(
    query: EngineQuery,
    static: Static,
    evaluations: Iterable[Evaluation],
    reporting: Reporting,
    rejected: Iterable[int],
) -> Recording:
    """Return the reports of evaluations, in their order; `rejected` is read after them."""
    places: list[tuple[float, int]] = []
    rows: list[tuple[Row, ...]] = []
    for batch in _batches(evaluations):
        places += [(evaluation.t, evaluation.trigger) for evaluation in batch]
        rows += answers(query, [evaluation.content for evaluation in batch], static)
    found = {n: tuple(dict.fromkeys(row)) if reporting.distinct else row for n, row in enumerate(rows)}
    streams = streamed(reporting.operator, range(len(places)), found).values()
    reports = (Report(t, tuple(new), n) for (t, n), new in zip(places, streams, strict=True))
    shown = tuple(report for report in reports if report.rows or not reporting.silent)
    return Recording(columns(query), shown, tuple(rejected))


def _batches(evaluations: Iterable[Evaluation]) -> Iterator[list[Evaluation]]:
    batch: list[Evaluation] = []
    size = 0
    for evaluation in evaluations:
        batch.append(evaluation)
        size += sum(map(len, evaluation.content.values()))
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
