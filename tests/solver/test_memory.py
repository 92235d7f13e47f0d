"""What is said of a run that needs more memory than it may take."""

import gzip
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lars.durations import SECOND
from lars.errors import what_is_under_way
from lars.files import read_bytes
from solver.settings import TraceOptions
from solver.traces import PartReading, prepare, trace
from solver.traces.formats import mapped_tables
from solver.traces.input_files import readable


def in_a_process_of_its_own(program):
    """Return what a program prints: a low limit would end a process of tests that watches its memory."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stdout


def test_the_limit_of_the_system_is_named_where_it_is_the_lower_one():
    said = in_a_process_of_its_own("""
import resource
from solver import memory
resource.getrlimit = lambda _: (700 * 2**20, resource.RLIM_INFINITY)
print(memory.problem().splitlines()[0])
memory.set_bound(256 * 2**20)
print(memory.problem().splitlines()[0])
""")
    assert said == (
        "the run needs more memory than 700M, which ulimit -v allows\nthe run needs more memory than 256M\n"
    )


def test_reading_says_how_much_memory_the_whole_trace_takes(tmp_path, monkeypatch):
    table, said = tmp_path / "t.csv", []
    table.write_text("time,a\n" + "".join(f"{t},x\n" for t in range(1, 101)))
    taken = iter((100, 130, 145))
    for module in (trace, mapped_tables):
        monkeypatch.setattr(module, "memory_used", lambda: next(taken) * 2**20)
    write = mapped_tables.write_mapped
    monkeypatch.setattr(
        mapped_tables,
        "write_mapped",
        lambda *a, **more: said.append(what_is_under_way()) or write(*a, **more),
    )
    how = TraceOptions(unit=SECOND, column={"t": "{time}", "s": "<urn:s>", "<urn:p>": "{a}"})
    [source] = prepare([table], how)
    reading = PartReading(how, size=300)
    monkeypatch.setattr(trace, "tell", lambda *_: said.append(what_is_under_way()))
    reading.add(source)
    assert said == [
        f"converting the columns of {table}, which takes about 100M",
        # A third of the trace takes 15 M, in addition to the 130 M before.
        f"reading {table}: about 33% of the trace is read; reading all of it takes about 186M",
    ]


def test_a_run_that_cannot_say_what_it_does_is_bounded_too():
    said = in_a_process_of_its_own("""
from solver import memory
memory.problem = lambda: 1 / 0
memory.set_bound(2**20)
memory._look(print)
""")
    assert said == "the run needs more memory than 1M\n"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system lists no threads")
def test_numpy_starts_no_thread_and_what_a_command_starts_may():
    said = in_a_process_of_its_own("""
import os
from solver import memory
memory.guard_imports()
import numpy
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
""")
    assert said == "1 None\n"


def test_a_run_that_reads_the_copy_of_a_compressed_file_names_the_file(tmp_path, monkeypatch):
    path = tmp_path / "shops.ttl.gz"
    path.write_bytes(gzip.compress(b"<e:a> <e:p> 1 ."))
    copy, is_regular, said = readable(path), stat.S_ISREG, []
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: said.append(what_is_under_way()) or is_regular(mode))
    assert read_bytes(copy, "data")
    assert said[0] == f"reading {path}"
