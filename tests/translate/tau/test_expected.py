"""τ against SPARQL 1.1: the table of worked examples, in both profiles, through clingo."""

import pytest

from lars.durations import Duration
from lars.language.windows import Interval
from solver.facts import Situation
from solver.pointwise import models
from translate.dialects import read_query
from translate.model.query import Language, Setting
from translate.tau import in_order, lars_program

PREFIX = "PREFIX : <urn:> "
LINKED = ("s1 p o1", "t1 l x")
FIRST = "{ ?s :p ?o OPTIONAL { ?s :n ?n } }"
CHEAPER = "?s :p ?a OPTIONAL { ?s :q ?b FILTER (?b < ?a) }"
PROFILES = {"sparql11": "sparql11", "paper2015": "paper2015"}


def term(text):
    number = f'"{text}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    return number if text.isdigit() else f"<urn:{text}>"


def data(*triples):
    """Return B of triples such as `s p o`, or `g s p o` for a named graph g."""
    rows = [text.split() for text in triples]
    quads = [(*map(term, row[-3:]), term(row[0]) if row[3:] else "default") for row in rows]
    graphs = {(term(row[0]),) for row in rows if row[3:]}
    return {("triple", 4): quads, ("named", 1): sorted(graphs)}


def short(text):
    return None if text == "null" else text.rsplit("urn:", 1)[-1].split('"^^')[0].strip('<>"')


def answers(query, triples, profile, language):
    """Return ans1 as sets of values by variable name; a variable that is null is left out."""
    engine = read_query(PREFIX + query, "q.rq", language)
    program = lars_program(engine, Setting(profile, Duration(10**9)))
    (found,) = models(program, Situation(Interval(0, 0), (), data(*triples)), 0)
    names = [variable.name for variable in in_order(engine.result)]
    rows = [map(short, map(str, atom.arguments)) for _, atom in found if atom.predicate == "ans1"]
    return [{n: v for n, v in zip(names, row, strict=True) if v} for row in rows]


def row(text):
    """Return the solution that `s=s1 x=t1` says."""
    return dict(part.split("=") for part in text.split())


# Name: query, data, the rows of SPARQL 1.1, those of the paper's reading.
TABLE = {
    "N1": (f"SELECT ?s ?n ?t {{ {FIRST} {{ ?t :l ?n }} }}", LINKED, ["s=s1 n=x t=t1"], []),
    "N2": (
        f"SELECT ?s ?n ?t {{ {FIRST} {{ ?t :l ?o2 OPTIONAL {{ ?t :n ?n }} }} }}",
        LINKED,
        ["s=s1 t=t1"],
        ["s=s1 t=t1"],
    ),
    "N3": ("SELECT ?s { { ?s :p ?o } MINUS { ?x :q ?y } }", ("s1 p o1", "x q y"), ["s=s1"], []),
    "N4": (
        "SELECT ?s ?x { { ?s :p ?o } OPTIONAL { ?x :q ?y } }",
        ("s1 p o1", "x q y"),
        *[["s=s1 x=x"]] * 2,
    ),
    "N5": (
        f"SELECT ?s ?n ?t {{ {FIRST} OPTIONAL {{ ?t :l ?n }} }}",
        LINKED,
        ["s=s1 n=x t=t1"],
        ["s=s1"],
    ),
    "N6": (f"SELECT ?s ?n {{ {FIRST} MINUS {{ ?t :l ?n }} }}", LINKED, ["s=s1"], ["s=s1"]),
    "N7": (
        f"SELECT ?s ?n {{ {FIRST} MINUS {{ ?t :l ?x OPTIONAL {{ ?t :n ?n }} }} }}",
        LINKED,
        ["s=s1"],
        [],
    ),
    "F1": (f"SELECT ?s ?b {{ {CHEAPER} }}", ("s p 5", "s q 3", "s q 7"), *[["s=s b=3"]] * 2),
    "F2 unequal": (f"SELECT ?s {{ {FIRST} FILTER (?n != :x) }}", LINKED, [], []),
    "F2 not equal": (f"SELECT ?s {{ {FIRST} FILTER (!(?n = :x)) }}", LINKED, [], []),
    "F3": (f"SELECT ?s {{ {FIRST} FILTER (?n = :x || true) }}", LINKED, *[["s=s1"]] * 2),
    "F4": (f"SELECT ?s ?b {{ {CHEAPER} }}", ("s p 5", "s q 7"), *[["s=s"]] * 2),
    "G1": (
        "SELECT ?g ?s { GRAPH ?g { { ?s :p ?o } UNION { ?s :q ?o } } }",
        ("g1 s1 p o1", "g2 s2 q o2"),
        *[["g=g1 s=s1", "g=g2 s=s2"]] * 2,
    ),
    "B1": ("SELECT ?s { ?s :p ?o }", ("a p x", "a p y"), *[["s=a"]] * 2),
}


@pytest.mark.parametrize("name", TABLE)
# The examples have no windows, without which sparq has no query.
@pytest.mark.parametrize(
    "language", [one for one in Language if one != Language.SPARQ], ids=lambda language: language.value
)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_table_of_worked_examples(name, language, profile):
    query, triples, *expected = TABLE[name]
    wanted = [row(text) for text in expected[list(PROFILES).index(profile)]]
    found = answers(query, triples, PROFILES[profile], language)
    assert sorted(found, key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("profile", PROFILES)
def test_graph_with_a_variable_matches_no_triple_of_the_default_graph(profile):
    query, triples = "SELECT ?g ?s { GRAPH ?g { ?s :p ?o } }", ("g1 s1 p o1", "s2 p o2")
    assert answers(query, triples, PROFILES[profile], Language.CQELS) == [row("g=g1 s=s1")]
