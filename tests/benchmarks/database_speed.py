"""`lars agree` beside the scripts that one would write in DuckDB and polars for two pairs of queries.

`python -m tests.benchmarks.database_speed [--sizes 10000 1000000] [--python PATH]` makes the traces of two
pairs of C-SPARQL and CQELS queries, as Parquet and as N-Quads: warm sensors near users, as in YABench, and
coupons with static data. It prints the user CPU seconds (the least of three runs) and the memory in MB of
whole commands, and how many times as much `lars agree` needs. DuckDB and polars are no dependencies:
`--python` names an interpreter that has them; one that is missing is left out. Up to `MOST` triples, the rows
of push and of pull in each period are compared: if they differ, the exit code is 1.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS, MOST, STEP = 3, 200_000, 5
E, W = "http://example.org/", "http://knoesis.wright.edu/ssw/"
ONT, XSD = f"{W}ont/sensor-observation.owl#", "http://www.w3.org/2001/XMLSchema#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SENSORS, SHOPS, PRODUCTS = 200, 200, 50
WARM = (
    f"?b <{ONT}observedProperty> <{W}ont/weather.owl#_AirTemperature> ; <{ONT}procedure> ?k ; "
    f"<{ONT}result> ?r . ?r <{ONT}floatValue> ?v . FILTER(?v > 90)"
)
GOOD = f"?k <{E}offers> ?c . ?c <{E}on> ?x ; <{E}reduce> ?v . FILTER(?v >= 20)"
NEAR, CLASS = f"?u <{E}isNear> ?k .", f"?x <{E}class> ?g FILTER(?g != 1)"
CASES = {
    "sensors": ("?k ?u ?v", WARM, 10, NEAR, 3, ""),
    "coupons": ("?k ?v ?x", GOOD, 30, NEAR, 5, CLASS),
}
"""The result, the patterns and window lengths of both streams in seconds, and the static pattern."""


def sensor_rows(seconds, draw):
    """Yield the seven triples of each sensor at each second."""
    for t in range(seconds):
        for n in range(SENSORS):
            b, r = f"{W}Observation_{n}_{t}", f"{W}Measure_{n}_{t}"
            value = f'"{draw.randrange(0, 1001) / 10}"^^<{XSD}double>'
            pairs = (
                ((b, TYPE), f"{W}ont/weather.owl#TemperatureObservation"),
                ((b, f"{ONT}observedProperty"), f"{W}ont/weather.owl#_AirTemperature"),
                ((b, f"{ONT}procedure"), f"{W}System_{n}"),
                ((b, f"{ONT}result"), r),
                ((r, TYPE), f"{ONT}MeasureData"),
                ((r, f"{ONT}floatValue"), value),
                ((r, f"{ONT}uom"), f"{W}ont/weather.owl#fahrenheit"),
            )
            yield from ((t, f"{E}one", s, p, o) for (s, p), o in pairs)


def coupon_rows(seconds, draw):
    """Yield the three triples of each of ten coupons at each second."""
    for t in range(seconds):
        for n in range(10):
            c = f"{E}c{t}_{n}"
            yield t, f"{E}one", f"{E}shop{draw.randrange(SHOPS)}", f"{E}offers", c
            yield t, f"{E}one", c, f"{E}on", f"{E}p{draw.randrange(PRODUCTS)}"
            yield t, f"{E}one", c, f"{E}reduce", f'"{draw.randrange(5, 50, 5)}"^^<{XSD}integer>'


def near_rows(seconds, each, places, draw):
    """Yield where users are at each second."""
    for t in range(seconds):
        for _ in range(each):
            yield t, f"{E}two", f"{E}u{draw.randrange(50)}", f"{E}isNear", draw.choice(places)


def make(folder, size):
    """Write the traces of both cases, with about `size` triples each, the queries and the static data."""
    draw = random.Random(size)
    sensors, shops = [f"{W}System_{n}" for n in range(SENSORS)], [f"{E}shop{n}" for n in range(SHOPS)]
    seconds = max(size // (7 * SENSORS + 5), 1)
    write(folder / "sensors.one", sensor_rows(seconds, draw))
    write(folder / "sensors.two", near_rows(seconds, 5, sensors, draw))
    seconds = max(size // 70, 1)
    write(folder / "coupons.one", coupon_rows(seconds, draw))
    write(folder / "coupons.two", near_rows(seconds, 40, shops, draw))
    classes = (f"<{E}p{n}> <{E}class> {n % 3} .\n" for n in range(PRODUCTS))
    (folder / "static.ttl").write_text("".join(classes))
    for name, (select, one, first, two, second, static) in CASES.items():
        streams = ((one, first, f"{E}one"), (two, second, f"{E}two"))
        blocks = " ".join(f"STREAM <{iri}> [RANGE {size}s] {{ {part} }}" for part, size, iri in streams)
        read = "\n".join(f"FROM STREAM <{iri}> [RANGE {size}s STEP {STEP}s]" for _, size, iri in streams)
        (folder / f"{name}.cqels.rq").write_text(f"SELECT {select} WHERE {{ {blocks} {static} }}\n")
        pulled = f"REGISTER QUERY q AS\nSELECT {select}\n{read}\nWHERE {{ {one} {two} {static} }}\n"
        (folder / f"{name}.csparql.rq").write_text(pulled)


def write(path, rows):
    """Write rows as Parquet, with texts in dictionaries where few differ, and as N-Quads."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(rows)
    t, stream, s, p, o = map(list, zip(*rows, strict=True))
    few = (pa.array(column).dictionary_encode() for column in (stream, p))
    columns = dict(zip(("stream", "p"), few, strict=True))
    pq.write_table(pa.table({"t": pa.array(t, pa.int64()), "s": s, "o": o, **columns}), f"{path}.parquet")
    with Path(f"{path}.nq").open("w") as file:
        for t, stream, s, p, o in rows:
            file.write(f'<{s}> <{p}> {o if o[0] == chr(34) else f"<{o}>"} <{stream}> "{t}" .\n')


TERMS = r'^<(?P<s>[^>]*)> <(?P<p>[^>]*)> (?:<(?P<i>[^>]*)>|(?P<l>".*")(?:\^\^<[^>]*>)?)'
LINE = TERMS + r' <[^>]*> "(?P<t>[0-9]+)" \.$'


def in_duckdb(folder, case, kind):
    """Yield the numbers of rows, and then the rows, of push and of pull by period; in one thread."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    options = "header=false, quote='', escape='', auto_detect=false"
    for name in ("one", "two"):
        file = f"{folder}/{case}.{name}.{kind}"
        lines = f"read_csv('{file}', sep='\x01', columns={{'line': 'varchar'}}, {options})"
        cut = f"select regexp_extract(line, '{LINE}', ['s', 'p', 'i', 'l', 't']) c from {lines}"
        terms = "c.s as s, c.p as p, if(c.i = '', c.l, c.i) as o, cast(c.t as bigint) as t"
        source = f"read_parquet('{file}')" if kind == "parquet" else f"(select {terms} from ({cut}))"
        connection.execute(f"create temp table {name} as select s, p, o, t from {source}")
    _, _, first, _, second, static = CASES[case]
    number = "cast(split_part(v.o, '\"', 2) as double)"
    if static:
        columns = "{'x': 'varchar', 'p': 'varchar', 'g': 'int', 'dot': 'varchar'}"
        classes = f"read_csv('{folder}/static.ttl', sep=' ', columns={columns}, {options})"
        left = f"""select a.s k, {number} v, b.o x, greatest(a.t, b.t, v.t) l,
            least(a.t, b.t, v.t) + {first} r from one a join one b on b.s = a.o and b.p = '{E}on'
            join one v on v.s = a.o and v.p = '{E}reduce' and {number} >= 20
            join {classes} c on c.x = '<' || b.o || '>' and c.g <> 1 where a.p = '{E}offers'"""
    else:
        left = f"""select b.o k, {number} v, '' x, greatest(a.t, b.t, d.t, v.t) l,
            least(a.t, b.t, d.t, v.t) + {first} r from one a
            join one b on b.s = a.s and b.p = '{ONT}procedure' join one d on d.s = a.s and d.p = '{ONT}result'
            join one v on v.s = d.o and v.p = '{ONT}floatValue' and {number} > 90
            where a.p = '{ONT}observedProperty' and a.o = '{W}ont/weather.owl#_AirTemperature'"""
    user = "''" if static else "s"
    begin, end = (f"({bound} + {STEP - 1}) // {STEP}" for bound in "lr")
    # Two runs meet only in neighbouring parts of the timeline, each as long as the longer window.
    connection.execute(f"""create temp table found as with a as ({left}),
        b as (select distinct o k, {user} u, t l, t + {second} r from two),
        parts as (select *, l // {first} + unnest([-1, 0, 1]) part from b),
        ends as (select max(t) // {STEP} * {STEP} m from (select t from one union all select t from two)),
        met as (select a.k, u, v, x, greatest(a.l, b.l) l, least(a.r, b.r, m) r from a
            join parts b on b.k = a.k and part = a.l // {first} and b.l <= a.r and a.l <= b.r, ends),
        sides as (select k, u, v, x, unnest(range(greatest({begin}, 1), {end} + 1)) i, 'push' side from met
            where l <= r union all
            select k, u, v, x, unnest(range(greatest({begin}, 1), r // {STEP} + 1)), 'pull' from met)
        select distinct side, i, k, u, v, x from sides""")
    yield connection.execute("select side, count(*) from found group by side order by side").fetchall()
    yield connection.execute("select * from found").fetchall()


def in_polars(folder, case, kind):
    """Yield the numbers of rows, and then the rows, of push and of pull by period."""
    import polars as pl

    c, (_, _, first, _, second, static) = pl.col, CASES[case]
    one, two = (_triples(pl, f"{folder}/{case}.{name}.{kind}") for name in ("one", "two"))

    def pattern(predicate, s, o, t):
        chosen = one.filter(c("p").cast(pl.String) == predicate)
        return chosen.select(c("s").alias(s), c("o").alias(o), c("t").alias(t))

    value = c("o").str.extract('"([^"]*)"', 1).cast(pl.Float64)
    if static:
        names = ["x", "p", "g", "dot"]
        classes = pl.scan_csv(f"{folder}/static.ttl", separator=" ", has_header=False, new_columns=names)
        products = classes.filter(c("g") != 1).select(c("x").str.strip_chars("<>"))
        good = pattern(f"{E}reduce", "c", "o", "t3").with_columns(value.alias("v")).filter(c("v") >= 20)
        left = pattern(f"{E}offers", "k", "c", "t1").join(pattern(f"{E}on", "c", "x", "t2"), on="c")
        left = left.join(good, on="c").join(products, on="x", how="semi")
    else:
        warm = pattern(f"{ONT}floatValue", "r", "o", "t3").with_columns(value.alias("v")).filter(c("v") > 90)
        air = pattern(f"{ONT}observedProperty", "b", "w", "t4")
        air = air.filter(c("w") == f"{W}ont/weather.owl#_AirTemperature")
        left = pattern(f"{ONT}procedure", "b", "k", "t1").join(
            pattern(f"{ONT}result", "b", "r", "t2"), on="b"
        )
        left = left.join(warm, on="r").join(air, on="b").with_columns(pl.lit("").alias("x"))
    times = [c("t1"), c("t2"), c("t3"), *([] if static else [c("t4")])]
    left = left.select("k", "v", "x", l=pl.max_horizontal(times), r=pl.min_horizontal(times) + first)
    user = pl.lit("") if static else c("s")
    right = two.select(c("o").alias("k"), user.alias("u"), bl=c("t"), br=c("t") + second).unique()
    parts = pl.concat([right.with_columns(part=c("bl") // first + d) for d in (-1, 0, 1)])
    last = max(some.select(c("t").max()).collect().item() for some in (one, two)) // STEP * STEP
    met = left.with_columns(part=c("l") // first).join(parts, on=["k", "part"])
    met = met.filter((c("bl") <= c("r")) & (c("l") <= c("br")))
    begin = pl.max_horizontal((pl.max_horizontal("l", "bl") + STEP - 1) // STEP, pl.lit(1))
    met = met.with_columns(begin=begin, r=pl.min_horizontal("r", "br", pl.lit(last))).collect().lazy()
    ends = {"pull": c("r") // STEP + 1, "push": (c("r") + STEP - 1) // STEP + 1}
    sides = [
        met.with_columns(end=end).filter(c("begin") < c("end")).with_columns(i=pl.int_ranges("begin", "end"))
        .explode("i").select(pl.lit(side).alias("side"), "i", "k", "u", "v", "x").unique().collect()
        for side, end in ends.items()
    ]  # fmt: skip
    yield [(side, some.height) for side, some in zip(ends, sides, strict=True)]
    yield [row for some in sides for row in some.rows()]


def _triples(pl, file):
    if file.endswith(".parquet"):
        return pl.scan_parquet(file).select("s", "p", "o", "t").collect().lazy()
    lines = pl.scan_csv(file, has_header=False, separator="\x01", quote_char=None, new_columns=["line"])
    cut = lines.select(pl.col("line").str.extract_groups(LINE).alias("c")).unnest("c")
    o = pl.coalesce("i", "l").alias("o")
    return cut.select("s", "p", o, pl.col("t").cast(pl.Int64)).collect().lazy()


TOOLS = {"duckdb": in_duckdb, "polars": in_polars}


def command_of(folder, case, kind, *more):
    """Return the command that runs `lars agree` on a case."""
    names = [f"{case}.csparql.rq", f"{case}.cqels.rq", f"{case}.one.{kind}", f"{case}.two.{kind}"]
    static = ["--static", str(folder / "static.ttl")] if CASES[case][-1] else []
    timing = ["--unit", "1s", "--period", f"{STEP}s", "--in-process", "-q", *static, *more]
    return [sys.executable, "-m", "agreement.cli", "agree", *(str(folder / name) for name in names), *timing]


def used(command):
    """Return the user CPU seconds and the greatest memory in MB of a command, and what it prints."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(command, stdout=out, env=environment) as running:
            _, status, costs = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        # `lars agree` exits with 1 if push and pull differ.
        assert running.returncode in ((0, 1) if "agree" in command else (0,)), command
        out.seek(0)
        return costs.ru_utime, costs.ru_maxrss // 1024, out.read().decode()


def rows_of_lars(folder, case, kind):
    """Return the rows of push and of pull by period."""
    found = json.loads(used(command_of(folder, case, kind, "--json"))[2])
    return {
        (side, str(interval["to"] // STEP), *(plain(row.get(name)) for name in "kuvx"))
        for interval in found["periods"][0]["intervals"]
        for side in ("push", "pull")
        for row in interval[side]
    }


def plain(term):
    """Return a term of JSON as the scripts write it."""
    if term is None:
        return ""
    return term["value"] if term["type"] == "uri" else str(float(term["value"]))


def compare(folder, case, kind, size, tools):
    """Print the costs of a case in one format; return whether all have the same rows."""
    script = str(Path(__file__).resolve())
    commands = {"lars": command_of(folder, case, kind)}
    commands["without check"] = command_of(folder, case, kind, "--certify", "none")
    commands |= {name: [python, script, name, str(folder), case, kind] for name, python in tools.items()}
    runs = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            runs[name].append(used(command))
    least = {name: min(seconds for seconds, *_ in some) for name, some in runs.items()}
    costs = "".join(f"{least[name]:8.2f} s {max(one[1] for one in runs[name]):5} MB" for name in commands)
    ratios = "".join(f"{least['lars'] / least[name]:7.1f}" for name in tools)
    print(f"{case:8} {kind:8}{size:9,}{costs}{ratios}", flush=True)
    if size > MOST:
        return True
    # In a process of its own: the memory of a child counts from that of its parent.
    asked = [sys.executable, "-m", __spec__.name, "rows", str(folder), case, kind, *tools, *tools.values()]
    return not subprocess.run(asked, check=False).returncode


def have_equal_rows(folder, case, kind, *tools):
    """Return whether the tools, which are followed by their interpreters, have the rows of `lars agree`."""
    ours, same = rows_of_lars(Path(folder), case, kind), True
    for name, python in zip(tools[: len(tools) // 2], tools[len(tools) // 2 :], strict=True):
        command = [python, str(Path(__file__).resolve()), name, folder, case, kind, "rows"]
        theirs = {tuple(row) for row in csv.reader(used(command)[2].splitlines())}
        if ours != theirs:
            same = False
            print(f"{name}: {len(ours - theirs)} rows of lars alone, {len(theirs - ours)} of {name} alone")
    return same


def main():
    """Make the traces, compare, print; or be one of the scripts that are measured."""
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]), int(sys.argv[3]))
        return 0
    if sys.argv[1:2] == ["rows"]:
        return 0 if have_equal_rows(*sys.argv[2:]) else 1
    if len(sys.argv) > 1 and sys.argv[1] in TOOLS:
        name, folder, case, kind, *rows = sys.argv[1:]
        found = TOOLS[name](folder, case, kind)
        print(*next(found)) if not rows else csv.writer(sys.stdout).writerows([*found][1])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--python", default=sys.executable, metavar="PATH")
    given = parser.parse_args()
    tools = {}
    for name in TOOLS:
        if subprocess.run(
            [given.python, "-c", f"import {name}"], capture_output=True, check=False
        ).returncode:
            print(f"{name} is left out: {given.python} does not have it; use --python PATH")
        else:
            tools[name] = given.python
    titles = "".join(f"{name:>18}" for name in ("lars", "without check", *tools))
    print(f"{'':8} {'':8}{'triples':>9}{titles}  lars / {', '.join(tools)}")
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            subprocess.run([sys.executable, "-m", __spec__.name, "make", folder, str(size)], check=True)
            for case in CASES:
                for kind in ("parquet", "nq"):
                    same &= compare(Path(folder), case, kind, size, tools)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
