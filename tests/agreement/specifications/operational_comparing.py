"""Both evaluations of one case, and where they differ."""

from collections import Counter
from itertools import zip_longest
from typing import NamedTuple

from agreement.specifications import evaluations, profiled
from tests.agreement.specifications.operational import Machine, run
from tests.agreement.specifications.operational_strategies import Case
from tests.sparql.comparison import canonical, rows_of
from tests.sparql.engine import term_of
from tests.sparql.syntax import Literal, Query


class Line(NamedTuple):
    """One evaluation in a form that can be compared: numbers by value, windows in the query's order."""

    t: int
    rows: Counter
    reported: bool
    trigger: int | None
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        rows = ", ".join(sorted(f"{count}x {short(row)}" for row, count in self.rows.items()))
        told = "reported" if self.reported else "silent"
        return f"{self.t}: {told}, trigger {self.trigger}, sizes {self.sizes}, rows {rows or '-'}"


def short(row) -> str:
    """Return a row for reading: terms by the end of their text."""
    cells = row if isinstance(row, tuple) else sorted(row)
    return " ".join(f"{one[0]}={text(one[1])}" if isinstance(row, frozenset) else text(one) for one in cells)


def text(term) -> str:
    return term.lexical if isinstance(term, Literal) else term.value.rsplit("/", 1)[-1]


def lines_of_logic(case: Case, specification=None) -> list[Line]:
    """Return what the program says, under the case's specification or another one."""
    task = case.task()
    places = case.places(task)
    chosen = specification or case.specification(places)
    whole = profiled(task, chosen, case.choice(places))
    names = [variable.name for variable in whole.output.variables]
    query, found = case.run.query, []
    for one in evaluations(whole):
        sizes = dict(zip(places, (view.triples for view in one.views), strict=True))
        rows = comparable(query, bag(query, names, one.rows))
        shown = tuple(sizes[place] for place in sorted(sizes))
        found.append(Line(one.time, rows, one.reported, one.trigger, shown))
    return found


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


def lines_of_machine(case: Case, kind: type[Machine] = Machine) -> list[Line]:
    """Return what the definitions say."""
    query = case.run.query
    return [Line(one.t, comparable(query, one.rows), *one[2:]) for one in run(case.run, kind)]


def differences(expected: list[Line], found: list[Line]) -> list[str]:
    """Return the evaluations in which two lists differ, as texts."""
    return [
        f"expected {one}\n   found {other}" for one, other in zip_longest(expected, found) if one != other
    ]


def fault(case: Case) -> str:
    """Return the first evaluation in which program and machine differ; empty when they agree."""
    return next(iter(differences(lines_of_machine(case), lines_of_logic(case))), "")
