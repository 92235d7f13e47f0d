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


@pytest.mark.parametrize("part", range(PARTS))
def test_the_logic_answers_as_section_18_of_sparql_defines(part):
    verdicts = [judged(seed, ("ours",)) for seed in range(part, CASES, PARTS)]
    wrong = [verdict for verdict in verdicts if verdict.differing]
    assert not wrong, "\n".join(map(shown, wrong))
    assert sum(verdict.decided for verdict in verdicts) > 0.8 * len(verdicts)


def shown(verdict):
    one = case(verdict.seed)
    return f"case {verdict.seed}: {verdict.differing}\n{write_query(one.query)}\n{write_dataset(one.dataset)}"


def test_where_pyoxigraph_differs_from_the_reference_it_has_a_known_fault():
    verdicts = [judged(seed, ("pyoxigraph",)) for seed in range(1500)]
    decided = [verdict for verdict in verdicts if verdict.decided]
    wrong = [verdict.seed for verdict in decided if verdict.differing]
    assert 0 < len(wrong) < 0.06 * len(decided)
    titles = {classified("pyoxigraph", case(seed))[0] for seed in wrong[:15]}
    assert not [title for title in titles if title.startswith("not known")]


def test_many_random_cases_have_an_answer_and_hold_what_is_hard():
    verdicts = [judged(seed, ()) for seed in range(1000)]
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
