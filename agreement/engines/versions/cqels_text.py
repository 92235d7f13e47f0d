"""Read a CQELS query with its text into the elements that the engine CQELS registers."""

import re
from collections.abc import Iterator
from dataclasses import field, replace
from functools import lru_cache
from typing import Final

from agreement.documents.requests import base_for, read_once
from agreement.engines.engine import WrittenQuery, with_its_text
from lars.dataclass import dataclass
from lars.language.formulas import Expression
from lars.language.program import variables as variables_of
from lars.language.terms import Iri, Term, Variable
from translate import sparql
from translate.analysis import mentioned_variables, parts
from translate.dialects import lift
from translate.errors import QueryError
from translate.model.patterns import EMPTY, Bgp, Exists, PathPattern, Pattern, StreamBlock, TriplePattern
from translate.model.query import EngineQuery, Language
from translate.model.windows import WindowExpression
from translate.strict import check_strict
from translate.writing import write_query

_KEPT: Final = 16
_WORDS: Final = {"optional": "OPTIONAL", "minus": "MINUS", "bind": "BIND", "data": "VALUES"}
_ACCEPTED: Final = "STREAM, triples, FILTER, or a GRAPH, UNION or group of static data"
_LAST_DIGIT: Final = re.compile(r"([0-9]+)[0-9](?=[hd])")


@dataclass(frozen=True, slots=True)
class StreamTriple:
    """A triple pattern inside a STREAM block.

    The field `number` is the position of the pattern among all patterns in STREAM blocks. The field `block`
    is the position of its block, from 0.
    """

    number: int
    block: int
    stream: Iri | Variable
    window: WindowExpression
    pattern: TriplePattern
    constants: tuple[tuple[int, str], ...] = field(init=False, compare=False)
    """The positions of constants among stream, subject, predicate and object, with their texts."""

    def __post_init__(self) -> None:
        texts = (
            (place, str(term)) for place, term in enumerate(self.terms) if not isinstance(term, Variable)
        )
        object.__setattr__(self, "constants", tuple(texts))

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the pattern: stream, subject, predicate, object."""
        return self.stream, *self.pattern.terms

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables of the pattern, including a variable for the name of the stream."""
        return frozenset(term for term in self.terms if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class CqelsFilter:
    """A FILTER with its EXISTS patterns; `block` is the number of its STREAM block, or None."""

    expression: Expression
    exists: tuple[Exists, ...] = ()
    block: int | None = None

    @property
    def variables(self) -> frozenset[Variable]:
        """All variables of the FILTER, including the variables inside EXISTS."""
        own = frozenset(test.variable for test in self.exists)
        inside = (mentioned_variables(test.pattern) for test in self.exists)
        return variables_of(self.expression).union(*inside) - own


@dataclass(frozen=True, slots=True)
class CqelsBody:
    """The elements of a WHERE clause: stream patterns, static elements, FILTERs, in the order of the text.

    A static element is a sequence of triples, a GRAPH, a UNION or a group without a stream. The field
    `errors` contains an error for each unsupported element in STREAM.
    """

    triples: tuple[StreamTriple, ...]
    statics: tuple[Pattern, ...]
    filters: tuple[CqelsFilter, ...]
    errors: tuple[QueryError, ...] = ()


def read_written(text: str, source: str) -> WrittenQuery:
    """Read a CQELS query, and return it with its text.

    Raises:
        LarsError: The text is not a valid CQELS query.
    """
    query = read_once(text, source, Language.CQELS)
    return with_its_text(query, text, source, base_for(text, source))


def query_with_text(query: EngineQuery) -> WrittenQuery:
    """Return a query with its text; for a query without a text, write one with each FILTER outside STREAM."""
    if isinstance(query, WrittenQuery):
        return query
    return read_written(write_query(query, Language.CQELS), "the query as written for CQELS")


def as_parsed(query: EngineQuery) -> WrittenQuery:
    """Return the query as CQELS 1.x reads it: durations in h and d lose their last digit.

    Raises:
        QueryError: The engine cannot parse or register the text.
    """
    if not isinstance(query, WrittenQuery):
        return query_with_text(query)
    _check_parsed(query.text, query.source)
    return replace(query, text=shorten(query.text))


@lru_cache(maxsize=_KEPT)
def _check_parsed(text: str, source: str) -> None:
    check_strict(text, source, "cqels-1.x")


def shorten(text: str) -> str:
    """Return the text as CQELS reads it: durations in h and d lose their last digit.

    The length of the text is unchanged, so that places in the text remain valid.

    >>> shorten("STREAM <s> [RANGE 24h SLIDE 100d30m] {}")
    'STREAM <s> [RANGE  2h SLIDE  10d30m] {}'
    """
    document = sparql.tokenize(text, "")
    for n, token in enumerate(document.tokens[1:], 1):
        if token.is_word("RANGE") and document.tokens[n - 1].is_word("["):
            closing = next(each for each in document.tokens[n:] if each.is_word("]"))
            start, end = document.original_index(token.start), document.original_index(closing.start)
            text = text[:start] + _LAST_DIGIT.sub(r" \1", text[start:end]) + text[end:]
    return text


# An engine is run with each of its rules off: parsing takes most of the time.
@lru_cache(maxsize=_KEPT)
def read_body(text: str, source: str, base: str = "") -> CqelsBody:
    """Return the elements of a CQELS query's WHERE clause.

    Raises:
        PlacedError: The text cannot be read.
    """
    document = sparql.tokenize(text, source, base)
    parsed, scope = lift(document, Language.CQELS)
    tree = sparql.query_of(parsed)
    with sparql.deep_recursion():
        if (table := tree.find("data")) is not None:
            raise scope.unexpected(table, "triples without a VALUES block after them")
        grouped = (
            tree.find("groupby"),
            *filter(sparql.has_aggregate, (tree.find("projection"), tree.find("having"))),
        )
        if (having := tree.find("having")) is not None and not any(grouped):
            raise scope.unexpected(having, "HAVING only after GROUP BY or an aggregate", "HAVING")
        elements = _Elements(scope)
        elements.read(tree.find("group") or sparql.Phrase("group", ()))
    return elements.body()


@dataclass(slots=True)
class _Elements:
    """The reader of a WHERE clause, with the elements read so far."""

    scope: sparql.Scope
    blocks: int = 0
    triples: list[StreamTriple] = field(default_factory=list)
    statics: list[Pattern] = field(default_factory=list)
    filters: list[CqelsFilter] = field(default_factory=list)
    others: list[QueryError] = field(default_factory=list)

    def body(self) -> CqelsBody:
        return CqelsBody(tuple(self.triples), tuple(self.statics), tuple(self.filters), tuple(self.others))

    def read(self, group: sparql.Phrase) -> None:
        """Add the elements of a group that is outside STREAM."""
        for part, patterns in self._runs(group, None):
            match part:
                case sparql.Phrase("triples"):
                    self.statics.append(_joined(patterns))
                case sparql.Phrase("block", (*_, sparql.Phrase() as block)) if (
                    stream := self._stream(part)
                ) is not None:
                    self._read_block(block, stream)
                case sparql.Phrase("union", (sparql.Phrase() as alone,)) if self._streams_in(alone):
                    self.read(alone)
                case _:
                    self.statics.append(self._static(part))

    def _static(self, part: sparql.Phrase) -> Pattern:
        if part.name in _WORDS:
            raise self._unexpected(part, _ACCEPTED)
        pattern = sparql.read_group(sparql.Phrase("group", (part,)), None, self.scope)
        self._check_static(part, pattern)
        return pattern

    def _check_static(self, part: sparql.Phrase, pattern: Pattern) -> None:
        if any(isinstance(one, StreamBlock) for one in parts(pattern)):
            raise self._unexpected(part, f"{_ACCEPTED}; in this there is a STREAM")

    def _unexpected(self, part: sparql.Phrase, accepted: str) -> QueryError:
        return self.scope.unexpected(part, accepted, _WORDS.get(part.name, ""))

    def _read_block(self, group: sparql.Phrase, block: StreamBlock) -> None:
        for part, patterns in self._runs(group, self.blocks):
            if part.name != "triples":
                self.others.append(self._unexpected(part, "triples or FILTER inside STREAM"))
            for pattern in patterns:
                if isinstance(pattern, PathPattern):
                    self.others.append(
                        self._unexpected(part, "triples without a property path inside STREAM")
                    )
                    continue
                for triple in pattern.triples:
                    number = len(self.triples)
                    self.triples.append(StreamTriple(number, self.blocks, block.stream, block.window, triple))
        self.blocks += 1

    def _runs(
        self, group: sparql.Phrase, block: int | None
    ) -> Iterator[tuple[sparql.Phrase, list[Bgp | PathPattern]]]:
        """Yield the elements of a group, each with the triple patterns that it adds; record the FILTERs.

        In the engine, a FILTER ends a sequence of triples, but not the scope of a blank node label.
        """
        run: sparql.TriplesRun | None = None
        for part in group.parts:
            match part:
                case sparql.Phrase("filter", (condition,)):
                    expression, exists = sparql.read_expression(condition, None, self.scope)
                    for test in exists:
                        self._check_static(part, test.pattern)
                    self.filters.append(CqelsFilter(expression, exists, block))
                case sparql.Phrase("triples"):
                    run = run or sparql.TriplesRun(self.scope)
                    before = len(run.triples)
                    run.read(part)
                    yield part, list(_single(run))[before:]
                case sparql.Phrase() if part.name != "subselect":
                    run = None
                    yield part, []

    def _stream(self, part: sparql.Phrase) -> StreamBlock | None:
        clause = self.scope.blocks.get(part.first().start)
        return clause if isinstance(clause, StreamBlock) else None

    def _streams_in(self, group: sparql.Phrase) -> bool:
        return any(
            part.name == "block" or (part.name == "union" and any(map(self._streams_in, part.phrases())))
            for part in group.phrases()
        )


def _joined(patterns: list[Bgp | PathPattern]) -> Pattern:
    pattern: Pattern = EMPTY
    for part in patterns:
        pattern = sparql.join(pattern, part)
    return pattern


def _single(run: sparql.TriplesRun) -> Iterator[Bgp | PathPattern]:
    for triple in run.triples:
        yield Bgp((triple,)) if isinstance(triple, TriplePattern) else triple
