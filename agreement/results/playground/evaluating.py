"""Evaluate the edited texts of a playground; the answer is a page, or errors with places in the texts."""

import os
import re
import tempfile
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Final

from agreement.answering import explaining
from agreement.answering.explaining import ProgramSituation
from agreement.answering.solve.solving import SolvingTask
from agreement.comparing.agree import AgreementTask
from agreement.documents.outputs import Json
from agreement.documents.requests import EvaluationOptions, Side
from agreement.experiments.experiment import read_experiment
from agreement.results.agreements.agreeing import agree
from agreement.results.base.library import Findings, expected_errors
from agreement.results.playground.texts import PlayedTexts, names_inside
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.moving import moving
from agreement.results.renderings.pages.page import Page, html
from agreement.results.solutions import solve
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.settings import unsaid
from translate.model.query import Language

_PLACE: Final = re.compile(r"\A(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): (?P<said>[^\n]*)")
_LONGEST: Final = 2_000
_SECONDS: Final = 0.08
"""The number of seconds for evaluating steps before a first answer, which the user sees while typing."""


def evaluate(
    texts: PlayedTexts, period: str = "", side: Side = "pull", at: int | None = None, *, whole: bool = False
) -> Json:
    """Return, as JSON, the page and the verdict for edited texts, or the errors in the texts.

    Args:
        texts: The edited texts.
        period: The pull periods; "" means the pull periods of the experiment.
        side: The side (push or pull) whose steps the page contains.
        at: The time around which the page contains steps; None means the start.
        whole: Whether the page contains all steps.
    """
    folder = Path(tempfile.mkdtemp(prefix="lars-play-")).resolve()
    try:
        path = texts.write(folder)
        if texts.is_experiment:
            result, here, span, head = _of_experiment(texts, path, period, side)
        else:
            result, here, span, head = _of_program(texts, path)
        steps = _steps(here, span, path, at, whole=whole)
        page = text_page(head, result.document() if whole else {}, result.for_notebooks())
        dates = here.dates.within(here.stream.timeline).for_script()
        own: Json = {"dates": dates, "moving": steps, "played": True}
        # The files are where nobody finds them: messages and commands name them as the editor does.
        text = html(replace(page, template="solve", page=page.page | own)).replace(f"{folder}/", "")
    except Exception as error:  # noqa: BLE001 - the server stays, and the editor shows what is wrong
        problem = expected_errors(error) or LarsError(f"the run failed: {type(error).__name__}: {error}")
        return error_answer(*_placed(problem, folder, texts))
    finally:
        _clear(folder)
    return {"html": text, "verdict": head.verdict, "headline": head.answer, "errors": []}


def error_answer(
    message: str, file: str | None = None, line: int | None = None, column: int | None = None
) -> Json:
    """Return an answer with an error for the editor; line and column are numbered from 1."""
    error = {"message": message, "file": file, "line": line, "column": column}
    return {"html": "", "verdict": None, "headline": "", "errors": [error]}


def _clear(folder: Path) -> None:
    """Delete a folder by absolute paths, because the guard cannot check relative paths, which shutil uses."""
    for parent, folders, names in os.walk(folder, topdown=False):
        for name in names:
            Path(parent, name).unlink()
        for name in folders:
            Path(parent, name).rmdir()
    folder.rmdir()


_Evaluated = tuple[Findings, ProgramSituation, Interval, Page]


def _of_experiment(texts: PlayedTexts, path: Path, period: str, side: Side) -> _Evaluated:
    # An edited name could be that of any file of the computer.
    deque(names_inside(read_experiment(path)), maxlen=0)
    result = agree(path, **({"period": period} if period else {})).in_commands()
    here = _situation(result.compared, path, side)
    question = f"Do push and pull agree? Below: {side}, step by step."
    about = result.agree, result.headline, result.warnings
    return result, here, here.stream.timeline, Page(texts.name, question, *about, "The comparison")


def _of_program(texts: PlayedTexts, path: Path) -> _Evaluated:
    result = replace(solve(path, *(path.with_name(name) for name in texts.inputs)), keywords_of=())
    here, span = result.situation()
    question = "What holds at each time, and why?"
    head = Page(path.name, question, None, result.headline, result.warnings, "The answers")
    return result, here, span, head


def _steps(here: ProgramSituation, span: Interval, path: Path, at: int | None, *, whole: bool) -> Json | None:
    start = span.first if at is None else min(max(at, span.first), span.last)
    return moving(here, span, start, path, **({} if whole else {"seconds": _SECONDS}))


def _situation(task: AgreementTask, path: Path, side: Side) -> ProgramSituation:
    """Return the query of one side of a comparison (given or derived), together with the trace."""
    given, usual = (task.csparql, Language.CSPARQL) if side == "pull" else (task.cqels, Language.CQELS)
    engine = usual if given is None else given.language
    evaluation = EvaluationOptions(engine=engine, mode=side)
    one = replace(task, periods=task.periods[:1])
    solving = SolvingTask(path, task.trace, evaluation, task.setting, (None, None))
    return explaining.query_of_comparison(one, solving, unsaid)


def _placed(
    error: LarsError, folder: Path, texts: PlayedTexts
) -> tuple[str, str | None, int | None, int | None]:
    """Return the message of an error, and its file, line and column in the editor if known."""
    message = str(error).replace(f"{folder}/{texts.name}/", "").replace(f"{folder}/", "")
    match = _PLACE.match(message)
    if match and match["file"] in texts.texts:
        more = [line for line in message.split("\n")[1:] if line.startswith("with ")]
        sentence = "\n".join((match["said"], *more))[:_LONGEST]
        return sentence, match["file"], int(match["line"]), int(match["column"])
    file = next((name for name in texts.texts if message.startswith(f"{name}: ")), None)
    return message[:_LONGEST], file, None, None
