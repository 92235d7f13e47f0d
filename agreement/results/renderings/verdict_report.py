"""Verdicts of `lars judge`, on recorded cases and on one recording: text, JSON, tables, the page.

Cases by family: those that differ, those that cannot be judged. One recording: a sentence, a table of
windows or cases, and what explains the rest.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil, isfinite
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from agreement.comparing.agree.narrowing import evenly
from agreement.comparing.judge import JudgedWindow, Judgement, RefusedCase, Shift, Verdict, measures
from agreement.comparing.judge.by_engine import Step, StepKind, VersionJudgement
from agreement.comparing.judge.diagnosis import Diagnosis, FaultExplanation
from agreement.comparing.judge.judgement import counts
from agreement.comparing.judge.judging import (
    AnswersVerdict,
    CaseVerdict,
    by_family,
    first_problem,
    in_points,
    overall,
    starts_in_words,
    undecided_text,
)
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.dates import SUFFIX, Dates
from agreement.documents.outputs import (
    Json,
    binding,
    encode,
    first_few,
    json_text,
    pick,
    plain,
    quantity,
    record,
    short,
    table,
    told_apart,
)
from agreement.documents.recordings import rows_of
from agreement.documents.requests import MatchBy
from agreement.documents.table_files import Column, OutTable, TableValue
from agreement.results.renderings.pages.blocks import page_blocks
from agreement.results.renderings.pages.page import Page, PageHead
from lars.language.windows import Interval


def text_of_cases(
    verdicts: Sequence[CaseVerdict], refused: Sequence[RefusedCase]
) -> Iterator[RenderableType]:
    """Yield the table of families of cases, the cases that differ, and those that cannot be judged."""
    yield _families(verdicts)
    differing = [case_verdict for case_verdict in verdicts if case_verdict.correct is not True]
    if differing:
        rows = (
            (
                verdict.case.id,
                "\n".join([first_problem(verdict), *by_other_match(verdict.judgement, verdict.other)]),
                _explained_by(verdict),
            )
            for verdict in differing
        )
        yield table("cases that differ", ("case", "first difference", "rules that explain it"), rows)
    if refused:
        cases = ((case.id, "" if case.case is None else case.case.engine, case.problem) for case in refused)
        yield table("cases that cannot be judged", ("case", "engine", "why"), cases)
    left = f"; {len(refused)} more cannot be judged" if refused else ""
    yield f"{len(verdicts) - len(differing)} of {len(verdicts)} cases are as predicted{left}"


def _families(verdicts: Sequence[CaseVerdict]) -> RenderableType:
    names = ("engine", "judged by", "family", "cases", "correct", "explained by rules")
    rows = []
    for kind, own in by_family(verdicts):
        rules = Counter(rule.name for verdict in own for rule in verdict.rules or ())
        text = " ".join(f"{name} ({count})" for name, count in sorted(rules.items()))
        rows.append((*kind, str(len(own)), str(sum(verdict.correct is True for verdict in own)), text))
    return table("cases by engine and family", names, rows, right=("cases", "correct"))


def _explained_by(verdict: CaseVerdict) -> str:
    if verdict.rules is None:
        return ""
    if not verdict.rules:
        return "the specification with windows that open at multiples of their slide"
    return "\n".join(f"{rule.name} {rule.sentence}" for rule in verdict.rules)


_STYLES: Final = {True: "green", False: "bold red", None: "yellow"}
_SHOWN: Final = 40
"""Of more windows than these only the wrong ones are shown."""
_WHOLE: Final = frozenset(("from", "to"))
_ROWS: Final = 3
_TIMES: Final = 5


def by_specification(
    judgement: Judgement, diagnosis: Diagnosis | None, all_dates: Dates
) -> Iterator[RenderableType]:
    """Yield what a reader wants to know of a specification's verdict."""
    best, milliseconds = judgement.best, all_dates.unit.milliseconds
    ends = [window.last for window in (*best.transient, *best.windows, *best.later)]
    last = ceil(max(ends, default=0) / milliseconds)
    dates = all_dates.within(Interval(0, last))
    yield Text(_headline(judgement, dates), style=_STYLES[judgement.correct])
    yield from _diagnosis(diagnosis)
    if judgement.correct:
        yield from _delays(best, dates)
        yield from _others(judgement, dates)
    yield _table(best, diagnosis.shifts if diagnosis else {}, dates)
    for title, windows in (
        ("the transient, until all windows have started", best.transient),
        ("after the end of the trace or of --until", best.later),
    ):
        odd = [window for window in windows if window.problem is not None]
        if odd:
            times = [f"{in_points(window.last, milliseconds, dates)} ({window.problem})" for window in odd]
            yield f"{title}, not compared: {first_few(times, _TIMES)}"


def by_other_match(
    judgement: Judgement | VersionJudgement, other: Judgement | VersionJudgement | None
) -> Iterator[str]:
    """Yield that answers which are not correct are so by the other match; not where a report is missing."""
    if (
        other is not None
        and other.correct
        and not (isinstance(judgement, Judgement) and _lacks_report(judgement))
    ):
        how = "whatever their times" if other.match is MatchBy.SEQUENCE else "at their times"
        yield f"correct as reports {how}: --match {other.match.value}"


def _lacks_report(judgement: Judgement) -> bool:
    """Whether fewer reports came than are due, so that not their times alone are wrong."""
    whole = [
        window.rows for window in judgement.best.windows if not window.rows.equal and not window.rows.shared
    ]
    return sum(not match.extra for match in whole) > sum(not match.missing for match in whole)


def _headline(judgement: Judgement, dates: Dates) -> str:
    best, name = judgement.best, judgement.specification.name
    ends = f"bounds {best.choice.bounds.value}"
    by = f"{name} as a sequence" if judgement.match is MatchBy.SEQUENCE else name
    if judgement.correct is None:
        return undecided_text(judgement)
    if judgement.correct:
        tried = (
            ""
            if judgement.tried_choices == judgement.choices
            else f", of {judgement.tried_choices} choices tried of {judgement.choices}"
        )
        starts = starts_in_words(_like(best, judgement.matching, dates.unit.milliseconds), dates)
        return f"correct by {by} for t0 = {starts}{dates.caption}, {ends}{tried}"
    wrong = f"{best.wrong} of {len(best.windows)} windows are wrong"
    fit = f"best t0 = {starts_in_words([best], dates)}{dates.caption}, {ends}: {wrong}"
    return (
        f"incorrect by {by}: none of {judgement.tried_choices} choices of t0 and bounds fits; {fit}, "
        f"score {best.score:.3f}"
    )


def _like(verdict: Verdict, verdicts: Iterable[Verdict], milliseconds: float) -> list[Verdict]:
    """Return the verdicts of the same bounds and the same lateness, by their start times."""
    alike = (other for other in verdicts if _kind(other, milliseconds) == _kind(verdict, milliseconds))
    return sorted(alike, key=lambda other: other.choice.starts)


def _kind(verdict: Verdict, milliseconds: float) -> tuple[object, bool]:
    """Return the bounds of a verdict, and whether some report is late by a time point or more."""
    return verdict.choice.bounds, bool(verdict.late and verdict.late[1] >= milliseconds)


def _others(judgement: Judgement, dates: Dates) -> Iterator[str]:
    milliseconds = dates.unit.milliseconds
    kinds = {_kind(judgement.best, milliseconds)}
    for verdict in judgement.matching:
        if (kind := _kind(verdict, milliseconds)) not in kinds:
            kinds.add(kind)
            alike = _like(verdict, judgement.matching, milliseconds)
            late = max((other.late[1] for other in alike if other.late), default=0)
            lateness = f", reports up to {plain(late)} ms late" if late else ""
            bounds = verdict.choice.bounds.value
            yield f"also for t0 = {starts_in_words(alike, dates)}, bounds {bounds}{lateness}"


def _delays(verdict: Verdict, dates: Dates) -> Iterator[str]:
    delays = sorted(window.delay for window in verdict.windows if window.delay is not None)
    # Of start times that are alike but for that the first one's windows close first.
    alike = verdict.until is not None and verdict.until > verdict.choice.starts[0]
    where = f" for t0 = {dates.text(verdict.choice.starts[0])}" if alike else ""
    if delays and delays[-1] > 0:
        if delays[0] == delays[-1]:
            yield f"every report is {plain(delays[0])} ms late{where}"
        else:
            mean = sum(delays) / len(delays)
            span = f"{plain(delays[0])} to {plain(delays[-1])} ms late{where}"
            yield f"reports are {span}, {mean:.1f} on average"


def _table(verdict: Verdict, shifts: dict[float, Shift], dates: Dates) -> RenderableType:
    windows = verdict.windows
    wrong = [window for window in windows if window.problem is not None]
    listed_windows = windows if len(windows) <= _SHOWN else wrong
    title = (
        "windows"
        if len(listed_windows) == len(windows)
        else f"wrong windows ({len(wrong)} of {len(windows)})"
    )
    numbers = ("from", "to", "expected", "actual", "precision", "recall", "delay ms", "triples")
    title = f"{title}{dates.caption}, t0 = {starts_in_words([verdict], dates)}"
    rows = ((*_cells(window, dates), _problem(window, shifts.get(window.last))) for window in listed_windows)
    return table(title, (*numbers, "problem"), rows, right=numbers, whole=_WHOLE)


def _cells(window: JudgedWindow, dates: Dates) -> Iterator[str]:
    milliseconds = dates.unit.milliseconds
    yield "-" if window.first is None else in_points(window.first, milliseconds, dates)
    yield in_points(window.last, milliseconds, dates)
    yield str(window.rows.expected)
    yield str(window.rows.actual)
    yield f"{window.rows.precision:.3f}"
    yield f"{window.rows.recall:.3f}"
    yield "-" if window.delay is None else f"{plain(window.delay)}"
    yield "-" if window.triples is None else str(window.triples)


def _problem(window: JudgedWindow, shift: Shift | None) -> str:
    if window.problem is None:
        return ""
    parts = [window.problem, *_odd_rows(window.rows)]
    return "\n".join(parts if shift is None else [*parts, shift_in_words(shift)])


def shift_in_words(shift: Shift) -> str:
    """Return borders that fit better, in words."""
    moved = [
        f"its {name} {quantity(abs(by), 'triple')} {'later' if by > 0 else 'earlier'}"
        for name, by in (("start", shift.start), ("end", shift.end))
        if by
    ]
    fits = "all rows" if shift.rows.equal else f"{shift.rows.common} rows"
    return f"{fits} fit with {' and '.join(moved) or 'these borders'}"


def _odd_rows(match: RowMatch) -> Iterator[str]:
    missing, extra = told_apart(match.missing, match.extra)
    for title, rows in (("missing", missing), ("extra", extra)):
        if rows:
            yield f"{title} {first_few(rows, _ROWS, ' ')}"


def _diagnosis(diagnosis: Diagnosis | None) -> Iterator[str]:
    if diagnosis is None:
        return
    if not diagnosis.explanations:
        yield "no known fault explains it better than the specification does"
        return
    best, *others = diagnosis.explanations
    yield f"best explanation: {_explained(best)}; {_explained(diagnosis.specification)}"
    for other in others[:_ROWS]:
        yield f"  or {_explained(other)}"


def _explained(explanation: FaultExplanation) -> str:
    if explanation.complete:
        return f"{explanation.sentence} predicts every report, and nothing else"
    rows = f"{_share(explanation.predicted)} of the recorded rows"
    return f"{explanation.sentence} predicts {rows}, score {explanation.score:.3f}"


def _share(share: float) -> str:
    return "all" if share == 1 else f"{share:.0%}"


def by_version(judgement: VersionJudgement) -> Iterator[RenderableType]:
    """Yield what a reader wants to know of an engine version's verdict."""
    place = judgement.by.value
    if judgement.correct:
        sentence = f"{quantity(len(judgement.steps), place)} with reports, all as predicted"
        yield Text(f"correct by {judgement.engine}: {sentence}", style=_STYLES[True])
        return
    wrong = f"{len(judgement.wrong)} of {quantity(len(judgement.steps), place)} with reports differ"
    yield Text(
        f"incorrect by {judgement.engine}: {wrong}, score {judgement.rows.score:.3f}", style=_STYLES[False]
    )
    numbers = (place, "predicted", "recorded")
    rows = (
        (
            str(step.place),
            *(str(len(rows_of(reports))) for reports in (step.predicted, step.recorded)),
            "\n".join([step.problem or "", *_odd_rows(step.rows)]),
        )
        for step in judgement.wrong[:_SHOWN]
    )
    yield table(None, (*numbers, "problem"), rows, right=numbers)


def of_answers(verdict: AnswersVerdict) -> Iterator[RenderableType]:
    """Yield the verdict on a file of answers."""
    if isinstance(verdict.judgement, Judgement):
        yield from by_specification(verdict.judgement, verdict.diagnosis, verdict.dates)
    else:
        yield from by_version(verdict.judgement)
    yield from by_other_match(verdict.judgement, verdict.other)


_MOST_LISTED_STARTS: Final = 10_000
"""So many start times in a row are not listed one by one."""


def specification_json(
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
    if (
        not verdict.choice.starts
        or others
        or verdict.until is None
        or verdict.until - first >= _MOST_LISTED_STARTS
    ):
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


def version_json(judgement: VersionJudgement) -> Json:
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


def answers_json(verdict: AnswersVerdict) -> Json:
    """Return the verdict on a file of answers."""
    if isinstance(verdict.judgement, Judgement):
        specification = specification_json(verdict.judgement, verdict.names, verdict.diagnosis, verdict.dates)
    else:
        specification = version_json(verdict.judgement)
    other = other_match_json(verdict.other)
    return {**specification, **other, "silent": list(verdict.silent), "origin": verdict.origin}


def other_match_json(other: Judgement | VersionJudgement | None) -> Json:
    """Return whether answers that are not correct are so by the other match."""
    return {"other_match": None if other is None else pick(other, "match", "correct")}


def cases_json(verdicts: Sequence[CaseVerdict], refused: Sequence[RefusedCase]) -> Json:
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
        **other_match_json(verdict.other),
        "rules": None
        if verdict.rules is None
        else [record(rule, {"name": "rule", "sentence": "says"}) for rule in verdict.rules],
    }


_MATCH: Final = (
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
    *_MATCH,
)
_STARTS: Final = 2
_DATES: Final = Column("t0_date", str, "the start times' dateTimes, as JSON")
"""Stands behind the start times, where times have dates."""
_STEPS: Final = (
    Column("push", float, "the number of the push, from 0"),
    Column("time", float, "the time unit, where reports are compared by it"),
    Column("predicted_at", str, "the times of the predicted reports, as JSON"),
    Column("recorded_at", str, "the times of the recorded reports, as JSON"),
    *_MATCH,
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
        return (_out_table("cases", _CASES, document["cases"]),)
    if "transient" not in document:
        return (_out_table("steps", _STEPS, document["windows"]),)
    phases = ("windows", "transient", "later")
    dated = (_DATES,) if document.get("origin") else ()
    columns = (*_WINDOWS[:_STARTS], *dated, *_WINDOWS[_STARTS:])
    return (
        _out_table(
            "windows", columns, [{"phase": phase} | row for phase in phases for row in document[phase]]
        ),
    )


def _out_table(name: str, columns: tuple[Column, ...], rows: Iterable[Json]) -> OutTable:
    return OutTable(name, columns, ([_out_cell(row.get(column.name)) for column in columns] for row in rows))


def _out_cell(value: TableValue | list[Json]) -> TableValue:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


_MEASURES: Final = ("expected", "actual", "precision", "recall", "delay", "triples")
_PHASES: Final = ("windows", "transient", "later")
_TIME_KEYS: Final = frozenset(("from", "to", "time"))
_PLACES: Final = ("from", "to", "push", "time", "answer")
_MARKS: Final = {"common": "✓", "missing": "✗ missing", "extra": "✗ extra"}


def judge_page(
    title: str,
    document: Mapping[str, Any],
    parts: Iterable[RenderableType],
    notes: Sequence[str],
    dates: Dates,
) -> Page:
    """Return the page of a verdict on recorded answers, or on recorded cases."""
    correct: bool | None = document["correct"]
    ends = [window.get("to") or 0 for window in _all(document)]
    named = dates.within(Interval(0, ceil(max(ends, default=0))))
    windows = [] if "cases" in document else [*_page_windows(document, named)]
    compared = [window for window in windows if window["phase"] == "windows"]
    wrong = sum(window["problem"] is not None for window in compared)
    right = {True: "Correct", False: "Incorrect", None: "Undecided"}[correct]
    noun = "windows" if "transient" in document else "steps"
    answer = f"{right}: {len(compared) - wrong} of {len(compared)} {noun} are right" if compared else right
    starts = "; ".join(", ".join(map(named.text, times)) for times in document.get("t0", ()))
    fits = f" It fits for t0 = {starts}{named.caption}." if correct and starts else ""
    places = [name for name in _PLACES if any(name in window for window in _all(document))]
    measures = [name for name in _MEASURES if any(name in window for window in _all(document))]
    listed_windows = _some(windows)
    page = {
        "windows": listed_windows,
        "dates": named.for_script(),
        "left": len(windows) - len(listed_windows),
        "columns": [
            *places,
            "verdict",
            *("delay ms" if measure == "delay" else measure for measure in measures),
        ],
        "places": places,
        "measures": measures,
        "each": "Window by window" if noun == "windows" else "Step by step",
        "blocks": page_blocks(_sentences(parts) if windows else parts),
        "fits": [_fit(match, named) for match in document.get("matching", ())],
    }
    question = f"Is what was recorded what {document.get('engine', 'its engine')} should answer?"
    return Page(PageHead(title, question, correct, f"{answer}.{fits}", notes), "judge", document, page)


_MOST_WINDOWS: Final = 1_000
_ROWS_EACH: Final = 20
_LETTERS: Final = 250_000
"""Of more windows, of more rows of one, of longer ones some are shown, the wrong ones first."""


def _some(windows: Sequence[Json]) -> list[Json]:
    """Return all windows where they are short; else some, each with its first rows, in their order.

    Of many those that are wrong come before others.
    """
    length = sum(len(json_text(window)) for window in windows)
    most = None if len(windows) <= _MOST_WINDOWS and length <= _LETTERS else _ROWS_EACH
    short = [
        window | {"rows": window["rows"][:most], "more": len(window["rows"][most:]) if most else 0}
        for window in windows
    ]
    wrong = [place for place, window in enumerate(short) if window["problem"]]
    right = [place for place, window in enumerate(short) if not window["problem"]]
    chosen = evenly(wrong, _MOST_WINDOWS)
    chosen += evenly(right, _MOST_WINDOWS - len(chosen))
    room, kept = _LETTERS, []
    for place in chosen:
        room -= len(json_text(short[place]))
        if room >= 0:
            kept.append(place)
    return [short[place] for place in sorted(kept)]


def _sentences(parts: Iterable[RenderableType]) -> Iterator[str]:
    return (str(part).strip() for part in parts if isinstance(part, str | Text))


def _all(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [window for phase in _PHASES for window in document.get(phase, ())]


def _fit(match: Mapping[str, Any], dates: Dates) -> Json:
    """Return start times that fit, with the last of those that an only window's stands for."""
    starts, last = match["t0"], match["until"]
    several = last is not None and len(starts) == 1 and last > starts[0]
    late = "" if match["late"] is None else " to ".join(dict.fromkeys(plain(float(t)) for t in match["late"]))
    text = ", ".join(map(dates.text, starts)) or "any"
    text = f"{text}..{dates.text(last)}" if several else text
    return {"t0": text, "bounds": match["bounds"], "late": late}


def _page_windows(document: Mapping[str, Any], dates: Dates) -> list[Json]:
    return [
        {
            "phase": phase,
            **{name: window.get(name) for name in (*_PLACES, *_MEASURES, "problem")},
            "wrong": phase == _PHASES[0] and window["problem"] is not None,
            "cells": {
                name: dates.text(window[name])
                if dates.zero is not None and name in _TIME_KEYS and window.get(name) is not None
                else _cell(window.get(name))
                for name in (*_PLACES, *_MEASURES)
            },
            "to": window.get("to", window.get("time", window.get("push", window.get("answer")))),
            "rows": [
                {"mark": mark, "row": _row(row)}
                for name, mark in _MARKS.items()
                for row in window.get(name, ())
            ],
            "shift": _shift_text(window["shift"], dates) if "shift" in window else None,
        }
        for phase in _PHASES
        for window in document.get(phase, ())
    ]


def _shift_text(shift: Mapping[str, Any], dates: Dates) -> str:
    left = " and ".join(f"{shift[name]} {name}" for name in ("missing", "extra") if shift[name])
    ends = f"From {dates.text(shift['from'])} to {dates.text(shift['to'])}"
    return f"{ends} {f'{left} would be left' if left else 'all rows would fit'}."


def _cell(value: object) -> object:
    return "" if value is None else plain(value) if isinstance(value, float) else value


def _row(row: Mapping[str, Any]) -> str:
    names = (f"{name} = {_term(term)}" for name, term in row.items())
    return ", ".join(names) or "the row of no variable"


def _term(term: Mapping[str, str]) -> str:
    return short(f"<{term['value']}>") if term["type"] == "uri" else term["value"]
