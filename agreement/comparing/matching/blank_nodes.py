"""Decide whether a one-to-one renaming of blank nodes turns one multiset of rows into another.

The algorithm is individualization and refinement, as for graph isomorphism. Each round has five steps:

- 1, colors: each blank node gets a number, its color, that depends on its rows. The colors are refined until
  they distinguish no further nodes (`_refined`). A renaming maps each node to a node of the same color, so
  both sides must have the same number of nodes of each color. Colors are hash values; a collision only makes
  two colors equal.
- 2, twins: nodes with the same rows, such as 1,000 nodes with the same type, can be exchanged. One twin
  replaces all of them, together with their number (`_without_twins`).
- 3, known nodes: the only node of a color has one possible partner. Both get the same name.
- 4, parts: the rows with other nodes are divided into parts that share no unknown node (`_parted`). Each part
  needs a partner of its own: a part of the other side that a renaming makes equal. The first partner found is
  as good as any other, because the existence of such a renaming is an equivalence.
- 5, choice: in a part, one node of the rarest color is chosen. Each node of this color in the other part is
  tried as its partner. Both get the same name, and the search continues in the part with step 1.

The search returns true only if the rows are equal on both sides after its renaming. Different nodes have
different names, so the renaming is one-to-one. The search returns false only if no renaming is possible:
steps 1 and 3 show this by the colors, step 4 by the equivalence, and step 5 by trying all partners.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from lars.errors import FailedRunError
from solver.facts import Row
from solver.rdf import blanks_in, is_triple_term, with_blanks

Key = tuple[Hashable, ...]
_BLANK: Final = "_:"


def opened(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with the blank nodes of its triple terms as further columns, in order.

    >>> opened(("<<( _:a <x:p> _:a )>>", "<x:b>"))
    ('<<( <_:in> <x:p> <_:in> )>>', '<x:b>', '_:a', '_:a')
    """
    # Any: a row of texts, or its key, whose parts can be numbers.
    inside = [text if isinstance(text, str) and is_triple_term(text) else "" for text in row]
    if not any(inside):
        return row
    bare = [
        # An IRI as the mark, not a blank node, because the result may be opened again.
        with_blanks(text, lambda _: "<_:in>") if text else own
        for text, own in zip(inside, row, strict=True)
    ]
    return (*bare, *(blank for text in inside for blank in blanks_in(text)))


def is_blank(part: Hashable) -> bool:
    """Return whether a part of a row is a blank node."""
    return isinstance(part, str) and part.startswith(_BLANK)


def blanks(key: Key) -> list[str]:
    """Return the blank nodes of a row, in order of occurrence."""
    return [part for part in key if isinstance(part, str) and is_blank(part)]


def alike(one: frozenset[Row], other: frozenset[Row]) -> bool:
    """Return whether a one-to-one renaming of blank nodes makes two sets of rows equal.

    >>> alike(frozenset({("_:a", "<x:p>")}), frozenset({("_:b", "<x:p>")}))
    True
    """
    one, other = frozenset(map(opened, one)), frozenset(map(opened, other))
    differing = (one - other, other - one)
    return one == other or (all(any(map(blanks, rows)) for rows in differing) and alike_rows(one, other))


def alike_rows(rows: Collection[Row], other: Collection[Row]) -> bool:
    """Return whether a renaming of blank nodes turns one multiset of rows into the other.

    Raises:
        FailedRunError: The search for a renaming takes too many steps.
    >>> alike_rows([("_:a", "_:b"), ("_:b", "_:a")], [("_:x", "_:y"), ("_:y", "_:x")])
    True
    >>> alike_rows([("_:a", "_:b"), ("_:b", "_:a")], [("_:x", "_:x"), ("_:y", "_:y")])
    False
    """
    visited = 0

    def are_renamed(
        left: _Rows, right: _Rows, left_colours: _Colours, right_colours: _Colours, depth: int
    ) -> bool:
        left_colours, right_colours = _refined(left, left_colours), _refined(right, right_colours)
        left, right = _without_twins(left, left_colours), _without_twins(right, right_colours)
        sizes = Counter(left_colours[node] for node in set(_nodes(left)))
        if sizes != Counter(right_colours[node] for node in set(_nodes(right))):
            return False
        known_left, left_groups = _parted(left, left_colours, sizes, depth)
        known_right, right_groups = _parted(right, right_colours, sizes, depth)
        if known_left != known_right or _lengths(left_groups) != _lengths(right_groups):
            return False

        def are_partners(left_part: _Rows, right_part: _Rows) -> bool:
            nonlocal visited
            chosen = min(_nodes(left_part), key=lambda node: sizes[left_colours[node]])
            named_left = _with_names(left_part, {chosen: ("chosen", depth)})
            for node in dict.fromkeys(_nodes(right_part)):
                if right_colours[node] != left_colours[chosen]:
                    continue
                visited += len(left_part)
                if visited > _MOST_VISITED or depth > _DEEPEST:
                    raise FailedRunError(_TOO_ALIKE.format(len(rows)))
                named_right = _with_names(right_part, {node: ("chosen", depth)})
                if are_renamed(named_left, named_right, left_colours, right_colours, depth + 1):
                    return True
            return False

        for signature, left_parts in left_groups.items():
            right_parts = right_groups[signature]
            for part in left_parts:
                partners = (n for n, other in enumerate(right_parts) if are_partners(part, other))
                partner = next(partners, None)
                if partner is None:
                    return False
                # Being renamed is an equivalence: the first partner of a part is as good as any other.
                del right_parts[partner]
        return True

    return are_renamed(Counter(map(opened, rows)), Counter(map(opened, other)), {}, {}, 0)


_MOST_VISITED: Final = 100_000
"""The number of rows that the search for a renaming may visit: about a second; a guess."""
_DEEPEST: Final = 100
"""The maximum number of nodes that are chosen one inside the other, because of Python's stack."""
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
    return (part for row in rows for part in blanks(row))


def _with_names(rows: _Rows, names: Mapping[str, Hashable]) -> _Rows:
    return Counter({_named(row, names): number for row, number in rows.items()}) if names else rows


def _named(row: Key, names: Mapping[str, Hashable]) -> Key:
    return tuple(names.get(part, part) if isinstance(part, str) else part for part in row)


def _lengths(groups: _Groups) -> dict[Hashable, int]:
    return {signature: len(parts) for signature, parts in groups.items()}


def _without_twins(rows: _Rows, colours: _Colours) -> _Rows:
    """Return the rows without twins: one of several nodes with the same rows remains, with their number.

    Two twins never occur in the same row, because this row would distinguish them by their columns. The rows
    of the omitted nodes can therefore be restored from the rows of the remaining node and the number of
    twins.
    """
    sizes = Counter(colours.values())
    if len(sizes) == len(colours):
        return rows
    seen: dict[str, list[Hashable]] = defaultdict(list)
    for row, number in rows.items():
        for node in {node for node in blanks(row) if sizes[colours[node]] > 1}:
            seen[node].append((tuple(() if part == node else part for part in row), number))
    twins: dict[Hashable, list[str]] = defaultdict(list)
    for node, own in seen.items():
        twins[frozenset(own)].append(node)
    several = [nodes for nodes in twins.values() if len(nodes) > 1]
    dropped = {node for _, *nodes in several for node in nodes}
    kept = {row: number for row, number in rows.items() if dropped.isdisjoint(blanks(row))}
    return Counter(kept | {(("twins", len(nodes)), nodes[0]): 1 for nodes in several})


def _refined(rows: _Rows, colours: _Colours) -> _Colours:
    """Refine the colors of blank nodes until the number of colors no longer grows.

    The color of a node depends on its previous color and on its rows (color refinement).
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
    """Return the rows without unknown blank nodes, and the other rows in parts without common unknown nodes.

    A blank node is known if no other node has its color. The parts are grouped by the colors of their rows.
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
        for one, other in pairwise(blanks(row)):
            above[first(other)] = first(one)
    ground, parts = _Rows(), defaultdict[str, _Rows](_Rows)
    for row, number in rows.items():
        nodes = blanks(row)
        (parts[first(nodes[0])] if nodes else ground)[row] = number
    groups = defaultdict[Hashable, list[_Rows]](list)
    for part in parts.values():
        coloured = ((_named(row, colours), number) for row, number in part.items())
        groups[frozenset(Counter(coloured).items())].append(part)
    return ground, groups
