"""τ2: CQELS reads each stream where its STREAM block stands (LARS 2015, strategy T2)."""

from lars.program import Program
from lars.terms import DEFAULT
from translate.patterns import variables
from translate.profiles import Setting
from translate.query import EngineQuery
from translate.tau import Node, tau


def tau2(query: EngineQuery, setting: Setting) -> Program:
    """Return τ2(Q): τ(Q), where a STREAM block becomes ◇ over its window; the answers are ans1."""
    node = Node(1, DEFAULT, setting, variables(query.pattern))
    return Program(tuple(tau(query.pattern, frozenset(query.result), node)))
