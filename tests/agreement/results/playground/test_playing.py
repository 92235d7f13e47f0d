"""`lars play` as a command: it prints an address, serves there, and ends without leftovers."""

import re
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from agreement.results.playground.playing import _socket
from tests.agreement.command import lars
from tests.packs import SAMPLES

EXAMPLES = re.findall(r"(?m)^ +lars (play samples.*)$", lars("play", "--help").out)
ROOT = SAMPLES.parent


def children(pid):
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_serves_until_a_signal_and_leaves_nothing(example, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-m", "agreement.cli", *shlex.split(example)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        page = urlopen(address).read()
        (worker,) = children(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
    assert b"experiment" in page
    assert not Path(f"/proc/{worker}/cmdline").exists() or not Path(f"/proc/{worker}/cmdline").read_bytes()
    assert list(tmp_path.iterdir()) == []


def test_two_addresses_have_different_tokens():
    from agreement.results.playground.server import PlayServer

    made = {PlayServer(None, None, "127.0.0.1:1").token for _ in range(100)}
    assert len(made) == 100


NOT_PLAYED = {
    "no experiment": ((tempfile.gettempdir(),), "it has no experiment.toml"),
    "a query": ((SAMPLES / "slide" / "query.cqels.rq", SAMPLES / "slide" / "door.trig"), "use `lars init`"),
    "nothing": ((SAMPLES / "nowhere",), "nowhere"),
    "a file outside": ((SAMPLES / "csrbench",), "outside the folder"),
    "an impossible port": ((SAMPLES / "slide", "--port", 65536), "--port"),
}


@pytest.mark.parametrize("name", NOT_PLAYED)
def test_an_input_that_cannot_be_played_is_one_message(name):
    inputs, problem = NOT_PLAYED[name]
    ran = lars("play", *inputs)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err


def test_a_port_that_is_taken_is_one_message():
    with closing(_socket(0)) as taken:
        ran = lars("play", SAMPLES / "slide", "--port", taken.getsockname()[1])
    assert ran.code == 2
    assert "Address already in use" in ran.err
