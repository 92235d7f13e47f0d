"""Comparisons worked out by hand from what the engines' rules say."""

import pytest

from tests.agreement.command import lars
from tests.agreement.comparing.compare.profiles import IN_MS, compare, told, write

JOIN = "SELECT ?s WHERE { STREAM :S [RANGE 2s] { ?s :p ?o . ?s :q ?v } }"


def test_a_triple_on_a_tick_expires_early_in_csparql_097(tmp_path):
    # The first triple arrives with the tick 1000 before it, so 4001 shows b alone: (1001, 4001].
    found = compare(write(tmp_path), "csparql", "csparql-0.9.7", "cs")
    assert found.code == 1
    assert told(found) == [(2, ["a"], [], [(3000, 3001), (4000, 4001)], ["W3a", "W3b"])]


def test_rules_that_are_needed_on_the_whole_trace_are_named(tmp_path):
    found = compare(write(tmp_path), "csparql", "csparql-0.9.7", "cs")
    assert found.json["needed_rules"] == ["W3a", "W3b"]


def test_report_times_can_be_left_out_of_the_comparison(tmp_path):
    found = compare(write(tmp_path), "csparql", "csparql-0.9.7", "cs", options=(*IN_MS, "--no-times"))
    assert told(found) == [(2, ["a"], [], [], ["W3a"])]
    assert found.json["needed_rules"] == ["W3a"]


def test_without_on_tick_triples_only_the_label_of_reports_parts_csparql(tmp_path):
    # 2, 3 and 4 report a triple of 1500; the engine says so one millisecond later.
    found = compare(write(tmp_path, "a 1500, c 5500"), "csparql-0.9.7", "csparql", "cs")
    moved = [(2001, 2000), (3001, 3000), (4001, 4000)]
    assert told(found)[0][3][:2] == moved[:2]
    assert "W3b" in told(found)[0][4]


def test_what_expired_still_joins_in_cqels(tmp_path):
    folder = write(tmp_path, "a 1000, a 5000 q", join=JOIN)
    assert told(compare(folder, "cqels", "cqels-1.x", "join")) == [(1, [], ["a"], [], ["Q1"])]
    assert told(compare(folder, "cqels-1.x", "cqels", "join")) == [(1, ["a"], [], [], ["Q1"])]


def test_cqels_reports_an_equal_row_again(tmp_path):
    # Either windows that hold an equal triple once, or ISTREAM would keep it from that.
    found = compare(write(tmp_path, "a 1000, a 2000"), "cqels", "cqels-1.x", "cq")
    assert told(found) == [(1, [], ["a"], [], ["Q1", "Q5"])]


def test_a_cross_product_is_partial_in_cqels(tmp_path):
    cross = "SELECT ?s ?v WHERE { STREAM :S [RANGE 9s] { ?s :p ?o . ?v :q ?w } }"
    found = compare(write(tmp_path, "a 1000, b 2000 q", cross=cross), "cqels", "cqels-1.x", "cross")
    assert [(one[0], one[4]) for one in told(found)] == [(0, ["Q4"]), (1, ["Q4"])]


def test_an_empty_answer_is_a_difference_of_two_specifications(tmp_path):
    both = "FROM STREAM :S [RANGE 2s STEP 1s] WHERE { ?s :p ?o . ?s :q ?v }"
    folder = write(tmp_path, "a 1500, c 2500 q, d 9000 q", both=f"SELECT ?s {both}")
    found = compare(folder, "csparql", "rspql", "both").json
    assert [one["empty_ms"] for one in found["differences"]] == [[2000], [3000], [4000], [9000]]
    assert [one["name"] for one in found["undo_all"]] == ["empty"]
    assert {one["field"] for one in found["differing_fields"]} == {"bounds", "empty"}


def test_the_windows_of_a_specification_can_begin_later(tmp_path):
    options = (*IN_MS, "--t0", "0", "--no-times")
    found = compare(write(tmp_path), "csparql", "csparql-0.9.7", "cs", options=options)
    # From 0 on the first window of 3 s closes at 3, so the engine's report at 2 is one too many.
    assert told(found)[0][1:3] == (["a"], ["a", "b"])


def test_what_no_later_push_shows_is_not_compared(tmp_path):
    found = compare(write(tmp_path, "a 1500, b 2000"), "csparql", "csparql-0.9.7", "cs").json
    assert (found["same"], found["compared"]) == (True, 0)
    assert [one["ms"] for one in found["after_last_push"][0]] == [2000]


def test_two_queries_are_one_for_each_side(tmp_path):
    found = compare(write(tmp_path), "csparql-0.9.7", "cqels-1.x", "cs", "cq")
    assert [one[0] for one in told(found)] == [0, 1, 2]
    assert all(one[4] == [] for one in told(found))
    assert {one["field"] for one in found.json["differing_fields"]} >= {"report", "slide", "stream"}


def test_a_window_of_its_own_in_a_file_is_compared_too(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('name = "mine"\nreport = ["window-close", "non-empty"]\nbounds = "high-open"\n')
    found = compare(write(tmp_path), "csparql", mine, "cs")
    # b on 2000 is in (-1000, 2000], not in [-1000, 2000); a leaves (1500, 4500] no earlier than [..).
    assert [one[4] for one in told(found)] == [["bounds"], ["bounds"]]
    assert [one["name"] for one in found.json["undo_all"]] == ["bounds"]


def test_rows_can_be_compared_as_sets(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('name = "mine"\nreport = ["window-close", "non-empty"]\nrows = "set"\n')
    both = "SELECT ?o FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o }"
    folder = write(tmp_path, both=both)
    found = compare(folder, "csparql", mine, "both")
    assert {tuple(one[4]) for one in told(found)} == {("rows",)}
    assert compare(folder, "csparql", mine, "both", options=(*IN_MS, "--semantics", "set")).json["same"]


def test_a_rule_of_one_engine_on_two_queries_is_named_with_its_side(tmp_path):
    batch = "SELECT ?s FROM STREAM :S [RANGE 3s TUMBLING] WHERE { ?s :p ?o }"
    folder = write(tmp_path, "a 1500, b 4000, c 8500", batch=batch)
    paths = (folder / "cs.rq", folder / "batch.rq", folder / "t.nq")
    found = lars("compare", "csparql-0.9.7", "csparql-0.9.7", *paths, *IN_MS)
    assert "csparql-0.9.7 (1) W3a" in " ".join(found.out.split())


def test_two_profiles_that_never_report_are_not_said_to_agree(tmp_path):
    found = lars(
        "compare", "rspql", "csparql", write(tmp_path, "a 1500 q") / "cs.rq", tmp_path / "t.nq", *IN_MS
    )
    assert found.out == "nothing to compare: neither rspql nor csparql has a report\n"


@pytest.mark.parametrize("engine", ["csparql-0.9.7", "csparql"])
def test_a_profile_does_not_part_from_itself(tmp_path, engine):
    found = lars("compare", engine, engine, write(tmp_path) / "cs.rq", tmp_path / "t.nq", *IN_MS)
    assert (found.code, found.err) == (0, "")
    assert f"{engine} (1) and {engine} (2) have the same reports at" in found.out


def test_the_table_says_what_a_rule_says_once(tmp_path):
    folder = write(tmp_path, "a 1500, b 4500, c 7500")
    found = lars("compare", "csparql", "csparql-0.9.7", folder / "cs.rq", folder / "t.nq", *IN_MS)
    assert "differ at 2 of 2 elements with a report, first at element 1 (time 4500)" in found.out
    assert (found.code, found.out.count("1 ms after its")) == (1, 1)
