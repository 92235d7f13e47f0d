"""What whole commands cost, each in a process of its own: user CPU seconds, memory, against what is wanted.

`python -m tests.benchmarks.commands [shrink explain ..] [--large]` makes the inputs and prints a line for
each row whose name begins so, CityBench's too, where its files are at hand. A fixed piece of work in Python
and numpy is timed before each row: what is wanted holds where that takes CALM seconds, and stretches with
it, since machines differ and are shared. `--large` adds 1.4 million triples. Exit code 1: a row takes longer
than wanted.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import log
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.growing import GROWING
from tests.benchmarks.slice_evaluation import LONG, SHORT, Load, plainly
from tests.packs import ROOT, SHARED

FIXED = """import numpy as np
count = {}
for number in range(500_000):
    key = f"{number % 5003}"
    count[key] = count.get(key, 0) + 1
print(len(count), np.unique(np.random.default_rng(7).integers(0, 1 << 40, 1_000_000)).size)"""
STARTS = {
    "agree samples/coupons": 0.35,
    "--help": 0.2,
    "translate QUERY": 0.25,
    "decide QUERY": 0.4,
    "witness QUERY": 0.45,
}
"""Short commands, with the user CPU seconds that each may take; QUERY is a query with one window."""
SQUARE = 1.6
"""The exponent of growth from which a query counts as growing with the square of its input."""
MOST_MEMORY = 500
"""Megabytes that a query of few answers may take at the greatest rate."""
CALM = 1.0
"""Seconds that the fixed work takes on the machine that the wanted seconds are for."""

JOINED = """SELECT ?room ?who WHERE { STREAM <e:doors> [RANGE 9s] { ?who <e:enters> ?room }
  STREAM <e:alarms> [RANGE 5s] { ?room <e:rings> ?bell } }"""
ENTERED = "SELECT ?who ?room WHERE { STREAM <e:doors> [RANGE 9s] { ?who <e:enters> ?room } }"
RATES = (80, 320, 1280)
BY_HAND = {100: (3000, 1.2), 1000: (300, 1.0), 10_000: (60, 0.5)}
"""Atoms at each time point: the time points, and how much of the evaluator by hand's time is wanted."""
FLOORS = ENTERED.replace("?room WHERE {", "?floor WHERE { ?room <e:on> ?floor .")
JUDGED = """REGISTER QUERY q AS SELECT ?who ?room FROM STREAM <e:doors> [RANGE 10s STEP 10s]
  WHERE { ?who <e:enters> ?room }"""
RULE = f"ans(X,Y) ← ⊞^{LONG} ◇ p(X,Y), ⊞^{SHORT} ◇ q(Y).\n"

# Between this process and a command: a child's greatest memory is at first that of what began it.
BETWEEN = """import json, resource, subprocess, sys
ran = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([ran.returncode, used.ru_utime, used.ru_maxrss, ran.stderr.decode()]))"""


@dataclass(frozen=True, slots=True)
class Row:
    """A command, and how many user CPU seconds it may take; `arguments` makes its inputs.

    A short command runs several `times`: the least of its seconds counts.
    """

    name: str
    wanted: float
    arguments: Callable[[], tuple[object, ...]]
    times: int = 1


def spent(*command):
    """Return user CPU seconds and megabytes of a command, which has to end as usual."""
    between = [sys.executable, "-S", "-c", BETWEEN, *map(str, command)]
    # Where no bytecode is kept each run compiles all modules: a user's does not.
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(between, cwd=ROOT, env=kept, capture_output=True, check=True)
    code, seconds, most, said = json.loads(ran.stdout)
    assert code in (0, 1), (command, said)
    assert "No module" not in said, (command, said)
    return seconds, most // 1024


def output(*arguments):
    """Return what a command of `lars` prints."""
    command = [sys.executable, "-m", "agreement.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).stdout.decode()


class Inputs:
    """The files that commands read, each made once."""

    def __init__(self, folder):
        self.folder = folder

    def text(self, name, text):
        """Return a file with this text."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def trace(self, count, bells=0.02):
        """Return so many triples, ten at a time point, of which few match."""
        drawn, rows = random.Random(7), []
        for number in range(count):
            rings = drawn.random() < bells
            subject = f"<e:{'r' if rings else 'p'}{drawn.randrange(400)}>"
            other = f"<e:bell{drawn.randrange(9)}>" if rings else f"<e:r{drawn.randrange(400)}>"
            stream, predicate = ("<e:alarms>", "<e:rings>") if rings else ("<e:doors>", "<e:enters>")
            rows.append((1 + number // 10, stream, subject, predicate, other))
        return self.table(f"trace{count}-{bells}.parquet", rows, ("t", "stream", "s", "p", "o"))

    def arriving(self, rate):
        """Return so many elements a second for 30 seconds: a value, a kind of twenty, the next one, edges.

        Half of the elements have an edge to a hub, and the other half an edge from it.
        """
        drawn, rows = random.Random(7), []
        for number in range(30 * rate):
            value = f'"{drawn.randrange(10**6)}"^^<http://www.w3.org/2001/XMLSchema#integer>'
            own, another = f"<e:x{number}>", f"<e:x{drawn.randrange(30 * rate)}>"
            pairs = ("v", value), ("k", f"<e:k{drawn.randrange(20)}>"), ("next", f"<e:x{number + 1}>")
            triples = [(own, name, other) for name, other in (*pairs, ("e", another))]
            triples.append((own, "e", "<e:hub>") if number % 2 else ("<e:hub>", "e", another))
            rows += ((number // rate, "<e:s>", one, f"<e:{name}>", other) for one, name, other in triples)
        return self.table(f"arriving{rate}.parquet", rows, ("t", "stream", "s", "p", "o"))

    def table(self, name, rows, columns):
        """Return rows as Parquet."""
        path = self.folder / name
        if not path.exists():
            values = map(list, zip(*rows, strict=True))
            pq.write_table(pa.table(dict(zip(columns, values, strict=True))), path)
        return path

    @cached_property
    def joined(self):
        """Two streams, joined."""
        return self.text("joined.rq", JOINED)

    @cached_property
    def entered(self):
        """One window as it is."""
        return self.text("entered.rq", ENTERED)

    def floors(self, count):
        """Return static data of so many triples, of which a stream meets four hundred."""
        lines = (f"<e:r{room}> <e:on> <e:floor{room % 50}> .\n" for room in range(count))
        return self.text(f"floors{count}.nt", "".join(lines))

    def branches(self, count):
        """Return a query of so many UNION branches of twelve patterns each, none of which has a solution."""
        patterns = (" . ".join(f"?x <e:p{at + n}> ?y{n}" for n in range(12)) for at in range(count))
        union = " UNION ".join(
            f"{{ {each} FILTER NOT EXISTS {{ ?x <e:q>/<e:r>* ?z }} }}" for each in patterns
        )
        windows = "FROM STREAM <e:one> [RANGE 5s STEP 1s] FROM STREAM <e:two> [RANGE 3s STEP 1s]"
        text = f"REGISTER QUERY q AS SELECT ?x (COUNT(*) AS ?n) {windows} WHERE {{ {union} }} GROUP BY ?x"
        return self.text(f"branches{count}.rq", text)

    def predicates(self, count):
        """Return one triple of each of so many predicates, of which no two arrive together."""
        lines = (
            f'<e:{"abc"[n % 3]}> <e:p{n}> <e:o{n}> <e:{("one", "two")[n % 2]}> "{n}" .\n'
            for n in range(count)
        )
        return self.text(f"predicates{count}.nq", "".join(lines))

    def judged(self, rows):
        """Return a query, a trace, and twenty reports of so many rows together, two of them without one."""
        drawn, each = random.Random(7), rows // 20
        query = self.text("judged.rq", JUDGED)
        made = ((1 + n * 10 // each, f"<e:p{n % each}>", f"<e:r{drawn.randrange(400)}>") for n in range(rows))
        lines = [f'{who} <e:enters> {room} <e:doors> "{t}" .\n' for t, who, room in made]
        trace = self.text(f"judged{rows}.nq", "".join(lines))
        asked = ("solve", query, trace, "--as", "csparql", "--json", "--in-process", "--unit", "1s", "-q")
        reports = list(map(json.loads, output(*asked).splitlines()))
        drawn.choice(reports[3]["rows"])["who"] = {"type": "uri", "value": "e:nobody"}
        reports[7]["rows"].pop(5)
        answers = self.text(f"answers{rows}.ndjson", "".join(json.dumps(one) + "\n" for one in reports))
        return query, trace, "--answers", answers, "--answers-format", "solve", "--unit", "1s"

    def atoms(self, each, points):
        """Return so many atoms at each time point, as texts."""
        facts = Load(each, points, 1).facts()
        rows = [(one.t, f"{one.predicate}({','.join(one.arguments)})") for one in facts]
        return self.table(f"atoms{each}.parquet", rows, ("t", "atom"))

    def columns(self, each, points):
        """Return the same atoms, in columns of their own."""
        facts = Load(each, points, 1).facts()
        rows = [(one.t, one.predicate, *one.arguments, *[None] * (2 - len(one.arguments))) for one in facts]
        return self.table(f"columns{each}.parquet", rows, ("t", "predicate", "arg1", "arg2"))

    def city(self, *rows):
        """Return CityBench's observations, of so many rows a sensor."""
        path = self.folder / f"city{''.join(rows)}.nq"
        if not path.exists():
            options = ("--rows", *rows) if rows else ()
            subprocess.run(
                [sys.executable, ROOT / "samples/citybench/convert.py", CITY, path, *options], check=True
            )
        return path

    def late(self):
        """Return an atom of the trace near its end."""
        asked = "--from", 13_900, "--unit", "1s", "--json", "-q"
        lines = output("solve", self.joined, self.trace(140_000), *asked).splitlines()
        reports = [one for one in map(json.loads, lines) if one["rows"]]
        room, who = (reports[-1]["rows"][0][name]["value"] for name in ("room", "who"))
        return "--at", reports[-1]["t"], f"ans(<{room}>,<{who}>)"


def started(made, start):
    """Return the arguments of a short command."""
    name, *inputs = start.split()
    if inputs == ["QUERY"]:
        return name, made.entered, *(("--unit", "1s") if name != "translate" else ())
    return name, *inputs


def rows(made, *, large):
    """Yield the rows of the table; inputs are made where a row is measured."""
    here, joined = ("--in-process", "--unit", "1s"), made.joined

    def agree(count, *more):
        return lambda: ("agree", joined, made.trace(count), "--period", "1,7,60", *here, *more)

    def judge(count):
        return lambda: ("judge", *made.judged(count))

    def solve(count):
        floors = made.text("floors.rq", FLOORS)
        return lambda: ("solve", floors, made.trace(1000, 0), "--static", made.floors(count), *here, "--json")

    def met(count):
        floors, each = made.text("floors.rq", FLOORS), ("--period", "1,7,60")
        return lambda: ("agree", floors, made.trace(1000, 0), "--static", made.floors(count), *each, *here)

    def alone(name, count, *more):
        return lambda: (name, joined, made.trace(count), *more, "--unit", "1s")

    def explained():
        return "explain", joined, made.trace(140_000)

    page = "--report", made.folder / "page.html"
    for start, wanted in STARTS.items():
        yield Row(f"start-up: {start}", wanted, lambda start=start: started(made, start), times=7)
    yield Row("agree, 140,000 triples", 2.0, agree(140_000))
    yield Row("agree --report, 140,000", 3.0, agree(140_000, *page))
    yield Row("judge, 20 reports, 21,000 rows", 5.0, judge(21_000))
    yield Row("judge, 20 reports, 117,000 rows", 8.0, judge(117_000))
    yield Row("shrink, 140,000", 4.0, alone("shrink", 140_000, "--period", "60"))
    million = made.entered
    yield Row(
        "solve --json, 1 M rows", 10.0, lambda: ("solve", million, made.trace(102_000, 0), *here, "--json")
    )
    silent = made.branches(60), made.predicates(300)
    yield Row("solve, 60 branches without rows", 12.0, lambda: ("solve", *silent, *here))
    yield Row("solve --static, 20,000 static", 1.6, solve(20_000))
    yield Row("solve --static, 200,000 static", 2.4, solve(200_000))
    yield Row("solve --static, 1,000,000 static", 6.0, solve(1_000_000))
    yield Row("agree --static, 1,000,000 static", 6.0, met(1_000_000))
    yield Row("explain, late in 140,000", 1.8, lambda: (*explained(), *made.late(), "--unit", "1s"))
    small = "compare", "cqels", "cqels-1.x", joined
    yield Row("compare, 10,000", 2.5, lambda: (*small, made.trace(10_000), "--unit", "1s"))
    many = "--period", "1..5", "--length", "1..20"
    yield Row("phase, 140,000, 5 × 20", 3.0, alone("phase", 140_000, *many))
    if large:
        yield Row("agree, 1,400,000 triples", 12.0, agree(1_400_000))
        yield Row("agree --report, 1,400,000", 13.0, agree(1_400_000, *page))


CITY = SHARED / "citybench"
SOURCES = {
    "http://127.0.0.1:9000/WebGlCity/RDF/SensorRepository.rdf": "SensorRepository",
    "http://127.0.0.1:9000/WebGlCity/RDF/AarhusCulturalEvents.rdf": "AarhusCulturalEvents",
    "http://127.0.0.1:9000/WebGlCity/RDF/AarhusLibraryEvents.rdf": "AarhusLibraryEvents",
    "cqels:": "SensorRepository",
    "cqels:culturalevents": "AarhusCulturalEvents",
    "cqels:libraryevents": "AarhusLibraryEvents",
}


def city(made):
    """Yield CityBench's pairs, on twenty rows a sensor, and the first one on all rows."""
    if not CITY.is_dir():
        return
    static = [
        f"{name}{'' if name == 'cqels:' else '='}{CITY / 'static' / file}.n3.gz"
        for name, file in SOURCES.items()
    ]
    known = [part for one in static for part in ("--static", one)]
    how = (*known, "--unit", "1ms", "--period", "1s..5s", "--trigger", "query-streams", "--in-process")

    def agree(name, *rows):
        pair = (CITY / "queries" / engine / name for engine in ("csparql", "cqels"))
        return lambda: ("agree", *pair, made.city(*rows), *how)

    for path in sorted((CITY / "queries" / "csparql").iterdir()):
        yield Row(f"citybench {path.stem}", 8.0, agree(path.name, "20"))
    yield Row("citybench Q1, all rows", 8.0, agree("Q1.rq"))


def naive(each, points=40, times=8):
    """Return the CPU seconds of a fresh clingo program for one time point, of windows that are whole."""
    facts, chosen = Load(each, points, 1).facts(), range(LONG, points, max(1, (points - LONG) // times))
    begin = time.process_time()
    plainly(facts, chosen)
    return (time.process_time() - begin) / len(chosen)


def programs(made):
    """Print how many times as fast a whole command is as a clingo program for each time point."""
    program = made.text("rule.lars", RULE)
    for each, points, wanted in ((1000, 300, 30), (100, 3000, 10)):
        out = "--out", made.folder / f"out{each}"
        alone = naive(each) * points
        for how, trace, *more in (
            ("", made.atoms(each, points)),
            (", runs", made.atoms(each, points), "--runs"),
            (", columns, runs", made.columns(each, points), "--runs"),
        ):
            asked = "solve", program, trace, "--in-process", *out, *more
            seconds, most = spent(sys.executable, "-m", "agreement.cli", *asked)
            name, ratio = f"solve a program, N = {each}{how}", alone / seconds
            said = f"{ratio:.1f} times as fast, wanted {wanted}"
            print(f"{name:42} {seconds:7.2f} s {most:6} MB; {said}", flush=True)
            yield ratio >= wanted or not more


def by_hand(made):
    """Print how long a command takes for a program, against an incremental evaluator of this program."""
    program = made.text("rule.lars", RULE)
    for each, (points, wanted) in BY_HAND.items():
        trace, out = made.columns(each, points), made.folder / "by_hand"
        ratios, most = [], 0
        for _ in range(3):
            hand, _ = spent(sys.executable, "-m", "tests.benchmarks.incremental", trace, out)
            asked = "solve", program, trace, "--in-process", "--runs", "--out", made.folder / "runs"
            seconds, most = spent(sys.executable, "-m", "agreement.cli", *asked)
            ratios.append(seconds / hand)
        line = f"by hand: N = {each}"
        print(f"{line:42} {seconds:7.2f} s {most:6} MB; {min(ratios):.2f} times, wanted {wanted}", flush=True)
        yield min(ratios) <= wanted


def growth(made):
    """Print what each query of few answers takes at three rates, and the exponent of its growth.

    The exponent is that of the two greatest rates, beyond what a trace of one element a second takes.
    """
    how = "--unit", "1s", "--mode", "pull", "--period", "5s", "--in-process", "--certify", "none"
    least = 0.0
    for name, query in GROWING.items():
        asked = "solve", made.text("growing.rq", query)
        run = [sys.executable, "-m", "agreement.cli", *asked]
        if not least:
            least = min(spent(*run, made.arriving(1), *how)[0] for _ in range(5))
            print(f"growth: the start takes {least:.2f} s")
        used = [spent(*run, made.arriving(rate), *how) for rate in RATES]
        seconds = [each for each, _ in used]
        before, last = (max(0.1, each - least) for each in seconds[-2:])
        exponent = max(0.0, log(last / before) / log(RATES[-1] / RATES[-2]))
        most = used[-1][1]
        said = " → ".join(f"{each:.2f}" for each in seconds)
        good = exponent < SQUARE and most <= MOST_MEMORY
        verdict = "" if good else "  TOO MUCH"
        print(f"{f'growth: {name}':48} {said} s {most:6} MB; exponent {exponent:.1f}{verdict}", flush=True)
        yield good


def measured(row):
    """Print the line of a row; return whether it takes no longer than wanted."""
    fixed = spent(sys.executable, "-c", FIXED)[0]
    command = sys.executable, "-m", "agreement.cli", *row.arguments()
    seconds, most = min(spent(*command) for _ in range(row.times))
    wanted = row.wanted * max(1.0, fixed / CALM)
    verdict = "" if seconds <= wanted else "  TOO LONG"
    print(
        f"{row.name:34} {seconds:7.2f} s {most:6} MB; {seconds / fixed:6.2f} times the fixed work, "
        f"wanted {row.wanted} s, now {wanted:.2f} s{verdict}",
        flush=True,
    )
    return seconds <= wanted


def main():
    """Read the options, make the inputs, run, print; exit code 1 where a row takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        made, names = Inputs(Path(name)), tuple(asked.names)
        spent(sys.executable, "-m", "agreement.cli", "agree", "samples/coupons", "--in-process")
        table = chain(rows(made, large=asked.large), city(made))
        good = [measured(row) for row in table if row.name.startswith(names)]
        if "solve a program".startswith(names):
            good += programs(made)
        if "by hand: ".startswith(names):
            good += by_hand(made)
        if "growth: ".startswith(names):
            good += growth(made)
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
