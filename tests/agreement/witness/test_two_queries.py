"""Two queries at every time point: what is found, or not, against all streams of a small domain."""

from itertools import combinations, product
from random import Random

import pytest

from agreement.traces import streams_of
from agreement.witness import NoWitness, Witness, WitnessSearch, smallest, two_queries
from tests.agreement.witness.exhaustive import rows, texts
from tests.benchmarks.witness_differential import random_question
from translate.dialects import read_query
from translate.query import Setting

LAST = 4
TRIPLES = [(s, p, o, stream) for s, p, o, stream in product("ab", "pq", "ab", "sr")]


def monotone(random):
    """Return a question that is a join of windows without slides, with closed ends and no condition."""
    while True:
        asked = random_question(random)
        if asked.operator == "join" and all(part.slide == 1 for part in asked.parts):
            return asked._replace(least=None, bounds="closed", shown=(asked.parts[0].subject,))


def exhausted(left, right):
    """Return the least number of triples with which the left question has a row more, up to two."""
    read = {(part.predicate, part.stream) for asked in (left, right) for part in asked.parts}
    arrivals = [(t, one) for t in range(LAST + 1) for one in TRIPLES if (one[1], one[3]) in read]
    for count in range(3):
        for stream in combinations(arrivals, count):
            if rows(left, stream, LAST, merged=False) - rows(right, stream, LAST, merged=False):
                return count
    return None


@pytest.mark.parametrize("number", range(4))
def test_a_query_is_held_by_another_exactly_if_no_small_stream_says_otherwise(number):
    random = Random(number)
    left = monotone(random)
    # Another window, a part less, or any other question.
    shorter = left._replace(
        parts=tuple(part._replace(length=random.choice((None, 1, 3))) for part in left.parts)
    )
    right = random.choice((shorter, left._replace(parts=left.parts[:1]), left, monotone(random)))
    right = right._replace(shown=(right.parts[0].subject,))
    one, other = (read_query(texts(asked)[1], "q.rq") for asked in (left, right))
    streams = tuple(dict.fromkeys((*streams_of(one), *streams_of(other))))
    found = smallest(WitnessSearch(two_queries(one, other, Setting(), contained=True), streams, {}))
    expected = exhausted(left, right)
    assert isinstance(found, NoWitness if expected is None else Witness)
    assert expected is None or len(found.facts) == expected
