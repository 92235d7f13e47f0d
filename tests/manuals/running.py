"""Commands of the manuals, run where readers run them: beside the samples."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.agreement.command import lars
from tests.manuals.pages import ROOT


def copied(folder):
    """Put the samples into the folder, with nothing of what runs have left there."""
    shutil.copytree(ROOT / "samples", folder / "samples", ignore=shutil.ignore_patterns("results"))


def run(line, folder):
    """Run a command line in the folder; return its exit code and what a terminal shows.

    `lars` runs in this process, and without Spark unless the line names its master. `python` is this
    Python, everything else the shell's.
    """
    command, _, written = line.partition(" > ")
    words = shlex.split(command, comments=True)
    if words[0].removeprefix(".venv/bin/") == "lars":
        with contextlib.chdir(folder):
            ran = lars(*words[1:])
        code, out, err = ran.code, ran.out, ran.err
    else:
        program = re.sub(r"^python\b", shlex.quote(sys.executable), command)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
        done = subprocess.run(
            program,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    if written:
        (folder / written).write_text(out, encoding="utf-8")
        out = ""
    return code, out or err


def lines(block):
    """Return the block's command lines; a backslash continues one."""
    return [
        line for line in block.text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")
    ]


def shows(shown, printed):
    """Whether the text with … in it is what was printed, trailing spaces aside."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, re.sub(r" +$", "", printed, flags=re.MULTILINE)) is not None
