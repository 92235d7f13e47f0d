"""Each row of the tables about queries, by an example of it."""

import re
from dataclasses import replace
from itertools import product

import pytest

from lars.language.terms import Iri
from tests.manuals.pages import PAGES, rows, snippets
from tests.manuals.running import copied, run
from tests.translate.dialects.crowd import TITLED, windows_in, with_window
from translate.analysis import is_pushed
from translate.dialects import READINGS, read_query
from translate.errors import UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import Language

PAGE = "translate/README.md"
LANGUAGES = rows("translate/README.md", "| language | windows | evaluated by default |")
CONSTRUCTS = rows("translate/README.md", "| construct | rules |")
WINDOWS = rows("translate/README.md", "| window of a query | LARS window |")
FORMATS = rows("translate/README.md", "| `--format` | prints |")
STRICT = rows("translate/README.md", "| `--strict` | accepts the queries that |")
MEANINGS = rows(
    "translate/README.md", "| window text | language | LARS window | unit of integers | evaluated by |"
)
READING_ROWS = rows("translate/README.md", "| reading | value | window text | language | LARS window |")
SYNTAX_12 = rows("translate/README.md", "| syntax | meaning |")
OPTIONS = rows("translate/README.md", "| option | value | meaning |")
WARNINGS = rows("translate/README.md", "| warning | meaning | remedy |")
PREFIXES = "PREFIX : <http://e/> PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>\n"


def translated(query, folder, *options):
    """Return what translating the query prints, output and warnings apart from each other."""
    (folder / "q.rq").write_text(PREFIXES + query, encoding="utf-8")
    code, out = run(" ".join(("lars translate q.rq", *options)), folder)
    # A relative IRI is one of the query's own folder.
    return code, out.replace(f"{folder.as_uri()}/", "")


QUERIES = {
    "CQELS": "SELECT ?s {{ STREAM {} {{ ?s ?p ?o }} }}",
    "RSP-QL": "SELECT ?s FROM NAMED WINDOW :w ON <s> {} {{ WINDOW :w {{ ?s ?p ?o }} }}",
}


def asked(title, window):
    """Return the question of samples/crowd with a window in a language."""
    return with_window(TITLED[title], window)


@pytest.mark.parametrize("row", LANGUAGES, ids=lambda row: row[0])
def test_each_language_reads_its_windows(row, tmp_path):
    found = [window for text in snippets(row[1]) for window in re.findall(r"\[[^]]*\]", text)]
    # Windows without brackets are in the table of meanings.
    assert found or "[" not in str(TITLED[row[0]].manner.templates)
    for window in found:
        code, out = translated(asked(row[0], window), tmp_path, "--engine", TITLED[row[0]].value)
        assert code == 0, out
        assert "⊞^" in out
    if row[0] == "CQELS":
        assert "striple(?s, ?p, ?o, ?t)" in translated(QUERIES["CQELS"].format("?t [NOW]"), tmp_path)[1]
    if row[0] == "RSP-QL":
        text = QUERIES["RSP-QL"].format("[RANGE PT10S STEP PT5S]").replace("{ WINDOW :w", "{ WINDOW ?w")
        assert translated(text, tmp_path)[0] == 0


def pattern_of(text):
    """Return a pattern with a term, a triple or a function of SPARQL 1.2, all letters variables."""
    called = f"{text}(x{', x, x' * (text == 'STRLANGDIR')})" if text.isalpha() else text
    called = re.sub(r"(?<![\w@\"-])[a-z](?![\w\"])", r"?\g<0>", called)
    return f"BIND({called} AS ?v)" if text[0].isalpha() and "(" in called else f"?x ?y {called}"


@pytest.mark.parametrize("text", [text for row in SYNTAX_12 for text in snippets(row[0])])
def test_each_syntax_of_sparql_1_2_is_read_with_its_option_and_else_named(text):
    query = f"ASK {{ {pattern_of(text).removeprefix('?x ?y ' * text.startswith('s p o'))} }}"
    assert read_query(query, "q.rq", rdf12=True)
    with pytest.raises(UnsupportedError, match=r"--rdf 1\.2"):
        read_query(query, "q.rq")


@pytest.mark.parametrize("row", MEANINGS, ids=lambda row: f"{row[0]} {row[1]}")
def test_each_window_text_means_in_its_language_what_the_table_says(row, tmp_path):
    (window,), language, (meant,), evaluated = snippets(row[0]), TITLED[row[1]], snippets(row[2]), row[4]
    text = asked(row[1], window)
    code, out = translated(text, tmp_path, "--engine", language.value, "--unit 1s")
    assert code == 0, out
    assert f" {meant} ◇ striple" in re.sub(r"#(\d+) <[^<>]*>", r"#\1 <s>", out)
    query = read_query(text, "q.rq", language)
    assert is_pushed(query) == (evaluated == "push")
    # Janus without a log is recognized as RSP-QL.
    if language is not Language.JANUS:
        assert read_query(text, "q.rq").language is language


@pytest.mark.parametrize("row", LANGUAGES, ids=lambda row: row[0])
def test_windows_of_push_and_of_pull_in_one_query_are_evaluated_as_the_table_says(row):
    language, said = TITLED[row[0]], re.match(r"(push|pull)(?: if (any|all) windows? )?", row[2])
    found = {"push": [], "pull": []}
    for text, title, *_, evaluated in MEANINGS:
        if title == row[0]:
            query = read_query(asked(title, *snippets(text)), "q.rq", language)
            found[evaluated.split(",")[0]].append((query, windows_in(query)[0]))
    mixed = list(product(found["push"], found["pull"]))
    # A language with windows of both says in the first table what a query with both is.
    assert (said[2] is not None) == bool(mixed), f"push if any window .. or push if all windows ..: {row[2]}"
    for (pushed, one), (pulled, other) in mixed:
        for query, window in ((pushed, other), (pulled, one)):
            both = replace(query, declared=(*query.declared, StreamBlock(Iri("another"), window)))
            assert is_pushed(both) == (said[2] == "any")


@pytest.mark.parametrize("row", READING_ROWS, ids=lambda row: " ".join(row[:4]))
def test_each_reading_of_a_window_text_is_what_the_table_says(row, tmp_path):
    ((name,), (value,), (window,)), language = map(snippets, row[:3]), TITLED[row[3]]
    text, how = asked(row[3], window), ("--engine", language.value, "--unit 1s")
    reading = f"--reading {name}={value}"
    code, out = translated(text, tmp_path, *how, reading)
    assert code == 0, out
    assert f" {snippets(row[4])[0]} ◇ striple" in re.sub(r"#(\d+) <[^<>]*>", r"#\1 <s>", out), out
    plain = translated(text, tmp_path, *how)[1]
    notes = read_query(text, "q.rq", language, readings=((name, value),)).notes
    idle = f"--reading {name}={value} has no effect on this query of {row[3]}"
    # A grain has an effect on the traces that are accepted, and none on the rules.
    assert (idle in notes) == (out == plain and value not in ("message", "triple"))


def test_the_table_of_readings_and_the_text_below_have_all():
    shown = {(name, value) for row in READING_ROWS for name, value in [snippets(row[0]) + snippets(row[1])]}
    every = {(name, value) for name, (_, choices) in READINGS.items() for value in choices}
    beside = {(name, value) for name in ("messages", "derived") for value in READINGS[name][1]}
    assert every == shown | beside
    assert all(f"{name}={value}" in PAGES["translate/README.md"] for name, value in beside)


def test_bare_integers_of_rsp_js_count_milliseconds(tmp_path):
    (window,) = re.findall(r"RSP-JS \(`ON STREAM <s> (.*?)`\)", PAGES["translate/README.md"])
    bare, iso = (QUERIES["RSP-QL"].replace("ON", f"ON{word}") for word in (" STREAM", ""))
    assert translated(bare.format(window), tmp_path) == translated(
        iso.format("[RANGE PT10S STEP PT5S]"), tmp_path
    )


def test_one_question_has_one_answer_in_all_languages(tmp_path):
    copied(tmp_path)
    given = "--static samples/crowd/building.ttl --bounds closed --mode pull --period 2 --to 12"
    asked = [
        f"lars solve samples/crowd/query.{one.value}.rq {given} "
        # The name of a stream may be a word.
        + ("--stream doors=" if one.manner.texts == "" else "")
        + "samples/crowd/doors.trig"
        for one in Language
    ]
    found = {run(line, tmp_path)[1] for line in asked}
    assert len(found) == 1
    assert "6: (2, house)" in found.pop()


STREAM = "SELECT * { STREAM <s> [RANGE 3s] { ?x :p ?y } %s }"
EXAMPLES = {
    "P1 . P2": ("SELECT * { ?x :p ?y . ?y :q ?z }", r"ans1\(\?x, \?y, \?z\) ← ans2\(.*\), ans3\(.*\)\."),
    "P1 UNION P2": (
        "SELECT * { { ?x :p ?y } UNION { ?x :q ?z } }",
        r"ans1\(\?x, \?y, null\) ← ans2(.|\n)*null, \?z",
    ),
    "P1 OPTIONAL { P2 FILTER R }": (
        "SELECT * { ?x :p ?y OPTIONAL { ?x :q ?z FILTER (?z > ?y) } }",
        r"ans1'\(\?x, \?y\) ← ans2.*, ans3.*, \[\?z > \?y\]\.\nans1.*null\) ← ans2.*, not ans1'\(\?x, \?y\)",
    ),
    "P1 MINUS P2": ("SELECT * { ?x :p ?y MINUS { ?x :q ?z } }", r"← ans2\(\?x, \?y\), not ans1'\(\?x\)"),
    "P1 FILTER NOT EXISTS P2": (
        "SELECT * { ?x :p ?y FILTER NOT EXISTS { ?x :q ?z } }",
        r"ans1e\(\?x\) ← (.|\n)*← ans2\(\?x, \?y\), not ans1e\(\?x\)",
    ),
    "FILTER": (
        "SELECT * { ?x :p ?y FILTER (?y > 1 || ?x = :a) BIND (?y + 1 AS ?z) }",
        r"\?z := \[\?y \+ 1\]\.\nans1.*\[\?y > 1\]\.\nans1.*\[\?x = <http://e/a>\]",
    ),
    "s p* o": ("SELECT * { ?x :p* ?y }", r"reach\(X, Z\) ← .*reach\(X, Y\)(.|\n)*ans1\(\?x, \?x\) ← .*node"),
    "s !(p|^q) o": (
        "SELECT * { ?x !(:p|^:q) ?y }",
        r"triple\(\?x, P, \?y.*P != <.*p>(.|\n)*triple\(\?y, P, \?x.*P != <.*q>",
    ),
    "VALUES": ('SELECT * { VALUES (?x ?y) { ("a" UNDEF) } }', r'ans1\("a", null\) ← true\.'),
    "GRAPH ?g P": (
        "SELECT * { GRAPH ?g { ?x :p ?y } }",
        r"ans2\(\?x, \?y, \?g\) ← triple\(.*, \?g\)(.|\n)*\?g != default",
    ),
    "GROUP BY k": (
        "SELECT ?x (SUM(?y) AS ?s) { ?x :p ?y } GROUP BY ?x",
        r"\?s := SUM\(\?y\) of ans2\(\?x, \?y\) by \?x",
    ),
    "{ SELECT V .. }": (
        "SELECT * { { SELECT ?x { ?x :p ?y } } ?x :q ?z }",
        r"ans2\(\?x\) ← triple\(\?x, .*, \?y, default\)",
    ),
    "ORDER BY k LIMIT n": (
        "SELECT ?x { ?x :p ?y } ORDER BY ?y LIMIT 3",
        r"ans1\(\?x\) ← .* among 1\.\.3 by \?y",
    ),
    "CONSTRUCT": ("CONSTRUCT { ?x :r ?y } { ?x :p ?y }", r"ans1\(\?x, <http://e/r>, \?y\) ← "),
    "f:timestamp(s, p, o)": (
        "SELECT ?x FROM STREAM <s> [RANGE 3s STEP 1s] { ?x :p ?y FILTER (f:timestamp(?x, :p, ?y) > 3) }",
        r"⊞\^3 @_T striple\(S, P, O, <s>\)",
    ),
    "NOW()": (STREAM % "BIND (NOW() AS ?n)", r"⊞\^0 @_T0 true"),
}


@pytest.mark.parametrize("row", CONSTRUCTS, ids=lambda row: row[0])
def test_each_construct_becomes_its_rules(row, tmp_path):
    query, rules = EXAMPLES[snippets(row[0])[0]]
    engine = [] if "FROM STREAM" in query else ["--engine cqels"]
    code, out = translated(query, tmp_path, *engine)
    assert code == 0, out
    assert re.search(rules, out), out


def test_the_other_forms_of_a_query_are_translated_too(tmp_path):
    found = [
        translated(f"{form} {{ ?x :p ?y }}", tmp_path, "--engine cqels")[1] for form in ("DESCRIBE ?x", "ASK")
    ]
    assert "described(?x) ← ans2(?x)" in found[0]
    assert found[1].startswith("ans1 ← ")


def test_multisets_have_witnesses_but_the_cautious_reading_has_none(tmp_path):
    sides = ("?x :p ?y } UNION { ?x :q ?y", "STREAM <s> [NOW] { ?x :p ?y } } UNION { ?x :p ?y")
    plain, cautious = (
        translated(f"SELECT * {{ {{ {side} }} }}", tmp_path, "--engine cqels --semantics bag")[1]
        for side in sides
    )
    assert re.search(r"ans1\(\?x, \?y, 0\)", plain)
    assert not re.search(r"ans1\(\?x, \?y, 0\)", cautious)


@pytest.mark.parametrize("row", WINDOWS, ids=lambda row: row[0])
def test_each_window_becomes_its_own(row, tmp_path):
    (given,), (window,) = map(snippets, row)
    assert f"← {window} ◇ striple(" in translated(QUERIES["CQELS"].format(f"<s> {given}"), tmp_path)[1]


BEGINNINGS = {
    "lars": "ans1(",
    "ascii": "ans1(",
    "asp": "% ans1(",
    "model": "V = {",
    "json": "{",
    "sql": "-- For SQLite",
    "ticker": "% A LARS",
    "idlv-sr": "ans1(",
    "latex": "% \\usepackage{amsmath",
}


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row[0])
def test_each_format_is_printed(row, tmp_path):
    (name,) = snippets(row[0])
    code, out = translated(STREAM % "", tmp_path, "--format", name)
    assert (code, out.startswith(BEGINNINGS[name])) == (0, True), out
    assert ("[+]^3 <>" in out) == (name in ("ascii", "ticker"))


ACCEPTED = {
    "csparql-0.9.7": "samples/crowd/query.csparql.rq",
    "cqels-1.x": "samples/slide/query.cqels.rq",
    "rsp4j": "samples/crowd/query.rspql.rq",
    "rsp-js": "own.rq",
    "rsp-rs": "own.rq",
    "kolibrie": "kolibrie.rq",
    "janus": "own.rq",
    "cqels4j": "samples/crowd/query.cqels2.rq",
    "cqels-rs": "rust.rq",
}


RSP_JS = """PREFIX : <http://e/>
REGISTER RStream <o> AS
SELECT ?s
FROM NAMED WINDOW :w ON STREAM :s [RANGE 10000 STEP 5000]
WHERE {
  WINDOW :w { ?s ?p ?o }
}
"""
KOLIBRIE = """PREFIX : <http://e/>
REGISTER RSTREAM <http://e/o> AS SELECT ?s
FROM NAMED WINDOW :w ON <http://e/s> [RANGE 4 STEP 2]
WHERE { WINDOW :w { ?s ?p ?o } }
"""
RUST = "ISTREAM SELECT ?s, ?o FROM STREAM s [RANGE 500ms] { STREAM s { ?s ?p ?o } }"


@pytest.mark.parametrize("row", STRICT, ids=lambda row: row[0])
def test_each_engine_accepts_its_own_queries_alone(row, tmp_path):
    copied(tmp_path)
    (tmp_path / "own.rq").write_text(RSP_JS, encoding="utf-8")
    (tmp_path / "kolibrie.rq").write_text(KOLIBRIE, encoding="utf-8")
    (tmp_path / "rust.rq").write_text(RUST, encoding="utf-8")
    (name,) = snippets(row[0])
    other = ACCEPTED["cqels-1.x" if name != "cqels-1.x" else "rsp4j"]
    assert run(f"lars translate {ACCEPTED[name]} --strict {name}", tmp_path)[0] == 0
    code, out = run(f"lars translate {other} --strict {name}", tmp_path)
    assert code == 2, out
    assert "expected" in out or "accepted" in out or "rejects" in out or "found" in out


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row[1])
def test_each_reading_can_be_chosen(row, tmp_path):
    values = {"paper2015": "profile", "sparql11": "profile", "set": "semantics", "bag": "semantics"}
    values |= dict.fromkeys(("closed", "low-open", "high-open", "open"), "bounds")
    values |= dict.fromkeys(("any", "query-streams", "matching"), "trigger")
    (value,) = snippets(row[1])
    assert row[0] in ("", f"`--{values[value]}`")
    query = (
        "SELECT ?x { STREAM <s> [RANGE 3s] { ?x :p ?y } OPTIONAL { ?x :q ?z } ?w :r ?z MINUS { ?v :q ?z } }"
    )
    default, chosen = (
        translated(query, tmp_path, "--mode push", option)[1] for option in ("", f"--{values[value]} {value}")
    )
    assert (default == chosen) == row[2].endswith("(default)")


WARNED = {
    "W2": "SELECT ?x { STREAM <e:s> [RANGE 3s SLIDE 3s] { ?x :p ?y } }",
    "T1": "SELECT ?x { STREAM <e:s> [RANGE 3s] { ?x :p ?y } OPTIONAL { ?x :q ?z } ?w :r ?z }",
    "T2": "SELECT ?x { STREAM <e:s> [RANGE 3s] { ?x :p ?y } MINUS { ?v :q ?z } }",
    "T6": "SELECT ?x ?ghost { STREAM <e:s> [RANGE 3s] { ?x :p ?y } }",
    "T12": "SELECT ?x { STREAM <e:s> [RANGE 3s] { ?x :p ?y } }",
    "T13": "SELECT (COUNT(?x) AS ?n) { STREAM <e:s> [RANGE 3s] { ?x :p ?y } }",
    "T14": "REGISTER ISTREAM <o> AS SELECT ?x FROM NAMED WINDOW :w ON <e:s> [RANGE PT3S]"
    "{ WINDOW :w { ?x :p ?y } }",
}

ANSWERED = {
    "W2": WARNED["W2"].replace(" SLIDE 3s", ""),
    "T6": WARNED["T6"].replace("?ghost", "?y"),
    "T13": f"{WARNED['T13']} GROUP BY ?y",
}


@pytest.mark.parametrize("row", WARNINGS, ids=lambda row: row[0])
def test_each_warning_is_given_and_can_be_answered(row, tmp_path):
    name = row[0].partition(" ")[0]
    (tmp_path / "q.rq").write_text(PREFIXES + WARNED[name], encoding="utf-8")
    (tmp_path / "t.nq").write_text('<e:a> <http://e/p> <e:b> <e:s> "1" .\n', encoding="utf-8")
    command = "lars solve q.rq t.nq" if name == "T12" else "lars translate q.rq"
    assert f"warning: {row[0]}: " in warnings(command, tmp_path)
    option = next((text for text in snippets(row[2]) if text.startswith("--")), "")
    if name in ANSWERED:
        (tmp_path / "q.rq").write_text(PREFIXES + ANSWERED[name], encoding="utf-8")
    answer = "lars solve q.rq t.nq" if name == "T14" else f"{command} {option}"
    assert f"warning: {row[0]}: " not in warnings(answer, tmp_path)


def warnings(line, folder):
    """Return what the command prints on standard error."""
    return run(f"{line} > out", folder)[1]
