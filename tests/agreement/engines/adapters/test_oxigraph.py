"""The reference adapter, which shares no code with our evaluation, and the specification rspql: the same."""

import random
from collections import Counter
from time import process_time

import pyoxigraph as ox
import pytest

from agreement.documents.recordings import Push
from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import answers_of, open_message
from agreement.engines.adapters.oxigraph import _pushed, register
from tests.agreement.engines.adapters.streams import PYTHON, push, rspql

COMMAND = f"{PYTHON} -m agreement.engines.adapters.oxigraph"
STATIC = ("<http://e/a> <http://e/r> <http://e/b> .", '<http://e/b> <http://e/q> "2" <http://e/g> .')
TWO = (
    "PREFIX : <http://e/>\nREGISTER {0} <http://e/out> AS\nSELECT {1}\n"
    "FROM NAMED WINDOW :v ON STREAM :S [RANGE {2} STEP {3}]\n"
    "FROM NAMED WINDOW :w ON <http://e/{4}> [RANGE PT{5}S STEP PT{6}S]\n"
    "WHERE {{ WINDOW :v {{ ?s :p ?a }} {7} {{ WINDOW :w {{ ?s :q ?b }} }} }}"
)
BODIES = {
    "one pattern": ("?s ?a", "?s :p ?a"),
    "join": ("?s ?a ?b", "?s :p ?a . ?s :q ?b"),
    "optional": ("?s ?b", "?s :p ?a OPTIONAL { ?s :q ?b }"),
    "filter": ("?s ?a", "?s :p ?a FILTER (?a > 1)"),
    "union": ("*", "{ ?s :p ?a } UNION { ?s :q ?b }"),
    "minus": ("?s", "?s ?y ?a MINUS { ?s :q ?a }"),
    "count": ("(COUNT(?a) AS ?n)", "?s :p ?a"),
    "distinct": ("DISTINCT ?s", "?s :p ?a"),
    "bind": ("?s ?c", "?s :p ?a BIND (?a + 1 AS ?c)"),
    "values": ("?s ?a", "VALUES ?s { :a :b } ?s :p ?a"),
    "not exists": ("?s", "?s :p ?a FILTER NOT EXISTS { ?s :q ?b }"),
}


def triple(line):
    (quad,) = ox.parse(line, ox.RdfFormat.N_TRIPLES)
    return quad.triple


def stream(chance, times=(0, 1, 1, 2, 3, 7), unit=1):
    """Return triples on two streams in the order of their times."""
    t, found = chance.choice((0, 1, 5)), []
    for _ in range(chance.randint(3, 14)):
        number = f'"{chance.randint(1, 3)}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        found.append(push(t * unit, chance.choice("ab"), number, chance.choice("SST"), chance.choice("pq")))
        t += chance.choice(times)
    return found


def content(answers):
    """Return what was reported at each time: rows in any order, also of the end of the run."""
    found = [report for _, report in answers.reports] + list(answers.flush)
    return [(one.t, Counter(frozenset(row.items()) for row in one.rows)) for one in found]


def same(query, pushes, engine, options=None, static=()):
    registration = open_message(query, static, options or {})
    found, expected = (answers_of(one, registration, pushes) for one in (engine, built_in("rspql")))
    assert (found.refused, expected.refused) == (None, None)
    assert content(found) == content(expected), (query, pushes)
    assert [n for n, _ in found.reports] == [n for n, _ in expected.reports]
    return len(content(found))


@pytest.fixture(scope="module")
def engine():
    with RunningAdapter(COMMAND) as running:
        yield running


@pytest.mark.parametrize("name", BODIES)
def test_one_window(name, engine):
    chance, reports = random.Random(name), 0
    for _ in range(12):
        select, where = BODIES[name]
        length, step = chance.choice(((4, 2), (4, 4), (2, 3), (5, 2), (1, 1)))
        operator = chance.choice(("RStream", "RStream", "IStream", "DStream"))
        options = {"bounds": chance.choice(("low-open", "high-open")), "t0": chance.choice((0, 0, 1, 3))}
        query = rspql(length, step, operator, where, select)
        reports += same(query, stream(chance), engine, options)
    assert reports > 5


@pytest.mark.parametrize("operator", ["RStream", "IStream", "DStream"])
@pytest.mark.parametrize("joint", ["", "OPTIONAL", "MINUS", "UNION"])
def test_two_windows(operator, joint, engine):
    chance, reports = random.Random(f"{operator} {joint}"), 0
    for _ in range(24):
        sizes = chance.choice(((4000, 2000), (3000, 1000), (2000, 3000)))
        other = chance.choice("ST"), chance.choice((2, 4)), chance.choice((1, 2, 4))
        text = TWO.format(operator, "*", *sizes, *other, joint)
        if joint == "UNION":
            text = text.replace("WINDOW :v {", "{ WINDOW :v {").replace("} UNION", "} } UNION")
        reports += same(
            text, stream(chance, unit=1000), engine, {"bounds": chance.choice(("low-open", "high-open"))}
        )
    assert reports > 2


def test_static_data_stand_in_the_default_graph_and_in_their_own(engine):
    chance = random.Random(7)
    where = "WINDOW :w { ?s :p ?a } ?s :r ?c GRAPH :g { ?c :q ?d }"
    query = rspql(4, 2, select="?s ?a ?c ?d").replace("WINDOW :w { ?s :p ?a }", where)
    assert sum(same(query, stream(chance), engine, static=STATIC) for _ in range(10)) > 3


def test_construct_reports_the_triples_of_its_template_each_once(engine):
    chance = random.Random(3)
    query = rspql(4, 2).replace("SELECT ?s ?a", "CONSTRUCT { ?s :is ?a . ?s :is :seen }")
    assert "CONSTRUCT" in query
    assert sum(same(query, stream(chance), engine) for _ in range(10)) > 3


def test_a_late_triple_is_refused_by_both(engine):
    pushes = [push(1, "a"), push(9, "b"), push(3, "late"), push(14, "c")]
    same(rspql(4, 4), pushes, engine)
    assert list(answers_of(engine, open_message(rspql(4, 4)), pushes).rejected) == [2]


def test_a_clock_is_driven(engine):
    session = engine.open(open_message(rspql(4, 4)))
    session.push([push(1, "a")])
    assert [[one.t for one in session.advance(t)] for t in (4, 5)] == [[], [4]]
    session.close()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?s WHERE { ?s ?p ?o }", "found no FROM NAMED WINDOW"),
        (rspql().replace("RANGE 4", "RANGE long"), "found the length long"),
        (rspql().replace("ON STREAM :S", "ON x:S"), "found x:S; expected an IRI"),
        (rspql(where="?s :p"), "error at"),
        (rspql().replace("WINDOW :w {", "GRAPH ?g {"), "found GRAPH ?; expected"),
        (rspql().replace("WINDOW :w {", "GRAPH?g {"), "found GRAPH?; expected"),
        (rspql().replace("WINDOW :w {", "WINDOW :g {"), "found WINDOW :g; expected the name of a window"),
        (rspql(where="{ GRAPH :g { ?s :q ?a } }"), "found GRAPH inside WINDOW"),
        (rspql().replace("WINDOW :w {", "GRAPH :w {"), "found GRAPH :w; expected the name of a graph"),
    ],
)
def test_what_is_not_covered_is_refused(query, said, engine):
    assert said in answers_of(engine, open_message(query), ()).refused


@pytest.mark.parametrize(
    ("select", "body", "rows"),
    [
        ("?window", "?window :p ?a", [{"window": "<http://e/a>"}]),
        ("?from ?named", "?from :p ?named", [{"from": "<http://e/a>", "named": '"x"'}]),
        ("?s ?graph", "?s :p ?graph # WINDOW FROM GRAPH ?x\n", [{"s": "<http://e/a>", "graph": '"x"'}]),
        ("?s", "?s :p ?a FILTER (?a != 'FROM WINDOW :w' && ?s != :WINDOW)", [{"s": "<http://e/a>"}]),
        ("?s", "?s :p ?a FILTER (?a != '{ GRAPH }')", [{"s": "<http://e/a>"}]),
        ("?s", "?s :p ?a MINUS { ?s :from-window 'DESCRIBE' }", [{"s": "<http://e/a>"}]),
        ("?REGISTER", "?REGISTER <http://e/p> ?AS", [{"REGISTER": "<http://e/a>"}]),
    ],
)
def test_words_in_names_texts_and_comments_are_no_keywords(select, body, rows):
    query = TWO.format("RSTREAM", select, 4, 4, "T", 1, 1, "OPTIONAL").replace("?s :p ?a", body)
    message = {"query": query.replace("?s :q ?b", "?y :q ?z"), "static": [], "options": {}}
    run = register(message)
    reports = [*run.push(1, "http://e/S", triple('<http://e/a> <http://e/p> "x" .')), *run.due(9, also=True)]
    assert [report["rows"] for report in reports] == [rows]


def test_what_closes_at_the_time_of_an_advance_comes_at_the_close_of_both(engine):
    for one in (engine, built_in("rspql")):
        session = one.open(open_message(rspql(4, 4)))
        session.push([push(1, "a")])
        assert ([r.t for r in session.advance(4)], [r.t for r in session.close()]) == ([], [4])


def test_a_variable_after_window_ranges_over_the_windows_alone():
    query = rspql(4, 4, select="?w ?s").replace("WINDOW :w {", "WINDOW ?w {")
    run = register({"query": query, "static": ["<http://e/b> <http://e/p> <http://e/c> <http://e/g> ."]})
    reports = [*run.push(1, "http://e/S", triple('<http://e/a> <http://e/p> "x" .')), *run.due(9, also=True)]
    assert [report["rows"] for report in reports] == [[{"w": "<http://e/w>", "s": "<http://e/a>"}]]


def test_times_long_after_the_first_window_are_reported_at_once():
    run = register({"query": rspql(4000, 1000)})
    began = process_time()
    for n in range(2000):
        list(run.push(1_760_000_000_000 + 5000 * n, "http://e/S", triple('<http://e/a> <http://e/p> "x" .')))
    assert (process_time() - began < 10, len(run.elements) < 1010) == (True, True)


@pytest.mark.parametrize("start", ["5", "x", 0.5, None, True])
def test_a_start_that_is_no_integer_is_refused(start, engine):
    assert "expected an integer" in answers_of(engine, open_message(rspql(), (), {"t0": start}), ()).refused


def test_data_that_it_cannot_read_are_refused(engine):
    assert "static data" in answers_of(engine, open_message(rspql(), ("<a> <b> <c> .",)), ()).refused
    relative = rspql().replace("WINDOW :w ON", "WINDOW <w> ON")
    assert "expected an absolute IRI" in answers_of(engine, open_message(relative), ()).refused
    pushed = {"t": 1, "stream": "http://e/S", "triple": "<a> <b> <c> ."}
    assert _pushed(register({"query": rspql(4, 4)}), pushed)["refused"]


@pytest.mark.parametrize("engine", [built_in("rspql"), RunningAdapter(COMMAND)])
def test_a_label_means_another_blank_node_in_each_push(engine):
    """The same line at the same time is one element, which counts once."""
    line = ("_:b", "<http://e/p>", "_:b")
    pushes = [*(Push(t, "<http://e/S>", line) for t in (1, 1, 2)), push(9, "a")]
    with engine:
        answers = answers_of(engine, open_message(rspql(4, 4)), pushes)
    (report, *_) = (one for _, one in answers.reports)
    labels = [(row["s"], row["a"]) for row in report.rows]
    assert [one == other for one, other in labels] == [True, True]
    assert len({one for one, _ in labels}) == 2
