"""Expected reports a second and a third time: window by window with Oxigraph, and by clingo.

The first lives through the stream by the machine of the specifications' tests, which knows when windows
report and what they show, and asks Oxigraph for each content; it shares no code with the program. The
second asks clingo the LARS program of the query at the ticks of the specification's timetable.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate

import pyoxigraph as ox

from agreement.engines.adapters.oxigraph import TRIPLE, register
from agreement.engines.specifications import clock_answers, evaluation
from agreement.proving.hunting import WRITINGS
from agreement.proving.suite import engine_answers
from agreement.proving.suite.running import _term
from agreement.proving.suite.suite_tests import _read
from agreement.proving.suite.vectors import PERIOD, vectors
from solver.job import answers_at
from tests.agreement.engines.specifications.operational import Machine, Run, Window, streamed
from tests.agreement.engines.specifications.operational_moments import Arrival, Policy
from tests.agreement.proving.suite.comments import OXIGRAPH_WRONG
from tests.agreement.proving.suite.window_engines import WindowEngine, WindowRun
from translate.model.query import Language

TRUE = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'


def bag(names, rows):
    """Return rows as a bag without what is unbound, numbers by their value, a long quotient in part."""
    return Counter(
        frozenset((name, short(str(term))) for name, term in zip(names, row, strict=True) if term is not None)
        for row in rows
    )


def short(text):
    term = _term(text, False)
    return round(term, 14) if isinstance(term, Fraction) and "." in text else term


def expected(test, number, language=Language.RSPQL):
    """Return each sequence of reports by which a test is right under a vector: most have one."""
    return [
        [(t, _bag(one.names, rows)) for t, rows in one.reports]
        for one in test.expected(language)
        if number in one.vectors
    ]


def by_vector(test):
    """Return the same as `expected` in RSP-QL for all vectors, by their numbers."""
    found = defaultdict(list)
    for one in test.expected(Language.RSPQL):
        reports = [(t, _bag(one.names, rows)) for t, rows in one.reports]
        for number in one.vectors:
            found[number].append(reports)
    return found


@lru_cache(maxsize=4096)
def _bag(names, rows):
    return bag(names, rows)


def in_order(test):
    """Return a test without what comes late in its stream."""
    latest = accumulate((one.t for one in test.stream), max)
    kept = (one for one, t in zip(test.stream, latest, strict=True) if one.t >= t)
    return replace(test, stream=tuple(kept))


def by_times(test):
    """Yield a test with its stream in the order of times, if each stream by itself is in order."""
    own = sorted(test.stream, key=lambda one: one.t)
    if all(
        [one for one in test.stream if one.stream == name] == [one for one in own if one.stream == name]
        for name in {one.stream for one in own}
    ):
        yield replace(test, stream=tuple(own))


def in_time(test, number):
    """Yield the reports of a test by times alone, if each stream by itself is in order."""
    return (WindowByWindow(one).reports(number) for one in by_times(test))


def with_late(test):
    """Return the reports of the usual vector by an engine that takes what comes late."""
    reports = engine_answers([WindowEngine(WindowRun)], [test], WRITINGS[0], {})[0].reports
    until = max(one.t for one in test.stream)
    return [(t, bag(rows[0], [row.values() for row in rows])) for t, rows in reports if t < until]


class WindowByWindow:
    """A test of the suite in RSP-QL, lived through for each vector."""

    def __init__(self, test):
        self.test = test
        self.asked = register({"query": test.texts[Language.RSPQL], "static": test.static})
        self.until = int(max(one.t for one in test.stream))
        self.answers = lru_cache(maxsize=None)(self._answers)
        self.lived = lru_cache(maxsize=None)(self._lived)
        self.arrivals = tuple(
            Arrival(int(one.t), one.stream[1:-1], one.triple, n) for n, one in enumerate(test.stream)
        )

    def reports(self, number):
        """Return the reports of a vector before the last element."""
        words = vectors()[number].values()
        empty = words.pop("empty") == "reported"
        lived = self.lived(vectors()[number].by_clock, *words.items())
        return [(t, rows) for t, rows in lived if t < self.until and (rows or empty)]

    def _lived(self, by_clock, *words):
        """Return the time and the rows of each evaluation, which are the same if empty answers are silent."""
        words = dict(words)
        first = int(min(one.t for one in self.test.stream))
        windows = tuple(
            Window(
                one.stream,
                "time",
                one.width,
                one.step,
                self.start(one, n, words["t0"], first),
                frozenset(words["report"].split(" and ")),
            )
            for n, one in enumerate(self.asked.windows)
        )
        policy = Policy(words["bounds"], words.get("tick", "instant"), words["combination"], PERIOD)
        if by_clock:
            policy = policy._replace(tick="instant")
        machine = Machine(Run(None, windows, self.arrivals, policy, self.until))
        before, found = Counter(), []
        for moment, _ in machine.evaluated():
            shown = tuple(
                tuple(sorted({one.triple for one in machine.shown(own, moment)})) for own in windows
            )
            now = self.answers(shown)
            found.append((moment.t, streamed(self.asked.operator, now, before)))
            before = now
        return found

    def start(self, window, place, t0, first):
        """Return t0 of a window, which is the place-th of the query."""
        own = int(min((one.t for one in self.arrivals if one.stream == window.stream), default=first))
        named = {"aligned": 0, "first": first, "first-aligned": first, "own": own, "own-aligned": own}
        if t0 in named:
            return named[t0] - window.width * t0.endswith("aligned")
        return int([*t0.split("/")][place % (1 + t0.count("/"))])

    def _answers(self, shown):
        store = ox.Store()
        store.extend(self.asked.static)
        for window, triples in zip(self.asked.windows, shown, strict=True):
            text = "".join(f"{' '.join(one)} .\n" for one in triples)
            graph = ox.NamedNode(window.name)
            store.extend(
                ox.Quad(one.subject, one.predicate, one.object, graph)
                for one in ox.parse(text, ox.RdfFormat.N_TRIPLES)
            )
        found = store.query(self.asked.query)
        if isinstance(found, ox.QueryBoolean):
            return bag(("Answer",), [(TRUE,)] if found else [])
        if isinstance(found, ox.QueryTriples):
            return bag(TRIPLE, {(one.subject, one.predicate, one.object) for one in found})
        names = [one.value for one in found.variables]
        return bag(names, ([solution[name] for name in names] for solution in found))


def by_clingo(expecting, number):
    """Return the reports of a vector, each evaluation's from clingo."""
    original = clock_answers.answers_at
    clock_answers.answers_at = partial(answers_at, evaluator="clingo")
    known, evaluation.answers_of = evaluation.answers_of, lambda _: None
    try:
        found = evaluation._evaluated(expecting.scheduled(vectors()[number]))
    finally:
        clock_answers.answers_at, evaluation.answers_of = original, known
    asks = expecting.names == ("Answer",)
    return [
        (one.time, bag(expecting.names, [(TRUE,)] * bool(one.rows) if asks else one.rows))
        for one in found
        if 0 <= one.time < expecting.until
        if one.rows or vectors()[number].empty == "reported"
    ]


def oxigraph_is_right(test):
    """Whether Oxigraph answers the query of a test as SPARQL 1.1 says."""
    return not test.name.startswith(OXIGRAPH_WRONG)


def parsed(test):
    return _read(test.texts[Language.RSPQL])


def firsts(test, every=1):
    """Return a vector of each choice of a test, and the last one: other numbers of the same choice."""
    for place, one in enumerate(test.expected(Language.RSPQL)):
        if place % every == 0:
            yield from {one.vectors[0], one.vectors[-1]}


def is_the_only(test, choice):
    """Return whether a choice has rows, and no other choice is right for its first vector."""
    return any(rows for _, rows in choice.reports) and len(expected(test, choice.vectors[0])) == 1


def faulty(test, rng):
    """Return a test with a fault in the reports of one choice, and the number of a vector of it."""
    every = list(test.expected(Language.RSPQL))
    place = rng.choice([n for n, one in enumerate(every) if is_the_only(test, one)])
    one = every[place]
    at = rng.choice([n for n, (_, rows) in enumerate(one.reports) if rows])
    t, rows = one.reports[at]
    changed = rng.choice(([(t + 1, rows)], [(t, rows[1:])], [(t, (*rows, rows[0]))], [(t, rows)] * 2, []))
    every[place] = replace(one, reports=(*one.reports[:at], *changed, *one.reports[at + 1 :]))
    return replace(test, expected=lambda _: tuple(every)), one.vectors[0]
