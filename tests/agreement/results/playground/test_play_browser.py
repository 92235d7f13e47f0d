"""The playground in a browser: an edit changes verdict, windows, rules and answers; keyboard, widths, axe."""

import json
import shutil
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agreement.command import agree
from tests.agreement.results.playground.served import playground
from tests.packs import SAMPLES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def slide():
    with playground(SAMPLES / "slide") as served:
        yield served


@contextmanager
def opened(browser, served, width=1280, **how):
    context = browser.new_context(viewport={"width": width, "height": 900}, **how)
    page, faults = context.new_page(), []
    page.set_default_timeout(30_000)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    own = (served.server.address, f"blob:http://{served.server.authority}/")
    page.on("request", lambda asked: None if asked.url.startswith(own) else faults.append(asked.url))
    page.goto(served.server.address)
    evaluated(page)
    yield page
    context.close()
    assert faults == []


def evaluated(page, state="whole"):
    """Wait until the result of the last edit is shown."""
    page.wait_for_selector(f"body[data-state={state}]")
    page.wait_for_selector("#frames:not(:has(iframe.coming)) iframe")


def frame(page):
    return page.frame_locator("#frames iframe:not(.coming)")


def edit(page, file, old, new):
    """Replace a text in a file, as somebody who types does."""
    page.get_by_role("tab", name=file).click()
    area = page.get_by_role("textbox", name=file)
    text = area.input_value()
    assert old in text
    area.fill(text.replace(old, new))


def test_an_edit_of_a_window_changes_verdict_rules_and_windows(browser, slide, tmp_path):
    with opened(browser, slide) as page:
        assert "hidden by the pivot" in frame(page).locator(".verdict").inner_text()
        edit(page, "query.csparql.rq", "RANGE 3s STEP 3s", "RANGE 7s STEP 3s")
        evaluated(page)
        assert "⊞^{7" in frame(page).locator("#step-windows").inner_text()
        edit(page, "query.cqels.rq", " SLIDE 3s", "")
        evaluated(page)
        edited = slide.server.texts.edited(
            {
                name: page.get_by_role("textbox", name=name, include_hidden=True).input_value()
                for name in slide.server.texts.texts
            }
        )
        edited.write(tmp_path)
        told = json.loads(frame(page).locator("#data").text_content())
        assert {key: value for key, value in told.items() if key != "page"} == agree(tmp_path / "slide").json


def test_an_edit_of_the_trace_or_of_u_changes_the_answers(browser, slide):
    with opened(browser, slide) as page:
        edit(page, "door.trig", ":ann :entered :hall .", ":ann :entered :hall . :bob :entered :hall .")
        evaluated(page)
        assert "bob" in frame(page).locator("main").inner_text()
        page.get_by_label("Pull period U").fill("4")
        evaluated(page)
        assert frame(page).locator(".verdict").inner_text().split(",")[0] == "✗ U = 4"


def test_an_error_is_marked_at_its_line_and_the_link_leads_there(browser, slide):
    with opened(browser, slide) as page:
        edit(page, "query.cqels.rq", "?person :entered", "?person ;entered")
        evaluated(page, "wrong")
        assert page.locator(".gutter .wrong").all_inner_texts() == ["4"]
        link = page.locator("#errors button")
        assert link.inner_text().startswith("query.cqels.rq, line 4, column ")
        page.get_by_role("tab", name="door.trig").click()
        link.click()
        area = page.get_by_role("textbox", name="query.cqels.rq")
        assert area.get_attribute("aria-invalid") == "true"
        assert (
            area.evaluate("area => area.value.slice(area.selectionStart, area.selectionStart + 8)")
            == ";entered"
        )
        page.get_by_role("button", name="Reset").click()
        evaluated(page)
        assert page.locator("#errors p").count() == 0


def test_the_keyboard_is_enough(browser, slide):
    with opened(browser, slide) as page:
        page.get_by_label("Pull period U").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        evaluated(page)
        assert "push, step by step" in frame(page).locator(".asked").inner_text()
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent").startswith("query.cqels.rq")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "query.cqels.rq"
        page.keyboard.press("Tab")  # a text area is no trap
        assert page.evaluate("document.activeElement.id") == "export"


def test_the_time_point_stays_after_an_edit(browser, slide):
    with opened(browser, slide) as page:
        frame(page).locator("#step").focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        assert frame(page).locator("#step-time").inner_text() == "t = 4"
        edit(page, "query.cqels.rq", "SLIDE 3s", "SLIDE 1s")
        evaluated(page)
        assert frame(page).locator("#step-time").inner_text() == "t = 4"


@pytest.mark.parametrize("width", [390, 800, 1200, 1600])
def test_nothing_leaves_the_window(browser, slide, width):
    with opened(browser, slide, width) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        inner = frame(page).locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert inner <= 0
        box = page.locator("#frames").bounding_box()
        assert box["height"] > 500
        assert (box["x"] > width / 3) == (width >= 900)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, slide, scheme):
    package = pytest.importorskip("axe_playwright_python", reason="axe-core finds what is in the way")
    axe = (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    with opened(browser, slide, color_scheme=scheme) as page:
        edit(page, "query.cqels.rq", "?person :entered", "?person ;entered")
        evaluated(page, "wrong")
        for where in (page, page.frames[1]):
            where.evaluate(axe)
            found = where.evaluate("axe.run(document, { iframes: false, resultTypes: ['violations'] })")
            assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


def test_the_export_is_a_zip_of_the_edited_files(browser, slide, tmp_path):
    with opened(browser, slide) as page:
        edit(page, "door.trig", ":ann", ":eve")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        download.value.save_as(tmp_path / "slide.zip")
    packed = zipfile.ZipFile(tmp_path / "slide.zip")
    assert ":eve" in packed.read("slide/door.trig").decode()
    assert set(packed.namelist()) == {f"slide/{name}" for name in slide.server.texts.texts}


def test_the_frame_of_the_result_reaches_nothing(browser, slide):
    with opened(browser, slide) as page:
        reached = page.frames[1].evaluate(
            """async () => {
              const tried = [];
              try { tried.push(window.parent.document.title); } catch (error) { tried.push(error.name); }
              try { tried.push(document.cookie); } catch (error) { tried.push(error.name); }
              return tried;
            }"""
        )
        assert reached == ["SecurityError", "SecurityError"]
