"""Check answers with clingo: at some times, relational evaluation and clingo must compute equal rows."""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise
from random import Random
from typing import Final

import numpy as np

from lars.analysis import reach
from lars.dataclass import dataclass
from lars.errors import FailedRunError
from lars.language.terms import Signature, signature
from lars.language.windows import LARGEST_TIME, Interval, TupleWindow
from solver import relational
from solver.columns import Array, Mask, distinct
from solver.job import evaluation
from solver.pointwise import have_runs
from solver.settings import Certify, Evaluator

_CHEAP: Final = 10_000
"""The number of atoms that clingo processes in a few tenths of a second.

The atoms of the input and of the answers count at each checked time.
"""
_SHARE: Final = 0.02
"""The share of a job's atoms that clingo may process for checks.

An atom costs clingo eight times as much as the relational evaluation.
"""
_ORDERED: Final = 6
"""The additional cost of an atom in a tuple window, expressed as a number of atoms.

For such an atom, clingo also needs the position of the atom in the order of arrival.
"""
_EACH: Final = 50
"""The cost of one time point for clingo without its atoms, expressed as a number of atoms."""
_INSTANCES: Final = 500_000
"""The number of rule instances that clingo lists in about half a second."""
_INSTANCES_EACH: Final = 10
"""The number of rule instances that clingo lists in the time that it needs to read one atom."""
_LARGE: Final = 500
"""The number of atoms that clingo reads in the time of a search for the atoms that rules can use."""
_SEED: Final = 20150725
"""An arbitrary number; it is fixed, so that the same times are drawn in each run."""


def certified_runs(  # noqa: PLR0913, PLR0917 - what is answered, and how it is checked
    question: evaluation.Question,
    situation: relational.EncodedSituation,
    within: Interval,
    evaluator: Evaluator = "auto",
    certify: Certify | int = "some",
    parts: int = 1,
    *,
    is_checked: bool = False,
) -> evaluation.AnswerRuns:
    """Return the answers to a question, after clingo has checked the answers at some times, if possible.

    If `certify` is "some", clingo does not check times with too many rule instances, but checks at least one
    time, unless clingo has checked another of the `parts` of the job (`is_checked`).

    Raises:
        DisputedAnswerError: Clingo computes other rows.
    """
    runs = certified_part(question, situation, within, evaluator, certify, parts)
    if is_checked or not lacks_certified(runs, certify):
        return runs
    claim = _Claim(question, runs, _used(question, situation, within))
    cheapest = claim.cheapest()
    # A drawn time tests more than the cheapest time, at which the windows are often empty.
    drawn = claim.groundable([_draw(question, within).choice(cheapest)])
    return claim.certified(drawn or claim.groundable(cheapest[:1]), situation)


def certified_part(  # noqa: PLR0913, PLR0917 - what is answered, and how it is checked
    question: evaluation.Question,
    situation: relational.EncodedSituation,
    within: Interval,
    evaluator: Evaluator,
    certify: Certify | int,
    parts: int = 1,
) -> evaluation.AnswerRuns:
    """Return the answers for one of several parts of a job, after clingo has checked them at some times.

    Clingo may check no time of this part if it checks times of other parts. All `parts` together check as
    many times as a job of a single part.
    """
    (runs,) = evaluation.answer_runs([question], situation, within, evaluator)
    asks_clingo_anyway = evaluator in {"both", "clingo"}
    if asks_clingo_anyway or not evaluation.by_columns(question, situation.background, evaluator):
        return replace(runs, certified=len(runs.times))
    claim, draw = _Claim(question, runs, _used(question, situation, within)), _draw(question, within)
    drawn = _spread(runs.times, claim.wanted(certify, draw, parts), draw)
    return claim.certified(claim.groundable(drawn) if certify == "some" else drawn, situation)


def lacks_certified(answer_parts: evaluation.AnswerParts, certify: Certify | int) -> bool:
    """Return whether clingo should check the answers at some times, but checked them at no time."""
    return certify == "some" and not answer_parts.certified and answer_parts.evaluations > 0


def certified_first(
    question: evaluation.Question, runs: evaluation.AnswerRuns, situation: relational.EncodedSituation
) -> evaluation.AnswerRuns:
    """Return answers after clingo has checked them at the first time, at which windows have the fewest atoms.

    If clingo cannot evaluate the question at the first time, clingo checks no time. The situation must
    contain the input for the first time.
    """
    first = int(runs.times[0])
    claim = _Claim(question, runs, _used(question, situation, Interval(first, first)))
    return claim.certified(claim.groundable([first]), situation)


def _draw(question: evaluation.Question, within: Interval) -> Random:
    # A text as seed gives the same draws in each run.
    return Random(f"{_SEED} {within} {question.gate}")  # noqa: S311


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """The answers of the relational evaluation to a question, which clingo checks.

    The field `input` is the situation with only the atoms that the program of `question` can use.
    """

    question: evaluation.Question
    answers: evaluation.AnswerRuns
    input: relational.EncodedSituation
    seen: dict[int, relational.EncodedSituation] = field(default_factory=dict)

    def certified(
        self, times: Sequence[int], situation: relational.EncodedSituation
    ) -> evaluation.AnswerRuns:
        """Return the answers, with the number of times in `times`, at which clingo has checked the answers.

        Raises:
            DisputedAnswerError: Clingo has other rows.
        """
        certified = replace(self.answers, certified=len(times))
        if len(times) == len(self.answers.times) > 1 and self._has_runs_of_clingo():
            return certified
        for t in times:
            seen = self._seen(t).decoded()
            if {*evaluation.rows_at(self.question, seen, t)} != self.answers.at(t):
                evaluation.check_alike_at(self.question, seen, [t])
                # The difference may need other times or other input: intervals are computed over all times.
                evaluation.check_alike_at(self.question, situation.decoded(), self.answers.times.tolist())
                raise FailedRunError(
                    f"the relational evaluator and clingo differed at {t}, but agreed when the evaluation "
                    "was repeated"
                )
        return certified

    def _has_runs_of_clingo(self) -> bool:
        """Return whether clingo computes the same rows when it evaluates all times together.

        If the result is False, clingo must check one time after another.
        """
        question, runs, times = self.question, self.answers, self.answers.times.tolist()
        assert question.predicate is not None
        if self.input.is_late or not have_runs(question.program, self.input.background):
            return False
        rows = evaluation.PosedQuestion(question, self._touched(self.input, times), times).rows_of_clingo()
        expected = relational.coalesce(
            relational.as_table(rows, question.predicate[1], runs.terms), len(times)
        )
        return len(expected) == len(runs.runs) and set(_ended_rows(expected)) == set(_ended_rows(runs.runs))

    def _seen(self, t: int) -> relational.EncodedSituation:
        """Return the part of the input that the rules can use at t."""
        if t not in self.seen:
            self.seen[t] = self._touched(_seen_at(self.question, self.input, t), [t])
        return self.seen[t]

    def _touched(
        self, situation: relational.EncodedSituation, times: Sequence[int]
    ) -> relational.EncodedSituation:
        """Return the situation; if it has many atoms, without those that rules cannot use at the times."""
        columns = (some.t for some in situation.atoms.values())
        if sum(map(len, (*columns, *situation.background.values()))) <= _LARGE:
            return situation
        from solver.relational.grounding import with_usable_atoms

        assert self.question.predicate is not None
        return with_usable_atoms(self.question.program, situation, self.question.predicate, times)

    def wanted(self, certify: Certify | int, draw: Random, parts: int) -> int:
        """Return the number of times at which clingo should check answers; 0 if a check takes too long."""
        match certify:
            case "none":
                return 0
            case "all":
                return len(self.answers.times)
            case "some":
                return self._affordable(draw, parts)
            case number:
                return min(number, len(self.answers.times))

    def cheapest(self) -> list[int]:
        """Return the times that clingo can check within its budget (at least one time), cheapest first."""
        costs = self._costs()
        fitting = costs <= max(self._budget(), int(costs.min()))
        order = np.argsort(costs[fitting], kind="stable")
        return [int(t) for t in self.answers.times[fitting][order]]

    def groundable(self, times: Sequence[int]) -> list[int]:
        """Return the times, ascending, that clingo can evaluate together with few rule instances.

        If all given times together have too many rule instances, the result contains only the cheapest times.
        The cost of a time is the number of atoms that the rules match, so the choice of times does not depend
        on the answers.
        """
        if not times:
            return []
        costs = self._costs()[np.searchsorted(self.answers.times, times)]
        left = max(_INSTANCES, _INSTANCES_EACH * int(costs.sum()))
        program = self.question.program
        situations = list(map(self._seen, times))
        # This bound needs only the numbers of atoms, and is usually sufficient.
        bounds = [relational.most_instances(program, some) for some in situations]
        if sum(left if bound is None else bound for bound in bounds) < left:
            return list(times)
        if len(times) > 1 and self._have_few_together(times, left):
            return list(times)
        kept: list[int] = []
        for place in np.argsort(costs, kind="stable").tolist():
            left -= relational.ground_instances(program, situations[place], [times[place]], left)
            if left < 0:
                break
            kept.append(times[place])
        return sorted(kept)

    def _have_few_together(self, times: Sequence[int], most: int) -> bool:
        """Return whether clingo makes at most `most` rule instances at all times together."""
        # Counting at all times together takes hardly longer than at one time.
        seen, atoms = [self._seen(t).atoms for t in times], dict(self.input.atoms)
        for name, some in self.input.atoms.items():
            mask = np.zeros(len(some.t), np.bool_)
            for one in seen:
                mask[np.searchsorted(some.arrival, one[name].arrival)] = True
            atoms[name] = some.take(mask)
        situation = self._touched(replace(self.input, atoms=atoms), times)
        return relational.ground_instances(self.question.program, situation, times, most) <= most

    def _affordable(self, draw: Random, parts: int) -> int:
        """Return the number of times that clingo can check at low cost; the number can be 0.

        If a job has several parts, clingo may be able to check less than one time in each part. For example,
        if clingo can check half a time per part, half of the parts draw one time each.
        """
        costs = self._costs()
        total = int(costs.sum())
        if total * parts <= _CHEAP:
            return len(costs)
        # The random summand rounds up or down, so that many small parts check the right number on average.
        return min(len(costs), int(self._budget() * len(costs) / total + draw.random()))

    def _budget(self) -> int:
        """Return the number of atoms that clingo may process for checks."""
        times = self.answers.times
        span = self.input.within(Interval(int(times[0]), int(times[-1])))
        return int(_SHARE * (len(self.answers.runs) + sum(len(some.t) for some in span.atoms.values())))

    def _costs(self) -> Array:
        """Return, for each evaluation time, an upper bound of the atoms that clingo must process."""
        times, table = self.answers.times, self.answers.runs
        seen, timeline = reach(self.question.program), self.input.timeline
        # Older tuples of tuple windows are not counted, because each window has at most `size` of them.
        first = timeline.first if seen.past is None else times - min(seen.past, LARGEST_TIME)
        last = timeline.last if seen.future is None else times + min(seen.future, LARGEST_TIME)
        static = sum(map(len, self.input.background.values()))
        costs = np.full(len(times), _EACH + static, np.int64)
        for some in self.input.atoms.values():
            numbers = np.searchsorted(some.t, last, "right") - np.searchsorted(some.t, first, "left")
            costs += _ORDERED * numbers if seen.tuples else numbers
        begun, ended = (np.bincount(ends, minlength=len(times) + 1) for ends in (table.first, table.last + 1))
        held: Array = np.cumsum(begun - ended)[: len(times)]
        return costs + held


def _ended_rows(table: relational.RunTable) -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in (*table.columns, table.first, table.last)), strict=True)


def _used(
    question: evaluation.Question, situation: relational.EncodedSituation, within: Interval
) -> relational.EncodedSituation:
    """Return the situation with only the atoms that the program can use at the times of an interval.

    If the program has tuple windows, all atoms remain, since tuple windows count all atoms.
    """
    seen, needed = reach(question.program), question.needed
    if seen.tuples:
        return situation
    # A job has many parts, and each of them would search the atoms of the whole trace.
    first = situation.timeline.first if seen.past is None else within.first - seen.past
    last = situation.timeline.last if seen.future is None else within.last + seen.future
    situation = situation.within(Interval(first, last))

    def used(name: Signature, columns: Sequence[Array], rows: int) -> Mask:
        patterns = [atom for atom in needed if signature(atom) == name]
        return situation.terms.fitting_any(patterns, columns, rows)

    masks = {name: used(name, some.columns, len(some.t)) for name, some in situation.atoms.items()}
    atoms = {
        name: some if masks[name].all() else some.take(masks[name]) for name, some in situation.atoms.items()
    }
    static = {name: rows[used(name, list(rows.T), len(rows))] for name, rows in situation.background.items()}
    return replace(situation, atoms=atoms, background=static)


def _spread(times: Array, number: int, draw: Random) -> list[int]:
    """Return `number` times in ascending order, one drawn at random from each of `number` equal portions."""
    borders = [len(times) * place // max(number, 1) for place in range(number + 1)]
    return times[[draw.randrange(*ends) for ends in pairwise(borders)]].tolist() if number else []


def _seen_at(
    question: evaluation.Question, situation: relational.EncodedSituation, t: int
) -> relational.EncodedSituation:
    """Return the situation with the content of all windows at t; it may also contain some older input."""
    situation = situation.seen_at(t)
    seen, timeline = reach(question.program), situation.timeline
    last = timeline.last if seen.future is None else t + seen.future
    if seen.past is None:
        return situation.within(Interval(timeline.first, last))
    firsts = (_first_kept(window, situation, t) for window in seen.tuples)
    return situation.within(Interval(min((t - seen.past, *firsts)), last))


def _first_kept(window: TupleWindow, situation: relational.EncodedSituation, t: int) -> int:
    """Return a time such that the atoms from this time to t include all atoms of a tuple window at t."""
    if window.by is not None:
        # The newest tuple of a rare partition can be arbitrarily old.
        return situation.timeline.first
    come = situation.within(Interval(situation.timeline.first, t)).atoms.values()
    times = (some.t[relational.counted_atoms(some, window, situation.terms)] for some in come)
    arrivals = np.sort(np.concatenate([np.empty(0, np.int64), *times]))
    arrivals = distinct(arrivals) if window.ties == "elements" else arrivals
    return int(arrivals[-window.size]) if 0 < window.size <= len(arrivals) else situation.timeline.first
