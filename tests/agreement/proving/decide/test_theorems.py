"""The theorems of `lars decide` where random queries seldom meet them, with neighbours that they exclude."""

from typing import get_args

import pytest

from agreement.proving.decide import AgreementQuestion, Decider, Places, agreement_theorem
from agreement.proving.decide.theorems import Theorem
from tests.agreement.proving.decide import naive
from tests.agreement.proving.decide.checking import derived, question, searched, witnessed
from translate.model.query import Setting, Trigger

ANY = ("s", "?x", naive.iri("p"), "?y")


def small(*conditions, length, period, parts=(ANY,), result=(), bounds="closed"):
    branch = naive.Branch(parts, conditions)
    return naive.Small((branch,), result, {"s": length, "c": 0}, bounds, period)


def decided(one, trigger):
    return Decider(question(one, (), trigger)).decide(one.period)


@pytest.mark.parametrize("period", [1, 2, 3, 4])
def test_t4_ask_agrees_where_matches_alone_fire_and_the_window_is_the_period(period):
    one = small(length=period - 1, period=period)
    assert decided(one, "matching").verdict == "always"
    assert searched(one, (), 400, period, "matching") is None


@pytest.mark.parametrize(
    "one",
    [
        small(length=2, period=2),
        small(length=1, period=3),
        small(length=2, period=3, result=("?x",)),
        small((">", "?y", naive.number(2)), length=2, period=3),
        small(length=2, period=3, parts=(ANY, ("s", "?z", naive.iri("q"), "?w"))),
    ],
    ids=["window too long", "too short", "a result variable", "a condition", "two patterns"],
)
def test_t4_needs_each_of_its_premises(one):
    found = decided(one, "matching")
    assert found.verdict in ("never", "open")
    assert searched(one, (), 3000, 1, "matching") is not None
    assert found.witness is None or witnessed(one, found.witness, "matching")


@pytest.mark.parametrize("trigger", list(get_args(Trigger)))
def test_t1_holds_for_every_trigger_and_optional(trigger):
    beside = ("OPTIONAL", (("s", "?x", naive.iri("q"), "?z"),))
    one = naive.Small((naive.Branch((ANY,), (), beside),), ("?x", "?z"), {"s": 0, "c": 0}, "closed", 1)
    assert decided(one, trigger).verdict == "always"
    assert searched(one, (), 400, 1, trigger) is None


def test_t3_covers_tuple_and_unbounded_windows():
    for length in ("#1", "#2", None):
        one = small(length=length, period=3, result=("?x",))
        found = decided(one, "any")
        assert (found.verdict, found.why) == ("never", Theorem.NEVER.value)
        assert witnessed(one, found.witness)


def test_a_static_branch_of_the_users_own_is_no_cautious_reading_of_the_stream_beside_it():
    alone = naive.Branch((("static", "?y", naive.iri("k"), "?y"),))
    now = naive.Branch((("s", naive.iri("a"), naive.iri("q"), "?x"),))
    one = naive.Small((now, alone), ("?y",), {"s": 0, "c": 0}, "closed", 1)
    assert Decider(question(one)).decide(1).verdict == "depends on the static data"
    assert Decider(question(one, ())).decide(1).verdict == "always"


def test_a_cautious_block_that_a_user_wrote_reads_static_data_too():
    pattern = ("?x", naive.iri("p"), "?y")
    now, stored = (naive.Branch(((source, *pattern),)) for source in ("s", "static"))
    one = naive.Small((now, stored), ("?x",), {"s": 0, "c": 0}, "closed", 1)
    found = Decider(question(one)).decide(1)
    assert found.verdict == "not always"
    assert witnessed(one, found.witness)
    assert Decider(question(one, ())).decide(1).verdict == "always"


def test_a_number_that_static_data_hold_is_no_subject_of_what_arrives():
    joined = (("s", "?x", naive.iri("r"), "?y"), ("static", "?z", naive.iri("k"), "?x"))
    one = naive.Small((naive.Branch(joined),), ("?y",), {"s": 2, "c": 0}, "closed", 2)
    held = {
        verdict: ((naive.iri("a"), naive.iri("k"), term),)
        for verdict, term in (("always", naive.number(1)), ("never", naive.iri("b")))
    }
    for verdict, static in held.items():
        assert Decider(question(one, static)).decide(2).verdict == verdict


@pytest.mark.parametrize("word", ["MINUS", "OPTIONAL"])
def test_what_minus_looks_for_in_static_data_is_no_exclusive_source_of_what_streams_carry(word):
    beside = (word, (("static", "?x", naive.iri("p"), "?z"),))
    one = naive.Small((naive.Branch((ANY,), (), beside),), ("?x", "?z"), {"s": 0, "c": 0}, "closed", 1)
    found = decided(one, "any")
    assert searched(one, (), 400, 1) is not None
    assert found.verdict == "never"
    assert witnessed(one, found.witness)


STORED = ("static", "?x", naive.iri("k"), "?z")


@pytest.mark.parametrize(
    ("word", "part", "verdict"),
    [
        ("MINUS", STORED, "never"),
        ("OPTIONAL", STORED, "never"),
        # A value that the query names can be in static data, so that these can block every row.
        ("MINUS", ("static", naive.iri("a"), naive.iri("k"), "?x"), "never"),
        ("MINUS", ("static", "?y", naive.iri("k"), "?z"), "not always"),
    ],
)
def test_t5_new_names_meet_static_parts_whatever_is_stored(word, part, verdict):
    anchor = ("s", "?x", naive.iri("p"), naive.number(1) if "?y" not in part else "?y")
    conditions = (("=", "?y", naive.number(1)),) if "?y" in part else ()
    one = naive.Small(
        (naive.Branch((anchor,), conditions, (word, (part,))),), ("?x",), {"s": 2, "c": 0}, "closed", 2
    )
    assert Decider(question(one)).decide(2).verdict == verdict


@pytest.mark.parametrize(
    ("part", "verdict"),
    [
        (("s", "?x", naive.iri("p"), "?z"), "always"),
        (("s", "?z", naive.iri("p"), "?y"), "always"),
        (("s", "?x", naive.iri("p"), naive.number(1)), "never"),
        (("s", "?y", naive.iri("p"), "?z"), "never"),
        (("c", "?x", naive.iri("r"), "?z"), "never"),
    ],
)
def test_minus_of_what_the_left_side_has_matched_leaves_nothing(part, verdict):
    branch = naive.Branch((ANY,), (), ("MINUS", (part,)))
    one = naive.Small((branch,), ("?x",), {"s": 2, "c": 2}, "closed", 3)
    found = decided(one, "any")
    assert found.verdict == verdict
    assert (searched(one, (), 400, 1) is None) == (verdict == "always")


def test_where_no_theorem_decides_smallest_streams_are_searched():
    exact = naive.Branch((("c", naive.iri("a"), naive.iri("r"), naive.iri("b")),))
    firing = naive.Branch((("s", "?y", naive.iri("q"), "?v"),), ((">=", "?y", "?v"),))
    one = naive.Small((exact, firing), (), {"s": 3, "c": 1}, "closed", 2)
    found = Decider(question(one, (), "matching"))
    assert found.witness(2) is None
    assert found.decide(2).verdict == "never"
    assert witnessed(one, found.decide(2).witness, "matching")


def test_what_is_still_open_says_how_far_streams_were_searched():
    branch = naive.Branch((ANY,), (), ("OPTIONAL", (ANY,)))
    one = naive.Small((branch,), (), {"s": 1, "c": 0}, "closed", 2)
    found = Decider(question(one, (), "matching")).decide(2)
    assert found.verdict == "open"
    assert "up to 4 triples" in found.why
    assert searched(one, (), 400, 1, "matching") is None


def test_what_given_static_data_exclude_a_stream_may_bring_where_sources_overlap():
    parts = (("c", "?x", naive.iri("k"), naive.iri("b")), ("static", "?x", naive.iri("k"), "?v"))
    branch = naive.Branch(parts, (("!=", "?x", naive.iri("a")),))
    one = naive.Small((branch,), (), {"s": 0, "c": 1}, "closed", 2)
    static = ((naive.iri("a"), naive.iri("k"), naive.number(1)),)
    found = Decider(question(one, static)).decide(2)
    assert searched(one, static, 400, 1) is not None
    assert found.verdict == "never"
    assert witnessed(one, found.witness)


def test_a_window_of_many_time_points_is_shown_a_stream():
    one = small(length=150, period=3, result=("?x",))
    found = decided(one, "any")
    assert found.verdict == "never"
    assert witnessed(one, found.witness)


@pytest.mark.parametrize(
    ("where", "theorem"),
    [
        # Conditions on what no path binds exclude each disjunct.
        ("{ STREAM :s [TRIPLES 1] {?x :p+ ?y} FILTER(1 > 2) }", Theorem.NOTHING),
        ("STREAM :s [RANGE 2s] {?x :p* ?y . ?x :q ?z} FILTER(?z > 2 && ?z < 1)", Theorem.NOTHING),
        # One step cannot hold, though no step or two can.
        ("STREAM :s [RANGE 2s] {?x :q ?z . ?z :p* ?y} FILTER(?y = 1)", None),
        ("STREAM :s [RANGE 2s] {?x :p+ ?y} MINUS {STREAM :s [RANGE 2s] {?x :p ?y}}", None),
        (
            "STREAM :s [RANGE 2s] {?x :q ?z} {SELECT ?x {?x :p* ?y FILTER(?y > 2 && ?y < 1)}}",
            None,
        ),
    ],
)
def test_conditions_exclude_a_disjunct_with_a_path_where_they_look_at_nothing_of_it(where, theorem):
    text = f"PREFIX : <http://e/> SELECT ?x {{ {where} }}"
    asked = AgreementQuestion(derived(text), Setting(), None, Places(text, "q.rq"))
    assert agreement_theorem(asked, 2) is theorem
