"""Store the state of a watched stream after each batch, in a folder that is written in one step."""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Final

from agreement.comparing.watch.logs import LogState
from agreement.documents.requests import Side
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, replacement_path
from solver.columns import TraceColumns
from solver.columns.atom_files import read_atoms, write_atoms

_STATE: Final = "state.json"
_UNSENT: Final = "unsent.json"
_FOLDER: Final = "batch-"
_KEPT: Final = 2
"""The number of stored states: a batch that was not finished begins again from the state before it."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """The state of a watched stream after a batch.

    - `question` is a digest of the queries, static data and options.
    - `batch` is the number of the batch, or -1 before the first batch.
    - `newest` is the time of the newest element; None without elements.
    - `origin` is the dateTime of time 0; None if times are integers.
    - `absolute` is true if the times of elements are integers that are time points.
    - `judged` maps each pull period, as a text, to the end of its last judged period.
    - `sizes` maps the name of each output to its size: in bytes, in parts of a table, or in records of a
      topic.
    - `files` is the number of input files that all batches have read.
    - `elements`, `late` and `rejected` are the numbers of all elements, late elements and rejected elements.
    - `periods` is the number of judged periods. `disagreeing` is the number of judged periods in which push
      and pull disagree. `with_rows` is the number of judged periods in which push or pull reports a row.
    - `logs` maps push and pull to the state of the log of the running system.
    - `compared` is the end of the last period for which the logs are judged.
    - `recent` contains the last reported problems, each with its period.
    - `lines` is the text about the batch, which is printed again if the batch is repeated.
    """

    question: str
    batch: int = -1
    newest: int | None = None
    origin: str | None = None
    absolute: bool = False
    judged: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    files: int = 0
    elements: int = 0
    periods: int = 0
    disagreeing: int = 0
    with_rows: int = 0
    late: int = 0
    rejected: int = 0
    logs: Mapping[Side, LogState] = field(default_factory=dict)
    compared: int = 0
    recent: Sequence[tuple[str, str]] = ()
    lines: Sequence[str] = ()


def newest_state(checkpoint: Path, question: str) -> tuple[WatchState, TraceColumns] | None:
    """Return the newest stored state of the watch, with the pending elements; None if no state is stored.

    Raises:
        LarsError: The checkpoint belongs to another question, or cannot be read.
    """
    newest = newest_batch(checkpoint)
    if newest is None:
        return None
    folder = checkpoint / f"{_FOLDER}{newest}"
    try:
        stored = _object(json.loads((folder / _STATE).read_text(encoding="utf-8")))
        logs = {side: LogState(**_object(log)) for side, log in _object(stored.pop("logs", {})).items()}
        state = WatchState(**stored, logs=logs)
        pending = read_atoms(folder, state.newest or 0)
    except (OSError, ValueError, TypeError) as error:
        raise LarsError(f"--checkpoint {checkpoint}: cannot read {folder.name}: {error}") from None
    if state.question != question:
        raise LarsError(
            f"--checkpoint {checkpoint}: belongs to a watch with other queries, static data or options; use "
            "the same command, or a new folder"
        )
    return state, pending


def newest_batch(checkpoint: Path) -> int | None:
    """Return the number of the newest stored batch: -1 before the first batch, None if none is stored."""
    return max(_stored(checkpoint), default=None)


def _object(value: object) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"found {json.dumps(value)}; expected a JSON object")
    return value


Record = tuple[str, str]
"""The key and the value of a record of a topic."""


def write_state(
    checkpoint: Path, state: WatchState, pending: TraceColumns, unsent: Sequence[Record] = ()
) -> None:
    """Write the state after a batch in one step, with the records to send; delete old states."""
    folder = checkpoint / f"{_FOLDER}{state.batch}"
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        (new / _STATE).write_text(json.dumps(asdict(state), indent=2), encoding="utf-8")
        write_atoms(new, pending)
        if unsent:
            (new / _UNSENT).write_text(json.dumps(unsent), encoding="utf-8")
    for number in _stored(checkpoint):
        if number <= state.batch - _KEPT:
            shutil.rmtree(checkpoint / f"{_FOLDER}{number}", ignore_errors=True)


def send_unsent(checkpoint: Path, send: Callable[[Sequence[Record]], None]) -> None:
    """Send the records of the newest batch, unless an earlier call has sent all of them."""
    file = checkpoint / f"{_FOLDER}{newest_batch(checkpoint)}" / _UNSENT
    if exists(file):
        send([(key, value) for key, value in json.loads(file.read_text(encoding="utf-8"))])
        file.unlink()


def _stored(checkpoint: Path) -> list[int]:
    """Return the numbers of the stored batches; folders with other names, such as copies, are ignored."""
    names = (path.name.removeprefix(_FOLDER) for path in checkpoint.glob(f"{_FOLDER}*"))
    return [int(name) for name in names if re.fullmatch(r"-1|[0-9]+", name)]
