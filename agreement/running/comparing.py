"""A cell that compares push and pull as `lars agree` does: its verdicts, as they are kept."""

from collections import Counter
from collections.abc import Iterator

from agreement.agreeing import of_cell, run
from agreement.compare import VariantReport
from agreement.encoding import Json
from agreement.pushpull import Compared, Side
from agreement.running.cells import ComparingWork
from agreement.trace_input import Runner


def comparison(work: ComparingWork) -> Json:
    """Return the verdict of each variant, period and interval, and what it warns of."""
    warnings: list[str] = []
    found = run(of_cell(work, Runner(in_process=True)), warnings.append)
    rows = [row for variant in found.variants for row in _rows(variant)]
    agree = [verdict.agree for variant in found.variants for verdict in variant.verdicts]
    return {"correct": _all(agree), "warnings": [*warnings, *found.warnings], "intervals": rows}


def _all(agree: list[bool | None]) -> bool | None:
    if False in agree:
        return False
    return True if True in agree else None


def _rows(variant: VariantReport) -> Iterator[Json]:
    for verdict in variant.verdicts:
        for interval in verdict.intervals:
            yield {
                "variant": str(variant.pair),
                "period": verdict.period,
                "from": interval.start,
                "to": interval.end,
                "agree": interval.agree,
                "push": len(interval.push),
                "pull": len(interval.pull),
                "push_only": 0 if interval.agree else len(interval.only(Side.PUSH)),
                "pull_only": 0 if interval.agree else len(interval.only(Side.PULL)),
                "causes": _causes(variant, interval),
            }


def _causes(variant: VariantReport, interval: Compared) -> str | None:
    """Return the causes of the differences with their numbers, None where it agrees."""
    found = Counter(difference.cause.value for difference in variant.differences(interval))
    return ", ".join(f"{cause} ({found[cause]})" for cause in sorted(found)) or None
