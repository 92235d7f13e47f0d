"""Find mappings of triple patterns into known triple patterns (homomorphisms), also along property paths.

If a pattern maps into known triple patterns, the pattern matches wherever the known patterns match.

A path of any length is an automaton over letters. A letter is a property, walked forwards or backwards. A
known triple pattern spells one letter. A known path spells any word of its language. A path maps into a walk
along known patterns if the language of the path contains each word that the walk may spell.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import count, islice
from math import gcd
from typing import Final, assert_never

from agreement.proving import disjuncts
from lars.dataclass import dataclass
from lars.language.terms import DEFAULT, Iri, Term, Variable
from lars.language.windows import TimeWindow, TupleWindow, Window
from solver.deadlines import NEVER, Deadline
from translate.model import patterns
from translate.model.query import Setting

Letter = tuple[Iri | None, bool]
"""One step of a path: a property, and whether the step goes forwards along the property.

None means any property that the query does not name.
"""
_Label = tuple[Iri | patterns.NegatedSet, bool] | None
_States = frozenset[int]
StateSets = frozenset[_States]
"""The possible sets of states of an automaton after a walk, one set for each word that the walk may spell."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A finite automaton that accepts the walks along a property path.

    A letter is one step of a walk: a property and its direction. The automaton begins in state 0 and accepts
    in state 1. A move consists of a state, a label and the next state. If the label is None, the move reads
    no letter.
    """

    moves: tuple[tuple[int, _Label, int], ...]

    @property
    def start(self) -> StateSets:
        """The set of states before the first letter (step of a walk), as the only possible set."""
        return frozenset((self.closed(frozenset((0,))),))

    def closed(self, states: _States) -> _States:
        """Return the given states, and all states that the automaton reaches from them without a letter."""
        silent: dict[int, list[int]] = {}
        for before, label, after in self.moves:
            if label is None:
                silent.setdefault(before, []).append(after)
        pending, found = list(states), set(states)
        while pending:
            for after in silent.get(pending.pop(), ()):
                if after not in found:
                    found.add(after)
                    pending.append(after)
        return frozenset(found)

    def step(self, states: _States, letter: Letter) -> _States:
        """Return the states that the automaton reaches from `states` by one letter (step of a walk)."""
        return self.closed(
            frozenset(
                after
                for before, label, after in self.moves
                if label is not None and before in states and _spells(label, letter)
            )
        )

    @staticmethod
    def accepts(known: StateSets) -> bool:
        """Return whether the automaton certainly accepts: each possible set of states contains state 1."""
        return bool(known) and all(1 in states for states in known)

    def spelled(self, known: StateSets, word: "Automaton", deadline: Deadline = NEVER) -> StateSets:
        """Return the possible sets of states of this automaton after it reads a word of another automaton.

        If too many sets are possible, the result is empty, which counts as not accepted.

        Raises:
            TimeLimitError: The deadline is over.
        """
        # None stands for each property that neither path names; all of these have the same effect.
        alphabet = _letters(self) | _letters(word) | {(None, True), (None, False)}
        pending = [(own, states) for own in word.start for states in known]
        seen = set(pending)
        while pending:
            deadline.check()
            if len(seen) > _MOST_SETS:
                return frozenset()
            own, states = pending.pop()
            for letter in alphabet:
                after = word.step(own, letter), self.step(states, letter)
                if after[0] and after not in seen:
                    seen.add(after)
                    pending.append(after)
        return frozenset(states for own, states in seen if 1 in own)


def _spells(label: tuple[Iri | patterns.NegatedSet, bool], letter: Letter) -> bool:
    step, forward = label
    iri, onwards = letter
    match step:
        case Iri():
            return (step, forward) == letter
        case patterns.NegatedSet(forwards, backwards):
            along = onwards == forward
            excluded = forwards if along else backwards
            # !(p) has forward steps only, !(^p) backward steps only; without a property, any forward step.
            return iri not in excluded and (bool(excluded) or (along and not backwards))
        case _:
            assert_never(step)


def properties(path: patterns.Path) -> frozenset[Iri]:
    """Return the properties that a path contains, including those in negated property sets."""
    return frozenset(name for name, _ in _letters(automaton(path)) if name is not None)


def _letters(automaton: Automaton) -> frozenset[Letter]:
    names: set[Iri] = set()
    for _, label, _ in automaton.moves:
        match label:
            case (Iri() as iri, _):
                names.add(iri)
            case (patterns.NegatedSet(some, others), _):
                names.update(some, others)
            case None:
                pass
    return frozenset((name, forward) for name in names for forward in (True, False))


@lru_cache(maxsize=1_024)
def automaton(path: patterns.Path) -> Automaton:
    """Return the automaton that accepts exactly the walks of a property path."""
    return Automaton(tuple(_moves(path, 0, 1, count(2), forward=True)))


def _moves(
    path: patterns.Path, start: int, end: int, fresh: Iterator[int], *, forward: bool
) -> Iterator[tuple[int, _Label, int]]:
    match path:
        case Iri() | patterns.NegatedSet():
            yield start, (path, forward), end
        case patterns.Inverse(inner):
            yield from _moves(inner, start, end, fresh, forward=not forward)
        case patterns.PathSequence(left, right):
            between = next(fresh)
            first, second = (left, right) if forward else (right, left)
            yield from _moves(first, start, between, fresh, forward=forward)
            yield from _moves(second, between, end, fresh, forward=forward)
        case patterns.Alternative(left, right):
            yield from _moves(left, start, end, fresh, forward=forward)
            yield from _moves(right, start, end, fresh, forward=forward)
        case patterns.RepeatedPath(inner, often):
            before, after = next(fresh), next(fresh)
            yield from ((start, None, before), (after, None, end))
            yield from _moves(inner, before, after, fresh, forward=forward)
            if often != "?":
                yield after, None, before
            if often != "+":
                yield before, None, after
        case _:
            assert_never(path)


def has_empty(path: patterns.Path) -> bool:
    """Return whether a property path can have zero steps, so that it connects each node with itself."""
    words = automaton(path)
    return words.accepts(words.start)


# Guesses, which limit the time of a proof; beyond a limit, a mapping is not found and proves nothing.
_MOST_SETS: Final = 4_096
_MOST_IMAGES: Final = 256
_MOST_WALKS: Final = 512
Image = dict[Variable, Term]


@lru_cache(maxsize=4_096)
def is_inside(inner: Window, outer: Window) -> bool:
    """Return whether the outer window contains the inner window's content at every time on every stream.

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
    # The pivots differ by t mod d - t mod e, which is at most d - gcd(d, e), and reaches it again and again.
    common = gcd(inner.step, outer.step)
    begins = low is None or (first is not None and first - low >= inner.step - common)
    return begins and high - last >= outer.step - common


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps triple patterns of a query to known triple patterns whose triples they certainly match.

    `merged` contains the windows that are part of the query's default graph. `paths` contains each path of
    any length by its name. `windows` contains, for a known pattern, the windows that contain its triple.
    Without an entry in `windows`, a window contains the triple if it always contains the window of the
    pattern.
    """

    merged: tuple[disjuncts.Reading, ...]
    setting: Setting
    paths: Mapping[Iri, patterns.Path]
    deadline: Deadline = NEVER
    windows: Mapping[disjuncts.Edge, frozenset[disjuncts.Reading]] = field(default_factory=dict)

    def images(
        self,
        edges: Sequence[disjuncts.Edge],
        into: Sequence[disjuncts.Edge],
        image: Image,
        variables: frozenset[Variable],
    ) -> Iterator[Image]:
        """Yield mappings of variables under which all `edges` match the triples that the edges `into` match.

        An edge is a triple pattern with its source. Each mapping extends `image`. If several mappings are
        equal on `variables`, only the first mapping is yielded.

        Raises:
            TimeLimitError: The time limit is over.
        """
        mine = tuple(dict.fromkeys(edges))
        targets = {edge: self._targets(edge, into) for edge in mine}
        yield from _Search(self, targets, variables).images(mine, image)

    def _targets(self, edge: disjuncts.Edge, into: Sequence[disjuncts.Edge]) -> tuple[disjuncts.Edge, ...]:
        """Return the edges of `into` whose triples `edge` can match.

        An edge is a triple pattern with its source. For a path of any length, all edges of `into` are
        returned.
        """
        if edge.triple.predicate in self.paths:
            return tuple(into)
        return tuple(target for target in into if next(self.each(edge, (target,), {}), None) is not None)

    def each(self, edge: disjuncts.Edge, into: Sequence[disjuncts.Edge], image: Image) -> Iterator[Image]:
        """Yield the mappings of variables that extend `image`, and under which `edge` matches in `into`.

        An edge is a triple pattern with its source.
        """
        path = self.paths.get(edge.triple.predicate) if isinstance(edge.triple.predicate, Iri) else None
        if path is not None:
            yield from self._walks(edge, path, into, image)
            return
        for target in into:
            if target.triple.predicate in self.paths:
                continue
            where = self._where(edge, target, image)
            grown = (
                None if where is None else disjuncts.matched(edge.triple.terms, target.triple.terms, where)
            )
            if grown is not None:
                yield grown

    def _walks(
        self, edge: disjuncts.Edge, path: patterns.Path, into: Sequence[disjuncts.Edge], image: Image
    ) -> Iterator[Image]:
        """Yield the mappings of variables under which a path of any length is a walk along known edges."""
        subject, _, object_ = edge.triple.terms
        # All steps of a walk are in one graph, so each value of a variable graph is tried by itself.
        places = [self._where(edge, target, image) for target in into]
        for binding in (each for n, each in enumerate(places) if each is not None and each not in places[:n]):
            edges = [target for target in into if self._where(edge, target, binding) == binding]
            nodes = _nodes(edges, self.paths)
            stays = {
                term
                for term in (subject, object_)
                if not isinstance(term, Variable) and patterns.can_stay(path)
            }
            for start in dict.fromkeys((*_ends(edges), *stays)):
                grown = disjuncts.matched((subject,), (start,), binding)
                if grown is None:
                    continue
                for end in self._reached(automaton(path), start, edges, nodes | stays):
                    if (whole := disjuncts.matched((object_,), (end,), grown)) is not None:
                        yield whole

    def _reached(
        self, words: Automaton, start: Term, edges: Sequence[disjuncts.Edge], nodes: set[Term]
    ) -> dict[Term, None]:
        """Return the terms that a path certainly reaches from the term `start` along known triple patterns.

        If the path can have zero steps, `start` and the reached term must certainly be nodes of the graph.
        """
        pending = [(start, words.start)]
        terms = set(pending)
        # With the limit, fewer terms are reached, which only proves less.
        while pending and len(terms) < _MOST_WALKS:
            self.deadline.check()
            term, known = pending.pop()
            for edge in edges:
                subject, predicate, object_ = edge.triple.terms
                for here, there, forward in ((subject, object_, True), (object_, subject, False)):
                    if here != term:
                        continue
                    step = self._step(predicate, forward=forward)
                    after = there, words.spelled(known, step, self.deadline)
                    if after not in terms:
                        terms.add(after)
                        pending.append(after)
        empty = words.accepts(words.start)
        ended = {term: None for term, known in terms if words.accepts(known)}
        return {term: None for term in ended if not empty or (start in nodes and term in nodes)}

    def _step(self, predicate: Term, *, forward: bool) -> Automaton:
        """Return the automaton of the walks that a known edge with this predicate can be.

        If the predicate is a variable, the edge can be a step along any property.
        """
        if isinstance(predicate, Variable):
            step: patterns.Path = patterns.NegatedSet()
        else:
            assert isinstance(predicate, Iri)
            step = self.paths.get(predicate, predicate)
        return automaton(step if forward else patterns.Inverse(step))

    def _where(self, edge: disjuncts.Edge, target: disjuncts.Edge, image: Image) -> Image | None:
        """Return the mapping, possibly extended, if the source of `edge` contains the triple of `target`.

        If the source of `edge` does not certainly contain the triple, the function returns None. A source is
        a window of a stream, or a graph of the static data.
        """
        match edge.where, target.where:
            case disjuncts.Reading(stream), disjuncts.Reading(other):
                return (
                    disjuncts.matched((stream,), (other,), image) if self._shows(target, edge.where) else None
                )
            case disjuncts.GraphSource(graph), disjuncts.GraphSource(_, windows) if windows:
                everywhere = all(
                    any(own.name == window.name and self._is_inside(window, own) for own in self.merged)
                    for window in windows
                )
                return image if graph == DEFAULT and everywhere else None
            case disjuncts.GraphSource(graph), disjuncts.Reading(stream):
                merges = any(own.name == stream and self._shows(target, own) for own in self.merged)
                return image if graph == DEFAULT and merges else None
            case disjuncts.GraphSource(graph), disjuncts.GraphSource(other):
                if DEFAULT in (graph, other):
                    return image if graph == other else None
                if isinstance(graph, Variable) and disjuncts.is_derived(other):
                    return None  # GRAPH ?g ranges over graphs of the data, not over those of aggregates.
                return disjuncts.matched((graph,), (other,), image)
            case _:
                return None

    def _shows(self, target: disjuncts.Edge, window: disjuncts.Reading) -> bool:
        """Return whether a window certainly contains the triple that a known edge matches."""
        # `_where` has already compared the names of the streams.
        if (readings := self.windows.get(target)) is not None:
            return any(each.window == window.window for each in readings)
        return self._is_inside(target.reading, window)

    def _is_inside(self, inner: disjuncts.Reading, outer: disjuncts.Reading) -> bool:
        return is_inside(inner.operator(self.setting), outer.operator(self.setting))


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for mappings under which several edges (triple patterns with sources) match known edges.

    `targets` contains the known edges that each edge can match. Mappings that are equal on `kept` count only
    once. Groups of edges that share no unmapped variable are mapped separately.
    """

    mapper: Mapper
    targets: Mapping[disjuncts.Edge, tuple[disjuncts.Edge, ...]]
    kept: frozenset[Variable]
    known: dict[Hashable, Image | None] = field(default_factory=dict)

    def images(self, edges: tuple[disjuncts.Edge, ...], start: Image) -> Iterator[Image]:
        seen = set[Hashable]()
        for image in self._all(edges, start):
            key = frozenset((name, term) for name, term in image.items() if name in self.kept)
            if key not in seen:
                seen.add(key)
                yield image

    def _all(self, edges: tuple[disjuncts.Edge, ...], image: Image) -> Iterator[Image]:
        self.mapper.deadline.check()
        parts = _connected(edges, image)
        whole = image
        # A part without kept variables needs only one mapping, which is looked for once (`known`).
        for part in (each for each in parts if not _open(each, image) & self.kept):
            binding = self._first(part, image)
            if binding is None:
                return
            whole = whole | binding
        yield from self._product([each for each in parts if _open(each, image) & self.kept], whole)

    def _product(self, parts: Sequence[tuple[disjuncts.Edge, ...]], image: Image) -> Iterator[Image]:
        if not parts:
            yield image
            return
        for grown in self._branched(parts[0], image):
            yield from self._product(parts[1:], grown)

    def _first(self, edges: tuple[disjuncts.Edge, ...], image: Image) -> Image | None:
        names = disjuncts.Disjunct(edges).bound
        near = {name: term for name, term in image.items() if name in names}
        key = edges, frozenset(near.items())
        if key not in self.known:
            self.known[key] = next(self._branched(edges, near), None)
        return self.known[key]

    def _branched(self, edges: tuple[disjuncts.Edge, ...], image: Image) -> Iterator[Image]:
        choices = {
            edge: list(islice(self.mapper.each(edge, self.targets[edge], image), _MOST_IMAGES))
            for edge in edges
        }
        first = min(edges, key=lambda edge: len(choices[edge]))
        rest = tuple(edge for edge in edges if edge != first)
        for grown in choices[first]:
            yield from self._all(rest, grown)


def _open(edges: Sequence[disjuncts.Edge], image: Image) -> frozenset[Variable]:
    return disjuncts.Disjunct(tuple(edges)).bound - image.keys()


def _connected(edges: Iterable[disjuncts.Edge], image: Image) -> list[tuple[disjuncts.Edge, ...]]:
    """Return edges in groups, such that two groups share no variable that `image` does not map."""
    parts: list[tuple[tuple[disjuncts.Edge, ...], frozenset[Variable]]] = []
    for edge in edges:
        names = _open((edge,), image)
        apart = [part for part in parts if not part[1] & names]
        near = [part for part in parts if part[1] & names]
        joined = (edge, *(each for part in near for each in part[0]))
        parts = [*apart, (joined, names.union(*(part[1] for part in near)))]
    return [part for part, _ in parts]


def _ends(edges: Sequence[disjuncts.Edge]) -> Iterator[Term]:
    for edge in edges:
        yield from (edge.triple.subject, edge.triple.object)


def _nodes(edges: Sequence[disjuncts.Edge], paths: Mapping[Iri, patterns.Path]) -> set[Term]:
    """Return the terms that are certainly the subject or object of some triple in the graph.

    If a path can have zero steps, a constant at its end need not be the subject or object of a triple.
    """
    terms: set[Term] = set()
    for edge in edges:
        ends = edge.triple.subject, edge.triple.object
        path = paths.get(edge.triple.predicate) if isinstance(edge.triple.predicate, Iri) else None
        if path is None or not has_empty(path) or all(isinstance(end, Variable) for end in ends):
            terms.update(ends)
    return terms
