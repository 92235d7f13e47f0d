"""Whether a C-SPARQL and a CQELS query stem from one (V, P, D, S), and where they do not."""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import fields
from typing import Final

from lars.durations import Duration
from lars.terms import Iri, Variable
from translate.errors import ModelError
from translate.patterns import Bgp, Join, PathPattern, Pattern, StreamBlock, Union, Values
from translate.query import Dataset, EngineQuery, Language
from translate.rebuilding import children, tests_of
from translate.strategies import model_of_cqels, stream_blocks
from translate.windows import Range, WindowExpression


def check_comparable(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError when V, the form or D differ: then rows of the two cannot be compared.

    A query without FROM and FROM NAMED reads the other one's dataset.
    """
    if (csparql.form, frozenset(csparql.result)) != (cqels.form, frozenset(cqels.result)):
        raise ModelError(
            "the two queries do not return the same variables, so their rows cannot be compared: "
            f"C-SPARQL {csparql.form.value} {_shown(csparql)}, CQELS {cqels.form.value} {_shown(cqels)}"
        )

    if csparql.template != cqels.template or csparql.described != cqels.described:
        raise ModelError("the two queries construct or describe different triples")
    slices = csparql.modifiers.slices or cqels.modifiers.slices
    if slices and csparql.modifiers != cqels.modifiers:
        raise ModelError("the two queries differ in their LIMIT, OFFSET, ORDER BY or DISTINCT")
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
    windows: set[tuple[Iri | Variable, WindowExpression]] = {
        (part.stream, part.window) for part in csparql.merged
    }
    blocks = {(part.stream, part.window) for part in model.streams}
    for source in sorted(windows - blocks, key=str):
        yield f"S: only the C-SPARQL query reads {source[0]} {source[1]}"
    for source in sorted(blocks - windows, key=str):
        yield f"S: only the CQELS query reads {source[0]} {source[1]}"


def normal(pattern: Pattern) -> Hashable:
    """Return a form that is equal for patterns that differ only in how AND is nested or ordered."""
    match pattern:
        case Bgp() | Join() | StreamBlock():
            return "AND", frozenset(Counter(_conjuncts(pattern)).items())
        case Union(left, right):
            return "UNION", frozenset(Counter((normal(left), normal(right))).items())
        case PathPattern() | Values():
            return pattern
        case _:
            own = tuple(getattr(pattern, field.name) for field in fields(pattern) if field.name not in _PARTS)
            tests = tuple((test.variable, normal(test.pattern)) for test in tests_of(pattern))
            below = children(pattern)[: len(children(pattern)) - len(tests)]
            return type(pattern).__name__, own, tests, *map(normal, below)


_PARTS: Final = ("pattern", "left", "right", "exists")


def _conjuncts(pattern: Pattern) -> Iterator[Hashable]:
    match pattern:
        case Bgp(triples):
            yield from triples
        case StreamBlock(_, _, inner):
            yield from _conjuncts(inner)
        case Join(left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield normal(pattern)


def default_period(query: EngineQuery, unit: Duration) -> int | None:
    """Return the pulling period that a query states, in time points: its STEP.

    Without a STEP it is COMPUTED EVERY; None when there is neither, or windows step differently.
    CQELS ignores its SLIDE, and is never pulled.
    """
    windows = [part.window for part in (*query.merged, *query.declared)]
    if query.language is not Language.CQELS:
        windows += [block.window for block in stream_blocks(query.pattern)]
    steps = {window.slide for window in windows if isinstance(window, Range) and window.slide}
    if not steps and query.every is not None:
        steps = {query.every}
    return steps.pop().points(unit) if len(steps) == 1 else None


def _shown(query: EngineQuery) -> str:
    return " ".join(f"?{variable.name}" for variable in sorted(query.result, key=_name))


def _name(variable: Variable) -> str:
    return variable.name
