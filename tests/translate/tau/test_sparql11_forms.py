"""SPARQL 1.1: CONSTRUCT, DESCRIBE and ASK, and texts that say the same in other words."""

import json
import re
from dataclasses import replace
from itertools import cycle

import pytest

from lars.language.terms import XSD, Blank, Iri, Literal, Variable
from tests.packs import PACKS
from tests.translate.dialects.own_queries import OWN_QUERIES, W3C, own_queries
from tests.translate.marked import fails_at_mark
from translate.analysis import stream_blocks
from translate.dialects import read_query
from translate.model.patterns import EMPTY, Bgp, TriplePattern
from translate.model.query import Language
from translate.sparql import tokenize

SUITE = PACKS["w3c-sparql"].folder / "open"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
S, P, O, X = (Variable(name) for name in "spox")  # noqa: E741 - the names of the texts
ONE = Literal("1", XSD + "integer")


def construct(template, where="WHERE { ?s ?p ?o }"):
    return read_query(f"CONSTRUCT {template} {where}", "q.rq")


def triples(*found):
    return tuple(TriplePattern(*terms) for terms in found)


def test_a_template_has_variables_constants_and_labelled_blank_nodes():
    query = construct("{ ?s ?p ?o ; <q> _:a . _:a a 1 }")
    blank = Blank("a")
    assert query.template == triples((S, P, O), (S, Iri("q"), blank), (blank, Iri(RDF + "type"), ONE))
    assert (query.form, query.pattern) == ("CONSTRUCT", Bgp(triples((S, P, O))))


def test_the_result_of_a_template_is_what_the_pattern_binds_of_it():
    assert construct("{ ?o <q> ?none . ?s <q> ?o }").result == (O, S)


def test_brackets_in_a_template_are_blank_nodes_that_clash_with_no_label():
    query = construct("{ _:_b0 <q> [ <r> ?o ] }", "WHERE { [] ?p ?o }")
    inner = Blank("__b0")
    assert query.template == triples((Blank("_b0"), Iri("q"), inner), (inner, Iri("r"), O))
    assert query.pattern == Bgp(triples((Variable("__b1"), P, O)))


def test_a_collection_in_a_template_is_a_list_of_blank_nodes():
    first, second = Blank("_b0"), Blank("_b1")
    expected = triples(
        (S, P, first),
        (first, Iri(RDF + "first"), ONE),
        (first, Iri(RDF + "rest"), second),
        (second, Iri(RDF + "first"), O),
        (second, Iri(RDF + "rest"), Iri(RDF + "nil")),
    )
    assert construct("{ ?s ?p (1 ?o) }").template == expected


def test_the_short_form_has_one_pattern_for_template_and_where():
    query = construct("FROM <g>", "WHERE { ?s ?p _:a . _:a ?p 1 }")
    assert query.template == triples((S, P, Blank("a")), (Blank("a"), P, ONE))
    assert query.pattern == Bgp(triples((S, P, Variable("_b0")), (Variable("_b0"), P, ONE)))
    assert (query.result, query.dataset.default) == ((S, P), (Iri("g"),))


@pytest.mark.parametrize("text", ["CONSTRUCT {} {}", "CONSTRUCT WHERE {}"])
def test_a_template_can_be_empty(text):
    query = read_query(text, "q.rq")
    assert (query.template, query.result, query.pattern) == ((), (), EMPTY)


@pytest.mark.parametrize(
    ("text", "described", "result", "pattern"),
    [
        ("DESCRIBE <a>", (Iri("a"),), (), EMPTY),
        ("DESCRIBE ?o <a> ?s ?o { ?s ?p ?o }", (O, Iri("a"), S), (O, S), Bgp(triples((S, P, O)))),
        ("DESCRIBE * FROM <g> WHERE { ?s ?p _:b }", (S, P), (S, P), Bgp(triples((S, P, Variable("_b0"))))),
        ("DESCRIBE ?x", (X,), (X,), EMPTY),
    ],
)
def test_what_is_described_is_named_once(text, described, result, pattern):
    query = read_query(text, "q.rq")
    assert (query.form, query.described, query.result, query.pattern) == (
        "DESCRIBE",
        described,
        result,
        pattern,
    )


@pytest.mark.parametrize("form", ["ASK", "CONSTRUCT { ?s <p> 1 } WHERE", "DESCRIBE ?s", "DESCRIBE *"])
def test_every_form_can_group_and_order_by_aggregates(form):
    clauses = "GROUP BY ?s HAVING (COUNT(DISTINCT *) * 2 = 1 && SUM(?o) > 1)"
    order = "ORDER BY DESC(GROUP_CONCAT(?o; SEPARATOR = ';')) LIMIT 1"
    query = read_query(f"{form} {{ ?s ?p ?o }} {clauses} {order}", "q.rq")
    (_, count), (_, total), (last, joined) = query.pattern.pattern.aggregates
    assert (str(count), str(total)) == ("COUNT(DISTINCT ?s, ?p, ?o)", "SUM(?o)")
    assert (query.modifiers.order[0].variable, joined.separator) == (last, ";")


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("CONSTRUCT { ?s ?p ¦} WHERE {}", ("found }", "a literal")),
        ("CONSTRUCT { ?s ?p ?o ¦FILTER (1) } WHERE {}", ("found FILTER",)),
        ("CONSTRUCT { ?s ?p ?o } ¦", ("the end of the query", "WHERE")),
        ("CONSTRUCT WHERE { ?s ?p ?o ¦OPTIONAL {} }", ("found OPTIONAL",)),
        ("DESCRIBE ¦'a'", ("found 'a'", "an IRI")),
        ("¦INSERT DATA { <a> <b> <c> }", ("INSERT of SPARQL Update", "queries")),
        ("¦WITH <g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", ("WITH of SPARQL Update", "queries")),
        ("ASK ¦?s { ?s ?p ?o }", ("found ?s", "{")),
    ],
)
def test_a_mistake_in_a_form_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("\ufeffASK{?s?p?o}", "ASK { ?s ?p ?o }"),
        ("# ASK {}\r\naSk\t{ ?s ?p 'a#' # }\n . }", "ASK { ?s ?p 'a#' }"),
        ("ASK { $s ?p ?o ;; ; . }", "ASK { ?s ?p ?o }"),
        (r"\u0041SK { ?\u0073 <\u0061> e\u003a }".replace(r"e\u003a", "'e\\u003a'"), "ASK { ?s <a> 'e:' }"),
        ("PREFIX : <a> PREFIX : <b> ASK { :c :d :e }", "ASK { <bc> <bd> <be> }"),
        ("PREFIX e: <a> ASK { e:\\-\\'b ?p e:%41\\u0062 }", "ASK { <a-'b> ?p <a%41b> }"),
        ("SELECT * { ?s a true ; ?p FALSE }", f"select * {{ ?s <{RDF}type> TRUE ; ?p false }}"),
        ("ASK { [ ?p ( [] ( 1 ) ) ] . }", "ASK { [] ?p ( [ ] ( 1 ) ) }"),
        ("ASK { { ?s ?p ?o . } . FILTER (1<2) . }", "ASK { { ?s ?p ?o } FILTER (1 < 2) }"),
    ],
)
def test_texts_that_differ_in_form_alone_are_one_query(text, same):
    assert read_query(text, "q.rq") == read_query(same, "q.rq")


def test_a_base_is_given_with_the_text_or_in_it():
    assert read_query("ASK { <a> ?p ?o }", "q.rq", base="http://e/b") == read_query(
        "ASK { <http://e/a> ?p ?o }", "q.rq"
    )
    within = "BASE <c/> PREFIX : <#> ASK { <a> :p ?o }"
    expected = "ASK { <http://e/c/a> <http://e/c/#p> ?o }"
    assert read_query(within, "q.rq", base="http://e/b") == read_query(expected, "q.rq")


def texts(source):
    """Yield text, name, base and form of each query of the W3C, or of our own in a language."""
    if isinstance(source, Language):
        for name, text in own_queries(source).items():
            yield text, name, "", re.search("SELECT|ASK|CONSTRUCT|DESCRIBE", text)[0].lower()
        return
    for test in json.loads((SUITE / "tests.json").read_text("utf-8"))["tests"]:
        yield (SUITE / test["query"]).read_bytes().decode(), test["id"], test["base"], test["form"]


BOTH = [*OWN_QUERIES, W3C]


@pytest.mark.parametrize("source", BOTH)
def test_every_query_is_read_as_the_form_that_it_is(source):
    forms = [(read_query(text, name, base=base).form, form) for text, name, base, form in texts(source)]
    assert len(forms) >= (8 if isinstance(source, Language) else 311)
    assert all(found.lower() == form for found, form in forms)


def spread(text, names):
    """Return the tokens of a text with comments and odd white space between them; a is case-sensitive."""
    spaces = cycle((" ", "\n# } ' \" <\n", "\t\r\n", " #\r", "\n\n"))
    tokens = tokenize(text, "q.rq").tokens
    words = (
        # Words of one letter are `a` and units.
        token.text.swapcase()
        if token.kind == "a keyword" and len(token.text) > 1 and token.text not in names
        else token.text
        for token in tokens
    )
    return "".join(word + next(spaces) for word in words)


@pytest.mark.parametrize("source", BOTH)
def test_comments_white_space_and_case_change_no_query(source):
    for text, name, base, _ in texts(source):
        # A name with a hyphen is one word to CQELS 2 alone.
        if re.search(r"(?i)as +a|\\u|[a-z]-[0-9]", text) is None:
            read = read_query(text, name, base=base)
            blocks = (*stream_blocks(read.pattern), *read.declared)
            named = {
                iri.value for block in blocks for iri in (block.stream, block.name) if isinstance(iri, Iri)
            }
            same = read_query(spread(text, named), name, base=base)
            assert replace(same, name=read.name) == read
