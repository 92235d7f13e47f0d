"""OPTIONAL parts that change no column of the result: as sets, the pattern without them answers the same.

P1 OPT P2 extends each solution of P1 in one or more ways. Where no variable that P2 alone binds is
seen outside, all of them are the solution of P1 there. P2 must bind no variable that P1 leaves unbound.
"""

from dataclasses import replace

from lars.program import variables as named_in
from lars.terms import Variable
from translate.analysis import nullable, occurring, tests_of
from translate.patterns import Filter, Join, LeftJoin, Pattern, Select, Union, variables

_Names = frozenset[Variable]


def pruned(pattern: Pattern, seen: _Names) -> Pattern:
    """Return the pattern without OPTIONAL parts of which nothing is seen; solutions agree on `seen`."""
    match pattern:
        case LeftJoin(left, right, condition):
            own = variables(right) - variables(left)
            if not own & seen and not nullable(left) & variables(right):
                return pruned(left, seen)
            if tests_of(pattern):
                return pattern
            tested = frozenset[Variable]() if condition is None else named_in(condition)
            mine = pruned(left, seen | occurring(right) | tested)
            return replace(pattern, left=mine, right=pruned(right, seen | occurring(left) | tested))
        case Join(left, right):
            return Join(pruned(left, seen | occurring(right)), pruned(right, seen | occurring(left)))
        case Union(left, right):
            return Union(pruned(left, seen), pruned(right, seen))
        case Filter(inner, condition, ()):
            return replace(pattern, pattern=pruned(inner, seen | named_in(condition)))
        case Select(inner, result, modifiers) if not modifiers.slices:
            return replace(pattern, pattern=pruned(inner, frozenset(result)))
        case _:
            return pattern
