"""The function `init`, which writes a new experiment for given queries and traces."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from agreement.documents.initial import DERIVED, UNNAMED, initial
from agreement.documents.requests import EXPERIMENT_FILE, InputOptions, periods_option
from agreement.documents.values import Period
from agreement.results.base.library import Listeners, WrittenFiles, offered_functions
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, rewrite
from lars.options import argument
from solver.settings import unsaid


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest:
    """The arguments of `lars init`.

    The file contains the paths of the queries and traces. The queries and traces are not copied.
    Most commands accept the folder as input.

    Example:
    lars init samples/coupons-mine samples/coupons/query.cqels.rq samples/coupons/coupons.trig
    """

    WITHOUT: ClassVar = ("on_error", "rejected")

    folder: Path = argument("DIR", "Folder of the experiment. lars creates the folder if it does not exist.")
    inputs: tuple[Path, ...] = argument(
        "QUERY.. TRACE..",
        "At most one query for each query language, then recorded streams.",
        default=(),
        source="trace",
    )
    period: tuple[Period, ...] = periods_option(
        "Periods U between two pulls: one period (5), a list (5,10) or a range (1..50). [default: the"
        " STEP of the query]"
    )
    input_options: InputOptions


@offered_functions(InitRequest)
def init(request: InitRequest, listeners: Listeners) -> WrittenFiles:
    """Write experiment.toml for queries and traces into a folder, and return the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = init(folder, "samples/slide/query.cqels.rq", "samples/slide/door.trig", period=3)
    ...     print(result.path.read_text().split()[0])
    cqels
    """
    path = request.folder / EXPERIMENT_FILE
    for name in (EXPERIMENT_FILE, DERIVED):
        if exists(request.folder / name):
            raise LarsError(f"{request.folder / name}: exists already; use a folder without {name}")
    experiment = initial(request.folder, request.inputs, request.input_options, request.period)
    text = "\n".join(experiment.lines(listeners.note)) + "\n"
    made = [folder for folder in (request.folder, *request.folder.parents) if not folder.exists()]
    try:
        request.folder.mkdir(parents=True, exist_ok=True)
        rewrite(path, text)
        if (derived := experiment.derived_query()) is not None:
            rewrite(request.folder / DERIVED, derived)
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise
    where = shlex.quote(str(path.parent))
    # lars agree would end with an error about the streams.
    open_streams = UNNAMED in text
    names = ("agree", "solve", "decide") if open_streams else _accepting(request.folder)
    then = " · ".join(f"lars {name} {where}" for name in names)
    then = f"next: {f'choose the streams in {path}, then ' if open_streams else ''}{then}"
    return WrittenFiles(path, f"{path}:\n{text}{then}")


def _accepting(folder: Path) -> list[str]:
    """Return the commands that accept a new experiment: two queries may have one mode, or ask differently."""
    # Load what evaluates and decides, which the file itself does not need.
    from agreement.experiments.experiment import read_experiment
    from agreement.experiments.grid import comparison_of
    from agreement.proving.decide import Places, agreement_question
    from agreement.proving.traceless import TracelessTask

    names = ["solve"]
    with suppress(LarsError):
        task = comparison_of(read_experiment(folder), any_two=True)
        queries = tuple(query for query in (task.csparql, task.cqels) if query is not None)
        traceless = TracelessTask(task, queries, (str(folder),) * len(queries))
        if traceless.is_pair:
            names.insert(0, "agree")
        if len(queries) > 1:
            agreement_question(traceless, Places("", str(folder)), unsaid)
        names.append("decide")
    return names
