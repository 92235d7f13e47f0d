"""Pages in a browser: what is shown, the keyboard, links, a narrow window, print; nobody else is asked."""

import fcntl
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from agreement import api
from lars.language.windows import Interval, TimeWindow
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, begun, came
from tests.agreement.results.renderings.pages.test_large_pages import large_page
from tests.agreement.results.renderings.pages.test_pages import hostile_page
from tests.packs import SAMPLES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DATA = "JSON.parse(document.getElementById('data').textContent)"
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]


MET = SAMPLES / "judged" / "met"
DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")


def phase_page(_):
    return api.phase(SAMPLES / "coupons", period="1..10", length="1..30")


def recorded_page(_):
    recorded = {"answers": MET / "answers.cqels.ndjson", "answers_unit": "1ms"}
    return api.judge(MET / "query.cqels.rq", MET / "doors.nq", **recorded)


def long_names_page(folder):
    cqels = [folder / f"{'a-long-name-' * 9}{name}.rq" for name in ("slide", "minus")]
    for copy, name in zip(cqels, ("slide", "minus"), strict=True):
        copy.write_text((SAMPLES / name / "query.cqels.rq").read_text())
    return api.contained(*cqels, rename={"person": "order"})


def hunted_page(folder):
    """Return what is wrong with an engine whose windows contain both ends."""
    (folder / "both.toml").write_text(
        'name = "both"\nreport = ["window-close", "non-empty"]\nbounds = "closed"\nempty = "silent"\n'
    )
    adapter = f"{sys.executable} -m agreement.cli serve-engine {folder / 'both.toml'}"
    return api.hunt(adapter=adapter, faults=1)


RESULTS = {
    "coupons": lambda _: api.agree(SAMPLES / "coupons", period="4..12"),
    "many": lambda _: api.agree(SAMPLES / "coupons", period="1..50"),
    "rooms": lambda _: api.agree(SAMPLES / "rooms"),
    "minus": lambda _: api.agree(SAMPLES / "minus"),
    "met": recorded_page,
    "weather": lambda folder: api.run(SAMPLES / "yabench" / "experiment-2", out=folder / "results"),
    "phase": phase_page,
    "witness": lambda _: api.witness(SAMPLES / "minus", period=2),
    "shrink": lambda _: api.shrink(SAMPLES / "coupons", period=8),
    "explain": lambda _: api.explain(SAMPLES / "coupons", atom="ans(25,rayban,b)", at=18),
    "solve": lambda _: api.solve(*DOOR),
    "decide": lambda _: api.decide(SAMPLES / "minus", period="1..3"),
    "contained": long_names_page,
    "compare": lambda _: api.compare("cqels", "cqels-1.x", MET / "query.cqels.rq", MET / "doors.nq"),
    "hunt": hunted_page,
    "dated": lambda _: api.agree(SAMPLES / "coupons", period=8, origin="2026-05-04T08:00:00Z"),
}


def swapped_page(folder):
    """The proof of a row whose first value is called as its second variable."""
    query = "SELECT ?a ?b { STREAM <http://e/S> [RANGE 3s] { ?a <http://e/b> ?b } }"
    trace = '<http://e/b> <http://e/b> <http://e/x> <http://e/S> "1" .\n'
    api.explain(query, trace, "ans(b,x)", at=1).write_report(folder / "swapped.html")


def watched_page(folder):
    """Return the page of a watch in which periods disagree and answers of a running system are wrong."""
    own = folder / "stream"
    (own / "in").mkdir(parents=True)
    (own / "pull.rq").write_text(PULL)
    (own / "push.rq").write_text(PUSH)
    (own / "log.csv").write_text("t,x,v\n3,http://e/a,1\n")
    logs = {"push_answers": str(own / "log.csv"), "report": str(folder / "watched.html")}
    run = begun(own, **logs)
    state, _ = run.judge_batch(0, [came(own, "a", "1 p", "2 q", "5 q", "7 q", "8 p", "12 p", "20 p")])
    run._last[:] = [state]
    run._write_page()


WRITTEN = {"watched": watched_page, "swapped": swapped_page, "large": large_page, "hostile": hostile_page}
PAGES = (*RESULTS, "large", "watched")


@pytest.fixture(scope="module")
def pages(tmp_path_factory, worker_id):
    """Return the file of a page by its name; it is made once, by whichever process asks first."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "pages"
    folder.mkdir(exist_ok=True)

    def made(name):
        page = folder / f"{name}.html"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if page.exists():
                return page
            if name in WRITTEN:
                WRITTEN[name](folder)
            else:
                RESULTS[name](folder).write_report(page)
        return page

    return made


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@contextmanager
def opened(browser, path, width=1280, **how):
    context = browser.new_context(viewport={"width": width, "height": 900}, **how)
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("request", lambda asked: faults.append(asked.url) if asked.url[:5] != "file:" else None)
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert faults == []


def settled(page, picture):
    """Return a picture once it stays: it is drawn again whenever the layout gives it another size."""
    return page.evaluate(
        f"""async () => {{
          for (let last = "", now = {picture}; ; last = now, now = {picture}) {{
            if (now === last) return now;
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
          }}
        }}"""
    )


def test_the_verdict_comes_first_and_a_difference_tells_its_cause(browser, pages):
    with opened(browser, pages("coupons")) as page:
        said = page.inner_text(".verdict")
        assert said.startswith("✗ U = 8, (16, 24]: only push reports (25, rayban, b); cause: expired")
        assert said.endswith("59 of 61 whole periods agree; U = 8, 12 disagree.")
        page.click("#differences button.row")
        detail = page.inner_text("#detail")
        assert "Expired before the pull. Push reported the row" in detail
        assert "15: b offers c2" in detail
        assert "ans1(25, rayban, b) by rule 6" in detail
        assert page.input_value("#period") == "8"
        assert "t = 18" in page.inner_text("#here")


def test_the_keyboard_alone_suffices(browser, pages):
    with opened(browser, pages("coupons")) as page:
        page.focus("#timeline")
        first = page.inner_text("#detail h3")
        assert page.url.endswith(".html")
        page.keyboard.press("n")
        assert page.inner_text("#detail h3") != first
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        assert "t = 11" in page.inner_text("#here")
        page.focus("#differences button.row")
        page.keyboard.press("Enter")
        assert page.inner_text("#detail h3") == first
        assert page.url.endswith("#difference-0")
        page.reload()
        assert page.inner_text("#detail h3") == first


def test_a_clause_and_its_rules_light_each_other(browser, pages):
    with opened(browser, pages("coupons")) as page:
        pair = page.locator(".pair").nth(1)
        pair.locator(".line", has_text="isNear").hover()
        assert ["isNear" in text for text in pair.locator(".rule.lit").all_inner_texts()] == [True]
        pair.locator(".rule", has_text="isNear").focus()
        lit = pair.locator(".line.lit").all_inner_texts()
        assert [line.split()[0] for line in lit] == ["STREAM", "?user"]


def test_hovering_a_line_lights_exactly_the_rules_it_became(browser, pages):
    with opened(browser, pages("minus")) as page:
        for side, pair in enumerate(page.evaluate(f"{DATA}.page.logic")):
            box = page.locator(".pair").nth(side)
            for number in sorted({line for rule in pair["rules"] for line in rule["lines"]}):
                box.locator(".line").nth(number).hover()
                lit = [place for place, rule in enumerate(pair["rules"]) if number in rule["lines"]]
                assert box.locator(".rule.lit small").all_inner_texts() == [
                    pair["rules"][place]["scheme"] for place in lit
                ]


def test_windows_are_those_of_the_logic(browser, pages):
    with opened(browser, pages("minus")) as page:
        windows = page.evaluate(f"{DATA}.page")
        timeline = Interval(*windows["timeline"])
        for place in range(len(windows["windows"])):
            own = TimeWindow(5)
            for t in timeline:
                shown = own.bounds(t, timeline)
                assert page.evaluate(f"larsShows({place}, {t})") == [shown.first, shown.last]


def test_a_cell_of_a_phase_diagram_names_the_command_that_tells_it(browser, pages):
    with opened(browser, pages("phase")) as page:
        rows = page.locator("table.phase tbody tr")
        shares = "8..30 ◂ 90 92 93.8 100 100 100 100 83.3 100 100"
        assert " ".join(rows.first.inner_text().split()) == shares
        rows.first.locator("td").nth(7).click()
        said = page.inner_text("#cell-0").split("\n")
        assert said[0] == "U = 8, L = 8..30: 5 of 6 periods agree"
        assert f"lars phase {SAMPLES / 'coupons'} --period 8 --length 30" in said
        assert any(f"lars agree {SAMPLES / 'coupons'} --period 8" in line for line in said)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        assert "U = 7, L = 7: 7 of 7 periods agree" in page.inner_text("#cell-0")
        page.check(".every")
        assert rows.count() == 30


def test_rows_are_filtered_sorted_and_taken_away(browser, pages):
    with opened(browser, pages("coupons")) as page:
        page.select_option("#only-period", "12")
        page.fill("#only-text", "RAYBAN")
        with page.expect_download() as taken:
            page.click("#as-csv")
        lines = Path(taken.value.path()).read_text(encoding="utf-8").splitlines()
        assert lines[0] == "percent,product,shop,cause,only in,U,from,to,pushed"
        assert lines[1].endswith("/rayban>,<http://example.org/b>,expired before the pull,push,12,12,24,18")
        assert len(lines) == 2
        page.fill("#only-text", "nothing")
        assert page.locator("#differences tbody tr").count() == 0
    with opened(browser, pages("met")) as page:
        page.check("#only-wrong")
        shown = page.locator("#windows tbody tr:visible")
        assert shown.count() == page.evaluate(f"{DATA}.page.windows.filter((one) => one.problem).length")
        shown.first.locator("summary").click()
        assert "✗ extra one = ann, other = dan, room = hall" in shown.first.inner_text()


def test_a_count_leads_to_its_examples_and_times_are_told_as_bins(browser, pages):
    with opened(browser, pages("large")) as page:
        page.locator("#counts button[data-side=pull][data-period='2']").click()
        assert page.locator("#differences tbody tr").count() == 20
        assert set(page.locator("#differences td:nth-child(3)").all_inner_texts()) == {"pull"}
        assert "only pull reports this row in" in page.inner_text("#detail h3")
        assert "20 rows shown as examples of each cause;" in page.inner_text("#count")
        bins = page.evaluate(f"{DATA}.page.elements.bins")
        page.focus("#timeline")
        page.keyboard.press("Home")
        assert f"{bins['streams']['e:s'][0]} elements in 0..4" in page.inner_text("#here")
        page.keyboard.press("Shift+ArrowRight")
        assert f"{bins['streams']['e:s'][2]} elements in 10..14" in page.inner_text("#here")


def test_a_difference_is_chosen_at_the_start_and_its_row_is_in_view(browser, pages):
    with opened(browser, pages("coupons")) as page:
        assert "(25, rayban, b): only push reports this row in (16, 24]" in page.inner_text("#detail h3")
        assert page.locator("#differences tr.chosen").count() == 1
        assert page.evaluate("location.hash") == ""


def test_a_premise_lights_its_line(browser, pages):
    with opened(browser, pages("decide")) as page:
        link = page.locator("a[data-line]").nth(1)
        link.focus()
        assert page.locator(".line.lit").get_attribute("id") == link.get_attribute("href")[1:]


def test_a_proof_is_a_tree(browser, pages):
    with opened(browser, pages("explain")) as page:
        assert page.locator("#proof details").first.inner_text().startswith("ans1(25, rayban, b) by rule")


def test_each_step_adds_up_to_what_enters_and_leaves(browser, pages):
    with opened(browser, pages("solve")) as page:
        solved = {answer.t: set(answer.streams[0]) for answer in api.solve(*DOOR).answers}
        for t, held in solved.items():
            step = page.evaluate(f"larsStep({t})")
            assert (step["t"], set(step["holds"])) == (t, held)
            enters = {(u, text) for u, text in step["windows"][0] if text.startswith("enter")}
            came = [(1, "enter(ann, front)"), (3, "enter(bob, front)"), (3, "enter(cid, back)")]
            assert enters == {(u, text) for u, text in came if u <= t}


def test_the_keys_move_the_steps_and_a_formula_lights_its_window(browser, pages):
    with opened(browser, pages("solve")) as page:
        page.focus("#step")
        for key in ("End", "Home", "ArrowRight", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        said = page.inner_text("#step-said")
        assert said.startswith(
            "At t = 3, 4 rules fire. Since t = 2: 2 atoms entered a window and 0 left one;"
        )
        assert "+ 3: enter(bob, front)\n(enters)" in page.inner_text("#step-windows")
        formula = page.locator(".formula", has_text="leave")
        formula.focus()
        assert page.locator(".bracket.lit").count() == page.locator(".window.lit").count() == 1
        assert page.locator(".dot-lit").count() == 0
        page.locator(".formula", has_text="@_T").focus()
        assert page.locator(".dot-lit").count() == page.locator(".window li.lit").count() == 3


def test_the_keys_move_the_steps_wherever_the_focus_is_but_in_other_parts(browser, pages):
    """In a lecture nobody has clicked on the slider; a focused button keeps its space."""
    with opened(browser, pages("solve")) as page:
        page.keyboard.press("Home")
        begin = page.inner_text("#step-time")
        page.keyboard.press("ArrowRight")
        second = page.inner_text("#step-time")
        assert second != begin
        assert page.evaluate("window.scrollY") == 0
        page.click("#step-on")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#step-time") == second
        page.keyboard.press("Space")  # on the button one step on
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#step-time") == second
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Space")
        assert page.get_attribute("#step-play", "aria-pressed") == "true"
        page.click("h1")
        page.keyboard.press("Home")
        assert (page.inner_text("#step-time"), page.inner_text("#step-play")) == (begin, "Play")


def test_a_box_that_does_not_hold_names_its_missing_times(browser, tmp_path):
    program, trace, page_file = tmp_path / "p.lars", tmp_path / "s.atoms", tmp_path / "page.html"
    program.write_text("hot ← ⊞^6 □ warm.\n")
    trace.write_text("5: warm.\n6: warm.\n")
    api.explain(program, trace, atom="hot", at=6).write_report(page_file)
    with opened(browser, page_file) as page:
        said = page.inner_text("#steps")
        assert "⊞^6 □ warm does not hold: warm does not hold at 0, 1, 2, … (5 times)" in said
        assert "at every time point of the window" in page.text_content(".words")


def test_an_atom_of_an_earlier_time_keeps_its_place_without_a_sign(browser, tmp_path):
    program, trace, page_file = tmp_path / "p.lars", tmp_path / "s.atoms", tmp_path / "page.html"
    program.write_text("@_T bad ← ⊞^1 @_T r. ← x, y.\n")
    trace.write_text("3: r.\n4: x.\n5: x y.\n")
    api.solve(program, trace).write_report(page_file)
    with opened(browser, page_file) as page:
        page.focus("#step-picture")
        said = {}
        for t in range(6):
            said[t] = page.inner_text("#step-holds"), page.text_content("#step-said")
            page.keyboard.press("ArrowRight")
    assert "+" in said[3][0]
    assert "@_3 bad" in said[4][0]
    assert "+" not in said[4][0]
    assert "0 derived atoms are new, 0 gone" in said[4][1]
    assert "because a constraint excludes the only candidate (rule 2: ← x, y.)" in said[5][0]


def test_play_goes_on_until_it_is_paused(browser, pages):
    with opened(browser, pages("solve")) as page:
        page.focus("#step-picture")
        page.keyboard.press("Space")
        page.locator("#step-time", has_text="t = 1").wait_for()
        page.click("#step-play")
        assert page.get_attribute("#step-play", "aria-pressed") == "false"


def test_a_page_in_the_frame_of_a_notebook_moves(browser, tmp_path):
    (tmp_path / "notebook.html").write_text(api.solve(*DOOR).inline_report()._repr_html_())
    with opened(browser, tmp_path / "notebook.html") as page:
        frame = page.frame_locator("iframe")
        frame.locator("#step-on").click()
        assert frame.locator("#step-time").inner_text() == "t = 1"


def test_a_value_that_is_called_as_a_variable_stays(browser, pages):
    with opened(browser, pages("swapped")) as page:
        assert page.locator("#proof details").first.inner_text().startswith("ans1(b, x) by rule")


def test_hostile_strings_are_shown_and_not_run(browser, pages):
    with opened(browser, pages("hostile")) as page:
        page.click("#differences button.row")
        assert "</script>" in page.inner_text("#differences")


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_window_needs_no_sideways_scrolling_and_breaks_no_date_interval_or_variable(
    browser, pages, name
):
    lines = "[...document.querySelectorAll('.whole')].map((one) => one.getClientRects().length)"
    with opened(browser, pages(name), width=390, color_scheme="dark") as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert set(page.evaluate(lines)) <= {0, 1}
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == 390


ONE_OF_MANY = """
  for (const list of document.querySelectorAll("tbody, tr, ul, ol")) {
    const counts = {};
    for (const part of [...list.children]) {
      const all = [part, ...part.querySelectorAll("*")];
      const shape = all.map((one) => one.tagName + [...one.attributes].map(
        ({ name, value }) => name + (["class", "role", "style", "tabindex"].includes(name) ? value : "")));
      counts[shape] = (counts[shape] ?? 0) + 1;
      if (counts[shape] > 3) part.remove();
    }
  }"""
"""Of rows, cells or lines that differ in texts alone, three are left: axe looks at each for a long time."""


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_in_the_way_of_a_screen_reader(browser, pages, name):
    package = pytest.importorskip("axe_playwright_python", reason="axe-core finds what is in the way")
    axe = (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    with opened(browser, pages(name), color_scheme="light") as page:
        if name == "coupons":
            page.click("#differences button.row")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(f"() => {{{ONE_OF_MANY}}}")
        page.evaluate(axe)
        assert in_the_way(page, "{}") == []
        # What else the dark scheme changes is nothing that a screen reader meets.
        page.emulate_media(color_scheme="dark")
        assert in_the_way(page, "{ runOnly: ['color-contrast'] }") == []


def in_the_way(page, rules):
    """Return what axe finds by these rules: not what passes, whose places take most of its time."""
    found = page.evaluate(f"axe.run(document, {{ ...{rules}, resultTypes: ['violations'] }})")
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]


def test_print_shows_all_and_no_tools(browser, pages):
    with opened(browser, pages("coupons")) as page:
        page.emulate_media(media="print")
        assert page.locator(".tools").first.is_hidden()
        assert page.evaluate("getComputedStyle(document.querySelector('.wide')).overflow") == "visible"
        assert len(page.pdf()) > 10_000
    with opened(browser, pages("phase"), width=700, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") == 700
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    with opened(browser, pages("coupons"), color_scheme="dark") as page:
        picture = "document.getElementById('timeline').toDataURL()"
        before = settled(page, picture)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(picture) != before
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert settled(page, picture) == before


def test_a_watched_stream_shows_its_numbers_and_which_periods_are_wrong(browser, pages):
    with opened(browser, pages("watched")) as page:
        text = page.inner_text("body")
        assert "Results so far" in text
        assert "answers of push are wrong" in text
        rows = page.locator("table").nth(1).locator("tbody tr").all_inner_texts()
        assert sum("disagrees: only" in row for row in rows) >= 2
        # The newest finding comes first.
        ends = [row for row in rows if "disagrees" in row]
        assert ends.index(next(row for row in ends if row.startswith("(8, 10]"))) == 0
