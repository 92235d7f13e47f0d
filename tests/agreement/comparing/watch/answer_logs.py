"""Logs of running systems, right or with a known fault, against `lars solve` on the whole stream."""

import json
import random
from itertools import pairwise, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from agreement import api
from agreement.results.files.watched import watch
from lars.language.windows import Bounds
from tests.agreement.cause_cases import case, text
from tests.agreement.cause_check import texts
from tests.agreement.comparing.watch.batches import arrived, on_time, rows_of, written
from translate.model.query import Trigger

NODES = frozenset(("<http://e/a>", "<http://e/b>"))
FAULTS = {
    "push": (None, None, "bounds", "operator", "trigger", "evaluates", "lost", "silent", "late"),
    "pull": (None, None, "bounds", "operator", "t0", "evaluates", "lost", "silent", "late"),
}


def solved(query, trace, side, how, **more):
    """Return the evaluations of a query: pairs of the time and the rows as JSON texts."""
    options = {name: how[name] for name in ("bounds", "unit", "static") if name in how}
    mode = more.get("mode", side)
    options |= {"mode": mode} | (
        {"period": more["period"]} if mode == "pull" else {"trigger": how["trigger"]}
    )
    result = api.solve(str(query), str(trace), **options, to=more["to"], certify="none")
    lines = (json.loads(line) for line in result.json_lines())
    return [(line["t"], {json.dumps(row, sort_keys=True) for row in line["rows"]}) for line in lines]


def changed(new):
    """Return evaluations of which each has only the rows that the one before lacks."""
    return [(t, rows - before) for (_, before), (t, rows) in pairwise([(None, set()), *new])]


def faulty(rng, of, folder, how, shape):
    """Return the rule and the answers of a system with a fault: the time of the evaluation and rows."""
    (side, fault), (elements, kept, period, end) = of, shape
    query, whole = folder / f"{side}.rq", folder / "whole.csv"
    own = {"period": period, "to": end}
    if fault == "bounds":
        bounds = rng.choice(get_args(Bounds))
        return f"bounds = {bounds}", solved(query, whole, side, {**how, "bounds": bounds}, **own)
    if fault == "trigger":
        trigger = rng.choice([one for one in get_args(Trigger) if one != how["trigger"]])
        return f"trigger = {trigger}", solved(query, whole, side, {**how, "trigger": trigger}, **own)
    if fault == "operator":
        return "operator = ISTREAM", changed(solved(query, whole, side, how, **own))
    if fault == "evaluates":
        other = {"push": "pull", "pull": "push"}[side]
        found = solved(query, whole, side, how, **own, mode=other)
        return f"evaluates as {other}", found
    if fault == "t0" and period > 1:
        start = rng.randint(1, period - 1)
        later = period - start
        moved = written(folder / "moved.csv", [(row[0] + later, *row[1:]) for row in kept])
        found = solved(query, moved, side, how, period=period, to=end + later)
        return f"t0 = {start}", [(t - later, rows) for t, rows in found if t > later]
    if fault == "late":
        in_order, newest = [], -1
        for row in elements:
            newest = max(newest, row[0])
            if row[0] == newest:
                in_order.append(row)
        found = solved(query, written(folder / "in order.csv", in_order), side, how, **own)
        return "late = dropped", found
    found = solved(query, whole, side, how, **own)
    if fault == "silent":
        return None, [(t, set()) for t, _ in found]
    if fault == "lost":
        return None, [(t, {row for row in rows if rng.random() < 0.6}) for t, rows in found]
    return None, found


def log_lines(rng, answers, latency):
    """Return the lines of a log, each with its time; a system is up to `latency` time points late."""
    lines, last, labels = [], -1.0, {}
    for t, rows in answers:
        time = max(last, round(t + rng.random() * latency, 3))
        if time > last:
            labels, names = {}, [f"b{n}" for n in range(9)]
            rng.shuffle(names)
        last = time
        found = [json.loads(one) for one in sorted(rows)]
        for term in (term for row in found for term in row.values() if term["type"] == "bnode"):
            own = labels[term["value"]] = labels.get(term["value"]) or names.pop()
            term["value"] = own
        row = json.dumps({"t": t, "ms": last * 1000, "rows": found})
        lines.append((last, f"{row}\n"))
    return lines


def by_period(answers, period, side, right):
    """Return the rows by the ends of periods: an answer of push belongs to the evaluation before."""
    found, evaluated = {}, [t for t, _ in right]
    for t, rows in answers:
        caused = max((one for one in evaluated if one <= t), default=t)
        end = t // period * period if side == "pull" else -(-caused // period) * period
        if side == "push" and t > end + period:
            end = -(-t // period) * period
        found.setdefault(end, []).append(rows)
    return found


def with_blanks(rng, elements, *, blanks):
    """Return elements in which nodes are blank, others in each file, and the sizes of the files."""
    sizes, place, changed = [], 0, []
    while place < len(elements):
        sizes.append(rng.randint(1, 12))
        some, number = elements[place : place + sizes[-1]], len(sizes)
        changed += [[f"_:{x[-2]}{number}" if blanks and x in NODES else x for x in row] for row in some]
        place += sizes[-1]
    return [tuple(row) for row in changed], sizes


def difference(expected, reports):
    """Return how many rows are missing or too many if each report may have its own names of blank nodes."""
    nodes = sorted({name for row in expected for name in blanks_of(row)})
    found = {frozenset(): 0}
    for rows in reports:
        own, more = sorted({name for row in rows for name in blanks_of(row)}), {}
        for names in permutations([*nodes, *(f"new{n}" for n in range(len(own)))], len(own)):
            renamed = {renamed_row(row, dict(zip(own, names, strict=True))) for row in rows}
            for covered, odd in found.items():
                key, cost = covered | (renamed & expected), odd + len(renamed - expected)
                more[key] = min(cost, more.get(key, cost))
        found = more
    return min(odd + len(expected - covered) for covered, odd in found.items())


def blanks_of(row):
    return [term["value"] for term in json.loads(row).values() if term["type"] == "bnode"]


def renamed_row(row, names):
    terms = json.loads(row)
    for term in terms.values():
        if term["type"] == "bnode":
            term["value"] = names[term["value"]]
    return json.dumps(terms, sort_keys=True)


def compared(seed):
    """Return the faults of a seed, and what is wrong in the verdicts on its logs, "" for nothing."""
    one, rng = case(seed), random.Random(f"logs {seed}")
    elements, delay, period = arrived(rng, one), rng.choice((0, 1, 3)), rng.randint(1, 7)
    elements, sizes = with_blanks(rng, elements, blanks=rng.random() < 0.4)
    kept, newest = on_time(elements, delay)
    if not kept or newest - delay - 1 < max(period, kept[0][0]):
        return "nothing", ""
    with TemporaryDirectory() as name:
        drawn = elements, kept, delay, period, newest - delay - 1, sizes
        return _compared(rng, one, drawn, Path(name))


def _compared(rng, one, drawn, folder):
    elements, kept, delay, period, end, sizes = drawn
    for name, merged in (("pull", True), ("push", False)):
        (folder / f"{name}.rq").write_text(text(one, merged=merged))
    static = [" ".join(texts(triple)) + " ." for triple in sorted(one.static)]
    (folder / "static.nt").write_text("\n".join(static))
    how = {"bounds": one.bounds, "trigger": one.trigger, "unit": "1s"}
    if static:
        how["static"] = [str(folder / "static.nt")]
    written(folder / "whole.csv", kept)
    sides = rng.choice((("push",), ("pull",), ("push", "pull"), ("push", "pull")))
    faults = {side: rng.choice(FAULTS[side]) for side in sides}
    new = "push" in sides and rng.random() < 0.2
    right, logs, rules, lines = {}, {}, {}, {}
    for side in sides:
        right[side] = solved(folder / f"{side}.rq", folder / "whole.csv", side, how, period=period, to=end)
        if new and side == "push":
            right[side], faults[side] = changed(right[side]), None
            rules[side], logs[side] = None, right[side]
        else:
            shape = elements, kept, period, end
            rules[side], logs[side] = faulty(rng, (side, faults[side]), folder, how, shape)
        latency = (
            rng.choice((0, 0.9))
            if side == "push" or faults[side] in ("t0", "evaluates")
            else rng.choice((0, period - 0.1))
        )
        lines[side] = log_lines(rng, logs[side], latency)
        (folder / f"{side}.jsonl").write_text("")
    queries = [str(folder / "pull.rq"), str(folder / "push.rq")]
    (folder / "in").mkdir()
    options = {f"{side}_answers": str(folder / f"{side}.jsonl") for side in sides}
    options |= {"source": str(folder / "in"), "checkpoint": str(folder / "ck"), "out": str(folder / "out")}
    options |= {"period": period, "delay": delay, "certify": "none"} | how
    if new:
        options["push_reports"] = "new"
    _watched(rng, lambda: watch(*queries, **options), (elements, sizes), lines, folder)
    wrong = [*_differing(folder, right, logs, rules, (period, end))]
    return " ".join(f"{side} {fault}" for side, fault in faults.items()), "; ".join(wrong)


def _watched(rng, begin, batches, lines, folder):
    """Judge the elements in batches; logs grow by torn lines, and the run is killed at random."""
    run, place, newest = begin(), 0, -1
    elements, sizes = batches
    for number, size in enumerate(sizes):
        some = elements[place : place + size]
        newest = max(newest, *(row[0] for row in some))
        for side, every in lines.items():
            there = [line for t, line in every if t <= newest + 8]
            more = "".join(line for t, line in every if t > newest + 8)
            torn = more[: rng.randint(0, min(len(more), 80))]
            path = folder / f"{side}.jsonl"
            before, now = path.read_text(), "".join(there) + torn
            assert now.startswith(before) or before.startswith(now)
            path.write_text(max(before, now, key=len))
        path = written(folder / "in" / f"{number}.csv", some)
        run.judge_batch(number, [path])
        if rng.random() < 0.3:
            run = begin()
            run.judge_batch(number, [path])
        place += size
    run.repair()


def _differing(folder, right, logs, rules, shape):
    period, end = shape
    found = rows_of(folder / "out", "answers")[1:]
    expected = {side: by_period(every, period, side, every) for side, every in right.items()}
    reported = {side: by_period(every, period, side, right[side]) for side, every in logs.items()}
    # The end of the period in which a log begins.
    begins = {side: min(every, default=0) for side, every in reported.items()}
    judged = max((int(row[2]) for row in found), default=0)
    if len(found) != judged // period * len(right):
        yield f"{len(found)} verdicts up to {judged}"
    evaluated = [t for t, _ in right["push"]] if "push" in right else [end]
    reached = max((t for t in evaluated if t <= end - period), default=0)
    least = min(end - 3 * period, reached - period - ("push" not in right) * period)
    if judged < least // period * period:
        yield f"judged up to {judged} only, of {end}"
    for row in found:
        side, last = row[0], int(row[2])
        should = set().union(*expected[side].get(last, ()))
        does = set().union(*reported[side].get(last, ()))
        other = next((reported[one] for one in right if one != side), None)
        only = 0 if other is None else len(does - set().union(*other.get(last, ())))
        only *= all(last >= begin for one, begin in begins.items() if one != side)
        named = None if last <= begins[side] else rules[side]
        if any(map(blanks_of, (*should, *does))):
            apart = difference(should, reported[side].get(last, ()))
            unlogged = apart and last < begins[side]
            if (row[3], int(row[5]) + int(row[6])) != ("" if unlogged else str(apart == 0), apart):
                yield f"{row} should differ in {apart}"
            if apart and named is not None and named not in row[9].split("; "):
                yield f"{row} is not explained by {rules[side]}"
            continue
        is_right = "" if should != does and last < begins[side] else str(should == does)
        counts = [is_right, len(does), len(should - does), len(does - should), only]
        if list(map(str, counts)) != row[3:8]:
            yield f"{row} should be {counts}"
        if should != does and named is not None and named not in row[9].split("; "):
            yield f"{row} is not explained by {rules[side]}"
    if late := rows_of(folder / "out", "too-late-answers")[1:]:
        yield f"late answers {late}"
