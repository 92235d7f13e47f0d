"""What was checked of the queries, each with its place, and what would change a verdict."""

from collections.abc import Iterator

from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decide.theorems import (
    CheckedPremise,
    EveryStream,
    JudgedDisjunct,
    is_now,
    needs_now,
    only_loses,
    window_of,
)
from agreement.proving.disjuncts import Disjunct, Edge, Model, NoModelKnown, Reading, Unsatisfiable
from lars.language.formulas import write_expression
from lars.language.windows import TimeWindow, TupleWindow, Window
from translate.tau import Trigger


def premises(asked: AgreementQuestion, period: int) -> Iterator[CheckedPremise]:
    """Yield what theorems need, whether it holds, and where that was seen."""
    places = asked.places
    difference = asked.same_query(period)
    yield CheckedPremise(difference or "both sides evaluate one query", difference is None, places.source)
    yield _exclusive(asked)
    if not asked.hindrances:
        yield CheckedPremise("monotone", True, places.word("WHERE", "ASK", "SELECT"))
    for why, words in asked.hindrances:
        yield CheckedPremise(f"monotone: not with {why}", False, places.word(*words))
    if asked.volatile is not None:
        yield CheckedPremise(f"{asked.volatile} has another value at another time", False, places.source)
    yield from _satisfiable(asked)
    unguarded = [one for one in asked.judged_disjuncts if not one.disjunct.readings]
    guarded = "stream-guarded: each solution needs a match in a stream"
    yield CheckedPremise(guarded, not unguarded, _where(asked, unguarded[0] if unguarded else None))
    yield from _windows(asked)
    yield CheckedPremise(f"push is fired by {_FIRED[asked.trigger]}", True, "--trigger")


_FIRED = {
    Trigger.ANY: "any input",
    Trigger.QUERY_STREAMS: "input of the streams that the query reads",
    Trigger.MATCHING: "input that matches a pattern",
}


def _where(asked: AgreementQuestion, one: JudgedDisjunct | None) -> str:
    edges = [] if one is None else one.disjunct.edges
    return asked.places.triple(edges[0].triple) if edges else asked.places.word("WHERE", "SELECT", "ASK")


def _exclusive(asked: AgreementQuestion) -> CheckedPremise:
    found = asked.overlap
    if found is None:
        edge = next((edge for one in asked.judged_disjuncts for edge in one.disjunct.readings), None)
        place = asked.places.source if edge is None else asked.places.triple(edge.triple)
        return CheckedPremise(
            "sources are exclusive (A6): no pattern unifies with one of another source", True, place
        )
    said = f"sources are exclusive (A6): {{{found.edge.triple}}} in {found.edge.where}"
    other = f" and {{{found.other.triple}}} in {found.other.where}: {found.why}"
    return CheckedPremise(f"{said}{other}", False, asked.places.triple(found.edge.triple))


def _satisfiable(asked: AgreementQuestion) -> Iterator[CheckedPremise]:
    count = len(asked.judged_disjuncts)
    for number, one in enumerate(asked.judged_disjuncts, 1):
        which = "" if count == 1 else f"disjunct {number} of {count}: "
        match one.satisfiability:
            case Model():
                more = f", if static data match {_listed(one.disjunct.stored)}" if one.disjunct.stored else ""
                given = " (the given static data do)" if more and asked.stock is not None else ""
                yield CheckedPremise(f"{which}satisfiable{more}{given}", True, _place(asked, one.disjunct))
            case Unsatisfiable(why, wanted, edge):
                shown = " and ".join(_written(test.expression, test.value) for test in wanted)
                place = asked.places.triple(edge.triple) if edge else _place(asked, one.disjunct)
                yield CheckedPremise(f"{which}not satisfiable: {why}{shown and ': '}{shown}", False, place)
            case NoModelKnown(why):
                yield CheckedPremise(
                    f"{which}satisfiable or not is open: {why}", False, _place(asked, one.disjunct)
                )


def _written(expression: object, value: bool) -> str:
    text = write_expression(expression)  # type: ignore[arg-type]
    return text if value else f"!({text})"


def _place(asked: AgreementQuestion, one: Disjunct) -> str:
    if one.requirements:
        return asked.places.condition(one.requirements[0].expression)
    return asked.places.triple(one.edges[0].triple) if one.edges else asked.places.source


def _listed(edges: tuple[Edge, ...]) -> str:
    return " . ".join(str(edge.triple) for edge in edges)


def _windows(asked: AgreementQuestion) -> Iterator[CheckedPremise]:
    every = dict.fromkeys(edge for one in asked.judged_disjuncts for edge in one.disjunct.readings)
    seen = set[str]()
    for edge in every:
        assert isinstance(edge.where, Reading)
        window = window_of(edge, asked.setting)
        said = f"{edge.where}: {_described(window)}"
        if said not in seen:
            seen.add(said)
            yield CheckedPremise(said, only_loses(window), asked.places.window(edge.where))


def _described(window: Window) -> str:
    if is_now(window):
        return "NOW"
    if isinstance(window, TupleWindow):
        return "a tuple window, loses only by what arrives"
    if only_loses(window):
        return "shows what arrives at once, and then only loses"
    if isinstance(window, TimeWindow) and window.step > 1:
        return "a pivot hides what is newer"
    return "does not show what arrives now"


def changes(asked: AgreementQuestion, period: int, verdict: EveryStream) -> Iterator[str]:
    """Yield what would change a verdict."""
    lacking = [
        one for one in asked.judged_disjuncts if one.possible and not needs_now(one.disjunct, asked.setting)
    ]
    match verdict:
        case EveryStream.ALWAYS if period == 1 and any(one.possible for one in asked.judged_disjuncts):
            yield "a period U >= 2, or a disjunct without a NOW window"
        case EveryStream.ALWAYS if not any(one.possible for one in asked.judged_disjuncts):
            yield "conditions and patterns that can be satisfied"
        case EveryStream.ALWAYS:
            yield f"another period than U = {period}, a result variable, or a trigger that other input fires"
        case EveryStream.NEVER | EveryStream.STATIC if lacking:
            where = ", ".join(dict.fromkeys(_where(asked, one) for one in lacking))
            yield f"U = 1 and a NOW window in each disjunct (none in: {where})"
        case EveryStream.NEVER | EveryStream.STATIC:
            yield "U = 1"
        case EveryStream.OPEN if asked.stock is None and asked.reads_static:
            yield "static data that are given (--static)"
        case EveryStream.OPEN:
            yield "a query or trigger that a theorem covers; a trace (lars agree)"
    if verdict is EveryStream.STATIC:
        yield "static data that are given (--static)"
