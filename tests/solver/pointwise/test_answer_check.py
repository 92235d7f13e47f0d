"""The judge and clingo: of all the streams that could be, the same ones are answer streams."""

from itertools import chain, combinations

from hypothesis import assume, event, given

from lars.language.stream import moments, with_moments
from lars.semantics import check_candidate, separate
from lars.semantics.answer_check import IsAnswerStream, ReferencePoint
from solver.pointwise import models
from tests.lars.strategies import candidates, cases
from tests.solver.strategies import covered_programs, is_encoded, part_of, situation_of


def subsets(case):
    data = moments(separate(case.program, case.stream))
    more = sorted(candidates(case) - data, key=str)
    chosen = chain.from_iterable(combinations(more, size) for size in range(len(more) + 1))
    return (data.union(atoms) for atoms in chosen)


@part_of(0.2)
@given(cases(covered_programs()))
def test_exactly_the_answer_streams_that_clingo_finds_are_judged_so(case):
    assume(is_encoded(case.program))
    found = {frozenset(model) for model in models(case.program, situation_of(case), case.t)}
    event(f"{min(len(found), 2)} answer streams")
    point = ReferencePoint(case.t, case.background)
    for atoms in subsets(case):
        verdict = check_candidate(case.program, case.stream, with_moments(case.stream, atoms), point)
        assert isinstance(verdict, IsAnswerStream) == (atoms in found)
