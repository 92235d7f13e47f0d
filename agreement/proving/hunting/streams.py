"""Make streams that can show faults: small streams around the ends of windows, then random streams."""

import random
from collections.abc import Iterator, Sequence
from itertools import chain, combinations_with_replacement, count, product, zip_longest
from typing import Final

from agreement.documents.recordings import Push
from agreement.proving.hunting.alphabets import Letter, noise_of
from agreement.proving.hunting.hunted_queries import HuntedQuery
from solver.facts import Triple
from solver.rdf import with_blanks

Stream = tuple[Push, ...]
TimedLetters = Sequence[tuple[int, Letter]]
"""Triples with their streams (letters) and times in ticks, in the order in which they are pushed."""
_MOST_STEPS: Final = 24
_ROUND: Final = 10_000
"""A time in ticks with one digit more than all times before it."""
_PAUSE: Final = 10_001
"""The time in ticks at which triples arrive again after a pause that begins at time 2."""
_AROUND: Final = (0, 1, -1)
_OLD: Final = 0.1
"""The share of random streams with late triples; few engines support them."""
_WITH_BLANKS: Final = 0.15
"""The share of random streams that contain blank nodes."""
_BLANK, _OTHER_BLANK = "_:b", "_:c"


def streams(query: HuntedQuery, seed: int) -> Iterator[Stream]:
    """Yield an infinite sequence of test streams for a query: chosen streams, then random streams.

    No chosen stream is repeated. The same seed gives the same streams.
    """
    pushes = set[Stream]()
    for timed in _interleaved(_shapes(query), _small(query)):
        if (stream := _pushed(query, timed)) not in pushes:
            pushes.add(stream)
            yield stream
    yield from random_streams(query, str(seed))


def closing_streams(query: HuntedQuery) -> Iterator[Stream]:
    """Yield test streams of few triples, in which the last triple may close a window.

    Before the last triple, triples arrive in all streams at the same times. No pause is long enough to skip
    windows. In streams of this kind, few rules of an engine have an effect.
    """
    letters = tuple({letter[0]: letter for letter in reversed(query.letters)}.values())
    ends = dict.fromkeys(chain.from_iterable((length, step, length + step) for length, step in query.windows))
    step, starts = query.windows[0][1], (1, 2, 3)
    for t in starts:
        yield _pushed(query, list(product((t, t + step, t + 3 * step, t + 3 * step + 1), letters)))
    for end, t, last in product(ends, starts, letters):
        yield _pushed(query, [*product((t,), letters), (t + end, last)])


def random_streams(query: HuntedQuery, seed: str) -> Iterator[Stream]:
    """Yield an infinite sequence of random test streams for a query.

    The same seed gives the same streams.
    """
    for number in count():
        yield _pushed(query, _random(query, random.Random(f"{seed} {query.name} {number}")))  # noqa: S311


def _interleaved(*parts: Iterator[TimedLetters]) -> Iterator[TimedLetters]:
    for group in zip_longest(*parts):
        yield from (timed_letter for timed_letter in group if timed_letter is not None)


def _pushed(query: HuntedQuery, timed: TimedLetters) -> Stream:
    """Return a test stream with times in ms, and with different labels for the blank nodes of each triple.

    Some adapters do not rename the labels of each triple. Because the labels differ, the answers do not
    depend on a renaming of labels by the adapter.
    """
    return tuple(
        Push(t * query.tick, stream, _with_own_labels(triple, number))
        for number, (t, (stream, triple)) in enumerate(timed)
    )


def _with_own_labels(triple: Triple, number: int) -> Triple:
    subject, predicate, object_ = (with_blanks(term, lambda label: f"{label}{number}") for term in triple)
    return subject, predicate, object_


def _edges(query: HuntedQuery) -> list[int]:
    """Return the ticks (times) at which windows with t0 = 0 open or close, and the ticks before and after."""
    ends = {k * step + end for length, step in query.windows for k in range(4) for end in (0, length)}
    return sorted({t + d for t in ends for d in _AROUND if t + d >= 0})


def _reach(query: HuntedQuery) -> int:
    """Return the number of ticks after which a triple is in no window, whatever the start time t0 is."""
    return max(length + step for length, step in query.windows)


def _small(query: HuntedQuery) -> Iterator[TimedLetters]:
    """Yield test streams of two or three triples that arrive when windows open or close.

    The last triple arrives after all windows with the other triples are closed.
    """
    edges, reach, letters = _edges(query), _reach(query), query.letters
    first = edges[: max(6, len(edges) // 2)]
    # The letters vary faster than the times, so that streams with two different letters come early.
    pairs = ((0, 0), (0, 1), (1, 0), (0, 2))
    for t in first:
        yield _ended(query, [(t, letters[0])], reach)
    for one, other in combinations_with_replacement(edges, 2):
        for a, b in pairs:
            timed = [(one, letters[a % len(letters)]), (other, letters[b % len(letters)])]
            yield _ended(query, timed, reach)


def _ended(query: HuntedQuery, timed: TimedLetters, reach: int) -> TimedLetters:
    """Return a test stream with additional triples that arrive after its windows are closed.

    The additional triples are in one stream of the query, or in all its streams. The additional triples match
    no pattern of the query.
    """
    last = max(t for t, _ in timed)
    noises = [letter for letter in query.letters if letter[1] == noise_of(query.letters)[1]]
    # The stream of the additional triple varies, because an engine may wait for a triple in one stream.
    number = sum(t for t, _ in timed) % (len(noises) + 1)
    return [*timed, *((last + reach, noise) for noise in (noises[number : number + 1] or noises))]


def _shapes(query: HuntedQuery) -> Iterator[TimedLetters]:
    """Yield various test streams, for example with many triples, long pauses, late or repeated triples."""
    letters, reach = query.letters, _reach(query)
    a, b, *_ = (*letters, *letters)
    length, step = query.windows[0]
    far = min(2 * reach, _MOST_STEPS)
    yield [
        (t, pair) for t in range(far) for pair in (letters[t % len(letters)], letters[(t + 1) % len(letters)])
    ]
    # An engine may begin again after a long pause; a few queries show that early.
    if query.windows == ((length, length),):
        dense = [(_PAUSE + t, letters[t % len(letters)]) for t in range(far)]
        yield [(1, a), (2, b), *dense]
    # Faults of aggregates, LIMIT and ORDER BY need an answer of many rows.
    yield _ended(query, [(1, letter) for letter in letters], reach)
    yield from _blanks(query)
    yield [(t, a) for t in range(far)]
    yield from _vanishing(query)
    yield from _bursts(query, (1, length))
    yield [(t, noise_of(letters)) for t in range(far)]
    yield from _late(query, (length, 1))
    for start in (0, 1, step, reach):
        yield [(start + t, letters[t % len(letters)]) for t in range(far)]
        yield [(start + t, b) for t in range(far)]
        yield [(start + step * k, letters[k % len(letters)]) for k in range(_MOST_STEPS // 2)]
    for stretch in (1, 2, 3):
        # Some windows stay empty, and a row of an earlier window comes back in a later one.
        yield [(stretch * k, letters[(k * k) % len(letters)]) for k in range(_MOST_STEPS // 2)]
        yield _ended(query, [(k * (reach + stretch) + k % 2, a) for k in range(4)], reach)
    yield from _bursts(query, (0, length - 1, length + 1))
    yield from _late(query, (step, reach))
    # An engine may lose its state at a round time, or store times with too few digits.
    yield [(_ROUND - reach + t, letters[t % len(letters)]) for t in range(far)]


def _vanishing(query: HuntedQuery) -> Iterator[TimedLetters]:
    """Yield test streams with which rows appear, disappear together or one by one, and appear again."""
    letters, reach = query.letters, _reach(query)
    step, noise = query.windows[0][1], noise_of(letters)
    later = [(t, noise) for t in range(1 + step, 1 + 2 * reach, step)]
    every = [(1, letter) for letter in letters]
    yield _ended(query, [*every, *later, (1 + 2 * reach, letters[0]), (2 + 2 * reach, noise)], reach)
    one_by_one = [(1 + n * step, letter) for n, letter in enumerate(letters[:3])]
    yield _ended(query, [*one_by_one, *((3 * step + t, noise) for t, noise in later)], reach)
    for first in letters[:2]:
        beside = [(1 + n * (reach + 1), letter) for n, letter in enumerate(letters)]
        yield _ended(query, [one for t, letter in beside for one in ((t, first), (t, letter))], reach)


def _blanks(query: HuntedQuery) -> Iterator[TimedLetters]:
    """Yield test streams with blank nodes in several triples, or with a blank node twice in a triple."""
    step, reach = query.windows[0][1], _reach(query)
    letters = _blank_letters(query)
    twice = [letter for letter in letters if letter[1][2] in (_BLANK, _OTHER_BLANK)]
    if once := [letter for letter in letters if letter not in twice]:
        yield _ended(query, list(product((1, 2, 1 + step), once)), reach)
    if twice:
        yield _ended(query, list(product((1, 1 + step), [*twice, query.letters[0]])), reach)


def _blank_letters(query: HuntedQuery) -> list[Letter]:
    """Return triples with blank nodes for each stream and predicate, to make test streams from.

    If the query has ORDER BY, the result is empty, because SPARQL does not define the order of blank nodes.
    """
    if query.read.modifiers.order:
        return []
    noise = noise_of(query.letters)[1]
    firsts = {(stream, triple[1]): triple for stream, triple in reversed(query.letters) if triple != noise}
    return [
        (stream, (_BLANK, predicate, other))
        for (stream, predicate), (_, _, object_) in firsts.items()
        for other in (object_, *((_BLANK, _OTHER_BLANK) if object_.startswith("<") else ()))
    ]


def _bursts(query: HuntedQuery, times: Sequence[int]) -> Iterator[TimedLetters]:
    """Yield test streams in which all triples arrive at one time, or a triple arrives twice at one time."""
    letters, reach = query.letters, _reach(query)
    a, b, *_ = (*letters, *letters)
    length, step = query.windows[0]
    for t in times:
        burst = [(t, letter) for letter in letters]
        yield _ended(query, burst, reach)
        yield _ended(query, [*burst, *((t + length, letter) for letter in letters)], reach)
        yield _ended(query, [(t, a), (t, a), (t, b), (t + step, a)], reach)
        yield [*burst, (t + length, a), (t + length, b), (t + length + step, a), (t + 3 * reach, b)]


def _late(query: HuntedQuery, delays: Sequence[int]) -> Iterator[TimedLetters]:
    """Yield test streams with a late triple, which arrives after a triple with a later time."""
    letters, reach = query.letters, _reach(query)
    a, b, *_ = (*letters, *letters)
    length, base = query.windows[0][0], reach + 1
    for late in delays:
        yield _ended(query, [(base, a), (base - late, b), (base + 1, noise_of(letters))], reach)
        dense = [(base + t, letters[t % len(letters)]) for t in range(length)]
        yield _ended(query, [*dense, (base + length - 1 - late, b)], reach)
    # These late triples belong to a window that has already been reported.
    after = 1 + reach
    for letter in (a, b):
        yield [(1, a), (after, b), (2, letter), (after + 1, a), (after + reach, a)]


def _random(query: HuntedQuery, draw: random.Random) -> TimedLetters:
    """Return a random test stream of 2 to 16 triples, with short or long pauses, and rarely late triples.

    After the windows are closed, triples that match no pattern arrive.
    """
    reach, letters = _reach(query), query.letters
    pool = draw.sample(letters, min(len(letters), draw.randint(1, 4)))
    if draw.random() < _WITH_BLANKS and (blank := _blank_letters(query)):
        pool += draw.sample(blank, min(len(blank), 2))
    t, timed = draw.choice((0, 0, 1, draw.randrange(reach + 1))), list[tuple[int, Letter]]()
    late = draw.random() < _OLD
    for _ in range(draw.randint(2, 16)):
        back = draw.randrange(reach) if late and draw.random() < 2 * _OLD else 0
        timed.append((max(0, t - back), draw.choice(pool)))
        t += draw.choice((0, 1, 1, 1, 2, draw.randrange(reach + 1)))
    return _ended(query, timed, reach)
