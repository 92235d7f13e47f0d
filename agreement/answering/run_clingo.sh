#!/bin/sh
# Prints the answer sets of each time point. CLINGO is the command, clingo or Python's. They are read by
#   lars export --read ANSWERS --legend @legend@
cd "$(dirname "$0")" || exit 1
CLINGO=${CLINGO:-$(command -v clingo || echo python3 -m clingo)}
for t in @times@; do
  echo "t=$t:"
  $CLINGO program.lp stream.lp -c "@clock@=$t" --models=0 --project=show --verbose=0
  code=$?
  # clingo says by the code what it found: 10, 30 answer sets, 20 none; `python -m clingo` says 0.
  case $code in 0 | 10 | 20 | 30) ;; *) exit $code ;; esac
done
