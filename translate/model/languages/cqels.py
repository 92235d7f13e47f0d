"""Describe CQELS 1.x: windows in blocks of the pattern."""

from typing import Final

from translate.model.manner import SIZE, UNIT, Manner

MANNER: Final = Manner(
    title="CQELS",
    windows="[NOW], [ALL], [TRIPLES n] and [RANGE n SLIDE n]",
    terminals={"size": SIZE, "unit": UNIT},
    example="[RANGE 30s SLIDE 5s]",
    place="are written in the pattern: STREAM <iri> [window] { .. }",
    clauses=frozenset(("a STREAM block",)),
    suffix=".cqels",
    # The engine drops the last digit of h and d, so its longest unit is the minute.
    units={"m": "m", "s": "s", "ms": "ms", "ns": "ns"},
    templates={
        "range": ("[RANGE {length}( SLIDE {slide})]",),
        "rows": ("[TRIPLES {count}]",),
        "now": ("[NOW]",),
        "unbounded": ("[ALL]",),
    },
    pushed="always",
    empty_group="no row",
)
