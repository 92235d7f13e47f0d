"""What an engine version is: rules that turn pushes into reports, each of which can be switched off."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agreement.recordings.recording import Push, Recording
from solver.static import Static
from translate.query import EngineQuery

Off = frozenset[str]
"""The names of the rules that are read as the specification says."""
NOTHING_OFF: Off = frozenset()


@dataclass(frozen=True, slots=True)
class EngineRule:
    """A numbered rule of an engine, in one line, as it shows where it differs from the specification."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine version, as users name it: a state machine over its pushes.

    `specification` names the profile of what it should do. `rules` are where it does otherwise;
    with all of them off its reports are those of the specification, on the engine's own clock with
    windows that begin at multiples of their slide. `timed` says whether report times are predicted,
    beside their rows: they are where the clock is driven by the pushes.
    """

    name: str
    specification: str
    rules: tuple[EngineRule, ...]
    recorded: Callable[[EngineQuery, Static, Sequence[Push], Off], Recording]
    timed: bool = True

    def run(
        self, query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off = NOTHING_OFF
    ) -> Recording:
        """Return what the engine reports; the rules named by `off` are read as the specification says.

        Each report carries the number of the push that triggered it. Raises LarsError for a query
        that the engine cannot run.
        """
        return self.recorded(query, static, pushes, off)
