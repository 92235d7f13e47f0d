"""`witness`: the smallest stream on which two sides differ.

It takes what `lars decide` proves or refutes by streams: neither knows less than the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.agree import Overrides, RowCause, cause_of
from agreement.documents.options import option
from agreement.documents.requests import (
    InterpretationOptions,
    QuestionOptions,
    assign_option,
    queries_argument,
)
from agreement.documents.table_files import Column, OutTable
from agreement.proving.containment import (
    Counterexample,
    Holds,
    OneQuery,
    contained_in_units,
    decide_containment,
)
from agreement.proving.decide import (
    AgreementQuestion,
    Decider,
    Places,
    agreement_theorem,
    in_finer_units,
    stock_of,
)
from agreement.proving.disjuncts import Stock
from agreement.proving.witness import (
    NoWitness,
    Witness,
    WitnessCriteria,
    WitnessTask,
    read_sides,
    witness_task,
    witnesses,
    write_experiments,
)
from agreement.proving.witness.other_sides import Readings
from agreement.proving.witness.witness_task import PeriodWitnesses, StreamMaker
from agreement.results.base.boundary import Listeners, offered_functions
from agreement.results.base.compared_inputs import title_of
from agreement.results.base.findings import Findings
from agreement.results.base.without_trace import without_trace
from agreement.results.renderings.witness_report import as_json, as_text
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Atom, Iri
from solver.deadlines import Deadline
from solver.search import ChosenStream

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


_FINER: Final = 5.0
"""Seconds for what finer units change, once it is known that there is no stream."""


def made_streams(task: WitnessTask) -> StreamMaker:
    """Return what makes streams from the queries' disjuncts, for push and pull or for two queries."""
    wishes, static = task.criteria, task.static
    if wishes.sides is not None or wishes.same_input:
        return lambda *_: None
    if task.pair is None:
        return lambda _, deadline: _of_queries(task, deadline)
    question = _question(task)
    decider = Decider(question)

    def made(period: int, deadline: Deadline) -> ChosenStream | NoWitness | None:
        decider.seconds = deadline.left
        try:
            if (theorem := agreement_theorem(question, period)) is not None:
                return NoWitness(0, theorem.value)
            stream_witness = None if question.volatile else decider.witness(period)
        except LarsError:  # too many disjuncts, or windows that reach too far
            return None
        if stream_witness is None:
            return None
        free = () if static is not None else _atoms(stream_witness.static)
        return ChosenStream(
            stream_witness.facts,
            free,
            *stream_witness.period,
            (len(stream_witness.facts), len(free), stream_witness.period[1], 0),
        )

    return made


def finer_unit(task: WitnessTask) -> Duration | None:
    """Return a finer unit with which the sides differ on a stream, None where `decide` knows of none."""
    if task.criteria.sides is not None or task.criteria.same_input:
        return None
    try:
        if task.pair is None:
            deadline = Deadline.after(_FINER)
            units = [contained_in_units(*both).finer for both in _directions(task, deadline)]
            return next((finer.unit for finer in units if finer is not None), None)
        decider = Decider(_question(task), seconds=0)
        decisions = (in_finer_units(decider, decider.decide(period)) for period in task.periods)
        return next((decision.finer[0] for decision in decisions if decision.finer is not None), None)
    except LarsError:  # too many disjuncts, or windows that reach too far
        return None


def _question(task: WitnessTask) -> AgreementQuestion:
    assert task.pair is not None
    stock = None if task.static is None else stock_of(task.static)
    return AgreementQuestion(task.pair, task.setting, task.trigger, stock, Places("", ""))


def _directions(task: WitnessTask, deadline: Deadline) -> tuple[tuple[OneQuery, OneQuery], ...]:
    one, other = (OneQuery(query, task.setting, deadline) for query in task.queries)
    return ((one, other),) if task.criteria.contained else ((one, other), (other, one))


def _of_queries(task: WitnessTask, deadline: Deadline) -> ChosenStream | NoWitness | None:
    """Return a stream that refutes one of the directions, or that all are proved."""
    reasons: list[str] = []
    for query, other in _directions(task, deadline):
        try:
            containment = decide_containment(query, other)
        except LarsError:
            return None
        against = containment.against
        if against is not None and (task.static is None or not against.static):
            return _at(against)
        if containment.holds is Holds.YES:
            reasons.append(containment.why)
    proved = len(reasons) == len(_directions(task, deadline))
    return NoWitness(0, "; ".join(dict.fromkeys(reasons))) if proved else None


def _at(counterexample: Counterexample) -> ChosenStream:
    static = _atoms(counterexample.static)
    facts = tuple(fact for fact in counterexample.facts if fact.t <= counterexample.t)
    return ChosenStream(
        facts, static, counterexample.t - 1, counterexample.t, (len(facts), len(static), counterexample.t, 0)
    )


def _atoms(static: Stock) -> tuple[Atom, ...]:
    return tuple(Atom("triple", terms) for terms in static)


@dataclass(frozen=True, slots=True)
class WitnessOptions:
    """Which witnesses are wanted, and how far the search goes."""

    enumerate_: int = option(
        1, "So many, no two alike up to names and waiting.", shell_name="--enumerate", least=1, metavar="N"
    )
    cause: RowCause | None = option(
        None,
        "One with this cause: blocked-later. [default: any cause]",
        cause_of,
        keyword="str | None",
    )
    triples: int | None = option(
        None, "Of at most so many triples. [default: what is enough, else 4]", least=0, metavar="N"
    )
    any_source: bool = option(
        False, "A triple may come from each stream and be static, whatever its pattern."
    )
    same_input: bool = option(
        False, "One that shows push in the period, in total, what pull sees at its end."
    )
    sides: Readings | None = option(
        None,
        "Push read in two ways: closed,high-open, rstream,istream .. [default: push, pull]",
        read_sides,
        metavar="A,B",
        keyword="str | None",
    )
    time_limit: float | None = option(
        None, "Then give the best so far, for each period.", least=0, metavar="SECONDS"
    )
    contained: bool = option(False, "Of two queries: where the first has a row that the second lacks.")

    @property
    def criteria(self) -> WitnessCriteria:
        """What is searched for."""
        return WitnessCriteria(
            count=self.enumerate_,
            cause=self.cause,
            triples=self.triples,
            seconds=self.time_limit,
            any_source=self.any_source,
            contained=self.contained,
            same_input=self.same_input,
            sides=self.sides,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessRequest:
    """Find the smallest stream on which push and pull, or two queries, differ; exit 1 if there is one.

    Exit code 0: there is none on any stream; 3: none was found.

    Example:
    lars witness samples/coupons --period 5
    """

    inputs: tuple[Path, ...] = queries_argument()
    question: QuestionOptions
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()
    witness_options: WitnessOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WitnessResult(Findings):
    """What `witness` returns: for each period the smallest streams, and why there are no more.

    `differ` is None where none was found, and no theorem says that there is none; `finer` is a finer unit
    with which there is one.
    """

    verdict: ClassVar[str | None] = "differ"

    periods: tuple[PeriodWitnesses, ...]
    _task: WitnessTask
    _title: str
    finer: Duration | None = None

    @property
    def differ(self) -> bool | None:
        """Whether there is a stream on which the two sides differ."""
        if self.witnesses:
            return True
        return (
            False
            if all(isinstance(period_witnesses.ended, NoWitness) for period_witnesses in self.periods)
            else None
        )

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The streams, by period, the smallest first."""
        return tuple(stream for period_witnesses in self.periods for stream in period_witnesses.witnesses)

    @property
    def ending(self) -> tuple[int, str | None]:
        """1 where there is such a stream, 3 where none was found."""
        return {False: 0, True: 1, None: 3}[self.differ], None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        finer = None if self.finer is None else str(self.finer)
        return {**as_json(self._task, self.periods), "finer": finer}

    def parts(self) -> Iterable[RenderableType]:
        """Yield each period's witnesses, and why there are no more."""
        yield from as_text(self._task, self.periods)
        yield from self._in_finer()

    def _in_finer(self) -> tuple[str, ...]:
        unit = self._task.setting.unit
        known = f"with a unit of {self.finer} there is one (--unit {self.finer}), with {unit} there is none"
        return () if self.finer is None else (known,)

    def page(self) -> "Page":
        """Return what the page says: what was searched, and the first stream as `agree` sees it."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.witness_page import witness_page

        return witness_page(
            self._title, self._task, self.periods, self.document(), (*self.warnings, *self._in_finer())
        )

    def write_experiment(self, folder: str | Path) -> None:
        """Write the first period's witnesses as experiments for `agree`; one as the folder itself."""
        if len(self.periods) > 1:
            raise LarsError(f"--out {folder}: accepted with one period")
        if self.periods[0].witnesses:
            write_experiments(Path(folder), self._task, self.periods[0])

    def tables(self) -> Sequence[OutTable]:
        """Return the table `witnesses`: the triples of each."""
        return (OutTable("witnesses", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[int, int, int | None, str, str, str, str]]:
        for period_witnesses in self.periods:
            for number, found in enumerate(period_witnesses.witnesses, start=1):
                for fact in found.facts:
                    subject, predicate, object_, stream = fact.arguments
                    yield period_witnesses.period, number, fact.t, stream, subject, predicate, object_
                for row in found.static.get(("triple", 4), ()) if self._task.static is None else ():
                    subject, predicate, object_, graph = map(str, row)
                    yield period_witnesses.period, number, None, graph, subject, predicate, object_


_COLUMNS = (
    Column("period", int, "the pulling period, in time points"),
    Column("number", int, "which of the period's witnesses, from 1"),
    Column("t", int, "when the triple arrives; none: it is static"),
    Column("source", str, "the stream, or the graph of static data"),
    Column("s", str, "its subject"),
    Column("p", str, "its predicate"),
    Column("o", str, "its object"),
)


@offered_functions(WitnessRequest)
def witness(request: WitnessRequest, listeners: Listeners) -> WitnessResult:
    """Return the smallest stream on which push and pull differ: of an experiment, or of one or two queries.

    >>> result = witness("samples/minus")
    >>> result.differ, [fact.t for fact in result.witnesses[0].facts]
    (True, [0])
    """
    options = request.question
    overrides = Overrides(options.period, options.unit, request.reading, request.assign or {})
    traceless = without_trace(request.inputs, options.trace(), overrides, listeners.warn)
    task = witness_task(traceless, overrides, request.witness_options.criteria, listeners.warn)
    period_witnesses = tuple(
        witnesses(task, period, listeners.progress, made_streams(task)) for period in task.periods
    )
    result = WitnessResult(period_witnesses, task, title_of(request.inputs))
    return replace(result, finer=finer_unit(task)) if result.differ is False else result
