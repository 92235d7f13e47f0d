"""Whether a C-SPARQL and a CQELS query stem from one (V, P, D, S), and where they do not."""

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import assert_never

from lars.durations import Duration
from lars.terms import Variable
from translate.errors import ModelError
from translate.patterns import (
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    StreamBlock,
    Union,
)
from translate.query import Dataset, EngineQuery
from translate.strategies import model_of_cqels, without_streams
from translate.windows import Range


def check_comparable(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError when V, the form or D differ: then rows of the two cannot be compared.

    A query without FROM and FROM NAMED reads the other one's dataset.
    """
    if (csparql.form, frozenset(csparql.result)) != (cqels.form, frozenset(cqels.result)):
        raise ModelError(
            "the two queries do not return the same variables, so their rows cannot be compared: "
            f"C-SPARQL {csparql.form.value} {_shown(csparql)}, CQELS {cqels.form.value} {_shown(cqels)}"
        )

    datasets = csparql.dataset, cqels.dataset
    if Dataset() not in datasets and datasets[0] != datasets[1]:
        raise ModelError(
            "the two queries name different datasets, so they do not stem from one (V, P, D, S): "
            f"C-SPARQL {_graphs(csparql.dataset)}, CQELS {_graphs(cqels.dataset)}"
        )


def _graphs(dataset: Dataset) -> str:
    named = (f"FROM NAMED {graph}" for graph in dataset.named)
    return " ".join((*(f"FROM {graph}" for graph in dataset.default), *named))


def differences(csparql: EngineQuery, cqels: EngineQuery) -> Iterator[str]:
    """Yield where two comparable queries do not stem from one (V, P, D, S)."""
    model = model_of_cqels(cqels)
    mine, theirs = normal(csparql.pattern), normal(model.pattern)
    if mine != theirs:
        yield f"P: the patterns differ\n  C-SPARQL {csparql.pattern}\n  CQELS    {model.pattern}"
    windows = {(part.stream, part.window) for part in csparql.merged}
    blocks = {(part.stream, part.window) for part in model.streams}
    for stream, window in sorted(windows - blocks, key=str):
        yield f"S: only the C-SPARQL query reads {stream} {window}"
    for stream, window in sorted(blocks - windows, key=str):
        yield f"S: only the CQELS query reads {stream} {window}"


def normal(pattern: Pattern) -> Hashable:
    """Return a form that is equal for patterns that differ only in how AND is nested or ordered."""
    match pattern:
        case Bgp() | Join() | StreamBlock():
            return "AND", frozenset(Counter(_conjuncts(pattern)).items())
        case Union(left, right):
            return "UNION", frozenset(Counter((normal(left), normal(right))).items())
        case Minus(left, right):
            return "MINUS", normal(left), normal(right)
        case LeftJoin(left, right, condition):
            return "OPT", normal(left), normal(right), condition
        case Filter(inner, condition):
            return "FILTER", normal(inner), condition
        case Graph(name, inner):
            return "GRAPH", name, normal(inner)
        case Extend(inner, variable, expression):
            return "BIND", normal(inner), variable, expression
        case _:
            assert_never(pattern)


def _conjuncts(pattern: Pattern) -> Iterator[Hashable]:
    match pattern:
        case Bgp(triples):
            yield from triples
        case StreamBlock():
            yield from without_streams(pattern).triples  # type: ignore[union-attr]
        case Join(left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield normal(pattern)


def default_period(query: EngineQuery, unit: Duration) -> int | None:
    """Return the pulling period that a C-SPARQL query states, in time points: its STEP.

    Without a STEP it is COMPUTED EVERY; None when there is neither, or windows step differently.
    """
    steps = {
        part.window.slide for part in query.merged if isinstance(part.window, Range) and part.window.slide
    }
    if not steps and query.every is not None:
        steps = {query.every}
    return steps.pop().points(unit) if len(steps) == 1 else None


def _shown(query: EngineQuery) -> str:
    return " ".join(f"?{variable.name}" for variable in sorted(query.result, key=_name))


def _name(variable: Variable) -> str:
    return variable.name
