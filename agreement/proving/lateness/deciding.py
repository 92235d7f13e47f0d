"""Decide whether late data can change answers: by a theorem, or by a stream that shows the change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Literal

from agreement.documents.requests import SIDES, Side
from agreement.proving.lateness.candidates import late_streams, scenes
from agreement.proving.lateness.replay import LateWitness, Replay
from agreement.proving.lateness.theorems import (
    KINDS,
    SEEN_LATER,
    ChangeKind,
    LatenessQuestion,
    least_length,
    why_unchanged,
)
from lars.dataclass import dataclass
from lars.errors import TimeLimitError
from lars.language.windows import IntervalWindow
from solver.deadlines import NEVER, Deadline, until

Possibility = Literal["never", "possible", "open"]
"""Whether some stream has a change: never, possible (a stream shows it), or open (not decided)."""
_FIRST, _MOST = 32, 2_000
"""The number of streams that are evaluated together, at first and at most."""
_MOST_TRIED: Final = 20_000
"""The maximum number of late streams that are tried for the triples of one match."""
_LARGEST: Final = 200_000
"""The maximum number of evaluations, over all streams that are evaluated together."""
_MOST_PULLS: Final = 1_000_000
"""The maximum number of pulls in one tried stream; each pull takes about half a kilobyte."""


@dataclass(frozen=True, slots=True)
class LatenessDecision:
    """The decision whether late data can change the answers of push or pull in one way, and why.

    The change is lost, lost for good, or invented rows.

    - `least_wait` is the smallest wait of pull, in time points, with which late data never cause the change.
    - `least_length` is the smallest length, in time points, of the query's only window with which no row is
      lost for good.

    `least_wait` and `least_length` are None if they are not known.
    """

    verdict: Possibility
    why: str
    witness: LateWitness | None = None
    least_wait: int | None = None
    least_length: int | None = None


SHOWN: Final = "the stream shown"
Decisions = Mapping[Side, Mapping[ChangeKind, LatenessDecision]]


def decide_lateness(question: LatenessQuestion, deadline: Deadline = NEVER) -> Decisions:
    """Return, for push and for pull, the decision whether late data can cause each kind of change."""
    return {side: _decided(question, side, deadline) for side in SIDES}


def _found(
    question: LatenessQuestion, side: Side, kinds: Sequence[ChangeKind], deadline: Deadline
) -> tuple[dict[ChangeKind, LateWitness], str]:
    """Return a stream for each kind of change that the search found, and why it found no other kinds."""
    witnesses: dict[ChangeKind, LateWitness] = {}
    if question.agreement.volatile is not None:
        return witnesses, f"{question.agreement.volatile} has another value at another time"
    if side == "pull" and (pulls := Replay(question, ()).pulls) > _MOST_PULLS:
        why = f"each stream to try has {pulls} pulls, and at most {_MOST_PULLS} are tried"
        return witnesses, f"{why}; use a longer --period, or a coarser --unit"
    try:
        with until(deadline):
            for witness in _witnesses(question, side, deadline):
                kind = witness.kind
                if kind in kinds and kind not in witnesses and _is_confirmed(question, side, witness):
                    witnesses[kind] = witness
                if len(witnesses) == len(kinds):
                    break
    except TimeLimitError:
        pass
    if deadline.is_over:
        return witnesses, "no stream was found within the time limit; search longer with --time-limit"
    return witnesses, "no theorem applies, and none of the tried streams shows it"


def _is_confirmed(question: LatenessQuestion, side: Side, witness: LateWitness) -> bool:
    """Return whether late data still change the row of a witness if only its stream is evaluated."""
    (changes,) = Replay(question, witness.static, alone=True).changes((witness.stream,), side)
    return witness in changes


def _witnesses(question: LatenessQuestion, side: Side, deadline: Deadline) -> Iterator[LateWitness]:
    for static, match, further in scenes(question):
        replay = Replay(question, static)
        streams, size, tried = late_streams(replay, match, further, side), _FIRST, 0
        most = max(1, _LARGEST // (4 * max(replay.pulls, 1))) if side == "pull" else _MOST
        while batch := list(islice(streams, min(size, most))):
            for changes in replay.changes(batch, side):
                yield from changes
            tried += len(batch)
            if tried > _MOST_TRIED or deadline.is_over:
                break
            size = min(2 * size, _MOST)


def _decided(
    question: LatenessQuestion, side: Side, deadline: Deadline
) -> Mapping[ChangeKind, LatenessDecision]:
    proofs = why_unchanged(question, side)
    left = [kind for kind in KINDS if kind not in proofs]
    found, why = _found(question, side, left, deadline) if left else ({}, "")
    decisions: dict[ChangeKind, LatenessDecision] = {}
    for kind in KINDS:
        if kind in proofs:
            decisions[kind] = LatenessDecision("never", proofs[kind])
        elif kind in found:
            decisions[kind] = LatenessDecision("possible", SHOWN, found[kind])
        else:
            decisions[kind] = LatenessDecision("open", why)
    return _with_waits(question, decisions, deadline) if side == "pull" else decisions


def _with_waits(
    question: LatenessQuestion, decisions: Mapping[ChangeKind, LatenessDecision], deadline: Deadline
) -> Mapping[ChangeKind, LatenessDecision]:
    """Return the decisions of pull, each with the smallest wait with which no late data cause its change."""
    return {
        kind: replace(
            decision,
            least_wait=_least_wait(question, kind, deadline),
            least_length=least_length(question)
            if kind == "lost for good" and decision.why in (SHOWN, SEEN_LATER)
            else None,
        )
        for kind, decision in decisions.items()
    }


def _least_wait(question: LatenessQuestion, kind: ChangeKind, deadline: Deadline) -> int | None:
    """Return the smallest wait of pull, in time points, with which late data never cause a kind of change.

    The result is None if the smallest wait is not known.
    """
    ahead = max((w.reach[1] for w in question.windows("pull") if isinstance(w, IntervalWindow)), default=0)

    def proved(wait: int) -> bool:
        return kind in why_unchanged(replace(question, wait=wait), "pull")

    high = 1
    while not proved(high - 1):
        high *= 2
        if high > 4 * (question.delay + ahead + 1) + _LARGEST:
            return None
    low, high = 0, high - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if proved(middle) else (middle + 1, high)
    if low == 0:
        return 0
    found, _ = _found(replace(question, wait=low - 1), "pull", (kind,), deadline)
    return low if found else None
