"""Verdicts for all streams: `decide` and `contained` prove or refute, `witness` finds a smallest stream.

`witness` uses the proofs and refutations of `decide`, and `decide` uses the streams of `witness`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.agree import AgreementTask, are_pulled
from agreement.documents import requests
from agreement.documents.options import IdleOptions, has, has_not, option
from agreement.documents.requests.query_files import query_text
from agreement.documents.table_files import Column, OutTable
from agreement.documents.values import Period
from agreement.experiments.as_input import on_read, title_of
from agreement.experiments.experiment import Experiment, ExperimentEntry, read_experiment
from agreement.proving.containment import PairQuery, contained_in_units, decide_containment, two_queries
from agreement.proving.containment.canonical import difference_at
from agreement.proving.decide import (
    SEARCHED,
    AgreementQuestion,
    Decider,
    Places,
    VariantClasses,
    agreement_question,
    agreement_theorem,
    in_finer_units,
)
from agreement.proving.decisions import Decision, Witness, all_hold
from agreement.proving.disjuncts import stock_of
from agreement.proving.traceless import TracelessTask
from agreement.proving.witness import (
    WitnessCriteria,
    WitnessTask,
    witness_task,
    witnesses,
    write_experiments,
)
from agreement.proving.witness.witness_task import StreamMaker
from agreement.results.base.library import Findings, Listeners, offered_functions
from agreement.results.renderings import decision_report, witness_report
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.page import Page
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists
from solver.deadlines import Deadline
from solver.facts import Background
from solver.settings import TraceInput, Warn
from translate.model.query import MERGING, Language

_INPUTS: Final = (
    f"a folder with experiment.toml, or one or two queries ({', '.join(requests.QUERY_SUFFIXES)})"
)
_PREFERRED: Final = (Language.CQELS, Language.RSPQL, *Language)


def without_trace(inputs: Sequence[Path], options: requests.TracelessOptions, warn: Warn) -> TracelessTask:
    """Return the task of an experiment or of queries; the options override keys of the experiment."""
    input_options = requests.InputOptions(static=options.static, unit=options.unit)
    read = requests.BadLineOptions(), options.reading, options.assign
    overrides = requests.ComparisonOptions(input_options, *read)
    return _traceless(inputs, input_options.trace(), overrides, options.period, warn)


def _traceless(
    inputs: Sequence[Path],
    trace_input: TraceInput,
    overrides: requests.ComparisonOptions,
    periods: Sequence[Period],
    warn: Warn,
) -> TracelessTask:
    if requests.experiment_in(inputs) is not None:
        task = on_read(_compared(read_experiment(inputs[0])), trace_input, overrides, periods, warn)
        read = [query for query in (task.csparql, task.cqels) if query is not None]
        return _apart(TracelessTask(task, tuple(read), tuple(map(str, inputs))), overrides, warn)
    missing = [path for path in inputs if not exists(path)]
    if missing or len(inputs) not in (1, 2):
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; expected {_INPUTS}")
    fitting = requests.fitting_unit((*requests.durations_in(inputs), *overrides.durations(periods)))
    unit = overrides.input_options.unit or fitting
    queries = tuple(requests.load_query(path, unit, graphs=True) for path in inputs)
    sides = tuple(zip(queries, are_pulled(queries), strict=True))
    task = AgreementTask(
        next((query for query, is_pulled in sides if is_pulled), None),
        next((query for query, is_pulled in sides if not is_pulled), None),
        requests.in_points(periods, unit),
        replace(trace_input, options=replace(trace_input.options, unit=unit)),
        overrides.reading.setting(unit),
        overrides.assign or {},
    )
    return _apart(TracelessTask(task, queries, tuple(map(str, inputs))), overrides, warn)


def _apart(traceless: TracelessTask, overrides: requests.ComparisonOptions, warn: Warn) -> TracelessTask:
    """Return a task in whose queries each named graph of elements is a separate stream."""
    if not any(map(requests.reads_graphs, traceless.queries)):
        return traceless
    queries = requests.graphs_as_streams(traceless.queries, traceless.inputs[0])
    if overrides.reading.trigger == "query-streams":
        raise LarsError(
            f"{traceless.inputs[0]}: cannot combine a query that has GRAPH inside WINDOW with "
            "--trigger query-streams, because this trigger reads all graphs of a stream; use "
            "--trigger any or matching"
        )
    warn(requests.APART)
    # One query is pulled and pushed, because no query of C-SPARQL reads the graphs of elements.
    task = replace(traceless.task, csparql=queries[0], cqels=queries[-1])
    return replace(traceless, task=task, queries=queries)


def _compared(experiment: Experiment) -> Experiment:
    """Return an experiment that compares push and pull of the queries of an experiment with engines.

    Parameters outside the queries have one value, because the choice of the trace has no effect.
    """
    entries = experiment.entries
    if entries["comparisons"] or not entries["queries"]:
        return experiment
    names = {
        name
        for entry in entries["queries"]
        for language in Language
        if language.value in entry.content
        for name in experiment.query_names(entry.content[language.value], (*entry.path, language.value))
    }
    made = {name for entry in entries["traces"] for name in experiment.named(entry.content, entry.path)}
    grid = {
        name: texts if name in names else texts[:1]
        for name, texts in experiment.file.grid.items()
        if name in names | made
    }
    comparison = ExperimentEntry("comparisons", (), {}, "agree")
    file = experiment.file.model_copy(update={"grid": grid})
    return replace(experiment, file=file, entries={**entries, "engines": (), "comparisons": (comparison,)})


def places_in(inputs: Sequence[Path], task: TracelessTask) -> Places:
    """Return the places of patterns in the text of the query; empty if no query has a text."""
    if requests.is_experiment(inputs[0]):
        experiment = read_experiment(inputs[0])
        (entry, *_) = experiment.entries["queries"]
        language = next(language.value for language in _PREFERRED if language.value in entry.content)
        source, text = experiment.query_text(entry.content[language], (*entry.path, language))
        return Places(text, source, replace(requests.current(), base=requests.base_for(text, source)))
    apart = [path for path, query in zip(inputs, task.queries, strict=True) if query.language not in MERGING]
    preferred = (*apart, *inputs)[0]
    text, source = query_text(preferred), str(preferred)
    return Places(text, source, replace(requests.current(), base=requests.base_for(text, source)))


SECONDS: Final = 60.0
"""The default number of seconds for a decision on containment."""


def time_limit_option() -> Any:
    """Return the field of the time limit."""
    return option(
        None,
        "Time limit. After this time, the verdict is open. [default: 60 for two queries, 20 for "
        "push and pull]",
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
            lambda values: not _OF_TWO & values.keys(),
            ("--rename",),
            requires="--contained or --equivalent",
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
        metavar="A=B",
        keyword="Mapping[str, str] | None",
        repeated=True,
        heading=_TWO,
    )
    delay: Period | None = option(
        None,
        "Decide whether a delay of at most D between the time of a triple and its arrival can change the "
        "answers of push or pull.",
        requests.readers.length,
        metavar="D",
        keyword="int | str | None",
        heading=_LATE,
    )
    wait: Period = requests.wait_option(heading=_LATE)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecideResult(Findings):
    """The result of `decide`: for each period a verdict, its theorem, and the theorem's premises."""

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
        """Return the content of the HTML report: verdicts by period, and premises with their places."""
        question = "Do push and pull agree on every stream?"
        head = Page(self._title, question, self.holds, "", self.warnings)
        return decision_report.decision_page(head, self.verdicts, self._variants, self.document())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `verdicts`."""
        rows = (
            (
                decision.period,
                decision.verdict,
                decision.why if decision.holds is not None else None,
            )
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainmentResult(Findings):
    """The result of `contained`: in each requested direction, the verdict and its reason."""

    verdict: ClassVar[str | None] = "holds"

    _directions: tuple[decision_report.Direction, ...]
    _files: tuple[str, ...]

    @property
    def directions(self) -> tuple[Decision, ...]:
        """The verdicts on containment of the first query in the second and, if requested, vice versa."""
        return tuple(containment for *_, containment in self._directions)

    @property
    def holds(self) -> bool | None:
        """Whether containment holds in all requested directions; None if the verdict is open."""
        return all_hold(self.directions)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return decision_report.containment_json(self._directions, self._files)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdict of each direction, and the data that refute containment."""
        return decision_report.containment_text(self._directions, self._files)

    def page(self) -> Page:
        """Return the content of the HTML report."""
        one, other = (Path(file).name for file in self._files)
        both = (
            "Have both the same answers"
            if len(self._directions) > 1
            else f"Is each answer of {one} one of {other}"
        )
        answer = {True: "Yes.", False: "No.", None: "It is open."}[self.holds]
        head = Page(f"{one} and {other}", f"{both}, on every stream and static data?", self.holds, answer)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `directions`."""
        rows = ((_FOUND[answer.holds], answer.why) for answer in self.directions)
        columns_of_both = (
            Column("found", str, "verdict on containment: contained, not contained, or open"),
            Column("why", str, "the reason"),
        )
        return (OutTable("directions", columns_of_both, rows),)


_FOUND: Final = {True: "contained", False: "not contained", None: "open"}


@offered_functions(DecideRequest, without=("period", "static", "assign", "contained", "delay", "wait"))
def contained(request: DecideRequest, listeners: Listeners) -> ContainmentResult:
    """Return whether each answer of a query is an answer of another query, at every time on every stream.

    >>> near, far = (f"SELECT ?x {{ STREAM <urn:s> [RANGE {n}s] {{ ?x <urn:p> 1 }} }}" for n in (5, 9))
    >>> contained(near, far).holds, contained(far, near).holds
    (True, False)
    """
    inputs = request.inputs
    how = request.options
    one, other = two_queries(inputs, how.unit, how.reading, request.rename or {}, listeners.warn)
    deadline = Deadline.after(SECONDS if request.time_limit is None else request.time_limit)
    # The second direction, too, has its time.
    first = deadline.nearer(0.5) if request.equivalent else deadline
    searched = one.searched if request.time_limit is None else inf
    one, other = (replace(query, deadline=first, searched=searched) for query in (one, other))
    containments = [(one, other, contained_in_units(one, other))]
    if request.equivalent:
        one, other = (replace(query, deadline=deadline) for query in (one, other))
        containments.append((other, one, contained_in_units(other, one)))
    named = (
        map(str, inputs)
        if listeners.source_files is None
        else map(listeners.source_files.plain, map(str, inputs))
    )
    return ContainmentResult(tuple(containments), tuple(named))


_FINER: Final = 5.0
"""The number of seconds for finer units, after the search has shown that no stream exists."""


def made_streams(task: WitnessTask) -> StreamMaker:
    """Return a function that creates streams from the disjuncts of the queries, for one or two queries."""
    wishes = task.criteria
    if wishes.sides is not None or wishes.same_input:
        return lambda *_: None
    if task.pair is None:
        return lambda _, deadline: _of_queries(task, deadline)
    question = _question(task)
    decider = Decider(question)

    def made(period: int, deadline: Deadline) -> Decision | None:
        decider.seconds = deadline.left
        try:
            theorem = agreement_theorem(question, period, any_source=task.any_source)
            if theorem is not None:
                return Decision("always", theorem.value, triples=0)
            found = None if question.volatile else decider.witness(period)
        except LarsError:  # too many disjuncts, or windows that reach too far
            return None
        return None if found is None else Decision("not always", witnesses=(found,))

    return made


def finer_unit(task: WitnessTask) -> Duration | None:
    """Return a finer unit for which the sides differ on a stream; None if `decide` finds no such unit.

    The result is also None for a requested cause, because the stream of `decide` can have another cause.
    """
    wishes = task.criteria
    if wishes.sides is not None or wishes.same_input or wishes.cause is not None:
        return None
    try:
        if task.pair is None:
            deadline = Deadline.after(_FINER)
            units = [contained_in_units(*both).finer for both in _directions(task, deadline)]
            return next((unit for unit, _ in filter(None, units)), None)
        decider = Decider(_question(task), seconds=0, any_source=task.any_source)
        decisions = (in_finer_units(decider, decider.decide(period)) for period in task.periods)
        finer = (decision.finer for decision in decisions if decision.finer is not None)
        return next((unit for unit, again in finer if again.witness is not None), None)
    except LarsError:  # too many disjuncts, or windows that reach too far
        return None


def _question(task: WitnessTask) -> AgreementQuestion:
    assert task.pair is not None
    stock = None if task.static is None else stock_of(task.static)
    return AgreementQuestion(task.pair, task.setting, stock, Places("", ""))


def _directions(task: WitnessTask, deadline: Deadline) -> tuple[tuple[PairQuery, PairQuery], ...]:
    one, other = (PairQuery(query, task.setting, deadline) for query in task.queries)
    return ((one, other),) if task.criteria.contained else ((one, other), (other, one))


def _of_queries(task: WitnessTask, deadline: Deadline) -> Decision | None:
    """Return a stream that refutes one direction, or the information that all directions are proved."""
    answers: list[Decision] = []
    for query, other in _directions(task, deadline):
        try:
            answer = decide_containment(query, other)
            if answer.witness is not None and _is_refuted(query, other, answer.witness, task.static):
                return answer
        except LarsError:
            return None
        answers.append(answer)
    reasons = dict.fromkeys(answer.why for answer in answers)
    return Decision("always", "; ".join(reasons), triples=0) if all_hold(answers) else None


def _is_refuted(query: PairQuery, other: PairQuery, witness: Witness, static: Background | None) -> bool:
    """Whether the first query has an additional row on the stream of a witness with the given static data."""
    if static is None:
        return True
    times = witness.before, witness.end
    return not witness.triples and difference_at(query, other, witness.facts, static, times) is not None


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
    """The result of `witness`: the smallest streams for each period, and the reason why no more exist.

    `differ` is None if neither a stream nor a theorem was found; `finer` is a finer unit for which a stream
    exists.
    """

    verdict: ClassVar[str | None] = "differ"

    periods: tuple[Decision, ...]
    _task: WitnessTask
    _title: str
    finer: Duration | None = None

    @property
    def differ(self) -> bool | None:
        """Whether a stream exists on which the two sides differ."""
        agree = all_hold(self.periods)
        return None if agree is None else not agree

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The found streams by period; the smallest stream is first."""
        return tuple(stream for answer in self.periods for stream in answer.witnesses)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if a stream with a difference exists, 0 if none exists, 3 if none was found."""
        return {False: 0, True: 1, None: 3}[self.differ], None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        finer = None if self.finer is None else str(self.finer)
        return {**witness_report.as_json(self._task, self.periods), "finer": finer}

    def parts(self) -> Iterable[RenderableType]:
        """Yield the witnesses of each period, and the reason why no more exist."""
        yield from witness_report.as_text(self._task, self.periods)
        yield from self._in_finer()

    def _in_finer(self) -> tuple[str, ...]:
        unit = self._task.setting.unit
        known = f"with a unit of {self.finer} there is one (--unit {self.finer}), with {unit} there is none"
        return () if self.finer is None else (known,)

    def page(self) -> Page:
        """Return the content of the HTML report: the search, and the comparison on the first stream."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.witness_page import witness_page

        return witness_page(
            self._title, self._task, self.periods, self.document(), (*self.warnings, *self._in_finer())
        )

    def write_experiment(self, folder: str | Path) -> None:
        """Write the witnesses of the first period as experiments; a single witness is the folder itself."""
        if len(self.periods) > 1:
            raise LarsError(f"--out {folder} requires one period; use --period with one")
        if self.periods[0].witnesses:
            write_experiments(Path(folder), self._task, self.periods[0])

    def tables(self) -> Sequence[OutTable]:
        """Return the table `witnesses` with the triples of each witness."""
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
