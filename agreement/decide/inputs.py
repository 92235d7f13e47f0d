"""What `lars decide` is given: an experiment, or one or two queries; what it is then asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.agree import AgreementTask, Overrides, loaded, pairs
from agreement.decide.places import Places
from agreement.decide.question import AgreementQuestion
from agreement.disjuncts import Stock
from agreement.experiments.experiment import read_experiment
from agreement.experiments.overridden import on_experiment
from agreement.inputs import (
    QUERY_SUFFIXES,
    InputOptions,
    durations_in,
    fitting_unit,
    is_experiment,
    load_query,
    sources,
    unit_of,
)
from agreement.inputs.files import query_text
from agreement.traces import background, dataset_of
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists
from lars.terms import DEFAULT
from solver.facts import constant_of, read_static
from solver.settings import Warn
from translate.analysis import NO_MODEL, check_comparable, default_period, differences
from translate.query import MERGING, EngineQuery
from translate.tau import Trigger

_INPUTS: Final = (
    f"a folder with experiment.toml, or one or two queries ({', '.join(QUERY_SUFFIXES)}): C-SPARQL, CQELS"
)
_MOST: Final = 2
_PREFERRED: Final = ("cqels", "rspql", "csparql", "sparqlstream")


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """What is decided for which periods: each pair of queries, the first of which is the brave one."""

    questions: tuple[AgreementQuestion, ...]
    periods: tuple[int, ...]


def decision_task(inputs: Sequence[Path], given: InputOptions, asked: Overrides, warn: Warn) -> DecisionTask:
    """Return the task of the command line's inputs."""
    if len(inputs) == 1 and is_experiment(inputs[0]):
        task, places = _of_experiment(inputs[0], given, asked, warn)
    else:
        task, places = _of_files(inputs, given, asked)
    queries = [query for query in (task.csparql, task.cqels) if query is not None]
    _check_one_model(task)
    carried = _carried(task, queries, warn)
    compared = pairs(task.csparql, task.cqels, carried, task.assigned)
    if not any(sources(pair.cqels) for pair in compared):
        problem = (
            "no part of the query is matched in a stream; accepted: a query with windows, and for C-SPARQL "
        )
        raise LarsError(
            f"{places.source}: {problem}--assign STREAM=PREDICATE, which says what a stream carries"
        )
    stock = _stock(task, queries, warn) if task.trace.static else None
    found = tuple(AgreementQuestion(one, task.setting, task.trigger, stock, places) for one in compared)
    return DecisionTask(found, task.periods or _usual(queries, task.setting.unit))


def _check_one_model(task: AgreementTask) -> None:
    """Raise LarsError for two queries that do not stem from one (V, P, D, S); only their STEP may differ."""
    if task.csparql is None or task.cqels is None:
        return
    check_comparable(task.csparql, task.cqels)
    found = differences(task.csparql, task.cqels, task.setting.unit)
    apart = next((said for said in found if said.startswith(NO_MODEL)), None)
    if apart is not None:
        accepted = "two that do (lars agree compares others on a trace; --equivalent, in one mode)"
        raise LarsError(f"{apart}\naccepted: {accepted}")


def _usual(queries: Sequence[EngineQuery], unit: Duration) -> tuple[int, ...]:
    stated = [period for query in queries if (period := default_period(query, unit)) is not None]
    return tuple(stated[:1]) or tuple(range(1, 11))


def _of_experiment(
    path: Path, given: InputOptions, asked: Overrides, warn: Warn
) -> tuple[AgreementTask, Places]:
    found = read_experiment(path)
    (entry, *_) = found.entries["queries"]
    language = next(one for one in _PREFERRED if one in entry.content)
    source, text = found.query_text(entry.content[language], (*entry.path, language))
    return on_experiment(path, given.trace(), asked, warn), Places(text, source)


def _of_files(inputs: Sequence[Path], given: InputOptions, asked: Overrides) -> tuple[AgreementTask, Places]:
    missing = [path for path in inputs if not exists(path)]
    if missing or not 0 < len(inputs) <= _MOST:
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; accepted: {_INPUTS}")
    trace = given.trace()
    fitting = fitting_unit((*durations_in(inputs), *asked.durations(trace)))
    unit = fitting if asked.unit is None else unit_of(asked.unit)
    found: dict[bool, tuple[Path, EngineQuery]] = {}
    for path in inputs:
        query = load_query(path, unit)
        if found.setdefault(query.language in MERGING, (path, query))[0] != path:
            raise LarsError(f"{path}: a second query of its kind; accepted: {_INPUTS}")
    files = {merges: query for merges, (_, query) in found.items()}
    shown = found.get(False, found.get(True))
    assert shown is not None
    return (
        AgreementTask(
            files.get(True),
            files.get(False),
            asked.in_points(unit),
            replace(trace, options=replace(trace.options, unit=unit)),
            asked.reading.setting(unit),
            asked.reading.trigger or Trigger.ANY,
            asked.assigned,
        ),
        Places(query_text(shown[0]), str(shown[0])),
    )


def _carried(task: AgreementTask, queries: Sequence[EngineQuery], warn: Warn) -> frozenset[tuple[str, str]]:
    """Return which predicates streams carry, where that decides what is matched in which."""
    if task.cqels is not None or not (task.trace.paths or task.made):
        return frozenset()
    return loaded(task, queries, warn).predicates()


def _stock(task: AgreementTask, queries: Sequence[EngineQuery], warn: Warn) -> Stock:
    known = background(read_static(task.trace.static), dataset_of(queries), warn)
    triples = (tuple(map(constant_of, one[:3])) for one in known["triple", 4])
    graphs = (DEFAULT if one[3] == DEFAULT.name else constant_of(one[3]) for one in known["triple", 4])
    return tuple((s, p, o, graph) for (s, p, o), graph in zip(triples, graphs, strict=True))
