"""What joins that grow cost: cycles, stars and cliques of patterns over few triples, by columns.

`python -m tests.benchmarks.join_memory [6-cycle 8-cycle ..]` prints the seconds and the peak of memory of
each shape, evaluated in a process of its own over 400 triples between 20 nodes, and how many rows there are.
"""

import resource
import subprocess
import sys
import time
from itertools import combinations, pairwise
from random import Random

from lars.language.terms import Signature
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import encode, evaluate_program

NODES, TRIPLES, TIMES = 20, 400, range(10)
LIMIT = 10 * 2**30
NAMES = "ABCDEFGH"


def edges(names, *, closed):
    return [*pairwise(names), *([(names[-1], names[0])] if closed else [])]


SHAPES = {
    "triangle": (edges(NAMES[:3], closed=True), "ABC"),
    "triangle, one of it": (edges(NAMES[:3], closed=True), "A"),
    "6-cycle": (edges(NAMES[:6], closed=True), "A"),
    "6-cycle, two of it": (edges(NAMES[:6], closed=True), "AD"),
    "8-cycle": (edges(NAMES, closed=True), "A"),
    "8-chain": (edges(NAMES, closed=False), "AH"),
    "4-star": ([("A", name) for name in NAMES[1:5]], "A"),
    "4-star, three of it": ([("A", name) for name in NAMES[1:5]], "ABC"),
    "4-clique": (list(combinations(NAMES[:4], 2)), "A"),
    "5-clique": (list(combinations(NAMES[:5], 2)), "A"),
}


def measured(name):
    """Print what a shape costs in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    body, head = SHAPES[name]
    joined = ", ".join(f"p({a}, {b})" for a, b in body)
    program = read(f"p(X, Y) ← ⊞^9 ◇ e(X, Y). q({', '.join(head)}) ← {joined}.")
    rng = Random(1)
    rows = [(rng.choice(TIMES), rng.randrange(NODES), rng.randrange(NODES)) for _ in range(TRIPLES)]
    facts = [Fact(t, "e", (f"n{s}", f"n{o}")) for t, s, o in sorted(rows)]
    here = encode(Situation(Interval(0, len(TIMES) - 1), facts, {}))
    output: Signature = ("q", len(head))
    begin = time.perf_counter()
    found = evaluate_program(program, here, TIMES, output)[output]
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:20} {seconds:8.2f} s {peak:8.0f} MB {len(found):8} rows", flush=True)


def main():
    """Measure each shape, or those that are named, in processes of their own."""
    if len(sys.argv) == 3 and sys.argv[1] == "--here":
        measured(sys.argv[2])
        return
    for name in sys.argv[1:] or SHAPES:
        command = [sys.executable, "-m", "tests.benchmarks.join_memory", "--here", name]
        ran = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
        if ran.returncode:
            print(f"{name:20} {ran.stderr.strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
