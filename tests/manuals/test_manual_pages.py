"""Claims of the pages in agreement/manual that no block shows."""

import re

import pytest

from tests.manuals.pages import BLOCKS, MANUALS, PAGES, ROOT, snippets
from tests.manuals.running import lines, run

PICTURES = re.split(r"^## ", PAGES["agreement/manual/push-and-pull.md"], flags=re.MULTILINE)[1:6]
KINDS = ("Tutorial", "How-to", "Reference", "Explanation")


@pytest.mark.parametrize("section", PICTURES, ids=lambda text: text.partition("\n")[0])
def test_a_picture_has_the_cause_that_is_found(section):
    (command,) = (text for text in snippets(section) if text.startswith("lars agree "))
    code, out = run(f"{command} --in-process", ROOT)
    causes = re.findall(r"The cause of this difference is \*(.*?)\*", section)
    assert (code, all(cause in out.partition("\n")[0] for cause in causes)) == (len(causes), True), out


@pytest.mark.parametrize(
    "page", [page for page in MANUALS if page.startswith(("agreement/manual/", "samples/"))]
)
def test_a_page_names_its_kind_first(page):
    kind = PAGES[page].split("\n\n")[1].split()[0].rstrip(".:")
    assert kind in KINDS
    assert (kind == "How-to") == PAGES[page].startswith("# How to ")
    assert PAGES[page].count("\n") <= 300


def test_the_workflow_runs_commands_of_its_page():
    (workflow,) = (part for page in BLOCKS for part in BLOCKS[page] if part.kind == "yaml")
    shown = [line for part in BLOCKS[workflow.page] if part.kind == "sh" for line in lines(part)]
    assert set(re.findall(r"- run: (lars .*)", workflow.text)) <= set(shown)
