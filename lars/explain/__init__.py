"""Why an atom is in an answer stream, or what it lacks: proofs, shortfalls, near misses, violations."""

from lars.explain.evidence import (
    AbsentAtom,
    Evidence,
    Instances,
    OutsideTimeline,
    Points,
    PresentAtom,
    Trivial,
    WindowContent,
    present,
)
from lars.explain.joining import IndexedPoint
from lars.explain.near_misses import Sight, WindowMiss, sight
from lars.explain.proofs import InBackground, Input, Premise, Proof, Prover, RuleInstance, Values, provers
from lars.explain.rule_violations import MOST, Violation, restore, violations, without_constraints
from lars.explain.shortfalls import Attempt, Failure, Goal, Mismatch, Searcher, Shortfall
