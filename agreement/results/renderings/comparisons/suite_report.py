"""What a suite found of an engine: text, JSON, EARL, JUnit, and what a failure's page says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox
from rich.console import RenderableType

from agreement.documents.outputs import Json, first_few, plain, quantity, short, table
from agreement.proving.suite import LEVELS, SUITE, Label, Outcome, SuiteResult, TestResult, vectors
from agreement.proving.suite.running import Choice

_OUTCOMES: Final = tuple(Outcome)
_EARL: Final = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.REFUSED: "inapplicable",
    Outcome.INADMISSIBLE: "inapplicable",
}
_SHOWN: Final = 5
_LABELS: Final = {
    Label.EVALUATION: "",
    Label.INSIDE: ", reported less than a time point later",
    Label.ARRIVAL: ", reported at the next arrival",
}


def overview(found: Sequence[SuiteResult]) -> Iterator[RenderableType]:
    """Yield what each engine is and how its tests ended; several side by side."""
    for each in found:
        yield from _said(each)
    if len(found) > 1:
        yield side_by_side(found)
    else:
        yield from map(by_feature, found)


def as_text(found: Sequence[SuiteResult]) -> Iterator[RenderableType]:
    """Yield what each engine is and how its tests ended, and of one engine the first failures."""
    yield from overview(found)
    for result in found[:1] if len(found) == 1 else ():
        failed = [one for one in result.results if one.outcome is Outcome.FAILED]
        for one in failed[:_SHOWN]:
            yield from failure_parts(one, result)
        if len(failed) > _SHOWN:
            names = [one.test.name for one in failed[_SHOWN:]]
            yield f"{len(names)} more failed: {first_few(names, 12)}"


def _said(found: SuiteResult) -> Iterator[str]:
    counts = ", ".join(f"{found.count(one)} {one.value}" for one in _OUTCOMES if found.count(one))
    whole = f"{quantity(len(found.results), 'test')} ({found.writing.language.value})"
    yield f"{found.engine}: {counts or 'no test'} of {whole}"
    said = "declared" if found.declared else "fits every answer"
    if found.misfits and not found.declared:
        nearest = f"those of {found.writing.language.value}" if found.usual else "the nearest"
        said = f"none fits every answer; {nearest}"
    yield f"  parameters ({said}): {vector_text(found.choice)}"
    if found.misfits:
        yield f"  no parameters fit {first_few(found.misfits, 4)} together"
    elif len(found.fitting) > 1:
        yield f"  {quantity(len(found.fitting), 'vector')} of parameters fit all answers"


def vector_text(choice: Choice) -> str:
    """Return the parameters of a choice in words."""
    number, label = choice
    return f"{vectors()[number]}{_LABELS[label]}"


def by_feature(found: SuiteResult) -> RenderableType:
    """Return the table of how tests ended by level and feature."""
    shown = table(
        None, "level", "feature", *(one.value for one in _OUTCOMES), right=[one.value for one in _OUTCOMES]
    )
    for level, feature in _features([found]):
        own = _of(found, level, feature)
        shown.add_row(
            level, feature, *(str(sum(one.outcome is kind for one in own) or "") for kind in _OUTCOMES)
        )
    return shown


def side_by_side(found: Sequence[SuiteResult]) -> RenderableType:
    """Return engines beside each other: passed of those that were not refused, by level and feature."""
    shown = table(
        None, "level", "feature", *(one.engine for one in found), right=[one.engine for one in found]
    )
    for level, feature in _features(found):
        shown.add_row(level, feature, *(_share(_of(one, level, feature)) for one in found))
    shown.add_row("all", "", *(_share(one.results) for one in found))
    return shown


def _features(found: Sequence[SuiteResult]) -> list[tuple[str, str]]:
    pairs = dict.fromkeys((one.test.level, one.test.feature) for result in found for one in result.results)
    return sorted(pairs, key=lambda one: LEVELS.index(one[0]) if one[0] in LEVELS else len(LEVELS))


def _of(found: SuiteResult, level: str, feature: str) -> list[TestResult]:
    return [one for one in found.results if (one.test.level, one.test.feature) == (level, feature)]


def _share(found: Sequence[TestResult]) -> str:
    judged = [one for one in found if one.outcome in (Outcome.PASSED, Outcome.FAILED)]
    if not judged:
        return "refused" if any(one.outcome is Outcome.REFUSED for one in found) else "-"
    return f"{sum(one.outcome is Outcome.PASSED for one in judged)}/{len(judged)}"


def failure_parts(found: TestResult, of: SuiteResult) -> Iterator[RenderableType]:
    """Yield the sentence that a failed test is about, the rule, its stream, what is right and what came."""
    yield f"{found.test.name}: {found.test.comment}"
    if found.answer.failure is not None:
        yield f"  the run failed: {found.answer.failure}"
        return
    yield f"  {reasons(found, of.choice)}"
    stream = table(None, "t", "stream", "triple", right=("t",))
    for push in found.test.stream:
        stream.add_row(plain(push.t), short(push.stream), " ".join(map(short, push.triple)))
    yield stream
    yield _places(found)


def _places(found: TestResult) -> RenderableType:
    shown = table(None, "t", "right", "came", right=("t",))
    right, came = _by_time(_right(found)), _by_time(_came(found))
    for t in sorted({*right, *came}):
        shown.add_row(
            plain(t), "; ".join(right.get(t, ())) or "no report", "; ".join(came.get(t, ())) or "no report"
        )
    return shown


def _right(found: TestResult) -> list[tuple[float, str]]:
    return [(t, _rows([dict(zip(found.names, row, strict=True)) for row in rows])) for t, rows in found.right]


def _came(found: TestResult) -> list[tuple[float, str]]:
    until = max((one.t for one in found.test.stream), default=0)
    return [(t, _rows(rows)) for t, rows in found.answer.reports if t < until]


def _by_time(found: Sequence[tuple[float, str]]) -> Mapping[float, list[str]]:
    times: dict[float, list[str]] = {}
    for t, text in found:
        times.setdefault(t, []).append(text)
    return times


def _rows(rows: Sequence[Mapping[str, str | None]]) -> str:
    texts = (
        "("
        + ", ".join(f"{name} {short(term)}" for name, term in sorted(row.items()) if term is not None)
        + ")"
        for row in rows
    )
    return ", ".join(sorted(texts)) or "empty"


def reasons(found: TestResult, choice: Choice) -> str:
    """Return which other parameters would explain an answer, those that differ in the fewest."""
    if not found.fits:
        return "no parameters explain what came"
    own = _values(choice)
    nearest = min(found.fits, key=lambda one: (_distance(own, _values(one)), one[0], one[1].value))
    differ = {name: value for name, value in _values(nearest).items() if own.get(name) != value}
    said = ", ".join(f"{name} {value} in place of {own.get(name, 'none')}" for name, value in differ.items())
    return f"it would be right with {said}" if differ else "it is right"


def _values(choice: Choice) -> Mapping[str, str]:
    return {**vectors()[choice[0]].values(), "reports at": choice[1].value}


def _distance(one: Mapping[str, str], other: Mapping[str, str]) -> int:
    return sum(one.get(name) != other.get(name) for name in {*one, *other})


def as_json(found: SuiteResult) -> Json:
    """Return the JSON of one engine."""
    return {
        "engine": found.engine,
        "language": found.writing.language.value,
        "declared": found.declared,
        "parameters": dict(_values(found.choice)),
        "vector": found.choice[0],
        "fitting": [{"vector": n, "reports at": label.value} for n, label in found.fitting],
        "misfits": list(found.misfits),
        "counts": {one.value: found.count(one) for one in _OUTCOMES},
        "tests": [_test_json(one, found) for one in found.results],
    }


def _test_json(one: TestResult, found: SuiteResult) -> Json:
    failed = one.outcome is Outcome.FAILED
    said = {
        "name": one.test.name,
        "level": one.test.level,
        "feature": one.test.feature,
        "outcome": one.outcome.value,
    }
    why = one.answer.refused or one.answer.failure or (reasons(one, found.choice) if failed else None)
    return said | ({"why": why} if why else {})


def earl(found: SuiteResult) -> str:
    """Return the results as EARL in Turtle (W3C, Evaluation and Report Language)."""
    lines = [
        "@prefix earl: <http://www.w3.org/ns/earl#> .",
        "@prefix dct: <http://purl.org/dc/terms/> .",
        "@prefix doap: <http://usefulinc.com/ns/doap#> .",
        f"@prefix suite: <{SUITE}> .",
        "",
        f"<#engine> a earl:TestSubject , earl:Software ; doap:name {ox.Literal(found.engine)} ;",
        f"  suite:parameters {ox.Literal(vector_text(found.choice))} .",
        '<#lars> a earl:Software , earl:Assertor ; doap:name "lars" .',
    ]
    for one in found.results:
        info = one.answer.refused or one.answer.failure
        if one.outcome is Outcome.FAILED and info is None:
            info = reasons(one, found.choice)
        said = f" ; earl:info {ox.Literal(info)}" if info else ""
        lines += [
            "",
            "[] a earl:Assertion ; earl:assertedBy <#lars> ; earl:subject <#engine> ;",
            f"  earl:test <{one.test.level}.ttl#{one.test.name}> ; earl:mode earl:automatic ;",
            f"  earl:result [ a earl:TestResult ; earl:outcome earl:{_EARL[one.outcome]}{said} ] .",
        ]
    return "\n".join(lines) + "\n"


def junit(found: SuiteResult) -> str:
    """Return the results as JUnit's XML: what is refused or inadmissible is skipped."""
    skipped = found.count(Outcome.REFUSED) + found.count(Outcome.INADMISSIBLE)
    head = (
        f'<testsuite name={quoteattr(found.engine)} tests="{len(found.results)}" '
        f'failures="{found.count(Outcome.FAILED)}" errors="0" skipped="{skipped}">'
    )
    cases = (_case(one, found) for one in found.results)
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""))


def _case(one: TestResult, found: SuiteResult) -> str:
    opened = f"  <testcase classname={quoteattr(one.test.level)} name={quoteattr(one.test.name)}"
    match one.outcome:
        case Outcome.PASSED:
            return f"{opened}/>"
        case Outcome.FAILED:
            why = one.answer.failure or reasons(one, found.choice)
            came = "\n".join(f"{plain(t)}: {rows}" for t, rows in _came(one))
            right = "\n".join(f"{plain(t)}: {rows}" for t, rows in _right(one))
            body = _plain_xml(f"{one.test.comment}\nright:\n{right}\ncame:\n{came}")
            return (
                f"{opened}><failure message={quoteattr(_plain_xml(why))}>{escape(body)}</failure></testcase>"
            )
        case _:
            why = one.answer.refused or one.outcome.value
            return f"{opened}><skipped message={quoteattr(_plain_xml(why))}/></testcase>"


def _plain_xml(text: str) -> str:
    """Return a text without the characters that XML 1.0 cannot hold."""
    return "".join(one for one in text if one in "\t\n\r" or " " <= one <= "\ud7ff" or one >= "\ue000")
