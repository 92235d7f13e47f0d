"""`lars decide` as a user runs it: verdicts, premises with places, streams that `lars agree` confirms."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from agreement.results.renderings.decision_report import _more_static
from tests.agreement.command import agree, lars

CQELS = "SELECT {v} WHERE {{ STREAM <http://e/s> [{w}] {{ ?x <http://e/p> ?y }} {more} }}"


@pytest.fixture
def query(tmp_path):
    """Return what writes a CQELS query and returns its file."""

    def written(window="RANGE 3s", more="", result="?x"):
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}q.rq"
        file.write_text(CQELS.format(v=result, w=window, more=more))
        return file

    return written


def decided(*arguments):
    ran = lars("decide", *arguments, "--json")
    return ran.code, {one["period"]: one["verdict"] for one in ran.json["periods"]}


def test_push_and_pull_differ_on_some_stream_unless_windows_are_now_and_u_is_1(query):
    assert decided(query(), "--period", "1..3") == (1, {1: "never", 2: "never", 3: "never"})
    assert decided(query("NOW"), "--period", "1..3") == (1, {1: "always", 2: "never", 3: "never"})
    assert decided(query("NOW"), "--period", "1") == (0, {1: "always"})


def test_a_stream_read_through_two_windows_differs_whatever_static_data_hold(query):
    both = "STREAM <http://e/s> [RANGE 5s] { ?x <http://e/q> ?z }"
    for more in (both, f"OPTIONAL {{ {both} }}", f"MINUS {{ {both} }}"):
        assert decided(query("RANGE 10s", more), "--period", "5") == (1, {5: "never"})


def test_what_static_data_may_undo_is_no_never_and_no_open(query):
    # Static data in which everything has p and q answer pull at all times, so that no new name is missed.
    both = "STREAM <http://e/s> [RANGE 5s] { ?z <http://e/q> ?w }"
    for result, verdict in (("?x", "some"), ("?x ?z", "never")):
        assert decided(query("RANGE 10s", both, result), "--period", "5") == (1, {5: verdict})


def test_low_open_windows_of_one_time_point_are_now(query):
    assert decided(query("RANGE 1s"), "--period", "1", "--bounds", "low-open") == (0, {1: "always"})
    assert decided(query("RANGE 1s"), "--period", "1") == (1, {1: "never"})


def test_conditions_that_exclude_each_other_leave_nothing_to_differ_in(query):
    assert decided(query(more="FILTER (?y > 3 && ?y < 2)"), "--period", "4") == (0, {4: "always"})
    assert decided(query(more="FILTER (?x > 3)"), "--period", "4") == (0, {4: "always"})
    assert decided(query(more="FILTER (?y > 3 && ?y < 5)"), "--period", "4") == (1, {4: "never"})


def test_what_needs_static_data_depends_on_them(query, tmp_path):
    file = query(more="?y <http://e/k> ?z")
    assert decided(file, "--period", "2") == (1, {2: "static"})
    for text, verdict in [("<http://e/a> <http://e/k> 1 .", "never"), ("", "always")]:
        (tmp_path / "static.ttl").write_text(text)
        code, found = decided(file, "--period", "2", "--static", tmp_path / "static.ttl")
        assert (code, found) == (int(verdict == "never"), {2: verdict})


def test_a_part_that_is_always_the_same_does_not_stand_for_one_that_needs_static_data(tmp_path):
    always = "{ STREAM <http://e/s> [NOW] { ?x <http://e/p> ?y } }"
    needing = "{ STREAM <http://e/t> [RANGE 3s] { ?x <http://e/q> ?y } ?x <http://e/k> ?z }"
    (tmp_path / "q.rq").write_text(f"SELECT ?x WHERE {{ {always} UNION {needing} }}")
    assert decided(tmp_path / "q.rq", "--period", "1,2") == (1, {1: "static", 2: "never"})


def test_ask_agrees_where_only_matches_fire_and_the_window_is_the_period(tmp_path):
    file = tmp_path / "ask.rq"
    file.write_text("ASK { STREAM <http://e/s> [RANGE 3s] { ?x <http://e/p> ?y } }")
    found = decided(file, "--period", "3..5", "--trigger", "matching")
    assert found == (1, {3: "never", 4: "always", 5: "never"})
    assert decided(file, "--period", "4") == (1, {4: "never"})


def test_what_is_not_decided_is_open(query):
    file = query(more='FILTER (REGEX(?y, "a{2}") && !REGEX(?y, "a"))')
    assert decided(file, "--period", "2") == (3, {2: "open"})


def test_an_experiment_in_another_language_names_places_too(tmp_path):
    (tmp_path / "t.nq").write_text("")
    (tmp_path / "q.rq").write_text(
        "REGISTER RSTREAM <e:o> AS SELECT * FROM NAMED WINDOW <e:w> ON <e:s> [RANGE 10 STEP 2] "
        "WHERE { WINDOW <e:w> { ?s <e:p> ?o } }"
    )
    (tmp_path / "experiment.toml").write_text('files = "t.nq"\nkolibrie = "q.rq"\nperiod = 2')
    ran = lars("decide", tmp_path)
    assert (ran.code, "q.rq:1:" in ran.out) == (1, True), ran.err


def test_premises_name_their_places(query):
    ran = lars("decide", query(more="FILTER (?y > 3)"), "--period", "2", "--json")
    (found,) = ran.json["periods"]
    places = {one["said"][:10]: one["place"].partition("q.rq")[2] for one in found["premises"]}
    assert (places["satisfiabl"], places["[RANGE 3s]"]) == (":1:73", ":1:39")


@pytest.mark.parametrize("sample", ["coupons", "rooms", "slide", "minus", "merged"])
def test_the_stream_that_is_shown_is_one_on_which_agree_finds_the_cause(sample, tmp_path):
    ran = lars("decide", f"samples/{sample}", "--period", "4", "--json")
    (found,) = ran.json["periods"]
    witness = found["witness"]
    (tmp_path / "trace.nq").write_text("\n".join(map(line, witness["stream"])))
    queries = sorted(Path(f"samples/{sample}").glob("query.c*.rq"))
    static = [f"--static={file}" for file in Path(f"samples/{sample}").glob("*.ttl")]
    unit = "1min" if sample == "coupons" else "1s"
    assign = [f"--assign=http://example.org/coupons=http://example.org/{p}" for p in ("offers", "on")]
    options = [*static, "--unit", unit, "--to", witness["to"], *(assign if sample == "merged" else [])]
    again = agree(*queries, tmp_path / "trace.nq", "--period", 4, *options)
    causes = [c["cause"] for p in again.json["periods"] for i in p["intervals"] for c in i.get("causes", [])]
    assert witness["cause"] in causes


def line(element):
    """Return a triple of a stream as a line of N-Quads with its time."""

    def term(given):
        kind = f"^^<{given['datatype']}>" if "datatype" in given else ""
        return f"<{given['value']}>" if given["type"] == "uri" else f'"{given["value"]}"{kind}'

    return f'{" ".join(term(element[place]) for place in "spo")} <{element["stream"]}> "{element["t"]}" .'


def test_an_experiment_that_judges_engines_has_queries_to_decide_too():
    assert decided("samples/yabench/experiment-1") == (1, {5000: "never"})
    found = lars("witness", "samples/yabench/experiment-4", "--triples", 0)
    assert (found.code, "up to 0 triples" in found.out) == (3, True)


def test_wrong_input_is_one_message(tmp_path, query):
    (tmp_path / "plain.rq").write_text("SELECT ?x WHERE { ?x <http://e/p> ?y }")
    other = tmp_path / "other.rq"
    other.write_text("SELECT ?x FROM STREAM <http://e/s> [RANGE 3s STEP 1s] { ?x <http://e/q> ?y }")
    for arguments, said in [
        ([], "0 inputs; expected a folder with experiment.toml"),
        ([tmp_path / "plain.rq"], "use a query with windows"),
        ([query(), other], "are not two forms of one query: the patterns differ"),
        ([query(), "--period", "0"], "a period must be at least 1"),
        ([query(more="FILTER (<http://e/f>(?y))")], "<http://e/f>"),
    ]:
        ran = lars("decide", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_variants_that_are_one_query_are_named_with_the_pattern_that_joins_them(tmp_path):
    file = tmp_path / "two.rq"
    file.write_text(
        "PREFIX : <http://e/> SELECT ?x { STREAM :s [RANGE 3s] { ?x :p ?y } "
        "STREAM :c [RANGE 3s] { ?x :q ?z } ?x :p :a }"
    )
    found = lars("decide", file, "--period", "2", "--json").json
    brave, cautious = "brave", "cautious"
    joined = [[[brave, brave], [brave, cautious]], [[cautious, brave], [cautious, cautious]]]
    assert found["variants"] == joined
    assert [part["same"] for part in found["parts"]] == [False, True]
    (tmp_path / "static.ttl").write_text("<http://e/i> <http://e/r> <http://e/j> .")
    found = lars("decide", file, "--period", "2", "--static", tmp_path / "static.ttl", "--json").json
    assert len(found["variants"]) == 1


def test_equal_variants_rest_on_assumed_static_data_unless_these_are_given(query, tmp_path):
    same = "both possible CQELS queries have the same answers"
    assert f"\nwith static data as assumed below, {same}\n" in lars("decide", query(), "--period", "2").out
    (tmp_path / "static.ttl").write_text("<http://e/i> <http://e/r> <http://e/j> .")
    found = lars("decide", query(), "--period", "2", "--static", tmp_path / "static.ttl").out
    assert f"\n{same}\n" in found


def test_variants_whose_difference_is_open_have_perhaps_different_answers(tmp_path):
    text = "SELECT ?x { STREAM <e:s> [RANGE 3s] { ?x <e:p> ?y } ?x <e:p> ?z FILTER(CONDITION) }"
    for condition, said in (("STRLEN(STR(?y)) < 0", "perhaps different"), ("true", "different")):
        (tmp_path / "q.rq").write_text(text.replace("CONDITION", condition))
        found = lars("decide", tmp_path / "q.rq", "--period", "2").out
        assert f"\nthe 2 possible CQELS queries form 2 groups with {said} answers\n" in found


def test_of_many_static_triples_ten_lines_are_shown(tmp_path):
    (tmp_path / "q.rq").write_text(
        "SELECT ?s ?w WHERE { STREAM <e:S> [RANGE 2s] { ?s <e:p> ?o } ?o <e:q> ?w }"
    )
    (tmp_path / "s.nt").write_text("".join(f"<e:o{n}> <e:q> <e:w{n}> .\n" for n in range(3_000)))
    call = ("decide", tmp_path / "q.rq", "--period", "3", "--static", tmp_path / "s.nt")
    shown = lars(*call).out.splitlines()
    assert shown[0] == "U = 3: with the given static data, push and pull differ on some stream"
    static = [line for line in shown if "static" in line and line.startswith("  ") and "yes" not in line]
    assert len([line for line in static if line.startswith("  static:")]) <= 9
    for left, said in ((0, []), (1, ["… and 1 more static triple"]), (2, ["… and 2 more static triples"])):
        witness = SimpleNamespace(triples=[()] * (9 + left))
        assert [line.partition(";")[0] for line in _more_static(witness)] == said
    assert len(shown) < 40


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("<< ?s <x:p> ?o >> <x:q> ?b", "never"),
        ("<< <x:a> <x:p> 1 ~ ?b >> <x:q> ?s", "never"),
        ("?b <x:p> ?t FILTER(?t = <<( <x:a> <x:p> 1 )>>)", "never"),
        ("?b <x:p> ?t FILTER(!isIRI(?t) && !isLiteral(?t) && !isBlank(?t))", "never"),
        ("?b <x:p> ?t FILTER(isIRI(?t) && isTRIPLE(?t))", "open"),
        ("?b <x:p> ?t . ?c <x:q> ?u FILTER(!isLiteral(?t) && ?t < ?u)", "open"),
        ("<< ?s <x:p> ?o >> <x:q> ?b FILTER(isLiteral(?s))", "open"),
    ],
)
def test_triple_terms_are_tried_and_never_left_out_of_a_claim(text, verdict, tmp_path):
    (tmp_path / "q.rq").write_text(f"SELECT ?b {{ STREAM <http://e/s> [RANGE 3s] {{ {text} }} }}")
    code, found = decided(tmp_path / "q.rq", "--period", "2", "--rdf", "1.2")
    assert (code, found) == ({"never": 1, "open": 3}[verdict], {2: verdict})


def test_the_side_that_alone_has_the_row_is_named(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <urn:s> [NOW] { ?x <urn:p> ?y } }")
    found = lars("decide", tmp_path / "q.rq", "--period", 2, "--json").json["periods"][0]["witness"]
    # What arrives between two pulls a window NOW shows to push alone.
    assert (found["side"], found["interval"]["to"] - found["stream"][0]["t"]) == ("push", 1)


NAMED = "SELECT ?a FROM NAMED WINDOW <w> ON <u:s> [RANGE {}] {{ WINDOW <w> {{ ?a <u:p> ?b }} }}"
SPOKEN = {
    "cqels": "SELECT ?a { STREAM <u:s> [RANGE 10s] { ?a <u:p> ?b } }",
    "cqels2-now": "SELECT ?a FROM STREAM s [NOW] { STREAM s { ?a <u:p> ?b } }",
    "cqels2": "SELECT ?a FROM STREAM s [RANGE 10s STEP 5s] { STREAM s { ?a <u:p> ?b } }",
    "rspql": NAMED.format("PT10S STEP PT5S"),
    "kolibrie": NAMED.format("10 STEP 5"),
}


@pytest.mark.parametrize(
    ("pair", "modes"),
    [
        (("rspql", "cqels"), {"pull", "push"}),
        (("cqels", "rspql"), {"pull", "push"}),
        (("cqels", "kolibrie"), {"pull", "push"}),
        (("cqels2", "cqels2-now"), {"pull", "push"}),
        (("rspql", "kolibrie"), {"pull"}),
        (("cqels", "cqels2-now"), {"push"}),
    ],
)
def test_the_queries_that_agree_compares_are_decided(pair, modes, tmp_path):
    for name in pair:
        (tmp_path / f"{name}.rq").write_text(SPOKEN[name])
    (tmp_path / "t.csv").write_text("t,stream,s,p,o\n1,u:s,u:x,u:p,1\n11,u:s,u:x,u:p,1\n")
    files = [tmp_path / f"{name}.rq" for name in pair]
    found = {command: lars(command, *files) for command in ("decide", "witness")}
    compared = lars("agree", *files, tmp_path / "t.csv", "--in-process")
    is_pair = len(modes) == 2
    assert (compared.code == 2) != is_pair, compared.err
    assert ("both queries are evaluated by" in found["decide"].err) != is_pair
    assert ("push and pull" in found["witness"].out) == is_pair
    # Windows of one stream with other ends are no common model.
    assert found["decide"].code == (1 if {"cqels", "rspql"} == set(pair) else 2), found["decide"].err


def test_windows_whose_slides_have_no_common_divisor_leave_the_question_open(query):
    # They begin together every 104927 s: the streams to try are too long in every unit.
    other = "STREAM <http://e/t> [RANGE 331s SLIDE 331s] { ?x <http://e/q> ?z }"
    asked = query("RANGE 317s SLIDE 317s", other), "--period", "5", "--time-limit", "20"
    assert decided(*asked) == (3, {5: "open"})


def stated(*arguments):
    """Return what was checked, with whether it holds, and what would change the verdict."""
    (one,) = lars("decide", *arguments, "--period", "1", "--time-limit", "4", "--json").json["periods"]
    return {each["said"]: each["holds"] for each in one["premises"]}, one["changes"]


def test_a_path_of_zero_steps_matches_a_node_of_each_source(query):
    text = "SELECT ?x WHERE {{ STREAM <http://e/s> [NOW] {{ ?x <http://e/p>{} ?y }} ?a <http://e/q> ?b }}"
    for path, exclusive in (("*", False), ("?", False), ("+", True)):
        file = query()
        file.write_text(text.format(path))
        checked, _ = stated(file)
        assert [holds for words, holds in checked.items() if "(A6)" in words] == [exclusive]


def test_a_path_from_a_term_needs_no_match_and_no_now_window_helps(query):
    for path, guarded in (("*", False), ("+", True)):
        file = query()
        step = f"<http://e/a> <http://e/p>{path} ?x"
        file.write_text(f"SELECT ?x WHERE {{ STREAM <http://e/s> [NOW] {{ {step} }} }}")
        checked, changes = stated(file)
        assert [holds for words, holds in checked.items() if "stream-guarded" in words] == [guarded]
        assert path == "+" or changes == ["paths of a fixed length"]


def test_no_change_names_the_period_of_the_verdict(query):
    file = query()
    file.write_text("SELECT ?x WHERE { STREAM <http://e/s> [RANGE 3s] { ?x <http://e/p> ?y } }")
    _, (change,) = stated(file)
    assert change.startswith("a NOW window in each disjunct")


def test_windows_that_are_not_merged_are_not_said_to_differ(tmp_path):
    window = "FROM NAMED WINDOW <e:w> ON <http://e/s> [RANGE PT3S STEP PT1S]"
    where = "WHERE { WINDOW <e:w> { ?x <http://e/p> ?y } }"
    (tmp_path / "pull.rq").write_text(f"REGISTER RSTREAM <e:o> AS SELECT ?x {window} {where}")
    (tmp_path / "push.rq").write_text(CQELS.format(v="?x", w="RANGE 3s", more=""))
    ran = lars("decide", tmp_path / "pull.rq", tmp_path / "push.rq", "--period", "1s", "--unit", "1s")
    assert (ran.code, "pull does not merge its windows" in ran.out) == (1, True)
    assert "the window of push is" not in ran.out


NOW_QUERIES = {
    "count": "SELECT (COUNT(*) AS ?n) { STREAM <http://e/s> [NOW] { ?a <http://e/p> ?v } }",
    "absent": "SELECT ?a { STREAM <http://e/s> [NOW] { ?a <http://e/p> ?v } FILTER NOT EXISTS { STREAM "
    "<http://e/t> [RANGE 5s] { ?a <http://e/q> ?x } } }",
}


def test_a_count_over_a_now_window_needs_group_by_only(query):
    file = query()
    file.write_text(NOW_QUERIES["count"])
    _, changes = stated(file)
    assert changes == ["GROUP BY with each aggregate"]
    file.write_text(f"{NOW_QUERIES['count']} GROUP BY ?a")
    assert lars("decide", file, "--period", "1").code == 0


def test_agreement_of_a_query_that_is_not_monotone_rests_on_a_theorem_about_it(query):
    file = query()
    file.write_text(NOW_QUERIES["absent"])
    ran = lars("decide", file, "--period", "1")
    assert (ran.code, "G1, U = 1: if no input arrives, the NOW window of pull is empty" in ran.out) == (
        0,
        True,
    )
    assert "G1: If each solution needs a match in a NOW window" in ran.out
    assert "A4" not in ran.out
    # A finer unit has another verdict, which no row of the table has.
    assert "(then U = 2): differ on some stream" in ran.out
    assert "may agree" not in ran.out


def test_never_is_explained_as_a_difference_on_some_stream(tmp_path):
    asked = ("decide", "samples/slide", "--period", "1..2", "--report", tmp_path / "a.html")
    ran = lars(*asked)
    assert "on other streams, push and pull may agree" in ran.out
    assert "Push and pull: differ on some stream for U = 1..2" in (tmp_path / "a.html").read_text()
    assert {one["verdict"] for one in lars("decide", "samples/slide", "--json").json["periods"]} == {"never"}


def test_a_range_of_periods_has_one_unit(query):
    out = lars("decide", query("RANGE 120s"), "--period", "120s,121s,122s").out
    assert out.startswith("U = 120s..122s: ")


NOW_ELSE = "} UNION { STREAM <http://e/r> [NOW] { ?x <http://e/q> ?y }"


@pytest.mark.parametrize(
    ("window", "more", "options", "is_for_no_period"),
    [
        ("RANGE 3s", "", (), True),
        ("TRIPLES 2", "", (), True),
        ("RANGE 3s", "STREAM <http://e/s> [NOW] { ?x <http://e/q> ?z }", (), False),
        ("NOW", "", (), False),
        # One alternative without a NOW window is enough.
        ("RANGE 3s", NOW_ELSE, (), True),
        ("NOW", NOW_ELSE, (), False),
        # Nothing is proved of other periods.
        ("RANGE 3s", "OPTIONAL { STREAM <http://e/s> [RANGE 5s] { ?x <http://e/q> ?z } }", (), False),
        ("RANGE 4s SLIDE 2s", "", (), False),
        ("RANGE 3s", "?y <http://e/k> ?z", (), False),
        ("RANGE 3s", "", ("--trigger", "matching"), False),
        ("RANGE 1s", "", ("--bounds", "low-open"), False),
    ],
)
def test_that_no_period_agrees_is_said_only_if_it_is_proved(query, window, more, options, is_for_no_period):
    file = query(window, more) if "UNION" not in more else query()
    if "UNION" in more:
        stream = f"STREAM <http://e/s> [{window}] {{ ?x <http://e/p> ?y }}"
        file.write_text(f"SELECT ?x WHERE {{ {{ {stream} {more} }} }}")
    text = lars("decide", file, "--period", "2,4", *options).out
    assert ("for each period U, also outside this table, push and pull differ" in text) == is_for_no_period, (
        text
    )
    if is_for_no_period:
        code, verdicts = decided(file, "--period", "1,3,7,60,1000", *options)
        assert (code, {*verdicts.values()}) == (1, {"never"})
