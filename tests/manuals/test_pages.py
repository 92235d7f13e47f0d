"""The pages as pages: short enough, links that lead somewhere, nothing that no test knows."""

import re
from pathlib import Path

import pytest

from tests.manuals.pages import MANUALS, PAGES, ROOT, block, prose, tables
from translate.strict import check_strict

TESTS = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
STRICT = {"query.csparql.rq": "csparql-0.9.7", "query.cqels.rq": "cqels-1.x"}


def test_the_first_page_is_read_in_three_minutes():
    assert len(PAGES["README.md"].encode()) <= 7500


@pytest.mark.parametrize(
    ("query", "engine"),
    [
        (block("README.md", "sparql"), "cqels-1.x"),
        *(
            (path.read_text(encoding="utf-8"), STRICT[path.name])
            for path in sorted((ROOT / "samples").glob("*/query.c*.rq"))
            # CQELS 1.x knows no MINUS, and of CQELS 2 there is no parser here.
            if path.name in STRICT and (path.parent.name != "minus" or "csparql" in path.name)
        ),
    ],
)
def test_the_engines_themselves_accept_the_example_queries(query, engine):
    check_strict(query, "q.rq", engine)


@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_long(page):
    # A row of a table cannot be broken.
    long = [line for line in PAGES[page].splitlines() if len(line) > (600 if line[:1] == "|" else 300)]
    assert [line[:60] for line in long] == []


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.+)", re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def links():
    """Return each link to a file with its page."""
    return [
        (page, target) for page in PAGES for target in re.findall(r"\]\((?!https:)([^)]+)\)", prose(page))
    ]


def test_each_link_leads_somewhere():
    assert [(page, target) for page, target in links() if not leads_somewhere(page, target)] == []


def leads_somewhere(page, target):
    file, _, anchor = target.partition("#")
    found = ((ROOT / page).parent / file).resolve().relative_to(ROOT.resolve()) if file else Path(page)
    return (ROOT / found).exists() and (not anchor or anchor in anchors(str(found)))


@pytest.mark.parametrize("page", MANUALS)
def test_each_table_is_known_to_a_test(page):
    assert [header for header in tables(page) if f'"{page}", "{header.split(" | ")[0]} |' not in TESTS] == []


@pytest.mark.parametrize("page", MANUALS)
def test_each_folder_that_is_named_is_there(page):
    named = re.findall(r"`((?:samples|tests|agreement|lars|solver|translate)/[\w./*-]+)`", prose(page))
    assert [path for path in named if not list(ROOT.glob(path))] == []
