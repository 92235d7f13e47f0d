"""Aggregates and orders: worked examples of the definition, and all bindings tried on random programs."""

import pytest
from hypothesis import event, given

from lars.analysis import (
    Reach,
    gathered_strata,
    on_own_absence,
    positive_loops,
    reach,
    strata,
)
from lars.errors import LarsError
from lars.language.stream import moments, stream_of
from lars.language.terms import NULL, Atom, Number, Symbol
from lars.language.windows import Interval
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from tests.lars.gathered import brute, cases, evaluate

TIMELINE = Interval(0, 9)


def atom(text):
    name, *arguments = text.split()
    kinds = {"null": NULL}
    return Atom(
        name, tuple(kinds.get(a) or (Number(int(a)) if a.isdigit() else Symbol(a)) for a in arguments)
    )


def answers(text, now, t=5, background=()):
    """Return the derived atoms of each answer stream when these atoms come at 5."""
    stream = stream_of(TIMELINE, [(5, atom(one)) for one in now])
    found = answer_streams(read(text), stream, t, map(atom, background), evaluate)
    return [sorted(short(one) for _, one in moments(answer)) for answer in found]


def short(found):
    return " ".join((found.predicate, *(getattr(a, "lexical", str(a)) for a in found.arguments)))


def one(text, now, **more):
    (found,) = answers(text, now, **more)
    return found


SALES = ("sale a 3", "sale a 4", "sale b 3")


def test_each_group_has_its_own_value():
    assert one("n(S, N) ← N := COUNT(*) of sale(S, X) by S.", SALES) == ["n a 2", "n b 1"]
    assert one("n(S, N) ← N := SUM(X) of sale(S, X) by S.", SALES) == ["n a 7", "n b 3"]


def test_instances_are_a_multiset_unless_distinct():
    assert one("n(N) ← N := COUNT(X) of sale(S, X).", SALES) == ["n 3"]
    assert one("n(N) ← N := COUNT(DISTINCT X) of sale(S, X).", SALES) == ["n 2"]
    assert one("n(N) ← N := SUM(X) of sale(S, X).", SALES) == ["n 10"]
    assert one("n(N) ← N := SUM(DISTINCT X) of sale(S, X).", SALES) == ["n 7"]


def test_there_is_an_empty_group_only_without_keys():
    assert one("n(N) ← N := COUNT(*) of sale(S, X).", []) == ["n 0"]
    assert one("n(S, N) ← N := COUNT(*) of sale(S, X) by S.", []) == []


def test_null_is_a_group_and_no_value():
    now = ("p a null", "p null 3", "p null null")
    assert one("n(S, N) ← N := COUNT(X) of p(S, X) by S.", now) == ["n a 0", "n null 1"]
    assert one("n(N) ← N := COUNT(DISTINCT S, X) of p(S, X).", now) == ["n 3"]


def test_an_error_makes_the_value_null():
    assert one("n(S, N) ← N := SUM(X) of p(S, X) by S.", ("p a 3", "p a b", "p b 1")) == ["n a null", "n b 1"]


def test_the_separator_is_handed_over_and_values_come_in_the_order_of_their_texts():
    assert one('n(N) ← N := GROUP_CONCAT(X; "+") of p(X).', ("p c", "p a", "p b")) == ["n a+b+c"]


def test_only_what_holds_now_is_gathered():
    text = "@_T q(X) ← ⊞^9 @_T p(X). n(N) ← N := COUNT(*) of q(X). m(N) ← N := COUNT(*) of p(X)."
    found = one(text, ("p a", "p b"), t=7, background=["p c"])
    assert [name for name in found if name[0] in "mn"] == ["m 1", "n 1"]


def test_constants_and_repeated_variables_choose_the_instances():
    now = ("p a a", "p a b", "p b b")
    assert one("n(N) ← N := COUNT(*) of p(X, X).", now) == ["n 2"]
    assert one("n(N) ← N := COUNT(*) of p(a, X).", now) == ["n 2"]


@pytest.mark.parametrize(
    ("among", "found"),
    [
        ("1..2 by X", ["aa", "b"]),
        ("1..2 by desc X", ["bbb", "aa"]),
        ("2..3 by X", ["aa", "cc"]),
        ("3.. by X", ["bbb", "cc"]),
        ("1..0 by X", []),
        ("1..9", ["aa", "b", "bbb", "cc"]),
    ],
)
def test_ranges_count_from_1_and_ties_go_by_the_texts(among, found):
    now = ("p aa", "p cc", "p b", "p bbb")
    assert one(f"n(X) ← p(X) among {among}.", now) == sorted(f"n {name}" for name in found)


def test_null_comes_first_and_last_when_descending():
    assert one("n(X) ← p(X) among 1..1 by X.", ("p null", "p a")) == ["n null"]
    assert one("n(X) ← p(X) among 2..2 by desc X.", ("p null", "p a")) == ["n null"]


def test_ties_with_null_go_by_the_texts_with_null_first():
    assert one("n(X) ← p(X) among 1..2.", ("p null", "p a", "p b")) == ["n a", "n null"]
    assert one("n(X, Y) ← p(X, Y) among 1..1 by X.", ("p a null", "p a 1")) == ["n a null"]


@pytest.mark.parametrize(
    ("among", "found"),
    [
        ("1..1 by desc X per S", ["a yy", "b x"]),
        ("2..2 by X per S", ["a yy"]),
        ("1..1 per X", ["a x", "a yy"]),
        ("1..9 per S, X", ["a x", "a yy", "b x"]),
        ("2.. per S, X", []),
    ],
)
def test_the_first_are_counted_in_each_group(among, found):
    now = ("p a x", "p a yy", "p b x")
    assert one(f"n(S, X) ← p(S, X) among {among}.", now) == [f"n {row}" for row in found]


def test_null_is_a_group_of_its_own():
    found = one("n(S, X) ← p(S, X) among 1..1 by desc X per S.", ("p null a", "p null bb", "p a a"))
    assert found == ["n a a", "n null bb"]


def test_distinct_tuples_of_no_argument_are_one_if_there_is_an_instance():
    assert one("n(N) ← N := COUNT(DISTINCT *) of sale(S, X).", SALES) == ["n 1"]
    assert one("n(N) ← N := COUNT(DISTINCT *) of sale(S, X).", []) == ["n 0"]
    assert one("n(S, N) ← N := COUNT(DISTINCT *) of sale(S, X) by S.", SALES) == ["n a 1", "n b 1"]


def test_further_keys_decide_ties():
    text = "n(X, Y) ← p(X, Y) among 1..1 by X, desc Y."
    assert one(text, ("p a b", "p a bbb", "p aa bbbb")) == ["n a bbb"]


def test_what_is_gathered_can_be_gathered_again():
    text = "n(S, N) ← N := COUNT(*) of sale(S, X) by S. top(S) ← n(S, N) among 1..1 by desc N, S."
    assert [name for name in one(text, SALES) if "top" in name] == ["top a"]


def test_each_answer_stream_of_the_layer_below_has_its_own_values():
    text = "in(X) ← p(X), not out(X). out(X) ← p(X), not in(X). n(N) ← N := COUNT(*) of in(X). ← n(N), in(b)."
    found = answers(text, ("p a", "p b"))
    assert sorted(found) == [["in a", "n 1", "out b"], ["n 0", "out a", "out b"]]


def test_constraints_see_all_that_is_gathered():
    text = "← N := COUNT(*) of sale(S, X), n(M), N = M. n(N) ← N := COUNT(DISTINCT X) of sale(S, X)."
    assert answers(text, SALES) == [["n 2"]]
    assert answers(text, SALES[1:]) == []


def test_other_aggregates_need_an_evaluation():
    with pytest.raises(LarsError, match="gives no value to the SPARQL condition"):
        answer_streams(read("n(N) ← N := SUM(X) of p(X)."), stream_of(TIMELINE, []), 5)


@pytest.mark.parametrize(
    "text",
    [
        "p(N) ← N := COUNT(*) of p(X).",
        "q(N) ← N := COUNT(*) of p(X). p(X) ← ⊞^3 ◇ q(X).",
        "p(X) ← q(X). q(X) ← p(X), r(X) among 1..2. r(X) ← not p(X), f(X).",
    ],
)
def test_what_depends_on_its_own_aggregate_is_refused_by_rule_and_literal(text):
    program = read(text)
    with pytest.raises(LarsError, match=r"in the rule at program:1:\d+\n  (p|q)") as caught:
        answer_streams(program, stream_of(TIMELINE, []), 5)
    assert any(word in str(caught.value) for word in ("COUNT(*) of p(X)", "r(X) among 1..2"))
    assert strata(program) is None


def test_a_gathered_literal_looks_at_lower_layers():
    program = read("p(X) ← f(X). n(N) ← N := COUNT(*) of p(X). q ← not r. r ← not q. m(X) ← n(X) among 1.. .")
    below = [{name for name, _ in layer} for layer in gathered_strata(program)]
    assert below == [{"p", "q", "r"}, {"n"}, {"m"}]
    assert strata(program) is None
    assert (positive_loops(program), {name for name, _ in on_own_absence(program)}) == ({}, set())


def test_a_gathered_literal_reaches_no_further_than_the_reference_time():
    assert reach(read("n(N) ← N := COUNT(*) of p(X), p(Y) among 1..2.")) == Reach(0, 0, frozenset())


@given(cases())
def test_trying_every_binding_gives_the_same_answer_streams(made):
    case, base, layers = made
    found = answer_streams(case.program, case.stream, case.t, case.background, evaluate)
    expected = list(brute(case, base, layers))
    assert [moments(answer) for answer in found] == [moments(answer) for answer in expected]
    upper = [one for answer in found for _, one in moments(answer) if one.predicate in "cd"]
    event("gathered" if upper else "nothing gathered" if found else "no answer stream")
