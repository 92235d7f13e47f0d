"""A second evaluation of late traces: arrivals are replayed one by one, and triples are joined in loops.

A query has positive patterns, possibly one of OPTIONAL and one of NOT EXISTS, and possibly COUNT. A pattern
is (subject, predicate, object, window). Elements are (t, a, subject, predicate, object).
"""


def shown(window, seen, r):
    kind, *sizes = window
    held = [each for each in dict.fromkeys(seen) if each[0] <= r]
    if kind == "rows":
        return held[-sizes[0] :]
    length, slide = {"now": (0, 1), "all": (10**9, 1)}.get(kind, (*sizes, 1)[:2])
    pivot = r // slide * slide
    return [each for each in held if pivot - length <= each[0] <= pivot]


def matches(pattern, triples, solution):
    s, p, o, _ = pattern
    for subject, predicate, object_ in triples:
        grown = {**solution, s: subject, o: object_} if predicate == p else None
        if grown and all(grown[name] == value for name, value in solution.items()):
            yield grown


def rows(query, side, seen, r, free=False):
    """Return the rows at r. Pull merges the windows of the stream. With `free`, nothing blocks a row.

    `seen` are the elements in the order of time, or the content of each window.
    """
    parts = [*query["patterns"], *filter(None, (query["optional"], query["absent"]))]
    held = {part: seen[part[3]] if isinstance(seen, dict) else shown(part[3], seen, r) for part in parts}
    contents = {part: {each[1:] for each in held[part]} for part in parts}
    if side == "pull":
        contents = dict.fromkeys(parts, set().union(*contents.values()))
    solutions = [{}]
    for part in query["patterns"]:
        solutions = [found for each in solutions for found in matches(part, contents[part], each)]
    if part := query["optional"]:
        joined = [(each, list(matches(part, contents[part], each))) for each in solutions]
        solutions = [one for each, more in joined for one in [*more, *([each] if free or not more else [])]]
    if (part := query["absent"]) and not free:
        solutions = [each for each in solutions if not any(matches(part, contents[part], each))]
    if query["counted"]:
        firsts = [each[query["names"][0]] for each in solutions]
        return {(each, firsts.count(each)) for each in firsts}
    return {tuple(each.get(name) for name in query["names"]) for each in solutions}


def answers(query, side, stream, moments, free=False):
    """Return the rows at each time r, seen at a moment; None sees everything."""
    order = sorted(stream, key=lambda each: each[:2])
    seen = {m: [(e[0], *e[2:]) for e in order if m is None or e[1] <= m] for _, m in moments}
    return {r: rows(query, side, seen[moment], r, free) for r, moment in moments}


def changes(query, side, stream, lengths):
    """Yield (end of the period, row, kind, cause, time of the later report) of each change."""
    period, wait, lateness, last = lengths
    stream = [each for each in stream if each[0] <= last]
    kept = [each for each in stream if lateness is None or each[1] - each[0] <= lateness]
    pulls = range(period, max([last, *(e[1] for e in stream)]) + 60, period)
    if side == "pull":
        on, came, undropped = [(r, None) for r in pulls], *[[(r, r + wait) for r in pulls]] * 2
    else:
        on = [(t, None) for t in sorted({each[0] for each in stream})]
        came, undropped = ([(a, a) for a in sorted({each[1] for each in some})] for some in (kept, stream))
    timely, late = answers(query, side, stream, on), answers(query, side, kept, came)
    whole = answers(query, side, stream, undropped)
    for end in range(period, last + 1, period):
        within = range(end - period + 1, end + 1)

        def held(found, within=within):
            return {row for r, here in found.items() if r in within for row in here}

        def cause(row, lost, end=end, within=within, held=held):
            if lateness is not None and (row in held(whole)) == lost:
                return "dropped"
            if side == "pull" and lost:
                return "arrived after the pull"
            if lost:
                arrived = [each for each in stream if each[1] <= end]
                times = [(each[0], None) for each in arrived if each[0] in within]
                if row not in held(answers(query, side, arrived, times)):
                    return "arrived after the pull"
            if query["counted"]:
                return "aggregate of other input"
            if lost:
                free = row in held(answers(query, side, kept, came, free=True))
                blocks = query["absent"] or query["optional"]
                return "blocked when it arrived" if free and blocks else "left the window before it arrived"
            again = side == "push" and row in held(answers(query, side, stream, [(r, None) for r, _ in came]))
            return "fired by late data" if again else "blocked too late"

        for row in held(timely) - held(late):
            later = min((r for r, here in late.items() if r > end and row in here), default=None)
            yield end, row, "lost for good" if later is None else "late", cause(row, True), later
        for row in held(late) - {row for r, here in timely.items() if r <= end for row in here}:
            yield end, row, "invented", cause(row, False), None
