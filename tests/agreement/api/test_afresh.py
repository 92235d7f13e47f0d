"""Two calls in one process see files as they are when they are called, on Spark too."""

import os

import pytest

from agreement import api

QUERY = "SELECT ?x WHERE { STREAM <e:s> [RANGE 3s] { ?x <e:p> ?o } }"
LINE = '<e:{}> <e:p> <e:o> <e:s> "1" .\n'


def answers(trace, **how):
    return [row for one in api.solve(QUERY, trace, **how).answers for row in one.rows]


def written_anew(folder, form, **how):
    trace, found = folder / f"trace.{form}", []
    for name in ("ann", "bob"):
        write(trace, name)
        os.utime(trace, (1, 1))  # as within one tick of the clock
        found.append(answers(trace, **how))
    return found


@pytest.mark.parametrize("form", ["nq", "trig", "parquet"])
def test_a_trace_that_is_written_anew_gives_new_answers(tmp_path, form):
    assert written_anew(tmp_path, form) == [[("<e:ann>",)], [("<e:bob>",)]]


def test_a_trace_that_is_written_anew_gives_new_answers_on_spark(tmp_path, spark):
    assert written_anew(tmp_path, "nq", master="local[2]") == [[("<e:ann>",)], [("<e:bob>",)]]


def write(path, name):
    import pandas as pd

    if path.suffix == ".parquet":
        columns = {"t": [1], "stream": ["<e:s>"], "s": [f"<e:{name}>"], "p": ["<e:p>"], "o": ["<e:o>"]}
        pd.DataFrame(columns).to_parquet(path)
    elif path.suffix == ".trig":
        at = "<http://www.w3.org/ns/prov#generatedAtTime>"
        path.write_text(f"<e:g> {at} 1 .\n<e:g> {{ <e:{name}> <e:p> <e:o> . }}\n")
    else:
        path.write_text(LINE.format(name))


def test_static_data_and_queries_are_read_anew(tmp_path):
    query, static = tmp_path / "q.rq", tmp_path / "s.ttl"
    found = []
    for name in ("ann", "bob"):
        query.write_text(
            f"SELECT ?y WHERE {{ STREAM <e:s> [RANGE 3s] {{ <e:{name}> <e:p> ?o }} ?o <e:q> ?y }}"
        )
        static.write_text(f"<e:o> <e:q> <e:{name}2> .")
        trace = LINE.format(name)
        found.append([row for one in api.solve(query, trace, static=static).answers for row in one.rows])
    assert found == [[("<e:ann2>",)], [("<e:bob2>",)]]


def test_what_is_found_on_spark_stays_when_the_trace_changes(tmp_path, spark):
    from tests.packs import SAMPLES

    slide = SAMPLES / "slide"
    trace = tmp_path / "door.trig"
    trace.write_bytes((slide / "door.trig").read_bytes())
    named = {"stream": {"http://example.org/door": trace}, "period": 3}
    queries = (slide / "query.csparql.rq", slide / "query.cqels.rq")
    here = api.agree(*queries, **named, in_process=True).to_json()
    found = api.agree(*queries, **named, master="local[2]")
    trace.unlink()
    assert found.to_json() == here
