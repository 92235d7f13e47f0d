"""Terms as texts."""

import re

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.terms import RDF_LANG_STRING, XSD, Blank, Iri, Literal
from solver.rdf import canonical, read_term, text_of_rdflib
from solver.rdf.terms import text_of_oxigraph

characters = st.characters(exclude_categories=["Cs"])
literals = st.builds(Literal, st.text(characters), st.sampled_from([XSD + "string", XSD + "integer"]))
tagged = st.builds(Literal, st.text(characters), st.just(RDF_LANG_STRING), st.sampled_from(["en", "de-at"]))
iris = st.builds(lambda rest: Iri(f"urn:{rest}"), st.text(characters))


@given(st.one_of(literals, tagged, iris, st.just(Blank("b.1"))))
def test_every_printed_term_reads_back(term):
    assert read_term(str(term)) == term


@given(st.one_of(literals, tagged))
def test_both_libraries_give_the_printed_text(term):
    if term.language:
        other, ours = pyoxigraph.Literal(term.lexical, language=term.language), {"lang": term.language}
    else:
        other = pyoxigraph.Literal(term.lexical, datatype=pyoxigraph.NamedNode(term.datatype))
        ours = {"datatype": term.datatype}
    assert text_of_oxigraph(other) == str(term)
    assert text_of_rdflib(rdflib.Literal(term.lexical, normalize=False, **ours)) == str(term)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', None),
        ('"a"^^<http://www.w3.org/2001/XMLSchema#string>', '"a"'),
        ('"a"@EN-us', '"a"@en-us'),
        (r'"\u0041\U0001F600\'"', '"A😀\'"'),
        ('"\\t"', '"\\t"'),
        ("<urn:a\\u0020b>", None),
        ("_:a.b", None),
    ],
)
def test_equal_terms_get_equal_texts(text, expected):
    assert canonical(text) == (expected or text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "urn:a",
        "<a>",
        "<urn:a b>",
        "<urn:a",
        '"a',
        '"a"b"',
        '"a\nb"',
        r'"\x"',
        r'"\u12"',
        r'"\uD800"',
        r'"\UFFFFFFFF"',
        '"a"@',
        '"a"@e n',
        '"a"^^x',
        '"a"^^<x>',
        f'"a"^^<{RDF_LANG_STRING}>',
        "_:",
        "_:a.",
        "_:a b",
        " <urn:a>",
        "<<( <urn:a> <urn:b> )>>",
        '<<( "a" <urn:b> <urn:c> )>>',
        "<<( <<( <urn:a> <urn:b> 1 )>> <urn:b> <urn:c> )>>",
        "<<( <urn:a> _:b <urn:c> )>>",
        "<<( <urn:a> <urn:b> <urn:c> )>> .",
        '"a"@en--up',
        "<<(" * 9999,
    ],
)
def test_other_texts_are_no_terms(text):
    with pytest.raises(LarsError, match="is not an RDF term"):
        read_term(text)


@pytest.mark.parametrize(
    "text",
    [
        '<<( _:a <urn:p> <<( <urn:s> <urn:p> "x )>> y"@en--rtl )>> )>>',
        '<<( <urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> )>>',
        '"a"@en--ltr',
    ],
)
def test_a_term_of_rdf_1_2_is_its_own_text(text):
    (quad,) = pyoxigraph.parse(f"<urn:s> <urn:p> {text} .", format=pyoxigraph.RdfFormat.N_TRIPLES)
    again = re.sub(r"_:\w+", "_:a", text_of_oxigraph(quad.object))
    assert (
        str(read_term(text)) == again == text == canonical(text.replace("<<( ", "<<(").replace("en-", "EN-"))
    )


def test_terms_beyond_rdf_are_refused():
    with pytest.raises(LarsError, match="only RDF"):
        text_of_rdflib(rdflib.Variable("x"))
