"""Describe Janus: windows of streams and of logs, in milliseconds."""

from typing import Final

from lars.durations import MILLISECOND
from translate.model.manner import REGISTER, WINDOW_CLAUSES, WINDOW_TERMINALS, Manner, rejections, sign

_QUERIES: Final = "windows ON STREAM and ON LOG, joined in WHERE, and subqueries over them"
MANNER: Final = Manner(
    title="Janus",
    windows="[RANGE n STEP n], [START n END n] and [OFFSET n RANGE n STEP n]",
    folder="living/",
    terminals=WINDOW_TERMINALS,
    example="[RANGE 10000 STEP 5000]",
    place="are written in FROM NAMED WINDOW <name> ON STREAM <iri> or ON LOG <iri>, read by "
    "WINDOW <name> { .. }",
    clauses=WINDOW_CLAUSES,
    refused=rejections(("USING", "DEFINE"), "{} BASELINE of Janus", _QUERIES),
    sign=sign(r"\bON\s+LOG\b|\[\s*(?:START|OFFSET)\b|\b(?:USING|DEFINE)\s+BASELINE\b"),
    units={"ms": ""},
    templates={
        "range": ("[RANGE {length} STEP {slide}]",),
        "closed": ("[OFFSET {length} RANGE {rest} STEP {every}]",),
        "span": ("[START {start} END {end}]",),
    },
    block="WINDOW {label}",
    forms=("SELECT",),
    header=(REGISTER,),
    reports=("RSTREAM",),
    names_windows=True,
    ends="high-open",
    bare=MILLISECOND,
    leaves_open=("log", "offset"),
)
