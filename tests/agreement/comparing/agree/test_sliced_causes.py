"""Causes and supports that are found in slices, as in tasks of Spark, are those of the whole."""

import pickle
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as some

from agreement.comparing.agree.causes import DifferingRows
from agreement.documents.traces import LocalTrace
from lars.language.windows import Interval
from solver.columns import TermCodes, TraceColumns, in_time_order
from solver.job import needs_of
from solver.relational import situation_of
from tests.agreement.comparisons import SPECS, explained, facts_of, report, variant_of


@dataclass(slots=True)
class CutTrace(LocalTrace):
    """A trace that gives work to slices of so many time points as if each were elsewhere."""

    length: int = 1

    def slices(self, questions, before):
        """Return slices of the same length."""
        wanted, last = needs_of(questions).from_before(before), self.timeline.last
        if wanted.halo is None or wanted.reach.tuples:
            return [self.timeline]
        starts = range(self.timeline.first, last + 1, self.length)
        return [Interval(first, min(first + self.length - 1, last)) for first in starts]

    def results(self, find, given, questions, before):
        """Return what is found in slices."""
        return [
            self._elsewhere(*pickle.loads(pickle.dumps((find, questions, before, *one)))) for one in given
        ]

    def _elsewhere(self, find, questions, before, within, share):
        wanted, known = needs_of(questions).from_before(before), self.columns.terms
        needed = wanted.among(self.columns.atoms, known, self.timeline).thinned(wanted.triggers, known)
        atoms = in_time_order(needed.of(within))
        terms = TermCodes()
        terms.code("<http://example.org/elsewhere>")
        coded = {
            name: replace(one, columns=differing(known, one.columns).coded_by(terms).columns)
            for name, one in atoms.items()
        }
        columns = TraceColumns(terms, coded, within.last)
        return find(situation_of(columns, self.timeline, self.background), share)


def cut_into(variant, length):
    """Return a comparison whose causes are found in slices of so many time points."""
    values = {one.name: getattr(variant.trace, one.name) for one in fields(LocalTrace) if one.init}
    return replace(variant, trace=CutTrace(**values, length=length))


TIMED = SPECS.filter(lambda spec: not any(size for *_, size in spec.windows))
"""Windows of tuples are asked about in one slice."""


@given(SPECS | TIMED, some.integers(1, 5))
def test_slices_find_what_the_whole_finds(spec, length):
    whole = variant_of(spec)
    found = explained(cut_into(whole, length))
    event("rows" if found else "no row")
    assert found == explained(whole)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_slice_sees_the_whole_periods_that_end_in_it(length):
    """The row is reported at 1 and expired long before its period ends, at 5, or 10."""
    pattern, window = "?x :p ?y", "RANGE 1s"
    queries = (
        f"SELECT ?x FROM STREAM :r [{window}] WHERE {{ {pattern} }}",
        f"SELECT ?x WHERE {{ STREAM :r [{window}] {{ {pattern} }} }}",
    )
    facts = facts_of([("1", "a", "p", "b"), ("7", "a", "p", "b")], lambda _: "r")
    variant = cut_into(report(queries, facts, period=5, last=10, static=()), length)
    assert [(one.end, one.side, one.cause, one.support) for one in explained(variant)] == [
        (5, "push", "expired before the pull", (facts[0],)),
        (10, "push", "expired before the pull", (facts[1],)),
    ]


def differing(terms, columns):
    """Return rows of these columns that only one side reports."""
    times = np.zeros(len(columns[0]) if columns else 0, np.int64)
    return DifferingRows(terms, tuple(columns), *[times] * 5)


def test_columns_that_go_elsewhere_keep_their_texts():
    terms = TermCodes()
    one = differing(terms, (terms.codes(["<a>", "<b>", "null"]), terms.codes(["<b>", '"c"', "<a>"])))
    there = pickle.loads(pickle.dumps(one.take([0, 2])))
    assert [there.terms.texts(column) for column in there.columns] == [["<a>", None], ["<b>", "<a>"]]
    others = TermCodes()
    others.codes(["<z>", "<b>"])
    again = there.coded_by(others)
    assert [others.texts(column) for column in again.columns] == [["<a>", None], ["<b>", "<a>"]]
    assert pickle.loads(pickle.dumps(differing(terms, ()))).columns == ()
