"""What is said of a run that needs more memory than it may take."""

import gzip
import os
import resource

from lars.errors import what_is_under_way
from lars.files import read_bytes
from solver import memory
from solver.traces.input_files import readable


def test_the_limit_of_the_system_is_named_where_it_is_the_lower_one(monkeypatch):
    low = 700 * 2**20, resource.RLIM_INFINITY
    monkeypatch.setattr(memory.resource, "getrlimit", lambda _: low)
    assert memory.problem().startswith("the run needs more memory than 700M, which ulimit -v allows")
    with memory.bound_of_a_run():
        memory.set_bound(256 * 2**20)
        assert "than 256M" in memory.problem()


def test_a_run_that_cannot_say_what_it_does_is_bounded_too(monkeypatch):
    said = []
    monkeypatch.setattr(memory, "problem", lambda: 1 / 0)
    with memory.bound_of_a_run():
        memory.set_bound(2**20)
        memory._look(said.append)
    assert said == ["the run needs more memory than 1M"]


def test_a_run_that_reads_the_copy_of_a_compressed_file_names_the_file(tmp_path, monkeypatch):
    path = tmp_path / "shops.ttl.gz"
    path.write_bytes(gzip.compress(b"<e:a> <e:p> 1 ."))
    copy, of, said = readable(path), os.fstat, []
    monkeypatch.setattr(os, "fstat", lambda file: said.append(what_is_under_way()) or of(file))
    assert read_bytes(copy, "data")
    assert said[0] == f"reading {path}"
