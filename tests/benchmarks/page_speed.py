"""How large a page is, what it costs beside the command without it, how fast a browser draws it.

python -m tests.benchmarks.page_speed 140000
"""

import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from os import times
from pathlib import Path

import pandas as pd
from playwright.sync_api import sync_playwright

QUERY = """SELECT ?room ?who WHERE { STREAM <e:doors> [RANGE 9s] { ?who <e:enters> ?room }
  STREAM <e:alarms> [RANGE 5s] { ?room <e:rings> ?bell } }"""
FRAMES = """async () => {
  const found = [];
  let before = performance.now();
  for (let count = 0; count < 90; count++) {
    await new Promise(requestAnimationFrame);
    const now = performance.now(); found.push(now - before); before = now;
  }
  return found;
}"""


def page_of(count, folder):
    """A page of that many elements, ten at a time point, of which few match."""
    drawn = random.Random(7)
    rows = []
    for number in range(count):
        rings = drawn.random() < 0.02
        subject = f"<e:{'r' if rings else 'p'}{drawn.randrange(400)}>"
        other = f"<e:bell{drawn.randrange(9)}>" if rings else f"<e:r{drawn.randrange(400)}>"
        stream, predicate = ("<e:alarms>", "<e:rings>") if rings else ("<e:doors>", "<e:enters>")
        rows.append((1 + number // 10, stream, subject, predicate, other))
    trace = pd.DataFrame(rows, columns=["t", "stream", "s", "p", "o"])
    query, file, path = folder / "query.cqels", folder / "trace.parquet", folder / "page.html"
    query.write_text(QUERY, encoding="utf-8")
    trace.to_parquet(file)
    asked = ("agree", query, file, "--period", "1,7,60", "--in-process", "--unit", "1s")
    alone = spent(*asked)
    both = spent(*asked, "--report", path)
    print(
        f"{count:,} elements: agree {alone:.1f} s of CPU, with the page {both:.1f} s "
        f"({both - alone:+.1f} s, {both / alone:.2f} times); the page has {path.stat().st_size / 1e6:.2f} MB"
    )
    return path


def spent(*arguments):
    """The CPU seconds of a command as a process of its own."""
    before = times()
    ended = subprocess.run(
        [sys.executable, "-m", "agreement.cli", *map(str, arguments)], stdout=subprocess.DEVNULL, check=False
    )
    assert ended.returncode < 2
    after = times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measured(path):
    """Open a page and say what the browser measures: its first painting, its frames."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
        first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        drawn = page.evaluate("performance.getEntriesByName('draw')[0]")
        print(
            f"{path.stat().st_size / 1e6:.1f} MB; first paint {first:.0f} ms; "
            f"the timeline stands at {drawn['startTime'] + drawn['duration']:.0f} ms"
        )
        for what in ("dragging, all of it", "dragging, a hundredth"):
            if "hundredth" in what:
                for _ in range(9):
                    page.click("#zoom-in")
            dragged(page, what)
        browser.close()


def dragged(page, what):
    """Drag the timeline to and fro while frames are counted."""
    page.evaluate("performance.clearMeasures()")
    page.locator("#timeline").scroll_into_view_if_needed()
    box = page.locator("#timeline").bounding_box()
    page.evaluate(f"window.counted = ({FRAMES})()")
    page.mouse.move(box["x"] + 700, box["y"] + 50)
    page.mouse.down()
    for step in range(60):
        page.mouse.move(box["x"] + 700 + (step % 30) * 10, box["y"] + 50)
    page.mouse.up()
    frames = page.evaluate("window.counted")
    draws = page.evaluate("performance.getEntriesByName('draw').map((one) => one.duration)")
    print(
        f"{what}: a frame takes {statistics.median(frames):.0f} ms, at most {max(frames):.0f} ms; "
        f"drawing {statistics.median(draws):.1f} ms, at most {max(draws):.1f} ms ({len(draws)} times)"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for argument in sys.argv[1:] or ["140000"]:
            measured(page_of(int(argument), Path(name)))
