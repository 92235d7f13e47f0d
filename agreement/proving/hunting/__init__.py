"""`lars hunt`: an engine run on streams that tell rules apart; what it gets wrong, made small."""

from agreement.proving.hunting.hunted_queries import HuntedQuery, MadeQueries, hunted_query, made_queries
from agreement.proving.hunting.hunting import FailedRun, Fault, Hunt, HuntLimits
from agreement.proving.hunting.references import BySpecification, ByVersion, FaultRule, Reference, reference
from agreement.proving.hunting.runs import HuntedRun, RunVerdict, WrongPlace
