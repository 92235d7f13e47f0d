"""The founded reading beside FLP: where they can differ, and that they differ nowhere else."""

from itertools import chain, combinations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.stream import moments, stream_of, with_moments
from lars.language.terms import Atom
from lars.language.windows import Interval
from lars.semantics import check_candidate, circular_through_negation, separate
from lars.semantics.answer_check import IsAnswerStream, ReferencePoint
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from tests.lars.brute import circular_programs, is_founded, near, parts_of
from tests.lars.strategies import candidates, cases

P = Atom("p")
BOTH = ("FLP", "founded")


def readings(case, found):
    """Return whether the atoms make an answer stream, under FLP and under the founded reading."""
    whole = with_moments(case.stream, found)
    points = (ReferencePoint(case.t, case.background, reading) for reading in BOTH)
    return tuple(
        isinstance(check_candidate(case.program, case.stream, whole, p), IsAnswerStream) for p in points
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p ← not not p.", (False, True)),
        ("p ← ¬ ⊞^3 □ ¬ p.", (False, True)),
        ("p ← ⊞^3 ◇ ¬ ¬ p.", (False, True)),
        ("p ← ⊞^3 ◇ p.", (False, False)),
        ("p ← not not p. p ← not q.", (True, True)),
    ],
)
def test_what_stands_under_two_negations_founds_itself_in_one_reading_only(text, expected):
    data = stream_of(Interval(0, 9), [])
    found = with_moments(data, [(5, P)])
    judge = (check_candidate(read(text), data, found, ReferencePoint(5, reading=reading)) for reading in BOTH)
    assert tuple(isinstance(verdict, IsAnswerStream) for verdict in judge) == expected


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("p ← not not p. q ← not not p.", ["p ← not not p."]),
        ("p ← ¬ ⊞^3 □ ¬ q. q ← p, not r. r ← p.", ["p ← not ⊞^3 □ ¬q."]),
        ("p ← not not q. q ← not p.", []),
        ("p ← ⊞^3 ◇ p, not e. q ← not q.", []),
        ("p ← ⊞^3 ◇ ¬ ⊞^1 □ ¬ p.", ["p ← ⊞^3 ◇ ¬⊞^1 □ ¬p."]),
        ("@_T p(X) ← f(X), ⊞^2 @_T ¬¬p(X).", ["@_T p(X) ← f(X), ⊞^2 @_T ¬¬p(X)."]),
        ("← not not p. p ← e.", []),
    ],
)
def test_the_rules_through_which_the_readings_may_differ_are_told_from_the_text(text, rules):
    assert list(map(str, circular_through_negation(read(text)))) == rules


@given(cases() | cases(circular_programs()), st.data())
def test_the_founded_reading_is_decided_as_by_enumeration(case, data):
    answers = [moments(a) for a in answer_streams(case.program, case.stream, case.t, case.background)]
    found = data.draw(near(case, answers))
    flp, founded = readings(case, found)
    event(f"FLP {flp}, founded {founded}")
    assert founded == is_founded(case, parts_of(case), found)


@given(cases() | cases(circular_programs()))
def test_the_readings_differ_only_where_the_program_says_so_and_then_flp_has_fewer(case):
    given_atoms = moments(separate(case.program, case.stream))
    possible = sorted(candidates(case) - given_atoms, key=str)
    subsets = chain.from_iterable(combinations(possible, n) for n in range(len(possible) + 1))
    found = [readings(case, given_atoms.union(chosen)) for chosen in subsets]
    event("differ" if (False, True) in found else "coincide")
    assert (True, False) not in found
    assert circular_through_negation(case.program) or (False, True) not in found
