"""The parameter vectors of RSP-QL in a suite: the possible choices of an engine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from typing import Final, get_args

from agreement.engines.specifications import Empty, Specification, Strategy, Tick
from agreement.engines.specifications.parameters import Combination
from agreement.engines.specifications.reporting import CLOCKED
from lars.durations import Duration
from lars.language.stream import ToStream
from lars.language.windows import Bounds
from translate.model.query import Language

PERIOD: Final = 3
"""The period of vectors that report periodically, in time points."""
ALIGNED: Final = "aligned"
FIRST: Final = "first"
FIRST_OF_STREAM: Final = "own"
FIRST_ALIGNED: Final = "first-aligned"
STREAM_ALIGNED: Final = "own-aligned"
NAMED_STARTS: Final = (ALIGNED, FIRST, FIRST_ALIGNED, FIRST_OF_STREAM, STREAM_ALIGNED)
Start = int | str
"""t0 in time points; A/B: A of the first window, B of the second, and so on in turns.

ALIGNED: windows close at multiples of β; FIRST: the first element's time; FIRST_OF_STREAM: that of the
first element of the window's own stream; FIRST_ALIGNED, STREAM_ALIGNED: windows close at that time and every
β before and after, as if they had always been there.
"""

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
"""Those by which a window begins with its own stream."""
STARTS: Final[tuple[Start, ...]] = (
    *(0, ALIGNED, FIRST, FIRST_ALIGNED, 1, 2, 3, FIRST_OF_STREAM, STREAM_ALIGNED),
    *(f"{one}/{other}" for one in _POINTS for other in _POINTS if one != other),
)
_BOUNDS: Final = (Bounds.LOW_OPEN, Bounds.HIGH_OPEN, Bounds.CLOSED)
_EMPTY: Final[tuple[Empty, ...]] = ("silent", "reported")
_TICKS: Final[tuple[Tick, ...]] = ("triple", "instant")
_COMBINATIONS: Final[tuple[Combination, ...]] = ("any", "all")


@dataclass(frozen=True, slots=True)
class ParameterVector:
    """The open choices of RSP-QL: report, bounds, t0, empty answers, tick, combination."""

    report: frozenset[Strategy]
    bounds: Bounds
    start: Start
    empty: Empty
    tick: Tick
    combination: Combination
    timing: int = field(compare=False)
    """The number of what decides when a single window reports, whenever it begins."""
    showing: int = field(compare=False)
    """The number of what decides what a window shows at a tick, whenever it begins."""

    @property
    def by_clock(self) -> bool:
        """Whether the clock triggers reports, not arrivals."""
        return bool(self.report & CLOCKED)

    @property
    def unlikely(self) -> bool:
        """Whether the vector is unlikely: its windows have different t0, or it reports with a period of 3."""
        shared = (ALIGNED, FIRST, FIRST_ALIGNED)
        return _P in self.report or (isinstance(self.start, str) and self.start not in shared)

    @lru_cache(maxsize=4096)  # noqa: B019 - vectors live as long as the program
    def specification(self, language: Language, unit: Duration) -> Specification:
        """Return the specification of the vector, for a language's queries with time points of `unit`."""
        cqels = language is Language.CQELS
        return Specification.model_validate(
            {
                "name": "suite",
                "report": sorted(self.report),
                "combination": self.combination,
                "period": str(Duration(PERIOD * unit.nanoseconds)) if _P in self.report else None,
                "tick": self.tick,
                "bounds": self.bounds.value,
                "slide": "ignored" if cqels else "query",
                "stream": (ToStream.ISTREAM if cqels else ToStream.RSTREAM).value,
                "empty": self.empty,
            }
        )

    def values(self) -> Mapping[str, str]:
        """Return the values of the vector in words, by the names of parameters."""
        result = {
            "report": " and ".join(strategy for strategy in get_args(Strategy) if strategy in self.report),
            "bounds": self.bounds.value,
            "t0": str(self.start),
            "empty": self.empty,
        }
        if not self.by_clock:
            result["tick"] = self.tick
        return result | {"combination": self.combination}

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.values().items())


@cache
def vectors() -> tuple[ParameterVector, ...]:
    """Return every vector of a suite, in the order of their numbers: usual ones first."""
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
    """Return the numbers of the vectors that are admissible for queries of a language.

    CQELS has no slide and reports at arrivals; windows of C-SPARQL and SPARQLstream report at closes.
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


@lru_cache(maxsize=256)
def alike_by_starts(
    language: Language, places: tuple[int, ...], *, several: bool
) -> tuple[tuple[ParameterVector, tuple[int, ...]], ...]:
    """Return representative vectors, each with the numbers of equivalent ones.

    Args:
        language: The language of the query. places: For each of `STARTS` a number; windows begin alike by
        starts with the same number. several: Whether several windows are combined.
    """
    place = dict(zip(STARTS, places, strict=True))
    groups: dict[object, list[int]] = {}
    for number in numbers_of(language):
        vector = vectors()[number]
        combined = several and vector.combination == "all"
        groups.setdefault((vector.timing, combined, vector.empty, place[vector.start]), []).append(number)
    return tuple((vectors()[numbers[0]], tuple(numbers)) for numbers in groups.values())


def declared_vectors(of: Specification, start: Start | None, bounds: Bounds | None) -> frozenset[int]:
    """Return the numbers of the vectors that fit a specification; without a start time, for any t0."""
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
    """Return ascending numbers as ranges.

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


def of_ranges(text: str) -> Iterator[int]:
    """Yield the numbers of ranges; raises ValueError for a text that names no vectors, each once, in order.

    >>> list(of_ranges("0-2,7"))
    [0, 1, 2, 7]
    """
    before = -1
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not before < int(first) <= int(last or first) < len(vectors()):
            raise ValueError(part)
        before = int(last or first)
        yield from range(int(first), before + 1)


def alike(numbers: Sequence[int]) -> Mapping[str, Sequence[str]]:
    """Return the values of each parameter in some vectors, as words."""
    every = [vectors()[n].values() for n in numbers]
    names = dict.fromkeys(name for values in every for name in values)
    return {name: list(dict.fromkeys(values[name] for values in every if name in values)) for name in names}
