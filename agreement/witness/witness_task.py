"""What `lars witness` is asked: two sides, for each pulling period; and its witnesses, with their causes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Final

from agreement.agree import (
    AgreementTask,
    Overrides,
    Pair,
    RowCause,
    VariantReport,
    compare,
    loaded,
    pairs,
    periods_of,
)
from agreement.experiments.overridden import on_experiment
from agreement.inputs import (
    QUERY_SUFFIXES,
    durations_in,
    fitting_unit,
    is_experiment,
    load_query,
    sources,
    unit_of,
)
from agreement.traces import LocalTrace, background, dataset_of, streams_of
from agreement.witness.other_sides import SideReading, two_readings
from agreement.witness.searching import (
    NoneUpTo,
    NotSearched,
    NoWitness,
    OutOfTime,
    Witness,
    WitnessOutcome,
    WitnessSearch,
    push_and_pull,
    smallest,
    two_queries,
)
from agreement.witness.shapes import WitnessShape, named_terms, shape_of
from lars.errors import LarsError
from lars.files import exists
from lars.terms import Variable
from lars.windows import Interval
from solver.columns import trace_columns
from solver.facts import Background, read_static
from solver.search import Contest
from solver.settings import Certify, Progress, Runner, TraceInput, Warn
from translate.query import MERGING, EngineQuery, Setting
from translate.tau import Trigger, columns

_INPUTS: Final = f"a folder with experiment.toml, or one or two queries ({', '.join(QUERY_SUFFIXES)})"
_ANYWHERE: Final = frozenset((RowCause.MERGED_SOURCES, RowCause.STATIC_ONLY))
"""Causes for which a triple has to come from another source than its pattern's."""


@dataclass(frozen=True, slots=True)
class WitnessWishes:
    """Which witnesses are wanted: how many, of which cause, how large, for how many seconds."""

    count: int = 1
    cause: RowCause | None = None
    triples: int | None = None
    seconds: float | None = None
    any_source: bool = False
    contained: bool = False
    same_input: bool = False
    sides: tuple[SideReading, SideReading] | None = None


@dataclass(frozen=True, slots=True)
class WitnessTask:
    """Two queries, how they are read, and static data, None where it is chosen too.

    `pair` is None where two queries of one mode are compared, `queries`, at every time point, or two
    readings of the second one.
    """

    queries: tuple[EngineQuery, EngineQuery]
    pair: Pair | None
    periods: tuple[int, ...]
    setting: Setting
    trigger: Trigger
    static: Background | None
    wishes: WitnessWishes

    @property
    def sides(self) -> tuple[str, str]:
        """What the two sides are called."""
        if self.wishes.sides is not None:
            one, other = self.wishes.sides
            return one.value, other.value
        return ("first", "second") if self.pair is None else ("push", "pull")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns of rows."""
        return columns(self.queries[0])

    def contest(self, period: int) -> Contest:
        """Return the two sides for a period."""
        if self.wishes.sides is not None:
            return two_readings(self.queries[1], self.wishes.sides, self.setting, self.trigger)
        if self.pair is None:
            return two_queries(*self.queries, self.setting, contained=self.wishes.contained)
        same = self.wishes.same_input
        return push_and_pull(self.pair, period, self.setting, self.trigger, same_input=same)

    def search(self, period: int) -> WitnessSearch:
        """Return the search for a period, whose time begins now."""
        streams = dict.fromkeys(stream for query in self.queries for stream in streams_of(query))
        wishes = self.wishes
        until = None if wishes.seconds is None else monotonic() + wishes.seconds
        anywhere = wishes.any_source or wishes.cause in _ANYWHERE
        return WitnessSearch(
            self.contest(period), tuple(streams), self.static, wishes.triples, until, anywhere
        )

    def report(self, period: int, witness: Witness) -> VariantReport | None:
        """Return what `lars agree` says of a witness; None where it has nothing to compare."""
        if self.pair is None:
            return None
        runner = Runner(in_process=True, certify=Certify.ALL)
        trace = LocalTrace(trace_columns(witness.facts), Interval(0, witness.end), witness.static, runner)
        return compare([self.pair], [period], trace, self.setting, self.trigger).variants[0]

    def causes(self, period: int, witness: Witness) -> frozenset[RowCause]:
        """Return the causes of the witness's differences at its end."""
        report = self.report(period, witness)
        intervals = () if report is None else report.verdicts[0].intervals
        last = [one for one in intervals if one.end == witness.end]
        return frozenset(found.cause for one in last if report for found in report.differences(one))


SearchEnd = NoWitness | NoneUpTo | OutOfTime | NotSearched


@dataclass(frozen=True, slots=True)
class PeriodWitnesses:
    """What was found for a period; `ended` says why there are no more, None when enough were found."""

    period: int
    found: tuple[Witness, ...]
    ended: SearchEnd | None


def witnesses(task: WitnessTask, period: int, progress: Progress) -> PeriodWitnesses:
    """Return as many witnesses that are not alike as are wanted, the smallest first."""
    search = task.search(period)
    named = named_terms(search.contest.programs)
    found: dict[WitnessShape, Witness] = {}

    def is_enough(one: Witness) -> bool:
        cause = task.wishes.cause
        if cause is None or cause in task.causes(period, one):
            found.setdefault(shape_of(one, named), one)
        return len(found) == task.wishes.count

    outcome: WitnessOutcome = smallest(search, progress, is_enough)
    return PeriodWitnesses(period, tuple(found.values()), None if isinstance(outcome, Witness) else outcome)


def witness_task(
    inputs: Sequence[Path], given: TraceInput, asked: Overrides, wishes: WitnessWishes, warn: Warn
) -> WitnessTask:
    """Return the task of the command line's inputs: an experiment, or one or two queries."""
    if len(inputs) == 1 and is_experiment(inputs[0]):
        return _of_pair(on_experiment(inputs[0], given, asked, warn), str(inputs[0]), asked, wishes, warn)
    missing = [path for path in inputs if not exists(path)]
    if missing or len(inputs) not in (1, 2):
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; accepted: {_INPUTS}")
    fitting = fitting_unit((*durations_in(inputs), *asked.durations(given)))
    unit = fitting if asked.unit is None else unit_of(asked.unit)
    found = [load_query(path, unit) for path in inputs]
    task = AgreementTask(
        next((query for query in found if query.language in MERGING), None),
        next((query for query in found if query.language not in MERGING), None),
        asked.in_points(unit),
        replace(given, options=replace(given.options, unit=unit)),
        asked.reading.setting(unit),
        asked.reading.trigger or Trigger.ANY,
        asked.assigned,
    )
    if len({query.language in MERGING for query in found}) == len(found):
        return _of_pair(task, str(inputs[0]), asked, wishes, warn)
    one, other = found
    _check_columns(inputs, one, other)
    if wishes.sides is not None:
        raise LarsError("--sides: accepted with one query, or the pair of push and pull")
    _check_idle(asked, wishes, "two queries of a kind meet at each time")
    static = _static(task, found, warn)
    return WitnessTask((one, other), None, (1,), task.setting, task.trigger, static, wishes)


def _of_pair(
    task: AgreementTask, source: str, asked: Overrides, wishes: WitnessWishes, warn: Warn
) -> WitnessTask:
    if wishes.contained:
        raise LarsError(
            "--contained: accepted for two queries in one language, of which one may hold the other"
        )
    queries = [query for query in (task.csparql, task.cqels) if query is not None]
    carried = frozenset[tuple[str, str]]()
    if task.cqels is None and (task.trace.paths or task.made):
        carried = loaded(task, queries, warn).predicates()
    pair = pairs(task.csparql, task.cqels, carried, task.assigned)[0]
    if not sources(pair.cqels):
        problem = (
            "no part of the query is matched in a stream; accepted: a query with windows, and for C-SPARQL"
        )
        raise LarsError(f"{source}: {problem} --assign STREAM=PREDICATE, which says what a stream carries")
    static = _static(task, queries, warn)
    both = pair.csparql, pair.cqels
    if wishes.sides is not None:
        _check_idle(asked, wishes, "two readings of a query meet at each time")
        return WitnessTask(both, None, (1,), task.setting, task.trigger, static, wishes)
    return WitnessTask(both, pair, periods_of(task), task.setting, task.trigger, static, wishes)


def _static(task: AgreementTask, queries: Sequence[EngineQuery], warn: Warn) -> Background | None:
    if not task.trace.static:
        return None
    return background(read_static(task.trace.static), dataset_of(queries), warn)


def _check_idle(asked: Overrides, wishes: WitnessWishes, why: str) -> None:
    told: dict[str, object] = {"--period": asked.period, "--cause": wishes.cause}
    told["--same-input"] = wishes.same_input or None
    if wishes.sides is None:
        told["--trigger"] = asked.reading.trigger
    if idle := [name for name, value in told.items() if value is not None]:
        raise LarsError(f"{', '.join(idle)}: accepted for push and pull; {why}")


def _check_columns(paths: Sequence[Path], one: EngineQuery, other: EngineQuery) -> None:
    if columns(one) != columns(other):
        said = (", ".join(f"?{name.name}" for name in columns(query)) or "none" for query in (other, one))
        raise LarsError(
            f"{paths[1]}: it answers {{}}, {paths[0]} answers {{}}; accepted: the same".format(*said)
        )
