"""Find the cause of each row that only push or only pull reports: the first cause of a list that applies.

`AskedProgram` evaluates a program with changed windows or changed input. `CauseSearch` tests the causes in
the order of the list. `DifferenceCauses` finds the cause and the supporting input atoms of each row, for all
periods. If the user gives both queries, the queries can read a stream through windows of different kinds or
lengths. The cause "different windows" is tested before the causes that assume equal windows.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial, reduce
from itertools import chain, count, groupby, pairwise
from operator import attrgetter, itemgetter
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from agreement.comparing.agree.periods import BothAnswers, PeriodComparison, PeriodRows, PeriodVerdict
from agreement.comparing.agree.sides import CAUSES, RowCause, RowDifference, SidePrograms, SideStatic
from agreement.documents.outputs import row_order
from agreement.documents.requests import SIDES, Side
from agreement.documents.traces import Trace
from lars.analysis import reach, windows, with_windows
from lars.dataclass import dataclass
from lars.language import formulas
from lars.language.program import Program, Rule, atoms, head_atom, ready, variables
from lars.language.terms import NULL, Atom, Signature, Term, Variable, signature
from lars.language.windows import Interval, IntervalWindow, LastWindow, SlidingWindow, TimeWindow, Window
from solver import relational
from solver.columns import NULL_CODE, Array, Mask, TermCodes, distinct, used_texts
from solver.facts import Fact, Row
from solver.job import AnswerRuns, Question, answers_at
from solver.relational.supports import supports


class AskedProgram:
    """A LARS program with its input, which is evaluated at many times in one run."""

    def __init__(self, program: Program, output: Signature, situation: relational.EncodedSituation) -> None:
        self.program = program
        self._question = Question(program, output, None)
        self._situation = situation
        self._known: AnswerRuns | None = None

    def at(self, times: Array, newest: Array | None = None) -> AnswerRuns:
        """Return the rows of the program at the given times, which ascend.

        If `newest` is given, the evaluation at `times[i]` ignores arrivals after `newest[i]`.
        """
        if newest is not None:
            return answers_at(self._question, self._situation, times, newest)
        # Several tests of one search ask for the same times, or for some of them.
        if self._known is None or not np.isin(times, self._known.times).all():
            self._known = answers_at(self._question, self._situation, times, None)
        return self._known.among(times)

    @cached_property
    def without_input(self) -> AnswerRuns:
        """The rows that follow from static data alone, at the last time point."""
        last = np.array([self._situation.timeline.last], np.int64)
        return answers_at(self._question, replace(self._situation, atoms={}), last)

    def hidden(self, times: Array) -> Sequence[AnswerRuns]:
        """Return the rows that change if windows also contain the input after their last slide step.

        The program is evaluated only at times at which a window omits input that has already arrived, or that
        a window that looks ahead would show if its pivot were the evaluation time. If the program has an
        aggregate, a second result contains the rows that change if windows keep their length, and end at the
        evaluation: an aggregate over longer windows would have other values.
        """
        ahead = reach(self.program).future or 0
        longer = partial(_reaching_on, ahead=ahead, times=tuple(times.tolist()))
        hiding = [
            window
            for window in windows(self.program)
            if isinstance(window, IntervalWindow) and longer(window) != window
        ]
        ends = reduce(
            np.minimum,
            (relational.window_ends(window, times, self._situation.timeline)[1] for window in hiding),
            times,
        )
        came = np.zeros(len(times), np.int64)
        for some in self._situation.atoms.values():
            came += np.searchsorted(some.t, times + ahead, "right") - np.searchsorted(some.t, ends, "right")
        # At other times, the changed windows have the same content, so no row can change.
        times = times[came > 0] if hiding else times[:0]
        changed = [self._changed(longer, times, ahead)]
        if has_aggregate(self.program):
            moved = partial(_ending_now, ahead=ahead, times=tuple(times.tolist()))
            changed.append(self._changed(moved, times[self._omits_input(longer, times, ahead)], ahead))
        return changed

    def _changed(self, change: Callable[[Window], Window], times: Array, ahead: int) -> AnswerRuns:
        """Return the rows that the program has either with its own or with changed windows."""
        whole = Question(with_windows(self.program, change), self._question.output, None)
        return self.at(times).difference(answers_at(whole, self._situation, times, times + ahead))

    def _omits_input(self, longer: Callable[[Window], Window], times: Array, ahead: int) -> Mask:
        """Return a mask of the times at which the longer windows contain input that the windows omit.

        Only input that some pattern of the program matches counts, up to `ahead` after each time.
        """
        omits, terms = np.zeros(len(times), np.bool_), self._situation.terms
        # A rule that moves triples into a graph uses those that patterns match there.
        needed: dict[Signature, list[Atom]] = {}
        for pattern in self._question.needed:
            needed.setdefault(signature(pattern), []).append(pattern)
        for part in chain.from_iterable(rule.body for rule in self.program.rules):
            match part:
                case formulas.In(IntervalWindow() as window, formulas.Diamond(Atom() as atom)):
                    whole, some = longer(window), self._situation.atoms.get(signature(atom))
                    assert isinstance(whole, IntervalWindow)
                    if some is not None:
                        rows, patterns = len(some.t), needed.get(signature(atom), ())
                        fits = terms.matching(atom.arguments, some.columns, rows)
                        fits &= terms.fitting_any(patterns, some.columns, rows)
                        ends = (
                            relational.window_ends(each, times, self._situation.timeline)[1]
                            for each in (window, whole)
                        )
                        visible = (np.minimum(end, times + ahead) for end in ends)
                        own, later = (np.searchsorted(some.t[fits], end, "right") for end in visible)
                        omits |= later > own
                case _:
                    pass
        return omits

    def supports(self, rows: Sequence[Row], times: Sequence[int]) -> list[tuple[Fact, ...]]:
        """Return the input atoms of one proof of each row, at the time of the row."""
        seen, output = reach(self.program), self._question.predicate
        assert output is not None
        unbounded = seen.tuples or seen.past is None or seen.future is None
        situation = (
            self._situation if unbounded else self._situation.near(times, seen.past or 0, seen.future or 0)
        )
        return supports(self.program, situation, output, rows, times)


@dataclass(frozen=True, slots=True)
class _CutWindow(TimeWindow):
    """A time window without the input that is later than `ahead` time points after one of the given times.

    The window at t is cut after the last of the ascending `times` that is not after t.
    """

    ahead: int = 0
    times: tuple[int, ...] = ()

    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows at the time `at`; the part can be empty."""
        whole, before = TimeWindow.bounds(self, at, timeline), bisect_right(self.times, at) - 1
        # Before the first of the times, only input at time 0 can be seen.
        cut = (self.times[before] if before >= 0 else 0) + self.ahead
        return Interval(whole.first, min(whole.last, cut))


def _reaching_on(window: Window, *, ahead: int, times: tuple[int, ...]) -> Window:
    """Return a window that also contains the input between the window's end and the evaluation time.

    The window ⊞^{l,u,d} is replaced by ⊞^{l,u+d-1,d}, and the last closed window by the active window that
    opened with it. If no input is later than the evaluation time, the new window contains the content of the
    window and all newer input. If a window of the program looks `ahead`, input can be later: other windows
    then end at the evaluation times, or u time points after them. A window that always ends at its evaluation
    time is returned unchanged.
    """
    if isinstance(window, LastWindow):
        # This window stays active until the next close. A sliding window (o, ..] begins at o + 1.
        opening, _ = window.offsets
        return SlidingWindow(window.width + window.slide - opening, window.slide, window.start + opening - 1)
    if not isinstance(window, TimeWindow):
        return window
    step, (first, last) = window.step, window.offsets
    if step == 1 and last >= 0:
        return window  # The window omits no input up to its evaluation time.
    # If another window looks ahead, the newest visible input is later than t, so the window must end at t.
    if ahead and window.future <= 0 and first is not None:
        return SlidingWindow(step - first, step, first - 1)
    longer = TimeWindow(None if first is None else -first, max(window.future, 0) + step - 1, step)
    return _cut(longer, max(window.future, 0), times) if max(window.future, 0) < ahead else longer


def _cut(window: TimeWindow, ahead: int, times: tuple[int, ...]) -> TimeWindow:
    return _CutWindow(window.past, window.future, window.step, window.ends, ahead, times)


def _ending_now(window: Window, *, ahead: int, times: tuple[int, ...]) -> Window:
    """Return a window of the same length that ends at the evaluation time, or u time points after it.

    Without input at its ends, the window ⊞^{l,u,d} is replaced by ⊞^{l,u,1}. A window that `_reaching_on`
    does not change is returned unchanged.
    """
    if (
        not isinstance(window, TimeWindow | LastWindow)
        or _reaching_on(window, ahead=ahead, times=times) == window
    ):
        return window
    first, last = window.offsets
    future = max(window.future, 0) if isinstance(window, TimeWindow) else 0
    moved = TimeWindow(None if first is None else max(last - first - future, 0), future)
    return _cut(moved, future, times) if future < ahead else moved


def has_aggregate(program: Program) -> bool:
    """Return whether a rule of the program has an aggregate."""
    return any(isinstance(part, formulas.Gather) for rule in program.rules for part in rule.body)


def is_positive(program: Program) -> bool:
    """Return whether more input never removes a row: the program has no negation, aggregate or LIMIT."""
    parts = (part for rule in program.rules for part in rule.body)
    return not any(isinstance(part, formulas.Not | formulas.SetLiteral) for part in parts)


def keeps_rows(program: Program, merged: Program) -> bool:
    """Return whether each row of a program remains a row if all its sources are merged into one graph.

    `merged` is the program on the merged sources. The result is true only if both programs are positive and
    read the streams of `program` through the same windows.
    """
    parts = [part for one in (program, merged) for rule in one.rules for part in rule.body]
    inner = (part.inner for part in parts if isinstance(part, formulas.In))
    return (
        is_positive(program)
        and is_positive(merged)
        and all(isinstance(one, formulas.Diamond) and isinstance(one.inner, Atom) for one in inner)
        and _by_stream(program).items() <= _by_stream(merged).items()
    )


def with_windows_of(program: Program, other: Program) -> Program:
    """Return a program that reads each stream through all windows of another program on this stream.

    A stream that both programs read through the same windows, or that only one of them reads, is unchanged.
    """
    own, theirs = _by_stream(program), _by_stream(other)
    changed = {stream: [*shown] for stream, shown in theirs.items() if shown != own.get(stream)}
    unions: dict[Rule, None] = {}

    def change(literal: formulas.BodyLiteral) -> formulas.BodyLiteral:
        match literal:
            case formulas.In(_, formulas.Diamond(Atom(name, (*terms, stream))) as inner) if stream in changed:
                if len(changed[stream]) == 1:
                    return formulas.In(changed[stream][0], inner)
                if isinstance(stream, Variable):
                    return literal
                union = f"{name}of{[*changed].index(stream)}"
                unions.update(dict.fromkeys(_union(union, Atom(name, (*terms, stream)), changed[stream])))
                return Atom(union, tuple(terms))
            case _:
                return literal

    rules = [Rule(rule.head, tuple(map(change, rule.body))) for rule in program.rules]
    return Program((*rules, *unions))


def _union(name: str, atom: Atom, several: Sequence[Window]) -> Sequence[Rule]:
    """Return rules for the triples of an atom's stream that any of the windows contains."""
    *terms, stream = atom.arguments
    places = tuple(Variable(f"Any{n}") for n in range(len(terms)))
    triple = formulas.Diamond(Atom(atom.predicate, (*places, stream)))
    return [Rule(Atom(name, places), (formulas.In(window, triple),)) for window in several]


def _by_stream(program: Program) -> Mapping[Term, set[Window]]:
    windows_of: dict[Term, set[Window]] = {}
    for rule in program.rules:
        for literal in rule.body:
            match literal:
                case formulas.In(window, formulas.Diamond(Atom(_, (*_, stream)))):
                    windows_of.setdefault(stream, set()).add(window)
                case _:
                    pass
    return windows_of


def without_empty_groups(program: Program) -> Program:
    """Return the program without the rows of aggregates over an empty multiset, which CQELS does not report.

    In C-SPARQL, an aggregate without GROUP BY has one row if its multiset is empty (rule T13).
    """
    rules: list[Rule] = []
    for rule in program.rules:
        head = head_atom(rule)
        gathers = [part for part in rule.body if isinstance(part, formulas.Gather)]
        some = None if head is None else Atom(f"{head.predicate}some", ())
        # For aggregates inside GRAPH and EXISTS, the translation itself writes rules with this atom.
        if some is None or (gathers and some in rule.body):
            rules.append(rule)
        elif gathers and not gathers[0].keys:
            rules += [Rule(some, (gathers[0].atom,)), Rule(rule.head, (*rule.body, some))]
        elif not _of_nothing(rule, some.predicate):
            rules.append(rule)
    return Program(tuple(rules))


def _of_nothing(rule: Rule, some: str) -> bool:
    """Return whether a rule derives the row of an aggregate over an empty group.

    The translation to LARS writes rules for the empty group of aggregates inside GRAPH and EXISTS.
    """
    return any(
        isinstance(part, formulas.Not) and isinstance(part.inner, Atom) and part.inner.predicate == some
        for part in rule.body
    )


def without_slices(program: Program) -> Program:
    """Return the program without LIMIT and OFFSET."""

    def whole(literal: formulas.BodyLiteral) -> formulas.BodyLiteral:
        return literal.atom if isinstance(literal, formulas.Among) else literal

    return Program(tuple(Rule(rule.head, tuple(map(whole, rule.body))) for rule in program.rules))


def with_any_aggregates(program: Program, output: Signature) -> tuple[Program, frozenset[int]]:
    """Return a program whose rows have null as every aggregate value, and the positions of these values.

    In the returned program, each condition on an aggregate value (HAVING, FILTER or a join) is true. Negated
    literals that may depend on an aggregate value are left out.
    """
    whole, above = without_slices(program), _above_aggregates(program)
    places: frozenset[_Place] = frozenset()
    # A null can reach the heads of further rules, until no new position is found.
    while True:
        rules = [_with_any_values(rule, places, above) for rule in whole.rules]
        known = places.union(*(predicates for _, predicates in rules))
        if known == places:
            freed = Program(tuple(rule for rule, _ in rules))
            return freed, frozenset(place for name, place in places if name == output)
        places = known


_Place = tuple[Signature, int]
"""A predicate, and the position of one of its arguments."""


def _above_aggregates(program: Program) -> frozenset[Signature]:
    """Return the predicates that may depend on an aggregate, LIMIT or OFFSET."""
    above: set[Signature] = set()
    before = -1
    while before < len(above):
        before = len(above)
        for rule in program.rules:
            used = {signature(atom) for part in rule.body for atom, _, _ in atoms(part)}
            if used & above or any(isinstance(part, formulas.SetLiteral) for part in rule.body):
                above.update(signature(atom) for atom in (head_atom(rule),) if atom)
    return frozenset(above)


def _with_any_values(
    rule: Rule, places: frozenset[_Place], above: frozenset[Signature]
) -> tuple[Rule, frozenset[_Place]]:
    """Return a rule without conditions on aggregate values, and the positions of these values in its head."""
    names = _others(rule)
    body: list[formulas.BodyLiteral] = []
    conditions: list[formulas.Condition] = []
    for part in rule.body:
        match part:
            case formulas.Gather(_, _, atom, keys):
                # Without keys, an empty input has a group too.
                body.append(_loosened(atom, places, names, frozenset(keys)) if keys else formulas.Truth())
            case Atom():
                body.append(_loosened(part, places, names, variables(part)))
            case formulas.Test() | formulas.Assign() | formulas.Comparison():
                conditions.append(part)
            case formulas.Not():
                pass
            case _:
                body.append(part)
    bound = set(frozenset[Variable]().union(*map(variables, body)))
    while askable := [condition for condition in conditions if ready(condition, bound)]:
        body += askable
        bound.update(*map(variables, askable))
        conditions = [condition for condition in conditions if condition not in askable]
    # The conditions that remain depend on an aggregate value, and are left out.
    body += (part for part in rule.body if isinstance(part, formulas.Not) and _blocks(part, bound, above))
    if not isinstance(rule.head, Atom):
        return Rule(rule.head, tuple(body)), frozenset()
    predicate = signature(rule.head)
    unknown = {(predicate, n) for n, term in enumerate(rule.head.arguments) if variables(term) - bound}
    terms = (
        NULL if (predicate, n) in places | unknown else term for n, term in enumerate(rule.head.arguments)
    )
    return Rule(Atom(rule.head.predicate, tuple(terms)), tuple(body)), frozenset(unknown)


def _loosened(
    atom: Atom, places: frozenset[_Place], names: Iterator[Variable], kept: Collection[Variable]
) -> Atom:
    """Return an atom with a new variable at each position whose value no condition may restrict.

    The replaced terms are the terms at the positions `places`, and the variables that `kept` does not
    contain.
    """
    predicate = signature(atom)
    terms = (
        next(names) if (predicate, n) in places or (isinstance(term, Variable) and term not in kept) else term
        for n, term in enumerate(atom.arguments)
    )
    return Atom(atom.predicate, tuple(terms))


def _blocks(literal: formulas.Not, bound: Collection[Variable], above: Collection[Signature]) -> bool:
    """Return whether a negated literal has only bound variables and does not depend on aggregates."""
    return variables(literal) <= {*bound} and not any(
        signature(atom) in above for atom, _, _ in atoms(literal)
    )


def _others(rule: Rule) -> Iterator[Variable]:
    """Yield variables that do not occur in the rule."""
    taken = variables(rule.head).union(*map(variables, rule.body))
    return (name for name in (Variable(f"Any{n}") for n in count()) if name not in taken)


@dataclass(frozen=True, slots=True, eq=False)
class DifferingRows:
    """Rows that only push or only pull reports in a period (start, end], sorted by period.

    - `columns` contains the codes of the rows' RDF terms, one array per column.
    - `reported` is the time of push's last evaluation with the row, up to the end of the period; -1 if no
      evaluation has the row.
    - `owner` is the index of a row's period among all disagreeing periods.
    - `numbers` are the indexes of the rows among all rows of the side.

    When the rows are pickled, only the RDF terms of these rows are stored.
    """

    terms: TermCodes
    columns: tuple[Array, ...]
    start: Array
    end: Array
    reported: Array
    owner: Array
    numbers: Array

    def take(self, places: Array | Mask) -> "DifferingRows":
        """Return the rows with the given indexes, or the rows that a mask selects."""
        columns = tuple(column[places] for column in self.columns)
        return DifferingRows(self.terms, columns, *(each[places] for each in self._numbers()))

    def _numbers(self) -> Sequence[Array]:
        return self.start, self.end, self.reported, self.owner, self.numbers

    def coded_by(self, terms: TermCodes) -> "DifferingRows":
        """Return the same rows, in which each RDF term has its code in `terms`."""
        if terms is self.terms:
            return self
        return _coded(*used_texts(self.columns, self.terms), self._numbers(), terms)

    def __reduce__(self) -> tuple[object, ...]:
        """Return the function, and its arguments, that restores the pickled rows."""
        texts, places = used_texts(self.columns, self.terms)
        # In 32 bits, because many rows are sent between processes; a row number of a text is far below 2^31.
        return _coded, (texts, [column.astype(np.int32) for column in places], self._numbers())


def _coded(
    texts: list[str],
    places: Sequence[npt.NDArray[np.integer]],
    numbers: Sequence[Array],
    terms: TermCodes | None = None,
) -> DifferingRows:
    terms = TermCodes() if terms is None else terms
    known = terms.codes(texts)
    return DifferingRows(terms, tuple(known[column] for column in places), *numbers)


DifferingPeriods = tuple[Array, Array, Array, Mapping[Side, DifferingRows]]
"""The starts and ends of disagreeing periods, the times of push in them, and the differing rows by side."""


_Wanted = TypeVar("_Wanted")
_Result = TypeVar("_Result")


def slice_causes(
    programs: SidePrograms, situation: relational.EncodedSituation, periods: DifferingPeriods
) -> Mapping[Side, Array]:
    """Return the cause of each row that only push or only pull reports, in periods that end in one slice."""
    search, (*_, rows_of_sides) = CauseSearch(programs, situation, periods), periods
    return {side: search.causes(rows.coded_by(situation.terms), side) for side, rows in rows_of_sides.items()}


Applies = Callable[[DifferingRows], Mask]
"""A function that returns a mask of the rows to which a cause applies, if no earlier cause applies."""


class CauseSearch:
    """A search for the cause of each row that only push or only pull reports.

    The cause of a row that only push reports explains the difference between two evaluations: push's last
    evaluation with the row, and the pull at the end of the period.
    """

    def __init__(
        self, sides: SidePrograms, situation: relational.EncodedSituation, periods: DifferingPeriods
    ) -> None:
        self._sides = sides
        self._situation = situation
        self._start, self._end, self._pushes, _ = periods
        self._programs: dict[tuple[Program, SideStatic], AskedProgram] = {}
        self._hidden: dict[tuple[Program, Side], Sequence[AnswerRuns]] = {}

    def causes(self, rows: DifferingRows, side: Side) -> Array:
        """Return the first cause that applies to each row, as an index of `CAUSES`."""
        numbers = np.full(len(rows.end), -1, np.int64)
        for steps in (self._general(side), self._by_time(side)):
            for cause, applies in steps:
                still = np.flatnonzero(numbers < 0)
                if len(still):
                    numbers[still[applies(rows.take(still))]] = CAUSES.index(cause)
        return numbers

    def program_over(self, program: Program, static: SideStatic = "both") -> AskedProgram:
        """Return a program on the input of the periods, with the static data of push, of pull, or of both."""
        # Without different static data, all three inputs are the same, so that one program serves for all.
        if self._sides.push_static is None:
            static = "both"
        key = program, static
        if key not in self._programs:
            self._programs[key] = AskedProgram(program, self._sides.output, self._input[static])
        return self._programs[key]

    def _everywhere(self, program: Program) -> AnswerRuns:
        """Return a program's rows at the evaluation times of push and of pull."""
        return self.program_over(program).at(distinct(np.concatenate((self._pushes, self._ends))))

    def _general(self, side: Side) -> Iterator[tuple[RowCause, Applies]]:
        """Yield the causes that do not depend on arrival times, each with a test function for rows."""
        push, pull = self._sides.push, self._sides.pull
        without = without_empty_groups(pull)
        # If push's program has such rows too, they cannot be the cause of a difference.
        if without != pull and without_empty_groups(push) == push:
            full = self.program_over(without, "pull").at(self._ends)
            in_push = side == "push"
            yield (
                "aggregate of nothing",
                lambda rows: full.holds_at(rows.columns, full.until(rows.end)) == in_push,
            )
        if self._sides.push_static is not None:
            yield "different static data", self._same_in_both(side)
        # All further tests use the union of both static data, with which the remaining rows still differ.
        own, other = (push, pull) if side == "push" else (pull, push)
        always, others = (self.program_over(program).without_input for program in (own, other))

        def is_static(rows: DifferingRows) -> Mask:
            zeros = np.zeros_like(rows.end)  # The index of the only evaluation of `without_input`.
            reported = ~others.holds_at(rows.columns, zeros)
            if side == "pull":
                reported |= self._silent(rows)
            return always.holds_at(rows.columns, zeros) & reported

        yield "static only", is_static

    def _same_in_both(self, side: Side) -> Applies:
        """Return a test for the cause "different static data"."""
        push = self.program_over(self._sides.push).at(self._pushes)
        pull = self.program_over(self._sides.pull).at(self._ends)

        def is_same(rows: DifferingRows) -> Mask:
            at_end = pull.holds_at(rows.columns, pull.until(rows.end))
            if side == "push":
                return at_end | ~push.holds_at(rows.columns, push.until(rows.reported))
            return push.holds_within(rows.columns, rows.start, rows.end) | ~at_end

        return is_same

    def _by_time(self, side: Side) -> Iterator[tuple[RowCause, Applies]]:
        """Yield the causes that depend on time, each with a test function for rows, in the order of tests.

        For a row that only push reports, the tests compare push's last report with pull's answer at the end
        of the period. For a row that only pull reports, the tests compare pull's answer with push's
        evaluations in the period.
        """
        push, pull, of_push = self._sides.push, self._sides.pull, side == "push"
        own, other = (push, pull) if of_push else (pull, push)
        through = with_windows_of(other, own)
        runs = cache(lambda: self._everywhere(through))
        merged_push = with_windows_of(self._sides.merged, own)
        held = frozenset(self._input["both"].background)
        different_queries = not relational.have_equal_rules(
            merged_push, through if of_push else pull, self._sides.output, held
        )

        def is_merged(rows: DifferingRows) -> Mask:
            if of_push and not different_queries and keeps_rows(push, through):
                # In one graph of all windows and static data, a positive query keeps the rows of push.
                return np.zeros(len(rows.end), np.bool_)
            return ~runs().holds_at(rows.columns, runs().until(rows.reported if of_push else rows.end))

        def is_different(rows: DifferingRows) -> Mask:
            mask = is_merged(rows)
            if mask.any():
                both = self._everywhere(merged_push)
                times = rows.reported if of_push else rows.end
                mask &= both.holds_at(rows.columns, both.until(times)) == of_push
            return mask

        def is_hidden(rows: DifferingRows) -> Mask:
            # For a row of push, its last report counts; for a row of pull, all evaluations of push.
            after, until = (rows.reported - 1, rows.reported) if of_push else (rows.start, rows.end)
            at_end = self._hides((pull, through), "pull", rows, rows.end - 1, rows.end)
            row = at_end | self._hides((push, through), "push", rows, after, until)
            return row | self._hides_group(through, *asked(rows))

        def asked(rows: DifferingRows) -> tuple[Array, DifferingRows, Array]:
            """Return when the side without the rows evaluates, the rows, and the time before each period."""
            return (self._ends, rows, rows.end - 1) if of_push else (self._pushes, rows, rows.start)

        def has_other_windows(rows: DifferingRows) -> Mask:
            if of_push and self._show_the_same(through, pull):
                # At the end of its period, pull does not have a row of push.
                return np.zeros(len(rows.end), np.bool_)
            if of_push:
                return runs().holds_at(rows.columns, runs().until(rows.end))
            return runs().among(self._pushes).holds_within(rows.columns, rows.start, rows.end)

        if different_queries:
            yield "different queries", is_different
        yield "merged sources", is_merged
        yield "hidden by the pivot", is_hidden
        if through != other:
            yield "different windows", has_other_windows
        if of_push:
            yield "expired before the pull", lambda rows: self._is_gone(through, rows)
        else:
            yield "silent period", lambda rows: self._silent(rows) | self._comes_later(through, rows)
        yield "aggregate of other input", lambda rows: self._aggregates(through, *asked(rows))
        # All remaining rows depend on negation: a blocker has come, or has expired.
        last: RowCause = "blocked later" if of_push else "blocker expired"
        yield last, lambda rows: np.ones(len(rows.end), np.bool_)

    def _show_the_same(self, program: Program, pull: Program) -> bool:
        """Return whether all windows of a program equal the windows of pull's program at each pull.

        The program differs from pull's program only in its windows.
        """
        # With different static data, the program reads those of both sides, but pull does not.
        if self._sides.push_static is not None or len(program.rules) != len(pull.rules):
            return False
        pairs = {
            (one.window, other.window)
            for rule, pulled in zip(program.rules, pull.rules, strict=True)
            for one, other in zip(rule.body, pulled.body, strict=True)
            if isinstance(one, formulas.In) and isinstance(other, formulas.In) and one != other
        }

        def ends(window: TimeWindow) -> tuple[Array, Array]:
            return relational.window_ends(window, self._ends, self._situation.timeline)

        return all(
            isinstance(one, TimeWindow)
            and isinstance(other, TimeWindow)
            and np.array_equal(ends(one), ends(other))
            for one, other in pairs
        )

    def _is_gone(self, merged: Program, rows: DifferingRows) -> Mask:
        """Return a mask of the rows that pull would lose even without the input after push's report.

        A window that looks ahead has shown later input to push, which is kept. In a positive program, later
        input removes no row, so the mask contains all rows.
        """
        if is_positive(self._sides.pull):
            return np.ones(len(rows.end), np.bool_)
        pairs = np.stack((rows.end, rows.reported))
        (ends, reports), places = np.unique(pairs, axis=1, return_inverse=True)
        gone, places = np.empty(len(rows.end), np.bool_), places.reshape(-1)
        ahead = reach(merged).future or 0
        # One evaluation needs ascending limits of the newest input, so the rows are divided into such chains.
        chains = _apart(ends.tolist(), reports.tolist()) if ahead else _ascending(reports.tolist())
        for together in chains:
            seen = with_windows(merged, _until(reports[together], ahead)) if ahead else merged
            without = self.program_over(seen).at(ends[together], reports[together] + ahead)
            own = np.flatnonzero(np.isin(places, together))
            some = rows.take(own)
            gone[own] = ~without.holds_at(some.columns, np.searchsorted(together, places[own]))
        return gone

    def _silent(self, rows: DifferingRows) -> Mask:
        """Return a mask of the rows in whose period push never evaluates."""
        before, until = (np.searchsorted(self._pushes, t, "right") for t in (rows.start, rows.end))
        mask: Mask = before == until
        return mask

    def _comes_later(self, through: Program, rows: DifferingRows) -> Mask:
        """Return a mask of the rows that need input that no evaluation of push in the period could see yet.

        Only windows that look ahead show such input to pull. The test evaluates push's query with the windows
        of pull: pull's own query may have the row from other input, which only its merged sources match.
        """
        ahead = reach(self._sides.push).future or 0
        if not ahead:
            return np.zeros(len(rows.end), np.bool_)
        before = np.searchsorted(self._pushes, self._ends, "right") - 1
        # Before push's first evaluation, push has seen nothing: the limit is time 0.
        newest = np.where(before < 0, 0, np.append(self._pushes, 0)[before])
        cut = with_windows(through, _until(self._pushes, ahead))
        seen = self.program_over(cut).at(self._ends, newest + ahead)
        return ~seen.holds_at(rows.columns, seen.until(rows.end))

    def _hides(
        self, programs: tuple[Program, ...], when: Side, rows: DifferingRows, after: Array, until: Array
    ) -> Mask:
        """Return a mask of the rows that change if windows contain the input after their last slide step.

        A row is in the mask if a program gains or loses the row at an evaluation in the interval
        (after, until]. `when` is push or pull.
        """
        times = self._ends if when == "pull" else self._pushes
        mask = np.zeros(len(rows.end), np.bool_)
        for program in dict.fromkeys(programs):
            key = program, when
            if key not in self._hidden:
                self._hidden[key] = self.program_over(program).hidden(times)
            for changed in self._hidden[key]:
                mask |= changed.holds_within(rows.columns, after, until)
        return mask

    def _hides_group(self, program: Program, times: Array, rows: DifferingRows, after: Array) -> Mask:
        """Return a mask of the rows whose group has no row, because windows omit the newest input.

        Only evaluations after the times `after` count. With the omitted input, the aggregate of the group
        could have another value. The test therefore ignores aggregate values.
        """
        if (group := self._groups(program, rows)) is None:
            return np.zeros(len(rows.end), np.bool_)
        free, columns = group
        shown = free.at(times).holds_within(columns, after, rows.end)
        (hidden,) = free.hidden(times)
        return ~shown & hidden.holds_within(columns, after, rows.end)

    def _groups(self, program: Program, rows: DifferingRows) -> tuple[AskedProgram, Sequence[Array]] | None:
        """Return a program with null as each aggregate value, and the rows with null in the same columns.

        If the program has no aggregate, the function returns None.
        """
        if not has_aggregate(program):
            return None
        free, places = with_any_aggregates(program, self._sides.output)
        columns = [
            np.full_like(column, NULL_CODE) if place in places else column
            for place, column in enumerate(rows.columns)
        ]
        return self.program_over(free), columns

    def _aggregates(self, program: Program, times: Array, rows: DifferingRows, after: Array) -> Mask:
        """Return a mask of the rows that a program has in (after, end] if aggregate values may differ."""
        if (group := self._groups(program, rows)) is None:
            return np.zeros(len(rows.end), np.bool_)
        free, columns = group
        mask = free.at(times).holds_within(columns, after, rows.end)
        # A row that only LIMIT removes has the same aggregates; other rows come before it.
        if (whole := without_slices(program)) != program:
            mask &= ~self.program_over(whole).at(times).holds_within(rows.columns, after, rows.end)
        return mask

    @cached_property
    def _ends(self) -> Array:
        """The times at which pull evaluates: the ends of the periods."""
        return distinct(self._end)

    @cached_property
    def _input(self) -> Mapping[SideStatic, relational.EncodedSituation]:
        reaches = [reach(program) for program in (self._sides.push, self._sides.pull)]
        last = int(self._end.max()) + max(r.future or 0 for r in reaches)
        past = max(r.past or 0 for r in reaches)
        whole = any(r.tuples or r.past is None for r in reaches)
        first = self._situation.timeline.first if whole else int(self._start.min()) - past
        return self._sides.statics(self._situation.within(Interval(first, last)))


def _until(times: Array, ahead: int) -> Callable[[Window], Window]:
    """Return a function that cuts a window after what push could see at the last of some times.

    Windows that look `ahead` the farthest are left to a limit on the newest input.
    """
    ascending = tuple(times.tolist())

    def until(window: Window) -> Window:
        if not isinstance(window, TimeWindow) or not 0 <= window.future < ahead:
            return window
        return _cut(window, window.future, ascending)

    return until


def _apart(ends: list[int], begins: list[int]) -> list[Array]:
    """Return the indexes of intervals [begin, end], sorted by end, in groups of disjoint intervals.

    >>> [group.tolist() for group in _apart([3, 5, 5, 9], [1, 2, 4, 6])]
    [[0, 2, 3], [1]]
    """
    groups: list[list[int]] = []
    for place, begin in enumerate(begins):
        group = next((each for each in groups if ends[each[-1]] < begin), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return [np.array(group, np.int64) for group in groups]


def _ascending(values: list[int]) -> list[Array]:
    """Return the indexes of values, divided into as few ascending sequences as possible.

    >>> [part.tolist() for part in _ascending([3, 5, 1, 4, 2])]
    [[4], [2, 3], [0, 1]]
    """
    ends: list[int] = []
    parts: list[list[int]] = []
    for place, value in enumerate(values):
        # Patience sorting: with the greatest end up to the value, `ends` stays ascending.
        part = bisect_right(ends, value) - 1
        if part < 0:
            ends.insert(0, value)
            parts.insert(0, [place])
        else:
            ends[part] = value
            parts[part].append(place)
    return [np.array(part, np.int64) for part in parts]


_ORDERED: Final = 1000
"""The maximum number of periods whose sorted rows are cached."""
_ROWS_AT_ONCE: Final = 1_000_000
"""The number of rows after which causes are searched before the next section of the timeline is read."""


Causes = npt.NDArray[np.int8]
"""The cause of each row, as an index of `CAUSES` in one byte."""
SideRow = tuple[Side, Row, int]
"""Push or pull, a row of this side, and a time at which this side has the row."""


def slice_supports(
    programs: SidePrograms, situation: relational.EncodedSituation, wanted: Sequence[SideRow]
) -> list[tuple[Fact, ...]]:
    """Return, for each wanted row in a slice of the timeline, the input atoms of one proof of the row."""
    proved: dict[int, tuple[Fact, ...]] = {}
    statics = programs.statics(situation)
    for side, program in zip(SIDES, (programs.push, programs.pull), strict=True):
        own = [place for place, (row_side, _, _) in enumerate(wanted) if row_side == side]
        rows, times = [wanted[place][1] for place in own], [wanted[place][2] for place in own]
        if own:
            asked_program = AskedProgram(program, programs.output, statics[side])
            proved |= zip(own, asked_program.supports(rows, times), strict=True)
    return [proved[place] for place in range(len(wanted))]


class DifferenceCauses:
    """The causes of all rows that only push or only pull reports, in the disagreeing periods of one trace."""

    def __init__(
        self, programs: SidePrograms, answers: BothAnswers, trace: Trace, verdicts: Sequence[PeriodVerdict]
    ) -> None:
        self._programs, self._answers = programs, answers
        self._periods = [comparison for verdict in verdicts for comparison in verdict.disagreeing]
        self._trace = trace
        self._held: tuple[int, Mapping[Side, DifferingRows]] | None = None
        self._pushed: dict[tuple[int, Side], Array] = {}
        self._ordered: dict[tuple[Side, PeriodComparison], Array] = {}

    @property
    def periods(self) -> Sequence[PeriodComparison]:
        """The periods in which push and pull disagree, in the order of the verdicts on pull periods."""
        return self._periods

    @cached_property
    def _places(self) -> dict[PeriodComparison, int]:
        return {period: place for place, period in enumerate(self._periods)}

    def causes(self, side: Side) -> Causes:
        """Return the causes of all rows that only the given side reports, one period after the other."""
        return self._causes[side]

    def owners(self, side: Side) -> Array:
        """Return, for each row that only the given side reports, the index of its period."""
        return np.repeat(np.arange(len(self._periods)), np.diff(self._begins[side]))

    def counts(self, side: Side) -> Array:
        """Return a matrix: how many rows only this side reports, by disagreeing period and by cause."""
        cells = len(self._periods) * len(CAUSES)
        counts = np.bincount(self.owners(side) * len(CAUSES) + self.causes(side), minlength=cells)
        return counts.reshape(len(self._periods), len(CAUSES)).astype(np.int64)

    def cause_counts(self, periods: Sequence[PeriodComparison]) -> Array:
        """Return the number of rows of both sides for each cause, in the given periods."""
        numbers: Array = self._totals[[self._places[period] for period in periods]].sum(axis=0)
        return numbers

    @cached_property
    def _totals(self) -> Array:
        numbers: Array = sum(self._counts.values(), np.zeros(len(CAUSES), np.int64))
        return numbers

    @cached_property
    def _counts(self) -> dict[Side, Array]:
        return {side: self.counts(side) for side in SIDES}

    def counts_in(self, side: Side, periods: Sequence[PeriodComparison]) -> Array:
        """Return a matrix: how many rows only this side reports, by given period and by cause."""
        numbers: Array = self._counts[side][[self._places[period] for period in periods]]
        return numbers

    def first_rows(self, side: Side, periods: Sequence[PeriodComparison]) -> Array:
        """Return a matrix: the rank of the first row with each cause, by given period and by cause.

        The ranks order the rows of a period by their texts. A cause without a row has rank 0, and so has the
        only cause of a period.
        """
        ranks: Array = self._first_rows[side][[self._places[period] for period in periods]]
        return ranks

    @cached_property
    def _first_rows(self) -> dict[Side, Array]:
        return {side: self._ranked(side) for side in SIDES}

    def _ranked(self, side: Side) -> Array:
        ranks = np.zeros((len(self._periods), len(CAUSES)), np.int64)
        several = np.count_nonzero(self._counts[side], axis=1) > 1
        for section in distinct(self._sections[several]).tolist():
            rows = self._section_rows(section)[side]
            rows = rows.take(np.flatnonzero(several[rows.owner]))
            order = np.lexsort((*(rows.terms.ranks(column) for column in reversed(rows.columns)), rows.owner))
            cells = rows.owner * len(CAUSES) + self.causes(side)[rows.numbers]
            used, ranks_of_used = np.unique(cells[order], return_index=True)
            ranks.flat[used] = ranks_of_used
        return ranks

    def in_order(self, side: Side, period: PeriodComparison) -> Array:
        """Return the indexes of a period's rows among all rows of a side, in the order of the rows' texts."""
        if (side, period) not in self._ordered:
            if len(self._ordered) >= _ORDERED:
                self._ordered.clear()
            rows, number = self._rows_of(side, period)
            begin = self._begins[side][self._places[period]]
            self._ordered[side, period] = begin + relational.text_order(rows.of(number), rows.terms)
        return self._ordered[side, period]

    def difference(self, side: Side, number: int) -> RowDifference:
        """Return the row with the given index among all rows that only one side reports, with its cause."""
        place = int(np.searchsorted(self._begins[side], number, "right")) - 1
        period, own = self._periods[place], np.array([number - self._begins[side][place]])
        rows, numbered = self._rows_of(side, period)
        (row,) = relational.row_texts(rows.of(numbered).take(own), rows.terms)
        ((cause, t),) = self._causes_of_rows(side, place, number, number + 1)
        return RowDifference(side, row, cause, t, period)

    def differences(self, period: PeriodComparison) -> Iterator[RowDifference]:
        """Yield each row that only one side reports in a period, with its cause."""
        place = self._places[period]
        for side in SIDES:
            begin, end = self._begins[side][place : place + 2].tolist()
            if begin == end:
                continue
            period_rows, number = self._rows_of(side, period)
            rows = period_rows.rows(number)
            # Rows without null are compared as they are; `row_order` costs more, and sorts null.
            keys = map(row_order, rows) if any(None in row for row in rows) else rows
            causes = self._causes_of_rows(side, place, begin, end)
            for _, row, (cause, t) in sorted(zip(keys, rows, causes, strict=True), key=itemgetter(0)):
                yield RowDifference(side, row, cause, t, period)

    def _causes_of_rows(
        self, side: Side, place: int, begin: int, end: int
    ) -> Iterator[tuple[RowCause, int | None]]:
        """Yield, for the rows with an index in [begin, end), the cause and the time of push's last report.

        The time is None for a row that push never reports.
        """
        section = int(self._sections[place])
        first = int(np.searchsorted(self._section_rows(section)[side].numbers, begin))
        causes, pushed = (
            self.causes(side)[begin:end],
            self._pushed_at(section, side)[first : first + end - begin],
        )
        for cause, t in zip(causes.tolist(), pushed.tolist(), strict=True):
            yield CAUSES[cause], None if t < 0 else t

    def _rows_of(self, side: Side, period: PeriodComparison) -> tuple[PeriodRows, int]:
        tables, number = period.periods.at(period.number)
        return tables.only(side), number

    def supports(self, differences: Sequence[RowDifference]) -> list[tuple[Fact, ...]]:
        """Return, for each row, the input atoms of one proof of the row at the time of its last report."""
        rows = [(difference.side, difference.row, difference.at) for difference in differences]
        ends = [difference.interval.end for difference in differences]
        places = self._by_slice(ends)
        if len(self._slices) > 1:
            # The proofs of a few rows need only the input near these rows, not that of the whole slice.
            places = [
                (Interval(min(own), max(own)), some)
                for _, some in places
                for own in [[ends[place] for place in some.tolist()]]
            ]
        intervals = [(within, [rows[place] for place in some.tolist()]) for within, some in places]
        proved: dict[int, tuple[Fact, ...]] = {}
        for (_, some), facts in zip(places, self._results(slice_supports, intervals), strict=True):
            proved |= zip(some.tolist(), facts, strict=True)
        return [proved[place] for place in range(len(differences))]

    @cached_property
    def _longest(self) -> int:
        """The number of time points in the longest disagreeing period."""
        return max((comparison.end - comparison.start for comparison in self._periods), default=0)

    @cached_property
    def _slices(self) -> Sequence[Interval]:
        """The slices of the timeline that are searched for causes; a period belongs to the slice of its end.

        If the timeline is evaluated in several slices, each slice is inside one section of the timeline.
        """
        intervals = self._trace.slices(self._programs.questions, self._longest)
        if len(intervals) == 1:
            # A single slice must not be divided: its windows, such as tuple windows, may need all input.
            return intervals
        lasts = {*(interval.last for interval in intervals), *self._answers.borders.tolist()}
        first, last = intervals[0].first, intervals[-1].last
        ends = sorted(t for t in lasts if first <= t <= last)
        return [Interval(begin + 1, end) for begin, end in pairwise([first - 1, *ends])]

    def _by_slice(self, ends: Sequence[int]) -> list[tuple[Interval, Array]]:
        """Return each slice that contains the ends of some periods, with the indexes of these periods."""
        numbers = np.searchsorted([interval.last for interval in self._slices], ends)
        return [
            (self._slices[number], np.flatnonzero(numbers == number)) for number in distinct(numbers).tolist()
        ]

    @cached_property
    def _sections(self) -> Array:
        """The number of the section of the timeline that contains each disagreeing period."""
        parts = [
            whole.sections([comparison.number for comparison in periods])
            for whole, periods in groupby(self._periods, attrgetter("periods"))
        ]
        return np.concatenate([np.empty(0, np.int64), *parts])

    @cached_property
    def _begins(self) -> Mapping[Side, Array]:
        """The index of the first row of each period, for push and for pull.

        The last item of an array is the number of all rows of the side.
        """
        numbered = [
            (whole.sizes, [comparison.number for comparison in periods])
            for whole, periods in groupby(self._periods, attrgetter("periods"))
        ]
        parts = {side: [sizes.only(side)[numbers] for sizes, numbers in numbered] for side in SIDES}
        return {side: np.cumsum(np.concatenate([[0], *own]), dtype=np.int64) for side, own in parts.items()}

    @cached_property
    def _causes(self) -> Mapping[Side, Causes]:
        """The causes of the rows of all periods, one period after the other."""
        numbers = {side: np.full(int(begins[-1]), -1, np.int8) for side, begins in self._begins.items()}
        periods: list[tuple[Interval, DifferingPeriods]] = []
        placed: list[Mapping[Side, Array]] = []
        ends, held = (
            np.array([(comparison.start, comparison.end) for comparison in self._periods], np.int64).reshape(
                -1, 2
            ),
            0,
        )
        for section in distinct(self._sections).tolist():
            sides, places = self._section_rows(section), np.flatnonzero(self._sections == section)
            for within, some in self._by_slice(ends[places, 1].tolist()):
                rows = {side: one.take(np.isin(one.owner, places[some])) for side, one in sides.items()}
                start, end = ends[places[some]].T
                periods.append((within, (start, end, self._pushes(section, start, end), rows)))
                placed.append({side: chosen.numbers for side, chosen in rows.items()})
            held += sum(len(side.numbers) for side in sides.values())
            # A single slice spans all sections, so its rows are searched section by section.
            if held > _ROWS_AT_ONCE or len(self._slices) == 1:
                self._find(periods, placed, numbers)
                periods, placed, held = [], [], 0
        self._find(periods, placed, numbers)
        return numbers

    def _results(
        self,
        find: Callable[[SidePrograms, relational.EncodedSituation, _Wanted], _Result],
        payloads: Sequence[tuple[Interval, _Wanted]],
    ) -> list[_Result]:
        """Call a function on each slice of the timeline and its input, and return the results."""
        questions = self._programs.questions
        return self._trace.results(partial(find, self._programs), payloads, questions, self._longest)

    def _find(
        self,
        periods: Sequence[tuple[Interval, DifferingPeriods]],
        placed: Sequence[Mapping[Side, Array]],
        causes: Mapping[Side, Causes],
    ) -> None:
        """Find the causes of the rows of some periods, and store the causes at the rows' indexes `placed`."""
        for own, result in zip(placed, self._results(slice_causes, periods), strict=True):
            for side, numbers in own.items():
                causes[side][numbers] = result[side]

    def _section_rows(self, section: int) -> Mapping[Side, DifferingRows]:
        """Return the differing rows of push and pull in a section of the timeline."""
        if self._held is None or self._held[0] != section:
            self._held = None
            self._pushed.clear()
            self._held = section, {side: self._read(side, section) for side in SIDES}
        return self._held[1]

    def _pushed_at(self, section: int, side: Side) -> Array:
        """Return, for each row of a section, the last time in its period at which push reports the row.

        If push never reports a row, the time of the row is -1.
        """
        if (section, side) not in self._pushed:
            rows = self._section_rows(section)[side]
            times = rows.reported.copy()
            # A long period can begin in earlier sections; the latest report counts.
            for before in reversed(range(section)):
                if not len(left := np.flatnonzero(times < 0)):
                    break
                pushed = self._answers.push.within(self._answers.span(before), rows.terms)
                some = rows.take(left)
                times[left] = _reported(pushed, some.columns, some.end)
            self._pushed[section, side] = times
        return self._pushed[section, side]

    def _read(self, side: Side, section: int) -> DifferingRows:
        answers = self._answers
        places = np.flatnonzero(self._sections == section)
        # Periods of one length are consecutive in `_periods`, and share one table of rows.
        chosen = [self._periods[place] for place in places.tolist()]
        parts = []
        for whole, periods in groupby(chosen, attrgetter("periods")):
            rows, first = whole.only(side, section)
            parts.append(rows.among(np.array([period.number for period in periods]) - first))
        pushed, _, _ = answers.section(section)
        begins = self._begins[side]
        sizes = begins[places + 1] - begins[places]
        owner = np.repeat(places, sizes)
        _, numbers = relational.spread(begins[places], begins[places] + sizes)
        end = np.array([comparison.end for comparison in chosen], np.int64)
        start = np.array([comparison.start for comparison in chosen], np.int64)
        (start, end) = (np.repeat(times, sizes) for times in (start, end))
        columns = relational.concatenate(parts, len(pushed.runs.columns)).columns
        reported = _reported(pushed, columns, end)
        return DifferingRows(pushed.terms, columns, start, end, reported, owner, numbers)

    def _pushes(self, section: int, start: Array, end: Array) -> Array:
        """Return the times at which push evaluates in the given periods of a section of the timeline."""
        pushed, _, _ = self._answers.section(section)
        steps = np.zeros(len(pushed.times) + 1, np.int64)
        np.add.at(steps, pushed.until(start) + 1, 1)
        np.add.at(steps, pushed.until(end) + 1, -1)
        time: Array = pushed.times[np.cumsum(steps[:-1]) > 0]
        return time


def _reported(pushed: AnswerRuns, columns: Sequence[Array], until: Array) -> Array:
    """Return, for each row, the time of push's last report of the row up to the given time.

    If push never reports a row, the time of the row is -1.
    """
    numbers: Array = np.append(pushed.times, -1)[pushed.held_until(columns, pushed.until(until))]
    return numbers
