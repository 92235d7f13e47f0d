"""A small timeline without a script: lanes with marks over time, one period shaded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.comparing.agree.narrowing import evenly
from agreement.documents.outputs import Json

_TICKS: Final = 5
_MOST: Final = 1_000
"""Of more marks of a lane some are drawn."""


@dataclass(frozen=True, slots=True)
class Lane:
    """What is marked over time: each mark with its time, its kind (a class of the style), its words."""

    name: str
    marks: Sequence[tuple[float, str, str]]


def lanes_json(
    title: str,
    lanes: Sequence[Lane],
    ends: tuple[float, float],
    text: Callable[[float], str] = str,
    period: tuple[float, float] | None = None,
) -> Json:
    """Return a timeline between two ends as the template draws it: places in percent."""
    first, last = ends
    begin, end = period or ends
    span = max(last - first, 1)

    def place(t: float) -> float:
        return round((t - first) / span * 100, 2)

    return {
        "title": title,
        "said": [],
        "lanes": [
            {
                "name": one.name,
                "marks": [
                    {"x": place(t), "kind": kind, "said": f"{text(t)}: {said}"}
                    for t, kind, said in evenly(list(one.marks), _MOST)
                ],
            }
            for one in lanes
        ],
        "band": None if period is None else {"x": place(begin), "width": place(end) - place(begin)},
        "ticks": [{"x": place(t), "label": text(t)} for t in _ticks(first, last)],
    }


def _ticks(first: float, last: float) -> Iterable[float]:
    if last <= first:
        return [first]
    step = max(1, -(-int(last - first) // _TICKS))
    return [first + number * step for number in range(_TICKS + 1) if first + number * step <= last]
