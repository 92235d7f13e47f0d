r"""Compare the reports of ISTREAM and DSTREAM at consecutive evaluations, as `lars solve` evaluates queries.

If time triggers a query, its evaluations are at the multiples of its STEP: 0, U, 2U, ... If arrivals trigger
both queries, the evaluations are at the times of arrivals. At each evaluation after the first one, ISTREAM
and DSTREAM compare the answers with the answers of the evaluation before.

E1 (shifted windows). Let A' be the query A with all windows moved back by U, so A'(t) = A(t - U). The rows of
a report are X \ X'. The pair (X, X') is (A, no rows) for RSTREAM, (A, A') for ISTREAM, and (A', A) for
DSTREAM. X \ X' is contained in Y \ Y' if X is contained in the union of X' and Y, and if X' contains each
row that X and Y' have in common. At time 0, no evaluation is before. There the rule needs that A' has no
answer at time 0: A has no answer if its streams are empty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from math import gcd
from typing import Final

from agreement.documents.requests import sources
from agreement.proving.containment.canonical import PairQuery, in_columns_of
from agreement.proving.containment.containing import decide_containment, is_empty
from agreement.proving.containment.placements import new_name, unlike
from agreement.proving.decide import volatile
from agreement.proving.decisions import Decision, Witness, reports, trace_on
from agreement.proving.disjuncts import arrival
from lars.durations import Duration
from lars.language.terms import Iri, Variable
from lars.language.windows import Interval, LastWindow, TimeWindow
from solver.deadlines import until
from solver.facts import Background, Fact, Row
from solver.job import Question
from translate.analysis import default_period, is_pushed, occurring_variables, parts, rebuild, rename
from translate.model.patterns import Join, Pattern, StreamBlock, Union, Values
from translate.model.windows import Range, WindowExpression, window_operator
from translate.tau import output_of

_MOST_DROPPED: Final = 30
"""The maximum number of triples in data from which triples are removed one by one; a guess."""
_MOST_ENDS: Final = 12
"""The maximum number of times at which one more triple triggers an evaluation; a guess."""


def evaluation_period(one: PairQuery, other: PairQuery) -> int | None:
    """Return the time between two evaluations of both queries, in time points.

    If arrivals trigger both queries, the result is None. If two queries have different steps, both queries
    are evaluated at the multiples of the greatest common divisor.
    """
    pulled = [query for query in (one, other) if not is_pushed(query.query)]
    return (gcd(*map(_step, pulled)) or 1) if pulled else None


def _step(query: PairQuery) -> int:
    unit = query.setting.unit
    if (stated := default_period(query.query, unit)) is not None:
        return stated
    windows = (each.window for each in sources(query.query))
    return gcd(*(each.slide.points(unit) for each in windows if isinstance(each, Range) and each.slide))


def joined(one: PairQuery, other: PairQuery) -> PairQuery:
    """Return a query with the rows that two queries have in common.

    The hidden variables of the second query get new names.
    """
    pattern, copied = one.pattern, other.pattern
    variables = occurring_variables(pattern) | occurring_variables(copied)
    fresh = (name for number in count() if (name := Variable(f"copy{number}")) not in variables)
    hidden = sorted(occurring_variables(copied) - frozenset(other.result))
    both = Join(pattern, rename(copied, {name: next(fresh) for name in hidden}))
    return replace(one, query=replace(one.query, pattern=both, to_stream=None))


def shifted_containment(query: PairQuery, other: PairQuery, period: int) -> Iterator[Decision]:
    """Yield the decisions on the containments from which the containment of the reports follows (rule E1).

    If all decisions hold, the other query reports each row of the first query. A witness of a decision is a
    stream on which the reports can differ. If the rule does not apply, the function yields an open decision.
    """
    unlike_columns = query.query.dataset != other.query.dataset or query.result != other.result
    if unlike_columns or query.query.language is not other.query.language:
        yield Decision("open", "the answers of the two queries are not compared")
        return
    mine, theirs = (_now_and_then(each, period) for each in (query, other))
    if mine is None or theirs is None:
        yield Decision("open", "the windows of the evaluation before are not windows of a query")
        return
    (now, gone), (covering, removing) = mine, theirs
    yield decide_containment(now, covering if gone is None else _union(gone, covering))
    if removing is not None:
        common = joined(now, removing)
        if gone is not None:
            yield decide_containment(common, gone)
        else:
            yield Decision("always" if is_empty(common) else "open", "a row of both queries")
    begins = [query] if query.operator == "ISTREAM" else []
    begins += [other] if other.operator == "DSTREAM" and query.operator != "DSTREAM" else []
    if not all(is_empty(_without_input(each)) for each in begins):
        yield Decision("open", "answers without input, at the first evaluation")


def _now_and_then(query: PairQuery, period: int) -> tuple[PairQuery, PairQuery | None] | None:
    now = replace(query, query=replace(query.query, to_stream=None))
    if query.operator == "RSTREAM":
        return now, None
    before = _before(now, period)
    if before is None:
        return None
    return (now, before) if query.operator == "ISTREAM" else (before, now)


def _before(query: PairQuery, period: int) -> PairQuery | None:
    """Return a query whose answers at t are the answers at t - `period`; None if no such query is known."""
    blocks = [part for part in parts(query.query.pattern) if isinstance(part, StreamBlock)]
    whole = query.query.merged or query.query.modifiers.slices or volatile(query.query) is not None
    if whole or any(isinstance(block.stream, Variable) for block in blocks):
        return None
    windows = {block.window: _moved(block, period, query) for block in blocks}
    known = {window: moved for window, moved in windows.items() if moved is not None}
    if len(known) < len(windows):
        return None

    def change(part: Pattern) -> Pattern | None:
        return replace(part, window=known[part.window]) if isinstance(part, StreamBlock) else None

    return replace(query, query=replace(query.query, pattern=rebuild(query.query.pattern, change)))


def _moved(block: StreamBlock, period: int, query: PairQuery) -> WindowExpression | None:
    """Return the window of a block, moved back by `period` time points; None if it is not a window."""
    unit = query.setting.unit
    window = window_operator(block.window, block.stream, unit, query.setting.bounds)
    if not isinstance(window, TimeWindow) or period % window.step:
        return None
    first, last = window.offsets
    if first is None or last > period or first > last:
        return None
    length, until_ = (Duration((period - each) * unit.nanoseconds) for each in (first, last))
    slide = Duration(window.step * unit.nanoseconds)
    return Range(length, slide if window.step > 1 else None, until_, ends="closed")


def _union(one: PairQuery, other: PairQuery) -> PairQuery:
    pattern = Union(one.query.pattern, other.query.pattern)
    return replace(other, query=replace(other.query, pattern=pattern, to_stream=None))


def _without_input(query: PairQuery) -> PairQuery:
    def change(part: Pattern) -> Pattern | None:
        return Values((), ()) if isinstance(part, StreamBlock) else None

    pattern = rebuild(query.query.pattern, change)
    return replace(query, query=replace(query.query, pattern=pattern, to_stream=None))


def reported_difference(
    one: PairQuery, other: PairQuery, facts: Sequence[Fact], static: Background, period: int | None
) -> Witness | None:
    """Return a witness with a row that only the first query reports at some evaluation; None if none exists.

    `period` is the time between two evaluations; None if arrivals trigger the queries. In the latter case,
    the witness can contain one more triple, which triggers an evaluation when other triples leave a window.
    Triples without which the queries also differ are removed.
    """
    arrived = tuple(sorted(facts, key=lambda fact: fact.t))
    for data in _with_triggers(one, other, arrived, period):
        one.deadline.check()
        witness = _difference(one, other, data, static, period)
        if witness is not None:
            return _reduced(one, other, witness, period)
    return None


def _reduced(one: PairQuery, other: PairQuery, witness: Witness, period: int | None) -> Witness:
    """Return the witness without triples of its stream that the difference does not need."""
    for fact in witness.facts if len(witness.facts) <= _MOST_DROPPED else ():
        fewer = tuple(each for each in witness.facts if each != fact)
        witness = _difference(one, other, fewer, witness.static, period) or witness
    return witness


def _with_triggers(
    one: PairQuery, other: PairQuery, facts: tuple[Fact, ...], period: int | None
) -> Iterator[tuple[Fact, ...]]:
    yield facts
    if period is not None:
        return
    streams = (each.stream for query in (one, other) for each in sources(query.query))
    name = new_name((one, other))
    stream = next((each for each in streams if isinstance(each, Iri)), name)
    free = [t for t in _changes(one, other, facts, 1) if all(fact.t != t for fact in facts)]
    extra = [arrival(t, unlike(0, name, stream)) for t in free[:_MOST_ENDS]]
    for more in (*((each,) for each in extra), tuple(extra)):
        yield tuple(sorted((*facts, *more), key=lambda fact: fact.t))


def _difference(
    one: PairQuery, other: PairQuery, facts: Sequence[Fact], static: Background, period: int | None
) -> Witness | None:
    if period is None:
        times = sorted({fact.t for fact in facts})
        compared = set(times)
    else:
        compared = set(_changes(one, other, facts, period))
        times = sorted(compared | {t - period for t in compared if t})
    if not times:
        return None
    mine, theirs = (_reports(query, facts, static, times) for query in (one, other))
    for before, t in zip((None, *times), times, strict=False):
        more = mine[t] - in_columns_of(one, other, theirs[t]) if t in compared else frozenset[Row]()
        if more:
            first = frozenset(sorted(more, key=str)[:1])
            # A later triple can only matter for windows that end after the evaluation.
            kept = tuple(fact for fact in facts if fact.t <= t or _looks_ahead(one, other))
            return Witness(kept, static, t - 1, t, first, before=before)
    return None


def _reports(
    query: PairQuery, facts: Sequence[Fact], static: Background, times: Sequence[int]
) -> dict[int, frozenset[Row]]:
    predicate = output_of(query.query, query.setting).predicate
    last = max(times[-1], *(fact.t for fact in facts), 0)
    with until(query.deadline):
        question = Question(query.program, predicate, tuple(times))
        return reports(question, query.operator, trace_on(facts, static, Interval(0, last)))


def _changes(one: PairQuery, other: PairQuery, facts: Sequence[Fact], period: int) -> list[int]:
    """Return the evaluation times, in ascending order, at which answers or reports can change.

    The content of a window changes when a triple arrives, enters or leaves the window. A report of ISTREAM or
    DSTREAM also changes at the evaluation after such a change.
    """
    setting, ends = one.setting, {(0, period)}
    for each in (*sources(one.query), *sources(other.query)):
        window = window_operator(each.window, each.stream, setting.unit, setting.bounds)
        if isinstance(window, LastWindow):
            ends |= {(end, period) for end in range(0, window.width + window.slide, period)[:_MOST_ENDS]}
        if isinstance(window, TimeWindow):
            first, last = window.offsets
            step = window.step if window.step % period == 0 else period
            # A triple enters when the last time point of a window reaches it, and leaves after the first has.
            ends |= {(-last, step), *(((-first, step), (1 - first, step)) if first is not None else ())}
    times = {max(0, -(-(fact.t + end) // step) * step) for fact in facts for end, step in ends}
    return sorted({0} | times | {t + period for t in times})


def _looks_ahead(one: PairQuery, other: PairQuery) -> bool:
    windows = (each.window for query in (one, other) for each in sources(query.query))
    return any(isinstance(window, Range) and window.ahead for window in windows)
