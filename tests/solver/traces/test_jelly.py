"""Jelly: frames as messages, faults by frame, and what is said without pyjelly."""

import io
import sys
from functools import partial
from random import Random

import pytest

from tests.benchmarks import message_logs
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, both, message, options, written

ox = message_logs.ox
S, P, TIME = (ox.NamedNode(f"urn:{name}") for name in ("s", "p", "time"))
MESSAGES = [
    [ox.Quad(S, TIME, ox.Literal(text, datatype=ox.NamedNode(f"{XSD}integer")), S)]
    for XSD in ["http://www.w3.org/2001/XMLSchema#"]
    for text in ("3", "5")
]


@pytest.fixture
def frames():
    pytest.importorskip("pyjelly")
    return message_logs.written_frames(Random(1), MESSAGES)


@pytest.mark.parametrize(("given", "times"), [(SECONDS, [1, 2]), (options(time="urn:time"), [3, 5])])
def test_a_frame_is_a_message_in_both_ways(spark, tmp_path, frames, given, times):
    assert [row[0] for row in both(spark, written(tmp_path, {"a.jelly": frames}), given)] == times


@pytest.mark.parametrize("cut", [1, -1, -9])
def test_a_broken_file_is_refused_with_its_frame(tmp_path, frames, cut):
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.jelly": frames[:cut]}), SECONDS))
    assert found.startswith(f"{tmp_path}/a.jelly:")
    assert "not valid Jelly: " in found


def test_the_second_frame_is_named_if_it_is_cut(tmp_path, frames):
    first = 1 + frames[0]  # a frame follows its length
    for cut in range(first + 2, len(frames)):
        files = written(tmp_path, {"a.jelly": frames[:cut]})
        found = message(partial(read_trace_in_process, files, SECONDS))
        assert found.startswith(f"{tmp_path}/a.jelly:2:1: "), cut


def test_what_rdf_does_not_have_is_refused(tmp_path, frames):
    data = frames.replace(b"urn:", b"ur n")
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.jelly": data}), SECONDS))
    assert found.startswith(f"{tmp_path}/a.jelly:1:1: ")


GENERALIZED = {
    "a literal as subject": ([0, 1, 2, 4], "found a literal as subject; expected an <iri>"),
    "a literal as predicate": ([1, 0, 2, 4], "found no IRI as predicate; expected an <iri>"),
    "a literal as graph": ([1, 2, 3, 0], "found a literal as name of a graph; expected RDF 1.1"),
}


@pytest.mark.parametrize("case", GENERALIZED)
def test_a_statement_that_only_generalized_rdf_allows_is_named_with_its_frame(tmp_path, case):
    sink = pytest.importorskip("pyjelly.integrations.generic.generic_sink")
    serialize = pytest.importorskip("pyjelly.integrations.generic.serialize")
    params = serialize.StreamParameters(generalized_statements=True)
    kind = serialize.jelly.LOGICAL_STREAM_TYPE_DATASETS
    terms = [sink.Literal("x"), *map(sink.IRI, ("urn:s", "urn:p", "urn:o")), sink.DefaultGraph]
    order, said = GENERALIZED[case]
    frames, file = [], io.BytesIO()
    for chosen in ([1, 2, 3, 4], order):
        frames.append(sink.GenericStatementSink())
        frames[-1].add(sink.Quad(*(terms[place] for place in chosen)))
    serialize.grouped_stream_to_file(
        iter(frames), file, options=serialize.SerializerOptions(logical_type=kind, params=params)
    )
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.jelly": file.getvalue()}), SECONDS))
    assert found.startswith(f"{tmp_path}/a.jelly:2:1: {said}")
    assert len(found.splitlines()) == 1
    side = tmp_path / "side.txt"
    skipping = options(on_error="skip", rejected=side)
    rows = read_trace_in_process(written(tmp_path, {"a.jelly": file.getvalue()}), skipping)
    assert [row[0] for row in rows] == [1]
    assert f"a.jelly:2:1: {said}" in side.read_text()


def test_without_pyjelly_a_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyjelly", None)
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.jelly": b"\x01"}), SECONDS))
    remedy = f"use {sys.executable} -m pip install pyjelly"
    assert found.endswith(f"a.jelly: cannot be read: Jelly requires pyjelly; {remedy}")


@pytest.mark.parametrize("seed", range(20))
def test_random_frames_of_pyjelly_are_read_as_they_were_written(tmp_path, seed):
    pytest.importorskip("pyjelly")
    message_logs.check(seed, tmp_path, [".jelly"])
