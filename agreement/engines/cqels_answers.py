"""Q5 and Q6: which rows are reported when a triple has been joined."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agreement.engines.cqels_body import Condition
from agreement.engines.cqels_groups import Groups, Key, extended
from agreement.engines.cqels_index import Solution, compatible
from agreement.engines.cqels_level import Level
from agreement.engines.cqels_machine import Machine
from agreement.engines.cqels_plan import Joined, joins
from agreement.outputs import row_order
from agreement.recordings.recording import Push, Report, Row
from lars.formulas import Order
from solver.facts import constant_of
from solver.ordering import order_key
from translate.patterns import UNMODIFIED, Duplicates, Extend


@dataclass(frozen=True, slots=True)
class Reporting:
    """What is reported of the joined mappings.

    `each`: a row for each of them, at once, whatever DISTINCT, ORDER BY and LIMIT say (Q5); else
    what is new in the whole answer since the arrival before (ISTREAM). `looked_up`: its aggregates
    are those that plan 1 finds for a joined mapping (Q6), else those of all mappings that are there.
    """

    each: bool
    looked_up: bool


@dataclass(slots=True)
class Answers:
    """The answers of a machine. The machine follows what is there, unless each row is reported at once."""

    machine: Machine
    level: Level
    reporting: Reporting
    groups: Groups = field(init=False)
    _before: Counter[Row] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.groups = Groups(self.level, self.machine.data, whole=self.reporting.looked_up)

    def reports(self, pushes: Sequence[Push]) -> Iterator[Report]:
        """Yield the reports in their order, each with the number of the push that triggered it."""
        for number, push in enumerate(pushes):
            found = [one for batch in self.machine.batches(push) for one in self._of_each(batch)]
            if self.reporting.each:
                yield from (Report(push.t, (row,), number) for row in self._rows(found))
            elif new := self._new(found):
                yield Report(push.t, tuple(new), number)
            if self.machine.live is not None:
                self.machine.live.settle()

    def _of_each(self, batch: Sequence[Joined]) -> Iterator[Solution]:
        """Yield what each joined mapping is answered with, where that is asked of the mappings one by one."""
        if self.level.group is None:
            yield from (one.binds for one in batch)
        elif self.reporting.looked_up:
            for one in batch:
                yield from self._looked_up(self.groups.prepared(one.binds))
        elif self.reporting.each:
            found = self.groups.of(self._there()) if batch else {}
            for one in batch:
                key = self.groups.key(self.groups.prepared(one.binds))
                yield from self._values({key: found[key]})

    def _looked_up(self, joined: Solution) -> Iterator[Solution]:
        """Yield the groups that plan 1 finds for a joined mapping, or the group of nothing (Q6)."""
        asked = {name: joined[name] for name in self.level.keys if name in joined}
        first = self.machine.body.triples[0].variables
        known: list[Solution] = []
        if joins(self.machine.plans[0]) or any(name in first for name in asked):
            whole = (self.groups.prepared(one.binds) for one in self.machine.whole(0))
            known = [one for one in whole if compatible(asked, one)]
        if not known:
            yield self.groups.of_nothing()
        yield from self._values(self.groups.of(known))

    def _values(self, groups: Mapping[Key, list[Solution]]) -> Iterator[Solution]:
        for key, members in groups.items():
            if (values := self.groups.values(key, members)) is not None:
                yield values

    def _there(self) -> Iterator[Solution]:
        assert self.machine.live is not None
        return (self.groups.prepared(one.binds) for one in self.machine.live.now)

    def _new(self, found: list[Solution]) -> list[Row]:
        """Return what is new in the whole answer; equal rows count."""
        live = self.machine.live
        asked_one_by_one = self.level.group is not None and self.reporting.looked_up
        if asked_one_by_one:
            return self._istream(found) if found else []
        assert live is not None
        if not live.changed:
            return []
        if self.level.group is None and self.level.modifiers == UNMODIFIED:
            return _minus(self._rows(found), Counter(self._rows(one.binds for one in live.removed)))
        if self.level.group is None:
            return self._istream([one.binds for one in live.now])
        return self._istream(self._values(self.groups.of(self._there())))

    def _istream(self, found: Iterable[Solution]) -> list[Row]:
        answer = self._modified([*self._seen(found)])
        before, self._before = self._before, Counter(answer)
        return _minus(answer, before)

    def _rows(self, found: Iterable[Solution]) -> list[Row]:
        return [self._row(one) for one in self._seen(found)]

    def _seen(self, found: Iterable[Solution]) -> Iterator[Solution]:
        return (one for one in map(self._shown, found) if one is not None)

    def _shown(self, solution: Solution) -> Solution | None:
        """Return a solution with the expressions of SELECT; None where HAVING is not true of it."""
        for step in self.level.behind:
            if isinstance(step, Extend):
                solution = extended(solution, step, self.machine.data)
            elif not self.machine.data.holds(Condition(step.condition, step.exists), solution):
                return None
        return solution

    def _row(self, solution: Solution) -> Row:
        return tuple(solution.get(name) for name in self.level.columns)

    def _modified(self, found: list[Solution]) -> list[Row]:
        """Return the rows as ORDER BY, DISTINCT, OFFSET and LIMIT say; ties go by the rows' texts."""
        modifiers = self.level.modifiers
        found = sorted(found, key=lambda one: row_order(self._row(one)))
        for key in reversed(modifiers.order):
            found.sort(key=lambda one: _value(one, key), reverse=key.descending)
        rows = [self._row(one) for one in found]
        if modifiers.duplicates is Duplicates.DISTINCT:
            rows = list(dict.fromkeys(rows))
        last = None if modifiers.limit is None else modifiers.offset + modifiers.limit
        return rows[modifiers.offset : last]


def _value(solution: Solution, key: Order) -> tuple[object, ...]:
    text = solution.get(key.variable)
    return order_key(None if text is None else constant_of(text))


def _minus(rows: Iterable[Row], gone: Counter[Row]) -> list[Row]:
    """Return the rows without as many equal ones as are gone, in their order."""
    left, new = Counter(gone), []
    for row in rows:
        if left[row] > 0:
            left[row] -= 1
        else:
            new.append(row)
    return new
