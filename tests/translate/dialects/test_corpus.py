"""Queries of our own become programs; real ones are read, or refused at a place."""

import csv
import re
from collections import Counter
from itertools import product
from typing import get_args

import clingo
import pytest

from lars.analysis import check_safety, strata
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.benches import BOTH, QUERIES
from tests.benches import ENGINES as ENGINES_OF_BENCHES
from tests.packs import files_of, pack
from tests.translate.dialects.own_queries import own_queries
from translate.dialects import read_query
from translate.model.query import Language, Profile, Setting
from translate.strict import check_strict
from translate.tau import lars_program

ACCEPTED = {
    "csparql": r"javacc:ok|antlr:ok",
    "cqels": r"parse:ok; register:ok",
    "sparqlstream": r"parse:ok",
    "rspql": r"g4:ok|found:([1-9]\d*) of \1\b",
}
ENGINES = {
    "csparql-0.9.7": ("csparql", r"javacc:ok"),
    "cqels-1.x": ("cqels", r"parse:ok; register:ok"),
    "rsp4j": ("rspql", r"g4:ok"),
    "rsp-js": ("rspql", r"found:([1-9]\d*) of \1\b"),
}


def indexed(folder):
    """Return the files of a folder with what their engines' parsers said."""
    (index,) = files_of("queries", "index.csv")
    rows = csv.DictReader(index.read_text("utf-8").splitlines())
    return [
        (index.parent / row["file"], row["engine_parser_says"])
        for row in rows
        if row["file"].startswith(f"{folder}/")
    ]


def probes(language):
    (path,) = files_of("queries", f"probes_{language}.tsv")
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


@pytest.mark.parametrize("language", Language)
def test_each_construct_is_read_in_its_language_and_becomes_a_safe_program_in_layers(language):
    for name, text in own_queries(language).items():
        query = read_query(text, name)
        assert (name, query.language) == (name, language)
        for profile in get_args(Profile):
            program = lars_program(query, Setting(profile))
            check_safety(program)
            assert strata(program) is not None, name


@pytest.mark.parametrize("language", Language)
def test_each_construct_becomes_a_program_that_clingo_loads(language, tmp_path):
    said = []
    for name, text in own_queries(language).items():
        (tmp_path / "q.rq").write_text(text)
        ran = lars("translate", tmp_path / "q.rq", "--format", "asp")
        assert (name, ran.code) == (name, 0)
        control = clingo.Control(logger=lambda _, message, name=name: said.append((name, message)))
        control.add("base", [], ran.out)
    assert said == []


@pytest.mark.parametrize(
    ("name", "pattern", "read"),
    [
        pytest.param(name, pattern, read, marks=pack(name))
        for name, pattern, read in (
            ("queries", "csparql/*.rq", 60),
            ("queries", "cqels/*.rq", 20),
            ("queries", "sparqlstream/*.rq", 8),
            ("queries", "rspql/*.rq", 90),
            ("queries", "cqels2/*.rq", 0),
            ("w3c-sparql", "open/files/*/*.rq", 210),
            ("csrbench", "queries/q*.rq", 12),
        )
    ],
)
def test_every_query_file_is_read_or_refused_at_a_place(name, pattern, read):
    counts = Counter(outcome(path.read_text("utf-8"), path.name) for path in files_of(name, pattern))
    print(pattern, dict(counts))
    assert counts["read"] >= read
    assert set(counts) <= {
        "read",
        "QueryError",
        "NeedsRdf12Error",
        "UnknownFunctionError",
        "UnsupportedError",
    }


@pack("queries")
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


@pack("queries")
@pytest.mark.parametrize(("engine", "columns"), [("csparql", 2), ("cqels", 1)])
def test_every_probe_that_an_engine_accepts_is_read(engine, columns):
    accepted = [
        (name, text)
        for name, verdicts, text in probes(engine)
        if any(verdict.startswith("ok") for verdict in verdicts[:columns])
    ]
    refused = {name for name, text in accepted if outcome(text, name) != "read"}
    assert refused <= {"stream-in-graph", "nested-stream-in-stream"}


@pack("queries")
@pytest.mark.parametrize(
    ("engine", "language", "columns"),
    [
        ("csparql-0.9.7", "csparql", (0,)),
        ("cqels-1.x", "cqels", (0, 1)),
    ],
)
def test_a_strict_check_says_of_every_probe_what_the_engine_said(engine, language, columns):
    different = [
        name
        for name, verdicts, text in probes(language)
        if accepts(text, engine) != all(verdicts[column].startswith("ok") for column in columns)
    ]
    assert different == []


@pack("queries")
@pytest.mark.parametrize(("engine", "said"), ENGINES.items())
def test_a_strict_check_says_of_every_file_what_the_engine_said(engine, said):
    folder, accepted = said
    different = [
        path.name
        for path, says in indexed(folder)
        if accepts(path.read_text("utf-8"), engine) != bool(re.search(accepted, says))
    ]
    assert different == []


@pytest.mark.parametrize("bench", BOTH)
def test_the_queries_of_a_benchmark_are_recognised(bench):
    for engine, number in product(ENGINES_OF_BENCHES, QUERIES):
        assert read_query(bench.query(engine, number), "q.rq").language is Language(engine)
