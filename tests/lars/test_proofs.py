"""Every atom of every answer stream has a proof, checked by the definitions; worked proofs."""

from hypothesis import event, given

from lars.program import head_atom, variables
from lars.proving import provers
from lars.semantics import all_background, answer_streams, moments
from lars.shortfall import Searcher
from lars.terms import substitute
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
