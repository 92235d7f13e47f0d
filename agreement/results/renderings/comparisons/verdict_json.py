"""Verdicts as JSON: what `lars judge --json` prints; as tables: what `--out` writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Final

from agreement.comparing.judge import JudgedWindow, Judgement, RefusedCase, Shift, Verdict, measures
from agreement.comparing.judge.by_engine import Step, StepKind, VersionJudgement
from agreement.comparing.judge.cases import CaseVerdict, by_family, first_problem, overall
from agreement.comparing.judge.diagnosis import Diagnosis
from agreement.comparing.judge.judging import AnswersVerdict
from agreement.comparing.judge.verdict import counts
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.dates import SUFFIX, Dates
from agreement.documents.outputs import Json, binding, encode, pick, record
from agreement.documents.table_files import Column, OutTable, TableValue

_MANY: Final = 10_000
"""So many start times in a row are not listed one by one."""


def by_specification(
    found: Judgement,
    columns: Sequence[str],
    diagnosis: Diagnosis | None,
    dates: Dates,
) -> Json:
    """Return a specification's verdict: windows of each choice that matches, else of the best one."""
    best, milliseconds = found.best, dates.unit.milliseconds
    after = best.phase.after
    same = [one for one in found.matching if one.choice.bounds is best.choice.bounds]
    alike = sorted(same, key=lambda one: one.choice.starts) or [best]
    shown = partial(_windows, columns, dates, diagnosis.shifts if diagnosis else {})
    explanations = (diagnosis.specification, *diagnosis.explanations) if diagnosis else ()
    return {
        "engine": found.specification.name,
        "correct": found.correct,
        "match": encode(found.match),
        **_starts([start for one in alike if one.correct for start in starts_of(one)], dates),
        "bounds": encode(best.choice.bounds),
        "matching": [
            {
                **_starts(one.choice.starts, dates),
                **dates.with_dates({"until": one.until}),
                "bounds": encode(one.choice.bounds),
                "late": encode(one.late),
            }
            for one in found.matching
        ],
        "choices": found.choices,
        "tried": found.tried_choices,
        **dates.with_dates({"stable_from": _points(after, milliseconds) if isfinite(after) else None}),
        "windows": [row for one in alike for row in shown(one, one.windows)],
        "transient": shown(best, best.transient),
        "later": shown(best, best.later),
        "explanations": [record(one, {"sentence": "says"}) for one in explanations],
    }


def starts_of(verdict: Verdict) -> list[list[int]]:
    """Return t0 of each window, and the following ones that the t0 of an only window stands for."""
    first, *others = verdict.choice.starts or (0,)
    if not verdict.choice.starts or others or verdict.until is None or verdict.until - first >= _MANY:
        return [list(verdict.choice.starts)]
    return [[start] for start in range(first, verdict.until + 1)]


def _starts(starts: Sequence[int] | Sequence[Sequence[int]], dates: Dates) -> Json:
    """Return start times, or lists of them, each dateTime beside its number."""
    found: Json = {"t0": list(starts)}
    if dates.zero is not None:
        found[f"t0{SUFFIX}"] = [
            dates.date(one) if isinstance(one, int) else list(map(dates.date, one)) for one in starts
        ]
    return found


def _points(t: float, milliseconds: float) -> float:
    found = t / milliseconds
    return int(found) if found == int(found) else found


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
    told = {"common": rows.shared, "missing": rows.missing, "extra": rows.extra}
    return {key: [binding(columns, row) for row in found] for key, found in told.items()}


def _shift(shift: Shift, dates: Dates) -> Json:
    borders = dates.with_dates({"from": shift.first, "to": shift.last})
    wrong = {"missing": len(shift.rows.missing), "extra": len(shift.rows.extra)}
    return pick(shift, "window", "start", "end") | borders | wrong


def by_version(found: VersionJudgement) -> Json:
    """Return an engine version's verdict: each push, or each time unit, with what it reported."""
    steps = [_step(found, step) for step in found.steps]
    said = pick(found, "engine", "correct", "match")
    return {**said, "t0": [], "score": found.rows.score, "windows": steps}


def _step(found: VersionJudgement, step: Step) -> Json:
    in_order = found.by is StepKind.ANSWER
    return {
        ("time" if found.by is StepKind.TIME_UNIT else found.by.value): step.place,
        "predicted_at": [] if in_order else [report.t for report in step.predicted],
        "recorded_at": [report.t for report in step.recorded],
        **counts(step.rows),
        **pick(step, "problem"),
        **_rows(found.columns, step.rows),
    }


def of_answers(found: AnswersVerdict) -> Json:
    """Return the verdict on a file of answers."""
    if isinstance(found.judgement, Judgement):
        told = by_specification(found.judgement, found.names, found.diagnosis, found.dates)
    else:
        told = by_version(found.judgement)
    other = by_other_match(found.other)
    return {**told, **other, "silent": list(found.silent), "origin": found.origin}


def by_other_match(other: Judgement | VersionJudgement | None) -> Json:
    """Return whether answers that are not correct are so by the other match."""
    return {"other_match": None if other is None else pick(other, "match", "correct")}


def by_case(found: Sequence[CaseVerdict], refused: Sequence[RefusedCase]) -> Json:
    """Return every case with its verdict, how many agree in each family, and those that cannot be judged."""
    return {
        "correct": overall([*(one.correct for one in found), *(None for _ in refused)]),
        "families": [
            {"engine": engine, "judge": judge, "family": family}
            | {"cases": len(own), "correct": sum(one.correct is True for one in own)}
            for (engine, judge, family), own in by_family(found)
        ],
        "cases": [_case(one) for one in found],
        "refused": [
            {"id": one.id, "engine": one.case and one.case.engine, "problem": one.problem} for one in refused
        ],
    }


def _case(one: CaseVerdict) -> Json:
    found = one.judgement
    return {
        **pick(one.case, "id", "engine", "family"),
        **pick(one, "judge"),
        "correct": found.correct,
        "score": found.best.score if isinstance(found, Judgement) else found.rows.score,
        "t0": [list(z.choice.starts) for z in found.matching] if isinstance(found, Judgement) else [],
        "problem": first_problem(one) or None,
        **by_other_match(one.other),
        "rules": None
        if one.rules is None
        else [record(rule, {"name": "rule", "sentence": "says"}) for rule in one.rules],
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


def tables(found: Json) -> tuple[OutTable, ...]:
    """Return what the JSON of a verdict holds as a table: of cases, of windows, or of an engine's steps."""
    if "cases" in found:
        return (_table("cases", _CASES, found["cases"]),)
    if "transient" not in found:
        return (_table("steps", _STEPS, found["windows"]),)
    phases = ("windows", "transient", "later")
    dated = (_DATES,) if found.get("origin") else ()
    columns = (*_WINDOWS[:_STARTS], *dated, *_WINDOWS[_STARTS:])
    return (_table("windows", columns, [{"phase": one} | row for one in phases for row in found[one]]),)


def _table(name: str, columns: tuple[Column, ...], rows: Iterable[Json]) -> OutTable:
    return OutTable(name, columns, ([_cell(row.get(column.name)) for column in columns] for row in rows))


def _cell(value: TableValue | list[Json]) -> TableValue:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
