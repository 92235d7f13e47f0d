"""An export's folder: there whole or not at all, and never in the place of something else."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agreement.answering.export.asp_files import asp_files
from agreement.answering.export.exported import export_program
from agreement.answering.export.legend import LEGEND_FILE
from agreement.answering.export.ticker_files import ticker_files
from agreement.answering.solve.solving import SolvingTask
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import replacement_path
from lars.ticker import Reasoner
from solver.settings import Warn

_FILES: Final = frozenset((LEGEND_FILE, "run.sh", "program.lars", "stream.txt", "program.lp", "stream.lp"))
_RUNNABLE: Final = 0o755


@dataclass(frozen=True, slots=True)
class ExportTask:
    """What is exported; for Ticker's `reasoner`, where a time point lasts `clock`, else for plain clingo."""

    solving: SolvingTask
    reasoner: Reasoner | None
    clock: Duration


def export_to(folder: Path, wanted: ExportTask, warn: Warn, *, overwrite: bool) -> str:
    """Write the folder; return what was written and how it is run."""
    _check_free(folder, overwrite=overwrite)
    found = export_program(wanted.solving, warn)
    if not found.times:
        raise LarsError(
            f"{wanted.solving.path}: there is no evaluation time; accepted: --from, --to, --period"
        )
    if wanted.reasoner is None:
        texts = asp_files(found)
    else:
        texts = ticker_files(found, wanted.reasoner, wanted.clock, wanted.solving.path)
    _write(folder, texts)
    return f"{folder}: {', '.join(texts)}; run.sh runs it, `lars export --read` reads what it prints"


def _check_free(folder: Path, *, overwrite: bool) -> None:
    """Raise when something is at a path that must not be replaced."""
    if not folder.parent.is_dir():
        raise LarsError(f"{folder}: cannot be written: there is no folder {folder.parent}")
    if folder.exists() and not folder.is_dir():
        raise LarsError(f"{folder}: is a file; accepted: the name of a folder")
    held = sorted(one.name for one in folder.iterdir()) if folder.exists() else []
    if held and not overwrite:
        raise LarsError(f"{folder}: exists already; accepted: another name, or --overwrite")
    if other := [name for name in held if name not in _FILES]:
        raise LarsError(f"{folder}: is not overwritten: {other[0]} in it is no part of an export")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        for name, text in texts.items():
            (new / name).write_text(text, encoding="utf-8")
        (new / "run.sh").chmod(_RUNNABLE)
