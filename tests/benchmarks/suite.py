"""Which streams the suite has, what each alone tells apart, and the comment that says so.

`python -m tests.benchmarks.suite choose [QUERY..]` prints a line for each test, as the suite's list has them;
the tests of engine versions and of causes, which are written by hand, with their comments made anew.
`comments` prints the lines of the list, all with their comments made anew.
"""

import sys
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, islice, product

from agreement.documents import outputs
from agreement.documents.recordings import Push
from agreement.engines.adapters.messages import open_message
from agreement.proving.hunting import hunted_query, streams
from agreement.proving.suite.catalogue import NOISE, catalogue
from agreement.proving.suite.suite_tests import WRITTEN, chosen_streams
from lars.language.terms import XSD, Literal
from tests.agreement.proving.suite.comments import ARRIVALS, CAUSE, FAULT, RULE, VECTORS, comment, parts
from tests.agreement.proving.suite.faults import (
    ALL_OWN,
    OWN,
    USUAL,
    asked,
    differences,
    faulty_engines,
    in_bags,
)
from translate.model.query import Language

CANDIDATES, LONGEST, LOOKED = 24, 9, 1000
GAPS, PACED = ("windows", "report policies", "late arrivals"), 40
"""What a test is about that has gaps in its stream; and how many elements one without has at most."""
BY_HAND = ("late", "istream-gap", "total-gap", "time-zones", "decimals")
"""How names of queries begin whose streams are only those of `MORE`."""
_NOON, _TEN, _ELEVEN = (
    f'"2025-01-01T{time}"^^<{XSD}dateTime>' for time in ("12:00:00+02:00", "10:00:00Z", "11:00:00Z")
)


_DECIMALS = tuple(f'"{text}"^^<{XSD}decimal>' for text in ("0.1", "0.2"))
_DOUBLES = tuple(f'"{text}"^^<{XSD}double>' for text in ("1.0E-1", "2.0E-1"))


def _pair(subject, first, second):
    """Return two elements of time 1, with the predicates p and q, as the suite's list writes them."""
    return f"1 S {subject} p {first}; 1 S {subject} q {second}"


MORE = {
    "late": ("1 S s p 1; 5 S s p 2; 3 S s p 3; 11 S n n n",),
    "late-two": ("1 S s p 1; 5 S s p 2; 3 T s r 1; 11 S n n n",),
    "tumbling": (
        "1 T s p 1; 2 S s p 2; 3 T s2 p 1; 12 S n n n",
        '1 S s p "x"@en; 2 S s p "x"; 3 S s p "x"^^<http://e/type>; 12 S n n n',
        "1 S s p 1; 61 S s p 2; 70 S n n n",
    ),
    "sliding": (
        "1 S s p 1; 1 S s p 2; 1 S s p 3; 1 S s p 4; 1 S s p 5; 2 S s p 6; 2 S s p 7; 3 S s p 8; 9 S n n n",
    ),
    "filter-both": ("1 S s p 9; 3 S s q 10; 9 S n n n",),
    "across-filter": ("1 S s p 9; 3 T s r 10; 9 S n n n",),
    "time-zones": (f"{_pair('s', _NOON, _TEN)}; {_pair('s2', _ELEVEN, _NOON)}; 7 S n n n",),
    "decimals": (f"{_pair('s', *_DECIMALS)}; {_pair('s2', *_DOUBLES)}; 7 S n n n",),
    "minimum": ("1 S s p 9; 1 S s p 10; 7 S n n n",),
    "maximum": ("1 S s p 10; 1 S s p 9; 7 S n n n",),
    "filter": ('1 S s p "x"; 7 S n n n',),
    "static-outside": ("1 S s2 p o; 7 S n n n",),
    "limit": ("1 S s p 9; 3 S s p 10; 9 S n n n",),
    "two-limit": ("1 S s p 1; 2 T s r 9; 3 T s r 10; 3 T s2 r 11; 9 S n n n",),
    "named-stream": ("1 S s p 1; 2 T s p 2; 3 S s2 p 1; 12 T n n n",),
    "three": (
        "1 S s p 1; 2 T s r 1; 3 S s q 1; 9 S n n n",
        "1 S s p 1; 1 S s q 1; 3 T s r 1; 9 S n n n",
        "1 S s p 1; 3 S s q 1; 3 S s q 2; 4 T s r 1; 10 S n n n",
    ),
    "total-gap": ("1 S s p 1; 9 S s p 2; 15 S n n n",),
    "istream-gap": ("1 S s p 1; 11 S s p 1; 19 S n n n",),
    "total": ("1 S n n n; 7 S n n n", "1 S s p 1; 5 S n n n; 11 S n n n"),
    "one-or-more": ("1 S s p t; 1 S s p u; 1 S t p v; 1 S u p v; 7 S n n n",),
    "regex": ("1 S s p 21; 3 S s p 1; 9 S n n n", "1 S s p 10; 7 S n n n"),
}
"""Streams beside those of the hunt: what is late, terms of other kinds, numbers of two digits, long gaps."""


def text_of(query):
    return WRITTEN[Language.RSPQL].text(query.family)


def candidates(query, engines):
    """Return the streams of a query among which is chosen, the smallest first: all about its sentence."""
    made = replace(
        hunted_query(query.name, open_message(text_of(query), query.family.static)), letters=query.letters
    )
    late = query.name.startswith(BY_HAND)
    hunted = () if late else map(plain, filter(fits, islice(streams(made, 0), LOOKED)))
    small = () if late or query.name not in OWN else few(query)
    named = map(stream_of, MORE.get(query.name, ()))
    parts = (dict.fromkeys(small), dict.fromkeys(hunted), dict.fromkeys(named))
    about = ((one for one in part if is_about(query, one, engines)) for part in parts)
    found = dict.fromkeys(one for part in about for one in islice(part, CANDIDATES))
    if query.feature not in GAPS and not query.name.endswith("-gap"):
        found = {one for one in map(partial(paced, query), found) if is_about(query, one, engines)}
    elif query.level != "report" and query.feature in GAPS:
        found |= dict.fromkeys(map(partial(paced, query), found))
    return sorted(found, key=lambda one: (one != paced(query, one), len(one), sum(push.t for push in one)))


def paced(query, stream):
    """Return a stream with noise at each time from the first of each of its streams, if it is in order.

    Engines that look at windows when something comes skip those that nothing came for: that is a fault, and
    tests of what windows are about show it. Others fail for what they are about alone.
    """
    own = {one: [push.t for push in stream if push.stream == one] for one, *_ in query.family.windows}
    last = stream[-1].t
    noise = [
        Push(t, name, NOISE)
        for name, times in own.items()
        for t in (range(min(times), last) if times else ())
        if t not in times
    ]
    found = tuple(sorted((*stream, *noise), key=lambda push: push.t))
    times = [push.t for push in stream]
    return found if times == sorted(times) and len(found) <= PACED else stream


def few(query):
    """Yield streams of up to four elements and one that moves time on, each letter once: small ones first."""
    letters, reach = query.letters[: len(query.letters) - 1], sum(max(query.family.windows)[1:3])
    for size in (1, 2, 3, 4):
        for own in combinations(letters[:6], size):
            for times in product(*[(1, 3, 5, 4, 0)[: 5 if size < 3 else 7 - size - size // 4]] * size):
                timed = sorted(zip(times, own, strict=True), key=lambda one: one[0])
                pushes = [Push(t, stream, triple) for t, (stream, triple) in timed]
                yield (*pushes, Push(max(times) + reach, *query.letters[-1]))


def fits(stream):
    times = [one.t for one in stream]
    return len(stream) <= LONGEST and times == sorted(times)


def plain(stream):
    return tuple(Push(int(one.t), one.stream, one.triple) for one in stream)


def stream_of(words):
    """Return a stream as the suite's list writes it."""
    return tuple(_push(part) for part in words.split("; "))


def _push(written):
    t, stream, *words = written.split()
    return Push(int(t), f"<http://e/{stream}>", tuple(map(_term, words)))


def _term(word):
    if word.startswith('"'):
        return word
    return str(Literal(word, f"{XSD}integer")) if word.isdecimal() else f"<http://e/{word}>"


def is_about(query, stream, engines):
    """Whether a stream shows a fault of what the query is about."""
    if query.name not in OWN:
        return True
    named = {one.says: one for one in engines}

    def shows(name):
        return named[name].shows(text_of(query), query.family.static, stream)

    return any(map(shows, OWN[query.name])) and (query.name not in ALL_OWN or shows(ALL_OWN[query.name]))


def columns(query, stream, engines):
    """Return what a stream tells apart: an engine from the usual one, or two admissible vectors."""
    text = text_of(query)
    static = query.family.static
    asked(text, static, stream).look(one.vector for one in engines if one.base is None)
    every = ((one.says, one.answers(text, static, stream)) for one in engines)
    answers = {says: None if found is None else in_bags(found) for says, found in every}
    every = [(one.t, one.stream, one.triple) for one in stream]
    repeated = len(set(every)) < len(every)
    judged = [one for one in engines if one.vector.by_clock or not repeated]
    found = {
        (one.base.says, one.says)
        for one in judged
        if one.base is not None and answers[one.says] not in (None, answers[one.base.says])
    }
    # Where a query is about SPARQL the usual vector stands for all: others are left out.
    near = [one for one in judged if one.base is None]
    few = near[:1] if query.level in ("sparql", "static") else near
    for one in few:
        for other in near:
            if answers[one.says] != answers[other.says] and near_by(one.vector, other.vector):
                found.add((one.says, other.says))
    return found


@cache
def near_by(one, other):
    return len(differences(one, other)) == 1


def chosen(query, engines):
    """Return streams none of which can be left out, with what each alone tells apart."""
    if query.name.startswith("late"):
        # Of what is late nothing is said: one fault is looked at.
        engines = [one for one in engines if one.says in ("none", *OWN[query.name])]
    if query.level in ("sparql", "static"):
        engines = [
            one
            for one in engines
            if len(differences(one.vector, USUAL)) < 2 and not one.says.endswith(ARRIVALS)
        ]
    matrix = [(stream, columns(query, stream, engines)) for stream in candidates(query, engines)]
    left = set().union(*(found for _, found in matrix))
    kept = []
    for stream, found in matrix:
        if found & left:
            kept.append((stream, found))
            left -= found
    for one in list(kept[::-1]):
        others = set().union(*(found for other, found in kept if other is not one[0]))
        if one[1] <= others:
            kept.remove(one)
    for stream, found in kept:
        others = set().union(*(more for other, more in kept if other is not stream))
        yield stream, sorted(found - others), len(found)


def rank(query, pair):
    """Return how well a pair says what a test is about: faults of the query's own first, vectors last."""
    differ = parameter_of(pair)
    if differ is not None:
        usual = "none" in pair or ("content-change" in "".join(pair))
        kind = (-1 if differ == query.level else 3 + usual) if query.level == "report" else 3
        return kind, "none" not in pair, "content-change" in "".join(pair), pair
    fault = next(one for one in pair[::-1] if one != "none" and ", bounds" not in one)
    kind = 0 if fault in OWN.get(query.name, ()) else 2 if "(where" in fault else 1
    return kind, False, False, pair


def parameter_of(pair):
    """Return the parameter in which two vectors differ, None for a fault."""
    if any(one != "none" and ", bounds" not in one for one in pair):
        return None
    one, other = (parts(says) for says in pair)
    return next((name for name in one if name in other and one[name] != other[name]), "tick")


def described(query, pairs):
    """Return one of the pairs that a stream alone tells apart, as the list has it."""
    first, other = min(pairs, key=lambda one: rank(query, one))
    fault = next((one for one in (other, first) if one != "none" and ", bounds" not in one), None)
    if fault is not None:
        return f"{FAULT}{fault}"
    return f"{VECTORS}{' or '.join(sorted((first, other)))}"


def stream_line(stream):
    """Return a stream as text, in the form that `chosen_streams` reads."""
    return "; ".join(
        " ".join((outputs.plain(push.t), *(_word(term) for term in (push.stream, *push.triple))))
        for push in stream
    )


def _word(term):
    if term.startswith("<"):
        return term[len("<http://e/") : -1]
    return term.split('"')[1] if term.endswith("integer>") else term


def line(query, stream, tells, engines):
    return f"{query.name} | {stream_line(stream)} | {tells} | {comment(query, stream, tells, engines)}"


def choose(names):
    engines = list(faulty_engines())
    by_hand = [one for one in chosen_streams() if one.distinction.startswith((RULE, CAUSE))]
    for query in catalogue():
        if names and query.name not in names:
            continue
        own = [one for one in by_hand if one.query == query.name]
        for one in own:
            gaps = one.distinction.startswith(CAUSE) or query.feature in GAPS
            stream = one.stream if gaps else paced(query, one.stream)
            print(line(query, stream, one.distinction, engines), flush=True)
        if own:
            continue
        for stream, pairs, total in chosen(query, engines):
            print(line(query, stream, described(query, pairs), engines), flush=True)
            print(f"{query.name} {len(stream)} {total} {len(pairs)}", file=sys.stderr, flush=True)


def again():
    engines, queries = list(faulty_engines()), {one.name: one for one in catalogue()}
    for one in chosen_streams():
        print(line(queries[one.query], one.stream, one.distinction, engines), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "comments":
        again()
    else:
        choose(sys.argv[2:])
