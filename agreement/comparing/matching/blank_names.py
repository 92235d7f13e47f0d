"""Rename the blank nodes of actual rows to the blank nodes of expected rows.

`rename_blanks` renames the blank nodes of one report. The functions of `blank_nodes.py` decide whether a
renaming makes the expected and the actual rows equal. If no such renaming exists, two rules choose the names.
First, blank nodes with the same surroundings get the same name. Then, blank nodes that share the most rows
get the same name. The surroundings of a blank node are all rows that contain it, without the labels of other
blank nodes.

`names_by_report` renames the blank nodes of several reports, if each report has labels of its own.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from functools import cmp_to_key
from typing import Final

from agreement.comparing.matching.blank_nodes import Key, alike_rows, blanks, is_blank
from agreement.comparing.matching.numbers import Close, Number, nearest_close
from solver.facts import Row


def rename_blanks(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> list[Key]:
    """Return the actual keys with their blank nodes renamed to the names of expected blank nodes.

    Different blank nodes get different names. If no renaming makes the expected and the actual rows equal,
    blank nodes that share the most rows get the same name. A key is a row in the form for comparison.

    Raises:
        FailedRunError: The search for a renaming takes too many steps.
    """
    if not any(map(blanks, actual)) or Counter(expected) == Counter(actual):
        return list(actual)
    # Rows without blank nodes need no names.
    mine, yours = ([key for key in keys if blanks(key)] for keys in (expected, actual))
    nearest, grouped = _by_nearest(mine, yours, close), _by_first((*mine, *yours), close)
    best, most = dict[str, str](), -1
    # If no two numbers are in one group, both ways to number them give the same names.
    for numbers in (nearest, grouped) if len({*grouped.values()}) < len(grouped) else (nearest,):
        left, right = ([_plain(key, numbers) for key in keys] for keys in (mine, yours))
        names = _names(left, right)
        shared = (Counter[Key](left) & Counter(_renamed(right, names))).total()
        # `_names` chooses greedily, so it can miss a renaming that makes all rows equal.
        if shared < max(len(left), len(right)) and alike_rows(left, right):
            return _as_expected(expected, actual)
        if shared > most:
            best, most = names, shared
        if shared == len(left) == len(right):
            break
    return _renamed(actual, best)


_MOST_STEPS: Final = 10_000
"""The maximum number of steps of the search for the names of several reports: about a second (a guess)."""


def names_by_report(
    expected: Sequence[Key], reports: Sequence[Sequence[Key]], close: Close
) -> list[dict[str, str]]:
    """Return, for each report, a mapping from its blank nodes to names of expected blank nodes.

    In one report, different blank nodes get different names. With the returned names, as few expected rows as
    possible are missing in all reports, and the reports have as few other rows as possible.

    The search is branch and bound. At each step, the next actual row gets the labels of an expected row that
    is equal up to labels, or gets no partner. Each further actual row covers at most one further expected
    row. A branch ends if it cannot be better than the best names found so far. If the search reaches its
    limit of steps, the function returns the best names found so far. The time of a step grows with the number
    of rows that are equal up to labels.
    >>> names_by_report([("_:a",), ("_:b",)], [[("_:x",)], [("_:x",)]], lambda one, other: one == other)
    [{'_:x': '_:a'}, {'_:x': '_:b'}]
    """
    numbers = _by_nearest(expected, [key for keys in reports for key in keys], close)
    partners: dict[Row, list[tuple[int, list[str]]]] = defaultdict(list)
    for number, row in enumerate(dict.fromkeys(_plain(key, numbers) for key in expected)):
        if labels := blanks(row):
            partners[tuple(map(_masked, row))].append((number, labels))
    rows: list[tuple[int, int, int, list[str], list[tuple[int, list[str]]]]] = []
    for report, keys in enumerate(reports):
        with_blanks = [row for row in dict.fromkeys(_plain(key, numbers) for key in keys) if blanks(row)]
        pairs = ((blanks(row), partners.get(tuple(map(_masked, row)), [])) for row in with_blanks)
        rows += ((-len(with_blanks), report, len(possible), labels, possible) for labels, possible in pairs)
    # Rows of large reports first, and in a report the rows with the fewest choices: this ends branches early.
    rows.sort(key=lambda row: row[:3])
    names: list[dict[str, str]] = [{} for _ in reports]
    inverse: list[dict[str, str]] = [{} for _ in reports]
    best, fewest, steps = list[dict[str, str]](), len(rows) + len(expected) + 1, 0
    coverable, covered = sum(map(len, partners.values())), Counter[int]()

    def search(place: int, unmatched: int) -> Iterator[tuple[int, int]]:
        """Yield the arguments of each nested search; recursive calls would be too deep for many rows."""
        nonlocal best, fewest, steps
        steps += 1
        least = unmatched + max(0, coverable - len(covered) - (len(rows) - place))
        if least >= fewest:
            return
        if place == len(rows):
            best, fewest = [dict(each) for each in names], least
            return
        _, report, _, labels, possible = rows[place]
        # Uncovered expected rows first. The nested search restores `covered`, so both passes see one state.
        for again in (False, True):
            for number, others in possible:
                if (number in covered) is not again:
                    continue
                added = _extend(names[report], inverse[report], labels, others)
                if added is None:
                    continue
                covered[number] += 1
                yield place + 1, unmatched
                covered[number] -= 1
                if not covered[number]:
                    del covered[number]
                _shorten(names[report], inverse[report], added)
                if not fewest or steps > _MOST_STEPS:
                    return
        yield place + 1, unmatched + 1

    running = [search(0, 0)]
    while running:
        inside = next(running[-1], None)
        if inside is None:
            running.pop()
        else:
            running.append(search(*inside))
    return best


def _extend(
    names: dict[str, str], inverse: dict[str, str], labels: list[str], others: list[str]
) -> list[str] | None:
    """Add a name for each label, and return the labels that had no name before.

    If different labels would get the same name, or a label two names, nothing changes, and the result is
    None.
    """
    added: list[str] = []
    for label, other in zip(labels, others, strict=True):
        if names.get(label, other) != other or inverse.get(other, label) != label:
            _shorten(names, inverse, added)
            return None
        if label not in names:
            names[label], inverse[other] = other, label
            added.append(label)
    return added


def _shorten(names: dict[str, str], inverse: dict[str, str], labels: list[str]) -> None:
    for label in labels:
        del inverse[names.pop(label)]


def _renamed(keys: Sequence[Key], names: dict[str, str]) -> list[Key]:
    return [tuple(_name(part, names) for part in key) for key in keys]


def _as_expected(expected: Sequence[Key], actual: Sequence[Key]) -> list[Key]:
    """Return the actual keys, with expected keys in place of the keys that contain blank nodes."""
    left = (key for key in expected if blanks(key))
    return [next(left) if blanks(key) else key for key in actual]


def _name(part: Hashable, names: dict[str, str]) -> Hashable:
    # The space keeps the name of a node without a counterpart different from all labels.
    return names.get(part, f"_: {part}") if isinstance(part, str) and is_blank(part) else part


def _by_nearest(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> dict[Hashable, int]:
    """Map each number to an index: actual numbers have the index of the nearest close expected number.

    Different expected numbers have different indexes, so that equal numbers stay together.
    """
    known = sorted(_numbers(expected), key=cmp_to_key(_order))
    numbers: dict[Hashable, int] = {number: index for index, number in enumerate(known)}
    for number in _numbers(actual) - numbers.keys():
        nearest = nearest_close(known, number, close)
        numbers[number] = len(numbers) if nearest is None else numbers[nearest]
    return numbers


def _by_first(keys: Sequence[Key], close: Close) -> dict[Hashable, int]:
    """Map each number to the index of its group: all numbers of a group are close to its least number."""
    result: dict[Hashable, int] = {}
    first: Hashable = None
    for number in sorted(_numbers(keys), key=cmp_to_key(_order)):
        if first is None or not close(first, number):
            first = number
            result[number] = len(result)
        result[number] = result[first]
    return result


def _numbers(keys: Sequence[Key]) -> set[Number]:
    return {part for key in keys for part in key if isinstance(part, Number)}


def _order(one: Number, other: Number) -> int:
    return (one > other) - (one < other)


def _plain(key: Key, numbers: dict[Hashable, int]) -> Row:
    """Return the parts of a key as texts; numbers that count as equal get the same text."""
    return tuple(
        part
        if part is None or isinstance(part, str)
        else f"number {numbers[part]}"
        if part in numbers
        else str(part)
        for part in key
    )


def _names(expected: Sequence[Row], actual: Sequence[Row]) -> dict[str, str]:
    """Return a name for each actual blank node that shares a row with an expected blank node."""
    wanted, found = _surroundings(expected), _surroundings(actual)
    names = _equal_surroundings(wanted, found)
    taken = set(names.values())
    unused = {name: rows for name, rows in wanted.items() if name not in taken}
    unnamed = {label: rows for label, rows in found.items() if label not in names}
    for _, label, name in sorted(_similarities(unused, unnamed), key=lambda each: -each[0]):
        if label not in names and name not in taken:
            names[label] = name
            taken.add(name)
    return names


def _equal_surroundings(expected: dict[str, Counter[Key]], actual: dict[str, Counter[Key]]) -> dict[str, str]:
    """Return a name for each actual blank node that has exactly the rows of an expected blank node."""
    unused: dict[frozenset[tuple[Key, int]], deque[str]] = defaultdict(deque)
    for name, rows in expected.items():
        unused[frozenset(rows.items())].append(name)
    keys = ((label, frozenset(rows.items())) for label, rows in actual.items())
    return {label: unused[key].popleft() for label, key in keys if unused.get(key)}


def _surroundings(rows: Sequence[Row]) -> dict[str, Counter[Key]]:
    """Return, for each blank node, the rows that contain it, with other blank nodes masked."""
    surroundings: dict[str, Counter[Key]] = defaultdict(Counter)
    for row in rows:
        for blank in blanks(row):
            surroundings[blank][tuple("_:self" if part == blank else _masked(part) for part in row)] += 1
    return surroundings


def _masked(part: str | None) -> str | None:
    return "_:other" if is_blank(part) else part


def _similarities(
    expected: dict[str, Counter[Key]], actual: dict[str, Counter[Key]]
) -> Iterator[tuple[float, str, str]]:
    """Yield the similarity of an actual and an expected blank node, with their names.

    The similarity is the number of rows that both blank nodes share, plus the share of these rows in all
    their rows.
    """
    names_of_row: dict[Key, list[str]] = defaultdict(list)
    for name, rows in expected.items():
        for row in rows:
            names_of_row[row].append(name)
    for label, rows in actual.items():
        for name in dict.fromkeys(name for row in rows for name in names_of_row.get(row, ())):
            common, every = (rows & expected[name]).total(), (rows | expected[name]).total()
            yield common + common / every, label, name
