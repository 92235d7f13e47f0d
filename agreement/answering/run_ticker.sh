#!/bin/bash
# Feeds stream.txt to Ticker, a line at each tick of its clock, and prints its answers.
# TICKER is the path of its jar (https://github.com/hbeck/ticker, made by `sbt assembly`);
# with the reasoner clingo it runs the command clingo. The answers are read by
#   lars export --read ANSWERS --legend @legend@
set -eu
cd "$(dirname "$0")"
: "${TICKER:?names the jar of Ticker}"
work=$(mktemp -d)
ticker=
trap 'kill $ticker 2>/dev/null || :; rm -rf "$work"' EXIT
mkfifo "$work/input" "$work/output"
"${JAVA:-java}" -jar "$TICKER" --program program.lars --reasoner @reasoner@ --clock @tick@ms \
  --outputEvery change <"$work/input" >"$work/output" &
ticker=$!
exec 3>"$work/input" 4<"$work/output"
# Ticker takes a line for the time at which it reads it. It prints an answer at each tick, and one with
# @arrival@ when the line of this time is there: it is at this time, or has missed it.
await() { # an answer at time $1 that has the sign $2
  while IFS= read -r line <&4; do
    [[ $line =~ (\(t=|odel\ at\ T\ )([0-9]+) ]] || continue
    echo "$line" >>"$work/answers"
    if ((BASH_REMATCH[2] > $1)); then
      echo "run.sh: Ticker came to ${BASH_REMATCH[2]} before it had answered at $1;" \
        "accepted: a longer time point, by lars export --clock (now @tick@ms)" >&2
      exit 1
    fi
    ((BASH_REMATCH[2] < $1)) || [[ $2 && ! $line =~ [\(\ ]$2[,\)] ]] || return 0
  done
  echo "run.sh: Ticker ended before it had answered at $1" >&2
  exit 1
}
mapfile -t lines <stream.txt
for t in "${!lines[@]}"; do
  # At 0, where its clock has not ticked, it looks at what it is given.
  ((t == 0)) || await "$t" ""
  [ -z "${lines[t]}" ] || { echo "${lines[t]}" >&3; await "$t" @arrival@; }
done
cat "$work/answers"
