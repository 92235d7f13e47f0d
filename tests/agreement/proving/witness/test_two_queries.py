"""Two queries at every time point: what is found, or not, against all streams of a small domain."""

from itertools import combinations, product
from random import Random

import pytest

from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, smallest, two_queries
from tests.agreement.command import lars
from tests.agreement.proving.witness.exhaustive import rows, texts
from tests.benchmarks.witness_differential import random_question
from translate.dialects import read_query
from translate.model.query import Setting

LAST = 4
TRIPLES = [(s, p, o, stream) for s, p, o, stream in product("ab", "pq", "ab", "sr")]


def monotone(random):
    """Return a question that is a join of windows without slides, with closed ends and no condition."""
    while True:
        asked = random_question(random)
        if asked.operator == "join" and all(part.slide == 1 for part in asked.parts):
            return asked._replace(least=None, bounds="closed", shown=(asked.parts[0].subject,))


def exhausted(left, right):
    """Return the least number of triples with which the left question has a row more, up to two."""
    read = {(part.predicate, part.stream) for asked in (left, right) for part in asked.parts}
    arrivals = [(t, one) for t in range(LAST + 1) for one in TRIPLES if (one[1], one[3]) in read]
    for count in range(3):
        for stream in combinations(arrivals, count):
            if rows(left, stream, LAST, merged=False) - rows(right, stream, LAST, merged=False):
                return count
    return None


@pytest.mark.parametrize("number", range(4))
def test_a_query_is_held_by_another_exactly_if_no_small_stream_says_otherwise(number):
    random = Random(number)
    left = monotone(random)
    # Another window, a part less, or any other question.
    shorter = left._replace(
        parts=tuple(part._replace(length=random.choice((None, 1, 3))) for part in left.parts)
    )
    right = random.choice((shorter, left._replace(parts=left.parts[:1]), left, monotone(random)))
    right = right._replace(shown=(right.parts[0].subject,))
    one, other = (read_query(texts(asked)[1], "q.rq") for asked in (left, right))
    streams = tuple(dict.fromkeys((*streams_of(one), *streams_of(other))))
    found = smallest(WitnessSearch(two_queries(one, other, Setting(), contained=True), streams, {}))
    expected = exhausted(left, right)
    assert found.holds is (expected is None)
    assert expected is None or len(found.witness.facts) == expected


def searched(left, right, static=None):
    one, other = (read_query(f"PREFIX : <http://e/> SELECT ?x {{{body}}}", "q.rq") for body in (left, right))
    streams = tuple(dict.fromkeys((*streams_of(one), *streams_of(other))))
    return smallest(WitnessSearch(two_queries(one, other, Setting(), contained=True), streams, static))


def test_what_a_negated_property_set_names_is_tried():
    found = searched(*(f"STREAM :s [RANGE 2s] {{?x !({some}) ?y}}" for some in (":p", ":p|:q")))
    assert [fact.arguments[1] for fact in found.witness.facts] == ["<http://e/q>"]


def test_a_named_graph_is_there_with_its_triples():
    window = "STREAM :s [NOW] {?x :p ?y}"
    assert searched(f"{window} GRAPH ?g {{?a :q ?b}}", f"{window} GRAPH ?g {{}}").search_end == "none up to"
    found = searched(f"{window} GRAPH ?g {{}}", f"{window} GRAPH ?g {{?x :p ?y}}")
    assert (len(found.witness.facts), len(found.witness.triples)) == (1, 1)


def test_no_blank_node_is_in_a_stream_and_in_static_data():
    parts = "STREAM :s [RANGE 2s] {?x :p ?y} ?y :q ?z"
    found = searched(f"{parts} FILTER(isBlank(?y) || ?y = 1)", f"{parts} FILTER(?y = 1)")
    assert found.search_end == "none up to"


def test_what_leaves_a_tuple_window_can_be_displaced_at_once():
    """Two more triples of one instant end a window of two; one alone would have to arrive twice."""
    found = searched(*(f"STREAM :s [TRIPLES {count}] {{?x :p ?y}}" for count in (3, 2)))
    assert ([fact.t for fact in found.witness.facts], found.witness.end) == ([0, 0, 0], 0)
    now = "STREAM :s [NOW] {?x :p ?y}"
    found = searched(*(f"STREAM :s [TRIPLES {count}] {{?x :p ?y}} {now}" for count in (3, 2)))
    assert found.witness is not None


def test_a_tuple_window_may_be_longer_than_clingo_counts():
    parts = ("STREAM :s [TRIPLES 4294967296] {?x :p ?y}", "STREAM :s [NOW] {?x :p ?y}")
    assert searched(*parts).witness is not None
    assert searched(*parts[::-1]).search_end == "none up to"


def test_no_new_value_is_one_that_the_static_data_name():
    # Were the new node that of the static data, the second query would have its row too.
    static = {("triple", 4): (("<http://example.org/x>", "<http://e/k>", "<http://e/z>", "default"),)}
    stream = "STREAM :s [RANGE 2s] { ?x :p ?y }"
    assert searched(stream, f"{stream} ?x :k ?z", static).witness is not None


JUST_ABOVE = f'"1.{"0" * 30}1"^^<http://www.w3.org/2001/XMLSchema#decimal>'
NARROW = [
    # As a double it is 1, which numbers beyond 1.00000000000000011 are not.
    ("?y = 1e0 && ?y > 1.0000000000000001", "STREAM :s [NOW] { ?x :no ?y }"),
    (
        f"?y = 1 && ?w = 1 && ?y < {JUST_ABOVE} && ?w < {JUST_ABOVE}",
        "STREAM :s [RANGE 5s] { ?x :p ?y; :q ?y }",
    ),
]


@pytest.mark.parametrize(("where", "less"), NARROW)
def test_numbers_of_a_narrow_region_are_tried_and_two_terms_of_one(where, less):
    left = f"STREAM :s [RANGE 5s] {{ ?x :p ?y; :q ?w }} FILTER({where})"
    assert searched(left, less).witness is not None


@pytest.mark.parametrize("part", ["VALUES ?y { :k }", "?y :kind :good"])
def test_a_value_that_rows_or_static_data_give_is_tried(part):
    static = {("triple", 4): (("<http://e/k>", "<http://e/kind>", "<http://e/good>", "default"),)}
    stream = "STREAM :s [RANGE 2s] { ?x :p ?y }"
    assert searched(f"{stream} {part}", f"{stream} FILTER(?y = :other)", static).witness is not None


HIDDEN = (
    "{ SELECT ?x { STREAM :S [RANGE 5s] { ?x :p ?y } } } { SELECT ?z { STREAM :S [RANGE 5s] { ?z :p ?y } } }"
)
READ = "STREAM :S [RANGE 5s] { ?x :p ?z }"
NONE = "STREAM :S [NOW] { ?x :no ?z }"
UNLIKE = [
    (HIDDEN, "STREAM :S [RANGE 5s] { ?x :p ?y . ?z :p ?y }"),
    (
        "STREAM :S [RANGE 5s] { ?x :p ?y . ?z :q ?w } FILTER(?y = ONE && ?w = ONE)",
        "STREAM :S [RANGE 5s] { ?x :p ?y . ?z :q ?y }",
    ),
    (f"{READ} FILTER(?z = ONE)", "STREAM :S [RANGE 5s] { ?x :p ONE . ?x :p ?z }"),
    (f"{READ} FILTER(?z < ONE && ?z > LESS)", NONE),
    (f'{READ} FILTER(?z = "a" || ?z = true)', NONE),
]


@pytest.mark.parametrize("pair", UNLIKE, ids=range(len(UNLIKE)))
@pytest.mark.parametrize(
    ("one", "less"),
    [("1", f"0.{'9' * 40}"), (f"1{'0' * 40}", f"{'9' * 40}.{'9' * 40}"), ("1e0", "0.9999999999999999e0")],
)
def test_a_value_for_each_hidden_variable_and_unlike_terms_of_one_value(pair, one, less, tmp_path):
    for name, body in zip(("a.rq", "b.rq"), pair, strict=True):
        text = f"PREFIX : <http://e/> SELECT ?x ?z {{ {body} }}"
        (tmp_path / name).write_text(text.replace("ONE", one).replace("LESS", less))
    # No double lies between the last two; decimals that are nearest to one of these equal it.
    least = 0 if "LESS" in pair[0] and "e" in one else 1
    for command in ("witness", "decide"):
        found = lars(command, tmp_path / "a.rq", tmp_path / "b.rq", "--contained", "--unit", "1s", "-q")
        assert found.code == least
