"""Deadlines of searches; long evaluations check the clock before expensive steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Final

from lars.errors import TimeLimitError

_LEAST_TIMED_ROWS: Final = 2**14
"""The number of rows from which the clock is checked; fewer rows are always evaluated."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a search by the process's clock, in seconds; `seconds` is the original limit."""

    seconds: float = inf
    end: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the deadline after a number of seconds; None means no limit."""
        return cls() if seconds is None else cls(seconds, monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return monotonic() > self.end

    @property
    def left(self) -> float:
        """The number of seconds that are left."""
        return max(0.0, self.end - monotonic())

    def nearer(self, part: float) -> "Deadline":
        """Return the deadline after a part (0 to 1) of the remaining time."""
        return Deadline(self.seconds, monotonic() + part * self.left)

    def check(self) -> None:
        """Raise TimeLimitError when the time is up."""
        if self.is_over:
            raise TimeLimitError(f"the time limit of {self.seconds:g} s is up (--time-limit)")


NEVER: Final = Deadline()
"""No limit."""
_current: ContextVar[Deadline] = ContextVar("deadline", default=NEVER)


@contextmanager
def until(deadline: Deadline) -> Iterator[None]:
    """Make evaluations in the block raise TimeLimitError after the deadline."""
    before = _current.get()
    token = _current.set(deadline if deadline.end < before.end else before)
    try:
        yield
    finally:
        _current.reset(token)


def check_time(rows: int = _LEAST_TIMED_ROWS) -> None:
    """Raise TimeLimitError after the block's deadline, if the next step has many rows."""
    if rows >= _LEAST_TIMED_ROWS:
        _current.get().check()
