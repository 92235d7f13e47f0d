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
from agreement.results.renderings.comparisons.agreement_report import dates_on, in_words
from agreement.results.renderings.pages.blocks import page_blocks
from agreement.results.renderings.pages.page import Page, PageHead
from agreement.results.renderings.pages.push_pull.agree_page import AgreeContent, agree_page
from agreement.results.renderings.pages.text_pages import text_page
from agreement.results.renderings.proofs.shrink_report import as_text as as_text_shrunk
from agreement.results.renderings.proofs.witness_report import as_text
from solver.settings import Certify
from translate.model.query import Setting
from translate.tau import Trigger, columns

_HEADING = "What was searched, and what is proven"


def witness_page(
    title: str,
    task: WitnessTask,
    found: Sequence[PeriodWitnesses],
    document: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the page: of two queries at each time, and where there is no stream, the findings alone."""
    asked = f"What is the smallest stream on which {' and '.join(task.sides)} differ?"
    verdict = differ(found)
    head = PageHead(title, asked, None if verdict is None else not verdict, _said(found), notes, _HEADING)
    shown = next(((one.period, one.witnesses[0]) for one in found if one.witnesses), None)
    report = None if shown is None else task.report(*shown)
    if report is None:
        return text_page(head, document, as_text(task, found))
    several = sum(len(one.witnesses) for one in found) > 1
    below = [f"Below: the first stream for U = {shown[0]}."] if several and shown else []
    parts = [*_proven(found), *as_text(task, found), *below]
    first = next(RowFilter().rows(report), None)
    why = "" if first is None else f" {in_words(first, dates_on(report, task.setting.unit))}."
    head = replace(head, answer=f"{head.answer}{why}")
    return _headed(head, parts, document, report, (task.setting, task.trigger))


def shrink_page(
    title: str,
    asked: str,
    found: MinimalDisagreement,
    trials: TrialEvaluation,
    document: Mapping[str, object],
) -> Page:
    """Return the page of `lars shrink`: both sizes, then what is left as `lars agree` sees it."""
    answer = (
        f"Of {quantity(found.before.triples, 'triple')} {found.after.triples} are left: {found.cause.value}."
    )
    head = PageHead(title, asked, False, answer, (), "What is left")
    report = report_on(found.left, trials.period, trials.setting, trials.trigger, Certify.NONE)
    report.trace.origin = trials.origin
    page = _headed(head, as_text_shrunk(found, trials), document, report, (trials.setting, trials.trigger))
    causes = [CAUSES[one["cause"]] for one in page.page["differences"]]
    return replace(
        page, page=page.page | {"first": causes.index(found.cause) if found.cause in causes else 0}
    )


def _headed(
    head: PageHead,
    parts: Iterable[RenderableType],
    document: Mapping[str, object],
    report: VariantReport,
    read: tuple[Setting, Trigger],
) -> Page:
    """Return the page of `lars agree` on a stream, under another question and what answers it."""
    whole = AgreementReport(columns(report.pair.csparql), (report,), ())
    page = agree_page(AgreeContent(head.title, *read, whole, RowFilter(), document))
    above = {"above": page_blocks(parts), "heading": head.heading}
    return replace(page, head=replace(head, verdict=page.head.verdict), page=page.page | above)


def differ(found: Sequence[PeriodWitnesses]) -> bool | None:
    """Return whether there is a stream on which the sides differ; None where that is open."""
    if any(one.witnesses for one in found):
        return True
    return False if all(isinstance(one.ended, NoWitness) for one in found) else None


def _said(found: Sequence[PeriodWitnesses]) -> str:
    by_size: dict[int, list[str]] = defaultdict(list)
    for one in found:
        if one.witnesses:
            by_size[len(one.witnesses[0].facts)].append(str(one.period))
    if not by_size:
        return "There is none." if differ(found) is False else "None was found."
    if len(found) == 1:
        return f"{quantity(next(iter(by_size)), 'triple')}."
    told = (f"{quantity(size, 'triple')} for U = {', '.join(periods)}" for size, periods in by_size.items())
    return f"{'; '.join(told)}."


def _proven(found: Sequence[PeriodWitnesses]) -> list[str]:
    """Return how what is shown was found, where the search came to its end."""
    if differ(found) is not True or any(isinstance(one.ended, OutOfTime) for one in found):
        return []
    searched = "Streams with fewer triples were searched first, and none was found."
    return [searched, "Each stream shown was evaluated as by lars agree, both sides' answers by clingo, too."]
