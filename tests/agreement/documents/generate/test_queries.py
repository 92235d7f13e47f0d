"""YABench's queries find in a made-up trace what the generator put into it."""

import shlex

import pytest

from agreement.documents.generate import Plan
from agreement.documents.generate.elements import OBSERVATION, WEATHER, pushes_of
from lars.durations import read_duration
from tests.agreement.command import lars, solve

STREAM = "http://example.org/observations"
SECONDS = ("--unit", "1s", "--stations", 3, "--duration", "8s", "--start", "1s")
PLAN = Plan(3, duration=read_duration("8s"), unit=read_duration("1s"), start=read_duration("1s"))
READING = """?{0} om:observedProperty weather:_AirTemperature ; om:procedure ?sensor ; om:result ?{0}r .
  ?{0}r om:floatValue ?{0}v ."""


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("t.nq", (), "--unit 1ms"),
        ("t.csv", ("--unit", "1s", "--trace-unit", "1ms"), "--unit 1s --trace-unit 1ms"),
        ("t.nt", ("--format", "yabench", "--unit", "1s"), "--unit 1s --stream {stream}={path}"),
        ("t", (), "--unit 1s --stream {stream}={path}"),
        ("my trace.nt", (), "--unit 1ms --stream '{stream}={path}'"),
        ("t.trig", ("--out-of-order", "0.1"), "--unit 1ms --sort --stream {stream}={path}"),
    ],
)
def test_it_says_how_to_read_what_it_wrote(tmp_path, name, options, expected):
    path = tmp_path / name
    found = lars("generate", path, *options)
    assert found.out.startswith(f"{path}: 30 elements, 210 triples (")
    advice = expected.format(stream=STREAM, path=path)
    assert found.out.endswith(f"Read it with {advice}\n")
    given = shlex.split(advice) if "--stream" in advice else [*advice.split(), path]
    assert solve(query(tmp_path, "?sensor", READING.format("o")), *given).code == 0


def query(folder, columns, pattern, condition=""):
    """Write a C-SPARQL query over windows of 4 seconds."""
    path = folder / "query.rq"
    path.write_text(
        f"PREFIX om: <{OBSERVATION}> PREFIX weather: <{WEATHER}>\n"
        f"SELECT {columns} FROM STREAM <{STREAM}> [RANGE 4s STEP 4s] WHERE {{ {pattern} {condition} }}"
    )
    return path


def answers(folder, *parts):
    """What `lars solve` answers at 4 and 8 on a made-up trace, with windows [0, 4] and [4, 8]."""
    lars("generate", folder / "t.nq", *SECONDS)
    found = solve(query(folder, *parts), folder / "t.nq", "--semantics", "bag")
    assert found.code == 0
    rows = {line["t"]: line["rows"] for line in found.lines}
    return [[{name: term["value"] for name, term in row.items()} for row in rows[t]] for t in (4, 8)]


def measured(end):
    """The station and temperature of each observation in a window."""
    inside = [push for push in pushes_of(PLAN) if end - 4 <= push.t / 1000 <= end]
    stations = {push.graph: push.triple[2][1:-1] for push in inside if "procedure>" in push.triple[1]}
    values = {push.graph: push.triple[2] for push in inside if "floatValue>" in push.triple[1]}
    return [(stations[graph], float(value.split('"')[1])) for graph, value in values.items()]


def test_q1_finds_the_observations_above_a_temperature(tmp_path):
    found = answers(tmp_path, "?sensor ?ov", READING.format("o"), "FILTER(?ov > 80)")
    for rows, end in zip(found, (4, 8), strict=True):
        shown = sorted((row["sensor"], float(row["ov"])) for row in rows)
        assert shown == sorted(pair for pair in measured(end) if pair[1] > 80) != []


def test_q4_finds_their_average(tmp_path):
    found = answers(tmp_path, "(AVG(?ov) AS ?average)", READING.format("o"), "FILTER(?ov > 50)")
    for rows, end in zip(found, (4, 8), strict=True):
        warm = [value for _, value in measured(end) if value > 50]
        assert [float(row["average"]) for row in rows] == [pytest.approx(sum(warm) / len(warm))]


def test_q6_finds_stations_that_observed_two_temperatures(tmp_path):
    both = READING.format("a") + READING.format("b")
    found = answers(tmp_path, "?sensor ?av ?bv", both, "FILTER(?av > ?bv) FILTER(?bv > 50)")
    for rows, end in zip(found, (4, 8), strict=True):
        read = measured(end)
        pairs = [(s, v, w) for s, v in read for t, w in read if s == t and v > w > 50]
        assert sorted((row["sensor"], float(row["av"]), float(row["bv"])) for row in rows) == sorted(pairs)
        assert pairs
