"""τ1 and τ2 of a query, and push and pull: the execution modes as rules (LARS 2015, Sections 3 and 4.1)."""

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Final, assert_never

from lars.language.formulas import ArithmeticOperator, At, Comparison, Diamond, In, Operation, Relation, Truth
from lars.language.program import Program, Rule, atoms
from lars.language.terms import DEFAULT, Atom, Number, Variable
from lars.language.windows import NOW
from translate.analysis import occurring_variables, parts, without_paths
from translate.errors import ModelError
from translate.model.patterns import Extend, Filter, LeftJoin
from translate.model.query import EngineQuery, Language, MergedStream, Semantics, Setting
from translate.model.windows import window_operator
from translate.sparql import deep_recursion
from translate.tau.forms import answers
from translate.tau.node import EmptyGroup, Node
from translate.tau.special_functions import arrivals, uses_arrivals

_EMPTY: Final = {
    Language.CSPARQL: EmptyGroup.VALUES,
    Language.RSPQL: EmptyGroup.VALUES,
    Language.SPARQLSTREAM: EmptyGroup.UNBOUND_AVERAGE,
    Language.CQELS: EmptyGroup.NO_ROW,
}


def lars_program(query: EngineQuery, setting: Setting) -> Program:
    """Return the LARS program of a query; its answers are the atoms of ans1, at each time point."""
    with deep_recursion():
        return _translated(query, setting)


def _translated(query: EngineQuery, setting: Setting) -> Program:
    taken = frozenset(query.result) | occurring_variables(query.pattern)
    plain = replace(query, pattern=without_paths(query.pattern, taken))
    taken |= occurring_variables(plain.pattern)
    bag = setting.semantics is Semantics.BAG
    node = Node(setting, taken, bag=bag, empty_group=_EMPTY[query.language])
    return Program((*answers(plain, node), *_imports(query.merged, setting), *_arrival_rules(plain, setting)))


def _imports(merged: tuple[MergedStream, ...], setting: Setting) -> Iterator[Rule]:
    triple = (Variable("S"), Variable("P"), Variable("O"))
    for part in merged:
        window = window_operator(part.window, part.stream, setting.unit, setting.bounds)
        seen = In(window, Diamond(Atom("striple", (*triple, part.stream))))
        yield Rule(Atom("triple", (*triple, DEFAULT)), (seen,))


def _arrival_rules(query: EngineQuery, setting: Setting) -> Iterator[Rule]:
    expressions = (part.expression for part in parts(query.pattern) if isinstance(part, Extend))
    conditions = (part.condition for part in parts(query.pattern) if isinstance(part, Filter | LeftJoin))
    if any(map(uses_arrivals, (*expressions, *conditions))):
        if query.language is not Language.CSPARQL:
            raise ModelError(f"f:timestamp is a function of C-SPARQL; {query.language.value} has none")
        windows = (
            (window_operator(part.window, part.stream, setting.unit, setting.bounds), part.stream)
            for part in query.merged
        )
        yield from arrivals(tuple(windows))


TRIGGER: Final = Atom("trigger")


class Trigger(Enum):
    """Which input makes a push engine evaluate: any, that of the query's streams, or a match."""

    ANY = "any"
    QUERY_STREAMS = "query-streams"
    MATCHING = "matching"


def push(program: Program, trigger: Trigger = Trigger.ANY) -> Program:
    """Return ▷P: each rule with a body waits for `trigger`, which input at the same time derives.

    The trigger ranges over input atoms: over derived ones, as printed, it would never fire.
    """
    arrivals = (Rule(TRIGGER, (In(NOW, Diamond(atom)),)) for atom in _arriving(program, trigger))
    return Program((*_gated(program), *arrivals))


def pull(program: Program, period: int) -> Program:
    """Return ◁(P, U): each rule with a body waits for a time that is a multiple of `period` > 0."""
    if period <= 0:
        raise ModelError(f"the pulling period {period} is not positive")
    time = Variable("T")
    multiple = Comparison(Operation(ArithmeticOperator.MOD, time, Number(period)), Relation.EQUAL, Number(0))
    return Program((*_gated(program), Rule(TRIGGER, (In(NOW, At(time, Truth())), multiple))))


def _gated(program: Program) -> tuple[Rule, ...]:
    # Facts are background and hold at every time: gating them would lose them.
    return tuple(Rule(rule.head, (*rule.body, TRIGGER)) if rule.body else rule for rule in program.rules)


def _arriving(program: Program, trigger: Trigger) -> tuple[Atom, ...]:
    anything = (Variable("S"), Variable("P"), Variable("O"))
    match trigger:
        case Trigger.ANY:
            return (Atom("striple", (*anything, Variable("G"))),)
        case Trigger.QUERY_STREAMS:
            sources = dict.fromkeys(atom.arguments[-1] for atom in _stream_atoms(program))
            return tuple(Atom("striple", (*anything, source)) for source in sources)
        case Trigger.MATCHING:
            return tuple(dict.fromkeys(_stream_atoms(program)))
        case _:
            assert_never(trigger)


def _stream_atoms(program: Program) -> tuple[Atom, ...]:
    return tuple(
        atom
        for rule in program.rules
        for literal in rule.body
        for atom, _, _ in atoms(literal)
        if atom.predicate == "striple"
    )
