"""Small things that texts of queries have: each is read, or refused in words that are true, at its place."""

import re

import pytest

from lars.errors import PlacedError
from lars.language.terms import Iri
from tests.translate.dialects.crowd import framed
from translate.analysis import parts
from translate.dialects import read_query
from translate.model.patterns import Bgp, Values
from translate.model.query import Language
from translate.strict import check_strict
from translate.writing import write_query

HEAD = "PREFIX : <http://e/> "
WINDOW = "FROM STREAM :S [RANGE 5s STEP 1s]"


def refusal(text):
    with pytest.raises(PlacedError) as caught:
        read_query(HEAD + text, "q.rq")
    return str(caught.value)


@pytest.mark.parametrize("word", ["VALUES", "BINDINGS"])
def test_a_table_without_variables_and_rows_is_kept_behind_the_group(word):
    table = "() {}" if word == "VALUES" else "{}"
    query = read_query(f"{HEAD} SELECT ?x {{ STREAM :S [NOW] {{ ?x :p ?y }} }} {word} {table}", "q.rq")
    assert Values((), ()) in tuple(parts(query.pattern))
    assert read_query(write_query(query, Language.CQELS), "q.rq").pattern == query.pattern


@pytest.mark.parametrize("local", ["a.b.c", "a.b", "a..b", "a.b.c.d.e", "1.2.3", r"a\.b.c"])
@pytest.mark.parametrize("group", ["STREAM :S [NOW] {{ {} }}", "{}"])
def test_a_local_name_has_any_number_of_dots(local, group):
    query = read_query(HEAD + "SELECT * { " + group.format(f"?x :{local} ?y") + " }", "q.rq")
    (bgp,) = (part for part in parts(query.pattern) if isinstance(part, Bgp) and part.triples)
    assert bgp.triples[0].predicate == Iri("http://e/" + local.replace("\\", ""))


@pytest.mark.parametrize(
    ("name", "valid"), [(r"x\%y", False), (r"x\%4", False), (r"x\%41", True), ("x%41", True)]
)
def test_a_percent_sign_without_two_digits_is_read_with_a_note(name, valid):
    query = read_query(f"{HEAD} SELECT * {{ STREAM :S [NOW] {{ ?x :{name} ?y . ?y :{name} ?z }} }}", "q.rq")
    note = f"the IRI of :{name} is invalid, because % requires two hexadecimal digits"
    assert query.notes == (() if valid else (note,))


def test_what_is_an_iri_by_the_grammar_is_refused_at_its_place():
    text = f"SELECT ?a {WINDOW} {{ ?s :p ?a ; :q ?b FILTER(?a<5&&?b>3) }}"
    said = refusal(text)
    assert said.startswith(f"q.rq:1:{(HEAD + text).index('<5') + 1}: found <5&&?b>")
    assert ", or a space behind < if < compares" in said.splitlines()[0]
    assert "space" not in refusal(f"SELECT ?a {WINDOW} {{ ?s :p ?a }} <5&&?b>")
    assert read_query(HEAD + text.replace("<5", "< 5"), "q.rq")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "SELECT ?o FROM STREAM :T [RANGE 10s] { STREAM :T { ?o :p ?v } }",
            "a STREAM block without a window",
        ),
        (
            f"SELECT ?d {WINDOW} {{ ?t :in ?d }} AGGREGATE {{ GROUP BY ?d COUNT(?t) AS ?n }}",
            "AGGREGATE in this form",
        ),
        (
            "SELECT * FROM NAMED WINDOW :w ON LOG :S [START 0 END 9] { WINDOW :w { GRAPH ?g { ?s :p ?o } } }",
            "GRAPH inside WINDOW, which reads a stream of named graphs",
        ),
        ("ASK { STREAM :S [NOW] { GRAPH ?g { ?s ?p ?o } } }", "GRAPH inside STREAM, which reads"),
        (
            "SELECT * FROM NAMED WINDOW :w ON :S [ELEMENTS 5 STEP 2] { WINDOW :w { ?s :p ?o } }",
            "a tuple window with STEP",
        ),
    ],
)
def test_a_language_that_is_not_read_is_named(text, named):
    assert f"no translation for {named}" in refusal(text)


@pytest.mark.parametrize("word", ["REPORT ADDED", "TICK EACH", "RETRIEVE ALL", "RULE ?r", "T0", "MAXDELAY x"])
def test_a_word_that_no_language_has_there_claims_no_other_language(word):
    said = refusal(f"SELECT {word} ?s {{ STREAM :S [NOW] {{ ?s :p ?o }} }}")
    assert f": found {word.split()[0]}; expected a variable, ( or *" in said


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("SELECT ?a FROM STREAM ¦?s [NOW] { ?a ?b ?c }", "cqels2", "found ?s; expected the name of a stream"),
        ("ASK { STREAM <s> [RANGE 9 ¦?u] { ?a ?b ?c } }", "cqels", "found ?u; expected a unit of time: ns"),
        (
            "SELECT ?a FROM STREAM s [RANGE ¦?l] { ?a ?b ?c }",
            "cqels2",
            "a parameter in the place of a number or a duration; covered: an integer",
        ),
    ],
)
def test_a_variable_is_named_as_the_fault_with_what_belongs_there(text, language, said):
    with pytest.raises(PlacedError) as caught:
        read_query(text.replace("¦", ""), "q.rq", Language(language))
    assert str(caught.value).startswith(f"q.rq:1:{text.index('¦') + 1}: ")
    assert said in str(caught.value)
    assert ("not a variable" in str(caught.value)) == ("parameter" not in said)


@pytest.mark.parametrize(
    ("language", "window"),
    [
        *(("janus", window) for window in ("[RANGE 4s STEP 2]", "[RANGE PT4S STEP 2]", "[RANGE 4 SLIDE 2]")),
        *(("kolibrie", window) for window in ("[RANGE 4s STEP 2]", "[RANGE 4 STEP 2m]")),
        *(("sparq", window) for window in ("RANGE 4s", "RANGE 4 SLIDE 2", "RANGE 4 T0 1s")),
    ],
)
def test_durations_of_other_languages_are_refused_where_the_language_has_its_own(language, window):
    source = "STREAM <s>" if language == "janus" else "<s>"
    text = f"SELECT ?a FROM NAMED WINDOW <w> ON {source} {window} WHERE {{ WINDOW <w> {{ ?a ?b ?c }} }}"
    with pytest.raises(PlacedError, match="found "):
        read_query(text, "q.rq", Language(language))


def test_a_string_of_type_langstring_is_refused_at_its_type():
    datatype = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"
    text = f'SELECT * {WINDOW} {{ ?s :p "a"^^{datatype} }}'
    assert f"q.rq:1:{(HEAD + text).index(datatype) + 1}: found" in refusal(text)


def test_a_unit_of_two_letters_is_named_whole_by_the_parser_of_csparql():
    window = "FROM STREAM <http://e/S> [RANGE 100ms STEP 1s]"
    text = f"REGISTER QUERY q AS {HEAD}SELECT ?a {window} WHERE {{ ?s :p ?a }}"
    with pytest.raises(PlacedError, match="found ms;"):
        check_strict(text, "q.rq", "csparql-0.9.7")


def test_a_sample_beside_its_variable_is_written_as_the_sample_that_both_are():
    text = f"{HEAD}SELECT (SAMPLE(?y) AS ?z) ?y {WINDOW} {{ ?x :p ?y }} GROUP BY ?x"
    query = read_query(text, "q.rq")
    assert read_query(write_query(query, Language.CSPARQL), "q.rq").pattern == query.pattern


@pytest.mark.parametrize("language", sorted(Language, key=str))
def test_an_aggregate_without_brackets_is_read_where_texts_or_parsers_of_the_language_have_it(language):
    bare = "SELECT ?place COUNT(DISTINCT ?who) AS ?people"
    text = framed(language, form=bare, triple="?who :enters ?room .", head="PREFIX : <http://example.org/>")
    if language in {Language.CSPARQL, Language.RSPQL, Language.KOLIBRIE}:
        assert "SELECT .. AS ?people without brackets is read as (.. AS ?people)" in " ".join(
            read_query(text, "q.rq", language).notes
        )
        return
    # Without a sign of Janus, the text is one of RSP-QL, too, which has such aggregates.
    for engine in (language,) if language is Language.JANUS else (language, None):
        with pytest.raises(PlacedError, match=r"found COUNT without brackets; expected \(COUNT"):
            read_query(text, "q.rq", engine)


@pytest.mark.parametrize(
    "rest",
    [
        "WHERE { STREAM <s> [RANGE 10s] { ?s ?p ?o } }",
        "COUNT(?p) AS ?m WHERE { STREAM <s> [RANGE 10s] { ?s ?p ?o } }",
        "FROM NAMED STREAM <s> [NOW - 10 S TO NOW] WHERE { ?s ?p ?o }",
        "FROM NAMED STREAM <s> [NOW - 10 S TO NOW] WHERE { ?s ?p ?o } GROUP BY",
    ],
)
def test_an_aggregate_without_brackets_is_the_fault_in_the_language_of_the_windows(rest):
    with pytest.raises(PlacedError, match=r"q.rq:1:8: found COUNT without brackets; expected \(COUNT"):
        read_query(f"SELECT COUNT(?s) AS ?n {rest}", "q.rq")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(?s) WHERE { STREAM <s> [RANGE 10s] { ?s ?p ?o } }",
        "SELECT ?p count(?s) WHERE { STREAM <s> [RANGE 10s] { ?s ?p ?o } } GROUP BY ?p",
        "SELECT COUNT(?s) FROM STREAM <s> [RANGE 10s STEP 5s] WHERE { ?s ?p ?o }",
    ],
)
def test_an_aggregate_without_a_name_is_the_fault(text):
    at, name = text.lower().index("count") + 1, "count" if "count" in text else "COUNT"
    problem = rf"q.rq:1:{at}: found {name} without brackets and a name; expected \({name}\(..\) AS \?name\)"
    with pytest.raises(PlacedError, match=problem) as caught:
        read_query(text, "q.rq")
    assert ("read as CQELS" in str(caught.value)) is ("[RANGE 10s]" in text)


NAMED = "SELECT * FROM NAMED WINDOW"
BLOCK = "{ WINDOW <w> { ?s ?p ?o } }"
LIVE = "FROM NAMED WINDOW <l> ON LOG <s> [START 0 END 9]"


@pytest.mark.parametrize(
    ("marked", "language"),
    [
        (f"{NAMED} <w> ON STREAM <s> [RANGE ¦PT10S STEP PT5S] {LIVE} {BLOCK}", Language.JANUS),
        (f"{NAMED} <w> ON STREAM <s> [RANGE 10 ¦SLIDE 5] {LIVE} {BLOCK}", Language.JANUS),
        (f"{NAMED} <w> ON <s> [RANGE PT10S ¦SLIDE PT5S T0 PT3S] {BLOCK}", Language.SPARQ),
        (f"{NAMED} <w> ON <s> [RANGE 10¦s STEP 5s T0 3] {BLOCK}", Language.SPARQ),
        (
            f"{NAMED} :w ON :s [RANGE 10¦s STEP 2] FROM NAMED WINDOW :v ON :s [RANGE 5] {{ }}",
            Language.KOLIBRIE,
        ),
    ],
)
def test_a_foreign_duration_is_named_in_the_language_whose_sign_the_text_has(marked, language):
    text, place = marked.replace("¦", ""), marked.index("¦")
    with pytest.raises(PlacedError) as caught:
        read_query(text, "q.rq")
    with pytest.raises(PlacedError) as of_language:
        read_query(text, "q.rq", language)
    (said, *_), (own, *_) = (str(one.value).splitlines() for one in (caught, of_language))
    assert said.removesuffix(f" (read as {language.manner.title})") == own
    assert re.match(rf"q.rq:1:\d+: found \S*{re.match('[A-Za-z0-9]+', text[place:])[0]};", own), own


def test_an_aggregate_without_a_name_gets_no_advice_about_names():
    text = f"{HEAD} SELECT ?a {WINDOW} {{ ?a :p ?b }} GROUP BY ?a HAVING COUNT(?b) > 1"
    for language in (Language.CSPARQL, Language.CQELS2):
        with pytest.raises(PlacedError) as caught:
            read_query(text.replace(":S", "S" if language is Language.CQELS2 else ":S"), "q.rq", language)
        assert "without brackets" not in str(caught.value)


@pytest.mark.parametrize("clause", ["FROM STREAM", "FROM NAMED STREAM"])
def test_windows_of_sparqlstream_may_begin_with_from_now(clause):
    windows = (
        "[FROM NOW - 10 MINUTES TO NOW - 2 S STEP 1 MINUTE]",
        "[NOW - 10 MIN TO NOW - 2 S SLIDE 1 MIN]",
    )
    old, new = (read_query(f"SELECT ?s {clause} <u:s> {one} {{ ?s ?p ?o }}", "q.rq") for one in windows)
    assert (old.language, old) == (Language.SPARQLSTREAM, new)


@pytest.mark.parametrize("block", ["STREAM :S [NOW] {}", "WINDOW :w {}"])
@pytest.mark.parametrize("around", ["GRAPH :g", "GRAPH ?g", "SERVICE :g", "SERVICE SILENT ?g"])
def test_a_stream_inside_a_graph_or_a_service_is_refused(block, around):
    window = "FROM NAMED WINDOW :w ON :S [RANGE PT5S]" if block.startswith("WINDOW") else ""
    said = refusal(f"SELECT * {window} {{ {around} {{ OPTIONAL {{ {block.format('{ ?a :p ?b }')} }} }} }}")
    inside = f"{block.split()[0]} inside {around.split()[0]}, which cannot contain a stream"
    assert inside in said
