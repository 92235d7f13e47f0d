"""Queries about SPARQL inside a window: patterns, aggregates, solution modifiers."""

from typing import Final

from agreement.proving.hunting import QueryFamily
from agreement.proving.suite.catalogue.suite_queries import AB, ONE, TWO, A, S, SuiteQuery, suite_query

_Written = tuple[str, str, str, str, str]
"""Name, feature, sentence, patterns of the window, and SELECT."""
_PATTERNS: Final[tuple[_Written, ...]] = (
    (
        "join",
        "join",
        "a join pairs triples of one window that agree, and no others (Definition 19)",
        TWO,
        AB,
    ),
    (
        "join-self",
        "join",
        "a triple that matches two patterns is joined with itself, once (Definition 19)",
        f"{ONE} ?s :p ?b .",
        AB,
    ),
    (
        "constant",
        "basic graph pattern",
        "a triple pattern matches what its constants say (Definition 18)",
        "?s :p :o . ?s :q ?b .",
        "?s ?b",
    ),
    (
        "any-predicate",
        "basic graph pattern",
        "a variable predicate matches every triple of the window (Definition 18)",
        "?s ?x ?a .",
        "?s ?x ?a",
    ),
    (
        "optional",
        "OPTIONAL",
        "a solution is extended by what the window shows, else it stays (SPARQL 1.1, 18.5, LeftJoin)",
        f"{ONE} OPTIONAL {{ ?s :q ?b }}",
        AB,
    ),
    (
        "optional-filter",
        "OPTIONAL",
        "a FILTER in OPTIONAL is the condition of the left join (SPARQL 1.1, 18.5, LeftJoin)",
        f"{ONE} OPTIONAL {{ ?s :q ?b FILTER(?b > ?a) }}",
        AB,
    ),
    (
        "optional-twice",
        "OPTIONAL",
        "each OPTIONAL extends by itself (SPARQL 1.1, 18.5, LeftJoin)",
        f"{ONE} OPTIONAL {{ ?s :q ?b }} OPTIONAL {{ ?s :r ?c }}",
        "?s ?a ?b ?c",
    ),
    (
        "optional-nested",
        "OPTIONAL",
        "an OPTIONAL in an OPTIONAL extends what that found (SPARQL 1.1, 18.5, LeftJoin)",
        f"{ONE} OPTIONAL {{ ?s :q ?b OPTIONAL {{ ?b :r ?c }} }}",
        "?s ?a ?b ?c",
    ),
    (
        "unbound",
        "OPTIONAL",
        "what no triple of the window binds is not bound (SPARQL 1.1, 17.4.1.1, bound)",
        f"{ONE} OPTIONAL {{ ?s :q ?b }} FILTER(!bound(?b))",
        A,
    ),
    (
        "union",
        "UNION",
        "the solutions of both sides, equal ones twice (SPARQL 1.1, 18.5, Union)",
        "{ ?s :p ?a } UNION { ?s :q ?a }",
        A,
    ),
    (
        "union-unbound",
        "UNION",
        "what one side does not name stays unbound (SPARQL 1.1, 18.5, Union)",
        "{ ?s :p ?a } UNION { ?s :q ?b }",
        AB,
    ),
    (
        "minus",
        "MINUS",
        "a solution goes where the window shows a compatible one (SPARQL 1.1, 18.5, Minus)",
        f"{ONE} MINUS {{ ?s :q ?b }}",
        A,
    ),
    (
        "minus-apart",
        "MINUS",
        "without a shared variable MINUS removes nothing (SPARQL 1.1, 18.5, Minus)",
        f"{ONE} MINUS {{ ?x :q ?b }}",
        A,
    ),
    (
        "not-exists",
        "NOT EXISTS",
        "a solution goes while the window shows what must not be (SPARQL 1.1, 18.6, exists)",
        f"{ONE} FILTER NOT EXISTS {{ ?s :q ?b }}",
        A,
    ),
    (
        "not-exists-apart",
        "NOT EXISTS",
        "NOT EXISTS that shares no variable asks for any solution (SPARQL 1.1, 18.6, exists)",
        f"{ONE} FILTER NOT EXISTS {{ ?x :q ?b }}",
        A,
    ),
    (
        "exists",
        "EXISTS",
        "a solution stays while the window shows what must be, once (SPARQL 1.1, 18.6, exists)",
        f"{ONE} FILTER EXISTS {{ ?s :q ?b }}",
        A,
    ),
    (
        "filter",
        "FILTER",
        "solutions whose condition is true (SPARQL 1.1, 18.5, Filter)",
        f"{ONE} FILTER(?a > 1)",
        A,
    ),
    (
        "filter-both",
        "FILTER",
        "a condition between triples of one window (SPARQL 1.1, 18.5, Filter)",
        f"{TWO} FILTER(?a < ?b)",
        AB,
    ),
    (
        "filter-or",
        "FILTER",
        "an error beside true is true (SPARQL 1.1, 17.2, filter evaluation)",
        f"{ONE} OPTIONAL {{ ?s :q ?b }} FILTER(?b > 1 || ?a > 2)",
        AB,
    ),
    (
        "filter-in",
        "FILTER",
        "IN is equality with one of a list (SPARQL 1.1, 17.4.1.9, IN)",
        f"{ONE} FILTER(?a IN (1, 3))",
        A,
    ),
    (
        "bind",
        "BIND",
        "a variable has the value of an expression (SPARQL 1.1, 18.5, Extend)",
        f"{ONE} BIND(?a + 1 AS ?b)",
        AB,
    ),
    (
        "values",
        "VALUES",
        "solutions are joined with given ones (SPARQL 1.1, 18.5, inline data)",
        f"{ONE} VALUES ?a {{ 1 2 }} FILTER(?a > 0)",
        A,
    ),
    (
        "coalesce",
        "functions",
        "COALESCE is its first value without an error (SPARQL 1.1, 17.4.1.3)",
        f"{ONE} OPTIONAL {{ ?s :q ?b }} BIND(COALESCE(?b, 0) AS ?c)",
        "?s ?c",
    ),
    (
        "sequence",
        "paths",
        "a sequence path leads over two triples of one window (SPARQL 1.1, 18.4, ppeval)",
        "?s :p/:q ?b .",
        "?s ?b",
    ),
    (
        "alternative",
        "paths",
        "an alternative path is a union (SPARQL 1.1, 18.4, ppeval)",
        "?s :p|:q ?a .",
        A,
    ),
    ("inverse", "paths", "an inverse path swaps ends (SPARQL 1.1, 18.4, ppeval)", "?a ^:p ?s .", A),
    (
        "one-or-more",
        "paths",
        "a path of any length finds each pair once (SPARQL 1.1, 18.4, ppeval)",
        "?s :p+ ?a .",
        A,
    ),
    (
        "zero-or-more",
        "paths",
        "a path of no step pairs each subject and object of the window with itself (SPARQL 1.1, 18.4)",
        "?s :p* ?a .",
        A,
    ),
    (
        "zero-or-one",
        "paths",
        "a path of one step at most (SPARQL 1.1, 18.4, ppeval)",
        "?s :p? ?a .",
        A,
    ),
    (
        "bind-error",
        "BIND",
        "an error leaves the variable unbound, and the solution stays (SPARQL 1.1, 18.5, Extend)",
        f"{ONE} BIND(1 / (?a - 2) AS ?b)",
        AB,
    ),
    (
        "values-undef",
        "VALUES",
        "UNDEF is compatible with every term (SPARQL 1.1, 18.5, inline data)",
        f"{ONE} VALUES (?s ?a) {{ (UNDEF 1) (:s UNDEF) }}",
        A,
    ),
    (
        "regex",
        "functions",
        "a regular expression on the text of a term (SPARQL 1.1, 17.4.3.14)",
        f'{ONE} FILTER(regex(str(?a), "^1"))',
        A,
    ),
    (
        "negated",
        "paths",
        "a negated path is any other predicate of the window (SPARQL 1.1, 18.4, ppeval)",
        "?s !:p ?a .",
        A,
    ),
    (
        "reflexive",
        "basic graph pattern",
        "one variable twice is one term (Definition 18)",
        "?s :p ?s .",
        "?s",
    ),
    (
        "subquery",
        "subqueries",
        "a subquery is evaluated first, over the same window (SPARQL 1.1, 12)",
        f"{ONE} {{ SELECT ?s (MAX(?c) AS ?b) WHERE {{ ?s :q ?c }} GROUP BY ?s }}",
        AB,
    ),
    (
        "subquery-distinct",
        "subqueries",
        "a subquery keeps its own modifiers (SPARQL 1.1, 12)",
        f"{ONE} {{ SELECT DISTINCT ?s WHERE {{ ?s :q ?b }} }}",
        A,
    ),
)
_AGGREGATES: Final = (
    ("count", "COUNT(?a)", "?s", "COUNT counts the solutions of a group, in each window"),
    ("count-distinct", "COUNT(DISTINCT ?a)", "", "COUNT(DISTINCT) counts equal values of a window once"),
    ("sum", "SUM(?a)", "", "SUM adds the values of a window, equal ones each"),
    ("minimum", "MIN(?a)", "?s", "MIN is the least value that the window shows in a group"),
    ("maximum", "MAX(?a)", "?s", "MAX is the greatest value that the window shows in a group"),
    ("average", "AVG(?a)", "", "AVG is the mean of the values of a window, equal ones each"),
)
_MODIFIERS: Final = (
    ("projection", "?s", "", "projection keeps equal solutions (SPARQL 1.1, 18.5, Project)"),
    (
        "distinct",
        "DISTINCT ?s",
        "",
        "DISTINCT has equal rows of one evaluation once (SPARQL 1.1, 18.5, Distinct)",
    ),
    (
        "limit",
        A,
        "ORDER BY DESC(?a) ?s LIMIT 1",
        "ORDER BY and LIMIT choose of the rows of one evaluation (SPARQL 1.1, 15)",
    ),
    (
        "offset",
        A,
        "ORDER BY ?a ?s OFFSET 1",
        "OFFSET leaves out the first rows of each evaluation (SPARQL 1.1, 15.4)",
    ),
    (
        "having",
        "?s (COUNT(?a) AS ?n)",
        "GROUP BY ?s HAVING(COUNT(?a) > 1)",
        "HAVING keeps the groups of one window whose condition is true (SPARQL 1.1, 11.3)",
    ),
    (
        "total",
        "(COUNT(?a) AS ?n)",
        "",
        "without GROUP BY a window has one group, of all its solutions, also of none (SPARQL 1.1, 11.2)",
    ),
)
_TEMPLATES: Final = (
    (
        "construct",
        "?s :is ?a .",
        ONE,
        "CONSTRUCT gives the triples of its template for the solutions of a window",
    ),
    (
        "construct-set",
        "?s :is :seen .",
        ONE,
        "CONSTRUCT gives a graph: equal triples of several solutions are one",
    ),
    (
        "construct-unbound",
        "?s :is ?a . ?s :also ?b .",
        f"{ONE} OPTIONAL {{ ?s :q ?b }}",
        "of a solution CONSTRUCT leaves out the triples in which something is unbound",
    ),
)


def of_patterns() -> tuple[SuiteQuery, ...]:
    """Return queries about graph patterns in a window."""
    core = ("join", "filter", "optional")
    return tuple(
        suite_query(
            "core" if name in core else "sparql",
            feature,
            says,
            QueryFamily(name, ((S, 4, 2, inner),), select),
        )
        for name, feature, says, inner, select in _PATTERNS
    )


def of_aggregates() -> tuple[SuiteQuery, ...]:
    """Return queries about aggregates, solution modifiers and ASK."""
    section = "SPARQL 1.1, 18.5.1"
    groups = (
        suite_query(
            "core" if name == "count" else "sparql",
            "aggregates",
            f"{says} ({section})",
            QueryFamily(
                name,
                ((S, 4, 2, f"{ONE} FILTER(?a > 0)"),),
                f"{key} ({what} AS ?n)".lstrip(),
                group=key and f"GROUP BY {key}",
            ),
        )
        for name, what, key, says in _AGGREGATES
    )
    modified = (
        suite_query(
            "core" if name in ("projection", "total") else "sparql",
            "solution modifiers",
            says,
            QueryFamily(name, ((S, 4, 2, ONE),), select, group=group),
        )
        for name, select, group, says in _MODIFIERS
    )
    unbound = f"{ONE} OPTIONAL {{ ?s :q ?b }}"
    shapes = (
        (
            "count-unbound",
            "aggregates",
            "?s (COUNT(?b) AS ?n)",
            "GROUP BY ?s",
            "COUNT leaves out what is unbound",
        ),
        (
            "group-unbound",
            "aggregates",
            "?b (COUNT(?a) AS ?n)",
            "GROUP BY ?b",
            "solutions in which the key is unbound are a group too",
        ),
    )
    ask = suite_query(
        "sparql",
        "query forms",
        "ASK says whether the window has a solution at all (SPARQL 1.1, 16.3)",
        QueryFamily("ask", ((S, 4, 2, ONE),), "ASK"),
    )
    other = (
        suite_query(
            "sparql",
            feature,
            f"{says} ({section})",
            QueryFamily(name, ((S, 4, 2, unbound),), select, group=group),
        )
        for name, feature, select, group, says in shapes
    )
    constructed = (
        suite_query(
            "sparql",
            "query forms",
            f"{says} (SPARQL 1.1, 16.2)",
            QueryFamily(name, ((S, 4, 2, inner),), f"CONSTRUCT {{ {template} }}"),
        )
        for name, template, inner, says in _TEMPLATES
    )
    return (*groups, *modified, *other, ask, *constructed)
