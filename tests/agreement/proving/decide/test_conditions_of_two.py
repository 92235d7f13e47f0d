"""Conditions that exclude each other are found out, and what conditions name is no new value."""

import pytest

from agreement.proving.disjuncts import disjuncts, satisfiability
from lars.language.terms import DEFAULT, XSD, Iri, Literal
from solver.facts import constant_of
from translate.dialects import read_query
from translate.model.query import Setting

OTHERS = range(7)


def test_a_subject_that_would_be_a_number_is_excluded_beside_seven_free_numbers():
    matches = " . ".join(f"?x <e:p> ?y{one}" for one in OTHERS)
    numbers = " && ".join(f"(?y{one} > 3 && ?y{one} < 9)" for one in OTHERS)
    query = f"SELECT ?x {{ STREAM <e:S> [RANGE 5s] {{ {matches} }} FILTER({numbers} && ?x = ?y6) }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    assert satisfiability(only).holds is False


@pytest.mark.parametrize(
    "condition",
    ["?p != <http://example.org/p>", "?p != ?q && ?q = <http://example.org/p>", "?p != ?p_ && ?p != <p>"],
)
def test_a_predicate_that_a_condition_names_leaves_others(condition):
    # Were the new IRI that of the condition, nothing would satisfy it: blank nodes are no predicates.
    matches = "?x ?p ?y . ?y ?q ?z . ?z ?p_ ?x"
    query = f"BASE <http://example.org/> SELECT ?x {{ STREAM <S> [NOW] {{ {matches} }} FILTER({condition}) }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    assert satisfiability(only).holds


@pytest.mark.parametrize("order", [1, -1])
def test_what_one_static_triple_leaves_open_another_does_not_exclude(order):
    test = "FILTER(STRLEN(?v) > 3 && ?v != 5)"
    query = f"SELECT ?x {{ STREAM <e:S> [NOW] {{ ?x <e:p> ?y }} ?x <e:k> ?v {test} }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    values = Literal("x"), Literal("5", f"{XSD}integer")
    stock = [(Iri("e:a"), Iri("e:k"), value, DEFAULT) for value in values][::order]
    assert satisfiability(only, stock).holds is None


BETWEEN = [
    (f'"500"^^<{XSD}integer>', f'"502"^^<{XSD}integer>', True),
    (f'"502"^^<{XSD}integer>', f'"500"^^<{XSD}integer>', False),
    (f'"2026-06-01T00:00:00Z"^^<{XSD}dateTime>', f'"2026-06-02T00:00:00Z"^^<{XSD}dateTime>', None),
]
"""A lower and an upper limit, and whether a value can be between them; times are not decided."""


@pytest.mark.parametrize(("low", "high", "holds"), BETWEEN)
@pytest.mark.parametrize("stored", [False, True])
def test_a_value_can_be_between_limits_that_values_or_static_data_give(low, high, holds, stored):
    given = "?k <e:low> ?l . ?k <e:high> ?h" if stored else f"VALUES (?l ?h) {{ ({low} {high}) }}"
    match = "STREAM <e:S> [NOW] { ?x <e:p> ?y }"
    query = f"SELECT ?x {{ {{ {match} }} {{ {given} }} FILTER(?l < ?y && ?y < ?h) }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    limits = zip(("e:low", "e:high"), map(constant_of, (low, high)), strict=True)
    stock = [(Iri("e:k"), Iri(name), limit, DEFAULT) for name, limit in limits]
    assert satisfiability(only, stock if stored else None).holds is holds


@pytest.mark.parametrize(("linked", "holds"), [(6, False), (7, None)])
def test_conditions_on_more_variables_than_dates_have_tried_orders_are_left_open(linked, holds):
    matches = " . ".join(f"?x <e:p> ?y{one}" for one in range(linked))
    chain = " && ".join(f"?y{one} = <e:b> && ?y{one} = ?y{one - 1}" for one in range(2, linked))
    test = f"?y1 = ?y0 && ?y0 = <e:a> && ?y1 = <e:b> && {chain}"
    query = f"SELECT ?x {{ STREAM <e:S> [RANGE 5s] {{ {matches} }} FILTER({test}) }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    assert satisfiability(only).holds is holds
