"""Judge the answers of running systems: wrong periods of a system, and rules that explain these periods.

A push system evaluates at arrivals, and a pull system at the multiples of the pull period. An answer of a
push system belongs to the period of the newest element before the answer. An answer of a pull system belongs
to the period that ends at the last multiple of the pull period before the answer. A rule is a change of the
semantics, such as other window bounds. It explains a wrong period if the changed semantics has exactly the
rows of the system.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any, Final, get_args

import numpy as np

from agreement.comparing.agree import Pair
from agreement.comparing.agree.periods import PeriodRows, in_periods
from agreement.comparing.agree.sides import program_on, remark_on, row_predicate
from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows, named_rows
from agreement.comparing.watch.logs import LateAnswer, LogState
from agreement.documents.requests import SIDES, Side
from agreement.documents.traces import LocalTrace, with_dates
from lars.dataclass import dataclass
from lars.language.terms import Signature
from lars.language.windows import Bounds, Interval
from solver.columns import Array, InputAtoms, TraceColumns
from solver.facts import Background, Multiples, Row
from solver.job import Question, ask
from solver.job.slices import used_background
from solver.relational import EncodedSituation, situation_of
from solver.settings import Runner
from translate.model.query import Setting, Trigger
from translate.tau import lars_program, output_of, push

Changes = Mapping[str, Any]
"""The parts of the semantics that a rule changes, by name, with their new values."""
Rules = Sequence[tuple[str, Changes]]
_MOST_STARTS: Final = 8
"""The maximum number of start times of windows that are tried."""
LATE: Final = "late_"
"""The prefix of predicates whose atoms arrived too late to count."""
BEHIND: Final = "behind_"
"""The prefix of predicates with copies of the atoms that arrived late but count."""


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The verdict on the answers of one running system in one period.

    - `side` is push or pull.
    - `start` and `end` are the period (start, end].
    - `rows` is the number of rows that the system reports.
    - `match` contains the rows that are missing or extra in the log, compared with the semantics.
    - `only` contains the rows that the log of the other system lacks.
    - `rules` are the rules that explain a wrong period; empty if no known rule explains the period.
    - `since` is the start of the first of the wrong periods that the same rules explain.
    - `cut` is the reason why the log may lack answers of the period; empty if the log begins before the
      period and ends after the period. If a reason exists, only the rules of earlier periods are tried.
    - `unlogged` is true if the log begins after the period.
    """

    side: Side
    start: int
    end: int
    rows: int
    match: RowMatch
    only: tuple[Row, ...] = ()
    since: int | None = None
    rules: tuple[str, ...] = ()
    cut: str = ""
    unlogged: bool = False

    @property
    def right(self) -> bool | None:
        """Whether the log has exactly the rows of the semantics; None if the log begins after the period."""
        return None if self.unlogged and not self.match.equal else self.match.equal


@dataclass(frozen=True, slots=True)
class PeriodSemantics:
    """The rows of push and pull by period, by the semantics, or by the semantics with a changed rule.

    The rows are computed from the elements of the stream that are still stored. If `new` is true, push
    reports only the rows that it did not report at its previous evaluation; otherwise, push reports all rows.
    If an answer of push comes at most `wait` time points after the period of its evaluation, the answer
    belongs to this period.
    """

    pair: Pair
    setting: Setting
    pulled: Background
    pushed: Background
    pending: TraceColumns
    complete: int
    origin: str | None
    period: int
    new: bool
    wait: int

    def times(self, side: Side, first: int) -> Array:
        """Return the times, from `first` on, at which push or pull evaluates and the stream is complete."""
        question, _, here = self._asked(side, {})
        return here.times(question.gate, Interval(max(first, 0), self.complete))

    def _later(self, changes: Changes) -> int:
        """Return the number of time points by which elements are moved to simulate the start time t0."""
        return self.period - changes["t0"] if "t0" in changes else 0

    def _asked(self, side: Side, changes: Changes) -> tuple[Question, LocalTrace, EncodedSituation]:
        """Return the query of push or pull and its input, after some changes of the semantics."""
        later = self._later(changes)
        columns = _moved(self._elements(changes.get("late")), later)
        known = self.pulled if side == "pull" else self.pushed
        runner = Runner(in_process=True, certify="none")
        timeline = Interval(0, self.complete + later)
        trace = LocalTrace(columns, timeline, known, runner, origin=self.origin)
        setting = replace(self.setting, **{n: changes[n] for n in ("bounds", "trigger") if n in changes})
        setting = with_dates(setting, trace)
        query, on = self.pair.csparql if side == "pull" else self.pair.cqels, self.pair.on
        program, output = lars_program(query, setting), output_of(query, setting).predicate
        if on is not None and remark_on(self.pair.csparql, self.pair.cqels, on) is not None:
            program, output = program_on(query, setting, on), row_predicate(on)
        question = (
            Question(program, output, Multiples((self.period,)))
            if changes.get("by", side) == "pull"
            else ask(push(program, setting.trigger), output)
        )
        return question, trace, situation_of(columns, timeline, used_background(known, [question]))

    def rows(self, side: Side, where: tuple[int, int], evaluated: Array, changes: Changes) -> PeriodRows:
        """Return the rows of push or pull by period, after some changes of the semantics.

        Args:
            side: Push or pull.
            where: The start of the first period, and the number of periods.
            evaluated: The times at which the side evaluates by the unchanged semantics.
            changes: The changes of the semantics.
        """
        (start, count), by = where, changes.get("by", side)
        later = self._later(changes)
        question, trace, here = self._asked(side, changes)
        end = start + count * self.period
        last = end + self.period - 1
        if side == "push":
            after = evaluated[evaluated > end]
            last = min(int(after[0]) - 1 if len(after) else self.complete, end + self.wait)
        last = min(last, self.complete) + later
        first = start + later
        if by == "push":
            before = here.times(question.gate, Interval(0, last))
            ended = self.ends(side, before - later, evaluated)
            before = before[ended <= start]
            # Whether a row is new depends on the evaluation before.
            first = int(before[-1]) if len(before) else 0
        (answers,) = trace.answers([question], Interval(first, last))
        runs = answers.runs
        if changes.get("new", self.new and side == "push"):
            # A run is a longest interval of evaluations, so its row is new at the first of them only.
            runs = replace(runs, last=runs.first)
        ends = self.ends(side, answers.times - later, evaluated)
        numbers = np.where(ends > start, (ends - start) // self.period - 1, -1)
        return PeriodRows(in_periods(runs, numbers, count), answers.terms, count)

    def ends(self, side: Side, points: Array, evaluated: Array) -> Array:
        """Return the ends of the periods to which answers at these time points belong."""
        return period_ends(side, points, evaluated, self.period, self.wait)

    def before(self, end: int, evaluated: Array) -> Iterator[int]:
        """Yield, for each tried rule, the time of push's last evaluation before the end of a period.

        Whether a row is new in a later period depends on push's last evaluation before this period.
        """
        changed = [*({"trigger": each} for each in get_args(Trigger)), {"late": "used"}, {"late": "dropped"}]
        for changes in changed:
            question, _, here = self._asked("push", changes)
            times = here.times(question.gate, Interval(0, self.complete))
            own = times[self.ends("push", times, evaluated) <= end]
            yield from own[-1:].tolist()

    def _elements(self, late: str | None) -> TraceColumns:
        """Return the elements of the stream; `late` means that all late elements are `used` or `dropped`."""
        atoms = {name: some for name, some in self.pending.atoms.items() if is_own(name)}
        if late == "used":
            for (name, arity), some in self.pending.atoms.items():
                if name.startswith(LATE):
                    own = name.removeprefix(LATE), arity
                    atoms[own] = _united(atoms[own], some) if own in atoms else some
        elif late == "dropped":
            atoms = {
                name: _without(some, self.pending.atoms.get((f"{BEHIND}{name[0]}", name[1])))
                for name, some in atoms.items()
            }
        return replace(self.pending, atoms=atoms)

    def rules(self, side: Side, starts: Sequence[int]) -> tuple[Rules, Rules]:
        """Return single rules and pairs of rules to try, each with its changes of the semantics.

        `starts` are the start times of windows to try for pull.
        """
        bounds: list[tuple[str, Changes]] = [
            (f"bounds = {each}", {"bounds": each}) for each in get_args(Bounds)
        ]
        others: list[tuple[str, Changes]] = []
        if side == "pull":
            others += ((f"t0 = {start}", {"t0": start}) for start in starts)
        new = self.new and side == "push"
        others.append(
            ("operator = RSTREAM", {"new": False}) if new else ("operator = ISTREAM", {"new": True})
        )
        if any(name[0].startswith(LATE) for name in self.pending.atoms):
            others.append(("late = used", {"late": "used"}))
        others.append(("late = dropped", {"late": "dropped"}))
        if side == "push":
            mine = self.setting.trigger
            triggers = (each for each in get_args(Trigger) if each != mine)
            others += ((f"trigger = {each}", {"trigger": each}) for each in triggers)
            others.append(("evaluates as pull", {"by": "pull"}))
        else:
            others.append(("evaluates as push", {"by": "push"}))
        pairs = [(f"{a} and {b}", {**c, **d}) for (a, c), (b, d) in product(bounds, others)]
        return (*bounds, *others), pairs


def is_own(name: Signature) -> bool:
    """Return whether the atoms of a predicate are elements that the semantics uses, and not late elements."""
    return not name[0].startswith((LATE, BEHIND))


def _without(some: InputAtoms, marked: InputAtoms | None) -> InputAtoms:
    """Return atoms without the marked atoms; if an atom is marked n times, n equal atoms are omitted."""
    if marked is None:
        return some
    left = Counter(zip(marked.t.tolist(), *(column.tolist() for column in marked.columns), strict=True))
    mask = np.ones(len(some.t), np.bool_)
    for place in np.flatnonzero(np.isin(some.t, marked.t)).tolist():
        key = int(some.t[place]), *(int(column[place]) for column in some.columns)
        if left[key] > 0:
            left[key] -= 1
            mask[place] = False
    return some.take(mask)


def _moved(columns: TraceColumns, later: int) -> TraceColumns:
    if not later:
        return columns
    # Windows close at multiples of the period: moving the elements is moving their closes to t0 + kU.
    atoms = {name: replace(some, t=some.t + later) for name, some in columns.atoms.items()}
    return replace(columns, atoms=atoms, last=columns.last + later)


def _united(one: InputAtoms, other: InputAtoms) -> InputAtoms:
    both = [np.concatenate(pair) for pair in zip(one.columns, other.columns, strict=True)]
    t, arrival = np.concatenate((one.t, other.t)), np.concatenate((one.arrival, other.arrival))
    return InputAtoms(t, arrival, tuple(both)).take(np.lexsort((arrival, t)))


def period_ends(side: Side, points: Array, times: Array, period: int, wait: int) -> Array:
    """Return, for answers at the given time points, the ends of the periods to which the answers belong.

    Push evaluates at `times`. If an answer of push comes more than `wait` time points after the period of its
    evaluation, the answer belongs to the period in which it comes.
    >>> points, times = np.array([9, 10, 14]), np.array([3])
    >>> [period_ends(side, points, times, 5, 5).tolist() for side in ("pull", "push")]
    [[5, 10, 10], [5, 5, 15]]
    """
    if side == "pull":
        return points // period * period
    places = np.searchsorted(times, points, "right") - 1
    caused = np.where(places < 0, points, times[places]) if len(times) else points
    ends = -(-caused // period) * period
    return np.where(points > ends + wait, -(-points // period) * period, ends)


def last_end(
    logs: Mapping[Side, LogState], delay: int, judged: int, semantics: PeriodSemantics, times: Array
) -> int:
    """Return the end of the last period that can be judged: no further answer can belong to this period.

    Args:
        logs: The logs of the running systems.
        delay: The number of time points by which an answer can be late.
        judged: The end of the last period that is judged already.
        semantics: The semantics of push and pull.
        times: The times at which push evaluates.
    """
    period, complete = semantics.period, semantics.complete
    last = (complete // period - 1) * period
    for side, log in logs.items():
        reached = max(complete, log.newest or 0) - delay
        if side == "pull":
            last = min(last, (reached // period - 1) * period)
        else:
            # The first evaluation after the period ends it.
            known = times[times <= reached]
            ended = (int(known[-1]) - 1) // period * period if len(known) else 0
            # Later answers do not belong to it.
            waited = (min(reached - 1, complete) - semantics.wait) // period * period
            last = min(last, max(ended, waited))
    return max(last, judged)


_Reports = Mapping[int, Sequence[Sequence[Row]]]
"""The reports of a log by the end of their period; each report is a list of rows."""


def judged_answers(
    logs: Mapping[Side, LogState],
    span: tuple[int, int],
    semantics: PeriodSemantics,
    times: Array,
    tolerance: float,
) -> tuple[dict[Side, LogState], tuple[AnswerVerdict, ...], dict[Side, list[LateAnswer]]]:
    """Judge the answers in the logs for the periods of the interval `span`.

    Returns:
        The logs after these periods, the verdicts on the periods, and the answers that came late.
    """
    periods = [(start, start + semantics.period) for start in range(*span, semantics.period)]
    divided = {side: _divided(side, log, span, semantics, times) for side, log in logs.items()}
    likeness = {side: Likeness("set", tolerance, log.lexical) for side, log in logs.items()}
    alike = Likeness("set", tolerance, any(log.lexical for log in logs.values()))
    compared = {
        side: _compared(side, reports, periods, semantics, (times, likeness[side]))
        for side, (_, reports, _, _) in divided.items()
    }
    after = {side: log for side, (log, *_) in divided.items()}
    parts = {side: _logged(side, log, semantics, times) for side, log in logs.items()}
    verdicts: list[AnswerVerdict] = []
    for side, (log, reports, offsets, _) in divided.items():
        other = next((each for each in SIDES if each != side and each in logs), None)
        mine = []
        for number, (start, end) in enumerate(periods):
            rows, match = compared[side][number]
            both = bool(rows) and other is not None and end >= parts[other][0]
            only = match_rows(compared[other][number][0], rows, alike).extra if both and other else ()
            first, last = parts[side]
            ends = "the log ends in this period" if end == last else ""
            cut = "the log begins in this period" if end == first else ends
            cut = "the log has no answers" if log.oldest is None else cut
            verdict = AnswerVerdict(side, start, end, match.actual, match, tuple(only), cut=cut)
            mine.append(replace(verdict, unlogged=end < first))
        if mine and (log.rules or any(verdict.right is False for verdict in mine)):
            starts = _likely_starts(offsets, semantics.period)
            by_number = [reports.get(end, ()) for _, end in periods]
            by = side, times, starts, likeness[side]
            after[side], mine = _with_rules(log, mine, by_number, semantics, by)
        verdicts += mine
    ordered = sorted(verdicts, key=lambda verdict: verdict.start)
    return after, tuple(ordered), {side: late for side, (*_, late) in divided.items()}


def _logged(side: Side, log: LogState, semantics: PeriodSemantics, times: Array) -> tuple[int, int]:
    """Return the ends of the periods of the oldest and of the newest answer; 0 for a log without answers."""
    if log.oldest is None or log.newest is None:
        return 0, 0
    first, last = semantics.ends(side, np.array([log.oldest, log.newest], np.int64), times).tolist()
    return first, last


def _divided(
    side: Side, log: LogState, span: tuple[int, int], semantics: PeriodSemantics, times: Array
) -> tuple[LogState, _Reports, Counter[int], list[LateAnswer]]:
    """Group the answers of a log by period.

    Returns:
        The log with only the answers of later periods, the reports in the interval `span` by period, the
        number of answers for each offset from the start of a period, and the late answers.
    """
    judged, last = span
    reports: dict[int, dict[float, list[Row]]] = defaultdict(dict)
    offsets, kept, late = Counter[int](), [], list[LateAnswer]()
    ends = semantics.ends(side, np.array([t for t, *_ in log.answers], np.int64), times)
    for (t, at, row), end in zip(log.answers, ends.tolist(), strict=True):
        if end > last:
            kept.append((t, at, row))
        elif end > judged:
            reports[end].setdefault(at, []).append(tuple(row))
            offsets[t % semantics.period] += 1
        elif end > 0:
            late.append((t, log.newest or t, tuple(row)))
    after = replace(log, answers=kept, late=log.late + len(late))
    return after, {end: [*each.values()] for end, each in reports.items()}, offsets, late


def _compared(
    side: Side,
    reports: _Reports,
    periods: Sequence[tuple[int, int]],
    semantics: PeriodSemantics,
    by: tuple[Array, Likeness],
) -> list[tuple[list[Row], RowMatch]]:
    """Return, for each period, the rows that a system reports, and their match with the semantics."""
    if not periods:
        return []
    times, how = by
    expected = semantics.rows(side, (periods[0][0], len(periods)), times, {})
    compared = []
    for number, (_, end) in enumerate(periods):
        came = reports.get(end, ())
        # In most periods of a stream with few answers, nobody has a row.
        right = expected.rows(number) if came or expected.sizes[number] else []
        rows = named_rows(right, came, how)
        compared.append((rows, match_rows(right, rows, how)))
    return compared


def _likely_starts(offsets: Counter[int], period: int) -> list[int]:
    """Return start times t0 of windows to try, ascending: the most frequent offsets of the answers.

    The offset of an answer is its distance from the start of its period. If the answers have too few
    different offsets, further start times are added.
    """
    # What a system evaluates without rows is not in its log.
    likely = dict.fromkeys((*(t for t, _ in offsets.most_common(_MOST_STARTS)), *range(1, period)))
    return sorted([t for t in islice(likely, _MOST_STARTS + 1) if t][:_MOST_STARTS])


def _sharpened(log: LogState, start: int, rules: Sequence[str]) -> LogState:
    """Return the state of a log after another wrong period, which the given rules explain.

    If some rules of the old state also explain the new period, the new state keeps only these rules. The new
    state then also keeps `since`, the start of the wrong periods. Otherwise, the new state contains `rules`
    and the start of the period.
    """
    both = [rule for rule in log.rules if rule in rules]
    goes_on = log.since is not None and bool(both or not (log.rules or rules))
    since = log.since if goes_on else start
    return replace(log, wrong=log.wrong + 1, since=since, rules=both if goes_on else list(rules))


def _with_rules(
    log: LogState,
    verdicts: Sequence[AnswerVerdict],
    reports: Sequence[Sequence[Sequence[Row]]],
    semantics: PeriodSemantics,
    by: tuple[Side, Array, Sequence[int], Likeness],
) -> tuple[LogState, list[AnswerVerdict]]:
    """Return the state of a log after the periods of a batch, and the verdicts with explaining rules.

    `reports` contains the reports of each period.
    """
    side, times, starts, how = by
    where = verdicts[0].start, len(verdicts)
    known, rows = dict[str, Changes](), dict[str, PeriodRows]()
    for every in semantics.rules(side, [*log.starts, *starts]):
        known.update(every)

    def explains(name: str, changes: Changes, number: int) -> bool:
        if name not in rows:
            rows[name] = semantics.rows(side, where, times, changes)
        found = rows[name].rows(number) if rows[name].sizes[number] else []
        came = reports[number]
        return bool(found) == any(came) and match_rows(found, named_rows(found, came, how), how).equal

    result = []
    for number, verdict in enumerate(verdicts):
        if verdict.right is None:
            result.append(verdict)
            continue
        if not verdict.match.equal and verdict.cut:
            left = [rule for rule in log.rules if rule in known and explains(rule, known[rule], number)]
            log = replace(log, wrong=log.wrong + 1)
            since = log.since if left else verdict.start
            result.append(replace(verdict, since=since, rules=tuple(left)))
            continue
        if not verdict.match.equal:
            # Pairs are tried for what no single rule explains.
            fitting = (
                [name for name, changes in rules if explains(name, changes, number)]
                for rules in semantics.rules(side, starts)
            )
            log = _sharpened(log, verdict.start, next(filter(None, fitting), []))
            result.append(replace(verdict, since=log.since, rules=tuple(log.rules)))
            continue
        if log.rules:
            # Rules about late elements are tried only as long as such elements are kept.
            left = [rule for rule in log.rules if rule not in known or explains(rule, known[rule], number)]
            log = replace(log, rules=left, since=log.since if left else None)
        result.append(verdict)
    named = {known[rule]["t0"] for rule in log.rules if "t0" in known.get(rule, ())}
    return replace(log, starts=sorted(named)), result
