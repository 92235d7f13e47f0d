"""The reports of `lars suite run`: text, JSON, EARL, JUnit, and HTML reports about failures.

The suite finds the parameters of an engine (such as its window bounds and reporting times) that fit its
reports.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pyoxigraph as ox
from rich.console import RenderableType

from agreement.documents import outputs
from agreement.documents.requests import ALIGNED
from agreement.engines.specifications import builtin
from agreement.experiments.junit import PARAMETERS, VerdictCase, junit_text
from agreement.proving import suite
from agreement.proving.suite.expecting import unit_of
from agreement.proving.suite.running import SILENT, Choice, SuiteAnswer
from translate.dialects import TITLES

_OUTCOMES: Final = suite.OUTCOMES
_EARL: Final = {
    "passed": "passed",
    "failed": "failed",
    "not asked": "untested",
    "refused": "inapplicable",
    "inadmissible": "inapplicable",
    "not run": "untested",
}
_NOT_ASKED: Final = "by these parameters nothing is due in the test, and nothing came"
_FOUND: Final = "the run has found the parameters of the engine, which are not declared"
_MUTE: Final = "the engine gave no report in the whole run"
_ROWLESS: Final = "no report of the engine contains a row in the whole run"
UNTRIED: Final = "the suite has no tests for windows that are open at both ends"
_SHOWN: Final = 5
_LABELS: Final = {
    "evaluation": "",
    "inside": ", reported less than a time point later",
    "arrival": ", reported at the next arrival",
    "later": ", reported at the next arrival of a later time",
}


def overview(results: Sequence[suite.SuiteResult]) -> Iterator[RenderableType]:
    """Yield the parameters and test results of each engine; one table compares several engines."""
    for each in results:
        yield from _sentences(each)
    if len(results) > 1:
        yield side_by_side(results)
    else:
        yield from map(by_feature, results)


def as_text(results: Sequence[suite.SuiteResult]) -> Iterator[RenderableType]:
    """Yield the parameters and test results of each engine; for one engine, also its first failures."""
    yield from overview(results)
    for result in results[:1] if len(results) == 1 else ():
        failed = [one for one in result.results if one.outcome == "failed"]
        count = 1 if result.rowless else _SHOWN
        for test_result in failed[:count]:
            yield from failure_parts(test_result, result)
        if len(failed) > count:
            names = [one.test.name for one in failed[count:]]
            yield f"{len(names)} more failed: {outputs.first_few(names, 12)}"


def _sentences(result: suite.SuiteResult) -> Iterator[str]:
    counts = ", ".join(f"{result.count(outcome)} {outcome}" for outcome in _OUTCOMES if result.count(outcome))
    whole = f"{outputs.quantity(len(result.results), 'test')} ({result.writing.language.value})"
    yield f"{result.engine}: {counts or 'no test'} of {whole}"
    if result.incomplete:
        yield "  incomplete: the run ended before all tests were run"
    if not any(test_result.answer.ran for test_result in result.results):
        return
    yield from (f"  {problem}" for problem in _problems(result))
    if result.rowless or not any(test_result.answer.judged for test_result in result.results):
        return
    yield f"  parameters ({_source(result)}): {vector_text(result.choice)}"
    yield from _departures(result)
    closest, passed, left = result.nearest
    if result.usual and passed > result.count("passed") and not result.doubted:
        more = outputs.quantity(passed - result.count("passed"), "more test")
        yield f"  no parameters fit all tests; other parameters fit {more}: {vector_text(closest)}"
        yield f"  by these parameters, {_failed_text(left)}"
    if result.misfits:
        yield f"  {_misfit_text(result.misfits, 'the declared' if result.declared else 'all')}"
        yield f"  not tried: bounds open, because {UNTRIED}"
    elif len(result.fitting) > 1:
        yield f"  {_fitting_text(result.fitting)}"
    if result.count("not asked"):
        yield f"  not asked: {_NOT_ASKED}"
    if unseen := [each.unseen for each in result.results if each.unseen and _is_judged(each)]:
        yield f"  {_unseen_text(unseen)}"
    if result.waiting:
        yield f"  {_waiting_text(result.waiting)}"


def _unseen_text(unseen: Sequence[int]) -> str:
    """Return a sentence about the reports that are not compared, given their number in each test.

    >>> _unseen_text([1])
    '1 report of 1 test comes only with the last element, and is not asked'
    """
    reports, tests = outputs.quantity(sum(unseen), "report"), outputs.quantity(len(unseen), "test")
    come, are = ("comes", "is") if sum(unseen) == 1 else ("come", "are")
    return f"{reports} of {tests} {come} only with the last element, and {are} not asked"


def _waiting_text(answers: Sequence[SuiteAnswer]) -> str:
    """Return a sentence about the number of tests in which reports wait, and about the first such report."""
    name, waiting = next((one.test.name, one.waiting) for one in answers if one.waiting is not None)
    t, early, came = (None if one is None else outputs.plain(one) for one in waiting)
    end = "at the end of the run" if came is None else f"with the element at {came}"
    return (
        f"late replies, which no test checks: in {outputs.quantity(len(answers), 'test')}, a report comes "
        f"later than with the first element after its time (in {name}, the report of time {t} comes {end}, "
        f"not with the element at {early})"
    )


def _source(result: suite.SuiteResult) -> str:
    """Return whether the parameters are declared or found, and whether they fit."""
    if result.doubted:
        tests = outputs.quantity(len(result.results), "test")
        source = "declared" if result.declared else f"those of {result.writing.language.value}"
        return f"in doubt, because only {result.count('passed')} of {tests} pass; {source}"
    if result.declared:
        values = suite.alike(sorted({number for number, _ in result.declared}))
        found = [name for name, texts in values.items() if len(texts) > 1]
        return f"declared; found: {', '.join(found)}" if found else "declared"
    if result.misfits:
        nearest = f"those of {result.writing.language.value}" if result.usual else "the nearest"
        return f"none fits every answer; {nearest}"
    count = len(result.fitting)
    return f"one of {count} vectors that fit every answer" if count > 1 else "fits every answer"


def _failed_text(names: Sequence[str]) -> str:
    return f"{outputs.quantity(len(names), 'test')} still failed: {outputs.first_few(names, _SHOWN)}"


def _fitting_text(fitting: Sequence[Choice]) -> str:
    """Return a sentence about the differences between vectors of parameters that fit all answers.

    >>> _fitting_text([(0, "evaluation"), (1, "evaluation")])
    '2 vectors of parameters fit all answers, but differ: combination any; combination all'
    """
    every = [_values(choice) for choice in fitting]
    values = {name: dict.fromkeys(one.get(name, "none") for one in every) for one in every for name in one}
    differ = {name: texts for name, texts in values.items() if len(texts) > 1}
    shown = (
        (", ".join(f"{name} {one.get(name, 'none')}" for name in differ) for one in every)
        if len(every) <= _SHOWN
        else (f"{name} {' or '.join(texts)}" for name, texts in differ.items())
    )
    head = f"{len(every)} vectors of parameters fit all answers, but differ"
    return f"{head}: {'; '.join(shown)}"


def _problems(result: suite.SuiteResult) -> Iterator[str]:
    """Yield sentences about an engine that crashes, never reports a row, or counts another unit."""
    for names, problem, hint in (
        (result.crashes, "crashed or sent an invalid reply", ""),
        (result.silences, "did not reply in time", f"; {SILENT}"),
    ):
        if names:
            tests, few = outputs.quantity(len(names), "test"), outputs.first_few(names, _SHOWN)
            yield f"the adapter {problem} in {tests}: {few}{hint}"
    if result.rowless and not (result.crashes or result.silences):
        yield _MUTE if result.mute else _ROWLESS
    if result.hint is not None:
        yield result.hint


def _misfit_text(names: Sequence[str], tried: str = "all") -> str:
    """Return a sentence about a few tests that no parameters fit together, and about the next step.

    >>> _misfit_text(["tumbling-06"])
    'the answers to tumbling-06 are wrong under all parameters: begin with the fault in this test'
    """
    few = outputs.first_few(names, 4)
    if len(names) == 1:
        return f"the answers to {few} are wrong under {tried} parameters: begin with the fault in this test"
    return (
        f"each of the tests {few} passes under some parameters, but not all under the same parameters: "
        "compare the windows of their answers to find the fault"
    )


def _departures(result: suite.SuiteResult) -> Iterator[str]:
    """Yield lines about parameters of an engine that differ from those of its language, and their meaning."""
    language, vectors = result.writing.language, suite.vectors()
    own = builtin(language.value)
    chosen, fitting = vectors[result.choice[0]], [vectors[number] for number, _ in result.fitting]
    found = chosen.departures(own)
    # Another vector that fits too may have the language's own value: then no answer shows a difference.
    shown = [text for name, text in found.items() if all(name in each.departures(own) for each in fitting)]
    if (label := _LABELS[result.choice[1]]) and all(when != "evaluation" for _, when in result.fitting):
        shown.append(f"{label.removeprefix(', ')} instead of at the time of the evaluation")
    if shown:
        yield f"  different from {TITLES[language]}'s own parameters: {'; '.join(shown)}"
        if not result.declared:
            passed = outputs.quantity(result.passed_by_specification, "test")
            yield f"  by {TITLES[language]}'s own parameters: {passed} passed (--engine {language.value})"
            if not result.misfits:
                yield from _as_file(result, result.choice)
    if unshown := [name for name in found if found[name] not in shown]:
        yield f"  not shown by the answers, which also fit {TITLES[language]}'s own: {', '.join(unshown)}"
    yield from (f"  {meaning}" for meaning in chosen.meanings())


def _as_file(result: suite.SuiteResult, choice: Choice) -> Iterator[str]:
    """Yield parameters as lines of a specification, after a sentence about the use of its file.

    A specification has no key for the times of reports, which only the suite compares in several ways.
    """
    language, vector = result.writing.language, suite.vectors()[choice[0]]
    values = vector.specification(language, unit_of(language)).model_dump(mode="json", exclude_defaults=True)
    start = f" --t0 {ALIGNED}" if vector.start == ALIGNED else ""
    options = f"--engine mine.toml{start}"
    users = "lars hunt and lars judge"
    if choice[1] != "evaluation":
        yield f"  {users} compare times of evaluations, and call reports with later times wrong or late"
        options, users = f"--engine mine.toml --label {choice[1]}", "lars suite run"
    yield f"  for {users}, save these parameters as mine.toml, and add {options}:"
    for key, found in (values | {"name": result.engine}).items():
        written = sorted(found) if isinstance(found, list) else found
        yield f"    {key} = {json.dumps(written, ensure_ascii=False)}"


def _about(result: suite.TestResult) -> str:
    """Return the comment of a test, and note that the comment does not diagnose the engine."""
    of = "for RSP-QL's own parameters, or the parameters named here; no diagnosis of this engine"
    return f"difference that the test shows ({of}): {result.test.comment}"


def vector_text(choice: Choice) -> str:
    """Return a text that lists the parameters (window, report and tick settings) of an engine."""
    number, label = choice
    return f"{suite.vectors()[number]}{_LABELS[label]}"


def by_feature(result: suite.SuiteResult) -> RenderableType:
    """Return a table of the number of tests with each outcome, by level and feature."""
    outcomes_shown = [one for one in _OUTCOMES if one != "not run" or result.incomplete]
    names, rows = [str(outcome) for outcome in outcomes_shown], []
    for level, feature in _features([result]):
        outcomes = [test_result.outcome for test_result in _of(result, level, feature)]
        rows.append((level, feature, *(str(outcomes.count(kind) or "") for kind in outcomes_shown)))
    return outputs.table(None, ("level", "feature", *names), rows, right=names)


def side_by_side(results: Sequence[suite.SuiteResult]) -> RenderableType:
    """Return a table that compares engines: the numbers of passed and judged tests, by level and feature."""
    names = [result.engine for result in results]
    rows = [
        (level, feature, *(_share(_of(result, level, feature)) for result in results))
        for level, feature in _features(results)
    ]
    every = ("all", "", *(_share(result.results) for result in results))
    return outputs.table(None, ("level", "feature", *names), [*rows, every], right=names)


def _features(results: Sequence[suite.SuiteResult]) -> list[tuple[str, str]]:
    pairs = dict.fromkeys(
        (test_result.test.level, test_result.test.feature)
        for result in results
        for test_result in result.results
    )
    return sorted(
        pairs, key=lambda pair: suite.LEVELS.index(pair[0]) if pair[0] in suite.LEVELS else len(suite.LEVELS)
    )


def _of(result: suite.SuiteResult, level: str, feature: str) -> list[suite.TestResult]:
    return [
        test_result
        for test_result in result.results
        if (test_result.test.level, test_result.test.feature) == (level, feature)
    ]


def _share(results: Sequence[suite.TestResult]) -> str:
    judged = list(filter(_is_judged, results))
    if not judged:
        kinds = ("refused", "not asked")
        return next((kind for kind in kinds if any(one.outcome == kind for one in results)), "-")
    return f"{sum(result.outcome == 'passed' for result in judged)}/{len(judged)}"


def _is_judged(result: suite.TestResult) -> bool:
    return result.outcome in ("passed", "failed")


def failure_parts(result: suite.TestResult, of: suite.SuiteResult) -> Iterator[RenderableType]:
    """Yield the parts of a failed test: sentence, reason, stream, expected rows and reported rows."""
    if result.answer.failure is not None:
        yield f"{result.test.name}: the run failed: {result.answer.failure}"
        return
    yield f"{result.test.name}: {_about(result)}"
    yield f"  {reasons(result, of.choice)}"
    yield outputs.triples_table(
        (outputs.plain(push.t), outputs.short(push.stream), push.triple) for push in result.test.stream
    )
    yield _places(result, of.choice)


def _places(result: suite.TestResult, choice: Choice) -> RenderableType:
    sides = _sides(result, choice)
    rows = (
        (outputs.plain(t), *(side.get(t, "no report") for side in sides))
        for t in sorted({t for side in sides for t in side})
    )
    return outputs.table(None, ("t", "right", "came"), rows, right=("t",))


def _sides(result: suite.TestResult, choice: Choice) -> tuple[Mapping[float, str], Mapping[float, str]]:
    """Return the compared reports as texts, by time: the expected reports, and the reports of the engine.

    An expected report has the time that the engine gives to a report. If this is not the time of the
    evaluation, the text contains the time of the evaluation. Different terms with the same short form are
    written with their kinds (IRI, literal or blank node).
    """
    right: dict[float, dict[float, list[Mapping[str, str | None]]]] = {}
    for at, t, rows in result.right:
        due = right.setdefault(at, {}).setdefault(t, [])
        due += [dict(zip(result.names, row, strict=True)) for row in rows]
    came: dict[float, list[Mapping[str, str | None]]] = {}
    for t, reported in result.answer.compared(choice[1]):
        came.setdefault(t, []).extend(reported)
    every = [*came.values(), *(rows for evaluations in right.values() for rows in evaluations.values())]
    names = outputs.names_apart({term for rows in every for row in rows for term in row.values() if term})

    def text(rows: Sequence[Mapping[str, str | None]]) -> str:
        bound = ([(name, names[term]) for name, term in sorted(row.items()) if term] for row in rows)
        return ", ".join(sorted(f"({', '.join(map(' '.join, row))})" for row in bound)) or "empty"

    def due_text(at: float, evaluations: Mapping[float, Sequence[Mapping[str, str | None]]]) -> str:
        return "; ".join(
            text(rows) if t == at else f"evaluated at {outputs.plain(t)}: {text(rows)}"
            for t, rows in evaluations.items()
        )

    return (
        {at: due_text(at, evaluations) for at, evaluations in right.items()},
        {t: text(rows) for t, rows in came.items()},
    )


def reasons(result: suite.TestResult, choice: Choice) -> str:
    """Return a text with parameters that the reports fit, as near as possible to the engine's parameters.

    The text does not advise these parameters: a fault often looks like other parameters in a single test.
    The text also contains the first error of the engine.
    """
    trouble = result.answer.trouble
    return _misfit_reason(result, choice) + (f"; {trouble}" if trouble else "")


def _misfit_reason(result: suite.TestResult, choice: Choice) -> str:
    if result.answer.backwards is not None:
        later, earlier = map(outputs.plain, result.answer.backwards)
        return (
            f"the reports are not in order of time: the report of {earlier} comes after the report of {later}"
        )
    if not result.fits:
        return "no parameters of the suite explain the actual reports"
    own = _values(choice)
    nearest = min(result.fits, key=lambda one: (_distance(own, _values(one)), one[0], one[1]))
    differ = {name: value for name, value in _values(nearest).items() if own.get(name) != value}
    fit = ", ".join(f"{name} {value}" for name, value in differ.items())
    judged = ", ".join(f"{name} {own.get(name, 'none')}" for name in differ)
    return f"these answers fit {fit}, and are judged by {judged}" if differ else "these answers are right"


def _values(choice: Choice) -> Mapping[str, str]:
    return {**suite.vectors()[choice[0]].values(), "reports at": choice[1]}


def _distance(one: Mapping[str, str], other: Mapping[str, str]) -> int:
    return sum(one.get(name) != other.get(name) for name in {*one, *other})


def as_json(result: suite.SuiteResult) -> outputs.Json:
    """Return the JSON document of one engine."""
    return {
        "engine": result.engine,
        "language": result.writing.language.value,
        "declared": bool(result.declared),
        "parameters": dict(_values(result.choice)),
        "vector": result.choice[0],
        "fitting": [{"vector": n, "reports at": label} for n, label in result.fitting],
        "misfits": list(result.misfits),
        "mute": result.mute,
        "late_replies": [answer.test.name for answer in result.waiting],
        "incomplete": result.incomplete,
        "counts": {outcome: result.count(outcome) for outcome in _OUTCOMES},
        "tests": [_test_json(test_result, result) for test_result in result.results],
    }


def _test_json(result: suite.TestResult, suite_result: suite.SuiteResult) -> outputs.Json:
    document = outputs.pick(result.test, "name", "level", "feature") | {"outcome": result.outcome}
    why = _why(result, suite_result)
    unseen = {"reports not asked": result.unseen} if result.unseen and _is_judged(result) else {}
    return document | unseen | ({"why": why} if why else {})


def _why(result: suite.TestResult, suite_result: suite.SuiteResult) -> str | None:
    """Return the reason why a test did not pass, if a reason is known."""
    if result.outcome == "not asked":
        return _NOT_ASKED
    known = result.answer.refused or result.answer.failure
    return known or (reasons(result, suite_result.choice) if result.outcome == "failed" else None)


def earl(result: suite.SuiteResult) -> str:
    """Return the results as EARL in Turtle (W3C, Evaluation and Report Language)."""
    lines = [
        "@prefix earl: <http://www.w3.org/ns/earl#> .",
        "@prefix dct: <http://purl.org/dc/terms/> .",
        "@prefix doap: <http://usefulinc.com/ns/doap#> .",
        f"@prefix suite: <{suite.SUITE}> .",
        "",
        f"<#engine> a earl:TestSubject , earl:Software ; doap:name {ox.Literal(result.engine)} ;",
        f"  suite:parameters {ox.Literal(vector_text(result.choice))} .",
        '<#lars> a earl:Software , earl:Assertor ; doap:name "lars" .',
    ]
    for test_result in result.results:
        test, info = test_result.test, _why(test_result, result)
        outcome = f"earl:{_EARL[test_result.outcome]}{f' ; earl:info {ox.Literal(info)}' if info else ''}"
        lines += [
            "",
            "[] a earl:Assertion ; earl:assertedBy <#lars> ; earl:subject <#engine> ;",
            f"  earl:test <{test.level}.ttl#{test.name}> ; earl:mode earl:automatic ;",
            f"  earl:result [ a earl:TestResult ; earl:outcome {outcome} ] .",
        ]
    return "\n".join(lines) + "\n"


def cases(result: suite.SuiteResult) -> Iterator[VerdictCase]:
    """Yield a test case for each test; a test without a verdict is skipped.

    If an engine never reports, the function also yields a failed test case for the engine.
    """
    if result.mute:
        yield VerdictCase("engine", "reports", "; ".join(_problems(result)))
    if not result.declared and not result.incomplete:
        yield VerdictCase("engine", f"{PARAMETERS}{vector_text(result.choice)}", skipped=_FOUND)
    for test_result in result.results:
        yield _case(test_result, result)


def junit(result: suite.SuiteResult) -> str:
    """Return the results as JUnit XML."""
    return junit_text(result.engine, tuple(cases(result)))


def _case(result: suite.TestResult, suite_result: suite.SuiteResult) -> VerdictCase:
    named = VerdictCase(result.test.level, result.test.name)
    match result.outcome:
        case "passed":
            return named
        case "failed":
            why = result.answer.failure or reasons(result, suite_result.choice)
            right, came = (
                "\n".join(f"{outputs.plain(t)}: {rows}" for t, rows in side.items())
                for side in _sides(result, suite_result.choice)
            )
            return replace(named, failure=why, text=f"{_about(result)}\nright:\n{right}\ncame:\n{came}")
        case "refused":
            return replace(named, refused=result.answer.refused)
        case _:
            return replace(named, skipped=_why(result, suite_result) or result.outcome)
