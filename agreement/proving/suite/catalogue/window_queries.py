"""Queries about windows: their widths, when they report, which operator, several of them.

Queries about static data beside windows.
"""

from typing import Final

from agreement.proving.hunting import QueryFamily
from agreement.proving.suite.catalogue.suite_queries import AB, ONE, RS, TWO, A, S, SuiteQuery, T, suite_query

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
    window = ((S, 4, 2, ONE),)
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
        suite_query(
            "static", "static data", says, QueryFamily(name, window, select, static=static, body=body)
        )
        for name, select, body, static, says in rest
    )


_DEFINITION_13: Final = "RSP-QL (2014), Definition 13"
_WIDTHS: Final = (
    ("tumbling", 4, 4, "of width α = slide β each element is in one window"),
    ("sliding", 4, 2, "of width α over slide β each element is in α/β windows"),
    ("hopping", 2, 3, "of slide β over width α an element may be in no window"),
    ("uneven", 5, 2, "α need be no multiple of β: an element can lie in several windows"),
    ("stepwise", 3, 1, "with β = 1 a window closes at every time point"),
    ("narrow", 1, 1, "a window of width 1 shows one time point"),
)

_NAMED_STREAM: Final = QueryFamily("named-stream", ((T, 4, 2, ONE),))


def of_widths() -> tuple[SuiteQuery, ...]:
    """Return queries about one window, each of another width and slide, and about what comes late."""
    query = suite_query(
        "core", "windows", f"a window is on the stream that it names ({_DEFINITION_13})", _NAMED_STREAM
    )
    widths = (
        suite_query(
            "core", "windows", f"{says} ({_DEFINITION_13})", QueryFamily(name, ((S, width, slide, ONE),))
        )
        for name, width, slide, says in _WIDTHS
    )
    lost = "what comes late is lost, or in the windows that close after it came"
    behind = f"{lost}; behind another stream's alone it may count by its time, as each stream is in order"
    late = (
        suite_query("core", "late arrivals", f"{says} (Definition 9)", family)
        for says, family in (
            (f"{lost}, as streams are in order", QueryFamily("late", ((S, 4, 2, ONE),))),
            (behind, QueryFamily("late-two", ((S, 4, 2, ONE), (T, 4, 2, "?s :r ?b .")), AB)),
        )
    )
    return (*widths, query, *late)


def of_operators() -> tuple[SuiteQuery, ...]:
    """Return queries about IStream and DStream."""
    news = "IStream has the rows that the evaluation before did not have"
    gone = "DStream has the rows of the evaluation before that this one does not have"
    bag = "{} compares how often a row occurs, not only whether it does (rows are bags)"
    both = (("IStream", news, "21"), ("DStream", gone, "22"))
    shapes = (
        ("", ((S, 4, 2, ONE),), A, "", "{0}"),
        ("-tumbling", ((S, 3, 3, ONE),), A, "", "{0}, also of windows that share no element"),
        ("-bag", ((S, 4, 2, ONE),), "?s", "", bag),
        ("-join", ((S, 4, 2, TWO),), AB, "", "{0}: joined rows"),
        (
            "-count",
            ((S, 4, 2, ONE),),
            "?s (COUNT(?a) AS ?n)",
            "GROUP BY ?s",
            "{0}: a count that changes is another",
        ),
        ("-minus", ((S, 4, 2, f"{ONE} MINUS {{ ?s :q ?b }}"),), A, "", "{0}, compared after MINUS"),
        ("-two", ((S, 4, 2, ONE), (T, 3, 3, RS)), AB, "", "{0}: rows of two windows"),
        ("-distinct", ((S, 4, 2, ONE),), "DISTINCT ?s", "", "{0}, compared after DISTINCT"),
        ("-limit", ((S, 4, 2, ONE),), A, "ORDER BY DESC(?a) ?s LIMIT 1", "{0}, compared after LIMIT"),
    )
    return tuple(
        suite_query(
            "operator",
            operator,
            f"{says.format(operator if says is bag else sentence)} (Definition {number})",
            QueryFamily(operator.lower() + end, windows, select, "", group, operator),
        )
        for operator, sentence, number in both
        for end, windows, select, group, says in shapes
    )


def of_reports() -> tuple[SuiteQuery, ...]:
    """Return queries about when a window reports."""
    says = "ET is what the policy says: window close, content change, non-empty, periodic (Definition 23)"
    shapes = (
        ("report-long", ((S, 6, 3, ONE),)),
        ("report-gaps", ((S, 2, 4, ONE),)),
        ("report-join", ((S, 5, 3, TWO),)),
        ("report-two", ((S, 3, 2, ONE), (T, 2, 3, RS))),
    )
    return tuple(
        suite_query(
            "report",
            "report policies",
            says,
            QueryFamily(name, windows, AB if "j" in name or "w" in name else A),
        )
        for name, windows in shapes
    )


def _two(body: str) -> str:
    return body.replace("W1", "WINDOW :w1").replace("W2", "WINDOW :w2").replace("W3", "WINDOW :w3")


def of_windows() -> tuple[SuiteQuery, ...]:
    """Return queries about several windows."""
    both = ((S, 4, 2, ONE), (T, 4, 2, RS))
    uneven = ((S, 4, 4, ONE), (T, 3, 2, RS))
    same = ((S, 4, 4, ONE), (S, 2, 2, "?s :q ?b ."))
    left, right = "W1 { ?s :p ?a }", "W2 { ?s :r ?b }"
    rest = (
        ("two-streams", both, AB, "", "windows on two streams are joined at one time (Definition 19)"),
        ("two-slides", uneven, AB, "", "each window has its own (α, β); both are looked at at each t of ET"),
        ("two-widths", same, AB, "", "two windows on one stream show each their own part (Definition 14)"),
        (
            "two-alike",
            ((S, 4, 2, ONE), (S, 4, 2, "?s :q ?b .")),
            AB,
            "",
            "two windows of equal RANGE and STEP on one stream show the same (Definition 13)",
        ),
        (
            "two-crossed",
            ((S, 4, 2, ONE), (T, 4, 2, "?x :r ?b .")),
            "?s ?a ?x ?b",
            "",
            "without a shared variable every pair is a solution (Definition 16)",
        ),
        (
            "two-same-pattern",
            ((S, 6, 2, ONE), (T, 2, 2, "?s :p ?b .")),
            AB,
            "",
            "a triple is in the windows of its own stream only (Definition 13)",
        ),
        (
            "three",
            (*both, (S, 2, 2, "?s :q ?c .")),
            "?s ?a ?b ?c",
            "",
            "three windows are looked at at one t (Definition 17)",
        ),
        (
            "across-optional",
            both,
            AB,
            f"{left} OPTIONAL {{ {right} }}",
            "OPTIONAL looks into another window (Definition 17; SPARQL 1.1, 18.5, LeftJoin)",
        ),
        (
            "across-minus",
            both,
            A,
            f"{left} MINUS {{ {right} }}",
            "MINUS looks into another window (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "across-not-exists",
            both,
            A,
            f"{left} FILTER NOT EXISTS {{ {right} }}",
            "NOT EXISTS looks into another window (SPARQL 1.1, 18.6)",
        ),
        (
            "across-exists",
            uneven,
            A,
            f"{left} FILTER EXISTS {{ {right} }}",
            "EXISTS looks into another window (SPARQL 1.1, 18.6)",
        ),
        (
            "across-union",
            both,
            AB,
            f"{{ {left} }} UNION {{ {right} }}",
            "UNION of two windows (SPARQL 1.1, 18.5, Union)",
        ),
        (
            "window-variable",
            ((S, 4, 2, ONE), (T, 4, 2, ONE)),
            "?w ?s ?a",
            "WINDOW ?w { ?s :p ?a }",
            "a variable stands for each window in turn (Definition 17; SPARQL 1.1, 18.6, Graph)",
        ),
        (
            "across-filter",
            uneven,
            AB,
            f"{left} {right} FILTER(?a < ?b)",
            "a condition between two windows (SPARQL 1.1, 18.5, Filter)",
        ),
        (
            "across-bind",
            both,
            "?s ?c",
            f"{left} {right} FILTER(?a > 0) BIND(?a + ?b AS ?c)",
            "an expression over two windows (SPARQL 1.1, 18.5, Extend)",
        ),
        (
            "across-subquery",
            both,
            AB,
            f"{left} {{ SELECT ?s (COUNT(?c) AS ?b) WHERE {{ W2 {{ ?s :r ?c }} }} GROUP BY ?s }}",
            "a subquery over another window (SPARQL 1.1, 12)",
        ),
        (
            "across-minus-same",
            same,
            A,
            "W1 { ?s :p ?a } MINUS { W2 { ?s :q ?b } }",
            "MINUS between two windows on one stream (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "across-optional-same",
            same,
            AB,
            "W1 { ?s :p ?a } OPTIONAL { W2 { ?s :q ?b } }",
            "OPTIONAL between two windows on one stream (SPARQL 1.1, 18.5, LeftJoin)",
        ),
        (
            "past-not-now",
            ((S, 6, 2, ONE), (S, 2, 2, ONE)),
            A,
            "W1 { ?s :p ?a } MINUS { W2 { ?s :p ?a } }",
            "one stream through a long and a short window: what was, and is no more (Definition 14)",
        ),
    )
    aggregated = QueryFamily("two-count", both, "?s (COUNT(?b) AS ?n)", "", "GROUP BY ?s")
    modified = (
        (
            "two-distinct",
            "DISTINCT ?s",
            "",
            "DISTINCT is of the rows of each evaluation (SPARQL 1.1, 18.5, Distinct)",
        ),
        (
            "two-limit",
            AB,
            "ORDER BY DESC(?b) ?a ?s LIMIT 1",
            "ORDER BY and LIMIT are of the rows of each evaluation (SPARQL 1.1, 15)",
        ),
        ("two-bag", "?s", "", "a projection keeps how often joined rows occur (SPARQL 1.1, 18.5, Project)"),
    )
    return (
        *(
            suite_query(
                "windows", "several windows", says, QueryFamily(name, windows, select, body=_two(body))
            )
            for name, windows, select, body, says in rest
        ),
        *(
            suite_query("windows", "several windows", says, QueryFamily(name, both, select, group=group))
            for name, select, group, says in modified
        ),
        suite_query(
            "windows",
            "several windows",
            "an aggregate is of the rows of each evaluation (SPARQL 1.1, 11)",
            aggregated,
        ),
    )
