"""The functions `pack` and `check_pack`.

`pack` copies an experiment with all its files and results to one folder. `check_pack` runs the copy again and
compares the results.
"""

import json
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import RenderableType

from agreement.documents.outputs import Json, pick, quantity
from agreement.documents.requests import EXPERIMENT_FILE, cells_at_once_option, experiment_argument
from agreement.documents.table_files import OutTable
from agreement.experiments import Cell, execution
from agreement.experiments.crate import CHECK, PackDescription, versions
from agreement.experiments.experiment import ACCEPTED, in_fitting_units, read_experiment
from agreement.experiments.grid import cells_of
from agreement.experiments.packing import (
    CRATE,
    EXPECTED,
    README,
    SUMS,
    PackedFiles,
    ResultDifference,
    changed_files,
    expected_results,
    pack_files,
    read_expected,
    result_differences,
    sums_text,
)
from agreement.experiments.results import CellResults
from agreement.results.base.library import (
    Findings,
    Listeners,
    WrittenFiles,
    answering,
    offered_functions,
    text_table,
)
from agreement.results.files.runs import RunRequest, RunResult, run
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists, replacement_path, temporary_folder
from lars.language.terms import absolute_iri
from lars.options import kind_of_value, option
from solver.settings import Progress, no_progress

_ZIP: Final = ".zip"
_MODE: Final = 0o100644 << 16
_SHOWN: Final = 20
"""The maximum number of differences that are printed."""


@kind_of_value("IRI", "str")
def _license(text: str) -> str:
    """Return the IRI of a license; raises LarsError for any other text, such as the name of a license."""
    try:
        return absolute_iri(text)
    except LarsError:
        problem = "expected the IRI of a license, such as https://creativecommons.org/licenses/by/4.0/"
        raise LarsError(f"found {text!r}; {problem}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRequest:
    """The arguments of `lars pack`.

    Runs the experiment, and copies its files and results to a new folder or ZIP archive (an RO-Crate).
    `lars run FOLDER --check` runs the copied experiment again and compares the results.

    Example:
    lars pack samples/coupons -o coupons-packed
    """

    experiment: Path | None = experiment_argument()
    out: Path | None = option(
        None, "New folder, or new ZIP archive (*.zip), to write.", metavar="DIR|FILE.zip", short="-o"
    )
    license: str | None = option(
        None,
        "License of the experiment, such as https://creativecommons.org/licenses/by/4.0/. [default: none]",
        _license,
    )
    jobs: int = cells_at_once_option()


@offered_functions(PackRequest)
def pack(request: PackRequest, listeners: Listeners) -> WrittenFiles:
    """Write an experiment with copies of all its files and its results to a new folder or ZIP archive.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = pack("samples/slide", out=f"{folder}/slide")
    ...     check_pack(f"{folder}/slide").same
    True
    """
    if request.experiment is None:
        raise LarsError(f"nothing to pack; expected {ACCEPTED}")
    if request.out is None:
        raise LarsError("missing -o FOLDER or -o FILE.zip, the new folder or archive to write")
    target = request.out
    _check_new(target)
    experiment = in_fitting_units(read_experiment(request.experiment))
    # Reports wrong entries with their places in the user's own file.
    cells_of(experiment)
    packed = pack_files(read_experiment(request.experiment))
    for command in packed.adapters:
        listeners.warn(
            f"the pack does not contain the programs that the command `{command}` needs; install these "
            "programs before you run the pack"
        )
    with temporary_folder() as work:
        folder = work / "packed"
        _copy(packed, folder)
        cells = _write(folder, packed, request, listeners)
        is_archive = target.suffix.lower() == _ZIP
        with replacement_path(target, folders=not is_archive) as new:
            if is_archive:
                _archive(folder, new)
            else:
                shutil.copytree(folder, new)
            # The cells may have run for hours.
            _check_new(target)
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    unpacked, place = (f"unpack {target}, then ", "FOLDER") if is_archive else ("", shlex.quote(str(target)))
    then = f"next: {unpacked}{' '.join(CHECK).replace(' . ', f' {place} ')}"
    sizes = f"{quantity(len(names), 'file')}, {quantity(cells, 'cell')}"
    return WrittenFiles(target, f"{target}: {sizes}\n{then}", tuple(names))


def _check_new(target: Path) -> None:
    if exists(target) or target.is_symlink():
        raise LarsError(
            f"{target}: cannot write the packed experiment: this name exists already; use a new name"
        )
    if not exists(target.parent, folder=True):
        raise LarsError(f"{target}: cannot write the packed experiment: {target.parent} is not a folder")


def _copy(packed: PackedFiles, folder: Path) -> None:
    for name, source in packed.copies.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(source, copy)
        except OSError as error:
            raise LarsError(f"{source}: cannot pack the file: {error.strerror}") from None
    folder.mkdir(exist_ok=True)
    (folder / EXPERIMENT_FILE).write_text(packed.toml, encoding="utf-8", newline="\n")


def _write(folder: Path, packed: PackedFiles, request: PackRequest, listeners: Listeners) -> int:
    """Run the copied experiment, write results and descriptions, and return the number of cells.

    The written files contain the results, the hashes of the files behind the results, a README and the
    metadata.
    """
    # Loads what only pages and descriptions need.
    from agreement.results.renderings.pages.page import date_made

    assert request.experiment is not None
    read, cells, results = _run(folder, listeners.progress, request.jobs)
    document = {
        "command": list(CHECK),
        "versions": dict(versions()),
        "cells": expected_results(cells, results),
    }
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (folder / EXPECTED).write_text(f"{text}\n", encoding="utf-8", newline="\n")
    hashed = (EXPERIMENT_FILE, EXPECTED, *packed.copies)
    sums = sums_text({name: folder / name for name in hashed})
    (folder / SUMS).write_text(sums, encoding="utf-8", newline="\n")
    title = read.title or request.experiment.resolve().stem
    summary = "\n\n".join(map(str, read.summary()))
    kinds = {name: packed.kinds[name] for name in packed.copies}
    date = f"{date_made():%Y-%m-%d}"
    description = PackDescription(title, date, request.license, kinds, summary, packed.adapters)
    (folder / README).write_text(description.readme(), encoding="utf-8", newline="\n")
    (folder / CRATE).write_text(description.crate(folder), encoding="utf-8", newline="\n")
    return len(cells)


def _run(
    folder: Path, progress: Progress = no_progress, jobs: int = 1
) -> tuple[CellResults, Sequence[Cell], Mapping[str, Json]]:
    """Run all cells of an experiment, and write nothing to the folder of the experiment.

    A cell is one combination of query, trace, engine and parameters.
    """
    read = in_fitting_units(read_experiment(folder))
    cells = cells_of(read)
    with temporary_folder() as out:
        results = execution.run(cells, out, jobs, progress, fresh=True)
    results = {key: _without_folder(result, folder) for key, result in results.items()}
    return CellResults(read.file.title, read.file.grid, cells, results), cells, results


def _without_folder(result: Json, folder: Path) -> Json:
    """Return a result whose error message, if it has one, names files relative to the experiment.

    Error messages must not contain the folder, because the experiment is packed in a temporary folder and
    later compared in another folder.
    """
    place, problem = str(folder if folder.is_dir() else folder.parent), result.get("refused")
    return (
        result if problem is None or place == "." else result | {"refused": problem.replace(f"{place}/", "")}
    )


def _archive(folder: Path, target: Path) -> None:
    """Write an archive whose bytes depend only on the files, and not on time, owner or umask."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, _MODE, 3
                archive.writestr(info, path.read_bytes())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PackCheck(Findings):
    """The result of `check_pack`: the changed files, and the results that differ from the packed results."""

    changed: tuple[tuple[str, str], ...]
    differences: tuple[ResultDifference, ...]
    cells: int
    versions: Mapping[str, tuple[str, str]]
    """The programs whose version has changed: the packed version and the current version."""
    verdict = "same"

    @property
    def same(self) -> bool:
        """Whether all files and results equal the packed files and results."""
        return not self.changed and not self.differences

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return {
            "same": self.same,
            "changed_files": [{"file": name, "problem": problem} for name, problem in self.changed],
            "differences": [
                pick(one, "cell", "at", "name", "expected", "actual") for one in self.differences
            ],
            "other_versions": {name: list(pair) for name, pair in self.versions.items()},
        }

    def parts(self) -> Iterable[RenderableType]:
        """Yield the changed files, and then the differences between the packed and the new results."""
        for name, problem in self.changed:
            yield f"{name} {problem} since the experiment was packed"
        for difference in self.differences[:_SHOWN]:
            yield str(difference)
        if len(self.differences) > _SHOWN:
            yield f"and {quantity(len(self.differences) - _SHOWN, 'more difference')} (--json prints all)"
        if not self.differences:
            yield f"the results of {quantity(self.cells, 'cell')} are equal to the packed results"
        for name, (packed, now) in self.versions.items() if self.differences else ():
            yield f"{name} has version {now}; the experiment was packed with {packed}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `differences`."""
        rows = ((one.cell, one.at, one.name, str(one.expected), str(one.actual)) for one in self.differences)
        return text_table("differences", ("cell", "at", "name", "expected", "actual"), rows)


@offered_functions(
    RunRequest, without=("check", "out", "fresh", "master", "fail_on_empty"), needs=("experiment",)
)
def check_pack(request: RunRequest, listeners: Listeners) -> PackCheck:
    """Run a packed experiment again, and compare its files and results with the packed files and results.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = pack("samples/slide", out=f"{folder}/slide")
    ...     check_pack(f"{folder}/slide").changed
    ()
    """
    folder = request.experiment
    if folder is None:
        raise LarsError("nothing to check; expected the folder of a packed experiment")
    changed = tuple(changed_files(folder))
    packed, results, units = _both(folder, changed, lambda: _rerun(folder, request.jobs, listeners))
    differences = tuple(result_differences(packed["cells"], results, units))
    own = dict(versions())
    others = {
        name: (text, own[name]) for name, text in packed["versions"].items() if own.get(name, text) != text
    }
    return PackCheck(changed, differences, len(results), others)


def _rerun(folder: Path, jobs: int, listeners: Listeners) -> tuple[list[Json], list[Duration]]:
    # A whole path is not in a message by chance, as a short name in an IRI of the data would be.
    _, cells, results = _run(folder.resolve(), listeners.progress, jobs)
    return expected_results(cells, results), [cell.unit for cell in cells]


def _both(
    folder: Path, changed: Sequence[tuple[str, str]], run: Callable[[], tuple[list[Json], list[Duration]]]
) -> tuple[Json, list[Json], list[Duration]]:
    """Return the packed results, the new results, and the length of a time point in each new result.

    If the run fails, the error message first lists the changed files.
    """
    try:
        return read_expected(folder), *run()
    except LarsError as error:
        listed = "".join(f"{name} {problem} since the experiment was packed\n" for name, problem in changed)
        raise LarsError(f"{listed}{error}") from None


@offered_functions(RunRequest)
def run_or_check(request: RunRequest, listeners: Listeners) -> RunResult | PackCheck:
    """Run `lars run`: run an experiment, or with --check run a packed experiment again and compare."""
    if request.check:
        return answering(check_pack).answer(request, listeners)
    return answering(run).answer(request, listeners)
