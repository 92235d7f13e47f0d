"""A second search for the smallest differing stream: every stream of a small domain, one after the other.

It shares no code with the program: streams are enumerated, windows are cut and patterns matched by loops.
A `Question` is written as both queries by `texts`, and found differing, or not, by `search`.
"""

from collections import Counter
from itertools import combinations, product
from typing import NamedTuple

E = "http://example.org/"


class Part(NamedTuple):
    """?subject :predicate ?object in a window: its length, None for NOW, "2" for two triples; its slide."""

    subject: str
    predicate: str
    object: str
    stream: str
    length: int | str | None
    slide: int = 1


class Asked(NamedTuple):
    """Two parts, how the second is attached (join, optional, minus), a condition, and the period.

    With the operator count their solutions are counted for each value of what is shown, if at least `least`
    many; with first and last the first `least` of them, or all after these, in the order of what is shown.
    """

    parts: tuple[Part, ...]
    operator: str
    shown: tuple[str, ...]
    least: int | None
    period: int
    bounds: str = "closed"


class Smallest(NamedTuple):
    """How many triples a smallest stream has, and where its period ends."""

    triples: int
    end: int


def texts(asked):
    """Return the query in C-SPARQL and in CQELS."""
    windows = {(part.stream, part.length, part.slide) for part in asked.parts}
    named = "".join(f"FROM STREAM :{s} [{_range(n, d, 'STEP')}] " for s, n, d in sorted(windows, key=str))
    head = f"PREFIX : <{E}> SELECT {' '.join(f'?{name}' for name in asked.shown)} "
    plain = [_triple(part) for part in asked.parts]
    blocks = [
        f"STREAM :{part.stream} [{_range(part.length, part.slide, 'SLIDE')}] {{ {triple} }}"
        for part, triple in zip(asked.parts, plain, strict=True)
    ]
    filters = "" if asked.least is None else f" FILTER (?{asked.parts[0].object} >= {asked.least})"
    names = " ".join(f"?{name}" for name in asked.shown)
    tails = {
        "count": f"{names and f' GROUP BY {names}'} HAVING (COUNT(*) >= {asked.least})",
        "first": f" ORDER BY {names} LIMIT {asked.least}",
        "last": f" ORDER BY {names} OFFSET {asked.least}",
    }
    if asked.operator in tails:
        counted = "(COUNT(*) AS ?n) " if asked.operator == "count" else ""
        head, tail = f"PREFIX : <{E}> SELECT {names} {counted}", tails[asked.operator]
        return (
            f"REGISTER QUERY q AS {head}{named} WHERE {{ {' '.join(plain)} }}{tail}",
            f"{head} WHERE {{ {' '.join(blocks)} }}{tail}",
        )
    one, other = (_attached(asked, parts) + filters for parts in (plain, blocks))
    return f"REGISTER QUERY q AS {head}{named} WHERE {{ {one} }}", f"{head} WHERE {{ {other} }}"


def _range(length, slide, word):
    if length is None:
        return "NOW"
    if isinstance(length, str):
        return f"ROWS {length}"
    return f"RANGE {length}s" + (f" {word} {slide}s" if slide > 1 or word == "STEP" else "")


def _triple(part):
    return f"?{part.subject} :{part.predicate} ?{part.object} ."


def _attached(asked, parts):
    first, *rest = parts
    word = {"join": "", "optional": "OPTIONAL ", "minus": "MINUS "}[asked.operator]
    return first + "".join(f" {word}{{ {part} }}" if word else f" {part}" for part in rest)


def search(asked, most, horizon, values):
    """Return the smallest differing stream of up to `most` triples within the horizon, else None."""
    triples = dict.fromkeys(
        (s, part.predicate, o, part.stream)
        for part in asked.parts
        for s, o in product(*(values[name] for name in (part.subject, part.object)))
    )
    other = ("x", "other", "y", asked.parts[0].stream)
    for count in range(most + 1):
        found = None
        for end in range(asked.period, horizon + 1, asked.period):
            arrivals = list(product(range(end + 1), (*triples, other)))
            for stream in combinations(arrivals, count):
                if differ(asked, stream, end):
                    return Smallest(count, end)
    return found


def differ(asked, stream, end):
    """Whether push and pull differ in the period that ends there."""
    start = end - asked.period
    pushed = set()
    for t in sorted({t for t, _ in stream if start < t <= end}):
        pushed |= rows(asked, stream, t, merged=False)
    return pushed != rows(asked, stream, end, merged=True)


def reported(asked, stream, t, operator):
    """Return what push reports at t of its rows: all, what is new, or what is gone."""
    times = sorted({u for u, _ in stream if u <= t})
    if times[-1:] != [t]:
        return set()
    now = rows(asked, stream, t, merged=False)
    before = rows(asked, stream, times[-2], merged=False) if len(times) > 1 else set()
    return {"rstream": now, "istream": now - before, "dstream": before - now}[operator]


def rows(asked, stream, t, *, merged, static=()):
    """Return the rows at t, over all windows together or each part over its own, and over static triples."""
    contents = [[*_shown(asked, part, stream, t), *static] for part in asked.parts]
    if merged:
        contents = [[triple for content in contents for triple in content]] * len(contents)
    matches = [
        [
            {part.subject: s, part.object: o}
            for s, p, o in content
            if p == part.predicate and (part.subject != part.object or s == o)
        ]
        for part, content in zip(asked.parts, contents, strict=True)
    ]
    found = matches[0]
    for others in matches[1:]:
        found = _combined(asked.operator, found, others)
    if asked.operator in ("count", "first", "last"):
        return _together(asked, {tuple(sorted(row.items())) for row in found})
    kept = (row for row in found if asked.least is None or _at_least(row[asked.parts[0].object], asked.least))
    return {tuple(row.get(name) for name in asked.shown) for row in kept}


def _together(asked, solutions):
    """Return the rows of what looks at all solutions, a set, together."""
    kept = [tuple(dict(one)[name] for name in asked.shown) for one in solutions]
    if asked.operator == "count":
        counts = Counter(kept) if asked.shown else {(): len(kept)}
        return {(*row, count) for row, count in counts.items() if count >= asked.least}
    # A set of rows, of which the first are counted.
    kept = sorted(set(kept))
    return set(kept[: asked.least] if asked.operator == "first" else kept[asked.least :])


def _at_least(value, least):
    return isinstance(value, int) and value >= least


def _combined(operator, found, others):
    result = []
    for row in found:
        fitting = [other for other in others if all(row.get(n, v) == v for n, v in other.items())]
        if operator == "minus":
            shared = [o for o in others if all(row[n] == o[n] for n in row.keys() & o.keys())]
            result += [] if shared else [row]
        else:
            result += [row | other for other in fitting] or ([row] if operator == "optional" else [])
    return result


def _shown(asked, part, stream, t):
    if part.length is None:
        return [triple[:3] for u, triple in stream if u == t and triple[3] == part.stream]
    if isinstance(part.length, str):
        newest = [triple[:3] for u, triple in stream if u <= t and triple[3] == part.stream]
        return newest[-int(part.length) :]
    pivot = t // part.slide * part.slide
    low, high = pivot - part.length, pivot
    low += asked.bounds == "low-open"
    high -= asked.bounds == "high-open"
    return [triple[:3] for u, triple in stream if low <= u <= high and triple[3] == part.stream]
