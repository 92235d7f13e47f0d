"""Why an atom is in an answer stream, or what it lacks: proofs, shortfalls, near misses, violations."""

from lars.explain.evidence import (
    Absent,
    Evidence,
    Instances,
    Outside,
    Points,
    Present,
    Shown,
    Trivial,
    present,
)
from lars.explain.joining import World
from lars.explain.near_misses import Sight, WindowMiss, sight
from lars.explain.proofs import Input, Known, Premise, Proof, RuleInstance, Values
from lars.explain.prover import Prover, provers
from lars.explain.rule_violations import MOST, Violation, relaxed, restored, violations
from lars.explain.shortfalls import Attempt, Failure, Goal, Mismatch, Searcher, Shortfall
