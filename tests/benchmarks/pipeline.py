"""Where the time of a whole job goes: CSRBench's queries on its stream, and a large made-up trace.

Run it with `python -m tests.benchmarks.pipeline`. The queries and the stream of CSRBench are read
beside the project where they are; without them only the made-up trace is measured.
"""

import argparse
import cProfile
import os
import pstats
import random
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clingo
from rich.console import Console
from rich.table import Table

from lars.durations import SECOND
from lars.language.program import Program
from lars.language.windows import Interval
from solver.facts import Fact
from solver.job import Answer, ask
from solver.job.slices import Job
from solver.settings import TraceOptions
from solver.spark import SparkTrace
from solver.spark.reading import read_in_tasks
from solver.traces import prepare
from tests.packs import PACKS
from tests.solver.in_process import in_process
from tests.solver.traces.both_readings import fact_of_row, read_trace_in_process
from translate.dialects import read_query
from translate.model.query import Setting
from translate.tau import lars_program, pull, push

BENCH = PACKS["csrbench"].folder
STREAM = "http://ex.org/streams/observations"
OWL = "http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#"
WEATHER = "http://knoesis.wright.edu/ssw/ont/weather.owl#"
WINDOW = r"\[RANGE (\d+)s (?:STEP|SLIDE) (\d+)s\]"
TEXT = f"""PREFIX om-owl: <{OWL}>
PREFIX weather: <{WEATHER}>
SELECT ?sensor ?obs
FROM STREAM <{STREAM}> [RANGE 10s STEP 10s]
WHERE {{
  ?obs om-owl:observedProperty weather:_AirTemperature ; om-owl:procedure ?sensor ; om-owl:result ?res .
  ?res om-owl:floatValue ?value .
  FILTER(?value > 80)
}}"""
Answers = set[tuple[int, tuple[str | None, ...]]]


def job(text: str, last: int, mode: Callable[[Program], Program]) -> Job:
    """Return the job that evaluates a query from time 0 to `last`."""
    query = read_query(text, "query.rq")
    program = lars_program(query, Setting())
    return Job((ask(mode(program), ("ans1", len(query.result))),), Interval(0, last), {})


def pairs(answers: Iterable[Answer]) -> Answers:
    """Return answers as pairs of time and row."""
    return {(answer.t, answer.row) for answer in answers}


# Every query measured here matches these four triples of an observation.
RULE = f"""ans(O,S) :- t(O,"<{OWL}observedProperty>","<{WEATHER}_AirTemperature>");
  t(O,"<{OWL}procedure>",S); t(O,"<{OWL}result>",R); t(R,"<{OWL}floatValue>",V); @high(V) = 1.
#show ans/2.
"""


class _High:
    def high(self, term: clingo.Symbol) -> clingo.Symbol:
        return clingo.Number(int(float(term.string.split('"')[1]) > 80))


def point_by_point(text: str, facts: Iterable[Fact], times: Iterable[int]) -> Answers:
    """Answer each time point by a clingo program of its own that holds all triples of the window."""
    length, slide = map(int, re.findall(WINDOW, text)[0])
    lines: dict[int, list[str]] = {}
    for t, _, triple in facts:
        lines.setdefault(t, []).append(f"t({','.join(str(clingo.String(term)) for term in triple[:3])}).")
    found: Answers = set()
    for t in times:
        pivot = t // slide * slide
        shown = [line for u in range(pivot - length, pivot + 1) for line in lines.get(u, ())]
        control = clingo.Control(["--warn=none"])
        control.add("base", [], RULE + "\n".join(shown))
        control.ground([("base", [])], context=_High())
        with control.solve(yield_=True) as models:
            for atom in (atom for model in models for atom in model.symbols(shown=True)):
                found.add((t, tuple(term.string for term in atom.arguments)))
    return found


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that the work takes, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def real_stream() -> Table:
    """Return what CSRBench's queries cost over its stream, both modes, against a program per second."""
    table = Table("query", "mode", "seconds", "rows", "runs ms", "one by one ms", "ratio")
    options = TraceOptions(unit=SECOND, query_streams=(STREAM,))
    took, rows = timed(lambda: read_trace_in_process([BENCH / "stream"], options))
    facts = [fact_of_row(row) for row in rows]
    table.title = f"CSRBench: {len(facts)} triples, read in {took:.2f} s"
    last = facts[-1].t
    for name in ("q1.csparql", "q1.cqels", "q2.csparql", "q2.cqels", "q5.csparql", "q5.cqels"):
        text = (BENCH / "queries" / f"{name}.rq").read_text()
        for mode, change in (("push", push), ("pull 1", lambda program: pull(program, 1))):
            ours, found = timed(
                lambda text=text, change=change: pairs(in_process(job(text, last, change), facts))
            )
            plain, expected = timed(lambda text=text: point_by_point(text, facts, range(last + 1)))
            assert found == expected, f"{name} {mode}: the ways answer differently"
            numbers = (f"{1e3 * ours:.0f}", f"{1e3 * plain:.0f}", f"{plain / ours:.1f}")
            table.add_row(name, mode, str(last + 1), str(len(found)), *numbers)
    return table


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up trace: about as many observations of five triples at each second, fixed by the seed."""

    triples: int
    points: int
    seed: int

    def lines(self) -> Iterable[str]:
        """Yield the trace as timed N-Quads."""
        chosen = random.Random(self.seed)
        count = self.triples // 5
        for i in range(count):
            t = 1 + i * self.points // count
            observation, result = f"<http://ex.org/observation/{i}>", f"<http://ex.org/result/{i}>"
            kind = chosen.choice(["_AirTemperature", "_WindSpeed", "_RelativeHumidity"])
            value = f'"{chosen.randrange(1000) / 10}"^^<http://www.w3.org/2001/XMLSchema#double>'
            for s, p, o in (
                (observation, f"<{OWL}observedProperty>", f"<{WEATHER}{kind}>"),
                (observation, f"<{OWL}procedure>", f"<http://ex.org/sensor/{chosen.randrange(500)}>"),
                (observation, f"<{OWL}result>", result),
                (result, f"<{OWL}floatValue>", value),
                (result, f"<{OWL}uom>", f"<{WEATHER}unit>"),
            ):
                yield f'{s} {p} {o} <{STREAM}> "{t}" .\n'


def made_up(made: Made, folder: Path, master: str, profile: int) -> Table:
    """Return the seconds of each stage, in this process and on Spark; both must answer alike."""
    path = folder / f"made-{made.triples}-{made.points}-{made.seed}.nq"
    path.write_text("".join(made.lines()), encoding="utf-8")
    options = TraceOptions(unit=SECOND)
    work = job(TEXT, made.points, push)
    table = Table(
        "stage", "in process s", f"Spark {master} s", title=f"{made.triples} triples, {made.points} s"
    )
    reading, rows = timed(lambda: read_trace_in_process([path], options))
    profiler = cProfile.Profile()
    facts = [fact_of_row(row) for row in rows]
    solving, ours = timed(lambda: pairs(in_process(work, facts)))
    if profile:
        profiler.runcall(lambda: pairs(in_process(work, facts)))
        pstats.Stats(profiler).sort_stats("tottime").print_stats(profile)
    starting, spark = timed(lambda: _session(master))
    checking, read = timed(lambda: read_in_tasks(spark, prepare([path], options), options))
    trace = SparkTrace(read, work.timeline, work.background)
    distributed, (found,) = timed(lambda: trace.answers(work.questions))
    theirs = {(t, row) for t, rows in found.by_time().items() for row in rows}
    assert ours == theirs, "Spark answers differently"
    table.add_row("start", "", f"{starting:.1f}")
    table.add_row("read and check the trace", f"{reading:.1f}", f"{checking:.1f}")
    table.add_row(f"slices, answers ({len(ours)} rows)", f"{solving:.1f}", f"{distributed:.1f}")
    return table


def _session(master: str) -> Any:
    from solver.spark.session import spark_context

    return spark_context(master)


def main() -> None:
    """Read the options, run, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=200_000)
    parser.add_argument("--points", type=int, default=2_000, help="seconds of the made-up trace")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument(
        "--folder", type=Path, default=Path(os.environ.get("TMPDIR", "/tmp")), help="for the trace"
    )
    parser.add_argument(
        "--profile", type=int, default=0, help="show so many functions of the work in process"
    )
    given = parser.parse_args()
    console = Console()
    if BENCH.is_dir():
        console.print(real_stream())
    else:
        console.print(f"CSRBench is not at {BENCH}: skipped")
    made = Made(given.triples, given.points, given.seed)
    console.print(made_up(made, given.folder, given.master, given.profile))


if __name__ == "__main__":
    main()
