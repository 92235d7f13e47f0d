"""Answers of many evaluation times by relational algebra over columns, without clingo.

A run is an interval of consecutive evaluation times at which a fact is visible. A positive body is a join of
rows whose runs overlap. UNION unites rows, and negation shortens or divides the runs of a row. A SPARQL
condition is computed once per row. Aggregates and ranks are computed for each interval in which a group does
not change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final, assert_never

import numpy as np
import numpy.typing as npt

from lars.analysis import intensional
from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError, OutOfMemoryError, TimeLimitError, under_way
from lars.language import formulas as logic
from lars.language.program import Program, assignment, ready, variables
from lars.language.terms import XSD, Constant, Literal, Signature, Term, Variable, signature
from solver.columns import NO_CODE, NULL_CODE, Array, Mask, TermCodes, distinct, keys
from solver.deadlines import check_time
from solver.facts import Row, WindowedAtom, with_facts
from solver.rdf import aggregate, compile_condition, order_key, sorted_rows, text_key
from solver.relational import plans, run_tables
from solver.relational.shown_input import EncodedSituation, ShownContents, ShownInput, encoded_rows

_NUMERIC: Final = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
    "!=": np.not_equal,
}
"""Comparisons of arrays of numbers, in LARS and, for numbers that are exact as doubles, in SPARQL."""
_MUCH: Final = 2**20
"""The number of row pairs above which the size of a join's result is estimated before the join is chosen."""


VALUES_FOR_EACH: Final = 4
"""The number of rows per distinct row of other variables above which rows that suffice are searched for."""
_TESTED_AT_ONCE: Final = 2**12
"""The number of rows for which a condition is evaluated between two checks of the clock."""


@dataclass(frozen=True, slots=True, eq=False)
class Bindings:
    """A table of bindings: a column for each variable, and a run of evaluation times for each row.

    A run is an interval of consecutive evaluation times.
    """

    names: tuple[Variable, ...]
    table: run_tables.RunTable

    def column(self, name: Variable) -> Array:
        """Return the column with the codes of a variable's values."""
        return self.table.columns[self.names.index(name)]

    def term(self, term: Term, codes: TermCodes) -> Array:
        """Return a column with the codes of a variable, or with the code of a constant in each row."""
        if isinstance(term, Variable):
            return self.column(term)
        return np.full(len(self.table), codes.of_constant(term), np.int64)

    def with_column(self, name: Variable, column: Array, mask: Mask) -> "Bindings":
        """Return the rows in `mask` with one more column; in an existing column, values must be equal."""
        if name in self.names:
            return Bindings(self.names, self.table.take(mask & (self.column(name) == column)))
        table = replace(self.table, columns=(*self.table.columns, column))
        return Bindings((*self.names, name), table.take(mask))

    def take(self, mask: Mask) -> "Bindings":
        """Return the rows that a mask selects."""
        return Bindings(self.names, self.table.take(mask))

    def only(self, needed: Iterable[Variable], count: int) -> "Bindings":
        """Return the columns of the needed variables, and unite the intervals of rows that become equal.

        `count` is the number of evaluation times.
        """
        names = tuple(name for name in self.names if name in set(needed))
        if names == self.names:
            return self
        return Bindings(
            names, run_tables.with_longest(self.table.project(map(self.names.index, names)), count)
        )


def scan_atoms(terms: Sequence[Term], table: run_tables.RunTable, codes: TermCodes) -> Bindings:
    """Return the bindings of the variables in `terms` for which a table contains the terms as a row."""
    names = tuple(dict.fromkeys(term for term in terms if isinstance(term, Variable)))
    if len(names) < len(terms):
        table = table.take(codes.matching(terms, table.columns, len(table)))
    run_table = table.project(list(terms).index(name) for name in names)
    # A removed column has a constant or repeats a variable, so different rows stay different.
    return Bindings(names, replace(run_table, longest=table.longest))


class RuleBody:
    """The evaluator of rule bodies, for all of `count` evaluation times together.

    `crowded` is called before a join with very many rows, and may raise an exception.
    """

    def __init__(self, codes: TermCodes, count: int, crowded: Callable[[], None] = lambda: None) -> None:
        self._codes = codes
        self._count = count
        self._crowded = crowded

    def solutions(
        self,
        joined: Sequence[Bindings],
        subtracted: Sequence[Bindings],
        conditions: Sequence[logic.Condition],
        names: frozenset[Variable] | None = None,
    ) -> Bindings:
        """Return the bindings for which a rule body holds, with their intervals of evaluation times.

        The body holds if all joined literals and conditions hold, and no negated literal holds. The result
        binds at least the variables in `names`; None means all variables.
        """
        # First, because a filter on one table leaves fewer rows to reduce, to sort and to join.
        left, open_ = self._filtered(joined, conditions)
        # Negated literals are subtracted last, so the join must keep their variables.
        kept = None if names is None else names.union(*(part.names for part in subtracted))
        if kept is not None:
            self._reduce(left, open_, kept)
        left.sort(key=lambda table: len(table.table))
        bindings = left.pop(0) if left else Bindings((), run_tables.steady((), 1, self._count))
        while left or open_:
            askable = [one for one in open_ if ready(one, {*bindings.names})]
            if askable:
                # A condition on fewer variables has fewer distinct rows, and leaves fewer for the others.
                condition = min(askable, key=lambda candidate: len(variables(candidate)))
                open_.remove(condition)
                bindings = self._restricted(bindings, condition)
            else:
                following = self._following(bindings, left, open_, kept)
                left.remove(following)
                needed = None if kept is None else _needed_later(kept, left, open_)
                rival = None if needed is None else self._rival(bindings, following, left)
                if rival is not None and kept is not None:
                    left.remove(rival)
                    pair = following, rival
                    bindings = self._closed(bindings, pair, _needed_later(kept, left, open_))
                    continue
                # A join that keeps all variables would keep the columns of derived keys too.
                linking = () if needed is None else open_
                bindings = self._joined(*self._linked(bindings, following, linking), needed)
        return reduce(self._without, subtracted, bindings)

    def _reduce(
        self, parts: list[Bindings], conditions: Sequence[logic.Condition], kept: frozenset[Variable]
    ) -> None:
        """Remove columns and rows that neither the conditions nor the variables in `kept` need."""
        for place, part in enumerate(parts):
            others = kept.union(*(other.names for other in parts if other is not part))
            reduced = part.only(others.union(*map(variables, conditions)), self._count)
            for name in (name for name in reduced.names if name not in others):
                from solver.relational import extremes

                demanded = extremes.demand(name, [one for one in conditions if name in variables(one)])
                if demanded is not None and self._repeats(reduced, name):
                    column = reduced.names.index(name)
                    table = extremes.sufficient(reduced.table, column, demanded, self._codes, self._count)
                    if len(table) < len(reduced.table):
                        reduced = Bindings(reduced.names, table)
            parts[place] = reduced

    def _repeats(self, part: Bindings, name: Variable) -> bool:
        """Return whether rows with equal other columns have many values of a variable, on average."""
        columns = [part.column(other) for other in part.names if other != name]
        (key,) = keys([columns], [len(part.table)], 1)
        return len(key) > VALUES_FOR_EACH * len(distinct(key))

    def _following(
        self,
        bindings: Bindings,
        left: Sequence[Bindings],
        conditions: Sequence[logic.Condition],
        kept: frozenset[Variable] | None,
    ) -> Bindings:
        """Return the table in `left` that is joined next.

        A literal that shares no variable with the joined literals is joined last, and before it a literal
        that only a condition links to them. Among the other literals, the first choice is the literal without
        new variables that has the fewest rows, then the literal with the fewest rows. If the product of both
        numbers of rows is over `_MUCH`, the choice is the literal after which the fewest columns are needed;
        among equal literals, the literal with the fewest matches per row.
        """
        names = {*bindings.names}

        def left_over(part: Bindings) -> int:
            others = [other for other in left if other is not part]
            both = names | {*part.names}
            return len(both if kept is None else both & _needed_later(kept, others, conditions))

        connected = [part for part in left if names & {*part.names}]
        if not connected and conditions:
            from solver.relational import derived_keys

            linked = (part for part in left if derived_keys.links(conditions, bindings.names, part.names))
            connected = [*linked]
        connected = connected or [*left]
        smallest = min(connected, key=lambda part: (not names.issuperset(part.names), len(part.table)))
        if len(connected) == 1 or len(bindings.table) * len(smallest.table) <= _MUCH:
            return smallest
        return min(
            connected, key=lambda part: (left_over(part), self._fan_out(bindings, part), len(part.table))
        )

    def _rival(self, bindings: Bindings, following: Bindings, left: Sequence[Bindings]) -> Bindings | None:
        """Return a table in `left` that binds the same new variables as `following`, if some rows need it.

        In a triangle, the rows of `following` with a hub are many. If most rows of `bindings` with this hub
        have few matches in another table, the result is the other table; otherwise it is None.
        """
        if len(bindings.table) * len(following.table) <= _MUCH:
            return None
        names = {*bindings.names}
        fresh = {*following.names} - names
        others = [part for part in left if fresh and {*part.names} - names == fresh and names & {*part.names}]
        own = matches(bindings, following)
        return next(
            (part for part in others if 2 * np.minimum(own, matches(bindings, part)).sum() < own.sum()), None
        )

    def _closed(
        self, bindings: Bindings, pair: tuple[Bindings, Bindings], needed: frozenset[Variable]
    ) -> Bindings:
        """Return the join of three tables; each row is first joined with the table of fewer matches."""
        one, other = pair
        fewer = matches(bindings, one) <= matches(bindings, other)
        within = needed.union(one.names, other.names)
        first = self._joined(self._joined(bindings.take(fewer), one, within), other, needed)
        second = self._joined(self._joined(bindings.take(~fewer), other, within), one, needed)
        tables = [first.table, second.table.project(map(second.names.index, first.names))]
        table = run_tables.concatenate(tables, len(first.names))
        return Bindings(first.names, run_tables.coalesce(table, self._count))

    def _fan_out(self, left: Bindings, right: Bindings) -> float:
        """Return the average number of rows of `right` that have the same values of the common variables."""
        columns = [right.column(name) for name in right.names if name in left.names]
        (key,) = keys([columns], [len(right.table)], 1)
        return len(key) / max(len(distinct(key)), 1)

    def _filtered(
        self, joined: Sequence[Bindings], conditions: Sequence[logic.Condition]
    ) -> tuple[list[Bindings], list[logic.Condition]]:
        """Apply the conditions that need only one table; return the tables and the other conditions."""
        bindings, others = list(joined), []
        for condition in conditions:
            own = variables(condition)
            places = [place for place, part in enumerate(bindings) if own and own <= {*part.names}]
            for place in places:
                bindings[place] = self._restricted(bindings[place], condition)
            if not places:
                others.append(condition)
        return bindings, others

    def _joined(self, left: Bindings, right: Bindings, needed: frozenset[Variable] | None) -> Bindings:
        """Return the join of two tables, with only the needed variables.

        If the join has more rows than both tables, equal rows are merged during the join.
        """
        on = [(left.names.index(name), place) for place, name in enumerate(right.names) if name in left.names]
        both = (*left.names, *(name for name in right.names if name not in left.names))
        names = both if needed is None else tuple(name for name in both if name in needed)
        own = [place for place, name in enumerate(left.names) if name in names]
        more = [place for place, name in enumerate(right.names) if name in names and name not in left.names]
        sizes = len(left.table), len(right.table)

        def joined(pairs: tuple[Array, Array]) -> run_tables.RunTable:
            return run_tables.meet_pairs(left.table.project(own), right.table, pairs, more)

        if names == both:
            table = joined(run_tables.meet(left.table, right.table, on, self._count, self._crowded))
            # No column is dropped, so equal rows come from the same two rows, whose intervals have gaps.
            return Bindings(names, replace(table, longest=left.table.longest and right.table.longest))
        parts = [
            run_tables.coalesce(joined(pairs), self._count) if len(pairs[0]) > max(sizes) else joined(pairs)
            for pairs in run_tables.meetings(left.table, right.table, on, self._count, self._crowded)
        ]
        table = run_tables.concatenate(parts, len(names))
        return Bindings(names, run_tables.coalesce(table, self._count) if len(parts) > 1 else table)

    def _linked(
        self, left: Bindings, right: Bindings, conditions: Sequence[logic.Condition]
    ) -> tuple[Bindings, Bindings]:
        """Return the rows of two large tables that can fulfill the conditions, with derived keys to join on.

        The keys are columns with new names. A row of the right table occurs once for each of its keys.
        """
        if not conditions or len(left.table) * len(right.table) <= _MUCH:
            return left, right
        from solver.relational import derived_keys

        for number, link in enumerate(derived_keys.links(conditions, left.names, right.names)):
            one, other, _ = link
            columns = self._values(left, one), self._values(right, other)
            found = derived_keys.columns_of(link, columns, self._codes)
            if found is not None:
                name = Variable(f"key {number}")
                left = left.with_column(name, found[0], found[0] >= 0)
                tables = [right.with_column(name, key, key >= 0).table for key in found[1:]]
                table = run_tables.concatenate(tables, len(right.names) + 1)
                # The two keys of a row differ, so no two rows become equal.
                table = replace(table, longest=right.table.longest)
                right = Bindings((*right.names, name), table)
        return left, right

    def _values(self, bindings: Bindings, expression: logic.Expression) -> Array:
        """Return a column with the code of an expression's value in each row; null for an error."""
        if isinstance(expression, Variable):
            return bindings.column(expression)
        test = compile_condition(expression)
        columns = [bindings.column(name) for name in test.variables]
        return self._each(columns, len(bindings.table), lambda row: self._codes.of_constant(test.result(row)))

    def _without(self, left: Bindings, right: Bindings) -> Bindings:
        on = [left.names.index(name) for name in right.names]
        return Bindings(left.names, run_tables.subtract(left.table, right.table, on, self._count))

    def _restricted(self, bindings: Bindings, condition: logic.Condition) -> Bindings:
        match condition:
            case logic.Test():
                return Bindings(bindings.names, bindings.table.take(self._tested(bindings, condition)))
            case logic.Assign(variable, expression):
                column = self._values(bindings, expression)
                return bindings.with_column(variable, column, np.ones(len(column), np.bool_))
            case logic.Comparison():
                if (equality := assignment(condition, {*bindings.names})) is None:
                    return self._compared(bindings, condition)
                column = self._codes_of(equality[1], bindings)
                return bindings.with_column(equality[0], column, column != NO_CODE)
            case _:
                assert_never(condition)

    def _tested(self, bindings: Bindings, condition: logic.Test) -> Mask:
        expression, truth_wanted = condition.expression, condition.value
        if isinstance(expression, logic.Call) and expression.function in _NUMERIC:
            one, other = (self._doubles(side, bindings) for side in expression.arguments)
            holds: Mask = np.equal(_NUMERIC[expression.function](one[0], other[0]), truth_wanted)
            rest = ~(one[1] & other[1])
            holds[rest] = self._tested_by_terms(bindings.take(rest), condition)
            return holds
        return self._tested_by_terms(bindings, condition)

    def _tested_by_terms(self, bindings: Bindings, condition: logic.Test) -> Mask:
        test, truth_wanted = compile_condition(condition.expression), condition.value
        columns = [bindings.column(name) for name in test.variables]
        if _is_of_kinds(condition.expression):
            # One term represents all terms of its kind, so that millions of terms need few tests.
            columns = list(map(self._codes.of_kinds, columns))
        holds = self._each(columns, len(bindings.table), lambda row: test.truth(row) is truth_wanted)
        return holds.astype(np.bool_)

    def _doubles(self, side: logic.Expression, bindings: Bindings) -> tuple[npt.NDArray[np.float64], Mask]:
        """Return the numbers of an operand as doubles, and a mask of the rows with an exact double."""
        if isinstance(side, Literal) or (isinstance(side, Variable) and side in bindings.names):
            return self._codes.doubles(bindings.term(side, self._codes))
        return np.zeros(len(bindings.table)), np.zeros(len(bindings.table), np.bool_)

    def _each(self, columns: Sequence[Array], count: int, code_of: Callable[..., int]) -> Array:
        """Return a column with the result of `code_of` for the terms in each of `count` rows of codes.

        The function `code_of` is called once for each distinct combination of terms.
        """
        check_time(count)
        places, back = _numbered(columns, count)
        constants = (self._codes.constants(column[places]) for column in columns)
        rows = _timely(zip(*constants, strict=True) if columns else [()] * len(places))
        return np.fromiter(map(code_of, rows), np.int64, len(places))[back]

    def _compared(self, bindings: Bindings, comparison: logic.Comparison) -> Bindings:
        left, right = (self._codes_of(side, bindings) for side in (comparison.left, comparison.right))
        if comparison.relation not in {"=", "!="}:
            (one, known), (other, also) = self._codes.numbers(left), self._codes.numbers(right)
            holds = known & also & _NUMERIC[comparison.relation](one, other)
        else:
            # If arithmetic is undefined, neither = nor != holds.
            equal = comparison.relation == "="
            holds = (left != NO_CODE) & (right != NO_CODE) & ((left == right) == equal)
        return Bindings(bindings.names, bindings.table.take(holds))

    def _codes_of(self, side: logic.Arithmetic, bindings: Bindings) -> Array:
        """Return the codes of one operand of a comparison; NO_CODE if its arithmetic is undefined."""
        match side:
            case logic.Operation():
                values, known = self._numbers_of(side, bindings)
                # The 0 keeps undefined values from being rejected as numbers beyond 32 bits.
                return np.where(known, self._codes.of_numbers(np.where(known, values, 0)), NO_CODE)
            case _:
                return bindings.term(side, self._codes)

    def _numbers_of(self, side: logic.Arithmetic, bindings: Bindings) -> tuple[Array, Mask]:
        if not isinstance(side, logic.Operation):
            return self._codes.numbers(self._codes_of(side, bindings))
        left, known = self._numbers_of(side.left, bindings)
        right, also = self._numbers_of(side.right, bindings)
        values, defined = _computed(side.operator, left, right)
        known = known & also & defined
        # The detour through codes rejects numbers beyond 32 bits, so the next operation fits in 64 bits.
        return self._codes.numbers(self._codes.of_numbers(np.where(known, values, 0)))[0], known


def matches(left: Bindings, right: Bindings) -> Array:
    """Return the number of rows of `right` with the same common variables, for each row of `left`."""
    shared = [name for name in right.names if name in left.names]
    sides = [[bindings.column(name) for name in shared] for bindings in (left, right)]
    left_key, right_key = keys(sides, [len(left.table), len(right.table)], 1)
    ascending = np.sort(right_key)
    found: Array = np.searchsorted(ascending, left_key, "right") - np.searchsorted(ascending, left_key)
    return found


def _needed_later(
    kept: frozenset[Variable], left: Iterable[Bindings], conditions: Iterable[logic.Condition]
) -> frozenset[Variable]:
    """Return the variables that are needed later: in `kept`, in tables still to join, and in conditions."""
    return kept.union(*(bindings.names for bindings in left), *map(variables, conditions))


def _is_of_kinds(expression: logic.Expression) -> bool:
    """Return whether a condition depends only on the kinds of its terms, such as IRI or literal."""
    match expression:
        case logic.Call("!" | "&&" | "||", arguments):
            return all(map(_is_of_kinds, arguments))
        case logic.Call("BOUND" | "ISIRI" | "ISBLANK" | "ISLITERAL", (Variable(),)):
            return True
    return False


def _timely(rows: Iterable[tuple[Constant, ...]]) -> Iterator[tuple[Constant, ...]]:
    for number, row in enumerate(rows, 1):
        if number % _TESTED_AT_ONCE == 0:
            check_time()
        yield row


def _computed(operator: logic.ArithmeticOperator, left: Array, right: Array) -> tuple[Array, Mask]:
    divisor = np.where(right == 0, 1, right)
    match operator:
        case "+":
            return left + right, np.ones(len(left), np.bool_)
        case "-":
            return left - right, np.ones(len(left), np.bool_)
        case "*":
            return left * right, np.ones(len(left), np.bool_)
        case "/":
            return left // divisor, right != 0
        case "mod":
            return left % divisor, right != 0
        case _:
            assert_never(operator)


def _numbered(columns: Sequence[Array], rows: int) -> tuple[Array, Array]:
    """Return the index of one row for each distinct row, and for each row the number of its distinct row."""
    (key,) = keys([columns], [rows], 1)
    _, places, numbers = np.unique(key, return_index=True, return_inverse=True)
    return places, numbers


def evaluate_set_literal(
    literal: logic.SetLiteral, bindings: Bindings, codes: TermCodes, count: int
) -> Bindings:
    """Return the bindings for which an aggregate or order literal holds; `bindings` are its instances."""
    pieces = _pieces([bindings.column(key) for key in literal.keys], bindings.table, count)
    match literal:
        case logic.Gather(variable, aggregation, _, by):
            arguments = [bindings.column(name) for name in aggregation.arguments]
            values = _aggregates(aggregation, arguments, pieces, codes)
            table, names = pieces.table(values), (*by, variable)
        case logic.Among():
            table, names = _first(literal, bindings, pieces, codes), bindings.names
    return Bindings(names, run_tables.coalesce(table, count))


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """The division of the evaluation times of each group into intervals in which its instances do not change.

    `columns` contains the keys of each interval's group. Each instance holds in the intervals from number
    `begins` until before number `ends`.
    """

    columns: tuple[Array, ...]
    first: Array
    last: Array
    begins: Array
    ends: Array

    def pairs(self) -> tuple[Array, Array]:
        """Return the pairs (instance, interval of its group) in which the instance holds in the interval."""
        return run_tables.spread(self.begins, self.ends)

    def counts(self, some: Mask) -> Array:
        """Return, for each interval of a group, the number of instances in `some` that hold in it."""
        size = len(self.first) + 1
        begun, ended = (np.bincount(ends[some], minlength=size) for ends in (self.begins, self.ends))
        counts: Array = np.cumsum(begun - ended)[:-1]
        return counts

    def table(self, values: Array) -> run_tables.RunTable:
        """Return a table with a row for each interval of a group: the keys of the group, and a value.

        If groups have keys, the table omits intervals without instances.
        """
        table = run_tables.RunTable((*self.columns, values), self.first, self.last)
        every = np.ones(len(self.begins), np.bool_)
        return table.take(self.counts(every) > 0) if self.columns else table


def _pieces(group_columns: Sequence[Array], table: run_tables.RunTable, count: int) -> _Pieces:
    members, groups = _numbered(group_columns, len(table))
    room = count + 1
    starts, ends = groups * room + table.first, groups * room + table.last + 1
    # Without keys, a group exists from the first index on, even without instances. The end of an instance
    # begins a new piece, unless it is the end of all times.
    always = [] if group_columns or not count else [0]
    points = distinct(np.concatenate((starts, ends[table.last + 1 < count], np.array(always, np.int64))))
    owner, first = points // room, points % room
    following = np.append(points, -1)[1:]
    last = np.where(following // room == owner, following % room - 1, count - 1)
    begins, stops = np.searchsorted(points, starts), np.searchsorted(points, ends)
    columns = tuple(column[members][owner] for column in group_columns)
    return _Pieces(columns, first, last, begins, stops)


def _aggregates(
    aggregation: logic.Aggregation, arguments: Sequence[Array], pieces: _Pieces, codes: TermCodes
) -> Array:
    """Return the code of the aggregate's value for each interval of a group."""
    if aggregation.function in _BEST:
        return _best(aggregation.function, arguments[0], pieces, codes)
    rows = len(pieces.first)
    members, elements = _numbered(arguments, len(pieces.begins))
    if aggregation.function == "COUNT":
        return _counts(aggregation, arguments, elements, pieces, codes)
    instance, piece = pieces.pairs()
    element = elements[instance]
    order = np.lexsort((element, piece))
    element, piece = element[order], piece[order]
    from hashlib import blake2b  # loads a library of OpenSSL

    numbers = np.empty(rows, np.int64)
    borders = np.searchsorted(piece, np.arange(rows + 1))
    written = np.stack([column[members] for column in arguments], axis=1)
    # The sizes belong to the digest, since the bytes of differently divided arrays can be equal.
    whole = blake2b(repr((written.shape, rows)).encode(), digest_size=16)
    for part in (written, element, borders):
        whole.update(part.ravel().data)
    # Two queries that differ only in a condition on the aggregate need the same column.
    digest, column = codes.aggregated.get(aggregation, (b"", numbers))
    if digest == whole.digest():
        return column
    values = [
        tuple(
            None if (code := int(column[member])) == NULL_CODE else codes.constant(code)
            for column in arguments
        )
        for member in members.tolist()
    ]
    known = codes.aggregates[aggregation]
    for place in range(rows):
        some = element[borders[place] : borders[place + 1]]
        # The codes of a multiset determine its aggregate, also in later evaluations with the same `codes`.
        multiset = blake2b(written[some].tobytes(), digest_size=16).digest()
        if multiset not in known:
            known[multiset] = codes.of_constant(
                aggregate(aggregation, (values[row] for row in some.tolist()))
            )
        numbers[place] = known[multiset]
    codes.aggregated[aggregation] = whole.digest(), numbers
    return numbers


def _counts(
    aggregation: logic.Aggregation,
    arguments: Sequence[Array],
    elements: Array,
    pieces: _Pieces,
    codes: TermCodes,
) -> Array:
    """Return the code of COUNT in each interval of a group; for DISTINCT, equal `elements` count once."""
    # COUNT of one argument ignores unbound values, COUNT of tuples does not.
    some = arguments[0] != NULL_CODE if len(arguments) == 1 else np.ones(len(elements), np.bool_)
    if aggregation.distinct:
        instance, piece = pieces.pairs()
        room = len(elements) + 1
        pairs = distinct((piece * room + elements[instance])[some[instance]])
        counts = np.bincount(pairs // room, minlength=len(pieces.first))
    else:
        counts = pieces.counts(some)
    numbers, places = np.unique(counts, return_inverse=True)
    literals = (Literal(str(number), XSD + "integer") for number in numbers.tolist())
    column: Array = np.array([codes.of_constant(term) for term in literals], np.int64)[places]
    return column


_BEST: Final = {"MIN": False, "SAMPLE": False, "MAX": True}
"""The aggregates whose result is the first value in an order, and whether the order is descending."""


def _best(function: str, argument: Array, pieces: _Pieces, codes: TermCodes) -> Array:
    """Return the code of MIN, MAX or SAMPLE for each interval of a group."""
    distinct, places = np.unique(argument, return_inverse=True)
    bound = [code for code in distinct.tolist() if code != NULL_CODE]
    # Among terms of equal value, the text decides, because codes depend on how the trace was read.
    bound.sort(key=lambda code: text_key(codes.constant(code)))
    bound.sort(key=lambda code: order_key(codes.constant(code)), reverse=_BEST[function])
    # MIN and MAX of an unbound value are errors, so it comes first; SAMPLE skips it, so it comes last.
    unbound = -1 if function != "SAMPLE" else len(bound)
    rank = {code: number for number, code in enumerate(bound)} | {NULL_CODE: unbound}
    ranks = np.array([rank[code] for code in distinct.tolist()], np.int64)[places]
    held = np.flatnonzero(pieces.begins < pieces.ends)
    order = held[np.argsort(-ranks[held], kind="stable")]
    best = run_tables.latest_covers(pieces.begins[order], pieces.ends[order], len(pieces.first))
    # Both -1 (no instance, or an error) and len(bound) select the null at the end.
    numbers: Array = np.append(ranks[order], len(bound))[best]
    column: Array = np.array([*bound, NULL_CODE], np.int64)[numbers]
    return column


def _first(
    literal: logic.Among, bindings: Bindings, pieces: _Pieces, codes: TermCodes
) -> run_tables.RunTable:
    """Return the instances of an order literal with the intervals in which their rank is within the limit."""
    ranks = _ranks(literal, bindings, codes)
    instance, piece = pieces.pairs()
    order = np.lexsort((ranks[instance], piece))
    piece, instance = piece[order], instance[order]
    place = np.arange(len(piece)) - np.searchsorted(piece, piece)
    mask = place >= literal.offset
    if literal.limit is not None:
        mask &= place < literal.offset + literal.limit
    piece, instance = piece[mask], instance[mask]
    columns = tuple(column[instance] for column in bindings.table.columns)
    return run_tables.RunTable(columns, pieces.first[piece], pieces.last[piece])


def _ranks(literal: logic.Among, bindings: Bindings, codes: TermCodes) -> Array:
    """Return the rank of each row in the order of all rows; equal rows share a rank."""
    order = [(bindings.names.index(key.variable), key.descending) for key in literal.order]
    members, numbers = _numbered(bindings.table.columns, len(bindings.table))
    columns = (
        [_bound(codes, code) for code in column[members].tolist()] for column in bindings.table.columns
    )
    rows = list(zip(*columns, strict=True)) if bindings.names else [()] * len(members)
    ranks = {row: rank for rank, row in enumerate(sorted_rows(rows, order))}
    return np.array([ranks[row] for row in rows], np.int64)[numbers]


def _bound(codes: TermCodes, code: int) -> Constant | None:
    return None if code == NULL_CODE else codes.constant(code)


def decode(table: run_tables.RunTable, terms: TermCodes) -> Iterator[tuple[Row, int, int]]:
    """Return the rows of a table as texts, with their first and last index; null is None."""
    return zip(row_texts(table, terms), table.first.tolist(), table.last.tolist(), strict=True)


def row_texts(table: run_tables.RunTable, terms: TermCodes) -> list[Row]:
    """Return the rows of a table as texts; null is None."""
    columns = [terms.texts(column.tolist()) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * len(table)


def text_order(table: run_tables.RunTable, terms: TermCodes) -> Array:
    """Return the row numbers of a table, sorted by the texts of the rows, null first."""
    if not table.columns:
        return np.arange(len(table))
    return np.lexsort([terms.ranks(column) for column in reversed(table.columns)])


def evaluate_program(
    program: Program,
    situation: EncodedSituation,
    times: Sequence[int],
    output: Signature | None,
    newest: Sequence[int] | None = None,
) -> Mapping[Signature, run_tables.RunTable]:
    """Return tables of the derived atoms of `output` and of predicates on which it depends; None means all.

    `times` and `newest` have equal length, and their values never decrease. Each evaluation ignores atoms
    that arrive after its time in `newest`, but tuple windows count them. Before a join with very many rows,
    equivalent rules with fewer variables are tried.
    """

    def tables(
        program: Program, crowded: Callable[[], None] = lambda: None
    ) -> Mapping[Signature, run_tables.RunTable]:
        shown_input = visible_input(program, situation, times, newest)
        evaluation = ProgramTables(program, shown_input, crowded)
        return evaluation.derived(plans.plan(program, None) if output is None else evaluation.plan(output))

    def narrower() -> Program:
        from lars.elimination import with_fewer_instances, with_fewer_variables

        if output is None:
            return program
        known = frozenset((*situation.background, *situation.atoms))
        return with_fewer_variables(with_fewer_instances(program, output, known), output, known)

    def crowded() -> None:
        if narrower() is not program:
            raise CrowdedError

    try:
        return tables(program, crowded)
    except CrowdedError:
        return tables(narrower())


class CrowdedError(Exception):
    """The error that a join has too many rows; equivalent rules with fewer variables may need fewer rows."""


def visible_input(
    program: Program, situation: EncodedSituation, times: Sequence[int], newest: Sequence[int] | None
) -> ShownInput:
    """Return the input of predicates that the program does not derive, at the evaluation times."""
    own = intensional(program)
    atoms = {name: some for name, some in situation.atoms.items() if name not in own}
    return ShownInput(situation, atoms, times, newest)


def evaluated_on(program: Program, contents: ShownContents, output: Signature) -> run_tables.RunTable:
    """Return the rows of `output` that the program derives from each given content of its windows."""
    evaluation = ProgramTables(program, contents)
    return evaluation.derived(evaluation.plan(output)).get(output, run_tables.empty(output[1]))


class ProgramTables:
    """The tables of a program's predicates and windows, computed on demand.

    The attribute `rounds` maps each recursive predicate to its new atoms in each round. The atoms of a round
    follow from atoms of earlier rounds.
    """

    def __init__(
        self,
        program: Program,
        shown_input: ShownInput | ShownContents,
        crowded: Callable[[], None] = lambda: None,
    ) -> None:
        # An unknown function is an error also in a rule that the output does not need, as it is for clingo.
        for rule in program.rules:
            for literal in rule.body:
                if isinstance(literal, logic.Test | logic.Assign):
                    compile_condition(literal.expression)
        self._program = program
        self._input = shown_input
        self._terms = shown_input.terms
        self._facts = with_facts(program, {})
        self._count = len(shown_input.times)
        self._body = RuleBody(shown_input.terms, self._count, crowded)
        self._derived: dict[Signature, run_tables.RunTable] = {}
        self.rounds: dict[Signature, list[run_tables.RunTable]] = {}
        self._sources: dict[WindowedAtom, run_tables.RunTable] = {}

    def plan(self, output: Signature) -> plans.RelationalPlan:
        """Return the plan for the atoms of the predicate `output`."""
        return plans.unfolded_plan(self._program, output, frozenset((*self._input.background, *self._facts)))

    def derived(self, whole: plans.RelationalPlan) -> dict[Signature, run_tables.RunTable]:
        """Compute and return the tables of all predicates that the rules of a plan derive.

        Raises:
            LarsError: A constraint of the program is violated.
        """
        for layer in whole:
            self._begin(layer)
            if layer.recursive:
                self._close(layer)
            for rule in () if layer.predicates else layer.rules:
                violated = self._solutions(rule, {}).table
                if len(violated):
                    t = self._input.times[int(violated.first.min())]
                    raise LarsError(f"the program has 0 answer streams at {t}; expected exactly one")
        return self._derived

    def _begin(self, layer: plans.Layer) -> None:
        """Derive the atoms of a layer by the rules that do not use predicates of the layer."""
        for predicate in layer.predicates:
            self._derived[predicate] = run_tables.empty(predicate[1])
        for predicate in layer.predicates:
            rules = [rule for rule in layer.rules if not rule.places(layer.predicates)]
            heads = [self._head_rows(rule, {}) for rule in rules if rule.predicate == predicate]
            rows = [table for table in (self.background(predicate), *heads) if len(table)]
            self._derived[predicate] = run_tables.unite(rows, predicate[1], self._count)

    def _close(self, layer: plans.Layer) -> None:
        """Derive the other atoms of a recursive layer in rounds (semi-naive evaluation).

        Each round joins the new atoms of the last round, at one place of a body, with all known atoms.
        """
        new = {predicate: self._derived[predicate] for predicate in layer.predicates}
        self.rounds |= {predicate: [] for predicate in layer.predicates}
        while any(map(len, new.values())):
            check_time()
            for predicate, fresh in new.items():
                self.rounds[predicate].append(fresh)
            tables: dict[Signature, list[run_tables.RunTable]] = {
                predicate: [] for predicate in layer.predicates
            }
            for rule in layer.rules:
                for place, predicate in rule.places(layer.predicates):
                    if len(new[predicate]):
                        tables[rule.predicate].append(self._head_rows(rule, {place: new[predicate]}))
            for predicate, rows in tables.items():
                width = predicate[1]
                heads, known = (
                    run_tables.coalesce(run_tables.concatenate(rows, width), self._count),
                    self._derived[predicate],
                )
                new[predicate] = run_tables.subtract(heads, known, range(width), self._count)
                self._derived[predicate] = run_tables.concatenate([known, new[predicate]], width)
        for predicate in layer.predicates:
            self._derived[predicate] = run_tables.coalesce(self._derived[predicate], self._count)

    def _head_rows(
        self, rule: plans.RulePlan, instead: Mapping[int, run_tables.RunTable]
    ) -> run_tables.RunTable:
        with under_way(lambda: f"most of all for {rule.rule.quotation}"):
            try:
                bindings = self._solutions(rule, instead)
            except (OutOfMemoryError, TimeLimitError):
                raise  # `under_way` adds the rule to the messages of these two errors.
            except FailedRunError as error:
                raise FailedRunError(f"{error}, in {rule.rule.quotation}") from None
        columns = tuple(bindings.term(term, self._terms) for term in rule.arguments)
        # If the head has all variables, different bindings give different rows.
        whole = set(bindings.names) <= set(rule.arguments)
        return run_tables.RunTable(
            columns, bindings.table.first, bindings.table.last, bindings.table.longest and whole
        )

    def _solutions(self, rule: plans.RulePlan, instead: Mapping[int, run_tables.RunTable]) -> Bindings:
        """Return the bindings for which the body of a rule holds.

        The argument `instead` maps numbers of joined literals to tables that are read in place of their
        sources.
        """
        joined = [
            self.scan(part, instead.get(place)).only(rule.needed(place), self._count)
            for place, part in enumerate(rule.joined)
        ]
        subtracted = [self.scan(part) for part in rule.subtracted]
        return self._body.solutions(joined, subtracted, rule.conditions, variables(rule.rule.head))

    def scan(self, part: plans.Scan, instead: run_tables.RunTable | None = None) -> Bindings:
        """Return the bindings of a body literal's variables, from its source or from the table `instead`."""
        table = self._table(part.source) if instead is None else instead
        bindings = scan_atoms(part.terms, table, self._terms)
        if part.literal is None:
            return bindings
        return evaluate_set_literal(part.literal, bindings, self._terms, self._count)

    def _table(self, source: plans.RowSource) -> run_tables.RunTable:
        match source:
            case (_, _) as predicate:
                return self._derived[predicate]
            case None:
                # Each evaluation time with its own index, as a number of the logic.
                indexes, times = np.arange(self._count), np.array(self._input.times, np.int64)
                return run_tables.RunTable((self._terms.of_numbers(times),), indexes, indexes)
            case WindowedAtom():
                if source not in self._sources:
                    self._sources[source] = self._shown(source)
                return self._sources[source]

    def _shown(self, source: WindowedAtom) -> run_tables.RunTable:
        table = self._input.runs(source)
        atom = source.atom
        always = self.background(signature(atom))
        if source.timed or not len(always):
            return table
        # No window reads a predicate of the background (see `obstacle`), so the atom has no window.
        fitting = scan_atoms(atom.arguments, always, self._terms).table
        return run_tables.unite([table, fitting], len(table.columns), self._count)

    def background(self, predicate: Signature) -> run_tables.RunTable:
        """Return the background rows of a predicate, from the situation and from the program's facts."""
        own = encoded_rows(self._facts.get(predicate, ()), predicate[1], self._terms)
        rows = np.concatenate((self._input.background.get(predicate, own[:0]), own))
        return run_tables.steady(list(rows.T), len(rows), self._count)
