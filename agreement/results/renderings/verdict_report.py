"""The verdicts of `lars judge`, on recorded cases and on one recording, as text and JSON.

Cases are grouped by the key `family` of the case. The text lists the cases that differ, and the cases that
cannot be judged. The text about a recording consists of a sentence, a table of windows or cases, and
explanations of the differences.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import ceil, isfinite
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from agreement.comparing.judge import Judgement, RefusedCase, Shift, Verdict, judging
from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.judge.diagnosis import MOST_RECORDED, OTHER_CHANGE, Diagnosis, FaultExplanation
from agreement.comparing.matching.likeness import RowMatch, kinds_apart
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import outputs
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.recordings import rows_of
from agreement.results.renderings.judged_windows import (
    fitting_starts,
    judged_windows,
    phases_of,
    points,
    score_of_case,
    starts_json,
    starts_of_case,
    window_json,
    written_iris,
)
from lars.language.windows import Interval


def text_of_cases(
    verdicts: Sequence[judging.CaseVerdict], refused: Sequence[RefusedCase]
) -> Iterator[RenderableType]:
    """Yield the table of groups of cases, the cases that differ, and the cases that cannot be judged."""
    yield _families(verdicts)
    differing = [case_verdict for case_verdict in verdicts if case_verdict.correct is not True]
    if differing:
        rows = (
            (
                verdict.case.id,
                "\n".join(
                    [judging.first_problem(verdict), *by_other_match(verdict.judgement, verdict.other)]
                ),
                _explained_by(verdict),
            )
            for verdict in differing
        )
        yield outputs.table("cases that differ", ("case", "first difference", "rules that explain it"), rows)
    if refused:
        cases = ((case.id, "" if case.case is None else case.case.engine, case.problem) for case in refused)
        yield outputs.table("cases that cannot be judged", ("case", "engine", "why"), cases)
    yield cases_sentence(verdicts, refused)


def cases_sentence(verdicts: Sequence[judging.CaseVerdict], refused: Sequence[RefusedCase]) -> str:
    """Return a sentence with the number of cases that are as predicted, and that cannot be judged."""
    right = sum(verdict.correct is True for verdict in verdicts)
    left = f"; {outputs.quantity(len(refused), 'more case')} cannot be judged" if refused else ""
    empty = sum(verdict.is_empty for verdict in verdicts)
    nothing = f", {empty} of them without a report on either side" if empty else ""
    count = f"{right} of {len(verdicts)} cases are as predicted"
    return f"{count}{nothing}{_fitting(verdicts)}{left}"


def _fitting(verdicts: Sequence[judging.CaseVerdict]) -> str:
    """Return for which t0 and bounds the correct cases fit a specification; empty if none judges a case.

    Of several cases, time points can have different lengths, so that only t0 = 0 is common to them.
    """
    judged = [one.judgement for one in verdicts if one.correct and isinstance(one.judgement, Judgement)]
    if len(judged) == 1:
        choice = judged[0].best.choice
        fits = [one for one in judged[0].matching if one.choice.bounds == choice.bounds]
        starts = judging.starts_in_words(sorted(fits, key=lambda one: one.choice.starts), NO_DATES)
        return f", for t0 = {starts}, bounds {choice.bounds}"
    ends = [
        dict.fromkeys(one.choice.bounds for one in each.matching if not any(one.choice.starts))
        for each in judged
    ]
    common = [bounds for bounds in (ends[0] if ends else ()) if all(bounds in each for each in ends)]
    if judged and not common:
        return ", each for its own t0 and bounds (the JSON document contains t0)"
    return f", each for t0 = 0, bounds {common[0]}" if judged else ""


def _families(verdicts: Sequence[judging.CaseVerdict]) -> RenderableType:
    names = ("engine", "judged by", "family", "cases", "correct", "explained by rules")
    rows = []
    for kind, own in judging.by_family(verdicts):
        rules = Counter(rule.name for verdict in own for rule in verdict.rules or ())
        text = " ".join(f"{name} ({count})" for name, count in sorted(rules.items()))
        rows.append((*kind, str(len(own)), str(sum(verdict.correct is True for verdict in own)), text))
    return outputs.table("cases by engine and family", names, rows, right=("cases", "correct"))


def _explained_by(verdict: judging.CaseVerdict) -> str:
    if verdict.rules is None:
        return ""
    if not verdict.rules:
        return "the specification, with windows that open at multiples of their slide"
    return "\n".join(f"{rule.name} {rule.sentence}" for rule in verdict.rules)


_STYLES: Final = {True: "green", False: "bold red", None: "yellow"}
_SHOWN: Final = 40
"""The number of windows above which only the wrong windows are shown."""
_WHOLE: Final = frozenset(("from", "to"))
_ROWS: Final = 3
_TIMES: Final = 5
_RULES: Final = 5
"""The maximum number of rules of a hunt that the explanations list beside simple changes."""
_FEW_REPORTS: Final = 10
"""The number of reports below which several faults often explain a recording; a guess."""


def by_specification(
    judgement: Judgement, diagnosis: Diagnosis | None, all_dates: Dates
) -> Iterator[RenderableType]:
    """Yield the text of a verdict by a specification."""
    best, milliseconds = judgement.best, all_dates.unit.milliseconds
    ends = [window.at for window in (*best.transient, *best.windows, *best.later)]
    last = ceil(max(ends, default=0) / milliseconds)
    dates = all_dates.within(Interval(0, last))
    yield Text(_headline(judgement, dates), style=_STYLES[judgement.correct])
    if judgement.choices and (silent := len(best.unreported)):
        count = f"all {silent} wrong windows have" if silent > 1 else "the wrong window has"
        explained = diagnosis is not None and any(one.complete for one in diagnosis.explanations)
        yield f"{count} no report{'' if explained else ': perhaps the engine did not evaluate'}"
    yield from _diagnosis(diagnosis)
    if judgement.correct:
        yield from _delays(best, dates)
        yield from _others(judgement, dates)
    yield _table(best, diagnosis.shifts if diagnosis else {}, dates)
    for title, windows in (
        (_transient, best.transient),
        (
            lambda *_: "not compared, because the time is at or after the end of the trace, or after --until",
            best.later,
        ),
    ):
        odd = [window for window in windows if window.problem is not None]
        if odd:
            times = [
                f"{judging.in_points(window.at, milliseconds, dates)} ({window.problem_text})"
                for window in odd
            ]
            yield f"{title(best, dates)}: {outputs.first_few(times, _TIMES)}"


def _transient(best: Verdict, dates: Dates) -> str:
    """Return a sentence about the windows before the stable phase, and the option that compares them."""
    milliseconds = dates.unit.milliseconds
    until = judging.in_points(best.phase.after, milliseconds, dates)
    starts = set(best.choice.starts)
    if starts and max(starts) * milliseconds >= best.phase.after:
        # With --t0, and for a slide of one time point, no earlier start can be compared.
        return f"not compared, because no window is open before t0 = {until} (RSP-QL 2014, Definition 26)"
    more = f"; to compare from t0 on, use --t0 {dates.option(*starts)}" if len(starts) == 1 else ""
    return f"not compared up to the last possible t0, {until} (RSP-QL 2014, Definition 26){more}"


def by_other_match(
    judgement: Judgement | VersionJudgement, other: Judgement | VersionJudgement | None
) -> Iterator[str]:
    """Yield a note if the answers are correct with the other value of the option --match.

    If reports are missing in the recording, the function yields no note.
    """
    if (
        other is not None
        and other.correct
        and not (isinstance(judgement, Judgement) and _lacks_report(judgement))
    ):
        how = "the order of the reports" if other.match == "sequence" else "the times of the reports"
        yield f"the answers are correct if only {how} counts: --match {other.match}"


def _other_kinds(verdict: judging.AnswersVerdict) -> Iterator[str]:
    """Yield a note if a reported row has the values of an expected row, but an IRI in place of a literal."""
    for due, found in islice(kinds_apart(window.rows for window in judged_windows(verdict)), 1):
        yield f"same values, other kind of term: expected {due}, found {found}"
        text, kind, mapped = due, "an IRI", "ex:{column}"
        if due.startswith("<"):
            text, kind, mapped = due[1:-1], "a text", "{column}"
        yield f'write {text} in the answers, or map the column to {kind} in the trace, such as "{mapped}"'


def _lacks_report(judgement: Judgement) -> bool:
    """Return whether the recording lacks reports, so that more is wrong than the times of reports."""
    whole = [
        window.rows for window in judgement.best.windows if not window.rows.equal and not window.rows.shared
    ]
    return sum(not match.extra for match in whole) > sum(not match.missing for match in whole)


def _headline(judgement: Judgement, dates: Dates) -> str:
    best, name = judgement.best, judgement.specification.name
    if not judgement.choices and judgement.correct is not None:
        wrong = f"{best.wrong} of {outputs.quantity(len(best.windows), 'evaluation')} with rows"
        if judgement.correct:
            return f"correct by {name}: the answers of `lars solve`"
        verb, score = "is" if best.wrong == 1 else "are", outputs.share_text(best.score)
        return f"incorrect by {name}: {wrong} {verb} wrong, score {score}"
    ends = f"bounds {best.choice.bounds}"
    by = f"{name} as a sequence" if judgement.match == "sequence" else name
    if judgement.correct is None:
        tried = f"{judgement.tried_choices} of {judgement.choices} choices of t0 and bounds were tried"
        return f"undecided by {by}: {tried}, of which none fits"
    if judgement.correct:
        tried = (
            ""
            if judgement.tried_choices == judgement.choices
            else f" ({judgement.tried_choices} of {judgement.choices} choices of t0 and bounds were tried)"
        )
        starts = judging.starts_in_words(_like(best, judgement.matching, dates.unit.milliseconds), dates)
        return f"correct by {by} for t0 = {starts}{dates.caption}, {ends}{tried}"
    stray = best.unexpected
    wrong = f"{best.wrong - stray} of {len(best.windows) - stray} windows are wrong"
    if stray:
        wrong += f", and {outputs.quantity(stray, 'report')} {'is' if stray == 1 else 'are'} not expected"
    fit = f"best t0 = {judging.starts_in_words([best], dates)}{dates.caption}, {ends}: {wrong}"
    tried = outputs.quantity(judgement.tried_choices, "choice")
    return f"incorrect by {by}: no choice of t0 and bounds fits ({tried} tried); {fit}{_scored(best)}"


def _scored(best: Verdict) -> str:
    """Return the score over rows; a score of 1 would read as praise if windows are wrong but no row is."""
    if best.score < 1:
        return f", score {outputs.share_text(best.score)}"
    rows = any(window.rows.expected for window in best.windows)
    right = "every row is right" if rows else "no row is expected or reported"
    return f", but {right}: only reports without rows differ"


def _like(verdict: Verdict, verdicts: Iterable[Verdict], milliseconds: float) -> list[Verdict]:
    """Return the verdicts with a verdict's window bounds that also have (or also lack) late reports."""
    alike = (other for other in verdicts if _kind(other, milliseconds) == _kind(verdict, milliseconds))
    return sorted(alike, key=lambda other: other.choice.starts)


def _kind(verdict: Verdict, milliseconds: float) -> tuple[object, bool]:
    """Return the window bounds of a verdict, and whether a report is late by at least one time point."""
    return verdict.choice.bounds, bool(verdict.late and verdict.late[1] >= milliseconds)


def _others(judgement: Judgement, dates: Dates) -> Iterator[str]:
    milliseconds = dates.unit.milliseconds
    kinds = {_kind(judgement.best, milliseconds)}
    for verdict in judgement.matching:
        if (kind := _kind(verdict, milliseconds)) not in kinds:
            kinds.add(kind)
            alike = _like(verdict, judgement.matching, milliseconds)
            late = max((other.late[1] for other in alike if other.late), default=0)
            lateness = f", reports up to {outputs.plain(late)} ms late" if late else ""
            bounds = verdict.choice.bounds
            yield f"also for t0 = {judging.starts_in_words(alike, dates)}, bounds {bounds}{lateness}"


def _delays(verdict: Verdict, dates: Dates) -> Iterator[str]:
    delays = sorted(window.delay for window in verdict.windows if window.delay is not None)
    # Of start times that are alike but for that the first one's windows close first.
    alike = verdict.until is not None and verdict.until > verdict.choice.starts[0]
    where = f" for t0 = {dates.text(verdict.choice.starts[0])}" if alike else ""
    if delays and delays[-1] > 0:
        if delays[0] == delays[-1]:
            yield f"every report is {outputs.plain(delays[0])} ms late{where}"
        else:
            mean = sum(delays) / len(delays)
            span = f"{outputs.plain(delays[0])} to {outputs.plain(delays[-1])} ms late{where}"
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
    t0 = f", t0 = {judging.starts_in_words([verdict], dates)}" if verdict.choice.starts else ""
    title = f"{title}{dates.caption}{t0}"
    rows = ((*_cells(window, dates), _problem(window, shifts.get(window.at))) for window in listed_windows)
    return outputs.table(title, (*numbers, "problem"), rows, right=numbers, whole=_WHOLE)


def _cells(window: ReportMatch, dates: Dates) -> Iterator[str]:
    milliseconds = dates.unit.milliseconds
    yield "-" if window.first is None else judging.in_points(window.first, milliseconds, dates)
    yield judging.in_points(window.at, milliseconds, dates)
    yield str(window.rows.expected)
    yield str(window.rows.actual)
    # A share of no rows is none: 1.000 would read as praise.
    yield outputs.share_text(window.rows.precision) if window.rows.actual else "-"
    yield outputs.share_text(window.rows.recall) if window.rows.expected else "-"
    yield "-" if window.delay is None else f"{outputs.plain(window.delay)}"
    yield "-" if window.triples is None else str(window.triples)


def _problem(window: ReportMatch, shift: Shift | None) -> str:
    if (problem := window.problem_text) is None:
        return ""
    parts = [problem, *_odd_rows(window.rows)]
    return "\n".join(parts if shift is None else [*parts, shift_in_words(shift)])


def shift_in_words(shift: Shift) -> str:
    """Return a text about window borders that fit better."""
    moved = [
        f"{name} {outputs.quantity(abs(by), 'triple')} {'later' if by > 0 else 'earlier'}"
        for name, by in (("starts", shift.start), ("ends", shift.end))
        if by
    ]
    count = shift.rows.common
    fits = "all rows fit" if shift.rows.equal else f"{outputs.quantity(count, 'row')} fit{'s' * (count == 1)}"
    return f"{fits} if the window {' and '.join(moved) or 'has these borders'}"


def _odd_rows(match: RowMatch) -> Iterator[str]:
    # Formats without kinds of terms, such as CSV, contain IRIs as texts: both sides are shown alike.
    written = list(map(written_iris, match.extra))
    shown = [given if row in match.missing else row for given, row in zip(match.extra, written, strict=True)]
    missing, extra = outputs.told_apart(match.missing, shown)
    for title, rows in (("missing", missing), ("extra", extra)):
        if rows:
            yield f"{title} {outputs.first_few(rows, _ROWS, ' ')}"


def _diagnosis(diagnosis: Diagnosis | None) -> Iterator[str]:
    if diagnosis is None:
        return
    if diagnosis.too_long:
        yield (
            f"lars did not try the rules of lars hunt, because the recording has more than {MOST_RECORDED} "
            "triples or reports; use lars hunt, or judge a part of the recording"
        )
    if diagnosis.specification.predicted is None:
        yield from _of_nothing(diagnosis)
        return
    if not diagnosis.explanations:
        tried = "other borders of windows explain" if diagnosis.only_borders else "known fault explains"
        yield f"no {tried} the answers better than the specification"
        return
    best, *others = diagnosis.explanations
    yield f"best explanation: {_explained(best)}; {_explained(diagnosis.specification)}"
    hunted = [other for other in others if other.complete and other.rank == OTHER_CHANGE]
    simple = [other for other in others if other not in hunted]
    for other in (*simple[:_ROWS], *hunted[:_RULES]):
        yield f"  or {_explained(other)}"
    if len(hunted) > _RULES:
        yield f"  or {outputs.quantity(len(hunted) - _RULES, 'other rule')} of lars hunt"
    if best.complete and diagnosis.reports < _FEW_REPORTS:
        count = outputs.quantity(diagnosis.reports, "report")
        yield f"the recording has only {count}; a longer recording shows which fault is the cause"


def _of_nothing(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield sentences about answers without a row, which each fault predicts that predicts no row."""
    due = diagnosis.specification
    rows = outputs.quantity(due.unrecorded, "row")
    compared = "the compared times contain no recorded row"
    yield f"{compared}, but {due.sentence} predicts {rows}; the cause cannot be determined"
    if silent := [fault.sentence for fault in diagnosis.explanations if fault.complete]:
        yield f"possible causes, which also predict no row: {outputs.first_few(silent, _ROWS)}"


def _explained(explanation: FaultExplanation) -> str:
    if explanation.complete:
        return f"{explanation.sentence} predicts exactly the recorded reports"
    rows = (
        "no row" if explanation.predicted is None else f"{_share(explanation.predicted)} of the recorded rows"
    )
    if extra := explanation.unrecorded:
        rows += f" and {outputs.quantity(extra, 'row')} that {'are' if extra > 1 else 'is'} not recorded"
    return f"{explanation.sentence} predicts {rows}, score {outputs.share_text(explanation.score)}"


def _share(share: float) -> str:
    return "all" if share == 1 else outputs.percent_text(share)


def by_version(judgement: VersionJudgement, dates: Dates) -> Iterator[RenderableType]:
    """Yield the text of a verdict by an engine version."""
    place = judgement.by
    if judgement.correct:
        some = f"{outputs.quantity(len(judgement.places), place)} with reports, all as predicted"
        sentence = (
            some if judgement.places else f"{judgement.engine} predicts no report, and no report is recorded"
        )
        yield Text(f"correct by {judgement.engine}: {sentence}", style=_STYLES[True])
        return
    wrong = f"{len(judgement.wrong)} of {outputs.quantity(len(judgement.places), place)} with reports differ"
    yield Text(
        f"incorrect by {judgement.engine}: {wrong}, score {outputs.share_text(judgement.rows.score)}",
        style=_STYLES[False],
    )
    numbers = (place, "predicted", "recorded")
    title = None
    if dated := place == "time unit" and dates.zero is not None:
        dates = dates.within(Interval(0, ceil(max(step.at for step in judgement.wrong[:_SHOWN]))))
        title = f"time units{dates.caption}"
    rows = (
        (
            dates.text(step.at) if dated else str(step.at),
            *(str(len(rows_of(reports))) for reports in (step.right or (), step.came)),
            "\n".join([step.problem or "", *_odd_rows(step.rows)]),
        )
        for step in judgement.wrong[:_SHOWN]
    )
    yield outputs.table(title, (*numbers, "problem"), rows, right=numbers)


def of_answers(verdict: judging.AnswersVerdict) -> Iterator[RenderableType]:
    """Yield the text of the verdict on a file of answers."""
    if isinstance(verdict.judgement, Judgement):
        parts = by_specification(verdict.judgement, verdict.diagnosis, verdict.dates)
    else:
        parts = iter(by_version(verdict.judgement, verdict.dates))
    yield from islice(parts, 1)
    # Before the tables: this explains them.
    yield from _other_kinds(verdict)
    yield from parts
    yield from by_other_match(verdict.judgement, verdict.other)


def by_other_command(verdict: judging.AnswersVerdict, command: str) -> Iterator[str]:
    """Yield the `command` that tries more explanations, if no explanation of wrong answers is complete.

    A few reports are no log of alerts, so that the function then yields nothing.
    """
    diagnosis = verdict.diagnosis
    if diagnosis is None or diagnosis.specification.predicted is None or diagnosis.reports < _FEW_REPORTS:
        return
    if not any(fault.complete for fault in diagnosis.explanations):
        yield (
            "no explanation is complete; if the answers are a log of alerts, this command also tries "
            f"other limits, and a change of the rule: {command}"
        )


def _specification_json(judgement: Judgement, diagnosis: Diagnosis | None, dates: Dates) -> outputs.Json:
    """Return the JSON of a verdict by a specification, without windows."""
    best, after = judgement.best, judgement.best.phase.after
    explanations = (diagnosis.specification, *diagnosis.explanations) if diagnosis else ()
    return {
        "engine": judgement.specification.name,
        "correct": judgement.correct,
        "match": outputs.encode(judgement.match),
        **starts_json(fitting_starts(judgement), dates),
        "bounds": outputs.encode(best.choice.bounds),
        "matching": [
            {
                **starts_json(verdict.choice.starts, dates),
                **dates.with_dates({"until": verdict.until}),
                "bounds": outputs.encode(verdict.choice.bounds),
                "late": outputs.encode(verdict.late),
            }
            for verdict in judgement.matching
        ],
        "choices": judgement.choices,
        "tried": judgement.tried_choices,
        **dates.with_dates(
            {"stable_from": points(after, dates.unit.milliseconds) if isfinite(after) else None}
        ),
        "explanations": [outputs.record(explanation, {"sentence": "says"}) for explanation in explanations],
    }


def answers_json(verdict: judging.AnswersVerdict) -> outputs.Json:
    """Return the JSON of the verdict on a file of answers.

    The document contains the windows for the matching start times, or for the best start times.
    """
    judgement, dates = verdict.judgement, verdict.dates
    phases: dict[str, list[outputs.Json]] = {phase: [] for phase in phases_of(judgement)}
    for window in judged_windows(verdict):
        phases[window.phase].append(window_json(window, dates))
    if isinstance(judgement, Judgement):
        head = _specification_json(judgement, verdict.diagnosis, dates)
    else:
        head = {
            **outputs.pick(judgement, "engine", "correct", "match"),
            "t0": [],
            "score": judgement.rows.score,
        }
    other = other_match_json(verdict.other)
    return {**head, **phases, **other, "silent": list(verdict.silent), "origin": dates.zero}


def other_match_json(other: Judgement | VersionJudgement | None) -> outputs.Json:
    """Return the JSON key that contains the verdict with the other value of the option --match."""
    return {"other_match": None if other is None else outputs.pick(other, "match", "correct")}


def cases_json(verdicts: Sequence[judging.CaseVerdict], refused: Sequence[RefusedCase]) -> outputs.Json:
    """Return the JSON of each case with its verdict, the counts by family, and the cases without verdict."""
    return {
        "correct": judging.overall([*(verdict.correct for verdict in verdicts), *(None for _ in refused)]),
        "families": [
            {"engine": engine, "judge": judge, "family": family}
            | {"cases": len(own), "correct": sum(verdict.correct is True for verdict in own)}
            for (engine, judge, family), own in judging.by_family(verdicts)
        ],
        "cases": [_case(verdict) for verdict in verdicts],
        "refused": [
            {"id": case.id, "engine": case.case and case.case.engine, "problem": case.problem}
            for case in refused
        ],
    }


def _case(verdict: judging.CaseVerdict) -> outputs.Json:
    judgement = verdict.judgement
    return {
        **outputs.pick(verdict.case, "id", "engine", "family"),
        **outputs.pick(verdict, "judge"),
        "correct": judgement.correct,
        "empty": verdict.is_empty,
        "score": score_of_case(verdict),
        "t0": starts_of_case(verdict),
        "problem": judging.first_problem(verdict) or None,
        **other_match_json(verdict.other),
        "rules": None
        if verdict.rules is None
        else [outputs.record(rule, {"name": "rule", "sentence": "says"}) for rule in verdict.rules],
    }
