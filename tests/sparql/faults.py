"""Known faults of pyoxigraph and rdflib: the rule of SPARQL 1.1 they break, by what small cases hold."""

from tests.sparql.constructs import constructs
from tests.sparql.verdicts import smallest

RELATIONS = ("<", "<=", ">", ">=")
ZERO = ("path *", "path ?", "path +")

KNOWN = {
    "pyoxigraph": (
        ("17.3: < <= > >= have no value on equal terms without an order", RELATIONS),
        ("17.4.1.9: NOT IN () is true", ("empty list",)),
        ("18.5.1.7: GROUP_CONCAT takes STR of its terms", ("GROUP_CONCAT", "GROUP_CONCAT DISTINCT")),
        ("9.3: each alternative of a path counts", ("path Alternative", "path negated in both directions")),
        ("18.4: a walk of length zero connects any constant with itself", ZERO),
        ("13.3: GRAPH of a graph that is not there has no solution", ("GRAPH IRI",)),
        ("17.2.2: a text with a language is a condition", ("text with a language",)),
        ("terms: 1 and 01 are two", ("lexical form that is not canonical",)),
        (
            "18.3.2: a blank node of a pattern is no variable of COUNT (DISTINCT *)",
            ("blank node in a pattern",),
        ),
        ("18.6: GRAPH ?g binds ?g after its group", ("GRAPH variable",)),
        ("18.5: MINUS {} removes nothing", ("MINUS",)),
        ("18.5.1.2: COUNT leaves errors out", ("COUNT", "COUNT DISTINCT")),
        ("17.3.1: dateTimes have a difference (an extension)", ("-",)),
    ),
    "rdflib": (
        ("9.1: ^ in a negated set", ("path Negated",)),
        ("18.5: a query with GROUP BY has no group of no solution", ("GROUP BY",)),
        (
            "18.5.1: aggregates of errors are errors, MIN and MAX are terms",
            ("aggregates", "subquery with aggregates"),
        ),
        ("16.2: CONSTRUCT leaves out what is no triple", ("CONSTRUCT",)),
        ("10.2: VALUES", ("VALUES", "VALUES after the query")),
        (
            "18.4: walks of length zero, and falsy literals at their ends",
            (*ZERO, "path Sequence", "path Alternative"),
        ),
        ("12: a subquery sees no solution of the outer query", ("subquery",)),
        ("13.3: GRAPH", ("GRAPH variable", "GRAPH IRI")),
        ("8: MINUS and EXISTS", ("MINUS", "EXISTS", "NOT EXISTS")),
        ("18.2.1: BIND in a nested group", ("BIND",)),
        ("17: expressions with errors, and what is ordered", ("FILTER", "SELECT expression", "ORDER BY")),
    ),
}


def classified(name, one):
    """Return the class of a judge's fault and a smallest case of it."""
    small = smallest(name, one)
    held = constructs(small)
    for title, hints in KNOWN.get(name, ()):
        if held & set(hints):
            return title, small
    return f"not known: {', '.join(sorted(held))}", small
