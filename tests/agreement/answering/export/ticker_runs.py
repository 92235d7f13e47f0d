"""An export, run by what the tests know of its reasoner, and read back."""

import os
import re
import subprocess
import sys

from tests.agreement.command import lars
from tests.lars.ticker.ticker_model import Ticker
from tests.packs import ROOT


def ticker_output(folder):
    """Return what Ticker prints for an exported folder, as its run.sh runs it."""
    run = (folder / "run.sh").read_text()
    tick, reasoner = re.search(r"--clock (\d+)ms", run)[1], re.search(r"--reasoner (\w+)", run)[1]
    ticker = Ticker((folder / "program.lars").read_text(), reasoner, int(tick))
    lines = (folder / "stream.txt").read_text().split("\n")[:-1]
    return "".join(f"{line}\n" for line in ticker.output(lines))


def ran(folder, **environment):
    """Return run.sh after it has run, where Ticker is the tests' engine."""
    java = folder.with_name("java")
    java.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m tests.agreement.answering.export.ticker_engine "$@"\n'
    )
    java.chmod(0o755)
    paths = {"JAVA": str(java), "TICKER": "ticker.jar", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [folder / "run.sh"], capture_output=True, text=True, check=False, env=os.environ | paths | environment
    )


def read_back(folder, output):
    """Return what is read of an output, with the legend of an exported folder."""
    path = folder.with_name(f"{folder.name}.out")
    path.write_text(output)
    return lars("export", "--read", path, "--legend", folder / "legend.json")
