"""`judge`: is what an engine answered correct, for which start times, and the fault that explains it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from rich.console import RenderableType

from agreement.inputs import AnswersOptions, InputOptions, JudgeOptions, MatchBy, check_said
from agreement.inputs.options import BadLineOptions
from agreement.judge import RefusedCase, case_files, cases, judging, verdict_json
from agreement.judge.cases import CaseVerdict
from agreement.judge.judge_inputs import read_versions
from agreement.judge.judging import JudgedFound
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    BoundsName,
    InputKeywords,
    SemanticsName,
    bad_lines,
    chosen,
    input_options,
    numbers_text,
)
from agreement.library.basis.sources import Desk, TraceSource
from agreement.outputs import Json
from agreement.table_files import OutTable
from lars.windows import Bounds
from translate.query import Semantics

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Recorded runs; or a query and its trace with answers; what judges them, and how."""

    inputs: tuple[Path, ...]
    answers: Path | None
    engine: str | None
    how: JudgeOptions
    recorded: AnswersOptions
    given: InputOptions
    bad_lines: BadLineOptions
    static_at: Sequence[str]
    said: Sequence[str]

    def check(self) -> None:
        """Raise LarsError for options that say nothing of what is judged."""
        version = judging.is_version(self.engine, self.answers)
        check_said(self.said, self.how.match, cases=self.answers is None, version=version)


def judgement(request: JudgeRequest, told: Told) -> "Judged":
    """Return the verdict on recorded cases or on a file of answers."""
    options = judging.options_of(request.how)
    request.check()
    if request.answers is None:
        judging.check_case_judge(request.engine)
        paths = case_files(request.inputs)
        work = partial(cases.judged_case, judge=request.engine, options=options)
        return Judged((), (), tuple(cases.each_case(paths, work, told.progress)))
    query, traces = judging.paths_of(request.inputs)
    given = request.given.fitted([query], told.note)
    read = judging.reading_of(request.recorded, given, request.how.match)
    asked = judging.JudgedAnswers(
        query=query,
        trace=given.trace(traces, request.bad_lines),
        answers=request.answers,
        reading=read,
        engine=judging.language_of(query, read.unit) if request.engine is None else request.engine,
        options=options,
        gracious=request.how.gracious,
        diagnosis=request.how.diagnosis,
        versions=read_versions(request.static_at),
    )
    return Judged((), (), judging.judge_answers(asked, told.warn, told.progress), _title(query, traces))


def _title(query: Path, traces: Sequence[Path]) -> str:
    return f"Answers to {query.name} on {', '.join(path.name for path in traces) or 'named streams'}"


@dataclass(frozen=True, slots=True)
class WindowVerdict:
    """How one window of a specification, or one step of an engine version, was met.

    `phase` says whether it counts: windows do; transient and later ones are not compared. `start` and
    `end` are time points, None for a push of an engine version; `delay` is in ms. Without `problem`
    all is right; `missing` and `extra` are rows as SPARQL JSON.
    """

    phase: str
    start: float | None
    end: float | None
    expected: int
    actual: int
    precision: float
    recall: float
    delay: float | None
    triples: int | None
    problem: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judged(Findings):
    """What `judge` returns. `correct` is None where that is undecided; then `undecided` says why."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _found: JudgedFound | tuple[CaseVerdict | RefusedCase, ...]
    _title: str = "Recorded cases"

    @property
    def correct(self) -> bool | None:
        """Whether the answers, or all cases, are correct."""
        found = self._found
        if isinstance(found, JudgedFound):
            return found.correct
        return cases.overall([one.correct if isinstance(one, CaseVerdict) else None for one in found])

    @property
    def _cases(self) -> tuple[CaseVerdict, ...]:
        found = () if isinstance(self._found, JudgedFound) else self._found
        return tuple(one for one in found if isinstance(one, CaseVerdict))

    @property
    def _refused(self) -> tuple[RefusedCase, ...]:
        found = () if isinstance(self._found, JudgedFound) else self._found
        return tuple(one for one in found if isinstance(one, RefusedCase))

    @property
    def refused(self) -> Mapping[str, str]:
        """Of the cases that cannot be judged, why."""
        return {one.id: one.problem for one in self._refused}

    @property
    def undecided(self) -> str | None:
        """Why it is neither correct nor incorrect; None where it is one of them."""
        if isinstance(self._found, JudgedFound):
            return self._found.undecided
        return cases.undecided_cases(self._cases)

    @property
    def incomparable(self) -> str | None:
        """Which cases cannot be judged; else in which nothing is to compare, if no other is incorrect."""
        if self._refused:
            return cases.all_refused(self._refused, len(self._refused) + len(self._cases))
        return cases.cases_without_reports(self._cases)

    @property
    def verdicts(self) -> tuple[WindowVerdict, ...]:
        """Each window, or step of an engine version, of answers in a file; none for cases."""
        found = self._content
        phases = ("windows", "transient", "later") if "cases" not in found else ()
        return tuple(_window(phase, one) for phase in phases for one in found.get(phase, ()))

    @property
    def differences(self) -> tuple[WindowVerdict, ...]:
        """The windows that count and are wrong."""
        return tuple(one for one in self.verdicts if one.phase == "windows" and one.problem is not None)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return self._content

    @property
    def _content(self) -> Json:
        found = self._found
        if isinstance(found, JudgedFound):
            return found.as_json()
        return verdict_json.by_case(self._cases, self._refused)

    def to_json(self) -> JsonObject:
        """Return the document that `lars judge --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdict for a reader."""
        found = self._found
        return (
            found.as_text()
            if isinstance(found, JudgedFound)
            else cases.text_of_cases(self._cases, self._refused)
        )

    def page(self) -> "Page":
        """Return what the page of the verdict says."""
        # Loads what only pages need.
        from agreement.report import judge_page

        return judge_page(self._title, self.correct, self._content, self.parts(), self.warnings)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `windows`, `steps` or `cases`."""
        return verdict_json.tables(self._content)


def _window(phase: str, row: Json) -> WindowVerdict:
    ends = row.get("from"), row.get("to", row.get("time"))
    rows = (row["expected"], row["actual"], row["precision"], row["recall"])
    return WindowVerdict(phase, *ends, *rows, row.get("delay"), row.get("triples"), row["problem"])


class JudgeKeywords(InputKeywords, total=False):
    """The keywords of `judge`: start times, what is compared and how, how answers are read."""

    t0: int | str | Sequence[int] | None
    match: Literal["time", "sequence"] | None
    registered: int | None
    until: int | None
    bounds: BoundsName | None
    semantics: SemanticsName | None
    gracious: bool | None
    diagnosis: bool | None
    tolerance: float | None
    empty: Literal["compared", "ignored"] | None
    early: float | None
    late: float | None
    time_limit: float | None
    answers_format: str | None
    answers_unit: str | None
    time_variable: str | None
    static_at: Sequence[str] | None


@offered
def judge(
    *inputs: TraceSource,
    answers: str | Path | None = None,
    engine: str | None = None,
    **options: Unpack[JudgeKeywords],
) -> Judged:
    """Return whether recorded answers are correct: of a query and traces, or recorded cases in JSON.

    >>> met = "samples/judged/met/"
    >>> recorded = {"answers": met + "answers.csparql.ndjson", "answers_unit": "1ms"}
    >>> found = judge(met + "query.csparql.rq", met + "doors.nq", **recorded)
    >>> found.correct, [(one.start, one.end, one.delay) for one in found.verdicts if one.phase == "windows"]
    (True, [(2, 12, 1.0), (12, 22, 1.0), (22, 32, 1.0)])
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = JudgeRequest(
            tuple(map(desk.given, inputs)),
            None if answers is None else desk.given(answers),
            engine,
            _how(options),
            AnswersOptions(
                options.get("answers_format"), options.get("answers_unit"), options.get("time_variable")
            ),
            input_options(desk, options),
            bad_lines(options),
            options.get("static_at") or (),
            [name for name, value in options.items() if value is not None],
        )
        found = judgement(request, heard.told(options.get("progress")))
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))


_PLAIN = ("registered", "until", "gracious", "diagnosis", "tolerance", "empty", "early", "late", "time_limit")


def _how(options: JudgeKeywords) -> JudgeOptions:
    given: dict[str, object] = dict(options)
    plain = {name: given[name] for name in _PLAIN if given.get(name) is not None}
    found = replace(
        JudgeOptions(),
        t0=numbers_text(options.get("t0")),
        match=chosen("match", MatchBy, options.get("match")) or MatchBy.TIME,
        bounds=chosen("bounds", Bounds, options.get("bounds")),
        semantics=chosen("semantics", Semantics, options.get("semantics")),
    )
    return replace(found, **plain)  # type: ignore[arg-type]
