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


def nothing_to_compare(judgement: Judgement | VersionJudgement, dates: Dates) -> str | None:
    """Return why there is nothing to compare; None where there is."""
    if judgement.correct is not None or (isinstance(judgement, Judgement) and judgement.undecided):
        return None
    if isinstance(judgement, VersionJudgement) or judgement.match is MatchBy.SEQUENCE:
        return "nothing to compare: the answers have no report; accepted: answers with one at least"
    phase, milliseconds = judgement.best.phase, dates.unit.milliseconds
    after, until = (in_points(t, milliseconds, dates) for t in (phase.after, phase.until))
    name = judgement.specification.name
    if len(judgement.vacuous) < len(judgement.verdicts):
        return (
            f"nothing to compare for t0 = {starts_in_words(judgement.vacuous, dates)}: there {name} "
            f"evaluates nothing in ({after}, {until}], nor is anything reported; no other t0 fits; "
            "accepted: --t0 with the start times to try, or a longer trace"
        )
    if judgement.best.phase.after >= judgement.best.phase.until:
        return (
            f"nothing to compare: the windows of {name} can start as late as {after}, and {until} is the "
            "last time to compare; accepted: a longer trace, or --t0 with the start times to try"
        )
    return (
        f"nothing to compare: {name} evaluates nothing in ({after}, {until}], nor is anything reported; "
        "accepted: a trace, and answers to it, of the query's streams"
    )


def undecided_text(judgement: Judgement) -> str:
    """Return that none of the choices tried fits, and how to try fewer."""
    return (
        f"undecided: none of {judgement.tried_choices} choices of t0 and bounds fits, "
        f"of {judgement.choices} that there are; {NARROW}"
    )


def starts_in_words(verdicts: Iterable[Verdict], dates: Dates) -> str:
    """Return the start times of verdicts, runs of them as 3..7."""
    texts: list[str] = []
    run: list[int] = []
    for verdict in (one for one in verdicts if one.choice.starts):
        z = verdict.choice.starts
        if len(set(z)) > 1:
            texts.append(f"({', '.join(map(dates.text, z))})")
        elif run and z[0] == run[1] + 1:
            run[1] = z[0] if verdict.until is None else verdict.until
        else:
            texts += _run(run, dates)
            run = [z[0], z[0] if verdict.until is None else verdict.until]
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
