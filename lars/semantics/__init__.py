"""The definitions of LARS (2015), executable and slow on purpose: answer streams and whether one is given."""

from lars.semantics.answer_check import (
    Choice,
    IsAnswerStream,
    NotAnInterpretation,
    SmallerModel,
    Verdict,
    ViolatedRule,
    check_candidate,
)
from lars.semantics.definitions import Background, all_background, choices, separate
from lars.semantics.gathering import InstanceGroup, groups
from lars.semantics.grounding import Evaluate, decide, decide_condition, refuse
from lars.semantics.readings import (
    Instance,
    NegationReading,
    ReferencePoint,
    SupportLink,
    circular_through_negation,
)
