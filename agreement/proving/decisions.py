"""Verdicts about all streams: proved, refuted by a stream, or open with a reason.

`lars decide` (also for two queries), `lars witness` and `lars shrink` return these types, and evaluate
streams with these functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agreement.comparing import agree
from agreement.comparing.agree.narrowing import RowFilter
from agreement.comparing.agree.sides import RowDifference
from agreement.documents.outputs import quantity
from agreement.documents.traces import LocalTrace
from agreement.engines.r2s import relation_to_stream
from lars.durations import Duration
from lars.language.stream import ToStream
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Background, Fact, Row, with_triples
from solver.job import Question
from solver.search import TIME_IS_UP, timeline_of
from solver.settings import Certify, Runner
from translate.model.query import Setting
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream and static data on which two sides differ in (start, end].

    The timeline ends at `end`, or at the last arrival if windows look ahead.

    `static` is all of B. `left_only` and `right_only` are rows that only one side reports, and `remark` is
    their cause or another remark. If it is `smallest`, no witness has fewer triples. ISTREAM and DSTREAM
    compare `end` with the evaluation at `before`; None means that no evaluation precedes.
    """

    facts: tuple[Fact, ...]
    static: Background
    start: int
    end: int
    left_only: frozenset[Row] = frozenset()
    right_only: frozenset[Row] = frozenset()
    remark: str = ""
    smallest: bool = True
    before: int | None = None

    @property
    def timeline(self) -> Interval:
        """From time 0 to the end of the stream."""
        return timeline_of(self.facts, self.end)

    @property
    def row(self) -> Row:
        """A row that only one side reports, preferably the left side."""
        return min(self.left_only or self.right_only, key=str)

    @property
    def triples(self) -> Sequence[tuple[str, ...]]:
        """The static triples, each with its graph."""
        return tuple(self.static.get(("triple", 4), ()))


EveryStream = Literal["always", "never", "depends on the static data", "not always", "open"]
"""A verdict about all streams.

`not always`: not on the stream and static data shown; other static data are undecided.
"""


@dataclass(frozen=True, slots=True)
class CheckedPremise:
    """A checked premise, whether it holds (None if open), and its place in a query."""

    statement: str
    holds: bool | None
    place: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two sides agree, or a query is contained in another, on all streams and static data; and why.

    No stream up to `triples` triples refutes it, within the `scope` (number of candidates, and times); if
    time ran out, with fewer triples. `finer` is a finer unit with which the answer is another one. Push and
    pull are asked for a `period`; `premises` were checked, `changes` would change the verdict.
    """

    verdict: EveryStream
    why: str = ""
    witnesses: tuple[Witness, ...] = ()
    triples: int | None = None
    scope: tuple[int, str] | None = None
    finer: "tuple[Duration, Decision] | None" = None
    period: int = 1
    premises: tuple[CheckedPremise, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether agreement or containment holds on all streams; None if open."""
        return {"always": True, "open": None}.get(self.verdict, False)

    @property
    def witness(self) -> Witness | None:
        """The first stream that refutes agreement or containment."""
        return next(iter(self.witnesses), None)

    @property
    def search_end(self) -> str | None:
        """The end of a search for refuting streams; None if it found the requested number."""
        if not self.why or self.triples is None:
            return "not searched" if self.why else None
        return "out of time" if self.why == TIME_IS_UP else "none up to" if self.scope else "none"

    def search_text(self, question: str) -> str:
        """Return why a search found no further streams."""
        none = f"no {'other ' if self.witnesses else ''}stream {question}"
        triples = quantity(self.triples or 0, "triple")
        match self.search_end:
            case "out of time":
                more = "; of those found the best is shown, perhaps a smaller one is left"
                more = f"{more if self.witnesses else ''}; search longer with --time-limit"
                tried = f"with fewer than {triples}" if self.triples else "is found yet, none was tried"
                return f"{TIME_IS_UP}: {none} {tried}{more}"
            case "none up to" if self.scope is not None:
                tried = f"{triples} of {self.scope[0]} candidates, {self.scope[1]}"
                return f"found {none} with up to {tried}; there may be a larger one: {self.why}"
            case "none":
                return f"there is {none}: {self.why}"
            case _:
                return self.why


def all_hold(answers: Sequence[Decision]) -> bool | None:
    """Return whether all answers hold; None if open.

    >>> all_hold([Decision("always"), Decision("open")])
    >>> all_hold([Decision("open"), Decision("never")])
    False
    """
    known = {answer.holds for answer in answers}
    return False if False in known else None if None in known else True


def trace_on(
    facts: Sequence[Fact], static: Background, timeline: Interval, certify: Certify = "none"
) -> LocalTrace:
    """Return a trace that is evaluated in this process."""
    return LocalTrace(trace_columns(facts), timeline, static, Runner(in_process=True, certify=certify))


def reported(question: Question, kind: ToStream, trace: LocalTrace, start: int, end: int) -> frozenset[Row]:
    """Return all rows that a side reports in (start, end]."""
    (runs,) = trace.answers([question])
    listed = {t: tuple(some) for t, some in runs.by_time().items()}
    answers = relation_to_stream(kind, runs.times.tolist(), listed)
    return frozenset().union(*(rows for t, rows in answers.items() if start < t <= end))


@dataclass(frozen=True, slots=True)
class PairOnStream:
    """Push against pull on a stream and static data, on the timeline [0, end], as `lars agree` compares them.

    `origin` is the dateTime of time 0, or None. A triple in the named graph of an element stands for the
    triple as well.
    """

    pair: agree.Pair
    setting: Setting
    trigger: Trigger
    period: int
    facts: tuple[Fact, ...]
    static: Background
    end: int
    origin: str | None = None

    def report(self, certify: Certify = "none") -> agree.VariantReport:
        """Return the report of `lars agree`."""
        facts = with_triples(self.facts)
        compared = agree.ComparedInput(trace_on(facts, self.static, Interval(0, self.end), certify))
        about = [self.pair], [self.period], compared, self.setting, self.trigger
        return agree.compare_pairs(*about).variants[0]

    def witness(self) -> Witness | None:
        """Return the first row that only one side reports, None if they agree."""
        if (difference := first_difference(self.report())) is None:
            return None
        row, times = frozenset((difference.row,)), (difference.interval.start, difference.interval.end)
        only = (row, frozenset[Row]()) if difference.side == "push" else (frozenset[Row](), row)
        return Witness(self.facts, self.static, *times, *only, difference.cause)


def first_difference(
    report: agree.VariantReport, cause: agree.RowCause | None = None
) -> RowDifference | None:
    """Return the first row that only one side reports, with the cause if given, or None."""
    return next(RowFilter(cause=cause).rows(report), None)
