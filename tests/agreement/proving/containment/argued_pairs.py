"""Pairs of queries with answers known by an argument, kind by kind: the words before each block are it.

In argued_pairs.txt `sN {` is STREAM :s [RANGE Ns], `nN` the same with SLIDE 2s, `s0` NOW; `tN` the stream t.
Other windows are written out.
Signs: `<` contained, `=` equivalent, `|` neither.
"""

import re
from pathlib import Path


def in_full(line):
    """Return the texts of a pair and its sign between them."""
    whole = re.sub(r"\b([st])0(?= {)", r"STREAM :\1 [NOW]", line)
    whole = re.sub(r"\b([st])([1-9])(?= {)", r"STREAM :\1 [RANGE \2s]", whole)
    whole = re.sub(r"\bn([1-9])(?= {)", r"STREAM :s [RANGE \1s SLIDE 2s]", whole)
    return tuple(re.split(r" ([<=|]) (?=SELECT|ASK)", whole))


def argued_pairs():
    """Yield each pair of texts with its sign."""
    for pairs in KINDS_ARGUED.values():
        yield from pairs


TABLE = Path(__file__).with_suffix(".txt").read_text()
KINDS_ARGUED = {
    block.splitlines()[0].split(":")[0]: tuple(map(in_full, block.splitlines()[1:]))
    for block in TABLE.strip().removeprefix("# ").split("\n# ")
}
