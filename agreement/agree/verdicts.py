"""From two queries, or one, and a trace to the verdict: which periods agree, and why others do not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agreement.agree.causes import Sides
from agreement.agree.differences import Explanation, RowDifference
from agreement.agree.periods import Compared, PeriodVerdict, verdict
from agreement.traces import Trace
from lars.errors import LarsError
from lars.terms import Iri, Variable
from solver.facts import Fact, Multiples
from solver.job import Question, ask
from translate.analysis import (
    Assignment,
    check_comparable,
    cq,
    cs,
    differences,
    model_of_cqels,
    model_of_csparql,
    remarks,
)
from translate.query import EngineQuery, Setting
from translate.tau import Trigger, answered, columns, push, translated


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
    def explanation(self) -> Explanation:
        """The causes of every difference of the variant."""
        return Explanation(self.sides, self.trace, self.verdicts)

    def differences(self, interval: Compared) -> Iterator[RowDifference]:
        """Yield the rows that one side alone has in an interval, with causes."""
        return iter(()) if interval.agree else self.explanation.differences(interval)

    def supports(self, found: Sequence[tuple[RowDifference, Compared]]) -> list[tuple[Fact, ...]]:
        """Return the input that each of such rows rests on, in its interval."""
        return self.explanation.supports(found)


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All variants, the brave one first; `variables` is V̄, the order of a row's terms."""

    variables: tuple[Variable, ...]
    variants: tuple[VariantReport, ...]
    warnings: tuple[str, ...]

    @property
    def certified(self) -> tuple[int, int]:
        """At how many evaluation times clingo has the same rows, and how many there are, of both sides."""
        found = [self.variants[0].sides.pulled, *(one.sides.pushed for one in self.variants)]
        return sum(one.certified for one in found), sum(len(one.times) for one in found)


def pairs(
    csparql: EngineQuery | None,
    cqels: EngineQuery | None,
    carried: frozenset[tuple[str, str]],
    assigned: Mapping[Iri, tuple[Iri, ...]],
) -> tuple[Pair, ...]:
    """Return what to compare: the two queries, or the one with what is derived from it."""
    if csparql is not None and cqels is not None:
        check_comparable(csparql, cqels)
        return (Pair(csparql, cqels),)
    if cqels is not None:
        return (Pair(cs(model_of_cqels(cqels)), cqels),)
    if csparql is None:
        raise LarsError("no query to compare: give a C-SPARQL query, a CQELS query, or both")
    model = model_of_csparql(csparql, Assignment(csparql, carried, assigned))
    return tuple(Pair(csparql, v.query, tuple(c.value for c in v.choices)) for v in cq(model))


def compare(
    compared: Sequence[Pair], periods: Sequence[int], trace: Trace, setting: Setting, trigger: Trigger
) -> AgreementReport:
    """Return the verdict of each pair for each period; each time point is evaluated once for all."""
    first = compared[0]
    output = answered(first.csparql, setting).predicate
    pulled = Question(translated(first.csparql, setting), output, Multiples(tuple(periods)))
    pushed = [ask(push(translated(pair.cqels, setting), trigger), output) for pair in compared]
    pull_runs, *push_runs = trace.answers([pulled, *pushed])
    variants = []
    for pair, question, found in zip(compared, pushed, push_runs, strict=True):
        sides = Sides(question.program, pulled.program, output, found, pull_runs)
        verdicts = tuple(verdict(period, trace.timeline, found, pull_runs) for period in periods)
        variants.append(VariantReport(pair, verdicts, sides, trace))
    return AgreementReport(columns(first.csparql), tuple(variants), _warnings(compared, setting))


def _warnings(compared: Sequence[Pair], setting: Setting) -> tuple[str, ...]:
    first = compared[0]
    found = [] if first.choices is not None else list(differences(first.csparql, first.cqels, setting.unit))
    for pair in compared:
        found += remarks(pair.csparql, setting, pushed=False)
        found += remarks(pair.cqels, setting, pushed=True)
    return tuple(dict.fromkeys(found))
