"""Describe SPARQLstream: windows between two times before now."""

from typing import Final

from lars.durations import NANOSECONDS
from translate.model.manner import DASH, DAYS, OPERATORS, SIZE, Manner, rejections, unit_of_time

_LENGTHS: Final = {
    **NANOSECONDS,
    **dict.fromkeys(("sec", "second", "seconds"), NANOSECONDS["s"]),
    **dict.fromkeys(("minute", "minutes"), NANOSECONDS["m"]),
    **dict.fromkeys(("hr", "hour", "hours"), NANOSECONDS["h"]),
    **dict.fromkeys(("day", "days"), NANOSECONDS["d"]),
}
MANNER: Final = Manner(
    title="SPARQLstream",
    windows="[NOW - n TO NOW - n SLIDE n] and [TRIPLES n]",
    terminals={
        "size": SIZE,
        "unit": unit_of_time(_LENGTHS, "MS, S, SECONDS, MIN, MINUTES, HR, HOURS or DAY"),
        "dash": DASH,
    },
    example="[NOW - 10 S SLIDE 5 S]",
    place="are written in FROM NAMED STREAM <iri> [window] or STREAM <iri> [window] { .. }",
    clauses=frozenset(("FROM STREAM", "a STREAM block", *OPERATORS)),
    refused=rejections(("MONTH", "MONTHS", "YEAR", "YEARS"), "the unit {}", DAYS),
    lengths=_LENGTHS,
    units={"d": " DAY", "h": " HR", "m": " MIN", "s": " S", "ms": " MS"},
    templates={
        "range": ("[NOW - {length}( TO NOW - {until})( SLIDE {slide})]",),
        "rows": ("[TRIPLES {count}]",),
        "now": ("[NOW]",),
    },
    merged="FROM NAMED STREAM",
    operators_at="behind",
    merges=True,
    empty_group="unbound average",
    leaves_open=(),
)
