"""Answers found in this process, row by row: what columns, slices and Spark have to give too."""

from solver.columns import trace_columns
from solver.job.evaluation import answers_in
from solver.job.slices import by_slice
from solver.relational import decode, empty, encode, evaluate_program, run_tables


def in_process(job, facts):
    """Yield the answers of the job's questions to the facts, which are in arrival order."""
    for answers in by_slice(job, trace_columns(facts)):
        yield from answers


def evaluate(questions, situation, within, evaluator="auto"):
    """Yield each answer of each question at its evaluation times in the interval, once."""
    return answers_in(questions, encode(situation), within, evaluator)


def runs(program, situation, times, output):
    """Yield the rows of `output` at the times by columns alone, with both ends of their longest runs."""
    if times:
        encoded = encode(situation)
        newest = None if situation.newest is None else [situation.newest] * len(times)
        table = evaluate_program(program, encoded, times, output, newest).get(output, empty(output[1]))
        # As the module has it, where faults are seeded.
        yield from decode(run_tables.coalesce(table, len(times)), encoded.terms)
