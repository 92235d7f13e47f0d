"""Random pairs of queries: the smallest witness of `lars witness` against an exhaustive search.

    python -m tests.benchmarks.witness_differential 2000 [SEED] [together]

Compared are how many triples the smallest stream has and where its period ends; and where nothing is
found, that the other finds nothing. With `together` queries count solutions, or take the first of them.
Streams begin at time 0, and one value may be that of several variables. Exit code 1: they differ.
"""

import sys
from collections import Counter
from dataclasses import replace
from random import Random
from unittest.mock import patch

from agreement.comparing.agree import Pair
from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest
from solver.search.frames import Scale
from tests.agreement.proving.witness.exhaustive import Asked, Part, Smallest, search, texts
from translate.dialects import read_query
from translate.model.query import Setting

MOST = 3
TOGETHER = ("count", "first", "last")


def random_question(random):
    """Return a question whose streams can be enumerated."""
    streams = random.choice((("s", "s"), ("s", "r")))
    slide = 2 if random.random() < 0.2 else 1
    lengths = [random.choice((None, 1, 2, 2, 3)) if slide == 1 else 2 for _ in streams]
    if streams[0] == streams[1]:
        lengths[1] = lengths[0]
    names = random.choice(
        (("x", "y", "x", "z"), ("x", "y", "y", "z"), ("x", "y", "z", "y"), ("x", "x", "x", "z"))
    )
    same = random.random() < 0.3 and streams[0] == streams[1]
    one = Part(names[0], "p", names[1], streams[0], lengths[0], slide if lengths[0] else 1)
    two = Part(names[2], "p" if same else "q", names[3], streams[1], lengths[1], slide if lengths[1] else 1)
    parts = (one, two) if random.random() < 0.7 else (one,)
    bound = {name for part in parts for name in (part.subject, part.object)}
    operator = random.choice(("join", "join", "optional", "minus"))
    seen = bound if operator != "minus" else {one.subject, one.object}
    shown = tuple(sorted(random.sample(sorted(seen), random.randint(1, len(seen)))))
    least = 1 if random.random() < 0.4 and one.object not in {part.subject for part in parts} else None
    return Asked(
        parts,
        operator,
        shown,
        least,
        random.randint(1, 3),
        random.choice(("closed", "closed", "low-open", "high-open")),
    )


def random_together(random):
    """Return a question that looks at all solutions together: counts them, or takes the first of them."""
    while True:
        asked = random_question(random)
        if all(part.length is not None for part in asked.parts) or random.random() < 0.3:
            break
    least, operator = random.choice((1, 1, 2)), random.choice(("count", "count", "first", "last"))
    shown = () if operator == "count" and random.random() < 0.1 else asked.shown
    return asked._replace(operator=operator, least=least, shown=shown)


def random_rows(random):
    """Return a question with windows of the newest triples."""
    asked = random_question(random)
    lengths = {stream: random.choice(("1", "2", "2", 2, None)) for stream in "sr"}
    parts = tuple(part._replace(length=lengths[part.stream], slide=1) for part in asked.parts)
    return asked._replace(parts=parts, operator="join", bounds="closed")


def values_of(asked, many=2):
    """Return values for each variable, each of which may be that of others; those compared are numbers."""
    values = {name: tuple("abc"[:many]) for part in asked.parts for name in (part.subject, part.object)}
    return (
        values
        if asked.least is None or asked.operator in TOGETHER
        else values | {asked.parts[0].object: (0, 1)}
    )


def found_by_clingo(asked, most=MOST, scaling=True):
    """Return what the program finds."""
    csparql, cqels = (read_query(text, "q.rq") for text in texts(asked))
    setting = replace(Setting(), bounds=asked.bounds)
    contest = push_and_pull(Pair(csparql, cqels), asked.period, setting)
    streams = tuple(dict.fromkeys((*streams_of(csparql), *streams_of(cqels))))
    search = WitnessSearch(contest, streams, {}, most)
    return smallest(search) if scaling else unscaled(search)


def unscaled(search):
    """Return the same with each time point tried as it is."""
    with patch("solver.search.choosing.scale_of", lambda *_: Scale(1, 1)):
        return smallest(search)


def problem(asked, many=2):
    """Return in what the two searches differ, None when in nothing; and what was found."""
    answer = found_by_clingo(asked)
    found = answer.witness
    lengths = [part.length if isinstance(part.length, int) else 0 for part in asked.parts]
    reach = max(length + part.slide for length, part in zip(lengths, asked.parts, strict=True))
    horizon = -(-reach // asked.period) * asked.period
    horizon += 2 * asked.period
    # All streams of three triples are too many: then it is looked for smaller ones.
    most = 2 if found is None else min(len(found.facts), 2)
    expected = search(asked, most, horizon, values_of(asked, many))
    if found is not None:
        if len(found.facts) > most and expected is None:
            return None, f"{len(found.facts)} triples"
        size = Smallest(len(found.facts), found.end)
        return (None if size == expected else f"{size} against {expected}"), f"{size.triples} triples"
    return (None if expected is None else f"nothing against {expected}"), answer.search_end


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    together = "together" in sys.argv
    random, kinds, wrong = Random(seed), Counter(), 0
    for number in range(count):
        kind = {0: random_rows}.get(number % 10, random_together if together else random_question)
        asked = kind(random)
        difference, kind = problem(asked, 3 if number % 8 == 1 else 2)
        kinds[kind] += 1
        if difference is not None:
            wrong += 1
            print(number, difference, asked, *texts(asked), sep="\n  ", flush=True)
        if number % 100 == 99:
            print(number + 1, dict(kinds), f"{wrong} differ", file=sys.stderr, flush=True)
    print(count, "questions:", dict(kinds), f"{wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
