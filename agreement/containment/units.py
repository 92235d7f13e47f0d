"""What is found with a finer unit of time: data have more times to lie at, and evaluations too.

U1. Let g be the greatest common divisor of all durations. Ends of windows lie at whole g, counted from 0 for
windows with a slide and from t for others. With the unit g/k, t is j/k past a whole g. Whether data refute a
containment depends on which of the ends, and of the gaps between them, hold a time point: an end always
does, a gap if it is longer than g/k. For k = 4 and t = 0 or 1/2 all gaps do; so what is contained with the
unit g/4 is contained with each that divides g, and data for a unit g/k are data for g/(nk). Without
durations no unit matters.
"""

from dataclasses import replace

from agreement.containment.canonical import OneQuery, in_unit
from agreement.containment.findings import Containment, FinerUnit, Holds
from agreement.containment.operators import contained
from agreement.inputs import durations_of, finer_units


def contained_in_units(one: OneQuery, other: OneQuery) -> Containment:
    """Return whether one query is contained in the other, and a finer unit with which that changes."""
    found = contained(one, other)
    durations = [each for query in (one, other) for each in durations_of(query.query)]
    for unit in finer_units(one.setting.unit, durations) if found.holds is not Holds.NO else ():
        again = contained(in_unit(one, unit), in_unit(other, unit))
        if again.holds not in (found.holds, Holds.OPEN):
            return replace(found, finer=FinerUnit(unit, again))
    return found
