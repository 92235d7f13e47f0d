"""An adapter for Kolibrie's HTTP server: `python -m agreement.engines.adapters.kolibrie [URL]`.

The user starts the server. Each run is a session of the server: the adapter registers a query, pushes
triples, and reads rows from the server's stream of events. After the rows of a push, which can be zero rows,
the server sends the event `firing`. This event is not a row, and means that the server is idle.

A server without sessions receives all triples of the run again for each push (`/rsp-query`). The reports of a
push are the rows that the new answer has and the previous answer does not have. At the end of such a run,
some windows are open. The adapter therefore adds a triple long after all windows, which closes the windows.
"""

import json
import queue
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from threading import Thread
from typing import Any, Final

URL: Final = "http://127.0.0.1:8080"
PROFILE: Final = {
    "ok": True,
    "engine": "kolibrie",
    "time_unit": "1ms",
    "dialect": "rspql",
    "kinds": False,
    "options": ["version"],
}
_SECONDS: Final = 20.0
"""The maximum number of seconds to wait for an answer of the server, or for the event that ends a push."""
_FIRING: Final = "firing"
"""The event that the server sends after all rows of a push."""
_LONG: Final = 10**9
"""A number of ms that is longer than most windows, and a multiple of most slides."""
_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""A URL opener without a proxy, because the server is on this computer or in the local network."""
_NOISE: Final = "<urn:x-lars:end> <urn:x-lars:end> <urn:x-lars:end> ."
_STREAM: Final = re.compile(r"\bON\s+(?:STREAM\s+)?(?:<([^>]*)>|([\w.-]*:)([\w.-]*))", re.IGNORECASE)
_PREFIX: Final = re.compile(r"\bPREFIX\s+([\w.-]*:)\s*<([^>]*)>", re.IGNORECASE)
_NAMED: Final = re.compile(
    r'(?:\s*(?:<[^>]*>|(?>_:[^\s<>"]*[^\s<>".])|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)){4}\s*\.'
)

TextRow = dict[str, str]
_Message = Mapping[str, Any]
"""A message of the adapter protocol as a JSON object; `op` determines its other keys."""


def _post(url: str, path: str, body: Mapping[str, object]) -> Any:  # JSON
    """Send a request with a JSON body to the server, and return its answer.

    If no server of Kolibrie answers, the function ends the process. The function does not reply to the
    message open with an error, because this would mean that Kolibrie rejects the query.

    Raises:
        ValueError: The server rejects the request; the error contains the message of the server.
        FileNotFoundError: The server does not have this path.
        SystemExit: No server of Kolibrie answers.
    """
    data = json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with _DIRECT.open(request, timeout=_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sentence = error.read().decode(errors="replace")
        if error.code == HTTPStatus.NOT_FOUND:
            raise FileNotFoundError(f"the server at {url} answers {path} with 404: {sentence}") from None
        raise ValueError(f"the server rejects the request: {sentence}") from None
    except (OSError, ValueError) as error:
        sys.exit(f"found no server of Kolibrie at {url}: {' '.join(str(error).split())}")


class Session:
    """The run of a query as a session of Kolibrie's server."""

    def __init__(self, url: str, query: str, static: str) -> None:
        self.url = url
        values = {"query": query, "static_rdf": static, "static_format": "ntriples"}
        answer = _post(url, "/rsp/register", values)
        if not isinstance(answer, dict) or not isinstance(answer.get("session_id"), str):
            problem = f"the server answers /rsp/register without session_id: {json.dumps(answer)}"
            raise ValueError(problem)  # noqa: TRY004
        self.name = urllib.parse.quote(answer["session_id"], safe="")
        self.session_id = answer["session_id"]
        self.rows: queue.SimpleQueue[TextRow | ValueError | None] = queue.SimpleQueue()
        """The received rows. None means that the server is idle; an error means that no row follows."""
        host = urllib.parse.urlsplit(url)
        self.connection = HTTPConnection(host.hostname or "", host.port, timeout=_SECONDS)
        # Rows go to current listeners: the answer's head confirms the connection.
        self.connection.request("GET", f"/rsp/events/{self.name}")
        self.events = self.connection.getresponse()
        if self.connection.sock is not None:
            self.connection.sock.settimeout(None)
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Read the events of the server, and put the rows into the queue `rows`.

        An event consists of a name and lines of data, and ends with an empty line. A row is an event without
        a name.
        """
        name, data = "", list[str]()
        why = "the server has closed the connection"
        try:
            for line in self.events:
                field, _, text = line.decode().rstrip("\r\n").partition(":")
                if field == "event":
                    name = text.strip()
                elif field == "data":
                    data.append(text)
                elif not line.strip():
                    if name == _FIRING:
                        self.rows.put(None)
                    elif data and not name:
                        self.rows.put(_row("\n".join(data)))
                    name, data = "", []
        except (OSError, HTTPException, ValueError, AttributeError) as error:
            why = str(error)
        self.rows.put(ValueError(f"cannot read the events of the server at {self.url}: {why}"))

    def push(self, t: int, stream: str, triple: str) -> list[TextRow]:
        """Push a triple to the server, and return the rows that it causes.

        Raises:
            ValueError: The server closes the connection, or sends no event that ends the push.
        """
        event = {"session_id": self.session_id, "stream": stream, "timestamp": t, "ntriples": triple}
        _post(self.url, "/rsp/push", event)
        rows = list[TextRow]()
        try:
            while (row := self.rows.get(timeout=_SECONDS)) is not None:
                if isinstance(row, ValueError):
                    raise row
                rows.append(row)
        except queue.Empty:
            problem = f"the server at {self.url} has sent no event {_FIRING} for {_SECONDS:g} s after a push"
            raise ValueError(f"{problem}; use commit 846becb or later") from None
        return rows


def _row(text: str) -> TextRow:
    row = json.loads(text)
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise ValueError(f"found the row {text.strip()}; expected a JSON object whose values are strings")
    return row


class Beginnings:
    """The run of a query on a server without sessions; each push sends all triples of the run again."""

    def __init__(self, url: str, query: str, static: str) -> None:
        self.url = url
        self.given = {"query": query, "static_rdf": static, "static_format": "ntriples"}
        prefixes = dict(_PREFIX.findall(query))
        names = (iri or prefixes.get(prefix, prefix) + local for iri, prefix, local in _STREAM.findall(query))
        self.streams = list(dict.fromkeys(names))
        self.events: list[dict[str, object]] = []
        self.latest = 0
        self.known = self._answer()

    def _answer(self) -> Counter[tuple[tuple[str, str], ...]]:
        end = (self.latest // _LONG + 2) * _LONG
        ends = [{"stream": stream, "timestamp": end, "ntriples": _NOISE} for stream in self.streams]
        answer = _post(self.url, "/rsp-query", self.given | {"events": [*self.events, *ends]})
        names, *rows = answer.get("data") or [[]]
        return Counter(
            tuple((name, text) for name, text in zip(names, row, strict=False) if text) for row in rows
        )

    def push(self, t: int, stream: str, triple: str) -> list[TextRow]:
        """Push a triple, and return the rows that are in the answer after the push, but not before."""
        self.events.append({"stream": stream, "timestamp": t, "ntriples": triple})
        self.latest = max(self.latest, t)
        before, self.known = self.known, self._answer()
        return [dict(row) for row in (self.known - before).elements()]


def open_engine(url: str, message: _Message) -> tuple[Session | Beginnings, dict[str, object]]:
    """Return the run of a query on the server, and the profile that describes the engine.

    Raises:
        ValueError: The server rejects the query, or an option or static data are not supported.
    """
    options = message.get("options", {})
    if wrong := [name for name in options if name != "version"]:
        raise ValueError(f"found the option {wrong[0]}; expected version")
    lines = message.get("static", ())
    if wrong := [line for line in lines if _NAMED.match(line)]:
        raise ValueError(f"found {wrong[0]} in a named graph; expected static data of the default graph")
    static = "\n".join(lines)
    profile = dict(PROFILE)
    if "version" in options:
        profile["engine"] = f"kolibrie-{options['version']}"
    try:
        return Session(url, message["query"], static), profile
    except FileNotFoundError:
        return Beginnings(url, message["query"], static), profile


def _pushed(run: Session | Beginnings, message: _Message) -> dict[str, object]:
    t = message["t"]
    if t < 0 or t != int(t):
        return {"reports": [], "refused": "a time is a whole number from 0 on"}
    rows = run.push(int(t), message["stream"], message["triple"])
    # The kinds of terms are lost: each is given as a text.
    texts = [{name: json.dumps(text, ensure_ascii=False) for name, text in row.items()} for row in rows]
    return {"reports": [{"t": t, "rows": texts}] if texts else []}


def main(arguments: Sequence[str]) -> None:
    """Read messages from standard input, and print the reply to each message."""
    url = (arguments[0] if arguments else URL).rstrip("/")
    run: Session | Beginnings | None = None
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, object] = {"reports": []}
        try:
            if message["op"] == "open":
                run, reply = open_engine(url, message)
            elif run is None:
                reply = {"error": "no query is open"}
            elif message["op"] == "push":
                reply = _pushed(run, message)
            elif message["op"] == "close":
                run = None
        except (OSError, HTTPException, ValueError) as error:
            reply = {"error": " ".join(str(error).split())}
        sys.stdout.write(f"{json.dumps(reply)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
