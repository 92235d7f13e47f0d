"""Describe wrong runs of an engine that no fault explains: missing rows, extra rows, times of reports.

Each part of the description is true for the set of these runs, independent of the cause.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Final

from agreement.comparing.matching.places import ReportMatch
from agreement.engines.engine import columns
from agreement.proving.hunting.answer_switches import without_labels
from agreement.proving.hunting.conditions import ComparedRun, missing_rows, where_wrong
from agreement.proving.hunting.portraits import other_values
from agreement.proving.hunting.references import HuntedRun, Reference, RunVerdict
from solver.facts import Row

_NEARLY_ALL: Final = 0.9
"""The share of runs with a property from which on a text says "nearly always"; a guess."""


def described(wrong: Sequence[HuntedRun], right: Sequence[HuntedRun], judge: Reference) -> str:
    """Return a text that describes properties which all given wrong runs of an engine share.

    `right` contains correct runs, for comparison.
    """
    compared, others = ([_compared(run, judge.verdict(run)) for run in runs] for runs in (wrong, right))
    parts = (_rows(compared), missing_rows(compared, others), where_wrong(compared, others))
    return "; ".join(filter(None, parts))


def _compared(run: HuntedRun, verdict: RunVerdict) -> ComparedRun:
    return ComparedRun(run, verdict.places, verdict.by_push)


def _rows(runs: Sequence[ComparedRun]) -> str:
    """Return a text that describes how the reported rows differ from the expected rows in all wrong runs."""
    says = next((says for says, holds in _RELATIONS if all(map(holds, runs))), _OTHERWISE)
    if says in _OWN_ROWS:
        return says
    return f"{says}: {_empty_columns(runs)}" if says == _UNBOUND else says + _origin(runs)


def _empty_columns(runs: Sequence[ComparedRun]) -> str:
    """Return the names of columns that are unbound in wrong reports, but bound in the expected rows."""
    names = (
        name
        for one in runs
        for place in one.places
        if place.problem is not None
        for n, name in enumerate(columns(one.run.query.read))
        if all(row[n] is None for row in place.came_rows)
        and any(row[n] is not None for row in place.right_rows)
    )
    return ", ".join(f"?{name}" for name in dict.fromkeys(names))


def _all_places(holds: Callable[[ReportMatch], object]) -> Callable[[ComparedRun], bool]:
    return lambda one: all(place.problem is None or holds(place) for place in one.places)


def _in_order(one: ComparedRun) -> bool:
    """Return whether an engine reported the expected answers in the expected order, at any times.

    The last expected answer can be missing.
    """
    right = [Counter(place.right_rows) for place in one.places if place.right_rows]
    came = [Counter(place.came_rows) for place in one.places if place.came_rows]
    both = list(zip(right, came, strict=False))
    return bool(both) and 0 <= len(right) - len(came) <= 1 and all(a == b for a, b in both)


def _as_many(one: ComparedRun) -> bool:
    """Return whether all reports of a run together contain exactly the expected rows."""
    right, came = (
        Counter(chain.from_iterable(rows))
        for rows in zip(*((p.right_rows, p.came_rows) for p in one.places), strict=True)
    )
    return right == came


def _one_column(place: ReportMatch) -> bool:
    """Return whether the reported rows of a window are right except for the values of one column."""
    rows = (*place.right_rows, *place.came_rows)
    widths = {len(row) for row in rows}
    if len(place.right_rows) != len(place.came_rows) or len(widths) != 1:
        return False
    return any(other_values((n,), place.right_rows, place.came_rows) for n in range(widths.pop()))


def _as_often(signs: Sequence[int], place: ReportMatch) -> bool:
    """Return whether a report contains the expected rows and no others, but some too often or too rarely.

    If `signs` contains 1, a row can be reported too often; if `signs` contains -1, too rarely.
    """
    right, came = Counter(place.right_rows), Counter(place.came_rows)
    return right.keys() == came.keys() and all(
        (came[row] > right[row]) - (came[row] < right[row]) in (*signs, 0) for row in right
    )


def _unbound(place: ReportMatch) -> bool:
    """Return whether the reported rows of a window are right except for columns that are unbound."""
    empty = {n for row in place.came_rows for n, text in enumerate(row) if text is None}
    both = (
        Counter(tuple(None if n in empty else text for n, text in enumerate(row)) for row in rows)
        for rows in (place.right_rows, place.came_rows)
    )
    right, came = both
    return right == came


_UNBOUND: Final = "some columns have no value, and all other columns are right"
_OWN_ROWS: Final = (
    "rows that are right are reported more often",
    "rows that are right are reported less often",
    "rows that are right are reported more often or less often",
)
Relation = tuple[str, Callable[[ComparedRun], bool]]
_RELATIONS: Final[tuple[Relation, ...]] = (
    (
        "empty answers are reported although they should not be, or the reverse",
        _all_places(lambda p: not p.right_rows and not p.came_rows),
    ),
    ("whole reports are missing", _all_places(lambda p: p.right_rows and not p.came_rows)),
    ("the answers are right, but reports come at other times", _in_order),
    ("the rows of each run are right, but come at other times", lambda one: _in_order(one) or _as_many(one)),
    ("reports come although no report is due", _all_places(lambda p: p.came_rows and not p.right_rows)),
    *(
        (says, _all_places(partial(_as_often, sign)))
        for says, sign in zip(_OWN_ROWS, ((1,), (-1,), (1, 0, -1)), strict=True)
    ),
    (
        "rows are missing, and no row is extra",
        _all_places(lambda p: not Counter(p.came_rows) - Counter(p.right_rows)),
    ),
    (
        "rows are extra, and no row is missing",
        _all_places(lambda p: not Counter(p.right_rows) - Counter(p.came_rows)),
    ),
    (_UNBOUND, _all_places(_unbound)),
    ("one column has other values", _all_places(_one_column)),
    (
        "rows have other values, but their number is right",
        _all_places(lambda p: len(p.right_rows) == len(p.came_rows)),
    ),
    ("each wrong report has too few rows", _all_places(lambda p: len(p.right_rows) > len(p.came_rows))),
    ("each wrong report has too many rows", _all_places(lambda p: len(p.right_rows) < len(p.came_rows))),
)
_OTHERWISE: Final = "some rows are missing, and some rows are extra"


def _origin(runs: Sequence[ComparedRun]) -> str:
    """Return a text about the origin of extra rows, such as "from the preceding report", or ""."""
    some = [one for one in runs if any(one.more)]
    for says, holds in _ORIGINS if some else ():
        count = sum(map(holds, some))
        if count >= _NEARLY_ALL * len(some):
            often = "" if count == len(some) else "nearly always "
            return f", and extra rows are {often}{says}"
    return ""


def _before(one: ComparedRun, *, last: bool = False) -> bool:
    """Return whether each extra row of a run was expected in an earlier report of the run.

    If `last` is true, only the last earlier report with expected rows counts.
    """
    ever: set[Row] = set()
    for place, more in zip(one.places, one.more, strict=True):
        if _unlabelled(more) - ever:
            return False
        own = _unlabelled(place.right_rows)
        ever = (own or ever) if last else ever | own
    return True


def _anywhere(one: ComparedRun) -> bool:
    right = _unlabelled(chain.from_iterable(place.right_rows for place in one.places))
    return all(_unlabelled(more) <= right for more in one.more)


def _nowhere(one: ComparedRun) -> bool:
    right = _unlabelled(chain.from_iterable(place.right_rows for place in one.places))
    return not any(_unlabelled(more) & right for more in one.more)


def _unlabelled(rows: Iterable[Row]) -> set[Row]:
    """Return rows without the labels of blank nodes, because each report may have labels of its own."""
    return {tuple(text and without_labels(text) for text in row) for row in rows}


_ORIGINS: Final[tuple[Relation, ...]] = (
    ("from the preceding report", lambda one: _before(one, last=True)),
    ("from preceding reports", _before),
    ("right at another time of the same run", _anywhere),
    ("right at no time of the same run", _nowhere),
)
