"""The windows in a verdict of `lars judge`, as JSON and tables.

A verdict by an engine version consists of steps: pushes, time units, or answers in sequence.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Final

from agreement.comparing.judge import Judgement, RefusedCase, Shift, Verdict
from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.judge.judging import AnswersVerdict, CaseVerdict, first_problem
from agreement.comparing.judge.verdicts import counts
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.dates import SUFFIX, Dates
from agreement.documents.outputs import Json, binding, pick, short
from agreement.documents.table_files import Column, OutTable, TableValue
from agreement.experiments.junit import VerdictCase
from lars.dataclass import dataclass
from solver.facts import Row

COUNTING: Final = "windows"
"""The name of the phase whose windows determine the verdict."""
PHASES: Final = (COUNTING, "transient", "later")


@dataclass(frozen=True, slots=True)
class WindowVerdict:
    """The verdict on one window of a specification, or on one step of an engine version.

    A step is a push, a time unit, or an answer in sequence.

    - `phase` is `windows` for compared windows. Windows before the stable phase (`transient`) and after the
      trace (`later`) are not compared.
    - `at` identifies the window or step. A window has the keys `from` and `to`, its ends in time points. A
      step has one of the keys `push`, `answer` and `time`; its value is the number of the push, answer or
      time unit, from 0.
    - `rows` contains the shared, missing and extra rows, with terms in the order of `columns`.
    - `problem` describes the difference; None if the rows are correct.
    - `delay` is the delay of the report in ms.
    - `triples` is the number of triples in the window.
    - `starts` are the start times t0 of the windows of the query.
    - `reported` contains two lists of report times in ms: the predicted and the recorded times.
    - `shift` contains window borders that fit better than the correct borders.
    """

    phase: str
    at: Mapping[str, float | None]
    rows: RowMatch
    problem: str | None
    columns: tuple[str, ...] = ()
    delay: float | None = None
    triples: int | None = None
    starts: tuple[int, ...] = ()
    reported: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    shift: Shift | None = None

    @property
    def start(self) -> float | None:
        """The time point at which the window begins; None for a step of an engine version."""
        return self.at.get("from")

    @property
    def end(self) -> float | None:
        """The time point at which the window ends, or the time unit; None for a push or an answer."""
        return self.at.get("to", self.at.get("time"))

    @property
    def expected(self) -> int:
        """The number of expected rows."""
        return self.rows.expected

    @property
    def actual(self) -> int:
        """The number of reported rows."""
        return self.rows.actual

    @property
    def precision(self) -> float:
        """The share of the reported rows that are expected; 1 if no row is reported."""
        return self.rows.precision

    @property
    def recall(self) -> float:
        """The share of the expected rows that are reported; 1 if no row is expected."""
        return self.rows.recall

    @property
    def missing(self) -> Sequence[Row]:
        """The expected rows that are not reported, with terms in N-Triples syntax."""
        return self.rows.missing

    @property
    def extra(self) -> Sequence[Row]:
        """The reported rows that are not expected."""
        return self.rows.extra

    @property
    def is_wrong(self) -> bool:
        """Whether the window or step is compared, and its reports are wrong."""
        return self.phase == COUNTING and self.problem is not None

    @property
    def by_kind(self) -> dict[str, Sequence[Row]]:
        """The rows of the window or step by kind: common, missing, and extra."""
        return {"common": self.rows.shared, "missing": self.rows.missing, "extra": self.rows.extra}


def windows_cases(windows: Iterable[WindowVerdict], dates: Dates) -> Iterator[VerdictCase]:
    """Yield a test case for each compared window, or for each compared step of an engine version."""
    for window in windows:
        if window.phase == COUNTING:
            place = ", ".join(f"{name} {value}" for name, value in dates.with_dates(window.at).items())
            rows = {name: list(_bindings(window, rows)) for name, rows in window.by_kind.items()}
            text = json.dumps(rows, ensure_ascii=False, indent=1)
            yield VerdictCase("judge", place, window.problem, text=text)


def recorded_cases(verdicts: Iterable[CaseVerdict], refused: Iterable[RefusedCase]) -> Iterator[VerdictCase]:
    """Yield a test case for each recorded case; an undecided or unjudged case is a skipped test case."""
    for verdict in verdicts:
        problem = first_problem(verdict) if verdict.correct is False else None
        undecided = "undecided" if verdict.correct is None else None
        yield VerdictCase("judge", verdict.case.id, problem, undecided)
    for case in refused:
        yield VerdictCase("judge", case.id, skipped=case.problem)


def window_json(window: WindowVerdict, dates: Dates) -> Json:
    """Return a window, or a step of an engine version, as JSON."""
    if window.reported is None:
        head: Json = {**starts_json(window.starts, dates), **dates.with_dates(window.at)}
        numbers = counts(window.rows) | pick(window, "delay", "triples", "problem")
    else:
        predicted, recorded = map(list, window.reported)
        head = {**window.at, "predicted_at": predicted, "recorded_at": recorded}
        numbers = counts(window.rows) | pick(window, "problem")
    rows = {name: list(_bindings(window, rows)) for name, rows in window.by_kind.items()}
    shift = {} if window.shift is None else {"shift": _shift_json(window.shift, dates)}
    return head | numbers | rows | shift


def _bindings(window: WindowVerdict, rows: Iterable[Row]) -> Iterator[Json]:
    return (binding(window.columns, row) for row in rows)


def _cells(window: WindowVerdict, dates: Dates) -> Iterator[TableValue]:
    if window.reported is None:
        yield window.phase
        yield json.dumps(window.starts)
        if dates.zero is not None:
            yield json.dumps(list(map(dates.date, window.starts)))
        yield from (window.at["from"], window.at["to"], window.delay, window.triples)
    else:
        yield from (window.at.get("push"), window.at.get("time"), *map(json.dumps, window.reported))
    yield from (window.expected, window.actual, window.precision, window.recall, window.problem)
    for rows in (window.missing, window.extra):
        yield json.dumps(list(_bindings(window, rows)), ensure_ascii=False)


def _shift_json(shift: Shift, dates: Dates) -> Json:
    borders = dates.with_dates({"from": shift.first, "to": shift.last})
    wrong = {"missing": len(shift.rows.missing), "extra": len(shift.rows.extra)}
    return pick(shift, "window", "start", "end") | borders | wrong


def starts_json(starts: Sequence[int] | Sequence[Sequence[int]], dates: Dates) -> Json:
    """Return start times (or lists of start times) as JSON, with dateTimes if the trace has dateTimes."""
    listed: Json = {"t0": list(starts)}
    if dates.zero is not None:
        listed[f"t0{SUFFIX}"] = [
            dates.date(start) if isinstance(start, int) else list(map(dates.date, start)) for start in starts
        ]
    return listed


def points(t: float, milliseconds: float) -> float:
    """Return a time in ms as a number of time points of `milliseconds` ms each."""
    number = t / milliseconds
    return int(number) if number == int(number) else number


def phases_of(judgement: Judgement | VersionJudgement) -> Sequence[str]:
    """Return the names of the phases (compared, before, after) whose windows a verdict contains.

    In a verdict by an engine version, all steps belong to the compared phase.
    """
    return PHASES if isinstance(judgement, Judgement) else PHASES[:1]


def judged_windows(verdict: AnswersVerdict) -> Iterator[WindowVerdict]:
    """Yield the verdicts on windows, for each matching choice of start times, or for the best choice.

    For a verdict by an engine version, the function yields the verdicts on steps.
    """
    judgement = verdict.judgement
    if not isinstance(judgement, Judgement):
        yield from _steps(judgement, lexical=verdict.lexical)
        return
    best, length = judgement.best, verdict.dates.unit.milliseconds
    shifts = verdict.diagnosis.shifts if verdict.diagnosis else {}
    windows = [(COUNTING, one, window) for one in fitting(judgement) or [best] for window in one.windows]
    windows += [(PHASES[1], best, window) for window in best.transient]
    windows += [(PHASES[2], best, window) for window in best.later]
    for phase, one, window in windows:
        yield WindowVerdict(
            phase,
            {
                "from": None if window.first is None else points(window.first, length),
                "to": points(window.at, length),
            },
            _with_iris(window.rows) if verdict.lexical else window.rows,
            window.problem_text,
            verdict.names,
            window.delay,
            window.triples,
            one.choice.starts,
            shift=shifts.get(window.at),
        )


def best_windows(verdict: AnswersVerdict) -> list[WindowVerdict]:
    """Return the verdicts on windows for the best choice of start times, which texts and figures show."""
    judgement = verdict.judgement
    starts = judgement.best.choice.starts if isinstance(judgement, Judgement) else ()
    return [window for window in judged_windows(verdict) if window.starts == starts]


_WRITTEN_IRI: Final = re.compile(r'"([A-Za-z][A-Za-z0-9+.-]*://[^"<>\s]+)"')


def written_iris(row: Row) -> Row:
    """Return a row with IRIs in place of texts that are IRIs, as in formats without kinds of terms (CSV)."""
    return tuple(map(_written_iri, row))


@lru_cache(maxsize=2**16)
def _written_iri(term: str | None) -> str | None:
    return term and _WRITTEN_IRI.sub(r"<\1>", term)


def _with_iris(rows: RowMatch) -> RowMatch:
    """Return a match whose reported rows have the form of the expected rows."""
    # Most matches have no other rows than the expected ones: a copy would be the same.
    return replace(rows, extra=tuple(map(written_iris, rows.extra))) if rows.extra else rows


def _steps(judgement: VersionJudgement, *, lexical: bool) -> Iterator[WindowVerdict]:
    in_order = judgement.by == "answer"
    name = "time" if judgement.by == "time unit" else judgement.by
    for step in judgement.places:
        predicted = () if in_order else tuple(report.t for report in (step.right or ()))
        recorded = tuple(report.t for report in step.came)
        reported = predicted, recorded
        yield WindowVerdict(
            COUNTING,
            {name: step.at},
            _with_iris(step.rows) if lexical else step.rows,
            step.problem,
            judgement.columns,
            reported=reported,
        )


def fitting(judgement: Judgement) -> list[Verdict]:
    """Return the matching verdicts with the bounds of the best verdict, sorted by start times."""
    bounds = judgement.best.choice.bounds
    same = (verdict for verdict in judgement.matching if verdict.choice.bounds == bounds)
    return sorted(same, key=lambda verdict: verdict.choice.starts)


_MOST_LISTED_STARTS: Final = 10_000
"""The number of consecutive start times from which only a range is listed."""


def fitting_starts(judgement: Judgement) -> list[list[int]]:
    """Return the start times of the windows for all matching choices.

    For a query with one window, the result also contains the start times that lead to the same verdict.
    """
    return [starts for verdict in fitting(judgement) for starts in _starts_of(verdict)]


def _starts_of(verdict: Verdict) -> list[list[int]]:
    starts, last = verdict.choice.starts, verdict.until
    if len(starts) != 1 or last is None or last - starts[0] >= _MOST_LISTED_STARTS:
        return [list(starts)]
    return [[start] for start in range(starts[0], last + 1)]


def _list_in_papers(text: str) -> str:
    """Return a JSON list as a text for Markdown and LaTeX tables; inner lists have brackets."""
    listed = (
        f"({', '.join(map(str, one))})" if isinstance(one, list) else str(one) for one in json.loads(text)
    )
    return ", ".join(listed)


def _rows_in_papers(text: str) -> str:
    rows = ([_term_in_papers(term) for term in row.values()] for row in json.loads(text))
    return ", ".join(f"({', '.join(row)})" for row in rows)


def _term_in_papers(term: Json) -> str:
    return short(f"<{term['value']}>") if term["type"] == "uri" else str(term["value"])


_MATCH: Final = (
    Column("expected", int, "number of expected rows"),
    Column("actual", int, "number of reported rows"),
    Column("precision", float, "the share of the reported rows that are expected"),
    Column("recall", float, "the share of the expected rows that are reported"),
    Column("problem", str, "description of the fault; none: the window is right"),
    Column("missing", str, "expected rows that are not reported, as JSON", in_papers=_rows_in_papers),
    Column("extra", str, "reported rows that are not expected, as JSON", in_papers=_rows_in_papers),
)
_STARTS: Final = (
    Column(
        "phase",
        str,
        "windows: compared windows; transient: windows before the stable phase; later: windows after the end",
    ),
    Column("t0", str, "start times t0 of the windows, as JSON", in_papers=_list_in_papers),
)
_DATES: Final = Column(f"t0{SUFFIX}", str, "start times t0 as dateTimes, as JSON", in_papers=_list_in_papers)
"""The column of dateTimes after the column of start times, if the trace has dateTimes."""
_WINDOWS: Final = (
    Column("from", float, "lower end of the window, in time points", is_time=True),
    Column("to", float, "upper end of the window, in time points", is_time=True),
    Column("delay", float, "delay of the report, in ms"),
    Column("triples", int, "number of triples in the window"),
    *_MATCH,
)
_STEPS: Final = (
    Column("push", float, "number of the push, from 0"),
    Column("time", float, "number of the time unit, if reports are compared by time units"),
    Column("predicted_at", str, "the times of the predicted reports, as JSON", in_papers=_list_in_papers),
    Column("recorded_at", str, "the times of the recorded reports, as JSON", in_papers=_list_in_papers),
    *_MATCH,
)
_CASES: Final = (
    *(Column(name, str, f"the case's {name}") for name in ("id", "engine", "family")),
    Column("judge", str, "specification or engine version that judges the case; none: it cannot be judged"),
    Column("correct", bool, "whether the answers are correct; none: undecided, or the case cannot be judged"),
    Column("score", float, "the harmonic mean of precision and recall over all rows"),
    Column(
        "t0", str, "start times t0 with which the answers are correct, as JSON", in_papers=_list_in_papers
    ),
    Column(
        "problem",
        str,
        "description of the first fault, or why the case cannot be judged; none: the answers are correct",
    ),
)


def windows_table(verdict: AnswersVerdict) -> OutTable:
    """Return the table of windows, or of the steps of an engine version."""
    dates = verdict.dates
    rows = (list(_cells(window, dates)) for window in judged_windows(verdict))
    if not isinstance(verdict.judgement, Judgement):
        return OutTable("steps", _STEPS, rows)
    dated = () if dates.zero is None else (_DATES,)
    return OutTable("windows", (*_STARTS, *dated, *_WINDOWS), rows)


def cases_table(verdicts: Sequence[CaseVerdict], refused: Sequence[RefusedCase]) -> OutTable:
    """Return the table of recorded cases with their verdicts; cases that cannot be judged are last."""
    return OutTable("cases", _CASES, chain(map(_case_cells, verdicts), map(_refused_cells, refused)))


def _case_cells(verdict: CaseVerdict) -> Sequence[TableValue]:
    case = verdict.case
    whose = case.id, case.engine, case.family, verdict.judge, verdict.correct
    starts = json.dumps(starts_of_case(verdict))
    return *whose, score_of_case(verdict), starts, first_problem(verdict) or None


def _refused_cells(refused: RefusedCase) -> Sequence[TableValue]:
    case = refused.case
    whose = (None, None) if case is None else (case.engine, case.family)
    return refused.id, *whose, None, None, None, None, refused.problem


def score_of_case(verdict: CaseVerdict) -> float:
    """Return the harmonic mean of precision and recall over all rows of a case."""
    judgement = verdict.judgement
    return judgement.best.score if isinstance(judgement, Judgement) else judgement.rows.score


def starts_of_case(verdict: CaseVerdict) -> list[list[int]]:
    """Return the start times for which a case is correct; empty for an engine version."""
    judgement = verdict.judgement
    return [list(one.choice.starts) for one in judgement.matching] if isinstance(judgement, Judgement) else []
