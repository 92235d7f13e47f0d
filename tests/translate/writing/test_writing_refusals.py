"""What a language cannot say is refused by name, and no name or literal becomes program text."""

from dataclasses import replace

import pytest

from lars.durations import Duration
from lars.language.terms import RDF_LANG_STRING, Iri, Literal, Number, Variable, tagged
from translate.dialects import read_query
from translate.model.patterns import EMPTY, Bgp, Group, Join, StreamBlock, TriplePattern
from translate.model.query import EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.strict import check_strict
from translate.writing import write_query
from translate.writing.expression_text import CannotSayError

X, S = Variable("x"), Iri("urn:s")
TAGGED = tagged("a", "en--ltr")
SECOND = Duration(10**9)
ALL = EngineQuery(Language.CSPARQL, "SELECT", (X,), Bgp((TriplePattern(X, Iri("urn:p"), X),)))


def refusal(query, language):
    with pytest.raises(CannotSayError) as caught:
        write_query(query, language)
    return str(caught.value)


def merging(window):
    return replace(ALL, merged=(StreamBlock(S, window),))


def block(window, stream=S):
    return replace(ALL, pattern=StreamBlock(stream, window, ALL.pattern))


REFUSED = [
    (block(Range(SECOND, SECOND, opens=Duration(3)), Iri("s")), "cqels2", "T0 3ns"),
    (block(Range(Duration(5), Duration(2)), Iri("s")), "cqels2", "this window closes at multiples"),
    (replace(block(Now(), Iri("s")), form="CONSTRUCT", to_stream="ISTREAM"), "cqels2", "ISTREAM of"),
    (replace(block(Range(SECOND, SECOND)), form="CONSTRUCT"), "janus", "CONSTRUCT: its .* SELECT"),
    (replace(block(Range(SECOND, SECOND)), form="ASK"), "kolibrie", "cannot express ASK"),
    (replace(block(Range(SECOND, SECOND)), form="DESCRIBE"), "sparq", "cannot express DESCRIBE"),
    (merging(Range(SECOND)), "csparql", "to add a STEP"),
    (merging(Range(SECOND, SECOND, SECOND)), "csparql", "UNTIL 1s"),
    (merging(Range(Duration(5), SECOND)), "csparql", "the duration 5ns"),
    (merging(Range(Duration(0), SECOND)), "sparqlstream", "the duration 0s"),
    (merging(Now()), "csparql", r"window \[NOW\]"),
    (merging(Unbounded()), "csparql", r"window \[RANGE UNBOUNDED\]"),
    (merging(Rows(2)), "cqels", "<urn:s> is merged into the default graph"),
    (merging(Unbounded()), "sparqlstream", r"window \[RANGE UNBOUNDED\]"),
    (block(Range(SECOND, SECOND)), "csparql", "<urn:s> is read by one pattern alone"),
    (block(Range(SECOND, None, SECOND)), "cqels", "UNTIL 1s"),
    (block(Unbounded()), "rspql", r"window \[RANGE UNBOUNDED\]"),
    (block(Rows(2), X), "rspql", r"variable stream name \?x"),
    (replace(ALL, declared=(StreamBlock(S, Rows(2)),)), "cqels", "<urn:s>, which no pattern reads"),
    (replace(ALL, to_stream="ISTREAM"), "csparql", "ISTREAM of SELECT"),
    (replace(ALL, to_stream="DSTREAM"), "cqels", "DSTREAM of SELECT"),
    (replace(block(Range(SECOND, SECOND)), to_stream="ISTREAM"), "janus", "ISTREAM of .* RSTREAM only"),
    (replace(ALL, form="ASK", to_stream="ISTREAM"), "sparqlstream", "ISTREAM of ASK"),
    (replace(ALL, result=()), "csparql", "without result variables"),
    (replace(ALL, pattern=Join(ALL.pattern, Group(EMPTY, (X,), ()))), "csparql", "outside of SELECT"),
    (replace(ALL, name="a b"), "csparql", "the query name 'a b'"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "language", "words"), REFUSED)
def test_what_a_language_cannot_say_is_named(query, language, words):
    with pytest.raises(CannotSayError, match=words):
        write_query(query, Language(language))


def test_a_form_that_a_grammar_reads_beyond_its_language_is_written_again():
    clause = "FROM NAMED WINDOW :w ON :s [RANGE 4 STEP 2]"
    query = read_query(f"CONSTRUCT {{ ?a <q> ?b }} {clause} {{ WINDOW :w {{ ?a <p> ?b }} }}", "q.rq")
    assert query.language is Language.KOLIBRIE
    assert read_query(write_query(query, Language.KOLIBRIE), "q.rq", Language.KOLIBRIE) == query


def test_an_operator_that_a_grammar_reads_beyond_its_language_is_written_again():
    clause = "FROM NAMED WINDOW :w ON LOG <e:s> [START 2 END 4]"
    text = f"PREFIX : <e:> REGISTER ISTREAM <e:o> AS SELECT ?a {clause} {{ WINDOW :w {{ ?a <e:p> ?b }} }}"
    query = read_query(text, "q.rq")
    assert (query.language, query.to_stream) == (Language.JANUS, "ISTREAM")
    assert read_query(write_query(query, Language.JANUS), "q.rq") == query


def test_a_query_in_kolibrie_is_registered_because_its_parser_requires_it():
    text = write_query(block(Range(SECOND, SECOND)), Language.KOLIBRIE)
    assert text.startswith("REGISTER RSTREAM <answers> AS\nSELECT ?x\n")
    check_strict(text, "q.rq", "kolibrie")


def test_cqels_has_a_table_at_the_end_of_the_query_only():
    at_end = read_query("SELECT ?x { ?x <p> ?o } VALUES ?x { 1 }", "q.rq")
    text = write_query(at_end, Language.CQELS)
    assert text.endswith("}\nBINDINGS ?x {\n  (1)\n}\n")
    assert read_query(text, "w.rq", Language.CQELS).pattern == at_end.pattern
    inside = read_query("SELECT ?x { VALUES ?x { 1 } ?x <p> ?o }", "q.rq")
    assert "VALUES inside a pattern" in refusal(inside, Language.CQELS)
    below = read_query("SELECT ?x { { SELECT ?x { ?x <p> ?o } VALUES ?x { 1 } } }", "q.rq")
    assert "VALUES inside a pattern" in refusal(below, Language.CQELS)


def test_only_csparql_has_its_timestamp():
    timestamp = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
    query = read_query(f"SELECT ?x {{ ?x <p> ?o FILTER ({timestamp}(?x, <p>, ?o) > 1) }}", "q.rq")
    assert "ext#timestamp>(?x, <p>, ?o)" in write_query(query, Language.CSPARQL)
    assert "ext#timestamp" in refusal(query, Language.SPARQLSTREAM)


ODD = [
    Iri("urn:a> <urn:b"),
    Iri("urn:a\\u003E"),
    Iri("urn:a\nb"),
    Iri("urn:\ud800"),
    Variable("x }"),
    Variable(""),
    Literal("\udfff"),
    Literal("a", RDF_LANG_STRING, "en . "),
    Literal("a", "urn:a>"),
    Number(3),
]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("odd", ODD)
def test_a_term_that_no_query_has_is_refused(odd, language):
    pattern = Bgp((TriplePattern(X, Iri("urn:p"), odd),))
    assert refusal(replace(ALL, pattern=pattern), language)


def test_two_signs_in_a_name_are_no_comment_of_cqels_2():
    named = Bgp(tuple(TriplePattern(X, Iri(f"http://e/p--{number}"), X) for number in range(2)))
    query = replace(block(Range(SECOND, SECOND), Iri("s")), pattern=StreamBlock(Iri("s"), Now(), named))
    assert read_query(write_query(query, Language.CQELS2), "w.rq").pattern.pattern == named
    assert "-- begins" in refusal(
        replace(query, pattern=StreamBlock(Iri("s"), Now(), Bgp((TriplePattern(X, Iri("p"), TAGGED),)))),
        Language.CQELS2,
    )
    assert "a word without --" in refusal(block(Now(), Iri("a--b")), Language.CQELS2)


@pytest.mark.parametrize("name", ["é", "AS-q", "every.q", "http://e/a?b", "AS"])
def test_the_name_of_a_query_is_read_as_it_was_written(name):
    query = read_query(f"REGISTER QUERY <{name}> AS ASK FROM STREAM <s> [RANGE 5s STEP 1s] {{ }}", "q.rq")
    assert query.name == name
    assert read_query(write_query(query, query.language), "w.rq") == query


def test_the_text_of_a_literal_stays_text():
    literal = Literal('"} # \\u0022 \\"\r\n\t\x00\u2028 ?x <urn:q>')
    query = replace(ALL, pattern=Bgp((TriplePattern(X, Iri("urn:p"), literal),)))
    assert read_query(write_query(query, query.language), "w.rq") == query
