"""Prefixes for the IRIs of a text: which namespaces get one, and what it is called."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from lars.terms import XSD

_KNOWN: Final = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/2002/07/owl#": "owl",
    XSD: "xsd",
}
_SPLIT: Final = re.compile(r"([^<>\"{}|^`\\\x00-\x20]*[/#])([A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)")
_WORD: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*")
_VAGUE: Final = frozenset(
    ("http", "https", "www", "com", "org", "net", "ns", "rdf", "owl", "ttl", "resource")
)


def split(iri: str) -> tuple[str, str]:
    """Return namespace and local name; the local name is empty where a prefix cannot be used.

    >>> split("http://e.org/a#b-1"), split("urn:a")
    (('http://e.org/a#', 'b-1'), ('urn:a', ''))
    """
    found = _SPLIT.fullmatch(iri)
    return (iri, "") if found is None else (found[1], found[2])


def choose_prefixes(used: Counter[str]) -> Mapping[str, str]:
    """Return a prefix, without its colon, for each namespace used twice, and for rdf, rdfs and xsd.

    >>> dict(choose_prefixes(Counter({"http://www.w3.org/ns/sosa/": 2, XSD: 1, "http://e.org/": 1})))
    {'http://www.w3.org/2001/XMLSchema#': 'xsd', 'http://www.w3.org/ns/sosa/': 'sosa'}
    """
    chosen = {namespace: name for namespace, name in _KNOWN.items() if used[namespace]}
    for namespace, times in used.items():
        if times > 1 and namespace not in chosen:
            chosen[namespace] = _unused(_guessed(namespace), frozenset(chosen.values()))
    return chosen


def _guessed(namespace: str) -> str:
    """Return the last word of a namespace that tells it from others."""
    words = [word.lower() for word in _WORD.findall(namespace)]
    telling = [word for word in words if word not in _VAGUE and word not in _KNOWN.values()]
    return telling[-1] if telling else "p"


def _unused(name: str, taken: frozenset[str]) -> str:
    number, unused = 2, name
    while unused in taken:
        unused, number = f"{name}{number}", number + 1
    return unused
