"""A playground that is served for tests, and requests that no client library would send."""

import json
import socket
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Thread
from time import monotonic, sleep

import uvicorn

from agreement.results.playground import playing
from agreement.results.playground.server import PlayServer
from agreement.results.playground.texts import read_texts
from agreement.results.playground.worker import PlayProcess

MEMORY = 2**30


@dataclass(frozen=True)
class Served:
    """A playground's server, and its port."""

    server: PlayServer
    port: int
    evaluator: PlayProcess | None = None

    @property
    def own(self):
        """The headers of the page's own requests."""
        return {
            "Host": self.server.authority,
            "Origin": f"http://{self.server.authority}",
            "Content-Type": "application/json",
        }

    def ask(self, method="GET", path=None, headers=None, body=b""):
        """Return the status and the body of the answer; `path` begins below the token, `/` at the top."""
        where = path if (path or "").startswith(("/", "http")) else f"/{self.server.token}/{path or ''}"
        given = {"Host": self.server.authority} if headers is None else headers
        if body and "Content-Length" not in given and "Transfer-Encoding" not in given:
            given = {**given, "Content-Length": len(body)}
        pairs = [
            (name, each)
            for name, value in given.items()
            for each in (value if isinstance(value, list) else [value])
        ]
        lines = [
            f"{method} {where} HTTP/1.1",
            *(f"{name}: {value}" for name, value in pairs),
            "Connection: close",
        ]
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            answer = b""
            with suppress(OSError):  # refused before all is read
                connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            with suppress(ConnectionResetError):
                while data := connection.recv(2**16):
                    answer += data
        head, _, content = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode("latin-1"), content

    def post(self, path, **question):
        """Return the answer to the page's own question."""
        content = {"texts": {}, "period": "", "side": "pull", **question}
        status, _, body = self.ask("POST", path, self.own, json.dumps(content).encode())
        assert status == 200, body
        return body

    def evaluate(self, **question):
        """Return what the page is told."""
        return json.loads(self.post("evaluate", **question))

    def document(self, **question):
        """Return the data of the page of results."""
        name = self.evaluate(**question, whole=True)["result"]
        _, _, page = self.ask(path=f"result/{name}")
        text = page.decode().partition('id="data">')[2].partition("</script>")[0]
        return json.loads(text)


@contextmanager
def serving(texts, answer):
    """Yield a playground, served by a thread with this function to evaluate."""
    with closing(playing._socket(0)) as listening:
        port = listening.getsockname()[1]
        server = PlayServer(texts, answer, f"127.0.0.1:{port}")
        running = uvicorn.Server(playing.server_config(server))
        thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = monotonic() + 30
        while not running.started and monotonic() < until:
            sleep(0.01)
        yield Served(server, port)
        running.should_exit = True
        thread.join(10)


@contextmanager
def playground(*inputs, seconds=60.0, memory=MEMORY):
    """Yield the playground of an experiment or program, evaluated as users have it."""
    texts = read_texts(inputs)
    with (
        closing(PlayProcess(texts, memory, seconds)) as evaluator,
        serving(texts, evaluator.answer) as served,
    ):
        yield replace(served, evaluator=evaluator)
