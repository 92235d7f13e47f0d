"""The exact grammars: each rule with what an engine's own parser accepts and rejects, and where."""

from typing import get_args

import pytest

from lars.errors import LarsError, place_at
from translate.errors import QueryError
from translate.strict import StrictEngine, check_strict

KOLIBRIE = "PREFIX : <e:> REGISTER RSTREAM <o> AS SELECT ?s FROM NAMED WINDOW :w ON"
JANUS = "SELECT ?s ?n FROM NAMED WINDOW <l> ON STREAM <s> [RANGE 4 STEP 2] FROM NAMED WINDOW <h> ON LOG <s>"
AT = "[START 1 END 3] WHERE"
INNER = "{ SELECT ?s (COUNT(?o) AS ?n) WHERE { WINDOW <h> { ?s ?p ?o } } GROUP BY ?s }"
JAVA = "REGISTER QUERY q AS SELECT ?s ?n"
RUST = "SELECT ?s FROM STREAM s"
RULES = {
    "janus": (
        f"{JANUS} {AT} {{ WINDOW <l> {{ ?s <p> ?o }} {INNER} }}",
        f"PREFIX e: <e:> REGISTER RStream e:o AS {JANUS} [OFFSET 3 RANGE 3 STEP 1] WHERE {{ }}",
    ),
    "cqels4j": (
        f"{JAVA} FROM STREAM s [SLIDE 9s STEP 3s] WHERE {{ STREAM s {{ ?s <p> ?n }} }} ORDER BY ?n DESC",
        f"PREFIX e: <e:> {JAVA} FROM STREAM s [FUTURE 2s EMIT ON_CLOSE LATENESS 1s] {{ ?s e:p ?n }}",
        f"{JAVA} FROM NAMED WINDOW :w ON s [TRIPLES 3] {{ WINDOW :w {{ ?s <p> ?n }} }}".replace(
            "REGISTER", "PREFIX : <e:> REGISTER"
        ),
        f"{JAVA} FROM STREAM s [RANGE 9s] {{ ?s <p> ?n FILTER NOT EXISTS {{ ?n <p> 1 }} }} HAVING(?n > 1)",
        f"{JAVA} FROM STREAM s [TRIPLES 9] WHERE {{ ?s <p> ?n FILTER(SEQ(?s ; ?n)) }}",
        f"{JAVA} -- don't\nFROM STREAM s [TRIPLES 9] -- the last\nWHERE {{ ?s <p> ?n }}",
    ),
    "cqels-rs": (
        "RSTREAM SELECT ?s, ?n FROM STREAM s [RANGE 500ms STEP 100ms] WHERE { STREAM s { ?s <p> ?n } }",
        "ASK FROM NAMED WINDOW <w> ON STREAM s [TRIPLES 3 SLIDE 1] { WINDOW <w> { ?s ?p ?o } STATIC { } }",
        "SELECT ?s FROM STREAM s [NOW] { STREAM s { ?s ?p ?o } MINUS { ?o ?p ?s } FILTER(<f>(?o)) }",
    ),
    "csparql-0.9.7": (
        "REGISTER QUERY q AS SELECT ?s FROM STREAM <s> [RANGE 3s STEP 1s] WHERE { ?s ?p ?o }",
        "register stream q1 as\nprefix : <e:>\nconstruct { ?s ?p 1 }FROM STREAM <s> [range 1h TUMBLING]\n{ }",
        "REGISTER QUERY q AS ASK FROM <g> FROM NAMED STREAM <s> [RANGE TRIPLES 5] FROM <h> WHERE {\t}",
        "REGISTER QUERY q AS ASK FROM STREAM <s> [RANGE 3m STEP 1d] { ?s <p>/<q> ?o MINUS { ?s ?p 'step' } }",
    ),
    "cqels-1.x": (
        "SELECT ?s { STREAM ?g [RANGE 1m 30s SLIDE 10h] { ?s ?p ?o } FILTER NOT EXISTS { ?s <p>/<q> ?o } }",
        "CONSTRUCT { ?s ?p ?o } { STREAM <s> [triples 5] { ?s ?p [] } { ?a ?b ?c } UNION { ?a ?b 1 } }",
        "SELECT ?s { STREAM <s> [ALL] { ?s ?p ?o OPTIONAL { ?s ?p ?x } } } BINDINGS ?o { (1) }",
    ),
    "rsp4j": (
        "PREFIX : <> register rstream :o as ask from named window x:w on :s [range pt1s] { window x:w {} }",
        "ASK FROM NAMED WINDOW <w> ON <s> [ELEMENTS 5 STEP 2] FROM <g> { WINDOW ?w { GRAPH ?g { } } }",
        "SELECT ?p FROM NAMED WINDOW <w> ON <s> [RANGE P1Y STEP PT0.5S] { WINDOW <v> { } } GROUP BY ?s",
    ),
    "rsp-js": (
        "PREFIX : <e:>\nASK\nFROM NAMED WINDOW :w ON STREAM <s> [RANGE 9 STEP 2]\n{\nWINDOW :w { }\n}",
        " REGISTER RStream <o> AS\n FROM NAMED WINDOW <w> ON STREAM <s> [RANGE 9 STEP 1]\n # WINDOW :v {\n}",
        "SELECT ?window ?x\nFROM NAMED WINDOW <w> ON STREAM <s> [RANGE 9 STEP 2]\n{\n?s :window ?x.\n}",
    ),
    "kolibrie": (
        f'{KOLIBRIE} <s> [RANGE 4 STEP 2]\nWHERE {{ WINDOW :w {{ ?s :p ?a ; a :C . ?s :q "1"^^<x> }} }}',
        f"{KOLIBRIE} :s [SLIDING PT4S STEP PT2S REPORT PERIODIC TICK TIME_DRIVEN] WHERE {{ FILTER(?a) }}",
        f"{KOLIBRIE} :s [RANGE 4] WITH POLICY (timeout=5s, fallback=drop) WHERE {{ BIND(1 AS ?x) }}",
        f"{KOLIBRIE} ?s [TUMBLING 4] WHERE {{ VALUES ?a {{ 1 }} {{ SELECT ?s WHERE {{ ?s <p> ?o }} }} }}",
    ),
    "rsp-rs": (
        "REGISTER RStream <o> AS\nASK\nFROM NAMED WINDOW <w> ON STREAM <s> [RANGE +9 STEP 02]\n{}",
        "PREFIX : <e:>\nSELECT *\n FROM NAMED WINDOW :w ON STREAM :s [RANGE 9 STEP 1]\n{\nWINDOW :w { } }",
        "ASK\nFROM NAMED WINDOW <w> ON STREAM <s> [RANGE 9 STEP 1]\n{\nWINDOW <w> {} { WINDOW <w> {} }\n}",
    ),
}  # fmt: skip
STREAM = "REGISTER QUERY q AS SELECT ?s FROM STREAM <s>"
WINDOW = "[RANGE 3s STEP 1s]"
JS9 = "[RANGE 9 STEP 2]"
JS = "PREFIX : <e:>\nSELECT *\n"
REJECTED = [
    ("0.9.7", "¦SELECT ?s FROM STREAM <s> [RANGE 3s STEP 1s] { ?s ?p ?o }", "REGISTER"),
    ("0.9.7", "REGISTER QUERY my¦_q AS ASK {}", "AS"),
    ("0.9.7", "REGISTER QUERY q ¦COMPUTED EVERY 1s AS ASK {}", "AS"),
    ("0.9.7", f"{STREAM} [RANGE ¦3S STEP 1s] {{ ?s ?p ?o }}", "unit is s, m, h or d"),
    ("0.9.7", f"{STREAM} [RANGE 3s¦] {{ ?s ?p ?o }}", "STEP"),
    ("0.9.7", f"{STREAM} ¦[ RANGE 3s STEP 1s] {{ ?s ?p ?o }}", "[RANGE"),
    ("0.9.7", f"{STREAM}¦{WINDOW} {{ ?s ?p ?o }}", "a space"),
    ("0.9.7", f"{STREAM} {WINDOW}¦WHERE {{ ?s ?p ?o }}", "WHERE"),
    ("0.9.7", f"{STREAM} {WINDOW} ¦WHERE{{ ?s ?p ?o }}", "WHERE"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p ?foot¦step . }}", "the keyword step"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p 'a ¦stream of' }}", "the keyword stream"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p '¦é' }}", "ASCII"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p 'a¦\\\\b' }}", "ASCII"),
    ("0.9.7", f"{STREAM} {WINDOW}\nWHERE {{ ?s ?p ?o ¦# c\n}}", "comment"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p ¦e:o }}", "undeclared prefix e:"),
    ("0.9.7", f"{STREAM} {WINDOW} {{ ?s ?p ¦}}", "found }"),
    ("0.9.7", "REGISTER QUERY q AS DESCRIBE ?s ¦FROM STREAM <s> [RANGE 3s STEP 1s] { ?s ?p ?o }", "DESCRIBE"),
    ("0.9.7", f"REGISTER QUERY q AS ASK FROM STREAM <s> {WINDOW} {{ ?s ?p ?o }} ¦GROUP BY ?s", "in SELECT"),
    ("0.9.7", f"{STREAM[:27]}¦AVG(?o) AS ?a FROM STREAM <s> {WINDOW} {{ ?s ?p ?o }}", "brackets"),
    ("cqels", "SELECT ¦AVG(?o) AS ?a { STREAM <s> [NOW] { ?s ?p ?o } }", "found AVG"),
    ("cqels", "SELECT ?s { STREAM <s> [RANGE ¦3h] { ?s ?p ?o } }", "two digits"),
    ("cqels", "SELECT ?s { STREAM <s> [RANGE ¦3 s] { ?s ?p ?o } }", "numbers with"),
    ("cqels", "SELECT ?s { STREAM <s> ¦{ ?s ?p ?o } }", "["),
    ("cqels", "¦ASK { STREAM <s> [NOW] { ?s ?p ?o } }", "other than SELECT"),
    ("cqels", "SELECT ?s { ?s ?p ?o }¦", "without a STREAM"),
    ("cqels", "SELECT ?s { STREAM <s> [NOW] { ?s ?p ?o } ¦OPTIONAL { ?s ?p ?x } }", "OPTIONAL"),
    ("cqels", "SELECT ?s { { { SELECT ?s { ¦STREAM <s> [NOW] { ?s ?p ?o } } } } }", "a subquery"),
    ("cqels", "SELECT ?s { { ?s ?p 1 } UNION { ¦STREAM <s> [NOW] { ?s ?p ?o } } }", "UNION"),
    ("cqels", "SELECT ?s { STREAM <s> [NOW] { ?s ¦<p>/<q> ?o } }", "property paths"),
    ("cqels", "SELECT ?s { STREAM <s> [NOW] { ?s ^¦<p> ?o } }", "property paths"),
    ("cqels", "SELECT ?s { STREAM <s> [NOW] { ?s ¦<p>* ?o } }", "property paths"),
    ("cqels", "SELECT ?s { STREAM <s> [NOW] { ?s ?p ?o } ¦VALUES ?o { 1 } }", "BINDINGS"),
    ("cqels", "SELECT ?s { STREAM ¦e:s [NOW] { ?s ?p ?o } }", "undeclared prefix e:"),
    ("rsp4j", "REGISTER ¦STREAM <o> AS ASK {}", "DSTREAM, ISTREAM or RSTREAM"),
    ("rsp4j", "REGISTER RSTREAM <o> AS ¦PREFIX : <e:> ASK {}", "SELECT"),
    ("rsp4j", "ASK FROM NAMED WINDOW <w> ON ¦STREAM <s> [RANGE PT1S] {}", "an IRI"),
    ("rsp4j", "ASK FROM NAMED WINDOW <w> ON <s> [RANGE ¦10 STEP 5] {}", "PT10S"),
    ("rsp4j", "ASK FROM NAMED WINDOW <w> ON <s> [RANGE PT1S ¦SLIDE PT1S] {}", "STEP"),
    ("rsp4j", "SELECT ¦ISTREAM ?s FROM NAMED WINDOW <w> ON <s> [RANGE PT1S] {}", "operators"),
    ("rsp4j", "ASK FROM NAMED WINDOW <w> ON <s> [RANGE PT1S] { WINDOW <w> ¦?s }", "{"),
    ("rsp-js", "¦SELECT * WHERE { ?s ?p ?o }", "no window"),
    ("rsp-js", f"{JS}¦FROM NAMED WINDOW :w ON :s [RANGE 10 STEP 2]\nWHERE {{}}", "ON STREAM"),
    ("rsp-js", f"{JS}FROM NAMED WINDOW ¦e:w ON STREAM :s [RANGE 10 STEP 2]\nWHERE {{}}", "a prefix"),
    ("rsp-js", f"{JS}FROM NAMED WINDOW :w ON STREAM :s [RANGE 10 STEP ¦0]\nWHERE {{}}", "from 1 on"),
    ("rsp-js", f"{JS}FROM NAMED WINDOW :w ON STREAM :s [RANGE 9 STEP 2]\n{{ ¦WINDOW :w {{}}", "start of"),
    ("rsp-js", f"{JS}FROM NAMED WINDOW :w ON STREAM :s {JS9}\nWINDOW :w {{ {{ ¦WINDOW :w {{}} }}", "start"),
    ("rsp-js", f"REGISTER RStream <o> AS ¦SELECT *\nFROM NAMED WINDOW <w> ON STREAM <s> {JS9}", "behind"),
    ("java", "PREFIX e: <e:> ¦SELECT ?s FROM STREAM s [NOW] { ?s ?p ?o }", "without REGISTER"),
    ("java", "REGISTER QUERY q AS ¦ASK FROM STREAM s [NOW] { ?s ?p ?o }", "other than SELECT"),
    ("java", "REGISTER QUERY q AS ¦ISTREAM SELECT ?s FROM STREAM s [NOW] { ?s ?p ?o }", "before SELECT"),
    ("java", f"{JAVA} FROM STREAM s [RANGE 9s ¦SLIDE 3s] {{ ?s ?p ?n }}", "RANGE with SLIDE"),
    ("java", f"{JAVA} FROM STREAM s [¦TRIPLES 9 SLIDE 1] {{ ?s ?p ?n }}", "TRIPLES with SLIDE"),
    ("java", f"{JAVA} FROM STREAM s [RANGE 9¦ms] {{ ?s ?p ?n }}", "the unit ms"),
    ("java", f"{JAVA} FROM STREAM s [RANGE 9s ¦EMIT ON_CLOSE] {{ ?s ?p ?n }}", "without FUTURE"),
    ("java", f"{JAVA} FROM STREAM s [RANGE 9s ¦LATENESS 1s] {{ ?s ?p ?n }}", "LATENESS but for FUTURE"),
    ("java", f"{JAVA} FROM NAMED WINDOW ¦<w> ON s [NOW] {{ WINDOW <w> {{ ?s ?p ?n }} }}", "an IRI names"),
    ("java", f"{JAVA} FROM STREAM s [NOW] {{ STREAM s {{ ?s ?p ?n }} ¦MINUS {{ ?n ?p ?s }} }}", "MINUS"),
    ("java", f"{JAVA} FROM STREAM s [NOW] {{ STREAM s {{ ?s ?p ?n }} ¦STATIC {{ ?n ?p ?s }} }}", "STATIC"),
    ("rust", f"{RUST} [RANGE 9s ¦SLIDE 3s] {{ ?s ?p ?o }}", "RANGE with SLIDE"),
    ("rust", "SELECT ¦* FROM STREAM s [NOW] { ?s ?p ?o }", "SELECT *"),
    ("rust", f"{RUST} [¦PAST 9s] {{ ?s ?p ?o }}", "PAST"),
    ("rust", f"{RUST} [RANGE 9s ¦FUTURE 9s] {{ ?s ?p ?o }}", "FUTURE"),
    ("rust", f"{RUST} [RANGE 9s ¦LATENESS 9s] {{ ?s ?p ?o }}", "LATENESS"),
    ("rust", f"{RUST} [NOW] {{ ?s ?p ?o }} GROUP BY ?s ¦HAVING(COUNT(?o) > 1)", "HAVING"),
    ("rust", f"{RUST} [NOW] {{ ?s ?p ?o FILTER ¦NOT EXISTS {{ ?o ?p ?s }} }}", "NOT EXISTS"),
    ("rust", f"PREFIX e: <e:> {RUST} [NOW] {{ ?s ?p ?o FILTER(¦e:f(?o)) }}", "prefixed names"),
    ("rust", "SELECT (GROUP_CONCAT(?o; ¦SEPARATOR = ',') AS ?x) FROM STREAM s [NOW] { ?s ?p ?o }", "a comma"),
    ("rust", "REGISTER QUERY q AS ¦ASK FROM STREAM s [NOW] { ?s ?p ?o }", "other than SELECT"),
    ("rust", "PREFIX : <e:> ASK FROM NAMED WINDOW ¦:w ON STREAM s [NOW] { WINDOW :w { ?s ?p ?o } }", "name"),
    ("rust", "ASK FROM NAMED WINDOW <w> ON ¦s [NOW] { WINDOW <w> { ?s ?p ?o } }", "ON without STREAM"),
    ("rust", "ASK FROM NAMED WINDOW <w> ON STREAM s [NOW] { WINDOW ¦<v> { ?s ?p ?o } }", "declares"),
    ("kolibrie", "PREFIX : <e:> ¦SELECT ?s FROM NAMED WINDOW :w ON :s [RANGE 4] WHERE { }", "REGISTER"),
    ("kolibrie", f"{KOLIBRIE} STREAM ¦<s> [RANGE 4] WHERE {{ }}", "expects ["),
    ("kolibrie", f"{KOLIBRIE} e¦:s [RANGE 4] WHERE {{ }}", "white space"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4¦ms STEP 2] WHERE {{ }}", "] or STEP"),
    ("kolibrie", f"{KOLIBRIE} <s> [¦range 4] WHERE {{ }}", "RANGE, TUMBLING or SLIDING"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4] ¦{{ }}", "WHERE"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4] WHERE {{ WINDOW :w {{ FILTER¦(?a > 1) }} }}", "white space"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4] WHERE {{ WINDOW ¦<w> {{ }} }}", "as :name"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4] WHERE {{ ¦OPTIONAL {{ ?s :p ?a }} }}", "a WINDOW block"),
    ("kolibrie", f"{KOLIBRIE} <s> [RANGE 4] WHERE {{ }} ¦GROUP BY ?s", "the end of the query"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s [RANGE ¦PT4S STEP 2]\nWHERE {{}}", "from 1 to"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s [RANGE 4 STEP ¦-2]\nWHERE {{}}", "from 1 to"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM ¦:s:t {JS9}\nWHERE {{}}", "one colon"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW ¦e:w ON STREAM :s {JS9}\nWHERE {{}}", "a prefix"),
    ("rsp-rs", f"{JS}¦FROM NAMED WINDOW :w ON :s {JS9}\nWHERE {{}}", "rsp-rs does not see"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s {JS9}\n{{ ¦WINDOW :w {{}}", "start of"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s {JS9}\n{{ ?s ?p ¦}}", "found }"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s {JS9}\n{{ ?s ¦e:p 1 }}", "undeclared prefix e:"),
    ("rsp-rs", f"{JS}FROM NAMED WINDOW :w ON STREAM :s [RANGE ¦{'9' * 5000} STEP 2]\n{{ }}", "from 1 to"),
    ("kolibrie", f"{KOLIBRIE} :s [RANGE ¦{'9' * 5000}] WHERE {{ }}", "at most 18 digits"),
]  # fmt: skip
SHORT = {
    "0.9.7": "csparql-0.9.7",
    "cqels": "cqels-1.x",
    "rsp4j": "rsp4j",
    "rsp-js": "rsp-js",
    "rsp-rs": "rsp-rs",
    "kolibrie": "kolibrie",
    "java": "cqels4j",
    "rust": "cqels-rs",
}


@pytest.mark.parametrize(
    ("engine", "text"), [(engine, text) for engine, texts in RULES.items() for text in texts]
)
def test_what_the_grammar_of_an_engine_has_passes(engine, text):
    check_strict(text, "q.rq", engine)


@pytest.mark.parametrize(("engine", "marked", "word"), REJECTED)
def test_what_the_grammar_of_an_engine_lacks_is_rejected_at_its_place(engine, marked, word):
    text = marked.replace("¦", "")
    with pytest.raises(QueryError) as caught:
        check_strict(text, "q.rq", SHORT[engine])
    assert str(caught.value).startswith(f"{place_at('q.rq', text, marked.index('¦'))}: ")
    assert word in caught.value.problem


@pytest.mark.parametrize("engine", get_args(StrictEngine))
def test_a_query_that_ends_anywhere_passes_or_is_rejected_at_a_place(engine):
    messages = []
    for text in RULES[engine]:
        for end in range(0, len(text), 7):
            try:
                check_strict(text[:end], "q.rq", engine)
            except QueryError as error:
                messages.append(str(error))
    assert messages
    assert [message for message in messages if not message.startswith("q.rq:")] == []


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        (f"{JANUS} [START 1 END ¦1] WHERE {{ }}", "after the START"),
        (f"{JANUS} [OFFSET 3 RANGE ¦4 STEP 1] WHERE {{ }}", "at most the OFFSET"),
        (f"{JANUS} {AT} {{ WINDOW ¦<x> {{ ?s ?p ?o }} }}", "no FROM NAMED WINDOW declares"),
        (
            f"{JANUS.replace('<l>', '<h>')} [START 1 END 3] WHERE {{ }}".replace("<h> ON LOG", "¦<h> ON LOG"),
            "no other",
        ),
        (f"{JANUS.replace('RANGE 4', 'RANGE ¦0')} [START 1 END 3] WHERE {{ }}", "longer than zero"),
        (f"REGISTER ¦IStream <o> AS {JANUS} {AT} {{ }}", "other than RStream"),
        (f"¦ASK {JANUS[13:]} [START 1 END 3] WHERE {{ }}", "other than SELECT"),
        (f"{JANUS} {AT} {{ SERVICE ¦<e> {{ ?s ?p ?o }} }}", "SERVICE"),
        (f"{JANUS} {AT} {{ WINDOW <h> {{ ?s ¦<p>/<q> ?o }} }}", "property paths"),
        (
            f"{JANUS} {AT} {{ {INNER.replace('<h>', '¦<l>')} }}",
            "a live window in a subquery",
        ),
        (
            f"{JANUS} {AT} {{ {INNER.replace('?s (COUNT(?o) AS ?n)', '¦?s')} }}",
            "one variable",
        ),
        (f"{JANUS.replace('LOG', 'STREAM')} [START ¦1 END 3] WHERE {{ }}", "START and OFFSET ON STREAM"),
    ],
)
def test_what_the_specification_of_janus_rejects_is_rejected_at_its_place(marked, word):
    text = marked.replace("¦", "")
    with pytest.raises(LarsError) as caught:
        check_strict(text, "q", "janus")
    assert str(caught.value).startswith(f"{place_at('q', text, marked.index('¦'))}: ")
    assert word in str(caught.value)
