r"""Decide containment of answers, and of the reports of RSTREAM, ISTREAM and DSTREAM, at all times.

If the proofs and refutations of the module `containing` (C1 to C3) leave the containment of answers open, a
search as in `lars witness` looks for a smallest stream, or proves that no such stream exists. A bounded
search is complete, because a smallest difference has few triples (A7).

Reports: let A(t) be the answers of query A at t, and let p be the evaluation before t. RSTREAM reports A(t),
ISTREAM reports A(t) \ A(p), and DSTREAM reports A(p) \ A(t). At the first evaluation, A(p) is empty. If both
queries have RSTREAM, the containment is about every time point. Otherwise, it is about the evaluations of the
module `evaluations`. The following rules hold for any two evaluation times p < t:

O1. If A never has an answer, A reports nothing, and the empty report is contained in every report.

O2. ISTREAM A is contained in RSTREAM B if A is contained in B, because a new row of A is an answer of A.

O3. Let A be contained in B. ISTREAM A is contained in ISTREAM B, and DSTREAM A is contained in DSTREAM B, if
this condition holds: if B answers a row that A could answer on some data, A also answers the row. To decide
the condition, B is joined with a copy of A that reads its own streams. Under the condition, A and B never
differ in a row that A reports at any time.

O4. DSTREAM A is contained in every report if each disjunct of A maps into a disjunct of A that loses no
match. A disjunct is an alternative of a query, without UNION. A disjunct loses no match if it reads static
data and windows without a beginning, in a query that only gains answers. DSTREAM A is contained in RSTREAM B
if each disjunct of A maps into such a disjunct of B.

If time triggers a query, rule E1 of the module `evaluations` also proves containments that hold only for
consecutive evaluations. If no rule applies, a counterexample is searched among data that refute a premise of
a rule, and among matches of A and of B, alone or one after the other. The queries have consecutive
evaluations, as `lars solve` evaluates them. If the search finds no counterexample, the result is
open.

U1 (units). Let g be the greatest common divisor of all durations. The ends of a window with a slide are at
multiples of g. The ends of a window without a slide are at distances from t that are multiples of g. With the
unit g/k, the time t is j/k after a multiple of g, for some integer j. Whether data refute a containment
depends only on which ends of windows, and which gaps between ends, contain a time point. The end of a window
always contains a time point. A gap between two ends of windows contains a time point if the gap is longer
than g/k. For k = 4 and t = 0 or t = g/2, every gap contains a time point. So a containment with the unit g/4
holds with each unit that divides g. Data for a unit g/k are also data for the unit g/(nk). If the queries
contain no durations, the unit does not matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import inf
from typing import Final

from agreement.documents.requests import durations_of, finer_units, sources
from agreement.documents.traces import streams_of
from agreement.proving import disjuncts
from agreement.proving.containment import canonical
from agreement.proving.containment.cases import RowCase
from agreement.proving.containment.containing import decide_containment, is_empty, lasts, matches
from agreement.proving.containment.evaluations import (
    evaluation_period,
    joined,
    reported_difference,
    shifted_containment,
)
from agreement.proving.containment.placements import MOST_PUSHED, new_name, unlike
from agreement.proving.decide import volatile
from agreement.proving.decisions import Decision, Witness, all_hold
from agreement.proving.witness import WitnessSearch, smallest, two_queries
from lars.errors import TimeLimitError
from lars.language.terms import Iri, Variable
from lars.language.windows import TimeWindow
from solver.deadlines import Deadline
from solver.facts import STREAM_PREDICATE, Background, Fact
from solver.search import TIME_IS_UP
from translate.analysis import parts, rebuild
from translate.model.patterns import Group, Pattern, StreamBlock
from translate.model.windows import Rows, Unbounded

_ASKED: Final = "on which it has a row that the other query does not have"


def answers_containment(one: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    """Return the decision whether each answer of one query is an answer of the other query, on all data.

    If neither a proof nor small data decide, the function searches a smallest stream that refutes the
    containment.
    """
    # The other half of the time is for the search for a smallest stream.
    mine, theirs = (replace(query, deadline=one.deadline.nearer(0.5)) for query in (one, other))
    containment = decide_containment(mine, theirs)
    comparable = one.result == other.result and one.query.dataset == other.query.dataset
    if containment.holds is not None or not comparable or one.deadline.is_over:
        return containment
    contest = two_queries(one.query, other.query, one.setting, contained=True)
    streams = dict.fromkeys((*streams_of(one.query), *streams_of(other.query)))
    deadline = min(Deadline.after(one.searched), one.deadline, key=lambda limit: limit.end)
    searched = smallest(WitnessSearch(contest, tuple(streams), deadline=deadline))
    if searched.witness is not None:
        return canonical.refutation(searched.witness)
    if searched.holds or searched.search_end == "not searched":
        return searched if searched.holds else containment
    ended = TIME_IS_UP if one.deadline.is_over else f"a search of {one.searched:g} s is over"
    return replace(containment, why=f"{containment.why}; {searched.search_text(_ASKED, ended)}")


_OWN_UNIT: Final = 0.75
"""The share of the time for the user's unit, if shorter units are tried too; a guess."""
_R, _I, _D = "RSTREAM", "ISTREAM", "DSTREAM"
_MOST_MATCHES: Final = 8
_COPY: Final = "urn:lars:copy:"
_SHIFTED: Final = "proved with the windows of the evaluation before (rule E1)"
_UNDECIDED: Final = "no rule proves the containment, and no tried stream refutes it"
_Stream = tuple[tuple[Fact, ...], Background]
"""A stream and static data."""


def reports_containment(query: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    """Return the decision whether the other query always reports each row that the first query reports.

    Both queries are evaluated at the same times, on all streams. The operators RSTREAM, ISTREAM and DSTREAM
    define which rows a query reports.
    """
    mine, theirs = query.operator, other.operator
    if (mine, theirs) == (_R, _R):
        return answers_containment(query, other)
    try:
        return _decided(query, other)
    except (TimeLimitError, disjuncts.UncountedError) as error:
        return Decision("open", str(error))


def contained_in_units(one: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    """Return the decision whether one query is contained in another, also with shorter units of time.

    A unit of time is the length of a time point. The field `finer` of the decision is a shorter unit that
    changes the result; None if no unit is found.
    """
    units = list(finer_units(one.setting.unit, [*durations_of(one.query), *durations_of(other.query)]))
    deadline = one.deadline.nearer(_OWN_UNIT) if units else one.deadline
    containment = reports_containment(*(replace(query, deadline=deadline) for query in (one, other)))
    for unit in units if containment.holds is not False else ():
        again = reports_containment(canonical.in_unit(one, unit), canonical.in_unit(other, unit))
        if again.holds not in (containment.holds, None):
            return replace(containment, finer=(unit, again))
    return containment


def _decided(query: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    answers = answers_containment(_answering(query), _answering(other))
    if is_empty(query):
        return Decision("always", f"the first query never has an answer, so {query.operator} has none")
    sentence = f"{query.operator} compared with {other.operator}"
    why = _why(query, other, answers)
    if why:
        return Decision("always", f"{sentence}: {why}")
    period = evaluation_period(query, other)
    premises = () if period is None else tuple(shifted_containment(query, other, period))
    if premises and all_hold(premises):
        return Decision("always", f"{sentence}: {_SHIFTED}")
    known = [each.witness for each in (answers, *premises) if each.witness is not None]
    against = next(_refuting(query, other, known, period), None)
    if against is not None:
        return canonical.refutation(against, columns=query.result == other.result)
    if answers.holds is None:
        return Decision("open", f"{sentence}; for the answers of both queries: {answers.why}")
    return Decision("open", f"{sentence}: {_UNDECIDED}")


def _why(query: canonical.PairQuery, other: canonical.PairQuery, answers: Decision) -> str:
    """Return the rule that proves that the other query reports each row of the first one, as text, or ""."""
    inside = answers.holds
    match query.operator, other.operator:
        case "ISTREAM", "RSTREAM" if inside:
            return "each new row is an answer of the first query, and so of the other query"
        case ("ISTREAM", "ISTREAM") | ("DSTREAM", "DSTREAM") if inside:
            back = decide_containment(_answering(other), _answering(query)).holds
            if back or _possible_answers(query, other).holds:
                return "no answer of the first query is ever an answer of only the other query"
        case _:
            pass
    if query.operator == _D and _keeps(query, query):
        return "the first query only gains answers and never loses an answer"
    if (query.operator, other.operator) == (_D, _R) and _keeps(query, other):
        return "each answer of the first query remains an answer of the other query"
    return ""


def _answering(query: canonical.PairQuery) -> canonical.PairQuery:
    """Return the query without its operator (such as ISTREAM), so that the query reports all its answers."""
    return replace(query, query=replace(query.query, to_stream=None))


def _possible_answers(query: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    """Return the decision whether each answer of `other` that `query` can have is an answer of `query`.

    `query` can have a row if the row is an answer of `query` on some data. Rule O3 of the module uses this
    decision: containment of answers then extends to ISTREAM and DSTREAM.
    """
    unlike = query.query.dataset != other.query.dataset or query.result != other.result
    whole = query.merged or other.merged or query.query.modifiers.slices or other.query.modifiers.slices
    blocks = (part for part in parts(query.pattern) if isinstance(part, StreamBlock))
    anywhere = any(isinstance(part.stream, Variable) for part in blocks)
    languages = {query.query.language, other.query.language}
    every = (part for each in (query, other) for part in parts(each.pattern))
    # In some languages, an aggregate of no solution has a row, in others not (T13).
    unlike |= len(languages) > 1 and any(isinstance(part, Group) for part in every)
    if unlike or whole or anywhere or volatile(query.query) is not None:
        return Decision("open", "the answers of the two queries are not compared")
    copied = rebuild(query.query.pattern, _elsewhere)
    copy = replace(query, query=replace(query.query, pattern=copied))
    return decide_containment(joined(other, copy), _answering(query))


def _elsewhere(part: Pattern) -> Pattern | None:
    """Return a STREAM block that reads a copy of its stream through a window without limits.

    The name of the copy is new, so other blocks do not read the copy. For any other part of a query, the
    function returns None.
    """
    if not isinstance(part, StreamBlock):
        return None
    return replace(part, stream=_copy(part), window=Unbounded())


def _copy(part: StreamBlock) -> Iri:
    return Iri(f"{_COPY}{part.stream}{part.window}")


def _keeps(query: canonical.PairQuery, other: canonical.PairQuery) -> bool:
    """Return whether it is proved that an answer of the first query stays an answer of the other query."""
    if any(isinstance(part, Group) for part in parts(query.pattern)) or volatile(other.query) is not None:
        return False
    if other.query.modifiers.slices or other.query.merged:
        return False
    return lasts(query, other, lambda edge: _is_kept(edge, other))


def _is_kept(edge: disjuncts.Edge, query: canonical.PairQuery) -> bool:
    """Return whether a match of an edge (triple pattern with its source) stays a match at later times."""
    if isinstance(edge.where, disjuncts.GraphSource):
        return not disjuncts.is_derived(edge.where.name)
    window = edge.where.operator(query.setting)
    return isinstance(window, TimeWindow) and window.past is None


def _refuting(
    one: canonical.PairQuery, other: canonical.PairQuery, known: Sequence[Witness], period: int | None
) -> Iterator[Witness]:
    """Yield streams on which the first query reports a row that the other query does not report.

    Both queries are evaluated at the evaluations of the module `evaluations`. `known` contains streams that
    refute premises of the rules. `period` is the time between two evaluations, or None.
    """
    early = canonical.last_time(one, other)
    late = 3 * early  # Time-based windows are shorter than `early`, so they have lost all earlier triples.
    noise = list(_pushing(one, other, late))
    streams = [(each.facts, each.static) for each in known]
    if noise:
        pushed = tuple(disjuncts.arrival(late, quad) for _, quad in noise)
        streams += [((*each.facts, *pushed), each.static) for each in known]
    mine, theirs = (list(islice(_matches(query), _MOST_MATCHES)) for query in (one, other))
    pairs: list[tuple[_Match | None, _Match | None]] = [(each, None) for each in mine]
    pairs += [(None, each) for each in mine] + [(each, each) for each in mine]
    pairs += [(each, again) for each in mine for again in theirs]
    pairs += [(again, each) for each in mine for again in theirs]
    moved = chain(streams, _moved(one, other, noise), _followed(one, other, pairs, early, period))
    for facts, static in moved:
        counterexample = reported_difference(one, other, facts, static, period)
        yield from () if counterexample is None else (counterexample,)


def _followed(
    one: canonical.PairQuery,
    other: canonical.PairQuery,
    pairs: Sequence[tuple["_Match | None", "_Match | None"]],
    early: int,
    period: int | None,
) -> Iterator[_Stream]:
    """Yield streams with one match at the time `early`, and one match soon or late after it."""
    for late in (early + (period or 1), 3 * early):
        between, noise = (list(_pushing(one, other, t)) for t in (early, late))
        for first, second in pairs:
            then, now = _data(one, first, early), _data(one, second, late)
            for pushing in ((), between, noise) if noise else ((),):
                stream = canonical.stream_of([*then, *pushing, *now])
                yield from () if stream is None else (stream,)


def _moved(
    query: canonical.PairQuery, other: canonical.PairQuery, noise: list[canonical.PlacedTriple]
) -> Iterator[_Stream]:
    """Yield streams on which both queries have the same row, but not at the same evaluation.

    If the condition of rule O3 (see the module) fails, the streams can refute containment for ISTREAM and
    DSTREAM.
    """
    against = _possible_answers(query, other).witness if query.operator == other.operator else None
    if against is None:
        return
    later = 2 * canonical.last_time(query, other)
    blocks = [part for part in parts(query.pattern) if isinstance(part, StreamBlock)]
    times = against.end, against.end + later
    own, first = times if query.operator == _I else times[::-1]
    facts: list[Fact] = []
    for fact in against.facts:
        *triple, stream = fact.arguments
        copied = [part for part in blocks if str(_copy(part)) == stream]
        for part in copied[:1]:
            when = canonical.shown_last(disjuncts.Reading(part.stream, part.window), first, query.setting)
            facts.append(Fact(when, STREAM_PREDICATE, (*triple, str(part.stream))))
        if not copied:
            facts.append(Fact(fact.t + own - against.end, STREAM_PREDICATE, fact.arguments))
    for more in ((), noise):
        pushed = [disjuncts.arrival(times[0] + 1, quad) for _, quad in more]
        yield tuple(sorted((*facts, *pushed), key=lambda fact: fact.t)), against.static


_Match = tuple[RowCase, disjuncts.Model]


def _matches(query: canonical.PairQuery) -> Iterator[_Match]:
    for case in matches(query):
        all_models, _ = disjuncts.models(case.plain, (), 2, query.deadline.check)
        yield from ((case, model) for model in all_models)


def _data(query: canonical.PairQuery, match: _Match | None, t: int) -> list[canonical.PlacedTriple]:
    if match is None:
        return []
    # Triples of small tuple windows come last, so that no newer triple pushes them out.
    edges = sorted(match[0].real, key=_size, reverse=True)
    return [canonical.newest(edge, match[1], t, query.setting) for edge in edges]


def _size(edge: disjuncts.Edge) -> float:
    match edge.where:
        case disjuncts.Reading(window=Rows(count)):
            return count
        case _:
            return inf


def _pushing(
    one: canonical.PairQuery, other: canonical.PairQuery, t: int
) -> Iterator[canonical.PlacedTriple]:
    """Yield new triples at time `t`, for each stream as many as the largest tuple window contains.

    The new triples push all earlier triples out of the tuple windows.
    """
    read = [each for query in (one, other) for each in sources(query.query)]
    size = max((each.window.count for each in read if isinstance(each.window, Rows)), default=0)
    name = new_name((one, other))
    for stream in dict.fromkeys(each.stream for each in read if isinstance(each.stream, Iri)):
        for number in range(size if size <= MOST_PUSHED else 0):
            yield t, unlike(number, name, stream)
