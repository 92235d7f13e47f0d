"""Every written trace is read by our readers to the elements that were generated, in their order."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import assume, given, settings

from agreement.documents.generate import Plan, WrittenFormat
from agreement.documents.generate.writing import NAMING_STREAMS
from lars.durations import Duration
from solver.settings import Runner, TraceOptions
from tests.agreement.documents.generate.plans import SHARES, expected, output, plans, rows, whole, written
from tests.sizes import size
from tests.solver.traces.writing import read_on_spark

ELSEWHERE = [kind for kind in get_args(WrittenFormat) if kind != "turtle"]
SECOND = Duration(10**9)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the trace has elements at time 0")
        yield


@pytest.mark.parametrize("kind", ELSEWHERE)
@settings(max_examples=size(15, 60))
@given(data=plans())
def test_a_file_is_read_back(kind, data):
    assume(whole(data) and (data.streams == 1 or kind in NAMING_STREAMS))
    with TemporaryDirectory() as folder:
        assert list(rows(written(data, kind, Path(folder)), data, kind)) == list(expected(data))


@settings(max_examples=size(15, 60))
@given(plans(late=SHARES.filter(lambda share: not share), unit=SECOND, most_streams=1))
def test_a_folder_of_seconds_is_read_back(plan):
    assume(whole(plan))
    with TemporaryDirectory() as folder:
        path = written(plan, "turtle", Path(folder))
        assert list(rows(path, plan, "turtle")) == list(expected(plan))


def parted(kind, stations=7):
    """A plan of several parts, when a part has 70 triples."""
    unit = SECOND if kind == "turtle" else Duration(10**6)
    two, forty = Duration(2 * unit.nanoseconds), Duration(40 * unit.nanoseconds)
    return Plan(stations=stations, interval=two, duration=forty, unit=unit)


@pytest.fixture
def _small_parts(monkeypatch):
    monkeypatch.setattr("agreement.documents.generate.elements.PART_TRIPLES", 70)


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("kind", get_args(WrittenFormat))
def test_many_parts_are_read_back(kind, tmp_path):
    plan = parted(kind)
    assert len(output(plan, kind).parts) > 3
    assert list(rows(written(plan, kind, tmp_path), plan, kind)) == list(expected(plan))


def files(path):
    """The bytes of a file, or of the files of a folder by name."""
    inside = sorted(path.iterdir()) if path.is_dir() else [path]
    return {one.name: one.read_bytes() for one in inside}


@pytest.mark.usefixtures("_small_parts", "spark")
@pytest.mark.parametrize("kind", get_args(WrittenFormat))
def test_spark_writes_the_same_bytes(kind, tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    ours = written(parted(kind), kind, tmp_path / "here")
    theirs = written(parted(kind), kind, tmp_path / "there", Runner("local[2]"))
    assert files(ours) == files(theirs)
    assert [path.name for path in (tmp_path / "there").iterdir()] == [theirs.name]


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("kind", get_args(WrittenFormat))
def test_spark_reads_them_too(kind, tmp_path, spark):
    plan = parted(kind)
    path = written(plan, kind, tmp_path)
    found, _ = read_on_spark(spark, [path], TraceOptions(unit=plan.unit, stream={path: plan.stream_iri}))
    assert [(t, *arguments) for t, _, arguments in found] == [*expected(plan)]
