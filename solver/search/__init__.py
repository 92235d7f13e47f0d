"""clingo chooses the input: the smallest stream on which two programs differ within one period."""

from solver.search.choosing import chosen_streams
from solver.search.contests import Candidates, ChosenStream, Contest, OutOfTimeError, SearchLimits
from solver.search.frames import UncoveredError
