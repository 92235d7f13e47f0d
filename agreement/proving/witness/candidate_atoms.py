"""What a stream, and static data, can be made of so that nothing smaller is missed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from agreement.proving.disjuncts import Position, is_rdf
from agreement.proving.witness.representatives import (
    TRIPLE,
    PatternAtom,
    PositionClasses,
    fresh,
    gathered_values,
    is_gathering,
    is_import,
    named_constants,
    patterns,
    representatives,
    tells_order,
    told_apart,
    unify,
)
from lars.language.program import Program
from lars.language.terms import DEFAULT, Atom, Constant, Iri, Term, Variable
from solver.facts import STREAM_PREDICATE, Background, constant_of


@dataclass(frozen=True, slots=True)
class CandidateAtoms:
    """Atoms that may arrive, atoms that static data may hold; groups of terms that are `alike` in them."""

    arrivals: tuple[Atom, ...]
    static: tuple[Atom, ...]
    alike: tuple[tuple[Iri, ...], ...] = ()

    def with_others(self, more: "CandidateAtoms | None") -> "CandidateAtoms":
        """Return these and others, among which terms need not be alike."""
        if more is None:
            return self
        arriving, static = (*self.arrivals, *more.arrivals), (*self.static, *more.static)
        return CandidateAtoms(tuple(dict.fromkeys(arriving)), tuple(dict.fromkeys(static)))


def candidate_atoms(
    programs: Sequence[Program],
    streams: Sequence[Iri],
    known: Background | None,
    *,
    any_source: bool = False,
) -> CandidateAtoms:
    """Return the triples that match a pattern of the programs, each in the pattern's own source.

    Static ones may be chosen: none where the static data is `known`. With `any_source` also in each
    other stream and as static triples. The last of each stream matches no pattern, unless one has a
    variable for predicate.
    """
    atoms = dict.fromkeys(pattern for program in programs for pattern in patterns(program))
    values, alike = _values(programs, atoms, () if known is None else _triples(known))
    own = _own_sources(programs, streams, values)
    arriving: dict[Atom, None] = {}
    static: dict[Atom, None] = {}
    for pattern in atoms:
        sources: frozenset[Term] = frozenset((*streams, DEFAULT)) if any_source else own[pattern.terms]
        for terms in _instances(pattern, values):
            for source in sorted(sources, key=str):
                if source in streams:
                    arriving[Atom(STREAM_PREDICATE, (*terms, source))] = None
                elif known is None:
                    static[Atom(TRIPLE, (*terms, source))] = None
    constants = _constants(term for atom in (*arriving, *static) for term in atom.arguments)
    other = tuple(fresh(Variable(name), constants) for name in ("something", "says", "anything"))
    for stream in streams:
        arriving[Atom(STREAM_PREDICATE, (*other, stream))] = None
    return CandidateAtoms(tuple(arriving), tuple(static), alike)


def _own_sources(
    programs: Sequence[Program], streams: Sequence[Iri], values: Mapping[Variable, tuple[Constant, ...]]
) -> Mapping[tuple[Term, ...], frozenset[Term]]:
    """Return where each pattern is matched by the programs that keep sources apart, if there are any.

    What these lack, or none says, may come from any stream, and be static.
    """
    every: frozenset[Term] = frozenset((*streams, DEFAULT))
    sources: dict[tuple[Term, ...], frozenset[Term]] = {}
    for program in programs:
        if not any(map(is_import, program.rules)):
            for pattern in patterns(program):
                terms = frozenset(_names(pattern, streams, values))
                sources[pattern.terms] = sources.get(pattern.terms, frozenset()) | terms
    return {atom.terms: sources.get(atom.terms, every) for program in programs for atom in patterns(program)}


def _names(
    pattern: PatternAtom, streams: Sequence[Iri], values: Mapping[Variable, tuple[Constant, ...]]
) -> Iterator[Term]:
    """Yield the sources of a pattern: of a variable each stream, or graphs of its values and a new one."""
    if not isinstance(pattern.source, Variable):
        yield pattern.source
    elif pattern.predicate == STREAM_PREDICATE:
        yield from streams
    else:
        joined = values.get(pattern.source, (fresh(pattern.source, frozenset()),))
        yield from (name for name in joined if Position.NAME.takes(name))


def _triples(known: Background) -> Iterator[PatternAtom]:
    for subject, predicate, object_, graph in known.get((TRIPLE, 4), ()):
        terms = constant_of(subject), constant_of(predicate), constant_of(object_)
        yield PatternAtom(terms, constant_of(graph))


def _values(
    programs: Sequence[Program], patterns_of: Mapping[PatternAtom, None], known: Iterable[PatternAtom]
) -> tuple[Mapping[Variable, tuple[Constant, ...]], tuple[tuple[Iri, ...], ...]]:
    """Return what variables are tried with, and which of their fresh values are alike."""
    classes = PositionClasses(programs, known)
    known = tuple(known)
    terms = named_constants(programs)
    constants = terms | _constants(term for atom in known for term in atom.terms)
    values: dict[Variable, tuple[Constant, ...]] = {}
    alike: list[tuple[Iri, ...]] = []
    ordering = tells_order(programs)
    for variable in sorted({name for pattern in patterns_of for name in pattern.variables}):
        own = classes.of(variable)
        if variable in values:
            continue
        new = tuple(fresh(name, constants) for name in own.names)
        if is_gathering(programs):
            # Streams are tried one by one: fewer values of the kinds that conditions tell apart.
            summed = [more for name in own.names for more in gathered_values(programs, name)]
            if not summed and (len(new) == 1 or not ordering):
                new += tuple(fresh(name, constants, 1) for name in own.names)
            stored = (_stored_values(name, patterns_of, known) for name in own.names)
            joined = (terms & frozenset(own.constants)).union(*stored)
            listed = (*new, *summed, *representatives(own), *sorted(joined, key=str))
            values.update(dict.fromkeys(own.names, tuple(dict.fromkeys(listed))))
            alike += [] if ordering else [new]
        else:
            values.update(dict.fromkeys(own.names, tuple(told_apart([*new, *representatives(own)], own))))
    return values, tuple(alike)


def _stored_values(
    variable: Variable, atoms: Iterable[PatternAtom], known: Iterable[PatternAtom]
) -> frozenset[Constant]:
    """Return the values that a variable has in static triples that its patterns match."""
    matched = ((atom.terms, triple.terms) for atom in atoms for triple in known if unify(atom, triple))
    pairs = (pair for terms, values in matched for pair in zip(terms, values, strict=True))
    return _constants(value for term, value in pairs if term == variable)


def _instances(
    pattern: PatternAtom, values: Mapping[Variable, tuple[Constant, ...]]
) -> Iterator[tuple[Constant, ...]]:
    names = sorted(pattern.variables)
    for chosen in product(*(values[name] for name in names)):
        binding: dict[Term, Constant] = dict(zip(names, chosen, strict=True))
        subject, predicate, object_ = (binding.get(term, term) for term in pattern.terms)
        if is_rdf((subject, predicate, object_)):
            yield subject, predicate, object_  # type: ignore[misc]


def _constants(terms: Iterable[Term]) -> frozenset[Constant]:
    return frozenset(term for term in terms if not isinstance(term, Variable))
