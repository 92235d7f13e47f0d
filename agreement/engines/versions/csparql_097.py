"""The model of C-SPARQL 0.9.7 in external time: Esper keeps one window, and Jena evaluates its content.

The functions follow a triple: choice of the window, triples that enter, clock and arrival times, reports,
answers. Numbered rules describe how the engine deviates from its specification. These rules determine the
window:

- W1: The engine uses only one window of a query, the first window in the order of a hash set.
- W3: The engine moves the clock over the ticks between two pushed triples. A triple whose time is a tick
  waits until a later triple arrives, and then enters before the clock reaches the tick.
- W4: A view of Esper is the window. The view receives arrivals and clock settings. When the view reports, it
  returns the numbers of the triples it contains.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil, floor, inf
from typing import Final

from agreement.documents.recordings import ANSWER, Push, Recording, Report
from agreement.documents.requests import WindowSource
from agreement.engines import engine
from agreement.engines.versions.processors import COUNTING, SUMMING, with_equal_values, with_row_of_nothing
from lars.dataclass import dataclass
from lars.durations import NANOSECONDS
from lars.errors import LarsError
from lars.language.terms import XSD, Literal
from solver.facts import Row, Static, Triple
from translate.analysis import expressions_of, parts
from translate.model.patterns import StreamBlock
from translate.model.query import EngineQuery, Language
from translate.model.windows import Range, Rows, WindowExpression
from translate.tau import uses_arrivals

TICK: Final = 1000
"""The number of milliseconds between two ticks of the engine's clock."""

_MOST_TICKS: Final = 1_000_000
"""The maximum number of ticks between two triples; a larger number suggests a wrong unit."""

NumberedPush = tuple[int, Push]
"""A pushed triple with its number."""


@dataclass(frozen=True, slots=True)
class ClockSet:
    """An event: the engine sets its clock to `now` (ms) while it processes the triple `trigger`.

    The field `due` is the time of the tick or triple that causes the event. The field `report_time` is the
    time of a report at the event; if no triple has the time of the tick, it is 1 ms later than the tick.
    """

    trigger: int
    now: float
    due: float
    report_time: float


@dataclass(frozen=True, slots=True)
class StampedArrival:
    """An event: the triple with the number `number` enters the windows with the time `stamp` (ms).

    The event occurs while the engine processes the pushed triple `trigger`.
    """

    trigger: int
    number: int
    stamp: float


ClockEvent = ClockSet | StampedArrival


def refusals(pushes: Sequence[Push]) -> tuple[int, ...]:
    """Return the numbers of the triples that the engine rejects because they are out of order.

    The engine rejects a triple that is older than a waiting triple, whose time is a tick. The engine accepts
    all other triples out of order.
    """
    problems = []
    last: float | None = None
    waiting: float | None = None
    for number, push in enumerate(pushes):
        if last is None:
            last = _floor(push.t)
        elif push.t > last + TICK:
            last, waiting = _before(push.t), None
        if push.t == last + TICK:
            waiting = push.t
        elif waiting is not None and push.t < waiting:
            problems.append(number)
    return tuple(problems)


def drive(pushes: Iterable[NumberedPush]) -> Iterator[ClockEvent]:
    """Yield the arrivals and clock settings of the engine, for one pushed triple after the other."""
    queue: list[NumberedPush] = []
    last = now = 0.0
    started = False
    for number, push in pushes:
        t = push.t
        if not started:
            started, last, now = True, _floor(t), t
            yield from (_at(number, last), StampedArrival(number, number, last), _at(number, t))
            continue
        _check_gap(last, t)
        while t > last + TICK:
            last += TICK
            yield from (StampedArrival(number, waiting, now) for waiting, _ in queue)
            if queue:
                yield _at(number, last)
            queue, now = [], last + 1
            yield ClockSet(number, now, last, now)
        if t == last + TICK:
            queue.append((number, push))
            continue
        if t != now:
            now = t
            yield _at(number, t)
        yield StampedArrival(number, number, now)


def specified_clock(pushes: Iterable[NumberedPush]) -> Iterator[ClockEvent]:
    """Yield the arrivals and clock settings of a correct engine.

    A triple arrives at its time, and the next triple moves the clock.
    """
    reached: float | None = None
    times = set[float]()
    for number, push in pushes:
        if reached is None:
            reached = _before(push.t)
            yield _at(number, reached)
        _check_gap(reached, push.t)
        while reached + TICK < push.t:
            reached += TICK
            yield ClockSet(number, reached, reached, reached if reached in times else reached + 1)
        times.add(push.t)
        yield StampedArrival(number, number, push.t)


def _check_gap(last: float, t: float) -> None:
    if t - last > _MOST_TICKS * TICK:
        raise LarsError(
            f"the clock ticks more than {_MOST_TICKS} times from {last:.0f} to {t:.0f} ms; use "
            "smaller gaps between pushes, or a coarser unit"
        )


def _at(trigger: int, t: float) -> ClockSet:
    return ClockSet(trigger, t, t, t)


def _floor(t: float) -> float:
    return floor(t / TICK) * TICK


def _before(t: float) -> float:
    """Return the last tick of the clock before a time."""
    return (ceil(t / TICK) - 1) * TICK


_INT: Final = 1 << 32
_GREATEST: Final = 2**31 - 1
_OFFSET: Final = _GREATEST + 1000
_BUCKETS: Final = 16
_ACCEPTED: Final = "[RANGE l STEP d], [RANGE l TUMBLING] or [RANGE TRIPLES n], l and d whole seconds"

ViewContent = tuple[int, ...]
"""The numbers of the triples that an Esper view contains."""


def chosen(windows: Sequence[StreamBlock]) -> StreamBlock:
    """Return the only window that the engine uses: the first one in the order of Java's `HashSet<String>`.

    Windows are ordered by the bucket of their Esper statement; in one bucket, by their order in the query.

    Raises:
        LarsError: The engine does not support a window.
    """
    return min(windows, key=lambda part: bucket(statement(part)))


def statement(part: StreamBlock) -> str:
    """Return the statement by which the engine creates a window in Esper.

    The name of a stream contains the hash of its IRI.

    >>> from lars.language.terms import Iri
    >>> statement(StreamBlock(Iri("http://e/S"), Rows(3)))
    'select irstream * from STREAM2302724542.win:length_batch(3) output snapshot every 3 events'
    """
    number = java_string_hash(part.iri.value) + _OFFSET
    return f"select irstream * from STREAM{number}.{_view(part.window)}"  # noqa: S608  (no SQL, and never run)


def _view(window: WindowExpression) -> str:
    match window:
        case Rows(count):
            return f"win:length_batch({count}) output snapshot every {count} events"
        case Range():
            length, step = seconds(window)
            if window.tumbling:
                return f"win:time_batch({length} seconds)"
            return f"win:time({length} seconds) output snapshot every {step} seconds"
        case _:
            raise refusal(window)


def seconds(window: Range) -> tuple[int, int]:
    """Return the width and the slide of a window in seconds.

    Raises:
        LarsError: The engine does not support the window.
    """
    if window.slide is None or window.until is not None:
        raise refusal(window)
    length, step = (divmod(part.nanoseconds, NANOSECONDS["s"]) for part in (window.length, window.slide))
    if length[1] or step[1]:
        raise refusal(window)
    return length[0], step[0]


def refusal(window: WindowExpression) -> LarsError:
    """Return the error for a window that C-SPARQL 0.9.7 does not support."""
    return LarsError(f"csparql-0.9.7 does not support the window {window}; use {_ACCEPTED}")


def java_string_hash(text: str) -> int:
    """Return Java's `String.hashCode` of a text: a signed number of 32 bits, from UTF-16 units.

    >>> java_string_hash("http://e/S"), java_string_hash("polygenelubricants")
    (155239895, -2147483648)
    """
    units = text.encode("utf-16-be")
    total = 0
    for place in range(0, len(units), 2):
        total = (31 * total + int.from_bytes(units[place : place + 2], "big")) % _INT
    return total - _INT if total > _GREATEST else total


def bucket(text: str) -> int:
    """Return the bucket of a text among the 16 buckets of a small Java `HashSet`.

    >>> bucket("a")
    1
    """
    code = java_string_hash(text) % _INT
    return (code ^ (code >> 16)) % _BUCKETS


@dataclass(slots=True)
class ReportSchedule:
    """The times at which a view reports, one every `step` milliseconds.

    With `aligned` (rule W4a), the first report is one step after the tick of the clock at the first arrival.
    Without `aligned`, the first report is at the first multiple of the step after the clock at this arrival.
    """

    step: int
    aligned: bool
    now: float | None = None
    next: float | None = None

    def start(self, t: float) -> None:
        """Set the time of the first report when the first triple arrives at time `t` (ms)."""
        if self.next is not None:
            return
        if self.aligned:
            self.next = floor(t / TICK) * TICK + self.step
        else:
            clock = t if self.now is None else self.now
            self.next = (floor(clock / self.step) + 1) * self.step

    def moves(self, now: float) -> bool:
        """Set the clock to `now` (ms); return false if this moves the clock back, otherwise true."""
        forward = self.now is None or now >= self.now
        self.now = now
        return forward

    def due(self) -> float | None:
        """Return the time of the due report, and schedule the next report; None if no report is due."""
        now, due = self.now, self.next
        if now is None or due is None or due > now:
            return None
        self.next = due + (floor((now - due) / self.step) + 1) * self.step
        return due


class TimeView:
    """Esper's view `win:time(R) output snapshot every P`: the arrivals of the last R ms, reported every P ms.

    With `from_head` (rule W4b), expired triples remain in the view behind a triple that has not expired.
    """

    def __init__(self, length: int, schedule: ReportSchedule, *, from_head: bool) -> None:
        self._length, self._schedule, self._from_head = length, schedule, from_head
        self._content: deque[tuple[float, int]] = deque()

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Add a triple to the view; this does not cause a report."""
        self._schedule.start(t)
        self._content.append((stamp, number))

    def tick(self, now: float) -> ViewContent | None:
        """Set the clock to `now` (ms), and return the content that the view then reports, or None.

        The content can include expired triples.
        """
        if not self._schedule.moves(now):
            return None
        content, due = None, self._schedule.due()
        if due is not None:
            if self._oldest() + self._length <= due:
                self._expire(now)
            content = self._numbers()
        self._expire(now)
        return content

    def content(self, at: float) -> ViewContent:
        """Return the content of the view at time `at` (ms); without rule W4b, without the expired triples."""
        if self._from_head:
            return self._numbers()
        return tuple(number for stamp, number in self._content if stamp > at - self._length)

    def _numbers(self) -> ViewContent:
        return tuple(number for _, number in self._content)

    def _oldest(self) -> float:
        if not self._content:
            return 0
        return self._content[0][0] if self._from_head else min(self._content)[0]

    def _expire(self, now: float) -> None:
        if self._from_head:
            while self._content and self._content[0][0] <= now - self._length:
                self._content.popleft()
        elif self._content and self._oldest() <= now - self._length:
            self._content = deque(entry for entry in self._content if entry[0] > now - self._length)


class BatchView:
    """Esper's view `win:time_batch(R)`: all arrivals since the last report, at any time (rule W4c)."""

    def __init__(self, schedule: ReportSchedule) -> None:
        self._schedule = schedule
        self._content: list[int] = []

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Add a triple to the view; this does not cause a report."""
        del stamp
        self._schedule.start(t)
        self._content.append(number)

    def tick(self, now: float) -> ViewContent | None:
        """Set the clock to `now` (ms); if a report is due, clear the view and return its old content."""
        if not self._schedule.moves(now) or self._schedule.due() is None:
            return None
        content, self._content = tuple(self._content), []
        return content

    def content(self, at: float) -> ViewContent:
        """Return the content of the view."""
        del at
        return tuple(self._content)


class CountedView:
    """A view of the newest N triples, reported at each arrival, or in batches of N arrivals (rule W4d)."""

    def __init__(self, count: int, *, batched: bool) -> None:
        self._count, self._batched = count, batched
        self._content: deque[int] = deque(maxlen=count)

    def arrive(self, number: int, t: float, stamp: float) -> ViewContent | None:
        """Add a triple to the view, and return the content to report, or None."""
        del t, stamp
        self._content.append(number)
        content = tuple(self._content)
        if not self._batched:
            return content
        if len(content) < self._count:
            return None
        self._content.clear()
        return content

    def tick(self, now: float) -> None:
        """Return None, because the clock does not cause reports of this view."""

    def content(self, at: float) -> ViewContent:
        """Return the content of the view."""
        del at
        return tuple(self._content)


EsperView = TimeView | BatchView | CountedView
"""A window in Esper, which receives arrivals and clock settings, and returns contents to report."""


def view(window: WindowExpression, off: engine.Off) -> EsperView:
    """Return the Esper view that the engine creates for a window; rules in `off` do not apply.

    Raises:
        LarsError: The engine does not support the window.
    """
    match window:
        case Rows(count):
            return CountedView(count, batched="W4d" not in off)
        case Range():
            length, step = (count * 1000 for count in seconds(window))
            schedule = ReportSchedule(step, "W4a" not in off)
            if window.tumbling and "W4c" not in off:
                return BatchView(schedule)
            return TimeView(length, schedule, from_head="W4b" not in off)
        case _:
            raise refusal(window)


RULES: Final = (
    engine.EngineRule("W1", "one window serves all streams: the first window of the query in hash order"),
    engine.EngineRule(
        "W2",
        "triples of all streams enter the window and start it, even triples of streams that "
        "the query does not name",
    ),
    engine.EngineRule(
        "W3a",
        "a triple at the time of a tick enters the window when a later triple arrives, with "
        "the time before the tick. The clock can go back",
    ),
    engine.EngineRule("W3b", "a report is 1 ms after its tick, unless a triple has the time of the tick"),
    engine.EngineRule("W3c", "a triple is rejected if it is older than a triple that waits for its tick"),
    engine.EngineRule("W4a", "the first report is one step after the tick before the first triple"),
    engine.EngineRule(
        "W4b",
        "if triples are out of order, an expired triple stays in the window until all triples "
        "that arrived before it have expired",
    ),
    engine.EngineRule(
        "W4c",
        "a TUMBLING window contains all triples that entered it since the last report, whatever their times",
    ),
    engine.EngineRule(
        "W4d", "a window TRIPLES N reports when N triples have entered it, and then begins empty"
    ),
    engine.EngineRule("W5", "a window that contains only triples of other streams does not report"),
    engine.EngineRule(
        "W6a",
        "an aggregate without solutions gives one row: COUNT and AVG are 0, other variables are unbound",
    ),
    engine.EngineRule("W6b", "triple patterns match numbers by value"),
)


@dataclass(frozen=True, slots=True)
class _Window:
    """A window, the streams whose triples enter it (None for all), and the streams whose triples it shows."""

    view: EsperView
    entering: frozenset[str] | None
    kept: frozenset[str]


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off) -> Recording:
    """Return the reports of C-SPARQL 0.9.7.

    Raises:
        LarsError: The engine or the model does not support the query or its window.
    """
    _check(query)
    rejected = () if "W3c" in off else refusals(pushes)
    due = list(_reports(query, pushes, frozenset(rejected), off))
    rows = _answered(query, static, [[pushes[n].triple for n in content] for _, content in due], off)
    variables = (ANSWER,) if query.form == "ASK" else engine.columns(query)
    reports = (replace(report, rows=own) for (report, _), own in zip(due, rows, strict=True))
    return Recording(variables, tuple(reports), rejected)


def _recorded_with_2111(
    query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off
) -> Recording:
    """Return the reports of C-SPARQL 0.9.7 with Jena 2.11.1, in which a SUM over no solution is unbound."""
    return _recorded(query, static, pushes, off | {"P1"})


CSPARQL_097_POM: Final = engine.Engine(
    "csparql-0.9.7-jena-2.13.0",
    "csparql",
    (
        *RULES,
        engine.EngineRule(
            "P1", "with Jena 2.13.0, which the pom.xml of C-SPARQL names, SUM without solutions is 0"
        ),
    ),
    _recorded,
    build="with Jena 2.13.0",
)
"""C-SPARQL 0.9.7 with the version of Jena that its pom names."""
CSPARQL_097: Final = engine.Engine(
    "csparql-0.9.7", "csparql", RULES, _recorded_with_2111, builds=(CSPARQL_097_POM,)
)
"""C-SPARQL 0.9.7 with Jena 2.11.1; the times of triples in ms set its clock, which ticks each second."""


def _check(query: EngineQuery) -> None:
    if query.language is not Language.CSPARQL or not query.merged:
        raise LarsError(
            "csparql-0.9.7 runs only C-SPARQL queries; use a query with FROM STREAM <iri> [RANGE ..]"
        )
    if query.form not in ("SELECT", "ASK") or query.registers_stream:
        kind = "REGISTER STREAM" if query.registers_stream else query.form
        raise LarsError(f"csparql-0.9.7 does not simulate {kind}; use SELECT or ASK")
    if any(uses_arrivals(term) for part in parts(query.pattern) for term in expressions_of(part)):
        raise LarsError("csparql-0.9.7 does not simulate f:timestamp; use a query without this function")


def _reports(
    query: EngineQuery, pushes: Sequence[Push], rejected: frozenset[int], off: engine.Off
) -> Iterator[tuple[Report, ViewContent]]:
    """Yield each report, still without rows, with the numbers of the triples in its windows.

    A window reports only if it contains a triple of a stream that the query names (rule W5).
    """
    windows = _parts(query, off)
    accepted = ((number, push) for number, push in enumerate(pushes) if number not in rejected)
    reached = -inf
    for event in (specified_clock if "W3a" in off else drive)(accepted):
        closing = [_after(part, event, pushes) for part in windows]
        reached = max(reached, event.stamp if isinstance(event, StampedArrival) else event.now)
        if not any(closing):
            continue
        both = [
            (part, part.view.content(reached) if c is None else c)
            for part, c in zip(windows, closing, strict=True)
        ]
        kept = [tuple(n for n in positions if pushes[n].stream in part.kept) for part, positions in both]
        if "W5" in off or any(numbers for numbers, c in zip(kept, closing, strict=True) if c is not None):
            yield Report(_time(event, off), (), event.trigger), tuple(chain(*kept))


def _parts(query: EngineQuery, off: engine.Off) -> list[_Window]:
    names, apart = frozenset(str(part.stream) for part in query.merged), "W1" in off
    windows = []
    for part in query.merged if apart else [chosen(query.merged)]:
        own = frozenset((str(part.stream),)) if apart else names
        windows.append(_Window(view(part.window, off), own if "W2" in off else None, own))
    return windows


def _after(part: _Window, event: ClockEvent, pushes: Sequence[Push]) -> ViewContent | None:
    """Apply an event to a window; return the content that the window then reports, or None."""
    if not isinstance(event, StampedArrival):
        return part.view.tick(event.now)
    push = pushes[event.number]
    if part.entering is not None and push.stream not in part.entering:
        return None
    return part.view.arrive(event.number, push.t, event.stamp)


def _time(event: ClockEvent, off: engine.Off) -> float:
    if isinstance(event, StampedArrival):
        return event.stamp
    return event.due if "W3b" in off else event.report_time


def _answered(
    query: EngineQuery, static: Static, contents: Sequence[Sequence[Triple]], off: engine.Off
) -> list[tuple[Row, ...]]:
    pattern = query.pattern
    if "W6b" not in off:
        known = (static.default, *static.named.values())
        pattern = with_equal_values(pattern, chain(*contents, *known))
    if "W6a" not in off:
        pattern = with_row_of_nothing(pattern, COUNTING if "P1" in off else SUMMING)
    source = WindowSource(query.merged[0].stream, query.merged[0].window)
    contents_shown: list[engine.Content] = [{source: content} for content in contents]
    row_sets = engine.answers(replace(query, pattern=pattern), contents_shown, static)
    if query.form != "ASK":
        return row_sets
    truths = (str(Literal("true" if rows else "false", XSD + "boolean")) for rows in row_sets)
    return [((truth,),) for truth in truths]
