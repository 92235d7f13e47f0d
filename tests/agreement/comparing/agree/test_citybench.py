"""CityBench's pairs against a second evaluation: SPARQL of pyoxigraph over what windows hold at each time.

It shares no code with the program: clauses of windows are cut out of the published texts by a pattern.
"""

import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pyarrow.compute as pc
import pyoxigraph as ox
import pytest

from agreement import api

ROOT = Path(__file__).parents[4]
DATA = ROOT.parent / "shared/citybench"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="CityBench is not in ../shared/citybench")
QUERIES = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q10_5", "Q10_8", "Q11", "Q12")
FILES = {
    "SensorRepository": None,
    "AarhusCulturalEvents": "culturalevents",
    "AarhusLibraryEvents": "libraryevents",
}
WEB, BASE = "http://127.0.0.1:9000/WebGlCity/RDF/", "http://base/"
CLAUSE = re.compile(
    r"(from\s+)?stream\s+<([^>]*)>\s*\[range (\d+)(ms|s)\s*(?:(?:step|slide) (\d+)s)?\s*\]", re.IGNORECASE
)
LAST, PERIODS = 20333, (1000, 2000, 3000, 4000, 5000)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("city") / "city.nq"
    script = ROOT / "samples/citybench/convert.py"
    subprocess.run([sys.executable, script, DATA, path, "--rows", "20"], check=True)
    return path


@lru_cache
def static_triples(name):
    data = subprocess.run(["gzip", "-dc", DATA / f"static/{name}.n3.gz"], capture_output=True, check=True)
    return [quad.triple for quad in ox.parse(data.stdout, format=ox.RdfFormat.TURTLE)]


class Side:
    """A published query as plain SPARQL, with the windows that were cut out of it."""

    def __init__(self, language, name, trace):
        text = re.sub(r"(?m)^\s*#.*$|#\?.*$|###.*$", "", (DATA / f"queries/{language}/{name}.rq").read_text())
        self.windows, self.store = [], ox.Store()
        self.merged = language == "csparql"
        named = (
            re.findall(rf"from <{WEB}(\w+)\.rdf>", text, re.IGNORECASE)
            if self.merged
            else ["SensorRepository"]
        )
        for file, graph in FILES.items():
            to = None if file in named else graph and not self.merged and ox.NamedNode(BASE + graph)
            if to is not False and (file in named or to):
                self.store.extend(ox.Quad(*one, to or ox.DefaultGraph()) for one in static_triples(file))
        plain = CLAUSE.sub(self.cut, text)
        self.text = f"BASE <{BASE}> " + re.sub(r"from (named )?<[^>]*>", "", plain, flags=re.IGNORECASE)
        streams = {stream for stream, *_ in self.windows}
        self.arrivals = [one for one in arrivals(trace) if one[1] in streams]

    def cut(self, found):
        merged, stream, length, unit, step = found.groups()
        self.windows.append((stream, int(length) * (1000 if unit == "s" else 1), int(step or 0) * 1000 or 1))
        return "" if merged else f"graph <urn:window:{len(self.windows) - 1}> "

    def rows(self, t):
        shown = []
        for number, (stream, length, step) in enumerate(self.windows):
            end = t - t % step
            graph = ox.DefaultGraph() if self.merged else ox.NamedNode(f"urn:window:{number}")
            inside = (one for at, own, one in self.arrivals if own == stream and end - length <= at <= end)
            shown += [ox.Quad(*one, graph) for one in inside]
        self.store.extend(shown)
        found = self.store.query(self.text)
        if isinstance(found, ox.QueryBoolean):
            rows, names = {()} if found else set(), ()
        else:
            names = tuple(one.value for one in found.variables)
            rows = {tuple(map(value, one)) for one in found}
        for one in shown:
            self.store.remove(one)
        return names, rows


@lru_cache
def arrivals(trace):
    found = []
    for line in trace.read_text().splitlines():
        s, p, o, stream, t = re.fullmatch(r'(\S+) (\S+) (.*) <(\S+)> "(\d+)" \.', line).groups()
        (quad,) = ox.parse(f"{s} {p} {o} .".encode(), format=ox.RdfFormat.N_TRIPLES)
        found.append((int(t), stream, quad.triple))
    return found


def value(term):
    """Return what tells terms apart; pyoxigraph's store keeps numbers, not how they were written."""
    if isinstance(term, ox.Literal):
        number = term.datatype.value.rpartition("#")[2] in {"double", "decimal", "integer"}
        return (float(term.value) if number else term.value, term.datatype.value)
    return term if term is None else term.value


def value_of_text(text):
    (quad,) = ox.parse(f"<urn:s> <urn:p> {text} .".encode(), format=ox.RdfFormat.N_TRIPLES)
    return value(quad.object)


def on(names, rows, wanted):
    places = [names.index(name) for name in wanted]
    return {tuple(row[place] for place in places) for row in rows}


def table():
    """Yield of each pair what the sample's manual says: a cell for each period, causes with their rows."""
    for line in (ROOT / "samples/citybench/README.md").read_text().splitlines():
        if line.startswith("| Q"):
            name, *cells, causes = line.strip("| ").split(" | ")
            yield name, (cells, dict(re.findall(r"([a-z ]+) \((\d+)\)", causes.replace(", ", ","))))


def row_of(name, found):
    """Return a pair's line of that table, of what was found."""
    cells = []
    for verdict in found.verdicts:
        apart = sum(not one.agree for one in verdict.intervals)
        cells.append("agree" if not apart else f"{apart} of {len(verdict.intervals)}")
    rows = found.to_arrow("differences").select(["period", "cause"])
    last = rows.filter(pc.field("period") == PERIODS[-1]).column("cause").value_counts()
    return cells, {one["values"]: str(one["counts"]) for one in last.to_pylist()}


@pytest.mark.parametrize("name", QUERIES)
def test_each_pair_has_the_rows_of_sparql_over_what_the_windows_hold(name, trace):
    static = [f"{WEB}{file}.rdf={DATA}/static/{file}.n3.gz" for file in FILES]
    static += [
        f"cqels:{(graph and f'{graph}=') or ''}{DATA}/static/{file}.n3.gz" for file, graph in FILES.items()
    ]
    queries = [DATA / f"queries/{language}/{name}.rq" for language in ("csparql", "cqels")]
    how = {"unit": "1ms", "trigger": "query-streams", "certify": "none", "in_process": True}
    found = api.agree(*queries, trace, static=static, period=list(PERIODS), **how)
    assert row_of(name, found) == dict(table())[name]
    wanted = tuple(one.removeprefix("?") for one in found.document()["on"]) if name != "Q2" else None
    pull, push = (Side(language, name, trace) for language in ("csparql", "cqels"))
    pushed = {t: push.rows(t) for t in sorted({at for at, *_ in push.arrivals})}
    texts = lru_cache(None)(value_of_text)
    for verdict in found.verdicts:
        assert len(verdict.intervals) == LAST // verdict.period
        # Of the second query there are half a million rows: those of one period alone are compared.
        for one in verdict.intervals if name != "Q2" or verdict.period == PERIODS[-1] else ():
            names, pulled = pull.rows(one.end)
            names_in, wanted = next((own for own, _ in pushed.values()), names), wanted or names
            reported = [rows for t, (_, rows) in pushed.items() if one.start < t <= one.end]
            order = sorted(wanted)
            theirs = on(names, pulled, order), on(names_in, set().union(*reported), order)
            assert one.agree == (theirs[0] == theirs[1])
            for mine, own in zip((one.pull, one.push), theirs, strict=True):
                assert {tuple(map(texts, row)) for row in mine} == own
