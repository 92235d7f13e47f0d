"""Random queries, late streams, waits and latenesses: the rows that `agree_late` and the replay find."""

from random import Random

import pyarrow as pa

from agreement import api
from tests.agreement.comparing.agree.late_replay import changes

BASES = (0, 0, 0, 2**53 + 5)
"""Time points before the first one, to which a multiple of all periods and slides is added."""
ROUND = 12 * 25


def window(random):
    length = random.randint(1, 5)
    kinds = [("now",), ("all",), ("range", length), ("range", length), ("range", 3 * length)]
    kinds += [("rows", random.randint(1, 3)), ("slide", length, random.randint(1, 4))]
    return random.choice(kinds)


def late_query(random):
    patterns = [("a", "p", "b", window(random))]
    if random.random() < 0.5:
        patterns.append((random.choice("ab"), random.choice("pq"), "c", window(random)))
    counted = random.random() < 0.2
    absent = (random.choice("ab"), "r", "d", window(random)) if random.random() < 0.35 else None
    optional = (random.choice("ab"), "q", "e", window(random)) if random.random() < 0.35 else None
    optional = None if counted else optional
    names = ("a",) if counted else ("a", "b", "e") if optional else ("a", "b")
    return {
        "patterns": tuple(patterns),
        "absent": absent,
        "optional": optional,
        "counted": counted,
        "names": names,
    }


def late_stream(random, delay):
    """Return elements (t, a, s, p, o) in the order of the file, with several at some times."""
    times = [random.randint(1, 20) for _ in range(random.choice((0, 1, 2, 4, 8, 12, 16)))]
    times += random.sample(times, len(times) // 2)
    triples = [(random.choice("xyz"), random.choice("ppqqr"), random.choice("xy")) for _ in times]
    return [
        (t, t + random.choice((0, random.randint(0, delay))), *triple)
        for t, triple in zip(times, triples, strict=True)
    ]


def text_of(query, scale):
    written = {"now": "[NOW]", "all": "[ALL]", "range": "[RANGE {}s]", "slide": "[RANGE {}s SLIDE {}s]"}

    def block(pattern):
        s, p, o, (kind, *sizes) = pattern
        sizes = sizes if kind == "rows" else [size * scale for size in sizes]
        return f"STREAM :s {({**written, 'rows': '[ROWS {}]'})[kind].format(*sizes)} {{ ?{s} :{p} ?{o} }}"

    body = [block(each) for each in query["patterns"]]
    if query["optional"]:
        body.append(f"OPTIONAL {{ {block(query['optional'])} }}")
    if query["absent"]:
        body.append(f"FILTER NOT EXISTS {{ {block(query['absent'])} }}")
    names = "?a (COUNT(*) AS ?n)" if query["counted"] else " ".join(f"?{name}" for name in query["names"])
    grouped = " GROUP BY ?a" if query["counted"] else ""
    return f"PREFIX : <http://e/> SELECT {names} WHERE {{ {' '.join(body)} }}{grouped}"


def short(term):
    if term is None:
        return None
    return int(term.split('"')[1]) if term.startswith('"') else term.split("/")[-1].rstrip(">")


def case(seed):
    """Return the query, stream, period, wait, lateness and last time of a seed, and whether in file order."""
    random = Random(seed)
    delay = random.choice((0, 2, 5, 8, 12, 30))
    stream, in_order = late_stream(random, delay), random.random() < 0.3
    if in_order:
        newest, come = 0, []
        for t, _, *triple in stream:
            newest = max(newest, t)
            come.append((t, newest, *triple))
        stream = come
    last = max(random.choice((20, 20, 15, 23)), min((each[0] for each in stream), default=0))
    wait = random.choice((0, 0, random.randint(1, 8)))
    lateness = random.choice((None, None, random.randint(0, 6)))
    return late_query(random), stream, random.randint(1, 7), wait, lateness, last, in_order


def evaluated(seed):
    """Return the result of `agree_late` in a case, and the case's place: its first time and its scale."""
    query, stream, period, wait, lateness, last, in_order = case(seed)
    random = Random(f"place {seed}")
    scale = random.choice((1, 1, 1, 10**6))
    base = random.choice(BASES) if stream else 0
    base += -base % (ROUND * 7 * scale)
    columns = list(zip(*stream, strict=True)) or [()] * 5
    table = {
        "t": pa.array([base + t * scale for t in columns[0]], pa.int64()),
        "stream": pa.array(["<http://e/s>"] * len(stream), pa.string()),
        **{
            name: pa.array([f"<http://e/{x}>" for x in column], pa.string())
            for name, column in zip("spo", columns[2:], strict=True)
        },
        "came": pa.array([base + a * scale for a in columns[1]], pa.int64()),
    }
    arrival = "order" if in_order else "came"
    text = text_of(query, scale)
    found = api.agree_late(
        text,
        pa.table(table),
        arrival=arrival,
        period=period * scale,
        wait=wait * scale,
        lateness=None if lateness is None else lateness * scale,
        from_=base,
        to=base + last * scale,
        # Integers since 1970 would otherwise count from the first element.
        origin="1970-01-01T00:00:00Z" if base else None,
        certify="all" if random.random() < 0.05 else "none",
        unit="1s",
        evaluator=random.choice(("auto",) * 9 + ("both",)),
    )
    return found, base, scale


def differences(seed):
    """Return the kinds and causes of the changes, and the rows of both if they differ, or None."""
    query, stream, period, wait, lateness, last, _ = case(seed)
    found, base, scale = evaluated(seed)
    mine = {
        (
            row.side,
            (row.end - base) // scale,
            tuple(map(short, row.row)),
            row.kind,
            row.cause,
            None if row.reported is None else (row.reported - base) / scale,
        )
        for row in found.late
    }
    theirs = {
        (side, *each)
        for side in ("push", "pull")
        for each in changes(query, side, stream, (period, wait, lateness, last))
    }
    kinds = [(side, kind, cause) for side, _, _, kind, cause, _ in mine]
    if mine != theirs:
        return kinds, (
            text_of(query, scale),
            stream,
            period,
            wait,
            lateness,
            last,
            base,
            scale,
            mine - theirs,
            theirs - mine,
        )
    return kinds, None


def waits(seed):
    """Return numbers of pull's changed rows with another wait and lateness, of both evaluations.

    Return also the numbers of rows that the replay loses with the least wait and with one time point less.
    """
    query, stream, period, _, lateness, last, _ = case(seed)
    found, _, scale = evaluated(seed)
    random = Random(f"waits {seed}")
    wait, other = random.randint(0, 9), random.choice((None, random.randint(0, 6)))
    (side,) = (each for each in found.sides if each.side == "pull")
    mine = side.counts(wait * scale, None if other is None else other * scale)
    kinds = [kind for _, _, kind, *_ in changes(query, "pull", stream, (period, wait, other, last))]
    theirs = tuple(map(kinds.count, ("late", "lost for good", "invented")))
    least, lost = side.least_wait(), []
    for one in () if least is None else (least // scale, least // scale - 1):
        rows = changes(query, "pull", stream, (period, one, lateness, last))
        lost.append(len([kind for _, _, kind, *_ in rows if kind != "invented"]))
    return mine, theirs, least, lost
