"""Read the queries of the conformance suite, with the features that they test and their triples."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from agreement.proving.hunting import Letter, QueryFamily
from lars.dataclass import dataclass
from lars.language.terms import XSD, Literal
from solver.facts import Triple

LEVELS: Final = ("core", "report", "operator", "windows", "static", "sparql", "engines")
"""The levels of the suite that an engine may claim; an engine for RSP-QL must claim `core`."""


@dataclass(frozen=True, slots=True)
class SuiteQuery:
    """A query of the conformance suite, with its level, its feature, and the rule of RSP-QL that it tests."""

    level: str
    feature: str
    sentence: str
    family: QueryFamily
    letters: tuple[Letter, ...]
    """The triples of which the query's streams consist, each with its stream.

    The triples of one row come first, and unrelated triples come last.
    """

    @property
    def name(self) -> str:
        """The name of the query, with which the names of its tests begin."""
        return self.family.name


@cache
def catalogue() -> tuple[SuiteQuery, ...]:
    """Return the queries of the conformance suite, in the order of the catalogue file."""
    text = files("agreement.proving.suite").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return tuple(_suite_query(name, query) for name, query in tomllib.loads(text).items())


def _suite_query(name: str, query: dict[str, Any]) -> SuiteQuery:
    """Return the query of the suite that an entry of the catalogue file describes."""
    level, feature, sentence = (query.pop(key) for key in ("level", "feature", "sentence"))
    letters, texts, static = query.pop("letters", ""), query.pop("texts", {}), query.pop("static", ())
    windows = tuple((f"<http://e/{stream}>", *window) for stream, *window in query.pop("windows"))
    family = QueryFamily(name, windows, static=tuple(static), texts=tuple(texts.items()), **query)
    return SuiteQuery(level, feature, sentence, family, _letters(family, letters))


NOISE: Final = ("<http://e/n>", "<http://e/n>", "<http://e/n>")
_PREDICATE: Final = re.compile(r":([pqr])\b")


def _letters(family: QueryFamily, written: str) -> tuple[Letter, ...]:
    """Return the triples from which the streams of a query's tests are made, each with its stream.

    `written` is a text that lists the triples. If `written` is empty, the function makes triples with the
    predicates of the windows' patterns.
    """
    streams = dict.fromkeys(stream for stream, *_ in family.windows)
    if written:
        triples = [
            (stream, triple_of_words(text.split())) for text in written.split(", ") for stream in streams
        ]
    else:
        triples = [
            (stream, triple_of_words((subject, predicate, number)))
            for subject, number in (("s", "1"), ("s", "2"), ("s2", "1"))
            for stream, _, _, inner in family.windows
            for predicate in dict.fromkeys(_PREDICATE.findall(inner))
        ]
    return (*dict.fromkeys(triples), *((stream, NOISE) for stream in streams))


def triple_of_words(words: Sequence[str]) -> Triple:
    """Return the triple that three words of the catalogue, such as `s p 1`, describe.

    A number is an integer literal, a word in quotes is a string literal, and any other word is an IRI.
    """
    subject, predicate, object_ = map(_term, words)
    return subject, predicate, object_


def _term(word: str) -> str:
    if word.startswith('"'):
        return word
    return str(Literal(word, f"{XSD}integer")) if word.isdecimal() else f"<http://e/{word}>"
