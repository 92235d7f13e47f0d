"""Describe RSP-QL: windows with names, in the syntax of RSP4J, RSP-JS, rsp-rs and the drafts."""

from typing import Final

from lars.durations import MILLISECOND
from translate.model.manner import ISO, REGISTER, UNDER, WINDOW_CLAUSES, WINDOW_TERMINALS, Manner

MANNER: Final = Manner(
    title="RSP-QL",
    windows="[RANGE n STEP n], [FROM NOW-n TO NOW-n STEP n] and [ELEMENTS n]",
    terminals=WINDOW_TERMINALS,
    example="[RANGE PT10S STEP PT5S]",
    place="are written in FROM NAMED WINDOW <name> ON <iri> [window], read by WINDOW <name> { .. }",
    clauses=WINDOW_CLAUSES,
    refused=UNDER,
    units=ISO,
    templates={
        # The drafts write windows from NOW: RSP4J has RANGE alone.
        "range": ("[RANGE {length}( STEP {slide})]", "[FROM NOW-{length} TO NOW-{until}( STEP {slide})]"),
        "rows": ("[ELEMENTS {count}]",),
        "now": ("[FROM NOW TO NOW]",),
    },
    block="WINDOW {label}",
    merged="FROM WINDOW ON",  # of the drafts: RSP4J has no window in the default graph
    # The drafts register queries and streams, and write the operator behind SELECT.
    header=(REGISTER, "REGISTER {kind} {iri}( COMPUTED EVERY {every}) AS"),
    operators_at="behind",
    operators_of=("SELECT", "ASK", "CONSTRUCT", "DESCRIBE"),
    names_windows=True,
    bare=MILLISECOND,
)
