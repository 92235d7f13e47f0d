"""`lars solve --as`: what a profile reports, read back, judged, and fed to a second query."""

import json

import pytest

from agreement.answering.solve.solving import EngineReports
from agreement.documents.recordings import Report
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import NAMES
from agreement.results.renderings.answer_lines import json_lines
from tests.agreement.command import lars
from tests.agreement.comparing.compare.profiles import IN_MS, LANGUAGES, names, write

TRACE = "a 1500, b 2000, b 2000, c 5500, d 6000, a 6500 q, e 11200"
CONSTRUCT = "CONSTRUCT { ?s :seen ?o } FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o }"
SECOND = "SELECT ?s FROM STREAM :out [RANGE 2s STEP 2s] WHERE { ?s :seen ?o }"
IN_S = ("--unit", "500ms", "--trace-unit", "1ms")
JOINED = "SELECT ?s FROM STREAM :out [RANGE 2s STEP 2s] WHERE { ?x :of ?s ; :has ?o }"
JOIN = "SELECT ?s FROM STREAM :S [RANGE 2s STEP 1s] WHERE { ?s :p ?o . ?s :q ?v }"


def solve_as(folder, query, name, *options):
    return lars("solve", folder / query, folder / "t.nq", "--as", name, *options)


def test_a_simulated_engine_gets_an_element_when_it_comes_and_a_query_alone_at_its_own_time(tmp_path):
    folder = write(tmp_path, "a 1000, c 3000, b 2000")
    as_came, as_dated = (
        solve_as(folder, LANGUAGES["cqels"], "cqels", *more, "--json").lines
        for more in ((*IN_MS, "--arrival", "order"), (*IN_MS, "--sort"))
    )
    assert [(one["t"], names(one["rows"])) for one in as_came] != [
        (one["t"], names(one["rows"])) for one in as_dated
    ]
    assert [one["t"] for one in as_came] == [1000, 3000, 3000]
    alone = ("solve", folder / LANGUAGES["cqels"], folder / "t.nq", "--unit", "1s", "--json")
    assert lars(*alone, "--arrival", "order").out == lars(*alone, "--sort").out


def short(found):
    """Return the time point, the exact time where it lies between two, and the rows of each line."""
    return [(one["t"], one.get("ms"), names(one["rows"])) for one in found.lines]


@pytest.mark.parametrize("name", [*NAMES, *ENGINES])
def test_what_a_profile_reports_is_judged_correct_by_it(tmp_path, name):
    folder, answers = write(tmp_path, TRACE), tmp_path / "answers.ndjson"
    query = LANGUAGES[name]
    answers.write_text(solve_as(folder, query, name, *IN_MS, "--json").out)
    assert answers.read_text()
    options = (*IN_MS, "--engine", name, "--answers", answers, "--json")
    assert lars("judge", folder / query, folder / "t.nq", *options).json["correct"] is True


@pytest.mark.parametrize("name", [*NAMES, *ENGINES])
def test_a_row_too_few_is_judged_incorrect(tmp_path, name):
    folder, answers = write(tmp_path, TRACE), tmp_path / "answers.ndjson"
    lines = solve_as(folder, LANGUAGES[name], name, *IN_MS, "--json").lines
    # The last but one: the first may lie in the transient of a specification, where nothing counts.
    lines[-min(2, len(lines))]["rows"].pop()
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    options = (*IN_MS, "--engine", name, "--answers", answers, "--json")
    found = lars("judge", folder / LANGUAGES[name], folder / "t.nq", *options)
    assert (found.code, found.json["correct"]) == (1, False)


def test_reports_of_an_engine_version_can_come_between_time_points(tmp_path):
    found = solve_as(write(tmp_path), "cs.rq", "csparql-0.9.7", *IN_S, "--json")
    assert short(found) == [(4, None, ["a", "b"]), (6, 3001, ["a", "b"]), (8, 4001, ["b"])]


def test_a_time_is_that_of_the_point_before_and_exact_in_milliseconds():
    times = (0, 1999.5, 2000, 2001)
    found = EngineReports((), tuple(Report(t, ()) for t in times), 1000, None, None)
    assert list(map(json.loads, json_lines(found))) == [
        {"t": 0, "rows": []},
        {"t": 1, "ms": 1999.5, "rows": []},
        {"t": 2, "rows": []},
        {"t": 2, "ms": 2001, "rows": []},
    ]


def test_a_reader_sees_fractions_of_time_points(tmp_path):
    found = solve_as(write(tmp_path), "cs.rq", "csparql-0.9.7", *IN_S)
    assert found.out.splitlines() == ["t: (?s)", "4: (a) (b)", "6.002: (a) (b)", "8.002: (b)"]


def test_an_empty_report_is_a_line_and_silence_is_none(tmp_path):
    # (0, 2] and (1, 3] hold a alone, which has no q; (3, 5] and (4, 6] hold nothing: no report.
    folder = write(tmp_path, "a 1500, b 6500", join=JOIN)
    reported = solve_as(folder, "join.rq", "csparql", *IN_MS, "--json")
    assert short(reported) == [(2000, None, []), (3000, None, [])]
    assert solve_as(folder, "join.rq", "csparql", *IN_MS).out == "t: (?s)\n2000: -\n3000: -\n"
    assert solve_as(folder, "join.rq", "rspql", *IN_MS, "--json").out == ""


def test_an_ask_has_the_empty_row_where_it_is_true(tmp_path):
    ask = "ASK FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o }"
    folder = write(tmp_path, ask=ask)
    found = solve_as(folder, "ask.rq", "csparql", *IN_MS, "--json")
    assert [one["rows"] for one in found.lines] == [[{}], [{}]]


def test_windows_begin_where_t0_says_and_contain_the_ends_of_bounds(tmp_path):
    folder = write(tmp_path)
    # [1000, 4000) and [2000, 5000).
    found = solve_as(folder, "cs.rq", "csparql", *IN_MS, "--t0", 1000, "--bounds", "high-open", "--json")
    assert short(found) == [(4000, None, ["a", "b"]), (5000, None, ["b"])]


def test_until_goes_beyond_the_last_element_and_from_and_to_cut(tmp_path):
    folder = write(tmp_path)
    later = solve_as(folder, "cs.rq", "csparql", *IN_MS, "--until", 7000, "--json")
    assert [one["t"] for one in later.lines] == [3000, 4000, 6000, 7000]
    cut = solve_as(folder, "cs.rq", "csparql", *IN_MS, "--from", 4000, "--to", 6000, "--json")
    assert [one["t"] for one in cut.lines] == [4000, 6000]
    version = solve_as(folder, "cs.rq", "csparql-0.9.7", *IN_S, "--until", 6, "--json")
    assert [one["t"] for one in version.lines] == [4, 6]


def test_triples_of_a_query_are_the_trace_of_another(tmp_path):
    folder = write(tmp_path, made=CONSTRUCT, second=SECOND)
    stream = solve_as(folder, "made.rq", "csparql", *IN_MS, "--as-stream", "http://e/out", "--until", 8000)
    (folder / "t.nq").write_text(stream.out)
    terms = "<http://e/seen> <http://e/o> <http://e/out>"
    assert stream.out.splitlines()[:2] == [f'<http://e/{s}> {terms} "3000" .' for s in "ab"]
    found = solve_as(folder, "second.rq", "csparql", *IN_MS, "--json")
    # (2000, 4000] holds what was seen at 3000 and 4000, (4000, 6000] and (6000, 8000] c alone.
    assert short(found) == [(4000, None, ["a", "b"]), (6000, None, ["c"]), (8000, None, ["c"])]


def test_blank_nodes_of_a_template_are_read_back_as_they_were(tmp_path):
    folder = write(tmp_path, made=CONSTRUCT.replace("?s :seen ?o", "_:x :of ?s ; :has ?o"), second=JOINED)
    stream = solve_as(folder, "made.rq", "csparql", *IN_MS, "--as-stream", "http://e/out", "--until", 8000)
    (folder / "t.nq").write_text(stream.out)
    document, element = (
        {
            row["s"]["value"][-1]
            for line in solve_as(folder, "second.rq", "csparql", *IN_MS, *more).lines
            for row in line["rows"]
        }
        for more in (("--json",), ("--json", "--blank-nodes", "element"))
    )
    assert (document, element) == (set("abc"), set())


def test_streams_of_a_file_that_go_back_in_time_are_warned_of(tmp_path):
    folder = write(tmp_path)
    lines = (folder / "t.nq").read_text()
    (folder / "t.nq").write_text(lines + lines.replace("e/S", "e/R"))
    found = solve_as(folder, "cs.rq", "csparql-0.9.7", *IN_MS)
    assert "push 3 has an earlier time" in found.err
    assert "earlier" not in solve_as(folder, "cs.rq", "csparql-0.9.7", "--sort", *IN_MS).err
    assert "earlier" not in solve_as(folder, "cs.rq", "csparql", *IN_MS).err


CALLS = {
    "solve cs.rq t.nq --as sql": ("'sql'", "csparql-0.9.7", "*.toml"),
    "solve cs.rq t.nq --as none.toml": ("none.toml", "no such file"),
    "solve cs.rq t.nq --as bad.toml": ("bad.toml:1:", "reprot"),
    "solve cs.rq --as csparql": ("missing a trace",),
    "solve cs.rq t.nq --as rsp-js-1.3.5": ("rsp-js-1.3.5 cannot run", "rspql"),
    "solve cs.rq t.nq --as csparql --mode push": ("--mode", "--as csparql"),
    "solve cs.rq t.nq --as csparql --period 3 --trigger any": ("--period and --trigger",),
    "solve cs.rq t.nq --as csparql --engine csparql": ("--engine",),
    "solve cs.rq t.nq --as csparql --profile sparql11": ("--profile",),
    "solve cs.rq t.nq --t0 3": ("--t0", "--as NAME"),
    "solve cs.rq t.nq --until 3": ("--until", "--as NAME"),
    "solve cs.rq t.nq --as-stream x:s": ("--as-stream", "--as NAME"),
    "solve cs.rq t.nq --as csparql --as-stream x:s": ("SELECT", "CONSTRUCT"),
    "solve made.rq t.nq --as csparql --as-stream s": ("--as-stream s", "absolute IRI"),
    "solve made.rq t.nq --as csparql-0.9.7": ("CONSTRUCT",),
    "solve cs.rq t.nq --as csparql-0.9.7 --t0 3": ("--t0", "a specification"),
    "solve cs.rq t.nq --as csparql-0.9.7 --bounds closed": ("--bounds", "a specification"),
    "solve cs.rq t.nq --as csparql-0.9.7 --semantics set": ("--semantics", "a specification"),
    "solve cs.rq t.nq --as csparql --t0 noon": ("--t0 noon", "time point"),
    "solve cs.rq t.nq --as csparql --until noon": ("--until noon", "time point"),
    "solve cs.rq t.nq --as csparql --from 9 --to 3": ("[9, 3]",),
    "solve cs.rq t.nq --as cqels --until 4000000000000000000": ("10000000",),
    "solve plain.rq t.nq --as csparql": ("reads no stream",),
    "solve p.lars t.nq --as csparql": ("p.lars", "--as", "a LARS program"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_malformed_call_is_one_message(tmp_path, monkeypatch, call):
    write(tmp_path, made=CONSTRUCT)
    (tmp_path / "plain.rq").write_text("SELECT ?s WHERE { ?s <x:p> ?o }")
    (tmp_path / "p.lars").write_text("a <- b.")
    (tmp_path / "bad.toml").write_text('reprot = ["periodic"]\n')
    monkeypatch.chdir(tmp_path)
    found = lars(*call.split(), *IN_MS)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("lars: ")
    assert all(part in found.err for part in CALLS[call]), found.err
