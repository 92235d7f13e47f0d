"""Random queries with aggregates: `lars agree` ends with a verdict and a whole report, whatever they ask."""

import random
import shlex

import pytest

from tests.agreement.cause_cases import Shape, aggregate, modifiers
from tests.agreement.cause_cases import called as written
from tests.agreement.command import lars
from tests.sizes import few


def query(rng):
    """Return a CQELS query whose keys are perhaps not shown, and whose HAVING asks what SELECT does not."""
    keys = tuple(rng.sample("xyz", rng.randint(0, 3))) or None
    shown = tuple(key for key in keys or () if rng.random() < 0.4)
    aggregates = tuple(aggregate(rng) for _ in range(rng.randint(1, 2)))
    having = (aggregate(rng), rng.choice("<>"), rng.randint(0, 2)) if rng.random() < 0.5 else None
    shape = Shape(shown, aggregates, keys, having, limit=rng.choice((None, None, 1)))
    names = " ".join(
        [f"?{key}" for key in shown] + [f"({written(a)} AS ?n{i})" for i, a in enumerate(aggregates)]
    )
    more = rng.choice(("", "OPTIONAL { ?x :r ?w }", "MINUS { ?x :r ?w }", ". ?x :p ?z"))
    block = f"STREAM :S [RANGE {rng.randint(1, 3)}s] {{ ?x :p ?y . ?y :q ?z }}"
    return f"PREFIX : <http://e/> SELECT {names} WHERE {{ {block} {more} }}{modifiers(shape)}"


def trace(rng):
    rows = sorted(
        (rng.randint(1, 8), rng.choice("ab"), rng.choice("pqr"), rng.choice("ab")) for _ in range(14)
    )
    return "".join(
        f'<http://e/{s}> <http://e/{p}> <http://e/{o}> <http://e/S> "{t}" .\n' for t, s, p, o in rows
    )


@pytest.mark.parametrize("seed", few(range(40), 12))
def test_a_comparison_of_aggregates_ends_with_a_whole_report(seed, tmp_path):
    rng = random.Random(seed)
    (tmp_path / "q.rq").write_text(query(rng))
    (tmp_path / "t.nq").write_text(trace(rng))
    given = tmp_path / "q.rq", tmp_path / "t.nq", "--period", rng.randint(1, 4), "--in-process"
    text, whole = lars("agree", *given), lars("agree", *given, "--json")
    assert (text.code, text.out[:4]) in ((0, "push"), (1, "U = ")), text.err
    assert [one["agree"] for one in whole.json["periods"]] == [not whole.code]
    rows = [cause for one in whole.json["periods"][0]["intervals"] for cause in one["causes"]]
    assert text.out.count("lars explain") <= min(len(rows), 20)


MERGED = "SELECT ?r { STREAM <e:a> [RANGE 3s] { ?r <e:alarm> ?l } ?r <e:in> ?f }"
NOTHING = "SELECT (COUNT(*) AS ?n) { STREAM <e:a> [RANGE 1s] { ?r <e:alarm> ?l } }"
ALARM = '<e:r> <e:alarm> <e:l> <e:a> "1" .\n<e:r> <e:in> <e:f> <e:a> "1" .\n'


@pytest.mark.parametrize("query", [MERGED, NOTHING])
def test_each_command_that_is_printed_proves_its_row(query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(query)
    (tmp_path / "t.nq").write_text(ALARM)
    (tmp_path / "experiment.toml").write_text('cqels = "q.rq"\nfiles = "t.nq"')
    asked = lars("agree", "q.rq", "t.nq", "--period", 2, "--to", 6)
    assert (asked.code, commands(asked.out.partition(LACKS)[0])) == (1, [])
    has, _, lacks = lars("agree", "experiment.toml", "--period", 2, "--to", 6).out.partition(LACKS)
    assert commands(has)
    for command in commands(has):
        assert lars(*command, "--json").json["proof"], command
    for command in (*commands(lacks), *commands(asked.out)):
        assert lars(*command, "--json").json.get("proof") is None, command


LACKS = "to see why the other side does not report"


def commands(text):
    """Return the arguments of the commands of lars explain in a text."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("lars explain")]
