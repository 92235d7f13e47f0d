"""The options of `lars judge` as values; a wrong one is one message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from typer import Context

from agreement.arguments import moment, time_of, unit_of
from agreement.experiment_values import LARGEST, cut
from agreement.judging.judgement import Options
from agreement.judging.likeness import Likeness
from agreement.judging.verdict import EmptyReports
from agreement.recordings.reading import AnswersFormat, ReadingOptions
from lars.errors import LarsError
from lars.windows import Bounds
from solver.trace_times import instant_of
from translate.profiles import Semantics

_MOST = 10_000
_RANGE = re.compile(r"\s*([0-9]{1,15})\s*(?:\.\.\s*([0-9]{1,15})\s*)?")


@dataclass(frozen=True, slots=True)
class Wishes:
    """The texts and numbers of the options."""

    t0: str | None
    registered: int
    until: str | None
    bounds: Bounds | None
    semantics: Semantics | None
    tolerance: float
    empty: str
    early: float
    late: float | None = None


def options_of(wishes: Wishes) -> Options:
    """Return how a recording is judged."""
    if wishes.empty not in {choice.value for choice in EmptyReports}:
        raise LarsError(f"--empty {cut(wishes.empty)}: accepted: compared, ignored")
    for name, given in (("tolerance", wishes.tolerance), ("early", wishes.early), ("late", wishes.late or 0)):
        if not isfinite(given):
            raise LarsError(f"--{name} {given}: accepted: a finite number")
    if wishes.registered > LARGEST:
        raise LarsError(f"--registered {wishes.registered}: accepted: 0..{LARGEST}")
    return Options(
        starts=None if wishes.t0 is None else start_times(wishes.t0),
        until=None if wishes.until is None else time_of("--until")(wishes.until),
        registered=wishes.registered,
        bounds=None if wishes.bounds is None else (wishes.bounds,),
        rows=wishes.semantics,
        likeness=Likeness(wishes.semantics or Semantics.BAG, wishes.tolerance),
        empty=EmptyReports(wishes.empty),
        early=wishes.early,
        late=wishes.late,
    )


def start_times(text: str) -> tuple[int, ...]:
    """Return the time points that --t0 names.

    >>> start_times("0..3,7")
    (0, 1, 2, 3, 7)
    """
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last - first >= _MOST:
            raise LarsError(f"--t0 {cut(text)}: accepted: time points as 0, several as 0,5, a range as 0..9")
        found.update(dict.fromkeys(range(first, last + 1)))
    return tuple(found)


_OF_FILES: Final = frozenset(
    (
        *("gracious", "answers-format", "answers-unit", "time-variable", "static", "stream", "unit"),
        "static-at",
        *("trace-unit", "origin", "sort", "on-error", "rejected"),
    )
)
_OF_SPECIFICATIONS: Final = frozenset(
    ("t0", "registered", "until", "bounds", "early", "late", "gracious", "static-at")
)


def given_options(context: Context) -> list[str]:
    """Return the options that a command line names, without --."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    return [name.replace("_", "-") for name in given]


def check_options(given: Sequence[str], *, cases: bool, version: bool) -> None:
    """Raise for an option that would say nothing.

    A case says itself what was asked and streamed; an engine version leaves nothing open.
    """
    if cases and (refused := [name for name in given if name in _OF_FILES]):
        raise LarsError(
            f"{_written(refused)}: accepted with --answers FILE; a case has its query, stream and answers"
        )
    if version and (refused := [name for name in given if name in _OF_SPECIFICATIONS]):
        raise LarsError(
            f"{_written(refused)}: accepted with a specification; an engine version leaves nothing open"
        )


def _written(names: Sequence[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def reading_of(
    kind: str | None,
    unit: str | None,
    answers_unit: str | None,
    time_variable: str | None,
    origin: str | None,
) -> ReadingOptions:
    """Return how a file of answers is read."""
    if kind is not None and kind not in {choice.value for choice in AnswersFormat}:
        accepted = ", ".join(choice.value for choice in AnswersFormat)
        raise LarsError(f"--answers-format {cut(kind)}: accepted: {accepted}")
    return ReadingOptions(
        kind=None if kind is None else AnswersFormat(kind),
        unit=unit_of(unit),
        time_unit=None if answers_unit is None else unit_of(answers_unit),
        time_variable=time_variable,
        origin=None if (found := moment(origin)) is None else instant_of(found),
    )
