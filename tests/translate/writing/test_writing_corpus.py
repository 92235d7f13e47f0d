"""Queries written back: the same in their own language, and in the others where these can say it."""

from collections import Counter
from dataclasses import replace

import pytest

from lars.durations import Duration
from tests.translate.dialects.own_queries import SOURCES, readable
from translate.analysis.rewriting import rebuild
from translate.dialects import read_query
from translate.model.patterns import StreamBlock
from translate.model.query import Language, MergedStream
from translate.model.windows import Range
from translate.writing import write_query
from translate.writing.expression_text import CannotSayError


def written(query, language, counts):
    """Return the text, or None and the reason counted."""
    try:
        return write_query(query, language)
    except CannotSayError as error:
        counts[str(error).split(";")[0].split("<")[0]] += 1


def common(query):
    """Return the query without what one language alone has."""
    same = replace(
        query, language=Language.CSPARQL, name=None, every=None, to_stream=None, registers_stream=False
    )
    others = {name: tuple(map(without_ends, getattr(query, name))) for name in ("merged", "declared")}
    return replace(same, pattern=rebuild(query.pattern, without_ends), **others)


def without_ends(part):
    if isinstance(part, StreamBlock | MergedStream) and isinstance(part.window, Range):
        origin = part.window.origin if part.window.origin != Duration(0) else None
        return replace(part, window=replace(part.window, ends=None, origin=origin))
    return part if isinstance(part, MergedStream) else None


@pytest.mark.parametrize("source", SOURCES)
def test_a_query_is_read_back_as_it_was(source):
    counts = Counter()
    for name, _, query in readable(source):
        text = written(query, query.language, counts)
        if text is not None:
            counts["same"] += 1
            assert (name, read_query(text, name, query.language)) == (name, query)
    print(source, dict(counts))
    assert counts["same"] > 0
    assert counts.total() - counts["same"] <= counts.total() // 3


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("source", SOURCES)
def test_a_query_in_another_language_is_the_same_query(source, language):
    counts = Counter()
    for name, _, query in readable(source):
        text = written(query, language, counts)
        if text is not None:
            counts["same"] += 1
            found = read_query(text, name, language)
            assert (name, found.language, common(found)) == (name, language, common(query))
    print(source, language.value, dict(counts))
    assert counts.total() > 0
