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
stop() { # prints the answers at the times before, which are whole, and why there are no more
  cat "$work/answers"
  echo "run.sh: $1" >&2
  exit 1
}
await() { # an answer at time $1 that has the sign $2
  begun=${EPOCHREALTIME//[.,]/}
  while IFS= read -r line <&4; do
    [[ $line =~ (\(t=|odel\ at\ T\ )([0-9]+) ]] || continue
    if ((BASH_REMATCH[2] > $1)); then
      took=$(((${EPOCHREALTIME//[.,]/} - begun) / 1000))
      stop "Ticker is too slow for its clock: no answer at $1 after ${took}ms;\
 use lars export --clock $((2 * (took > @tick@ ? took : @tick@)))ms (now @tick@ms)"
    fi
    seen+=$line$'\n'
    ((BASH_REMATCH[2] < $1)) || [[ $2 && ! $line =~ [\(\ ]$2[,\)] ]] || return 0
  done
  stop "Ticker ended before it had answered at $1"
}
: >"$work/answers"
mapfile -t lines <stream.txt
for t in "${!lines[@]}"; do
  seen=
  # At 0, where its clock has not ticked, it looks at what it is given.
  ((t == 0)) || await "$t" ""
  [ -z "${lines[t]}" ] || { echo "${lines[t]}" >&3; await "$t" @arrival@; }
  printf %s "$seen" >>"$work/answers"
done
cat "$work/answers"
