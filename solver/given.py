"""The facts that the plain encoding expects beside its rules."""

from collections.abc import Iterator, Sequence

import clingo

from lars.windows import TupleWindow
from solver.asp import Encoding
from solver.facts import Fact, symbol_of
from solver.hosted import predicate_name
from solver.situation import Situation, with_facts
from solver.visible import counts


def given(encoding: Encoding, situation: Situation, t: int) -> Iterator[clingo.Symbol]:
    """Yield the facts that the encoding expects: now, the timeline, the input and B."""
    timeline = situation.timeline
    yield clingo.Function("now", [clingo.Number(t)])
    yield clingo.Function("timeline", [clingo.Number(timeline.first), clingo.Number(timeline.last)])
    facts = [fact for fact in dict.fromkeys(situation.facts) if fact.t in timeline]
    for fact in facts:
        if (predicate := (fact.predicate, len(fact.arguments))) not in encoding.derived:
            symbols = [*map(symbol_of, fact.arguments), clingo.Number(fact.t)]
            yield clingo.Function(encoding.name(predicate, timed=True), symbols)
    for window, number in encoding.windows.items():
        if isinstance(window, TupleWindow):
            yield from _arrivals(window, number, sorted(facts, key=lambda fact: fact.t), encoding)
    for predicate, rows in with_facts(encoding.program, situation.background).items():
        for arguments in rows:
            yield clingo.Function(encoding.always_name(predicate), list(map(symbol_of, arguments)))


def _arrivals(
    window: TupleWindow, number: int, facts: Sequence[Fact], encoding: Encoding
) -> Iterator[clingo.Symbol]:
    order: dict[clingo.Symbol, int] = {}
    for t, predicate, arguments in facts:
        if (predicate, len(arguments)) in encoding.derived or not counts(window, arguments):
            continue
        symbols = list(map(symbol_of, arguments))
        part = _partition(window, predicate, symbols)
        order[part] = order.get(part, 0) + 1
        atom = clingo.Function(predicate_name(predicate), symbols)
        yield clingo.Function(
            "arrival", [clingo.Number(number), part, atom, clingo.Number(t), clingo.Number(order[part])]
        )


def _partition(window: TupleWindow, predicate: str, arguments: Sequence[clingo.Symbol]) -> clingo.Symbol:
    if window.by is None:
        return clingo.Number(0)
    places = (place for place in window.by if place <= len(arguments))
    index = [clingo.String(predicate), clingo.Number(len(arguments)), *(arguments[i - 1] for i in places)]
    return clingo.Tuple_(index)
