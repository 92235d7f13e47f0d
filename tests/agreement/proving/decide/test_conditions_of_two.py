"""Conditions that exclude each other are found out, and what conditions name is no new value."""

import pytest

from agreement.proving.disjuncts import disjuncts, satisfiability
from lars.language.terms import DEFAULT, XSD, Iri, Literal
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
