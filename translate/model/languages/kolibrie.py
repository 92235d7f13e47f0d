"""Describe Kolibrie: windows with names, and integers that count seconds."""

from typing import Final

from lars.durations import SECOND
from translate.model.manner import (
    REGISTER,
    WINDOW_CLAUSES,
    WINDOW_TERMINALS,
    Manner,
    rejections,
    sign,
    terminal,
)

_QUERIES: Final = "queries of Kolibrie: REGISTER RSTREAM <iri> AS SELECT .. FROM NAMED WINDOW .. ON .. [..]"
MANNER: Final = Manner(
    title="Kolibrie",
    windows="[RANGE n STEP n]",
    folder="living/",
    terminals={
        **WINDOW_TERMINALS,
        "operator": terminal(r"(?!(?:RSTREAM|ISTREAM|DSTREAM|STREAM|QUERY)\b)[a-z]\w*(?=\s+<)", "RSTREAM"),
        "word": terminal(r"(?!STREAM\b)[a-z_][\w-]*(?![\w:-])", "a name"),
    },
    example="[RANGE 10 STEP 2]",
    place="are written in FROM NAMED WINDOW :name ON :stream [window], read by WINDOW :name { .. }",
    clauses=WINDOW_CLAUSES,
    refused={
        **rejections(
            ("RULE", "RETRIEVE", "MODEL", "TRAIN", "INSERT", "DELETE", "PROB"), "{} of Kolibrie", _QUERIES
        ),
        "ML": ("ML.PREDICT of Kolibrie", _QUERIES),
        "NEURAL": ("NEURAL RELATION of Kolibrie", _QUERIES),
    },
    sign=sign(
        r"\bRULE\s*[:<]|\bRETRIEVE\s+(?:SOME|EVERY)\b|\bNEURAL\s+RELATION\b|\bML\s*\.\s*PREDICT\b"
        r"|\bREPORT\s+(?:ON_WINDOW_CLOSE|ON_CONTENT_CHANGE|NON_EMPTY_CONTENT|PERIODIC)\b"
        r"|\bTICK\s+(?:TIME|TUPLE|BATCH)_DRIVEN\b|\bWITH\s+(?:POLICY|TIMESTAMP)\b"
        r"|\bREGISTER\s+STREAM\s+\S+\s+(?:FROM|WITH)\b"
        r"|\bON(?:\s+(?!STREAM\b)|(?=[<?]))\S+\s*\[\s*(?:(?:SLIDING|TUMBLING)\s+P?T?[0-9]"
        r"|RANGE\s+(?:[0-9]+\s*(?:,|STEP|SLIDE|\])|P[\w.]+\s+STEP\s+[0-9]))"
    ),
    # Integers and durations such as PT10S are the same in Kolibrie, but PT10S is recognized as RSP-QL.
    units={"s": ""},
    templates={"range": ("[RANGE {length} STEP {slide}]",)},
    block="WINDOW {label}",
    label=":{}",
    forms=("SELECT",),
    header=(REGISTER,),
    header_always=True,
    names_windows=True,
    ends="high-open",
    bare=SECOND,
    tumbles=True,
    texts=":",
    leaves_open=("range-alone", "numbers"),
)
