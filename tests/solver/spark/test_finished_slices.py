"""The folder of finished slices: whose slices a run continues."""

import sys
from types import ModuleType

from lars.durations import SECOND
from lars.version import program
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
