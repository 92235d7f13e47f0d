"""List the premises of the theorems of `lars decide`, and changes that would give another verdict."""

from collections.abc import Iterator

from agreement.proving.decide import theorems
from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decisions import CheckedPremise, EveryStream
from agreement.proving.disjuncts import Disjunct
from lars.durations import TimedPoints
from lars.language.formulas import Test, write_expression
from lars.language.windows import TimeWindow, Window


def premises(question: AgreementQuestion, period: int) -> Iterator[CheckedPremise]:
    """Yield the premises of the theorems about push and pull, and whether they hold for the queries."""
    places = question.places
    difference = question.same_query(period)
    yield CheckedPremise(_said(_ONE_QUERY, difference), difference is None, places.source)
    yield _exclusive(question)
    if not question.hindrances:
        yield CheckedPremise("monotone", True, places.word("WHERE", "ASK", "SELECT"))
    for why, words in question.hindrances:
        yield CheckedPremise(f"monotone: the query contains {why}", False, places.word(*words))
    if question.volatile is not None:
        fixed = "the value of each function depends only on its arguments"
        yield CheckedPremise(f"{fixed}: the query contains {question.volatile}", False, places.source)
    yield from _satisfiable(question)
    unguarded = next((way.disjunct for way in question.ways if not way.disjunct.readings), question.standing)
    guarded = "stream-guarded: each solution needs a match in a stream"
    yield CheckedPremise(guarded, unguarded is None, _where(question, unguarded))
    yield from _windows(question)
    yield CheckedPremise(f"{_FIRED[question.setting.trigger]} makes push evaluate", True, "--trigger")


_ONE_QUERY = "at each pull, the queries of push and pull are the same"
_LOSES = "contains each triple from its arrival on, until the triple leaves for good"


def _said(premise: str, why_not: str | None) -> str:
    """Return the text of a premise, with the reason if the premise does not hold."""
    return premise if why_not is None else f"{premise}: {why_not}"


_GIVEN = "static data of your own (--static)"
_FIRED = {
    "any": "any input",
    "query-streams": "input of the streams that the query reads",
    "matching": "input that matches a pattern",
}


def _where(question: AgreementQuestion, disjunct: Disjunct | None) -> str:
    edges, places = () if disjunct is None else disjunct.edges, question.places
    return places.triple(edges[0].triple) if edges else places.word("WHERE", "SELECT", "ASK")


_EXCLUSIVE = "each pattern can match triples of only one source (A6)"
_ASSUMED = "assumed: each triple comes from the source whose patterns match it"


def _exclusive(question: AgreementQuestion) -> CheckedPremise:
    overlap, places = question.overlap, question.places
    if overlap is None:
        edge = next((edge for way in question.ways for edge in way.disjunct.readings), None)
        statement = f"{_EXCLUSIVE}: no triple can match patterns of two sources; {_ASSUMED}"
        return CheckedPremise(statement, True, places.source if edge is None else places.triple(edge.triple))
    one, also, why = overlap
    sentence = f"{_EXCLUSIVE}: {{{one.triple}}} in {one.where}"
    other = f" and {{{also.triple}}} in {also.where}"
    place, where = places.triple(one.triple), places.triple(also.triple)
    # If given static data match the pattern, both places are the place of this pattern.
    beside = "" if where == place else f", at {where}"
    return CheckedPremise(f"{sentence}{other}{beside}: {why}", False, place)


def _satisfiable(question: AgreementQuestion) -> Iterator[CheckedPremise]:
    count = len(question.ways)
    for number, way in enumerate(question.ways, 1):
        which = "" if count == 1 else f"disjunct {number} of {count}: "
        place = _place(question, way.disjunct)
        match way.holds:
            case True:
                stored = " . ".join(str(edge.triple) for edge in way.disjunct.stored)
                more = f", if static data match {stored}" if stored else ""
                value = " (the given static data match)" if more and question.stock is not None else ""
                yield CheckedPremise(f"{which}satisfiable{more}{value}", True, place)
            case False:
                text = " and ".join(map(_written, way.requirements))
                place = question.places.triple(way.edge.triple) if way.edge else place
                yield CheckedPremise(f"{which}satisfiable: {way.why}{text and ': '}{text}", False, place)
            case None:
                yield CheckedPremise(f"{which}satisfiable: {way.why}", None, place)


def _written(test: Test) -> str:
    text = write_expression(test.expression)
    return text if test.value else f"!({text})"


def _place(question: AgreementQuestion, disjunct: Disjunct) -> str:
    if disjunct.requirements:
        return question.places.condition(disjunct.requirements[0].expression)
    return question.places.triple(disjunct.edges[0].triple) if disjunct.edges else question.places.source


def _windows(question: AgreementQuestion) -> Iterator[CheckedPremise]:
    for reading in dict.fromkeys(edge.reading for way in question.ways for edge in way.disjunct.readings):
        window = reading.operator(question.setting)
        sentence = _said(f"{reading} {_LOSES}", _why_not(window))
        yield CheckedPremise(sentence, theorems.only_loses(window), question.places.window(reading))


def _missing(question: AgreementQuestion) -> Iterator[str]:
    """Yield texts about changes of the queries with which theorem G1 (agreement for U = 1) would apply."""
    if any(why == "a path of any length" for why, _ in question.hindrances):
        yield "paths of a fixed length"
    if question.counts_nothing:
        yield "GROUP BY with each aggregate"
    if not question.same_patterns:
        yield "the same patterns in both queries"
    elif question.same_query(1) is not None:
        yield "the same windows in C-SPARQL and CQELS queries"
    if question.overlap is not None:
        yield "predicates that occur only in the patterns of one source"
    if question.volatile is not None:
        yield f"no call of {question.volatile}"


def _why_not(window: Window) -> str | None:
    """Return the reason why a window does not only lose triples after their arrival, or None."""
    if theorems.only_loses(window):
        return None
    if isinstance(window, TimeWindow) and window.future > 0:
        return "the window also contains later arrivals"
    if isinstance(window, TimeWindow) and window.step > 1:
        return "new triples appear only at the next multiple of the slide"
    return "the window does not contain arrivals at the evaluation time"


def changes(question: AgreementQuestion, period: int, verdict: EveryStream) -> Iterator[str]:
    """Yield texts about changes of the queries, the pull period or the data that would change the verdict."""
    possible = [way for way in question.ways if way.possible]
    unit = question.setting.unit
    shortest = unit.timed(unit) if isinstance(period, TimedPoints) else 1
    lacking = [way for way in possible if not theorems.needs_now(way.disjunct, question.setting)]
    if question.counts_nothing:  # GROUP BY removes the row of an aggregate over no solution (T13).
        lacking = [way for way in lacking if way.disjunct.edges]
    match verdict:
        case "always" if period == 1 and possible:
            yield f"a period U > {period}, or a disjunct without a NOW window"
        case "always" if not possible:
            yield "conditions and patterns that can be satisfied"
        case "always":
            yield f"a period other than U = {period}, a result variable, or a trigger that other input fires"
        case "never" | "depends on the static data":
            needed = [f"U = {shortest}"] if period > 1 else []
            if lacking:
                where = ", ".join(dict.fromkeys(_where(question, way.disjunct) for way in lacking))
                needed.append(f"a NOW window in each disjunct (missing at {where})")
            if needed := [*needed, *_missing(question)]:
                yield " and ".join(needed)
        case "not always":
            yield _GIVEN
        case "open" if question.stock is None and question.reads_static:
            yield _GIVEN
        case "open":
            yield "a query or trigger that a theorem covers; a trace (lars agree)"
    if verdict == "depends on the static data":
        yield _GIVEN
