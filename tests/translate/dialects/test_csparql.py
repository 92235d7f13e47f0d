"""C-SPARQL: REGISTER, COMPUTED EVERY and FROM STREAM, in the papers' and both engines' syntax."""

import pytest

from lars.durations import read_duration
from lars.language.terms import Iri
from tests.agreement.command import lars
from tests.translate.marked import fails_at_mark
from translate.analysis import default_period
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import Dataset, Language
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.strict.strict_csparql import check_csparql

COUPONS = """
REGISTER QUERY coupons COMPUTED EVERY 5m AS
SELECT ?shop ?product ?percent
FROM <g>
FROM STREAM <coupons> [RANGE 30m]
FROM STREAM <locations> [RANGE 5m]
WHERE {
  ?shop <offers> ?coupon . ?coupon <product> ?product ; <percent> ?percent .
  ?user <near> ?shop OPTIONAL { ?user <gender> ?gender }
  FILTER (?percent >= 20 && ?gender != 1)
}"""


def windows_of(clause):
    query = read_query(f"PREFIX e: <http://e/> ASK FROM STREAM e:s {clause} {{ ?s ?p ?o }}", "q.rq")
    assert query.language is Language.CSPARQL
    return [stream.window for stream in query.merged]


def minutes(count, slide=None):
    return Range(read_duration(f"{count}m"), None if slide is None else read_duration(f"{slide}m"))


def test_the_coupon_query_is_read():
    query = read_query(COUPONS, "q.rq")
    assert (query.language, query.name, str(query.every)) == (Language.CSPARQL, "coupons", "5m")
    assert [variable.name for variable in query.result] == ["shop", "product", "percent"]
    assert query.dataset == Dataset((Iri("g"),))
    assert query.merged == (
        StreamBlock(Iri("coupons"), minutes(30)),
        StreamBlock(Iri("locations"), minutes(5)),
    )
    assert str(query.pattern) == (
        "(({?shop <offers> ?coupon . ?coupon <product> ?product . ?coupon <percent> ?percent"
        " . ?user <near> ?shop} OPT {?user <gender> ?gender})"
        " FILTER (?percent >= 20) && (?gender != 1))"
    )


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        ("[RANGE 3m]", minutes(3)),
        ("[RANGE 3m STEP 1m]", minutes(3, 1)),
        ("[RANGE 3m SLIDE 1m]", minutes(3, 1)),
        ("[RANGE 3m TUMBLING]", minutes(3, 3)),
        ("[range 180 S step 60000ms]", minutes(3, 1)),
        ("[ RANGE 2m 60s # c ]\n ]", minutes(3)),
        ("[RANGE 2m60s]", minutes(3)),
        ("[RANGE TRIPLES 7]", Rows(7)),
        ("[TRIPLES 7]", Rows(7)),
        ("[ROWS 7]", Rows(7)),
        ("[NOW]", Now()),
        ("[RANGE UNBOUNDED]", Unbounded()),
        ("[ALL]", Unbounded()),
        ("[RANGE 3min\tSTEP\n1min]", minutes(3, 1)),
    ],
)
def test_each_window_of_the_papers_and_the_engines_is_read(clause, window):
    assert windows_of(clause) == [window]


@pytest.mark.parametrize(
    ("header", "name", "every"),
    [
        ("REGISTER QUERY q1 AS", "q1", None),
        ("register stream q AS", "q", None),
        ("REGISTER QUERY my_q-1 COMPUTED EVERY 500ms AS", "my_q-1", "500ms"),
        ("REGISTER QUERY q EVERY 1m 30s AS", "q", "90s"),
        ("REGISTER QUERY <http://e/q> AS", "http://e/q", None),
        ("PREFIX f: <f:> REGISTER QUERY q AS BASE <http://e/>", "q", None),
        ("", None, None),
    ],
)
def test_each_way_to_register_a_query_is_read(header, name, every):
    query = read_query(f"{header} PREFIX e: <http://e/> ASK FROM NAMED STREAM e:s [NOW] {{}}", "q.rq")
    assert (query.name, query.every) == (name, every and read_duration(every))
    assert query.merged == (StreamBlock(Iri("http://e/s"), Now()),)


@pytest.mark.parametrize(
    ("header", "stream"), [("REGISTER STREAM q AS", True), ("REGISTER QUERY q AS", False), ("", False)]
)
def test_a_query_is_registered_as_a_stream_when_it_says_so(header, stream):
    assert read_query(f"{header} ASK FROM STREAM <s> [NOW] {{}}", "q.rq").registers_stream is stream


def test_a_tuple_window_that_slides_by_one_is_the_one_that_does_not():
    assert windows_of("[RANGE TRIPLES 10 STEP 1]") == [Rows(10)]


def test_static_graphs_and_streams_stand_in_any_order():
    text = "ASK FROM STREAM <s> [NOW] FROM NAMED <n> FROM STREAM <s> [ALL] FROM <g> WHERE {}"
    query = read_query(text, "q.rq")
    assert query.dataset == Dataset((Iri("g"),), (Iri("n"),))
    assert [stream.window for stream in query.merged] == [Now(), Unbounded()]


def test_clauses_in_strings_and_comments_are_no_clauses():
    query = read_query("# FROM STREAM <s> [NOW]\nASK { ?s ?p 'STREAM <s> [NOW] {' }", "q.rq")
    assert (query.language, query.merged) == (Language.CSPARQL, ())


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK FROM STREAM <s> ¦WHERE {}", ("found WHERE", "[")),
        ("ASK FROM STREAM <s> ¦RANGE 3s] {}", ("RANGE", "[")),
        ("ASK FROM STREAM <s> [¦3s] {}", ("found 3", "RANGE")),
        ("ASK FROM STREAM <s> [RANGE ¦] {}", ("found ]", "an integer")),
        ("ASK FROM STREAM <s> [RANGE ¦0s] {}", ("found 0", "longer than zero")),
        ("ASK FROM STREAM <s> [RANGE 3s STEP ¦0m 0s] {}", ("found 0", "longer than zero")),
        ("ASK FROM STREAM <s> [RANGE ¦1.5s] {}", ("found 1.5", "integer")),
        ("ASK FROM STREAM <s> [RANGE ¦-3s] {}", ("found -",)),
        ("ASK FROM STREAM <s> [RANGE 3¦] {}", ("found ]", "a unit of time: ns, ms")),
        ("ASK FROM STREAM <s> [RANGE 3 ¦sec] {}", ("found sec", "ms")),
        ("ASK FROM STREAM <s> [RANGE 3s ¦{ ?s ?p ?o }", ("found {", "]")),
        ("ASK FROM STREAM <s> [RANGE 3s STEP 1s ¦STEP 1s] {}", ("found STEP", "]")),
        ("ASK FROM STREAM <s> [¦BGP 3] {}", ("BGP",)),
        ("ASK FROM STREAM <s> [TRIPLES ¦0] {}", ("found 0", "from 1 on")),
        ("ASK FROM STREAM <s> [TRIPLES ¦x] {}", ("found x",)),
        ("ASK FROM STREAM <s> [RANGE 3s¦", ("end of the query", "]")),
        ("ASK FROM STREAM ¦'s' [NOW] {}", ("an IRI",)),
        ("ASK FROM STREAM ¦e:s [NOW] {}", ("undeclared prefix e:",)),
        ("ASK FROM STREAM ¦[NOW] {}", ("an IRI",)),
        ("REGISTER ¦q AS ASK {}", ("found q", "QUERY or STREAM")),
        ("REGISTER QUERY ¦AS ASK {}", ("found AS", "name")),
        ("REGISTER QUERY q ¦ASK {}", ("found ASK", "AS, COMPUTE, COMPUTED or EVERY")),
        ("REGISTER QUERY q COMPUTED ¦1s AS ASK {}", ("EVERY",)),
        ("REGISTER QUERY q COMPUTED EVERY ¦0s AS ASK {}", ("longer than zero",)),
        ("REGISTER QUERY q EVERY 1s ¦ASK {}", ("AS",)),
        ("REGISTER QUERY q AS ¦REGISTER QUERY r AS ASK {}", ("found REGISTER",)),
        ("ASK FROM STREAM <s> [NOW] { ?s ?p ?o .\n  ¦STREAM <t> [NOW] { ?s ?q ?r } }", ("CQELS", "C-SPARQL")),
        ("ASK { ?s ?p ?o } ¦FROM STREAM <s> [NOW]", ("found FROM",)),
        ("SELECT ?s FROM STREAM <s> [NOW] ¦?o { ?s ?p ?o }", ("found ?o", "WHERE")),
        ("ASK FROM STREAM <s> [NOW ¦3s] {}", ("found 3", "]")),
        ("SELECT ¦ISTREAM ?s FROM STREAM <s> [NOW] {}", ("found ISTREAM", "SPARQLstream and RSP-QL")),
        ("ASK FROM NAMED ¦WINDOW <w> ON <s> [NOW] {}", ("FROM WINDOW", "RSP-QL", "C-SPARQL")),
        ("ASK { ¦WINDOW <w> { ?s ?p ?o } }", ("a WINDOW block", "RSP-QL")),
    ],
)
def test_a_wrong_clause_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words, kind=QueryError, engine=Language.CSPARQL)


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("ASK FROM STREAM <s> [TRIPLES 10 ¦STEP 2] {}", "a tuple window with STEP"),
        ("ASK FROM STREAM <s> [RANGE TRIPLES 10 ¦SLIDE 2] {}", "a tuple window with SLIDE"),
        ("ASK FROM STREAM ¦?s [NOW] {}", "variable stream name ?s"),
    ],
)
def test_a_clause_that_is_not_covered_is_named_at_its_place(marked, word):
    fails_at_mark(marked, word, "covered", kind=UnsupportedError)


AGGREGATED = "SELECT {} FROM STREAM <urn:S> [RANGE 9s STEP 1s] WHERE {{ ?a <urn:p> ?b }} AGGREGATE {{ {} }}"
SUBSELECTED = (
    "SELECT {} FROM STREAM <urn:S> [RANGE 9s STEP 1s] WHERE {{ {{ {{ ?a <urn:p> ?b }} {{ {} }} }} {} }}"
)
INNER = "SELECT ?a ({} AS ?n) WHERE {{ ?a <urn:p> ?b }} GROUP BY ?a"


@pytest.mark.parametrize(
    ("clause", "aggregate", "condition"),
    [
        ("(?n, COUNT, {?a})", "COUNT(*)", ""),
        ("(?n, COUNT, ?a)", "COUNT(*)", ""),
        ("(?n, SUM(?b), {?a})", "SUM(?b)", ""),
        ("(?n, avg(?b), {?a}) FILTER (?n > 2)", "AVG(?b)", "FILTER (?n > 2)"),
    ],
)
def test_the_aggregate_of_the_papers_is_added_to_each_solution(clause, aggregate, condition):
    for select in ("?a ?b ?n", "DISTINCT ?a ?n"):
        query = read_query(AGGREGATED.format(select, clause), "q.rq")
        same = SUBSELECTED.format(select, INNER.format(aggregate), condition)
        assert query == read_query(same, "q.rq")


def test_a_later_aggregate_may_use_an_earlier_one():
    clause = "(?n, COUNT, {?a}) } AGGREGATE { (?m, MAX(?n), {?b}) "
    assert "MAX(?n)" in str(read_query(AGGREGATED.format("?a ?b ?n ?m", clause), "q.rq").pattern)


def test_solutions_keep_their_rows_beside_the_aggregates_of_their_groups(tmp_path):
    (tmp_path / "q.rq").write_text(AGGREGATED.format("?a ?b ?n", "(?n, COUNT, {?a}) FILTER (?n > 1)"))
    rows = "1,urn:x,urn:p,1", "2,urn:x,urn:p,2", "3,urn:y,urn:p,3"
    (tmp_path / "s.csv").write_text("\n".join(("t,s,p,o", *rows, "")))
    given = [tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "--from", 3, "--evaluator", "both"]
    assert lars("solve", *given).out == "t: (?a, ?b, ?n)\n3: (urn:x, 1, 2) (urn:x, 2, 2)\n"


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("(¦?b, COUNT, {?a})", "a variable that nothing binds"),
        ("(?n, COUNT, {¦?c})", "a variable of the pattern"),
        ("(?n, SUM(¦?c), {?a})", "a variable of the pattern"),
    ],
)
def test_what_an_aggregate_of_the_papers_names_is_checked(clause, words):
    fails_at_mark(AGGREGATED.format("?a ?n", clause), words)


COUNTED = AGGREGATED.format("?a ?n", "(?n, COUNT, {?a})")
FILTERED = COUNTED.replace("})", "}) FILTER (?n > 1)")
OPTIONAL = COUNTED.replace("?b }", "?b OPTIONAL { ?a <urn:q> ?c } }")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{FILTERED} ¦AGGREGATE {{ (?m, COUNT, {{?b}}) }}", "after an AGGREGATE with FILTER"),
        (COUNTED.replace("AGG", "LIMIT 3 ¦AGG"), "with LIMIT or OFFSET"),
        (COUNTED.replace("AGG", "GROUP BY ?a ¦AGG"), "together with GROUP BY"),
        (COUNTED.replace("AGG", "VALUES ?b { 1 } ¦AGG"), "AGGREGATE after VALUES"),
        (OPTIONAL.replace("{?a}", "{¦?c}"), "AGGREGATE with a grouping variable that can be unbound"),
    ],
)
def test_what_the_papers_do_not_define_beside_an_aggregate_is_refused(text, words):
    fails_at_mark(text, words, kind=UnsupportedError)


def test_the_parser_of_the_engine_rejects_the_aggregate_of_the_papers():
    text = f"REGISTER QUERY q AS {AGGREGATED.format('?a ?n', '(?n, COUNT, {?a})')}"
    with pytest.raises(QueryError, match="found AGGREGATE"):
        check_csparql(text, "q.rq")


@pytest.mark.parametrize(("steps", "period"), [("2s 2s", 2), ("2s 3s", 5)])
def test_computed_every_is_the_period_if_the_windows_have_different_steps(steps, period):
    windows = " ".join(
        f"FROM STREAM <e:{step}{n}> [RANGE 9s STEP {step}]" for n, step in enumerate(steps.split())
    )
    query = read_query(f"REGISTER QUERY q COMPUTED EVERY 5s AS ASK {windows} {{ ?s ?p ?o }}", "q.rq")
    assert default_period(query, read_duration("1s")) == period
