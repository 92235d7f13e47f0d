"""What a call gives back: what the command prints, as values, JSON, tables and text; errors with places."""

import json
import re
from dataclasses import FrozenInstanceError, replace

import pytest

from agreement import api
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.packs import ROOT, SAMPLES

COUPONS = SAMPLES / "coupons"
DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")
MET = SAMPLES / "judged" / "met"
ANSWERS = {"answers": MET / "answers.cqels.ndjson", "answers_unit": "1ms"}
MINUS = SAMPLES / "minus"
QUERIES = (SAMPLES / "slide" / "query.cqels.rq", SAMPLES / "slide" / "query.cqels.rq")
MILLISECONDS = ("--answers-unit", "1ms")
CALLS = {
    "agree": (
        lambda: api.agree(COUPONS, period="4..8"),
        ("agree", COUPONS, "--period", "4..8"),
    ),
    "judge": (
        lambda: api.judge(MET / "query.cqels.rq", MET / "doors.nq", **ANSWERS),
        ("judge", MET / "query.cqels.rq", MET / "doors.nq", "--answers", ANSWERS["answers"], *MILLISECONDS),
    ),
    "compare": (
        lambda: api.compare("cqels", "cqels-1.x", MET / "query.cqels.rq", MET / "doors.nq"),
        ("compare", "cqels", "cqels-1.x", MET / "query.cqels.rq", MET / "doors.nq"),
    ),
    "explain": (
        lambda: api.explain(COUPONS, atom="ans(25,rayban,b)", at=18),
        ("explain", COUPONS, "--at", 18, "ans(25,rayban,b)"),
    ),
    "phase": (
        lambda: api.phase(COUPONS, period="7,8", length="1..9"),
        ("phase", COUPONS, "--period", "7,8", "--length", "1..9"),
    ),
    "witness": (
        lambda: api.witness(MINUS, cause="blocked-later"),
        ("witness", MINUS, "--cause", "blocked-later"),
    ),
    "shrink": (lambda: api.shrink(MINUS), ("shrink", MINUS)),
    "decide": (lambda: api.decide(MINUS, period="1..3"), ("decide", MINUS, "--period", "1..3")),
    "contained": (
        lambda: api.contained(*QUERIES, equivalent=True),
        ("decide", *QUERIES, "--equivalent"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_the_command_prints_and_prints_nothing(name, capfd):
    call, words = CALLS[name]
    found = call()
    assert capfd.readouterr() == ("", "")
    assert found.to_json() == lars(*words, "--json").json
    shown = lars(*words)
    # A result of Python contains calls in place of commands.
    texts = ([line.rstrip() for line in text.splitlines()] for text in (found.text, shown.out))
    calls, commands = ([line for line in text if not re.match(r"api\.|lars ", line)] for text in texts)
    assert calls == commands


def test_answers_are_those_of_the_command():
    found = api.solve(*DOOR, to=3)
    ran = lars("solve", *DOOR, "--to", 3, "--json")
    assert found.to_json()["answers"] == ran.lines
    assert found.text == lars("solve", *DOOR, "--to", 3).out.rstrip("\n")


def test_a_program_is_that_of_the_command():
    query = COUPONS / "query.cqels.rq"
    found = api.translate(query, mode="push", unit="1min")
    assert found.text == lars("translate", query, "--mode", "push", "--unit", "1min").out.rstrip("\n")
    assert found.rules == tuple(found.lines)
    assert found.to_json() == json.loads(
        lars("translate", query, "--mode", "push", "--unit", "1min", "--format", "json").out
    )


def test_a_query_in_another_language_has_no_rules():
    found = api.translate(COUPONS / "query.cqels.rq", to="csparql", step="1min")
    for asked in (lambda: found.rules, found.tables):
        with pytest.raises(LarsError, match=r"to=: a query in another language has no LARS rules"):
            asked()


@pytest.mark.parametrize("name", CALLS)
def test_the_text_of_a_result_is_whole_in_a_notebook(name, monkeypatch):
    call, _ = CALLS[name]
    outside = call().text
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert call().text == str(call()) == outside


@pytest.mark.parametrize("name", CALLS)
def test_a_page_has_the_warnings_of_its_result(name):
    call, _ = CALLS[name]
    warned = replace(call(), warnings=("it is late",))
    assert "it is late" in warned.page().notes


def test_a_result_does_not_change():
    found = api.agree(COUPONS, period=8)
    with pytest.raises((FrozenInstanceError, AttributeError)):
        found.warnings = ()
    with pytest.raises(FrozenInstanceError):
        found.differences[0].cause = "none"


def test_tables_are_those_of_out(tmp_path):
    found = api.agree(COUPONS, period="4..8")
    lars("agree", COUPONS, "--period", "4..8", "--out", tmp_path / "out")
    for name in ("summary", "causes", "periods", "differences"):
        import pyarrow.parquet as pq

        assert found.to_arrow(name).equals(pq.read_table(tmp_path / "out" / f"{name}.parquet"))
    with pytest.raises(api.LarsError, match="expected summary, causes, periods, differences"):
        found.to_pandas("rows")


def test_a_difference_says_when_and_what_to_ask():
    (one,) = api.agree(COUPONS, period=8).differences
    assert (one.at, one.side, one.cause, [fact.t for fact in one.support]) == (
        18,
        "push",
        "expired before the pull",
        [15, 15, 15, 18],
    )
    assert api.explain(COUPONS, atom=one.atom, at=one.at, period=None).holds


def test_a_difference_of_values_is_explained_by_a_call_that_runs():
    """The files in which lars writes the values are deleted, so a command with their names could not run."""
    query = "SELECT ?one WHERE { STREAM <e:doors> [RANGE 3s] { ?one <e:in> <e:hall> } }"
    trace = '<e:ann> <e:in> <e:hall> <e:doors> "1" .\n<e:bob> <e:in> <e:hall> <e:doors> "4" .\n'
    static = "<e:ann> <e:likes> <e:bob> .\n"
    given = {"period": 3, "to": 9, "prefix": {"e": "http://e/"}}
    for each in (
        api.agree(query, trace, **given, static=static),
        api.agree(query, **given, stream={"e:doors": trace}, static=[static, static]),
    ):
        call = each.text.splitlines()[-1]
        assert call.startswith("api.explain(query, ")
        names = {"api": api, "query": query, "trace": trace, "static": static, "static2": static}
        assert eval(call, names).holds
    text = api.agree(str(SAMPLES / "coupons"), period=8).text
    assert text.splitlines()[-1].startswith("api.explain('")
    assert "--" not in text
    as_graph = api.agree(query, trace, **given, static={"http://e/g": static})
    assert "explain" not in as_graph.text


def test_progress_is_told_and_what_it_raises_ends_the_call():
    told = []
    api.agree(COUPONS, period="1..3", progress=lambda done, total: told.append((done, total)))
    assert told
    with pytest.raises(KeyboardInterrupt):
        api.agree(COUPONS, period=3, progress=_stopping)


@pytest.mark.parametrize("progress", [2.5, "x", [print]])
def test_progress_that_cannot_be_called_is_named(progress):
    with pytest.raises(LarsError, match=r"progress=.*; expected a function with two parameters"):
        api.cite(progress=progress)


def test_progress_moves_and_never_goes_back(tmp_path, monkeypatch):
    monkeypatch.setattr("solver.job.evaluation.ATOMS_AT_ONCE", 2000)
    told = []
    api.generate(tmp_path / "t.csv", stations=20, duration="400s", unit="1s", progress=_kept(told))
    assert len(told) > 5
    query = tmp_path / "q.rq"
    query.write_text("SELECT ?a WHERE { STREAM <http://example.org/observations> [RANGE 3s] { ?a ?p ?b } }")
    told.clear()
    api.agree(query, tmp_path / "t.csv", unit="1s", period=7, in_process=True, progress=_kept(told))
    assert len(told) > 20
    assert told == sorted(set(told))


@pytest.mark.parametrize("name", ["solve", "agree", "shrink", "phase", "translate", "decide", "explain"])
def test_progress_ends_at_its_total(name):
    told, period = [], 8 if name == "shrink" else None
    more = {"atom": "ans(25,rayban,b)", "at": 18} if name == "explain" else {}
    getattr(api, name)(COUPONS, period=period, **more, progress=_kept(told))
    assert told == sorted(told)
    assert told[-1] == 1


def _kept(told):
    return lambda done, total: told.append(done / total)


def _stopping(done, total):
    raise KeyboardInterrupt


def test_warnings_are_part_of_the_result():
    found = api.agree(SAMPLES / "slide", period=3, static=COUPONS / "products.ttl")
    assert found.agree is False
    ran = lars("agree", SAMPLES / "slide", "--period", 3, "--static", COUPONS / "products.ttl")
    assert [f"warning: {one}" for one in found.warnings] == [
        line for line in ran.err.splitlines() if line.startswith("warning")
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: api.agree(COUPONS, bounds="shut"), "bounds='shut': expected closed, low-open, high-open"),
        (lambda: api.agree(COUPONS, period=0), "a period must be at least 1"),
        (lambda: api.agree("nowhere"), "nowhere: no such file or folder"),
        (lambda: api.agree(COUPONS, from_=9, to=3), "no time point"),
        (lambda: api.solve(*DOOR, profile="sparql11"), "cannot combine profile= with a LARS program"),
        (
            lambda: api.judge(MET / "query.cqels.rq", MET / "doors.nq", gracious=True),
            "cannot combine gracious=True with a recorded case",
        ),
        (lambda: api.explain(COUPONS, atom="ans(1", at=3), "is not an atom"),
        (lambda: api.translate(COUPONS / "query.cqels.rq", engine="sql"), "engine='sql': expected csparql"),
        (lambda: api.translate(COUPONS / "query.cqels.rq", format="pdf"), "format='pdf': expected lars"),
    ],
)
def test_wrong_values_are_one_message(call, said):
    with pytest.raises(api.LarsError, match=said):
        call()


def test_a_time_at_which_all_windows_are_after_the_trace_is_a_note(tmp_path):
    query, trace = tmp_path / "q.cqels.rq", tmp_path / "t.nq"
    query.write_text("SELECT ?s { STREAM <urn:s> [RANGE 3s] { ?s <urn:p> ?o } }")
    trace.write_text('<urn:a> <urn:p> "1" <urn:s> "9" .\n')
    for at, noted in ((9, False), (12, False), (13, True), (50, True)):
        notes = api.explain(query, trace, atom="ans1(<urn:a>)", at=at).notes
        said = f"no window at {at} contains an element: the last element of the trace is at 9"
        assert (said in notes) == noted


def test_a_keyword_that_is_not_there_is_a_type_error():
    with pytest.raises(TypeError, match="perod"):
        api.agree(COUPONS, perod=3)


@pytest.mark.parametrize(
    ("function", "keyword", "said"),
    [
        (api.solve, "report", "use the method write_report(FILE) of the result"),
        (api.agree, "figure", "use the method write_figure(FILE) of the result"),
        (api.solve, "figure", "keyword argument 'figure'"),
        (api.cite, "report", "keyword argument 'report'"),
    ],
)
def test_an_option_that_is_a_method_in_python_names_the_method(function, keyword, said):
    with pytest.raises(TypeError) as wrong:
        function(str(COUPONS), **{keyword: "x.html"})
    assert str(wrong.value).endswith(said)


@pytest.mark.parametrize(("name", "key"), [("agree", "periods"), ("decide", "periods"), ("judge", "windows")])
def test_verdicts_have_the_key_of_the_manual_in_json(name, key):
    found = CALLS[name][0]()
    line = f"the key `{key}`"
    assert line in (ROOT / "agreement" / "manual" / "python.md").read_text()
    assert len(found.verdicts) == len(found.to_json()[key])


def test_a_printed_result_begins_with_its_warnings():
    """A script or a notebook cell that prints a result shows what the command shows."""
    found = api.agree(SAMPLES / "slide")
    first, *_ = str(found).splitlines()
    assert first.startswith("warning: W2 (slide under push)")
    assert str(found).endswith(found.text)
    assert "warning: " not in found.text


def test_a_missing_time_is_named_as_the_keyword():
    with pytest.raises(LarsError) as error:
        api.explain(COUPONS, atom="ans(25,rayban,b)")
    assert str(error.value).startswith("at is missing; expected explain(")
    assert "--" not in str(error.value)
    assert "--at TIME is missing" in lars("explain", COUPONS, "ans(25,rayban,b)").err


def test_places_in_a_given_query_have_no_temporary_folder():
    query = "PREFIX e: <http://e/> SELECT ?s { STREAM e:S [RANGE 3s] { ?s e:p ?o } }"
    found = api.decide(query, period=3)
    assert "query.rq:1:" in found.text
    assert "lars-given-" not in f"{found.text}{found.to_json()}"
    phases = api.phase(query, [(1, ("http://e/a", "http://e/p", "http://e/b"))], period=3, length="1..3")
    assert "lars-given-" not in str(phases.page())
