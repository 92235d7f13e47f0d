"""The judge of answer streams: worked cases, and the definition by enumeration on random ones."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.stream import moments, stream_of, with_moments
from lars.language.terms import Atom, Number
from lars.language.windows import Interval
from lars.semantics import check_candidate
from lars.semantics.answer_check import (
    IsAnswerStream,
    NotAnInterpretation,
    ReferencePoint,
    SmallerModel,
    ViolatedRule,
)
from lars.semantics.definitions import answer_streams, is_model, reduct, satisfies
from lars.text.notation import read
from tests.lars.brute import circular_programs, is_flp, near, parts_of
from tests.lars.strategies import cases

TIMELINE = Interval(0, 9)
E = Atom("e")


def judge(text, derived=(), arrivals=(), t=5, background=()):
    """Return the verdict on a stream of derived atoms given as texts, `3 p` for p at 3."""
    data = stream_of(TIMELINE, arrivals)
    found = with_moments(data, map(moment, derived))
    return check_candidate(read(text), data, found, ReferencePoint(t, frozenset(background)))


def moment(text):
    t, name = text.split()
    return int(t), Atom(name)


def names(found):
    return [f"{t} {atom}" for t, atom in found]


def test_no_answer_stream_is_not_the_empty_one():
    assert judge("p ← not p.") == ViolatedRule(judge("p ← not p.").instance)
    assert names(judge("p ← not p.", ["5 p"]).unfounded) == ["5 p"]
    assert judge("p ← p.") == IsAnswerStream()


@pytest.mark.parametrize(
    ("derived", "verdict"),
    [("p", IsAnswerStream), ("q", IsAnswerStream), ("pq", SmallerModel), ("", ViolatedRule)],
)
def test_an_even_loop_has_two_answer_streams_and_no_other(derived, verdict):
    assert type(judge("p ← not q. q ← not p.", [f"5 {name}" for name in derived])) is verdict


def test_the_violated_rule_is_named_with_its_values():
    found = judge("p(X) ← n(X), X > 3.", background=[Atom("n", (Number(n),)) for n in (2, 4)])
    assert (str(found.instance), str(found.instance.rule)) == ("p(4) ← n(4).", "p(X) ← n(X), X > 3.")
    assert {str(name): str(value) for name, value in found.instance.values.items()} == {"X": "4"}


def test_a_constraint_is_violated_when_its_body_holds():
    found = judge("p ← not q. q ← not p. ← p.", ["5 p"])
    assert (str(found.instance), found.other_count) == ("← p.", 0)


def test_a_head_outside_the_timeline_is_violated_whatever_the_stream():
    late = [Atom("late", (Number(10),))]
    assert (
        str(judge("@_T p ← late(T), e.", [], [(5, E)], background=late).instance) == "@_10 p ← late(10), e."
    )
    assert judge("@_T p ← late(T), e.", background=late) == IsAnswerStream()


def test_an_atom_that_no_rule_derives_is_unsupported():
    found = judge("p ← e. q ← z.", ["5 p", "3 q"], [(5, E)])
    assert [names(part) for part in (found.least, found.unfounded, found.unsupported)] == [
        ["5 p"],
        ["3 q"],
        ["3 q"],
    ]
    assert found.circle == ()


@pytest.mark.parametrize("formula", ["⊞^3 ◇ p", "⊞^0 □ p", "not ⊞^3 □ ¬p", "⊞^2 ◇ ⊞^1 ◇ p"])
def test_an_atom_that_supports_itself_through_windows_is_a_circle(formula):
    found = judge(f"p ← {formula}.", ["5 p"])
    (link,) = found.circle
    assert (names(found.unfounded), found.unsupported) == (["5 p"], ())
    assert link.formula == read(f"h ← {formula}.").rules[0].body[0]
    assert names([link.head, link.below]) == ["5 p", "5 p"]
    assert list(map(str, link.windows)) == [part for part in formula.split() if part[0] == "⊞"]


def test_a_circle_goes_through_several_rules_and_times():
    found = judge("@_T p ← ⊞^1 @_T q. @_T q ← ⊞^1 @_T true, ⊞^0 □ p.", ["5 p", "5 q", "4 p", "4 q"])
    assert [names([link.head, link.below]) for link in found.circle] == [["5 p", "5 q"], ["5 q", "5 p"]]
    assert names(found.unfounded) == ["4 p", "4 q", "5 p", "5 q"]


def test_what_is_not_the_data_on_input_is_no_interpretation():
    data = stream_of(TIMELINE, [(2, E)])
    other = stream_of(Interval(0, 12), [(3, E), (12, Atom("p"))])
    found = check_candidate(read("p ← e."), data, other, ReferencePoint(5))
    assert found == NotAnInterpretation(((2, E),), ((3, E),), ((12, Atom("p")),))


def test_some_choice_of_ties_is_enough():
    program = "p(X) ← ⊞^{#1 choose} ◇ f(X)."
    f, g = (Atom("f", (Number(n),)) for n in (1, 2))
    p, q = (Atom("p", (Number(n),)) for n in (1, 2))
    data = stream_of(TIMELINE, [(3, f), (3, g)])
    one = check_candidate(read(program), data, with_moments(data, [(5, p)]), ReferencePoint(5))
    ((window, kept),) = one.choice
    assert (str(window), kept) == ("⊞^{#1 choose}", ((3, f),))
    both = check_candidate(read(program), data, with_moments(data, [(5, p), (5, q)]), ReferencePoint(5))
    assert (type(both), both.choice_count, len(both.unfounded)) == (SmallerModel, 2, 1)
    assert type(check_candidate(read(program), data, data, ReferencePoint(5))) is ViolatedRule


def test_too_many_choices_of_ties_are_refused():
    data = stream_of(TIMELINE, [(3, Atom("f", (Number(n),))) for n in range(30)])
    with pytest.raises(LarsError, match="more than 10000 choices at 5"):
        check_candidate(read("p ← ⊞^{#15 choose} ◇ f(1), not p."), data, data, ReferencePoint(5))


def test_a_reference_time_outside_the_timeline_is_an_error():
    with pytest.raises(LarsError, match=r"10 is outside the timeline \[0, 9\]"):
        judge("p ← e.", t=10)


def test_a_timeline_too_long_for_the_definition_is_refused():
    data = stream_of(Interval(0, 10**12), [])
    assert check_candidate(read("p ← ⊞^9 □ e."), data, data, ReferencePoint(10**12)) == IsAnswerStream()
    with pytest.raises(LarsError, match="more than 10000000 time points"):
        check_candidate(read("p ← □ true."), data, data, ReferencePoint(5))


def test_input_that_no_window_shows_costs_nothing():
    data = stream_of(Interval(0, 10**9), [(t, Atom("f", (Number(t),))) for t in range(0, 10**6, 100)])
    program = read("@_T p(X) ← ⊞^500 @_T f(X). q ← ⊞^{#3} ◇ f(X), ⊞^{#2} @_T f(X).")
    found = with_moments(data, [(500, Atom("p", (Number(500),))), (600, Atom("p", (Number(600),)))])
    wrong = check_candidate(program, data, found, ReferencePoint(700))
    assert str(wrong.instance) == "@_200 p(200) ← ⊞^500 @_200 f(200)."


# The definition on random programs and streams


def verdict_of(case, found):
    whole = with_moments(case.stream, found)
    return check_candidate(case.program, case.stream, whole, ReferencePoint(case.t, case.background))


@given(cases() | cases(circular_programs()), st.data())
def test_a_stream_is_an_answer_stream_exactly_by_the_definition(case, data):
    answers = [moments(a) for a in answer_streams(case.program, case.stream, case.t, case.background)]
    found = data.draw(near(case, answers))
    verdict = verdict_of(case, found)
    event(type(verdict).__name__)
    assert isinstance(verdict, IsAnswerStream) == is_flp(case, parts_of(case), found)


@given(cases() | cases(circular_programs()), st.data())
def test_what_a_verdict_says_is_so(case, data):
    answers = [moments(a) for a in answer_streams(case.program, case.stream, case.t, case.background)]
    found = data.draw(near(case, answers))
    parts = parts_of(case)
    match verdict_of(case, found):
        case ViolatedRule(instance):
            assert (instance.head, instance.body) in {(one.head, one.body) for one in parts[0]}
            wholes = (with_moments(one, found) for one in parts[1])
            assert any(not satisfies(instance, whole, case.t, parts[2]) for whole in wholes)
        case SmallerModel(least, unfounded, unsupported, links):
            assert ({*least} | {*unfounded}, {*least} & {*unfounded}) == (found, set())
            assert is_smaller_model(case, parts, least, found)
            assert bool(links) != bool(unsupported)
            heads = [link.head for link in links]
            assert [link.below for link in links] == [*heads[1:], *heads[:1]]


def is_smaller_model(case, parts, least, found):
    naive, all_data, known = parts
    lefts = ((reduct(naive, with_moments(one, found), case.t, known), one) for one in all_data)
    return any(is_model(left, with_moments(one, least), case.t, known) for left, one in lefts)


@given(cases() | cases(circular_programs()))
def test_every_answer_stream_is_judged_one(case):
    for found in answer_streams(case.program, case.stream, case.t, case.background):
        assert isinstance(verdict_of(case, moments(found)), IsAnswerStream)
