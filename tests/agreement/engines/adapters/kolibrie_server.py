"""A stand-in for Kolibrie's HTTP server: its paths, its rules. `python -m ...kolibrie_server [PORT] [plain]`.

`plain`: one without sessions.
"""

import json
import queue
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, count

from agreement.documents.recordings import Push, stream_iri, triple_of
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import open_message
from agreement.engines.versions.kolibrie import KOLIBRIE_846BECB, KOLIBRIE_SESSION, _Machine, plain_text
from lars.errors import LarsError


def rows_at_stop(query, static, pushes):
    """Return the variables and rows that stop() reports once all was pushed, as if windows had closed.

    Each window shows the union of all that are open, which is what the first of them to open holds.
    """
    machine = _Machine(query, static, pushes, frozenset())
    for number, push in enumerate(pushes):
        list(machine.arrive(number, push))
    every = enumerate(chain.from_iterable(one.contents.values()) for one in machine.windows)
    rest = {n: tuple(dict.fromkeys(triples)) for n, triples in every}
    return machine.names, machine._fired(rest, machine.windows[0].now) or machine.joined()


class Sessions:
    """What is registered: the run of a query, and who listens."""

    def __init__(self):
        self.numbers, self.runs, self.listeners = count(1), {}, {}

    def register(self, body):
        name = str(next(self.numbers))
        self.runs[name] = opened(KOLIBRIE_846BECB, body)
        self.listeners[name] = queue.SimpleQueue()
        return {"session_id": name, "streams": []}

    def push(self, body):
        (reply,) = self.runs[body["session_id"]].push([push_of(body)])
        for report in reply.reports:
            for row in report.rows:
                texts = {name: plain_text(term) for name, term in row.items()}
                self.listeners[body["session_id"]].put(f"data: {json.dumps(texts)}\n\n")
        self.listeners[body["session_id"]].put("event: firing\ndata: {}\n\n")
        return {"ok": True}

    def query(self, body):
        run = opened(KOLIBRIE_SESSION, body)
        events = sorted(body["events"], key=lambda one: one["timestamp"])
        pushes = [push_of(event).as_element() for event in events]
        known = run.version.run(run.query, run.static, pushes, run.off)
        names, last = rows_at_stop(run.query, run.static, pushes)
        rows = [row for report in known.reports for row in report.rows] + list(last)
        texts = [["" if term is None else plain_text(term) for term in row] for row in rows]
        return {"data": [list(names), *texts] if texts else [], "total_results": len(texts)}


def opened(engine, body):
    return BuiltInEngine(engine).open(open_message(body["query"], tuple(body["static_rdf"].splitlines())))


def push_of(body):
    return Push(body["timestamp"], stream_iri(body["stream"]), triple_of(body["ntriples"]))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        sessions = self.server.sessions
        paths = {"/rsp-query": sessions.query}
        if not self.server.plain:
            paths |= {"/rsp/register": sessions.register, "/rsp/push": sessions.push}
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path not in paths:
            self.reply(404, "Not Found")
            return
        try:
            self.reply(200, json.dumps(paths[self.path](body)))
        except LarsError as error:
            self.reply(400, json.dumps({"error": f"Failed to build RSP engine: {error}"}))

    def do_GET(self):
        name = self.path.rpartition("/")[2]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while True:
            self.wfile.write(self.server.sessions.listeners[name].get().encode())

    def reply(self, code, text):
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def server(port=0, *, plain=False):
    """Return a server that is bound, not served yet."""
    found = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    found.daemon_threads = True
    found.sessions, found.plain = Sessions(), plain
    return found


if __name__ == "__main__":
    server(int(sys.argv[1]) if len(sys.argv) > 1 else 8080, plain="plain" in sys.argv).serve_forever()
