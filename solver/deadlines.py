"""Deadlines of searches; a long evaluation checks the deadline before each expensive step."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import Final

from lars.dataclass import dataclass
from lars.errors import TimeLimitError

_LEAST_TIMED_ROWS: Final = 2**14
"""The minimum number of rows for which the clock is checked; fewer rows are always evaluated."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time at which a search must end.

    - `seconds` is the time limit of the whole search.
    - `end` is the deadline on the process's clock, in seconds.
    - `rest` is the number of seconds after `end` that are reserved for other steps.
    """

    seconds: float = inf
    end: float = inf
    rest: float = 0.0

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the deadline `seconds` from now; None means no time limit."""
        return cls() if seconds is None else cls(seconds, monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return monotonic() > self.end

    @property
    def left(self) -> float:
        """The number of seconds until the deadline; 0 after the deadline."""
        return max(0.0, self.end - monotonic())

    def nearer(self, part: float) -> "Deadline":
        """Return the deadline after a share `part` (from 0 to 1) of the remaining time."""
        left = self.left
        return Deadline(self.seconds, monotonic() + part * left, self.rest + (1 - part) * left)

    def check(self) -> None:
        """Raise TimeLimitError if the deadline has passed."""
        if self.is_over:
            first = f"the first {self.seconds - self.rest:.2g} s of " if self.rest else ""
            verb = "are" if first else "is"
            raise TimeLimitError(f"{first}the time limit of {self.seconds:g} s {verb} up (--time-limit)")


NEVER: Final = Deadline()
"""The deadline of a search without a time limit."""
_current: ContextVar[Deadline] = ContextVar("deadline", default=NEVER)


@contextmanager
def until(deadline: Deadline) -> Iterator[None]:
    """Make `check_time` raise TimeLimitError in the `with` block after the deadline."""
    before = _current.get()
    token = _current.set(deadline if deadline.end < before.end else before)
    try:
        yield
    finally:
        _current.reset(token)


def check_time(rows: int = _LEAST_TIMED_ROWS) -> None:
    """Raise TimeLimitError if the deadline set by `until` has passed and the next step has many rows."""
    if rows >= _LEAST_TIMED_ROWS:
        _current.get().check()
