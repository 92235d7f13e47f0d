"""Inputs of which one thing is long: their time grows as they do."""

import json
from contextlib import suppress
from io import BytesIO
from time import process_time

import pytest

from solver.rdf import NotATerm, unquote
from solver.traces import prepare
from solver.traces.formats.json_ld import document_quads
from solver.traces.formats.rdf_messages import _pieces
from solver.traces.json_documents import check_whole
from tests.solver.traces.test_json_ld import GRAPH
from tests.solver.traces.test_ldes import HEAD
from tests.solver.traces.writing import PROV, options, written


def array(_):
    document = {"@id": "http://e/a", "http://e/p": [*range(50_000)], "http://e/q": 1}
    check_whole(json.dumps(document).encode(), 0)


def graphs(_):
    data = ",\n".join(GRAPH % (i, i, i) for i in range(10_000))
    assert [quad.line for quad in document_quads(f"[{data}]".encode())[-2:]] == [19_999] * 2


def members(folder):
    lines = (f":S tree:member :m{n} . :m{n} :at {n} ; :p [ :q [ :r {n} ] ] .\n" for n in range(10_000))
    paths = written(folder, {"a.ttl": HEAD + ":S ldes:timestampPath :at .\n" + "".join(lines)})
    assert len(rows(paths)) == 10_000


def digits(_):
    for text in ("1" * 100_000, "1" * 100_000 + ".", "." + "1" * 100_000):
        with suppress(NotATerm):
            unquote(f"{text}x")


def faults(folder):
    lines = (f":g{n} prov:generatedAtTime 'x' . :g{n} {{ :s :p {n} }}\n" for n in range(15_000))
    assert rows(written(folder, {"a.trig": PROV + "".join(lines)}))[-1].text.startswith(":g14999")


def rows(paths):
    """Read the rows of a file one by one."""
    (source,) = prepare(paths, options())
    return [row for block in source.format.blocks(source, None) for row in block.exact_rows]


@pytest.mark.parametrize("read", [array, graphs, members, digits, faults])
def test_the_time_grows_no_faster_than_the_input(read, tmp_path):
    began = process_time()
    read(tmp_path)
    assert process_time() - began < 3


def test_a_byte_that_begins_no_word_costs_no_more_in_a_longer_line():
    def seconds(length):
        file = BytesIO(b"\0" * length + b"\n")
        file.name = "log.nq"
        began = process_time()
        assert [len(text) for text, *_ in _pieces(file)] == [length + 1]
        return process_time() - began

    assert seconds(800_000) < 20 * seconds(100_000)
