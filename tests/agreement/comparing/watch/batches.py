"""A watched stream in random files, batches and crashes, against one comparison of what counts in it."""

import csv
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from agreement import api
from agreement.documents.table_files import write_tables
from agreement.results.files.watched import watch
from tests.agreement.cause_cases import arrival, case, text
from tests.agreement.cause_check import texts

LAST = 40
HEADER = ("t", "stream", "s", "p", "o")


def arrived(rng, one):
    """Return elements (t, stream, s, p, o) in the order of arrival; most are a little late."""
    streams = "".join(window.stream[-1] for window in one.pull)
    drawn = ("ppqqz", "ab12") if not one.select.aggregates else ("ppppqz", "123")
    slow = rng.choice((0, 0, 2, 6))
    elements = []
    for _ in range(rng.randint(0, 40)):
        found = arrival(rng, streams, rng.random() < 0.7, drawn)
        t = rng.randint(1, LAST)
        came = t + rng.randint(0, slow) if rng.random() < 0.9 else t + rng.randint(0, 20)
        elements.append((came, (t, found.stream, *texts(found[2:]))))
    return [element for _, element in sorted(elements, key=lambda pair: pair[0])]


def on_time(elements, delay):
    """Return the elements that count, in the order of time: not more than `delay` behind one before."""
    kept, newest = [], -1
    for element in elements:
        newest = max(newest, element[0])
        if newest - element[0] <= delay:
            kept.append(element)
    return sorted(kept, key=lambda element: element[0]), newest


def written(path, elements):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows((HEADER, *elements))
    return path


def rows_of(folder, name):
    with (folder / f"{name}.csv").open(newline="") as file:
        return list(csv.reader(file))


def compared(seed):
    """Return what was compared of a seed, and what is wrong, "" for nothing."""
    one, rng = case(seed), random.Random(f"watch {seed}")
    elements, delay = arrived(rng, one), rng.choice((0, 1, 3, 8))
    periods = rng.sample(range(1, 8), rng.choice((1, 1, 2)))
    with TemporaryDirectory() as name:
        return _compared(rng, one, (elements, delay, periods), Path(name))


def _compared(rng, one, drawn, folder):
    elements, delay, periods = drawn
    for name, merged in (("pull", True), ("push", False)):
        (folder / f"{name}.rq").write_text(text(one, merged=merged))
    static = [" ".join(texts(triple)) + " ." for triple in sorted(one.static)]
    (folder / "static.nt").write_text("\n".join(static))
    queries = [str(folder / "pull.rq"), str(folder / "push.rq")]
    how = {"bounds": one.bounds, "trigger": one.trigger, "certify": "none", "period": periods, "unit": "1s"}
    if static:
        how["static"] = [str(folder / "static.nt")]
    (folder / "in").mkdir()
    folders = {"source": str(folder / "in"), "checkpoint": str(folder / "ck"), "out": str(folder / "out")}
    watched(rng, lambda: watch(*queries, **how, **folders, delay=delay, out_format="csv"), elements, folder)
    kept, newest = on_time(elements, delay)
    end = newest - delay - 1
    if kept and min(periods) <= end < kept[0][0]:
        return "before", ""  # the oracle refuses a timeline before its trace
    if not kept or end < min(periods):
        judged = (folder / "out" / "periods.csv").exists() and len(rows_of(folder / "out", "periods")) > 1
        return "nothing", "judged too early" if judged else ""
    whole = api.agree(*queries, str(written(folder / "whole.csv", kept)), **how, to=end)
    write_tables(folder / "agree", whole.tables(), whole.dates, "csv")
    wrong = [*differing(folder, several=len(periods) > 1)]
    late = len(rows_of(folder / "out", "too-late")) - 1
    if late != len(elements) - len(kept):
        wrong.append(f"{late} late elements, not {len(elements) - len(kept)}")
    return ("differences" if len(rows_of(folder / "out", "differences")) > 1 else "agreement"), "; ".join(
        wrong
    )


def watched(rng, begin, elements, folder):
    """Judge the elements in random files and batches; at random moments the run is killed."""
    run, number, place = begin(), 0, 0
    while place < len(elements):
        size = rng.randint(1, 12)
        parts = [elements[place : place + size // 2], elements[place + size // 2 : place + size]]
        paths = [
            written(folder / "in" / f"{number}-{part}.csv", some) for part, some in enumerate(parts) if some
        ]
        run.judge_batch(number, paths)
        if rng.random() < 0.3:  # it was killed before Spark knew that the batch was finished
            run = begin()
            run.judge_batch(number, paths)
        if rng.random() < 0.2:  # it was killed as it wrote
            with (folder / "out" / "differences.csv").open("a") as file:
                file.write("half a ro")
            run = begin()
        number, place = number + 1, place + size
    run.repair()


def differing(folder, *, several):
    """Yield what the tables have otherwise than those of `lars agree`."""
    for name in ("periods", "differences"):
        expected, found = rows_of(folder / "agree", name), rows_of(folder / "out", name)
        if name == "differences":
            start, pushed = expected[0].index("from"), expected[0].index("pushed")
            for row in expected[1:]:
                row[pushed] = row[pushed] if row[pushed] and int(row[pushed]) > int(row[start]) else ""
        else:
            empty = expected[0].index("empty")
            expected = [row[:empty] + row[empty + 1 :] for row in expected]
        if several:
            expected, found = sorted(expected), sorted(found)
        if expected != found:
            lost, more = (
                [row for row in one if row not in other]
                for one, other in ((expected, found), (found, expected))
            )
            yield f"{name}: lost {lost}, more {more}"
