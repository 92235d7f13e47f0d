"""The files for plain clingo: rules, the input as facts, and how it is run at each time point."""

from typing import Final

from agreement.answering.export.exported import ExportedProgram
from agreement.answering.export.legend import LEGEND_FILE, Legend, LegendName
from lars.errors import LarsError
from solver.pointwise.asp_terms import GREATEST
from solver.pointwise.standalone_files import standalone

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


def asp_files(found: ExportedProgram) -> dict[str, str]:
    """Return the texts of the files by their names; raises LarsError for times that clingo cannot add to."""
    if found.situation.timeline.last > GREATEST:
        raise LarsError(
            f"the timeline ends at {found.situation.timeline.last}; accepted for clingo: up to {GREATEST}, "
            "by --to, a coarser --unit, or an --origin nearer to the trace"
        )
    written = standalone(found.program, found.situation, found.times, found.answer)
    run = _RUN.format(times=" ".join(map(str, found.times)), clock=written.clock, legend=LEGEND_FILE)
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=timed)
        for name, ((predicate, arity), timed) in written.names.items()
    }
    legend = Legend(
        to="asp",
        times=list(found.times),
        first=found.span.first,
        names=names,
        columns=found.columns,
        origin=found.origin,
        overflows=sorted(written.overflows),
    )
    return {
        "program.lp": "".join(f"{line}\n" for line in written.rules),
        "stream.lp": "".join(f"{line}\n" for line in written.facts),
        LEGEND_FILE: legend.text(),
        "run.sh": run,
    }
