"""Random pairs of small queries, made equivalent, contained or unlike; what is wrong with a verdict."""

import random
from dataclasses import replace

from agreement.proving.containment import PairQuery, reports_containment
from tests.agreement.proving.decide import naive
from tests.agreement.proving.decide.checking import read
from translate.dialects import read_query
from translate.model.query import Setting

KINDS = ("equivalent", "contained", "different")


def query(small, *, merged=False):
    text = naive.query_text(small, merged=merged)
    return PairQuery(read_query(text, "small.rq"), Setting(bounds=small.bounds))


def pair(seed, kind):
    """Return two small queries of which the first is contained in the second, unless they are different."""
    rng = random.Random(f"{seed} {kind}")
    one = naive.random_small(rng.random(), monotone=rng.random() < 0.8)
    match kind:
        case "equivalent":
            return one, same_meaning(rng, one)
        case "contained":
            return narrowed(rng, one), same_meaning(rng, one)
        case "different":
            other = naive.random_small(rng.random(), monotone=rng.random() < 0.8)
            return one, replace(other, result=one.result, bounds=one.bounds)


def same_meaning(rng, one):
    """Return the query with its hidden variables renamed, its parts reordered, some said twice."""
    hidden = {name: f"{name}2" for name in naive.VARIABLES if name not in one.result}
    branches = list(one.branches)
    rng.shuffle(branches)
    found = []
    for branch in branches:
        parts, conditions = list(branch.parts), list(branch.conditions)
        if rng.random() < 0.4 and branch.beside is None:
            source, *terms = rng.choice(parts)
            general = {t: f"{t}9" for t in terms if isinstance(t, str) and rng.random() < 0.7}
            # Said again with less: a match of the one is a match of the other.
            parts.append((source, *(general.get(t, t) for t in terms)))
        rng.shuffle(parts)
        rng.shuffle(conditions)
        parts = tuple(renamed(part, hidden) for part in parts)
        beside = branch.beside and (branch.beside[0], tuple(renamed(p, hidden) for p in branch.beside[1]))
        found.append(naive.Branch(parts, tuple(renamed(c, hidden) for c in conditions), beside))
    return replace(one, branches=tuple(found))


def narrowed(rng, one):
    """Return the query with a pattern or condition more, a shorter window, or a branch less."""
    branches = list(one.branches)
    choice = rng.choice(("part", "condition", "window", "branch"))
    at = rng.randrange(len(branches))
    if choice == "branch" and len(branches) > 1:
        del branches[at]
    elif choice == "window" and all(branch.beside is None for branch in branches):
        shorter = {s: rng.randint(0, length) for s, length in one.windows.items()}
        # A low-open window of one time point is NOW, which is written 0.
        return replace(one, windows=shorter) if one.bounds == "closed" else one
    elif branches[at].beside is None or branches[at].beside[0] == "MINUS":
        branch = branches[at]
        names = sorted({t for part in branch.parts for t in part[1:] if isinstance(t, str)})
        if choice == "condition" and names and branch.beside is None:
            more = (*branch.conditions, naive.random_condition(rng, names))
            branches[at] = replace(branch, conditions=more)
        elif branch.beside is None:
            more = naive.random_part(rng, rng.choice(("s", "static")))
            new = {name: f"{name}8" for name in naive.VARIABLES if name not in names}
            branches[at] = replace(branch, parts=(*branch.parts, renamed(more, new)))
    return replace(one, branches=tuple(branches))


def renamed(part, names):
    return tuple(renamed(t, names) if isinstance(t, tuple) else names.get(t, t) for t in part)


def has_row(small, found, merged=False):
    """Return whether the naive evaluation gives a query the row of a counterexample."""
    arrivals = [
        (fact.t, read(fact.arguments[3])[1].removeprefix(naive.E), tuple(map(read, fact.arguments[:3])))
        for fact in found.facts
    ]
    static = [tuple(map(read, one[:3])) for one in found.triples]
    row = tuple(None if text is None else read(text) for text in found.row)
    return row in naive.answers(small, arrivals, static, found.end, merged=merged)


def refuting(one, other, seed, count=60):
    """Return random data on which the first query has a row that the second lacks, None if none are found."""
    rng = random.Random(seed)
    pool = {
        source: sorted({*naive.triples_of(one, source), *naive.triples_of(other, source)}, key=str)
        for source in ("s", "c", "static")
    }
    for _ in range(count):
        arrivals = sorted(
            (
                (rng.randint(0, 4), s, rng.choice(pool[s]))
                for s in "sc"
                if pool[s]
                for _ in range(rng.randint(0, 3))
            ),
            key=lambda each: each[0],
        )
        static = rng.sample(pool["static"], min(len(pool["static"]), rng.randint(0, 3)))
        sides = (naive.answers(small, arrivals, static, 4, merged=False) for small in (one, other))
        if next(sides) - next(sides):
            return arrivals, static
    return None


def judged(seed, kind):
    """Return the verdict on a random pair, and what is wrong with it or None."""
    one, other = pair(seed, kind)
    one, other = (replace(each, result=tuple(sorted(each.result))) for each in (one, other))
    found = reports_containment(query(one), query(other))
    match found.holds:
        case False if (
            kind != "different"
            and refuting(one, other, seed, 300) is None
            and not has_row(one, found.witness)
        ):
            return found, "refuted, though it was made contained"
        case False if not has_row(one, found.witness) or has_row(other, found.witness):
            return found, "the data that refute it do not"
        case False if not has_row(one, found.witness) or has_row(other, found.witness):
            return found, "the data that refute it do not"
        case False if kind != "different":
            return found, "refuted, though it was made contained"
        case True if (data := refuting(one, other, seed)) is not None:
            return found, f"contained, yet not on {data}"
    return found, None
