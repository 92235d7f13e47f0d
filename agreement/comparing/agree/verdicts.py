"""From two queries, or one, and a trace to the verdict: which periods agree, and why others do not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from agreement.comparing.agree.compared_variables import program_on, remark_on, row_predicate
from agreement.comparing.agree.periods import BothAnswers, PeriodComparison, PeriodVerdict, verdicts
from agreement.comparing.agree.sides import RowDifference, SidePrograms, Sides
from agreement.documents.traces import Trace
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from solver.facts import Background, Fact, Multiples
from solver.job import Question, ask
from solver.job.pipeline import used_background
from translate.analysis import (
    check_comparable,
    cq,
    cs,
    differences,
    different_datasets,
    model_of_cqels,
    model_of_csparql,
    remarks,
)
from translate.model.query import EngineQuery, Setting
from translate.tau import Trigger, columns, lars_program, output_of, push

if TYPE_CHECKING:
    from agreement.comparing.agree.differences import DifferenceCauses


@dataclass(frozen=True, slots=True)
class Pair:
    """What is compared: pull of a C-SPARQL query against push of a CQELS query.

    `choices` says how the CQELS query was derived, brave or cautious for each (s, ω, g); None when
    it was given.
    """

    csparql: EngineQuery
    cqels: EngineQuery
    choices: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return "given" if self.choices is None else ", ".join(self.choices) or "no stream"


@dataclass(frozen=True)
class VariantReport:
    """One pair's verdicts over all periods; the causes are found when they are asked for."""

    pair: Pair
    verdicts: tuple[PeriodVerdict, ...]
    sides: Sides
    trace: Trace

    @cached_property
    def explanation(self) -> "DifferenceCauses":
        """The causes of every difference of the variant."""
        # Two sides that agree need no causes.
        from agreement.comparing.agree.differences import DifferenceCauses

        return DifferenceCauses(self.sides, self.trace, self.verdicts)

    def differences(self, interval: PeriodComparison) -> Iterator[RowDifference]:
        """Yield the rows that one side alone has in an interval, with causes."""
        return iter(()) if interval.agree else self.explanation.differences(interval)

    def supports(self, found: Sequence[tuple[RowDifference, PeriodComparison]]) -> list[tuple[Fact, ...]]:
        """Return the input that each of such rows rests on, in its interval."""
        return self.explanation.supports(found)


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All variants, the brave one first; `variables` are those of a row's terms, in their order.

    They are V̄, unless `remark` says what is left out of it.
    """

    variables: tuple[Variable, ...]
    variants: tuple[VariantReport, ...]
    warnings: tuple[str, ...]
    remark: str | None = None

    @property
    def certified(self) -> tuple[int, int]:
        """At how many evaluation times clingo has the same rows, and how many there are, of both sides."""
        found = [self.variants[0].sides.pulled, *(one.sides.pushed for one in self.variants)]
        return sum(one.certified for one in found), sum(one.evaluations for one in found)


def pairs(
    csparql: EngineQuery | None,
    cqels: EngineQuery | None,
    carried: frozenset[tuple[str, str]],
    assigned: Mapping[Iri, tuple[Iri, ...]],
    *,
    alike: bool = True,
) -> tuple[Pair, ...]:
    """Return what to compare: the two queries, or the one with what is derived from it.

    Raises LarsError for two queries that are not `alike`: of different variables, forms or datasets.
    """
    if csparql is not None and cqels is not None:
        if alike:
            check_comparable(csparql, cqels)
        return (Pair(csparql, cqels),)
    if cqels is not None:
        return (Pair(cs(model_of_cqels(cqels)), cqels),)
    if csparql is None:
        raise LarsError("no query to compare: give a C-SPARQL query, a CQELS query, or both")
    from translate.analysis.assignment import Assignment

    model = model_of_csparql(csparql, Assignment(csparql, carried, assigned))
    return tuple(Pair(csparql, v.query, tuple(c.value for c in v.choices)) for v in cq(model))


@dataclass(frozen=True, slots=True)
class ComparedOn:
    """What queries meet, and on the terms of which variables their rows are compared, None: of all.

    Push meets the background of the trace, as pull does, or its own one.
    """

    trace: Trace
    variables: tuple[Variable, ...] | None = None
    push_static: Background | None = None


def compare(
    compared: Sequence[Pair], periods: Sequence[int], trace: Trace, setting: Setting, trigger: Trigger
) -> AgreementReport:
    """Return the verdict of each pair for each period; each time point is evaluated once for all."""
    return compare_on(compared, periods, ComparedOn(trace), setting, trigger)


def compare_on(
    compared: Sequence[Pair], periods: Sequence[int], given: ComparedOn, setting: Setting, trigger: Trigger
) -> AgreementReport:
    """Return the same of rows, and on static data, as they are given."""
    first, trace, on, remark = compared[0], given.trace, given.variables, None
    queries = first.csparql, *(pair.cqels for pair in compared)
    output, variables = output_of(first.csparql, setting).predicate, columns(first.csparql)
    programs = [lars_program(query, setting) for query in queries]
    if on is not None and (remark := remark_on(first.csparql, first.cqels, on)) is not None:
        programs = [program_on(query, setting, on) for query in queries]
        output, variables = row_predicate(on), on
    pulled = Question(programs[0], output, Multiples(tuple(periods)))
    pushed = [ask(push(program, trigger), output) for program in programs[1:]]
    push_static = _differing(trace.background, given.push_static, [pulled, *pushed])
    if push_static is None:
        pull_runs, *push_runs = trace.answers([pulled, *pushed])
    else:
        (pull_runs,), push_runs = trace.answers([pulled]), [*trace.on(push_static).answers(pushed)]
    variants = []
    for pair, question, found in zip(compared, pushed, push_runs, strict=True):
        asked = SidePrograms(question.program, pulled.program, output, push_static)
        answers = BothAnswers(found, pull_runs, max(periods))
        judged = verdicts(periods, trace.timeline, answers)
        variants.append(VariantReport(pair, judged, Sides(asked, answers), trace))
    return AgreementReport(variables, tuple(variants), _warnings(compared, setting), remark)


def _differing(
    pulled: Background, pushed: Background | None, questions: Sequence[Question]
) -> Background | None:
    """Return push's background where it differs from pull's in what questions can use."""
    if pushed is None or pushed is pulled:
        return None
    one, other = (used_background(known, questions) for known in (pulled, pushed))
    same = all(frozenset(one.get(name, ())) == frozenset(other.get(name, ())) for name in {*one, *other})
    return None if same else pushed


def _warnings(compared: Sequence[Pair], setting: Setting) -> tuple[str, ...]:
    first = compared[0]
    found = [] if first.choices is not None else list(differences(first.csparql, first.cqels, setting.unit))
    if differing := different_datasets(first.csparql, first.cqels):
        found.append(differing)
    for pair in compared:
        found += remarks(pair.csparql, setting, pushed=False)
        found += remarks(pair.cqels, setting, pushed=True)
    return tuple(dict.fromkeys(found))
