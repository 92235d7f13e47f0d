"""How many rows two answers share: against every way to pair them, and by the rules for terms."""

import sqlite3
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.comparing.matching import likeness
from agreement.comparing.matching.likeness import (
    Likeness,
    RowMatch,
    close,
    match_rows,
    matched_by_keys,
    named_rows,
    only_kinds_apart,
    row_key,
)
from agreement.documents.recordings import RowNumbers
from lars.language.terms import RDF_LANG_STRING, XSD, Literal
from solver.facts import constant_of
from tests.sizes import size

BAG = Likeness()
ROUGH = Likeness(tolerance=0.1)
SET = Likeness("set")
A, B = "<http://e/a>", "<http://e/b>"
HUGE = 10**400


def literal(text, kind):
    return f'"{text}"^^<{XSD}{kind}>'


def counts(expected, actual, how=BAG):
    found = match_rows([(term,) for term in expected], [(term,) for term in actual], how)
    return found.common, len(found.missing), len(found.extra)


SAME = [
    (literal("1", "integer"), literal("1.0", "decimal")),
    (literal("1", "integer"), literal("1e0", "double")),
    (literal("+01", "integer"), literal("1", "byte")),
    (literal("0.1", "decimal"), literal("0.1", "double")),
    (literal("-0", "double"), literal("0", "integer")),
    (literal("INF", "double"), literal("INF", "float")),
    (literal(HUGE, "integer"), literal(HUGE, "decimal")),
    (literal("NaN", "double"), literal("NaN", "double")),
    (literal("1", "boolean"), literal("true", "boolean")),
    (literal("92.33333333333333", "decimal"), literal("92.333333333333", "double")),
    (None, None),
    ("_:a", "_:b"),
]
OTHER = [
    (literal("1", "integer"), '"1"'),
    (literal("1", "integer"), literal("true", "boolean")),
    (literal("0", "boolean"), literal("0", "integer")),
    (literal("INF", "double"), literal("5", "integer")),
    (literal("INF", "double"), literal("-INF", "double")),
    (literal(HUGE, "integer"), literal("INF", "double")),
    (literal(HUGE, "integer"), literal("1e308", "double")),
    (literal(HUGE, "integer"), literal(HUGE + 1, "integer")),
    (literal("5000000000", "integer"), literal("5000000001", "integer")),
    (literal("NaN", "double"), literal("1", "double")),
    (literal("92.3333", "decimal"), literal("92.33333333333333", "decimal")),
    (literal("x", "integer"), literal("y", "integer")),
    (str(Literal("x", RDF_LANG_STRING, "en")), str(Literal("x", RDF_LANG_STRING, "de"))),
    (str(Literal("x", RDF_LANG_STRING, "en")), '"x"'),
    ("_:a", A),
    ("_:a", '"_:a"'),
    (None, A),
    (A, B),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_terms_count_as_equal(one, other):
    assert counts([one], [other]) == counts([other], [one]) == (1, 0, 0)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_terms_differ(one, other):
    assert counts([one], [other]) == counts([other], [one]) == (0, 1, 1)


def test_huge_numbers_are_near_by_their_share():
    near, far = literal(HUGE + HUGE // 10**12, "decimal"), literal(HUGE * 2, "decimal")
    assert counts([literal(HUGE, "integer")], [near]) == (1, 0, 0)
    assert counts([literal(HUGE, "integer")], [far]) == (0, 1, 1)


def test_without_tolerance_a_decimal_is_still_the_double_of_its_digits():
    exact = Likeness(tolerance=0)
    assert counts([literal("0.1", "decimal")], [literal("0.1", "double")], exact) == (1, 0, 0)
    assert counts([literal("0.1", "decimal")], [literal("0.1000001", "double")], exact) == (0, 1, 1)


def test_a_number_takes_the_partner_that_leaves_others_theirs():
    ten, eleven, twelve = (literal(number, "decimal") for number in ("1.0", "1.1", "1.19"))
    assert counts([ten, eleven], [eleven, twelve], ROUGH) == (2, 0, 0)


def test_rows_of_other_widths_are_no_match():
    assert match_rows([(A, None)], [(A, None, B)], BAG).common == 0


def test_a_set_counts_equal_values_once():
    ones = [literal("1", "integer"), literal("1.0", "decimal"), literal("1", "integer")]
    assert counts(ones, ones[:1], SET) == (1, 0, 0)
    assert counts(ones, ones[:1]) == (1, 2, 0)


def test_blank_nodes_are_renamed_one_to_one_across_rows():
    shared = [("_:x", A), ("_:x", B), ("_:y", A)]
    apart = [("_:x", A), ("_:y", A), ("_:z", B)]
    assert match_rows(shared, [("_:y", A), ("_:y", B), ("_:x", A)], BAG).equal
    assert not match_rows(shared, apart, BAG).equal
    assert not match_rows(apart, shared, BAG).equal


def test_blank_nodes_and_numbers_written_otherwise_are_alike_together():
    one = [("_:x", literal("1", "integer")), ("_:y", literal("92.33333333333333", "decimal"))]
    other = [("_:b", literal("92.333333333333", "double")), ("_:a", literal("1.0", "decimal"))]
    assert match_rows(one, other, BAG).equal


def test_blank_nodes_of_numbers_with_close_numbers_between_them_have_their_own_partners():
    def rows(nodes, *values):
        return [(f"_:{node}", literal(value, "decimal")) for node, value in zip(nodes, values, strict=True)]

    how, expected = Likeness(tolerance=0.03), rows("abc", "20.0", "20.5", "21.0")
    assert match_rows(expected, rows("xyz", "21.0", "20.5", "20.0"), how).equal
    assert match_rows(expected, rows("xyz", "20.6", "20.9", "20.1"), how).equal
    assert match_rows(rows("ab", "20.0", "20.1"), rows("xy", "20.05", "20.04"), how).equal
    assert not match_rows(expected, rows("xyz", "21.0", "21.0", "21.0"), how).equal


def test_nodes_without_a_counterpart_have_labels_that_are_terms():
    reports = [[("_:x", A), ("_:y", B)], [("_:x", A)]]
    named = named_rows([("_:a", B)], reports, SET)
    assert len({row[0] for row in named}) == 3
    assert all(str(constant_of(text)) == text for row in named for text in row)


@pytest.mark.parametrize("number", ["20.0", "20.2", "20.5"])
def test_two_blank_nodes_of_one_number_are_those_of_two_numbers_close_to_it(number):
    double = '"{}"^^<http://www.w3.org/2001/XMLSchema#double>'.format
    expected = [("_:a", double("20.0")), ("_:b", double("20.5"))]
    actual = [("_:x", double(number)), ("_:y", double(number))]
    found = match_rows(expected, actual, Likeness(tolerance=0.03))
    assert (len(found.shared), found.missing, found.extra) == (2, (), ())


def test_numbers_of_a_ring_of_blank_nodes_are_close_if_the_rings_are_equal():
    def ring(nodes, *values):
        pairs = zip(nodes, nodes[1:] + nodes[:1], strict=True)
        return [(f"_:{a}", f"_:{b}", literal(n, "decimal")) for (a, b), n in zip(pairs, values, strict=True)]

    how, expected = Likeness(tolerance=0.03), ring("abc", "20.0", "20.5", "21.0")
    assert match_rows(expected, ring("xyz", "20.5", "21.0", "20.0"), how).equal
    assert not match_rows(expected, ring("xyz", "21.0", "21.0", "21.0"), how).equal


def test_of_many_rows_with_blank_nodes_only_those_dropped_are_missing():
    rows = [(f"_:n{n}", literal(n % 7, "integer"), A) for n in range(60)]
    others = [(f"_:m{n}", number, place) for n, (_, number, place) in enumerate(reversed(rows))]
    found = match_rows(rows, [*others[:20], *others[23:]], BAG)
    assert (found.common, len(found.missing), found.extra) == (57, 3, ())


@pytest.mark.parametrize(
    ("due", "found", "alone"),
    [
        ("<http://e/a>", '"a"', True),
        ('""@en', "<http://e/@en>", False),
        ("<http://e/>", '""@en', True),
    ],
)
def test_a_literal_with_the_last_part_of_an_iri_is_another_kind(due, found, alone):
    assert only_kinds_apart([RowMatch((), ((due,),), ((found,),))]) is alone


DIGITS = "0.12345678901234567890123456789"


@pytest.mark.parametrize("many", [1, 100])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (literal(f"{DIGITS}01", "decimal"), literal(f"{DIGITS}99", "decimal")),
        (literal(str(2**53 + 1), "integer"), literal(f"{2**53}.0", "decimal")),
        (literal("1", "decimal"), literal("1.00000000000000000000001", "decimal")),
    ],
)
def test_exact_numbers_are_compared_exactly(one, other, many):
    for tolerance in (0.0, 1e-9):
        how = replace(BAG, tolerance=tolerance)
        assert match_rows([(one,)] * many, [(other,)] * many, how).common == many * bool(tolerance)


def test_a_decimal_and_a_double_are_compared_as_doubles():
    decimal, double = literal("0.1", "decimal"), literal("0.1", "double")
    assert match_rows([(decimal,)], [(double,)], replace(BAG, tolerance=0.0)).equal


TERMS = (A, B, None, '"x"', literal("1", "integer"), literal("1.0", "decimal"), literal("1.05", "double"))
TERMS += (literal("1.12", "decimal"), literal("true", "boolean"), literal("NaN", "double"))
PLAIN = st.lists(st.tuples(st.sampled_from(TERMS), st.sampled_from(TERMS[:5])), max_size=5)
NODES = ("_:a", "_:b", "_:c")
BLANK = st.lists(st.tuples(st.sampled_from((*NODES, A)), st.sampled_from(("_:a", A, B))), max_size=5)


def near(one, other, how):
    return all(
        close(*pair, tolerance=how.tolerance) for pair in zip(row_key(one), row_key(other), strict=True)
    )


def most(expected, actual, how):
    """Return how many pairs there can be, by trying every order of the longer side."""
    short, long = sorted((expected, actual), key=len)
    return max(
        sum(near(*pair, how) for pair in zip(short, order, strict=False)) for order in permutations(long)
    )


@settings(max_examples=300)
@given(PLAIN, PLAIN, st.sampled_from((BAG, ROUGH)))
def test_as_many_rows_are_paired_as_can_be(expected, actual, how):
    found = match_rows(expected, actual, how)
    assert found.common == most(expected, actual, how)
    assert (found.common + len(found.missing), found.common + len(found.extra)) == (
        len(expected),
        len(actual),
    )


NUMBERS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.integers(-(10**60), 10**60),
    st.builds(
        lambda number, place: Decimal(number).scaleb(place), st.integers(1, 99), st.integers(-400, 400)
    ),
)


@settings(max_examples=size(60, 500))
@given(NUMBERS, st.integers(-20, 20), st.sampled_from((0.0, 1e-16, 1e-15, 1e-9, 0.1, 1.0)), st.booleans())
def test_decimals_are_compared_exactly(number, digits, tolerance, is_rounded):
    one = Decimal(number)
    rounding = 0.05 if is_rounded else 0.0
    # The number after 0 has a million digits, which takes most of a second to compare exactly.
    after = one.next_plus() if one else Decimal("1E-400")
    for other in (one + Decimal(digits).scaleb(-16), one * (1 + Decimal(tolerance)), after):
        exact = abs(Fraction(one) - Fraction(other))
        most = Fraction(tolerance) * max(abs(Fraction(one)), abs(Fraction(other))) + Fraction(rounding)
        assert close(one, other, tolerance, rounding) == (exact <= most)


@settings(max_examples=300)
@given(PLAIN, PLAIN, st.sampled_from((BAG, ROUGH, SET)))
def test_matching_is_symmetric(expected, actual, how):
    one, other = match_rows(expected, actual, how), match_rows(actual, expected, how)
    assert (one.common, len(one.missing), len(one.extra)) == (
        other.common,
        len(other.extra),
        len(other.missing),
    )


def isomorphic(expected, actual):
    """Return whether some renaming, one to one, makes both the same multiset."""
    own, names = (sorted({t for row in rows for t in row if t[:2] == "_:"}) for rows in (expected, actual))
    key = lambda row: tuple(map(str, row))  # noqa: E731
    for order in permutations(own):
        renaming = dict(zip(names, order, strict=False))
        renamed = [tuple(renaming.get(term, term) for term in row) for row in actual]
        if len(own) == len(names) and sorted(renamed, key=key) == sorted(expected, key=key):
            return True
    return False


@settings(max_examples=300)
@given(BLANK, BLANK, st.permutations(NODES))
def test_answers_are_equal_just_when_they_are_isomorphic(expected, actual, names):
    renaming = dict(zip(NODES, names, strict=True))
    renamed = [tuple(renaming.get(term, term) for term in row) for row in reversed(expected)]
    assert match_rows(expected, renamed, BAG).equal
    assert match_rows(expected, actual, BAG).equal == isomorphic(expected, actual)


def test_thousands_of_blank_nodes_and_numbers_take_no_time():
    rows = [(f"_:n{n}", literal(n / 7, "double")) for n in range(3000)]
    others = [(f"_:m{n}", number) for n, (_, number) in enumerate(reversed(rows))]
    assert match_rows(rows, others, BAG).equal
    assert match_rows(rows, others[5:], BAG).common == 2995
    numbers = ([(literal(n + shift, "double"),) for n in range(5000)] for shift in (0, 0.5))
    assert match_rows(*numbers, BAG).common == 0


NUMBERS = [
    *(literal(text, "integer") for text in ("1", "01", "2", "5000000000", "5000000001", HUGE, HUGE + 1)),
    *(literal(text, "decimal") for text in ("1.0", "1.05", "2.1", "5000000000.5", f"{HUGE}.5")),
    *(literal(text, "double") for text in ("1", "1.12", "INF", "-INF", "NaN", "-0")),
    literal("true", "boolean"),
    literal("1", "boolean"),
]
OF_NUMBERS = st.lists(st.tuples(*2 * [st.sampled_from([None, A, '"x"', '"x"@en', *NUMBERS])]), max_size=9)
WITH_BLANKS = st.lists(st.tuples(*2 * [st.sampled_from([A, None, "_:a", "_:b", *NUMBERS[:3]])]), max_size=6)
LIKENESSES = st.sampled_from([BAG, SET, ROUGH, Likeness(tolerance=0), Likeness(tolerance=1)])


def by_numbers(expected, actual, how):
    """Return how rows match by the way for many rows, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likeness, "_FEW_ROWS", 0)
        return match_rows(expected, actual, how)


@given(OF_NUMBERS, OF_NUMBERS, LIKENESSES)
def test_rows_match_by_their_numbers_as_by_keys(expected, actual, how):
    found, plainly = by_numbers(expected, actual, how), matched_by_keys(expected, actual, how)
    assert (found.shared, found.missing, found.extra) == (plainly.shared, plainly.missing, plainly.extra)


@given(WITH_BLANKS, WITH_BLANKS, LIKENESSES)
def test_as_many_rows_with_blank_nodes_match_by_numbers_as_by_keys(expected, actual, how):
    found, plainly = by_numbers(expected, actual, how), matched_by_keys(expected, actual, how)
    assert found.common == plainly.common
    assert (found.expected, found.actual) == (plainly.expected, plainly.actual)


def test_rows_keep_their_numbers_where_others_come_later():
    known = RowNumbers()
    first = known.numbered([(A,), (None,)])
    assert match_rows(first, [(f"<{n}>",) for n in range(99)], BAG).common == 0
    assert list(first) == [(A,), (None,)]
    assert (first[1], list(first[:1]), len(known)) == ((None,), [(A,)], 101)
    assert first == RowNumbers().numbered([(A,), (None,)]) == ((A,), (None,))


@st.composite
def rounded_numbers(draw):
    """Return exact numbers, and each number rounded to some places by Python, decimal, or SQLite."""
    places = draw(st.integers(0, 4))
    exact = draw(st.lists(st.decimals(-(10**4), 10**4, places=draw(st.integers(places, 9))), min_size=1))
    step = Decimal(1).scaleb(-places)
    with sqlite3.connect(":memory:") as database:
        ways = {
            "python": lambda number: Decimal(repr(round(float(number), places))),
            "half even": lambda number: number.quantize(step, ROUND_HALF_EVEN),
            "half up": lambda number: number.quantize(step, ROUND_HALF_UP),
            "sqlite": lambda number: Decimal(
                repr(database.execute("SELECT ROUND(?, ?)", (float(number), places)).fetchone()[0])
            ),
        }
        way = ways[draw(st.sampled_from(sorted(ways)))]
        return places, [(number, way(number)) for number in exact]


@given(rounded_numbers(), st.sampled_from(["decimal", "double"]))
def test_numbers_that_others_round_are_equal_up_to_half_of_the_last_digit(numbers, kind):
    places, pairs = numbers
    how = replace(BAG, rounding=0.5 * 10.0**-places)
    for exact, rounded in pairs:
        expected, actual = ([(literal(f"{number:f}", kind),)] for number in (exact, rounded))
        assert match_rows(expected, actual, how).equal, (exact, rounded)
        # A number that is more than one digit away is no rounding.
        other = [(literal(f"{rounded + 2 * Decimal(1).scaleb(-places):f}", kind),)]
        assert not match_rows(expected, other, how).equal
    # Many rows are compared as arrays.
    rows = [
        [(f'"{n}"', literal(f"{pair[side]:f}", kind)) for n, pair in enumerate(pairs * 40)] for side in (0, 1)
    ]
    assert match_rows(*rows, how).equal
    assert match_rows(*rows, how).common == matched_by_keys(*rows, how).common
