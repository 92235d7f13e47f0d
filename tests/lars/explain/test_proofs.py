"""Every atom of every answer stream has a proof, checked by the definitions; worked proofs."""

from hypothesis import event, example, given
from hypothesis import strategies as st

from lars.analysis import on_own_absence
from lars.explain import provers, restore, violations, without_constraints
from lars.explain.shortfalls import Searcher
from lars.language.program import head_atom, variables
from lars.language.stream import moments, stream_of
from lars.language.terms import Atom, Number, Symbol, substitute
from lars.language.windows import Interval
from lars.semantics import all_background
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from tests.lars.proof_checker import Checker
from tests.lars.strategies import A, B, X, Y, cases


def answers(case):
    """Yield each answer stream of a case with a prover and a checker."""
    known = all_background(case.program, case.background)
    for answer in answer_streams(case.program, case.stream, case.t, case.background):
        found = list(provers(case.program, case.stream, moments(answer), case.t, case.background))
        assert found
        yield answer, found[0], Checker(case.program, case.stream, found[0].world.stream, case.t, known)


@given(cases())
def test_every_derived_atom_has_a_proof(case):
    for answer, prover, checker in answers(case):
        for moment in moments(answer):
            checker.check(prover.proof(moment), moment)
        event("atoms" if moments(answer) else "none")


def missing_moments(case, answer):
    """Yield atoms with times that the answer stream lacks: candidates, and others of their predicates."""
    heads = {head_atom(rule) for rule in case.program.rules if rule.head is not None and rule.body}
    ground_heads = {substitute(atom, {X: term, Y: term}) for atom in heads for term in (A, B)}
    known = all_background(case.program, case.background)
    for atom in sorted(ground_heads - known, key=str):
        for t in {case.t, case.stream.timeline.first, case.stream.timeline.last}:
            if not variables(atom) and not answer.holds_at(atom, t):
                yield t, atom


@given(cases())
def test_every_other_atom_has_a_shortfall_whose_failing_literal_fails(case):
    for _, prover, checker in answers(case):
        for moment in missing_moments(case, checker.answer):
            assert prover.proof(moment) is None
            found = Searcher(prover.world).shortfalls(moment)
            checker.check_shortfalls(found, moment)
            event("attempts" if next(iter(found.values())).attempts else "no attempt")


@given(cases())
def test_without_answer_stream_a_rule_is_violated_or_an_atom_hangs_on_its_own_absence(case):
    given_, rules = (
        (case.stream, case.t, case.background),
        without_constraints(case.program, case.stream.timeline),
    )
    own = [moments(answer) for answer in answer_streams(case.program, *given_)]
    freed = [moments(answer) for answer in answer_streams(rules, *given_)]
    assert set(own) <= set(freed)
    times = {*map(Number, case.stream.timeline)}
    assert freed or on_own_absence(case.program)
    for derived in freed:
        prover = next(provers(rules, case.stream, derived, case.t, case.background))
        found = list(violations(restore(prover.world, case.program)))
        assert found or derived in own
        assert all(one.head is None or one.head[0] not in times for one in found)
    event("answered" if own else "violated" if freed else "circular")


def steps(text, arrivals, t, goal, derived):
    """Return the texts of what a proof rests on, in order."""
    (prover,) = provers(read(text), stream_of(Interval(0, 9), arrivals), frozenset(derived), t)
    return [f"{atom} at {u}" for u, atom in prover.proof(goal)]


P, Q, E = Atom("p"), Atom("q"), Atom("e")


def test_the_newest_witness_is_shown():
    assert steps("p ← ⊞^5 ◇ e.", [(1, E), (4, E), (7, E)], 6, (6, P), [(6, P)]) == ["p at 6", "e at 4"]


def test_an_atom_in_a_loop_rests_on_what_was_derived_before_it():
    text = "p ← q. q ← p. q ← ⊞^5 ◇ e."
    assert steps(text, [(4, E)], 6, (6, P), [(6, P), (6, Q)]) == ["p at 6", "q at 6", "e at 4"]


def test_box_rests_on_every_time_that_is_shown():
    arrivals = [(4, E), (5, E), (6, E)]
    assert steps("p ← ⊞^2 □ e.", arrivals, 6, (6, P), [(6, P)]) == ["p at 6", "e at 4", "e at 5", "e at 6"]


def test_an_atom_that_only_supports_itself_has_no_proof():
    (prover,) = provers(read("p ← p."), stream_of(Interval(0, 9), []), frozenset([(6, P)]), 6)
    assert prover.proof((6, P)) is None


def test_a_rule_is_tried_wherever_its_head_can_be_what_is_missed():
    def tried(head):
        text = f"{head} ← r(X). q(X) ← p(Y, X), s(X). m(X) ← p(Y, Y), s(X)."
        arrivals = [(5, Atom("s", (Symbol("a"),)))]
        (prover,) = provers(read(text), stream_of(Interval(0, 9), arrivals), frozenset(), 5)
        for name in "qm":
            goal = 5, Atom(name, (Symbol("a"),))
            _, missed = Searcher(prover.world).shortfalls(goal).values()
            yield bool(missed.attempts)

    assert list(tried("p(X, X)")) == [True, True]
    assert list(tried("p(a, b)")) == [False, False]
    assert list(tried("p(b, a)")) == [True, False]


PARTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from((X, Y))), min_size=1, max_size=4, unique=True
)
HELD = st.sets(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), max_size=6)


@given(PARTS, HELD)
@example([("a", X), ("b", X), ("c", X)], {("a", 1), ("b", 2), ("c", 2), ("b", 3), ("c", 3)})
def test_the_closest_instances_satisfy_as_many_literals_as_any(parts, held):
    program = read(f"g ← {', '.join(f'{name}({variable})' for name, variable in parts)}.")
    arrived = stream_of(Interval(1, 1), [(1, Atom(name, (Number(n),))) for name, n in held])
    prover = next(provers(program, arrived, moments(arrived), 1, frozenset()))
    attempts = next(iter(Searcher(prover.world).shortfalls((1, Atom("g"))).values())).attempts
    by_variable = {one: [name for name, variable in parts if variable == one] for one in (X, Y)}
    counts = (
        max(sum((name, n) in held for name in names) for n in (1, 2, 3)) for names in by_variable.values()
    )
    best = sum(counts)
    assert {len(attempt.premises) for attempt in attempts} == {best}


def test_a_join_whose_own_premise_is_missing_is_not_explained_by_what_holds_anyway():
    """No e(b, Y) is shown, whichever Y: f(3) and f(4) hold anyway, and are no part of what is missing."""
    text = "g(X) ← e(X, Y), f(Y)."
    arrivals = [(1, Atom("e", (Symbol("b"), Number(2)))), *((5, Atom("f", (Number(n),))) for n in (3, 4))]
    (prover,) = provers(read(text), stream_of(Interval(0, 9), arrivals), frozenset(), 5)
    goal = 5, Atom("g", (Symbol("b"),))
    (attempt,) = next(iter(Searcher(prover.world).shortfalls(goal).values())).attempts
    assert (str(attempt.failure.literal), attempt.failure.sight.before[0], attempt.other_count) == (
        "e(b, Y)",
        1,
        1,
    )


def test_a_time_of_a_head_that_the_body_takes_from_the_timeline_needs_no_comparison():
    """Comparisons of times with numbers would keep the solver from skipping times without events."""
    inside = "@_T h(X) ← ⊞^∞ @_T q(X)."
    outside = "@_T h(X) ← q(X), not @_T r(X), T = U + 1, @_U q(X)."
    kept, bounded = without_constraints(read(f"{inside} {outside}"), Interval(0, 9)).rules
    assert (str(kept), str(bounded).endswith("T >= 0, T <= 9.")) == (inside, True)
