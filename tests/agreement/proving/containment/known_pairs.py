"""Pairs of queries with known answers, and a search by rdflib for data that refute an answer.

The kinds are those of the published benchmark of SPARQL containment (Chekol, Euzenat, Geneves, Layaida
2013): chains, stars, trees and cycles without and with projection, variables as predicates, blank nodes,
UNION on both sides, OPTIONAL; and windows on streams (`s2` is STREAM :s [RANGE 2s], `s0` its NOW). `<`
means contained, `=` equivalent, `|` neither.
"""

import re
import time
from functools import lru_cache
from itertools import product
from random import Random

import rdflib
from rdflib.plugins.sparql import prepareQuery

from agreement.proving.containment import PairQuery, reports_containment
from translate.dialects import read_query
from translate.model.query import Setting

E = "http://e/"
HEAD = f"PREFIX : <{E}> "


def chain(count, *, of="p"):
    return " . ".join(f"?x{n} :{of} ?x{n + 1}" for n in range(count))


def cycle(count, *, of="p"):
    return " . ".join(f"?x{n} :{of} ?x{(n + 1) % count}" for n in range(count))


def star(*predicates):
    return " . ".join(f"?x0 :{of} ?y{n}" for n, of in enumerate(predicates))


def tree(depth):
    """Return a binary tree, all of one predicate."""
    nodes = range(1, 2**depth)
    return " . ".join(f"?x{n} :p ?x{child}" for n in nodes for child in (2 * n, 2 * n + 1))


def q(body, *names):
    return f"SELECT {' '.join(f'?{name}' for name in names) or '*'} {{ {body} }}"


ALL5 = tuple(f"x{n}" for n in range(6))
ONE = "x0"
WINDOWS = """
SELECT ?x {s2 {?x :p ?y}} < SELECT ?x {s3 {?x :p ?y}}
SELECT ?x {s0 {?x :p ?y}} < SELECT ?x {s3 {?x :p ?y}}
SELECT ?x {s9 {?x :p ?y}} < SELECT ?x {STREAM :s [RANGE UNBOUNDED] {?x :p ?y}}
SELECT ?x {s2 {?x :p ?y}} | SELECT ?x {t2 {?x :p ?y}}
SELECT ?x {s2 {?x :p ?y}} | SELECT ?x {?x :p ?y}
SELECT ?x {s2 {?x :p ?y . ?y :q ?z}} = SELECT ?x {s2 {?b :q ?c . ?x :p ?b}}
SELECT ?x {s2 {?x :p ?y . ?y :q ?z}} = SELECT ?x {s2 {?x :p ?y} s2 {?y :q ?z}}
SELECT ?x {s2 {?x :p ?y} s0 {?y :q ?z}} < SELECT ?x {s2 {?x :p ?y . ?y :q ?z}}
SELECT ?x {s2 {?x :p ?y} s0 {?x :p ?y}} = SELECT ?x {s0 {?x :p ?y}}
SELECT ?x {{s2 {?x :p ?y}} UNION {s3 {?x :p ?z}}} = SELECT ?x {s3 {?x :p ?y}}
SELECT ?x {STREAM :s [RANGE 2s SLIDE 2s] {?x :p ?y}} < SELECT ?x {s3 {?x :p ?y}}
SELECT ?x {STREAM :s [RANGE 2s SLIDE 2s] {?x :p ?y}} | SELECT ?x {s2 {?x :p ?y}}
SELECT ?x {s2 {?x :p ?y} t2 {?x :p ?y}} < SELECT ?x {t2 {?x :p ?y}}
SELECT ?x {s2 {?x :p ?y} ?y :k ?z} < SELECT ?x {s4 {?x :p ?y}}
SELECT ?x ?y {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}} = SELECT ?x ?y {s2 {?x :p ?y}}
SELECT ?x {s2 {?x :p ?y . ?x :p ?z}} = SELECT ?x {s2 {?x :p ?y}}
"""
PAIRS = (
    # Without projection: each variable is seen.
    (q(chain(5), *ALL5), "=", q(chain(5) + " . ?x0 ?a ?x1", *ALL5)),
    (q(chain(3) + " . " + cycle(4), *ALL5[:4]), "<", q(chain(3), *ALL5[:4])),
    (q(cycle(4), *ALL5[:4]), "=", q(" . ".join(reversed(cycle(4).split(" . "))), *ALL5[:4])),
    (q(cycle(3), *ALL5[:3]), "<", q(chain(2), *ALL5[:3])),
    (q("?x :p ?y . ?y :p ?x", "x", "y"), "<", q("?x :p ?y", "x", "y")),
    (q("?x :p ?y . ?y :q ?z", "x", "y", "z"), "|", q("?x :q ?y . ?y :p ?z", "x", "y", "z")),
    (q("?x a :D . ?y a :U . ?x ?z ?y"), "<", q("?x ?z ?y")),
    (q("?x :p :a . ?x :q ?y", "x", "y"), "<", q("?x ?b :a . ?x :q ?y", "x", "y")),
    (q("?x :p ?x", "x"), "<", q("?x :p ?y", "x")),
    (q("?x ?a ?y . ?y ?a ?z", "x", "z"), "<", q("?x ?a ?y . ?y ?b ?z", "x", "z")),
    (q("?x ?a ?y . ?a :p ?z", "x", "a"), "<", q("?x ?a ?y", "x", "a")),
    # With projection: the other side's pattern folds.
    *((q(chain(n), ONE), "<", q(chain(m), ONE)) for n, m in ((2, 1), (5, 3), (7, 4))),
    (q(chain(4), "x0", "x4"), "|", q(chain(3).replace("?x3", "?x4"), "x0", "x4")),
    (q(star("p", "p", "p"), ONE), "=", q(star("p"), ONE)),
    (q(star("p", "q", "r", "s", "t"), ONE), "<", q(star("p", "q", "r"), ONE)),
    (q(star("p", "q"), ONE), "|", q(star("p", "r"), ONE)),
    (q(tree(2), "x1"), "=", q("?x1 :p ?a . ?a :p ?b", "x1")),
    (q(tree(3), "x1"), "<", q("?x1 :p ?a . ?a :p ?b", "x1")),
    *((q(cycle(n), ONE), sign, q(cycle(m), ONE)) for n, sign, m in ((3, "<", 6), (2, "<", 6), (1, "<", 5))),
    (q(cycle(4), ONE), "|", q(cycle(6), ONE)),
    (q(cycle(3), ONE), "<", q(chain(7), ONE)),
    (q(cycle(5), ONE), "|", q(cycle(3), ONE)),
    (q(chain(3) + " . ?x1 :p ?x9", ONE), "=", q(chain(3), ONE)),
    (q("?x :p _:b . _:b :q ?y", "x"), "=", q("?x :p ?z . ?z :q ?y", "x")),
    (q("?x :p _:b . _:b :q _:c . _:c :p ?y", "x", "y"), "<", q("?x :p _:b . ?c :p ?y", "x", "y")),
    (q("?x :p ?y . ?x :p ?z . ?z :q :a", "x"), "=", q("?x :p ?z . ?z :q :a", "x")),
    (q("?x :p ?y . ?y :q :a", "x"), "<", q("?x :p ?y . ?y ?b ?z", "x")),
    # UNION
    (q("{?x :p ?y} UNION {?x :q ?y}", "x"), "<", q("{?x :q ?y} UNION {?x :r ?y} UNION {?x :p ?z}", "x")),
    (
        q("?x :p ?y {?y :q ?z} UNION {?y :r ?z}", "x"),
        "=",
        q("{?x :p ?y . ?y :q ?z} UNION {?x :p ?y . ?y :r ?z}", "x"),
    ),
    (q("{?x :p ?y} UNION {?x :p ?y . ?y :q ?z}", "x"), "=", q("?x :p ?y", "x")),
    (q("{?x :p ?y} UNION {?x :q ?y}", "x"), "<", q("?x ?a ?y", "x")),
    (q("?x :p ?y . ?x :q ?y", "x"), "<", q("{?x :p ?y} UNION {?x :q ?y}", "x")),
    (q("{?x :p ?y} UNION {?x :q ?z}", "x", "y"), "|", q("?x :p ?y", "x", "z")),
    (q("{?x :p ?y} UNION {?x :q ?z}", "x", "y"), "|", q("{?x :q ?y} UNION {?x :p ?z}", "x", "y")),
    (
        q("{{?x :p ?y} UNION {?x :q ?y}} UNION {?x :r ?y}", "x", "y"),
        "=",
        q("{?x :r ?y} UNION {{?x :q ?y} UNION {?x :p ?y}}", "x", "y"),
    ),
    (q("{" + cycle(3) + "} UNION {" + cycle(2) + "}", ONE), "<", q(chain(4), ONE)),
    (q("{" + cycle(6) + "} UNION {" + cycle(3) + "}", ONE), "=", q(cycle(6), ONE)),
    # OPTIONAL
    (q("?x :p ?y . ?y :q ?z"), "<", q("?x :p ?y OPTIONAL {?y :q ?z}")),
    (q("?x :p ?y OPTIONAL {?y :q ?z}", "x", "y"), "=", q("?x :p ?y", "x", "y")),
    (
        q("?x :p ?y OPTIONAL {?y :q ?z} OPTIONAL {?y :r ?w}"),
        "=",
        q("?x :p ?y OPTIONAL {?y :r ?w} OPTIONAL {?y :q ?z}"),
    ),
    (
        q("?x :p ?y OPTIONAL {?y :q ?z OPTIONAL {?z :r ?w}}"),
        "|",
        q("?x :p ?y OPTIONAL {?y :q ?z . ?z :r ?w}"),
    ),
    (q("?x :p ?y OPTIONAL {?y :q ?z}"), "|", q("?x :p ?y OPTIONAL {?y :q ?z . ?z :r ?x}")),
    (
        q("?x :p ?y . ?x :s ?v OPTIONAL {?y :q ?z}", "x", "y", "z"),
        "<",
        q("?x :p ?y OPTIONAL {?y :q ?z}", "x", "y", "z"),
    ),
    (q("?x :p ?y OPTIONAL {?x :p ?y}"), "=", q("?x :p ?y")),
    (q("?x :p ?y OPTIONAL {?x :p ?z}", "x"), "=", q("?x :p ?y", "x")),
)


def known_pairs():
    """Yield each pair of texts with its sign."""
    yield from PAIRS
    for line in WINDOWS.strip().splitlines():
        whole = re.sub(r"\b([st])([1-9])(?= {)", r"STREAM :\1 [RANGE \2s]", line)
        yield tuple(re.split(r" ([<=|]) (?=SELECT)", whole.replace("s0 {", "STREAM :s [NOW] {")))


# Refutation


def refutes(one, other, data):
    """Return whether a data set gives the first query a row that the second lacks."""
    return bool(rows(one, data) - rows(other, data))


def rows(text, data):
    """Return the rows of a query over arrivals and static triples, each window a graph of its own."""
    whole = rdflib.Dataset()
    for triple in data["static"]:
        whole.add(triple)
    for number, (stream, window) in enumerate(re.findall(r"STREAM :(\w) (\[[^]]*\])", text)):
        graph = whole.graph(rdflib.URIRef(f"{E}graph{number}"))
        for t, triple in data[stream]:
            if first(window) <= t <= pivot(window):
                graph.add(triple)
        text = text.replace(f"STREAM :{stream} {window}", f"GRAPH <{E}graph{number}>", 1)
    found = whole.query(prepared(text))
    names = sorted(map(str, found.vars))
    return {tuple(row.get(rdflib.Variable(name)) for name in names) for row in found.bindings}


@lru_cache(maxsize=8)
def prepared(text):
    return prepareQuery(HEAD + text)


AT = 13


def pivot(window):
    slide = re.search(r"SLIDE (\d+)s", window)
    return AT if slide is None else AT // int(slide[1]) * int(slide[1])


def first(window):
    length = re.search(r"RANGE (\d+)s", window)
    return AT if "NOW" in window else 0 if length is None else pivot(window) - int(length[1])


def datasets(one, other, count, seed):
    """Yield small data: matches of each query's patterns, whole and thinned, and more triples."""
    random = Random(seed)
    patterns = [
        re.findall(r"(\S+) (\S+) ([^\s{}]+)(?=\s*[.}]|\s+OPTIONAL|$)", bodies(text)) for text in (one, other)
    ]
    names = sorted({term for some in patterns for triple in some for term in triple})
    for number in range(count):
        # In few nodes long patterns have too many matches.
        size = random.choice((1, 2, 3, len(names)) if len(names) < 8 else (1, 2 * len(names)))
        nodes = [rdflib.URIRef(f"{E}n{n}") for n in range(size)]
        values = {name: value(name, nodes, random) for name in names}
        if number < 2:
            values = {name: value(name, [rdflib.URIRef(f"{E}{name.strip('?_:')}")], random) for name in names}
        chosen = patterns[number % 2]
        kept = [t for t in chosen if number < 4 or random.random() < 0.85]
        triples = [tuple(values[name] for name in triple) for triple in kept]
        more = random.choice((0, 0, 1, 2)) if number >= 2 else 0
        triples += [
            tuple(values[name] for name in random.choice(patterns[0] + patterns[1])) for _ in range(more)
        ]
        yield placed(triples, random, spread=number >= 2)


def value(name, nodes, random):
    if name == "a":
        return rdflib.RDF.type
    return random.choice(nodes) if name[0] in "?_" else rdflib.URIRef(E + name[1:])


def bodies(text):
    return re.sub(r"UNION|SELECT [^{]*|STREAM :\w \[[^]]*\]|[{}]", " . ", text).replace("OPTIONAL", " . ")


def placed(triples, random, *, spread):
    """Return triples that arrive in both streams, at any time that a window may show, and stored."""
    kept = {source: random.choice((0.0, 0.9, 1.0)) if spread else 1.0 for source in "st"}
    found = {"static": triples if random.random() < 0.9 else [], "s": [], "t": []}
    for stream, triple in product("st", triples):
        if random.random() < kept[stream]:
            several = range(random.choice((1, 1, 2)))
            times = {random.choice((AT, AT - 1, AT - 2, AT - 3, 1)) for _ in several}
            found[stream] += [(t, triple) for t in (times if spread else (AT - 2,))]
    return found


def refutations(one, other, count):
    """Return for both directions whether rdflib finds data on which one has a row that the other lacks."""
    sides = {False: (one, other), True: (other, one)}
    return tuple(
        any(refutes(*sides[back], data) for data in datasets(*sides[back], count, seed=1)) for back in sides
    )


# The program's answer


def answered(one, other):
    """Return the sign that `contained` gives a pair, or "open", and the seconds that it took."""
    began = time.perf_counter()
    # A slow machine has more time than `lars decide` takes by default, so that its answer is the same.
    first, second = (
        PairQuery(read_query(HEAD + text, "q.rq"), Setting("sparql11"), searched=60) for text in (one, other)
    )
    found = reports_containment(first, second).holds, reports_containment(second, first).holds
    sign = {(True, False): "<", (True, True): "=", (False, False): "|"}
    return sign.get(found, "open"), time.perf_counter() - began
