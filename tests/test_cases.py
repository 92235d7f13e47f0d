"""Each confirmed fault of the pack of cases stays mended: its own check, by the command as a user calls it.

The checks in `LONG` take from five seconds to two minutes each: set LONG to run them, too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packs import SAMPLES, files_of, pack

CHECKS = {"/".join(path.parts[-3:-1]): path for path in files_of("cases", "*/*/check.py")}
LONG = frozenset(
    [
        "new/hunt-right-engine",
        "new/init-two-csv",
        "new/judge-dropper",
        "new/mute",
        "reading-a/01",
        "reading-a/03",
        "reading-a/09",
        "reading-a/11",
        "reading-a/12",
        "reading-a/14",
        "reading-a/18",
        "reading-a/19",
        "reports/04",
        "reports/05",
        "reports/11",
    ]
)
RUN = [name for name in CHECKS if name not in LONG or "LONG" in os.environ]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pack("cases")) for name in RUN])
def test_a_mended_fault_stays_mended(name):
    commands = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [sys.executable, "check.py"],
        check=False,
        cwd=CHECKS[name].parent,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": commands, "SAMPLES": str(SAMPLES)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
