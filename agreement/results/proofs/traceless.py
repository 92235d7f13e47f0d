"""The functions `decide` and `witness`: whether push and pull agree on all streams.

`decide` proves or refutes that push and pull agree. `witness` finds a smallest stream on which they differ.
`witness` uses the proofs and refutations of `decide`, and `decide` uses the streams of `witness`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.console import RenderableType

from agreement.documents import requests
from agreement.documents.options import IdleOptions, has, has_not
from agreement.documents.table_files import Column, OutTable
from agreement.documents.values import Period
from agreement.proving.decide import SEARCHED, Decider, VariantClasses, agreement_question, in_finer_units
from agreement.proving.decisions import Decision, Witness, all_hold
from agreement.proving.proved_streams import finer_unit, made_streams
from agreement.proving.witness import WitnessCriteria, WitnessTask, witness_task, witnesses, write_experiments
from agreement.results.base.library import Findings, Listeners, offered_functions, title_of
from agreement.results.proofs.traceless_inputs import places_in, without_trace
from agreement.results.renderings import decision_report, witness_report
from agreement.results.renderings.pages.page import Page
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.options import option
from solver.deadlines import Deadline


def time_limit_option() -> Any:
    """Return the declaration of the option --time-limit."""
    return option(
        None,
        "Time limit of the decision. At the limit, the verdict is open. [default: 60 s for two"
        " queries, 20 s for push and pull]",
        least=0,
        metavar="SECONDS",
    )


_OF_TWO: Final = frozenset(("--contained", "--equivalent"))
_TWO, _LATE = "Two queries", "Late data"
"""The headings of the options for two queries and for late data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRequest:
    """The arguments of `lars decide`.

    Prints for each period a verdict with the theorem that proves the verdict.
    If push and pull differ on some stream, prints such a stream.
    With --contained or --equivalent, compares the answers of two queries at every time instead.
    With --delay, decides whether late data can change the answers.

    Example:
    lars decide samples/coupons --period 1..50
    """

    IDLE: ClassVar = (
        IdleOptions(
            lambda values: bool(_OF_TWO & values.keys()),
            ("--period", "--static", "--trigger", "--assign", "--delay"),
            excludes="--contained or --equivalent, which compare the answers of two queries on all streams",
        ),
        IdleOptions(has_not("--delay"), ("--wait",), requires="--delay"),
        IdleOptions(
            has("--equivalent"), ("--contained",), excludes="--equivalent, which decides both directions"
        ),
        IdleOptions(
            lambda values: not _OF_TWO & values.keys(), ("--rename",), requires="--contained or --equivalent"
        ),
    )

    inputs: tuple[Path, ...] = requests.queries_argument()
    options: requests.TracelessOptions
    time_limit: float | None = time_limit_option()
    contained: bool = option(
        False, "Decide whether each answer of the first query is also an answer of the second query."
    )
    equivalent: bool = option(
        False, "Decide whether both queries have the same answers on every stream.", heading=_TWO
    )
    rename: Mapping[str, str] | None = option(
        None,
        "Compare column A of the first query with column B of the second query. Repeatable.",
        requests.readers.rename_option,
        repeated=True,
        heading=_TWO,
    )
    delay: Period | None = option(
        None,
        "Decide whether a delay of at most D between the time of a triple and its arrival can change the "
        "answers of push or pull.",
        requests.readers.length,
        metavar="D",
        heading=_LATE,
    )
    wait: Period = requests.wait_option(heading=_LATE)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecideResult(Findings):
    """The result of `decide`: for each pull period, a verdict, the proving theorem, and its premises."""

    verdict: ClassVar[str | None] = "holds"

    verdicts: tuple[Decision, ...]
    _variants: VariantClasses
    _title: str

    @property
    def holds(self) -> bool | None:
        """Whether push and pull agree on every stream for every period; None if the verdict is open."""
        return all_hold(self.verdicts)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return decision_report.as_json(self.verdicts, self._variants)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdicts, the checked premises, and a stream for each kind of difference."""
        return decision_report.as_text(self.verdicts, self._variants)

    def page(self) -> Page:
        """Return the content of the HTML report: verdicts by period, and premises with query lines."""
        question = "Do push and pull agree on every stream?"
        head = Page(self._title, question, self.holds, "", self.warnings)
        return decision_report.decision_page(head, self.verdicts, self._variants, self.document())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `verdicts`."""
        rows = (
            (decision.period, decision.verdict, decision.why if decision.holds is not None else None)
            for decision in self.verdicts
        )
        return (OutTable("verdicts", _VERDICT_COLUMNS, rows),)


_VERDICT_COLUMNS = (
    Column("period", int, "pull period U, in time points"),
    Column(
        "verdict", str, "verdict on agreement: always, never, depends on the static data, not always, or open"
    ),
    Column("theorem", str, "theorem or search that the verdict rests on; none: the verdict is open"),
)


@offered_functions(DecideRequest, without=("contained", "equivalent", "rename", "delay", "wait"))
def decide(request: DecideRequest, listeners: Listeners) -> DecideResult:
    """Return whether push and pull agree on every stream, for an experiment or one or two queries.

    >>> query = "SELECT ?x WHERE { STREAM <urn:s> [NOW] { ?x <urn:p> ?y } }"
    >>> [(decision.period, decision.verdict) for decision in decide(query, period="1,2").verdicts]
    [(1, 'always'), (2, 'never')]
    """
    traceless = without_trace(request.inputs, request.options, listeners.warn)
    question = agreement_question(traceless, places_in(request.inputs, traceless), listeners.warn)
    limit = request.time_limit
    seconds, deadline = SEARCHED if limit is None else limit, Deadline.after(limit)
    decider, decisions = Decider(question, seconds=seconds, deadline=deadline), []
    for done, number in enumerate(traceless.periods):
        listeners.progress(done, len(traceless.periods))
        decisions.append(in_finer_units(decider, decider.decide(number)))
    return DecideResult(tuple(decisions), VariantClasses(question), title_of(request.inputs))


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessRequest:
    """The arguments of `lars witness`.

    Prints the triples of the stream, and the rows that only one side reports.

    Example:
    lars witness samples/coupons --period 5
    """

    inputs: tuple[Path, ...] = requests.queries_argument()
    options: requests.TracelessOptions
    criteria: WitnessCriteria


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WitnessResult(Findings):
    """The result of `witness`: for each period, the smallest streams on which push and pull differ.

    - `differ` is the verdict; None if the search found no stream and no theorem decides.
    - `finer` is a finer time unit with which a stream exists; set only if no stream exists with the given
      unit.
    """

    verdict: ClassVar[str | None] = "differ"

    periods: tuple[Decision, ...]
    _task: WitnessTask
    _title: str
    finer: Duration | None = None

    @property
    def differ(self) -> bool | None:
        """Whether a stream exists on which push and pull differ; None if the verdict is open."""
        agree = all_hold(self.periods)
        return None if agree is None else not agree

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The found streams by period; the smallest stream of each period is first."""
        return tuple(stream for answer in self.periods for stream in answer.witnesses)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if push and pull differ on a stream, 0 if on none, 3 if the verdict is open."""
        return {False: 0, True: 1, None: 3}[self.differ], None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        finer = None if self.finer is None else str(self.finer)
        return {**witness_report.as_json(self._task, self.periods), "finer": finer}

    def parts(self) -> Iterable[RenderableType]:
        """Yield the streams of each period, and the reason why the search found no further streams."""
        yield from witness_report.as_text(self._task, self.periods)
        yield from self._in_finer()

    def _in_finer(self) -> tuple[str, ...]:
        unit = self._task.setting.unit
        known = f"no such stream with a unit of {unit}, but with --unit {self.finer}, a stream exists"
        return () if self.finer is None else (known,)

    def page(self) -> Page:
        """Return the content of the HTML report: the search, and the comparison on the first stream."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.witness_page import witness_page

        return witness_page(
            self._title, self._task, self.periods, self.document(), (*self.warnings, *self._in_finer())
        )

    def write_experiment(self, folder: str | Path) -> None:
        """Write the streams as experiments: a single stream into `folder`, several into subfolders.

        Raises:
            LarsError: The result contains several periods.
        """
        if len(self.periods) > 1:
            raise LarsError(
                f"--out {folder} requires one period; use --period with one period, such as --period 5"
            )
        if self.periods[0].witnesses:
            write_experiments(Path(folder), self._task, self.periods[0])

    def tables(self) -> Sequence[OutTable]:
        """Return the table `witnesses` with the triples of each stream."""
        return (OutTable("witnesses", _WITNESS_COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[int, int, int | None, str, str, str, str]]:
        for answer in self.periods:
            for number, found in enumerate(answer.witnesses, start=1):
                for fact in found.facts:
                    subject, predicate, object_, stream = fact.arguments
                    yield answer.period, number, fact.t, stream, subject, predicate, object_
                for row in found.static.get(("triple", 4), ()) if self._task.static is None else ():
                    subject, predicate, object_, graph = map(str, row)
                    yield answer.period, number, None, graph, subject, predicate, object_


_WITNESS_COLUMNS = (
    Column("period", int, "pull period U, in time points"),
    Column("number", int, "number of the witness of the period, from 1"),
    Column("t", int, "time at which the triple arrives; none: the triple is static"),
    Column("source", str, "stream of the triple, or graph of the static triple"),
    Column("s", str, "its subject"),
    Column("p", str, "its predicate"),
    Column("o", str, "its object"),
)


@offered_functions(WitnessRequest)
def witness(request: WitnessRequest, listeners: Listeners) -> WitnessResult:
    """Return the smallest stream on which push and pull differ, for an experiment or one or two queries.

    >>> result = witness("samples/minus")
    >>> result.differ, [fact.t for fact in result.witnesses[0].facts]
    (True, [0])
    """
    traceless = without_trace(request.inputs, request.options, listeners.warn)
    task = witness_task(traceless, request.options, request.criteria, listeners.warn)
    period_witnesses = tuple(
        witnesses(task, period, listeners.progress, made_streams(task)) for period in task.periods
    )
    result = WitnessResult(period_witnesses, task, title_of(request.inputs))
    return replace(result, finer=finer_unit(task)) if result.differ is False else result
