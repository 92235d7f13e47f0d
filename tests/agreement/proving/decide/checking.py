"""What `lars decide` says of a small query, held against the naive evaluation and a search."""

import re
from functools import lru_cache
from typing import get_args

from agreement.comparing.agree.agreeing import pairs
from agreement.proving.decide import AgreementQuestion, Decider
from agreement.proving.decide.question import Places
from lars.language.terms import DEFAULT, XSD, Iri, Literal
from tests.agreement.proving.decide import naive
from translate.dialects import read_query
from translate.model.query import Setting, Trigger

TERM = re.compile(r'<([^>]*)>|"((?:[^"\\]|\\.)*)"(?:\^\^<(?:[^>]*#)?([^>]*)>|@(\w+))?|_:(\w+)')


def question(small, static=None, trigger="any"):
    """Return the question of a small query; `static` None leaves the static data free."""
    text = naive.query_text(small, merged=False)
    stock = None if static is None else tuple((*map(term, one), DEFAULT) for one in static)
    setting = Setting(bounds=small.bounds, trigger=trigger)
    return AgreementQuestion(derived(text), setting, stock, Places(text, "small.rq"))


@lru_cache(maxsize=1000)
def derived(text):
    """Return a CQELS query with the C-SPARQL query that is derived from it."""
    (pair,) = pairs(None, read_query(text, "small.rq"), frozenset(), {})
    return pair


def term(one):
    return Iri(one[1]) if one[0] == "iri" else Literal(one[1], XSD + one[2])


def read(text):
    name, lexical, kind, tag, blank = TERM.fullmatch(text).groups()
    if name is not None:
        return ("iri", name)
    if blank is not None:
        return ("blank", blank)
    return ("lit", lexical, "langString" if tag else kind or "string")


def witnessed(small, witness, trigger="any"):
    """Return whether the naive evaluation finds the difference that a witness shows."""
    arrivals = []
    for fact in witness.facts:
        *triple, stream = map(read, fact.arguments)
        arrivals.append((fact.t, stream[1].removeprefix(naive.E), tuple(triple)))
    static = [tuple(map(read, one[:3])) for one in witness.triples]
    return naive.differs(small, arrivals, static, witness.timeline.last, trigger) is not None


def searched(small, static, count, seed, trigger="any"):
    """Return a stream on which the sides differ, None where the search finds none (A7's bounds)."""
    reading = max(sum(part[0] != "static" for part in one.parts) for one in small.branches)
    longest = max((length for length in small.windows.values() if isinstance(length, int)), default=0)
    last = -(-(longest + small.period + 1) // small.period) * small.period
    for arrivals in naive.streams(small, reading + 1, last, count, seed):
        if naive.differs(small, arrivals, static, last, trigger) is not None:
            return arrivals
    return None


def problem(seed, *, monotone=True, exotic=False, mixed=False, count=400):
    """Return the verdict on a random query, and what is wrong with it or None.

    With `exotic` its windows are of all kinds, and any trigger fires push; with `mixed` sources may overlap.
    """
    small = naive.random_small(seed, monotone=monotone)
    small = naive.mixed(small, seed) if mixed else small
    trigger = "any"
    if exotic:
        small, trigger = naive.exotic(small, seed), tuple(get_args(Trigger))[seed % 3]
    static = ((), ((naive.iri("a"), naive.iri("k"), naive.number(1)),), None, None)[seed % 4]
    found = Decider(question(small, static, trigger)).decide(small.period)
    return found.verdict, complaint(small, found, static, count=count, seed=seed, trigger=trigger)


def complaint(small, found, static, *, count, seed, trigger="any"):  # noqa: PLR0913
    """Return what is wrong with a decision, None where nothing is."""
    if found.witness is not None and not witnessed(small, found.witness, trigger):
        return f"the witness shows no difference: {found.witness}"
    match found.verdict:
        case "always":
            data = [static] if static is not None else [(), tuple(naive.triples_of(small, "static"))]
            for one in data:
                if (stream := searched(small, one, count, seed, trigger)) is not None:
                    return f"always, yet they differ on {stream} with {one}"
        case "never" | "depends on the static data" | "not always" if found.witness is None:
            return "no witness"
        case "depends on the static data":
            stream = searched(small, (), count, seed, trigger)
            return None if stream is None else f"without static data they differ on {stream}"
        case "never" if static is None:
            for data in ((), tuple(naive.triples_of(small, "static"))):
                again = Decider(question(small, data, trigger)).decide(small.period)
                if again.verdict != "never" or not witnessed(small, again.witness, trigger):
                    return f"never, yet {again.verdict} with {data}"
        case "open" if found.witness is not None:
            return "open, yet a stream is shown on which they differ"
    return None
