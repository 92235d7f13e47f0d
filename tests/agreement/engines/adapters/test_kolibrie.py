"""The adapter of Kolibrie, with a stand-in for its server that keeps its rules."""

import sys
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import monotonic

import pytest

from agreement import api
from agreement.documents.recordings import static_of
from agreement.engines.adapters import kolibrie
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import (
    FailedEngineError,
    RefusedQueryError,
    answers_of,
    open_message,
)
from agreement.engines.versions.kolibrie import KOLIBRIE_846BECB, plain_text
from lars.errors import LarsError
from tests.agreement.engines.adapters.kolibrie_server import server
from tests.agreement.engines.adapters.kolibrie_transcripts import Transcript, transcripts
from tests.agreement.engines.adapters.streams import push, random_pushes, rspql

ONE = rspql(4, 4).replace("STREAM :S", "<http://e/S>").replace("RStream", "RSTREAM")
TWO = ONE.replace(
    "WHERE {", "FROM NAMED WINDOW :v ON <http://e/T> [RANGE 4 STEP 4]\nWHERE {\nWINDOW :v { ?s :q ?b }"
)
LATE = [push(5, "a"), push(3, "b"), push(8, "c")]


@pytest.fixture(params=[False, True], ids=["sessions", "whole"])
def running(request):
    """Return the adapter of a server that is running, with sessions or without."""
    found = server(plain=request.param)
    Thread(target=found.serve_forever, daemon=True).start()
    command = f"{sys.executable} -m agreement.engines.adapters.kolibrie http://127.0.0.1:{found.server_port}"
    with RunningAdapter(command) as adapter:
        yield adapter, request.param
    found.shutdown()
    found.server_close()


def rows_of(answers):
    """Return the rows as texts with the pushes that reported them."""
    return Counter(
        (number, tuple(sorted((name, plain_text(term)) for name, term in row.items())))
        for number, report in answers.reports
        for row in report.rows
    )


@pytest.mark.parametrize("seed", range(4))
def test_it_answers_push_by_push_what_the_engine_does(running, seed):
    adapter, _ = running
    registration = open_message(ONE)
    pushes = random_pushes(seed)
    expected = rows_of(answers_of(BuiltInEngine(KOLIBRIE_846BECB), open_message(ONE), pushes))
    assert rows_of(answers_of(adapter, registration, pushes)) == expected


def test_rows_of_several_windows_come_with_the_push_that_completes_them(running):
    adapter, _ = running
    pushes = [push(1, "a"), push(1, "a", stream="T", predicate="q"), push(5, "b"), push(5, "b", stream="T")]
    expected = rows_of(answers_of(BuiltInEngine(KOLIBRIE_846BECB), open_message(TWO), pushes))
    assert rows_of(answers_of(adapter, open_message(TWO), pushes)) == expected != Counter()


def test_late_triples_reach_a_session_and_are_sorted_elsewhere(running):
    adapter, whole = running
    found = answers_of(adapter, open_message(ONE), LATE)
    assert len(found.reports) == 2 * whole


def test_static_data_are_sent_and_versions_named(running):
    adapter, _ = running
    static = ('<http://e/a> <http://e/k> "1" .',)
    query = ONE.replace("WINDOW :w { ?s :p ?a } }", "WINDOW :w { ?s :p ?a }\n?s :k ?k }")
    pushes = [push(1, "a"), push(6, "b"), push(11, "c")]
    found = answers_of(adapter, open_message(query, static, {"version": "846becb"}), pushes)
    assert found.profile.engine == "kolibrie-846becb"
    assert static_of(static).default
    assert [number for number, _ in found.reports]


def test_what_the_server_refuses_is_refused_with_its_words(running):
    adapter, _ = running
    with pytest.raises(
        RefusedQueryError, match=r"the server rejects the request: .*Failed to build RSP engine"
    ):
        adapter.open(open_message("no query {"))
    with pytest.raises(RefusedQueryError, match="found the option speed; expected version"):
        adapter.open(open_message(ONE, (), {"speed": 1}))
    with pytest.raises(LarsError, match=r"the time 1\.5 ms: its time_unit is 1ms"):
        answers_of(adapter, open_message(ONE), [push(1.5, "a")])


def test_where_no_server_answers_that_is_said():
    command = f"{sys.executable} -m agreement.engines.adapters.kolibrie http://127.0.0.1:1"
    with (
        RunningAdapter(command) as adapter,
        pytest.raises(FailedEngineError, match="found no server of Kolibrie at"),
    ):
        adapter.open(open_message(ONE))


class OneEvent(BaseHTTPRequestHandler):
    """A server of one session, which answers each push by the same bytes, and then closes the events."""

    registered, events = b'{"session_id": "1"}', b""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.registered if self.path == "/rsp/register" else b"{}")

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.events)

    def log_message(self, *_):
        pass


def pushed_to(**parts):
    """Return the reports of one push on a server with these bytes."""
    broken = ThreadingHTTPServer(("127.0.0.1", 0), type("Server", (OneEvent,), parts))
    Thread(target=broken.serve_forever, daemon=True).start()
    command = f"{sys.executable} -m agreement.engines.adapters.kolibrie http://127.0.0.1:{broken.server_port}"
    try:
        with RunningAdapter(command) as adapter:
            (reply,) = adapter.open(open_message(ONE)).push((push(5, "a"),))
            return [report.rows for report in reply.reports]
    finally:
        broken.shutdown()
        broken.server_close()


FIRING = b"event: firing\ndata: {}\n\n"


@pytest.mark.parametrize(
    "event",
    [
        b'data: {"s": "x"}\n\n',
        b'data: {"s": "x"}\r\n\r\n',
        b'data:{"s":\ndata: "x"}\n\n',
        b': a comment\n\nid: 3\ndata: {"s": "x"}\n\n',
        b'event: stats\n\ndata: {"s": "x"}\n\n',
    ],
)
def test_an_event_ends_with_an_empty_line(event):
    assert pushed_to(events=event + FIRING) == [({"s": '"x"'},)]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({}, "the server has closed the connection"),
        ({"events": b"data: no JSON\n\n" + FIRING}, "cannot read the events of the server"),
        (
            {"events": b"data: [1]\n\n" + FIRING},
            r"found the row \[1\]; expected a JSON object whose values are strings",
        ),
        ({"events": b'data: {"s": 3}\n\n' + FIRING}, "expected a JSON object whose values are strings"),
        ({"registered": b"hello"}, "found no server of Kolibrie"),
    ],
)
def test_a_server_that_breaks_ends_the_run_at_once_by_its_reason(parts, problem):
    start = monotonic()
    with pytest.raises(FailedEngineError, match=problem):
        pushed_to(**parts)
    assert monotonic() - start < 15


@pytest.mark.parametrize("registered", [b'{"error": "parse error"}', b"[]", b'{"session_id": 3}'])
def test_an_answer_without_a_session_refuses_the_query(registered):
    with pytest.raises(RefusedQueryError, match="without session_id"):
        pushed_to(registered=registered)


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_the_real_server_is_read_as_its_transcript_says(path):
    told = Transcript(path)
    with told.served() as port:
        command = f"{sys.executable} -m agreement.engines.adapters.kolibrie http://127.0.0.1:{port}"
        with RunningAdapter(command) as adapter:
            found = answers_of(adapter, open_message(told.query), told.pushes)
    if told.refusal:
        assert told.refusal in found.refused
    else:
        assert rows_of(found) == told.rows


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_the_model_gives_what_the_transcript_of_the_real_server_has(path):
    told = Transcript(path)
    registration = open_message(told.query, told.static)
    found = answers_of(BuiltInEngine(KOLIBRIE_846BECB), registration, told.pushes)
    assert bool(found.refused) is bool(told.refusal)
    assert unlabelled(rows_of(found)) == unlabelled(told.rows)


def unlabelled(rows):
    """Return rows without the labels of blank nodes, which are those of the server."""
    found = Counter()
    for (t, row), number in rows.items():
        found[t, tuple((name, "_:" if text[:2] == "_:" else text) for name, text in row)] += number
    return found


def test_a_session_that_is_gone_is_reported_by_its_path():
    found = server()
    Thread(target=found.serve_forever, daemon=True).start()
    command = f"{sys.executable} -m agreement.engines.adapters.kolibrie http://127.0.0.1:{found.server_port}"
    with RunningAdapter(command) as adapter:
        run = adapter.open(open_message(ONE))
        found.plain = True
        with pytest.raises(LarsError, match="answers /rsp/push with 404: Not Found"):
            run.push([push(1, "a")])
    found.shutdown()
    found.server_close()


@pytest.mark.parametrize("running", [False], ids=["sessions"], indirect=True)
def test_a_hunt_shows_what_came_by_the_terms_that_were_given(running, tmp_path):
    adapter, query = running[0], tmp_path / "query.rq"
    query.write_text(ONE)
    out = tmp_path / "faults"
    found = api.hunt(query, adapter=adapter.command, engine="rspql", faults=1, runs=12, out=out)
    assert any("(a, s)" in page.read_text() for page in tmp_path.glob("faults/*/README.md"))
    assert "(http://" not in found.text


@pytest.fixture
def asked(monkeypatch):
    """Return what a server without sessions is asked, which answers a row for each event."""
    bodies = []

    def answer(url, path, body):
        assert (url, path) == ("", "/rsp-query")
        bodies.append(body["events"])
        return {"data": [["a"], ["always"], *([str(event["timestamp"])] for event in body["events"])]}

    monkeypatch.setattr(kolibrie, "_post", answer)
    return bodies


@pytest.mark.parametrize(
    "query", [ONE, ONE.replace("<http://e/S>", ":S"), rspql(4, 4)], ids=["iri", "name", "stream"]
)
def test_windows_are_closed_long_after_the_last_event(asked, query):
    run = kolibrie.Beginnings("", query, "")
    for t in (1, 1_700_000_000_000):
        run.push(t, "http://e/S", "<e:a> <e:p> <e:o> .")
        *events, end = asked[-1]
        assert (events[-1]["timestamp"], end["stream"]) == (t, "http://e/S")
        assert end["timestamp"] - t > 10**9


def test_no_push_is_said_to_cause_what_a_run_without_any_has(asked):
    run = kolibrie.Beginnings("", ONE, "")
    assert {"a": "always"} not in run.push(1, "http://e/S", "<e:a> <e:p> <e:o> .")


@pytest.mark.parametrize("line", ["_:a<p><o><g>.", "<a> <p> _:o<g> .", "<a> <p> <o> _:g. # c"])
def test_static_data_of_named_graphs_need_no_blanks(line):
    with pytest.raises(ValueError, match="in a named graph"):
        kolibrie.open_engine("", {"query": ONE, "static": [line]})


def test_static_data_of_named_graphs_are_refused():
    line = '<http://e/a> <http://e/p> "a > b . <x>"'
    with pytest.raises(ValueError, match="in a named graph; expected static data of the default graph"):
        kolibrie.open_engine("", {"query": ONE, "static": [f"{line} .", f"{line} <http://e/g> ."]})
