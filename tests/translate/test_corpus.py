"""Real queries: each is read or refused with a place, and nothing else happens."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from lars.errors import LarsError
from translate.dialects import read_query
from translate.errors import UnsupportedError
from translate.query import Language

SHARED = Path(__file__).parents[2] / "../shared"


def files(pattern):
    found = sorted(SHARED.glob(pattern))
    if not found:
        pytest.skip(f"no queries at {SHARED / pattern}")
    return found


def outcome(text, source):
    try:
        read_query(text, source)
    except LarsError as error:
        placed = str(error).startswith(f"{source}:")
        return type(error).__name__ if placed else "without a place"
    return "read"


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("queries/csparql/*.rq", 35),
        ("queries/cqels/*.rq", 11),
        ("w3c-sparql/open/files/*/*.rq", 210),
        ("csrbench/queries/q[125].c*.rq", 6),
    ],
)
def test_every_query_file_is_read_or_refused_at_a_place(pattern, read):
    counts = Counter(outcome(path.read_text("utf-8"), path.name) for path in files(pattern))
    print(pattern, dict(counts))
    assert counts["read"] >= read
    assert set(counts) <= {"read", "QueryError", "UnsupportedError"}


@pytest.mark.parametrize("engine", ["csparql-0.9.7", "cqels-1.x"])
def test_every_recorded_query_is_read_or_refused_at_a_place(engine):
    queries = [json.loads(path.read_text("utf-8"))["query"] for path in files(f"recordings/{engine}/*.json")]
    counts = Counter(outcome(query, engine) for query in queries)
    print(engine, dict(counts))
    assert set(counts) == {"read", "UnsupportedError"}


@pytest.mark.parametrize(("engine", "columns"), [("csparql", 2), ("cqels", 1)])
def test_every_probe_that_an_engine_accepts_is_read_or_not_covered(engine, columns):
    (path,) = files(f"queries/probes_{engine}.tsv")
    _, *rows = csv.reader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    verdicts = {}
    for row in rows:
        text = row[-1].replace("\\n", "\n").replace("\\t", "\t")
        accepted = any(verdict.startswith("ok") for verdict in row[1 : 1 + columns])
        verdicts.setdefault(accepted, []).append((row[0], outcome(text, row[0])))
    counts = {accepted: Counter(result for _, result in probes) for accepted, probes in verdicts.items()}
    print(engine, counts)
    refused = {name for name, result in verdicts[True] if result == "QueryError"}
    assert refused <= {"stream-in-graph", "nested-stream-in-stream"}


@pytest.mark.parametrize("language", Language)
def test_the_aggregate_of_csrbench_is_refused_at_its_place(language):
    (path,) = files(f"csrbench/queries/q4.{language.value}.rq")
    line = 4 if language is Language.CSPARQL else 3
    with pytest.raises(UnsupportedError, match=rf"^q4:{line}:9: no translation for the aggregate AVG"):
        read_query(path.read_text("utf-8"), "q4")
