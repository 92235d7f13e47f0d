"""JSON-LD traces: lines of documents, and timed graphs in one document."""

import json
from pathlib import Path
from shutil import copy

import pytest

from lars.errors import LarsError
from lars.language.terms import XSD
from solver.settings import StaticFile
from solver.traces import MalformedPart, read_static
from solver.traces.json_documents import NOWHERE
from tests.benchmarks import message_logs
from tests.packs import files_of, pack
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, both, message, options, written

CASES = [path for path in files_of("rdf-messages", "*.expected.json") if "jsonld" in path.name]
CONTEXT = '{"@context": {"@vocab": "urn:", "in": {"@type": "@id"}}}\n'
TIME = "http://www.w3.org/ns/prov#generatedAtTime"
GRAPH = '{"@id": "urn:g%d", "' + TIME + '": %d,\n "@graph": [{"@id": "urn:s", "urn:p": %d}]}'


@pack("rdf-messages")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_a_log_of_lines_is_read_as_the_specifications_tests_say(tmp_path, path):
    case = json.loads(path.read_text())
    log = Path(copy(path.with_name(f"{case['id']}.ndjsonld"), tmp_path / "a.ndjsonld"))
    remote = any("jsonld" in one for one in case["messages"] or ())
    if case["error"] or remote:
        with pytest.raises(
            MalformedPart, match="the address of another document" if remote else "found no object"
        ):
            message_logs.messages_of(log)
        return
    found = [message_logs.canonical(message_logs.read_quads(one)) for one in message_logs.messages_of(log)]
    assert found == [message_logs.canonical(message_logs.of_lines(lines)) for lines in case["messages"]]


def test_a_line_is_a_message_under_the_last_context_and_its_own(spark, tmp_path):
    lines = '{"@id": "urn:a", "in": "urn:b"}\n{}\n{"@context": {"in": "urn:x"}, "@id": "urn:a", "in": "c"}\n'
    log = CONTEXT + lines + '{"@context": null}\n{"@id": "urn:a", "in": "urn:d", "urn:p": 1}\n'
    rows = both(spark, written(tmp_path, {"a.ndjsonld": log}))
    assert [(row[0], *row[2:]) for row in rows] == [
        *((1, "<urn:a>", "<urn:in>", "<urn:b>"), (2, ()), (3, "<urn:a>", "<urn:x>", '"c"')),
        (4, "<urn:a>", "<urn:p>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ]


@pytest.mark.parametrize("name", ["a.jsonl", "b", "c.ndjsonld"])
def test_lines_are_known_by_their_content_and_timed_by_a_property(tmp_path, name):
    lines = "".join(GRAPH.replace("\n", "") % (i, i, i) + "\n" for i in (3, 5))
    rows = read_trace_in_process(written(tmp_path, {name: lines}), options(time=TIME))
    assert [row[0] for row in rows] == [3, 3, 5, 5]


@pytest.mark.parametrize("form", ["%s", "[%s]", "[%s,\n%s]"])
def test_a_document_of_timed_graphs_is_read_as_trig_is(spark, tmp_path, form):
    graphs = [GRAPH % (i, i, i) for i in (3, 5)][: form.count("s")]
    rows = both(spark, written(tmp_path, {"a.jsonld": form % tuple(graphs)}))
    assert [(row[0], row[4][:2]) for row in rows] == [(3, '"3'), (5, '"5')][: len(graphs)]


@pytest.mark.parametrize("name", ["a", "a.json", "a.jsonl"])
@pytest.mark.parametrize("form", [GRAPH % (1, 1, 1), '{"@id": "urn:s", "urn:p": 1}\n' * 2])
def test_a_byte_order_mark_hides_no_json_ld(tmp_path, name, form):
    (path,) = written(tmp_path, {name: "\ufeff" + form})
    assert read_trace_in_process([path], SECONDS)


@pytest.mark.parametrize("name", ["a.ndjsonld", "a.jsonld", "static.jsonld", "static.json"])
def test_an_integer_that_would_become_another_number_has_its_place(tmp_path, name):
    """JSON-LD makes doubles of integers from 10^21 on; as a value with a type, all digits are kept."""
    number = "7" * 5000
    body = f'"@id": "urn:s", "urn:{number}": "{number}", "urn:p": %s}}'
    timed = f'{{"@id": "urn:g", "{TIME}": 1, "@graph": [{{{body}]}}' if name == "a.jsonld" else "{" + body
    typed = f'{{"@value": "{number}", "@type": "{XSD}integer"}}'
    for value, is_kept in ((number, False), (typed, True), ("1" + "0" * 20, True), ("-" + "9" * 20, True)):
        (path,) = written(tmp_path, {name: (timed % value) + ("\n" + CONTEXT if "nd" in name else "")})
        found = problem(path)
        assert (found is None) is is_kept, found
        assert is_kept or f":1:{path.read_text().index(' ' + number) + 2}: JSON-LD reads" in found


def problem(path):
    """Return the error about a trace or static data in JSON-LD; None if they are read."""
    try:
        if path.name.startswith("static"):
            read_static((StaticFile(path),))
        else:
            read_trace_in_process([path], SECONDS)
    except (LarsError, MalformedPart) as error:
        return str(error)
    return None


def test_a_time_after_a_long_graph_is_found(tmp_path):
    names = ", ".join(f'{{"@id": "urn:s{n}", "urn:p": "x y: {n}"}}' for n in range(3000))
    log = f'{{"@id": "urn:g", "@graph": [{names}], "{TIME}": 3}}'
    rows = read_trace_in_process(written(tmp_path, {"a.jsonld": log}), SECONDS)
    assert len(rows) == 3000


@pytest.mark.parametrize(
    "before", ["", '{"@context": {"u": "urn:v:"}}\n', '{"@context": [null, {"p": "urn:q"}]}\n']
)
@pytest.mark.parametrize("own", ['"@context": {"u": "urn:"}, ', '"@context": [{"u": "urn:"}], ', ""])
def test_an_object_with_only_a_graph_is_in_the_default_graph(tmp_path, before, own):
    u = "u:" if own else "urn:"
    log = f'{before}{{{own}"@graph": [{{"@id": "{u}s", "urn:p": 1.50}}]}}\n'
    log += f'{{{own}"@id": "{u}g", "@graph": [{{"@id": "{u}s", "urn:p": 2}}]}}\n'
    (tmp_path / "a.ndjsonld").write_text(log)
    graphs = [[quad.graph for quad in one.quads] for one in message_logs.messages_of(tmp_path / "a.ndjsonld")]
    assert graphs == [[None], ["<urn:g>"]]


def test_the_context_of_a_line_keeps_its_version(tmp_path):
    log = '{"@context": {"@version": 1.1, "@vocab": "urn:"}}\n{"p": "a b"}\n'
    (row,) = read_trace_in_process(written(tmp_path, {"a.ndjsonld": log}), SECONDS)
    assert row[-1][1:3] == ("<urn:p>", '"a b"')


FAULTS = {
    "no object": ("a.ndjsonld", '{"@id": "urn:a"}\n7\n', "2:1: found no object"),
    "a blank line": ("a.ndjsonld", '{"@id": "urn:a"}\n\n{}', "2:1: Expecting value"),
    "a broken line": ("a.ndjsonld", '{"@id": "urn:a"}\n{"a" 7}', "2:6: Expecting ':'"),
    "a remote context": (
        "a.ndjsonld",
        '{"@context": ["http://e/c"]}\n{}',
        "1:15: the context is the address of another document",
    ),
    "a remote import": (
        "a.ndjsonld",
        '{}\n{"@context": {"@import": "http://e/c"}}',
        "2:26: the context is the address",
    ),
    "no number of JSON": ("a.ndjsonld", '{"@id": "urn:a", "urn:p": NaN}\n{}', "1:1: "),
    "a relative IRI": ("a.ndjsonld", '{"@id": "a", "urn:p": 1}\n{}', "1:1: '<a>' is not an RDF term"),
    "an IRI of the same root": (
        "a.ndjsonld",
        '{"@id": "/a", "urn:p": 1}\n{}',
        "1:1: '</a>' is not an RDF term",
    ),
    "an IRI of the same scheme": (
        "a.ndjsonld",
        '{"urn:p": {"@id": "//e/a"}}\n{}',
        "1:1: '<//e/a>' is not an RDF t",
    ),
    "a relative datatype": (
        "a.ndjsonld",
        '{"urn:p": {"@value": "\\"^^<x", "@type": "a"}}\n{}',
        "1:1: '<a>' is not an RDF term",
    ),
    "no UTF-8": ("a.ndjsonld", b'{}\n{"@id": "\xff"}', "2:1: found bytes that are not valid UTF-8"),
    "deep": ("a.ndjsonld", '{}\n{"@graph":' + "[" * 10**5, "2:1: brackets inside brackets"),
    "deep objects": ("a.ndjsonld", "{}\n" + '{"urn:p":' * 5000 + "1" + "}" * 5000, "2:1: brackets inside"),
    "half a character": (
        "a.ndjsonld",
        r'{}\n{"urn:p": "\\ud800 \ud83d\ude00\uDE00"}'.replace(r"}\n", "}\n"),
        "2:32: ",
    ),
    "a blank in an IRI": (
        "a.ndjsonld",
        '{}\n{"urn:p": "x: y", "urn:q": {"@id": "urn:a b"}}',
        "2:1: '<urn:a b>'",
    ),
    "a relative IRI in a document": (
        "a.jsonld",
        f"[{GRAPH % (3, 3, 3)},\n{GRAPH % (5, 5, 5)}]".replace("urn:g5", "g5"),
        "3:9: '<g5>' is not an RDF term",
    ),
    "a blank in a key": (
        "a.jsonld",
        GRAPH.replace("urn:p", "urn:p q") % (3, 3, 3),
        "2:30: '<urn:p q>' is no",
    ),
    "a document's remote context": (
        "a.jsonld",
        '{"@context": "http://e/generatedAtTime"}',
        "1:14: the context is the address",
    ),
    "a remote context of a later line": (
        "a.jsonld",
        '[{"@id": "http://e/generatedAtTime"},\n {"@context": "http://e/generatedAtTime"}]',
        "2:15: the context is the address",
    ),
    "a time": (
        "a.jsonld",
        f"[{GRAPH % (3, 3, 3)},\n{GRAPH % (5, 5, 5)}]".replace(": 5", ': "x"', 1),
        "3:1: 'x' is not",
    ),
    "no time": (
        "a.jsonld",
        f"[{GRAPH % (3, 3, 3)},\n{GRAPH % (5, 5, 5)}]".replace(f'"{TIME}": 5,', ""),
        "3:1: the graph <urn:g5> has no time",
    ),
    "outside": (
        "a.jsonld",
        f'[{GRAPH % (3, 3, 3)},\n{{"@id": "urn:s", "urn:p": 1}}]',
        "2:1: found a triple about",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_once_with_its_place(tmp_path, name):
    file, log, expected = FAULTS[name]
    found = message(lambda: read_trace_in_process(written(tmp_path, {file: log}), SECONDS))
    assert found.startswith(f"{tmp_path}/{file}:{expected}")
    assert "\n\n" not in found


def test_a_text_that_looks_like_a_relative_iri_is_a_text(tmp_path):
    line = json.dumps({"@id": "urn:a", "urn:p": f'"^^<{NOWHERE}a>'})
    (row,) = read_trace_in_process(written(tmp_path, {"a.ndjsonld": f"{line}\n"}), SECONDS)
    assert row[4][2] == json.dumps(f'"^^<{NOWHERE}a>')


def test_invalid_lines_are_skipped_where_that_is_wanted_and_keep_their_numbers(tmp_path):
    lines = ('{"urn:p": 1}', '{"urn:p": x}', "[]", '{"urn:p": {"@id": "a b"}}', '{"urn:p": 5}')
    paths, side = written(tmp_path, {"a.ndjsonld": "\n".join(lines)}), tmp_path / "side.txt"
    rows = read_trace_in_process(paths, options(on_error="skip", rejected=side))
    assert [row[0] for row in rows] == [1, 5]
    text = side.read_text()
    assert [f"a.ndjsonld:{line}:" in text for line in range(1, 6)] == [False, True, True, True, False]


def test_an_invalid_line_with_a_context_is_not_skipped(tmp_path):
    paths = written(tmp_path, {"a.ndjsonld": '{"@context": {"p": urn:p"}}\n{"p": 1}\n'})
    given = options(on_error="skip", rejected=tmp_path / "side.txt")
    assert message(lambda: read_trace_in_process(paths, given)).startswith(f"{tmp_path}/a.ndjsonld:1:20: ")
