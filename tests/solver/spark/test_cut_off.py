"""Runs on Spark that are ended from outside: silent, with their code, nothing left; the next one goes on."""

import os
import signal
import subprocess
import sys

import pytest

from tests.agreement.command import lars
from tests.packs import ROOT
from tests.solver.spark.processes import below, is_running, waited

MAIN = """from solver.spark import pipeline
pipeline.SMALL = pipeline.LARGE = 80
from agreement.cli.__main__ import main
main()"""
PROGRAM = "q(X, Z) :- [+]^2 <> p(X), [+]^2 <> p(Y), [+]^2 <> p(Z), X != Y.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "p.lars").write_text(PROGRAM)
    lines = (f"{t}: {', '.join(f'p(a{(7 * t + i) % 97})' for i in range(40))}.\n" for t in range(32))
    (tmp_path / "t.atoms").write_text("".join(lines))
    return tmp_path


def started(folder):
    command = [sys.executable, "-c", MAIN, "solve", "p.lars", "t.atoms", "--resume", "kept", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        [*command, "--master", "local[2]"],
        cwd=folder,
        env=environment,
        stdout=-1,
        stderr=-1,
        start_new_session=True,
    )


def finished(folder):
    """Return which slices are finished, with when."""
    return {(file.name, file.stat().st_mtime_ns) for file in folder.glob("kept/*/*/*.arrow")}


def test_a_run_that_is_cut_off_goes_on_from_its_finished_slices(folder):
    """Ctrl-C reaches all processes of the terminal; who is killed can clear nothing away."""
    done = finished(folder)
    for number, to_all in ((signal.SIGINT, True), (signal.SIGKILL, False)):
        run = started(folder)
        waited(lambda done=done: finished(folder) - done, pause=0.05)
        processes = below(run.pid)
        (os.killpg if to_all else os.kill)(run.pid, number)
        assert run.communicate(timeout=60) == (b"", b"")
        assert run.returncode == (128 + number if number != signal.SIGKILL else -number)
        waited(lambda processes=processes: not any(map(is_running, processes)), pause=0.05)
        if number != signal.SIGKILL:
            assert [*(folder / "tmp").iterdir()] == []
        assert done < finished(folder)
        done = finished(folder)
    last = started(folder)
    out, err = last.communicate(timeout=300)
    expected = lars("solve", folder / "p.lars", folder / "t.atoms", "--in-process").out
    assert (last.returncode, out.decode() == expected, err) == (0, True, b"")
    # What was finished stays as it is; on a busy machine, a kill can come after the last slice.
    assert done <= finished(folder)
    # All three were the same job on the same trace.
    assert len([*folder.glob("kept/*/*")]) == 1
