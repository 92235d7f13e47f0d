"""The function `record`: record the answers of an engine with an adapter, or test the adapter."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, Never, TextIO

from rich.console import RenderableType

from agreement.comparing.judge import read_pushes
from agreement.documents.options import flags_of
from agreement.documents.outputs import Json, quantity
from agreement.documents.recordings import Push, read_case, static_lines
from agreement.documents.recordings.case import write_case
from agreement.documents.requests import InputOptions, absolute_text, read_once
from agreement.documents.table_files import Column, OutTable
from agreement.documents.values import json_table
from agreement.engines.adapters.checking import AdapterCheck, checks_of
from agreement.engines.adapters.client import SILENCE, RunningAdapter
from agreement.engines.adapters.messages import (
    EngineAnswers,
    EngineReport,
    OpenMessage,
    answers_of,
    open_message,
)
from agreement.results.base.library import Findings, Listeners, offered_functions, text_table
from lars.dataclass import dataclass
from lars.errors import LarsError, cut
from lars.files import exists, read_file, read_text
from lars.options import argument, kind_of_value, option
from solver.traces import read_static
from translate.model.query import EngineQuery

_MODE: Final = "adapter: times as they are given; each push waits until the engine is idle"
_SHOWN: Final = 3
"""The maximum number of refused pushes, and of pushes with an error, that are printed."""
_FORM: Final = "a file with a query in the engine's language"


@kind_of_value("NAME=VALUE", "Mapping[str, object]")
def adapter_options(names: Sequence[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options that the message `open` sends, from texts NAME=VALUE or from a mapping.

    The message `open` registers the query with the adapter.
    """
    if isinstance(names, Mapping):
        return json_table(dict(names))
    options: dict[str, object] = {}
    for text in names:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise LarsError('expected NAME=VALUE, such as t0=3 or off=["R1"]')
        if name in options:
            raise LarsError(f"found two values of {name}; use one value")
        try:
            options[name] = json.loads(value, parse_constant=_no_json)
        except ValueError:
            options[name] = value
    return json_table(options)


def _no_json(word: str) -> Never:
    """Raise ValueError for a word such as NaN, which Python reads as a number, but which is not JSON."""
    raise ValueError(word)


def adapter_option() -> Any:
    """Return the declaration of the option --adapter: the command that starts the adapter."""
    return option(None, "Command that starts the adapter.", metavar="COMMAND")


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """The options for running an adapter."""

    silence: float = option(
        SILENCE,
        "Number of seconds that lars waits for a reply of the adapter.",
        metavar="SECONDS",
        least=0.01,
    )
    options: Mapping[str, Any] | None = option(
        None,
        "Option to send to the adapter together with the query. Repeatable.",
        adapter_options,
        shell_name="--option",
        repeated=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequest:
    """The arguments of `lars record`.

    Runs the engine twice on the trace, and writes the answers of the engine as a case (.json).
    With --check, tests instead whether the adapter follows the protocol.

    Examples, in samples/judged/met:
    lars record query.cqels.rq doors.nq --adapter 'lars serve-engine cqels' --out met.json
    lars record met.json --adapter 'lars serve-engine cqels' --out again.json
    """

    inputs: tuple[Path, ...] = argument(
        "CASE.json | QUERY TRACE..",
        "Recorded case, whose query and stream the engine runs again; or a query in the language of the "
        "engine, followed by recorded streams.",
        default=(),
        source="trace",
    )
    adapter: str | None = adapter_option()
    out: Path | None = option(None, "File for the recorded case.", metavar="CASE.json")
    check: str | None = option(
        None,
        "Check whether the adapter that COMMAND starts follows the protocol, and print the mistakes "
        "of the adapter. The engine must accept QUERY.",
        metavar="COMMAND",
    )
    log: Path | None = option(None, "Write all messages to and from the adapter to FILE.", metavar="FILE")
    how: AdapterOptions
    input_options: InputOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordResult(Findings):
    """The result of `record`: the answers of an engine.

    `deterministic` is true if a second process of the engine gave the same answers.
    """

    path: Path | None
    answers: EngineAnswers
    deterministic: bool
    pushed: int

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        answers = self.answers
        return {
            "engine": None if answers.profile is None else answers.profile.engine,
            "deterministic": self.deterministic,
            "refused": answers.refused,
            "pushes": self.pushed,
            "rejected": {str(number): why for number, why in answers.rejected.items()},
            "errors": [{"push": number, "error": sentence} for number, sentence in answers.errors],
            "reports": [{"push": number} | _entry(report) for number, report in answers.reports],
            "flush": [_entry(report) for report in answers.flush],
            "case": None if self.path is None else str(self.path),
        }

    def parts(self) -> Iterable[RenderableType]:
        """Yield a summary of the recording, in a few lines."""
        answers = self.answers
        what = "gave the same answers" if answers.refused is None else "rejected the query"
        same = (
            f"two processes {what}"
            if self.deterministic
            else (
                "a second process gave other answers, so the engine is not deterministic; the case "
                "contains the answers of the first process"
            )
        )
        if answers.profile is None:
            yield f"the query is rejected: {answers.refused}"
        else:
            rows = sum(len(report.rows) for _, report in answers.reports)
            reported = f"{quantity(len(answers.reports), 'report')} with {quantity(rows, 'row')}"
            yield f"{answers.profile.engine}: {reported}, for {quantity(self.pushed, 'element')}"
            if answers.flush:
                yield f"{quantity(len(answers.flush), 'report')} at the end of the run (message close)"
            rejected = (
                f"the engine rejected element {number}: {why}" for number, why in answers.rejected.items()
            )
            yield from _first(rejected, "rejected element")
            yield from _first((f"element {number}: {text}" for number, text in answers.errors), "error")
        yield same
        if self.path is not None:
            yield f"written to {self.path}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `reports`, with a row for each row of a report, and for each empty report."""
        flush = ((None, report) for report in self.answers.flush)
        rows = (
            (number, report.t, None if row is None else json.dumps(dict(row), ensure_ascii=False))
            for number, report in (*self.answers.reports, *flush)
            for row in report.rows or (None,)
        )
        return (OutTable("reports", _COLUMNS, rows),)


_COLUMNS = (
    Column(
        "push",
        int,
        "number of the push during which the report arrived, from 0; none: when the run was closed",
    ),
    Column("t", float, "time of the report, in milliseconds"),
    Column(
        "row",
        str,
        "RDF terms of the row by the names of the variables, as JSON; none: the report has no row",
    ),
)


def _first(lines: Iterable[str], noun: str) -> Iterator[str]:
    """Yield the first lines, and the number of the other lines."""
    every = list(lines)
    yield from every[:_SHOWN]
    if left := len(every[_SHOWN:]):
        yield f"… and {quantity(left, f'more {noun}')} (--json prints all)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AdapterVerdict(Findings):
    """The result of `record --check`: the results of all tests of the adapter."""

    checks: tuple[AdapterCheck, ...]

    @property
    def correct(self) -> bool:
        """Whether no test of the adapter failed."""
        return all(check.problem is None for check in self.checks)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if a test failed, otherwise 0."""
        return int(not self.correct), None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        checks = [
            {"tried": check.name, "outcome": check.outcome, "problem": check.problem, "advice": check.advice}
            for check in self.checks
        ]
        return {"correct": self.correct, "checks": checks}

    def parts(self) -> Iterable[RenderableType]:
        """Yield a line for each test of the adapter."""
        for check in self.checks:
            yield f"{check.outcome:5} {check.name}{'' if check.problem is None else f': {check.problem}'}"
            if check.advice is not None:
                yield f"      {check.advice}"

    def tables(self) -> Sequence[OutTable]:
        """Return the table `checks`."""
        rows = ((check.name, check.problem, check.advice) for check in self.checks)
        return text_table("checks", ("tried", "problem", "advice"), rows)


@offered_functions(RecordRequest)
def record(request: RecordRequest, listeners: Listeners) -> RecordResult | AdapterVerdict:
    """Return the answers of an engine through an adapter, or with `check` the verdict on the adapter itself.

    >>> import sys
    >>> served = f"{sys.executable} -m agreement.cli serve-engine cqels"
    >>> met = "samples/judged/met/"
    >>> result = record(met + "query.cqels.rq", met + "doors.nq", adapter=served)
    >>> result.deterministic, len(result.answers.reports)
    (True, 8)
    """
    if (request.check is None) == (request.adapter is None):
        raise LarsError("expected either --adapter COMMAND or --check COMMAND")
    if request.check is None and not request.inputs:
        raise LarsError("missing input: use CASE.json or QUERY TRACE.. with --adapter, or --check")
    given = request.input_options
    static = (file.path for file in given.static or ())
    read = {path.resolve() for path in (*request.inputs, *(given.trace.stream or ()), *static)}
    for flag, path in (("--out", request.out), ("--log", request.log)):
        if path is not None and path.resolve() in read:
            raise LarsError(f"{flag} {path}: cannot be written, because it is an input; use another file")
    # The engine may run for hours before the case is written.
    if request.out is not None and (exists(request.out, folder=True) or not exists(request.out.parent)):
        raise LarsError(f"--out {request.out}: cannot be written; use a file in an existing folder")
    if request.out and request.log and request.out.resolve() == request.log.resolve():
        raise LarsError(f"--log {request.log}: the command uses this file already; use another file")
    return _recorded(request, listeners) if request.check is None else _checked(request)


def _opened(path: Path | None) -> AbstractContextManager[TextIO | None]:
    """Open a new file for the messages of an adapter.

    Without a path, the function returns a context manager that yields None.
    """
    if path is None:
        return nullcontext()
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise LarsError(
            f"cannot write --log {path}: {error.strerror}; use a file in a folder that you can write to"
        ) from None


def _recorded(request: RecordRequest, listeners: Listeners) -> RecordResult:
    assert request.adapter is not None
    registration, pushes = _input_of(request, listeners)
    runs = []
    with _opened(request.log) as log:
        for number in range(2):
            listeners.progress(number, 2)
            with RunningAdapter(request.adapter, request.how.silence, log=log) as adapter:
                runs.append(answers_of(adapter, registration, pushes))
    first, second = runs
    same = first.same(second)
    if request.out is not None:
        write_case(
            request.out, case_of_run(request.out.stem, registration, pushes, first, deterministic=same)
        )
    return RecordResult(request.out, first, same, len(pushes))


def _input_of(request: RecordRequest, listeners: Listeners) -> tuple[OpenMessage, tuple[Push, ...]]:
    """Return the message that registers the query, and the pushes, of a recorded case or of files."""
    path, *traces = request.inputs
    adapter_options = request.how.options or {}
    if path.suffix.lower() == ".json":
        if traces or (wrong := flags_of(request.input_options)):
            other = "a second file" if traces else " and ".join(wrong)
            raise LarsError(
                f"cannot combine {other} with a recorded case, which contains its query and trace"
            )
        case = read_case(path)
        return open_message(case.query, static_lines(case.static), adapter_options), case.pushes
    text = read_text(path, _FORM)
    asked = absolute_text(text, str(path))
    query = _query(text, path, listeners)
    options = (
        request.input_options
        if query is None
        else request.input_options.as_engines_count([path], listeners.note)
    )
    trace = options.trace_input(traces)
    pushes, _ = read_pushes(trace, query, options.trace.time_point, listeners.warn)
    return open_message(asked, static_lines(read_static(trace.static)), adapter_options), pushes


def _query(text: str, path: Path, listeners: Listeners) -> EngineQuery | None:
    """Return the parsed query of a file; None with a warning if the query fits no known language.

    The query is not needed to record a run.
    """
    try:
        return read_once(text, str(path))
    except LarsError as error:
        listeners.warn(f"cannot judge the recorded case: {error}")
        return None


def _checked(request: RecordRequest) -> AdapterVerdict:
    if wrong := flags_of(request.input_options):
        raise LarsError(f"cannot combine {' and '.join(wrong)} with --check")
    if request.out is not None or request.how.options is not None:
        raise LarsError("cannot combine --out or --option with --check")
    if len(request.inputs) > 1:
        found = " and ".join(cut(str(path)) for path in request.inputs[:2])
        raise LarsError(
            f"--check {cut(request.check or '')!r}: found the files {found}; expected the command directly "
            "after --check, and at most one QUERY"
        )
    query = next((absolute_text(read_file(path, _FORM).text, str(path)) for path in request.inputs), None)
    assert request.check is not None
    with _opened(request.log) as log:
        return AdapterVerdict(tuple(checks_of(request.check, request.how.silence, query, log)))


def case_of_run(
    name: str,
    registration: OpenMessage,
    pushes: Sequence[Push],
    answers: EngineAnswers,
    *,
    deterministic: bool,
) -> Mapping[str, object]:
    """Return a run as a recorded case, which `lars judge` reads."""
    profile = answers.profile
    engine = "unknown" if profile is None else profile.engine
    notes = "" if deterministic else "a second process gave other answers"
    return {
        "id": f"{engine}/{name}",
        "engine": engine,
        "mode": _MODE,
        "family": "recorded",
        "query": registration.query,
        "notes": "; ".join(
            filter(None, (notes, *(f"push {n}: {sentence}" for n, sentence in answers.errors)))
        ),
        "dialect": None if profile is None else profile.dialect,
        "kinds": profile is None or profile.kinds,
        "static": list(registration.static),
        "stream": [
            {
                "t": float(push.t),
                "stream": push.stream[1:-1],
                "triple": f"{' '.join(push.triple)} .",
                "came": None if push.came is None else float(push.came),
            }
            for push in pushes
        ],
        "refused": answers.refused,
        "output": [{"trigger": number} | _entry(report) for number, report in answers.reports],
        "flush": [_entry(report) for report in answers.flush],
        "exceptions": [{"trigger": n, "message": why} for n, why in answers.rejected.items()],
    }


def _entry(report: EngineReport) -> Json:
    bounds = {"window_from": report.window_from, "window_to": report.window_to}
    return {"t": float(report.t), "rows": [dict(row) for row in report.rows]} | (
        {} if report.window_from is None else bounds
    )
