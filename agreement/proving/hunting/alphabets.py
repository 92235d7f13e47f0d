"""The triples that streams of a hunt are made of: what a query's patterns match, and what nearly does."""

from collections.abc import Iterator, Mapping
from typing import Final

from agreement.documents.requests import sources
from agreement.proving.disjuncts import Disjunct, Edge, GraphSource, Model, Reading, disjuncts, models
from lars.language.terms import XSD, Constant, Iri, Literal, Variable
from solver.facts import Static, Triple
from solver.rdf import read_term
from translate.model.query import EngineQuery, Profile

Letter = tuple[str, Triple]
"""A stream's IRI as `<http://e/S>`, and a triple of canonical terms."""
_MOST_LETTERS: Final = 12
_NOISE: Final[Triple] = ("<http://e/n>", "<http://e/n>", "<http://e/n>")
_NUMBERS: Final = tuple(Literal(str(n), f"{XSD}integer") for n in (2, 3, 1))


def alphabet(query: EngineQuery, static: Static) -> tuple[Letter, ...]:
    """Return letters for a query: the triples of one row, others of its subject, of another; noise last.

    Where conditions or sums look at values the objects are numbers.
    """
    streams = tuple(
        dict.fromkeys(
            str(source.stream) for source in sources(query) if not isinstance(source.stream, Variable)
        )
    )
    letters: dict[Letter, None] = {}
    for disjunct in disjuncts(query.pattern, Profile.SPARQL11):
        for terms in _terms(disjunct, static):
            for edge in disjunct.edges:
                letters.update(dict.fromkeys(_letters(edge, terms, streams, merged=bool(query.merged))))
    noise = [(stream, _NOISE) for stream in streams]
    return (*list(letters)[: _MOST_LETTERS - len(noise)], *noise)


def noise_of(letters: tuple[Letter, ...]) -> Letter:
    """Return a letter that no pattern matches, by which time goes on."""
    return next(letter for letter in letters if letter[1] == _NOISE)


def _letters(
    edge: Edge, terms: Mapping[Variable, Constant], streams: tuple[str, ...], *, merged: bool
) -> Iterator[Letter]:
    try:
        subject, predicate, object_, _ = edge.ground(terms)
    except KeyError:
        return
    triples = [(str(subject), str(predicate), str(object_))]
    if isinstance(edge.triple.object, Variable) and edge.triple.object in edge.triple.terms[:2]:
        # A variable that stands twice: who does not look at that takes other terms for one.
        triples.append((str(subject), str(predicate), str(_other(object_))))
    match edge.where:
        case Reading(Iri() as stream):
            yield from ((str(stream), triple) for triple in triples)
        case Reading(_):
            yield from ((stream, triple) for stream in streams for triple in triples)
        case GraphSource() if merged:
            yield from ((stream, triple) for stream in streams for triple in triples)
        case _:
            return


def _terms(disjunct: Disjunct, static: Static) -> Iterator[Mapping[Variable, Constant]]:
    """Yield values of variables: of one match, with other objects, and with everything else."""
    all_models, _ = models(disjunct, (), 1)
    base = dict((all_models[0] if all_models else Model(_invented(disjunct))).terms)
    base |= _stored(disjunct, static)
    fixed = {term for edge in disjunct.stored for term in edge.triple.terms} if static.default else set()
    objects = [edge.triple.object for edge in disjunct.edges if isinstance(edge.triple.object, Variable)]
    free = [name for name in dict.fromkeys(objects) if name not in fixed]
    numeric = bool(disjunct.requirements) or bool(disjunct.loose) or bool(disjunct.vague)
    if numeric:
        base |= dict.fromkeys(free, _NUMBERS[0])
    yield base
    yield base | {name: _NUMBERS[1] if numeric else _other(base[name]) for name in free if name in base}
    if numeric:
        yield base | dict.fromkeys(free, _NUMBERS[2])
    yield {name: term if name in fixed else _other(term) for name, term in base.items()}


def _invented(disjunct: Disjunct) -> dict[Variable, Constant]:
    return {name: Iri(f"http://e/{name.name}") for name in disjunct.bound}


def _other(term: Constant) -> Constant:
    return Iri(f"{term.value}2") if isinstance(term, Iri) else term


def _stored(disjunct: Disjunct, static: Static) -> dict[Variable, Constant]:
    """Return values that the static data give to the variables of static patterns."""
    binding: dict[Variable, Constant] = {}
    for edge in disjunct.stored:
        for triple in sorted(static.default):
            both = list(zip(edge.triple.terms, triple, strict=True))
            if all(isinstance(term, Variable) or str(term) == text for term, text in both):
                binding |= {
                    term: read_term(text)
                    for term, text in both
                    if isinstance(term, Variable) and term not in binding
                }
                break
    return binding
