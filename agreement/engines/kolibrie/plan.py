"""What Kolibrie runs of a query: its windows with their triple patterns, and what stands outside of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from agreement.engines.engine import WrittenQuery
from agreement.engines.kolibrie.bindings import TextPattern, text_pattern
from agreement.engines.yasper.sliding import YasperWindow, check_triple_patterns, sliding_windows
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from translate.analysis import children, parts
from translate.model import patterns as algebra
from translate.model.patterns import TriplePattern
from translate.model.query import EngineQuery
from translate.strict import KolibrieText, KolibrieWindow, read_kolibrie

NAME: Final = "kolibrie-846becb"
CLOSING, TIMED = "ON_WINDOW_CLOSE", "TIME_DRIVEN"
_IGNORED: Final = (algebra.Extend, algebra.Values, algebra.Group, algebra.Select)
_ACCEPTED: Final = "triple patterns in WINDOW, and outside of them also FILTER, BIND, VALUES and subqueries"
_ALL: Final = (TriplePattern(Variable("s"), Variable("p"), Variable("o")),)


@dataclass(frozen=True, slots=True)
class PlannedWindow:
    """A window with the patterns that are asked of it, and its strategies."""

    window: YasperWindow
    patterns: tuple[TextPattern, ...]
    report: str = CLOSING
    tick: str = TIMED


@dataclass(frozen=True, slots=True)
class KolibriePlan:
    """The windows in the order of the text, the patterns that are asked of the static data, the policy."""

    windows: tuple[PlannedWindow, ...]
    static: tuple[TextPattern, ...]
    steals: bool

    @property
    def joins(self) -> bool:
        """Whether rows of windows are joined, with each other or with those of the static data."""
        return len(self.windows) > 1 or bool(self.static)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables, sorted."""
        patterns = (*self.static, *(pattern for window in self.windows for pattern in window.patterns))
        return tuple(sorted({name for pattern in patterns for name in pattern.names if name is not None}))


def plan_query(
    query: EngineQuery, text_of: Callable[[str], str], *, parsed: bool, strategies: bool, steals: bool
) -> KolibriePlan:
    """Return what is run of a query; constants are written as `text_of` writes terms.

    `parsed`: names and lengths are as the engine's own parser takes them, if the query has its text;
    `strategies` and `steals`: its REPORT, TICK and WITH POLICY count. Raises LarsError for a query that
    the engine does not register, QueryError at the place in its text.
    """
    windows = sliding_windows(query, NAME, tumbling=True)
    check_triple_patterns(query, NAME, _IGNORED, _ACCEPTED)
    if any(
        isinstance(part, algebra.StreamBlock)
        for select in _subqueries(query.pattern)
        for part in parts(select)
    ):
        raise LarsError(f"{NAME} cannot run WINDOW in a subquery; accepted: {_ACCEPTED}")
    patterns = {window.source: _patterns(query.pattern, window) for window in windows}
    plain = [
        PlannedWindow(window, tuple(text_pattern(p, text_of) for p in patterns[window.source]))
        for window in windows
    ]
    static = tuple(text_pattern(pattern, text_of) for pattern in _outside(query.pattern))
    if not isinstance(query, WrittenQuery):
        return KolibriePlan(tuple(plain), static, steals=False)
    text = read_kolibrie(query.text, query.source)
    everything = tuple(text_pattern(pattern, text_of) for pattern in _ALL)
    planned_windows = tuple(
        _as_parsed(window, kolibrie_window, text, everything) if parsed else window
        for kolibrie_window in text.windows
        for window in plain
        if window.window.source.name == Iri(kolibrie_window.iri)
    )
    if strategies:
        reporting = {Iri(window.iri): (window.report, window.tick) for window in text.windows}
        planned_windows = tuple(
            replace(window, report=report, tick=tick)
            for window in planned_windows
            for report, tick in (reporting[_name(window)],)
        )
    policy = next((window.policy for window in text.windows if window.policy is not None), "wait")
    return KolibriePlan(planned_windows, static, steals and policy == "steal")


def _name(planned_window: PlannedWindow) -> Iri:
    name = planned_window.window.source.name
    assert name is not None
    return name


def _as_parsed(
    planned_window: PlannedWindow,
    kolibrie_window: KolibrieWindow,
    text: KolibrieText,
    everything: tuple[TextPattern, ...],
) -> PlannedWindow:
    """Return a window with the stream and the lengths that the parser reads.

    A block is found by its name as written; a window that none is found for asks for all triples.
    """
    if kolibrie_window.step == 0:
        raise LarsError(f"{NAME} stands still with STEP 0; accepted: an integer from 1 on")
    window = YasperWindow(
        planned_window.window.source,
        kolibrie_window.width,
        kolibrie_window.step,
        Iri(kolibrie_window.stream.removeprefix(":")),
    )
    patterns = planned_window.patterns if kolibrie_window.name in text.blocks else everything
    return replace(planned_window, window=window, patterns=patterns)


def _patterns(pattern: algebra.Pattern, window: YasperWindow) -> tuple[TriplePattern, ...]:
    patterns: list[TriplePattern] = []
    for part in parts(pattern):
        own = isinstance(part, algebra.StreamBlock) and part.name == window.source.name
        if own and isinstance(part, algebra.StreamBlock) and isinstance(part.pattern, algebra.Bgp):
            patterns += part.pattern.triples
    return tuple(patterns) or _ALL


def _outside(pattern: algebra.Pattern) -> Iterator[TriplePattern]:
    """Yield the triple patterns that stand in no WINDOW and no subquery."""
    if isinstance(pattern, algebra.Bgp):
        yield from pattern.triples
    elif not isinstance(pattern, algebra.StreamBlock | algebra.Select):
        for child in children(pattern):
            yield from _outside(child)


def _subqueries(pattern: algebra.Pattern) -> Iterator[algebra.Select]:
    yield from (part for part in parts(pattern) if isinstance(part, algebra.Select))
