"""The report on two logs of alerts, as text and JSON: common alerts, delays, and predictions."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import permutations
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.judge import Judgement, judging
from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.logs import AlertMatch, LogMatch
from agreement.comparing.matching.likeness import row_key
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.recordings import SLACK, Recording
from agreement.documents.table_files import Column, OutTable, term_columns
from agreement.results.base.library import Findings
from agreement.results.logs.lost import (
    EventColumns,
    GroupColumns,
    LostTogether,
    all_lost,
    group_columns,
    losses_of,
    lost_groups,
    seconds,
    span,
    which,
    with_columns_of_events,
)
from agreement.results.renderings.judged_windows import COUNTING, WindowVerdict, judged_windows, points
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language.terms import Variable
from lars.language.windows import Bounds, Interval, misses_first, misses_last
from solver.facts import Row
from solver.memory import FAILED
from solver.traces import read_time

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page

CLOCKED: Final = ("csparql", "rspql")
"""The specifications that evaluate at times of a clock, and not when input arrives."""
_ONCE: Final = ", each row once"
_NAMED: Final = 4
_MINUTE: Final = 60_000
_TOLD: Final = 2
"""The least number of evaluations on each side of a change of semantics that is told."""
RARE: Final = 10
"""A log has more than this number of usual times for each rare time, such as that of an early report."""
_FEWEST: Final = 4
"""The least number of evaluations or alerts that show that a log was cut."""
_MOVED: Final = "alerts in both logs, at different times"
_SHOWN: Final = 20
"""The maximum number of differing alerts in the text output.

The JSON document and the table contain all differing alerts.
"""


@dataclass(frozen=True)
class Prediction:
    """The prediction of a log of alerts by an engine.

    - `name` is a text that describes the semantics, such as "pull every 10s".
    - `engine` is the name of the specification or engine version.
    - `once` is true if equal rows of one evaluation count as one row.
    - `changed` is true if the widths of windows or a limit differ from those of the query.
    - `problem` is the reason why the engine cannot judge the log, or None.
    - `log` contains the alerts with their own times. In the verdict, the alerts of one evaluation have one
      time.
    - `merged` are time points of alerts of a clock which the semantics counts to an earlier evaluation.
    - `query` is the name of the log's query, if each log has a query of its own; otherwise it is empty.
    - `period` is the time between two evaluations; None if the engine evaluates at events.
    - `grouped` contains the variables of GROUP BY if the query has an aggregate, so that an alert depends on
      several events; otherwise it is None.
    - `repeated` is the number of alerts that repeat a row of the same evaluation, if equal rows count as one.
    - `losses` are the groups and stretches of time without which the verdict compares the log, because the
      log lacks all their alerts. Their times are evaluations in ms.
    - `shift` is the number of ms by which the times of the log were corrected: they became later.
    """

    name: str
    engine: str
    verdict: judging.AnswersVerdict | None
    problem: str | None = None
    once: bool = False
    changed: bool = False
    log: Recording | None = None
    merged: tuple[float, ...] = ()
    query: str = ""
    period: Duration | None = None
    grouped: frozenset[str] | None = None
    repeated: int = 0
    losses: Sequence[LostTogether] = ()
    shift: float = 0.0

    @property
    def semantics(self) -> str:
        """A text about the semantics: the times of evaluations, how equal rows are counted, and the query."""
        return f"{self.rule}{self.by_rows}{self.by_query}"

    @property
    def rule(self) -> str:
        """The name, with the bounds of the windows if the semantics usually has other bounds."""
        return self.name if self.has_usual_bounds else f"{self.name}, with {self.bounds} windows"

    @property
    def has_usual_bounds(self) -> bool:
        """Whether the bounds of windows are the first that the semantics allows, or unknown."""
        return (
            not isinstance(self.judgement, Judgement) or self.bounds == self.judgement.specification.bounds[0]
        )

    @cached_property
    def variants(self) -> "Sequence[Prediction]":
        """The prediction, and the same prediction with the usual bounds of windows if its bounds differ."""
        if self.verdict is None or not isinstance(self.judgement, Judgement) or self.has_usual_bounds:
            return (self,)
        usual = self.judgement.specification.bounds[0]
        verdicts = tuple(one for one in self.judgement.verdicts if one.choice.bounds == usual)
        judgement = replace(self.judgement, verdicts=verdicts)
        other = replace(self, verdict=replace(self.verdict, judgement=judgement))
        return (self, other) if verdicts else (self,)

    @property
    def by_rows(self) -> str:
        """A text about equal rows; empty if they count separately, or if the log repeats alerts."""
        return _ONCE if self.once and not self.repeated else ""

    @property
    def judgement(self) -> Judgement | VersionJudgement | None:
        """The judgement of the verdict; None if the engine cannot judge the log."""
        return None if self.verdict is None else self.verdict.judgement

    @property
    def fitting_bounds(self) -> Collection[Bounds]:
        """The bounds of windows with which the prediction is correct; otherwise the bounds that fit best."""
        if not isinstance(self.judgement, Judgement):
            return ()
        return {one.choice.bounds for one in self.judgement.matching or (self.judgement.best,)}

    @property
    def bounds(self) -> Bounds | None:
        """The first fitting bounds that the semantics allows; None if an engine version predicts the log."""
        if not isinstance(self.judgement, Judgement):
            return None
        allowed = (one for one in self.judgement.specification.bounds if one in self.fitting_bounds)
        return next(allowed, self.judgement.best.choice.bounds)

    @property
    def has_equal_rows(self) -> bool:
        """Whether the log has equal rows at one time."""
        reports = self.log.reports if self.log is not None else ()
        rows = [(report.t, row_key(row)) for report in reports for row in report.rows]
        return len({*rows}) < len(rows)

    @cached_property
    def phases(self) -> Collection[float]:
        """The times of evaluations in ms, from the start of a period; empty without a period."""
        if self.verdict is None or self.period is None:
            return ()
        unit, period = self.verdict.dates.unit.milliseconds, self.period.milliseconds
        return {round(window.end * unit % period, 6) for window in self.windows if window.end is not None}

    @property
    def by_query(self) -> str:
        """A text that names the query; empty if both logs have the same query."""
        return f" (query {self.query})" if self.query else ""

    @property
    def correct(self) -> bool:
        """Whether the semantics predicts all reports of the log; false if no verdict exists."""
        return self.verdict is not None and self.verdict.correct is True and not self.merged

    @cached_property
    def _every(self) -> Sequence[WindowVerdict]:
        return () if self.verdict is None else tuple(judged_windows(self.verdict))

    @cached_property
    def windows(self) -> Sequence[WindowVerdict]:
        """The evaluations that are compared with the log.

        For an engine version, the compared entries are pushes or time units.
        """
        return [window for window in self._every if window.phase == COUNTING]

    @property
    def is_of_nothing(self) -> bool:
        """Whether the log has no alert, so that a correct prediction is no evidence."""
        return not any(window.actual for window in self._every)

    @property
    def left_out(self) -> int:
        """The number of alerts before the first or after the last compared evaluation."""
        return sum(window.actual for window in self._every if window.phase != COUNTING)

    @cached_property
    def unexplained(self) -> Sequence[WindowVerdict]:
        """The evaluations at which the rows of the log differ from the predicted rows."""
        return [window for window in self.windows if window.is_wrong]

    @cached_property
    def span(self) -> tuple[float, float] | None:
        """The first and the last evaluation with an alert of the log, in time points; None without one."""
        ends = [window.end for window in self.windows if window.actual and window.end is not None]
        return (min(ends), max(ends)) if ends else None

    @cached_property
    def outside(self) -> tuple[int, int]:
        """The numbers of unexplained evaluations before the first and after the last alert of the log."""
        if self.span is None:
            return 0, 0
        ends = [window.end for window in self.unexplained if window.end is not None]
        return sum(end < self.span[0] for end in ends), sum(end > self.span[1] for end in ends)

    @cached_property
    def inside(self) -> Sequence[WindowVerdict]:
        """The unexplained evaluations between the first and the last alert of the log."""
        if self.span is None:
            return self.unexplained
        first, last = self.span
        return [w for w in self.unexplained if w.end is None or first <= w.end <= last]

    @cached_property
    def ends(self) -> Sequence[float]:
        """The times of the unexplained evaluations in `inside`; empty if one of them has no time.

        An evaluation without a time can be on either side of a change.
        """
        ends = [window.end for window in self.inside]
        known = [end for end in ends if end is not None]
        return known if len(known) == len(ends) else ()

    @property
    def is_cut(self) -> bool:
        """Whether the semantics predicts all alerts, and other alerts only before or after all of them."""
        if self.correct or self.verdict is None or self.verdict.correct is None or self.inside:
            return False
        return len(self.reported) >= _FEWEST and not self.merged

    @property
    def fits(self) -> bool:
        """Whether the semantics predicts all reports between the first and the last alert of the log."""
        return self.correct or self.is_cut

    @cached_property
    def reported(self) -> Sequence[WindowVerdict]:
        """The evaluations at which the log has an alert."""
        return [window for window in self.windows if window.actual]

    @cached_property
    def counted(self) -> str:
        """A text with the number of evaluations at which the log has an alert or an alert is predicted."""
        number = sum(bool(window.actual or window.expected) for window in self.windows)
        return f"{outputs.quantity(number, 'evaluation')} with alerts"

    @property
    def silent(self) -> int:
        """The number of unexplained evaluations at which the log has no row."""
        return sum(not window.actual for window in self.unexplained)

    @property
    def close(self) -> bool:
        """Whether the semantics predicts the rows of at least half of the compared evaluations."""
        return 0 < len(self.windows) >= 2 * len(self.unexplained)

    @property
    def late(self) -> float:
        """The greatest delay of reports after their evaluations, in ms."""
        return max((window.delay for window in self.windows if window.delay is not None), default=0.0)

    @cached_property
    def order(self) -> tuple[bool, bool, bool, bool, int, float]:
        """The sort key: correct predictions first, then cut logs, then fewer unexplained rows and delays."""
        rows = sum(len(window.missing) + len(window.extra) for window in self.unexplained)
        # Rare alerts at other times do not contradict a clock.
        merged = len(self.merged) * RARE > len(self.reported)
        return not self.correct, not self.is_cut, merged, not self.windows, rows + self.left_out, self.late

    def since(self, zero: str | None) -> "Prediction":
        """Return the prediction with `zero`, the dateTime of time 0; None if times are numbers."""
        verdict = self.verdict
        if verdict is None:
            return self
        return replace(self, verdict=replace(verdict, dates=replace(verdict.dates, zero=zero)))


Missed = Mapping[tuple[Duration, Duration], int]
"""The number of missed alerts, by the pull period and the width of the window."""
Change = tuple[Prediction, Prediction, float, float, int]
"""A change of semantics: the predictions before and after it, two times, and a number of evaluations.

The first time is the last evaluation that only the first semantics predicts. The second time is the first
evaluation that only the second semantics predicts: the change is between both. Both times are time points.
The number counts the evaluations that only the second semantics predicts.
"""
Predictions = tuple[tuple[Prediction, ...], tuple[Prediction, ...]]


Losses = tuple[Sequence[LostTogether], Sequence[LostTogether]]
"""What each log lacks together."""


def is_explained(tried: Sequence[Prediction]) -> bool:
    """Return whether one rule predicts a log, or two rules before and after a time."""
    return any(one.fits for one in tried) or change_of(tried) is not None


def losses_in(predictions: Predictions, match: LogMatch) -> Losses:
    """Return what each log lacks together, if no rule explains the log; otherwise nothing."""
    found = list[Sequence[LostTogether]]()
    for n, tried in enumerate(predictions):
        shown = _shown(match, _beyond(match, n))
        columns = _groups_in(shown, tried, ((), {}))
        groups = [] if is_explained(tried) else lost_groups(n, shown, shown.only[1 - n], columns)
        found.append(() if is_explained(tried) else losses_of(n, shown, groups, columns))
    return found[0], found[1]


def _shown(match: LogMatch, *parts: Iterable[Sequence[AlertMatch]]) -> LogMatch:
    """Return a match without the alerts in some parts, such as those beyond the ends of a log."""
    hidden = {id(alert) for each in parts for part in each for alert in part}
    return replace(match, alerts=tuple(alert for alert in match.alerts if id(alert) not in hidden))


def _groups_in(match: LogMatch, tried: Sequence[Prediction], events: EventColumns) -> GroupColumns:
    return group_columns(match, tried[0].grouped if tried else None, events)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogsResult(Findings):
    """The result of `compare_logs`: the matched alerts of two logs, and the predictions of each log.

    - `names` are the names of the logs.
    - `match` contains the alerts of both logs, in pairs if possible.
    - `predictions` contains the predictions of the first log and of the second log, best first; empty if the
      events are unknown.
    - `aparts` contains predictions of each log with corrected times, or apart from alerts that it lacks
      together, such as all of a sensor; empty if a rule explains the log, or if neither is the case.
    - `draft` is the text of a query that `lars` derived from the columns of the logs; None if the user gives
      a query.
    - `missed` contains the number of the first log's alerts that a pull system would miss, by pull period and
      window width.
    - `hints` are sentences about causes that no rule has: rounded numbers, another unit, or another time
      zone.
    """

    verdict: ClassVar[str | None] = "same"

    names: tuple[str, str]
    match: LogMatch
    predictions: Predictions = ((), ())
    aparts: Predictions = ((), ())
    draft: str | None = None
    missed: Missed = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    _dates: Dates = field(default_factory=Dates)
    _times: bool = True
    _fails_on_empty: bool = False
    _distinction: str = ""
    _whole: str = ""
    _events: EventColumns = ((), {})

    @property
    def same(self) -> bool:
        """Whether both logs contain the same alerts; if the option `times` is set, also at the same times."""
        return self.match.same(times=self._times)

    @property
    def dates(self) -> Dates:
        """The mapping of times in milliseconds to dateTimes, if the logs have dateTimes."""
        return self._dates

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 for a difference, 3 with --fail-on-empty if no log has an alert, otherwise 0."""
        if self._fails_on_empty and not self.match.alerts:
            return FAILED, "--fail-on-empty: no alert in either log"
        return int(not self.same), None

    @property
    def headline(self) -> str:
        """One line with the numbers of alerts in both logs, and in only one log."""
        return next(_sentences(self.names, self.match))

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import Page

        question = "Do both logs contain the same alerts?"
        head = Page(" and ".join(self.names), question, self.same, self.headline, self.warnings)
        return text_page(head, self.document(), self.parts())

    def document(self) -> Mapping[str, object]:
        """Return the JSON document; all times are in milliseconds."""
        match = self.match
        names = [column.name for column in _MISSED]
        return {
            "same": self.same,
            "logs": list(self.names),
            "both": len(match.both),
            "only": list(map(len, match.only)),
            "delays": None
            if match.delays is None
            else dict(zip(("least", "median", "most"), match.delays, strict=True)),
            "alerts": [_alert_json(match, alert, self._dates) for alert in match.alerts],
            "query": self.draft,
            "predictions": [list(map(_prediction_json, tried)) for tried in self.predictions],
            "changes": [_change_json(tried) for tried in self.predictions],
            "departures": [_departure_json(departure) for departure in _departures(self.predictions)],
            "apart": [_apart_json(tried) for tried in self.aparts],
            "origin": self._dates.zero,
            "missed": [dict(zip(names, row, strict=True)) for row in _missed_rows(self.missed)],
            "hints": list(self.hints),
        }

    def parts(self) -> Iterable[RenderableType]:
        """Yield the log that departs, differing alerts, each log's predictions, and missed alerts."""
        yield from self.hints
        yield from self._comparison()
        yield from _of_missed(self.names[0], self.match, self.missed, self._dates)

    def _comparison(self) -> Iterator[RenderableType]:
        names, match, predictions = self.names, self.match, self.predictions
        draft, dates = self.draft, self._dates
        # If a rule predicts the silence before the first alert and after the last one, no log was cut.
        silent = [bool(tried) and tried[0].correct for tried in predictions] or [False, False]
        beyond = [((), ()) if silent[n] else _beyond(match, n) for n in (0, 1)]
        shown = _shown(match, *beyond)
        lone = [alert for alert in shown.alerts if alert.delay is None]
        moved = [alert for alert in match.alerts if alert.delay is not None and abs(alert.delay) > SLACK]
        apart = [_rule_apart(tried) for tried in self.aparts]
        if all(predictions) and (lone or moved or any(map(any, beyond))):
            departing = _departing(names, predictions, apart, is_drafted=draft is not None)
            departing = _each_term_once(departing)
            told = (departing, self._distinction) if draft is None else (self._distinction, departing)
            yield "; ".join(filter(None, told))
        whole_rows = with_columns_of_events(shown, self._events)
        columns = _groups_in(whole_rows, predictions[0] or predictions[1], self._events)
        for n, tried in enumerate(predictions):
            # If a log follows a rule, the rule explains its missing alerts, so no group is named.
            if not any(one.fits for one in tried):
                groups = lost_groups(n, whole_rows, whole_rows.only[1 - n], columns)
                yield from all_lost(names[n], n, whole_rows, groups, columns, dates)
        for title, alerts in (("alerts in only one log", lone), (_MOVED, moved)):
            if alerts:
                yield _alerts(title, names, match, alerts[:_SHOWN], dates)
                if len(alerts) > _SHOWN:
                    end = dates.text(alerts[-1].at) if dates.zero is not None else seconds(alerts[-1].at)
                    yield f"the table shows {_SHOWN} of {len(alerts)} alerts; the last alert is at {end}"
        if (lone or moved) and self._whole:
            yield self._whole
        yield from _sentences(names, match)
        yield from _repeating(names, match, predictions)
        for n, parts in enumerate(beyond):
            yield from _cut_off(names, n, parts, match, dates)
        if draft is not None:
            yield ""
            yield draft.rstrip("\n")
            yield ""
        # Alerts with computed columns only, such as means, cannot be traced to an event.
        has_events = any(alert.event is not None for alert in match.alerts)
        departures = _departures(predictions)
        for n, (tried, only) in enumerate(zip(predictions, reversed(shown.only), strict=True)):
            if tried:
                yield from _explanation(names[n], tried, departures[n], apart[n])
                yield from _reasons(names, n, tried[0], only, dates) if has_events else ()
        if (
            lone
            and all(predictions)
            and all(tried[0].correct and not tried[0].left_out for tried in predictions)
        ):
            first, second = (tried[0] for tried in predictions)
            if _differences(names, first, second) and not (first.repeated or second.repeated):
                every = "the alert" if len(lone) == 1 else f"all {len(lone)} alerts"
                yield f"the difference of the rules explains {every} in only one log"
        if any(
            tried and departure_of(tried) is not None and change_of(tried) is None and not apart[n]
            for n, tried in enumerate(predictions)
        ):
            yield _NOT_TRIED if draft is None or "HAVING" in draft else _NOT_DRAFTED

    def tables(self) -> Sequence[OutTable]:
        """Return the table `alerts`, with the alerts of only one log first, and the table `missed`."""
        own = {column.name for column in _COLUMNS}
        # Columns of logs have no question mark, unless the name is also that of a column of the table.
        variables = (
            column if (name := column.name.removeprefix("?")) in own else replace(column, name=name)
            for column in term_columns(map(Variable, self.match.variables))
        )
        alerts = sorted(self.match.alerts, key=lambda alert: alert.delay is not None)
        length = 1 if self._dates.zero is not None else _SECOND
        rows = ((_log_of(alert, self.names), *_row(alert, length)) for alert in alerts)
        return (
            OutTable("alerts", (*_COLUMNS, *variables), rows, shows_dates=True),
            *([OutTable("missed", _MISSED, _missed_rows(self.missed))] if self.missed else []),
        )


_SECOND: Final = 1000
_COLUMNS: Final = (
    Column("log", str, "log that contains the alert: both, or the name of the only log"),
    Column("first", float, "time of the alert in the first log: a dateTime, or in seconds", is_time=True),
    Column("second", float, "time of the alert in the second log: a dateTime, or in seconds", is_time=True),
    Column("delay", float, "delay of the alert in the second log, in seconds"),
    Column("elsewhere", bool, "whether the log without the alert has the row of the alert at another time"),
    Column("nearest", float, "nearest of these times: a dateTime, or in seconds", is_time=True),
)


_MISSED: Final = (
    Column("period", str, "the pull period U"),
    Column("window", str, "the window width W"),
    Column("missed", int, "number of alerts of the first log whose events are in no window"),
)


def _missed_rows(counts: Missed) -> Iterator[tuple[str, str, int]]:
    return ((str(period), str(width), count) for (period, width), count in counts.items())


def _log_of(alert: AlertMatch, names: tuple[str, str]) -> str:
    return "both" if alert.delay is not None else names[alert.first is None]


def _row(alert: AlertMatch, length: int) -> tuple[float | bool | str | None, ...]:
    """Return the cells of an alert; `length` is the number of ms that a time counts."""
    first, second, near = (t and t / length for t in (alert.first, alert.second, alert.near))
    delay = alert.delay and alert.delay / _SECOND
    return first, second, delay, alert.elsewhere, near, *alert.row


_NOT_DRAFTED: Final = (
    "not tried: limits of columns that the alerts do not contain. Write the rule of the alerts as a query, "
    "and use --query FILE"
)
_NOT_TRIED: Final = (
    "tried: other times of evaluation, windows of other lengths, and another limit in one comparison. To try "
    "another change, write a query for each log, and use both with --query"
)


def departure_of(tried: Sequence[Prediction], rules: Collection[str] = ()) -> Prediction | None:
    """Return the prediction from which a log departs; None if a prediction is correct, or a log was cut.

    If the semantics of a log changes, this is one of the predictions before and after the change: by one of
    the given rules if possible, otherwise with the windows and the limits of the query if possible.
    """
    if tried[0].fits:
        return None
    change = change_of(tried)
    if change is not None:
        return min(change[:2], key=lambda one: (one.semantics not in rules, one.changed))
    return next((one for one in tried if one.semantics in rules and one.close), tried[0])


def _departures(predictions: Predictions) -> tuple[Prediction | None, Prediction | None]:
    """Return the prediction from which each log departs, by a rule of the other log if possible."""
    first, second = predictions
    if not first or not second:
        return None, None
    return departure_of(first, _rules(second)), departure_of(second, _rules(first))


_Apart = tuple[Prediction, str] | None
"""A rule that predicts a log with corrected times or apart from lost alerts, and a text about these."""


def _rule_apart(tried: Sequence[Prediction]) -> _Apart:
    """Return the best of the predictions, if it explains a log; otherwise None."""
    if not tried or not tried[0].fits:
        return None
    (best, *_), rows = tried, defaultdict[tuple[tuple[str, ...], str], list[Row]](list)
    assert best.verdict is not None
    dates = best.verdict.dates
    for names, row, first, last in best.losses:
        begin, end = (
            "" if abs(t) == inf else dates.text(points(t, dates.unit.milliseconds)) for t in (first, last)
        )
        when = f" {span(begin, end, begins=not begin, ends=not end)}" if begin or end else ""
        rows[names, when].append(row)
    texts = [f"{which(names, own)}{when}" for (names, when), own in rows.items()]
    moved = f"{seconds(abs(best.shift))} {'earlier' if best.shift < 0 else 'later'}"
    parts = [f"if its times are {moved}"] if best.shift else []
    parts += [f"apart from lost alerts{' and'.join(texts)}"] if texts else []
    return best, ", ".join(parts) or "throughout"


def _departing(
    names: tuple[str, str], predictions: Predictions, apart: Sequence[_Apart], *, is_drafted: bool
) -> str:
    """Return a sentence that names the log which departs from the rule of its alerts, if one does."""
    departures = _departures(predictions)
    sides = [*zip(names, predictions, departures, apart, strict=True)]
    if departures == (None, None):
        # A changed window or limit contradicts the user's query, but not a query that lars has drafted.
        sides.sort(key=lambda side: side[1][0].changed)
        (one, mine, *_), (other, yours, *_) = sides
        if yours[0].changed and not mine[0].changed and not is_drafted:
            rule = f"and follows {_rule(yours[0])}"
            return f"{other} departs from the query throughout, {rule}; {_follows(one, mine[0])}"
        both = zip(names, predictions, strict=True)
        differences = "; ".join(_differences(names, predictions[0][0], predictions[1][0]))
        if any(tried[0].is_of_nothing or tried[0].is_cut for tried in predictions):
            follow = "; ".join(_follows(name, tried[0]) for name, tried in both)
            return f"{follow}; the rules differ: {differences}" if differences else follow
        rules = "; ".join(f"{name} follows {_one_of(tried)}" for name, tried in both)
        what = "its own query" if predictions[0][0].query else "a rule"
        differ = f", and the rules differ: {differences}. " if differences else ": "
        return f"each log follows {what} throughout{differ}{rules}"
    if not any(
        departure is None or departure.close or but or change_of(tried) is not None
        for _, tried, departure, but in sides
    ):
        every = (one for tried in predictions for one in tried)
        if not any(window.expected for one in every for window in one.windows):
            return (
                "the query has no answer on these events, so no rule predicts an alert: check the predicates "
                "and the kinds of terms in the query (a text is never greater than a number)"
            )
        return "lars cannot name the log that departs, because no tried rule comes close to either log"
    # The log that departs comes first, because it is the cause of the difference.
    sides.sort(key=lambda side: side[2] is None)
    (_, tried, departure, but), _ = sides
    is_named = departure is not None and departure.close and change_of(tried) is None
    departed = but[0] if but else departure if is_named else None
    return "; ".join(
        _follows(name, tried[0], departed)
        if departure is None
        else _follows(name, but[0], apart=but[1])
        if but
        else _departs(name, tried, departure)
        for name, tried, departure, but in sides
    )


_IN_WORDS: Final = (
    (r"^push of all rows at each event\b", "evaluate at each event, with all rows (push)"),
    (r"^push\b", "evaluate at each event (push)"),
    (r"^pull every ([^\s,]+)", r"evaluate every \1 (pull)"),
    (r"^windows that close every ([^\s,]+)", r"evaluate when a window closes, every \1"),
    ("with low-open windows", "with windows that do not contain their start (low-open)"),
    ("with high-open windows", "with windows that do not contain their end (high-open)"),
    ("with closed windows", "with windows that contain the instant at their start (closed)"),
)
"""The terms of the field in the names of rules, and plain words for them."""
_TERM: Final = re.compile(r" \((?:push|pull|low-open|high-open|closed)\)")


def _in_words(semantics: str) -> str:
    """Return the name of a rule in plain words, with the terms of the field in parentheses.

    >>> _in_words("pull every 1m, with low-open windows")
    'evaluate every 1m (pull), with windows that do not contain their start (low-open)'
    """
    for term, words in _IN_WORDS:
        semantics = re.sub(term, words, semantics)
    return semantics


def _each_term_once(text: str) -> str:
    """Return a text in which each term of the field is in parentheses only once."""
    seen: set[str] = set()

    def kept(match: re.Match[str]) -> str:
        is_new = match[0] not in seen
        seen.add(match[0])
        return match[0] * is_new

    return _TERM.sub(kept, text)


def _one_of(tried: Sequence[Prediction]) -> str:
    best = tried[0]
    others = sum(one.fits and one.left_out == best.left_out for one in tried) - 1
    more = f", or {others} other of the tried rules" if others else ""
    repeats = f", but repeats {outputs.quantity(best.repeated, 'alert')}" if best.repeated else ""
    return f'the rule "{_in_words(best.rule)}"{_with_delay(best).removeprefix(best.rule)}{more}{repeats}'


def _rule(one: Prediction) -> str:
    return f'the rule "{_in_words(one.semantics.removesuffix(one.by_query))}"{one.by_query}'


def _rules(tried: Sequence[Prediction]) -> Collection[str]:
    return [one.semantics for one in tried if one.fits]


_ENDS: Final[Mapping[Bounds, str]] = {
    "low-open": "contains the instant at its end (the evaluation), but not the instant at its start",
    "high-open": "contains the instant at its start, but not the instant at its end (the evaluation)",
    "closed": "contains the instants at its start and at its end",
    "open": "contains neither the instant at its start nor the instant at its end",
}


def _differences(names: tuple[str, str], first: Prediction, second: Prediction) -> Iterator[str]:
    """Yield texts about the parts in which the rules of two logs differ, if one engine predicts both logs."""
    if first.engine != second.engine:
        return
    sides = [*zip(names, (first, second), strict=True)]
    if first.bounds and second.bounds and not {*first.fitting_bounds} & {*second.fitting_bounds}:
        bounds = ((name, one.bounds) for name, one in sides if one.bounds)
        yield ", and ".join(f"each window of {name} {_ENDS[own]}" for name, own in bounds)
    (_, often), (_, once) = ordered = sorted(sides, key=lambda side: bool(side[1].by_rows))
    if once.by_rows and not often.by_rows and often.has_equal_rows:
        yield f"{ordered[1][0]} reports equal rows once, and {ordered[0][0]} reports each of the equal rows"
    if _is_apart(first, second):
        yield " and ".join(f"{name} has evaluations{_such_as(one)}" for name, one in sides)


def _is_apart(first: Prediction, second: Prediction) -> bool:
    """Return whether two predictions with one period have no time of evaluation in common."""
    is_same = first.period == second.period and bool(first.phases and second.phases)
    return is_same and not {*first.phases} & {*second.phases}


def _repeating(names: tuple[str, str], match: LogMatch, predictions: Predictions) -> Iterator[str]:
    """Yield a sentence about each log that repeats alerts which its rule, or the other log, has once."""
    counts = [Counter((t, row_key(row)) for t, row in side) for side in match.sides]
    for name, tried, own, others in zip(names, predictions, counts, reversed(counts), strict=True):
        number, when = (
            sum(max(count - max(others[key], 1), 0) for key, count in own.items()),
            "at the same time",
        )
        if tried and tried[0].fits:
            number = tried[0].repeated
            when = when if number <= own.total() - len(own) else "in the same evaluation"
        if number:
            yield f"{name} repeats {outputs.quantity(number, 'alert')}: the same row again {when}"


def _follows(
    name: str, best: Prediction, departed: Prediction | None = None, apart: str = "throughout"
) -> str:
    """Return a text about a log that follows a rule; `departed` is the rule that the text names before.

    The text `apart` names the alerts that the log lost, if any.
    """
    if best.is_of_nothing:
        return f"{name} has no alert, and a tried rule predicts none"
    rule = _rule(best)
    if departed is not None and best.semantics == departed.semantics:
        rule = f"this rule at other times{_such_as(best)}" if _is_apart(best, departed) else "this rule"
    if best.is_cut:
        rule = f"{rule} {apart}," if best.losses or best.shift else rule
        return f"{name} follows {rule} {_spanned(best)}"
    but = f", except for {outputs.quantity(best.left_out, 'alert')} at the ends" if best.left_out else ""
    repeats = f", but repeats {outputs.quantity(best.repeated, 'alert')}" if best.repeated else ""
    return f"{name} follows {rule} {apart}{but}{repeats}"


def _spanned(best: Prediction, outside: tuple[int, int] | None = None) -> str:
    """Return a text with the span of a log, and the numbers of predicted evaluations outside of it."""
    assert best.span is not None
    assert best.verdict is not None
    first, last = map(best.verdict.dates.text, best.span)
    sides = zip(outside or best.outside, ("before", "after"), strict=True)
    times = " and ".join(f"{outputs.quantity(n, 'evaluation')} {where}" for n, where in sides if n)
    return f"from {first} to {last}, but has no alert at {times}: the log was cut, or the system was down"


def _departs(name: str, tried: Sequence[Prediction], departure: Prediction) -> str:
    """Return a text about a log that departs from a rule: when it changed, or which rows differ."""
    change = change_of(tried)
    if departure.verdict is None or (change is None and not departure.close):
        return f"no tried rule comes close to {name}"
    dates = departure.verdict.dates
    if change is not None:
        before, after, last, start, _ = change
        when = f"between {dates.text(last)} and {dates.text(start)}"
        rules = f"before, it follows {_rule(before)}; after, {_rule(after)}"
        return f"{name} changed {when}: {rules}"
    wrong = departure.unexplained
    ends = [window.end for window in wrong if window.end is not None]
    text = f"{name} departs from {_rule(departure)} at {len(wrong)} of {departure.counted}"
    if ends:
        begin, end = map(dates.text, (min(ends), max(ends)))
        text += f", {f'at {begin}' if begin == end else f'the first at {begin} and the last at {end}'}"
    return f"{text}: {_kind(name, wrong)}"


def _kind(name: str, wrong: Sequence[WindowVerdict]) -> str:
    """Return a text about the rows by which a log differs from the predicted rows."""
    missing, extra = ([row for w in wrong for row in rows(w)] for rows in (_MISSING, _EXTRA))
    if not missing and not extra:
        return str(wrong[0].problem)
    lacks = f"{name} lacks {_rows(missing)}" if missing else ""
    more = (
        f"{'' if missing else f'{name} '}has {_rows(extra)} that the rule does not predict" if extra else ""
    )
    down = (
        ", as if alerts were lost or the system had not evaluated"
        if not extra and not any(w.actual for w in wrong)
        else ""
    )
    return " and ".join(filter(None, (lacks, more))) + down


_MISSING: Final = attrgetter("missing")
_EXTRA: Final = attrgetter("extra")


def _rows(rows: Sequence[Row]) -> str:
    return outputs.short_row(rows[0]) if len(rows) == 1 else outputs.quantity(len(rows), "row")


def _alerts(
    title: str, names: tuple[str, str], match: LogMatch, alerts: Sequence[AlertMatch], dates: Dates
) -> RenderableType:
    every = [t for alert in alerts for t in (alert.first, alert.second, alert.near) if t is not None]
    dates = dates.within(Interval(int(min(every)), int(max(every)) + 1))

    def time(t: float) -> str:
        return dates.text(t) if dates.zero is not None else seconds(t)

    texts = outputs.short_rows([alert.row for alert in alerts])
    rows = (
        (
            text,
            _lacking(alert, time) if alert.first is None else time(alert.first),
            _lacking(alert, time) if alert.second is None else time(alert.second),
            "" if alert.delay is None else _signed(alert.delay),
        )
        for text, alert in zip(texts, alerts, strict=True)
    )
    columns = (f"({', '.join(match.variables)})", *names, "delay")
    return outputs.table(f"{title}{dates.caption}", columns, rows, right=("delay",), whole=(*names, "delay"))


def _lacking(alert: AlertMatch, time: Callable[[float], str]) -> str:
    """Return the text for the log without an alert: the nearest time at which it has the row, if any."""
    if alert.near is None:
        return "row not in this log"
    apart = alert.near - alert.at
    if abs(apart) <= SLACK:
        return f"fewer at {time(alert.near)}"
    other = "" if alert.again else ", other event"
    return f"no; at {time(alert.near)}, {_length(abs(apart))} {'later' if apart > 0 else 'earlier'}{other}"


def _length(milliseconds: float) -> str:
    """Return a length of time with its two largest units, such as 2h5m; less than a minute in seconds.

    >>> [_length(seconds * 1000) for seconds in (0.5, 59, 180, 7500, 100_000)]
    ['0.5s', '59s', '3m', '2h5m', '1d3h']
    """
    if milliseconds < _MINUTE:
        return seconds(milliseconds)
    rest, parts = round(milliseconds / 1000), list[str]()
    for unit, length in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        number, rest = divmod(rest, length)
        parts.append(f"{number}{unit}" if number else "")
    first = next(n for n, part in enumerate(parts) if part)
    return "".join(parts[first : first + 2])


def _beyond(match: LogMatch, n: int) -> tuple[Sequence[AlertMatch], Sequence[AlertMatch]]:
    """Return the alerts of the other log before the first and after the last alert of log `n`.

    A part is empty if it has few alerts, because a log that was cut lacks many.
    """
    times = _corrected_times(n, match)
    if not match.both:
        return (), ()
    lone, first, last = match.only[1 - n], min(times), max(times)
    parts = [alert for alert in lone if alert.at < first], [alert for alert in lone if alert.at > last]
    before, after = (part if len({alert.at for alert in part}) >= _FEWEST else () for part in parts)
    return before, after


def _corrected_times(n: int, match: LogMatch) -> Sequence[float]:
    """Return the times of the alerts of log `n`, by the clock of the other log."""
    late = match.shift if n else -match.shift
    return [t - late for alert in match.alerts if (t := (alert.first, alert.second)[n]) is not None]


def _cut_off(
    names: tuple[str, str],
    n: int,
    parts: tuple[Sequence[AlertMatch], Sequence[AlertMatch]],
    match: LogMatch,
    dates: Dates,
) -> Iterator[str]:
    """Yield a sentence about the alerts that are counted, but not listed, because log `n` was cut."""
    times, which_time = _corrected_times(n, match), "corrected time" if match.shift else "time"
    for part, where, nearest, end in zip(
        parts,
        ("before", "after"),
        ("first", "last"),
        (min(times, default=0), max(times, default=0)),
        strict=True,
    ):
        if part:
            at = dates.text(end) if dates.zero is not None else seconds(end)
            count = outputs.quantity(len(part), "alert")
            yield (
                f"not listed: {count} only in {names[1 - n]} {where} {at}, the {which_time} of the {nearest} "
                f"alert of {names[n]}"
            )


def _signed(delay: float) -> str:
    return f"{'+' if delay > 0 else ''}{seconds(delay)}"


def _sentences(names: tuple[str, str], match: LogMatch) -> Iterator[str]:
    first, second = names
    only = [len(part) for part in match.only]
    both = outputs.quantity(len(match.both), "alert")
    yield f"{both} in both logs, {only[0]} only in {first}, {only[1]} only in {second}"
    if match.delays is not None and any(abs(delay) > SLACK for delay in match.delays):
        least, middle, most = map(_signed, match.delays)
        spread = least if least == most else f"{least} to {most}, median {middle}"
        yield f"delay of {second} for alerts in both logs: {spread}"


def _explanation(
    name: str, tried: Sequence[Prediction], departure: Prediction | None, apart: _Apart
) -> Iterator[RenderableType]:
    best = tried[0]
    if best.verdict is None:
        yield f"{name}: not judged: {best.problem}"
        return
    if best.correct and best.is_of_nothing:
        yield f"{name}: no alert in the log, and a tried rule predicts none"
        return
    if best.correct:
        fitting = [_with_delay(one) for one in tried if one.correct and one.left_out == best.left_out]
        what = (
            "every alert"
            if not best.left_out
            else f"all but {outputs.quantity(best.left_out, 'alert')} at the ends"
        )
        yield f"{name}: {what} predicted by {outputs.first_few(fitting, _NAMED, ', and by ')}"
        return
    if best.is_cut:
        fitting = [_with_delay(one) for one in tried if one.is_cut and one.outside == best.outside]
        yield f"{name}: every alert predicted by {outputs.first_few(fitting, _NAMED, ', and by ')}"
        yield f"{name} has alerts {_spanned(best)}"
        return
    if not best.windows:
        yield f"{name}: nothing to compare: no evaluation of {best.rule} counts; a longer log has more"
        return
    left = f"{len(best.unexplained)} of {best.counted}"
    if (change := change_of(tried)) is not None:
        yield from _told(name, change)
        return
    if apart is not None:
        best, but = apart
        left = f" but {outputs.quantity(best.left_out, 'alert')} at the ends" if best.left_out else ""
        yield f"{name}: every alert{left} predicted by {_with_delay(best)}, {but}"
        if best.is_cut:
            yield f"{name} has alerts {_spanned(best)}"
        return
    if not best.close:
        yield f"{name}: no tried rule comes close: the nearest rule, {best.semantics}, fails at {left}"
        return
    near = f"the nearest rule is {best.semantics}, except for {left}"
    if departure is not None and departure is not best and departure.close:
        # The first line names the rule of the other log, from which this one departs.
        less = f"{len(departure.unexplained)} of {departure.counted}"
        near = f"{departure.semantics}, the rule of the other log, fails at {less}; {near}"
    yield f"{name}: no tried rule predicts the log; {near}"
    if silent := best.silent:
        # A system that has not evaluated reports no row: other differences have another cause.
        down = ": perhaps the system did not evaluate" if silent == len(best.unexplained) else ""
        yield f"at {silent} of these evaluations, {name} has no row{down}"
    yield outputs.table(
        f"evaluations of {name} that the rule does not explain",
        ("time", "predicted only", "reported only"),
        map(partial(_unexplained, best), best.unexplained[:_SHOWN]),
    )


def change_of(tried: Sequence[Prediction]) -> Change | None:
    """Return a change of semantics that explains a log which no tried semantics predicts; None if none does.

    The change separates the evaluations that one semantics does not predict from those that the other does
    not predict. It is told only if it explains several evaluations on each side.
    """
    if all(each.log is not None and not each.log.reports for each in tried):
        # Without an alert, nothing shows a change.
        return None
    every = ((one, one.ends) for each in tried for one in each.variants)
    wrong = [
        (one, min(ends), max(ends), len(ends))
        for one, ends in every
        if len(ends) >= _TOLD and not one.left_out
    ]
    found: list[Change] = []
    for (before, start, _, count), (after, _, last, _) in permutations(wrong, 2):
        if last >= start:
            continue
        merged = any(t < start for t in before.merged) or any(t >= start for t in after.merged)
        if not merged:
            found.append((before, after, last, start, count))

    def unlikely(change: Change) -> tuple[int, int]:
        rules = change[:2]
        return sum(one.changed for one in rules), sum(not one.has_usual_bounds for one in rules)

    # A rule of the query itself is preferred to a rule with other windows or limits, or with other bounds.
    return min(found, key=unlikely, default=None)


def _told(name: str, change: Change) -> Iterator[str]:
    before, after, last, start, count = change
    assert after.verdict is not None
    old, new = map(after.verdict.dates.text, (last, start))
    yield (
        f"{name}: {before.semantics} predicts every alert up to {old}; {after.semantics} predicts every "
        f"alert from {new} on"
    )
    yield (
        f"{name} changed between {old}, the last evaluation that only the old rule predicts, and {new}, the "
        f"first of {outputs.quantity(count, 'evaluation')} that only the new rule predicts"
    )
    # Each rule was in force on one side only.
    outside = before.outside[0], after.outside[1]
    if any(outside):
        yield f"{name} has alerts {_spanned(after, outside)}"


def _reasons(
    names: tuple[str, str], n: int, best: Prediction, lacking: Sequence[AlertMatch], dates: Dates
) -> Iterator[str]:
    """Yield a sentence about the alerts that log `n` lacks, if a semantics with a clock predicts the log."""
    if not best.correct or best.engine not in CLOCKED or best.verdict is None or best.period is None:
        return
    # Other windows, another limit or another query are the reason, or an alert has several events.
    if best.changed or best.query or best.grouped is not None:
        return
    assert isinstance(best.verdict.judgement, Judgement)
    bounds, own = best.verdict.judgement.best.choice.bounds, best.verdict.dates
    spans = [(window.at["from"], window.at["to"]) for window in best.windows]
    known = [(start, end) for start, end in spans if start is not None and end is not None]
    if not known:
        return
    # The judged windows are those with alerts; a clock also closes windows without one.
    last, width = max(end for _, end in known), max(end - start for start, end in known)
    period = best.period.milliseconds / own.unit.milliseconds

    def where(alert: AlertMatch) -> str:
        if alert.again:
            return f"that {names[n]} has at another time after the same event"
        if alert.event is None:
            return "without a known event"
        t = (alert.event + later_by(dates.zero, own.zero)) / own.unit.milliseconds
        if t > last:
            return "whose event comes after the last alert of this system"
        following = last - (last - t) // period * period
        if any(_shows(end - width, end, bounds, t) for end in (following, following + period)):
            shared = "the window reports no row, or one row for equal events"
            return f"whose event is in a window of this system ({shared})"
        return "whose event is in none of the windows of this system"

    counts = Counter(map(where, lacking))
    told = [f"{outputs.quantity(count, 'alert')} {where}" for where, count in counts.most_common()]
    if told:
        count = outputs.quantity(len(lacking), "alert")
        yield f"{names[n]} lacks {count} of {names[1 - n]}: {', '.join(told)}"


def _of_missed(name: str, match: LogMatch, counts: Missed, dates: Dates) -> Iterator[RenderableType]:
    """Yield the numbers of missed alerts by pull period and window width.

    For each width, a sentence contains the longest tried period that misses no alert.
    """
    if not counts:
        return
    periods, widths = (list(dict.fromkeys(lengths)) for lengths in zip(*counts, strict=True))
    since = "" if dates.zero is None else f" from {dates.zero} on"
    columns = ("U", *(f"W = {width}" for width in widths))
    rows = [(str(period), *(str(counts[period, width]) for width in widths)) for period in periods]
    title = f"number of alerts of {name} that a pull every U{since} misses, by window width W"
    yield outputs.table(title, columns, rows, right=columns)
    for width in widths:
        none = [period for period in periods if not counts[period, width]]
        longest = f"U = {max(none, default=None)} is the longest of these periods that misses no alert"
        tried = longest if none else "each of these periods misses an alert"
        yield f"W = {width}: {tried}; if U is at most {width}, each event is in a window"
    if unknown := sum(alert.first is not None and alert.event is None for alert in match.alerts):
        yield f"not counted: {outputs.quantity(unknown, 'alert')} without a known event"


def _shows(start: float, end: float, bounds: Bounds, t: float) -> bool:
    after = start < t if misses_first(bounds) else start <= t
    return after and (t < end if misses_last(bounds) else t <= end)


def later_by(zero: str | None, other: str | None) -> float:
    """Return the number of ms by which the dateTime `zero` is later than the dateTime `other`."""
    if zero is None or other is None:
        return 0.0
    return (read_time(zero).value - read_time(other).value) / 10**6


def _with_delay(prediction: Prediction) -> str:
    late = f" (alerts up to {seconds(prediction.late)} later)" if prediction.late > SLACK else ""
    return f"{prediction.rule}{_such_as(prediction)}{prediction.by_rows}{prediction.by_query}{late}"


def _such_as(prediction: Prediction) -> str:
    """Return a text with the first evaluation by a clock; empty without a clock or an evaluation."""
    if prediction.verdict is None or not prediction.windows:
        return ""
    dates, first = prediction.verdict.dates, prediction.windows[0].end
    is_clocked = prediction.engine.partition(", ")[0] in CLOCKED
    return f" (such as at {dates.text(first)})" if is_clocked and first is not None else ""


def _unexplained(best: Prediction, window: WindowVerdict) -> tuple[str, str, str]:
    assert best.verdict is not None
    dates, end = best.verdict.dates, window.end
    missing, extra = outputs.told_apart(window.missing, window.extra)
    own = [_own_time(best, window, row) for row in window.extra]
    timed = [
        text if t in {None, end} else f"{text} at {dates.text(t)}" for text, t in zip(extra, own, strict=True)
    ]
    at = str(window.at) if end is None else dates.text(end)
    return at, " ".join(missing) or ("" if extra else str(window.problem)), " ".join(timed)


def _own_time(best: Prediction, window: WindowVerdict, row: Row) -> float | None:
    """Return the time of an alert in its log, in time points: the first time from the evaluation on."""
    if best.log is None or best.verdict is None or window.end is None:
        return None
    length, key = best.verdict.dates.unit.milliseconds, row_key(row, lexical=True)
    since = window.end * length - SLACK
    reports = (report for report in best.log.reports if report.t >= since)
    times = (r.t for r in reports if any(row_key(one, lexical=True) == key for one in r.rows))
    t = next(times, None)
    return None if t is None else t / length


def _alert_json(match: LogMatch, alert: AlertMatch, dates: Dates) -> outputs.Json:
    times = dates.with_dates({"first": alert.first, "second": alert.second, "nearest": alert.near})
    row = outputs.binding(match.variables, alert.row)
    return {"row": row, **times, "delay": alert.delay, "elsewhere": alert.elsewhere}


def _departure_json(departure: Prediction | None) -> outputs.Json | None:
    """Return the semantics from which a log departs, with the first and the last time; None without one."""
    if departure is None or departure.verdict is None or not departure.close:
        return None
    ends = [window.end for window in departure.unexplained if window.end is not None]
    times = {"start": min(ends, default=None), "end": max(ends, default=None)}
    return {"semantics": departure.semantics, **departure.verdict.dates.with_dates(times)}


def _apart_json(tried: Sequence[Prediction]) -> outputs.Json | None:
    """Return the semantics that predicts a log apart from lost alerts, with a text; None without one."""
    apart = _rule_apart(tried)
    return None if apart is None else {"semantics": apart[0].semantics, "but": apart[1]}


def _change_json(tried: Sequence[Prediction]) -> outputs.Json | None:
    if not tried or tried[0].fits or (change := change_of(tried)) is None:
        return None
    before, after, last, start, count = change
    assert after.verdict is not None
    dated = after.verdict.dates.with_dates({"last": last, "start": start})
    return {"before": before.semantics, "after": after.semantics, **dated, "evaluations": count}


def _prediction_json(prediction: Prediction) -> outputs.Json:
    verdict = prediction.verdict
    return {
        "semantics": prediction.semantics,
        "engine": prediction.engine,
        "bounds": prediction.bounds,
        "repeated": prediction.repeated,
        "correct": None if verdict is None else verdict.correct,
        "evaluations": len(prediction.windows),
        "unexplained": len(prediction.unexplained),
        "silent": prediction.silent,
        "outside": list(prediction.outside),
        "left_out": prediction.left_out,
        "late": prediction.late,
        "problem": prediction.problem,
    }
