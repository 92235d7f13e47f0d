"""The server of a playground; it answers only browsers on this computer, at an address with a token.

A page of another web site can make a browser send a request to 127.0.0.1. By DNS rebinding, the request can
even contain the name of the other site as its host. The server therefore checks the token and the headers
Host and Origin.
"""

import io
import json
import secrets
import zipfile
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import field
from http import HTTPStatus
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agreement.documents.outputs import Json
from agreement.results.playground.texts import PlayedTexts
from agreement.results.renderings.pages.page import LATEST_DRAWN, in_script, part, render
from lars.dataclass import dataclass
from lars.errors import LarsError

MOST_BYTES: Final = 2**21
"""The maximum number of bytes in the body of a request."""
MOST_WAITING: Final = 3
"""The maximum number of evaluations that wait while another evaluation runs."""
_MOST_PAGES: Final = 8
_HEADERS: Final = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_OF_RESULT: Final = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""The security policy of result pages, which are shown in a frame without access to other resources."""


@dataclass(slots=True)
class PlayServer:
    """The server of a playground: the edited texts, and the function that evaluates them.

    `authority` is the host and port of the address.
    """

    texts: PlayedTexts
    answer: Callable[..., Json]
    authority: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _pages: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _waiting: int = 0

    @property
    def address(self) -> str:
        """The address of the playground for the browser."""
        return f"http://{self.authority}/{self.token}/"

    def app(self) -> ASGIApp:
        """Return the ASGI application of the playground."""
        routes = [
            Route(f"/{self.token}/", self._editor, methods=["GET"]),
            Route(f"/{self.token}/evaluate", self._evaluate, methods=["POST"]),
            Route(f"/{self.token}/export", self._export, methods=["POST"]),
            Route(f"/{self.token}/result/{{name}}", self._result, methods=["GET"]),
        ]
        inner = Starlette(routes=routes)
        inner.router.redirect_slashes = False
        return _gate(inner, self.authority)

    async def _editor(self, request: Request) -> Response:
        del request
        nonce = secrets.token_urlsafe(16)
        about = {
            "first": self.texts.first,
            "texts": dict(self.texts.texts),
            "experiment": self.texts.is_experiment,
        }
        text = render(
            "play",
            title=self.texts.name,
            experiment=self.texts.is_experiment,
            nonce=nonce,
            data=in_script(json.dumps(about)),
            style=part("page.css") + part("play.css"),
            script=part("play.js"),
        )
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
            "frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return HTMLResponse(text, headers={"content-security-policy": policy})

    async def _evaluate(self, request: Request) -> Response:
        texts, view = await self._question(request)
        if self._waiting > MOST_WAITING:
            problem = "too many evaluations at once; wait for the others"
            return PlainTextResponse(problem, HTTPStatus.SERVICE_UNAVAILABLE, {"retry-after": "1"})
        self._waiting += 1
        try:
            answer = await run_in_threadpool(self.answer, texts, **view)
        finally:
            self._waiting -= 1
        name = self._kept(answer["html"]) if answer["html"] else None
        return JSONResponse({**answer, "html": None, "result": name})

    async def _export(self, request: Request) -> Response:
        texts, view = await self._question(request)
        try:
            texts = texts.with_period(view["period"])
        except LarsError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.texts.items():
                archive.writestr(f"{texts.name}/{name}", text)
        return Response(packed.getvalue(), media_type="application/zip")

    async def _result(self, request: Request) -> Response:
        text = self._pages.get(request.path_params["name"])
        if text is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return HTMLResponse(text, headers={"content-security-policy": _OF_RESULT})

    def _kept(self, text: str) -> str:
        name = secrets.token_urlsafe(12)
        self._pages[name] = text
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return name

    async def _question(self, request: Request) -> tuple[PlayedTexts, Json]:
        """Return the edited texts, and the view (period, side, time) that the browser requests.

        Raises HTTPException for an invalid request.
        """
        try:
            content = json.loads(await request.body())
            if isinstance(content, dict) and content.keys() <= _USUAL.keys():
                values = {**_USUAL, **content}
                if all(is_fit(values[name]) for name, is_fit in _FITS.items()):
                    return self.texts.edited(values.pop("texts")), values
        except (ValueError, RecursionError):
            pass  # no JSON
        except LarsError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        raise HTTPException(HTTPStatus.BAD_REQUEST, "not a request of the playground")


_USUAL: Final[dict[str, Any]] = {"texts": None, "period": "", "side": "pull", "at": None, "whole": False}
"""The keys of a request with their default values."""
_FITS: Final[dict[str, Callable[[Any], bool]]] = {
    "texts": lambda value: isinstance(value, dict) and all(isinstance(text, str) for text in value.values()),
    "period": lambda value: isinstance(value, str) and len(value) <= _LONGEST_PERIOD,
    "side": lambda value: value in ("push", "pull"),
    "at": lambda value: value is None or (type(value) is int and 0 <= value < LATEST_DRAWN),
    "whole": lambda value: isinstance(value, bool),
}
_LONGEST_PERIOD: Final = 200


def _gate(app: ASGIApp, authority: str) -> ASGIApp:
    """Return an ASGI application that rejects requests from other hosts or pages, and too long requests."""

    async def gated(scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        if scope["type"] != "http":  # nothing else is served, such as WebSockets
            return
        refused = _refused(scope, authority)
        body = None if refused is not None else await _body(receive)
        if refused is None and body is None:
            refused = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if refused is not None:
            await PlainTextResponse(refused.phrase, refused)(scope, receive, answer)
        elif body is not None:
            await app(scope, _replayed(body, receive), answer)

    return gated


def _refused(scope: Scope, authority: str) -> HTTPStatus | None:
    """Return the HTTP status for a rejected request; None if the request is accepted."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    origin = f"http://{authority}"
    if headers.get("host") != [authority]:
        return HTTPStatus.MISDIRECTED_REQUEST
    posts = scope["method"] == "POST"
    origins = headers.get("origin", [])
    if origins not in ([], [origin]) or (posts and not origins):
        return HTTPStatus.FORBIDDEN
    if posts:
        if headers.get("sec-fetch-site", ["same-origin"]) != ["same-origin"]:
            return HTTPStatus.FORBIDDEN
        if headers.get("content-type") != ["application/json"]:
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        if any(name in headers for name in ("content-encoding", "x-http-method-override")):
            return HTTPStatus.BAD_REQUEST
    elif headers.get("sec-fetch-site", ["none"]) not in (["none"], ["same-origin"]):
        return HTTPStatus.FORBIDDEN
    lengths = headers.get("content-length", [])
    if any(not length.isdecimal() or int(length) > MOST_BYTES for length in lengths):
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return None


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request; None if the body is too long."""
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        part_of_body = message.get("body", b"")
        size += len(part_of_body)
        if size > MOST_BYTES:
            return None
        parts.append(part_of_body)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    given = [False]

    async def again() -> Message:
        if given[0]:
            return await receive()
        given[0] = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
