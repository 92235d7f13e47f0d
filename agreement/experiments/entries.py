"""The traces of an experiment as values of a cell."""

import re
from pathlib import Path

from agreement.documents.generate import Plan, plan
from agreement.documents.generate.plan import StreamOptions, WrongOptionError
from agreement.experiments.cells import TraceFiles
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.schema import GenerateTable, TraceKeys
from lars.durations import Duration
from lars.errors import LarsError
from solver.settings import TraceOptions


def trace_of(experiment: Experiment, entry: ExperimentEntry, table: TraceKeys) -> Plan | TraceFiles:
    """Return a trace; raises LarsError with the place of what makes none."""
    path = entry.path
    given = [key for key in ("generate", "streams", "files") if getattr(table, key)]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        problem = f"found {found}; accepted: one of generate, streams and files"
        raise experiment.error((*path, *given[1:2]), problem)
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
    given = {name: getattr(table, name) for name in type(table).model_fields}
    return plan.plan_of(StreamOptions(**given | {name: _number(name, given[name]) for name in counts}), unit)


def _number(option: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise WrongOptionError(option, f"{text!r}; accepted: a whole number")
    return int(text)
