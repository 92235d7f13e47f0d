"""A specification with one parameter changed: each is a fault that an engine may have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agreement.specifications.specification import Empty, Slide, Specification, Strategy, Tick
from lars.windows import Bounds
from translate.profiles import Semantics
from translate.query import ToStream

_ROWS: Final = {
    Semantics.SET: "equal rows of prediction and record counted once",
    Semantics.BAG: "each of equal rows counted",
}


@dataclass(frozen=True, slots=True)
class Variation:
    """A specification that differs from another in one parameter, which `says` names in words."""

    says: str
    specification: Specification


def variations(of: Specification) -> Iterator[Variation]:
    """Yield the specification with each other value of each of its parameters, one at a time."""
    reports = (
        {Strategy.WINDOW_CLOSE},
        {Strategy.WINDOW_CLOSE, Strategy.NON_EMPTY},
        {Strategy.CONTENT_CHANGE},
    )
    changes: dict[str, tuple[object, ...]] = {
        "report": tuple(map(frozenset, reports)),
        "bounds": tuple((bounds,) for bounds in Bounds),
        "slide": tuple(Slide),
        "tick": (Tick.INSTANT, Tick.TRIPLE),
        "stream": tuple(ToStream),
        "empty": tuple(Empty),
        "rows": tuple(Semantics),
    }
    for name, values in changes.items():
        now = getattr(of, name)
        for value in values:
            if value != now and not (name == "bounds" and set(_several(value)) <= set(of.bounds)):
                says = _ROWS[value] if isinstance(value, Semantics) else f"{name} = {_written(value)}"
                yield Variation(says, of.model_copy(update={name: value}))


def _several(value: Any) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


def _written(value: Any) -> str:
    if isinstance(value, frozenset | tuple):
        return " and ".join(sorted(str(one.value) for one in value))
    return str(value.value)
