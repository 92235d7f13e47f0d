"""Which streams the suite has, and which engines with one fault it kills.

`python -m tests.benchmarks.suite choose [QUERY..]` prints the streams that tell engines apart, a line
each, as the suite's list has them; `kill` runs the mutants of hunting on the whole suite and on core.
"""

import sys
from dataclasses import replace
from itertools import islice

from agreement.proving.hunting import hunted_query, streams
from agreement.proving.suite.catalogue import catalogue
from agreement.proving.suite.suite_tests import _WRITTEN, in_words
from tests.agreement.proving.suite.faults import USUAL, differences, faulty_engines
from translate.model.query import Language

CANDIDATES, LONGEST = 36, 9


def candidates(query):
    """Return the streams of a query among which is chosen, the smallest first."""
    text = _WRITTEN[Language.RSPQL].text(query.family)
    made = replace(hunted_query(query.name, text, query.family.static), letters=query.letters)
    chosen = islice((one for one in islice(streams(made, 0), 1000) if fits(one)), CANDIDATES)
    plain = [tuple(type(one)(int(one.t), one.stream, one.triple) for one in stream) for stream in chosen]
    return sorted(dict.fromkeys(plain), key=lambda one: (len(one), sum(push.t for push in one)))


def fits(stream):
    times = [one.t for one in stream]
    return len(stream) <= LONGEST and times == sorted(times)


def columns(query, stream, engines):
    """Return what a stream tells apart: an engine from the usual one, or two admissible vectors."""
    text = _WRITTEN[Language.RSPQL].text(query.family)
    static = query.family.static
    answers = {one.says: one.answers(text, static, stream) for one in engines}
    every = [(one.t, one.stream, one.triple) for one in stream]
    repeated = len(set(every)) < len(every)
    judged = [one for one in engines if one.vector.by_clock or not repeated]
    found = {
        (one.base.says, one.says)
        for one in judged
        if one.base is not None and answers[one.says] not in (None, answers[one.base.says])
    }
    # Where a query is about SPARQL the usual vector stands for all.
    near = [one for one in judged if one.base is None]
    few = near[:1] if query.level in ("sparql", "static") else near
    for one in few:
        for other in near:
            if answers[one.says] != answers[other.says] and len(differences(one.vector, other.vector)) == 1:
                found.add((one.says, other.says))
    return found


def chosen(query):
    """Return streams none of which can be left out, with what each alone tells apart."""
    engines = list(faulty_engines())
    matrix = [(stream, columns(query, stream, engines)) for stream in candidates(query)]
    left = set().union(*(found for _, found in matrix))
    kept = []
    for stream, found in matrix:
        if found & left:
            kept.append((stream, found))
            left -= found
    for one in list(kept[::-1]):
        others = set().union(*(found for other, found in kept if other is not one[0]))
        if one[1] <= others:
            kept.remove(one)
    for stream, found in kept:
        others = set().union(*(more for other, more in kept if other is not stream))
        yield stream, sorted(found - others), len(found)


def described(pairs):
    """Return one of the pairs that a stream alone tells apart, in words: a fault before two vectors."""
    first, other = min(pairs, key=lambda one: (", bounds" in one[1], ", bounds" in one[0], one))
    if other == "none":
        first, other = other, first
    if ", bounds" not in other:
        return f"the fault: {other}"
    return apart(str(USUAL) if first == "none" else first, other)


def apart(first, other):
    """Return how two vectors differ, in words."""
    one, two = (dict(part.split(" ", 1) for part in text.split(", ")) for text in (first, other))
    differ = [name for name in one if name in two and one[name] != two[name]]
    same = "; ".join(f"{name} {value}" for name, value in one.items() if two.get(name) == value)
    words = ", ".join(f"{name} {one[name]} or {two[name]}" for name in differ)
    return f"{words} (with {same})"


def choose(names):
    for query in catalogue():
        if not names or query.name in names:
            for stream, pairs, total in chosen(query):
                print(f"{query.name} | {in_words(stream)} | {described(pairs)}", flush=True)
                print(f"{query.name} {len(stream)} {total} {len(pairs)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    choose(sys.argv[2:])
