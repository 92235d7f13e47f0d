"""Aggregates and first rows on tables: split where a group changes, then answered piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np

from lars.language.formulas import Aggregation, Among, Gather, SetLiteral
from lars.language.terms import Constant
from solver.columns import NULL_CODE, Array, TermCodes, distinct, keys
from solver.rdf import aggregate, order_key, sorted_rows, text_key
from solver.relational.rule_bodies import Bindings
from solver.relational.run_tables import RunTable, coalesce, spread


def evaluate_set_literal(literal: SetLiteral, found: Bindings, codes: TermCodes, count: int) -> Bindings:
    """Return what makes the literal true, when these are the instances of its atom."""
    pieces = _pieces([found.column(key) for key in literal.keys], found.table, count)
    match literal:
        case Gather(variable, aggregation, _, by):
            arguments = [found.column(name) for name in aggregation.arguments]
            values = _aggregates(aggregation, arguments, pieces, codes)
            table, names = pieces.table(values), (*by, variable)
        case Among():
            table, names = _first(literal, found, pieces, codes), found.names
    return Bindings(names, coalesce(table, count))


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """The stretches of indexes of each group in which no instance comes or goes.

    `columns` are the keys of a piece's group. Pairs of `piece` and `instance` say what holds in it.
    """

    columns: tuple[Array, ...]
    first: Array
    last: Array
    piece: Array
    instance: Array

    def table(self, values: Array) -> RunTable:
        """Return the pieces' keys beside a value for each; with keys, a piece without instance is none."""
        table = RunTable((*self.columns, values), self.first, self.last)
        return table.take(np.bincount(self.piece, minlength=len(values)) > 0) if self.columns else table


def _pieces(group_columns: Sequence[Array], table: RunTable, count: int) -> _Pieces:
    (key,) = keys([group_columns], [len(table)], count + 1)
    _, members, groups = np.unique(key, return_index=True, return_inverse=True)
    room = count + 1
    starts, ends = groups * room + table.first, groups * room + table.last + 1
    # Of nothing there is something to say too, unless groups have keys.
    always = [] if group_columns or not count else [0]
    points = distinct(np.concatenate((starts, ends[table.last + 1 < count], np.array(always, np.int64))))
    owner, first = points // room, points % room
    following = np.append(points, -1)[1:]
    last = np.where(following // room == owner, following % room - 1, count - 1)
    instance, piece = spread(np.searchsorted(points, starts), np.searchsorted(points, ends))
    columns = tuple(column[members][owner] for column in group_columns)
    return _Pieces(columns, first, last, piece, instance)


def _aggregates(
    aggregation: Aggregation, arguments: Sequence[Array], pieces: _Pieces, codes: TermCodes
) -> Array:
    """Return the code of the aggregate of each piece."""
    if aggregation.function in _BEST:
        return _best(aggregation.function, arguments[0], pieces, codes)
    rows = len(pieces.first)
    length = int(pieces.instance.max(initial=-1)) + 1
    (key,) = keys([[column[:length] for column in arguments]], [length], 1)
    _, members, elements = np.unique(key, return_index=True, return_inverse=True)
    element = elements[pieces.instance]
    order = np.lexsort((element, pieces.piece))
    element, piece = element[order], pieces.piece[order]
    values = [
        tuple(
            None if (code := int(column[member])) == NULL_CODE else codes.constant(code)
            for column in arguments
        )
        for member in members.tolist()
    ]
    found = np.empty(rows, np.int64)
    borders = np.searchsorted(piece, np.arange(rows + 1))
    written = np.stack([np.zeros_like(members), *(column[members] for column in arguments)], axis=1)
    for place in range(rows):
        some = element[borders[place] : borders[place + 1]]
        # A multiset of elements that was there before, in any evaluation, has the same aggregate.
        key_of = aggregation, blake2b(written[some].tobytes(), digest_size=16).digest()
        if key_of not in codes.aggregates:
            result = aggregate(aggregation, (values[one] for one in some.tolist()))
            codes.aggregates[key_of] = codes.of_constant(result)
        found[place] = codes.aggregates[key_of]
    return found


_BEST: Final = {"MIN": False, "SAMPLE": False, "MAX": True}
"""The aggregates that are one of the values, the first of some order: whether it descends."""


def _best(function: str, argument: Array, pieces: _Pieces, codes: TermCodes) -> Array:
    """Return what `aggregate` does of single values, all of which are put in order once."""
    distinct, places = np.unique(argument, return_inverse=True)
    bound = [code for code in distinct.tolist() if code != NULL_CODE]
    bound.sort(key=lambda code: text_key(codes.constant(code)))
    bound.sort(key=lambda code: order_key(codes.constant(code)), reverse=_BEST[function])
    # An unbound value makes an error of all but SAMPLE, which leaves it out; so it stands at an end.
    unbound = -1 if function != "SAMPLE" else len(bound)
    rank = {code: number for number, code in enumerate(bound)} | {NULL_CODE: unbound}
    ranks = np.array([rank[code] for code in distinct.tolist()], np.int64)[places]
    found = np.full(len(pieces.first), len(bound), np.int64)
    np.minimum.at(found, pieces.piece, ranks[pieces.instance])
    return np.array([*bound, NULL_CODE], np.int64)[found]


def _first(literal: Among, found: Bindings, pieces: _Pieces, codes: TermCodes) -> RunTable:
    """Return the instances in the pieces in which they stand among the first."""
    ranks = _ranks(literal, found, codes)
    order = np.lexsort((ranks[pieces.instance], pieces.piece))
    piece, instance = pieces.piece[order], pieces.instance[order]
    place = np.arange(len(piece)) - np.searchsorted(piece, piece)
    kept = place >= min(literal.offset, len(piece))
    if literal.limit is not None:
        kept &= place < min(literal.offset + literal.limit, len(piece))
    piece, instance = piece[kept], instance[kept]
    columns = tuple(column[instance] for column in found.table.columns)
    return RunTable(columns, pieces.first[piece], pieces.last[piece])


def _ranks(literal: Among, found: Bindings, codes: TermCodes) -> Array:
    """Return the place of each row in the order of all of them; rows of one instance share it."""
    order = [(found.names.index(key.variable), key.descending) for key in literal.order]
    (key,) = keys([found.table.columns], [len(found.table)], 1)
    _, members, numbers = np.unique(key, return_index=True, return_inverse=True)
    columns = ([_bound(codes, code) for code in column[members].tolist()] for column in found.table.columns)
    rows = list(zip(*columns, strict=True)) if found.names else [()] * len(members)
    ranks = {row: rank for rank, row in enumerate(sorted_rows(rows, order))}
    return np.array([ranks[row] for row in rows], np.int64)[numbers]


def _bound(codes: TermCodes, code: int) -> Constant | None:
    return None if code == NULL_CODE else codes.constant(code)
