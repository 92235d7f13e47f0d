"""The specification `cqels` computed directly: rdflib on a graph for each window, at each arrival.

Nothing of the project evaluates here: windows are cut by hand, SPARQL is rdflib's. In the patterns
[0], [1] stand for `STREAM s w` in CQELS, and for `GRAPH <urn:w0>` in SPARQL.
"""

import random
import re
from collections import Counter
from decimal import Decimal

import rdflib

from agreement.documents.outputs import short
from agreement.documents.requests import sources
from agreement.engines.engine import answers, columns
from agreement.engines.versions.cqels_text import read_written
from tests.agreement.engines.versions.cqels_runs import E, pushed, static
from translate.model.windows import Now, Range, Rows

PREFIX = f"PREFIX : <{E}> "
WINDOWS = (
    (":S", "[RANGE 200ms]"),
    (":S", "[RANGE 300ms SLIDE 200ms]"),
    (":S", "[RANGE 200ms TUMBLING]"),
    (":S", "[NOW]"),
    (":S", "[TRIPLES 2]"),
    (":S", "[ALL]"),
    (":T", "[RANGE 300ms]"),
    (":T", "[TRIPLES 3]"),
)
KNOWN = "x in r1/x in r2/y in r1/r1 floor 1/r2 floor 1/r2 floor 2"
SHAPES = (
    ("SELECT ?s ?a", "{ [0] { ?s :p ?a } }", ""),
    ("SELECT ?s", "{ [0] { ?s :p ?a . ?s :q ?b } }", ""),
    ("SELECT ?s ?b", "{ [0] { ?s ?x ?a } [1] { ?s :q ?b } }", ""),
    ("SELECT ?s ?t ?a", "{ [0] { ?s :p ?a . ?t :p ?a } FILTER(STR(?s) < STR(?t)) }", ""),
    ("SELECT ?s ?t", "{ [0] { ?s :p ?a } [1] { ?t :q ?b } FILTER(?a < ?b) }", ""),
    ("SELECT ?s ?b", "{ [0] { ?s :p ?a . FILTER(?a > 1) } [1] { ?s ?x ?b FILTER(?b < 4) } }", ""),
    ("SELECT ?s ?f", "{ [0] { ?s :p ?a } ?s :in ?r . ?r :floor ?f }", ""),
    ("SELECT ?s ?n", "{ [0] { ?s :p ?a } { ?s :in ?n } UNION { ?n :floor ?a } }", ""),
    ("SELECT ?s ?a", "{ [0] { ?s :p ?a } FILTER NOT EXISTS { ?s :in ?new } }", ""),
    ("SELECT ?s (COUNT(?a) AS ?n)", "{ [0] { ?s :p ?a } }", "GROUP BY ?s"),
    ("SELECT (AVG(?a) AS ?m) (MAX(?b) AS ?n)", "{ [0] { ?s :p ?a . ?s :q ?b } }", ""),
    ("SELECT ?s (SUM(?b) AS ?n)", "{ [0] { ?s :p ?a } [1] { ?s ?x ?b } }", "GROUP BY ?s HAVING(SUM(?b) > 3)"),
    ("SELECT (COUNT(DISTINCT ?a) AS ?n)", "{ [0] { ?s :p ?a } ?s :in ?r }", ""),
    ("SELECT DISTINCT ?a", "{ [0] { ?s :p ?a } }", "ORDER BY DESC(?a) LIMIT 2"),
)


def drawn(seed):
    """Return windows and pushes; equal times, equal triples and both streams occur."""
    chance, t, lines = random.Random(seed), 0, []
    for _ in range(14):
        t += chance.choice((0, 50, 100, 100, 250))
        words = [chance.choice(choices) for choices in ("SST", "xyz", "ppqr", "1234")]
        lines.append(f"{t} {' '.join(words)}")
    return [chance.choice(WINDOWS) for _ in range(2)], "/".join(lines)


def in_cqels(shape, windows):
    """Return the query of a shape in CQELS."""
    return _filled(shape, [f"STREAM {stream} {window}" for stream, window in windows])


def _filled(shape, blocks):
    return re.sub(r"\[([01])\]", lambda found: blocks[int(found[1])], PREFIX + " ".join(shape))


def shown(window, stream, pushes):
    """Return the triples that a window shows when the last push has just come."""
    now, here = pushes[-1].t, []
    for push in pushes:
        if push.stream == stream and (push.t, push.triple) not in here:
            here.append((push.t, push.triple))
    match window:
        case Now():
            here = [one for one in here if one[0] == now]
        case Range(length):
            here = [one for one in here if one[0] >= now - length.nanoseconds / 10**6]
        case Rows(count):
            here = here[-count:]
    return [triple for _, triple in here]


def by_rdflib(shape, windows, lines):
    """Return what is new at each push as (number, row)."""
    read = [sources(read_written(in_cqels(SHAPES[0], [one]), "q"))[0] for one in windows]
    query = _filled(shape, ["GRAPH <urn:w0>", "GRAPH <urn:w1>"])
    every = _filled(("SELECT *", shape[1], ""), ["GRAPH <urn:w0>", "GRAPH <urn:w1>"])
    found = []
    for number in range(1, len(pushed(lines)) + 1):
        data = rdflib.Dataset()
        _fill(data.default_graph, static(KNOWN).default)
        for n, source in enumerate(read):
            _fill(data.graph(f"urn:w{n}"), shown(source.window, str(source.stream), pushed(lines)[:number]))
        found.append(_rows(data.query(query)) if len(data.query(every)) else Counter())
    return _istream(found)


def by_contents(shape, windows, lines):
    """Return the same by the project's translation to ASP."""
    query, pushes = read_written(in_cqels(shape, windows), "q"), pushed(lines)
    contents = [
        {one: shown(one.window, str(one.stream), pushes[:number]) for one in sources(query)}
        for number in range(1, len(pushes) + 1)
    ]
    assert columns(query) == tuple(sorted(columns(query)))
    rows = answers(query, contents, static(KNOWN))
    return _istream([Counter(" ".join(map(plain, map(short, row))) for row in one) for one in rows])


def _fill(graph, triples):
    graph.parse(data="".join(f"{' '.join(triple)} .\n" for triple in triples), format="nt")


def _rows(result):
    names = sorted(result.vars)
    return Counter(" ".join(plain(_word(row[name])) for name in names) for row in result)


def _word(term):
    return "-" if term is None else short(f"<{term}>" if isinstance(term, rdflib.URIRef) else term.n3())


def plain(word):
    """Return a number without its form: 2.50 and 2.5 are one."""
    try:
        return str(round(float(Decimal(word)), 9))
    except ArithmeticError:
        return word


def _istream(bags):
    new = [now - before for before, now in zip([Counter(), *bags], bags, strict=False)]
    return sorted((number, row) for number, bag in enumerate(new) for row in bag.elements())
