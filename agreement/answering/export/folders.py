"""An export's folder: there whole or not at all, and never in the place of something else.

Its files for Ticker are the program in its language, the input a line a time point, and how it is run;
those for plain clingo are rules, the input as facts, and how it is run at each time point.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from agreement.answering.export.answers import LEGEND_FILE, Legend, LegendName
from agreement.answering.export.exported import (
    MOST,
    ExportedProgram,
    background_of,
    export_program,
    input_of,
    plainer,
)
from agreement.answering.solve.solving import SolvingTask
from agreement.answering.solve.translating import placed_refusal
from lars.analysis import intensional, strata
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.files import replacement_path
from lars.language.program import Program
from lars.language.terms import Atom, signature
from lars.semantics import all_background
from lars.ticker import ExportError, Reasoner
from lars.ticker.ticker_rules import Role, TickerInput
from lars.ticker.ticker_writer import TickerWriter, ticker_writer, with_signs
from solver.pointwise import models
from solver.pointwise.asp_terms import GREATEST
from solver.pointwise.standalone_files import standalone
from solver.settings import Warn

_TICKER_RUN: Final = """\
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


def ticker_files(
    exported_program: ExportedProgram, reasoner: Reasoner, clock: Duration, path: Path
) -> dict[str, str]:
    """Return the texts of the files by their names; `path` is the program's.

    Raises LarsError, where there is a file with the place, for what that reasoner has no words for.
    """
    if clock.nanoseconds % NANOSECONDS["ms"]:
        raise LarsError(f"a time point of {clock}: accepted for Ticker: --clock with whole milliseconds")
    last = exported_program.span.last
    if last >= MOST:
        raise LarsError(f"the timeline ends at {last}; accepted for Ticker: up to {MOST - 1}, by --to")
    program, facts = plainer(exported_program)
    background = (*background_of(exported_program, program), *facts)
    signs = with_signs(program, _stream(exported_program, program), reasoner)
    stream = signs.stream
    try:
        writer = ticker_writer(signs.program, clock, reasoner, background, stream)
        text = writer.text()
    except ExportError as error:
        raise placed_refusal(error, program, path) from None
    except LarsError as error:
        raise LarsError(f"{path}: {error}") from None
    lines = [writer.line(stream.atoms.get(t, ())) for t in range(last + 1)]
    run = _TICKER_RUN.format(
        tick=clock.nanoseconds // NANOSECONDS["ms"],
        reasoner=reasoner.value,
        legend=LEGEND_FILE,
        arrival=writer.predicates[signature(signs.arrival)],
    )
    return {
        "program.lars": text,
        "stream.txt": "".join(f"{line}\n" for line in lines),
        LEGEND_FILE: _legend(exported_program, writer, background).text(),
        "run.sh": run,
    }


def _stream(exported_program: ExportedProgram, program: Program) -> TickerInput:
    atoms: dict[int, tuple[Atom, ...]] = {}
    for t, atom in input_of(exported_program, program):
        atoms[t] = (*atoms.get(t, ()), atom)
    return TickerInput(
        atoms, exported_program.span.last, single=strata(program) is not None or _is_single(exported_program)
    )


def _is_single(program: ExportedProgram) -> bool:
    """Whether the program without its constraints has one answer stream at each tick of Ticker's clock."""
    free = Program(tuple(rule for rule in program.triggered.rules if rule.head is not None))
    times = range(program.span.last + 1)
    return all(len(list(islice(models(free, program.situation, t), 2))) == 1 for t in times)


def _legend(program: ExportedProgram, writer: TickerWriter, background: tuple[Atom, ...]) -> Legend:
    predicates = {program.answer} if program.answer is not None else intensional(program.program)
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=role is Role.MOMENTS)
        for role in (Role.PROGRAM, Role.MOMENTS)
        for name, (predicate, arity) in writer.heads(role).items()
        if (predicate, arity) in predicates
    }
    always = all_background(program.program, background)
    return Legend(
        to="ticker",
        times=list(program.times),
        first=program.span.first,
        names=names,
        terms={str(number): str(term) for term, number in writer.terms.items()},
        background=sorted(str(atom) for atom in always if signature(atom) in predicates),
        columns=program.columns,
        origin=program.origin,
        violations=list(writer.heads(Role.VIOLATION)),
    )


_RUN: Final = """\
#!/bin/sh
# Prints the answer sets of each time point. CLINGO is the command, clingo or Python's. They are read by
#   lars export --read ANSWERS --legend {legend}
cd "$(dirname "$0")" || exit 1
CLINGO=${{CLINGO:-$(command -v clingo || echo python3 -m clingo)}}
for t in {times}; do
  echo "t=$t:"
  $CLINGO program.lp stream.lp -c "{clock}=$t" --models=0 --project=show --verbose=0
  code=$?
  # clingo says by the code what it found: 10, 30 answer sets, 20 none; `python -m clingo` says 0.
  case $code in 0 | 10 | 20 | 30) ;; *) exit $code ;; esac
done
"""


def asp_files(program: ExportedProgram) -> dict[str, str]:
    """Return the texts of the files by their names; raises LarsError for times that clingo cannot add to."""
    if program.situation.timeline.last > GREATEST:
        raise LarsError(
            f"the timeline ends at {program.situation.timeline.last}; accepted for clingo: up to {GREATEST}, "
            "by --to, a coarser --unit, or an --origin nearer to the trace"
        )
    written = standalone(program.program, program.situation, program.times, program.answer)
    run = _RUN.format(times=" ".join(map(str, program.times)), clock=written.clock, legend=LEGEND_FILE)
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=timed)
        for name, ((predicate, arity), timed) in written.names.items()
    }
    legend = Legend(
        to="asp",
        times=list(program.times),
        first=program.span.first,
        names=names,
        columns=program.columns,
        origin=program.origin,
        overflows=sorted(written.overflows),
    )
    return {
        "program.lp": "".join(f"{line}\n" for line in written.rules),
        "stream.lp": "".join(f"{line}\n" for line in written.facts),
        LEGEND_FILE: legend.text(),
        "run.sh": run,
    }


_FILES: Final = frozenset((LEGEND_FILE, "run.sh", "program.lars", "stream.txt", "program.lp", "stream.lp"))
_RUNNABLE: Final = 0o755


@dataclass(frozen=True, slots=True)
class ExportTask:
    """What is exported; for Ticker's `reasoner`, where a time point lasts `clock`, else for plain clingo."""

    solving: SolvingTask
    reasoner: Reasoner | None
    clock: Duration


def export_to(folder: Path, task: ExportTask, warn: Warn, *, overwrite: bool) -> str:
    """Write the folder; return what was written and how it is run."""
    _check_free(folder, overwrite=overwrite)
    program = export_program(task.solving, warn)
    if not program.times:
        raise LarsError(f"{task.solving.path}: there is no evaluation time; accepted: --from, --to, --period")
    if task.reasoner is None:
        texts = asp_files(program)
    else:
        texts = ticker_files(program, task.reasoner, task.clock, task.solving.path)
    _write(folder, texts)
    return f"{folder}: {', '.join(texts)}; run.sh runs it, `lars export --read` reads what it prints"


def _check_free(folder: Path, *, overwrite: bool) -> None:
    """Raise when something is at a path that must not be replaced."""
    if not folder.parent.is_dir():
        raise LarsError(f"{folder}: cannot be written: there is no folder {folder.parent}")
    if folder.exists() and not folder.is_dir():
        raise LarsError(f"{folder}: is a file; accepted: the name of a folder")
    held = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if held and not overwrite:
        raise LarsError(f"{folder}: exists already; accepted: another name, or --overwrite")
    if other := [name for name in held if name not in _FILES]:
        raise LarsError(f"{folder}: is not overwritten: {other[0]} in it is no part of an export")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        for name, text in texts.items():
            (new / name).write_text(text, encoding="utf-8")
        (new / "run.sh").chmod(_RUNNABLE)
