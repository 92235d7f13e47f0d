"""CQELS as it was recorded in 2011 to 2013: its faults (a), (b) and (c), beside the specification.

(a) All triple patterns of a STREAM block share one window object, and only the buffer of the last
pattern is purged, when a triple matches any of them. (b) Patterns that share no variable are never
joined, and a FILTER spanning them is dropped. (c) SLIDE is ignored, which the specification does
too, and each triple is evaluated by itself: what it completes is reported, whereas the
specification compares whole answers, and so reports a new average when something expires, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.cqels_answers import Reporting
from agreement.engines.cqels_machine import Keeping, Stages
from agreement.engines.cqels_run import Profile, run
from agreement.engines.cqels_text import written
from agreement.engines.engine import NOTHING_OFF, Rule
from agreement.recordings.recording import Push, Recording
from solver.static import Static
from translate.query import EngineQuery

RULES: Final = (
    Rule(
        "2011a",
        "the patterns of a STREAM block share one window, which purges the last pattern's buffer only: "
        "the others still see older triples",
    ),
    Rule(
        "2011b",
        "patterns that share no variable are never joined, and a FILTER spanning them is dropped",
    ),
    Rule(
        "2011c",
        "one evaluation per triple: a row for each mapping that it completes, and none when triples expire",
    ),
)


@dataclass(frozen=True, slots=True)
class Cqels2011:
    """The engine of functional-testing-2013 and csrbench-2013."""

    name: str = "cqels-2011"
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
        """Return what the engine reports, with the rules `off` as specified.

        Raises LarsError for a query that is no SELECT with a triple pattern in a STREAM block.
        """
        stages = Stages(
            Keeping.ALL if "2011a" in off else Keeping.LAST,
            registered=False,
            one_by_one=False,
            slides=False,
            planned="2011b" not in off,
        )
        reporting = Reporting(each="2011c" not in off, looked_up=False)
        return run(Profile(self.name, stages, reporting), written(query), static, pushes)
