"""What `lars decide` is given: an experiment, or one or two queries; what it is then asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agreement.agree import AgreementTask, Overrides
from agreement.decide.places import Places
from agreement.decide.question import AgreementQuestion
from agreement.decide.trial import stock_of
from agreement.experiments.experiment import read_experiment
from agreement.experiments.without_trace import without_trace
from agreement.requests import is_experiment, load_query
from agreement.requests.query_files import query_text
from lars.errors import LarsError
from solver.settings import TraceInput, Warn
from translate.analysis import NO_MODEL, check_comparable, differences
from translate.query import MERGING

_PREFERRED: Final = ("cqels", "rspql", "csparql", "sparqlstream")


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """What is decided for which periods: each pair of queries, the first of which is the brave one."""

    questions: tuple[AgreementQuestion, ...]
    periods: tuple[int, ...]


def decision_task(inputs: Sequence[Path], given: TraceInput, asked: Overrides, warn: Warn) -> DecisionTask:
    """Return the task of the command line's inputs."""
    found = without_trace(inputs, given, asked, warn)
    task = found.task
    if not found.is_pair:
        problem = "a second query of its kind; accepted: C-SPARQL and CQELS, or --contained, --equivalent"
        raise LarsError(f"{inputs[1]}: {problem}")
    _check_one_model(task)
    known = found.static(warn)
    stock = None if known is None else stock_of(known)
    read = task.setting, task.trigger, stock, _places(inputs, task)
    questions = tuple(AgreementQuestion(one, *read) for one in found.pairs(warn))
    return DecisionTask(questions, found.periods)


def _places(inputs: Sequence[Path], task: AgreementTask) -> Places:
    """Return the places of the query whose patterns say where they are matched, if there is one."""
    if is_experiment(inputs[0]):
        found = read_experiment(inputs[0])
        (entry, *_) = found.entries["queries"]
        language = next(one for one in _PREFERRED if one in entry.content)
        source, text = found.query_text(entry.content[language], (*entry.path, language))
        return Places(text, source)
    apart = [path for path in inputs if load_query(path, task.setting.unit).language not in MERGING]
    shown = (*apart, *inputs)[0]
    return Places(query_text(shown), str(shown))


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
