"""Verdicts about all streams: a claim is proved, refuted by a stream, or open for a given reason.

`lars decide`, `lars witness` and `lars shrink` return the types of this module, and evaluate streams with its
functions.
"""

from collections.abc import Sequence
from typing import Literal

from agreement.comparing import agree
from agreement.comparing.agree.agreeing import AgreementReport, RowFilter
from agreement.comparing.agree.sides import RowDifference
from agreement.documents.outputs import quantity
from agreement.documents.traces import LocalTrace
from agreement.engines.r2s import relation_to_stream
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language.stream import ToStream
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Background, Fact, Row, with_triples
from solver.job import Question
from solver.search import TIME_IS_UP, timeline_of
from solver.settings import Certify, Runner
from translate.model.query import Setting


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream and static data on which two compared sides report different rows in (start, end].

    In `lars decide`, the left side is push, and the right side is pull.

    - The timeline ends at `end`, or at the last arrival if this arrival is later.
    - `static` contains all static data, including atoms that are not triples.
    - `left_only` contains the rows that only the left side reports, and `right_only` the rows that only the
      right side reports.
    - `remark` is the cause of the difference, or another remark.
    - `smallest` is true if no stream with fewer triples shows a difference.
    - `before` is the time of the previous evaluation, with which ISTREAM and DSTREAM compare; None if no
      evaluation is earlier.
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
        """The interval from time 0 to `end`, or to the last arrival if this arrival is later."""
        return timeline_of(self.facts, self.end)

    @property
    def row(self) -> Row:
        """A row that only the left side reports; if no such row exists, a row of the right side only."""
        return min(self.left_only or self.right_only, key=str)

    @property
    def triples(self) -> Sequence[tuple[str, ...]]:
        """The static triples, each as four texts: subject, predicate, object, and the name of its graph."""
        return tuple(self.static.get(("triple", 4), ()))


EveryStream = Literal["always", "never", "depends on the static data", "not always", "open"]
"""A verdict about all streams, for example that push and pull always agree.

`never` means that the claim is never true of all streams: for all static data, a stream refutes the claim. On
other streams, the two sides can agree. `not always` means that the claim fails on the stream and static data
shown. For other static data, the claim
is undecided.
"""


@dataclass(frozen=True, slots=True)
class CheckedPremise:
    """A premise of a theorem, with its place in a query, and whether it holds (None if unknown)."""

    statement: str
    holds: bool | None
    place: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict whether two sides agree, or one query is contained in another, on all streams.

    The field `why` contains the reason for the verdict.

    - `verdict` is `always` (the claim holds on every stream), `never` (some stream refutes the claim, for all
      static data; the sides can agree on other streams), `not always` (the shown stream with the shown static
      data refutes the claim), `depends on the static data`, or `open`.
    - `triples` is the largest number of triples for which a search tried all streams. If `timed_out` is true,
      the search tried only all streams with fewer triples.
    - `scope` contains the number of triples from which the search chose, and a text with the tried times.
    - `finer` is a shorter unit of time with which the verdict differs, and the decision for this unit.
    - `period` is the number of time points between two pulls, for a question about push and pull.
    - `premises` are the premises that were checked; `changes` are changes that would change the verdict.
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
    timed_out: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether agreement (or containment) holds on all streams; None if this is not decided."""
        return {"always": True, "open": None}.get(self.verdict, False)

    @property
    def witness(self) -> Witness | None:
        """The first stream that refutes agreement or containment; None if no such stream is known."""
        return next(iter(self.witnesses), None)

    @property
    def search_end(self) -> str | None:
        """A text that shows how a search ended, such as "out of time"; None if it found enough streams."""
        if not self.why or self.triples is None:
            return "not searched" if self.why else None
        if self.timed_out:
            return "out of time"
        # A theorem limits only the smallest stream. If a stream was found, other streams can be larger.
        return "none" if self.scope is None or self.verdict == "always" else "none up to"

    def search_text(self, question: str, ended: str = TIME_IS_UP) -> str:
        """Return a sentence that explains why a search for streams found no further stream.

        `question` describes the stream, such as "on which push and pull differ". `ended` names the limit of
        a search that ran out of time.
        """
        none = f"no {'other ' if self.witnesses else ''}stream {question}"
        triples = quantity(self.triples or 0, "triple")
        match self.search_end:
            case "out of time":
                more = "; the output shows the best stream found, and a smaller stream may exist"
                more = f"{more if self.witnesses else ''}; search longer with --time-limit"
                tried = (
                    f" with fewer than {triples}" if self.triples else " was found yet, and none was tried"
                )
                return f"{ended}: {none}{tried}{more}"
            case "none up to" if self.scope is not None:
                tried = f"{triples} out of {self.scope[0]} candidates, {self.scope[1]}"
                return f"found {none} with up to {tried}; a larger stream may exist: {self.why}"
            case "none":
                return f"no stream exists {question}: {self.why}"
            case _:
                return self.why


def all_hold(answers: Sequence[Decision]) -> bool | None:
    """Return whether the claims of all decisions hold; None if no claim fails, but some claim is not decided.

    >>> all_hold([Decision("always"), Decision("open")])
    >>> all_hold([Decision("open"), Decision("never")])
    False
    """
    known = {answer.holds for answer in answers}
    return False if False in known else None if None in known else True


def trace_on(
    facts: Sequence[Fact], static: Background, timeline: Interval, certify: Certify = "none"
) -> LocalTrace:
    """Return a trace that contains the given facts and static data, and is evaluated without Spark."""
    return LocalTrace(trace_columns(facts), timeline, static, Runner(in_process=True, certify=certify))


def reports(question: Question, kind: ToStream, trace: LocalTrace) -> dict[int, frozenset[Row]]:
    """Return the rows that a query reports on a trace at each evaluation time, in order of time.

    `kind` is RSTREAM, ISTREAM or DSTREAM.
    """
    (runs,) = trace.answers([question])
    listed = {t: tuple(some) for t, some in runs.by_time().items()}
    answers = relation_to_stream(kind, runs.times.tolist(), listed)
    return {t: frozenset(rows) for t, rows in answers.items()}


def reported(question: Question, kind: ToStream, trace: LocalTrace, start: int, end: int) -> frozenset[Row]:
    """Return all rows that a query reports in the interval (start, end] of a trace.

    `kind` is RSTREAM, ISTREAM or DSTREAM.
    """
    answers = reports(question, kind, trace)
    return frozenset().union(*(rows for t, rows in answers.items() if start < t <= end))


@dataclass(frozen=True, slots=True)
class PairOnStream:
    """A comparison of a pushed with a pulled query on a given stream and static data, from time 0 to `end`.

    `origin` is the dateTime of time 0; None if times are integers. A triple in the named graph of a stream
    element also counts as a triple of the stream.
    """

    pair: agree.Pair
    setting: Setting
    period: int
    facts: tuple[Fact, ...]
    static: Background
    end: int
    origin: str | None = None

    def report(self, certify: Certify = "none") -> AgreementReport:
        """Return the report of `lars agree` for this pair of queries on this stream."""
        trace = trace_on(with_triples(self.facts), self.static, Interval(0, self.end), certify)
        return agree.compare_pairs([self.pair], [self.period], trace, self.setting)

    def witness(self) -> Witness | None:
        """Return this stream as a witness, with the first row that only one side reports.

        If both sides agree, the function returns None.
        """
        if (difference := first_difference(self.report().first)) is None:
            return None
        row, times = frozenset((difference.row,)), (difference.interval.start, difference.interval.end)
        only = (row, frozenset[Row]()) if difference.side == "push" else (frozenset[Row](), row)
        return Witness(self.facts, self.static, *times, *only, difference.cause)


def first_difference(
    report: agree.VariantReport, cause: agree.RowCause | None = None
) -> RowDifference | None:
    """Return the first row that only push or only pull reports; None if push and pull agree.

    If `cause` is given, the row must have this cause, such as "expired before the pull".
    """
    return next(RowFilter(cause=cause).rows(report), None)
