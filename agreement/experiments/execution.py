"""Run the cells of an experiment; each finished cell is saved, so that a run can be continued."""

import hashlib
import json
import multiprocessing
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from agreement.comparing.agree import AgreementTask, VariantReport
from agreement.comparing.agree import run as agreement_of
from agreement.documents.outputs import Json
from agreement.experiments import Cell, JudgingWork, Work
from lars.errors import FailedRunError, LarsError
from lars.files import rewrite
from solver import memory
from solver.facts import Row
from solver.settings import Progress, no_progress, noting, told_origin, unsaid

FOLDER: Final = "cells"
"""The name of the folder for finished cells inside the results folder."""


def run(
    cells: Sequence[Cell],
    out: Path,
    where: int | str = 1,
    progress: Progress = no_progress,
    *,
    fresh: bool = False,
) -> dict[str, Json]:
    """Run unfinished cells, or all cells if `fresh`; return the results by the keys of cells.

    The argument `where` is the number of processes, or the Spark master that runs the cells as tasks.
    """
    folder = out / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LarsError(f"{folder}: cannot create the folder: {error.strerror}; use --out FOLDER") from None
    results = {} if fresh else dict(_finished(cells, folder))
    missing = {cell.key: cell.work for cell in cells if cell.key not in results}
    total = len(results) + len(missing)
    progress(len(results), total)
    note = told_origin(unsaid)
    for key, (result, notes) in _results(missing, where):
        for text in notes:
            note(text)
        results[key] = result
        rewrite(folder / f"{key}.json", json.dumps(result, ensure_ascii=False))
        progress(len(results), total)
    return results


def _finished(cells: Iterable[Cell], folder: Path) -> Iterator[tuple[str, Json]]:
    for key in dict.fromkeys(cell.key for cell in cells):
        try:
            result = json.loads((folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            # A missing or incomplete file means an unfinished cell.
            continue
        # A refusal may have been repaired: an adapter's program is not part of the key.
        if isinstance(result, dict) and "refused" not in result:
            yield key, result


_Noted = tuple[Json, list[str]]
"""The result of a cell, and notes, which are no part of the result."""


def _results(missing: dict[str, Work], where: int | str) -> Iterator[tuple[str, _Noted]]:
    if isinstance(where, str):
        return _on_spark(missing, where)
    if min(where, len(missing)) <= 1:
        return ((key, _noted_result(work)) for key, work in missing.items())
    return _in_processes(missing, where)


def _in_processes(missing: dict[str, Work], jobs: int) -> Iterator[tuple[str, _Noted]]:
    # A fresh process each: one that is forked could inherit what another thread had locked.
    context = multiprocessing.get_context("spawn")
    at_once = min(jobs, len(missing))
    limits = (sys.getrecursionlimit(), memory.limit() // at_once)
    pool = ProcessPoolExecutor(at_once, context, initializer=_begin, initargs=limits)
    try:
        futures = {pool.submit(_noted_result, work): key for key, work in missing.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool:
        raise FailedRunError(
            "a process of --jobs ended before its cell was finished; use fewer --jobs"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(recursion: int, most: int) -> None:
    """In a child process, set the memory limit of the parent process, and ignore Ctrl-C.

    The parent process handles Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setrecursionlimit(recursion)
    memory.watch_task(most)


def _on_spark(missing: dict[str, Work], master: str) -> Iterator[tuple[str, _Noted]]:
    """Run cells as Spark tasks in batches of Spark's parallelism; the files must exist on the workers."""
    from solver.spark.session import spark_context

    if not missing:
        return
    context = spark_context(master)
    keys = list(missing)
    size = max(1, context.defaultParallelism)
    for first in range(0, len(keys), size):
        batch = keys[first : first + size]
        tasks = context.parallelize([missing[key] for key in batch], len(batch))
        yield from zip(batch, tasks.map(_noted_result).collect(), strict=True)


def _noted_result(work: Work) -> _Noted:
    notes: list[str] = []
    # A note is sent to the process of the user, wherever the cell runs.
    with noting(notes.append):
        return result_of(work), notes


def result_of(work: Work) -> Json:
    """Return the result of a cell of an experiment.

    If the engine rejects the query, the result has the key `refused`.
    """
    try:
        match work:
            case AgreementTask():
                return _comparison(work)
            case JudgingWork():
                # Loads the engines, which no comparison needs.
                from agreement.experiments.judging import judged_cell

                return judged_cell(work)
    except FailedRunError:
        raise
    except LarsError as error:
        return {"refused": str(error)}


def _comparison(work: AgreementTask) -> Json:
    """Return the verdict of each variant, period and interval of a comparison, with the warnings."""
    warnings: list[str] = []
    report = agreement_of(work, warnings.append)
    rows = [row for variant in report.variants for row in _rows(variant)]
    agree = [verdict.agree for variant in report.variants for verdict in variant.verdicts]
    origin = report.variants[0].trace.origin
    sentences = [*warnings, *report.warnings]
    correct = False if False in agree else True if True in agree else None
    compared = [
        (str(variant.pair), verdict.period) for variant in report.variants for verdict in variant.verdicts
    ]
    texts = {"warnings": sentences, "compared": compared}
    return {"correct": correct, "origin": origin, **texts, "intervals": rows}


def _digest(*sides: frozenset[Row]) -> str:
    """Return a hash of the rows of a period, without the labels of blank nodes."""
    sha = hashlib.sha256()
    for rows in sides:
        texts = sorted(repr([term and (term, "_:")[term.startswith("_:")] for term in row]) for row in rows)
        sha.update(f"{texts}\n".encode())
    return sha.hexdigest()[:16]


def _rows(variant: VariantReport) -> Iterator[Json]:
    for verdict in variant.verdicts:
        for interval in verdict:
            causes = Counter(difference.cause for difference in variant.differences(interval))
            yield {
                "variant": str(variant.pair),
                "period": verdict.period,
                "from": interval.start,
                "to": interval.end,
                "agree": interval.agree,
                "rows": _digest(interval.push, interval.pull),
                **dict(zip(("push", "pull"), interval.sizes, strict=True)),
                "push_only": 0 if interval.agree else interval.count("push"),
                "pull_only": 0 if interval.agree else interval.count("pull"),
                "causes": dict(sorted(causes.items())),
            }
