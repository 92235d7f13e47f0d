"""The verdict for each pull period: always, never, depends on the static data, not always, or open.

If push and pull differ on a stream without static data, T5 decides whether they differ for any static data.

T5 (streams with new names). Let W be a stream on which push and pull differ without static data. Replace the
names of W that occur in no query by names that the static data D do not contain. Assume that each static part
of Q has a variable with this property: in each row that is joined with the static part, or extended by it in
OPTIONAL or MINUS, the variable has a value from a pattern of a stream that matches only new names in W. Under
this assumption, no static part has a relevant match. So Q has the same rows on W with D as on W without D,
and push and pull also differ on W with D. Conditions must not depend on the text of names. EXISTS,
aggregates, LIMIT and paths are excluded.

If pull merges windows and static data into one graph, each pattern of pull can match D. Let a row that only
one side has on W contain a new name. Each pattern of pull must be reached from this name: the pattern must
contain a variable that the row, or a reached pattern, binds to a new name. A reached pattern matches only
triples of W, also on W with D. So pull has the row on W with D if and only if pull has the row on W.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from time import monotonic
from typing import Final, assert_never

from agreement.documents.requests import durations_of, finer_units
from agreement.documents.traces import streams_of
from agreement.proving.decide import theorems
from agreement.proving.decide.premises import changes, premises
from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decide.theorems import Theorem
from agreement.proving.decide.trial import Trial
from agreement.proving.decisions import Decision, EveryStream, PairOnStream, Witness
from agreement.proving.disjuncts import Candidate, Placement, Satisfiability, background_of, few_and_many
from agreement.proving.witness import WitnessSearch, named_constants, push_and_pull, smallest
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import TimeLimitError
from lars.language.program import calls
from lars.language.terms import Constant, Iri, Variable
from solver.deadlines import NEVER, Deadline, until
from solver.facts import Fact, constant_of
from translate.analysis import expressions_of, parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, TriplePattern
from translate.model.query import EngineQuery, Setting
from translate.tau import lars_program

_CONNECTIVES: Final = ("&&", "||", "!", "IN", "BOUND")
_COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=", "SAMETERM")
_KINDS: Final = ("ISIRI", "ISURI", "ISLITERAL", "ISNUMERIC", "ISBLANK")
_BLIND: Final = frozenset((*_CONNECTIVES, *_COMPARISONS, *_KINDS))
"""The functions that have the same value for all IRIs that do not occur in the query."""
Names = frozenset[Variable]


def differs_whatever_is_stored(query: EngineQuery, setting: Setting, facts: Sequence[Fact]) -> bool:
    """Return whether T5 extends a result on a stream without static data to any static data."""
    every = tuple(parts(query.pattern))
    if query.modifiers.slices or any(map(tests_of, every)) or not all(map(_is_blind, every)):
        return False
    old = named_constants((lars_program(query, setting),))
    streamed = (part.pattern for part in every if isinstance(part, algebra.StreamBlock))
    return _is_met(query.pattern, _new_names(streamed, facts, old), frozenset())


def is_shown_whatever_is_stored(question: AgreementQuestion, witness: Witness) -> bool:
    """Return whether T5 proves that push and pull differ on the witness stream with any static data."""
    push, pull = question.pair.cqels, question.pair.csparql
    if not differs_whatever_is_stored(push, question.setting, witness.facts):
        return False
    every = tuple(parts(pull.pattern))
    if pull.modifiers.slices or any(map(tests_of, every)) or not all(map(_is_blind, every)):
        return False
    old = named_constants(lars_program(query, question.setting) for query in (push, pull))
    new = _new_names(every, witness.facts, old)
    row = zip(sorted(pull.result), witness.row, strict=True)
    known = frozenset(name for name, text in row if text is not None and constant_of(text) not in old)
    return _is_reached(pull.pattern, new, known & new)


def _is_reached(pattern: Pattern, new: Names, known: Names) -> bool:
    """Return whether each triple pattern is reached from the variables that are known to have new names."""
    match pattern:
        case algebra.Join():
            sides = list(_joined(pattern))
            triples = [each for side in sides if isinstance(side, algebra.Bgp) for each in side.triples]
            reached = _reached(triples, new, known)
            whole = _is_reached(algebra.Bgp(tuple(triples)), new, known)
            others = (side for side in sides if not isinstance(side, algebra.Bgp))
            return whole and all(_is_reached(side, new, reached) for side in others)
        case algebra.Bgp(triples):
            reached = _reached(triples, new, known)
            return all(not reached.isdisjoint(triple.terms) for triple in triples)
        case algebra.Union(left, right):
            return _is_reached(left, new, known) and _is_reached(right, new, known)
        case algebra.LeftJoin(algebra.Bgp(triples) as left, right) | algebra.Minus(
            algebra.Bgp(triples) as left, right
        ):
            return _is_reached(left, new, known) and _is_reached(right, new, _reached(triples, new, known))
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _is_reached(inner, new, known)
        case _:
            return False


def _joined(pattern: Pattern) -> Iterator[Pattern]:
    if isinstance(pattern, algebra.Join):
        yield from (*_joined(pattern.left), *_joined(pattern.right))
    else:
        yield pattern


def _reached(triples: Sequence[TriplePattern], new: Names, known: Names) -> Names:
    """Return the variables with new names: known variables, and variables that patterns connect."""
    terms = (triple.terms for triple in triples if not known.isdisjoint(triple.terms))
    grown = known.union(term for each in terms for term in each if isinstance(term, Variable) and term in new)
    return grown if grown == known else _reached(triples, new, grown)


def _is_blind(part: Pattern) -> bool:
    match part:
        case algebra.Group() | algebra.PathPattern() | algebra.Service() | algebra.Graph():
            return False
        case algebra.Select(_, _, modifiers):
            return not modifiers.slices
        case _:
            called = (call for expression in expressions_of(part) for call in calls(expression))
            return all(call.function.upper() in _BLIND for call in called)


def _new_names(bgps: Iterable[Pattern], facts: Sequence[Fact], old: frozenset[Constant]) -> Names:
    """Return the variables whose values in the stream are always names that no query contains."""
    values: dict[Variable, set[Constant]] = {}
    arrived = [tuple(map(constant_of, fact.arguments[:3])) for fact in facts]
    for bgp in bgps:
        for pattern in bgp.triples if isinstance(bgp, algebra.Bgp) else ():
            for triple in arrived:
                pairs = list(zip(pattern.terms, triple, strict=True))
                if all(isinstance(term, Variable) or term == value for term, value in pairs):
                    for name, value in pairs:
                        if isinstance(name, Variable):
                            values.setdefault(name, set()).add(value)
    new = (name for name, own in values.items() if all(isinstance(v, Iri) and v not in old for v in own))
    return frozenset(new)


def _anchored(pattern: Pattern, new: Names) -> Names:
    """Return the variables that have a new name from a stream in each row of the pattern."""
    match pattern:
        case algebra.StreamBlock(_, _, algebra.Bgp(triples)):
            return new.intersection(term for triple in triples for term in triple.terms)
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return _anchored(block, new)
        case algebra.Union(left, right):
            return _anchored(left, new) & _anchored(right, new)
        case algebra.Join(left, right):
            return _anchored(left, new) | _anchored(right, new)
        case algebra.LeftJoin(left) | algebra.Minus(left):
            return _anchored(left, new)
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _anchored(inner, new)
        case _:
            return frozenset()


def _is_met(pattern: Pattern, new: Names, outer: Names) -> bool:
    """Return whether each static part contains a variable that always has a new name from a stream.

    `outer` are the variables that have a new name in each row with which the pattern is joined. Outer
    variables count in the left side of OPTIONAL and MINUS. Outer variables do not count in the right side,
    which is matched before the join.
    """
    match pattern:
        case algebra.Bgp(triples):
            return not triples or any(not outer.isdisjoint(triple.terms) for triple in triples)
        case algebra.StreamBlock() | algebra.Values():
            return True
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return True
        case algebra.Union(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, outer)
        case algebra.Join(left, right):
            beside = _anchored(left, new), _anchored(right, new)
            return _is_met(left, new, outer | beside[1]) and _is_met(right, new, outer | beside[0])
        case algebra.LeftJoin(left, right) | algebra.Minus(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, _anchored(left, new))
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _is_met(inner, new, outer)
        case algebra.Select(inner):
            return _is_met(inner, new, frozenset())
        case algebra.PathPattern() | algebra.Graph() | algebra.Service() | algebra.Group():
            return False
        case _:
            assert_never(pattern)


SEARCHED: Final = 20.0
"""The default number of seconds for the search for smallest streams."""
MOST_TRIED: Final = 12
"""The maximum number of disjuncts from which streams are made."""
_FINER: Final = 2.0
"""The number of seconds for the search with a finer unit."""


@dataclass
class Decider:
    """The decision of a question, period by period; each stream is evaluated once for all periods.

    If no theorem decides, streams are tried and smallest streams are searched for, for `seconds` in total.
    `finer` contains deciders with finer units, each with additional seconds. The `deadline` ends all
    searches. If `any_source` is false, each triple of a tried stream comes from the source of its pattern.
    """

    question: AgreementQuestion
    trials: list[Trial] = field(default_factory=list)
    seconds: float = SEARCHED
    deadline: Deadline = NEVER
    any_source: bool = True
    finer: dict[Duration, "Decider"] = field(default_factory=dict)

    def decide(self, period: int) -> Decision:
        """Return the decision for a pull period."""
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
        """Return a decision with the smallest stream on which push and pull differ, or why none is found."""
        question, began, deadline = self.question, monotonic(), self._within(self.seconds)
        contest = push_and_pull(question.pair, period, question.setting)
        streams = dict.fromkeys((*streams_of(question.pair.csparql), *streams_of(question.pair.cqels)))
        known = None if question.stock is None else background_of(question.stock)
        overlapping = self.any_source and question.overlap is not None
        answer = smallest(WitnessSearch(contest, tuple(streams), known, None, deadline, overlapping))
        self.seconds -= monotonic() - began
        found = answer.witness
        if found is None:
            why = Theorem.SEARCHED.value if answer.holds else answer.search_text("on which they differ")
            return Decision(answer.verdict, why, period=period)
        about = question.pair, question.setting, period
        again = PairOnStream(*about, found.facts, found.static, found.timeline.last).witness()
        return Decision("open", "", () if again is None else (again,), period=period)

    def witness(self, period: int) -> Witness | None:
        """Return a stream on which `lars agree` finds a difference, or None if no such stream is found."""
        question = self.question
        for number, candidate in enumerate(candidates(question, any_source=self.any_source)):
            if number == len(self.trials) and (self.seconds <= 0 or self.deadline.is_over):
                return None
            began = monotonic()
            try:
                with until(self._within(self.seconds / 2)):
                    if number == len(self.trials):
                        self.trials.append(Trial(question.pair, question.setting, candidate))
                    witness = self.trials[number].difference(period)
            except TimeLimitError:
                return None
            finally:
                self.seconds -= monotonic() - began
            if witness is not None:
                return witness
        return None

    def in_unit(self, unit: Duration) -> "Decider":
        """Return the decider of the same question with another unit."""
        question = replace(self.question, setting=replace(self.question.setting, unit=unit))
        return self.finer.setdefault(
            unit, replace(self, question=question, trials=[], seconds=_FINER, finer={})
        )

    def _within(self, seconds: float) -> Deadline:
        return min(Deadline.after(seconds), self.deadline, key=lambda limit: limit.end)


def in_finer_units(decider: Decider, decision: Decision) -> Decision:
    """Return the decision for a period, with the coarsest finer unit that changes the verdict.

    A difference with one unit remains with each unit that divides this unit.
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
    """Return the theorem that proves agreement on every stream with any static data; None without theorem.

    With `any_source`, a triple may come from another source than the source of its pattern (excluded by A6).
    """
    possible = tuple(way for way in question.ways if way.possible)
    why_not_monotone = [why for why, _ in question.hindrances]
    if "DESCRIBE" in why_not_monotone:
        return None
    if "a path of any length" in why_not_monotone:
        return Theorem.NOTHING if question.same_patterns and question.excluded_beside_paths else None
    # Asked of the patterns: of a way with several reasons to be loose only the first is said.
    queries = question.pair.csparql, question.pair.cqels
    if any(
        isinstance(part, algebra.Group) and not part.keys
        for query in queries
        for part in parts(query.pattern)
    ):
        return None
    same = question.one_query(period) and not any_source
    free = replace(question, stock=None)
    if not possible and (same or (question.same_patterns and all(map(theorems.is_excluded, free.ways)))):
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
    """Return whether T3 proves a difference from one disjunct, independent of the other disjuncts."""
    if not disjunct.certain or question.hindrances or question.setting.trigger != "any":
        return False
    edges = [edge for each in question.ways for edge in each.disjunct.readings]
    losing = all(theorems.only_loses(edge.reading.operator(question.setting)) for edge in edges)
    if not losing or not question.one_query(period):
        return False
    return period > 1 or not theorems.needs_now(disjunct.disjunct, question.setting)


def differing(question: AgreementQuestion, period: int, witness: Witness) -> tuple[EveryStream, Theorem]:
    """Return the verdict that a witness implies for all static data, and the theorem behind it."""
    proven = [way for way in question.ways if never(question, period, way)]
    theorem = Theorem.NEVER if proven else Theorem.WITNESS
    independent = not question.reads_static or any(not disjunct.disjunct.stored for disjunct in proven)
    if not independent and not witness.triples and question.same_query(period) is None:
        query = question.pair.cqels
        independent = differs_whatever_is_stored(query, question.setting, witness.facts)
        theorem = Theorem.FRESH if independent and question.overlap is None else theorem
    if question.stock is not None or (independent and question.overlap is None):
        return "never", theorem
    if not witness.triples and is_shown_whatever_is_stored(question, witness):
        return "never", theorem if proven else Theorem.FRESH
    if agreement_theorem(replace(question, stock=()), period) is not None:
        return "depends on the static data", theorem
    return "not always", theorem


def candidates(question: AgreementQuestion, *, any_source: bool = True) -> Iterator[Candidate]:
    """Yield streams made from disjuncts, the disjuncts without static data first."""
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
