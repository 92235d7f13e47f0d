"""The W3C's tests of SPARQL 1.2: what is read and refused, and each answer through logic."""

import json
from dataclasses import replace
from functools import cache

import pyoxigraph as ox
import pytest

from agreement.comparing.matching.blank_nodes import alike_rows
from lars.errors import LarsError
from solver.rdf.terms import quad_texts, text_of_oxigraph
from tests.packs import PACKS, is_there, pack
from tests.sparql.engine import STREAM, answer
from tests.w3c import FORMATS
from translate.dialects import read_query
from translate.model.patterns import StreamBlock
from translate.model.query import Dataset
from translate.model.windows import Now

FOLDER = PACKS["w3c-sparql12"].folder / "open"
GRAPHS = {".ttl": "turtle", ".nt": "nt", ".trig": "trig"}
RESULTS = {".srj": ox.QueryResultsFormat.JSON, ".srx": ox.QueryResultsFormat.XML}


@cache
def cases():
    return json.loads((FOLDER / "tests.json").read_text("utf-8"))["tests"] if is_there("w3c-sparql12") else []


def of_kind(word):
    return [pytest.param(case, id=case["name"]) for case in cases() if word in case["type"]]


def read(case):
    return read_query((FOLDER / case["query"]).read_bytes().decode(), "q.rq", base=case["base"], rdf12=True)


def quads(path, base, kind):
    data = (FOLDER / path).read_bytes()
    return list(map(quad_texts, ox.parse(data, format=FORMATS[kind], base_iri=base)))


def expected(case, columns):
    path = FOLDER / case["result"]
    if path.suffix in GRAPHS:
        return [quad[:3] for quad in quads(path, case["result_iri"], GRAPHS[path.suffix])]
    found = ox.parse_query_results(path.read_bytes(), format=RESULTS[path.suffix])
    if isinstance(found, ox.QueryBoolean):
        return [()] * bool(found)
    assert {name.value for name in found.variables} == set(columns)
    return [tuple(row[name] and text_of_oxigraph(row[name]) for name in columns) for row in found]


@pack("w3c-sparql12")
@pytest.mark.parametrize("case", of_kind("PositiveSyntax"))
def test_a_query_of_sparql_1_2_is_read(case):
    assert read(case)


@pack("w3c-sparql12")
@pytest.mark.parametrize("case", of_kind("NegativeSyntax"))
def test_a_text_that_is_no_query_of_sparql_1_2_is_refused(case):
    with pytest.raises(LarsError, match=r"^q\.rq:"):
        read(case)


@pack("w3c-sparql12")
@pytest.mark.parametrize("case", of_kind("Evaluation"))
def test_each_answer_of_sparql_1_2_is_the_expected_one(case):
    query = replace(read(case), dataset=Dataset(), merged=(StreamBlock(STREAM, Now()),))
    default, named = set(), {}
    for file in case["data"]:
        for *triple, graph in quads(file["file"], file["iri"], file["format"]):
            (default if graph is None else named.setdefault(graph, set())).add(tuple(triple))
    found = answer(query, default, named)
    rows = expected(case, found.columns)
    assert found.rows == rows if query.modifiers.order else alike_rows(found.rows, rows)
