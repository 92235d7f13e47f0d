"""Small random queries and a naive evaluation of them, which shares no code with the program.

A query is a list of branches (UNION); a branch has parts `(source, s, p, o)`, matched in stream `s`, stream
`c` or `static`, conditions as nested tuples, and perhaps a group under OPTIONAL or MINUS. Variables are
texts with a question mark; IRIs are `("iri", name)`, numbers and texts `("lit", lexical, kind)`.
"""

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, product

E = "http://example.org/"
STREAMS = "sc"
PREDICATES = {"s": ("p", "q"), "c": ("r",), "static": ("k",)}
VARIABLES = ("?x", "?y", "?z", "?v", "?w")
RELATIONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Branch:
    parts: tuple
    conditions: tuple = ()
    beside: tuple | None = None  # ("OPTIONAL" | "MINUS", parts)


@dataclass(frozen=True)
class Small:
    """A query, its windows in time points (None is unbounded, a text `#n` the newest n), and a period."""

    branches: tuple
    result: tuple
    windows: dict = field(hash=False)
    bounds: str = "closed"
    period: int = 2
    slides: dict = field(default_factory=dict, hash=False)


def iri(name):
    return ("iri", E + name)


def number(value):
    return ("lit", str(value), "integer")


# Texts


def term_text(term):
    if isinstance(term, str):
        return term
    if term[0] == "iri":
        return f"<{term[1]}>"
    return term[1] if term[2] == "integer" else f'"{term[1]}"'


def condition_text(condition):
    match condition:
        case ("!", inner):
            return f"!({condition_text(inner)})"
        case ("&&" | "||" as sign, left, right):
            return f"({condition_text(left)} {sign} {condition_text(right)})"
        case ("isIRI" | "isLiteral" | "isNumeric" | "bound" as function, name):
            return f"{function}({name})"
        case (sign, left, right):
            return f"{term_text(left)} {sign} {term_text(right)}"


def part_text(part):
    return f"{term_text(part[1])} {term_text(part[2])} {term_text(part[3])} ."


def window_text(small, stream):
    length, slide = small.windows[stream], small.slides.get(stream)
    if length is None:
        return "[RANGE UNBOUNDED]"
    if isinstance(length, str):
        return f"[ROWS {length[1:]}]"
    return "[NOW]" if length == 0 else f"[RANGE {length}s{f' SLIDE {slide}s' if slide else ''}]"


def group_text(small, parts, *, merged):
    if merged:
        return " ".join(map(part_text, parts))
    texts = []
    for source in (*STREAMS, "static"):
        inside = " ".join(part_text(part) for part in parts if part[0] == source)
        if inside and source != "static":
            inside = f"STREAM <{E}{source}> {window_text(small, source)} {{ {inside} }}"
        texts.append(inside)
    return " ".join(filter(None, texts))


def branch_text(small, branch, *, merged):
    text = group_text(small, branch.parts, merged=merged)
    if branch.beside is not None:
        word, parts = branch.beside
        text = f"{text} {word} {{ {group_text(small, parts, merged=merged)} }}"
    return text + "".join(f" FILTER ({condition_text(one)})" for one in branch.conditions)


def query_text(small, *, merged):
    """Return the query in C-SPARQL (merged) or CQELS."""
    branches = [branch_text(small, one, merged=merged) for one in small.branches]
    body = branches[0] if len(branches) == 1 else " UNION ".join(f"{{ {one} }}" for one in branches)
    head = f"SELECT {' '.join(small.result)}" if small.result else "ASK"
    froms = ""
    if merged:
        read = sorted({part[0] for one in small.branches for part in all_parts(one)} - {"static"})
        windows = ((one, window_text(small, one).replace("SLIDE", "STEP")) for one in read)
        froms = "".join(f" FROM STREAM <{E}{stream}> {window}" for stream, window in windows)
        return f"REGISTER QUERY q AS {head}{froms} WHERE {{ {body} }}"
    return f"{head} WHERE {{ {body} }}"


def all_parts(branch):
    return (*branch.parts, *(branch.beside[1] if branch.beside else ()))


# Evaluation


def value(term):
    if term is None or term[0] != "lit":
        return None
    try:
        kinds = {"integer": Fraction, "decimal": Fraction, "double": float}
        return kinds[term[2]](term[1]) if term[2] in kinds else None
    except ValueError:
        return None


def same(left, right):
    if value(left) is not None and value(right) is not None:
        return value(left) == value(right)
    if left == right:
        return True
    if left[0] != "lit" or right[0] != "lit":
        return False
    known = [one[2] == "string" or value(one) is not None for one in (left, right)]
    tagged = "langString" in (left[2], right[2])
    return False if all(known) or tagged else None


def truth(condition, row):
    def of(term):
        return row.get(term) if isinstance(term, str) else term

    match condition:
        case ("!", inner):
            found = truth(inner, row)
            return None if found is None else not found
        case ("&&" | "||" as sign, left, right):
            sides = truth(left, row), truth(right, row)
            absorbing = sign == "||"
            if absorbing in sides:
                return absorbing
            return None if None in sides else not absorbing
        case ("bound", name):
            return of(name) is not None
        case ("isIRI" | "isLiteral" | "isNumeric" as function, name):
            term = of(name)
            if term is None:
                return None
            kinds = {"isIRI": term[0] == "iri", "isLiteral": term[0] == "lit"}
            return kinds.get(function, value(term) is not None)
        case (sign, left, right):
            left, right = of(left), of(right)
            if left is None or right is None:
                return None
            if sign in ("=", "!="):
                found = same(left, right)
                return None if found is None else found is (sign == "=")
            if value(left) is not None and value(right) is not None:
                return RELATIONS[sign](value(left), value(right))
            if left[0] == right[0] == "lit" and left[2] == right[2] == "string":
                return RELATIONS[sign](left[1], right[1])
            return None


def matches(parts, graphs, row):
    if not parts:
        yield row
        return
    source, *terms = parts[0]
    for triple in graphs[source]:
        grown = dict(row)
        if all(
            (grown.setdefault(t, c) if isinstance(t, str) else t) == c
            for t, c in zip(terms, triple, strict=True)
        ):
            yield from matches(parts[1:], graphs, grown)


def branch_rows(branch, graphs):
    for row in matches(branch.parts, graphs, {}):
        word, parts = branch.beside or ("", ())
        more = list(matches(parts, graphs, row)) if word else [row]
        shared = {t for p in branch.parts for t in p[1:]} & {t for p in parts for t in p[1:]}
        if word == "MINUS":
            # As Diff: what shares no variable removes all.
            found = [] if more else [row]
            assert shared
        else:
            found = more or [row]
        for one in found:
            if all(truth(condition, one) is True for condition in branch.conditions):
                yield one


def rows(small, graphs):
    """Return the rows over the triples that each source shows."""
    found = (one for branch in small.branches for one in branch_rows(branch, graphs))
    return {tuple(one.get(name) for name in small.result) for one in found}


def shows(small, stream, t, now):
    length, slide = small.windows[stream], small.slides.get(stream) or 1
    if length is None:
        return True
    pivot = now // slide * slide
    if length == 0:
        return t == now
    if small.bounds == "high-open":
        return pivot - length <= t < pivot
    return (pivot - length < t if small.bounds == "low-open" else pivot - length <= t) and t <= pivot


def contents(small, arrivals, stream, now):
    own = list(dict.fromkeys((t, triple) for t, one, triple in arrivals if one == stream and t <= now))
    if isinstance(small.windows[stream], str):
        return [triple for _, triple in own[-int(small.windows[stream][1:]) :]]
    return [triple for t, triple in own if shows(small, stream, t, now)]


def answers(small, arrivals, static, now, *, merged):
    graphs = {stream: contents(small, arrivals, stream, now) for stream in STREAMS}
    graphs["static"] = list(static)
    if merged:
        read = {part[0] for one in small.branches for part in all_parts(one)} | {"static"}
        everything = list({triple for source, found in graphs.items() if source in read for triple in found})
        graphs = dict.fromkeys(graphs, everything)
    return rows(small, graphs)


def fires(small, trigger, stream, triple):
    if trigger == "any":
        return True
    parts = [part for one in small.branches for part in all_parts(one) if part[0] == stream]
    if trigger == "query-streams":
        return bool(parts)
    return any(list(matches(((stream, *part[1:]),), {stream: [triple]}, {})) for part in parts)


def differs(small, arrivals, static, last, trigger="any"):
    """Return the first period, by its end, in which push and pull differ; None where they agree."""
    fired = {t for t, stream, triple in arrivals if fires(small, trigger, stream, triple)}
    for end in range(small.period, last + 1, small.period):
        pushed = set()
        for t in range(end - small.period + 1, end + 1):
            if t in fired:
                pushed |= answers(small, arrivals, static, t, merged=False)
        if pushed != answers(small, arrivals, static, end, merged=True):
            return end
    return None


# Random queries and streams

NAMES = tuple(map(iri, "ab"))
NUMBERS = tuple(map(number, (1, 3)))


def random_condition(rng, names, depth=0):
    kind = rng.random()
    if depth < 2 and kind < 0.3:
        sides = [random_condition(rng, names, depth + 1) for _ in range(2)]
        return (rng.choice(("&&", "||")), *sides)
    if depth < 2 and kind < 0.45:
        return ("!", random_condition(rng, names, depth + 1))
    if kind < 0.55:
        return (rng.choice(("isIRI", "isLiteral", "isNumeric", "bound")), rng.choice(names))
    right = rng.choice((*names, *map(number, range(1, 4)), *NAMES[:1]))
    return (rng.choice(("=", "!=", "<", "<=", ">", ">=")), rng.choice(names), right)


def random_part(rng, source):
    subject = rng.choice(("?x", "?y", "?x", NAMES[0]))
    object_ = rng.choice(("?y", "?z", "?v", "?v", "?w", NAMES[1], NUMBERS[0]))
    return (source, subject, iri(rng.choice(PREDICATES[source])), object_)


def random_branch(rng, monotone):
    sources = rng.choices(("s", "c", "static"), (5, 4, 2), k=rng.choice((1, 1, 2, 2, 3)))
    if not set(sources) & set(STREAMS) and rng.random() < 0.8:
        sources[0] = "s"
    parts = tuple(dict.fromkeys(random_part(rng, source) for source in sources))
    names = sorted({t for part in parts for t in part[1:] if isinstance(t, str)})
    some = names and rng.random() < 0.6
    conditions = tuple(random_condition(rng, names) for _ in range(rng.choice((1, 1, 2)))) if some else ()
    beside = None
    if not monotone:
        word = rng.choice(("OPTIONAL", "MINUS"))
        part = random_part(rng, rng.choice(("s", "c", "static")))
        shared = set(names) & {t for t in part[1:] if isinstance(t, str)}
        beside = (word, (part,)) if shared else None
        conditions = () if beside else conditions
    return Branch(parts, conditions, beside)


def random_small(seed, *, monotone=True):
    """Return a random query with windows and a period."""
    rng = random.Random(seed)
    branches = tuple(random_branch(rng, monotone) for _ in range(rng.choice((1, 1, 1, 2))))
    names = sorted({t for one in branches for part in one.parts for t in part[1:] if isinstance(t, str)})
    result = tuple(sorted(rng.sample(names, rng.randint(0, len(names)))))
    windows = {stream: rng.choice((0, 0, 1, 2, 3)) for stream in STREAMS}
    return Small(branches, result, windows, rng.choice(("closed", "low-open")), rng.choice((1, 1, 2, 3, 4)))


def exotic(small, seed):
    """Return the query with unbounded, tuple or sliding windows."""
    rng = random.Random(seed)
    windows = {stream: rng.choice((0, 1, 2, 3, None, "#1", "#2")) for stream in STREAMS}
    slides = {s: 2 for s in STREAMS if isinstance(windows[s], int) and windows[s] and rng.random() < 0.3}
    return replace(small, windows=windows, slides=slides)


def mixed(small, seed):
    """Return the query with a predicate of one source renamed to one of another: they are not exclusive."""
    old, new = random.Random(seed).choice((("k", "p"), ("k", "r"), ("r", "q"), ("r", "k")))

    def part(one):
        source, subject, predicate, object_ = one
        return source, subject, iri(new) if predicate == iri(old) else predicate, object_

    def branch(one):
        beside = one.beside and (one.beside[0], tuple(map(part, one.beside[1])))
        return replace(one, parts=tuple(map(part, one.parts)), beside=beside)

    return replace(small, branches=tuple(map(branch, small.branches)))


def triples_of(small, source):
    """Return the triples that the patterns of a source can match, over a few terms."""
    found = set()
    for branch in small.branches:
        for origin, *terms in all_parts(branch):
            if origin == source:
                choices = [
                    (t,)
                    if not isinstance(t, str)
                    else NAMES[:1] + NAMES[1:2]
                    if n == 0
                    else (*NAMES, *NUMBERS)
                    for n, t in enumerate(terms)
                ]
                found |= set(product(*choices))
    return sorted(found, key=str)


def streams(small, most, last, count, seed):
    """Yield streams of up to `most` triples up to `last`: all if they are at most `count`, else so many."""
    every = [(t, s, one) for t in range(last + 1) for s in STREAMS for one in triples_of(small, s)]
    every += [(t, "noise", (iri("n"), iri("n"), iri("n"))) for t in range(last + 1)]
    rng, yielded = random.Random(seed), 0
    total = 1
    for size in range(1, most + 1):
        total = total * (len(every) - size + 1) // size
        if total <= count:
            for chosen in combinations(every, size):
                yielded += 1
                yield sorted(chosen, key=lambda one: one[0])
        else:
            for _ in range(count):
                yield sorted(rng.sample(every, min(size, len(every))), key=lambda one: one[0])
