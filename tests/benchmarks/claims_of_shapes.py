"""Queries of unusual shapes that lars says are contained or agree, against evaluated streams.

    python -m tests.benchmarks.claims_of_shapes 2000 [FIRST]

Queries have sub-SELECTs with LIMIT, OFFSET, ORDER BY and hidden variables of any names, VALUES with UNDEF
and with no rows, RAND, UUID, OPTIONAL, MINUS, and in C-SPARQL `f:timestamp` over windows of two slides. The
second query of a pair is the first with a part renamed, moved or changed. Each 'yes' and 'always' is tried on
random streams that columns evaluate, which know nothing of proofs; each shown stream must refute there too.
"""

import sys
from collections import Counter
from random import Random

from agreement.comparing.agree.agreeing import pairs
from agreement.documents.traces import streams_of
from agreement.proving.containment import PairQuery
from agreement.proving.containment.operators import answers_containment
from agreement.proving.decide import AgreementQuestion, Decider, Places
from agreement.proving.decisions import PairOnStream, trace_on
from agreement.proving.witness import WitnessSearch, push_and_pull, smallest, two_queries
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.deadlines import Deadline
from solver.facts import Fact
from solver.job import ask
from translate.dialects import read_query
from translate.model.query import Setting
from translate.tau import lars_program, output_of, pull

STREAMS, SECONDS, END = 40, 1, 6
TERMS = ("<http://e/a>", "<http://e/b>")
VALUES = (*TERMS, '"1"^^<{0}integer>', '"2"^^<{0}integer>', '"1.0"^^<{0}decimal>', '"1"', '"b"')
OBJECTS = [each.format("http://www.w3.org/2001/XMLSchema#") for each in VALUES]
NAMES = ("a", "b", "m", "x2", "z")
PREFIXES = "PREFIX : <http://e/> PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> "


def window(random):
    return random.choice(("[NOW]", "[RANGE 2s]", "[RANGE 3s]", "[RANGE 3s]"))


def block(random, variable):
    stream, predicate = random.choice((("s", "p"), ("s", "p"), ("r", "q")))
    return f"STREAM :{stream} {window(random)} {{ ?x :{predicate} ?{variable} }}"


def limited(random):
    """Return a sub-SELECT that keeps some of its rows; which ones, its order and hidden names decide."""
    hidden = random.choice(NAMES)
    shown = random.choice((f"?x ?{hidden}", "?x", f"?{hidden} ?x", f"DISTINCT ?x ?{hidden}"))
    keys = random.choice(("", "", "ORDER BY ?{0}", "ORDER BY DESC(?{0})", "ORDER BY ?x", "ORDER BY ?x ?{0}"))
    keys = keys.format(hidden) if hidden in shown else keys.replace("?{0}", "?x")
    kept = random.choice(("LIMIT 1", "LIMIT 1", "LIMIT 2", "LIMIT 1 OFFSET 1", "OFFSET 1", "LIMIT 0"))
    return f"{{ SELECT {shown} WHERE {{ {block(random, hidden)} }} {keys} {kept} }}"


def given(random):
    """Return VALUES of one or two variables, with unbound places, or without a row."""
    names = random.choice(("?x", "?v", "?x ?v", "?v ?x"))
    terms = (":a", ":b", "1", "2", "UNDEF", '"1"', "1.0")
    rows = [
        " ".join(random.choice(terms) for _ in names.split()) for _ in range(random.choice((0, 1, 2, 2, 3)))
    ]
    return f"VALUES ({names}) {{ {' '.join(f'({row})' for row in rows)} }}"


def unusual(random):
    """Return a part of a group that goes behind a block."""
    return random.choice((
        limited, limited, limited, given, given,
        lambda _: "BIND (RAND() AS ?n) FILTER (?n < 0.5)", lambda _: "BIND (UUID() AS ?u)",
        lambda _: "BIND (STRUUID() AS ?u)", lambda r: f"OPTIONAL {{ {block(r, 'w')} }}",
        lambda r: f"MINUS {{ {block(r, 'w')} }}",
        lambda _: "FILTER (?v >= 1)", lambda _: "FILTER (!BOUND(?v))",
        lambda r: f"{{ SELECT DISTINCT ?x WHERE {{ {block(r, r.choice(NAMES))} }} }}",
    ))(random)  # fmt: skip


def parts_of(random):
    first = [block(random, "v")] if random.random() < 0.8 else []
    parts = [*first, *(unusual(random) for _ in range(random.choice((1, 1, 2))))]
    return parts if any("STREAM" in part for part in parts) else [block(random, "v"), *parts]


def changed(random, parts):
    """Return the parts otherwise: a hidden name, an order, a number, or a part of them."""
    parts = list(parts)
    at = random.randrange(len(parts))
    match random.randrange(6):
        case 0 | 1:
            old, new = random.choice(NAMES), random.choice(NAMES)
            parts[at] = parts[at].replace(f"?{old}", f"?{new}")
        case 2:
            random.shuffle(parts)
        case 3:
            swaps = (("LIMIT 1", "LIMIT 2"), ("RANGE 2s", "RANGE 3s"), ("DESC(?x)", "?x"), ("UNDEF", ":a"))
            old, new = random.choice(swaps)
            parts[at] = parts[at].replace(old, new)
        case 4 if len(parts) > 1:
            parts.pop(at)
        case _:
            parts[at] = unusual(random) if "STREAM :" not in parts[at] else parts[at]
    return parts


def text_of(parts, columns):
    return f"{PREFIXES}SELECT {columns} WHERE {{ {' '.join(parts)} }}"


def stamped(random):
    """Return two queries in C-SPARQL that ask for the time of a statement."""

    def one():
        windows = random.choice(("[RANGE 4s STEP 2s]", "[RANGE 4s STEP 4s]", "[RANGE 2s STEP 2s]"))
        more = random.choice(("", "", "FROM STREAM :r [RANGE 2s STEP 2s]"))
        pattern = random.choice(("?x :p ?y", "?x :p ?y", "?x :p ?y . ?x :q ?w"))
        test = random.choice(("", "FILTER (?t > 1)", "FILTER (?y = 1)"))
        return (
            f"REGISTER QUERY q AS {PREFIXES}SELECT ?x ?t FROM STREAM :s {windows} {more} "
            f"WHERE {{ {pattern} BIND (f:timestamp(?x, :p, ?y) AS ?t) {test} }}"
        )  # fmt: skip

    return one(), one()


def texts(random):
    """Return one query that is asked as push and pull, or two."""
    if random.random() < 0.15:
        return stamped(random)
    parts = parts_of(random)
    columns = random.choice(("?x", "?x", "?x ?v"))
    if random.random() < 0.4:
        return (text_of(parts, columns),)
    others = (changed(random, parts) for _ in range(20))
    other = next((each for each in others if each != parts), parts)
    both = [text_of(parts, columns), text_of(other, columns)]
    random.shuffle(both)
    return tuple(both)


def stream(random):
    """Return facts of two streams and few terms, in order of time."""
    times = sorted(random.randrange(END) for _ in range(random.choice((1, 2, 2, 3, 4, 6))))
    return tuple(
        Fact(t, "striple", (random.choice(TERMS), f"<http://e/{name[0]}>", random.choice(OBJECTS), f"<http://e/{name[1]}>"))
        for t in times
        for name in [random.choice(("ps", "ps", "qr"))]
    )  # fmt: skip


def rows_of(query, facts, static, end):
    """Return the rows of a query at each time point with these times, by columns."""
    trace = trace_on(facts, static, Interval(0, end))
    program = pull(lars_program(query, Setting()), 1)
    (runs,) = trace.answers([ask(program, output_of(query, Setting()).predicate)])
    return {(t, row) for t, rows in runs.whole().by_time().items() for row in rows}


def of_pair(random, *asked):
    """Return what is wrong of the containment of the first query in the second, and how it was decided."""
    queries = [query for _, query in asked]
    contest = two_queries(*queries, Setting(), contained=True)
    streams = tuple(dict.fromkeys(stream for query in queries for stream in streams_of(query)))
    outcome = smallest(WitnessSearch(contest, streams, deadline=Deadline.after(SECONDS)))
    decided = answers_containment(
        *(PairQuery(query, Setting(), Deadline.after(SECONDS)) for query in queries)
    )

    def refutes(facts, static, end):
        one, other = (rows_of(query, facts, static, end) for query in queries)
        return bool(one - other)

    said = f"{outcome.search_end}, contained: {decided.verdict}"
    return complaint(random, refutes, outcome, decided), said


def of_push_and_pull(random, asked):
    """Return what is wrong of push and pull of a query, and how they were decided."""
    (text, query), period = asked, random.choice((1, 2, 3))
    pair = pairs(None, query, frozenset(), {})[0]
    contest = push_and_pull(pair, period, Setting())
    streams = tuple(dict.fromkeys((*streams_of(pair.csparql), *streams_of(pair.cqels))))
    question = AgreementQuestion(pair, Setting(), None, Places(text, "q.rq"))
    anywhere = question.overlap is not None
    outcome = smallest(WitnessSearch(contest, streams, deadline=Deadline.after(SECONDS), any_source=anywhere))
    decided = Decider(question, deadline=Deadline.after(SECONDS)).decide(period)

    def refutes(facts, static, end):
        background = static if isinstance(static, dict) else dict(static)
        on = PairOnStream(pair, Setting(), period, facts, background, end)
        return on.witness() is not None

    return complaint(random, refutes, outcome, decided), f"{outcome.search_end}, agree: {decided.verdict}"


def complaint(random, refutes, outcome, decided):
    """Return what is wrong, None where nothing is."""
    for each in (*outcome.witnesses, *decided.witnesses):
        if not refutes(each.facts, each.static, each.end):
            return f"the stream that is shown does not refute: {each.facts}"
    if not (outcome.holds or decided.holds):
        return None
    if outcome.witnesses or decided.witnesses:
        return "one command refutes what the other proves"
    facts = next(
        (each for each in (stream(random) for _ in range(STREAMS)) if refutes(each, {}, END + 4)), None
    )
    return None if facts is None else f"it is refuted by {facts}"


def problem(seed):
    """Return what is wrong of the claims of a seed, or None; how they were decided; and the texts."""
    random = Random(f"claims of shapes {seed}")
    asked = texts(random)
    try:
        queries = [read_query(text, "q.rq") for text in asked]
        found = (of_pair if len(queries) > 1 else of_push_and_pull)(random, *zip(asked, queries, strict=True))
    except LarsError as error:
        return None, f"refused: {str(error)[:60]}", asked
    return *found, asked


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds, wrong = Counter(), 0
    for seed in range(first, first + count):
        what, said, asked = problem(seed)
        kinds[said] += 1
        if what is not None:
            wrong += 1
            print(seed, said, what, *asked, sep="\n  ", flush=True)
    for said, number in kinds.most_common():
        print(f"{number:6} {said}")
    print(f"{count} claims asked, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
