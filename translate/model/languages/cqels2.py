"""Describe CQELS 2: streams whose names are words, and windows that look ahead."""

from typing import Final

from translate.model.manner import LETTERS, SIZE, UNIT, WINDOW_CLAUSES, Manner, sign, terminal

_QUERIES: Final = "SELECT, ASK, CONSTRUCT and DESCRIBE over windows of streams"
MANNER: Final = Manner(
    title="CQELS 2",
    windows="[NOW], [TRIPLES n], [RANGE n STEP n] and [PAST n FUTURE n STEP n]",
    folder="living/",
    terminals={
        "size": SIZE,
        "unit": UNIT,
        "later": terminal(r"(?:ASC|DESC)\b(?!\s*\()", "ASC or DESC"),
        "word": terminal(r"(?!STREAM\s+[a-z_])[a-z_][\w-]*(?![\w:])", "the name of a stream"),
    },
    example="[RANGE 30s STEP 5s]",
    place="are written in FROM STREAM name [window], read by STREAM name { .. }",
    clauses=WINDOW_CLAUSES | {"FROM STREAM", "a STREAM block"},
    refused={
        "MATCH": ("MATCH .. RETURN of CypherQL, a query of property graphs", _QUERIES),
        "SEQ": ("SEQ, which leaves the order of elements with one time open", _QUERIES),
    },
    foreign=frozenset(("MATCH",)),
    sign=sign(
        r"\b(?:FROM|ON)\s+STREAM\s+[a-z_][\w-]*\s*(?:\[|\{|(?:WHERE|NOW|RANGE|TRIPLES|SLIDE|PAST|FUTURE)\b)"
        r"|\bSTREAM\s+[a-z_][\w-]*\s*[{[]|\bMATCH\s*\(|\bFROM\s+STATIC\b|\bSEQ\s*\("
        r"|\bON\s+(?!STREAM\b)[a-z_][\w-]*\s*\[\s*(?:NOW|SLIDE|PAST|FUTURE|TRIPLES"
        r"|RANGE\s+[0-9]+\s*(?:ms|[smhd])(?![a-z_]))"
    ),
    dashes=True,
    units=LETTERS,
    templates={
        "range": ("[RANGE {length} STEP {slide}]", "[PAST {length} FUTURE {ahead} STEP {slide}]"),
        "low-open": ("[FUTURE {length} STEP {slide}]",),
        "rows": ("[TRIPLES {count}]",),
        "now": ("[NOW]",),
    },
    block="STREAM {word}",
    declares="FROM STREAM {word} {window}",
    named=("FROM NAMED WINDOW {label} ON STREAM {word} {window}", "WINDOW {label}"),
    header=("REGISTER QUERY {word} AS",),
    operators_at="before",
    pushed="any",
    ends="high-open",
    tumbles=True,
    texts="",
    grid=True,
    raw_aggregates=True,
    leaves_open=("range-alone", "grain", "count", "anchor"),
)
