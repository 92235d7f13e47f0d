"""Define the protocol of adapters, with JSON objects as lines, and the interfaces of engines that use it.

An adapter is a program that runs an engine. The adapter answers each line with one line, in order. A reply
means that the engine is idle: all reports that the message causes are in the reply. Times count the unit that
the adapter declares. Models of engine versions and specifications (see `built_in`), and running programs (see
`client`), are StreamEngines. Each StreamEngine can also be served as an adapter.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, groupby
from typing import Annotated, Final, Literal, Protocol, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from agreement.documents.placed import expectation
from agreement.documents.recordings import Push, Recording, Report, stream_iri, triple_of
from agreement.documents.recordings.recording import rows_in
from agreement.documents.recordings.term_entries import up_to
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, Duration, read_duration
from lars.errors import FailedRunError, LarsError, WrongValueError, cut, message_text
from solver.rdf import with_blanks


def _whole(t: float) -> float:
    return int(t) if t == int(t) else t


MessageTime = Annotated[
    float,
    Field(allow_inf_nan=False),
    up_to(1e200),
    PlainSerializer(_whole, return_type=int | float),
]
"""A time that is written as an integer if possible, because many engines accept only integers."""
_VARIABLE: Final = re.compile(r"\w+")


class Message(BaseModel):
    """A message of the protocol; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class OpenMessage(Message):
    """The message open: register a query; the engine has no input yet."""

    op: Literal["open"] = "open"
    query: str = Field(description="Text of the query, in the language of the engine.")
    static: tuple[str, ...] = Field(
        default=(),
        strict=False,
        description="Static data: lines of N-Triples, or of N-Quads for named graphs.",
    )
    options: Mapping[str, object] = Field(
        default_factory=dict,
        description="Options of the run. The reply to open lists the names of the options.",
    )


def open_message(
    query: str, static: tuple[str, ...] = (), options: Mapping[str, object] | None = None
) -> OpenMessage:
    """Return the message that registers a query in the language of an engine."""
    return OpenMessage(query=query, static=static, options=options or {})


class PushMessage(Message):
    """The message push: send a triple to the engine."""

    op: Literal["push"] = "push"
    t: MessageTime = Field(description="Time of the triple, in the time_unit of the adapter.")
    stream: str = Field(description="IRI of the stream, without < and >.")
    triple: str = Field(description="The triple, as a line of N-Triples.")


class AdvanceMessage(Message):
    """The message advance: set the clock of the engine; after it, no push has an earlier time."""

    op: Literal["advance"] = "advance"
    t: MessageTime = Field(description="New time of the clock, in the time_unit of the adapter.")


class CloseMessage(Message):
    """The message close: end the run; the reply contains the reports that the end of the run causes."""

    op: Literal["close"] = "close"


AnyMessage = Annotated[OpenMessage | PushMessage | AdvanceMessage | CloseMessage, Field(discriminator="op")]
REQUEST: Final[TypeAdapter[AnyMessage]] = TypeAdapter(AnyMessage)


def _unit(text: str) -> str:
    try:
        unit = read_duration(text)
    except LarsError as error:
        raise WrongValueError(str(error)) from None
    if not unit.nanoseconds:
        raise WrongValueError(f"found {cut(text)!r}; expected a duration above zero, such as 1ms or 1s")
    return text


class ProfileReply(Message):
    """The reply to open: a description of the adapter and of its engine."""

    ok: Literal[True] = True
    engine: str = Field(min_length=1, description="Name and version of the engine, such as rsp-js-1.3.5.")
    time_unit: Annotated[str, AfterValidator(_unit)] = Field(
        default="1ms",
        description="Unit of the times in messages and reports, such as 1ms or 1s. With 1s, the time 4 s is "
        "the number 4.",
    )
    dialect: str = Field(
        default="rspql",
        description="The query language: csparql, cqels, sparqlstream, rspql, or another name.",
    )
    fresh: bool = Field(
        default=True, description="Whether open starts a new run. If false, each run needs a new process."
    )
    kinds: bool = Field(
        default=True,
        description="Whether rows keep the kinds of RDF terms. If false, rows may contain any texts.",
    )
    flushes: bool = Field(default=False, description="Whether close reports the windows that are still open.")
    advances: bool = Field(
        default=False, description="Whether the message advance moves the clock of the engine."
    )
    pacing_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=0, description="Milliseconds to wait between two pushes."
    )
    reads_ahead: bool = Field(
        default=False, description="Whether lars may send several messages before the adapter replies."
    )
    options: tuple[str, ...] = Field(
        default=(), strict=False, description="Names of the options that open accepts."
    )

    @property
    def unit(self) -> Duration:
        """The unit of the times in messages."""
        return read_duration(self.time_unit)


class EngineReport(Message):
    """A report: a time, and a multiset of rows, which may be empty; unbound variables are missing or null."""

    t: MessageTime = Field(description="Time of the evaluation, in the time_unit of the adapter.")
    rows: tuple[Mapping[str, str | None], ...] = Field(
        strict=False,
        description="For each row the terms by the names of variables, as in N-Triples; all rows of one "
        "evaluation are one report, also where the engine gives them one by one.",
    )
    window_from: MessageTime | None = Field(
        default=None, description="Bounds of the window, if the engine reports bounds."
    )
    window_to: MessageTime | None = None

    @model_validator(mode="after")
    def _has_both_bounds(self) -> "EngineReport":
        if (self.window_from is None) != (self.window_to is None):
            raise WrongValueError(
                "found only one of window_from and window_to; expected both keys, or neither"
            )
        return self


MessageReports = Annotated[tuple[EngineReport, ...], Field(strict=False)]


class PushReply(Message):
    """The reply to push: reports, the reason for a rejection, and errors that do not stop the engine."""

    reports: MessageReports
    refused: str | None = Field(default=None, description="Reason why the engine rejects the triple.")
    errors: tuple[str, ...] = Field(default=(), strict=False)


class ReportsReply(Message):
    """The reply to advance and close: reports that the clock or the end of the run causes."""

    reports: MessageReports


class ErrorReply(Message):
    """The reply if the engine rejects the query in the message open, or cannot continue the run."""

    error: str = Field(min_length=1)


REPLIES: Final[Mapping[str, type[Message]]] = {
    "open": ProfileReply,
    "push": PushReply,
    "advance": ReportsReply,
    "close": ReportsReply,
}
"""The type of the reply to each message; an ErrorReply can replace any reply."""


_THOUSAND: Final = 1000


def unit_hint(times: Iterable[float], last: float) -> str | None:
    """Return a hint if all times of reports are 1000 times too large or too small; otherwise None.

    Args:
        times: The times of the reports; the time 0 is ignored.
        last: The time of the last push, in the unit of `times`.

    >>> unit_hint([4000, 8000], 9)
    'all times of reports are 1000 times too large: count the time_unit of the adapter'
    """
    counted = [t for t in times if t]
    if counted and all(last < t <= last * _THOUSAND for t in counted):
        return f"all times of reports are {_THOUSAND} times too large: count the time_unit of the adapter"
    if counted and all(0 < t <= last / _THOUSAND for t in counted):
        return f"all times of reports are {_THOUSAND} times too small: count the time_unit of the adapter"
    return None


def silent_hint(time_unit: str) -> str | None:
    """Return a hint for an engine without reports if its times do not count milliseconds; otherwise None.

    >>> silent_hint("1s")
    'lars sends times that count the time_unit 1s; use "time_unit": "1ms" if the engine counts milliseconds'
    >>> silent_hint("1ms")
    """
    if read_duration(time_unit) == MILLISECOND:
        return None
    return (
        f"lars sends times that count the time_unit {time_unit}; "
        'use "time_unit": "1ms" if the engine counts milliseconds'
    )


def check_variable(name: str) -> None:
    """Raise LarsError if a text is not a valid variable name without the question mark."""
    if not _VARIABLE.fullmatch(name):
        raise LarsError(
            f"found the variable {cut(name)!r}; expected the name without the question mark, such as s"
        )


def schema() -> dict[str, object]:
    """Return the JSON schema of the protocol, with the message and the reply for each operation."""
    messages: list[type[Message]] = [OpenMessage, PushMessage, AdvanceMessage, CloseMessage]
    definitions: dict[str, object] = {}
    models: list[type[Message]] = [*messages, *REPLIES.values(), ErrorReply]
    for model in models:
        document = model.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= document.pop("$defs", {})
        definitions[model.__name__] = document
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Adapters of lars: each line is a JSON object, and the adapter replies to each "
        "line with one line",
        "oneOf": [
            {
                "title": op,
                "properties": {
                    "message": {"$ref": f"#/$defs/{message.__name__}"},
                    "reply": {"anyOf": [_reference(REPLIES[op]), _reference(ErrorReply)]},
                },
            }
            for op, message in zip(REPLIES, messages, strict=True)
        ],
        "$defs": definitions,
    }


def _reference(model: type[Message]) -> dict[str, str]:
    return {"$ref": f"#/$defs/{model.__name__}"}


def problem_of(error: ValidationError) -> str:
    """Return a text for the first error in a message: the place, the value, and the expected form."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in REPLIES)
    match first:
        case {"type": "missing"}:
            return f"the key {where} is missing in {message_text(first['input'])}"
        case {"ctx": {"error": WrongValueError() as wrong}}:
            problem = wrong.problem
        case {"type": "json_invalid", "input": bytes() as line}:
            text = line.decode(errors="backslashreplace")
            problem = f"found {cut(text)!r}, which is not JSON; expected a JSON object in one line"
        case _:
            problem = f"found {cut(repr(first['input']))}; expected {expectation(first, 'JSON')}"
    return f"{where}: {problem}" if where else problem


class RefusedQueryError(LarsError):
    """The error that an engine rejects a query; its text is the reason of the engine."""


class FailedEngineError(FailedRunError):
    """The error that an engine or adapter sends no reply, sends an invalid reply, or ends.

    `op` is the message that has no valid reply, such as close; None if it is unknown. `silent` is true if the
    adapter still runs, but has not replied in time.
    """

    def __init__(self, problem: str = "", op: str | None = None, *, silent: bool = False) -> None:
        super().__init__(problem)
        self.op, self.silent = op, silent


class TimeIsUpError(FailedEngineError):
    """The error that the time limit ended before the engine did; the engine may be correct."""


class EngineSession(Protocol):
    """The run of a query on an engine, from open to close; times are in milliseconds.

    If the engine fails, methods raise FailedEngineError.
    """

    @property
    def profile(self) -> ProfileReply:
        """The description of the engine, such as its name and the unit of its times."""
        ...

    def push(self, pushes: Sequence[Push]) -> list[PushReply]:
        """Push triples in order, and return the reply to each triple."""
        ...

    def advance(self, t: float) -> tuple[EngineReport, ...]:
        """Set the clock of the engine to `t` (ms), and return the reports that the new time causes.

        After this call, no triple with a time before `t` may be pushed. Use the method only if messages can
        set the engine's clock.
        """
        ...

    def close(self) -> tuple[EngineReport, ...]:
        """End the run, and return the reports that only the end of the run causes."""
        ...


class StreamEngine(Protocol):
    """An engine that evaluates queries over streams, one run after the other.

    `end` frees the resources of the engine.
    """

    @property
    def name(self) -> str:
        """The name of the engine in error messages."""
        ...

    def open(self, registration: OpenMessage) -> EngineSession:
        """Register a query before any input, and return its run.

        Raises:
            RefusedQueryError: The engine rejects the query.
        """
        ...

    def end(self) -> bool:
        """End the current run, and return whether it ended by itself."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(frozen=True, slots=True)
class EngineAnswers:
    """The answers of an engine in one run; `profile` is None if the engine rejected the query.

    `replies` contains the reply to each pushed triple in order, and `flush` the reports at the end of the
    run. All times are in milliseconds.
    """

    profile: ProfileReply | None
    refused: str | None = None
    replies: tuple[PushReply, ...] = ()
    flush: tuple[EngineReport, ...] = ()

    @property
    def lexical(self) -> bool:
        """Whether the rows omit the kinds of RDF terms, such as datatypes."""
        return self.profile is not None and not self.profile.kinds

    @property
    def rejected(self) -> Mapping[int, str]:
        """The reasons why triples were rejected, by the number of the triple."""
        return {n: reply.refused for n, reply in enumerate(self.replies) if reply.refused is not None}

    @property
    def errors(self) -> tuple[tuple[int, str], ...]:
        """The errors after which the engine continued, each with the number of the pushed triple."""
        return tuple((n, error) for n, reply in enumerate(self.replies) for error in reply.errors)

    @property
    def reports(self) -> tuple[tuple[int, EngineReport], ...]:
        """The reports in order, each with the number of the pushed triple that caused it."""
        return tuple((n, report) for n, reply in enumerate(self.replies) for report in reply.reports)

    def waiting(self, times: Sequence[float]) -> Iterator[tuple[float, int, int]]:
        """Yield the reports that come later than with the first triple after the time of the report.

        `times` contains the times of the pushed triples in milliseconds.

        Yields:
            The time of the report, and the numbers of two triples. The first is the first triple with a later
            time. The report comes with the second, or at the end of the run: the second number is then the
            number of all triples.
        """
        reach = list(accumulate(times, max))
        for number, report in (*self.reports, *((len(reach), report) for report in self.flush)):
            if (first := bisect_right(reach, report.t)) < number:
                yield report.t, first, number

    def recording(self) -> Recording:
        """Return the answers as a recording; the reports at the end of the run are left out."""
        reports = self.reports
        names = tuple(sorted({name for _, report in reports for row in report.rows for name in row}))
        bounds = tuple(_bounds(report) for _, report in reports)
        return Recording(
            names,
            tuple(Report(report.t, rows_in(names, report.rows), number) for number, report in reports),
            tuple(self.rejected),
            bounds if any(bounds) else (),
        )

    def same(self, other: "EngineAnswers") -> bool:
        """Return whether another run has the same reports after each triple, with rows in any order.

        The texts of error messages may differ.
        """
        return _shape(self) == _shape(other)


def _shape(answers: EngineAnswers) -> tuple[object, ...]:
    pushed = [(reply.refused, [_content(report) for report in reply.reports]) for reply in answers.replies]
    return answers.profile, answers.refused, pushed, [_content(report) for report in answers.flush]


def _bounds(report: EngineReport) -> tuple[float, float] | None:
    if report.window_from is None or report.window_to is None:
        return None
    return report.window_from, report.window_to


def _content(report: EngineReport) -> tuple[object, ...]:
    """Return the content of a report without the order of rows and the labels of blank nodes."""
    rows = (
        frozenset((name, with_blanks(text, lambda _: "_:")) for name, text in row.items() if text is not None)
        for row in report.rows
    )
    return report.t, _bounds(report), Counter(rows)


def profile_of(engine: StreamEngine, registration: OpenMessage) -> ProfileReply:
    """Open a query on an engine, and return the engine's description of itself.

    Raises:
        RefusedQueryError: The engine rejects the query.
    """
    session = engine.open(registration)
    session.close()
    return session.profile


def answers_of(engine: StreamEngine, registration: OpenMessage, pushes: Sequence[Push]) -> EngineAnswers:
    """Run a query on an engine over a stream, and return the answers.

    If the engine rejects the query, the answers contain the reason.

    Raises:
        FailedEngineError: The engine fails.
    """
    try:
        session = engine.open(registration)
    except RefusedQueryError as error:
        return EngineAnswers(None, str(error))
    replies = tuple(session.push(pushes))
    return EngineAnswers(session.profile, None, replies, session.close())


def accepted_answers(
    engine: StreamEngine, registration: OpenMessage, pushes: Sequence[Push]
) -> EngineAnswers:
    """Run a query on an engine over a stream, and return the answers.

    Raises:
        LarsError: The engine rejects the query.
        FailedEngineError: The engine fails.
    """
    answers = answers_of(engine, registration, pushes)
    if answers.profile is None:
        raise LarsError(f"the engine rejects the query: {answers.refused}")
    return answers


_NONE_OPEN = "no query is open; send the message open first"


def replies(engine: StreamEngine, chunks: Iterable[bytes]) -> Iterator[str]:
    """Serve an engine: yield the replies to the messages of each chunk of input.

    Triples that are pushed in one chunk are evaluated together.
    """
    serving, rest = _Serving(engine), bytearray()
    # The last line may end without a line break.
    for chunk in chain(chunks, (b"\n",)):
        rest += chunk
        if b"\n" not in chunk:
            continue  # A long line is split once, when it is complete.
        *lines, last = bytes(rest).split(b"\n")
        rest = bytearray(last)
        if texts := [reply.model_dump_json(exclude_none=True) for reply in serving.answered(lines)]:
            yield "\n".join(texts)


class _Serving:
    """An engine that is served as an adapter, with the run of its current query."""

    def __init__(self, engine: StreamEngine) -> None:
        self.engine = engine
        self.session: EngineSession | None = None

    def answered(self, lines: Sequence[bytes]) -> Iterator[Message]:
        """Yield the reply to each message; a message is a line that is not blank."""
        messages = [_message(line) for line in lines if line.strip()]
        for pushed, group in groupby(messages, lambda message: isinstance(message, PushMessage)):
            if pushed:
                yield from self._pushed([message for message in group if isinstance(message, PushMessage)])
            else:
                yield from map(self._reply, group)

    def _reply(self, message: Message) -> Message:
        try:
            match message:
                case OpenMessage():
                    self.session = None
                    self.session = self.engine.open(message)
                    return self.session.profile
                case AdvanceMessage() if self.session is not None:
                    return ReportsReply(reports=self.session.advance(message.t))
                case CloseMessage() if self.session is not None:
                    session, self.session = self.session, None
                    return ReportsReply(reports=session.close())
                case ErrorReply():
                    return message
                case _:
                    return ErrorReply(error=_NONE_OPEN)
        except LarsError as error:
            return ErrorReply(error=str(error))

    def _pushed(self, messages: Sequence[PushMessage]) -> Sequence[Message]:
        if self.session is None:
            return [ErrorReply(error=_NONE_OPEN) for _ in messages]
        read = [_push(message) for message in messages]
        pushes = [element for element in read if isinstance(element, Push)]
        try:
            push = iter(self.session.push(pushes))
        except LarsError as error:
            if len(messages) == 1:
                return [ErrorReply(error=str(error))]
            # Their grouping is random: each has the reply that it would have alone.
            return [reply for message in messages for reply in self._pushed([message])]
        return [
            next(push) if isinstance(element, Push) else PushReply(reports=(), refused=element)
            for element in read
        ]


def _message(line: bytes) -> Message:
    try:
        message: Message = REQUEST.validate_json(line)
    except ValidationError as error:
        return ErrorReply(error=problem_of(error))
    return message


def _push(message: PushMessage) -> Push | str:
    try:
        return Push(message.t, stream_iri(message.stream), triple_of(message.triple)).as_element()
    except WrongValueError as wrong:
        return wrong.problem
    except LarsError as error:
        return str(error)
