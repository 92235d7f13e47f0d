"""What literals denote: a value comes back from its literal, and only XSD's lexical forms have one."""

import struct
from decimal import Decimal
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.terms import XSD, Literal
from solver.rdf import Single, value
from solver.rdf.values import arithmetic, later, literal, scientific


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_an_integer_is_the_value_of_its_literal(number):
    assert value(literal(number)) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_is_the_value_of_its_literal(number):
    assert value(literal(number)) == number
    assert isinstance(value(literal(number)), Decimal)


@given(st.floats(allow_nan=False))
def test_a_double_is_the_value_of_its_literal(number):
    assert value(literal(number)) == number
    assert "E" in scientific(number) or "INF" in scientific(number)


@given(st.floats(width=32, allow_nan=False))
def test_a_float_is_the_value_of_its_literal(number):
    found = value(literal(Single(number)))
    assert isinstance(found, Single)
    assert struct.pack("f", found) == struct.pack("f", number)


@pytest.mark.parametrize("bad", ["1e5", "0x1", "1_000", "", "+", " 1", "1 ", "١", "∞", "1.5"])
def test_what_python_reads_as_a_number_but_xsd_does_not_is_ill_typed(bad):
    assert value(Literal(bad, XSD + "integer")) is None


def test_an_integer_of_more_digits_than_python_reads_has_its_value():
    digits = "9" * 5_000
    assert literal(value(Literal(digits, XSD + "integer")) + 1).lexical == f"1{'0' * 5_000}"


def test_an_integer_of_a_million_digits_has_no_value():
    assert value(Literal("9" * 1_000_000, XSD + "integer")) is None


@given(st.integers(-(10**70), 10**70), st.integers(1, 10**40))
def test_a_quotient_has_28_digits_or_the_digits_of_its_operands(number, divisor):
    quotient = value(arithmetic("/", literal(number), literal(divisor)))
    exact = Fraction(number, divisor)
    assert abs(Fraction(quotient) - exact) <= abs(exact) / 10**27
    assert value(arithmetic("/", literal(number), literal(1))) == number
    assert value(arithmetic("/", literal(number * divisor), literal(divisor))) == number


@pytest.mark.parametrize(
    ("one", "two", "text"),
    [
        (5, 3, "1.666666666666666666666666667"),
        (10**27, 3, f"{'3' * 27}.3"),
        (10**60 + 1, 2, f"5{'0' * 59}.5"),
        (1, Decimal(f"1E-{59}"), f"1{'0' * 59}"),
        (7, Decimal(f"3E-{59}"), f"2{'3' * 59}.{'3' * 28}"),
    ],
)
def test_a_quotient_keeps_the_digits_of_its_integer_part(one, two, text):
    assert arithmetic("/", literal(one), literal(two)) == Literal(text, XSD + "decimal")


@pytest.mark.parametrize("number", [-70036096813105151, Decimal("-70036096813105151.5")])
def test_a_number_near_the_middle_of_two_floats_is_rounded_once(number):
    # As a double it is the middle, which would be rounded to the other float.
    assert float(number) == -70036096813105152
    assert Single(number) == -70036094665621504


def test_the_text_of_a_float_is_rounded_once():
    assert value(Literal("-70036096813105151.0", XSD + "float")) == -70036094665621504


@pytest.mark.parametrize(
    "text", ["1e-99999999999999999999", "-0e99999999999999999999", "1e99999999999999999999"]
)
def test_a_float_whose_exponent_no_decimal_has_is_0_or_infinite(text):
    assert value(Literal(text, XSD + "float")) == float(text) in {0, inf}


@pytest.mark.parametrize("number", [10**400, Fraction(10**400, 3), Decimal(10**400), 1e300])
def test_a_number_beyond_all_floats_is_infinite_whatever_holds_it(number):
    assert (Single(number), Single(-number)) == (inf, -inf)


@pytest.mark.parametrize("nines", [3, 31, 500])
def test_a_later_date_keeps_all_its_digits(nines):
    text = f"1999-12-31T23:59:58.{'9' * nines}Z"
    assert later(Literal(text, XSD + "dateTime"), Fraction(0)).lexical == text
    third = later(Literal("1999-12-31T23:59:58Z", XSD + "dateTime"), Fraction(1, 3)).lexical
    assert third.startswith("1999-12-31T23:59:58.3333")
    assert len(third) < 60
