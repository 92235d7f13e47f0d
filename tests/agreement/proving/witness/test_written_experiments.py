"""What `witness` writes is what `agree` reads: queries with all kinds of windows, in each language."""

from random import Random

import pytest

from agreement.api import agree, witness
from tests.sizes import few

WINDOWS = {
    "cqels": ("[NOW]", "[ALL]", "[TRIPLES 2]", "[RANGE 3s]", "[RANGE 4s SLIDE 2s]", "[RANGE 1500ms]"),
    "rspql": (
        "[FROM NOW TO NOW]",
        "[ELEMENTS 2]",
        "[RANGE PT3S STEP PT2S]",
        "[FROM NOW-PT5S TO NOW-PT2S STEP PT1S]",
    ),
    "csparql": ("[RANGE 3s STEP 2s]", "[RANGE TRIPLES 2]", "[RANGE 3s]", "[NOW]", "[ALL]"),
    "sparqlstream": ("[NOW - 3 S SLIDE 1 S]", "[NOW - 4 S TO NOW - 2 S SLIDE 2 S]", "[TRIPLES 2]", "[NOW]"),
}
PARTS = (
    "{0} {1}",
    "{0} OPTIONAL {{ {1} }}",
    "{0} MINUS {{ {1} }}",
    "{{ {0} }} UNION {{ {1} }}",
    "{0} {1} VALUES ?y {{ <x:a> 3 }}",
    "{0} {1} ?x <x:r> ?z",
    "{0} OPTIONAL {{ ?x <x:r> ?z }} FILTER (?y > 2)",
    "VALUES (?x ?y) {{ (UNDEF 3) }} {0}",
)


def block(language, triple, stream, window):
    return {
        "cqels": f"STREAM <x:{stream}> {window} {{ {triple} }}",
        "rspql": f"WINDOW <x:w{stream}> {{ {triple} }}",
    }.get(language, f"{triple} .")


def random_query(random):
    """Return a query of two streams in one of the languages."""
    language = random.choice(list(WINDOWS))
    windows = {stream: random.choice(WINDOWS[language]) for stream in "st"}
    head = random.choice(("SELECT *", "SELECT ?x", "SELECT (COUNT(?x) AS ?n)", "ASK"))
    if "VALUES" in (pattern := random.choice(PARTS)):
        head = head.replace("COUNT(?x)", "COUNT(*)")
    declared = {
        "csparql": "FROM STREAM <x:{0}> {1} ",
        "sparqlstream": "FROM NAMED STREAM <x:{0}> {1} ",
        "rspql": "FROM NAMED WINDOW <x:w{0}> ON <x:{0}> {1} ",
    }.get(language, "")
    blocks = (block(language, f"?x <x:{p}> ?y", stream, windows[stream]) for p, stream in ("ps", "qt"))
    froms = "".join(declared.format(*named) for named in windows.items())
    return f"{head} {froms}WHERE {{ {pattern.format(*blocks)} }}"


def causes(found):
    return {(one.period, one.start, one.end, one.side, one.cause, one.row) for one in found.differences}


def differing(verdicts):
    return {(v.period, i.start, i.end) for v in verdicts for i in v.intervals if not i.agree}


def expected_causes(report, period):
    differences = ((i, d) for i in report.verdicts[0].intervals for d in report.differences(i))
    return {(period, i.start, i.end, d.side, d.cause, d.row) for i, d in differences}


def check_written(random, folder):
    """Return what is found of a random query, None without a witness; what is written says the same."""
    query, period = random_query(random), random.randint(1, 5)
    merges = "STREAM <x:s>" in query.partition("WHERE")[0]
    assigned = {"x:s": ["x:p"], "x:t": ["x:q"]} if merges else None
    found = witness(query, period=period, unit="500ms", time_limit=20.0, assign=assigned)
    if not found.differ:
        return None
    found.write_experiment(folder)
    read, (one,) = agree(folder), found.witnesses
    expected = found._task.report(period, one)
    assert differing(read.verdicts) == differing(expected.first.verdicts), query
    assert (period, one.end - period, one.end) in differing(read.verdicts), query
    assert causes(read) == expected_causes(expected.first, period), query
    return found


@pytest.mark.parametrize("number", few(range(25), 10))
def test_agree_says_of_what_is_written_what_was_found(number, tmp_path):
    check_written(Random(number), tmp_path / "out")
