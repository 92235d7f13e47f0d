"""The windows of a query as RSP-JS and rsp-rs see them: line by line, lengths as each reads a number."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource
from agreement.engines.written_query import WrittenQuery
from agreement.engines.yasper.sliding import YasperWindow, sliding_windows
from lars.durations import Duration
from lars.language.terms import Iri
from translate.dialects.by_lines import LineWindow, read_lines
from translate.model.query import EngineQuery
from translate.model.windows import Range

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER: Final = re.compile("[+-]?[0-9]+")
_LARGEST: Final = 2**63
_UNUSED: Final = Range(Duration(1))


def javascript_number(text: str) -> float:
    """Return what Number of JavaScript makes of a decimal numeral; NaN of what is none."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return int(number) if number.is_integer() else number


def rust_integer(text: str) -> float:
    """Return what rsp-rs reads as a 64-bit integer; 0 of what is none."""
    number = int(text) if _INTEGER.fullmatch(text) else 0
    return number if -_LARGEST <= number < _LARGEST else 0


@dataclass(frozen=True, slots=True)
class EngineWindows:
    """The windows in the order of the text; `alive` are those that can open, `fed` gets a stream's triples.

    Not `answers`: what is left of the text is no SPARQL, so that nothing is ever answered.
    """

    all: tuple[YasperWindow, ...]
    answers: bool = True

    @property
    def alive(self) -> tuple[YasperWindow, ...]:
        """The windows whose grid there is: of a step of 0 or NaN there is none."""
        return tuple(one for one in self.all if one.step > 0 and not math.isnan(one.width))

    def fed(self, push: Push, *, last: bool) -> tuple[YasperWindow, ...]:
        """Return the windows that a push enters: all on its stream, or only the last of them."""
        found = [one for one in self.all if one.reads(push)]
        return tuple(one for one in (found[-1:] if last else found) if one in self.alive)


def engine_windows(
    query: EngineQuery, engine: str, length: Callable[[str], float], *, by_lines: bool
) -> EngineWindows:
    """Return the windows of a query as an engine sees them, or `by_lines` off as its language means them.

    The lines are seen if the query has its text. Raises LarsError for what is no SELECT over
    sliding windows.
    """
    windows = sliding_windows(query, engine, tumbling=False)
    if not isinstance(query, WrittenQuery):
        return EngineWindows(windows)
    clauses = tuple(read_lines(query.text))
    seen = [one for one in clauses if isinstance(one, LineWindow)]
    if by_lines:
        lost = [one for one in clauses if not isinstance(one, LineWindow)]
        broken = any(not (one.taken_out and one.clause.text.startswith("FROM")) for one in lost)
        return EngineWindows(tuple(_window(one, windows, length) for one in seen), not broken)
    order = [one.names[0] for one in seen]
    return EngineWindows(tuple(sorted(windows, key=lambda one: _place(one.source, order))))


def _place(source: WindowSource, order: Sequence[str]) -> int:
    name = "" if source.name is None else source.name.value
    return order.index(name) if name in order else len(order)


def _window(
    seen: LineWindow, windows: Sequence[YasperWindow], length: Callable[[str], float]
) -> YasperWindow:
    name, stream = seen.names
    read = (one.source for one in windows if one.source.name == Iri(name))
    source = next(read, WindowSource(Iri(stream), _UNUSED, Iri(name)))
    return YasperWindow(source, length(seen.width.text), length(seen.step.text), Iri(stream))
