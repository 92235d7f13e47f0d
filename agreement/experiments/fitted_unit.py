"""An experiment that names no unit gets the longest that fits its queries, periods and traces."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from agreement.documents.placed import KeyPath
from agreement.documents.requests import durations_among, durations_of, fitting_unit, read_once
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.placeholders import filled_text
from agreement.experiments.schema import ComparisonTable, GenerateTable, Table, TraceTable
from lars.durations import Duration, read_duration
from lars.errors import LarsError
from translate.model.query import Language

_Model = TypeVar("_Model", bound=Table)


def in_fitting_units(experiment: Experiment, also: Iterable[Duration] = ()) -> Experiment:
    """Return the experiment with a unit: its own, else one that fits all of it and other durations.

    All cells share it, so that their times can be compared. What cannot be read is left to its reader.
    """
    if experiment.file.unit is not None:
        return experiment
    found = (*_of_queries(experiment), *_of_traces(experiment), *_of_comparisons(experiment), *also)
    return experiment.in_units(fitting_unit(found))


def _of_queries(experiment: Experiment) -> Iterator[Duration]:
    for entry in experiment.entries["queries"]:
        for language in Language:
            if given := entry.content.get(language.value):
                yield from _of_query(experiment, given, language, (*entry.path, language.value))


def _of_query(
    experiment: Experiment, given: str | Mapping[str, str], language: Language, path: KeyPath
) -> Iterator[Duration]:
    try:
        for parameters in experiment.combinations(experiment.query_names(given, path)):
            named = filled_text(given, parameters) if isinstance(given, str) else given
            source, text = experiment.query_text(named, path)
            yield from durations_of(read_once(filled_text(text, parameters), source, language))
    except LarsError:
        return


def _of_traces(experiment: Experiment) -> Iterator[Duration]:
    for entry in experiment.entries["traces"]:
        for table in _tables(experiment, TraceTable, entry):
            yield from () if table.trace_unit is None else (table.trace_unit,)
            yield from () if table.generate is None else _made(table.generate)


def _made(table: GenerateTable) -> Iterator[Duration]:
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
