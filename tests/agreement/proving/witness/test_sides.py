"""One query read in two ways: the smallest stream against trying all streams of a small domain."""

from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest

from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, read_sides, smallest
from agreement.proving.witness.candidate_atoms import candidate_atoms
from agreement.proving.witness.other_sides import two_readings
from lars.language.terms import Iri
from solver.search import Candidates, chosen_streams, tried_streams
from tests.agreement.proving.witness.exhaustive import reported, rows, texts
from tests.benchmarks.witness_differential import random_question, values_of
from translate.dialects import read_query
from translate.model.query import Setting

OPERATORS = ["rstream,istream", "rstream,dstream", "istream,dstream"]


def contest_of(asked, sides):
    query = read_query(texts(asked)[1], "q.rq")
    setting = replace(Setting(), bounds=asked.bounds)
    return two_readings(query, read_sides(sides), setting), streams_of(query)


def small(random):
    """Return a question whose windows are short."""
    while True:
        asked = random_question(random)
        if sum((part.length or 0) + part.slide for part in asked.parts) <= 4:
            return asked


def triples_of(asked):
    values = values_of(asked)
    return [
        (s, part.predicate, o, part.stream)
        for part in asked.parts
        for s, o in product(*(values[name] for name in (part.subject, part.object)))
    ]


def tried(asked, sides, most):
    """Return the size and the time of the first difference that trying all streams finds."""
    one, other = sides.split(",")
    triples = (*dict.fromkeys(triples_of(asked)), ("x", "other", "y", asked.parts[0].stream))
    for count in range(1, most + 1):
        for end in range(9):
            for stream in combinations(product(range(end + 1), triples), count):
                if reported(asked, stream, end, one) != reported(asked, stream, end, other):
                    return count, end
    return None


@pytest.mark.parametrize("sides", OPERATORS)
@pytest.mark.parametrize("number", range(4))
def test_operators_part_on_no_smaller_stream(number, sides):
    asked = small(Random(number))
    contest, streams = contest_of(asked, sides)
    found = smallest(WitnessSearch(contest, streams, {}, 2)).witness
    expected = tried(asked, sides, 2)
    assert (found is not None and (len(found.facts), found.end)) == (expected or False)


@pytest.mark.parametrize("sides", OPERATORS)
def test_what_is_tried_one_by_one_is_as_small(sides):
    contest, streams = contest_of(small(Random(11)), sides)
    found = candidate_atoms(contest.programs, streams, {})
    given = contest, Candidates(found.arrivals), range(3)
    one, other = (next(search(*given), None) for search in (chosen_streams, tried_streams))
    assert (one and one.cost) == (other and other.cost)


@pytest.mark.parametrize("number", range(6))
def test_brave_and_cautious_part_on_no_smaller_stream(number):
    asked = small(Random(number))
    contest, streams = contest_of(asked, "brave,cautious")
    found = smallest(WitnessSearch(contest, streams)).witness
    size = len(found.facts), sum(map(len, found.static.values())), found.end
    assert size == apart(asked)


def apart(asked):
    """Return how many triples, and static ones, the first difference of brave and cautious has; its time."""
    triples = dict.fromkeys(triples_of(asked))
    other = ("x", "other", "y", asked.parts[0].stream)
    for count, stored, end in product(range(1, 3), range(3), range(4)):
        for stream in combinations(product(range(end + 1), (*triples, other)), count):
            for chosen in combinations({one[:3] for one in triples}, stored):
                brave, cautious = (rows(asked, stream, end, merged=False, static=own) for own in ((), chosen))
                if stream[-1][0] == end and brave != cautious:
                    return count, stored, end
    return None


def test_a_row_of_two_evaluations_needs_its_triples_twice():
    join = "SELECT ?x { STREAM <e:s> [NOW] { ?x <e:p> ?y . ?x <e:q> ?z } }"
    contest = two_readings(read_query(join, "q.rq"), read_sides("rstream,istream"), Setting())
    found = smallest(WitnessSearch(contest, (Iri("e:s"),), {}))
    assert (found.verdict, len(found.witness.facts)) == ("not always", 4)
