"""The paper's condition for agreement is not enough: samples in which it holds, and yet the sides differ.

The condition is checked by hand: a set of triples at each evaluation time, from the lines of the trace.
"""

import re

import pytest

from tests.agreement.command import agree, lars
from tests.packs import ROOT

FOLDER = ROOT / "samples/same-input"
CAUSES = {
    "minus": "blocked later",
    "optional": "blocked later",
    "slide": "hidden by the pivot",
    "high-open": "hidden by the pivot",
    "merged": "merged sources",
}
LENGTH = 5


def arrivals(folder):
    lines = (folder / "trace.nq").read_text().splitlines()
    return [
        (int(t), triple) for triple, t in (re.fullmatch(r'(.*) "(\d+)" \.', line).groups() for line in lines)
    ]


@pytest.mark.parametrize("sample", CAUSES)
def test_they_differ_for_a_cause_on_a_stream_that_is_found_again(sample):
    found = lars("witness", FOLDER / sample, "--same-input", "--json").json["periods"][0]["witnesses"][0]
    assert found["causes"] == [CAUSES[sample]]
    assert [one["t"] for one in found["trace"]] == [t for t, _ in arrivals(FOLDER / sample)]
    assert len(found["trace"]) + len(found["static"]) <= 4


@pytest.mark.parametrize("sample", CAUSES)
def test_push_is_shown_in_total_what_pull_is_shown_at_the_end(sample):
    report = agree(FOLDER / sample)
    assert report.code == 1
    (one,) = (part for part in report.json["periods"][0]["intervals"] if not part["agree"])
    arrived = arrivals(FOLDER / sample)

    def shown(at):
        return {triple for t, triple in arrived if at - LENGTH <= t <= at}

    pushed = [shown(t) for t, _ in arrived if one["from"] < t <= one["to"]]
    assert set().union(*pushed) == shown(one["to"])


def test_where_push_and_pull_ask_one_monotone_query_none_is_found(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text("SELECT ?x { STREAM <urn:s> [RANGE 5s] { ?x <urn:p> ?y . ?y <urn:q> ?z } }")
    found = lars("witness", query, "--same-input", "--period", 3, "--triples", 3)
    assert (found.code, "no stream" in found.out) == (3, True)


def test_a_tuple_window_reads_what_it_keeps(tmp_path):
    query = tmp_path / "q.rq"
    block = "STREAM <urn:s> [ROWS 2]"
    query.write_text(f"SELECT ?x {{ {block} {{ ?x <urn:p> ?y }} MINUS {{ {block} {{ ?x <urn:q> ?z }} }} }}")
    found = lars("witness", query, "--same-input", "--period", 3, "--json").json["periods"][0]["witnesses"][0]
    # A triple before the period, after which nothing arrives, would differ too: only pull reads it.
    assert (found["causes"], [one["t"] for one in found["trace"]]) == (["blocked later"], [1, 2])


def test_a_window_on_each_stream_reads_the_streams_that_it_ranges_over(tmp_path):
    pushed, pulled = tmp_path / "q.rq", tmp_path / "r.rq"
    pushed.write_text("SELECT ?x { STREAM ?g [RANGE 3s] { ?x <urn:p> ?y } }")
    named = "FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE PT3S STEP PT3S]"
    pulled.write_text(f"SELECT ?x {named} {{ WINDOW <urn:w> {{ ?x <urn:p> ?y }} }}")
    found = lars("witness", pulled, pushed, "--same-input", "--period", 3, "--triples", 2)
    assert (found.code, "no stream" in found.out) == (3, True)
