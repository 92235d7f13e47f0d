"""What `lars shrink` leaves of ten disagreeing traces of many elements, and what that takes.

    python -m tests.benchmarks.shrink_sizes 10000

Exit code 1: something of more than six elements is left.
"""

import sys
import tempfile
from pathlib import Path
from random import Random
from time import process_time

from tests.agreement.command import lars

E = "http://example.org/"
P = f"PREFIX : <{E}> "
ONE, TWO, THREE = "?x :p ?y .", "?y :q ?z .", "?x :r ?w ."
CASES = {
    "join": (f"{ONE} {TWO}", f"STREAM :s [RANGE 9s] {{ {ONE} {TWO} }}", ("s",), 5),
    "expiry": (ONE, f"STREAM :s [RANGE 2s] {{ {ONE} }}", ("s",), 5),
    "three": (f"{ONE} {TWO} {THREE}", f"STREAM :s [RANGE 9s] {{ {ONE} {TWO} {THREE} }}", ("s",), 4),
    "minus": (
        f"{ONE} MINUS {{ {THREE} }}",
        f"STREAM :s [RANGE 9s] {{ {ONE} }} MINUS {{ STREAM :s [RANGE 9s] {{ {THREE} }} }}",
        ("s",),
        3,
    ),
    "optional": (
        f"{ONE} OPTIONAL {{ {TWO} }}",
        f"STREAM :s [RANGE 9s] {{ {ONE} }} OPTIONAL {{ STREAM :s [RANGE 9s] {{ {TWO} }} }}",
        ("s",),
        3,
    ),
    "filter": (
        f"{ONE} FILTER (?y != :n3)",
        f"STREAM :s [RANGE 3s] {{ {ONE} }} FILTER (?y != :n3)",
        ("s",),
        7,
    ),
    "union": (
        f"{{ {ONE} }} UNION {{ ?x :q ?y . }}",
        f"{{ STREAM :s [RANGE 2s] {{ {ONE} }} }} UNION {{ STREAM :s [RANGE 2s] {{ ?x :q ?y . }} }}",
        ("s",),
        6,
    ),
    "streams": (
        f"{ONE} {TWO}",
        f"STREAM :s [RANGE 4s] {{ {ONE} }} STREAM :t [RANGE 4s] {{ {TWO} }}",
        ("s", "t"),
        6,
    ),
    "count": (ONE, f"STREAM :s [RANGE 4s] {{ {ONE} }}", ("s",), 3),
    "self": ("?x :p ?y . ?y :p ?z .", "STREAM :s [RANGE 5s] { ?x :p ?y . ?y :p ?z . }", ("s",), 6),
}


def queries(name):
    """Return the texts of both queries of a case, and its period."""
    pattern, blocks, streams, period = CASES[name]
    length = blocks.partition("RANGE ")[2].partition("]")[0]
    windows = " ".join(f"FROM STREAM :{stream} [RANGE {length} STEP 1s]" for stream in streams)
    shown = "?x" if name != "count" else "?x (COUNT(?y) AS ?n)"
    group = "" if name != "count" else " GROUP BY ?x"
    csparql = f"REGISTER QUERY q AS {P} SELECT {shown} {windows} WHERE {{ {pattern} }}{group}"
    return csparql, f"{P} SELECT {shown} WHERE {{ {blocks} }}{group}", period


def trace(name, count, random):
    """Yield lines of a random stream, three elements at each time point, of few values."""
    streams = CASES[name][2]
    for number in range(count):
        predicate = random.choice("pqr")
        stream = "t" if predicate == "q" and "t" in streams else "s"
        s, o = (f"n{random.randrange(60)}" for _ in range(2))
        yield f'<{E}{s}> <{E}{predicate}> <{E}{o}> <{E}{stream}> "{1 + number // 3}" .\n'


def measured(name, count):
    """Return the line of a case: sizes before and after, evaluations, seconds, the cause."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        csparql, cqels, period = queries(name)
        (here / "c.rq").write_text(csparql)
        (here / "q.rq").write_text(cqels)
        (here / "t.nq").write_text("".join(trace(name, count, Random(name))))
        begun = process_time()
        found = lars(
            "shrink",
            here / "c.rq",
            here / "q.rq",
            here / "t.nq",
            "--period",
            period,
            "--unit",
            "1s",
            "--json",
        )
        return found, process_time() - begun


def main():
    count, largest = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, 0
    print(
        "| case | cause | elements | parts of the queries | evaluations | CPU, s |",
        "|---|---|---|---|---|---|",
        sep="\n",
    )
    for name in CASES:
        found, seconds = measured(name, count)
        assert found.code == 1, (name, found)
        one, before, after = found.json, found.json["before"], found.json["after"]
        largest = max(largest, after["triples"])
        sizes = f"{before['triples']} → {after['triples']} | {before['parts']} → {after['parts']}"
        print(f"| {name} | {one['cause']} | {sizes} | {one['evaluations']} | {seconds:.1f} |", flush=True)
    sys.exit(largest > 6)


if __name__ == "__main__":
    main()
