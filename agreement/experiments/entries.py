"""The traces of an experiment, and what is judged, as values of a cell."""

import re
from pathlib import Path
from typing import Final

from agreement.engines.registry import ENGINES
from agreement.experiments.cells import EngineVersion, RecordedAnswers, TraceFiles
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.schema import EngineTable, GenerateTable, TraceKeys
from agreement.generate import Plan, plan
from agreement.judge import Options
from agreement.matching.likeness import Likeness
from agreement.recordings import ReadingOptions
from agreement.specifications import ACCEPTED, SUFFIX, Specification, specification
from lars.durations import Duration
from lars.errors import LarsError
from solver.settings import TraceOptions

Judged = tuple[EngineVersion | Specification | RecordedAnswers, Specification]
"""What is judged, and by which specification."""
_OPTION: Final = re.compile(r"--([a-z-]+):? ?(.*)", re.DOTALL)


def trace_of(experiment: Experiment, entry: ExperimentEntry, table: TraceKeys) -> Plan | TraceFiles:
    """Return a trace; raises LarsError with the place of what makes none."""
    path = entry.path
    given = [key for key in ("generate", "streams", "files") if getattr(table, key)]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        problem = f"found {found}; accepted: one of generate, streams and files"
        raise experiment.error((*path, *given[1:2]), problem)
    if table.generate is not None:
        return _plan(experiment, (*path, "generate"), table.generate)
    files = [experiment.found(name, (*path, "files"), folder=True) for name in table.files]
    streams: dict[Path, str] = {}
    for stream, name in (table.streams or {}).items():
        place = (*path, "streams", stream.value)
        file = experiment.found(name, place, folder=True)
        same = next((one for one in streams if one.resolve() == file.resolve()), file)
        if streams.setdefault(same, stream.value) != stream.value:
            problem = f"{name} is the trace of <{streams[same]}> already; accepted: a file of its own"
            raise experiment.error(place, problem, name)
    unit = experiment.unit
    return TraceFiles((*files, *streams), TraceOptions(unit, table.trace_unit, table.origin, streams=streams))


def _plan(experiment: Experiment, path: tuple[str | int, ...], table: GenerateTable) -> Plan:
    try:
        return plan_of(table, experiment.unit)
    except LarsError as error:
        found = _OPTION.fullmatch(str(error))
        if found is None:
            raise experiment.error(path, str(error)) from None
        raise experiment.error((*path, found[1].replace("-", "_")), f"found {found[2]}") from None


def plan_of(table: GenerateTable, unit: Duration) -> Plan:
    """Return what is to be generated, at time points of a unit."""
    return Plan(
        stations=_number("--stations", table.stations),
        interval=plan.duration("--interval", table.interval),
        duration=plan.duration("--duration", table.duration),
        seed=_number("--seed", table.seed),
        values=plan.values(table.values, table.walk),
        streams=_number("--streams", table.streams),
        stream=table.stream_iri,
        bursts=plan.bursts(table.bursts),
        arrivals=table.arrivals,
        contemporaneous=_number("--contemporaneous", table.contemporaneous),
        duplicates=plan.share("--duplicates", table.duplicates),
        out_of_order=plan.share("--out-of-order", table.out_of_order),
        delay=None if table.delay is None else plan.duration("--delay", table.delay),
        unit=unit,
        start=plan.duration("--start", table.start),
    )


def _number(option: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise LarsError(f"{option} {text!r}; accepted: a whole number")
    return int(text)


def judged_of(experiment: Experiment, entry: ExperimentEntry, table: EngineTable) -> Judged:
    """Return what is judged and the specification by which; raises LarsError with the place."""
    what = _judged(experiment, entry, table)
    if table.off and not isinstance(what, EngineVersion):
        raise experiment.error((*entry.path, "off"), "accepted for an engine version")
    if table.specification is not None:
        return what, _placed(experiment, entry, "specification", table.specification)
    match what:
        case EngineVersion(name, _):
            return what, specification(ENGINES[name].specification)
        case Specification():
            return what, what
        case _:
            problem = f"recorded answers without `specification`; accepted: {ACCEPTED}"
            raise experiment.error(entry.path, problem)


def _judged(
    experiment: Experiment, entry: ExperimentEntry, table: EngineTable
) -> EngineVersion | Specification | RecordedAnswers:
    if (table.engine is None) == (table.answers is None):
        problem = "accepted: one of `engine`, a version or specification, and `answers`, a recording's file"
        raise experiment.error(entry.path, problem)
    if table.answers is not None:
        unit = experiment.unit
        file: Path = experiment.found(table.answers, (*entry.path, "answers"))
        return RecordedAnswers(file, ReadingOptions(table.answers_format, unit, table.answers_unit))
    assert table.engine is not None
    if table.engine not in ENGINES:
        return _placed(experiment, entry, "engine", table.engine)
    rules = [rule.name for rule in ENGINES[table.engine].rules]
    for rule in table.off:
        if rule not in rules:
            problem = f"found the rule {rule}; accepted: {', '.join(rules)}"
            raise experiment.error((*entry.path, "off"), problem, rule)
    return EngineVersion(table.engine, frozenset(table.off))


def _placed(experiment: Experiment, entry: ExperimentEntry, key: str, name: str) -> Specification:
    """Return a specification by name, or by its file, whose path starts at the experiment's folder."""
    try:
        return specification(str(experiment.folder / name) if name.endswith(SUFFIX) else name)
    except LarsError as error:
        versions = f", or an engine version: {', '.join(ENGINES)}" if key == "engine" else ""
        raise experiment.error((*entry.path, key), f"{error}{versions}", name) from None


def options_of(table: EngineTable) -> Options:
    """Return how it is judged."""
    return Options(
        starts=table.t0,
        until=table.until,
        registered=table.registered,
        bounds=table.bounds,
        likeness=Likeness(tolerance=table.tolerance),
        empty=table.empty,
        early=table.early,
    )
