"""Verdicts on recorded cases as text: by family, those that differ, those that cannot be judged."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from agreement.comparing.judge import RefusedCase
from agreement.comparing.judge.cases import CaseVerdict, by_family, first_problem
from agreement.documents.outputs import table
from agreement.results.renderings.comparisons.verdict_text import by_other_match


def text_of_cases(found: Sequence[CaseVerdict], refused: Sequence[RefusedCase]) -> Iterator[RenderableType]:
    """Yield the table of families of cases, the cases that differ, and those that cannot be judged."""
    yield _families(found)
    differing = [one for one in found if one.correct is not True]
    if differing:
        shown = table("cases that differ", "case", "first difference", "rules that explain it")
        for one in differing:
            said = "\n".join([first_problem(one), *by_other_match(one.judgement, one.other)])
            shown.add_row(one.case.id, said, _explained_by(one))
        yield shown
    if refused:
        listed = table("cases that cannot be judged", "case", "engine", "why")
        for case in refused:
            listed.add_row(case.id, "" if case.case is None else case.case.engine, case.problem)
        yield listed
    left = f"; {len(refused)} more cannot be judged" if refused else ""
    yield f"{len(found) - len(differing)} of {len(found)} cases are as predicted{left}"


def _families(found: Sequence[CaseVerdict]) -> RenderableType:
    names = ("engine", "judged by", "family", "cases", "correct", "explained by rules")
    shown = table("cases by engine and family", *names, right=("cases", "correct"))
    for kind, own in by_family(found):
        rules = Counter(rule.name for one in own for rule in one.rules or ())
        named = " ".join(f"{name} ({count})" for name, count in sorted(rules.items()))
        shown.add_row(*kind, str(len(own)), str(sum(one.correct is True for one in own)), named)
    return shown


def _explained_by(verdict: CaseVerdict) -> str:
    if verdict.rules is None:
        return ""
    if not verdict.rules:
        return "the specification with windows that open at multiples of their slide"
    return "\n".join(f"{rule.name} {rule.sentence}" for rule in verdict.rules)
