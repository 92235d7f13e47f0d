"""Queries with all of SPARQL 1.1's grammar, tokens changed by lot, and what two other parsers read."""

import re
from contextlib import suppress

from pyoxigraph import Store
from rdflib.plugins.sparql.parser import parseQuery

from lars.errors import LarsError
from translate.dialects import read_query
from translate.sparql import read_tree, tokenize
from translate.sparql.syntax_tree import SPARQL

BASE = "http://base.invalid/"
QUERIES = """
BASE <http://e/> PREFIX : <#> SELECT DISTINCT ?s (COUNT(*) AS ?n) FROM :g FROM NAMED <h>
WHERE { ?s a :C ; :p 1 , -2.5 ; . OPTIONAL { ?s :q 'x'@en } }
GROUP BY ?s HAVING (?n > 1) ORDER BY DESC(?n) LIMIT 5 OFFSET 2

PREFIX : <http://e/> SELECT * { { ?s :p/^:q|:r* ?o } UNION { ?s !(:a|^:b) ?o . } MINUS { ?s !a [] } }

PREFIX : <http://e/> ASK { ?s ?p [ :q ( 1 'a' [ ] ) ] .
FILTER (!(?s = ?o) && ?o + 1 -2 * 3 / -?x < 4 || ?o IN (1, 2)) }

PREFIX : <http://e/> CONSTRUCT { ?s :p _:b . [ :q ?o ] :r ( ) }
WHERE { GRAPH ?g { ?s :p ?o } SERVICE SILENT :t { } }

PREFIX : <http://e/> CONSTRUCT WHERE { ?s :p ?o ; :q 1e3 . } LIMIT 1

PREFIX : <http://e/> DESCRIBE ?s :x
{ ?s :p ?o VALUES (?o ?x) { (1 UNDEF) ('a'^^:t true) } } VALUES ?s { :a }

SELECT (GROUP_CONCAT(DISTINCT ?o ; SEPARATOR = ',') AS ?g)
{ ?s ?p ?o FILTER NOT EXISTS { ?s <p:a> 1 } } GROUP BY (?s AS ?k) STR(?p)

SELECT ?s { ?s ?p ?o BIND (IF(BOUND(?o), COALESCE(?o, 1), REGEX(?o, 'a', 'i')) AS ?x) FILTER <f:f>(?x, 1) }

SELECT ?s { { SELECT REDUCED ?s { ?s ?p ?o } ORDER BY ?p ASC(?o) LIMIT 1 }
?s <p:b>+ ?x . FILTER (?x NOT IN ()) }

SELECT (SUM(?o) + 1 AS ?n)
{ ?s ?p ?o FILTER EXISTS { ?s ?p 2 } FILTER CONTAINS(STR(?o), "b") BIND (BNODE() AS ?b) }
""".strip().split("\n\n")
_WORDS = """
( ) { } [ ] . ; , + - * / ! || && = < >= ^ | a true 1 -1 .5 'x' @en ^^ <x:y> ?x _:b () [] COUNT AVG
DISTINCT AS FILTER BIND OPTIONAL MINUS UNION GRAPH SERVICE VALUES UNDEF IN NOT EXISTS STR IF NOW UUID
SUBSTR REPLACE LIMIT 5 ORDER BY ASC GROUP HAVING SELECT WHERE FROM NAMED PREFIX BASE : ASK
"""
WORDS = _WORDS.split()


def changed(random):
    """Return a query of which up to three tokens are others, left out or put in."""
    tokens = [token.text for token in tokenize(random.choice(QUERIES), "q.rq").tokens[:-1]]
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        place, width = random.randrange(len(tokens)), random.choice((0, 1, 1))
        tokens[place : place + width] = random.choice(([], [random.choice(WORDS)], [random.choice(tokens)]))
    return " ".join(tokens)


def accepted_elsewhere(text):
    """Return which of pyoxigraph and rdflib read a text."""
    accepted = set()
    try:
        Store().query(text, base_iri=BASE)
        accepted.add("pyoxigraph")
    except SyntaxError:
        pass
    except (OSError, RuntimeError, ValueError):
        accepted.add("pyoxigraph")  # a service or function that is not there
    with suppress(Exception):  # rdflib raises errors of many kinds; and it wants no space where this joins
        parseQuery(re.sub(r" (?=@[a-z])| ?(\^\^) ?| ([*+?])(?= )", r"\1\2", text))
        accepted.add("rdflib")
    return accepted


def is_parsed(text):
    """Whether the grammar has a text; a query can be wrong all the same."""
    try:
        return bool(read_tree(tokenize(text, "q.rq"), SPARQL))
    except LarsError:
        return False


def is_read(text):
    """Whether a text is a query."""
    try:
        return bool(read_query(text, "q.rq", opaque=True))
    except LarsError:
        return False
