"""Run the conformance suite on an engine, find the parameters that fit best, and judge the tests."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import accumulate, groupby, pairwise
from math import floor, isfinite
from operator import itemgetter
from threading import Event
from typing import Final, Literal, TypeVar, get_args

from agreement.documents.recordings import Push, Recording, Report, as_lexical
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import (
    EngineAnswers,
    FailedEngineError,
    ProfileReply,
    RefusedQueryError,
    StreamEngine,
    TimeIsUpError,
    open_message,
    silent_hint,
    unit_hint,
)
from agreement.engines.specifications import builtin
from agreement.proving.hunting import WRITINGS, QueryWriting
from agreement.proving.suite.suite_tests import ExpectedReports, SuiteTest
from agreement.proving.suite.vectors import declared_vectors, vectors
from lars.dataclass import dataclass
from lars.errors import LarsError, on_one_line
from lars.language.windows import misses_last
from solver.deadlines import Deadline
from solver.facts import Row, constant_of
from solver.rdf import value
from solver.settings import Progress, no_progress
from translate.model.query import Language

Key = tuple[tuple[float, tuple[tuple[Hashable, int], ...]], ...]
"""Reports in a form for comparison: each time with its rows and their multiplicities.

Numbers are compared by value.
"""


Outcome = Literal["passed", "failed", "not asked", "refused", "inadmissible", "not run"]
"""The outcome of a test of the conformance suite.

A test is "not asked" if the chosen parameters require no report and the engine gave none.
"""
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


Label = Literal["evaluation", "inside", "arrival", "later"]
"""The time that an engine gives to a report.

- `evaluation`: the time of the evaluation.
- `inside`: a time less than one time point after the evaluation.
- `arrival`: the time of the first arrival that makes the report certain. The first arrival is at the time of
  the close if the window excludes this time, otherwise later.
- `later`: the time of the first arrival after the close.
"""
LABELS: Final[tuple[Label, ...]] = get_args(Label)


_WINDOW: Final = re.compile(r"ON STREAM :(\w+) \[RANGE (\d+) STEP (\d+)\]")
_OPERATOR: Final = re.compile(r"REGISTER ([RID])Stream")


def query_text(test: SuiteTest, how: QueryWriting) -> str:
    """Return the query of a test in the notation that an engine reads."""
    text = test.texts[how.language]
    if how.language is not Language.RSPQL:
        return text

    def window(match: re.Match[str]) -> str:
        on = how.stream.format(iri=f"<http://e/{match[1]}>", name=match[1])
        sizes = (how.length.format(n=int(size) * how.scale) for size in (match[2], match[3]))
        return f"ON {on} [RANGE {' STEP '.join(sizes)}]"

    text = _WINDOW.sub(window, text)
    return _OPERATOR.sub(lambda match: f"REGISTER {match[1]}STREAM", text) if how.capital else text


_TRIED: Final = 12
"""The number of tests, from all levels, of which the engine must be able to run at least one."""
_MOST_FAILURES: Final = 3
"""The number of failures at the message open after which no further query is tried."""


def writing_of(
    engine: StreamEngine, tests: Sequence[SuiteTest], options: Mapping[str, object], dialect: str | None
) -> QueryWriting:
    """Return a notation of queries that an engine accepts, found by trying the queries of some tests.

    If the engine declares a query language, only a notation of this language is returned. An engine that
    fails after it has accepted a query fails in the tests.

    Raises:
        LarsError: The engine rejects the tried queries in all notations.
        FailedRunError: The engine fails at the message open.
    """
    refusals: list[str] = []
    failures: list[FailedEngineError] = []
    for writing in WRITINGS:
        spoken = [suite_test for suite_test in tests if writing.language in suite_test.texts]
        if not spoken or dialect not in (None, writing.dialect):
            continue
        for test in spoken[:: len(spoken) // _TRIED + 1]:
            try:
                session = engine.open(open_message(query_text(test, writing), test.static, options))
            except RefusedQueryError as error:
                refusals.append(str(error))
                continue
            except FailedEngineError as error:
                failures.append(error)
                if len(failures) == _MOST_FAILURES or isinstance(error, TimeIsUpError):
                    raise
                continue
            named = session.profile.dialect
            with suppress(FailedEngineError):
                session.close()
            if named == writing.dialect or named not in {query_writing.dialect for query_writing in WRITINGS}:
                return _in_whole_units(writing, session.profile)
    if failures:
        raise failures[0]
    sentence = f"the first with: {refusals[0]}" if refusals else "it declares another dialect for each"
    raise LarsError(
        f"the engine accepts none of the tested queries, {sentence}; use an engine that accepts "
        "queries of the suite"
    )


def _in_whole_units(writing: QueryWriting, profile: ProfileReply) -> QueryWriting:
    """Return the notation of queries, with time points that are multiples of the engine's unit of time.

    Raises:
        LarsError: The language's time points are whole seconds, and the engine's unit does not divide 1 s.
    """
    scaled = writing.for_unit(profile.unit)
    if scaled.scale > 1 and writing.language is not Language.RSPQL:
        raise LarsError(
            f"cannot run the tests on {profile.engine}: their times count seconds, and its time_unit is "
            f"{profile.time_unit}; use an adapter whose time_unit divides 1s"
        )
    return scaled


@dataclass(frozen=True, slots=True)
class SuiteAnswer:
    """The answer of an engine to a test of the suite: reports, or the reason why there are no reports.

    The times of reports are in time points.

    - `time_unit` is the unit of the times in the messages of the adapter.
    - `silent` is true if the engine has not replied in time.
    - `ran` is false if the suite's run ended before this test.
    - `fits` contains the parameter vectors (with the rules for times) for which the answer is right; None if
      the answer is not yet compared.
    - `waiting` contains three times of a late reply: of a report, of the first later element, and of the
      element with which the report comes. If the report comes at the end of the run, the last value is None.
      If no report waits, `waiting` is None.
    - `backwards` contains the times of two reports in order of arrival, the second earlier than the first.
      None if the times of all reports ascend, or if the stream of the test contains late elements.
    - `trouble` is a sentence about the first element that the engine rejects, or whose reply contains an
      error. If the engine accepts all elements without an error, `trouble` is None.
    """

    test: SuiteTest
    reports: tuple[tuple[float, tuple[Mapping[str, str | None], ...]], ...] = ()
    refused: str | None = None
    failure: str | None = None
    lexical: bool = False
    engine: str = ""
    time_unit: str = "1ms"
    silent: bool = False
    ran: bool = True
    fits: frozenset["Choice"] | None = None
    waiting: tuple[float, float, float | None] | None = None
    backwards: tuple[float, float] | None = None
    trouble: str | None = None

    @property
    def judged(self) -> bool:
        """Whether the engine accepted the query of the test and did not fail, so that there is an answer."""
        return self.ran and self.refused is None and self.failure is None

    def compared(self, label: Label) -> list[tuple[float, tuple[Mapping[str, str | None], ...]]]:
        """Return the reports to compare, in order of time: those before the time of the test's last element.

        The label "evaluation" keeps exact times. For other labels, times are rounded down to whole time
        points.
        """
        until, exact = until_of(self.test), label == "evaluation"
        timed = ((t if exact else float(floor(t)), rows) for t, rows in self.reports)
        return sorted(((t, rows) for t, rows in timed if t < until), key=itemgetter(0))

    def key(self, label: Label) -> Key:
        """Return the reports before the time of the test's last element, as a key that can be compared."""
        return _merged(
            (t, [_row_shape(row.items(), self) for row in rows]) for t, rows in self.compared(label)
        )

    @property
    def has_reports(self) -> bool:
        """Whether the engine reported something before the time of the test's last element."""
        return bool(self.compared("evaluation"))


def until_of(test: SuiteTest) -> float:
    """Return the time point of a test's last element.

    Reports at the time of the last element or later are not compared.
    """
    return max((push.t for push in test.stream), default=0)


def _merged(timed: Iterable[tuple[float, Sequence[Hashable]]]) -> Key:
    """Return a key that can be compared, for reports in order of time.

    The key merges reports at one time, because relation-to-stream operators give rows with times, not reports
    (RSP-QL, Definitions 20 to 22).
    """
    return tuple(
        (t, _bag(shape for _, rows in reports for shape in rows))
        for t, reports in groupby(timed, itemgetter(0))
    )


def _bag(shapes: Iterable[Hashable]) -> tuple[tuple[Hashable, int], ...]:
    return tuple(sorted(Counter(shapes).items(), key=lambda pair: sorted(map(str, pair[0]))))  # type: ignore[call-overload]


def _row_shape(row: Iterable[tuple[str, str | None]], answer: SuiteAnswer) -> Hashable:
    return frozenset((name, _compared(text, answer)) for name, text in row if text is not None)


def _compared(text: str, answer: SuiteAnswer) -> Hashable:
    """Return a reported term as a value that can be compared with expected terms.

    If the term is a number with the same first digits as an expected quotient such as 1/3, the function
    returns the expected quotient.
    """
    term = _term(text, answer.lexical)
    if isinstance(term, Fraction) and term.denominator > _SHORT:
        near = (one for one in answer.test.quotients if abs(term - one) * 10**_DIGITS <= 10 * abs(one))
        return next(near, term)
    return term


_DIGITS: Final = 15
"""The number of leading digits of a quotient that an engine must report correctly."""
_SHORT: Final = 10**6


@lru_cache(maxsize=2**14)
def _term(text: str, lexical: bool) -> Hashable:
    """Return the value of a number or boolean, or the text of another term, to compare terms."""
    words = as_lexical(text) or text if lexical else text
    known = value(constant_of(words))
    if isinstance(known, bool):  # which Python has as a number: true is not 1
        return ("truth", known)
    if isinstance(known, float) and not isfinite(known):
        return ("number", str(float(known)))
    return Fraction(known) if isinstance(known, int | float | Decimal) else words


def _key_at(expected: ExpectedReports, told_at: Callable[[float], float], answer: SuiteAnswer) -> Key:
    """Return a key that can be compared, for expected reports with the times that an engine gives to them."""
    return _merged(
        (t, [_expected_shape(expected.names, row, answer.lexical) for row in rows])
        for t, rows in _due(expected, told_at, until_of(answer.test))
    )


def _due(
    expected: ExpectedReports, told_at: Callable[[float], float], until: float
) -> Iterator[tuple[float, tuple[Row, ...]]]:
    """Yield the expected reports with the times that an engine gives to them, if before `until`."""
    timed = ((told_at(t), rows) for t, rows in expected.reports)
    return ((t, rows) for t, rows in timed if t < until)


@lru_cache(maxsize=2**12)
def _expected_shape(names: tuple[str, ...], row: Row, lexical: bool) -> Hashable:
    pairs = zip(names, row, strict=True)
    return frozenset((name, _term(text, lexical)) for name, text in pairs if text is not None)


_Place = Callable[[Sequence[float], float], int]


def _place(label: Label, *, after: bool) -> _Place | None:
    """Return a function that finds the arrival after which an engine knows that a report is complete.

    If engines give exact times to reports, the result is None.
    """
    if label not in ("arrival", "later"):
        return None
    return bisect_right if after else bisect_left


def _told_at(place: _Place | None, test: SuiteTest) -> Callable[[float], float]:
    """Return a function that maps the time of an expected report to the time that an engine gives to it."""
    if place is None:
        return float
    # The times to which the elements of the test advance the clock, ascending.
    times = sorted({*accumulate((float(push.t) for push in test.stream), max)}) or [0.0]
    return cache(lambda t: times[min(place(times, t), len(times) - 1)])


@dataclass(frozen=True, slots=True)
class RunControl:
    """The progress callback of a suite's run, and the two reasons for which the run can end early.

    A signal sets `stopped`, and `deadline` is the time limit of the run. `note` receives a text as soon as an
    adapter has not replied in a test.
    """

    progress: Progress = no_progress
    stopped: Event = field(default_factory=Event)
    deadline: Deadline = field(default_factory=Deadline)
    note: Callable[[str], None] = lambda _: None

    @property
    def ends(self) -> bool:
        """Whether a signal or the time limit has ended the suite's run."""
        return self.stopped.is_set() or self.deadline.is_over


_Work = TypeVar("_Work")


def while_in_time(
    works: Sequence[Callable[[], _Work]], engines: Sequence[StreamEngine], control: RunControl
) -> list[_Work]:
    """Run functions in parallel, and return their results.

    If the suite's run must end early, the function kills the engines. Otherwise, the run would wait for an
    engine that does not answer.
    """
    with ThreadPoolExecutor(len(works)) as pool:
        parts = [pool.submit(work) for work in works]
        while wait(parts, _LOOK).not_done:
            if control.ends:
                for engine in engines:
                    if isinstance(engine, RunningAdapter):
                        engine.kill()
        return [each.result() for each in parts]


def engine_answers(
    engines: Sequence[StreamEngine],
    tests: Sequence[SuiteTest],
    writing: QueryWriting,
    options: Mapping[str, object],
    control: RunControl | None = None,
) -> list[SuiteAnswer]:
    """Return the answers of an engine to all tests that have a query in its language.

    `engines` are processes of the same engine that run in parallel. Each answer is compared at once with the
    expected reports. A test that has no answer at the end of the run counts as not run.
    """
    spoken = [test for test in tests if writing.language in test.texts]
    run = RunControl() if control is None else control
    found: dict[str, SuiteAnswer] = {}

    def part(number: int) -> None:
        for test in spoken[number :: len(engines)]:
            if run.ends:
                return
            answer = _answer(engines[number], test, writing, options)
            if not run.ends:
                if answer.silent and not any(other.silent for other in list(found.values())):
                    run.note(f"{test.name}: {answer.failure}; {SILENT}")
                found[test.name] = replace(answer, fits=_fits(answer, writing.language))
                run.progress(len(found), len(spoken))

    while_in_time([partial(part, number) for number in range(len(engines))], engines, run)
    return [found.get(test.name, SuiteAnswer(test, ran=False)) for test in spoken]


SILENT: Final = "each test without a reply takes this time; to save time, use a shorter --silence"
_LOOK: Final = 0.1
"""The number of seconds between two checks whether the run must end."""


def _answer(
    engine: StreamEngine, test: SuiteTest, writing: QueryWriting, options: Mapping[str, object]
) -> SuiteAnswer:
    length = writing.milliseconds
    pushes = [Push(push.t * length, push.stream, push.triple) for push in test.stream]
    try:
        session = engine.open(open_message(query_text(test, writing), test.static, options))
    except RefusedQueryError as error:
        return SuiteAnswer(test, refused=str(error))
    except FailedEngineError as error:
        return SuiteAnswer(test, failure=str(error), silent=error.silent)
    profile = session.profile
    opened = SuiteAnswer(test, lexical=not profile.kinds, engine=profile.engine, time_unit=profile.time_unit)
    try:
        answers = EngineAnswers(profile, None, tuple(session.push(pushes)), session.close())
    except FailedEngineError as error:
        return replace(opened, failure=str(error), silent=error.silent)
    waiting = next(answers.waiting([push.t for push in pushes]), None)
    reports = tuple(_reports(answers, length))
    return replace(
        opened,
        reports=reports,
        waiting=None if waiting is None else _waiting_times(test, length, *waiting),
        backwards=_backwards(test, [t for t, _ in reports]),
        trouble=_trouble(test, answers),
    )


def _trouble(test: SuiteTest, answers: EngineAnswers) -> str | None:
    """Return a sentence about the first element that the engine rejects, or after which an error comes."""
    rejected = [(n, "the engine rejected the element", text) for n, text in answers.rejected.items()]
    errors = [(n, "the engine sent an error after the element", text) for n, text in answers.errors]
    first = min([*rejected, *errors], default=None)
    return first and f"{first[1]} of time {test.stream[first[0]].t:g}: {on_one_line(first[2])}"


def _backwards(test: SuiteTest, times: Sequence[float]) -> tuple[float, float] | None:
    """Return the first two successive times of which the second is earlier.

    Reports form a stream, and the elements of a stream are in order of time (RSP-QL, Definition 9). If the
    stream of the test has late elements, the result is None. Reports at the time of the last element or later
    are not compared.
    """
    if any(one.t > other.t for one, other in pairwise(test.stream)):
        return None
    compared = [t for t in times if t < until_of(test)]
    return next(((one, other) for one, other in pairwise(compared) if other < one), None)


def _waiting_times(
    test: SuiteTest, length: int, t: float, first: int, came: int
) -> tuple[float, float, float | None]:
    """Return the times, in time points, of a report that waits, and of the elements `first` and `came`."""
    end = len(test.stream)
    return t / length, test.stream[first].t, test.stream[came].t if came < end else None


def _reports(
    answers: EngineAnswers, length: int
) -> Iterator[tuple[float, tuple[Mapping[str, str | None], ...]]]:
    """Yield the reports of an engine, with times converted from ms to time points."""
    for engine_report in (*(report for _, report in answers.reports), *answers.flush):
        yield engine_report.t / length, engine_report.rows


def of_recording(test: SuiteTest, recording: Recording, length: float) -> SuiteAnswer:
    """Return the answer to a test from a recording.

    `length` is the length of a time point in ms.
    """

    def rows(report: Report) -> tuple[Mapping[str, str | None], ...]:
        return tuple(dict(zip(recording.variables, row, strict=True)) for row in report.rows)

    reports = ((report.t / length, rows(report)) for report in recording.reports)
    return SuiteAnswer(test, tuple(reports), lexical=recording.lexical)


Choice = tuple[int, Label]
"""The number of a parameter vector, and the rule for the times that the engine gives to reports."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of a test of the suite: its outcome, such as passed, and the expected reports.

    - `right` contains the expected reports that are compared, for the parameters by which the tests are
      judged. Each has the time that the engine gives to the report, the time of the evaluation, and rows.
    - `fits` contains all parameter vectors (with the rules for times) for which the answer is right.
    - `unseen` is the number of expected reports that are not compared, because an engine gives them the
      time of the last element or a later time.
    """

    answer: SuiteAnswer
    outcome: Outcome
    right: tuple[tuple[float, float, tuple[Row, ...]], ...]
    names: tuple[str, ...]
    fits: frozenset[Choice]
    unseen: int

    @property
    def test(self) -> SuiteTest:
        """The test of the suite to which this result belongs."""
        return self.answer.test


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The result of the suite for an engine: parameters that the engine probably has, and test results.

    - `choice` contains the parameters by which the tests are judged: a parameter vector and a rule for times.
    - `declared` contains the choices of parameters among which the user's declaration leaves the choice open;
      it is empty if the user declares no parameters.
    - `usual` is true if the parameters follow the specification of the query language.
    - `fitting` contains all choices of parameters for which no test fails.
    - `misfits` names a few tests that cannot all pass for the same parameters.
    """

    engine: str
    writing: QueryWriting
    choice: Choice
    declared: frozenset[Choice]
    usual: bool
    fitting: tuple[Choice, ...]
    misfits: tuple[str, ...]
    results: tuple[TestResult, ...]

    def count(self, outcome: Outcome) -> int:
        """Return the number of tests with the given outcome, such as "failed"."""
        return sum(result.outcome == outcome for result in self.results)

    @property
    def passed_by_specification(self) -> int:
        """The number of tests that pass by the specification of the query language, with the best t0."""
        own = _of_specification(self.writing.language)
        fits = Counter(one for each in self.results if each.answer.has_reports for one in each.fits & own)
        return max(fits.values(), default=0)

    @property
    def nearest(self) -> tuple[Choice, int, tuple[str, ...]]:
        """The parameters for which most tests with reports pass, however unusual.

        The number of tests that pass follows, then the names of the tests that fail by these parameters.
        """
        passed = Counter(one for each in self.results if each.answer.has_reports for one in each.fits)
        best = max(
            passed, key=lambda one: (passed[one], one[1] == "evaluation", -one[0]), default=self.choice
        )
        language = self.writing.language
        failed = (
            each.test.name
            for each in self.results
            if each.answer.judged and best not in each.fits and best[0] in _admitted(each.answer, language)
        )
        return best, passed[best], tuple(failed)

    @property
    def doubted(self) -> bool:
        """Whether so few tests pass that the answers do not show the parameters of the engine."""
        judged = sum(result.answer.judged for result in self.results)
        return not self.fitting and self.count("passed") < _FEWEST * judged

    @property
    def incomplete(self) -> bool:
        """Whether the suite's run ended before all tests were run."""
        return self.count("not run") > 0

    @property
    def mute(self) -> bool:
        """Whether all tests were run, and the engine reported nothing in any test."""
        return not self.incomplete and not any(result.answer.reports for result in self.results)

    @property
    def rowless(self) -> bool:
        """Whether all tests were run, and no report of the engine contains a row."""
        reports = (rows for result in self.results for _, rows in result.answer.reports)
        return not self.incomplete and not any(reports)

    @property
    def crashes(self) -> tuple[str, ...]:
        """The names of the tests in which the adapter ended or sent an invalid reply."""
        failed = (one for one in self.results if one.answer.failure is not None)
        return tuple(one.test.name for one in failed if not one.answer.silent)

    @property
    def silences(self) -> tuple[str, ...]:
        """The names of the tests in which the adapter has not replied in time."""
        return tuple(result.test.name for result in self.results if result.answer.silent)

    @property
    def waiting(self) -> tuple[SuiteAnswer, ...]:
        """The answers with a report that comes later than with the first element after its time."""
        return tuple(one.answer for one in self.results if one.answer.waiting is not None)

    @property
    def hint(self) -> str | None:
        """A hint about the unit of the engine's times, if reports are missing or all have wrong times."""
        answers = [result.answer for result in self.results if result.answer.judged]
        if self.mute:
            return next(filter(None, (silent_hint(answer.time_unit) for answer in answers)), None)
        hints = {
            unit_hint([t for t, _ in answer.reports], until_of(answer.test))
            for answer in answers
            if answer.reports
        }
        return hints.pop() if len(hints) == 1 else None

    @property
    def failed(self) -> bool:
        """Whether a test failed, or the engine reported nothing in any test."""
        return self.mute or self.count("failed") > 0


def judged_suite(
    engine: str, writing: QueryWriting, answers: Sequence[SuiteAnswer], declared: frozenset[Choice] | None
) -> SuiteResult:
    """Return the result of the suite for an engine, with the parameters that fit its answers best.

    If `declared` is given, only the parameters in `declared` are possible.
    """
    fits = [_fits(answer, writing.language) if answer.fits is None else answer.fits for answer in answers]
    admitted = [_admitted(answer, writing.language) for answer in answers]
    usual = frozenset() if declared else _of_specification(writing.language)
    every = _choices(declared) if declared else _offered(answers, admitted, writing.language)
    choice = _best(answers, fits, admitted, every, usual)
    results = tuple(
        _result(answer, own, allowed, choice, writing.language)
        for answer, own, allowed in zip(answers, fits, admitted, strict=True)
    )
    judged = [
        (answer.test.name, own, allowed)
        for answer, own, allowed in zip(answers, fits, admitted, strict=True)
        if answer.judged
    ]
    every = [one for one in every if any(one[0] in allowed for *_, allowed in judged)]
    fitting = tuple(
        one for one in every if all(one in own or one[0] not in allowed for _, own, allowed in judged)
    )
    plain = {n for n, label in fitting if label == "evaluation"}
    fitting = tuple(one for one in fitting if one[1] != "inside" or one[0] not in plain)
    misfits = () if fitting else _misfits(judged, every)
    return SuiteResult(
        engine, writing, choice, declared or frozenset(), choice in usual, fitting, misfits, results
    )


def _choices(declared: frozenset[Choice] | None) -> list[Choice]:
    if declared is not None:
        return sorted(declared, key=lambda choice: choice[0])
    return [
        (n, label)
        for label in LABELS
        for n, vector in enumerate(vectors())
        if label == "evaluation"
        or (vector.by_clock and _sees(n, label, after=not misses_last(vector.bounds)))
    ]


def _offered(
    answers: Sequence[SuiteAnswer], admitted: Sequence[frozenset[int]], language: Language
) -> list[Choice]:
    """Return the choices of parameters for which at least half of the applicable tests expect a report.

    For other parameters, an engine that reports nothing would pass most of the tests.
    """
    judged: Counter[int] = Counter()
    silent: Counter[Choice] = Counter()
    for answer, allowed in zip(answers, admitted, strict=True):
        if answer.ran:
            judged.update(allowed)
            silent.update(_fits(SuiteAnswer(answer.test), language))
    choices = _choices(None)
    offered = [one for one in choices if judged[one[0]] and 2 * silent[one] <= judged[one[0]]]
    return offered or choices


def _fits(answer: SuiteAnswer, language: Language) -> frozenset[Choice]:
    """Return the choices of parameters (vector and rule for times) for which an answer is right."""
    if not answer.judged or answer.backwards is not None:
        return frozenset()
    choices, key = set[Choice](), cache(answer.key)
    # Times and numbers of rows are looked at first: most answers differ in them, and rows can be very many.
    reported = {label: _sizes(answer.compared(label)) for label in (_EXACT, _ROUNDED)}
    ways = [(_told_at(place, answer.test), labels) for place, labels in _WAYS.items()]
    until = until_of(answer.test)
    for expected in answer.test.expected(language):
        for told_at, labels in ways:
            sized: dict[str, bool] = {}
            for label, after in labels:
                as_read = _EXACT if label == _EXACT else _ROUNDED
                if as_read not in sized:
                    sized[as_read] = _has_sizes(_due(expected, told_at, until), reported[as_read])
                if (
                    sized[as_read]
                    and (numbers := _seen(label, after=after).intersection(expected.vectors))
                    and _key_at(expected, told_at, answer) == key(as_read)
                ):
                    choices.update((n, label) for n in numbers)
    return frozenset(choices)


_EXACT: Final = "evaluation"
_ROUNDED: Final = "inside"
"""The labels for the two forms in which an answer is compared: exact times, and whole time points."""


def _sizes(reports: Iterable[tuple[float, Sized]]) -> dict[float, int]:
    """Return the total number of reported rows at each time."""
    sizes: dict[float, int] = {}
    for t, rows in reports:
        sizes[t] = sizes.get(t, 0) + len(rows)
    return sizes


def _has_sizes(reports: Iterable[tuple[float, Sized]], sizes: Mapping[float, int]) -> bool:
    """Return whether all reports at a time together have the number of rows in `sizes`, for each time."""
    found: dict[float, int] = {}
    for t, rows in reports:
        found[t] = found.get(t, 0) + len(rows)
        if found[t] > sizes.get(t, -1):
            return False
    return found == sizes


_WAYS: Final[Mapping[_Place | None, Sequence[tuple[Label, bool]]]] = {
    None: (("evaluation", True), ("inside", True)),
    bisect_right: (("arrival", True), ("later", True)),
    bisect_left: (("arrival", False),),
}
"""The rules for times of reports (labels), each with a boolean, by the function that finds the time.

The boolean is true if only a later element makes a report certain.
"""


@cache
def _seen(label: Label, *, after: bool) -> frozenset[int]:
    """Return the numbers of the parameter vectors to which the rule `label` for report times can apply.

    If `after` is true, the rule is for engines that report only after an element with a later time.
    """
    return frozenset(n for n in range(len(vectors())) if _sees(n, label, after=after))


def _sees(number: int, label: Label, *, after: bool) -> bool:
    """Return whether the rule `label` for the times of reports can apply to a parameter vector.

    If `after` is true, the rule is for engines that report only after an element with a later time.
    """
    vector = vectors()[number]
    match label:
        case "arrival":
            return vector.by_clock and after is (not misses_last(vector.bounds))
        case "later":
            return vector.by_clock and misses_last(vector.bounds)
        case _:
            return True


def _admitted(answer: SuiteAnswer, language: Language) -> frozenset[int]:
    if not answer.ran:  # then its files are not read
        return frozenset()
    return frozenset[int]().union(*(reports.vectors for reports in answer.test.expected(language)))


def _best(
    answers: Sequence[SuiteAnswer],
    fits: Sequence[frozenset[Choice]],
    admitted: Sequence[frozenset[int]],
    every: Sequence[Choice],
    usual: frozenset[Choice],
) -> Choice:
    """Return the choice of parameters for which most tests pass.

    If several choices are equal, a choice for which fewest tests fail is returned. Unlikely parameters, such
    as different start times t0, must fit all tests, or pass more tests than likely parameters. The difference
    in passed tests must be at least the share `_WORTH` of all tests. Without this condition, a fault with
    several windows would look like different start times of windows. For parameters that do not follow the
    specification of the language, the share is `_MISFIT`. Without this share, an engine with several faults
    would look like an engine with unusual parameters. For the same reason, such parameters must also pass the
    share `_FEWEST` of all tests. If fewer tests pass by every choice, they do not show a start time t0.
    The first of the usual (or declared) choices is then returned.
    """
    passed: Counter[Choice] = Counter()
    right: Counter[Choice] = Counter()
    judged: Counter[int] = Counter()
    for answer, own, allowed in zip(answers, fits, admitted, strict=True):
        if answer.judged:
            right.update(own)
            passed.update(own if answer.has_reports else ())
            judged.update(allowed)
    # A vector that no test speaks of is no explanation, however many tests fail by the others.
    choices = [choice for choice in every if judged[choice[0]]] or every
    tests = sum(suite_answer.judged for suite_answer in answers)

    def worth(choice: Choice) -> tuple[float, int]:
        failed = judged[choice[0]] - right[choice]
        few = passed[choice] < _FEWEST * tests
        doubts = _WORTH * vectors()[choice[0]].unlikely + (_MISFIT + few) * (choice not in usual)
        return passed[choice] - (doubts * tests if failed else 0), -failed

    best = max(choices, key=worth)
    first = min((choice for choice in choices if not usual or choice in usual), default=best)
    few = judged[best[0]] > right[best] and passed[best] < _FEWEST * tests
    return first if few else best


_WORTH: Final = 0.04
_MISFIT: Final = 0.08
_FEWEST: Final = 1 / 3


def _of_specification(language: Language) -> frozenset[Choice]:
    """Return the choices of parameters that follow the specification of a query language, with any t0."""
    numbers = declared_vectors(builtin(language.value), None, None)
    return frozenset((number, "evaluation") for number in numbers)


def _result(
    answer: SuiteAnswer, fits: frozenset[Choice], admitted: frozenset[int], choice: Choice, language: Language
) -> TestResult:
    every = answer.test.expected(language) if answer.ran else ()
    expected = next((reports for reports in every if choice[0] in reports.vectors), None)
    names = () if expected is None else expected.names
    due = () if expected is None else expected.reports
    after = choice[1] == "later" or not misses_last(vectors()[choice[0]].bounds)
    told_at, until = _told_at(_place(choice[1], after=after), answer.test), until_of(answer.test)
    right = tuple((told_at(t), t, rows) for t, rows in due if told_at(t) < until)
    if not answer.ran:
        outcome: Outcome = "not run"
    elif answer.refused is not None:
        outcome = "refused"
    elif answer.failure is not None:
        outcome = "failed"
    elif choice[0] not in admitted:
        outcome = "inadmissible"
    elif choice not in fits:
        outcome = "failed"
    else:
        outcome = "passed" if answer.has_reports else "not asked"
    return TestResult(answer, outcome, right, names, fits, unseen=len(due) - len(right))


def _misfits(
    judged: Sequence[tuple[str, frozenset[Choice], frozenset[int]]], every: Sequence[Choice]
) -> tuple[str, ...]:
    """Return the names of a few tests that cannot all pass for the same parameters.

    Without any one of these tests, all other returned tests can pass for the same parameters.
    """

    def left(chosen: Iterable[tuple[str, frozenset[Choice], frozenset[int]]]) -> set[Choice]:
        possible = set(every)
        for _, own, allowed in chosen:
            possible = {choice for choice in possible if choice in own or choice[0] not in allowed}
        return possible

    kinds: list[tuple[str, frozenset[Choice], frozenset[int]]] = []
    now = set(every)
    while now:
        best = min(judged, key=lambda group: sum(c in group[1] or c[0] not in group[2] for c in now))
        kinds.append(best)
        now = left(kinds)
    for kind in list(kinds):
        others = [other for other in kinds if other is not kind]
        if not left(others):
            kinds = others
    return tuple(name for name, _, _ in kinds)
