"""`init`: a new folder with an experiment for given queries and traces."""

import shlex
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agreement.documents.initial import initial
from agreement.documents.options import argument
from agreement.documents.requests import EXPERIMENT_FILE, InputOptions, periods_option
from agreement.documents.values import Period
from agreement.results.base.library import Listeners, Result, offered_functions
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, rewrite


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest:
    """The arguments of `lars init`.

    The file contains the paths of the queries and traces. The queries and traces are not copied.
    Most commands accept the folder as input.

    Example:
    lars init samples/coupons-mine samples/coupons/query.cqels.rq samples/coupons/coupons.trig
    """

    folder: Path = argument("DIR", "Folder of the experiment. A missing folder is created.")
    inputs: tuple[Path, ...] = argument(
        "QUERY.. TRACE..",
        "At most one query per language, and recorded streams.",
        default=(),
        source="trace",
    )
    period: tuple[Period, ...] = periods_option(
        "Periods U between two pulls, such as 5, 5,10 or 1..50. [default: the STEP of the query]"
    )
    input_options: InputOptions


@dataclass(frozen=True, slots=True)
class InitialFolder(Result):
    """The result of `init`: the path of the new file, and its text."""

    path: Path
    text: str

    def parts(self) -> Iterable[str]:
        """Yield the text of the new file, and commands that use the experiment."""
        yield f"{self.path}:"
        yield self.text.rstrip("\n")
        folder = shlex.quote(str(self.path.parent))
        yield f"next: lars agree {folder} · lars solve {folder} · lars decide {folder}"


@offered_functions(InitRequest)
def init(request: InitRequest, listeners: Listeners) -> InitialFolder:
    """Write experiment.toml for queries and traces into a folder, and return its text.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = init(folder, "samples/slide/query.cqels.rq", "samples/slide/door.trig", period=3)
    ...     print(result.text.split()[0], result.text.split()[3])
    cqels period
    """
    path = request.folder / EXPERIMENT_FILE
    if exists(path):
        raise LarsError(f"{path}: exists already; use a folder without {EXPERIMENT_FILE}")
    experiment = initial(request.folder, request.inputs, request.input_options, request.period)
    text = "\n".join(experiment.lines(listeners.note)) + "\n"
    made = [folder for folder in (request.folder, *request.folder.parents) if not folder.exists()]
    try:
        request.folder.mkdir(parents=True, exist_ok=True)
        rewrite(path, text)
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise
    return InitialFolder(path, text)
