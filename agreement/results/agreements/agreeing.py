"""The function `agree`: whether push and pull report the same rows, and the rows of only one side."""

import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from rich.console import RenderableType

from agreement.comparing.agree import AgreementTask, Pair, VariantReport, tasks
from agreement.comparing.agree.agreeing import AgreementReport, RowFilter
from agreement.comparing.agree.narrowing import narrowed
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import RowDifference
from agreement.documents import outputs, requests
from agreement.documents.dates import Dates
from agreement.documents.options import IdleOptions, has, has_not, shell_words
from agreement.documents.requests import Side
from agreement.documents.table_files import OutTable
from agreement.documents.traces import span_within
from agreement.documents.values import Period
from agreement.results.base.library import (
    Findings,
    JsonObject,
    Listeners,
    comparison_on,
    json_value,
    offered_functions,
    title_of,
)
from agreement.results.renderings import agreement_report
from agreement.results.renderings.agreement_report import ExplainCommand
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import text_in
from lars.options import option
from solver.facts import Fact, Row
from solver.memory import FAILED
from solver.settings import Runner, Time, Warn
from translate.analysis import is_pushed
from translate.dialects import TITLES
from translate.model.query import EngineQuery, Setting
from translate.tau import lars_program

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from agreement.comparing.agree.lateness import LateRow
    from agreement.experiments.junit import VerdictCase
    from agreement.results.base.sources import SourceFiles
    from agreement.results.renderings.pages.page import Page


_LATE: Final = "Late data"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeRequest:
    """The arguments of `lars agree`.

    Push evaluates when data arrive. Pull evaluates every U time points.
    Prints for each period U whether push and pull report the same rows in every whole period.
    Prints the cause of each row that only push or only pull reports.

    Examples:
    lars agree samples/coupons --period 4..8
    lars agree samples/slide/query.cqels.rq samples/slide/door.trig --period 3 --to 9
    """

    HEADING: ClassVar = "Comparison"
    IDLE: ClassVar = (
        IdleOptions(
            has("--late"),
            ("--cause", "--fail-on-empty", "--figure", "--full", "--junit", "--known"),
            excludes="--late, which compares the answers as data came with the answers on time",
        ),
        IdleOptions(has_not("--late"), ("--wait", "--lateness"), requires="--late"),
    )

    inputs: tuple[Path, ...] = requests.compared_inputs()
    options: requests.ComparisonOptions
    from_: Time | None = requests.time_option(
        "Start of the timeline. Input before TIME is ignored. [default: time 0]"
    )
    to: Time | None = requests.time_option("End of the timeline. [default: the last element of the trace]")
    fail_on_empty: bool = requests.fail_on_empty_option()
    late: bool = option(
        False,
        "Compare the answers for late data with the answers for the same data without "
        "delay. Requires --arrival.",
        heading=_LATE,
    )
    wait: Period = requests.wait_option(heading=_LATE)
    lateness: Period | None = requests.lateness_option(heading=_LATE)
    runner: Runner
    row_filter: RowFilter


def _task(request: AgreeRequest, warn: Warn) -> AgreementTask:
    """Return the comparison of push and pull that a request describes.

    Raises:
        LarsError: The inputs cannot be compared.
    """
    assigned = request.options.assign
    task = comparison_on(request.inputs, request.options, warn)
    span = span_within(task.span, (request.from_, request.to))
    task = replace(task, span=span)
    if assigned and task.cqels is not None:
        title = TITLES[task.cqels.language]
        problem = f"because a {title} query names the stream of each pattern"
        raise LarsError(f"cannot combine --assign with a {title} query, {problem}")
    return task


def explain_commands(
    request: AgreeRequest, task: AgreementTask, dates: Dates, source_files: "SourceFiles | None"
) -> ExplainCommand:
    """Return a function that returns the `lars explain` command for a row that only one side reports.

    If a Python program gives the query or data as values, the returned function returns a call of
    `api.explain`. The returned function returns None for a row that `lars explain` cannot explain.
    """
    given, unit, experiment = (
        request.options.input_options,
        task.setting.unit,
        requests.experiment_in(request.inputs),
    )
    # The unit fits both queries together; one of them alone may fit a longer one.
    fitted = given if experiment is not None else given.with_trace(unit=unit)
    options = [*chain(*map(shell_words, (fitted, request.options.reading)))]
    has_pull, has_push = task.csparql is not None, task.cqels is not None
    files = (
        tasks.inputs_by_kind(request.inputs, unit)
        if experiment is None
        else dict.fromkeys((True, False), (experiment,))
    )

    def can_ask(pair: Pair) -> bool:
        if experiment is not None:
            # `lars explain` derives the first variant, which is brave everywhere.
            return set(pair.choices or ()) <= {"brave"}
        return _rules(pair.csparql, task.setting) == _rules(pair.cqels, task.setting)

    def mode(query: EngineQuery, side: Side, period: int) -> Sequence[str]:
        """Return the options of `lars explain` that evaluate the given query as push or as pull."""
        engine = ["--engine", query.language.value]
        derived = engine if experiment is not None else ["--mode", side]
        if side == "push":
            # The language alone would choose pull, if the other query merges its windows.
            pushed = [] if is_pushed(query) else ["--mode", side]
            return [*options, *(pushed if has_push else derived)]
        own = derived if not has_pull else engine if has_push else []
        return [*_untriggered(options), *own, "--period", str(period)]

    def command(pair: Pair, row: "RowDifference | LateRow", alike: Container[str] | None) -> str | None:
        pulled = row.side == "pull"
        if not (has_pull if pulled else has_push) and not can_ask(pair):
            return None
        inputs = map(str, files[has_pull if pulled else not has_push])
        query = pair.csparql if pulled else pair.cqels
        atom = outputs.short_atom(row.row)
        if atom is None or alike is None or atom in alike:
            atom = outputs.asked_atom("ans1", row.row)
        rest = [*mode(query, row.side, row.period), "--at", dates.option(row.at)]
        words = ["lars", "explain", *inputs, *rest, atom]
        return shlex.join(words) if source_files is None else source_files.as_call(words)

    return command


@lru_cache(maxsize=4)
def _rules(query: EngineQuery, setting: Setting) -> frozenset[str]:
    return frozenset(map(str, lars_program(query, setting).rules))


def _untriggered(options: Sequence[str]) -> Sequence[str]:
    """Return the options without --trigger, because a pull query ignores this option."""
    at = options.index("--trigger") if "--trigger" in options else len(options)
    return [*options[:at], *options[at + 2 :]]


@dataclass(frozen=True, slots=True)
class AgreementDifference:
    """A row that only push or only pull reports in the period (start, end], with its cause.

    - `variant` is the form of the CQELS query. For each part of a derived query, the form is `brave` (the
      part matches only the stream) or `cautious` (it matches the stream or the static data).
    - `period` is the pull period U. All times and lengths are given in time points.
    - `side` is the side that reports the row.
    - `row` contains the terms in N-Triples syntax, and None for unbound variables.
    - `pushed` is the time at which push last reported the row; None if push never reported it.
    - `start_date`, `end_date`, `pushed_date` and `at_date` are dateTimes; None if times are integers.
    """

    variant: str
    period: int
    start: int
    end: int
    side: Literal["push", "pull"]
    row: Row
    cause: str
    pushed: int | None
    _row: RowDifference = field(repr=False, compare=False)
    _report: VariantReport = field(repr=False, compare=False)
    _dates: Dates = field(repr=False, compare=False)

    @property
    def at(self) -> int:
        """The time point at which the side that reports the row (push or pull) last reported it."""
        return self._row.at

    @property
    def start_date(self) -> datetime | None:
        """The dateTime at which the period starts."""
        return self._dates.moment(self.start)

    @property
    def end_date(self) -> datetime | None:
        """The dateTime at which the period ends."""
        return self._dates.moment(self.end)

    @property
    def pushed_date(self) -> datetime | None:
        """The dateTime at which push last reported the row; None if push never reported the row."""
        return None if self.pushed is None else self._dates.moment(self.pushed)

    @property
    def at_date(self) -> datetime | None:
        """The dateTime at which the side that reports the row (push or pull) last reported it."""
        return self._dates.moment(self.at)

    @property
    def atom(self) -> str:
        """The row as an atom, in the form that `lars explain` reads."""
        return outputs.atom_text("ans1", self.row)

    @property
    def support(self) -> tuple[Fact, ...]:
        """The input atoms that a proof of the row uses."""
        (facts,) = self._report.supports([self._row])
        return facts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreeResult(Findings):
    """The result of `agree`: verdicts by period, and the rows of only one side with their causes.

    - `agree` is None if the timeline has no whole period.
    - `variants` contains the verdicts for each form of the CQELS query, by name.
    - `verdicts` contains one verdict for each pull period. If the CQELS query is derived, the verdicts are
      for its brave form, whose patterns match only streams.
    """

    verdict: ClassVar[str | None] = "agree"

    _request: AgreeRequest
    _task: AgreementTask
    _report: AgreementReport
    _asking: ExplainCommand
    _source_files: "SourceFiles | None" = None
    _main: ClassVar[str] = "differences"

    @property
    def verdicts(self) -> tuple[PeriodVerdict, ...]:
        """The verdict for each pull period."""
        return self._report.row_filter.verdicts(self._report.first)

    @property
    def variants(self) -> Mapping[str, tuple[PeriodVerdict, ...]]:
        """The verdicts for each form of the CQELS query, by name.

        A CQELS query that `lars` derives has several forms: each of its parts is brave (it matches only the
        stream) or cautious (it matches the stream or the static data). A CQELS query that the user gives has
        one form.
        """
        return {
            str(report.pair): self._report.row_filter.verdicts(report) for report in self._report.variants
        }

    @property
    def agree(self) -> bool | None:
        """Whether push and pull agree on every whole period; None without a whole period."""
        verdicts = [verdict.agree for verdict in self._report.first.verdicts]
        return False if False in verdicts else True if True in verdicts else None

    def in_commands(self) -> "AgreeResult":
        """Return the result with texts for a shell: they name flags and commands, not keywords and calls."""
        asking = explain_commands(self._request, self._task, self._report.dates, None)
        return replace(self, keywords_of=(), _asking=asking)

    @property
    def compared(self) -> AgreementTask:
        """The compared queries with their trace and settings."""
        return self._task

    @property
    def is_empty(self) -> bool:
        """Whether neither side reports a row in any whole period, so that agreement is trivial."""
        return self._report.first.is_empty

    @property
    def dates(self) -> Dates:
        """The object that maps time points to dateTimes, if the trace has dateTimes."""
        return self._report.dates

    @property
    def certified(self) -> tuple[int, int]:
        """The number of times at which clingo found the same rows, and the number of checked times."""
        return self._report.certified

    @property
    def differences(self) -> tuple[AgreementDifference, ...]:
        """The rows that only push or only pull reports, by variant of the CQELS query, period and time.

        The rows of each name in `variants` are listed, also if several variants have the same rows: select
        the rows of one variant before you count rows.
        """
        every = (
            (variant, row)
            for variant in self._report.variants
            for row in self._report.row_filter.rows(variant)
        )
        return tuple(_difference(variant, row, self.dates) for variant, row in every)

    def cases(self) -> "Iterator[VerdictCase]":
        """Yield a passed test case for each period U that agrees, and a failed one for each differing row."""
        return agreement_report.cases(self._report)

    def document(self, *, full: bool = False) -> Mapping[str, object]:
        """Return the JSON document; long lists in it are generated while the document is written."""
        basis = agreement_report.basis_json(self._report) if full else {}
        return agreement_report.as_json(self._report) | basis

    def to_json(self, *, full: bool = False) -> JsonObject:
        """Return the JSON document of `lars agree`; if `full` is true, with the basis of the verdict.

        The basis of the verdict contains the parsed queries, both LARS programs and all answers.
        """
        document: JsonObject = {key: json_value(value) for key, value in self.document(full=full).items()}
        return document

    def json_lines(self, *, full: bool = False) -> Iterable[str]:
        """Yield the lines of the JSON document that `lars agree` prints."""
        return outputs.document_lines(self.document(full=full))

    @property
    def remarks(self) -> Iterable[str]:
        """Yield a note with the number of times at which clingo computed the same answers."""
        yield "clingo verified {} of {} time points: same answers".format(*self.certified)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if the sides disagree; 3 with --fail-on-empty if no side has a row."""
        if self._request.fail_on_empty and (self.is_empty or self.agree is None):
            return FAILED, "--fail-on-empty: neither side reports a row in any whole period"
        return (1 if self.agree is False else 0), None

    def parts(self, *, full: bool = False) -> Iterable[RenderableType]:
        """Yield the parts of the text report.

        If `full` is true, the report includes the parsed queries, both LARS programs and all answers.
        """
        if full:
            yield from agreement_report.basis_text(self._report)
        yield from agreement_report.as_text(self._report, self._asking)

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what only pages need; so below.
        from agreement.results.renderings.pages.agree_page import agree_page

        # Queries given by value are in files that are gone when the page is read.
        by_value = self._source_files is not None
        queries = [path for path in self._request.inputs if path.suffix in requests.QUERY_SUFFIXES]
        page = agree_page(
            title_of(self._request.inputs),
            self._report,
            self.document(),
            None if by_value else self._asking,
            () if by_value else tuple((path.name, text_in(path, "a query")) for path in queries),
        )
        return replace(page, notes=self.warnings)

    def notebook_html(self) -> str:
        """Return the HTML for a notebook: the verdict, and for each pull period a strip of the timeline."""
        from agreement.results.renderings.pages.agree_page import summary
        from agreement.results.renderings.pages.timeline import small_html

        variant = self._report.first
        verdicts = self._report.row_filter.verdicts(variant)
        agree, counts = summary(variant.verdicts)
        sentence = self.headline if agree else f"{self.headline}. {counts}"
        return small_html(variant, verdicts, sentence, self.dates.within(variant.trace.timeline))

    def plot(
        self, *, font_size: float | None = None, width: float | None = None, height: float | None = None
    ) -> "Figure":
        """Return a figure of the verdicts over U, with the timeline around the first difference.

        Args:
            font_size: The size of all texts in points. By default, texts have the size `font.size` of
                matplotlib's rcParams if it is set, otherwise sizes up to 8 points.
            width: The width of the figure in inches; 6.3 by default.
            height: The height of the figure in inches; by default, all pull periods fit. If fewer periods
                fit the height, the figure shows the periods around the first difference.
        """
        from agreement.results.renderings.pages.figure import figure_of

        variant = self._report.first
        row = next(self._report.row_filter.rows(variant), None)
        verdicts = self._report.row_filter.verdicts(variant)
        return figure_of(variant, verdicts, row, self._task.setting, (font_size, width, height))

    def write_figure(
        self,
        path: str | Path,
        *,
        font_size: float | None = None,
        width: float | None = None,
        height: float | None = None,
    ) -> None:
        """Write the figure of `plot` as .svg, .pdf or .png, with the arguments of `plot`.

        For slides: `write_figure("slide.pdf", font_size=16, width=10, height=7.5)`, in points and inches.
        """
        from agreement.results.renderings.pages.figure import check_figure, write_figure

        check_figure(Path(path))
        write_figure(Path(path), self.plot(font_size=font_size, width=width, height=height))

    def tables(self) -> Sequence[OutTable]:
        """Return the tables `periods` and `differences`."""
        return agreement_report.tables(self._report)


def _difference(variant: VariantReport, found_row: RowDifference, dates: Dates) -> AgreementDifference:
    interval = found_row.interval
    return AgreementDifference(
        variant=str(variant.pair),
        period=found_row.period,
        start=interval.start,
        end=interval.end,
        side=found_row.side,
        row=found_row.row,
        cause=found_row.cause,
        pushed=found_row.pushed,
        _row=found_row,
        _report=variant,
        _dates=dates,
    )


@offered_functions(AgreeRequest, without=("late", "wait", "lateness"))
def agree(request: AgreeRequest, listeners: Listeners) -> AgreeResult:
    """Return whether pull of C-SPARQL and push of CQELS agree, for an experiment or for queries and traces.

    >>> result = agree("samples/coupons", period="4..8")
    >>> result.agree, [verdict.period for verdict in result.verdicts if not verdict.agree]
    (False, [8])
    >>> [(row.start, row.end, row.side, row.cause) for row in result.differences]
    [(16, 24, 'push', 'expired before the pull')]
    """
    task, report = compared_answers(request, listeners)
    asking = explain_commands(request, task, report.dates, listeners.source_files)
    return AgreeResult(request, task, report, asking, listeners.source_files)


def compared_answers(request: AgreeRequest, listeners: Listeners) -> tuple[AgreementTask, AgreementReport]:
    """Compare push and pull as a request describes; return the comparison and its report.

    Each element of the trace is evaluated at its event time, as if no element arrived late.
    """
    task = _task(request, listeners.warn)
    if request.late and task.trace.options.arrival is None:
        raise LarsError(
            "--late requires --arrival, the times at which data arrived; use --arrival COLUMN of a table, or "
            "--arrival order"
        )
    row_filter = narrowed(request.row_filter, task.setting.unit, tasks.periods_of(task))
    trace = replace(task.trace, runner=request.runner.telling(listeners.note, listeners.progress))
    report = replace(tasks.run(replace(task, trace=trace), listeners.warn), row_filter=row_filter)
    for message in report.warnings:
        listeners.warn(message)
    return task, report
