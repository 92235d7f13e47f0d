"""Define the task of `lars witness`: two sides for each pull period, and the requested streams.

Two witnesses count as equal if they differ only in new names and in delays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import groupby
from time import monotonic
from typing import ClassVar, Final

from agreement.comparing import agree
from agreement.comparing.agree.agreeing import AgreementReport, RowFilter
from agreement.documents.requests import TracelessOptions, sources
from agreement.documents.traces import streams_of
from agreement.proving.decisions import Decision, PairOnStream, Witness
from agreement.proving.traceless import TracelessTask
from agreement.proving.witness import other_sides, searching
from lars.dataclass import dataclass
from lars.errors import LarsError, TimeLimitError
from lars.language import terms
from lars.language.program import Program
from lars.options import option
from solver.deadlines import Deadline, until
from solver.facts import Background, constant_of
from solver.search import Candidates, ChosenStream, Contest
from solver.settings import Progress, Warn
from translate.analysis import profile_remarks
from translate.model.query import MERGING, EngineQuery, Setting
from translate.model.windows import Now, Range, Unbounded, WindowExpression
from translate.tau import columns, lars_program


def named_terms(programs: Iterable[Program]) -> frozenset[str]:
    """Return the texts of all constants (such as IRIs) in LARS programs."""
    return frozenset(
        text for program in programs for rule in program.rules for text in _constants((rule.head, rule.body))
    )


def _constants(part: object) -> Iterator[str]:
    match part:
        case (
            terms.Iri()
            | terms.Literal()
            | terms.Blank()
            | terms.TripleTerm()
            | terms.Symbol()
            | terms.Number()
        ):
            yield str(part)
        case tuple():
            yield from (text for each in part for text in _constants(each))
        case _ if is_dataclass(part):
            yield from (text for field in fields(part) for text in _constants(getattr(part, field.name)))


def are_alike(one: Witness, other: Witness, named: frozenset[str]) -> bool:
    """Return whether two witnesses differ only in names that the programs do not contain, and in delays.

    The order of triples with the same time does not matter. In both witnesses, the same side must have a row
    that the other side does not have.
    """
    if (bool(one.left_only), bool(one.right_only)) != (bool(other.left_only), bool(other.right_only)):
        return False
    mine, theirs = (list(_rows_by_instant(witness)) for witness in (one, other))
    # The first rows are those with the fewest counterparts, before any name is known.
    mine.sort(key=lambda row: sum(_matched(row, each, {}, named) is not None for each in theirs))
    return len(mine) == len(theirs) and _match(mine, theirs, {}, named)


_PlacedRow = tuple[int, tuple[str, ...]]
"""A triple with the position of its arrival time among all arrival times; -1 for a static triple."""


def _rows_by_instant(witness: Witness) -> Iterator[_PlacedRow]:
    for number, (_, facts) in enumerate(groupby(witness.facts, lambda fact: fact.t)):
        yield from ((number, fact.arguments) for fact in facts)
    yield from ((-1, tuple(map(str, row))) for rows in witness.static.values() for row in rows)


def _match(
    mine: Sequence[_PlacedRow], theirs: Sequence[_PlacedRow], names: Mapping[str, str], named: frozenset[str]
) -> bool:
    """Return whether the triples of two witnesses are equal after a one-to-one change of names.

    `names` contains the names that are already changed.
    """
    if not mine:
        return True
    grown = ((n, _matched(mine[0], row, names, named)) for n, row in enumerate(theirs))
    return any(
        known is not None and _match(mine[1:], (*theirs[:n], *theirs[n + 1 :]), known, named)
        for n, known in grown
    )


def _matched(
    one: _PlacedRow, other: _PlacedRow, names: Mapping[str, str], named: frozenset[str]
) -> Mapping[str, str] | None:
    """Return the mapping `names`, extended so that it makes two triples equal; None if this is impossible."""
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return None
    known = dict(names)
    for mine, theirs in zip(one[1], other[1], strict=True):
        if mine in named or theirs in named:
            if mine != theirs:
                return None
        elif known.setdefault(mine, theirs) != theirs:
            return None
    return known if len(set(known.values())) == len(known) else None


StreamMaker = Callable[[int, Deadline], Decision | None]
"""A function that returns, for a pull period, a stream with a difference or a proof that none exists.

Without either, the function returns None.
"""
_LEFT: Final = 2.0
"""The number of seconds for the function `made` if the search has used all of its time."""
_CAUSE_OF_TWO: Final = (
    "theorem A7 limits the triples for a difference with a given cause only if both queries have the same "
    "windows, and no window slides"
)
_ANYWHERE: Final = frozenset(("merged sources", "static only"))
"""The causes for which a triple must come from another source than the source of its pattern."""


def _moves_always(window: WindowExpression) -> bool:
    match window:
        case Range(_, None, None, ahead=None, opens=None) | Now() | Unbounded():
            return True
        case _:
            return False


def _atom(predicate: str, row: Iterable[str]) -> terms.Atom:
    return terms.Atom(predicate, tuple(map(constant_of, row)))


@dataclass(frozen=True, slots=True)
class WitnessCriteria:
    """The options of `lars witness` that select the stream to find and limit the search."""

    HEADING: ClassVar = "Search"

    enumerate_: int = option(
        1,
        "Find N different streams. Two streams that differ only in names, or in the time between "
        "elements, count as one stream.",
        shell_name="--enumerate",
        least=1,
        metavar="N",
    )
    cause: agree.RowCause | None = agree.cause_option(
        "Find a difference with this cause, such as blocked-later (later input removed the row). "
        "[default: any cause]"
    )
    triples: int | None = option(
        None,
        "Maximum number of triples in the stream. [default: the number that a theorem proves to "
        "suffice, or 4]",
        least=0,
        metavar="N",
    )
    any_source: bool = option(
        False,
        "Let each triple arrive in any stream, or be in the static data. [default: each triple comes from "
        "the stream or static data whose patterns match the triple]",
    )
    same_input: bool = option(
        False,
        "Find a stream on which push and pull differ, although push and pull read exactly the same "
        "input in the period.",
    )
    sides: other_sides.Readings | None = option(
        None,
        "Compare two variants of one query, both evaluated by push. A variant has other window bounds"
        " (closed,high-open) or another stream operator (rstream,istream). [default: compare push "
        "with pull]",
        other_sides.read_sides,
    )
    time_limit: float = option(
        60.0,
        "Time limit for each period. At the limit, lars prints the smallest stream found so far.",
        least=0,
        metavar="SECONDS",
    )
    contained: bool = option(False, "For two queries: find a stream on which only the first query has a row.")


@dataclass(frozen=True, slots=True)
class WitnessTask:
    """The task of `lars witness`: to find streams on which two queries, or two variants of a query, differ.

    If `pair` is given, push is compared with pull. If `pair` is None, two queries are compared at every time
    point, or two variants of the second query are compared. If `static` is None, static data are arbitrary.
    """

    queries: tuple[EngineQuery, EngineQuery]
    pair: agree.Pair | None
    periods: tuple[int, ...]
    setting: Setting
    static: Background | None
    criteria: WitnessCriteria

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the two compared sides in messages, such as push and pull."""
        if self.criteria.sides is not None:
            one, other = self.criteria.sides
            return str(one).lower(), str(other).lower()
        return ("first", "second") if self.pair is None else ("push", "pull")

    @property
    def variables(self) -> tuple[terms.Variable, ...]:
        """The columns of the rows of both queries."""
        return columns(self.queries[0])

    @property
    def any_source(self) -> bool:
        """Whether the search may put a triple into any source, not only the source of a matching pattern."""
        return self.criteria.any_source or self.criteria.cause in _ANYWHERE

    @property
    def has_fixed_windows(self) -> bool:
        """Whether both queries have the same windows, and each window moves at every time point."""
        one, other = ({(each.stream, each.window) for each in sources(query)} for query in self.queries)
        return one == other and all(map(_moves_always, (window for _, window in one)))

    def contest(self, period: int) -> Contest | other_sides.ProfileContest:
        """Return the two sides to compare.

        `period` is the pull period in time points.
        """
        match self.criteria.sides:
            case (other_sides.NamedProfile(), other_sides.NamedProfile()) as profiles:
                return other_sides.ProfileContest(self.queries, profiles, self.setting, self.static)
            case (_, _) as sides:
                return other_sides.two_readings(self.queries[1], sides, self.setting)
            case _ if self.pair is None:
                return searching.two_queries(*self.queries, self.setting, contained=self.criteria.contained)
            case _:
                same = self.criteria.same_input
                return searching.push_and_pull(self.pair, period, self.setting, same_input=same)

    def search(self, period: int) -> searching.WitnessSearch | other_sides.ProfileContest:
        """Return the search for a stream with a difference, for one pull period.

        The time limit of the search starts at this call.
        """
        wishes, contest = self.criteria, self.contest(period)
        if isinstance(contest, other_sides.ProfileContest):
            return contest
        deadline = Deadline.after(wishes.time_limit)
        streams = dict.fromkeys(stream for query in self.queries for stream in streams_of(query))
        return searching.WitnessSearch(
            contest, tuple(streams), self.static, wishes.triples, deadline, self.any_source
        )

    def smallest(
        self,
        period: int,
        progress: Progress,
        accepted: other_sides.WitnessTest,
        made: "StreamMaker" = lambda *_: None,
    ) -> Decision:
        """Return a decision with the smallest stream that `accepted` accepts, or why no stream is found.

        If the search finds neither a witness nor a proof, the function tries the stream that `made` returns
        for the period. If the stream that `made` returns is not too large, a second search also uses its
        triples.
        """
        search = self.search(period)
        if isinstance(search, other_sides.ProfileContest):
            deadline = Deadline.after(self.criteria.time_limit)
            return search.smallest(self.criteria.triples, deadline, progress, accepted)
        outcome = searching.smallest(search, progress, accepted)
        if outcome.holds is not None:
            return outcome
        left = Deadline(end=max(search.deadline.end, monotonic() + _LEFT))
        other, most = made(period, left), self.criteria.triples
        if other is None or other.witness is None:
            return other or outcome
        facts = other.witness.facts
        if most is not None and len(facts) > most:
            return outcome
        static = tuple(_atom("triple", row) for row in other.witness.triples if self.static is None)
        if outcome.scope and len(facts) <= (outcome.triples or 0):
            arrived = tuple(_atom(fact.predicate, fact.arguments) for fact in facts)
            again = replace(search, more=Candidates(arrived, static))
            return searching.smallest(again, progress, accepted)
        stream = ChosenStream(facts, static, other.witness.start, other.witness.end)
        try:
            with until(left):
                accepted(replace(searching.confirm(search, stream), smallest=False))
        except TimeLimitError:
            return outcome
        return outcome

    def report(self, period: int, witness: Witness) -> AgreementReport | None:
        """Return the report of `lars agree` on a witness; None if push is not compared with pull."""
        if self.pair is None:
            return None
        return self.on_stream(self.pair, period, witness).report("all")

    def on_stream(self, pair: agree.Pair, period: int, witness: Witness) -> PairOnStream:
        """Return the comparison of push with pull on the stream and static data of a witness."""
        stream = witness.facts, witness.static, witness.timeline.last
        return PairOnStream(pair, self.setting, period, *stream)

    def causes(self, period: int, witness: Witness) -> frozenset[agree.RowCause]:
        """Return the causes of the differences in the last period of a witness."""
        report = self.report(period, witness)
        rows = () if report is None else RowFilter().rows(report.first)
        return frozenset(row.cause for row in rows if row.interval.end == witness.end)


def witnesses(
    task: WitnessTask, period: int, progress: Progress, made: StreamMaker = lambda *_: None
) -> Decision:
    """Return a decision with the requested number of different witnesses, the smallest witness first.

    If the search finds neither a witness nor a proof, the function also tries the stream that `made` returns
    for the period.
    """
    named = named_terms(lars_program(query, task.setting) for query in task.queries)
    unlike: list[Witness] = []
    others: list[Witness] = []

    def is_enough(witness: Witness) -> bool:
        cause = task.criteria.cause
        wanted = cause is None or cause in task.causes(period, witness)
        if not wanted:
            others.append(witness)
        elif not any(are_alike(witness, each, named) for each in unlike):
            unlike.append(witness)
        return len(unlike) == task.criteria.enumerate_

    outcome = task.smallest(period, progress, is_enough, made)
    if outcome.holds and others and not task.has_fixed_windows:
        outcome = replace(outcome, verdict="open", why=_CAUSE_OF_TWO)
    verdict = "not always" if unlike else outcome.verdict
    return replace(outcome, verdict=verdict, period=period, witnesses=tuple(unlike))


def witness_task(
    traceless_task: TracelessTask, options: TracelessOptions, wishes: WitnessCriteria, warn: Warn
) -> WitnessTask:
    """Return the task of `lars witness` for one or two queries.

    Raises:
        LarsError: The queries or options cannot be combined.
    """
    task, inputs = traceless_task.task, traceless_task.inputs
    read = task.setting, traceless_task.static(warn), wishes
    if wishes.sides is not None and isinstance(wishes.sides[0], other_sides.NamedProfile):
        query, other = traceless_task.queries[0], traceless_task.queries[-1]
        _check_columns(inputs, query, other)
        _check_idle(options, wishes, "specifications and engine versions determine their semantics")
        return WitnessTask((query, other), None, (1,), *read)
    apart = not any(query.language in MERGING for query in traceless_task.queries)
    if not traceless_task.is_pair or (wishes.contained and apart and len(traceless_task.queries) > 1):
        query, other = traceless_task.queries
        _check_columns(inputs, query, other)
        _check_operators(inputs, query, other)
        if wishes.sides is not None:
            raise LarsError("--sides requires one query, or a C-SPARQL and a CQELS query")
        _check_idle(options, wishes, "the answers of two queries are compared at every time")
        remarks = (each for one in (query, other) for each in profile_remarks(one, task.setting))
        for remark in dict.fromkeys(remarks):
            warn(remark)
        return WitnessTask((query, other), None, (1,), *read)
    if wishes.contained:
        raise LarsError("--contained requires two queries in one language")
    pair = traceless_task.pairs(warn)[0]
    both = pair.csparql, pair.cqels
    if wishes.sides is not None:
        _check_idle(options, wishes, "two readings of a query are compared at every time")
        return WitnessTask(both, None, (1,), *read)
    return WitnessTask(both, pair, traceless_task.periods, *read)


def _check_idle(options: TracelessOptions, wishes: WitnessCriteria, why: str) -> None:
    values: dict[str, object] = {"--period": options.period or None, "--cause": wishes.cause}
    values["--same-input"] = wishes.same_input or None
    profiles = wishes.sides is not None and isinstance(wishes.sides[0], other_sides.NamedProfile)
    if wishes.sides is None or profiles:
        values["--trigger"] = options.reading.trigger
    if profiles:
        values |= {"--bounds": options.reading.bounds, "--profile": options.reading.profile}
        values |= {"--contained": wishes.contained or None, "--any-source": wishes.any_source or None}
    if idle := [name for name, value in values.items() if value is not None]:
        raise LarsError(f"{' and '.join(idle)}: only for push and pull, because {why}")


def _check_operators(paths: Sequence[str], engine_query: EngineQuery, other: EngineQuery) -> None:
    """Raise LarsError for ISTREAM and DSTREAM, because the search compares all answers, not reports."""
    for path, query in zip(paths, (engine_query, other), strict=True):
        if query.to_stream in ("ISTREAM", "DSTREAM"):
            accepted = "RSTREAM, or lars decide --contained, --equivalent"
            raise LarsError(
                f"{path}: cannot search with {query.to_stream}, because the search compares all "
                f"answers; use {accepted}"
            )


def _check_columns(paths: Sequence[str], engine_query: EngineQuery, other: EngineQuery) -> None:
    if columns(engine_query) != columns(other):
        sentences = (
            ", ".join(f"?{name.name}" for name in columns(query)) or "none" for query in (other, engine_query)
        )
        raise LarsError(
            f"{paths[-1]}: the query returns {{}}, {paths[0]} returns {{}}; use queries with "
            "the same variables".format(*sentences)
        )
