"""Describe sparq: windows that begin at T0 and are shown when they close."""

from typing import Final

from lars.durations import SECOND, Duration
from translate.model.manner import ISO, REGISTER, UNDER, WINDOW_CLAUSES, WINDOW_TERMINALS, Manner, sign

_VALUES: Final = r"\bVALUES\s*(?:[?$]\w*|\([?$\w\s]*\))\s*\{"
"""The beginning of VALUES, the only clause with braces after the pattern and the windows of a query."""
MANNER: Final = Manner(
    title="sparq",
    windows="[RANGE n STEP n T0 n] and [ROWS n]",
    folder="living/",
    terminals=WINDOW_TERMINALS,
    example="[RANGE PT10S STEP PT5S]",
    place="are written in FROM NAMED WINDOW <name> ON <iri> RANGE duration, read by WINDOW <name> { .. }",
    clauses=WINDOW_CLAUSES,
    refused={**UNDER, "NOW": ("a window from NOW of sparq", "RANGE duration STEP duration")},
    sign=sign(
        r"\bON(?:\s+\S+\s+|\s*<>\s*)(?:RANGE|TUMBLING|SLIDING|ROWS)\b|\b(?:T0|MAXDELAY)\s+P?T?[0-9]"
        rf"|\}}(?=[^{{}}]*(?:{_VALUES}[^{{}}]*\}}[^{{}}]*)?\Z)[^{{}}]*\bFROM\s+NAMED\s+WINDOW\b"
        r"|\[\s*(?:TUMBLING|SLIDING)\s+RANGE\b"
    ),
    units=ISO,
    # With brackets, a window without T0 is recognized as RSP-QL.
    templates={"range": ("RANGE {length} STEP {slide}( T0 {origin})",), "rows": ("ROWS {count}",)},
    block="WINDOW {label}",
    forms=("SELECT",),
    header=(REGISTER,),
    names_windows=True,
    ends="high-open",
    bare=SECOND,
    tumbles=True,
    opens=Duration(0),
    declares_all=True,
    has_static=False,
)
