"""What an engine version is: rules that turn pushes into reports, each of which can be switched off."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agreement.recordings.recording import Push, Recording
from solver.static import Static
from translate.query import EngineQuery

NOTHING_OFF: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """A numbered rule of an engine, in one line, as it shows where it differs from the specification."""

    name: str
    says: str


class Engine(Protocol):
    """An engine version: a state machine over its pushes.

    `specification` names the profile of what it should do. `rules` are where it does otherwise;
    with all of them off its reports are those of the specification, on the engine's own clock with
    windows that begin at multiples of their slide. `timed` says whether report times are predicted:
    they are where the clock is driven by the pushes.
    """

    @property
    def name(self) -> str:
        """As users name it, with its version."""
        ...

    @property
    def specification(self) -> str:
        """The name of the profile it claims to follow."""
        ...

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its rules, in the order of their names."""
        ...

    @property
    def timed(self) -> bool:
        """Whether the times of its reports are predicted, beside their rows."""
        ...

    def run(
        self,
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: frozenset[str] = NOTHING_OFF,
    ) -> Recording:
        """Return what the engine reports; the rules named by `off` are read as the specification says.

        Each report carries the number of the push that triggered it. Raises LarsError for a query
        that the engine cannot run.
        """
        ...
