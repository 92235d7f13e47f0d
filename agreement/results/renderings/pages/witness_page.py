"""Pages of `lars witness` and `lars shrink`: what was done, then what is left as `lars agree` sees it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rich.console import RenderableType

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import RowFilter
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.outputs import quantity
from agreement.proving.shrinking import MinimalDisagreement, TrialEvaluation, report_on
from agreement.proving.witness import NoWitness, OutOfTime, WitnessTask
from agreement.proving.witness.witness_task import PeriodWitnesses
from agreement.results.renderings.agreement_report import AgreementView, dates_on, difference_text
from agreement.results.renderings.pages.agree_page import agree_page
from agreement.results.renderings.pages.blocks import page_blocks, text_page
from agreement.results.renderings.pages.page import Page, PageHead
from agreement.results.renderings.witness_report import as_text, shrunk_text
from lars.durations import TimedPoints
from solver.settings import Certify
from translate.tau import columns

_HEADING = "What was searched, and what is proven"


def witness_page(
    title: str,
    task: WitnessTask,
    witnesses: Sequence[PeriodWitnesses],
    document: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the page: of two queries at each time, and where there is no stream, the findings alone."""
    question = f"What is the smallest stream on which {' and '.join(task.sides)} differ?"
    verdict = differ(witnesses)
    head = PageHead(
        title, question, None if verdict is None else not verdict, _answer(witnesses), notes, _HEADING
    )
    first_shown = next(
        (
            (period_witnesses.period, period_witnesses.witnesses[0])
            for period_witnesses in witnesses
            if period_witnesses.witnesses
        ),
        None,
    )
    report = None if first_shown is None else task.report(*first_shown)
    if first_shown is None or report is None:
        return text_page(head, document, as_text(task, witnesses))
    several = sum(len(period_witnesses.witnesses) for period_witnesses in witnesses) > 1
    below = [f"Below: the first stream for U = {first_shown[0]}."] if several else []
    parts = [*_proven(witnesses), *as_text(task, witnesses), *below]
    first = next(RowFilter().rows(report), None)
    timed = isinstance(first_shown[0], TimedPoints)
    dates = dates_on(report, task.setting.unit, timed=timed)
    why = "" if first is None else f" {difference_text(first, dates)}."
    head = replace(head, answer=f"{head.answer}{why}")
    return _headed(
        head,
        parts,
        document,
        AgreementView(_alone(report), task.setting, task.trigger, inputs=task.inputs, timed=timed),
    )


def shrink_page(
    title: str,
    question: str,
    disagreement: MinimalDisagreement,
    trials: TrialEvaluation,
    document: Mapping[str, object],
) -> Page:
    """Return the page of `lars shrink`: both sizes, then what is left as `lars agree` sees it."""
    before, after = quantity(disagreement.before.triples, "triple"), disagreement.after.triples
    answer = f"Of {before} {after} are left: {disagreement.cause.value}."
    head = PageHead(title, question, False, answer, (), "What is left")
    report = report_on(disagreement.left, trials.period, trials.setting, trials.trigger, Certify.NONE)
    report.trace.origin = trials.origin
    view = AgreementView(_alone(report), trials.setting, trials.trigger, shrunk=True)
    page = _headed(head, shrunk_text(disagreement, trials), document, view)
    causes = [CAUSES[difference["cause"]] for difference in page.page["differences"]]
    return replace(
        page,
        page=page.page | {"first": causes.index(disagreement.cause) if disagreement.cause in causes else 0},
    )


def _alone(report: VariantReport) -> AgreementReport:
    return AgreementReport(columns(report.pair.csparql), (report,), ())


def _headed(
    head: PageHead,
    parts: Iterable[RenderableType],
    document: Mapping[str, object],
    view: AgreementView,
) -> Page:
    """Return the page of `lars agree` on a stream, under another question and what answers it."""
    page = agree_page(head.title, view, document)
    above = {"above": page_blocks(parts), "heading": head.heading}
    return replace(page, head=replace(head, verdict=page.head.verdict), page=page.page | above)


def differ(witnesses: Sequence[PeriodWitnesses]) -> bool | None:
    """Return whether there is a stream on which the sides differ; None where that is open."""
    if any(period_witnesses.witnesses for period_witnesses in witnesses):
        return True
    return (
        False
        if all(isinstance(period_witnesses.ended, NoWitness) for period_witnesses in witnesses)
        else None
    )


def _answer(witnesses: Sequence[PeriodWitnesses]) -> str:
    by_size: dict[int, list[str]] = defaultdict(list)
    for period_witnesses in witnesses:
        if period_witnesses.witnesses:
            by_size[len(period_witnesses.witnesses[0].facts)].append(str(period_witnesses.period))
    if not by_size:
        return "There is none." if differ(witnesses) is False else "None was found."
    if len(witnesses) == 1:
        return f"{quantity(next(iter(by_size)), 'triple')}."
    sentences = (
        f"{quantity(size, 'triple')} for U = {', '.join(periods)}" for size, periods in by_size.items()
    )
    return f"{'; '.join(sentences)}."


def _proven(witnesses: Sequence[PeriodWitnesses]) -> list[str]:
    """Return how what is shown was found, where the search came to its end."""
    if differ(witnesses) is not True or any(
        isinstance(period_witnesses.ended, OutOfTime) for period_witnesses in witnesses
    ):
        return []
    searched = "Streams with fewer triples were searched first, and none was found."
    return [searched, "Each stream shown was evaluated as by lars agree, both sides' answers by clingo, too."]
