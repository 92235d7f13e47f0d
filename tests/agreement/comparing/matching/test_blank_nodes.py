"""Rows are compared up to the names of blank nodes."""

import random
import sys
from collections import Counter
from functools import partial
from itertools import permutations, product
from operator import eq

import pytest

from agreement.comparing.matching import blank_nodes
from agreement.comparing.matching.blank_names import names_by_report
from agreement.comparing.matching.blank_nodes import alike, alike_rows
from lars.errors import FailedRunError


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({("_:a", "<x:p>")}, {("_:b", "<x:p>")}, True),
        ({("_:a", "<x:p>"), ("_:b", "<x:p>")}, {("_:c", "<x:p>")}, False),
        ({("_:a", "_:a")}, {("_:a", "_:b")}, False),
        ({("_:a", None), ("<x:c>", "_:a")}, {("_:d", None), ("<x:c>", "_:d")}, True),
        ({("_:a", '"_:b"')}, {("_:c", '"_:d"')}, False),
        ({("<<( _:in <x:p> <x:o> )>>",)}, {("<<( _:a <x:p> <x:o> )>>",)}, True),
    ],
)
def test_rows_are_compared_up_to_the_names_of_blank_nodes(one, other, same):
    assert alike(frozenset(one), frozenset(other)) is same


def renamed(rows, names):
    return [tuple(names.get(text, text) for text in row) for row in rows]


def test_rows_are_alike_where_some_renaming_of_all_makes_them_equal():
    """Random rows and their renaming, often with another term, against all renamings."""
    labels, others = [f"_:{name}" for name in "abcd"], [f"_:{name}" for name in "vwxyz"]
    found = Counter()
    for seed in range(400):
        draw = random.Random(seed)
        terms = [*labels[: draw.randint(1, 4)], "<x:c>", None]
        rows = [tuple(draw.choices(terms, k=2)) for _ in range(draw.randint(1, 6))]
        other = renamed(rows, dict(zip(labels, draw.sample(others, 4), strict=True)))
        if draw.random() < 0.6:
            number, place = draw.randrange(len(other)), draw.randrange(2)
            other[number] = (*other[number][:place], draw.choice(others), *other[number][place + 1 :])
        own = sorted({text for row in other for text in row if text in others})
        right = any(
            Counter(renamed(other, dict(zip(own, chosen, strict=True)))) == Counter(rows)
            for chosen in permutations(labels, len(own))
        )
        assert alike_rows(rows, other) is right
        found[right] += 1
    assert min(found.values()) > 100


def test_rows_with_many_nodes_of_one_kind_are_compared_in_time():
    """Each node has the same rows as all others, so that only trying tells the partners."""
    every = [[(f"_:{name}{n}", f"_:{name}{(n + 1) % 60}") for n in range(60)] for name in "ab"]
    apart = [(f"_:c{n}", f"_:c{n - n % 30 + (n + 1) % 30}") for n in range(60)]
    assert alike_rows(*every)
    assert not alike_rows(every[0], apart)


def cycles(name, *lengths):
    return [
        (f"_:{name}{cycle}.{n}", f"_:{name}{cycle}.{(n + 1) % length}")
        for cycle, length in enumerate(lengths)
        for n in range(length)
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([(f"_:a{n}",) for n in range(5000)], [(f"_:b{n}",) for n in range(5000)], True),
        ([(f"_:a{n}",) for n in range(5000)], [(f"_:b{n}",) for n in range(4999)], False),
        ([("_:a", f"_:a{n}") for n in range(2000)], [("_:b", f"_:b{n}") for n in range(2000)], True),
        (
            [(f"_:a{n}", f"_:c{m}") for n in range(60) for m in range(60)],
            [(f"_:b{n}", f"_:d{m}") for n in range(60) for m in range(60)],
            True,
        ),
        (cycles("a", *[3] * 400), cycles("b", *[3] * 400), True),
        (cycles("a", *[3] * 8), cycles("b", *[3] * 6, 6), False),
        (cycles("a", *[3, 4] * 30, *[6] * 30), cycles("b", *[6] * 30, *[4, 3] * 30), True),
        (cycles("a", *[3, 9] * 60), cycles("b", *[6] * 120), False),
    ],
)
def test_many_interchangeable_nodes_are_compared_in_time(one, other, same):
    """Nodes with the same rows, and groups of nodes without a common row."""
    assert alike(frozenset(one), frozenset(other)) is same
    assert alike_rows(one, other) is same


PLACES = list(product(range(4), range(4)))
ROOK = [(a, b) for a in PLACES for b in PLACES if a != b and (a[0] == b[0] or a[1] == b[1])]
SHRIKHANDE = [
    (a, b)
    for a in PLACES
    for b in PLACES
    if ((a[0] - b[0]) % 4, (a[1] - b[1]) % 4) in {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
]


def drawn(name, pairs):
    return [(f"_:{name}{a}", f"_:{name}{b}") for a, b in pairs]


def test_nodes_with_equally_many_rows_and_neighbours_are_told_apart():
    """Each two nodes have two common neighbours in both graphs; only one graph has four nodes that are all
    neighbours.
    """
    turned = [((b, a), (d, c)) for (a, b), (c, d) in ROOK]
    assert alike_rows(drawn("a", ROOK), drawn("b", turned))
    assert not alike_rows(drawn("a", ROOK), drawn("b", SHRIKHANDE))


def test_a_search_that_takes_too_long_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(blank_nodes, "_MOST_VISITED", 1000)
    with pytest.raises(FailedRunError, match="cannot compare 96 rows with blank nodes: too many renamings"):
        alike_rows(drawn("a", ROOK), drawn("b", SHRIKHANDE))


def test_the_names_of_many_rows_are_searched_without_recursion(request):
    request.addfinalizer(partial(sys.setrecursionlimit, sys.getrecursionlimit()))
    sys.setrecursionlimit(1_000)
    count = 3_000
    expected = [(f"_:e{n}", f"<x:{n}>") for n in range(count)]
    (names,) = names_by_report(expected, [[(f"_:r{n}", f"<x:{n}>") for n in range(count)]], eq)
    assert names == {f"_:r{n}": f"_:e{n}" for n in range(count)}
