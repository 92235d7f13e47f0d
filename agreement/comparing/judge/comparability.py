"""Why a verdict is open: nothing is there to compare, or not every start time was tried."""

from collections.abc import Iterable
from typing import Final

from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.judge.judgement import Judgement
from agreement.comparing.judge.verdict import Verdict
from agreement.documents.dates import Dates
from agreement.documents.outputs import plain
from agreement.documents.requests import MatchBy

NARROW: Final = "--t0 names those to try, --bounds the ends; a coarser --unit has fewer"
"""What makes fewer start times."""


def nothing_to_compare(found: Judgement | VersionJudgement, dates: Dates) -> str | None:
    """Return why there is nothing to compare; None where there is."""
    if found.correct is not None or (isinstance(found, Judgement) and found.undecided):
        return None
    if isinstance(found, VersionJudgement) or found.match is MatchBy.SEQUENCE:
        return "nothing to compare: the answers have no report; accepted: answers with one at least"
    phase, milliseconds = found.best.phase, dates.unit.milliseconds
    after, until = (in_points(t, milliseconds, dates) for t in (phase.after, phase.until))
    name = found.specification.name
    if len(found.vacuous) < len(found.verdicts):
        return (
            f"nothing to compare for t0 = {starts_in_words(found.vacuous, dates)}: there {name} evaluates "
            f"nothing in ({after}, {until}], nor is anything reported; no other t0 fits; accepted: --t0 with "
            "the start times to try, or a longer trace"
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


def undecided_text(found: Judgement) -> str:
    """Return that none of the choices tried fits, and how to try fewer."""
    return (
        f"undecided: none of {found.tried_choices} choices of t0 and bounds fits, "
        f"of {found.choices} that there are; {NARROW}"
    )


def starts_in_words(verdicts: Iterable[Verdict], dates: Dates) -> str:
    """Return the start times of verdicts, runs of them as 3..7."""
    texts: list[str] = []
    run: list[int] = []
    for one in (one for one in verdicts if one.choice.starts):
        z = one.choice.starts
        if len(set(z)) > 1:
            texts.append(f"({', '.join(map(dates.text, z))})")
        elif run and z[0] == run[1] + 1:
            run[1] = z[0] if one.until is None else one.until
        else:
            texts += _run(run, dates)
            run = [z[0], z[0] if one.until is None else one.until]
    return ", ".join([*texts, *_run(run, dates)]) or "none needed"


def _run(run: list[int], dates: Dates) -> list[str]:
    if not run:
        return []
    first, last = map(dates.text, run)
    between = ", " if run[1] == run[0] + 1 else ".."
    return [first if run[0] == run[1] else f"{first}{between}{last}"]


def in_points(t: float, milliseconds: float, dates: Dates) -> str:
    """Return a time in ms as one in time points, of so many ms each, or as its dateTime."""
    return plain(t / milliseconds) if dates.zero is None else dates.text(t / milliseconds)
