"""The function `suite`: conformance tests of RSP-QL in files, runs of engines, and published claims."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType

from agreement.documents.options import flags_of
from agreement.documents.outputs import first_few, pick, quantity
from agreement.documents.recordings import read_recording
from agreement.documents.requests import AnswersOptions, bounds_option
from agreement.documents.table_files import OutTable
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import TimeIsUpError
from agreement.engines.specifications import specification
from agreement.experiments.junit import VerdictCase
from agreement.proving.hunting import seconds_of
from agreement.proving.suite import (
    LEVELS,
    SUITE_FOLDER,
    Label,
    RunControl,
    SuiteResult,
    declared_vectors,
    engine_answers,
    judged_suite,
    made_tests,
    of_recording,
    read_suite,
    while_in_time,
    write_suite,
    writing_of,
)
from agreement.proving.suite.expecting import MILLISECONDS
from agreement.proving.suite.running import Choice, SuiteAnswer
from agreement.proving.suite.suite_tests import WRITTEN, SuiteTest
from agreement.proving.suite.vectors import NAMED_STARTS, Start
from agreement.results.base.library import Findings, Listeners, offered_functions, text_table
from agreement.results.files.recorded import AdapterOptions, adapter_option
from agreement.results.renderings import suite_report
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import FailedRunError, LarsError
from lars.files import check_own_folder, exists, replacement_folder
from lars.language.windows import Bounds
from lars.options import argument, kind_of_value, option
from solver.deadlines import Deadline
from solver.settings import share
from translate.model.query import Language

if TYPE_CHECKING:
    from agreement.results.suites.claims import ClaimVerdict

_ACTIONS: Final = ("make", "run", "claims")
_ACCEPTED: Final = "expected make DIR, run DIR, claims DIR"
_EARL: Final = "earl.ttl"
_FOLDER: Final = "run of a suite"
_NAMED: Final = 5


@kind_of_value("TIME", "int | str")
def _start(value: str | int) -> Start:
    """Return the start time t0 of windows, or the name of a rule that determines t0, from a text.

    >>> _start("2"), _start("aligned")
    (2, 'aligned')
    """
    if str(value).isdecimal() and len(str(value)) < 10:  # noqa: PLR2004 - times of the suite are short
        return int(value)
    if str(value) in NAMED_STARTS or re.fullmatch(r"\d{1,9}/\d{1,9}", str(value)):
        return str(value)
    raise LarsError(
        "expected a time point, two time points such as 0/1 (for the first and the second window), or one of "
        f"{', '.join(NAMED_STARTS)}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRequest:
    """The arguments of `lars suite`.

    make: write the tests. run: run an engine on the tests. claims: check published claims.

    Example:
    lars suite make rspql-suite --level core
    lars suite run rspql-suite --level core --adapter 'lars serve-engine rspql'
    """

    inputs: tuple[Path, ...] = argument(
        "make|run|claims DIR",
        "Action and folder. make: write the tests to DIR. run: run an engine on the tests in DIR. claims: "
        "write the inputs of published claims to DIR, and check the claims.",
    )
    adapter: str | None = adapter_option()
    compare: tuple[str, ...] = option(
        (),
        "Command that starts the adapter of another engine, to compare the results of all "
        "engines. Repeatable.",
        metavar="COMMAND",
        repeated=True,
    )
    answers: Path | None = option(
        None,
        "Folder with the recorded answers of an engine: one file TEST.* for each test. Use --answers "
        "in place of --adapter.",
        metavar="DIR",
    )
    level: str | None = option(
        None, f"Make or run only the tests of one level: {', '.join(LEVELS)}.", metavar="LEVEL"
    )
    engine: str | None = option(
        None,
        "Specification that defines the correct reports. [default: the specification that fits the "
        "reports best]",
        metavar="SPEC",
    )
    t0: Start | None = option(
        None,
        "Time t0 at which the first window of the engine opens: a time point, two time points such as "
        f"0/1, or one of the rules {', '.join(NAMED_STARTS)}. aligned: windows close at multiples of the "
        "slide. first: windows open at the first element. own: each window opens at the first element of its "
        "stream. [default: the time that fits the reports best]",
        _start,
    )
    bounds: Bounds | None = bounds_option("the bounds that fit the reports best; open has no tests")
    label: Label | None = option(
        None,
        "Time that the engine writes in its reports: the time of the evaluation (evaluation), less than "
        "one time point later (inside), the first arrival that makes the report certain (arrival), or the "
        "first arrival after the window closes (later). [default: the choice that fits the reports best; "
        "with --engine: evaluation]",
    )
    dialect: str | None = option(
        None,
        "Query language of the tests to run. [default: a language that the engine accepts]",
        metavar="LANGUAGE",
    )
    jobs: int = option(1, "Number of adapters to run in parallel.", least=1)
    time_limit: float | None = option(
        None, "Time limit of the run. lars judges the tests that are finished at the limit.", seconds_of
    )
    out: Path | None = option(
        None, f"New folder for the files {_EARL}, junit.xml and report.html.", metavar="DIR"
    )
    benchmarks: Path | None = option(
        None,
        "Folder with the published data of CSRBench and CityBench, in the subfolders csrbench and "
        "citybench. Only for suite claims.",
        metavar="DIR",
    )
    messages: bool = option(
        False,
        "Also write the stream of each test as RDF Messages, in the file stream.messages.nq. Only for suite "
        "make.",
    )
    how: AdapterOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuiteMade(Findings):
    """The result of `suite make`: the folder that was written, and the tests in it."""

    folder: Path
    tests: tuple[SuiteTest, ...]

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return {
            "folder": str(self.folder),
            "tests": [pick(test, "name", "level", "feature") for test in self.tests],
        }

    def parts(self) -> Iterable[RenderableType]:
        """Yield the number of tests of each level."""
        counts = ((sum(test.level == level for test in self.tests), level) for level in LEVELS)
        levels = ", ".join(f"{count} {level}" for count, level in counts if count)
        yield f"{quantity(len(self.tests), 'test')} written to {self.folder}: {levels}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `tests`."""
        rows = ((test.name, test.level, test.feature, test.comment) for test in self.tests)
        return text_table("tests", ("name", "level", "feature", "comment"), rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuiteRun(Findings):
    """The result of `suite run`: for each engine, its parameters and test results.

    The parameters are the choices that RSP-QL leaves open, such as window bounds.
    """

    engines: tuple[SuiteResult, ...]
    folder: Path | None

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the failed tests of the first engine."""
        return tuple(result.test.name for result in self.engines[0].results if result.outcome == "failed")

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if a test failed or an engine gave no report; 3 if not all tests were run."""
        if left := sum(result.count("not run") for result in self.engines):
            whole = sum(len(result.results) for result in self.engines)
            were = "was" if 1 in (left, whole) else "were"
            return 3, f"the run ended early: {left} of {quantity(whole, 'test')} {were} not run"
        return int(any(result.failed for result in self.engines)), None

    def cases(self) -> Iterator[VerdictCase]:
        """Yield a test case for each test; if several engines are tested, with the name of the engine."""
        several = len(self.engines) > 1
        for of in self.engines:
            for case in suite_report.cases(of):
                yield replace(case, name=f"{of.engine}: {case.name}") if several else case

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return {"engines": [suite_report.as_json(result) for result in self.engines]}

    def parts(self) -> Iterable[RenderableType]:
        """Yield the parameters of each engine, and its test results by level and feature."""
        yield from suite_report.as_text(self.engines)
        if self.folder is not None:
            yield f"written to {self.folder}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `tests`."""
        rows = (
            (of.engine, result.test.name, result.test.level, result.test.feature, result.outcome)
            for of in self.engines
            for result in of.results
        )
        return text_table("tests", ("engine", "name", "level", "feature", "outcome"), rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuiteClaims(Findings):
    """The result of `suite claims`: published claims with verdicts; `folder` contains their input files."""

    folder: Path
    claims: "tuple[ClaimVerdict, ...]"

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        from agreement.results.suites import claims

        return {"folder": str(self.folder), "claims": [claims.as_json(verdict) for verdict in self.claims]}

    def parts(self) -> Iterable[RenderableType]:
        """Yield each claim with its verdict, source, and the commands that decide it."""
        from agreement.results.suites.claims import KINDS

        for verdict in self.claims:
            yield f"{verdict.claim.name}: {verdict.verdict}"
            yield f"  {verdict.claim.statement} ({verdict.claim.source})"
            yield from (f"    {command}" for command in verdict.commands)
        counts = ((kind, sum(claim_verdict.kind == kind for claim_verdict in self.claims)) for kind in KINDS)
        sentence = ", ".join(f"{count} {kind}" for kind, count in counts if count)
        yield f"{quantity(len(self.claims), 'claim')}: {sentence}; the commands run in {self.folder}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `claims`."""
        rows = (
            (
                verdict.claim.name,
                verdict.claim.source,
                verdict.claim.statement,
                verdict.kind,
                verdict.why,
                "; ".join(verdict.commands),
            )
            for verdict in self.claims
        )
        return text_table("claims", ("name", "source", "says", "verdict", "why", "commands"), rows)


@offered_functions(SuiteRequest)
def suite(request: SuiteRequest, listeners: Listeners) -> SuiteMade | SuiteRun | SuiteClaims:
    """Write tests (`make`), run engines on tests (`run`), or check published claims (`claims`).

    >>> suite("build", "rspql-suite")
    Traceback (most recent call last):
    lars.errors.LarsError: found build rspql-suite; expected make DIR, run DIR, claims DIR
    """
    action, *rest = map(str, request.inputs)
    if action not in _ACTIONS or len(rest) != 1:
        raise LarsError(f"found {' '.join(map(str, request.inputs))}; {_ACCEPTED}")
    folder = Path(rest[0])
    if action != "claims" and request.benchmarks is not None:
        raise LarsError("--benchmarks requires claims DIR")
    if action != "make" and request.messages:
        raise LarsError("--messages requires make DIR")
    if action == "claims":
        from agreement.results.suites import claims

        _check_alone(request)
        verdicts = claims.decided_claims(folder, request.benchmarks, listeners.progress)
        return SuiteClaims(folder, verdicts)
    if action == "make":
        _check_alone(request, {"--level", "--messages"})
        if request.level not in (None, *LEVELS):
            raise LarsError(f"--level {request.level}: expected {', '.join(LEVELS)}")
        check_own_folder(folder, SUITE_FOLDER)
        tests = made_tests(listeners.progress, request.level)
        write_suite(folder, tests, messages=request.messages)
        return SuiteMade(folder, tests)
    return _run(request, folder, listeners)


_EVERYWHERE: Final = frozenset(("--inputs", "--benchmarks", "--jobs", "--silence", "--option"))


def _check_alone(request: SuiteRequest, used: Collection[str] = ()) -> None:
    if wrong := [flag for flag in flags_of(request) if flag not in _EVERYWHERE.union(used)]:
        raise LarsError(f"{' and '.join(wrong)} {'requires' if len(wrong) == 1 else 'require'} run DIR")


def _run(request: SuiteRequest, folder: Path, listeners: Listeners) -> SuiteRun:
    if (request.adapter is None) == (request.answers is None):
        raise LarsError("expected either --adapter COMMAND or --answers DIR")
    if request.dialect is not None and request.dialect not in [language.value for language in MILLISECONDS]:
        accepted = ", ".join(language.value for language in MILLISECONDS)
        raise LarsError(f"--dialect {request.dialect}: expected {accepted}")
    if request.out is not None:
        check_own_folder(request.out, _FOLDER, "--out ")
    with listeners.keeping() as stopped:
        control = RunControl(listeners.progress, stopped, Deadline.after(request.time_limit), listeners.note)
        tests, numbers = read_suite(folder, request.level), _declared(request)
        languages = dict.fromkeys(language.value for test in tests for language in test.texts)
        if request.dialect is not None and request.dialect not in languages:
            raise LarsError(
                f"--dialect {request.dialect}: no test of {folder} has a query in this language; "
                f"use {', '.join(languages)}"
            )
        if request.time_limit is None:
            _check_expected(tests, stopped)
        if request.answers is not None:
            results: tuple[SuiteResult, ...] = (_recorded(request.answers, tests, request, numbers),)
        else:
            results = tuple(_ran(tests, request, numbers, control))
    result = SuiteRun(results, request.out)
    if request.out is not None:
        _write(request.out, result, listeners.command, sorted(folder.glob("*.ttl")))
    return result


def _check_expected(tests: Sequence[SuiteTest], stopped: Event) -> None:
    """Raise LarsError for an invalid file of expected reports, before any engine runs.

    If the user sets a time limit, each file is checked only when its test is run, because reading all files
    could take longer than the limit.
    """
    for test in tests:
        for language in test.texts if not stopped.is_set() else ():
            test.expected(language)


def _declared(request: SuiteRequest) -> frozenset[Choice] | None:
    """Return the parameters that an engine has according to the options; None without --engine."""
    if request.engine is None:
        if (request.t0, request.bounds, request.label) != (None, None, None):
            raise LarsError("--t0, --bounds and --label require --engine SPEC")
        return None
    if request.bounds == "open":
        raise LarsError(f"--bounds open: {suite_report.UNTRIED}; use closed, low-open or high-open")
    numbers = declared_vectors(specification(request.engine), request.t0, request.bounds)
    if not numbers:
        raise LarsError(
            f"--engine {request.engine}: the suite has no tests for the parameters of this specification; "
            "use parameters from vectors.json, or omit --engine to find the parameters that fit best"
        )
    return frozenset((number, request.label or "evaluation") for number in numbers)


def _ran(
    tests: Sequence[SuiteTest], request: SuiteRequest, claimed: frozenset[Choice] | None, control: RunControl
) -> Iterator[SuiteResult]:
    """Yield each engine's test results; an engine that is not reached before the run ends has no results."""
    options = dict(request.how.options or {})
    commands = [command for command in (request.adapter, *request.compare) if command is not None]
    for place, command in enumerate(commands):
        own = replace(control, progress=share(control.progress, place, place + 1, len(commands)))
        with ExitStack() as running:
            engines = [
                running.enter_context(
                    RunningAdapter(command, request.how.silence, until=control.deadline.end)
                )
                for _ in range(request.jobs)
            ]
            writing = WRITTEN[Language(request.dialect or Language.RSPQL.value)]
            work = partial(writing_of, engines[0], tests, options, request.dialect)
            # When the run must end, no syntax is found, and no test is run.
            with suppress(TimeIsUpError):
                (writing,) = while_in_time([work], engines, own)
            answers = engine_answers(engines, tests, writing, options, own)
        names = [answer.engine for answer in answers if answer.engine]
        failures = [answer.failure for answer in answers if answer.ran]
        if not names and failures and None not in failures:
            raise FailedRunError(f"no test could be run: {failures[0]}")
        yield judged_suite(names[0] if names else command, writing, answers, claimed)


def _recorded(
    folder: Path, tests: Sequence[SuiteTest], request: SuiteRequest, claimed: frozenset[Choice] | None
) -> SuiteResult:
    """Return the test results for files of recorded answers; a test without a file counts as `refused`."""
    if not exists(folder, folder=True):
        raise LarsError(
            f"--answers {folder}: no such folder; expected a folder with a file TEST.* for each test"
        )
    files = {path.stem: path for path in sorted(folder.iterdir()) if path.is_file()}
    writing = WRITTEN[Language(request.dialect or Language.RSPQL.value)]
    reading = AnswersOptions(unit=Duration(writing.milliseconds * 10**6))
    answers = []
    for test in tests:
        if writing.language not in test.texts:
            continue
        if test.name not in files:
            answers.append(SuiteAnswer(test, refused="no file of answers"))
            continue
        recording = read_recording(files[test.name], reading)
        answers.append(of_recording(test, recording, writing.milliseconds))
    if all(answer.refused is not None for answer in answers):
        raise LarsError(
            f"--answers {folder}: no file has the name of a test; expected files TEST.*, such as "
            "tumbling-01.json"
        )
    return judged_suite(str(folder), writing, answers, claimed)


def _write(path: Path, suite_run: SuiteRun, command: Sequence[str], manifests: Sequence[Path]) -> None:
    """Write EARL, JUnit, JSON and the HTML report into one folder.

    The files of the second engine have names that end in -2, of the third engine in -3, and so on. The JSON
    file and the HTML report contain all engines.
    """
    # Loads what only pages need.
    from agreement.results.renderings.pages.blocks import text_page
    from agreement.results.renderings.pages.page import Page, provenance, write_page

    with replacement_folder(path, _FOLDER) as new:
        for number, result in enumerate(suite_run.engines):
            end = f"-{number + 1}" if number else ""
            (new / _EARL.replace(".", f"{end}.")).write_text(suite_report.earl(result), encoding="utf-8")
            (new / f"junit{end}.xml").write_text(suite_report.junit(result), encoding="utf-8")
        (new / "suite.json").write_text(
            json.dumps(suite_run.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        first = suite_run.engines[0]
        parts: list[RenderableType] = [*suite_report.overview(suite_run.engines)]
        for of in suite_run.engines:
            failures = [test_result for test_result in of.results if test_result.outcome == "failed"]
            parts += [
                part for test_result in failures for part in suite_report.failure_parts(test_result, of)
            ]
        failed = any(of.failed or of.incomplete for of in suite_run.engines)
        names = first_few([suite_result.engine for suite_result in suite_run.engines], _NAMED)
        question = f"Which parameters has {names}, and which tests fail?"
        sentences = (
            f"{engine.engine}: {engine.count('passed')} of {len(engine.results)} passed, "
            f"{engine.count('not asked')} not asked{', no report at all' if engine.mute else ''}"
            f"{', and the run ended before all were run' if engine.incomplete else ''}"
            for engine in suite_run.engines
        )
        parameters = suite_report.vector_text(first.choice)
        answer = f"{'; '.join(sentences)}. Parameters of {first.engine}: {parameters}."
        head = Page("The conformance suite of RSP-QL", question, not failed, answer)
        page = text_page(head, suite_run.to_json(), parts)
        write_page(new / "report.html", replace(page, provenance=provenance(command, manifests)))
