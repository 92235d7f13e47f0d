"""The manual's table of engines on the suite: how many tests each passed, and what it is nearest to.

`python -m tests.benchmarks.suite_table DIR [ENGINE..]`: a suite's folder, and names of engines: those that
the program serves, `oxigraph`, and `rsp-js` and `rsp-rs` where LARS_ADAPTERS names a folder with them.
"""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.registry import ENGINES
from agreement.proving.suite import LEVELS, OUTCOMES, engine_answers, judged_suite, read_suite, writing_of
from agreement.results.renderings.suite_report import vector_text
from lars.errors import LarsError

SERVED = ("rsp-js-1.3.5", "rsp-rs-0.3.5", "kolibrie-846becb", "yasper-csparql", "csparql-0.9.7", "cqels-1.x")


def commands():
    folder = Path(os.environ.get("LARS_ADAPTERS", "samples/adapters"))
    return {
        "oxigraph": f"{sys.executable} -m agreement.engines.adapters.oxigraph",
        "rsp-js": f"node {folder}/rsp-js/adapter.js",
        "rsp-rs": f"{folder}/rsp-rs/target/release/rsp-rs-adapter",
    }


def row(name, engine, tests):
    began = perf_counter()
    writing = writing_of(engine, tests, {}, None)
    found = judged_suite(name, writing, engine_answers([engine], tests, writing, {}), None)
    counts = " | ".join(str(found.count(one)) for one in OUTCOMES)
    of = f" of {len(found.results)} {writing.language.value}"
    print(
        f"| {name} | {counts} |{of}: {vector_text(found.choice)}; fits all: {bool(found.fitting)}", flush=True
    )
    levels = []
    for level in LEVELS:
        own = [one.outcome for one in found.results if one.test.level == level]
        judged = sum(one in ("passed", "failed") for one in own)
        levels.append(f"{level} {own.count('passed')}/{judged}")
    print(f"    {', '.join(levels)}; {perf_counter() - began:.0f} s", flush=True)


def main():
    tests = read_suite(Path(sys.argv[1]))
    for name in sys.argv[2:] or [*commands(), *SERVED]:
        try:
            with ExitStack() as running:
                engine = (
                    running.enter_context(RunningAdapter(commands()[name]))
                    if name in commands()
                    else BuiltInEngine(ENGINES[name])
                )
                row(name, engine, tests)
        except LarsError as error:
            print(f"{name}: {error}".splitlines()[0], flush=True)


if __name__ == "__main__":
    main()
