"""Tokens: strings, comments and names hide everything that looks like a clause."""

from random import Random

import pyoxigraph
import pytest

from lars.language.terms import RDF_LANG_STRING, XSD, Iri, Literal
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.sparql import resolve, tokenize


def kinds(text):
    return [(token.kind, token.text) for token in tokenize(text, "q.rq").tokens[:-1]]


def object_of(text, prologue=""):
    return read_query(f"{prologue} ASK {{ ?s ?p {text} }}", "q.rq").pattern.triples[0].object


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<http://e/#a>", "an IRI"),
        ("<>", "an IRI"),
        ("e:a.b-c", "a prefixed name"),
        (":", "a prefixed name"),
        (":a\\-b", "a prefixed name"),
        (":a%20b", "a prefixed name"),
        ("_:b.1", "a blank node"),
        ("$x", "a variable"),
        ("?é", "a variable"),
        ("@en-GB", "a language tag"),
        ("-1.5e3", "a number"),
        (".5", "a number"),
        ("'it'", "a string"),
        ('"a\\"b"', "a string"),
        ("'''a'b\n'''", "a string"),
        ('"""a"" # b"""', "a string"),
        ('""', "a string"),
        ("GROUP_CONCAT", "a keyword"),
        ("^^", "a symbol"),
    ],
)
def test_each_kind_of_token_is_one_token(text, kind):
    assert kinds(text) == [(kind, text)]


def test_a_comment_ends_with_its_line_and_starts_in_no_iri_or_string():
    assert [text for _, text in kinds("<a#b> '# c' # d > '\n?x")] == ["<a#b>", "'# c'", "?x"]


def test_a_name_does_not_end_with_a_dot():
    assert [text for _, text in kinds("e:a. ?x.")] == ["e:a", ".", "?x", "."]


def test_a_less_than_sign_is_no_iri_when_white_space_follows():
    assert [text for _, text in kinds("?a < ?b && ?c > ?d")] == ["?a", "<", "?b", "&&", "?c", ">", "?d"]


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', Literal("01", XSD + "integer")),
        ("-01", Literal("-01", XSD + "integer")),
        ("+1.50", Literal("+1.50", XSD + "decimal")),
        ("1.0", Literal("1.0", XSD + "decimal")),
        ("1E3", Literal("1E3", XSD + "double")),
        ("'a'@EN-gb", Literal("a", RDF_LANG_STRING, "en-gb")),
        ("TRUE", Literal("true", XSD + "boolean")),
        ("'\\u00e9\\t\\\\n\\U0001F600'", Literal("é\t\\n😀")),
        ("'''a\n'b\\''''", Literal("a\n'b'")),
        ("''", Literal("")),
        ('""""""', Literal("")),
        ("'FROM STREAM <s> [NOW]'", Literal("FROM STREAM <s> [NOW]")),
    ],
)
def test_a_literal_keeps_its_lexical_form(text, literal):
    assert object_of(text) == literal


@pytest.mark.parametrize(
    ("text", "prologue", "iri"),
    [
        ("<a>", "", "a"),
        ("<a>", "BASE <http://e/b/c>", "http://e/b/a"),
        ("<#a>", "BASE <http://e/b>", "http://e/b#a"),
        ("<x:a>", "BASE <http://e/>", "x:a"),
        ("e:a", "BASE <http://e/> PREFIX e: <n#>", "http://e/n#a"),
        ("e:a\\-\\,b", "PREFIX e: <e:>", "e:a-,b"),
        (":", "PREFIX : <e:>", "e:"),
        ("<\\u0061>", "", "a"),
        ("e:a", "PREFIX e: <x:> PREFIX e: <y:>", "y:a"),
    ],
)
def test_an_iri_is_resolved_as_the_prologue_says(text, prologue, iri):
    assert object_of(text, prologue) == Iri(iri)


def test_relative_references_are_resolved_for_schemes_of_streams_too():
    assert resolve("ws://e/a/b", "../c?d") == "ws://e/c?d"
    assert resolve("http://e/a?b", "") == "http://e/a?b"


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("#", "http://a/b/c/d;p?q#"),
        ("g#", "http://a/b/c/g#"),
        (";x", "http://a/b/c/;x"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        ("./g/.", "http://a/b/c/g/"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("g:h", "g:h"),
    ],
)
def test_references_are_resolved_as_in_the_examples_of_rfc_3986(reference, target):
    assert resolve("http://a/b/c/d;p?q", reference) == target


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        ("urn:a/b", "../c", "urn:/c"),
        ("urn:a/b", "./c", "urn:a/c"),
        ("urn:a/b/c", "../d", "urn:a/d"),
        ("urn:a", "../c", "urn:c"),
        ("urn:a/b", "..", "urn:/"),
        ("urn:a", ".", "urn:"),
        ("http://e/a//b/c", "../d", "http://e/a//d"),
        ("http://e/a//b", "../d", "http://e/a/d"),
    ],
)
def test_paths_without_a_slash_at_the_start_are_resolved_as_rfc_3986_says(base, reference, target):
    assert resolve(base, reference) == target


@pytest.mark.parametrize("seed", range(300))
def test_references_are_resolved_as_pyoxigraph_does(seed):
    draw = Random(seed)
    base = draw.choice(("http://e/", "http://e/a/", "http://e")) + "/".join(draw.choices(["a", "b", ""], k=2))
    reference = "/".join(draw.choices(["..", ".", "c", "d", ""], k=draw.randint(1, 5)))
    if base.startswith("http://ea") or reference.startswith("//"):
        return
    (quad,) = pyoxigraph.parse(f"<{reference}> <e:p> <e:o> .", pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    assert resolve(base, reference) == quad.subject.value


def test_an_escape_of_a_character_is_the_character_and_places_count_what_is_written():
    assert str(read_query("ASK { \\u003fs ?p '\\u00e9' }", "q.rq").pattern) == '{?s ?p "é"}'
    fails_at_mark("ASK { \\u003fs ?p ¦. }", "found .")


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("ASK { ?s ?p ¦'abc }", "string"),
        ('ASK { ?s ?p ¦"a\n" }', "string"),
        ("ASK { ?s ?p ¦'\\q' }", "string"),
        ("ASK { ?s ¦§ ?o }", "'§'"),
        ("ASK { ?s ?p ¦'\\ud800' }", "is not a valid character"),
        (f"ASK {{ FILTER {'(' * 63}¦(1){')' * 63} }}", "nested more than 64 deep"),
        ("ASK { ?s ?p ¦e:a }", "PREFIX e:"),
        ("ASK { ?s ?p 1 . # e:a\n  ?s ¦:a 2 }", "undeclared prefix :"),
    ],
)
def test_what_is_no_token_or_no_name_is_refused_at_its_place(marked, word):
    fails_at_mark(marked, word)
