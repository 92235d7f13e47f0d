"""Streams that are tried one by one, and windows of triples: against clingo, and an exhaustive search."""

from dataclasses import replace
from random import Random
from time import process_time

import pytest

from agreement.comparing.agree import Pair
from agreement.documents.traces import streams_of
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest
from agreement.proving.witness.candidate_atoms import candidate_atoms
from lars.errors import TimeLimitError
from lars.language.terms import DEFAULT, Atom, Iri
from solver.deadlines import Deadline, until
from solver.search import Candidates, StoppedSearchError, chosen_streams, tried_streams
from tests.agreement.command import lars
from tests.agreement.proving.witness.exhaustive import texts
from tests.benchmarks.witness_differential import problem, random_question, random_rows, random_together
from translate.dialects import read_query
from translate.model.query import Setting

E = "http://example.org/"


def contest_of(asked):
    csparql, cqels = (read_query(text, "q.rq") for text in texts(asked))
    setting = replace(Setting(), bounds=asked.bounds)
    streams = tuple(dict.fromkeys((*streams_of(csparql), *streams_of(cqels))))
    return push_and_pull(Pair(csparql, cqels), asked.period, setting), streams


@pytest.mark.parametrize("number", range(20, 26))
def test_the_first_that_differs_is_as_small_as_the_one_that_clingo_chooses(number):
    contest, streams = contest_of(random_question(Random(number)))
    found = candidate_atoms(contest.programs, streams, {})
    given = contest, Candidates(found.arrivals), range(3)
    one, other = (next(search(*given), None) for search in (chosen_streams, tried_streams))
    assert (one and one.cost) == (other and other.cost)


def test_millions_of_pairs_of_static_triples_are_not_listed_before_the_time_is_up():
    """The list of all pairs took seconds and gigabytes, and only then the time limit was read."""
    contest, streams = contest_of(random_question(Random(20)))
    arrivals = candidate_atoms(contest.programs, streams, {}).arrivals
    static = tuple(Atom("triple", (*[Iri(f"x:{n}")] * 3, DEFAULT)) for n in range(3_000))
    start = process_time()
    with pytest.raises(StoppedSearchError, match="time is up"):
        next(tried_streams(contest, Candidates(arrivals, static), range(1, 2), Deadline.after(0)))
    assert process_time() < start + 0.3


@pytest.mark.parametrize("number", range(5))
def test_no_smaller_stream_differs_in_what_it_counts(number):
    difference, _ = problem(random_together(Random(number)))
    assert difference is None


@pytest.mark.parametrize("number", range(5))
def test_no_smaller_stream_differs_where_windows_hold_the_newest_triples(number):
    difference, _ = problem(random_rows(Random(number)))
    assert difference is None


def found_for(text, period=2, **options):
    query = read_query(f"PREFIX : <{E}> {text}", "q.rq")
    pull = text.replace("{ STREAM :s [RANGE 2s] ", "FROM STREAM :s [RANGE 2s STEP 1s] ")
    merged = read_query(f"PREFIX : <{E}> REGISTER QUERY q AS {pull.replace('} }', '}')}", "q.rq")
    contest = push_and_pull(Pair(merged, query), period, Setting())
    return smallest(WitnessSearch(contest, streams_of(query), {}, **options))


@pytest.mark.parametrize(
    ("tail", "triples"),
    [
        ("(SUM(?y) AS ?n) { STREAM :s [RANGE 2s] { ?x :p ?y } } GROUP BY ?x HAVING (SUM(?y) > 4)", 1),
        ("(AVG(?y) AS ?n) { STREAM :s [RANGE 2s] { ?x :p ?y } } GROUP BY ?x HAVING (COUNT(?y) > 1)", 2),
        ("?y { STREAM :s [RANGE 2s] { ?x :p ?y } } ORDER BY ?y LIMIT 1", 1),
        # One triple of one node: its variables have one value.
        ("(COUNT(*) AS ?n) { STREAM :s [RANGE 2s] { ?x :p ?y . ?y :p ?z } } GROUP BY ?x", 1),
        ("?y { STREAM :s [RANGE 2s] { ?x :p ?y . ?y :p ?z } } ORDER BY ?y LIMIT 1", 1),
        ("?y { STREAM :s [RANGE 2s] { ?x :p ?y } } ORDER BY ?y OFFSET 1", 2),
    ],
)
def test_aggregates_and_limits_have_smallest_streams(tail, triples):
    found = found_for(f"SELECT ?x {tail}")
    assert found.witness is not None
    assert len(found.witness.facts) == triples


def test_what_a_path_joins_with_static_data_is_counted():
    found = lars("witness", "samples/crowd", "--period", 3, "--json").json["periods"][0]["witnesses"]
    assert [(len(one["trace"]), one["to"], one["causes"]) for one in found] == [(2, 3, ["merged sources"])]


def test_where_more_would_be_too_many_it_says_how_far_it_came():
    text = "SELECT ?x { STREAM :s [RANGE 2s] { ?x :p ?y . ?y :q ?z } } GROUP BY ?x HAVING (COUNT(?y) > 9)"
    found = found_for(text, period=101)
    assert found.search_end == "none up to"
    assert found.triples == 1
    assert "too many" in found.why


def test_the_time_limit_holds_while_streams_are_tried(tmp_path):
    (tmp_path / "q.rq").write_text(
        f"PREFIX : <{E}> SELECT (COUNT(?y) AS ?n) {{ STREAM :s [RANGE 2s] {{ ?x :p ?y }} }} HAVING (?n > 9)"
    )
    found = lars("witness", tmp_path / "q.rq", "--period", 2, "--time-limit", 0)
    assert (found.code, "the time is up" in found.out) == (3, True)


WINDOWED = (
    "PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w ON :S [RANGE 3s STEP 3s] "
    "WHERE {{ WINDOW :w {{ ?s :p ?o {} }} }}"
)


def test_many_optionals_double_neither_the_values_nor_the_time(tmp_path):
    optionals = " ".join(f"OPTIONAL {{ ?s :p{n} ?o{n} }}" for n in range(24))
    (tmp_path / "q.rq").write_text(WINDOWED.format(optionals))
    found = lars("witness", tmp_path / "q.rq", "--period", 3, "--time-limit", 60)
    assert (found.code, "push and pull differ" in found.out) == (1, True), found.err


def test_the_time_limit_holds_while_values_are_made():
    contest, streams = contest_of(random_question(Random(20)))
    with until(Deadline.after(-1)), pytest.raises(TimeLimitError):
        candidate_atoms(contest.programs, streams, {})


def test_the_cause_of_too_many_time_points_is_named(tmp_path):
    (tmp_path / "q.rq").write_text(WINDOWED.format(""))
    found = lars("witness", tmp_path / "q.rq", "--period", 1000003, "--unit", "1s")
    assert "because the period is long; use another --period or a coarser --unit" in found.err, found.err
