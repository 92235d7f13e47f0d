"""A comparison as an experiment of its own: a folder that `lars agree` takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agreement.agree import Pair
from agreement.witness.witness_task import PeriodWitnesses, WitnessTask
from lars.errors import LarsError
from lars.files import appearing
from solver.facts import Background, Fact
from translate.query import EngineQuery, Setting
from translate.tau import Trigger
from translate.writing import write_query

_TRACE: Final = "trace.nq"
_STATIC: Final = "static.nq"


@dataclass(frozen=True, slots=True)
class WrittenExperiment:
    """Push against pull on a stream that is written out, on the timeline [0, end]."""

    title: str
    pair: Pair
    setting: Setting
    trigger: Trigger
    period: int
    facts: tuple[Fact, ...]
    static: Background
    end: int

    def files(self) -> dict[str, str]:
        """Return the texts of the folder's files by their names."""
        static = "".join(_static_lines(self.static))
        queries = (self.pair.csparql, self.pair.cqels)
        return {
            "experiment.toml": "".join(f"{line}\n" for line in self._toml(has_static=bool(static))),
            **{_file(query): write_query(query, query.language) for query in queries},
            _TRACE: "".join(f'{" ".join(fact.arguments)} "{fact.t}" .\n' for fact in self.facts),
            **({_STATIC: static} if static else {}),
        }

    def write(self, folder: Path) -> None:
        """Write the files into a folder that is there."""
        for name, text in self.files().items():
            (folder / name).write_text(text, encoding="utf-8")

    def _toml(self, *, has_static: bool) -> Iterator[str]:
        yield f'title = "{self.title}"'
        yield f'unit = "{self.setting.unit}"'
        yield f"timeline = [0, {self.end}]"
        yield f"period = {self.period}"
        for query in (self.pair.csparql, self.pair.cqels):
            yield f'{query.language.value} = "{_file(query)}"'
        yield f'files = "{_TRACE}"'
        if has_static:
            yield f'static = "{_STATIC}"'
        yield f'profile = "{self.setting.profile.value}"'
        yield f'bounds = "{self.setting.bounds.value}"'
        yield f'trigger = "{self.trigger.value}"'


def write_experiments(folder: Path, task: WitnessTask, found: PeriodWitnesses) -> None:
    """Write an experiment, or one for each witness in folders 1, 2 ..; what has the name is replaced."""
    if task.pair is None:
        raise LarsError(f"--out {folder}: accepted for push and pull, which an experiment compares")
    title = "A smallest stream on which push and pull differ"
    with appearing(folder, folders=True) as new:
        new.mkdir()
        for number, witness in enumerate(found.found, start=1):
            own = new if len(found.found) == 1 else new / str(number)
            own.mkdir(exist_ok=True)
            about = task.pair, task.setting, task.trigger, found.period
            WrittenExperiment(title, *about, witness.facts, witness.static, witness.end).write(own)


def _file(query: EngineQuery) -> str:
    return f"query.{query.language.value}.rq"


def _static_lines(static: Background) -> Iterator[str]:
    for *triple, graph in static.get(("triple", 4), ()):
        name = "" if graph == "default" else f" {graph}"
        yield f"{' '.join(triple)}{name} .\n"
