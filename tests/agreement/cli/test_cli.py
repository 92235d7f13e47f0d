"""The command line: what translate, solve and agree take, print and leave behind."""

import os
import re
import shlex
import subprocess
import sys
from collections import Counter

import clingo
import pytest

from agreement.experiments.schema import schema
from lars.text import notation
from tests.agreement.command import agree, lars, solve
from tests.packs import ROOT, SAMPLES

E = "http://example.org/"
COUPONS, SLIDE, MINUS, MET = (SAMPLES / name for name in ("coupons", "slide", "minus", "judged/met"))
QUERIES = sorted(SAMPLES.glob("*/*.rq"))
TRACE = (
    "--stream",
    f"{E}coupons={COUPONS}/coupons.trig",
    "--stream",
    f"{E}locations={COUPONS}/locations.trig",
)
DOOR = SLIDE / "query.csparql.rq"
NOT_FOR_QUERIES = (
    *("pyarrow", "rdflib", "numpy.ma", "pydantic", "hashlib", "tomllib", "zipfile", "jinja2"),
    *("agreement.experiments", "agreement.proving.lateness", "agreement.proving.containment"),
    "translate.writing",
)
SCENE = (*TRACE, "--static", COUPONS / "products.ttl", "--unit", "1min")
MODES = [("--mode", "push"), ("--mode", "pull", "--period", "3")]
PERIODS = ("--period", "2", "--to", "10")


def b(row):
    return {name: term["value"].removeprefix(E) for name, term in row.items()}


B = {"percent": "25", "product": "rayban", "shop": "b"}


def in_shell(*arguments, **environment):
    command = [sys.executable, "-c", "from agreement.cli.__main__ import main; main()", *map(str, arguments)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, env=variables, capture_output=True, check=False)


# translate


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("mode", MODES)
def test_the_two_notations_read_back_as_one_program(query, mode):
    printed = lars("translate", query, *mode)
    plain = lars("translate", query, *mode, "--format", "ascii")
    assert (printed.code, plain.code, plain.out.isascii()) == (0, 0, True)
    assert str(notation.read(plain.out)) == str(notation.read(printed.out)) == printed.out.rstrip("\n")


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("mode", MODES)
def test_the_asp_text_loads_in_plain_clingo(query, mode, tmp_path):
    ran = lars("translate", query, *mode, "--format", "asp")
    file = tmp_path / "program.lp"
    file.write_text(ran.out, encoding="utf-8")
    control = clingo.Control(logger=lambda *_: None)
    control.load(str(file))
    control.ground([("base", [])])
    assert control.solve().satisfiable


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_model_is_the_same_as_text_and_as_json(query):
    text = lars("translate", query, "--format", "model").out
    model = lars("translate", query, "--format", "json").json["model"]
    assert [line.split(" = ")[0] for line in text.splitlines() if " = " in line] == ["V", "P", "D", "S"]
    assert f"V = {{{', '.join(f'?{name}' for name in model['V'])}}}" in text
    assert f"P = {model['P']}\n" in text
    for part in model["S"]:
        assert f"(<{part['stream']}>, {part['window']}, {part['pattern']})" in text


def test_the_json_holds_rules_and_asp_of_each_program():
    ran = lars("translate", SLIDE / "query.cqels.rq", "--format", "json", "--mode", "push")
    assert list(ran.json) == ["language", "form", "model", "programs"]
    (program,) = ran.json["programs"]
    assert list(program) == ["variant", "rules", "asp"]
    asp = lars("translate", SLIDE / "query.cqels.rq", "--format", "asp", "--mode", "push")
    assert program["asp"] == asp.out.rstrip("\n")


@pytest.mark.parametrize(
    ("heavy", "command"),
    [
        (("numpy", "clingo", "pyoxigraph", "rdflib", "pydantic.main", "translate.tau"), ("--help",)),
        (("pyspark", "pandas", "pyarrow", "rdflib"), ("translate", COUPONS / "query.cqels.rq")),
        (
            (
                "pyspark",
                "pandas",
                "pyarrow",
                "rdflib",
                "numpy.ma",
                "pydantic",
                "importlib.metadata",
                "zipfile",
            ),
            ("agree", COUPONS),
        ),
        (
            (
                *("pyarrow", "rdflib", "numpy.ma", "pydantic"),
                *("agreement.comparing.judge", "agreement.engines.registry"),
            ),
            ("decide", COUPONS),
        ),
        (NOT_FOR_QUERIES, ("decide", DOOR)),
        (NOT_FOR_QUERIES, ("witness", DOOR)),
        (("pyspark", "pandas", "pyarrow", "rdflib"), ("serve-engine", "rspql")),
    ],
)
def test_a_command_does_not_load_what_it_does_not_need(heavy, command):
    code = (
        "import sys; from agreement.cli.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", code, *map(str, command)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("most", "command"),
    [
        (47, ("--help",)),
        (103, ("translate", DOOR)),
        (139, ("agree", COUPONS)),
        (173, ("decide", DOOR)),
        (172, ("witness", DOOR)),
    ],
)
def test_a_short_command_loads_few_files(most, command):
    """Each file costs a third of a millisecond, so what only other options need is loaded where they do."""
    code = (
        "import sys; from agreement.cli.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "own = ('agreement', 'lars', 'solver', 'translate')\n"
        "print(sum(name.split('.')[0] in own for name in sys.modules))"
    )
    command = [sys.executable, "-c", code, *map(str, command)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(ran.stdout.splitlines()[-1]) <= most


@pytest.mark.parametrize("name", ["kolibrie", "oxigraph"])
def test_an_adapter_that_stands_alone_loads_nothing_of_the_program(name):
    module = f"agreement.engines.adapters.{name}"
    code = (
        f"import sys, {module}\n"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] in "
        "('agreement', 'lars', 'solver', 'translate', 'numpy', 'pydantic')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["agreement", "agreement.engines", "agreement.engines.adapters", module]


def test_the_other_engine_gets_the_derived_query():
    derived = lars("translate", SLIDE / "query.cqels.rq", "--engine", "csparql")
    written = lars("translate", SLIDE / "query.csparql.rq")
    assert (derived.code, derived.out) == (0, written.out)


def test_cqels_is_derived_once_for_each_choice_of_each_stream():
    assigned = [f"--assign={E}locations={E}isNear"]
    assigned += [f"--assign={E}coupons={E}{name}" for name in ("offers", "on", "reduce")]
    ran = lars("translate", COUPONS / "query.csparql.rq", "--engine", "cqels", *assigned, "--format", "json")
    names = [program["variant"] for program in ran.json["programs"]]
    assert names == ["brave, brave", "brave, cautious", "cautious, brave", "cautious, cautious"]


@pytest.mark.parametrize(
    ("options", "trigger"),
    [
        (("--mode", "push"), "trigger ← ⊞^0 ◇ striple(S, P, O, G)."),
        (("--mode", "push", "--trigger", "query-streams"), f"trigger ← ⊞^0 ◇ striple(S, P, O, <{E}door>)."),
        (("--mode", "pull"), "trigger ← ⊞^0 @_T true, T mod 3 = 0."),
        (("--mode", "pull", "--period", "7"), "trigger ← ⊞^0 @_T true, T mod 7 = 0."),
        (("--mode", "pull", "--unit", "500ms"), "trigger ← ⊞^0 @_T true, T mod 6 = 0."),
    ],
)
def test_the_mode_adds_its_trigger_to_every_rule(options, trigger):
    *rules, last = lars("translate", SLIDE / "query.csparql.rq", *options).out.splitlines()
    assert last == trigger
    assert all(rule.endswith(", trigger.") for rule in rules)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("agree --period 3 --period=4", "cannot combine --period 3 and --period 4; use one of them"),
        ("agree --on a --on 'b c'", "cannot combine --on a and --on 'b c'; use one of them"),
        (
            "compare csparql cqels --times --no-times",
            "cannot combine --times and --no-times; use one of them",
        ),
    ],
)
def test_an_option_with_two_values_is_an_error_because_one_would_be_ignored(words, problem):
    command, *more = shlex.split(words)
    ran = lars(command, *more, SLIDE)
    assert (ran.code, ran.out, ran.err) == (2, "", f"lars: {problem}\n")


def test_an_option_may_be_repeated_with_the_same_value():
    once, twice = (lars("agree", SLIDE, *["--period", "3", "--json"] * n) for n in (1, 2))
    assert (twice.code, twice.out) == (once.code, once.out)


def test_without_a_mode_there_is_no_trigger():
    assert "trigger" not in lars("translate", SLIDE / "query.csparql.rq").out


@pytest.mark.parametrize(
    ("options", "window"),
    [
        ((), "⊞^{3,0,3} ◇"),
        (("--unit", "1ms"), "⊞^{3000,0,3000} ◇"),
        (("--bounds", "high-open"), "⊞^{3,0,3 high-open} ◇"),
    ],
)
def test_the_unit_and_the_bounds_decide_the_window(options, window):
    assert window in lars("translate", SLIDE / "query.csparql.rq", *options).out


# solve


def test_a_cqels_query_is_pushed_and_answers_where_input_arrives():
    ran = solve(COUPONS / "query.cqels.rq", *SCENE)
    assert [(one["t"], [b(row) for row in one["rows"]]) for one in ran.lines] == [
        (10, []),
        (15, []),
        (18, [B]),
    ]


def test_a_csparql_query_is_pulled_at_the_multiples_of_its_period():
    ran = solve(COUPONS / "query.csparql.rq", *SCENE, "--period", "4", "--to", "24")
    assert [one["t"] for one in ran.lines] == list(range(0, 25, 4))
    assert [one["t"] for one in ran.lines if one["rows"]] == [20]


def test_either_language_can_be_run_in_either_mode():
    pulled = solve(COUPONS / "query.cqels.rq", *SCENE, "--mode", "pull", "--period", "1", "--to", "30")
    pushed = solve(COUPONS / "query.csparql.rq", *SCENE, "--mode", "push")
    assert [one["t"] for one in pulled.lines if one["rows"]] == list(range(18, 24))
    assert [one["t"] for one in pushed.lines if one["rows"]] == [18]


@pytest.mark.parametrize(("first", "last"), [(16, 24), (0, 0), (20, 20), (18, 50)])
def test_from_and_to_are_the_first_and_last_time_shown(first, last):
    options = ("--period", "1", "--from", first, "--to", last)
    ran = solve(COUPONS / "query.csparql.rq", *SCENE, *options)
    assert [one["t"] for one in ran.lines] == list(range(first, last + 1))
    assert [one["t"] for one in ran.lines if one["rows"]] == [
        t for t in range(first, last + 1) if 18 <= t <= 23
    ]


def test_the_text_has_the_variables_and_a_dash_for_nothing():
    ran = lars("solve", COUPONS / "query.cqels.rq", *SCENE, "--in-process")
    assert ran.out == "t: (?percent, ?product, ?shop)\n10: -\n15: -\n18: (25, rayban, b)\n"


def test_a_program_prints_its_answer_streams_at_every_time_point(tmp_path):
    program = tmp_path / "near.lars"
    program.write_text(f"in(?X) ← ⊞^1 ◇ striple(?X, <{E}entered>, ?O, ?S).", encoding="utf-8")
    ran = solve(program, SLIDE / "door.trig", "--to", "3")
    streams = [[], [f"in(<{E}ann>)"], [f"in(<{E}ann>)"], []]
    assert ran.lines == [{"t": t, "answer_streams": [stream]} for t, stream in enumerate(streams)]


def test_a_program_may_have_no_answer_stream_or_several(tmp_path):
    program = tmp_path / "choice.lars"
    program.write_text("a ← ⊞^0 ◇ striple(S, P, O, G), not b. b ← ⊞^0 ◇ striple(S, P, O, G), not a.")
    streams = solve(program, SLIDE / "door.trig").lines[1]["answer_streams"]
    assert streams == [["a"], ["b"]]
    program.write_text("p ← ⊞^0 ◇ striple(S, P, O, G), not p.")
    ran = lars("solve", program, SLIDE / "door.trig", "--in-process")
    assert ran.out == "0: {}\n1: no answer stream\n"


# agree


def test_queries_and_traces_in_the_place_of_a_folder_give_the_same_periods():
    queries = (SLIDE / "query.csparql.rq", SLIDE / "query.cqels.rq")
    listed = agree(*queries, SLIDE / "door.trig", "--to", "9")
    assert (listed.code, listed.json["periods"]) == (1, agree(SLIDE).json["periods"])
    assert agree(*reversed(queries), SLIDE / "door.trig", "--to", "9") == listed


def test_one_query_gets_the_other_derived():
    from_csparql = agree(MINUS / "query.csparql.rq", MINUS / "orders.trig", *PERIODS)
    from_cqels = agree(MINUS / "query.cqels.rq", MINUS / "orders.trig", *PERIODS)
    assert from_csparql.json["variant"] == "brave, brave"
    assert from_cqels.json["variant"] == "given"
    assert from_csparql.json["periods"] == from_cqels.json["periods"]


def test_files_of_streams_static_data_and_unit_can_be_options():
    queries = (COUPONS / "query.csparql.rq", COUPONS / "query.cqels.rq")
    ran = agree(*queries, *SCENE, "--period", "5,8", "--to", "50")
    assert ran.json["periods"] == agree(COUPONS, "--period", "5,8").json["periods"]


def test_without_its_static_data_the_coupon_query_has_no_answer():
    ran = agree(COUPONS / "query.csparql.rq", *TRACE, "--unit", "1min", "--period", "5", "--to", "50")
    assert not any(i["push"] or i["pull"] for i in ran.json["periods"][0]["intervals"])


def test_the_experiment_file_may_be_named_itself():
    assert agree(SLIDE / "experiment.toml") == agree(SLIDE)


def test_options_come_before_the_experiment_file():
    ran = agree(SLIDE, "--period", "1", "--from", "2", "--to", "5", "--bounds", "low-open")
    (period,) = ran.json["periods"]
    assert (ran.json["bounds"], period["period"]) == ("low-open", 1)
    assert [(one["from"], one["to"]) for one in period["intervals"]] == [(1, 2), (2, 3), (3, 4), (4, 5)]


def test_the_schema_is_printed_without_any_input():
    ran = lars("agree", "--schema")
    assert (ran.code, ran.err, ran.json) == (0, "", schema())


# output


def test_warnings_go_to_standard_error_and_json_stays_one_document():
    ran = agree(SLIDE)
    assert ran.err.startswith("warning: W2")
    assert ran.json["warnings"] == [line.removeprefix("warning: ") for line in ran.err.splitlines()]


def test_a_pipe_gets_no_escape_codes_and_a_row_in_one_line():
    ran = in_shell("agree", SLIDE, "--in-process", TERM="xterm-256color")
    assert ran.returncode == 1
    assert b"\x1b" not in ran.stdout + ran.stderr
    assert "hidden by the pivot │ 1: ann entered hall" in ran.stdout.decode()


def words(text):
    """Return how often each word stands in what is printed, whatever the tables look like."""
    return Counter(re.sub(r"[\u2500-\u257f·:]", " ", text).split())


@pytest.mark.parametrize(
    "command",
    [
        ("agree", COUPONS, "--period", "8", "--in-process"),
        ("compare", "cqels", "cqels-1.x", MET / "query.cqels.rq", MET / "doors.nq"),
    ],
)
def test_columns_are_respected_in_a_pipe_and_nothing_is_lost(command, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = lars(*command)
    monkeypatch.setenv("COLUMNS", "70")
    narrow = lars(*command)
    rows = [line for line in narrow.out.splitlines() if "│" in line or line[:2] == "  "]
    assert max(map(len, rows)) <= 70
    assert "…" not in wide.out + narrow.out
    assert words(wide.out) - words(narrow.out) == Counter()


def test_quiet_leaves_the_result_and_errors_alone():
    loud, quiet = agree(SLIDE), agree(SLIDE, "--quiet")
    assert loud.err
    assert quiet == loud._replace(err="")
    assert agree(SLIDE, "-q") == quiet
    assert lars("agree", "none", "-q") == lars("agree", "none")
    assert agree(SLIDE) == loud


def test_a_pipe_gets_utf_8_whatever_the_locale():
    ran = in_shell("translate", SLIDE / "query.cqels.rq", PYTHONIOENCODING="latin-1")
    assert (ran.returncode, ran.stdout.decode().count("⊞")) == (0, 1)


def test_a_reader_that_goes_away_gets_no_traceback():
    command = (
        f"'{sys.executable}' -c 'from agreement.cli.__main__ import main; main()' agree --schema | head -c 1"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, shell=True, env=environment, capture_output=True, check=False)
    assert (ran.stdout, ran.stderr) == (b"{", b"")


# files


LINES = f'<{E}a> <{E}p> <{E}b> <{E}s> "1" .\nnonsense here\n<{E}c> <{E}p> <{E}d> <{E}s> "2" .\n'
QUERY = f"SELECT ?x WHERE {{ STREAM <{E}s> [RANGE 5s] {{ ?x <{E}p> ?y }} }}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.nq").write_text(LINES)
    (tmp_path / "q.rq").write_text(QUERY)
    return tmp_path


def test_skipped_lines_are_counted_and_kept(folder):
    kept = folder / "kept.txt"
    ran = solve(folder / "q.rq", folder / "t.nq", "--on-error", "skip", "--rejected", kept)
    assert [one["t"] for one in ran.lines] == [1, 2]
    skipped = f"warning: skipped 1 invalid line or element and wrote it to {kept}"
    assert ran.err.splitlines()[0] == skipped
    assert kept.read_text().splitlines()[2] == "nonsense here"


def test_an_error_leaves_no_file_behind(folder):
    before = sorted(folder.iterdir())
    late = folder / "t.nq"
    late.write_text(LINES + f'<{E}a> <{E}p> <{E}b> <{E}s> "1" .\n')
    ran = solve(folder / "q.rq", late, "--on-error", "skip", "--rejected", folder / "kept.txt")
    assert (ran.code, ran.out) == (2, "")
    assert sorted(folder.iterdir()) == before


def test_an_error_does_not_touch_the_file_of_an_earlier_run(folder):
    kept = folder / "kept.txt"
    kept.write_text("from before")
    ran = solve(folder / "q.rq", folder / "t.nq", "--rejected", kept)
    assert (ran.code, kept.read_text()) == (2, "from before")


def test_an_error_of_a_spark_task_is_one_message(folder, spark):
    rule = "a(Y) ← ⊞^0 @_T striple(S, P, O, G), Y = T * 2000000000."
    (folder / "p.lars").write_text(rule, encoding="utf-8")
    stream = f"http://example.org/door={SLIDE / 'door.trig'}"
    ran = lars(
        "solve", folder / "p.lars", "--stream", stream, "--master", "local[2]", "--evaluator", "clingo"
    )
    assert (ran.code, ran.out) == (2, "")
    first, *shown = ran.err.splitlines()
    assert first.endswith("expected operands and products from -1073741824 to 1073741824")
    assert shown == [f"  {rule}", "  ^"]
