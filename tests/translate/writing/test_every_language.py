"""Each query language that is read: it is written too, or the message names what it cannot say."""

import re
from itertools import product
from pathlib import Path

import pytest

from tests.agreement.command import lars
from translate.dialects import read_query
from translate.model.query import MERGING, Language, Setting
from translate.tau import lars_program
from translate.writing import CannotSayError, write_query

CROWD = Path("samples/crowd")
GRAMMARS = Path("translate/dialects")
README = Path("translate/README.md").read_text()
CLOSED = Setting(bounds="closed")


def crowd(language):
    """Return the sample's query in a language."""
    path = CROWD / f"query.{language.value}.rq"
    return read_query(path.read_text(), str(path), language)


def test_each_grammar_is_a_language_that_to_names():
    grammars = {path.stem for path in GRAMMARS.rglob("*.lark") if not path.stem.startswith("_")}
    assert grammars == {language.value for language in Language}
    said = re.search(r"--to (\S+)", lars("translate", "--help").out)
    assert set(said[1].split("|")) == grammars


def test_each_language_has_a_sample_and_a_row_in_the_manual():
    assert {path.suffixes[0][1:] for path in CROWD.glob("query.*.rq")} == {one.value for one in Language}
    table = README.partition("| language | windows | evaluated by default |\n")[2].partition("\n\n")[0]
    rows = re.findall(r"(?m)^\| ([\w -]+) \|", table)
    assert sorted(rows) == sorted(language.manner.title for language in Language)


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


NAMED = "FROM NAMED WINDOW <u:w> ON {} WHERE {{ WINDOW <u:w> {{ ?a <u:p> ?b }} }}"
BLOCK = "WHERE {{ STREAM {} {{ ?a <u:p> ?b }} }}"
WINDOWS = (
    (Language.CQELS2, BLOCK.format("s [PAST 5s FUTURE 2s STEP 1s]")),
    (Language.CQELS2, BLOCK.format("s [FUTURE 4s STEP 2s]")),
    (Language.CQELS2, BLOCK.format("s [NOW]")),
    (Language.CQELS2, BLOCK.format("s [TRIPLES 9]")),
    (Language.CQELS, BLOCK.format("<u:s> [RANGE 4s]")),
    (Language.CQELS, BLOCK.format("<u:s> [ALL]")),
    (Language.JANUS, NAMED.format("LOG <u:s> [START 2000 END 9000]")),
    (Language.JANUS, NAMED.format("LOG <u:s> [OFFSET 9000 RANGE 4000 STEP 1000]")),
    (Language.SPARQ, NAMED.format("<u:s> RANGE 5 STEP 2 T0 3")),
    (Language.SPARQLSTREAM, BLOCK.format("<u:s> [NOW - 9 S TO NOW - 4 S SLIDE 2 S]")),
    (Language.RSPQL, NAMED.format("<u:s> [ELEMENTS 9]")),
    (Language.RSPQL, NAMED.format("<u:s> [RANGE PT4S]")),
)


@pytest.mark.parametrize(("source", "body"), WINDOWS)
def test_each_window_is_written_in_each_language_or_named(source, body):
    query, said = read_query(f"SELECT ?a {body}", "q.rq", source), 0
    for target in Language:
        again = written(query, target)
        if isinstance(again, str):
            assert re.match(
                f"{target.manner.title} cannot express (that <|the stream <|the window \\[).+: .+", again
            )
        elif target not in MERGING | {Language.SPARQ} or target is source:
            assert windows_of(again) == windows_of(query), target
            said += target is source
    assert said


def windows_of(query):
    """Return the LARS windows of a query's program, whatever the stream's name is."""
    texts = [str(part) for rule in lars_program(query, CLOSED).rules for part in rule.body]
    return [re.sub(r"<[^>]*>", "", text.partition("◇")[0]) for text in texts if "◇" in text]


def test_what_strict_has_no_grammar_of_is_said_in_the_manual():
    engines = re.search(r"--strict (\S+)", lars("translate", "--help").out)[1].split("|")
    assert Language.SPARQ.value not in engines
    assert f"`--strict` is not available for {Language.SPARQ.manner.title}" in README
