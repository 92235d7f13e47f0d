"""The comments of the suite: the sentence that a test is about, and what engines report of its stream.

What a comment says of a fault or of two vectors is asked of engines that have them: it is true of its test.
"""

import re

from agreement.documents.recordings import ANSWER
from agreement.engines.adapters.oxigraph import TRIPLE
from agreement.proving.suite.suite_tests import WRITTEN
from tests.agreement.proving.suite.faults import ALL_OWN, ARRIVING, OWN, USUAL, asked, in_bags
from translate.model.query import Language

FAULT, VECTORS, RULE, CAUSE = "the fault: ", "the vectors: ", "the rule: ", "the cause: "
ARRIVALS = " (where each triple reports)"

_SLIDE = "windows close at t0 + α, and then after each slide β (Definition 13)"
_WIDTH = (
    "a window of width α contains the elements of its last α time points, and no earlier elements "
    "(Definition 13)"
)
_ELEMENT = "an element with time t is in exactly the windows with open < t <= close (Definition 12)"
_STREAM = (
    "a window contains every element of its stream within its interval, even many elements (Definition 12)"
)
_OWN_STREAM = "a window reads only the stream that its declaration names (Definition 13)"
_TWICE = "a triple that arrives twice is in the windows of both arrival times (Definition 12)"
_RSTREAM = (
    "RStream reports the whole answer of each evaluation, including rows that were reported before "
    "(Definition 20)"
)
_AGAIN = (
    "each evaluation uses the current content of the windows, without elements that have left the "
    "windows (Definition 24)"
)
_ONCE = (
    "each evaluation time has one report, with this time and with all rows of the evaluation (Definition 24)"
)
_EVERY = (
    "the query is evaluated at each evaluation time, even if nothing arrived for a long time (Definition 24)"
)
_TERMS = "terms with different language tags or datatypes are different terms (RDF 1.1, 3.3; Definition 18)"

_MANY = 3
OXIGRAPH, OXIGRAPH_WRONG = "Oxigraph 0.5", ("alternative-both", "group-concat")
"""Queries that Oxigraph answers otherwise than SPARQL 1.1 says."""

RULES = {
    "STEP as 1": _SLIDE,
    "IStream in place of the operator": _RSTREAM,
    "DStream in place of the operator": _RSTREAM,
    "the first element lost": _ELEMENT,
    "of what comes at one time in a stream the first alone counts": _STREAM,
    "of what comes at one time in a stream the last alone counts": _STREAM,
    "elements of time 0 lost": _ELEMENT,
    "a triple that its stream had before is lost": _TWICE,
    "a triple that came less than 4 before is lost": _TWICE,
    "elements come one time point late": _ELEMENT,
    "what comes after the seventh element of all is lost": _STREAM,
    "every stream is taken for that of the last element": _OWN_STREAM,
    "each window reads every stream": _OWN_STREAM,
    "texts lose language and type": _TERMS,
    "from 32 after the first report nothing is reported": _EVERY,
    "rows twice": _ONCE,
    "the first row of each report lost": _ONCE,
    "equal rows once": "the rows of an answer form a multiset (SPARQL 1.1, 18.5, Project)",
    "each report twice": _ONCE,
    "the first report lost": _EVERY,
    "the last report lost": _EVERY,
    "an answer that is as before is not reported": _RSTREAM,
    "rows are never forgotten, equal ones are one": _AGAIN,
    "at most two rows a report": _ONCE,
    "reports one time point late": _ONCE,
    **{f"window {n} {how}": _WIDTH for n in (1, 2) for how in ("longer", "shorter")},
    **{f"window {n} {how} often": _SLIDE for n in (1, 2) for how in ("less", "more")},
    "a join as a left join": (
        "a join combines exactly the solutions that agree on their shared variables (Definition 19)"
    ),
    "a join of all pairs": (
        "a join combines exactly the solutions that agree on their shared variables (Definition 19)"
    ),
}
"""What an engine with a fault gets wrong: the sentence of the definition."""
EARLIEST = {
    "agree-widths": (
        " In RSP-QL, if each triple causes a report, the row is also reported at 5. The active "
        "window is then the earliest open window, (0, 6], and not (3, 9] (Examples 7 and 10)."
    )
}
"""What else a test of a cause tells, by its query in RSP-QL."""
PARAMETERS = {
    "bounds": (
        "RSP-QL leaves open whether a window contains the elements at its opening and closing "
        "times, which are its bounds (Definition 12 uses open < t <= close)"
    ),
    "t0": (
        "RSP-QL leaves open at which time t0 the first window opens; earlier elements are in no "
        "window (Definition 13)"
    ),
    "report": (
        "the report policy of a window decides when the window reports: window close, content "
        "change, non-empty, periodic (Definition 23)"
    ),
    "empty": (
        "RSP-QL leaves open whether an evaluation without rows is reported (Definition 24 gives "
        "the evaluation an empty answer)"
    ),
    "tick": "RSP-QL leaves open whether each triple or each time point causes an evaluation",
    "combination": "RSP-QL leaves open whether one window or all windows must report (Definition 23)",
}
"""What two vectors differ in: what RSP-QL says of it, or leaves open."""


def comment(query, stream, tells, engines):
    """Return the comment of a test: its sentence, an example of its own stream, and what it alone tells."""
    every = {one.says: one for one in engines}
    shown = _Shown(query, stream, every)
    if tells.startswith(CAUSE):
        return f"{_capital(query.sentence)}. {shown.sides()}{EARLIEST.get(query.name, '')}"
    if tells.startswith(RULE):
        wrong = (
            f". {OXIGRAPH} also violates this sentence, so only clingo verifies the expected reports"
            if query.name in OXIGRAPH_WRONG
            else ""
        )
        rule = tells.removeprefix(RULE)
        return (
            f"{_capital(query.sentence)}. A rule of an engine version violates this sentence: {rule}{wrong}."
        )
    if query.name not in OWN:
        head = shown.rule(tells)
        return f"{_capital(head)}. {shown.of(tells)} The query tests this sentence: {query.sentence}."
    own = _first(shown.shows, (*OWN[query.name], *filter(None, [ALL_OWN.get(query.name)])))
    first = shown.of(f"{FAULT}{own}")
    if tells == f"{FAULT}{own}":
        return f"{_capital(query.sentence)}. {first}"
    alone = f"No other test of this query shows the following difference. {shown.of(tells)}"
    return f"{_capital(query.sentence)}. {first} {alone}"


def _capital(sentence):
    return sentence[0].upper() + sentence[1:]


def _first(test, names):
    return next(name for name in names if test(name))


class _Shown:
    """What engines report of a query and a stream, in words."""

    def __init__(self, query, stream, every):
        self.query, self.stream, self.every = query, stream, every
        self.text = WRITTEN[Language.RSPQL].text(query.family)
        self.names = asked(self.text, query.family.static, stream).names

    def reports(self, says):
        return self.every[says].answers(self.text, self.query.family.static, self.stream)

    def shows(self, name):
        return self.every[name].shows(self.text, self.query.family.static, self.stream)

    def rule(self, tells):
        if tells.startswith(FAULT):
            return RULES[tells.removeprefix(FAULT).removesuffix(ARRIVALS)]
        differ, _, _ = self._apart(tells)
        return PARAMETERS[differ]

    def of(self, tells):
        if tells.startswith(FAULT):
            return self._of_fault(tells.removeprefix(FAULT))
        name, one, other = self._apart(tells)
        first, second = (self.reports(says) for says in (one, other))
        t = _differing(first, second)
        (a, same), (b, _) = self._words(one, name), self._words(other, name)
        return (
            f"At time {t}, an engine with the parameter {name} {a} reports {self._at(first, t)}. "
            f"An engine with {name} {b} reports {self._at(second, t)}. Both engines have the "
            f"parameters {same}."
        )

    def _of_fault(self, name):
        fault, found = self.every[name], self.reports(name)
        expecting = asked(self.text, self.query.family.static, self.stream)
        vector, rights = fault.vector, (fault.base.answers(self.text, self.query.family.static, self.stream),)
        if expecting.late:
            rights = expecting.admissible(vector)
        t = _differing(found, *rights)
        under = " if each triple causes a report," if name.endswith(ARRIVALS) else ","
        if vector.empty == "reported":
            under = " if empty answers are reported,"
        said, right = name.removesuffix(ARRIVALS), dict.fromkeys(self._at(one, t) for one in rights)
        wrong = f'An engine with the fault "{said}" reports {self._at(found, t)}.'
        return f"At time {t}{under} a correct engine reports {' or '.join(right)}. {wrong}"

    def sides(self):
        """Return what C-SPARQL and CQELS report, each by the first vector of its windows."""
        said = []
        for name, language, vector in (
            ("C-SPARQL", Language.CSPARQL, USUAL),
            ("CQELS", Language.CQELS, ARRIVING),
        ):
            text = dict(self.query.family.texts)[language.value]
            found = asked(text, self.query.family.static, self.stream).reports(vector)
            reports = ", ".join(f"at {t} {self._rows(rows)}" for t, rows in found) or "nothing"
            said.append(f"{name} reports {reports}")
        return f"On this stream, {'; '.join(said)}."

    def _apart(self, tells):
        one, other = tells.removeprefix(VECTORS).split(" or ")
        two = [parts(says) for says in (one, other)]
        (name,) = [key for key in two[0] if key in two[1] and two[0][key] != two[1][key]] or ["tick"]
        return name, one, other

    def _words(self, says, name):
        own = parts(says)
        return own.pop(name, "none"), ", ".join(f"{key} {value}" for key, value in own.items())

    def _at(self, reports, t):
        """Return what is reported at a time, in words."""
        found = [rows for at, rows in reports if at == t]
        if not found:
            return "nothing"
        if len(found) > 2:
            return f"{len(found)} times, the last time {self._rows(found[-1])}"
        return " and then ".join(self._rows(rows) for rows in found)

    def _rows(self, rows):
        if len(rows) > _MANY:
            return f"{len(rows)} rows, {self._row(rows[0])} .. {self._row(rows[-1])}"
        return ", ".join(self._row(row) for row in rows) or "an empty answer"

    def _row(self, row):
        if self.names == (ANSWER,) and not row:
            return "true"
        if self.names == TRIPLE:
            return f"({' '.join(map(_term, row))})"
        bound = [
            f"?{name} {_term(term)}" for name, term in zip(self.names, row, strict=False) if term is not None
        ]
        return f"({' '.join(bound)})"


def parts(says):
    """Return the values of a vector by their parameters, from its words."""
    text = str(USUAL) if says == "none" else says
    return dict(part.split(" ", 1) for part in text.split(", "))


def _term(term):
    number = re.fullmatch(r'"([^"]*)"\^\^<http://www.w3.org/2001/XMLSchema#(integer|decimal|boolean)>', term)
    return number[1] if number else re.sub(r"<http://e/([^>]*)>", r":\1", term)


def _differing(found, *others):
    """Return the first time at which a sequence of reports differs from each of others."""
    own, *rest = map(in_bags, (found, *others))

    def at(reports, t):
        return [rows for time, rows in reports if time == t]

    for t in sorted({t for one in (own, *rest) for t, _ in one}):
        if all(at(own, t) != at(one, t) for one in rest):
            return t
    raise ValueError("at each time it is as one of the others")
