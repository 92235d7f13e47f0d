"""Read the input of commands that need no trace: an experiment, or one or two queries, with options."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agreement.comparing.agree import AgreementTask, by_side
from agreement.documents import requests
from agreement.documents.requests.query_files import query_text
from agreement.documents.values import shown_path
from agreement.proving.decide import Places
from agreement.proving.traceless import TracelessTask
from lars.errors import LarsError
from lars.files import exists
from solver.settings import TraceOptions, Warn
from translate.model.query import Language

if TYPE_CHECKING:
    from agreement.experiments.experiment import Experiment

_INPUTS: Final = (
    f"a folder with experiment.toml, or one or two queries ({', '.join(requests.QUERY_SUFFIXES)})"
)


def without_trace(inputs: Sequence[Path], options: requests.TracelessOptions, warn: Warn) -> TracelessTask:
    """Return the comparison of an experiment or of one or two queries.

    The options override the keys of the experiment.

    Raises:
        LarsError: An input is missing, or the number of queries is wrong.
    """
    input_options = requests.InputOptions(options.static, TraceOptions(unit=options.unit))
    overrides = requests.ComparisonOptions(
        period=options.period, assign=options.assign, input_options=input_options, reading=options.reading
    )
    if requests.experiment_in(inputs) is not None:
        # Loads the schema of experiments, which queries do not need.
        from agreement.experiments.as_input import on_read
        from agreement.experiments.experiment import read_experiment

        experiment = _compared(read_experiment(inputs[0]))
        task = on_read(experiment, overrides, warn, any_two=True)
        read = [query for query in (task.csparql, task.cqels) if query is not None]
        names = (str(inputs[0]),) * len(read)
        return _apart(TracelessTask(task, tuple(read), names), overrides, warn)
    missing = [path for path in inputs if not exists(path)]
    if missing or len(inputs) not in (1, 2):
        what = f"{missing[0]}: no such file or folder" if missing else f"{len(inputs)} inputs"
        raise LarsError(f"{what}; expected {_INPUTS}")
    fitting = requests.fitting_unit((*requests.durations_in(inputs), *overrides.durations))
    unit = options.unit or fitting
    queries = tuple(requests.load_query(path, unit, graphs=True) for path in inputs)
    task = AgreementTask(
        *by_side(list(zip(inputs, queries, strict=True)), any_two=True),
        requests.in_points(overrides.period, unit),
        input_options.with_trace(unit=unit).trace_input(),
        overrides.reading.setting(unit),
        overrides.assign or {},
    )
    return _apart(TracelessTask(task, queries, tuple(map(str, inputs))), overrides, warn)


def _apart(traceless: TracelessTask, overrides: requests.ComparisonOptions, warn: Warn) -> TracelessTask:
    """Return a task with changed queries: each named graph of a stream's elements is read as a stream.

    The function raises LarsError if the meaning of an option for reading elements depends on the trace.
    """
    required = requests.element_requirement(traceless.queries)
    streams = {source.stream for query in traceless.queries for source in requests.sources(query)}
    if required == "triple" or (required == "message" and len(streams) > 1):
        raise LarsError(
            f"{traceless.inputs[0]}: cannot decide for all streams with --reading grain={required}: the "
            "meaning of [NOW] is exact only if each element has its own time; use lars agree with a trace"
        )
    if not any(map(requests.reads_graphs, traceless.queries)):
        return traceless
    queries = requests.graphs_as_streams(traceless.queries, traceless.inputs[0])
    if overrides.reading.trigger == "query-streams":
        raise LarsError(
            f"{traceless.inputs[0]}: cannot combine a query that has GRAPH inside WINDOW with "
            "--trigger query-streams, because this trigger reads all graphs of a stream; use "
            "--trigger any or matching"
        )
    warn(requests.APART)
    # One query is pulled and pushed, because no query of C-SPARQL reads the graphs of elements.
    task = replace(traceless.task, csparql=queries[0], cqels=queries[-1])
    return replace(traceless, task=task, queries=queries)


def _compared(experiment: "Experiment") -> "Experiment":
    """Return an experiment that compares push and pull, from an experiment that runs engines.

    A parameter that occurs only in the names of traces gets one value, because traces have no effect.
    """
    from agreement.experiments.experiment import ExperimentEntry

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
    file = replace(experiment.file, grid=grid)
    return replace(experiment, file=file, entries={**entries, "engines": (), "comparisons": (comparison,)})


def places_in(inputs: Sequence[Path], task: TracelessTask) -> Places:
    """Return the lines and columns of the graph patterns in the text of the query.

    Of two queries, the function uses the query that is evaluated by push.
    """
    preferred = task.task.cqels or task.queries[0]
    if requests.is_experiment(inputs[0]):
        from agreement.experiments.experiment import read_experiment

        experiment = read_experiment(inputs[0])
        (entry, *_) = experiment.entries["queries"]
        language = preferred.language.value
        source, text = experiment.query_text(entry.content[language], (*entry.path, language))
        return Places(text, source, replace(requests.current(), base=requests.base_for(text, source)))
    path = inputs[task.queries.index(preferred)]
    text = query_text(path)
    around = replace(requests.current(), base=requests.base_for(text, str(path)))
    return Places(text, str(shown_path(path)), around)
