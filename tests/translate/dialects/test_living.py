"""Texts of today's languages: read as expected of each, and answered as window by window."""

import csv
import random
import re
from collections import Counter

import pyoxigraph as ox
import pytest

from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from solver.facts import constant_of
from tests.agreement.command import lars
from tests.packs import files_of, is_there, pack
from tests.sizes import few
from tests.translate.dialects.by_windows import Cqels2, Janus, Kolibrie, Sparq, plain
from translate.analysis import parts
from translate.dialects import read_query
from translate.model.patterns import Bgp, StreamBlock
from translate.model.query import Language

FOLDER = "queries-living"
MACHINES = {
    Language.KOLIBRIE: Kolibrie,
    Language.CQELS2: Cqels2,
    Language.SPARQ: Sparq,
    Language.JANUS: Janus,
}
EXCEPTIONS = {
    "cqels2/cqels2-rs-cqelsql-16.rq": "seq(?a; ?b) is SEQ, as keywords have any case",
    "rspql/rsp4j-example-queries.rq": "GRAPH in a template is not SPARQL, and RSP4J rejects it too",
}
"""Texts of which something else is right than the index says, and why."""


def indexed(language):
    """Return the texts of a language with what is expected of each."""
    if not is_there(FOLDER):
        return []
    (index,) = files_of(FOLDER, "index.csv")
    rows = csv.DictReader(index.read_text("utf-8").splitlines())
    named = [row for row in rows if row["language"] == language]
    return [(row["file"], (index.parent / row["file"]).read_text("utf-8"), row["expected"]) for row in named]


def read(text):
    try:
        return read_query(text, "q.rq", opaque=True)
    except LarsError:
        return None


def solvable(text):
    """Whether it is of functions that have a value here, and its rows are not some of more."""
    try:
        query = read_query(text, "q.rq")
    except LarsError:
        return False
    return query.form in ("SELECT", "ASK") and not query.modifiers.slices


@pack(FOLDER)
@pytest.mark.parametrize("language", ["kolibrie", "rsp-js", "rsp4j", "cqels2", "sparq", "janus"])
def test_each_text_is_read_or_refused_as_is_expected(language):
    wrong = [
        file
        for file, text, expected in indexed(language)
        if (read(text) is not None) != ("expected: translate" in expected) and file not in EXCEPTIONS
    ]
    assert wrong == []


def node(value):
    return ox.Literal(str(value), datatype=ox.NamedNode(XSD_INTEGER)) if isinstance(value, int) else value


XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
THINGS = [ox.NamedNode(f"urn:t:{name}") for name in "abc"]


def made(query, source, rng, step):
    """Return pushes that instances of its patterns are made of, in order, and static triples."""
    inside = {id(bgp): block.stream for block, bgp in blocks(query)}
    every = sorted({*inside.values(), *(window.stream for window in query.declared)})
    pushes, static = [(0, stream.value, (THINGS[0], NOISE, THINGS[0])) for stream in every], []
    prefixes = dict(re.findall(r"PREFIX (\w+): +<([^>]*)>", source))
    compared = [prefixes[name] + local for name, local in re.findall(r"= *(\w+):(\w+)", source)]
    things = [*THINGS, *map(ox.NamedNode, compared)]
    for _ in range(15):
        t, values = rng.randrange(0, 30) * step, {}
        for bgp in (part for part in parts(query.pattern) if isinstance(part, Bgp)):
            for triple in bgp.triples:
                new = tuple(term(one, place, values, (rng, things)) for place, one in enumerate(triple.terms))
                if rng.random() < 0.9:
                    stream = inside.get(id(bgp))
                    pushes += [(t, stream.value, new)] if stream else []
                    static += [] if stream else [new]
    return sorted(dict.fromkeys(pushes), key=lambda push: push[0]), static


NOISE = ox.NamedNode("urn:t:noise")


def blocks(query):
    for block in parts(query.pattern):
        if isinstance(block, StreamBlock):
            yield from ((block, part) for part in parts(block.pattern) if isinstance(part, Bgp))


def term(one, place, values, chance):
    rng, things = chance
    if isinstance(one, Variable):
        if one not in values:
            number = place == 2 and rng.random() < 0.8
            values[one] = node(rng.choice((3, 15, 33, 60, 85, 120, 150))) if number else rng.choice(things)
        return values[one] if place == 2 or isinstance(values[one], ox.NamedNode) else things[0]
    if isinstance(one, Iri):
        return ox.NamedNode(one.value)
    return ox.Literal(one.lexical, datatype=ox.NamedNode(one.datatype))


def written(folder, pushes, static):
    """Write pushes as a trace for each stream, and static triples; return the options that name them."""
    files = []
    for number, stream in enumerate(sorted({push[1] for push in pushes})):
        own = [(t, triple) for t, source, triple in pushes if source == stream]
        lines = [
            f"<urn:e:{n}> <{AT}> {t} . <urn:e:{n}> {{ {' '.join(map(str, triple))} }}"
            for n, (t, triple) in enumerate(own)
        ]
        (folder / f"{number}.trig").write_text("\n".join(lines))
        files += ["--stream", f"{stream}={folder / f'{number}.trig'}"]
    (folder / "static.nt").write_text("".join(f"{' '.join(map(str, triple))} .\n" for triple in static))
    return [*files, "--static", folder / "static.nt"]


def solved(path, options):
    """Return our rows at each time, by columns and by clingo."""
    reading = ["--profile", "sparql11", "--semantics", "bag", "--evaluator", "both", "--in-process", "--json"]
    ran = lars("solve", path, *options, *reading)
    assert ran.code == 0, ran.err
    return {line["t"]: Counter(map(row_of, line["rows"])) for line in ran.lines}


def row_of(row):
    return frozenset((name, text(value)) for name, value in row.items())


AT = "http://www.w3.org/ns/prov#generatedAtTime"


def text(value):
    if value["type"] == "uri":
        return f"<{value['value']}>"
    return plain(ox.Literal(value["value"], datatype=ox.NamedNode(value.get("datatype", XSD_STRING))))


XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def check(source, machine, folder, seed=1):
    """Assert that a text is answered as window by window; return how many rows there are."""
    query, rng, machine = read_query(source, "q.rq"), random.Random(seed), machine(source)
    pushes, static = made(query, source, rng, machine.grain)
    (folder / "q.rq").write_text(source)
    found = solved(folder / "q.rq", [*written(folder, pushes, static), *machine.options])
    assert set(found) == set(machine.instants(found, pushes))
    before = Counter()
    for t, rows in sorted(found.items()):
        now = machine.rows(t, pushes, static)
        assert (t, rows) == (t, machine.reported(before, now))
        before = now
    return sum(rows.total() for rows in found.values())


@pack(FOLDER)
@pytest.mark.parametrize(
    ("language", "file", "source"),
    few(
        (
            (language, file, source)
            for language in MACHINES
            for file, source, expected in indexed(language.value)
            if "expected: translate" in expected and solvable(source)
        ),
        32,
    ),
)
def test_a_text_is_answered_as_window_by_window(language, file, source, tmp_path):
    found = any(check(source, MACHINES[language], tmp_path, seed) for seed in range(20))
    assert found or file in EMPTY


EMPTY = (
    "cqels2/cqels2-rs-cqelsql-2.rq",
    "cqels2/cqels2-4j-CapabilityProbe-probe-8.rq",
    "cqels2/cqels2-rs-cqelsql-42.rq",
    "rspql/sparq-rspql-parse-12.rq",
    "rspql/janus-http-client-example-2.rq",
    "rspql/janus-janus-api-integration-test-7.rq",
    "rspql/janus-janusql-parser-test-9.rq",
    "rspql/janus-test-query-pipeline.rq",
)
"""Texts without a row: a window not declared, a term in no data, FROM NAMED alone, windows far away."""
JOINED = (
    "FROM NAMED WINDOW <l> ON STREAM <e:r> [RANGE 6 STEP 3] FROM NAMED WINDOW <h> ON LOG <e:s> {} "
    "WHERE {{ WINDOW <l> {{ ?a <e:p> ?b }} {} }}"
)
GROUPED = "{ SELECT ?a (COUNT(?c) AS ?m) WHERE { WINDOW <h> { ?a <e:q> ?c } } GROUP BY ?a }"
SMALL = {
    Language.JANUS: [
        "SELECT ?a ?b ?c " + JOINED.format("[START 5 END 19]", "WINDOW <h> { ?a <e:q> ?c }"),
        "SELECT ?a ?m " + JOINED.format("[OFFSET 12 RANGE 9 STEP 3]", GROUPED),
        "SELECT ?a FROM NAMED WINDOW <h> ON LOG <s:> [OFFSET 9 RANGE 6 STEP 3] { WINDOW <h> { ?a <e:p> 3 } }",
    ],
    Language.SPARQ: [
        (
            "SELECT * WHERE { WINDOW <v> { ?a <e:p> ?b } WINDOW <w> { ?a <e:q> ?c } }\n"
            "FROM NAMED WINDOW <v> ON <e:s> RANGE 6 STEP 4 T0 3 MAXDELAY 2 "
            "FROM NAMED WINDOW <w> ON <e:r> RANGE PT5S"
        ),
        "SELECT ?a FROM NAMED WINDOW <w> ON <e:s> RANGE 2 STEP 5 T0 1 WHERE { WINDOW <w> { ?a <e:p> ?b } }",
    ],
    Language.CQELS2: [
        "SELECT ?a, ?b FROM STREAM s [RANGE 6s STEP 2s] -- don't\n WHERE { ?a <e:p> ?b . ?a <e:q> ?c }",
        "SELECT ?a ?b FROM STREAM s [FUTURE 6s STEP 3s] { STREAM s { ?a <e:p> ?b } ?b <e:q> ?c }",
        "SELECT ?a ?c FROM STREAM s [PAST 4s FUTURE 3s STEP 2s] { STREAM s { ?a <e:p> ?b . ?a <e:q> ?c } }",
        (
            "SELECT * FROM STREAM s [TRIPLES 3] FROM STREAM r [NOW] "
            "{ STREAM s { ?a <e:p> ?b } STREAM r { ?c <e:q> ?d } }"
        ),
        (
            "SELECT * FROM NAMED WINDOW <v> ON s [RANGE 6s] FROM NAMED WINDOW <w> ON s [RANGE 4s STEP 2s] "
            "{ WINDOW <v> { ?a <e:p> ?b } WINDOW <w> { ?a <e:q> ?c } }"
        ),
        (
            "SELECT ?a (COUNT(?b) AS ?n) FROM STREAM s [SLIDE 4s STEP 2s] { ?a <e:p> ?b } GROUP BY ?a "
            "HAVING (COUNT(?b) > 1)"
        ),
    ],
    Language.KOLIBRIE: [
        (
            "PREFIX : <e:> REGISTER RSTREAM <o> AS SELECT ?a (COUNT(?b) AS ?n) "
            "FROM NAMED WINDOW w ON s [RANGE 7 STEP 3] WHERE { WINDOW :w { ?a :p ?b } ?a :q ?c } GROUP BY ?a"
        ),
        (
            "REGISTER RSTREAM <o> AS SELECT * FROM NAMED WINDOW :w ON :s [TUMBLING 4] "
            "FROM NAMED WINDOW :v ON :s [RANGE PT6S STEP 2] "
            "WHERE { WINDOW :w { ?a <e:p> ?b } WINDOW :v { ?a <e:q> ?c } FILTER (?c > 20) }"
        ),
    ],
}


@pytest.mark.parametrize(
    ("language", "source"), [(language, source) for language, texts in SMALL.items() for source in texts]
)
def test_texts_of_our_own_are_answered_as_window_by_window(language, source, tmp_path):
    assert read_query(source, "q.rq").language is language
    assert check(source, MACHINES[language], tmp_path) > 0


@pytest.mark.parametrize("name", ["Sensors", ":s", "s-1"])
def test_a_stream_whose_name_is_a_text_is_a_constant(name):
    assert constant_of(f"<{name}>") == Iri(name)


def test_all_streams_are_asked_of_a_query_whose_streams_are_words(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?a FROM STREAM doors [RANGE 2s] { ?a <e:p> ?b }")
    ran = lars("decide", tmp_path / "q.rq")
    assert ran.code in {0, 1}, ran.err
    assert "of <doors>" in ran.out


@pytest.mark.parametrize(
    ("window", "options", "first"),
    [
        ("[PAST 2s FUTURE 2s STEP 2s]", (), 8),
        ("[PAST 2s FUTURE 5s STEP 3s]", (), 6),
        ("[PAST 2s FUTURE 2s STEP 2s]", ("--to", "7"), None),
        ("[PAST 2s FUTURE 2s STEP 2s]", ("--to", "12"), 12),
        ("[FUTURE 4s STEP 2s]", (), None),  # shown when it closes
        ("[RANGE 4s STEP 2s]", (), None),
        ("[PAST 2s FUTURE 2s STEP 5s]", ("--mode", "push"), None),
        ("[PAST 2s FUTURE 6s STEP 5s]", ("--mode", "push"), 5),
        ("[PAST 2s FUTURE 6s STEP 5s]", ("--mode", "push", "--from", "7"), 7),
    ],
)
def test_rows_of_windows_that_look_beyond_the_trace_are_said_to_be_incomplete(
    window, options, first, tmp_path
):
    (tmp_path / "q.rq").write_text(f"SELECT ?a FROM STREAM s {window} {{ ?a <e:p> ?b }}")
    (tmp_path / "t.csv").write_text("t,s,p,o\n" + "".join(f"{t},e:{t},e:p,e:b\n" for t in range(10)))
    ran = lars("solve", tmp_path / "q.rq", "--stream", f"s={tmp_path / 't.csv'}", *options)
    assert ran.code == 0, ran.err
    assert ("incomplete" in ran.err) == (first is not None)
    assert first is None or f"rows from {first} on are incomplete" in ran.err
