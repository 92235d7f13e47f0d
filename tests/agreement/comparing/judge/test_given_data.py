"""What judging is given besides answers: static data that vary, ASK in both notations, late triples."""

import json

import pytest

from agreement.comparing.judge.assignment import ReportAssignment
from agreement.documents.recordings import Report
from tests.agreement.command import lars

STREAM = "PREFIX : <http://e/> {} FROM STREAM <http://e/S> [RANGE 4s STEP 4s] WHERE {{ {} }}"
KINDS = (
    ("FROM <http://e/g>", "?s :p ?o . ?s :kind ?k"),
    ("FROM <http://e/none>", "?s :p ?o . ?s :kind ?k"),
    ("FROM NAMED <http://e/g>", "?s :p ?o . GRAPH ?g { ?s :kind ?k }"),
    ("FROM NAMED <http://e/h>", "?s :p ?o . GRAPH ?g { ?s :kind ?k }"),
    ("FROM NAMED <http://e/h>", "?s :p ?o . ?s :kind ?k"),
    ("", "?s :p ?o . GRAPH ?g { ?s :kind ?k }"),
)
KIND = "<http://e/a> <http://e/kind> <http://e/k> {} .\n"


def spoken(folder, command, *words):
    return lars(command, folder / "q.rq", folder / "s.nq", *words, "--unit", "1s", "-q")


@pytest.fixture
def files(tmp_path):
    lines = (f'<http://e/a> <http://e/p> <http://e/o{t}> <http://e/S> "{t}" .\n' for t in (2, 9))
    (tmp_path / "s.nq").write_text("".join(lines))
    (tmp_path / "g.nq").write_text(KIND.format("<http://e/g>"))
    (tmp_path / "default.nq").write_text(KIND.format(""))
    (tmp_path / "h.nq").write_text(KIND.replace("/k>", "/other>").format("<http://e/h>"))
    return tmp_path


@pytest.mark.parametrize("data", ["g.nq", "default.nq"])
@pytest.mark.parametrize("more", [(), ("--static", "h.nq")])
@pytest.mark.parametrize(("graphs", "pattern"), KINDS)
def test_data_that_are_there_at_all_times_are_static_data(files, graphs, pattern, data, more):
    (files / "q.rq").write_text(STREAM.format(f"REGISTER QUERY q AS SELECT ?s ?k {graphs}", pattern))
    also = [files / word if word.endswith(".nq") else word for word in more]
    solved = spoken(
        files, "solve", "--as", "csparql", "--json", "--static", files / data, *also, "--until", "12"
    )
    (files / "a.ndjson").write_text(solved.out or '{"t": 4, "rows": []}\n')
    how = ("--answers", files / "a.ndjson", "--bounds", "low-open", "--t0", "0", "--no-diagnosis", *also)
    judged = [
        spoken(files, "judge", *how, "--static-at", f"{span}={files / data}") for span in ("0..", "50..")
    ]
    assert judged[0].code == spoken(files, "judge", *how, "--static", files / data).code
    assert judged[1].code == spoken(files, "judge", *how).code


TYPE = "http://www.w3.org/2001/XMLSchema#boolean"
BOOLEAN = f'[{{"Answer": {{"type": "literal", "value": "%s", "datatype": "{TYPE}"}}}}]'


@pytest.mark.parametrize("engine", ["csparql", "csparql-0.9.7"])
@pytest.mark.parametrize("notation", [("[]", "[{}]"), (BOOLEAN % "false", BOOLEAN % "true")])
@pytest.mark.parametrize(("truths", "code"), [((1, 0, 0), 0), ((1, 0, 1), 1)])
def test_a_row_without_variables_is_true_by_every_judge(tmp_path, engine, notation, truths, code):
    text = STREAM.format("REGISTER QUERY q AS ASK", "?s :p ?o").replace("STEP 4s", "STEP 2s")
    (tmp_path / "q.rq").write_text(text)
    arrivals = ((1, "p"), (3, "n"), (5, "n"), (7, "n"), (9, "n"))
    lines = (f'<http://e/x> <http://e/{p}> <http://e/o> <http://e/S> "{t}" .\n' for t, p in arrivals)
    (tmp_path / "s.nq").write_text("".join(lines))
    told = (f'{{"t": {2 * n + 3}, "rows": {notation[truth]}}}\n' for n, truth in enumerate(truths))
    (tmp_path / "a.ndjson").write_text("".join(told))
    how = ("--engine", engine, "--match", "sequence", "--no-diagnosis")
    assert spoken(tmp_path, "judge", "--answers", tmp_path / "a.ndjson", *how).code == code


QUERY = (
    "REGISTER RSTREAM <http://e/q> AS SELECT ?a FROM NAMED WINDOW <http://e/w> ON <http://e/S> "
    "[RANGE PT4S STEP PT4S] WHERE { WINDOW <http://e/w> { <http://e/s> <http://e/p> ?a } }"
)


@pytest.mark.parametrize(
    ("reports", "correct"),
    [
        ({12000: "a"}, True),
        ({8000: "late", 12000: "a"}, True),
        ({12000: "late"}, False),
        ({8000: "late"}, False),
        ({8000: "a", 12000: "a"}, False),
        ({}, False),
    ],
)
def test_what_comes_late_may_be_lost_and_the_rest_is_judged(tmp_path, reports, correct):
    stream = [
        {"t": t, "stream": "http://e/S", "triple": f"<http://e/s> <http://e/{p}> <http://e/{o}> ."}
        for t, p, o in ((9000, "p", "a"), (5000, "p", "late"), (18000, "n", "n"))
    ]
    output = [{"trigger": 2, "t": t, "rows": [{"a": f"<http://e/{a}>"}]} for t, a in reports.items()]
    case = {"id": "own/late", "engine": "own-1", "mode": "driven", "family": "own", "dialect": "rspql"}
    (tmp_path / "late.json").write_text(
        json.dumps({**case, "query": QUERY, "stream": stream, "output": output})
    )
    judged = lars("judge", tmp_path / "late.json", "--json", "-q")
    assert json.loads(judged.out)["correct"] is correct


@pytest.mark.parametrize(
    ("pattern", "step", "told"),
    [("?s :p ?o", "4", False), ("?s :none ?o", "4", False), ("?s :p ?o", "30", True)],
)
def test_a_window_is_open_at_the_end_only_where_it_has_rows_later(files, pattern, step, told):
    text = STREAM.format("REGISTER QUERY q AS SELECT ?s", f"{pattern} . ?s :p ?x FILTER(?o != ?x)")
    (files / "q.rq").write_text(text.replace("4s STEP 4s", f"{step}s STEP {step}s"))
    ran = lars("solve", files / "q.rq", files / "s.nq", "--as", "csparql", "--unit", "1s")
    assert ran.code == 0
    assert ("never close" in ran.err) is told


def test_the_period_of_an_experiment_counts_for_its_time_point(files):
    (files / "q.rq").write_text(STREAM.format("REGISTER QUERY q AS SELECT ?s", "?s :p ?o"))
    (files / "a.ndjson").write_text('{"t": 8, "rows": [{"s": {"type": "uri", "value": "http://e/a"}}]}\n')
    keys = 'csparql = "q.rq"\ncqels = "q.rq"\nfiles = "s.nq"\nperiod = {}\ntrace_unit = "1s"\n'
    for period, code in (('"500ms"', 0), ('"2s"', 1)):
        (files / "experiment.toml").write_text(keys.format(period))
        how = ("--answers", files / "a.ndjson", "--bounds", "low-open", "--t0", "0", "--no-diagnosis", "-q")
        assert lars("judge", files / "experiment.toml", *how).code == code


@pytest.mark.parametrize(
    ("step", "period", "code", "told"),
    [
        ("", "4", 0, "reports at each `period` of the experiment (4)"),
        ("", "2", 1, "reports at each `period` of the experiment (2)"),
        ("", "[2, 4]", 1, ""),
        (" STEP 4s", '"4s"', 0, ""),
        (" STEP 4s", "2", 0, "does not count here"),
    ],
)
def test_a_query_without_a_step_reports_at_each_period_of_its_experiment(files, step, period, code, told):
    """The triples of 2 and 9 are in the windows (0, 4] and (8, 12]; with 12, four is right and two is not."""
    text = STREAM.replace(" STEP 4s", step).format("REGISTER QUERY q AS SELECT ?s", "?s :p ?o")
    (files / "q.rq").write_text(text)
    with (files / "s.nq").open("a") as file:
        file.write('<http://e/b> <http://e/none> <http://e/o> <http://e/S> "13" .\n')
    a = '{{"t": {}, "rows": [{{"s": {{"type": "uri", "value": "http://e/a"}}}}]}}\n'
    (files / "a.ndjson").write_text(a.format(4) + a.format(12))
    keys = f'csparql = "q.rq"\nfiles = "s.nq"\nperiod = {period}\n'
    (files / "experiment.toml").write_text(keys)
    how = ("--answers", files / "a.ndjson", "--answers-unit", "1s", "--bounds", "low-open", "--t0", "0")
    judged = lars("judge", files / "experiment.toml", *how, "--no-diagnosis")
    assert (judged.code, told in judged.err) == (code, True)
    assert ("`period`" in judged.err) is bool(told)
    reported = lars("solve", files / "experiment.toml", "--as", "csparql", "--bounds", "low-open", "--json")
    times = {"4": [4, 12], "2": [4, 10, 12], "[2, 4]": [4, 5, *range(9, 14)]}
    assert [json.loads(line)["t"] for line in reported.out.splitlines()] == times["4" if step else period]
    assert ("period" in reported.err) is ("reports at each" in told)


@pytest.mark.parametrize(
    ("at_8000", "correct"),
    [(("b",), True), (("b", "late"), True), (("late",), False), (("a",), False)],
)
def test_a_window_with_late_and_other_triples_is_right_with_all_or_without_the_late_ones(
    tmp_path, at_8000, correct
):
    pushed = ((6000, "b"), (9000, "a"), (5000, "late"), (18000, "n"))
    stream = [
        {"t": t, "stream": "http://e/S", "triple": f"<http://e/s> <http://e/p> <http://e/{o}> ."}
        for t, o in pushed
    ]
    both = ((1, 8000, at_8000), (3, 12000, ("a",)))
    output = [
        {"trigger": trigger, "t": t, "rows": [{"a": f"<http://e/{a}>"} for a in names]}
        for trigger, t, names in both
    ]
    case = {"id": "own/mixed", "engine": "own-1", "mode": "driven", "family": "own", "dialect": "rspql"}
    text = json.dumps({**case, "query": QUERY, "stream": stream, "output": output})
    (tmp_path / "late.json").write_text(text)
    assert lars("judge", tmp_path / "late.json", "--json", "-q").json["correct"] is correct


@pytest.mark.parametrize(
    ("at_8000", "at_12000", "problem"),
    [
        ((), ("zz",), "at 12000 ms: 1 missing, 1 extra (1 of 1)"),
        ((), (), "at 12000 ms: 1 missing (1 of 1)"),
        (("zz",), ("a",), "at 8000 ms: 1 missing, 1 extra (1 of 2)"),
        (("late",), ("zz",), "at 12000 ms: 1 missing, 1 extra (1 of 2)"),
    ],
)
def test_a_late_triple_that_may_be_lost_is_not_listed_where_other_rows_are_wrong(
    tmp_path, at_8000, at_12000, problem
):
    first = (("b", 6000),) if at_8000 == ("zz",) else ()
    pushed = (*first, ("a", 9000), ("late", 5000), ("n", 18000))
    stream = [
        {"t": t, "stream": "http://e/S", "triple": f"<http://e/s> <http://e/p> <http://e/{o}> ."}
        for o, t in pushed
    ]
    output = [
        {"trigger": len(pushed) - 1, "t": t, "rows": [{"a": f"<http://e/{a}>"} for a in names]}
        for t, names in ((8000, at_8000), (12000, at_12000))
        if names
    ]
    case = {"id": "own/late", "engine": "own-1", "mode": "driven", "family": "own", "dialect": "rspql"}
    (tmp_path / "late.json").write_text(
        json.dumps({**case, "query": QUERY, "stream": stream, "output": output})
    )
    how = ("--t0", "0", "--bounds", "low-open")
    found = lars("judge", tmp_path / "late.json", *how, "--json", "-q").json
    assert (found["correct"], found["cases"][0]["problem"]) == (False, problem)


BATCH = (
    'name="batch"\nreport=["content-change"]\nbounds="closed"\nslide="ignored"\n'
    'stream="RSTREAM"\nempty="silent"\n'
)
ARRIVALS = "SELECT ?s WHERE { STREAM <http://e/S> [RANGE 10s] { ?s <http://e/p> ?o } }"


@pytest.mark.parametrize("tick", ["instant", "triple"])
@pytest.mark.parametrize(("last", "code"), [("20.5", 0), ("", 1)])
def test_what_arrivals_report_may_be_late_whatever_the_tick(files, tick, last, code):
    (files / "batch.toml").write_text(f'{BATCH}tick="{tick}"\n')
    (files / "q.rq").write_text(ARRIVALS)
    lines = (f'<http://e/{t}> <http://e/p> <http://e/o> <http://e/S> "{t}" .\n' for t in (1, 20))
    (files / "s.nq").write_text("".join(lines))
    rows = f"2.5,http://e/1\n{last and f'{last},http://e/20'}\n"
    (files / "a.csv").write_text(f"t,s\n{rows}")
    how = ("--answers", files / "a.csv", "--engine", files / "batch.toml", "--no-diagnosis")
    assert spoken(files, "judge", *how).code == code


def test_a_report_during_a_push_without_an_element_keeps_its_own_time():
    how = ReportAssignment(push_times={0: 10.0, 2: 20.0})
    assert [how.time_of(Report(7.0, (), trigger)) for trigger in (0, 1, 2, None)] == [10, 7, 20, 7]


def test_an_explanation_that_closes_windows_too_often_costs_no_verdict(tmp_path):
    (tmp_path / "q.rq").write_text(
        "SELECT ?o FROM STREAM <http://e/S> [RANGE 30s STEP 60s] { ?s <http://e/p> ?o }"
    )
    lines = (f'<http://e/a> <http://e/p> "{t}" <http://e/S> "{t}" .\n' for t in (1, 550_000, 1_200_000))
    (tmp_path / "s.nq").write_text("".join(lines))
    (tmp_path / "a.csv").write_text("t,o\n60000,5\n")
    answers = "--answers", tmp_path / "a.csv"
    ran = lars(
        "judge", tmp_path / "q.rq", tmp_path / "s.nq", *answers, "--unit", "1ms", "--t0", "0", "--json"
    )
    assert ran.code == 1
    assert ran.json["correct"] is False
