"""A situation in columns: input atoms of each predicate with their times, in arrival order, and B."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from lars.language.terms import Signature, signature
from lars.language.windows import Interval
from solver.columns import Array, InputAtoms, TermCodes, TraceColumns, distinct, trace_columns
from solver.facts import Arguments, Arrivals, Background, CodedRows, Gate, Situation, times_of


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSituation:
    """A `Situation` in columns, which serves any number of programs.

    `atoms` are the input within the timeline, `background` the rows of B, one code an argument.
    """

    terms: TermCodes
    timeline: Interval
    atoms: Mapping[Signature, InputAtoms]
    background: Mapping[Signature, Array]

    def within(self, within: Interval) -> "EncodedSituation":
        """Return the situation with the input of an interval alone."""
        inside = {name: some.within(within) for name, some in self.atoms.items()}
        return replace(self, atoms=inside)

    def near(self, times: Sequence[int], past: int, future: int) -> "EncodedSituation":
        """Return the situation with the input in [t - past, t + future] of some of the times alone."""
        inside = {name: some.near(np.unique(times), past, future) for name, some in self.atoms.items()}
        return replace(self, atoms=inside)

    def decoded(self) -> Situation:
        """Return the situation with its facts one by one, for clingo."""
        facts = TraceColumns(self.terms, self.atoms, self.timeline.last).facts(self.timeline)
        return Situation(self.timeline, facts, self.decoded_background())

    def decoded_background(self) -> dict[Signature, list[Arguments]]:
        """Return B row by row."""
        return {
            name: [tuple(self.terms.atom_texts(row)) for row in rows]
            for name, rows in self.background.items()
        }

    def times(self, gate: Gate, within: Interval) -> Array:
        """Return the evaluation times in the interval, ascending."""
        within = within.meet(self.timeline)
        if not isinstance(gate, Arrivals):
            return np.array(times_of(gate, (), within), np.int64)
        arrived = [np.empty(0, np.int64)]
        for pattern in gate.patterns:
            if (some := self.atoms.get(signature(pattern))) is not None:
                some = some.within(within)
                fitting = self.terms.matching(pattern.arguments, some.columns, len(some.t))
                arrived.append(some.t[fitting])
        return distinct(np.concatenate(arrived))


def situation_of(columns: TraceColumns, timeline: Interval, background: Background) -> EncodedSituation:
    """Return what programs meet of a trace on a timeline."""
    terms = columns.terms
    inside = {name: some.within(timeline) for name, some in columns.atoms.items()}
    rows = {name: encoded_rows(rows, name[1], terms) for name, rows in background.items()}
    return EncodedSituation(terms, timeline, inside, rows)


def encode(situation: Situation) -> EncodedSituation:
    """Return a situation in columns."""
    return situation_of(trace_columns(situation.facts), situation.timeline, situation.background)


def encoded_rows(rows: Iterable[Sequence[str]], arity: int, terms: TermCodes) -> Array:
    """Return rows of texts as rows of codes."""
    if isinstance(rows, CodedRows):
        return terms.codes(rows.texts)[rows.codes]
    found = list(rows)
    return terms.codes(chain.from_iterable(found)).reshape(len(found), arity)
