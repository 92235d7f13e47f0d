"""Conditions that exclude each other are found out, and what conditions name is no new value."""

import pytest

from agreement.proving.disjuncts import disjuncts, satisfiability
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
