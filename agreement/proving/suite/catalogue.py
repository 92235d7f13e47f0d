"""The queries of the suite: what of RSP-QL and of SPARQL in windows each is about, in a sentence."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from agreement.documents.recordings import Triple
from agreement.proving.hunting import Letter, QueryFamily
from lars.language.terms import XSD, Literal

_S: Final = "<http://e/S>"
_T: Final = "<http://e/T>"
_ONE: Final = "?s :p ?a ."
_TWO: Final = f"{_ONE} ?s :q ?b ."
_A, _AB, _S_A = "?s ?a", "?s ?a ?b", "?s :r ?b ."
_KINDS: Final = (
    "<http://e/s> <http://e/kind> <http://e/k> .",
    "<http://e/s2> <http://e/kind> <http://e/k2> .",
)
_NAMED: Final = (
    "<http://e/s> <http://e/kind> <http://e/k> <http://e/g> .",
    "<http://e/s> <http://e/kind> <http://e/k2> <http://e/g2> .",
)
LEVELS: Final = ("core", "report", "operator", "windows", "static", "sparql", "engines")
"""What an engine may claim, each level by itself; every engine that claims RSP-QL has core."""


@dataclass(frozen=True, slots=True)
class SuiteQuery:
    """A query of the suite: its level, the feature that it is about, and the sentence that it tests."""

    level: str
    feature: str
    sentence: str
    family: QueryFamily

    @property
    def name(self) -> str:
        """What its tests are called by."""
        return self.family.name

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The triples that its streams are made of: those of one row first, noise last."""
        streams = dict.fromkeys(stream for stream, *_ in self.family.windows)
        noise = [(stream, _NOISE) for stream in streams]
        if self.name in _LETTERS:
            own = _LETTERS[self.name].split(", ")
            return (*((stream, _triple(one)) for one in own for stream in streams), *noise)
        found = dict.fromkeys(
            (stream, _triple(f"{subject} {predicate} {number}"))
            for subject, number in (("s", 1), ("s", 2), ("s2", 1))
            for stream, _, _, inner in self.family.windows
            for predicate in dict.fromkeys(_PREDICATE.findall(inner))
        )
        return (*found, *noise)


_NOISE: Final = ("<http://e/n>", "<http://e/n>", "<http://e/n>")
_PREDICATE: Final = re.compile(r":([pqr])\b")
_LETTERS: Final = {
    "constant": "s p o, s q 1, s p 1, s2 p o, s2 q 1",
    "any-predicate": "s p 1, s q 1, s2 p 1",
    "optional-nested": "s p 1, s q b, b r 1, s q c, s2 p 1",
    "sequence": "s p b, b q c, s p c, c q d, s2 p b",
    "one-or-more": "s p t, t p u, u p s, s2 p t",
    "negated": "s q 1, s p 1, s2 q 1",
    "reflexive": "s p s, s p t, t p t",
    "values": "s p 1, s p 3, s p 2, s2 p 1",
    "filter-in": "s p 1, s p 2, s p 3, s2 p 1",
    "static-outside": "s p o, s p 1, s2 p o",
    "zero-or-more": "s p t, t p u, u p s, s2 p t",
    "zero-or-one": "s p t, t p u, s2 p t",
    "bind-error": "s p 1, s p 2, s p 3, s2 p 2",
    "values-undef": "s p 2, s2 p 1, s2 p 2",
    "regex": "s p 1, s p 2, s p 10, s2 p 21",
}


def _triple(written: str) -> Triple:
    """Return the triple of three words: numbers are integers, other words IRIs."""
    subject, predicate, object_ = (
        str(Literal(word, f"{XSD}integer")) if word.isdecimal() else f"<http://e/{word}>"
        for word in written.split()
    )
    return subject, predicate, object_


_DEFINITION_13: Final = "RSP-QL (2014), Definition 13"
_WIDTHS: Final = (
    ("tumbling", 4, 4, "of width α = slide β each element is in one window"),
    ("sliding", 4, 2, "of width α over slide β each element is in α/β windows"),
    ("hopping", 2, 3, "of slide β over width α an element may be in no window"),
    ("uneven", 5, 2, "α need be no multiple of β: an element is in two or three windows"),
    ("stepwise", 3, 1, "with β = 1 a window closes at every time point"),
    ("narrow", 1, 1, "a window of width 1 shows one time point"),
)
_Written = tuple[str, str, str, str, str]
"""Name, feature, sentence, patterns of the window, and SELECT."""
_PATTERNS: Final[tuple[_Written, ...]] = (
    (
        "join",
        "join",
        "a join pairs triples of one window, whichever came first (Definitions 16, 19)",
        _TWO,
        _AB,
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
        "a solution stays where its window shows nothing to extend it (SPARQL 1.1, 18.5, LeftJoin)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b }}",
        _AB,
    ),
    (
        "optional-filter",
        "OPTIONAL",
        "a FILTER in OPTIONAL is the condition of the left join (SPARQL 1.1, 18.5, LeftJoin)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b FILTER(?b > ?a) }}",
        _AB,
    ),
    (
        "optional-twice",
        "OPTIONAL",
        "each OPTIONAL extends by itself (SPARQL 1.1, 18.5, LeftJoin)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b }} OPTIONAL {{ ?s :r ?c }}",
        "?s ?a ?b ?c",
    ),
    (
        "optional-nested",
        "OPTIONAL",
        "an OPTIONAL in an OPTIONAL extends what that found (SPARQL 1.1, 18.5, LeftJoin)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b OPTIONAL {{ ?b :r ?c }} }}",
        "?s ?a ?b ?c",
    ),
    (
        "unbound",
        "OPTIONAL",
        "what no triple of the window binds is not bound (SPARQL 1.1, 17.4.1.1, bound)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b }} FILTER(!bound(?b))",
        _A,
    ),
    (
        "union",
        "UNION",
        "the solutions of both sides, equal ones twice (SPARQL 1.1, 18.5, Union)",
        "{ ?s :p ?a } UNION { ?s :q ?a }",
        _A,
    ),
    (
        "union-unbound",
        "UNION",
        "what one side does not name stays unbound (SPARQL 1.1, 18.5, Union)",
        "{ ?s :p ?a } UNION { ?s :q ?b }",
        _AB,
    ),
    (
        "minus",
        "MINUS",
        "a solution goes where the window shows a compatible one (SPARQL 1.1, 18.5, Minus)",
        f"{_ONE} MINUS {{ ?s :q ?b }}",
        _A,
    ),
    (
        "minus-apart",
        "MINUS",
        "without a shared variable MINUS removes nothing (SPARQL 1.1, 18.5, Minus)",
        f"{_ONE} MINUS {{ ?x :q ?b }}",
        _A,
    ),
    (
        "not-exists",
        "NOT EXISTS",
        "a solution goes while the window shows what must not be (SPARQL 1.1, 18.6, exists)",
        f"{_ONE} FILTER NOT EXISTS {{ ?s :q ?b }}",
        _A,
    ),
    (
        "not-exists-apart",
        "NOT EXISTS",
        "NOT EXISTS looks without a shared variable too (SPARQL 1.1, 18.6, exists)",
        f"{_ONE} FILTER NOT EXISTS {{ ?x :q ?b }}",
        _A,
    ),
    (
        "exists",
        "EXISTS",
        "a solution stays while the window shows what must be, once (SPARQL 1.1, 18.6, exists)",
        f"{_ONE} FILTER EXISTS {{ ?s :q ?b }}",
        _A,
    ),
    (
        "filter",
        "FILTER",
        "solutions whose condition is true (SPARQL 1.1, 18.5, Filter)",
        f"{_ONE} FILTER(?a > 1)",
        _A,
    ),
    (
        "filter-both",
        "FILTER",
        "a condition between triples of one window (SPARQL 1.1, 18.5, Filter)",
        f"{_TWO} FILTER(?a < ?b)",
        _AB,
    ),
    (
        "filter-or",
        "FILTER",
        "an error beside true is true (SPARQL 1.1, 17.2, filter evaluation)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b }} FILTER(?b > 1 || ?a > 2)",
        _AB,
    ),
    (
        "filter-in",
        "FILTER",
        "IN is equality with one of a list (SPARQL 1.1, 17.4.1.9, IN)",
        f"{_ONE} FILTER(?a IN (1, 3))",
        _A,
    ),
    (
        "bind",
        "BIND",
        "a variable has the value of an expression (SPARQL 1.1, 18.5, Extend)",
        f"{_ONE} BIND(?a + 1 AS ?b)",
        _AB,
    ),
    (
        "values",
        "VALUES",
        "solutions are joined with given ones (SPARQL 1.1, 18.5, inline data)",
        f"{_ONE} VALUES ?a {{ 1 2 }} FILTER(?a > 0)",
        _A,
    ),
    (
        "coalesce",
        "functions",
        "COALESCE is its first value without an error (SPARQL 1.1, 17.4.1.3)",
        f"{_ONE} OPTIONAL {{ ?s :q ?b }} BIND(COALESCE(?b, 0) AS ?c)",
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
        _A,
    ),
    ("inverse", "paths", "an inverse path swaps ends (SPARQL 1.1, 18.4, ppeval)", "?a ^:p ?s .", _A),
    (
        "one-or-more",
        "paths",
        "a path of any length finds each pair once (SPARQL 1.1, 18.4, ppeval)",
        "?s :p+ ?a .",
        _A,
    ),
    (
        "zero-or-more",
        "paths",
        "a path of no step pairs each subject and object of the window with itself (SPARQL 1.1, 18.4)",
        "?s :p* ?a .",
        _A,
    ),
    (
        "zero-or-one",
        "paths",
        "a path of one step at most (SPARQL 1.1, 18.4, ppeval)",
        "?s :p? ?a .",
        _A,
    ),
    (
        "bind-error",
        "BIND",
        "an error leaves the variable unbound, and the solution stays (SPARQL 1.1, 18.5, Extend)",
        f"{_ONE} BIND(1 / (?a - 2) AS ?b)",
        _AB,
    ),
    (
        "values-undef",
        "VALUES",
        "UNDEF is compatible with every term (SPARQL 1.1, 18.5, inline data)",
        f"{_ONE} VALUES (?s ?a) {{ (UNDEF 1) (:s UNDEF) }}",
        _A,
    ),
    (
        "regex",
        "functions",
        "a regular expression on the text of a term (SPARQL 1.1, 17.4.3.14)",
        f'{_ONE} FILTER(regex(str(?a), "^1"))',
        _A,
    ),
    (
        "negated",
        "paths",
        "a negated path is any other predicate of the window (SPARQL 1.1, 18.4, ppeval)",
        "?s !:p ?a .",
        _A,
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
        f"{_ONE} {{ SELECT ?s (MAX(?c) AS ?b) WHERE {{ ?s :q ?c }} GROUP BY ?s }}",
        _AB,
    ),
    (
        "subquery-distinct",
        "subqueries",
        "a subquery keeps its own modifiers (SPARQL 1.1, 12)",
        f"{_ONE} {{ SELECT DISTINCT ?s WHERE {{ ?s :q ?b }} }}",
        _A,
    ),
)
_AGGREGATES: Final = (
    ("count", "COUNT(?a)", "counts the solutions of a group, per window"),
    ("count-distinct", "COUNT(DISTINCT ?a)", "counts different values once, per window"),
    ("sum", "SUM(?a)", "adds the values of one window, what has left it no more"),
    ("minimum", "MIN(?a)", "the least value that the window still shows"),
    ("maximum", "MAX(?a)", "the greatest value that the window still shows"),
    ("average", "AVG(?a)", "the mean of the values of one window"),
)
_MODIFIERS: Final = (
    ("projection", "?s", "", "projection keeps equal solutions (SPARQL 1.1, 18.5, Project)"),
    ("distinct", "DISTINCT ?s", "", "DISTINCT is per evaluation (SPARQL 1.1, 18.5, Distinct)"),
    ("limit", _A, "ORDER BY DESC(?a) ?s LIMIT 1", "ORDER BY and LIMIT are per evaluation (SPARQL 1.1, 15)"),
    ("offset", _A, "ORDER BY ?a ?s OFFSET 1", "OFFSET is per evaluation (SPARQL 1.1, 15.4)"),
    (
        "having",
        "?s (COUNT(?a) AS ?n)",
        "GROUP BY ?s HAVING(COUNT(?a) > 1)",
        "HAVING looks at groups of one window (SPARQL 1.1, 11.3)",
    ),
    (
        "total",
        "(COUNT(?a) AS ?n)",
        "",
        "without GROUP BY there is one group, also of nothing (SPARQL 1.1, 11.2)",
    ),
)


@cache
def catalogue() -> tuple[SuiteQuery, ...]:
    """Return the queries of the suite, in their order."""
    return (
        *_of_widths(),
        *_of_operators(),
        *_of_reports(),
        *_of_windows(),
        *_of_static(),
        *_of_patterns(),
        *_of_aggregates(),
        *_of_engines(),
        *_of_agreement(),
    )


def _query(level: str, feature: str, sentence: str, family: QueryFamily) -> SuiteQuery:
    return SuiteQuery(level, feature, sentence, family)


_NAMED_STREAM: Final = QueryFamily("named-stream", ((_T, 4, 2, _ONE),))


def _of_widths() -> tuple[SuiteQuery, ...]:
    named = _query(
        "core", "windows", f"a window is on the stream that it names ({_DEFINITION_13})", _NAMED_STREAM
    )
    widths = (
        _query(
            "core", "windows", f"{says} ({_DEFINITION_13})", QueryFamily(name, ((_S, width, slide, _ONE),))
        )
        for name, width, slide, says in _WIDTHS
    )
    lost = "what comes late is lost, or in the windows that close after it came"
    late = (
        _query("core", "late arrivals", f"{lost} (streams are in order, Definition 9)", family)
        for family in (
            QueryFamily("late", ((_S, 4, 2, _ONE),)),
            QueryFamily("late-two", ((_S, 4, 2, _ONE), (_T, 4, 2, "?s :r ?b .")), _AB),
        )
    )
    return (*widths, named, *late)


def _of_operators() -> tuple[SuiteQuery, ...]:
    says = {
        "IStream": "what the evaluation before did not answer (Definition 21)",
        "DStream": "what the evaluation before answered and this one does not (Definition 22)",
    }
    shapes = (
        ("", ((_S, 4, 2, _ONE),), _A, ""),
        ("-tumbling", ((_S, 3, 3, _ONE),), _A, ""),
        ("-bag", ((_S, 4, 2, _ONE),), "?s", ""),
        ("-join", ((_S, 4, 2, _TWO),), _AB, ""),
        ("-count", ((_S, 4, 2, _ONE),), "?s (COUNT(?a) AS ?n)", "GROUP BY ?s"),
        ("-minus", ((_S, 4, 2, f"{_ONE} MINUS {{ ?s :q ?b }}"),), _A, ""),
        ("-two", ((_S, 4, 2, _ONE), (_T, 3, 3, _S_A)), _AB, ""),
        ("-distinct", ((_S, 4, 2, _ONE),), "DISTINCT ?s", ""),
        ("-limit", ((_S, 4, 2, _ONE),), _A, "ORDER BY DESC(?a) ?s LIMIT 1"),
    )
    return tuple(
        _query(
            "operator",
            operator,
            sentence,
            QueryFamily(operator.lower() + end, windows, select, "", group, operator),
        )
        for operator, sentence in says.items()
        for end, windows, select, group in shapes
    )


def _of_reports() -> tuple[SuiteQuery, ...]:
    says = "ET is what the policy says: window close, content change, non-empty, periodic (Definition 23)"
    shapes = (
        ("report-long", ((_S, 6, 3, _ONE),)),
        ("report-gaps", ((_S, 2, 4, _ONE),)),
        ("report-join", ((_S, 5, 3, _TWO),)),
        ("report-two", ((_S, 3, 2, _ONE), (_T, 2, 3, _S_A))),
    )
    return tuple(
        _query(
            "report",
            "report policies",
            says,
            QueryFamily(name, windows, _AB if "j" in name or "w" in name else _A),
        )
        for name, windows in shapes
    )


def _two(body: str) -> str:
    return body.replace("W1", "WINDOW :w1").replace("W2", "WINDOW :w2").replace("W3", "WINDOW :w3")


def _of_windows() -> tuple[SuiteQuery, ...]:
    both = ((_S, 4, 2, _ONE), (_T, 4, 2, _S_A))
    uneven = ((_S, 4, 4, _ONE), (_T, 3, 2, _S_A))
    same = ((_S, 4, 4, _ONE), (_S, 2, 2, "?s :q ?b ."))
    left, right = "W1 { ?s :p ?a }", "W2 { ?s :r ?b }"
    rest = (
        ("two-streams", both, _AB, "", "windows on two streams are joined at one time (Definition 19)"),
        ("two-slides", uneven, _AB, "", "each window has its own (α, β); both are looked at at each t of ET"),
        ("two-widths", same, _AB, "", "two windows on one stream show each their own part (Definition 14)"),
        (
            "two-alike",
            ((_S, 4, 2, _ONE), (_S, 4, 2, "?s :q ?b .")),
            _AB,
            "",
            "two windows that are alike show alike",
        ),
        (
            "two-crossed",
            ((_S, 4, 2, _ONE), (_T, 4, 2, "?x :r ?b .")),
            "?s ?a ?x ?b",
            "",
            "without a shared variable every pair is a solution (Definition 16)",
        ),
        (
            "two-same-pattern",
            ((_S, 6, 2, _ONE), (_T, 2, 2, "?s :p ?b .")),
            _AB,
            "",
            "a triple is in the windows of its own stream only (Definition 13)",
        ),
        (
            "three",
            (*both, (_S, 2, 2, "?s :q ?c .")),
            "?s ?a ?b ?c",
            "",
            "three windows are looked at at one t (Definition 17)",
        ),
        (
            "across-optional",
            both,
            _AB,
            f"{left} OPTIONAL {{ {right} }}",
            "OPTIONAL looks into another window (Definition 17; SPARQL 1.1, 18.5, LeftJoin)",
        ),
        (
            "across-minus",
            both,
            _A,
            f"{left} MINUS {{ {right} }}",
            "MINUS looks into another window (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "across-not-exists",
            both,
            _A,
            f"{left} FILTER NOT EXISTS {{ {right} }}",
            "NOT EXISTS looks into another window (SPARQL 1.1, 18.6)",
        ),
        (
            "across-exists",
            uneven,
            _A,
            f"{left} FILTER EXISTS {{ {right} }}",
            "EXISTS looks into another window (SPARQL 1.1, 18.6)",
        ),
        (
            "across-union",
            both,
            _AB,
            f"{{ {left} }} UNION {{ {right} }}",
            "UNION of two windows (SPARQL 1.1, 18.5, Union)",
        ),
        (
            "window-variable",
            ((_S, 4, 2, _ONE), (_T, 4, 2, _ONE)),
            "?w ?s ?a",
            "WINDOW ?w { ?s :p ?a }",
            "a variable stands for each window in turn (Definition 17; SPARQL 1.1, 18.6, Graph)",
        ),
        (
            "across-filter",
            uneven,
            _AB,
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
            _AB,
            f"{left} {{ SELECT ?s (COUNT(?c) AS ?b) WHERE {{ W2 {{ ?s :r ?c }} }} GROUP BY ?s }}",
            "a subquery over another window (SPARQL 1.1, 12)",
        ),
        (
            "across-minus-same",
            same,
            _A,
            "W1 { ?s :p ?a } MINUS { W2 { ?s :q ?b } }",
            "MINUS between two windows on one stream (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "across-optional-same",
            same,
            _AB,
            "W1 { ?s :p ?a } OPTIONAL { W2 { ?s :q ?b } }",
            "OPTIONAL between two windows on one stream (SPARQL 1.1, 18.5, LeftJoin)",
        ),
        (
            "past-not-now",
            ((_S, 6, 2, _ONE), (_S, 2, 2, _ONE)),
            _A,
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
            "DISTINCT is of the rows of all windows (SPARQL 1.1, 18.5, Distinct)",
        ),
        ("two-limit", _AB, "ORDER BY DESC(?b) ?a ?s LIMIT 1", "ORDER BY and LIMIT are of the joined rows"),
        ("two-bag", "?s", "", "a join of windows is a multiset (Definition 16)"),
    )
    return (
        *(
            _query("windows", "several windows", says, QueryFamily(name, windows, select, body=_two(body)))
            for name, windows, select, body, says in rest
        ),
        *(
            _query("windows", "several windows", says, QueryFamily(name, both, select, group=group))
            for name, select, group, says in modified
        ),
        _query(
            "windows", "several windows", "an aggregate over a join of windows (SPARQL 1.1, 11)", aggregated
        ),
    )


def _of_static() -> tuple[SuiteQuery, ...]:
    one = ((_S, 4, 2, _ONE),)
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
            _A,
            f"{block} MINUS {{ ?s :kind :k }}",
            _KINDS,
            "MINUS looks into the default graph (SPARQL 1.1, 18.5, Minus)",
        ),
        (
            "static-not-exists",
            _A,
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
            _A,
            f"{block} ?s :p :o .",
            ("<http://e/s> <http://e/p> <http://e/o> .",),
            "a triple of a window is not in the default graph, nor one of that in a window (Definition 14)",
        ),
        (
            "static-union",
            _A,
            f"{{ {block} }} UNION {{ ?s :kind ?a }}",
            _KINDS,
            "what static data alone answer is answered at each t of ET (Definition 24)",
        ),
        (
            "static-path",
            "?s ?a ?k",
            f"{block} ?s :kind/:of ?k .",
            (*_KINDS, "<http://e/k> <http://e/of> <http://e/top> ."),
            "a path in the default graph (SPARQL 1.1, 18.4)",
        ),
    )
    return tuple(
        _query("static", "static data", says, QueryFamily(name, one, select, static=static, body=body))
        for name, select, body, static, says in rest
    )


def _of_patterns() -> tuple[SuiteQuery, ...]:
    core = ("join", "filter", "optional")
    return tuple(
        _query(
            "core" if name in core else "sparql",
            feature,
            says,
            QueryFamily(name, ((_S, 4, 2, inner),), select),
        )
        for name, feature, says, inner, select in _PATTERNS
    )


def _of_aggregates() -> tuple[SuiteQuery, ...]:
    section = "SPARQL 1.1, 18.5.1"
    groups = (
        _query(
            "core" if name == "count" else "sparql",
            "aggregates",
            f"{says} ({section})",
            QueryFamily(
                name, ((_S, 4, 2, f"{_ONE} FILTER(?a > 0)"),), f"?s ({what} AS ?n)", group="GROUP BY ?s"
            ),
        )
        for name, what, says in _AGGREGATES
    )
    modified = (
        _query(
            "core" if name in ("projection", "total") else "sparql",
            "solution modifiers",
            says,
            QueryFamily(name, ((_S, 4, 2, _ONE),), select, group=group),
        )
        for name, select, group, says in _MODIFIERS
    )
    unbound = f"{_ONE} OPTIONAL {{ ?s :q ?b }}"
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
            "what is unbound is a group too",
        ),
        ("ask", "query forms", "ASK", "", "whether the window has a solution at all"),
    )
    other = (
        _query(
            "sparql",
            feature,
            f"{says} ({section})",
            QueryFamily(name, ((_S, 4, 2, unbound),), select, group=group),
        )
        for name, feature, select, group, says in shapes
    )
    return (*groups, *modified, *other)


def _of_engines() -> tuple[SuiteQuery, ...]:
    """Return what engine versions get wrong and no query above asks: of what is free, or rarely written."""
    one = ((_S, 4, 2, _ONE),)
    total = "of nothing SUM is 0 (SPARQL 1.1, 18.5.1.3)"
    value = "a number in a pattern is a term: 1.0 is not 1 (Definition 18)"
    lines = "where a line ends is no matter (SPARQL 1.1, 19.3, white space)"
    tumbling = "TUMBLING is a slide as long as the window (Definition 13)"
    own = (
        (
            "csparql",
            _CSPARQL.format(
                select=_A, streams="FROM STREAM <http://e/S> [RANGE 4s TUMBLING]\n", where="?s :p ?a ."
            ),
        ),
    )
    rest = (
        ("sum-nothing", "aggregates", total, QueryFamily("sum-nothing", one, "(SUM(?a) AS ?n)")),
        (
            "number-term",
            "basic graph pattern",
            value,
            QueryFamily("number-term", ((_S, 4, 2, "?s :p 1 ."),), "?s"),
        ),
        ("one-line", "windows", lines, QueryFamily("one-line", one, flat=True)),
        ("tumbling-word", "windows", tumbling, QueryFamily("tumbling-word", ((_S, 4, 4, _ONE),), texts=own)),
    )
    return tuple(_query("engines", feature, says, family) for _, feature, says, family in rest)


_NINE: Final = str(Literal("9", f"{XSD}integer"))
_CSPARQL: Final = "REGISTER QUERY q AS\nPREFIX : <http://e/>\nSELECT {select}\n{streams}WHERE {{ {where} }}\n"
_CQELS: Final = "PREFIX : <http://e/>\nSELECT {select}\nWHERE {{ {where} }}\n"


def _of_agreement() -> tuple[SuiteQuery, ...]:
    """Return queries in C-SPARQL and CQELS that answer differently, for one cause each."""
    row = (f"<http://e/s> <http://e/p> {_NINE} .",)
    half = (f"<http://e/s> <http://e/q> {_NINE} .",)
    both = f"{_ONE} MINUS {{ ?s :q ?b }}"
    rest: tuple[_Agreement, ...] = (
        (
            "silent",
            "silent period: the row still holds, and no input makes push say so",
            ((_S, 6, 3),),
            _ONE,
            "STREAM :S [RANGE 6s] { ?s :p ?a }",
            _A,
            (),
        ),
        (
            "expired",
            "expired before the pull: push has reported what the window no longer shows",
            ((_S, 1, 4),),
            _ONE,
            "STREAM :S [RANGE 1s] { ?s :p ?a }",
            _A,
            (),
        ),
        (
            "blocked",
            "blocked later: input that comes after the push takes the row back",
            ((_S, 4, 4),),
            both,
            "STREAM :S [RANGE 4s] { ?s :p ?a } MINUS { STREAM :S [RANGE 4s] { ?s :q ?b } }",
            _A,
            (),
        ),
        (
            "unblocked",
            "blocker expired: what blocked the row when push looked has left its window",
            ((_S, 4, 4), (_T, 1, 4)),
            both,
            "STREAM :S [RANGE 4s] { ?s :p ?a } MINUS { STREAM :T [RANGE 1s] { ?s :q ?b } }",
            _A,
            (),
        ),
        (
            "merged",
            "merged sources: C-SPARQL joins a streamed triple with a static one",
            ((_S, 4, 4),),
            _TWO,
            "STREAM :S [RANGE 4s] { ?s :p ?a . ?s :q ?b }",
            _AB,
            half,
        ),
        (
            "static-alone",
            "static only: C-SPARQL answers from static data, CQELS from the stream",
            ((_S, 4, 4),),
            _ONE,
            "STREAM :S [RANGE 4s] { ?s :p ?a }",
            _A,
            row,
        ),
        (
            "pivot",
            "hidden by the pivot: with SLIDE a window ends where the slide did, here CQELS ignores it",
            ((_S, 4, 4),),
            _ONE,
            "STREAM :S [RANGE 4s SLIDE 4s] { ?s :p ?a }",
            _A,
            (),
        ),
        (
            "widths",
            "different windows: the two queries look back differently far",
            ((_S, 6, 3),),
            _ONE,
            "STREAM :S [RANGE 2s] { ?s :p ?a }",
            _A,
            (),
        ),
    )
    return tuple(map(_agreement, rest))


_Agreement = tuple[str, str, tuple[tuple[str, int, int], ...], str, str, str, tuple[str, ...]]
"""Name, cause, windows, patterns, WHERE in CQELS, SELECT, static data."""


def _agreement(one: _Agreement) -> SuiteQuery:
    name, cause, windows, where, cqels, select, static = one
    streams = "".join(
        f"FROM STREAM {stream} [RANGE {width}s STEP {step}s]\n" for stream, width, step in windows
    )
    texts = (
        ("csparql", _CSPARQL.format(select=select, streams=streams, where=where)),
        ("cqels", _CQELS.format(select=select, where=cqels)),
    )
    shown = tuple((*window, where) for window in windows[:1])
    family = QueryFamily(f"agree-{name}", shown, select, static=static, texts=texts)
    return _query(
        "engines",
        "agreement",
        f"why C-SPARQL and CQELS differ: {cause} (Dao-Tran et al. 2015, Section 5)",
        family,
    )
