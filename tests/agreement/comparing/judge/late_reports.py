"""Reports on late streams, by a replay of arrivals: one evaluation after another.

Elements are (t, a, subject, predicate, object) in the order of arrival. `how` has the keys of a specification
(report, bounds, stream), and t0, wait, lateness and period.
"""

from tests.agreement.comparing.agree.late_replay import rows


def arrived(stream, lateness):
    """Return what is not dropped, in the order of arrival; of equal elements at one time the first."""
    kept = [each for each in stream if lateness is None or each[1] - each[0] <= lateness]
    first = {}
    for each in sorted(kept, key=lambda each: each[1]):
        first.setdefault((each[0], *each[2:]), each)
    return list(first.values())


def evaluations(query, stream, how, until):
    """Yield the reference time of each evaluation, the time of its report, and what has arrived."""
    own = arrived(stream, how["lateness"])
    if how["report"] == "content-change":
        yield from ((each[1], each[1], own[: n + 1]) for n, each in enumerate(own) if each[1] <= until)
        return
    if how["report"] == "periodic":
        times = range(how["period"], until + 1, how["period"])
    else:
        _, length, slide = query["patterns"][0][3]
        times = range(how["t0"] + length, until + 1, slide)
    for r in times:
        yield r, r + how["wait"], [each for each in own if each[1] <= r + how["wait"]]


def held(window, seen, r, how):
    """Return the elements of a window at r, without the ends that do not belong to it."""
    kind, *sizes = window
    low = how["bounds"] in {"low-open", "open"} and kind != "now"
    high = how["bounds"] in {"high-open", "open"} and kind != "now"
    kept = [each for each in sorted(seen, key=lambda each: each[0]) if each[0] <= r - high]
    if kind == "rows":
        return kept[-sizes[0] :]
    begin = r - {"now": 0, "all": 10**9}.get(kind, (*sizes, 0)[0])
    return [each for each in kept if begin + low <= each[0]]


def reports(query, stream, how, until):
    """Return (time, rows) of each evaluation; without new rows (ISTREAM) or elements nothing is reported."""
    found, before = [], set()
    for r, time, seen in evaluations(query, stream, how, until):
        windows = {part[3] for part in (*query["patterns"], query["absent"], query["optional"]) if part}
        contents = {window: [(e[0], *e[2:]) for e in held(window, seen, r, how)] for window in windows}
        now = rows(query, "push", contents, r)
        shown = now - before if how["stream"] == "ISTREAM" else now
        before = now
        if how["stream"] == "RSTREAM" or shown:
            found.append((time, shown))
    return found
