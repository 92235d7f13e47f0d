"""What `lars shrink` begins with: of a comparison the first pair and period that disagree."""

from dataclasses import replace
from pathlib import Path

from agreement.comparing.agree import (
    AgreementTask,
    RowCause,
    VariantReport,
    compare,
    comparison_trace,
    pairs,
    periods_of,
)
from agreement.documents.dates import Dates
from agreement.documents.traces import with_dates
from agreement.proving.shrink.shrinking import Shrunk, cause_in, shrunk
from agreement.proving.shrink.trial_evaluation import Disagreement, TrialEvaluation
from agreement.proving.witness import WrittenExperiment
from lars.errors import LarsError
from lars.files import replacement_path
from solver.settings import Progress, Warn


def shrink(
    task: AgreementTask, wanted: RowCause | None, warn: Warn, progress: Progress
) -> tuple[Shrunk, TrialEvaluation] | None:
    """Return what is left of a comparison's first disagreement, None where it agrees."""
    queries = [query for query in (task.csparql, task.cqels) if query is not None]
    trace = comparison_trace(task, queries, warn)
    task = replace(task, setting=with_dates(task.setting, trace))
    compared = pairs(task.csparql, task.cqels, trace.predicates(), task.assigned)
    found = compare(compared, periods_of(task), trace, task.setting, task.trigger)
    for variant in found.variants:
        for verdict in variant.verdicts:
            alone = replace(variant, verdicts=(verdict,))
            cause = _cause(alone, wanted) if verdict.agree is False else None
            if cause is not None:
                static = {name: tuple(rows) for name, rows in trace.background.items()}
                facts = tuple(trace.facts(trace.timeline))
                given = Disagreement(variant.pair, facts, static, trace.timeline.last)
                trials = TrialEvaluation(task.setting, task.trigger, verdict.period, cause, trace.origin)
                return shrunk(given, trials, progress), trials
    if wanted is not None:
        raise LarsError(f"no row that one side alone has has the cause {wanted.value}")
    return None


def _cause(report: VariantReport, wanted: RowCause | None) -> RowCause | None:
    if wanted is None:
        return cause_in(report)
    differences = (one for interval in report.verdicts[0].intervals for one in report.differences(interval))
    return wanted if any(one.cause is wanted for one in differences) else None


def write_shrunk(folder: Path, found: Shrunk, trials: TrialEvaluation) -> None:
    """Write what is left as an experiment; a folder of that name is replaced."""
    title = f"Push and pull disagree: {found.cause.value}"
    about = found.left.pair, trials.setting, trials.trigger, trials.period
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        left = found.left
        dates = Dates(trials.origin, trials.setting.unit)
        WrittenExperiment(title, *about, left.facts, left.static, left.end, dates).write(new)
