"""The manual's tables of published benchmarks: rows made of results, and read from the page.

`python -m tests.agreement.comparing.agree.benchmark_tables RESULTS PERIOD`: what `lars run` wrote, and the
period in points whose causes are shown. It prints the rows of the experiment's table.
"""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

import pyarrow.compute as pc

from tests.packs import ROOT

PAGE = ROOT / "agreement/manual/benchmarks.md"


def tables():
    """Return of each benchmark of the page its rows: by pair, a cell for each period, and causes."""
    found, section, is_pairs = {}, "", False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ").partition(":")[0]
        elif not line.startswith("|"):
            is_pairs = False
        elif line.startswith("| pair |"):
            is_pairs = True
        elif is_pairs and re.match(r"\| Q\d", line):
            name, *cells, causes = line.strip("| ").split(" | ")
            found.setdefault(section, {})[name] = (cells, counted(causes))
    return found


def counted(text):
    """Return the causes of a cell with the number of their rows."""
    return dict(re.findall(r"([a-z ]+) \((\d+)\)", text.replace(", ", ",")))


def cell(wrong, of):
    return f"{wrong} of {of}" if wrong else "agree"


def row_of(found, period):
    """Return a pair's row of the page, of what was found for it; causes are those of a period."""
    cells = [
        cell(sum(not one.agree for one in verdict.intervals), len(verdict.intervals))
        for verdict in found.verdicts
    ]
    causes = Counter()
    for group in found.to_arrow("causes").filter(pc.field("period") == period).to_pylist():
        causes[group["cause"]] += group["rows"]
    return cells, {cause: str(count) for cause, count in causes.items()}


def rows_of(results):
    """Return the rows of all pairs of an experiment's results: cells, and causes by period."""
    found = {}
    with (results / "agreements.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells, causes = found.setdefault(row["query"], ([], {}))
            cells.append(cell(int(row["disagreeing"]), int(row["intervals"])))
            causes[row["period"]] = counted(row["causes"])
    return found


def main():
    for name, (cells, causes) in rows_of(Path(sys.argv[1])).items():
        most = Counter({cause: int(number) for cause, number in causes[sys.argv[2]].items()}).most_common()
        told = ", ".join(f"{cause} ({number})" for cause, number in most) or "-"
        print(f"| {name} | {' | '.join(cells)} | {told} |")


if __name__ == "__main__":
    main()
