"""The input of an engine, and its evaluation by a specification."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from agreement.documents.recordings import Push, RowNumbers
from agreement.documents.requests import sources
from agreement.documents.traces import background
from agreement.engines.specifications.content_answers import ContentAnswers
from agreement.engines.specifications.elements import (
    PushedTriple,
    TickClock,
    Version,
    any_late,
    elements_of,
    elements_on,
    stream_elements,
    tick_clock,
)
from agreement.engines.specifications.parameters import Tick
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.terms import Variable
from solver.facts import Static
from translate.model.query import EPOCH, EngineQuery, Profile, Semantics, Setting
from translate.model.windows import Rows

KeptPart = Callable[[Sequence[PushedTriple], range, int], range]
"""A function that returns the part of a window's content that the query reads at a time point."""


@dataclass(frozen=True, slots=True)
class EngineRun:
    """A query with the input that an engine receives: static data and pushed triples.

    Time points have the length `unit` and begin at `origin`. If triples arrive late, evaluations that the
    clock causes take place `wait` time points later, and triples whose delay is above `lateness` are dropped.
    """

    query: EngineQuery
    static: Static
    pushes: tuple[Push, ...]
    unit: Duration = SECOND
    origin: str = EPOCH
    wait: int = 0
    lateness: int | None = None
    _known: dict[tuple[Duration, int | None], tuple[tuple[Push, ...], tuple[PushedTriple, ...], int]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """The pushed triples, their elements and the last arrival, which copies with other queries share."""

    @property
    def elements(self) -> tuple[PushedTriple, ...]:
        """The pushed triples at time points, ordered by time and then by arrival."""
        key = self.unit, self.lateness
        # A copy may have other pushed triples. Only the last ones are kept, so that copies need no memory.
        if key not in self._known or self._known[key][0] is not self.pushes:
            self._known.clear()
            elements = elements_of(self.pushes, self.unit, lateness=self.lateness)
            last = max((element.arrival for element in elements), default=0)
            self._known[key] = self.pushes, elements, last
        return self._known[key][1]

    @property
    def last(self) -> int:
        """The time point at which the last triple arrives; 0 without triples."""
        return self._known[self.unit, self.lateness][2] if self.elements else 0


@dataclass(frozen=True, eq=False)
class Task:
    """A query and its input, which specifications evaluate up to the time point `until`.

    Rows are cached, because many specifications and start times need the same rows.
    """

    run: EngineRun
    elements: tuple[PushedTriple, ...]
    until: int
    versions: tuple[Version, ...] = ()
    kept: KeptPart | None = None
    """The function that returns the part of a window's content that the query reads; None for all."""
    only_kept: bool = False
    """Whether a window without a part that the query reads causes no evaluation."""
    at_end: bool = False
    """Whether the query is also evaluated at the last element, over windows that are still open."""
    numbers: RowNumbers = field(default_factory=RowNumbers, repr=False)
    """The numbers of rows, which are the same for rows of the query and for reports of engines."""
    clocks: dict[Tick, TickClock] = field(default_factory=dict, init=False, repr=False)
    content_answers: dict[tuple[Profile, Semantics], ContentAnswers | None] = field(
        default_factory=dict, init=False, repr=False
    )
    """The cached rows of window contents."""
    alike: Mapping[tuple[Profile, Semantics], ContentAnswers | None] = field(
        default_factory=dict, init=False, repr=False
    )
    """The rows of a query with the same streams, but maybe with other conditions."""

    @property
    def query(self) -> EngineQuery:
        """The query of the run."""
        return self.run.query

    @property
    def unit(self) -> Duration:
        """The length of a time point."""
        return self.run.unit

    def with_query(self, query: EngineQuery) -> "Task":
        """Return the evaluation of another query on the same input."""
        return replace(self, run=replace(self.run, query=query))

    def sharing(self, other: "Task") -> "Task":
        """Return this task with a cache of rows that another task also uses.

        Both tasks must have the same input. Their queries may differ only in widths and slides of windows and
        in the relation-to-stream operator. Widths and slides determine the contents of windows, but not the
        rows of a content; the operator compares the rows of contents.
        """
        task = self.with_input_of(other)
        # No field of __init__: a copy with another query must not keep the rows.
        task.__dict__.update(content_answers=other.content_answers, alike=other.alike)
        return task

    def with_input_of(self, other: "Task") -> "Task":
        """Return this task with the numbers of rows and terms, and with the clocks, of another task.

        Both tasks must have the same input. Their queries may differ in widths and slides of windows, in the
        relation-to-stream operator, and in conditions.
        """
        task = replace(self, numbers=other.numbers)
        task.__dict__.update(alike=other.content_answers)
        if self.elements is other.elements:
            task.__dict__.update(clocks=other.clocks, last=other.last)
        return task

    @cached_property
    def last(self) -> int:
        """The time point at which the last element arrives; 0 without elements."""
        return max((element.arrival for element in self.elements), default=0)

    def clock(self, tick: Tick) -> TickClock:
        """Return the elements of the query's streams on the coarsest clock that distinguishes arrivals."""
        if tick not in self.clocks:
            self.clocks[tick] = tick_clock(self._elements, tick)
        return self.clocks[tick]

    def answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        """Return the rows of the query by window contents; None if the contents do not determine the rows.

        Contents do not determine the rows if static data change, or if tuple windows read a variable stream.

        Raises:
            LarsError: Elements are late, and the contents do not determine the rows.
        """
        if (profile, rows) not in self.content_answers:
            self.content_answers[profile, rows] = self._content_answers(profile, rows)
        return self.content_answers[profile, rows]

    def _content_answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        windows = sources(self.query)
        by_stream = any(isinstance(w.window, Rows) and isinstance(w.stream, Variable) for w in windows)
        if self.versions or by_stream:
            self._check_in_time()
            return None
        setting = Setting(profile, self.unit, semantics=rows, ordered=True)
        alike = (known for known in (*self.content_answers.values(), *self.alike.values()) if known)
        if (first := next(alike, None)) is None:
            static = background(self.run.static, self.query.dataset, lambda _: None, self.query.language)
            clock = self.clock("instant")
            streams = [elements_on(clock, window.stream)[1] for window in windows]
            answers = ContentAnswers(self.query, setting, static, streams, self.numbers)
        else:
            answers = first.with_query(self.query, setting)
        if not answers.covers:
            self._check_in_time()
            return None
        return answers

    def _check_in_time(self) -> None:
        if any_late(self.elements):
            raise LarsError(
                "cannot evaluate late elements with --static-at, NOW(), or tuple-based windows of a variable "
                "stream; use lars without --arrival"
            )

    @cached_property
    def _elements(self) -> tuple[PushedTriple, ...]:
        return stream_elements(self.query, self.elements)
