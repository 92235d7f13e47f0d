"""How long the search for a smallest stream takes, by patterns, lengths of windows and periods.

    python -m tests.benchmarks.witness_times

CPU time of one search, without start-up; with time scaled by the gcd of the durations, and without.
"""

from itertools import product
from time import process_time

from agreement.comparing.agree import Pair
from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest
from tests.benchmarks.witness_differential import unscaled
from translate.dialects import read_query
from translate.model.query import Setting

E = "http://example.org/"
CHAIN = ("?a :p ?b .", "?b :q ?c .", "?c :r ?d .", "?d :t ?e .")
LENGTHS = ((60, 30), (60, 45), (59, 31), (60, 60))
PERIODS = (5, 7, 20)


def search(patterns, lengths, period):
    """Return the search for a chain of patterns, the later half of them in a second stream."""
    halves = CHAIN[: (patterns + 1) // 2], CHAIN[(patterns + 1) // 2 : patterns]
    read = [
        (stream, length, half) for stream, length, half in zip("sr", lengths, halves, strict=True) if half
    ]
    windows = " ".join(f"FROM STREAM :{stream} [RANGE {length}s STEP 1s]" for stream, length, _ in read)
    blocks = " ".join(
        f"STREAM :{stream} [RANGE {length}s] {{ {' '.join(half)} }}" for stream, length, half in read
    )
    plain = " ".join(CHAIN[:patterns])
    csparql = read_query(f"REGISTER QUERY q AS PREFIX : <{E}> SELECT * {windows} WHERE {{ {plain} }}", "c.rq")
    cqels = read_query(f"PREFIX : <{E}> SELECT * WHERE {{ {blocks} }}", "q.rq")
    contest = push_and_pull(Pair(csparql, cqels), period, Setting())
    return WitnessSearch(contest, streams_of(csparql))


def main():
    print(
        "| patterns | L | U | triples | horizon | s, scaled | s, not scaled |\n|---|---|---|---|---|---|---|"
    )
    for patterns, lengths, period in product((1, 2, 3, 4), LENGTHS, PERIODS):
        seconds, sizes = [], set()
        asked = search(patterns, lengths, period)
        for searched in (smallest, unscaled):
            begun = process_time()
            found = searched(asked).witness
            seconds.append(process_time() - begun)
            sizes.add((len(found.facts), found.end))
        ((triples, end),) = sizes
        times = " | ".join(f"{one:.2f}" for one in seconds)
        print(
            f"| {patterns} | {', '.join(map(str, lengths))} | {period} | {triples} | {end} | {times} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
