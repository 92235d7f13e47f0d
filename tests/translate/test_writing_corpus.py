"""Real queries written back: in their own language the same, in the others the same where they can say it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from lars.errors import LarsError
from translate.dialects import read_query
from translate.query import Language
from translate.writing import CannotSayError, write_query

SHARED = Path(__file__).parents[2] / "../shared"
FOLDERS = [*(f"queries/{language.value}/*.rq" for language in Language), "w3c-sparql/open/files/*/*.rq"]


def readable(pattern):
    paths = sorted(SHARED.glob(pattern))
    if not paths:
        pytest.skip(f"no queries at {SHARED / pattern}")
    for path in paths:
        try:
            yield path.name, read_query(path.read_text("utf-8"), path.name)
        except LarsError:
            continue


def written(query, language, counts):
    """Return the text, or None and the reason counted."""
    try:
        return write_query(query, language)
    except CannotSayError as error:
        counts[str(error).split(";")[0].split("<")[0]] += 1


def common(query):
    """Return the query without what one language alone has."""
    return replace(
        query, language=Language.CSPARQL, name=None, every=None, to_stream=None, registers_stream=False
    )


@pytest.mark.parametrize("pattern", FOLDERS)
def test_a_query_is_read_back_as_it_was(pattern):
    counts = Counter()
    for name, query in readable(pattern):
        text = written(query, query.language, counts)
        if text is not None:
            counts["same"] += 1
            assert (name, read_query(text, name, query.language)) == (name, query)
    print(pattern, dict(counts))
    assert counts["same"] > 0
    assert counts.total() - counts["same"] <= counts.total() // 3


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("pattern", FOLDERS)
def test_a_query_in_another_language_is_the_same_query(pattern, language):
    counts = Counter()
    for name, query in readable(pattern):
        text = written(query, language, counts)
        if text is not None:
            counts["same"] += 1
            found = read_query(text, name, language)
            assert (name, found.language, common(found)) == (name, language, common(query))
    print(pattern, language.value, dict(counts))
    assert counts.total() > 0
