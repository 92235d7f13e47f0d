"""Reduce a disagreement of push and pull to a minimal disagreement by delta debugging.

`lars shrink` begins with the first pair and period of a comparison that disagree. Stream elements are removed
first, starting from the elements that support the first differing row. After the elements, static triples and
parts of the queries are removed (a condition, an operator, a triple pattern, a common column), and times are
moved. The steps repeat until no part can be removed. A part is removed if push and pull still disagree on the
remaining input for the same cause. Each step is evaluated. The reduction never replaces terms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from agreement.comparing import agree
from agreement.comparing.agree.sides import RowDifference
from agreement.documents.requests import sources
from agreement.proving.decisions import PairOnStream, first_difference
from agreement.proving.witness import EXPERIMENT, write_experiment
from lars.analysis import windows
from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError
from lars.files import replacement_folder
from lars.language.formulas import Expression
from lars.language.terms import Variable
from lars.language.windows import Interval, IntervalWindow
from solver.facts import Fact, with_triples, without_doubles
from solver.minimal import minimal
from solver.settings import Progress, Warn, no_progress
from translate.analysis import expressions_of, parts, rebuild, stream_blocks
from translate.analysis.nullability import is_cautious
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, Bgp, Extend, Pattern, TriplePattern, variables
from translate.model.query import EngineQuery
from translate.tau import lars_program


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers of triples, static triples, time points, RDF terms and query parts in a disagreement.

    A query part is a pattern, a condition or a column of the pushed or of the pulled query.
    """

    triples: int
    static: int
    end: int
    terms: int
    parts: int


@dataclass(frozen=True, slots=True)
class MinimalDisagreement:
    """The smallest input found on which push and pull disagree, with sizes before and after the reduction.

    `evaluations` is the number of times that the reduction compared push with pull.
    """

    left: PairOnStream
    cause: agree.RowCause
    before: Sizes
    after: Sizes
    evaluations: int


def shrink(
    task: agree.AgreementTask, row_cause: agree.RowCause | None, warn: Warn, progress: Progress
) -> MinimalDisagreement | None:
    """Return the first disagreement of push and pull, on an input from which no part can be removed.

    If push and pull agree, the function returns None. If `row_cause` is given, only a disagreement with this
    cause counts.

    Raises:
        LarsError: No row has the cause `row_cause`.
    """
    task, trace, compared = agree.compared_on_trace(task, warn)
    report = agree.compare_pairs(compared, agree.periods_of(task), trace, task.setting)
    for variant in report.variants:
        for verdict in variant.verdicts:
            alone = replace(variant, verdicts=(verdict,))
            differing = first_difference(alone, row_cause)
            if differing is not None:
                about = variant.pair, task.setting, verdict.period
                static = {name: tuple(rows) for name, rows in trace.background.items()}
                facts = without_doubles(trace.facts(trace.timeline))
                whole = PairOnStream(*about, facts, static, trace.timeline.last, trace.origin)
                return minimal_disagreement(whole, differing.cause, progress)
    if row_cause is not None:
        problem = f"no row that only one side reports has the cause {row_cause}"
        raise LarsError(f"{problem}; `lars agree` shows the causes of all differences")
    return None


Shortest = Callable[[PairOnStream], PairOnStream | None]
"""A function that cuts a comparison after its first disagreeing period; None without such a period."""


def minimal_disagreement(
    disagreement: PairOnStream, cause: agree.RowCause, progress: Progress = no_progress
) -> MinimalDisagreement:
    """Return the disagreement on a reduced input, in which a row still has the given cause.

    Raises:
        LarsError: No row has this cause.
    """
    report = disagreement.report().first
    if (differing := first_difference(report, cause)) is None:
        raise LarsError(f"no row that only one side reports has the cause {cause}")
    evaluations = 1

    def shortest(tried: PairOnStream) -> PairOnStream | None:
        nonlocal evaluations
        evaluations += 1
        try:
            differing = first_difference(tried.report().first, cause)
        except LarsError:
            return None  # A query without a part that it needs is an error, not a disagreement.
        if differing is None:
            return None
        end = _last_read(tried, differing.interval.end)
        return replace(tried, facts=tuple(fact for fact in tried.facts if fact.t <= end), end=end)

    own = _of_read_streams(disagreement)
    state = shortest(own) if len(own.facts) < len(disagreement.facts) else None
    if state is None:
        state = _first_guess(disagreement, shortest, report, differing)
    else:
        report = state.report().first
        first = first_difference(report, cause)
        assert first is not None, "the reduced input has a difference with this cause"
        state = _first_guess(state, shortest, report, first)
    earlier = None
    for done in range(100):
        progress(done, 100)
        if state == earlier:
            break
        earlier = state
        # Elements first: with fewer elements, the later steps evaluate faster.
        for step in (_fewer_elements, _fewer_static, _smaller_queries, _earlier):
            state = step(state, shortest)
    if first_difference(state.report("all").first) is None:
        raise FailedRunError("the reduced input does not disagree when clingo verifies it")
    return MinimalDisagreement(state, cause, sizes_of(disagreement), sizes_of(state), evaluations)


def _last_read(tried: PairOnStream, end: int) -> int:
    """Return the last time whose elements an evaluation up to `end` can read: later if windows look ahead."""
    queries = (tried.pair.csparql, tried.pair.cqels)
    every = {window for query in queries for window in windows(lars_program(query, tried.setting))}
    timeline = Interval(0, tried.end)
    # The ends of a window never move back, so what it shows at `end` reaches at least as far as before.
    shown = (each.bounds(end, timeline) for each in every if isinstance(each, IntervalWindow))
    return max((end, *(interval.last for interval in shown if interval)))


def _of_read_streams(disagreement: PairOnStream) -> PairOnStream:
    """Return the disagreement without the elements of streams that no query reads.

    These elements only make push evaluate. A reader of the smallest input looks for them in the queries.
    """
    read: set[str] = set()
    for query in (disagreement.pair.csparql, disagreement.pair.cqels):
        for source in sources(query):
            if isinstance(source.stream, Variable):
                return disagreement
            read.add(str(source.stream))
    facts = tuple(fact for fact in disagreement.facts if fact.arguments[-1] in read)
    return replace(disagreement, facts=facts)


def _first_guess(
    disagreement: PairOnStream, shortest: Shortest, report: agree.VariantReport, difference: RowDifference
) -> PairOnStream:
    """Return the disagreement with only the triples that give the first differing row, if possible.

    If push and pull agree on only these triples, the function keeps further triples of the period, or all
    triples.
    """
    interval, own = difference.interval, set(report.supports([difference])[0])
    pushed = difference.pushed if difference.side == "push" else None
    times = {interval.start + 1, interval.end, pushed}
    near = [fact for fact in disagreement.facts if interval.start < fact.t <= interval.end]
    for more in ((), [fact for fact in near if fact.t in times], near):
        kept = own.union(more)
        facts = tuple(fact for fact in disagreement.facts if not kept.isdisjoint(with_triples([fact])))
        if state := shortest(replace(disagreement, facts=facts, end=_last_read(disagreement, interval.end))):
            return state
    return shortest(disagreement) or disagreement


_TRIPLE: Final = ("triple", 4)
_NAMED: Final = ("named", 1)


def _fewer_elements(state: PairOnStream, shortest: Shortest) -> PairOnStream:
    kept = minimal(state.facts, lambda facts: shortest(replace(state, facts=tuple(facts))) is not None)
    return shortest(replace(state, facts=tuple(kept))) or state


def _fewer_static(state: PairOnStream, shortest: Shortest) -> PairOnStream:
    rows = tuple(state.static.get(_TRIPLE, ()))

    def with_rows(kept: Sequence[tuple[str, ...]]) -> PairOnStream:
        # A graph without triples cannot be written to a file, so its name is removed too.
        names = dict.fromkeys((row[3],) for row in kept if row[3] != "default")
        return replace(state, static={**state.static, _TRIPLE: tuple(kept), _NAMED: tuple(names)})

    return with_rows(minimal(rows, lambda kept: shortest(with_rows(kept)) is not None))


def _smaller_queries(state: PairOnStream, shortest: Shortest) -> PairOnStream:
    for pair in smaller_pairs(state.pair):
        if disagreement := shortest(replace(state, pair=pair)):
            return _smaller_queries(disagreement, shortest)
    return state


def _earlier(state: PairOnStream, shortest: Shortest) -> PairOnStream:
    """Return the disagreement with its stream elements moved to earlier times.

    First, all elements are moved by whole pull periods. Then, each element is moved with all later elements,
    and at last alone.
    """
    first = min((fact.t for fact in state.facts), default=1)
    for by in range((first - 1) // state.period * state.period, 0, -state.period):
        moved = replace(state, facts=_moved(state.facts, range(len(state.facts)), by), end=state.end - by)
        if disagreement := shortest(moved):
            state = disagreement
            break
    count = len(state.facts)
    for places in (
        *(range(place, count) for place in range(count)),
        *(range(n, n + 1) for n in range(count)),
    ):
        state = _moved_back(state, shortest, places)
    return state


def _moved_back(state: PairOnStream, shortest: Shortest, places: range) -> PairOnStream:
    """Return the disagreement with the elements at `places` moved to times as early as possible.

    The function halves the distance of a move until no move keeps the disagreement.
    """
    by = state.end
    while by:
        moved_state = None
        own = [fact.t for at, fact in enumerate(state.facts) if at in places]
        # No element moves to time 0, at which push would evaluate in no period (iU, (i+1)U].
        if own and min(own) > by:
            facts = _moved(state.facts, places, by)
            ends = dict.fromkeys((state.end - by // state.period * state.period, state.end))
            tried = (shortest(replace(state, facts=facts, end=end)) for end in ends)
            moved_state = next(filter(None, tried), None)
        if moved_state is None:
            by //= 2
        else:
            state = moved_state
    return state


def _moved(facts: Sequence[Fact], places: range, by: int) -> tuple[Fact, ...]:
    moved = [fact._replace(t=fact.t - by) if at in places else fact for at, fact in enumerate(facts)]
    return tuple(sorted(moved, key=lambda fact: fact.t))


_Change = Callable[[Pattern], Pattern | None]


def smaller_pairs(pair: agree.Pair) -> Iterator[agree.Pair]:
    """Yield pairs of queries, each without one part that both queries contain.

    Both queries of each pair still bind their columns.
    """
    for change in _changes(pair.cqels.pattern, pair.csparql.pattern):
        # A new change for each query, because some changes count the operators that they have visited.
        csparql, cqels = (
            replace(query, pattern=_tidy(rebuild(query.pattern, change())))
            for query in (pair.csparql, pair.cqels)
        )
        if all(set(query.result) <= variables(query.pattern) for query in (csparql, cqels)):
            yield agree.Pair(_without_idle_windows(csparql, cqels), cqels, pair.choices)
    for name in pair.cqels.result if len(pair.cqels.result) > 1 else ():
        yield agree.Pair(_without_column(pair.csparql, name), _without_column(pair.cqels, name), pair.choices)


def _changes(pattern: Pattern, other: Pattern) -> Iterator[Callable[[], _Change]]:
    patterns = list(parts(pattern))
    for condition in dict.fromkeys(part.condition for part in patterns if isinstance(part, algebra.Filter)):
        yield partial(_dropping_condition, condition)
    kinds = (
        (algebra.Union, "left"),
        (algebra.Union, "right"),
        (algebra.LeftJoin, "left"),
        (algebra.Minus, "left"),
    )
    for kind, side in kinds:
        count_here, count_there = (
            sum(_is_of(kind, part) for part in parts(each)) for each in (pattern, other)
        )
        # If one query has more such operators, the same number would mean different operators.
        for number in range(count_here if count_here == count_there else 0):
            yield partial(_keeping_side, kind, number, side)
    triples = (triple for part in patterns if isinstance(part, algebra.Bgp) for triple in part.triples)
    for triple in dict.fromkeys(triples):
        yield partial(_dropping_triple, triple)


def _dropping_condition(condition: Expression) -> _Change:
    def change(part: Pattern) -> Pattern | None:
        return part.pattern if isinstance(part, algebra.Filter) and part.condition == condition else None

    return change


def _keeping_side(kind: type[Pattern], number: int, side: str) -> _Change:
    met = count()

    def change(part: Pattern) -> Pattern | None:
        if not _is_of(kind, part) or next(met) != number:
            return None
        pattern: Pattern = getattr(part, side)
        return pattern

    return change


def _is_of(kind: type[Pattern], part: Pattern) -> bool:
    """Return whether a pattern is of the given kind, such as UNION, and can occur in both queries.

    Cautious blocks, which match a stream or static data, occur only in CQELS queries.
    """
    return isinstance(part, kind) and not (isinstance(part, algebra.Union) and is_cautious(part))


def _dropping_triple(triple: TriplePattern) -> _Change:
    def rest(part: algebra.Bgp) -> algebra.Bgp:
        return algebra.Bgp(tuple(pattern for pattern in part.triples if pattern != triple))

    def change(part: Pattern) -> Pattern | None:
        match part:
            case algebra.Bgp(triples) if triple in triples:
                return rest(part)
            case algebra.StreamBlock(_, _, algebra.Bgp() as inner) if triple in inner.triples:
                left = rest(inner)
                return replace(part, pattern=left) if left.triples else left
            case _:
                return None

    return change


def _tidy(pattern: Pattern) -> Pattern:
    """Return the pattern with each join of an empty pattern replaced by the other side of the join."""

    def change(part: Pattern) -> Pattern | None:
        if isinstance(part, algebra.Join) and EMPTY in (part.left, part.right):
            return part.right if part.left == EMPTY else part.left
        return None

    tidier = rebuild(pattern, change)
    return pattern if tidier == pattern else _tidy(tidier)


def _without_idle_windows(csparql: EngineQuery, cqels: EngineQuery) -> EngineQuery:
    """Return the C-SPARQL query without windows on streams that the CQELS query does not read."""
    read = {block.stream for block in stream_blocks(cqels.pattern)}
    return replace(csparql, merged=tuple(part for part in csparql.merged if part.stream in read))


def _without_column(query: EngineQuery, name: Variable) -> EngineQuery:
    return replace(query, result=tuple(variable for variable in query.result if variable != name))


def sizes_of(disagreement: PairOnStream) -> Sizes:
    """Return the sizes of a disagreement, such as the number of its triples."""
    rows = [row[:3] for row in disagreement.static.get(("triple", 4), ())]
    terms = {term for fact in disagreement.facts for term in fact.arguments[:3]} | {
        t for row in rows for t in row
    }
    queries = sum(map(_parts, (disagreement.pair.csparql, disagreement.pair.cqels)))
    return Sizes(len(disagreement.facts), len(rows), disagreement.end, len(terms), queries)


def _parts(query: EngineQuery) -> int:
    patterns = list(parts(query.pattern))
    triples = sum(len(part.triples) for part in patterns if isinstance(part, Bgp))
    conditions = sum(len(expressions_of(pattern)) for pattern in patterns if not isinstance(pattern, Extend))
    others = sum(not isinstance(pattern, Bgp) for pattern in patterns)
    return triples + conditions + others + len(query.result)


def write_shrunk(folder: Path, disagreement: MinimalDisagreement) -> None:
    """Write a minimal disagreement as an experiment folder, in place of an earlier experiment."""
    with replacement_folder(folder, EXPERIMENT) as new:
        write_experiment(new, f"Push and pull disagree: {disagreement.cause}", disagreement.left)
