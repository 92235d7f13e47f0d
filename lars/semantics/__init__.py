"""The definitions of LARS (2015) as slow executable code: answer streams, and whether a stream is one."""

from lars.semantics.answer_check import (
    Choice,
    IsAnswerStream,
    NotAnInterpretation,
    ReferencePoint,
    SmallerModel,
    SupportLink,
    Verdict,
    ViolatedRule,
    check_candidate,
    circular_through_negation,
)
from lars.semantics.definitions import Background, all_background, choices, separate
from lars.semantics.grounding import (
    Evaluate,
    GroundRule,
    InstanceGroup,
    decide,
    decide_condition,
    groups,
    refuse,
)
