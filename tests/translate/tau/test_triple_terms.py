"""SPARQL 1.2: triple terms in patterns and conditions, and what it reads otherwise than SPARQL 1.1."""

from itertools import permutations, product

import pyoxigraph as ox
import pytest

from agreement.comparing.matching.blank_nodes import alike
from agreement.comparing.matching.likeness import Likeness, match_rows
from lars.language.formulas import Call
from lars.language.terms import Variable
from solver.rdf import compile_condition, evaluate, order_key, read_term
from solver.rdf.terms import text_of_oxigraph
from tests.agreement.command import lars
from tests.benchmarks.triple_terms import HEAD, difference
from translate.dialects import read_query
from translate.strict import check_strict
from translate.writing import write_query

TERMS = (
    *("<x:a>", "_:b", '"a"', '""', '"a"@en', '"a"@en--ltr', '"ltr"', '"en"'),
    '"01"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '<<( <x:a> <x:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> )>>',
    '<<( <x:a> <x:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> )>>',
    '<<( <x:a> <x:p> "2"^^<http://www.w3.org/2001/XMLSchema#integer> )>>',
    '<<( <x:a> <x:p> "2"^^<x:t> )>>',
    "<<( _:b <x:q> <<( <x:a> <x:p> <x:a> )>> )>>",
)
# Oxigraph reads 01 as 1, and blank nodes as others.
COMPARED = [text for text in TERMS if "_:" not in text and '"01"' not in text]
ONE = (
    "isTRIPLE",
    "SUBJECT",
    "PREDICATE",
    "OBJECT",
    "LANG",
    "LANGDIR",
    "hasLANG",
    "hasLANGDIR",
    "STR",
    "DATATYPE",
)
TWO = ("=", "<", "<=", "SAMETERM", "STRLANG", "CONCAT", "STRBEFORE", "CONTAINS")


def pattern(text, **how):
    return str(read_query(f"{HEAD} SELECT * {{ {text} }}", "q.rq", rdf12=True, **how).pattern)


def oxigraph(call, terms):
    names = [ox.Variable(f"a{place}") for place in range(len(terms))]
    quads = [ox.parse(f"<x:s> <x:p> {text} .", format=ox.RdfFormat.N_TRIPLES) for text in terms]
    bound = {name: next(iter(quad)).object for name, quad in zip(names, quads, strict=True)}
    query = f"SELECT {' '.join(map(str, names))} ({call.format(*map(str, names))} AS ?r) {{}}"
    (row,) = ox.Store().query(query, substitutions=bound)
    return row["r"] and text_of_oxigraph(row["r"])


def computed(function, terms):
    names = [Variable(f"a{place}") for place in range(len(terms))]
    value = evaluate(
        Call(function.upper(), tuple(names)), dict(zip(names, map(read_term, terms), strict=True))
    )
    return value and str(value)


@pytest.mark.parametrize("seed", [*range(3_000_000, 3_000_006)])
def test_columns_clingo_and_oxigraph_agree_on_random_triple_terms_in_windows(seed):
    problem, _ = difference(seed)
    assert problem is None


@pytest.mark.parametrize("function", ONE)
def test_a_function_of_one_term_is_that_of_oxigraph(function):
    for text in COMPARED:
        assert computed(function, (text,)) == oxigraph(f"{function}({{}})", (text,)), text


@pytest.mark.parametrize("function", TWO)
def test_an_operator_or_function_of_two_terms_is_that_of_oxigraph(function):
    form = f"{function}({{}}, {{}})" if function.isalpha() else f"{{}} {function} {{}}"
    for pair in product(COMPARED, repeat=2):
        # Oxigraph has a value for IRIs, texts of one language and literals of any type beside others too.
        if function.isalpha() or ("<<(" in "".join(pair) and not any("x:t" in text for text in pair)):
            assert computed(function, pair) == oxigraph(form, pair), pair


def test_equality_of_triple_terms_is_false_or_an_error_as_that_of_their_parts():
    terms = [f"<<( <x:{name}> <x:p> {text} )>>" for name in "ab" for text in ('"2"^^<x:t>', '"3"^^<x:t>')]
    assert computed("=", terms[:2]) is None
    assert computed("=", (terms[0], terms[3])) == '"false"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    assert computed("=", TERMS[9:11]) == computed("=", terms[:1] * 2)


def test_triple_and_strlangdir_have_a_value_on_fitting_terms_alone():
    fitting = [terms for terms in product(TERMS, repeat=3) if computed("TRIPLE", terms)]
    subjects, predicates, objects = map(set, zip(*fitting, strict=True))
    assert (subjects, predicates, objects) == ({"<x:a>", "_:b"}, {"<x:a>"}, set(TERMS))
    directed = [terms for terms in product(TERMS, repeat=3) if computed("STRLANGDIR", terms)]
    assert {(language, direction) for _, language, direction in directed} >= {('"en"', '"ltr"')}
    assert {direction for *_, direction in directed} == {'"ltr"'}


def test_triple_terms_come_last_in_order_by_their_parts():
    ordered = sorted(map(read_term, TERMS), key=order_key)
    assert [str(term) for term in ordered][-5:-2] == [TERMS[-1], TERMS[9], TERMS[10]]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("<< ?s :p :o ~ ?r >> :q ?z", "?r :q ?z . ?r rdf:reifies <<( ?s :p :o )>>"),
        ("<< ?s :p :o >> :q ?z", "[ rdf:reifies <<( ?s :p :o )>> ; :q ?z ]"),
        ("?s :p :o ~ ?r {| :q 1 |}", "?s :p :o . ?r rdf:reifies <<( ?s :p :o )>> . ?r :q 1"),
        ("?s :p :o ~ ?r ~ :r {| :q 1 |}", "?s :p :o ~ ?r . ?s :p :o ~ :r {| :q 1 |}"),
        ("?s :p :o ~ :r {| :q 1 |} {| :q 2 |}", "?s :p :o ~ :r {| :q 1 |} . ?s :p :o {| :q 2 |}"),
        ("?s a :o , 1 ~ ?r ; :q 2 ~ ?w", "?s a :o . ?s a 1 ~ ?r . ?s :q 2 ~ ?w"),
        (
            "?x :q << ?s :p << :a :p ?o ~ :i >> ~ :j >>",
            "?x :q :j . << ?s :p :i ~ :j >> . << :a :p ?o ~ :i >>",
        ),
    ],
)
def test_a_short_form_stands_for_its_triples(short, long):
    assert alike(*(frozenset(template(text)) for text in (short, long)))


def template(text):
    query = read_query(f"{HEAD} CONSTRUCT {{ {text} }} WHERE {{}}", "q.rq", rdf12=True)
    return [tuple(map(str, triple.terms)) for triple in query.template]


@pytest.mark.parametrize("text", ["<< ?s ?p ?o >> :q ?z", "VALUES ?x { 'a'@en--ltr }", "FILTER(?x)"])
def test_what_is_written_is_read_again_as_1_2(text):
    query = read_query(f"{HEAD} SELECT ?x {{ STREAM :s [NOW] {{ ?x :p ?y }} {text} }}", "q.rq", rdf12=True)
    again = read_query(write_query(query, query.language, read_here=True), "again.rq")
    assert str(again.pattern) == str(query.pattern)


def test_triples_that_share_no_variable_are_joined_behind_what_is_said_of_triple_terms():
    assert pattern("?x :p 1 . << ?x :q 2 ~ ?r >> :r ?z").count("AND") == 1
    assert pattern("?x :p 1 . ?y :q ?z").count("AND") == 0


def test_a_blank_node_of_a_template_is_one_inside_and_outside_of_a_triple_term(tmp_path):
    head = "CONSTRUCT { _:k <x:of> <<( _:k <x:q> ?o )>> }"
    (tmp_path / "q.rq").write_text(f"{head} {{ STREAM <x:g> [NOW] {{ ?s ?p ?o }} }}")
    (tmp_path / "t.nq").write_text('<x:s> <x:p> "a"@en--ltr <x:g> "1" .\n')
    ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.nq", "--rdf", "1.2", "--json")
    (row,) = ran.json["rows"]
    inside = row["object"]["value"]
    assert row["subject"] == inside["subject"]
    assert inside["object"] == {"type": "literal", "value": "a", "xml:lang": "en", "its:dir": "ltr"}


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("cqels-1.x", "SELECT ?s { STREAM <x:s> [NOW] { << ?s ?p ?o >> ?q ?r } }"),
        (
            "rsp4j",
            "SELECT ?s FROM NAMED WINDOW <x:w> ON <x:s> [RANGE PT3S STEP PT1S] { ?s ?p ?o {| ?q ?r |} }",
        ),
        (
            "csparql-0.9.7",
            "REGISTER QUERY q AS SELECT ?s FROM STREAM <x:s> [RANGE 3s STEP 1s] WHERE { ?s ?p ?o ~ ?r }",
        ),
    ],
)
def test_a_parser_of_an_engine_names_what_is_of_1_2(engine, text):
    with pytest.raises(Exception, match=r"reads SPARQL 1\.1, not SPARQL 1\.2"):
        check_strict(text, "q.rq", engine)


def test_parts_of_a_triple_term_are_compared_where_they_are_known():
    assert pattern("?s ?p <<( ?s :p ?o )>>") == (
        "(({?s ?p ?_t0} BIND ?o := OBJECT(?_t0)) FILTER (SAMETERM(SUBJECT(?_t0), ?s) && "
        "SAMETERM(PREDICATE(?_t0), <http://e/p>)) && BOUND(?o))"
    )
    assert pattern("?s :p <<( :a :p :b )>>").startswith("{?s <http://e/p> <<( <http://e/a>")


@pytest.mark.parametrize(
    "text",
    [
        *("?s :p/:q ?o {| :r 1 |}", "?s ^:p ?o ~ ?r", "<<( ?s :p ?o )>> .", "?s <<( :a :p :b )>> 1"),
        *(
            "<< (1) :p 2 >> :q 3",
            "VALUES ?t { <<( _:b :p 1 )>> }",
            "BIND(<< :a :p 1 >> AS ?t)",
            '?s ?p "a"@en--up',
        ),
        *(
            "BIND(<<( 1 :p 1 )>> AS ?t)",
            "?s ?p ?o {| |}",
            r"?s ?p\u0020?o",
            r"?s ?p <x:\u0020>",
            "GRAPH << ?a ?b ?c >> {}",
        ),
    ],
)
def test_what_the_grammar_of_1_2_does_not_have_is_refused_at_its_place(text):
    with pytest.raises(Exception, match=r"^q\.rq:2:"):
        pattern(text)


def test_the_version_in_the_text_says_how_it_is_read():
    text = "ASK {{ FILTER(isTRIPLE(?x)) }}"
    assert read_query(f"VERSION '1.2' {text}", "q.rq") == read_query(text, "q.rq", rdf12=True)
    assert read_query("VERSION '1.3' ASK {}", "q.rq").notes == (
        "VERSION '1.3' is unknown: the query is read as SPARQL 1.1",
    )
    assert read_query("VERSION '1.2-basic' VERSION '1.1' ASK {}", "q.rq").notes == ()
    for version in ("", "VERSION '1.1'", "PREFIX VERSION: <x:1.2>"):
        with pytest.raises(Exception, match=r"use --rdf 1\.2"):
            read_query(f"{version} {text}", "q.rq")


@pytest.mark.parametrize(
    ("text", "rdf12", "rdf11"),
    [
        ('ASK { FILTER("a"@en) }', False, True),
        ('ASK { FILTER(!"x"^^<http://www.w3.org/2001/XMLSchema#integer>) }', False, True),
        ('ASK { FILTER(IF("x"^^<http://www.w3.org/2001/XMLSchema#integer>, true, true)) }', False, True),
        ("ASK { FILTER(1 && 'a' && !0 && !'') }", True, True),
        ("ASK { FILTER EXISTS {} }", True, True),
    ],
)
def test_what_is_no_boolean_is_a_condition_as_each_version_says(text, rdf12, rdf11, tmp_path):
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.nq").write_text('<x:s> <x:p> <x:o> <x:g> "1" .\n')
    for version, expected in (("1.2", rdf12), ("1.1", rdf11)):
        ran = lars(
            "solve", tmp_path / "q.rq", tmp_path / "t.nq", "--mode", "push", "--rdf", version, "--json"
        )
        assert ('"rows": [{}]' in ran.out) == expected, ran.out


def test_behind_groups_select_may_use_a_name_of_the_pattern_in_1_2_alone():
    text = "SELECT ?s (COUNT(?o) AS ?o) { ?s ?p ?o } GROUP BY ?s"
    assert [name.name for name in read_query(text, "q.rq", rdf12=True).result] == ["s", "o"]
    with pytest.raises(Exception, match="nothing binds before AS"):
        read_query(text, "q.rq")


def test_blank_nodes_in_triple_terms_are_renamed_where_answers_are_compared():
    rows = [
        ("<<( _:a <x:p> <<( _:b <x:p> _:a )>> )>>", "_:b"),
        ("<<( _:c <x:p> <<( _:d <x:p> _:c )>> )>>", "_:d"),
    ]
    for one, other in permutations(rows):
        assert alike(frozenset((one,)), frozenset((other,)))
        assert not match_rows([one], [other], Likeness()).missing
    assert not alike(frozenset(rows[:1]), frozenset([(rows[1][0], "_:c")]))


def test_functions_of_1_2_have_their_number_of_arguments():
    assert [len(compile_condition(Call(name.upper(), (Variable("x"),))).variables) for name in ONE] == [
        1
    ] * len(ONE)
