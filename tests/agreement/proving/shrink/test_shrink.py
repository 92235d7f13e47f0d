"""`lars shrink`: what is left is minimal and disagrees for the same cause, as `lars agree` finds anew."""

from random import Random

import pytest

from agreement import api
from agreement.comparing.agree import Pair
from agreement.comparing.smaller import fewest_enough
from agreement.proving.shrinking import smaller_pairs
from solver.minimal import minimal
from tests.agreement.command import agree, lars
from tests.packs import ROOT
from translate.analysis import parts
from translate.dialects import read_query
from translate.model.patterns import Bgp, Union

E = "http://example.org/"
SAMPLES = ROOT / "samples"


def shrink(*arguments):
    return lars("shrink", *arguments, "--json")


def causes(report):
    intervals = (one for part in report.json["periods"] for one in part["intervals"])
    return {cause["cause"] for one in intervals for cause in one["causes"]}


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        (("minus",), (2, 0, 2)),
        (("coupons", "--period", "8"), (2, 0, 8)),
        (("merged",), (1, 1, 5)),
        (("slide",), (1, 0, 3)),
        (("rooms", "--period", "4"), (1, 0, 12)),
    ],
)
def test_what_is_left_of_a_sample_disagrees_for_its_cause(arguments, size, tmp_path):
    found = shrink(SAMPLES / arguments[0], *arguments[1:], "--out", tmp_path / "left")
    assert found.code == 1
    after = found.json["after"]
    assert (after["triples"], after["static"], after["end"]) == size
    again = agree(tmp_path / "left")
    assert again.code == 1
    assert found.json["cause"] in causes(again)


@pytest.mark.parametrize("windows", [("1s", "4s"), ("1s", "4s SLIDE 2s")])
def test_what_is_left_has_the_same_cause_also_if_a_stream_has_several_windows(windows, tmp_path):
    """C-SPARQL needs a STEP: the pull period as STEP makes the windows of the queries differ."""
    first, second = windows
    query = (
        f"SELECT ?a {{ STREAM <e:s> [RANGE {first}] {{ ?a <e:q> ?b }} "
        f"OPTIONAL {{ STREAM <e:s> [RANGE {second}] {{ ?b <e:p> ?c }} }} }}"
    )
    trace = [(0, ("e:a", "e:q", "e:b")), (3, ("e:a", "e:r", "e:b"))]
    left = api.shrink(query, trace, period=3, unit="1s")
    assert left.cause == "merged sources"
    left.write_experiment(tmp_path / "left")
    assert {row.cause for row in api.agree(tmp_path / "left").differences} == {"merged sources"}


@pytest.mark.parametrize("number", range(1))
def test_nothing_of_what_is_left_can_go(number, tmp_path):
    random = Random(number)
    lines = sorted(
        (random.randint(1, 40), random.choice(("placedBy", "cancelledBy")), random.randint(1, 5))
        for _ in range(60)
    )
    trace = tmp_path / "t.nq"
    trace.write_text("".join(line(*one) for one in lines))
    queries = [SAMPLES / "minus" / name for name in ("query.csparql.rq", "query.cqels.rq")]
    found = shrink(*queries, trace, "--period", 3, "--unit", "1s", "--out", tmp_path / "left")
    assert found.code == 1
    left = (tmp_path / "left/trace.nq").read_text().splitlines(keepends=True)
    for place in range(len(left)):
        (tmp_path / "left/trace.nq").write_text("".join(left[:place] + left[place + 1 :]))
        assert found.json["cause"] not in causes(agree(tmp_path / "left"))


def line(t, predicate, number):
    return f'<{E}o{number}> <{E}{predicate}> <{E}c> <{E}orders> "{t}" .\n'


def test_what_a_window_reads_ahead_of_the_pull_is_kept(tmp_path):
    pulled, pushed, trace = (tmp_path / name for name in ("a.rq", "b.rq", "t.nt"))
    window = "FROM STREAM s [RANGE 3s FUTURE 3s STEP 3s]"
    pulled.write_text(f"REGISTER QUERY q AS SELECT ?y {window} WHERE {{ STREAM s {{ ?x <{E}p> ?y }} }}")
    pushed.write_text(f"SELECT ?y {{ STREAM <{E}s> [RANGE 1s] {{ ?x <{E}p> ?y }} }}")
    # At the pull 3 the window is [1, 6]: it reads the triple that arrives at 5.
    trace.write_text(f'<{E}a> <{E}r> <{E}a> "1" .\n<{E}a> <{E}p> <{E}b> "5" .\n')
    found = shrink(pulled, pushed, "--stream", f"s={trace}", "--period", 3, "--trace-unit", "1s")
    assert found.code == 1, found.err
    assert found.json["after"]["triples"] == 1


def test_sides_that_agree_leave_nothing_to_shrink():
    found = lars("shrink", SAMPLES / "coupons")
    assert (found.code, found.out) == (0, "")
    assert "nothing to shrink" in found.err


def test_a_cause_that_no_row_has_is_refused():
    found = lars("shrink", SAMPLES / "minus", "--cause", "silent-period")
    assert (found.code, "no row that only one side reports" in found.err) == (2, True)


def test_minimal_finds_what_is_needed_wherever_it_stands():
    for needed in ({0}, {99}, {3, 50, 51}, set()):
        assert minimal(range(100), lambda some, needed=needed: needed <= set(some)) == sorted(needed)


TERMS = ("<x:a>", "<x:b>", "_:c", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"un"@fr', '"un"')


def random_disagreement(random, folder):
    """Write a query, and a stream of terms of all kinds; return their files, and the stream's triples."""
    triples = [
        (random.choice(TERMS[:3]), random.choice(("<x:p>", "<x:q>")), random.choice(TERMS)) for _ in range(30)
    ]
    times = sorted(random.randint(1, 30) for _ in triples)
    lines = (f'{" ".join(one)} <x:s> "{t}" .\n' for one, t in zip(triples, times, strict=True))
    (folder / "t.nq").write_text("".join(lines))
    pattern = random.choice(("?x <x:q> ?z", "OPTIONAL { ?x <x:q> ?z }", "?z <x:q> ?x"))
    (folder / "q.rq").write_text(
        f"SELECT * FROM STREAM <x:s> [RANGE 3s STEP 5s] WHERE {{ ?x <x:p> ?y . {pattern} }}"
    )
    return folder / "q.rq", folder / "t.nq", set(triples)


@pytest.mark.parametrize("number", [0, 1, 3, 4, 5])
def test_every_triple_that_is_left_is_one_of_the_stream(number, tmp_path):
    query, trace, triples = random_disagreement(Random(number), tmp_path)
    found = lars("shrink", query, trace, "--period", 5, "--unit", "1s", "--out", tmp_path / "left")
    assert found.code == 1
    left = (tmp_path / "left/trace.nq").read_text().splitlines()
    terms = [line.split(" <x:s> ")[0].split(" ", 2) for line in left]
    assert {tuple("_:c" if term[0] == "_" else term for term in one) for one in terms} <= triples
    assert agree(tmp_path / "left").code == 1


@pytest.mark.parametrize("on", ["?x", "none"])
def test_rows_are_compared_on_the_variables_of_the_experiment(on, tmp_path):
    arrivals = (f'<urn:a> <urn:p> <urn:{t}> <urn:s> "{t}" .\n' for t in (1, 3, 8))
    (tmp_path / "t.nq").write_text("".join(arrivals))
    (tmp_path / "q.rq").write_text("SELECT ?x ?y {STREAM <urn:s> [RANGE 2s] {?x <urn:p> ?y}}")
    common = 'title = "t"\nunit = "1s"\ntimeline = [0, 4]\nperiod = 4\nfiles = "t.nq"\ncqels = "q.rq"\n'
    (tmp_path / "experiment.toml").write_text(common)
    assert (agree(tmp_path).code, shrink(tmp_path, "--out", tmp_path / "left").code) == (1, 1)
    (tmp_path / "experiment.toml").write_text(f'{common}on = "{on}"\n')
    assert (agree(tmp_path).code, shrink(tmp_path, "--out", tmp_path / "left").code) == (0, 2)
    assert "for 1 of 1 pair" in lars("phase", tmp_path, "--length", "2").out


def test_a_graph_that_the_difference_needs_is_in_the_experiment_that_is_written(tmp_path):
    (tmp_path / "st.trig").write_text(
        "<e:g1> { <e:a> <e:b> <e:c> . <e:d> <e:b> <e:c> } <e:g2> { <e:a> <e:b> <e:c> }"
    )
    text = "SELECT ?s ?g WHERE { STREAM <e:S> [RANGE 4s] { ?s <e:p> ?o } GRAPH ?g { } }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.nq").write_text('<e:x> <e:p> <e:o> <e:S> "1" .\n<e:x> <e:q> <e:o> <e:S> "5" .\n')
    inputs = tmp_path / "q.rq", tmp_path / "t.nq", "--static", tmp_path / "st.trig"
    made = shrink(*inputs, "--period", 2, "--out", tmp_path / "out")
    assert made.code == 1
    assert causes(agree(tmp_path / "out")) == {"silent period"}


def test_both_queries_lack_the_same_part_of_each_smaller_pair():
    either = "{ ?x <e:q> ?z } UNION { ?x <e:r> ?z }"
    pulled = f"SELECT ?x FROM STREAM <e:a> [NOW] WHERE {{ ?x <e:p> ?y {either} }}"
    pushed = f"SELECT ?x {{ {{ STREAM <e:a> [NOW] {{ ?x <e:p> ?y }} }} UNION {{ ?x <e:p> ?y }} {either} }}"
    csparql, cqels = (read_query(text, "q") for text in (pulled, pushed))
    pairs = list(smaller_pairs(Pair(csparql, cqels, None)))
    for pair in pairs:
        assert len({predicates(query) for query in (pair.csparql, pair.cqels)}) == 1
    assert {3 - len(predicates(pair.cqels)) for pair in pairs} == {1}
    unions = (isinstance(part, Union) for part in parts(pairs[0].cqels.pattern))
    assert sum(unions) == 1


def predicates(query):
    """Return the predicates that a query names."""
    bgps = (part for part in parts(query.pattern) if isinstance(part, Bgp))
    return frozenset(str(triple.predicate) for bgp in bgps for triple in bgp.triples)


def test_what_is_left_is_needed_though_it_is_so_of_fewer_and_not_of_more():
    assert minimal("abc", lambda some: "".join(some) in ("abc", "ac", "c")) == ["c"]
    assert fewest_enough("cba", lambda some: "".join(some) in ("cba", "ca", "c")) == ("c",)


def test_equal_items_are_removed_one_by_one():
    assert fewest_enough("aaaa", lambda some: len(some) >= 2) == ("a", "a")


def test_the_pattern_has_the_name_of_the_language_of_push(tmp_path):
    window = "FROM NAMED WINDOW <e:w> ON <e:s> [RANGE PT4S STEP PT1S]"
    where = "WHERE { WINDOW <e:w> { ?x <e:p> ?y } }"
    (tmp_path / "a.rq").write_text(f"REGISTER RSTREAM <e:o> AS SELECT ?x {window} {where}")
    (tmp_path / "b.rq").write_text("SELECT ?x FROM STREAM <e:s> [RANGE 4s STEP 1s] WHERE { ?x <e:p> ?y }")
    (tmp_path / "t.nq").write_text("<e:a> <e:p> <e:b> <e:s> 2 .\n<e:a> <e:p> <e:b> <e:s> 9 .\n")
    paths = (tmp_path / name for name in ("b.rq", "a.rq", "t.nq"))
    found = lars("shrink", *paths, "--unit", "1s", "--trace-unit", "1s", "--period", "3s")
    assert found.out.splitlines()[-1].split()[0] == "RSP-QL"


def test_elements_of_streams_that_no_query_reads_are_left_out_if_possible():
    """In each period of the trace, a triple of an unread stream makes push evaluate for the last time."""
    queries = (
        "SELECT ?x FROM STREAM <e:s> [RANGE 5s STEP 1s] WHERE { ?x <e:p> ?y }",
        "SELECT ?x WHERE { STREAM <e:s> [RANGE 5s] { ?x <e:p> ?y } }",
    )
    trace = [(t, (f"e:a{t}", "e:p", "e:b"), stream) for t in range(1, 20) for stream in ("e:s", "e:t")]
    result = api.shrink(*queries, nquads(trace), period=3, unit="1s", cause="expired before the pull")
    assert {fact.arguments[3] for fact in result.trace} == {"<e:s>"}
    alone = [
        (1, ("e:a", "e:p", "e:b"), "e:s"),
        (5, ("e:a", "e:p", "e:b"), "e:t"),
        (9, ("e:a", "e:q", "e:b"), "e:t"),
    ]
    result = api.shrink(*queries, nquads(alone), period=9, unit="1s", cause="expired before the pull")
    assert {fact.arguments[3] for fact in result.trace} <= {"<e:s>", "<e:t>"}
    assert ("no query reads the stream e:t: its triples only make push evaluate" in result.text) == (
        "<e:t>" in {fact.arguments[3] for fact in result.trace}
    )


def nquads(elements):
    return "".join(f'<{s}> <{p}> <{o}> <{stream}> "{t}" .\n' for t, (s, p, o), stream in elements)
