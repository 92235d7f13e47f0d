"""How many instances a search's programs have, before clingo lists them: it cannot be stopped then."""

from dataclasses import replace
from typing import Final

from lars.analysis import with_windows
from lars.analysis.elimination import with_fewer_variables
from lars.language.program import Program
from lars.language.windows import NOW, Interval
from solver.facts import Fact, Situation
from solver.job import Question
from solver.relational import encode, ground_instances, obstacle
from solver.search.contests import Candidates, Contest, SearchLimits, TooLargeError
from solver.search.trying import with_atoms

_FEW: Final = 200_000
"""Of so many instances the programs are grounded as they are."""
_MOST: Final = 10_000_000
_EACH_SECOND: Final = 500_000
"""So many instances clingo lists in a second at least."""


def grounded_in_time(contest: Contest, candidates: Candidates, points: int, limits: SearchLimits) -> Contest:
    """Return the contest with programs that can be grounded for evaluation at so many time points.

    These are its own, or such with fewer variables. TooLargeError: both have too many instances.
    """
    most = int(min(_MOST, limits.deadline.left * _EACH_SECOND)) // max(points, 1)
    few = min(most, _FEW // max(points, 1))
    if _instances(contest, candidates, few) <= few:
        return contest
    left, right = (_narrowed(side, candidates) for side in (contest.left, contest.right))
    narrowed = replace(contest, left=left, right=right)
    if _instances(narrowed, candidates, most) > most:
        raise TooLargeError(limits.arrivals)
    return narrowed


def _narrowed(side: Question, candidates: Candidates) -> Question:
    assert side.predicate is not None, "answer streams are not compared"
    given = frozenset(with_atoms(candidates.background, candidates.static))
    return replace(side, program=with_fewer_variables(side.program, side.predicate, given))


def _instances(contest: Contest, candidates: Candidates, most: int) -> int:
    """Return how many instances the rules have at a time point at which all candidates are there."""
    facts = [Fact(0, atom.predicate, tuple(map(str, atom.arguments))) for atom in candidates.arrivals]
    background = with_atoms(candidates.background, candidates.static)
    here = encode(Situation(Interval(0, 0), facts, background))
    found = 0
    for program in map(_at_once, contest.programs):
        if found <= most and obstacle(program, background) is None:
            found += ground_instances(program, here, 0, most - found)
    return found


def _at_once(program: Program) -> Program:
    return with_windows(program, lambda _: NOW)
