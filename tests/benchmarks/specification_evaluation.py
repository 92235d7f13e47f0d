"""How much faster changes are found from where answers begin and end than from whole answers.

`python -m tests.benchmarks.specification_evaluation [STATIONS..]` judges what CQELS should report to
YABench's first query, per triple, both ways, and prints the ratio of the times.
"""

import sys
from time import perf_counter

from agreement.documents.generate import Plan
from agreement.documents.generate.elements import pushes_of
from agreement.engines.r2s import relation_to_stream
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Task,
    builtin,
    clock_answers,
    elements_of,
    evaluated_windows,
    evaluation,
    evaluations,
)
from lars.durations import read_duration
from solver.facts import Static
from translate.dialects import read_query

QUERY = """PREFIX o: <http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#>
SELECT ?sensor ?value WHERE {{
  STREAM <{stream}> [RANGE 5s SLIDE 5s] {{
    ?observation o:procedure ?sensor ; o:result ?result . ?result o:floatValue ?value }}
  FILTER (?value > 70)
}}"""


def task_of(stations):
    """Return the task of judging so many stations for half a minute."""
    plan = Plan(stations=stations)
    unit = read_duration("1ms")
    elements = elements_of(list(pushes_of(plan)), unit)
    query = read_query(QUERY.format(stream=plan.stream_iri), "query")
    return Task(EngineRun(query, Static(frozenset(), {}), (), unit), elements, elements[-1].t)


def naive(profile):
    """Return what is reported at each evaluation, from the whole answers of all of them."""
    output, runs = clock_answers.runs_at(profile.frame, profile.windows, profile.points)
    return relation_to_stream("ISTREAM", range(len(profile.points)), evaluation._whole(runs, output))


def main(counts):
    """Print one line for each number of stations."""
    for stations in counts:
        profile = evaluated_windows(task_of(stations), builtin("cqels"), OpenChoice((0,), "closed"))
        start = perf_counter()
        fast = evaluations(profile)
        middle = perf_counter()
        slow = naive(profile)
        end = perf_counter()
        assert [sorted(one.rows) for one in fast] == [sorted(rows) for rows in slow.values()]
        print(f"{stations} stations, {len(fast)} evaluations: {(end - middle) / (middle - start):.1f} times")


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [5, 20, 50])
