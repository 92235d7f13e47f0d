#!/bin/sh
# Print the answer sets at each time point. To use another clingo, set the variable CLINGO to its command.
# Save the output as ANSWERS, and read the output with
#   lars export --read ANSWERS --legend @legend@
cd "$(dirname "$0")" || exit 1
CLINGO=${CLINGO:-$(command -v clingo || echo python3 -m clingo)}
for t in @times@; do
  echo "t=$t:"
  $CLINGO program.lp stream.lp -c "@clock@=$t" --models=0 --project=show --verbose=0
  code=$?
  # Exit codes of clingo: 10 or 30 answer sets, 20 no answer set. `python -m clingo` ends with 0.
  case $code in 0 | 10 | 20 | 30) ;; *) exit $code ;; esac
done
