"""SRBench and LSBench: published pairs of queries, on which another evaluation confirmed each verdict."""

import csv
import json
import subprocess
import sys
from collections import Counter

from agreement import api
from tests.packs import PACKS

TRACES = {
    "sr.nq": ("srbench", "--stations", "4", "--static", "stations.nt"),
    "sr-replay.nq": (
        *("srbench", "--pick", "C0837,C1832,C1190,C1819,C2017,C1415", "--every", "1000"),
        *("--stream", "http://cwi.nl/SRBench/observations", "--measured-only"),
    ),
    "ls.nq": ("lsbench", "--seconds", "40", "--static", "sibdataset.nt"),
}
STATIC = {"sr.nq": "stations.nt", "ls.nq": "sibdataset.nt"}


def jobs():
    """Return what is compared: pairs of queries, or one whose partner is derived."""
    packs = (PACKS[name].folder for name in ("srbench", "lsbench"))
    told = [{**job, "pack": pack} for pack in packs for job in json.loads((pack / "jobs.json").read_text())]
    known = {name for name, _ in confirmed()}
    names = ((job, f"{job['name']} to RSP-QL") for job in told)
    return [*told, *({**job, "name": name} for job, name in names if name in known)]


def write_trace(folder, name):
    """Write a trace by the converter of its pack, and the static data beside it."""
    if not (folder / name).exists():
        pack, *options = TRACES[name]
        converter = PACKS[pack].folder / "convert.py"
        subprocess.run(
            [sys.executable, converter, name, *options], cwd=folder, check=True, capture_output=True
        )


def confirmed():
    """Return the verdict, the number of rows and the causes by the name of a comparison and U."""
    with (PACKS["srbench"].folder / "verdicts.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {(row["query"], row["U"]): as_said(row) for row in rows if row["rows"]}


def as_said(row):
    # Where it was confirmed, queries that ask for different things were put down to merged sources.
    causes = row["causes_lars"].replace("merged sources", "different queries").split(", ")
    counts = (text.rpartition(" ") for text in causes if text.strip("- "))
    return row["verdict_lars"], int(row["rows"]), {cause: int(number) for cause, _, number in counts}


def outcome(job, folder):
    """Return verdict, rows and causes of a job by name and U, as the confirmed ones are written."""
    write_trace(folder, job["trace"])
    paths = [job["pack"] / job[side] for side in ("pull", "push") if side in job]
    if job["name"].endswith(" to RSP-QL"):
        paths[-1] = in_rspql(paths[-1], folder / "push.rspql.rq")
    given = [text.replace("static/", f"{folder}/") for text in job.get("statics", ())]
    result = api.agree(
        *paths,
        folder / job["trace"],
        unit=job["unit"],
        trace_unit="1ms",
        period=",".join(job["periods"]),
        trigger="query-streams",
        static=given,
    )
    return {
        (name_of(job["name"], variant), period): summary(verdict, variant, result)
        for variant, verdicts in result.variants.items()
        for period, verdict in zip(job["periods"], verdicts, strict=True)
    }


def in_rspql(path, written):
    """Return the file with a query written in RSP-QL."""
    written.write_text(api.translate(path, to="rspql").text, encoding="utf-8")
    return written


def name_of(name, variant):
    return f"{name} ({variant})" if name.endswith("derived") else name


def summary(verdict, variant, result):
    wrong = sum(not interval.agree for interval in verdict.intervals)
    found = [one for one in result.differences if (one.variant, one.period) == (variant, verdict.period)]
    said = f"DISAGREE in {wrong} of {len(verdict.intervals)}" if wrong else "agree"
    rows = sum(len(interval.push | interval.pull) for interval in verdict.intervals)
    return said, rows, Counter(f"{one.side}: {one.cause}" for one in found)


def otherwise(found, known):
    """Return the comparisons that are not as confirmed, of those that are.

    Of many causes the most frequent were written down.
    """
    return [
        (key, one, known[key])
        for key, one in found.items()
        if key in known and (one[:2] != known[key][:2] or not known[key][2].items() <= one[2].items())
    ]
