"""Verdicts as text: one sentence, a table of windows or cases, and what explains the rest."""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import RenderableType

from agreement.judge.by_engine import VersionJudgement
from agreement.judge.diagnosis import Diagnosis, FaultExplanation
from agreement.judge.gracious import Shift
from agreement.judge.judgement import Judgement
from agreement.judge.verdict import JudgedWindow, Verdict
from agreement.matching.likeness import Matched
from agreement.outputs import counted, plain, some, table, told_apart
from agreement.requests import MatchBy

NARROW: Final = "--t0 names those to try, --bounds the ends; a coarser --unit has fewer"
_SHOWN: Final = 40
"""Of more windows than these only the wrong ones are shown."""
_ROWS: Final = 3
_TIMES: Final = 5


def by_specification(
    found: Judgement, milliseconds: float, diagnosis: Diagnosis | None
) -> Iterator[RenderableType]:
    """Yield what a reader wants to know of a specification's verdict."""
    best = found.best
    yield _headline(found, milliseconds)
    if found.correct:
        yield from _delays(best)
        yield from _others(found, milliseconds)
    yield _table(best, milliseconds, diagnosis.shifts if diagnosis else {})
    for title, windows in (
        ("the transient, until all windows have started", best.transient),
        ("after the end of the trace or of --until", best.later),
    ):
        odd = [window for window in windows if window.problem is not None]
        if odd:
            times = [f"{_points(one.last, milliseconds)} ({one.problem})" for one in odd]
            yield f"{title}, not compared: {some(times, _TIMES)}"
    yield from _diagnosis(diagnosis)


def nothing_to_compare(found: Judgement | VersionJudgement, milliseconds: float) -> str | None:
    """Return why there is nothing to compare; None where there is."""
    if found.correct is not None or (isinstance(found, Judgement) and found.undecided):
        return None
    if isinstance(found, VersionJudgement) or found.match is MatchBy.SEQUENCE:
        return "nothing to compare: the answers have no report; accepted: answers with one at least"
    after, until = (_points(t, milliseconds) for t in (found.best.phase.after, found.best.phase.until))
    name = found.specification.name
    if len(found.vacuous) < len(found.verdicts):
        return (
            f"nothing to compare for t0 = {_starts(found.vacuous)}: there {name} evaluates nothing in "
            f"({after}, {until}], nor is anything reported; no other t0 fits; accepted: --t0 with the start "
            "times to try, or a longer trace"
        )
    if found.best.phase.after >= found.best.phase.until:
        return (
            f"nothing to compare: the windows of {name} can start as late as {after}, and {until} is the "
            "last time to compare; accepted: a longer trace, or --t0 with the start times to try"
        )
    return (
        f"nothing to compare: {name} evaluates nothing in ({after}, {until}], nor is anything reported; "
        "accepted: a trace, and answers to it, of the query's streams"
    )


def undecided(found: Judgement) -> str:
    """Return that none of the choices tried fits, and how to try fewer."""
    return (
        f"undecided: none of {found.tried} choices of t0 and bounds fits, of {found.choices} that there are; "
        f"{NARROW}"
    )


def by_other_match(other: Judgement | VersionJudgement | None) -> Iterator[str]:
    """Yield that answers which are not correct are so by the other match."""
    if other is not None and other.correct:
        how = "whatever their times" if other.match is MatchBy.SEQUENCE else "at their times"
        yield f"correct as reports {how}: --match {other.match.value}"


def _headline(found: Judgement, milliseconds: float) -> str:
    best, name = found.best, found.specification.name
    ends = f"bounds {best.choice.bounds.value}"
    by = f"{name} as a sequence" if found.match is MatchBy.SEQUENCE else name
    if found.correct is None:
        return undecided(found)
    if found.correct:
        tried = "" if found.tried == found.choices else f", of {found.tried} choices tried of {found.choices}"
        return f"correct by {by} for t0 = {_starts(_like(best, found.matching, milliseconds))}, {ends}{tried}"
    fit = f"best t0 = {_starts([best])}, {ends}: {best.wrong} of {len(best.windows)} windows are wrong"
    return (
        f"incorrect by {by}: none of {found.tried} choices of t0 and bounds fits; {fit}, "
        f"score {best.score:.3f}"
    )


def _like(one: Verdict, verdicts: Iterable[Verdict], milliseconds: float) -> list[Verdict]:
    """Return the verdicts of the same bounds and the same lateness, by their start times."""
    alike = (other for other in verdicts if _kind(other, milliseconds) == _kind(one, milliseconds))
    return sorted(alike, key=lambda other: other.choice.starts)


def _kind(one: Verdict, milliseconds: float) -> tuple[object, bool]:
    """Return the bounds of a verdict, and whether some report is late by a time point or more."""
    return one.choice.bounds, bool(one.late and one.late[1] >= milliseconds)


def _others(found: Judgement, milliseconds: float) -> Iterator[str]:
    told = {_kind(found.best, milliseconds)}
    for one in found.matching:
        if (kind := _kind(one, milliseconds)) not in told:
            told.add(kind)
            alike = _like(one, found.matching, milliseconds)
            late = max((other.late[1] for other in alike if other.late), default=0)
            lateness = f", reports up to {plain(late)} ms late" if late else ""
            yield f"also for t0 = {_starts(alike)}, bounds {one.choice.bounds.value}{lateness}"


def _starts(verdicts: Iterable[Verdict]) -> str:
    texts: list[str] = []
    run: list[int] = []
    for one in (one for one in verdicts if one.choice.starts):
        z = one.choice.starts
        if len(set(z)) > 1:
            texts.append(f"({', '.join(map(str, z))})")
        elif run and z[0] == run[1] + 1:
            run[1] = z[0] if one.until is None else one.until
        else:
            texts += _run(run)
            run = [z[0], z[0] if one.until is None else one.until]
    return ", ".join([*texts, *_run(run)]) or "none needed"


def _run(run: list[int]) -> list[str]:
    if not run:
        return []
    first, last = run
    return (
        [str(first)] if first == last else [f"{first}, {last}"] if last == first + 1 else [f"{first}..{last}"]
    )


def _delays(verdict: Verdict) -> Iterator[str]:
    delays = sorted(window.delay for window in verdict.windows if window.delay is not None)
    if delays and delays[-1] > 0:
        if delays[0] == delays[-1]:
            yield f"every report is {plain(delays[0])} ms late"
        else:
            mean = sum(delays) / len(delays)
            yield f"reports are {plain(delays[0])} to {plain(delays[-1])} ms late, {mean:.1f} on average"


def _table(verdict: Verdict, milliseconds: float, shifts: dict[float, Shift]) -> RenderableType:
    windows = verdict.windows
    wrong = [window for window in windows if window.problem is not None]
    shown = windows if len(windows) <= _SHOWN else wrong
    title = "windows" if len(shown) == len(windows) else f"wrong windows ({len(wrong)} of {len(windows)})"
    numbers = ("from", "to", "expected", "actual", "precision", "recall", "delay ms", "triples")
    found = table(f"{title}, t0 = {_starts([verdict])}", *numbers, "problem", right=numbers)
    for window in shown:
        found.add_row(*_cells(window, milliseconds), _problem(window, shifts.get(window.last)))
    return found


def _cells(window: JudgedWindow, milliseconds: float) -> Iterator[str]:
    yield "-" if window.first is None else _points(window.first, milliseconds)
    yield _points(window.last, milliseconds)
    yield str(window.rows.expected)
    yield str(window.rows.actual)
    yield f"{window.rows.precision:.3f}"
    yield f"{window.rows.recall:.3f}"
    yield "-" if window.delay is None else f"{plain(window.delay)}"
    yield "-" if window.triples is None else str(window.triples)


def _points(t: float, milliseconds: float) -> str:
    return f"{plain(t / milliseconds)}"


def _problem(window: JudgedWindow, shift: Shift | None) -> str:
    if window.problem is None:
        return ""
    parts = [window.problem, *_odd_rows(window.rows)]
    return "\n".join(parts if shift is None else [*parts, shift_in_words(shift)])


def shift_in_words(shift: Shift) -> str:
    """Return borders that fit better, in words."""
    moved = [
        f"its {name} {counted(abs(by), 'triple')} {'later' if by > 0 else 'earlier'}"
        for name, by in (("start", shift.start), ("end", shift.end))
        if by
    ]
    fits = "all rows" if shift.rows.equal else f"{shift.rows.common} rows"
    return f"{fits} fit with {' and '.join(moved) or 'these borders'}"


def _odd_rows(found: Matched) -> Iterator[str]:
    missing, extra = told_apart(found.missing, found.extra)
    for title, rows in (("missing", missing), ("extra", extra)):
        if rows:
            yield f"{title} {some(rows, _ROWS, ' ')}"


def _diagnosis(diagnosis: Diagnosis | None) -> Iterator[str]:
    if diagnosis is None:
        return
    if not diagnosis.explanations:
        yield "no known fault explains it better than the specification does"
        return
    best, *others = diagnosis.explanations
    yield f"best explanation: {_explained(best)}; {_explained(diagnosis.own)}"
    for other in others[:_ROWS]:
        yield f"  or {_explained(other)}"


def _explained(one: FaultExplanation) -> str:
    if one.complete:
        return f"{one.says} predicts every report, and nothing else"
    return f"{one.says} predicts {_share(one.predicted)} of the recorded rows, score {one.score:.3f}"


def _share(share: float) -> str:
    return "all" if share == 1 else f"{share:.0%}"


def by_version(found: VersionJudgement) -> Iterator[RenderableType]:
    """Yield what a reader wants to know of an engine version's verdict."""
    place = found.by.value
    if found.correct:
        yield f"correct by {found.engine}: {counted(len(found.steps), place)} with reports, all as predicted"
        return
    yield (
        f"incorrect by {found.engine}: {len(found.wrong)} of {counted(len(found.steps), place)} with reports "
        f"differ, score {found.rows.score:.3f}"
    )
    numbers = (place, "predicted", "recorded")
    shown = table(None, *numbers, "problem", right=numbers)
    for step in found.wrong[:_SHOWN]:
        rows = _odd_rows(step.rows)
        sizes = (str(sum(len(one.rows) for one in reports)) for reports in (step.predicted, step.recorded))
        shown.add_row(str(step.place), *sizes, "\n".join([step.problem or "", *rows]))
    yield shown
