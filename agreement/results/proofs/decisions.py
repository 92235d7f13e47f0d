"""`decide`: do push and pull agree on every stream; `contained`: does one query answer what another does."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.agree import Overrides
from agreement.documents.options import IdleOptions, has, option
from agreement.documents.requests import (
    InterpretationOptions,
    QuestionOptions,
    assign_option,
    queries_argument,
    readers,
    unit_option,
)
from agreement.documents.table_files import Column, OutTable
from agreement.proving.containment import Containment, Holds, contained_in_units, two_queries
from agreement.proving.decide import (
    SEARCHED,
    Decider,
    DecisionTask,
    EveryStream,
    PeriodDecision,
    VariantClasses,
    decision_task,
    in_finer_units,
)
from agreement.results.base.boundary import Listeners, answering, offered_functions
from agreement.results.base.compared_inputs import title_of
from agreement.results.base.findings import Findings
from agreement.results.base.without_trace import places_in, without_trace
from agreement.results.renderings import decision_report
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.page import Page, PageHead
from lars.durations import Duration
from lars.language.terms import Iri
from solver.deadlines import Deadline
from translate.tau import columns

SECONDS: Final = 60.0
"""How long containment is decided, where nobody says."""


def time_limit_option() -> Any:
    """Return the field of how long is looked."""
    return option(
        None,
        "Then it is open. [default: 60 for two queries in one mode, 20 of search for push and pull]",
        least=0,
        metavar="SECONDS",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """Decide without a trace whether pull of C-SPARQL and push of CQELS agree on every stream."""

    inputs: tuple[Path, ...] = queries_argument()
    question: QuestionOptions
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()
    time_limit: float | None = time_limit_option()


class OnEveryStream(Findings):
    """What holds on every stream, or does not, or is open."""

    __slots__ = ()
    verdict: ClassVar[str | None] = "holds"

    @property
    @abstractmethod
    def holds(self) -> bool | None:
        """Whether it holds; None where that is open."""

    @property
    def ending(self) -> tuple[int, str | None]:
        """1 where it does not hold, 3 where that is open."""
        return {True: 0, False: 1, None: 3}[self.holds], None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecideResult(OnEveryStream):
    """What `decide` returns: for each period a verdict, the theorem and the premises that it rests on."""

    verdicts: tuple[PeriodDecision, ...]
    _task: DecisionTask
    _variants: VariantClasses
    _title: str

    @property
    def holds(self) -> bool | None:
        """Whether push and pull agree on every stream, for every period; None where that is open."""
        streams = {decision.verdict for decision in self.verdicts}
        if streams & {EveryStream.NEVER, EveryStream.STATIC} or any(
            decision.witness for decision in self.verdicts
        ):
            return False
        return None if EveryStream.OPEN in streams else True

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return self._view.as_json(columns(self._task.questions[0].pair.csparql))

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdicts, what was checked, and a stream for each kind of difference."""
        return self._view.as_text()

    @property
    def _view(self) -> decision_report.DecisionView:
        unit = self._task.questions[0].setting.unit
        return decision_report.DecisionView(self.verdicts, self._variants, unit)

    def page(self) -> Page:
        """Return what the page says: verdicts by period, premises with their places in the query."""
        question = "Do push and pull agree on every stream?"
        head = PageHead(self._title, question, self.holds, "", self.warnings)
        return self._view.page(head, self._task.questions[0].places.text, self.document())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `verdicts`."""
        rows = (
            (
                decision.period,
                decision.verdict.value,
                None if decision.theorem is None else decision.theorem.value,
            )
            for decision in self.verdicts
        )
        return (OutTable("verdicts", _COLUMNS, rows),)


_COLUMNS = (
    Column("period", int, "the pulling period, in time points"),
    Column("verdict", str, "always, never, depends on the static data, or open"),
    Column("theorem", str, "what it rests on; none: nothing, it is open"),
)


@offered_functions(DecisionRequest)
def decide(request: DecisionRequest, listeners: Listeners) -> DecideResult:
    """Return whether push and pull agree on every stream: of an experiment, or of one or two queries.

    >>> query = "SELECT ?x WHERE { STREAM <urn:s> [NOW] { ?x <urn:p> ?y } }"
    >>> [(decision.period, decision.verdict.value) for decision in decide(query, period="1,2").verdicts]
    [(1, 'always'), (2, 'never')]
    """
    options = request.question
    overrides = Overrides(options.period, options.unit, request.reading, request.assign or {})
    traceless = without_trace(request.inputs, options.trace(), overrides, listeners.warn)
    task = decision_task(traceless, places_in(request.inputs, traceless), listeners.warn)
    seconds = SEARCHED if request.time_limit is None else request.time_limit
    decider, decisions = Decider(task.questions[0], seconds=seconds), []
    for done, number in enumerate(task.periods):
        listeners.progress(done, len(task.periods))
        decisions.append(in_finer_units(decider, decider.decide(number)))
    return DecideResult(tuple(decisions), task, VariantClasses(task.questions[0]), title_of(request.inputs))


@dataclass(frozen=True, slots=True)
class TwoQueryOptions:
    """Two queries in one mode. Whether one's answers are the other's, at every time on every stream."""

    equivalent: bool = option(False, "Decide whether the two always have the same answers.")
    rename: Mapping[str, str] | None = option(
        None,
        "The column A of the first is the column B of the second.",
        readers.rename_option,
        metavar="A=B",
        keyword="Mapping[str, str] | None",
        repeated=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainmentRequest:
    """Decide whether each answer of one query is one of another."""

    inputs: tuple[Path, ...] = queries_argument()
    unit: Duration | None = unit_option()
    reading: InterpretationOptions
    two: TwoQueryOptions
    time_limit: float | None = time_limit_option()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainmentResult(OnEveryStream):
    """What `contained` returns: in each direction that was asked for, what was found and why."""

    _directions: tuple[decision_report.Direction, ...]
    _files: tuple[str, ...]

    @property
    def directions(self) -> tuple[Containment, ...]:
        """What was found of the first query in the second, then, if asked for, of the second in the first."""
        return tuple(containment for *_, containment in self._directions)

    @property
    def holds(self) -> bool | None:
        """Whether it holds in all of them; None where that is open."""
        verdicts = {containment.holds for containment in self.directions}
        return False if Holds.NO in verdicts else None if Holds.OPEN in verdicts else True

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return decision_report.containment_json(self._directions, self._files)

    def parts(self) -> Iterable[RenderableType]:
        """Yield each direction, and the data that refute it."""
        return decision_report.containment_text(self._directions, self._files)

    def page(self) -> Page:
        """Return what the page says."""
        one, other = (Path(file).name for file in self._files)
        both = (
            "Have both the same answers"
            if len(self._directions) > 1
            else f"Is each answer of {one} one of {other}"
        )
        answer = {True: "Yes.", False: "No.", None: "It is open."}[self.holds]
        head = PageHead(f"{one} and {other}", f"{both}, on every stream and static data?", self.holds, answer)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `directions`."""
        rows = ((containment.holds.value, containment.why) for containment in self.directions)
        columns_of_both = (
            Column("found", str, "contained, not contained, or open"),
            Column("why", str, "the reason"),
        )
        return (OutTable("directions", columns_of_both, rows),)


@offered_functions(ContainmentRequest)
def contained(request: ContainmentRequest, listeners: Listeners) -> ContainmentResult:
    """Return whether each answer of one query is one of another, at every time on every stream.

    >>> near, far = (f"SELECT ?x {{ STREAM <urn:s> [RANGE {n}s] {{ ?x <urn:p> 1 }} }}" for n in (5, 9))
    >>> contained(near, far).holds, contained(far, near).holds
    (True, False)
    """
    inputs = request.inputs
    one, other = two_queries(inputs, request.unit, request.reading, request.two.rename or {})
    deadline = Deadline.after(SECONDS if request.time_limit is None else request.time_limit)
    # The second direction, too, has its time.
    first = deadline.nearer(0.5) if request.two.equivalent else deadline
    one, other = (replace(query, deadline=first) for query in (one, other))
    containments = [(one, other, contained_in_units(one, other))]
    if request.two.equivalent:
        one, other = (replace(query, deadline=deadline) for query in (one, other))
        containments.append((other, one, contained_in_units(other, one)))
    named = (
        map(str, inputs)
        if listeners.source_files is None
        else map(listeners.source_files.plain, map(str, inputs))
    )
    return ContainmentResult(tuple(containments), tuple(named))


_OF_TWO: Final = frozenset(("--contained", "--equivalent"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRequest(DecisionRequest):
    """Decide without a trace whether pull of C-SPARQL and push of CQELS agree on every stream.

    Exit code 0: always; 1: on some stream they differ; 3: it is open.

    Example:
    lars decide samples/coupons --period 1..50
    """

    IDLE: ClassVar = (
        IdleOptions(
            lambda values: bool(_OF_TWO & values.keys()),
            ("--period", "--static", "--trigger", "--assign"),
            "accepted without --contained and --equivalent, which are about every time and all data",
        ),
        IdleOptions(
            has("--equivalent"), ("--contained",), "accepted without --equivalent, which is both directions"
        ),
        IdleOptions(
            lambda values: not _OF_TWO & values.keys(),
            ("--rename",),
            "accepted with --contained or --equivalent, which compare columns",
        ),
    )

    contained: bool = option(False, "Decide whether each answer of the first is one of the second.")
    two: TwoQueryOptions


@offered_functions(DecideRequest)
def decide_either(request: DecideRequest, listeners: Listeners) -> DecideResult | ContainmentResult:
    """Return what `lars decide` is asked: of push and pull, or of two queries in one mode."""
    if not (request.contained or request.two.equivalent):
        return answering(decide)(request, listeners)
    containment_request = ContainmentRequest(
        inputs=request.inputs,
        unit=request.question.unit,
        reading=request.reading,
        two=request.two,
        time_limit=request.time_limit,
    )
    return answering(contained)(containment_request, listeners)
