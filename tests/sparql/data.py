"""Random data: few nodes, few properties, so that joins hit, and literals of all kinds."""

from random import Random

from tests.sparql.syntax import XSD, Blank, Dataset, E, Iri, Literal
from tests.sparql.values import LANG_STRING

NODES = (*(Iri(E + name) for name in "abcd"), Blank("d1"), Blank("d2"))
PROPERTIES = tuple(Iri(E + name) for name in "pqr")
GRAPHS = (Iri(E + "g"), Iri(E + "h"))
ABSENT = Iri(E + "absent")
NUMBERS = (
    *(Literal(text, XSD + "integer") for text in ("1", "2", "3", "1", "2", "0")),
    *(Literal(text, XSD + "decimal") for text in ("1.5", "2", "0.5")),
    *(Literal(text, XSD + "double") for text in ("1.0E0", "2.5E0")),
)
TEXTS = tuple(Literal(text) for text in ("a", "b", "ab", "1", ""))
TAGGED = (Literal("a", LANG_STRING, "en"), Literal("a", LANG_STRING, "fr"), Literal("b", LANG_STRING, "en"))
OTHERS = (
    *(Literal(text, XSD + "dateTime") for text in ("2020-01-01T00:00:00Z", "2021-06-01T12:00:00Z")),
    *(Literal(text, XSD + "boolean") for text in ("true", "false")),
)
ODD = (Literal("x", XSD + "integer"), Literal("k", E + "type"), Literal("l", E + "type"))
UNUSUAL = (
    *(Literal(text, XSD + "integer") for text in ("01", "+1")),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "2.50")),
    *(Literal(text, XSD + "double") for text in ("1", "2.5")),
    Literal("1", XSD + "boolean"),
)
"""Lexical forms that are not canonical: one value, another term."""
KINDS = ((NUMBERS, 10), (TEXTS, 4), (TAGGED, 2), (OTHERS, 2), (ODD, 1))


def literal(rng: Random, kinds=KINDS):
    (kind,) = rng.choices([one for one, _ in kinds], [weight for _, weight in kinds])
    return rng.choice(kind)


def triples(rng: Random, count, kinds, share):
    """Return at most `count` triples; `share` of the objects are literals."""
    found = set()
    for _ in range(count):
        thing = literal(rng, kinds) if rng.random() < share else rng.choice(NODES)
        found.add((rng.choice(NODES), rng.choice(PROPERTIES), thing))
    return frozenset(found)


def dataset(rng: Random):
    """Return a random dataset; one in twenty has lexical forms that are not canonical."""
    kinds = (*KINDS, (UNUSUAL, 8)) if rng.random() < 0.05 else KINDS
    share = rng.choice((0.0, 0.3, 0.5, 0.7))
    default = triples(rng, rng.randint(2, 12), kinds, share)
    named = {name: triples(rng, rng.randint(1, 6), kinds, share) for name in GRAPHS if rng.random() < 0.7}
    shared = frozenset(triple for triple in sorted(default, key=repr) if rng.random() < 0.15)
    return Dataset(default, {name: found | shared for name, found in named.items()})
