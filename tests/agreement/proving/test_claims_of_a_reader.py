"""Claims about every stream that were wrong: aggregates of nothing, renamed orders, languages that differ."""

import pytest

from agreement import api
from agreement.proving.decisions import Witness
from solver.facts import Fact
from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
MASKED = (
    "SELECT ?x ?n WHERE { { STREAM :a [NOW] { ?x :p ?y } MINUS { ?x :q ?z } } "
    "{ SELECT (COUNT(*) AS ?n) WHERE { STREAM :b [RANGE 9s] { ?u :r ?w } } } }"
)


def test_an_aggregate_of_nothing_is_no_agreement_though_a_way_has_another_reason_first(tmp_path):
    (tmp_path / "q.rq").write_text(PREFIX + MASKED)
    ran = lars("decide", tmp_path / "q.rq", "--unit", "1s", "--period", "1", "--time-limit", "30")
    assert ran.code != 0
    assert "agree on every stream" not in ran.out


@pytest.mark.parametrize(("key", "code"), [("level", 1), ("place", 0)])
def test_a_renamed_column_keeps_its_place_in_the_order(tmp_path, key, code):
    rooms = "SELECT ?room WHERE { STREAM :s [RANGE 5s] { ?room :p ?place } } ORDER BY DESC(?room) LIMIT 1"
    places = (
        "SELECT ?place WHERE {{ STREAM :s [RANGE 5s] {{ ?place :p ?level }} }} ORDER BY DESC(?{}) LIMIT 1"
    )
    (tmp_path / "a.rq").write_text(PREFIX + rooms)
    (tmp_path / "b.rq").write_text(PREFIX + places.format(key))
    files = (tmp_path / "a.rq", tmp_path / "b.rq")
    ran = lars(
        "decide", *files, "--contained", "--rename", "room=place", "--unit", "1s", "--time-limit", "30"
    )
    assert (ran.code == 0) is (code == 0)
    assert (": yes" in ran.out) is (code == 0)


@pytest.mark.parametrize(("aggregate", "is_said"), [("AVG(?v)", False), ("?v", True)])
def test_an_average_of_nothing_is_not_the_same_in_two_languages(tmp_path, aggregate, is_said):
    shown = f"SELECT ({aggregate} AS ?a)"
    where = "WHERE { ?x :p ?v }"
    (tmp_path / "a.rq").write_text(f"{PREFIX}{shown} FROM NAMED STREAM :s [NOW - 5 S SLIDE 1 S] {where}")
    (tmp_path / "b.rq").write_text(
        f"REGISTER QUERY q AS {PREFIX}{shown} FROM STREAM :s [RANGE 5s STEP 1s] {where}"
    )
    files = (tmp_path / "a.rq", tmp_path / "b.rq")
    ran = lars("decide", *files, "--contained", "--unit", "1s", "--time-limit", "30")
    assert ("b.rq: yes" in ran.out) is is_said


def said(folder, *options, **texts):
    """Return how `lars` ran on queries in files of these names, with one more word in front."""
    for name, text in texts.items():
        (folder / f"{name}.rq").write_text(PREFIX + text)
    command, *more = options
    return lars(command, *(folder / f"{name}.rq" for name in texts), *more, "--unit", "1s")


LIMITED = "SELECT ?x WHERE { { SELECT ?x ?%s { STREAM :s [RANGE 5s] { ?x :p ?%s } } LIMIT 1 } }"


@pytest.mark.parametrize(("other", "code"), [("b", 0), ("z", 1)])
def test_hidden_names_decide_which_of_equal_rows_a_limit_keeps(tmp_path, other, code):
    texts = {"one": LIMITED % ("a", "a"), "two": LIMITED % (other, other)}
    ran = said(tmp_path, "decide", "--contained", "--time-limit", "30", **texts)
    assert ran.code == code


@pytest.mark.parametrize(("new", "code"), [("b", 0), ("z", 2)])
def test_a_renamed_column_does_not_change_which_of_equal_rows_a_limit_keeps(tmp_path, new, code):
    one, two = (
        f"SELECT ?x ?{n} WHERE {{ STREAM :s [RANGE 5s] {{ ?x :p ?{n} }} }} LIMIT 1" for n in "a" + new
    )
    ran = said(tmp_path, "decide", "--contained", "--rename", f"a={new}", one=one, two=two)
    assert (ran.code, "LIMIT chooses among equal rows" in ran.err) == (code, code == 2)


STAMPED = (
    "REGISTER QUERY q AS PREFIX : <http://e/> PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> "
    "SELECT ?x ?t FROM STREAM :s {} WHERE {{ ?x :p ?y BIND (f:timestamp(?x, :p, ?y) AS ?t) }}"
)


@pytest.mark.parametrize(("window", "holds"), [("[RANGE 10s STEP 1s]", False), ("[RANGE 5s STEP 5s]", True)])
def test_the_time_of_a_statement_is_that_in_its_own_windows(tmp_path, window, holds):
    (tmp_path / "a.rq").write_text(STAMPED.format("[RANGE 5s STEP 5s]"))
    (tmp_path / "b.rq").write_text(STAMPED.format(window))
    ran = lars("decide", tmp_path / "a.rq", tmp_path / "b.rq", "--contained", "--time-limit", "30")
    assert (": yes" in ran.out) is holds


TWO_SOURCES = "SELECT ?r WHERE { STREAM :a [NOW] { ?r :alarm ?l } ?r :in ?f }"


@pytest.mark.parametrize(("options", "code"), [(("--any-source",), 3), ((), 0)])
def test_own_sources_exclude_no_stream_whose_triples_come_from_any(tmp_path, options, code):
    ran = said(tmp_path, "witness", "--period", "1", "--time-limit", "0", *options, q=TWO_SOURCES)
    assert ran.code == code


def test_decide_says_that_it_assumes_own_sources(tmp_path):
    ran = said(tmp_path, "decide", "--period", "1", q=TWO_SOURCES)
    assert "if each triple comes from the source of its own pattern" in ran.out.splitlines()[0]
    assert "assumed: each triple comes from the source whose patterns match it" in ran.out


def test_all_periods_of_one_verdict_are_in_the_first_line(tmp_path):
    asked = "ASK { STREAM :a [RANGE 2s] { ?x :p ?y } }"
    ran = said(tmp_path, "decide", "--trigger", "matching", "--period", "1..4", "--time-limit", "0", q=asked)
    assert ran.out.startswith("U = 1..2, 4: it is open")


def test_a_premise_that_is_open_is_not_said_to_fail(tmp_path):
    tested = "SELECT ?x WHERE { STREAM :a [NOW] { ?x :p ?y } FILTER (STRLEN(?y) > 3 && STRLEN(?y) < 2) }"
    ran = said(tmp_path, "decide", "--period", "1", "--time-limit", "30", q=tested)
    assert "  open satisfiable: " in ran.out


def test_a_stream_that_refutes_without_the_static_data_need_not_with_them(tmp_path):
    count = "SELECT (COUNT(*) AS ?n) WHERE { STREAM :s [ALL] { :c :p ?y } %s }"
    (tmp_path / "known.ttl").write_text("<http://e/c> a <http://e/T> .")
    ran = said(
        tmp_path,
        "witness",
        "--static",
        tmp_path / "known.ttl",
        "--time-limit",
        "1",
        one=count % "",
        two=count % ":c a :T",
    )
    assert (ran.code, "confirm" in ran.err) == (3, False)


def test_a_window_that_looks_ahead_sets_the_unit(tmp_path):
    ahead = "SELECT ?x WHERE { STREAM s [PAST 5s FUTURE %sms STEP 1s] { ?x :p ?y } }"
    for name, text in (("a", ahead % 250), ("b", ahead % 500)):
        (tmp_path / f"{name}.rq").write_text(PREFIX + text)
    ran = lars("decide", tmp_path / "a.rq", tmp_path / "b.rq", "--contained")
    assert (ran.code, "time in units of 250ms" in ran.out) == (0, True)


TWO_CAUSES = (
    "SELECT ?x WHERE { { STREAM <e:a> [NOW] { ?x <e:p> ?y } } "
    "UNION { STREAM <e:b> [RANGE 3s] { ?x <e:q> ?y } } }"
)


def test_the_causes_of_a_witness_are_those_at_its_end():
    task = api.witness(TWO_CAUSES, period=2, unit="1s")._task
    facts = tuple(Fact(1, "striple", (f"<e:{p}>", f"<e:{p}>", "<e:o>", f"<e:{s}>")) for p, s in ("pa", "qb"))
    found = [task.causes(2, Witness(facts, {}, end - 2, end)) for end in (2, 4)]
    assert found == [{"expired before the pull"}, {"silent period"}]


def test_a_window_that_looks_ahead_is_not_said_to_show_only_what_has_arrived(tmp_path):
    ahead = "SELECT ?x WHERE { STREAM s [PAST 5s FUTURE 2s STEP 1s] { ?x :p ?y } }"
    ran = said(tmp_path, "decide", "--period", "2", "--time-limit", "30", q=ahead)
    assert ran.code == 1
    assert "until the triple leaves for good: the window also contains later arrivals" in ran.out
    assert "a row still holds while push is silent" not in ran.out


@pytest.mark.parametrize(("other", "code"), [("b", 0), ("z", 2)])
def test_a_limit_with_other_hidden_names_is_another_pattern_of_push_and_pull(tmp_path, other, code):
    """On x1 p 2 and x2 p 1 push keeps one row, and pull the other."""
    pulled = "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?x FROM STREAM :s [NOW] WHERE {{ {} }}"
    (tmp_path / "a.rq").write_text(pulled.format("{ SELECT ?x ?a { ?x :p ?a } LIMIT 1 }"))
    (tmp_path / "b.rq").write_text(PREFIX + (LIMITED % (other, other)).replace("[RANGE 5s]", "[NOW]"))
    ran = lars("decide", tmp_path / "a.rq", tmp_path / "b.rq", "--period", "1", "--unit", "1s")
    assert (ran.code, "the patterns differ" in ran.err) == (code, code == 2)


RANDOM = (
    "{ SELECT ?s ?x WHERE { STREAM :s [RANGE 5s] { ?s :p ?v } BIND (RAND() AS ?x) } }",
    "{ SELECT ?s ?y WHERE { STREAM :s [RANGE 5s] { ?s :q ?v } BIND (RAND() AS ?y) } }",
)


@pytest.mark.parametrize(("order", "holds"), [(1, True), (-1, False)])
def test_random_values_are_those_of_their_places(tmp_path, order, holds):
    one, two = (f"SELECT ?s ?x ?y WHERE {{ {' '.join(each)} }}" for each in (RANDOM, RANDOM[::order]))
    ran = said(tmp_path, "decide", "--contained", "--time-limit", "30", one=one, two=two)
    assert (": yes" in ran.out) is holds


@pytest.mark.parametrize(("unseen", "holds"), [("BIND (STRUUID() AS ?u)", False), ("", True)])
def test_random_values_that_nobody_sees_have_places_too(tmp_path, unseen, holds):
    half = "BIND (RAND() AS ?n) FILTER (?n < 0.5)"
    body = "SELECT ?x WHERE {{ STREAM :s [RANGE 2s] {{ ?x :p ?v }} {} {} }}"
    one, two = body.format(unseen, half), body.format(half, unseen)
    ran = said(tmp_path, "decide", "--contained", "--time-limit", "30", one=one, two=two)
    assert (": yes" in ran.out) is holds


@pytest.mark.parametrize(("rows", "code"), [("( )", 0), ("", 1), ("( ) ( )", 1)])
def test_rows_of_values_without_variables_count(tmp_path, rows, code):
    """Each of these rows repeats every solution; without any there is none."""
    text = (
        "REGISTER QUERY q AS PREFIX : <http://e/> SELECT (COUNT(*) AS ?n) FROM STREAM :s [RANGE 5s STEP 1s] "
        "WHERE {{ ?x :p ?v VALUES () {{ {} }} }}"
    )
    (tmp_path / "a.rq").write_text(text.format("( )"))
    (tmp_path / "b.rq").write_text(text.format(rows))
    ran = lars("decide", tmp_path / "a.rq", tmp_path / "b.rq", "--contained", "--time-limit", "30")
    assert ran.code == code


BLANK = "SELECT ?x WHERE { STREAM :s [RANGE 5s] { ?x :p ?y } ?x :p ?z FILTER(isBlank(?x)) }"


def test_one_stream_can_match_patterns_of_two_sources_with_one_blank_node(tmp_path):
    ran = said(tmp_path, "decide", "--period", "2", "--time-limit", "0", q=BLANK)
    assert ran.code != 0
    (tmp_path / "s.nq").write_text('_:b <http://e/p> <http://e/o> <http://e/s> "2" .\n')
    assert lars("agree", tmp_path / "q.rq", tmp_path / "s.nq", "--unit", "1s", "--period", "2").code == 1
    late = said(tmp_path, "decide", "--period", "2", "--delay", "1s", "--time-limit", "0", q=BLANK)
    assert "L7" not in late.out


def test_the_names_of_graphs_are_static_data(tmp_path):
    named = "SELECT ?x ?g WHERE { STREAM :s [RANGE 5s] { ?x :p ?y } GRAPH ?g { } }"
    ran = said(tmp_path, "decide", "--period", "2", q=named)
    assert "agree depends on the static data" in ran.out.splitlines()[0]


def test_a_variable_that_only_minus_has_counts_no_solutions(tmp_path):
    where = "{ STREAM :s [RANGE 5s] { ?x :p ?y } MINUS { ?x :q ?z } } GROUP BY ?x ?y"
    counted = f"SELECT ?x ?y (COUNT(%s) AS ?n) {where}"
    ran = said(
        tmp_path,
        "decide",
        "--contained",
        "--time-limit",
        "30",
        one=counted % "*",
        two=counted % "DISTINCT ?z",
    )
    assert (ran.code, "(?n, ?x, ?y) = (1, x, y)" in ran.out) == (1, True)


PAIRED = "SELECT ?x ?y WHERE { STREAM :s [RANGE 5s] { ?x :p ?y . ?y :q ?z } "
INNER = "STREAM :s [RANGE 5s] { ?y :q ?z } FILTER NOT EXISTS { STREAM :s [RANGE 5s] { ?%s :r ?z } %s }"
EVERY = f"{PAIRED} FILTER NOT EXISTS {{ {INNER} }} }}"
SOME_LACK = f"{PAIRED} FILTER EXISTS {{ {INNER} }} }}"
COMPUTED = EVERY.replace(" FILTER NOT", " BIND(?x AS ?b) FILTER NOT", 1)


@pytest.mark.parametrize(
    ("one", "two", "code"),
    [
        (EVERY % ("x", ""), EVERY % ("u", ""), 0),
        (EVERY % ("u", ""), EVERY % ("x", ""), 1),
        (SOME_LACK % ("x", ""), SOME_LACK % ("u", ""), 1),
        (SOME_LACK % ("u", ""), SOME_LACK % ("x", ""), 0),
        (COMPUTED % ("u", "FILTER(?u = ?b)"), f"{PAIRED} FILTER(?x = :a && ?x = :b) }}", 1),
        (
            f"{PAIRED} STREAM :s [RANGE 5s] {{ ?u :r ?z }} FILTER(?x = :a) }}",
            EVERY.replace("FILTER", "FILTER(?x = :a) FILTER", 1) % ("x", ""),
            1,
        ),
    ],
)
def test_exists_inside_exists_sees_the_solution_of_both(tmp_path, one, two, code):
    ran = said(tmp_path, "decide", "--contained", "--time-limit", "30", one=one, two=two)
    assert ran.code == code


STAYING = (
    "SELECT ?a WHERE {{ STREAM :s [RANGE 5s] {{ ?a :p ?x . ?b :r ?y }} "
    'FILTER EXISTS {{ STREAM :s [RANGE 5s] {{ ?x :q? ?y }} }} FILTER(?x > "k" && ?x < "{}") }}'
)


def test_a_path_of_no_step_between_two_variables_of_exists_has_values_of_each_region(tmp_path):
    one = STAYING.format("m")
    ran = said(tmp_path, "witness", "--contained", "--time-limit", "20", one=one, two=STAYING.format("a"))
    assert (ran.code, '"k' in ran.out) == (1, True)
    assert said(tmp_path, "decide", "--period", "1", q=one).code == 1


COUNTED = "{ SELECT ?x (COUNT(?y) AS ?n) { STREAM :s [RANGE 5s] { ?x :p ?y } } GROUP BY ?x }"
FOUND = "STREAM :s [RANGE 5s] { ?x :p ?y } BIND(EXISTS { STREAM :s [RANGE 5s] { ?x :q ?u } } AS ?n)"


@pytest.mark.parametrize("known", [COUNTED, FOUND])
def test_exists_sees_values_that_are_counted_or_tested(tmp_path, known):
    test = "FILTER EXISTS { STREAM :s [RANGE 5s] { ?x :q ?z } FILTER(?z = ?n) }"
    ran = said(tmp_path, "decide", "--period", "2", q=f"SELECT ?x {{ {known} {test} }}")
    assert "agree on every stream" not in ran.out.splitlines()[0]
    assert ran.code == 1


@pytest.mark.parametrize(
    ("inside", "first"),
    [
        ("FILTER(!bound(?g))", "whether push and pull agree depends on the static data"),
        ("FILTER(bound(?g))", "push and pull agree on every stream"),
        ("FILTER NOT EXISTS { ?a :k ?c FILTER(bound(?g)) }", "agree depends on the static data"),
    ],
)
def test_the_name_of_a_graph_is_unbound_inside_the_graph(tmp_path, inside, first):
    named = f"SELECT ?x ?g {{ STREAM :s [RANGE 5s] {{ ?x :p ?y }} GRAPH ?g {{ ?a :k ?b {inside} }} }}"
    ran = said(tmp_path, "decide", "--period", "2", "--time-limit", "5", q=named)
    assert ran.out.splitlines()[0].endswith(first)


def test_bind_inside_a_graph_does_not_see_its_name(tmp_path):
    shown = "SELECT ?x ?h {{ STREAM :s [RANGE 5s] {{ ?x :p ?y }} GRAPH ?{} {{ ?a :k ?b {} }} }}"
    texts = {"one": shown.format("h", ""), "two": shown.format("g", "BIND(?g AS ?h)")}
    assert said(tmp_path, "decide", "--contained", "--time-limit", "30", **texts).code == 1


HIDDEN_GRAPH = (
    "SELECT ?x { STREAM :s [RANGE 5s] { ?x :q ?w } { { SELECT ?x { GRAPH ?h { ?x :p ?z } } } "
    "MINUS { SELECT ?x { GRAPH ?h { ?x :p ?%s } } } } }"
)


@pytest.mark.parametrize(("hidden", "code"), [("h", 1), ("z", 0)])
def test_the_hidden_name_of_a_graph_is_not_that_of_another_sub_select(tmp_path, hidden, code):
    """A triple <a> <p> <b> in a graph <g> removes no row if the object must be the name of the graph."""
    assert said(tmp_path, "decide", "--period", "2", q=HIDDEN_GRAPH % hidden).code == code


SLIDING = (
    "ASK { { STREAM :a [NOW] { :x :p :y . :x :q :y } } "
    "UNION { STREAM :b [RANGE 1s%s] { :x :r :y . :x :k :y } } }"
)


@pytest.mark.parametrize(("slide", "code"), [(" SLIDE 4s", 3), ("", 0)])
def test_a_cause_can_need_more_triples_than_a_difference(tmp_path, slide, code):
    """Push reports a row by two triples of :a at 1; two triples of :b at 2 are hidden by the pivot 0."""
    options = ("--bounds", "low-open", "--period", "2", "--cause", "hidden-by-the-pivot")
    assert said(tmp_path, "witness", *options, q=SLIDING % slide).code == code


ANYTHING = "ASK { STREAM :s [RANGE 1s] { ?x ?p ?y } }"


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (ANYTHING, ("--period", "2"), 1),
        (ANYTHING, ("--period", "2", "--trigger", "query-streams"), 0),
        (ANYTHING.replace("?p", ":p"), ("--sides", "any,query-streams"), 1),
        (ANYTHING.replace("RANGE 1s", "NOW"), ("--sides", "any,query-streams"), 0),
    ],
)
def test_a_stream_that_nobody_reads_makes_push_evaluate(tmp_path, text, options, code):
    """If each triple of :s matches, only a triple of another stream makes push evaluate without a match."""
    assert said(tmp_path, "witness", *options, q=text).code == code
