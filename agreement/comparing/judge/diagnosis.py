"""Diagnose an incorrect recording: find the known fault that explains most of the recorded rows.

Two tolerant comparisons follow the benchmark YABench (2016). The first comparison moves the window borders to
the borders that fit a report best. The second comparison also compares reports before the first window
closes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from operator import sub
from typing import Final, get_args

from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.assignment import first_close, slots_of
from agreement.comparing.judge.by_engine import judged_by
from agreement.comparing.judge.judgement import Judgement, judge_recording
from agreement.comparing.judge.settings import likeness_of, narrow_options, with_rows_of
from agreement.comparing.judge.verdicts import Verdict
from agreement.comparing.matching.likeness import Likeness, RowMatch, join_rows, match_rows, share
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.outputs import plain, quantity
from agreement.documents.recordings import SLACK, Recording, Report, rows_of
from agreement.documents.requests import JudgeOptions, WindowSource, reads_graphs, sources, with_sources
from agreement.engines import specifications
from agreement.engines.r2s import relation_to_stream
from agreement.engines.registry import ENGINES
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, TimeLimitError
from lars.language.stream import ToStream
from lars.language.windows import Bounds
from solver.facts import Row
from solver.settings import Progress, no_progress
from translate.model.query import Semantics
from translate.model.windows import Range


def early_matches(
    task: specifications.Task,
    specification: specifications.Specification,
    recording: Recording,
    options: JudgeOptions,
    judged: Verdict,
) -> dict[float, RowMatch]:
    """Compare each report before the first window closes with the answers over windows that are still open.

    Returns:
        The match of the rows, by the time of the report in ms.
    """
    scheduled = specifications.evaluated_windows(task, specification, judged.choice)
    closes = first_close(scheduled)
    recorded = recorded_for(task, recording)
    slots = slots_of(scheduled, specifications.evaluations(scheduled), recorded, options)
    early: dict[float, list[Report]] = {}
    for slot in slots:
        if slot.right is None and closes is not None and slot.at < closes:
            early.setdefault(slot.at, []).extend(slot.came)
    answers = specifications.answers_of(scheduled)
    return _compared(scheduled, answers, early, options) if early and answers is not None else {}


def _compared(
    scheduled: specifications.ScheduledTask,
    answers: specifications.ContentAnswers,
    early: Mapping[float, list[Report]],
    options: JudgeOptions,
) -> dict[float, RowMatch]:
    task, specification = scheduled.task, scheduled.specification
    times = [int((t + SLACK) / task.unit.milliseconds) for t in early]
    points = (
        specifications.EvaluationPoint(specifications.at_close(time, scheduled.frame), time) for time in times
    )
    rows = dict(enumerate(answers.rows([scheduled.content(point) for point in points])))
    kind = task.query.to_stream or specification.stream
    expected = relation_to_stream(kind, range(len(early)), rows)
    how = likeness_of(with_rows_of(specification, options))
    return {t: match_rows(expected[n], rows_of(own), how) for n, (t, own) in enumerate(early.items())}


_STEPS: Final = (1, 2, 3, 5, 9, 17, 33)
"""The distances from an expected border, in distinct times, at which other borders are tried."""
_SAMPLES: Final = 12
"""The number of borders that a round tries between two tried borders."""
_ROUNDS: Final = 8
"""The maximum number of rounds that each move both borders; most searches end earlier."""
_TRIPLES: Final = 100_000
"""The maximum total number of triples in all window contents that are evaluated together."""


Borders = tuple[int, int]
"""The content of a window: elements of the stream from the first index up to, but without, the second.

It is no range, because all empty ranges are equal, but windows without content may be at different places.
"""


@dataclass(frozen=True, slots=True)
class Shift:
    """Borders of a window that fit a report better than the expected borders.

    - `window` is the number of the window in the query, from 1.
    - `start` and `end` are the shifts of both borders in triples; a positive shift means later.
    - `first` and `last` are the time points of the first and last triple in the window. Both are None if the
      window is empty.
    - `rows` is the match of the report with the answers over the shifted window.
    """

    window: int
    start: int
    end: int
    first: int | None
    last: int | None
    rows: RowMatch


def border_shifts(
    task: specifications.Task,
    specification: specifications.Specification,
    recording: Recording,
    options: JudgeOptions,
    judged: Verdict,
) -> dict[float, Shift]:
    """Return, for the time in ms of each wrong evaluation, window borders that fit its reports better."""
    recorded = recorded_for(task, recording)
    scheduled = specifications.evaluated_windows(task, specification, judged.choice)
    answers = specifications.answers_of(scheduled)
    if answers is None:
        return {}
    points = {point.time * task.unit.milliseconds: point for point in scheduled.points}
    how = likeness_of(with_rows_of(specification, options))
    wrong = {window.at for window in (*judged.transient, *judged.windows) if window.problem is not None}
    shifts: dict[float, Shift] = {}
    for slot in slots_of(scheduled, specifications.evaluations(scheduled), recorded, options):
        if slot.at in wrong and slot.right is not None and slot.came:
            shift = best_shift(scheduled, answers, slot, points[slot.at], how)
            if shift is not None:
                shifts[slot.at] = shift
    return shifts


def best_shift(
    scheduled: specifications.ScheduledTask,
    answers: specifications.ContentAnswers,
    slot: ReportMatch,
    point: specifications.EvaluationPoint,
    how: Likeness,
) -> Shift | None:
    """Return the window borders that fit the reports of an evaluation best; None if no borders fit better."""
    rows, expected = rows_of(slot.came), rows_of(slot.right or ())

    def met(wanted: Sequence[Row]) -> RowMatch:
        return match_rows(wanted, rows, how)

    shifts = [
        _Search(scheduled, answers, number, point, met).best()
        for number, window in enumerate(scheduled.windows)
        if window.elements
    ]
    # An empty window fits each empty report, so it is no evidence of shifted borders.
    moved = [
        shift
        for shift in shifts
        if shift is not None and (shift.start or shift.end) and shift.first is not None
    ]
    better = [shift for shift in moved if shift.rows.score > met(expected).score]
    return max(better, key=lambda shift: (shift.rows.score, -abs(shift.start) - abs(shift.end)), default=None)


class _Search:
    """A search for better borders of one window; the other windows keep their expected borders."""

    def __init__(
        self,
        scheduled: specifications.ScheduledTask,
        answers: specifications.ContentAnswers,
        number: int,
        point: specifications.EvaluationPoint,
        met: Callable[[Sequence[Row]], RowMatch],
    ) -> None:
        self.scheduled, self.answers, self.number, self.met = scheduled, answers, number, met
        self.window = scheduled.windows[number]
        self.shown = scheduled.content(point)
        span = self.shown[number]
        self.expected: Borders = span.start, span.stop
        self.tried: dict[Borders, RowMatch] = {}

    def best(self) -> Shift | None:
        """Return the borders of the window that fit the reports best, as a shift from the expected ones.

        The first round tries borders near the expected borders. Each further round tries borders near the
        best borders of the round before.
        """
        firsts, ends = map(self._instants, self.expected)
        self._try(product(firsts, ends))
        for _ in range(_ROUNDS):
            before = first, end = self._chosen()
            self._try((tried, end) for tried in self._between(first))
            first, end = self._chosen()
            self._try((first, tried) for tried in self._between(end))
            if self._chosen() == before:
                break
        return self._shift(self._chosen())

    def _shift(self, borders: Borders) -> Shift:
        triples = self.window.elements[slice(*borders)]
        start, end = map(sub, borders, self.expected)
        return Shift(
            self.number + 1,
            start,
            end,
            triples[0].t if triples else None,
            triples[-1].t if triples else None,
            self.tried[borders],
        )

    def _chosen(self) -> Borders:
        return max(self.tried, key=lambda borders: (self.tried[borders].score, -self._distance(borders)))

    def _instants(self, place: int) -> list[int]:
        """Return the given index of the stream, and near indexes at which the time of the triples changes."""
        elements = self.window.elements
        changes = [n for n in range(1, len(elements)) if elements[n - 1].t != elements[n].t]
        places = sorted({0, place, *changes, len(elements)})
        at = places.index(place)
        near = [at + side * step for step in _STEPS for side in (-1, 1)]
        return sorted({place, *(places[n] for n in near if 0 <= n < len(places))})

    def _between(self, place: int) -> Iterator[int]:
        """Yield untried borders around the border `place`, up to the next tried borders on both sides."""
        tried = sorted(set(chain(*self.tried)))
        at = tried.index(place)
        low, high = tried[max(0, at - 1)], tried[min(len(tried) - 1, at + 1)]
        step = max(1, (high - low) // _SAMPLES)
        near = (place - 1, place + 1)
        yield from sorted(n for n in {*range(low, high + 1, step), *near} if low <= n <= high)

    def _try(self, borders: Iterable[Borders]) -> None:
        forward = dict.fromkeys((first, end) for first, end in borders if first <= end)
        # The nearest borders first, up to a limit of the triples in all contents together.
        new = [one for one in forward if one not in self.tried]
        size = max(1, max((end - first for first, end in new), default=1))
        most = max(1, _TRIPLES // size)
        nearest = sorted(new, key=self._distance)[:most]
        for one, rows in zip(nearest, self._answers(nearest), strict=True):
            self.tried[one] = self.met(rows)

    def _distance(self, borders: Borders) -> int:
        return sum(map(abs, map(sub, borders, self.expected)))

    def _answers(self, borders: Sequence[Borders]) -> list[Sequence[Row]]:
        """Return the rows that would be reported for each pair of borders.

        For ISTREAM and DSTREAM, the answer over a window is compared with the answer over the same window
        without the triples of its last time.
        """
        kind = self.scheduled.task.query.to_stream or self.scheduled.specification.stream
        contents = [self._content(border) for border in borders]
        if kind == "RSTREAM":
            return list(self.answers.rows(contents))
        contents += [self._content(self._before(border)) for border in borders]
        numbers = self.answers.rows(contents)
        pairs = zip(numbers[len(borders) :], numbers[: len(borders)], strict=True)
        return [relation_to_stream(kind, (0, 1), {0: before, 1: now})[1] for before, now in pairs]

    def _before(self, borders: Borders) -> Borders:
        elements, (first, last_end) = self.window.elements, borders
        end = last_end
        while end > first and elements[end - 1].t == elements[last_end - 1].t:
            end -= 1
        return first, end

    def _content(self, borders: Borders) -> specifications.ShownSpans:
        ranges = list(self.shown)
        ranges[self.number] = range(*borders)
        return tuple(ranges)


_ROWS: Final[Mapping[object, str]] = {
    "set": "counting equal rows once, in the prediction and in the recording",
    "bag": "counting each of several equal rows",
}


def variations(of: specifications.Specification) -> Iterator[tuple[str, specifications.Specification]]:
    """Yield specifications that differ in one parameter from a given specification, with descriptions."""
    reports = ({"window-close"}, {"window-close", "non-empty"}, {"content-change"})
    changes: dict[str, tuple[object, ...]] = {
        "report": tuple(map(frozenset, reports)),
        "bounds": tuple((bounds,) for bounds in get_args(Bounds)),
        "slide": get_args(specifications.Slide),
        "tick": ("instant", "triple"),
        "stream": get_args(ToStream),
        "empty": get_args(specifications.Empty),
        "rows": get_args(Semantics),
    }
    for name, values in changes.items():
        now = getattr(of, name)
        for value in values:
            # Bounds that the specification allows anyway are no other parameter.
            if value != now and not (isinstance(value, tuple) and set(value) <= set(of.bounds)):
                says = _ROWS[value] if name == "rows" else f"{name} = {specifications.in_words(value)}"
                yield says, of.model_copy(update={name: value})


def _empty_closes(of: specifications.Specification) -> Iterator[tuple[str, specifications.Specification]]:
    """Yield a specification with two other parameters: each window that closes reports, also an empty answer.

    One change alone still omits reports: of windows without a triple, or of other windows without a row.
    """
    report = frozenset(("window-close",))
    if of.report == report | {"non-empty"} and of.empty != "reported":
        says = "report = window-close and empty = reported"
        yield says, of.model_copy(update={"report": report, "empty": "reported"})


_DUE: Final = 4
"""The number of windows that are tried as the window of the first report."""


@dataclass(frozen=True, slots=True)
class FaultExplanation:
    """A fault that could explain a recording, with a description.

    - `sentence` describes the fault.
    - `predicted` is the share of the recorded rows that are predicted with the fault; None if no row is
      recorded.
    - `score` is the harmonic mean of `predicted` and the share of predicted rows that are recorded.
    - `complete` is true if the prediction with the fault equals the recording.
    - `unrecorded` is the number of rows that are predicted with the fault, but not recorded.
    - `rank` orders faults that explain the recording equally well, by how simple they are.
    """

    sentence: str
    predicted: float | None
    score: float
    complete: bool
    unrecorded: int
    rank: int = 0


OTHER_CHANGE: Final = 1
"""The rank of a single change that is no parameter of a specification, such as an ignored FILTER."""
HUNTED: Final = -1
"""The rank of the fault that `lars hunt` named for a case that it wrote."""
_VERSION: Final = 2
"""The rank of an engine version, which changes many things at once."""
_BORDERS: Final = 3
"""The rank of borders that fit each window by itself."""


MOST_RECORDED: Final = 100
"""The number of triples, and of reports, up to which a recording is explained by the faults of a hunt.

Each of more than 200 faults judges the recording once: with 100 triples, this takes some seconds.
"""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The possible explanations of an incorrect recording.

    - `specification` describes how well the specification without a fault explains the recording.
    - `explanations` are the faults that explain the recording better, best first.
    - `shifts` maps the time of a wrong evaluation in ms to window borders that fit its reports better.
    - `reports` is the number of recorded reports that the explanations explain.
    - `too_long` is true if no explanation is complete, and the recording is too long for the rules of a hunt.
    - `only_borders` is true if the explanations are only shifted window borders.
    """

    specification: FaultExplanation
    explanations: tuple[FaultExplanation, ...]
    shifts: dict[float, Shift]
    reports: int = 0
    too_long: bool = False
    only_borders: bool = False


@dataclass(frozen=True, slots=True)
class RecordingToJudge:
    """A recording with all data for judging: the task, the engine's input, and the settings.

    The field `rows` is the number of recorded rows; rows outside the compared windows count as unexplained.
    """

    task: specifications.Task
    run: specifications.EngineRun
    recording: Recording
    options: JudgeOptions
    rows: int = 0

    @property
    def is_short(self) -> bool:
        """Whether the rules of a hunt can explain the recording in some seconds."""
        return max(len(self.run.pushes), len(self.recording.reports)) <= MOST_RECORDED

    def judge(
        self, says: str, specification: specifications.Specification, options: JudgeOptions
    ) -> FaultExplanation | None:
        """Return how well a specification explains the recording.

        The result is None if the specification cannot judge the recording, or cannot reach a sufficient
        score.
        """
        try:
            judgement = judge_recording(self.task, specification, self.recording, options)
        except TimeLimitError:
            raise
        except LarsError:
            return None
        return _of_verdict(says, judgement.best, self.rows) if judgement.verdicts else None

    def by_engine(self, name: str) -> FaultExplanation | None:
        """Return how well an engine version explains the recording; None if it cannot run the query."""
        try:
            untimed, numbers = replace(self.options, times=False), self.task.numbers
            judgement = judged_by(ENGINES[name], self.run, self.recording, untimed, numbers=numbers)
        except LarsError:
            return None
        complete = judgement.correct is True
        return FaultExplanation(
            f"the engine {name}",
            judgement.rows.precision if judgement.rows.actual else None,
            judgement.rows.score,
            complete,
            judgement.rows.expected - judgement.rows.common,
            _VERSION,
        )

    def earlier(self, milliseconds: float) -> "RecordingToJudge":
        """Return the recording with all reports moved to earlier times by this number of milliseconds."""
        reports = (replace(report, t=report.t - milliseconds) for report in self.recording.reports)
        return replace(self, recording=replace(self.recording, reports=tuple(reports)))


def by_borders(recorded: RecordingToJudge, judgement: Judgement) -> Diagnosis:
    """Diagnose a recording only by shifted window borders, and by reports before the first window closes."""
    arguments = (recorded.task, judgement.specification, recorded.recording, recorded.options, judgement.best)
    own = _of_verdict(f"the specification {judgement.specification.name}", judgement.best)
    shifts, early = border_shifts(*arguments), early_matches(*arguments)
    faults = (by_shifts(judgement.best, shifts, early),) if shifts or early else ()
    return Diagnosis(own, faults, shifts, len(recorded.recording.reports), only_borders=True)


MoreFaults = Callable[[RecordingToJudge, specifications.Specification], Iterator[FaultExplanation]]
"""A function that yields further faults that each predict a recording completely, simplest fault first."""


def diagnose(
    recorded: RecordingToJudge,
    judgement: Judgement,
    progress: Progress = no_progress,
    more: MoreFaults = lambda *_: iter(()),
) -> Diagnosis:
    """Find the faults that explain why a recording contradicts a specification, best fault first.

    The tried explanations are: shifted window borders, reports that are all late or early, engine versions,
    other specifications, and the faults of `more`. A fault of `more` is left out if it is
    another specification that is a complete explanation.
    """
    moved = by_borders(recorded, judgement)
    rows = sum(window.rows.actual for window in judgement.best.windows)
    # A fault that explains less than the specification itself needs no complete verdict (`worth`).
    hints = replace(narrow_options(recorded.options, recorded.task), worth=moved.specification.score)
    trying = replace(recorded, rows=rows, options=hints)
    late, others = list(_delays(trying, judgement)), list(_attempts(trying, judgement.specification))
    explained: list[FaultExplanation | None] = []
    # Delays first, because the answers of the specification are still cached.
    for done, attempt in enumerate((*late, *others)):
        if recorded.options.deadline.is_over:
            break
        progress(done, len(late) + len(others) + 1)
        explained.append(attempt())
    found_in_order = (*moved.explanations, *explained[len(late) :], *explained[: len(late)])
    tried = [explanation for explanation in found_in_order if explanation is not None]
    simple = {fault.sentence for fault in tried if fault.complete}
    hunted = list(more(recorded, judgement.specification))
    tried += [fault for fault in hunted if _without_quotes(fault.sentence) not in simple]
    # With a gap in the recording, the first verdict need not have the best score.
    own = max(verdict.score for verdict in judgement.verdicts)
    better = [fault for fault in tried if fault.complete or fault.score > own]
    # Among equally good faults, simple ones come first, since engine versions can fit few reports by chance.
    better.sort(key=lambda fault: (not fault.complete, -fault.score, fault.rank))
    timed = recorded.options.match == "time"
    too_long = timed and not recorded.is_short and not any(fault.complete for fault in better)
    return replace(moved, explanations=tuple(better), too_long=too_long, only_borders=False)


def _without_quotes(sentence: str) -> str:
    """Return the sentence of a changed specification, from the sentence of the same fault of a hunt."""
    return sentence.replace('the fault "', "").rstrip('"')


_Attempt = Callable[[], FaultExplanation | None]


def _attempts(recorded: RecordingToJudge, of: specifications.Specification) -> Iterator[_Attempt]:
    """Yield functions, each of which tries to explain a recording by one engine version or specification.

    The engine versions are those that claim to follow the specification `of`; the specifications differ from
    `of` in one parameter. Windows that are evaluated before they are full, and windows of other lengths, are
    also tried.
    """
    for name, engine in ENGINES.items():
        if engine.specification == of.name and not reads_graphs(recorded.task.query):
            yield partial(recorded.by_engine, name)
    free = replace(recorded.options, bounds=None, semantics=None)
    for changed, specification in (*variations(of), *_empty_closes(of)):
        yield partial(recorded.judge, f"{of.name} with {changed}", specification, free)
    windows = (source.window for source in sources(recorded.task.query))
    ranges = [window for window in windows if isinstance(window, Range)]
    if not ranges:
        return
    if recorded.options.t0 is None:
        # Many self-written systems also evaluate windows that opened before the start of the stream.
        longest = max(window.length.points(recorded.task.unit) for window in ranges)
        early = replace(recorded.options, registered=-longest)
        yield partial(recorded.judge, f"{of.name} with windows evaluated before they are full", of, early)
    for own, length in _other_lengths(ranges, recorded.task.unit):
        query = with_sources(recorded.task.query, partial(_resized, length))
        other = replace(recorded, task=recorded.task.with_query(query))
        says = f"{of.name} with windows of {length} in place of {own}"
        yield partial(other.judge, says, of, recorded.options)


def _other_lengths(ranges: Sequence[Range], unit: Duration) -> Iterator[tuple[Duration, Duration]]:
    """Yield the length of all time windows with another length to try; nothing for several lengths.

    The other lengths are one slide and two slides more or less, the half and the double.
    """
    first = ranges[0]
    own, slide = first.length.nanoseconds, 0 if first.slide is None else first.slide.nanoseconds
    if any(window.length != first.length for window in ranges):
        return
    for length in dict.fromkeys(
        (own - slide, own + slide, own // 2, 2 * own, own - 2 * slide, own + 2 * slide)
    ):
        if length > 0 and length != own and length % unit.nanoseconds == 0:
            yield first.length, Duration(length)


def _resized(length: Duration, source: WindowSource) -> WindowSource:
    window = source.window
    return replace(source, window=replace(window, length=length)) if isinstance(window, Range) else source


def _delays(recorded: RecordingToJudge, judgement: Judgement) -> Iterator[_Attempt]:
    """Yield functions, each of which tests whether all reports are late, or early, by a certain time."""
    of = judgement.specification
    for offset in sorted(_offsets(recorded, judgement.best), key=lambda number: (abs(number), number)):
        says = f"{of.name} with every report {plain(abs(offset))} ms {'late' if offset > 0 else 'early'}"
        yield partial(recorded.earlier(offset).judge, says, of, recorded.options)


def _offsets(recorded: RecordingToJudge, verdict: Verdict) -> set[float]:
    """Return delays in ms to try.

    Each delay moves the first report with rows to one of the first windows with expected rows. If no window
    has expected rows, the delays are one and two time units, early and late.
    """
    length = recorded.task.unit.milliseconds
    first = next((report.t for report in recorded.recording.reports if report.rows), None)
    due = [window.at for window in verdict.windows if window.rows.expected][:_DUE]
    usual = {points * length for points in (-2, -1, 1, 2)}
    return {first - t for t in due if t != first} if first is not None and due else usual


def _of_verdict(says: str, verdict: Verdict, rows: int = 0) -> FaultExplanation:
    """Return how well a verdict's specification explains all recorded rows, also rows outside its windows."""
    match = join_rows([window.rows for window in verdict.windows])
    all_rows = max(match.actual, rows)
    score = share(2 * match.common, match.expected + all_rows)
    complete = verdict.correct is True and match.actual == all_rows
    unrecorded = match.expected - match.common
    predicted = share(match.common, all_rows) if all_rows else None
    return FaultExplanation(says, predicted, score, complete, unrecorded)


def by_shifts(verdict: Verdict, shifts: dict[float, Shift], early: dict[float, RowMatch]) -> FaultExplanation:
    """Return how well shifted borders, and reports before the first close, explain a recording."""
    matches: list[RowMatch] = []
    complete = True
    for window in verdict.windows:
        shift = shifts.get(window.at)
        own = early.get(window.at) if window.right is None else shift and shift.rows
        matches.append(own or window.rows)
        complete = complete and matches[-1].equal and (own is not None or window.problem is None)
    rows = join_rows(matches)
    says = " and ".join(_moved(len(shifts), len(early)))
    predicted = rows.precision if rows.actual else None
    return FaultExplanation(says, predicted, rows.score, complete, rows.expected - rows.common, _BORDERS)


def _moved(shifts: int, early: int) -> Iterator[str]:
    if shifts:
        yield f"shifting the borders of {quantity(shifts, 'window')}"
    if early:
        yield f"reporting {quantity(early, 'time')} before the first window closes"
