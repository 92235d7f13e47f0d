"""A disagreement that is tried: whether it still disagrees for its cause, and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agreement.comparing.agree import Pair, PeriodComparison, RowCause, VariantReport, compare
from agreement.documents.traces import LocalTrace
from lars.errors import LarsError
from lars.language.terms import Signature
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Arguments, Fact
from solver.settings import Certify, Runner
from translate.model.query import Setting
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two queries, a stream and static data on which they disagree by the end of the timeline [0, end]."""

    pair: Pair
    facts: tuple[Fact, ...]
    static: Mapping[Signature, tuple[Arguments, ...]]
    end: int


@dataclass
class TrialEvaluation:
    """Evaluates disagreements, and counts how often; `origin` is the dateTime of time 0, if there is one."""

    setting: Setting
    trigger: Trigger
    period: int
    cause: RowCause
    origin: str | None = None
    count: int = field(default=0, init=False)

    def shortest(self, tried: Disagreement) -> Disagreement | None:
        """Return what is tried, up to the first interval that disagrees for the cause; None: none does."""
        found = self.first(tried)
        if found is None:
            return None
        _, interval = found
        kept = tuple(fact for fact in tried.facts if fact.t <= interval.end)
        return Disagreement(tried.pair, kept, tried.static, interval.end)

    def first(self, tried: Disagreement) -> tuple[VariantReport, PeriodComparison] | None:
        """Return the first interval that disagrees for the cause, with the report it is of."""
        self.count += 1
        try:
            report = report_on(tried, self.period, self.setting, self.trigger, Certify.NONE)
        except LarsError:
            return None  # queries without a part that they need
        for interval in report.verdicts[0].intervals:
            if any(one.cause is self.cause for one in report.differences(interval)):
                return report, interval
        return None


def report_on(
    tried: Disagreement, period: int, setting: Setting, trigger: Trigger, certify: Certify
) -> VariantReport:
    """Return what `lars agree` says."""
    runner = Runner(in_process=True, certify=certify)
    trace = LocalTrace(trace_columns(tried.facts), Interval(0, tried.end), tried.static, runner)
    return compare([tried.pair], [period], trace, setting, trigger).variants[0]
