"""Both evaluations of one case, and where they differ."""

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from agreement.specifications.evaluation import evaluations, profiled
from tests.agreement.operational import run
from tests.agreement.operational_strategies import Case
from tests.sparql.comparison import canonical, rows_of
from tests.sparql.engine import term_of
from tests.sparql.syntax import Query


class Line(NamedTuple):
    """One evaluation in a form that can be compared."""

    t: int
    rows: Counter
    reported: bool
    trigger: int | None

    def __str__(self) -> str:
        rows = sorted(f"{count}x{sorted(map(str, row))}" for row, count in self.rows.items())
        return f"{self.t} trigger={self.trigger} reported={self.reported} {rows}"


def lines_of_logic(case: Case) -> list[Line]:
    """Return what the program says."""
    task = case.task()
    places = case.places(task)
    whole = profiled(task, case.specification(places), case.choice(places))
    names = [variable.name for variable in whole.output.variables]
    return [
        Line(one.time, comparable(case.run.query, bag(case.run.query, names, one.rows)), one.reported, one.trigger)
        for one in evaluations(whole)
    ]


def bag(query: Query, names, rows) -> Counter:
    """Return rows of texts as the reference has them."""
    if query.form != "SELECT":
        return Counter(tuple(map(term_of, row)) for row in rows)
    return Counter(
        frozenset((name, term_of(text)) for name, text in zip(names, row, strict=True) if text is not None)
        for row in rows
    )


def comparable(query: Query, rows: Counter) -> Counter:
    """Return rows such that numbers are equal by value."""
    if query.form != "SELECT":
        return Counter({tuple(map(canonical, row)): count for row, count in rows.items()})
    return Counter(rows_of(query, (dict(row) for row in rows.elements())))


def lines_of_machine(case: Case) -> list[Line]:
    """Return what the definitions say."""
    return [one_line(case.run.query, *one) for one in run(case.run)]


def one_line(query: Query, t, rows, reported, trigger) -> Line:
    return Line(t, comparable(query, rows), reported, trigger)


def differences(case: Case) -> Iterator[str]:
    """Yield the evaluations in which the two differ, as texts."""
    for expected, found in zip_longest(lines_of_machine(case), lines_of_logic(case)):
        if expected != found:
            yield f"expected {expected}\n   found {found}"
