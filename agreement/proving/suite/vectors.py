"""The parameter vectors of the conformance suite: the choices that RSP-QL leaves to an engine."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from itertools import product
from typing import Final, get_args

from agreement.documents.requests import ALIGNED
from agreement.engines.specifications import Empty, Specification, Strategy, Tick
from agreement.engines.specifications.parameters import Combination
from agreement.engines.specifications.reporting import CLOCKED
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language.windows import Bounds
from translate.model.query import Language

PERIOD: Final = 3
"""The number of time points between two reports in vectors with periodic reports."""
FIRST: Final = "first"
FIRST_OF_STREAM: Final = "own"
FIRST_ALIGNED: Final = "first-aligned"
STREAM_ALIGNED: Final = "own-aligned"
NAMED_STARTS: Final = (ALIGNED, FIRST, FIRST_ALIGNED, FIRST_OF_STREAM, STREAM_ALIGNED)
Start = int | str
"""The start time t0 of windows: a time point, or a text.

- `A/B`: A is t0 of the first window, B is t0 of the second window, and so on in turns.
- ALIGNED: windows close at multiples of their slide β.
- FIRST: t0 is the time of the first element.
- FIRST_OF_STREAM: t0 is the time of the first element in the window's own stream.
- FIRST_ALIGNED, STREAM_ALIGNED: windows close at this time, and every β before and after this time.
"""

_MEANINGS: Final[Mapping[str, str]] = {
    ALIGNED: "windows close at multiples of their slide",
    FIRST: "windows begin at the first element",
    FIRST_OF_STREAM: "each window begins at the first element of its own stream",
    FIRST_ALIGNED: "windows close at the time of the first element, and every slide before and after it",
    STREAM_ALIGNED: "each window closes at the time of the first element of its own stream, and every slide",
}
_WC: Final = "window-close"
_NE: Final = "non-empty"
_CC: Final = "content-change"
_P: Final = "periodic"
_REPORTS: Final[tuple[frozenset[Strategy], ...]] = tuple(
    frozenset(report)
    for report in ((_WC, _NE), (_WC,), (_WC, _CC), (_CC,), (_NE,), (_P,), (_P, _NE), (_P, _CC))
)
_POINTS: Final = range(4)
OWN_STARTS: Final = (FIRST_OF_STREAM, STREAM_ALIGNED)
"""The kinds of start times t0 that depend on the first element of the window's own stream."""
STARTS: Final[tuple[Start, ...]] = (
    *(0, ALIGNED, FIRST, FIRST_ALIGNED, 1, 2, 3, FIRST_OF_STREAM, STREAM_ALIGNED),
    *(f"{one}/{other}" for one in _POINTS for other in _POINTS if one != other),
)
_BOUNDS: Final[tuple[Bounds, ...]] = ("low-open", "high-open", "closed")
_EMPTY: Final[tuple[Empty, ...]] = ("silent", "reported")
_TICKS: Final[tuple[Tick, ...]] = ("triple", "instant")
_COMBINATIONS: Final[tuple[Combination, ...]] = ("any", "all")


@dataclass(frozen=True, slots=True)
class ParameterVector:
    """A value for each parameter that RSP-QL leaves open.

    The parameters are the report policy, the window bounds, the start time t0, the treatment of empty
    answers, the tick, and the combination of several windows.
    """

    report: frozenset[Strategy]
    bounds: Bounds
    start: Start
    empty: Empty
    tick: Tick
    combination: Combination
    timing: int = field(compare=False)
    """The number of a group of vectors.

    With equal t0, a single window reports at the same times under all vectors of the group.
    """
    showing: int = field(compare=False)
    """The number of a group of vectors.

    With equal t0, a window has the same content at a tick under all vectors of the group.
    """

    @property
    def by_clock(self) -> bool:
        """Whether the clock triggers reports; false if arrivals trigger reports."""
        return bool(self.report & CLOCKED)

    @property
    def unlikely(self) -> bool:
        """Whether few engines have these values: different start times t0 of windows, or periodic reports."""
        shared = (ALIGNED, FIRST, FIRST_ALIGNED)
        return _P in self.report or (isinstance(self.start, str) and self.start not in shared)

    @lru_cache(maxsize=4096)  # noqa: B019 - vectors live as long as the program
    def specification(self, language: Language, unit: Duration) -> Specification:
        """Return the specification of an engine that has these parameters.

        `unit` is the length of a time point.
        """
        cqels = language is Language.CQELS
        return Specification.model_validate(
            {
                "name": "suite",
                "report": sorted(self.report),
                "combination": self.combination,
                "period": str(Duration(PERIOD * unit.nanoseconds)) if _P in self.report else None,
                "tick": self.tick,
                "bounds": self.bounds,
                "slide": "ignored" if cqels else "query",
                "stream": "ISTREAM" if cqels else "RSTREAM",
                "empty": self.empty,
            }
        )

    def values(self) -> Mapping[str, str]:
        """Return the value of each parameter as text, by the name of the parameter."""
        result = {
            "report": " and ".join(strategy for strategy in get_args(Strategy) if strategy in self.report),
            "bounds": self.bounds,
            "t0": str(self.start),
            "empty": self.empty,
        }
        if not self.by_clock:
            result["tick"] = self.tick
        return result | {"combination": self.combination}

    def departures(self, own: Specification) -> Mapping[str, str]:
        """Return a text for each parameter whose value differs from the value in a specification.

        Each text contains both values. The start time t0 never counts as a difference.
        """
        reports = [one for one in get_args(Strategy) if one in own.report]
        allowed = {
            "report": (" and ".join(reports),),
            "bounds": own.bounds,
            "empty": (own.empty,),
            "tick": (own.tick,),
            "combination": (own.combination,),
        }
        return {
            name: f"{name} {value} instead of {' or '.join(allowed[name])}"
            for name, value in self.values().items()
            if name in allowed and value not in allowed[name]
        }

    def meanings(self) -> Iterator[str]:
        """Yield sentences that explain the values of t0 and `combination`, if they need an explanation."""
        start = str(self.start)
        if "/" in start:
            one, other = start.split("/")
            yield f"t0 {start}: the first window of a query begins at {one}, the second at {other}, in turns"
        elif start in _MEANINGS:
            yield f"t0 {start}: {_MEANINGS[start]}"
        if self.combination == "all":
            yield "combination all: a query with several windows is evaluated only when all of them report"

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.values().items())


@cache
def vectors() -> tuple[ParameterVector, ...]:
    """Return all parameter vectors of the suite, in the order of their numbers.

    The usual vectors come first.
    """
    timings, showings = dict[object, int](), dict[object, int]()
    parameter_vectors = []
    for report, bounds, start, empty, combination, tick in product(
        _REPORTS, _BOUNDS, STARTS, _EMPTY, _COMBINATIONS, _TICKS
    ):
        clocked = bool(report & CLOCKED)
        timing = timings.setdefault((report, bounds, tick), len(timings))
        showing = showings.setdefault((bounds, "instant" if clocked else tick), len(showings))
        if not clocked or tick == "triple":
            vector = ParameterVector(report, bounds, start, empty, tick, combination, timing, showing)
            parameter_vectors.append(vector)
    return tuple(parameter_vectors)


@cache
def numbers_of(language: Language) -> tuple[int, ...]:
    """Return the numbers of the parameter vectors that are possible for queries of a language.

    In CQELS, windows have no slide, and arrivals trigger reports. In C-SPARQL and SPARQLstream, windows
    report when they close.
    """
    match language:
        case Language.CQELS:
            return tuple(
                n
                for n, vector in enumerate(vectors())
                if not vector.by_clock and vector.start in (0, ALIGNED)
            )
        case Language.CSPARQL | Language.SPARQLSTREAM:
            return tuple(
                n
                for n, vector in enumerate(vectors())
                if _WC in vector.report and vector.combination == "any"
            )
        case _:
            return tuple(range(len(vectors())))


Equivalents = tuple[tuple[ParameterVector, tuple[int, ...]], ...]
"""Parameter vectors, each with the numbers of all vectors that give the same reports."""


@lru_cache(maxsize=256)
def alike_by_starts(language: Language, places: tuple[int, ...], *, several: bool) -> tuple[Equivalents, ...]:
    """Return one of each set of parameter vectors with the same reports, grouped by evaluation times.

    Each returned vector has the numbers of all vectors with the same reports.

    Args:
        language: The language of the query.
        places: A number for each start time in `STARTS`; start times with the same number are equivalent.
        several: Whether the query combines several windows.
    """
    place = dict(zip(STARTS, places, strict=True))
    groups: dict[object, dict[Empty, list[int]]] = {}
    for number in numbers_of(language):
        vector = vectors()[number]
        combined = several and vector.combination == "all"
        by_empty = groups.setdefault((vector.timing, combined, place[vector.start]), {})
        by_empty.setdefault(vector.empty, []).append(number)
    return tuple(
        tuple((vectors()[numbers[0]], tuple(numbers)) for numbers in by_empty.values())
        for by_empty in groups.values()
    )


def declared_vectors(of: Specification, start: Start | None, bounds: Bounds | None) -> frozenset[int]:
    """Return the numbers of the parameter vectors whose values are the values in a specification.

    If `start` or `bounds` is given, the vectors must have this value. By default, the vectors can have any
    start time t0, and any bounds that the specification allows.
    """
    ends = set(of.bounds) if bounds is None else {bounds}
    return frozenset(
        n
        for n, vector in enumerate(vectors())
        if vector.report == of.report
        and vector.bounds in ends
        and vector.empty == of.empty
        and (vector.by_clock or vector.tick == of.tick)
        and vector.combination == of.combination
        and (start is None or vector.start == start)
    )


def in_ranges(numbers: Iterable[int]) -> str:
    """Return a text in which ranges such as 0-2 replace consecutive numbers; the numbers must ascend.

    >>> in_ranges([0, 1, 2, 7])
    '0-2,7'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


@lru_cache(maxsize=2**14)
def of_ranges(text: str) -> tuple[int, ...]:
    """Return the numbers in a text of ranges, such as `0-2,7`.

    The numbers are cached, because the expected reports of many tests have equal ranges.

    Raises:
        ValueError: The numbers do not ascend, or are not numbers of parameter vectors.

    >>> of_ranges("0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    before = -1
    for part in text.split(","):
        if not re.fullmatch(r"[0-9]{1,9}(-[0-9]{1,9})?", part):
            raise ValueError(part)
        first, _, last = part.partition("-")
        if not before < int(first) <= int(last or first) < len(vectors()):
            raise ValueError(part)
        before = int(last or first)
        numbers += range(int(first), before + 1)
    return tuple(numbers)


def alike(numbers: Sequence[int]) -> Mapping[str, Sequence[str]]:
    """Return, for each parameter, the texts of its values in the parameter vectors with the given numbers."""
    every = [vectors()[n].values() for n in numbers]
    names = dict.fromkeys(name for values in every for name in values)
    return {name: list(dict.fromkeys(values[name] for values in every if name in values)) for name in names}
