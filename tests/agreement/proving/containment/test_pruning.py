"""Patterns without what binds nothing that is seen: Oxigraph answers both alike on random graphs."""

from dataclasses import replace
from itertools import count
from random import Random

import pyoxigraph
import pytest

from agreement.proving.containment.pruning import prune
from lars.language.terms import Literal, Variable
from tests.sizes import few
from translate.analysis import rebuild
from translate.dialects import read_query
from translate.model.patterns import Extend, Select
from translate.model.query import Language
from translate.writing import write_query

NUMBERS = count()
NODES = [pyoxigraph.NamedNode(f"http://e/{name}") for name in "ab"]
OBJECTS = [*NODES, pyoxigraph.Literal(1), pyoxigraph.Literal(2)]
AGGREGATES = ("COUNT(?{0})", "COUNT(DISTINCT ?{0})", "SUM(?{0}) + 1", "MIN(?{0})")


def edges(rng):
    ends = ("xyz", "pq", "xyz")
    return "?{} <http://e/{}> ?{}".format(*(rng.choice(names) for names in ends))


def pattern(rng, depth):
    """Return the text of a pattern; its variables are x, y, z, n, m and those of BIND."""
    inner = edges(rng) if depth == 0 else pattern(rng, depth - 1)
    match rng.randrange(7) if depth else 6:
        case 0:
            joined = rng.choice(("UNION", "OPTIONAL", "MINUS", ""))
            return f"{{ {inner} }} {joined} {{ {pattern(rng, depth - 1)} }}"
        case 1:
            return f"{{ {inner} }} BIND(?{rng.choice('xyzn')} + 1 AS ?k{rng.randrange(10**6)})"
        case 2:
            return f"{{ {inner} }} FILTER(?{rng.choice('xyznm')} {rng.choice('<=')} 2)"
        case 3:
            return f"{{ SELECT ?{rng.choice('xyz')} ?{rng.choice('nm')} {{ {inner} }} }}"
        case 4 | 5:
            key = rng.choice(("", "?x", "?x ?y"))
            aggregate = rng.choice(AGGREGATES).format(rng.choice("xyz"))
            column = f"({aggregate} AS ?{rng.choice('nm')}{rng.randrange(10**6)})"
            having = rng.choice(("", "", "HAVING(COUNT(*) > 1)"))
            grouped = f"SELECT {key} {column} {{ {inner} }} {key and f'GROUP BY {key}'} {having}"
            return f"{{ {grouped} }}"
        case _:
            return inner


def writable(part):
    """Return a subquery of no columns as one of a constant: SPARQL has no other."""
    match part:
        case Select(inner, ()):
            column = Variable(f"column{next(NUMBERS)}")
            return Select(Extend(rebuild(inner, writable), column, Literal("1")), (column,))
        case _:
            return None


@pytest.mark.parametrize("seed", few(range(150), 50))
def test_what_is_seen_stays(seed):
    rng = Random(seed)
    text = f"SELECT ?{rng.choice('xyznm')} {{ {pattern(rng, 3)} }}"
    query = read_query(text, "q.rq")
    pruned = rebuild(prune(query.pattern, frozenset(query.result)), writable)
    texts = text, write_query(replace(query, pattern=pruned), Language.CSPARQL)
    for _ in range(4):
        store = pyoxigraph.Store()
        for _ in range(rng.randint(0, 7)):
            predicate = pyoxigraph.NamedNode(f"http://e/{rng.choice('pq')}")
            store.add(pyoxigraph.Quad(rng.choice(NODES), predicate, rng.choice(OBJECTS)))
        rows, expected = ({str(row) for row in store.query(written)} for written in texts)
        assert rows == expected, texts
