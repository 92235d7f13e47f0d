"""The W3C suites on values: expressions, aggregates and order are those of `solver`, joins are naive.

Read from beside the project when it is there. Numbers are compared by value within a datatype.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

from lars.terms import Blank, Iri
from tests.solver.algebra import Evaluator, query_of, triples

SUITE = Path(__file__).parents[2] / "../shared/w3c-sparql"
# group: how many of its tests this part of the suite has; EXISTS and CONSTRUCT are not in them
GROUPS = {
    "sparql10/boolean-effective-value": 4,
    "sparql10/bound": 1,
    "sparql10/cast": 4,
    "sparql10/expr-builtin": 15,
    "sparql10/expr-equals": 9,
    "sparql10/expr-ops": 11,
    "sparql10/i18n": 3,
    "sparql10/open-world": 11,
    "sparql10/regex": 13,
    "sparql10/solution-seq": 8,
    "sparql10/sort": 8,
    "sparql10/type-promotion": 18,
    "sparql11/aggregates": 25,
    "sparql11/bind": 6,
    "sparql11/bindings": 7,
    "sparql11/cast": 4,
    "sparql11/functions": 45,
    "sparql11/grouping": 2,
    "sparql11/project-expression": 4,
}


@pytest.fixture(scope="module")
def harness():
    if not (SUITE / "harness.py").exists():
        pytest.skip(f"no W3C suite at {SUITE}")
    wanted = importlib.util.spec_from_file_location("w3c_harness", SUITE / "harness.py")
    module = sys.modules[wanted.name] = importlib.util.module_from_spec(wanted)
    wanted.loader.exec_module(module)
    yield module
    del sys.modules[wanted.name]


def neutral(term, harness):
    """Return a term as the suite's harness writes it."""
    if isinstance(term, Iri | Blank):
        return ("i", term.value) if isinstance(term, Iri) else ("b", term.label)
    return harness.lit(term.lexical, term.datatype, term.language)


def answer(one, harness):
    query = query_of(one.query, one.base)
    default = set().union(*map(triples, one.default_graph_files))
    named = {Iri(file.iri): triples(file) for file in one.named_graph_files}
    rows = Evaluator(default, named, query.prologue.base or one.base).solutions(query.algebra.p)
    if query.algebra.name == "AskQuery":
        return "ask", bool(rows)
    found = [{name.name: neutral(term, harness) for name, term in row.items()} for row in rows]
    return "select", [str(name) for name in query.algebra.PV], found


def difference(one, harness):
    """Return what is wrong with our answer, the empty text if nothing is."""
    options = harness.test_options(one)
    return harness.compare_detail(one.expected, answer(one, harness), numeric="value", **options)[1]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_the_suite_has_the_expected_answers(group, harness):
    tests = [one for one in harness.load(str(SUITE / "open")) if one.group == group]
    wrong = {one.id: found for one in tests if (found := difference(one, harness))}
    assert wrong == {}
    assert len(tests) >= GROUPS[group]
