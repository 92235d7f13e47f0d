"""Smaller cases of a difference: arrivals, static data, strategies and time are dropped while it stays."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.agreement.specifications.operational_strategies import Case
from tests.sparql.syntax import Dataset

MOST = 400
"""So many cases are tried at most."""


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a case that fails, and does not when anything more is dropped."""
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
