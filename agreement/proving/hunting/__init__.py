"""Find the faults of an engine: run it on streams that show faults, and explain its wrong answers."""

from agreement.proving.hunting.alphabets import Letter
from agreement.proving.hunting.explanation import run_hunt
from agreement.proving.hunting.hunted_queries import (
    WRITINGS,
    MadeQueries,
    QueryFamily,
    QueryWriting,
    first_queries,
    hunted_query,
    made_queries,
    no_obstacle,
    no_time,
)
from agreement.proving.hunting.hunting import Fault, Hunt, HuntLimits, seconds_of
from agreement.proving.hunting.references import HuntedRun, Reference, RunVerdict, Switch, reference
from agreement.proving.hunting.streams import streams
