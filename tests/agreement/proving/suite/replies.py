"""Wrong engines of the suite, each by what it replies where another reports what is right.

A fault takes the right reports and the test, and returns what the engine reports in their place. Some are
right in many tests: "duplicates removed" is, if no row comes twice.
"""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import get_args

from agreement.engines.specifications.parameters import Combination
from agreement.proving.suite.expecting import VectorReports
from agreement.proving.suite.running import SuiteAnswer, _key_at, _place, _told_at
from agreement.proving.suite.suite_tests import ExpectedReports, static_of
from agreement.proving.suite.vectors import vectors
from solver.facts import Static
from tests.agreement.proving.suite.certifying import bag
from translate.analysis import rebuild
from translate.dialects import read_query
from translate.model import patterns as algebra
from translate.model.query import Language

ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
TYPED = re.compile(r'^"([^"]*)"\^\^<http://www.w3.org/2001/XMLSchema#\w+>$')


def rows_of(change):
    """Return a fault that changes the rows of each report."""
    return lambda reports, _: [(t, change(list(rows))) for t, rows in reports]


def terms_of(change):
    """Return a fault that changes each term."""
    return rows_of(lambda rows: [tuple(None if one is None else change(one) for one in row) for row in rows])


def reports_of(change):
    """Return a fault that keeps, moves or repeats whole reports."""
    return lambda reports, _: change(list(reports))


def compared(keep):
    """Return a fault that reports of each answer what `keep` makes of the rows before and now."""

    def fault(reports, _):
        before = [(), *(rows for _, rows in reports)]
        return [(t, keep(list(old), list(rows))) for old, (t, rows) in zip(before, reports, strict=False)]

    return fault


def new(before, now):
    left = Counter(now) - Counter(before)
    return list(left.elements())


def echoed(_, test):
    return [(int(one.t), [(one.triple[0], one.triple[2])]) for one in test.stream[:-1]]


def ever(reports, _):
    seen = []
    return [(t, list(seen := [*seen, *rows])) for t, rows in reports]


def never_again(reports, _):
    seen, found = set(), []
    for t, rows in reports:
        found.append((t, [row for row in rows if row not in seen]))
        seen |= set(rows)
    return found


def at_the_next(reports, _):
    return [(t, rows) for (t, _), (_, rows) in zip(reports[1:], reports, strict=False)]


def of_the_next(reports, _):
    return [(t, rows) for (t, _), (_, rows) in pairwise(reports)]


def empties_added(reports, test):
    times = {t for t, _ in reports}
    first, last = (int(end(one.t for one in test.stream)) for end in (min, max))
    return sorted(
        [*reports, *((t, []) for t in range(first, last) if t not in times)], key=lambda one: one[0]
    )


def swapped(rows):
    return [row[::-1] for row in rows]


REPLIES = {
    "constant": lambda reports, _: [(t, [("<http://e/s>", ONE)]) for t, _ in reports],
    "echo": echoed,
    "late by one": reports_of(lambda own: [(t + 1, rows) for t, rows in own]),
    "early by one": reports_of(lambda own: [(t - 1, rows) for t, rows in own]),
    "late by a half": reports_of(lambda own: [(t + 0.5, rows) for t, rows in own]),
    "one row short": rows_of(lambda rows: rows[1:]),
    "one row short of several": rows_of(lambda rows: rows[1:] if len(rows) > 1 else rows),
    "last row lost": rows_of(lambda rows: rows[:-1]),
    "one row only": rows_of(lambda rows: rows[:1]),
    "two rows at most": rows_of(lambda rows: rows[:2]),
    "first row twice": rows_of(lambda rows: rows[:1] + rows),
    "each row twice": rows_of(lambda rows: rows + rows),
    "duplicates removed": rows_of(lambda rows: [*dict.fromkeys(rows)]),
    "one row more": rows_of(lambda rows: [*rows, ("<http://e/more>",)]),
    "rows without an answer": rows_of(lambda rows: rows or [("<http://e/more>",)]),
    "empty row for no row": rows_of(lambda rows: rows or [()]),
    "rows at the next report": at_the_next,
    "rows of the next report": of_the_next,
    "empty reports left out": reports_of(lambda own: [one for one in own if one[1]]),
    "empty reports only": reports_of(lambda own: [one for one in own if not one[1]]),
    "empty reports added": empties_added,
    "first report lost": reports_of(lambda own: own[1:]),
    "last report lost": reports_of(lambda own: own[:-1]),
    "first report only": reports_of(lambda own: own[:1]),
    "each second report": reports_of(lambda own: own[::2]),
    "each third report lost": reports_of(lambda own: [one for n, one in enumerate(own) if n % 3 != 2]),
    "each report twice": reports_of(lambda own: [one for one in own for _ in (0, 1)]),
    "times in steps of two": reports_of(lambda own: [(t // 2 * 2, rows) for t, rows in own]),
    "equal answer not reported": lambda own, _: [
        one for old, one in zip([None, *own], own, strict=False) if old is None or old[1] != one[1]
    ],
    "ISTREAM": compared(new),
    "DSTREAM": compared(lambda before, now: new(now, before)),
    "rows that stay": compared(lambda before, now: [row for row in now if row in before]),
    "rows that come or go": compared(lambda before, now: new(before, now) + new(now, before)),
    "rows never go": ever,
    "rows never come again": never_again,
    "numbers as strings": terms_of(lambda term: TYPED.sub(r'"\1"', term)),
    "numbers as decimals": terms_of(lambda term: term.replace("#integer>", "#decimal>")),
    "numbers off by one": terms_of(
        lambda term: re.sub(r'^"(\d+)"\^\^', lambda match: f'"{int(match[1]) + 1}"^^', term)
    ),
    "fractions cut": terms_of(lambda term: re.sub(r'^"(\d+)\.\d+"\^\^', r'"\1.0"^^', term)),
    "language lost": terms_of(lambda term: re.sub(r'^("[^"]*")@\w+$', r"\1", term)),
    "names as strings": terms_of(lambda term: re.sub(r"^<(.*)>$", r'"\1"', term)),
    "truth as 1": terms_of(lambda term: ONE if term.startswith('"true"') else term),
    "truth turned": terms_of(
        lambda term: term.replace('"true"', '"x"').replace('"false"', '"true"').replace('"x"', '"false"')
    ),
    "unbound as empty": rows_of(lambda rows: [tuple(one or '""' for one in row) for row in rows]),
    "unbound rows lost": rows_of(lambda rows: [row for row in rows if None not in row]),
    "columns swapped": rows_of(swapped),
    "last column lost": rows_of(lambda rows: [(*row[:-1], None) for row in rows]),
    "first column lost": rows_of(lambda rows: [(None, *row[1:]) for row in rows]),
    "equal first columns joined": rows_of(lambda rows: [*{row[:1]: row for row in rows}.values()]),
}
"""The faults by their names."""

OTHERS = {
    **{f"bounds {one}": {"bounds": one} for one in ("low-open", "high-open", "closed")},
    **{f"t0 {start}": {"start": start} for start in (0, 1, 2, 3, "first", "own")},
    **{f"combination {one}": {"combination": one} for one in get_args(Combination)},
    "window-close": {"report": frozenset({"window-close"})},
    "non-empty": {"report": frozenset({"non-empty"})},
    "empty reported": {"empty": "reported"},
    "empty silent": {"empty": "silent"},
}
"""Engines that take what is declared to be another: their replies are right by that vector."""


def patterns_of(change):
    """Return a fault that changes the parts of a query's pattern; None where it changes nothing."""

    def fault(query, static):
        changed = replace(query, pattern=rebuild(query.pattern, change))
        return None if changed.pattern == query.pattern else (changed, static)

    return fault


def modified(**values):
    """Return a fault that changes the modifiers of a query."""

    def fault(query, static):
        changed = replace(query, modifiers=replace(query.modifiers, **values))
        return None if changed == query else (changed, static)

    return fault


def side(kind, name):
    """Return a fault that has one side of a pattern in its place."""
    return patterns_of(lambda part: getattr(part, name) if isinstance(part, kind) else None)


_NOTHING = Static(frozenset(), {})
EVALUATORS = {
    "OPTIONAL as a join": patterns_of(
        lambda part: algebra.Join(part.left, part.right) if isinstance(part, algebra.LeftJoin) else None
    ),
    "OPTIONAL ignored": side(algebra.LeftJoin, "left"),
    "FILTER ignored": side(algebra.Filter, "pattern"),
    "MINUS ignored": side(algebra.Minus, "left"),
    "UNION of its left side alone": side(algebra.Union, "left"),
    "UNION of its right side alone": side(algebra.Union, "right"),
    "LIMIT and OFFSET ignored": modified(limit=None, offset=0),
    "DISTINCT ignored": modified(duplicates=""),
    "static data ignored": lambda query, static: (
        (query, _NOTHING) if static.default or static.named else None
    ),
}
"""Engines that evaluate the query otherwise: another query on the same stream, by each vector."""
OPEN = "bounds open"


def evaluated(test, language=Language.RSPQL):
    """Yield the name of each such engine with its reports and the vectors by which it gives them."""
    query, static = read_query(test.texts[language], test.name), static_of(test.static)
    for name, fault in EVALUATORS.items():
        if (changed := fault(query, static)) is not None:
            for reports, numbers in VectorReports(*changed, test.stream).choices().items():
                yield name, reports, numbers
    apart = VectorReports(query, static, test.stream)
    found = {}
    for number, vector in enumerate(vectors()):
        if vector.by_clock or not apart.repeats:
            found.setdefault(apart.reports(replace(vector, bounds="open")), []).append(number)
    for reports, numbers in found.items():
        yield OPEN, reports, numbers


def groups(test, language=Language.RSPQL):
    """Yield which reports are right of a test, and the vectors by which they are: each vector once."""
    every, admitted = test.expected(language), {}
    for place, one in enumerate(every):
        for number in one.vectors:
            admitted.setdefault(number, []).append(place)
    found = {}
    for number, places in admitted.items():
        found.setdefault(tuple(places), []).append(number)
    for places, numbers in found.items():
        yield [every[place] for place in places], numbers


def answer(test, names, reports):
    """Return what an engine answered: columns beyond those that are expected have a name of their own."""
    named = (*names, "more", "most")
    rows = ((float(t), tuple(dict(zip(named, row, strict=False)) for row in rows)) for t, rows in reports)
    return SuiteAnswer(test, tuple(rows))


def expected_key(expected, answer):
    """Return expected reports as they are compared with an answer whose times are those of evaluations."""
    return _key_at(expected, _told_at(_place("evaluation", after=True), answer.test), answer)


def is_right(came, right):
    """Whether the suite takes an answer as one that is right."""
    key = came.key("evaluation")
    return any(key == expected_key(one, came) for one in right)


def told(names, reports, until):
    """Return the rows of each time before the end, as bags: what two engines can differ in."""
    found = {}
    for t, rows in reports:
        if t < until:
            padded = [tuple(row)[: len(names)] + (None,) * (len(names) - len(row)) for row in rows]
            more = Counter(len(row) > len(names) for row in rows)[True]
            found[t] = found.get(t, Counter()) + bag(names, padded) + Counter({"more": more} if more else {})
    return found


def other_reports(test, number, change, language=Language.RSPQL):
    """Return what is right by a vector that differs in one value, None where no other is named."""
    wanted = replace(vectors()[number], **change)
    if wanted == vectors()[number] or wanted not in _places():
        return None
    at = _places()[wanted]
    return next((one.reports for one in test.expected(language) if at in one.vectors), None)


_PLACES = {}


def _places():
    if not _PLACES:
        _PLACES.update({vector: n for n, vector in enumerate(vectors())})
    return _PLACES


def wrong_replies(test, right, number):
    """Yield the name of each wrong engine with what it reports in a test by a vector."""
    first: ExpectedReports = right[0]
    for name, fault in REPLIES.items():
        yield name, fault(first.reports, test)
    for name, change in OTHERS.items():
        reports = other_reports(test, number, change)
        if reports is not None:
            yield name, reports
