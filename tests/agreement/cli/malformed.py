"""Unusable inputs of every kind, and what the one message about each must say."""

from typing import NamedTuple

CQELS = "SELECT ?x WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }"
CSPARQL = "SELECT ?x FROM STREAM <x:s> [RANGE 5s STEP 2s] WHERE { ?x <x:p> ?y }"
TRACE = '<x:a> <x:p> <x:b> <x:s> "1" .\n<x:c> <x:p> <x:d> <x:s> "3" .\n'
EXPERIMENT = 'unit = "1s"\ntimeline = [0, 9]\ncsparql = "cs.rq"\nperiod = 2\n[streams]\n"x:s" = "t.nq"\n'
ENDLESS = "9" * 6000
GOOD = {
    "cq.rq": CQELS,
    "cs.rq": CSPARQL,
    "t.nq": TRACE,
    "p.lars": "a(?X) <- [5] <> striple(?X, ?P, ?O, ?S).",
    "experiment.toml": EXPERIMENT,
}


class Case(NamedTuple):
    """A command line, the file that is changed for it, and what the message must say."""

    command: str
    says: tuple[str, ...]
    file: str = ""
    content: str | bytes = ""
    placed: bool = False


def q(text: str, *says: str) -> Case:
    return Case("translate bad.rq", ("bad.rq:", *says), "bad.rq", text, placed=True)


def t(text: str | bytes, *says: str, name: str = "bad.nq", options: str = "") -> Case:
    placed = (name == "bad.nq" and bool(text.strip())) or any(":" in one for one in says)
    return Case(f"solve cq.rq {name} {options}", (name, *says), name, text, placed)


def s(text: str | bytes, *says: str, name: str = "bad.ttl") -> Case:
    return Case(f"solve cq.rq t.nq --static {name}", (name, *says), name, text, bool(says))


def e(old: str, new: str, *says: str) -> Case:
    assert old in EXPERIMENT
    placed = any(":" in one for one in says)
    return Case(
        "agree .", ("experiment.toml", *says), "experiment.toml", EXPERIMENT.replace(old, new), placed
    )


def p(text: str, *says: str) -> Case:
    placed = not text.startswith(("a <- [-1]", "a(9"))
    return Case("solve bad.lars t.nq", ("bad.lars:", *says), "bad.lars", text, placed)


def o(command: str, *says: str) -> Case:
    return Case(command, says)


QUERIES = {
    "an empty query": q(""),
    "a query of comments alone": q("# nothing\n"),
    "no query at all": q("hello world"),
    "a brace that is never closed": q("SELECT ?x WHERE { ?x <x:p> ?y"),
    "a brace too many": q("SELECT ?x WHERE { ?x <x:p> ?y } }"),
    "an unknown prefix": q("SELECT ?x WHERE {\n  ?x z:p ?y }", ":2:"),
    "a window without unit": q("SELECT ?x WHERE { STREAM <x:s> [RANGE 5] { ?x <x:p> ?y } }"),
    "a window with a negative length": q("SELECT ?x WHERE { STREAM <x:s> [RANGE -5s] { ?x <x:p> ?y } }"),
    "a window with an unknown unit": q("SELECT ?x WHERE { STREAM <x:s> [RANGE 5y] { ?x <x:p> ?y } }"),
    "a window of nothing": q("SELECT ?x WHERE { STREAM <x:s> [] { ?x <x:p> ?y } }"),
    "a window without its stream": q("SELECT ?x WHERE { STREAM [RANGE 5s] { ?x <x:p> ?y } }"),
    "a stream without window": q("SELECT ?x WHERE { STREAM <x:s> { ?x <x:p> ?y } }"),
    "a slide of zero": q("SELECT ?x WHERE { STREAM <x:s> [RANGE 5s SLIDE 0s] { ?x <x:p> ?y } }"),
    "a tuple window of zero": q("SELECT ?x WHERE { STREAM <x:s> [ROWS 0] { ?x <x:p> ?y } }"),
    "a window of endless digits": q(
        f"SELECT ?x WHERE {{ STREAM <x:s> [RANGE {ENDLESS}s] {{ ?x <x:p> ?y }} }}"
    ),
    "a stream that is a text": q("SELECT ?x WHERE { STREAM 's' [RANGE 5s] { ?x <x:p> ?y } }"),
    "a stream in a stream": q(
        "SELECT ?x WHERE { STREAM <x:s> [NOW] { STREAM <x:r> [NOW] { ?x <x:p> ?y } } }"
    ),
    "both languages in one query": q(
        "SELECT ?x FROM STREAM <x:s> [NOW] WHERE { STREAM <x:s> [NOW] { ?x <x:p> ?y } }"
    ),
    "REGISTER without a name": q("REGISTER QUERY AS SELECT ?x FROM STREAM <x:s> [NOW] WHERE { ?x <x:p> ?y }"),
    "a subquery without braces": q("SELECT ?x WHERE { ?x <x:p> ?y SELECT ?y WHERE { ?y <x:q> ?z } }"),
    "an aggregate in WHERE": q("SELECT ?x WHERE { ?x <x:p> ?y FILTER(COUNT(?y) > 1) }"),
    "an aggregate in an aggregate": q("SELECT (SUM(COUNT(?y)) AS ?n) WHERE { ?x <x:p> ?y }"),
    "* of groups": q("SELECT * WHERE { ?x <x:p> ?y } GROUP BY ?x"),
    "a template with a path": q("CONSTRUCT { ?x <x:p>/<x:q> ?y } WHERE { ?x <x:p> ?y }"),
    "SERVICE without a name": q("SELECT ?x WHERE { SERVICE { ?x <x:p> ?y } }"),
    "a path without an end": q("SELECT ?x WHERE { ?x (<x:p>+ ?y }"),
    "a negated set of paths": q("SELECT ?x WHERE { ?x !(<x:p>/<x:q>) ?y }"),
    "a table row too short": q("SELECT ?x WHERE { ?x <x:p> ?y VALUES (?x ?y) { (1) } }"),
    "a negative limit": q("SELECT ?x WHERE { ?x <x:p> ?y } LIMIT -1"),
    "a name given twice": q("SELECT (1 AS ?x) (2 AS ?x) WHERE { ?x <x:p> ?y }"),
    "a string without end": q("SELECT ?x WHERE { ?x <x:p> 'y }"),
    "an escape that is not a valid character": q(r"SELECT ?x WHERE { ?x <x:p> '\uD800' }"),
    "an update": q("DELETE WHERE { ?x <x:p> ?y }"),
    "a literal as predicate": q("SELECT ?x WHERE { ?x 'p' ?y }"),
    "deep nesting": q("SELECT ?x WHERE " + "{" * 5000 + "?x <x:p> ?y" + "}" * 5000),
    "BIND of a bound variable": q("SELECT ?x WHERE { ?x <x:p> ?y BIND(1 AS ?y) }"),
    "NUL in a query": q("SELECT ?x WHERE { ?x <x:p> '\0' }\0"),
}
FILES = {
    "a query that is missing": o("translate none.rq", "none.rq"),
    "a query that is a folder": o("translate ..", ".."),
    "a query that is no UTF-8": Case("translate bad.rq", ("bad.rq",), "bad.rq", b"SELECT \xff"),
    "a query in UTF-16": Case("translate bad.rq", ("bad.rq",), "bad.rq", CQELS.encode("utf-16")),
    "a trace that is missing": o("solve cq.rq none.nq", "none.nq"),
    "a folder without a trace": o("solve cq.rq .", "."),
    "static data that is missing": o("solve cq.rq t.nq --static none.ttl", "none.ttl"),
    "static data that is a folder": o("solve cq.rq t.nq --static .", "."),
    "an experiment that is missing": o("agree none", "none"),
    "a name of endless length": o(f"translate {'x' * 5000}.rq", "xxx"),
    "a query with a null byte in its name": o("translate a\0b.rq", "a"),
    "a side file in a missing folder": o(
        "solve cq.rq t.nq --on-error skip --rejected no/where.txt", "no/where.txt"
    ),
}
TRACES = {
    "an empty trace": t(""),
    "a trace of blank lines": t("\n\n"),
    "a line of words": t("hello world\n"),
    "a line without time": t("<x:a> <x:p> <x:b> .\n"),
    "a time that is none": t('<x:a> <x:p> <x:b> <x:s> "noon" .\n'),
    "a negative time": t('<x:a> <x:p> <x:b> <x:s> "-1" .\n'),
    "a time with a fraction": t('<x:a> <x:p> <x:b> <x:s> "1.5" .\n'),
    "a time beyond 64 bits": t('<x:a> <x:p> <x:b> <x:s> "99999999999999999999" .\n'),
    "a time of endless digits": t(f'<x:a> <x:p> <x:b> <x:s> "{ENDLESS}" .\n'),
    "a literal as subject": t('"a" <x:p> <x:b> <x:s> "1" .\n'),
    "a blank predicate": t('<x:a> _:p <x:b> <x:s> "1" .\n'),
    "a literal as stream": t('<x:a> <x:p> <x:b> "s" "1" .\n'),
    "a relative IRI": t('<a> <x:p> <x:b> <x:s> "1" .\n'),
    "an IRI with a space": t('<x:a b> <x:p> <x:b> <x:s> "1" .\n'),
    "a literal without end": t('<x:a> <x:p> "b <x:s> "1" .\n'),
    "an unknown escape": t('<x:a> <x:p> "\\q" <x:s> "1" .\n'),
    "half a character": t('<x:a> <x:p> "\\uD800" <x:s> "1" .\n'),
    "bytes that are no UTF-8": t(b'<x:a> <x:p> "\xff" <x:s> "1" .\n'),
    "time that goes back": t('<x:a> <x:p> <x:b> <x:s> "3" .\n<x:a> <x:p> <x:b> <x:s> "1" .\n', ":2:"),
    "two kinds of time": t(
        '<x:a> <x:p> <x:b> <x:s> "1" .\n<x:a> <x:p> <x:b> <x:s> "2024-05-01T12:00:00Z" .\n', ":2:"
    ),
    "a day that does not exist": t('<x:a> <x:p> <x:b> <x:s> "2024-02-31T12:00:00Z" .\n'),
    "a timestamp between two units": t(
        '<x:a> <x:p> <x:b> <x:s> "1500" .\n', options="--trace-unit 1ms --unit 1s"
    ),
    "a dateTime before the origin": t(
        '<x:a> <x:p> <x:b> <x:s> "2024-05-01T12:00:00Z" .\n', options="--origin 2025-01-01T00:00:00Z"
    ),
    "an unknown extension": t("hello", name="bad.xyz"),
    "binary data": t(bytes(range(256)), name="bad.bin"),
    "a Turtle file without a time": t("<x:a> <x:p> <x:b> .", name="bad.ttl"),
    "a Parquet file that is none": t("PAR1 no", name="bad.parquet"),
    "a CSV without header": t("1,x:s,x:a,x:p,x:b\n", name="bad.csv"),
    "a CSV without a column": t("t,s,p\n1,x:a,x:p\n", name="bad.csv"),
    "a CSV line with too few fields": t("t,s,p,o\n1,x:a,x:p\n", "bad.csv:2:", name="bad.csv"),
    "a CSV cell with a quote": t('t,s,p,o\n1,x:a,x:p,"""\n', "bad.csv:2:", name="bad.csv"),
    "TriG that is none": t("@prefix : <x:> \n:g { :a :p :b }", "bad.trig:", name="bad.trig"),
    "a graph without time": t("<x:g> { <x:a> <x:p> <x:b> . }", "bad.trig:1:", name="bad.trig"),
    "a triple outside of graphs": t("<x:a> <x:p> <x:b> .", "bad.trig:1:", name="bad.trig"),
    "a triple of a triple": t(
        "<x:g> { <x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> . }",
        "bad.trig:",
        name="bad.trig",
    ),
}
STATIC = {
    "Turtle that is none": s("<x:a> <x:p> .", "bad.ttl:1:"),
    "static data in bytes": s(b"\xff\xfe\x00", "bad.ttl:"),
    "RDF/XML that is none": s("<rdf:RDF><a></rdf:RDF>", "bad.rdf:", name="bad.rdf"),
    "JSON that is none": s('{"@id": ', "bad.jsonld:1:", name="bad.jsonld"),
    "JSON-LD with a context by address": s('{"@context": "http://e.org/c"}', name="bad.jsonld"),
    "Notation3 that is none": s("{ <x:a> ", name="bad.n3"),
    "static data of no format": s("hello", name="bad.xyz"),
    "a relative IRI in static data": s("<a> <x:p> <x:b> .", "bad.ttl:1:"),
}
EXPERIMENTS = {
    "TOML that is none": e("unit =", "unit", ":1:"),
    "a program in place of an experiment": Case(
        "run bad.lars", ("bad.lars:1:", "expected an experiment"), "bad.lars", "p :- q.\n", True
    ),
    "an unknown key": e("period", "perod", ":4:", "period"),
    "a unit of zero": e('"1s"', '"0s"', ":1:"),
    "a unit without quotes": e('"1s"', "1", ":1:"),
    "a unit that divides no window": Case(
        "agree .", ("5s", "2s"), "experiment.toml", EXPERIMENT.replace('"1s"', '"2s"')
    ),
    "a timeline that runs back": e("[0, 9]", "[9, 0]", ":2:"),
    "a timeline of one number": e("[0, 9]", "[9]", ":2:"),
    "a negative timeline": e("[0, 9]", "[-3, 9]", ":2:"),
    "a period of zero": e("period = 2", "period = 0", ":4:"),
    "a period in words": e("period = 2", 'period = "often"', ":4:"),
    "a reversed range of periods": e("period = 2", 'period = "9..1"', ":4:"),
    "an empty list of periods": e("period = 2", "period = []", ":4:"),
    "an unknown profile": e("period = 2", 'profile = "sparql12"', ":4:"),
    "unknown bounds": e("period = 2", 'bounds = "shut"', ":4:"),
    "a query file that is missing": e('"cs.rq"', '"none.rq"', ":3:"),
    "no query": e('csparql = "cs.rq"\n', "", "csparql"),
    "a query in the other language": Case(
        "agree .",
        ("3:11: csparql: the query cq.rq is in CQELS; use the key cqels",),
        "experiment.toml",
        EXPERIMENT.replace("cs.rq", "cq.rq"),
    ),
    "a trace that does not exist": e('"t.nq"', '"none.nq"', ":6:"),
    "a stream that is no IRI": e('"x:s"', '"a stream"', ":6:"),
    "no stream": e('"x:s" = "t.nq"\n', "", "streams"),
    "an assignment to an unknown stream": e("[streams]", '[assign]\n"x:r" = ["x:p"]\n[streams]', ":6:"),
    "a key given twice": e("period = 2", "period = 2\nperiod = 3", ":5:"),
}
PROGRAMS = {
    "no program": p("hello world"),
    "a rule without its end": p("a(?X) <- b(?X)"),
    "an unsafe rule": p("a(?X) <- not b(?X)."),
    "an unsafe head": p("a(?X, ?Y) <- b(?X)."),
    "a fact at a time": p("@_3 a(1)."),
    "a window without length": p("a <- [-1] <> b."),
    "a number beyond 32 bits": p("a(99999999999)."),
    "nested windows": p("a(?X) <- [5] <> [3] <> b(?X)."),
    "a bad character": p("a(?X) <- b(?X) & c."),
}
OPTIONS = {
    "no command": o("frobnicate", "frobnicate"),
    "an unknown option": o("agree . --speed", "--speed"),
    "an option without its value": o("translate cq.rq --period", "--period"),
    "nothing to translate": o("translate", "QUERY"),
    "nothing to compare": o("agree", "experiment.toml"),
    "a query without trace": o("agree cs.rq", "cs.rq", "trace"),
    "solve without trace": o("solve cq.rq", "no trace given", "TriG"),
    "a period 0": o("agree . --period 0", "0"),
    "a period -1": o("agree . --period -1", "-1"),
    "a period 1..x": o("agree . --period 1..x", "1..x"),
    "a period of 5..1": o("agree . --period 5..1", "1..5"),
    "ten thousand periods and more": o("agree . --period 1..100000", "10000"),
    "an empty period": o("agree . --period=", "is not a valid period"),
    "period 0 of a program": o("translate cs.rq --mode pull --period 0", "0"),
    "pull without a period": o("translate cq.rq --mode pull", "period"),
    "unknown bounds on the command line": o("agree . --bounds shut", "--bounds", "high-open"),
    "an unknown profile on the command line": o("agree . --profile x", "--profile", "sparql11"),
    "an unknown trigger": o("agree . --trigger x", "--trigger", "matching"),
    "an unknown mode": o("solve cq.rq t.nq --mode x", "--mode", "push"),
    "an unknown format": o("translate cq.rq --format xml", "--format", "ascii"),
    "an unknown engine": o("translate cq.rq --engine sql", "--engine", "cqels"),
    "a unit that is none": o("solve cq.rq t.nq --unit 1y", "1y"),
    "a unit of nothing": o("solve cq.rq t.nq --unit 0s", "0s"),
    "a unit that does not divide the window": o("solve cq.rq t.nq --unit 2s", "5s", "2s"),
    "a unit of endless digits": o(f"solve cq.rq t.nq --unit {ENDLESS}s", "999", "18 digits"),
    "--from after --to": o("solve cq.rq t.nq --from 5 --to 2", "5", "2"),
    "--from after --to when comparing": o("agree . --from 5 --to 2", "5", "2"),
    "--from after the last element": o("solve cq.rq t.nq --from 9", "[9, 9] is after the trace", "--from"),
    "more time points than anyone waits for": o("agree . --to 4000000000000000000", "10000000", "--unit"),
    "more pulls than anyone waits for": o(
        "solve cs.rq t.nq --to 4000000000000000000", "10000000", "--unit"
    ),
    "--from in words": o("solve cq.rq t.nq --from noon", "noon"),
    "a negative --from": o("agree . --from -1", "-1"),
    "--to beyond 64 bits": o("agree . --to 99999999999999999999", "9999"),
    "an assignment without =": o("agree . --assign x:p", "--assign x:p", "STREAM=PREDICATE"),
    "an assignment to a stream that is not read": o("agree . --assign x:r=x:p", "x:r"),
    "a predicate of two streams": o("agree . --assign x:s=x:p --assign x:r=x:p", "expected one stream"),
    "an assignment of no IRI": o("agree . --assign x:s=hello", "hello"),
    "shrinking with static data of one engine": o("shrink . --static cqels:t.nq", "cqels:t.nq: ", "both"),
    "a phase diagram with static data of one engine": o("phase . --static csparql:t.nq", "csparql:", "both"),
    "a column renamed twice": o("decide cq.rq cq.rq --contained --rename s=a --rename s=b", "a and b"),
    "a renaming without =": o("decide cq.rq cq.rq --contained --rename abc", "abc: expected A=B"),
    "a stream without =": o("solve cq.rq t.nq --stream x:s", "--stream x:s", "IRI=FILE"),
    "a stream of a missing file": o("solve cq.rq t.nq --stream x:s=none.nq", "none.nq"),
    "a stream that is no IRI on the command line": o("solve cq.rq --stream s=t.nq t.nq", "s"),
    "one file for two streams": o("solve cq.rq --stream x:s=t.nq --stream x:r=t.nq t.nq", "x:r=t.nq", "x:s"),
    "an origin that is none": o("agree . --origin noon", "noon"),
    "an unknown --on-error": o("agree . --on-error ignore", "stop"),
    "skipping without a side file": o("solve cq.rq t.nq --on-error skip", "--rejected"),
    "the same trace twice": o("solve cq.rq t.nq t.nq", "t.nq", "twice"),
    "two queries in one language": o("agree cs.rq cs2.rq t.nq", "cs2.rq", "C-SPARQL"),
    "two queries that answer different variables": o("agree cs.rq y.rq t.nq", "?x", "?y"),
    "a derived query without period": o("agree cq.rq t.nq", "--period"),
    "deriving CQELS without an assignment": o("translate cs.rq --engine cqels", "cs.rq", "--assign"),
    "an ambiguous assignment": o("agree two.rq two.nq --period 2", "--assign", "<x:r>", "<x:s>"),
    "a trace of an unnamed stream": o("solve two.rq plain.nq --period 2", "plain.nq:1:", "--stream"),
    "experiment and trace together": o("agree . t.nq", "."),
    "a query that is a program": o("agree p.lars t.nq", "p.lars"),
}  # fmt: skip
MORE = {
    "cs2.rq": CSPARQL,
    "y.rq": "SELECT ?y WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }",
    "two.rq": "SELECT ?x FROM STREAM <x:s> [NOW] FROM STREAM <x:r> [NOW] WHERE { ?x <x:p> ?y }",
    "two.nq": TRACE + '<x:a> <x:p> <x:b> <x:r> "4" .\n',
    "plain.nq": '<x:a> <x:p> <x:b> "1" .\n',
}
CASES = QUERIES | FILES | TRACES | STATIC | EXPERIMENTS | PROGRAMS | OPTIONS
