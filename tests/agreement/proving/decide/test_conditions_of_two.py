"""Conditions of two variables that exclude each other are found out whatever stands between them."""

from agreement.proving.disjuncts import Unsatisfiable, disjuncts, satisfiability
from translate.dialects import read_query
from translate.model.query import Setting

OTHERS = range(7)


def test_a_subject_that_would_be_a_number_is_excluded_beside_seven_free_numbers():
    matches = " . ".join(f"?x <e:p> ?y{one}" for one in OTHERS)
    numbers = " && ".join(f"(?y{one} > 3 && ?y{one} < 9)" for one in OTHERS)
    query = f"SELECT ?x {{ STREAM <e:S> [RANGE 5s] {{ {matches} }} FILTER({numbers} && ?x = ?y6) }}"
    (only,) = disjuncts(read_query(query, "q.rq").pattern, Setting().profile)
    assert isinstance(satisfiability(only), Unsatisfiable)
