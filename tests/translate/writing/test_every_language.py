"""Each query language that is read: it is written too, or the message names what it cannot say."""

import re
from itertools import product
from pathlib import Path

import pytest

from tests.agreement.command import lars
from tests.translate.dialects.crowd import WINDOWS, crowd, sample, windows_in, with_window
from translate.dialects import read_query
from translate.model.manner import can_say, fields_of, with_options
from translate.model.query import MERGING, Language, Setting
from translate.tau import lars_program
from translate.writing import CannotSayError, write_query
from translate.writing.expression_text import _parts_of

CROWD = Path("samples/crowd")
GRAMMARS = Path("translate/dialects")
README = Path("translate/README.md").read_text()
CLOSED = Setting(bounds="closed")


def test_each_grammar_is_a_language_that_to_names():
    grammars = {path.stem for path in GRAMMARS.rglob("*.lark") if not path.stem.startswith("_")}
    assert grammars == {language.value for language in Language}
    said = re.search(r"--to (\S+)", lars("translate", "--help").out)
    assert set(said[1].split("|")) == grammars


def test_each_language_has_a_sample_and_rows_in_the_manual():
    assert {path.suffixes[0][1:] for path in CROWD.glob("query.*.rq")} == {one.value for one in Language}
    table = README.partition("| language | windows | evaluated by default |\n")[2].partition("\n\n")[0]
    rows = re.findall(r"(?m)^\| ([\w -]+) \|", table)
    assert sorted(rows) == sorted(language.manner.title for language in Language)


def kind_of(window, language):
    """Return the kind of the template with which a language writes a window, and if the window slides."""
    templates, (kinds, parts) = language.manner.templates, _parts_of(window, language)
    kind = next(
        kind for kind in kinds if any(can_say(text, parts.keys()) for text in templates.get(kind, ()))
    )
    return kind, "slide" in parts


def kinds_of(templates):
    """Return the kinds of windows that templates write: a window whose slide is an option is two kinds."""
    texts = [(kind, text) for kind, texts in templates.items() for text in texts[:1]]
    always = {(kind, "slide" in fields_of(with_options(text, ()))) for kind, text in texts}
    return always | {(kind, "slide" in fields_of(text)) for kind, text in texts}


@pytest.mark.parametrize("language", Language)
def test_each_kind_of_window_has_a_row_in_the_table_of_meanings(language):
    texts = [text for one, text in WINDOWS if one is language]
    queries = [read_query(with_window(language, text), "q.rq", language) for text in texts]
    shown = {kind_of(window, language) for query in queries for window in windows_in(query)}
    lacking = kinds_of(language.manner.templates) - shown
    assert lacking == set(), f"translate/README.md, `| window text | language |`: {language.manner.title}"


@pytest.mark.parametrize("language", sorted(set(Language) - {Language.JANUS}, key=str))
def test_the_sample_is_recognized_as_its_language(language):
    assert read_query(sample(language), "q.rq").language is language  # Janus without a log is RSP-QL


def written(query, target):
    """Return the query read from its text in a language, or the message that refuses it."""
    try:
        return read_query(write_query(query, target), "again.rq", target)
    except CannotSayError as error:
        return str(error)


@pytest.mark.parametrize(("source", "target"), [*product(Language, Language)], ids=lambda one: one.value)
def test_the_sample_is_written_in_each_language_or_the_reason_is_named(source, target):
    query = crowd(source)
    again = written(query, target)
    if isinstance(again, str):
        # C-SPARQL and SPARQLstream merge streams, names of CQELS 2 are words, and some windows need a STEP.
        assert source is not target
        assert re.match(
            f"{target.manner.title} cannot express (that <|the stream <|the window \\[).+: .+", again
        )
        return
    assert again.language is target
    if (source in MERGING) == (target in MERGING) and source is not Language.SPARQ is not target:
        assert lars_program(again, CLOSED) == lars_program(query, CLOSED)


@pytest.mark.parametrize(("source", "text"), WINDOWS)
def test_each_window_is_written_in_each_language_or_named(source, text):
    query, said = read_query(with_window(source, text), "q.rq", source), 0
    for target in Language:
        again = written(query, target)
        if isinstance(again, str):
            assert re.match(
                f"{target.manner.title} cannot express (that <|the stream <|the window \\[).+: .+", again
            )
        elif target is source or not {source, target} & MERGING:
            assert windows_of(again) == windows_of(query), target
            said += target is source
    assert said


def windows_of(query):
    """Return the LARS windows of a query's program, whatever the stream's name is.

    If the slide divides the width, the last closed window is the window that ends at the pivot.
    """
    texts = [str(part) for rule in lars_program(query, CLOSED).rules for part in rule.body]
    windows = [re.sub(r"<[^>]*>", "", text.partition("◇")[0]) for text in texts if "◇" in text]
    return [re.sub(r"last (\d+),(\d+),0\b.*?(?=})", pivotal, one) for one in windows]


def pivotal(match):
    width, slide = map(int, match.groups())
    return match[0] if width % slide else f"{width},0,{slide}"


def test_what_strict_has_no_grammar_of_is_said_in_the_manual():
    engines = re.search(r"--strict (\S+)", lars("translate", "--help").out)[1].split("|")
    assert Language.SPARQ.value not in engines
    assert f"`--strict` is not available for {Language.SPARQ.manner.title}" in README
