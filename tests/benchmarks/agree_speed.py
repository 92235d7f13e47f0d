"""`lars agree` against what a user writes instead: a pyoxigraph store for each window, both ways.

`python -m tests.benchmarks.agree_speed [--only q1 MINUS] [-- --certify none]` makes a trace of YABench's
observations (140,000 triples) and prints for each query the user CPU seconds beyond start-up: of `lars agree`
in process, from Parquet and from N-Quads, and of the script, which reads N-Quads, fills a store for each
window, and pulls every period and pushes every second; then how many times faster `lars agree` is. Each runs
in a process of its own; start-up is the same run on a trace of one second. What stands behind -- goes to
`lars agree`. The rows of pull and of push are counted both ways, and must be as many: else exit code 1.
`database_speed` compares with DuckDB and polars.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import pyoxigraph as ox

from tests.agreement.command import lars
from tests.benchmarks.agree_queries import CASES, NEAR, OBSERVATIONS, PREFIXES

RUNS = 3
LINE = re.compile(r'^(\S+) (\S+) (.*) <([^<>]*)> "(\d+)" \.$')


def make(folder, stations, seconds):
    """Write the trace in both formats, what is near what, the static data, and the queries."""
    for name in ("seen.parquet", "seen.nq"):
        options = ("--stations", stations, "--duration", f"{seconds}s", "--unit", "1s", "--in-process")
        assert lars("generate", folder / name, *options).code == 0
    station = "<http://knoesis.wright.edu/ssw/System_S{}>".format
    one = '<http://example.org/{}{}> <http://example.org/{}> {} <http://example.org/near> "{}" .\n'.format
    near = []
    for t in range(seconds):
        for n in range(5):
            near.append(one("u", (7 * t + n) % 50, "isNear", station(1 + (31 * t + 17 * n) % stations), t))
            near.append(one("n", 5 * t + n, "next", f"<http://example.org/n{5 * t + n + 1}>", t))
    (folder / "near.nq").write_text("".join(near))
    classes = (f"{station(n)} <http://example.org/class> {n % 3} .\n" for n in range(1, stations + 1))
    (folder / "static.ttl").write_text("".join(classes))
    for case in CASES:
        (folder / f"{case.name}.cqels.rq").write_text(case.pushed)
        if case.pulled is not None:
            (folder / f"{case.name}.csparql.rq").write_text(case.pulled)


def ours(folder, case, seen, options):
    """Run `lars agree` on the case as a process of its own; return its user CPU seconds."""
    queries = [folder / f"{case.name}.cqels.rq"]
    queries += [folder / f"{case.name}.csparql.rq"] if case.pulled else []
    given = (*queries, *inputs(folder, case, seen), "--in-process", "-q", *timing(case), *options)
    command = [sys.executable, "-m", "agreement.cli", "agree", *map(str, given)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode in (0, 1), command
    return used.ru_utime


def inputs(folder, case, seen):
    """Return the arguments that name the trace and the static data."""
    static = ("--static", folder / "static.ttl") if case.static else ()
    read = [seen] * ("<<seen" in case.where) + [seen.parent / "near.nq"] * ("<<near" in case.where)
    return *read, *static


def timing(case):
    """Return the options that say when is pulled."""
    return "--unit", "1s", "--period", f"{case.step}s"


def rows(folder, case):
    """Print how many rows pull and push have in all, as `lars solve` finds them."""
    own = folder / f"{case.name}.{'csparql' if case.pulled else 'cqels'}.rq"
    asked = (
        (own, ("--mode", "pull", *timing(case))),
        (folder / f"{case.name}.cqels.rq", ("--mode", "push", "--unit", "1s")),
    )
    for query, options in asked:
        ran = lars(
            "solve",
            query,
            *inputs(folder, case, folder / "seen.parquet"),
            "--in-process",
            "-q",
            "--json",
            *options,
        )
        assert ran.code == 0, ran.err
        print(sum(len(line["rows"]) for line in ran.lines))


def script(folder, case, seconds):
    """Evaluate each window in a store of its own; print the user CPU seconds, and the numbers of rows."""
    triples = {OBSERVATIONS: {}, NEAR: {}}
    for path in inputs(folder, case, folder / "seen.nq"):
        if isinstance(path, Path) and path.suffix == ".nq":
            read(path, triples, seconds)
    static = list(ox.parse(path=str(folder / "static.ttl"))) if case.static else []
    query = f"{PREFIXES}SELECT DISTINCT {case.select} WHERE {{ {case.plain} }} {case.tail}"
    counted = [0, 0]
    for push, times in ((False, range(0, seconds, case.step)), (True, range(seconds))):
        for t in times:
            store = ox.Store()
            store.bulk_extend([*static, *shown(case, triples, t, push=push)])
            counted[push] += len({tuple(map(str, row)) for row in store.query(query)})
    print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    print(*counted, sep="\n")


def read(path, triples, seconds):
    """Add a file's triples to those of each stream and second."""
    lines = {}
    for line in path.open():
        s, p, o, stream, t = LINE.match(line).groups()
        if int(t) < seconds:
            lines.setdefault((stream, int(t)), []).append(f"{s} {p} {o} .\n")
    for (stream, t), some in lines.items():
        parsed = ox.parse("".join(some), format=ox.RdfFormat.N_TRIPLES)
        triples[stream][t] = list(parsed)


def shown(case, triples, t, *, push):
    """Yield the triples of all windows at a second."""
    for stream, by_time in triples.items():
        if case.triples:
            first, held = t, []
            while first >= 0 and len(held) < case.triples:
                held, first = [*by_time.get(first, ()), *held], first - 1
            yield from held[-case.triples :]
        elif by_time:
            first, last = case.shown(t, stream, push=push)
            for u in range(first, last + 1):
                yield from by_time.get(u, ())


def measured(*arguments):
    """Return the numbers that this module prints in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    return list(map(float, done.stdout.split()))


def compare(folder, case, given):
    """Print a line of the table; return how many times faster ours is, and whether the rows are as many."""
    each = {}
    for name in ("parquet", "nq"):
        # Start-up takes longer than most cases: of some runs the shortest.
        whole, least = (
            min(ours(folder, case, folder / f"{part}.{name}", given.options) for _ in range(RUNS))
            for part in ("seen", "second/seen")
        )
        each[name] = whole - least
    least = min(measured("script", folder, case.name, 1)[0] for _ in range(RUNS))
    taken, *theirs = measured("script", folder, case.name, given.seconds)
    each["script"] = taken - least
    own = measured("rows", folder, case.name)
    ratios = [each["script"] / max(each[name], 0.01) for name in ("parquet", "nq")]
    costs = "".join(f"{each[name]:9.2f}" for name in ("parquet", "nq", "script"))
    counts = " / ".join(f"{int(count):,}" for count in own)
    said = "" if own == theirs else f"  DIFFERENT: {theirs}"
    print(f"{case.name:14}{costs}{ratios[0]:9.1f}{ratios[1]:9.1f}  {counts}{said}", flush=True)
    return ratios, own == theirs


def main():
    """Make the trace, compare each case, print; or be one of the processes that are measured."""
    role = sys.argv[1] if len(sys.argv) > 1 else ""
    if role in ("rows", "script"):
        return part(role, *sys.argv[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--stations", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=100)
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, given.stations, given.seconds)
        second = folder / "second"
        second.mkdir()
        make(second, 1, 1)
        print(
            f"{'':14}{'Parquet':>9}{'N-Quads':>9}{'script':>9}{'times':>9}{'times':>9}  rows of pull / push"
        )
        found = [
            compare(folder, case, given) for case in CASES if given.only is None or case.name in given.only
        ]
    for place, name in enumerate(("Parquet", "N-Quads")):
        print(f"median from {name}: {median(ratios[place] for ratios, _ in found):.1f} times")
    return 0 if all(same for _, same in found) else 1


def part(role, folder, name, *arguments):
    """Be a process that is measured."""
    case = next(case for case in CASES if case.name == name)
    if role == "rows":
        rows(Path(folder), case)
    else:
        script(Path(folder), case, int(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
