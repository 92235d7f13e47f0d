"""The warning that paper2015 and SPARQL 1.1 differ: there exactly where some data make them differ."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.durations import read_duration
from lars.language.terms import DEFAULT, NULL
from lars.language.windows import Interval
from solver.facts import Situation
from solver.pointwise import models
from tests.solver.strategies import part_of
from tests.translate.strategies import OWN, backgrounds, null_patterns, patterns
from translate.analysis import differences, null_sets, nullable, parts, remarks
from translate.dialects import read_query
from translate.model.patterns import variables
from translate.model.query import EngineQuery, Language, Setting
from translate.tau import in_order, lars_program

PREFIX = "PREFIX : <urn:> "
FIRST = "{ ?s :p0 ?o OPTIONAL { ?s :n ?n } }"


def answers(query, background, profile):
    situation = Situation(Interval(0, 0), (), background)
    (found,) = models(lars_program(query, Setting(profile)), situation, 0)
    return {atom.arguments for _, atom in found if atom.predicate == "ans1"}


def differ(query, background):
    return answers(query, background, "paper2015") != answers(query, background, "sparql11")


def warned(query):
    return any(remark[:2] in ("T1", "T2") for remark in remarks(query, Setting()))


@part_of(0.5)
@given(st.one_of(null_patterns(OWN[DEFAULT]), patterns(properties=OWN[DEFAULT])), backgrounds())
def test_where_the_answers_differ_there_is_a_warning(pattern, background):
    query = EngineQuery(Language.CSPARQL, "SELECT", in_order(variables(pattern)), pattern)
    assert warned(query) or not differ(query, background)


@part_of(0.5)
@given(st.one_of(null_patterns(OWN[DEFAULT]), patterns(properties=OWN[DEFAULT])), backgrounds())
def test_what_an_answer_leaves_unbound_together_can_be_so(pattern, background):
    names = in_order(variables(pattern))
    query = EngineQuery(Language.CSPARQL, "SELECT", names, pattern)
    for row in answers(query, background, "sparql11"):
        nulls = frozenset(name for name, term in zip(names, row, strict=True) if term == NULL)
        assert nulls in null_sets(pattern, variables(pattern))
        assert nulls <= nullable(pattern)


@given(st.one_of(null_patterns(OWN[DEFAULT]), patterns(properties=OWN[DEFAULT])))
def test_a_variable_is_nullable_if_its_null_sets_alone_say_so(pattern):
    for part in parts(pattern):
        alone = {name for name in variables(part) if {name} in null_sets(part, frozenset((name,)))}
        assert nullable(part) == alone


def random_background(chance):
    nodes = [f"<urn:{name}>" for name in "abc"]
    names = [f"<urn:{name}>" for name in ("p0", "q0", "n", "l")]
    draw = [(chance.choice(nodes), chance.choice(names), chance.choice(nodes)) for _ in range(6)]
    return {("triple", 4): [(*row, "default") for row in dict.fromkeys(draw)]}


WARNED = {
    "N1": f"{FIRST} {{ ?t :l ?n }}",
    "N2": f"{FIRST} {{ ?t :l ?o2 OPTIONAL {{ ?t :q0 ?n }} }}",
    "N3": "{ ?s :p0 ?o } MINUS { ?x :q0 ?y }",
    "N5": f"{FIRST} OPTIONAL {{ ?t :l ?n }}",
    "unbound on both sides of MINUS": f"{FIRST} MINUS {{ ?t :l ?o2 OPTIONAL {{ ?t :q0 ?n }} }}",
    "one shared and bound, one unbound": f"{FIRST} MINUS {{ ?s :l ?n }}",
    "UNDEF": "VALUES ?s { :a UNDEF } { ?s :p0 ?o }",
}
SILENT = {
    "N4": "?s :p0 ?x MINUS { ?s :q0 ?y }",
    "N6": f"{FIRST} MINUS {{ ?t :l ?n }}",
    "F1": "?s :p0 ?a OPTIONAL { ?s :q0 ?b FILTER(?b < ?a) }",
    "F2": f"{FIRST} FILTER(?n != :x)",
    "G1": "GRAPH ?g { { ?s :p0 ?o } UNION { ?s :q0 ?o } }",
    "bound by a filter": f"{{ {FIRST} FILTER(BOUND(?n)) }} {{ ?t :l ?n }}",
    "bound by a comparison": f"{{ {FIRST} FILTER(?n = ?o || ?n = ?s) }} {{ ?t :l ?n }}",
    "a copy": "{ ?s :p0 ?o BIND(?o AS ?n) } { ?t :q0 ?n }",
    "never an error": "{ ?s :p0 ?o BIND(COALESCE(?nowhere, :a) AS ?n) } { ?t :q0 ?n }",
}


@pytest.mark.parametrize("name", WARNED)
def test_where_there_is_a_warning_some_data_make_the_answers_differ(name):
    query, chance = read_query(f"{PREFIX} SELECT * {{ {WARNED[name]} }}", name), random.Random(7)
    assert warned(query)
    assert any(differ(query, random_background(chance)) for _ in range(300))


@pytest.mark.parametrize("name", SILENT)
def test_where_there_is_no_warning_none_of_many_data_make_them_differ(name):
    query, chance = read_query(f"{PREFIX} SELECT * {{ {SILENT[name]} }}", name), random.Random(7)
    assert not warned(query)
    assert not any(differ(query, random_background(chance)) for _ in range(100))


ROWS = {
    "B1": ("SELECT ?s { ?s :p0 ?o }", True),
    "all": ("SELECT ?s ?o { ?s :p0 ?o }", False),
    "distinct": ("SELECT DISTINCT ?s { ?s :p0 ?o }", False),
    "union": ("SELECT ?s { { ?s :p0 :a } UNION { ?s :q0 :a } }", True),
    "computed": ("SELECT ?s ?o { ?s :p0 ?o BIND(STR(?o) AS ?t) FILTER(?t > 'a') }", False),
    "grouped": ("SELECT ?s { ?s :p0 ?o } GROUP BY ?s HAVING(COUNT(?o) > 1)", False),
    "ask": ("ASK { ?s :p0 ?o }", False),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT (COUNT(*) AS ?n) { ?s :p0 ?o }", True),
        ("ASK { ?s :p0 ?o FILTER EXISTS { SELECT (MAX(?b) AS ?o) { ?a :p0 ?b } } }", True),
        ("SELECT (COUNT(*) AS ?n) { ?s :p0 ?o } GROUP BY ?s", False),
        ("SELECT ?s { ?s :p0 ?o } GROUP BY ?s", False),
    ],
)
def test_an_aggregate_of_nothing_is_warned_of(text, expected):
    found = remarks(read_query(PREFIX + text, "q.rq"), Setting())
    assert any(remark.startswith("T13") for remark in found) is expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT ?s ?o { ?s :p0 ?o } GROUP BY ?s", ["?o"]),
        ("SELECT ?s (COUNT(*) AS ?n) { ?s :p0 ?o } HAVING (?o > 1) ORDER BY ?o", ["?s", "?o"]),
        ("SELECT ?s (COUNT(*) AS ?n) { ?s :p0 ?o } GROUP BY ?s HAVING (?n > 1) ORDER BY ?n ?s", []),
    ],
)
def test_a_name_of_a_group_that_is_no_key_is_warned_of(text, names):
    found = remarks(read_query(PREFIX + text, "q.rq"), Setting())
    assert [one.split()[0] for one in found if "not a key" in one] == names


@pytest.mark.parametrize("name", ROWS)
def test_a_set_that_can_lack_rows_of_the_multiset_is_warned_of(name):
    text, expected = ROWS[name]
    query = read_query(PREFIX + text, name)
    assert any(remark.startswith("T12") for remark in remarks(query, Setting(), rows=True)) is expected
    assert not remarks(query, Setting(semantics="bag"), rows=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?s { ?s :p0 ?o } ORDER BY ?o LIMIT 2", True),
        ("SELECT ?s { ?s :p0 ?o } ORDER BY ?o OFFSET 2", True),
        ("SELECT ?s { { SELECT ?s { ?s :p0 ?o } ORDER BY ?o LIMIT 2 } }", True),
        ("SELECT DISTINCT ?s { ?s :p0 ?o } ORDER BY ?o LIMIT 2", False),
        ("SELECT ?s ?o { ?s :p0 ?o } ORDER BY ?o LIMIT 2", False),
        ("SELECT ?s { ?s :p0 ?o } ORDER BY ?o", False),
    ],
)
def test_equal_rows_below_a_limit_are_warned_of_by_each_command(text, expected):
    """Of the rows (a, 1), (a, 2), (b, 3), SPARQL's first two ?s are a and a, those of a set are a and b."""
    query = read_query(PREFIX + text, "q.rq")
    for rows in (False, True):
        found = remarks(query, Setting(), rows=rows)
        assert any("before LIMIT" in remark for remark in found) is expected
    assert not remarks(query, Setting(semantics="bag"))


USUAL = "This pair is usual: CQELS evaluates when data arrive, so do not add a SLIDE"
WINDOWS = {
    "a step of one time point": ("[RANGE 9s STEP 1s]", "[RANGE 9s]", []),
    "a step and no slide": (
        "[RANGE 9s STEP 3s]",
        "[RANGE 9s]",
        [f"the two queries differ in STEP: C-SPARQL 3s, CQELS none. {USUAL}"],
    ),
    "a step and another slide": (
        "[RANGE 9s TUMBLING]",
        "[RANGE 9s SLIDE 3s]",
        ["the two queries differ in STEP: C-SPARQL 9s, CQELS 3s"],
    ),
    "another length": (
        "[RANGE 8s STEP 3s]",
        "[RANGE 9s]",
        ["C-SPARQL query reads <urn:s> [RANGE 8s]", "CQELS query reads <urn:s> [RANGE 9s]"],
    ),
    "triples for time": (
        "[RANGE TRIPLES 8]",
        "[RANGE 9s]",
        ["C-SPARQL query reads <urn:s> [ROWS 8]", "CQELS query reads <urn:s> [RANGE 9s]"],
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_that_differ_in_step_alone_are_said_to_do_so_in_a_line(name):
    window, block, expected = WINDOWS[name]
    csparql = read_query(f"{PREFIX} SELECT ?s FROM STREAM :s {window} {{ ?s :p0 ?o }}", "c.rq")
    cqels = read_query(f"{PREFIX} SELECT ?s {{ STREAM :s {block} {{ ?s :p0 ?o }} }}", "q.rq")
    found = list(differences(csparql, cqels, read_duration("1s")))
    assert [
        one.removeprefix("the two queries are not two forms of one query: only the ") for one in found
    ] == expected


HIDDEN = {
    "FROM NAMED WINDOW :w ON :r [RANGE PT5S STEP PT2S]": "after the last multiple of 2s,",
    "FROM NAMED WINDOW :w ON :r [RANGE PT5S STEP PT2S T0 PT1S]": "after the last close of the window,",
    "FROM NAMED WINDOW :w ON r [RANGE 5s STEP 2s]": "after the last close of the window,",
    "FROM NAMED WINDOW :w ON r [RANGE 3s FUTURE 1s STEP 4s]": "more than 1s after the last multiple of 4s,",
    "FROM NAMED WINDOW :w ON r [RANGE 3s FUTURE 1s STEP 2s]": "",
}


@pytest.mark.parametrize("clause", HIDDEN)
def test_a_slide_under_push_is_warned_of_where_a_window_ends_before_its_time(clause):
    query = read_query(f"{PREFIX} SELECT ?x {clause} WHERE {{ WINDOW :w {{ ?x :p ?y }} }}", "q.rq")
    warnings = [text for text in remarks(query, Setting(), pushed=True) if text.startswith("W2")]
    assert [HIDDEN[clause] in text for text in warnings] == [True] * bool(HIDDEN[clause])
