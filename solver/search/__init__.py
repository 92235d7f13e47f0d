"""Search for a smallest stream on which two programs differ within one period, by clingo or by trial."""

from solver.search.choosing import chosen_streams
from solver.search.contests import (
    TIME_IS_UP,
    TOO_LARGE,
    Candidates,
    ChosenStream,
    Contest,
    StoppedSearchError,
    timeline_of,
)
from solver.search.frames import UncoveredError
from solver.search.trying import tried_streams, with_atoms
