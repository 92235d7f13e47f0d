"""The evaluations of windows that report only if they are not empty, against a look at each close."""

from dataclasses import replace
from random import Random

from agreement.documents.recordings import Push
from agreement.documents.requests import sources
from agreement.engines import specifications
from agreement.engines.specifications.reporting import own_points, push_count_at
from lars.durations import Duration
from solver.facts import Static
from tests.sizes import size
from translate.dialects import read_query

TEXT = """PREFIX : <http://e/> REGISTER RSTREAM :out AS SELECT *
FROM NAMED WINDOW :v ON STREAM :S [{0}] FROM NAMED WINDOW :w ON STREAM :T [{1}]
WHERE {{ WINDOW :v {{ ?a :p ?b }} WINDOW :w {{ ?a :q ?c }} }}"""
SPARQ = """PREFIX : <http://e/> SELECT ?a WHERE {{ WINDOW :w {{ ?a :p ?b }} }}
FROM NAMED WINDOW :w ON :S RANGE {0} STEP {1} T0 {2}"""
AHEAD = """PREFIX : <http://e/> SELECT ?a ?c WHERE {{
STREAM s [PAST {0}ms FUTURE {2}ms STEP {1}ms] {{ ?a :p ?b }}
STREAM t [RANGE {0}ms STEP {1}ms] {{ ?c :p ?b }} }}"""
BEHIND = """PREFIX : <http://e/> REGISTER RStream :o AS SELECT ?a
FROM NAMED WINDOW :w ON LOG <http://e/S> [OFFSET {3} RANGE {0} STEP {1}]
WHERE {{ WINDOW :w {{ ?a :p ?b }} }}"""
MILLISECOND = Duration(1_000_000)
REPORTS = (["window-close"], ["periodic"], ["window-close", "content-change"])


def sizes(rng):
    return f"RANGE {rng.randint(1, 30)} STEP {rng.randint(1, 12)}"


def framed(rng):
    """Return a random query over two streams with long pauses, under random parameters."""
    numbers = (width := rng.randint(1, 30)), rng.randint(1, 12), rng.randint(1, 30), width + rng.randint(0, 9)
    others = (one.format(*numbers) for one in (SPARQ, AHEAD, BEHIND))
    query = read_query(rng.choice((TEXT.format(sizes(rng), sizes(rng)), *others)), "query")
    streams = [str(source.stream) for source in sources(query)]
    times = sorted(rng.choice((0, 200, 900)) + rng.randint(0, 40) for _ in range(rng.randint(0, 8)))
    pushes = tuple(
        Push(
            t,
            rng.choice(streams),
            ("<e:a>", "<e:p>", f"<e:{n}>"),
            came=t + rng.choice((0, 0, 7)),
        )
        for n, t in enumerate(times)
    )
    pushes = tuple(sorted(pushes, key=lambda push: push.came))
    run = specifications.EngineRun(
        query, Static(frozenset(), {}), pushes, MILLISECOND, wait=rng.choice((0, 3))
    )
    task = specifications.Task(run, run.elements, 1000)
    model = specifications.Specification.model_validate(
        {
            "name": "drawn",
            "report": [*rng.choice(REPORTS), "non-empty"],
            "period": f"{rng.randint(1, 9)}ms",
            "tick": rng.choice(("triple", "instant")),
        }
    )
    return specifications.frame_task(task, model, rng.choice(("closed", "low-open", "high-open", "open")))


def test_evaluations_far_from_all_elements_are_left_out_and_no_others():
    rng, seen = Random(19), 0
    for _ in range(size(300, 5000)):
        base, start = framed(rng), rng.randint(-40, 20)
        for first in base.windows:
            window = specifications.with_start(first, start)
            every = specifications.candidates(
                replace(window, strategies=window.strategies - {"non-empty"}), base.windows
            )
            wanted = specifications.conditions_of(window.strategies)
            right = [
                point
                for point in every
                if all(
                    specifications.holds(
                        one, window, point, window.span(point.tick, push_count_at(window.frame, point))
                    )
                    for one in wanted
                )
            ]
            assert own_points(window, base.windows) == right
            seen += bool(right)
    assert seen > 100
