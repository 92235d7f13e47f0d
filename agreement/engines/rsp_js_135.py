"""RSP-JS 1.3.5: windows as in YASPER for C-SPARQL, but its answers move their borders.

Source: the page of engine versions, section 5, and the engine's own; R1 to R8 are its statements in
its order. Times are in the unit of the timestamps, in which its windows are written too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.contents import answers, columns
from agreement.engines.engine import NOTHING_OFF, Rule
from agreement.engines.yasper_firing import Answered, Choices, Firing, Key, key_of, opened
from agreement.engines.yasper_queries import sliding_windows
from agreement.recordings.recording import Push, Recording, Report, Row
from solver.static import Static
from translate.query import EngineQuery, ToStream

Bounds = tuple[float, float]

_OPENING: Final = Rule(
    "R1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]"
)
_LATE: Final = Rule("R2", "an arrival that is late opens windows again that have been reported")
_ARRIVAL: Final = Rule("R3", "a report has the time of the arrival that finds a window closed")
_LATEST: Final = Rule(
    "R4",
    "only an arrival in a window's own stream finds it closed, and only the latest of those that arrivals "
    "opened fires, if it closed after 0 and is not empty; older ones are skipped",
)
_OTHERS: Final = Rule(
    "R5",
    "each other window adds the content of its earliest one that is open, both ends included, at the last "
    "triple of the one that fires",
)
_OPERATOR: Final = Rule("R6", "the operator of REGISTER is not looked at: each answer is reported in full")
_ROWS: Final = Rule("R7", "each row is a report of its own, said to be from t0 to t0 + step")
_MOVING: Final = Rule("R8", "each row moves t0 by a step, from which on arrivals open windows")


@dataclass(frozen=True, slots=True)
class RspJs135:
    """RSP-JS as an engine version."""

    name: str = "rsp-js-1.3.5"
    specification: str = "rspql"
    rules: tuple[Rule, ...] = (_OPENING, _LATE, _ARRIVAL, _LATEST, _OTHERS, _OPERATOR, _ROWS, _MOVING)
    timed: bool = True

    def run(
        self,
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: frozenset[str] = NOTHING_OFF,
    ) -> Recording:
        """Return what RSP-JS reports; raises LarsError for what is no SELECT over sliding windows."""
        sliding = sliding_windows(query, self.name, tumbling=False)
        stated = ToStream.RSTREAM if _OPERATOR.name not in off else query.to_stream
        known: dict[Key, tuple[Row, ...]] = {}
        while True:
            answered = Answered(known, stated or ToStream.RSTREAM)
            windows = opened(sliding, _choices(off), answered)
            firings = [firing for n, push in enumerate(pushes) for firing in windows.arrive(n, push)]
            contents = {key_of(firing.content): firing.content for firing in firings}
            asked = [key for key in contents if key not in known]
            if not asked:
                return _recording(columns(query), firings, off)
            # How far t0 moved depends on the answers: what follows an unknown one is a guess until then.
            found = answers(query, [contents[key] for key in asked], static)
            known.update(zip(asked, found, strict=True))


def _choices(off: frozenset[str]) -> Choices:
    return Choices(
        includes_opening=_OPENING.name not in off,
        reopens=_LATE.name not in off,
        latest_only=_LATEST.name not in off,
        shows_unclosed=_OTHERS.name not in off,
        moves=_MOVING.name not in off,
    )


def _recording(names: tuple[str, ...], firings: Sequence[Firing], off: frozenset[str]) -> Recording:
    made = [one for firing in firings if firing.rows for one in _reports(firing, off)]
    reports = tuple(report for report, _ in made)
    return Recording(names, reports, (), tuple(bounds for _, bounds in made))


def _reports(firing: Firing, off: frozenset[str]) -> Iterator[tuple[Report, Bounds]]:
    t = firing.close if _ARRIVAL.name in off else firing.t
    if _ROWS.name in off:
        bounds = firing.close - firing.window.width, firing.close
        yield Report(t, tuple(firing.rows), firing.push), bounds
        return
    step = firing.window.step
    for n, row in enumerate(firing.rows):
        start = firing.start + (0 if _MOVING.name in off else n * step)
        yield Report(t, (row,), firing.push), (start, start + step)
