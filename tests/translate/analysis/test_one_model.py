"""Whether two queries stem from one (V, P, D, S), and the CQELS queries of patterns in several BGPs."""

from collections import Counter
from itertools import permutations
from random import Random
from time import process_time

import pytest

from agreement.comparing.agree.agreeing import compare_pairs, pairs
from agreement.documents.traces import LocalTrace
from lars.durations import SECOND
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Fact
from translate.analysis import differences, remarks, two_queries
from translate.analysis.two_queries import have_one_pattern
from translate.dialects import read_query
from translate.model.query import Setting

NODES = ("<e:a>", "<e:b>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
STREAM = "FROM STREAM <e:S> [RANGE 3s STEP 1s]"


def differ(csparql, cqels):
    queries = (
        f"SELECT ?s ?v {STREAM} WHERE {{ {csparql} }}",
        f"SELECT ?s ?v WHERE {{ STREAM <e:S> [RANGE 3s SLIDE 1s] {{ {cqels} }} }}",
    )
    return bool(list(differences(*(read_query(text, "q.rq") for text in queries), SECOND)))


@pytest.mark.parametrize(
    ("csparql", "cqels", "differs"),
    [
        ("?s <e:p> [ <e:q> ?v ]", "?s <e:p> ?x . ?x <e:q> ?v", False),
        ("?s <e:p> ?a . ?a <e:q> ?b . ?b <e:q> ?v", "?y <e:q> ?v . ?x <e:q> ?y . ?s <e:p> ?x", False),
        ("?s <e:p> ?a . ?s <e:p> ?b . ?v <e:q> ?a, ?b", "?s <e:p> ?d . ?s <e:p> ?c . ?v <e:q> ?c, ?d", False),
        ("?s <e:p> ?v", "?v <e:p> ?s", True),
        ("?s <e:p> ?x . ?x <e:q> ?v", "?s <e:p> ?x . ?y <e:q> ?v", True),
        ("?s <e:p> ?x . ?y <e:q> ?v", "?s <e:p> ?x . ?x <e:q> ?v", True),
        ("?s <e:p> ?x . ?x <e:q> ?v FILTER(?x > 1)", "?s <e:p> ?y . ?y <e:q> ?v FILTER(?y > 2)", True),
    ],
)
def test_patterns_differ_in_more_than_the_names_of_variables_that_nobody_selects(csparql, cqels, differs):
    assert differ(csparql, cqels) is differs


@pytest.mark.parametrize(
    ("graphs", "differ"),
    [
        ("FROM <e:g> FROM <e:h>", False),
        ("FROM <e:h> FROM <e:g> FROM <e:h>", False),
        ("FROM <e:g>", True),
        ("FROM NAMED <e:g> FROM NAMED <e:h>", True),
    ],
)
def test_a_dataset_is_the_same_in_any_order_of_its_graphs(graphs, differ):
    csparql, cqels = (
        read_query(f"SELECT ?s {clauses} WHERE {{ ?s <e:p> ?o }}", "q.rq")
        for clauses in ("FROM <e:h> FROM <e:g>", graphs)
    )
    assert (two_queries.different_datasets(csparql, cqels) is not None) is differ


@pytest.mark.parametrize(
    ("template", "one"),
    [("?o <e:b> ?s . ?s <e:a> ?o", True), ("?s <e:a> ?o", False), ("?o <e:b> ?s . ?s <e:a> ?s", False)],
)
def test_a_template_is_the_same_in_any_order_of_its_triples(template, one):
    queries = (
        read_query(f"CONSTRUCT {{ {triples} }} {STREAM} WHERE {{ ?s <e:p> ?o }}", "q.rq")
        for triples in ("?s <e:a> ?o . ?o <e:b> ?s", template)
    )
    assert two_queries.have_one_output(*queries) is one


@pytest.mark.parametrize(("first", "second", "differs"), [("S", "T", False), ("T", "S", True)])
def test_queries_that_match_patterns_in_different_streams_have_no_common_model(first, second, differs):
    windows = " ".join(f"FROM NAMED WINDOW <e:{name}> ON <e:{name}> [RANGE PT3S STEP PT1S]" for name in "ST")
    where = "WINDOW <e:S> { ?s <e:p> ?v } WINDOW <e:T> { ?v <e:q> ?x }"
    blocks = (("?s <e:p> ?v", first), ("?v <e:q> ?y", second))
    pushed = " ".join(f"STREAM <e:{stream}> [RANGE 3s SLIDE 1s] {{ {each} }}" for each, stream in blocks)
    texts = f"SELECT ?s ?v {windows} WHERE {{ {where} }}", f"SELECT ?s ?v WHERE {{ {pushed} }}"
    queries = (read_query(text, "q.rq") for text in texts)
    found = list(differences(*queries, SECOND))
    assert bool(found) is differs
    assert all("different patterns in <e:" in each for each in found)


BRANCHES = (
    "{ ?o <e:p> ?s . ?o <e:q> 1 } UNION { ?o <e:p> ?s . ?o <e:q> 2 }",
    "{ ?o <e:p> ?s . ?o <e:q> 1 } UNION { ?o <e:p> ?s }",
    "{ ?o <e:p> ?s } UNION { ?o <e:p> ?s . ?x <e:q> ?s }",
)


@pytest.mark.parametrize("where", BRANCHES)
def test_a_triple_pattern_in_two_branches_is_in_the_part_of_each(where):
    query = read_query(f"SELECT ?s {STREAM} WHERE {{ {where} }}", "q.rq")
    compared = pairs(query, None, frozenset((("<e:S>", "<e:p>"), ("<e:S>", "<e:q>"))), {})
    assert len(compared) == 4
    assert all(not list(differences(query, pair.cqels, SECOND)) for pair in compared)
    draw = Random(where)
    facts = [
        Fact(t, "striple", (draw.choice(NODES), f"<e:{name}>", draw.choice(NODES), "<e:S>"))
        for t in range(1, 30)
        for name in "pq"
    ]
    trace = LocalTrace(trace_columns(facts), Interval(0, 29), {})
    # Push and pull evaluate at the same times, no triple has another source: so rows are the same (A6).
    report = compare_pairs(compared, [1], trace, Setting())
    assert [variant.verdicts[0].agree for variant in report.variants] == [True] * 4
    assert not report.variants[0].is_empty


@pytest.mark.parametrize(
    ("text", "unbound"),
    [
        ("SELECT ?post ?tag { STREAM <e:S> [RANGE 3s] { ?post1 <e:tag> ?tag } }", "?post"),
        ("SELECT ?x { STREAM <e:S> [RANGE 3s] { ?x <e:p> ?y } { SELECT ?x ?z { ?x <e:q> ?y } } }", "?z"),
        ("SELECT ?x (COUNT(?y) AS ?n) { STREAM <e:S> [RANGE 3s] { ?x <e:p> ?y } } GROUP BY ?x", None),
        ("SELECT ?x ?n { STREAM <e:S> [RANGE 3s] { ?x <e:p> ?y } BIND(1 AS ?n) }", None),
        ("SELECT ?x ?n { STREAM <e:S> [RANGE 3s] { ?x <e:p> ?y } OPTIONAL { ?x <e:n> ?n } }", None),
    ],
)
def test_a_selected_variable_that_no_pattern_binds_is_warned_of(text, unbound):
    found = [remark for remark in remarks(read_query(text, "q.rq"), Setting()) if remark.startswith("T6")]
    expected = (
        f"T6 (unbound variable): {unbound} is selected, but no pattern binds it, so it is unbound in "
        "every row"
    )
    assert found == ([] if unbound is None else [expected])


def asked(edges):
    triples = " . ".join(f"?{a} <e:p> ?{b}" for a, b in edges)
    return read_query(f"SELECT ?x FROM STREAM <e:S> [RANGE 3s STEP 3s] {{ ?x <e:q> ?y . {triples} }}", "q")


def drawn(names):
    """Return a circle through names, in this order."""
    return list(zip(names, [*names[1:], names[0]], strict=True))


@pytest.mark.parametrize("size", [8, 12])
def test_a_circle_of_hidden_variables_is_one_pattern_whatever_their_names(size):
    names = [f"n{number:02}" for number in range(size)]
    for seed in range(5):
        others = Random(seed).sample(names, size)
        assert have_one_pattern(asked(drawn(names)), asked(drawn(others))) is True
    halves = drawn(names[: size // 2]) + drawn(names[size // 2 :])
    assert have_one_pattern(asked(drawn(names)), asked(halves)) is False


def test_many_variables_with_equal_occurrences_are_compared_soon():
    star = [("m", f"n{number}") for number in range(16)]
    other = [("z", f"k{number}") for number in range(16)]
    started = process_time()
    assert have_one_pattern(asked(star), asked(other)) is True
    assert have_one_pattern(asked(star), asked([*other[1:], ("k1", "k0")])) is False
    assert process_time() - started < 10


@pytest.mark.parametrize("seed", range(60))
def test_a_pattern_is_one_if_a_permutation_of_its_hidden_variables_says_so(seed):
    draw, names = Random(seed), "abcde"
    edges = [(draw.choice(names), draw.choice(names)) for _ in range(draw.randrange(3, 8))]
    others = [(draw.choice(names), draw.choice(names)) for _ in edges]
    if seed % 2:
        one = dict(zip(names, draw.sample(names, len(names)), strict=True))
        others = [(one[a], one[b]) for a, b in draw.sample(edges, len(edges))]
    right = any(
        Counter((one[a], one[b]) for a, b in edges) == Counter(others)
        for image in permutations(names)
        for one in [dict(zip(names, image, strict=True))]
    )
    assert have_one_pattern(asked(edges), asked(others)) is right


def test_an_unknown_result_is_no_difference(monkeypatch):
    monkeypatch.setattr(two_queries, "_MOST_STEPS", 1)
    queries = asked([("a", "b"), ("b", "a")]), asked([("a", "c"), ("c", "a")])
    assert have_one_pattern(*queries) is None
    assert list(differences(*queries, SECOND)) == []


FROM = "FROM STREAM <e:S> [RANGE 3s STEP 1s]"


@pytest.mark.parametrize(
    ("text", "unbound"),
    [
        ("SELECT (?ghost AS ?g) {} {{ ?x <e:p> ?y }}", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y BIND(?ghost + ?y AS ?z) }}", "?ghost"),
        ("SELECT ?x {} {{ BIND(?y + 1 AS ?z) ?x <e:p> ?y }}", "?y"),
        ("SELECT ?x {} {{ ?x <e:p> ?y FILTER(?y > ?ghost || !(?other = 1)) }}", "?ghost, ?other"),
        ("SELECT ?x {} {{ ?x <e:p> ?y OPTIONAL {{ ?x <e:q> ?z FILTER(?ghost < ?y) }} }}", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y MINUS {{ ?x <e:q> ?z FILTER(?z < ?y) }} }}", "?y"),
        ("SELECT ?x (COUNT(?ghost) AS ?n) {} {{ ?x <e:p> ?y }} GROUP BY ?x", "?ghost"),
        ("SELECT (SUM(?ghost + 1) AS ?n) {} {{ ?x <e:p> ?y }} GROUP BY ?x", "?ghost"),
        ("SELECT (COUNT(?x) AS ?n) {} {{ ?x <e:p> ?y }} GROUP BY ?ghost", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y }} GROUP BY ?x HAVING(AVG(?ghost) > 1)", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y }} ORDER BY DESC(?ghost) LIMIT 1", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y }} ORDER BY (?ghost + 1) LIMIT 1", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y {{ SELECT ?x {{ ?x <e:q> ?z }} ORDER BY ?y LIMIT 1 }} }}", "?y"),
        ("SELECT ?x {} {{ ?x <e:p> ?y FILTER NOT EXISTS {{ ?x <e:q> ?z FILTER(?z > ?ghost) }} }}", "?ghost"),
        ("SELECT ?x {} {{ ?x <e:p> ?y FILTER EXISTS {{ ?x <e:q> ?z }} FILTER(?z > 1) }}", "?z"),
        ("ASK {} {{ ?x <e:p> ?y FILTER(?ghost > 1) }}", "?ghost"),
        ("SELECT (COALESCE(?ghost, 1) AS ?g) {} {{ ?x <e:p> ?y }}", None),
        ("SELECT ?x {} {{ ?x <e:p> ?y FILTER(!bound(?ghost)) }}", None),
        ("SELECT ?x {} {{ ?x <e:p> ?y FILTER NOT EXISTS {{ ?x <e:q> ?z FILTER(?z > ?y) }} }}", None),
        ("SELECT ?x {} {{ ?x <e:p> ?y OPTIONAL {{ ?x <e:q> ?z FILTER(?z > ?y) }} FILTER(?z > 1) }}", None),
        ("SELECT ?x (SUM(?y + 1) AS ?n) {} {{ ?x <e:p> ?y }} GROUP BY ?x HAVING(?n > 1) ORDER BY ?n", None),
        ("SELECT ?x (?y * 2 AS ?z) {} {{ ?x <e:p> ?y }} ORDER BY (?z + ?y) LIMIT 2", None),
        ("SELECT ?g {} {{ GRAPH ?g {{ ?x <e:p> [] }} FILTER(?g != <e:g>) }}", None),
    ],
)
def test_an_expression_on_a_variable_that_no_pattern_binds_is_warned_of(text, unbound):
    query = read_query(text.format(FROM), "q.rq")
    found = [remark for remark in remarks(query, Setting()) if remark.startswith("T6")]
    expected = (
        f"T6 (unbound variable): {unbound} is in an expression, but no pattern there binds it, so it is "
        "unbound"
    )
    assert found == ([] if unbound is None else [expected])


def test_a_variable_of_a_template_that_no_pattern_binds_is_warned_of():
    query = read_query(f"CONSTRUCT {{ ?x <e:q> ?ghost, _:b }} {FROM} {{ ?x <e:p> ?y }}", "q.rq")
    expected = (
        "T6 (unbound variable): ?ghost is in the template, but no pattern binds it, so its triples are "
        "left out"
    )
    assert list(remarks(query, Setting())) == [expected]
