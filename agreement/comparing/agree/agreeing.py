"""Compare a pulled and a pushed query on a trace, and report the periods in which they agree.

`compare_pairs` evaluates both queries, and returns the periods that agree and the causes of differences in
the other periods.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, starmap
from typing import TYPE_CHECKING, ClassVar

from agreement.comparing.agree.periods import BothAnswers, PeriodComparison, PeriodVerdict, verdicts
from agreement.comparing.agree.sides import (
    RowCause,
    RowDifference,
    SidePrograms,
    cause_option,
    program_on,
    remark_on,
    row_predicate,
)
from agreement.documents import requests
from agreement.documents.dates import Dates
from agreement.documents.requests import Side
from agreement.documents.traces import Trace
from agreement.documents.values import Period
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.terms import Iri, Variable
from lars.language.windows import Interval
from lars.options import option
from solver.columns import NULL_CODE
from solver.facts import Background, Fact, Multiples
from solver.job import AnswerParts, Question, ask
from solver.job.slices import used_background
from translate import analysis
from translate.errors import ModelError
from translate.model.query import MERGING, EngineQuery, Setting
from translate.tau import columns, lars_program, output_of, push

if TYPE_CHECKING:
    from agreement.comparing.agree.causes import DifferenceCauses


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of compared queries: a C-SPARQL query evaluated by pull, and a CQELS query evaluated by push.

    A part of a query is a stream with a window and a graph pattern. If `lars` derived the CQELS query,
    `choices` contains the word `brave` or `cautious` for each part of the query. The word `brave` means that
    the part matches only the stream, and `cautious` means that the part matches the stream or the static
    data. For a CQELS query of the user, `choices` is None. Rows are compared on the variables `on`; None
    means all variables. If `lars` derived one of the queries, `derived` is the side of this query, push or
    pull; otherwise `derived` is None.
    """

    csparql: EngineQuery
    cqels: EngineQuery
    choices: tuple[str, ...] | None = None
    on: tuple[Variable, ...] | None = None
    derived: Side | None = None

    def __str__(self) -> str:
        return "given" if self.choices is None else ", ".join(self.choices) or "no stream"

    @property
    def remark(self) -> str | None:
        """A remark with the variables that the comparison ignores; None if whole rows are compared."""
        return None if self.on is None else remark_on(self.csparql, self.cqels, self.on)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables on which rows are compared."""
        return columns(self.csparql) if self.on is None or self.remark is None else self.on


@dataclass(frozen=True)
class VariantReport:
    """The comparison of one pair of queries for all pull periods, with causes of differences.

    The causes of differences are computed when they are first read.
    """

    pair: Pair
    verdicts: tuple[PeriodVerdict, ...]
    programs: SidePrograms
    answers: BothAnswers
    trace: Trace

    @property
    def is_empty(self) -> bool:
        """Whether the timeline has whole periods, but neither push nor pull has a row in any of them."""
        whole = [verdict for verdict in self.verdicts if len(verdict)]
        return bool(whole) and all(verdict.is_empty for verdict in whole)

    @cached_property
    def explanation(self) -> "DifferenceCauses":
        """The causes of all differences between push and pull."""
        # Loaded on demand, because sides that agree need no causes.
        from agreement.comparing.agree.causes import DifferenceCauses

        return DifferenceCauses(self.programs, self.answers, self.trace, self.verdicts)

    def differences(self, interval: PeriodComparison) -> Iterator[RowDifference]:
        """Yield the rows that only push or only pull reports in a period, each with its cause."""
        return iter(()) if interval.agree else self.explanation.differences(interval)

    def supports(self, differences: Sequence[RowDifference]) -> list[tuple[Fact, ...]]:
        """Return the input atoms of one proof of each row that only push or only pull reports."""
        return self.explanation.supports(differences)


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The options that select rows of a report by pull period, cause and side; by default, all rows."""

    HEADING: ClassVar = "Filters (the verdict and the exit code always cover all rows)"

    only_period: tuple[Period, ...] = requests.periods_option(
        "Show only the differences of these periods: one period (5), a list (5,10) or a range (1..50)."
    )
    cause: RowCause | None = cause_option(
        "Show only rows with this cause, such as blocked-later (later input removed the row)."
    )
    side: Side | None = option(
        None, "Show only rows that only push reports, or only rows that only pull reports."
    )

    @property
    def periods(self) -> tuple[int, ...]:
        """The selected pull periods, in time points; empty if all pull periods are selected."""
        return tuple(period for period in self.only_period if isinstance(period, int))

    def verdicts(self, variant: VariantReport) -> tuple[PeriodVerdict, ...]:
        """Return the comparisons of push and pull for the selected pull periods."""
        periods = self.periods
        return tuple(verdict for verdict in variant.verdicts if not periods or verdict.period in periods)

    def intervals(
        self, variant: VariantReport, verdict: PeriodVerdict
    ) -> Iterator[tuple[PeriodComparison, list[RowDifference]]]:
        """Yield each period with the rows that the options select: rows that only push or only pull reports.

        If the options select a cause or a side, periods without selected rows are left out.
        """
        for interval in verdict:
            found_rows = self._found_rows(variant, interval)
            if found_rows or (self.cause is None and self.side is None):
                yield interval, found_rows

    def rows(self, variant: VariantReport) -> Iterator[RowDifference]:
        """Yield the selected rows that only one side reports, sorted by pull period and time."""
        for verdict in self.verdicts(variant):
            for interval in verdict.disagreeing:
                yield from self._found_rows(variant, interval)

    def _found_rows(self, variant: VariantReport, interval: PeriodComparison) -> list[RowDifference]:
        return [
            difference
            for difference in variant.differences(interval)
            if (self.cause is None or self.cause == difference.cause)
            and (self.side is None or self.side == difference.side)
        ]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """The comparisons of all pairs of queries, with warnings.

    If `lars` derived CQELS queries, the patterns of the first of them match only streams. `variables` are the
    columns of a compared row, in order. The text `remark` names the variables that the comparison ignores;
    None if no variable is ignored. Reports for readers contain only the rows that `row_filter` selects;
    verdicts are about all rows. `timed` is true for a synthetic trace whose lengths are given as durations,
    such as 5s.
    """

    setting: Setting
    variables: tuple[Variable, ...]
    variants: tuple[VariantReport, ...]
    warnings: tuple[str, ...]
    remark: str | None = None
    row_filter: RowFilter = RowFilter()
    timed: bool = False

    @property
    def first(self) -> VariantReport:
        """The comparison of the first pair of queries; texts for readers describe only this comparison."""
        return self.variants[0]

    @property
    def dates(self) -> Dates:
        """The object that converts time points to dateTimes, if the trace has dateTimes."""
        return Dates(self.first.trace.origin, self.setting.unit, timed=self.timed)

    @property
    def certified(self) -> tuple[int, int]:
        """The number of evaluations that clingo verified, and the number of all evaluations."""
        answer_parts = [self.variants[0].answers.pull, *(report.answers.push for report in self.variants)]
        return sum(parts.certified for parts in answer_parts), sum(
            parts.evaluations for parts in answer_parts
        )


def pairs(
    csparql: EngineQuery | None,
    cqels: EngineQuery | None,
    carried: frozenset[tuple[str, str]],
    assigned: Mapping[Iri, tuple[Iri, ...]],
    *,
    alike: bool = True,
) -> tuple[Pair, ...]:
    """Return the pairs of queries to compare: two given queries, or one given query with each derived query.

    If a CQELS query reads graphs of stream elements, no C-SPARQL query can be derived. The query is then
    compared with itself: both push and pull evaluate it.

    `carried` contains the pairs of stream and predicate in the trace. `assigned` contains the predicates of
    each stream that the option --assign sets.

    Raises:
        LarsError: No query is given, or with `alike` the variables, forms or datasets of both queries differ.
    """
    if csparql is not None and cqels is not None:
        if alike:
            analysis.check_comparable(csparql, cqels)
        return (Pair(csparql, cqels),)
    if cqels is not None and requests.reads_graphs(cqels):
        return (Pair(cqels, cqels),)  # No query of C-SPARQL reads the graphs of elements.
    if cqels is not None:
        return (Pair(analysis.cs(analysis.model_of_cqels(cqels)), cqels, derived="pull"),)
    if csparql is None:
        raise LarsError("missing a query to compare; use a C-SPARQL query, a CQELS query, or both")
    from translate.analysis.model_queries import Assignment

    model = analysis.model_of_csparql(csparql, Assignment(csparql, carried, assigned))
    return tuple(Pair(csparql, v.query, v.choices, derived="push") for v in analysis.cq(model))


def compare_pairs(  # noqa: PLR0913 - the part of the timeline comes beside what is compared
    compared: Sequence[Pair],
    periods: Sequence[int],
    trace: Trace,
    setting: Setting,
    push_static: Background | None = None,
    *,
    within: Interval | None = None,
) -> AgreementReport:
    """Compare push and pull for each pair of queries and each pull period on a trace.

    The programs of all pairs are evaluated together, once for each time point. Push uses the static data
    `push_static`; if `push_static` is None, push uses the static data of the trace, as pull does. Only the
    whole periods in the interval `within` are compared; None means the whole timeline.
    """
    first = compared[0]
    queries = first.csparql, *(pair.cqels for pair in compared)
    on = None if first.remark is None else first.variables
    if on is None:
        output = output_of(first.csparql, setting).predicate
        programs = [lars_program(query, setting) for query in queries]
    else:
        output, programs = row_predicate(on), [program_on(query, setting, on) for query in queries]
    pulled = Question(programs[0], output, Multiples(tuple(periods)))
    pushed = [ask(push(program, setting.trigger), output) for program in programs[1:]]
    push_static = _differing(trace.background, push_static, [pulled, *pushed])
    # All questions with the same static data are evaluated in one pass over the trace.
    if push_static is None:
        pull_runs, *push_runs = trace.answers([pulled, *pushed], within)
    else:
        (pull_runs,) = trace.answers([pulled], within)
        push_runs = [*trace.on(push_static).answers(pushed, within)]
    variants = []
    for pair, question, answer_parts in zip(compared, pushed, push_runs, strict=True):
        # If `lars` derived push's query from pull's, pull's program is that query over merged sources.
        merged = programs[0] if pair.choices is not None else _merged(pair, setting, on)
        side_programs = SidePrograms(question.program, pulled.program, merged, output, push_static)
        answers = BothAnswers(answer_parts, pull_runs, max(periods))
        judged = verdicts(periods, within or trace.timeline, answers)
        variants.append(VariantReport(pair, judged, side_programs, answers, trace))
    sides = zip(queries, (pull_runs, *push_runs), strict=True)
    undefined = chain.from_iterable(starmap(_without_sums, sides)) if on is None else ()
    warnings = tuple(dict.fromkeys((*_warnings(compared, setting), *undefined)))
    return AgreementReport(setting, first.variables, tuple(variants), warnings, first.remark)


def _without_sums(query: EngineQuery, answers: AnswerParts) -> Iterator[str]:
    """Yield a remark for each SUM and AVG of a query that is an error in some row of the answers."""
    for variable, remark in analysis.remarks_on_sums(query).items():
        place = columns(query).index(variable)
        if any((part.runs.columns[place] == NULL_CODE).any() for part in answers.each_part()):
            yield remark


def _merged(pair: Pair, setting: Setting, on: Sequence[Variable] | None) -> Program:
    """Return the program of push's query with all streams and static data in one graph, as in pull."""
    if pair.csparql.language not in MERGING:
        return lars_program(pair.cqels, setting) if on is None else program_on(pair.cqels, setting, on)
    try:
        query = analysis.cs(analysis.model_of_cqels(pair.cqels))
    except ModelError:
        query = pair.csparql
    read = {part.stream for part in query.merged}
    # Pull also merges the windows of streams from which push's query reads nothing.
    more = (part for part in pair.csparql.merged if part.stream not in read)
    query = replace(query, language=pair.csparql.language, merged=(*query.merged, *more))
    return lars_program(query, setting) if on is None else program_on(query, setting, on)


def _differing(
    pulled: Background, pushed: Background | None, questions: Sequence[Question]
) -> Background | None:
    """Return the static data of push; None if push reads the same triples from the static data of pull."""
    if pushed is None or pushed is pulled:
        return None
    one, other = (used_background(known, questions) for known in (pulled, pushed))
    same = all(frozenset(one.get(name, ())) == frozenset(other.get(name, ())) for name in {*one, *other})
    return None if same else pushed


def _warnings(compared: Sequence[Pair], setting: Setting) -> tuple[str, ...]:
    first = compared[0]
    told = first.choices is None and first.csparql != first.cqels
    texts = list(analysis.differences(first.csparql, first.cqels, setting.unit)) if told else []
    if differing := analysis.different_datasets(first.csparql, first.cqels):
        texts.append(differing)
    for pair in compared:
        texts += analysis.remarks(pair.csparql, setting, pushed=False)
        texts += analysis.remarks(pair.cqels, setting, pushed=True, derived=pair.derived == "push")
    return tuple(dict.fromkeys(texts))
