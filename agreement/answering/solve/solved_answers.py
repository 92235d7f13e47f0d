"""Recognize recorded answers that are the answers of `lars solve`, and find settings that accept them.

`lars solve` and `lars agree` evaluate a query over windows that contain both ends, and return all rows at
each evaluation. A specification can report only new rows, or only when a window closes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final

from agreement.answering.solve.solving import AnswerRows, SolvingTask, answers
from agreement.comparing.judge import judging
from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.comparing.judge.settings import likeness_of, narrow_options
from agreement.comparing.matching.likeness import match_rows
from agreement.documents import requests
from agreement.documents.recordings import together
from agreement.documents.requests import Side
from agreement.engines.specifications import Specification, in_words
from lars.errors import FailedRunError, LarsError
from solver.facts import Row
from solver.settings import Runner, TraceInput, no_progress, unsaid
from translate.model.query import Setting

_OPTIONS: Final[Mapping[str, Any]] = {"bounds": "closed", "t0": "aligned"}
"""The options with which windows contain both ends, and close at multiples of their slide."""
_FIELDS: Final[Mapping[str, Any]] = {
    "stream": "RSTREAM",
    "empty": "reported",
    "tick": "instant",
    "slide": "query",
}
"""The fields with which a specification reports all rows, once per time point."""


def fitting_settings(
    query: Path, trace: TraceInput, of: Specification, recording: RecordingToJudge, zero: str | None
) -> Iterator[str]:
    """Yield a sentence if incorrect answers are those of `lars solve`, with settings that accept them.

    Args:
        query: The file of the query.
        trace: The trace on which the answers were recorded.
        of: The specification that judges the answers as incorrect.
        recording: The answers with the settings for judging.
        zero: The dateTime of time 0; None if times are integers.
    """
    if recording.options.match != "time" or recording.options.deadline.is_over:
        return
    if (mode := _mode_of(query, trace, recording, zero)) is not None:
        yield (
            f"the answers are exactly the answers of `lars solve` by {mode}: all rows at each evaluation, "
            f"over windows that contain both ends. {_accepting(of, recording)}"
        )


def _mode_of(query: Path, trace: TraceInput, recording: RecordingToJudge, zero: str | None) -> str | None:
    """Return the mode (push or pull) in which `lars solve` gives the recorded answers, or None."""
    asked = recording.task.query
    own: Side = "push" if requests.is_pushed(asked, requests.EvaluationOptions()) else "pull"
    modes: tuple[Side, ...] = (own, "push", "pull")
    for mode in dict.fromkeys(modes):
        evaluation = requests.EvaluationOptions(mode=mode)
        options = replace(trace.options, absolute=True)
        local = replace(trace, options=options, runner=Runner(in_process=True))
        setting = Setting("sparql11", recording.run.unit, origin=recording.run.origin)
        task = SolvingTask(query, local, evaluation, setting, (None, None))
        try:
            solved = answers(task, unsaid)
            assert isinstance(solved, AnswerRows)
            if solved.origin == zero and _equal(solved, recording):
                return mode
        except FailedRunError:
            raise
        except LarsError:
            continue  # such as pull without a period
    return None


def _equal(solved: AnswerRows, recording: RecordingToJudge) -> bool:
    """Return whether a recording has the rows of `lars solve`, at least one, at the same times only."""
    length, how = recording.run.unit.milliseconds, likeness_of(recording.options)
    expected = {t * length: rows for t, rows in solved.at if rows}
    actual: dict[float, list[Sequence[Row]]] = {}
    for report in recorded_for(recording.task, recording.recording).reports:
        if report.rows:
            actual.setdefault(report.t, []).append(report.rows)
    # Without a row, a silent engine would be praised.
    return (
        bool(expected)
        and expected.keys() == actual.keys()
        and all(match_rows(rows, together(actual[t]), how).equal for t, rows in expected.items())
    )


def _accepting(of: Specification, recording: RecordingToJudge) -> str:
    """Return a sentence with the fewest changed options and fields with which the answers are correct."""
    by_arrival = "content-change" in of.report
    fields = dict(_FIELDS) if by_arrival else {"stream": "RSTREAM", "report": frozenset({"window-close"})}
    if not by_arrival:
        fields["empty"] = "silent" if of.empty == "reported" else "reported"
    given = recording.options.bounds is not None
    options_tried = _OPTIONS if not by_arrival else {"bounds": "closed"} if given else {}
    changes = [("option", key, value) for key, value in options_tried.items()]
    changes += [("field", key, value) for key, value in fields.items() if getattr(of, key) != value]
    sizes = range(1, len(changes) + 1)
    for chosen in chain.from_iterable(combinations(changes, size) for size in sizes):
        options: dict[str, Any] = {key: value for kind, key, value in chosen if kind == "option"}
        other = of.model_copy(update={key: value for kind, key, value in chosen if kind == "field"})
        how = narrow_options(replace(recording.options, **options), recording.task)
        try:
            verdict = judging.bare_verdict(other, replace(recording, options=how), no_progress)
        except LarsError:
            continue
        if verdict.correct:
            flags = " and ".join(f"--{key} {value}" for key, value in options.items())
            return _use(other, flags, changed=other != of)
    return f"No tried setting of the specification {of.name} accepts these answers"


def _use(accepting: Specification, flags: str, *, changed: bool) -> str:
    """Return the sentence that names the options and the specification that accept answers."""
    if not changed:
        return f"To accept these answers, use {flags}"
    fields = accepting.model_dump(exclude_defaults=True, exclude={"description"}) | {
        "name": "solved",
        "stream": accepting.stream,
    }
    lines = "\n".join(f"{key} = {_toml(value)}" for key, value in fields.items())
    also = f" and {flags}" if flags else ""
    return f"To accept these answers, use --engine solved.toml{also}, with this file solved.toml:\n{lines}"


def _toml(value: object) -> str:
    match value:
        case frozenset() | tuple():
            return f"[{', '.join(sorted(map(_toml, value)))}]"
        case dict():
            return f"{{ {', '.join(f'{key!r} = {_toml(each)}' for key, each in value.items())} }}"
        case _:
            return f'"{in_words(value)}"'
