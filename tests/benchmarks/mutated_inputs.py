"""Inputs of all kinds, damaged at random, through the real command: none may end it badly.

`python -m tests.benchmarks.mutated_inputs 10000 --seed 1` prints how the runs ended for each kind of
input, and each that ended badly: with an error that nobody foresaw, exit code 1 without a verdict, more
than one message, or not at all (60 s, 2 GB). Exit code 1: some did. `--keep FOLDER` keeps their files.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from solver import memory
from tests.agreement.command import lars
from tests.benchmarks.mutations import Command, commands, mutated

SECONDS = 60
MOST_MEMORY = 2**31
_BATCH = 250
_VERDICTS = ("agree", "check", "compare", "fmt", "judge")


class Ended(NamedTuple):
    """How a run ended: its exit code, None when it did not; what is wrong with that, if anything is."""

    seed: str
    kind: str
    code: int | None
    wrong: str


def main() -> None:
    """Run, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default="", help="only kinds with this in their names")
    parser.add_argument("--keep", type=Path, help="where the files of bad cases are kept")
    wanted = parser.parse_args()
    seeds = [f"{wanted.seed}.{n}" for n in range(wanted.cases)]
    found = []
    for one in ended(seeds, wanted.kind):
        found.append(one)
        if one.wrong:
            print(f"BAD {one.seed} {one.kind}: {one.wrong}\n", flush=True)
            if wanted.keep is not None:
                write(case(one.seed, wanted.kind)[1], wanted.keep / one.seed)
    print_counts(found)
    sys.exit(any(one.wrong for one in found))


def case(seed: str, kind: str = "") -> tuple[str, Command]:
    """Return the damaged command of a seed with its kind."""
    random = Random(seed)
    every = {name: one for name, one in commands().items() if kind in name}
    name = random.choice(list(every))
    return name, mutated(random, every[name])


def ended(seeds: Sequence[str], kind: str = "") -> Iterator[Ended]:
    """Yield how the case of each seed ended; each process runs many, and one that dies loses one."""
    rest = list(seeds)
    while rest:
        batch = rest[:_BATCH]
        done = list(_of_batch(batch, kind))
        yield from done
        rest = rest[len(done) :]


def _of_batch(batch: Sequence[str], kind: str) -> Iterator[Ended]:
    ours, theirs = Pipe()
    worker = Process(target=_work, args=(batch, kind, theirs))
    worker.start()
    theirs.close()
    for seed in batch:
        name = case(seed, kind)[0]
        try:
            if ours.poll(SECONDS):
                yield ours.recv()
                continue
            yield Ended(seed, name, None, f"no end in {SECONDS} s")
        except EOFError:
            worker.join()
            out_of_memory = worker.exitcode == memory.FAILED
            yield Ended(seed, name, worker.exitcode, "" if out_of_memory else "the process died")
        break
    worker.kill()
    worker.join()


def _work(batch: Sequence[str], kind: str, out: Connection) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    memory.watch_task(MOST_MEMORY)
    for seed in batch:
        name, command = case(seed, kind)
        out.send(ending_of(seed, name, command))


def ending_of(seed: str, name: str, command: Command) -> Ended:
    """Return how one case ended in this process."""
    with TemporaryDirectory(prefix="mutated.") as folder:
        before = Path.cwd()
        write(command, Path(folder))
        os.chdir(folder)
        try:
            code, out, err = lars(*command.arguments)
        except BaseException as error:  # noqa: BLE001  (whatever it is, the user would have seen it)
            return Ended(seed, name, None, f"{type(error).__name__}: {error}")
        finally:
            os.chdir(before)
    return Ended(seed, name, code, problem(command, code, out, err))


def problem(command: Command, code: int, out: str, err: str) -> str:
    """Return what is wrong with how a run ended."""
    said = [line for line in err.splitlines() if line.startswith("lars: ")]
    if "Traceback" in err or "--verbose prints" in err:
        return err
    if code not in (0, 1, 2, 3):
        return f"exit code {code}: {err}"
    if code == 1 and not (out and command.arguments[0] in _VERDICTS):
        return f"exit code 1 without a verdict: {err}"
    if len(said) != (code > 1) and not (code == 2 and "Usage" in out):
        return f"{len(said)} messages with exit code {code}: {err}"
    return ""


def write(command: Command, folder: Path) -> None:
    """Write the files of a command into a folder, and the command itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in command.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "COMMAND").write_text("\n".join(command.arguments), encoding="utf-8", errors="replace")


def print_counts(found: Sequence[Ended]) -> None:
    """Print a line for each kind of input: how many runs ended with which code."""
    kinds: dict[str, Counter[str]] = {}
    for one in found:
        kinds.setdefault(one.kind, Counter())["bad" if one.wrong else str(one.code)] += 1
    for kind, counts in sorted(kinds.items()):
        print(f"{kind:30} {'  '.join(f'{code}: {n}' for code, n in sorted(counts.items()))}")
    total = sum(kinds.values(), Counter[str]())
    print(f"{len(found)} runs           {'  '.join(f'{code}: {n}' for code, n in sorted(total.items()))}")


if __name__ == "__main__":
    main()
