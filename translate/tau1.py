"""τ1: C-SPARQL merges what its windows show into the default graph (LARS 2015, strategy T1)."""

from collections.abc import Iterator

from lars.formulas import Diamond, In
from lars.program import Program, Rule
from lars.terms import DEFAULT, Atom, Variable
from translate.patterns import variables
from translate.profiles import Setting
from translate.query import EngineQuery, MergedStream
from translate.tau import Node, tau
from translate.windows import window_operator


def tau1(query: EngineQuery, setting: Setting) -> Program:
    """Return τ1(Q): τ(Q) and one rule for each merged stream; the answer predicate is ans1."""
    node = Node(1, DEFAULT, setting, variables(query.pattern))
    rules = tuple(tau(query.pattern, frozenset(query.result), node))
    return Program(rules + tuple(_imports(query.merged, setting)))


def _imports(merged: tuple[MergedStream, ...], setting: Setting) -> Iterator[Rule]:
    triple = (Variable("S"), Variable("P"), Variable("O"))
    for part in merged:
        window = window_operator(part.window, part.stream, setting.unit, setting.bounds)
        seen = In(window, Diamond(Atom("striple", (*triple, part.stream))))
        yield Rule(Atom("triple", (*triple, DEFAULT)), (seen,))
