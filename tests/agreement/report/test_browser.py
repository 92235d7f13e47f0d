"""Pages in a browser: what is shown, the keyboard, links, a narrow window, print; nobody else is asked."""

import json
import shutil
from contextlib import contextmanager

import pytest

from agreement import api
from lars.windows import Interval, TimeWindow
from tests.agreement.report.test_pages import hostile_page
from tests.packs import SAMPLES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    api.agree(SAMPLES / "coupons", period="4..12").write_report(folder / "coupons.html")
    api.agree(SAMPLES / "minus").write_report(folder / "minus.html")
    met = SAMPLES / "judged" / "met"
    recorded = {"answers": met / "answers.cqels.ndjson", "answers_unit": "1ms"}
    api.judge(met / "query.cqels.rq", met / "doors.nq", **recorded).write_report(folder / "met.html")
    hostile_page(folder)
    return folder


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


def test_the_verdict_comes_first_and_a_difference_tells_its_cause(browser, pages):
    with opened(browser, pages / "coupons.html") as page:
        assert "✗ 59 of 61 whole periods agree; U = 8, 12 disagree." in page.inner_text(".verdict")
        page.click("#differences button.row")
        detail = page.inner_text("#detail")
        assert "expired before the pull. Push reported it" in detail
        assert "15: b offers c2" in detail
        assert "ans1(25, rayban, b) by rule 6" in detail
        assert page.input_value("#period") == "8"
        assert "t = 18" in page.inner_text("#here")


def test_the_keyboard_alone_suffices(browser, pages):
    with opened(browser, pages / "coupons.html") as page:
        page.focus("#timeline")
        page.keyboard.press("n")
        first = page.inner_text("#detail h3")
        page.keyboard.press("n")
        assert page.inner_text("#detail h3") != first
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        assert "t = 11" in page.inner_text("#here")
        page.focus("#differences button.row")
        page.keyboard.press("Enter")
        assert page.inner_text("#detail h3") == first


def test_a_clause_and_its_rules_light_each_other(browser, pages):
    with opened(browser, pages / "coupons.html") as page:
        pair = page.locator(".pair").nth(1)
        pair.locator(".line", has_text="isNear").hover()
        assert ["isNear" in text for text in pair.locator(".rule.lit").all_inner_texts()] == [True]
        pair.locator(".rule", has_text="isNear").focus()
        lit = pair.locator(".line.lit").all_inner_texts()
        assert [line.split()[0] for line in lit] == ["STREAM", "?user"]


def test_windows_are_those_of_the_logic(browser, pages):
    with opened(browser, pages / "minus.html") as page:
        windows = page.evaluate("JSON.parse(document.getElementById('data').textContent).page")
        timeline = Interval(*windows["timeline"])
        for place, one in enumerate(windows["windows"]):
            own = TimeWindow(one["past"], one["future"], one["step"])
            for t in timeline:
                shown = own.bounds(t, timeline)
                assert page.evaluate(f"larsShows({place}, {t})") == [shown.first, shown.last]


def test_hostile_strings_are_shown_and_not_run(browser, pages):
    with opened(browser, pages / "hostile.html") as page:
        page.click("#differences button.row")
        assert "</script>" in page.inner_text("#differences")


@pytest.mark.parametrize("name", ["coupons", "met"])
def test_a_narrow_window_needs_no_sideways_scrolling(browser, pages, name):
    with opened(browser, pages / f"{name}.html", width=390, color_scheme="dark") as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(("name", "scheme"), [("coupons", "light"), ("met", "dark")])
def test_nothing_is_in_the_way_of_a_screen_reader(browser, pages, name, scheme):
    package = pytest.importorskip("axe_playwright_python", reason="axe-core finds what is in the way")
    from pathlib import Path

    axe = (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    with opened(browser, pages / f"{name}.html", color_scheme=scheme) as page:
        if name == "coupons":
            page.click("#differences button.row")
        page.evaluate(axe)
        found = page.evaluate("axe.run(document)")
        assert json.dumps([(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]) == "[]"


def test_print_shows_all_and_no_tools(browser, pages):
    with opened(browser, pages / "coupons.html") as page:
        page.emulate_media(media="print")
        assert page.locator(".tools").first.is_hidden()
        assert page.evaluate("getComputedStyle(document.querySelector('.wide')).overflow") == "visible"
        assert len(page.pdf()) > 10_000
