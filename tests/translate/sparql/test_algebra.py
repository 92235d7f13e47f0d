"""SPARQL's algebra: groups, expressions, blank nodes, and what is refused."""

import pytest

from lars.language.formulas import Call, write_expression
from lars.language.terms import Variable
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import EMPTY, LeftJoin


def pattern_of(group):
    return str(read_query(f"PREFIX : <> SELECT * {{ {group} }}", "q.rq").pattern)


def expression_of(text):
    prologue = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    return read_query(f"{prologue} ASK {{ ?x ?y ?z FILTER ({text}) }}", "q.rq").pattern.condition


def names(text):
    return [variable.name for variable in read_query(text, "q.rq").result]


@pytest.mark.parametrize(
    ("group", "pattern"),
    [
        ("", "{}"),
        ("{}", "{}"),
        ("?b ?c ?d . ?a ?a ?a . <s> ?p 1", "{?b ?c ?d . ?a ?a ?a . <s> ?p 1}"),
        ("?s a :C ; :p 1, 2 .", "{?s <TYPE> <C> . ?s <p> 1 . ?s <p> 2}"),
        (
            "?s ?p ?o FILTER (?o > 1) ?a ?b ?c FILTER (?c < 2)",
            "({?s ?p ?o . ?a ?b ?c} FILTER (?o > 1) && (?c < 2))",
        ),
        ("FILTER (?o > 1) ?s ?p ?o", "({?s ?p ?o} FILTER ?o > 1)"),
        ("?s ?p ?o { ?a ?b ?c }", "({?s ?p ?o} AND {?a ?b ?c})"),
        ("{ ?s ?p ?o FILTER (?o > 1) } ?a ?b ?c", "(({?s ?p ?o} FILTER ?o > 1) AND {?a ?b ?c})"),
        ("?s ?p ?o OPTIONAL { ?a ?b ?c FILTER (?o > 1) }", "({?s ?p ?o} OPT {?a ?b ?c} IF ?o > 1)"),
        ("?s ?p ?o OPTIONAL { { ?a ?b ?c FILTER (?o > 1) } }", "({?s ?p ?o} OPT ({?a ?b ?c} FILTER ?o > 1))"),
        ("OPTIONAL { ?a ?b ?c } ?s ?p ?o", "(({} OPT {?a ?b ?c}) AND {?s ?p ?o})"),
        (
            "?s ?p ?o MINUS { ?a ?b ?c } MINUS { ?d ?e ?f }",
            "(({?s ?p ?o} MINUS {?a ?b ?c}) MINUS {?d ?e ?f})",
        ),
        ("{ ?a ?b ?c } UNION { ?d ?e ?f } UNION {}", "(({?a ?b ?c} UNION {?d ?e ?f}) UNION {})"),
        ("GRAPH ?g { ?s ?p ?o } GRAPH :g {}", "((GRAPH ?g {?s ?p ?o}) AND (GRAPH <g> {}))"),
        ("?s ?p ?o BIND (?o + 1 AS ?x) ?x ?q ?r", "(({?s ?p ?o} BIND ?x := ?o + 1) AND {?x ?q ?r})"),
        ("[ :p ?x ] :q ( 1 )", "{?_b0 <q> ?_b1 . ?_b0 <p> ?x . ?_b1 <FIRST> 1 . ?_b1 <REST> <NIL>}"),
    ],
)
def test_a_group_becomes_its_algebra(group, pattern):
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    read = pattern_of(group)
    for name in ("type", "first", "rest", "nil"):
        read = read.replace(f"<{rdf}{name}>", f"<{name.upper()}>")
    read = read.replace('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "1").replace(
        '"2"^^<http://www.w3.org/2001/XMLSchema#integer>', "2"
    )
    if "FIRST" in pattern:  # the order of a collection's triples carries no meaning
        read, pattern = sorted(read), sorted(pattern)
    assert read == pattern


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("?x + 1 - 2 * ?y / 3", "(?x + 1) - ((2 * ?y) / 3)"),
        ("?x -1", "?x - 1"),
        ("?x-1*2", "?x - (1 * 2)"),
        ("-?x = - 5", "-(?x) = -(5)"),
        ("+?x", "-(-(?x))"),
        ("!?x || ?y && ?z", "!(?x) || (?y && ?z)"),
        ("?x || ?y || ?z", "(?x || ?y) || ?z"),
        ("?x IN (1, ?y)", "?x IN (1, ?y)"),
        ("?x IN ()", "?x IN ()"),
        ("?x NOT IN (1)", "!(?x IN (1))"),
        ("(((?x))) >= 2", "?x >= 2"),
        ("?x <?y", "?x < ?y"),
        ("xsd:integer(?x) != 2", "<http://www.w3.org/2001/XMLSchema#integer>(?x) != 2"),
    ],
)
def test_operators_become_calls(text, written):
    assert write_expression(expression_of(text)) == written


def test_a_signed_number_is_one_literal_where_nothing_stands_before_it():
    assert expression_of("?x = -1").arguments[1].lexical == "-1"
    assert expression_of("-01 = ?x").arguments[0].lexical == "-01"
    assert expression_of("?x IN (-1, +2)").arguments[2].lexical == "+2"


BUILTINS = {
    0: "COALESCE CONCAT",
    1: """STR LANG DATATYPE BOUND IRI ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI
          YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512 COALESCE
          isIRI isBLANK isLITERAL isNUMERIC""",
    2: """LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT sameTerm REGEX SUBSTR
          CONCAT COALESCE""",
    3: "IF REGEX SUBSTR REPLACE CONCAT COALESCE",
    4: "REPLACE",
}


@pytest.mark.parametrize(
    ("name", "count"), [(name, count) for count, listed in BUILTINS.items() for name in listed.split()]
)
def test_every_builtin_is_a_call_by_its_name_in_upper_case(name, count):
    arguments = [Variable("x"), Variable("y"), Variable("z"), Variable("x")][:count]
    text = f"{name.lower()} ( {', '.join(map(str, arguments))} )"
    assert expression_of(text) == Call(name.upper(), tuple(arguments))


def test_synonyms_have_one_name():
    assert expression_of("isURI(?x)") == expression_of("isIRI(?x)")
    assert expression_of("URI(?x)") == expression_of("IRI(?x)")


def test_select_star_returns_what_is_in_scope_in_the_order_of_the_text():
    text = "SELECT * { ?b ?a _:x MINUS { ?m ?a ?b } FILTER (?f > 1) BIND (?g AS ?h) OPTIONAL { ?a ?c [] } }"
    assert names(text) == ["b", "a", "h", "c"]


def test_select_expressions_extend_the_pattern_in_their_order():
    query = read_query("SELECT ?s (?o + 1 AS ?x) ?s (?x * 2 AS ?y) ?none { ?s ?p ?o }", "q.rq")
    assert [variable.name for variable in query.result] == ["s", "x", "y", "none"]
    assert str(query.pattern) == "(({?s ?p ?o} BIND ?x := ?o + 1) BIND ?y := ?x * 2)"


def test_ask_has_no_variables():
    query = read_query("ASK { ?s ?p ?o }", "q.rq")
    assert (query.form, query.result) == ("ASK", ())


def test_blank_nodes_are_variables_of_their_basic_graph_pattern_and_clash_with_none():
    text = "SELECT * { _:a ?_b0 _:c . _:a ?__b ?__b1 OPTIONAL { [] ?p _:d } }"
    query = read_query(text, "q.rq")
    assert [variable.name for variable in query.result] == ["_b0", "__b", "__b1", "p"]
    first, second = query.pattern.left.triples
    assert first.subject == second.subject == Variable("___b0")
    assert query.pattern.right.triples[0].subject not in (first.subject, first.object)


def test_an_optional_part_of_the_empty_group_stays_a_left_join():
    query = read_query("ASK { OPTIONAL { ?s ?p ?o } }", "q.rq")
    assert isinstance(query.pattern, LeftJoin)
    assert query.pattern.left == EMPTY


def test_long_and_deep_queries_are_read():
    assert len(read_query(f"ASK {{ {'?s ?p ?o . ' * 800} }}", "q.rq").pattern.triples) == 800
    assert expression_of("(" * 60 + "?x" + ")" * 60) == Variable("x")


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("¦SELEC ?s { ?s ?p ?o }", ("found SELEC", "SELECT", "ASK")),
        ("SELECT ¦{ ?s ?p ?o }", ("found {", "a variable", "*")),
        ("SELECT ?s { ?s ?p ¦}", ("found }", "a literal")),
        ("SELECT ?s { ?s ?p ?o\n# }\n¦", ("the end of the query", "}")),
        ("SELECT ?s { ?s ?p ?o }\n\n  # c\n  ¦}", ("found }",)),
        ("SELECT ?s { ?s ¦'p' ?o }", ("found 'p'", "an IRI")),
        ("SELECT ?s { ?s ?p ?o FILTER ¦?o > 1 }", ("found ?o", "(")),
        ("SELECT ?s { ?s ?p ?o FILTER (?o > 1 ¦}", ("found }", ")")),
        ("SELECT ?s { ?s ?p ?o FILTER (1 < 2 ¦< 3) }", ("found <", ")")),
        ("SELECT ?s { ?s ?p ?o FILTER (?o > ¦) }", ("found )",)),
        ("SELECT ?s { ?s ?p ?o FILTER (¦foo(?s)) }", ("found foo", "a variable")),
        ("SELECT ?s { ?s ?p ¦, ?o }", ("found ,",)),
        ("SELECT ?s { ?s ?p ?o FILTER (REGEX(?o¦)) }", ("found )", ",")),
        ("SELECT ?s { OPTIONAL ¦?s ?p ?o }", ("found ?s", "{")),
        ("SELECT ?s { ?s ?p ?o MINUS ¦?x }", ("found ?x", "{")),
        ("SELECT ?s { ?s ?p ?o ¦UNION { ?s ?p ?o } }", ("found UNION",)),
        ("SELECT ?s { BIND (1 ¦?x) }", ("found ?x", "AS")),
        ("SELECT ?s { GRAPH ¦{ ?s ?p ?o } }", ("found {", "an IRI")),
        ("SELECT ?s FROM ¦{ ?s ?p ?o }", ("found {", "an IRI")),
        ("SELECT ?s { ?s ?p ?o } ORDER ¦?s", ("found ?s", "BY")),
        ("PREFIX ¦e <http://e/> ASK {}", ("found e",)),
        ("ASK { ?s ?p ( 1 2 ¦}", ("found }", ")")),
        ("ASK { ?s ?p ?o } ¦extra", ("found extra",)),
        ("SELECT ?s { ?s ?p ?o BIND (1 AS ¦?s) }", ("found ?s", "is bound")),
        ("SELECT (?o AS ¦?s) { ?s ?p ?o }", ("?s", "is bound")),
        ("SELECT (1 AS ?x) (2 AS ¦?x) {}", ("found ?x",)),
        ("SELECT ?x (1 AS ¦?x) {}", ("found ?x",)),
        ("ASK { _:a ?p ?o OPTIONAL { ¦_:a ?q ?r } }", ("_:a", "two basic graph patterns")),
        ("ASK { FILTER ('x'^^¦?v) }", ("found ?v", "an IRI")),
        (
            "PREFIX x: <http://www.w3.org/2001/XMLSchema#>\nASK { FILTER (¦x:integer(1, 2)) }",
            ("one argument", "this one has 2"),
        ),
        ("ASK { FILTER ¦'x' (?v) }", ("found 'x'", "a function")),
        ('ASK { ?s ?p "é𝒳" ; ¦1 }', ("found 1",)),
        ("¦", ("end of the query",)),
    ],
)
def test_a_mistake_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words, kind=QueryError)


@pytest.mark.parametrize(
    ("marked", "construct"),
    [
        ("ASK { ¦<< ?s ?p ?o >> ?a ?b }", "triple terms"),
        ("ASK { ?s ?p ?o ¦{| ?a ?b |} }", "annotations"),
        ("ASK { ?s ?p ?o ¦~ ?r }", "reifiers"),
        ("ASK { ?s ?p 'a'¦@en--ltr }", "base directions"),
        ("ASK { FILTER ¦isTRIPLE(?s) }", "the function isTRIPLE of SPARQL 1.2"),
        ("ASK { BIND (¦STRLANGDIR('a', 'b', 'c') AS ?x) }", "the function STRLANGDIR of SPARQL 1.2"),
        ("ASK { STREAM <s> [NOW] { ?s ?p ?o ¦SERVICE <g> { ?a ?b ?c } } }", "SERVICE inside a block"),
        ("ASK { ?s ?p ?o ¦LATERAL { ?o ?q ?r } }", "LATERAL"),
    ],
)
def test_a_construct_that_is_not_covered_is_named_at_its_place(marked, construct):
    fails_at_mark(marked, construct, "covered", kind=UnsupportedError)
