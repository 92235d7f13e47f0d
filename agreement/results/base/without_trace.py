"""What is asked of queries on any stream: an experiment's queries, or those of one or two files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agreement.comparing.agree import AgreementTask, Overrides
from agreement.documents.requests import (
    QUERY_SUFFIXES,
    durations_in,
    fitting_unit,
    is_experiment,
    load_query,
)
from agreement.documents.requests.query_files import query_text
from agreement.experiments.experiment import Experiment, ExperimentEntry, read_experiment
from agreement.experiments.grid import on_read
from agreement.proving.decide import Places
from agreement.proving.traceless import TracelessTask
from lars.errors import LarsError
from lars.files import exists
from solver.settings import TraceInput, Warn
from translate.model.query import MERGING, Language
from translate.tau import Trigger

_INPUTS: Final = f"a folder with experiment.toml, or one or two queries ({', '.join(QUERY_SUFFIXES)})"
_PREFERRED: Final = ("cqels", "rspql", "csparql", "sparqlstream")


def without_trace(
    inputs: Sequence[Path], trace_input: TraceInput, overrides: Overrides, warn: Warn
) -> TracelessTask:
    """Return what the inputs of a command ask: an experiment, or one or two queries."""
    if len(inputs) == 1 and is_experiment(inputs[0]):
        task = on_read(_compared(read_experiment(inputs[0])), trace_input, overrides, warn)
        queries = tuple(query for query in (task.csparql, task.cqels) if query is not None)
        return TracelessTask(task, queries, tuple(map(str, inputs)))
    missing = [path for path in inputs if not exists(path)]
    if missing or len(inputs) not in (1, 2):
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; accepted: {_INPUTS}")
    fitting = fitting_unit((*durations_in(inputs), *overrides.durations(trace_input)))
    unit = fitting if overrides.unit is None else overrides.unit
    queries = tuple(load_query(path, unit) for path in inputs)
    task = AgreementTask(
        next((query for query in queries if query.language in MERGING), None),
        next((query for query in queries if query.language not in MERGING), None),
        overrides.in_points(unit),
        replace(trace_input, options=replace(trace_input.options, unit=unit)),
        overrides.reading.setting(unit),
        overrides.reading.trigger or Trigger.ANY,
        overrides.assigned,
    )
    return TracelessTask(task, queries, tuple(map(str, inputs)))


def _compared(experiment: Experiment) -> Experiment:
    """Return an experiment that judges engines as one that compares push and pull of its queries.

    Parameters that no query names are fixed: which trace there is makes no difference.
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
    """Return the places of the query whose patterns say where they are matched, if there is one."""
    if is_experiment(inputs[0]):
        experiment = read_experiment(inputs[0])
        (entry, *_) = experiment.entries["queries"]
        language = next(language_name for language_name in _PREFERRED if language_name in entry.content)
        source, text = experiment.query_text(entry.content[language], (*entry.path, language))
        return Places(text, source)
    apart = [path for path, query in zip(inputs, task.queries, strict=True) if query.language not in MERGING]
    preferred = (*apart, *inputs)[0]
    return Places(query_text(preferred), str(preferred))
