"""Random pairs over windows of all kinds, with operators and units, and a naive evaluation of them.

A query is a list of branches (UNION), each of parts `(window, subject, predicate, object)` in one stream,
perhaps with a second list of such beside it: `("MINUS", parts)`, OPTIONAL or NOT EXISTS. A window is
`("range", L, D)`, `("rows", n)`, `("now",)` or `("all",)`, L and D in seconds, of which each is `scale` time
points. Shares no code with the program.
"""

import random
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from math import gcd

from agreement.proving.containment import PairQuery, reports_containment
from lars.durations import Duration
from solver.deadlines import Deadline
from translate.dialects import read_query
from translate.model.query import Language, Setting

E = "http://e/"
TERMS = tuple(f"<{E}{name}>" for name in "ab")
OPERATORS = ("RSTREAM", "ISTREAM", "DSTREAM")


@dataclass(frozen=True)
class Windowed:
    branches: tuple
    operator: str = "RSTREAM"
    bounds: str = "closed"
    scale: int = 1
    beside: tuple = ()
    result: tuple = ("?x",)
    profile: str = "paper2015"
    pulled: bool = False

    @property
    def whole(self):
        """The branches, each with what stands beside it or None."""
        return tuple(zip_longest(self.branches, self.beside))


# Texts


def window_text(window):
    match window:
        case ("range", length, slide):
            return f"[RANGE {length}s{f' SLIDE {slide}s' if slide else ''}]"
        case ("rows", count):
            return f"[ROWS {count}]"
        case ("now",):
            return "[NOW]"
        case ("all",):
            return "[RANGE UNBOUNDED]"


def branch_text(parts):
    return " ".join(f"STREAM <{E}s> {window_text(w)} {{ {s} {p} {o} }}" for w, s, p, o in parts)


def beside_text(beside):
    if beside is None:
        return ""
    kind, parts = beside
    return f" {'FILTER ' * (kind == 'NOT EXISTS')}{kind} {{ {branch_text(parts)} }}"


def text(one):
    branches = (f"{{ {branch_text(parts)}{beside_text(beside)} }}" for parts, beside in one.whole)
    return f"SELECT {' '.join(one.result)} {{ {' UNION '.join(branches)} }}"


def query(one, seconds=None):
    found = replace(read_query(text(one), "q.rq"), to_stream=one.operator)
    if one.pulled:
        found = replace(found, language=Language.RSPQL)
    unit, profile = Duration(10**9 // one.scale), one.profile
    setting = Setting(bounds=one.bounds, unit=unit, profile=profile)
    return PairQuery(found, setting, Deadline() if seconds is None else Deadline.after(seconds))


# Evaluation


def shown(one, window, arrivals, now):
    """Return the triples that a window shows at a time of the arrivals before and at it."""
    own = list(dict.fromkeys(each for each in arrivals if each[0] <= now))
    match window:
        case ("rows", count):
            return [triple for _, triple in own[-count:]]
        case ("now",):
            return [triple for t, triple in own if t == now]
        case ("all",):
            return [triple for _, triple in own]
        case ("range", length, slide):
            step = (slide or 0) * one.scale or 1
            last = now - now % step
            first = last - length * one.scale + (one.bounds == "low-open")
            return [triple for t, triple in own if first <= t <= last - (one.bounds == "high-open")]


def matches(one, parts, arrivals, now, row):
    if not parts:
        yield row
        return
    window, *terms = parts[0]
    for triple in shown(one, window, arrivals, now):
        grown = dict(row)
        pairs = zip(terms, triple, strict=True)
        if all((grown.setdefault(t, c) if t[0] == "?" else t) == c for t, c in pairs):
            yield from matches(one, parts[1:], arrivals, now, grown)


def names_of(parts):
    return {term for _, *terms in parts for term in terms if term[0] == "?"}


def solutions(one, arrivals, now):
    for parts, beside in one.whole:
        for row in matches(one, parts, arrivals, now, {}):
            if beside is None:
                yield row
                continue
            kind, more = beside
            # All that a branch binds is bound: what is compatible is what a match of both has.
            whole = list(matches(one, more, arrivals, now, row))
            apart = kind == "MINUS" and one.profile == "sparql11" and not names_of(more) & names_of(parts)
            if kind == "OPTIONAL":
                yield from whole or [row]
            elif apart or not whole:
                yield row


def answers(one, arrivals, now):
    return {tuple(map(row.get, one.result)) for row in solutions(one, arrivals, now)}


def reported(one, arrivals, before, now):
    then = set() if before is None else answers(one, arrivals, before)
    found = answers(one, arrivals, now)
    return {"RSTREAM": found, "ISTREAM": found - then, "DSTREAM": then - found}[one.operator]


def windows_of(one):
    branches = (parts for branch, beside in one.whole for parts in (branch, beside[1] if beside else ()))
    return [window for parts in branches for window, *_ in parts]


def evaluation_before(one, other, arrivals, now):
    """Return the evaluation before one at a time, or None; "none" if nothing is evaluated at the time."""
    if one.pulled:
        slides = [window[2] for each in (one, other) for window in windows_of(each) if window[0] == "range"]
        period = gcd(*(slide * one.scale for slide in slides if slide)) or 1
        return "none" if now % period else now - period if now else None
    times = sorted({t for t, _ in arrivals if t <= now})
    return "none" if now not in times else ([None, *times])[times.index(now)]


# Random pairs


def random_window(rng):
    kind = rng.random()
    if kind < 0.62:
        return ("range", rng.randint(1, 5), rng.choice((None, None, 2, 3)))
    return ("rows", rng.randint(1, 3)) if kind < 0.8 else rng.choice((("now",), ("all",)))


def random_part(rng):
    subject, object_ = rng.choice(("?x", "?x", "?y")), rng.choice(("?x", "?y", "?z", TERMS[0]))
    return (random_window(rng), subject, rng.choice((f"<{E}p>", f"<{E}p>", f"<{E}q>")), object_)


def random_branch(rng, most):
    parts = [random_part(rng) for _ in range(rng.randint(1, most))]
    first = parts[0]
    return ((first[0], "?x", *first[2:]), *parts[1:])


def pair(seed):
    """Return a query, and one that is like it in other windows, or another one."""
    rng = random.Random(seed)
    one = tuple(random_branch(rng, 2) for _ in range(rng.choice((1, 1, 2))))
    if rng.random() < 0.75:
        # The same patterns through other windows, perhaps several.
        parts = [(random_window(rng), *part[1:]) for _ in range(2) for branch in one[:1] for part in branch]
        many = len(one[0])
        other = tuple(tuple(parts[n : n + many]) for n in range(0, len(parts), many))[: rng.choice((1, 2, 2))]
        other += one[1:]
    else:
        other = tuple(random_branch(rng, 2) for _ in range(rng.choice((1, 2))))
    operators = ["RSTREAM"] * 2 if rng.random() < 0.6 else [rng.choice(OPERATORS) for _ in range(2)]
    more = rng.choice(("closed", "closed", "low-open", "high-open")), rng.choice((1, 1, 2, 3, 4))
    more = more if 10**9 % more[1] == 0 else (more[0], 1)
    return Windowed(one, operators[0], *more), Windowed(other, operators[1], *more)


def pair_by_time(seed, made=pair):
    """Return two queries that time triggers, of which at least one has ISTREAM or DSTREAM."""
    rng = random.Random(f"by time {seed}")
    operators = rng.choice([each for each in product(OPERATORS, OPERATORS) if each != ("RSTREAM",) * 2])
    pair_made, slide = made(seed), rng.choice((None, 1, 2))
    if rng.random() < 0.5:
        # One query with other lengths: of such pairs, many are contained.
        pair_made, slide = (pair_made[0],) * 2, rng.choice((1, 2, 3))
    return tuple(
        replace(_sliding(each, slide, rng), operator=operator, pulled=True)
        for each, operator in zip(pair_made, operators, strict=True)
    )


def _sliding(one, slide, rng):
    """Return the query with one slide and other lengths for its windows of a length, if one is given."""
    if slide is None:
        return one

    def moved(parts):
        return tuple(
            (("range", rng.randint(1, 8), slide) if w[0] == "range" else w, *terms) for w, *terms in parts
        )

    beside = tuple(each and (each[0], moved(each[1])) for each in one.beside)
    return replace(one, branches=tuple(map(moved, one.branches)), beside=beside)


KINDS = ("MINUS", "OPTIONAL", "NOT EXISTS")


def random_beside(rng, parts):
    """Return what may stand beside a branch: patterns of its variables or others, in windows of their own."""
    if rng.random() < 0.2:
        return None
    terms = ("?x", "?x", "?y", "?w", "?w", TERMS[0])
    found = tuple(
        (
            random_window(rng),
            rng.choice(terms[:-1]),
            rng.choice((f"<{E}p>", f"<{E}q>", f"<{E}r>")),
            rng.choice(terms),
        )
        for _ in range(rng.choice((1, 1, 2)))
    )
    # Often what the branch matches itself, in another window.
    if rng.random() < 0.3:
        found = ((random_window(rng), *parts[0][1:]), *found[1:])
    return rng.choice(KINDS), found


def pair_beside(seed):
    """Return two queries with MINUS, OPTIONAL or NOT EXISTS, of which windows differ, or more."""
    rng = random.Random(f"beside {seed}")
    one = tuple(random_branch(rng, 2) for _ in range(rng.choice((1, 1, 2))))
    beside = tuple(random_beside(rng, parts) for parts in one)

    def moved(parts):
        return tuple((w if rng.random() < 0.6 else random_window(rng), *part) for w, *part in parts)

    other = tuple(moved(parts) for parts in one)
    away = tuple(each and (each[0], moved(each[1])) for each in beside)
    if rng.random() < 0.25:
        away = tuple(random_beside(rng, parts) for parts in other)
    if rng.random() < 0.15:
        away = tuple(each and (rng.choice(KINDS), each[1]) for each in away)
    operators = ["RSTREAM"] * 2 if rng.random() < 0.8 else [rng.choice(OPERATORS) for _ in range(2)]
    more = rng.choice(("closed", "closed", "low-open", "high-open")), rng.choice((1, 1, 1, 2))
    result, profile = rng.choice((("?x",), ("?w", "?x"))), rng.choice(("paper2015", "sparql11"))
    return tuple(
        Windowed(parts, operator, *more, some, result, profile)
        for parts, operator, some in ((one, operators[0], beside), (other, operators[1], away))
    )


def refuting(one, other, seed, count):
    """Return a stream and two evaluations with a row that the first reports alone, None if none is found."""
    rng = random.Random(seed)
    pool = [
        (s, p, o)
        for each in (one, other)
        for branch, beside in each.whole
        for parts in (branch, beside[1] if beside else ())
        for _, *terms in parts
        for s, p, o in product(*(TERMS if t[0] == "?" else (t,) for t in terms))
    ]
    pool = [*dict.fromkeys(pool), *((f"<{E}n{n}>", f"<{E}n>", f"<{E}n>") for n in range(4))]
    for _ in range(count):
        now = rng.randint(0, 13 * one.scale)
        times = sorted(rng.randint(max(0, now - 7 * one.scale), now) for _ in range(rng.randint(1, 4)))
        near = pool if rng.random() < 0.5 else rng.sample(pool, min(2, len(pool)))
        arrivals = [(t, rng.choice(near)) for t in times]
        before = None
        if {one.operator, other.operator} != {"RSTREAM"}:
            if not one.pulled and rng.random() < 0.7:
                arrivals.append((now, rng.choice(pool)))
            before = evaluation_before(one, other, arrivals, now)
            if before == "none":
                continue
        if reported(one, arrivals, before, now) - reported(other, arrivals, before, now):
            return arrivals, before, now
    return None


def judged(seed, count=300, made=pair, seconds=None):
    """Return the verdict on a random pair, and what is wrong with it or None."""
    one, other = made(seed)
    found = reports_containment(query(one, seconds), query(other, seconds))
    against = refuting(one, other, seed, count) if found.holds is not False else None
    if found.holds and against is not None:
        return found, f"contained, yet not on {against}"
    if found.witness is not None and not shows(one, other, found.witness):
        return found, f"the data that refute it do not: {found.witness}"
    return found, None


def shows(one, other, against):
    """Return whether the naive evaluation finds the row of a counterexample on the one side alone.

    The evaluation before must be the one that comes before, as the queries are evaluated.
    """
    arrivals = [(fact.t, tuple(fact.arguments[:3])) for fact in against.facts]
    if {one.operator, other.operator} != {"RSTREAM"} and against.before != evaluation_before(
        one, other, arrivals, against.end
    ):
        return False
    row = against.row
    rows = (reported(each, arrivals, against.before, against.end) for each in (one, other))
    return (row in next(rows)) and row not in next(rows)
