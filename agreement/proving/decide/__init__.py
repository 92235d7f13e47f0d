"""Decide by theorems, or by a stream as counterexample, whether push and pull agree on every stream."""

from agreement.proving.decide.deciding import (
    SEARCHED,
    Decider,
    agreement_theorem,
    in_finer_units,
    never_agrees,
)
from agreement.proving.decide.question import AgreementQuestion, Places, agreement_question
from agreement.proving.decide.theorems import volatile
from agreement.proving.decide.variants import VariantClasses
