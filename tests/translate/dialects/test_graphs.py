"""GRAPH inside WINDOW: elements that are named graphs, by columns, clingo and Oxigraph window by window."""

import json
import random
import re
from collections import Counter
from itertools import product

import pyoxigraph as ox
import pytest

from agreement import api
from tests.agreement.command import lars
from tests.translate.dialects.by_windows import solutions
from tests.translate.dialects.test_living import row_of
from translate.analysis import model_of_cqels
from translate.dialects import read_query
from translate.errors import ModelError

BODIES = (
    "SELECT * {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b . ?b :q ?c }} }} }}",
    "SELECT * {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b }} ?b :q ?c }} }}",
    "SELECT ?a ?g {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b }} GRAPH ?h {{ ?b :q ?c }} FILTER (?g != ?h) }} }}",
    "SELECT * {} {{ WINDOW :w {{ GRAPH :g1 {{ ?a :p* ?b }} }} }}",
    "SELECT * {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p/:q ?g }} }} }}",
    "SELECT * {} {{ WINDOW :w {{ ?a :p ?b OPTIONAL {{ GRAPH ?g {{ ?b :q ?a }} }} }} }}",
    "SELECT * {} {{ WINDOW :w {{ ?a :p ?b MINUS {{ GRAPH :g1 {{ ?a !:q ?b }} }} }} }}",
    "SELECT ?g (COUNT(?b) AS ?n) {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b }} }} }} GROUP BY ?g",
    "SELECT ?a {} {{ WINDOW :w {{ ?a :p ?b FILTER NOT EXISTS {{ GRAPH ?g {{ ?b :p ?a }} }} }} }}",
    "ASK {} {{ WINDOW :w {{ GRAPH ?g {{ ?g ?p ?g }} }} }}",
)
DECLARED = "FROM NAMED WINDOW :w ON :s [RANGE PT4S STEP PT2S]"
OTHER = f"{DECLARED} FROM NAMED WINDOW :v ON :s [RANGE PT6S STEP PT1S]"
HEAD = "PREFIX : <http://e/>\n"
NAMES = tuple(ox.NamedNode(f"http://e/{name}") for name in ("a", "b", "g1", "g2"))
PREDICATES = tuple(ox.NamedNode(f"http://e/{name}") for name in "pq")


def made(rng):
    """Return elements: a time and a named graph with some triples."""
    return [
        (t, rng.choice(NAMES[2:]), [tuple(map(rng.choice, (NAMES, PREDICATES, NAMES))) for _ in range(3)])
        for t in sorted(rng.randrange(9) for _ in range(8))
    ]


def right(text, elements, width, pivot):
    """Return the rows over the graphs in a window, whose triples are all in the default graph too."""
    return solutions(in_window(elements, width, pivot).query(HEAD + text))


def in_window(elements, width, pivot):
    """Return the graphs in a window, whose triples are all in the default graph too."""
    store = ox.Store()
    for time, graph, triples in elements:
        for triple in triples if pivot - width <= time <= pivot else ():
            store.add(ox.Quad(*triple, graph))
            store.add(ox.Quad(*triple))
    return store


def log(elements):
    """Return elements as RDF Messages, each with its time: two of one time can be of one graph."""
    pieces = ['VERSION "1.2-messages"']
    for time, graph, triples in elements:
        inside = " ".join(f"{' '.join(map(str, triple))} ." for triple in triples)
        pieces.append(f"<urn:e> <urn:at> {time} . {graph} {{ {inside} }}")
    return "\nMESSAGE\n".join(pieces)


def solved(folder, text, elements):
    """Return our rows at each time, by columns and by clingo."""
    (folder / "q.rq").write_text(HEAD + text)
    (folder / "t.trig").write_text(log(elements))
    reading = ["--profile", "sparql11", "--semantics", "bag", "--evaluator", "both", "--in-process", "--json"]
    ran = lars("solve", folder / "q.rq", folder / "t.trig", "--time", "urn:at", "--period", "2", *reading)
    assert ran.code == 0, ran.err
    return {line["t"]: Counter(map(row_of, line["rows"])) for line in ran.lines}


@pytest.mark.parametrize("body", BODIES)
def test_graphs_of_elements_are_matched_as_window_by_window(body, tmp_path):
    rows = 0
    for seed in range(4):
        elements = made(random.Random(seed))
        for t, found in solved(tmp_path, body.format(DECLARED), elements).items():
            expected = right(body.format("").replace("WINDOW :w", ""), elements, 4, t)
            assert (seed, t, found) == (seed, t, expected)
            rows += found.total()
    assert rows


def test_two_windows_share_the_name_of_a_graph(tmp_path):
    patterns = ("{ GRAPH ?g { ?a :p ?b } }", "{ GRAPH ?g { ?b :q ?c } }")
    body = f"SELECT * {OTHER} {{ WINDOW :w {patterns[0]} WINDOW :v {patterns[1]} }}"
    elements = made(random.Random(1))
    for t, found in solved(tmp_path, body, elements).items():
        sides = [
            right(f"SELECT * {part}", elements, width, t)
            for part, width in zip(patterns, (4, 6), strict=True)
        ]
        pairs = [{*one} | {*other} for one, other in product(*(side.elements() for side in sides))]
        assert found == Counter(frozenset(row) for row in pairs if len(dict(row)) == len(row))


def test_a_graph_of_a_window_beside_its_pattern_is_no_cautious_block(tmp_path):
    body = f"{DECLARED} {{ {{ WINDOW :w {{ GRAPH :g1 {{ ?a :p ?b }} }} }} UNION {{ ?a :p ?b }} }}"
    (tmp_path / "q.rq").write_text(f"{HEAD}SELECT * {body}")
    (tmp_path / "t.trig").write_text(log([(2, NAMES[2], [(NAMES[0], PREDICATES[0], NAMES[1])])]))
    (tmp_path / "s.ttl").write_text("<http://e/a> <http://e/p> <http://e/b> .")
    bag = ["--static", tmp_path / "s.ttl", "--time", "urn:at", "--semantics", "bag", "--in-process"]
    ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.trig", "--period", "1", *bag)
    assert ran.out.splitlines()[-1] == "2: (a, b) (a, b)"
    with pytest.raises(ModelError, match="GRAPH <http://e/g1> of a window"):
        model_of_cqels(read_query(f"{HEAD}SELECT * {body}", "q.rq"))


def test_a_graph_that_a_blank_node_names_is_that_node(tmp_path):
    text = f"SELECT ?a {DECLARED} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?g }} }} }}"
    (tmp_path / "q.rq").write_text(HEAD + text)
    at = "<http://www.w3.org/ns/prov#generatedAtTime>"
    graphs = f"_:x {at} 2 . _:x {{ <http://e/a> <http://e/p> _:x . <http://e/b> <http://e/p> _:y }}"
    (tmp_path / "t.trig").write_text(graphs)
    for reading in ("document", "element"):
        ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.trig", "--from", "2", "--blank-nodes", reading)
        assert ran.out.splitlines()[1:] == ["2: (a)"]


def test_a_path_of_no_step_needs_a_graph_of_the_name_in_the_window(tmp_path):
    elements = [(1, NAMES[3], [(NAMES[0], PREDICATES[0], NAMES[1])])]
    for graph, holds in (("g2", {0: 0, 2: 1, 4: 1, 6: 0}), ("g1", dict.fromkeys((0, 2, 4, 6), 0))):
        body = f"ASK {DECLARED} {{ WINDOW :w {{ GRAPH :{graph} {{ :a :q* :a }} }} }}"
        found = solved(tmp_path, body, [*elements, (6, NAMES[0], elements[0][2])])
        assert {t: rows.total() for t, rows in found.items()} == holds


def test_a_triple_of_the_graph_triggers_push(tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + f"ASK {DECLARED} {{ WINDOW :w {{ GRAPH :g2 {{ ?a :p ?b }} }} }}")
    triple = NAMES[0], PREDICATES[0], NAMES[1]
    (tmp_path / "t.trig").write_text(log([(1, NAMES[2], [triple]), (2, NAMES[3], [triple])]))
    push = ["--time", "urn:at", "--mode", "push", "--trigger", "matching", "--in-process"]
    assert lars("solve", tmp_path / "q.rq", tmp_path / "t.trig", *push).out.splitlines()[1:] == ["2: ()"]


REFUSED = (
    ("SELECT * {} {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b FILTER (?a = ?g) }} }} }}", "FILTER inside GRAPH"),
    ("SELECT * {} {{ WINDOW :w {{ GRAPH ?g {{ }} }} }}", "no triple pattern inside GRAPH"),
    (
        "SELECT * {} FROM NAMED WINDOW :n ON :s [ELEMENTS 3] {{ WINDOW :w {{ GRAPH ?g {{ ?a :p ?b }} }} }}",
        "GRAPH of a window beside a tuple window",
    ),
)


@pytest.mark.parametrize(("body", "said"), REFUSED)
def test_what_graphs_of_windows_cannot_hold_is_named(body, said, tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + body.format(DECLARED))
    ran = lars("translate", tmp_path / "q.rq")
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize("command", ["translate", "judge"])
def test_what_has_triples_without_graphs_is_refused_with_a_remedy(command, tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + BODIES[0].format(DECLARED))
    (tmp_path / "t.nq").write_text("")
    more = {
        "translate": ["--to", "kolibrie"],
        "judge": ["t.nq", "--answers", "x", "--engine", "rsp-js-1.3.5"],
    }
    ran = lars(command, tmp_path / "q.rq", *more.get(command, []))
    assert ran.code == 2
    if command != "translate":
        assert "engines receive triples without graphs" in ran.err
        assert "use a specification, or lars agree with a trace" in ran.err


def reports(body, elements, *, wrong=None):
    """Return the answers of Oxigraph at each close of a window, one of them with a row less or more."""
    text, lines = body.format("").replace("WINDOW :w", ""), []
    for t in range(4, 10, 2):
        store = in_window(elements, 4, t)
        found = json.loads(store.query(HEAD + text).serialize(format=ox.QueryResultsFormat.JSON))
        rows = [{}] * found["boolean"] if "boolean" in found else found["results"]["bindings"]
        if len(store):
            lines.append({"t": t, "rows": rows})
    if wrong is not None:
        one = lines[wrong % len(lines)]
        one["rows"] = one["rows"][1:] or [{"a": {"type": "uri", "value": "http://e/none"}}]
    return "".join(f"{json.dumps(line)}\n" for line in lines if line["rows"])


@pytest.mark.parametrize("body", BODIES)
def test_answers_over_graphs_are_judged_as_window_by_window(body, tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + body.format(DECLARED))
    told = ["--t0", "0", "--bounds", "closed", "--time", "urn:at", "--until", "8", "--no-diagnosis"]
    for seed in range(4):
        elements = made(random.Random(seed))
        (tmp_path / "t.trig").write_text(log(elements))
        for wrong in (None, seed):
            (tmp_path / "a.ndjson").write_text(text := reports(body, elements, wrong=wrong))
            if not text:
                continue
            files = (tmp_path / "q.rq", tmp_path / "t.trig", "--answers", tmp_path / "a.ndjson")
            assert (seed, wrong, lars("judge", *files, *told).code) == (seed, wrong, int(wrong is not None))


def test_specifications_are_compared_on_graphs(tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + BODIES[0].format(DECLARED))
    (tmp_path / "t.trig").write_text(log(made(random.Random(1))))
    told = [tmp_path / "q.rq", tmp_path / "t.trig", "--time", "urn:at"]
    assert lars("compare", "rspql", "rspql", *told).code == 0
    ran = lars("compare", "rspql", "rsp-js-1.3.5", *told)
    assert (ran.code, "engines receive triples without graphs" in ran.err) == (2, True)


@pytest.mark.parametrize("body", BODIES[:4])
def test_the_phase_of_a_width_is_that_of_agree(body, tmp_path):
    (tmp_path / "t.trig").write_text(log(made(random.Random(7))))
    told = {"time": "urn:at", "period": [2, 3]}
    files = tmp_path / "q.rq", tmp_path / "t.trig"
    files[0].write_text(HEAD + body.format(DECLARED))
    (drawn,) = api.phase(*files, length=[2, 4], **told).diagrams
    for length in (2, 4):
        files[0].write_text(HEAD + body.format(DECLARED.replace("PT4S", f"PT{length}S")))
        for verdict, row in zip(api.agree(*files, in_process=True, **told).verdicts, drawn.rows, strict=True):
            counted = [agreeing for first, last, agreeing in drawn.runs(row) if first <= length <= last]
            assert counted == [sum(one.agree for one in verdict.intervals)]


@pytest.mark.parametrize("body", [BODIES[0], BODIES[1], BODIES[5]])
def test_a_disagreement_on_graphs_is_made_small_and_written(body, tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + body.format(DECLARED))
    (tmp_path / "t.trig").write_text(log(made(random.Random(7))))
    small = api.shrink(tmp_path / "q.rq", tmp_path / "t.trig", time="urn:at", period=3)
    assert small.disagree
    assert len(small.trace) <= 2
    small.write_experiment(tmp_path / "small")
    again = api.agree(tmp_path / "small", in_process=True)
    assert small.cause in {one.cause for one in again.differences}


def test_an_experiment_judges_and_compares_queries_over_graphs(tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + BODIES[0].format(DECLARED))
    (tmp_path / "t.trig").write_text(log(made(random.Random(7))))
    (tmp_path / "experiment.toml").write_text(
        'rspql = "q.rq"\nfiles = "t.trig"\ntime = "urn:at"\nperiod = 2\n[[engines]]\nengine = "rspql"\n'
    )
    ran = lars("run", tmp_path, "--out", tmp_path / "out")
    assert re.search(r"rspql +yes +3 +0", ran.out)
    assert "lars:" not in ran.err
    ran = lars("decide", tmp_path)
    assert (ran.code, "is a separate stream with the name of the graph" in ran.err) == (1, True)


@pytest.mark.parametrize("body", BODIES)
def test_push_and_pull_report_the_rows_of_the_graphs_in_their_windows(body, tmp_path):
    text, elements = body.format("").replace("WINDOW :w", ""), made(random.Random(7))
    (tmp_path / "q.rq").write_text(HEAD + body.format(DECLARED))
    (tmp_path / "t.trig").write_text(log(elements))
    told = ["--time", "urn:at", "--period", "1,3", "--profile", "sparql11", "--in-process", "--json"]
    found = json.loads(lars("agree", tmp_path / "q.rq", tmp_path / "t.trig", *told).out)
    for period in found["periods"]:
        for one in period["intervals"]:
            arrived = {t for t, *_ in elements if one["from"] < t <= one["to"]}
            pushed = set().union(*(right(text, elements, 4, t // 2 * 2) for t in arrived))
            assert set(map(row_of, one["push"])) == pushed
            assert set(map(row_of, one["pull"])) == set(right(text, elements, 4, one["to"] // 2 * 2))


def test_a_support_has_the_graph_of_its_triple(tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + BODIES[7].format(DECLARED))
    (tmp_path / "t.trig").write_text(log([(1, NAMES[2], [(NAMES[0], PREDICATES[0], NAMES[1])])] * 2))
    ran = lars("agree", tmp_path / "q.rq", tmp_path / "t.trig", "--time", "urn:at", "--period", 2, "--to", 4)
    assert "1: a p b in g1" in ran.out


def test_the_report_draws_the_triples_of_graphs(tmp_path):
    (tmp_path / "q.rq").write_text(HEAD + BODIES[0].format(DECLARED))
    (tmp_path / "t.trig").write_text(log(made(random.Random(7))))
    told = ["--time", "urn:at", "--period", 3, "--in-process", "--report", tmp_path / "r.html"]
    assert lars("agree", tmp_path / "q.rq", tmp_path / "t.trig", *told).code in (0, 1)
