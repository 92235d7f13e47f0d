"""The function `decide_late`: whether late data can change answers on any stream (`lars decide --delay`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.console import RenderableType

from agreement.documents import requests
from agreement.documents.table_files import Column, OutTable
from agreement.documents.values import points_of
from agreement.proving.decide import SEARCHED, agreement_question
from agreement.proving.lateness import KINDS, Decisions, LatenessQuestion, decide_lateness
from agreement.results.base.library import Findings, Listeners, offered_functions, title_of
from agreement.results.proofs import lateness_report
from agreement.results.proofs.traceless import DecideRequest
from agreement.results.proofs.traceless_inputs import places_in, without_trace
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.page import Page
from lars.dataclass import dataclass
from lars.errors import LarsError
from solver.deadlines import Deadline

_COLUMNS = (
    Column("side", str, "push or pull"),
    Column("kind", str, "kind of change: lost, lost for good, or invented"),
    Column("verdict", str, "never, possible, or open"),
    Column("why", str, "the reason of the verdict"),
    Column("least_wait", int, "smallest wait of pull, in time points, with which the change never happens"),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatenessResult(Findings):
    """The result of `decide_late`: whether a delay of data can change answers of push or of pull."""

    verdict: ClassVar[str | None] = "unchanged"

    decisions: Decisions
    _question: LatenessQuestion
    _title: str

    @property
    def unchanged(self) -> bool | None:
        """Whether a delay changes no answer on any stream; None if the verdict is open."""
        verdicts = {decision.verdict for kinds in self.decisions.values() for decision in kinds.values()}
        return False if "possible" in verdicts else None if "open" in verdicts else True

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return lateness_report.as_json(self.decisions, self._question)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdicts, and an example stream for each kind of change that is possible."""
        return lateness_report.as_text(self.decisions, self._question)

    def page(self) -> Page:
        """Return the content of the HTML report."""
        question = "Can a delay of data change the answers?"
        answer = lateness_report.headline(self.decisions, self._question)
        head = Page(self._title, question, self.unchanged, answer, self.warnings)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `changes`."""
        rows = (
            (side, kind, decision.verdict, decision.why, decision.least_wait)
            for side, kinds in self.decisions.items()
            for kind in KINDS
            for decision in (kinds[kind],)
        )
        return (OutTable("changes", _COLUMNS, rows),)


@offered_functions(DecideRequest, without=("contained", "equivalent", "rename"), needs=("delay",))
def decide_late(request: DecideRequest, listeners: Listeners) -> LatenessResult:
    """Return whether a delay of data can change the answers of push or pull, on any stream.

    >>> query = "SELECT ?x WHERE { STREAM <urn:s> [RANGE 5s] { ?x <urn:p> ?y } }"
    >>> result = decide_late(query, delay="2s", period="4s")
    >>> {kind: decision.verdict for kind, decision in result.decisions["pull"].items()}
    {'lost': 'possible', 'lost for good': 'never', 'invented': 'never'}
    """
    delay, wait, options = request.delay, request.wait, request.options
    assert delay is not None, "the option is required"
    if options.unit is None and requests.experiment_in(request.inputs) is None:
        lengths = requests.durations_among((*options.period, delay, wait))
        unit = requests.fitting_unit((*requests.durations_in(request.inputs), *lengths))
        options = replace(options, unit=unit)
    traceless = without_trace(request.inputs, options, listeners.warn)
    if len(traceless.task.periods) > 1:
        found = len(traceless.task.periods)
        raise LarsError(
            f"--delay requires one pull period; found {found}; use --period with one period, such as "
            "--period 5"
        )
    if len(traceless.periods) > 1:
        listeners.warn(
            f"the pull period U is {traceless.periods[0]}, because the query has no STEP (--period)"
        )
    agreement = agreement_question(traceless, places_in(request.inputs, traceless), listeners.warn)
    points = (points_of(length, agreement.setting.unit) for length in (delay, wait))
    question = LatenessQuestion(agreement, traceless.periods[0], *points)
    deadline = Deadline.after(SEARCHED if request.time_limit is None else request.time_limit)
    return LatenessResult(decide_lateness(question, deadline), question, title_of(request.inputs))
