"""Several files of a trace are merged by time: however a trace is split into files, it is the same trace."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.settings import TraceWarning
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import both, message, options, read_on_spark, written


def elements(random, count):
    """Return lines in the order of time, with their times; several share one."""
    times = sorted(random.randint(1, max(1, count // 2)) for _ in range(count))
    return [
        (t, f'<urn:s{n}> <urn:p> "{n}" <urn:{random.choice("ab")}> "{t}" .\n') for n, t in enumerate(times)
    ]


def split(random, lines, count):
    """Return lines in so many files, each in order; of one time they come in the order of the files."""
    parts = [""] * count
    for t in dict.fromkeys(t for t, _ in lines):
        own = [line for time, line in lines if time == t]
        for file, line in zip(sorted(random.randrange(count) for _ in own), own, strict=True):
            parts[file] += line
    return {f"{number}.nq": part for number, part in enumerate(parts) if part}


def in_turn(rows):
    """Return times and arguments of rows, in the order in which an engine gets them."""
    return [(row[0], row[4]) for row in rows]


@given(st.integers(), st.integers(1, 30), st.integers(1, 5))
def test_a_trace_in_several_files_is_the_trace(seed, size, count):
    random = Random(seed)
    lines = elements(random, size)
    with TemporaryDirectory() as folder:
        (whole,) = written(Path(folder), {"whole.nq": "".join(line for _, line in lines)})
        parts = written(Path(folder) / "parts", split(random, lines, count))
        assert in_turn(read_trace_in_process(parts, options())) == in_turn(
            read_trace_in_process([whole], options())
        )


@pytest.mark.parametrize("seed", range(5))
def test_spark_merges_files_as_one_process_does(spark, tmp_path, seed):
    random = Random(seed)
    lines = elements(random, 40)
    (whole,) = written(tmp_path, {"whole.nq": "".join(line for _, line in lines)})
    parts = written(tmp_path / "parts", split(random, lines, 4))
    both(spark, parts)
    assert read_on_spark(spark, parts) == read_on_spark(spark, [whole])


def test_files_in_another_order_come_in_that_order_at_one_time(tmp_path):
    line = '<urn:{}> <urn:p> <urn:o> <urn:st> "2" .\n'
    first, second = written(tmp_path, {f"{name}.nq": line.format(name) for name in "ab"})
    found = read_trace_in_process([second, first], options())
    assert [row[4][0] for row in found] == ["<urn:b>", "<urn:a>"]


def test_one_file_is_in_the_order_of_arrival(tmp_path):
    lines = '<urn:s> <urn:p> <urn:o> <urn:a> "5" .\n<urn:s> <urn:p> <urn:o> <urn:b> "2" .\n'
    one, other = written(tmp_path, {"a.nq": lines, "b.nq": lines.replace("2", "3").replace("5", "4")})
    assert [row[0] for row in read_trace_in_process([one], options())] == [5, 2]
    assert [row[0] for row in read_trace_in_process([one, other], options())] == [2, 3, 4, 5]


def test_each_file_is_sorted_by_itself_if_it_may_be(tmp_path):
    later, earlier = ('<urn:s> <urn:p> <urn:o> <urn:a> "5" .\n', '<urn:s> <urn:p> <urn:o> <urn:a> "2" .\n')
    paths = written(tmp_path, {"a.nq": later + earlier, "b.nq": later.replace("5", "3")})
    assert "a.nq:2:1: the time 2 comes after the later time 5" in message(
        lambda: read_trace_in_process(paths, options())
    )
    assert [row[0] for row in read_trace_in_process(paths, options(sort=True))] == [2, 3, 5]


def test_times_between_those_of_another_file_are_no_slip_of_the_unit(tmp_path, recwarn):
    text = {n: "".join(f'<urn:s> <urn:p> <urn:o> <urn:a> "{t}" .\n' for t in range(n, 90, 8)) for n in (1, 5)}
    paths = written(tmp_path, {f"{n}.nq": lines for n, lines in text.items()})
    read_trace_in_process(paths, options(windows=(("urn:a", 5),)))
    assert not [one for one in recwarn if issubclass(one.category, TraceWarning)]
