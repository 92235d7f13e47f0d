"""The grammars of the query languages, and messages for keywords of other languages."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, get_args

from lars.durations import NANOSECONDS
from lars.errors import PlacedError
from lars.language.stream import ToStream
from translate.dialects.windows import DAYS, UNITS
from translate.errors import QueryError, UnsupportedError
from translate.model.query import Language
from translate.sparql import Document, Token, is_name
from translate.sparql.syntax_tree import Grammar, Terminal


def _terminal(pattern: str, title: str) -> Terminal:
    return re.compile(pattern, re.IGNORECASE | re.ASCII), title


def _units(units: Iterable[str], title: str) -> Terminal:
    longest = "|".join(sorted(units, key=len, reverse=True))
    return _terminal(rf"(?:{longest})(?![A-Za-z_])", f"a unit of time: {title}")


SIZE: Final = _terminal(r"[0-9]{1,18}(?![0-9.])", "an integer of at most 18 digits")
UNIT: Final = _units(NANOSECONDS, ", ".join(NANOSECONDS))
_NAME: Final = _terminal(r"(?!(?:AS|COMPUTED|EVERY)\b)(?:<[^<>\s]*>|[\w.:/?-]+)", "the name of the query")
_DASH: Final = _terminal("-", "-")
_ISO: Final = _terminal(r"P[\w.]*", "a duration as in PT10S")
_WAITING: Final = _terminal(
    r"steal|wait|\(\s*timeout\s*=\s*\w+\s*,\s*fallback\s*=\s*(?:steal|drop)\s*\)",
    "steal, wait or (timeout=.., fallback=..)",
)


_OPERATORS: Final = frozenset(get_args(ToStream))
CLAUSE: Final = "FROM NAMED WINDOW <name> ON <iri> [RANGE duration STEP duration]"
_WINDOW_CLAUSES: Final = frozenset(
    ("REGISTER", "FROM WINDOW", "a WINDOW block", *_OPERATORS, *map("REGISTER {}".format, _OPERATORS))
)
_WINDOW_TERMINALS: Final = {
    "size": SIZE, "unit": UNIT, "name": _NAME, "dash": _DASH, "iso": _ISO, "waiting": _WAITING,
}  # fmt: skip
_UNDER: Final = {"UNDER": ("UNDER ENTAILMENT REGIME", "REGISTER STREAM <iri> AS")}
_HERE: Final = "translate.dialects"
_KOLIBRIE: Final = "queries of Kolibrie: REGISTER RSTREAM <iri> AS SELECT .. FROM NAMED WINDOW .. ON .. [..]"
_JANUS: Final = "windows ON STREAM and ON LOG, joined in WHERE, and subqueries over them"
_CQELS2: Final = "SELECT, ASK, CONSTRUCT and DESCRIBE over windows of streams"
_DIALECTS: Final[Mapping[Language, Grammar]] = {
    Language.CSPARQL: Grammar(
        _HERE,
        "csparql",
        {"size": SIZE, "unit": UNIT, "name": _NAME},
        window="[RANGE 30s SLIDE 5s]",
        windows="stand in FROM STREAM <iri> [window]",
        clauses=frozenset(("REGISTER", "FROM STREAM")),
    ),
    Language.CQELS: Grammar(
        _HERE,
        "cqels",
        {"size": SIZE, "unit": UNIT},
        window="[RANGE 30s SLIDE 5s]",
        windows="stand in the pattern: STREAM <iri> [window] { .. }",
        clauses=frozenset(("a STREAM block",)),
    ),
    Language.SPARQLSTREAM: Grammar(
        _HERE,
        "sparqlstream",
        {
            "size": SIZE,
            "unit": _units(UNITS, "MS, S, SECONDS, MIN, MINUTES, HR, HOURS or DAY"),
            "dash": _DASH,
        },
        window="[NOW - 10 S SLIDE 5 S]",
        windows="stand in FROM NAMED STREAM <iri> [window] or STREAM <iri> [window] { .. }",
        clauses=frozenset(("FROM STREAM", "a STREAM block", *_OPERATORS)),
        refused={unit: (f"the unit {unit}", DAYS) for unit in ("MONTH", "MONTHS", "YEAR", "YEARS")},
    ),
    Language.RSPQL: Grammar(
        _HERE,
        "rspql",
        _WINDOW_TERMINALS,
        window="[RANGE PT10S STEP PT5S]",
        windows="stand in FROM NAMED WINDOW <name> ON <iri> [window], read by WINDOW <name> { .. }",
        clauses=_WINDOW_CLAUSES,
        refused=_UNDER,
    ),
    Language.KOLIBRIE: Grammar(
        _HERE,
        "living/kolibrie",
        {
            **_WINDOW_TERMINALS,
            "operator": _terminal(
                r"(?!(?:RSTREAM|ISTREAM|DSTREAM|STREAM|QUERY)\b)[a-z]\w*(?=\s+<)", "RSTREAM"
            ),
            "word": _terminal(r"(?!STREAM\b)[a-z_][\w-]*(?![\w:-])", "a name"),
        },
        window="[RANGE 10 STEP 2]",
        windows="stand in FROM NAMED WINDOW :name ON :stream [window], read by WINDOW :name { .. }",
        clauses=_WINDOW_CLAUSES,
        refused={
            word: (f"{construct} of Kolibrie", _KOLIBRIE)
            for word, construct in {
                **{word: word for word in ("RULE", "RETRIEVE", "MODEL", "TRAIN", "INSERT", "DELETE", "PROB")},
                "ML": "ML.PREDICT",
                "NEURAL": "NEURAL RELATION",
            }.items()
        },
        sign=re.compile(
            r"\b(?:RULE|RETRIEVE|REPORT|TICK|NEURAL|ML\s*\.)\b|\bWITH\s+(?:POLICY|TIMESTAMP)\b"
            r"|\bREGISTER\s+STREAM\s+\S+\s+(?:FROM|WITH)\b"
            r"|\bON\s+(?!STREAM\b)\S+\s*\[\s*(?:(?:SLIDING|TUMBLING)\s+P?T?[0-9]|RANGE\s+[0-9]+\s*(?:STEP|SLIDE|\]))",
            re.IGNORECASE | re.ASCII,
        ),
    ),
    Language.JANUS: Grammar(
        _HERE,
        "living/janus",
        _WINDOW_TERMINALS,
        window="[RANGE 10000 STEP 5000]",
        windows="stand in FROM NAMED WINDOW <name> ON STREAM <iri> or ON LOG <iri>, "
        "read by WINDOW <name> { .. }",
        clauses=_WINDOW_CLAUSES,
        refused={
            "USING": ("USING BASELINE of Janus", _JANUS),
            "DEFINE": ("DEFINE BASELINE of Janus", _JANUS),
        },
        sign=re.compile(
            r"\bON\s+LOG\b|\[\s*(?:START|OFFSET)\b|\b(?:USING|DEFINE)\s+BASELINE\b", re.IGNORECASE | re.ASCII
        ),
    ),
    Language.SPARQ: Grammar(
        _HERE,
        "living/sparq",
        _WINDOW_TERMINALS,
        window="[RANGE PT10S STEP PT5S]",
        windows="stand in FROM NAMED WINDOW <name> ON <iri> RANGE duration, read by WINDOW <name> { .. }",
        clauses=_WINDOW_CLAUSES,
        refused={**_UNDER, "NOW": ("a window from NOW of sparq", "RANGE duration STEP duration")},
        sign=re.compile(
            r"\bON\s+\S+\s+(?:RANGE|TUMBLING|SLIDING|ROWS)\b|\b(?:T0|MAXDELAY)\b"
            r"|\}[^{}]*\bFROM\s+NAMED\s+WINDOW\b|\[\s*(?:TUMBLING|SLIDING)\s+RANGE\b",
            re.IGNORECASE | re.ASCII,
        ),
    ),
    Language.CQELS2: Grammar(
        _HERE,
        "living/cqels2",
        {
            "size": SIZE,
            "unit": UNIT,
            "later": _terminal(r"(?:ASC|DESC)\b(?!\s*\()", "ASC or DESC"),
            "word": _terminal(r"(?!STREAM\s+[a-z_])[a-z_][\w-]*(?![\w:])", "the name of a stream"),
        },
        window="[RANGE 30s STEP 5s]",
        windows="stand in FROM STREAM name [window], read by STREAM name { .. }",
        clauses=_WINDOW_CLAUSES | {"FROM STREAM", "a STREAM block"},
        refused={
            "MATCH": ("MATCH .. RETURN of CypherQL, a query of property graphs", _CQELS2),
            "SEQ": ("SEQ, which leaves the order of elements with one time open", _CQELS2),
        },
        sign=re.compile(
            r"\b(?:FROM|ON)\s+STREAM\s+[a-z_][\w-]*\s*(?:\[|WHERE\b|\{)|\bSTREAM\s+[a-z_][\w-]*\s*[{[]|\bMATCH\s*\("
            r"|\bON\s+[a-z_][\w-]*\s*\[\s*(?:NOW|SLIDE|PAST|FUTURE|TRIPLES|RANGE\s+[0-9]+\s*[a-z])|\bFROM\s+STATIC\b"
            r"|\bSEQ\s*\(",
            re.IGNORECASE | re.ASCII,
        ),
        dashes=True,
        foreign=frozenset(("MATCH",)),
    ),
}
TITLES: Final = {language: language.manner.title for language in Language}


def _clause_at(document: Document, token: Token) -> str:
    """Return the messages' name for the streaming clause that begins at a token, or "" for another token."""
    before, _, following = document.around(token)
    word = token.text.upper()
    if token.is_word("REGISTER", *_OPERATORS):
        return f"REGISTER {word}" if before.is_word("REGISTER") else word
    if not token.is_word("STREAM", "WINDOW"):
        return ""
    if before.is_word("FROM", "NAMED"):
        return f"FROM {word}"
    return f"a {word} block" if is_name(following) or following.kind == "a variable" else ""


def clauses_in(document: Document, language: Language) -> int:
    """Return the number of tokens in a text at which a streaming clause of the language seems to begin."""
    return sum(_clause_at(document, token) in GRAMMARS[language].clauses for token in document.tokens)


def _explain(language: Language, document: Document, token: Token) -> PlacedError | None:
    """Return the error at a token that only other languages accept; None at any other token."""
    dialect = GRAMMARS[language]
    token = next((one for one in document.tokens if one.is_word(*dialect.foreign)), token)
    place = document.place(token.start)
    if token.kind == "a keyword" and (refused := dialect.refused.get(token.text.upper())):
        return UnsupportedError(refused[0], place, covered=refused[1])
    clause = _clause_at(document, token)
    theirs = [
        TITLES[other]
        for other in GRAMMARS
        if GRAMMARS[other].sign is None and clause in GRAMMARS[other].clauses
    ]
    if not theirs or clause in dialect.clauses:
        return None
    if clause == "a STREAM block" and document.tokens[document.index_from(token.start) + 2].is_word("{"):
        construct = "a STREAM block whose window stands in FROM STREAM, as in CQELS 2, where names are words"
        covered = f"CQELS, whose windows {GRAMMARS[Language.CQELS].windows}"
        return UnsupportedError(construct, place, covered=covered)
    title = TITLES[language]
    problem = f"found {clause}, which is {' and '.join(theirs)}, in a query of {title}"
    return QueryError(place, f"{problem}; the windows of {title} {dialect.windows}")


GRAMMARS: Final = {
    language: replace(grammar, explain=partial(_explain, language)) for language, grammar in _DIALECTS.items()
}
"""The grammar of each query language."""
