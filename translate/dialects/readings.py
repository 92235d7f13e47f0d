"""Readings: named choices between meanings that the documents of a language leave open."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from lars.errors import LarsError
from translate.model.manner import Manner
from translate.model.query import Language

Readings = tuple[tuple[str, str], ...]
"""The chosen readings: pairs of a reading's name and the chosen value."""


OpenMeaning = tuple[str, Mapping[str, Mapping[str, object] | None]]
"""A meaning that documents leave open: a description, and the choices.

The description names the document. Each choice has the changes to a language's manner; None marks a choice
without a translation. The first choice is the default, unless a language has its own default. An open meaning
without languages concerns data and not queries.
"""
_LEAVES_ELEMENTS: Final = (
    "a stream of LARS contains triples with times, but not which triples form one element; "
    "use a trace whose elements have a time and one triple each"
)
UNVERSIONED: Final = ("messages", "unversioned")
"""The reading that accepts message logs without a version."""
READINGS: Final[Mapping[str, OpenMeaning]] = {
    "range-alone": (
        "LARS (2015) reads [RANGE L] as sliding, newer engines as tumbling",
        {"sliding": {"tumbles": False}, "tumbling": {"tumbles": True}},
    ),
    "grain": (
        "[NOW] of CQELS 2 is one element, and in LARS one time point",
        {"time-point": {}, "message": None, "triple": None},
    ),
    "count": (
        "the document of CQELS 2 counts triples, its tests elements",
        {"triples": {}, "elements": None},
    ),
    "anchor": (
        "two classes of CQELS 2 anchor PAST and FUTURE differently",
        {"grid": {}, "element": {"anchored": True}},
    ),
    "log": (
        "Janus does not say if START and END show what follows the evaluation",
        {"whole": {}, "causal": {"causal": True}},
    ),
    "offset": (
        "the specification, code and plans of Janus read OFFSET differently",
        {"each": {}, "step": {"offset": "step"}, "end": {"offset": "end"}},
    ),
    "messages": (
        "W3C tests reject MESSAGE without VERSION, Kolibrie accepts it",
        {"versioned": {}, "unversioned": {}},
    ),
}


def check_reading(name: str, value: str) -> None:
    """Raise LarsError for an unknown reading, an unknown value, or a value without a translation."""
    if name not in READINGS:
        raise LarsError(f'unknown reading "{name}"; use {", ".join(READINGS)}')
    _, choices = READINGS[name]
    if value not in choices:
        raise LarsError(f'unknown value "{value}" of the reading {name}; use {" or ".join(choices)}')
    if choices[value] is None:
        raise LarsError(f"no translation for it: {_LEAVES_ELEMENTS}")


def manner_of(language: Language, readings: Readings) -> Manner:
    """Return the syntax and meanings of a language (its `Manner`), changed by the chosen readings.

    >>> manner_of(Language.CQELS2, (("range-alone", "sliding"),)).tumbles
    False
    """
    manner = language.manner
    for name, value in readings:
        _, choices = READINGS[name]
        if name in language.manner.leaves_open:
            manner = replace(manner, **choices[value] or {})  # type: ignore[arg-type]  # by name
    return manner


def concerns_queries(name: str) -> bool:
    """Return whether a reading concerns queries and not data."""
    return any(name in language.manner.leaves_open for language in Language)
