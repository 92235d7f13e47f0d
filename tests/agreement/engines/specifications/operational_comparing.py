"""Both evaluations of one case, where they differ, and smaller cases of a difference."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from agreement.engines.engine import columns
from agreement.engines.specifications import evaluated_windows, evaluations
from tests.agreement.engines.specifications.operational import Machine, run
from tests.agreement.engines.specifications.operational_strategies import Case
from tests.sparql.comparison import canonical, rows_of
from tests.sparql.engine import term_of
from tests.sparql.syntax import Dataset, Literal, Query

MOST = 400
"""So many smaller cases are tried at most."""


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
    whole = evaluated_windows(task, chosen, case.choice(places))
    names = columns(task.query)
    query, found = case.run.query, []
    for one in evaluations(whole):
        sizes = dict(zip(places, map(len, whole.content(one.point)), strict=True))
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


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a case that fails, and does not when more arrivals, data, strategies or time are dropped."""
    tried = 0
    while True:
        for smaller in variants(case):
            tried += 1
            if tried > MOST:
                return case
            if fails(smaller):
                case = smaller
                break
        else:
            return case


def variants(case: Case) -> Iterator[Case]:
    """Yield cases with one thing less."""
    run = case.run
    for place in range(len(run.arrivals)):
        yield changed(case, arrivals=run.arrivals[:place] + run.arrivals[place + 1 :])
    for place in range(len(run.versions)):
        yield changed(case, versions=run.versions[:place] + run.versions[place + 1 :])
    for one in sorted(run.static.default, key=repr):
        yield changed(case, static=Dataset(run.static.default - {one}, run.static.named))
    for name, triples in run.static.named.items():
        for one in sorted(triples, key=repr):
            yield changed(case, static=replace(run.static, named={name: triples - {one}}))
    for place, window in enumerate(run.windows):
        for smaller in [
            window._replace(strategies=window.strategies - {one}) for one in sorted(window.strategies)
        ]:
            yield changed(case, windows=(*run.windows[:place], smaller, *run.windows[place + 1 :]))
    if run.until > max((one.t for one in run.arrivals), default=0):
        yield changed(case, until=run.until - 1)


def changed(case: Case, **parts) -> Case:
    return replace(case, run=replace(case.run, **parts))
