"""Each rule of C-SPARQL 0.9.7, once off, changes an answer; without all of them it is the specification."""

import random

import pytest
import rdflib

from agreement.documents.recordings import Push
from agreement.engines.versions import csparql_097 as clock
from agreement.engines.versions.csparql_097 import CSPARQL_097, CSPARQL_097_POM
from lars.errors import LarsError
from tests.agreement.engines.versions.csparql_runs import (
    ALL_OFF,
    NO_STATIC,
    arriving,
    pushed,
    query,
    recording,
    reports,
    term,
)
from tests.sizes import size

TICKS = arriving("a@20500", "b@21000", "c@21500", "d@22500")
LATE = arriving("a@10500", "b@12500", "c@11500", "d@14700")
COUNT = "SELECT ?s (COUNT(?o) AS ?n) WHERE { ?s :p ?o FILTER(?o > 5) } GROUP BY ?s"
SAME = "SELECT ?s WHERE { ?s :p ?o . :x :q ?o }"
CHANGES = {
    "W1": (
        query("S 1s STEP 1s,T 9s STEP 1s"),
        pushed("0 T a p 1^", "500 T b p 1^", "1500 T c p 1^", "1600 S d p 1^"),
        [(1001, 2, ["b"])],
        [(1001, 2, ["a", "b"])],
    ),
    "W2": (
        query("S TRIPLES 2"),
        pushed("500 S a p 1^", "600 T b p 1^", "700 S c p 1^"),
        [(600, 1, ["a"])],
        [(700, 2, ["a", "c"])],
    ),
    "W3a": (
        query("S 1s STEP 1s"),
        TICKS,
        [(21000, 2, ["b"]), (22001, 3, ["c"])],
        [(21000, 2, ["a", "b"]), (22001, 3, ["c"])],
    ),
    "W3b": (
        query("S 1s STEP 1s"),
        TICKS,
        [(21000, 2, ["b"]), (22001, 3, ["c"])],
        [(21000, 2, ["b"]), (22000, 3, ["c"])],
    ),
    "W3c": (
        query("S 9s STEP 1s"),
        arriving("a@10500", "b@11000", "c@10700", "d@11500"),
        [(11000, 3, ["a", "b"])],
        [(11000, 3, ["a", "b", "c"])],
    ),
    "W4a": (
        query("S 2s STEP 2s"),
        arriving("a@11500", "b@12500", "c@14500"),
        [(13001, 2, ["b"])],
        [(12001, 1, ["a"]), (14001, 2, ["b"])],
    ),
    "W4b": (
        query("S 2s STEP 1s"),
        LATE,
        [(11001, 1, ["a"]), (13001, 3, ["b", "c"]), (14001, 3, ["b", "c"])],
        [(11001, 1, ["a"]), (13001, 3, ["b", "c"]), (14001, 3, ["b"])],
    ),
    "W4c": (
        query("S 1s TUMBLING"),
        TICKS,
        [(21000, 2, ["a", "b"]), (22001, 3, ["c"])],
        [(21000, 2, ["b"]), (22001, 3, ["c"])],
    ),
    "W4d": (
        query("S TRIPLES 2"),
        arriving("a@500", "b@600", "c@700"),
        [(600, 1, ["a", "b"])],
        [(0, 0, ["a"]), (600, 1, ["a", "b"]), (700, 2, ["b", "c"])],
    ),
    "W5": (
        query("S 1s STEP 1s"),
        pushed("500 T a p 1^", "1500 T b p 1^", "2500 T c p 1^"),
        [],
        [(2001, 2, [])],
    ),
    "W6a": (
        query("S 9s STEP 1s", COUNT),
        arriving("a@500", "b@1500"),
        [(1001, 1, ["0 -"])],
        [(1001, 1, [])],
    ),
    "W6b": (
        query("S 9s STEP 1s", SAME),
        pushed("500 S a p 01^", "600 S x q 1.0^decimal", "1500 S b p 1^"),
        [(1001, 2, ["a"])],
        [(1001, 2, [])],
    ),
}


def test_there_is_a_case_for_each_rule():
    assert tuple(CHANGES) == tuple(rule.name for rule in CSPARQL_097.rules)


@pytest.mark.parametrize("rule", CHANGES)
def test_a_rule_that_is_off_changes_the_answer(rule):
    asked, pushes, on, off = CHANGES[rule]
    assert reports(asked, pushes) == on
    assert reports(asked, pushes, {rule}) == off


def test_nothing_is_rejected_without_the_rule_that_says_so():
    asked, pushes, _, _ = CHANGES["W3c"]
    assert recording(asked, pushes).rejected == (2,)
    assert recording(asked, pushes, {"W3c"}).rejected == ()


JOIN = "SELECT ?s ?a ?b WHERE { ?s :p ?a OPTIONAL { ?s :q ?b } }"
SUM = "SELECT (SUM(?a) AS ?b) WHERE { ?s :p ?a . ?t :q ?a }"


def answered(body, triples):
    """Return the rows that rdflib finds, as `reports` writes them."""
    graph = rdflib.Graph().parse(data="\n".join(f"{' '.join(t)} ." for t in triples), format="nt")
    found = graph.query(f"PREFIX : <http://e/> {body}")
    names = sorted(map(str, found.vars))
    written = ((row[name] for name in names) for row in found)
    return sorted(
        " ".join("-" if x is None else str(x).removeprefix("http://e/") for x in row) for row in written
    )


class Window:
    """A window of the specification: (o, c] with c at the multiples of the slide, or the newest N."""

    def __init__(self, stream, length, slide=None):
        self.stream, self.length, self.slide = stream, length, slide

    def __str__(self):
        return f"{self.stream} {self.length}s STEP {self.slide}s" if self.slide else self._rows

    @property
    def _rows(self):
        return f"{self.stream} TRIPLES {self.length}"

    def closes(self, t, push):
        if self.slide is None:
            return push is not None and push.stream == term(self.stream)
        return push is None and t % (1000 * self.slide) == 0

    def content(self, t, pushes):
        own = [push for push in pushes if push.stream == term(self.stream)]
        if self.slide is None:
            return own[-self.length :]
        return [push for push in own if t - 1000 * self.length < push.t <= t]


def specified(windows, body, pushes):
    """Return the reports by the definition: at each close, and at each arrival for tuple windows."""
    found, reached = [], 0
    for n, push in enumerate(pushes):
        moments = [(t, None, n) for t in range(reached, int(push.t)) if t % 1000 == 0]
        for t, arrived, known in (*moments, (push.t, push, n + 1)):
            reached = max(reached, int(t))
            shown = [
                (window.closes(t, arrived), window.content(max(t, reached), pushes[:known]))
                for window in windows
            ]
            if any(closes and content for closes, content in shown):
                triples = {p.triple for _, content in shown for p in content}
                found.append((t, n, answered(body, triples)))
    return found


def random_pushes(chance, late):
    t, found = chance.randrange(0, 3000, 250), []
    for _ in range(14):
        t += chance.choice((0, 250, 500, 1000, 1250))
        at = max(0, t - chance.choice((0, 500, 1750))) if late else t
        s, p, o, g = (chance.choice(names) for names in ("abc", "pq", "123", "SSTU"))
        found.append(f"{at} {g} {s} {p} {o}^")
    return pushed(*found)


@pytest.mark.parametrize("late", [False, True], ids=["in order", "out of order"])
@pytest.mark.parametrize(
    "windows",
    [
        (Window("S", 3, 1),),
        (Window("S", 2, 2),),
        (Window("S", 1, 3),),
        (Window("S", 5, 2),),
        (Window("S", 3),),
        (Window("S", 4, 2), Window("T", 3, 3)),
        (Window("S", 2, 1), Window("T", 2)),
        (Window("S", 2, 1), Window("S", 6, 2)),
    ],
    ids=lambda windows: ", ".join(map(str, windows)),
)
def test_with_all_rules_off_it_is_the_specification(windows, late):
    for seed in range(size(1, 4)):
        pushes = random_pushes(random.Random(seed), late)
        for body in (JOIN, SUM):
            asked = query(",".join(map(str, windows)), body)
            assert reports(asked, pushes, ALL_OFF) == specified(windows, body, pushes)


def test_tumbling_is_a_slide_as_long_as_the_range_where_all_rules_are_off():
    pushes = random_pushes(random.Random(1), late=False)
    found = reports(query("S 2s TUMBLING", JOIN), pushes, ALL_OFF)
    assert found == reports(query("S 2s STEP 2s", JOIN), pushes, ALL_OFF)


@pytest.mark.parametrize("events", [clock.drive, clock.specified_clock])
def test_a_push_far_beyond_all_others_is_refused(events):
    pushes = [Push(t, "<x:s>", ("<x:a>", "<x:p>", "<x:b>")) for t in (5.0, 1e19)]
    with pytest.raises(LarsError, match="the clock ticks more than 1000000 times from "):
        list(events(enumerate(pushes)))


def test_with_the_jena_of_its_pom_the_sum_of_nothing_is_0_and_the_least_of_it_is_unbound():
    asked = query("S 5s STEP 2s", "SELECT (SUM(?a) AS ?n) (MIN(?a) AS ?m) WHERE { ?s :p ?a }")
    trace = pushed("20100 S a q 1^", "22100 S b q 1^")
    (report,) = CSPARQL_097_POM.run(asked, NO_STATIC, trace).reports
    assert report.rows == ((None, term("0^")),)
    (report,) = CSPARQL_097_POM.run(asked, NO_STATIC, trace, frozenset(["P1"])).reports
    assert report.rows == ((None, None),)
    assert CSPARQL_097.run(asked, NO_STATIC, trace).reports == (report,)
