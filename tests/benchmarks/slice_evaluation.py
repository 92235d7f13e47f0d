"""What a time point costs: slices of the timeline against a fresh clingo program per time point.

The query is ans(X,Y) ← ⊞^30 ◇ p(X,Y), ⊞^5 ◇ q(Y). Both sides hand over Python values, and these
must be equal. Run it with `python -m tests.benchmarks.slice_evaluation`.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import clingo
from rich.console import Console
from rich.table import Table

from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import Interval, TimeWindow
from solver.facts import Fact
from solver.job import ask
from solver.job.slices import Job
from tests.solver.in_process import in_process

LONG, SHORT = 30, 5
Row = tuple[str, ...]
Answers = list[set[Row]]


@dataclass(frozen=True, slots=True)
class Load:
    """N facts at each time point: half p(X,Y), half q(Y), arguments uniform over 10·N IRIs."""

    per_point: int
    points: int
    seed: int

    def facts(self) -> list[Fact]:
        """Return the facts, ascending in time."""
        chosen = random.Random(self.seed)
        values = [f"<http://example.org/value/{i}>" for i in range(10 * self.per_point)]
        return [
            Fact(t, name, tuple(chosen.choices(values, k=arity)))
            for t in range(self.points)
            for i in range(self.per_point)
            for name, arity in (("p", 2) if 2 * i < self.per_point else ("q", 1),)
        ]


def by_slices(facts: Sequence[Fact], points: int, slice_length: int | None) -> Answers:
    """Answer as the program does: each slice in one clingo program, here in this process."""
    x, y = Variable("X"), Variable("Y")
    body = In(TimeWindow(LONG), Diamond(Atom("p", (x, y)))), In(TimeWindow(SHORT), Diamond(Atom("q", (y,))))
    question = ask(Program((Rule(Atom("ans", (x, y)), body),)), ("ans", 2))
    slices = None if slice_length is None else -(-points // slice_length)
    answers: Answers = [set() for _ in range(points)]
    for answer in in_process(Job((question,), Interval(0, points - 1), {}, slices), facts):
        answers[answer.t].add(answer.row)
    return answers


# Rule and window of each naive way. "Plain" is LARS's definition; "trimmed" leaves the window to
# Python, which gives each atom once: the least that a program per time point can cost.
PLAIN = f"""ans(X,Y) :- now(T); U = T-{LONG}..T; p(X,Y,U); V = T-{SHORT}..T; q(Y,V).
#show ans/2.
"""
TRIMMED = """ans(X,Y) :- p(X,Y); q(Y).
#show ans/2.
"""


def plainly(facts: Sequence[Fact], times: Iterable[int]) -> Answers:
    """Answer each time by a program of its own: the rule, now, the window's facts with their times."""
    written = [(fact.t, fact.predicate, _quoted(fact.arguments)) for fact in facts]
    text = _by_time((t, f"{name}({row},{t}).") for t, name, row in written)
    return [
        _answer(
            PLAIN + f"now({t}).\n" + "\n".join(line for u in _window(t, LONG) for line in text.get(u, ()))
        )
        for t in times
    ]


def trimmed(facts: Sequence[Fact], points: int) -> Answers:
    """Answer each time point by a program of its own whose facts bear no times: each atom once."""
    text = {
        name: _by_time(
            (fact.t, f"{name}({_quoted(fact.arguments)}).") for fact in facts if fact.predicate == name
        )
        for name in ("p", "q")
    }
    windows = (("p", LONG), ("q", SHORT))
    return [
        _answer(
            TRIMMED
            + "\n".join(
                {line for name, past in windows for u in _window(t, past) for line in text[name].get(u, ())}
            )
        )
        for t in range(points)
    ]


def _quoted(arguments: Row) -> str:
    return ",".join(f'"{term}"' for term in arguments)


def _by_time(lines: Iterator[tuple[int, str]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for t, line in lines:
        found.setdefault(t, []).append(line)
    return found


def _window(t: int, past: int) -> range:
    return range(t - past, t + 1)


def _answer(text: str) -> set[Row]:
    control = clingo.Control(["--warn=none"])
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as found:
        return {
            tuple(term.string for term in shown.arguments)
            for model in found
            for shown in model.symbols(shown=True)
        }


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds of each way for the whole load, and the rows of all time points."""

    load: Load
    slices: float
    plain: float
    trimmed: float
    rows: int


def compare(load: Load, slice_length: int | None) -> Result:
    """Run all ways and check that they answer alike."""
    facts = load.facts()
    slices, fast = _timed(lambda: by_slices(facts, load.points, slice_length))
    plain, naive = _timed(lambda: plainly(facts, range(load.points)))
    trim, least = _timed(lambda: trimmed(facts, load.points))
    assert fast == naive == least, "the ways answer differently"
    return Result(load, slices, plain, trim, sum(map(len, fast)))


def _timed(work: Callable[[], Answers]) -> tuple[float, Answers]:
    start = time.process_time()
    answers = work()
    return time.process_time() - start, answers


def shown(results: Sequence[Result]) -> Table:
    """Return the table of results: milliseconds per time point."""
    table = Table(
        "facts/point", "points", "rows/point", "slices ms", "plain ms", "ratio", "trimmed ms", "ratio"
    )
    for result in results:
        points = result.load.points
        table.add_row(
            *(str(number) for number in (result.load.per_point, points, round(result.rows / points))),
            f"{1e3 * result.slices / points:.2f}",
            f"{1e3 * result.plain / points:.2f}",
            f"{result.plain / result.slices:.1f}",
            f"{1e3 * result.trimmed / points:.2f}",
            f"{result.trimmed / result.slices:.1f}",
        )
    return table


def main() -> None:
    """Read the options, run, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--per-point", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--points", type=int, default=200, help="time points")
    parser.add_argument("--slice-length", type=int, help="time points of a slice (default: the job chooses)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    loads = [Load(number, given.points, given.seed) for number in given.per_point]
    Console().print(shown([compare(load, given.slice_length) for load in loads]))


if __name__ == "__main__":
    main()
