"""`lars decide`: do push and pull agree on every stream, decided from the queries, with a stream as proof."""

from agreement.decide.deciding import SEARCHED, Decider, in_finer_units
from agreement.decide.inputs import DecisionTask, decision_task
from agreement.decide.places import Places
from agreement.decide.question import AgreementQuestion
from agreement.decide.theorems import volatile
from agreement.decide.trial import StreamWitness, stock_of, trace_on
from agreement.decide.variants import VariantClasses
from agreement.decide.verdict_values import CheckedPremise, Decided, PeriodDecision
