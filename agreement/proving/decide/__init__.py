"""`lars decide`: do push and pull agree on every stream, decided from the queries, with a stream as proof."""

from agreement.proving.decide.deciding import SEARCHED, Decider, agreement_theorem, in_finer_units
from agreement.proving.decide.question import AgreementQuestion, DecisionTask, Places, decision_task
from agreement.proving.decide.theorems import CheckedPremise, EveryStream, PeriodDecision, volatile
from agreement.proving.decide.trial import StreamWitness, stock_of, trace_on
from agreement.proving.decide.variants import VariantClasses
