"""What YASPER and RSP-JS make of an RSP-QL query: its sliding windows, and what they cannot run."""

import re
from dataclasses import dataclass, replace
from typing import Final

from agreement.engines.contents import Source, sources
from agreement.recordings.recording import Push
from lars.durations import Duration
from lars.errors import LarsError
from translate.node import ordered
from translate.patterns import (
    Extend,
    Graph,
    Group,
    LeftJoin,
    Minus,
    PathPattern,
    Select,
    Service,
    Union,
    Values,
    variables,
)
from translate.query import EngineQuery, Form, Language
from translate.rebuilding import parts, tests_of
from translate.windows import Range

_NANOSECONDS: Final = 10**6
_WINDOWS: Final = "FROM NAMED WINDOW <name> ON <stream> [RANGE length STEP length]"
_BLANK: Final = re.compile(r"_+b\d+")
_NOT_RUN: Final = {
    Extend: "an expression that binds a variable (AS)",
    Graph: "GRAPH",
    Group: "an aggregate",
    LeftJoin: "OPTIONAL",
    Minus: "MINUS",
    PathPattern: "a property path",
    Select: "a subquery",
    Service: "SERVICE",
    Union: "UNION, or a variable in the place of a window",
    Values: "VALUES",
}


@dataclass(frozen=True, slots=True)
class Sliding:
    """A window of a query: its length and how often one closes, in milliseconds."""

    source: Source
    width: float
    step: float

    def reads(self, push: Push) -> bool:
        """Whether the push is in the window's stream."""
        return push.stream == str(self.source.stream)


def sliding_windows(query: EngineQuery, engine: str, *, tumbling: bool) -> tuple[Sliding, ...]:
    """Return the windows of the query in the order of its text; `tumbling` accepts one without STEP.

    RSP-JS writes lengths without a unit: they are read as milliseconds, so that they count what
    the timestamps count. Raises LarsError for anything but SELECT over windows of RSP-QL.
    """
    if query.language is not Language.RSPQL:
        raise LarsError(f"{engine} cannot run a query in {query.language.value}; accepted: rspql")
    if query.form is not Form.SELECT:
        raise LarsError(f"{engine} cannot run {query.form.value}; accepted: SELECT")
    found = sources(query)
    if query.merged or not found:
        problem = "a window without a name" if query.merged else "a query without a window"
        raise LarsError(f"{engine} cannot run {problem}; accepted: {_WINDOWS}")
    return tuple(_sliding(source, engine, tumbling=tumbling) for source in found)


def _sliding(source: Source, engine: str, *, tumbling: bool) -> Sliding:
    match source.window:
        case Range(length, slide, None) if tumbling or slide:
            return Sliding(source, milliseconds(length), milliseconds(slide or length))
        case other:
            raise LarsError(f"{engine} cannot run the window {other}; accepted: {_WINDOWS}")


def milliseconds(length: Duration) -> float:
    """Return a duration in milliseconds, whole where it is.

    >>> milliseconds(Duration(2_000_000)), milliseconds(Duration(1_500_000))
    (2, 1.5)
    """
    whole, rest = divmod(length.nanoseconds, _NANOSECONDS)
    return length.nanoseconds / _NANOSECONDS if rest else whole


def check_triple_patterns(query: EngineQuery, engine: str) -> None:
    """Raise LarsError where the pattern is more than triple patterns and filters."""
    for part in parts(query.pattern):
        construct = "EXISTS" if tests_of(part) else _NOT_RUN.get(type(part))
        if construct is not None:
            raise LarsError(f"{engine} cannot run {construct}; accepted: triple patterns and FILTER")


def without_projection(query: EngineQuery) -> EngineQuery:
    """Return the query that selects every variable of its pattern; blank nodes have none."""
    named = {variable for variable in variables(query.pattern) if not _BLANK.fullmatch(variable.name)}
    return replace(query, result=tuple(ordered(named | set(query.result))))
