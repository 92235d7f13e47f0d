"""What a job answers on Spark, answer by answer, to rows that lie there in any order."""

from dataclasses import replace

import numpy as np

from solver.columns import trace_columns
from solver.facts import Fact
from solver.job import Answer
from solver.job.slices import counted
from solver.spark import answers_on_spark
from solver.spark.task_bytes import block_of, pack_atoms


def block(rows):
    """Return rows (t, position, seq, predicate, arguments) as a block of a trace."""
    ordered = sorted(rows, key=lambda row: row[:3])
    found = trace_columns([Fact(t, *rest) for t, _, _, *rest in ordered])
    numbers = np.array([(position << 40) + seq for _, position, seq, *_ in ordered], np.int64)
    atoms = {name: replace(some, arrival=numbers[some.arrival]) for name, some in found.atoms.items()}
    return block_of(pack_atoms(atoms, found.terms))


def counts_of(rows):
    """Return the numbers of rows by parts of the timeline."""
    return counted([np.array(sorted(row[0] for row in rows), np.int64)])


def on_spark(job, spark, rows, blocks=3, finished=None):
    """Return the answers of the job to rows in so many blocks; each comes once."""
    parts = [block(rows[number::blocks]) for number in range(blocks)]
    found = answers_on_spark(job, spark.parallelize(parts, blocks), counts_of(rows), finished)
    by_time = [one.whole().by_time() for one in found]
    return [Answer(n, t, row) for n, rows in enumerate(by_time) for t in rows for row in rows[t]]
