"""A query of the suite: what it is about, and the triples of which its streams are made."""

import re
from dataclasses import dataclass
from typing import Final

from agreement.proving.hunting import Letter, QueryFamily
from lars.language.terms import XSD, Literal
from solver.facts import Triple

S: Final = "<http://e/S>"
T: Final = "<http://e/T>"
ONE: Final = "?s :p ?a ."
TWO: Final = f"{ONE} ?s :q ?b ."
A, AB, RS = "?s ?a", "?s ?a ?b", "?s :r ?b ."
LEVELS: Final = ("core", "report", "operator", "windows", "static", "sparql", "engines")
"""What an engine may claim, each level by itself; every engine that claims RSP-QL has core."""


@dataclass(frozen=True, slots=True)
class SuiteQuery:
    """A query of the suite: its level, the feature that it is about, and the sentence that it tests."""

    level: str
    feature: str
    sentence: str
    family: QueryFamily

    @property
    def name(self) -> str:
        """What its tests are called by."""
        return self.family.name

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The triples that its streams are made of: those of one row first, noise last."""
        streams = dict.fromkeys(stream for stream, *_ in self.family.windows)
        noise = [(stream, _NOISE) for stream in streams]
        if self.name in _LETTERS:
            own = _LETTERS[self.name].split(", ")
            return (*((stream, _triple(text)) for text in own for stream in streams), *noise)
        triples = dict.fromkeys(
            (stream, _triple(f"{subject} {predicate} {number}"))
            for subject, number in (("s", 1), ("s", 2), ("s2", 1))
            for stream, _, _, inner in self.family.windows
            for predicate in dict.fromkeys(_PREDICATE.findall(inner))
        )
        return (*triples, *noise)


_NOISE: Final = ("<http://e/n>", "<http://e/n>", "<http://e/n>")
_PREDICATE: Final = re.compile(r":([pqr])\b")
_LETTERS: Final = {
    "alternative": "s p 1, s q 2, s2 p 3, s2 q 4",
    "filter-or": "s p 3, s q 1, s p 1, s q 2, s2 p 3",
    "constant": "s p o, s q 1, s p 1, s2 p o, s2 q 1",
    "any-predicate": "s p 1, s q 1, s2 p 1",
    "optional-nested": "s p 1, s q b, b r 1, s q c, s2 p 1",
    "sequence": "s p b, b q c, s p c, c q d, s2 p b",
    "one-or-more": "s p t, t p u, u p s, s2 p t",
    "negated": "s q 1, s p 1, s2 q 1",
    "reflexive": "s p s, s p t, t p t",
    "values": "s p 1, s p 3, s p 2, s2 p 1",
    "filter-in": "s p 1, s p 2, s p 3, s2 p 1",
    "static-outside": "s p o, s p 1, s2 p o",
    "zero-or-more": "s p t, t p u, u p s, s2 p t",
    "zero-or-one": "s p t, t p u, s2 p t",
    "bind-error": "s p 1, s p 2, s p 3, s2 p 2",
    "values-undef": "s p 2, s2 p 1, s2 p 2",
    "regex": "s p 1, s p 2, s p 10, s2 p 21",
}


def _triple(written: str) -> Triple:
    """Return the triple of three words: numbers are integers, other words IRIs."""
    subject, predicate, object_ = (
        str(Literal(word, f"{XSD}integer")) if word.isdecimal() else f"<http://e/{word}>"
        for word in written.split()
    )
    return subject, predicate, object_


def suite_query(level: str, feature: str, sentence: str, family: QueryFamily) -> SuiteQuery:
    """Return a query of the suite."""
    return SuiteQuery(level, feature, sentence, family)
