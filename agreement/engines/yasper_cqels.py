"""YASPER with its configuration for CQELS: every arrival is a report over [t - w, t].

Source: the page of engine versions, section 4 (and 3 for what all of YASPER does); YC1 to YC4 are its
statements in its order; YC5 is what `each arrival` says of equal ones. That STEP is ignored is no
fault: its specification does so too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.engine import NOTHING_OFF, Rule
from agreement.engines.yasper_queries import (
    Sliding,
    check_triple_patterns,
    sliding_windows,
    without_projection,
)
from agreement.engines.yasper_reports import Evaluation, Reporting, recorded
from agreement.engines.yasper_windows import Past
from agreement.recordings.recording import Push, Recording, Triple
from solver.static import Static
from translate.query import EngineQuery, ToStream

_LATE: Final = Rule("YC1", "an arrival before the last report is refused")
_PATTERN: Final = Rule("YC2", "a row has all variables of the pattern, and the rows are a set")
_FULL: Final = Rule("YC3", "a query without an operator reports its full answers, not what is new")
_FIRST: Final = Rule("YC4", "further arrivals at the instant of the first make no report")
_AGAIN: Final = Rule("YC5", "a triple that comes again at one instant is reported again")


@dataclass(frozen=True, slots=True)
class YasperCqels:
    """YASPER as an engine version: a report at each arrival."""

    name: str = "yasper-cqels"
    specification: str = "cqels"
    rules: tuple[Rule, ...] = (_LATE, _PATTERN, _FULL, _FIRST, _AGAIN)
    timed: bool = True

    def run(
        self,
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: frozenset[str] = NOTHING_OFF,
    ) -> Recording:
        """Return what YASPER reports; raises LarsError for more than triple patterns and filters."""
        windows = sliding_windows(query, self.name, tumbling=True)
        check_triple_patterns(query, self.name)
        engine = _Arrivals(windows, frozenset({rule.name for rule in self.rules} - off))
        made = (engine.arrive(n, push) for n, push in enumerate(pushes))
        evaluations = (evaluation for evaluation in made if evaluation is not None)
        free = _PATTERN.name not in off
        default = ToStream.ISTREAM if _FULL.name in off else ToStream.RSTREAM
        reporting = Reporting(query.to_stream or default, distinct=free, silent=True)
        asked = without_projection(query) if free else query
        return recorded(asked, static, evaluations, reporting, engine.rejected)


class _Arrivals:
    """What has come: `first` and `now` are the times of the first and of the latest arrival."""

    def __init__(self, windows: Sequence[Sliding], rules: frozenset[str]) -> None:
        self.rules = rules
        self.past = [Past(window) for window in windows]
        self.first: float | None = None
        self.now = -math.inf
        self.rejected: list[int] = []
        self.seen: set[tuple[float, str, Triple]] = set()

    def arrive(self, number: int, push: Push) -> Evaluation | None:
        """Take a push, and return what it makes YASPER evaluate."""
        if not any(past.window.reads(push) for past in self.past):
            return None
        if push.t < self.now and _LATE.name in self.rules:
            self.rejected.append(number)
            return None
        known = (push.t, push.stream, push.triple)
        if known in self.seen and _AGAIN.name not in self.rules:
            return None
        self.seen.add(known)
        for past in self.past:
            if past.window.reads(push):
                past.add(push.t, push.triple, min(push.t, self.now))
        again = push.t == self.first
        self.first = push.t if self.first is None else self.first
        self.now = max(self.now, push.t)
        if again and _FIRST.name in self.rules:
            return None
        return Evaluation(push.t, number, {past.window.source: past.up_to(push.t) for past in self.past})
