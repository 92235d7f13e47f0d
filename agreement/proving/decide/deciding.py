"""Decide for each pull period whether push and pull agree on all streams.

The verdict is always, never, depends on the static data, not always, or open. If push and pull differ on a
stream without static data, theorem G5 (see `new_names.py`) shows whether they differ for any static data.
"""

from collections.abc import Iterator
from dataclasses import field, replace
from time import monotonic
from typing import Final

from agreement.documents.requests import durations_of, finer_units, sources
from agreement.documents.traces import streams_of
from agreement.proving.decide import theorems
from agreement.proving.decide.new_names import differs_whatever_is_stored, is_shown_whatever_is_stored
from agreement.proving.decide.premises import changes, premises
from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decide.theorems import Theorem
from agreement.proving.decide.trial import Trial
from agreement.proving.decisions import Decision, EveryStream, PairOnStream, Witness
from agreement.proving.disjuncts import (
    Candidate,
    Placement,
    Satisfiability,
    UncountedError,
    background_of,
    few_and_many,
)
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import TimeLimitError
from solver.deadlines import NEVER, Deadline, until
from translate.model.windows import Range

SEARCHED: Final = 20.0
"""The default number of seconds for the search for smallest streams.

A guess: most searches that end at all end earlier, and a user waits this long for a verdict.
"""
MOST_TRIED: Final = 12
"""The maximum number of disjuncts (alternatives of a query, without UNION) from which streams are made.

A guess: a query with more disjuncts is rare, and the search for smallest streams follows in any case.
"""
_FINER: Final = 2.0
"""The number of seconds for the search with a finer unit.

A guess: several finer units can follow the search of `SEARCHED` seconds, and their result is only a hint.
"""


@dataclass
class Decider:
    """Decides whether a pushed and a pulled query agree on all streams, for one pull period after another.

    If no theorem decides, the decider tries streams and searches smallest streams, for at most `seconds` over
    all periods. `finer` contains a decider for each shorter unit of time, with its own limit of seconds.
    `deadline` is the time at which all searches end. If `any_source` is false, a tried stream contains each
    triple only in the source (stream or static data) of the pattern that the triple matches.
    """

    question: AgreementQuestion
    trials: list[Trial] = field(default_factory=list)
    seconds: float = SEARCHED
    deadline: Deadline = NEVER
    any_source: bool = True
    finer: dict[Duration, "Decider"] = field(default_factory=dict)

    def decide(self, period: int) -> Decision:
        """Return the decision whether push and pull agree on all streams, for one pull period.

        Args:
            period: The number of time points between two pulls.
        """
        question, theorem = self.question, agreement_theorem(self.question, period)
        answer = Decision("open" if theorem is None else "always", "", period=period)
        if theorem is None and question.volatile is None:
            witness = self.witness(period)
            answer = self.search(period) if witness is None else replace(answer, witnesses=(witness,))
        if answer.witness is not None:
            verdict, theorem = differing(question, period, answer.witness)
            answer = replace(answer, verdict=verdict)
        return replace(
            answer,
            why=answer.why if theorem is None else theorem.value,
            premises=tuple(premises(question, period)),
            changes=tuple(changes(question, period, answer.verdict)),
        )

    def search(self, period: int) -> Decision:
        """Search a smallest stream on which push and pull differ, and return the result as a decision.

        The decision contains the stream that is found, or the reason why no stream is found.
        """
        question, began, deadline = self.question, monotonic(), self._within(self.seconds)
        contest = push_and_pull(question.pair, period, question.setting)
        streams = dict.fromkeys((*streams_of(question.pair.csparql), *streams_of(question.pair.cqels)))
        known = None if question.stock is None else background_of(question.stock)
        overlapping = self.any_source and question.overlap is not None
        answer = smallest(WitnessSearch(contest, tuple(streams), known, None, deadline, overlapping))
        self.seconds -= monotonic() - began
        found = answer.witness
        if found is None:
            why = (
                Theorem.SEARCHED.value
                if answer.holds
                else answer.search_text("on which push and pull differ")
            )
            return Decision(answer.verdict, why, period=period)
        about = question.pair, question.setting, period
        # A difference counts only if `lars agree` confirms it.
        again = PairOnStream(*about, found.facts, found.static, found.timeline.last).witness()
        return Decision("open", "", () if again is None else (again,), period=period)

    def witness(self, period: int) -> Witness | None:
        """Return a stream on which push and pull differ by `lars agree`; None if no such stream is found."""
        question = self.question
        for number, candidate in enumerate(candidates(question, any_source=self.any_source)):
            if number == len(self.trials) and (self.seconds <= 0 or self.deadline.is_over):
                return None
            began = monotonic()
            try:
                # Half of the rest, so that the search for a smallest stream still has time.
                with until(self._within(self.seconds / 2)):
                    if number == len(self.trials):
                        self.trials.append(Trial(question.pair, question.setting, candidate))
                    witness = self.trials[number].difference(period)
            except (TimeLimitError, UncountedError):
                return None
            finally:
                self.seconds -= monotonic() - began
            if witness is not None:
                return witness
        return None

    def in_unit(self, unit: Duration) -> "Decider":
        """Return the decider for the same queries with `unit` as the length of a time point."""
        question = replace(self.question, setting=replace(self.question.setting, unit=unit))
        return self.finer.setdefault(
            unit, replace(self, question=question, trials=[], seconds=_FINER, finer={})
        )

    def _within(self, seconds: float) -> Deadline:
        return min(Deadline.after(seconds), self.deadline, key=lambda limit: limit.end)


def in_finer_units(decider: Decider, decision: Decision) -> Decision:
    """Return the decision, with the longest of the shorter units of time that change its verdict.

    Only the verdicts `always` and `open` can change. If push and pull differ with one unit, they also differ
    with each unit that divides this unit.
    """
    question = decider.question
    queries = question.pair.csparql, question.pair.cqels
    unit = question.setting.unit
    durations = [each for query in queries for each in durations_of(query)]
    period = Duration(decision.period * unit.nanoseconds)
    undecided = decision.verdict in ("always", "open")
    for finer in finer_units(unit, [*durations, period]) if undecided else ():
        if decider.deadline.is_over:
            break
        again = decider.in_unit(finer).decide(period.points(finer))
        if again.verdict not in (decision.verdict, "open"):
            return replace(decision, finer=(finer, again))
    return decision


def agreement_theorem(
    question: AgreementQuestion, period: int, *, any_source: bool = False
) -> Theorem | None:
    """Return the theorem that proves that push and pull agree on every stream; None if no theorem does.

    If `any_source` is true, a triple of one source (a stream or the static data) may match a pattern of
    another source. Most theorems do not apply to streams with a triple that matches a pattern of another
    source.
    """
    possible = tuple(way for way in question.ways if way.possible)
    why_not_monotone = [why for why, _ in question.hindrances]
    if "DESCRIBE" in why_not_monotone:
        return None
    # Disjuncts have one step for each path, so the theorems about disjuncts do not apply to paths.
    if "a path of any length" in why_not_monotone:
        return Theorem.NOTHING if question.same_patterns and question.excluded_beside_paths else None
    # A disjunct names only its first reason to be loose, so aggregates are looked up in the patterns.
    if question.counts_nothing:
        return None
    same = question.one_query(period) and not any_source
    # If sources overlap, stream triples can match static patterns, so given static data exclude nothing.
    if not possible and (same or (question.same_patterns and question.excluded_in_any_source)):
        return Theorem.NOTHING
    if not same:
        return None
    if period == 1 and all(theorems.needs_now(way.disjunct, question.setting) for way in possible):
        return Theorem.NOW
    if question.setting.trigger == "any" or question.hindrances:
        return None
    if question.setting.trigger == "query-streams" and not all(map(theorems.accepts_all, question.ways)):
        return None
    uniform = theorems.is_uniform(question.pair.cqels, question.ways, period, question.setting)
    return Theorem.MATCHING if uniform else None


def never(question: AgreementQuestion, period: int, disjunct: Satisfiability) -> bool:
    """Return whether one disjunct of the query is enough to prove that push and pull differ on some stream.

    A disjunct is an alternative of the query, without UNION. The proof is theorem G3: a row of the disjunct
    is still an answer after push has reported it, or is no longer an answer at the next pull.
    """
    if not disjunct.certain or question.hindrances or question.setting.trigger != "any":
        return False
    edges = [edge for each in question.ways for edge in each.disjunct.readings]
    losing = all(theorems.only_loses(edge.reading.operator(question.setting)) for edge in edges)
    if not losing or not question.one_query(period):
        return False
    return period > 1 or not theorems.needs_now(disjunct.disjunct, question.setting)


def never_agrees(question: AgreementQuestion) -> bool:
    """Return whether push and pull differ on some stream for every pull period, whatever the static data are.

    Theorem G3 proves this if its premises hold for U = 1, and no window slides: then no premise depends on
    the period, and a period of several time points needs no further premise.
    """
    windows = [
        source.window for query in (question.pair.csparql, question.pair.cqels) for source in sources(query)
    ]
    if any(isinstance(window, Range) and window.slide is not None for window in windows):
        return False
    proven = [way for way in question.ways if never(question, 1, way)]
    is_independent = question.stock is not None or not question.reads_static
    return bool(proven) and (is_independent or any(not way.disjunct.stored for way in proven))


def differing(question: AgreementQuestion, period: int, witness: Witness) -> tuple[EveryStream, Theorem]:
    """Return the verdict that follows from a stream on which push and pull differ, and its theorem.

    The verdict is `never` if push and pull differ on some stream, whatever the static data are.
    """
    proven = [way for way in question.ways if never(question, period, way)]
    theorem = Theorem.NEVER if proven else Theorem.WITNESS
    independent = not question.reads_static or any(not disjunct.disjunct.stored for disjunct in proven)
    if not independent and not witness.triples and question.same_query(period) is None:
        query = question.pair.cqels
        independent = differs_whatever_is_stored(query, question.setting, witness.facts)
        theorem = Theorem.FRESH if independent and question.overlap is None else theorem
    if question.stock is not None:
        return "never", theorem
    if independent and question.overlap is None:
        return "never", Theorem.UNREAD if theorem is Theorem.WITNESS else theorem
    if not witness.triples and is_shown_whatever_is_stored(question, witness):
        return "never", theorem if proven else Theorem.FRESH
    # Without static data, the queries would agree on every stream.
    if agreement_theorem(replace(question, stock=()), period) is not None:
        return "depends on the static data", Theorem.SOME if theorem is Theorem.WITNESS else theorem
    return "not always", theorem


def candidates(question: AgreementQuestion, *, any_source: bool = True) -> Iterator[Candidate]:
    """Yield streams on which push and pull may differ: some for each disjunct of the query.

    A disjunct is an alternative of the query, without UNION. The function yields the streams for disjuncts
    with fewer patterns of static data first.
    """
    noise = () if question.setting.trigger == "any" else (None,)
    placement = Placement(question.setting, *noise)
    free, stock = question.stock is None, question.stock or ()
    models = [(way.disjunct, way.model) for way in question.ways if way.holds]
    models = sorted(models, key=lambda pair: len(pair[0].stored))[:MOST_TRIED]
    for disjunct, model in models:
        for each in few_and_many(disjunct, model):
            yield from placement.candidates(disjunct, each, stock, free=free)
    for disjunct, model in models if any_source and question.overlap is not None else ():
        yield from placement.misplaced(disjunct, model, stock, free=free)
