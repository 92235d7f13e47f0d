"""Random SPARQL queries: the logic's answer is the one that Section 18 of SPARQL 1.1 defines.

The reference evaluates syntax trees literally and shares no code with the program; pyoxigraph is a
third evaluation, which keeps the reference honest. `tests.benchmarks.sparql_differential` compares
many more cases, and rdflib too.
"""

import pytest

from tests.sparql.faults import classified
from tests.sparql.generator import case
from tests.sparql.verdicts import judged
from tests.sparql.writing import write_dataset, write_query

CASES = 320
PARTS = 8
NESTED = 80


@pytest.mark.parametrize("part", range(PARTS))
def test_the_logic_answers_as_section_18_of_sparql_defines(part):
    verdicts = [judged(case(seed), ("ours",)) for seed in range(part, CASES, PARTS)]
    check(verdicts)


def test_a_subquery_that_is_a_whole_where_or_graph_hides_its_names():
    verdicts = [judged(case(seed, nests=1.0), ("ours",)) for seed in range(NESTED)]
    check(verdicts)
    hiding = [one for one in verdicts if "name that a subquery hides" in one.constructs and not one.empty]
    assert len(hiding) > 0.15 * NESTED


def check(verdicts):
    wrong = [verdict for verdict in verdicts if verdict.differing]
    assert not wrong, "\n".join(map(shown, wrong))
    assert sum(verdict.decided for verdict in verdicts) > 0.8 * len(verdicts)


def shown(verdict):
    query, data = write_query(verdict.case.query), write_dataset(verdict.case.dataset)
    return f"{verdict.differing}\n{query}\n{data}"


def test_where_pyoxigraph_differs_from_the_reference_it_has_a_known_fault():
    verdicts = [judged(case(seed), ("pyoxigraph",)) for seed in range(1500)]
    decided = [verdict for verdict in verdicts if verdict.decided]
    wrong = [verdict.case for verdict in decided if verdict.differing]
    assert 0 < len(wrong) < 0.06 * len(decided)
    titles = {classified("pyoxigraph", one)[0] for one in wrong[:15]}
    assert not [title for title in titles if title.startswith("not known")]


def test_many_random_cases_have_an_answer_and_hold_what_is_hard():
    verdicts = [judged(case(seed), ()) for seed in range(1000)]
    filled = [verdict for verdict in verdicts if verdict.decided and not verdict.empty]
    assert len(filled) > 0.4 * len(verdicts)
    held = [name for verdict in filled for name in verdict.constructs]
    hard = (
        "join over a variable that can be unbound",
        "MINUS without a shared variable",
        "EXISTS",
        "GROUP BY",
    )
    assert min(held.count(name) for name in hard) > 15
