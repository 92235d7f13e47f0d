"""Rows are compared up to the names of blank nodes."""

import random
from collections import Counter
from itertools import permutations

import pytest

from agreement.comparing.matching.blank_nodes import alike, alike_rows


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({("_:a", "<x:p>")}, {("_:b", "<x:p>")}, True),
        ({("_:a", "<x:p>"), ("_:b", "<x:p>")}, {("_:c", "<x:p>")}, False),
        ({("_:a", "_:a")}, {("_:a", "_:b")}, False),
        ({("_:a", None), ("<x:c>", "_:a")}, {("_:d", None), ("<x:c>", "_:d")}, True),
        ({("_:a", '"_:b"')}, {("_:c", '"_:d"')}, False),
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
