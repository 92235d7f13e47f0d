"""Queries written back: the same in their own language, and in the others where these can say it."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from lars.durations import Duration
from tests.translate.dialects.own_queries import SOURCES, readable
from translate.analysis.rewriting import rebuild
from translate.dialects import read_query
from translate.model.patterns import StreamBlock
from translate.model.query import MERGING, Language
from translate.model.windows import Range
from translate.writing import write_query
from translate.writing.expression_text import CannotSayError, write_window


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
    if isinstance(part, StreamBlock) and isinstance(part.window, Range):
        return replace(part, window=replace(part.window, ends=None, opens=close_of(part.window)))
    return part if isinstance(part, StreamBlock) else None


def close_of(window):
    """Return the time after a multiple of the slide at which a window closes."""
    if window.opens is None or window.slide is None:
        return Duration(0)
    return Duration((window.opens.nanoseconds + window.length.nanoseconds) % window.slide.nanoseconds)


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


SELECTS = (
    "?s (AVG(?v) AS ?m)",
    "(?v AS ?w) (AVG(?v) AS ?m)",
    "(AVG(?v) AS ?m) (?v AS ?w)",
    "(MAX(?v) + 1 AS ?m) (?v AS ?w)",
)


NAMED = [each for each in Language if each not in MERGING and each.manner.texts is None]


@pytest.mark.parametrize("language", NAMED)
@pytest.mark.parametrize("selected", SELECTS)
def test_a_sample_that_is_meant_is_the_one_that_is_written(selected, language):
    query = read_query(
        f"SELECT {selected} {{ STREAM <S> [RANGE 2s SLIDE 1s] {{ ?s <p> ?v }} }}", "q", None, "http://e/"
    )
    found = read_query(write_query(query, language), "w", language)
    assert replace(common(found), notes=()) == replace(common(query), notes=())


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("digits", [17, 18, 19, 40])
def test_a_duration_is_written_as_it_is_read_or_not_at_all(language, digits):
    duration = Duration(int("7" * digits) * 10**6)
    try:
        text = write_window(Range(duration, duration), language)
    except CannotSayError:
        assert digits > 17 or "ms" not in language.manner.units
        return
    assert max(map(len, re.findall("[0-9]+", text))) <= 18
