"""Random queries in which variables stand in every position, and whether the data shown of them are RDF.

What is RDF is said by the texts of N-Quads here: it shares no code with the program.
"""

import random
import re

from agreement.api import decide, witness
from agreement.proving.containment import PairQuery, decide_containment
from agreement.proving.containment import reports_containment as searched
from lars.errors import LarsError
from translate.dialects import read_query
from translate.model.query import Setting

IRI, BLANK = r"<[^<>\"{}|^`\\\s]+>", r"_:\S+"
LITERAL = r'"(?:[^"\\]|\\.)*"(?:@[a-zA-Z-]+|\^\^<[^<>]+>)?'
QUAD = re.compile(f"(?:{IRI}|{BLANK}) {IRI} (?:{IRI}|{BLANK}|{LITERAL}) (?:{IRI}|default)", re.DOTALL)
WAYS = ("decided", "searched", "decide", "witness")


def random_group(rng, first=False):
    """Return patterns in a window, in a graph, or in the static data."""
    names = ("?x", "?y", "?z")
    subject = "?x" if first else rng.choice((*names, ":a"))
    triple = f"{subject} {rng.choice((':p', ':p', ':q', *names[1:]))} {rng.choice((*names[1:], '3', ':a'))}"
    sources = ("", "STREAM :s [RANGE 2s]", "STREAM :s [RANGE 2s]", "GRAPH ?g", "STREAM ?g [NOW]", "GRAPH ?y")
    return f"{rng.choice(sources[:3] if first else sources)} {{ {triple} }}"


def random_text(rng):
    """Return a query whose parts ask for things of one name in unlike positions."""
    condition = rng.choice(("?y > 2", "isLiteral(?y)", "isBlank(?y)", "?y != 3", "?z", "isIRI(?x)"))
    filters = f" FILTER ({condition})" if rng.random() < 0.4 else ""
    word = rng.choice(("", "MINUS", "MINUS", "OPTIONAL"))
    columns = rng.choice(("?x", "?x", "?x ?z"))
    other, first = random_group(rng), random_group(rng, first=True)
    return f"PREFIX : <http://e/> SELECT {columns} {{ {first} {word} {{ {other} }}{filters} }}"


def shown(way, one, other):
    """Return the quads that are shown of two queries in a way, as texts; none where it refuses them."""
    setting = Setting(profile="sparql11")
    try:
        if way in ("decided", "searched"):
            both = (PairQuery(read_query(text, "q.rq"), setting) for text in (one, other))
            found = (decide_containment if way == "decided" else searched)(*both)
            return [] if found.witness is None else quads(found.witness.facts, found.witness.triples)
        if way == "decide":
            (verdict,) = decide(one, period=2, unit="1s").verdicts
            return [] if verdict.witness is None else quads(verdict.witness.facts, verdict.witness.triples)
        found = witness(one, period=2, unit="1s", triples=2).witnesses
        return [each for w in found for each in quads(w.facts, w.triples)]
    except LarsError:
        return []


def quads(facts, static):
    return [" ".join(fact.arguments) for fact in facts] + [" ".join(map(str, row)) for row in static]


def problem(seed):
    """Return the data that are no RDF which are shown for a random pair, and how many are shown."""
    rng = random.Random(seed)
    one, other = random_text(rng), random_text(rng)
    if rng.random() < 0.6:
        # The other is less: what it has beside, nothing in the first answers to.
        one = re.sub(r" (MINUS|OPTIONAL) \{ .* \} \}", " ", other).replace("?y", rng.choice(("?y", "3")), 1)
        one = one if one.rstrip().endswith("}") else f"{one} }}"
    listed = shown(WAYS[seed % 4] if seed % 8 < 4 and seed % 3 == 0 else "decided", one, other)
    return [(one, other, each) for each in listed if not QUAD.fullmatch(each)], len(listed)
