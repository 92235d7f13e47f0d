"""`lars hunt` as a command: what it writes, how it ends, what broken adapters do to it."""

import json
import re
import shlex
import sys
from time import monotonic
from types import SimpleNamespace

import pytest

from agreement import api
from agreement.documents.recordings import Push
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import answers_of, open_message
from agreement.engines.specifications import builtin
from agreement.proving.hunting import Fault, Hunt, HuntedRun, HuntLimits, RunVerdict, reference
from agreement.proving.hunting.explanation import Explanation
from agreement.proving.hunting.hunted_queries import hunted_query
from agreement.results.files import hunts
from agreement.results.renderings.hunt_report import _first, _run_content, judge_command
from agreement.results.renderings.pages.page import program_version
from lars.errors import FailedRunError, LarsError
from tests.agreement.command import lars
from tests.agreement.engines.adapters.streams import in_units, rspql
from tests.agreement.proving.hunting.toy_process import Toy
from tests.packs import ROOT

pytestmark = pytest.mark.usefixtures("warm_engines")
SERVED = f"{sys.executable} -m agreement.cli serve-engine"
BROKEN = f"{sys.executable} {ROOT / 'tests/agreement/engines/adapters/broken.py'}"


FEW = ("--faults", "1", "--runs", "40", "--time-limit", "4m", "-q")


@pytest.fixture(scope="module")
def mutant(tmp_path_factory):
    """Return the command of an adapter whose windows contain both ends."""
    path = tmp_path_factory.mktemp("mutant") / "mutant.toml"
    path.write_text(
        'name = "mutant"\nreport = ["window-close", "non-empty"]\nbounds = "closed"\nempty = "silent"\n'
    )
    return f"{SERVED} {path}"


@pytest.fixture(scope="module")
def hunted(mutant, tmp_path_factory):
    """Return the folder of a hunt on it, its page, and what was printed."""
    out = tmp_path_factory.mktemp("hunted")
    asked = ("hunt", "--adapter", mutant, *FEW, "--engine", "rspql")
    return (
        out / "faults",
        out / "page.html",
        lars(*asked, "--out", out / "faults", "--report", out / "page.html"),
    )


def test_a_fault_has_a_folder_whose_case_is_judged_the_same(hunted):
    out, _, ran = hunted
    assert (ran.code, ran.err) == (1, "")
    assert "if your engine behaves so by design, set bounds in a specification" in ran.out
    said = re.search(
        r"1 fault, (\d+) runs of 38 queries \((\d+) of them test causes\), (\d+) judged; ", ran.out
    )
    runs, tests, judged = map(int, said.groups())
    assert (runs - tests, runs - judged >= 0) == (40, True)
    found = json.loads((hunted[0] / "hunt.json").read_text())
    assert (found["runs"], found["judged"]) == (runs, judged)
    assert sum(fault["runs"] for fault in found["faults"]) <= found["wrong"] <= judged
    assert " to minimize and repeat faults" in ran.out
    assert "bounds = closed" in ran.out
    (folder,) = (one for one in out.iterdir() if one.is_dir())
    assert {one.name for one in folder.iterdir()} == {"case.json", "README.md", "page.html"}
    assert lars("judge", folder / "case.json", "--engine", "rspql").code == 1
    assert len(json.loads((folder / "case.json").read_text())["stream"]) <= 5
    said = (folder / "README.md").read_text()
    times, runs = map(int, re.search(r"occurs in (\d+) of (\d+) judged runs?", said).groups())
    assert 0 < times <= runs
    assert "bounds = closed" in said
    assert "lars judge case.json --engine rspql" in said
    assert "bounds = low-open" in said
    assert f"- version: lars {program_version()}" in said
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert '<pre class="query">' in page
    assert f'<tr><th scope="row">version</th><td>lars {program_version()}</td></tr>' in page
    assert '<tr><th scope="row">command</th><td>lars ' in page
    (fault,) = json.loads((out / "hunt.json").read_text())["faults"]
    assert (fault["folder"], fault["repeated"]) == (folder.name, True)


def test_the_stream_of_a_fault_in_junit_has_terms_and_streams_and_rows_in_json_have_variables(mutant):
    found = api.hunt(adapter=mutant, engine="rspql", faults=1, runs=40, time_limit="4m")
    (case,), (fault,) = found.cases(), found.to_json()["faults"]
    assert case.text.splitlines() == [
        f"{one['t']:g}: {one['triple'][:-2]} (stream <{one['stream']}>)" for one in fault["stream"]
    ]
    rows = [row for place in fault["places"] for row in (*place["right"], *place["came"])]
    assert {len(row) for row in rows} == {len(fault["variables"])}
    assert {f"?{name}" for name in fault["variables"]} <= set(re.findall(r"[?]\w+", fault["query"]))


def test_a_page_counts_failed_runs_apart_from_runs_that_cannot_be_judged():
    limits, engine = HuntLimits(1), SimpleNamespace(name="adapter")
    hunt = Hunt(engine, (), reference("rspql", builtin("rspql"), JudgeOptions()), limits)
    hunt.failures += [(None, "boom"), (None, "no rows"), (None, "no time")]
    hunt.failed.append((None, "boom"))
    ran = dict(_run_content(hunt)["ran"])
    assert ran["runs in which the engine failed"] == "1; reason for the first: boom"
    assert ran["runs that cannot be judged"] == "2; reason for the first: no rows"


def test_a_page_counts_all_that_it_leaves_out():
    texts = list(map(str, range(102)))
    assert _first(texts) == [*texts[:100], "… and 2 more"]
    assert _first(texts[:100]) == texts[:100]


def test_the_commands_of_a_fault_can_be_copied_where_paths_have_blanks(mutant, tmp_path):
    out, reference = tmp_path / "faults", tmp_path / "my specs" / "right one.toml"
    reference.parent.mkdir()
    reference.write_text('name = "right"\nreport = ["window-close", "non-empty"]\nempty = "silent"\n')
    assert lars("hunt", "--adapter", mutant, "--out", out, *FEW, "--engine", reference).code == 1
    (folder,) = (one for one in out.iterdir() if one.is_dir())
    text = (folder / "README.md").read_text()
    judge, record, again = (shlex.split(line) for line in text.splitlines() if line.startswith("lars "))
    assert judge == ["lars", "judge", "case.json", "--engine", str(reference)]
    case = str(folder / "case.json")
    assert record == ["lars", "record", case, "--adapter", mutant, "--out", "again.json"]
    assert again == ["lars", "judge", "again.json", "--engine", str(reference)]
    assert "In the folder in which `lars hunt` was run, run the engine again on the case, and judge" in text


@pytest.mark.parametrize(("fault", "options"), [("open-at-end", ()), ("row-short", ("--t0", "0"))])
def test_the_commands_of_a_fault_give_the_verdict_of_the_hunt_until_the_engine_is_mended(
    fault, options, tmp_path, monkeypatch
):
    """A window of 4 that slides by 2 first closes at 4: what comes at 2 is no report of a right engine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(rspql(4, 2))
    adapter = ("--adapter", f"{TOY} {fault}")
    assert lars("hunt", "q.rq", *adapter, *FEW, *options, "--out", "faults").code == 1
    (text,) = (path.read_text() for path in (tmp_path / "faults").glob("*/README.md"))
    _, record, judge = (shlex.split(line) for line in text.splitlines() if line.startswith("lars "))
    assert [lars(*command[1:]).code for command in (record, judge)] == [0, 1]
    mended = [word.replace(f"toy_engine.py {fault}", "toy_engine.py right") for word in record]
    assert [lars(*command[1:]).code for command in (mended, judge)] == [0, 0]


@pytest.mark.parametrize(
    ("times", "t0", "added"), [((4, 8), 2, True), ((4, 8), 0, False), ((1, 8), 2, False)]
)
def test_the_printed_t0_counts_the_unit_of_the_hunt(times, t0, added, tmp_path, monkeypatch):
    """A stream and windows of multiples of 4 ms have a longer unit, in which t0 = 2 is another time."""
    monkeypatch.chdir(tmp_path)
    query = hunted_query("q", open_message(rspql(8, 4)))
    assert query.tick == 1
    triple = ("<http://e/s>", "<http://e/p>", "<http://e/a>")
    pushes = tuple(Push(float(t), "<http://e/S>", triple) for t in times)
    hunt = SimpleNamespace(reference=reference("rspql", builtin("rspql"), JudgeOptions(t0=(t0,))))
    command = judge_command(hunt, SimpleNamespace(run=SimpleNamespace(query=query, pushes=pushes)))
    assert command == f"lars judge case.json --engine rspql --t0 {t0}{' --unit 1ms' if added else ''}"
    reports = [{"trigger": 1, "t": 7, "rows": []}]
    stream = [{"t": t, "stream": "http://e/S", "triple": f"{' '.join(triple)} ."} for t in (*times, 16, 24)]
    case = {
        "id": "c",
        "engine": "e",
        "mode": "adapter",
        "family": "f",
        "query": rspql(8, 4),
        "dialect": "rspql",
    }
    (tmp_path / "case.json").write_text(json.dumps({**case, "stream": stream, "output": reports}))
    told = lars(*shlex.split(command)[1:])
    # From t0 on, the windows of 8 ms.
    assert re.search(rf"│ +{t0} │ +{2 if times == (4, 8) and not added else t0 + 8} │", told.out)
    other = lars("judge", "case.json", "--engine", "rspql", "--unit", "3ms")
    assert (other.code, "--unit 3ms: does not divide the times and windows of the case" in other.err) == (
        2,
        True,
    )


def test_a_page_of_all_faults_lists_each_with_its_stream_and_the_commands_to_repeat_it(hunted):
    out, page, _ = hunted
    text = page.read_text(encoding="utf-8")
    (fault,) = json.loads((out / "hunt.json").read_text())["faults"]
    for said in (
        "Does mutant give the answers of rspql?",
        "1 fault in ",
        '<a href="#fault-1">1. bounds = closed</a>',
        "<h3>The smallest stream, in the order of arrival</h3>",
        "lars judge case.json --engine rspql",
        "a report of a window without a triple",
        "<code>" + fault["folder"] + "</code>",
        "How this report was made",
    ):
        assert said in text
    assert len(text) < 1_000_000
    assert f'href="{fault["folder"]}/page.html"' in (out / "page.html").read_text(encoding="utf-8")


def test_a_page_without_a_fault_says_that_this_proves_nothing(tmp_path):
    page = tmp_path / "page.html"
    assert lars("hunt", "--adapter", f"{SERVED} rspql", "--runs", "20", "--report", page).code == 0

    assert "No fault was found in 20 runs, " in page.read_text(encoding="utf-8")

    assert "This does not prove that the engine is correct." in page.read_text(encoding="utf-8")


def test_the_right_engine_ends_with_0(tmp_path):
    ran = lars("hunt", "--adapter", f"{SERVED} rspql", "--runs", "60", "-q", "--out", tmp_path / "none")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("rspql against rspql: no fault, 60 runs of 38 queries")
    assert "No fault was found." in (tmp_path / "none/README.md").read_text()


def test_a_query_that_is_given_is_the_only_one(mutant, tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(
        "PREFIX : <http://e/>\nREGISTER RStream <out> AS SELECT ?x FROM NAMED WINDOW :w ON STREAM :S "
        "[RANGE 6 STEP 3] WHERE { WINDOW :w { ?x :in :room } }"
    )
    found = api.hunt(query, adapter=mutant, faults=1, runs=30)
    assert found.to_json()["queries"] == [str(query)]
    assert [one.sentence for one in found.faults] == ["bounds = closed"]


def test_a_slow_engine_has_several_runs_of_few_queries(tmp_path):
    """Opening all queries would take all the time; the queries that are left out have one line."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import subprocess, sys, time\n"
        f"engine = subprocess.Popen({shlex.split(TOY)!r}, text=True, bufsize=1,\n"
        "    stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "for line in sys.stdin:\n"
        "    time.sleep(0.1)\n"
        "    engine.stdin.write(line)\n"
        "    print(engine.stdout.readline(), end='', flush=True)\n"
    )
    ran = lars("hunt", "--adapter", f"{sys.executable} {slow}", "--time-limit", "12s", "-q")
    runs, queries = map(int, re.search(r"no fault, (\d+) runs of (\d+) quer", ran.out).groups())
    assert runs > queries
    (line,) = (one for one in ran.out.splitlines() if one.startswith("queries not run: "))
    assert "minus, minus-apart, average" in line


def test_a_folder_of_somebody_else_stays(mutant, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    ran = lars("hunt", "--adapter", mutant, "--out", tmp_path)
    assert ran.code == 2
    assert "use a new or empty folder" in ran.err
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["silent", "no-such-program"])
def test_an_adapter_that_breaks_is_one_message(kind):
    command = f"{BROKEN} {kind}" if kind == "silent" else "/no/such/program"
    ran = lars("hunt", "--adapter", command, "--silence", "0.5", "--time-limit", "5s")
    assert ran.code in (2, 3)
    assert len(ran.err.strip().splitlines()) <= 2


def test_what_is_said_wrongly_is_refused():
    for keywords in ({"time_limit": "0s"}, {"engine": "none"}, {"static": "x.ttl"}, {"adapter": ""}):
        with pytest.raises(LarsError, match=r"accepted|expected|requires|missing"):
            api.hunt(**{"adapter": "false", **keywords})


def test_a_delay_that_is_no_float_is_refused_by_its_name():
    with pytest.raises(LarsError, match=r"^late"):
        api.hunt(adapter="false", late=10**400)


TOY = f"{sys.executable} {ROOT / 'tests/agreement/proving/hunting/toy_engine.py'}"


def test_an_engine_that_never_reports_is_one_fault_with_that_name():
    found = api.hunt(adapter=f"{TOY} mute", runs=60)
    assert [one.sentence for one in found.faults] == ["it never reports anything"]
    assert found.ending[0] == 1


def test_queries_that_an_engine_version_cannot_run_are_named_and_the_others_are_hunted():
    found = api.hunt(adapter=f"{SERVED} rspql", engine="yasper-csparql", runs=40, faults=1)
    assert {"count", "total"} <= {name for name, _ in found.refusals}
    assert all("yasper-csparql cannot run it" in why for _, why in found.refusals)
    assert found.to_json()["judged"] > 10


def test_a_hunt_ends_in_its_time_where_each_run_needs_a_process_of_its_own(tmp_path):
    stale = tmp_path / "stale.py"
    stale.write_text(
        (ROOT / "tests/agreement/proving/hunting/toy_engine.py")
        .read_text()
        .replace('"flushes": True', '"flushes": True, "fresh": False')
    )
    start = monotonic()
    api.hunt(adapter=f"{sys.executable} {stale} open", time_limit=5)
    assert monotonic() - start < 30  # a machine that others share starts processes slowly


@pytest.mark.parametrize(("name", "unit"), [("10ms", 10), ("1s", 1000), ("1500000ns", 1.5)])
def test_a_right_engine_with_another_time_unit_is_hunted_in_whole_units(name, unit, tmp_path):
    adapter = in_units(tmp_path / "engine.py", f"{SERVED} rspql", name, unit)
    found = api.hunt(adapter=adapter, runs=40, engine="rspql")
    assert (found.faults, found.refusals, found.to_json()["judged"] > 30) == ((), (), True)


def test_a_query_whose_windows_are_no_whole_units_of_the_engine_is_refused_by_its_name(tmp_path):
    adapter = in_units(tmp_path / "toy.py", f"{TOY} open", "10ms", 10)
    (tmp_path / "q.rq").write_text(
        "PREFIX : <http://e/>\nREGISTER RStream <out> AS SELECT ?x FROM NAMED WINDOW :w ON STREAM :S "
        "[RANGE 6 STEP 3] WHERE { WINDOW :w { ?x :in :room } }"
    )
    says = "q.rq: the windows are not multiples of the adapter's time_unit, 10ms; use a RANGE and STEP"
    with pytest.raises(LarsError, match=says):
        api.hunt(tmp_path / "q.rq", adapter=adapter, runs=10)
    (tmp_path / "q.rq").write_text((tmp_path / "q.rq").read_text().replace("6 STEP 3", "60 STEP 30"))
    assert api.hunt(tmp_path / "q.rq", adapter=adapter, runs=10).to_json()["judged"] > 5


def test_queries_are_written_as_both_the_engine_and_what_judges_it_take_them():
    """The specification takes RANGE 4 and RANGE PT4S, the engine version only the latter."""
    found = api.hunt(adapter=f"{SERVED} rspql", engine="yasper-rsp4j-1.0.1", runs=20, faults=1)
    assert found.to_json()["judged"] > 5
    assert "RANGE PT" in found.faults[0].run.query.registration.query


WRAPPED = """import subprocess, sys, time
engine = subprocess.Popen({toy!r}, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
counts, pushes = False, 0
for line in sys.stdin:
    op = line.split('"')[3]
    counts, pushes = ("COUNT(" in line, 0) if op == "open" else (counts, pushes + (op == "push"))
    if {when}:
        {fails}
    engine.stdin.write(line)
    print(engine.stdout.readline(), end="", flush=True)
"""


def failing(path, when, fails="sys.exit('boom in join')"):
    """Return the command of a right adapter that fails if a condition holds."""
    path.write_text(WRAPPED.format(toy=shlex.split(f"{TOY} right"), when=when, fails=fails))
    return f"{sys.executable} {path}"


@pytest.mark.parametrize(
    ("when", "triples"), [('counts and op == "push" and pushes >= 3', 3), ('counts and op == "close"', 0)]
)
def test_an_engine_that_fails_in_some_runs_has_a_fault_with_the_smallest_failing_run(when, triples, tmp_path):
    adapter = failing(tmp_path / "engine.py", when)
    out, junit, page = tmp_path / "out", tmp_path / "junit.xml", tmp_path / "page.html"
    files = ("--out", out, "--junit", junit, "--report", page)
    ran = lars("hunt", "--adapter", adapter, "--runs", "60", "--time-limit", "4m", "-q", *files)
    found = json.loads((out / "hunt.json").read_text())
    assert ran.code == 1
    first = f"toy-1.0 against rspql: the engine fails in {found['failed']} runs; 1 fault, "
    assert (ran.out.startswith(first), found["failed"] >= 2) == (True, True)
    (fault,) = found["faults"]
    assert (len(fault["stream"]), fault["runs"], fault["repeated"]) == (triples, found["failed"], True)
    assert re.match("the adapter .*boom in join", fault["failure"])
    assert "COUNT(" in fault["query"]
    assert found["wrong"] == 0 < found["judged"]
    assert '<failure message="the engine fails: the adapter ' in junit.read_text()
    assert "The engine fails in " in page.read_text(encoding="utf-8")
    assert "No fault was found" not in (out / "README.md").read_text()
    text = (out / fault["folder"] / "README.md").read_text()
    (record,) = (shlex.split(line) for line in text.splitlines() if line.startswith("lars "))
    again = lars("record", out / fault["folder"] / "case.json", *record[3:])
    assert (again.code, "boom in join" in again.err) == (3, True)


def test_an_engine_that_does_not_reply_in_some_runs_has_a_fault(tmp_path):
    adapter = failing(tmp_path / "engine.py", 'counts and op == "push" and pushes >= 2', "time.sleep(9999)")
    found = api.hunt(adapter=adapter, runs=40, silence=0.5, time_limit="4m")
    (fault,) = found.faults
    assert "0.5 s" in fault.failure
    assert (found.ending[0], len(fault.run.pushes), fault.repeated) == (1, 2, True)


def test_an_engine_that_fails_on_the_stream_that_tries_a_notation_has_a_fault(tmp_path):
    """That stream has a triple at each time, so that an engine which fails after 5 triples fails at once."""
    adapter = failing(tmp_path / "engine.py", 'op == "push" and pushes > 5')
    found = api.hunt(adapter=adapter, runs=12, time_limit="4m")
    (fault,) = found.faults
    assert "boom" in fault.failure
    assert len(fault.run.pushes) == 6


def test_an_engine_that_fails_and_is_wrong_has_both_faults_and_the_failure_is_first(tmp_path):
    adapter = failing(tmp_path / "engine.py", 'counts and op == "push" and pushes >= 3')
    adapter_text = (tmp_path / "engine.py").read_text().replace("'right'", "'row-short'")
    (tmp_path / "engine.py").write_text(adapter_text)
    first, *others = api.hunt(adapter=adapter, runs=60, time_limit="4m").faults
    assert first.failure is not None
    assert [one.failure for one in others] == [None] * len(others) != []


def test_an_engine_that_fails_in_each_run_is_not_judged(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(rspql(4, 2))
    adapter = failing(tmp_path / "engine.py", 'op == "push"')
    says = r"nothing was judged in \d+ runs, and the engine fails in 5 of them: .*q\.rq: the adapter .*boom"
    with pytest.raises(FailedRunError, match=says):
        api.hunt(query, adapter=adapter, runs=20)


def answered(engine, **options):
    """Return the run of an engine with windows of 4 ms, and a triple at each time from 1 to 12."""
    query = hunted_query("q", open_message(rspql(4, 4)))
    pushes = tuple(Push(float(t), *query.letters[0]) for t in range(1, 13))
    opened = query.registration.model_copy(update={"options": options})
    return HuntedRun(query, pushes, answers_of(engine, opened, pushes))


def test_a_run_that_is_right_for_another_t0_than_causes_are_tried_with_is_not_wrong():
    asked = reference("rspql", builtin("rspql"), JudgeOptions(late=0))
    run = answered(BuiltInEngine(builtin("rspql")), t0=1)
    assert (asked.verdict(run).correct, asked.at_zero.verdict(run).correct) == (True, False)
    hunt = SimpleNamespace(reference=asked, judged_runs=0, wrong_runs=0)
    tried = SimpleNamespace(hunt=hunt, judge=asked.at_zero, followed=None, wrong=[], right=[])
    Explanation._add_experiment(tried, run)
    assert (hunt.wrong_runs, tried.wrong, tried.right) == (0, [], [])
    Explanation._add_experiment(tried, answered(Toy("row-short")))
    assert (hunt.wrong_runs, len(tried.wrong)) == (1, 1)


@pytest.mark.parametrize(("engine", "left"), [("right", 3), ("mute", 0)])
def test_a_fault_whose_case_is_right_by_the_printed_command_is_no_fault(engine, left):
    asked = reference("rspql", builtin("rspql"), JudgeOptions(t0=(0,), bounds="low-open"))
    fault = Fault(answered(Toy(engine)), RunVerdict(False), 1.0, times=3)
    hunt = SimpleNamespace(reference=asked, faults=[fault], left=0)
    hunts._remove_right(hunt)
    assert (hunt.faults, hunt.left) == ([] if left else [fault], left)
    assert judge_command(hunt, fault) == "lars judge case.json --engine rspql --t0 0 --bounds low-open"
