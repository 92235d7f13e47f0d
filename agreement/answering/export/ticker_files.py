"""The files for Ticker: the program in its language, the input a line a time point, and how it is run."""

from itertools import islice
from pathlib import Path
from typing import Final

from agreement.answering.export.exported import MOST, ExportedProgram, background_of, input_of, plainer
from agreement.answering.export.legend import LEGEND_FILE, Legend, LegendName
from agreement.answering.solve.translating import placed_refusal
from lars.analysis import intensional, strata
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.terms import Atom, signature
from lars.semantics import all_background
from lars.ticker import ExportError, Reasoner
from lars.ticker.ticker_literals import TickerInput
from lars.ticker.ticker_rules import Role
from lars.ticker.ticker_signs import signed
from lars.ticker.ticker_writer import TickerWriter, ticker_writer
from solver.pointwise import models

_RUN: Final = """\
#!/bin/bash
# Feeds stream.txt to Ticker, a line at each tick of its clock, and prints its answers.
# TICKER is the path of its jar (https://github.com/hbeck/ticker, made by `sbt assembly`);
# with the reasoner clingo it runs the command clingo. The answers are read by
#   lars export --read ANSWERS --legend {legend}
set -eu
cd "$(dirname "$0")"
: "${{TICKER:?names the jar of Ticker}}"
work=$(mktemp -d)
ticker=
trap 'kill $ticker 2>/dev/null || :; rm -rf "$work"' EXIT
mkfifo "$work/input" "$work/output"
"${{JAVA:-java}}" -jar "$TICKER" --program program.lars --reasoner {reasoner} --clock {tick}ms \\
  --outputEvery change <"$work/input" >"$work/output" &
ticker=$!
exec 3>"$work/input" 4<"$work/output"
# Ticker takes a line for the time at which it reads it. It prints an answer at each tick, and one with
# {arrival} when the line of this time is there: it is at this time, or has missed it.
await() {{ # an answer at time $1 that has the sign $2
  while IFS= read -r line <&4; do
    [[ $line =~ (\\(t=|odel\\ at\\ T\\ )([0-9]+) ]] || continue
    echo "$line" >>"$work/answers"
    if ((BASH_REMATCH[2] > $1)); then
      echo "run.sh: Ticker came to ${{BASH_REMATCH[2]}} before it had answered at $1;" \\
        "accepted: a longer time point, by lars export --clock (now {tick}ms)" >&2
      exit 1
    fi
    ((BASH_REMATCH[2] < $1)) || [[ $2 && ! $line =~ [\\(\\ ]$2[,\\)] ]] || return 0
  done
  echo "run.sh: Ticker ended before it had answered at $1" >&2
  exit 1
}}
mapfile -t lines <stream.txt
for t in "${{!lines[@]}}"; do
  # At 0, where its clock has not ticked, it looks at what it is given.
  ((t == 0)) || await "$t" ""
  [ -z "${{lines[t]}}" ] || {{ echo "${{lines[t]}}" >&3; await "$t" {arrival}; }}
done
cat "$work/answers"
"""


def ticker_files(found: ExportedProgram, reasoner: Reasoner, clock: Duration, path: Path) -> dict[str, str]:
    """Return the texts of the files by their names; `path` is the program's.

    Raises LarsError, where there is a file with the place, for what that reasoner has no words for.
    """
    if clock.nanoseconds % NANOSECONDS["ms"]:
        raise LarsError(f"a time point of {clock}: accepted for Ticker: --clock with whole milliseconds")
    last = found.span.last
    if last >= MOST:
        raise LarsError(f"the timeline ends at {last}; accepted for Ticker: up to {MOST - 1}, by --to")
    program, facts = plainer(found)
    background = (*background_of(found, program), *facts)
    signs = signed(program, _stream(found, program), reasoner)
    stream = signs.stream
    try:
        writer = ticker_writer(signs.program, clock, reasoner, background, stream)
        text = writer.text()
    except ExportError as error:
        raise placed_refusal(error, program, path) from None
    except LarsError as error:
        raise LarsError(f"{path}: {error}") from None
    lines = [writer.line(stream.atoms.get(t, ())) for t in range(last + 1)]
    run = _RUN.format(
        tick=clock.nanoseconds // NANOSECONDS["ms"],
        reasoner=reasoner.value,
        legend=LEGEND_FILE,
        arrival=writer.predicates[signature(signs.arrival)],
    )
    return {
        "program.lars": text,
        "stream.txt": "".join(f"{line}\n" for line in lines),
        LEGEND_FILE: _legend(found, writer, background).text(),
        "run.sh": run,
    }


def _stream(found: ExportedProgram, program: Program) -> TickerInput:
    atoms: dict[int, tuple[Atom, ...]] = {}
    for t, atom in input_of(found, program):
        atoms[t] = (*atoms.get(t, ()), atom)
    return TickerInput(atoms, found.span.last, single=strata(program) is not None or _is_single(found))


def _is_single(found: ExportedProgram) -> bool:
    """Whether the program without its constraints has one answer stream at each tick of Ticker's clock."""
    free = Program(tuple(rule for rule in found.triggered.rules if rule.head is not None))
    times = range(found.span.last + 1)
    return all(len(list(islice(models(free, found.situation, t), 2))) == 1 for t in times)


def _legend(found: ExportedProgram, writer: TickerWriter, background: tuple[Atom, ...]) -> Legend:
    shown = {found.answer} if found.answer is not None else intensional(found.program)
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=role is Role.MOMENTS)
        for role in (Role.PROGRAM, Role.MOMENTS)
        for name, (predicate, arity) in writer.heads(role).items()
        if (predicate, arity) in shown
    }
    always = all_background(found.program, background)
    return Legend(
        to="ticker",
        times=list(found.times),
        first=found.span.first,
        names=names,
        terms={str(number): str(term) for term, number in writer.terms.items()},
        background=sorted(str(atom) for atom in always if signature(atom) in shown),
        columns=found.columns,
        origin=found.origin,
        violations=list(writer.heads(Role.VIOLATION)),
    )
