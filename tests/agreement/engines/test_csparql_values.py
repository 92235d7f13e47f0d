"""Rule W6b through property paths: numbers of equal value meet where ARQ makes triple patterns."""

import pytest

from agreement.engines.csparql_097 import CSparql097
from agreement.recordings.recording import Push
from solver.static import Static
from translate.dialects import read_query

KIND = "http://www.w3.org/2001/XMLSchema#"
OBJECTS = [
    ("a p", "01", "integer"),
    ("a p", "1.0", "decimal"),
    ("b q", "1", "integer"),
    ("b q", "1.00", "decimal"),
]
WINDOW = "FROM STREAM <http://e/S> [RANGE 2s STEP 1s]"


def node(name):
    return f"<http://e/{name}>"


def pushes():
    for number, (names, text, kind) in enumerate(OBJECTS):
        s, p = names.split()
        yield Push(500 + number, node("S"), (node(s), node(p), f'"{text}"^^<{KIND}{kind}>'))
    yield Push(2500, node("S"), (node("c"), node("r"), node("d")))


@pytest.mark.parametrize("pattern", ["?s :p ?x . ?t :q ?x", "?s :p/^:q ?t", "?s (:p|:q) 1"])
@pytest.mark.parametrize(("off", "rows"), [((), 4), (("W6b",), None)])
def test_equal_numbers_meet_in_joins_sequences_and_alternatives(pattern, off, rows):
    query = read_query(
        f"REGISTER QUERY q AS PREFIX : <http://e/> SELECT * {WINDOW} WHERE {{ {pattern} }}", "q"
    )
    found = CSparql097().run(query, Static(frozenset(), {}), list(pushes()), frozenset(off))
    by_term = 1 if "|" in pattern else 0
    assert len(found.reports[0].rows) == (by_term if rows is None else rows)
