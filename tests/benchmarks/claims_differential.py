"""Pairs of queries that lars says are contained, or have no stream, against streams that may refute it.

    python -m tests.benchmarks.claims_differential 20000 [FIRST]

Queries have sub-SELECTs that hide variables, EXISTS, two windows and numbers of 1 to 60 digits of all types;
the second is mostly a changed first. Asked are `lars witness --contained` and `lars decide --contained`.
Each 'there is none', and each 'yes', is tried on streams made of values near the constants, all of a small
pool and random ones, by an evaluation that shares no code; each stream that is shown has to refute there too.
Exit code 1: one is wrong.
"""

import struct
import sys
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from random import Random

from agreement.documents.traces import streams_of
from agreement.proving.containment import PairQuery
from agreement.proving.containment.operators import answers_containment
from agreement.proving.witness import NoWitness, Witness, WitnessSearch, smallest, two_queries
from solver.deadlines import Deadline
from translate.dialects import read_query
from translate.model.query import Setting

XSD = "http://www.w3.org/2001/XMLSchema#"
NOW, RANDOM_STREAMS, MOST_EXHAUSTED, SECONDS, SWAPPED = 9, 60, 400, 4, 0.3


@dataclass(frozen=True)
class Block:
    """Patterns in a window; of a sub-SELECT its columns are `shown`, else None."""

    stream: str
    width: int
    triples: tuple
    shown: tuple | None = None
    tests: tuple = ()


@dataclass(frozen=True)
class Query:
    """Blocks, conditions (left, sign, right), and a block that has to match beside, or None."""

    blocks: tuple
    tests: tuple
    exists: Block | None
    result: tuple


def iri(name):
    return f"<http://e/{name}>"


def typed(text, kind):
    return f'"{text}"^^<{XSD}{kind}>'


def condition(test):
    left, sign, right = test
    return f"FILTER({left} {sign} {right})"


def block_text(block):
    triples = " . ".join(" ".join(triple) for triple in block.triples)
    tests = " ".join(map(condition, block.tests))
    body = f"STREAM {iri(block.stream)} [RANGE {block.width}s] {{ {triples} }} {tests}"
    return body if block.shown is None else f"{{ SELECT {' '.join(block.shown)} WHERE {{ {body} }} }}"


def text_of(query):
    """Return the query in CQELS."""
    exists = "" if query.exists is None else f"FILTER EXISTS {{ {block_text(query.exists)} }}"
    body = " ".join((*map(block_text, query.blocks), *map(condition, query.tests), exists))
    return f"SELECT {' '.join(query.result)} WHERE {{ {body} }}"


def number(random):
    """Return a number of up to 60 digits, of any type."""
    digits = random.choice((1, 1, 1, 2, 17, 28, 30, 60))
    whole = str(random.choice((1, 9, 10 ** (digits - 1), random.randrange(10**digits))))
    match random.choice(("integer", "integer", "decimal", "double", "float")):
        case "decimal":
            return typed(
                f"{random.choice(('', '-'))}{random.choice((whole, '0'))}.{random.randrange(10**digits)}",
                "decimal",
            )
        case "integer":
            return typed(f"{random.choice(('', '', '-'))}{whole}", "integer")
        case kind:
            return typed(f"{whole[:17]}e{random.choice((0, 0, 1, 20, -3))}", kind)


def block(random, names, shown):
    """Return a block of one or two patterns over variables."""
    triples = tuple(
        (random.choice(("?x", "?z")), iri(random.choice("ppq")), random.choice(names))
        for _ in range(random.choice((1, 1, 2)))
    )
    bound = {term for triple in triples for term in triple if term[0] == "?"}
    columns = tuple(sorted(bound & set(shown))) or tuple(sorted(bound))[:1]
    return Block(
        random.choice("SSR"), random.choice((1, 2)), triples, columns if random.random() < 0.4 else None
    )


def tests_of(random, names, constants, count):
    """Return conditions that compare a variable with a number, now and then with another variable."""
    signs = ("=", "=", "<", ">", "<=", ">=", "!=")
    return tuple(
        (
            random.choice(names),
            random.choice(signs),
            random.choice([*constants, random.choice([*constants, *names])]),
        )
        for _ in range(count)
    )


def random_query(random, constants):
    names = ["?y", "?y", "?w", random.choice(constants), random.choice(("?z", "?x"))]
    shown = random.choice((("?x", "?z"), ("?x", "?z"), ("?x", "?y"), ("?y", "?w")))
    blocks = tuple(block(random, names, shown) for _ in range(random.choice((1, 2, 2))))
    blocks = tuple(
        replace(each, tests=tests_of(random, inside, constants, 1))
        if random.random() < 0.3 and (inside := objects_in([each]))
        else each
        for each in blocks
    )
    outer = sorted(
        {name for each in blocks for name in (variables(each) if each.shown is None else each.shown)}
    )
    exists = replace(block(random, names, names), shown=None) if random.random() < 0.2 else None
    compared = [name for name in outer if name in objects_in(blocks)]
    tests = tests_of(random, compared, constants, random.choice((0, 1, 1, 2))) if compared else ()
    columns = tuple(outer if random.random() < 0.5 else random.sample(outer, random.randint(1, len(outer))))
    return Query(blocks, tests, exists, tuple(sorted(columns)))


def objects_in(blocks):
    """Return the variables that are objects alone, which may be numbers."""
    rows = [triple for each in blocks for triple in each.triples]
    return sorted({row[2] for row in rows if row[2][0] == "?"} - {row[0] for row in rows})


def variables(block_):
    return sorted({term for triple in block_.triples for term in triple if term[0] == "?"})


def changed(random, query, constants):
    """Return a query of the same columns that is changed in a few places; None where its columns are lost."""
    blocks, tests, exists = list(query.blocks), list(query.tests), query.exists
    for _ in range(random.choice((1, 1, 2))):
        at = random.randrange(len(blocks))
        match random.randrange(7):
            case 0:
                blocks[at] = replace(blocks[at], shown=None)
            case 1 if tests:
                tests.pop(random.randrange(len(tests)))
            case 2 if tests:
                n = random.randrange(len(tests))
                tests[n] = (*tests[n][:2], random.choice(constants))
            case 3:
                blocks[at] = replace(blocks[at], width=3)
            case 4:
                old, new = (
                    random.choice(variables(blocks[at])),
                    random.choice(["?x", "?z", "?y", random.choice(constants)]),
                )
                triples = tuple(
                    (*each[:2], new if each[2] == old else each[2]) for each in blocks[at].triples
                )
                blocks[at] = replace(blocks[at], triples=triples)
            case 5 if len(blocks) > 1:
                blocks.pop(at)
            case _:
                exists = None
    other = Query(tuple(blocks), tuple(tests), exists, query.result)
    bound = {name for each in blocks for name in (variables(each) if each.shown is None else each.shown)}
    inside = all(
        set(each.shown or ()) | {t[0] for t in each.tests} <= set(variables(each)) for each in blocks
    )
    return other if set(query.result) <= bound and inside else None


def amount(term):
    """Return a term's number and its rank, 0 exact, 1 float, 2 double; None: it is none."""
    text, _, kind = term[1:].partition('"^^<')
    kind = kind.removeprefix(XSD).rstrip(">")
    if kind not in ("integer", "decimal", "float", "double"):
        return None
    if kind in ("integer", "decimal"):
        return None if text.isalpha() else (Fraction(Decimal(text)), 0)
    return (as_float(float(text), 1), 1) if kind == "float" else (float(text), 2)


def as_float(value, rank):
    if rank == 0:
        return value
    try:
        return float(value) if rank == 2 else struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        return inf if value > 0 else -inf


SIGNS = {"=": (0,), "!=": (-1, 1), "<": (-1,), ">": (1,), "<=": (-1, 0), ">=": (0, 1)}


def holds(test, row):
    """Whether a condition is true, without error, of a row."""
    left, right = (row.get(each, each) for each in (test[0], test[2]))
    one, other = amount(left), amount(right)
    if one is None or other is None:
        if left == right and left[0] != "?":
            return test[1] == "="
        # An unbound variable, an ill-typed number and an unknown type are errors, and so is their order.
        errors = any(side[0] == "?" or "none" in side or "example.org/type" in side for side in (left, right))
        known = test[1] in ("=", "!=") and (not errors or "<" in (left[0], right[0]))
        return known and (left == right) is (test[1] == "=")
    rank = max(one[1], other[1])
    mine, theirs = as_float(one[0], rank), as_float(other[0], rank)
    ordered = mine <= theirs or mine > theirs  # not so of NaN
    return (mine > theirs) - (mine < theirs) in SIGNS[test[1]] if ordered else test[1] == "!="


def solutions(block_, stream):
    """Yield the matches of a block at NOW."""
    shown = [each[1:] for each in stream if each[1] == block_.stream and NOW - block_.width <= each[0] <= NOW]
    rows = [{}]
    for triple in block_.triples:
        rows = [
            grown
            for row in rows
            for _, *terms in shown
            if (grown := extended(row, triple, terms)) is not None
        ]
    rows = [row for row in rows if all(holds(test, row) for test in block_.tests)]
    kept = None if block_.shown is None else set(block_.shown)
    return [row if kept is None else {name: row[name] for name in kept} for row in rows]


def extended(row, triple, terms):
    row = dict(row)
    return (
        row
        if all(
            row.setdefault(a, b) == b if a[0] == "?" else a == b for a, b in zip(triple, terms, strict=True)
        )
        else None
    )


def answers(query, stream):
    """Return the rows of a query at NOW."""
    rows = [{}]
    for each in query.blocks:
        own = solutions(each, stream)
        rows = [
            {**row, **more}
            for row in rows
            for more in own
            if all(row.get(k, v) == v for k, v in more.items())
        ]
    rows = [row for row in rows if all(holds(test, row) for test in query.tests)]
    if query.exists is not None:
        beside = solutions(query.exists, stream)
        rows = [
            row for row in rows if any(all(row.get(k, v) == v for k, v in each.items()) for each in beside)
        ]
    return {tuple(row[name] for name in query.result) for row in rows}


def near(term):
    """Yield terms of the same value, and a little more and less, of each type."""
    value, _ = amount(term)
    if value in (inf, -inf):
        return
    exact, double = Fraction(value), as_float(Fraction(value), 2)
    for by in (
        0,
        1,
        Fraction(1, 10**20),
        Fraction(1, 10**61),
        -1,
        Fraction(-1, 10**61),
        Fraction(-1, 10**20),
    ):
        text = decimal(exact + by)
        yield from (
            text,
            text.replace(".", "0.", 1) if text.startswith('"0.') else text.replace('"^^', '0"^^'),
        )
    yield from (typed(str((exact + by).numerator), "integer") for by in (0, 1, -1) if exact.denominator == 1)
    for each in (double, nextafter(double, inf), nextafter(double, -inf)):
        if abs(each) != inf:
            yield from (typed(repr(each), kind) for kind in ("double", "float"))
            yield typed(f"{each!r}".replace("e", "0e") if "." in f"{each!r}" else f"{each!r}", "double")


def decimal(value):
    places = next((n for n in range(400) if 10**n % value.denominator == 0), 400)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else f"{digits}.0"
    return typed(f"{'-' if value < 0 else ''}{text}", "decimal")


def refuting(random, one, other):
    """Return a stream on which the first has a row that the second lacks, None where none was met."""
    constants = sorted({t for q in (one, other) for t in constants_of(q)})
    objects = [iri("a"), iri("b"), *constants, *(each for term in constants for each in near(term))]
    blocks = [*one.blocks, *([one.exists] if one.exists else [])]
    parts = [(n, triple, each) for n, each in enumerate(blocks) for triple in each.triples]
    slots = sorted({slot(n, each, term) for n, triple, each in parts for term in triple if term[0] == "?"})
    small = [iri("a"), iri("b"), *random.sample(objects, min(2, len(objects)))]
    every = product(small, repeat=len(slots)) if len(small) ** len(slots) <= MOST_EXHAUSTED else ()
    drawn = ([random.choice(random.choice((objects, small))) for _ in slots] for _ in range(RANDOM_STREAMS))
    for values in (*every, *drawn):
        binding = dict(zip(slots, values, strict=True))
        stream = []
        for n, triple, each in parts:
            terms = [binding[slot(n, each, term)] if term[0] == "?" else term for term in triple]
            when = NOW - random.choice((0, 0, each.width))
            stream.append((when, each.stream, *terms))
        if all(terms[2][0] == "<" for terms in stream) and answers(one, stream) - answers(other, stream):
            return stream
    return None


def slot(n, block_, term):
    """Return a variable of the query, or one of a block that hides it."""
    return f"{n}{term}" if block_.shown is not None and term not in block_.shown else term


def constants_of(query):
    tests = [*query.tests, *(test for each in query.blocks for test in each.tests)]
    terms = [term for test in tests for term in test] + [
        t for each in query.blocks for row in each.triples for t in row
    ]
    return [term for term in terms if amount(term) is not None]


def problem(seed):
    """Return what is wrong with what is said of a pair, None where nothing is, and what was said."""
    random = Random(seed)
    constants = [number(random) for _ in range(2)]
    constants += [random.choice(list(near(random.choice(constants))) or constants)]
    one = random_query(random, constants)
    others = (changed(random, one, constants) for _ in range(20))
    other = next((each for each in others if each not in (None, one)), one)
    if random.random() < SWAPPED:
        one, other = other, one
    queries = [read_query(text_of(each), "q.rq") for each in (one, other)]
    deadline = Deadline.after(SECONDS)
    contest = two_queries(*queries, Setting(), contained=True)
    streams = tuple(dict.fromkeys(stream for query in queries for stream in streams_of(query)))
    outcome = smallest(WitnessSearch(contest, streams, {}, None, deadline))
    pair = [PairQuery(query, Setting(), Deadline.after(SECONDS)) for query in queries]
    decided = answers_containment(*pair)
    said = type(outcome).__name__, decided.holds.value
    shown = []
    if isinstance(outcome, Witness):
        shown.append((outcome.facts, outcome.end))
    if decided.against is not None and not decided.against.static:
        shown.append((decided.against.facts, decided.against.t))
    for facts, end in shown:
        stream = [
            (fact.t - end + NOW, fact.arguments[3][len("<http://e/") : -1], *fact.arguments[:3])
            for fact in facts
        ]
        if not answers(one, stream) - answers(other, stream):
            return f"the stream that is shown does not refute: {stream}", said, (one, other)
    if isinstance(outcome, NoWitness) or decided.holds.name == "YES":
        stream = refuting(random, one, other)
        if stream is not None:
            return f"{said}, yet refuted by {stream}", said, (one, other)
        if shown:
            return "one command refutes what the other proves", said, (one, other)
    return None, said, (one, other)


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds, wrong = Counter(), 0
    for seed in range(first, first + count):
        what, said, pair = problem(seed)
        kinds[said] += 1
        if what is not None:
            wrong += 1
            print(seed, what, *map(text_of, pair), sep="\n  ", flush=True)
        if (seed - first) % 250 == 249:
            print(seed - first + 1, dict(kinds), f"{wrong} wrong", file=sys.stderr, flush=True)
    for said, number_ in kinds.most_common():
        print(f"{number_:6} witness: {said[0]}, decide: {said[1]}")
    print(f"{count} pairs, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
