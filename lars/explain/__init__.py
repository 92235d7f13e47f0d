"""Explanations of answers: proofs, failed rule instances, near misses, violated rules."""

from lars.explain.evidence import (
    AbsentAtom,
    Evidence,
    IndexedPoint,
    Instances,
    OutsideTimeline,
    Points,
    PresentAtom,
    WindowContent,
    body_bindings,
    present,
)
from lars.explain.proofs import Premise, Proof, Prover, RuleInstance, Values, provers
from lars.explain.rule_violations import MOST, Violation, restore, violations, without_constraints
from lars.explain.shortfalls import (
    Attempt,
    Closest,
    Failure,
    Gaps,
    Mismatch,
    Partial,
    Searcher,
    Shortfall,
    Sight,
    WindowMiss,
    sight,
    time_left,
)
