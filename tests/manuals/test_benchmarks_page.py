"""The manual's tables of published benchmarks, against evaluations of other hands.

SRBench and LSBench: verdicts that were confirmed row by row, and converters that others wrote. CSRBench and
YABench: SPARQL of pyoxigraph over what the windows hold. CityBench has a file of its own.
"""

import re
import subprocess
import sys
import tomllib
from itertools import chain

import pyoxigraph as ox
import pytest

from agreement import api
from agreement.documents.requests.query_files import query_in
from lars.durations import Duration
from tests.agreement.command import lars
from tests.agreement.comparing.agree.benchmark_tables import row_of, tables
from tests.agreement.comparing.agree.published import confirmed
from tests.agreement.comparing.agree.sparql_sides import Side, arrivals_of, check_rows
from tests.manuals.pages import PAGES, rows
from tests.packs import PACKS, SAMPLES, SHARED, pack
from tests.sizes import few
from translate.analysis import NO_MODEL, differences, different_datasets

SUMMARY = rows(
    "agreement/manual/benchmarks.md", "| benchmark | pairs | pairs that ask for the same rows | experiment |"
)
HOW = {"trigger": "query-streams", "certify": "none", "in_process": True}


def found_in(page, beginning):
    return [line for line in PAGES[page].splitlines() if line.startswith(beginning)]


def test_each_table_of_pairs_is_read():
    headers = found_in("agreement/manual/benchmarks.md", "| pair | differing periods, U = ")
    assert len(headers) == len(tables()) == len(SUMMARY)


def lines_of(text):
    return sorted(text.splitlines())


@pytest.mark.parametrize(
    ("name", "trace", "options", "others"),
    [
        pytest.param(
            "srbench", "weather.nq", ("--static", "static"), ("--stations", "4"), marks=pack("srbench")
        ),
        pytest.param("lsbench", "social.nq", (), ("--seconds", "40"), marks=pack("lsbench")),
    ],
)
def test_the_converters_write_what_those_of_other_hands_write(name, trace, options, others, tmp_path):
    mine, theirs, data = SAMPLES / name / "convert.py", PACKS[name].folder / "convert.py", PACKS[name].folder
    more = ("--static", "theirs") if options else ()
    for command in ([mine, data, trace, *options], [theirs, "theirs.nq", *others, *more]):
        subprocess.run([sys.executable, *command], cwd=tmp_path, check=True, capture_output=True)
    pairs = [(trace, "theirs.nq"), *([("static", "theirs")] if options else [])]
    for one, other in pairs:
        assert lines_of((tmp_path / one).read_text()) == lines_of((tmp_path / other).read_text()) != []


@pack("srbench")
@pack("lsbench")
@pytest.mark.parametrize(
    ("section", "short", "periods", "shown"),
    [
        ("SRBench", "SR", ("10m", "20m", "30m", "1h"), "1h"),
        ("LSBench", "LS", ("100ms", "1s", "2s", "5s", "10s"), "1s"),
    ],
)
def test_the_page_has_the_verdicts_that_another_evaluation_confirmed(section, short, periods, shown):
    known, found = confirmed(), tables()[section]
    assert len(found) >= 12
    for name, (cells, causes) in found.items():
        verdicts = [known[f"{short} {name}", period][0] for period in periods]
        assert cells == [text.removeprefix("DISAGREE in ") for text in verdicts]
        expected = {}
        for cause, number in known[f"{short} {name}", shown][2].items():
            expected[cause.partition(": ")[2]] = expected.get(cause.partition(": ")[2], 0) + number
        # Of many causes the most frequent were written down there.
        assert causes.keys() == expected.keys()
        assert all(int(causes[cause]) >= number for cause, number in expected.items())


def observations(folder, stream):
    """Yield time, stream and triple of a folder with a Turtle file for each second."""
    for path in sorted(folder.glob("data_*.ttl")):
        found = ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE)
        yield from ((int(path.stem[-2:]), stream, quad.triple) for quad in found)


@pack("csrbench")
@pytest.mark.parametrize("name", few(["Q1", "Q2", "Q4", "Q5"], 2))
def test_csrbench_has_the_rows_of_sparql_over_what_the_windows_hold(name):
    data = PACKS["csrbench"].folder
    queries = [data / f"queries/{name.lower()}.{language}.rq" for language in ("csparql", "cqels")]
    found = api.agree(*queries, data / "stream", unit="1s", period=[1, 2, 4, 5, 10], **HOW)
    arrivals = list(observations(data / "stream", "http://ex.org/streams/observations"))
    sides = [Side(path.read_text(), arrivals, merged="csparql" in path.name, unit=1000) for path in queries]
    assert row_of(found, 5) == tables()["CSRBench"][name]
    assert check_rows(found.verdicts, sides, 33) > 0


@pytest.mark.parametrize("name", few(["Q1", "Q4", "Q6"], 2))
def test_yabench_has_the_rows_of_sparql_over_what_the_windows_hold(name, tmp_path):
    plan = tomllib.loads((SAMPLES / "yabench/pairs/experiment.toml").read_text())
    values, sides, queries = {key: one for key, (one,) in plan["grid"].items()}, [], []
    made = plan["traces"][0]["generate"]
    api.generate(tmp_path / "trace.nq", **made)
    arrivals = arrivals_of((tmp_path / "trace.nq").read_text())
    for language in ("csparql", "cqels"):
        text = (SAMPLES / f"yabench/queries/{name.lower()}.{language}.rq").read_text()
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", str(value))
        queries.append(tmp_path / f"{language}.rq")
        queries[-1].write_text(text)
        sides.append(Side(text, arrivals, merged=language == "csparql"))
    last = max(t for t, *_ in arrivals)
    found = api.agree(*queries, tmp_path / "trace.nq", unit="1ms", period="1s..5s", **HOW)
    assert row_of(found, 5000) == tables()["YABench"][name]
    assert check_rows(found.verdicts, sides, last) > 0


@pytest.mark.parametrize("row", SUMMARY, ids=lambda row: row[0])
def test_the_summary_counts_the_pairs(row):
    name, pairs, from_one, samples = row
    folders = [SAMPLES / one.strip("` ").removeprefix("samples/") for one in samples.split(", ")]
    found = [one for folder in folders for one in plan_pairs(folder)]
    assert int(pairs) == len(found) == len(tables()[name.partition(" (")[0]])
    if all(path.exists() for one in found for path in one):
        assert int(from_one) == sum(stem_from_one(*one) for one in found)
    else:
        assert not (SHARED / name.partition(" (")[0].lower()).exists()


def plan_pairs(folder):
    """Return the files of the pairs of an experiment."""
    plan = tomllib.loads((folder / "experiment.toml").read_text())
    return [[folder / query[language] for language in ("csparql", "cqels")] for query in plan["queries"]]


def stem_from_one(csparql, cqels):
    unit = Duration(10**6)
    texts = [re.sub(r"\{(window|slide)\}", "5s", path.read_text()) for path in (csparql, cqels)]
    queries = [query_in(re.sub(r"\{\w+\}", "9", text), "q", unit) for text in texts]
    told = [text for text in differences(*queries, unit) if text.startswith(NO_MODEL)]
    return not told and different_datasets(*queries) is None


PROGRAMS = rows(
    "agreement/manual/benchmarks.md", "| program | window of the queries | window of the program | result |"
)
LENGTHS = {"s": 1, "sec": 1, "min": 60}


def seconds(written):
    """Return the length of a window as a query, a program or the page writes it."""
    number, unit = re.fullmatch(r"(\d+) ?(\w+)", written).groups()
    return int(number) * LENGTHS[unit] if unit != "ms" else int(number) // 1000


@pytest.mark.skipif(not (SHARED / "citybench").is_dir(), reason="the queries of CityBench are not here")
@pack("stream-reasoners")
@pytest.mark.parametrize("row", PROGRAMS, ids=lambda row: row[0])
def test_each_program_beside_a_pair_of_citybench_is_what_the_table_says(row):
    name, of_queries, of_program, result = row
    path = PACKS["stream-reasoners"].folder / f"citybench-{name}.idlvsr"
    queries = (SHARED / "citybench" / "queries").glob(f"*/{name}.rq")
    asked = [re.findall(r"\[\s*range (\d+m?s)", each.read_text(), re.IGNORECASE) for each in queries]
    assert max(map(seconds, chain(*asked))) == seconds(of_queries)
    windows = re.findall(r"\bin \[([^]]*)\]", re.sub("(?m)^%.*", "", path.read_text()))
    assert {*map(seconds, windows)} == ({seconds(of_program)} if windows else set())
    assert bool(windows) == (of_program != "the present time point")
    ran = lars("translate", path)
    assert ran.code == (0 if result == "evaluated" else 2)
    assert result.removeprefix("rejected: ") in (ran.err or "evaluated") or not ran.code


@pack("stream-reasoners")
def test_the_program_of_q11_says_when_a_sensor_was_silent_for_ten_minutes(tmp_path):
    observed, asked = (1, 700, 900), (1, 601, 602, 700, 1300, 1301, 1500, 1501)
    lines = [
        f"{t} {'weatherMeasurement(0, 1, 2, 3)' if t in observed else 'tick'};" for t in {*observed, *asked}
    ]
    (tmp_path / "q11.log").write_text("\n".join(sorted(lines, key=lambda line: int(line.split()[0]))) + "\n")
    program = PACKS["stream-reasoners"].folder / "citybench-Q11.idlvsr"
    ran = lars("solve", program, tmp_path / "q11.log", "--show", "sensorsNotOk/1", "--evaluator", "both")
    assert ran.code == 0, ran.err
    found = {
        int(t): "sensorsNotOk(0)" in text for t, text in (line.split(": ") for line in ran.out.splitlines())
    }
    right = {t: not any(t - 600 <= one <= t for one in observed) for t in {*observed, *asked}}
    assert {t: found[t] for t in right} == right
