"""The HTML reports of `lars witness` and `lars shrink`: a summary, and the report of `lars agree`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rich.console import RenderableType

from agreement.comparing.agree.agreeing import AgreementReport, RowFilter
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.outputs import quantity
from agreement.proving.decisions import Decision, all_hold
from agreement.proving.shrinking import MinimalDisagreement
from agreement.proving.witness import WitnessTask
from agreement.results.renderings.agreement_report import difference_text
from agreement.results.renderings.pages.agree_page import agree_page
from agreement.results.renderings.pages.blocks import page_blocks, text_page
from agreement.results.renderings.pages.page import Page
from agreement.results.renderings.witness_report import as_text, shrunk_text
from lars.durations import TimedPoints
from translate.dialects import TITLES

_HEADING = "Extent of the search, and proofs"


def witness_page(
    title: str,
    task: WitnessTask,
    answers: Sequence[Decision],
    document: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the content of the HTML report of `lars witness`.

    If `lars witness` does not compare push with pull, or if no stream was found, the report contains only
    text.
    """
    question = f"What is the smallest stream on which {' and '.join(task.sides)} differ?"
    head = Page(title, question, all_hold(answers), _answer(answers), notes, _HEADING)
    first_shown = next(((each.period, each.witness) for each in answers if each.witness is not None), None)
    report = None if first_shown is None else task.report(*first_shown)
    if first_shown is None or report is None:
        return text_page(head, document, as_text(task, answers))
    several = sum(len(answer.witnesses) for answer in answers) > 1
    below = [f"Below: the first stream for U = {first_shown[0]}."] if several else []
    parts = [*_proven(answers), *as_text(task, answers), *below]
    first = next(RowFilter().rows(report.first), None)
    report = replace(report, timed=isinstance(first_shown[0], TimedPoints))
    dates = report.dates.within(report.first.trace.timeline)
    why = "" if first is None else f" {difference_text(first, dates)}."
    head = replace(head, answer=f"{head.answer}{why}")
    return _headed(head, parts, document, report)


def shrink_page(
    title: str,
    question: str,
    disagreement: MinimalDisagreement,
    document: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the content of the HTML report of `lars shrink`: sizes, and the report on the minimal input."""
    before, after = quantity(disagreement.before.triples, "triple"), disagreement.after.triples
    answer = f"The minimal difference has {after} of {before}. Cause: {disagreement.cause}."
    head = Page(title, question, False, answer, notes, "The minimal difference")
    report = disagreement.left.report()
    # The report was made for this page, so nothing else sees the change.
    report.first.trace.origin = disagreement.left.origin
    page = _headed(head, shrunk_text(disagreement), document, report)
    causes = [CAUSES[difference["cause"]] for difference in page.page["differences"]]
    first = causes.index(disagreement.cause) if disagreement.cause in causes else 0
    pair = report.first.pair
    reduced = [
        part | {"whose": f"the rest of the {TITLES[query.language]} query (this text is not in the input)"}
        for part, query in zip(page.page["logic"], (pair.csparql, pair.cqels), strict=True)
    ]
    return replace(page, page=page.page | {"first": first, "logic": reduced})


def _headed(
    head: Page, parts: Iterable[RenderableType], document: Mapping[str, object], report: AgreementReport
) -> Page:
    """Return the HTML report of `lars agree` with another question and another answer at the top."""
    page = agree_page(head.title, report, document)
    above = {"above": page_blocks(parts), "heading": head.heading}
    return replace(
        page,
        question=head.question,
        answer=head.answer,
        notes=head.notes,
        heading=head.heading,
        page=page.page | above,
    )


def _answer(answers: Sequence[Decision]) -> str:
    by_size: dict[int, list[str]] = defaultdict(list)
    for answer in answers:
        if answer.witness is not None:
            by_size[len(answer.witness.facts)].append(str(answer.period))
    if not by_size:
        return "There is none." if all_hold(answers) else "None was found."
    if len(answers) == 1:
        return f"{quantity(next(iter(by_size)), 'triple')}."
    sentences = (
        f"{quantity(size, 'triple')} for U = {', '.join(periods)}" for size, periods in by_size.items()
    )
    return f"{'; '.join(sentences)}."


def _proven(answers: Sequence[Decision]) -> list[str]:
    """Return sentences about a finished search, for example that no stream with fewer triples differs."""
    if all_hold(answers) is not False or any(answer.search_end == "out of time" for answer in answers):
        return []
    # A stream that a proof gives need not be a smallest one.
    smallest = all(witness.smallest for answer in answers for witness in answer.witnesses)
    searched = ["lars searched streams with fewer triples first, and found none."] * smallest
    return [
        *searched,
        "lars agree evaluated each stream shown, and clingo verified the answers of both sides.",
    ]
