"""Homomorphisms: how edges map into known ones, so that they match wherever these do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import lcm
from typing import Final

from agreement.containment.relations import is_derived
from agreement.containment.walks import Automaton, automaton, has_empty
from agreement.disjuncts import Edge, Reading, Stored, Where
from lars.terms import DEFAULT, Iri, Term, Variable
from lars.windows import Interval, TimeWindow, TupleWindow, Window
from translate.paths import Inverse, Link, Negated, Path, can_stay
from translate.query import Setting
from translate.windows import window_operator

_FAR: Final = 10**9
_MOST_STEPS: Final = 10_000
_MOST_IMAGES: Final = 256
_MOST_WALKS: Final = 512
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


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps edges of a query, whose windows `merged` enter its default graph, into known ones."""

    merged: tuple[Reading, ...]
    setting: Setting
    paths: Mapping[Iri, Path]

    def images(self, edges: Sequence[Edge], into: Sequence[Edge], image: Image) -> Iterator[Image]:
        """Yield each image of the edges' variables, some of them known, under which all of them match.

        The edge with the fewest counterparts is mapped first.
        """
        if not edges:
            yield image
            return
        grown = [list(islice(self._each(edge, into, image), _MOST_IMAGES)) for edge in edges]
        first = min(range(len(edges)), key=lambda number: len(grown[number]))
        for each in grown[first]:
            yield from self.images((*edges[:first], *edges[first + 1 :]), into, each)

    def _each(self, edge: Edge, into: Sequence[Edge], image: Image) -> Iterator[Image]:
        """Yield the images under which an edge matches."""
        path = self.paths.get(edge.triple.predicate) if isinstance(edge.triple.predicate, Iri) else None
        if path is not None:
            yield from self._walks(edge, path, into, image)
            return
        for target in into:
            if target.triple.predicate in self.paths:
                continue
            found = self._where(edge.where, target.where, image)
            for mine, theirs in zip(edge.triple.terms, target.triple.terms, strict=True):
                found = None if found is None else _matched(mine, theirs, found)
            if found is not None:
                yield found

    def _walks(self, edge: Edge, path: Path, into: Sequence[Edge], image: Image) -> Iterator[Image]:
        """Yield the images under which an edge of a path is a walk along known edges."""
        subject, _, object_ = edge.triple.terms
        for where in dict.fromkeys(target.where for target in into):
            found = self._where(edge.where, where, image)
            if found is None:
                continue
            shown = [target for target in into if self._where(edge.where, target.where, found) == found]
            nodes = _nodes(shown, self.paths)
            stays = {term for term in (subject, object_) if not isinstance(term, Variable) and can_stay(path)}
            for start in dict.fromkeys((*_ends(shown), *stays)):
                grown = _matched(subject, start, dict(found))
                if grown is None:
                    continue
                for end in self._reached(automaton(path), start, shown, nodes | stays):
                    if (whole := _matched(object_, end, dict(grown))) is not None:
                        yield whole

    def _reached(
        self, words: Automaton, start: Term, shown: Sequence[Edge], nodes: set[Term]
    ) -> dict[Term, None]:
        """Return the terms to which a path surely leads; without a step only from a node."""
        pending = [(start, words.start)]
        seen = set(pending)
        while pending and len(seen) < _MOST_WALKS:
            term, known = pending.pop()
            for edge in shown:
                subject, predicate, object_ = edge.triple.terms
                for here, there, forward in ((subject, object_, True), (object_, subject, False)):
                    step = self._step(predicate, forward=forward)
                    after = there, words.spelled(known, step)
                    if here == term and after not in seen:
                        seen.add(after)
                        pending.append(after)
        empty = words.accepts(words.start)
        ended = {term: None for term, known in seen if words.accepts(known)}
        return {term: None for term in ended if not empty or (start in nodes and term in nodes)}

    def _step(self, predicate: Term, *, forward: bool) -> Automaton:
        """Return the words that are spelled along an edge."""
        if isinstance(predicate, Variable):
            step: Path = Negated()
        else:
            assert isinstance(predicate, Iri)
            step = self.paths.get(predicate, Link(predicate))
        return automaton(step if forward else Inverse(step))

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
                if isinstance(graph, Variable) and isinstance(other, Iri) and is_derived(other):
                    return None
                return _matched(graph, other, dict(image))
            case _:
                return None

    def _merges(self, theirs: Reading) -> bool:
        window = window_of(theirs, self.setting)
        return any(
            one.stream == theirs.stream and is_inside(window, window_of(one, self.setting))
            for one in self.merged
        )


def _ends(shown: Sequence[Edge]) -> Iterator[Term]:
    for edge in shown:
        yield from (edge.triple.subject, edge.triple.object)


def _nodes(shown: Sequence[Edge], paths: Mapping[Iri, Path]) -> set[Term]:
    """Return the terms that are surely nodes: a path without a step needs none where an end is a constant."""
    found: set[Term] = set()
    for edge in shown:
        ends = edge.triple.subject, edge.triple.object
        path = paths.get(edge.triple.predicate) if isinstance(edge.triple.predicate, Iri) else None
        if path is None or not has_empty(path) or all(isinstance(end, Variable) for end in ends):
            found.update(ends)
    return found


def _matched(mine: Term, theirs: Term, image: Image) -> Image | None:
    if isinstance(mine, Variable):
        if image.setdefault(mine, theirs) != theirs:
            return None
        return image
    return image if mine == theirs else None
