"""Choose triples for test streams of a query: triples that match its patterns, and similar other triples."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from typing import Final

from agreement.documents.requests import sources
from agreement.proving.disjuncts import Disjunct, Edge, GraphSource, Reading, disjuncts, models
from agreement.proving.values import integer, number
from lars.language.formulas import Call, Expression
from lars.language.terms import DEFAULT, RDF, Constant, Iri, Literal, Variable
from solver.facts import Static, Triple
from solver.rdf import read_term
from translate.analysis import expressions_of, parts, rebuild
from translate.model import patterns
from translate.model.query import EngineQuery

Letter = tuple[str, Triple]
"""A triple that test streams may contain: the IRI of its stream, such as `<http://e/S>`, and the triple."""
_MOST_LETTERS: Final = 14
_NOISE: Final[Triple] = ("<http://e/n>", "<http://e/n>", "<http://e/n>")
_KINDS: Final = (Literal("a"), Literal("a", f"{RDF}langString", "en"))


def alphabet(query: EngineQuery, static: Static) -> tuple[Letter, ...]:
    """Return the triples, each with its stream, from which streams to test a query are made.

    The triples can give two different rows of the query. The last triple in each stream matches no pattern of
    the query. The result includes triples that match the patterns of MINUS and EXISTS. If conditions or sums
    use the objects of triples, most objects are numbers; otherwise, some objects are texts. If the query
    orders objects, all of them are numbers, because SPARQL does not order a number and a text.
    """
    streams = tuple(
        dict.fromkeys(
            str(source.stream) for source in sources(query) if not isinstance(source.stream, Variable)
        )
    )
    letters: dict[Letter, None] = {}
    repeated = _repeated(query.pattern)
    numbers, ordered = _numbers(query), _orders(query)
    found = [disjuncts(pattern, "sparql11") for pattern in (query.pattern, _present(query.pattern))]
    for disjunct in dict.fromkeys(one for group in found for one in group):
        for terms in _terms(disjunct, static, numbers, ordered=ordered):
            for edge in disjunct.edges:
                letters.update(dict.fromkeys(_letters(edge, terms, streams)))
    letters = dict.fromkeys((*_linked(letters, repeated), *letters))
    noise = [(stream, _NOISE) for stream in streams]
    return (*_varied(letters, _MOST_LETTERS - len(noise)), *noise)


def _repeated(pattern: patterns.Pattern) -> frozenset[str]:
    """Return the properties, as texts, along which a path such as `:p+` can have several steps."""
    inner = (part.pattern if isinstance(part, patterns.StreamBlock) else part for part in parts(pattern))
    paths = (part.path for part in inner if isinstance(part, patterns.PathPattern))
    walked = (step for path in paths if _repeats(path) for step in patterns.steps(path))
    return frozenset(str(step) for step in walked if step is not None)


def _repeats(path: patterns.Path) -> bool:
    match path:
        case patterns.RepeatedPath(_, often):
            return often != "?"
        case patterns.Inverse(inner):
            return _repeats(inner)
        case patterns.PathSequence(left, right) | patterns.Alternative(left, right):
            return _repeats(left) or _repeats(right)
        case _:
            return False


def _linked(letters: Iterable[Letter], repeated: Collection[str]) -> Iterator[Letter]:
    """Yield two connected triples for each property along which a path can have several steps."""
    first: dict[str, Letter] = {}
    for letter in letters:
        if letter[1][1] in repeated:
            first.setdefault(letter[1][1], letter)
    for stream, (subject, predicate, object_) in first.values():
        middle = f"{subject[:-1]}2>"
        yield stream, (subject, predicate, middle)
        yield stream, (middle, predicate, object_)


def _varied(letters: Iterable[Letter], most: int) -> list[Letter]:
    """Return at most `most` triples, taken in turn from each predicate, so that all patterns can match."""
    groups: dict[tuple[str, str], list[Letter]] = {}
    for letter in letters:
        groups.setdefault((letter[0], letter[1][1]), []).append(letter)
    return [letter for turn in zip_longest(*groups.values()) for letter in turn if letter][:most]


def _present(pattern: patterns.Pattern) -> patterns.Pattern:
    """Return a query pattern in which the patterns inside MINUS and EXISTS must also match."""

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        match part:
            case patterns.Minus(left, right):
                return patterns.Join(_present(left), _present(right))
            case patterns.Filter(inner, _, exists) if exists:
                tests = (_present(test.pattern) for test in exists)
                return reduce(patterns.Join, tests, _present(inner))
            case _:
                return None

    return rebuild(pattern, changed)


def _numbers(query: EngineQuery) -> tuple[Constant, ...]:
    """Return numbers for test triples: the numbers in a query's conditions, neighbors and larger numbers.

    Larger numbers, such as 10 if a condition contains 2, show whether an engine compares numbers as texts.
    """
    every = (one for part in parts(query.pattern) for whole in expressions_of(part) for one in _leaves(whole))
    values = (number(one) for one in every if isinstance(one, Literal))
    compared = [amount for amount in values if isinstance(amount, int)] or [2]
    near = [n for amount in compared for n in (amount, amount + 1, amount - 1)]
    texts = [10 ** len(integer(abs(amount)).lexical) for amount in compared]
    return tuple(map(integer, dict.fromkeys((*near[:3], *texts, *near))))


def _leaves(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _leaves(argument)
    else:
        yield expression


def noise_of(letters: tuple[Letter, ...]) -> Letter:
    """Return the triple, with its stream, that matches no pattern.

    The arrival of this triple only advances the time of an engine.
    """
    return next(letter for letter in letters if letter[1] == _NOISE)


def _letters(edge: Edge, terms: Mapping[Variable, Constant], streams: tuple[str, ...]) -> Iterator[Letter]:
    try:
        subject, predicate, object_, _ = edge.ground(terms)
    except KeyError:
        return
    if not isinstance(subject, Iri) or not isinstance(predicate, Iri):
        return
    triples = [(str(subject), str(predicate), str(object_))]
    if isinstance(edge.triple.object, Variable) and edge.triple.object in edge.triple.terms[:2]:
        # If a variable occurs twice in a pattern, a triple with two different terms must not match.
        triples.append((str(subject), str(predicate), str(_other(object_))))
    match edge.where:
        case Reading(Iri() as stream):
            yield from ((str(stream), triple) for triple in triples)
        case Reading(_) | GraphSource():
            # In streams, such triples match only if the query merges streams; an engine may confuse both.
            yield from ((stream, triple) for stream in streams for triple in triples)
        case _:
            return


def _orders(query: EngineQuery) -> bool:
    """Return whether the query orders values: by ORDER BY, MIN or MAX."""
    groups = (part for part in parts(query.pattern) if isinstance(part, patterns.Group))
    extremes = (one for group in groups for _, one in group.aggregates if one.function in {"MIN", "MAX"})
    return bool(query.modifiers.order) or any(extremes)


def _terms(
    disjunct: Disjunct, static: Static, numbers: Sequence[Constant], *, ordered: bool
) -> Iterator[Mapping[Variable, Constant]]:
    """Yield values for the variables of a disjunct (alternative of a query), to make test triples from.

    The first values are the values of one match of the disjunct. Later values differ from these values in the
    objects of triples, or in all variables.
    """
    all_models, _ = models(disjunct, (), 1)
    base = dict(all_models[0] if all_models else _invented(disjunct))
    base |= _stored(disjunct, static)
    stored = any((static.default, static.named))
    fixed = {term for edge in disjunct.stored for term in edge.triple.terms} if stored else set()
    objects = [edge.triple.object for edge in disjunct.edges if isinstance(edge.triple.object, Variable)]
    free = [name for name in dict.fromkeys(objects) if name not in fixed]
    if all_models and disjunct.requirements:
        yield base
    numeric = ordered or bool(disjunct.requirements or disjunct.computed or disjunct.loose or disjunct.vague)
    if numeric:
        base |= dict.fromkeys(free, numbers[0])
    yield base
    for other in numbers[1:2] if numeric else ():
        yield base | dict.fromkeys(free, other)
    if not numeric:
        yield base | {name: _other(base[name]) for name in free if name in base}
    yield {name: term if name in fixed else _other(term) for name, term in base.items()}
    # A text among numbers, because comparing or summing it is an error. To order both is none.
    texts = () if ordered else _KINDS[:1]
    for kind in (*numbers[2:], *texts) if numeric else _KINDS:
        yield base | dict.fromkeys(free, kind)
    yield {name: _other(term) for name, term in base.items()}


def _invented(disjunct: Disjunct) -> dict[Variable, Constant]:
    return {name: Iri(f"http://e/{name.name}") for name in disjunct.bound}


def _other(term: Constant) -> Constant:
    return Iri(f"{term.value}2") if isinstance(term, Iri) else term


def _stored(disjunct: Disjunct, static: Static) -> dict[Variable, Constant]:
    """Return values with which the static patterns of a disjunct match triples of the static data."""
    binding: dict[Variable, Constant] = {}
    for edge in disjunct.stored:
        for triple in sorted(_graph(edge, static)):
            both = list(zip(edge.triple.terms, triple, strict=True))
            if all(isinstance(term, Variable) or str(term) == text for term, text in both):
                binding |= {
                    term: read_term(text)
                    for term, text in both
                    if isinstance(term, Variable) and term not in binding
                }
                break
    return binding


def _graph(edge: Edge, static: Static) -> Collection[Triple]:
    """Return the triples of the static graph in which a pattern is matched, or of all named graphs."""
    name = edge.where.name if isinstance(edge.where, GraphSource) else DEFAULT
    if name == DEFAULT:
        return static.default
    graphs = static.named.items()
    return [
        triple for of, graph in graphs if isinstance(name, Variable) or of == str(name) for triple in graph
    ]
