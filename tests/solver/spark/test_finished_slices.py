"""The folder of finished slices: whose slices a run continues."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from lars.durations import SECOND
from lars.errors import FailedRunError
from lars.language.windows import Interval
from lars.text.notation import read
from lars.version import program
from solver.job import Question
from solver.job.slices import Job
from solver.settings import TraceOptions
from solver.spark import finished_slices

MODULE = sys.modules[finished_slices.__module__]


def package(folder, text):
    """Return a package that has one file."""
    folder.mkdir()
    (folder / "rules.py").write_text(text)
    module = ModuleType("rules")
    module.__path__ = [str(folder)]
    return module


def test_another_text_of_the_program_has_slices_of_its_own(tmp_path, monkeypatch):
    folders = set()
    for name, text in (("old", "answer = 1"), ("same", "answer = 1"), ("new", "answer = 2")):
        text_of = program(package(tmp_path / name, text))
        monkeypatch.setattr(MODULE, "program", lambda *_, now=text_of: now)
        folders.add(finished_slices(tmp_path, (), TraceOptions(SECOND)).folder)
    assert len(folders) == 2


@pytest.mark.parametrize("content", [b"", b"spoiled", b"ARROW1\0\0", b"cut"])
def test_a_spoiled_slice_says_what_to_do(tmp_path, content):
    kept = MODULE.FinishedSlices(tmp_path)
    kept.begin([Interval(0, 9)])
    kept.keep(0, [])
    file = tmp_path / "0.arrow"
    file.write_bytes(file.read_bytes()[:-9] if content == b"cut" else content)
    with pytest.raises(FailedRunError, match=rf"0.arrow: cannot read .* not whole; use rm {file} and"):
        list(kept.parts(kept.finished(1)))


def test_what_slices_of_another_plan_have_found_is_forgotten(tmp_path):
    kept = MODULE.FinishedSlices(tmp_path)
    kept.begin([Interval(0, 9)])
    kept.keep(0, [])
    (tmp_path / "slices.json").write_text("spoiled")
    assert kept.cut() is None
    kept.begin([Interval(0, 4), Interval(5, 9)])
    assert (kept.finished(2), kept.cut()) == (frozenset(), [Interval(0, 4), Interval(5, 9)])


def test_the_predicates_to_show_do_not_change_the_folder(tmp_path):
    """A set has another order in each process, so a run would find no slice of the run before."""
    kept, folders = MODULE.FinishedSlices(tmp_path), set()
    for shown in (None, frozenset((("q", 1), ("p", 1)))):
        asked = Question(replace(read("q(X) ← p(X)."), answers=shown), ("q", 1), None)
        folders.add(kept.of(Job((asked,), Interval(0, 9), {})).folder)
    assert len(folders) == 1
