"""What is asked of queries on any stream: an experiment's queries, or those of one or two files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.agree import AgreementTask, Overrides, Pair, loaded, pairs
from agreement.experiments.experiment import Experiment, ExperimentEntry, read_experiment
from agreement.experiments.overridden import on_read
from agreement.requests import QUERY_SUFFIXES, durations_in, fitting_unit, is_experiment, load_query, sources
from agreement.traces import background, dataset_of
from lars.errors import LarsError
from lars.files import exists
from solver.facts import Background, read_static
from solver.settings import TraceInput, Warn
from translate.analysis import default_period
from translate.query import MERGING, EngineQuery, Language, ToStream
from translate.tau import Trigger

_INPUTS: Final = f"a folder with experiment.toml, or one or two queries ({', '.join(QUERY_SUFFIXES)})"
_USUAL_PERIODS: Final = range(1, 11)


@dataclass(frozen=True, slots=True)
class TracelessTask:
    """One or two queries as they were given, and how they are compared; `source` is what messages name."""

    task: AgreementTask
    queries: tuple[EngineQuery, ...]
    source: str

    @property
    def is_pair(self) -> bool:
        """Whether push and pull are compared, not two queries of a kind."""
        return len({query.language in MERGING for query in self.queries}) == len(self.queries)

    @property
    def periods(self) -> tuple[int, ...]:
        """The pulling periods: those that are given, else a query's STEP, else 1 to 10."""
        stated = (default_period(query, self.task.setting.unit) for query in self.queries)
        stepped = tuple(period for period in stated if period is not None)[:1]
        return self.task.periods or stepped or tuple(_USUAL_PERIODS)

    def pairs(self, warn: Warn) -> tuple[Pair, ...]:
        """Return push and pull of each way to read the queries, the brave one first."""
        task, carried = self.task, frozenset[tuple[str, str]]()
        if task.cqels is None and (task.trace.paths or task.made):
            carried = loaded(task, self.queries, warn).predicates()
        found = pairs(task.csparql, task.cqels, carried, task.assigned)
        for query in self.queries:
            if query.to_stream in (ToStream.ISTREAM, ToStream.DSTREAM):
                warn(f"T14: {query.to_stream.value} is left out: both sides report all answers at each time")
        if any(sources(pair.cqels) for pair in found):
            return found
        problem = (
            "no part of the query is matched in a stream; accepted: a query with windows, and for C-SPARQL"
        )
        raise LarsError(
            f"{self.source}: {problem} --assign STREAM=PREDICATE, which says what a stream carries"
        )

    def static(self, warn: Warn) -> Background | None:
        """Return the static data; None where none is named, and any may be."""
        files = self.task.trace.static
        return background(read_static(files), dataset_of(self.queries), warn) if files else None


def without_trace(inputs: Sequence[Path], given: TraceInput, asked: Overrides, warn: Warn) -> TracelessTask:
    """Return what the inputs of a command ask: an experiment, or one or two queries."""
    if len(inputs) == 1 and is_experiment(inputs[0]):
        task = on_read(_compared(read_experiment(inputs[0])), given, asked, warn)
        queries = tuple(query for query in (task.csparql, task.cqels) if query is not None)
        return TracelessTask(task, queries, str(inputs[0]))
    missing = [path for path in inputs if not exists(path)]
    if missing or len(inputs) not in (1, 2):
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; accepted: {_INPUTS}")
    fitting = fitting_unit((*durations_in(inputs), *asked.durations(given)))
    unit = fitting if asked.unit is None else asked.unit
    queries = tuple(load_query(path, unit) for path in inputs)
    task = AgreementTask(
        next((query for query in queries if query.language in MERGING), None),
        next((query for query in queries if query.language not in MERGING), None),
        asked.in_points(unit),
        replace(given, options=replace(given.options, unit=unit)),
        asked.reading.setting(unit),
        asked.reading.trigger or Trigger.ANY,
        asked.assigned,
    )
    return TracelessTask(task, queries, str(inputs[0]))


def _compared(found: Experiment) -> Experiment:
    """Return an experiment that judges engines as one that compares push and pull of its queries.

    Parameters that no query names are fixed: which trace there is makes no difference.
    """
    entries = found.entries
    if entries["comparisons"] or not entries["queries"]:
        return found
    named = {
        name
        for entry in entries["queries"]
        for language in Language
        if language.value in entry.content
        for name in found.query_names(entry.content[language.value], (*entry.path, language.value))
    }
    made = {name for entry in entries["traces"] for name in found.named(entry.content, entry.path)}
    grid = {
        name: given if name in named else given[:1]
        for name, given in found.file.grid.items()
        if name in named | made
    }
    comparison = ExperimentEntry("comparisons", (), {}, "agree")
    file = found.file.model_copy(update={"grid": grid})
    return replace(found, file=file, entries={**entries, "engines": (), "comparisons": (comparison,)})
