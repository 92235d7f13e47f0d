"""The theorems of `lars decide --delay`: delays that change no answer on any stream, with proofs.

The delay of an element is at most D. W is the wait of pull, and U is the pull period. The module `replay`
defines the answers on time and as data came.

L1 (no delay). If D = 0 and no window contains time points after r, each evaluation sees the same elements on
time and as data came.

L2 (a sufficient wait). Let h be the greatest distance from a pull time r = kU forward to a time point in a
window of the query at r (negative if all windows end before r). If h + D ≤ W, pull sees all elements of its
windows: an element of a window has t ≤ r + h, so it arrives by r + h + D ≤ r + W. A tuple-based window counts
the elements up to r, so h = 0.

L3 (monotone pull). As data came, pull sees some of the elements that it sees on time, and its windows are the
same intervals. So pull with a monotone query reports no additional row as data came.

L4 (monotone push). Let each window be [r-l, r+u] or [0, r+u] with u >= 0, and take a row that push reports as
data came at r. The elements behind the row have arrived, so their event times are at most r. Let t be the
newest of these event times, or of the element that fired push if static data alone give the row. The same
elements are in the windows at t, and an element that fires push is dated t. So push evaluates at t on time
and reports the row, in the period of r or an earlier one.

L5 (nothing is lost for good by pull). Let the query be monotone, and take the elements behind a row that pull
reports on time at r. Element i is seen as data came by the pulls at which a window contains its event time
and at which it has arrived. The pulls that see an element are consecutive, because the ends of windows never
decrease. If one pull sees all elements behind the row, this pull reports the row. Sets of consecutive pulls
have a common element if each two of them have one. L5 holds if this is true for each r and for all event
times in windows at r (for each pair of elements, if the row needs two elements).

L6 (nothing is lost for good by push). Let the query be monotone with windows [0, r] only. After the last
arrival push reports all rows that it reported before.

L7 (no row). If no alternative (disjunct) of the query is satisfiable, neither push nor pull has a row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import lcm
from typing import Final, Literal, get_args

from agreement.documents import requests
from agreement.documents.requests import Side
from agreement.proving.decide import AgreementQuestion, agreement_theorem
from agreement.proving.decide.theorems import Theorem
from agreement.proving.witness.searching import most_arrivals
from lars.dataclass import dataclass
from lars.language.program import Program
from lars.language.terms import Signature
from lars.language.windows import UNBOUNDED, FixedWindow, IntervalWindow, TimeWindow, TupleWindow, Window
from solver.job import Question
from translate.model.query import MERGING, Trigger
from translate.model.windows import window_operator
from translate.tau import lars_program, output_of

NO_DELAY: Final = "L1: without a delay, each evaluation reads the same triples"
WAITED: Final = "L2: pull waits until all triples of its windows have arrived"
MONOTONE_PULL: Final = "L3: the query is monotone, and pull reads only triples that it also reads on time"
MONOTONE_PUSH: Final = "L4: the query is monotone, and on time, push reports the row at its newest triple"
SEEN_LATER: Final = "L5: the windows of this pull or of a later pull contain each match"
NEVER_LEAVING: Final = "L6: the query is monotone, and triples never leave its windows"
NO_ROW: Final = "L7: the query never has a row, because no disjunct can be satisfied"
ChangeKind = Literal["lost", "lost for good", "invented"]
"""The ways in which late data change the answers.

- `lost`: a row that is reported on time in a period is not reported in this period as data came.
- `lost for good`: the row is not reported in a later period either.
- `invented`: a row is reported as data came, and not on time in this or an earlier period.
"""
KINDS: Final[tuple[ChangeKind, ...]] = get_args(ChangeKind)
_MOST_PULLS: Final = 20_000
"""The maximum number of pulls and event times for which theorem L5 (nothing is lost for good) is checked."""


@dataclass
class LatenessQuestion:
    """The question whether data that are late by at most `delay` can change the answers of push or pull.

    `period` is the number of time points between two pulls. `wait` is the number of time points that pull
    waits for late data before each evaluation.
    """

    agreement: AgreementQuestion
    period: int
    delay: int
    wait: int

    @property
    def trigger(self) -> Trigger:
        """The input that makes push evaluate: any input, input in the query's streams, or matching input."""
        return self.agreement.setting.trigger

    @cached_property
    def programs(self) -> Mapping[Side, Program]:
        """The LARS programs of the pushed and the pulled query, without their triggers."""
        pair, setting = self.agreement.pair, self.agreement.setting
        return {"push": lars_program(pair.cqels, setting), "pull": lars_program(pair.csparql, setting)}

    @property
    def output(self) -> Signature:
        """The predicate of the LARS programs whose atoms are the rows of the query."""
        return output_of(self.agreement.pair.csparql, self.agreement.setting).predicate

    def windows(self, side: Side) -> Sequence[Window]:
        """Return all windows of the pushed or the pulled query."""
        return [window for group in self.sources(side) for window in group]

    def sources(self, side: Side) -> Sequence[Sequence[Window]]:
        """Return the windows of the pushed or pulled query in groups.

        Each triple pattern matches in the windows of one group. In a language that merges windows, such as
        C-SPARQL, all windows of one stream are in one group.
        """
        pair, setting = self.agreement.pair, self.agreement.setting
        query = pair.cqels if side == "push" else pair.csparql
        groups: dict[object, list[Window]] = {}
        for source in requests.sources(query):
            window = window_operator(source.window, source.stream, setting.unit, setting.bounds)
            groups.setdefault(source.stream if query.language in MERGING else source, []).append(window)
        return list(groups.values())

    def needed(self, side: Side) -> int | None:
        """Return a number of stream triples that is enough for any row; None if the query is not monotone."""
        return most_arrivals(Question(self.programs[side], self.output, None))

    @cached_property
    def looks_ahead(self) -> bool:
        """Whether a window of push or pull contains time points after its evaluation time."""
        every = (window for side in requests.SIDES for window in self.windows(side))
        return any(isinstance(window, IntervalWindow) and window.reach[1] > 0 for window in every)

    def has_no_row(self, side: Side) -> bool:
        """Return whether theorem L7 applies: no alternative of the query can match, so no row exists.

        If pull merges streams with the static data, the theorem must also hold for a triple that matches a
        pattern of another source.
        """
        merging = side == "pull" and self.agreement.pair.csparql.language in MERGING
        theorem = agreement_theorem(self.agreement, self.period, any_source=merging)
        return theorem is Theorem.NOTHING


def why_unchanged(question: LatenessQuestion, side: Side) -> Mapping[ChangeKind, str]:
    """Return the kinds of changes that late data never cause, each with the theorem that proves this."""
    if question.delay == 0 and not question.looks_ahead:
        return dict.fromkeys(KINDS, NO_DELAY)
    if question.has_no_row(side):
        return dict.fromkeys(KINDS, NO_ROW)
    if question.agreement.volatile is not None:
        return {}
    if side == "pull" and _sees_all(question):
        return dict.fromkeys(KINDS, WAITED)
    if question.needed(side) is None:
        return {}
    proofs: dict[ChangeKind, str] = {}
    shown = question.windows(side)
    if side == "pull":
        proofs["invented"] = MONOTONE_PULL
        if _is_seen_later(question):
            proofs["lost for good"] = SEEN_LATER
    elif all(isinstance(window, TimeWindow) and window.never_empty for window in shown):
        proofs["invented"] = MONOTONE_PUSH
        if all(window == UNBOUNDED for window in shown):
            proofs["lost for good"] = NEVER_LEAVING
    return proofs


def _sees_all(question: LatenessQuestion) -> bool:
    ahead = [_ahead(window, question.period) for window in question.windows("pull")]
    return all(h is not None and h + question.delay <= question.wait for h in ahead)


def _ahead(window: Window, period: int) -> int | None:
    """Return how far, in time points, a window at a pull reaches beyond the time of the pull.

    The result is negative if the window always ends before the pull, and None if no limit is known.
    """
    match window:
        case TimeWindow(step=step) if lcm(step, period) // period <= _MOST_PULLS:
            pulls = range(0, lcm(step, period), period)
            return max(window.pivot(r) - r for r in pulls) + window.offsets[1]
        case FixedWindow(causal=False):
            return None
        case TupleWindow():
            return 0
        case _:
            return window.reach[1]


def _is_seen_later(question: LatenessQuestion) -> bool:
    """Return whether theorem L5 proves that pull loses no row for good, because it sees each match later.

    The result is also false if a window is not time-based, or if too many times must be checked.
    """
    groups = [[w for w in group if isinstance(w, TimeWindow)] for group in question.sources("pull")]
    if sum(map(len, groups)) < len(question.windows("pull")):
        return False
    return _holds_later(question, groups)


def _holds_later(question: LatenessQuestion, groups: Sequence[Sequence[TimeWindow]]) -> bool:
    timed = [window for group in groups for window in group]
    step, late = lcm(question.period, *(w.step for w in timed)), question.delay - question.wait
    several = (question.needed("pull") or 0) > 1
    if len(timed) == 1 and not several and (timed[0].step, timed[0].offsets[1]) == (1, 0):
        first = timed[0].offsets[0]
        # The pulls from t + late to t - first are seen: each period - 1 consecutive times miss a pull.
        return late <= 0 or first is None or -first - late >= question.period - 1
    finite = [w for w in timed if w.past is not None]
    size = step // question.period * sum(-(w.offsets[0] or 0) + w.offsets[1] + 1 for w in finite)
    if size > _MOST_PULLS:
        return False
    reach = max(((w.past or 0) + w.step for w in timed), default=0)
    begin = -(-reach // step) * step
    for r in range(begin, begin + step, question.period):
        seen = [_pulls_of(question, group, late, r) for group in groups]
        if any(first > last for each in seen for first, last in each):
            return False
        latest = max((first for each in seen for first, _ in each), default=0)
        if several and any(last < latest for each in seen for _, last in each):
            return False
    return True


def least_length(question: LatenessQuestion) -> int | None:
    """Return the smallest window length, in time points, with which pull loses no row for good.

    The query must be monotone, with one pattern and one window. The window must end at the evaluation time,
    and must have no slide. For a query that violates these conditions, the function returns None. Let D be
    the delay, W the wait of pull, and U the pull period. With bounds [t-L, t] and D > W, the smallest length
    L is max(0, D - W) + U - 1.
    """
    shown = question.windows("pull")
    window = shown[0] if len(shown) == 1 else None
    if not isinstance(window, TimeWindow) or window.past is None or question.needed("pull") != 1:
        return None
    if window.step > 1 or window.future or question.agreement.volatile is not None:
        return None

    def holds(length: int) -> bool:
        return _holds_later(question, [[replace(window, past=length)]])

    low, high = 0, question.delay + 2 * question.period + 1
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _pulls_of(
    question: LatenessQuestion, group: Sequence[TimeWindow], late: int, r: int
) -> list[tuple[int, int]]:
    """Return, for each event time in the windows at time r, the pulls that see elements with this time.

    Each pair contains the numbers of the first and the last of the consecutive pulls that see an event time.
    `late` is the delay minus the wait of pull, in time points.
    """
    times = {t for window in group for t in _shown(window, r)}
    return [_joined(_pulls(question, window, t, late, r) for window in group) for t in times]


def _joined(pulls: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return the longest sequence of consecutive pulls in the union of the given sequences.

    Each sequence is a pair: the number of its first pull and the number of its last pull.
    """
    longest = current = (0, -1)
    for first, last in sorted(pulls):
        if first > last:
            continue
        current = (
            (current[0], max(current[1], last))
            if first <= current[1] + 1 and current[1] >= 0
            else (first, last)
        )
        longest = max(longest, current, key=lambda run: run[1] - run[0])
    return longest


def _shown(window: TimeWindow, r: int) -> Iterator[int]:
    """Yield the event times in a window at r; for a window with an unlimited past, only the newest time."""
    pivot, (first, last) = window.pivot(r), window.offsets
    yield from range(pivot + (last if first is None else first), pivot + last + 1)


_FOR_EVER: Final = 2**62


def _pulls(question: LatenessQuestion, window: IntervalWindow, t: int, late: int, r: int) -> tuple[int, int]:
    """Return the numbers of the first and last pull from time r on that see an element with event time t.

    Pull sees the element from time t + `late` on.
    """
    assert isinstance(window, TimeWindow)
    period, (first, last) = question.period, window.offsets
    # The pivot p shows t if p + first <= t <= p + last; r has the pivot p if p <= r < p + step.
    begin = -(-(t - last) // window.step) * window.step
    end = _FOR_EVER if first is None else (t - first) // window.step * window.step + window.step - 1
    return -(-max(begin, t + late, r) // period), end // period
