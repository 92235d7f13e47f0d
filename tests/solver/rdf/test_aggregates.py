"""Aggregates against SPARQL 1.1, Section 18.5.1; what its text leaves open does not depend on the order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.formulas import Aggregation, Call
from lars.language.terms import NULL, XSD, Literal, Number, Variable
from solver.rdf import aggregate, evaluate
from solver.rdf.aggregates import aggregate_of
from solver.rdf.values import convert, literal
from tests.solver.rdf.expressions import term

ALL = ["COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"]

# function, DISTINCT marked by a star | elements, a dash is unbound | the term or error
TABLE = r"""
COUNT |  | "0"^^xsd:integer
COUNT | "a" - <x:a> _:b "a" | "4"^^xsd:integer
COUNT* | "a" - <x:a> "a" - | "2"^^xsd:integer
COUNT* | "1"^^xsd:integer "01"^^xsd:integer "1"^^xsd:integer | "2"^^xsd:integer
SUM |  | "0"^^xsd:integer
SUM | "1"^^xsd:integer "1"^^xsd:integer | "2"^^xsd:integer
SUM* | "1"^^xsd:integer "1"^^xsd:integer "1.0"^^xsd:decimal | "2"^^xsd:decimal
SUM | "1"^^xsd:byte "2"^^xsd:long | "3"^^xsd:integer
SUM | "1"^^xsd:integer "0.5"^^xsd:decimal | "1.5"^^xsd:decimal
SUM | "1"^^xsd:integer "0.5"^^xsd:float "0.1"^^xsd:decimal | "1.6E0"^^xsd:float
SUM | "0.1"^^xsd:float "1"^^xsd:double | "1.1000000014901161E0"^^xsd:double
SUM | "2.2"^^xsd:decimal "0.2"^^xsd:double | "2.4E0"^^xsd:double
SUM | "1"^^xsd:integer "INF"^^xsd:double | "INF"^^xsd:double
SUM | "-INF"^^xsd:float "INF"^^xsd:double | "NaN"^^xsd:double
SUM | "1e308"^^xsd:double "1e308"^^xsd:double "-1e308"^^xsd:double | "1.0E308"^^xsd:double
SUM | "1e308"^^xsd:double "1e308"^^xsd:double | "INF"^^xsd:double
SUM | "1"^^xsd:integer "a" | error
SUM | "1"^^xsd:integer "x"^^xsd:integer | error
SUM | "1"^^xsd:integer - | error
SUM | _:a | error
AVG |  | "0"^^xsd:integer
AVG | "1"^^xsd:integer "2"^^xsd:integer | "1.5"^^xsd:decimal
AVG | "1"^^xsd:integer "3"^^xsd:integer | "2"^^xsd:decimal
AVG* | "1"^^xsd:integer "3"^^xsd:integer "3"^^xsd:integer | "2"^^xsd:decimal
AVG | "1"^^xsd:float "2"^^xsd:integer | "1.5E0"^^xsd:float
AVG | "1234567890123456789012345678901"^^xsd:integer | "1234567890123456789012345678901"^^xsd:decimal
AVG | "1"^^xsd:integer - | error
AVG | "1"^^xsd:integer <x:a> | error
MIN |  | error
MAX |  | error
MIN | "10"^^xsd:integer "9.5"^^xsd:decimal "1.0E1"^^xsd:double | "9.5"^^xsd:decimal
MAX | "10"^^xsd:integer "9.5"^^xsd:decimal "9" | "9"
MIN | "1"^^xsd:integer _:b <x:a> | _:b
MAX | "b" "a"@en "c" | "a"@en
MIN | "1.0"^^xsd:decimal "01"^^xsd:integer "1"^^xsd:integer | "01"^^xsd:integer
MAX | "1.0"^^xsd:decimal "1"^^xsd:integer "01"^^xsd:integer | "01"^^xsd:integer
MIN | "1"^^xsd:integer "NaN"^^xsd:double | "NaN"^^xsd:double
MIN | "1"^^xsd:integer - | error
MAX | "1"^^xsd:integer - | error
SAMPLE |  | error
SAMPLE | - | error
SAMPLE | "b" - "a" | "a"
GROUP_CONCAT |  | ""
GROUP_CONCAT | "b" "a" "b" | "a b b"
GROUP_CONCAT* | "b" "a" "b" "a"@en | "a a b"
GROUP_CONCAT | <x:a> "01"^^xsd:integer "c"@en | "01 c x:a"
GROUP_CONCAT | "a" - | error
GROUP_CONCAT | "a" _:a | error
"""
CASES = [pytest.param(*line.split(" | "), id=line) for line in TABLE.splitlines() if line]
TERMS = st.sampled_from(
    [
        term(f'"{text}"^^xsd:{kind}')
        for text in ("0.1", "3", "-2", "7e9")
        for kind in ("float", "double", "decimal")
    ]
    + [term('"a"'), term("<x:a>"), term("_:a"), term('"3"^^xsd:integer'), term('"03"^^xsd:integer'), None]
)


def aggregation(text, **more):
    return Aggregation(text.rstrip("*"), (Variable("x"),), distinct=text.endswith("*"), **more)


def wanted(text):
    return None if text == "error" else term(text)


@pytest.mark.parametrize(("function", "elements", "expected"), CASES)
def test_an_aggregate_is_what_the_specification_says(function, elements, expected):
    found = aggregate(aggregation(function), [(term(text),) for text in elements.split()])
    assert found == wanted(expected)


@given(st.sampled_from(ALL), st.lists(TERMS, max_size=6), st.randoms())
def test_an_aggregate_does_not_depend_on_the_order_of_its_elements(function, terms, random):
    shuffled = list(terms)
    random.shuffle(shuffled)
    for star in ("", "*"):
        one, two = (
            aggregate(aggregation(function + star), [(x,) for x in some]) for some in (terms, shuffled)
        )
        assert one == two


@given(st.sampled_from(ALL), st.lists(TERMS, max_size=6), st.sampled_from([" ", "; ", ""]))
def test_the_call_of_an_aggregate_gives_the_same(function, terms, separator):
    values = tuple(NULL if one is None else one for one in terms)
    call = Call(f"AGGREGATE {function}", (Literal(separator), *values))
    expected = aggregate(aggregation(function, separator=separator), [(one,) for one in terms])
    assert evaluate(call, {}) == expected


def test_count_without_an_argument_counts_elements_and_with_several_distinct_tuples():
    a, b = term('"a"'), term('"b"')
    elements = [(a, None), (a, b), (a, None), (None, None)]
    several = Aggregation("COUNT", (Variable("x"), Variable("y")), distinct=True)
    assert aggregate(several, elements) == Literal("3", XSD + "integer")
    assert aggregate(Aggregation("COUNT"), [()] * 3) == Literal("3", XSD + "integer")
    assert aggregate(Aggregation("COUNT", distinct=True), [()] * 3) == Literal("1", XSD + "integer")


def test_a_separator_stands_between_the_texts():
    elements = [(term('"b"'),), (term('"a"'),)]
    assert aggregate(aggregation("GROUP_CONCAT", separator=", "), elements) == Literal("a, b")


def test_numbers_of_the_logic_are_added_as_integers():
    elements = [(Number(5),), (Number(30),), (Number(7),)]
    assert aggregate(Aggregation("SUM", (Variable("x"),)), elements) == Literal("42", XSD + "integer")
    assert aggregate(Aggregation("AVG", (Variable("x"),)), elements) == Literal("14", XSD + "decimal")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_a_sum_of_doubles_is_exact_and_rounded_once(numbers):
    exact = literal(convert(float, sum(map(Fraction, numbers))))
    terms = (Literal(repr(number), XSD + "double") for number in numbers)
    assert aggregate_of("SUM", " ", *terms) == exact
