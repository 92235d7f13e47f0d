"""A broken adapter is one message, and leaves nothing running; the others go on."""

import io
import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from agreement.documents.recordings import Push
from agreement.engines.adapters.client import ChildProgram, RunningAdapter
from agreement.engines.adapters.messages import FailedEngineError, TimeIsUpError, answers_of, open_message
from lars.errors import LarsError
from tests.agreement.engines.adapters.streams import PYTHON, push
from tests.packs import ROOT

BROKEN = Path(__file__).parent / "broken.py"
PUSHES = [push(1, "a"), push(2, "b")]
SAYS = {
    "silent": "has not replied for 0.5 s after the message push",
    "silent-at-close": "has not replied for 0.5 s after the message close",
    "slow": "has not replied for 0.5 s after the message push",
    "crashing": "has ended with exit code 3 after the message push; its last lines on standard error: "
    "Traceback | No more memory",
    "crashing-at-close": "has ended with exit code 3 after the message close; its last lines on standard "
    "error: Traceback | No more memory",
    "leaving-at-close": "has ended with exit code 0 after the message close",
    "killed": "has ended by signal 11 after the message push",
    "closing": "has closed its output after the message push",
    "dead": "has ended with exit code 1 after the message open; its last line on standard error: cannot "
    "find my engine",
    "talking": "has written 32 MiB without a reply after the message push",
    "endless": "has written 32 MiB without a reply after the message push",
    "murmuring": "has not replied for 0.5 s after the message push; its output is not a JSON object: working",
    "half": "has not replied for 0.5 s after the message push; its output is not a JSON object: "
    '{"reports": [{"t": 1,',
    "list": "has not replied for 0.5 s after the message push; its output is not a JSON object: []",
    "latin": "has written the byte 0xE9, which is not UTF-8; use valid UTF-8",
    "key": 'has sent an invalid reply to push: the key reports is missing in {"report": []}',
    "number": "has sent an invalid reply to push: reports.0.rows.0.a: found 1; expected a text in quotes",
    "no-list": "has sent an invalid reply to push: reports: found 'none'; expected a list, [..]",
    "term": "has sent an invalid reply to push: 'http://e/a' is not an RDF term",
    "variable": "has sent an invalid reply to push: found the variable '?a'; expected the name without the "
    "question mark, such as s",
    "nan": "has sent an invalid reply to push: reports.0.t: found nan; expected a finite number",
    "huge": "has sent an invalid reply to push: reports.0.t: found 1e+308; expected a smaller number",
    "bound": "has sent an invalid reply to push: reports.0: found only one of window_from and window_to",
    "fraction": "has replied to push with the time 1.5; use times that are whole numbers of",
    "fraction-of-bound": "has replied to push with the time 0.5; use times that are whole numbers of",
    "surrogate": r"has written a line with the unpaired surrogate \ud83d; use valid UTF-8",
    "raw-surrogate": "has written the byte 0xED, which is not UTF-8; use valid UTF-8",
    "giving-up": "cannot continue after push: out of memory",
    "twice": "has written a reply without a message",
    "unit": "has sent an invalid reply to open: time_unit: '1 fortnight' is not a duration",
    "unknown": "has sent an invalid reply to open: unknown key 'timeunit', did you mean time_unit",
    "nameless": "has sent an invalid reply to open: engine: found ''; expected a text that is not empty",
}
"""What is said of each kind."""


@pytest.fixture
def left(monkeypatch):
    """Return a function that tells which processes that the test has started still run."""
    token = f"LARS_TEST={uuid.uuid4().hex}"
    monkeypatch.setenv(*token.split("="))

    def running():
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if token.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes())
            except OSError:
                pass
        return found

    return running


def adapter(kind, silence=0.5):
    return RunningAdapter(f"{PYTHON} -S {BROKEN} {kind}", silence)


def test_nobody_waits_for_a_slow_adapter_longer_than_there_is_time(left):
    engine = adapter("silent", silence=30)
    engine.until = time.monotonic() + 0.3
    says = r"the time limit is over, and a reply has taken up to 0\.\d s; use an adapter that replies "
    for _ in range(2):
        with pytest.raises(TimeIsUpError, match=says):
            answers_of(engine, open_message("q"), PUSHES)
    assert time.monotonic() < engine.until + 15
    assert not left()


def answers(kind, silence=0.5):
    with adapter(kind, silence) as engine:
        return answers_of(engine, open_message("SELECT"), PUSHES)


@pytest.mark.parametrize("kind", SAYS)
def test_it_is_one_message_and_nothing_is_left_running(kind, left):
    silence = 20 if kind in ("talking", "endless", "crashing", "killed", "closing", "dead") else 0.5
    begun = time.monotonic()
    with pytest.raises(FailedEngineError) as caught:
        answers(kind, silence)
    said = str(caught.value)
    assert said.startswith("the adapter '")
    assert said.partition("' ")[2].startswith(SAYS[kind])
    assert "\n" not in said
    assert (left(), time.monotonic() - begun < 15) == ([], True)


@pytest.mark.parametrize("kind", ["forking", "deaf"])
def test_one_that_does_not_end_is_ended_with_all_that_it_started(kind, left):
    assert len(answers(kind, 20).reports) == 2
    assert left() == []


def test_lines_that_are_no_replies_are_counted_and_left_out(left):
    with adapter("noisy", 20) as engine:
        found = answers_of(engine, open_message("SELECT"), PUSHES)
        assert (len(found.reports), engine.noise) == (2, 4)


@pytest.mark.parametrize("kind", ["nulls", "marked"])
def test_a_key_that_is_null_is_missing_and_a_line_can_begin_with_a_mark(kind, left):
    assert len(answers(kind, 20).reports) == 2


def test_what_cannot_be_started_says_so():
    with pytest.raises(LarsError, match="cannot start the adapter 'no-such-adapter': No such file"):
        RunningAdapter("no-such-adapter --fast").open(open_message("SELECT"))


def test_after_a_failure_the_next_run_has_a_process_of_its_own(left):
    with adapter("crashing", 20) as engine:
        for _ in range(2):
            with pytest.raises(FailedEngineError, match="exit code 3"):
                answers_of(engine, open_message("SELECT"), PUSHES)
    assert left() == []


def test_terms_without_their_kind_are_read_as_far_as_they_tell():
    found = answers("no-kinds", 20)
    number = '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert found.reports[0][1].rows == ({"a": '"http://e/a"', "b": number},)


def test_a_process_serves_many_runs(left):
    with adapter("", 20) as engine:
        found = [answers_of(engine, open_message("SELECT"), PUSHES) for _ in range(3)]
        assert len(left()) == 1
    assert found[0].same(found[2])
    assert left() == []


def test_after_a_refusal_and_where_open_is_not_fresh_the_next_query_has_a_process_of_its_own(left):
    with adapter("remembering", 20) as engine:
        refused = [answers_of(engine, open_message("SELECT"), ()).refused for _ in range(2)]
    assert refused == [f"{'x' * 300}, query 1"] * 2
    with adapter("stale", 20) as engine:
        engine.open(open_message("SELECT"))
        before = engine._child
        engine.open(open_message("SELECT"))
        assert engine._child is not before


def test_times_are_whole_numbers_of_the_unit_of_the_adapter_or_an_error_of_the_user(left):
    pushes = [Push(t, "<http://e/S>", PUSHES[0].triple) for t in (3000.0, 5000)]
    log = io.StringIO()
    with RunningAdapter(f"{PYTHON} -S {BROKEN} seconds", 20, log=log) as engine:
        answers_of(engine, open_message("SELECT"), pushes)
        with pytest.raises(LarsError, match=r"the time 6 ms: its time_unit is 1s; use times") as caught:
            answers_of(engine, open_message("SELECT"), [Push(6.0, "<http://e/S>", PUSHES[0].triple)])
    assert not isinstance(caught.value, FailedEngineError)
    sent, came = [line for line in log.getvalue().splitlines() if '"t":' in line][:2]
    assert sent.startswith('> {"op":"push","t":3,"stream":"http://e/S","triple":"<')
    assert came.startswith('< {"reports": [{"t": 3, "rows": [{"a": ')


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_from_outside_leaves_nothing(number, code, left, tmp_path):
    (tmp_path / "q.rq").write_text("SELECT", encoding="utf-8")
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> "1" <http://e/S> "1" .\n' * 2, encoding="utf-8")
    command = [sys.executable, "-m", "agreement.cli", "record", "q.rq", "t.nq"]
    program = tmp_path / "both.py"
    program.write_text(
        BROKEN.read_text(encoding="utf-8").replace("fork,", "lambda m: (fork(m), time.sleep(600)),")
    )
    ran = subprocess.Popen(
        [*command, "--adapter", f"{PYTHON} {program} forking", "--out", "case.json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while len(left()) < 5 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(left()) >= 5
    ran.send_signal(number)
    assert (ran.wait(20), left()) == (code, [])
    assert not (tmp_path / "case.json").exists()


def test_many_replies_that_are_asked_for_at_once_have_one_time_limit():
    slow = "import sys, time; [(time.sleep(0.2), print('{}', flush=True)) for _ in sys.stdin]"
    child = ChildProgram(shlex.join([sys.executable, "-c", slow]), 30)
    began = child.until = time.monotonic()
    child.until += 1
    with pytest.raises(FailedEngineError):
        list(child.replies(["{}"] * 200))
    child.end()
    assert time.monotonic() - began < 20


def test_a_crash_shows_the_last_lines_of_its_traceback_without_underlines_and_with_its_places(tmp_path):
    folder = tmp_path / ("long" * 15)
    folder.mkdir()
    (folder / "a.py").write_text('def answer():\n    return {}["path"]\n\n\nanswer()\n')
    with RunningAdapter(f"{PYTHON} {folder / 'a.py'}", 5) as engine, pytest.raises(LarsError) as caught:
        engine.open(open_message("q"))
    told = str(caught.value).partition("; its last lines on standard error: ")[2].split(" | ")
    assert told[-1] == "KeyError: 'path'"
    assert told[-2:-4:-1] == ['return {}["path"]', f'File "{folder / "a.py"}", line 2, in answer']
    assert len(told) == 5
