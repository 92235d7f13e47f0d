"""CityBench's pairs against a second evaluation: SPARQL of pyoxigraph over what windows hold at each time."""

import re
import subprocess
import sys
from functools import lru_cache

import pyoxigraph as ox
import pytest

from agreement import api
from tests.agreement.comparing.agree.benchmark_tables import row_of, tables
from tests.agreement.comparing.agree.sparql_sides import Side, arrivals_of, check_rows
from tests.packs import SAMPLES, SHARED, pack
from tests.sizes import few

DATA = SHARED / "citybench"
pytestmark = pack("citybench")
QUERIES = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q10_5", "Q10_8", "Q11", "Q12")
FILES = {
    "SensorRepository": None,
    "AarhusCulturalEvents": "culturalevents",
    "AarhusLibraryEvents": "libraryevents",
}
WEB, BASE = "http://127.0.0.1:9000/WebGlCity/RDF/", "http://base/"
LAST, PERIODS = 20333, (1000, 2000, 3000, 4000, 5000)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("city") / "city.nq"
    script = SAMPLES / "citybench/convert.py"
    subprocess.run([sys.executable, script, DATA, path, "--rows", "20"], check=True)
    return path


@lru_cache
def static_triples(name):
    data = subprocess.run(["gzip", "-dc", DATA / f"static/{name}.n3.gz"], capture_output=True, check=True)
    return [quad.triple for quad in ox.parse(data.stdout, format=ox.RdfFormat.TURTLE)]


@lru_cache
def arrivals(trace):
    return arrivals_of(trace.read_text())


def static_of(text, *, merged):
    """Yield the static data that a query sees: what it names, and in CQELS what was loaded."""
    named = re.findall(rf"from <{WEB}(\w+)\.rdf>", text, re.IGNORECASE) if merged else ["SensorRepository"]
    for file, graph in FILES.items():
        if file in named or (graph and not merged):
            to = ox.DefaultGraph() if file in named else ox.NamedNode(BASE + graph)
            yield from (ox.Quad(*one, to) for one in static_triples(file))


def side(language, name, trace):
    """Return the side of a published query."""
    text = (DATA / f"queries/{language}/{name}.rq").read_text()
    merged = language == "csparql"
    plain = re.sub(r"(?m)^\s*#.*$", "", text)
    static = static_of(plain, merged=merged)
    return Side(f"BASE <{BASE}>\n{text}", arrivals(trace), merged=merged, static=static)


@pytest.mark.parametrize("name", few(QUERIES, 7))
def test_each_pair_has_the_rows_of_sparql_over_what_the_windows_hold(name, trace):
    static = [f"{WEB}{file}.rdf={DATA}/static/{file}.n3.gz" for file in FILES]
    static += [
        f"cqels:{(graph and f'{graph}=') or ''}{DATA}/static/{file}.n3.gz" for file, graph in FILES.items()
    ]
    queries = [DATA / f"queries/{language}/{name}.rq" for language in ("csparql", "cqels")]
    how = {"unit": "1ms", "trigger": "query-streams", "certify": "none", "in_process": True}
    found = api.agree(*queries, trace, static=static, period=list(PERIODS), **how)
    assert row_of(found, PERIODS[-1]) == tables()["CityBench"][name]
    # Of the second query there are half a million rows: those of one period alone are compared.
    wanted = [one.removeprefix("?") for one in found.document()["on"]] if name != "Q2" else None
    sides = [side(language, name, trace) for language in ("csparql", "cqels")]
    only = PERIODS[-1] if name == "Q2" else None
    assert check_rows(found.verdicts, sides, LAST, columns=wanted, only=only) > 0
