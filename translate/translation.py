"""τ1 and τ2 of a query: what its language adds to τ (LARS 2015, strategies T1 and T2).

C-SPARQL and SPARQLstream merge what their windows show into the default graph, CQELS and RSP-QL
read each stream where its block stands. A query can have both: every clause says what it means.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lars.formulas import Diamond, In
from lars.program import Program, Rule
from lars.terms import DEFAULT, Atom, Variable
from translate.errors import ModelError
from translate.forms import answers
from translate.functions import arrivals, uses_arrivals
from translate.node import EmptyGroup, Node
from translate.path_patterns import without_paths
from translate.patterns import Extend, Filter, LeftJoin
from translate.profiles import Semantics, Setting
from translate.query import EngineQuery, Language, MergedStream
from translate.rebuilding import parts
from translate.scope import occurring
from translate.windows import window_operator

_EMPTY: Final = {
    Language.CSPARQL: EmptyGroup.VALUES,
    Language.RSPQL: EmptyGroup.VALUES,
    Language.SPARQLSTREAM: EmptyGroup.UNBOUND_AVERAGE,
    Language.CQELS: EmptyGroup.NO_ROW,
}


def translated(query: EngineQuery, setting: Setting) -> Program:
    """Return the LARS program of a query; its answers are the atoms of ans1, at each time point."""
    taken = frozenset(query.result) | occurring(query.pattern)
    plain = replace(query, pattern=without_paths(query.pattern, taken))
    taken |= occurring(plain.pattern)
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
