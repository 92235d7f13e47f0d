"""CQELS 1.x as it runs: the rules Q1 to Q6, each of which can be read as the specification says.

The specification: at each arriving triple the whole query is evaluated over the windows [now - L,
now], SLIDE ignored, and what is new since the arrival before is reported (ISTREAM).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.cqels_answers import Reporting
from agreement.engines.cqels_machine import Keeping, Stages
from agreement.engines.cqels_run import Profile, run
from agreement.engines.cqels_text import as_parsed, written
from agreement.engines.engine import NOTHING_OFF, Rule
from agreement.recordings.recording import Push, Recording
from solver.static import Static
from translate.query import EngineQuery

RULES: Final = (
    Rule(
        "Q1",
        "each triple pattern in STREAM has a buffer of its own, which only its own matches purge: what has "
        "expired still joins; FILTER in STREAM is ignored; static elements are evaluated once, DISTINCT",
    ),
    Rule(
        "Q2",
        "the patterns that a triple matches are gone through one after the other, more constants first",
    ),
    Rule(
        "Q3",
        "with SLIDE or TUMBLING a buffer is purged only once per slide; NOW keeps the last match; "
        "durations in h and d lose their last digit",
    ),
    Rule(
        "Q4",
        "what shares no variable is not joined: a cross product gives partial rows; a FILTER whose "
        "variables are never all bound is not applied",
    ),
    Rule("Q5", "one row for each joined mapping, at once; DISTINCT, ORDER BY and LIMIT are ignored"),
    Rule(
        "Q6",
        "aggregates are looked up for each joined mapping in the plan of the first stream pattern; "
        "of nothing they give one row",
    ),
)


@dataclass(frozen=True, slots=True)
class Cqels1x:
    """The engine. FILTERs inside STREAM and durations are seen if the query has its text (`read_written`)."""

    name: str = "cqels-1.x"
    specification: str = "cqels"
    rules: tuple[Rule, ...] = RULES
    timed: bool = False

    def run(
        self,
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: frozenset[str] = NOTHING_OFF,
    ) -> Recording:
        """Return what the engine reports, a report for each row, with the rules `off` as specified.

        Raises LarsError for a query that the engine cannot parse or register.
        """
        read = written(query) if "Q3" in off else as_parsed(query)
        stages = Stages(
            Keeping.ALL if "Q1" in off else Keeping.OWN,
            registered="Q1" not in off,
            one_by_one="Q2" not in off,
            slides="Q3" not in off,
            planned="Q4" not in off,
        )
        reporting = Reporting(each="Q5" not in off, looked_up="Q6" not in off)
        return run(Profile(self.name, stages, reporting), read, static, pushes)
