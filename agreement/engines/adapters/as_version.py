"""A real engine behind an adapter as an engine version without rules, for a query with its text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agreement.documents.recordings import Push, Recording, static_lines
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import ProfileReply
from agreement.engines.adapters.runs import answers_of
from agreement.engines.adapters.stream_engines import Registration
from agreement.engines.engine import Engine, Off
from agreement.engines.specifications import NAMES
from lars.errors import LarsError
from solver.facts import Static
from translate.model.query import EngineQuery

ADAPTER: Final = "adapter:"
"""What the name of an engine begins with that is the command of its adapter."""
_ELSE: Final = "rspql"


@dataclass(frozen=True, slots=True)
class AdaptedVersion:
    """A real engine as an engine version; `lexical` where its rows do not keep the kinds of terms."""

    engine: Engine
    lexical: bool


def adapted_version(command: str, text: str) -> AdaptedVersion:
    """Return the engine behind an adapter, asked once what it says of itself.

    Raises LarsError where it refuses the query. Its reports are compared push by push: their times are
    those of the engine's own clock.
    """

    def recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
        del query, off
        with RunningAdapter(command) as adapter:
            answers = answers_of(adapter, Registration(text, static_lines(static)), pushes)
        if answers.profile is None:
            raise LarsError(f"the engine refuses the query: {answers.refused}")
        return answers.recording()

    profile = _profile(command, text)
    specification = profile.dialect if profile.dialect in NAMES else _ELSE
    return AdaptedVersion(Engine(profile.engine, specification, (), recorded, timed=False), not profile.kinds)


def _profile(command: str, text: str) -> ProfileReply:
    with RunningAdapter(command) as adapter:
        session = adapter.open(Registration(text))
        session.close()
        return session.profile
