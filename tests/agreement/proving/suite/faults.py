"""Engines with one fault each: what they report of a query and a stream, made by the specification."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate

from agreement.documents.recordings import static_of
from agreement.proving.suite.catalogue import NOISE
from agreement.proving.suite.expecting import VectorReports
from agreement.proving.suite.vectors import vectors
from lars.errors import LarsError
from lars.language.terms import XSD, Literal
from translate.dialects import read_query

USUAL = vectors()[0]


@dataclass(frozen=True)
class FaultyEngine:
    """A vector of RSP-QL, and what is changed before and after; `vector` alone is admissible.

    `says` is how an engine with it differs from the usual one, in words.
    """

    says: str
    vector: object = USUAL
    text: Callable = lambda text: text
    static: Callable = lambda static: static
    stream: Callable = lambda stream: stream
    reports: Callable = lambda reports: reports
    of: str = ""

    @property
    def base(self):
        """The engine without the fault, None for one that has none."""
        plain = FaultyEngine(self.says, self.vector)
        changed = any(
            getattr(self, name) is not getattr(plain, name)
            for name in ("text", "static", "stream", "reports")
        )
        return (
            FaultyEngine("none" if self.vector == USUAL else str(self.vector), self.vector)
            if changed
            else None
        )

    def answers(self, text, static, stream):
        """Return the reports, None where the changed query cannot be asked, or is what it was."""
        if not re.search(self.of, text):
            return None
        changed = self.text(text), self.static(static), self.stream(stream)
        until = max(one.t for one in stream)
        try:
            found = asked(*changed).reports(self.vector)
        except LarsError:
            return None
        return tuple((t, tuple(rows)) for t, rows in self.reports(found) if t < until)

    def shows(self, text, static, stream):
        """Whether it reports something else than the engine without the fault; row order is no matter."""
        found = self.answers(text, static, stream)
        return found is not None and in_bags(found) != in_bags(self.base.answers(text, static, stream))


def in_bags(reports):
    """Return reports without an order of rows."""
    return tuple((t, tuple(sorted(rows, key=str))) for t, rows in reports)


@lru_cache(maxsize=512)
def asked(text, static, stream):
    return VectorReports(_read(text), static_of(static), stream)


@lru_cache(maxsize=4096)
def _read(text):
    return read_query(text, "query")


ARRIVING = next(one for one in vectors() if not one.by_clock)
"""The first vector by which each triple reports."""


def faulty_engines() -> Iterator[FaultyEngine]:
    """Yield every engine, the usual one first, then other vectors; then the faults of two of them."""
    yield FaultyEngine("none")
    yield from _admissible()
    for one in _faults():
        yield one
        yield replace(one, says=f"{one.says} (where each triple reports)", vector=ARRIVING)


def _faults():
    for says, pattern, new in _TEXTS:
        yield FaultyEngine(says, text=_replaced(pattern, new))
    for window in (0, 1):
        for says, range_, step in (
            ("longer", 1, 0),
            ("shorter", -1, 0),
            ("less often", 0, 1),
            ("more often", 0, -1),
        ):
            name = f"window {window + 1} {says}"
            yield FaultyEngine(name, text=_resized(window, range_, step))
    yield from (FaultyEngine(says, stream=change) for says, change in _STREAMS)
    yield from (FaultyEngine(says, reports=change) for says, change in _REPORTS)
    yield FaultyEngine("static data ignored", static=lambda _: ())
    yield from (
        FaultyEngine(
            says,
            replace(USUAL, empty="reported"),
            _replaced(f"REGISTER {operator}Stream", "REGISTER RStream"),
            reports=change,
            of=f"REGISTER {operator}Stream",
        )
        for says, operator, change in _CHANGES
    )

    yield FaultyEngine(
        "IStream looks past evaluations of empty windows",
        replace(USUAL, report=frozenset({"window-close"}), empty="reported"),
        _replaced("REGISTER IStream", "REGISTER RStream"),
        reports=_untold,
        of="REGISTER IStream",
    )


PARAMETERS = ("report", "bounds", "start", "empty", "tick", "combination")


def differences(one, other):
    """Return the parameters in which two vectors differ."""
    return [name for name in PARAMETERS if getattr(one, name) != getattr(other, name)]


def _admissible() -> Iterator[FaultyEngine]:
    """Yield the vectors that differ from the first of a report policy of one strategy in one parameter."""
    first = {one.report: one for one in reversed(vectors())}
    bases = [USUAL, *(one for report, one in first.items() if len(report) == 1)]
    near = (one for one in vectors() if any(len(differences(one, base)) <= 1 for base in bases))
    yield from (FaultyEngine(str(one), one) for one in near if one != USUAL)


def _replaced(pattern, new):
    return lambda text: re.sub(pattern, new, text)


def _resized(window, range_, step):
    def changed(text):
        places = [*re.finditer(r"\[RANGE (\d+) STEP (\d+)\]", text)]
        if window >= len(places):
            return text
        found = places[window]
        sizes = f"[RANGE {int(found[1]) + range_} STEP {int(found[2]) + step}]"
        return text[: found.start()] + sizes + text[found.end() :]

    return changed


_TEXTS = (
    ("STEP as 1", r"STEP \d+", "STEP 1"),
    ("IStream in place of the operator", "REGISTER [RD]Stream", "REGISTER IStream"),
    ("DStream in place of the operator", "REGISTER [RI]Stream", "REGISTER DStream"),
    ("RStream in place of the operator", "REGISTER [ID]Stream", "REGISTER RStream"),
    ("FILTER ignored", r"FILTER\([^)]*\)", ""),
    ("OPTIONAL ignored", r"OPTIONAL \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
    ("OPTIONAL as a join", "OPTIONAL", ""),
    ("MINUS ignored", r"MINUS \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
    ("MINUS as NOT EXISTS", "MINUS", "FILTER NOT EXISTS"),
    ("NOT EXISTS as MINUS", "FILTER NOT EXISTS", "MINUS"),
    ("NOT EXISTS ignored", r"FILTER NOT EXISTS \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
    ("EXISTS ignored", r"FILTER EXISTS \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
    ("EXISTS as a join", "FILTER EXISTS", ""),
    ("UNION as a join", "UNION", ""),
    ("of UNION the right side is lost", r"UNION \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
    ("DISTINCT ignored", "DISTINCT ", ""),
    ("solutions as a set", r"SELECT (?!DISTINCT|\?s \(|\()", "SELECT DISTINCT "),
    ("ORDER BY ignored", r"ORDER BY .* (?=LIMIT|OFFSET)", ""),
    ("LIMIT ignored", "LIMIT 1", ""),
    (
        "LIMIT of the second window, before the join",
        r"(WINDOW :w2 \{[^{}]*\})(?=[\s\S]*ORDER BY DESC\(\?b\))",
        r"{ SELECT ?s ?b WHERE { \1 } ORDER BY DESC(?b) ?s LIMIT 1 }",
    ),
    ("OFFSET ignored", "OFFSET 1", ""),
    ("HAVING ignored", r"HAVING\(COUNT\(\?a\) > 1\)", ""),
    ("GROUP BY ignored", r"SELECT \?s \((.*)\)\n((.|\n)*)GROUP BY \?s", r"SELECT (\1)\n\2"),
    ("> as >=", r"> (?=\d)", ">= "),
    ("< as <=", r"\?a < \?b", "?a <= ?b"),
    ("a path of one step", r":p\+", ":p"),
    ("a path of no step too", r":p\+", ":p*"),
    ("a path of any length once for each first step", r":p\+", ":p/:p*"),
    ("an inverse path forwards", r"\^:p", ":p"),
    ("a path as its first step", r":(p|kind)/:(q|of)", r":\1"),
    ("a path as its last step", r":(p|kind)/:(q|of)", r":\2"),
    ("a negated path as any", "!:p", "?n"),
    ("an alternative as its first", r":p\|:q", ":p"),
    ("! ignored", r"!bound", "bound"),
    ("GRAPH ignored", r"GRAPH :g", ""),
    ("the second window shows the first's stream", r"<http://e/T>|:T\b", ":S"),
    ("the second window in place of the first", "WINDOW :w1", "WINDOW :w2"),
    ("the first window in place of the second", "WINDOW :w2", "WINDOW :w1"),
    ("a subquery ignored", r"\{ SELECT .*\}( GROUP BY \?s)? \}", ""),
    ("OR as AND", r"\|\|", "&&"),
    ("MAX as MIN", r"MAX\(", "MIN("),
    ("MIN as MAX", r"MIN\(", "MAX("),
    ("SUM of different values", r"SUM\(", "SUM(DISTINCT "),
    ("AVG of different values", r"AVG\(", "AVG(DISTINCT "),
    ("COUNT of different values", r"COUNT\(\?", "COUNT(DISTINCT ?"),
    ("COUNT counts what is unbound", r"COUNT\(\?b\)", "COUNT(*)"),
    ("SUM as one of the values", r"SUM\(", "SAMPLE("),
    ("numbers compared as texts", r"FILTER\(\?a < \?b\)", "FILTER(str(?a) < str(?b))"),
    (
        "the least and the greatest number by their texts",
        r"(MIN|MAX)\((\?a)\)",
        rf"<{XSD}integer>(\1(str(\2)))",
    ),
    ("an error in FILTER as true", r"FILTER\((\?a > \d)\)", r"FILTER(COALESCE(\1, true))"),
    ("numbers ordered as texts", r"ORDER BY DESC\((\?[ab])\)", r"ORDER BY DESC(str(\1))"),
    ("descending as ascending", r"DESC\((\?\w+)\)", r"\1"),
    ("GRAPH of any name", "GRAPH :g", "GRAPH ?any"),
    ("a path of no step lost", r":p\*", ":p+"),
    ("a path of any length as at most one", r":p\*", ":p?"),
    ("a path of none or one as one", r":p\?", ":p"),
    ("a path of none or one as any", r":p\?", ":p*"),
    (
        "an error in BIND removes the solution",
        r"BIND\(1 / \(\?a - 2\) AS \?b\)",
        "FILTER(?a != 2) BIND(1 / (?a - 2) AS ?b)",
    ),
    ("the row with UNDEF as ?a lost", r" \(:s UNDEF\)", ""),
    ("UNDEF as ?s is :s", r"\(UNDEF 1\)", "(:s 1)"),
    ("a regular expression anywhere", r"\^1", "1"),
    ("a regular expression of the whole", r"\^1", "^1$"),
    (
        "a window's variable as the first window",
        r"WINDOW \?w (\{[^{}]*\})",
        r"WINDOW :w1 \1 BIND(:w1 AS ?w)",
    ),
    ("ASK as SELECT", "ASK", "SELECT ?s"),
    ("a join as a left join", r"\?s :p \?a \. (\?s :q \?b) \.", r"?s :p ?a . OPTIONAL { \1 }"),
    ("a join of all pairs", r"\?s :p \?a \. \?s :q \?b \.", "?s :p ?a . ?any :q ?b ."),
    ("a constant as a variable", r"\?s :p :o \.", "?s :p ?any ."),
    ("a variable predicate as one of them", r"\?s \?x \?a \.", "?s :p ?a . BIND(:p AS ?x)"),
    ("one variable twice as two", r"\?s :p \?s \.", "?s :p ?any ."),
    (
        "an OPTIONAL after another inside it",
        r"OPTIONAL \{ \?s :q \?b \} OPTIONAL \{ \?s :r \?c \}",
        "OPTIONAL { ?s :q ?b OPTIONAL { ?s :r ?c } }",
    ),
    ("an OPTIONAL inside another as a join", r"OPTIONAL \{ \?b :r \?c \}", "?b :r ?c"),
    ("an OPTIONAL inside another ignored", r"OPTIONAL \{ \?b :r \?c \}", ""),
    ("an error beside true as an error", r"FILTER\(\?b > 1 \|\|", "FILTER(bound(?b)) FILTER(?b > 1 ||"),
    ("IN as its first value", r"IN \(1, 3\)", "IN (1)"),
    ("IN ignored", r"FILTER\(\?a IN \(1, 3\)\)", ""),
    ("BIND ignored", r"BIND\(.*? AS \?\w\)", ""),
    ("VALUES ignored", r"VALUES \?a \{[^}]*\}", ""),
    ("COALESCE as its first value", r"COALESCE\(\?b, 0\)", "?b"),
    (
        "COUNT of the second window, before the join",
        r"\(COUNT\(\?b\) AS \?n\)([\s\S]*)(WINDOW :w2 \{[^{}]*\})([\s\S]*)GROUP BY \?s$",
        r"?n\1{ SELECT ?s (COUNT(?b) AS ?n) WHERE { \2 } GROUP BY ?s }\3",
    ),
    ("COUNT as one", r"COUNT\(\?\w\)", "SAMPLE(1)"),
    (
        "no group of nothing",
        r"SELECT \((COUNT|SUM|AVG)\((.*?)\) AS \?n\)([\s\S]*)$",
        r"SELECT (\1(\2) AS ?n)\3 HAVING(COUNT(?a) > 0)",
    ),
    (
        "ASK always true",
        r"(ASK\n[\s\S]*)WHERE \{\nWINDOW :w1 \{ (.*?) \}\n",
        r"\1WHERE {\nOPTIONAL { WINDOW :w1 { \2 } }\n",
    ),
    (
        "windows merged into the default graph",
        r"\} \?s :p :o \.",
        "} { SELECT DISTINCT ?s WHERE { { ?s :p :o } UNION { WINDOW :w1 { ?s :p :o } } } }",
    ),
    (
        "static data shown in windows",
        r"WINDOW :w1 \{ \?s :p \?a \} \?s :p :o \.",
        "{ SELECT DISTINCT ?s ?a WHERE { { WINDOW :w1 { ?s :p ?a } } UNION { ?s :p ?a } } } ?s :p :o .",
    ),
    ("windows joined as by OPTIONAL", r"\n(WINDOW :w2 \{[^{}]*\})\n", r"\nOPTIONAL { \1 }\n"),
    (
        "windows joined as by UNION",
        r"\n(WINDOW :w1 \{[^{}]*\})\n(WINDOW :w2 \{[^{}]*\})\n",
        r"\n{ \1 } UNION { \2 }\n",
    ),
    ("the third window ignored", r"\nWINDOW :w3 \{[^{}]*\}\n", r"\n"),
    (
        "the second window as long and as often as the first",
        r"(\[RANGE \d+ STEP \d+\])([\s\S]*?)\[RANGE \d+ STEP \d+\]",
        r"\1\2\1",
    ),
    ("a triple not joined with itself", r"\?s :p \?b \.", "?s :p ?b . FILTER(?a != ?b)"),
    ("of equal pairs both ways one", r"\?s :p \?b \.", "?s :p ?b . FILTER(?a <= ?b)"),
    ("GROUP_CONCAT of texts alone", r"GROUP_CONCAT\(\?a\)", "GROUP_CONCAT(IF(isNumeric(?a), 1/0, ?a))"),
    ("CONSTRUCT as its pattern", r"CONSTRUCT \{ \?s :is \?a \. \}", "CONSTRUCT { ?s :p ?a . }"),
    (
        "CONSTRUCT has equal triples twice",
        r"CONSTRUCT \{ \?s :is :seen \. \}",
        "SELECT (?s AS ?a1) (:is AS ?a2) (:seen AS ?a3)",
    ),
    (
        "of two windows on one stream the last alone",
        r"ON STREAM :S(?=[\s\S]*ON STREAM :S)",
        "ON STREAM :None",
    ),
)


def _news(reports):
    """Yield what IStream would report of sets."""
    before = ()
    for t, rows in reports:
        yield t, tuple(row for row in rows if row not in before)
        before = rows


def _gone(reports):
    """Yield what DStream would report of sets."""
    before = ()
    for t, rows in reports:
        yield t, tuple(row for row in before if row not in rows)
        before = rows


def _forgetting(reports):
    """Yield what DStream would report that forgets what it reported long ago."""
    before, last = (), 0
    for t, rows in reports:
        known = before if t - last <= 4 else ()
        yield t, tuple((Counter(known) - Counter(rows)).elements())
        before, last = rows, t


def _untold(reports):
    """Yield what IStream would report that compares with the last evaluation that had rows."""
    before = ()
    for t, rows in reports:
        yield t, tuple((Counter(rows) - Counter(before)).elements())
        before = rows or before


_CHANGES = (
    ("IStream compares sets", "I", _news),
    ("DStream compares sets", "D", _gone),
    ("DStream forgets what was more than 4 before", "D", _forgetting),
    ("IStream looks past evaluations without rows", "I", _untold),
)


def _once(stream, key):
    """Return the first elements with each key, and all that is noise: what only moves time is never lost."""
    seen = set()
    return tuple(
        one for one in stream if one.triple == NOISE or (key(one) not in seen and not seen.add(key(one)))
    )


def _seven(stream):
    told = [one for one in stream if one.triple != NOISE][:7]
    return tuple(one for one in stream if one.triple == NOISE or one in told)


def _typed(name, change):
    """Return a change of a stream: `change` takes the text of a literal, and returns a text and a type."""
    literal = re.compile(f'"([^"]*)"\\^\\^<{XSD}{name}>')

    def changed(term):
        found = literal.fullmatch(term)
        if not found:
            return term
        text, datatype = change(found[1])
        return str(Literal(text, f"{XSD}{datatype}"))

    return lambda stream: tuple(replace(one, triple=tuple(map(changed, one.triple))) for one in stream)


_STREAMS = (
    (
        "every stream is taken for that of the last element",
        lambda stream: tuple(replace(one, stream=stream[-1].stream) for one in stream),
    ),
    ("what comes after the seventh element of all is lost", lambda stream: _seven(stream[:-1]) + stream[-1:]),
    (
        "each window reads every stream",
        lambda stream: tuple(
            replace(one, stream=name) for one in stream for name in ("<http://e/S>", "<http://e/T>")
        ),
    ),
    ("the first element lost", lambda stream: stream[1:]),
    (
        "of what comes at one time in a stream the first alone counts",
        lambda stream: _once(stream, lambda one: (one.t, one.stream)),
    ),
    (
        "of what comes at one time in a stream the last alone counts",
        lambda stream: _once(stream[::-1], lambda one: (one.t, one.stream))[::-1],
    ),
    ("elements of time 0 lost", lambda stream: tuple(one for one in stream if one.t) or stream),
    (
        "a triple that its stream had before is lost",
        lambda stream: _once(stream[:-1], lambda one: (one.stream, one.triple)) + stream[-1:],
    ),
    (
        "a triple that came less than 4 before is lost",
        lambda stream: tuple(
            one
            for n, one in enumerate(stream)
            if one.triple == NOISE
            or not any(other.triple == one.triple and one.t - other.t < 4 for other in stream[:n])
        ),
    ),
    (
        "what comes late counts as of the latest time",
        lambda stream: tuple(
            replace(one, t=t)
            for one, t in zip(stream, accumulate((one.t for one in stream), max), strict=True)
        ),
    ),
    ("time zones ignored", _typed("dateTime", lambda text: (re.sub("Z|[+]02:00", "", text), "dateTime"))),
    ("decimals as doubles", _typed("decimal", lambda text: (text, "double"))),
    ("doubles as decimals", _typed("double", lambda text: (str(Decimal(text)), "decimal"))),
    (
        "elements come one time point late",
        lambda stream: tuple(replace(one, t=one.t + 1) for one in stream[:-1]) + stream[-1:],
    ),
)


def _apart(change):
    return lambda reports: [(t, change(rows)) for t, rows in reports]


def _nonempty(change):
    return lambda reports: [(t, rows) for t, rows in _apart(change)(reports) if rows]


def _without_repeats(reports):
    before = None
    for t, rows in reports:
        if rows != before:
            yield t, rows
        before = rows


def _remembering(reports):
    known = ()
    for t, rows in reports:
        known = tuple(dict.fromkeys((*known, *rows)))
        yield t, known


_LITERAL = re.compile(r'("[^"]*")(@[a-z]+|\^\^<http://e/type>)')


def _plain(rows):
    return tuple(tuple(None if term is None else _LITERAL.sub(r"\1", term) for term in row) for row in rows)


_REPORTS = (
    ("texts lose language and type", _apart(_plain)),
    (
        "from 32 after the first report nothing is reported",
        lambda reports: [one for one in reports if one[0] < reports[0][0] + 32],
    ),
    ("rows twice", _apart(lambda rows: (*rows, *rows))),
    ("the first row of each report lost", _nonempty(lambda rows: rows[1:])),
    ("equal rows once", _apart(lambda rows: tuple(dict.fromkeys(rows)))),
    (
        "rows with something unbound lost",
        _nonempty(lambda rows: tuple(row for row in rows if None not in row)),
    ),
    ("each report twice", lambda reports: [one for one in reports for _ in (0, 1)]),
    ("the first report lost", lambda reports: reports[1:]),
    ("the last report lost", lambda reports: reports[:-1]),
    ("an answer that is as before is not reported", _without_repeats),
    ("rows are never forgotten, equal ones are one", _remembering),
    ("at most two rows a report", _apart(lambda rows: rows[:2])),
    ("reports one time point late", lambda reports: [(t + 1, rows) for t, rows in reports]),
)


OWN = {
    "named-stream": ("every stream is taken for that of the last element",),
    "late": ("what comes late counts as of the latest time",),
    "late-two": ("what comes late counts as of the latest time",),
    "join": ("a join as a left join", "a join of all pairs"),
    "filter": ("FILTER ignored", "an error in FILTER as true"),
    "optional": ("OPTIONAL as a join", "OPTIONAL ignored"),
    "count": ("COUNT as one",),
    "projection": ("equal rows once",),
    "total": ("no group of nothing", "COUNT as one"),
    "constant": ("a constant as a variable",),
    "any-predicate": ("a variable predicate as one of them",),
    "optional-filter": ("FILTER ignored",),
    "optional-twice": ("an OPTIONAL after another inside it",),
    "optional-nested": ("an OPTIONAL inside another as a join", "an OPTIONAL inside another ignored"),
    "unbound": ("! ignored",),
    "union": ("equal rows once", "of UNION the right side is lost"),
    "union-unbound": ("UNION as a join",),
    "minus": ("MINUS ignored",),
    "minus-apart": ("MINUS as NOT EXISTS",),
    "not-exists": ("NOT EXISTS ignored",),
    "not-exists-apart": ("NOT EXISTS as MINUS",),
    "exists": ("EXISTS ignored", "EXISTS as a join"),
    "filter-both": ("FILTER ignored", "numbers compared as texts"),
    "time-zones": ("time zones ignored",),
    "decimals": ("decimals as doubles", "doubles as decimals"),
    "filter-or": ("an error beside true as an error",),
    "filter-in": ("IN as its first value", "IN ignored"),
    "bind": ("BIND ignored",),
    "values": ("VALUES ignored",),
    "coalesce": ("COALESCE as its first value",),
    "sequence": ("a path as its last step",),
    "alternative": ("an alternative as its first",),
    "join-self": ("a triple not joined with itself",),
    "inverse": ("an inverse path forwards",),
    "one-or-more": ("a path of any length once for each first step", "a path of one step"),
    "zero-or-more": ("a path of no step lost",),
    "zero-or-one": ("a path of none or one as any", "a path of none or one as one"),
    "bind-error": ("an error in BIND removes the solution",),
    "values-undef": ("UNDEF as ?s is :s", "the row with UNDEF as ?a lost"),
    "regex": ("a regular expression anywhere", "a regular expression of the whole"),
    "negated": ("a negated path as any",),
    "reflexive": ("one variable twice as two",),
    "subquery": ("MAX as MIN",),
    "subquery-distinct": ("DISTINCT ignored",),
    "count-distinct": ("DISTINCT ignored",),
    "sum": ("SUM of different values", "SUM as one of the values"),
    "minimum": ("MIN as MAX", "the least and the greatest number by their texts"),
    "maximum": ("MAX as MIN", "the least and the greatest number by their texts"),
    "average": ("AVG of different values",),
    "distinct": ("DISTINCT ignored",),
    "limit": ("LIMIT ignored", "descending as ascending"),
    "offset": ("OFFSET ignored",),
    "having": ("HAVING ignored",),
    "count-unbound": ("COUNT counts what is unbound",),
    "group-unbound": ("rows with something unbound lost",),
    "ask": ("ASK as SELECT",),
    "construct": ("CONSTRUCT as its pattern",),
    "construct-set": ("CONSTRUCT has equal triples twice",),
    "construct-unbound": ("OPTIONAL as a join",),
    "static": ("static data ignored",),
    "static-optional": ("static data ignored",),
    "static-minus": ("MINUS ignored",),
    "static-not-exists": ("NOT EXISTS ignored",),
    "static-graph": ("GRAPH of any name",),
    "static-outside": ("windows merged into the default graph", "static data shown in windows"),
    "static-union": ("static data ignored",),
    "static-path": ("a path as its first step",),
    **dict.fromkeys(("istream", "istream-tumbling", "istream-join"), ("RStream in place of the operator",)),
    **dict.fromkeys(("dstream", "dstream-tumbling", "dstream-join"), ("RStream in place of the operator",)),
    **dict.fromkeys(("istream-two", "dstream-two"), ("RStream in place of the operator",)),
    **dict.fromkeys(("istream-count", "dstream-count"), ("COUNT as one",)),
    **dict.fromkeys(("istream-minus", "dstream-minus"), ("MINUS ignored",)),
    "istream-gap": ("IStream looks past evaluations of empty windows",),
    "istream-bag": ("IStream compares sets",),
    "dstream-bag": ("DStream compares sets",),
    **dict.fromkeys(("istream-distinct", "dstream-distinct"), ("DISTINCT ignored",)),
    **dict.fromkeys(("istream-limit", "dstream-limit"), ("LIMIT ignored",)),
    "two-streams": ("windows joined as by OPTIONAL", "windows joined as by UNION"),
    "two-slides": ("the second window as long and as often as the first",),
    "two-widths": ("the second window as long and as often as the first",),
    "two-alike": ("of two windows on one stream the last alone",),
    "two-crossed": ("windows joined as by OPTIONAL", "windows joined as by UNION"),
    "two-same-pattern": ("each window reads every stream", "the second window shows the first's stream"),
    "three": ("the third window ignored",),
    "across-optional": ("OPTIONAL ignored", "OPTIONAL as a join"),
    "across-minus": ("MINUS ignored",),
    "across-not-exists": ("NOT EXISTS ignored",),
    "across-exists": ("EXISTS ignored", "the first window in place of the second"),
    "across-union": ("of UNION the right side is lost",),
    "window-variable": ("a window's variable as the first window",),
    "across-filter": ("FILTER ignored",),
    "across-bind": ("BIND ignored",),
    "across-subquery": ("COUNT as one",),
    "across-minus-same": ("MINUS ignored",),
    "across-optional-same": ("OPTIONAL ignored", "OPTIONAL as a join"),
    "past-not-now": ("MINUS ignored",),
    "two-distinct": ("DISTINCT ignored",),
    "two-limit": ("LIMIT of the second window, before the join", "LIMIT ignored"),
    "two-bag": ("equal rows once",),
    "two-count": ("COUNT of the second window, before the join", "COUNT as one"),
}
"""The faults one of which a test of a query has to show, so that it is about the query's sentence."""
ALL_OWN = {
    **dict.fromkeys(
        ("istream-count", "istream-minus", "istream-distinct"), "RStream in place of the operator"
    ),
    **dict.fromkeys(
        ("dstream-count", "dstream-minus", "dstream-distinct"), "RStream in place of the operator"
    ),
    **dict.fromkeys(("istream-limit", "dstream-limit"), "RStream in place of the operator"),
    "sequence": "a path as its first step",
}
"""A fault more that each test of a query has to show."""
