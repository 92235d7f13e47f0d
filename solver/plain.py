"""One reference time by the plain encoding: exact for every program, and the oracle of the fast way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

import clingo

from lars.errors import LarsError
from lars.program import Program
from lars.terms import Atom, Signature
from lars.windows import TupleWindow
from solver.asp import Encoding
from solver.facts import Fact, constant_of, symbol_of
from solver.hosted import Host, predicate_name
from solver.situation import Situation, with_facts
from solver.terms import constant

Derived = tuple[int, Atom]
GREATEST: Final = 2**30
"""So large that sums of two time points stay within ASP's 32 bit."""


def models(program: Program, situation: Situation, t: int) -> Iterator[frozenset[Derived]]:
    """Yield each answer stream at t as its derived atoms with their times; B's are left out.

    Raises LarsError for a timeline that ends beyond 32 bit, where ASP's arithmetic would wrap.
    """
    if situation.timeline.last > GREATEST:
        raise LarsError(
            f"the timeline {situation.timeline} ends after {GREATEST}, the greatest number of ASP: "
            "choose a coarser unit, or an origin nearer to the trace"
        )
    encoding = Encoding(program, frozenset(situation.background))
    control = clingo.Control(["--warn=none", "--models=0"])
    control.add("base", [], encoding.text() + encoding.tables())
    with control.backend() as backend:
        for fact in _given(encoding, situation, t):
            backend.add_rule([backend.add_atom(fact)])
    control.ground([("base", [])], context=Host(encoding.conditions))
    background = _background(program, situation)
    readers = _readers(encoding, t)
    with control.solve(yield_=True) as found:
        for model in found:
            read = (_read(shown, readers) for shown in model.symbols(atoms=True))
            yield frozenset(pair for pair in read if pair is not None and pair[1] not in background)


def _given(encoding: Encoding, situation: Situation, t: int) -> Iterator[clingo.Symbol]:
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
    source = None if window.source is None else (str(window.source),)
    order = count(1)
    for t, predicate, arguments in facts:
        if (predicate, len(arguments)) in encoding.derived or source not in (None, arguments[-1:]):
            continue
        atom = clingo.Function(predicate_name(predicate), list(map(symbol_of, arguments)))
        place = [clingo.Number(number), atom, clingo.Number(t), clingo.Number(next(order))]
        yield clingo.Function("arrival", place)


def _background(program: Program, situation: Situation) -> frozenset[Atom]:
    return frozenset(
        Atom(name, tuple(map(constant_of, arguments)))
        for (name, _), rows in with_facts(program, situation.background).items()
        for arguments in rows
    )


Reader = Callable[[clingo.Symbol], Derived]


def _readers(encoding: Encoding, t: int) -> Mapping[Signature, Reader]:
    readers: dict[Signature, Reader] = {}
    for predicate in encoding.derived:
        timed = predicate in encoding.timed
        name = encoding.name(predicate, timed=timed)
        readers[name, predicate[1] + timed] = _reader(predicate, None if timed else t)
    return readers


def _reader(predicate: Signature, now: int | None) -> Reader:
    def read(shown: clingo.Symbol) -> Derived:
        arguments = shown.arguments
        t = arguments[-1].number if now is None else now
        return t, Atom(predicate[0], tuple(map(constant, arguments[: predicate[1]])))

    return read


def _read(shown: clingo.Symbol, readers: Mapping[Signature, Reader]) -> Derived | None:
    reader = readers.get((shown.name, len(shown.arguments)))
    return None if reader is None else reader(shown)
