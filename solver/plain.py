"""One reference time by the plain encoding: exact for every program, and the oracle of the fast way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

import clingo

from lars.errors import LarsError
from lars.program import Program
from lars.stream import Moment
from lars.terms import Atom, Signature
from lars.windows import TupleWindow
from solver.asp import MOST_NUMBERS, MOST_TEXTS, Encoding
from solver.facts import Fact, atoms_of, symbol_of
from solver.hosted import Host, predicate_name
from solver.situation import Situation, with_facts
from solver.terms import constant
from solver.visible import counts
from solver.wrapping import GREATEST


class Consequences(Enum):
    """Atoms of some answer stream, or of every one."""

    BRAVE = "brave"
    CAUTIOUS = "cautious"


def models(program: Program, situation: Situation, t: int) -> Iterator[frozenset[Moment]]:
    """Yield each answer stream at t once, as its derived atoms with their times; B's are left out.

    Raises LarsError for a timeline that ends beyond 32 bit, where ASP's arithmetic would wrap, and
    for arithmetic of a rule that could leave it.
    """
    found: set[frozenset[Moment]] = set()
    for model in _solved(program, situation, t, "--project=project"):
        # Two choices of ties can differ in atoms that B holds anyway, and in nothing else.
        if model not in found:
            found.add(model)
            yield model


def consequences(
    program: Program, situation: Situation, t: int, kind: Consequences
) -> frozenset[Moment] | None:
    """Return what some or every answer stream derives at t; None when there is no answer stream.

    Raises what `models` raises.
    """
    last = None
    # clingo's models come nearer to the consequences; the last one is them.
    for last in _solved(program, situation, t, f"--enum-mode={kind.value}"):  # noqa: B007
        pass
    return last


def _solved(program: Program, situation: Situation, t: int, option: str) -> Iterator[frozenset[Moment]]:
    if situation.timeline.last > GREATEST:
        raise LarsError(
            f"the timeline {situation.timeline} ends after {GREATEST}, the greatest number of ASP: "
            "choose a coarser unit, or an origin nearer to the trace"
        )
    encoding = Encoding(program, frozenset(situation.background))
    readers = _readers(encoding, t)
    shown = "\n".join(f"#project {name}/{arity}." for name, arity in readers)
    control = grounded(encoding, situation, t, ["--models=0", option], shown)
    _check_numbers(control, encoding)
    background = _background(program, situation)
    with control.solve(yield_=True) as found:
        for model in found:
            read = (_read(atom, readers) for atom in model.symbols(atoms=True))
            yield frozenset(pair for pair in read if pair is not None and pair[1] not in background)


def grounded(
    encoding: Encoding, situation: Situation, t: int, options: Sequence[str] = (), more: str = ""
) -> clingo.Control:
    """Return clingo with the program grounded at t, conditions decided by us."""
    control = clingo.Control(["--warn=none", *options])
    text = f"{encoding.text(limited=True)}{encoding.tables()}{encoding.guards()}{more}"
    control.add("base", [], text)
    with control.backend() as backend:
        for fact in given(encoding, situation, t):
            backend.add_rule([backend.add_atom(fact)])
    host = Host(encoding.conditions)
    control.ground([("base", [])], context=host)
    for number in sorted(host.endless):
        raise LarsError(
            "this rule computes so many values from its own that it seems endless: "
            f"more than {MOST_NUMBERS}, or {MOST_TEXTS} with :=\n"
            f"  {encoding.proper_rules[number]}\naccepted: a comparison that bounds them, as X < 1000"
        )
    return control


def _check_numbers(control: clingo.Control, encoding: Encoding) -> None:
    for number, rule in enumerate(encoding.proper_rules):
        if any(True for _ in control.symbolic_atoms.by_signature(f"wrapped'{number}", 0)):
            raise LarsError(
                f"arithmetic of this rule leaves the numbers of ASP, whose size is 32 bit\n  {rule}\n"
                f"accepted: operands and products from {-GREATEST} to {GREATEST}"
            )


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


def _background(program: Program, situation: Situation) -> frozenset[Atom]:
    return frozenset(atoms_of(with_facts(program, situation.background)))


Reader = Callable[[clingo.Symbol], Moment]


def _readers(encoding: Encoding, t: int) -> Mapping[Signature, Reader]:
    readers: dict[Signature, Reader] = {}
    for predicate in encoding.derived:
        timed = predicate in encoding.timed
        name = encoding.name(predicate, timed=timed)
        readers[name, predicate[1] + timed] = _reader(predicate, None if timed else t)
    return readers


def _reader(predicate: Signature, now: int | None) -> Reader:
    def read(shown: clingo.Symbol) -> Moment:
        arguments = shown.arguments
        t = arguments[-1].number if now is None else now
        return t, Atom(predicate[0], tuple(map(constant, arguments[: predicate[1]])))

    return read


def _read(shown: clingo.Symbol, readers: Mapping[Signature, Reader]) -> Moment | None:
    reader = readers.get((shown.name, len(shown.arguments)))
    return None if reader is None else reader(shown)
