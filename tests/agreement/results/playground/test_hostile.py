"""A playground answers its own page alone: requests of others are refused, and no file outside is read."""

import json
import shutil
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import pytest

from agreement.results.playground.server import MOST_BYTES, MOST_WAITING
from agreement.results.playground.texts import MOST_LETTERS, PlayedTexts, read_texts
from agreement.results.playground.worker import _read, _write
from lars.errors import LarsError
from tests.agreement.results.playground.served import playground, serving
from tests.packs import SAMPLES

SECRET = "<http://e/SECRET> <http://e/entered> <http://e/hall> ."


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play") / "slide"
    shutil.copytree(SAMPLES / "slide", folder)
    (folder.parent / "secret.ttl").write_text(SECRET)
    (folder / "link.ttl").symlink_to(folder.parent / "secret.ttl")
    with playground(folder) as found:
        yield found, folder


QUESTION = json.dumps({"texts": {}, "period": "", "side": "pull"}).encode()


def others(**changes):
    """Return a request with the page's own headers, except these."""

    def made(served):
        headers = {**served.own, **{name.replace("_", "-"): value for name, value in changes.items()}}
        headers = {
            name: [each.format(port=served.port) for each in value]
            if isinstance(value, list)
            else value and str(value).format(port=served.port)
            for name, value in headers.items()
        }
        return {name: value for name, value in headers.items() if value is not None}

    return made


def asked(**changes):
    """Return the body of a question, with these changes."""
    return json.dumps({"texts": {}, "period": "", "side": "pull", **changes}).encode()


GET, POST, EVALUATE = "GET", "POST", "evaluate"
REQUESTS = {
    "no token": (GET, "/", others(Origin=None), b"", 404),
    "another token": (GET, "/" + "A" * 32 + "/", others(Origin=None), b"", 404),
    "no token, to evaluate": (POST, "/evaluate", others(), QUESTION, 404),
    "another token, to evaluate": (POST, "/" + "A" * 32 + "/evaluate", others(), QUESTION, 404),
    "another host": (GET, "", others(Origin=None, Host="evil.example:{port}"), b"", 421),
    "another host, rebound": (
        POST,
        EVALUATE,
        others(Host="evil.example:{port}", Origin="http://evil.example:{port}"),
        QUESTION,
        421,
    ),
    "localhost": (GET, "", others(Origin=None, Host="localhost:{port}"), b"", 421),
    "no port": (GET, "", others(Origin=None, Host="127.0.0.1"), b"", 421),
    "another port": (GET, "", others(Origin=None, Host="127.0.0.1:1"), b"", 421),
    "a longer host": (GET, "", others(Origin=None, Host="127.0.0.1.evil.example:{port}"), b"", 421),
    "a host with a user": (GET, "", others(Origin=None, Host="evil@127.0.0.1:{port}"), b"", 421),
    "two hosts": (GET, "", others(Origin=None, Host=["127.0.0.1:{port}", "evil.example"]), b"", 400),
    "no host": (GET, "", others(Origin=None, Host=None), b"", 400),
    "an address in the target": (GET, "http://evil.example/", others(Origin=None), b"", 404),
    "no origin": (POST, EVALUATE, others(Origin=None), QUESTION, 403),
    "origin null": (POST, EVALUATE, others(Origin="null"), QUESTION, 403),
    "another origin": (POST, EVALUATE, others(Origin="http://evil.example"), QUESTION, 403),
    "another scheme": (POST, EVALUATE, others(Origin="https://127.0.0.1:{port}"), QUESTION, 403),
    "another program of this computer": (POST, EVALUATE, others(Origin="http://127.0.0.1:1"), QUESTION, 403),
    "the origin localhost": (POST, EVALUATE, others(Origin="http://localhost:{port}"), QUESTION, 403),
    "two origins": (
        POST,
        EVALUATE,
        others(Origin=["http://127.0.0.1:{port}", "http://evil.example"]),
        QUESTION,
        403,
    ),
    "the page for another origin": (GET, "", others(Origin="http://evil.example"), b"", 403),
    "the page inside another site": (GET, "", others(Origin=None, Sec_Fetch_Site="cross-site"), b"", 403),
    "a form of another site": (POST, EVALUATE, others(Sec_Fetch_Site="cross-site"), QUESTION, 403),
    "plain text, which needs no permission": (
        POST,
        EVALUATE,
        others(Content_Type="text/plain"),
        QUESTION,
        415,
    ),
    "a form": (POST, EVALUATE, others(Content_Type="application/x-www-form-urlencoded"), QUESTION, 415),
    "no type": (POST, EVALUATE, others(Content_Type=None), QUESTION, 415),
    "compressed": (POST, EVALUATE, others(Content_Encoding="gzip"), QUESTION, 400),
    "the permission for another site": ("OPTIONS", EVALUATE, others(Origin="http://evil.example"), b"", 403),
    "PUT": ("PUT", EVALUATE, others(), QUESTION, 405),
    "DELETE": ("DELETE", "", others(), b"", 405),
    "TRACE": ("TRACE", "", others(), b"", 405),
    "evaluate by GET": (GET, EVALUATE, others(), b"", 405),
    "a long body": (POST, EVALUATE, others(), b" " * (MOST_BYTES + 1), 413),
    "a long body, announced": (POST, EVALUATE, others(Content_Length=10**12), b"{", 413),
    "a long body in chunks": (
        POST,
        EVALUATE,
        others(Transfer_Encoding="chunked"),
        b"100000\r\n" + b" " * 2**20 + b"\r\n" + b"100000\r\n" + b" " * 2**20 + b"\r\n1\r\n \r\n0\r\n\r\n",
        413,
    ),
    "a negative length": (POST, EVALUATE, others(Content_Length=-1), b"{}", 400),
    "no JSON": (POST, EVALUATE, others(), b"{", 400),
    "no UTF-8": (POST, EVALUATE, others(), b'"\xff"', 400),
    "a list": (POST, EVALUATE, others(), b"[]", 400),
    "deep JSON": (POST, EVALUATE, others(), b"[" * 100_000, 400),
    "a long number": (POST, EVALUATE, others(), b"9" * 5_000, 400),
    "a file above": (POST, EVALUATE, others(), asked(texts={"../secret.ttl": ""}), 400),
    "a file of the computer": (POST, EVALUATE, others(), asked(texts={"/etc/passwd": ""}), 400),
    "a new file": (POST, EVALUATE, others(), asked(texts={"new.rq": ""}), 400),
    "a text that is none": (POST, EVALUATE, others(), asked(texts={"door.trig": 1}), 400),
    "half a character": (POST, EVALUATE, others(), asked(texts={"door.trig": "\ud800"}), 400),
    "a long text": (POST, EVALUATE, others(), asked(texts={"door.trig": "#" * (MOST_LETTERS + 1)}), 400),
    "another side": (POST, EVALUATE, others(), asked(side="both"), 400),
    "a long period": (POST, EVALUATE, others(), asked(period="1" * 10_000), 400),
    "a time that is none": (POST, EVALUATE, others(), asked(at=True), 400),
    "a late time": (POST, EVALUATE, others(), asked(at=2**60), 400),
    "another key": (POST, EVALUATE, others(), asked(command="id"), 400),
    "a file above, exported": (POST, "export", others(), asked(texts={"../../x": ""}), 400),
    "a period that breaks the file": (POST, "export", others(), asked(period='1"\nengine = "x'), 400),
    "an unknown result": (GET, "result/unknown", others(), b"", 404),
    "a path of the computer": (GET, "result/../../../../etc/passwd", others(), b"", 404),
    "an encoded path": (GET, "result/..%2f..%2f..%2fetc%2fpasswd", others(), b"", 404),
    "a WebSocket": (
        GET,
        "",
        others(Origin="http://evil.example", Upgrade="websocket", Sec_WebSocket_Version=13),
        b"",
        403,
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_of_others_is_refused(served, name):
    method, path, headers, body, expected = REQUESTS[name]
    found, _ = served
    status, head, content = found.ask(method, path, headers(found), body)
    assert (status, b"REGISTER" in content, found.server.token in content.decode()) == (
        expected,
        False,
        False,
    ), head


def test_the_own_page_is_answered_and_tells_nobody_its_address(served):
    found, _ = served
    status, head, page = found.ask()
    assert status == 200
    assert b"STREAM" in page
    assert "referrer-policy: no-referrer" in head
    assert "frame-ancestors 'none'" in head
    assert found.server.token.encode() not in page
    assert found.evaluate()["verdict"] is False


def test_it_listens_on_this_computer_alone(served):
    from agreement.results.playground import playing

    listening = playing._socket(0)
    assert listening.getsockname()[0] == "127.0.0.1"
    listening.close()


TOML = (SAMPLES / "slide" / "experiment.toml").read_text()
QUERY = (SAMPLES / "slide" / "query.cqels.rq").read_text()
TRACE = (SAMPLES / "slide" / "door.trig").read_text()
JSON_LD = '{"@context": "http://127.0.0.1:9/c.json", "@id": "http://e/g", "@graph": []}'
ENTITY = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY s SYSTEM "file:///etc/passwd">]><rdf:RDF>&s;</rdf:RDF>'


def toml(old, new):
    return {"experiment.toml": TOML.replace(old, new)}


REFERENCES = {
    "a query of the computer": toml('"query.csparql.rq"', '"/etc/passwd"'),
    "a query above": toml('"query.csparql.rq"', '"../secret.ttl"'),
    "a query through the folder": toml('"query.csparql.rq"', '"x/../../secret.ttl"'),
    "a trace of the computer": toml('"door.trig"', '"/etc/passwd"'),
    "a trace above": toml('"door.trig"', '"../secret.ttl"'),
    "a trace that is a link": toml('"door.trig"', '"link.ttl"'),
    "a trace that is a device": toml('"door.trig"', '"/dev/zero"'),
    "a trace on standard input": toml('"door.trig"', '"-"'),
    "a folder of traces": toml('"door.trig"', '"/etc"'),
    "static data of the computer": toml("period = 3", 'period = 3\nstatic = "/etc/passwd"'),
    "static data of an engine": toml("period = 3", 'period = 3\nstatic = "cqels:../secret.ttl"'),
    "static data as a graph": toml("period = 3", 'period = 3\nstatic = "http://e/g=../secret.ttl"'),
    "static data compressed": toml("period = 3", 'period = 3\nstatic = "../secret.ttl.gz"'),
    "static data by an address": toml("period = 3", 'period = 3\nstatic = "http://127.0.0.1:9/x.ttl"'),
    "an adapter": toml("period = 3", 'period = 3\n[[engines]]\nadapter = "touch {touched}"'),
    "an adapter beside the comparison": toml(
        "[streams]", '[[engines]]\nengine = "adapter:touch {touched}"\n[streams]'
    ),
    "a trace with a remote context": {"door.trig": JSON_LD},
    "a trace with an entity": {"door.trig": ENTITY},
    "a trace that includes": {"door.trig": "@base <file:///etc/passwd> .\n<#a> <#b> <file:///etc/passwd>"},
}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_to_something_outside_is_an_error(served, name):
    found, folder = served
    touched = folder.parent / "touched"
    texts = {file: text.replace("{touched}", str(touched)) for file, text in REFERENCES[name].items()}
    answer = found.evaluate(texts=texts)
    assert (bool(answer["errors"]), answer["result"]) == (True, None)
    assert "SECRET" not in str(answer)
    assert "root:" not in str(answer)
    assert not touched.exists()


GRAPHS = {
    "FROM": QUERY.replace("WHERE", "FROM <file:///etc/passwd>\nWHERE"),
    "FROM NAMED": QUERY.replace("WHERE", "FROM NAMED <http://127.0.0.1:9/x>\nWHERE"),
    "BASE": "BASE <file:///etc/passwd>\n" + QUERY,
    "SERVICE": QUERY.replace(
        "?person :entered ?room }", "?person :entered ?room }\nSERVICE <http://127.0.0.1:9/> { ?s ?p ?o }"
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_an_address_in_a_query_is_a_name_and_nothing_is_read(served, name):
    answer = served[0].evaluate(texts={"query.cqels.rq": GRAPHS[name]})
    assert "root:" not in str(answer)
    assert "refused" not in str(answer)  # nobody listens there


def test_an_experiment_with_files_elsewhere_does_not_start(tmp_path):
    shutil.copytree(SAMPLES / "slide", tmp_path / "slide")
    (tmp_path / "secret.ttl").write_text(SECRET)
    (tmp_path / "slide" / "link.ttl").symlink_to(tmp_path / "secret.ttl")
    (tmp_path / "slide" / "bytes.trig").write_bytes(b"\x1f\x8b\x08")
    for name in ("../secret.ttl", "link.ttl", str(tmp_path / "secret.ttl"), "/etc/passwd", "bytes.trig", "."):
        (tmp_path / "slide" / "experiment.toml").write_text(TOML.replace("door.trig", name))
        with pytest.raises(LarsError, match=r"outside|expected a text file|not a file|folder"):
            read_texts([tmp_path / "slide"])


def test_few_evaluations_wait_and_others_are_sent_away():
    begun, free = Event(), Event()

    def slow(texts, **view):
        begun.set()
        free.wait(20)
        return {"html": "", "errors": []}

    statuses = []
    with serving(PlayedTexts("x", "experiment.toml", {"experiment.toml": ""}), slow) as found:
        threads = [
            Thread(target=lambda: statuses.append(found.ask("POST", "evaluate", found.own, QUESTION)[0]))
            for _ in range(MOST_WAITING + 4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads[:3]:
            thread.join(0.1)
        while len(statuses) < 3:
            begun.wait(0.05)
        free.set()
        for thread in threads:
            thread.join()
    assert sorted(statuses) == [200] * (MOST_WAITING + 1) + [503] * 3


SLOW = "far(A, B, C, D, E, F) ← " + ", ".join(f"⊞^9 ◇ at({x})" for x in "ABCDEF") + "."
LONG = "far(A, B, C, D) ← " + ", ".join(f"⊞^9 ◇ at({x})" for x in "ABCD") + "."
MANY = "\n".join(f"{t}: at({n})." for t in range(1) for n in range(60))


@pytest.fixture(scope="module")
def heavy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heavy")
    (folder / "few.lars").write_text("far(A) ← ⊞^9 ◇ at(A).\n")
    (folder / "many.atoms").write_text("0: at(1).\n")
    return folder / "few.lars", folder / "many.atoms"


def test_evaluations_leave_no_files(served):
    found, _ = served
    folder = Path(found.evaluator._process.args[-1])
    found.evaluate()
    found.evaluate(texts={"door.trig": "?"})
    assert list(folder.iterdir()) == []


def test_an_evaluation_that_takes_too_long_is_ended_and_the_next_one_answered(heavy):
    with playground(*heavy, seconds=0.5, memory=8 * 2**30) as found:
        assert found.ask()[0] == 200
        (error,) = found.evaluate(texts={"few.lars": LONG, "many.atoms": MANY})["errors"]
        assert error["message"].startswith(
            "cannot evaluate the experiment: the evaluation takes more than 0.5 s"
        )
        (error,) = found.evaluate(texts={"few.lars": LONG, "many.atoms": MANY})["errors"]
        assert "0.5 s" in error["message"]  # a new process took the place of the ended one


def test_an_evaluation_that_takes_too_much_memory_is_ended(heavy):
    with playground(*heavy, memory=450 * 2**20) as found:
        (error,) = found.evaluate(texts={"few.lars": SLOW, "many.atoms": MANY})["errors"]
        assert "memory" in error["message"]
        assert found.evaluate()["errors"] == []


def test_an_answer_that_was_cut_off_is_none():
    whole = BytesIO()
    _write(whole, {"a": 1})
    assert _read(BytesIO(whole.getvalue())) == {"a": 1}
    for length in range(len(whole.getvalue())):
        with pytest.raises(EOFError):
            _read(BytesIO(whole.getvalue()[:length]))
