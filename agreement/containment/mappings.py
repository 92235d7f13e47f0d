"""Homomorphisms: how the pattern of one disjunct maps into another's, so that its matches are matches too."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Final

from agreement.containment.findings import NEVER, Deadline
from agreement.containment.walks import PathName, walks
from agreement.disjuncts import Disjunct, Edge, Reading, Stored, Wanted, Where
from lars.program import variables as named_in
from lars.semantics import put_terms
from lars.terms import DEFAULT, NULL, Term, Variable
from lars.windows import Interval, TimeWindow, TupleWindow, Window
from translate.query import Setting
from translate.windows import window_operator

_FAR: Final = 10**9
_MOST_STEPS: Final = 10_000
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
            steps = lcm(inner.step, outer.step)
            whole = Interval(0, 2 * _FAR)
            pairs = ((inner.bounds(t, whole), outer.bounds(t, whole)) for t in range(_FAR, _FAR + steps))
            return steps <= _MOST_STEPS and all(not a or a.meet(b) == a for a, b in pairs)
        case TupleWindow(), TupleWindow():
            same = (inner.source, inner.ties, inner.by) == (outer.source, outer.ties, outer.by)
            return same and inner.size <= outer.size
        case TupleWindow(), TimeWindow(None, 0, 1):
            return True
        case _:
            return False


Shown = Callable[[Edge, Reading], bool]
"""Whether a window of one query shows what matches an edge of the other's disjunct."""
_Target = tuple[Term, Term, Term, Term]
"""What an edge can be matched by: subject, predicate, object, and the stream or graph."""


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps disjuncts of a query, whose windows `merged` enter its default graph, into others.

    Without `shown`, an edge is shown by the windows that its own is inside of at every time.
    """

    result: tuple[Variable, ...]
    merged: tuple[Reading, ...]
    setting: Setting
    deadline: Deadline = NEVER
    shown: Shown | None = None

    def mappings(self, one: Disjunct, into: Disjunct, *, complete: bool = True) -> Iterator[Image]:
        """Yield images of a disjunct's variables under which its edges are the other's.

        If `complete` its result is the other's as well; then one image is yielded of those that are
        equal where conditions look. Raises TimeLimitError.
        """
        start = self._result(one, into) if complete else {}
        if start is None:
            return
        tested = frozenset[Variable]().union(*(named_in(test.expression) for test in one.wanted))
        edges = tuple(dict.fromkeys(one.edges))
        mine = {edge: _terms(one, edge, _place(edge.where)) for edge in edges}
        targets = {edge: self._targets(edge, mine[edge], into) for edge in edges}
        yield from _Search(mine, targets, tested if complete else one.bound, self.deadline).images(start)

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

    def _targets(self, edge: Edge, mine: _Target, into: Disjunct) -> tuple[_Target, ...]:
        found = [_terms(into, each, place) for each in into.edges for place in self._places(edge, each)]
        if isinstance(path := edge.triple.predicate, PathName):
            walked = (
                (start, path, end, place)
                for place in dict.fromkeys(each[3] for each in found)
                for start, end in walks(path.path, [each[:3] for each in found if each[3] == place])
            )
            found = list(walked)
        return tuple(each for each in dict.fromkeys(found) if _grown(mine, each, {}) is not None)

    def _places(self, edge: Edge, target: Edge) -> Iterator[Term]:
        """Yield the stream or graph that a target has for an edge, nothing where it can't match it."""
        match edge.where, target.where:
            case Reading(), Reading(stream) if self._shows(target, edge.where):
                yield stream
            case Stored(graph), Reading(stream) if graph == DEFAULT:
                if any(each.stream == stream and self._shows(target, each) for each in self.merged):
                    yield DEFAULT
            case Stored(graph), Stored(other) if graph == other or DEFAULT not in (graph, other):
                yield other
            case _:
                pass

    def _shows(self, target: Edge, window: Reading) -> bool:
        if self.shown is not None:
            return self.shown(target, window)
        assert isinstance(target.where, Reading)
        return is_inside(window_of(target.where, self.setting), window_of(window, self.setting))

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


def _terms(one: Disjunct, edge: Edge, place: Term) -> _Target:
    """Return an edge's terms, those that have a given value by it."""
    given = {name: term for name, term in one.given if term is not None}
    subject, predicate, object_ = (
        given.get(term, term) if isinstance(term, Variable) else term for term in edge.triple.terms
    )
    return subject, predicate, object_, place


def _place(where: Where) -> Term:
    return where.stream if isinstance(where, Reading) else where.graph


def _grown(mine: _Target, theirs: _Target, image: Mapping[Variable, Term]) -> Image | None:
    """Return the image under which the first terms are the others, None where there is none."""
    found = dict(image)
    for one, other in zip(mine, theirs, strict=True):
        if isinstance(one, Variable):
            # A path is no property: no variable stands for it.
            if isinstance(other, PathName) or found.setdefault(one, other) != other:
                return None
        elif one != other:
            return None
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    """Images of edges, each with the terms that it can be matched by; of images equal on `kept` one.

    What no variable without an image connects is searched apart, the edge with the fewest targets first.
    """

    mine: Mapping[Edge, _Target]
    targets: Mapping[Edge, tuple[_Target, ...]]
    kept: frozenset[Variable]
    deadline: Deadline
    known: dict[Hashable, Image | None] = field(default_factory=dict)

    def images(self, start: Image) -> Iterator[Image]:
        seen = set[Hashable]()
        for image in self._all(tuple(self.mine), start):
            key = frozenset((name, term) for name, term in image.items() if name in self.kept)
            if key not in seen:
                seen.add(key)
                yield image

    def _all(self, edges: tuple[Edge, ...], image: Image) -> Iterator[Image]:
        self.deadline.check()
        parts = self._connected(edges, image)
        whole = image
        for part in (each for each in parts if not self._open(each, image) & self.kept):
            found = self._first(part, image)
            if found is None:
                return
            whole = whole | found
        yield from self._product([each for each in parts if self._open(each, image) & self.kept], whole)

    def _product(self, parts: Sequence[tuple[Edge, ...]], image: Image) -> Iterator[Image]:
        if not parts:
            yield image
            return
        for grown in self._branched(parts[0], image):
            yield from self._product(parts[1:], grown)

    def _first(self, edges: tuple[Edge, ...], image: Image) -> Image | None:
        names = frozenset[Term]().union(*(self.mine[edge] for edge in edges))
        near = {name: term for name, term in image.items() if name in names}
        key = edges, frozenset(near.items())
        if key not in self.known:
            self.known[key] = next(self._branched(edges, near), None)
        return self.known[key]

    def _branched(self, edges: tuple[Edge, ...], image: Image) -> Iterator[Image]:
        choices = {edge: list(self._matches(edge, image)) for edge in edges}
        first = min(edges, key=lambda edge: len(choices[edge]))
        rest = tuple(edge for edge in edges if edge != first)
        for grown in choices[first]:
            yield from self._all(rest, grown)

    def _matches(self, edge: Edge, image: Image) -> Iterator[Image]:
        found = (_grown(self.mine[edge], target, image) for target in self.targets[edge])
        yield from (each for each in found if each is not None)

    def _open(self, edges: Iterable[Edge], image: Image) -> frozenset[Variable]:
        names = (term for edge in edges for term in self.mine[edge] if isinstance(term, Variable))
        return frozenset(name for name in names if name not in image)

    def _connected(self, edges: tuple[Edge, ...], image: Image) -> list[tuple[Edge, ...]]:
        parts: list[tuple[tuple[Edge, ...], frozenset[Variable]]] = []
        for edge in edges:
            names = self._open((edge,), image)
            apart = [part for part in parts if not part[1] & names]
            near = [part for part in parts if part[1] & names]
            joined = (edge, *(each for part in near for each in part[0]))
            parts = [*apart, (joined, names.union(*(part[1] for part in near)))]
        return [part for part, _ in parts]
