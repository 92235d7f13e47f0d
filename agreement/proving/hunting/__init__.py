"""`lars hunt`: an engine run on streams that tell rules apart; what it gets wrong, made small."""

from agreement.proving.hunting.alphabets import Letter
from agreement.proving.hunting.hunted_queries import (
    WRITINGS,
    HuntedQuery,
    MadeQueries,
    QueryFamily,
    QueryWriting,
    hunted_query,
    made_queries,
)
from agreement.proving.hunting.hunting import FailedRun, Fault, Hunt, HuntLimits
from agreement.proving.hunting.references import (
    FaultRule,
    HuntedRun,
    Reference,
    RunVerdict,
    SpecificationReference,
    VersionReference,
    WrongPlace,
    reference,
)
from agreement.proving.hunting.streams import streams
