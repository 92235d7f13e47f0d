"""The files for Ticker: the program in its language, the input a line a time point, and how it is run."""

from itertools import islice
from pathlib import Path
from typing import Final

from agreement.export.exported import Exported, background_of, input_of, plainer
from agreement.export.legend import LEGEND_FILE, Legend, LegendName
from agreement.solve.translating import placed_refusal
from lars.analysis import intensional, strata
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.program import Program
from lars.semantics import all_background
from lars.terms import Atom, signature
from lars.ticker import ExportError, Reasoner
from lars.ticker.ticker_literals import TickerInput
from lars.ticker.ticker_rules import FIRST_TERM
from lars.ticker.ticker_writer import TickerWriter, ticker_writer
from solver.pointwise import models

_RUN: Final = """\
#!/bin/bash
# Feeds stream.txt to Ticker, a line at each tick of its clock, and prints its answers as they change.
# TICKER is the path of its jar (https://github.com/hbeck/ticker, made by `sbt assembly`);
# with the reasoner clingo it runs the command clingo. The answers are read by
#   lars export --read ANSWERS --legend {legend}
set -eu
cd "$(dirname "$0")"
: "${{TICKER:?names the jar of Ticker}}"
tick={tick} # milliseconds
work=$(mktemp -d)
trap 'kill "$ticker" 2>/dev/null; rm -rf "$work"' EXIT
mkfifo "$work/input"
"${{JAVA:-java}}" -jar "$TICKER" --program program.lars --reasoner {reasoner} --clock {tick}ms \\
  --outputEvery change <"$work/input" >"$work/output" &
ticker=$!
exec 3>"$work/input"
mapfile -t lines <stream.txt
# What is there at time 0 waits for the clock to start. The first answer tells when it did.
[ -z "${{lines[0]}}" ] || echo "${{lines[0]}}" >&3
until said=$(grep -m 1 -o 't=[0-9]*' "$work/output"); do kill -0 $ticker; sleep 0.01; done
next=${{said#t=}}
due=$(($(date +%s%3N) + tick / 2))
[ "$next" != 0 ] || {{ next=1 due=$((due + tick)); }}
for ((t = next; t < ${{#lines[@]}}; t++)); do
  wait=$((due - $(date +%s%3N)))
  [ $wait -le 0 ] || sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
  [ -z "${{lines[t]}}" ] || echo "${{lines[t]}}" >&3
  due=$((due + tick))
done
sleep "$((tick / 2000)).$(printf %03d $((tick / 2 % 1000)))"
cat "$work/output"
"""


def ticker_files(found: Exported, reasoner: Reasoner, clock: Duration, path: Path) -> dict[str, str]:
    """Return the texts of the files by their names; `path` is the program's.

    Raises LarsError, where there is a file with the place, for what that reasoner has no words for.
    """
    if clock.nanoseconds % NANOSECONDS["ms"]:
        raise LarsError(f"a time point of {clock}: accepted for Ticker: --clock with whole milliseconds")
    if found.span.last >= FIRST_TERM:
        accepted = f"accepted for Ticker: below {FIRST_TERM}, by --to"
        raise LarsError(f"the timeline ends at {found.span.last}; {accepted}")
    program, facts = plainer(found)
    stream = _stream(found, program)
    background = (*background_of(found, program), *facts)
    try:
        writer = ticker_writer(program, clock, reasoner, background, stream)
        text = writer.text()
    except ExportError as error:
        raise placed_refusal(error, program, path) from None
    except LarsError as error:
        raise LarsError(f"{path}: {error}") from None
    lines = [writer.line(stream.atoms.get(t, ())) for t in range(stream.last + 1)]
    run = _RUN.format(
        tick=clock.nanoseconds // NANOSECONDS["ms"], reasoner=reasoner.value, legend=LEGEND_FILE
    )
    return {
        "program.lars": text,
        "stream.txt": "".join(f"{line}\n" for line in lines),
        LEGEND_FILE: _legend(found, writer, background).text(),
        "run.sh": run,
    }


def _stream(found: Exported, program: Program) -> TickerInput:
    atoms: dict[int, tuple[Atom, ...]] = {}
    for t, atom in input_of(found, program):
        atoms[t] = (*atoms.get(t, ()), atom)
    if strata(program) is not None:
        return TickerInput(atoms, found.span.last, single=True)
    counts = [len(list(islice(models(found.program, found.situation, t), 2))) for t in found.times]
    return TickerInput(atoms, found.span.last, single=max(counts) <= 1, none=not min(counts))


def _legend(found: Exported, writer: TickerWriter, background: tuple[Atom, ...]) -> Legend:
    shown = {found.answer} if found.answer is not None else intensional(found.program)
    names = {name: predicate for name, predicate in writer.names().items() if predicate in shown}
    always = all_background(found.program, background)
    return Legend(
        to="ticker",
        times=list(found.times),
        first=found.span.first,
        names={
            name: LegendName(predicate=predicate, arity=arity) for name, (predicate, arity) in names.items()
        },
        terms={str(number): str(term) for term, number in writer.terms.items()},
        always=sorted(str(atom) for atom in always if signature(atom) in shown),
        columns=found.columns,
        marker=writer.marker,
    )
