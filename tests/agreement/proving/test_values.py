"""The terms that are chosen stand for all others: whatever conditions hold of, they hold of one of these."""

import operator
import struct
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf, isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.proving.values import is_covered, number, terms
from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Variable
from solver.rdf.values import compare, equal

ROUNDS = {"integer": 0, "decimal": 0, "float": 1, "double": 2}
digits = st.integers(1, 60).flatmap(lambda n: st.integers(-(10**n), 10**n))
exact = st.tuples(digits, st.sampled_from([0, 1, 5, 30])).map(lambda pair: Fraction(pair[0], 10 ** pair[1]))


def written(amount, kind):
    """Return a number as a literal of a type."""
    if kind in ("float", "double"):
        return Literal(repr(double(amount)).replace("inf", "INF"), XSD + kind)
    whole, part = divmod(abs(amount).numerator * 10**40 // abs(amount).denominator, 10**40)
    sign = "-" if amount < 0 else ""
    return Literal(f"{sign}{whole}" if kind == "integer" else f"{sign}{whole}.{part:040}", XSD + kind)


numbers = st.tuples(exact, st.sampled_from(sorted(ROUNDS))).map(lambda pair: written(*pair))
near = st.tuples(numbers, st.sampled_from([0, 1, -1]), st.integers(1, 40), st.sampled_from(sorted(ROUNDS)))


def double(amount):
    """Return the nearest double."""
    try:
        return float(amount)
    except OverflowError:
        return inf if amount > 0 else -inf


def single(amount):
    """Return the nearest float of 32 bit, of two the one with an even last bit; beyond all is infinity."""
    if amount in (inf, -inf):
        return amount
    try:
        (bits,) = struct.unpack("<i", struct.pack("<f", abs(double(amount))))
    except OverflowError:
        bits = 0x7F800000
    near = [(abs(place(one) - abs(amount)), one % 2, one) for one in range(max(bits - 1, 0), bits + 2)]
    (found,) = struct.unpack("<f", struct.pack("<i", min(min(near)[2], 0x7F800000)))
    return -found if amount < 0 else found


def place(bits):
    """Return the value of the bits of a float; infinity stands where the next float would."""
    return Fraction(2**128 if bits >= 0x7F800000 else struct.unpack("<f", struct.pack("<i", bits))[0])


def rounded(literal, rank):
    """Return the value of a literal as a number of a type: exact, float or double."""
    kind, text = literal.datatype.removeprefix(XSD), literal.lexical.replace("INF", "inf")
    own = Fraction(Decimal(text)) if ROUNDS[kind] == 0 else float(text)
    own = single(own) if kind == "float" else own
    return own if rank == 0 else single(own) if rank == 1 else double(own)


def order(one, other):
    """Return how two numbers compare as SPARQL says: as numbers of the type that both can have."""
    rank = max(ROUNDS[each.datatype.removeprefix(XSD)] for each in (one, other))
    mine, theirs = rounded(one, rank), rounded(other, rank)
    known = mine <= theirs or mine > theirs
    return (mine > theirs) - (mine < theirs) if known else None


def beside(case):
    """Return a number that is a little more, or less, than another one, or the same, in some type."""
    literal, sign, places, kind = case
    own = rounded(literal, 0)
    return literal if own in (inf, -inf) else written(Fraction(own) + Fraction(sign, 10**places), kind)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 1)])
@given(st.lists(numbers, min_size=1, max_size=3), st.lists(near, max_size=2), numbers, st.data())
def test_every_number_compares_with_constants_as_one_that_is_chosen(sizes, constants, close, other, data):
    many, linked = sizes
    constants += [beside(case) for case in close]
    drawn = data.draw(st.sampled_from([other, *map(beside, data.draw(st.lists(near, max_size=2)))]))
    drawn = data.draw(st.sampled_from([drawn, beside((constants[0], *data.draw(near)[1:]))]))
    chosen = [term for term in terms(constants, (), many, linked=linked) if number(term) is not None]
    regions = [tuple(order(term, each) for each in constants) for term in chosen if term not in constants]
    # Twice for two variables that are compared: they may need unlike terms of one region.
    assert regions.count(tuple(order(drawn, each) for each in constants)) >= linked


def test_a_number_between_the_end_of_a_cell_and_its_double_is_chosen_for_a_lone_variable():
    chosen = terms([Literal("10261788684582178e0", XSD + "double")], (), 2, linked=1)
    amounts = [amount for term in chosen if (amount := number(term)) is not None and isfinite(amount)]
    assert any(10261788684582177 < Fraction(amount) < 10261788684582178 for amount in amounts)


@pytest.mark.parametrize("many", [2, 3])
@given(st.lists(numbers, min_size=1, max_size=2), near, near)
def test_each_two_numbers_compare_with_each_other_and_constants_as_two_that_are_chosen(
    many, constants, one, two
):
    pair = [beside((constants[0], *one[1:])), beside((constants[-1], *two[1:]))]
    chosen = [term for term in terms(constants, (), many, linked=2) if number(term) is not None]

    def alike(other):
        told = [order(other, each) for each in constants]
        return [term for term in chosen if [order(term, each) for each in constants] == told]

    assert order(*pair) in [order(*both) for both in product(*map(alike, pair))]


def test_new_terms_are_none_of_the_constants_and_enough():
    one = Literal("1", XSD + "integer")
    equal = [term for term in terms([one], [Iri("http://e/x")], 3, linked=3) if number(term) == 1]
    assert len({*equal} - {one}) >= 3


def test_only_comparisons_and_kinds_are_decided_by_terms():
    x, text = Variable("x"), Literal("a")
    assert is_covered(Call("&&", (Call("<", (x, text)), Call("ISIRI", (x,)))))
    assert not is_covered(Call("<", (Call("STRLEN", (x,)), Literal("1", XSD + "integer"))))
    assert not is_covered(Call("<", (x, Literal("2026-01-01T00:00:00Z", XSD + "dateTime"))))


@pytest.mark.parametrize("linked", [2, 3, 4])
@given(st.data())
def test_dates_compare_with_each_other_as_dates_that_are_chosen(linked, data):
    """Dates without a zone are less, equal, greater, or incomparable, and equal dates can be other terms."""
    hours = st.tuples(st.integers(0, 7 * linked), st.sampled_from(["Z", "", ".0Z", ".0", ".00", ".00Z"]))
    drawn = data.draw(st.lists(hours, min_size=linked, max_size=linked))
    assert among_chosen([date(*each) for each in drawn])


@pytest.mark.parametrize(
    ("zoned", "local"),
    [((0, 15), (2,)), ((0, 2, 30), (15, 17)), ((0, 2, 30), (15, 17, 45)), ((1,), (0, 15))],
)
def test_orders_of_dates_that_need_many_places_are_chosen(zoned, local):
    """Of all orders of up to six dates, found by their difference constraints, these need the most places."""
    assert among_chosen([*(date(hour, "Z") for hour in zoned), *(date(hour, "") for hour in local)])


def among_chosen(drawn, tried=()):
    """Return whether dates that are chosen compare as the drawn ones do, the first of which are tried."""
    if len(tried) == len(drawn):
        return True
    wanted = [relation(drawn[len(tried)], other) for other in drawn[: len(tried)]]
    fits = (t for t in CHOSEN_DATES[len(drawn)] if [relation(t, old) for old in tried] == wanted)
    return any(among_chosen(drawn, (*tried, term)) for term in fits)


def date(hours, zone):
    return Literal(f"2026-11-{1 + hours // 24:02}T{hours % 24:02}:00:00{zone}", f"{XSD}dateTime")


@cache
def relation(one, other):
    """Return whether two dates are equal, less and the same term; None is an error."""
    return equal(one, other), compare(operator.lt, one, other), one == other


CHOSEN_DATES = {
    linked: [term for term in terms((), (), 1, linked=linked) if term.datatype == f"{XSD}dateTime"]
    for linked in (2, 3, 4, 5, 6)
}
