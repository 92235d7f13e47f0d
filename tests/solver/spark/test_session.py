"""Finding Java, and what executors know."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from solver.spark import session
from solver.spark.session import bundled_java, find_java, java_version, pack_packages, spark_context


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return folder


def test_java_home_is_found_first_then_the_path(tmp_path):
    home, other = fake_java(tmp_path / "home", "21.0.2"), fake_java(tmp_path / "other", "17.0.15")
    path = f"{other / 'bin'}:/nowhere"
    assert find_java({"JAVA_HOME": str(home), "PATH": path}) == home
    assert find_java({"PATH": path}) == other


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2"])
def test_an_old_java_is_passed_over(tmp_path, version):
    old, new = fake_java(tmp_path / "old", version), fake_java(tmp_path / "new", "18")
    assert find_java({"JAVA_HOME": str(old), "PATH": str(new / "bin")}) == new


@pytest.mark.parametrize("environment", [{}, {"PATH": ""}, {"JAVA_HOME": "/nowhere", "PATH": "/nowhere"}])
def test_without_any_java_nothing_is_found(environment):
    assert find_java(environment) is None


def test_the_bundled_java_drops_the_one_argument_that_it_lacks(tmp_path):
    home = bundled_java(tmp_path / "java")
    command = [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-Dname=a b", "-version"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, "version" in run.stderr) == (0, True)
    assert java_version(home / "bin" / "java") >= 17


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
    assert (
        said == "java.lang.OutOfMemoryError: Java heap space; accepted: a larger --memory, or smaller input"
    )


def test_an_active_session_is_used_as_it_is(spark):
    assert spark_context("local[7]") is spark
    assert spark.master == "local[2,4]"


def test_tasks_can_import_the_packages_and_run_this_python(spark):
    def name(_):
        import sys

        from lars.language.terms import Iri

        return sys.executable, str(Iri("urn:a"))

    assert spark.parallelize([0]).map(name).first() == (os.environ["PYSPARK_PYTHON"], "<urn:a>")
