"""Homomorphisms: how the pattern of one disjunct maps into another's, so that its matches are matches too."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from agreement.disjuncts import Disjunct, Edge, Reading, Stored, Wanted, Where
from lars.program import variables as named_in
from lars.semantics import put_terms
from lars.terms import DEFAULT, NULL, Constant, Term, Variable
from lars.windows import TimeWindow, TupleWindow, Window
from translate.query import Setting
from translate.windows import window_operator

Image = dict[Variable, Term]


def window_of(where: Reading, setting: Setting) -> Window:
    """Return the window of a reading."""
    return window_operator(where.window, where.stream, setting.unit, setting.bounds)


def is_inside(inner: Window, outer: Window) -> bool:
    """Whether what one window shows, the other shows too, at every time of every stream.

    >>> is_inside(TimeWindow(3), TimeWindow(5)), is_inside(TimeWindow(5), TimeWindow(3))
    (True, False)
    """
    match inner, outer:
        case _ if inner == outer:
            return True
        case TimeWindow(), TimeWindow():
            return _covers(outer, inner)
        case TupleWindow(), TupleWindow():
            same = (inner.source, inner.ties, inner.by) == (outer.source, outer.ties, outer.by)
            return same and inner.size <= outer.size
        case TupleWindow(), TimeWindow(None, 0, 1):
            return True
        case _:
            return False


def _covers(outer: TimeWindow, inner: TimeWindow) -> bool:
    (first, last), (low, high) = inner.offsets, outer.offsets
    if first is not None and first > last:
        return True
    # Of steps d and e, t mod d - t mod e is at most d - gcd(d, e), and is that at some t however late.
    common = gcd(inner.step, outer.step)
    begins = low is None or (first is not None and first - low >= inner.step - common)
    return begins and high - last >= outer.step - common


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps disjuncts of a query, whose windows `merged` enter its default graph, into others."""

    result: tuple[Variable, ...]
    merged: tuple[Reading, ...]
    setting: Setting

    def mappings(self, one: Disjunct, into: Disjunct, *, complete: bool = True) -> Iterator[Image]:
        """Yield each image of a disjunct's variables under which its edges are the other's.

        Its result is the other's as well, unless not `complete`.
        """
        start = self._result(one, into) if complete else {}
        if start is not None:
            yield from self._mapped(one.edges, one, into, start)

    def _result(self, one: Disjunct, into: Disjunct) -> Image | None:
        image: Image = {}
        for name in self.result:
            mine, theirs = _value(one, name), _value(into, name)
            if isinstance(mine, Variable):
                if theirs is None or not isinstance(theirs, Term):
                    return None
                image[mine] = theirs
            elif mine != theirs:
                return None
        return image

    def _mapped(self, edges: Sequence[Edge], one: Disjunct, into: Disjunct, image: Image) -> Iterator[Image]:
        if not edges:
            yield image
            return
        first, *rest = edges
        for target in into.edges:
            grown = self._where(first.where, target.where, image)
            for mine, theirs in zip(first.triple.terms, target.triple.terms, strict=True):
                found = grown
                grown = None if found is None else _matched(_put(one, mine), _put(into, theirs), found)
            if grown is not None:
                yield from self._mapped(rest, one, into, grown)

    def _where(self, mine: Where, theirs: Where, image: Image) -> Image | None:
        match mine, theirs:
            case Reading(stream), Reading(other):
                inside = is_inside(window_of(theirs, self.setting), window_of(mine, self.setting))
                return _matched(stream, other, dict(image)) if inside else None
            case Stored(graph), Reading():
                return dict(image) if graph == DEFAULT and self._merges(theirs) else None
            case Stored(graph), Stored(other):
                if DEFAULT in (graph, other):
                    return dict(image) if graph == other else None
                return _matched(graph, other, dict(image))
            case _:
                return None

    def _merges(self, theirs: Reading) -> bool:
        window = window_of(theirs, self.setting)
        return any(
            one.stream == theirs.stream and is_inside(window, window_of(one, self.setting))
            for one in self.merged
        )

    def conditions(self, one: Disjunct, image: Mapping[Variable, Term]) -> tuple[Wanted, ...] | None:
        """Return the conditions of a disjunct under an image, None where computed values are in them."""
        if any(named_in(test.expression) & {name for name, _ in one.computed} for test in one.wanted):
            return None
        given: dict[Variable, Term] = {name: NULL if term is None else term for name, term in one.given}
        whole = {name: NULL for test in one.wanted for name in named_in(test.expression)} | given | {**image}
        return tuple(Wanted(put_terms(test.expression, whole), test.value) for test in one.wanted)


def _value(one: Disjunct, name: Variable) -> object:
    """Return what a solution has for a variable: a term; None for unbound; else what computes it."""
    given = dict(one.given)
    if name in given:
        return given[name]
    for computed, expression in one.computed:
        if computed == name:
            return computed, expression
    return name if name in one.bound else None


def _put(one: Disjunct, term: Term) -> Term:
    if not isinstance(term, Variable):
        return term
    known: Constant | None = dict(one.given).get(term)
    return term if known is None else known


def _matched(mine: Term, theirs: Term, image: Image) -> Image | None:
    if isinstance(mine, Variable):
        if image.setdefault(mine, theirs) != theirs:
            return None
        return image
    return image if mine == theirs else None
