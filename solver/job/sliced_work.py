"""Work on slices of a trace, each by itself, in this process or in tasks of Spark."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from solver.job.questions import Question
from solver.relational import EncodedSituation

_Given_contra = TypeVar("_Given_contra", contravariant=True)
_Found_co = TypeVar("_Found_co", covariant=True)


class SlicedWork(Protocol[_Given_contra, _Found_co]):
    """What is found in a slice of what it is given for it, and of the trace: all that questions can use.

    They may be asked at times in the slice, and so many time points before it; with what is given the
    work goes to other processes.
    """

    @property
    def questions(self) -> Sequence[Question]:
        """What the input of a slice is for."""
        ...

    @property
    def before(self) -> int:
        """How many time points before a slice the questions may be asked at."""
        ...

    def __call__(self, situation: EncodedSituation, given: _Given_contra) -> _Found_co:
        """Return what is found in a slice."""
        ...
