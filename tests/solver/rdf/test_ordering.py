"""ORDER BY made total: it agrees with `<`, is a strict weak order, and sorts rows by several keys."""

import operator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.formulas import Call
from lars.language.terms import NULL, RDF_LANG_STRING, XSD, Blank, Iri, Literal, Number, Symbol
from solver.rdf import evaluate, sorted_rows, value
from solver.rdf.aggregates import text_key
from solver.rdf.values import FALSE, TRUE, compare
from tests.solver.rdf.expressions import X, Y, term

NUMBERS = [
    "0",
    "-0",
    "1",
    "01",
    "1.0",
    "1.5",
    "-7",
    "NaN",
    "INF",
    "-INF",
    "1e3",
    "9007199254740993",
    "0.1",
    "x",
]
NUMERIC = ["integer", "byte", "decimal", "float", "double", "boolean"]
DAYS = ["2020-01-01", "2020-01-02", "0000-12-31", "2020-02-30"]
CLOCKS = ["00:00:00", "10:00:00", "23:59:59.5", "24:00:00"]
ZONES = st.sampled_from(["", "Z", "+14:00", "-05:30"])
TEXTS = st.sampled_from(["", "a", "b", "B", "ab", "é", "😀", "\ufffd"])
LITERALS = st.one_of(
    st.builds(
        lambda text, kind: Literal(text, XSD + kind), st.sampled_from(NUMBERS), st.sampled_from(NUMERIC)
    ),
    st.builds(
        lambda day, clock, zone: Literal(f"{day}T{clock}{zone}", XSD + "dateTime"),
        *(st.sampled_from(DAYS), st.sampled_from(CLOCKS), ZONES),
    ),
    st.builds(lambda day, zone: Literal(day + zone, XSD + "date"), st.sampled_from(DAYS), ZONES),
    st.builds(lambda clock, zone: Literal(clock + zone, XSD + "time"), st.sampled_from(CLOCKS), ZONES),
    st.builds(Literal, TEXTS, st.sampled_from([XSD + "string", XSD + "duration", "x:dt"])),
    st.builds(Literal, TEXTS, st.just(RDF_LANG_STRING), st.sampled_from(["en", "fr"])),
)
OTHERS = [None, NULL, Blank("a"), Blank("b"), Iri("x:a"), Iri("x:b"), Symbol("a"), Number(3), Number(10)]
TERMS = st.one_of(LITERALS, st.sampled_from(OTHERS))

# in ascending order
ASCENDING = """
-
_:a
_:b
<x:a>
<x:b>
"NaN"^^xsd:double
"-INF"^^xsd:float
"-1"^^xsd:integer
"0.5"^^xsd:decimal
"1"^^xsd:byte
"9"^^xsd:integer
"1.0E1"^^xsd:double
"INF"^^xsd:double
"false"^^xsd:boolean
"1"^^xsd:boolean
"2020-01-01T00:00:00+01:00"^^xsd:dateTime
"2020-01-01T00:00:00"^^xsd:dateTime
"2020-01-01T00:00:00Z"^^xsd:dateTime
"2020-01-01"^^xsd:date
"10:00:00+01:00"^^xsd:time
"10:00:00"^^xsd:time
"B"
"a"
"a"@en
"a"@fr
"b"@en
"x"^^xsd:integer
"0"^^<x:dt>
"1"^^<x:dt>
"""


def before(left, right):
    found = evaluate(Call("PRECEDES", (X, Y)), {X: left, Y: right})
    assert found in (TRUE, FALSE)
    return found == TRUE


def test_kinds_and_values_stand_in_the_documented_order():
    terms = [term(line) for line in ASCENDING.split("\n") if line]
    assert all(before(left, right) for left, right in pairwise(terms))
    assert sorted_rows([(one,) for one in terms[::-1]], [(0, False)]) == [(one,) for one in terms]


@given(TERMS, TERMS, TERMS)
def test_the_order_is_a_strict_weak_order(a, b, c):
    assert not (before(a, b) and before(b, a))
    assert not before(a, a)
    if before(a, b):
        assert before(a, c) or before(c, b)
    if before(a, b) and before(b, c):
        assert before(a, c)


@given(LITERALS, LITERALS)
def test_the_order_agrees_with_the_operator_where_that_decides(left, right):
    if compare(operator.lt, left, right):
        assert before(left, right)
    if before(left, right) and type(value(left)) is type(value(right)):
        assert compare(operator.lt, right, left) in (None, False)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('"1"^^xsd:integer', '"1.00"^^xsd:decimal'),
        ('"1"^^xsd:integer', '"1.0E0"^^xsd:double'),
        ('"0"^^xsd:double', '"-0"^^xsd:float'),
        ('"true"^^xsd:boolean', '"1"^^xsd:boolean'),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2020-01-01T01:00:00+01:00"^^xsd:dateTime'),
    ],
)
def test_terms_of_equal_value_leave_the_decision_to_the_next_key(left, right):
    rows = [(term(left), Iri("x:a")), (term(right), Iri("x:b"))]
    assert not before(*(row[0] for row in rows))
    assert not before(*(row[0] for row in reversed(rows)))
    assert sorted_rows(rows, [(0, False), (1, True)]) == rows[::-1]


@given(st.lists(st.tuples(TERMS, TERMS), max_size=6), st.randoms())
def test_rows_are_sorted_alike_in_whatever_order_they_come(rows, random):
    keys = [(1, True), (0, False)]
    found = sorted_rows(rows, keys)
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert [list(map(text_key, row)) for row in sorted_rows(shuffled, keys)] == [
        list(map(text_key, row)) for row in found
    ]
    for one, two in pairwise(found):
        assert not before(one[1], two[1])
        assert before(two[1], one[1]) or not before(two[0], one[0])


def test_ties_go_by_the_texts_from_left_to_right_with_unbound_first():
    a, b, one = Iri("x:a"), Iri("x:b"), Literal("1", XSD + "integer")
    rows = [(b, None), (a, one), (a, NULL), (None, one)]
    assert sorted_rows(rows, []) == [(None, one), (a, NULL), (a, one), (b, None)]
    assert sorted_rows(rows, [(1, True)]) == [(None, one), (a, one), (a, NULL), (b, None)]
