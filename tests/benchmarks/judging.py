"""CPU seconds of judging and of start-up, whole commands in processes of their own, and against clingo.

`python -m tests.benchmarks.judging [--runs 3] [--wrong 2]` takes each recording of CSRBench as it is and with
a row left out: the verdict, and the diagnosis where it is wrong; then how many times as long clingo takes
for what is expected, asked once for each choice; then commands that do little. The least of the runs counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

from agreement.comparing.judge import pushes_at, read_judged_query
from agreement.documents.traces import options_for
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Task,
    builtin,
    elements_of,
    evaluated_windows,
    evaluation,
)
from lars.durations import read_duration
from solver.facts import Static
from solver.settings import TraceOptions
from tests.agreement.engines.specifications.test_contents import by_clingo
from tests.benches import CSRBENCH, ENGINES, QUERIES
from tests.packs import ROOT

COMMANDS = {
    "agree samples/coupons": ("agree", "samples/coupons", "--in-process"),
    "translate": ("translate", "samples/coupons/query.cqels.rq"),
    "--help": ("--help",),
}


def cpu(runs, *command):
    """Return the CPU seconds, user and system, of a process, the least of some runs."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(found)


def without_a_row(text, seed):
    """Return CSRBench's answers with one row left out."""
    answers, rng = json.loads(text), Random(seed)
    some = [one for one in answers["relations"] if one["results"]["bindings"]]
    rows = rng.choice(some)["results"]["bindings"]
    rows.pop(rng.randrange(len(rows)))
    return json.dumps(answers)


def judged(folder, runs, engine, number, seed):
    """Return the CPU seconds of a verdict, and of one with its diagnosis."""
    query, answers = folder / "q.rq", folder / "answers.json"
    query.write_text(CSRBENCH.query(engine, number), "utf-8")
    text = CSRBENCH.answers(engine, number)
    answers.write_text(text if seed is None else without_a_row(text, seed), "utf-8")
    call = ("-m", "agreement.cli", "judge", query, CSRBENCH.stream, "--answers", answers, "--engine", engine)
    return cpu(runs, *call, "--no-diagnosis"), cpu(runs, *call)


def expected(engine, number):
    """Return the CPU seconds of what is expected of an engine: by contents, and by clingo at ticks."""
    unit = read_duration("1s")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "q.rq"
        path.write_text(CSRBENCH.query(engine, number), "utf-8")
        query = read_judged_query(path, unit)
    pushes, _ = pushes_at([CSRBENCH.stream], options_for((query,), TraceOptions(unit=unit)), unit)
    wanted = builtin(engine)
    found = []
    for evaluated in (evaluation._evaluated, by_clingo):
        task = Task(
            EngineRun(query, Static(frozenset(), {}), (), unit), elements_of(pushes, unit), CSRBENCH.last
        )
        profile = evaluated_windows(task, wanted, OpenChoice((0,), wanted.bounds[0]))
        start = process_time()
        evaluated(profile)
        found.append(process_time() - start)
    return found


def main():
    """Print a line for each recording, each query, and each command that does little."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--wrong", type=int, default=2)
    wanted = parser.parse_args()
    cases = [(engine, number) for engine in ENGINES for number in QUERIES]
    with TemporaryDirectory() as folder:
        for engine, number in cases:
            for seed in (None, *range(wanted.wrong)):
                verdict, diagnosis = judged(Path(folder), wanted.runs, engine, number, seed)
                what = "as recorded" if seed is None else f"a row left out, {seed}"
                print(f"{engine} q{number}, {what}: verdict {verdict:.2f} s, diagnosis {diagnosis:.2f} s")
    for engine, number in cases:
        ours, theirs = expected(engine, number)
        print(f"{engine} q{number}: {ours:.3f} s by contents, clingo {theirs / ours:.1f} times as long")
    for name, arguments in COMMANDS.items():
        print(f"lars {name}: {cpu(wanted.runs, '-m', 'agreement.cli', *arguments):.2f} s")


if __name__ == "__main__":
    main()
