"""The question of samples/crowd as the frame of other queries: what each language must have a test of.

A language has one sample, `samples/crowd/query.NAME.rq`, and its windows are rows of `translate/README.md`.
Tests of all languages take their queries from these two; a new language needs no line in a test.
"""

import re
from functools import cache

from tests.manuals.pages import rows, snippets
from tests.packs import ROOT
from translate.analysis import stream_blocks
from translate.dialects import read_query
from translate.model.query import Language
from translate.writing import write_query
from translate.writing.expression_text import write_window

MEANINGS = rows(
    "translate/README.md", "| window text | language | LARS window | unit of integers | evaluated by |"
)
TITLED = {language.manner.title: language for language in Language}
WINDOWS = [(TITLED[row[1]], *snippets(row[0])) for row in MEANINGS]
"""Each window text of the manual with its language."""
PARTS = {
    "form": r"SELECT \?place \(COUNT\(DISTINCT \?who\) AS \?people\)",
    "triple": r"\?who \S*[:/]enters>? \?room ?\.?",
    "rest": r"\?room \S*[:/]partOf>?\* \?place ?\.?",
    "tail": r"GROUP BY \?place\s+HAVING \((?:COUNT\(DISTINCT \?who\)|\?people) > 1\)",
    "head": r"PREFIX \w*: <http://example\.org/>",
}
"""The parts of the question: a sample has each of them once."""


@cache
def sample(language):
    """Return the text of the question in a language."""
    return (ROOT / f"samples/crowd/query.{language.value}.rq").read_text("utf-8")


def crowd(language):
    """Return the question, read in its language."""
    return read_query(sample(language), f"query.{language.value}.rq", language)


def framed(language, **texts):
    """Return the question with other texts in the place of its parts; a triple is `?a :p ?b`."""
    text = re.sub(r"(?m)^#.*\n", "", sample(language))
    # A prefix other than `:` is kept, because the name of the stream may have it.
    texts["head"] = " ".join((*re.findall(r"PREFIX \w+: <\S+>", text), texts["head"]))
    for name, other in {"triple": "?a :p ?b .", **texts}.items():
        text, times = re.subn(PARTS[name], lambda _, other=other: other, text)
        assert times == 1, f"samples/crowd/query.{language.value}.rq needs once: {PARTS[name]}"
    return text


def windows_in(query):
    """Return the window expressions of a query."""
    read = (block.window for block in stream_blocks(query.pattern))
    return [*(block.window for block in query.merged), *read]


def with_window(language, window):
    """Return the question as it is written in a language, with another text of its only window.

    In Janus, windows of a log are those that do not begin with RANGE.
    """
    query = crowd(language)
    (own,) = windows_in(query)
    text, written = write_query(query, language), write_window(own, language)
    assert text.count(written) == 1
    text = text.replace(written, window)
    is_log = language is Language.JANUS and not window.startswith("[RANGE")
    return text.replace("ON STREAM", "ON LOG") if is_log else text
