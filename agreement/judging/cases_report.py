"""Verdicts on many cases: a table per family, and each case that differs with what explains it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from agreement.judging.cases import CaseVerdict
from agreement.judging.judgement import Judgement
from agreement.outputs import plain

Json = dict[str, Any]


def as_text(found: Sequence[CaseVerdict]) -> Iterator[RenderableType]:
    """Yield the table of families, then the cases that differ."""
    yield _families(found)
    differing = [one for one in found if not one.correct]
    if differing:
        yield _differing(differing)
    agreeing = len(found) - len(differing)
    yield f"{agreeing} of {len(found)} cases are as predicted"


def _families(found: Sequence[CaseVerdict]) -> Table:
    table = Table(title="cases by engine and family", title_justify="left")
    for name in ("engine", "judged by", "family", "cases", "correct", "explained by rules"):
        table.add_column(name, justify="right" if name in ("cases", "correct") else "left")
    groups: dict[tuple[str, str, str], list[CaseVerdict]] = {}
    for one in found:
        groups.setdefault((one.case.engine, one.judge, one.case.family), []).append(one)
    for (engine, judge, family), own in sorted(groups.items()):
        correct = sum(one.correct for one in own)
        rules = Counter(rule.name for one in own for rule in one.rules or ())
        named = " ".join(f"{name} ({count})" for name, count in sorted(rules.items()))
        table.add_row(engine, judge, family, str(len(own)), str(correct), named)
    return table


def _differing(found: Sequence[CaseVerdict]) -> Table:
    table = Table(title="cases that differ", title_justify="left")
    for name in ("case", "first difference", "rules that explain it"):
        table.add_column(name)
    for one in found:
        table.add_row(one.case.id, problem(one), explained(one))
    return table


def problem(verdict: CaseVerdict) -> str:
    """Return the first difference of a case in words."""
    judgement = verdict.judgement
    if isinstance(judgement, Judgement):
        windows = [window for window in judgement.best.windows if window.problem is not None]
        if not windows:
            return "nothing to compare" if judgement.correct is None else ""
        share = f"({len(windows)} of {len(judgement.best.windows)})"
        return f"at {plain(windows[0].last)} ms: {windows[0].problem} {share}"
    place = "push" if judgement.by_push else "time unit"
    wrong = judgement.wrong
    return (
        f"{place} {wrong[0].place}: {wrong[0].problem} ({len(wrong)} of {len(judgement.steps)})"
        if wrong
        else ""
    )


def explained(verdict: CaseVerdict) -> str:
    """Return the rules of the engine that explain a case in words."""
    if verdict.rules is None:
        return ""
    if not verdict.rules:
        return "the specification with windows that open at multiples of their slide"
    return "\n".join(f"{rule.name} {rule.says}" for rule in verdict.rules)


def as_json(found: Sequence[CaseVerdict]) -> Json:
    """Return every case with its verdict, and how many agree in each family."""
    families: dict[tuple[str, str, str], Json] = {}
    for one in found:
        key = (one.case.engine, one.judge, one.case.family)
        named = {"engine": key[0], "judge": key[1], "family": key[2], "cases": 0, "correct": 0}
        family = families.setdefault(key, named)
        family["cases"] += 1
        family["correct"] += one.correct
    return {
        "correct": all(one.correct for one in found),
        "families": [families[key] for key in sorted(families)],
        "cases": [_case(one) for one in found],
    }


def _case(one: CaseVerdict) -> Json:
    found = one.judgement
    rules = one.rules and [{"rule": rule.name, "says": rule.says} for rule in one.rules]
    return {
        "id": one.case.id,
        "engine": one.case.engine,
        "family": one.case.family,
        "judge": one.judge,
        "correct": found.correct,
        "score": found.best.score if isinstance(found, Judgement) else found.score,
        "t0": [list(z.choice.starts) for z in found.matching] if isinstance(found, Judgement) else [],
        "problem": problem(one) or None,
        "rules": None if rules is None else list(rules),
    }
