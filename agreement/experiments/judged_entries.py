"""What an experiment judges, and how, as values of a cell."""

from pathlib import Path

from agreement.comparing.judge import Options
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.recordings import ReadingOptions
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import ACCEPTED, NAMES, SUFFIX, Specification, specification
from agreement.experiments.cells import AdaptedEngine, EngineVersion, RecordedAnswers
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.schema import EngineTable
from lars.errors import LarsError

JudgedTable = tuple[EngineVersion | Specification | AdaptedEngine | RecordedAnswers, Specification]
"""What is judged, and by which specification."""


def judged_of(experiment: Experiment, entry: ExperimentEntry, table: EngineTable) -> JudgedTable:
    """Return what is judged and the specification by which; raises LarsError with the place."""
    what = _judged(experiment, entry, table)
    if table.off and not isinstance(what, EngineVersion):
        raise experiment.error((*entry.path, "off"), "accepted for an engine version")
    if table.options and not isinstance(what, AdaptedEngine):
        raise experiment.error((*entry.path, "options"), "accepted with `adapter`")
    if table.specification is not None:
        return what, _placed(experiment, entry, "specification", table.specification)
    match what:
        case EngineVersion(name, _):
            return what, specification(ENGINES[name].specification)
        case Specification():
            return what, what
        case AdaptedEngine() if table.language is not None and table.language.value in NAMES:
            return what, specification(table.language.value)
        case AdaptedEngine():
            problem = f"an adapter without `specification` and `language`; accepted: one of them, {ACCEPTED}"
            raise experiment.error(entry.path, problem)
        case _:
            problem = f"recorded answers without `specification`; accepted: {ACCEPTED}"
            raise experiment.error(entry.path, problem)


def _judged(
    experiment: Experiment, entry: ExperimentEntry, table: EngineTable
) -> EngineVersion | Specification | AdaptedEngine | RecordedAnswers:
    if [table.engine, table.adapter, table.answers].count(None) != 2:  # noqa: PLR2004 - one of three
        problem = (
            "accepted: one of `engine`, a version or specification, `adapter`, the command that starts one, "
            "and `answers`, a recording's file"
        )
        raise experiment.error(entry.path, problem)
    if table.adapter is not None:
        return AdaptedEngine(table.adapter, table.options, experiment.folder)
    if table.answers is not None:
        unit = experiment.unit
        file: Path = experiment.file_path(table.answers, (*entry.path, "answers"))
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
        registered=table.registered,
        bounds=table.bounds,
        likeness=Likeness(tolerance=table.tolerance),
        empty=table.empty,
        early=table.early,
    )
