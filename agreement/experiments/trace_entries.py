"""The traces of an experiment as values of a cell, and the longest unit that fits where none is named."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from agreement.documents.generate import Plan, plan
from agreement.documents.generate.plan import StreamOptions, WrongOptionError
from agreement.documents.placed import KeyPath
from agreement.documents.requests import durations_among, durations_of, fitting_unit, read_once
from agreement.experiments.cells import TraceFiles
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.schema import (
    ComparisonTable,
    GenerateTable,
    Table,
    TraceKeys,
    TraceTable,
    filled_text,
)
from lars.durations import Duration, read_duration
from lars.errors import LarsError
from solver.settings import TraceOptions
from translate.model.query import Language

_Model = TypeVar("_Model", bound=Table)


def in_fitting_units(experiment: Experiment, also: Iterable[Duration] = ()) -> Experiment:
    """Return the experiment with a unit: its own, else one that fits all of it and other durations.

    All cells share it, so that their times can be compared. What cannot be read is left to its reader.
    """
    if experiment.file.unit is not None:
        return experiment
    durations = (*_of_queries(experiment), *_of_traces(experiment), *_of_comparisons(experiment), *also)
    return experiment.in_units(fitting_unit(durations))


def _of_queries(experiment: Experiment) -> Iterator[Duration]:
    for entry in experiment.entries["queries"]:
        for language in Language:
            if text := entry.content.get(language.value):
                yield from _of_query(experiment, text, language, (*entry.path, language.value))


def _of_query(
    experiment: Experiment, value: str | Mapping[str, str], language: Language, path: KeyPath
) -> Iterator[Duration]:
    try:
        for parameters in experiment.combinations(experiment.query_names(value, path)):
            named = filled_text(value, parameters) if isinstance(value, str) else value
            source, text = experiment.query_text(named, path)
            yield from durations_of(read_once(filled_text(text, parameters), source, language))
    except LarsError:
        return


def _of_traces(experiment: Experiment) -> Iterator[Duration]:
    for entry in experiment.entries["traces"]:
        for table in _tables(experiment, TraceTable, entry):
            yield from () if table.trace_unit is None else (table.trace_unit,)
            yield from () if table.generate is None else _durations_of(table.generate)


def _durations_of(table: GenerateTable) -> Iterator[Duration]:
    try:
        for text in (getattr(table, key) for key in ("interval", "duration", "start", "delay")):
            yield from () if text is None else (read_duration(text),)
    except LarsError:
        return


def _of_comparisons(experiment: Experiment) -> Iterator[Duration]:
    for entry in experiment.entries["comparisons"]:
        for table in _tables(experiment, ComparisonTable, entry):
            yield from durations_among(table.period)


def _tables(experiment: Experiment, model: type[_Model], entry: ExperimentEntry) -> Iterator[_Model]:
    try:
        for parameters in experiment.combinations(experiment.named(entry.content, entry.path)):
            yield experiment.fill(model, entry, parameters)
    except LarsError:
        return


def trace_of(experiment: Experiment, entry: ExperimentEntry, table: TraceKeys) -> Plan | TraceFiles:
    """Return a trace; raises LarsError with the place of what makes none."""
    path = entry.path
    names = [key for key in ("generate", "streams", "files") if getattr(table, key)]
    if len(names) != 1:
        text = " and ".join(names) or "none of them"
        problem = f"found {text}; accepted: one of generate, streams and files"
        raise experiment.error((*path, *names[1:2]), problem)
    if table.generate is not None:
        if table.sort:
            problem = "found true with generate; accepted: for traces in files"
            raise experiment.error((*path, "sort"), problem)
        return _plan(experiment, (*path, "generate"), table.generate)
    files = [experiment.file_path(name, (*path, "files"), folder=True) for name in table.files]
    streams: dict[Path, str] = {}
    for stream, name in (table.streams or {}).items():
        place = (*path, "streams", stream.value)
        file = experiment.file_path(name, place, folder=True)
        same = next((one for one in streams if one.resolve() == file.resolve()), file)
        if streams.setdefault(same, stream.value) != stream.value:
            problem = f"{name} is the trace of <{streams[same]}> already; accepted: a file of its own"
            raise experiment.error(place, problem, name)
    options = TraceOptions(
        experiment.unit,
        table.trace_unit,
        table.origin,
        table.sort,
        streams=streams,
        prefixes=tuple(table.prefixes.items()),
        columns=table.columns,
    )
    return TraceFiles((*files, *streams), options)


def _plan(experiment: Experiment, path: tuple[str | int, ...], table: GenerateTable) -> Plan:
    try:
        return plan_of(table, experiment.unit)
    except WrongOptionError as error:
        raise experiment.error((*path, error.option), error.found) from None
    except LarsError as error:
        raise experiment.error(path, str(error)) from None


def plan_of(table: GenerateTable, unit: Duration) -> Plan:
    """Return what is to be generated, at time points of a unit."""
    counts = ("stations", "seed", "streams", "contemporaneous")
    values = {name: getattr(table, name) for name in type(table).model_fields}
    return plan.plan_of(
        StreamOptions(**values | {name: _number(name, values[name]) for name in counts}), unit
    )


def _number(option: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise WrongOptionError(option, f"{text!r}; accepted: a whole number")
    return int(text)
