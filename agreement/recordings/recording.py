"""What is recorded of an engine: the triples pushed into it, and its reports.

Terms are canonical texts (`solver.rdf`). Times are those of the recording's own clock in
milliseconds, possibly fractions (RSP-JS: in the unit of its windows).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from solver.facts import Fact

Triple = tuple[str, str, str]
Row = tuple[str | None, ...]
"""A term for each variable of the recording, None where it is unbound."""


@dataclass(frozen=True, slots=True)
class Push:
    """A triple given to an engine at a time; pushes are in the order in which they were given.

    `stream` is the text of the stream's IRI, as `<http://e/S>`. Triples pushed together as one graph
    have the same `graph`.
    """

    t: float
    stream: str
    triple: Triple
    graph: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """An answer as an engine gave it: its time, a multiset of rows, maybe none.

    `trigger` is the number of the push during which it came, from 0; None where nobody knows.
    """

    t: float
    rows: tuple[Row, ...]
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Reports in the order in which they came; `variables` are the columns of their rows, sorted.

    `rejected` are the numbers of the pushes that the engine refused. `windows` are the bounds that an
    engine prints with each report, in their order; empty where it prints none.
    """

    variables: tuple[str, ...]
    reports: tuple[Report, ...]
    rejected: tuple[int, ...] = ()
    windows: tuple[tuple[float, float] | None, ...] = ()


def pushes_of(facts: Iterable[Fact], milliseconds: float) -> list[Push]:
    """Return the triples of a trace, in arrival order, as pushes; one time point is so long."""
    found = []
    for fact in facts:
        s, p, o, stream = fact.arguments
        found.append(Push(fact.t * milliseconds, stream, (s, p, o)))
    return found
