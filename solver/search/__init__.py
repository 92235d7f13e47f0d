"""The smallest stream on which two programs differ within one period: chosen by clingo, or tried."""

from solver.search.choosing import chosen_streams
from solver.search.contests import (
    Candidates,
    ChosenStream,
    Contest,
    OutOfTimeError,
    ReportKind,
    SearchLimits,
    TooLargeError,
    TooManyError,
    timeline_of,
)
from solver.search.frames import UncoveredError
from solver.search.trying import tried_streams, with_atoms
