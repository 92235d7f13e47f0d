"""A witness as an experiment: a folder that `lars agree` takes."""

from collections.abc import Iterator
from pathlib import Path

from agreement.agree import Pair
from agreement.witness.searching import Witness
from agreement.witness.witness_task import PeriodWitnesses, WitnessTask
from lars.errors import LarsError
from lars.files import appearing
from solver.facts import Background, Fact
from translate.query import Language
from translate.writing import write_query

TRACE = "trace.nq"
STATIC = "static.nq"


def write_experiments(folder: Path, task: WitnessTask, found: PeriodWitnesses) -> None:
    """Write an experiment, or one for each witness in folders 1, 2 ..; what has the name is replaced."""
    if task.pair is None:
        raise LarsError(f"--out {folder}: accepted for push and pull; two queries are no experiment")
    with appearing(folder, folders=True) as new:
        new.mkdir()
        for number, witness in enumerate(found.found, start=1):
            own = new if len(found.found) == 1 else new / str(number)
            own.mkdir(exist_ok=True)
            for name, text in _files(task, task.pair, found.period, witness).items():
                (own / name).write_text(text, encoding="utf-8")


def _files(task: WitnessTask, pair: Pair, period: int, witness: Witness) -> dict[str, str]:
    static = "".join(static_lines(witness.static))
    return {
        TRACE: "".join(map(trace_line, witness.facts)),
        "query.csparql.rq": write_query(pair.csparql, Language.CSPARQL),
        "query.cqels.rq": write_query(pair.cqels, Language.CQELS),
        "experiment.toml": "\n".join(_toml(task, period, witness, has_static=bool(static))) + "\n",
    } | ({STATIC: static} if static else {})


def trace_line(fact: Fact) -> str:
    """Return the line of an element in timed N-Quads."""
    return f'{" ".join(fact.arguments)} "{fact.t}" .\n'


def static_lines(static: Background) -> Iterator[str]:
    """Yield static triples as N-Quads."""
    for *triple, graph in static.get(("triple", 4), ()):
        name = "" if graph == "default" else f" {graph}"
        yield f"{' '.join(triple)}{name} .\n"


def _toml(task: WitnessTask, period: int, witness: Witness, *, has_static: bool) -> Iterator[str]:
    setting = task.setting
    yield 'title = "A smallest stream on which push and pull differ"'
    yield f'unit = "{setting.unit}"'
    yield f"timeline = [0, {witness.end}]"
    yield f"period = {period}"
    yield 'csparql = "query.csparql.rq"'
    yield 'cqels = "query.cqels.rq"'
    yield f'files = "{TRACE}"'
    if has_static:
        yield f'static = "{STATIC}"'
    yield f'profile = "{setting.profile.value}"'
    yield f'bounds = "{setting.bounds.value}"'
    yield f'trigger = "{task.trigger.value}"'
