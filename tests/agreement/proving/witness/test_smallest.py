"""The smallest stream on which two sides differ: worked out by hand, and against an exhaustive search."""

from dataclasses import replace
from random import Random
from unittest.mock import patch

import pytest

from agreement.comparing.agree import Pair
from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest, two_queries
from solver.search.choosing import FrameSearch
from tests.benchmarks.witness_differential import found_by_clingo, problem, random_question
from translate.dialects import read_query
from translate.model.query import Setting

E = "http://example.org/"


def read(text):
    return read_query(f"PREFIX : <{E}> {text}", "q.rq")


def sides(windows, pattern, blocks, period, bounds="closed"):
    """Return the search for push of a CQELS query against pull of a C-SPARQL query, without static data."""
    csparql = read(f"REGISTER QUERY q AS SELECT * {windows} WHERE {{ {pattern} }}")
    cqels = read(f"SELECT * WHERE {{ {blocks} }}")
    contest = push_and_pull(Pair(csparql, cqels), period, replace(Setting(), bounds=bounds))
    return WitnessSearch(contest, streams_of(csparql), {})


def one_window(length, period):
    """Return the search for ?x :p ?y in one window."""
    pattern = "?x :p ?y ."
    return sides(
        f"FROM STREAM :s [{length}]",
        pattern,
        f"STREAM :s [{length.partition(' STEP')[0]}] {{ {pattern} }}",
        period,
    )


def same(left, right, *, contained=False):
    one, other = read(left), read(right)
    streams = tuple(dict.fromkeys((*streams_of(one), *streams_of(other))))
    return smallest(WitnessSearch(two_queries(one, other, Setting(), contained=contained), streams, {}))


def test_what_one_window_shows_expires_or_stays_unreported():
    found = smallest(one_window("RANGE 3s STEP 1s", 5)).witness
    assert (len(found.facts), found.facts[0].t, found.end) == (1, 1, 5)
    # At time 0, which lies in no period, push is not heard, and pull at 5 sees it.
    found = smallest(one_window("RANGE 5s STEP 1s", 5)).witness
    assert (len(found.facts), found.facts[0].t, found.end) == (1, 0, 5)


def test_push_and_pull_of_now_agree_at_every_time_point_and_at_no_longer_period():
    assert smallest(one_window("NOW", 1)).holds
    # An arrival at a multiple of 5, all that a scaling by 5 alone would try, does not part them.
    found = smallest(one_window("NOW", 5)).witness
    assert [fact.t for fact in found.facts] == [1]


@pytest.mark.parametrize("number", range(12))
def test_no_smaller_stream_is_found_by_trying_all(number):
    random = Random(number)
    assert problem(random_question(random))[0] is None


@pytest.mark.parametrize("number", range(3))
def test_scaled_time_loses_nothing(number):
    asked = random_question(Random(100 + number))
    long = asked._replace(
        period=asked.period * 4,
        parts=tuple(
            part._replace(
                length=part.length and part.length * 4, slide=part.slide * 4 if part.slide > 1 else 1
            )
            for part in asked.parts
        ),
    )
    one, other = (found_by_clingo(long, scaling=scaling) for scaling in (True, False))
    assert one.search_end == other.search_end
    if one.witness is not None:
        ends = [([fact.t for fact in each.witness.facts], each.witness.end) for each in (one, other)]
        assert ends[0] == ends[1]


def test_a_bound_on_triples_that_is_too_low_is_said():
    found = smallest(replace(one_window("RANGE 3s STEP 1s", 5), arrivals=0))
    assert found.search_end == "none up to"
    assert "may need 1 triples" in found.why or "may need 2 triples" in found.why


def test_queries_that_differ_in_names_and_order_are_equivalent():
    left = "SELECT ?x { STREAM :s [RANGE 3s] { ?x :p ?y . ?y :q ?z } }"
    right = "SELECT ?x { STREAM :s [RANGE 3s] { ?b :q ?c . ?x :p ?b . ?x :p ?d } }"
    assert same(left, right).holds


def test_a_longer_window_holds_a_shorter_one_and_more():
    short, long = (f"SELECT ?x {{ STREAM :s [RANGE {n}s] {{ ?x :p ?y }} }}" for n in (2, 3))
    assert same(short, long, contained=True).holds
    found = same(long, short, contained=True).witness
    assert found.end - found.facts[0].t == 3


def test_a_condition_that_cuts_less_holds_more():
    loose, strict = (f"SELECT ?y {{ STREAM :s [NOW] {{ ?x :p ?y }} FILTER (?y > {n}) }}" for n in (3, 4))
    assert same(strict, loose, contained=True).holds
    ((row,),) = same(loose, strict, contained=True).witness.left_only
    assert row.startswith(('"4"', '"3.'))


def test_values_of_a_table_are_tried():
    left = "SELECT ?x { STREAM :s [NOW] { ?x :p ?y } VALUES ?y { :a } }"
    right = "SELECT ?x { STREAM :s [NOW] { ?x :p ?y } VALUES ?y { :b } }"
    assert same(left, right).witness is not None


def test_a_fresh_value_is_none_that_a_condition_names():
    left = "SELECT ?x { STREAM :s [NOW] { ?x :p ?y } FILTER (?x != :x && ?y != :y) }"
    assert same(left, "SELECT ?x { STREAM :s [NOW] { ?x :q ?y } }").witness is not None
    assert same(left, left.replace("!= :x", "= :x"), contained=True).witness is not None


def test_what_is_read_from_the_stream_and_from_static_data_may_be_in_both():
    brave = "SELECT ?x { STREAM :s [NOW] { ?x :p ?y } }"
    cautious = "SELECT ?x { { STREAM :s [NOW] { ?x :p ?y } } UNION { ?x :p ?y } }"
    one, other = read(brave), read(cautious)
    search = WitnessSearch(two_queries(other, one, Setting(), contained=True), streams_of(one))
    found = smallest(search).witness
    assert (found.facts, len(found.static["triple", 4])) == ((), 1)


def longer(asked, random):
    """Return a question whose windows and periods are long, so that parts of a frame are long too."""
    far = {None: None, 1: 11, 2: 20, 3: 29}
    parts = tuple(part._replace(length=far[part.length], slide=1) for part in asked.parts)
    return asked._replace(parts=parts, period=random.choice((7, 10, 12)))


def every_time(self, _):
    """Return all times of a frame."""
    return iter(self._frame.times)


def differing(seeds):
    """Return the questions with another smallest stream if all times of a frame are tried."""
    for seed in seeds:
        random = Random(seed)
        asked = longer(random_question(random), random)
        found = costs(found_by_clingo(asked, 2))
        with patch.object(FrameSearch, "_representative", every_time):
            every = costs(found_by_clingo(asked, 2))
        if found != every:
            yield asked


def test_the_first_times_of_each_part_have_a_smallest_stream_of_all_times():
    assert not [*differing(range(12))]


def test_too_few_times_are_found(monkeypatch):
    def of_moves(self, _):
        times = self._frame.times
        return iter(range(times.first, times.last + 1, self._frame.step))

    monkeypatch.setattr(FrameSearch, "_representative", of_moves)
    assert next(differing(range(12)), None) is not None


def costs(decision):
    """Return the triples of a witness, its end and the times of its triples."""
    witness = decision.witness
    return witness and (len(witness.facts), witness.end, [fact.t for fact in witness.facts])
