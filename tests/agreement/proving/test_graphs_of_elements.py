"""GRAPH inside WINDOW on all streams: containment and smallest streams, tried by Oxigraph in windows."""

import random
from itertools import product

import pytest

from agreement import api
from lars.errors import LarsError
from tests.translate.dialects.test_graphs import DECLARED, HEAD, NAMES, in_window, log, made

BODIES = (
    "GRAPH ?g { ?a :p ?b . ?b :q ?c }",
    "GRAPH ?g { ?a :p ?b } GRAPH ?h { ?b :q ?c }",
    "GRAPH :g1 { ?a :p ?b } GRAPH ?h { ?b :q ?c }",
    "GRAPH ?g { ?a :p ?b } GRAPH :g1 { ?b :q ?c }",
    "GRAPH ?g { ?a :p ?b . ?b :q ?g }",
    "GRAPH ?g { ?a :p ?b } FILTER (?g != :g1)",
    "GRAPH ?g { ?a :p ?b } MINUS { GRAPH ?g { ?b :q ?a } }",
    "GRAPH ?g { ?a :p ?b } MINUS { GRAPH ?h { ?b :q ?a } }",
)


def query(body):
    return f"{HEAD}SELECT ?a ?b {DECLARED} {{ WINDOW :w {{ {body} }} }}"


def rows(body, elements, t):
    """Return the rows of Oxigraph over the graphs in the window at t."""
    found = in_window(elements, 4, t // 2 * 2).query(f"{HEAD}SELECT DISTINCT ?a ?b {{ {body} }}")
    return {tuple(map(str, row)) for row in found}


def elements_of(facts):
    """Return the facts of a witness, whose streams are graphs, as elements."""
    texts = [(fact.t, [text[1:-1] for text in fact.arguments]) for fact in facts]
    return [(t, _node(graph), [(_node(s), _node(p), _node(o))]) for t, (s, p, o, graph) in texts]


def _node(text):
    return type(NAMES[0])(text)


def write(folder, *bodies):
    paths = [folder / f"{number}.rq" for number in range(len(bodies))]
    for path, body in zip(paths, bodies, strict=True):
        path.write_text(query(body))
    return paths


@pytest.mark.parametrize("body", BODIES)
def test_containment_is_as_oxigraph_finds_it(body, tmp_path):
    random_elements = [made(random.Random(seed)) for seed in range(20)]
    for other in BODIES:
        (answer,) = api.contained(*write(tmp_path, body, other), profile="sparql11", time_limit=30).directions
        if answer.witness is not None:
            elements, t = elements_of(answer.witness.facts), answer.witness.end
            assert not rows(body, elements, t) <= rows(other, elements, t), (other, answer)
        elif answer.holds:
            for elements, t in product(random_elements, (2, 4, 8)):
                assert rows(body, elements, t) <= rows(other, elements, t), other


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_a_smallest_stream_is_one_for_oxigraph_too(number, tmp_path):
    body, other = BODIES[number], BODIES[number - 1]
    (period,) = api.witness(*write(tmp_path, body, other), profile="sparql11", time_limit=30).periods
    (witness,) = period.witnesses
    elements = elements_of(witness.facts)
    assert rows(body, elements, witness.end) != rows(other, elements, witness.end)


@pytest.mark.parametrize("body", [BODIES[0], BODIES[6]])
def test_push_and_pull_differ_on_the_stream_that_is_shown(body, tmp_path):
    paths = write(tmp_path, body)
    decided, found = (command(*paths, period=2, profile="sparql11") for command in (api.decide, api.witness))
    for witness in (decided.verdicts[0].witness, found.periods[0].witness):
        (tmp_path / "t.trig").write_text(log(elements_of(witness.facts)))
        told = {"time": "urn:at", "period": 2, "profile": "sparql11", "to": witness.end}
        assert api.agree(paths[0], tmp_path / "t.trig", in_process=True, **told).agree is False


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("GRAPH ?g { ?a :p ?b } ?b :q ?c", "a pattern outside of GRAPH reads the triples of all graphs"),
        ("GRAPH ?g { ?a :p* ?b }", "a path can be empty"),
    ],
)
def test_a_query_that_needs_more_than_streams_is_refused(body, why, tmp_path):
    paths = write(tmp_path, body, BODIES[0])
    for call in (lambda: api.contained(*paths), lambda: api.witness(paths[0]), lambda: api.decide(paths[0])):
        with pytest.raises(LarsError, match=f"{why}.*; use lars agree with a trace"):
            call()


def test_the_trigger_of_a_stream_is_not_one_of_its_graphs(tmp_path):
    with pytest.raises(LarsError, match='use trigger="any" or matching'):
        api.decide(*write(tmp_path, BODIES[0]), trigger="query-streams")
