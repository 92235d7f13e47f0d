"""Queries about static data beside windows."""

from typing import Final

from agreement.proving.hunting import QueryFamily
from agreement.proving.suite.catalogue.suite_queries import ONE, A, S, SuiteQuery, suite_query

_KINDS: Final = (
    "<http://e/s> <http://e/kind> <http://e/k> .",
    "<http://e/s2> <http://e/kind> <http://e/k2> .",
)
_NAMED: Final = (
    "<http://e/s> <http://e/kind> <http://e/k> <http://e/g> .",
    "<http://e/s> <http://e/kind> <http://e/k2> <http://e/g2> .",
)


def of_static() -> tuple[SuiteQuery, ...]:
    """Return queries about static data beside a window."""
    one = ((S, 4, 2, ONE),)
    block = "WINDOW :w1 { ?s :p ?a }"
    rest = (
        (
            "static",
            "?s ?a ?k",
            f"{block} ?s :kind ?k .",
            _KINDS,
            "the default graph is joined with the window (Definition 14, G0)",
        ),
        (
            "static-optional",
            "?s ?a ?k",
            f"{block} OPTIONAL {{ ?s :kind ?k }}",
            _KINDS,
            "OPTIONAL looks into the default graph (SPARQL 1.1, 18.5, LeftJoin)",
        ),
        (
            "static-minus",
            A,
            f"{block} MINUS {{ ?s :kind :k }}",
            _KINDS,
            "MINUS looks into the default graph (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "static-not-exists",
            A,
            f"{block} FILTER NOT EXISTS {{ ?s :kind :k }}",
            _KINDS,
            "NOT EXISTS looks into the default graph (SPARQL 1.1, 18.6)",
        ),
        (
            "static-graph",
            "?s ?a ?k",
            f"{block} GRAPH :g {{ ?s :kind ?k }}",
            _NAMED,
            "GRAPH names a graph that is no window (Definition 14)",
        ),
        (
            "static-outside",
            A,
            f"{block} ?s :p :o .",
            ("<http://e/s> <http://e/p> <http://e/o> .",),
            "no triple of a window is in the default graph, none of that in a window (Definition 14)",
        ),
        (
            "static-union",
            A,
            f"{{ {block} }} UNION {{ ?s :kind ?a }}",
            _KINDS,
            "what static data alone answer is answered at each t of ET (Definition 24)",
        ),
        (
            "static-path",
            "?s ?a ?k",
            f"{block} ?s :kind/:of ?k .",
            (*_KINDS, "<http://e/k> <http://e/of> <http://e/top> ."),
            "a path in the default graph has all its steps (SPARQL 1.1, 18.4)",
        ),
    )
    return tuple(
        suite_query("static", "static data", says, QueryFamily(name, one, select, static=static, body=body))
        for name, select, body, static, says in rest
    )
