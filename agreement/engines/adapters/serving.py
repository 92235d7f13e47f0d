"""A stream engine served as an adapter: lines in, a reply for each out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pydantic import ValidationError

from agreement.documents.recordings import Push, stream_iri, triple_of
from agreement.documents.values import WrongValueError
from agreement.engines.adapters.messages import (
    REQUEST,
    AdvanceMessage,
    AdvanceReply,
    CloseMessage,
    CloseReply,
    EngineSession,
    ErrorReply,
    Message,
    OpenMessage,
    PushMessage,
    PushReply,
    Registration,
    StreamEngine,
    problem_of,
)
from lars.errors import LarsError

_NONE_OPEN = "no query is open; accepted: open first"


def replies(engine: StreamEngine, chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines that answer those of each chunk; pushes that are there together are evaluated once."""
    serving, rest = _Serving(engine), b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if texts := [reply.model_dump_json(exclude_none=True) for reply in serving.answered(lines)]:
            yield "\n".join(texts)


class _Serving:
    """What is open of an engine."""

    def __init__(self, engine: StreamEngine) -> None:
        self.engine = engine
        self.session: EngineSession | None = None

    def answered(self, lines: Sequence[bytes]) -> Iterator[Message]:
        """Yield the reply to each line that is not blank."""
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
                    registration = Registration(message.query, message.static, message.options)
                    self.session = self.engine.open(registration)
                    return self.session.profile
                case AdvanceMessage() if self.session is not None:
                    return AdvanceReply(reports=self.session.advance(message.t))
                case CloseMessage() if self.session is not None:
                    session, self.session = self.session, None
                    return CloseReply(reports=session.close())
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
            return [ErrorReply(error=str(error)) for _ in messages]
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
        return Push(message.t, stream_iri(message.stream), triple_of(message.triple))
    except WrongValueError as wrong:
        return wrong.problem
    except LarsError as error:
        return str(error)
