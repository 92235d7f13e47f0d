"""Logs of messages: delimiters, times, blank nodes, places of faults; the cases of the specification."""

import json
from itertools import product
from pathlib import Path
from shutil import copy

import pytest

from lars.errors import LarsError
from solver.traces import MalformedPart
from tests.benchmarks import message_logs
from tests.packs import files_of, pack
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, both, message, options, written

LOG = 'VERSION "1.2-messages"\nPREFIX : <urn:>\n'
TIME = "http://e/t"
CASES = [
    pytest.param(path, kind, id=f"{path.name.removesuffix('.expected.json')}.{kind}")
    for path in files_of("rdf-messages", "*.expected.json")
    for case in [json.loads(path.read_text())]
    if case["format"] != "ndjsonld"
    for kind in (case["format"], *case["also_valid_as"])
]


@pack("rdf-messages")
@pytest.mark.parametrize(("path", "kind"), CASES)
def test_a_log_of_the_specifications_tests_is_read_as_they_say(tmp_path, path, kind):
    case = json.loads(path.read_text())
    log = Path(copy(path.with_name(f"{case['id']}.{case['format']}"), tmp_path / f"a.{kind}"))
    if case["error"]:
        with pytest.raises((MalformedPart, LarsError)):
            message_logs.messages_of(log)
        return
    # A file without a version is no log for the command; it holds one message all the same.
    reader = (
        message_logs.messages_in if case["id"] == "own-old-comment-delimiter" else message_logs.messages_of
    )
    found = [message_logs.canonical(message_logs.read_quads(one)) for one in reader(log)]
    assert found == [message_logs.canonical(message_logs.of_lines(lines)) for lines in case["messages"]]


@pytest.mark.parametrize("seed", range(30))
def test_a_random_log_is_read_as_it_was_written(tmp_path, seed):
    message_logs.check(seed, tmp_path)


@pytest.mark.parametrize("end", ["MESSAGE", "@message .", "MESSAGE # c"])
def test_a_message_is_an_element_at_its_number_in_both_ways(spark, tmp_path, end):
    log = f"{LOG}:a :p :b .\n{end}\n{end}\n:g {{ :a :p :b . :a :p :c }} :a :p :b .\n{end}\n"
    given = options(query_streams=("urn:st",))
    rows = both(spark, written(tmp_path, {"a.trig": log}), given)
    assert [(row[0], *row[4:]) for row in rows] == [(1, "<urn:b>"), (2,), (3, "<urn:b>"), (3, "<urn:c>")]


def test_an_empty_message_has_a_time_and_no_atom(tmp_path):
    log = LOG[:23] + "<urn:a> <urn:p> <urn:b> .\n" + "MESSAGE\n" * 4
    paths = written(tmp_path, {"a.nt": log})
    rows = [(t, name) for t, _, _, name, _ in read_trace_in_process(paths, SECONDS)]
    assert rows == [(1, "striple"), (2, None), (3, None), (4, None)]


def test_a_property_gives_the_times_and_the_first_one_counts(spark, tmp_path):
    log = f"{LOG}:a <{TIME}> 5 , 4 .\nMESSAGE\nMESSAGE\n:b <{TIME}> 7 .\n"
    rows = both(spark, written(tmp_path, {"a.ttl": log}), options(time=TIME))
    assert [(row[0], row[4][:2]) for row in rows] == [(5, '"5'), (5, '"4'), (7, '"7')]


def test_a_label_is_one_node_in_a_message_and_another_in_the_next(tmp_path):
    log = f"{LOG}_:a :p _:a .\nMESSAGE\n_:a :p [] .\n"
    rows = read_trace_in_process(written(tmp_path, {"a.ttl": log}), SECONDS)
    assert [(s, o) for *_, (s, _, o, _) in rows] == [
        ("_:f0.m1b0", "_:f0.m1b0"),
        ("_:f0.m2b0", "_:f0.m2b1"),
    ]


def test_line_ends_in_long_strings_stay_as_they_are(tmp_path):
    log = LOG.replace("\n", "\r\n") + ":a :p '''x\r\nMESSAGE\r\ny\rz''' .\r\nMESSAGE\r\n:a :p :b .\r\n"
    rows = read_trace_in_process(written(tmp_path, {"a.ttl": log.encode()}), SECONDS)
    assert [arguments[2] for *_, arguments in rows] == ['"x\\r\\nMESSAGE\\r\\ny\\rz"', "<urn:b>"]


FAULTS = {
    "no version": ("a.ttl", "<urn:s> <urn:p> 1 .\n  MESSAGE", "2:3: found MESSAGE without a version"),
    "another version": ("a.nt", 'VERSION "1.2"\nMESSAGE', "2:1: found MESSAGE without a version"),
    "in a graph": ("a.trig", LOG + ":g {\n:s :p 1 .\nMESSAGE }", "5:1: Unexpected end"),
    "in a statement": ("a.ttl", LOG + ":s :p MESSAGE", "3:7: Unexpected end"),
    "no dot": ("a.ttl", LOG + "@message :s :p :o .", "3:1: @message"),
    "in lower case": ("a.ttl", LOG + ":s :p 1 .\n message", "4:2: message"),
    "as a directive in lines": ("a.nq", LOG[:23] + "@message .\n", "2:1: found @message . and other text"),
    "after a triple": (
        "a.nt",
        LOG[:23] + "<urn:s> <urn:p> <urn:o> . MESSAGE\n",
        "2:27: found MESSAGE and other text",
    ),
    "twice in a line": ("a.nt", LOG[:23] + "MESSAGE MESSAGE\n", "2:9: found other text in the line"),
    "before a triple": ("a.nt", LOG[:23] + "MESSAGE <urn:s> <urn:p> <urn:o> .\n", "2:9: found other text"),
    "a later message": ("a.ttl", LOG + "MESSAGE\n\nMESSAGE :s :p :o .\n:s :p .", "6:7: . is not a valid"),
    "on the delimiter's line": ("a.ttl", LOG + "MESSAGE é:s :p . MESSAGE", "3:9: The prefix é: has not"),
    "a triple term": (
        "a.ttl",
        LOG.replace("1.2", "1.2-basic") + "MESSAGE\n:s :p\n<<( :a :b :c )>> .",
        "5:1: found a triple term, which 1.2-basic-messages does not allow",
    ),
    "nothing": ("a.ttl", LOG, " found no elements in the trace"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_once_with_its_place(tmp_path, name):
    file, log, expected = FAULTS[name]
    found = message(lambda: read_trace_in_process(written(tmp_path, {file: log}), SECONDS))
    assert found.startswith(f"{tmp_path}/{file}:{expected}")


def test_a_message_without_a_time_is_skipped_where_that_is_wanted(tmp_path):
    log = f"{LOG}:a <{TIME}> 5 .\nMESSAGE\n:b\n:p 1 .\nMESSAGE :c <{TIME}> :x .\nMESSAGE :d <{TIME}> 6 ."
    paths = written(tmp_path, {"a.ttl": log})
    side = tmp_path / "side"
    found = message(lambda: read_trace_in_process(paths, options(time=TIME)))
    assert found.startswith(f"{paths[0]}:6:1: message 2 has no <{TIME}>; expected a time in each message")
    rows = read_trace_in_process(paths, options(time=TIME, on_error="skip", rejected=side))
    assert [row[0] for row in rows] == [5, 6]


def test_times_by_a_property_need_messages(tmp_path):
    paths = written(tmp_path, {"a.nt": '<urn:s> <urn:p> <urn:o> "1" .'})
    assert message(lambda: read_trace_in_process(paths, options(time=TIME))).startswith("--time requires")


@pytest.mark.parametrize(("name", "graph"), [*product(["a", "a.gz", "a.txt"], ["", " <urn:g>"])])
def test_a_log_is_known_by_its_content(tmp_path, name, graph):
    log = f'\ufeff# c\nVERSION "1.2-basic-messages"\n<urn:a> <urn:p> <urn:b>{graph} .\nMESSAGE\n'
    assert len(read_trace_in_process(written(tmp_path, {name: log}), SECONDS)) == 1
