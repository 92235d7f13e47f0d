"""A cell that compares push and pull as `lars agree` does: its verdicts, as they are kept."""

from collections import Counter
from collections.abc import Iterator

from agreement.agreeing import emptiness, mismatches
from agreement.compare import VariantReport, compare, pairs
from agreement.encoding import Json
from agreement.inputs import background, check_timeline, dataset_of, streams_of
from agreement.pushpull import Compared, Side
from agreement.running.answering import pushes_in
from agreement.running.cells import Comparing, QueryText
from agreement.specifications.elements import elements_of
from agreement.traces import LocalTrace
from lars.errors import LarsError
from lars.windows import Interval
from solver.facts import STREAM_PREDICATE, Fact
from solver.static import read_static
from translate.dialects import read_query
from translate.model import default_period
from translate.query import EngineQuery


def comparison(work: Comparing) -> Json:
    """Return the verdict of each variant, period and interval, and what it warns of."""
    csparql, cqels = _query(work.csparql), _query(work.cqels)
    queries = [query for query in (csparql, cqels) if query is not None]
    warnings: list[str] = []
    trace = _trace(work, queries, warnings)
    periods = work.periods or _usual_period(work, queries)
    check_timeline(trace.timeline, min(periods))
    carried = trace.predicates()
    compared = pairs(csparql, cqels, carried, dict(work.assigned))
    streams = dict.fromkeys(stream.value for query in queries for stream in streams_of(query))
    warnings += mismatches(streams, {stream for stream, _ in carried})
    found = compare(compared, periods, trace, work.setting, work.trigger)
    warnings += [*found.warnings, *emptiness(found)]
    rows = [row for variant in found.variants for row in _rows(variant)]
    agree = [verdict.agree for variant in found.variants for verdict in variant.verdicts]
    return {"correct": _all(agree), "warnings": warnings, "intervals": rows}


def _all(agree: list[bool | None]) -> bool | None:
    if False in agree:
        return False
    return True if True in agree else None


def _query(given: QueryText | None) -> EngineQuery | None:
    return None if given is None else read_query(given.text, given.source, given.language)


def _trace(work: Comparing, queries: list[EngineQuery], warnings: list[str]) -> LocalTrace:
    elements = elements_of(pushes_in(work.input), work.input.unit)
    facts = [Fact(one.t, STREAM_PREDICATE, (*one.triple, one.stream)) for one in elements]
    static = background(read_static(work.input.static), dataset_of(queries), warnings.append)
    return LocalTrace(facts, work.timeline or Interval(0, elements[-1].t), static)


def _usual_period(work: Comparing, queries: list[EngineQuery]) -> tuple[int, ...]:
    for query in queries:
        period = default_period(query, work.setting.unit)
        if period is not None:
            return (period,)
    raise LarsError("no pulling period: no query has a STEP, or it has several, so give `period`")


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
