"""Queries of our own: each construct of SPARQL in each language, and each language's own clauses."""

import re
from contextlib import suppress
from functools import cache

import pytest

from lars.errors import LarsError
from tests.packs import files_of, pack
from tests.translate.dialects.crowd import WINDOWS, framed, with_window
from translate.dialects import read_query
from translate.model.query import Language

LIVING = tuple(language for language in Language if language.manner.sign is not None)
FEW = ("one triple", "union", "arithmetic", "optional", "a subquery", "groups", "order and slice")
"""The constructs in tests of languages whose grammars stand behind those that have all."""
HEAD = "PREFIX : <http://e/>"
ALL = "SELECT *"
# name: what follows the first triple, how the query begins, what follows the pattern
CONSTRUCTS = {
    "one triple": ("", "SELECT ?a ?b", ""),
    "a star and a chain": ("?a :q 1, 'x' ; a :C . ?b :q [ :r ?c ] .", ALL, ""),
    "a list": ("?b :members (?c 2) .", ALL, ""),
    "literals": ("?b :q 1, 1.5, 1e3, true, 'a'@en, '''b \"c\"''', '4'^^:d .", ALL, ""),
    "comparison": ("?b :q ?n FILTER(?n >= 2 && (?n < 7 || !(?n = 3)))", ALL, ""),
    "arithmetic": ("?b :q ?n FILTER(?n * 2 + 1 > -?n / 3 - 4)", ALL, ""),
    "text": ("?b :q ?n FILTER(REGEX(STR(?n), '^h', 'i') && STRLEN(?n) < 5 && LANG(?n) != 'en')", ALL, ""),
    "in": ("?b :q ?n FILTER(?n IN (1, 2) && ?a NOT IN (:x, ?b))", ALL, ""),
    "kinds": ("FILTER(ISIRI(?a) && BOUND(?b) && SAMETERM(?a, ?a) && DATATYPE(?b) != :d)", ALL, ""),
    "optional": ("OPTIONAL { ?b :q ?c }", ALL, ""),
    "optional with a filter": ("?a :q ?c OPTIONAL { ?a :r ?d FILTER(?d > ?c) }", ALL, ""),
    "optional in optional": ("OPTIONAL { ?b :q ?c OPTIONAL { ?c :r ?d } } FILTER(!BOUND(?d))", ALL, ""),
    "union": ("{ ?b :q ?c } UNION { ?b :r ?c }", ALL, ""),
    "three branches": ("{ ?b :q ?c } UNION { ?b :r ?d } UNION { ?c :r ?d }", ALL, ""),
    "minus": ("MINUS { ?a :q ?c }", ALL, ""),
    "exists": ("FILTER EXISTS { ?a :q ?c } FILTER NOT EXISTS { ?a :r ?b }", ALL, ""),
    "bind": ("?b :q ?n BIND(?n + 1 AS ?m) BIND(IF(?m > 3, 'big', COALESCE(?a, 'none')) AS ?o)", ALL, ""),
    "values": ("VALUES ?b { :x 1 'y' }", ALL, ""),
    "a table of values": ("VALUES (?b ?c) { (:x 1) (UNDEF 2) }", ALL, ""),
    "values at the end": ("", ALL, "VALUES ?b { :x }"),
    "a graph": ("GRAPH :g { ?a :q ?c }", ALL, ""),
    "a graph variable": ("GRAPH ?g { ?a :q ?c }", ALL, ""),
    "a group in a group": ("{ ?b :q ?c { ?c :r ?d } }", ALL, ""),
    "a subquery": ("{ SELECT ?b (MAX(?n) AS ?m) { ?b :q ?n } GROUP BY ?b }", ALL, ""),
    "a limited subquery": ("{ SELECT ?b { ?b :q ?n } ORDER BY ?n LIMIT 2 }", ALL, ""),
    "a path of steps": ("?b :q/^:r|:t ?c", ALL, ""),
    "a closure": ("?b :q+ ?c . ?b :r* ?d . ?c :t? ?d", ALL, ""),
    "a negated path": ("?b !(:q|^:r) ?c", ALL, ""),
    "groups": ("?b :q ?n", "SELECT ?b (SUM(?n) AS ?s)", "GROUP BY ?b HAVING (COUNT(?a) > 1)"),
    "one group": ("", "SELECT (COUNT(DISTINCT ?b) AS ?k) (AVG(?b) AS ?v) (MIN(?b) AS ?m)", ""),
    "a joined group": ("", "SELECT ?a (GROUP_CONCAT(?b; SEPARATOR='-') AS ?l)", "GROUP BY ?a"),
    "a computed key": ("", "SELECT ?k (COUNT(*) AS ?n)", "GROUP BY (STR(?a) AS ?k)"),
    "a computed column": ("?b :q ?n", "SELECT ?a (?n * 2 AS ?m)", ""),
    "distinct": ("", "SELECT DISTINCT ?b", ""),
    "reduced": ("", "SELECT REDUCED ?b", ""),
    "order and slice": ("", "SELECT ?a ?b", "ORDER BY DESC(?b) ?a LIMIT 3 OFFSET 1"),
    "ask": ("?b :q ?c", "ASK", ""),
    "construct": ("?b :q ?c", "CONSTRUCT { ?a :near ?c . _:x :of ?b }", ""),
    "describe": ("", "DESCRIBE ?a", ""),
}  # fmt: skip
# Clauses of one language alone, if neither the sample nor a window of the manual has them.
ONE, TWO = "{ ?a :p ?b }", "{ ?b :q ?c }"
OWN = {
    Language.CSPARQL: {
        "tumbling": f"REGISTER STREAM q COMPUTED EVERY 5s AS {HEAD} {ALL} "
        f"FROM STREAM :s [RANGE 1m TUMBLING] {ONE}",
        "tuples": f"REGISTER QUERY q AS {HEAD} {ALL} FROM STREAM :s [RANGE TRIPLES 9] {ONE}",
        "two streams and a graph": f"REGISTER QUERY q AS {HEAD} {ALL} FROM STREAM :s [RANGE 3s STEP 1s] "
        "FROM STREAM :r [RANGE 2h STEP 1m] FROM :g { ?a :p ?b . ?b :q ?c }",
        "timestamps": "REGISTER QUERY q AS PREFIX : <http://e/> "
        "PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> SELECT ?a FROM STREAM :s [RANGE 9s STEP 3s] "
        "{ ?a :p ?b . ?a :q ?c FILTER(f:timestamp(?a, :p, ?b) < f:timestamp(?a, :q, ?c)) }",
    },
    Language.CQELS: {
        "now": f"{HEAD} {ALL} {{ STREAM :s [NOW] {ONE} STREAM :r [RANGE 3s SLIDE 1s] {TWO} }}",
        "tuples": f"{HEAD} {ALL} {{ STREAM :s [TRIPLES 9] {ONE} STREAM :s [ALL] {TWO} }}",
        "tumbling": f"{HEAD} {ALL} {{ STREAM :s [RANGE 1m 30s TUMBLING] {ONE} ?b :q ?c }}",
        "a stream variable": f"{HEAD} {ALL} {{ STREAM ?g [RANGE 3s] {ONE} }}",
        "streams in branches": f"{HEAD} {ALL} {{ {{ STREAM :s [NOW] {ONE} }} "
        f"UNION {{ STREAM :r [NOW] {TWO} }} }}",
        "an optional stream": f"{HEAD} {ALL} {{ STREAM :s [NOW] {ONE} "
        f"OPTIONAL {{ STREAM :r [RANGE 3s] {TWO} }} }}",
    },
    Language.SPARQLSTREAM: {
        "istream": f"{HEAD} SELECT ISTREAM ?a FROM NAMED STREAM :s [NOW - 10 S TO NOW - 5 S SLIDE 5 S] {ONE}",
        "dstream": f"{HEAD} SELECT DSTREAM ?a FROM NAMED STREAM :s [NOW - 2 MINUTES] {ONE}",
        "blocks": f"{HEAD} SELECT RSTREAM * {{ STREAM :s [NOW - 5 S] {ONE} STREAM :r [NOW - 1 S] {TWO} }}",
        "two streams": f"{HEAD} {ALL} FROM NAMED STREAM :s [NOW - 5 S SLIDE 1 S] "
        "FROM NAMED STREAM :r [NOW - 9 S SLIDE 1 S] { ?a :p ?b . ?b :q ?c }",
    },
    Language.RSPQL: {
        "istream": f"{HEAD} REGISTER ISTREAM :o AS {ALL} FROM NAMED WINDOW :w ON :s [RANGE PT1M] "
        f"{{ WINDOW :w {ONE} ?b :q ?c }}",
        "two windows": f"{HEAD} REGISTER RSTREAM :o AS {ALL} "
        f"FROM NAMED WINDOW :w ON :s [RANGE PT9S STEP PT3S] "
        f"FROM NAMED WINDOW :v ON :r [ELEMENTS 9] {{ WINDOW :w {ONE} WINDOW :v {TWO} }}",
        "a window variable": f"{HEAD} {ALL} FROM NAMED WINDOW :w ON :s [RANGE PT2S STEP PT1S] "
        f"{{ WINDOW ?w {ONE} }}",
        "no window": f"{HEAD} {ALL} FROM NAMED WINDOW :w ON :s [RANGE PT2S STEP PT1S] "
        f"{{ WINDOW :w {ONE} OPTIONAL {{ WINDOW :v {TWO} }} }}",
        "integers": f"{HEAD} REGISTER RStream :o AS {ALL} "
        f"FROM NAMED WINDOW :w ON STREAM :s [RANGE 9000 STEP 3000] "
        f"{{ WINDOW :w {ONE} }}",
    },
    Language.KOLIBRIE: {
        "tumbling": f"{HEAD} REGISTER DSTREAM :o AS {ALL} FROM NAMED WINDOW w ON <s> [TUMBLING PT1M] "
        f"{{ WINDOW w {ONE} }}",
        "undeclared": "REGISTER STREAM :s FROM <file:///x> WITH TIMESTAMP <urn:at> "
        "REGISTER RSTREAM <o> AS SELECT * FROM NAMED WINDOW :w ON :s [RANGE 9 STEP 3] "
        "FROM NAMED WINDOW v ON <r> [RANGE 9] { WINDOW :w { ?a <p> ?b } WINDOW v { ?b <q> ?c } }",
    },
    Language.JANUS: {
        "past": f"{HEAD} REGISTER RStream :o AS {ALL} FROM NAMED WINDOW :w ON LOG :s "
        f"[OFFSET 9000 RANGE 5000 STEP 1000] FROM NAMED WINDOW :v ON STREAM :s [RANGE 9000 STEP 3000] "
        f"WHERE {{ WINDOW :w {ONE} WINDOW :v {TWO} }}",
    },
    Language.SPARQ: {
        "behind": f"{HEAD} REGISTER ISTREAM :o AS {ALL} WHERE {{ WINDOW :w {ONE} WINDOW :v {TWO} }} "
        "FROM NAMED WINDOW :w ON :s RANGE 9 STEP 4 T0 2 "
        "FROM NAMED WINDOW :v ON :r RANGE PT1M MAXDELAY 2",
    },
    Language.CQELS2: {
        "now": f"{HEAD} {ALL} FROM STREAM s [NOW] {ONE}",
        "tuples": f"{HEAD} RSTREAM SELECT ?a, ?b FROM STREAM s [TRIPLES 3] FROM STREAM r-1 [SLIDE 9s STEP 3s]"
        f" {{ STREAM s {ONE} STREAM r-1 {TWO} }} ORDER BY ?b DESC ?a",
        "ahead": f"{HEAD} ASK FROM STREAM s [FUTURE 4s STEP 2s] FROM STREAM r [PAST 3s FUTURE 2s STEP 1s] "
        f"{{ STREAM s {ONE} STREAM r {TWO} }}",
        "static": f"{HEAD} {ALL} FROM STATIC :g WITH DEPTH 2 CACHE 5s FROM STREAM s [RANGE 4s] "
        f"{{ STREAM s {ONE} STATIC {TWO} }}",
    },
}  # fmt: skip


def own_queries(language):
    """Return the text of each query in a language by its name: constructs, windows, clauses of its own."""
    constructs = {
        name: framed(language, head=HEAD, form=form, rest=rest, tail=tail)
        for name, (rest, form, tail) in CONSTRUCTS.items()
        if (language not in LIVING or name in FEW) and form.split()[0] in language.manner.forms
    }
    mine = [text for one, text in WINDOWS if one is language]
    if language is Language.JANUS:
        # Without a log it is RSP-QL, and the STEP of a lone window with OFFSET, the period, is not written.
        log = "LOG :doors [START 0 END 9000]"
        constructs = {name: re.sub(r"STREAM :doors \[.*\]", log, text) for name, text in constructs.items()}
        mine = [text for text in mine if text.startswith("[START")]
    windows = {f"own {text}": with_window(language, text) for text in mine}
    return constructs | windows | {f"own {name}": text for name, text in OWN.get(language, {}).items()}


OWN_QUERIES = [pytest.param(language, id=f"own {language.value}") for language in Language]
W3C = pytest.param(("w3c-sparql", "open/files/*/*.rq"), id="w3c", marks=pack("w3c-sparql"))
SOURCES = [
    *OWN_QUERIES,
    *(
        pytest.param(("queries", f"{language.value}/*.rq"), id=language.value, marks=pack("queries"))
        for language in Language
        if language not in LIVING
    ),
    W3C,
]


@cache
def readable(source):
    """Return name, text and model of each query of a source that can be read: all, where it is our own."""
    if isinstance(source, Language):
        return [(name, text, read_query(text, name)) for name, text in own_queries(source).items()]
    found = []
    for path in files_of(*source):
        text = path.read_text("utf-8")
        with suppress(LarsError):
            found.append((path.name, text, read_query(text, path.name)))
    return found
