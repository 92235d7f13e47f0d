"""The function `agree_late`: the rows of push and pull that change because data arrive late."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.console import RenderableType

from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.lateness import LateRow, LateSide, late_sides
from agreement.documents.dates import Dates
from agreement.documents.table_files import OutTable
from agreement.documents.values import points_of
from agreement.results.agreements import lateness_report
from agreement.results.agreements.agreeing import AgreeRequest, compared_answers, explain_commands
from agreement.results.base.library import Findings, Listeners, offered_functions, title_of
from agreement.results.renderings.agreement_report import ExplainCommand
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.page import Page
from lars.dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LateResult(Findings):
    """The result of `agree_late`: the rows that are lost, late or invented because data arrive late.

    - `late` contains the changed rows, each with its cause.
    - `sides` contains the answers of push and of pull for each pull period.
    """

    verdict: ClassVar[str | None] = "unchanged"
    _main: ClassVar[str] = "late"

    late: tuple[LateRow, ...]
    sides: tuple[LateSide, ...]
    _report: AgreementReport
    _title: str
    _asking: ExplainCommand

    @property
    def unchanged(self) -> bool | None:
        """Whether late data changed no row; None if the timeline has no whole period."""
        if not any(side.whole for side in self.sides):
            return None
        return not any(side.changes for side in self.sides)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if late data changed a row, otherwise 0."""
        return (1 if self.unchanged is False else 0), None

    @property
    def dates(self) -> Dates:
        """The mapping of time points to dateTimes, if the trace has dateTimes."""
        return self._report.dates

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return lateness_report.as_json(self._report, self.sides, self.late)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the text report: numbers of changed rows, example rows, and a table about pull's waits."""
        return lateness_report.as_text(self._report, self.sides, self.late, self._asking)

    def page(self) -> Page:
        """Return the content of the HTML report."""
        answer = lateness_report.headline(self.sides)
        head = Page(self._title, "What did late data change?", self.unchanged, answer, self.warnings)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the tables `late` and `waits`."""
        return lateness_report.tables(self._report, self.sides, self.late)


@offered_functions(AgreeRequest, without=("late", "cause", "fail_on_empty"))
def agree_late(request: AgreeRequest, listeners: Listeners) -> LateResult:
    r"""Return the rows that late data changed: lost, late or invented, each with its cause.

    >>> trace = [(1, "a"), (7, "b"), (3, "c")]
    >>> trace = "t,s,p,o\n" + "".join(f"{t},<urn:{s}>,<urn:p>,<urn:x>\n" for t, s in trace)
    >>> query = "SELECT ?x WHERE { STREAM <urn:s> [RANGE 5s] { ?x <urn:p> ?y } }"
    >>> result = agree_late(query, trace, arrival="order", period="3s")
    >>> [(row.side, row.end, row.row, row.kind) for row in result.late[:2]]
    [('push', 3, ('<urn:c>',), 'late'), ('pull', 3, ('<urn:c>',), 'lost for good')]
    """
    task, report = compared_answers(replace(request, late=True), listeners)
    lengths = (
        None if each is None else points_of(each, task.setting.unit)
        for each in (request.wait, request.lateness)
    )
    wait, lateness = lengths
    assert wait is not None, "it has a default"
    chosen = [verdict.period for verdict in report.row_filter.verdicts(report.first)]
    sides = late_sides(report.first, task.setting, chosen, wait, lateness)
    rows = (row for side in sides for row in side.changes if request.row_filter.side in (None, row.side))
    asking = explain_commands(request, task, report.dates, listeners.source_files)
    return LateResult(tuple(rows), tuple(sides), report, title_of(request.inputs), asking)
