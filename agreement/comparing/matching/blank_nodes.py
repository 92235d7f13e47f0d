"""Match the blank nodes of two answers: by an isomorphism if possible, otherwise by their rows."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, Final

from lars.errors import FailedRunError
from solver.facts import Row
from solver.rdf import blanks_in, is_triple_term, with_blanks

Key = tuple[Hashable, ...]
Close = Callable[[Hashable, Hashable], bool]
_BLANK: Final = "_:"


def alike(one: frozenset[Row], other: frozenset[Row]) -> bool:
    """Return whether a one-to-one renaming of blank nodes makes the sets equal.

    >>> alike(frozenset({("_:a", "<x:p>")}), frozenset({("_:b", "<x:p>")}))
    True
    """
    one, other = frozenset(map(opened, one)), frozenset(map(opened, other))
    differing = (one - other, other - one)
    return one == other or (all(any(map(_blanks, rows)) for rows in differing) and alike_rows(one, other))


def alike_rows(rows: Collection[Row], other: Collection[Row]) -> bool:
    """Return whether renaming blank nodes turns one multiset of rows into the other.

    Raises:
        FailedRunError: The search for a renaming takes too many steps.

    >>> alike_rows([("_:a", "_:b"), ("_:b", "_:a")], [("_:x", "_:y"), ("_:y", "_:x")])
    True
    >>> alike_rows([("_:a", "_:b"), ("_:b", "_:a")], [("_:x", "_:x"), ("_:y", "_:y")])
    False
    """
    visited = 0

    def is_renamed(mine: _Rows, yours: _Rows, colours: _Colours, others: _Colours, depth: int) -> bool:
        colours, others = _refined(mine, colours), _refined(yours, others)
        mine, yours = _without_twins(mine, colours), _without_twins(yours, others)
        sizes = Counter(colours[node] for node in set(_nodes(mine)))
        if sizes != Counter(others[node] for node in set(_nodes(yours))):
            return False
        (ground, groups), (other_ground, other_groups) = (
            _parted(own, nodes, sizes, depth) for own, nodes in ((mine, colours), (yours, others))
        )
        if ground != other_ground or _lengths(groups) != _lengths(other_groups):
            return False

        def is_part(part: _Rows, other: _Rows) -> bool:
            # One node of the part is any node of its colour in the other part.
            nonlocal visited
            chosen = min(_nodes(part), key=lambda node: sizes[colours[node]])
            one = _with_names(part, {chosen: ("chosen", depth)})
            for node in dict.fromkeys(_nodes(other)):
                if others[node] != colours[chosen]:
                    continue
                visited += len(part)
                if visited > _MOST_VISITED or depth > _DEEPEST:
                    raise FailedRunError(_TOO_ALIKE.format(len(rows)))
                another = _with_names(other, {node: ("chosen", depth)})
                if is_renamed(one, another, colours, others, depth + 1):
                    return True
            return False

        # Being alike is an equivalence: the first partner of a part is as good as any other.
        for signature, parts in groups.items():
            left = other_groups[signature]
            for part in parts:
                partner = next((number for number, other in enumerate(left) if is_part(part, other)), None)
                if partner is None:
                    return False
                del left[partner]
        return True

    return is_renamed(Counter(map(opened, rows)), Counter(map(opened, other)), {}, {}, 0)


_MOST_VISITED: Final = 100_000
"""The number of rows that the search for a renaming may visit."""
_DEEPEST: Final = 100
"""The number of nodes that the search for a renaming may choose one after the other."""
_TOO_ALIKE: Final = (
    "cannot compare {} rows with blank nodes: too many renamings of the blank nodes are possible; use IRIs "
    "in place of blank nodes"
)
_Rows = Counter[Key]
"""A multiset of rows; a node whose partner is known is replaced by a tuple."""
_Groups = dict[Hashable, list[_Rows]]
_Colours = Mapping[str, int]
"""A number for each blank node; nodes that a renaming exchanges have the same number."""


def _nodes(rows: Iterable[Key]) -> Iterator[str]:
    return (part for row in rows for part in _blanks(row))


def _with_names(rows: _Rows, names: Mapping[str, Hashable]) -> _Rows:
    return Counter({_named(row, names): number for row, number in rows.items()}) if names else rows


def _named(row: Key, names: Mapping[str, Hashable]) -> Key:
    return tuple(names.get(part, part) if isinstance(part, str) else part for part in row)


def _lengths(groups: _Groups) -> dict[Hashable, int]:
    return {signature: len(parts) for signature, parts in groups.items()}


def _without_twins(rows: _Rows, colours: _Colours) -> _Rows:
    """Return the rows with one node in place of all nodes that have the same rows, and with their number."""
    sizes = Counter(colours.values())
    if len(sizes) == len(colours):
        return rows
    seen: dict[str, list[Hashable]] = defaultdict(list)
    for row, number in rows.items():
        for node in {node for node in _blanks(row) if sizes[colours[node]] > 1}:
            seen[node].append((tuple(() if part == node else part for part in row), number))
    twins: dict[Hashable, list[str]] = defaultdict(list)
    for node, own in seen.items():
        twins[frozenset(own)].append(node)
    several = [nodes for nodes in twins.values() if len(nodes) > 1]
    dropped = {node for _, *nodes in several for node in nodes}
    kept = {row: number for row, number in rows.items() if dropped.isdisjoint(_blanks(row))}
    return Counter(kept | {(("twins", len(nodes)), nodes[0]): 1 for nodes in several})


def _refined(rows: _Rows, colours: _Colours) -> _Colours:
    """Return the colours of the nodes of rows, which also depend on the rows of each node.

    The colours are refined until no further colours are needed.
    """
    colours = {node: colours.get(node, 0) for node in _nodes(rows)}
    while True:
        seen: dict[str, list[int]] = defaultdict(list)
        for row, number in rows.items():
            coloured = hash((number, _named(row, colours)))
            for place, part in enumerate(row):
                if isinstance(part, str) and part in colours:
                    seen[part].append(hash((place, coloured)))
        refined = {node: hash((colour, *sorted(seen[node]))) for node, colour in colours.items()}
        if len(set(refined.values())) == len(set(colours.values())):
            return refined
        colours = refined


def _parted(rows: _Rows, colours: _Colours, sizes: Counter[int], depth: int) -> tuple[_Rows, _Groups]:
    """Return the rows without unknown nodes, and the other rows in parts that share no unknown node.

    The only node of its colour is known. Parts are grouped by the colours of their rows.
    """
    known = {node: ("known", depth, colour) for node, colour in colours.items() if sizes[colour] == 1}
    rows = _with_names(rows, known)
    above: dict[str, str] = {}

    def first(node: str) -> str:
        while (higher := above.setdefault(node, node)) != node:
            above[node] = above[higher]
            node = higher
        return node

    for row in rows:
        for one, other in pairwise(_blanks(row)):
            above[first(other)] = first(one)
    ground, parts = _Rows(), defaultdict[str, _Rows](_Rows)
    for row, number in rows.items():
        nodes = _blanks(row)
        (parts[first(nodes[0])] if nodes else ground)[row] = number
    groups = defaultdict[Hashable, list[_Rows]](list)
    for part in parts.values():
        coloured = ((_named(row, colours), number) for row, number in part.items())
        groups[frozenset(Counter(coloured).items())].append(part)
    return ground, groups


def opened(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row or key with the blank nodes of its triple terms appended, in order of occurrence.

    >>> opened(("<<( _:a <x:p> _:a )>>", "<x:b>"))
    ('<<( _:in <x:p> _:in )>>', '<x:b>', '_:a', '_:a')
    """
    # Any: a row of texts, or its key, whose parts can be numbers.
    inside = [text if isinstance(text, str) and is_triple_term(text) else "" for text in row]
    if not any(inside):
        return row
    bare = [
        with_blanks(text, lambda _: "_:in") if text else own for text, own in zip(inside, row, strict=True)
    ]
    return (*bare, *(blank for text in inside for blank in blanks_in(text)))


def rename_blanks(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> list[Key]:
    """Return the actual keys with their blank nodes renamed to the names of expected blank nodes.

    Different blank nodes get different names. If no renaming makes both sides equal, blank nodes that share
    the most rows are matched.

    Raises:
        FailedRunError: The search for a renaming takes too many steps.
    """
    if not any(map(_blanks, actual)) or Counter(expected) == Counter(actual):
        return list(actual)
    numbers = _representatives((*expected, *actual), close)
    mine, yours = ([_plain(key, numbers) for key in keys] for keys in (expected, actual))
    own = [[key for key in keys if _blanks(key)] for keys in (mine, yours)]
    names = _names(*own)
    if not _is_same(own[0], own[1], names) and alike_rows(own[0], own[1]):
        return _as_expected(expected, actual)
    return [tuple(_name(part, names) for part in key) for key in actual]


_MOST_STEPS: Final = 10_000
"""The greatest number of steps of the search for the names of the blank nodes of several reports."""


def names_by_report(
    expected: Sequence[Key], reports: Sequence[Sequence[Key]], close: Close
) -> list[dict[str, str]]:
    """Return names of expected blank nodes for the blank nodes of each report, whose labels are its own.

    In one report, different blank nodes get different names. Together, the reports miss as few expected rows
    as possible, and have as few other rows as possible. The number of steps of the search is limited.

    >>> names_by_report([("_:a",), ("_:b",)], [[("_:x",)], [("_:x",)]], lambda one, other: one == other)
    [{'_:x': '_:a'}, {'_:x': '_:b'}]
    """
    numbers = _representatives((*expected, *(key for keys in reports for key in keys)), close)
    wanted: dict[Row, list[tuple[int, list[str]]]] = defaultdict(list)
    for number, row in enumerate(dict.fromkeys(_plain(key, numbers) for key in expected)):
        if nodes := _blanks(row):
            wanted[tuple(map(_masked, row))].append((number, nodes))
    rows: list[tuple[int, int, int, list[str], list[tuple[int, list[str]]]]] = []
    for report, keys in enumerate(reports):
        own = [row for row in dict.fromkeys(_plain(key, numbers) for key in keys) if _blanks(row)]
        found = ((_blanks(row), wanted.get(tuple(map(_masked, row)), [])) for row in own)
        rows += ((-len(own), report, len(like), nodes, like) for nodes, like in found)
    # The reports with the most rows, and in each the rows with the fewest choices, leave the least choice.
    rows.sort(key=lambda row: row[:3])
    names: list[dict[str, str]] = [{} for _ in reports]
    best, fewest, steps = list[dict[str, str]](), len(rows) + len(expected) + 1, 0
    every, covered = sum(map(len, wanted.values())), Counter[int]()

    def search(place: int, odd: int) -> Iterator[tuple[int, int]]:
        """Yield the searches inside this search; a search of many rows is too deep for recursion."""
        nonlocal best, fewest, steps
        steps += 1
        least = odd + max(0, every - len(covered) - (len(rows) - place))
        if least >= fewest:
            return
        if place == len(rows):
            best, fewest = [dict(each) for each in names], least
            return
        _, report, _, nodes, like = rows[place]
        here = names[report]
        for number, others in sorted(like, key=lambda each: each[0] in covered):
            new = _extended(here, nodes, others)
            if new is not None:
                names[report] = new
                covered[number] += 1
                yield place + 1, odd
                covered[number] -= 1
                if not covered[number]:
                    del covered[number]
                names[report] = here
                if not fewest or steps > _MOST_STEPS:
                    return
        yield place + 1, odd + 1

    running = [search(0, 0)]
    while running:
        inside = next(running[-1], None)
        if inside is None:
            running.pop()
        else:
            running.append(search(*inside))
    return best


def _extended(names: dict[str, str], nodes: list[str], others: list[str]) -> dict[str, str] | None:
    """Return one-to-one names that also map nodes to other nodes; None if there are none."""
    new = names | dict(zip(nodes, others, strict=True))
    pairs = zip(nodes, others, strict=True)
    same = all(new[node] == other and names.get(node, other) == other for node, other in pairs)
    return new if same and len(set(new.values())) == len(new) else None


def _is_same(expected: Sequence[Row], actual: Sequence[Row], names: dict[str, str]) -> bool:
    return Counter(expected) == Counter(tuple(_name(part, names) for part in row) for row in actual)


def _as_expected(expected: Sequence[Key], actual: Sequence[Key]) -> list[Key]:
    """Return the actual keys, in which keys with blank nodes are replaced by the equal expected keys."""
    left = (key for key in expected if _blanks(key))
    return [next(left) if _blanks(key) else key for key in actual]


def _is_blank(part: Hashable) -> bool:
    return isinstance(part, str) and part.startswith(_BLANK)


def _blanks(key: Key) -> list[str]:
    return [part for part in key if isinstance(part, str) and _is_blank(part)]


def _name(part: Hashable, names: dict[str, str]) -> Hashable:
    # A node without a counterpart gets a name outside all recordings.
    return names.get(part, f"_: {part}") if isinstance(part, str) and _is_blank(part) else part


def _representatives(keys: Sequence[Key], close: Close) -> dict[Hashable, int]:
    """Return the number of the group of each number; nearly equal neighbours are in the same group."""
    result: dict[Hashable, int] = {}
    numbers = {part for key in keys for part in key if isinstance(part, int | Decimal | float)}
    before: Hashable = None
    for number in sorted(numbers, key=cmp_to_key(_order)):
        result[number] = len(result) if before is None or not close(before, number) else result[before]
        before = number
    return result


def _order(one: Decimal | float, other: Decimal | float) -> int:
    return (one > other) - (one < other)


def _plain(key: Key, numbers: dict[Hashable, int]) -> Row:
    """Return a key as texts that are equal if the parts of the key count as equal."""
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
    mine, yours = _surroundings(expected), _surroundings(actual)
    names = _alike(mine, yours)
    taken = set(names.values())
    left = {name: rows for name, rows in mine.items() if name not in taken}
    others = {other: rows for other, rows in yours.items() if other not in names}
    for _, other, one in sorted(_shares(left, others), key=lambda share: -share[0]):
        if other not in names and one not in taken:
            names[other] = one
            taken.add(one)
    return names


def _alike(mine: dict[str, Counter[Key]], yours: dict[str, Counter[Key]]) -> dict[str, str]:
    """Return a name for each actual blank node that has exactly the rows of an expected blank node."""
    having: dict[frozenset[tuple[Key, int]], deque[str]] = defaultdict(deque)
    for name, rows in mine.items():
        having[frozenset(rows.items())].append(name)
    keys = ((other, frozenset(rows.items())) for other, rows in yours.items())
    return {other: having[key].popleft() for other, key in keys if having.get(key)}


def _surroundings(rows: Sequence[Row]) -> dict[str, Counter[Key]]:
    """Return the rows of each blank node, in which the names of other blank nodes are masked."""
    surroundings: dict[str, Counter[Key]] = defaultdict(Counter)
    for row in rows:
        for blank in _blanks(row):
            surroundings[blank][tuple("_:self" if part == blank else _masked(part) for part in row)] += 1
    return surroundings


def _masked(part: str | None) -> str | None:
    return "_:other" if _is_blank(part) else part


def _shares(
    mine: dict[str, Counter[Key]], yours: dict[str, Counter[Key]]
) -> Iterator[tuple[float, str, str]]:
    """Yield the similarity of an expected and an actual blank node with their names.

    The similarity is the number of common rows plus their share of all rows.
    """
    having: dict[Key, list[str]] = defaultdict(list)
    for one, rows in mine.items():
        for row in rows:
            having[row].append(one)
    for other, rows in yours.items():
        for one in dict.fromkeys(name for row in rows for name in having.get(row, ())):
            common, every = (rows & mine[one]).total(), (rows | mine[one]).total()
            yield common + common / every, other, one
