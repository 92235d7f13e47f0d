"""Folders that are replaced whole: only where nothing is in them but what was written there, unchanged.

And folders that exist until the program ends.
"""

import atexit
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lars.errors import LarsError
from lars.files import folder_until_exit, replacement_folder
from tests.agreement.command import lars
from tests.packs import ROOT


def write(folder, text="a", kind="thing"):
    with replacement_folder(folder, kind) as new:
        (new / "deep").mkdir()
        (new / "deep/one.txt").write_text(text)


def found_in(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_what_was_written_is_replaced(tmp_path):
    (tmp_path / "o").mkdir()
    for text in "ab":
        write(tmp_path / "o", text)
    assert (tmp_path / "o/deep/one.txt").read_text() == "b"
    assert found_in(tmp_path) == [".thing.sha256", "deep", "o", "one.txt"]


SPOILT = {
    "added": lambda folder: (folder / "deep/two.txt").write_text("mine"),
    "hidden": lambda folder: (folder / ".notes").write_text("mine"),
    "changed": lambda folder: (folder / "deep/one.txt").write_text("mine"),
    "links": lambda folder: (folder / "linked").symlink_to(folder / "deep"),
    "link in its place": lambda folder: (
        (folder / "deep/one.txt").rename(folder.parent / "x"),
        (folder / "deep/one.txt").symlink_to(folder.parent / "x"),
    ),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_somebody_has_added_or_changed_stays(spoil, tmp_path):
    write(tmp_path / "o")
    spoil(tmp_path / "o")
    before = found_in(tmp_path)
    with pytest.raises(LarsError, match=r"cannot be replaced: .* in it (was not written|has been changed)"):
        write(tmp_path / "o", "b")
    assert found_in(tmp_path) == before


def test_what_comes_while_a_folder_is_made_stays(tmp_path):
    with pytest.raises(LarsError, match=r"mine.txt in it was not written"), replacement_folder(tmp_path, "x"):
        (tmp_path / "mine.txt").write_text("mine")
    assert found_in(tmp_path) == ["mine.txt"]


def test_what_another_command_has_written_stays(tmp_path):
    write(tmp_path / "o")
    with pytest.raises(LarsError, match="that contains only an earlier other thing"):
        write(tmp_path / "o", kind="other thing")


COMMANDS = {
    "manifest.ttl": ("suite", "make"),
    "claims.json": ("suite", "claims"),
    "earl.ttl": ("suite", "run", "samples", "--adapter", "x", "--out"),
    "hunt.json": ("hunt", "--adapter", "x", "--out"),
    "experiment.toml": ("witness", "samples/minus", "--period", "5", "--out"),
    "trace.nq": ("shrink", "samples/coupons", "--period", "8", "--out"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_takes_a_folder_for_its_own_by_a_name_in_it(name, tmp_path):
    (tmp_path / name).write_text("mine")
    ran = lars(*COMMANDS[name], tmp_path)
    assert (ran.code, f"{tmp_path}: cannot be replaced: {name} in it was not" in ran.err) == (2, True), (
        ran.err
    )
    assert found_in(tmp_path) == [name]


def test_a_folder_outlives_a_forked_process_that_forgets_what_is_due_at_its_exit():
    folder = folder_until_exit("lars-test-")
    child = os.fork()
    if not child:  # as a process that multiprocessing forks does, from Python 3.13 on
        atexit._clear()
        gc.collect()
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)
    assert folder.is_dir()


def test_a_folder_is_deleted_when_the_program_ends():
    code = "from lars.files import folder_until_exit; print(folder_until_exit())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).name.startswith("lars-")
    assert not Path(done.stdout.strip()).exists()
