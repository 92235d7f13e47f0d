"""The grammar of SPARQL 1.1: its tables, and which texts it accepts beside two other parsers."""

from random import Random

import pytest

from lars.errors import LarsError
from tests.sizes import few
from tests.translate.marked import fails_at_mark
from tests.translate.sparql.changed_queries import QUERIES, accepted_elsewhere, changed, is_parsed, is_read
from tests.translate.sparql.tables import GRAMMARS, check_kept_words, check_names_of_tokens, made
from translate.dialects import read_query


@pytest.mark.parametrize("grammar", few(GRAMMARS, 4), ids=lambda path: path.stem)
def test_the_tables_are_those_of_the_grammar(grammar):
    assert grammar.with_suffix(".json").read_text("utf-8") == made(grammar)


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_queries_that_have_all_of_the_grammar_are_read_here_and_elsewhere(number):
    assert is_read(QUERIES[number])
    assert accepted_elsewhere(QUERIES[number])


def test_a_text_is_read_that_two_other_parsers_read_and_none_that_neither_does():
    random, kinds = Random(1), set()
    for _ in range(120):
        text = changed(random)
        elsewhere, here = accepted_elsewhere(text), is_read(text)
        assert is_parsed(text) or len(elsewhere) < 2, text
        assert elsewhere or not here, text
        kinds.add(here)
    assert kinds == {True, False}


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("PREFIX ¦1 e: <http://e/> ASK {}", "found 1; expected a prefix and :"),
        ("PREFIX e: ¦ASK {}", "found ASK; expected an IRI"),
        ("PREFIX ¦e:a <http://e/> ASK {}", "found e:a; expected a prefix and :"),
        ("PREFIX ¦e:a: <http://e/> ASK {}", "found e:a:; expected a prefix and :"),
        ("¦e:a SELECT * {}", "found e:a; expected SELECT"),
        ("ASK { ?s ?p ¦- . }", "found -; expected a variable, an IRI, a literal, ( or ["),
        ("ASK { ?s ?p 1 . ?s ¦x:y 2 . }", "undeclared prefix x:"),
        ("ASK { ?s ¦x:y 1 . - }", "undeclared prefix x:"),
        ("ASK { FILTER (?x + 1 ¦}", "found }; expected ), =, &&, || or *"),
        ("SELECT * { ?s ?p ?o } LIMIT ¦-1", "found -1; expected an integer"),
        ("ASK { ?s ¦<http://e/a b> ?o }", "found <http://e/a b>; expected an IRI, which has no character"),
    ],
)
def test_a_message_says_what_can_stand_at_the_first_token_that_cannot(marked, words):
    fails_at_mark(marked, words)


def test_a_name_of_a_prefix_can_have_colons_and_an_iri_of_a_namespace_none_behind_it():
    text = "PREFIX : <http://e/> ASK { : :a:b : }"
    assert str(read_query(text, "q.rq").pattern) == "{<http://e/> <http://e/a:b> <http://e/>}"


def test_each_cell_of_a_list_has_its_item_and_the_next_cell_behind_it_what_stands_in_the_items():
    pattern = read_query("ASK { ?s ?p (<e:a> [ <e:p> <e:b> ]) }", "q.rq").pattern
    triples = str(pattern).replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "")
    cells = "?_b0 <first> <e:a> . ?_b0 <rest> ?_b1 . ?_b1 <first> ?_b2 . ?_b1 <rest> <nil>"
    assert triples == f"{{?s ?p ?_b0 . {cells} . ?_b2 <e:p> <e:b>}}"


@pytest.mark.parametrize(("name", "column"), [("a", 16), ("long", 22)])
def test_a_text_that_is_no_query_is_refused_at_its_place_however_long_its_names(name, column):
    with pytest.raises(LarsError, match=f"^q.rq:1:{column}: "):
        read_query(f"SELECT ?{name} {{ ?{name} }}", "q.rq")


def test_a_grammar_that_loses_the_words_of_an_operator_is_refused():
    with pytest.raises(ValueError, match="write %override !to_stream"):
        check_kept_words('%override to_stream: "EMIT" "NEW"')


def test_a_keyword_that_lark_would_take_for_a_declared_token_is_refused():
    with pytest.raises(ValueError, match="the keyword SIZE has the name of a declared token"):
        check_names_of_tokens('%declare SIZE UNIT\n%override range: "Size" SIZE UNIT')
