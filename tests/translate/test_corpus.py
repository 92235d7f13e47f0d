"""Real queries: each is read or refused with a place, and nothing else happens."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from lars.errors import LarsError
from translate.dialects import read_query
from translate.dialects.strict import StrictEngine, check_strict
from translate.query import Language

SHARED = Path(__file__).parents[2] / "../shared"
ACCEPTED = {
    "csparql": r"javacc:ok|antlr:ok",
    "cqels": r"parse:ok; register:ok",
    "sparqlstream": r"parse:ok",
    "rspql": r"g4:ok|found:([1-9]\d*) of \1\b",
}
ENGINES = {
    StrictEngine.CSPARQL_097: ("csparql", r"javacc:ok"),
    StrictEngine.CQELS: ("cqels", r"parse:ok; register:ok"),
    StrictEngine.RSP4J: ("rspql", r"g4:ok"),
    StrictEngine.RSP_JS: ("rspql", r"found:([1-9]\d*) of \1\b"),
}


def files(pattern):
    found = sorted(SHARED.glob(pattern))
    if not found:
        pytest.skip(f"no queries at {SHARED / pattern}")
    return found


def indexed(folder):
    """Return the files of a folder with what their engines' parsers said."""
    (index,) = files("queries/index.csv")
    rows = csv.DictReader(index.read_text("utf-8").splitlines())
    return [
        (SHARED / "queries" / row["file"], row["engine_parser_says"])
        for row in rows
        if row["file"].startswith(f"{folder}/")
    ]


def probes(language):
    (path,) = files(f"queries/probes_{language}.tsv")
    _, *rows = csv.reader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row[0], row[1:3], row[3].replace("\\n", "\n").replace("\\t", "\t")) for row in rows]


def outcome(text, source):
    try:
        read_query(text, source)
    except LarsError as error:
        placed = str(error).startswith(f"{source}:")
        return type(error).__name__ if placed else "without a place"
    return "read"


def accepts(text, engine):
    try:
        check_strict(text, "q.rq", engine)
    except LarsError:
        return False
    return True


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("queries/csparql/*.rq", 60),
        ("queries/cqels/*.rq", 20),
        ("queries/sparqlstream/*.rq", 8),
        ("queries/rspql/*.rq", 90),
        ("queries/cqels2/*.rq", 0),
        ("w3c-sparql/open/files/*/*.rq", 210),
        ("csrbench/queries/q*.rq", 12),
    ],
)
def test_every_query_file_is_read_or_refused_at_a_place(pattern, read):
    counts = Counter(outcome(path.read_text("utf-8"), path.name) for path in files(pattern))
    print(pattern, dict(counts))
    assert counts["read"] >= read
    assert set(counts) <= {"read", "QueryError", "UnsupportedError"}


@pytest.mark.parametrize(("folder", "accepted"), ACCEPTED.items())
def test_a_query_that_its_own_engine_accepts_is_read_or_breaks_a_rule_of_sparql(folder, accepted):
    refused = Counter()
    for path, says in indexed(folder):
        if re.search(accepted, says):
            try:
                read_query(path.read_text("utf-8"), path.name)
            except LarsError as error:
                refused[re.sub(r"^\S+ ", "", str(error).splitlines()[0])] += 1
    print(folder, dict(refused))
    # These parsers resolve no prefixes and no variables, RSP-JS reads SPARQL later, one file has the
    # end of its page's listing in it, and one has GROUP BY in CONSTRUCT, which is right in no reading.
    rules = r"undeclared prefix|a key of GROUP BY|found AVG|character '`'|found \);"
    assert [problem for problem in refused if not re.search(rules, problem)] == []


@pytest.mark.parametrize("engine", ["csparql-0.9.7", "cqels-1.x", "rsp-js-1.3.5", "yasper-cqels"])
def test_every_recorded_query_is_read(engine):
    queries = [json.loads(path.read_text("utf-8"))["query"] for path in files(f"recordings/{engine}/*.json")]
    counts = Counter(outcome(query, engine) for query in queries)
    assert set(counts) == {"read"}


@pytest.mark.parametrize(("engine", "columns"), [("csparql", 2), ("cqels", 1)])
def test_every_probe_that_an_engine_accepts_is_read(engine, columns):
    accepted = [
        (name, text)
        for name, verdicts, text in probes(engine)
        if any(verdict.startswith("ok") for verdict in verdicts[:columns])
    ]
    refused = {name for name, text in accepted if outcome(text, name) != "read"}
    assert refused <= {"stream-in-graph", "nested-stream-in-stream"}


@pytest.mark.parametrize(
    ("engine", "language", "columns"),
    [
        (StrictEngine.CSPARQL_097, "csparql", (0,)),
        (StrictEngine.CQELS, "cqels", (0, 1)),
    ],
)
def test_a_strict_check_says_of_every_probe_what_the_engine_said(engine, language, columns):
    different = [
        name
        for name, verdicts, text in probes(language)
        if accepts(text, engine) != all(verdicts[column].startswith("ok") for column in columns)
    ]
    assert different == []


@pytest.mark.parametrize(("engine", "said"), ENGINES.items())
def test_a_strict_check_says_of_every_file_what_the_engine_said(engine, said):
    folder, accepted = said
    different = [
        path.name
        for path, says in indexed(folder)
        if accepts(path.read_text("utf-8"), engine) != bool(re.search(accepted, says))
    ]
    assert different == []


@pytest.mark.parametrize("language", [Language.CSPARQL, Language.CQELS, Language.SPARQLSTREAM])
def test_the_queries_of_csrbench_are_recognised(language):
    for path in files(f"csrbench/queries/q*.{language.value}.rq"):
        assert read_query(path.read_text("utf-8"), path.name).language is language
