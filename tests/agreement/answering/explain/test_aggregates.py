"""`lars explain` of aggregates: the value that holds instead, and a few of many instances."""

import pytest

from agreement import api

INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
HEAD = "FROM STREAM <http://e/S> [RANGE 200s STEP 50s] WHERE { ?s <http://e/p> ?v }"
ALL = f"SELECT (AVG(?v) AS ?avg) (COUNT(?v) AS ?n) {HEAD}"
EACH = f"SELECT ?s (SUM(?v) AS ?sum) {HEAD} GROUP BY ?s"
TRACE = "".join(
    f'<http://e/a{n % 5}> <http://e/p> "{n}"^^{INTEGER} <http://e/S> "{n}" .\n' for n in range(1, 101)
)


@pytest.mark.parametrize(
    ("query", "atom", "value"),
    [
        (ALL, "ans(50,100)", "?avg := AVG(?v) of ans2(?s, ?v): the value is 50.5, of 100 instances"),
        (ALL, "ans(50.5,99)", "?n := COUNT(?v) of ans2(?s, ?v): the value is 100, of 100 instances"),
        (EACH, "ans(<http://e/a1>,1)", "the value is 970, of 20 instances"),
    ],
)
def test_the_value_of_an_aggregate_is_told_where_it_is_another(query, atom, value):
    found = api.explain(query, TRACE, atom=atom, at=100)
    assert (found.holds, value in found.text) == (False, True), found.text


def test_ten_of_many_instances_are_told_and_the_others_are_counted():
    found = api.explain(ALL, TRACE, atom="ans(50.5,100)", at=100)
    lines = found.text.splitlines()
    assert (found.holds, sum(line.endswith("… and 90 more") for line in lines)) == (True, 2)
    assert len(lines) < 110
    (gathered, *_) = found.to_json()["proof"]["premises"]
    assert (len(gathered["evidence"]), gathered["omitted"]) == (10, 90)


def test_the_page_counts_all_instances_of_an_aggregate():
    found = api.explain(ALL, TRACE, atom="ans(50.5,100)", at=100)
    why = found.page().page["why"]
    assert why.startswith(
        "It follows from 100 instances of an aggregate; the first instances follow from 10 triples: "
    )


def test_few_instances_are_all_told():
    few = "".join(TRACE.splitlines(keepends=True)[:3])
    found = api.explain(ALL, few, atom="ans(2,3)", at=50)
    assert (found.holds, "more" in found.text) == (True, False)
