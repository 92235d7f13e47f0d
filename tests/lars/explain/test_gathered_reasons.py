"""Proofs, shortfalls and verdicts about aggregates and orders."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.explain import provers
from lars.explain.shortfalls import Searcher
from lars.language.stream import moments, stream_of, with_moments
from lars.language.terms import Atom, Number, Symbol
from lars.language.windows import Interval
from lars.semantics import all_background, check_candidate
from lars.semantics.answer_check import IsAnswerStream, ReferencePoint, ViolatedRule
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from tests.lars.gathered import cases, evaluate, integer
from tests.lars.proof_checker import Checker
from tests.lars.strategies import A, looping_programs

TIMELINE = Interval(0, 9)


def p(*names):
    return [(5, Atom("p", (Symbol(name),))) for name in names]


def n(number, t=5):
    return t, Atom("n", (integer(number),))


def prover_of(text, arrivals, derived):
    return next(provers(read(text), stream_of(TIMELINE, arrivals), frozenset(derived), 5, (), evaluate))


COUNTED = "n(N) ← N := COUNT(*) of p(X)."


def test_a_proof_tells_the_number_of_instances_and_rests_on_some_of_them():
    letters = "abcdefghijklmnop"
    proof = prover_of(COUNTED, p(*letters), [n(16)]).proof(n(16))
    (premise,) = proof[n(16)].premises
    assert (str(premise.literal), premise.evidence.count) == ("N := COUNT(*) of p(X)", 16)
    assert list(proof) == [n(16), *p(*"abcdefghij")]


def test_a_proof_through_an_order_rests_on_the_one_that_stands_there():
    q = (5, Atom("q", (Symbol("b"),)))
    proof = prover_of("q(X) ← p(X) among 2..2 by X.", p("a", "b", "c"), [q]).proof(q)
    (premise,) = proof[q].premises
    assert (premise.evidence.count, list(proof)) == (3, [q, *p("b")])


SHOPS = [(5, Atom("sale", (Symbol(shop), Symbol(x)))) for shop, x in ("aa", "ab", "bc")]
FIRSTS = "q(S, X) ← sale(S, X) among 1..1 by X per S."


def test_a_proof_through_an_order_in_groups_counts_the_instances_of_the_group():
    q = (5, Atom("q", (Symbol("a"), Symbol("a"))))
    proof = prover_of(FIRSTS, SHOPS, [q]).proof(q)
    (premise,) = proof[q].premises
    assert (premise.evidence.count, list(proof)) == (2, [q, SHOPS[0]])


def failure_of(text, arrivals, goal):
    found = Searcher(prover_of(text, arrivals, []).world).shortfalls(goal)
    return next(iter(found.values())).attempts[0].failure


def test_another_value_is_told_by_the_instances_that_there_are():
    failure = failure_of(COUNTED, p("a", "b"), n(3))
    assert (failure.despite.count, failure.sight) == (2, None)


def test_a_group_without_instances_is_told_by_where_they_were_looked_for():
    goal = (5, Atom("n", (Symbol("z"), integer(3))))
    failure = failure_of("n(X, N) ← N := COUNT(*) of p(X) by X.", p("a"), goal)
    assert (failure.despite, str(failure.sight.atom), failure.sight.within) == (None, "p(z)", Interval(5, 5))


def test_what_stands_further_back_is_there_all_the_same():
    goal = (5, Atom("q", (Symbol("b"),)))
    failure = failure_of("q(X) ← p(X) among 1..1 by X.", p("a", "b"), goal)
    assert (failure.despite.count, [str(one) for one in failure.despite.examples]) == (2, ["p(b)"])


def test_what_stands_further_back_in_its_group_is_told_by_the_size_of_the_group():
    failure = failure_of(FIRSTS, SHOPS, (5, Atom("q", (Symbol("a"), Symbol("b")))))
    assert (failure.despite.count, [str(one) for one in failure.despite.examples]) == (2, ["sale(a, b)"])
    failure = failure_of(FIRSTS, SHOPS, (5, Atom("q", (Symbol("b"), Symbol("a")))))
    assert (failure.despite, str(failure.sight.atom)) == (None, "sale(b, a)")


def judge(text, derived, arrivals, background=()):
    data, here = stream_of(TIMELINE, arrivals), ReferencePoint(5, frozenset(background))
    return check_candidate(read(text), data, with_moments(data, derived), here, evaluate)


def test_a_wrong_number_is_unfounded_and_the_right_one_missing():
    assert judge(COUNTED, [n(2)], p("a", "b")) == IsAnswerStream()
    found = judge(COUNTED, [n(3)], p("a", "b"))
    two, three = n(2)[1], n(3)[1]
    assert (type(found), str(found.instance)) == (ViolatedRule, f"{two} ← N := COUNT(*) of p(X).")
    assert dict(found.instance.values) == {found.instance.rule.body[0].variable: integer(2)}
    assert judge(COUNTED, [n(2), n(3)], p("a", "b")).unsupported == ((5, three),)


def test_what_the_background_holds_counts_as_well():
    known = [Atom("p", (Symbol("z"),))]
    assert judge(COUNTED, [n(2)], p("a"), known) == IsAnswerStream()
    assert judge(f"{COUNTED} p(z).", [n(2)], p("a")) == IsAnswerStream()
    assert isinstance(judge(COUNTED, [n(2)], p("a")), ViolatedRule)


def test_a_constraint_about_an_aggregate_says_its_value():
    found = judge("← N := COUNT(*) of p(X).", [], p("a"))
    assert [f"{name} = {value.lexical}" for name, value in found.instance.values.items()] == ["N = 1"]


def test_a_program_without_layers_is_not_judged():
    with pytest.raises(LarsError, match="depends on the head of its own rule"):
        judge("p(N) ← N := COUNT(*) of p(X).", [], [])


# Random programs


def answers(case):
    return answer_streams(case.program, case.stream, case.t, case.background, evaluate)


@given(cases())
def test_every_derived_atom_has_a_proof_by_the_definition(made):
    case, _, _ = made
    known = all_background(case.program, case.background)
    for answer in answers(case):
        given_ = (case.program, case.stream, moments(answer), case.t, case.background, evaluate)
        prover = next(provers(*given_))
        checker = Checker(case.program, case.stream, prover.world.stream, case.t, known, evaluate)
        for moment in moments(answer):
            checker.check(prover.proof(moment), moment)
        for moment in [(case.t, Atom(name, (A, Number(3)))) for name in "cd"]:
            if not answer.holds_at(moment[1], case.t) and moment[1] not in known:
                checker.check_shortfalls(Searcher(prover.world).shortfalls(moment), moment)
        event("atoms" if moments(answer) else "none")


@given(cases() | cases(looping_programs()), st.data())
def test_a_stream_is_judged_an_answer_stream_exactly_when_it_is_one(made, data):
    case, _, _ = made
    found = [moments(answer) for answer in answers(case)]
    every = sorted(frozenset().union(*found), key=str)
    stray = st.builds(lambda a, b: (case.t, Atom("c", (a, b))), *[st.sampled_from((A, integer(1)))] * 2)
    one = st.sampled_from(every) | stray if every else stray
    base = data.draw(st.sampled_from((*found, frozenset())))
    tried = base ^ data.draw(st.just(frozenset()) | st.frozensets(one, max_size=2))
    verdict = check_candidate(
        case.program, case.stream, with_moments(case.stream, tried), point(case), evaluate
    )
    event(type(verdict).__name__)
    assert isinstance(verdict, IsAnswerStream) == (tried in found)


def point(case):
    return ReferencePoint(case.t, case.background)
