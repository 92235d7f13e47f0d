"""Queries that tell rules of engine versions, and why C-SPARQL and CQELS differ."""

from typing import Final

from agreement.proving.hunting import QueryFamily
from agreement.proving.suite.catalogue.suite_queries import AB, ONE, TWO, A, S, SuiteQuery, T, suite_query
from lars.language.terms import XSD, Literal


def of_engines() -> tuple[SuiteQuery, ...]:
    """Return what engine versions get wrong and no query above asks: of what is free, or rarely written."""
    window = ((S, 4, 2, ONE),)
    total = "of nothing SUM is 0 (SPARQL 1.1, 18.5.1.3)"
    value = "a number in a pattern is a term: 1.0 is not 1 (Definition 18)"
    lines = "where a line ends is no matter (SPARQL 1.1, 19.3, white space)"
    tumbling = "TUMBLING is a slide as long as the window (Definition 13)"
    own = (
        (
            "csparql",
            _CSPARQL.format(
                select=A, streams="FROM STREAM <http://e/S> [RANGE 4s TUMBLING]\n", where="?s :p ?a ."
            ),
        ),
    )
    slide = (
        "a window shows what came in its width, whatever its slide (Definition 13; CQELS parses SLIDE alone)"
    )
    slid = (
        (
            "cqels",
            _CQELS.format(select=AB, where="STREAM :S [RANGE 4s SLIDE 6s] { ?s :p ?a . ?s :q ?b }"),
        ),
    )
    both = "alternatives that connect the same are two solutions, as of UNION (SPARQL 1.1, 18.4, ppeval)"
    texts = "GROUP_CONCAT joins the texts of values, of numbers too (SPARQL 1.1, 18.5.1.7)"
    rest = (
        ("sum-nothing", "aggregates", total, QueryFamily("sum-nothing", window, "(SUM(?a) AS ?n)")),
        (
            "number-term",
            "basic graph pattern",
            value,
            QueryFamily("number-term", ((S, 4, 2, "?s :p 1 ."),), "?s"),
        ),
        ("one-line", "windows", lines, QueryFamily("one-line", window, flat=True)),
        ("tumbling-word", "windows", tumbling, QueryFamily("tumbling-word", ((S, 4, 4, ONE),), texts=own)),
        (
            "alternative-both",
            "paths",
            both,
            QueryFamily("alternative-both", ((S, 4, 2, "?s :p|:q ?a ."),)),
        ),
        (
            "group-concat",
            "aggregates",
            texts,
            QueryFamily("group-concat", window, "?s (GROUP_CONCAT(?a) AS ?n)", group="GROUP BY ?s"),
        ),
        ("slide-word", "windows", slide, QueryFamily("slide-word", ((S, 4, 6, TWO),), AB, texts=slid)),
    )
    return tuple(suite_query("engines", feature, says, family) for _, feature, says, family in rest)


_NINE: Final = str(Literal("9", f"{XSD}integer"))
_CSPARQL: Final = "REGISTER QUERY q AS\nPREFIX : <http://e/>\nSELECT {select}\n{streams}WHERE {{ {where} }}\n"
_CQELS: Final = "PREFIX : <http://e/>\nSELECT {select}\nWHERE {{ {where} }}\n"


def of_agreement() -> tuple[SuiteQuery, ...]:
    """Return queries in C-SPARQL and CQELS that answer differently, for one cause each."""
    row = (f"<http://e/s> <http://e/p> {_NINE} .",)
    half = (f"<http://e/s> <http://e/q> {_NINE} .",)
    both = f"{ONE} MINUS {{ ?s :q ?b }}"
    rest: tuple[_Agreement, ...] = (
        (
            "silent",
            "silent period: the row still holds, and no input makes push say so",
            ((S, 6, 3),),
            ONE,
            "STREAM :S [RANGE 6s] { ?s :p ?a }",
            A,
            (),
        ),
        (
            "expired",
            "expired before the pull: push has reported what the window no longer shows",
            ((S, 1, 4),),
            ONE,
            "STREAM :S [RANGE 1s] { ?s :p ?a }",
            A,
            (),
        ),
        (
            "blocked",
            "blocked later: input that comes after the push takes the row back",
            ((S, 4, 4),),
            both,
            "STREAM :S [RANGE 4s] { ?s :p ?a } MINUS { STREAM :S [RANGE 4s] { ?s :q ?b } }",
            A,
            (),
        ),
        (
            "unblocked",
            "blocker expired: what blocked the row when push looked has left its window",
            ((S, 4, 4), (T, 2, 4)),
            both,
            "STREAM :S [RANGE 4s] { ?s :p ?a } MINUS { STREAM :T [RANGE 2s] { ?s :q ?b } }",
            A,
            (),
        ),
        (
            "merged",
            "merged sources: C-SPARQL joins a streamed triple with a static one",
            ((S, 4, 4),),
            TWO,
            "STREAM :S [RANGE 4s] { ?s :p ?a . ?s :q ?b }",
            AB,
            half,
        ),
        (
            "static-alone",
            "static only: C-SPARQL answers from static data, CQELS from the stream",
            ((S, 4, 4),),
            ONE,
            "STREAM :S [RANGE 4s] { ?s :p ?a }",
            A,
            row,
        ),
        (
            "pivot",
            "hidden by the pivot: with SLIDE a window ends where the slide did, here CQELS ignores it",
            ((S, 4, 4),),
            ONE,
            "STREAM :S [RANGE 4s SLIDE 4s] { ?s :p ?a }",
            A,
            (),
        ),
        (
            "widths",
            "different windows: the two queries look back differently far",
            ((S, 6, 3),),
            ONE,
            "STREAM :S [RANGE 2s] { ?s :p ?a }",
            A,
            (),
        ),
    )
    return tuple(map(_agreement, rest))


_Agreement = tuple[str, str, tuple[tuple[str, int, int], ...], str, str, str, tuple[str, ...]]
"""Name, cause, windows, patterns, WHERE in CQELS, SELECT, static data."""


def _agreement(row: _Agreement) -> SuiteQuery:
    name, cause, windows, where, cqels, select, static = row
    streams = "".join(
        f"FROM STREAM {stream} [RANGE {width}s STEP {step}s]\n" for stream, width, step in windows
    )
    texts = (
        ("csparql", _CSPARQL.format(select=select, streams=streams, where=where)),
        ("cqels", _CQELS.format(select=select, where=cqels)),
    )
    window_blocks = tuple((*window, where) for window in windows[:1])
    family = QueryFamily(f"agree-{name}", window_blocks, select, static=static, texts=texts)
    return suite_query(
        "engines",
        "agreement",
        f"why C-SPARQL and CQELS differ: {cause} (Dao-Tran et al. 2015, Section 5)",
        family,
    )
