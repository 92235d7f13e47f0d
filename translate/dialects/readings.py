"""Readings: named choices between meanings that the documents of a language leave open."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from lars.durations import MILLISECOND
from lars.errors import LarsError
from translate.model.manner import Manner
from translate.model.query import Language

Readings = tuple[tuple[str, str], ...]
"""The chosen readings: pairs of a reading's name and the chosen value."""


OpenMeaning = tuple[str, Mapping[str, Mapping[str, object]]]
"""A meaning that documents leave open: a description, and the choices.

The description names the document. Each choice contains its changes to the `Manner` of a language. The first
choice is the default, unless a language has its own default. An open meaning without languages concerns data
and not queries.
"""
UNVERSIONED: Final = ("messages", "unversioned")
"""The reading that accepts message logs without a version."""
DERIVED: Final = "derived"
"""The reading of windows over derived atoms in programs of I-DLV-sr."""
READINGS: Final[Mapping[str, OpenMeaning]] = {
    "range-alone": (
        "LARS (2015) reads [RANGE L] as sliding, newer engines as tumbling",
        {"sliding": {"tumbles": False}, "tumbling": {"tumbles": True}},
    ),
    "grain": (
        "[NOW] of CQELS 2 is one element, and in LARS one time point",
        {"time-point": {}, "message": {"grain": "message"}, "triple": {"grain": "triple"}},
    ),
    "count": (
        "the document of CQELS 2 counts triples, its tests elements",
        {"triples": {}, "elements": {"elements": True}},
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
    "numbers": (
        "engines of Kolibrie compare the numbers of a window with timestamps, which have no unit",
        {"seconds": {}, "milliseconds": {"bare": MILLISECOND}},
    ),
    DERIVED: (
        "windows of I-DLV-sr show atoms that were derived before, windows of LARS do not",
        {"persistent": {}, "present": {}},
    ),
    "messages": (
        "W3C tests reject MESSAGE without VERSION, Kolibrie accepts it",
        {"versioned": {}, "unversioned": {}},
    ),
}


def check_reading(name: str, value: str) -> None:
    """Raise LarsError for an unknown reading or an unknown value."""
    if name not in READINGS:
        raise LarsError(f'unknown reading "{name}"; use {", ".join(READINGS)}')
    _, choices = READINGS[name]
    if value not in choices:
        raise LarsError(f'unknown value "{value}" of the reading {name}; use {" or ".join(choices)}')


def manner_of(language: Language, readings: Readings) -> Manner:
    """Return the syntax and meanings of a language as a `Manner`, changed by the chosen readings.

    >>> manner_of(Language.CQELS2, (("range-alone", "sliding"),)).tumbles
    False
    """
    manner = language.manner
    for name, value in readings:
        _, choices = READINGS[name]
        if name in language.manner.leaves_open:
            manner = replace(manner, **choices[value])  # type: ignore[arg-type]  # by name
    return manner


def concerns_queries(name: str) -> bool:
    """Return whether the reading `name` affects the meaning of queries and not the meaning of input data."""
    return any(name in language.manner.leaves_open for language in Language)
