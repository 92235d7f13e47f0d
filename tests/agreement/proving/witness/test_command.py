"""`lars witness`: what it prints, how it ends, and the experiment that it writes."""

from dataclasses import fields

import pytest

from agreement.proving.witness.witness_task import WitnessCriteria
from tests.agreement.command import agree, lars
from tests.packs import ROOT

SAMPLES = ROOT / "samples"
HEAD = "PREFIX : <http://example.org/> "
NOW = HEAD + "SELECT ?x { STREAM :s [NOW] { ?x :p ?y } }"
ROWS = HEAD + "SELECT (COUNT(?x) AS ?n) { STREAM :s [TRIPLES 2] { ?x :p ?y } } HAVING (?n > 9)"
COUNT = HEAD + "SELECT (COUNT(?x) AS ?n) { STREAM :s [NOW] { ?x :p ?y } }"


def witness(*arguments):
    return lars("witness", *arguments)


def written(folder, *texts):
    paths = [folder / f"q{number}.rq" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize("sample", ["slide", "merged"])
def test_what_it_writes_disagrees_for_the_cause_that_it_names(sample, tmp_path):
    found = witness(SAMPLES / sample, "--out", tmp_path / "made", "--json")
    assert found.code == 1
    ((one,),) = ([one["witnesses"] for one in found.json["periods"]],)
    verdict = agree(tmp_path / "made")
    assert verdict.code == 1
    intervals = [one for part in verdict.json["periods"] for one in part["intervals"] if not one["agree"]]
    causes = {cause["cause"] for interval in intervals for cause in interval["causes"]}
    assert causes == set(one[0]["causes"])
    assert intervals[-1]["to"] == one[0]["to"]


def test_each_u_has_its_own_witness_with_its_time_and_triples(tmp_path):
    found = witness(SAMPLES / "coupons", "--period", "5,8", "--json").json
    sizes = [(one["period"], len(one["witnesses"][0]["trace"])) for one in found["periods"]]
    assert sizes == [(5, 4), (8, 4)]


def test_a_cause_is_found_and_two_that_are_not_alike():
    found = witness(SAMPLES / "minus", "--cause", "blocked-later", "--json").json
    assert found["periods"][0]["witnesses"][0]["causes"] == ["blocked later"]
    several = witness(SAMPLES / "minus", "--enumerate", "3", "--json").json["periods"][0]["witnesses"]
    assert len({str(one["trace"]) for one in several}) == 3


def test_beside_a_stream_that_was_found_larger_streams_are_not_excluded(tmp_path):
    text = HEAD + "SELECT ?x { STREAM :s [RANGE 1s] { ?x :p ?y } }"
    found = witness(*written(tmp_path, text), "--period", 1, "--enumerate", 9)
    assert found.code == 1
    assert "no other stream exists" not in found.out
    assert "with up to 2 triples out of 2 candidates, at any times; a larger stream may exist" in found.out


def test_a_stream_with_a_cause_is_not_any_stream(tmp_path):
    text = HEAD + "SELECT ?x { STREAM :s [RANGE 1s] { ?x :p ?y } }"
    found = witness(*written(tmp_path, text), "--period", 2, "--cause", "blocked-later")
    assert "push and pull differ for U = 2 with the cause blocked later: A7" in found.out


def test_exit_code_0_says_why_there_is_none_on_any_stream(tmp_path):
    found = witness(*written(tmp_path, NOW), "--period", 1, "--unit", "1s")
    assert (found.code, "A7" in found.out) == (0, True)


@pytest.mark.parametrize("text", [ROWS])
def test_exit_code_3_says_what_is_not_searched(text, tmp_path):
    found = witness(*written(tmp_path, text), "--period", 2, "--unit", "1s")
    assert (found.code, "cannot search for streams" in found.out) == (3, True)


def test_an_aggregate_of_nothing_parts_them_without_a_triple(tmp_path):
    found = witness(*written(tmp_path, COUNT), "--period", 2, "--unit", "1s", "--json")
    (one,) = found.json["periods"][0]["witnesses"]
    assert (found.code, one["trace"], one["causes"]) == (1, [], ["aggregate of nothing"])


def test_too_few_triples_are_said_to_be_too_few(tmp_path):
    found = witness(*written(tmp_path, NOW), "--period", 2, "--unit", "1s", "--triples", 0)
    assert (found.code, "a stream may need 2 triples" in found.out) == (3, True)


def test_when_time_is_up_the_answer_says_how_far_it_came():
    found = witness(SAMPLES / "coupons", "--period", 7, "--time-limit", 0)
    # What `lars decide` knows of is shown all the same, and not called a smallest.
    assert (found.code, found.out.startswith("a stream on which")) == (1, True)
    assert "the time is up: no other stream" in found.out
    assert "search longer with --time-limit" in found.out


def test_a_search_has_a_limit_of_time_unless_another_is_given():
    assert {field.name: field.default for field in fields(WitnessCriteria)}["time_limit"] == 60


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "0 inputs; expected a folder with experiment.toml, or one or two queries"),
        (("no.rq",), "no.rq: no such file or folder; expected"),
        ((SAMPLES / "minus", "--cause", "bad"), "--cause bad: expected aggregate-of-nothing"),
        ((SAMPLES / "minus", "--period", "0"), "0"),
        (
            (SAMPLES / "minus", "--sides", "closed,any"),
            "--sides closed,any: expected two values A,B from one of these lists: closed",
        ),
        (
            (SAMPLES / "minus", "--sides", "closed,low-open", "--period", 2),
            "--period: only for push and pull",
        ),
        ((SAMPLES / "minus", "--contained"), "--contained requires two queries"),
        ((SAMPLES / "minus", "--period", "1,2", "--out", "x"), "--out x requires one period"),
        ((SAMPLES / "coupons/query.csparql.rq", "--period", 2), "--assign STREAM=PREDICATE"),
    ],
)
def test_what_cannot_be_used_is_one_message(arguments, said):
    found = witness(*arguments)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert said in found.err


@pytest.mark.parametrize("option", [("--period", 2), ("--trigger", "any"), ("--cause", "blocked-later")])
def test_two_queries_of_a_kind_are_not_asked_about_push_and_pull(option, tmp_path):
    found = witness(*written(tmp_path, NOW, NOW), *option)
    assert found.code == 2
    assert f"{option[0]}: only for push and pull" in found.err


@pytest.mark.parametrize(
    ("sides", "sample", "triples"),
    [("closed,high-open", "minus", 1), ("closed,low-open", "minus", 2), ("any,matching", "coupons", 5)],
)
def test_push_read_in_two_ways_has_a_smallest_difference_too(sides, sample, triples):
    found = witness(SAMPLES / sample, "--sides", sides, "--json")
    assert (found.code, len(found.json["periods"][0]["witnesses"][0]["trace"])) == (1, triples)


def test_two_queries_that_answer_other_variables_are_refused(tmp_path):
    found = witness(*written(tmp_path, NOW, NOW.replace("SELECT ?x", "SELECT ?y")))
    assert found.code == 2
    assert "the query returns ?y" in found.err


def test_windows_too_long_to_look_for_a_stream_in_are_refused(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text("SELECT ?s { STREAM <urn:s> [RANGE 30d] { ?s ?p ?o } }")
    found = lars("witness", query, "--unit", "1ms", "--period", "5")
    assert (found.code, found.out) == (2, "")
    assert "streams of 518400001 time points" in found.err
    assert "at most 1000000 time points are needed" in found.err
    assert lars("witness", query, "--unit", "1ms", "--period", "1d").code == 1


def test_no_finer_unit_is_named_for_streams_that_the_search_leaves_out_with_any(tmp_path):
    number = tmp_path / "s.nt"
    number.write_text('<http://e/b> <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
    block = "{ STREAM :s [RANGE 2s] { ?z :r ?x } } UNION { ?z :r ?x }"
    other_source, other_cause = written(
        tmp_path,
        f"PREFIX : <http://e/> SELECT ?x {{ {block} ?y :p ?z }}",
        HEAD + "SELECT ?x { STREAM :s [RANGE 2s] { ?x :p ?y } }",
    )
    asked = "--unit", "1s", "--period", "2", "--json"
    for found in (
        witness(other_source, "--static", number, *asked),
        witness(other_cause, "--cause", "blocked-later", *asked),
    ):
        assert (found.code, found.json["finer"]) == (0, None)


def test_a_finer_unit_with_which_there_is_a_stream_is_said(tmp_path):
    slides = HEAD + "SELECT ?x { STREAM :s [RANGE 5s SLIDE 5s] { ?x :p ?y } }"
    files = written(tmp_path, slides, HEAD + "SELECT ?x { STREAM :s [RANGE 9s] { ?x :p ?y } }")
    found = witness(*files, "--contained", "--json")
    assert (found.code, found.json["unit"], found.json["finer"]) == (0, "1s", "500ms")
    assert "but with --unit 500ms, a stream exists" in witness(*files, "--contained").out
    assert witness(*files, "--contained", "--unit", "500ms").code == 1


def test_patterns_of_many_predicates_are_not_tried_with_fewer_triples_than_predicates(tmp_path):
    parts = [
        " . ".join(f"?x0 <http://e/p{n}> ?x{n}" for n in numbers) for numbers in ((1, 2, 3, 4), (5, 6, 7, 8))
    ]
    blocks = (
        f"STREAM <http://e/S> [RANGE {length}s] {{ {part} }}"
        for length, part in zip((10, 3), parts, strict=True)
    )
    (tmp_path / "q.rq").write_text(f"SELECT ?x0 WHERE {{ {' '.join(blocks)} }}")
    found = lars("witness", tmp_path / "q.rq", "--period", "5s", "--unit", "1s", "--time-limit", 20, "--json")
    (one,) = found.json["periods"][0]["witnesses"]
    assert len(one["trace"]) == 8


def test_a_query_that_no_experiment_can_contain_is_one_message(tmp_path):
    query = tmp_path / "q.rq"
    window = "FROM NAMED WINDOW <e:w> ON <e:s> [RANGE PT5S STEP PT1S]"
    query.write_text(f"SELECT ?s {window} WHERE {{ WINDOW <e:w> {{ GRAPH ?g {{ ?s <e:p> ?o }} }} }}")
    found = witness(query, "--period", 2, "--out", tmp_path / "new")
    assert (found.code, (tmp_path / "new").exists()) == (2, False)
    assert found.err.endswith("; use --json in place of --out to write the stream\n")
