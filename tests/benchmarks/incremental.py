"""An incremental evaluator of one rule, written by hand: a measure for `lars solve`.

`python -m tests.benchmarks.incremental TRACE.parquet OUT.parquet` reads atoms in columns, and writes the rows
of ans(X,Y) ← ⊞^30 ◇ p(X,Y), ⊞^5 ◇ q(Y) with the first and the last time of each run. Each fact enters its
window once and leaves it once.
"""

import sys
from collections import defaultdict, deque

import pyarrow as pa
import pyarrow.parquet as pq

LONG, SHORT = 30, 5


def evaluate(facts):
    """Return the runs (x, y, first, last) of facts (t, predicate, x, y), ascending in time."""
    subjects, pairs, keys = defaultdict(set), {}, {}  # y: all x; (x, y), y: the newest time
    leaving, keys_leaving, begun, runs = deque(), deque(), {}, []
    last = facts[-1][0]
    place = 0
    for t in range(last + 1):
        while place < len(facts) and facts[place][0] == t:
            _, predicate, x, y = facts[place]
            place += 1
            if predicate == "q":
                if x not in keys:
                    begun.update(((one, x), t) for one in subjects[x])
                keys[x] = t
                keys_leaving.append((t, x))
            else:
                if (x, y) not in pairs:
                    subjects[y].add(x)
                    if y in keys:
                        begun[x, y] = t
                pairs[x, y] = t
                leaving.append((t, x, y))
        while keys_leaving and keys_leaving[0][0] < t - SHORT:
            at, y = keys_leaving.popleft()
            if keys.get(y) == at:
                del keys[y]
                runs += [(x, y, begun.pop((x, y)), t - 1) for x in subjects[y]]
        while leaving and leaving[0][0] < t - LONG:
            at, x, y = leaving.popleft()
            if pairs.get((x, y)) == at:
                del pairs[x, y]
                subjects[y].remove(x)
                if y in keys:
                    runs.append((x, y, begun.pop((x, y)), t - 1))
    runs += [(x, y, first, last) for (x, y), first in begun.items()]
    return [run for run in runs if run[2] <= run[3]]


def main():
    """Read the trace, evaluate the rule, and write its runs."""
    table = pq.read_table(sys.argv[1])
    columns = (table[name].to_pylist() for name in ("t", "predicate", "arg1", "arg2"))
    runs = evaluate(list(zip(*columns, strict=True)))
    names = ("x", "y", "first", "last")
    pq.write_table(pa.table(dict(zip(names, map(list, zip(*runs, strict=True)), strict=True))), sys.argv[2])


if __name__ == "__main__":
    main()
