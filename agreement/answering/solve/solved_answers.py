"""Judge recorded answers by the answers of `lars solve`.

`lars solve` and `lars agree` evaluate a query over windows that contain both ends, and return all rows at
each evaluation. A specification can report only new rows, or only when a window closes.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Final

from agreement.answering.solve.solving import AnswerRows, SolvingTask, answers
from agreement.comparing.judge import Judgement, Verdict
from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.assignment import ReportAssignment, slots
from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.comparing.judge.judging import SOLVE
from agreement.comparing.judge.verdicts import Phase, verdict
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import requests
from agreement.documents.outputs import quantity
from agreement.documents.recordings import Report
from agreement.engines.specifications import OpenChoice, Specification
from lars.errors import FailedRunError, LarsError
from solver.settings import Runner, TraceInput, Warn, noting, unsaid
from solver.traces import read_time

_MOST_ROWS: Final = 50_000
"""The maximum number of recorded rows that are compared with the answers of `lars solve` unasked."""


def solved_judgement(
    query: Path,
    trace: TraceInput,
    evaluation: requests.EvaluationOptions,
    recording: RecordingToJudge,
    warn: Warn = unsaid,
) -> Judgement:
    """Return the judgement of recorded answers by the answers of `lars solve`.

    A report counts at its time: without --late, a delay of less than one time point is an error too. Answers
    without rows are ignored.

    Args:
        query: The file of the query.
        trace: The trace on which the answers were recorded.
        evaluation: The mode and the period of the evaluation.
        recording: The answers with the settings for judging.
        warn: The function that receives warnings about the evaluation.

    Raises:
        LarsError: `lars solve` cannot answer the query, such as pull without a period.
    """
    run, options = recording.run, recording.options
    setting = requests.InterpretationOptions().setting(run.unit, options.semantics)
    setting = replace(setting, origin=run.origin)
    local = replace(trace, runner=Runner(in_process=True))
    solved = answers(SolvingTask(query, local, evaluation, setting, (None, options.last)), warn)
    assert isinstance(solved, AnswerRows)
    length, begin = run.unit.milliseconds, 0
    if solved.origin is not None:
        begin = (read_time(solved.origin).value - read_time(run.origin).value) // run.unit.nanoseconds
    times = [((t + begin) * length, rows) for t, rows in solved.at]
    due = [ReportMatch(at, (Report(at, tuple(rows)),) if rows else ()) for at, rows in times]
    strict = replace(options, late=options.late or 0, empty="ignored")
    reports = recorded_for(recording.task, recording.recording).reports
    places = slots(due, reports, ReportAssignment(strict))
    # By push, nothing is evaluated after the trace; by pull, rows after the trace are unknown.
    ends = not requests.is_pushed(recording.task.query, evaluation) or options.last is not None
    until = (run.last if options.last is None else options.last) * length if ends else inf
    specification = Specification.model_validate({"name": SOLVE, "report": [], "bounds": "closed"})
    choice = OpenChoice((), "closed")
    return Judgement(specification, (verdict(choice, Phase(-inf, until, inf), places, strict),), 0, 0)


def nearer_to_solve(
    query: Path, trace: TraceInput, recording: RecordingToJudge, judgement: Judgement
) -> Iterator[str]:
    """Yield a sentence if incorrect answers are nearer to the answers of `lars solve`.

    Answers are nearer if fewer rows are wrong. The function tries the usual mode of the query and push. Very
    many rows are not compared, because `lars solve` would take as long as all else.
    """
    if judgement.match != "time" or recording.options.deadline.is_over:
        return
    if sum(len(report.rows) for report in recording.recording.reports) > _MOST_ROWS:
        return
    own = requests.EvaluationOptions()
    usual: requests.Side = "push" if requests.is_pushed(recording.task.query, own) else "pull"
    modes: dict[requests.Side, requests.EvaluationOptions] = {usual: own}
    modes.setdefault("push", requests.EvaluationOptions(mode="push"))
    found = list[tuple[int, requests.Side]]()
    for mode, evaluation in modes.items():
        try:
            # A note about time 0 would be about times that no result contains.
            with noting(unsaid):
                solved = solved_judgement(query, trace, evaluation, recording).best
        except FailedRunError:
            raise
        except LarsError:
            continue  # such as pull without a period
        # Without a row, a silent engine would be praised.
        if any(window.rows.common for window in solved.windows):
            found.append((_wrong_rows(solved), mode))
    wrong = _wrong_rows(judgement.best)
    fewest, side = min(found, key=itemgetter(0), default=(wrong, usual))
    if fewest < wrong:
        fit = f"exactly the answers of `lars solve` by {side}"
        if fewest:
            other = f"{wrong} by {judgement.specification.name}"
            fit = f"nearer to the answers of `lars solve` by {side}: {quantity(fewest, 'wrong row')}, {other}"
        more = "" if side == usual else f"--mode {side} and "
        yield (
            f"the answers are {fit}. `lars solve` answers with all rows at each evaluation. To judge by its "
            f"answers, use {more}--engine {SOLVE}"
        )


def _wrong_rows(verdict: Verdict) -> int:
    return sum(len(window.rows.missing) + len(window.rows.extra) for window in verdict.windows)
