"""Habits that make readers read a sentence twice, counted in manuals and in the product's docstrings.

A page whose English is rewritten joins `PLAIN`. A limit is a number of sentences in a hundred; it may
fall, and not rise.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.manuals.pages import PAGES, prose

PLAIN = [page for page in PAGES if page != "README.md"]
HABITS = {
    "a clause in place of a noun": (r"\b[Ww]hat\b", 0, "It prints what the query answers."),
    "a file that speaks": (r"\b(?:says?|said|tells?|told|speaks?)\b", 0, "The file says which one."),
    "a list in place of a rule": (r"\b(?:accepted|refused)\b", 0, "accepted: a number"),
    "where in place of if": (r"\bwhere (?!ans|o is)", 0, "It is printed where it fits."),
    "a topic in front": (
        r"(?:^|[.;:] )Of (?:an?|the|those|what|each|one|two)\b",
        0,
        "Of two sides one is right.",
    ),
    "there in place of a noun": (r"\b(?:is|are|be) there\b|\b[Tt]here (?:is|was)\b", 0, "There is a row."),
    "a verb of place": (r"\b(?:stands?|stood|lies|lay)\b", 0, "The time stands in the line."),
    "no in place of not": (r"\b(?:is|are|was|be) no\b", 0, "This is no time."),
    "as in place of for example": (r", as (?:an?|one|CODE|\d)", 0, "a duration, as 5s"),
    "so many in place of a number": (r"\bso (?:many|much|often|wide|long)\b", 0, "It runs so many cells."),
    "an old word": (r"\b(?:beside|anew|afresh|likewise|made[- ]up)\b", 0, "It is evaluated afresh."),
    "part as a verb": (
        r"\b(?:sides|engines|queries|they) part\b|\bparts them\b",
        0,
        "Here both engines part.",
    ),
    "more than 25 words": (r"(?:[^\s.;:|]+ ){25,}", 1, " ".join(["word"] * 26)),
}

PACKAGES = ("agreement", "lars", "solver", "translate")
RARE = 0.6  # of a hundred sentences in docstrings, for each habit


def sentences(page):
    """Return the page's sentences: prose, items of lists, cells of tables; code is one word."""
    text = re.sub(r"`[^`\n]*`", "CODE", re.sub(r"^#.*$", "", prose(page), flags=re.MULTILINE))
    text = re.sub(r"\]\([^)]*\)|[\[*]", "", text)
    parts = re.split(r"\n\n|\n(?=- |\|)|(?<=[.?!:])\s+(?=[A-Z])|\|", text)
    return [" ".join(part.split()) for part in parts if len(part.split()) > 2]


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_stays_away(habit):
    pattern, limit, _ = HABITS[habit]
    every = [(page, sentence) for page in PLAIN for sentence in sentences(page)]
    found = [(page, sentence) for page, sentence in every if re.search(pattern, sentence)]
    assert 100 * len(found) <= limit * len(every), found


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_is_found_in_its_example(habit):
    pattern, _, example = HABITS[habit]
    assert re.search(pattern, example)


def docstring_sentences():
    """Yield the file and the text of each sentence in the product's docstrings, without doctests."""
    root = Path(__file__).parents[2]
    for path in (path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = re.sub(r"(?m)^\s*(?:>>>|\.\.\.).*$", "", ast.get_docstring(node) or "")
                text = re.sub(r"`[^`\n]*`", "CODE", text)
                parts = re.split(r"\n\s*\n|(?<=[.?!:])\s+(?=[A-Z])", text)
                yield from ((path, " ".join(part.split())) for part in parts if len(part.split()) > 2)


def test_habits_stay_rare_in_docstrings():
    every = list(docstring_sentences())
    for habit, (pattern, *_) in HABITS.items():
        found = [(str(path), sentence) for path, sentence in every if re.search(pattern, sentence)]
        assert 100 * len(found) <= RARE * len(every), (habit, found)
