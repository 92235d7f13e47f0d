"""Queries that lars says are contained, agree, or have no stream, against streams that may refute it.

    python -m tests.benchmarks.claims_differential 20000 [FIRST]

Queries have sub-SELECTs that hide variables, EXISTS, VALUES, several windows, static data, and values of all
kinds: numbers of 1 to 60 digits of all types, texts, tagged ones, booleans, dateTimes with zones. Asked are
`lars witness` and `lars decide`, of each fifth query as push and pull, of the others as a pair: the second
is mostly a changed first. Each 'there is none', each 'yes' and 'always', is tried on streams made of values
near the constants, all of a small pool and random ones, by an evaluation that shares no code; each stream
that is shown has to refute there too.
"""

import struct
import sys
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, isfinite, nextafter
from random import Random

from agreement.comparing.agree.agreeing import pairs
from agreement.documents.traces import streams_of
from agreement.proving.containment import PairQuery
from agreement.proving.containment.operators import answers_containment
from agreement.proving.decide import AgreementQuestion, Decider, Places
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest, two_queries
from solver.deadlines import Deadline
from translate.dialects import read_query
from translate.model.query import Setting

XSD = "http://www.w3.org/2001/XMLSchema#"
NOW, RANDOM_STREAMS, MOST_EXHAUSTED, SECONDS, SWAPPED = 9, 60, 400, 2, 0.3
STATIC = "static"
"""What stands for the stream of triples that are there at all times."""


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
    """Blocks, conditions, and a block that has to match beside, or None.

    A condition is (left, sign, right), ("sameTerm", left, right), ("!", it) or ("||", it, another).
    """

    blocks: tuple
    tests: tuple
    exists: Block | None
    result: tuple
    given: tuple = ()
    """A variable and the terms that VALUES gives it."""


def iri(name):
    return f"<http://e/{name}>"


def typed(text, kind):
    return f'"{text}"^^<{XSD}{kind}>'


def condition(test):
    match test:
        case ("!", inner):
            return f"!({condition(inner)})"
        case ("||", one, other):
            return f"({condition(one)} || {condition(other)})"
        case ("sameTerm", left, right):
            return f"sameTerm({left}, {right})"
        case (left, sign, right):
            return f"{left} {sign} {right}"


def leaves(test):
    """Yield the terms of a condition."""
    if test[0] in ("!", "||"):
        yield from (term for each in test[1:] for term in leaves(each))
    else:
        yield from (test[0], test[2]) if test[0] != "sameTerm" else test[1:]


def filters(tests):
    return " ".join(f"FILTER({condition(test)})" for test in tests)


def block_text(block):
    triples = " . ".join(" ".join(triple) for triple in block.triples)
    window = f"[RANGE {block.width}s]" if block.width else "[NOW]"
    inside = triples if block.stream == STATIC else f"STREAM {iri(block.stream)} {window} {{ {triples} }}"
    body = f"{inside} {filters(block.tests)}"
    return body if block.shown is None else f"{{ SELECT {' '.join(block.shown)} WHERE {{ {body} }} }}"


def text_of(query):
    """Return the query in CQELS."""
    exists = "" if query.exists is None else f"FILTER EXISTS {{ {block_text(query.exists)} }}"
    # Triples without a block are one pattern, between blocks or not: here each has a group of its own.
    texts = [f"{{ {block_text(each)} }}" for each in query.blocks]
    given = f"VALUES {query.given[0]} {{ {' '.join(query.given[1:])} }}" if query.given else ""
    body = " ".join((*texts, given, filters(query.tests), exists))
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


def constant(random):
    """Return a number, or a value of another kind."""
    if random.random() < 0.7:
        return number(random)
    second = f"2026-01-01T{random.choice(('00', '13', '23'))}:00:00"
    return random.choice((
        '""', '"a"', '"b"', '"a"@en', '"a"@de', '"1"', typed("a", "string"), typed("true", "boolean"),
        typed("0", "boolean"), typed("2", "boolean"), typed("none", "integer"), typed("1", "date"),
        *(typed(f"{second}{zone}", "dateTime") for zone in ("", "Z", "+00:00", "+02:00", "-14:00")),
    ))  # fmt: skip


def block(random, names, shown):
    """Return a block of one or two patterns over variables."""
    triples = tuple(
        (random.choice(("?x", "?z")), iri(random.choice("ppq")), random.choice(names))
        for _ in range(random.choice((1, 1, 2)))
    )
    bound = {term for triple in triples for term in triple if term[0] == "?"}
    columns = tuple(sorted(bound & set(shown))) or tuple(sorted(bound))[:1]
    return Block(
        random.choice(("S", "S", "S", "R", "R", STATIC)),
        random.choice((0, 1, 1, 2, 2)),
        triples,
        columns if random.random() < 0.4 else None,
    )


def tests_of(random, names, constants, count):
    """Return conditions that compare a variable with a number, now and then with another variable."""
    signs = ("=", "=", "<", ">", "<=", ">=", "!=")

    def plain():
        right = random.choice([*constants, random.choice([*constants, *names])])
        if random.random() < 0.1:
            return "sameTerm", random.choice(names), right
        return random.choice(names), random.choice(signs), right

    def test():
        match random.randrange(8):
            case 0:
                return "!", plain()
            case 1:
                return "||", plain(), random.choice((plain(), ("!", plain())))
            case _:
                return plain()

    return tuple(test() for _ in range(count))


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
    given = (random.choice(outer), random.choice(constants), iri("k")) if random.random() < 0.15 else ()
    return Query(blocks, tests, exists, tuple(sorted(columns)), given)


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
                left, sign = tests[n][:2]
                tests[n] = (left, sign, random.choice(constants)) if left[0] == "?" else ("!", tests[n])
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
    other = replace(query, blocks=tuple(blocks), tests=tuple(tests), exists=exists)
    other = replace(other, given=random.choice((query.given, ())))
    bound = {name for each in blocks for name in (variables(each) if each.shown is None else each.shown)}
    inside = all(
        set(each.shown or ()) | {t for test in each.tests for t in leaves(test) if t[0] == "?"}
        <= set(variables(each))
        for each in blocks
    )
    return other if {*query.result, *other.given[:1]} <= bound and inside else None


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
        return float(value) if rank == 2 else nearest_single(value)
    except OverflowError:
        return inf if value > 0 else -inf


def nearest_single(value):
    """Return the nearest of the floats beside a number that was rounded by way of a double, by fractions."""
    near = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    (bits,) = struct.unpack("<I", struct.pack("<f", near))
    beside = [each for each in (bits - 1, bits, bits + 1) if each >= 0 and (each ^ bits) >> 31 == 0]
    some = {each: struct.unpack("<f", struct.pack("<I", each))[0] for each in beside}
    finite = {each: found for each, found in some.items() if isfinite(found)}
    if not isfinite(value) or bits not in finite:
        return near
    return finite[min(finite, key=lambda each: (abs(Fraction(finite[each]) - Fraction(value)), each & 1))]


SIGNS = {"=": (0,), "!=": (-1, 1), "<": (-1,), ">": (1,), "<=": (-1, 0), ">=": (0, 1)}


def holds(test, row):
    """Whether a condition is true of a row, false, or None: an error."""
    match test:
        case ("!", inner):
            truth = holds(inner, row)
            return None if truth is None else not truth
        case ("||", one, other):
            truths = {holds(one, row), holds(other, row)}
            return True if True in truths else None if None in truths else False
        case ("sameTerm", left, right):
            left, right = (simple(row.get(each, each)) for each in (left, right))
            return None if "?" in (left[0], right[0]) else left == right
        case (left, sign, right):
            return compared(simple(row.get(left, left)), sign, simple(row.get(right, right)))


def simple(term):
    """Return a term in one writing: a text has no type."""
    return term.removesuffix(f"^^<{XSD}string>")


def compared(left, sign, right):
    if "?" in (left[0], right[0]):
        return None
    one, other = amount(left), amount(right)
    if one is not None and other is not None:
        rank = max(one[1], other[1])
        mine, theirs = as_float(one[0], rank), as_float(other[0], rank)
        ordered = mine <= theirs or mine > theirs  # not so of NaN
        return (mine > theirs) - (mine < theirs) in SIGNS[sign] if ordered else sign == "!="
    one, other = kind_and_value(left), kind_and_value(right)
    alike = None not in (one, other) and one[0] == other[0] != "number"
    if alike and sign not in ("=", "!="):
        return ordered_as(one, other, SIGNS[sign])
    if sign not in ("=", "!="):
        return None
    if left == right:
        same = True
    elif "<" in (left[0], right[0]) or '"@' in left or '"@' in right:
        same = False
    elif alike:
        same = ordered_as(one, other, SIGNS["="])
    else:
        same = None if None in (one, other) else False
    return None if same is None else same is (sign == "=")


def ordered_as(one, other, signs):
    """Whether two values of one kind are so; None: an unknown zone decides."""
    gap = (one[1] > other[1]) - (one[1] < other[1])
    if one[0] == "time" and one[2] != other[2] and abs(one[1] - other[1]) <= timedelta(hours=14):
        return None
    return gap in signs


def kind_and_value(term):
    """Return the kind and value of a literal; None: it has none that is known."""
    text, _, kind = term[1:].partition('"^^<')
    match kind.removeprefix(XSD).rstrip(">"):
        case "" if term[0] == '"' and '"@' not in term:
            return "text", text[:-1].encode().decode("unicode_escape")
        case "boolean" if text in ("true", "false", "0", "1"):
            return "boolean", text in ("true", "1")
        case "dateTime":
            time = datetime.fromisoformat(text)
            return "time", time.replace(tzinfo=None) - (time.utcoffset() or timedelta()), bool(time.tzinfo)
        case _:
            return None if amount(term) is None else ("number",)


def shown_at(block_, stream, now):
    if block_.stream == STATIC:
        return [each[2:] for each in stream if each[1] == STATIC]
    return [each[2:] for each in stream if each[1] == block_.stream and now - block_.width <= each[0] <= now]


def solutions(block_, shown):
    """Return the matches of a block in what it is shown."""
    rows = [{}]
    for triple in block_.triples:
        rows = [
            grown for row in rows for terms in shown if (grown := extended(row, triple, terms)) is not None
        ]
    rows = [row for row in rows if all(holds(test, row) is True for test in block_.tests)]
    kept = None if block_.shown is None else set(block_.shown)
    return [row if kept is None else {name: row[name] for name in kept} for row in rows]


def extended(row, triple, terms):
    row = dict(row)
    return (
        row
        if all(
            row.setdefault(a, b) == b if a[0] == "?" else simple(a) == b
            for a, b in zip(triple, terms, strict=True)
        )
        else None
    )


def blocks_of(query):
    return [*query.blocks, *([query.exists] if query.exists else [])]


def answers(query, stream, now=NOW, *, merged=False):
    """Return the rows of a query at a time; `merged`: one graph has all that windows show (C-SPARQL)."""
    static = Block(STATIC, 0, ())
    one = list({terms for each in (static, *blocks_of(query)) for terms in shown_at(each, stream, now)})
    rows = [{}]
    for each in query.blocks:
        own = solutions(each, one if merged else shown_at(each, stream, now))
        rows = [
            {**row, **more}
            for row in rows
            for more in own
            if all(row.get(k, v) == v for k, v in more.items())
        ]
    if query.given:
        name, *terms = query.given
        rows = [row for row in rows if row[name] in map(simple, terms)]
    rows = [row for row in rows if all(holds(test, row) is True for test in query.tests)]
    if query.exists is not None:
        beside = solutions(query.exists, one if merged else shown_at(query.exists, stream, now))
        rows = [
            row for row in rows if any(all(row.get(k, v) == v for k, v in each.items()) for each in beside)
        ]
    return {tuple(row[name] for name in query.result) for row in rows}


def disagree(query, stream, period, end):
    """Whether push and pull differ in the period up to a time."""
    fired = {each[0] for each in stream if each[1] != STATIC and end - period < each[0] <= end}
    pushed = set().union(*(answers(query, stream, t) for t in fired))
    return pushed != answers(query, stream, end, merged=True)


def near(term):
    """Yield terms of the same value, and a little more and less, of each type."""
    if amount(term) is None:
        yield from near_other(term)
        return
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


def near_other(term):
    """Yield terms beside one that is not a number."""
    if "dateTime" in term:
        text = term[1:].partition('"')[0]
        clock, zoned = datetime.fromisoformat(text), text != text[:19]
        for gap in (0, 1, -1, 14 * 3600, -14 * 3600, 14 * 3600 + 1, -14 * 3600 - 1):
            other = clock + timedelta(seconds=gap)
            yield typed(other.isoformat(), "dateTime")
            yield typed(other.replace(tzinfo=None).isoformat() + "Z" * (not zoned), "dateTime")
        return
    yield from ('""', '"a"', '"aa"', '"b"', '"a"@en', '"a"@fr', '"1"', typed("1", "integer"))
    yield from (typed(text, "boolean") for text in ("true", "false", "1", "0", "maybe"))
    yield from (typed("none", "integer"), typed("nothing", "integer"), '"x"^^<http://e/type>')


def decimal(value):
    places = next((n for n in range(400) if 10**n % value.denominator == 0), 400)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else f"{digits}.0"
    return typed(f"{'-' if value < 0 else ''}{text}", "decimal")


def refuting(random, queries, refutes):
    """Return a stream that refutes, None where none was met: most match the first query."""
    constants = sorted({t for q in queries for t in constants_of(q)})
    objects = [iri("a"), iri("b"), iri("k"), *constants, *(each for term in constants for each in near(term))]
    parts = [(n, triple, each) for n, each in enumerate(blocks_of(queries[0])) for triple in each.triples]
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
            stream.append((when, each.stream, *map(simple, terms)))
        if random.random() < 0.1:
            stream.append((NOW - random.choice((0, 1)), "S", iri("n"), iri("n"), iri("n")))
        if all(terms[2][0] == "<" for terms in stream) and refutes(stream):
            return stream
    return None


def slot(n, block_, term):
    """Return a variable of the query, or one of a block that hides it."""
    return f"{n}{term}" if block_.shown is not None and term not in block_.shown else term


def constants_of(query):
    tests = [*query.tests, *(test for each in query.blocks for test in each.tests)]
    terms = [term for test in tests for term in leaves(test)] + [
        t for each in blocks_of(query) for row in each.triples for t in row
    ]
    return [term for term in (*terms, *query.given) if term[0] == '"']


def problem(seed):
    """Return what is wrong with what is said of queries, None where nothing is, what was said, and these."""
    random = Random(seed)
    constants = [constant(random) for _ in range(2)]
    constants += [random.choice(list(near(random.choice(constants))) or constants)]
    one = random_query(random, constants)
    if seed % 5 == 0:
        return of_push_and_pull(random, one, random.choice((1, 1, 2, 3)))
    others = (changed(random, one, constants) for _ in range(20))
    other = next((each for each in others if each not in (None, one)), one)
    if random.random() < SWAPPED:
        one, other = other, one
    queries = [read_query(text_of(each), "q.rq") for each in (one, other)]
    contest = two_queries(*queries, Setting(), contained=True)
    streams = tuple(dict.fromkeys(stream for query in queries for stream in streams_of(query)))
    outcome = smallest(WitnessSearch(contest, streams, deadline=Deadline.after(SECONDS)))
    pair = [PairQuery(query, Setting(), Deadline.after(SECONDS)) for query in queries]
    decided = answers_containment(*pair)
    said = outcome.search_end, decided.verdict
    shown = [listed(each.facts, each.triples, each.end) for each in (*outcome.witnesses, *decided.witnesses)]

    def refutes(stream):
        return answers(one, stream) - answers(other, stream)

    proved = outcome.holds or decided.holds
    return complaint(random, (one, other), shown, refutes, proved=proved), said, (one, other)


def of_push_and_pull(random, query, period):
    """Return the same of a query as push, and as pull with a period."""
    text = text_of(query)
    pair = pairs(None, read_query(text, "q.rq"), frozenset(), {})[0]
    streams = tuple(dict.fromkeys((*streams_of(pair.csparql), *streams_of(pair.cqels))))
    contest = push_and_pull(pair, period, Setting())
    question = AgreementQuestion(pair, Setting(), None, Places(text, "q.rq"))
    # What matches one source's patterns comes from there alone (A6), where they keep sources apart.
    anywhere, deadline = question.overlap is not None, Deadline.after(SECONDS)
    outcome = smallest(WitnessSearch(contest, streams, deadline=deadline, any_source=anywhere))
    decided = Decider(question, deadline=Deadline.after(SECONDS)).decide(period)
    said = outcome.search_end, decided.verdict
    shown, end = (
        [listed(each.facts, each.triples, each.end) for each in outcome.witnesses],
        NOW // period * period,
    )
    shown += [listed(each.facts, each.triples, each.end) for each in decided.witnesses]
    # All times are moved so that a period ends at the last of them.
    moved = [[(t - NOW + end, *terms) for t, *terms in stream] for stream in shown]

    def refutes(stream):
        again = [(t - NOW + end - random.choice((0, 0, 0, 1)), *terms) for t, *terms in stream]
        return any(disagree(query, again, period, each) for each in (end, end + period))

    problem_ = next((stream for stream in moved if not disagree(query, stream, period, end)), None)
    if problem_ is not None:
        return f"the stream that is shown does not refute: {problem_}", said, (query,)
    proved = outcome.holds or decided.holds
    return (
        complaint(random, (query,), shown, lambda stream: stream in shown or refutes(stream), proved=proved),
        (*said, "agree"),
        (query,),
    )


def listed(facts, static, end):
    """Return a stream that is shown, its end at NOW."""
    arriving = [
        (fact.t - end + NOW, fact.arguments[3][len("<http://e/") : -1], *fact.arguments[:3]) for fact in facts
    ]
    return arriving + [(NOW, STATIC, *quad[:3]) for quad in static]


def complaint(random, queries, shown, refutes, *, proved):
    """Return what is wrong, None where nothing is."""
    for stream in shown:
        if not refutes(stream):
            return f"the stream that is shown does not refute: {stream}"
    if proved:
        stream = refuting(random, queries, refutes)
        if stream is not None:
            return f"it is refuted by {stream}"
        if shown:
            return "one command refutes what the other proves"
    return None


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds, wrong = Counter(), 0
    for seed in range(first, first + count):
        what, said, pair = problem(seed)
        kinds[said] += 1
        if what is not None:
            wrong += 1
            print(seed, said, what, *map(text_of, pair), sep="\n  ", flush=True)
        if (seed - first) % 250 == 249:
            print(seed - first + 1, dict(kinds), f"{wrong} wrong", file=sys.stderr, flush=True)
    for said, number_ in kinds.most_common():
        print(f"{number_:6} witness: {said[0]}, decide: {', '.join(said[1:])}")
    print(f"{count} pairs, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
