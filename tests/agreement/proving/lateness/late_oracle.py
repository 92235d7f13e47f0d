"""A second evaluation of late streams: arrivals are replayed one by one, and triples are joined in loops.

A query has positive patterns, possibly a pattern of NOT EXISTS, and possibly COUNT. A pattern has a
predicate, names of its subject and object, and a window. Elements are (t, a, subject, predicate, object).
"""

from dataclasses import dataclass
from itertools import combinations, product

PREFIX = "PREFIX : <http://e/> "


@dataclass(frozen=True)
class LateQuery:
    """`patterns` and `absent` are (subject, predicate, object, window); `counted` groups by one name."""

    patterns: tuple
    absent: tuple | None = None
    counted: bool = False

    def text(self):
        def block(s, p, o, window):
            return f"STREAM :s {_written(window)} {{ ?{s} :{p} ?{o} }} "

        blocks = "".join(block(*one) for one in self.patterns)
        absent = f"FILTER NOT EXISTS {{ {block(*self.absent)} }}" if self.absent else ""
        first = self.patterns[0][0]
        names = " ".join(f"?{name}" for name in self.names)
        chosen = f"?{first} (COUNT(*) AS ?n)" if self.counted else names
        return f"{PREFIX}SELECT {chosen} WHERE {{ {blocks}{absent} }}{f' GROUP BY ?{first}' * self.counted}"

    @property
    def names(self):
        return tuple(dict.fromkeys(name for s, _, o, _ in self.patterns[:1] for name in (s, o)))

    def rows(self, seen, r, side):
        """Return the rows at r of what is seen, (t, subject, predicate, object) in order of time.

        Pull merges the windows of a stream: each pattern matches what one of the windows shows.
        """
        every = [*self.patterns, *([self.absent] if self.absent else [])]
        shown = [{each[1:] for each in _inside(window, seen, r)} for *_, window in every]
        if side == "pull":
            shown = [set().union(*shown)] * len(every)
        solutions = [{}]
        for one, triples in zip(self.patterns, shown, strict=False):
            solutions = [found for each in solutions for found in _matches(one, triples, each)]
        if self.absent:
            solutions = [each for each in solutions if not list(_matches(self.absent, shown[-1], each))]
        if self.counted:
            # Solutions are a multiset of bindings, which are distinct here: windows hold sets of triples.
            firsts = [each[self.patterns[0][0]] for each in solutions]
            return {(each, firsts.count(each)) for each in firsts}
        return {tuple(each[name] for name in self.names) for each in solutions}


def _written(window):
    kind, *sizes = window
    written = {"now": "[NOW]", "all": "[ALL]", "range": "[RANGE {}s]", "slide": "[RANGE {}s SLIDE {}s]"}
    return {**written, "rows": "[ROWS {}]"}[kind].format(*sizes)


def _inside(window, seen, r):
    kind, *sizes = window
    held = [each for each in seen if each[0] <= r]
    if kind == "rows":
        return held[-sizes[0] :]
    length, slide = {"now": (0, 1), "all": (10**9, 1)}.get(kind, (*sizes, 1)[:2])
    pivot = r // slide * slide
    return [each for each in held if pivot - length <= each[0] <= pivot]


def _matches(pattern, triples, solution):
    s, p, o, _ = pattern
    for subject, predicate, object_ in triples:
        grown = {**solution, s: subject, o: object_} if predicate == p else None
        if grown and all(grown[name] == value for name, value in solution.items()):
            yield grown


def kinds(query, side, stream, period, wait):
    """Return which of lost, lost for good and invented occur on a stream, by the definitions."""
    end = max(max(each[:2]) for each in stream) + 12 * period + 12
    visible = sorted(stream, key=lambda each: each[0])
    if side == "pull":
        moments = [(r, r + wait) for r in range(period, end, period)]
        on_time = came = moments
    else:
        on_time = [(t, None) for t in sorted({each[0] for each in stream})]
        came = [(a, a) for a in sorted({each[1] for each in stream})]

    def by_period(reference, late):
        found = {}
        for r, moment in reference:
            seen = [(t, *triple) for t, a, *triple in visible if not late or a <= moment]
            found.setdefault(-(-r // period), set()).update(query.rows(seen, r, side))
        return found

    timely, late = by_period(on_time, False), by_period(came, True)
    result = set()
    for number in {*timely, *late}:
        here, there = timely.get(number, set()), late.get(number, set())
        lost = here - there
        later = set().union(*(rows for n, rows in late.items() if n > number))
        before = set().union(*(rows for n, rows in timely.items() if n <= number))
        result |= {"lost"} if lost else set()
        result |= {"lost for good"} if lost - later else set()
        result |= {"invented"} if there - before else set()
    return result


def small_streams(query, delay, times, most):
    """Yield all streams of up to `most` elements with two terms at each place, at some times."""
    predicates = sorted({one[1] for one in (*query.patterns, *filter(None, [query.absent]))})
    elements = [
        (t, t + late, s, p, o)
        for t, late, p, s, o in product(times, range(delay + 1), predicates, "xy", "xy")
    ]
    for size in range(1, most + 1):
        yield from combinations(elements, size)
