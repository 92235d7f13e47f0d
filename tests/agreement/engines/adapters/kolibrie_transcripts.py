"""Transcripts of Kolibrie's real HTTP server, byte by byte, served again in their order."""

import json
import socket
from collections import Counter
from contextlib import contextmanager, suppress
from threading import Thread

from agreement.documents.recordings import Push, stream_iri, triple_of
from tests.packs import DATA


def transcripts():
    """Return the files: each is a run of a session, or a refusal."""
    return sorted((DATA / "kolibrie-http").glob("*.json"))


class Transcript:
    """The entries of a file, and what they say: the query, what was pushed, the rows of each push."""

    def __init__(self, path):
        self.entries = json.loads(path.read_text())["transcript"]
        sent = [one for one in self.entries if "sent" in one]
        registered, pushed = json.loads(sent[0]["body"]), [json.loads(one["body"]) for one in sent[2:]]
        self.query, self.static = registered["query"], tuple(registered.get("static_rdf", "").splitlines())
        self.pushes = [
            Push(one["timestamp"], stream_iri(one["stream"]), triple_of(one["ntriples"])) for one in pushed
        ]
        answer = next(one["bytes"] for one in self.entries if one.get("answer_to") == 1)
        self.refusal = "" if " 200 " in answer else "Failed to build RSP engine"
        events = "".join(one.get("bytes", "") for one in self.entries if one.get("events_of") == 2)
        self.rows = Counter(_rows(events.partition("\r\n\r\n")[2]))

    @contextmanager
    def served(self):
        """Serve the transcript in a thread; requests are taken in its order."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            Thread(target=self._serve, args=(server,), daemon=True).start()
            yield server.getsockname()[1]

    def _serve(self, server):
        connections = {}
        with suppress(OSError):
            for one in self.entries:
                if "sent" in one:
                    connections[one["sent"]] = server.accept()[0]
                    line = _request(connections[one["sent"]]).split(b" ")
                    assert [line[0].decode(), line[1].decode()] == [one["method"], one["path"]]
                    continue
                connection = connections[one.get("answer_to", one.get("events_of"))]
                connection.sendall(one.get("bytes", "").encode())
                if "answer_to" in one or one.get("closed"):
                    connection.close()


def _request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [
        line.split(b":")[1] for line in head.lower().splitlines() if line.startswith(b"content-length")
    ]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head


def _rows(events):
    """Yield the texts of rows with the number of their push, which an event `firing` ends."""
    number = 0
    for event in events.split("\n\n"):
        if event.startswith("event: firing"):
            number += 1
        elif event.strip():
            yield number, tuple(sorted(json.loads(event.removeprefix("data:")).items()))
