"""Verdicts as JSON: what `lars judge --json` prints; as tables: what `--out` writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Final

from agreement.comparing.judge import JudgedWindow, Judgement, RefusedCase, Shift, Verdict, measures
from agreement.comparing.judge.by_engine import Step, StepKind, VersionJudgement
from agreement.comparing.judge.diagnosis import Diagnosis
from agreement.comparing.judge.judgement import counts
from agreement.comparing.judge.judging import AnswersVerdict, CaseVerdict, by_family, first_problem, overall
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.dates import SUFFIX, Dates
from agreement.documents.outputs import Json, binding, encode, pick, record
from agreement.documents.table_files import Column, OutTable, TableValue

_MANY: Final = 10_000
"""So many start times in a row are not listed one by one."""


def by_specification(
    judgement: Judgement,
    columns: Sequence[str],
    diagnosis: Diagnosis | None,
    dates: Dates,
) -> Json:
    """Return a specification's verdict: windows of each choice that matches, else of the best one."""
    best, milliseconds = judgement.best, dates.unit.milliseconds
    after = best.phase.after
    same = [verdict for verdict in judgement.matching if verdict.choice.bounds is best.choice.bounds]
    alike = sorted(same, key=lambda verdict: verdict.choice.starts) or [best]
    windows_json = partial(_windows, columns, dates, diagnosis.shifts if diagnosis else {})
    explanations = (diagnosis.specification, *diagnosis.explanations) if diagnosis else ()
    return {
        "engine": judgement.specification.name,
        "correct": judgement.correct,
        "match": encode(judgement.match),
        **_starts([start for verdict in alike if verdict.correct for start in starts_of(verdict)], dates),
        "bounds": encode(best.choice.bounds),
        "matching": [
            {
                **_starts(verdict.choice.starts, dates),
                **dates.with_dates({"until": verdict.until}),
                "bounds": encode(verdict.choice.bounds),
                "late": encode(verdict.late),
            }
            for verdict in judgement.matching
        ],
        "choices": judgement.choices,
        "tried": judgement.tried_choices,
        **dates.with_dates({"stable_from": _points(after, milliseconds) if isfinite(after) else None}),
        "windows": [row for verdict in alike for row in windows_json(verdict, verdict.windows)],
        "transient": windows_json(best, best.transient),
        "later": windows_json(best, best.later),
        "explanations": [record(explanation, {"sentence": "says"}) for explanation in explanations],
    }


def starts_of(verdict: Verdict) -> list[list[int]]:
    """Return t0 of each window, and the following ones that the t0 of an only window stands for."""
    first, *others = verdict.choice.starts or (0,)
    if not verdict.choice.starts or others or verdict.until is None or verdict.until - first >= _MANY:
        return [list(verdict.choice.starts)]
    return [[start] for start in range(first, verdict.until + 1)]


def _starts(starts: Sequence[int] | Sequence[Sequence[int]], dates: Dates) -> Json:
    """Return start times, or lists of them, each dateTime beside its number."""
    starts_json: Json = {"t0": list(starts)}
    if dates.zero is not None:
        starts_json[f"t0{SUFFIX}"] = [
            dates.date(start) if isinstance(start, int) else list(map(dates.date, start)) for start in starts
        ]
    return starts_json


def _points(t: float, milliseconds: float) -> float:
    number = t / milliseconds
    return int(number) if number == int(number) else number


def _windows(
    columns: Sequence[str],
    dates: Dates,
    shifts: Mapping[float, Shift],
    verdict: Verdict,
    windows: Iterable[JudgedWindow],
) -> list[Json]:
    """Return windows of a verdict: times in time points, delays in ms."""
    milliseconds = dates.unit.milliseconds
    return [
        {
            **_starts(verdict.choice.starts, dates),
            **dates.with_dates(
                {
                    "from": None if window.first is None else _points(window.first, milliseconds),
                    "to": _points(window.last, milliseconds),
                }
            ),
            **measures(window),
            **_rows(columns, window.rows),
            **({"shift": _shift(shifts[window.last], dates)} if window.last in shifts else {}),
        }
        for window in windows
    ]


def _rows(columns: Sequence[str], rows: RowMatch) -> Json:
    parts = {"common": rows.shared, "missing": rows.missing, "extra": rows.extra}
    return {key: [binding(columns, row) for row in rows_of_kind] for key, rows_of_kind in parts.items()}


def _shift(shift: Shift, dates: Dates) -> Json:
    borders = dates.with_dates({"from": shift.first, "to": shift.last})
    wrong = {"missing": len(shift.rows.missing), "extra": len(shift.rows.extra)}
    return pick(shift, "window", "start", "end") | borders | wrong


def by_version(judgement: VersionJudgement) -> Json:
    """Return an engine version's verdict: each push, or each time unit, with what it reported."""
    steps = [_step(judgement, step) for step in judgement.steps]
    head = pick(judgement, "engine", "correct", "match")
    return {**head, "t0": [], "score": judgement.rows.score, "windows": steps}


def _step(judgement: VersionJudgement, step: Step) -> Json:
    in_order = judgement.by is StepKind.ANSWER
    return {
        ("time" if judgement.by is StepKind.TIME_UNIT else judgement.by.value): step.place,
        "predicted_at": [] if in_order else [report.t for report in step.predicted],
        "recorded_at": [report.t for report in step.recorded],
        **counts(step.rows),
        **pick(step, "problem"),
        **_rows(judgement.columns, step.rows),
    }


def of_answers(verdict: AnswersVerdict) -> Json:
    """Return the verdict on a file of answers."""
    if isinstance(verdict.judgement, Judgement):
        specification = by_specification(verdict.judgement, verdict.names, verdict.diagnosis, verdict.dates)
    else:
        specification = by_version(verdict.judgement)
    other = by_other_match(verdict.other)
    return {**specification, **other, "silent": list(verdict.silent), "origin": verdict.origin}


def by_other_match(other: Judgement | VersionJudgement | None) -> Json:
    """Return whether answers that are not correct are so by the other match."""
    return {"other_match": None if other is None else pick(other, "match", "correct")}


def by_case(verdicts: Sequence[CaseVerdict], refused: Sequence[RefusedCase]) -> Json:
    """Return every case with its verdict, how many agree in each family, and those that cannot be judged."""
    return {
        "correct": overall([*(verdict.correct for verdict in verdicts), *(None for _ in refused)]),
        "families": [
            {"engine": engine, "judge": judge, "family": family}
            | {"cases": len(own), "correct": sum(verdict.correct is True for verdict in own)}
            for (engine, judge, family), own in by_family(verdicts)
        ],
        "cases": [_case(verdict) for verdict in verdicts],
        "refused": [
            {"id": case.id, "engine": case.case and case.case.engine, "problem": case.problem}
            for case in refused
        ],
    }


def _case(verdict: CaseVerdict) -> Json:
    judgement = verdict.judgement
    return {
        **pick(verdict.case, "id", "engine", "family"),
        **pick(verdict, "judge"),
        "correct": judgement.correct,
        "score": judgement.best.score if isinstance(judgement, Judgement) else judgement.rows.score,
        "t0": [list(z.choice.starts) for z in judgement.matching] if isinstance(judgement, Judgement) else [],
        "problem": first_problem(verdict) or None,
        **by_other_match(verdict.other),
        "rules": None
        if verdict.rules is None
        else [record(rule, {"name": "rule", "sentence": "says"}) for rule in verdict.rules],
    }


_ROWS: Final = (
    Column("expected", int, "how many rows are expected"),
    Column("actual", int, "how many are reported"),
    Column("precision", float, "the share of the reported rows that are expected"),
    Column("recall", float, "the share of the expected rows that are reported"),
    Column("problem", str, "what is wrong; none: nothing"),
    Column("missing", str, "expected rows that are not reported, as JSON"),
    Column("extra", str, "reported rows that are not expected, as JSON"),
)
_WINDOWS: Final = (
    Column("phase", str, "windows are compared; transient and later ones are not"),
    Column("t0", str, "the start times, as JSON"),
    Column("from", float, "where the window begins, in time points", is_time=True),
    Column("to", float, "where it ends", is_time=True),
    Column("delay", float, "how late the report is, in ms"),
    Column("triples", int, "how many triples the window holds"),
    *_ROWS,
)
_STARTS: Final = 2
_DATES: Final = Column("t0_date", str, "the start times' dateTimes, as JSON")
"""Stands behind the start times, where times have dates."""
_STEPS: Final = (
    Column("push", float, "the number of the push, from 0"),
    Column("time", float, "the time unit, where reports are compared by it"),
    Column("predicted_at", str, "the times of the predicted reports, as JSON"),
    Column("recorded_at", str, "the times of the recorded reports, as JSON"),
    *_ROWS,
)
_CASES: Final = (
    *(Column(name, str, f"the case's {name}") for name in ("id", "engine", "family")),
    Column("judge", str, "what it is judged by"),
    Column("correct", bool, "whether it is correct"),
    Column("score", float, "the harmonic mean of precision and recall over all rows"),
    Column("t0", str, "the start times that fit, as JSON"),
    Column("problem", str, "what is wrong first; none: nothing"),
)


def tables(document: Json) -> tuple[OutTable, ...]:
    """Return what the JSON of a verdict holds as a table: of cases, of windows, or of an engine's steps."""
    if "cases" in document:
        return (_table("cases", _CASES, document["cases"]),)
    if "transient" not in document:
        return (_table("steps", _STEPS, document["windows"]),)
    phases = ("windows", "transient", "later")
    dated = (_DATES,) if document.get("origin") else ()
    columns = (*_WINDOWS[:_STARTS], *dated, *_WINDOWS[_STARTS:])
    return (
        _table("windows", columns, [{"phase": phase} | row for phase in phases for row in document[phase]]),
    )


def _table(name: str, columns: tuple[Column, ...], rows: Iterable[Json]) -> OutTable:
    return OutTable(name, columns, ([_cell(row.get(column.name)) for column in columns] for row in rows))


def _cell(value: TableValue | list[Json]) -> TableValue:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
