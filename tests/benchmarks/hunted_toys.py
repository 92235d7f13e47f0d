"""Whether `lars hunt` names the fault of each toy engine, once, and finds none in a right one.

`python -m tests.benchmarks.hunted_toys [ENGINES] [FAULT..]`: so many engines, or all, or the named ones.
"""

import json
import subprocess
import sys
import time

from tests.agreement.proving.hunting.toy_faults import NAMES, TOY

RUNS = "400"


def hunted(fault):
    """Return what a hunt of a toy engine finds, as JSON, and how long it took."""
    start = time.monotonic()
    command = [sys.executable, "-m", "agreement.cli", "hunt", "--adapter", f"{sys.executable} {TOY} {fault}"]
    ran = subprocess.run(
        [*command, "--runs", RUNS, "--time-limit", "5m", "--json", "-q"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (json.loads(ran.stdout) if ran.stdout else {"error": ran.stderr}), time.monotonic() - start


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else len(NAMES)
    chosen = sys.argv[2:] or list(NAMES)[:most]
    good = 0
    for fault in chosen:
        found, took = hunted(fault)
        says = [one["says"] for one in found.get("faults", ())]
        right = len(says) == 1 and NAMES[fault] in says[0] if NAMES[fault] else "faults" in found and not says
        good += right
        print(
            f"{fault:28} {'right' if right else 'WRONG'} {len(says)} {took:5.1f} s {found.get('runs')} runs"
        )
        for line in [] if right else says or [found.get("error", "")]:
            print(f"      {line}")
        sys.stdout.flush()
    print(f"{good} of {len(chosen)}")


if __name__ == "__main__":
    main()
