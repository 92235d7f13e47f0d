"""Describe C-SPARQL: windows in FROM STREAM, which all enter the default graph."""

from typing import Final

from translate.model.manner import LETTERS, NAME, SIZE, UNIT, Manner

MANNER: Final = Manner(
    title="C-SPARQL",
    windows="[RANGE n STEP n] and [RANGE TRIPLES n]",
    terminals={"size": SIZE, "unit": UNIT, "name": NAME},
    example="[RANGE 30s SLIDE 5s]",
    place="are written in FROM STREAM <iri> [window]",
    clauses=frozenset(("REGISTER", "FROM STREAM")),
    suffix=".csparql",
    units=LETTERS,
    templates={"range": ("[RANGE {length} STEP {slide}]",), "rows": ("[RANGE TRIPLES {count}]",)},
    block="",
    header=("REGISTER {kind} {name}( COMPUTED EVERY {every}) AS",),
    header_first=True,
    header_always=True,
    merged="FROM STREAM",
    merges=True,
)
