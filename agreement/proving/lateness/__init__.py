"""Decide for all streams whether late data can change the answers of push or pull."""

from agreement.proving.lateness.deciding import Decisions, LatenessDecision, decide_lateness
from agreement.proving.lateness.replay import LateArrival, LateWitness
from agreement.proving.lateness.theorems import KINDS, ChangeKind, LatenessQuestion
