"""Pages as files: one each, which needs nothing else; whatever data say stays text; the data are the JSON."""

import json
import re
import shutil
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape

from agreement import api
from agreement.results.renderings.pages import moving as steps_of_pages
from agreement.results.renderings.pages.clause_links import side_by_side
from agreement.results.renderings.pages.page import html, in_script, provenance, query_texts
from agreement.results.renderings.run_report import _heat, _matrix
from tests.agreement.command import lars
from tests.packs import SAMPLES

MET = SAMPLES / "judged" / "met"
RECORDED = (MET / "query.cqels.rq", MET / "doors.nq", "--answers", MET / "answers.cqels.ndjson")
PAGES = {
    "agree": ("agree", SAMPLES / "coupons", "--period", "8"),
    "minus": ("agree", SAMPLES / "minus"),
    "judge": ("judge", *RECORDED, "--answers-unit", "1ms"),
    "compare": ("compare", "cqels", "cqels-1.x", MET / "query.cqels.rq", MET / "doors.nq"),
    "explain": ("explain", SAMPLES / "coupons", "--at", 18, "ans(25,rayban,b)"),
    "phase": ("phase", SAMPLES / "coupons", "--period", "6..9"),
    "witness": ("witness", SAMPLES / "minus"),
    "shrink": ("shrink", SAMPLES / "minus"),
    "decide": ("decide", SAMPLES / "minus", "--period", "1..3"),
    "contained": (
        "decide",
        SAMPLES / "slide" / "query.cqels.rq",
        SAMPLES / "minus" / "query.cqels.rq",
        "--contained",
        "--rename",
        "person=order",
    ),
}
EPOCH = "1970-01-01T00:00:00Z"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- \"' & \u2028 {{ 7*7 }}"


def data_of(text):
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_holds_the_document_of_json_and_needs_nothing_else(name, tmp_path):
    page = tmp_path / "page.html"
    ran = lars(*PAGES[name], "--json", "--report", page)
    text = page.read_text(encoding="utf-8")
    found = data_of(text)
    del found["page"]
    assert found == ran.json
    # No address in it is loaded: IRIs are data.
    outside = text.replace(text[text.index('id="data"') : text.rindex("<script>")], "")
    assert not re.findall(r'src=|href="[^#]|url\(|import |fetch\(', outside)


def test_a_page_has_the_warnings_of_its_command(tmp_path):
    query, page = tmp_path / "q.rq", tmp_path / "page.html"
    query.write_text(
        "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 5s STEP 1s] "
        "{ WINDOW <urn:w> { GRAPH ?g { ?x <urn:p> 1 } } }"
    )
    ran = lars("decide", query, query, "--contained", "--report", page)
    (warned,) = (line.removeprefix("warning: ") for line in ran.err.splitlines())
    assert warned in unescape(page.read_text(encoding="utf-8"))


def test_a_page_of_answers_has_each_step_of_a_query_and_of_a_program(tmp_path):
    door = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")
    for inputs, last in ((door, 9), ((SAMPLES / "coupons", "--to", 20), 20)):
        ran = lars("solve", *inputs, "--report", tmp_path / "page.html")
        assert ran.code == 0
        moving = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))["page"]["moving"]
        assert [step["t"] for step in moving["steps"]] == list(range(last + 1))
        assert moving["left"] == []


def test_a_page_of_many_steps_has_those_at_which_something_changes():
    program, trace = "hot(X) ← ⊞^{3,0,3} ◇ e(X).", "1: e(a).\n90000: e(b).\n"
    moving = api.solve(program, trace).page().page["moving"]
    assert [step["t"] for step in moving["steps"]] == [0, 1, 3, 6, 90000]
    assert moving["left"][0].startswith(
        "This report shows 5 of 90,001 time points: the time points nearest to 0"
    )


def test_a_page_of_many_steps_has_the_evaluations_that_pull_makes():
    query = "SELECT ?x FROM STREAM <e:s> [RANGE 5s STEP 7s] WHERE { ?x <e:p> ?y }"
    trace = '<e:a> <e:p> <e:b> <e:s> "10" .\n<e:a> <e:p> <e:b> <e:s> "5000" .\n'
    moving = api.solve(query, trace, bounds="closed").page().page["moving"]
    evaluated = [step["t"] for step in moving["steps"] if not step["silent"]]
    assert 14 in evaluated
    assert all(t % 7 == 0 for t in evaluated)


def test_streams_with_the_same_last_part_have_lanes_of_their_own():
    blocks = " ".join(f"STREAM <http://{s}/door> [RANGE 3s] {{ ?x ?p ?{s} }}" for s in "ab")
    trace = "".join(f'<x:x> <x:p> <x:y> <http://{s}/door> "{t}" .\n' for t, s in ((1, "a"), (2, "b")))
    moving = api.solve(f"SELECT ?x {{ {blocks} }}", trace, mode="push", unit="1s").page().page["moving"]
    assert {"<http://a/door>", "<http://b/door>"} <= {*moving["lanes"]}


def test_wide_windows_with_many_atoms_make_no_longer_page(monkeypatch):
    monkeypatch.setattr(steps_of_pages, "_MOST_ATOMS", 10_000)
    trace = "".join(f"{t}: e({t}) e(x{t}) f({t}).\n" for t in range(1_000))
    page = api.solve("hot(X) ← ⊞^∞ ◇ e(X), X >= 990.", trace, from_=900, to=999).page()
    moving = page.page["moving"]
    assert (moving["steps"][0]["t"], moving["steps"][0]["windows"][0][1]) == (900, 2_703)
    assert len(moving["items"]) == 2_000
    assert any(
        "96 more steps of the timeline would make the page too long" in line for line in moving["left"]
    )
    assert len(html(page)) < 1_000_000


def test_what_an_engine_reports_has_no_steps(tmp_path):
    slide = SAMPLES / "slide"
    ran = lars("solve", slide, "--as", "cqels", "--report", tmp_path / "page.html")
    assert (ran.code, "cannot combine --report with --as NAME" in ran.err) == (2, True)


class Structure(HTMLParser):
    """Reads the elements of a page, each with its text."""

    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def hostile_page(folder):
    query = "SELECT ?x ?o WHERE { STREAM <e:s> [RANGE 3s] { ?x <e:p> ?o } }"
    csparql = "SELECT ?x ?o FROM STREAM <e:s> [RANGE 3s STEP 1s] WHERE { ?x <e:p> ?o }"
    literal = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    trace = f'<e:a> <e:p> "{literal}" <e:s> "1" .\n<e:a> <e:p> <e:b> <e:s> "2" .\n'
    found = api.agree(query, csparql, trace, period=6, to=12)
    path = folder / "hostile.html"
    found.write_report(path)
    assert found.differences
    return path


def test_hostile_strings_stay_text(tmp_path):
    text = hostile_page(tmp_path).read_text(encoding="utf-8")
    found = Structure()
    found.feed(text)
    assert [tag for tag, _ in found.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in found.tags]
    assert any(text == HOSTILE for text in map(unquoted, data_of(text)["page"]["full"]))


def unquoted(term):
    return json.loads(term) if term[:1] == '"' else term


def test_a_notebook_shows_the_verdict_and_the_strip():
    shown = api.agree(SAMPLES / "coupons", period="6..13")._repr_html_()
    found = Structure()
    found.feed(shown)
    assert "U = 8, 12..13 disagree." in shown
    assert [tag for tag, _ in found.tags].count("svg") == 8
    assert "<title>(16, 24]: 1 of 1: expired before the pull</title>" in shown


def test_the_verdict_covers_the_periods_that_are_not_shown():
    """Only U = 8 disagrees; the exit code and the headline of the text are about U = 6 and U = 8."""
    result = api.agree(SAMPLES / "coupons", period="6,8", only_period="6")
    page = result.page()
    assert (result.agree, page.verdict) == (False, False)
    assert page.answer == (
        "Push and pull disagree, only in rows that are not shown. "
        "13 of 14 whole periods agree; U = 8 disagrees."
    )
    assert "U = 6, 8 (" in page.question
    assert [one["period"] for one in page.page["strip"]] == [6]
    assert "U = 8 disagrees." in result._repr_html_()


def test_the_strip_says_of_which_periods_no_side_has_a_row():
    trace = '<e:a> <e:p> <e:b> <e:s> "1" .\n<e:a> <e:q> <e:b> <e:s> "4" .\n'
    query = "SELECT ?x WHERE { STREAM <e:s> [RANGE 1s] { ?x <e:p> ?o } }"
    page = api.agree(query, trace, period="2", from_=3).page()
    assert page.answer == "1 of 1 whole period agrees: neither side reports a row."
    assert [one["but"] for one in page.page["strip"]] == [": neither side reports a row"]


@pytest.mark.parametrize(
    ("name", "given", "derived"), [("cqels", "CQELS", "C-SPARQL"), ("csparql", "C-SPARQL", "CQELS")]
)
def test_the_page_says_which_text_was_given_and_which_is_derived(tmp_path, name, given, derived):
    paths = [SAMPLES / "slide" / file for file in (f"query.{name}.rq", "query.cqels.rq", "door.trig")]
    for one, count in ((paths[:1] + paths[2:], 1), (sorted({*paths, SAMPLES / "slide/query.csparql.rq"}), 0)):
        api.agree(*one, unit="1s", period=3).write_report(tmp_path / "page.html")
        html = (tmp_path / "page.html").read_text()
        text = re.sub("<script.*?</script>", "", html, flags=re.DOTALL)
        assert text.count("this text is not in the input") == count
        assert (f"derived by lars from the {given} query" in text) == bool(count)
        said = re.findall(r"<h3>(.*?),.*?</h3>\s*<p class=\"hint\">(.*?)</p>", text)
        assert dict(said)[derived].startswith("derived") == bool(count)


@pytest.mark.parametrize(
    ("command", "whose"),
    [
        ("shrink", "the rest of the CQELS query"),
        ("witness", "derived by lars from the CQELS query"),
    ],
)
def test_a_page_of_a_searched_or_shrunk_stream_says_whose_its_queries_are(tmp_path, command, whose):
    inputs = (SAMPLES / "slide" / "query.cqels.rq",) if command == "witness" else (SAMPLES / "slide",)
    lars(command, *inputs, "--period", 3, "--report", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = re.sub("<script.*?</script>", "", html, flags=re.DOTALL)
    assert (whose in text, text.count("this text is not in the input")) == (
        True,
        1 if command == "witness" else 2,
    )


def test_a_notebook_shows_warnings_above_each_result():
    every = (
        api.agree(SAMPLES / "slide"),
        api.phase(SAMPLES / "coupons", period=8, length="1..9"),
        api.shrink(SAMPLES / "slide"),
    )
    for result in every:
        warned = replace(result, warnings=("it is <late>",))
        assert warned._repr_html_().index("warning: it is &lt;late&gt;") < 60
        assert warned.to_markdown().startswith("warning: it is")


def test_a_notebook_shows_tables_as_tables():
    shown = api.witness(SAMPLES / "minus")._repr_html_()
    assert "┃" not in shown
    assert "<td" in shown
    assert "a smallest stream on which push and pull differ for U = 2" in shown
    proof = api.explain(SAMPLES / "coupons", atom="ans(25,rayban,b)", at=18)._repr_html_()
    assert "<pre>" in proof


@pytest.mark.parametrize("text", ["</script>", "<!--", "&amp;", "\u2028", "<SCRIPT"])
def test_json_in_a_script_says_the_same(text):
    shown = in_script(json.dumps(text, ensure_ascii=False))
    assert json.loads(shown) == text
    assert not set("<>&\u2028") & set(shown)


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    gone = lars(*PAGES["agree"], "--report", tmp_path / "none" / "page.html")
    assert (gone.code, gone.out) == (2, "")
    assert "does not exist; use an existing folder" in gone.err
    named = lars(*PAGES["agree"], "--report", tmp_path / "page.pdf")
    assert (named.code, "expected the name of a file that ends with .html" in named.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_each_difference_names_the_elements_behind_it(tmp_path):
    page = tmp_path / "page.html"
    ran = lars("agree", SAMPLES / "coupons", "--period", "4..12", "--report", page, "--json")
    found = data_of(page.read_text(encoding="utf-8"))["page"]
    causes = [
        (row["support"], one["period"], row["cause"])
        for one in ran.json["periods"]
        for interval in one["intervals"]
        for row in interval["causes"]
    ]
    elements, terms = found["elements"], found["full"]
    for one, (support, period, cause) in zip(found["differences"], causes, strict=True):
        assert (one["period"], found["causes"][one["cause"]]["name"]) == (period, cause)
        named = [(elements["t"][place], terms[elements["s"][place]]) for place in one["support"]]
        assert named == [(fact["t"], fact["s"]["value"]) for fact in support]


def proofs_of(page, period):
    rows, own = page["differences"], page["proofs"]
    places = (place for place in sorted(own, key=int) if rows[int(place)]["period"] == period)
    return {(rows[int(p)]["side"], rows[int(p)]["to"], *rows[int(p)]["terms"]): own[p] for p in places}


def test_the_proof_of_a_row_is_about_its_own_period(tmp_path):
    pages = {}
    for asked in ("5,8", "8"):
        assert (
            lars("agree", SAMPLES / "coupons", "--period", asked, "--report", tmp_path / "p.html").code == 1
        )
        pages[asked] = data_of((tmp_path / "p.html").read_text(encoding="utf-8"))["page"]
    assert proofs_of(pages["5,8"], 8) == proofs_of(pages["8"], 8) != {}


def test_a_cell_of_the_strip_is_a_period_and_its_cause(tmp_path):
    page = tmp_path / "page.html"
    ran = lars("agree", SAMPLES / "coupons", "--period", "6..13", "--report", page, "--json")
    found = data_of(page.read_text(encoding="utf-8"))["page"]
    for one, said in zip(found["strip"], ran.json["periods"], strict=True):
        cells = [(cell[0], cell[1], cell[2] < 0) for cell in one["cells"]]
        assert cells == [(own["from"], own["to"], own["agree"]) for own in said["intervals"]]


def test_each_pattern_of_a_query_has_its_rule():
    found = api.translate(SAMPLES / "coupons" / "query.cqels.rq", unit="1min")
    from agreement.documents.requests import load_query
    from lars.durations import read_duration
    from translate.model.query import Setting
    from translate.tau import lars_program

    unit = read_duration("1min")
    query = load_query(SAMPLES / "coupons" / "query.cqels.rq", unit)
    setting = Setting("paper2015", unit, "closed")
    pair = side_by_side(query, lambda one: lars_program(one, setting), "", "")
    assert len(pair["rules"]) == len(found.rules)
    linked = {pair["query"][line].strip() for rule in pair["rules"] for line in rule["lines"]}
    patterns = {line.strip() for line in pair["query"] if line.rstrip().endswith((".", ";"))}
    assert patterns <= linked
    assert {line.strip() for line in pair["query"] if "FILTER" in line or "STREAM" in line} <= linked
    near = next(rule for rule in pair["rules"] if "isNear" in rule["text"])
    assert [pair["query"][line].split()[0] for line in near["lines"]] == ["STREAM", "?user"]


def test_a_page_is_called_as_the_experiment_is(tmp_path):
    for name in ("agree", "phase"):
        lars(*PAGES[name], "--report", tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert text.count("Coupons from shops nearby</") == len(("title", "h1"))
        assert '<p class="asked">Do pull and' in text or '<p class="asked">On which share' in text
    lars(*PAGES["judge"], "--report", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>Answers to query.cqels.rq on doors.nq</h1>" in text


def test_a_title_longer_than_a_file_name_is_on_the_page(tmp_path):
    own = tmp_path / "own"
    shutil.copytree(SAMPLES / "slide", own)
    file, title = own / "experiment.toml", "long " * 60
    file.write_text(f"title = {json.dumps(title)}\n{file.read_text().partition(chr(10))[2]}")
    ran = lars("agree", own, "--report", tmp_path / "page.html")
    assert (ran.code, "cannot" in ran.err) == (1, False)
    assert title in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_report_in_a_folder_with_a_name_that_is_too_long_is_refused(tmp_path):
    for option, name in (("--report", "a.html"), ("--figure", "a.svg")):
        ran = lars("agree", SAMPLES / "slide", option, tmp_path / ("x" * 300) / name)
        assert (ran.code, ran.out) == (2, "")
        assert "does not exist; use an existing folder" in ran.err


@pytest.mark.parametrize("engine", ["cqels", "cqels-2011"])
def test_each_window_has_all_its_rows(engine, tmp_path):
    judged = (*PAGES["judge"], "--engine", engine, "--json", "--report", tmp_path / "page.html")
    lars(*judged)
    windows = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))["page"]["windows"]
    for one in windows:
        marks = [row["mark"] for row in one["rows"]]
        assert (marks.count("✓") + marks.count("✗ missing")) == int(one["cells"]["expected"])
        assert (marks.count("✓") + marks.count("✗ extra")) == int(one["cells"]["actual"])
    assert any(one["rows"] for one in windows)


def test_a_bar_of_verdicts_names_the_periods_that_were_asked():
    bar = api.decide(SAMPLES / "minus", period="2,5,9,50").page().page["bar"]
    assert ", ".join(one["periods"] for one in bar) == "2, 5, 9, 50"


@pytest.mark.parametrize(
    ("epoch", "date"), [("0", "1970"), ("9" * 17, "20"), ("9" * 5000, "20"), ("x", "20")]
)
def test_a_page_has_a_date_whatever_the_environment_says(epoch, date, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert dict(provenance((), ()))["date"].startswith(date)


def test_premises_stand_at_their_lines(tmp_path):
    ran = lars(*PAGES["decide"], "--report", tmp_path / "page.html", "--json")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for premise in ran.json["periods"][0]["premises"]:
        _, _, place = premise["place"].rpartition("/")
        line = re.search(r":(\d+):\d+$", place)
        shown = f'<a href="#line-{line[1]}" data-line="{line[1]}">{place}</a>' if line else f"{place}</small>"
        assert shown in text
    query = (SAMPLES / "minus" / "query.cqels.rq").read_text().split("\n")
    assert data_of(text)["page"]["query"] == query[:-1]


def test_the_page_of_a_witness_is_that_of_its_experiment(tmp_path):
    lars(*PAGES["witness"], "--report", tmp_path / "page.html", "--out", tmp_path / "smallest")
    lars("agree", tmp_path / "smallest", "--report", tmp_path / "agree.html")
    one, other = (
        data_of((tmp_path / name).read_text(encoding="utf-8"))["page"] for name in ("page.html", "agree.html")
    )
    for row in other["differences"]:
        assert row.pop("command").startswith("lars explain ")
    for name in ("elements", "push", "pull", "strip", "differences", "windows", "logic"):
        assert one[name] == other[name]


def test_a_page_says_that_smaller_streams_were_tried_only_if_they_were(tmp_path):
    for number in (1, 6):
        steps = " . ".join(f"?x <urn:p{n}> ?o{n}" for n in range(number))
        stream = "STREAM <urn:s> [RANGE 5s]"
        optional = f"OPTIONAL {{ {stream} {{ ?x <urn:q> ?z }} }}"
        (tmp_path / "q.rq").write_text(f"SELECT ?x WHERE {{ {stream} {{ {steps} }} {optional} }}")
        lars("witness", tmp_path / "q.rq", "--period", "5", "--report", tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert ("lars searched streams with fewer triples first" in text) is (number == 1)


def test_what_is_printed_as_a_table_is_one_on_the_page(tmp_path):
    lars(*PAGES["compare"], "--report", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    body = text[text.index("<main>") : text.index("</main>")]
    assert "┃" not in body
    assert '<td class="number">24</td><td>cid enters hall</td>' in body


def test_verdicts_on_several_engines_are_a_matrix():
    rows = [
        {
            "query": "Q",
            "trace": "T",
            "engine": engine,
            "u": u,
            "correct": right,
            "refused": None,
            "wrong": 1,
            "windows": 9,
        }
        for u, engine, right in ((1, "one", True), (1, "other", False), (2, "one", None))
    ]
    found = _matrix(rows, ["u"])
    assert (found["labels"], found["engines"]) == (["query", "trace", "u"], ["one", "other"])
    shown = [[None if cell is None else cell["good"] for cell in row["cells"]] for row in found["rows"]]
    assert shown == [[True, False], [None, None]]
    assert found["rows"][0]["cells"][1]["said"] == "1 of 9 wrong"
    assert _matrix(rows[:1], ["u"]) is None


def test_a_matrix_of_many_verdicts_has_those_that_are_wrong():
    rows = [
        {
            "query": f"Q{number}",
            "trace": "T",
            "engine": engine,
            "correct": number != 500 or engine != "other",
            "refused": None,
            "wrong": 0,
            "windows": 9,
        }
        for number in range(501)
        for engine in ("one", "other")
    ]
    first, *others = _matrix(rows, [])["rows"]
    assert (first["labels"], [cell["good"] for cell in first["cells"]]) == (("Q500", "T"), [True, False])
    assert [row["labels"][0] for row in others] == [f"Q{number}" for number in range(399)]


def test_a_map_of_many_periods_has_the_rows_that_disagree():
    rows = [
        {
            "query": f"Q{number}",
            "trace": "T",
            "period": period,
            "intervals": 9,
            "disagreeing": int(number == 1500),
            "causes": "",
            "empty": False,
        }
        for number in range(1501)
        for period in (1, 2)
    ]
    found = _heat(rows, ())
    assert found["rows"][0]["labels"] == ("Q1500", "T")
    assert found["left"] > 0


def test_a_share_is_written_as_100_percent_only_if_all_periods_agree():
    row = {"query": "Q", "trace": "T", "period": 1, "intervals": 3000, "causes": "", "empty": False}
    rows = [row | {"disagreeing": 1}, row | {"period": 2, "disagreeing": 0}]
    (found,) = _heat(rows, ())["rows"]
    assert [cell["share"] for cell in found["cells"]] == ["99.9", "100"]


def test_queries_that_are_called_alike_are_told_apart_and_those_left_out_counted(tmp_path):
    paths = [tmp_path / name for name in ("a/q.rq", "b/q.rq", "b/c.rq", "b/d.rq", "b/e.rq", "b/f.rq")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x" * 19_000)
    assert [name for name, _ in query_texts(paths)] == ["a/q.rq", "b/q.rq", "c.rq", "d.rq", "e.rq", "1 more"]


def test_a_map_of_periods_has_them_as_durations(tmp_path):
    lines = (f'<e:a{t}> <e:p> <e:b> <e:s> "{t}" .\n' for t in range(1, 9))
    (tmp_path / "t.nq").write_text("".join(lines))
    (tmp_path / "experiment.toml").write_text(TWO_PERIODS)
    lars("run", tmp_path, "--report", tmp_path / "page.html")
    found = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert found["page"]["heat"]["periods"] == ["1s", "1500ms"]


TWO_PERIODS = """unit = "500ms"
[[queries]]
name = "q"
cqels = {text = "SELECT ?a WHERE { STREAM <e:s> [RANGE 2s] { ?a <e:p> ?b } }"}
[[traces]]
name = "t"
files = "t.nq"
[[comparisons]]
period = "1s..1500ms..500ms"
"""


def test_each_variant_of_a_run_has_a_line_of_its_own(tmp_path):
    text = (SAMPLES / "coupons/experiment.toml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("cqels", "period"))]
    for path in (SAMPLES / "coupons").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "experiment.toml").write_text("\n".join(["period = [5, 7]", *lines]), encoding="utf-8")
    lars("run", tmp_path, "--report", tmp_path / "page.html")
    found = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    said = {(row["variant"], str(row["period"])) for row in found["agreements"]}
    (index,), heat = found["page"]["index"], found["page"]["heat"]
    shown = {(row["labels"][3], str(row["measures"][0])) for row in index["rows"]}
    assert (len(said), shown) == (8, said)
    assert sorted(row["labels"][3] for row in heat["rows"]) == sorted({variant for variant, _ in said})


def test_a_run_has_an_index_of_its_cells(tmp_path):
    (tmp_path / "experiment.toml").write_text(EXPERIMENT.format(SAMPLES), encoding="utf-8")
    ran = lars("run", tmp_path, "--report", tmp_path / "page.html")
    found = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    (index,) = found["page"]["index"]
    assert [row["labels"] for row in index["rows"]] == [
        ["met", "doors", "csparql-0.9.7", one] for one in (5, 10)
    ]
    lines = [line for line in ran.out.splitlines() if line.startswith("met ")]
    assert [row["good"] for row in index["rows"]] == ["yes" in line for line in lines]
    windows = [len(one["windows"]) for one in found["page"]["cells"]]
    assert windows == [row["windows"] for row in found["verdicts"]]


EXPERIMENT = """
[grid]
length = [5, 10]

[[queries]]
name = "met"
csparql = {{text = '''
REGISTER QUERY Met AS
PREFIX : <http://example.org/>
SELECT ?one ?other ?room FROM STREAM :doors [RANGE {{length}}s STEP 5s]
WHERE {{ ?one :enters ?room . ?other :enters ?room FILTER (STR(?one) < STR(?other)) }}
'''}}

[[traces]]
name = "doors"
files = "{}/judged/met/doors.nq"

[[engines]]
engine = "csparql-0.9.7"
"""


def test_a_page_of_times_that_a_browser_does_not_tell_apart_is_refused(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <urn:s> [RANGE 5s] { ?s ?p ?o } }")
    for last, code in ((2**53 - 1, 0), (2**53, 2)):
        (tmp_path / "t.nq").write_text(f'<urn:a> <urn:p> <urn:o> <urn:s> "{last}" .')
        page = tmp_path / f"{last}.html"
        given = tmp_path / "q.rq", tmp_path / "t.nq", "--period", 2**52, "--origin", EPOCH
        asked = lars("agree", *given, "--report", page)
        assert (asked.code, page.exists()) == (code, code == 0), asked.err
    assert "expected a timeline that ends before 9007199254740992" in asked.err


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_its_files_and_shows_queries_as_their_author_wrote_them(name, tmp_path):
    lars(*PAGES[name], "--report", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    queries = [Path(found) for found in re.findall(r"<td>([^<]*\.rq): [\d,]+ bytes, SHA-256 ", text)]
    assert queries
    for query in queries:
        assert f'<pre class="query">{escape(query.read_text())}</pre>' in text
    assert name == "contained" or "<summary>Symbols and words</summary>" in text


def test_a_notebook_shows_phases_as_colours_with_a_decimal():
    found = api.phase(SAMPLES / "coupons", period="8", length="1..60")._repr_html_()
    assert re.findall(r'rgb\([\d, ]+\); color: #\w+" title="(\d of 6) periods agree">([\d.]+)<', found) == [
        ("5 of 6", "83.3"),
        ("6 of 6", "100"),
    ]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("agree",), {"named": {"2": "2s"}}),
        (("phase", "--length", "3s"), {"named": {"2": "2s"}, "namedLengths": {"3": "3s"}}),
    ],
)
def test_lengths_that_are_written_as_durations_are_called_so_in_a_page(tmp_path, command, named):
    name, *more = command
    lars(name, SAMPLES / "slide", "--period", "2s", *more, "--report", tmp_path / "p.html")
    found = data_of((tmp_path / "p.html").read_text(encoding="utf-8"))["page"]
    assert {key: found[key] for key in named} == named
    lars(name, SAMPLES / "slide", "--period", "2", *more, "--report", tmp_path / "q.html")
    assert data_of((tmp_path / "q.html").read_text(encoding="utf-8"))["page"]["named"] == {}


def test_the_steps_name_the_literal_that_keeps_a_rule_from_firing():
    program = "a(R) ← ⊞^1 □ temp(R, V), not off(R).\nb ← temp(R, V), V > 90, V < 0.\nc ← temp(R, V).\n"
    moving = api.solve(program, "1: temp(k, 5).\n2: temp(k, 5) off(k).\n").page().page["moving"]
    fails = [
        [(number, place, moving["texts"][text], others) for number, place, text, others, *_ in step["fails"]]
        for step in moving["steps"]
    ]
    no_input = "temp(R, V)"
    assert fails == [
        [(1, 0, f"⊞^1 □ {no_input}", 0), (2, 0, no_input, 0), (3, 0, no_input, 0)],
        [(1, 0, f"⊞^1 □ {no_input}", 0), (2, 1, "5 > 90", 1)],
        [(1, 1, "not off(k)", 0), (2, 1, "5 > 90", 1)],
    ]
